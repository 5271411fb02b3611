//! Chains of steps: control that is kept, and programs that are one step.

use super::*;

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
