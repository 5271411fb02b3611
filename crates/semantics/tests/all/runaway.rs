//! Programs that do not end: the engine and the reference evaluator give up at the same point, and early.

use crate::common;
use std::ops::ControlFlow;

use bughound_ir::builder::{EdgeSpec, NetworkBuilder, TemplateBuilder};
use bughound_ir::edge::{Action, Alternative, Condition, Program, ProgramNode, Sync};
use bughound_ir::expr::{BinaryOp, Expr};
use bughound_ir::network::Network;
use bughound_ir::reference::EvalError;
use bughound_ir::source::Span;
use bughound_ir::types::ValueType;
use bughound_kernel::{FailureKind, Outcome, State, TransitionSystem};
use bughound_semantics::DiscreteSystem;

/// `do :: assert(x != 5); x++ od` in one step, and with `entry` another statement before it.
fn counting(ty: ValueType, entry: bool) -> Network {
    let mut net = NetworkBuilder::new("runaway");
    let x = net.global("x", ty);
    let alternative = |actions, next| Alternative {
        condition: Condition::None,
        guards: Vec::new(),
        sync: Sync::None,
        actions,
        next: Some(next),
    };
    let not_five = Expr::binary(BinaryOp::NotEqual, Expr::read(x.clone()), Expr::Const(5));
    let assert = Action::Assert { condition: not_five, text: "x != 5".into(), span: Span::default() };
    let next = Expr::binary(BinaryOp::Add, Expr::read(x.clone()), Expr::Const(1));
    let count = Action::Assign { target: x, value: next };
    let mut alternatives = vec![alternative(vec![], 1), alternative(vec![assert], 2), alternative(vec![count], 1)];
    if !entry {
        alternatives.remove(0);
        alternatives.iter_mut().for_each(|a| a.next = a.next.map(|next| next - 1));
    }
    let nodes = alternatives.into_iter().map(|a| ProgramNode { alternatives: vec![a], span: Span::default() });
    let program = net.program(Program { nodes: nodes.collect() });
    let mut template = TemplateBuilder::new("P");
    let here = template.location("here");
    let mut edge = EdgeSpec::new(here, here);
    edge.edge.program = Some(program);
    template.edge(edge);
    let template = net.template(template, here);
    net.start(template, vec![]);
    net.finish().unwrap()
}

/// The number of assertions that the only step breaks before it is given up.
fn broken_assertions(network: Network) -> usize {
    let system = DiscreteSystem::new(network, &[]);
    let mut explorer = system.explorer();
    let mut start = Vec::new();
    explorer.initial(&mut |state| start = state.key.to_vec());
    let (mut broken, mut runaway) = (0, 0);
    explorer.successors(State::discrete(&start), &mut |step| {
        match step.outcome {
            Outcome::Failure(failure) if failure.kind == FailureKind::Assertion => broken += 1,
            Outcome::Failure(failure)
                if [EvalError::RunawayProgram, EvalError::LongProgram].map(EvalError::code).contains(&failure.code) =>
            {
                runaway += 1;
            }
            _ => panic!("the step has no end"),
        }
        ControlFlow::Continue(())
    });
    assert_eq!(runaway, 1);
    broken
}

#[test]
fn both_evaluators_give_up_at_the_same_point() {
    for entry in [false, true] {
        let network = counting(ValueType::Byte, entry);
        assert_eq!(common::compare(&network, usize::MAX).unwrap().len(), 1);
    }
}

#[test]
fn a_counter_that_wraps_around_is_noticed_after_a_few_rounds() {
    for (entry, ty) in [(false, ValueType::Byte), (true, ValueType::Byte), (true, ValueType::Bit)] {
        let broken = broken_assertions(counting(ty, entry));
        assert!(broken < 10, "{broken} rounds");
    }
}
