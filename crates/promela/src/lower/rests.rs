//! Where control comes to rest: joins, jumps and `unless` are only passed through.

use std::collections::BTreeSet;

use super::elements::{ElemId, Flow, Op};
use super::ways::{Circle, Onward, Ways};

/// Finds the elements at which control comes to rest.
pub struct Rests {
    /// For control that is given up on the way, and for control that is kept.
    ways: [Ways<ElemId>; 2],
    /// Circles that were run into.
    pub circles: BTreeSet<Circle>,
}

impl Rests {
    pub fn new(flow: &Flow) -> Self {
        Rests { ways: [(); 2].map(|()| Ways::new(flow.elements.len())), circles: BTreeSet::new() }
    }

    /// To be called when the flow has changed.
    pub fn forget(&mut self) {
        self.ways.iter_mut().for_each(Ways::forget);
    }

    /// From `from` on. `atomic`: control is kept, so do not pass an element out of the atomic sequence.
    pub fn element(&mut self, flow: &Flow, from: ElemId, atomic: bool) -> ElemId {
        let found = rest(&mut self.ways[atomic as usize], flow, from, atomic);
        found.unwrap_or_else(|circle| {
            self.circles.insert(circle);
            from
        })
    }

    /// The same, but stops at the element with the number `stop` in any case.
    pub fn element_or(&mut self, flow: &Flow, from: ElemId, atomic: bool, stop: u32) -> ElemId {
        let found = self.element(flow, from, atomic);
        let is_passed = matches!(
            flow.elements.get((stop as usize).wrapping_sub(1)).map(|e| &e.op),
            Some(Op::Goto(_) | Op::Join | Op::BreakJoin | Op::Unless)
        );
        // What is not passed anyhow can only be met at the end.
        if is_passed && self.circles.is_empty() { up_to(flow, from, atomic, stop) } else { found }
    }
}

/// The element after one that only passes control on.
fn behind(flow: &Flow, at: ElemId, inside_unless: impl FnOnce(ElemId) -> Option<ElemId>) -> Option<ElemId> {
    let element = flow.elem(at);
    match &element.op {
        Op::Goto(jump) => flow.jump_target(jump),
        Op::Join | Op::BreakJoin => element.next,
        Op::Unless => inside_unless(flow.first(element.sub[0])),
        _ => None,
    }
}

/// Passing from one element to the other would give up control.
fn leaves(flow: &Flow, at: ElemId, next: ElemId, atomic: bool) -> bool {
    atomic && next != at && !flow.elem(next).atomic
}

fn rest(ways: &mut Ways<ElemId>, flow: &Flow, from: ElemId, atomic: bool) -> Result<ElemId, Circle> {
    ways.follow(from, &|ways, at| {
        let mut inner = Ok(at);
        let next = behind(flow, at, |first| {
            inner = rest(ways, flow, first, atomic);
            inner.ok()
        });
        match (inner, next) {
            (Err(circle), _) => Onward::Circles(circle),
            (Ok(_), Some(next)) if !leaves(flow, at, next, atomic) => Onward::To(next),
            (Ok(_), _) => Onward::Ends(at),
        }
    })
}

/// Like [`rest`], for a way that is known to end, with a place to stop at before.
fn up_to(flow: &Flow, from: ElemId, atomic: bool, stop: u32) -> ElemId {
    let mut at = from;
    while flow.elem(at).number != stop {
        match behind(flow, at, |first| Some(up_to(flow, first, atomic, stop))) {
            Some(next) if !leaves(flow, at, next, atomic) => at = next,
            _ => break,
        }
    }
    at
}

/// The first statement of a sequence: joins are passed, an `unless` is entered.
pub fn start_of(flow: &Flow, from: ElemId) -> ElemId {
    let mut at = from;
    for _ in &flow.elements {
        let element = flow.elem(at);
        at = match (&element.op, element.next) {
            (Op::Join, Some(next)) => next,
            (Op::Unless, _) => flow.first(element.sub[0]),
            _ => break,
        };
    }
    at
}

/// Options of a choice that are not a constant `false`.
pub fn live_options(flow: &Flow, choice: ElemId) -> Vec<ElemId> {
    let options = flow.elem(choice).sub.iter().map(|s| start_of(flow, flow.first(*s)));
    options
        .filter(|g| {
            let guard = flow.elem(*g);
            !(matches!(guard.op, Op::Condition { literal: Some(0), .. }) && guard.escapes.is_empty())
        })
        .collect()
}
