//! Searches with their heuristics on random programs: their verdicts are those of breadth-first search.
//!
//! `cargo run --release -p bughound-testkit --example search_pairs -- 0 20000` compares as many as one likes.
//!
//! Searches that look at steps before states, with the contexts of real programs: their verdicts on random programs and
//! conditions are those of breadth-first search.

use bughound::guide::{Guide, targets};
use bughound_ir::expr::Expr;
use bughound_kernel::registry::expression;
use bughound_kernel::{AtomId, Limits};
use bughound_promela::lower::LowerOptions;
use bughound_search::{
    BuildCx, Controls, Goals, InvariantGoal, SearchError, SearchResult, StopPolicy, Task, algorithms,
};
use bughound_semantics::DiscreteSystem;
use bughound_store::Stores;
use bughound_testkit::conditions;
use bughound_testkit::heuristic_claims::{Program, features, invariants, program};
use bughound_testkit::random_promela::Rng;
use bughound_testkit::{search_pairs, seeds};

const PROGRAMS: u64 = 60;
/// Larger programs are left out.
const STATES: u64 = 2000;

const SEARCHES: [&str; 10] = [
    "ce",
    "ce(order=bfs)",
    "ce(order=dfs)",
    "icb",
    "icb(by=interference, n=1, order=dfs)",
    "ut",
    "ut(h=hff)",
    "ut(h=hl, useless=by-depth)",
    "guided",
    "guided(deferred=true, seed=7)",
];

/// It leaves steps out where it may.
const PRUNING: [&str; 2] = ["ce(prune=true, order=bfs)", "ce(prune=true)"];

/// Looks for the first error.
fn run(search: &str, system: &DiscreteSystem, goals: &Goals, atoms: &[Expr]) -> Result<SearchResult, SearchError> {
    let read_expression = |_: &str| Err("none here".to_string());
    let guide = Guide { searched: system, system, targets: targets(goals, atoms), read_expression: &read_expression };
    let search = expression::parse(search).and_then(|e| algorithms::build(&e, &BuildCx::default()))?;
    let stores = Stores::new(system);
    let task = Task { system, goals, stop: StopPolicy::FirstError, stores: &stores, heuristics: &guide };
    let limits = Limits { states: Some(STATES), ..Limits::default() };
    search.start(task, Controls { limits, ..Controls::default() })
}

#[test]
fn verdicts_are_those_of_breadth_first_search() {
    let (mut violated, mut safe, mut pruned) = (0, 0, 0);
    for seed in 0..PROGRAMS {
        let Ok(program) = program(seed, features(seed)) else { continue };
        let mut rng = Rng::new(seed ^ 0x5e95);
        let error = conditions::random(&program.network, &mut rng);
        let atoms = [error.condition];
        let system = DiscreteSystem::new(program.network, &atoms);
        let invariant = InvariantGoal { property: 0, atom: AtomId(0), expected: !error.wanted };
        let goals = Goals { invariants: vec![invariant], ..Goals::none() };
        let run = |search: &str| run(search, &system, &goals, &atoms);
        let truth = run("bfs").unwrap();
        if truth.stop_reason.is_some() {
            continue;
        }
        let found = !truth.witnesses.is_empty();
        violated += u32::from(found);
        safe += u32::from(!found && truth.complete);
        for search in SEARCHES {
            let result = run(search).unwrap();
            // Other orders may need more states before the error.
            if result.stop_reason.is_none() {
                assert_eq!(!result.witnesses.is_empty(), found, "{search}, seed {seed}\n{}", program.source);
                assert_eq!(result.complete, truth.complete, "{search}, seed {seed}");
            }
        }
        for search in PRUNING {
            match run(search) {
                Ok(result) if result.stop_reason.is_none() => {
                    assert_eq!(!result.witnesses.is_empty(), found, "{search}, seed {seed}\n{}", program.source);
                    pruned += u32::from(result.stats.stored < truth.stats.stored);
                }
                Ok(_) => {}
                Err(error) => assert!(error.to_string().contains("`prune` would not be safe"), "{error}"),
            }
        }
    }
    println!("{violated} violated, {safe} safe, {pruned} with fewer states");
    assert!(violated > 20 && safe > 10 && pruned > 0, "{violated} {safe} {pruned}");
}

