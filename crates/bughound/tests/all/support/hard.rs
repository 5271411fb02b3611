//! Inputs on which time runs out, one for every way to spend it: in every command, for every language, while a model is
//! read, a heuristic built, a state expanded, a cycle looked for, a trace replayed.

use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use super::Workspace;

pub struct Hard {
    pub name: &'static str,
    pub arguments: Vec<&'static str>,
    /// 4; 1 (or 0) if an error (or a state that was asked for) is known and only the search for a better way to it is cut
    /// off.
    pub code: i32,
}

fn hard(name: &'static str, arguments: &[&'static str]) -> Hard {
    Hard { name, arguments: arguments.to_vec(), code: 4 }
}

fn processes(template: &str, count: usize) -> String {
    let one = |i: usize| format!("P{i} = {template}({i});\n");
    let names: Vec<String> = (0..count).map(|i| format!("P{i}")).collect();
    format!("{}system {};\n", (0..count).map(one).collect::<String>(), names.join(", "))
}

/// A directory with all models of [`inputs`].
pub fn workspace() -> Workspace {
    let workspace = Workspace::new();
    // Everybody looks at everything: nothing is dead, and nothing can be left out.
    let counters = "byte x[8];\nactive [8] proctype P() { do :: x[0]+x[1]+x[2]+x[3]+x[4]+x[5]+x[6]+x[7] < 2040 -> x[_pid]++ :: else -> x[_pid] = 0 od }\n";
    workspace.write("huge.pml", &format!("{counters}active proctype W() {{ assert(x[0] < 300) }}\n"));
    workspace.write("live.pml", &format!("{counters}ltl p {{ [] (x[0] == 5 -> <> (x[0] < 300)) }}\n"));
    workspace.write(
        "atomic.pml",
        "byte a, b; int n;\nactive proctype P() { do :: atomic { n++; assert(n != -1); a = 0; b = 0; do :: a < 255 -> a++ :: b < 255 -> b++ :: a + b > 500 -> break od } od }\n",
    );
    workspace.write(
        "dstep.pml",
        "int n; active [3] proctype P() { int i; do :: d_step { i = 0; do :: i < 900000 -> i++ :: else -> break od; n++; assert(n != -1) } od }\n",
    );
    workspace.write(
        "long.pml",
        "int n; active proctype P() { do :: n < 900000 -> n++ :: else -> break od; assert(false) }\n",
    );
    workspace.write(
        "run.pml",
        "byte x; proctype P() { do :: x < 255 -> x++ :: x > 0 -> x-- od }\nactive proctype S() { byte i; do :: i < 200 -> run P(); i++ :: else -> break od }\n",
    );
    let counted = "byte n;\nactive proctype W() { do :: n < 200 -> n++ :: else -> break od; assert(false) }\n";
    workspace.write("deep.pml", &format!("{counters}{counted}"));
    let receiver = "process R(const int i) { clock x; state a, c; init a; trans a -> c { sync b?; }, a -> a { sync b?; assign x := 0; }, c -> a { sync b?; }, c -> c { sync b?; assign x := 0; }; }\n";
    let sender = "broadcast chan b;\nprocess S() { state a; init a; trans a -> a { sync b!; }; }\n";
    let team = processes("R", 26).replace("system ", "T = S();\nsystem T, ");
    workspace.write("broadcast.xta", &format!("{sender}{receiver}{team}"));
    let cell = "int[0,255] v[8];\nprocess C(const int i) { clock c; state a; init a; trans a -> a { guard c >= 1; assign v[i] := (v[i] + 1) % 256, c := 0; }; }\n";
    workspace.write("cells.xta", &format!("{cell}{}", processes("C", 8)));
    let loops = "int f(int k) { int s = 0; for (i : int[0, 299]) for (j : int[0, 299]) s = (s + i * j * k) % 1000; return s; }\n";
    workspace.write(
        "function.xta",
        &format!("int v, n; clock x;\n{loops}process P(const int i) {{ state a; init a; trans a -> a {{ guard x > 0; assign v := f(v + 1), n := (n + 1) % 30000, x := 0; }}; }}\n{}", processes("P", 3)),
    );
    for model in ["fischer", "csma_cd"] {
        let path = format!("{}/../../models/timed/{model}.xta", env!("CARGO_MANIFEST_DIR"));
        workspace.write(&format!("{model}.xta"), &std::fs::read_to_string(path).unwrap());
        workspace.write(&format!("{model}.q"), "A[] not deadlock\n");
    }
    // Traces to be replayed and improved.
    let found = workspace.run(&["check", "deep.pml", "assertion", "--search", "dfs", "--save-trace", "deep.json"]);
    assert_eq!(found.code, 1, "{}{}", found.out, found.err);
    workspace
}

