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

use bughound_kernel::{Estimate, Heuristic, HeuristicClaims, Situation};
use bughound_semantics::Probe;

use crate::context::BuildCx;
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
}

impl<'a> ActiveProcesses<'a> {
    pub fn new(cx: &BuildCx<'a, '_>) -> Self {
        ActiveProcesses { probe: Probe::new(cx.system) }
    }
}

impl Heuristic for ActiveProcesses<'_> {
    fn claims(&self) -> HeuristicClaims {
        HeuristicClaims::SAFE
    }

    fn estimate(&mut self, at: Situation<'_>) -> Estimate {
        let active = self.probe.active(at.state.key);
        Estimate::Finite(active.iter().filter(|active| **active).count() as u64)
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{along, at_start, system};
    use bughound_ir::targets::Targets;

    #[test]
    fn blocked_processes_do_not_count() {
        let system = system(
            "chan a = [1] of { bit }; chan b = [1] of { bit };
             active proctype P() { a!1; b!1; a?_; b?_ } active proctype Q() { b!1; a!1; b?_; a?_ }",
        );
        let estimates = along(&system, &Targets::deadlock(), "active-processes", &[1, 0]);
        assert_eq!(estimates, [Some(2), Some(2), Some(0)]);
    }

    #[test]
    fn both_sides_of_a_rendezvous_count_and_timeout_only_alone() {
        let active = |text: &str| at_start(&system(text), &Targets::deadlock(), "active-processes");
        let meeting = "chan r = [0] of { byte }; active proctype P() { r!1 } active proctype Q() { r?1 }
            active proctype R() { r?2 } active proctype S() { timeout }";
        assert_eq!(active(meeting), Some(2));
        assert_eq!(active(&meeting.replace("r?1", "r?3")), Some(1));
    }
}
