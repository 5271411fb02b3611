//! A run that can be continued and taken back.

use std::fmt;

use bughound_ir::expr::Expr;
use bughound_ir::network::Network;
use bughound_ir::reference::{FailureInfo, MicroStep, RefState};
use bughound_kernel::{Move, Random, StopSignal};
use bughound_trace::chart::{Chart, ChartBuilder};
use bughound_trace::{Claim, LassoShape, Reason, Reference, Trace, TraceStep, describe, reason, values};

use super::ending::Ending;

/// The seed unless the user gives one. Two simulations without `--seed` are the same.
pub const DEFAULT_SEED: u64 = 1;

/// A step of the run.
#[derive(Clone, Debug)]
pub struct Taken {
    pub moves: Vec<Move>,
    /// As traces show it.
    pub shown: TraceStep,
    pub failures: Vec<FailureInfo>,
    /// No state follows it.
    pub is_last: bool,
}

/// Why there is no session, or no such step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionError {
    Unsupported(String),
    /// The initial values cannot be computed.
    NoInitialState(String),
    NoSuchChoice {
        number: usize,
        choices: usize,
    },
    NotPossible(String),
}

impl fmt::Display for SessionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SessionError::Unsupported(why) => write!(f, "the model cannot be simulated: {why}"),
            SessionError::NoInitialState(why) => write!(f, "there is no initial state: {why}"),
            SessionError::NoSuchChoice { choices: 0, .. } => f.write_str("there is nothing to choose: the run is over"),
            SessionError::NoSuchChoice { number, choices } => write!(f, "no choice {number}; there are 1 to {choices}"),
            SessionError::NotPossible(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for SessionError {}

/// One run of a model.
#[derive(Clone, Debug)]
pub struct Session<'n> {
    reference: Reference<'n>,
    /// The initial state, then the state after each step (after a step without one, the state before it again).
    states: Vec<RefState>,
    taken: Vec<Taken>,
    choices: Vec<MicroStep>,
    random: Random,
}

impl<'n> Session<'n> {
    pub fn new(network: &'n Network, seed: u64) -> Result<Session<'n>, SessionError> {
        let reference = Reference::new(network).map_err(|error| SessionError::Unsupported(error.to_string()))?;
        let initial = reference.initial().map_err(|error| SessionError::NoInitialState(error.to_string()))?;
        let choices = reference.micro_steps(&initial);
        Ok(Session { reference, states: vec![initial], taken: Vec::new(), choices, random: Random::new(seed) })
    }

    pub fn network(&self) -> &'n Network {
        self.reference.network()
    }

    pub fn state(&self) -> &RefState {
        // There always is an initial state.
        &self.states[self.states.len() - 1]
    }

    /// The initial state and the state after each step.
    pub fn states(&self) -> &[RefState] {
        &self.states
    }

    pub fn taken(&self) -> &[Taken] {
        &self.taken
    }

    /// The possible next steps, in the order of the evaluator.
    pub fn choices(&self) -> &[MicroStep] {
        &self.choices
    }

    /// Takes the choice with this number (from 0).
    pub fn take(&mut self, number: usize) -> Result<&Taken, SessionError> {
        let Some(step) = self.choices.get(number).cloned() else {
            return Err(SessionError::NoSuchChoice { number: number + 1, choices: self.choices.len() });
        };
        let before = self.state().clone();
        let first = step.moves.first().map(|m| m.process as usize);
        if let Some(last) = self.taken.last_mut() {
            last.shown.keeps_control = before.control.is_some() && before.control == first;
        }
        let shown = describe(self.network(), &before, &step);
        let failures = step.soft_failures.iter().chain(step.result.as_ref().err()).cloned().collect();
        let is_last = step.result.is_err();
        self.choices = match &step.result {
            Ok(next) => self.reference.micro_steps(next),
            Err(_) => Vec::new(),
        };
        self.states.push(step.result.unwrap_or(before));
        self.taken.push(Taken { moves: step.moves, shown, failures, is_last });
        Ok(&self.taken[self.taken.len() - 1])
    }

    /// Takes exactly this step.
    pub fn follow(&mut self, moves: &[Move]) -> Result<&Taken, SessionError> {
        match self.choices.iter().position(|choice| choice.moves == moves) {
            Some(number) => self.take(number),
            None if self.taken.last().is_some_and(|last| last.is_last) => {
                Err(SessionError::NotPossible("the step before it ends the run".into()))
            }
            None => {
                let why = self.reference.apply(self.state(), moves).err().map(|error| error.to_string());
                Err(SessionError::NotPossible(why.unwrap_or_else(|| "it is not among the choices".into())))
            }
        }
    }

    /// Takes back so many steps; how many there were.
    pub fn undo(&mut self, steps: usize) -> usize {
        let steps = steps.min(self.taken.len());
        if steps > 0 {
            self.taken.truncate(self.taken.len() - steps);
            self.states.truncate(self.taken.len() + 1);
            self.choices = self.reference.micro_steps(self.state());
            if let Some(last) = self.taken.last_mut() {
                last.shown.keeps_control = false;
            }
        }
        steps
    }

