//! `bughound compare`: tables, files for programs, pictures, and what can go wrong.

use crate::support::{ASSERTION, HOLDS, HUGE, Ran, Workspace};
use serde_json::Value;

fn philosophers() -> Workspace {
    Workspace::with("p.pml", include_str!("../../../../models/promela/philosophers.pml"))
}

fn compare(model: &str, options: &[&str]) -> Ran {
    Workspace::with("m.pml", model).run(&[&["compare", "m.pml"], options].concat())
}

/// The row of a search in a JSON document.
fn row<'d>(document: &'d Value, search: &str) -> &'d Value {
    let rows = document["rows"].as_array().unwrap();
    rows.iter().find(|row| row["search"] == search).unwrap_or_else(|| panic!("no row `{search}` in {document}"))
}

#[test]
fn the_table() {
    let ran = philosophers().run(&["compare", "p.pml", "--reduction", "off", "--searches", "bfs,dfs,astar"]).exits(0);
    let lines: Vec<Vec<&str>> = ran.out.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(lines[0], ["p.pml:", "deadlock,", "assertion"]);
    assert_eq!(lines[2][..8], ["search", "result", "error", "length", "proven", "expanded", "generated", "stored"]);
    assert_eq!(lines[3][..8], ["bfs", "found", "deadlock", "5", "shortest", "110", "419", "169"]);
    assert_eq!(lines[4][..8], ["dfs", "found", "deadlock", "93", "no", "94", "348", "181"]);
    assert_eq!(lines[5][..5], ["astar", "found", "deadlock", "5", "shortest"]);
    assert!(ran.out.ends_with("all 3 searches agree: `deadlock` after 5 steps, shortest (proven)\n"), "{}", ran.out);
    // Columns are aligned: the numbers of a column end at the same place.
    let ends = |word: &str, line: usize| {
        let line = ran.out.lines().nth(line).unwrap();
        line[..line.find(word).unwrap() + word.len()].chars().count()
    };
    assert_eq!((ends("generated", 2), ends("419", 3)), (ends("348", 4), ends("348", 4)));
}

#[test]
fn a_good_heuristic_shows() {
    // One expansion for each fork that is taken.
    let searches = "astar(h=deadlock-formula, ties=lifo),bfs";
    let arguments = ["compare", "p.pml", "-DN=8", "deadlock", "--json", "--reduction", "off", "--searches", searches];
    let document = philosophers().run(&arguments).exits(0).json();
    let guided = row(&document, "astar(h=deadlock-formula, ties=lifo)");
    assert_eq!((&guided["length"], &guided["stats"]["expanded"]), (&8.into(), &8.into()));
    assert!(row(&document, "bfs")["stats"]["expanded"].as_u64().unwrap() > 1000);
}

#[test]
fn json_has_the_documented_fields() {
    let arguments = ["compare", "p.pml", "deadlock", "--json", "--searches", "bfs", "--searches", "greedy,dfs"];
    let document = philosophers().run(&arguments).exits(0).json();
    for (field, value) in [
        ("schema", "bughound/1"),
        ("command", "compare"),
        ("file", "p.pml"),
        ("language", "promela"),
        ("verdict", "found"),
    ] {
        assert_eq!(document[field], value);
    }
    assert_eq!(document["exit_code"], 0);
    assert_eq!(document["properties"], serde_json::json!([{ "name": "deadlock", "kind": "deadlock" }]));
    let searches: Vec<&str> =
        document["rows"].as_array().unwrap().iter().map(|row| row["search"].as_str().unwrap()).collect();
    assert_eq!(searches, ["bfs", "greedy", "dfs"]);
    let bfs = row(&document, "bfs");
    assert_eq!((&bfs["verdict"], &bfs["property"]), (&"found".into(), &"deadlock".into()));
    assert_eq!((&bfs["length"], &bfs["proven_shortest"]), (&5.into(), &true.into()));
    assert!(bfs["microseconds_per_evaluation"].is_null() && bfs["stats"]["evaluated"] == 0);
    for field in ["expanded", "generated", "stored", "search_memory_bytes"] {
        assert!(bfs["stats"][field].as_u64().unwrap() > 0, "{field}");
    }
    assert!(bfs["stats"]["seconds"].is_f64() && bfs["stats"].get("peak_memory_bytes").is_none());
    #[cfg(unix)]
    assert!(bfs["stats"]["cpu_seconds"].as_f64().unwrap() > 0.0);
    let greedy = row(&document, "greedy");
    assert!(greedy["stats"]["evaluated"].as_u64().unwrap() > 0);
    let time = greedy["microseconds_per_evaluation"].as_f64().unwrap();
    let rate = greedy["evaluations_per_second"].as_f64().unwrap();
    assert!(time > 0.0 && (rate * time - 1e6).abs() < 1.0, "{greedy}");
    assert!(bfs["evaluations_per_second"].is_null());
}

