//! What searches share that find some error first and then better ones: which states are still of interest, what an error
//! means, and the way to it as a list of states.

use std::ops::ControlFlow;

use bughound_kernel::registry::Expression;
use bughound_kernel::{Explorer, Failure, Move, Outcome, State, StateBuf, Step};

use crate::costs::Costs;
use crate::driver::{Driver, Snapshot};
use crate::engines::OnError;
use crate::engines::ending::{Halt, Losses};
use crate::engines::errors::Errors;
use crate::engines::guide::Guide;
use crate::engines::layered::compare_covers_exactly;
use crate::engines::pool::is_normal_form;
use crate::goals::PropertyIndex;
use crate::path::{Taken, cheapest_step};
use crate::result::{SearchError, SearchResult, Statistics};
use crate::search::Task;

pub(super) struct Improving<'t, 'd, 'a> {
    pub task: Task<'t>,
    pub phase: &'static str,
    pub driver: &'d mut Driver<'a>,
    pub guide: Guide<'t>,
    pub errors: Errors,
    pub stats: Statistics,
    /// The explorer that emits a state is busy.
    probe: Box<dyn Explorer + 't>,
    /// The bound on costs has cut something off.
    is_cut: bool,
    endless: bool,
    lost: Option<PropertyIndex>,
}

/// What speaks for a state.
#[derive(Clone, Copy, Debug)]
pub(super) struct Worth {
    pub estimate: u32,
    pub f: u64,
}

impl<'t, 'd, 'a> Improving<'t, 'd, 'a> {
    pub(super) fn new(
        task: Task<'t>,
        phase: &'static str,
        heuristic: &Expression,
        driver: &'d mut Driver<'a>,
    ) -> Result<Self, SearchError> {
        compare_covers_exactly(&task)?;
        let guide = Guide::new(Some(task.heuristic(heuristic, None, driver)?));
        let (errors, probe) = (Errors::new(&task, OnError::Improve), task.system.explorer());
        let (is_cut, endless, lost, stats) = (false, false, None, Statistics::default());
        Ok(Improving { task, phase, driver, guide, errors, stats, probe, is_cut, endless, lost })
    }

    /// Errors of interest cost less than this, if it is known.
    pub(super) fn below(&self) -> Option<u64> {
        self.errors.dearest().filter(|_| self.errors.are_enough())
    }

    /// Can a state with this f lead to an error of interest?
    pub(super) fn is_of_interest(&self, f: u64) -> bool {
        self.below().is_none_or(|below| f < below)
    }

    /// What speaks for a state that was reached at this cost; `None` if nothing does.
    pub(super) fn worth(&mut self, state: State<'_>, cost: u64, known: Option<u32>) -> Option<Worth> {
        let estimate = known.unwrap_or_else(|| self.guide.estimate(state, None));
        if self.guide.is_proof(estimate) {
            self.stats.dead_ends += 1;
            return None;
        }
        let f = self.guide.f(cost, estimate);
        self.is_within(f).then_some(Worth { estimate, f })
    }

    fn is_within(&mut self, f: u64) -> bool {
        let is_beyond = self.driver.max_depth().is_some_and(|bound| f > bound);
        self.is_cut |= is_beyond;
        !is_beyond && self.is_of_interest(f)
    }

    /// A state was reached at this cost, by this way, which ends with it.
    pub(super) fn test(&mut self, state: State<'_>, cost: u64, way: impl Fn() -> Vec<StateBuf>) -> ControlFlow<Halt> {
        let goals = self.task.goals;
        for goal in &goals.invariants {
            if self.errors.want(goal.property, cost)
                && self.probe.holds(goal.atom, state) != goal.expected
                && !goals.is_known(goal.property, None, state)
            {
                self.report(goal.property, None, cost, &way())?;
            }
        }
        ControlFlow::Continue(())
    }

    /// The last state of the way was expanded, and is stuck.
    pub(super) fn test_deadlock(&mut self, cost: u64, way: impl Fn() -> Vec<StateBuf>) -> ControlFlow<Halt> {
        self.stats.deadlocks += 1;
        let Some(property) = self.task.goals.deadlock.filter(|property| self.errors.want(*property, cost)) else {
            return ControlFlow::Continue(());
        };
        let way = way();
        let is_known = way.last().is_some_and(|state| self.task.goals.is_known(property, None, state.as_state()));
        if is_known { ControlFlow::Continue(()) } else { self.report(property, None, cost, &way) }
    }

