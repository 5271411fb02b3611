//! Broken and nasty inputs through the binary.
//!
//! Whatever the input: an exit code that says what it was, a message that names the problem and its place, an end
//! within the time limit and within bounded memory, no panic, no death by a signal.

use std::fmt::Write as _;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// Address space of a run, in kB.
const MEMORY: u64 = 4_000_000;
/// Far more than any of these runs needs on a busy machine.
const TIME: Duration = Duration::from_secs(120);

struct Ran {
    code: Option<i32>,
    /// Standard output and standard error.
    text: String,
}

fn reader(stream: impl Read + Send + 'static) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        std::io::BufReader::new(stream).read_to_end(&mut bytes).unwrap();
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

fn wait(child: &mut Child, about: &str) -> Option<i32> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code();
        }
        if start.elapsed() > TIME {
            child.kill().unwrap();
            panic!("{about}: no end within {TIME:?}");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Runs the binary in `folder` with bounded memory. Any panic or signal fails the test.
#[track_caller]
fn bughound(folder: &Path, arguments: &[&str]) -> Ran {
    let about = format!("bughound {}", arguments.join(" "));
    let script = format!("ulimit -v {MEMORY} && exec \"$0\" \"$@\"");
    let mut child = Command::new("sh")
        .args(["-c", &script, env!("CARGO_BIN_EXE_bughound")])
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let readers = (reader(child.stdout.take().unwrap()), reader(child.stderr.take().unwrap()));
    let code = wait(&mut child, &about);
    let text = readers.0.join().unwrap() + &readers.1.join().unwrap();
    let start: String = text.chars().take(2_000).collect();
    assert!(!text.contains("panicked"), "{about}\n{start}");
    assert!(code.is_some(), "{about}: ended by a signal\n{start}");
    Ran { code, text }
}

impl Ran {
    #[track_caller]
    fn expect(self, about: &str, code: i32, words: &[&str]) {
        let start: String = self.text.chars().take(2_000).collect();
        assert_eq!(self.code, Some(code), "{about}\n{start}");
        for word in words {
            assert!(self.text.contains(word), "{about}: `{word}` is missing in\n{start}");
        }
    }
}

/// Checks a model with the given bytes, named `m.pml`.
#[track_caller]
fn check_bytes(bytes: &[u8], options: &[&str], code: i32, words: &[&str]) {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("m.pml"), bytes).unwrap();
    let arguments = [&["check", "--no-progress"], options, &["m.pml"]].concat();
    let about: String = String::from_utf8_lossy(bytes).chars().take(200).collect();
    bughound(folder.path(), &arguments).expect(&about, code, words);
}

#[track_caller]
fn rejected(model: &str, words: &[&str]) {
    check_bytes(model.as_bytes(), &[], 2, words);
}

#[track_caller]
fn violated(model: &str, words: &[&str]) {
    check_bytes(model.as_bytes(), &[], 1, words);
}

#[track_caller]
fn accepted(model: &str) {
    check_bytes(model.as_bytes(), &[], 0, &["holds", "complete"]);
}

/// A command on a harmless model `ok.pml`.
#[track_caller]
fn command(arguments: &[&str], code: i32, words: &[&str]) {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("ok.pml"), "byte x; init { x = 1; assert(x == 1) }").unwrap();
    bughound(folder.path(), arguments).expect(&arguments.join(" "), code, words);
}

#[test]
fn syntax_errors() {
    rejected("active proctype P() {\n skip", &["expected `}`", "m.pml:2:"]);
    rejected("active proctype P() {\n byte x x = 1 }", &["expected `;`", "m.pml:2:"]);
    rejected("active proctype P() { assert((1 == 1) }", &["expected `)`", "m.pml:1:"]);
    rejected("init {\n\n if skip fi }", &["m.pml:3:", "`::`"]);
    rejected("init { x = = 1 }", &["m.pml:1:", "expected"]);
    rejected("proctype { skip }", &["m.pml:1:", "expected"]);
    rejected("@ init { skip }", &["m.pml:1:1", "`@`"]);
    rejected("init { do :: skip fi }", &["m.pml:1:", "`fi`"]);
    rejected("byte a[3;\ninit { skip }", &["m.pml:1:", "`]`"]);
    rejected("chan c = [2] of byte;\ninit { skip }", &["m.pml:1:", "`{`"]);
    rejected("int x = 99999999999999999999; init { skip }", &["m.pml:1:9", "too large"]);
    rejected("ltl p { [] ( }\ninit { skip }", &["m.pml:1:", "expected an expression"]);
    rejected("init { skip }\n/* no end", &["comment has no end", "m.pml:2:1"]);
    rejected("init { printf(\"abc }", &["string has no end", "m.pml:1:15"]);
    rejected("init { printf('a }", &["character constant", "m.pml:1:15"]);
}

