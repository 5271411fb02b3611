//! Relaxation heuristics on the examples of the papers, beside true distances.

use crate::examples::Example;
use bughound_kernel::{Estimate, PreferredStep};
use bughound_testkit::heuristic_claims::{Report, check_seed};
use bughound_testkit::seeds;

/// The top process goes back and forth; every step of the bottom one needs it to go back (Kupferschmid et al. 2006, Fig. 1).
fn ping_pong(n: usize) -> Example {
    let steps = "r?1; ".repeat(n - 1);
    Example::new(&format!(
        "chan r = [0] of {{ bit }};
         active proctype Top() {{ do :: true -> r!1 od }}
         active proctype Bottom() {{ {steps} there: false }}
         ltl p {{ [] !Bottom@there }}"
    ))
}

#[test]
fn what_has_to_be_done_again_counts_once() {
    for n in [2, 5, 9] {
        let example = ping_pong(n);
        let n = n as u64;
        assert_eq!(example.distance(), Some(2 * (n - 1)));
        assert_eq!(example.estimates(["hl", "hu", "hmax", "hff"]), [Some(n); 4]);
    }
}

/// Every process passes on a signal that it got from the one before, or goes astray (Kupferschmid et al. 2006, Fig. 3).
fn chain(n: usize) -> Example {
    let mut text = String::new();
    let mut targets = Vec::new();
    for at in 1..=n {
        let send = if at < n { format!("a{at}!1") } else { "true".into() };
        if at < n {
            text += &format!("chan a{at} = [0] of {{ bit }};\n");
        }
        let before = at - 1;
        let body = match at {
            1 => send,
            _ => format!("if :: a{before}?1 -> {send} :: a{before}?1 -> astray: false fi"),
        };
        text += &format!("active proctype P{at}() {{ {body}; top: false }}\n");
        targets.push(format!("P{at}@top"));
    }
    Example::new(&format!("{text} ltl p {{ [] !({}) }}", targets.join(" && ")))
}

#[test]
fn signals_that_come_once_are_seen_to_be_missing() {
    for n in [2, 4, 7] {
        let example = chain(n);
        let n = n as u64;
        assert_eq!(example.distance(), Some(n));
        assert_eq!(example.estimates(["hl", "hu", "hmax", "hff"]), [Some(n); 4]);
        assert_eq!(example.estimates(["d-l", "d-u"]), [Some(2), Some(2 * n - 1)]);
        // All dead ends are recognised, and everything else is exact.
        let mut hl = example.heuristic("hl");
        for (state, distance) in example.graph.states.iter().zip(&example.distances.to_error) {
            assert_eq!(hl.estimate(state.as_state().into()).finite(), *distance, "{:?}", state.key);
        }
    }
}

#[test]
fn the_steps_of_a_plan_that_are_possible_now_are_preferred() {
    let example = chain(4);
    for text in ["hu", "hff"] {
        let mut heuristic = example.heuristic(text);
        assert!(heuristic.preferred().is_empty());
        heuristic.estimate(example.graph.states[0].as_state().into());
        let [PreferredStep { first, second: Some(second) }] = heuristic.preferred() else {
            panic!("{text}: {:?}", heuristic.preferred())
        };
        assert_eq!((first.0, second.0), (0, 1));
        let network = example.system.network();
        assert_eq!(network.edges[first.1 as usize].text, "a1!1");
        let dead_end = example.distances.to_error.iter().position(Option::is_none).unwrap();
        assert_eq!(heuristic.estimate(example.graph.states[dead_end].as_state().into()), Estimate::DeadEnd);
        assert!(heuristic.preferred().is_empty(), "{text}");
    }
}

#[test]
fn counting_is_exact_without_the_shortcut() {
    let example = Example::new(
        "byte x, y; active proctype P() { do :: x++ od } active proctype Q() { do :: y = y - 1 od }
         ltl p { [] !(x == 7 && y == 253) }",
    );
    assert_eq!(example.distance(), Some(10));
    assert_eq!(example.estimates(["hl", "hmax", "hl(increments=shortcut)"]), [Some(7), Some(7), Some(2)]);
    assert_eq!(example.estimates(["hu", "hu(increments=shortcut)", "hadd", "hff"]), [Some(10); 4]);
}

#[test]
fn conditions_on_a_variable_hold_of_one_value_or_of_several() {
    let example = Example::new(
        "byte x; active proctype P() { if :: x = 4 :: x = 0; x = 1; x = 2 fi; false } ltl p { [] !(x > 1 && x < 3) }",
    );
    assert_eq!(example.distance(), Some(3));
    assert_eq!(example.estimates(["hl", "hmax"]), [Some(1), Some(3)]);
}

#[test]
fn messages_are_followed_through_channels() {
    let example = Example::new(
        "mtype = { ask, tell }; chan q = [2] of { mtype, byte }; byte x;
         active proctype P() { q!ask(1); q?tell(x); there: false }
         active proctype Q() { byte y; q?ask(y); y = y + 3; q!tell(y) }
         ltl p { [] !(P@there && x == 4) }",
    );
    let estimates = example.estimates(["hl", "hu", "hmax", "hadd", "hff"]);
    assert_eq!(example.distance(), Some(5));
    assert_eq!((estimates[0], estimates[4]), (Some(5), Some(5)), "{estimates:?}");
}

/// Free and dear steps, and all arguments; programs that start processes without end are left to `heuristic_claims`.
#[test]
fn claims_hold_with_costs_of_all_sorts() {
    let texts = ["hl", "hl(increments=shortcut)", "hu", "hu(increments=shortcut)", "hmax", "hadd", "hff"];
    let heuristics = texts.map(String::from);
    let mut total = Report::default();
    let check = |seed| check_seed(seed, 300, &[0, 1, 5], &heuristics);
    seeds::in_parallel(1..60, check, |_, report| total.merge(report));
    assert!(total.violations.is_empty(), "{}", total.violations.join("\n"));
    assert!(total.counted("estimates: admissible, two or more") > 1000, "{:?}", total.coverage);
    assert!(total.counted("estimates: safe dead ends") > 1000, "{:?}", total.coverage);
}
