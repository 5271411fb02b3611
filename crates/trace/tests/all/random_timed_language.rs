//! Random models in UPPAAL's language, with zones and without.
//!
//! One way: whatever a walk over single points of time (quarters) gets to with the reference evaluator, the zones must get
//! to as well, and where it is stuck, they must know a deadlock. The other way: whatever the zones get to has a run with
//! times, and the evaluator accepts it. So neither too much nor too little is found, whatever the language offers:
//! conditional invariants, indices and resets that depend on the state, priorities.

use std::collections::{HashMap, HashSet, VecDeque};
use std::ops::ControlFlow;

use bughound_ir::expr::Expr;
use bughound_ir::network::Network;
use bughound_ir::rational::Rational;
use bughound_ir::reference::{ClockValues, RefState, Reference, to_key};
use bughound_ir::source::SourceMap;
use bughound_kernel::{Move, Outcome, Random, State, TransitionSystem};
use bughound_semantics::timed::{Abstraction, TimedSystem};
use bughound_trace::{Claim, Times, replay_timed};

const DECLARATIONS: &str =
    "typedef int[0,1] bit; clock x[2]; bit v, k; bool b; chan a, c; broadcast chan d; urgent chan u;
void f() { if (b) x[1] = 0; else v = 0; }
void g(int i) { while (i < 2) { x[i] = i; i++; if (k == 1) return; } }";
const INVARIANTS: &[&str] = &[
    "true",
    "true",
    "true",
    "true",
    "x[0] <= 2",
    "b imply x[1] <= 2",
    "x[v] <= 3",
    "v == 0 ? x[0] < 2 : x[1] <= 3",
    "forall (i : bit) (i != k imply x[i] <= 2 + i)",
    "v + k < 2 or x[0] <= 1",
    "b ? x[k] < 2 : (v == 1 ? true : x[1] <= 3)",
];
const DATA_GUARDS: &[&str] = &["true", "v == 1", "b", "k == v", "!b"];
const CLOCK_GUARDS: &[&str] = &[
    "x[v] >= 1",
    "x[k] <= 2",
    "x[0] == 1",
    "b imply x[1] > 1",
    "b ? x[0] < 2 : x[1] >= 1",
    "x[1 - v] < 2 or b",
    "x[0] > 1 && !b",
    "forall (i : bit) (i == v imply x[i] >= 1)",
    "not (x[v] < 1 or x[k] > 2)",
    "forall (i : bit) forall (j : bit) (v == i or b or x[j] > i)",
    "forall (i : bit) ((k == i or x[i] == 1 + i) and (b or x[i] < 3 - i))",
];
const SYNCS: &[&str] = &["", "", "", "", "", "", "", "a!", "a?", "c!", "c?", "d!", "d?", "d?", "u!", "u?"];
const UPDATES: &[&str] =
    &["", "x[v] = 0", "x[0] = 0", "b = !b", "v = 1 - v, b = true", "k = v, x[k] = 1", "f()", "g(v)"];
const PRIORITIES: &[&str] =
    &["", "chan priority a < default < c;", "chan priority d < c;", "chan priority c, u < default;"];
const SYSTEMS: &[&str] = &["P0, P1, P2", "P0 < P1, P2", "P1 < P0 < P2"];

fn model(random: &mut Random) -> String {
    let system = random.pick(SYSTEMS);
    let mut text = format!("{DECLARATIONS}\n{}\n", random.pick(PRIORITIES));
    for process in 0..3 {
        let locations = 2 + random.below(2);
        let states: Vec<String> = (0..locations).map(|l| format!("s{l} {{ {} }}", random.pick(INVARIANTS))).collect();
        let flag = ["", "commit s1;", "urgent s1;"][random.below(8).min(2) % 3];
        let hears = flag != "commit s1;" && !system.contains('<');
        text += &format!("process P{process}() {{ state {}; {flag} init s0; trans\n", states.join(", "));
        let edges: Vec<String> = (0..3 + random.below(4))
            .map(|_| {
                let sync = *random.pick(SYNCS);
                // UPPAAL allows no clock guards on urgent channels, and we none on receivers of broadcasts where it matters
                // who takes part.
                let data_only = sync.starts_with('u') || (sync == "d?" && !hears);
                let guard = if data_only || random.below(2) == 0 { DATA_GUARDS } else { CLOCK_GUARDS };
                let (guard, update) = (random.pick(guard), random.pick(UPDATES));
                let sync = if sync.is_empty() { String::new() } else { format!("sync {sync};") };
                let update = if update.is_empty() { String::new() } else { format!("assign {update};") };
                let (from, to) = (random.below(locations), random.below(locations));
                format!("  s{from} -> s{to} {{ guard {guard}; {sync} {update} }}")
            })
            .collect();
        text += &format!("{};\n}}\n", edges.join(",\n"));
    }
    format!("{text}system {system};")
}

fn network(text: &str) -> Network {
    let mut sources = SourceMap::default();
    let parsed = bughound_uppaal::parse(&mut sources, "test.xta", text.as_bytes());
    let model = parsed.ast.unwrap_or_else(|| panic!("{:?}\n{text}", parsed.diagnostics));
    let lowered = bughound_uppaal::lower::lower(&model, &[], &sources);
    lowered.network.unwrap_or_else(|| panic!("{:?}\n{text}", lowered.diagnostics))
}

