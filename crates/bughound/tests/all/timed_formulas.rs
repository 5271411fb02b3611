//! Formulas of linear temporal logic about timed models, with answers known by thinking.

use crate::support::Workspace;

/// `P` must leave `a`, and may stay in `b` for ever.
const LAMP: &str = "clock x; process P() { state a { x <= 3 }, b; init a;
    trans a -> b { guard x >= 1; assign x = 0; }, b -> a { guard x >= 2; assign x = 0; }; } system P;";

/// Steps for ever between `a` and `c` take no more than one unit of time; `P` may stay in `c`.
const HASTE: &str = "clock x; process P() { state a { x <= 1 }, c; init a;
    trans a -> c { }, c -> a { guard x <= 1; }; } system P;";

fn answer(text: &str, formula: &str, options: &[&str], code: i32) {
    let workspace = Workspace::new();
    workspace.write("m.xta", text);
    for search in ["auto", "scc", "nested-dfs"] {
        let arguments = [&["check", "m.xta", "--ltl", formula, "--search", search][..], options].concat();
        workspace.run(&arguments).exits(code);
    }
}

#[test]
fn answers_are_those_that_thinking_gives() {
    for holds in ["<> P.b", "P.a U P.b", "[] (P.a -> X P.b)", "[] (P.a -> <> P.b)", "[] <> P.b", "[] (P.a or P.b)"] {
        answer(LAMP, holds, &[], 0);
    }
    for violated in ["[] <> P.a", "<> [] P.b", "! <> P.b", "X X P.a", "P.a W (P.a && P.b)", "P.a <-> P.b"] {
        answer(LAMP, violated, &[], 1);
    }
}

#[test]
fn time_may_have_to_go_on_for_ever() {
    let seldom = "! [] <> P.a";
    answer(HASTE, seldom, &[], 1);
    answer(HASTE, seldom, &["--non-zeno"], 0);
    // Whoever stays in `c` needs no steps for that.
    answer(HASTE, "[] <> P.a", &["--non-zeno"], 1);
    // Not to leave `a` is no run at all.
    answer(HASTE, "<> P.c", &[], 0);
}

#[test]
fn runs_are_saved_and_replayed() {
    let workspace = Workspace::new();
    workspace.write("m.xta", LAMP);
    for formula in ["[] <> P.a", "<> [] P.b"] {
        workspace.run(&["check", "m.xta", "--ltl", formula, "--save-trace", "t.json"]).exits(1);
        workspace.run(&["trace", "t.json"]).exits(0);
    }
}

#[test]
fn formulas_have_their_mistakes_told() {
    let workspace = Workspace::new();
    workspace.write("m.xta", LAMP);
    let complains = |formula: &str, why: &str| {
        workspace.run(&["check", "m.xta", "--ltl", formula]).exits(2).complains(why);
    };
    complains("<> x > 2", "a formula cannot have clocks");
    complains("<> deadlock", "a formula cannot have clocks");
    complains("<> P.nowhere", "nowhere");
    complains("<> (P.a", "expected `)`");
    complains("P.a P.b", "expected an operator");
    complains("P.a U", "expected");
    complains("", "--ltl is empty");
    complains(&format!("{}P.a", "! [] ".repeat(500)), "nested more than");
    complains(&format!("{}P.a", "P.a && ".repeat(500)), "operators high");
}
