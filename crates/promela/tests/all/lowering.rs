//! Lowering: what is said about models that can be parsed, and long rows of jumps.

use bughound_ir::edge::Action;
use bughound_ir::network::Network;
use bughound_ir::source::SourceMap;
use bughound_promela::lower::{LowerOptions, lower};
use bughound_promela::{Options, parse};
use std::io;
use std::path::Path;

/// The network, and all messages as `line:column message`.
fn lowered(text: &str, options: LowerOptions) -> (Option<Network>, Vec<String>) {
    let mut sources = SourceMap::default();
    let no_files = |_: &Path| Err(io::Error::from(io::ErrorKind::NotFound));
    let parsed = parse(&mut sources, "test.pml", text.as_bytes(), &Options::default(), &no_files);
    let model = parsed.ast.unwrap_or_else(|| panic!("{:?}", parsed.diagnostics));
    let result = lower(&model, &sources, options);
    let messages = result.diagnostics.iter().map(|d| {
        let place = d.span.map_or(String::new(), |s| format!("{}:{} ", sources.line(s), sources.column(s)));
        format!("{place}{}", d.message)
    });
    (result.network, messages.collect())
}

fn messages(text: &str) -> Vec<String> {
    let (network, messages) = lowered(text, LowerOptions::default());
    assert_eq!(network.is_none(), !messages.is_empty(), "{messages:?}");
    messages
}

/// `goto L0; L0: goto L1; … ` with this at the last label.
fn chain(jumps: usize, last: &str) -> String {
    let jump = |i| format!("L{i}: goto L{};\n", i + 1);
    format!("goto L0;\n{}L{jumps}: {last}\n", (0..jumps).map(jump).collect::<String>())
}

#[test]
fn a_row_of_jumps_may_be_as_long_as_one_likes() {
    for merge in [false, true] {
        let text = format!("byte x; active proctype P() {{\n{}}}", chain(20_000, "x = 1"));
        let (network, messages) = lowered(&text, LowerOptions { merge, ..LowerOptions::default() });
        assert_eq!(messages, [""; 0]);
        let network = network.unwrap();
        // The first jump leads to the statement at the end.
        let start = network.location(network.templates[0].initial);
        assert_eq!(network.edge(start.edges[0]).text, "x = 1");
    }
}

#[test]
fn a_row_of_jumps_in_a_d_step_or_under_an_escape() {
    for (before, behind) in [("d_step {", "}"), ("atomic {", "}"), ("{", "} unless { x > 5 }")] {
        let text =
            format!("byte x; active proctype P() {{ {before} x = 2;\n{} x = 3 {behind} }}", chain(3_000, "x = 1;"));
        assert_eq!(messages(&text), [""; 0]);
    }
}

#[test]
fn labels_are_found_fast_where_there_are_many() {
    // Each block has its own `a`; every jump means the one of its block.
    let blocks: String = (0..5_000).map(|i| format!("{{ goto a; a: x = {} }};\n", i % 200)).collect();
    assert_eq!(messages(&format!("byte x; active proctype P() {{ {blocks} }}")), [""; 0]);
}

#[test]
fn every_circle_of_jumps_is_reported_once() {
    let circle = "these jumps lead in a circle";
    assert_eq!(messages("init { L: goto L }"), [format!("1:11 {circle}")]);
    let long = messages(&format!("init {{\n{}}}", chain(700, "goto L0")));
    assert_eq!(long, [format!("3:5 {circle}")]);
    let two = "init { if :: goto a :: goto b :: goto c fi;\na: goto b;\nb: goto a;\nc: goto d;\nd: goto c }";
    assert_eq!(messages(two), [format!("2:4 {circle}"), format!("4:4 {circle}")]);
    // With a statement between them, jumps may go round.
    assert_eq!(messages("byte x; init { a: goto b; b: x = 1 - x; goto a }"), [""; 0]);
}

