//! Walks all states of a probabilistic model within limits, and counts them.

use bughound_kernel::{Limits, StoreSource};
use bughound_search::{Controls, Driver, Progress, Statistics};
use bughound_semantics::DiscreteSystem;
use bughound_store::{StoreKind, Stores};

use super::explicit::{Built, NotBuilt, build_counting};
use crate::machine::own_memory;
use crate::run::{Hooks, PROGRESS_INTERVAL};

/// The explicit model of a system. `counts` has what was seen, even if a limit ended it.
pub fn walk(
    system: &DiscreteSystem,
    limits: &Limits,
    hooks: &mut Hooks<'_>,
    counts: &mut Statistics,
) -> Result<Built, NotBuilt> {
    driven(limits, hooks, |driver| {
        let stores = Stores::new(system).of_kind(StoreKind::Exact).with_budget(limits.memory);
        let mut store = stores.new_store();
        let built = build_counting(system, &mut *store, driver, counts);
        counts.stored = driver.counted_states(store.len() as u64);
        counts.peak_memory = store.memory();
        counts.elapsed = driver.elapsed();
        if let Ok(built) = &built {
            counts.transitions = built.model.transitions() as u64;
            counts.deadlocks = built.model.deadlocks().len() as u64;
            counts.peak_memory += built.model.memory() as u64;
        }
        built
    })
}

/// Work that is no search, within the limits of one and with its progress.
pub(super) fn driven<R>(limits: &Limits, hooks: &mut Hooks<'_>, work: impl FnOnce(&mut Driver<'_>) -> R) -> R {
    let stop = hooks.stop.clone();
    let mut report = |now: &Progress| {
        if let Some(progress) = &mut hooks.progress {
            progress(now);
        }
    };
    work(&mut Driver::new(Controls {
        limits: limits.clone(),
        stop,
        progress: Some(&mut report),
        progress_interval: PROGRESS_INTERVAL,
        resident: Some(own_memory),
        ..Controls::default()
    }))
}
