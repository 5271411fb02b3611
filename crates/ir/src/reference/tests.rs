//! Each rule of the semantics on a network that shows it and little else.

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
fn start_arguments_are_converted_and_initialisers_see_their_process() {
    let mut net = NetworkBuilder::new("start");
    let x = net.global("x", ValueType::Int);
    net.initialise(crate::network::Initialiser::Assign(set(&x, 7)));
    let mut t = TemplateBuilder::new("t");
    let here = t.location("here");
    t.parameter("p", ValueType::Byte);
    let own = t.local("own", ValueType::Pid);
    t.initialisers
        .push(crate::network::Initialiser::Assign(Action::Assign { target: own.clone(), value: Expr::OwnPid }));
    let t = net.template(t, here);
    net.start(t, vec![257]);
    net.start(t, vec![3]);
    let network = net.finish().unwrap();
    let state = Reference::new(&network).unwrap().initial().unwrap();
    assert_eq!(state.globals[2], 7);
    let locals: Vec<_> = state.processes.iter().map(|p| p.variables[2..].to_vec()).collect();
    assert_eq!(locals, [[1, 0], [3, 1]]);
    assert_eq!(to_key(&network, &state), [2, 0, 7, 1, 0, 1, 0, 1, 0, 3, 1]);
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
fn control_keeps_others_out_until_it_blocks() {
    let mut net = NetworkBuilder::new("atomic");
    let x = net.global("x", ValueType::Byte);
    let more = |e: EdgeSpec| e.assign(x.clone(), plus(&x, 1));
    start(&mut net, vec![more(go()).keeps_control(), EdgeSpec::new(B, A).guard(eq(&x, 1))]);
    start(&mut net, vec![more(EdgeSpec::new(A, A))]);
    let network = net.finish().unwrap();
    let reference = Reference::new(&network).unwrap();
    let steps = reference.micro_steps(&reference.initial().unwrap());
    let inside = after(&steps[1]);
    assert_eq!(inside.control, Some(0));
    assert_eq!(moves(&reference.micro_steps(inside)), [[(0, 1)]]);
    let other = Move { process: 1, edge: 2, destination: 0, joins: false };
    assert_eq!(reference.apply(inside, &[other]).unwrap_err(), ReplayError::NotInControl { process: 1, control: 0 });
    let mut blocked = inside.clone();
    blocked.globals[2] = 9;
    assert_eq!(moves(&reference.micro_steps(&blocked)), [[(1, 2)]], "control is lost");
    assert_eq!(after(&reference.apply(&blocked, &[other]).unwrap()).globals[2], 10);
}

#[test]
fn macro_steps_run_through_chains_and_loops_end() {
    let mut net = NetworkBuilder::new("chain");
    let x = net.global("x", ValueType::Bit);
    let flip = EdgeSpec::new(B, B).assign(x.clone(), plus(&x, 1)).keeps_control();
    start(&mut net, vec![go().keeps_control(), flip, EdgeSpec::new(B, A)]);
    let network = net.finish().unwrap();
    let reference = Reference::new(&network).unwrap();
    let steps = reference.macro_successors(&reference.initial().unwrap());
    let found: Vec<_> = steps.iter().map(|s| (s.weight, s.result.as_ref().unwrap().globals[2])).collect();
    assert_eq!(found, [(2, 0), (3, 1)]);
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
fn programs_take_the_first_alternative_and_may_not_block() {
    let mut net = NetworkBuilder::new("program");
    let x = net.global("x", ValueType::Byte);
    let count = vec![
        vec![alternative(vec![eq(&x, 0)], vec![], Some(1))],
        vec![
            alternative(vec![eq(&x, 5)], vec![], None),
            alternative(vec![], vec![Action::Assign { target: x.clone(), value: plus(&x, 1) }], Some(1)),
        ],
    ];
    let blocks = vec![vec![alternative(vec![], vec![], Some(1))], vec![alternative(vec![eq(&x, 9)], vec![], None)]];
    let runs_away = vec![vec![alternative(vec![], vec![], Some(0))]];
    let closed = vec![vec![alternative(vec![eq(&x, 9)], vec![], None)]];
    let edges = [count, blocks, runs_away, closed].map(|nodes| running(go(), &mut net, nodes));
    start(&mut net, edges.into());
    let network = net.finish().unwrap();
    let steps = initial_steps(&network);
    assert_eq!(moves(&steps), [[(0, 0)], [(0, 1)], [(0, 2)]]);
    assert_eq!(after(&steps[0]).globals[2], 5);
    assert_eq!(code(&steps[1]), EvalError::BlockedInProgram);
    assert_eq!(code(&steps[2]), EvalError::RunawayProgram);
}

#[test]
fn a_program_may_start_with_a_rendezvous_receive_but_not_send() {
    let mut net = NetworkBuilder::new("program rendezvous");
    let x = net.global("x", ValueType::Byte);
    let c = net.channel("c", 0, vec![ValueType::Byte], Span::default());
    let mut hear = alternative(vec![], vec![], None);
    hear.sync = receive(c, vec![Pattern::Bind(x)]);
    let mut say = alternative(vec![], vec![], None);
    say.sync = send(c, &[1]);
    let hearing = running(go(), &mut net, vec![vec![hear]]);
    let saying = running(go(), &mut net, vec![vec![say]]);
    start(&mut net, vec![hearing]);
    start(&mut net, vec![go().sync(send(c, &[8])), saying]);
    let network = net.finish().unwrap();
    let steps = initial_steps(&network);
    assert_eq!(moves(&steps), [vec![(1, 1), (0, 0)], vec![(1, 2)]]);
    assert_eq!(after(&steps[0]).globals[2], 8);
    assert_eq!(code(&steps[1]), EvalError::RendezvousInProgram);
}

#[test]
fn processes_start_on_top_and_only_the_youngest_ends() {
    let mut net = NetworkBuilder::new("run");
    let x = net.global("x", ValueType::Pid);
    let mut child = TemplateBuilder::new("child");
    let (run, gone) = (child.location("run"), child.location("gone"));
    child.parameter("n", ValueType::Byte);
    child.edge(when(EdgeSpec::new(run, gone).action(Action::End).keeps_control(), Condition::Youngest));
    let child = net.template(child, run);
    let create = Action::Run { template: child, arguments: vec![Expr::OwnPid], priority: None, result: Some(x) };
    start(&mut net, vec![EdgeSpec::new(A, A).action(create)]);
    let network = net.finish().unwrap();
    let reference = Reference::new(&network).unwrap();
    let first = reference.micro_steps(&reference.initial().unwrap());
    assert_eq!((after(&first[0]).globals[2], after(&first[0]).processes.len()), (1, 2));
    let second = reference.micro_steps(after(&first[0]));
    assert_eq!(moves(&second), [[(1, 0)], [(0, 1)]]);
    assert_eq!(after(&second[0]).processes.len(), 1);
    assert_eq!(after(&second[0]).control, None, "who has ended has no control");
    let mut state = reference.initial().unwrap();
    for _ in 1..network.frames.processes.len() {
        let steps = reference.micro_steps(&state);
        state = after(steps.last().unwrap()).clone();
    }
    assert_eq!(code(reference.micro_steps(&state).last().unwrap()), EvalError::TooManyProcesses);
}

#[test]
fn the_last_process_is_the_receiver_and_actions_still_see_the_one_before() {
    let mut net = NetworkBuilder::new("last");
    let (x, y) = (net.global("x", ValueType::Byte), net.global("y", ValueType::Byte));
    let c = net.channel("c", 0, vec![], Span::default());
    let remember = |p: &Place| Action::Assign { target: p.clone(), value: Expr::LastProcess };
    start(&mut net, vec![go()]);
    start(&mut net, vec![go().sync(receive(c, vec![])).action(remember(&y))]);
    start(&mut net, vec![go().sync(send(c, &[])).action(remember(&x))]);
    let network = net.finish().unwrap();
    let steps = initial_steps(&network);
    let state = after(&steps[0]);
    assert_eq!((state.globals[2], state.globals[3], state.last), (0, 2, 1));
}

#[test]
fn remote_references_read_zero_from_nobody() {
    let mut net = NetworkBuilder::new("remote");
    let mut t = TemplateBuilder::new("t");
    let here = t.location("here");
    let v = t.local("v", ValueType::Byte);
    t.initialisers.push(crate::network::Initialiser::Assign(set(&v, 6)));
    let t = net.template(t, here);
    net.start(t, vec![]);
    let network = net.finish().unwrap();
    let reference = Reference::new(&network).unwrap();
    let state = reference.initial().unwrap();
    let remote = |pid| Place { scope: Scope::Process { pid: Box::new(Expr::Const(pid)), template: t }, ..v.clone() };
    let at = |pid| Expr::At { pid: Box::new(Expr::Const(pid)), location: LocationId(1) };
    let holds = |e: &Expr| reference.holds(&state, e).unwrap();
    assert!(holds(&eq(&remote(0), 6)) && holds(&eq(&remote(1), 0)) && holds(&eq(&remote(-1), 0)));
    assert!(holds(&at(0)) && !holds(&at(1)));
    assert!(holds(&Expr::FirstOf(t).equals(Expr::Const(0))));
    assert!(holds(&Expr::LocationNumber(Box::new(Expr::Const(0))).equals(Expr::Const(1))));
    assert!(holds(&Expr::NonProgress));
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
fn replay_says_why_not() {
    let mut net = NetworkBuilder::new("replay");
    let x = net.global("x", ValueType::Byte);
    let print = Action::Print { format: "x=%d\\n".into(), arguments: vec![Expr::read(x.clone())] };
    start(&mut net, vec![go().action(print), go().guard(eq(&x, 1)).text("x == 1"), EdgeSpec::new(B, A)]);
    let network = net.finish().unwrap();
    let reference = Reference::new(&network).unwrap();
    let state = reference.initial().unwrap();
    let apply = |process: u16, edge: u32, destination: u16, joins: bool| {
        reference.apply(&state, &[Move { process, edge, destination, joins }]).map(|s| s.printed)
    };
    assert_eq!(apply(0, 0, 0, false).unwrap(), ["x=0\n"]);
    assert_eq!(apply(0, 0, 0, true), Err(ReplayError::NotAMicroStep));
    assert_eq!(apply(3, 0, 0, false), Err(ReplayError::NoSuchProcess { process: 3 }));
    assert_eq!(apply(0, 9, 0, false), Err(ReplayError::NoSuchEdge { edge: 9 }));
    assert_eq!(apply(0, 0, 1, false), Err(ReplayError::NoSuchDestination { edge: 0, destination: 1 }));
    assert_eq!(apply(0, 2, 0, false), Err(ReplayError::WrongLocation { process: 0, edge: 2 }));
    let text = "x == 1".to_string();
    assert_eq!(apply(0, 1, 0, false), Err(ReplayError::NotExecutable { process: 0, edge: 1, text }));
}

#[test]
fn models_with_clocks_are_refused() {
    let mut net = NetworkBuilder::new("timed");
    net.clock("x");
    let network = net.finish().unwrap();
    assert_eq!(Reference::new(&network).unwrap_err(), Unsupported::Clocks);
}
