//! An abstraction, and the loop that refines it.

use super::distances::Distances;
use super::flaws::{Follower, Split};
use super::sets::{Layout, Products};
use super::steps::Steps;
use super::transitions::Transitions;
use super::tree::Tree;
use crate::cost::{Cost, INFINITE};
use crate::finite::ground::Operator;
use crate::finite::relation::Value;

/// Why refinement stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The cheapest abstract path is one of the task.
    Exact,
    /// There is no abstract path.
    Safe,
    /// The abstraction is as large as it may be.
    Limit,
}

/// How large an abstraction may become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    pub states: usize,
    pub transitions: usize,
}

/// What estimates need of an abstraction.
pub struct Refined {
    pub tree: Tree,
    /// By abstract state: its distance from an error.
    pub distances: Vec<Cost>,
    pub end: End,
}

struct Abstraction {
    steps: Steps,
    errors: Steps,
    products: Products,
    transitions: Transitions,
    distances: Distances,
    tree: Tree,
}

impl Abstraction {
    fn new(sizes: &[u32], operators: &[Operator], errors: &[Operator]) -> Abstraction {
        let products = Products::all(Layout::new(sizes));
        let errors = Steps::new(&products.layout, errors);
        Abstraction {
            steps: Steps::new(&products.layout, operators),
            distances: Distances::new(&products, &errors),
            errors,
            products,
            transitions: Transitions::new(),
            tree: Tree::new(),
        }
    }

    fn split(&mut self, split: &Split) {
        let Abstraction { steps, errors, products, transitions, distances, tree } = self;
        let (old, new) = (split.state, distances.costs.len() as u32);
        products.split(old, split.variable, &split.part);
        tree.split(old, split.variable, &split.part);
        transitions.split(steps, products, old, new, split.variable);
        distances.split(transitions, steps, errors, products, old, new);
    }

    /// The initial state that is nearest to an error, and its abstract state.
    fn nearest<'i>(&self, initial: &'i [Vec<Value>]) -> Option<(&'i [Value], u32)> {
        let all = initial.iter().filter_map(|values| {
            let state = self.tree.state(|variable| values.get(variable as usize).copied())?;
            Some((&values[..], state))
        });
        all.min_by_key(|(_, state)| self.distances.costs[*state as usize])
    }
}

/// Refines from one abstract state on.
pub fn refine(
    sizes: &[u32],
    operators: &[Operator],
    errors: &[Operator],
    initial: &[Vec<Value>],
    limits: Limits,
) -> Refined {
    let mut abstraction = Abstraction::new(sizes, operators, errors);
    let mut follower = Follower::default();
    let end = loop {
        let Abstraction { steps, errors, products, transitions, distances, .. } = &abstraction;
        let Some((values, state)) = abstraction.nearest(initial) else { break End::Safe };
        if distances.costs[state as usize] == INFINITE {
            break End::Safe;
        }
        if distances.costs.len() >= limits.states || transitions.count >= limits.transitions {
            break End::Limit;
        }
        match follower.split(products, distances, steps, errors, values, state) {
            Some(split) => abstraction.split(&split),
            None => break End::Exact,
        }
    };
    Refined { tree: abstraction.tree, distances: abstraction.distances.costs, end }
}
