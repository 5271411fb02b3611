//! Synchronisation over signals: hand-shakes and broadcasts.
//!
//! The guards of everybody are evaluated before anything changes; then the emitter acts, then those who accept, in
//! ascending order of their numbers. Everybody who can hear a broadcast must.

use bughound_kernel::Move;

use crate::reference::evaluate::View;
use crate::reference::perform::Performer;
use crate::reference::plan::Role;
use crate::reference::state::RefState;
use crate::reference::steps::Candidate;
use crate::reference::{MicroStep, Reference};
use crate::types::SignalKind;

impl<'n> Reference<'n> {
    /// The micro steps that an edge starts which emits a signal.
    pub(crate) fn synchronise(
        &self,
        state: &RefState,
        emitter: &Candidate<'_>,
        signal: i32,
        timeout: bool,
    ) -> Vec<MicroStep> {
        let Ok(plan) = &emitter.plan else { return Vec::new() };
        let view = View::new(self.network, state, None, timeout);
        let others = |pid: &usize| *pid != emitter.process;
        let mut accepting: Vec<Vec<Candidate<'_>>> = Vec::new();
        for pid in (0..state.processes.len()).filter(others) {
            let mut candidates = Vec::new();
            self.try_edges(&view, pid, Role::Accepts(signal), &mut |candidate| {
                candidates.push(candidate);
                true
            });
            if !candidates.is_empty() {
                accepting.push(candidates);
            }
        }
        let mut steps = Vec::new();
        for destination in 0..self.network.edge(emitter.edge).destinations.len() {
            let mut performer = Performer::new(self.network, state.clone(), timeout);
            let first = emitter.to_move(destination, false);
            let moved = performer.make_move(emitter.process, emitter.edge, destination, plan);
            match self.network.signals[signal as usize].kind {
                SignalKind::Binary => {
                    if moved.is_err() && !accepting.is_empty() {
                        steps.push(self.finish(vec![first], performer, moved));
                    } else {
                        for candidate in accepting.iter().rev().flatten() {
                            steps.extend(self.join(&[first], &performer, candidate));
                        }
                    }
                }
                SignalKind::Broadcast => match moved {
                    Err(_) => steps.push(self.finish(vec![first], performer, moved)),
                    Ok(()) => self.all_accept(&[first], &performer, &accepting, &mut steps),
                },
            }
        }
        steps
    }

    /// Those that can be part of the step that is looked for. Of a step that is not, one way is enough.
    fn worth_trying<'c, 'a>(&self, moves: &[Move], candidates: &'c [Candidate<'a>]) -> Vec<&'c Candidate<'a>> {
        let Some(wanted) = self.wanted else { return candidates.iter().collect() };
        if !wanted.starts_with(moves) {
            return candidates.iter().take(1).collect();
        }
        let is_next = |candidate: &&Candidate<'_>| {
            let next = wanted.get(moves.len());
            next.is_some_and(|m| (m.process as usize, m.edge) == (candidate.process, candidate.edge.0))
        };
        candidates.iter().filter(is_next).collect()
    }

    /// Every way in which the remaining processes accept, one edge each.
    fn all_accept(
        &self,
        moves: &[Move],
        so_far: &Performer<'n>,
        remaining: &[Vec<Candidate<'_>>],
        steps: &mut Vec<MicroStep>,
    ) {
        let Some((candidates, others)) = remaining.split_first() else {
            steps.push(self.finish(moves.to_vec(), so_far.clone(), Ok(())));
            return;
        };
        for candidate in self.worth_trying(moves, candidates) {
            for (moves, performer, moved) in self.joined(moves, so_far, candidate) {
                match moved {
                    Err(_) => steps.push(self.finish(moves, performer, moved)),
                    Ok(()) => self.all_accept(&moves, &performer, others, steps),
                }
            }
        }
    }
}
