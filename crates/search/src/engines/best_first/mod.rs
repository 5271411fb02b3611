//! The one loop: take a state from the open list, look whether it is an error, compute its successors, store them, open
//! the new ones (Edelkamp, Schuppan, Bošnački, Wijs, Fehnker, Aljazzar 2008, Fig. 2: the general scheme).
//!
//! **When errors count.** If the order finds cheapest errors first, a state is tested when it is taken for expansion,
//! and a failing step waits until nothing cheaper is open. Steps have weights, so the first error *generated* need not
//! be the shortest. If the order promises nothing, errors count as soon as they are generated. Deadlocks are known
//! after the expansion, in both cases at the cost of the expanded state.
//!
//! **Improving.** Branch and bound: the loop can go on after an error, below its cost ([`OnError::Improve`]). From then on
//! states are left out that lead to nothing cheaper: as far as estimates are admissible by cost and estimate, otherwise by
//! cost alone. What is found last is a cheapest error if nothing else was left out.
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
//! **Several threads.** The loop is that of a worker (`worker.rs`); with one thread there is one, and the order is that of the
//! open list. Several workers have an open list each and share the states and all that is known of them (`shared.rs`); how they
//! keep an order that matters is said in `frontier.rs`. The verdict and proven lengths do not depend on the number of workers,
//! nor do the counts of states and transitions if everything is explored and nothing is left out. Which of several errors
//! is found, and by which of several ways, does. A worker can begin alone, and be joined by others when it has opened many
//! states: then short searches go the same way every time.
//!
//! The open list may hold outdated entries of a state. The table of nodes knows whether a state is still to be expanded
//! and at which cost, so an entry is only an id.

mod chains;
mod expected_states;
mod frontier;
mod handing_over;
mod share;
mod shared;
mod together;
mod worker;

pub use handing_over::{Errors, HalfDone, KnownState, Standing, best_first_beyond};
pub use together::best_first_together;

use std::sync::atomic::Ordering;

use bughound_kernel::{Explorer, Keep, Part, StateStore};

use self::frontier::Alone;
use self::share::Share;
use self::shared::Shared;
use self::worker::Worker;
use crate::costs::Costs;
use crate::driver::Driver;
use crate::engines::OnError;
use crate::engines::ending::{Halt, Losses};
use crate::engines::hunt::{Found, Hunt, Sighting};
use crate::evaluators::Priority;
use crate::goals::StopPolicy;
use crate::node_table::Relink;
use crate::open_lists::OpenList;
use crate::path::Paths;
use crate::result::{SearchError, SearchResult, Statistics};
use crate::saving::Begin;
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
            Revisit::Cheaper => Relink::Cheaper,
            Revisit::CheaperUntilExpanded => Relink::CheaperIfOpen,
            Revisit::Newest => Relink::AnyIfOpen,
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
    /// With [`OnError::Improve`] the loop goes on below the cost of an error, whatever the stop policy says; by one thread.
    pub on_error: OnError,
    /// Which steps of a state are taken; by default as few as keep what the order promises.
    pub part: Option<Part>,
}

impl Setup {
    pub fn new(phase: &'static str, revisit: Revisit) -> Self {
        let (costs, on_error) = (Costs::Additive, OnError::Take);
        Setup { phase, revisit, costs, depth: None, budget: None, on_error, part: None }
    }
}

/// Searches from the initial states of the system, with one thread.
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
    let begin = driver.begin_run(&task, &format!("{setup:?}"));
    if let Begin::AtTheEnd(result) = begin {
        return Ok(*result);
    }
    let mut store = task.stores.new_store();
    let shared = shared(&task, setup, &priority, driver);
    let worker = Worker::new(&shared, &mut *store, Alone(open), priority, &mut *driver);
    let share = match begin {
        Begin::From(resumed) => worker.go_on(&resumed)?,
        _ => worker.work_from_start(),
    };
    let result = finish(task, &shared, &mut *store, vec![share], driver)?;
    driver.end_run(&result);
    Ok(result)
}

/// What a search with this evaluator knows before it begins.
fn shared<'r, P: Priority>(task: &Task<'r>, setup: Setup, priority: &P, driver: &Driver<'_>) -> Shared<'r, P::Key> {
    // Only lengths have a bound: no other cost means the depth of a path.
    let bound = setup.depth.into_iter().chain(driver.max_depth()).min().filter(|_| setup.costs == Costs::Additive);
    let shortest = priority.finds_cheapest_first() && task.stop != StopPolicy::Exhaustive;
    let part = setup.part.unwrap_or(Part::Reduced(if shortest { Keep::Shortest } else { Keep::Errors }));
    // Within a bound, a state that is reached again at less cost may have to be expanded once more: what was postponed
    // there may be lost. And only sums stay the same when steps change places.
    let reduces = setup.costs == Costs::Additive && (bound.is_none() || part == Part::Reduced(Keep::Shortest));
    Shared::new(
        (task.system, task.goals),
        Hunt::new(task),
        setup,
        if bound.is_some() { Revisit::Cheaper } else { setup.revisit },
        priority.takes_errors_at_once() && !task.system.merges_covers(),
        bound,
        if reduces { part } else { Part::All },
        driver.limits().states,
    )
}

