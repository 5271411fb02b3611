//! Components with choices in which sweeps get stuck: loops that are hardly ever left, say with 10⁻²⁰⁰.
//!
//! Each sweep moves a bound by that much, and long before anything is near, doubles round it away. Policy iteration does not
//! mind: each policy is a chain, and chains are eliminated. In fractions, so that comparisons of policies are right, once with the
//! least and once with the greatest values of what lies below the component (values rise and fall with those).

use dashu_ratio::RBig;

use super::eliminate::Budget;
use super::equations::Equations;
use super::local::Local;
use super::policy::iterate_policies;
use crate::numbers::Interval;

/// Bounds of the variables of a component, and its best rows; `None` if the budget is spent or something below has no bound.
/// `place` and `values` as for [`Local::new`]; `guess`: rows to start with.
pub(super) fn by_policies(
    equations: &Equations,
    members: &[u32],
    place: &[u32],
    values: &[Interval],
    guess: Vec<u32>,
    budget: &mut Budget,
) -> Option<(Vec<Interval>, Vec<u32>)> {
    let mut outside: Vec<usize> = members
        .iter()
        .flat_map(|&variable| equations.rows(variable as usize))
        .flat_map(|row| equations.entries(row))
        .map(|entry| equations.targets[entry] as usize)
        .filter(|&target| place.get(target).is_none_or(|&local| local == u32::MAX))
        .collect();
    outside.sort_unstable();
    outside.dedup();
    let mut ends = vec![RBig::ZERO; values.len()];
    let mut solved = |end: fn(&Interval) -> f64, guess: Vec<u32>, budget: &mut Budget| {
        for &target in &outside {
            ends[target] = RBig::try_from(end(&values[target])).ok()?;
        }
        let local = Local::new(equations, members, place, &ends, |id| equations.pool.exact(id).clone());
        iterate_policies(&local, equations.extreme, Some(guess), budget)
    };
    let (low, policy) = solved(|value| value.lower, guess, budget)?;
    let between = match outside.iter().all(|&target| values[target].lower == values[target].upper) {
        true => low.iter().map(Interval::around).collect(),
        false => {
            let (high, _) = solved(|value| value.upper, policy.clone(), budget)?;
            let ends = low.iter().zip(&high);
            ends.map(|(low, high)| Interval { lower: Interval::around(low).lower, upper: Interval::around(high).upper })
                .collect()
        }
    };
    Some((between, policy))
}
