//! Random walks: one path at a time, nothing is remembered but the path.

use std::ops::ControlFlow;

use bughound_kernel::{
    Estimate, Explorer, Failure, FailureKind, Heuristic, Move, Outcome, Random, State, StateBuf, Step, StopReason,
};

use crate::driver::{Driver, Snapshot};
use crate::evaluators::Stopwatch;
use crate::goals::{PropertyIndex, StopPolicy};
use crate::result::{Incompleteness, SearchResult, Statistics, Witness};
use crate::search::Task;

/// How to walk.
pub struct Walks<'h> {
    /// Shown in progress reports.
    pub phase: &'static str,
    pub walks: u64,
    /// Longest path, in macro steps.
    pub steps: u64,
    /// Steps of all paths together.
    pub budget: Option<u64>,
    pub random: Random,
    /// If there is one, the successor with the smallest estimate is taken, except in one of `stray` steps.
    pub heuristic: Option<Box<dyn Heuristic + 'h>>,
    /// In how many of 1000 steps the estimates are ignored.
    pub stray: u64,
}

/// Walks until everything asked for is found, a limit is reached or all walks are made.
pub fn random_walk(task: Task<'_>, walks: Walks<'_>, driver: &mut Driver<'_>) -> SearchResult {
    let mut initial = Vec::new();
    let mut explorer = task.system.explorer();
    explorer.heed(driver.stop_signal());
    explorer.initial(&mut |state| initial.push(StateBuf::from(state)));
    let mut walker = Walker {
        task,
        walks,
        driver,
        probe: task.system.explorer(),
        here: StateBuf::default(),
        start: StateBuf::default(),
        path: Vec::new(),
        length: 0,
        choices: Vec::new(),
        used: 0,
        stats: Statistics::default(),
        stopwatch: Stopwatch::default(),
        witnesses: Vec::new(),
        endless: false,
        stop_reason: None,
    };
    if !initial.is_empty() {
        for _ in 0..walker.walks.walks {
            let start = initial[walker.walks.random.below(initial.len())].clone();
            if walker.walk(&mut *explorer, start).is_break() {
                break;
            }
        }
    }
    walker.finish(initial.is_empty())
}

/// A successor that the walk could go to.
#[derive(Default)]
struct Choice {
    state: StateBuf,
    moves: Vec<Move>,
    weight: u64,
}

struct Walker<'r, 'd, 'h> {
    task: Task<'r>,
    walks: Walks<'h>,
    driver: &'r mut Driver<'d>,
    /// The explorer that emits a state is busy.
    probe: Box<dyn Explorer + 'r>,
    here: StateBuf,
    start: StateBuf,
    path: Vec<Vec<Move>>,
    length: u64,
    /// Used again and again; the first `used` are those of the current state.
    choices: Vec<Choice>,
    used: usize,
    stats: Statistics,
    stopwatch: Stopwatch,
    witnesses: Vec<Witness>,
    endless: bool,
    stop_reason: Option<StopReason>,
}

