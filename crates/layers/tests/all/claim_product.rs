//! The product with a never claim: its steps, marks, regions, and runs that come to rest.

use std::ops::ControlFlow;

use bughound_ir::builder::{EdgeSpec, LocalLocation, NetworkBuilder, TemplateBuilder};
use bughound_ir::edge::{Action, Condition};
use bughound_ir::expr::{BinaryOp, Expr, Place};
use bughound_ir::network::{Network, TemplateId};
use bughound_ir::source::Span;
use bughound_ir::types::{ClockConstraint, Relation, ValueType};
use bughound_kernel::*;
use bughound_layers::{ClaimProduct, WeakFairness};
use bughound_semantics::timed::{Abstraction, TimedSystem};
use bughound_semantics::{Claim, DiscreteSystem};

fn compare(op: BinaryOp, x: &Place, value: i32) -> Expr {
    Expr::binary(op, Expr::read(x.clone()), Expr::Const(value))
}

/// What a claim does: by number of the location, from, condition, to.
type Moves<'m> = &'m [(u32, BinaryOp, i32, u32)];

/// A process counts `x` from 0 to 2, and starts again if `turns`. A second one waits for ever. The claim looks at `x`;
/// its location 1 accepts, its location 3 is the end.
fn network(turns: bool, moves: Moves<'_>) -> (Network, TemplateId) {
    let mut net = NetworkBuilder::new("counter");
    let x = net.global("x", ValueType::Byte);
    let mut p = TemplateBuilder::new("P");
    let here = p.location("here");
    let next = Expr::binary(BinaryOp::Add, Expr::read(x.clone()), Expr::Const(1));
    p.edge(EdgeSpec::new(here, here).guard(compare(BinaryOp::Less, &x, 2)).assign(x.clone(), next));
    if turns {
        p.edge(EdgeSpec::new(here, here).guard(compare(BinaryOp::Equal, &x, 2)).assign(x.clone(), Expr::Const(0)));
    }
    let p = net.template(p, here);
    net.start(p, vec![]);
    let mut waiting = TemplateBuilder::new("W");
    let here = waiting.location("here");
    waiting.edge(EdgeSpec::new(here, here).guard(Expr::Const(0)));
    let waiting = net.template(waiting, here);
    net.start(waiting, vec![]);
    let claim = claim(&mut net, &x, moves);
    (net.finish().unwrap(), claim)
}

fn claim(net: &mut NetworkBuilder, x: &Place, moves: Moves<'_>) -> TemplateId {
    let mut claim = TemplateBuilder::new("never");
    let locations: Vec<LocalLocation> = (0..4).map(|n| claim.location(format!("c{n}"))).collect();
    claim.location_mut(locations[1]).flags.accept = true;
    for (from, op, value, to) in moves {
        let edge = EdgeSpec::new(locations[*from as usize], locations[*to as usize]);
        claim.edge(edge.guard(compare(*op, x, *value)));
    }
    let mut end = EdgeSpec::new(locations[3], locations[3]).action(Action::End);
    end.edge.condition = Condition::Youngest;
    claim.edge(end);
    net.template(claim, locations[0])
}

/// Stays at 0, or goes to 1 when `x` is 1 and stays there while `x` is not 0.
const PERSISTENCE: Moves<'_> =
    &[(0, BinaryOp::GreaterEqual, 0, 0), (0, BinaryOp::Equal, 1, 1), (1, BinaryOp::NotEqual, 0, 1)];

struct Reader<'p, 's> {
    product: &'p ClaimProduct<'s>,
    /// Number of the claim's first location, and slot of `x` behind it.
    first: i32,
    x: usize,
}

/// A step as a test sees it: claim and `x` behind it, who moved, weight, marks.
type Seen = ((i32, i32), Vec<u16>, u64, Marks);

impl<'p, 's> Reader<'p, 's> {
    fn new(product: &'p ClaimProduct<'s>, system: &DiscreteSystem, claim: TemplateId) -> Self {
        let first = system.network().template(claim).locations[0].0 as i32;
        Reader { product, first, x: system.network().variables[0].slot as usize + 1 }
    }

    fn read(&self, state: State<'_>) -> (i32, i32) {
        (state.key[0] - self.first, state.key[self.x])
    }

    fn initial(&self) -> Vec<Vec<i32>> {
        let mut all = Vec::new();
        self.product.explorer().initial(&mut |state| all.push(state.key.to_vec()));
        all
    }

    /// Some state with this claim and this `x`: others do not differ in what matters here.
    fn at(&self, claim: i32, x: i32) -> Vec<i32> {
        let mut key = self.initial().swap_remove(0);
        (key[0], key[self.x]) = (claim + self.first, x);
        key
    }

