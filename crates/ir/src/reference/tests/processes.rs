//! How processes start and end, and what they see of each other.

use super::*;

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
