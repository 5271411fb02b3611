//! Abstractions on examples with known answers, beside true distances.

use crate::examples::Example;
use bughound_kernel::Estimate;

/// Two processes share a variable; the last step of one needs the other to set it, which takes two steps (after Fig. 2 of
/// Kupferschmid and Wehrle's "Downward pattern refinement for timed automata").
fn running_example() -> Example {
    Example::new(
        "bit a;
         active proctype P() { do :: a = 0; a = 1 od }
         active proctype Q() { skip; skip; a > 0; there: false }
         ltl p { [] !Q@there }",
    )
}

#[test]
fn what_a_pattern_forgets_is_free() {
    let example = running_example();
    assert_eq!(example.distance(), Some(5));
    let patterns = ["pdb(pattern=\"P, Q, a\")", "pdb(pattern=\"P, Q\")", "pdb(pattern=\"Q, a\")"];
    // Without `P`, somebody sets `a` in one step.
    assert_eq!(example.estimates(patterns), [Some(5), Some(3), Some(4)]);
    assert_eq!(example.estimates(["pdb", "pdb(russian-doll)", "pdb(everything)"]), [Some(5); 3]);
    assert_eq!(example.estimates(["merge-and-shrink", "cartesian", "pdb(counterexamples)"]), [Some(5); 3]);
    let sets = ["P, Q, a", "P, Q", "Q, a"].map(|pattern| format!("pdb(symbolic, pattern=\"{pattern}\")"));
    assert_eq!(example.estimates(sets.each_ref().map(String::as_str)), [Some(5), Some(3), Some(4)]);
    assert_eq!(example.estimates(["pdb(symbolic)", "pdb(symbolic, layers=2)"]), [Some(5), Some(3)]);
}

/// Where nothing was forgotten, abstractions know the true distance of every state.
#[test]
fn abstractions_of_everything_are_exact() {
    let example = Example::new(
        "byte x = 3, y; bit up;
         active proctype Count() { do :: up && x < 6 -> x++ :: !up && x > 0 -> x-- :: x == 0 -> y = 1 od }
         active proctype Turn() { do :: up = !up od }
         ltl p { [] !(x == 6 && y == 1) }",
    );
    for name in ["pdb(everything)", "pdb(symbolic, everything)", "merge-and-shrink"] {
        let mut heuristic = example.heuristic(name);
        for (state, distance) in example.graph.states.iter().zip(&example.distances.to_error) {
            let estimate = heuristic.estimate(state.as_state().into());
            assert_eq!(estimate.finite(), *distance, "{name}: {state:?}");
        }
    }
}

/// The error is out of reach, and the abstraction shows it: proof before the first step.
#[test]
fn an_abstraction_without_errors_is_a_proof() {
    let example = Example::new(
        "bit turn, inside0, inside1; byte noise;
         active proctype A() { do :: turn == 0 -> inside0 = 1; inside0 = 0; turn = 1 od }
         active proctype B() { do :: turn == 1 -> inside1 = 1; inside1 = 0; turn = 0 od }
         active proctype N() { do :: noise < 200 -> noise++ :: noise > 0 -> noise-- od }
         ltl p { [] !(inside0 && inside1) }",
    );
    assert_eq!(example.distance(), None);
    for name in ["pdb", "pdb(counterexamples)", "pdb(symbolic)", "merge-and-shrink", "cartesian"] {
        let estimate = example.heuristic(name).estimate(example.graph.states[0].as_state().into());
        assert_eq!(estimate, Estimate::DeadEnd, "{name}");
    }
}

#[test]
fn patterns_are_told_by_names() {
    let example = running_example();
    let error = example.try_heuristic("pdb(pattern=\"P, b\")").err().expect("an error");
    assert!(error.contains("there is no process, variable, channel or clock `b`"), "{error}");
}
