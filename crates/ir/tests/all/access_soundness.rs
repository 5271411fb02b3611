//! Random walks with the reference evaluator check what the access analysis declares.
//!
//! Whatever changes in a micro step must be declared as a possible write of the edges that made it. And a slot that is
//! not declared as read can be changed beforehand without making the step impossible or changing anything else that it
//! writes; if its write is declared as certain, not even the slot itself remembers.

use std::collections::BTreeSet;

use bughound_ir::analysis::Instance;
use bughound_ir::analysis::access::EdgeAccess;
use bughound_ir::analysis::constants::Constants;
use bughound_ir::builder::{EdgeSpec, NetworkBuilder, TemplateBuilder};
use bughound_ir::edge::{Action, Alternative, Condition, EdgeId, Program, ProgramNode, Sync};
use bughound_ir::expr::{BinaryOp, Expr, Index, Pattern, Place, Scope};
use bughound_ir::network::{Initialiser, Network};
use bughound_ir::reference::{MicroStep, RefState, Reference, from_key, to_key};
use bughound_ir::source::Span;
use bughound_ir::types::{Channel, Dim, SignalKind, ValueType, Variable};
use bughound_kernel::{Access, Random};

fn read(place: &Place) -> Expr {
    Expr::read(place.clone())
}

fn add(left: Expr, right: i32) -> Expr {
    Expr::binary(BinaryOp::Add, left, Expr::Const(right))
}

fn send(channel: Expr, fields: Vec<Expr>) -> Sync {
    Sync::Send { channel, sorted: false, fields }
}

fn receive(channel: Expr, patterns: Vec<Pattern>) -> Sync {
    Sync::Receive { channel, anywhere: false, keep: false, patterns }
}

fn when(mut spec: EdgeSpec, condition: Condition) -> EdgeSpec {
    spec.edge.condition = condition;
    spec
}

/// A global array and a way to name its elements.
fn array(net: &mut NetworkBuilder, name: &str, ty: ValueType, len: u32) -> impl Fn(Expr) -> Place + use<> {
    let slot = net.allocate(len);
    let dims = vec![Dim { len, stride: 1, after: name.len() as u32, first: 0 }];
    net.variable(Variable { name: name.into(), ty, slot, dims, hidden: false, span: Span::default() });
    move |value| Place { indices: vec![Index { value, len, stride: 1 }], ..Place::global(slot, ty) }
}

/// Philosophers take forks out of channels; which ones follows from a parameter.
fn philosophers() -> Network {
    let mut net = NetworkBuilder::new("philosophers");
    let forks = array(&mut net, "forks", ValueType::Chan, 3);
    for i in 0..3 {
        net.channel(format!("fork{i}"), 2, vec![ValueType::Bit], Span::default());
        net.initialise(Initialiser::Channel { slot: forks(Expr::Const(0)).slot + i, index: i });
    }
    let meals = array(&mut net, "meals", ValueType::Byte, 3);
    let mut p = TemplateBuilder::new("phil");
    let places: Vec<_> = (0..5).map(|i| p.location(format!("l{i}"))).collect();
    let me = p.parameter("me", ValueType::Byte);
    let next = Expr::binary(BinaryOp::Remainder, add(read(&me), 1), Expr::Const(3));
    let (left, right) = (Expr::read(forks(read(&me))), Expr::read(forks(next)));
    let one = vec![Expr::Const(1)];
    p.edge(EdgeSpec::new(places[0], places[1]).sync(send(left.clone(), one.clone())));
    p.edge(EdgeSpec::new(places[1], places[2]).sync(receive(left.clone(), vec![Pattern::Any])));
    p.edge(EdgeSpec::new(places[2], places[3]).sync(receive(right.clone(), vec![Pattern::Match(Expr::Const(1))])));
    p.edge(when(EdgeSpec::new(places[2], places[0]), Condition::Else).sync(send(left, one.clone())));
    let eat = meals(read(&me));
    p.edge(EdgeSpec::new(places[3], places[4]).assign(eat.clone(), add(Expr::read(eat), 1)).keeps_control());
    p.edge(EdgeSpec::new(places[4], places[1]).sync(send(right, one)));
    let phil = net.template(p, places[0]);
    (0..3).for_each(|i| net.start(phil, vec![i]));
    net.finish().unwrap()
}

