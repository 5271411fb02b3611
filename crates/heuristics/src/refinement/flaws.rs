//! A cheapest abstract path is followed in the task, with all states that it can lead to: as operators treat every variable
//! by itself, those are a product, too. Where that becomes empty, the path ceases to be one of the task.

use super::distances::{Distances, Next};
use super::sets::{Products, insert, intersect, is_empty, len};
use super::steps::Steps;
use crate::finite::relation::Value;

/// An abstract state is to be split along a variable.
#[derive(Debug, PartialEq, Eq)]
pub struct Split {
    pub state: u32,
    pub variable: u32,
    /// The values with which the path could go on. Those that it arrives with are not among them.
    pub part: Vec<u64>,
}

/// Follows paths.
#[derive(Default)]
pub struct Follower {
    /// A product: where the path leads to in the task.
    reached: Vec<u64>,
    set: Vec<u64>,
}

impl Follower {
    /// Follows the cheapest path from these values on, which lie in the abstract state `at`. None: it is one of the task.
    ///
    /// If several variables are in the way of the path, the one is split whose set is the smallest part of its values:
    /// keeping to few variables gets further than a little bit of all.
    pub fn split(
        &mut self,
        products: &Products,
        distances: &Distances,
        steps: &Steps,
        errors: &Steps,
        values: &[Value],
        mut at: u32,
    ) -> Option<Split> {
        let layout = &products.layout;
        self.reached.clear();
        self.reached.resize(layout.words(), 0);
        for (variable, value) in layout.variables().zip(values) {
            insert(&mut self.reached[layout.set(variable)], *value);
        }
        loop {
            let (taken, step, to) = match distances.next[at as usize] {
                Next::Nowhere => return None,
                Next::Error(error) => (errors, error, at),
                Next::Transition((step, to)) => (steps, step, to),
            };
            let mut worst: Option<(u64, u64, u32)> = None;
            for variable in layout.variables() {
                let reached = &mut self.reached[layout.set(variable)];
                self.set.resize(reached.len(), 0);
                taken.image(step, variable, reached, &mut self.set);
                intersect(&mut self.set, products.set(to, variable));
                if is_empty(&self.set) {
                    let left = u64::from(len(products.set(at, variable)));
                    let size = u64::from(layout.sizes[variable as usize]);
                    if worst.is_none_or(|(least, of, _)| left * of < least * size) {
                        worst = Some((left, size, variable));
                    }
                } else {
                    reached.copy_from_slice(&self.set);
                }
            }
            if let Some((_, _, variable)) = worst {
                let mut part = vec![0; layout.set(variable).len()];
                taken.preimage(step, variable, products.set(to, variable), &mut part);
                intersect(&mut part, products.set(at, variable));
                return Some(Split { state: at, variable, part });
            }
            if let Next::Error(_) = distances.next[at as usize] {
                return None;
            }
            at = to;
        }
    }
}
