//! Message sequence charts: as text and as pictures.

use crate::support::{ASSERTION, HOLDS, Workspace};

const PRODUCER: &str = "mtype = { item, done };
chan q = [2] of { mtype, byte };
active proctype Producer() { q!item,1; q!item,2; q!done,0 }
active proctype Consumer() { byte n; q?item,n; q?item,n; q?done,n; false }
";

const RENDEZVOUS: &str = "chan ask = [0] of { byte }; chan answer = [0] of { byte, bool };
active proctype Client() { byte x; bool ok; ask!7; answer?x,ok; assert(!ok) }
active proctype Server() { byte n; ask?n; answer!n + 1,true }
";

#[test]
fn a_producer_and_a_consumer() {
    let workspace = Workspace::with("m.pml", PRODUCER);
    workspace.run(&["check", "m.pml", "--search", "bfs", "--save-trace", "t.json"]).exits(1);
    let ran = workspace.run(&["trace", "t.json", "--chart"]).exits(0);
    let chart = ran.out.split("\n\n").skip(3).collect::<Vec<_>>().join("\n\n");
    let expected = [
        "        Producer(0)       Consumer(1)",
        "   1         ●─ q!item,1 #1 ──▷│",
        "   2         │                 ◆#1",
        "   3         ●─ q!item,2 #2 ──▷│",
        "   4         │                 ◆#2",
        "   5         ●─ q!done,0 #3 ──▷│",
        "   6         │                 ◆#3",
        "             │                 ✗",
        "       deadlock: 1 of 2 processes cannot go on",
        "",
        "       ▷ sent   ◆ received",
    ];
    assert_eq!(chart.lines().collect::<Vec<_>>(), expected, "\n{chart}");
}

#[test]
fn a_rendezvous() {
    let workspace = Workspace::with("m.pml", RENDEZVOUS);
    let ran = workspace.run(&["check", "m.pml", "--chart", "--quiet", "assertion"]).exits(1);
    let chart = ran.out.split("\n\n").skip(3).collect::<Vec<_>>().join("\n\n");
    let expected = [
        "assertion violated: !ok (ok = 1) in Client(0) (line 2)",
        "",
        "        Client(0)       Server(1)",
        "   1        ●═ ask!7 ══════▶│",
        "   2        │◀═ answer!8,1 ═●",
        "   3        ✗               │          assertion violated: !ok (ok = 1)",
        "            │               │",
        "       assertion violated: !ok (ok = 1) in Client(0)",
        "",
        "       ▶ rendezvous",
    ];
    assert_eq!(chart.lines().collect::<Vec<_>>(), expected, "\n{chart}");
}

/// All texts of the picture, unescaped.
fn texts(svg: &str) -> Vec<String> {
    let document = roxmltree::Document::parse(svg).unwrap_or_else(|error| panic!("{error}\n{svg}"));
    let mut out = Vec::new();
    for node in document.descendants() {
        assert!(!["script", "a", "image", "use", "foreignObject"].contains(&node.tag_name().name()));
        assert!(node.attributes().all(|a| !a.name().starts_with("on") && a.name() != "href"), "no links, no scripts");
        if node.tag_name().name() == "text" {
            out.push(node.text().unwrap_or_default().to_string());
        }
    }
    out
}

#[test]
fn pictures_are_well_formed_and_escaped() {
    let workspace = Workspace::with("a&b<c>.pml", PRODUCER);
    workspace.run(&["check", "a&b<c>.pml", "--chart-svg", "c.svg", "--json"]).exits(1).json();
    let svg = std::fs::read_to_string(workspace.path("c.svg")).unwrap();
    let found = texts(&svg);
    for label in ["Producer(0)", "Consumer(1)", "q!item,1", "q!item,2", "q!done,0"] {
        assert!(found.iter().any(|text| text == label), "{label} is missing in {found:?}");
    }
    assert!(found.iter().any(|text| text.starts_with("deadlock")), "{found:?}");
    assert!(svg.contains("<title>a&amp;b&lt;c&gt;.pml</title>"));
    workspace.write("m.pml", ASSERTION);
    workspace.run(&["simulate", "m.pml", "--chart-svg", "s.svg", "--chart-local", "--seed", "2"]);
    let found = texts(&std::fs::read_to_string(workspace.path("s.svg")).unwrap());
    assert!(
        found.iter().any(|text| text == "assert(x<2)" || text.contains("x=") || text.contains("x = ")),
        "{found:?}"
    );
    workspace.write("m.pml", RENDEZVOUS);
    workspace.run(&["simulate", "m.pml", "--chart-svg", "r.svg"]).exits(1);
    let svg = std::fs::read_to_string(workspace.path("r.svg")).unwrap();
    assert!(svg.contains("assertion violated: !ok") && texts(&svg).contains(&"answer!8,1".to_string()), "{svg}");
}

#[test]
fn charts_of_runs() {
    let workspace = Workspace::with("m.pml", PRODUCER);
    let ran = workspace.run(&["simulate", "m.pml", "--chart"]).exits(1).says("q!item,1 #1").says("▷ sent   ◆ received");
    assert_eq!(ran.out.matches('◆').count(), 4, "three messages and the legend:\n{}", ran.out);
    workspace.run(&["simulate", "m.pml", "--chart", "--json"]).exits(2);
    let refused = ["simulate", "m.pml", "--chart-svg", "no/such/dir/c.svg"];
    workspace.run(&refused).exits(2).complains("the chart cannot be written");
    workspace.write("h.pml", HOLDS);
    workspace.run(&["check", "h.pml", "--chart"]).exits(0).complains("there is no trace to draw");
}
