//! The dialect of UPPAAL, feature by feature: small models whose answers are known by thinking.
//!
//! Every trace is replayed by the evaluator that knows no zones, so a witness is right if there is one; the answers say
//! that there is one where there should be.

use crate::support::{Workspace, answers};

#[test]
fn types_of_every_kind() {
    let model = "const int N = 3; const bool YES = true; const int table[N] = { 4, 5, 6 };
        typedef int[0,N-1] id_t; typedef struct { id_t who; bool busy; int[-2,2] level[2]; } slot_t;
        typedef scalar[2] token; typedef id_t pair[2];
        slot_t slots[2] = { { 0, false, { -1, 1 } }, { 2, true, { 0, 2 } } };
        pair p; int grid[2][id_t]; meta int scratch; token mine, yours; bool flag = YES;
        process P() { typedef int[1,2] local_t; local_t here = 2; const int K = N + 1; state a, b; init a;
            trans a -> b { assign slots[0] = slots[1], p[1] = slots[1].who, grid[1][2] = table[N - 1] + K, flag = !flag,
                scratch = here; }; }
        system P;";
    answers(
        model,
        &[
            "+A[] P.b imply slots[0] == slots[1] and slots[0].level[1] == 2 and p[1] == 2 and p[0] == 0",
            "+A[] P.b imply grid[1][2] == 10 and grid[0][2] == 0 and not flag and P.here == 2",
            "+A[] P.a imply slots[0].level[0] == -1 and slots[1].busy and mine == yours",
            "+A[] P.K == 4",
            "+E<> P.b",
        ],
    );
}

#[test]
fn operators_of_every_kind() {
    let model = "int a = 7, b = 3, c, d; bool t = true;
        process P() { state s, e; init s; trans s -> e { assign c = a >? b, d = a <? b, a += 2, b <<= 2, a = a % 4 | 8,
            c = t ? c++ * 2 : 0, d--, d = d ^ 3, b = (b & 12) >> 1, t = t && !(a < b || false); }; }
        system P;";
    answers(model, &["+A[] P.e imply a == 9 and b == 6 and c == 14 and d == 1 and t", "+E<> P.e"]);
    let quantified = "typedef int[0,3] id_t; int v[id_t] = { 1, 2, 3, 4 }; clock x;
        process P() { state a; init a; } system P;";
    answers(
        quantified,
        &[
            "+A[] forall (i : id_t) v[i] == i + 1",
            "+A[] exists (i : id_t) v[i] == 4 and not exists (i : id_t) v[i] == 5",
            "+A[] (sum (i : id_t) v[i]) == 10",
            "+A[] forall (i : id_t) forall (j : id_t) v[i] == v[j] imply i == j",
            "-E<> exists (i : id_t) (v[i] > 4 and x > i)",
            "+E<> forall (i : id_t) (x > v[i])",
        ],
    );
}

#[test]
fn functions_with_everything() {
    let model = "const int N = 4; typedef int[0,N-1] id_t; int data[N] = { 3, 1, 4, 2 }; int n; bool seen[N];
        void swap(int &a, int &b) { int t = a; a = b; b = t; }
        void sort(int &v[N]) { int i, j; for (i = 0; i < N; i++) for (j = 0; j < N - 1; j++)
            if (v[j] > v[j + 1]) swap(v[j], v[j + 1]); }
        bool all() { return forall (i : id_t) seen[i]; }
        int gcd(int a, int b) { while (b != 0) { int t = a % b; a = b; b = t; } return a; }
        int count(bool what) { int c; for (i : id_t) { if (seen[i] != what) { } else c++; } return c; }
        int down(int k) { do { k -= 2; } while (k > 0); return k; }
        process P() { state a, b; init a; trans
            a -> a { select i : id_t; guard !seen[i]; assign seen[i] = true, n = count(true); },
            a -> b { guard all(); assign sort(data), n = gcd(12 + data[1], 21) + down(5); }; }
        system P;";
    answers(
        model,
        &[
            "+E<> P.b",
            "+A[] P.b imply data[0] == 1 and data[1] == 2 and data[2] == 3 and data[3] == 4 and n == 6",
            "+A[] P.a imply n == sum (i : id_t) (seen[i] ? 1 : 0)",
        ],
    );
}

