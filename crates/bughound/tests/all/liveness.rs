//! Properties of infinite runs, from the command line to the lasso.

use std::path::{Path, PathBuf};

use crate::support::{Ran, Workspace, check};
use serde_json::Value;

/// A server that may forget its client, and one that is never asked.
const SERVER: &str = "bool asked, answered; byte idle;
active proctype Client() { do :: !asked -> asked = true :: answered -> atomic { answered = false; asked = false } od }
active proctype Server() { do :: asked && !answered -> answered = true :: idle = 1 - idle od }
active proctype Bystander() { do :: idle == 7 -> idle = 8 od }
ltl served { [] (asked -> <> answered) }
";

const SEARCHES: [&str; 13] = [
    "auto",
    "auto(effort=0)",
    "nested-dfs",
    "nested-dfs(improve=false)",
    "improved-nested-dfs",
    "scc",
    "scc(improve=false)",
    "astar-dfs",
    "astar-dfs(h=likely-cycle, inner=blind)",
    "shortest-lasso",
    "bfs",
    "dfs",
    "astar",
];

fn property(ran: &Ran) -> Value {
    ran.json()["properties"][0].clone()
}

/// A run goes round in twelve steps, and gets to 20 in none of them.
#[test]
fn the_longest_path_is_heeded_by_every_search() {
    let model = |formula: &str| {
        format!(
            "byte x; active proctype P() {{ do :: atomic {{ x < 10 -> x++ }} :: x == 10 -> x = 0 od }} ltl p {{ {formula} }}"
        )
    };
    for search in SEARCHES {
        let run = |formula: &str, depth: &str, fair: &[&str]| {
            let options = ["p", "--search", search, "--json", "--no-progress", "--max-depth", depth];
            let ran = check(&model(formula), &[&options, fair].concat());
            let found = property(&ran);
            (found["verdict"].as_str().unwrap().to_string(), found["reason"].as_str().unwrap_or("").to_string())
        };
        for fair in [&[][..], &["--fair", "weak"]] {
            for (formula, verdict) in [("[]<> (x == 20)", "violated"), ("[]<> (x == 0)", "holds")] {
                assert_eq!(run(formula, "1000", fair).0, verdict, "{search}: {formula}");
                let (cut, why) = run(formula, "9", fair);
                assert_eq!(cut, "inconclusive", "{search}: {formula}");
                assert_eq!(why, "paths longer than 9 were cut off", "{search}: {formula}");
            }
        }
    }
    // What is short enough is found, and the way round is not.
    let two = "byte x; active proctype P() { do :: x < 30 -> x++ :: x == 30 -> x = 0 :: x == 3 -> do :: x = 4 :: x = 5 od od }
        ltl p { []<> (x == 20) }";
    for search in SEARCHES {
        let found = property(&check(two, &["p", "--search", search, "--json", "--max-depth", "20"]).exits(1));
        assert!(found["trace"]["length"].as_u64().unwrap() <= 20, "{search}: {found:#}");
    }
}

#[test]
fn every_search_finds_the_lasso_or_the_proof() {
    for search in SEARCHES.into_iter().chain(["symbolic"]) {
        let options = ["served", "--search", search, "--json"];
        let ran = check(SERVER, &options).exits(1);
        let found = property(&ran);
        assert_eq!((&found["verdict"], &found["kind"]), (&"violated".into(), &"ltl".into()), "{search}");
        let (trace, length) = (&found["trace"], found["trace"]["length"].as_u64().unwrap());
        let (start, around) = (trace["loop"]["start"].as_u64().unwrap(), trace["loop"]["length"].as_u64().unwrap());
        assert_eq!(start + around, length, "{search}");
        assert!(length >= 4, "{search}");
        if found["proven_shortest"] == true || found["proven_for_claim"] == true {
            assert_eq!(length, 4, "{search}");
        }
        // With fairness the server answers, and so it does if it does nothing else.
        let fair = check(SERVER, &[&options[..], &["--fair", "weak"]].concat());
        assert_eq!(
            property(&fair)["verdict"],
            "violated",
            "{search}: the server may always be busy with something else"
        );
        let busy = SERVER.replace(":: idle = 1 - idle", "");
        check(&busy, &options).exits(0);
        check(&busy, &[&options[..], &["--fair", "weak"]].concat()).exits(0);
    }
}

