//! Which searches can use several threads, in words for those who have asked for that.

use bughound_kernel::registry::expression;

use super::{Job, Layer, Strategy};
use crate::liveness::LiveClaim;

/// What the user should know who has asked for several threads.
pub(super) fn notes(jobs: &[Job], claims: &[Option<LiveClaim>]) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    for job in jobs.iter().filter(|job| job.search.threads > 1 && job.search.alone == 0) {
        let note = match has_cycles(job, claims) {
            true if job.search.search().shares_cycles() => None,
            true => Some(one_thread(&job.search, " for infinite runs")),
            false => note(&job.search),
        };
        notes.extend(note.filter(|note| !notes.contains(note)));
    }
    notes
}

/// Does a job look for cycles, not for states?
pub(super) fn has_cycles(job: &Job, claims: &[Option<LiveClaim>]) -> bool {
    let claim = |number: &usize| claims.get(*number).and_then(Option::as_ref);
    job.questions.iter().filter_map(claim).any(LiveClaim::has_cycles) && !job.layers.contains(&Layer::Recording)
}

/// The same for one search, where errors are states or steps.
pub(crate) fn note(search: &Strategy) -> Option<String> {
    if search.threads == 1 || search.alone > 0 || search.search().uses_threads() {
        return None;
    }
    Some(one_thread(search, ""))
}

fn one_thread(search: &Strategy, what_for: &str) -> String {
    let name = expression::parse(&search.text).map_or(search.text.clone(), |expression| expression.name);
    format!("`{name}` is a search for one thread{what_for}, so one thread searches")
}