#[test]
fn channels_as_parameters_and_partial_instantiation() {
    let model = "const int N = 2; typedef int[0,N-1] id_t; chan go[N], stop; int log; clock x;
        process Sender(const id_t id, chan &out[N], int &count) { state a, b; init a;
            trans a -> b { sync out[id]!; assign count += id + 1; }; }
        process Receiver(chan &c, const int weight, const int &base) { state a, b; init a;
            trans a -> b { sync c?; assign log = log + weight * base; }; }
        int total; int factor = 3;
        S(const id_t id) = Sender(id, go, total);
        R0 = Receiver(go[0], 10, factor); R(const int[1,1] k) = Receiver(go[k], 100, factor);
        system S, R0, R;";
    answers(
        model,
        &[
            "+E<> S(0).b and S(1).b and R0.b and R(1).b",
            "+A[] (R0.b and R(1).b) imply (log == 330 and total == 3)",
            "+A[] S(0).b imply R0.b",
            "-E<> S(0).b and R(1).b and log == 30",
        ],
    );
}

#[test]
fn urgent_and_broadcast_channels() {
    let model = "clock x; urgent broadcast chan now; broadcast chan all; int heard;
        process S() { state a, b, c; init a; trans a -> b { sync now!; }, b -> c { guard x >= 2; sync all!; assign heard = 0; }; }
        process R(const int[1,3] id) { state a, b; init a; trans a -> b { guard id < 3; sync all?; assign heard += id; }; }
        system S, R;";
    answers(
        model,
        &[
            "-E<> S.a and x > 0",
            "+A[] S.c imply heard == 3 and R(1).b and R(2).b and R(3).a",
            "+E<> S.c",
            "+E<> S.b and x > 9",
        ],
    );
}

#[test]
fn committed_and_urgent_locations() {
    let model = "clock x; int v;
        process P() { state a, c, e; commit c; init a; trans a -> c { guard x >= 1; assign v = 1; }, c -> e { assign v = 2; }; }
        process Q() { state a, u, e; urgent u; init a; trans a -> u { }, u -> e { guard v != 1; }; }
        system P, Q;";
    answers(
        model,
        &[
            "+E<> P.c and Q.e and x > 5",
            "+E<> P.c and Q.u",
            "-E<> Q.u and x > 0 and P.a and v == 1",
            "+E<> Q.u and x > 3",
            "+A[] P.c imply v == 1",
            "-A[] not deadlock",
        ],
    );
}

#[test]
fn bounds_from_variables_and_constants() {
    let model = "const int D = 4; int[1,3] k = 2; clock x, y;
        process P() { state a { x <= D * k }, b; init a;
            trans a -> a { guard x == D * k && k < 3; assign k++, x = 0, y = k - 1; }, a -> b { guard y > D + k; }; }
        system P;";
    answers(model, &["+E<> P.b and k == 3", "+E<> P.a and x == 12", "-E<> P.a and x > 12", "+E<> y == 14"]);
}

#[test]
fn old_textual_syntax_and_comments() {
    let model = "const N 2; /* a comment */ int[0,N] n; clock x; chan c; // another
        process P { state a { x <= 3 }, b; init a; trans a -> b { guard x >= N, n == 0; sync c!; assign n := 1, x := 0; }; }
        process Q { state a, b; init a; trans a -> b { sync c?; }; }
        system P, Q;";
    answers(model, &["+E<> P.b and Q.b", "+A[] Q.b imply n == 1", "-E<> P.a and x > 3"]);
}