#[test]
fn models_without_processes() {
    rejected("", &["starts no process"]);
    rejected("   \n\t\n", &["starts no process"]);
    rejected("byte x;", &["starts no process"]);
    rejected("proctype P() { skip }", &["starts no process"]);
}

#[test]
fn names() {
    rejected("active proctype P() { x = 1 }", &["`x` is not declared", "m.pml:1:23"]);
    rejected("init { run Q() }", &["no proctype `Q`", "m.pml:1:12"]);
    rejected("byte x; int x; init { skip }", &["`x` is declared twice", "m.pml:1:13"]);
    rejected("init { byte x; int x; skip }", &["`x` is declared twice"]);
    rejected("proctype P() { skip } proctype P() { skip } init { skip }", &["`P` is declared twice"]);
    rejected("init { skip } init { skip }", &["init"]);
    rejected("typedef T { T t }; T x; init { skip }", &["unknown type `T`", "m.pml:1:13"]);
    let long = "a".repeat(1_000_000);
    accepted(&format!("int {long};\ninit {{ {long} = 1 }}"));
    rejected(&format!("init {{ {long} = 1 }}"), &["is not declared"]);
}

#[test]
fn types() {
    rejected("typedef T { byte a }; T t; init { t = 1 }", &["`t` is a struct", "m.pml:1:35"]);
    rejected("typedef T { byte a }; T t; init { t.b = 1 }", &["no field `b`", "m.pml:1:37"]);
    rejected("byte x; init { x.a = 1 }", &["no field `a`"]);
    rejected("byte x; init { x[1] = 1 }", &["not an array"]);
    rejected("mtype = { a }; init { a = 1 }", &["cannot be assigned"]);
    rejected("proctype P(byte x) { skip }\ninit { run P() }", &["1 parameter", "m.pml:2:8"]);
    rejected("proctype P(byte x) { skip }\ninit { run P(1, 2) }", &["1 parameter", "m.pml:2:8"]);
    rejected("inline f(a) { skip }\ninit { f() }", &["`f`", "m.pml:2:8"]);
    rejected("init { if :: else :: else fi }", &["more than one `else`"]);
}

#[test]
fn sizes() {
    for size in ["0", "-1", "65536", "2000000000"] {
        rejected(&format!("byte a[{size}];\ninit {{ a[0] = 1 }}"), &[&format!("{size} elements"), "m.pml:1:"]);
    }
    for width in ["0", "33"] {
        rejected(&format!("unsigned x : {width};\ninit {{ x = 1 }}"), &[&format!("{width} bits"), "m.pml:1:14"]);
    }
    for capacity in ["-1", "1000000000"] {
        let model = format!("chan c = [{capacity}] of {{ byte }};\ninit {{ c!1 }}");
        rejected(&model, &[&format!("{capacity} messages"), "m.pml:1:11"]);
    }
    rejected("active [300] proctype P() { skip }", &["300 instances", "255", "m.pml:1:1"]);
    rejected("active [-1] proctype P() { skip }", &["-1 instances", "m.pml:1:"]);
}

#[test]
fn labels_and_jumps() {
    rejected("init { a: skip; a: skip }", &["label `a` is used twice", "m.pml:1:17"]);
    rejected("init { goto nowhere }", &["no label `nowhere`", "m.pml:1:13"]);
    rejected("init { break }", &["`break` outside of a loop", "m.pml:1:8"]);
    rejected("a: init { skip }", &["m.pml:1:1"]);
    accepted("byte x; init { a: x = 1 - x; goto b; b: goto a }");
}

/// SPIN refuses these ("confusing control structure"); what matters here is that they end.
#[test]
fn jumps_in_a_circle() {
    for model in
        ["init { a: goto b; b: goto a }", "init { a: goto a }", "init { do :: goto a; a: goto b; b: goto a od }"]
    {
        let folder = TempDir::new().unwrap();
        std::fs::write(folder.path().join("m.pml"), model).unwrap();
        let ran = bughound(folder.path(), &["check", "m.pml"]);
        assert!(matches!(ran.code, Some(0..=2)), "{model}\n{}", ran.text);
    }
}

#[test]
fn embedded_c_is_named() {
    for (model, word) in [
        ("init { c_code { x = 1; } }", "`c_code`"),
        ("init { c_expr { x } }", "`c_expr`"),
        ("c_decl { int x; }\ninit { skip }", "`c_decl`"),
        ("c_state \"int x\" \"Global\"\ninit { skip }", "`c_state`"),
        ("c_track \"&x\" \"sizeof(int)\"\ninit { skip }", "`c_track`"),
    ] {
        rejected(model, &[word, "not supported", "m.pml:1:"]);
    }
}

