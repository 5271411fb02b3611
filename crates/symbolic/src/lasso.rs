//! Paths and lassos: single runs taken out of sets of states.
//!
//! A path is found by going forward ring by ring until the goal is met, and back again state by state. A lasso is one into the states
//! from which there are accepting cycles, and on from there: to a step that meets the first condition that is not met yet, and so on
//! until all are met, and back to where it began. If there is no way back, the state where it has come to begins anew: it lies in a
//! component further down, and these come to an end.
//!
//! Paper: Clarke, Grumberg, McMillan, Zhao 1995, "Efficient generation of counterexamples and witnesses in symbolic model checking".
//!
//! Every step is taken by the explorer of the product itself: that it is there, and the marks that it carries, is not said by sets.
//!
//! Claims: none about lengths.

use std::ops::ControlFlow;

use bughound_kernel::{Explorer, Marks, Move, Outcome, State};

use crate::diagrams::{Computed, Stop};
use crate::fair::{Condition, meeting};
use crate::product::{Node, Places, Product};
use crate::pulse::Pulse;

/// A step that was taken alone.
struct Taken {
    to: Node,
    moves: Vec<Move>,
    weight: u64,
    marks: Marks,
}

/// A run under way.
pub(crate) struct Run<'p, 't> {
    product: &'p mut Product<'t>,
    /// Of the product, with its marks.
    explorer: Box<dyn Explorer + 't>,
    pub moves: Vec<Vec<Move>>,
    pub length: u64,
    /// Where the loop begins, if it has one.
    pub loop_start: Option<usize>,
    pub start: Option<Node>,
}

impl<'p, 't> Run<'p, 't> {
    pub fn new(product: &'p mut Product<'t>, explorer: Box<dyn Explorer + 't>) -> Run<'p, 't> {
        Run { product, explorer, moves: Vec::new(), length: 0, loop_start: None, start: None }
    }

    /// From one of these states to one of those, where it ends; by steps within the reachable states.
    pub fn lead(&mut self, from: &Places, to: &Places, within: &Places, pulse: &mut Pulse<'_, '_>) -> Computed<Node> {
        let path = self.path(from, to, within, pulse)?.ok_or_else(lost)?;
        self.start.get_or_insert_with(|| path[0].clone());
        self.follow(&path)?;
        path.into_iter().next_back().ok_or_else(lost)
    }

    /// On from a state of the hull to an accepting cycle in it, and around.
    pub fn close(
        &mut self,
        from: Node,
        hull: &Places,
        conditions: &[Condition],
        pulse: &mut Pulse<'_, '_>,
    ) -> Computed<()> {
        let mut begin = from;
        loop {
            self.loop_start = Some(self.moves.len());
            let (mut at, mut marks) = (begin.clone(), Marks::NONE);
            for condition in conditions {
                if marks.include(condition.marks()) {
                    continue;
                }
                let goal = meeting(self.product, condition, hull, pulse)?;
                let here = self.product.single(&at)?;
                let path = self.path(&here, &goal, hull, pulse)?.ok_or_else(lost)?;
                marks |= self.follow(&path)?;
                let last = path.last().ok_or_else(lost)?;
                let step = self.step(last, condition.marks(), |product, to| product.contains(hull, to))?;
                marks |= step.marks;
                at = self.take(step);
            }
            let (here, home) = (self.product.single(&at)?, self.product.single(&begin)?);
            if let Some(path) = self.path(&here, &home, hull, pulse)? {
                self.follow(&path)?;
                return Ok(());
            }
            begin = at;
        }
    }

    /// A path with the fewest steps.
    fn path(
        &mut self,
        from: &Places,
        to: &Places,
        within: &Places,
        pulse: &mut Pulse<'_, '_>,
    ) -> Computed<Option<Vec<Node>>> {
        let mut rings = vec![from.clone()];
        let mut all = from.clone();
        let mut met = self.product.and(from, to)?;
        while self.product.is_empty(&met) {
            let Some(last) = rings.last().filter(|last| !self.product.is_empty(last)).cloned() else { return Ok(None) };
            let next = self.product.forward(&last, pulse)?;
            let next = self.product.without(&self.product.and(&next, within)?, &all)?;
            all = self.product.or(&all, &next)?;
            met = self.product.and(&next, to)?;
            rings.push(next);
        }
        let mut at = self.product.pick(&met).ok_or_else(lost)?;
        let mut path = vec![at.clone()];
        for ring in rings.iter().rev().skip(1) {
            let here = self.product.single(&at)?;
            let before = self.product.backward(&here, ring, |_| true, pulse)?;
            let before = self.product.or(&before, &self.product.backward_at_rest(&here, ring)?)?;
            at = self.product.pick(&before).ok_or_else(lost)?;
            path.push(at.clone());
        }
        path.reverse();
        Ok(Some(path))
    }

    /// Takes the steps between these states; the marks that they carry.
    fn follow(&mut self, path: &[Node]) -> Computed<Marks> {
        let mut marks = Marks::NONE;
        for pair in path.windows(2) {
            let step = self.step(&pair[0], Marks::NONE, |_, to| Ok(*to == pair[1]))?;
            marks |= step.marks;
            self.take(step);
        }
        Ok(marks)
    }

    fn take(&mut self, step: Taken) -> Node {
        self.length = self.length.saturating_add(step.weight);
        self.moves.push(step.moves);
        step.to
    }

    /// The cheapest step from a state that carries these marks and leads to where it is wanted to.
    fn step(
        &mut self,
        from: &Node,
        marks: Marks,
        wanted: impl Fn(&Product<'_>, &Node) -> Computed<bool>,
    ) -> Computed<Taken> {
        let mut found: Vec<Taken> = Vec::new();
        let first = self.product.claim().first_location();
        let key: Vec<i32> = [first + from.place as i32].into_iter().chain(from.key.iter().copied()).collect();
        self.explorer.successors(State::discrete(&key), &mut |step| {
            if let (Outcome::State(to), true) = (&step.outcome, step.marks.include(marks)) {
                let to = Node { place: (to.key[0] - first) as usize, key: to.key[1..].to_vec() };
                found.push(Taken { to, moves: step.moves.to_vec(), weight: step.weight, marks: step.marks });
            }
            ControlFlow::Continue(())
        });
        found.sort_by_key(|step| step.weight);
        for step in found {
            if wanted(self.product, &step.to)? {
                return Ok(step);
            }
        }
        Err(lost())
    }
}

/// The sets say that there is a step, and the system has none.
fn lost() -> Stop {
    Stop::Broken("a step of a run that was found is not there".into())
}
