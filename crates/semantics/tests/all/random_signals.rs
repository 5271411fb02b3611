//! Random networks with hand-shakes, broadcasts, vectors, chances and committed locations: the engine agrees with the reference.

use crate::common;
use bughound_ir::builder::{EdgeSpec, LocalLocation, NetworkBuilder, TemplateBuilder};
use bughound_ir::chance::Kind;
use bughound_ir::edge::{Action, Alternative, Condition, Program, ProgramId, Sync};
use bughound_ir::expr::{BinaryOp, Expr, Place};
use bughound_ir::network::{Network, Vector};
use bughound_ir::real::{Exact, Real, RealOp, Rounding};
use bughound_ir::source::Span;
use bughound_ir::stochastic::Stochastic;
use bughound_ir::types::{SignalKind, ValueType};
use bughound_kernel::Random;

/// What edges can talk about.
struct Vocabulary {
    places: Vec<Place>,
    signals: i32,
    programs: Vec<ProgramId>,
    chains: bool,
    processes: i32,
    /// Edges may join others.
    joins: bool,
}

const SMALL: ValueType = ValueType::Range { lo: 0, hi: 3 };

fn condition(random: &mut Random, words: &Vocabulary) -> Expr {
    let read = Expr::read(random.pick(&words.places).clone());
    let constant = Expr::Const(random.below(3) as i32);
    match random.below(14) {
        12 => Expr::Exact(Box::new(Exact::Compare(BinaryOp::Less, chance(random, words), Real::fraction(1, 2)))),
        13 => Expr::Exact(Box::new(Exact::Round(Rounding::Nearest, chance(random, words)))),
        0 => Expr::binary(BinaryOp::Divide, Expr::Const(2), read), // fails at 0
        1 => Expr::LastProcess.equals(Expr::Const(random.below(words.processes as usize) as i32)),
        2 => Expr::Timeout,
        n if n < 8 => Expr::binary(BinaryOp::Less, read, constant),
        _ => Expr::binary(BinaryOp::NotEqual, read, constant),
    }
}

/// A fraction that depends on the state: it may be 0, negative, or without a value.
fn chance(random: &mut Random, words: &Vocabulary) -> Real {
    let read = Real::Whole(Expr::read(random.pick(&words.places).clone()));
    match random.below(4) {
        0 => Real::binary(RealOp::Divide, read, Real::fraction(3, 1)),
        1 => Real::binary(RealOp::Divide, Real::one(), read), // fails at 0
        2 => Real::binary(RealOp::Subtract, Real::fraction(5, 2), read),
        _ => {
            let test = Expr::read(random.pick(&words.places).clone());
            Real::Conditional(test, Box::new(Real::fraction(1, 3)), Box::new(Real::Minus(Box::new(read))))
        }
    }
}

/// Assignments at once, of values that they may change themselves.
fn together(random: &mut Random, words: &Vocabulary) -> Action {
    let mut assignments: Vec<(Place, Expr)> = Vec::new();
    for _ in 0..random.below(3) {
        if let Action::Assign { target, value } = action(random, words) {
            assignments.push((target, value));
        }
    }
    Action::Together(assignments)
}

/// An edge that takes part in vectors.
fn joining(random: &mut Random, words: &Vocabulary, places: &[LocalLocation]) -> EdgeSpec {
    let mut spec = EdgeSpec::new(*random.pick(places), *random.pick(places)).weight(1 + random.below(3) as u64);
    if random.one_in(2) {
        spec = spec.guard(condition(random, words));
    }
    spec = spec.sync(Sync::Join { action: random.below(2) as u32 });
    for _ in 0..random.below(3) {
        spec = spec.action(together(random, words));
    }
    if random.one_in(3) {
        spec = spec.probability(1, 2).or(*random.pick(places), 1, 2).action(together(random, words));
    }
    for destination in &mut spec.edge.destinations {
        if random.one_in(3) {
            destination.chance = chance(random, words);
        }
    }
    spec
}

fn action(random: &mut Random, words: &Vocabulary) -> Action {
    let read = Expr::read(random.pick(&words.places).clone());
    let one = Expr::Const(1);
    let value = match random.below(5) {
        0 => Expr::binary(BinaryOp::Add, read, one), // may leave the range
        1 => Expr::binary(BinaryOp::Subtract, one, read),
        2 => read,
        _ => Expr::Const(random.below(4) as i32),
    };
    if random.one_in(8) {
        let condition = Expr::binary(BinaryOp::LessEqual, value, Expr::Const(2));
        return Action::Assert { condition, text: String::new(), span: Span::default() };
    }
    Action::Assign { target: random.pick(&words.places).clone(), value }
}

fn signal(random: &mut Random, words: &Vocabulary) -> Expr {
    match random.below(8) {
        0 => Expr::read(random.pick(&words.places).clone()), // may be no signal
        _ => Expr::Const(random.below(words.signals as usize) as i32),
    }
}