#[test]
fn circles_in_d_steps_and_trace_assertions() {
    let in_d_step = "these jumps lead in a circle and nothing is ever done";
    let text =
        "byte x; init { d_step { if :: x == 1 -> goto a :: x == 2 -> goto b :: else fi;\na: goto b;\nb: goto a } }";
    assert_eq!(messages(text), [format!("2:4 {in_d_step}")]);
    let text = "chan q = [1] of { byte }; init { q!1 }\ntrace { q!1; L: goto L }";
    assert_eq!(messages(text), ["2:17 these jumps lead in a circle"]);
}

#[test]
fn one_error_for_a_number_of_processes_that_is_not_possible() {
    assert_eq!(messages("active [300] proctype P() { skip }"), ["1:1 there cannot be 300 instances"]);
    assert_eq!(messages("byte n; active [n] proctype P() { skip }"), ["1:17 a constant is needed here"]);
    assert_eq!(messages("active [0] proctype P() { skip }"), ["1:21 the model starts no process"]);
}

#[test]
fn the_initial_value_of_a_struct_is_ignored_wherever_it_is_declared() {
    let typedef = "typedef T { byte a };\n";
    for (text, column) in
        [("T t = 1; init { skip }", 3), ("init { T t = 1; skip }", 10), ("init { skip; T t = 1 }", 16)]
    {
        let (network, warnings) = lowered(&format!("{typedef}{text}"), LowerOptions::default());
        assert_eq!(warnings, [format!("2:{column} the initial value of a struct is ignored, as SPIN does")]);
        let network = network.unwrap();
        assert!(network.initialisers.is_empty() && network.templates[0].initialisers.is_empty());
        assert!(
            network.edges.iter().all(|e| e.destinations[0].actions.iter().all(|a| !matches!(a, Action::Assign { .. })))
        );
    }
}

#[test]
fn global_and_local_declarations_mean_the_same() {
    let declarations = "byte a[3] = {1, 2}; int b = 7; chan c[2] = [1] of { byte }; T t[2];";
    let typedef = "typedef T { byte x; chan d = [2] of { bit } };";
    let global = lowered(&format!("{typedef} {declarations} init {{ skip }}"), LowerOptions::default()).0.unwrap();
    let local = lowered(&format!("{typedef} init {{ {declarations} skip }}"), LowerOptions::default()).0.unwrap();
    let template = &local.templates[0];
    assert_eq!(global.initialisers.len(), template.initialisers.len());
    let names =
        |variables: &[bughound_ir::types::Variable]| variables.iter().map(|v| v.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&global.variables), names(&template.variables));
    let shapes = |channels: &[bughound_ir::types::Channel]| {
        channels.iter().map(|c| (c.name.clone(), c.capacity, c.fields.clone())).collect::<Vec<_>>()
    };
    assert_eq!(shapes(&global.channels), shapes(&template.channels));
}

#[test]
fn constants_that_do_not_fit() {
    let text = "mtype = { m }; byte x = 300, y[2] = {1, 256}; int z = 300; unsigned u : 3 = 8;\n\
                proctype P(byte p) { short s = 40000; p = 2 * 128; p = 255; skip; bit b = 2; z = p }\n\
                init { x = -1; run P(1) }";
    let (network, none) = lowered(text, LowerOptions::default());
    assert!(network.is_some() && none.is_empty(), "{none:?}");
    let (network, warnings) = lowered(text, LowerOptions { warn_truncation: true, ..LowerOptions::default() });
    assert!(network.is_some());
    let expected = [
        "1:21 the value 300 does not fit the type `byte`",
        "1:30 the value 256 does not fit the type `byte`",
        "1:69 the value 8 does not fit the type `unsigned:3`",
        "2:28 the value 40000 does not fit the type `short`",
        "2:39 the value 256 does not fit the type `byte`",
        "2:71 the value 2 does not fit the type `bit`",
        "3:8 the value -1 does not fit the type `byte`",
    ];
    assert_eq!(warnings, expected);
}