/// A run of the claim may need several turns around the loop of the model: the model's lasso is the shorter one.
#[test]
fn lassos_of_the_model_are_proven_shortest() {
    let ring =
        "byte x; active proctype P() { do :: x = 1; x = 2; x = 3; x = 0 od } ltl p { [] (x == 2 -> <> (x == 9)) }";
    let shortest = property(&check(ring, &["p", "--shortest", "--json"]).exits(1));
    assert_eq!((&shortest["proven_shortest"], &shortest["trace"]["length"]), (&true.into(), &4.into()));
    assert_eq!(shortest["trace"]["loop"]["start"], 0);
    // In the product with the claim the loop begins where `x` is 2.
    let product = property(&check(ring, &["p", "--search", "bfs", "--json"]).exits(1));
    assert_eq!((&product["proven_shortest"], &product["proven_for_claim"]), (&false.into(), &true.into()));
    assert_eq!(product["trace"]["length"], 6);
    check(ring, &["p", "--search", "bfs"]).exits(1).says("shortest for the automaton of the claim (proven)");
}

#[test]
fn fairness_matters_only_where_a_process_can_always_move() {
    let model = "byte x; active proctype P() { do :: x = 1 - x od } active proctype Q() { x = 7; x = 7 }
        ltl done { <> (x == 7) }";
    check(model, &["done"]).exits(1).says("could always move, but never do (the run is not fair to them): Q(1)");
    check(model, &["done", "--fair", "weak"]).exits(0);
    // A process that is blocked at times may wait for ever.
    let blocked = model.replace("x = 7; x = 7", "(x == 1); x = 7");
    check(&blocked, &["done", "--fair", "weak"]).exits(1).says("at times they cannot");
    check(model, &["done", "--fair", "strong"]).exits(2).complains("weak");
}

/// A run that comes to rest stays where it is, for formulas and accept labels; cycles without progress are cycles of steps.
#[test]
fn runs_at_rest_last_for_ever() {
    let model = "byte x; active proctype P() { x = 1; accept: (x == 9) }";
    check(model, &["ltl", "--ltl", "<> (x == 2)"]).exits(1).says("this state lasts for ever");
    check(model, &["ltl", "--ltl", "<>[] (x == 1)"]).exits(0);
    check(model, &["acceptance"]).exits(1);
    check(model, &["non-progress"]).exits(0);
}

#[test]
fn labels_of_acceptance_and_progress() {
    let model = "byte x; active proctype P() { do :: x = 1; progress: x = 0 :: x = 2; accept_here: x = 3 od }";
    check(model, &["acceptance"]).exits(1).says("violated after 3 steps");
    check(model, &["non-progress"]).exits(1).says("violated after 3 steps");
    let careful = model.replace(":: x = 2;", ":: x = 2; progress2:");
    check(&careful, &["non-progress"]).exits(0);
    // Accept labels are checked unasked, progress labels are not, but the result says so.
    let ran = check(model, &["--keep-going"]).exits(1).says("acceptance  violated");
    ran.says("note: the model has progress labels; --property non-progress checks them");
    check("byte x; init { x = 1 }", &["acceptance"]).exits(2).complains("no accept labels");
}

#[test]
fn several_claims_have_a_verdict_each() {
    let model = "byte x; active proctype P() { do :: x = 1 - x od }
        never bad { do :: x == 1 -> break :: else od }
        ltl a { []<> (x == 1) } ltl b { <> (x == 2) } ltl c { [] (x < 2) }";
    let ran = check(model, &["--keep-going", "--json"]).exits(1).json();
    let verdicts: Vec<(&str, &str)> = ran["properties"]
        .as_array()
        .unwrap()
        .iter()
        .map(|p| (p["name"].as_str().unwrap(), p["verdict"].as_str().unwrap()))
        .collect();
    let wanted = [("deadlock", "holds"), ("assertion", "holds"), ("a", "holds"), ("b", "violated"), ("c", "holds")];
    assert_eq!(verdicts[..5], wanted);
    assert_eq!(verdicts[5], ("bad", "violated"));
}