#[test]
fn branch_points_and_names_of_xml() {
    let workspace = Workspace::new();
    let label = |kind: &str, text: &str| format!("<label kind=\"{kind}\">{text}</label>");
    let model = format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?><nta><declaration>clock x; int v;</declaration>
        <template><name>T</name><parameter>const int[0,1] id</parameter>
        <location id=\"a\"><name>start</name>{}</location><location id=\"b\"><name>won</name></location>
        <location id=\"c\"/><branchpoint id=\"d\"/><init ref=\"a\"/>
        <transition><source ref=\"a\"/><target ref=\"d\"/>{}</transition>
        <transition><source ref=\"d\"/><target ref=\"b\"/>{}{}</transition>
        <transition><source ref=\"d\"/><target ref=\"c\"/>{}</transition></template>
        <system>system T;</system><queries>
        <query><formula>E&lt;&gt; T(1).won &amp;&amp; v == 5</formula><comment/><expect outcome=\"success\" type=\"quality\"/></query>
        <query><formula>A[] not T(0).won</formula><result outcome=\"failure\" type=\"quality\"/></query>
        </queries></nta>",
        label("invariant", "x &lt;= 4"),
        label("guard", "x &gt;= 2"),
        label("assignment", "v = 5"),
        label("probability", "3"),
        label("probability", "1"),
    );
    workspace.write("m.xml", &model);
    let ran = workspace.run(&["check", "m.xml", "--keep-going"]).exits(1).says("all 2 answers are as the file expects");
    assert!(!ran.out.contains("warning"), "{}", ran.out);
    let document = workspace.run(&["check", "m.xml", "--keep-going", "--json"]).json();
    assert_eq!(document["properties"][0]["expected"], "success");
    assert_eq!(document["properties"][0]["as_expected"], true);
    assert_eq!(document["properties"][1]["expected"], "failure");
    workspace.write("m.xml", &model.replace("outcome=\"success\"", "outcome=\"failure\""));
    let warning = "warning: `E<> T(1).won && v == 5` is satisfied, but the file expects it to be not satisfied";
    workspace.run(&["check", "m.xml", "--keep-going"]).exits(1).says(warning);
    // Of other kinds of answers nothing is said.
    workspace.write("m.xml", &model.replace("type=\"quality\"", "type=\"probability\""));
    let ran = workspace.run(&["check", "m.xml", "--keep-going"]).exits(1);
    assert!(!ran.out.contains("expects"), "{}", ran.out);
}

#[test]
fn deadlock_inside_of_conditions() {
    let model = "clock x; process P() { state a { x <= 3 }, b, c; init a; trans a -> b { guard x <= 2; }, b -> c { guard x == 5; }; }
        system P;";
    answers(
        model,
        &[
            "-A[] not deadlock",
            // Behind 2 there is no way out of `a`, behind 5 none out of `b`.
            "+E<> P.a and deadlock",
            "-E<> P.a and deadlock and x <= 2",
            "+E<> P.a and deadlock and x < 3",
            "+A[] P.a and x <= 2 imply not deadlock",
            "+A[] P.b and deadlock imply x > 5",
            "+E<> P.b and not deadlock and x == 5",
            "+A[] P.c imply deadlock",
            "-A[] P.b imply deadlock or x < 4",
        ],
    );
    let untimed = "int v; process P() { state a, b; init a; trans a -> b { guard v == 0; }, a -> a { assign v = 1; }; } system P;";
    answers(
        untimed,
        &[
            "+E<> deadlock and P.b",
            "-E<> deadlock and P.a",
            "+A[] P.a imply not deadlock",
            "-A[] P.b imply not deadlock",
        ],
    );
}

/// Sections that are only for other parts of UPPAAL are passed over.
#[test]
fn progress_and_gantt_are_passed_over() {
    let model = "int v; process P() { state a, b; init a; trans a -> b { }; } system P;
        progress { v; P.b : v; } gantt { G(i : int[0,1]): v > i -> 1; }";
    answers(model, &["+E<> P.b"]);
}
