//! Infinite runs, and what a claim says of finite ones: the reachable states of the product, the states from which an accepting cycle
//! can be reached, and a run to one of them and around.
//!
//! Claims: complete. Not optimal: a run to a state that is an error has the fewest steps, a lasso is whatever is found first.
//!
//! Where nothing is found, some states are drawn at random, and whatever the explorer of the product says of their steps and the marks
//! on them must agree with the sets.

use std::ops::ControlFlow;
use std::time::Instant;

use bughound_kernel::{Cycles, Marks, Outcome, Parts, State, StateBuf, StopReason, TransitionSystem, Watcher};
use bughound_search::engines::ending::{Halt, Losses};
use bughound_search::{Driver, Place, SearchError, SearchResult, SetStatistics, Snapshot, Statistics, Task, Witness};

use crate::diagrams::{Computed, Set, Stop};
use crate::fair::{Condition, fair_hull};
use crate::lasso::Run;
use crate::product::{Node, Places, Product};
use crate::pulse::Pulse;
use crate::space::Space;
use crate::symbolic::{not_looked_for, nothing};

/// So many states are drawn in the end.
const TRIALS: usize = 256;

/// What a search has come to.
struct Outcomes {
    reached: Places,
    /// It was seen whether there is an error.
    is_decided: bool,
    witness: Option<Witness>,
}

/// Searches the product of a system with a claim.
pub(crate) fn search<'t>(
    task: Task<'t>,
    parts: Parts<'t>,
    watch: Watcher<'t>,
    driver: &mut Driver<'_>,
) -> Result<SearchResult, SearchError> {
    let refused = match (&task.goals.difference, driver.max_depth()) {
        (Some(_), _) => Some("different errors of one property"),
        (None, Some(_)) => Some("runs of bounded length"),
        (None, None) => None,
    };
    if let Some(what) = refused {
        return Err(not_looked_for(what).into());
    }
    let (signal, budget) = (driver.stop_signal().clone(), driver.limits().memory);
    let started = Instant::now();
    let mut pulse = Pulse { driver, now: Snapshot { phase: "symbolic", ..Snapshot::default() } };
    let mut room = 1;
    loop {
        let made = Space::new(parts.system, &[], room, budget, &signal).and_then(|mut space| {
            space.fair = parts.fair;
            Product::new(space, watch)
        });
        let mut product = match made {
            Ok(product) => product,
            Err(stop) => return Ok(nothing(stop.reason()?)),
        };
        let mut found = Outcomes { reached: product.nothing(), is_decided: false, witness: None };
        let stopped = match decide(task, &mut product, &mut found, &mut pulse) {
            Ok(()) => None,
            Err(Stop::MoreParts(more)) => {
                room = more.max(room + room / 4);
                continue;
            }
            Err(stop) => Some(stop.reason()?),
        };
        let stats = statistics(&product, &found.reached, started, &pulse);
        return Ok(conclude(found, stopped, stats));
    }
}

fn conclude(found: Outcomes, stopped: Option<StopReason>, stats: Statistics) -> SearchResult {
    let halt = match (&found.witness, stopped) {
        (Some(_), _) => Some(Halt::Error),
        (None, Some(reason)) => Some(Halt::Limit(reason)),
        (None, None) => None,
    };
    debug_assert!(halt.is_some() || found.is_decided);
    let losses = Losses { halt, ..Losses::default() };
    losses.result(found.witness.into_iter().collect(), stats)
}

fn decide<'t>(
    task: Task<'t>,
    product: &mut Product<'t>,
    found: &mut Outcomes,
    pulse: &mut Pulse<'_, '_>,
) -> Computed<()> {
    product.reach(&mut found.reached, pulse)?;
    let reached = &found.reached;
    let claim = product.claim();
    let end = task.goals.invariants.first().filter(|_| product.has_ended(reached));
    if let Some(goal) = end {
        let ends = product.only(reached, |place| claim.is_end(place));
        let initial = product.initial(pulse)?;
        let mut run = Run::new(product, task.system.explorer());
        run.lead(&initial, &ends, reached, pulse)?;
        found.witness = witness(run, goal.property, claim.first_location());
        found.is_decided = true;
        return Ok(());
    }
    if let Some(property) = task.goals.cycle {
        let possible = possible_places(task.system, product);
        let conditions = Condition::all(product)?;
        let hull = fair_hull(product, reached, &conditions, |place| possible[place], pulse)?;
        if !product.is_empty(&hull) {
            let initial = product.initial(pulse)?;
            let mut run = Run::new(product, task.system.explorer());
            let entrance = run.lead(&initial, &hull, reached, pulse)?;
            run.close(entrance, &hull, &conditions, pulse)?;
            found.witness = witness(run, property, claim.first_location());
            found.is_decided = true;
            return Ok(());
        }
    }
    try_out(task.system, product, reached, pulse)?;
    found.is_decided = true;
    Ok(())
}

