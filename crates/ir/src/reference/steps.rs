//! The micro steps of a state: who may move, in which order, and with whom.

use bughound_kernel::Move;

use crate::edge::EdgeId;
use crate::network::Location;
use crate::reference::clocks::clock_bound;
use crate::reference::enabled::{has_highest_priority, provided};
use crate::reference::error::{EvalError, FailureInfo};
use crate::reference::evaluate::View;
use crate::reference::perform::{Performer, failure};
use crate::reference::plan::{Plan, Role, guards_hold, plan};
use crate::reference::state::RefState;
use crate::reference::{MicroStep, Reference};

/// An edge that a process can take in some role, or that fails when it is tried.
pub(crate) struct Candidate<'a> {
    pub process: usize,
    pub edge: EdgeId,
    pub plan: Result<Plan<'a>, FailureInfo>,
}

impl Candidate<'_> {
    pub fn to_move(&self, destination: usize, joins: bool) -> Move {
        Move { process: self.process as u16, edge: self.edge.0, destination: destination as u16, joins }
    }
}

impl<'n> Reference<'n> {
    /// Every micro step from a state, in order: processes from the youngest down, the edges of each in the order of
    /// their location. While a process has control only its own; if it cannot move, control is lost.
    pub fn micro_steps(&self, state: &RefState) -> Vec<MicroStep> {
        let steps = self.steps_in_control(state);
        if !steps.is_empty() {
            return steps;
        }
        let state = self.settled(state);
        let steps = self.allowed(&state, self.steps_of_all(&state, false));
        if steps.is_empty() && self.network.uses.timeout {
            return self.allowed(&state, self.steps_of_all(&state, true));
        }
        steps
    }

    /// The same state without anybody in control, and so with hidden variables forgotten.
    pub(crate) fn settled(&self, state: &RefState) -> RefState {
        let mut state = state.ordinary();
        for slot in self.network.hidden_slots() {
            state.globals[slot as usize] = 0;
        }
        state
    }

    /// The steps of the process that has control; none if nobody has, or if it cannot move.
    pub(crate) fn steps_in_control(&self, state: &RefState) -> Vec<MicroStep> {
        match state.control {
            Some(pid) => self.allowed(state, self.steps_of(state, pid, false)),
            None => Vec::new(),
        }
    }

    pub(crate) fn steps_of_all(&self, state: &RefState, timeout: bool) -> Vec<MicroStep> {
        (0..state.processes.len()).rev().flat_map(|pid| self.steps_of(state, pid, timeout)).collect()
    }

    /// The steps that locations allow. If some process is at a committed location, only steps with such a process are
    /// possible; and no step leads to a state in which a condition of a location does not hold.
    fn allowed(&self, state: &RefState, mut steps: Vec<MicroStep>) -> Vec<MicroStep> {
        let committed: Vec<bool> =
            state.processes.iter().map(|p| self.network.location(p.location).flags.committed).collect();
        if committed.contains(&true) {
            steps.retain(|step| step.moves.iter().any(|m| committed[m.process as usize]));
        }
        steps.retain_mut(|step| {
            let holds = step.result.as_ref().map_or(Ok(true), |after| self.conditions_hold(after));
            if let Err((pid, error)) = holds
                && let Some(last) = step.moves.last()
            {
                let message = format!("{error}: the invariant of {}", self.location_name(step, pid));
                step.result = Err(FailureInfo { failure: error.failure(last.edge), process: pid, message });
            }
            holds != Ok(false)
        });
        steps
    }

    /// Do the conditions of the locations of all processes hold? The first without a value is an error of that process.
    pub fn conditions_hold(&self, state: &RefState) -> Result<bool, (usize, EvalError)> {
        for (pid, process) in state.processes.iter().enumerate() {
            let view = View::new(self.network, state, Some(pid), false);
            let location = self.network.location(process.location);
            if !guards_hold(&view, &location.conditions).map_err(|error| (pid, error))? {
                return Ok(false);
            }
            for part in &location.invariant {
                clock_bound(&view, &part.bound).map_err(|error| (pid, error))?;
            }
            rate_of(&view, location).map_err(|error| (pid, error))?;
        }
        Ok(true)
    }

    /// What it costs per unit of time to be in a state: the sum over the locations of all processes.
    pub fn rate(&self, state: &RefState) -> Result<u64, EvalError> {
        (0..state.processes.len()).map(|pid| self.rate_of(state, pid)).sum()
    }

    /// What it costs per unit of time that this process is where it is.
    pub fn rate_of(&self, state: &RefState, pid: usize) -> Result<u64, EvalError> {
        let Some(process) = state.processes.get(pid) else { return Err(EvalError::NoSuchProcess) };
        rate_of(&View::new(self.network, state, Some(pid), false), self.network.location(process.location))
    }

    /// Where a process is after a step.
    fn location_name(&self, step: &MicroStep, pid: usize) -> String {
        let Some(process) = step.result.as_ref().ok().and_then(|after| after.processes.get(pid)) else {
            return String::new();
        };
        let name = &self.network.template(process.template).name;
        format!("{name}.{}", self.network.location(process.location).labels.join(", "))
    }

    /// The micro steps that this process starts.
    fn steps_of(&self, state: &RefState, pid: usize, timeout: bool) -> Vec<MicroStep> {
        let mut steps = Vec::new();
        let view = View::new(self.network, state, Some(pid), timeout);
        let deterministic = self.network.template(state.processes[pid].template).deterministic;
        self.try_edges(&view, pid, Role::Starts, &mut |candidate| {
            let mut found = self.complete(state, &candidate, timeout);
            let executable = !found.is_empty();
            if deterministic && !steps.is_empty() && self.network.edge(candidate.edge).does_something() {
                let second = failure(&view, pid, candidate.edge, EvalError::NotDeterministic);
                found.iter_mut().for_each(|step| step.soft_failures.push(second.clone()));
            }
            steps.extend(found);
            executable
        });
        steps
    }

