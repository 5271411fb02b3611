//! The best long-run average of an end component: as a fraction if that is cheap enough (`exact_gain.rs`), otherwise between bounds.
//!
//! Value iteration with the bounds of Odoni (1969), see Puterman, *Markov Decision Processes* (1994), §8.5: for any vector x,
//! the average lies between the least and the greatest of (Tx − x)(s), where T is one step of the end component. So the
//! iteration itself may round as it likes, and only the last Tx − x has to be bounded. Each step is damped, which removes
//! periods. Where the best of all rewards can be had for ever, that is the average; no iteration would find a least average of 0.

use std::collections::HashMap;

use dashu_ratio::RBig;

use super::exact_gain::exact_gain;
use crate::answer::{Extreme, Work};
use crate::effort::{Effort, Failure};
use crate::graph::{EndComponents, end_components_among};
use crate::model::{Model, NumberId, Rewards};
use crate::numbers::{Interval, down, up};
use crate::states::StateSet;

/// Damping of a step: the rest of the probability stays where it is.
const STEP: f64 = 0.85;

/// An average that is exact if possible.
pub(crate) enum Average {
    Exact(RBig),
    Between(Interval),
}

impl Average {
    pub fn interval(&self) -> Interval {
        match self {
            Average::Exact(value) => Interval::around(value),
            Average::Between(value) => *value,
        }
    }

    pub fn exact(&self) -> Option<&RBig> {
        match self {
            Average::Exact(value) => Some(value),
            Average::Between(_) => None,
        }
    }
}

/// Average reward per step in an end component, for the best scheduler that stays in it.
pub(crate) fn gain(
    model: &Model,
    ends: &EndComponents,
    component: usize,
    extreme: Extreme,
    rewards: &Rewards,
    effort: &Effort,
    work: &mut Work,
) -> Result<Average, Failure> {
    let members = ends.members(component);
    let inner = |state: u32| model.choices_of(state as usize).filter(|&choice| ends.is_inner(choice));
    if let Some(best) = best_for_ever(model, ends, members, extreme, rewards) {
        return Ok(Average::Exact(best));
    }
    if let Some(exact) = exact_gain(model, ends, members, extreme, rewards, effort, work)? {
        return Ok(Average::Exact(exact));
    }
    let place: HashMap<u32, u32> = members.iter().enumerate().map(|(index, &state)| (state, index as u32)).collect();
    let mut rows = Rows { row_start: vec![0], entry_start: vec![0], entries: Vec::new(), rewards: Vec::new() };
    for &state in members {
        for choice in inner(state) {
            let entries = model.entries(choice);
            rows.entries.extend(entries.map(|(target, weight)| (place[&(target as u32)], model.around(weight))));
            rows.entry_start.push(rows.entries.len() as u32);
            let state = model.around(rewards.of_state(state as usize));
            rows.rewards.push(state.plus(model.around(rewards.of_choice(choice))));
        }
        rows.row_start.push(rows.rewards.len() as u32);
    }
    rows.iterate(extreme == Extreme::Max, effort, work).map(Average::Between)
}

/// The best reward of a step, if there is a part of the end component in which every step can have it. In particular if all steps
/// have the same.
fn best_for_ever(
    model: &Model,
    ends: &EndComponents,
    members: &[u32],
    extreme: Extreme,
    rewards: &Rewards,
) -> Option<RBig> {
    // Equal numbers have equal ids, so few sums are computed.
    let mut sums: HashMap<(NumberId, NumberId), RBig> = HashMap::new();
    let ids = |state: usize, choice: usize| (rewards.of_state(state), rewards.of_choice(choice));
    for &state in members {
        for choice in model.choices_of(state as usize).filter(|&choice| ends.is_inner(choice)) {
            let (a, b) = ids(state as usize, choice);
            sums.entry((a, b)).or_insert_with(|| model.exact(a) + model.exact(b));
        }
    }
    let best = match extreme {
        Extreme::Max => sums.values().max()?,
        Extreme::Min => sums.values().min()?,
    };
    let states = StateSet::from_states(model.states(), members.iter().map(|&state| state as usize));
    let is_best = |state: usize, choice: usize| ends.is_inner(choice) && sums[&ids(state, choice)] == *best;
    let chosen: Vec<usize> = members
        .iter()
        .flat_map(|&state| model.choices_of(state as usize).map(move |choice| (state as usize, choice)))
        .filter(|&(state, choice)| is_best(state, choice))
        .map(|(_, choice)| choice)
        .collect();
    let allowed = StateSet::from_states(model.choices(), chosen);
    (end_components_among(model, &states, |choice| allowed.contains(choice)).count() > 0).then(|| best.clone())
}

