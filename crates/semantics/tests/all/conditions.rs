//! Conditions of locations: no step of anybody leads to a state in which one does not hold.

use crate::common;
use bughound_ir::builder::{EdgeSpec, NetworkBuilder, TemplateBuilder};
use bughound_ir::edge::Sync;
use bughound_ir::expr::{BinaryOp, Expr};
use bughound_ir::network::Network;
use bughound_ir::types::{SignalKind, ValueType};

/// A counter, which may also shout; and a process that wants the count to stay below 3 while it is `inside`, and can
/// go in and out as it likes. `inside` fails to have a value if the count is 5.
fn network(most: i32) -> Network {
    let mut net = NetworkBuilder::new("conditions");
    let count = net.global("count", ValueType::Byte);
    let signal = net.signal("hear", SignalKind::Broadcast);
    let read = || Expr::read(count.clone());
    let more = Expr::binary(BinaryOp::Add, read(), Expr::Const(1));
    let mut counter = TemplateBuilder::new("counter");
    let here = counter.location("here");
    let below = Expr::binary(BinaryOp::Less, read(), Expr::Const(most));
    counter.edge(EdgeSpec::new(here, here).guard(below.clone()).assign(count.clone(), more.clone()));
    let shout = EdgeSpec::new(here, here).guard(below).sync(Sync::Emit { signal: signal.clone() });
    counter.edge(shout.assign(count.clone(), more));
    let counter = net.template(counter, here);
    net.start(counter, vec![]);
    let mut guest = TemplateBuilder::new("guest");
    let [outside, inside] = ["outside", "inside"].map(|name| guest.location(name));
    let few = Expr::binary(BinaryOp::Less, read(), Expr::Const(3));
    let five = Expr::binary(BinaryOp::Subtract, read(), Expr::Const(5));
    let defined =
        Expr::binary(BinaryOp::LessEqual, Expr::binary(BinaryOp::Divide, Expr::Const(9), five), Expr::Const(9));
    guest.location_mut(inside).conditions = vec![few];
    guest.location_mut(outside).conditions = vec![defined];
    guest.edge(EdgeSpec::new(outside, inside).sync(Sync::Accept { signal }));
    guest.edge(EdgeSpec::new(inside, outside));
    guest.edge(EdgeSpec::new(outside, inside));
    let guest = net.template(guest, outside);
    net.start(guest, vec![]);
    net.finish().unwrap()
}

#[test]
fn steps_that_break_a_condition_are_not_possible() {
    let network = network(10);
    let states = common::compare(&network, usize::MAX).unwrap();
    let count = network.variables[0].slot as usize;
    let place = network.frames.processes[1].base as usize;
    let [outside, inside] = [0, 1].map(|at| network.templates[1].locations[at].0 as i32);
    let counts = |location: i32| -> Vec<i32> {
        let mut counts: Vec<i32> = states.iter().filter(|key| key[place] == location).map(|key| key[count]).collect();
        counts.sort_unstable();
        counts
    };
    assert_eq!(counts(inside), [0, 1, 2]);
    // With 5 the condition outside has no value: nobody counts any further.
    assert_eq!(counts(outside), [0, 1, 2, 3, 4]);
}
