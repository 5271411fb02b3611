//! Files, options and what is said about wrong ones.

mod support;

use support::{ASSERTION, HOLDS, Workspace, check};

#[test]
fn all_errors_of_a_model_are_shown_with_their_places() {
    let ran = check("byte x;\nactive proctype P() {\n  y = 1;\n  x = z;\n}\n", &[]).exits(2);
    let ran = ran.complains("m.pml:3:3").complains("`y` is not declared").complains("m.pml:4:7");
    let ran = ran.complains("  y = 1;").complains("error: the model has 2 errors");
    assert_eq!(ran.out, "");
    assert!(!ran.err.contains('\x1b'), "no colours away from terminals");
    let document = check("byte x;\nactive proctype P() { y = 1 }\n", &["--json"]).exits(2).json();
    assert_eq!((&document["verdict"], &document["exit_code"]), (&"error".into(), &2.into()));
    assert_eq!(document["errors"][0]["line"], 2);
    assert_eq!(document["errors"][0]["column"], 23);
}

#[test]
fn macros_as_in_spin() {
    let model = "#ifndef N\n#define N 9\n#endif\nactive proctype P() { assert(N == 2) }";
    check(model, &["-DN=2"]).exits(0);
    check(model, &["-D", "N=2"]).exits(0);
    check(model, &["-DN=3"]).exits(1);
    check(model, &["-DN=2", "-UN"]).exits(1);
    check(model, &["-D2=3"]).exits(2).complains("expected NAME or NAME=VALUE");
}

#[test]
fn included_files() {
    let workspace = Workspace::with("m.pml", "#include \"inc.h\"\nactive proctype P() { assert(x == N) }");
    std::fs::create_dir(workspace.path("include")).unwrap();
    workspace.write("include/inc.h", "#define N 0\nbyte x;\n");
    workspace.run(&["check", "m.pml", "-Iinclude"]).exits(0);
    workspace.run(&["check", "m.pml"]).exits(2).complains("inc.h");
}

#[test]
fn files_that_are_no_models() {
    let workspace = Workspace::with("m.txt", HOLDS);
    workspace.run(&["check", "none.pml"]).exits(2).complains("none.pml: there is no such file");
    workspace.run(&["check", "."]).exits(2).complains("this is a directory");
    workspace.run(&["check", "m.txt"]).exits(2).complains("known endings are").complains("--language");
    workspace.run(&["check", "m.txt", "--language", "promela"]).exits(0);
    workspace.run(&["check", "m.txt", "--language", "klingon"]).exits(2).complains("known languages are");
    workspace.write("m.jani", "{}");
    workspace.run(&["check", "m.jani"]).exits(2).complains("not supported yet");
    workspace.write("empty.pml", "");
    workspace.run(&["check", "empty.pml"]).exits(2);
    std::fs::write(workspace.path("binary.pml"), [0xff, 0xfe, 0, 1, 2]).unwrap();
    workspace.run(&["check", "binary.pml"]).exits(2);
}

#[test]
fn the_standard_input() {
    let workspace = Workspace::new();
    workspace.run_with_input(&["check", "-", "--language", "promela"], ASSERTION).exits(1).says("-: violated");
    workspace.run_with_input(&["check", "-"], ASSERTION).exits(2).complains("--language promela");
}

#[test]
fn wrong_usage() {
    let workspace = Workspace::with("m.pml", HOLDS);
    workspace.run(&[]).exits(2);
    workspace.run(&["chekc", "m.pml"]).exits(2).complains("check");
    workspace.run(&["check", "m.pml", "--max-time", "soon"]).exits(2).complains("expected a time such as");
    workspace.run(&["check", "m.pml", "--max-memory", "much"]).exits(2).complains("expected a size such as");
    workspace.run(&["check", "m.pml", "--merge", "maybe"]).exits(2);
    workspace.run(&["check", "m.pml", "--property", "acceptance"]).exits(2).complains("no accept labels");
}

#[test]
fn deep_nesting_does_not_overflow_the_stack() {
    let deep = format!("int x; active proctype P() {{ x = {}1{} }}", "(".repeat(100_000), ")".repeat(100_000));
    assert!([0, 2].contains(&check(&deep, &[]).code));
    let long = format!("int x; active proctype P() {{ x = 1{} }}", " + 1".repeat(20_000));
    assert!([0, 2].contains(&check(&long, &[]).code));
}

#[test]
fn lists_completions_and_versions() {
    let workspace = Workspace::new();
    workspace.run(&["list", "searches"]).exits(0).says("random-dfs").says("complete: yes; optimal: yes");
    let searches = workspace.run(&["list", "searches", "--json"]).exits(0).json();
    let named = |name: &str| searches.as_array().unwrap().iter().find(|entry| entry["name"] == name).unwrap();
    assert_eq!(searches[0]["name"], "auto");
    assert_eq!(named("bfs")["claims"]["optimal"], true);
    assert_eq!(named("astar")["claims"]["optimal"], "with an admissible heuristic");
    workspace.run(&["list", "languages"]).exits(0).says(".pml");
    let heuristics = workspace.run(&["list", "heuristics", "--json"]).exits(0).json();
    assert!(heuristics.as_array().unwrap().iter().any(|entry| entry["name"] == "active-processes"));
    workspace.run(&["list", "heuristics"]).exits(0).says("claims: consistent");
    workspace.run(&["completions", "bash"]).exits(0).says("bughound");
    workspace.run(&["--version"]).exits(0).says("bughound ");
    workspace.run(&["--help"]).exits(0).says("Exit codes: 0");
}

#[test]
fn quiet_means_verdict_and_trace_only() {
    let ran = check(ASSERTION, &["-q"]).exits(1).says("violated");
    assert!(!ran.out.contains("expanded") && ran.err.is_empty(), "{}", ran.err);
}