    /// Takes a random choice; `None` if there is none.
    ///
    /// In models with probabilities, choices are as likely as what they draw. That is right for all kinds of them: in chains
    /// probabilities are divided by their sum, and rates race; in a decision process those of each command add up to 1, so that no
    /// command is preferred.
    pub fn random_step(&mut self) -> Option<&Taken> {
        let number = match self.network().stochastic {
            Some(_) => self.draw()?,
            None => self.random.below(self.choices.len()),
        };
        self.take(number).ok()
    }

    /// A choice by its probability. A step whose probability has no value is as likely as one that is certain.
    fn draw(&mut self) -> Option<usize> {
        let chance = |step: &MicroStep| match self.reference.chance(self.state(), &step.moves) {
            Ok(chance) => chance.to_f64().value(),
            Err(_) => 1.0,
        };
        let chances: Vec<f64> = self.choices.iter().map(chance).collect();
        self.random.weighted(&chances)
    }

    /// Takes random choices until the run ends, a step fails, the condition is true, or enough steps were taken.
    pub fn run(&mut self, limit: usize, until: Option<&Expr>, stop: &StopSignal) -> Ending {
        for _ in 0..limit {
            if let Some(ending) = self.ending() {
                return ending;
            }
            if let Some(reason) = stop.reason() {
                return Ending::Interrupted(reason);
            }
            let failed = self.random_step().and_then(|taken| taken.failures.first().cloned());
            if let Some(info) = failed {
                return Ending::Failure(info);
            }
            if until.is_some_and(|condition| self.holds(condition)) {
                return Ending::Reached;
            }
        }
        self.ending().unwrap_or(Ending::StepLimit(self.taken.len()))
    }

    /// Is the condition true now? One without value is not.
    pub fn holds(&self, condition: &Expr) -> bool {
        self.reference.holds(&self.state().ordinary(), condition).unwrap_or(false)
    }

    /// Why the run cannot go on, if it cannot.
    pub fn ending(&self) -> Option<Ending> {
        if !self.choices.is_empty() {
            return None;
        }
        let last = self.taken.last().filter(|last| last.is_last);
        if let Some(info) = last.and_then(|last| last.failures.last()) {
            return Some(Ending::Failure(info.clone()));
        }
        let state = self.state();
        let may_rest = |p: &bughound_ir::reference::Process| self.network().location(p.location).flags.end;
        Some(match state.processes.len() {
            0 => Ending::AllEnded,
            _ if state.processes.iter().all(may_rest) => Ending::AtEndStates,
            _ => Ending::Deadlock,
        })
    }

    /// The reason that a trace with this ending shows.
    pub fn reason(&self, ending: &Ending) -> Reason {
        match ending {
            Ending::Deadlock => reason(self.reference, None, self.state(), &Claim::Deadlock),
            Ending::Failure(info) => {
                let before = &self.states[self.states.len().saturating_sub(2)];
                let failed = MicroStep {
                    moves: Vec::new(),
                    result: Err(info.clone()),
                    soft_failures: Vec::new(),
                    printed: Vec::new(),
                    weight: 0,
                    paid: 0,
                    payments: Vec::new(),
                    resets: Vec::new(),
                };
                reason(self.reference, Some(&failed), before, &Claim::Failure(info.failure))
            }
            other => Reason { headline: other.text(), ..Reason::default() },
        }
    }

    /// The run as a trace that ends for this reason, with a loop if one is known.
    pub fn trace(&self, reason: Reason, lasso: Option<LassoShape>) -> Trace {
        Trace {
            initial: values(self.network(), &self.states[0]),
            steps: self.taken.iter().map(|taken| taken.shown.clone()).collect(),
            length: self.taken.len() as u64,
            cost: self.taken.iter().map(|taken| taken.shown.weight).sum(),
            has_costs: self.network().has_costs(),
            reason,
            lasso,
            timing: None,
            moves: self.moves(),
            main_file: self.network().name.clone(),
        }
    }

    pub fn moves(&self) -> Vec<Move> {
        self.taken.iter().flat_map(|taken| taken.moves.iter().copied()).collect()
    }

    /// The message sequence chart of the run so far.
    pub fn chart(&self) -> Chart {
        let mut builder = ChartBuilder::new(self.reference, &self.states[0]);
        for (taken, states) in self.taken.iter().zip(self.states.windows(2)) {
            let step = MicroStep {
                moves: taken.moves.clone(),
                result: match (taken.is_last, taken.failures.last()) {
                    (true, Some(info)) => Err(info.clone()),
                    _ => Ok(states[1].clone()),
                },
                soft_failures: if taken.is_last { Vec::new() } else { taken.failures.clone() },
                printed: Vec::new(),
                weight: 0,
                paid: 0,
                payments: Vec::new(),
                resets: Vec::new(),
            };
            builder.see(&states[0], &step);
        }
        builder.finish()
    }
}
