//! For tests: models from text, and the shortest path to an end by brute force with the reference evaluator.

use std::collections::{HashSet, VecDeque};
use std::path::Path;

use bughound_ir::edge::EdgeId;
use bughound_ir::ltl::Formula;
use bughound_ir::network::Network;
use bughound_ir::question::Question;
use bughound_ir::reference::{RefState, Reference};
use bughound_ir::source::SourceMap;
use bughound_kernel::{Failure, Move};
use bughound_promela::lower::{LowerOptions, lower};
use bughound_promela::{Options, parse};

use crate::claim::Claim;
use crate::replay::{Trace, replay};
use crate::text::{TextOptions, render_text};

pub fn network(text: &str) -> Network {
    let mut sources = SourceMap::default();
    let no_files = |_: &Path| Err(std::io::Error::from(std::io::ErrorKind::NotFound));
    let parsed = parse(&mut sources, "test.pml", text.as_bytes(), &Options::default(), &no_files);
    let ast = parsed.ast.unwrap_or_else(|| panic!("{:?}", parsed.diagnostics));
    let lowered = lower(&ast, &sources, LowerOptions { merge: false, ..LowerOptions::default() });
    lowered.network.unwrap_or_else(|| panic!("{:?}", lowered.diagnostics))
}

/// What the shortest path should end in.
pub enum Wanted {
    Deadlock,
    Failure,
    /// The first invariant of the model is false.
    Invariant,
}

/// The shortest such path, replayed.
pub fn trace(network: &Network, wanted: Wanted) -> Trace {
    let condition = network.properties.iter().find_map(|p| match &p.question {
        Question::Invariant(condition) => Some(condition),
        _ => None,
    });
    let reference = Reference::new(network).unwrap();
    let (moves, failure) = shortest(reference, &|state, failure| match wanted {
        Wanted::Deadlock => failure.is_none() && reference.is_deadlock(state),
        Wanted::Failure => failure.is_some(),
        Wanted::Invariant => state.control.is_none() && !reference.holds(state, condition.unwrap()).unwrap_or(false),
    });
    let claim = match wanted {
        Wanted::Deadlock => Claim::Deadlock,
        Wanted::Failure => Claim::Failure(failure.unwrap()),
        Wanted::Invariant => Claim::Condition { condition: condition.unwrap(), expected: true },
    };
    replay(network, &moves, &claim).unwrap()
}

/// The trace as text, without spaces at the ends of lines.
pub fn text(trace: &Trace) -> String {
    render_text(trace, &TextOptions::default())
}

/// The moves of a run, given as the process and the statement of each step.
pub fn moves(network: &Network, steps: &[(u16, &str)]) -> Vec<Move> {
    let reference = Reference::discrete(network);
    let mut state = reference.initial().unwrap();
    let mut moves = Vec::new();
    for (process, text) in steps {
        let is_it = |m: &Move| m.process == *process && network.edge(EdgeId(m.edge)).text == *text;
        let possible = reference.micro_steps(&state);
        let step = possible.into_iter().find(|step| is_it(&step.moves[0]));
        let step = step.unwrap_or_else(|| panic!("process {process} cannot do `{text}`"));
        moves.extend(&step.moves);
        state = step.result.unwrap_or(state);
    }
    moves
}

/// The last formula of the model that is no invariant.
pub fn formula(network: &Network) -> &Formula {
    let formulas = network.properties.iter().rev().filter_map(|p| match &p.question {
        Question::Ltl(formula) => Some(formula),
        _ => None,
    });
    formulas.into_iter().next().unwrap()
}

type End<'e> = dyn Fn(&RefState, Option<Failure>) -> bool + 'e;

fn shortest(reference: Reference<'_>, is_end: &End<'_>) -> (Vec<Move>, Option<Failure>) {
    let mut seen = HashSet::new();
    let mut open = VecDeque::from([(reference.initial().unwrap(), Vec::new())]);
    while let Some((state, path)) = open.pop_front() {
        if is_end(&state, None) {
            return (path, None);
        }
        for step in reference.micro_steps(&state) {
            let longer = [&path[..], &step.moves].concat();
            let failure = step.soft_failures.first().or(step.result.as_ref().err()).map(|info| info.failure);
            if failure.is_some() && is_end(&state, failure) {
                return (longer, failure);
            }
            if let Ok(next) = step.result
                && seen.insert(next.clone())
            {
                open.push_back((next, longer));
            }
        }
    }
    panic!("no such path");
}
