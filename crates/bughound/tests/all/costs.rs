//! Costs by annotation: the cheapest error, lengths beside costs, and mistakes in annotations.

use crate::support::{Workspace, check};
use serde_json::Value;

/// Two ways to the failing assertion: two steps of cost 8, or four of cost 3.
const TWO_WAYS: &str = "byte x;
active proctype P() {
  if
  :: /*@cost 7*/ x = 2
  :: /*@cost 0*/ x = 1;
     /*@cost 1*/ x = 3;
     /*@cost 1*/ x = 2
  fi;
  assert(x != 2)
}
";

fn trace(model: &str, options: &[&str]) -> Value {
    let document = check(model, &[&["--json", "assertion"], options].concat()).exits(1).json();
    document["properties"][0]["trace"].clone()
}

fn length_and_cost(model: &str, options: &[&str]) -> (u64, u64) {
    let trace = trace(model, options);
    (trace["length"].as_u64().unwrap(), trace["cost"].as_u64().unwrap())
}

#[test]
fn the_cheapest_error_is_found_not_the_shortest() {
    assert_eq!(length_and_cost(TWO_WAYS, &["--merge", "off"]), (4, 3));
    check(TWO_WAYS, &["assertion"]).exits(1).says("violated after 4 steps of cost 3, cheapest (proven)");
    let without = TWO_WAYS.replace("@cost", "cost");
    assert_eq!(length_and_cost(&without, &[]), (2, 2));
    check(&without, &["assertion"]).says("violated after 2 steps, shortest (proven)");
}

/// The bound that another algebra proves is none of the sum.
#[test]
fn a_widest_path_is_not_proven_to_be_cheapest() {
    let goal = |search: &str| {
        let document = check(TWO_WAYS, &["--json", "--goal", "x == 2", "--search", search]).exits(0).json();
        let number = |name: &str| document["properties"][0][name].as_u64().unwrap();
        (number("cost"), number("lower_bound"))
    };
    assert_eq!(goal("dijkstra"), (2, 2));
    assert_eq!(goal("dijkstra(cost=widest)"), (7, 0));
    assert_eq!(goal("dijkstra(cost=bottleneck)"), (2, 0));
}

#[test]
fn merged_statements_are_added_up() {
    let model = "active proctype P() { byte x; /*@cost 4*/ x = 1; x = 2; /*@cost 2*/ x = 3; assert(false) }";
    assert_eq!(length_and_cost(model, &["--merge", "off"]), (4, 8));
    let (length, cost) = length_and_cost(model, &["--merge", "on"]);
    assert!(length < 4 && cost == 8, "{length} {cost}");
}

#[test]
fn whole_d_steps_rendezvous_and_loops() {
    let d_step = "byte x; active proctype P() { /*@cost 6*/ d_step { x = 1; x = 2 }; assert(false) }";
    assert_eq!(length_and_cost(d_step, &[]), (2, 7));
    let rendezvous = "chan r = [0] of { byte };
        active proctype P() { /*@cost 3*/ r!1; assert(false) } active proctype Q() { /*@cost 9*/ r?1 }";
    assert_eq!(length_and_cost(rendezvous, &[]), (2, 4));
    let inside = "byte x; active proctype P() { atomic { /*@cost 5*/ x = 1; L: /*@cost 2*/ x = 2 };
        /*@cost 3*/ M: assert(false) }";
    assert_eq!(length_and_cost(inside, &["--merge", "off"]), (3, 10));
    let nothing = "byte x; active proctype P() { do :: x < 3 -> /*@cost 0*/ x++ :: else -> break od; assert(false) }";
    assert_eq!(length_and_cost(nothing, &["--merge", "off"]).1, 5);
}

#[test]
fn macros_and_inlines_carry_costs() {
    let model = "#define TWICE(s) /*@cost 2*/ s; s
#define ONE /*@cost 10*/ x = 1
byte x;
inline f(y) { /*@cost 20*/ y = 2 }
active proctype P() { TWICE(x = 7); ONE; f(x); /*@cost 40*/ ONE; assert(false) }";
    // 2 + 1 + 10 + 20 + 40 + 1: a cost before a macro is that of its first statement.
    assert_eq!(length_and_cost(model, &["--merge", "off"]), (6, 74));
}

#[test]
fn mistakes_in_annotations() {
    let model = |text: &str| format!("byte x; active proctype P() {{ {text} }}");
    let says = |text: &str, code: i32, message: &str| {
        check(&model(text), &[]).exits(code).complains(message);
    };
    says("/*@cost*/ x = 1", 2, "gives no cost");
    says("/*@cost -5*/ x = 1", 2, "a cost is a number from 0 to 4294967295");
    says("/*@cost 4294967296*/ x = 1", 2, "gives no cost");
    says("/*@price 5*/ x = 1", 0, "the annotation `/*@price 5*/` means nothing");
    says("x = /*@cost 5*/ 1", 0, "the cost before this is not that of a statement");
    says("/*@cost 5*/ byte y", 0, "the cost before this is not that of a statement");
    says("/*@cost 5*/ atomic { x = 1 }", 2, "a cost cannot stand before a compound statement");
    says("/*@cost 5*/ { x = 1 } unless { false }", 2, "a cost cannot stand before a compound statement");
    says("d_step { /*@cost 5*/ x = 1 }", 2, "put it before the `d_step`");
    says("do :: x = 1; /*@cost 5*/ break od", 2, "a cost cannot stand before a jump");
    // Not for Bughound.
    check(&model("/* @cost 5*/ x = 1; /*@(#) old */ x = 2"), &[]).exits(0);
    let claim = "byte x; active proctype P() { x = 1 } never { do :: /*@cost 2*/ x == 5 -> break :: true od }";
    check(claim, &[]).exits(2).complains("in a claim, which takes no steps");
    check("#if 0\n/*@cost bad*/\n#endif\nactive proctype P() { skip }", &[]).exits(0);
}

#[test]
fn saved_traces_keep_their_costs() {
    let workspace = Workspace::with("m.pml", TWO_WAYS);
    workspace.run(&["check", "m.pml", "--save-trace", "t.json"]).exits(1);
    workspace.run(&["trace", "t.json"]).exits(0).says("replayed a trace of 4 steps of cost 3");
}
