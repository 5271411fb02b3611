//! Random timed models and random paths in them: zones, schedules and the evaluator without zones must agree on which
//! paths exist and on which of them end in a deadlock.

use std::ops::ControlFlow;

use bughound_ir::builder::{EdgeSpec, NetworkBuilder, TemplateBuilder};
use bughound_ir::edge::{Action, Sync};
use bughound_ir::expr::{BinaryOp, Expr};
use bughound_ir::network::Network;
use bughound_ir::rational::Rational;
use bughound_ir::types::{ClockConstraint, ClockId, Relation, SignalKind, ValueType};
use bughound_kernel::{Explorer, Move, Outcome, Random, State, TransitionSystem};
use bughound_semantics::timed::{Abstraction, Extrapolation, Inclusion, TimedSystem};
use bughound_trace::Times;

use super::support::{run, times};

/// Two or three processes with two clocks, a variable, a hand-shake, a broadcast and an urgent channel. All bounds may
/// be reached unless some shall be `strict`.
fn model(random: &mut Random, strict: bool) -> Network {
    let mut net = NetworkBuilder::new("random");
    let clocks: [ClockId; 2] = ["x", "y"].map(|name| net.clock(name));
    let n = net.global("n", ValueType::Range { lo: 0, hi: 4 });
    let signals = [
        net.signal("meet", SignalKind::Binary),
        net.signal("tell", SignalKind::Broadcast),
        net.signal("now", SignalKind::Binary),
    ];
    net.make_urgent(2);
    let number = |random: &mut Random| match random.below(4) {
        0 => Expr::read(n.clone()),
        _ => Expr::Const(random.below(5) as i32),
    };
    let constraint = |random: &mut Random, relations: &[Relation]| ClockConstraint {
        left: *random.pick(&clocks),
        minus: None,
        relation: *random.pick(if strict { relations } else { &relations[..relations.len().div_ceil(2)] }),
        bound: number(random),
    };
    use Relation::*;
    for process in 0..2 + random.below(2) {
        let mut p = TemplateBuilder::new(format!("p{process}"));
        let locations: Vec<_> = (0..3).map(|i| p.location(format!("l{i}"))).collect();
        for location in &locations {
            if random.one_in(3) {
                let invariant = constraint(random, &[LessEqual, Less]);
                p.location_mut(*location).invariant.push(invariant);
            }
            p.location_mut(*location).flags.urgent = random.one_in(8);
            p.location_mut(*location).flags.committed = random.one_in(12);
        }
        for from in &locations {
            for _ in 0..1 + random.below(3) {
                let mut edge = EdgeSpec::new(*from, *random.pick(&locations));
                let signal = random.below(3);
                let sync = random.below(6);
                if sync < 2 {
                    let signal = signals[signal].clone();
                    edge = edge.sync(if sync == 0 { Sync::Emit { signal } } else { Sync::Accept { signal } });
                }
                // As in UPPAAL: no clock guards on urgent edges, nor where a broadcast is heard.
                let free = sync >= 2 || signal == 0 || (signal == 1 && sync == 0);
                while free && random.one_in(2) {
                    edge = edge.clock_guard(constraint(random, &[LessEqual, Equal, GreaterEqual, Less, Greater]));
                }
                while random.one_in(2) {
                    edge = match random.below(3) {
                        0 => edge.assign(n.clone(), Expr::Const(random.below(5) as i32)),
                        _ => edge.action(Action::ResetClock { clock: *random.pick(&clocks), value: number(random) }),
                    };
                }
                if random.one_in(5) {
                    let is = Expr::binary(BinaryOp::GreaterEqual, Expr::read(n.clone()), Expr::Const(2));
                    edge = edge.guard(is);
                }
                p.edge(edge);
            }
        }
        let p = net.template(p, locations[0]);
        net.start(p, vec![]);
    }
    net.finish().unwrap()
}

type Zoned = (Vec<i32>, Vec<i32>);
type Steps = Vec<(Vec<Move>, Zoned)>;

fn successors(explorer: &mut dyn Explorer, (key, cover): &Zoned) -> (Steps, bool) {
    let mut steps = Vec::new();
    let expansion = explorer.successors(State { cover, ..State::discrete(key) }, &mut |step| {
        if let Outcome::State(to) = step.outcome {
            steps.push((step.moves.to_vec(), (to.key.to_vec(), to.cover.to_vec())));
        }
        ControlFlow::Continue(())
    });
    (steps, expansion.deadlock)
}

/// What is forgotten of zones changes neither which paths exist nor, if it is not too much for that question, which of
/// them can end in a deadlock.
const ABSTRACTIONS: [(Abstraction, bool); 2] = [
    (Abstraction::DEADLOCK, true),
    (
        Abstraction {
            extrapolation: Extrapolation::LowerUpperPlus,
            inclusion: Inclusion::Subset,
            ..Abstraction::REACHABILITY
        },
        false,
    ),
];