/// The cells of lines as in RFC 4180.
fn parse_csv(text: &str) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut cell) = (Vec::new(), Vec::new(), String::new());
    let mut quoted = false;
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '"' if quoted && characters.peek() == Some(&'"') => cell.extend(characters.next()),
            '"' => quoted = !quoted,
            ',' if !quoted => row.push(std::mem::take(&mut cell)),
            '\r' if !quoted => assert_eq!(characters.peek(), Some(&'\n')),
            '\n' if !quoted => {
                row.push(std::mem::take(&mut cell));
                rows.push(std::mem::take(&mut row));
            }
            c => cell.push(c),
        }
    }
    assert!(!quoted && cell.is_empty() && row.is_empty());
    rows
}

#[test]
fn csv_can_be_read_back() {
    let searches = "astar(h=deadlock-formula, ties=lifo),bfs";
    let ran = philosophers()
        .run(&["compare", "p.pml", "deadlock", "--csv", "--reduction", "off", "--searches", searches])
        .exits(0);
    let rows = parse_csv(&ran.out);
    assert_eq!(rows.len(), 3);
    assert!(rows.iter().all(|row| row.len() == rows[0].len()), "{rows:?}");
    let column = |name: &str| rows[0].iter().position(|title| title == name).unwrap_or_else(|| panic!("{name}"));
    assert_eq!(rows[1][column("search")], "astar(h=deadlock-formula, ties=lifo)");
    assert_eq!(rows[2][column("expanded")], "110");
    assert_eq!(rows[2][column("microseconds_per_evaluation")], "");
    for name in ["wall_seconds", "memory_bytes", "stored", "generated", "length"] {
        assert!(rows[2][column(name)].parse::<f64>().is_ok(), "{name}: {rows:?}");
    }
    philosophers().run(&["compare", "p.pml", "--csv", "--json"]).exits(2);
}

#[test]
fn the_picture_is_well_formed() {
    let workspace = philosophers();
    let searches = "bfs,greedy(h=max(active-processes, expression('N < 4 && 2 > 1'))),random-walk(seed=1)";
    workspace.run(&["compare", "p.pml", "-DN=3", "--searches", searches, "--svg", "c.svg"]).exits(0);
    let svg = std::fs::read_to_string(workspace.path("c.svg")).unwrap();
    let document = roxmltree::Document::parse(&svg).unwrap_or_else(|error| panic!("{error}\n{svg}"));
    for node in document.descendants() {
        assert!(!["script", "a", "image", "use", "foreignObject"].contains(&node.tag_name().name()));
        assert!(node.attributes().all(|a| !a.name().starts_with("on") && a.name() != "href"), "no links, no scripts");
    }
    let count = |class: &str| {
        document.descendants().filter(|node| node.attribute("class").is_some_and(|c| c.starts_with(class))).count()
    };
    assert_eq!((count("expanded"), count("length")), (3, 3), "a bar for each search");
    assert!(svg.contains("prefers-color-scheme:dark") && svg.contains("N &lt; 4 &amp;&amp; 2 &gt; 1"));
    let refused = ["compare", "p.pml", "--searches", "bfs", "--svg", "no/such/dir/c.svg"];
    workspace.run(&refused).exits(2).says("shortest (proven)").complains("the picture cannot be written");
}

#[test]
fn wrong_expressions_are_found_before_anything_runs() {
    // The first search would take for ever.
    let wrong = |searches: &str| compare(HUGE, &["--searches", searches]).exits(2);
    wrong("bfs,astr").complains("there is no search `astr`").complains("  astr\n  ^^^^");
    wrong("bfs,astar(h=formla)")
        .complains("there is no heuristic `formla`")
        .complains("  astar(h=formla)\n          ^^^^^^");
    wrong("bfs,greedy(h=hamming)").complains("--searches: `hamming` estimates the distance to a known state");
    wrong("bfs,trail-directed(h=nothing)").complains("there is no heuristic `nothing`");
    wrong("bfs,,dfs").complains("expected a name");
    wrong("bfs,dfs(").complains("--searches: ");
    compare(HUGE, &["--searches", "bfs", "--heuristic", "formla"]).exits(2).complains("--heuristic: ");
    compare(HUGE, &["liev"]).exits(2).complains("the model has no property `liev`");
    let document = compare(HUGE, &["--json", "--searches", "astr"]).exits(2).json();
    assert_eq!((&document["verdict"], &document["exit_code"]), (&"error".into(), &2.into()));
}

