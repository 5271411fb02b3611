//! Counterexamples made by hand: graphs with probabilities, whose visits, chances and paths are computed here in the most
//! obvious way.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use bughound::chances::{ChanceAnswer, Counterexample, ShownCommand, ShownEdge, ShownPath, ShownState, Shows};
use bughound_ir::chance::Number;
use bughound_markov::Extended;

/// From, to, the probability as a fraction, the commands.
pub type Step<'s> = (usize, usize, (i64, u64), &'s [usize]);

pub fn number((numerator, denominator): (i64, u64)) -> Number {
    Number::from_parts(numerator.into(), denominator.into())
}

/// Some states, with the values of some variables in each.
pub fn states(names: &[&str], values: &[&[&str]]) -> Vec<Vec<(String, String)>> {
    let state = |values: &&[&str]| names.iter().zip(*values).map(|(n, v)| (n.to_string(), v.to_string())).collect();
    values.iter().map(state).collect()
}

pub fn command(module: &str, line: u32, text: &str) -> ShownCommand {
    ShownCommand { module: module.into(), text: text.into(), line: Some(line), flow: 0.0 }
}

/// A counterexample with so many of its paths.
pub fn example(
    states: Vec<Vec<(String, String)>>,
    ends: &[usize],
    steps: &[Step<'_>],
    commands: Vec<ShownCommand>,
    bound: (i64, u64),
    most_paths: usize,
) -> Counterexample {
    let value = |at: usize| steps[at].2.0 as f64 / steps[at].2.1 as f64;
    let mut chance: Vec<f64> = (0..states.len()).map(|at| f64::from(u8::from(ends.contains(&at)))).collect();
    let mut visits = vec![0.0; states.len()];
    for _ in 0..2000 {
        let mut next = vec![0.0; states.len()];
        next[0] = 1.0;
        let mut better: Vec<f64> = (0..states.len()).map(|at| f64::from(u8::from(ends.contains(&at)))).collect();
        for (at, (from, to, ..)) in steps.iter().enumerate().filter(|(_, step)| !ends.contains(&step.0)) {
            next[*to] += visits[*from] * value(at);
            better[*from] += value(at) * chance[*to];
        }
        (visits, chance) = (next, better);
    }
    let flow = |at: usize| visits[steps[at].0] * value(at);
    let edges: Vec<ShownEdge> = (0..steps.len())
        .map(|at| {
            let (from, to, exact, commands) = steps[at];
            let exact = number(exact);
            let commands = commands.to_vec();
            ShownEdge { from, to, probability: value(at), exact, rate: None, flow: flow(at), commands }
        })
        .collect();
    let flow_of = |command: usize| edges.iter().filter(|e| e.commands.contains(&command)).map(|e| e.flow).sum();
    let commands: Vec<ShownCommand> =
        commands.into_iter().enumerate().map(|(at, command)| ShownCommand { flow: flow_of(at), ..command }).collect();
    let paths = paths(&edges, ends, most_paths);
    let shown = |(at, values): (usize, Vec<(String, String)>)| ShownState {
        is_beyond: false,
        values,
        is_end: ends.contains(&at),
        visits: visits[at],
        chance: chance[at],
        choice: None,
    };
    let probability =
        Extended::Finite(Number::from_parts(((chance[0] * 1e9).round() as i64).into(), 1_000_000_000_u64.into()));
    Counterexample {
        shows: Shows::Goals,
        bound: number(bound),
        probability: ChanceAnswer::exact(&probability),
        exact: None,
        states: states.into_iter().enumerate().map(shown).collect(),
        mass: paths.iter().map(|path| path.cumulated).collect(),
        edges,
        paths,
        commands_of_model: commands.len() + 2,
        commands,
        at_least: None,
    }
}

/// An unfinished path in the queue.
struct Open {
    probability: f64,
    exact: Number,
    at: usize,
    edges: Vec<usize>,
}

impl PartialEq for Open {
    fn eq(&self, other: &Open) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Open {}

impl PartialOrd for Open {
    fn partial_cmp(&self, other: &Open) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Open {
    fn cmp(&self, other: &Open) -> Ordering {
        self.probability.total_cmp(&other.probability).then_with(|| other.edges.cmp(&self.edges))
    }
}

fn paths(edges: &[ShownEdge], ends: &[usize], most: usize) -> Vec<ShownPath> {
    let mut open = BinaryHeap::from([Open { probability: 1.0, exact: Number::ONE, at: 0, edges: Vec::new() }]);
    let (mut found, mut cumulated): (Vec<ShownPath>, f64) = (Vec::new(), 0.0);
    while let Some(Open { probability, exact, at, edges: path }) = open.pop() {
        if found.len() == most {
            break;
        }
        if ends.contains(&at) {
            cumulated += probability;
            found.push(ShownPath { exact: Some(exact), probability, cumulated, edges: path, in_time: None });
            continue;
        }
        for (number, edge) in edges.iter().enumerate().filter(|(_, edge)| edge.from == at) {
            let edges = path.iter().copied().chain([number]).collect();
            let exact = exact.clone() * edge.exact.clone();
            open.push(Open { probability: probability * edge.probability, exact, at: edge.to, edges });
        }
    }
    found
}

/// A sender that tries again and again, in a chain.
pub fn chain() -> Counterexample {
    let states = states(
        &["phase", "tries", "N"],
        &[&["idle", "0", "4"], &["sent", "0", "4"], &["lost", "0", "4"], &["late", "1", "4"], &["broken", "1", "4"]],
    );
    let commands = vec![
        command("channel", 12, "[deliver] phase=1 -> 0.8:(phase'=0) + 0.2:(phase'=2)"),
        command("sender", 7, "[send] phase=0 -> (phase'=1)"),
        command("sender", 8, "[] phase=2 -> 1/3:(phase'=3)&(tries'=tries+1) + 2/3:(phase'=0)"),
        command("sender", 9, "[fail] phase=3 & tries<N -> 0.5:(phase'=4) + 0.5:(phase'=3)"),
    ];
    let steps: [Step<'_>; 7] = [
        (0, 1, (1, 1), &[1]),
        (1, 0, (4, 5), &[0]),
        (1, 2, (1, 5), &[0, 1]),
        (2, 3, (1, 3), &[2]),
        (2, 0, (2, 3), &[2]),
        (3, 4, (1, 2), &[3]),
        (3, 3, (1, 2), &[3]),
    ];
    Counterexample { at_least: Some(5), ..example(states, &[4], &steps, commands, (1, 2), 12) }
}

/// A scheduler that never lets the good thing happen, in a decision process.
pub fn decisions() -> Counterexample {
    let states = states(&["coin", "turn"], &[&["0", "1"], &["1", "2"], &["2", "2"], &["0", "3"]]);
    let commands = vec![
        command("player", 4, "[toss] true -> 0.5:(coin'=1) + 0.5:(coin'=2)"),
        command("cheat", 9, "[cheat] true -> (coin'=0)"),
    ];
    let steps: [Step<'_>; 4] = [(0, 1, (1, 2), &[0]), (0, 2, (1, 2), &[0]), (1, 3, (1, 1), &[1]), (2, 3, (3, 4), &[1])];
    let mut found = example(states, &[3], &steps, commands, (1, 2), 5);
    for (at, choice) in [(0, "[toss]"), (1, "[cheat]"), (2, "[cheat]")] {
        found.states[at].choice = Some(choice.into());
    }
    Counterexample { shows: Shows::Avoids, at_least: Some(3), ..found }
}

/// Two machines and a mechanic, in continuous time.
pub fn rates() -> Counterexample {
    let states = states(&["broken"], &[&["0"], &["1"], &["2"]]);
    let commands = vec![
        command("machines", 3, "[] broken<2 -> 2-broken : (broken'=broken+1)"),
        command("mechanic", 6, "[] broken>0 -> 4 : (broken'=broken-1)"),
    ];
    let steps: [Step<'_>; 3] = [(0, 1, (1, 1), &[0]), (1, 2, (1, 5), &[0]), (1, 0, (4, 5), &[1])];
    let mut found = example(states, &[2], &steps, commands, (1, 10), 5);
    for (edge, rate) in found.edges.iter_mut().zip([2.0, 1.0, 4.0]) {
        edge.rate = Some(rate);
    }
    for (path, at) in found.paths.iter_mut().zip(1_u8..) {
        path.in_time = Some(path.probability / f64::from(at + 1));
    }
    found
}

/// Names that a terminal, XML or Graphviz would take for something else.
pub const HOSTILE: &str = "x\u{1b}[2J\"<script>&'\\n]];\n\u{202e}";

pub fn hostile() -> Counterexample {
    let mut found = chain();
    for state in &mut found.states {
        state.values[0].0 = HOSTILE.into();
        state.values[1].1 = format!("{HOSTILE}{}", state.visits);
        state.choice = Some(HOSTILE.into());
    }
    for command in &mut found.commands {
        (command.module, command.text) = (HOSTILE.into(), HOSTILE.into());
    }
    found
}

/// A walk that goes on, falls back, or branches: so many states.
pub fn large(many: usize, most_paths: usize) -> Counterexample {
    let mut seed = 11_u64;
    let mut draw = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below.max(1)
    };
    let mut steps: Vec<Step<'_>> = Vec::new();
    for at in 1..many {
        let parent = at.saturating_sub(1 + draw(6));
        steps.push((parent, at, (1, 1), &[0]));
        if at % 7 == 0 {
            steps.push((at, at - draw(8), (1, 1), &[1]));
        }
    }
    // Something is lost with every step, so that no path goes on for ever.
    let leaving: Vec<usize> = (0..many).map(|at| steps.iter().filter(|step| step.0 == at).count()).collect();
    steps.iter_mut().for_each(|step| step.2 = (1, leaving[step.0] as u64 + 1));
    steps.dedup_by_key(|step| (step.0, step.1));
    let ends: Vec<usize> = (0..many).filter(|at| leaving[*at] == 0 && at % 2 == 0).collect();
    let text = |n: usize| n.to_string();
    let values = (0..many).map(|at| {
        let names = ["place", "round", "lost", "kept", "mode"];
        let values = [text(at), text(at / 9), text(at % 4), text(at / 3), text(at % 2)];
        names.into_iter().map(String::from).zip(values).collect()
    });
    let commands = vec![command("walker", 5, "[] go"), command("walker", 6, "[] back")];
    example(values.collect(), &ends, &steps, commands, (1, 10), most_paths)
}