/// Two or three groups of processes that have nothing to do with each other but the condition on all of them: there is
/// much to be left out, and states are met on many ways, by steps that may be followed and by steps that may not.
fn groups(rng: &mut Rng) -> String {
    let mut text = String::new();
    let mut parts = Vec::new();
    for group in 0..rng.range(2, 3) {
        let capacity = rng.below(3);
        text += &format!("byte x{group}, y{group}; chan c{group} = [{capacity}] of {{ byte }};\n");
        let processes = rng.range(1, 2);
        for process in 0..processes {
            let ways: Vec<String> = (0..rng.range(1, 3)).map(|_| way(group, rng)).collect();
            let (first, last) = (statement(group, rng), statement(group, rng));
            text += &format!(
                "active proctype P{group}_{process}() {{ {first}; L: do :: {} od; M: {last}; false }}\n",
                ways.join(" :: ")
            );
        }
        let variable = format!("{}{group} {} {}", rng.pick(&["x", "y"]), rng.pick(&["==", "!=", "<"]), rng.below(3));
        let label = format!("P{group}_{}@{}", rng.below(processes), rng.pick(&["L", "M"]));
        parts.push(match rng.below(4) {
            0 => label,
            1 => format!("({variable} && {label})"),
            _ => variable,
        });
    }
    let joint = if rng.chance(20) { " || " } else { " && " };
    text + &format!("ltl p {{ [] !({}) }}", parts.join(joint))
}

/// A way through a loop, or out of it.
fn way(group: usize, rng: &mut Rng) -> String {
    let statements: Vec<String> = (0..rng.range(1, 3)).map(|_| statement(group, rng)).collect();
    let out = if rng.chance(15) { "; break" } else { "" };
    format!("{}{out}", statements.join("; "))
}

fn statement(group: usize, rng: &mut Rng) -> String {
    let (a, b) = (rng.below(3), rng.below(3));
    let [v, w] = if rng.chance(50) { ["x", "y"] } else { ["y", "x"] }.map(|name| format!("{name}{group}"));
    match rng.below(10) {
        0 => format!("{v} = {a}"),
        1 => format!("{v} = ({v} + 1) % 3"),
        2 => format!("{v} == {a}"),
        3 => format!("atomic {{ {v} == {a}; {w} = {b} }}"),
        4 => format!("atomic {{ {w} = {b}; {v} == {a} }}"),
        5 => format!("d_step {{ {v} = {a}; {w} = {v} }}"),
        6 => format!("if :: {v} == {a} -> {w} = {b} :: else -> {v} = {b} fi"),
        7 => format!("c{group}!{a}"),
        8 => format!("c{group}?{v}"),
        _ => format!("c{group}?{a}"),
    }
}