#[test]
fn claims_come_from_files_and_go_to_files() {
    let workspace = Workspace::with("m.pml", SERVER);
    let hoa = workspace.run(&["translate", "[] (asked -> <> answered)", "--negated", "--to", "hoa"]).exits(0);
    workspace.write("served.hoa", &hoa.out);
    let never = workspace.run(&["translate", "--hoa", "served.hoa", "--to", "never"]).exits(0).says("never {");
    workspace.write("served.never", &never.out);
    for file in ["served.hoa", "served.never"] {
        let run = ["check", "m.pml", "--claim", file, "claim-1", "--json", "--save-trace", "t.json"];
        let found = property(&workspace.run(&run).exits(1));
        assert_eq!((&found["kind"], &found["trace"]["length"]), (&"never".into(), &4.into()), "{file}");
        // The claim is part of the saved trace.
        workspace.run(&["trace", "t.json"]).exits(0).says("back to the state after step");
    }
    workspace.run(&["translate", "[] (p ->", "--to", "hoa"]).exits(2).complains("error");
    workspace.run(&["translate", "--hoa", "nosuch.hoa"]).exits(2).complains("nosuch.hoa");
    workspace.write("bad.hoa", "HOA: v1\nStates: 1\nStart: 0\nAP: 1 \"nosuch\"\nAcceptance: 1 Inf(0)\n--BODY--\nState: 0 {0}\n[0] 0\n--END--\n");
    workspace.run(&["check", "m.pml", "--claim", "bad.hoa"]).exits(2).complains("`nosuch` is not declared");
    workspace.write("cut.hoa", "HOA: v1\nStates: 1\n");
    workspace.run(&["check", "m.pml", "--claim", "cut.hoa"]).exits(2).complains("cut.hoa: line");
    workspace.write("no.never", "active proctype P() { skip }");
    workspace.run(&["check", "m.pml", "--claim", "no.never"]).exits(2).complains("never");
    workspace.run(&["translate", "[]<>p -> []<>q", "--to", "summary"]).exits(0).says("states: 5");
}

#[test]
fn lassos_are_saved_replayed_and_compared() {
    let workspace = Workspace::with("m.pml", SERVER);
    workspace.run(&["check", "m.pml", "served", "--fair", "weak", "--save-trace", "t.json"]).exits(1);
    workspace.run(&["trace", "t.json"]).exits(0).says("the loop starts here");
    workspace.run(&["simulate", "m.pml", "--trace", "t.json"]).exits(1).says("the loop starts here");
    let compared = workspace.run(&["compare", "m.pml", "served", "--searches", "auto,scc,nested-dfs,bfs", "--json"]);
    let rows = compared.exits(0).json();
    assert_eq!(rows["rows"].as_array().unwrap().len(), 4);
}

#[test]
fn limits_are_verdicts() {
    let model = "int x; active proctype P() { do :: x++ od } ltl p { []<> (x == 5) }";
    check(model, &["p", "--max-states", "500"]).exits(4);
    check(model, &["p", "--max-time", "0s"]).exits(4);
    let many: Vec<String> = (0..140).map(|i| format!("<> (x == {i})")).collect();
    check(model, &["ltl-1", "--ltl", &many.join(" && ")]).exits(3).says("not checked");
}

fn shared() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared")
}

