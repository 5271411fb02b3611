//! Unspecified receptions and channel overflows from outside.

use crate::support::{Workspace, check};

/// B does not expect `nack`.
const UNEXPECTED: &str = "mtype = { ack, nack };
chan q = [2] of { mtype, byte };
active proctype A() { q!ack,1; q!nack,7 }
active proctype B() { q?ack,1; end: q?ack,2 }
";

fn reception(model: &str, arguments: &[&str]) -> i32 {
    check(model, &[&["--property", "unspecified-reception"], arguments].concat()).code
}

fn overflow(model: &str, arguments: &[&str]) -> i32 {
    check(model, &[&["--property", "channel-overflow"], arguments].concat()).code
}

#[test]
fn an_unexpected_message_is_named() {
    let ran = check(UNEXPECTED, &["--property", "unspecified-reception"]);
    ran.exits(1)
        .says("unspecified-reception  violated after 3 steps, shortest (proven)")
        .says("unspecified reception: B(1) cannot receive [nack,7] from q")
        .says("the oldest message in q, [nack,7], does not match");
    let document = check(UNEXPECTED, &["--json", "unspecified-reception"]).exits(1).json();
    let properties = document["properties"].as_array().unwrap();
    assert_eq!(properties.len(), 1);
    assert_eq!(properties[0]["kind"], "unspecified-reception");
    assert_eq!(properties[0]["trace"]["blocked"][0]["process"], "B(1)");
}

#[test]
fn they_are_not_checked_unless_asked_for() {
    let document = check(UNEXPECTED, &["--json", "--keep-going"]).json();
    let kinds: Vec<_> = document["properties"].as_array().unwrap().iter().map(|p| p["kind"].clone()).collect();
    assert_eq!(kinds, ["deadlock", "assertion"]);
    let all = ["--keep-going", "--property", "safety", "--property", "channel-overflow"];
    check(UNEXPECTED, &all).exits(0).says("deadlock  ").says("channel-overflow  holds");
    check(UNEXPECTED, &["--property", "chanel-overflow"]).exits(2).complains("did you mean `channel-overflow`?");
}

#[test]
fn receptions_that_are_specified() {
    // Nothing waits; the second receive takes it; another statement is possible; any message will do.
    assert_eq!(reception("chan q = [1] of { byte }; active proctype P() { q?1 }", &[]), 0);
    assert_eq!(reception("chan q = [1] of { byte }; active proctype P() { q!2; if :: q?1 :: q?2 fi }", &[]), 0);
    assert_eq!(reception("chan q = [1] of { byte }; active proctype P() { q!2; if :: q?1 :: skip fi }", &[]), 0);
    assert_eq!(reception("chan q = [1] of { byte }; active proctype P() { q!2; if :: q?1 :: else fi }", &[]), 0);
    assert_eq!(reception("chan q = [1] of { byte }; active proctype P() { byte x; q!2; q?x }", &[]), 0);
    // A receive that fails is another error.
    let fails = "chan q = [1] of { byte }; byte z; active proctype P() { q!2; q?eval(1/z) }";
    assert_eq!(reception(fails, &[]), 0);
}

#[test]
fn random_receives_look_at_all_messages() {
    let model = |receive: &str| format!("chan q = [2] of {{ byte }}; active proctype P() {{ q!1; q!2; {receive} }}");
    assert_eq!(reception(&model("q?2"), &[]), 1);
    assert_eq!(reception(&model("q??2"), &[]), 0);
    assert_eq!(reception(&model("q??3"), &[]), 1);
    assert_eq!(reception(&model("q?<2>"), &[]), 1);
    assert_eq!(reception(&model("q??<2>"), &[]), 0);
    assert_eq!(reception(&model("d_step { q?2; skip }"), &[]), 1);
    assert_eq!(reception(&model("d_step { q?1; skip }"), &[]), 0);
}

#[test]
fn several_channels_and_rendezvous() {
    let two = "chan q = [1] of { byte }; chan r = [1] of { byte };
        active proctype P() { q!1; if :: q?2 :: r?1 fi }";
    check(two, &["unspecified-reception"]).exits(1).says("P(0) cannot receive [1] from q").says("no message in r");
    // The rendezvous may come: P is not lost yet.
    let rendezvous = "chan q = [1] of { byte }; chan r = [0] of { byte };
        active proctype P() { q!1; if :: q?2 :: r?1 fi }";
    assert_eq!(reception(rendezvous, &[]), 0);
    let only = "chan r = [0] of { byte }; active proctype P() { r!1 } active proctype Q() { r?2 }";
    assert_eq!((reception(only, &[]), overflow(only, &[])), (0, 0));
}

#[test]
fn an_overflow_is_named() {
    let model = "mtype = { data }; chan q = [1] of { mtype, byte };
active proctype P() { byte n; do :: n < 3 -> q!data(n); n++ :: else -> break od }
active proctype Q() { byte x; end: do :: q?data(x) od }
";
    check(model, &["--property", "channel-overflow"])
        .exits(1)
        .says("channel overflow: P(0) sends [data,1] to q, which is full")
        .says("channel q is full (1 of 1)");
    let document = check(model, &["--json", "channel-overflow"]).exits(1).json();
    assert_eq!(document["properties"][0]["kind"], "channel-overflow");
    // Lost messages are overflows, too; they can be shown although nobody waits.
    check(model, &["channel-overflow", "--dialect", "lossy"]).exits(1).says("the message is lost");
}

#[test]
fn guards_decide_whether_a_send_counts() {
    let model = |guard: &str| format!("byte x; chan q = [1] of {{ byte }}; active proctype P() {{ q!1; {guard} q!2 }}");
    assert_eq!(overflow(&model(""), &[]), 1);
    assert_eq!(overflow(&model("x == 1;"), &[]), 0);
    assert_eq!(overflow(&model("nfull(q);"), &[]), 0);
    assert_eq!(overflow("chan q = [1] of { byte }; active proctype P() { q!1; d_step { q!2; skip } }", &[]), 1);
    assert_eq!(overflow("chan q = [2] of { byte }; active proctype P() { q!1; q!2 }", &[]), 0);
}

#[test]
fn saved_traces_can_be_shown_again() {
    let workspace = Workspace::with("m.pml", UNEXPECTED);
    workspace.run(&["check", "m.pml", "unspecified-reception", "--save-trace", "t.json"]).exits(1);
    workspace.run(&["trace", "t.json"]).exits(0).says("B(1) cannot receive [nack,7] from q");
    workspace.run(&["simulate", "m.pml", "--trace", "t.json"]).says("cannot receive [nack,7]");
}
