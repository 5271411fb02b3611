//! What is said about clocks, as the network says it.

use crate::common::{lowered, network};
use bughound_ir::edge::Action;
use bughound_ir::expr::{BinaryOp, Expr};
use bughound_ir::network::Network;
use bughound_ir::question::{ExtremesQuestion, Quantity, Question, RunQuestion, RunShape};
use bughound_ir::types::{ClockConstraint, ClockId, Relation, UNBOUNDED};

const CLOCKS: &str = "clock x, y, z[2]; int v; bool b; const int T = 4; chan c;";

fn edge(labels: &str) -> Network {
    network(&format!(
        "{CLOCKS}\nprocess P() {{ clock own; state a, b; init a; trans a -> b {{ {labels} }}; }}\nsystem P;"
    ))
}

/// `x <= 5`, `x - y < 3`; a bound that is no constant is `?`.
fn show(network: &Network, constraint: &ClockConstraint) -> String {
    let name = |clock: ClockId| network.clocks[clock.0 as usize].name.clone();
    let minus = constraint.minus.map_or(String::new(), |clock| format!(" - {}", name(clock)));
    let relation = match constraint.relation {
        Relation::Less => "<",
        Relation::LessEqual => "<=",
        Relation::Equal => "==",
        Relation::GreaterEqual => ">=",
        Relation::Greater => ">",
    };
    let bound = constraint.bound.as_const().map_or("?".to_string(), |bound| bound.to_string());
    format!("{}{minus} {relation} {bound}", name(constraint.left))
}

/// For each edge: its clock guards, and the number of its other guards.
fn guards(guard: &str) -> Vec<(String, usize)> {
    let network = edge(&format!("guard {guard};"));
    let clocks =
        |e: &bughound_ir::edge::Edge| e.clock_guards.iter().map(|c| show(&network, c)).collect::<Vec<_>>().join(", ");
    network.edges.iter().map(|e| (clocks(e), e.guards.len())).collect()
}

fn one(guard: &str) -> String {
    let guards = guards(guard);
    assert_eq!(guards.len(), 1, "{guards:?}");
    guards[0].0.clone()
}

#[test]
fn constraints_in_every_form() {
    assert_eq!(one("x <= 2 * T && own > 1"), "x <= 8, P.own > 1");
    assert_eq!(one("3 < x, y == T"), "x > 3, y == 4");
    assert_eq!(one("x - y < 3"), "x - y < 3");
    assert_eq!(one("x < y + 1 && 2 >= y - x"), "x - y < 1, x - y >= -2");
    assert_eq!(one("x <= y"), "x - y <= 0");
    assert_eq!(one("z[T - 3] >= 1 && not (z[0] < 2)"), "z[1] >= 1, z[0] >= 2");
    assert_eq!(one("x < v + 1"), "x < ?");
    assert_eq!(guards("v == 1 && x > 2 && b"), [("x > 2".to_string(), 2)]);
}

#[test]
fn disjunctions_split_an_edge() {
    let pairs = |list: &[(&str, usize)]| list.iter().map(|(text, n)| (text.to_string(), *n)).collect::<Vec<_>>();
    assert_eq!(guards("x < 3 or y > 5"), pairs(&[("x < 3", 0), ("y > 5", 0)]));
    assert_eq!(guards("not (x < 3 && y > 5)"), pairs(&[("x >= 3", 0), ("y <= 5", 0)]));
    assert_eq!(guards("b imply x > 2"), pairs(&[("", 1), ("x > 2", 0)]));
    assert_eq!(guards("b ? x > 2 : x > 4"), pairs(&[("x > 2", 1), ("x > 4", 1)]));
    assert_eq!(guards("forall (i : int[0,1]) z[i] > i"), pairs(&[("z[0] > 0, z[1] > 1", 0)]));
    assert_eq!(guards("exists (i : int[0,1]) z[i] > i"), pairs(&[("z[0] > 0", 0), ("z[1] > 1", 0)]));
    assert_eq!(guards("T == 4 or x > 2"), pairs(&[("", 0)]));
    assert_eq!(guards("T == 3 && x > 2"), []);
}

