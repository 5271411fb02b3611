//! Hand-made systems whose distances are known, and small models.

use bughound_finite::cost::{Cost, INFINITE};
use bughound_kernel::Unwatched;

use super::bisimulation::classes;
use super::cascade::Source;
use super::encoding::GOAL;
use super::goal_distances::goal_distances;
use super::labels::reduce_for;
use super::product::{Limits, merge};
use super::prune::prune;
use super::strategy::{Order, run};
use super::system::{DEAD, Factor, Label, System, Transitions, UNSEEN};
use crate::testing::{along, at_start, system, violation};

const PLENTY: Limits = Limits { states: 1000, transitions: 10_000, pairs: 10_000, work: usize::MAX };

/// Its cost, and by factor what it does there.
type Made<'a> = (Cost, &'a [(u32, &'a [(u32, u32)])]);

/// The goal factor and others, with as many states as told, all beginning with state 0. Factor 0 is the
/// goal factor.
fn made(sizes: &[u32], labels: &[Made<'_>]) -> System {
    let mut made = System::new(vec![], vec![]);
    for (at, size) in [2].iter().chain(sizes).enumerate() {
        let source = if at == 0 { Source::NotYet } else { Source::Variable(at - 1) };
        let node = made.cascade.add(source, (0..*size).collect());
        let goal = (at == 0).then_some(1);
        made.factors.push(Some(Factor { size: *size, initial: vec![0], goal, groups: vec![], node }));
    }
    for (cost, parts) in labels {
        let mut uses = Vec::new();
        for (factor, transitions) in *parts {
            let groups = &mut made.factors[*factor as usize].as_mut().unwrap().groups;
            uses.push((*factor, groups.len() as u32));
            groups.push(transitions.to_vec());
        }
        made.labels.push(Label { cost: *cost, uses });
    }
    (0..made.factors.len() as u32).for_each(|factor| made.tidy(factor));
    made
}

/// Two counters from 0 to 3, one counted up by 1 at cost 2, the other at cost 3, an error where both are 3; the second can
/// be counted only while the first is not 0, and the first can get stuck in state 4.
fn counters() -> System {
    const UP: &[(u32, u32)] = &[(0, 1), (1, 2), (2, 3)];
    made(
        &[5, 4],
        &[
            (2, &[(1, UP)]),
            (3, &[(1, &[(1, 1), (2, 2), (3, 3)]), (2, UP)]),
            (1, &[(1, &[(0, 4), (1, 4)])]),
            (5, &[(0, &[(0, 1)]), (1, &[(3, 3)]), (2, &[(3, 3)])]),
        ],
    )
}

/// The distance in the goal factor of a state given by the values of all variables; `None`: there is no such state.
fn distance(system: &mut System, values: &[u32]) -> Option<Cost> {
    let goal = system.factor(GOAL).unwrap();
    let (root, distances) = (goal.node, goal_distances(goal, &system.costs(GOAL)));
    let mut cascade = system.cascade.clone();
    cascade.keep(root);
    assert!(cascade.evaluate(|variable| Some(values[variable])));
    match cascade.found() {
        UNSEEN => None,
        DEAD => Some(INFINITE),
        found => Some(distances[found as usize]),
    }
}

#[test]
fn with_enough_room_distances_are_exact() {
    for order in [Order::Trial, Order::Nearest] {
        let mut system = counters();
        run(&mut system, order, PLENTY, &Unwatched);
        assert_eq!(system.living().count(), 1, "{order:?}");
        for (a, b) in [(0, 0), (1, 0), (1, 3), (3, 1), (3, 3)] {
            assert_eq!(distance(&mut system, &[a, b]), Some((3 - a) * 2 + (3 - b) * 3 + 5), "{order:?} {a} {b}");
        }
        // Stuck; and counted although that was not possible.
        assert_eq!(distance(&mut system, &[4, 2]), Some(INFINITE), "{order:?}");
        assert_eq!(distance(&mut system, &[0, 1]), None, "{order:?}");
    }
}

#[test]
fn with_little_room_distances_are_lower_bounds_that_differ() {
    let mut found = Vec::new();
    for states in [4, 6, 8, 12] {
        let mut system = counters();
        run(&mut system, Order::Nearest, Limits { states, ..PLENTY }, &Unwatched);
        let estimate = distance(&mut system, &[0, 0]).unwrap();
        assert!((5..=20).contains(&estimate), "{states}: {estimate}");
        assert!(system.factor(GOAL).unwrap().size as usize <= states);
        found.push(estimate);
    }
    assert!(found.is_sorted() && found[0] < 20, "{found:?}");
}

#[test]
fn products_that_are_too_large_change_nothing() {
    let mut system = counters();
    for limits in [Limits { states: 3, ..PLENTY }, Limits { transitions: 3, ..PLENTY }, Limits { pairs: 19, ..PLENTY }]
    {
        assert!(!merge(&mut system, 1, 2, limits));
        assert_eq!((system.living().count(), system.factor(1).unwrap().size), (3, 5));
    }
    assert!(merge(&mut system, 1, 2, PLENTY));
    // All pairs but those where the second was counted before the first, or after it was left for good.
    assert_eq!(system.factor(1).unwrap().size, 1 + 3 * 4 + 4);
    assert!(system.factor(2).is_none());
}

#[test]
fn what_cannot_be_or_cannot_lead_to_an_error_is_left_out() {
    let mut system = made(
        &[4],
        &[
            (1, &[(1, &[(0, 1), (2, 1), (0, 3)])]),
            (1, &[(0, &[(0, 1)]), (1, &[(1, 1)])]),
            // Impossible from the start, so the label is, and so is state 2.
            (1, &[(0, &[]), (1, &[(1, 2)])]),
        ],
    );
    prune(&mut system);
    assert_eq!((system.labels.len(), system.factor(1).unwrap().size), (2, 3));
    assert!(merge(&mut system, GOAL, 1, PLENTY));
    prune(&mut system);
    // The goal, and two states before it.
    assert_eq!(system.factor(GOAL).unwrap().size, 3);
    let distances = [0, 1, 2, 3].map(|value| distance(&mut system, &[value]));
    assert_eq!(distances, [Some(2), Some(1), None, Some(INFINITE)]);
}

#[test]
fn labels_that_are_alike_elsewhere_become_one() {
    let there: &[(u32, u32)] = &[(0, 1)];
    let back: &[(u32, u32)] = &[(1, 0)];
    let mut system = made(
        &[2, 2],
        &[
            (1, &[(1, there), (2, there)]),
            (1, &[(1, back), (2, there)]),
            (2, &[(1, back), (2, there)]),
            (1, &[(1, there), (2, back)]),
            (1, &[(2, back)]),
            (1, &[(1, &[(0, 0), (0, 1)])]),
        ],
    );
    reduce_for(&mut system, 1);
    let of = |label: &Label| {
        let transitions = |factor: u32| -> Transitions {
            label.group(factor).map_or(vec![], |g| system.factor(factor).unwrap().groups[g as usize].clone())
        };
        (label.cost, transitions(1), transitions(2))
    };
    let mut labels: Vec<_> = system.labels.iter().map(of).collect();
    labels.sort();
    let mut expected = vec![
        (1, vec![(0, 1), (1, 0)], there.to_vec()),
        (2, back.to_vec(), there.to_vec()),
        // One of the two leaves the first factor alone.
        (1, vec![(0, 0), (0, 1), (1, 1)], back.to_vec()),
        // Where it concerns nothing else, to stay is to do nothing.
        (1, there.to_vec(), vec![]),
    ];
    expected.sort();
    assert_eq!(labels, expected);
}

#[test]
fn bisimilar_states_are_merged_and_no_others() {
    // 1 and 2 go to 3 and 4, which go to the goal 5 alike; 0 goes to both; 6 goes where 1 and 2 go, by another group.
    let groups = vec![vec![(0, 1), (0, 2), (1, 3), (2, 3), (2, 4), (3, 5), (4, 5)], vec![(6, 3)]];
    let factor = Factor { size: 7, initial: vec![0], goal: Some(5), groups, node: 0 };
    let distances = goal_distances(&factor, &[1, 1]);
    assert_eq!(distances, [3, 2, 2, 1, 1, 0, 2]);
    let exact = classes(&factor, &distances, None, &mut 0).unwrap();
    assert_eq!((exact[1], exact[3]), (exact[2], exact[4]));
    assert_eq!(exact.iter().collect::<std::collections::BTreeSet<_>>().len(), 5);
    // With room for four classes, distances are kept and what differs farther away is not.
    let coarse = classes(&factor, &distances, Some(4), &mut 0).unwrap();
    assert_eq!(coarse[1], coarse[6]);
    // With even less, the states farthest from the error are merged.
    let coarser = classes(&factor, &distances, Some(3), &mut 0).unwrap();
    assert_eq!((coarser[0], coarser[3]), (coarser[1], coarser[4]));
    assert!(coarser[5] != coarser[3] && coarser[3] != coarser[1]);
}

/// Handing over and back again: what has to be done several times is counted every time.
#[test]
fn repeated_work_is_counted() {
    let system = system(
        "chan r = [0] of { bit };
         active proctype Top() { do :: true -> r!1 od }
         active proctype Bottom() { r?1; r?1; r?1; r?1; there: false }
         ltl p { [] !Bottom@there }",
    );
    let targets = violation(&system);
    assert_eq!(at_start(&system, &targets, "hl"), Some(5));
    assert_eq!(at_start(&system, &targets, "merge-and-shrink"), Some(8));
    assert_eq!(at_start(&system, &targets, "merge-and-shrink(merge=nearest)"), Some(8));
    assert!(at_start(&system, &targets, "merge-and-shrink(states=4)").unwrap() < 8);
}

#[test]
fn dead_ends_are_seen() {
    let system =
        system("byte x; active proctype P() { if :: x = 1 :: x = 2 fi; x == 1; there: false } ltl p { [] !P@there }");
    let targets = violation(&system);
    let estimates = |choice| along(&system, &targets, "merge-and-shrink", &[choice]);
    assert_eq!((estimates(0), estimates(1)), (vec![Some(2), Some(1)], vec![Some(2), None]));
}

/// A chain of more variables than are looked at: what is near the error counts.
#[test]
fn of_very_many_variables_those_near_the_error_are_looked_at() {
    let copies: String =
        (1..150).map(|at| format!(":: d_step {{ x[{}] && !x[{at}] -> x[{at}] = 1 }} ", at - 1)).collect();
    let system = system(&format!(
        "bit x[150]; active proctype P() {{ do :: !x[0] -> x[0] = 1 {copies} od }} ltl p {{ [] !x[149] }}"
    ));
    let estimate = at_start(&system, &violation(&system), "merge-and-shrink").unwrap();
    // A step for each that is followed, besides the location of the process.
    assert!((90..=100).contains(&estimate), "{estimate}");
}
