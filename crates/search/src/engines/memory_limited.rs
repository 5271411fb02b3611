//! Memory-limited A*: the loop of `algorithms/memory_limited_astar.rs`.
//!
//! A tree of best known ways, as in A*. Where there is no room for another state, the worst leaf goes (the largest f; of
//! these the one nearest to the start), and its f is noted at its parent, beside a number made of the state. A state with
//! such notes is expanded again when the least of them has its turn; what it did not note is done, and not made
//! again.
//!
//! **Why nothing is lost.** Each state on a cheapest way is in the tree, or noted at its parent in the tree, or its parent is, and
//! so on; or it was reached at no higher cost elsewhere, where the same holds. f never falls along a way (what a state is
//! made again with is at least what was noted), and the least f in the tree or in a note is never more than the cost of the
//! cheapest error. States that are done may be forgotten, too: then they are done again if another way leads there.
//!
//! **Why it may fail.** A way longer than what can be held cannot be followed to its end: when there is nothing to drop but
//! the way itself, what lies beyond is given up, and the least f given up is remembered. Errors up to that are proven.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

use bughound_kernel::registry::Expression;
use bughound_kernel::{Explorer, OutOfMemory, Outcome, State, StateBuf, Step, StopReason};

use crate::driver::Driver;
use crate::engines::ending::Halt;
use crate::engines::expansion::{Follower, expand};
use crate::engines::improving::{Improving, Worth};
use crate::engines::pool::{Place, Pool};
use crate::result::{SearchError, SearchResult};
use crate::search::Task;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Status {
    /// To be expanded with all its steps.
    Open,
    /// Expanded; what is below it is in the tree or noted.
    Expanded,
    /// Nothing is left to be done below it. It is kept as long as there is room, so that it is not done again.
    Done,
    /// The place is free.
    Gone,
}

#[derive(Clone, Debug)]
struct Node {
    cost: u64,
    /// No error below it costs less.
    f: u64,
    depth: u32,
    parent: Option<Place>,
    /// In the tree, and not done.
    children: u32,
    status: Status,
    /// States below it that were dropped: a number made of each, and its f.
    notes: Vec<(u64, u64)>,
}

/// Small f first; of equals, the one farther from the start.
type Rank = (u64, Reverse<u32>, Place);

/// How a search has ended.
pub(super) struct Ended {
    pub halt: Option<Halt>,
    /// Every error that costs less was found.
    pub floor: u64,
}

pub(super) struct MemoryLimited<'b, 't, 'd, 'a> {
    common: &'b mut Improving<'t, 'd, 'a>,
    pool: Pool<'t>,
    /// By place.
    nodes: Vec<Node>,
    /// What can be expanded.
    candidates: BTreeSet<Rank>,
    /// What can be dropped.
    leaves: BTreeSet<Rank>,
    /// What can be forgotten. Some entries are out of date.
    done: Vec<Place>,
    /// So many states may be held.
    room: usize,
    /// Who has set the limit on them.
    limit: StopReason,
    /// The least f that was given up for want of room.
    given_up: Option<u64>,
    /// Notes of all states.
    notes: usize,
    /// The state that is expanded.
    from: Option<Place>,
    /// If it is expanded again: what it has noted.
    again: Option<Vec<(u64, u64)>>,
}

impl<'b, 't, 'd, 'a> MemoryLimited<'b, 't, 'd, 'a> {
    /// `room`: for so many states, besides what the limits of the run say.
    pub(super) fn new(common: &'b mut Improving<'t, 'd, 'a>, room: Option<usize>) -> Self {
        let by_states = common.driver.limits().states.map(|states| usize::try_from(states).unwrap_or(usize::MAX));
        let limit = if by_states.is_some_and(|most| room.is_none_or(|room| most < room)) {
            StopReason::States
        } else {
            StopReason::Memory
        };
        MemoryLimited {
            pool: Pool::new(common.task.system),
            common,
            nodes: Vec::new(),
            candidates: BTreeSet::new(),
            leaves: BTreeSet::new(),
            done: Vec::new(),
            room: by_states.into_iter().chain(room).min().unwrap_or(usize::MAX),
            limit,
            given_up: None,
            notes: 0,
            from: None,
            again: None,
        }
    }