#[test]
fn preprocessor() {
    rejected("#include \"missing.pml\"\ninit { skip }", &["`missing.pml`", "m.pml:1:10"]);
    rejected("#include \"m.pml\"\ninit { skip }", &["includes itself", "m.pml:1:10"]);
    rejected("#if 1\ninit { skip }", &["no `#endif`", "m.pml:1:2"]);
    rejected("#endif\ninit { skip }", &["`#endif` without", "m.pml:1:2"]);
    rejected("#define\ninit { skip }", &["#define", "m.pml:1:2"]);
    rejected("#error stop here\ninit { skip }", &["stop here", "m.pml:1:2"]);
    rejected("#if 1 +\ninit { skip }\n#endif", &["m.pml:1:"]);
    rejected("#define F(a,b) a\ninit { assert(F(1)) }", &["`F`", "m.pml:2:"]);
    rejected("#define F(a) a\ninit { assert(F(1 }", &["m.pml:2:"]);
}

#[test]
fn include_cycle_through_another_file() {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("a.pml"), "#include \"b.pml\"\ninit { skip }").unwrap();
    std::fs::write(folder.path().join("b.pml"), "#include \"a.pml\"\n").unwrap();
    bughound(folder.path(), &["check", "a.pml"]).expect("cycle", 2, &["includes itself", "b.pml:1:10"]);
}

#[test]
fn recursion_and_bombs() {
    rejected("inline a() { b() }\ninline b() { a() }\ninit { a() }", &["inline `a` calls itself", "m.pml:2:14"]);
    // As in C, a macro is not replaced inside its own replacement.
    accepted("#define A B\n#define B A\nint A;\ninit { A = 1 }");
    accepted("#define f(x) f(x)\ninline f(x) { skip }\ninit { f(1) }");
    let mut bomb = "#define A0 1\n".to_string();
    for i in 1..60 {
        let _ = writeln!(bomb, "#define A{i} (A{0} + A{0})", i - 1);
    }
    rejected(&format!("{bomb}int x;\ninit {{ x = A59 }}"), &["too large", "m.pml:62:12"]);
    let mut bomb = "inline a0() { skip }\n".to_string();
    for i in 1..40 {
        let _ = writeln!(bomb, "inline a{i}() {{ a{0}(); a{0}() }}", i - 1);
    }
    rejected(&format!("{bomb}init {{ a39() }}"), &["m.pml:"]);
}

#[test]
fn deep_and_wide_texts() {
    let n = 10_000;
    let deep = ["nested too deeply", "m.pml:"];
    rejected(&format!("int x; init {{ x = {}1{} }}", "(".repeat(n), ")".repeat(n)), &deep);
    rejected(&format!("init {{ {}skip{} }}", "{ ".repeat(n), " }".repeat(n)), &deep);
    rejected(&format!("init {{ {}skip{} }}", "if :: ".repeat(n), " fi".repeat(n)), &deep);
    rejected(&format!("init {{ {}skip{} }}", "atomic { ".repeat(n), " }".repeat(n)), &deep);
    rejected(&format!("int x; init {{ x = {}1 }}", "!".repeat(10 * n)), &deep);
    rejected(&format!("byte x; ltl p {{ {}x }} init {{ skip }}", "[]".repeat(n)), &["m.pml:"]);
    accepted(&format!("{}init {{ skip }}{}", "#if 1\n".repeat(n), "\n#endif".repeat(n)));
    let sum = vec!["x"; 100_000].join("+");
    rejected(&format!("int x; init {{ x = {sum} }}"), &["too large", "m.pml:1:"]);
    accepted(&format!("byte x; init {{ {} }}", "x = 1 - x; ".repeat(20_000)));
}

#[test]
fn bytes_that_are_no_text() {
    check_bytes(b"init { skip\0 }\n", &[], 2, &["NUL byte", "m.pml:1:12"]);
    check_bytes(b"init { sk\xe9ip }\n", &[], 2, &["not valid UTF-8", "m.pml:1:10"]);
    // In a comment, any encoding will do.
    check_bytes(b"/* caf\xe9 */ init { skip }\n", &[], 0, &["holds"]);
    // Numbers from a linear congruence.
    let mut seed = 1_u32;
    let mut next = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 24) as u8
    };
    for length in [1, 10, 1_000, 100_000] {
        let bytes: Vec<u8> = (0..length).map(|_| next()).collect();
        check_bytes(&bytes, &[], 2, &["error"]);
    }
    let program = std::fs::read("/bin/sh").unwrap_or_else(|_| b"\x7fELF\x02\x01\x01\0\0\0".to_vec());
    check_bytes(&program, &[], 2, &["m.pml:1:"]);
    check_bytes(&b"/* 0123456789 */\n".repeat(3_000_000), &[], 2, &["m.pml", "larger than"]);
    // One long line of comments.
    check_bytes(&b"/**/".repeat(1_000_000), &[], 2, &["starts no process"]);
}

