//! `check --all N`: different errors, not one error N times.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap};
use std::ops::ControlFlow;

use bughound::check::Others;
use bughound::{CheckRequest, Hooks, Language, Model, ModelOptions, PropertyReport, RunError, Verdict};
use bughound_ir::frames::LOCATION;
use bughound_ir::network::Network;
use bughound_kernel::{Outcome, State, TransitionSystem};
use bughound_semantics::DiscreteSystem;
use bughound_testkit::heuristic_claims::features;
use bughound_testkit::random_promela::generate;
use serde_json::Value;

use crate::support::{HUGE, Workspace, check};

/// Three assertions that fail, one of them in two ways, and deadlocks in two places.
const SEVERAL: &str = "byte x;
active proctype P() {
  if
  :: x = 1; assert(x == 0)
  :: x = 2; if :: skip :: x = 9 fi; assert(x == 1)
  :: x = 3; false
  :: x = 4; x = 5; false
  fi
}
active proctype Q() { if :: x == 1 -> assert(false) :: skip fi }
";

/// The failing line, and the length of the trace, of all errors of a property.
fn errors(property: &Value) -> Vec<(u64, u64)> {
    let more = property["more_errors"].as_array().unwrap().iter().map(|error| &error["trace"]);
    let at = |trace: &Value| {
        let last = trace["steps"].as_array().unwrap().last().unwrap();
        (last["source"]["line"].as_u64().unwrap(), trace["length"].as_u64().unwrap())
    };
    [&property["trace"]].into_iter().chain(more).map(at).collect()
}

#[test]
fn each_failing_assertion_is_shown_once() {
    for search in ["auto", "bfs", "dijkstra", "astar(h=hmax)", "idastar", "branch-and-bound", "iterative-deepening"] {
        let document = check(SEVERAL, &["--all", "10", "--json", "--search", search]).exits(1).json();
        let assertion = &document["properties"][1];
        let mut found = errors(assertion);
        found.sort_unstable();
        assert_eq!(found, [(4, 2), (5, 3), (10, 3)], "{search}");
        assert_eq!(assertion["all_errors_known"], true, "{search}");
        let proven = assertion["more_errors"].as_array().unwrap().iter().all(|e| e["proven_shortest"] == true);
        assert!(proven, "{search}");
        let deadlock = &document["properties"][0];
        assert_eq!(deadlock["more_errors"].as_array().unwrap().len(), 1, "{search}");
    }
}

/// Further errors are looked for when there is nothing else to decide that is not costly.
#[test]
fn all_properties_are_decided_before_further_errors_are_looked_for() {
    let text = format!("{SEVERAL}ltl later {{ <> (x == 200) }}\nltl small {{ [] (x < 100) }}\n");
    let model = Model::from_text("m.pml", &text, Language::Promela, &ModelOptions::default()).unwrap();
    let mut seen = Vec::new();
    let mut decided = |properties: &[PropertyReport]| {
        let open = properties.iter().filter(|p| p.verdict == Verdict::Inconclusive).count();
        seen.push((open, properties.iter().map(|p| p.more_errors.len()).sum::<usize>()));
    };
    let request = CheckRequest { different: 9, ..CheckRequest::default() };
    let report = model.check(&request, Hooks { decided: Some(&mut decided), ..Hooks::default() }).unwrap();
    assert_eq!(report.properties.iter().filter(|p| p.verdict == Verdict::Violated).count(), 3);
    assert!(seen.iter().all(|(open, more)| *open == 0 || *more == 0), "{seen:?}");
    assert!(seen.last().is_some_and(|(_, more)| *more == 3), "{seen:?}");
}

#[test]
fn searches_that_prove_nothing_say_so() {
    for (search, all) in [("dfs", true), ("greedy", true), ("random-walk(walks=2000)", false), ("bitstate-dfs", false)]
    {
        let document = check(SEVERAL, &["--all", "10", "--json", "--search", search]).exits(1).json();
        for property in document["properties"].as_array().unwrap() {
            assert_eq!(property["all_errors_known"], all, "{search}");
        }
        let mut lines: Vec<u64> = errors(&document["properties"][1]).iter().map(|(line, _)| *line).collect();
        lines.sort_unstable();
        assert_eq!(lines, [4, 5, 10], "{search}");
    }
}

