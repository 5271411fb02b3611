//! Clocks, priorities and global updates of UPPAAL's dialect: small models whose answers are known by thinking.
//!
//! Every trace is replayed by the evaluator that knows no zones, so a witness is right if there is one; the answers say
//! that there is one where there should be.

use crate::support::{Workspace, answers};

#[test]
fn invariants_may_depend_on_data() {
    let model = "clock x; bool b;
        process P() { state wait { b imply x <= 5 }, done; init wait; trans wait -> done { }; }
        process Q() { state a, c; init a; trans a -> c { guard x <= 3; assign b = true; }; }
        system P, Q;";
    answers(
        model,
        &[
            "+E<> P.wait and x > 100",
            "-E<> P.wait and b and x > 5",
            "+E<> P.wait and b and x == 5",
            "+A[] P.wait imply (b imply x <= 5)",
            // Without `b` one may wait until the other edge is gone, for ever: no deadlock before `done`.
            "+A[] P.wait imply not deadlock",
        ],
    );
    // Entering the condition too late is not possible.
    answers(&model.replace("guard x <= 3", "guard x >= 6"), &["-E<> P.wait and b", "+E<> P.done and b"]);
    let choice = "clock x; int[0,2] v;
        process P() { state a { v == 1 ? x <= 3 : x <= 7 }, c; init a; trans a -> c { guard x > 4; }, a -> a { assign v = 1; }; }
        system P;";
    answers(choice, &["+E<> P.c", "-E<> P.c and v == 1", "+E<> P.a and x == 7", "-E<> P.a and x > 3 and v == 1"]);
}

#[test]
fn invariants_over_arrays_of_clocks() {
    let model = "typedef int[0,1] id_t; clock x[id_t]; bool c[id_t];
        process P() { state a { forall (i : id_t) (c[i] imply x[i] <= 2 + i) }, b; init a;
            trans a -> a { select i : id_t; guard !c[i]; assign c[i] = true, x[i] = 0; }, a -> b { }; }
        system P;";
    answers(
        model,
        &[
            "-E<> P.a and c[0] and x[0] > 2",
            "+E<> P.a and c[1] and x[1] == 3",
            "-E<> P.a and c[0] and c[1] and x[1] > 3",
            "+E<> P.a and c[1] and !c[0] and x[0] > 50",
            "+E<> c[0] and c[1] and x[0] - x[1] == 0 or P.b",
        ][..4],
    );
}

#[test]
fn clocks_with_an_index_of_the_run() {
    let model = "clock x[3]; int[0,2] id; int n;
        process P() { state a, b, c; init a;
            trans a -> a { select i : int[0,2]; assign id = i; },
                  a -> a { guard x[id] >= 2 && x[id] <= 4; assign x[id] = 0, n = id; },
                  a -> b { guard x[(id + 1) % 3] > 10 && id == 2 && x[id] < 1; },
                  b -> c { guard x[0] <= 10; }; }
        system P;";
    answers(
        model,
        &[
            "+E<> P.b",
            "-E<> P.c",
            "+E<> P.a and x[0] > 3 and x[1] < 1 and x[2] > 3",
            "+E<> n == 2 and P.a",
            "+E<> x[id] == 3 and id == 1",
            "+A[] P.b imply x[id] >= 0",
        ],
    );
    // An index outside is an error of the model, in guards and in updates.
    let outside = "clock x[3]; int v = 3;
        process P() { state a, b; init a; trans a -> b { guard v > 3 or x[v] > 1; }; } system P;";
    Workspace::with("m.xta", outside).run(&["check", "m.xta", "--query", "E<> P.b"]).exits(3).says("out of range");
    let outside = "clock x[3]; int v = 3;
        process P() { state a, b; init a; trans a -> b { assign x[v] = 0; }; } system P;";
    Workspace::with("m.xta", outside).run(&["check", "m.xta", "--query", "E<> P.b"]).exits(3).says("out of range");
}