/// Clients come and go, each with a channel of its own that it sends to a server.
fn clients() -> Network {
    let mut net = NetworkBuilder::new("clients");
    let post = net.channel("post", 2, vec![ValueType::Chan, ValueType::Byte], Span::default());
    let served = net.global("served", ValueType::Byte);
    let mut client = TemplateBuilder::new("client");
    let [a, b, c, d] = ["a", "b", "c", "d"].map(|l| client.location(l));
    let start = client.parameter("start", ValueType::Byte);
    let mine = client.local("mine", ValueType::Chan);
    let answer = client.local("answer", ValueType::Byte);
    let slot = client.allocate(3);
    let fields = vec![ValueType::Byte];
    client.channels.push(Channel { name: "own".into(), capacity: 2, fields, slot, span: Span::default() });
    client.initialisers.push(Initialiser::Channel { slot: mine.slot, index: 0 });
    client
        .initialisers
        .push(Initialiser::Assign(Action::Assign { target: answer.clone(), value: add(read(&served), 1) }));
    client.edge(EdgeSpec::new(a, b).sync(send(Expr::Const(post), vec![read(&mine), read(&start)])));
    client.edge(EdgeSpec::new(b, c).sync(receive(read(&mine), vec![Pattern::Bind(answer.clone())])));
    client.edge(when(EdgeSpec::new(c, d).action(Action::End), Condition::Youngest));
    let client = net.template(client, a);
    let mut server = TemplateBuilder::new("server");
    let [wait, work] = ["wait", "work"].map(|l| server.location(l));
    let who = server.local("who", ValueType::Chan);
    let what = server.local("what", ValueType::Byte);
    let patterns = vec![Pattern::Bind(who.clone()), Pattern::Bind(what.clone())];
    server.edge(EdgeSpec::new(wait, work).sync(receive(Expr::Const(post), patterns)));
    server.edge(
        EdgeSpec::new(work, wait)
            .sync(send(read(&who), vec![add(read(&what), 1)]))
            .assign(served.clone(), add(read(&served), 1)),
    );
    let few = Expr::binary(BinaryOp::Less, Expr::ProcessCount, Expr::Const(4));
    let arguments = vec![add(read(&served), 3)];
    let run = Action::Run { template: client, arguments, priority: None, result: Some(what.clone()) };
    server.edge(EdgeSpec::new(wait, wait).guard(few).action(run));
    let remote = Place { scope: Scope::Process { pid: Box::new(Expr::Const(1)), template: client }, ..answer };
    server.edge(EdgeSpec::new(wait, wait).assign(what, Expr::read(remote)));
    let server = net.template(server, wait);
    net.start(server, vec![]);
    net.finish().unwrap()
}

