//! Channels and signals.

use super::*;

#[test]
fn a_rendezvous_moves_the_sender_first_and_binds_in_the_receiver() {
    let mut net = NetworkBuilder::new("rendezvous");
    let x = net.global("x", ValueType::Byte);
    let c = net.channel("c", 0, vec![ValueType::Byte], Span::default());
    let sender_moved = Expr::At { pid: Box::new(Expr::Const(0)), location: LocationId(2) };
    let sender = go().sync(send(c, &[300])).keeps_control();
    start(&mut net, vec![sender]);
    let patterns = vec![Pattern::Bind(x.clone())];
    start(&mut net, vec![go().sync(receive(c, patterns)).guard(sender_moved)]);
    let network = net.finish().unwrap();
    let steps = initial_steps(&network);
    assert_eq!(moves(&steps), [[(0, 0), (1, 1)]]);
    assert!(!steps[0].moves[0].joins && steps[0].moves[1].joins);
    assert_eq!(after(&steps[0]).globals[2], 44, "the field is a byte");
    assert_eq!(after(&steps[0]).control, None, "the receiver's edge decides about control");
    assert_eq!(steps[0].weight, 1);
}

#[test]
fn nobody_meets_itself_and_nobody_waits_alone() {
    let mut net = NetworkBuilder::new("alone");
    let c = net.channel("c", 0, vec![ValueType::Byte], Span::default());
    start(&mut net, vec![go().sync(send(c, &[1])), go().sync(receive(c, vec![Pattern::Any]))]);
    let network = net.finish().unwrap();
    let reference = Reference::new(&network).unwrap();
    let state = reference.initial().unwrap();
    assert!(reference.micro_steps(&state).is_empty());
    assert!(reference.is_deadlock(&state));
}

#[test]
fn buffered_channels_block_when_full_and_keep_their_order() {
    let mut net = NetworkBuilder::new("buffer");
    let x = net.global("x", ValueType::Byte);
    let c = net.channel("c", 2, vec![ValueType::Byte], Span::default());
    let sorted = Sync::Send { channel: Expr::Const(c), sorted: true, fields: vec![Expr::Const(2)] };
    let anywhere = Sync::Receive {
        channel: Expr::Const(c),
        anywhere: true,
        keep: true,
        patterns: vec![Pattern::Match(Expr::Const(3))],
    };
    start(
        &mut net,
        vec![
            EdgeSpec::new(A, A).sync(sorted),
            EdgeSpec::new(A, A).sync(receive(c, vec![Pattern::Bind(x.clone())])),
            EdgeSpec::new(A, A).sync(anywhere),
        ],
    );
    let network = net.finish().unwrap();
    let reference = Reference::new(&network).unwrap();
    let mut state = reference.initial().unwrap();
    state.channels[0] = [vec![3]].into();
    let steps = reference.micro_steps(&state);
    assert_eq!(moves(&steps), [[(0, 0)], [(0, 1)], [(0, 2)]]);
    assert_eq!(after(&steps[0]).channels[0], [vec![2], vec![3]]);
    assert_eq!((after(&steps[1]).globals[2], after(&steps[1]).channels[0].len()), (3, 0));
    assert_eq!(after(&steps[2]).channels[0].len(), 1, "kept");
    let full = after(&steps[0]).clone();
    let steps = reference.micro_steps(&full);
    assert_eq!(moves(&steps), [[(0, 1)], [(0, 2)]]);
    assert_eq!(after(&steps[0]).globals[2], 2);
    let not_full =
        |s: &RefState| reference.holds(s, &Expr::Channel(ChannelQuery::NotFull, Box::new(Expr::Const(c)))).unwrap();
    assert!(not_full(&state) && !not_full(&full));
}

#[test]
fn wrong_numbers_of_fields_are_reported_but_the_step_goes_on() {
    let mut net = NetworkBuilder::new("fields");
    let c = net.channel("c", 1, vec![ValueType::Byte, ValueType::Byte], Span::default());
    let edge = |sync| EdgeSpec::new(A, A).sync(sync);
    start(
        &mut net,
        vec![
            edge(send(c, &[1])),
            edge(send(c, &[1, 2, 3])),
            edge(receive(c, vec![Pattern::Any])),
            edge(receive(c, vec![Pattern::Any; 3])),
        ],
    );
    let network = net.finish().unwrap();
    let steps = initial_steps(&network);
    let soft = |s: &MicroStep| EvalError::from_code(s.soft_failures[0].failure.code).unwrap();
    assert_eq!((soft(&steps[0]), soft(&steps[1])), (EvalError::TooFewFields, EvalError::TooManyFields));
    assert_eq!(after(&steps[0]).channels[0], [vec![1, 0]]);
    assert_eq!(after(&steps[1]).channels[0], [vec![1, 2]]);
    let steps = Reference::new(&network).unwrap().micro_steps(after(&steps[1]));
    assert_eq!(soft(&steps[0]), EvalError::MissingPatterns);
    assert!(after(&steps[0]).channels[0].is_empty());
    assert_eq!(code(&steps[1]), EvalError::TooManyPatterns);
}

#[test]
fn binary_signals_pair_and_broadcasts_take_all_who_hear() {
    for (kind, expected) in [
        (SignalKind::Binary, vec![vec![(0, 0), (3, 1)], vec![(0, 0), (1, 1)]]),
        (SignalKind::Broadcast, vec![vec![(0, 0), (1, 1), (3, 1)]]),
    ] {
        let mut net = NetworkBuilder::new("signals");
        let x = net.global("x", ValueType::Byte);
        let signal = net.signal("s", kind);
        start(&mut net, vec![go().sync(Sync::Emit { signal: signal.clone() }).action(set(&x, 1))]);
        let times_ten = Expr::binary(BinaryOp::Multiply, Expr::Const(10), Expr::read(x.clone()));
        let sum = Expr::binary(BinaryOp::Add, times_ten, Expr::OwnPid);
        let accept = |e: EdgeSpec| e.sync(Sync::Accept { signal: signal.clone() });
        let hearer = two(&mut net, vec![accept(go()).guard(eq(&x, 0)).assign(x.clone(), sum)]);
        let deaf = two(&mut net, vec![accept(go()).guard(eq(&x, 1))]);
        net.start(hearer, vec![]);
        net.start(deaf, vec![]);
        net.start(hearer, vec![]);
        let network = net.finish().unwrap();
        let steps = initial_steps(&network);
        assert_eq!(moves(&steps), expected);
        let value = if kind == SignalKind::Binary { 13 } else { 113 };
        assert_eq!(after(&steps[0]).globals[2], value, "guards before updates, then in ascending order");
    }
}