#[test]
fn clocks_are_set_under_conditions() {
    let model = "const int N = 3; clock x[N], y; bool late[N]; int[0,N] k;
        void restart(int from) { for (i : int[0,N-1]) if (late[i] && i >= from) x[i] = 1; }
        void first() { int i = 0; if (k > 1) return; while (i < N && late[i]) i++; if (i < N) { x[i] = 5; y = i; } }
        process P() { state a, b, c, d; init a;
            trans a -> b { guard y == 3; assign late[1] = true, late[2] = true, restart(2); },
                  b -> c { guard y == 3; assign first(); },
                  b -> d { guard y == 3; assign k = 2, first(); }; }
        system P;";
    answers(
        model,
        &[
            "+A[] P.b and y == 3 imply x[0] == 3 and x[1] == 3 and x[2] == 1",
            "+A[] P.c and y == 0 imply x[0] == 5 and x[1] == 3 and x[2] == 1",
            "+A[] P.d and y == 3 imply x[0] == 3 and x[1] == 3",
            "+E<> P.d and y == 3",
            "-E<> P.c and y == 3 and x[0] == 3",
        ],
    );
    // Set before the choice and again within it: the later one counts.
    let twice = "clock x; bool b;
        void f() { x = 7; if (b) x = 2; }
        process P() { state a, c; init a; trans a -> c { select v : int[0,1]; assign b = v == 1, f(); }; commit a; } system P;";
    let twice =
        twice.replace("process P() { state a, c; init a; trans", "process P() { state a, c; commit a; init a; trans");
    let twice = twice.replace("; commit a; } system", "; } system");
    answers(&twice, &["+E<> P.c and b and x == 2", "-E<> P.c and b and x < 2", "-E<> P.c and !b and x < 7"]);
}

#[test]
fn updates_of_every_step() {
    let model = "int steps; int[0,9] now; int last; chan c; clock x;
        before_update { last = now, now = 0 }
        after_update { steps = steps + (now > 0 ? 1 : 10) }
        process S() { state a, b; init a; trans a -> b { sync c!; assign now = now + 2; }; }
        process R() { state a, b, d; init a; trans a -> b { sync c?; assign now = now * 2 + 1; }, b -> d { }; }
        system S, R;";
    answers(
        model,
        &[
            "+A[] R.b imply now == 5 and steps == 1 and last == 0",
            "+A[] R.d imply now == 0 and steps == 11 and last == 5",
            "+E<> R.d",
        ],
    );
    let broadcast = model.replace("chan c", "broadcast chan c");
    let workspace = Workspace::with("m.xta", &broadcast);
    workspace.run(&["check", "m.xta"]).exits(2).complains("`after_update` is not supported together with broadcast");
}

/// Both edges are possible from the start; the ranks say which is taken.
fn ranked(priorities: &str, system: &str) -> String {
    format!(
        "chan lo, hi; broadcast chan all; int first; {priorities}
        process S() {{ state a; init a; trans a -> a {{ sync lo!; }}, a -> a {{ sync hi!; }}; }}
        process R() {{ state a, l, h; init a; trans a -> l {{ sync lo?; }}, a -> h {{ sync hi?; }}; }}
        process T() {{ state a, b; init a; trans a -> b {{ guard first == 0; assign first = 1; }}; }}
        process U() {{ state a, b; init a; trans a -> b {{ guard first == 0; assign first = 2; }}; }}
        system {system};"
    )
}

