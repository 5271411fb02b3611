//! One expansion, as all see it who follow every step of a state: what a signal has cut is dropped as a whole.

use std::ops::ControlFlow;

use bughound_kernel::{Expansion, Explorer, State, Step, StopReason};

use crate::engines::ending::Halt;

pub(super) trait Follower {
    /// Was the search told to end?
    fn stopped(&self) -> Option<StopReason>;

    fn follow(&mut self, step: &Step<'_>) -> ControlFlow<Halt>;
}

/// Has every step of a state followed, until one of them ends the search.
pub(super) fn expand(
    explorer: &mut dyn Explorer,
    from: State<'_>,
    follower: &mut impl Follower,
) -> ControlFlow<Halt, Expansion> {
    let mut flow = ControlFlow::Continue(());
    let expansion = explorer.successors(from, &mut |step| {
        flow = match follower.stopped() {
            Some(reason) => ControlFlow::Break(Halt::Limit(reason)),
            None => follower.follow(step),
        };
        if flow.is_break() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    flow?;
    match follower.stopped() {
        Some(reason) => ControlFlow::Break(Halt::Limit(reason)),
        None => ControlFlow::Continue(expansion),
    }
}
