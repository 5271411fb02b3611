//! Limits, and the signal to stop: whatever ends a check early, it says so.

use std::time::{Duration, Instant};

use bughound_native::{
    CheckError, Checker, Incompleteness, Limits, Property, Report, RustModel, StopReason, StopSignal, Verdict,
};

/// A counter that goes on for ever, with a tail of bytes.
struct Endless {
    tail: usize,
}

impl RustModel for Endless {
    type State = (u64, Vec<u8>);
    type Action = u64;

    fn initial_states(&self) -> Vec<Self::State> {
        vec![(0, vec![0; self.tail])]
    }

    fn actions(&self, _: &Self::State, actions: &mut Vec<u64>) {
        actions.push(1);
    }

    fn next_state(&self, state: &Self::State, action: &u64) -> Option<Self::State> {
        Some((state.0 + action, state.1.clone()))
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::always("small", |_, (number, _)| *number < u64::MAX)]
    }

    fn held_bytes(&self, state: &Self::State) -> u64 {
        state.1.capacity() as u64
    }
}

fn reasons(report: &Report<Endless>) -> (Verdict, Vec<Incompleteness>) {
    let answer = report.answer("small").unwrap();
    (answer.verdict, answer.incomplete_because.clone())
}

#[test]
fn states_are_limited_exactly() {
    let limits = Limits { states: Some(1000), ..Limits::default() };
    for search in ["bfs", "dfs", "astar", "auto", "idastar"] {
        let report = Checker::new(&Endless { tail: 0 }).search(search).limits(limits.clone()).check().unwrap();
        assert_eq!(reasons(&report), (Verdict::Limit, vec![Incompleteness::Limit(StopReason::States)]), "{search}");
        assert!(report.statistics.stored <= 1001, "{search}: {}", report.statistics.stored);
    }
}

#[test]
fn depth_is_a_bound_on_costs() {
    let limits = Limits { depth: Some(5), ..Limits::default() };
    let report = Checker::new(&Endless { tail: 0 }).search("bfs").limits(limits).check().unwrap();
    assert_eq!(reasons(&report), (Verdict::Inconclusive, vec![Incompleteness::DepthBound(5)]));
    assert_eq!(report.statistics.stored, 6);
}

/// Also by searches that keep no set of states of their own.
#[test]
fn memory_of_states_counts_and_the_signal_can_be_used_again() {
    for search in ["bfs", "dfs", "auto", "idastar(visited=none)", "bitstate-dfs(bits=1048576)"] {
        let stop = StopSignal::default();
        let limits = Limits { memory: Some(8 << 20), ..Limits::default() };
        let checker = Checker::new(&Endless { tail: 10_000 }).search(search).limits(limits).stop_signal(stop.clone());
        let report = checker.check().unwrap();
        let (verdict, reasons) = reasons(&report);
        assert_eq!(verdict, Verdict::Limit, "{search}");
        assert_eq!(reasons[0], Incompleteness::Limit(StopReason::Memory), "{search}");
        assert!(report.statistics.depth < 1000, "{search}");
        assert_eq!(stop.reason(), None, "{search}");
    }
    let limits = Limits { memory: Some(1000), ..Limits::default() };
    let none = Checker::new(&Endless { tail: 10_000 }).limits(limits).check();
    assert_eq!(none.err(), Some(CheckError::OutOfMemory));
}

#[test]
fn time_and_the_signal_end_a_check() {
    let until = Some(Instant::now() + Duration::from_millis(30));
    let report = Checker::new(&Endless { tail: 0 }).limits(Limits { until, ..Limits::default() }).check().unwrap();
    assert_eq!(reasons(&report), (Verdict::Limit, vec![Incompleteness::Limit(StopReason::Time)]));

    let stop = StopSignal::default();
    let (other, mut told) = (stop.clone(), 0);
    let report = Checker::new(&Endless { tail: 0 }).search("bfs").stop_signal(stop.clone()).progress(|now| {
        told += 1;
        assert!(now.now.stored > 0);
        other.raise(StopReason::Interrupted);
    });
    let report = report.check().unwrap();
    assert_eq!(reasons(&report), (Verdict::Limit, vec![Incompleteness::Limit(StopReason::Interrupted)]));
    assert_eq!(stop.reason(), Some(StopReason::Interrupted), "the signal of its owner stays as it is");
}
