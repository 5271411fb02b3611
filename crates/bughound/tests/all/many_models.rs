//! `check` with several models, and with directories.

use std::time::{Duration, Instant};

use crate::support::{ASSERTION, DEADLOCK, HOLDS, HUGE, Workspace};

const BROKEN: &str = "active proctype P() { x = 1 }\n";
const TIMED: &str = "clock x; process P() { state a, b; init a; trans a -> b { guard x > 1; }; } system P;\n";

fn workspace() -> Workspace {
    let workspace = Workspace::with("good.pml", HOLDS);
    workspace.write("bad.pml", ASSERTION);
    workspace.write("broken.pml", BROKEN);
    workspace
}

/// The line of the summary about a model.
#[track_caller]
fn row<'t>(text: &'t str, file: &str) -> Vec<&'t str> {
    let start = text.lines().position(|line| line.split_whitespace().eq(TITLES)).expect("no summary");
    let mut lines = text.lines().skip(start).map(|line| line.split_whitespace().collect::<Vec<_>>());
    lines.find(|words| words.first() == Some(&file)).unwrap_or_else(|| panic!("{file} is missing in\n{text}"))
}

const TITLES: [&str; 6] = ["file", "verdict", "decided", "length", "states", "time"];

#[test]
fn each_model_has_its_section_and_its_line() {
    let workspace = workspace();
    let ran = workspace.run(&["check", "good.pml", "bad.pml"]).exits(1);
    let ran = ran.says("good.pml: holds").says("bad.pml: violated").says("Counterexample to `assertion`");
    assert_eq!(row(&ran.out, "good.pml")[1..6], ["holds", "2", "of", "2", "–"]);
    assert_eq!(row(&ran.out, "bad.pml")[1..6], ["violated", "2", "of", "2", "5"]);
    ran.says("2 models: 1 violated, 1 holds");
    // One model alone looks as it always did.
    workspace.run(&["check", "good.pml"]).exits(0).does_not_say("decided");
}

#[test]
fn the_worst_model_decides_the_exit_code() {
    let workspace = workspace();
    workspace.write("huge.pml", HUGE);
    workspace.run(&["check", "good.pml", "good.pml"]).exits(0).says("1 model: 1 holds");
    let limited = |files: &[&str]| workspace.run(&[&["check", "--max-states", "2000"], files].concat());
    limited(&["good.pml", "huge.pml"]).exits(4).says("1 limit, 1 holds");
    limited(&["huge.pml", "broken.pml", "good.pml"]).exits(2).says("1 error, 1 limit, 1 holds");
    limited(&["broken.pml", "huge.pml", "bad.pml"]).exits(1).says("1 violated, 1 error, 1 limit");
}

#[test]
fn a_model_that_cannot_be_read_does_not_stop_the_others() {
    let workspace = workspace();
    let ran = workspace.run(&["check", "broken.pml", "good.pml"]).exits(2).complains("broken.pml:1:23");
    let ran = ran.says("broken.pml: error: ").says("good.pml: holds");
    assert_eq!(row(&ran.out, "broken.pml")[1..4], ["error", "–", "–"]);
    // Nor does one that has no such property.
    workspace.write("formula.pml", "byte x; ltl small { [] (x < 2) } init { x = 1 }");
    let ran = workspace.run(&["check", "good.pml", "formula.pml", "--property", "small"]).exits(2);
    ran.complains("good.pml: the model has no property `small`").says("formula.pml: holds");
}

#[test]
fn directories_stand_for_the_models_below_them() {
    let workspace = workspace();
    std::fs::create_dir_all(workspace.path("all/deep")).unwrap();
    workspace.write("all/z.pml", "#include \"part.pml\"\ninit { x = 1 }");
    workspace.write("all/part.pml", "byte x;");
    workspace.write("all/deep/a.xta", TIMED);
    workspace.write("all/deep/a.q", "E<> P.b\n");
    workspace.write("all/.hidden.pml", BROKEN);
    workspace.write("all/notes.txt", "x");
    let ran = workspace.run(&["check", "all", "good.pml", "all/z.pml"]).exits(0).says("3 models: 3 holds");
    let ran = ran.complains("all: 1 file not checked alone");
    let at = |file: &str| ran.out.find(&format!("{file}: holds")).unwrap_or_else(|| panic!("{file}\n{}", ran.out));
    assert!(at("all/deep/a.xta") < at("all/z.pml") && at("all/z.pml") < at("good.pml"));
    std::fs::create_dir(workspace.path("safety")).unwrap();
    let ran = workspace.run(&["check", "good.pml", "safety"]).exits(2);
    ran.complains("there is no model in this directory").complains("--property safety");
}

