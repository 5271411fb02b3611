//! Runs of timed models: the times of their steps, checked, and the values of the clocks along them.
//!
//! What a search has found with zones is checked here without them: time passes by exact fractions, and at each point the
//! reference evaluator says whether the guards and invariants are true and whether time was allowed to pass.

use bughound_ir::rational::Rational;
use bughound_ir::reference::{ClockValues, MicroStep, Obstacle, RefState, Reference};

use crate::changes::{Change, ValueOf};
use crate::expression::Viewpoint;
use crate::naming;
use crate::replay::{ReplayError, TraceStep};

/// When the steps of a run happen, counted from the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Times {
    /// One for each micro step.
    pub steps: Vec<Rational>,
    /// When what is claimed of the run is true, if that is later than the last step.
    pub end: Option<Rational>,
}

impl Times {
    /// From numerators over a common denominator, as schedules have them; nothing if these are no numbers.
    pub fn over(denominator: i128, steps: &[i128], end: Option<i128>) -> Option<Times> {
        let number = |numerator: i128| Rational::new(numerator, denominator);
        let end = match end {
            Some(end) => Some(number(end)?),
            None => None,
        };
        Some(Times { steps: steps.iter().map(|step| number(*step)).collect::<Option<_>>()?, end })
    }
}

/// A point of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moment {
    /// How long the state before lasted.
    pub delay: Rational,
    /// Since the start.
    pub time: Rational,
    /// The values of the clocks: after the step, if there is one.
    pub clocks: Vec<Rational>,
}

/// The times of a run, confirmed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timing {
    /// The names of the clocks.
    pub clocks: Vec<String>,
    /// One for each step.
    pub steps: Vec<Moment>,
    /// The end of the run, which may be later than its last step.
    pub end: Moment,
}

impl Timing {
    /// The times alone.
    pub fn times(&self) -> Times {
        Times { steps: self.steps.iter().map(|step| step.time).collect(), end: Some(self.end.time) }
    }

    /// The clocks with their values at a moment.
    pub fn values(&self, moment: &Moment) -> Vec<ValueOf> {
        let both = self.clocks.iter().zip(&moment.clocks);
        both.map(|(name, value)| ValueOf { name: name.clone(), value: value.decimal() }).collect()
    }

    /// The values of the clocks after so many steps.
    pub fn clocks_after(&self, steps: usize) -> Vec<Rational> {
        match steps.checked_sub(1) {
            Some(step) => self.steps[step].clocks.clone(),
            None => vec![Rational::ZERO; self.clocks.len()],
        }
    }

    /// The clocks with their values at the start.
    pub fn initial(&self) -> Vec<ValueOf> {
        self.clocks.iter().map(|name| ValueOf { name: name.clone(), value: "0".into() }).collect()
    }
}

/// Follows a run and checks its times.
pub(crate) struct Timekeeper<'n> {
    reference: Reference<'n>,
    times: &'n Times,
    clocks: ClockValues,
    steps: Vec<Moment>,
}

