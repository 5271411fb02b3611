//! What small models do, according to the reference evaluator.

use crate::common::{explore, lowered, network, slot, truths, values};
use bughound_ir::edge::Sync;
use bughound_ir::types::SignalKind;

/// A process that makes one step with this update.
fn one_update(declarations: &str, update: &str) -> String {
    format!("{declarations}\nprocess P() {{ state a, b; init a; trans a -> b {{ assign {update}; }}; }}\nsystem P;")
}

/// The last value of a variable after one update.
fn after(declarations: &str, update: &str, variable: &str) -> i32 {
    let network = network(&one_update(declarations, update));
    let (states, failures) = explore(&network);
    assert!(failures.is_empty(), "{failures:?}");
    states.last().unwrap().globals[slot(&network, variable)]
}

#[test]
fn hand_shakes_pair_one_sender_with_one_receiver_and_the_sender_acts_first() {
    let text = "chan c; int x; int y;
        process S() { state a, b; init a; trans a -> b { sync c!; assign x = 1; }; }
        process R(const int[1,2] id) { state a, b; init a; trans a -> b { sync c?; assign y = 10 * x + id; }; }
        system S, R;";
    let network = network(text);
    let (states, _) = explore(&network);
    assert_eq!(states.len(), 3);
    assert_eq!(values(&network, "y"), [0, 11, 12]);
    let names: Vec<&str> = network.templates.iter().map(|t| t.name.as_str()).collect();
    assert_eq!(names, ["S", "R(1)", "R(2)"]);
}

/// A choice at the beginning of the receiver's update is made when the sender has acted, like everything in it.
#[test]
fn choices_of_a_receiver_see_what_the_sender_did() {
    for kind in ["chan", "broadcast chan"] {
        for update in ["bump()", "v = bumped()", "v = v < 3 ? one() : two()"] {
            let text = format!(
                "{kind} c; int v = 2;
                void bump() {{ if (v < 3) v++; else v = 10; }}
                int bumped() {{ if (v < 3) return v + 1; return 10; }}
                int one() {{ int i = v; while (i < 3) i++; return i; }}
                int two() {{ int i = v; while (i < 10) i++; return i; }}
                process S() {{ state a, b; init a; trans a -> b {{ sync c!; assign {update}; }}; }}
                process R() {{ state a, b; init a; trans a -> b {{ sync c?; assign {update}; }}; }}
                system S, R;"
            );
            assert_eq!(values(&network(&text), "v"), [2, 10], "{text}");
        }
    }
}

#[test]
fn broadcasts_reach_everybody_who_can_hear_in_the_order_of_the_system_line() {
    let text = "broadcast chan c; int x;
        process S() { state a, b; init a; trans a -> b { sync c!; assign x = 1; }; }
        process R(const int[1,3] id) { state a, b; init a; trans a -> b { guard id != 2; sync c?; assign x = 10 * x + id; }; }
        system R, S;";
    assert_eq!(values(&network(text), "x"), [0, 113]);
    let alone = "broadcast chan c; int x;
        process S() { state a, b; init a; trans a -> b { sync c!; assign x = 1; }; }
        system S;";
    assert_eq!(values(&network(alone), "x"), [0, 1]);
}

#[test]
fn selections_choose_among_all_values() {
    let text = "typedef int[0,2] small; int x;
        process P() { state a, b; init a; trans a -> b { select i : small, j : int[4,5]; guard i != 1; assign x = 10 * i + j; }; }
        system P;";
    let network = network(text);
    assert_eq!(values(&network, "x"), [0, 4, 5, 24, 25]);
    assert!(network.edges.iter().any(|e| e.text.starts_with("i = 2; j = 5; ")), "{}", network.edges[0].text);
}

#[test]
fn channels_in_arrays_are_told_apart() {
    let text = "chan c[3]; int[0,2] which; int x;
        process S() { state a, b, d; init a; trans a -> b { select i : int[0,2]; assign which = i; }, b -> d { sync c[which]!; }; }
        process R(const int[0,2] id) { state a, b; init a; trans a -> b { sync c[id]?; assign x += id + 1; }; }
        system S, R;";
    assert_eq!(values(&network(text), "x"), [0, 1, 2, 3]);
}

#[test]
fn an_index_of_a_channel_that_is_out_of_range_is_a_model_error() {
    let text = "chan c[int[1,2]]; int v;
        process S() { state a, b; init a; trans a -> b { sync c[v]!; }; }
        process R(const int[1,2] i) { state a, b; init a; trans a -> b { sync c[i]?; }; }
        system S, R;";
    let (_, failures) = explore(&network(text));
    assert_eq!(failures.len(), 1);
    assert!(failures.iter().next().unwrap().contains("array index out of range"), "{failures:?}");
}

