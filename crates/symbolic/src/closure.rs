//! All reachable states, in whatever order is fast: for proofs and counts.
//!
//! **Chaining**: the states that a group of steps leads to take the steps of the next group in the same round (Roig, Cortadella,
//! Pastor 1995). **Saturation**, as far as it can be done from outside of the diagrams: groups are sorted by the highest variable
//! that they look at; those that look at low ones only are exhausted before higher ones are tried, and again after each success
//! (Ciardo, Lüttgen, Siminiceanu 2001; "sat-like" in LTSmin).
//!
//! Claims: the same set as by layers. Fails: it knows no costs, so a shortest error asks for the layers, too.

use std::time::{Duration, Instant};

use bughound_search::Goals;

use crate::diagrams::{Computed, Set};
use crate::pulse::Pulse;
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
    let levels = levels(space, order);
    let mut at = 0;
    while let Some(level) = levels.get(at) {
        let before = reached.clone();
        for group in level {
            grow(space, *group, reached, &mut effort, pulse)?;
        }
        let grew = *reached != before;
        pulse.now.expanded = space.learned;
        if grew {
            pulse.count(|| space.count(reached))?;
        }
        let all_tried = at + 1 == levels.len();
        if grew && all_tried {
            let new = space.diagrams.without(reached, &before)?;
            space.learn(&new, reached, pulse)?;
            if has_errors(space, &new, goals, pulse)? {
                return Ok(effort);
            }
        }
        at = if grew { 0 } else { at + 1 };
    }
    Ok(effort)
}

/// Which groups take turns.
fn levels(space: &Space<'_>, order: Order) -> Vec<Vec<usize>> {
    let mut groups: Vec<usize> = (0..space.groups.len()).collect();
    let top = |group: &usize| space.groups[*group].top();
    groups.sort_by_key(|group| std::cmp::Reverse(top(group)));
    match order {
        Order::Chaining => vec![groups],
        Order::Saturation => groups.chunk_by(|a, b| top(a) == top(b)).map(<[usize]>::to_vec).collect(),
    }
}

fn grow(
    space: &mut Space<'_>,
    group: usize,
    reached: &mut Set,
    effort: &mut Effort,
    pulse: &mut Pulse<'_, '_>,
) -> Computed<()> {
    space.learn_group(group, reached, reached, pulse)?;
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