/// What is named where nobody reads it is a model of its own.
#[test]
fn only_live_includes_make_a_file_a_part() {
    let workspace = Workspace::with("whole.pml", HOLDS);
    std::fs::create_dir(workspace.path("all")).unwrap();
    workspace.write("all/a.pml", "/*\n#include \"b.pml\"\n*/\n#if 0\n#include \"b.pml\"\n#endif\ninit { skip }\n");
    workspace.write("all/b.pml", HOLDS);
    workspace.write("all/c.pml", "#ifdef WITH_D\n#define FILE \"d.pml\"\n#include FILE\n#endif\ninit { skip }\n");
    workspace.write("all/d.pml", "active proctype P() { skip }\n");
    workspace.run(&["check", "all"]).exits(0).says("all/b.pml: holds").says("4 models: 4 holds");
    let ran = workspace.run(&["check", "all", "-DWITH_D"]).exits(0).says("3 models: 3 holds");
    ran.complains("1 file not checked alone").does_not_say("all/d.pml: holds");
}

#[cfg(unix)]
#[test]
fn nothing_in_a_directory_is_passed_over_in_silence() {
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;
    let workspace = Workspace::with("whole.pml", HOLDS);
    for directory in ["all", "all/deep", "elsewhere"] {
        std::fs::create_dir(workspace.path(directory)).unwrap();
    }
    workspace.write("all/deep/a.pml", HOLDS);
    workspace.write("elsewhere/b.pml", ASSERTION);
    symlink("..", workspace.path("all/deep/up")).unwrap();
    symlink("../elsewhere", workspace.path("all/link")).unwrap();
    let ran = workspace.run(&["check", "all"]).exits(0).says("1 model: 1 holds");
    ran.complains("all: links to directories are not followed: all/deep/up, all/link; name them");
    workspace.run(&["check", "all", "all/link"]).exits(1).says("2 models: 1 violated, 1 holds");
    // Links to files are followed; one to nowhere is an error, and so are names that are no text.
    symlink("../elsewhere/b.pml", workspace.path("all/b.pml")).unwrap();
    workspace.run(&["check", "all"]).exits(1).says("all/b.pml: violated");
    symlink("nowhere", workspace.path("all/c.pml")).unwrap();
    workspace.run(&["check", "all"]).exits(1).says("all/c.pml: error: all/c.pml: there is no such file");
    for name in [b"all/\xff.pml", b"all/\xfe.pml"] {
        std::fs::write(workspace.directory.path().join(std::ffi::OsStr::from_bytes(name)), HOLDS).unwrap();
    }
    let ran = workspace.run(&["check", "all"]).exits(1).says("5 models: 1 violated, 3 error, 1 holds");
    ran.says("all/\u{fffd}.pml: error: ").complains("is not text in UTF-8").complains("rename the file");
}

#[test]
fn words_are_properties_of_one_model_only() {
    let workspace = workspace();
    workspace.run(&["check", "good.pml", "assertion"]).exits(0).does_not_say("deadlock");
    workspace.run(&["check", "assertion", "good.pml"]).exits(0).does_not_say("deadlock");
    let ran = workspace.run(&["check", "good.pml", "assertion", "bad.pml"]).exits(2);
    ran.complains("--property assertion checks it in each");
    let ran = workspace.run(&["check", "good.pml", "bad.pml", "--property", "deadlock"]).exits(0);
    ran.does_not_say("assertion").says("1 of 1");
    workspace.run(&["check", "good.pml", "asertion"]).exits(2).complains("did you mean `assertion`");
    workspace.run(&["check", "good.pml", "bat.pml"]).exits(2).complains("bat.pml: there is no such file");
    workspace.run(&["check", "good.pml", "bad.pml", "sub/x"]).exits(2).complains("sub/x: there is no such file");
    workspace.run(&["check", "bat.pml"]).exits(2).complains("bat.pml: there is no such file");
}