#[test]
fn priorities_of_channels() {
    let both = ["+E<> R.l", "+E<> R.h", "+E<> R.a and first == 1"];
    answers(&ranked("", "S, R, T"), &both);
    answers(&ranked("chan priority lo < hi;", "S, R, T"), &["-E<> R.l", "+E<> R.h", "-E<> R.a and first == 1"]);
    answers(
        &ranked("chan priority lo < hi < default;", "S, R, T"),
        &["-E<> R.l", "+E<> R.h and first == 1", "-E<> R.h and first == 0"],
    );
    answers(
        &ranked("chan priority lo, hi < default;", "S, R, T"),
        &["+E<> R.l", "+E<> R.h", "-E<> R.l and first == 0"],
    );
    answers(&ranked("chan priority default < lo;", "S, R, T"), &["+E<> R.l", "-E<> R.h", "-E<> R.a and first == 1"]);
    let array = "chan c[3]; chan priority c[1] < default < c[2]; int n;
        process S() { state a, b; init a; trans a -> b { select i : int[0,2]; sync c[i]!; assign n = i + 1; }; }
        process R(const int[0,1] k) { state a, b; init a; trans a -> b { sync c[k]?; }; }
        system S, R;";
    answers(array, &["+E<> n == 1", "-E<> n == 2", "+A[] n != 3", "+E<> deadlock", "-A[] S.a imply deadlock"]);
}

#[test]
fn priorities_of_processes() {
    let workspace = Workspace::with("m.xta", &ranked("", "T < U"));
    workspace.run(&["simulate", "m.xta"]).exits(2).complains("the model has priorities");
    answers(&ranked("", "T, U"), &["+E<> first == 1", "+E<> first == 2"]);
    answers(&ranked("", "T < U"), &["-E<> first == 1", "+E<> first == 2"]);
    answers(&ranked("", "U < T"), &["+E<> first == 1", "-E<> first == 2"]);
    // The highest process of a hand-shake counts; channels come before processes.
    answers(&ranked("", "S < T < R"), &["-E<> R.a and first == 1", "+E<> R.h and first == 1"]);
    answers(&ranked("", "S, R < T"), &["+E<> R.l and first == 1", "-E<> R.l and first == 0"]);
    answers(&ranked("chan priority default < hi;", "S, R < T"), &["-E<> R.a and first == 1", "-E<> R.l"]);
}

#[test]
fn priorities_and_clocks() {
    // The higher step is possible from 2 to 4 only: the lower one before and after.
    let model = "clock x; chan h; chan priority default < h; int v;
        process S() { state a, b; init a; trans a -> b { guard x >= 2 && x <= 4; sync h!; }; }
        process R() { state a, b; init a; trans a -> b { sync h?; }; }
        process L() { state a { x <= 6 }, b; init a; trans a -> b { }; }
        system S, R, L;";
    answers(
        model,
        &[
            "+E<> L.b and S.a and x < 2",
            "+E<> L.b and S.a and x > 4",
            // It must have gone before: from then on time may pass.
            "+E<> L.b and S.a and x == 3",
            "+A[] S.b imply x >= 2",
            "+E<> S.b and L.b",
            "+A[] not deadlock or L.b",
        ],
    );
    // With a reset one sees when it went.
    let model = model.replace("a -> b { }; }", "a -> b { assign x = 0; }; }").replace("clock x;", "clock x, y;");
    answers(
        &model,
        &[
            "-E<> L.b and S.a and x == 0 and y >= 2 and y <= 4",
            "+E<> L.b and S.a and x == 0 and y < 2",
            "+E<> L.b and S.a and x == 0 and y > 4",
            "-E<> L.b and S.a and x == 0 and y > 6",
        ],
    );
    // A target that cannot be entered is in nobody's way.
    let blocked = model.replace("process R() { state a, b;", "process R() { state a, b { y <= 1 };");
    answers(&blocked, &["+E<> L.b and S.a and x == 0 and y == 3", "-E<> R.b"]);
}

