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
        (&["--search", "symbolic", "promela/elevator.pml"], "what is asked is about runs"),
        (&["--search", "symbolic-astar(h=hff)", "promela/token_ring.pml"], "it may fall by more than a step costs"),
        (&["--search", "symbolic-astar(h=hmax)", "promela/token_ring.pml"], "which variables it looks at"),
    ] {
        let (code, document, errors) = run(&[&["check"], arguments].concat());
        assert_ne!(code, Some(0), "{arguments:?}");
        assert!(errors.contains(why) || document.to_string().contains(why), "{arguments:?}: {errors} {document}");
    }
}
