//! The cheapest ways from abstract states to errors, kept up to date as abstract states are split.
//!
//! They form a tree. A split can only make paths cost more, and only those that led through the state: abstract states that can
//! go on as cheaply in another way do so, the others are searched again, from those that are not concerned.
//!
//! Paper: Seipp, von Allmen, Helmert, "Incremental search for counterexample-guided Cartesian abstraction refinement",
//! ICAPS 2020.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use bughound_finite::cost::{Cost, INFINITE, plus};

use super::sets::Products;
use super::steps::Steps;
use super::transitions::{Transition, Transitions};

/// How an abstract state gets to an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    Nowhere,
    /// It may be one, by the error with this number.
    Error(u32),
    Transition(Transition),
}

pub struct Distances {
    pub costs: Vec<Cost>,
    pub next: Vec<Next>,
    /// By abstract state: the cheapest error that it may be.
    errors: Vec<Option<u32>>,
    /// By abstract state: it has lost its way.
    lost: Vec<bool>,
    all_lost: Vec<u32>,
    open: BinaryHeap<Reverse<(Cost, u32)>>,
}

impl Distances {
    /// For one abstract state.
    pub fn new(products: &Products, errors: &Steps) -> Distances {
        let error = cheapest(products, errors, 0);
        let cost = error.map_or(INFINITE, |error| errors.cost(error));
        Distances {
            costs: vec![cost],
            next: vec![error.map_or(Next::Nowhere, Next::Error)],
            errors: vec![error],
            lost: vec![false],
            all_lost: Vec::new(),
            open: BinaryHeap::new(),
        }
    }

    /// `old` has been split; `new` is a new one. Transitions are up to date.
    pub fn split(
        &mut self,
        graph: &Transitions,
        steps: &Steps,
        errors: &Steps,
        products: &Products,
        old: u32,
        new: u32,
    ) {
        let error = self.errors[old as usize];
        self.errors.push(error);
        self.costs.push(self.costs[old as usize]);
        self.next.push(self.next[old as usize]);
        self.lost.push(false);
        for part in [old, new] {
            if error.is_some_and(|error| !errors.leads_in_mentioned(products, error, part, part)) {
                self.errors[part as usize] = cheapest(products, errors, part);
            }
            self.open.push(Reverse((self.costs[part as usize], part)));
        }
        // Ways that led to the old state may now lead to the new one only.
        for (step, from) in &graph.incoming[new as usize] {
            if self.next[*from as usize] == Next::Transition((*step, old)) {
                let both = (0..products.layout.sizes.len() as u32)
                    .all(|variable| steps.leads_in(products, variable, *step, *from, old));
                if !both {
                    self.next[*from as usize] = Next::Transition((*step, new));
                }
            }
        }
        self.lose(graph, steps, errors);
        self.find(graph, steps, errors);
    }

    /// Finds out who has lost the way, in the order of old distances.
    fn lose(&mut self, graph: &Transitions, steps: &Steps, errors: &Steps) {
        while let Some(Reverse((cost, state))) = self.open.pop() {
            if self.lost[state as usize] || cost == INFINITE {
                continue;
            }
            if let Some(next) = self.as_cheap(graph, steps, errors, state) {
                self.next[state as usize] = next;
                continue;
            }
            self.lost[state as usize] = true;
            self.all_lost.push(state);
            for (_, from) in &graph.incoming[state as usize] {
                if matches!(self.next[*from as usize], Next::Transition((_, to)) if to == state) {
                    self.open.push(Reverse((self.costs[*from as usize], *from)));
                }
            }
        }
    }

    /// A way that costs the same as before. Steps for nothing are left out: whether the state that they lead to has lost its
    /// way is not known yet, and they might lead in a circle.
    fn as_cheap(&self, graph: &Transitions, steps: &Steps, errors: &Steps, state: u32) -> Option<Next> {
        let cost = self.costs[state as usize];
        if let Some(error) = self.errors[state as usize].filter(|error| errors.cost(*error) == cost) {
            return Some(Next::Error(error));
        }
        let same = |(step, to): &&Transition| {
            let before = self.costs[*to as usize];
            !self.lost[*to as usize] && before < cost && plus(before, steps.cost(*step)) == cost
        };
        graph.outgoing[state as usize].iter().find(same).map(|transition| Next::Transition(*transition))
    }

    /// New ways for those who have lost theirs.
    fn find(&mut self, graph: &Transitions, steps: &Steps, errors: &Steps) {
        for state in &self.all_lost {
            let error = self.errors[*state as usize];
            let mut best = (error.map_or(INFINITE, |e| errors.cost(e)), error.map_or(Next::Nowhere, Next::Error));
            for (step, to) in &graph.outgoing[*state as usize] {
                if !self.lost[*to as usize] {
                    let cost = plus(self.costs[*to as usize], steps.cost(*step));
                    if cost < best.0 {
                        best = (cost, Next::Transition((*step, *to)));
                    }
                }
            }
            (self.costs[*state as usize], self.next[*state as usize]) = best;
            if best.0 != INFINITE {
                self.open.push(Reverse((best.0, *state)));
            }
        }
        while let Some(Reverse((cost, state))) = self.open.pop() {
            if cost > self.costs[state as usize] {
                continue;
            }
            for (step, from) in &graph.incoming[state as usize] {
                let through = plus(cost, steps.cost(*step));
                if self.lost[*from as usize] && through < self.costs[*from as usize] {
                    self.costs[*from as usize] = through;
                    self.next[*from as usize] = Next::Transition((*step, state));
                    self.open.push(Reverse((through, *from)));
                }
            }
        }
        for state in self.all_lost.drain(..) {
            self.lost[state as usize] = false;
        }
    }
}

/// The cheapest error that an abstract state may be.
fn cheapest(products: &Products, errors: &Steps, state: u32) -> Option<u32> {
    let possible = errors.numbers().filter(|error| errors.leads_in_mentioned(products, *error, state, state));
    possible.min_by_key(|error| errors.cost(*error))
}
