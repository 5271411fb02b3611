//! Files, options and what is said about wrong ones.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::hard::{finish, inputs, run_for, start, workspace};
use crate::support::{ASSERTION, DEADLOCK, HOLDS, Workspace, check};

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
    let workspace = Workspace::with("m.txt", "int x;");
    workspace.run(&["check", "none.pml"]).exits(2).complains("none.pml: there is no such file");
    workspace.run(&["check", "."]).exits(2).complains("there is no model in this directory");
    workspace.run(&["explore", "."]).exits(2).complains("this is a directory");
    workspace.run(&["check", "m.txt"]).exits(2).complains("known endings are").complains("--language");
    workspace.run(&["check", "m.txt", "--language", "promela"]).exits(2).complains("starts no process");
    workspace.run(&["check", "m.txt", "--language", "klingon"]).exits(2).complains("known languages are");
    workspace.write("m.jani", "{}");
    workspace.run(&["check", "m.jani"]).exits(2).complains("jani-version");
    workspace.write("empty.pml", "");
    workspace.run(&["check", "empty.pml"]).exits(2);
    std::fs::write(workspace.path("binary.pml"), [0xff, 0xfe, 0, 1, 2]).unwrap();
    workspace.run(&["check", "binary.pml"]).exits(2);
}

#[test]
fn the_standard_input() {
    let workspace = Workspace::new();
    workspace.run_with_input(&["check", "-", "--language", "promela"], ASSERTION).exits(1).says("-: violated");
    let ran = workspace.run_with_input(&["check", "-"], ASSERTION).exits(1);
    ran.complains("note: the standard input is read as Promela");
    let ran = workspace.run_with_input(&["check", "-"], "int x;").exits(2);
    ran.complains("the standard input: the language is not known").complains("--language promela");
}

#[test]
fn the_language_is_read_from_the_text_where_the_name_does_not_tell() {
    const XTA: &str = "process P() { state a, b; init a; trans a -> b { }; } system P;";
    const XML: &str = "<nta><template><name>P</name><location id=\"a\"/><init ref=\"a\"/></template><system>system P;\
        </system></nta>";
    let workspace = Workspace::new();
    for (file, text, title, language) in [
        ("m.pr", HOLDS, "m.pr is read as Promela: the ending .pr says nothing", "promela"),
        ("m", HOLDS, "m is read as Promela: its name has no ending", "promela"),
        ("m.txt", XTA, "m.txt is read as a UPPAAL model: the ending .txt says nothing", "uppaal"),
        ("n", XML, "n is read as a UPPAAL model: its name has no ending", "uppaal"),
    ] {
        workspace.write(file, text);
        let query: &[&str] = if language == "uppaal" { &["--query", "A[] true"] } else { &[] };
        let ran = workspace.run(&[&["check", file][..], query].concat()).exits(0).complains(&format!("note: {title}"));
        assert_eq!(ran.err.trim_end().lines().count(), 1, "{}", ran.err);
        let document = workspace.run(&[&["check", file, "--json"][..], query].concat()).exits(0).json();
        assert_eq!(document["language"], language);
        assert_eq!(document["diagnostics"][0]["severity"], "note");
        workspace.run(&["explain", file]).exits(0).complains("note: ");
        let ran = workspace.run(&[&["check", file, "--quiet"][..], query].concat()).exits(0);
        assert_eq!(ran.err, "");
        let ran = workspace.run(&[&["check", file, "--language", language][..], query].concat()).exits(0);
        assert_eq!(ran.err, "", "who says it needs not be told");
    }
    for text in ["", "int x;", "proctype P() { skip } process Q() {} system Q;", "<html/>"] {
        workspace.write("x.foo", text);
        let ran = workspace.run(&["check", "x.foo"]).exits(2).complains("x.foo: the language is not known");
        ran.complains("the ending .foo says nothing").complains(".pml").complains("--language promela");
    }
    workspace.write("wrong.foo", "active proctype P() { y = 1 }");
    let ran = workspace.run(&["check", "wrong.foo"]).exits(2).complains("wrong.foo is read as Promela");
    ran.complains("`y` is not declared").complains("the model has 1 error");
    workspace.write("bad.pr", ASSERTION);
    workspace.run(&["check", "bad.pr", "--save-trace", "t.json"]).exits(1);
    workspace.run(&["trace", "t.json"]).exits(0);
}

