//! Mistakes of models and of those who ask: each is told apart, and none becomes an answer.

use std::sync::atomic::{AtomicU32, Ordering};

use bughound_native::{CheckError, Checker, ClaimError, Estimate, Property, RustModel, check_estimates};

/// A walk along a line of 20 places, with a shortcut from place 1 to the end.
struct Line {
    /// What is claimed, and the estimate of a place.
    property: fn(Property<Line>) -> Property<Line>,
}

const END: u32 = 20;

impl RustModel for Line {
    type State = u32;
    type Action = &'static str;

    fn initial_states(&self) -> Vec<u32> {
        vec![0]
    }

    fn actions(&self, state: &u32, actions: &mut Vec<&'static str>) {
        if *state < END {
            actions.push("walk");
        }
        if *state == 1 {
            actions.push("jump");
        }
    }

    fn next_state(&self, state: &u32, action: &&'static str) -> Option<u32> {
        Some(if *action == "jump" { END } else { state + 1 })
    }

    fn properties(&self) -> Vec<Property<Line>> {
        vec![(self.property)(Property::always("not at the end", |_, state| *state != END))]
    }
}

/// Forgets the shortcut.
fn too_much(_: &Line, state: &u32) -> u64 {
    u64::from(END - state)
}

#[test]
fn a_claim_that_is_wrong_on_the_trace_is_no_answer() {
    for wrong in
        [|p: Property<Line>| p.admissible_estimate(too_much), |p: Property<Line>| p.consistent_estimate(too_much)]
    {
        let line = Line { property: wrong };
        let told = Checker::new(&line).search("astar").check().err();
        // Twenty steps are left at the start if the shortcut is forgotten; A* believes it and walks all the way, unless
        // the end is generated first. Either way the trace or the brute force shows the mistake.
        let brute = check_estimates(&line, 100).unwrap_err();
        assert_eq!(
            brute,
            ClaimError::TooMuch {
                property: "not at the end".into(),
                state: 0,
                estimate: Estimate::Finite(20),
                distance: 2
            }
        );
        assert!(told.is_none() || matches!(told, Some(CheckError::WrongClaim { .. })), "{told:?}");
    }
    let far_off = Line { property: |p| p.admissible_estimate(|_, state: &u32| u64::from(2 * (END - state))) };
    let told = Checker::new(&far_off).search("astar").check().err().unwrap();
    assert!(matches!(told, CheckError::WrongClaim { step: 0, rest: 2 | 20, .. }), "{told:?}");
    let dead = Line { property: |p| p.admissible_estimate(|_, state: &u32| (*state < 5).then_some(0)) };
    // The shortcut leads into what is called a dead end.
    let brute = check_estimates(&dead, 100).unwrap_err();
    assert!(matches!(brute, ClaimError::TooMuch { estimate: Estimate::DeadEnd, .. }), "{brute}");
}

#[test]
fn a_claim_of_consistency_is_put_to_the_test() {
    let falls = Line { property: |p| p.consistent_estimate(|_, state: &u32| if *state == 0 { 2_u64 } else { 0 }) };
    let told = check_estimates(&falls, 100).unwrap_err();
    assert!(matches!(told, ClaimError::Falls { from: 0, to: 1, cost: 1, before: 2, after: 0, .. }), "{told}");
    let admissible = Line { property: |p| p.admissible_estimate(|_, state: &u32| if *state == 0 { 2_u64 } else { 0 }) };
    assert_eq!(check_estimates(&admissible, 100).unwrap().of("not at the end"), Some(2));
    assert_eq!(check_estimates(&admissible, 5).unwrap_err(), ClaimError::TooLarge { most: 5 });
    let not_zero = Line { property: |p| p.consistent_estimate(|_, state: &u32| u64::from(*state == END)) };
    assert!(matches!(check_estimates(&not_zero, 100).unwrap_err(), ClaimError::NotZero { state: END, .. }));
    let nothing_claimed = Line { property: |p| p.estimate(too_much) };
    assert!(check_estimates(&nothing_claimed, 100).is_ok());
}

/// A model with a memory of its own: what it answers depends on how often it was asked.
struct Moody {
    asked: AtomicU32,
    patience: u32,
}

impl RustModel for Moody {
    type State = u32;
    type Action = u32;

    fn initial_states(&self) -> Vec<u32> {
        vec![0]
    }

    fn actions(&self, _: &u32, actions: &mut Vec<u32>) {
        if self.asked.fetch_add(1, Ordering::Relaxed) < self.patience {
            actions.push(1);
        }
    }

    fn next_state(&self, state: &u32, action: &u32) -> Option<u32> {
        Some(state + action)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::always("below ten", |_, state| *state < 10)]
    }
}

#[test]
fn a_model_that_changes_its_mind_is_found_out() {
    // Ten expansions find the error, ten more find the way back, ten more execute it once more.
    for patience in 10..35 {
        let model = Moody { asked: AtomicU32::new(0), patience };
        match Checker::new(&model).search("bfs").check() {
            Err(CheckError::NotRepeatable { property, .. }) => {
                assert_eq!((property.as_str(), patience < 30), ("below ten", true))
            }
            Err(other) => panic!("{patience}: {other}"),
            Ok(report) => {
                assert!(patience >= 30, "{patience}");
                assert_eq!(report.answers[0].trace.as_ref().unwrap().cost, 10);
            }
        }
    }
}

/// What is asked for wrongly.
struct Named {
    names: [&'static str; 2],
    initial: Vec<u8>,
}

impl RustModel for Named {
    type State = u8;
    type Action = ();

    fn initial_states(&self) -> Vec<u8> {
        self.initial.clone()
    }

    fn actions(&self, _: &u8, _: &mut Vec<()>) {}

    fn next_state(&self, _: &u8, (): &()) -> Option<u8> {
        None
    }

    fn properties(&self) -> Vec<Property<Self>> {
        self.names.map(Property::no_deadlock).into()
    }
}

#[test]
fn what_is_asked_wrongly_is_told_apart() {
    let named = |names, initial: &[u8]| Named { names, initial: initial.to_vec() };
    let told = |model: &Named, search: &str| Checker::new(model).search(search).check().err();
    assert_eq!(told(&named(["a", "a"], &[1]), "bfs"), Some(CheckError::SameName("a".into())));
    assert_eq!(told(&named(["a", "b"], &[]), "bfs"), Some(CheckError::NoInitialState));
    let model = named(["a", "b"], &[1]);
    for (search, part) in [
        ("bsf", "did you mean `bfs`?"),
        ("astar(", "expected"),
        ("astar(h=pdb)", "a model written in Rust has no heuristic `pdb`"),
        ("ce(prune=true)", "nothing is known about the steps of this system"),
    ] {
        let Some(CheckError::Search(message)) = told(&model, search) else { panic!("{search}") };
        assert!(message.contains(part), "{search}: {message}");
    }
    let report = Checker::new(&model).check().unwrap();
    assert!(report.answers.iter().all(|answer| answer.trace.as_ref().is_some_and(|trace| trace.steps.is_empty())));
}