#[test]
fn comments_up_to_the_limit_for_files() {
    check_bytes(&b"/**/".repeat(3_500_000), &[], 2, &["starts no process"]);
}

#[test]
fn files() {
    command(&["check", "missing.pml"], 2, &["missing.pml", "no such file"]);
    command(&["explore", "."], 2, &["directory"]);
    let folder = TempDir::new().unwrap();
    std::fs::create_dir(folder.path().join("d.pml")).unwrap();
    for name in ["m.foo", "m", "m.xml", "m.prism", "m.jani"] {
        std::fs::write(folder.path().join(name), "init { skip }").unwrap();
    }
    bughound(folder.path(), &["check", "d.pml"]).expect("d.pml", 2, &["d.pml", "directory"]);
    std::fs::write(folder.path().join("m"), "what is this?").unwrap();
    bughound(folder.path(), &["check", "m.foo"]).expect("m.foo", 0, &["m.foo is read as Promela", "holds"]);
    bughound(folder.path(), &["check", "m"]).expect("m", 2, &["language", ".pml"]);
    bughound(folder.path(), &["check", "m.foo", "--language", "promela"]).expect("m.foo", 0, &["holds"]);
    bughound(folder.path(), &["check", "m.xml"]).expect("m.xml", 2, &["m.xml", "declaration"]);
    bughound(folder.path(), &["check", "m.prism"]).expect("m.prism", 2, &["m.prism:1", "expected"]);
    bughound(folder.path(), &["check", "m.jani"]).expect("m.jani", 2, &["m.jani:1", "well-formed JSON"]);
}

#[test]
fn options() {
    command(&["check", "-D1x", "ok.pml"], 2, &["-D", "NAME"]);
    command(&["check", "-D=3", "ok.pml"], 2, &["-D", "NAME"]);
    command(&["check", "--nosuch", "ok.pml"], 2, &["--nosuch"]);
    command(&["check"], 2, &["FILE"]);
    command(&["chekc", "ok.pml"], 2, &["chekc", "check"]);
    command(&[], 2, &["Usage"]);
    command(&["check", "ok.pml", "nosuch"], 2, &["`nosuch`", "deadlock, assertion"]);
    command(&["check", "--property", "liveness", "ok.pml"], 2, &["`liveness`"]);
    command(&["check", "--search", "bsf", "ok.pml"], 2, &["`bsf`", "bfs, dfs"]);
    command(&["check", "--search", "bfs(", "ok.pml"], 2, &["--search", "bfs("]);
    command(&["check", "--search", "bfs(x=3)", "ok.pml"], 2, &["no parameter `x`"]);
    command(&["check", "--search", &"bfs(".repeat(10_000), "ok.pml"], 2, &["--search"]);
    command(&["check", "--invariant", "x ==", "ok.pml"], 2, &["expected an expression", "--invariant:1:5"]);
    command(&["check", "--invariant", "y == 1", "ok.pml"], 2, &["`y` is not declared", "--invariant:1:1"]);
    command(&["check", "--max-states", "many", "ok.pml"], 2, &["--max-states"]);
    command(&["check", "--max-time", "3x", "ok.pml"], 2, &["--max-time"]);
    command(&["check", "--max-memory", "0", "ok.pml"], 2, &["--max-memory"]);
    command(&["check", "--max-depth", "1", "ok.pml"], 3, &["incomplete", "longer than 1"]);
    command(&["explore", "ok.pml", "--merge", "perhaps"], 2, &["--merge"]);
    command(&["trace", "ok.pml"], 2, &["ok.pml"]);
    command(&["trace", "missing.json"], 2, &["missing.json"]);
}

#[test]
fn endless_models_meet_their_limits() {
    let endless = b"int x; init { do :: x >= 0 -> x++ od }";
    check_bytes(endless, &["--max-states", "1000"], 4, &["limit on the number of states"]);
    check_bytes(endless, &["--max-time", "1s"], 4, &["time limit"]);
    check_bytes(endless, &["--max-memory", "20M"], 4, &["memory limit"]);
    check_bytes(endless, &["--max-depth", "100"], 3, &["longer than 100"]);
    check_bytes(endless, &["--search", "dfs", "--max-states", "1000"], 4, &["limit on the number of states"]);
    let forking = b"proctype P() { run P(); run P() } init { run P() }";
    check_bytes(forking, &["--max-states", "1000", "--exhaustive"], 4, &["limit on the number of states"]);
}