/// What the points of quarters of time get to: states, and those of them with points that are stuck.
fn by_points(network: &Network) -> (HashSet<Vec<i32>>, HashSet<Vec<i32>>) {
    let reference = Reference::discrete(network);
    let quarter = Rational::new(1, 4).unwrap();
    let (mut states, mut stuck, mut seen) = (HashSet::new(), HashSet::new(), HashSet::new());
    let mut open: VecDeque<(RefState, ClockValues)> = VecDeque::new();
    let start = (reference.initial().unwrap(), ClockValues::zero(network));
    if reference.meet_invariants(&start.0, &start.1).is_ok() {
        open.push_back(start);
    }
    while let Some((state, clocks)) = open.pop_front() {
        let key = to_key(network, &state);
        if seen.len() > 20_000 || !seen.insert((key.clone(), format!("{clocks:?}"))) {
            continue;
        }
        if reference.at(&clocks).is_deadlock(&state) {
            stuck.insert(key.clone());
        }
        states.insert(key);
        for step in reference.micro_steps(&state) {
            let Ok(next) = &step.result else { continue };
            let after = reference.after_step(&clocks, &step);
            if reference.pass_guards(&state, &clocks, &step.moves).is_ok()
                && reference.meet_invariants(next, &after).is_ok()
                && reference.outranked(&state, &clocks, &step.moves).is_ok()
            {
                open.push_back((next.clone(), after));
            }
        }
        let later = clocks.after(quarter).unwrap();
        // No constant is larger than 3.
        let known = later.all().iter().all(|value| value.compare(5.into()).unwrap().is_le());
        if known && reference.may_wait(&state).is_ok() && reference.meet_invariants(&state, &later).is_ok() {
            open.push_back((state, later));
        }
    }
    (states, stuck)
}

/// By key: the steps on a way to it.
type Paths = HashMap<Vec<i32>, Vec<Vec<Move>>>;

/// What zones get to, with a path to each state; and the states with a deadlock.
fn by_zones(system: &TimedSystem) -> (Paths, HashSet<Vec<i32>>) {
    let mut explorer = system.explorer();
    let (mut paths, mut stuck) = (HashMap::new(), HashSet::new());
    let mut passed: HashMap<Vec<i32>, Vec<Vec<i32>>> = HashMap::new();
    let mut open = VecDeque::new();
    explorer.initial(&mut |state| open.push_back((state.key.to_vec(), state.cover.to_vec(), Vec::new())));
    while let Some((key, cover, path)) = open.pop_front() {
        let zones = passed.entry(key.clone()).or_default();
        if zones.iter().any(|zone| system.covers(&key, zone, &cover)) {
            continue;
        }
        zones.push(cover.clone());
        let state = State { cover: &cover, ..State::discrete(&key) };
        let expansion = explorer.successors(state, &mut |step| {
            if let Outcome::State(to) = step.outcome {
                let path: Vec<Vec<Move>> = [&path[..], &[step.moves.to_vec()]].concat();
                open.push_back((to.key.to_vec(), to.cover.to_vec(), path));
            }
            ControlFlow::Continue(())
        });
        if expansion.deadlock {
            stuck.insert(key.clone());
        }
        paths.entry(key).or_insert(path);
    }
    (paths, stuck)
}

#[test]
fn zones_and_points_agree() {
    let mut random = Random::new(22);
    let (mut large, mut deadlocks) = (0, 0);
    for round in 0..400 {
        let text = model(&mut random);
        let network = network(&text);
        let (points, stuck_points) = by_points(&network);
        let system = TimedSystem::new(network.clone(), &[], Abstraction::REACHABILITY).unwrap();
        let (paths, _) = by_zones(&system);
        for key in &points {
            assert!(paths.contains_key(key), "round {round}: the zones miss {key:?}\n{text}");
        }
        for (key, path) in &paths {
            let schedule = system.schedule(path, None);
            let schedule =
                schedule.unwrap_or_else(|| panic!("round {round}: no times for {path:?} to {key:?}\n{text}"));
            let times = Times::over(schedule.denominator, &schedule.times, Some(schedule.end)).unwrap();
            let claim = Claim::Condition { condition: &Expr::Const(1), expected: false };
            let replayed = replay_timed(&network, &path.concat(), &times, &claim);
            assert!(replayed.is_ok(), "round {round}: {} along {path:?}\n{text}", replayed.unwrap_err());
        }
        let system = TimedSystem::new(network.clone(), &[], Abstraction::DEADLOCK).unwrap();
        let (fine, stuck) = by_zones(&system);
        assert_eq!(fine.len(), paths.len(), "round {round}\n{text}");
        assert!(stuck_points.is_subset(&stuck), "round {round}: a deadlock is missing\n{text}");
        large += usize::from(points.len() > 5);
        deadlocks += usize::from(!stuck_points.is_empty());
    }
    assert!(large > 50 && deadlocks > 20, "{large} of some size, {deadlocks} with deadlocks");
}
