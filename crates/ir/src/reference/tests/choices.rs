//! Which edges are tried, in which order, and what keeps them from being taken.

use super::*;

#[test]
fn the_youngest_is_tried_first_and_edges_in_order() {
    let mut net = NetworkBuilder::new("order");
    let t = two(&mut net, vec![go(), go()]);
    net.start(t, vec![]);
    net.start(t, vec![]);
    let network = net.finish().unwrap();
    assert_eq!(moves(&initial_steps(&network)), [[(1, 0)], [(1, 1)], [(0, 0)], [(0, 1)]]);
}

#[test]
fn else_waits_for_the_edges_before_it() {
    let mut net = NetworkBuilder::new("else");
    let x = net.global("x", ValueType::Byte);
    start(&mut net, vec![go().guard(eq(&x, 1)), when(go(), Condition::Else)]);
    let network = net.finish().unwrap();
    assert_eq!(moves(&initial_steps(&network)), [[(0, 1)]]);
    let reference = Reference::new(&network).unwrap();
    let mut state = reference.initial().unwrap();
    state.globals[2] = 1;
    assert_eq!(moves(&reference.micro_steps(&state)), [[(0, 0)]]);
}

#[test]
fn a_rendezvous_counts_for_else_only_with_a_partner() {
    for (expected, partner) in [(vec![vec![(0, 0), (1, 2)]], 5), (vec![vec![(0, 1)]], 6)] {
        let mut net = NetworkBuilder::new("else over rendezvous");
        let c = net.channel("c", 0, vec![ValueType::Byte], Span::default());
        start(&mut net, vec![go().sync(send(c, &[5])), when(go(), Condition::Else)]);
        start(&mut net, vec![go().sync(receive(c, vec![Pattern::Match(Expr::Const(partner))]))]);
        assert_eq!(moves(&initial_steps(&net.finish().unwrap())), expected);
    }
}

#[test]
fn timeout_is_true_when_nothing_else_can_move_but_not_in_control() {
    let mut net = NetworkBuilder::new("timeout");
    let x = net.global("x", ValueType::Byte);
    start(&mut net, vec![go().guard(Expr::Timeout), go().guard(eq(&x, 1))]);
    let network = net.finish().unwrap();
    let reference = Reference::new(&network).unwrap();
    let mut state = reference.initial().unwrap();
    assert_eq!(moves(&reference.micro_steps(&state)), [[(0, 0)]]);
    assert!(reference.holds(&state, &Expr::Timeout).unwrap());
    state.globals[2] = 1;
    assert_eq!(moves(&reference.micro_steps(&state)), [[(0, 1)]]);
}

#[test]
fn escapes_shut_out_what_comes_behind() {
    let mut net = NetworkBuilder::new("unless");
    let x = net.global("x", ValueType::Byte);
    start(&mut net, vec![escape(go().guard(eq(&x, 1)), 2), escape(go(), 2), escape(go(), 1), go()]);
    let network = net.finish().unwrap();
    assert_eq!(moves(&initial_steps(&network)), [[(0, 1)]]);
}

#[test]
fn provided_guards_every_step() {
    let mut net = NetworkBuilder::new("provided");
    let x = net.global("x", ValueType::Byte);
    let mut t = TemplateBuilder::new("t");
    t.location("a");
    t.location("b");
    t.provided = Some(eq(&x, 1));
    t.edge(go());
    let t = net.template(t, A);
    net.start(t, vec![]);
    let network = net.finish().unwrap();
    let reference = Reference::new(&network).unwrap();
    let mut state = reference.initial().unwrap();
    assert!(reference.is_deadlock(&state));
    state.globals[2] = 1;
    assert_eq!(reference.micro_steps(&state).len(), 1);
}

#[test]
fn higher_priorities_go_first_if_they_can_go() {
    let mut net = NetworkBuilder::new("priorities");
    let x = net.global("x", ValueType::Byte);
    let lower = Action::SetPriority { pid: Expr::OwnPid, priority: Expr::Const(1) };
    let raise = Action::SetPriority { pid: Expr::Const(1), priority: Expr::Const(9) };
    start(&mut net, vec![go().action(raise), EdgeSpec::new(B, B)]);
    start(&mut net, vec![go().guard(eq(&x, 0)).action(lower)]);
    let network = net.finish().unwrap();
    let reference = Reference::new(&network).unwrap();
    let steps = reference.micro_steps(&reference.initial().unwrap());
    assert_eq!(moves(&steps), [[(1, 2)], [(0, 0)]]);
    let mut raised = after(&steps[1]).clone();
    assert_eq!(moves(&reference.micro_steps(&raised)), [[(1, 2)]]);
    raised.globals[2] = 1;
    assert_eq!(moves(&reference.micro_steps(&raised)), [[(0, 1)]], "the other is blocked");
}

#[test]
fn enabled_looks_at_others_and_refuses_circles() {
    let mut net = NetworkBuilder::new("enabled");
    let x = net.global("x", ValueType::Byte);
    let asks = |pid: i32| Expr::Enabled(Box::new(Expr::Const(pid)));
    start(&mut net, vec![go().guard(asks(1)), go().guard(asks(2)), go().guard(asks(0)), go().guard(asks(7))]);
    start(&mut net, vec![go().guard(eq(&x, 0))]);
    start(&mut net, vec![go().guard(eq(&x, 1))]);
    let network = net.finish().unwrap();
    let steps = initial_steps(&network);
    assert_eq!(moves(&steps), [[(1, 4)], [(0, 0)], [(0, 2)]]);
    assert_eq!(code(&steps[2]), EvalError::EnabledCycle);
}

#[test]
fn committed_locations_must_be_left_first() {
    let mut net = NetworkBuilder::new("committed");
    let mut t = TemplateBuilder::new("t");
    let (a, b) = (t.location("a"), t.location("b"));
    t.location_mut(a).flags.committed = true;
    t.edge(EdgeSpec::new(a, b));
    let t = net.template(t, a);
    net.start(t, vec![]);
    start(&mut net, vec![go()]);
    let network = net.finish().unwrap();
    assert_eq!(moves(&initial_steps(&network)), [[(0, 0)]]);
}
