//! Timed models through the IR, the kernel's traits, the covering store and breadth-first search: Fischer's protocol,
//! and a model in which a larger zone is the dearer one.

mod approximations;

use bughound_ir::builder::{EdgeSpec, NetworkBuilder, TemplateBuilder};
use bughound_ir::edge::Action;
use bughound_ir::expr::{BinaryOp, Expr};
use bughound_ir::network::{LocationId, Network};
use bughound_ir::types::{ClockConstraint, ClockId, Relation, ValueType};
use bughound_kernel::registry::expression;
use bughound_kernel::{
    ApproximateSet, AtomId, Lookup, OutOfMemory, State, StateBuf, StateId, StateStore, StoreSource, TransitionSystem,
};
use bughound_search::{
    BuildCx, Controls, Goals, InvariantGoal, NoHeuristics, SearchResult, StopPolicy, Task, algorithms,
};
use bughound_semantics::timed::{Abstraction, Extrapolation, Inclusion, TimedSystem};
use bughound_store::Stores;

fn clock(left: ClockId, relation: Relation, bound: i32) -> ClockConstraint {
    ClockConstraint { left, minus: None, relation, bound: Expr::Const(bound) }
}

fn reset(clock: ClockId) -> Action {
    Action::ResetClock { clock, value: Expr::Const(0) }
}

fn both_at(first: (i32, LocationId), second: (i32, LocationId)) -> Expr {
    let at = |(pid, location)| Expr::At { pid: Box::new(Expr::Const(pid)), location };
    Expr::binary(BinaryOp::And, at(first), at(second))
}

fn search(system: &dyn TransitionSystem, stores: &dyn StoreSource) -> SearchResult {
    let goals =
        Goals { invariants: vec![InvariantGoal { property: 0, atom: AtomId(0), expected: false }], ..Goals::none() };
    let task = Task { system, goals: &goals, stop: StopPolicy::FirstError, stores, heuristics: &NoHeuristics };
    let bfs = algorithms::build(&expression::parse("bfs").unwrap(), &BuildCx::default()).unwrap();
    bfs.start(task, Controls::default()).unwrap()
}

const DELAY: i32 = 2;

/// Whatever is forgotten, and however zones are compared: the answers are the same.
const ABSTRACTIONS: [Abstraction; 7] = {
    const fn abstraction(extrapolation: Extrapolation, inclusion: Inclusion) -> Abstraction {
        Abstraction { extrapolation, inclusion, ..Abstraction::REACHABILITY }
    }
    use Extrapolation::*;
    [
        abstraction(None, Inclusion::Simulation),
        abstraction(Maximal, Inclusion::Equal),
        abstraction(Maximal, Inclusion::Subset),
        abstraction(MaximalPlus, Inclusion::Subset),
        abstraction(LowerUpper, Inclusion::Subset),
        abstraction(LowerUpperPlus, Inclusion::Subset),
        abstraction(LowerUpperPlus, Inclusion::Simulation),
    ]
};

/// Fischer's protocol, and the error: processes 0 and 1 both in their critical sections. `enter` is the relation of the
/// clock to the delay at the entry: `>` is right, `≥` is wrong.
fn fischer(processes: i32, enter: Relation) -> (Network, Expr) {
    let mut net = NetworkBuilder::new("fischer");
    let id = net.global("id", ValueType::Range { lo: 0, hi: processes });
    let id_is = |value: i32| Expr::read(id.clone()).equals(Expr::Const(value));
    let mut critical = Vec::new();
    for process in 0..processes {
        // Clocks belong to the network: each process needs a template of its own.
        let x = net.clock(format!("x{process}"));
        let own = process + 1;
        let mut p = TemplateBuilder::new(format!("P{process}"));
        let [idle, request, wait, section] = ["idle", "request", "wait", "cs"].map(|name| p.location(name));
        p.location_mut(request).invariant.push(clock(x, Relation::LessEqual, DELAY));
        p.edge(EdgeSpec::new(idle, request).guard(id_is(0)).action(reset(x)));
        let set = EdgeSpec::new(request, wait).clock_guard(clock(x, Relation::LessEqual, DELAY));
        p.edge(set.assign(id.clone(), Expr::Const(own)).action(reset(x)));
        p.edge(EdgeSpec::new(wait, section).guard(id_is(own)).clock_guard(clock(x, enter, DELAY)));
        p.edge(EdgeSpec::new(wait, request).guard(id_is(0)).action(reset(x)));
        p.edge(EdgeSpec::new(section, idle).assign(id.clone(), Expr::Const(0)));
        critical.push((process, net.next_location(section)));
        let p = net.template(p, idle);
        net.start(p, vec![]);
    }
    (net.finish().unwrap(), both_at(critical[0], critical[1]))
}