#[test]
fn no_more_than_asked_for() {
    let ran = check(SEVERAL, &["--all", "2", "--property", "assertion"]).exits(1);
    let ran = ran.says("2 different errors, there may be others").says("Error 2 of `assertion`");
    ran.does_not_say("Error 3");
    let ran = check(SEVERAL, &["--all", "3", "--property", "assertion"]).exits(1);
    ran.says("Error 3 of `assertion`: 3 steps, shortest (proven)");
    check(SEVERAL, &["--all", "4", "--property", "assertion"]).says("3 different errors, there are no others");
    check(SEVERAL, &["--all", "1"]).exits(1).does_not_say("different errors");
    check(SEVERAL, &["--all", "0"]).exits(2).complains("--all");
    check(SEVERAL, &["--all", "2", "--first"]).exits(2).complains("cannot be used with");
    check(SEVERAL, &[]).exits(1).does_not_say("different errors");
}

#[test]
fn a_limit_loses_nothing_that_was_found() {
    let model =
        format!("{HUGE}active proctype R() {{ byte r; if :: r = 1; assert(r == 0) :: r = 2; assert(r == 0) fi }}");
    let ran = check(&model, &["--all", "9", "--property", "assertion", "--max-states", "20000"]).exits(1);
    ran.says("2 different errors, there may be others: the limit on the number of states was reached");
    // Nor does what takes long keep cheap errors from being found, or a cheap verdict waiting.
    let formula = format!("{model}active proctype S() {{ do :: skip od }} ltl soon {{ <> (R:r > 5) }}");
    let ran = check(&formula, &["--all", "9", "--max-states", "100000", "--no-progress"]).exits(1);
    ran.says("2 different errors, there may be others: the limit on the number of states was reached")
        .says("soon       violated");
}

#[test]
fn conditions_differ_by_where_the_processes_are() {
    // A process that has ended is nowhere, which is another place than its last one.
    let model = "byte x; active proctype P() { x = 1; x = 2; x = 3; x = 1 }";
    let ran = check(model, &["--all", "9", "--only", "--invariant", "x != 1", "--json"]).exits(1);
    let property = ran.json()["properties"][0].clone();
    assert_eq!(errors(&property).iter().map(|(_, length)| *length).collect::<Vec<_>>(), [1, 4, 5]);
}

#[test]
fn timed_models_have_different_errors_too() {
    let model = "clock x; process P() { state a, b, c, d; init a;
        trans a -> b { guard x > 1; }, a -> c { guard x < 1; }, c -> d { guard x > 3; }; } system P;";
    let workspace = Workspace::with("m.xta", model);
    let ran = workspace.run(&["check", "m.xta", "--all", "9", "--json", "--query", "A[] not deadlock"]).exits(1);
    let property = ran.json()["properties"][0].clone();
    assert_eq!(property["more_errors"].as_array().unwrap().len(), 1, "{property:#}");
    assert_eq!(property["all_errors_known"], true);
    let ran = workspace.run(&["check", "m.xta", "--all", "9", "--query", "A[] P.a", "--json"]).exits(1);
    assert_eq!(ran.json()["properties"][0]["more_errors"].as_array().unwrap().len(), 2);
}

#[test]
fn of_runs_one_error_is_shown_and_it_is_said() {
    let model = "byte x; active proctype P() { do :: x = 1 :: x = 2 od } ltl two { <> (x == 2) }";
    let ran = check(model, &["--all", "3"]).exits(1);
    ran.says("--all shows one error at most of what is about runs: `two`").does_not_say("different error");
}

#[test]
fn reports_have_all_errors() {
    let workspace = Workspace::with("m.pml", SEVERAL);
    workspace.run(&["check", "m.pml", "--all", "9", "--sarif", "r.sarif", "--junit", "r.xml"]).exits(1);
    let sarif: Value = serde_json::from_str(&std::fs::read_to_string(workspace.path("r.sarif")).unwrap()).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results.iter().filter(|result| result["ruleId"] == "assertion").count(), 3);
    let marks = results.iter().map(|result| &result["partialFingerprints"]["property/v1"]);
    assert_eq!(marks.collect::<std::collections::HashSet<_>>().len(), results.len());
    let junit = std::fs::read_to_string(workspace.path("r.xml")).unwrap();
    assert_eq!(junit.matches("<testcase ").count(), 2, "{junit}");
}

