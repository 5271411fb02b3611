//! Executes a run once more, and adds up what it costs.

use bughound_ir::edge::EdgeId;
use bughound_ir::network::{LocationId, Network, TemplateId};
use bughound_ir::rational::Rational;
use bughound_ir::reference::{MicroStep, RefState, Reference};

use super::{ScheduleError, ScheduleView, Stay};
use crate::naming;
use crate::replay::{Trace, micro_steps};

pub fn follow(network: &Network, trace: &Trace) -> Result<ScheduleView, ScheduleError> {
    let timing = trace.timing.as_ref().ok_or(ScheduleError::Untimed)?;
    let reference = Reference::discrete(network);
    let impossible = |number: usize, error: String| ScheduleError::Step { number, error };
    let mut state = reference.initial().map_err(|error| impossible(0, error.to_string()))?;
    let mut walk = Walk { reference, current: Vec::new(), stays: Vec::new(), cost: Rational::ZERO };
    walk.arrive(&state, Rational::ZERO, None)?;
    for (at, (moves, moment)) in micro_steps(&trace.moves).into_iter().zip(&timing.steps).enumerate() {
        walk.rest(&state, moment.delay)?;
        let step = reference.apply(&state, moves).map_err(|error| impossible(at + 1, error.to_string()))?;
        // With a step that fails the run ends; it pays nothing.
        let Ok(next) = &step.result else { break };
        walk.arrive(next, moment.time, Some(&step))?;
        state = next.clone();
    }
    walk.rest(&state, timing.end.delay)?;
    walk.finish(timing.end.time)
}

/// Where a process is now.
struct Current {
    template: TemplateId,
    at: LocationId,
    stay: Stay,
}

struct Walk<'n> {
    reference: Reference<'n>,
    /// By the numbers of the processes.
    current: Vec<Option<Current>>,
    stays: Vec<Stay>,
    cost: Rational,
}

impl Walk<'_> {
    /// Time passes in a state.
    fn rest(&mut self, state: &RefState, delay: Rational) -> Result<(), ScheduleError> {
        // Nothing is paid then, and places where no time may pass need no rate.
        if delay.is_zero() {
            return Ok(());
        }
        let during = |rate: u64| delay.times(rate.into()).ok_or(ScheduleError::TooLarge);
        for (pid, current) in self.current.iter_mut().enumerate() {
            let Some(Current { stay, .. }) = current else { continue };
            let rate = self.reference.rate_of(state, pid).map_err(|error| ScheduleError::Rate {
                process: stay.process.clone(),
                location: stay.location.clone(),
                error: error.to_string(),
            })?;
            stay.over_time = stay.over_time.plus(during(rate)?).ok_or(ScheduleError::TooLarge)?;
        }
        // Every summand has a value, as has just been seen.
        let rate = self.reference.rate(state).map_err(|_| ScheduleError::TooLarge)?;
        self.pay(during(rate)?)
    }

    fn pay(&mut self, amount: Rational) -> Result<(), ScheduleError> {
        self.cost = self.cost.plus(amount).ok_or(ScheduleError::TooLarge)?;
        Ok(())
    }

    /// Ends the stays of processes that are somewhere else now, begins new ones, and adds what the step pays.
    fn arrive(&mut self, state: &RefState, time: Rational, step: Option<&MicroStep>) -> Result<(), ScheduleError> {
        self.current.resize_with(self.current.len().max(state.processes.len()), || None);
        for pid in 0..self.current.len() {
            let now = state.processes.get(pid).map(|process| (process.template, process.location));
            let before = self.current[pid].take();
            if before.as_ref().map(|before| (before.template, before.at)) == now {
                self.current[pid] = before;
                continue;
            }
            let mut carried = Rational::ZERO;
            if let Some(left) = before {
                let goes_on = now.is_some_and(|(template, _)| template == left.template);
                match left.stay.from == time && goes_on {
                    true => carried = left.stay.at_once,
                    false => self.stays.push(Stay { to: time, ..left.stay }),
                }
            }
            self.current[pid] = now.map(|(template, at)| {
                let stay = Stay { at_once: carried, ..self.begin(state, pid, at, time, step) };
                Current { template, at, stay }
            });
        }
        for (pid, amount) in step.map_or(&[][..], |step| &step.payments) {
            let amount = Rational::new((*amount).into(), 1).ok_or(ScheduleError::TooLarge)?;
            let now = self.current.get_mut(*pid).and_then(Option::as_mut).map(|current| &mut current.stay);
            // A process that has ended with the step has paid while it was still there.
            let ended = self.stays.iter_mut().rev().find(|stay| stay.pid == *pid);
            if let Some(stay) = now.or(ended) {
                stay.at_once = stay.at_once.plus(amount).ok_or(ScheduleError::TooLarge)?;
            }
            self.pay(amount)?;
        }
        Ok(())
    }

    /// A process comes to a location, by this step if it is not the start.
    fn begin(&self, state: &RefState, pid: usize, at: LocationId, time: Rational, step: Option<&MicroStep>) -> Stay {
        let network = self.reference.network();
        let location = network.location(at);
        let own_move = step.and_then(|step| step.moves.iter().find(|m| usize::from(m.process) == pid));
        Stay {
            pid,
            process: naming::process_in(network, state, pid),
            location: location.labels.first().cloned().unwrap_or_else(|| format!("location {}", location.number)),
            from: time,
            to: time,
            over_time: Rational::ZERO,
            at_once: Rational::ZERO,
            may_last: location.invariant.is_empty(),
            entered_by: own_move.map(|m| network.edge(EdgeId(m.edge)).text_of(m.destination)),
        }
    }

    fn finish(mut self, end: Rational) -> Result<ScheduleView, ScheduleError> {
        for Current { stay, .. } in std::mem::take(&mut self.current).into_iter().flatten() {
            // What is reached at the very end is worth a line if it costs something, or nothing else is known.
            let is_only = !self.stays.iter().any(|other| other.pid == stay.pid);
            if stay.from != end || !stay.at_once.is_zero() || is_only {
                self.stays.push(Stay { to: end, ..stay });
            }
        }
        let mut overflow = false;
        self.stays.sort_by(|a, b| {
            let order = a.from.compare(b.from);
            overflow |= order.is_none();
            order.unwrap_or(std::cmp::Ordering::Equal).then(a.pid.cmp(&b.pid))
        });
        if overflow {
            return Err(ScheduleError::TooLarge);
        }
        Ok(ScheduleView { stays: self.stays, cost: self.cost, end })
    }
}