/// By place of the claim: can accepting cycles go through it?
fn possible_places(system: &dyn TransitionSystem, product: &mut Product<'_>) -> Vec<bool> {
    let mut below: Option<Vec<i32>> = None;
    product.space.explorer.initial(&mut |state| below = Some(state.key.to_vec()));
    let below = below.unwrap_or_default();
    let first = product.claim().first_location();
    let places = 0..product.claim().places() as i32;
    let key = |place: i32| -> Vec<i32> { [first + place].into_iter().chain(below.iter().copied()).collect() };
    places.map(|place| system.region(State::discrete(&key(place))).cycles != Cycles::None).collect()
}

fn witness(run: Run<'_, '_>, property: usize, first: i32) -> Option<Witness> {
    let start = run.start?;
    let key = [first + start.place as i32].into_iter().chain(start.key).collect();
    Some(Witness {
        property,
        start: StateBuf { key, cover: Vec::new() },
        path: run.moves,
        failure: None,
        place: Place::new(),
        length: run.length,
        proven_shortest: false,
        loop_start: run.loop_start,
    })
}

/// Draws states, and compares what the explorer says of their steps with the sets.
fn try_out(
    system: &dyn TransitionSystem,
    product: &mut Product<'_>,
    reached: &Places,
    pulse: &mut Pulse<'_, '_>,
) -> Computed<()> {
    let first = product.claim().first_location();
    let places: Vec<usize> = (0..reached.len()).filter(|at| !product.space.diagrams.is_empty(&reached[*at])).collect();
    let fair: Vec<(Marks, Set)> = Condition::all(product)?
        .into_iter()
        .filter_map(|condition| match condition {
            Condition::Accept => None,
            Condition::Process { marks, able } => Some((marks, able)),
        })
        .collect();
    let mut explorer = system.explorer();
    for trial in 0..TRIALS {
        pulse.beat(&product.space.diagrams)?;
        let Some(place) = places.get(trial % places.len().max(1)).copied() else { return Ok(()) };
        let Some(below) = product.space.draw(&reached[place]) else { return Ok(()) };
        let key: Vec<i32> = [first + place as i32].into_iter().chain(below.iter().copied()).collect();
        let mut steps = Vec::new();
        explorer.successors(State::discrete(&key), &mut |step| {
            if let Outcome::State(to) = &step.outcome {
                let to = Node { place: (to.key[0] - first) as usize, key: to.key[1..].to_vec() };
                steps.push((to, step.marks, Marks::movers(step.moves), step.moves.is_empty()));
            }
            ControlFlow::Continue(())
        });
        pulse.heed()?;
        for (to, marks, movers, rests) in steps {
            if !product.contains(reached, &to)? {
                return Err(Stop::Broken(format!("a step from {key:?} leads to {to:?}, which was not reached")));
            }
            for (process, able) in &fair {
                let is_fair = rests || movers.include(*process) || !product.space.contains(able, &below)?;
                if marks.include(*process) != is_fair {
                    return Err(Stop::Broken(format!("who can move in {key:?}")));
                }
            }
        }
    }
    Ok(())
}

fn statistics(product: &Product<'_>, reached: &Places, started: Instant, pulse: &Pulse<'_, '_>) -> Statistics {
    let states = product.count(reached);
    let space = &product.space;
    let sets = SetStatistics {
        states: states.to_string(),
        // A step of the system is one for each move of the claim, which nobody counts.
        transitions: "0".into(),
        nodes: reached.iter().map(|set| space.diagrams.nodes(set)).sum(),
        peak_nodes: space.diagrams.peak_nodes(),
        images: product.images,
        image_time: started.elapsed(),
        learned: space.learned,
        ..SetStatistics::default()
    };
    Statistics {
        expanded: space.learned,
        generated: space.steps_seen,
        stored: u64::try_from(&states).unwrap_or(u64::MAX),
        sets: Some(sets),
        peak_memory: pulse.driver.peak_memory(space.memory()),
        elapsed: pulse.driver.elapsed(),
        ..Statistics::default()
    }
}