    pub(super) fn search(mut self) -> Ended {
        let halt = match self.search_all() {
            ControlFlow::Break(halt) => Some(halt),
            ControlFlow::Continue(()) => None,
        };
        let memory = self.memory();
        let stats = &mut self.common.stats;
        // The one that has come too many was there for a moment only.
        stats.stored = (self.pool.places() as u64).min(self.room as u64);
        stats.peak_memory = stats.peak_memory.max(memory);
        let next = self.candidates.first().map(|(f, ..)| *f).filter(|_| halt.is_some());
        // What was under way when it ended is in no list.
        let under_way = self.from.filter(|_| halt.is_some()).map(|from| self.nodes[from as usize].f);
        let floor = next.into_iter().chain(under_way).chain(self.given_up).min().unwrap_or(u64::MAX);
        let floor =
            if matches!(halt, Some(Halt::Limit(_))) && next.is_none() && under_way.is_none() { 0 } else { floor };
        let given_up = self.given_up.filter(|f| self.common.is_of_interest(*f));
        Ended { halt: halt.or(given_up.map(|_| Halt::Limit(self.limit))), floor }
    }

    fn search_all(&mut self) -> ControlFlow<Halt> {
        let mut explorer = self.common.task.system.explorer();
        let explorer = &mut *explorer;
        explorer.heed(self.common.driver.stop_signal());
        let mut flow = ControlFlow::Continue(());
        explorer.initial(&mut |state| {
            if flow.is_continue() {
                flow = self.arrive(0, state);
            }
        });
        flow?;
        let mut current = StateBuf::default();
        while let Some(&(f, Reverse(_), place)) = self.candidates.first() {
            if !self.common.is_of_interest(f) {
                break;
            }
            self.pool.read(place, &mut current);
            let before = self.common.stats.generated;
            self.expand(explorer, place, current.as_state())?;
            let work = 1 + self.common.stats.generated - before;
            if self.common.driver.is_due(work) {
                self.look_at_limits(place)?;
            }
        }
        ControlFlow::Continue(())
    }

    fn expand(&mut self, explorer: &mut dyn Explorer, place: Place, state: State<'_>) -> ControlFlow<Halt> {
        self.unlist(place);
        let node = &mut self.nodes[place as usize];
        let notes = std::mem::take(&mut node.notes);
        let (cost, is_again) = (node.cost, node.status == Status::Expanded);
        self.notes -= notes.len();
        self.again = is_again.then_some(notes);
        self.from = Some(place);
        let stats = &mut self.common.stats;
        stats.expanded += 1;
        stats.depth = stats.depth.max(cost);
        let expansion = expand(explorer, state, self)?;
        self.common.note_endless(expansion.cut);
        if expansion.deadlock {
            let (common, nodes, pool) = (&mut *self.common, &self.nodes, &self.pool);
            common.test_deadlock(cost, || way(nodes, pool, Some(place)))?;
        }
        self.from = None;
        self.nodes[place as usize].status = Status::Expanded;
        self.list(place);
        ControlFlow::Continue(())
    }

    fn look_at_limits(&mut self, place: Place) -> ControlFlow<Halt> {
        let depth = self.nodes[place as usize].cost;
        let mut snapshot = self.common.snapshot(self.pool.len(), self.candidates.len(), depth, self.memory());
        snapshot.at_least = self.candidates.first().map_or(0, |(f, ..)| *f);
        if let Some(limit) = self.common.driver.limits().memory {
            let used = snapshot.memory + self.common.driver.uncounted();
            if used > limit - limit / 8 {
                // What the tables have taken they do not give back, but it is used again.
                let some_less = self.pool.len() - self.pool.len() / 16;
                self.room = self.room.min(if used > limit - limit / 16 { some_less } else { self.pool.len() });
                self.limit = StopReason::Memory;
            }
        }
        match self.common.driver.check(snapshot) {
            Some(reason) => ControlFlow::Break(Halt::Limit(reason)),
            None => ControlFlow::Continue(()),
        }
    }

