//! How much of the probability the k most probable paths have together, as a curve over k.

use crate::chances::Counterexample;
use crate::plot::{Curve, Plot};

/// With more paths than these the axis is logarithmic: what happens first is the most interesting.
const MOST_LINEAR: usize = 50;
/// Points for each power of ten, about, where there are many.
const DENSITY: f64 = 200.0;

/// The curve, with the bound that it has to pass.
pub fn mass_over_k(shown: &Counterexample) -> Plot {
    let (probability, bound) = shown.probability_and_bound();
    let is_logarithmic = shown.mass.len() > MOST_LINEAR;
    let step = |k: usize| ((k as f64).log10() * DENSITY) as u64;
    let last = shown.mass.len();
    let is_drawn = |k: usize| k == 1 || k == last || step(k) != step(k - 1);
    let points = shown.mass.iter().zip(1..).filter(|(_, k)| is_drawn(*k)).map(|(mass, k)| (k as f64, *mass)).collect();
    let mut levels = vec![(format!("the bound: {bound}"), shown.bound.to_f64().value())];
    if let Some(all) = shown.probability.value {
        levels.push((format!("all paths of the subsystem: {probability}"), all));
    }
    let curve = Curve { title: "the k most probable paths together".into(), points, ..Curve::default() };
    Plot { x_title: "k".into(), curves: vec![curve], levels, is_logarithmic, from_zero: true, ..Plot::default() }
}