    fn steps(&self, key: &[i32]) -> Vec<Seen> {
        let mut all = Vec::new();
        let expansion = self.product.explorer().successors(State::discrete(key), &mut |step| {
            let Outcome::State(state) = step.outcome else { panic!("nothing fails here") };
            let who = step.moves.iter().map(|m| m.process).collect();
            all.push((self.read(state), who, step.weight, step.marks));
            ControlFlow::Continue(())
        });
        assert!(!expansion.deadlock);
        all
    }
}

#[test]
fn the_claim_moves_at_every_state_and_marks_the_steps_from_where_it_accepts() {
    let (network, claim) = network(true, PERSISTENCE);
    let system = DiscreteSystem::new(network, &[]);
    let reads = Claim::new(&system, claim);
    let product = ClaimProduct::new(&system, &reads);
    assert_eq!(product.required(), Marks::ACCEPT);
    let reader = Reader::new(&product, &system, claim);
    let initial = reader.initial();
    assert_eq!(initial.iter().map(|key| reader.read(State::discrete(key))).collect::<Vec<_>>(), [(0, 0)]);
    let (none, accept) = (Marks::NONE, Marks::ACCEPT);
    // The move at x = 1 is seen with the step that leads there, and the mark with the step behind it.
    assert_eq!(reader.steps(&initial[0]), [((0, 1), vec![0], 1, none), ((1, 1), vec![0], 1, none)]);
    assert_eq!(reader.steps(&reader.at(1, 1)), [((1, 2), vec![0], 1, accept)]);
    // Where the claim cannot move, the run is of no interest; it has not come to rest.
    assert_eq!(reader.steps(&reader.at(1, 2)), []);
    assert_eq!(product.layout().slots.len(), system.layout().slots.len() + 1);
}

#[test]
fn a_run_at_rest_goes_on_unless_it_does_not_count() {
    let (network, claim) = network(false, PERSISTENCE);
    let system = DiscreteSystem::new(network, &[]);
    let reads = Claim::new(&system, claim);
    let product = ClaimProduct::new(&system, &reads);
    let reader = Reader::new(&product, &system, claim);
    let (none, accept) = (Marks::NONE, Marks::ACCEPT);
    assert_eq!(reader.steps(&reader.at(0, 2)), [((0, 2), vec![], 0, none)]);
    assert_eq!(reader.steps(&reader.at(1, 2)), [((1, 2), vec![], 0, accept)]);
    assert_eq!(reader.steps(&reader.at(1, 1)), [((1, 2), vec![0], 1, accept)]);
    let finite = ClaimProduct::new(&system, &reads).without_runs_at_rest();
    let reader = Reader::new(&finite, &system, claim);
    assert_eq!(reader.steps(&reader.at(0, 2)), []);
    assert_eq!(reader.steps(&reader.at(1, 1)).len(), 1);
}

#[test]
fn steps_of_a_layer_bring_their_marks() {
    let (network, claim) = network(false, PERSISTENCE);
    let system = DiscreteSystem::new(network, &[]);
    let reads = Claim::new(&system, claim);
    let fair = WeakFairness::new(&system, 3).unwrap();
    let product = ClaimProduct::new(&fair, &reads);
    assert_eq!(product.required(), Marks::ACCEPT | Marks::processes(3));
    let reader = Reader::new(&product, &system, claim);
    // Process 0 moves, process 1 waits, process 2 does not exist.
    let processes = Marks::processes(3);
    assert_eq!(reader.steps(&reader.at(1, 1)), [((1, 2), vec![0], 1, Marks::ACCEPT | processes)]);
    assert_eq!(reader.steps(&reader.at(0, 0))[0].3, processes);
    // At rest nobody is treated unfairly.
    assert_eq!(reader.steps(&reader.at(0, 2)), [((0, 2), vec![], 0, processes)]);
    assert_eq!(reader.steps(&reader.at(1, 2)), [((1, 2), vec![], 0, Marks::ACCEPT | processes)]);
}

#[test]
fn regions_are_those_of_the_locations_of_the_claim() {
    let (network, claim) = network(true, PERSISTENCE);
    let system = DiscreteSystem::new(network, &[]);
    let reads = Claim::new(&system, claim);
    let known = [Cycles::None, Cycles::All, Cycles::Some];
    let regions: Vec<Region> = (7..).zip(known).map(|(number, cycles)| Region { number, cycles }).collect();
    let product = ClaimProduct::new(&system, &reads);
    let reader = Reader::new(&product, &system, claim);
    assert_eq!(product.region(State::discrete(&reader.at(1, 1))), Region::WHOLE);
    let product = ClaimProduct::new(&system, &reads).with_regions(regions.clone());
    for (location, region) in regions.iter().enumerate() {
        assert_eq!(product.region(State::discrete(&reader.at(location as i32, 0))), *region);
    }
    // Nothing is said about the last location.
    assert_eq!(product.region(State::discrete(&reader.at(3, 0))), Region::WHOLE);
    // With fairness, cycles that the claim accepts need not be accepting.
    let fair = WeakFairness::new(&system, 2).unwrap();
    let product = ClaimProduct::new(&fair, &reads).with_regions(regions);
    let cycles = |location| product.region(State::discrete(&reader.at(location, 0)));
    assert_eq!([0, 1, 2].map(|location| cycles(location).cycles), [Cycles::None, Cycles::Some, Cycles::Some]);
    assert_eq!(cycles(1).number, 8);
}