#[test]
fn patterns_that_match_nothing_are_mentioned() {
    let model = "byte count; chan c = [1] of { byte }; proctype Q() { byte own = 1; assert(count == 0) }
        init { c!1; count = 1; run Q() }";
    let workspace = Workspace::with("m.pml", model);
    let ran = workspace.run(&["check", "m.pml", "--show", "coutn", "--save-trace", "t.json"]).exits(1);
    ran.complains(
        "warning: --show: no variable matches `coutn` (did you mean `count`?); there are count, c, Q(1):own\n",
    );
    workspace
        .run(&["trace", "t.json", "--hide", "x*"])
        .complains("warning: --hide: no variable matches `x*`; there are");
    workspace.run(&["simulate", "m.pml", "--show", "Q(1):onw"]).complains("(did you mean `Q(1):own`?)");
    for pattern in ["count", "c*", "Q(1):*", "Q(?):own", "c"] {
        let ran = workspace.run(&["check", "m.pml", "--show", pattern]).exits(1);
        assert!(!ran.err.contains("matches"), "{pattern}: {}", ran.err);
    }
    let ran = workspace.run(&["check", "m.pml", "--show", "coutn", "--quiet"]).exits(1);
    assert_eq!(ran.err, "");
    workspace.write("t.xta", "clock x; process P() { clock y; int n; state a; init a; } system P;");
    let ran = workspace.run(&["check", "t.xta", "--query", "A[] true", "--show", "P.z", "--show", "P.y"]).exits(0);
    let ran = ran.complains("no variable matches `P.z`").complains("x, P.y");
    assert!(!ran.err.contains("`P.y`;"), "{}", ran.err);
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

/// A program that asked for JSON gets it, whatever is wrong with its arguments.
#[test]
fn wrong_arguments_are_told_as_a_document_too() {
    let workspace = Workspace::with("m.pml", HOLDS);
    let cases: [(&[&str], &str, &str); 7] = [
        (&["check", "--json"], "check", "the following required arguments were not provided"),
        (&["check", "m.pml", "--json", "--nonsense"], "check", "unexpected argument '--nonsense' found"),
        (&["check", "m.pml", "--max-time", "soon", "--json"], "check", "invalid value 'soon' for '--max-time <TIME>'"),
        (&["check", "m.pml", "--first", "--shortest", "--json"], "check", "cannot be used with"),
        (&["explore", "m.pml", "--json", "--reduction"], "explore", "a value is required for '--reduction"),
        (&["list", "--json", "nothing"], "list", "invalid value 'nothing'"),
        (&["chek", "m.pml", "--json"], "", "unrecognized subcommand 'chek'"),
    ];
    for (arguments, command, message) in cases {
        let ran = workspace.run(arguments).exits(2).complains(message);
        let document = ran.json();
        assert_eq!((&document["command"], &document["exit_code"]), (&command.into(), &2.into()), "{arguments:?}");
        assert!(document["errors"][0]["message"].as_str().unwrap().contains(message), "{document:#}");
        assert!(document["errors"][0]["help"].is_string(), "{document:#}");
    }
    for arguments in [&["check", "--json", "--help"][..], &["--version", "--json"]] {
        workspace.run(arguments).exits(0).does_not_say("\"errors\"");
    }
    workspace.run(&["check", "m.pml", "--nonsense"]).exits(2).does_not_say("{");
}

#[test]
fn lists_completions_and_versions() {
    let workspace = Workspace::new();
    workspace.run(&["list", "searches"]).exits(0).says("random-dfs").says("complete: yes; optimal: yes");
    let searches = workspace.run(&["list", "searches", "--json"]).exits(0).json();
    let searches = &searches["searches"];
    let named = |name: &str| searches.as_array().unwrap().iter().find(|entry| entry["name"] == name).unwrap();
    assert_eq!(searches[0]["name"], "auto");
    assert_eq!(named("bfs")["claims"]["optimal"], true);
    assert_eq!(named("astar")["claims"]["optimal"], "with an admissible heuristic");
    workspace.run(&["list", "languages"]).exits(0).says(".pml");
    let heuristics = workspace.run(&["list", "heuristics", "--json"]).exits(0).json();
    assert!(heuristics["heuristics"].as_array().unwrap().iter().any(|entry| entry["name"] == "active-processes"));
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

/// Hard inputs whose time is spent in different places.
const DOZEN: [&str; 12] = [
    "the default search",
    "merge and shrink",
    "a formula",
    "nested searches with fairness",
    "a chain inside atomic",
    "loops inside d_step",
    "a trace to be replayed",
    "a trace to be improved",
    "several searches",
    "a broadcast",
    "extreme values",
    "zones",
];

#[test]
fn one_deadline_holds_for_everything() {
    let workspace = workspace();
    for input in inputs().iter().filter(|input| DOZEN.contains(&input.name)) {
        // Far more than it takes on a machine that does nothing else.
        run_for(&workspace, input, "500ms", Duration::from_secs(10));
    }
}

/// By hand, on a machine that does nothing else:
/// `cargo test --release -p bughound --test all -- --ignored --nocapture hard`.
#[test]
#[ignore = "takes a minute and a half, and wants the machine for itself"]
fn all_hard_inputs_end_half_a_second_after_their_time() {
    let workspace = workspace();
    let mut late = Vec::new();
    for input in inputs() {
        let took = run_for(&workspace, &input, "3s", Duration::from_secs(30));
        println!("{:.2} s  {}", took.as_secs_f64(), input.name);
        if took > Duration::from_millis(3500) {
            late.push(input.name);
        }
    }
    assert!(late.is_empty(), "later than 3.5 s: {late:?}");
}

#[test]
#[cfg(unix)]
fn one_signal_ends_it_wherever_it_is() {
    let workspace = workspace();
    let places = ["the default search", "a chain inside atomic", "a formula", "a broadcast", "zones"];
    for input in inputs().iter().filter(|input| places.contains(&input.name)) {
        let child = start(&workspace, &input.arguments);
        std::thread::sleep(Duration::from_millis(700));
        Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
        let told = Instant::now();
        // Within a second, on a machine that does nothing else.
        let (_, status, out, err) = finish(child, Duration::from_secs(10));
        let about = format!("{}, {:?}\n{out}\n{err}", input.name, told.elapsed());
        assert_eq!(status.and_then(|status| status.code()), Some(4), "{about}");
        assert!(out.contains("interrupted"), "{about}");
    }
}

#[test]
fn memory_is_limited_while_a_model_is_read() {
    let updates = (0..200).map(|i| format!("v := v + i * {i}")).collect::<Vec<_>>().join(", ");
    let model = format!(
        "int v; process P() {{ state a; init a; trans a -> a {{ select i : int[0, 20000]; assign {updates}; }}; }} Q = P(); system Q;"
    );
    let workspace = Workspace::with("m.xta", &model);
    let ran = workspace.run(&["check", "m.xta", "--max-memory", "64M", "--json", "--query", "A[] v < 9"]).exits(4);
    assert_eq!(ran.json()["reason"], "the memory limit was reached while the input was read");
}

#[test]
#[cfg(target_os = "linux")]
fn a_result_that_cannot_be_written_is_an_error() {
    let workspace = Workspace::with("m.pml", HOLDS);
    for options in [&["check", "m.pml"][..], &["check", "m.pml", "--json"], &["list", "searches"], &["--help"]] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_bughound"));
        let command = command.args(options).current_dir(workspace.directory.path()).stdout(full).stderr(Stdio::piped());
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{options:?}");
        let err = String::from_utf8_lossy(&output.stderr);
        assert!(err.contains("the result cannot be written"), "{err}");
    }
}

#[test]
#[cfg(unix)]
fn only_regular_files_are_read() {
    let workspace = Workspace::with("m.pml", HOLDS);
    workspace.write("m.xta", "process P() { state a; init a; } Q = P(); system Q;");
    workspace.write("wrong.pml", ASSERTION);
    assert!(
        Command::new("mkfifo")
            .args(["pipe.pml", "m.q"])
            .current_dir(workspace.directory.path())
            .status()
            .unwrap()
            .success()
    );
    let commands = [
        &["check", "pipe.pml"][..],
        &["check", "/dev/zero", "--language", "promela"],
        &["check", "m.pml", "--claim", "pipe.pml"],
        &["check", "m.pml", "--claim", "/dev/zero"],
        &["check", "m.pml", "--queries", "/dev/zero"],
        &["check", "m.xta"],
        &["check", "m.pml", "--improve", "pipe.pml"],
        &["simulate", "m.pml", "--trace", "/dev/zero"],
        &["trace", "pipe.pml"],
        &["trace", "/dev/zero"],
        &["translate", "--hoa", "pipe.pml"],
    ];
    for arguments in commands {
        let (_, status, out, err) = finish(start(&workspace, arguments), Duration::from_secs(20));
        assert_eq!(status.and_then(|status| status.code()), Some(2), "{arguments:?}\n{out}\n{err}");
        assert!(err.contains("not a regular file"), "{arguments:?}: {err}");
    }
    // Nor is a pipe written to for which nobody waits.
    for option in ["--save-trace", "--chart-svg", "--junit"] {
        let arguments = ["check", "wrong.pml", option, "pipe.pml"];
        let (_, status, out, err) = finish(start(&workspace, &arguments), Duration::from_secs(20));
        assert_eq!(status.and_then(|status| status.code()), Some(1), "{arguments:?}\n{out}\n{err}");
        assert!(err.contains("this is a pipe, and nobody reads from it"), "{arguments:?}: {err}");
    }
    workspace.write("include.pml", "#include \"pipe.pml\"\n");
    workspace.run(&["check", "include.pml"]).exits(2).complains("not a regular file");
    workspace.run_with_input(&["check", "-", "--language", "promela"], HOLDS).exits(0);
}

#[test]
fn control_characters_never_reach_the_terminal() {
    let bell = "\u{1b}[2J\u{7}\u{9b}31m\u{1b}[31m";
    let model = format!("active proctype P() {{ printf(\"{bell}\"); assert(false) }}");
    let workspace = Workspace::with("m.pml", &model);
    workspace.write("\u{1b}[31mx.pml", DEADLOCK);
    workspace.write("broken.pml", &format!("active proctype P() {{ {bell} }}"));
    workspace.write("m.xta", "process P() { state a; init a; } Q = P(); system Q;");
    workspace.run(&["check", "m.pml", "--save-trace", "t.json"]).exits(1);
    let commands: [(&[&str], i32); 9] = [
        (&["check", "m.pml"], 1),
        (&["simulate", "m.pml"], 1),
        (&["simulate", "m.pml", "--quiet"], 1),
        (&["trace", "t.json", "--chart"], 0),
        (&["explain", "m.pml", "--automata"], 0),
        (&["check", "\u{1b}[31mx.pml"], 1),
        (&["check", "no\u{1b}[31m.pml"], 2),
        (&["check", "broken.pml"], 2),
        (&["check", "m.pml", "--invariant", "\u{1b}[31mx"], 2),
    ];
    for (arguments, code) in commands {
        for color in ["never", "always"] {
            let ran = workspace.run(&[arguments, &["--color", color]].concat()).exits(code);
            for text in [&ran.out, &ran.err] {
                assert!(!text.contains(['\u{7}', '\u{9b}']), "{arguments:?}: {text:?}");
                assert!(!text.contains("\u{1b}[2J") && !text.contains("\u{1b}[31mx"), "{arguments:?}: {text:?}");
                assert!(color == "always" || !text.contains('\u{1b}'), "{arguments:?}: {text:?}");
            }
        }
    }
    let document = workspace.run(&["check", "m.pml", "--json"]).exits(1);
    assert!(!document.out.contains('\u{1b}'), "JSON escapes them by itself");
}