pub fn inputs() -> Vec<Hard> {
    vec![
        hard("breadth first", &["check", "huge.pml", "--search", "bfs"]),
        hard("depth first", &["check", "huge.pml", "--search", "dfs"]),
        hard("the default search", &["check", "huge.pml"]),
        hard("guided", &["check", "huge.pml", "--search", "guided"]),
        hard("a pattern database", &["check", "huge.pml", "--search", "astar(h=pdb)"]),
        hard("merge and shrink", &["check", "huge.pml", "--search", "astar(h=merge-and-shrink)"]),
        hard("a relaxation", &["check", "huge.pml", "--search", "astar(h=hmax)"]),
        hard("iterative deepening", &["check", "huge.pml", "--search", "iterative-deepening"]),
        hard("random walks", &["check", "huge.pml", "--search", "random-walk(walks=1000000000)"]),
        hard("bit states", &["check", "huge.pml", "--search", "bitstate-dfs"]),
        hard("connected steps", &["check", "huge.pml", "--search", "ce"]),
        hard("a formula", &["check", "live.pml"]),
        hard("nested searches with fairness", &["check", "live.pml", "--fair", "weak", "--search", "nested-dfs"]),
        hard("a shortest lasso", &["check", "live.pml", "--search", "shortest-lasso"]),
        hard("recorded lassos", &["check", "live.pml", "--search", "bfs"]),
        hard("a chain inside atomic", &["check", "atomic.pml"]),
        hard("loops inside d_step", &["check", "dstep.pml"]),
        hard("a trace to be replayed", &["check", "long.pml", "--search", "dfs", "--json"]),
        hard("many processes", &["check", "run.pml", "--json"]),
        Hard { code: 1, ..hard("a trace to be improved", &["check", "deep.pml", "--improve", "deep.json"]) },
        hard("several searches", &["compare", "huge.pml"]),
        hard("all states", &["explore", "huge.pml"]),
        hard("a random run", &["simulate", "huge.pml", "--steps", "1000000"]),
        hard("a broadcast", &["check", "broadcast.xta", "--query", "A[] not deadlock"]),
        hard("extreme values", &["check", "cells.xta", "--query", "sup: v[0], v[7]", "--json"]),
        Hard {
            code: 0,
            ..hard("a fastest run", &["check", "cells.xta", "--query", "E<> v[0] == 255 and v[7] == 255", "--fastest"])
        },
        hard("long functions", &["check", "function.xta", "--query", "A[] v < 2000"]),
        hard("zones", &["check", "fischer.xta", "-D", "N=12"]),
        hard("deadlocks of zones", &["check", "csma_cd.xta", "-D", "N=12", "--query", "A[] not deadlock"]),
        hard("several searches over zones", &["compare", "fischer.xta", "-D", "N=12", "--query", "A[] not deadlock"]),
        hard("all zones", &["explore", "cells.xta"]),
    ]
}

/// Starts the program.
pub fn start(workspace: &Workspace, arguments: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_bughound"))
        .args(arguments)
        .current_dir(workspace.directory.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Waits for the end, at most so long; how long it took, the exit status, both outputs.
pub fn finish(mut child: Child, most: Duration) -> (Duration, Option<ExitStatus>, String, String) {
    let started = Instant::now();
    let read = |mut stream: Box<dyn std::io::Read + Send>| {
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            stream.read_to_end(&mut bytes).ok();
            String::from_utf8_lossy(&bytes).into_owned()
        })
    };
    let out = read(Box::new(child.stdout.take().unwrap()));
    let err = read(Box::new(child.stderr.take().unwrap()));
    let mut status = None;
    while status.is_none() && started.elapsed() < most {
        std::thread::sleep(Duration::from_millis(5));
        status = child.try_wait().unwrap();
    }
    let took = started.elapsed();
    if status.is_none() {
        child.kill().unwrap();
        child.wait().unwrap();
    }
    (took, status, out.join().unwrap(), err.join().unwrap())
}

/// Runs an input under a time limit, and panics unless it ends in time as it should, with JSON where that was asked for.
pub fn run_for(workspace: &Workspace, input: &Hard, limit: &str, most: Duration) -> Duration {
    let arguments = [&input.arguments[..], &["--max-time", limit, "--no-progress"]].concat();
    let (took, status, out, err) = finish(start(workspace, &arguments), most);
    let about = || format!("{}: {arguments:?}\n--- out\n{out}\n--- err\n{err}", input.name);
    let Some(status) = status else { panic!("still running after {took:?}: {}", about()) };
    assert_eq!(status.code(), Some(input.code), "{}", about());
    if arguments.contains(&"--json") {
        let document: serde_json::Value = serde_json::from_str(&out).unwrap_or_else(|e| panic!("{e}: {}", about()));
        assert_eq!((&document["exit_code"], &document["verdict"]), (&4.into(), &"limit".into()), "{}", about());
    }
    assert!(input.code != 4 || out.contains("limit"), "{}", about());
    took
}
