//! **Active processes.** The number of processes that can take part in a step now, as the one who acts or as the partner of
//! a rendezvous. In a deadlock it is 0, and a state with few active processes is often close to one.
//!
//! Paper: Edelkamp, Lluch Lafuente, Leue, "Directed explicit model checking with HSF-SPIN", SPIN 2001 (their H_ap).
//!
//! Claims: safe (it never reports a dead end). Not admissible: one step can block many processes.
//!
//! Cost: about half an expansion of the state. `timeout` counts only where nobody can move without it.
//!
//! Fails on plateaus: in a ring of equals, all of them running, every step leaves all of them running. Says nothing about
//! errors that are no deadlocks.
//!
//! Example: `astar(h=active-processes)`; two philosophers of three that hold a fork and wait leave 1.

use bughound_kernel::{Estimate, Heuristic, HeuristicClaims, State};
use bughound_semantics::Probe;

use crate::context::{BuildCx, system_key};
use crate::registry::Entry;

pub(super) const ENTRY: Entry = Entry {
    name: "active-processes",
    summary: "number of processes that can move; for deadlocks",
    cite: "Edelkamp, Lluch Lafuente, Leue 2001",
    params: &[],
    claims: "safe",
    build: |cx, _| Ok(Box::new(ActiveProcesses::new(cx))),
};

pub struct ActiveProcesses<'a> {
    probe: Probe<'a>,
    claimed: bool,
}

impl<'a> ActiveProcesses<'a> {
    pub fn new(cx: &BuildCx<'a>) -> Self {
        ActiveProcesses { probe: Probe::new(cx.system), claimed: cx.targets.claim.is_some() }
    }
}

impl Heuristic for ActiveProcesses<'_> {
    fn claims(&self) -> HeuristicClaims {
        HeuristicClaims::SAFE
    }

    fn estimate(&mut self, state: State<'_>) -> Estimate {
        let active = self.probe.active(system_key(self.claimed, state));
        Estimate::Finite(active.iter().filter(|active| **active).count() as u64)
    }
}