#[test]
fn guesses_at_misspelt_names_are_for_names_that_people_type() {
    let help = |declared: &str, used: &str| {
        let mut sources = SourceMap::default();
        let no_files = |_: &Path| Err(io::Error::from(io::ErrorKind::NotFound));
        let text = format!("byte {declared}; init {{ {used} = 1 }}");
        let parsed = parse(&mut sources, "test.pml", text.as_bytes(), &Options::default(), &no_files);
        let result = lower(&parsed.ast.unwrap(), &sources, LowerOptions::default());
        result.diagnostics[0].help.clone()
    };
    assert_eq!(help("counter", "conuter"), Some("did you mean `counter`?".to_string()));
    assert_eq!(help("counter", "xyz"), None);
    let long = "a".repeat(20_000);
    assert_eq!(help(&long, &format!("{long}b")), None);
}

#[test]
fn what_spin_refuses_and_we_do_not_is_warned_about() {
    let warns = |text: &str, expected: &[&str]| {
        let (network, warnings) = lowered(text, LowerOptions::default());
        assert!(network.is_some(), "{text}: {warnings:?}");
        assert_eq!(warnings, expected, "{text}");
    };
    // A clause about the process itself. Without its clause, SPIN's verifier takes all steps.
    let local = "1:38 a `provided` clause looks at a parameter or a local variable";
    warns("byte x; proctype P(byte k) provided (x != k) { x = k } init { run P(1) }", &[local]);
    warns("byte x; active proctype P() provided (x != _pid) { x = 2 }", &[]);
    // One variable in several fields.
    let channel = "chan c = [1] of { byte, byte }; byte a, b[2];";
    let twice = |name: &str| format!("one variable takes several fields of a message (`{name}`)");
    warns(&format!("{channel} init {{ c!1,2; c?a,a }}"), &[&format!("1:61 {}", twice("a"))]);
    warns(&format!("{channel} init {{ c!1,2; c?b[a],b[a] }}"), &[&format!("1:61 {}", twice("b"))]);
    warns(&format!("{channel} init {{ c!1,2; c?b[0],b[1]; c?_,_; c?1,1; c?eval(a),eval(a); c?[a,a] }}"), &[]);
    // One mtype for another.
    let types = "mtype:fruit = { apple }; mtype:nut = { almond }; mtype:fruit f; mtype:nut n; byte k;\n";
    let mixed = |at: &str| format!("{at} a value of `mtype:nut` where one of `mtype:fruit` is expected");
    warns(&format!("{types}init {{ f = almond }}"), &[&mixed("2:12")]);
    warns(&format!("{types}init {{ f = n }}"), &[&mixed("2:12")]);
    warns(&format!("{types}init {{ k == 1 && f == almond && k == 2 }}"), &[&mixed("2:23")]);
    warns(
        &format!("{types}mtype:fruit g = almond; init {{ mtype:fruit h = almond }}"),
        &[&mixed("2:17"), &mixed("2:48")],
    );
    warns(
        &format!("{types}proctype P(byte i; mtype:fruit g) {{ skip }} init {{ run P(1, almond) }}"),
        &[&mixed("2:60")],
    );
    warns(
        &format!(
            "{types}chan c = [1] of {{ byte, mtype:fruit }}; init {{ c!1,almond; c?1,n; c?_,eval(almond); c?[1,n] }}"
        ),
        &[&mixed("2:51"), &mixed("2:63"), &mixed("2:75"), &mixed("2:89")],
    );
    warns(&format!("{types}init {{ f = apple; n = almond; k = almond; k == apple; f == apple }}"), &[]);
    warns(
        "mtype = { red }; mtype:nut = { almond }; mtype m; init { m = almond }",
        &["1:62 a value of `mtype:nut` where one of `mtype` is expected"],
    );
    // Jumps across the border of a d_step.
    let (network, errors) = lowered("byte x; init { goto L; d_step { x = 1; L: x = 2 } }", LowerOptions::default());
    assert!(network.is_none());
    assert_eq!(errors, ["1:16 a jump into the middle of a `d_step`"]);
    warns("byte x; init { L: x = 3; d_step { x = 1; goto L } }", &["1:42 a jump out of a `d_step`"]);
    warns("byte x; init { do :: d_step { x = 1; break } od }", &["1:38 a jump out of a `d_step`"]);
    warns("byte x; init { L: d_step { do :: x++; M: x++ :: x > 4 -> break :: goto M od }; goto L }", &[]);
    // Labels inside of what they should stand before.
    let label = |at: &str| format!("{at} label `L` is placed where SPIN allows none");
    warns("init { { L: skip } }", &[&label("1:10")]);
    warns("init { atomic { L: skip } }", &[&label("1:17")]);
    warns("init { d_step { L: skip } }", &[&label("1:17")]);
    warns("init { if :: skip :: L: skip fi }", &[&label("1:22")]);
    warns("init { do :: L: break od }", &[&label("1:14")]);
    warns("inline f() { L: skip } init { f() }", &[&label("1:14")]);
    warns("init { L: skip unless skip }", &[&label("1:8")]);
    warns("init { skip unless { L: skip } }", &[&label("1:22")]);
    warns("byte i; init { L: { skip; M: skip } unless { skip }; for (i : 1 .. 2) { N: skip }; O: }", &[]);
}

