//! Each rule of the semantics on a network that shows it and little else.

mod choices;
mod messages;
mod outcomes;
mod processes;
mod programs;
mod replay;

use bughound_kernel::{FailureKind, Move};

use super::*;
use crate::builder::{EdgeSpec, LocalLocation, NetworkBuilder, TemplateBuilder};
use crate::edge::{Action, Alternative, Condition, Program, ProgramNode, Sync};
use crate::expr::{BinaryOp, ChannelQuery, Pattern, Place, Scope};
use crate::network::{LocationId, TemplateId};
use crate::source::Span;
use crate::types::{SignalKind, ValueType};

fn eq(place: &Place, value: i32) -> Expr {
    Expr::read(place.clone()).equals(Expr::Const(value))
}

fn plus(place: &Place, value: i32) -> Expr {
    Expr::binary(BinaryOp::Add, Expr::read(place.clone()), Expr::Const(value))
}

fn set(place: &Place, value: i32) -> Action {
    Action::Assign { target: place.clone(), value: Expr::Const(value) }
}

fn divide_by_zero() -> Expr {
    Expr::binary(BinaryOp::Divide, Expr::Const(1), Expr::Const(0))
}

fn send(channel: i32, fields: &[i32]) -> Sync {
    let fields = fields.iter().map(|v| Expr::Const(*v)).collect();
    Sync::Send { channel: Expr::Const(channel), sorted: false, fields }
}

fn receive(channel: i32, patterns: Vec<Pattern>) -> Sync {
    Sync::Receive { channel: Expr::Const(channel), anywhere: false, keep: false, patterns }
}

fn escape(mut spec: EdgeSpec, number: u32) -> EdgeSpec {
    spec.edge.escape = number;
    spec
}

fn when(mut spec: EdgeSpec, condition: Condition) -> EdgeSpec {
    spec.edge.condition = condition;
    spec
}

fn running(mut spec: EdgeSpec, net: &mut NetworkBuilder, nodes: Vec<Vec<Alternative>>) -> EdgeSpec {
    let nodes = nodes.into_iter().map(|alternatives| ProgramNode { alternatives, span: Span::default() }).collect();
    spec.edge.program = Some(net.program(Program { nodes }));
    spec
}

fn alternative(guards: Vec<Expr>, actions: Vec<Action>, next: Option<u32>) -> Alternative {
    Alternative { condition: Condition::None, guards, sync: Sync::None, actions, next }
}

/// A template with two locations and these edges between them.
fn two(net: &mut NetworkBuilder, edges: Vec<EdgeSpec>) -> TemplateId {
    let mut t = TemplateBuilder::new("t");
    let (a, _) = (t.location("a"), t.location("b"));
    edges.into_iter().for_each(|e| t.edge(e));
    net.template(t, a)
}

const A: LocalLocation = LocalLocation(0);
const B: LocalLocation = LocalLocation(1);

fn go() -> EdgeSpec {
    EdgeSpec::new(A, B)
}

fn start(net: &mut NetworkBuilder, edges: Vec<EdgeSpec>) {
    let t = two(net, edges);
    net.start(t, vec![]);
}

/// Moves of all micro steps as (process, edge) pairs.
fn moves(steps: &[MicroStep]) -> Vec<Vec<(u16, u32)>> {
    steps.iter().map(|s| s.moves.iter().map(|m| (m.process, m.edge)).collect()).collect()
}

fn initial_steps(network: &Network) -> Vec<MicroStep> {
    let reference = Reference::new(network).unwrap();
    reference.micro_steps(&reference.initial().unwrap())
}

fn after(step: &MicroStep) -> &RefState {
    step.result.as_ref().unwrap()
}

fn code(step: &MicroStep) -> EvalError {
    let failure = step.result.as_ref().unwrap_err().failure;
    assert_eq!(failure.kind, FailureKind::Evaluation);
    EvalError::from_code(failure.code).unwrap()
}
