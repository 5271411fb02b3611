//! The one loop: take a state from the open list, look whether it is an error, compute its successors, store them, open
//! the new ones (Edelkamp, Schuppan, Bošnački, Wijs, Fehnker, Aljazzar 2008, Fig. 2: the general scheme).
//!
//! **When errors count.** If the order finds cheapest errors first, a state is tested when it is taken for expansion,
//! and a failing step waits until nothing cheaper is open. Steps have weights, so the first error *generated* need not
//! be the shortest. If the order promises nothing, errors count as soon as they are generated. Deadlocks are known
//! after the expansion, in both cases at the cost of the expanded state.
//!
//! **Depth bound.** States behind the bound are stored, so that it is known at the end whether a shorter path to them
//! turned up, but they are neither opened nor counted. With a bound, states are always opened again when they are
//! reached at less cost: otherwise a state first met near the bound would hide the errors behind it.
//!
//! **Merged covers.** If the system has its covers merged, a stored state is larger than the one that was reached. So it is
//! the stored one that is tested, when it is expanded, and no error is proven to be shortest, nor to be one.
//!
//! **Reductions.** Where the system can leave steps out, it is asked to ([`Keep`]). An order that finds cheapest errors first
//! asks for what keeps them; others for what keeps errors. Steps that were postponed are taken after all if everything that
//! the steps taken lead to leads back to the state (`chains.rs`): so nothing is postponed for ever. What a state is expanded
//! by stays the same when it is opened again.
//!
//! The open list may hold outdated entries of a state. The table of nodes knows whether a state is still to be expanded
//! and at which cost, so an entry is only an id.

use std::ops::ControlFlow;

use bughound_kernel::{
    Expansion, Explorer, Keep, LeftOut, Lookup, Move, OutOfMemory, Outcome, Part, State, StateBuf, StateId, StateStore,
    Step, StopReason,
};

use crate::costs::Costs;
use crate::driver::{Driver, Snapshot};
use crate::engines::arrivals::Arrivals;
use crate::engines::chains::Chains;
use crate::engines::ending::{Halt, Losses};
use crate::engines::hunt::{Found, Hunt, Sighting};
use crate::evaluators::{Arrival, Origin, Priority, Rank};
use crate::goals::{PropertyIndex, StopPolicy};
use crate::node_table::{NodeTable, Reached, Relink, Visit};
use crate::open_lists::OpenList;
use crate::path::Paths;
use crate::result::{SearchError, SearchResult, Statistics};
use crate::search::Task;

/// What happens when a known state is reached again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Revisit {
    /// It takes the new path, and is opened again, if that is cheaper.
    Cheaper,
    /// It takes the new path if that is cheaper, but once expanded it is never opened again.
    CheaperUntilExpanded,
    /// It takes the new path if it was not expanded so far. With a stack this gives true depth-first order: a state
    /// belongs to the deepest path that reaches it before it is expanded.
    Newest,
}

impl Revisit {
    fn relink(self) -> Relink {
        match self {
            Revisit::Cheaper => Relink::IfCheaper,
            Revisit::CheaperUntilExpanded => Relink::IfCheaperAndOpen,
            Revisit::Newest => Relink::IfOpen,
        }
    }
}

/// How the loop is run, besides its open list and priority.
#[derive(Clone, Copy, Debug)]
pub struct Setup {
    /// Shown in progress reports.
    pub phase: &'static str,
    pub revisit: Revisit,
    pub costs: Costs,
    /// Longest paths considered; the limit of the driver holds besides.
    pub depth: Option<u64>,
    /// It gives up after so many generated states.
    pub budget: Option<u64>,
    /// Which steps of a state are taken; by default as few as keep what the order promises.
    pub part: Option<Part>,
}

impl Setup {
    pub fn new(phase: &'static str, revisit: Revisit) -> Self {
        Setup { phase, revisit, costs: Costs::Additive, depth: None, budget: None, part: None }
    }
}

