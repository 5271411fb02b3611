//! **Symbolic search.** All states of one cost at once, as a binary decision diagram.
//!
//! Papers: Burch, Clarke, McMillan, Dill, Hwang 1992, "Symbolic model checking: 10^20 states and beyond"; Blom, van de Pol, Weber
//! 2010, "LTSmin: distributed and symbolic reachability"; for the orders see `closure.rs`.
//!
//! Claims: complete. Optimal: the layers are taken by cost, so the first error is a cheapest one. Infinite runs are looked for
//! otherwise (`runs.rs`), and nothing is said of their lengths. Counts of states, steps, deadlocks
//! and failures are those of an explicit search, exact however large.
//!
//! Cost: that of the diagrams, which has little to do with the number of states: from a handful of nodes for 10^40 states to more
//! nodes than states. Every combination of values that a group of steps looks at is asked about once.
//!
//! Fails: where steps look at the whole state (`timeout`, priorities, long atomic sequences): then it learns state by state.
//! An operation on diagrams cannot be interrupted: a limit of time is kept between two of them.
//!
//! Example: `symbolic(order=saturation)` for a proof, where no shortest error is asked for.

use bughound_kernel::registry::{BuildError, Expression, Param, ParamKind};
use bughound_kernel::{AtomId, Heuristic, SlotSet, StopReason};
use bughound_search::engines::ending::{Halt, Losses};
use bughound_search::registry::{Claims, CycleSupport, Entry, Promise};
use bughound_search::{
    Driver, Search, SearchError, SearchResult, SetStatistics, Snapshot, Statistics, StopPolicy, Task,
};

use crate::closure::{Effort, Order, close, has_errors};
use crate::diagrams::{Computed, Set, Stop};
use crate::estimates::Estimates;
use crate::forward::{Buckets, End, Forward};
use crate::group::Tally;
use crate::pulse::Pulse;
use crate::runs;
use crate::space::Space;
use crate::trial::try_out;

const ORDER: Param = Param {
    name: "order",
    summary: "which states take steps together: those of one cost, or, for proofs and counts, whatever is fast",
    kind: ParamKind::Choice { options: &["layers", "chaining", "saturation"] },
};

pub(super) const ENTRY: Entry = Entry {
    name: "symbolic",
    summary: "sets of states as decision diagrams, the cheapest first; shortest errors",
    cite: "Burch, Clarke, McMillan, Dill, Hwang 1992; Blom, van de Pol, Weber 2010",
    params: &[ORDER],
    claims: Claims { complete: Promise::Always, optimal: Promise::Depends("yes, but not among infinite runs") },
    cycles: CycleSupport::AnyConditions,
    build: |_, args| {
        let order = match args.choice("order") {
            Some("chaining") => Some(Order::Chaining),
            Some("saturation") => Some(Order::Saturation),
            _ => None,
        };
        Ok(Box::new(Symbolic { order, heuristic: None, buckets: Buckets::CostAndEstimate }))
    },
};

pub(crate) struct Symbolic {
    /// How proofs are made, if not by layers.
    pub order: Option<Order>,
    /// What tells states of one cost apart.
    pub heuristic: Option<Expression>,
    pub buckets: Buckets,
}

/// What a run has come to, however it ended.
struct Run<'h> {
    forward: Forward<'h>,
    /// What was reached in whatever order, and whether nothing is missing.
    closed: Option<(Set, bool)>,
    effort: Effort,
    end: Option<End>,
    stopped: Option<StopReason>,
}

