//! Dining philosophers: expansions of A* as published for HSF-SPIN (Edelkamp, Lluch Lafuente, Leue 2001, Table 5), less the
//! states inside of the atomic start.

use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;

use bughound_heuristics::{BuildCx, build};
use bughound_ir::targets::Targets;
use bughound_kernel::registry::expression;
use bughound_kernel::{Outcome, State, TransitionSystem, Unwatched};
use bughound_promela::lower::LowerOptions;
use bughound_semantics::DiscreteSystem;
use bughound_testkit::differential::network;

fn philosophers(count: usize) -> String {
    format!(
        "chan fork[{count}] = [1] of {{ bit }};
         proctype thinker(byte me) {{
             do
             :: fork[me]?1 ->
                 danger: fork[(me + 1) % {count}]?1;
                 fork[me]!1;
                 fork[(me + 1) % {count}]!1
             od
         }}
         init {{
             byte left = {count};
             atomic {{
                 do
                 :: left > 0 -> left--; run thinker(left); fork[left]!1
                 :: left == 0 -> break
                 od
             }}
         }}"
    )
}

/// States expanded before the deadlock, and its depth. Ties: the smaller estimate, then the newest.
fn astar(count: usize, heuristic: &str) -> (usize, u64) {
    let system = DiscreteSystem::new(network(&philosophers(count), LowerOptions::default()).unwrap(), &[]);
    let targets = Targets::deadlock();
    let read_expression = |_: &str| Err(String::new());
    let cx = BuildCx {
        system: &system,
        targets: &targets,
        goal_state: None,
        read_expression: &read_expression,
        watch: &Unwatched,
    };
    let mut heuristic = build(&expression::parse(heuristic).unwrap(), &cx).unwrap();
    let mut explorer = system.explorer();
    let mut costs: HashMap<Vec<i32>, u64> = HashMap::new();
    let mut open: BTreeMap<(u64, u64), Vec<Vec<i32>>> = BTreeMap::new();
    let mut found = Vec::new();
    explorer.initial(&mut |state| found.push((state.key.to_vec(), 0)));
    let mut expanded = 0;
    loop {
        for (key, cost) in found.drain(..) {
            if costs.get(&key).is_none_or(|known| cost < *known) {
                let estimate = heuristic.estimate(State::discrete(&key).into()).finite().unwrap();
                open.entry((cost + estimate, estimate)).or_default().push(key.clone());
                costs.insert(key, cost);
            }
        }
        let mut best = open.first_entry().expect("a deadlock");
        let (total, estimate) = *best.key();
        let key = best.get_mut().pop().unwrap();
        if best.get().is_empty() {
            best.remove();
        }
        let cost = total - estimate;
        if costs[&key] < cost {
            continue;
        }
        let expansion = explorer.successors(State::discrete(&key), &mut |step| {
            if let Outcome::State(state) = step.outcome {
                found.push((state.key.to_vec(), cost + step.weight));
            }
            ControlFlow::Continue(())
        });
        if expansion.deadlock {
            return (expanded, cost);
        }
        expanded += 1;
    }
}

#[test]
fn the_published_numbers() {
    let counts = [2, 3, 4, 8, 12, 16];
    let run = |heuristic| counts.map(|count| astar(count, heuristic));
    let lengths = counts.map(|count| 4 * count as u64 + 2);
    assert_eq!(run("deadlock-formula").map(|r| r.0), [3, 4, 5, 9, 13, 17]);
    assert_eq!(run("deadlock-formula").map(|r| r.1), lengths);
    assert_eq!(run("active-processes").map(|r| r.0), [3, 6, 8, 16, 24, 32]);
    assert_eq!(run("active-processes").map(|r| r.1), lengths);
}