/// Searches from the initial states of the system.
pub fn best_first<O, P>(
    task: Task<'_>,
    setup: Setup,
    open: O,
    priority: P,
    driver: &mut Driver<'_>,
) -> Result<SearchResult, SearchError>
where
    O: OpenList<P::Key>,
    P: Priority,
{
    // Only lengths have a bound: no other cost means the depth of a path.
    let bound = setup.depth.into_iter().chain(driver.max_depth()).min().filter(|_| setup.costs == Costs::Additive);
    let mut store = task.stores.new_store();
    let shortest = priority.finds_cheapest_first() && task.stop != StopPolicy::Exhaustive;
    let part = setup.part.unwrap_or(Part::Reduced(if shortest { Keep::Shortest } else { Keep::Errors }));
    // Within a bound, a state that is reached again at less cost may have to be expanded once more: what was postponed
    // there may be lost. And only sums stay the same when steps change places.
    let reduces = setup.costs == Costs::Additive && (bound.is_none() || part == Part::Reduced(Keep::Shortest));
    let mut run = Run {
        store: &mut *store,
        open,
        tests_early: priority.takes_errors_at_once() && !task.system.merges_covers(),
        priority,
        nodes: NodeTable::default(),
        hunt: Hunt::new(&task),
        // The explorer that emits a state is busy; errors seen at generation need another one.
        probe: task.system.explorer(),
        revisit: if bound.is_some() { Revisit::Cheaper } else { setup.revisit },
        setup,
        task,
        bound,
        stats: Statistics::default(),
        entered: 0,
        beyond: 0,
        cut_by_estimate: false,
        endless: false,
        displaced: Vec::new(),
        arrivals: Arrivals::default(),
        waits: task.system.layout().cover_len == 0,
        taken_cost: 0,
        least_step: u64::MAX,
        part: if reduces { part } else { Part::All },
        chains: Chains::default(),
        onward: None,
        postponed: false,
        left_out: false,
        halt: None,
        driver,
    };
    let mut explorer = task.system.explorer();
    explorer.heed(run.driver.stop_signal());
    run.explore(&mut *explorer);
    // Errors that were found are written down whatever happens.
    run.finish(&mut *task.system.explorer())
}

struct Run<'r, 'd, O, P: Priority> {
    task: Task<'r>,
    setup: Setup,
    store: &'r mut dyn StateStore,
    open: O,
    priority: P,
    nodes: NodeTable,
    hunt: Hunt<P::Key>,
    probe: Box<dyn Explorer + 'r>,
    revisit: Revisit,
    tests_early: bool,
    bound: Option<u64>,
    driver: &'r mut Driver<'d>,
    stats: Statistics,
    /// States that were stored.
    entered: u64,
    /// Stored states behind the bound.
    beyond: u64,
    /// The evaluator left out states behind which nothing lies within the bound.
    cut_by_estimate: bool,
    /// A step did not end and was given up.
    endless: bool,
    displaced: Vec<StateId>,
    /// Successors of the state under way that are not stored so far.
    arrivals: Arrivals,
    /// Successors are stored several at a time. Covers are looked for one after the other.
    waits: bool,
    /// What all states reached from now on cost at least, without the step that leads to them.
    taken_cost: u64,
    /// The least that a step has cost so far.
    least_step: u64,
    /// Which steps of a state are asked for.
    part: Part,
    /// Where states lead that postpone steps.
    chains: Chains,
    /// Of the state under way: the end of a chain to which it leads, other than itself, and whether that was expanded.
    onward: Option<(StateId, bool)>,
    /// Some steps were postponed: errors are found, but not at their least cost.
    postponed: bool,
    /// Some steps were left out that may be taken nowhere.
    left_out: bool,
    halt: Option<Halt>,
}

impl<O: OpenList<P::Key>, P: Priority> Run<'_, '_, O, P> {
    fn explore(&mut self, explorer: &mut dyn Explorer) {
        explorer.initial(&mut |state| {
            if self.halt.is_none() {
                let _ = self.arrive(None, 0, state, &[]);
            }
        });
        self.open.end_of_expansion();
        let mut current = StateBuf::default();
        while self.halt.is_none() {
            let Some((key, id)) = self.open.pop() else { break };
            let Some(visit) = self.nodes.take(id) else { continue };
            if self.hunt.has_postponed() && self.hunt.settle(Some(key), self.proves_shortest()).is_break() {
                self.halt = Some(Halt::Error);
                break;
            }
            if self.setup.budget.is_some_and(|budget| self.stats.generated >= budget) {
                self.halt = Some(Halt::Budget);
                break;
            }
            let floor = self.priority.cost_floor(key);
            if floor != self.taken_cost {
                self.taken_cost = floor;
                self.tell_floor();
            }
            self.store.read(id, &mut current);
            let before = self.stats.generated;
            if self.expand(explorer, id, visit, current.as_state()).is_break() {
                break;
            }
            self.open.end_of_expansion();
            if self.driver.is_due(1 + self.stats.generated - before) {
                let now = self.snapshot(id);
                self.halt = self.driver.check(now).map(Halt::Limit);
            }
        }
    }