/// Asks about every claim in SPIN's table, without fairness and with it, and hands over what came of it: the line, whether the claim
/// holds, and how the program ended.
fn for_spins_claims(options: &[&str], mut each: impl FnMut(&str, bool, &Ran)) {
    let Ok(table) = std::fs::read_to_string(shared().join("expected/spin-claims.csv")) else {
        println!("skipped: there is no table of SPIN's answers beside the repository");
        return;
    };
    let workspace = Workspace::new();
    for line in table.lines().skip(1).filter(|line| !line.trim().is_empty()) {
        let cells: Vec<&str> = line.trim_end().split(',').collect();
        let [model, defines, claim, plain, fair] = cells[..] else { panic!("{line}") };
        let claim = if claim == "accept labels" { "acceptance" } else { claim };
        for (expected, fairness) in [(plain, &[][..]), (fair, &["--fair", "weak"][..])] {
            let holds = match expected {
                "none" => true,
                "acceptance cycle" | "non-progress cycle" | "assertion violated" | "end state in claim reached" => {
                    false
                }
                // No oracle.
                _ => continue,
            };
            let file = shared().join("models").join(model).display().to_string();
            let mut arguments = vec!["check", &file, "--property", claim, "--quiet"];
            arguments.extend(options);
            arguments.extend(defines.split_whitespace());
            arguments.extend(fairness);
            each(&format!("{line} {fairness:?}"), holds, &workspace.run(&arguments));
        }
    }
}

/// SPIN's verdicts, claim by claim, without and with weak fairness.
#[test]
fn spins_table_of_claims_is_reproduced() {
    if !shared().join("expected/spin-claims.csv").exists() {
        println!("skipped: there is no table of SPIN's answers beside the repository");
        return;
    }
    let mut compared = 0;
    for_spins_claims(&["--search", "auto(effort=100000)"], |line, holds, ran| {
        assert_eq!(ran.code, i32::from(!holds), "{line}\n{}\n{}", ran.out, ran.err);
        compared += 1;
    });
    assert!(compared >= 55, "only {compared} verdicts were compared");
}

