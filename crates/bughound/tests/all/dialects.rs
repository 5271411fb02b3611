//! Variants of the language that change what a model means.

use crate::support::Workspace;

/// Verdict and number of states of a model under a dialect.
fn states(model: &str, dialect: &[&str]) -> u64 {
    let workspace = Workspace::with("m.pml", model);
    let mut arguments = vec!["explore", "m.pml", "--merge", "off", "--json"];
    arguments.extend(dialect);
    workspace.run(&arguments).json()["stats"]["stored"].as_u64().expect("a number of states")
}

#[test]
fn lossy_sends_never_block() {
    let model = "chan q = [1] of { byte }; init { q!1; q!2; q!3 }";
    let workspace = Workspace::with("m.pml", model);
    workspace.run(&["check", "m.pml"]).exits(1).says("deadlock");
    workspace.run(&["check", "m.pml", "--dialect", "lossy"]).exits(0);
}

#[test]
fn priorities_can_be_ignored() {
    let model = "byte x; proctype P() { x++; x++ }
        init { atomic { run P() priority 2; run P() priority 3 } }";
    assert!(states(model, &["--dialect", "no-priorities"]) > states(model, &[]));
}

#[test]
fn of_nested_escapes_the_inner_one_can_come_first() {
    let model = "byte x; bool inner, outer;
        active proctype P() {
            { { false } unless { d_step { inner -> x = 3 } } } unless { d_step { outer -> x = 4 } };
            assert(x != 3)
        }
        active proctype Q() { atomic { inner = true; outer = true } }";
    let workspace = Workspace::with("m.pml", model);
    workspace.run(&["check", "m.pml"]).exits(0);
    workspace.run(&["check", "m.pml", "--dialect", "inner-unless-first"]).exits(1).says("x!=3");
}

#[test]
fn blocks_need_not_be_scopes() {
    let model = "init { { byte y; y = 3 }; assert(y == 3) }";
    let workspace = Workspace::with("m.pml", model);
    workspace.run(&["check", "m.pml"]).exits(2).complains("`y` is not declared");
    workspace.run(&["check", "m.pml", "--dialect", "flat-scopes"]).exits(0);
}

#[test]
fn semicolons_can_be_required() {
    let workspace = Workspace::with("m.pml", "byte x;\ninit { x = 1\n x = 2 }");
    workspace.run(&["check", "m.pml"]).exits(0);
    workspace.run(&["check", "m.pml", "--dialect", "explicit-semicolons"]).exits(2);
}

#[test]
fn an_unknown_dialect_is_refused() {
    let workspace = Workspace::with("m.pml", "init { skip }");
    workspace.run(&["check", "m.pml", "--dialect", "nonsense"]).exits(2).complains("lossy");
}
