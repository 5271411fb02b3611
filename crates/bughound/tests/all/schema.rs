//! What the program prints with `--json` is what the schema in `docs/schema` says, and that is what the types say.
//! `BLESS=1` writes the schema. Other tests validate as well: each document that one of them reads with `Ran::json`.

use bughound::report::check::CheckDocument;
use bughound::report::{schema, text};
use serde_json::{Value, json};

use crate::support::schema::{DOCUMENTS, SAVED_TRACES, faults, schema_file, trace_faults};
use crate::support::{ASSERTION, DEADLOCK, HOLDS, HUGE, Workspace};

#[test]
fn schema_files_follow_the_types() {
    for (name, wanted) in [(DOCUMENTS, text(&schema::documents())), (SAVED_TRACES, text(&schema::saved_traces()))] {
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(schema_file(name), wanted).unwrap();
        } else {
            let found = std::fs::read_to_string(schema_file(name)).unwrap_or_default();
            assert!(found == wanted, "{name} is out of date: BLESS=1 cargo test -p bughound --test all schema_files");
        }
    }
    let printed = Workspace::new().run(&["list", "schema"]).exits(0).out;
    assert_eq!(printed, text(&schema::documents()));
    let printed = Workspace::new().run(&["list", "trace-schema"]).exits(0).out;
    assert_eq!(printed, text(&schema::saved_traces()));
}

/// All objects of a schema that describe fields.
fn objects<'a>(schema: &'a Value, found: &mut Vec<&'a serde_json::Map<String, Value>>) {
    match schema {
        Value::Object(object) => {
            if object.get("properties").is_some_and(|p| p.is_object()) && object.contains_key("additionalProperties") {
                found.push(object);
            }
            object.values().for_each(|value| objects(value, found));
        }
        Value::Array(all) => all.iter().for_each(|value| objects(value, found)),
        _ => {}
    }
}

#[test]
fn every_field_is_described_and_optional_ones_say_so() {
    for schema in [schema::documents(), schema::saved_traces()] {
        let schema = serde_json::to_value(schema).unwrap();
        let mut all = Vec::new();
        objects(&schema, &mut all);
        assert!(all.len() > 10);
        for object in all {
            assert_eq!(object["additionalProperties"], false, "{object:?}");
            let required = object.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
            for (name, field) in object["properties"].as_object().unwrap() {
                // A word that is always the same says enough: it is the tag of an answer.
                let words = field["description"].as_str();
                let words = words.unwrap_or(if field["const"].is_string() { "" } else { "?" });
                assert_ne!(words, "?", "{name} in {object:?}");
                let optional = words.starts_with("Optional");
                assert_eq!(optional, !required.contains(&json!(name)), "{name}: {words}");
            }
        }
    }
}

const LAMP: &str = "clock x, y; int n;
process P() { state off, lit { x <= 3 }, dim { x < 7 }; init off; trans
  off -> lit { assign x := 0; }, lit -> dim { guard x >= 2; assign x := 0, n := 4; }, dim -> off { guard x > 1; }; }
system P;";

const LOOP: &str = "bool req, ack; byte n; proctype W() { printf(\"started\\n\") }
active proctype Client() { run W(); req = 1; do :: n = 1; n = 2 od }
active proctype Server() { chan q = [0] of { byte }; req; q?_; ack = 1 }
ltl live { [] (req -> <> ack) }";

