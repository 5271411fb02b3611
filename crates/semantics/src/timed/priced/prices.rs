//! What time and steps cost, compiled; and the hints of the model, which go along with states.

use bughound_dbm::priced::PriceError;
use bughound_ir::edge::Edge;
use bughound_ir::network::{Network, TemplateId};
use bughound_ir::pricing::Hint;
use bughound_kernel::{Move, Price, Step};

use super::CostError;
use crate::code::{self, Code};
use crate::timed::TimedSystem;

pub(super) struct Prices {
    /// By location.
    rates: Vec<Option<Code>>,
    remaining: Option<Hint>,
    heur: Option<Hint>,
    /// By edge and destination: does it say what remains to be paid?
    assigns_remaining: Vec<Vec<bool>>,
}

/// What the updates of a step pay.
pub(super) fn impulse(step: &Step<'_>) -> Result<i64, PriceError> {
    i64::try_from(step.price.paid).map_err(|_| PriceError::CostOutOfRange)
}

impl Prices {
    pub fn new(network: &Network) -> Prices {
        let pricing = network.pricing.as_ref();
        let assigns = |edge: &Edge| {
            let says = |action| pricing.is_some_and(|pricing| pricing.assigns_remaining(action));
            edge.destinations.iter().map(|destination| destination.actions.iter().any(says)).collect()
        };
        Prices {
            rates: network.locations.iter().map(|location| location.rate.as_ref().map(code::expr)).collect(),
            remaining: pricing.and_then(|pricing| pricing.remaining),
            heur: pricing.and_then(|pricing| pricing.heur),
            assigns_remaining: network.edges.iter().map(assigns).collect(),
        }
    }

    /// What a unit of time costs in a state.
    pub fn rate(&self, timed: &TimedSystem, key: &[i32]) -> Result<i64, CostError> {
        let machine = timed.machine();
        let mut sum: i64 = 0;
        for (pid, location) in timed.locations(key) {
            let Some(rate) = &self.rates[location.0 as usize] else { continue };
            let Ok(rate) = machine.eval(machine.context(key, pid, false), rate) else {
                let location = timed.discrete().network().locations[location.0 as usize].labels.concat();
                return Err(CostError::NoRate { location });
            };
            if rate < 0 {
                return Err(PriceError::NegativePrice.into());
            }
            sum = sum.checked_add(rate.into()).ok_or(PriceError::CostOutOfRange)?;
        }
        Ok(sum)
    }

    fn hints(&self) -> impl Iterator<Item = Hint> {
        self.remaining.into_iter().chain(self.heur)
    }

    /// How many hints there are. They are the first words of a cover: what remains to be paid comes before the order.
    pub fn hint_count(&self) -> usize {
        self.hints().count()
    }

    /// What remains to be paid and the order; 0 for those that the model does not have.
    pub fn named_hints(&self, hints: &[i32]) -> (i32, i32) {
        let mut hints = hints.iter().copied();
        let mut next = |hint: Option<Hint>| hint.and_then(|_| hints.next()).unwrap_or(0);
        (next(self.remaining), next(self.heur))
    }

    pub fn initial_hints(&self) -> Vec<i32> {
        self.hints().map(|hint| hint.initial).collect()
    }

    /// Puts hints where steps find them.
    pub fn show_hints(&self, hints: &[i32], key: &mut [i32]) {
        for (hint, value) in self.hints().zip(hints) {
            if let Some(slot) = key.get_mut(hint.slot as usize) {
                *slot = *value;
            }
        }
    }

    /// The hints behind a step that costs so much, from those before it.
    pub fn hints_behind(&self, before: &[i32], moves: &[Move], price: Price, cost: u64) -> Vec<i32> {
        let assigned = |m: &Move| self.assigns_remaining[m.edge as usize][m.destination as usize];
        let remaining = self.remaining.and(before.first()).map(|before| {
            if price.remaining != *before || moves.iter().any(assigned) {
                return price.remaining;
            }
            i32::try_from(i64::from(*before).saturating_sub_unsigned(cost)).unwrap_or(0).max(0)
        });
        remaining.into_iter().chain(self.heur.map(|_| price.heur)).collect()
    }
}

/// What a unit of time costs, if it is the same wherever time may pass.
pub(super) fn uniform_rate(network: &Network) -> Option<i64> {
    network.start.iter().map(|start| rate_of(network, start.template)).sum()
}

/// The rate of all locations of a process in which time may pass, if they have the same.
fn rate_of(network: &Network, template: TemplateId) -> Option<i64> {
    let locations = network.locations.iter().filter(|location| location.template == template);
    let lasting = locations.filter(|location| !location.flags.urgent && !location.flags.committed);
    let mut rates = lasting.map(|location| location.rate.as_ref().map_or(Some(0), |rate| rate.as_const()));
    let Some(first) = rates.next() else { return Some(0) };
    let first = first.filter(|rate| *rate >= 0)?;
    rates.all(|rate| rate == Some(first)).then_some(first.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hint(slot: u32) -> Option<Hint> {
        Some(Hint { slot, initial: 7 })
    }

    #[test]
    fn what_remains_falls_by_the_cost_of_a_step_unless_the_step_says_what_it_is() {
        let silent = Move { process: 0, edge: 0, destination: 0, joins: false };
        let says = Move { edge: 1, ..silent };
        let assigns_remaining = vec![vec![false], vec![true]];
        let prices = Prices { rates: vec![], remaining: hint(0), heur: hint(1), assigns_remaining };
        let behind = |moves: &[Move], remaining, cost| {
            prices.hints_behind(&[10, 3], moves, Price { paid: 0, remaining, heur: 5 }, cost)
        };
        assert_eq!(behind(&[silent], 10, 4), [6, 5]);
        assert_eq!(behind(&[silent], 10, 400), [0, 5]);
        assert_eq!(behind(&[silent], 10, u64::MAX), [0, 5]);
        assert_eq!(behind(&[silent], 9, 4), [9, 5], "a program has assigned it");
        assert_eq!(behind(&[silent, says], 10, 4), [10, 5]);
        let none = Prices { remaining: None, ..prices };
        assert_eq!(none.hints_behind(&[3], &[says], Price { paid: 0, remaining: 0, heur: 5 }, 4), [5]);
    }
}