/// Sets of states say the same of all claims that they decide in the seconds of `SECONDS` (60): `cargo test --release -p bughound
/// --test all -- sets_of_states_for_spins_claims --ignored --nocapture`.
#[test]
#[ignore = "takes many minutes"]
fn sets_of_states_for_spins_claims() {
    let seconds = std::env::var("SECONDS").unwrap_or_else(|_| "60".into());
    let (mut decided, mut all, mut differences) = (0, 0, Vec::new());
    let limits = ["--max-time", &seconds, "--max-memory", "4G"];
    for_spins_claims(&[&["--search", "symbolic"], &limits[..]].concat(), |line, holds, ran| {
        all += 1;
        if !matches!(ran.code, 0 | 1) {
            println!("{line}: not decided ({}) {} {}", ran.code, ran.out.trim(), ran.err.trim());
        } else if ran.code == i32::from(!holds) {
            decided += 1;
        } else {
            differences.push(format!("{line}: holds {holds}, {}\n{}", ran.out, ran.err));
        }
    });
    println!("{decided} of {all} claims decided in {seconds} s");
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

/// The lassos of HSF-SPIN's models are shorter than its own (22, 377 and 158 steps, which seem to count moves of the claim).
#[test]
fn lassos_of_hsf_spin_are_short() {
    let models = shared().join("models/promela/hsf-spin");
    if !models.exists() {
        println!("skipped: there are no models beside the repository");
        return;
    }
    let workspace = Workspace::new();
    for (file, defines, length) in [
        ("ltl.alternating_bit.prm", &[][..], 5),
        ("ltl.elevator.prm", &["-DN=3"][..], 106),
        ("ltl.giop.prm", &["-DN=3", "-DM=1"][..], 30),
    ] {
        let file = models.join(file).display().to_string();
        let ran = workspace.run(&[&["check", &file, "never", "--json", "--no-progress"], defines].concat()).exits(1);
        let found = property(&ran);
        assert_eq!((&found["proven_shortest"], &found["trace"]["length"]), (&true.into(), &length.into()), "{file}");
    }
}

/// On a correct elevator the improved nested search has less to do (HSF-SPIN, section 4.2).
#[test]
fn components_of_the_claim_save_work() {
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/promela/elevator.pml").display().to_string();
    let generated = |search: &str| {
        let ran = Workspace::new().run(&["check", &model, "served", "--search", search, "--json"]).exits(0);
        property(&ran)["stats"]["generated"].as_u64().unwrap()
    };
    let (plain, improved, components) = (generated("nested-dfs"), generated("improved-nested-dfs"), generated("scc"));
    assert!(improved < plain, "{improved} and {plain} transitions");
    assert_eq!(improved, components);
}

/// A divisor that becomes 0 in the second step, and a variable that becomes 1 behind it.
const DIVIDES: &str = "int z = 2, x; active proctype P() { z = 1; z = 0; x = 1; z = 3; do :: x = 1 :: x = 2 od }\n";

/// SPIN's verifier stops where a condition of a claim has no value. So does every search, with a trace to it; no
/// heuristic takes the way there for a dead end.
#[test]
fn a_condition_of_a_claim_without_value_is_an_error() {
    let properties = [
        ("ltl p { <> (10 / z == 100) }", "p", "`10 / z == 100` has no value here (z = 0): division by zero"),
        ("ltl p { [] <> (x == 0 || 10 / z > 2) }", "p", ""),
        ("never { do :: 10 / z > 20 -> break :: else od; accept: do :: x < 3 od }", "never", "the claim `never`"),
        ("never { do :: x == 5 -> assert(10 / z < 20) :: z == 0 -> assert(10 / z < 20) :: z > 0 od }", "never", ""),
    ];
    let more =
        ["greedy(h=hff)", "astar(h=hmax)", "astar(h=pdb)", "guided", "astar(h=formula(combine=max))", "ut(h=hl)"];
    for (text, name, reason) in properties {
        let model = format!("{DIVIDES}{text}");
        // In the last claim, the assertion is a move of its own, at the next state.
        let length = if text.contains("x == 0") || text.contains("assert") { 3 } else { 2 };
        for search in SEARCHES.iter().chain(&more) {
            for fair in [&[][..], &["--fair", "weak"]] {
                let ran = check(&model, &[&[name, "--search", search, "--json"], fair].concat()).exits(1);
                let found = property(&ran);
                assert_eq!(
                    (&found["verdict"], &found["trace"]["length"]),
                    (&"violated".into(), &length.into()),
                    "{search}"
                );
                let headline = found["trace"]["reason"].to_string();
                assert!(headline.contains("evaluation error") && headline.contains(reason), "{search}: {headline}");
            }
        }
        let workspace = Workspace::with("m.pml", &model);
        workspace.run(&["check", "m.pml", name, "--save-trace", "t.json"]).exits(1).says("evaluation error in ");
        workspace.run(&["trace", "t.json"]).exits(0).says("division by zero");
    }
}

/// What the automaton does not depend on has no need of a value; the order of conditions does not matter to it.
#[test]
fn conditions_that_nobody_reads_need_no_value() {
    for formula in [
        "<> (z == 0) && [] (z == 0 || 10 / z > 2)",
        "<> (z == 0 && 10 / x == 10) || [] <> (x > 0)",
        "<> (x == 1) && [] (z != 0 -> <> (10 / z > 2 || x > 0))",
        "(10 / z > 2) U (z == 1)",
    ] {
        for search in ["auto", "scc", "bfs"] {
            let ran = check(&format!("{DIVIDES}ltl p {{ {formula} }}"), &["p", "--search", search]);
            let expected = if formula.contains("10 / x") { 1 } else { 0 };
            ran.exits(expected);
        }
    }
    // What has no temporal operator is one condition, and its negation has no value either.
    let toggles = "byte x; active proctype P() { do :: x = 1 - x od }";
    for formula in ["<> (1 / x > 5)", "![] (1 / x == 1)", "[]<> !(1 / x == 1)", "[]<> (1 / x == 1)"] {
        check(toggles, &["ltl", "--ltl", formula]).exits(1).says("has no value here (x = 0)");
    }
    // An invariant is read from left to right.
    check(&format!("{DIVIDES}ltl p {{ [] (z == 0 || 10 / z > 2) }}"), &["p"]).exits(0);
    let model = format!("{DIVIDES}ltl p {{ !<> (10 / z == 100) }}");
    check(&model, &["p"]).exits(1).says("has no value here").says("division by zero");
    check("chan c; byte x; active proctype P() { x = 1 } ltl p { <> (len(c) > 3) }", &["p"])
        .exits(1)
        .says("evaluation error in `<> (len(c) > 3)`");
}
