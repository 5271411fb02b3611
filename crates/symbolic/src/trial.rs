//! A last look at a proof: states drawn from all that were reached are asked once more, one at a time.
//!
//! A set is only as complete as what the system says of its steps is true. So where nothing more was found, some states are drawn at
//! random, and whatever the explorer says of them must agree with the sets: each step leads to a state that was reached, each failure
//! and each deadlock is known. It proves nothing; it is to find what has slipped through everything else.

use std::ops::ControlFlow;

use bughound_kernel::{FailureKind, Outcome, State};

use crate::diagrams::{Computed, Set, Stop};
use crate::pulse::Pulse;
use crate::space::Space;

/// So many states are drawn.
const TRIALS: usize = 256;

/// What is known of all states.
struct Known {
    /// Those that were reached, and those that were left out because no error can be reached from them.
    all: Set,
    deadlocks: Set,
    failing: [(FailureKind, Set); 2],
}

/// Looks at some of the states reached, which are said to be all there are besides those without hope. Their steps were learned.
pub(crate) fn try_out(space: &mut Space<'_>, reached: &Set, hopeless: &Set, pulse: &mut Pulse<'_, '_>) -> Computed<()> {
    let all_failing = |space: &Space<'_>, kind| -> Computed<(FailureKind, Set)> {
        let found = space.failing(reached, kind)?;
        let all = found.iter().try_fold(space.diagrams.empty(), |all, (_, set)| space.diagrams.or(&all, set))?;
        Ok((kind, all))
    };
    let failing = [all_failing(space, FailureKind::Assertion)?, all_failing(space, FailureKind::Evaluation)?];
    let all = space.diagrams.or(reached, hopeless)?;
    let known = Known { all, deadlocks: space.deadlocks(reached)?, failing };
    for _ in 0..TRIALS {
        pulse.beat(&space.diagrams)?;
        let Some(key) = space.draw(reached) else { return Ok(()) };
        if let Some(wrong) = look(space, &known, &key, pulse)? {
            return Err(Stop::Broken(wrong));
        }
    }
    Ok(())
}

fn look(space: &mut Space<'_>, known: &Known, key: &[i32], pulse: &Pulse<'_, '_>) -> Computed<Option<String>> {
    let (mut wrong, mut fails) = (None, [false; 2]);
    let mut found = Vec::new();
    let expansion = space.explorer.successors(State::discrete(key), &mut |step| {
        match step.outcome {
            Outcome::State(to) => found.push(to.key.to_vec()),
            Outcome::Failure(failure) => fails[usize::from(failure.kind == FailureKind::Evaluation)] = true,
        }
        ControlFlow::Continue(())
    });
    pulse.heed()?;
    if expansion.cut {
        return Ok(None);
    }
    for to in found {
        if !space.contains(&known.all, &to)? {
            wrong = Some(format!("a step from {key:?} leads to {to:?}, which was not reached"));
        }
    }
    if expansion.deadlock != space.contains(&known.deadlocks, key)? {
        wrong = Some(format!("whether {key:?} is a deadlock"));
    }
    for ((kind, set), fails) in known.failing.iter().zip(fails) {
        if fails != space.contains(set, key)? {
            wrong = Some(format!("{kind:?} fails in {key:?}: {fails}"));
        }
    }
    Ok(wrong)
}
