//! A search that has used its memory hands over what it knows, to somebody who has more room.

use std::sync::atomic::Ordering;

use bughound_kernel::{Heuristic, Keep, Part, StateBuf, StateId, StateStore};

use super::frontier::Alone;
use super::worker::{BeforeHandingOver, Overflow, Worker};
use super::{Setup, finish, shared};
use crate::driver::Driver;
use crate::engines::best_first;
use crate::engines::hunt::Hunt;
use crate::evaluators::Priority;
use crate::node_table::NodeTable;
use crate::open_lists::OpenList;
use crate::result::{SearchError, SearchResult, Statistics};
use crate::saving::{Begin, Resumed};
use crate::search::Task;

/// What a search has done by the time its memory was used up, between two expansions.
pub struct HalfDone<'a> {
    pub name: &'static str,
    pub heuristic: Option<Box<dyn Heuristic + 'a>>,
    /// Without the number of stored states, which follows from the states.
    pub stats: Statistics,
    /// A step did not end and was given up.
    pub endless: bool,
    /// Steps were left out for good.
    pub left_out: bool,
    /// No error costs less.
    pub floor: u64,
    pub part: Part,
    pub bound: Option<u64>,
    hunt: Hunt<u64, StateId>,
    /// `None` if it was handed over in an earlier process.
    states: Option<States<'a>>,
    /// What was saved by who went on with it then. There is nothing else to be handed over.
    pub resumed: Option<Resumed>,
}

struct States<'a> {
    store: Box<dyn StateStore + 'a>,
    nodes: NodeTable,
    overflow: Vec<Overflow>,
}

/// How a state stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It is to be expanded for the first time.
    Open,
    /// It was expanded, and then reached at less cost: it is to be expanded again.
    OpenAgain,
    Expanded,
    /// It is neither open nor expanded: it lies beyond the bound, or no error behind it matters, or a larger one has displaced it.
    Left,
}

/// A state that a search knows, and what it knows of it.
#[derive(Clone, Debug, Default)]
pub struct KnownState {
    pub state: StateBuf,
    pub cost: u64,
    /// Initial states have none.
    pub parent: Option<StateBuf>,
}

impl HalfDone<'_> {
    /// Hands every state over, and forgets all that was in memory.
    pub fn hand_over<E>(self, mut take: impl FnMut(&KnownState, Standing) -> Result<(), E>) -> Result<Errors, E> {
        let nobody = |_: &StateId| KnownState::default();
        let Some(States { store, nodes, overflow }) = self.states else { return Ok(self.hunt.at_costs(nobody)) };
        let mut known = KnownState::default();
        let read = |id: Option<StateId>, into: &mut Option<StateBuf>| match id {
            Some(id) => store.read(id, into.get_or_insert_default()),
            None => *into = None,
        };
        for id in (0..store.len() as u32).map(StateId) {
            // A state that there was no room to enter is among those that overflow.
            if !nodes.is_present(id) {
                continue;
            }
            store.read(id, &mut known.state);
            known.cost = nodes.cost(id);
            read(nodes.parent(id), &mut known.parent);
            let standing = match (nodes.is_open(id), nodes.was_expanded(id)) {
                (true, false) => Standing::Open,
                (true, true) => Standing::OpenAgain,
                (false, true) => Standing::Expanded,
                (false, false) => Standing::Left,
            };
            take(&known, standing)?;
        }
        for Overflow { parent, cost, state } in overflow {
            (known.state, known.cost) = (state, cost);
            read(parent, &mut known.parent);
            take(&known, Standing::Open)?;
        }
        let errors = self.hunt.at_costs(|id| {
            let mut known = KnownState { cost: nodes.cost(*id), ..KnownState::default() };
            store.read(*id, &mut known.state);
            read(nodes.parent(*id), &mut known.parent);
            known
        });
        Ok(errors)
    }
}

/// Errors that were met, with the states that they were met at.
pub type Errors = Hunt<u64, KnownState>;

/// As much of the memory as there is until it is handed over: the rest is for who takes it.
fn part_of(limit: u64) -> u64 {
    limit - limit / 8
}

/// Searches with one thread; when memory is used up, and there is somebody who goes on then, hands over.
pub fn best_first_beyond<'t, O, P>(
    task: Task<'t>,
    setup: Setup,
    open: O,
    priority: P,
    heuristic_of: impl FnOnce(P) -> Option<Box<dyn Heuristic + 't>>,
    driver: &mut Driver<'_>,
) -> Result<SearchResult, SearchError>
where
    O: OpenList<P::Key>,
    P: Priority,
{
    let Some(go_on) = driver.beyond_memory().filter(|_| !task.stores.forgets() && !task.system.merges_covers()) else {
        return best_first(task, setup, open, priority, driver);
    };
    let mut store = task.stores.new_store();
    if store.is_lossy() {
        return best_first(task, setup, open, priority, driver);
    }
    // Who goes on knows nothing of steps that were postponed.
    let setup = Setup { part: Some(setup.part.unwrap_or(Part::Reduced(Keep::Shortest))), ..setup };
    let resumed = match driver.begin_run(&task, &format!("{setup:?}, and on disk")) {
        Begin::AtTheEnd(result) => return Ok(*result),
        Begin::From(resumed) => Some(resumed),
        Begin::AtTheStart => None,
    };
    let mut shared = shared(&task, setup, &priority, driver);
    if resumed.as_ref().is_some_and(|resumed| !resumed.has_states()) {
        // It was handed over before it was saved.
        let half = HalfDone {
            name: setup.phase,
            heuristic: heuristic_of(priority),
            stats: Statistics::default(),
            endless: false,
            left_out: false,
            floor: 0,
            part: shared.part,
            bound: shared.bound,
            hunt: Hunt::new(&task),
            states: None,
            resumed,
        };
        return ended(go_on(task, half, driver)?, driver);
    }
    shared.hands_over = true;
    driver.hold_memory_back(driver.limits().memory.map(part_of));
    let worker = Worker::new(&shared, &mut *store, Alone(open), priority, &mut *driver);
    let worked = worker.work_and_hand_over(resumed.as_ref());
    driver.hold_memory_back(None);
    let BeforeHandingOver { share, priority, overflow, hands_over } = worked?;
    if !hands_over {
        return ended(finish(task, &shared, &mut *store, vec![share], driver)?, driver);
    }
    let mut stats = share.stats;
    (stats.evaluated, stats.evaluation_time) = share.evaluations;
    let is = |flag: &std::sync::atomic::AtomicBool| flag.load(Ordering::SeqCst);
    let (endless, left_out) = (is(&shared.losses.endless), is(&shared.losses.left_out));
    let (part, bound, floor) = (shared.part, shared.bound, if share.proves_shortest { share.floor } else { 0 });
    let (hunt, nodes) = shared.into_hunt();
    let half = HalfDone {
        name: setup.phase,
        heuristic: heuristic_of(priority),
        stats,
        endless,
        left_out,
        floor,
        part,
        bound,
        hunt: hunt.at_costs(|id| *id),
        states: Some(States { store, nodes, overflow }),
        resumed: None,
    };
    ended(go_on(task, half, driver)?, driver)
}

fn ended(result: SearchResult, driver: &mut Driver<'_>) -> Result<SearchResult, SearchError> {
    driver.end_run(&result);
    Ok(result)
}