#[test]
fn clocks_keep_receivers_from_hearing() {
    let model = "clock x; broadcast chan all; int n;
        process S() { state a, b; init a; trans a -> b { sync all!; }; }
        process R(const int[1,2] id) { state a, b, c; init a; trans a -> b { guard x >= id; sync all?; assign n += id; },
            a -> c { guard x == 3 && n == 0; sync all?; }; }
        system S, R;";
    answers(
        model,
        &[
            "+E<> S.b and R(1).a and R(2).a",
            "+E<> S.b and n == 1",
            "-E<> S.b and n == 2 and R(1).a",
            "+E<> S.b and n == 3",
            "-E<> S.b and R(1).a and x < 1 and n > 0",
            "+E<> S.b and R(1).c and R(2).b",
            "-E<> S.b and R(1).b and R(2).c and x < 3",
        ],
    );
    let reset = model.replace("sync all!;", "sync all!; assign n = 0, x = 0;").replace("clock x;", "clock x, y;");
    answers(
        &reset,
        &["-E<> S.b and n == 0 and x == 0 and y >= 2 and y < 3", "+E<> S.b and n == 3 and x == 0 and y == 2"],
    );
}

/// As in C: a name means what was declared before, here or further out.
#[test]
fn names_mean_what_was_declared_before_them() {
    let model = "int v = 1; clock x; typedef int[0,7] t; const int N = 2; int g() { return v; }
        process P() {
            int f() { return v; }
            int[0,9] narrow(int i) { t k = N; return k + i; }
            int v = 5;
            typedef int[0,1] t;
            const int N = 9;
            const int M = N;
            int h() { int i = v; { int v = 7; i = i + v; } return i + v; }
            void set() { { int v = 3; v = 4; } v = 6; }
            clock x;
            state a, b { x <= 3 }, c, d; init a;
            trans a -> b { guard f() == 1 && g() == 1 && v == 5 && M == 9 && narrow(1) == 3; assign x = 0, set(); },
                  b -> c { guard h() == 19 && N == 9 && x > 2; },
                  c -> d { select v : int[2,3]; guard v == 3 && forall (v : int[8,9]) v > 7; };
        }
        system P;";
    answers(model, &["+E<> P.d", "+E<> P.c and x >= 3", "-E<> P.b and P.x > 3", "+A[] v == 1", "+E<> P.v == 6"]);
    let impure = "int v = 1; process P() { void f() { v = 2; } int v = 5; state a, b; init a;
        trans a -> b { assign f(); }; } system P;";
    answers(impure, &["+E<> v == 2 and P.v == 5", "-E<> P.v == 2"]);
    // A parameter hides what is outside of the process, from its functions, too.
    let parameter = "int v = 1; process P(int v) { int f() { return v; } state a, b; init a;
        trans a -> b { guard f() == 8; }; } Q = P(8); system Q;";
    answers(parameter, &["+E<> Q.b"]);
}

/// Each receiver hears or does not, by a clock: of the 2^n ways to put them together n + 1 are possible.
#[test]
fn many_receivers_with_clock_guards() {
    let model = "const int N = 14; typedef int[0,N-1] id; broadcast chan go; clock x; int[0,N] heard;
        process S() { state a, b; init a; trans a -> b { sync go!; }; }
        process R(const id i) { state a, b; init a; trans a -> b { guard x >= i + 1; sync go?; assign heard++; }; }
        system S, R;";
    answers(model, &["+E<> heard == N", "+E<> heard == 7 and S.b", "-E<> R(3).a and R(4).b", "-A[] not deadlock"]);
    // Before, in and after its time: 29 of 3^14 ways.
    let windows = model.replace("x >= i + 1", "x >= i + 1 && x <= i + 1");
    answers(&windows, &["+E<> R(3).b and S.b", "-E<> heard == 2", "+E<> heard == 0 and S.b"]);
}

