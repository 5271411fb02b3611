//! Cheapest runs: models with costs, schedules, bounds that are proven, limits.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::Workspace;

fn check_xta(model: &str, options: &[&str]) -> crate::support::Ran {
    let workspace = Workspace::with("m.xta", model);
    workspace.run(&[&["check", "m.xta"], options].concat())
}

fn property(document: &Value) -> &Value {
    &document["properties"][0]
}

/// Waiting at `A` costs 4 a unit, at `B` 1; what is asked for is 5 units away.
const TWO_RATES: &str = "clock x, y;
process P() {
  state A { y <= 3 && cost' == 4 }, B { x <= 5 && cost' == 1 }, Goal;
  init A;
  trans A -> B { guard y >= 1; assign cost += 2; }, B -> Goal { guard x >= 5; };
}
system P;
";

#[test]
fn the_cheapest_run_is_found_and_its_cost_added_up() {
    let ran = check_xta(TWO_RATES, &["--query", "E<> P.Goal"]).exits(0);
    // One unit at A, four at B, and 2 for the step between them.
    ran.says("satisfied after 2 steps, cost 10, cheapest (proven)")
        .says("Schedule for `E<> P.Goal`")
        .says("cost 10, end at 5");
    let document = check_xta(TWO_RATES, &["--query", "E<> P.Goal", "--json"]).exits(0).json();
    let found = property(&document);
    assert_eq!((&found["cost"], &found["lower_bound"], &found["gap"]), (&10.into(), &10.into(), &0.0.into()));
    assert_eq!((&found["attained"], &found["answer"]["value"]), (&true.into(), &10.into()));
    assert_eq!(found["schedule"]["cost_exact"], "10");
    let stays: Vec<(&str, f64, f64, f64)> = found["schedule"]["stays"].as_array().unwrap().iter().map(stay).collect();
    assert_eq!(stays[..2], [("A", 0.0, 1.0, 4.0), ("B", 1.0, 5.0, 4.0)]);
}

fn stay(stay: &Value) -> (&str, f64, f64, f64) {
    let number = |name: &str| stay[name].as_f64().unwrap();
    (stay["location"].as_str().unwrap(), number("from"), number("to"), number("over_time"))
}

#[test]
fn every_search_agrees_about_the_least_cost() {
    let searches = [
        "anytime(k=1)",
        "astar",
        "astar(h=least-cost)",
        "astar(h=blind)",
        "dijkstra",
        "branch-and-bound",
        "beam(k=1000, improve=true)",
        "iterative-bound",
        "idastar",
    ];
    for search in searches {
        let document = check_xta(TWO_RATES, &["--query", "E<> P.Goal", "--json", "--search", search]).exits(0).json();
        let found = property(&document);
        assert_eq!((&found["cost"], &found["lower_bound"]), (&10.into(), &10.into()), "{search}");
    }
    for search in ["frontier", "breadth-first-heuristic", "beam-stack", "memory-limited-astar"] {
        let refused = check_xta(TWO_RATES, &["--query", "E<> P.Goal", "--search", search]).exits(2);
        refused.complains("would not end where zones have costs");
    }
    // Some run, and no promise about its cost.
    for search in ["dfs", "nearest-neighbour", "beam"] {
        let document = check_xta(TWO_RATES, &["--query", "E<> P.Goal", "--json", "--search", search]).exits(0).json();
        let cost = property(&document)["cost"].as_u64().unwrap();
        assert!(cost >= 10 && property(&document)["lower_bound"].as_u64().unwrap() <= 10, "{search}");
    }
}

#[test]
fn heuristics_that_count_steps_prove_nothing_about_costs() {
    // Both ways have steps; the one with more of them is cheaper. Estimates in steps would be too large.
    let model = "int n;
process P() {
  state A, B, C, Goal;
  commit A, B, C;
  init A;
  trans A -> Goal { assign cost += 1; }, A -> B { }, B -> C { }, C -> Goal { };
}
system P;
";
    for heuristic in ["hff", "hmax", "pdb", "formula"] {
        let search = format!("astar(h={heuristic})");
        let document = check_xta(model, &["--query", "E<> P.Goal", "--json", "--search", &search]).exits(0).json();
        let found = property(&document);
        assert!(found["lower_bound"].as_u64().unwrap() == 0, "{heuristic}: {found}");
    }
    check_xta(model, &["--query", "E<> P.Goal"]).exits(0).says("satisfied after 3 steps, cost 0, cheapest (proven)");
    check_xta(model, &["--query", "E<> P.Goal", "--first"]).exits(0).says("satisfied after 1 step, short");
}