impl Search for Symbolic {
    fn run(&self, task: Task<'_>, driver: &mut Driver<'_>) -> Result<SearchResult, SearchError> {
        let watch = task.system.parts().and_then(|parts| Some((parts, parts.watch?)));
        if let (Some((parts, watch)), None) = (watch, &self.heuristic) {
            return runs::search(task, parts, watch, driver);
        }
        let refused = match (&task.goals.difference, task.goals.cycle) {
            (Some(_), _) => Some("different errors of one property"),
            (None, Some(_)) => Some("accepting cycles"),
            (None, None) => None,
        };
        if let Some(what) = refused {
            return Err(not_looked_for(what).into());
        }
        let invariants = task.goals.invariants.iter().map(|goal| goal.atom);
        let atoms: Vec<AtomId> = invariants.chain(task.goals.hints.iter().copied()).collect();
        let signal = driver.stop_signal().clone();
        let budget = driver.limits().memory;
        let mut guide = match &self.heuristic {
            None => None,
            Some(expression) => Some(Guide::new(task, expression, driver)?),
        };
        let now = Snapshot { phase: "symbolic", ..Snapshot::default() };
        let mut pulse = Pulse { driver, now };
        // Processes that were never seen take no room: there may be hundreds that could be created.
        let mut parts = 1;
        loop {
            let started = Space::new(task.system, &atoms, parts, budget, &signal).and_then(|mut space| {
                let estimates = guide.as_mut().map(|guide| guide.estimates(&space)).transpose()?;
                let forward = Forward::new(&mut space, estimates, self.buckets, &mut pulse)?;
                Ok((space, forward))
            });
            let (mut space, forward) = match started {
                Ok(started) => started,
                Err(Stop::MoreParts(more)) => {
                    parts = more;
                    continue;
                }
                Err(stop) => return Ok(nothing(stop.reason()?)),
            };
            let mut run = Run { forward, closed: None, effort: Effort::default(), end: None, stopped: None };
            let searched = self.search(&mut run, &mut space, task, &mut pulse);
            match searched.and_then(|()| run.try_out(&mut space, &mut pulse)) {
                Ok(()) => {}
                Err(Stop::MoreParts(more)) => {
                    parts = more.max(parts + parts / 4);
                    continue;
                }
                Err(stop) => run.stopped = Some(stop.reason()?),
            }
            return run.result(space, task, pulse);
        }
    }

    fn takes_every_step(&self) -> Option<&'static str> {
        Some("sets of states take all steps")
    }

    fn takes_every_run(&self) -> Option<&'static str> {
        self.takes_every_step()
    }

    /// Layers are taken by cost.
    fn takes_hints(&self) -> bool {
        self.order.is_some()
    }
}

pub(crate) fn not_looked_for(what: &str) -> BuildError {
    BuildError::new(format!("symbolic searches do not look for {what}"), 0..0)
}

/// A heuristic, and what it looks at.
struct Guide<'a> {
    heuristic: Box<dyn Heuristic + 'a>,
    slots: SlotSet,
}

impl<'a> Guide<'a> {
    fn new(task: Task<'a>, expression: &Expression, driver: &mut Driver<'_>) -> Result<Guide<'a>, SearchError> {
        let heuristic = task.heuristic(expression, None, driver)?;
        let refused = |why: &str| BuildError::new(format!("symbolic searches cannot use `{expression}`: {why}"), 0..0);
        let claims = heuristic.claims();
        if !claims.consistent || !claims.safe {
            return Err(refused("it may fall by more than a step costs").into());
        }
        let Some(slots) = heuristic.looks_at() else {
            return Err(refused("it does not say which variables it looks at, as pattern databases do").into());
        };
        Ok(Guide { heuristic, slots })
    }

    fn estimates(&mut self, space: &Space<'_>) -> Computed<Estimates<'_>> {
        Estimates::new(space, self.heuristic.as_mut(), &self.slots)
    }
}

impl Symbolic {
    fn search(
        &self,
        run: &mut Run<'_>,
        space: &mut Space<'_>,
        task: Task<'_>,
        pulse: &mut Pulse<'_, '_>,
    ) -> Computed<()> {
        if let Some(order) = self.order.filter(|_| pulse.driver.max_depth().is_none()) {
            let mut reached = space.initial()?;
            // Without goals, nothing ends it.
            let none = bughound_search::Goals { hints: task.goals.hints.clone(), ..bughound_search::Goals::none() };
            let goals = if task.stop == StopPolicy::Exhaustive { &none } else { task.goals };
            let closed = close(space, &mut reached, order, goals, pulse);
            run.closed = Some((reached.clone(), false));
            run.effort = closed?;
            if !has_errors(space, &reached, &reached, task.goals, pulse)? {
                run.closed = Some((reached, true));
                run.end = Some(End::Exhausted);
                return Ok(());
            }
        }
        run.end = Some(run.forward.run(space, task.goals, task.stop, pulse)?);
        Ok(())
    }
}