struct Rows {
    row_start: Vec<u32>,
    entry_start: Vec<u32>,
    entries: Vec<(u32, Interval)>,
    rewards: Vec<Interval>,
}

impl Rows {
    fn iterate(&self, maximise: bool, effort: &Effort, work: &mut Work) -> Result<Interval, Failure> {
        let n = self.row_start.len() - 1;
        let mut x = vec![0.0f64; n];
        let mut differences = vec![0.0f64; n];
        let mut best = Interval { lower: 0.0, upper: f64::INFINITY };
        let every = (1_000_000 / (self.entries.len() as u64 + 1)).max(1);
        // Sweeps since the bounds became better: rounding ends that sooner or later.
        let (mut idle, mut sweeps) = (0u64, 0u64);
        loop {
            let (least, most) = self.sweep(maximise, &x, &mut differences);
            sweeps += 1;
            let now = best.meet(Interval { lower: down(least.max(0.0)), upper: up(most) });
            idle = if now == best { idle + 1 } else { 0 };
            best = now;
            if best.is_within(effort.relative, effort.absolute) || idle > 1000 + n as u64 {
                work.sweeps += sweeps;
                return Ok(best);
            }
            if sweeps % every == 0 {
                effort.check()?;
            }
            // Any shift of x is as good; this one keeps its numbers small.
            let shift = x[0] + STEP * differences[0];
            x.iter_mut().zip(&differences).for_each(|(x, difference)| *x += STEP * difference - shift);
        }
    }

    /// One step: differences Tx − x into `differences`, and certain bounds of the least and the greatest.
    fn sweep(&self, maximise: bool, x: &[f64], differences: &mut [f64]) -> (f64, f64) {
        let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
        let choose = |a: f64, b: f64| if maximise { a.max(b) } else { a.min(b) };
        let worst = if maximise { f64::NEG_INFINITY } else { f64::INFINITY };
        for (variable, difference) in differences.iter_mut().enumerate() {
            let own = x[variable];
            let (mut low, mut high, mut middle) = (worst, worst, worst);
            for row in self.row_start[variable] as usize..self.row_start[variable + 1] as usize {
                let range = self.entry_start[row] as usize..self.entry_start[row + 1] as usize;
                // Differences to the own value: they are smaller, and the weights add up to 1.
                let (mut sum_low, mut sum_high, mut size) = (0.0f64, 0.0f64, 0.0f64);
                for (target, weight) in &self.entries[range.clone()] {
                    let far = x[*target as usize] - own;
                    let (a, b) = (weight.lower * far, weight.upper * far);
                    sum_low += a.min(b);
                    sum_high += a.max(b);
                    size += b.abs();
                }
                let reward = self.rewards[row];
                // Every term has two roundings, every addition one; underflow is far below the constant.
                let error = (range.len() as f64 + 8.0) * f64::EPSILON * (size + reward.upper) + 1e-300;
                low = choose(low, reward.lower + sum_low - error);
                high = choose(high, reward.upper + sum_high + error);
                middle = choose(middle, reward.middle() + 0.5 * (sum_low + sum_high));
            }
            *difference = middle;
            least = least.min(low);
            most = most.max(high);
        }
        (least, most)
    }
}