fn workspace() -> Workspace {
    let workspace = Workspace::new();
    for (file, model) in [
        ("deadlock.pml", DEADLOCK),
        ("assertion.pml", ASSERTION),
        ("holds.pml", HOLDS),
        ("huge.pml", HUGE),
        ("loop.pml", LOOP),
        ("lamp.xta", LAMP),
        ("wrong.pml", "byte x; active proctype P() { x = y }"),
        ("warned.pml", "byte x, unused; active proctype P() { byte t; t = 300; if :: x == 1 -> x = 2 :: else fi }"),
        ("undefined.pml", "byte a[2]; int i = 5; active proctype P() { a[i] = 1 }"),
        (
            "meet.pml",
            "chan c = [0] of { byte }; active proctype S() { c!3 } active proctype R() { byte x; c?x; assert(x == 4) }",
        ),
        ("other.prism", "mdp"),
    ] {
        workspace.write(file, model);
    }
    workspace.run(&["check", "assertion.pml", "--save-trace", "assertion.json", "--quiet"]).exits(1);
    workspace.run(&["check", "lamp.xta", "--query", "E<> P.dim", "--save-trace", "lamp.json", "--quiet"]).exits(0);
    workspace.run(&["check", "loop.pml", "live", "--save-trace", "loop.json", "--quiet"]).exits(1);
    workspace
}

/// Command lines and their exit codes.
const COMMANDS: &[(&str, i32)] = &[
    ("check deadlock.pml", 1),
    ("check assertion.pml --keep-going", 1),
    ("check assertion.pml --search bfs", 1),
    ("check holds.pml", 0),
    ("check holds.pml --search bitstate-dfs", 3),
    ("check assertion.pml --search ce", 1),
    ("check warned.pml", 0),
    ("check undefined.pml", 1),
    ("check meet.pml", 1),
    ("check loop.pml live", 1),
    ("check loop.pml live --fair weak", 1),
    ("check loop.pml --reach n==2", 1),
    ("check huge.pml --search bfs --max-states 50", 4),
    ("check holds.pml assertion.pml wrong.pml loop.pml", 1),
    ("check huge.pml holds.pml --search bfs --max-time 200ms", 4),
    ("check huge.pml --search bfs --max-time 1ms", 4),
    ("check huge.pml --search astar(h=hmax) --max-states 50", 4),
    ("check assertion.pml --improve assertion.json", 1),
    ("check lamp.xta --query sup:n", 0),
    ("check lamp.xta --query sup{P.dim}:x", 0),
    ("check lamp.xta --query inf{P.dim}:x", 0),
    ("check lamp.xta --query bounds{P.lit}:x,n", 0),
    ("check lamp.xta --query bounds{P.dim}:x", 0),
    ("check lamp.xta --query sup:y", 0),
    ("check lamp.xta --query sup{n==7}:y", 0),
    ("check lamp.xta --query sup:n --max-states 1", 4),
    ("check lamp.xta --query E<>P.dim --fastest", 0),
    ("check lamp.xta --query E<>P.dim", 0),
    ("check lamp.xta --query A[]n<4", 1),
    ("check lamp.xta --query A<>P.dim", 1),
    ("check lamp.xta --query E[]P.off", 0),
    ("explore holds.pml", 0),
    ("explore lamp.xta", 0),
    ("explore undefined.pml", 0),
    ("explore huge.pml --max-states 50", 4),
    ("explore huge.pml --max-time 1ms", 4),
    ("compare assertion.pml assertion", 0),
    ("compare assertion.pml assertion --searches bfs,greedy --max-states 1", 4),
    ("compare lamp.xta --query A[]n<4 --searches bfs,astar", 0),
    ("explain warned.pml --dependencies --abstraction", 0),
    ("explain warned.pml --deny all", 1),
    ("explain meet.pml", 0),
    ("explain loop.pml --abstraction=pdbs", 0),
    ("explain lamp.xta --dependencies --abstraction", 0),
    ("trace assertion.json", 0),
    ("trace lamp.json", 0),
    ("trace loop.json", 0),
    ("simulate deadlock.pml", 1),
    ("simulate holds.pml --steps 3", 0),
    ("simulate huge.pml --steps 1000000 --max-time 1ms", 4),
    ("simulate meet.pml", 1),
    ("simulate loop.pml --trace loop.json", 1),
    ("simulate assertion.pml --trace assertion.json --continue", 1),
    ("check nowhere.pml", 2),
    ("check wrong.pml", 2),
    ("check other.prism", 2),
    ("check holds.pml nonsense", 2),
    ("check holds.pml --search bsf", 2),
    ("compare wrong.pml", 2),
    ("explore wrong.pml", 2),
    ("explain wrong.pml", 2),
    ("explain holds.pml --abstraction=blind", 2),
    ("trace holds.pml", 2),
    ("simulate wrong.pml", 2),
    ("simulate lamp.xta", 2),
    ("list searches", 0),
    ("list heuristics", 0),
    ("list languages", 0),
];