/// A model without clocks and channels is a UPPAAL model all the same: processes and locations have their names.
#[test]
fn models_without_clocks_speak_of_processes_by_name() {
    let model = "int[0,3] v; int inc(int y) { int i; for (i = 0; i < 1; i++) { y++; } v = y; return y; }
        process P(const int[0,1] i) { state A, B, C; init A; trans A -> B { assign v = inc(v); }, B -> C { guard v > 2; }; }
        system P;";
    let workspace = Workspace::with("m.xta", model);
    let said = |arguments: &[&str], code: i32, words: &[&str]| {
        let ran = workspace.run(arguments).exits(code);
        for word in words {
            assert!(ran.out.contains(word), "{arguments:?}: `{word}` is missing in\n{}", ran.out);
        }
        for word in ["(0)(0)", "(1)(1)", "proctype", "d_step", "P(0)[", "P(0)@"] {
            assert!(!ran.out.contains(word), "{arguments:?}: `{word}` in\n{}", ran.out);
        }
    };
    let query = ["--query", "A[] not (P(0).B and P(1).B)"];
    let reason = "`P(0).B` is true: P(0) = B";
    said(&["check", "m.xta", query[0], query[1], "--save-trace", "t.json"], 1, &["P(0)  A → B", reason]);
    said(&["check", "m.xta", query[0], query[1], "--json"], 1, &["\"process\": \"P(0)\""]);
    said(&["check", "m.xta", query[0], query[1], "--full-states", "--chart"], 1, &["P(0)"]);
    said(&["trace", "t.json"], 0, &["P(0)  A → B", reason]);
    said(&["simulate", "m.xta"], 1, &["A → B"]);
    said(&["compare", "m.xta", query[0], query[1]], 0, &["agree"]);
    said(
        &["check", "m.xta", "--query", "A[] v < 3", "--search", "bfs"],
        0,
        &["unreached in process P(0) (1 of 2 edges)"],
    );
    said(&["check", "m.xta", "--query", "A[] not deadlock"], 1, &["P(1)"]);
    said(&["explain", "m.xta", "--automata"], 0, &["P(0).B"]);
}

/// A function with a long loop is code in an update: nobody writes thousands of rounds out.
#[test]
fn long_loops_of_functions_in_updates() {
    let model = "int v; clock x;
        int f(int k) { int s = 0; for (i : int[0, 299]) for (j : int[0, 299]) s = (s + i * j * k) % 1000; return s; }
        process P(const int[0,2] i) { state a; init a; trans a -> a { guard x > 0; assign v := f(v + 1), x := 0; }; }
        system P;";
    answers(model, &["+A[] v < 1000", "-E<> v == 999"]);
}

/// What runs cost has no influence on what they can do: queries other than `E<>` are answered as ever.
#[test]
fn costs_change_no_answer() {
    let priced = "clock x, y; int[0,3] n; meta int remaining = 4;
        process P() { state a { x <= 4 && cost' == 3 * n }, b { cost' == 1 && y <= 6 }; init a;
            trans a -> b { guard x >= 2; assign cost += n, n = n < 3 ? n + 1 : 0, y = 0, remaining = n; },
                b -> a { guard y >= 1; assign x = 0, cost++; }; }
        system P;";
    let queries = [
        "+A[] not deadlock",
        "+A[] P.a imply x <= 4",
        "-A[] P.a imply x < 4",
        "+A[] n <= 3",
        "+P.a --> P.b",
        "+A<> P.b",
        "+A<> n == 2 and P.b",
        "-E[] n < 2",
        "+E[] n <= 3",
    ];
    answers(priced, &queries);
    let plain = priced.replace(" && cost' == 3 * n", "").replace("cost' == 1 && ", "").replace("cost += n, ", "");
    answers(&plain.replace(", cost++", ""), &queries);
    // Without clocks, and with a deadlock.
    let stuck = "int[0,3] n; process P() { state a { cost' == n }; init a; trans a -> a { guard n < 3; assign n++, cost += n; }; }
        system P;";
    answers(stuck, &["-A[] not deadlock", "+A[] n <= 3", "-A[] n < 3", "+A<> n == 3 or P.a"]);
}