fn initial(system: &TimedSystem) -> Option<Zoned> {
    let mut state = None;
    system.explorer().initial(&mut |initial| state = Some((initial.key.to_vec(), initial.cover.to_vec())));
    state
}

/// Where the moves lead; the steps that are possible must be the expected ones.
fn follow(system: &TimedSystem, state: &Zoned, expected: &Steps, moves: &[Move]) -> Zoned {
    let (steps, _) = successors(&mut *system.explorer(), state);
    let same = steps.iter().map(|(moves, _)| moves).eq(expected.iter().map(|(moves, _)| moves));
    assert!(same, "{steps:?} instead of {expected:?}");
    let step = steps.into_iter().find(|(found, _)| found == moves);
    step.unwrap().1
}

/// Nothing on the way can happen earlier by a little.
fn is_tight(network: &Network, path: &[Vec<Move>], times: &Times) -> bool {
    let all = Expr::Const(1);
    let tiny = Rational::new(1, 1000).unwrap();
    let earlier = |at: usize| {
        // This step and those behind it, so that no order is broken but that with the step before.
        let mut times = times.clone();
        for time in times.steps[at..].iter_mut().chain(&mut times.end) {
            *time = time.minus(tiny).unwrap();
        }
        times
    };
    (0..path.len()).all(|at| run(network, path, &earlier(at), &all).is_err())
}

#[test]
fn zones_schedules_and_points_agree() {
    let (mut possible, mut impossible, mut deadlocks, mut fractions) = (0, 0, 0, 0);
    for seed in 0..600 {
        let random = &mut Random::new(seed * 7919 + 1);
        let strict = seed % 3 > 0;
        let network = model(random, strict);
        let abstraction = Abstraction { inclusion: Inclusion::Subset, ..Abstraction::DEADLOCK };
        let system = TimedSystem::new(network.clone(), &[], abstraction).unwrap();
        let (mut explorer, mut discrete) = (system.explorer(), system.discrete().explorer());
        let Some(mut state) = initial(&system) else { continue };
        let coarse = ABSTRACTIONS.map(|(a, _)| TimedSystem::new(network.clone(), &[], a).unwrap());
        let mut coarse_states: Vec<Zoned> = coarse.iter().map(|system| initial(system).unwrap()).collect();
        let mut path: Vec<Vec<Move>> = Vec::new();
        for _ in 0..12 {
            let (steps, deadlock) = successors(&mut *explorer, &state);
            // The path so far exists, and ends in a deadlock exactly if the zones say so.
            let schedule = system.schedule(&path, None).unwrap_or_else(|| panic!("model {seed}: {path:?}"));
            let found = times(&schedule);
            possible += 1;
            fractions += usize::from(schedule.denominator > 1);
            let context = || format!("model {seed}, {path:?}, {schedule:?}");
            run(&network, &path, &found, &Expr::Const(1)).unwrap_or_else(|e| panic!("{}: {e}", context()));
            if !strict {
                assert!(schedule.denominator == 1 && is_tight(&network, &path, &found), "{}", context());
            }
            let stuck = system.schedule(&path, Some(&Expr::Deadlock));
            assert_eq!(stuck.is_some(), deadlock, "{}", context());
            match &stuck {
                Some(stuck) => {
                    deadlocks += 1;
                    let run = run(&network, &path, &times(stuck), &Expr::Deadlock);
                    run.unwrap_or_else(|e| panic!("{}, {stuck:?}: {e}", context()));
                }
                None => assert!(run(&network, &path, &found, &Expr::Deadlock).is_err(), "{}", context()),
            }
            // Steps that the zones do not allow have no schedule.
            let (all, _) = successors(&mut *discrete, &(state.0.clone(), Vec::new()));
            for (moves, _) in all.iter().filter(|(moves, _)| !steps.iter().any(|(allowed, _)| allowed == moves)) {
                impossible += 1;
                let longer = [&path[..], std::slice::from_ref(moves)].concat();
                assert_eq!(system.schedule(&longer, None), None, "{}, then {moves:?}", context());
            }
            if steps.is_empty() {
                break;
            }
            for ((system, state), (_, finds_deadlocks)) in coarse.iter().zip(&coarse_states).zip(ABSTRACTIONS) {
                let (_, found) = successors(&mut *system.explorer(), state);
                assert_eq!(found, deadlock && finds_deadlocks, "{}", context());
            }
            let (moves, next) = random.pick(&steps).clone();
            for (system, state) in coarse.iter().zip(&mut coarse_states) {
                *state = follow(system, state, &steps, &moves);
            }
            path.push(moves);
            state = next;
        }
    }
    let seen = (possible, impossible, deadlocks, fractions);
    assert!(possible > 1000 && impossible > 1000 && deadlocks > 100 && fractions > 100, "{seen:?}");
}