#[test]
fn no_schedule_is_an_answer_and_an_infimum_need_not_be_attained() {
    let strict = TWO_RATES.replace("y >= 1", "y > 1");
    check_xta(&strict, &["--query", "E<> P.Goal"])
        .exits(0)
        .says("cost as little above 10 as one likes (infimum, not attained by these steps), cheapest (proven)");
    let document = check_xta(&strict, &["--query", "E<> P.Goal", "--json"]).exits(0).json();
    let found = property(&document);
    assert_eq!((&found["attained"], &found["answer"]["attained"]), (&false.into(), &false.into()));
    assert!(found["schedule"]["cost"].as_f64().unwrap() > 10.0);
    let tight = TWO_RATES.replace("y <= 3", "y < 1");
    check_xta(&tight, &["--query", "E<> P.Goal"]).exits(1).says("violated: no run leads to a state");
}

#[test]
fn limits_show_the_best_schedule_so_far_and_how_far_it_can_be_from_the_best() {
    let workspace = Workspace::new();
    let model = models().join("jobshop.xta");
    let model = model.to_str().unwrap();
    // The first beam is over; the proof is not.
    let options = ["--json", "--search", "beam(k=1)", "--no-progress"];
    let found = workspace.run(&[&["check", model], &options[..]].concat()).exits(0).json();
    let (cost, least) = (found["properties"][0]["cost"].as_u64(), found["properties"][0]["lower_bound"].as_u64());
    assert!(cost >= Some(12) && least <= Some(12), "{found}");
    let mut told = 0;
    // Without estimates, the proof takes long.
    for states in [1, 20, 40, 60, 80, 100, 150, 200, 250, 300, 400, 600] {
        let most = states.to_string();
        let ran =
            workspace.run(&["check", model, "--json", "--max-states", &most, "--search", "anytime(k=1, h=blind)"]);
        let found = &ran.json()["properties"][0];
        let least = found["lower_bound"].as_u64().unwrap_or(0);
        assert!(least <= 12, "{found}");
        match found["cost"].as_u64() {
            Some(cost) => {
                assert!(cost >= 12 && ran.code == 0, "{found}");
                told += u32::from(cost > least);
                if cost > least && least > 0 {
                    let gap = found["gap"].as_f64().unwrap();
                    assert!((gap - (cost - least) as f64 / least as f64).abs() < 1e-9, "{found}");
                }
            }
            None => assert!(found["verdict"] == "limit" && ran.code == 4, "{} {found}", ran.code),
        }
    }
    assert!(told > 0, "no limit came between a first schedule and the proof");
}

#[test]
fn a_picture_of_the_schedule() {
    let workspace = Workspace::with("m.xta", TWO_RATES);
    workspace.run(&["check", "m.xta", "--query", "E<> P.Goal", "--gantt", "out.svg"]).exits(0);
    let picture = std::fs::read_to_string(workspace.path("out.svg")).unwrap();
    assert!(picture.contains("<svg") && picture.contains(">B<") && picture.trim_end().ends_with("</svg>"));
    workspace
        .run(&["check", "m.xta", "--query", "A[] x <= 5 or P.Goal", "--gantt", "none.svg"])
        .exits(0)
        .complains("there is no schedule to draw");
}

#[test]
fn what_cannot_be_priced_is_told() {
    let falling = TWO_RATES.replace("clock x, y;", "clock x, y; int n = 2;").replace("cost' == 1", "cost' == n - 3");
    check_xta(&falling, &["--query", "E<> P.Goal"]).exits(3).says("not decided: ");
    let options = ["--query", "E<> P.Goal", "--cheapest", "--first"];
    check_xta(TWO_RATES, &options).exits(2).complains("cannot be used with");
    let plain = TWO_RATES.replace(" && cost' == 4", "").replace(" && cost' == 1", "").replace("assign cost += 2;", "");
    check_xta(&plain, &["--query", "E<> P.Goal", "--cheapest"]).exits(0).says("--cheapest makes no difference");
    check_xta(&plain, &["--query", "E<> P.Goal", "--search", "astar(h=least-cost)"])
        .exits(2)
        .complains("`least-cost` needs a model with prices");
}