#[test]
fn functions_with_loops_and_effects() {
    let queue = "int[0,5] list[4]; int[0,4] len;
        void push(int[0,5] e) { list[len++] = e; }
        void pop() { int i = 0; len -= 1; while (i < len) { list[i] = list[i + 1]; i++; } list[i] = 0; }
        int total() { int s = 0; for (i : int[0,3]) s += list[i]; return s; }";
    let update = "push(3), push(4), push(5), pop(), push(1)";
    let result = |variable: &str| after(queue, update, variable);
    assert_eq!([result("list[0]"), result("list[1]"), result("list[2]"), result("list[3]")], [4, 5, 1, 0]);
    assert_eq!(result("len"), 3);
    assert_eq!(after(&format!("{queue} int t;"), &format!("{update}, t = total()"), "t"), 10);
}

#[test]
fn functions_in_guards_are_written_out() {
    let text = "int[0,3] v[3]; int[0,3] n; int found;
        int[-1,2] find(int[0,3] wanted) { int i = 0; while (i < n) { if (v[i] == wanted) return i; i++; } return -1; }
        process P() { state a, b; init a;
            trans a -> a { select e : int[1,3]; guard n < 3 && find(e) == -1; assign v[n] = e, n++; },
                  a -> b { guard n == 3; assign found = find(2); };
        }
        system P;";
    assert_eq!(values(&network(text), "found"), [0, 1, 2]);
    // Three different members, in any order: 1 + 3 + 6 + 6 states, and one state `b` for each order.
    let (states, _) = explore(&network(text));
    assert_eq!(states.len(), 1 + 3 + 6 + 6 + 6);
}

#[test]
fn early_returns_nested_calls_and_references() {
    let text = "int r; int a[3] = { 5, 7, 9 };
        int limit(int x) { if (x > 3) return 3; return x; }
        int add(int &to, int x) { to += limit(x); if (to > 4) { return 100; } return to; }
        void swap(int &x, int &y) { int t = x; x = y; y = t; }";
    assert_eq!(after(text, "r = add(r, 2) + add(r, 1)", "r"), 5);
    assert_eq!(after(text, "r = 4, r = add(r, 2) + 1", "r"), 101);
    assert_eq!(after(text, "swap(a[0], a[2])", "a[0]"), 9);
    assert_eq!(after(text, "r = limit(limit(7) + limit(1))", "r"), 3);
    assert_eq!(after(text, "r = 1, r = limit(r++) * 10 + r", "r"), 12);
}

#[test]
fn operators_assignments_and_their_order() {
    let update = |update: &str| after("int x = 3; int y; int z; bool b; int a[4];", update, "y");
    assert_eq!(update("y = x++ * 10 + x"), 34);
    assert_eq!(update("y = ++x * 10 + x"), 44);
    assert_eq!(update("y = (x = 5) + x"), 10);
    assert_eq!(update("y = x <? 2, y = y >? 1"), 2);
    assert_eq!(update("b = x, y = b"), 1);
    assert_eq!(update("y = (x > 2 ? 7 : 8)"), 7);
    assert_eq!(update("y = (x > 5 or not b imply x == 4) ? 1 : 2"), 2);
    assert_eq!(update("z = x > 5 && x++ > 0, y = x"), 3);
    assert_eq!(update("z = x > 2 && x++ > 0, y = x"), 4);
    assert_eq!(update("a[x - 1] = 4, y = a[2] << 1"), 8);
    assert_eq!(update("y = sum(i : int[1,4]) i * i"), 30);
    assert_eq!(update("y = forall (i : int[0,3]) a[i] == 0"), 1);
    assert_eq!(update("y = exists (i : int[0,3]) a[i] == i + 1"), 0);
    assert_eq!(update("y -= 2, y *= -3, y %= 4"), 2);
    assert_eq!(update("x = 0, a[x++] += 5, a[x++]++, y = 100 * x + 10 * a[1] + a[0]"), 215);
}

#[test]
fn structures_arrays_and_constants() {
    let declarations = "typedef struct { int v[2]; bool f; } S;
        S s = { { 1, 2 }, true }; S t[2]; const int table[2][2] = { { 10, 20 }, { 30, 40 } };
        const S k = { { 7, 8 }, false }; int y; int[0,1] i = 1;";
    let update = |update: &str| after(declarations, update, "y");
    assert_eq!(update("t[1] = s, y = t[1].v[1] + t[1].f"), 3);
    assert_eq!(update("y = table[i][1 - i]"), 30);
    assert_eq!(update("s = k, y = s.v[i]"), 8);
    assert_eq!(update("y = s == t[0]"), 0);
    assert_eq!(update("t[0] = s, y = s == t[i - 1]"), 1);
    assert_eq!(after("int a[int[-1,1]]; int i = 1;", "a[-1] = 4, a[i] = 5", "a[-1]"), 4);
    assert_eq!(after("int a[int[-1,1]]; int i = 1;", "a[-1] = 4, a[i] = 5", "a[1]"), 5);
    let (_, failures) = explore(&network(&one_update("const int c[2] = { 1, 2 }; int i = 5; int y;", "y = c[i]")));
    assert!(failures.iter().all(|f| f.contains("index out of range")) && failures.len() == 1, "{failures:?}");
}