/// What the commands print, with their command lines.
fn documents(workspace: &Workspace) -> Vec<(&'static str, Value)> {
    let run = |(line, code): &(&'static str, i32)| {
        let arguments: Vec<&str> = line.split(' ').chain(["--json"]).collect();
        // `json` validates.
        (*line, workspace.run(&arguments).exits(*code).json())
    };
    COMMANDS.iter().map(run).collect()
}

#[test]
fn every_command_prints_what_the_schema_says() {
    let workspace = workspace();
    let documents = documents(&workspace);
    for (line, document) in &documents {
        let command = line.split(' ').next().unwrap();
        assert_eq!((&document["schema"], &document["command"]), (&"bughound/1".into(), &command.into()), "{line}");
        if command != "list" {
            let names_files = document["file"].is_string() || document["files"][0]["file"].is_string();
            assert!(names_files && document["exit_code"].is_u64(), "{line}");
        }
        if command == "check" && document["stats"].is_object() {
            let read: CheckDocument = serde_json::from_value(document.clone()).unwrap();
            assert_eq!(serde_json::to_value(read).unwrap(), *document, "{line}");
        }
    }
    // The table above has all that there is to describe.
    let has = |path: &str| documents.iter().any(|(_, document)| document.pointer(path).is_some_and(|v| !v.is_null()));
    for path in ["trace/cycle", "trace/parts", "trace/blocked", "trace/steps/0/clocks", "trace/loop"] {
        assert!(has(&format!("/properties/0/{path}")), "{path}");
    }
    for path in ["fastest", "zones/0", "extremes/0/sup", "extremes/1/inf", "stats/queues/0", "stats/bit_fill"] {
        assert!(has(&format!("/properties/0/{path}")), "{path}");
    }
    for path in ["/unreached/0", "/warnings/0", "/abstractions/0/patterns/0", "/signals", "/errors/0/line"] {
        assert!(has(path), "{path}");
    }
}

#[test]
fn answers_are_typed() {
    let workspace = workspace();
    let answer = |line: &str| {
        let arguments: Vec<&str> = line.split(' ').chain(["--json"]).collect();
        workspace.run(&arguments).json()["properties"][0]["answer"].clone()
    };
    assert_eq!(answer("check holds.pml"), json!({ "type": "truth", "value": true }));
    assert_eq!(answer("check deadlock.pml deadlock"), json!({ "type": "truth", "value": false }));
    assert_eq!(answer("check lamp.xta --query E<>n==5"), json!({ "type": "truth", "value": false }));
    assert_eq!(answer("check huge.pml --search bfs --max-states 9"), Value::Null);
    let number = |value: Value, attained: bool| json!({ "type": "number", "value": value, "attained": attained });
    assert_eq!(answer("check lamp.xta --query sup:n"), number(4.into(), true));
    assert_eq!(answer("check lamp.xta --query sup{P.dim}:x"), number(7.into(), false));
    assert_eq!(answer("check lamp.xta --query inf{P.dim}:x"), number(0.into(), true));
    assert_eq!(answer("check lamp.xta --query sup:y"), number(Value::Null, false));
    let ends = json!({
        "type": "interval",
        "lower": { "value": 0, "attained": true },
        "upper": { "value": 7, "attained": false },
    });
    assert_eq!(answer("check lamp.xta --query bounds{P.dim}:x"), ends);
    // No state, several quantities, and numbers that are not the last word.
    for line in ["sup{n==7}:y", "sup:x,n", "sup:n --max-states 1"] {
        assert_eq!(answer(&format!("check lamp.xta --query {line}")), Value::Null, "{line}");
    }
    let several = workspace.run(&["check", "lamp.xta", "--query", "sup: x, n", "--json"]).json();
    assert_eq!(several["properties"][0]["extremes"][1]["answer"], number(4.into(), true));
}