    fn arrive(&mut self, cost: u64, state: State<'_>) -> ControlFlow<Halt> {
        self.admit(cost, state).unwrap_or(ControlFlow::Break(Halt::Limit(StopReason::Memory)))
    }

    /// A state was reached from the one that is expanded.
    fn admit(&mut self, cost: u64, state: State<'_>) -> Result<ControlFlow<Halt>, OutOfMemory> {
        let (place, fresh) = self.pool.insert(state)?;
        if !fresh && self.nodes[place as usize].cost <= cost {
            return Ok(ControlFlow::Continue(()));
        }
        let tag = self.pool.hash(place);
        let noted = match &self.again {
            // What it has not noted is done, or stood elsewhere at no higher cost.
            Some(notes) => match notes.iter().filter(|(other, _)| *other == tag).map(|(_, f)| *f).min() {
                None if fresh => {
                    self.pool.remove(place);
                    return Ok(ControlFlow::Continue(()));
                }
                noted => noted,
            },
            None => None,
        };
        let worth = self.common.worth(state, cost, None);
        let (parent, depth, f_above) = match self.from {
            Some(from) => (Some(from), self.nodes[from as usize].depth.saturating_add(1), self.nodes[from as usize].f),
            None => (None, 0, 0),
        };
        let Some(Worth { f, .. }) = worth else {
            if fresh {
                self.pool.remove(place);
            }
            return Ok(ControlFlow::Continue(()));
        };
        let f = f.max(f_above).max(noted.unwrap_or(0));
        if fresh {
            if !self.make_room((f, Reverse(depth), place), tag)? {
                return Ok(ControlFlow::Continue(()));
            }
        } else {
            self.leave_parent(place);
        }
        self.nodes.try_reserve(1).map_err(|_| OutOfMemory)?;
        let children = if fresh { 0 } else { self.nodes[place as usize].children };
        let node = Node { cost, f, depth, parent, children, status: Status::Open, notes: Vec::new() };
        match self.nodes.get_mut(place as usize) {
            Some(old) => *old = node,
            None => self.nodes.push(node),
        }
        if let Some(parent) = parent {
            self.nodes[parent as usize].children += 1;
        }
        self.list(place);
        let (common, nodes, pool) = (&mut *self.common, &self.nodes, &self.pool);
        Ok(common.test(state, cost, || way(nodes, pool, Some(place))))
    }

    /// A state of the tree was reached at less cost: it gets another parent, and is expanded anew.
    fn leave_parent(&mut self, place: Place) {
        self.unlist(place);
        let node = &mut self.nodes[place as usize];
        self.common.stats.reopened += u64::from(node.status != Status::Open);
        self.notes -= node.notes.len();
        let was_done = node.status == Status::Done;
        // What was below a state that is done is done by itself.
        if was_done {
            node.children = 0;
        }
        let parent = node.parent.take().filter(|_| !was_done);
        if let Some(parent) = parent {
            self.lose_child(parent);
        }
    }

