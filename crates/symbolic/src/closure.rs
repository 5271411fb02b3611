//! All reachable states, in whatever order is fast: for proofs and counts.
//!
//! **Chaining**: the groups of steps take turns, and the states that one leads to take the steps of the next in the same round (Roig, Cortadella,
//! Pastor 1995). **Saturation**: what lies below a node of a diagram is closed under the steps that look at its variables only,
//! before steps that look at higher ones are taken (Ciardo, Lüttgen, Siminiceanu 2001; for any relations van Dijk, Meijer, van de Pol
//! 2019, "Multi-core on-the-fly saturation"), in `saturation.rs`. Steps are learned between two rounds.
//!
//! **Hints** of the user come first, one after the other: as long as one has its turn, steps are taken only from states in which it is
//! true. The last turn knows no hint, so nothing is missing; but what was reached by then grew in an order that keeps diagrams
//! small, if the hint was a good one (Ravi, Somenzi 1999, "Hints to accelerate symbolic traversal").
//!
//! Claims: the same set as by layers. Fails: it knows no costs, so a shortest error asks for the layers, too.

use std::time::{Duration, Instant};

use bughound_kernel::{AtomId, FailureKind};
use bughound_search::Goals;

use crate::diagrams::{Computed, Set};
use crate::group::Relation;
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
    for hint in goals.hints.iter().copied().map(Some).chain([None]) {
        let mut closing = Closing { order, hint, effort };
        let has_ended = closing.close(space, reached, goals, pulse)?;
        effort = closing.effort;
        if has_ended {
            break;
        }
    }
    Ok(effort)
}

/// A set of states is being closed under all steps, or under those from states in which a hint is true.
struct Closing {
    order: Order,
    hint: Option<AtomId>,
    effort: Effort,
}

impl Closing {
    /// Is there an error among the states?
    fn close(
        &mut self,
        space: &mut Space<'_>,
        reached: &mut Set,
        goals: &Goals,
        pulse: &mut Pulse<'_, '_>,
    ) -> Computed<bool> {
        // All steps of these are known, as far as they are allowed.
        let mut done = space.diagrams.empty();
        loop {
            let start = reached.clone();
            self.chain(space, reached, &done, pulse)?;
            let new = space.diagrams.without(&start, &done)?;
            let moving = self.moving(space, &new, pulse)?;
            if has_errors(space, &new, &moving, goals, pulse)? {
                return Ok(true);
            }
            if self.order == Order::Saturation {
                let started = Instant::now();
                let allowed = self.allowed(space)?;
                let all = space.groups.iter().flat_map(|group| &group.relations);
                let mut saturation = match &allowed {
                    Some(allowed) => Saturation::new(&space.diagrams, allowed.iter()),
                    None => Saturation::new(&space.diagrams, all),
                };
                *reached = saturation.close(reached, pulse)?;
                self.effort.images += saturation.images;
                self.effort.time += started.elapsed();
            }
            pulse.now.expanded = space.learned;
            pulse.count(|| space.count(reached))?;
            if *reached == start {
                return Ok(false);
            }
            done = start;
        }
    }

    /// Those of these states that may take steps.
    fn moving(&self, space: &mut Space<'_>, states: &Set, pulse: &mut Pulse<'_, '_>) -> Computed<Set> {
        match self.hint {
            None => Ok(states.clone()),
            Some(hint) => space.with_truth(states, hint, true, pulse),
        }
    }

    /// The steps that the hint allows, as far as it is known of the states; nothing if there is no hint.
    fn allowed(&self, space: &Space<'_>) -> Computed<Option<Vec<Relation>>> {
        let Some((holds, look)) = self.hint.and_then(|hint| space.known_true(hint)) else { return Ok(None) };
        let all = space.groups.iter().flat_map(|group| &group.relations);
        all.map(|relation| relation.restricted_to(&space.diagrams, holds, look)).collect::<Computed<_>>().map(Some)
    }

    /// Learns the steps of all groups in turn; those that are new, or all, are taken at once, so that the next groups see more. A group
    /// has its turn again as long as it leads to something that it has not seen: a counter is learned from its least value to its greatest.
    fn chain(
        &mut self,
        space: &mut Space<'_>,
        reached: &mut Set,
        done: &Set,
        pulse: &mut Pulse<'_, '_>,
    ) -> Computed<()> {
        let mut new = space.diagrams.without(reached, done)?;
        for group in 0..space.groups.len() {
            let mut is_first = true;
            loop {
                let moving = self.moving(space, &new, pulse)?;
                let learned = space.learned;
                space.learn_group(group, &moving, reached, pulse)?;
                let is_asked = self.order == Order::Chaining && is_first;
                if learned == space.learned && !is_asked {
                    break;
                }
                is_first = false;
                let before = reached.clone();
                self.take(space, group, reached, pulse)?;
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
        &mut self,
        space: &mut Space<'_>,
        group: usize,
        reached: &mut Set,
        pulse: &mut Pulse<'_, '_>,
    ) -> Computed<()> {
        let started = Instant::now();
        for relation in 0..space.groups[group].relations.len() {
            pulse.beat(&space.diagrams)?;
            let moving = self.moving(space, reached, pulse)?;
            let image = space.groups[group].relations[relation].image(&space.diagrams, &moving)?;
            *reached = space.diagrams.or(reached, &image)?;
            self.effort.images += 1;
        }
        self.effort.time += started.elapsed();
        Ok(())
    }
}

/// Is there an error that counts among these states? `moving`: those of them whose steps were learned.
pub(crate) fn has_errors(
    space: &mut Space<'_>,
    states: &Set,
    moving: &Set,
    goals: &Goals,
    pulse: &mut Pulse<'_, '_>,
) -> Computed<bool> {
    for goal in &goals.invariants {
        let violated = space.with_truth(states, goal.atom, !goal.expected, pulse)?;
        if !space.diagrams.is_empty(&violated) {
            return Ok(true);
        }
    }
    if goals.deadlock.is_some() && !space.diagrams.is_empty(&space.deadlocks(moving)?) {
        return Ok(true);
    }
    for kind in [FailureKind::Assertion, FailureKind::Evaluation] {
        if goals.failure(kind).is_some() && !space.failing(moving, kind)?.is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}
