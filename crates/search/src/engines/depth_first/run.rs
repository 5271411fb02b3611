//! One pass: the loop.

use std::ops::ControlFlow;

use bughound_kernel::{Explorer, Failure, Move, OutOfMemory, Outcome, State, StateBuf, Step, StopReason};

use crate::driver::{Driver, Snapshot};
use crate::engines::OnError;
use crate::engines::depth_first::Plan;
use crate::engines::depth_first::stack::{Candidate, PathStack};
use crate::engines::depth_first::visited::Visited;
use crate::engines::ending::Halt;
use crate::engines::errors::Errors;
use crate::engines::guide::Guide;
use crate::goals::PropertyIndex;
use crate::node_table::Visit;
use crate::result::{Statistics, Witness};
use crate::search::Task;

pub(super) struct Run<'r, 't, 'd> {
    task: Task<'t>,
    plan: Plan,
    visited: &'r mut (dyn Visited + 't),
    guide: &'r mut Guide<'t>,
    errors: &'r mut Errors,
    driver: &'r mut Driver<'d>,
    /// The explorer that emits a state is busy; tests of that state need another one.
    probe: Box<dyn Explorer + 't>,
    stack: PathStack,
    /// Largest f that is followed. Falls when errors are to be improved.
    pub bound: Option<u64>,
    /// Errors at this cost cannot be improved.
    pub floor: u64,
    /// Expansions of earlier passes.
    pub expanded_before: u64,
    end: End,
}

/// What is left of a pass besides what its parts remember.
#[derive(Debug, Default)]
pub(super) struct End {
    pub stats: Statistics,
    pub halt: Option<Halt>,
    /// The bound to which an error lowered that of the pass.
    pub lowered_to: Option<u64>,
    /// A step did not end and was given up.
    pub endless: bool,
}

/// An error, seen from the end of the path.
#[derive(Clone, Copy)]
struct Sighting<'s> {
    property: PropertyIndex,
    cost: u64,
    /// The step that leads to it, if it is not at the last state of the path.
    moves: Option<&'s [Move]>,
    failure: Option<Failure>,
}

