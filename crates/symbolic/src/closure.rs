//! All reachable states, in whatever order is fast: for proofs and counts.
//!
//! **Chaining**: the groups of steps take turns, and the states that one leads to take the steps of the next in the same round (Roig, Cortadella,
//! Pastor 1995). **Saturation**: what lies below a node of a diagram is closed under the steps that look at its variables only,
//! before steps that look at higher ones are taken (Ciardo, Lüttgen, Siminiceanu 2001; for any relations van Dijk, Meijer, van de Pol
//! 2019, "Multi-core on-the-fly saturation"), in `saturation.rs`. Steps are learned between two rounds.
//!
//! Claims: the same set as by layers. Fails: it knows no costs, so a shortest error asks for the layers, too.

use std::time::{Duration, Instant};

use bughound_search::Goals;

use crate::diagrams::{Computed, Set};
use crate::pulse::Pulse;
use crate::saturation::Saturation;
use crate::space::Space;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    Chaining,
    Saturation,
}

#[derive(Default)]
pub(crate) struct Effort {
    pub images: u64,
    pub time: Duration,
}

/// Adds states to `reached` until there are no more, or an error is among them.
pub(crate) fn close(
    space: &mut Space<'_>,
    reached: &mut Set,
    order: Order,
    goals: &Goals,
    pulse: &mut Pulse<'_, '_>,
) -> Computed<Effort> {
    let mut effort = Effort::default();
    // All steps of these are known.
    let mut done = space.diagrams.empty();
    loop {
        let start = reached.clone();
        chain(space, reached, &done, order, &mut effort, pulse)?;
        let new = space.diagrams.without(&start, &done)?;
        if has_errors(space, &new, goals, pulse)? {
            return Ok(effort);
        }
        if order == Order::Saturation {
            let started = Instant::now();
            let mut saturation = Saturation::new(&space.diagrams, &space.groups);
            *reached = saturation.close(reached, pulse)?;
            effort.images += saturation.images;
            effort.time += started.elapsed();
        }
        pulse.now.expanded = space.learned;
        pulse.count(|| space.count(reached))?;
        if *reached == start {
            return Ok(effort);
        }
        done = start;
    }
}

/// Learns the steps of all groups in turn; those that are new, or all, are taken at once, so that the next groups see more. A group
/// has its turn again as long as it leads to something that it has not seen: a counter is learned from its least value to its greatest.
fn chain(
    space: &mut Space<'_>,
    reached: &mut Set,
    done: &Set,
    order: Order,
    effort: &mut Effort,
    pulse: &mut Pulse<'_, '_>,
) -> Computed<()> {
    let mut new = space.diagrams.without(reached, done)?;
    for group in 0..space.groups.len() {
        let mut is_first = true;
        loop {
            let learned = space.learned;
            space.learn_group(group, &new, reached, pulse)?;
            let is_asked = order == Order::Chaining && is_first;
            if learned == space.learned && !is_asked {
                break;
            }
            is_first = false;
            let before = reached.clone();
            take(space, group, reached, effort, pulse)?;
            if *reached == before {
                break;
            }
            new = space.diagrams.without(reached, done)?;
        }
    }
    Ok(())
}

/// Adds what the known steps of a group lead to.
fn take(
    space: &Space<'_>,
    group: usize,
    reached: &mut Set,
    effort: &mut Effort,
    pulse: &mut Pulse<'_, '_>,
) -> Computed<()> {
    let started = Instant::now();
    for relation in &space.groups[group].relations {
        pulse.beat(&space.diagrams)?;
        let image = relation.image(&space.diagrams, reached)?;
        *reached = space.diagrams.or(reached, &image)?;
        effort.images += 1;
    }
    effort.time += started.elapsed();
    Ok(())
}

/// Is there an error that counts among these states? All their steps were learned.
pub(crate) fn has_errors(
    space: &mut Space<'_>,
    states: &Set,
    goals: &Goals,
    pulse: &mut Pulse<'_, '_>,
) -> Computed<bool> {
    for goal in &goals.invariants {
        let violated = space.with_truth(states, goal.atom, !goal.expected, pulse)?;
        if !space.diagrams.is_empty(&violated) {
            return Ok(true);
        }
    }
    if goals.deadlock.is_some() && !space.diagrams.is_empty(&space.deadlocks(states)?) {
        return Ok(true);
    }
    for kind in [bughound_kernel::FailureKind::Assertion, bughound_kernel::FailureKind::Evaluation] {
        if goals.failure(kind).is_some() && !space.failing(states, kind)?.is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}