    /// A step from the last state of the way fails. `cost`: with the step.
    pub(super) fn test_failure(
        &mut self,
        failure: Failure,
        cost: u64,
        way: impl Fn() -> Vec<StateBuf>,
    ) -> ControlFlow<Halt> {
        self.stats.count_failure(failure.kind);
        let goals = self.task.goals;
        let wanted = goals.failure(failure.kind).filter(|property| self.errors.want(*property, cost));
        let Some(property) = wanted.filter(|property| !goals.is_known(*property, Some(failure), State::default()))
        else {
            return ControlFlow::Continue(());
        };
        if self.driver.max_depth().is_some_and(|bound| cost > bound) {
            self.is_cut = true;
            return ControlFlow::Continue(());
        }
        self.report(property, Some(failure), cost, &way())
    }

    /// The steps that an expansion gave up.
    pub(super) fn note_endless(&mut self, cut: bool) {
        self.endless |= cut;
    }

    pub(super) fn observe(&mut self, step: &Step<'_>) {
        if let Some(observer) = &mut self.driver.observer {
            observer.step(step.moves);
        }
        if matches!(step.outcome, Outcome::State(_)) {
            self.stats.generated += 1;
        }
    }

    fn report(
        &mut self,
        property: PropertyIndex,
        failure: Option<Failure>,
        cost: u64,
        way: &[StateBuf],
    ) -> ControlFlow<Halt> {
        let walked = self.walk(failure, way);
        if let Some(reason) = self.driver.stopped() {
            return ControlFlow::Break(Halt::Limit(reason));
        }
        let Some((start, path, length)) = walked.filter(|(.., length)| *length <= cost) else {
            self.lost = Some(property);
            return ControlFlow::Break(Halt::Error);
        };
        let end = way.last().map(StateBuf::as_state).unwrap_or_default();
        let place = self.task.goals.place(failure, end);
        let (proven_shortest, loop_start) = (length == 0, None);
        self.errors.take(crate::Witness { property, start, path, failure, place, length, proven_shortest, loop_start });
        self.driver.know(self.below());
        if self.below() == Some(0) { ControlFlow::Break(Halt::Error) } else { ControlFlow::Continue(()) }
    }

    /// The moves along a way, and what they cost.
    fn walk(&mut self, failure: Option<Failure>, way: &[StateBuf]) -> Option<(StateBuf, Vec<Vec<Move>>, u64)> {
        let system = self.task.system;
        let (first, rest) = way.split_first()?;
        let mut start = None;
        self.probe.initial(&mut |state| {
            if start.is_none() && is_normal_form(system, state, first) {
                start = Some(state.into());
            }
        });
        let (mut path, mut length) = (Vec::new(), 0_u64);
        let mut add = |taken: Taken| {
            path.push(taken.moves);
            length = length.saturating_add(taken.weight);
        };
        let mut from = first;
        for to in rest {
            let is_next =
                |outcome: &Outcome<'_>| matches!(outcome, Outcome::State(state) if is_normal_form(system, *state, to));
            add(cheapest_step(&mut *self.probe, from.as_state(), Costs::Additive, is_next)?);
            from = to;
        }
        if let Some(failure) = failure {
            let fails = |outcome: &Outcome<'_>| *outcome == Outcome::Failure(failure);
            add(cheapest_step(&mut *self.probe, from.as_state(), Costs::Additive, fails)?);
        }
        Some((start?, path, length))
    }

    pub(super) fn snapshot(&self, held: usize, waiting: usize, depth: u64, memory: u64) -> Snapshot {
        Snapshot {
            disk: None,
            network: None,
            phase: self.phase,
            preparing: None,
            stored: held as u64,
            expanded: self.stats.expanded,
            frontier: waiting as u64,
            depth,
            best_estimate: self.guide.best(),
            at_least: 0,
            memory: memory + self.guide.memory(),
        }
    }

    /// The end. `halt`: what ended it before everything of interest was searched. `floor`: every error of interest that
    /// costs less was found.
    pub(super) fn finish(mut self, halt: Option<Halt>, floor: u64) -> Result<SearchResult, SearchError> {
        if let Some(property) = self.lost {
            return Err(SearchError::PathLost { property });
        }
        let halt = halt.filter(|halt| *halt != Halt::Error);
        let bound = self.driver.max_depth().filter(|_| self.is_cut);
        let mut losses = Losses { halt, bound, endless: self.endless, ..Losses::default() };
        // Beyond the bound there may be anything.
        let floor = bound.map_or(floor, |bound| floor.min(bound.saturating_add(1)));
        if !self.endless {
            self.errors.prove(floor);
            losses.floor = self.below().map_or(floor, |below| floor.min(below));
        }
        if self.errors.are_enough() && halt.is_none() {
            losses.found_what_was_asked_for();
        }
        (self.stats.evaluated, self.stats.evaluation_time) = self.guide.evaluations();
        self.stats.stored = self.driver.counted_states(self.stats.stored);
        self.stats.peak_memory = self.driver.peak_memory(self.stats.peak_memory);
        self.stats.elapsed = self.driver.elapsed();
        self.driver.know(None);
        Ok(losses.result(self.errors.into_witnesses(), self.stats))
    }
}