    /// Makes room for a state that is in the pool already. False: there is none, and it was noted at its parent.
    fn make_room(&mut self, rank: Rank, tag: u64) -> Result<bool, OutOfMemory> {
        while self.pool.len() > self.room {
            if let Some(place) = self.done.pop() {
                if self.nodes[place as usize].status == Status::Done {
                    self.nodes[place as usize].status = Status::Gone;
                    self.pool.remove(place);
                }
                continue;
            }
            match self.leaves.last().copied() {
                Some(worst) if worst > rank => self.drop_leaf(worst.2)?,
                found => {
                    let (f, _, place) = rank;
                    self.pool.remove(place);
                    match (found, self.from) {
                        (Some(_), Some(from)) => self.note(from, tag, f)?,
                        // Only the way to here is held.
                        (None, _) | (_, None) => {
                            self.given_up = Some(self.given_up.map_or(f, |least| least.min(f)));
                        }
                    }
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    fn drop_leaf(&mut self, place: Place) -> Result<(), OutOfMemory> {
        self.unlist(place);
        let tag = self.pool.hash(place);
        let node = &mut self.nodes[place as usize];
        node.status = Status::Gone;
        self.notes -= std::mem::take(&mut node.notes).len();
        let (f, parent) = (node.f, node.parent.take());
        self.pool.remove(place);
        if let Some(parent) = parent {
            self.note(parent, tag, f)?;
            self.lose_child(parent);
        }
        Ok(())
    }

    fn note(&mut self, parent: Place, tag: u64, f: u64) -> Result<(), OutOfMemory> {
        self.unlist(parent);
        let notes = &mut self.nodes[parent as usize].notes;
        notes.try_reserve(1).map_err(|_| OutOfMemory)?;
        notes.push((tag, f));
        self.notes += 1;
        self.list(parent);
        Ok(())
    }

    /// A child has left the tree.
    fn lose_child(&mut self, parent: Place) {
        self.unlist(parent);
        self.nodes[parent as usize].children -= 1;
        self.list(parent);
    }

    fn rank(&self, place: Place) -> Rank {
        let node = &self.nodes[place as usize];
        (node.f, Reverse(node.depth), place)
    }

    fn unlist(&mut self, place: Place) {
        let rank = self.rank(place);
        self.candidates.remove(&rank);
        self.leaves.remove(&rank);
    }

    /// Puts a state where it belongs; who has nothing left to be done is done, and so perhaps its parent.
    fn list(&mut self, mut place: Place) {
        // The state that is expanded is in no list until that is over.
        while self.from != Some(place) {
            let node = &mut self.nodes[place as usize];
            match node.status {
                Status::Done | Status::Gone => return,
                Status::Open => {}
                Status::Expanded => {
                    if let Some(least) = node.notes.iter().map(|(_, f)| *f).min() {
                        node.f = least;
                    } else if node.children > 0 {
                        return;
                    } else {
                        node.status = Status::Done;
                        self.done.push(place);
                        let Some(parent) = node.parent.take() else { return };
                        self.unlist(parent);
                        self.nodes[parent as usize].children -= 1;
                        place = parent;
                        continue;
                    }
                }
            }
            let is_leaf = node.children == 0 && node.parent.is_some();
            let rank = self.rank(place);
            self.candidates.insert(rank);
            if is_leaf {
                self.leaves.insert(rank);
            }
            return;
        }
    }

    fn memory(&self) -> u64 {
        let lists = (self.candidates.len() + self.leaves.len()) * 2 * size_of::<Rank>();
        let nodes = self.nodes.capacity() * size_of::<Node>() + 2 * self.notes * size_of::<(u64, u64)>();
        self.pool.memory() + (lists + nodes + self.done.capacity() * size_of::<Place>()) as u64
    }
}

/// The states on the way to a state of the tree.
fn way(nodes: &[Node], pool: &Pool<'_>, to: Option<Place>) -> Vec<StateBuf> {
    let ancestors = std::iter::successors(to, |place| nodes[*place as usize].parent);
    let read = |place: Place| {
        let mut state = StateBuf::default();
        pool.read(place, &mut state);
        state
    };
    let mut way: Vec<StateBuf> = ancestors.map(read).collect();
    way.reverse();
    way
}

impl Follower for MemoryLimited<'_, '_, '_, '_> {
    fn stopped(&self) -> Option<StopReason> {
        self.common.driver.stopped()
    }

    fn follow(&mut self, step: &Step<'_>) -> ControlFlow<Halt> {
        self.common.observe(step);
        let from = self.from;
        let here = from.map_or(0, |from| self.nodes[from as usize].cost);
        let cost = here.saturating_add(step.weight);
        match step.outcome {
            Outcome::State(state) => self.arrive(cost, state),
            Outcome::Failure(failure) => {
                let (common, nodes, pool) = (&mut *self.common, &self.nodes, &self.pool);
                common.test_failure(failure, cost, || way(nodes, pool, from))
            }
        }
    }
}

/// Searches with room for so many states.
pub fn memory_limited(
    task: Task<'_>,
    phase: &'static str,
    heuristic: &Expression,
    room: Option<usize>,
    driver: &mut Driver<'_>,
) -> Result<SearchResult, SearchError> {
    let mut common = Improving::new(task, phase, heuristic, driver)?;
    let Ended { halt, floor } = MemoryLimited::new(&mut common, room).search();
    common.finish(halt, floor)
}