/// Rendezvous with `else`, escapes, a program, `_last` and two destinations.
fn mixture() -> Network {
    let mut net = NetworkBuilder::new("mixture");
    let [x, y, z] = ["x", "y", "z"].map(|n| net.global(n, ValueType::Unsigned(2)));
    let marks = array(&mut net, "marks", ValueType::Bit, 4);
    let c = Expr::Const(net.channel("c", 0, vec![ValueType::Byte], Span::default()));
    let less = |p: &Place, n: i32| Expr::binary(BinaryOp::Less, read(p), Expr::Const(n));
    let step = |guards: Vec<Expr>, actions: Vec<Action>, next: Option<u32>| Alternative {
        condition: Condition::None,
        guards,
        sync: Sync::None,
        actions,
        next,
    };
    let more = |p: &Place| Action::Assign { target: p.clone(), value: add(read(p), 1) };
    let reset = Action::Assign { target: y.clone(), value: Expr::Const(0) };
    let nodes = vec![
        vec![step(vec![less(&y, 3)], vec![more(&y)], Some(1))],
        vec![step(vec![less(&x, 2)], vec![more(&x)], None), step(vec![], vec![reset], None)],
    ];
    let nodes = nodes.into_iter().map(|alternatives| ProgramNode { alternatives, span: Span::default() }).collect();
    let program = net.program(Program { nodes });
    let mut p = TemplateBuilder::new("p");
    let [a, b] = ["a", "b"].map(|l| p.location(l));
    p.edge(EdgeSpec::new(a, b).sync(send(c.clone(), vec![read(&x)])));
    let count = EdgeSpec::new(a, a).assign(x.clone(), add(read(&x), 1)).assign(y.clone(), add(read(&y), 1));
    p.edge(when(count, Condition::Else));
    let mut escape = EdgeSpec::new(b, a).guard(less(&y, 1)).assign(z.clone(), Expr::LastProcess);
    escape.edge.escape = 1;
    p.edge(escape);
    let mut runs = EdgeSpec::new(b, a);
    runs.edge.program = Some(program);
    p.edge(runs);
    p.edge(EdgeSpec::new(b, b).assign(y.clone(), Expr::Const(0)).assign(marks(read(&x)), Expr::Const(1)));
    let p = net.template(p, a);
    let mut q = TemplateBuilder::new("q");
    let [d, e] = ["d", "e"].map(|l| q.location(l));
    let v = q.local("v", ValueType::Byte);
    q.edge(EdgeSpec::new(d, e).guard(less(&z, 1)).sync(receive(c, vec![Pattern::Bind(v.clone())])).keeps_control());
    let toss = EdgeSpec::new(e, d).assign(z.clone(), Expr::Const(0)).probability(1, 2);
    q.edge(toss.or(d, 1, 2).assign(z.clone(), Expr::Const(1)).assign(v.clone(), Expr::Const(9)));
    q.edge(EdgeSpec::new(d, d).assign(z.clone(), read(&v)));
    q.edge(EdgeSpec::new(d, d).assign(z.clone(), Expr::Const(0)));
    let q = net.template(q, d);
    net.start(p, vec![]);
    net.start(q, vec![]);
    net.start(p, vec![]);
    net.finish().unwrap()
}

/// A broadcast and a hand-shake.
fn signals() -> Network {
    let mut net = NetworkBuilder::new("signals");
    let [x, y] = ["x", "y"].map(|n| net.global(n, ValueType::Byte));
    let all = net.signal("all", SignalKind::Broadcast);
    let two = net.signal("two", SignalKind::Binary);
    let mut p = TemplateBuilder::new("p");
    let [a, b] = ["a", "b"].map(|l| p.location(l));
    let seen = p.local("seen", ValueType::Byte);
    let small = Expr::binary(BinaryOp::Less, read(&seen), Expr::Const(4));
    p.edge(EdgeSpec::new(a, b).sync(Sync::Emit { signal: all.clone() }).assign(x.clone(), add(read(&x), 1)));
    p.edge(EdgeSpec::new(a, a).guard(small).sync(Sync::Accept { signal: all }).assign(seen.clone(), read(&x)));
    p.edge(EdgeSpec::new(b, a).sync(Sync::Emit { signal: two.clone() }).assign(y.clone(), read(&seen)));
    p.edge(EdgeSpec::new(a, b).sync(Sync::Accept { signal: two }).assign(seen, read(&y)));
    let p = net.template(p, a);
    (0..3).for_each(|_| net.start(p, vec![]));
    net.finish().unwrap()
}

/// The access of a whole micro step.
fn access_of(state: &RefState, step: &MicroStep, accesses: &EdgeAccess) -> Access {
    let mut union = Access::default();
    for m in &step.moves {
        let template = state.processes[m.process as usize].template;
        let instance = Instance { pid: m.process as u32, template };
        let access = accesses.of(instance, EdgeId(m.edge)).expect("the edge belongs to the instance");
        assert!(access.must_write.is_subset(&access.may_write));
        union.reads.extend(access.reads.iter());
        union.may_write.extend(access.may_write.iter());
        union.must_write.extend(access.must_write.iter());
        union.reads_everything |= access.reads_everything;
    }
    union
}

/// Slots whose value is fixed by the analysis of constants: no other value is possible there.
fn constant_slots(network: &Network, state: &RefState, constants: &Constants) -> BTreeSet<u32> {
    let mut slots: BTreeSet<u32> = constants.outside().globals.keys().copied().collect();
    for (pid, process) in state.processes.iter().enumerate() {
        let known = constants.of(Instance { pid: pid as u32, template: process.template });
        slots.extend(known.locals.keys().map(|slot| network.frames.processes[pid].base + slot));
        for (slot, value) in known.locals {
            assert_eq!(process.variables[slot as usize], value, "a constant has another value");
        }
    }
    for (slot, value) in constants.outside().globals {
        assert_eq!(state.globals[slot as usize], value, "a constant has another value");
    }
    slots
}

