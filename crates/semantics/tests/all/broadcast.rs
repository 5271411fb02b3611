//! Broadcasts: one sender, receivers with guards. All that can hear must; nobody else moves.

use crate::common;
use std::ops::ControlFlow;

use bughound_ir::builder::{EdgeSpec, NetworkBuilder, TemplateBuilder};
use bughound_ir::edge::Sync;
use bughound_ir::expr::{BinaryOp, Expr};
use bughound_ir::frames::LOCATION;
use bughound_ir::network::Network;
use bughound_ir::types::{SignalKind, ValueType};
use bughound_kernel::{Outcome, State, TransitionSystem};
use bughound_semantics::DiscreteSystem;

/// A sender counts `level` up to `rounds`, first shouting and then counting in the same step. A receiver with threshold
/// `t` hears while `level >= t`, as it is before the step; it notes the level that it finds when it acts.
fn network(rounds: i32, thresholds: &[i32]) -> Network {
    let mut net = NetworkBuilder::new("broadcast");
    let level = net.global("level", ValueType::Byte);
    let signal = net.signal("go", SignalKind::Broadcast);
    let mut sender = TemplateBuilder::new("sender");
    let here = sender.location("here");
    let more = Expr::binary(BinaryOp::Less, Expr::read(level.clone()), Expr::Const(rounds));
    let next = Expr::binary(BinaryOp::Add, Expr::read(level.clone()), Expr::Const(1));
    let shout = EdgeSpec::new(here, here).guard(more).sync(Sync::Emit { signal: signal.clone() });
    sender.edge(shout.assign(level.clone(), next));
    let sender = net.template(sender, here);
    net.start(sender, vec![]);
    let mut receiver = TemplateBuilder::new("receiver");
    let threshold = receiver.parameter("threshold", ValueType::Byte);
    let noted = receiver.local("noted", ValueType::Byte);
    let [deaf, awake] = ["deaf", "awake"].map(|name| receiver.location(name));
    let loud = Expr::binary(BinaryOp::GreaterEqual, Expr::read(level.clone()), Expr::read(threshold));
    let hear = EdgeSpec::new(deaf, awake).guard(loud).sync(Sync::Accept { signal });
    receiver.edge(hear.assign(noted, Expr::read(level)));
    let receiver = net.template(receiver, deaf);
    for threshold in thresholds {
        net.start(receiver, vec![*threshold]);
    }
    net.finish().unwrap()
}

/// Level, and for each receiver what it noted (0 while it is deaf).
fn summary(network: &Network, key: &[i32]) -> Vec<i32> {
    let noted = network.templates[1].variables[1].slot;
    let receivers = &network.frames.processes[1..];
    let level = key[network.variables[0].slot as usize];
    std::iter::once(level).chain(receivers.iter().map(|frame| key[(frame.base + noted) as usize])).collect()
}

#[test]
fn all_that_can_hear_must() {
    let network = network(3, &[1, 0, 2, 1, 7]);
    let states = common::compare(&network, usize::MAX).unwrap();
    let summaries: Vec<Vec<i32>> = states.iter().map(|key| summary(&network, key)).collect();
    // Guards see the level before the step, actions the level after the sender's.
    let expected = [[0, 0, 0, 0, 0, 0], [1, 0, 1, 0, 0, 0], [2, 2, 1, 0, 2, 0], [3, 2, 1, 3, 2, 0]];
    assert_eq!(summaries, expected);
}

#[test]
fn a_broadcast_is_one_step_with_its_receivers_in_order() {
    let network = network(1, &[0, 1, 0, 0]);
    let system = DiscreteSystem::new(network, &[]);
    let mut explorer = system.explorer();
    let mut start = Vec::new();
    explorer.initial(&mut |state| start = state.key.to_vec());
    let mut steps = Vec::new();
    explorer.successors(State::discrete(&start), &mut |step| {
        let moves: Vec<(u16, bool)> = step.moves.iter().map(|m| (m.process, m.joins)).collect();
        let Outcome::State(to) = step.outcome else { panic!("nothing fails here") };
        let base = system.network().frames.processes[2].base;
        steps.push((moves, step.weight, to.key[(base + LOCATION) as usize] == start[(base + LOCATION) as usize]));
        ControlFlow::Continue(())
    });
    assert_eq!(steps, [(vec![(0, false), (1, true), (3, true), (4, true)], 1, true)]);
}
