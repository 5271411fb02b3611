//! Priorities of steps: one of a lower rank is not taken at points from which one of a higher rank can be.
//!
//! What is taken away from a zone need not leave a zone: a step may have several outcomes that differ in their zones only.
//! As for deadlocks, it matters what is *not* possible. So only abstractions may be used that know for each point which
//! steps are: a guard that a lower bound makes true later is then as good as an upper bound on the step that it blocks.

use std::ops::ControlFlow;

use bughound_dbm::{Federation, Zone, ZoneBuf};
use bughound_kernel::{Explorer, Move, State};

use super::TimedSystem;
use super::deadlock::possible_from;
use crate::discrete::DiscreteExplorer;

/// Of a signal, then of a process.
type Rank = (u32, u32);

/// The steps of a state that can be in the way of others.
pub(super) struct Blocking(Vec<(Rank, ZoneBuf)>);

impl Blocking {
    /// The steps of a state; `None` if the model has no priorities.
    pub fn new(system: &TimedSystem, discrete: &mut DiscreteExplorer<'_>, key: &[i32]) -> Option<Blocking> {
        system.discrete.network().ranks.as_ref()?;
        let mut steps = Vec::new();
        let mut zone = ZoneBuf::universal(system.dimension);
        discrete.successors(State::discrete(key), &mut |step| {
            if possible_from(system, key, step, &mut zone.as_mut()) {
                steps.push((rank(system, key, step.moves), zone.clone()));
            }
            ControlFlow::Continue(())
        });
        Some(Blocking(steps))
    }

    /// The points of a zone from which nothing of a higher rank than these moves can be taken.
    pub fn left_of(&self, system: &TimedSystem, key: &[i32], moves: &[Move], zone: Zone<'_>) -> Federation {
        let own = rank(system, key, moves);
        let mut left = Federation::empty(system.dimension);
        left.add(zone);
        for (_, higher) in self.0.iter().filter(|(rank, _)| *rank > own) {
            left.subtract_with(higher.as_zone(), &mut |part| system.contain(key, part));
        }
        left
    }
}

fn rank(system: &TimedSystem, key: &[i32], moves: &[Move]) -> Rank {
    let Some(ranks) = &system.discrete.network().ranks else { return (0, 0) };
    let signal = system.clockwork.signal(system.machine(), key, moves);
    let processes = moves.iter().filter_map(|m| ranks.processes.get(m.process as usize));
    let signal = signal.and_then(|number| ranks.signals.get(number)).unwrap_or(&ranks.silent);
    (*signal, processes.max().copied().unwrap_or(0))
}