    fn expand(&mut self, explorer: &mut dyn Explorer, id: StateId, visit: Visit, from: State<'_>) -> ControlFlow<()> {
        let cost = self.nodes.cost(id);
        if visit == Visit::First && !self.tests_early {
            self.test_invariants(id, from)?;
        }
        self.stats.expanded += 1;
        self.stats.depth = self.stats.depth.max(cost);
        let part = if self.nodes.is_whole(id) { Part::All } else { self.part };
        self.onward = None;
        let expansion = self.take_part(explorer, id, visit, from, part)?;
        if expansion.left_out != LeftOut::Nothing {
            self.stats.reduced += u64::from(visit == Visit::First);
        }
        self.left_out |= expansion.left_out == LeftOut::Safely;
        if expansion.left_out == LeftOut::Postponed && visit == Visit::First {
            self.postponed = true;
            match self.onward {
                Some((root, _)) => {
                    if self.chains.link(id, root).is_err() {
                        return self.stop(Halt::Limit(StopReason::Memory));
                    }
                }
                None => {
                    self.nodes.set_whole(id);
                    self.stats.reduced -= 1;
                    self.take_part(explorer, id, visit, from, Part::Rest)?;
                }
            }
        }
        if expansion.deadlock && visit == Visit::First {
            self.stats.deadlocks += 1;
            let goals = self.task.goals;
            if let Some(property) = goals.deadlock.filter(|property| !goals.is_known(*property, None, from)) {
                // That it has no successors is the test for this error; a state that is an error is not expanded.
                self.stats.expanded -= u64::from(!self.hunt.has_witness(property));
                self.report(Sighting { property, at: id, failure: None })?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Follows a part of the steps of a state.
    fn take_part(
        &mut self,
        explorer: &mut dyn Explorer,
        id: StateId,
        visit: Visit,
        from: State<'_>,
        part: Part,
    ) -> ControlFlow<(), Expansion> {
        let cost = self.nodes.cost(id);
        let mut flow = ControlFlow::Continue(());
        let expansion = explorer.part(from, part, &mut |step| {
            flow = match self.driver.stopped() {
                Some(reason) => self.stop(Halt::Limit(reason)),
                None => self.follow(Origin { id, state: from }, cost, visit, step),
            };
            flow
        });
        flow?;
        self.admit_waiting(Origin { id, state: from })?;
        if let Some(reason) = self.driver.stopped() {
            self.halt = Some(Halt::Limit(reason));
            return ControlFlow::Break(());
        }
        self.endless |= expansion.cut;
        ControlFlow::Continue(expansion)
    }

    #[inline]
    fn follow(&mut self, from: Origin<'_>, from_cost: u64, visit: Visit, step: &Step<'_>) -> ControlFlow<()> {
        if let Some(observer) = &mut self.driver.observer {
            observer.step(step.moves);
        }
        let cost = self.setup.costs.extend(from_cost, step);
        let failure = match step.outcome {
            Outcome::State(state) => {
                self.stats.generated += 1;
                self.stats.transitions += u64::from(visit == Visit::First);
                let step_cost = cost.saturating_sub(from_cost);
                if step_cost < self.least_step {
                    self.least_step = step_cost;
                    self.tell_floor();
                }
                if self.waits {
                    self.arrivals.push(state, cost, step.moves);
                    return if self.store.announce(state) {
                        ControlFlow::Continue(())
                    } else {
                        self.admit_waiting(from)
                    };
                }
                return self.arrive(Some(from), cost, state, step.moves);
            }
            Outcome::Failure(failure) => failure,
        };
        self.admit_waiting(from)?;
        if visit == Visit::First {
            self.stats.count_failure(failure.kind);
        }
        let goals = self.task.goals;
        let is_new = |property: &PropertyIndex| !goals.is_known(*property, Some(failure), from.state);
        let Some(property) = goals.failure(failure.kind).filter(is_new) else { return ControlFlow::Continue(()) };
        let sighting = Sighting { property, at: from.id, failure: Some(failure) };
        if self.is_beyond(cost) {
            self.hunt.note_beyond_bound(property);
        } else if self.tests_early {
            self.report(sighting)?;
        } else if !self.hunt.has_witness(property) {
            self.hunt.postpone(self.priority.rank_error(cost), sighting);
        }
        ControlFlow::Continue(())
    }

    /// Has those arrive that were reached from this state and wait.
    #[inline]
    fn admit_waiting(&mut self, from: Origin<'_>) -> ControlFlow<()> {
        if self.arrivals.is_empty() {
            return ControlFlow::Continue(());
        }
        let (waiting, count) = self.arrivals.take();
        let mut each = waiting[..count].iter();
        let flow = each.try_for_each(|one| self.arrive(Some(from), one.cost, one.state.as_state(), &one.moves));
        self.arrivals.give_back(waiting);
        flow
    }

    #[inline]
    fn arrive(&mut self, from: Option<Origin<'_>>, cost: u64, state: State<'_>, moves: &[Move]) -> ControlFlow<()> {
        self.admit(from, cost, state, moves).unwrap_or_else(|OutOfMemory| self.stop(Halt::Limit(StopReason::Memory)))
    }

    /// Stores a state and opens it if it is new or reached on a better path.
    fn admit(
        &mut self,
        from: Option<Origin<'_>>,
        cost: u64,
        state: State<'_>,
        moves: &[Move],
    ) -> Result<ControlFlow<()>, OutOfMemory> {
        let parent = from.map(|origin| origin.id);
        // A larger cover that is dearer may replace a smaller one where shortest paths do not matter.
        let counted = if self.revisit == Revisit::Cheaper { cost } else { 0 };
        self.nodes.announce(cost);
        let lookup = self.store.insert(state, counted, &mut self.displaced)?;
        if !self.displaced.is_empty() {
            self.forget_displaced(cost);
        }
        if let (Lookup::New(to) | Lookup::Known(to), Some(from)) = (lookup, parent)
            && self.part != Part::All
        {
            self.note_onward(from, to);
        }
        let (id, fresh) = match lookup {
            Lookup::Covered(_) => return Ok(ControlFlow::Continue(())),
            Lookup::New(id) => {
                self.nodes.enter(id, parent, cost)?;
                self.entered += 1;
                if self.is_beyond(cost) {
                    self.beyond += 1;
                    return Ok(ControlFlow::Continue(()));
                }
                if self.driver.exceeds_states(self.stored()) {
                    return Ok(self.stop(Halt::Limit(StopReason::States)));
                }
                (id, true)
            }
            Lookup::Known(id) => {
                if self.revisit == Revisit::Cheaper && self.is_beyond(cost) {
                    return Ok(ControlFlow::Continue(()));
                }
                let reached = self.nodes.reach(id, parent, cost, self.revisit.relink())?;
                let Reached::Better { cost: before, closed } = reached else { return Ok(ControlFlow::Continue(())) };
                if self.revisit == Revisit::CheaperUntilExpanded {
                    // It keeps its place in the open list.
                    return Ok(ControlFlow::Continue(()));
                }
                let was_beyond = self.is_beyond(before);
                self.stats.reopened += u64::from(closed);
                self.beyond -= u64::from(was_beyond);
                (id, was_beyond)
            }
        };
        if fresh && self.tests_early && self.test_invariants(id, state).is_break() {
            return Ok(ControlFlow::Break(()));
        }
        match self.priority.rank(&Arrival { id, state, cost, from, moves }) {
            Rank::Open(key) => {
                self.nodes.open(id);
                self.open.push(key, id)?;
            }
            Rank::Prune => self.stats.dead_ends += 1,
            Rank::Beyond => self.cut_by_estimate = true,
        }
        Ok(ControlFlow::Continue(()))
    }

    /// A step of the state under way leads there. An end that has been expanded stays what it is, so it is preferred.
    fn note_onward(&mut self, from: StateId, to: StateId) {
        if matches!(self.onward, Some((_, true))) {
            return;
        }
        let root = self.chains.root(to);
        if root != from {
            self.onward = Some((root, self.nodes.was_expanded(root)));
        }
    }

    /// Steps that weigh less may still come; the store can live with that.
    fn tell_floor(&mut self) {
        self.store.set_floor(self.taken_cost.saturating_add(self.least_step));
    }

    /// The new state does all that the displaced ones could do: those still open need no expansion, unless they can do it
    /// at less cost and that matters.
    fn forget_displaced(&mut self, cost: u64) {
        self.stats.displaced += self.displaced.len() as u64;
        for id in self.displaced.drain(..) {
            if self.revisit != Revisit::Cheaper || self.nodes.cost(id) >= cost {
                self.nodes.close(id);
            }
            if self.bound.is_some_and(|bound| self.nodes.cost(id) > bound) {
                self.beyond -= 1;
                // It never counted as stored.
                self.stats.displaced -= 1;
            }
        }
    }

    fn test_invariants(&mut self, id: StateId, state: State<'_>) -> ControlFlow<()> {
        for goal in &self.task.goals.invariants {
            if !self.hunt.has_witness(goal.property)
                && self.probe.holds(goal.atom, state) != goal.expected
                && !self.task.goals.is_known(goal.property, None, state)
            {
                self.report(Sighting { property: goal.property, at: id, failure: None })?;
            }
        }
        ControlFlow::Continue(())
    }

    fn report(&mut self, sighting: Sighting) -> ControlFlow<()> {
        let proven = self.proves_shortest();
        if self.hunt.report(sighting, proven).is_break() { self.stop(Halt::Error) } else { ControlFlow::Continue(()) }
    }

    fn stop(&mut self, halt: Halt) -> ControlFlow<()> {
        self.halt = Some(halt);
        ControlFlow::Break(())
    }

    fn is_beyond(&self, cost: u64) -> bool {
        self.bound.is_some_and(|bound| cost > bound)
    }

    /// Is an error whose turn it is a shortest one?
    fn proves_shortest(&self) -> bool {
        let lossy = self.store.is_lossy() || self.open.has_lost_entries();
        let nothing_lost = !lossy && !self.task.system.merges_covers();
        self.priority.finds_cheapest_first()
            && !self.postponed
            && nothing_lost
            && (self.stats.dead_ends == 0 || self.priority.prunes_safely())
    }

    fn stored(&self) -> u64 {
        self.entered - self.beyond - self.stats.displaced
    }

    fn memory(&self) -> u64 {
        let tables = self.nodes.memory() + self.open.memory() + self.priority.memory() + self.chains.memory();
        self.store.memory() + self.task.system.memory() + tables
    }

    fn snapshot(&self, current: StateId) -> Snapshot {
        Snapshot {
            phase: self.setup.phase,
            preparing: None,
            stored: self.stored(),
            expanded: self.stats.expanded,
            frontier: self.open.len() as u64,
            depth: self.nodes.cost(current),
            best_estimate: self.priority.best_estimate(),
            memory: self.memory(),
        }
    }

    fn finish(mut self, explorer: &mut dyn Explorer) -> Result<SearchResult, SearchError> {
        // An error that waited for its turn is an error all the same when a limit ends the search.
        if !(self.hunt.stops_at_first() && self.hunt.has_found_any()) {
            let proven = self.halt.is_none() && self.proves_shortest();
            let enough = self.hunt.settle(None, proven).is_break();
            if enough && self.hunt.stops_at_first() && self.halt.is_none() {
                self.halt = Some(Halt::Error);
            }
        }
        self.stats.stored = self.stored();
        let losses = self.losses();
        self.stats.peak_memory = self.driver.peak_memory(self.memory());
        (self.stats.evaluated, self.stats.evaluation_time) = self.priority.evaluations();
        self.stats.queues = self.open.accesses();
        let (system, costs) = (self.task.system, self.setup.costs);
        let goals = self.task.goals;
        let mut paths = Paths { store: &*self.store, nodes: &self.nodes, system, explorer, costs, goals };
        let witness = |found: Found| {
            let Sighting { property, at, failure } = found.sighting;
            paths.to(at, failure, property, found.proven_shortest)
        };
        let witnesses = self.hunt.into_found().into_iter().map(witness).collect::<Result<_, _>>()?;
        self.stats.elapsed = self.driver.elapsed();
        Ok(losses.result(witnesses, self.stats))
    }

    fn losses(&self) -> Losses {
        let cut = self.beyond > 0 || self.cut_by_estimate || self.hunt.missed_beyond_bound();
        Losses {
            halt: self.halt,
            bound: self.bound.filter(|_| cut),
            lossy_store: self.store.is_lossy(),
            lossy_open_list: self.open.has_lost_entries(),
            endless: self.endless,
            unsafe_pruning: self.stats.dead_ends > 0 && !self.priority.prunes_safely(),
            left_out: self.left_out,
        }
    }
}