impl<'n> Timekeeper<'n> {
    /// At the start of a run of so many steps, in this state.
    pub fn start(
        reference: Reference<'n>,
        times: &'n Times,
        steps: usize,
        state: &RefState,
    ) -> Result<Timekeeper<'n>, ReplayError> {
        if times.steps.len() != steps {
            let error = format!("it has {steps} steps, but {} times", times.steps.len());
            return Err(ReplayError::Time { error });
        }
        let clocks = ClockValues::zero(reference.network());
        let keeper = Timekeeper { reference, times, clocks, steps: Vec::new() };
        let met = reference.meet_invariants(state, &keeper.clocks);
        met.map_err(|obstacle| ReplayError::Time { error: keeper.words(state, &obstacle, &keeper.clocks) })?;
        Ok(keeper)
    }

    /// The next step happens at its time, in this state. Notes which clocks it sets.
    pub fn step(&mut self, before: &RefState, step: &MicroStep, shown: &mut TraceStep) -> Result<(), ReplayError> {
        let number = self.steps.len() + 1;
        let impossible = |error: String| ReplayError::Step { number, error };
        let time = self.times.steps[number - 1];
        let (delay, at) = self.wait(before, time).map_err(impossible)?;
        let guards = self.reference.pass_guards(before, &at, &step.moves);
        guards.map_err(|obstacle| impossible(self.words(before, &obstacle, &at)))?;
        let first = self.reference.outranked(before, &at, &step.moves);
        first.map_err(|obstacle| impossible(self.words(before, &obstacle, &at)))?;
        self.clocks = at.clone();
        if let Ok(next) = &step.result {
            let after = self.reference.after_step(&at, step);
            let entry = self.reference.meet_invariants(next, &after);
            entry.map_err(|obstacle| impossible(self.words(next, &obstacle, &after)))?;
            let clocks = self.reference.network().clocks.iter().zip(at.all().iter().zip(after.all()));
            shown.changes.extend(clocks.filter(|(_, (old, new))| old != new).map(|(clock, (old, new))| Change {
                name: clock.name.clone(),
                old: Some(old.decimal()),
                new: Some(new.decimal()),
            }));
            self.clocks = after;
        }
        self.steps.push(Moment { delay, time, clocks: self.clocks.all().to_vec() });
        Ok(())
    }

    /// The end of the run: its times, and the values of the clocks.
    pub fn finish(self, state: &RefState) -> Result<(Timing, ClockValues), ReplayError> {
        let time = self.times.end.unwrap_or(self.now());
        let (delay, clocks) =
            self.wait(state, time).map_err(|error| ReplayError::Time { error: format!("at its end, {error}") })?;
        let end = Moment { delay, time, clocks: clocks.all().to_vec() };
        let names = self.reference.network().clocks.iter().map(|clock| clock.name.clone()).collect();
        Ok((Timing { clocks: names, steps: self.steps, end }, clocks))
    }

    /// The time of the step before.
    fn now(&self) -> Rational {
        self.steps.last().map_or(Rational::ZERO, |step| step.time)
    }

    /// Lets time pass until `time` in this state: the delay, and the values of the clocks then.
    fn wait(&self, state: &RefState, time: Rational) -> Result<(Rational, ClockValues), String> {
        let delay = time.minus(self.now()).ok_or("its time is out of range")?;
        if delay.is_negative() {
            return Err("its time lies before that of the step before".into());
        }
        if delay.is_zero() {
            return Ok((delay, self.clocks.clone()));
        }
        self.reference.may_wait(state).map_err(|obstacle| self.words(state, &obstacle, &self.clocks))?;
        let then = self.clocks.after(delay).ok_or("its time is out of range")?;
        // Each invariant is an interval: true at the beginning of the delay and at its end, it is true in between.
        let met = self.reference.meet_invariants(state, &then);
        met.map_err(|obstacle| self.words(state, &obstacle, &then))?;
        Ok((delay, then))
    }

    fn words(&self, state: &RefState, obstacle: &Obstacle, clocks: &ClockValues) -> String {
        let network = self.reference.network();
        let name = |process: usize| naming::process_in(network, state, process);
        let constraint = |process: usize, constraint: &bughound_ir::types::ClockConstraint| {
            let view = Viewpoint { reference: self.reference.at(clocks), state, own: Some(process) };
            let expr = bughound_ir::expr::Expr::Clock(Box::new(constraint.clone()));
            format!("`{}` is false{}", view.text(&expr), view.values_in_parentheses(&expr))
        };
        match obstacle {
            Obstacle::Guard { process, constraint: c } => {
                format!("the guard of {}, {}", name(*process), constraint(*process, c))
            }
            Obstacle::Invariant { process, constraint: c } => {
                format!("the invariant of {}, {}", name(*process), constraint(*process, c))
            }
            Obstacle::UrgentLocation { process } => {
                format!("time cannot pass: {} is at an urgent or committed location", name(*process))
            }
            Obstacle::UrgentSignal { signal } => {
                format!("time cannot pass: the urgent channel {} is ready", network.signals[*signal].name)
            }
            Obstacle::InControl { process } => format!("time cannot pass: {} has control", name(*process)),
            Obstacle::Outranked { process } => format!("a step of {} has a higher priority", name(*process)),
        }
    }
}