#[test]
fn a_process_that_is_never_of_a_type_is_warned_about() {
    let warnings = |text: &str| lowered(text, LowerOptions::default()).1;
    let two = "byte x; active proctype A() { byte v; L: x = 1 } active [2] proctype B() { skip }\n";
    let of = |rest: &str| warnings(&format!("{two}{rest}"));
    assert_eq!(of("init { A[1]@L }"), ["2:10 process 1 is never of type `A`"]);
    assert_eq!(of("init { A[7]:v == 1 }"), ["2:10 process 7 is never of type `A`"]);
    assert_eq!(of("ltl p { [] !A[-1]@L }"), ["2:15 process -1 is never of type `A`"]);
    assert!(of("init { A[0]@L; A[x]@L; A@L }").is_empty());
    assert!(of("init { run A(); A[4]:v == 1 }").is_empty());
}

#[test]
fn misspelt_words_are_guessed() {
    let error = |text: &str| {
        let mut sources = SourceMap::default();
        let no_files = |_: &Path| Err(io::Error::from(io::ErrorKind::NotFound));
        let parsed = parse(&mut sources, "test.pml", text.as_bytes(), &Options::default(), &no_files);
        let mut diagnostics = parsed.diagnostics;
        if let Some(ast) = parsed.ast.filter(|_| diagnostics.is_empty()) {
            diagnostics = lower(&ast, &sources, LowerOptions::default()).diagnostics;
        }
        format!("{} {}", diagnostics[0].message, diagnostics[0].help.clone().unwrap_or_default())
    };
    let guess = |text: &str, word: &str| {
        let error = error(text);
        assert!(error.contains(&format!("did you mean `{word}`?")), "{text}: {error}");
    };
    guess("byte x; init { asert(x == 0) }", "assert");
    guess("byte x; init { prinft(\"a\") }", "printf");
    guess("inline wait(x) { x == 0 } byte x; init { wiat(x) }", "wait");
    guess("byte x; init { atomc { x = 1 } }", "atomic");
    guess("byte x; init { d_setp { x = 1 } }", "d_step");
    guess("init { L: skip; gto L }", "goto");
    guess("shrt x; init { skip }", "short");
    guess("typedef Pair { byte a, b }; Piar p; init { skip }", "Pair");
    guess("init { skp }", "skip");
    guess("byte x; init { do :: x++ :: brake od }", "break");
    guess("active proctype P() { label: skip } init { P@lable }", "label");
    guess("active proctype P() { byte value } init { P:vlaue == 1 }", "value");
    guess("proctype Worker() { skip } init { run Woker() }", "Worker");
}
