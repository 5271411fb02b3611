//! Timed models from text, shortest paths through their zones, and runs along them.

use std::collections::VecDeque;
use std::ops::ControlFlow;

use bughound_ir::edge::EdgeId;
use bughound_ir::expr::Expr;
use bughound_ir::network::Network;
use bughound_ir::question::Question;
use bughound_ir::reference::Reference;
use bughound_ir::source::SourceMap;
use bughound_kernel::{AtomId, Move, Outcome, State, TransitionSystem};
use bughound_semantics::timed::{Abstraction, Schedule, TimedSystem};
use bughound_trace::{Claim, ReplayError, Times, Trace, replay_timed};

/// A model in UPPAAL's textual format, with queries.
pub fn network(text: &str, queries: &str) -> Network {
    let mut sources = SourceMap::default();
    let parsed = bughound_uppaal::parse(&mut sources, "test.xta", text.as_bytes());
    let model = parsed.ast.unwrap_or_else(|| panic!("{:?}", parsed.diagnostics));
    let (queries, _) = bughound_uppaal::parse_queries(&mut sources, "test.q", queries.as_bytes());
    let lowered = bughound_uppaal::lower::lower(&model, &queries, &sources);
    lowered.network.unwrap_or_else(|| panic!("{:?}", lowered.diagnostics))
}

/// The condition of the first query, `E<> …`.
pub fn wanted(network: &Network) -> Expr {
    match &network.properties[0].question {
        Question::Reach(condition) => condition.clone(),
        other => panic!("{other:?}"),
    }
}

pub fn system(network: &Network, atoms: &[Expr]) -> TimedSystem {
    let abstraction = if atoms == [Expr::Deadlock] { Abstraction::DEADLOCK } else { Abstraction::REACHABILITY };
    let atoms = if atoms == [Expr::Deadlock] { &[][..] } else { atoms };
    TimedSystem::new(network.clone(), atoms, abstraction).unwrap()
}

/// The shortest path to a state where the condition holds, which may be `deadlock`.
pub fn shortest(network: &Network, condition: &Expr) -> Vec<Vec<Move>> {
    let system = system(network, std::slice::from_ref(condition));
    let mut explorer = system.explorer();
    type Node = (Vec<i32>, Vec<i32>, Vec<Vec<Move>>);
    let mut open: VecDeque<Node> = VecDeque::new();
    let mut seen: Vec<(Vec<i32>, Vec<i32>)> = Vec::new();
    explorer.initial(&mut |state| open.push_back((state.key.to_vec(), state.cover.to_vec(), Vec::new())));
    while let Some((key, cover, path)) = open.pop_front() {
        let state = State { cover: &cover, ..State::discrete(&key) };
        if *condition != Expr::Deadlock && explorer.holds(AtomId(0), state) {
            return path;
        }
        let mut next = Vec::new();
        let expansion = explorer.successors(state, &mut |step| {
            if let Outcome::State(to) = step.outcome {
                next.push((to.key.to_vec(), to.cover.to_vec(), [&path[..], &[step.moves.to_vec()]].concat()));
            }
            ControlFlow::Continue(())
        });
        if *condition == Expr::Deadlock && expansion.deadlock {
            return path;
        }
        for (key, cover, path) in next {
            if !seen.iter().any(|(k, c)| *k == key && system.covers(&key, c, &cover)) {
                seen.push((key.clone(), cover.clone()));
                open.push_back((key, cover, path));
            }
        }
    }
    panic!("no such path");
}

/// A path by the processes that start its steps and the texts of their edges, whatever the clocks say.
pub fn path(network: &Network, steps: &[(u16, &str)]) -> Vec<Vec<Move>> {
    let reference = Reference::discrete(network);
    let mut state = reference.initial().unwrap();
    let mut path = Vec::new();
    for (process, text) in steps {
        let is_it = |m: &Move| m.process == *process && network.edge(EdgeId(m.edge)).text == *text;
        let possible = reference.micro_steps(&state);
        let texts: Vec<(u16, String)> = possible
            .iter()
            .map(|step| (step.moves[0].process, network.edge(EdgeId(step.moves[0].edge)).text.clone()))
            .collect();
        let step = possible.into_iter().find(|step| is_it(&step.moves[0]));
        let step = step.unwrap_or_else(|| panic!("process {process} cannot do `{text}`, only {texts:?}"));
        path.push(step.moves);
        state = step.result.unwrap();
    }
    path
}

pub fn times(schedule: &Schedule) -> Times {
    Times::over(schedule.denominator, &schedule.times, Some(schedule.end)).unwrap()
}

/// Times as texts: those of the steps, then that of the end.
pub fn shown(schedule: &Schedule) -> String {
    let times = times(schedule);
    let all: Vec<String> = times.steps.iter().chain(&times.end).map(|time| time.to_string()).collect();
    all.join(" ")
}

/// The earliest run along a path, replayed.
pub fn replayed(network: &Network, path: &[Vec<Move>], condition: &Expr) -> Result<Trace, ReplayError> {
    let schedule = system(network, std::slice::from_ref(condition)).schedule(path, Some(condition)).unwrap();
    run(network, path, &times(&schedule), condition)
}

pub fn run(network: &Network, path: &[Vec<Move>], times: &Times, condition: &Expr) -> Result<Trace, ReplayError> {
    let claim = match condition {
        Expr::Deadlock => Claim::Deadlock,
        condition => Claim::Condition { condition, expected: false },
    };
    replay_timed(network, &path.concat(), times, &claim)
}