    /// Tries the edges of a process in order and hands those that it can take in this role to `take`, which tells
    /// whether the edge was executable after all (a rendezvous may lack its partner). A failing attempt is a step, too:
    /// it counts as executable.
    pub(crate) fn try_edges<'a>(
        &self,
        view: &View<'a>,
        pid: usize,
        role: Role<'_>,
        take: &mut dyn FnMut(Candidate<'a>) -> bool,
    ) where
        'n: 'a,
    {
        let view = view.of(pid);
        let edges = &self.network.location(view.state.processes[pid].location).edges;
        match provided(&view, pid) {
            Ok(true) => {}
            Ok(false) => return,
            Err(error) => {
                // The clause guards every edge: its failure is told as that of the first.
                if let (Some(edge), Role::Starts) = (edges.first(), role) {
                    let plan = Err(failure(&view, pid, *edge, error));
                    take(Candidate { process: pid, edge: *edge, plan });
                }
                return;
            }
        }
        if !has_highest_priority(&view, pid, role) {
            return;
        }
        let mut earlier = false;
        let mut escape = 0;
        for id in edges {
            let edge = self.network.edge(*id);
            if escape > 0 && edge.escape != escape {
                break;
            }
            let plan = match plan(&view, edge, role, earlier) {
                Ok(None) => continue,
                Ok(Some(plan)) => Ok(plan),
                Err(error) => Err(failure(&view, pid, *id, error)),
            };
            if take(Candidate { process: pid, edge: *id, plan }) {
                earlier = true;
                escape = edge.escape;
            }
        }
    }

    /// The micro steps that a candidate starts; none if it lacks a partner.
    fn complete(&self, state: &RefState, candidate: &Candidate<'_>, timeout: bool) -> Vec<MicroStep> {
        let plan = match &candidate.plan {
            Ok(plan) => plan,
            Err(info) => {
                let performer = Performer::new(self.network, state.clone(), timeout);
                return vec![self.finish(vec![candidate.to_move(0, false)], performer, Err(info.clone()))];
            }
        };
        if let Some(signal) = plan.emits() {
            return self.synchronise(state, candidate, signal, timeout);
        }
        if let Some(action) = plan.joins() {
            return self.combine(state, candidate, action, timeout);
        }
        let mut steps = Vec::new();
        for destination in self.possible_destinations(state, candidate, timeout, &mut steps) {
            let mut performer = Performer::new(self.network, state.clone(), timeout);
            let moved = performer.make_move(candidate.process, candidate.edge, destination, plan);
            let first = candidate.to_move(destination, false);
            match (plan.offers(), moved) {
                (Some(offer), Ok(())) => {
                    let sent = performer.state.clone();
                    let view = View::new(self.network, &sent, None, timeout);
                    for pid in (0..sent.processes.len()).rev().filter(|pid| *pid != candidate.process) {
                        self.try_edges(&view, pid, Role::Hears(offer), &mut |receiver| {
                            steps.extend(self.join(&[first], &performer, &receiver));
                            true
                        });
                    }
                }
                (_, moved) => steps.push(self.finish(vec![first], performer, moved)),
            }
        }
        steps
    }

    /// The micro steps in which `joining` follows the moves made so far, one for each destination.
    pub(crate) fn join(&self, moves: &[Move], so_far: &Performer<'n>, joining: &Candidate<'_>) -> Vec<MicroStep> {
        let joined = self.joined(moves, so_far, joining).into_iter();
        joined.map(|(moves, performer, moved)| self.finish(moves, performer, moved)).collect()
    }

    /// What `joining` makes of the moves made so far, for each destination: others may still join.
    pub(crate) fn joined(
        &self,
        moves: &[Move],
        so_far: &Performer<'n>,
        joining: &Candidate<'_>,
    ) -> Vec<(Vec<Move>, Performer<'n>, Result<(), FailureInfo>)> {
        let add = |destination: usize| [moves, &[joining.to_move(destination, true)]].concat();
        match &joining.plan {
            Err(info) => vec![(add(0), so_far.clone(), Err(info.clone()))],
            Ok(plan) => (0..self.network.edge(joining.edge).destinations.len())
                .map(|destination| {
                    let mut performer = so_far.clone();
                    let moved = performer.make_move(joining.process, joining.edge, destination, plan);
                    (add(destination), performer, moved)
                })
                .collect(),
        }
    }

    pub(crate) fn finish(
        &self,
        moves: Vec<Move>,
        performer: Performer<'_>,
        moved: Result<(), FailureInfo>,
    ) -> MicroStep {
        let paid = self.network.pricing.filter(|_| moved.is_ok()).map(|pricing| pricing.impulse);
        MicroStep {
            paid: paid.map_or(0, |slot| performer.state.globals[slot as usize].unsigned_abs().into()),
            payments: if moved.is_ok() { performer.payments } else { Vec::new() },
            weight: self.network.edge(EdgeId(moves[0].edge)).weight,
            moves,
            result: moved.map(|()| match performer.state.control {
                Some(_) => performer.state,
                None => self.settled(&performer.state),
            }),
            soft_failures: performer.failures,
            printed: performer.printed,
            resets: performer.resets,
        }
    }
}

/// What it costs per unit of time that the process is at this location.
fn rate_of(view: &View<'_>, location: &Location) -> Result<u64, EvalError> {
    let rate = location.rate.as_ref().map_or(Ok(0), |rate| view.eval(rate))?;
    u64::try_from(rate).map_err(|_| EvalError::NegativeRate)
}