/// Writes down what was found. Errors that were found are written down whatever has happened.
fn finish<K: Copy + Ord>(
    task: Task<'_>,
    shared: &Shared<'_, K>,
    store: &mut dyn StateStore,
    shares: Vec<Share>,
    driver: &Driver<'_>,
) -> Result<SearchResult, SearchError> {
    let explorer: &mut dyn Explorer = &mut *task.system.explorer();
    let halt = settle_the_rest(shared, shares.iter().all(|share| share.proves_shortest));
    let stored = shares.iter().fold(0, |all: u64, share| all.wrapping_add(share.stored()));
    let beyond = shares.iter().fold(0, |all: u64, share| all.wrapping_add(share.beyond));
    let is = |flag: &std::sync::atomic::AtomicBool| flag.load(Ordering::SeqCst);
    let cut = beyond > 0 || is(&shared.losses.cut_by_estimate) || shared.hunt().missed_beyond_bound();
    // What the order proves of an error whose turn it is, it proves of all that are still to come.
    let in_order = shares.iter().all(|share| share.proves_shortest) && !is(&shared.losses.endless);
    // Sums of weights are bounded by sums only, not by what another algebra makes of the weights.
    let adds = shared.setup.costs == Costs::Additive;
    let floor = if in_order && adds { shares.iter().map(|share| share.floor).max().unwrap_or(0) } else { 0 };
    let mut losses = Losses {
        halt,
        floor,
        bound: shared.bound.filter(|_| cut),
        lossy_store: store.is_lossy(),
        lossy_open_list: shares.iter().any(|share| share.lost_entries),
        endless: is(&shared.losses.endless),
        unsafe_pruning: is(&shared.losses.pruned) && !shares.iter().all(|share| share.prunes_safely),
        left_out: is(&shared.losses.left_out),
    };
    let memory = shared.memory() + store.memory() + shares.iter().map(|share| share.memory).sum::<u64>();
    let mut stats = Statistics::default();
    for share in &shares {
        stats.add_worker(&share.stats);
        stats.evaluated += share.evaluations.0;
        stats.evaluation_time += share.evaluations.1;
        stats.add_queues(&share.queues);
    }
    stats.stored = stored;
    stats.peak_memory = driver.peak_memory(memory);
    let (system, costs, goals) = (shared.system, shared.setup.costs, shared.goals);
    let forgets = task.stores.forgets();
    let mut paths = Paths { store, forgets, nodes: &shared.nodes, system, explorer, costs, goals };
    let mut witnesses = Vec::new();
    let improving = shared.setup.on_error == OnError::Improve && shared.hunt().has_found_any();
    let improved_to_the_end = improving && losses.hide_nothing_within_the_bound();
    if improving {
        losses.found_what_was_asked_for();
    }
    for Found { sighting, proven_shortest } in shared.hunt().take_found() {
        let Sighting { property, at, failure, .. } = sighting;
        match paths.to(at, failure, property, proven_shortest || improved_to_the_end) {
            Ok(witness) => witnesses.push(witness),
            // A state on the way was confused with another one: the error is one more thing that was missed.
            Err(SearchError::PathLost { .. }) if losses.lossy_store => {
                losses.halt = losses.halt.filter(|halt| *halt != Halt::Error);
            }
            Err(error) => return Err(error),
        }
    }
    if improved_to_the_end {
        losses.floor = witnesses.iter().map(|witness| witness.length).min().unwrap_or(losses.floor);
    }
    stats.elapsed = driver.elapsed();
    Ok(losses.result(witnesses, stats))
}

/// An error that waited for its turn is an error all the same when a limit ends the search. Why the search has ended.
fn settle_the_rest<K: Copy + Ord>(shared: &Shared<'_, K>, proves_shortest: bool) -> Option<Halt> {
    let halt = shared.halted();
    let mut hunt = shared.hunt();
    if hunt.stops_at_first() && hunt.has_found_any() {
        return halt;
    }
    let enough = hunt.settle(None, halt.is_none() && proves_shortest).is_break();
    if enough && hunt.stops_at_first() && halt.is_none() { Some(Halt::Error) } else { halt }
}