impl Run<'_> {
    /// Where nothing is said to be missing.
    fn try_out(&self, space: &mut Space<'_>, pulse: &mut Pulse<'_, '_>) -> Computed<()> {
        if self.end != Some(End::Exhausted) || self.forward.was_cut(space)? {
            return Ok(());
        }
        try_out(space, self.reached(), &self.forward.hopeless, pulse)
    }

    /// All states that were reached.
    fn reached(&self) -> &Set {
        match &self.closed {
            Some((reached, true)) => reached,
            _ => &self.forward.reached,
        }
    }

    fn result(
        mut self,
        mut space: Space<'_>,
        task: Task<'_>,
        pulse: Pulse<'_, '_>,
    ) -> Result<SearchResult, SearchError> {
        let is_satisfied = self.end == Some(End::Satisfied);
        let witnesses = match self.end {
            // An error that was found before a limit was reached is one, but cheaper ones may be left.
            None => self.certain_witnesses(&mut space, task.stop, pulse.now.at_least),
            Some(_) => self.forward.witnesses(&mut space, task.stop),
        };
        let (witnesses, lost) = match witnesses {
            Ok(witnesses) => (witnesses?, None),
            Err(stop) => (Vec::new(), Some(stop.reason()?)),
        };
        let cut = self.forward.was_cut(&space).unwrap_or(true);
        let halt = match self.stopped.or(lost) {
            Some(reason) => Some(Halt::Limit(reason)),
            None => is_satisfied.then_some(Halt::Error),
        };
        let bound = pulse.driver.max_depth().filter(|_| cut && halt.is_none());
        let losses = Losses { halt, bound, floor: pulse.now.at_least, ..Losses::default() };
        let stats = self.statistics(&space, &pulse);
        Ok(losses.result(witnesses, stats))
    }

    /// Of a search that was ended: errors that are no dearer than what was to come.
    fn certain_witnesses(
        &mut self,
        space: &mut Space<'_>,
        stop: StopPolicy,
        next: u64,
    ) -> Computed<Result<Vec<bughound_search::Witness>, SearchError>> {
        self.forward.found.retain(|found| found.cost <= next);
        self.forward.witnesses(space, stop)
    }

    fn statistics(&self, space: &Space<'_>, pulse: &Pulse<'_, '_>) -> Statistics {
        let reached = self.reached();
        let states = space.count(reached);
        let small = |number: &dashu_int::UBig| u64::try_from(number).unwrap_or(u64::MAX);
        let tally = |what| space.tally(reached, what).unwrap_or_default();
        let (transitions, deadlocks) = (tally(Tally::Step), space.deadlocks(reached).map(|set| space.count(&set)));
        let sets = SetStatistics {
            states: states.to_string(),
            transitions: transitions.to_string(),
            nodes: space.diagrams.nodes(reached),
            peak_nodes: space.diagrams.peak_nodes(),
            images: self.forward.images + self.effort.images,
            frontiers: self.forward.frontiers,
            frontier_nodes: self.forward.frontier_nodes,
            image_time: self.forward.image_time + self.effort.time,
            learned: space.learned,
        };
        Statistics {
            expanded: space.learned,
            generated: space.steps_seen,
            stored: small(&states),
            transitions: small(&transitions),
            deadlocks: deadlocks.map_or(0, |deadlocks| small(&deadlocks)),
            failed_assertions: small(&tally(Tally::Assertion)),
            evaluation_errors: small(&tally(Tally::Evaluation)),
            depth: self.forward.layers.iter().map(|layer| layer.cost).max().unwrap_or(0),
            sets: Some(sets),
            peak_memory: pulse.driver.peak_memory(space.memory()),
            elapsed: pulse.driver.elapsed(),
            ..Statistics::default()
        }
    }
}

/// The result of a search that had no room to begin.
pub(crate) fn nothing(reason: StopReason) -> SearchResult {
    let losses = Losses { halt: Some(Halt::Limit(reason)), ..Losses::default() };
    losses.result(Vec::new(), Statistics::default())
}