#[test]
fn the_end_of_the_claim_is_an_error_without_steps() {
    let moves: Moves<'_> = &[(0, BinaryOp::Equal, 0, 0), (0, BinaryOp::Equal, 1, 3)];
    let (network, claim) = network(true, moves);
    let system = DiscreteSystem::new(network, &[]);
    let reads = Claim::new(&system, claim);
    let product = ClaimProduct::new(&system, &reads);
    let reader = Reader::new(&product, &system, claim);
    assert_eq!(reader.steps(&reader.at(0, 0)), [((3, 1), vec![0], 1, Marks::NONE)]);
    let mut explorer = product.explorer();
    assert!(explorer.holds(product.violated(), State::discrete(&reader.at(3, 1))));
    assert!(!explorer.holds(product.violated(), State::discrete(&reader.at(0, 1))));
    assert_eq!(reader.steps(&reader.at(3, 1)), []);
}

#[test]
fn nothing_is_emitted_after_the_callback_has_said_enough() {
    // The only step fails and goes on nevertheless: the system is not at rest, even if nobody waits for that.
    let mut net = NetworkBuilder::new("failing");
    let x = net.global("x", ValueType::Byte);
    let mut p = TemplateBuilder::new("P");
    let here = p.location("here");
    let assertion = Action::Assert { condition: Expr::Const(0), text: "0".into(), span: Span::default() };
    p.edge(EdgeSpec::new(here, here).action(assertion));
    let p = net.template(p, here);
    net.start(p, vec![]);
    let claim = claim(&mut net, &x, PERSISTENCE);
    let system = DiscreteSystem::new(net.finish().unwrap(), &[]);
    let reads = Claim::new(&system, claim);
    let product = ClaimProduct::new(&system, &reads);
    let mut explorer = product.explorer();
    let mut start = Vec::new();
    explorer.initial(&mut |state| start = state.key.to_vec());
    for most in 1..=2 {
        let mut emitted = Vec::new();
        explorer.successors(State::discrete(&start), &mut |step| {
            emitted.push((matches!(step.outcome, Outcome::Failure(_)), step.moves.len()));
            if emitted.len() == most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert_eq!(emitted, [(true, 1), (false, 1)][..most]);
    }
}

/// The same counter, each of whose steps comes when its clock is at 1 or later.
fn timed_network(moves: Moves<'_>) -> (Network, TemplateId) {
    let mut net = NetworkBuilder::new("slow counter");
    let x = net.global("x", ValueType::Byte);
    let clock = net.clock("c");
    let mut p = TemplateBuilder::new("P");
    let here = p.location("here");
    let next = Expr::binary(BinaryOp::Add, Expr::read(x.clone()), Expr::Const(1));
    let bound = Expr::Const(1);
    let late = ClockConstraint { left: clock, minus: None, relation: Relation::GreaterEqual, bound };
    let edge = EdgeSpec::new(here, here).guard(compare(BinaryOp::Less, &x, 2)).assign(x.clone(), next);
    p.edge(edge.clock_guard(late).action(Action::ResetClock { clock, value: Expr::Const(0) }));
    let p = net.template(p, here);
    net.start(p, vec![]);
    let claim = claim(&mut net, &x, moves);
    (net.finish().unwrap(), claim)
}

/// All states with their covers, behind the first so many slots.
fn states(system: &dyn TransitionSystem, own: usize) -> Vec<StateBuf> {
    let mut explorer = system.explorer();
    let (mut all, mut at) = (Vec::new(), 0);
    explorer.initial(&mut |state| all.push(StateBuf::from(state)));
    while let Some(from) = all.get(at).cloned() {
        explorer.successors(from.as_state(), &mut |step| {
            if let Outcome::State(next) = step.outcome
                && !all.iter().any(|known| known.as_state() == next)
            {
                all.push(next.into());
            }
            ControlFlow::Continue(())
        });
        at += 1;
    }
    all.iter().map(|state| StateBuf { key: state.key[own..].to_vec(), cover: state.cover.clone() }).collect()
}

#[test]
fn zones_stay_what_they_are() {
    let (network, claim) = timed_network(&[(0, BinaryOp::GreaterEqual, 0, 0)]);
    let system = TimedSystem::new(network, &[], Abstraction::RUNS).unwrap();
    let reads = Claim::new(system.discrete(), claim);
    let product = ClaimProduct::new(&system, &reads);
    assert_eq!(product.layout().cover_len, system.layout().cover_len);
    let (below, above) = (states(&system, 0), states(&product, 1));
    assert_eq!(below.len(), 3);
    assert_eq!(below, above);
    assert!(below.iter().all(|state| state.cover.len() == system.layout().cover_len));
}