impl Walker<'_, '_, '_> {
    fn walk(&mut self, explorer: &mut dyn Explorer, start: StateBuf) -> ControlFlow<()> {
        self.path.clear();
        self.length = 0;
        self.here = start.clone();
        self.start = start;
        self.test_invariants()?;
        for _ in 0..self.walks.steps {
            if self.walks.budget.is_some_and(|budget| self.stats.expanded >= budget) {
                return ControlFlow::Break(());
            }
            let before = self.stats.generated;
            let here = std::mem::take(&mut self.here);
            let flow = self.expand(explorer, here.as_state());
            self.here = here;
            flow?;
            if self.driver.is_due(1 + self.stats.generated - before) {
                let now = self.snapshot();
                self.stop_reason = self.driver.check(now);
                if self.stop_reason.is_some() {
                    return ControlFlow::Break(());
                }
            }
            if self.used == 0 || self.driver.max_depth().is_some_and(|bound| self.length >= bound) {
                break;
            }
            let chosen = self.choose();
            let choice = &mut self.choices[chosen];
            std::mem::swap(&mut self.here, &mut choice.state);
            self.path.push(choice.moves.clone());
            self.length = self.length.saturating_add(choice.weight);
            self.stats.depth = self.stats.depth.max(self.length);
            self.test_invariants()?;
        }
        ControlFlow::Continue(())
    }

    fn expand(&mut self, explorer: &mut dyn Explorer, from: State<'_>) -> ControlFlow<()> {
        self.stats.expanded += 1;
        self.used = 0;
        let mut flow = ControlFlow::Continue(());
        let expansion = explorer.successors(from, &mut |step| {
            self.stop_reason = self.driver.stopped();
            flow = if self.stop_reason.is_some() { ControlFlow::Break(()) } else { self.consider(step) };
            flow
        });
        if self.stop_reason.is_none() {
            flow?;
            self.stop_reason = self.driver.stopped();
        }
        if self.stop_reason.is_some() {
            // What was cut was no step: with as many steps as a budget, the same seed takes the same walk.
            self.stats.expanded -= 1;
            return ControlFlow::Break(());
        }
        self.endless |= expansion.cut;
        if expansion.deadlock {
            self.stats.deadlocks += 1;
            if let Some(property) = self.task.goals.deadlock {
                return self.report(property, None, from);
            }
        }
        ControlFlow::Continue(())
    }

    fn consider(&mut self, step: &Step<'_>) -> ControlFlow<()> {
        if let Some(observer) = &mut self.driver.observer {
            observer.step(step.moves);
        }
        match step.outcome {
            Outcome::State(state) => {
                self.stats.generated += 1;
                if self.used == self.choices.len() {
                    self.choices.push(Choice::default());
                }
                let choice = &mut self.choices[self.used];
                self.used += 1;
                choice.state.set(state);
                choice.moves.clear();
                choice.moves.extend_from_slice(step.moves);
                choice.weight = step.weight;
                ControlFlow::Continue(())
            }
            Outcome::Failure(failure) => {
                match failure.kind {
                    FailureKind::Assertion => self.stats.failed_assertions += 1,
                    FailureKind::Evaluation => self.stats.evaluation_errors += 1,
                }
                match self.task.goals.failure(failure.kind) {
                    Some(property) => self.report(property, Some((failure, step.moves, step.weight)), State::default()),
                    None => ControlFlow::Continue(()),
                }
            }
        }
    }

    /// The successor to go to.
    fn choose(&mut self) -> usize {
        let choices = &self.choices[..self.used];
        let strays = (self.walks.random.below(1000) as u64) < self.walks.stray;
        let Some(heuristic) = self.walks.heuristic.as_mut().filter(|_| !strays) else {
            return self.walks.random.below(choices.len());
        };
        let mut best: Vec<usize> = Vec::new();
        let mut least = Estimate::DeadEnd;
        for (at, choice) in choices.iter().enumerate() {
            let estimate = self.stopwatch.estimate(&mut **heuristic, choice.state.as_state());
            if estimate < least {
                best.clear();
                least = estimate;
            }
            if estimate == least {
                best.push(at);
            }
        }
        best[self.walks.random.below(best.len())]
    }

    fn test_invariants(&mut self) -> ControlFlow<()> {
        let here = std::mem::take(&mut self.here);
        let mut flow = ControlFlow::Continue(());
        for goal in &self.task.goals.invariants {
            if flow.is_continue() && self.probe.holds(goal.atom, here.as_state()) != goal.expected {
                flow = self.report(goal.property, None, here.as_state());
            }
        }
        self.here = here;
        flow
    }

    /// Takes an error as result: a step that fails, or else the state.
    fn report(
        &mut self,
        property: PropertyIndex,
        failing: Option<(Failure, &[Move], u64)>,
        state: State<'_>,
    ) -> ControlFlow<()> {
        let failure = failing.map(|(failure, ..)| failure);
        if self.task.goals.is_known(property, failure, state) {
            return ControlFlow::Continue(());
        }
        let length = self.length.saturating_add(failing.map_or(0, |(.., weight)| weight));
        let known = self.witnesses.iter().position(|witness| witness.property == property);
        if known.is_none_or(|at| length < self.witnesses[at].length) {
            let mut path = self.path.clone();
            path.extend(failing.map(|(_, moves, _)| moves.to_vec()));
            let start = self.start.clone();
            let proven_shortest = length == 0;
            let place = self.task.goals.place(failure, state);
            let witness = Witness { property, start, path, failure, place, length, proven_shortest, loop_start: None };
            match known {
                Some(at) => self.witnesses[at] = witness,
                None => self.witnesses.push(witness),
            }
        }
        let enough = match self.task.stop {
            StopPolicy::FirstError => true,
            StopPolicy::EveryProperty => self.witnesses.len() == self.task.goals.properties().len(),
            StopPolicy::Exhaustive => false,
        };
        if enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn memory(&self) -> u64 {
        let state = (self.here.key.capacity() + self.here.cover.capacity()) * size_of::<i32>();
        let moves = self.path.iter().map(|moves| moves.capacity() * size_of::<Move>() + 24).sum::<usize>();
        (state * (self.choices.len() + 2) + moves) as u64
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot {
            disk: None,
            network: None,
            phase: self.walks.phase,
            preparing: None,
            stored: 0,
            expanded: self.stats.expanded,
            frontier: 0,
            depth: self.length,
            best_estimate: None,
            at_least: 0,
            memory: self.memory(),
        }
    }

    /// `empty`: there is no initial state, so there is nothing that was not seen.
    fn finish(mut self, empty: bool) -> SearchResult {
        (self.stats.evaluated, self.stats.evaluation_time) = self.stopwatch.read();
        self.stats.peak_memory = self.driver.peak_memory(self.memory());
        self.stats.elapsed = self.driver.elapsed();
        let mut incomplete_because = Vec::new();
        incomplete_because.extend(self.stop_reason.map(Incompleteness::Limit));
        if !self.witnesses.is_empty() && self.task.stop == StopPolicy::FirstError {
            incomplete_because.push(Incompleteness::StoppedAtError);
        }
        if !empty {
            incomplete_because.push(Incompleteness::Sampling);
        }
        if self.endless {
            incomplete_because.push(Incompleteness::EndlessStep);
        }
        SearchResult {
            saw_everything: false,
            witnesses: self.witnesses,
            stats: self.stats,
            complete: incomplete_because.is_empty(),
            at_least: 0,
            stop_reason: self.stop_reason,
            incomplete_because,
        }
    }
}
