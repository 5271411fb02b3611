//! The best long-run average of an end component, between bounds.
//!
//! Value iteration with the bounds of Odoni (1969), see Puterman, *Markov Decision Processes* (1994), §8.5: for any vector x,
//! the average lies between the least and the greatest of (Tx − x)(s), where T is one step of the end component. So the
//! iteration itself may round as it likes, and only the last Tx − x has to be bounded. Each step is damped, which removes
//! periods. Where rewards can be avoided for ever the least average is 0, which no iteration would find.

use crate::answer::{Extreme, Work};
use crate::effort::{Effort, Failure};
use crate::graph::{EndComponents, end_components_among};
use crate::model::{Model, Pool, Rewards};
use crate::numbers::{Interval, down, up};
use crate::states::StateSet;

/// Damping of a step: the rest of the probability stays where it is.
const STEP: f64 = 0.85;

/// Average reward per step in an end component, for the best scheduler that stays in it.
pub(crate) fn gain(
    model: &Model,
    ends: &EndComponents,
    component: usize,
    extreme: Extreme,
    rewards: &Rewards,
    effort: &Effort,
    work: &mut Work,
) -> Result<Interval, Failure> {
    let members = ends.members(component);
    let inner = |state: u32| model.choices_of(state as usize).filter(|&choice| ends.is_inner(choice));
    let is_free = |state: u32, choice: usize| {
        rewards.of_state(state as usize) == Pool::ZERO && rewards.of_choice(choice) == Pool::ZERO
    };
    let all_free = members.iter().all(|&state| inner(state).all(|choice| is_free(state, choice)));
    if all_free || (extreme == Extreme::Min && can_be_avoided(model, ends, members, rewards)) {
        return Ok(Interval::ZERO);
    }
    if let &[state] = members {
        // Nothing but self-loops.
        let of = |choice: usize| {
            model.around(rewards.of_state(state as usize)).plus(model.around(rewards.of_choice(choice)))
        };
        let values = inner(state).map(of);
        let best = match extreme {
            Extreme::Max => values.reduce(|a, b| Interval { lower: a.lower.max(b.lower), upper: a.upper.max(b.upper) }),
            Extreme::Min => values.reduce(|a, b| Interval { lower: a.lower.min(b.lower), upper: a.upper.min(b.upper) }),
        };
        return Ok(best.unwrap_or(Interval::ZERO));
    }
    let place: std::collections::HashMap<u32, u32> =
        members.iter().enumerate().map(|(index, &state)| (state, index as u32)).collect();
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
    rows.iterate(extreme == Extreme::Max, effort, work)
}

/// Is there a part of the end component in which one can stay for free?
fn can_be_avoided(model: &Model, ends: &EndComponents, members: &[u32], rewards: &Rewards) -> bool {
    let free = members.iter().map(|&state| state as usize).filter(|&state| rewards.of_state(state) == Pool::ZERO);
    let states = StateSet::from_states(model.states(), free);
    let allowed = |choice: usize| ends.is_inner(choice) && rewards.of_choice(choice) == Pool::ZERO;
    end_components_among(model, &states, allowed).count() > 0
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
