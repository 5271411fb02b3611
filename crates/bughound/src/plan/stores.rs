//! Which stores jobs can do with.

use bughound_store::StoreKind;

use super::Job;
use super::threads::has_cycles;
use crate::liveness::LiveClaim;

/// Searches for cycles look at all states again, so they get a store that forgets none of them. What the user should know of that.
pub(super) fn keep_states_of_cycles(jobs: &mut [Job], claims: &[Option<LiveClaim>]) -> Option<String> {
    let mut note = None;
    for job in jobs.iter_mut().filter(|job| job.search.store.forgets() && has_cycles(job, claims)) {
        let why = "searches for infinite runs look at states again, so they use `--store auto`, which forgets none";
        note = Some(why.to_string());
        job.search.store = StoreKind::Auto;
    }
    note
}