#[test]
fn the_faulty_fischer_fails_after_six_actions() {
    for processes in 2..=4 {
        let (network, error) = fischer(processes, Relation::GreaterEqual);
        for abstraction in ABSTRACTIONS {
            let system = TimedSystem::new(network.clone(), std::slice::from_ref(&error), abstraction).unwrap();
            let result = search(&system, &Stores::new(&system));
            let witness = &result.witnesses[0];
            assert_eq!((witness.length, witness.path.len()), (6, 6), "{processes} processes");
            assert!(witness.proven_shortest && witness.path.iter().all(|step| step.len() == 1));
        }
    }
}

#[test]
fn the_correct_fischer_holds() {
    for processes in 2..=4 {
        let (network, error) = fischer(processes, Relation::Greater);
        for abstraction in ABSTRACTIONS {
            let system = TimedSystem::new(network.clone(), std::slice::from_ref(&error), abstraction).unwrap();
            let result = search(&system, &Stores::new(&system));
            assert!(result.complete && result.witnesses.is_empty(), "{processes} processes: {:?}", result.stats);
            assert!(result.stats.depth > 6 && result.stats.stored > 10);
        }
    }
}

/// Two ways to `middle`: one edge of weight 5 after which the clock may be anything, or two edges of weight 1 after
/// which it is above 0. From there, one edge of weight 1.
fn detour() -> (Network, Expr) {
    let mut net = NetworkBuilder::new("detour");
    let x = net.clock("x");
    let mut p = TemplateBuilder::new("p");
    let [start, between, middle, error] = ["start", "between", "middle", "error"].map(|name| p.location(name));
    p.location_mut(between).invariant.push(clock(x, Relation::LessEqual, 1));
    p.edge(EdgeSpec::new(start, middle).weight(5));
    p.edge(EdgeSpec::new(start, between).action(reset(x)));
    p.edge(EdgeSpec::new(between, middle).clock_guard(clock(x, Relation::Greater, 0)));
    p.edge(EdgeSpec::new(middle, error).clock_guard(clock(x, Relation::LessEqual, 3)));
    let at_error = Expr::At { pid: Box::new(Expr::Const(0)), location: net.next_location(error) };
    let p = net.template(p, start);
    net.start(p, vec![]);
    (net.finish().unwrap(), at_error)
}

/// Covering stores that do not look at costs.
struct CostBlindStores<'s>(Stores<'s>);

impl StoreSource for CostBlindStores<'_> {
    fn new_store(&self) -> Box<dyn StateStore + '_> {
        Box::new(CostBlind(self.0.new_store()))
    }

    fn new_bit_set(&self, bits: u64, functions: u32, seed: u64) -> Result<Box<dyn ApproximateSet + '_>, OutOfMemory> {
        self.0.new_bit_set(bits, functions, seed)
    }
}

struct CostBlind<'s>(Box<dyn StateStore + 's>);

impl StateStore for CostBlind<'_> {
    fn insert(&mut self, state: State<'_>, _: u64, displaced: &mut Vec<StateId>) -> Result<Lookup, OutOfMemory> {
        self.0.insert(state, 0, displaced)
    }

    fn read(&self, id: StateId, into: &mut StateBuf) {
        self.0.read(id, into);
    }

    fn len(&self) -> usize {
        self.0.len()
    }

    fn memory(&self) -> u64 {
        self.0.memory()
    }
}

#[test]
fn a_state_gives_way_only_to_a_larger_one_that_is_no_dearer() {
    let (network, error) = detour();
    let abstraction = Abstraction { inclusion: Inclusion::Subset, ..Abstraction::REACHABILITY };
    let system = TimedSystem::new(network, &[error], abstraction).unwrap();
    let result = search(&system, &Stores::new(&system));
    assert_eq!((result.witnesses[0].length, result.witnesses[0].path.len()), (3, 3));
    let blind = search(&system, &CostBlindStores(Stores::new(&system)));
    assert_eq!(blind.witnesses[0].length, 6, "the model tells the two apart");
}
