//! What all workers together have found: the same in every process of a search, because everybody has the same shares.

use bughound_search::engines::ending::{Halt, Losses};
use bughound_search::{Driver, SearchError, SearchResult, Statistics, StopPolicy, Task, path};

use crate::cluster::messages::Verdict;
use crate::parcel::Courier;
use crate::share::{Share, Sighting};

/// The errors that are results, the cheapest of each property.
pub fn chosen(shares: &[Share], stop: StopPolicy) -> Vec<Sighting> {
    let mut chosen: Vec<Sighting> = Vec::new();
    for sighting in shares.iter().flat_map(|share| &share.sightings) {
        match chosen.iter_mut().find(|known| known.property == sighting.property) {
            Some(known) if known.cost <= sighting.cost => {}
            Some(known) => *known = *sighting,
            None => chosen.push(*sighting),
        }
    }
    chosen.sort_by_key(|sighting| (sighting.cost, sighting.property));
    if stop == StopPolicy::FirstError {
        chosen.truncate(1);
    }
    chosen
}

/// The result, from what every worker has done, and the ways to the errors as states. Ways that could not be followed, because
/// workers on them were lost, are no results.
pub fn conclude(
    task: &Task<'_>,
    verdict: &Verdict,
    bound: Option<u64>,
    driver: &mut Driver<'_>,
) -> Result<SearchResult, SearchError> {
    let Verdict { shares, ways, incomplete, .. } = verdict;
    let halt = verdict.end.map(Halt::from);
    let all = |holds: fn(&Share) -> bool| shares.iter().all(holds);
    let any = |holds: fn(&Share) -> bool| shares.iter().any(holds);
    let (pruned, prunes_safely) = (any(|share| share.doubts.pruned), all(|share| share.doubts.prunes_safely));
    let (lossy_store, dropped) = (any(|share| share.doubts.lossy_store), any(|share| share.doubts.dropped));
    let endless = any(|share| share.doubts.endless);
    let unsafe_pruning = pruned && !prunes_safely;
    // A worker that is missing may know of a cheaper error.
    let proves = !incomplete
        && all(|share| share.doubts.cheapest_first)
        && !lossy_store
        && !dropped
        && !unsafe_pruning
        && !task.system.merges_covers();
    let seen = shares.iter().map(|share| share.floor).max().filter(|_| proves).unwrap_or(0);
    let cheapest = shares.iter().flat_map(|share| &share.sightings).map(|sighting| sighting.cost).min();
    let missed = shares.iter().flat_map(|share| &share.missed);
    let has_way = |property: usize| ways.iter().any(|(sighting, way)| sighting.property == property && way.is_some());
    let cut =
        any(|share| share.beyond > 0 || share.doubts.beyond) || missed.into_iter().any(|missed| !has_way(*missed));
    let losses = Losses {
        halt,
        bound: bound.filter(|_| cut),
        lossy_store,
        lossy_open_list: dropped,
        endless,
        unsafe_pruning,
        floor: if endless { 0 } else { seen.min(cheapest.unwrap_or(u64::MAX)) },
        left_out: any(|share| share.doubts.left_out),
    };
    let mut stats = Statistics::default();
    for share in shares {
        share.numbers.add_to(&mut stats);
        stats.stored += share.counts.stored;
        stats.peak_memory += share.counts.memory;
        stats.workers.push(share.counts);
        observe(share, driver);
    }
    stats.peak_memory = driver.peak_memory(stats.peak_memory);
    let mut witnesses = Vec::new();
    let courier = Courier::new(task.system.layout());
    for (sighting, way) in ways {
        let read = |words: &Vec<u32>| courier.state(words);
        let Some(way) = way.as_ref().and_then(|way| way.iter().map(read).collect::<Option<Vec<_>>>()) else { continue };
        let Sighting { property, failure, cost, .. } = *sighting;
        let proven = proves && cost <= seen;
        witnesses.push(path::along(task.system, task.goals, &way, failure, property, proven)?);
        // That it has no successors is the test for this error; a state that is an error is not expanded.
        let is_deadlock = failure.is_none() && task.goals.deadlock == Some(property);
        stats.expanded = stats.expanded.saturating_sub(u64::from(is_deadlock));
    }
    stats.elapsed = driver.elapsed();
    Ok(losses.result(witnesses, stats))
}

/// Has who looks on know of the edges that were taken.
fn observe(share: &Share, driver: &mut Driver<'_>) {
    use bughound_kernel::Move;
    for (at, bits) in share.edges.iter().enumerate() {
        for bit in (0..u64::BITS).filter(|bit| bits >> bit & 1 == 1) {
            let edge = at as u32 * u64::BITS + bit;
            driver.observe(&[Move { process: 0, edge, destination: 0, joins: false }]);
        }
    }
}
