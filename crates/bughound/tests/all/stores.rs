//! Stores by name: the answers are the same, the memory is not.

use crate::support::{Workspace, check};

/// Many variables, few of which change at a time.
const WIDE: &str = "int a[40]; byte x, y, z;
active proctype P() { do :: x < 60 -> x++ :: y < 60 -> y++ :: z < 60 -> z++ :: a[3] = x :: a[30] = y od }
";

#[test]
fn a_tree_keeps_the_same_states_in_less_memory() {
    let explored = |store: &str| {
        let workspace = Workspace::with("m.pml", WIDE);
        let out = workspace.run(&["explore", "m.pml", "--max-states", "60000", "--json", "--store", store]).exits(4);
        out.json()["stats"].clone()
    };
    let (exact, tree) = (explored("exact"), explored("tree"));
    for count in ["stored", "expanded", "generated", "depth", "deadlocks"] {
        assert_eq!(exact[count], tree[count], "{count}");
    }
    let memory = |stats: &serde_json::Value| stats["search_memory_bytes"].as_u64().unwrap();
    assert!(memory(&tree) * 2 < memory(&exact), "{} and {}", memory(&tree), memory(&exact));
}

#[test]
fn where_memory_runs_short_more_states_fit() {
    let stored = |store: &str| {
        let options = ["--only", "--invariant", "x < 100", "--search", "bfs", "--max-memory", "40M", "--json"];
        let ran = check(WIDE, &[&options[..], &["--store", store, "--dead-variables", "off"]].concat()).exits(4);
        ran.json()["stats"]["stored"].as_u64().unwrap()
    };
    let (exact, auto) = (stored("exact"), stored("auto"));
    assert!(auto > exact * 3 / 2, "{exact} and {auto}");
}

#[test]
fn hashes_find_errors_and_prove_nothing() {
    let bounded = WIDE.replace("60", "9");
    let options = ["--only", "--search", "bfs", "--store", "compact", "--dead-variables", "off"];
    for threads in ["1", "3"] {
        let options = [&options[..], &["--threads", threads, "--json", "--invariant"]].concat();
        let found = check(&bounded, &[&options[..], &["x < 5"]].concat()).exits(1).json();
        let property = &found["properties"][0];
        assert_eq!(
            (&property["verdict"], &property["proven_shortest"]),
            (&"violated".into(), &false.into()),
            "{property}"
        );
        // It has seen everything, as far as it can tell: that is no proof.
        let open = check(&bounded, &[&options[..], &["x < 50"]].concat()).exits(3).json();
        assert!(open["properties"][0]["reason"].as_str().unwrap().contains("the store may confuse states"), "{open}");
    }
    let refused = check(&bounded, &["--search", "idastar", "--store", "compact"]).exits(2);
    refused.complains("looks at states again that the store has forgotten");
}

#[test]
fn where_memory_runs_short_threads_hand_over_too() {
    let stored = |store: &str, threads: &str| {
        let options = ["--only", "--invariant", "x < 100", "--search", "bfs", "--max-memory", "56M", "--json"];
        let options = [&options[..], &["--store", store, "--threads", threads, "--dead-variables", "off"]].concat();
        let ran = check(WIDE, &options).exits(4);
        ran.json()["stats"]["stored"].as_u64().unwrap()
    };
    for threads in ["1", "2"] {
        let (exact, auto, lossy) = (stored("exact", threads), stored("auto", threads), stored("auto-lossy", threads));
        assert!(auto > exact * 3 / 2, "{exact} and {auto} with {threads} threads");
        // Trees of these states are smaller than hashes, and open states have to be kept besides.
        assert!(threads != "1" || lossy > exact * 3 / 2, "{exact} and {lossy}");
    }
}

#[test]
fn stores_have_names() {
    check(WIDE, &["--store", "treee"]).exits(2).complains("there are: auto, exact, tree, compact, auto-lossy");
    let listed = Workspace::new().run(&["list", "stores", "--json"]).exits(0).json();
    assert_eq!(listed["stores"][0]["name"], "auto");
    Workspace::new().run(&["list", "stores"]).exits(0).says("Laarman").says("claims: none");
}

/// What forgets states is for searches that do not come back to them; others keep all states, and say so.
#[test]
fn infinite_runs_are_looked_for_with_all_states() {
    let model =
        "byte x; active proctype P() { do :: x = 1 - x od } ltl often { []<> (x == 0) } ltl seldom { <>[] (x == 0) }";
    for store in ["compact", "auto-lossy"] {
        let ran = check(model, &["--store", store, "--json"]).exits(1);
        let verdicts = |name: &str| {
            let document = ran.json();
            let all = document["properties"].as_array().unwrap().clone();
            all.into_iter().find(|p| p["name"] == name).unwrap()["verdict"].clone()
        };
        assert_eq!((verdicts("often"), verdicts("seldom")), ("holds".into(), "violated".into()));
        check(model, &["--store", store]).exits(1).says("use `--store auto`");
    }
}

/// Threads count the states of infinite runs as one does, and end where it does.
#[test]
fn threads_count_the_states_of_components() {
    let model = "byte a[3]; active [2] proctype P() { byte i; do :: a[i] < 4 -> a[i]++ :: a[i] == 4 -> a[i] = 0 :: i = (i + 1) % 3 od }
                 ltl goes_on { [] (a[0] < 9 || []<> (a[1] == 9)) }";
    let run = |more: &[&str]| check(model, &[&["--only", "goes_on", "--search", "scc", "--json"], more].concat());
    let stored = |threads: &str| run(&["--threads", threads]).exits(0).json()["stats"]["stored"].as_u64().unwrap();
    let alone = stored("1");
    assert!(alone > 10_000, "{alone}");
    assert_eq!((stored("2"), stored("4")), (alone, alone));
    let limit = (alone - 20).to_string();
    for threads in ["1", "3"] {
        let document = run(&["--threads", threads, "--max-states", &limit]).exits(4).json();
        assert_eq!(document["stats"]["stored"].as_u64(), Some(alone - 20));
    }
}
