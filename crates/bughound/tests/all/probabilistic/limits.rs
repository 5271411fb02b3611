//! Limits on large models: nothing is decided, nothing is wrong, and it says why.

use serde_json::Value;

use crate::support::Workspace;

/// 10¹⁰ states.
fn large() -> String {
    let counter = |i: usize| format!("  a{i} : [0..9];\n  [] a{i}<9 -> (a{i}'=a{i}+1);\n");
    format!("dtmc\nmodule M\n{}endmodule\n", (0..10).map(counter).collect::<String>())
}

fn limited(options: &[&str]) -> Value {
    let workspace = Workspace::with("m.pm", &large());
    let arguments =
        ["check", "m.pm", "--json", "--no-progress", "--query", "P=? [ F a0=9 ]", "--query", "P=? [ X a0=1 ]"];
    workspace.run(&[&arguments[..], options].concat()).exits(4).json()
}

#[track_caller]
fn is_undecided(document: &Value, why: &str) {
    assert_eq!(document["verdict"], "limit");
    let properties = document["properties"].as_array().unwrap();
    assert_eq!(properties.len(), 2);
    for property in properties {
        assert_eq!(property["verdict"], "limit", "{property}");
        assert!(property["reason"].as_str().unwrap().contains(why), "{property}");
        assert!(property["answer"].is_null() || property["answer"]["value"].is_null(), "{property}");
    }
}

#[test]
fn limits_end_what_is_too_large() {
    let states = limited(&["--max-states", "1000"]);
    is_undecided(&states, "the limit on the number of states was reached");
    assert_eq!(states["stats"]["stored"], 1000);
    assert!(states["stats"]["expanded"].as_u64().unwrap() > 0 && states["stats"]["generated"].as_u64().unwrap() > 0);
    is_undecided(&limited(&["--max-time", "1s"]), "the time limit was reached");
    let memory = limited(&["--max-memory", "40M"]);
    is_undecided(&memory, "the memory limit was reached");
    let peak = memory["stats"]["peak_memory_bytes"].as_u64().unwrap();
    // Of that, about 20 MB are the pages of the program itself.
    assert!(peak < 64 << 20, "{peak} bytes");
}

#[test]
fn what_is_known_before_a_limit_stays_known() {
    // Poisson probabilities of 2·10¹¹ jumps do not fit; the other answer does.
    let text = "ctmc\nmodule M\n  x : [0..2];\n  [] x=0 -> 1000000:(x'=1);\n  [] x=1 -> 1000000:(x'=0);\n  [] x=0 -> 0.000001:(x'=2);\nendmodule\n";
    let workspace = Workspace::with("m.sm", text);
    let queries = ["--query", "P=? [ F x=2 ]", "--query", "P=? [ F<=100000 x=2 ]", "--max-memory", "60M"];
    let document =
        workspace.run(&[&["check", "m.sm", "--json", "--no-progress"], &queries[..]].concat()).exits(4).json();
    let properties = document["properties"].as_array().unwrap();
    assert_eq!(properties[0]["answer"]["exact"], "1", "{document}");
    assert_eq!(properties[1]["verdict"], "limit", "{document}");
}

#[test]
fn unfinished_explorations_tell_what_they_have_seen_and_nothing_else() {
    let workspace = Workspace::with("m.pm", &large());
    let text = workspace.run(&["explore", "m.pm", "--no-progress", "--max-states", "1000"]).exits(4).out;
    assert!(text.contains("states             1,000\n") && text.contains("expanded"), "{text}");
    assert!(!text.contains("transitions") && !text.contains("depth"), "{text}");
}