#[test]
fn endless_d_steps() {
    violated("byte x;\ninit { d_step { do :: x++ od } }", &["d_step does not end", "line 2"]);
}

/// Assertions are numbered within their step, and no number makes one something else.
#[test]
fn many_assertions_in_one_step() {
    let many: String = (0..40).map(|at| format!("assert(x != {at}); ")).collect();
    for at in [0, 24, 25, 26, 39] {
        let model = format!("byte x = {at}; init {{ d_step {{ {many} }} }}");
        violated(&model, &["violated after 1 step"]);
    }
}

/// Nobody waits for the end of a d_step that takes millions of statements; that is no error.
#[test]
fn d_steps_that_take_long() {
    let model = |most: &str| {
        format!("int x; init {{ d_step {{ do :: x < {most} -> x++ :: else -> break od }}; assert(x == {most}) }}")
    };
    check_bytes(model("100000").as_bytes(), &[], 0, &["holds"]);
    check_bytes(model("10000000").as_bytes(), &[], 3, &["not decided", "its end was not waited for"]);
    check_bytes(b"int x; init { d_step { do :: x++ od } }", &[], 3, &["its end was not waited for"]);
}

#[test]
fn a_loop_inside_atomic_ends_when_its_states_repeat() {
    check_bytes(b"byte x; init { atomic { do :: x++ od } }", &[], 0, &["holds"]);
}

#[test]
fn a_message_without_value_in_a_d_step_is_what_is_wrong_with_it() {
    // That nobody could take the message comes second, for the search and for whoever replays it.
    let model = |before: &str| {
        format!("int g; chan q = [0] of {{ int }}; active proctype P() {{ d_step {{ {before} q!(1 / g) }} }}")
    };
    violated(&model("skip;"), &["division by zero"]);
    violated(&model(""), &["division by zero"]);
    violated(&model("g = 1;"), &["rendezvous"]);
}

#[test]
fn an_endless_atomic_chain_is_given_up() {
    let endless = b"int x; init { atomic { do :: x >= 0 -> x++ od } }";
    check_bytes(endless, &[], 3, &["an atomic sequence can go on for ever, and what happens then was not looked at"]);
}

#[test]
fn trace_assertions() {
    rejected("chan c = [1] of { byte };\ntrace { skip }\ninit { c!1 }", &["only sends and receives", "m.pml:2:9"]);
    rejected("trace { c!1 }\ninit { skip }", &["`c` is not declared", "m.pml:1:9"]);
    let model = "chan c = [1] of { byte };\ntrace { do :: c!1; c?1 od }\ninit { c!1; c?_; c!2 }";
    violated(model, &["trace assertion does not allow", "line 3"]);
    let model = "chan c = [1] of { byte };\nnotrace { c!1; c?1 }\ninit { c!1; c?_ }";
    violated(model, &["notrace assertion to its end", "line 3"]);
}

#[test]
fn many_processes_and_large_arrays() {
    violated("active [255] proctype P() { false }", &["deadlock", "255 of 255"]);
    let run_too_many = "proctype P() { false }\ninit { byte i; do :: i < 200 -> run P(); i++ :: else -> run P() od }";
    violated(run_too_many, &["too many processes", "line 2"]);
    let large = b"byte a[60000]; active [3] proctype P() { byte l[60000]; do :: l[a[7]]++ od }";
    check_bytes(large, &["--max-states", "200"], 4, &["limit"]);
    accepted("chan c = [60000] of { byte };\ninit { c!1; c!2 }");
}

#[test]
fn evaluation_errors_are_violations() {
    violated("byte x;\ninit { x = 1 / x }", &["division by zero", "line 2"]);
    violated("byte x;\ninit { x = 1 % x }", &["division by zero", "line 2"]);
    violated("byte a[3]; byte i = 3;\ninit { a[i] = 1 }", &["index out of range", "line 2"]);
    violated("byte a[3]; int i = -1;\ninit { i = a[i] }", &["index out of range", "line 2"]);
    violated("chan c;\ninit { c!1 }", &["uninitialised channel", "line 2"]);
    violated("byte z; byte x = 1 / z; init { skip }", &["division by zero", "initial"]);
    violated("int x = -2147483648; int y = -1;\ninit { x = x / y; assert(x < 0); assert(false) }", &["line 2"]);
}