#[test]
fn nothing_is_lost_by_leaving_steps_out() {
    let seeds = std::env::var("PRUNING_SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(150);
    let (mut violated, mut safe, mut pruned) = (0, 0, 0);
    for seed in 0..seeds {
        let text = groups(&mut Rng::new(seed));
        let network =
            Program::new(text.as_str(), LowerOptions::default()).unwrap_or_else(|e| panic!("{e}\n{text}")).network;
        let (_, targets) = invariants(&network).next().expect("an invariant");
        let atoms = [targets.conditions[0].condition.clone()];
        let system = DiscreteSystem::new(network, &atoms);
        let invariant = InvariantGoal { property: 0, atom: AtomId(0), expected: true };
        let goals = Goals { invariants: vec![invariant], ..Goals::none() };
        let truth = run("bfs", &system, &goals, &atoms).unwrap();
        let found = !truth.witnesses.is_empty();
        if truth.stop_reason.is_some() {
            continue;
        }
        violated += u32::from(found);
        safe += u32::from(!found);
        for order in ["greedy, h=hff", "greedy, h=formula", "astar, h=hmax", "bfs", "dfs"] {
            let result = run(&format!("ce(prune=true, order={order})"), &system, &goals, &atoms).unwrap();
            if result.stop_reason.is_some() {
                continue; // another order may need more states before the error
            }
            assert_eq!(!result.witnesses.is_empty(), found, "{order}, seed {seed}\n{text}");
            pruned += u32::from(!found && result.stats.expanded < truth.stats.expanded);
        }
    }
    println!("{violated} violated, {safe} safe, {pruned} with fewer states");
    assert!(violated > 40 && safe > 10 && pruned > 30, "{violated} {safe} {pruned}");
}

/// Every search with heuristics of every kind, drawn by seed, on programs with everything that the language has.
#[test]
fn every_search_agrees_with_breadth_first_search() {
    let mut total = search_pairs::Report::default();
    seeds::in_parallel(0..120, |seed| search_pairs::compare_seed(seed, None), |_, report| total.merge(report));
    assert!(total.differences.is_empty(), "{}", total.differences.join("\n\n"));
    assert!(total.of("programs") > 60 && total.of("runs") > 700, "{:?}", total.counts);
    for what in ["runs with a proof", "runs with an error found", "runs with a trace proven shortest"] {
        assert!(total.of(what) > 100, "{what}: {:?}", total.counts);
    }
    assert!(total.of("dead ends compared with true distances") > 1000, "{:?}", total.counts);
}

/// Programs on which some pair once gave a wrong answer, with a condition to be reached.
const ONCE_WRONG: [(&str, &str); 5] = [
    // Messages of one channel are a set: the second poll does not need what the first one needs.
    (
        "chan c = [2] of { byte }; byte n;
         active proctype P() { c!1; c!2 } active proctype Q() { c??[1] && c??[2]; assert(false) }",
        "c??[2] && c??[1]",
    ),
    (
        "chan c = [2] of { byte }; byte x;
         active proctype P() { c!1; c!2 } active proctype C() { do :: x < 5 -> x++ :: else -> break od }
         active proctype Q() { if :: c??[1] && c??[2] :: x == 5 fi; assert(false) }",
        "c??[1] && c??[2] && x == 1",
    ),
    // The variables of a process that is not there are 0.
    (
        "byte x; proctype A() { byte v = 1; v = 2 }
         init { run A(); x = 1; A[1]:v == 0; assert(false) }",
        "x == 1 && A[1]:v == 0",
    ),
    // Each receive takes another message.
    (
        "chan c = [2] of { byte }; byte x;
         active proctype P() { c!1; c!2 } active proctype Q() { len(c) == 2; d_step { c?1; c?2; x = 5 }; assert(x != 5) }",
        "x == 5",
    ),
    (
        "chan c = [2] of { byte, byte }; byte x, a, b;
         active proctype P() { c!1,3; c!2,4 }
         active proctype Q() { len(c) == 2; d_step { c?1,a; c?2,b; x = a + b }; assert(x != 7) }",
        "x == 7",
    ),
];

#[test]
fn every_pair_is_right_where_one_was_wrong() {
    for (source, condition) in ONCE_WRONG {
        let mut total = search_pairs::Report::default();
        // So many that every pair has its turn.
        let compare = |seed| search_pairs::compare_text(seed, source, &[condition.to_string()]);
        seeds::in_parallel(0..60, compare, |_, report| total.merge(report));
        assert!(total.differences.is_empty(), "{}", total.differences.join("\n\n"));
        assert!(total.of("runs") > 500 && total.of("runs with an error found") > 100, "{:?}", total.counts);
    }
}

/// One process has to be served again and again, which looks like no progress; others count for themselves.
const BYSTANDERS: &str = "chan r = [0] of { bit };
    active [3] proctype Bystander() { byte i; do :: i < 4 -> i++ :: i == 4 -> i = 0 od }
    active proctype Server() { do :: true -> r!1 od }
    active proctype Client() { r?1; r?1; r?1; r?1; there: false }
    ltl p { [] !Client@there }";

#[test]
fn steps_that_the_error_does_not_need_wait() {
    let network = Program::new(BYSTANDERS, LowerOptions::default()).unwrap().network;
    let (_, targets) = invariants(&network).next().expect("an invariant");
    let atoms = [targets.conditions[0].condition.clone()];
    let system = DiscreteSystem::new(network, &atoms);
    let goals =
        Goals { invariants: vec![InvariantGoal { property: 0, atom: AtomId(0), expected: true }], ..Goals::none() };
    let expanded = |search: &str| {
        let result = run(search, &system, &goals, &atoms).unwrap();
        assert_eq!(result.witnesses.len(), 1, "{search}");
        result.stats.expanded
    };
    for h in ["hl", "hu", "hmax", "hadd", "hff"] {
        let greedy = expanded(&format!("greedy(h={h})"));
        for useless in ["last", "by-depth"] {
            let ut = expanded(&format!("ut(h={h}, useless={useless})"));
            // Eight steps to the error, and hardly a state beside them.
            assert!(ut < 12 && greedy > 100, "{h} {useless}: {ut}, greedy {greedy}");
        }
    }
}
