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
fn stores_have_names() {
    check(WIDE, &["--store", "treee"]).exits(2).complains("there are: auto, exact, tree");
    let listed = Workspace::new().run(&["list", "stores", "--json"]).exits(0).json();
    assert_eq!(listed["stores"][0]["name"], "auto");
    Workspace::new().run(&["list", "stores"]).exits(0).says("Laarman");
}