fn slot(key: &[i32], index: usize) -> i32 {
    key.get(index).copied().unwrap_or(0)
}

/// Gives one slot that the step does not read another value and tries the step again.
fn disturb(reference: &Reference<'_>, state: &RefState, step: &MicroStep, access: &Access, at: u32, value: i32) {
    let network = reference.network();
    let mut key = to_key(network, state);
    key[at as usize] = value;
    let disturbed = from_key(network, &key);
    if to_key(network, &disturbed) != key {
        return; // not a state: a cell behind the length of its channel
    }
    let again = reference.apply(&disturbed, &step.moves);
    let again = again.unwrap_or_else(|e| panic!("slot {at} is read by {:?}: {e}", step.moves));
    match (&step.result, &again.result) {
        (Ok(expected), Ok(found)) => {
            let (expected, found) = (to_key(network, expected), to_key(network, found));
            for i in 0..network.frames.layout.slots.len() {
                if i as u32 != at {
                    assert_eq!(slot(&found, i), slot(&expected, i), "slot {i} depends on {at} in {:?}", step.moves);
                }
            }
            let after = slot(&found, at as usize);
            if access.must_write.contains(at) {
                assert_eq!(after, slot(&expected, at as usize), "slot {at} was not written by {:?}", step.moves);
            } else if !access.may_write.contains(at) {
                assert_eq!(after, value, "slot {at} was written by {:?}", step.moves);
            }
        }
        (expected, found) => assert_eq!(expected.is_ok(), found.is_ok()),
    }
}

fn walk(network: &Network, accesses: &EdgeAccess, constants: &Constants, seed: u64) -> usize {
    let reference = Reference::new(network).unwrap();
    let mut random = Random::new(seed);
    let mut state = reference.initial().unwrap();
    let mut disturbed = 0;
    for _ in 0..150 {
        let key = to_key(network, &state);
        assert_eq!(from_key(network, &key), state.ordinary());
        for (value, domain) in key.iter().zip(&network.frames.layout.slots) {
            assert!(domain.lo <= *value && *value <= domain.hi, "{key:?} leaves the layout");
        }
        let fixed = constant_slots(network, &state, constants);
        let ordinary = state.ordinary();
        for step in reference.micro_steps(&ordinary) {
            let access = access_of(&ordinary, &step, accesses);
            if let Ok(after) = &step.result {
                let after = to_key(network, after);
                for i in 0..network.frames.layout.slots.len() {
                    let changed = slot(&key, i) != slot(&after, i);
                    assert!(!changed || access.may_write.contains(i as u32), "slot {i} changed: {:?}", step.moves);
                }
            }
            let at = 1 + random.below(key.len() - 1) as u32;
            if access.reads_everything || access.reads.contains(at) || fixed.contains(&at) {
                continue;
            }
            let domain = network.frames.layout.slots[at as usize];
            let width = (domain.hi as i64 - domain.lo as i64 + 1).min(1 << 20) as usize;
            disturb(&reference, &ordinary, &step, &access, at, domain.lo + random.below(width) as i32);
            disturbed += 1;
        }
        let steps = reference.micro_steps(&state);
        let going: Vec<&RefState> = steps.iter().filter_map(|s| s.result.as_ref().ok()).collect();
        if going.is_empty() {
            state = reference.initial().unwrap();
        } else {
            state = going[random.below(going.len())].clone();
        }
    }
    disturbed
}

#[test]
fn declared_accesses_are_sound_on_random_walks() {
    for network in [philosophers(), clients(), mixture(), signals()] {
        let (accesses, constants) = (EdgeAccess::new(&network), Constants::new(&network));
        let disturbed: usize = (0..8).map(|seed| walk(&network, &accesses, &constants, seed)).sum();
        assert!(disturbed > 500, "{}: only {disturbed} steps were tried again", network.name);
    }
}
