//! Replay of given micro steps.

use super::*;

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