/// Many choices between data and a bound are bounds that depend on the state.
#[test]
fn a_guard_with_many_alternatives_has_conditional_bounds() {
    let declarations = "clock x[9], y; int[0,1] free[9]; int v;";
    let network = |guard: &str| {
        let text = "process P() { state a, b; init a; trans a -> b { guard GUARD; }; } system P;";
        network(&format!("{declarations}{}", text.replace("GUARD", guard)))
    };
    let many = network("forall (i : int[0,8]) (free[i] == 1 || x[i] >= i + 2)");
    assert_eq!(many.edges.len(), 1);
    let bounds = |c: &ClockConstraint| match &c.bound {
        Expr::Conditional(_, nothing, bound) => (c.left.0, c.relation, nothing.as_const(), bound.as_const()),
        bound => panic!("{bound:?}"),
    };
    let found: Vec<_> = many.edges[0].clock_guards.iter().map(bounds).collect();
    let expected = (0..9).map(|i| (i, Relation::GreaterEqual, Some(0), Some(i as i32 + 2)));
    assert_eq!(found, expected.collect::<Vec<_>>());
    let each = |part: &str| {
        let all: Vec<String> = (0..3).map(|i| part.replace('#', &i.to_string())).collect();
        let network = network(&all.join(" && "));
        assert_eq!(network.edges.len(), 1, "{part}");
        let guards = &network.edges[0].clock_guards;
        guards[..guards.len() / 3]
            .iter()
            .map(bounds)
            .map(|(_, relation, nothing, _)| (relation, nothing))
            .collect::<Vec<_>>()
    };
    assert_eq!(each("(v == # || x[#] > 3)"), [(Relation::Greater, Some(-1))]);
    assert_eq!(each("(v == # || x[#] < 3)"), [(Relation::Less, Some(UNBOUNDED))]);
    assert_eq!(
        each("(v == # || x[#] == 3)"),
        [(Relation::LessEqual, Some(UNBOUNDED)), (Relation::GreaterEqual, Some(0))]
    );
    assert_eq!(each("(v == # || x[#] - y > 3)"), [(Relation::Less, Some(UNBOUNDED))]);
    // Two bounds to choose between: there is no other way than to split.
    assert_eq!(network("forall (i : int[0,2]) (y <= 2 || x[i] >= 3)").edges.len(), 8);
}

#[test]
fn invariants_and_flags() {
    let text = format!(
        "{CLOCKS} process P(const int k) {{ state a {{ x <= k, y < v + 1 && v < 9 }}, b, d; commit b; urgent d; init a; }}
        Q = P(7); system Q;"
    );
    let network = network(&text);
    let location = &network.locations[1];
    assert_eq!(location.invariant.iter().map(|c| show(&network, c)).collect::<Vec<_>>(), ["x <= 7", "y < ?"]);
    assert_eq!(location.conditions.len(), 1);
    assert!(network.locations[2].flags.committed && network.locations[3].flags.urgent);
    assert_eq!(network.locations[1].labels, ["a"]);
}

#[test]
fn clocks_are_set_in_order_and_behind_programs() {
    let resets = |update: &str, functions: &str| {
        let text = format!(
            "{CLOCKS} {functions} process P() {{ state a, b; init a; trans a -> b {{ assign {update}; }}; }} system P;"
        );
        let network = network(&text);
        let edge = &network.edges[0];
        let shown = edge.destinations[0].actions.iter().filter_map(|action| match action {
            Action::ResetClock { clock, value } => {
                let value = value.as_const().map_or("?".to_string(), |value| value.to_string());
                Some(format!("{}={value}", network.clocks[clock.0 as usize].name))
            }
            _ => None,
        });
        (shown.collect::<Vec<_>>().join(" "), edge.program.is_some())
    };
    assert_eq!(resets("x = 0, v = 2, y := T, z[1] = v", ""), ("x=0 y=4 z[1]=?".to_string(), false));
    let function = "void f() { for (i : int[0,1]) z[i] = 0; if (v > 0) v--; }";
    assert_eq!(resets("x = 0, f()", function), ("x=0 z[0]=0 z[1]=0".to_string(), true));
}

#[test]
fn queries_about_clocks_and_deadlock() {
    let text = "clock x; int v; process P() { clock y; state a, b; init a; trans a -> b { }; } system P;";
    let queries = "A[] not deadlock\nA[] !deadlock\nE<> deadlock and x > 3\nA[] not (P.y >= 2 and x != 1)\n\
                   E[] P.a\nA<> P.b\nP.a --> P.b && x - P.y <= 0\nbounds{P.a}: P.y, v + 1";
    let lowered = lowered(text, queries);
    assert!(lowered.queries.iter().all(|q| q.property.is_ok()), "{:?}", lowered.diagnostics);
    let network = lowered.network.unwrap();
    let kinds: Vec<&Question> = network.properties.iter().map(|p| &p.question).collect();
    assert!(matches!(kinds[..2], [Question::Deadlock, Question::Deadlock]));
    let clock = |left, relation, bound| {
        Expr::Clock(Box::new(ClockConstraint { left: ClockId(left), minus: None, relation, bound: Expr::Const(bound) }))
    };
    let both = Expr::binary(BinaryOp::And, Expr::Deadlock, clock(0, Relation::Greater, 3));
    assert_eq!(*kinds[2], Question::Reach(both));
    let either = Expr::binary(BinaryOp::Or, clock(1, Relation::Less, 2), clock(0, Relation::Equal, 1));
    assert_eq!(*kinds[3], Question::Invariant(either));
    assert!(matches!(kinds[4], Question::Run(RunQuestion { shape: RunShape::PossiblyAlways(Expr::At { .. }), .. })));
    assert!(matches!(kinds[5], Question::Run(RunQuestion { shape: RunShape::Eventually(Expr::At { .. }), .. })));
    assert!(matches!(kinds[6], Question::Run(RunQuestion { shape: RunShape::LeadsTo(..), .. })));
    let Question::Extremes(ExtremesQuestion { least: true, greatest: true, of, names, .. }) = kinds[7] else {
        panic!("{:?}", kinds[7])
    };
    assert!(matches!(of[..], [Quantity::Clock(ClockId(1)), Quantity::Value(_)]), "{of:?}");
    assert_eq!(names[..], ["P.y", "v + 1"]);
}
