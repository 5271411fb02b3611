//! Timed runs: from the path of a search to exact times, and back through an evaluator without zones.

mod random;
mod support;

use bughound_ir::expr::Expr;
use bughound_ir::network::Network;
use bughound_ir::rational::Rational;
use bughound_kernel::Move;
use bughound_trace::{
    Claim, LoadTraceError, ReplayError, SavedTrace, Shown, TextOptions, Times, TraceDocument, render_text, replay_timed,
};
use support::{network, path, replayed, run, shortest, shown, system, times, wanted};

const FISCHER: &str = "
const int k = 2;
int[0,2] id;
process P(const int own) {
    clock x;
    state idle, request { x <= k }, waiting, critical;
    init idle;
    trans idle -> request { guard id == 0; assign x := 0; },
        request -> waiting { guard x <= k; assign x := 0, id := own; },
        waiting -> request { guard id == 0; assign x := 0; },
        waiting -> critical { guard x >= k && id == own; },
        critical -> idle { assign id := 0; };
}
P1 = P(1);
P2 = P(2);
system P1, P2;
";

/// One process with one clock: the declarations are locations and edges.
fn one(body: &str) -> Network {
    network(&format!("int n = 4; process P() {{ clock x, y; {body} }}\nsystem P;"), "")
}

fn earliest(network: &Network, path: &[Vec<Move>], last: Option<&Expr>) -> Option<String> {
    let found = system(network, &[]).schedule(path, last)?;
    // Whatever a schedule says must be possible.
    run(network, path, &times(&found), last.unwrap_or(&Expr::Const(1))).unwrap();
    Some(shown(&found))
}

/// The moves of a model in which nothing can be chosen, taken one after the other.
fn straight(network: &Network, steps: usize) -> Vec<Vec<Move>> {
    let reference = bughound_ir::reference::Reference::discrete(network);
    let mut state = reference.initial().unwrap();
    let mut path = Vec::new();
    for _ in 0..steps {
        let mut possible = reference.micro_steps(&state);
        assert_eq!(possible.len(), 1);
        let step = possible.remove(0);
        path.push(step.moves);
        state = step.result.unwrap();
    }
    path
}

#[test]
fn the_faulty_fischer_fails_at_twice_the_delay() {
    let net = network(FISCHER, "E<> P1.critical and P2.critical");
    let condition = wanted(&net);
    let path = shortest(&net, &condition);
    assert_eq!(path.len(), 6);
    let trace = replayed(&net, &path, &condition).unwrap();
    let timing = trace.timing.as_ref().unwrap();
    assert_eq!(timing.end.time, Rational::from(4));
    assert_eq!(timing.clocks, ["P1.x", "P2.x"]);
    let text = render_text(&trace, &TextOptions::default());
    assert!(text.contains("@ 2  after 2") && text.contains("@ 4  after 2"), "{text}");
    assert!(text.contains("P1.x: 2 → 0") || text.contains("P2.x: 2 → 0"), "{text}");
}