impl<'r, 't, 'd> Run<'r, 't, 'd> {
    pub(super) fn new(
        task: Task<'t>,
        plan: Plan,
        visited: &'r mut (dyn Visited + 't),
        guide: &'r mut Guide<'t>,
        errors: &'r mut Errors,
        driver: &'r mut Driver<'d>,
    ) -> Self {
        errors.forget_missed();
        let (probe, stack, end) = (task.system.explorer(), PathStack::default(), End::default());
        let (bound, floor, expanded_before) = (None, 0, 0);
        Run { task, plan, visited, guide, errors, driver, probe, stack, bound, floor, expanded_before, end }
    }

    pub(super) fn search(mut self) -> End {
        let mut explorer = self.task.system.explorer();
        explorer.heed(self.driver.stop_signal());
        explorer.initial(&mut |state| {
            if self.end.halt.is_none() {
                let _ = self.arrive(0, state, &[]);
            }
        });
        self.stack.arrange(self.plan.by_estimate);
        let mut current = StateBuf::default();
        while self.end.halt.is_none() {
            let Some(next) = self.stack.next() else {
                // All successors of the last state of the path are done: this is the post-order.
                let Some(mark) = self.stack.leave() else { break };
                self.visited.leave();
                self.visited.release(mark);
                continue;
            };
            let Some(visit) = self.enter(next) else { continue };
            self.visited.read(next.state, &mut current);
            let before = self.end.stats.generated;
            if self.expand(&mut *explorer, next.cost, visit, current.as_state()).is_break() {
                break;
            }
            self.stack.arrange(self.plan.by_estimate);
            if self.driver.is_due(1 + self.end.stats.generated - before) {
                let now = self.snapshot(next.cost);
                let beside = now.memory.saturating_sub(self.visited.memory()) + self.driver.uncounted();
                self.visited.leave_room(beside);
                self.end.halt = self.driver.check(now).map(Halt::Limit);
            }
        }
        self.finish()
    }

    /// Puts a successor onto the path, if there is still reason to.
    fn enter(&mut self, next: Candidate) -> Option<Visit> {
        let entered = self.try_to_enter(next).unwrap_or_else(|OutOfMemory| {
            self.end.halt = Some(Halt::Limit(StopReason::Memory));
            None
        });
        let visit = entered?;
        if visit == Visit::First && self.driver.exceeds_states(self.visited.stored()) {
            self.end.halt = Some(Halt::Limit(StopReason::States));
            return None;
        }
        self.end.stats.reopened += u64::from(visit == Visit::Again);
        Some(visit)
    }

    fn try_to_enter(&mut self, next: Candidate) -> Result<Option<Visit>, OutOfMemory> {
        // The bound may have fallen while it waited.
        let f = self.guide.f(next.cost, next.estimate);
        if self.is_beyond(f) {
            self.visited.note_cut(next.state, f)?;
            return Ok(None);
        }
        let Some(visit) = self.visited.enter(next.state, next.cost)? else { return Ok(None) };
        self.stack.enter(next, self.visited.mark())?;
        Ok(Some(visit))
    }

    fn expand(&mut self, explorer: &mut dyn Explorer, cost: u64, visit: Visit, from: State<'_>) -> ControlFlow<()> {
        self.end.stats.expanded += 1;
        self.end.stats.depth = self.end.stats.depth.max(cost);
        let mut flow = ControlFlow::Continue(());
        let expansion = explorer.successors(from, &mut |step| {
            flow = match self.driver.stopped() {
                Some(reason) => self.stop(Halt::Limit(reason)),
                None => self.follow(cost, visit, step),
            };
            flow
        });
        flow?;
        if let Some(reason) = self.driver.stopped() {
            return self.stop(Halt::Limit(reason));
        }
        self.end.endless |= expansion.cut;
        if expansion.deadlock {
            self.end.stats.deadlocks += u64::from(visit == Visit::First);
            let goals = self.task.goals;
            let counts =
                |property: &PropertyIndex| self.errors.want(*property, cost) && !goals.is_known(*property, None, from);
            if let Some(property) = goals.deadlock.filter(counts) {
                self.report(Sighting { property, cost, moves: None, failure: None }, from)?;
            }
        }
        ControlFlow::Continue(())
    }

    #[inline]
    fn follow(&mut self, from_cost: u64, visit: Visit, step: &Step<'_>) -> ControlFlow<()> {
        if let Some(observer) = &mut self.driver.observer {
            observer.step(step.moves);
        }
        let cost = from_cost.saturating_add(step.weight);
        let failure = match step.outcome {
            Outcome::State(state) => {
                self.end.stats.generated += 1;
                self.end.stats.transitions += u64::from(visit == Visit::First);
                return self.arrive(cost, state, step.moves);
            }
            Outcome::Failure(failure) => failure,
        };
        if visit == Visit::First {
            self.end.stats.count_failure(failure.kind);
        }
        let goals = self.task.goals;
        let counts = |property: &PropertyIndex| {
            self.errors.want(*property, cost) && !goals.is_known(*property, Some(failure), State::default())
        };
        let Some(property) = goals.failure(failure.kind).filter(counts) else { return ControlFlow::Continue(()) };
        if self.is_beyond(cost) {
            self.errors.note_missed(property, cost);
            return ControlFlow::Continue(());
        }
        let sighting = Sighting { property, cost, moves: Some(step.moves), failure: Some(failure) };
        self.report(sighting, State::default())
    }

    #[inline]
    fn arrive(&mut self, cost: u64, state: State<'_>, moves: &[Move]) -> ControlFlow<()> {
        self.admit(cost, state, moves).unwrap_or_else(|OutOfMemory| self.stop(Halt::Limit(StopReason::Memory)))
    }

    /// Tests a state that was reached and puts it among the successors that wait.
    fn admit(&mut self, cost: u64, state: State<'_>, moves: &[Move]) -> Result<ControlFlow<()>, OutOfMemory> {
        let mark = self.visited.mark();
        let Some(kept) = self.visited.meet(state, cost)? else { return Ok(ControlFlow::Continue(())) };
        let estimate = self.guide.estimate(state, self.visited.id(kept));
        let f = self.guide.f(cost, estimate);
        let is_beyond = self.is_beyond(f);
        if is_beyond || self.guide.is_proof(estimate) {
            if is_beyond {
                self.visited.note_cut(kept, f)?;
            } else {
                self.end.stats.dead_ends += 1;
            }
            self.visited.release(mark);
            return Ok(ControlFlow::Continue(()));
        }
        for goal in &self.task.goals.invariants {
            if self.errors.want(goal.property, cost)
                && self.probe.holds(goal.atom, state) != goal.expected
                && !self.task.goals.is_known(goal.property, None, state)
            {
                let sighting = Sighting { property: goal.property, cost, moves: Some(moves), failure: None };
                if self.report(sighting, state).is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
        }
        self.stack.push(kept, cost, estimate, moves)?;
        Ok(ControlFlow::Continue(()))
    }

    /// Takes an error as result. `state` is where it ends, if it does not fail on the way.
    fn report(&mut self, sighting: Sighting<'_>, state: State<'_>) -> ControlFlow<()> {
        let witness = self.witness(sighting, state);
        self.errors.take(witness);
        if !self.errors.are_enough() {
            return ControlFlow::Continue(());
        }
        let dearest = self.errors.dearest().unwrap_or(0);
        if self.plan.on_error == OnError::Take || dearest <= self.floor {
            return self.stop(Halt::Error);
        }
        let below = dearest.saturating_sub(1);
        self.end.lowered_to = Some(below);
        self.bound = self.bound.into_iter().chain([below]).min();
        ControlFlow::Continue(())
    }

    fn witness(&self, sighting: Sighting<'_>, state: State<'_>) -> Witness {
        let mut path: Vec<Vec<Move>> = self.stack.steps().map(<[Move]>::to_vec).collect();
        let mut start = StateBuf::default();
        match self.stack.start() {
            Some(first) => {
                self.visited.read(first, &mut start);
                path.extend(sighting.moves.map(<[Move]>::to_vec));
            }
            // An initial state: no step leads to it.
            None => start.set(state),
        }
        let Sighting { property, cost: length, failure, .. } = sighting;
        let proven_shortest = length <= self.floor;
        let place = self.task.goals.place(failure, state);
        Witness { property, start, path, failure, place, length, proven_shortest, loop_start: None }
    }

    fn stop(&mut self, halt: Halt) -> ControlFlow<()> {
        self.end.halt = Some(halt);
        ControlFlow::Break(())
    }

    fn is_beyond(&self, f: u64) -> bool {
        self.bound.is_some_and(|bound| f > bound)
    }

    fn memory(&self) -> u64 {
        self.visited.memory() + self.stack.memory() + self.guide.memory()
    }

    fn snapshot(&self, depth: u64) -> Snapshot {
        Snapshot {
            disk: None,
            network: None,
            phase: self.plan.phase,
            preparing: None,
            stored: self.visited.stored(),
            expanded: self.expanded_before + self.end.stats.expanded,
            frontier: self.stack.waiting() as u64,
            depth,
            best_estimate: self.guide.best(),
            at_least: 0,
            memory: self.memory(),
        }
    }

    fn finish(mut self) -> End {
        self.end.stats.stored = self.driver.counted_states(self.visited.stored());
        self.end.stats.displaced = self.visited.displaced();
        self.end.stats.bit_fill = self.visited.fill().map(|fill| (fill * 1000.0).ceil() as u32);
        self.end.stats.peak_memory = self.driver.peak_memory(self.memory());
        self.end
    }
}