fn edge(random: &mut Random, words: &Vocabulary, places: &[LocalLocation]) -> EdgeSpec {
    if words.joins && random.one_in(2) {
        return joining(random, words, places);
    }
    let mut spec = EdgeSpec::new(*random.pick(places), *random.pick(places)).weight(1 + random.below(3) as u64);
    if random.one_in(2) {
        spec = spec.guard(condition(random, words));
    }
    spec = match random.below(8) {
        0..3 => spec.sync(Sync::Emit { signal: signal(random, words) }),
        3..7 => spec.sync(Sync::Accept { signal: signal(random, words) }),
        _ => spec,
    };
    if random.one_in(6) {
        spec.edge.program = Some(*random.pick(&words.programs));
    }
    for _ in 0..random.below(3) {
        spec = spec.action(if random.one_in(6) { together(random, words) } else { action(random, words) });
    }
    if spec.edge.sync == Sync::None && random.one_in(4) {
        spec.edge.destinations[0].chance = chance(random, words);
    }
    if random.one_in(4) {
        spec = spec.probability(1, 3).or(*random.pick(places), 2, 3).action(action(random, words));
    }
    if random.one_in(6) {
        spec.edge.escape = 1 + random.below(2) as u32;
    }
    if random.one_in(10) {
        spec.edge.condition = Condition::Else;
    }
    if words.chains && random.one_in(3) {
        spec = spec.keeps_control();
    }
    spec
}

fn program(random: &mut Random, words: &Vocabulary) -> Program {
    let mut program = Program::default();
    for next in [Some(1), None] {
        let mut node = bughound_ir::edge::ProgramNode::default();
        for _ in 0..1 + random.below(2) {
            node.alternatives.push(Alternative {
                condition: if random.one_in(4) { Condition::Else } else { Condition::None },
                guards: if random.one_in(2) { vec![condition(random, words)] } else { Vec::new() },
                sync: Sync::None,
                actions: vec![action(random, words)],
                next,
            });
        }
        program.nodes.push(node);
    }
    program
}

fn network(seed: u64) -> Network {
    let random = &mut Random::new(seed);
    let mut net = NetworkBuilder::new("random signals");
    let places = vec![net.global("x", SMALL), net.global("y", SMALL), net.global("z", ValueType::Byte)];
    let processes = 2 + random.below(3) as i32;
    let (chains, joins) = (random.one_in(3), random.one_in(2));
    let mut words = Vocabulary { places, signals: 3, programs: Vec::new(), chains, processes, joins };
    for name in ["a", "b", "c"] {
        let kind = if random.one_in(2) { SignalKind::Binary } else { SignalKind::Broadcast };
        net.signal(name, kind);
    }
    for _ in 0..2 {
        let program = program(random, &words);
        words.programs.push(net.program(program));
    }
    // Conditions of locations take outcomes away, so there are no probabilities then.
    let conditions = random.one_in(6);
    for _ in 0..processes {
        let mut template = TemplateBuilder::new("p");
        words.places.truncate(3);
        words.places.push(template.local("v", SMALL));
        let locations: Vec<LocalLocation> = (0..1 + random.below(3)).map(|_| template.location("")).collect();
        for location in &locations {
            template.location_mut(*location).flags.committed = random.one_in(5);
            template.location_mut(*location).flags.end = random.one_in(3);
            if conditions && random.one_in(4) {
                template.location_mut(*location).conditions.push(condition(random, &words));
            }
        }
        for _ in 0..2 + random.below(4) {
            let mut edge = edge(random, &words, &locations);
            if conditions {
                edge.edge.destinations.truncate(1);
                edge.edge.destinations[0].chance = Real::one();
                edge.to.truncate(1);
            }
            template.edge(edge);
        }
        if random.one_in(6) {
            words.places.truncate(3);
            template.provided = Some(condition(random, &words));
        }
        let template = net.template(template, locations[0]);
        net.start(template, vec![]);
    }
    for _ in 0..if joins { 1 + random.below(3) } else { 0 } {
        let some: Vec<u16> = (0..processes as u16).filter(|_| random.one_in(2)).collect();
        let parts: Vec<(u16, u32)> = some.into_iter().map(|pid| (pid, random.below(2) as u32)).collect();
        if !parts.is_empty() {
            net.vector(Vector { parts, name: None });
        }
    }
    if random.one_in(2) {
        let (kind, started) = (*random.pick(&[Kind::Ctmc, Kind::Mdp]), None);
        net.stochastic(Stochastic { kind, started, rewards: Vec::new(), labels: Vec::new(), rounded: false });
    }
    net.finish().expect("a well-formed network")
}

#[test]
fn the_engine_agrees_with_the_reference_on_random_signals() {
    let (mut states, mut differences) = (0, Vec::new());
    for seed in 0..4500 {
        let network = network(seed);
        match common::compare(&network, 150) {
            Ok(met) => states += met.len(),
            Err(text) => differences.push((seed, text)),
        }
    }
    if let Some((seed, text)) = differences.first() {
        panic!("{} differences, the first with seed {seed}: {text}", differences.len());
    }
    assert!(states > 20_000, "{states} states in all: too few to tell anything");
}