#[test]
fn one_json_document_has_all_models() {
    let workspace = workspace();
    let ran = workspace.run(&["check", "--json", "good.pml", "broken.pml", "bad.pml"]).exits(1);
    let document = ran.json();
    assert_eq!((&document["verdict"], &document["exit_code"]), (&"violated".into(), &1.into()));
    let files = document["files"].as_array().unwrap();
    let seen: Vec<_> = files.iter().map(|file| (file["file"].as_str().unwrap(), file["exit_code"].as_u64())).collect();
    assert_eq!(seen, [("good.pml", Some(0)), ("broken.pml", Some(2)), ("bad.pml", Some(1))]);
    assert_eq!(files[0]["properties"].as_array().unwrap().len(), 2);
    assert!(files[1]["errors"][0]["message"].is_string());
    assert!(files[2]["properties"][1]["trace"]["steps"].is_array());
    // A directory with one model has the same shape.
    std::fs::create_dir(workspace.path("one")).unwrap();
    workspace.write("one/a.pml", HOLDS);
    assert_eq!(workspace.run(&["check", "--json", "one"]).exits(0).json()["files"].as_array().unwrap().len(), 1);
}

#[test]
fn the_time_is_that_of_all_models_together() {
    let workspace = Workspace::with("a.pml", HUGE);
    workspace.write("b.pml", HUGE);
    workspace.write("c.pml", DEADLOCK);
    let begin = Instant::now();
    let ran = workspace.run(&["check", "a.pml", "b.pml", "c.pml", "--max-time", "1s", "--no-progress"]).exits(4);
    assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());
    let ran = ran.says("b.pml: limit, not checked: the time limit was reached").says("3 models: 3 limit");
    assert_eq!(row(&ran.out, "c.pml")[1..4], ["limit", "–", "–"]);
    let ran = workspace.run(&["check", "a.pml", "b.pml", "--max-time", "300ms", "--json"]).exits(4);
    let files = ran.json()["files"].clone();
    assert_eq!((&files[1]["file"], &files[1]["verdict"]), (&"b.pml".into(), &"limit".into()));
}

#[test]
fn reports_have_a_part_for_each_model() {
    let workspace = workspace();
    let options = ["--junit", "r.xml", "--sarif", "r.sarif"];
    workspace.run(&[&["check", "good.pml", "broken.pml", "bad.pml"][..], &options].concat()).exits(1);
    let junit = std::fs::read_to_string(workspace.path("r.xml")).unwrap();
    assert_eq!(junit.matches("<testsuite ").count(), 3, "{junit}");
    assert!(
        junit.contains("<testsuites name=\"bughound\" tests=\"5\" skipped=\"0\" failures=\"1\" errors=\"1\""),
        "{junit}"
    );
    let sarif = std::fs::read_to_string(workspace.path("r.sarif")).unwrap();
    let sarif: serde_json::Value = serde_json::from_str(&sarif).unwrap();
    let runs = sarif["runs"].as_array().unwrap();
    let codes: Vec<_> = runs.iter().map(|run| run["invocations"][0]["exitCode"].as_u64().unwrap()).collect();
    assert_eq!(codes, [0, 2, 1]);
    assert_eq!(runs[1]["invocations"][0]["executionSuccessful"], false);
    assert_eq!(runs[2]["results"].as_array().unwrap().len(), 1);
}

#[test]
fn what_is_about_one_trace_is_refused() {
    let workspace = workspace();
    for option in ["--save-trace", "--trail", "--itf", "--dot", "--chart-svg", "--subsystem", "--mass"] {
        let ran = workspace.run(&["check", "good.pml", "bad.pml", option, "file.svg"]).exits(2);
        ran.complains(&format!("{option} is about one model")).complains("name one model");
    }
    std::fs::create_dir(workspace.path("one")).unwrap();
    workspace.write("one/a.pml", HOLDS);
    workspace.run(&["check", "one", "--improve", "t.json"]).exits(2).complains("--improve is about one model");
    let ran = workspace.run(&["check", "good.pml", "bad.pml", "--sarif", "bad.pml"]).exits(2);
    ran.complains("would overwrite bad.pml");
}

/// Names of files are shown in the table as they are elsewhere: nothing that a terminal would obey, and on one line.
#[cfg(unix)]
#[test]
fn the_table_escapes_names() {
    let workspace = Workspace::with("a.pml", "init { skip }\n");
    workspace.write("b\u{1b}[31m\n.pml", "init { skip }\n");
    let ran = workspace.run(&["check", "a.pml", "b\u{1b}[31m\n.pml"]).exits(0);
    assert!(!ran.out.contains('\u{1b}') && ran.out.contains("b\\u{1b}[31m\\n.pml"), "{}", ran.out);
}