#[test]
fn a_value_out_of_range_is_a_model_error_with_its_edge() {
    let (_, failures) = explore(&network(&one_update("int[0,3] x = 3;", "x++")));
    assert_eq!(failures.into_iter().collect::<Vec<_>>(), ["value out of range: x = 4, allowed is 0 to 3: assign x++"]);
    let (_, failures) = explore(&network(&one_update("int x = 32767;", "x = x + 1")));
    assert_eq!(failures.len(), 1);
    let network = network(&one_update("int[2,5] x; const int big = 100000;", "x = big / 50000"));
    assert_eq!(values(&network, "x"), [2]);
}

#[test]
fn partial_instantiation_and_reference_parameters() {
    let text = "int x; int y;
        process P(int &v, const int k, int n) { state a, b; init a; trans a -> b { assign v = k + n, n++; }; }
        Q(int &v, const int[1,2] k) = P(v, k, 40);
        A = Q(x, 1); B() = P(y, 5, 60);
        system A, B;";
    let network = network(text);
    assert_eq!((values(&network, "x"), values(&network, "y")), (vec![0, 41], vec![0, 65]));
    assert_eq!(values(&network, "A.n"), [40, 41]);
    let names: Vec<&str> = network.templates.iter().map(|t| t.name.as_str()).collect();
    assert_eq!(names, ["A", "B"]);
}

#[test]
fn committed_locations_move_first() {
    let text = "int x;
        process P() { state a, b, d; commit b; init a; trans a -> b { assign x = 1; }, b -> d { assign x = 2; }; }
        process Q() { state a, b; init a; trans a -> b { assign x = x * 10; }; }
        system P, Q;";
    assert_eq!(values(&network(text), "x"), [0, 1, 2, 20]);
}

#[test]
fn queries_look_into_processes() {
    let text = "int g;
        process P(const int[0,1] id) { int v; state a, b; init a; trans a -> b { assign v = id + 1, g++; }; }
        system P;";
    let queries = "E<> P(0).b and P(1).b
        A[] g == P(0).v + P(1).v - (P(1).b ? 1 : 0)
        E<> exists (i : int[0,1]) P(i).b && P(i).v == 2 && P(i).id == 1
        A[] forall (i : int[0,1]) P(i).a imply P(i).v == 0
        A[] g < 2";
    let lowered = lowered(text, queries);
    assert!(lowered.queries.iter().all(|q| q.property.is_ok()), "{:?}", lowered.diagnostics);
    let truths = truths(&lowered.network.unwrap());
    assert_eq!(truths, [(true, false), (true, true), (true, false), (true, true), (true, false)]);
}

#[test]
fn channels_keep_what_they_are() {
    let text = "urgent chan u; broadcast chan b[2]; urgent broadcast chan ub; chan c;
        process P(chan &x) { state a; init a; trans a -> a { sync x!; }, a -> a { sync c?; }; }
        Q = P(u); system Q;";
    let network = network(text);
    let shown: Vec<(&str, SignalKind, bool)> =
        network.signals.iter().map(|s| (s.name.as_str(), s.kind, s.urgent)).collect();
    let (one, all) = (SignalKind::Binary, SignalKind::Broadcast);
    assert_eq!(
        shown,
        [("u", one, true), ("b[0]", all, false), ("b[1]", all, false), ("ub", all, true), ("c", one, false)]
    );
    let signal = bughound_ir::expr::Expr::Const(0);
    assert_eq!(network.edges[0].sync, Sync::Emit { signal });
}

#[test]
fn branch_points_choose() {
    let text = "int x;
        process P() { state a, b, d; branchpoint p; init a;
            trans a -> p { assign x = 1; }, p -> b { probability 3; assign x += 1; }, p -> d { probability 1; assign x += 2; }; }
        system P;";
    assert_eq!(values(&network(text), "x"), [0, 2, 3]);
}

#[test]
fn invariants_over_variables_block_the_steps_of_everybody() {
    let text = "int v; process P() { state a { v < 3 && true }, b; init a; trans a -> b { guard v == 2; }; }
        process Q() { state c; init c; trans c -> c { guard v < 5; assign v++; }; }
        process R() { state d, e; init d; trans d -> e { assign v = 0; }; }
        system P, Q, R;";
    let network = network(text);
    assert_eq!(values(&network, "v"), [0, 1, 2, 3, 4, 5]);
    let at = |location: &str| {
        let all = &network.locations;
        all.iter().position(|l| l.labels == [location]).unwrap() as u32
    };
    let (states, _) = explore(&network);
    let slot = slot(&network, "v");
    let inside = states.iter().filter(|s| s.processes[0].location.0 == at("a"));
    assert_eq!(inside.map(|s| s.globals[slot]).max(), Some(2));
}
