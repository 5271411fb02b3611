//! Searches with sets of states, as the program runs them: large counts, shortest errors, what they refuse.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

fn run(arguments: &[&str]) -> (Option<i32>, Value, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bughound"));
    command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models"));
    let output = command.args(arguments).args(["--json", "--no-progress"]).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code(), serde_json::from_str(&text).unwrap_or(Value::Null), errors)
}

#[test]
fn counts_are_exact_however_large() {
    // 40 * 3 * 2^39
    let ring = ["explore", "--search", "symbolic(order=saturation)", "-DN=40", "promela/token_ring.pml"];
    let (code, document, errors) = run(&ring);
    assert_eq!((code, document["stats"]["complete"].as_bool()), (Some(0), Some(true)), "{errors}");
    assert_eq!(document["stats"]["sets"]["states"], "65970697666560");
    // 16 * 17^20
    let pipeline = ["explore", "--search", "symbolic(order=saturation)", "-DN=20", "promela/pipeline.pml"];
    let (_, document, errors) = run(&pipeline);
    assert_eq!(document["stats"]["sets"]["states"], "65027702506361160358425616", "{errors}");
}

#[test]
fn errors_are_shortest_ones() {
    for search in ["symbolic", "symbolic(order=saturation)", "symbolic-astar(h=pdb)", "symbolic-astar(buckets=sum)"] {
        for (model, options, length) in
            [("promela/token_ring.pml", ["-DN=9", "-DLOST"], 18), ("promela/pipeline.pml", ["-DN=4", "-DSTRICT"], 20)]
        {
            let (code, document, errors) = run(&["check", "--search", search, options[0], options[1], model]);
            assert_eq!(code, Some(1), "{search} {model} {errors}");
            let properties = document["properties"].as_array().unwrap();
            let violated = properties.iter().find(|p| p["verdict"] == "violated").unwrap();
            assert_eq!(violated["trace"]["length"], length, "{search} {model}");
            assert_eq!(violated["proven_shortest"], true, "{search} {model}");
        }
    }
}

#[test]
fn what_they_cannot_do_is_said() {
    for (arguments, why) in [
        (&["--search", "symbolic", "timed/fischer.xta"][..], "it has clocks"),
        (&["--search", "symbolic-astar(h=pdb)", "promela/elevator.pml", "served"], "symbolic searches cannot use"),
        (&["--search", "symbolic", "--max-depth", "9", "promela/elevator.pml", "served"], "runs of bounded length"),
        (&["--search", "symbolic", "--hint", "turn == 0", "promela/peterson.pml"], "takes no hints"),
        (&["--search", "bfs", "--hint", "turn == 0", "promela/peterson.pml"], "`bfs` takes no hints"),
        (&["--search", "symbolic(order=chaining)", "--hint", "torn == 0", "promela/peterson.pml"], "torn"),
        (&["--search", "symbolic-astar(h=hff)", "promela/token_ring.pml"], "it may fall by more than a step costs"),
        (&["--search", "symbolic-astar(h=hmax)", "promela/token_ring.pml"], "which variables it looks at"),
    ] {
        let (code, document, errors) = run(&[&["check"], arguments].concat());
        assert_ne!(code, Some(0), "{arguments:?}");
        assert!(errors.contains(why) || document.to_string().contains(why), "{arguments:?}: {errors} {document}");
    }
}

/// Formulas that hold and that do not, with fairness and without, as another search decides them.
#[test]
fn infinite_runs_are_found() {
    let mut violated = 0;
    for (model, options) in [
        ("promela/elevator.pml", &["served"][..]),
        ("promela/elevator.pml", &["-DHASTY", "served"]),
        ("promela/elevator.pml", &["--only", "--ltl", "[]<> requested[0]", "--fair", "weak"]),
        ("promela/peterson.pml", &["--only", "--ltl", "[]<> (turn == 0)"]),
        ("promela/peterson.pml", &["--only", "--ltl", "[]<> (turn == 0)", "--fair", "weak"]),
    ] {
        let verdict = |search: &str| {
            let (code, document, errors) = run(&[&["check", "--search", search, model], options].concat());
            let property = document["properties"].as_array().unwrap_or_else(|| panic!("{errors}")).last().cloned();
            let property = property.unwrap();
            assert_eq!(property["trace"].is_object(), code == Some(1), "{search} {model} {options:?}: {errors}");
            property["verdict"].as_str().unwrap_or_default().to_string()
        };
        let (found, known) = (verdict("symbolic"), verdict("scc"));
        assert_eq!(found, known, "{model} {options:?}");
        violated += u32::from(found == "violated");
    }
    assert_eq!(violated, 2);
}

/// The states that a claim and a system have together are those that are searched one by one.
#[test]
fn products_have_the_states_of_explicit_searches() {
    let stored = |search: &str| {
        let all = ["--search", search, "--reduction", "off", "--dead-variables", "off"];
        let (_, document, errors) = run(&[&["check", "promela/elevator.pml", "served"], &all[..]].concat());
        document["properties"][0]["stats"]["stored"].as_u64().unwrap_or_else(|| panic!("{errors} {document}"))
    };
    assert_eq!(stored("symbolic"), stored("scc"));
}
