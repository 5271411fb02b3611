//! The examples, run as tests: what they find, and how much less a guided search has to look at.

use bughound_native::{Answer, Checker, Verdict, check_estimates};

#[path = "../../examples/paxos/model.rs"]
mod paxos;
#[allow(dead_code)]
#[path = "../../examples/sliding_tiles.rs"]
mod sliding_tiles;

use paxos::{Action, Paxos};
use sliding_tiles::{Slide, SlidingTiles};

#[test]
fn the_hardest_position_takes_31_moves_and_a_star_proves_it() {
    let solved = |search: &str| {
        let report = Checker::new(&SlidingTiles::HARDEST).search(search).check().unwrap();
        let answer = report.answers.into_iter().next().unwrap();
        assert_eq!(answer.verdict, Verdict::Satisfied, "{search}");
        answer
    };
    let shortest = |answer: &Answer<SlidingTiles>| {
        let trace = answer.trace.as_ref().unwrap();
        (trace.steps.len(), trace.proven_shortest)
    };
    let (blind, guided) = (solved("bfs"), solved("astar"));
    assert_eq!((shortest(&blind), shortest(&guided)), ((31, true), (31, true)));
    assert!(guided.statistics.stored * 4 < blind.statistics.stored, "{:?}", guided.statistics);
    let fast = solved("greedy");
    assert!(fast.statistics.stored * 50 < blind.statistics.stored, "{:?}", fast.statistics);
}

#[test]
fn half_of_all_positions_can_be_solved() {
    let model = SlidingTiles { start: [0, 1, 2, 3, 4, 5, 6, 8, 7] };
    let report = Checker::new(&model).search("bfs").check().unwrap();
    assert_eq!(report.answers[0].verdict, Verdict::Violated, "proof that there is no solution");
    assert_eq!(report.statistics.stored, 181_440, "half of 9!");
    let distances = check_estimates(&SlidingTiles::HARDEST, 200_000).unwrap();
    assert_eq!((distances.states, distances.of("solved")), (181_440, Some(31)));
}

#[test]
fn slides_go_where_they_say() {
    use bughound_native::RustModel;
    let model = SlidingTiles { start: [1, 2, 3, 4, 0, 5, 6, 7, 8] };
    let after = |slide| model.next_state(&model.start, &slide).unwrap();
    assert_eq!(after(Slide::Up), [1, 2, 3, 4, 7, 5, 6, 0, 8]);
    assert_eq!(after(Slide::Down), [1, 0, 3, 4, 2, 5, 6, 7, 8]);
    assert_eq!(after(Slide::Left), [1, 2, 3, 4, 5, 0, 6, 7, 8]);
    assert_eq!(after(Slide::Right), [1, 2, 3, 0, 4, 5, 6, 7, 8]);
    let corner = [0, 1, 2, 3, 4, 5, 6, 7, 8];
    assert_eq!([Slide::Down, Slide::Right].map(|slide| model.next_state(&corner, &slide)), [None, None]);
    let corner = [1, 2, 0, 3, 4, 5, 6, 7, 8];
    assert_eq!([Slide::Down, Slide::Left].map(|slide| model.next_state(&corner, &slide)), [None, None]);
}

#[test]
fn a_star_finds_the_planted_error_with_a_tenth_of_the_states() {
    let model = Paxos::with_error(3, 2);
    let agreement = |search: &str| {
        let report = Checker::new(&model).search(search).check().unwrap();
        assert_eq!(report.answer("something is chosen").unwrap().verdict, Verdict::Satisfied);
        let answer = report.answers.into_iter().next().unwrap();
        assert_eq!(answer.verdict, Verdict::Violated, "{search}");
        answer
    };
    let (blind, guided) = (agreement("bfs"), agreement("astar"));
    let trace = |answer: &Answer<Paxos>| answer.trace.clone().unwrap();
    assert_eq!(trace(&blind).cost, trace(&guided).cost);
    assert!(trace(&blind).proven_shortest && trace(&guided).proven_shortest);
    assert!(trace(&guided).steps.iter().any(|step| matches!(step.action, Action::Crash { .. })), "{}", trace(&guided));
    let (of_guided, of_blind) = (guided.statistics.stored, blind.statistics.stored);
    assert!(of_guided * 10 <= of_blind, "{of_guided} of {of_blind}");
    assert!(guided.statistics.expanded * 10 <= blind.statistics.expanded);
    assert!(agreement("greedy").statistics.stored * 10 <= of_blind);
}

#[test]
fn without_the_planted_error_agreement_holds() {
    for search in ["bfs", "auto"] {
        let report = Checker::new(&Paxos::correct(2, 2)).search(search).check().unwrap();
        assert_eq!(report.answer("agreement").unwrap().verdict, Verdict::Holds, "{search}");
        assert_eq!(report.answer("something is chosen").unwrap().verdict, Verdict::Satisfied, "{search}");
    }
}

#[test]
fn the_estimate_of_messages_is_consistent() {
    for model in [Paxos::correct(2, 1), Paxos::with_error(2, 1)] {
        let distances = check_estimates(&model, 200_000).unwrap();
        assert_eq!(distances.of("agreement").is_some(), model.forgets, "{distances:?}");
        assert!(distances.states > 1000, "{distances:?}");
    }
}