/// What a run costs that ends in an error of the model nobody knows: nothing is proven beside it.
#[test]
fn errors_of_the_model_leave_nothing_proven() {
    let model = "clock x; int[-5,5] n = 1;
process A() {
  state S { cost' == 1 }, U, T;
  init S;
  trans S -> T { guard x >= 2; assign cost += 1; }, S -> U { assign cost += n - 3; }, U -> T { };
}
system A;
";
    let ran = check_xta(model, &["--query", "E<> A.T"]).exits(0);
    ran.says("cost 3, not proven cheapest (runs that end in an error of the model were met)");
    check_xta(model, &["--query", "E<> A.T", "--max-depth", "5"]).exits(2).complains("--max-depth bounds the steps");
    check_xta(model, &["--query", "E<> deadlock"]).says("runs to deadlocks are short, not cheap");
}

#[test]
fn goals_of_promela_models_are_reached_at_the_least_cost() {
    // The cheap first step leads to a deadlock, which is no goal.
    let model = "byte x;
active proctype P() {
  if
  :: /*@cost 9*/ x = 1
  :: /*@cost 1*/ x = 2; false
  :: /*@cost 2*/ x = 3; /*@cost 3*/ x = 1
  fi
}
";
    let workspace = Workspace::with("m.pml", model);
    let ran = workspace.run(&["check", "m.pml", "--goal", "x == 1"]).exits(0);
    ran.says("goal-1  satisfied after 2 steps, cost 5, cheapest (proven)").does_not_say("deadlock");
    let found = workspace.run(&["check", "m.pml", "--goal", "x == 1", "--json"]).exits(0).json();
    let found = property(&found);
    assert_eq!((&found["cost"], &found["lower_bound"], &found["trace"]["cost"]), (&5.into(), &5.into(), &5.into()));
    workspace.run(&["check", "m.pml", "--goal", "x == 4"]).exits(1).says("violated: no reachable state satisfies");
}

fn models() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/scheduling")
}

/// The headers of our models say what the least cost is.
#[test]
fn bundled_models_cost_what_they_say() {
    let workspace = Workspace::new();
    let mut checked = 0;
    for entry in std::fs::read_dir(models()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "xta") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let said = text.split("Least cost: ").nth(1).unwrap_or_else(|| panic!("{}", path.display()));
        let said: u64 = said.chars().take_while(char::is_ascii_digit).collect::<String>().parse().unwrap();
        let found = workspace.run(&["check", path.to_str().unwrap(), "--json"]).exits(0).json();
        let found = property(&found);
        assert_eq!((found["cost"].as_u64(), found["lower_bound"].as_u64()), (Some(said), Some(said)), "{path:?}");
        checked += 1;
    }
    assert_eq!(checked, 4);
}

/// The table of optima beside the repository, as far as its models are there.
#[test]
fn models_of_others_cost_what_is_known() {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let Ok(table) = std::fs::read_to_string(shared.join("expected/scheduling.csv")) else {
        eprintln!("skipped: ../shared/expected/scheduling.csv does not exist");
        return;
    };
    let workspace = Workspace::new();
    let mut rows = 0;
    for line in table.lines().skip(1).filter(|line| line.starts_with("priced/cora/") || line.contains("jugs2")) {
        let file = line.split(',').next().unwrap();
        let path = shared.join("models").join(file);
        let found = workspace.run(&["check", path.to_str().unwrap(), "--json", "--no-progress"]).json();
        let found = property(&found);
        let known = found["cost"].as_u64().filter(|_| found["cost"] == found["lower_bound"]);
        let optimum = || known.map_or("none".to_string(), |cost| cost.to_string());
        match line.contains(",unreachable,") {
            true => assert!(found["verdict"] == "violated" && known.is_none(), "{line}: {found}"),
            false => assert!(line.contains(&format!(",{},recomputed,", optimum())), "{line}: {}", optimum()),
        }
        rows += 1;
    }
    assert!(rows >= 24, "{rows}");
}
