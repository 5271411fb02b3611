//! What a step can lead to: errors, failed assertions, several destinations; ends and deadlocks.

use super::*;

#[test]
fn failing_attempts_are_steps() {
    let mut net = NetworkBuilder::new("errors");
    let c = net.channel("c", 0, vec![ValueType::Byte], Span::default());
    let poll = Expr::Poll { channel: Box::new(Expr::Const(c)), anywhere: false, patterns: vec![] };
    let peek = Sync::Receive { channel: Expr::Const(c), anywhere: false, keep: true, patterns: vec![] };
    let r = net.global("r", ValueType::Range { lo: 0, hi: 3 });
    let elsewhere =
        Place { scope: Scope::Process { pid: Box::new(Expr::Const(9)), template: TemplateId(0) }, ..r.clone() };
    let mut beyond = r.clone();
    beyond.indices.push(crate::expr::Index { value: Expr::Const(2), len: 2, stride: 1 });
    start(
        &mut net,
        vec![
            go().guard(divide_by_zero()).text("1 / 0"),
            go().guard(poll),
            go().sync(peek),
            go().sync(send(0, &[])),
            go().action(set(&r, 4)),
            go().action(set(&elsewhere, 1)),
            go().guard(Expr::read(beyond)),
            when(go(), Condition::Else),
        ],
    );
    let network = net.finish().unwrap();
    let reference = Reference::new(&network).unwrap();
    let state = reference.initial().unwrap();
    let steps = reference.micro_steps(&state);
    let codes: Vec<_> = steps.iter().map(code).collect();
    assert_eq!(
        codes,
        [
            EvalError::DivisionByZero,
            EvalError::PollRendezvous,
            EvalError::PollRendezvous,
            EvalError::NoChannel,
            EvalError::OutOfRange,
            EvalError::NoSuchProcess,
            EvalError::IndexOutOfRange,
        ]
    );
    assert_eq!(steps[0].result.as_ref().unwrap_err().message, "division by zero: 1 / 0");
    assert!(!reference.is_deadlock(&state));
}

#[test]
fn assertions_fail_softly_and_tell_values_and_ordinal() {
    let mut net = NetworkBuilder::new("assert");
    let x = net.global("x", ValueType::Byte);
    let assert =
        |value: i32| Action::Assert { condition: eq(&x, value), text: format!("x == {value}"), span: Span::default() };
    start(&mut net, vec![go().action(assert(0)).action(set(&x, 2)).action(assert(3)).action(set(&x, 5))]);
    let network = net.finish().unwrap();
    let steps = initial_steps(&network);
    let [failure] = &steps[0].soft_failures[..] else { panic!("one failure expected") };
    assert_eq!(failure.message, "assertion violated: x == 3 (x = 2)");
    assert_eq!((failure.failure.kind, failure.failure.code), (FailureKind::Assertion, 1));
    assert_eq!(after(&steps[0]).globals[2], 5);
}

#[test]
fn every_destination_is_a_step() {
    let mut net = NetworkBuilder::new("dice");
    let x = net.global("x", ValueType::Byte);
    let c = net.channel("c", 0, vec![], Span::default());
    let split =
        |e: EdgeSpec, value: i32| e.action(set(&x, value)).probability(1, 2).or(A, 1, 2).action(set(&x, value + 1));
    start(&mut net, vec![split(go().sync(send(c, &[])), 0)]);
    start(&mut net, vec![split(go().sync(receive(c, vec![])), 5)]);
    let network = net.finish().unwrap();
    let found: Vec<_> = initial_steps(&network)
        .iter()
        .map(|s| (s.moves[0].destination, s.moves[1].destination, after(s).globals[2]))
        .collect();
    assert_eq!(found, [(0, 0, 5), (0, 1, 6), (1, 0, 5), (1, 1, 6)]);
}

#[test]
fn ends_are_no_deadlocks() {
    let mut net = NetworkBuilder::new("end");
    let mut t = TemplateBuilder::new("t");
    let a = t.location("end");
    t.location_mut(a).flags.end = true;
    let t = net.template(t, a);
    net.start(t, vec![]);
    let network = net.finish().unwrap();
    let reference = Reference::new(&network).unwrap();
    assert!(!reference.is_deadlock(&reference.initial().unwrap()));
}

#[test]
fn models_with_clocks_are_refused() {
    let mut net = NetworkBuilder::new("timed");
    net.clock("x");
    let network = net.finish().unwrap();
    assert_eq!(Reference::new(&network).unwrap_err(), Unsupported::Clocks);
}