#[test]
fn a_limit_is_a_row() {
    let arguments = ["compare", "p.pml", "deadlock", "-DN=12", "--max-states", "200", "--searches", "bfs,greedy"];
    philosophers()
        .run(&arguments)
        .exits(0)
        .says("limit: the limit on the number of states was reached (bfs)")
        .says("1 of 2 searches finished: `deadlock` after");
    let all = compare(HUGE, &["--max-states", "500", "--searches", "bfs,dfs", "--json"]).exits(4).json();
    assert_eq!((&all["verdict"], &row(&all, "dfs")["verdict"]), (&"limit".into(), &"limit".into()));
    assert_eq!(row(&all, "bfs")["reason"], "the limit on the number of states was reached");
    // This time is that of each search; --max-time is that of all together, and shared evenly.
    let document = compare(HUGE, &["--time-each", "60ms", "--searches", "bfs,dfs,greedy", "--json"]).exits(4).json();
    for search in ["bfs", "dfs", "greedy"] {
        // Building what a search needs is part of its time.
        assert!(row(&document, search)["stats"]["seconds"].as_f64().unwrap() >= 0.05, "{document}");
    }
    let document = compare(HUGE, &["--max-time", "600ms", "--searches", "bfs,dfs,greedy", "--json"]).exits(4).json();
    let seconds = |search| row(&document, search)["stats"]["seconds"].as_f64().unwrap();
    assert!(seconds("bfs") < 0.4 && seconds("dfs") > 0.05, "{document}");
}

#[test]
fn incomplete_searches_prove_nothing() {
    compare(HOLDS, &["--searches", "depth-bounded-dfs(depth=1)"]).exits(3).says("no search has an answer");
    compare(HOLDS, &["--searches", "bfs,depth-bounded-dfs(depth=1)"])
        .exits(0)
        .says("inconclusive")
        .says("1 of 2 searches finished: there is no error");
    compare(HOLDS, &[]).exits(0).says("all 5 searches agree: there is no error");
}

#[test]
fn one_search_for_each_row() {
    compare(ASSERTION, &["reach", "--reach", "x == 2"]).exits(0).says("`reach-1` after 4 steps, shortest (proven)");
    compare(ASSERTION, &["reach", "--reach", "x == 3"]).exits(0).says("there is no such state");
    compare(ASSERTION, &["--reach", "x == 2"]).exits(0).complains("note: not compared: reach-1");
    let both = ["reach", "assertion", "--reach", "x == 2"];
    compare(ASSERTION, &both).exits(2).complains("choose one of them: assertion, reach-1");
    let live = format!("{HOLDS}ltl live {{ <> (x == 7) }}\n");
    compare(&live, &[]).exits(0).complains("note: not compared: live");
}

#[test]
fn costs_have_a_column() {
    let model = "byte x; active proctype P() { /*@cost 7*/ x = 1; assert(x == 0) }";
    compare(model, &["--searches", "bfs,dfs"]).exits(0).says("cost").says("cheapest (proven)");
}

#[test]
#[cfg(unix)]
fn an_interrupt_skips_the_rest() {
    use std::process::{Command, Stdio};
    let workspace = Workspace::with("m.pml", HUGE);
    let child = Command::new(env!("CARGO_BIN_EXE_bughound"))
        .args(["compare", "m.pml", "--searches", "random-walk(walks=1),bfs,dfs", "--json"])
        .current_dir(workspace.directory.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(std::time::Duration::from_millis(1500));
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let output = child.wait_with_output().unwrap();
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((output.status.code(), &document["interrupted"]), (Some(4), &true.into()));
    let verdicts: Vec<&str> =
        document["rows"].as_array().unwrap().iter().map(|row| row["verdict"].as_str().unwrap()).collect();
    assert_eq!(verdicts.last(), Some(&"skipped"), "{verdicts:?}");
}