#[test]
fn strict_bounds_give_fractions() {
    let net = one("state a, b, c { x < 3 }, d; init a;
        trans a -> b { guard x > 2; }, b -> c { guard y > 2; assign y := 0; }, c -> d { guard y > 0; };");
    assert_eq!(earliest(&net, &straight(&net, 1), None).unwrap(), "5/2 5/2");
    // Three steps between 2 and 3: the second not before the first, the third behind the second.
    let found = earliest(&net, &straight(&net, 3), None).unwrap();
    assert_eq!(found, "7/3 7/3 8/3 8/3");
    let trace = replayed(&net, &straight(&net, 3), &Expr::Const(1)).unwrap();
    let text = render_text(&trace, &TextOptions::default());
    assert!(text.contains("@ 7/3  after 7/3") && text.contains("@ 8/3  after 1/3"), "{text}");
}

#[test]
fn invariants_force_departure() {
    let text = "process P() { clock x; state a { x <= 2 }, b; init a; trans a -> b { guard x >= 1; }; }
        process Q() { clock y; state c, d; init c; trans c -> d { guard y >= 3; }; }
        system P, Q;";
    let net = network(text, "");
    let (first, second) =
        (path(&net, &[(0, "guard x >= 1")])[0].clone(), path(&net, &[(1, "guard y >= 3")])[0].clone());
    assert_eq!(earliest(&net, &[first.clone(), second.clone()], None).unwrap(), "1 3 3");
    // At time 3 the first process would still be where it may only be until 2.
    assert_eq!(earliest(&net, &[second, first], None), None);
}

#[test]
fn invariants_behind_a_step_count_from_its_entry() {
    let net = one("state a, b { x <= 2 }; init a; trans a -> b { guard y >= 3; };");
    assert_eq!(earliest(&net, &straight(&net, 1), None), None);
    let net = one("state a, b { x <= 2 }; init a; trans a -> b { guard y >= 3; assign x := 1; };");
    assert_eq!(earliest(&net, &straight(&net, 1), None).unwrap(), "3 3");
}

#[test]
fn time_stands_still_in_urgent_and_committed_locations() {
    for kind in ["urgent", "commit"] {
        let net = one(&format!(
            "state a, b, c; {kind} b; init a; trans a -> b {{ guard x >= 1; }}, b -> c {{ guard x <= 1; }};"
        ));
        assert_eq!(earliest(&net, &straight(&net, 2), None).unwrap(), "1 1 1");
        let net = one(&format!("state a, b, c; {kind} b; init a; trans a -> b {{ }}, b -> c {{ guard x >= 1; }};"));
        // The delay must come before the urgent place.
        assert_eq!(earliest(&net, &straight(&net, 2), None).unwrap(), "1 1 1");
        let net = one(&format!(
            "state a {{ x <= 0 }}, b, c; {kind} b; init a; trans a -> b {{ }}, b -> c {{ guard x >= 1; }};"
        ));
        assert_eq!(earliest(&net, &straight(&net, 2), None), None);
    }
}

#[test]
fn time_stands_still_while_an_urgent_channel_is_ready() {
    let text = |declaration: &str| {
        format!(
            "{declaration} go; clock z;
        process P() {{ state a, b; init a; trans a -> b {{ sync go!; }}; }}
        process Q() {{ state c, d, e; init c; trans c -> d {{ guard z >= 2; }}, d -> e {{ sync go?; }}; }}
        process R() {{ clock y; state f, g; init f; trans f -> g {{ guard y >= 3; }}; }}
        system P, Q, R;"
        )
    };
    for (declaration, expected) in [("chan", Some("2 3 3 3")), ("urgent chan", None)] {
        let net = network(&text(declaration), "");
        let steps = path(&net, &[(1, "guard z >= 2"), (2, "guard y >= 3"), (0, "sync go!")]);
        // Unless the first step waits for the last guard.
        assert_eq!(earliest(&net, &steps, None).as_deref(), expected.or(Some("3 3 3 3")), "{declaration}");
        if expected.is_none() {
            let early = Times { steps: [2, 3, 3].map(Rational::from).to_vec(), end: None };
            let error = run(&net, &steps, &early, &Expr::Const(1)).unwrap_err();
            assert_eq!(
                error.to_string(),
                "step 2 of the trace is not possible: time cannot pass: the urgent channel go is ready"
            );
        }
    }
}

#[test]
fn clocks_can_be_set_to_other_numbers() {
    let net = one("state a, b, c; init a;
        trans a -> b { guard x >= 1; assign x := 3; }, b -> c { guard x >= 5; };");
    assert_eq!(earliest(&net, &straight(&net, 2), None).unwrap(), "1 3 3");
    // The value is that of the middle of the step.
    let net = one("state a, b, c; init a;
        trans a -> b { assign n := n + 1, x := n, n := 0; }, b -> c { guard x >= 8 && n == 0; };");
    assert_eq!(earliest(&net, &straight(&net, 2), None).unwrap(), "0 3 3");
    let trace = replayed(&net, &straight(&net, 2), &Expr::Const(1)).unwrap();
    assert_eq!(trace.timing.unwrap().steps[0].clocks, [5.into(), Rational::ZERO]);
}

#[test]
fn bounds_are_those_of_the_state_before() {
    let net = one("state a, b, c { x <= n }; init a;
        trans a -> b { guard x >= n; assign n := 7; }, b -> c { guard x >= n - 1; assign n := 9; };");
    assert_eq!(earliest(&net, &straight(&net, 2), None).unwrap(), "4 6 6");
}

#[test]
fn the_sender_sets_clocks_first() {
    let net = network(
        "chan go; clock x;
        process P() { state a, b; init a; trans a -> b { sync go!; assign x := 1; }; }
        process Q() { state c, d, e; init c; trans c -> d { sync go?; assign x := 4; }, d -> e { guard x >= 6; }; }
        system P, Q;",
        "",
    );
    let steps = path(&net, &[(0, "sync go!; assign x := 1"), (1, "guard x >= 6")]);
    assert_eq!(earliest(&net, &steps, None).unwrap(), "0 2 2");
}

#[test]
fn conditions_on_clocks_hold_at_the_end() {
    let text =
        "process P() { clock x, y; state a, b { x <= 9 }; init a; trans a -> b { guard x >= 1; assign y := 0; }; }
        system P;";
    for (query, expected) in [
        ("E<> P.b and P.x >= 5", "1 5"),
        ("E<> P.b and P.y > 2", "1 7/2"),
        ("E<> P.b and (P.x > 7 or P.y >= 3)", "1 4"),
        ("E<> P.b and (P.y >= 3 or P.x > 7)", "1 4"),
        ("E<> P.b and not (P.x < 6)", "1 6"),
        // The condition can make steps later than they need be.
        ("E<> P.b and P.x - 4 >= 0 and P.y <= 1", "3 4"),
    ] {
        let net = network(text, query);
        let (condition, path) = (wanted(&net), straight(&net, 1));
        assert_eq!(earliest(&net, &path, Some(&condition)).as_deref(), Some(expected), "{query}");
    }
    let net = network(text, "E<> P.b and P.x > 9");
    assert_eq!(earliest(&net, &straight(&net, 1), Some(&wanted(&net))), None);
    let net = network(text, "E<> P.a and P.x > 9");
    assert_eq!(earliest(&net, &straight(&net, 1), Some(&wanted(&net))), None);
}

#[test]
fn the_end_of_a_run_is_shown() {
    let text = "process P() { clock x, y; state a, b; init a; trans a -> b { guard x > 1 && x < 2; assign y := 0; }; }
        system P;";
    let net = network(text, "E<> P.b and P.y >= 3");
    let trace = replayed(&net, &straight(&net, 1), &wanted(&net)).unwrap();
    let text = render_text(&trace, &TextOptions::default());
    let expected = "   1   @ 1.5  after 1.5  P  a → b  guard x > 1 && x < 2; assign y := 0   P.y: 1.5 → 0
       @ 4.5  after 3    P.x = 4.5, P.y = 3

reached: `P.b && P.y >= 3` is true
  `P.b` is true: P = b
  `P.y >= 3` is true: P.y = 3
";
    assert_eq!(text, expected);
    let full = render_text(&trace, &TextOptions { shown: Shown::FullStates, ..TextOptions::default() });
    assert!(full.contains("initially  P.x = 0, P.y = 0") && full.contains("P.x = 1.5, P.y = 0"), "{full}");
    let json = serde_json::to_value(TraceDocument::from(&trace)).unwrap();
    let step = &json["steps"][0];
    assert_eq!((&step["time"], &step["time_exact"]), (&1.5.into(), &"3/2".into()));
    assert_eq!((&step["delay"], &step["delay_exact"]), (&1.5.into(), &"3/2".into()));
    assert_eq!((&json["time"], &json["time_exact"], &json["delay"]), (&4.5.into(), &"9/2".into(), &3.0.into()));
    assert_eq!((&json["clocks"]["P.x"], &step["clocks"]["P.y"]), (&"4.5".into(), &0.into()));
}

#[test]
fn wrong_times_are_refused() {
    let text = "process P() { clock x; state a { x <= 5 }, b, c, d; urgent c; init a;
            trans a -> b { guard x >= 2; assign x := 0; }, b -> c { guard x < 3; }, c -> d { }; }
        system P;";
    let net = network(text, "");
    let path = straight(&net, 3);
    let error = |steps: &[i32], end: Option<i32>| {
        let times = Times { steps: steps.iter().map(|n| Rational::from(*n)).collect(), end: end.map(Rational::from) };
        run(&net, &path, &times, &Expr::Const(1)).map_err(|error| error.to_string()).err().unwrap_or_default()
    };
    assert_eq!(error(&[2, 4, 4], None), "");
    assert_eq!(error(&[5, 7, 7], Some(100)), "");
    let impossible = |step: usize, why: &str| format!("step {step} of the trace is not possible: {why}");
    assert_eq!(error(&[1, 4, 4], None), impossible(1, "the guard of P, `P.x >= 2` is false (P.x = 1)"));
    assert_eq!(error(&[6, 7, 7], None), impossible(1, "the invariant of P, `P.x <= 5` is false (P.x = 6)"));
    assert_eq!(error(&[2, 5, 5], None), impossible(2, "the guard of P, `P.x < 3` is false (P.x = 3)"));
    assert_eq!(error(&[4, 3, 3], None), impossible(2, "its time lies before that of the step before"));
    assert_eq!(error(&[-1, 3, 3], None), impossible(1, "its time lies before that of the step before"));
    let urgent = "time cannot pass: P is at an urgent or committed location";
    assert_eq!(error(&[2, 3, 4], None), impossible(3, urgent));
    assert_eq!(error(&[2, 3], None), "the times of the trace are wrong: it has 3 steps, but 2 times");
    let before = "the times of the trace are wrong: at its end, its time lies before that of the step before";
    assert_eq!(error(&[2, 3, 3], Some(2)), before);
}

#[test]
fn deadlocks_are_of_points_not_of_zones() {
    // The only guard is behind the invariant.
    let net = one("state a { x <= 3 }, b; init a; trans a -> b { guard x >= 5; };");
    let trace = replayed(&net, &[], &Expr::Deadlock).unwrap();
    let text = render_text(&trace, &TextOptions::default());
    assert!(text.contains("`P.x >= 5` is false and stays so (P.x = 0)"), "{text}");
    // Stuck only if one is too late.
    let net = one("state a, b; init a; trans a -> b { guard x <= 3; }, b -> a { };");
    assert_eq!(shortest(&net, &Expr::Deadlock).len(), 0);
    let trace = replayed(&net, &[], &Expr::Deadlock).unwrap();
    assert_eq!(trace.timing.unwrap().end.time, Rational::new(7, 2).unwrap());
    let early = Times { steps: vec![], end: Some(Rational::from(3)) };
    let claimed = ReplayError::NotAsClaimed { claimed: "a deadlock" };
    assert_eq!(run(&net, &[], &early, &Expr::Deadlock).unwrap_err(), claimed);
    let late = Times { steps: vec![], end: Rational::new(31, 10) };
    assert!(run(&net, &[], &late, &Expr::Deadlock).is_ok());
    // Stuck after a step that comes too late, and only then.
    let net =
        one("state a, b; init a; trans a -> b { guard x >= 1; }, b -> a { guard y < 4; assign x := 0, y := 0; };");
    let path = straight(&net, 1);
    assert_eq!(earliest(&net, &path, Some(&Expr::Deadlock)).unwrap(), "1 4");
    // Never stuck.
    let net = one("state a { x <= 3 }; init a; trans a -> a { guard x >= 3; assign x := 0; };");
    assert_eq!(earliest(&net, &straight(&net, 2), Some(&Expr::Deadlock)), None);
    let fine = Times { steps: vec![], end: Some(Rational::from(2)) };
    assert_eq!(run(&net, &[], &fine, &Expr::Deadlock).unwrap_err(), claimed);
}

#[test]
fn steps_can_fail_in_time() {
    // No state follows, so the invariant behind the step does not count.
    let net = network(
        "int[0,4] n = 4; process P() { clock x; state a, b { x <= 1 }; init a;
            trans a -> b { guard x >= 2; assign n := n + 1; }; }
        system P;",
        "",
    );
    let reference = bughound_ir::reference::Reference::discrete(&net);
    let step = reference.micro_steps(&reference.initial().unwrap()).remove(0);
    let failure = step.result.unwrap_err().failure;
    let schedule = system(&net, &[]).schedule(std::slice::from_ref(&step.moves), None).unwrap();
    assert_eq!(shown(&schedule), "2 2");
    let claim = Claim::Failure(failure);
    let trace = replay_timed(&net, &step.moves, &times(&schedule), &claim).unwrap();
    assert_eq!(trace.timing.unwrap().steps[0].clocks, [Rational::from(2)]);
    let early = Times { steps: vec![Rational::from(1)], end: None };
    assert!(matches!(replay_timed(&net, &step.moves, &early, &claim), Err(ReplayError::Step { number: 1, .. })));
}

#[test]
fn long_paths_take_no_time() {
    let net = one("state a { x <= 3 }; init a; trans a -> a { guard x > 1; assign x := 0; };");
    let path = straight(&net, 3000);
    let schedule = system(&net, &[]).schedule(&path, None).unwrap();
    assert_eq!((schedule.denominator, schedule.times[2999]), (2, 9000));
    // All steps within one unit of time, none at the same time as another.
    let net = one("state a; init a; trans a -> a { guard x > 0 && y < 1; assign x := 0; };");
    let path = straight(&net, 300);
    let schedule = system(&net, &[]).schedule(&path, None).unwrap();
    assert!(schedule.denominator > 300 && schedule.times.is_sorted_by(|a, b| a < b));
    run(&net, &path, &times(&schedule), &Expr::Const(1)).unwrap();
}

#[test]
fn saved_traces_keep_their_times() {
    let net = network(FISCHER, "E<> P1.critical and P2.critical and P1.x > 5");
    let condition = wanted(&net);
    let trace = replayed(&net, &shortest(&net, &condition), &condition).unwrap();
    let (times, end_time) = SavedTrace::times_of(&trace);
    let text = serde_json::json!({
        "format": "bughound-trace/1", "file": "f", "language": "uppaal", "fingerprint": "", "merge": false,
        "property": "p", "moves": [], "times": times, "end_time": end_time,
    });
    assert!(matches!(SavedTrace::from_text(&text.to_string()), Err(LoadTraceError::Changed)), "it has no seal");
    let saved: SavedTrace = serde_json::from_value(text).unwrap();
    assert_eq!(saved.times().unwrap().unwrap(), trace.timing.as_ref().unwrap().times());
    let again = SavedTrace::from_text(&saved.to_text()).unwrap();
    assert_eq!(SavedTrace { seal: String::new(), ..again }, saved);
    let untimed = SavedTrace { times: vec![], end_time: None, ..saved.clone() };
    assert_eq!(untimed.times().unwrap(), None);
    assert!(!untimed.to_text().contains("time"));
    let broken = SavedTrace { times: vec!["1.5".into()], ..saved };
    assert!(broken.times().is_err());
}

#[test]
fn models_with_clocks_need_times() {
    let net = network(FISCHER, "");
    let claim = bughound_trace::Claim::Deadlock;
    assert!(matches!(bughound_trace::replay(&net, &[], &claim), Err(ReplayError::Unsupported(_))));
}