#[test]
#[cfg(unix)]
fn interrupted_runs_and_those_without_memory_are_described() {
    use crate::support::hard::{finish, start};
    use std::time::Duration;
    let workspace = workspace();
    for command in ["check", "explore", "compare"] {
        let child = start(&workspace, &[command, "huge.pml", "--json"]);
        std::thread::sleep(Duration::from_millis(500));
        std::process::Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
        let (_, status, out, err) = finish(child, Duration::from_secs(20));
        assert_eq!(status.and_then(|status| status.code()), Some(4), "{command}: {out}{err}");
        let document: Value = serde_json::from_str(&out).unwrap();
        assert_eq!(faults(&document), [""; 0], "{command}: {document:#}");
    }
    let updates = (0..200).map(|i| format!("v := v + i * {i}")).collect::<Vec<_>>().join(", ");
    let head = "int v; process P() { state a; init a; trans a -> a { select i : int[0, 20000]; assign ";
    workspace.write("large.xta", &format!("{head}{updates}; }}; }} Q = P(); system Q;"));
    let ran = workspace.run(&["check", "large.xta", "--max-memory", "64M", "--json"]).exits(4);
    assert_eq!((&ran.json()["verdict"], &ran.json()["properties"]), (&"limit".into(), &json!([])));
}

#[test]
fn saved_traces_are_what_their_schema_says() {
    let workspace = workspace();
    for file in ["assertion.json", "lamp.json", "loop.json"] {
        let mut saved: Value = serde_json::from_str(&std::fs::read_to_string(workspace.path(file)).unwrap()).unwrap();
        assert_eq!(trace_faults(&saved), [""; 0], "{file}");
        saved["shown"]["undocumented"] = json!(1);
        assert!(!trace_faults(&saved).is_empty(), "{file}");
    }
}

/// Changes one object of a document after the other, and tells what the validator says to each.
fn each_object(document: &mut Value, at: &str, tell: &mut dyn FnMut(&str)) {
    let children: Vec<String> = match document.pointer(at) {
        Some(Value::Object(object)) => object.keys().map(|key| format!("{at}/{}", key.replace('/', "~1"))).collect(),
        Some(Value::Array(items)) => (0..items.len()).map(|n| format!("{at}/{n}")).collect(),
        _ => return,
    };
    if document.pointer(at).is_some_and(Value::is_object) {
        tell(at);
    }
    for child in children {
        each_object(document, &child, tell);
    }
}

#[test]
fn the_schema_is_strict() {
    let workspace = workspace();
    for line in
        ["check loop.pml live", "check lamp.xta --query bounds{P.dim}:x,n", "check wrong.pml", "explain lamp.xta"]
    {
        let arguments: Vec<&str> = line.split(' ').chain(["--json"]).collect();
        let document = workspace.run(&arguments).json();
        let mut lax = Vec::new();
        each_object(&mut document.clone(), "", &mut |at| {
            // Here the names are those of the model.
            if ["/initial", "/clocks", "/values", "/final_state"].iter().any(|map| at.ends_with(map)) {
                return;
            }
            let mut changed = document.clone();
            changed.pointer_mut(at).unwrap().as_object_mut().unwrap().insert("undocumented".into(), json!(1));
            if faults(&changed).is_empty() {
                lax.push(at.to_string());
            }
        });
        assert_eq!(lax, [""; 0], "{line}");
        for field in document.as_object().unwrap().keys() {
            let mut changed = document.clone();
            changed.as_object_mut().unwrap().remove(field);
            assert!(!faults(&changed).is_empty(), "{line} without {field}");
        }
    }
    let mut other = workspace.run(&["check", "holds.pml", "--json"]).json();
    other["schema"] = json!("bughound/2");
    assert!(!faults(&other).is_empty());
    other["schema"] = json!("bughound/1");
    assert!(faults(&other).is_empty());
    other["verdict"] = json!("perhaps");
    assert!(!faults(&other).is_empty());
}