/// By property (0 deadlock, 1 assertion) and place: the least cost of an error there. `None` if the model is too large.
fn all_errors(network: &Network, system: &DiscreteSystem, most: usize) -> Option<BTreeMap<(usize, Vec<i32>), u64>> {
    let slots: Vec<usize> = network.frames.processes.iter().map(|frame| (frame.base + LOCATION) as usize).collect();
    let mut explorer = system.explorer();
    let (mut least, mut open) = (HashMap::<Vec<i32>, u64>::new(), BinaryHeap::new());
    explorer.initial(&mut |state| open.push(Reverse((0, state.key.to_vec()))));
    let mut errors = BTreeMap::new();
    let mut note = |property: usize, place: Vec<i32>, cost: u64| {
        let known = errors.entry((property, place)).or_insert(cost);
        *known = cost.min(*known);
    };
    while let Some(Reverse((cost, key))) = open.pop() {
        if least.get(&key).is_some_and(|known| *known <= cost) {
            continue;
        }
        least.insert(key.clone(), cost);
        if least.len() > most {
            return None;
        }
        let expansion = explorer.successors(State::discrete(&key), &mut |step| {
            match step.outcome {
                Outcome::State(next) => open.push(Reverse((cost + step.weight, next.key.to_vec()))),
                Outcome::Failure(f) => note(1, vec![f.kind as i32, f.edge as i32, f.code as i32], cost + step.weight),
            }
            ControlFlow::Continue(())
        });
        if expansion.cut {
            return None;
        }
        if expansion.deadlock {
            let at = |slot: &usize| key.get(*slot).copied().unwrap_or(i32::MIN);
            note(0, slots.iter().map(at).collect(), cost);
        }
    }
    Some(errors)
}

fn costs(property: &PropertyReport) -> Vec<u64> {
    let all = [property].into_iter().chain(&property.more_errors);
    let mut costs: Vec<u64> = all.filter_map(|error| error.trace.as_ref()).map(|trace| trace.cost).collect();
    costs.sort_unstable();
    costs
}

/// Everything that brute force finds in random programs is found, and nothing twice.
#[test]
fn all_errors_of_random_programs_are_found() {
    let (mut programs, mut several) = (0, 0);
    for seed in 0..400 {
        let text = generate(seed, &features(seed));
        let Ok(model) = Model::from_text("m.pml", &text, Language::Promela, &ModelOptions::default()) else { continue };
        let system = DiscreteSystem::new(model.network.clone(), &[]);
        let Some(errors) = all_errors(&model.network, &system, 1500) else { continue };
        programs += 1;
        for search in ["bfs", "dfs", "auto", "idastar"] {
            let mut request = CheckRequest { different: 1000, ..CheckRequest::default() };
            request.after = bughound::check::AfterError::GoOn;
            request.selection = vec!["deadlock".into(), "assertion".into()];
            request.run.search = search.into();
            let report = match model.check(&request, Hooks::default()) {
                Ok(report) => report,
                Err(RunError::Usage(why) | RunError::Internal(why)) => panic!("{search}, seed {seed}: {why}\n{text}"),
            };
            for (number, property) in report.properties.iter().enumerate() {
                let mut expected: Vec<u64> =
                    errors.iter().filter(|((of, _), _)| *of == number).map(|(_, cost)| *cost).collect();
                expected.sort_unstable();
                let found = costs(property);
                assert_eq!(found.len(), expected.len(), "{search}, seed {seed}, {}\n{text}", property.name);
                assert_eq!(
                    property.verdict == Verdict::Violated,
                    !expected.is_empty(),
                    "{search}, seed {seed}\n{text}"
                );
                if !expected.is_empty() {
                    assert_eq!(property.others, Some(Others::None), "{search}, seed {seed}\n{text}");
                }
                let all = [property].into_iter().chain(&property.more_errors);
                if all.clone().all(|error| error.proven_shortest) && !expected.is_empty() {
                    assert_eq!(found, expected, "{search}, seed {seed}, {}\n{text}", property.name);
                }
                for error in all.filter(|error| error.proven_shortest) {
                    let Some(f) = error.failure else { continue };
                    let place = vec![f.kind as i32, f.edge as i32, f.code as i32];
                    let cost = error.trace.as_ref().unwrap().cost;
                    assert_eq!(errors.get(&(1, place)), Some(&cost), "{search}, seed {seed}\n{text}");
                }
                several += usize::from(expected.len() > 1);
            }
        }
    }
    assert!(programs > 100 && several > 200, "{programs} programs, {several} with several errors");
}

/// Two channels overflow while all processes stay where they are: one trace for both, which does not say that it is all.
#[test]
fn errors_at_the_same_locations_may_be_several() {
    let workspace = Workspace::with(
        "m.pml",
        "chan q = [1] of { byte }; chan r = [1] of { byte }; active proctype S() { do :: q!1 :: r!2 od }\n",
    );
    let ran = workspace.run(&["check", "m.pml", "channel-overflow", "--all", "10", "--json"]).exits(1);
    assert_eq!(ran.json()["properties"][0]["all_errors_known"], false);
}
