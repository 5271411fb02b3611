//! Random programs with and without the values that make no difference.
//!
//! [`walk_seed`] walks through both networks side by side: in every pair of states that the same moves lead to, the same
//! steps are possible, with the same failures, and every observer sees the same. [`check_seed`] asks Bughound the same
//! questions with both and with several searches.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::ops::ControlFlow;

use bughound::check::PropertyReport;
use bughound::run::RunError;
use bughound::verdict::Verdict;
use bughound_ir::analysis::dead_variables::{Observers, without_dead_variables};
use bughound_ir::expr::Expr;
use bughound_ir::network::{Network, TemplateId};
use bughound_ir::question::Question;
use bughound_kernel::{AtomId, Expansion, Explorer, Failure, Limits, Move, Outcome, State, TransitionSystem};
use bughound_promela::lower::LowerOptions;
use bughound_semantics::DiscreteSystem;

use crate::comparison::wide_features;
use crate::conditions;
use crate::differential::network;
use crate::liveness::facade::Subject;
use crate::random_promela::{Features, Rng, generate};
use crate::search_pairs::program;

/// Larger programs are looked at in part.
const MOST_PAIRS: usize = 1500;
/// No run of a check stores more states.
const MOST_STATES: u64 = 1000;
/// The engine looks for states met again in atomic chains of more than so many steps: there may be fewer ways.
const SHORT_CHAIN: usize = 24;
/// Searches whose answers are compared; the first one proves lengths.
const SEARCHES: [&str; 6] = ["bfs", "dfs", "astar(h=hmax)", "astar(h=pdb)", "greedy(h=hff)", "auto"];

/// What was seen of one program, or of several.
#[derive(Clone, Debug, Default)]
pub struct Report {
    pub programs: u64,
    /// Those in which something can be forgotten.
    pub forgetful: u64,
    /// States of programs that were seen as a whole, with all values and without some.
    pub states: u64,
    pub fewer: u64,
    pub answers: u64,
    pub differences: Vec<String>,
}

impl Report {
    pub fn merge(&mut self, other: Report) {
        self.programs += other.programs;
        self.forgetful += other.forgetful;
        self.states += other.states;
        self.fewer += other.fewer;
        self.answers += other.answers;
        self.differences.extend(other.differences);
    }
}

/// Walks through the program of a seed.
pub fn walk_seed(seed: u64) -> Report {
    let features = wide_features(seed);
    let source = generate(seed, &features);
    let lossy_sends = features.has(Features::LOSSY);
    let options = LowerOptions { merge: !seed.is_multiple_of(3), lossy_sends, ..LowerOptions::default() };
    let mut report = Report { programs: 1, ..Report::default() };
    let Ok(network) = network(&source, options) else { return report };
    let mut rng = Rng::new(seed ^ 0xdead);
    let count = rng.below(3);
    let observers = Observers {
        conditions: (0..count).map(|_| conditions::random(&network, &mut rng).condition).collect(),
        claims: claims(&network),
        reduction: rng.below(2) == 0,
    };
    if let Err(why) = walk(&network, &observers, &observers, &mut report) {
        report.differences.push(format!("seed {seed}: {why}\n{source}"));
    }
    report
}

fn claims(network: &Network) -> Vec<TemplateId> {
    let claim = |question: &Question| match question {
        Question::Never(template) => Some(*template),
        _ => None,
    };
    network.properties.iter().filter_map(|property| claim(&property.question)).collect()
}

/// Compares a network with itself without what makes no difference to `kept`, as `observers` see both.
pub fn walk(network: &Network, kept: &Observers, observers: &Observers, report: &mut Report) -> Result<(), String> {
    let Some(without) = without_dead_variables(network, kept) else { return Ok(()) };
    report.forgetful += 1;
    let mut atoms = observers.conditions.clone();
    for claim in &observers.claims {
        let locations = network.template(*claim).locations.iter();
        let edges = locations.flat_map(|location| &network.location(*location).edges);
        atoms.extend(edges.flat_map(|edge| network.edge(*edge).guards.clone()));
    }
    let (all, some) = (DiscreteSystem::new(network.clone(), &atoms), DiscreteSystem::new(without, &atoms));
    let walk = Walk { all: all.explorer(), some: some.explorer(), atoms: &atoms };
    walk.run(report)
}

/// A step as it is compared.
#[derive(Clone, Debug, PartialEq)]
struct Made {
    moves: Vec<Move>,
    weight: u64,
    failure: Option<Failure>,
}

struct Walk<'w> {
    all: Box<dyn Explorer + 'w>,
    some: Box<dyn Explorer + 'w>,
    atoms: &'w [Expr],
}

impl Walk<'_> {
    fn run(mut self, report: &mut Report) -> Result<(), String> {
        let (mut first, mut second) = (Vec::new(), Vec::new());
        self.all.initial(&mut |state| first.push(state.key.to_vec()));
        self.some.initial(&mut |state| second.push(state.key.to_vec()));
        if first.len() != second.len() {
            return Err(format!("{} initial states, and {}", first.len(), second.len()));
        }
        let mut todo: VecDeque<(Vec<i32>, Vec<i32>)> = first.into_iter().zip(second).collect();
        let mut seen: HashSet<(Vec<i32>, Vec<i32>)> = todo.iter().cloned().collect();
        let mut is_whole = true;
        while let Some((key, short)) = todo.pop_front() {
            self.compare_atoms(&key, &short)?;
            let (expansion, steps) = successors(self.all.as_mut(), &key);
            let (other, others) = successors(self.some.as_mut(), &short);
            if is_long(&steps) || is_long(&others) {
                is_whole = false;
                continue;
            }
            let made = |steps: &[(Made, Vec<i32>)]| steps.iter().map(|(made, _)| made.clone()).collect::<Vec<_>>();
            if made(&steps) != made(&others) || expansion != other {
                return Err(format!(
                    "after {key:?}, which became {short:?}: {expansion:?} {:?}\nbut {other:?} {:?}",
                    made(&steps),
                    made(&others)
                ));
            }
            for ((made, to), (_, short)) in steps.into_iter().zip(others) {
                if made.failure.is_none() && seen.len() < MOST_PAIRS && seen.insert((to.clone(), short.clone())) {
                    todo.push_back((to, short));
                }
            }
        }
        if is_whole && seen.len() < MOST_PAIRS {
            let states = seen.iter().map(|(key, _)| key).collect::<HashSet<_>>().len();
            let fewer = seen.iter().map(|(_, short)| short).collect::<HashSet<_>>().len();
            report.states += states as u64;
            report.fewer += fewer as u64;
            if fewer > states {
                return Err(format!("{states} states became {fewer}"));
            }
        }
        Ok(())
    }

    fn compare_atoms(&mut self, key: &[i32], short: &[i32]) -> Result<(), String> {
        for (number, atom) in self.atoms.iter().enumerate() {
            let atom_id = AtomId(number as u32);
            let truths =
                (self.all.holds(atom_id, State::discrete(key)), self.some.holds(atom_id, State::discrete(short)));
            if truths.0 != truths.1 {
                return Err(format!("{truths:?} in {key:?}, which became {short:?}: {atom:?}"));
            }
        }
        Ok(())
    }
}

fn successors(explorer: &mut dyn Explorer, key: &[i32]) -> (Expansion, Vec<(Made, Vec<i32>)>) {
    let mut steps = Vec::new();
    let expansion = explorer.successors(State::discrete(key), &mut |step| {
        let (failure, to) = match step.outcome {
            Outcome::State(state) => (None, state.key.to_vec()),
            Outcome::Failure(failure) => (Some(failure), Vec::new()),
        };
        steps.push((Made { moves: step.moves.to_vec(), weight: step.weight, failure }, to));
        ControlFlow::Continue(())
    });
    (expansion, steps)
}

/// Could a chain of so many micro steps have been followed from one first move?
fn is_long(steps: &[(Made, Vec<i32>)]) -> bool {
    let mut chains: BTreeMap<Option<(u16, u32)>, usize> = BTreeMap::new();
    for (made, _) in steps {
        *chains.entry(made.moves.first().map(|first| (first.process, first.edge))).or_default() += made.moves.len();
    }
    chains.values().any(|moves| *moves >= SHORT_CHAIN)
}

/// Asks about the properties of the program of a seed.
pub fn check_seed(seed: u64) -> Report {
    let (source, conditions) = program(seed);
    let mut report = Report { programs: 1, ..Report::default() };
    let mut rng = Rng::new(seed ^ 0xfade);
    let subject = match Subject::load(&source, &[], &conditions[..3.min(conditions.len())], rng.chance(60)) {
        Ok(subject) => subject,
        Err(why) => return Report { differences: vec![format!("seed {seed}: rejected: {why}\n{source}")], ..report },
    };
    let names: Vec<String> = subject.network().properties.iter().map(|property| property.name.clone()).collect();
    // Building heuristics takes longer than all of breadth-first search: they have one property of each program.
    let drawn = rng.below(names.len().max(1));
    for (number, name) in names.iter().enumerate() {
        let other = (number == drawn).then(|| SEARCHES[1 + rng.below(SEARCHES.len() - 1)]);
        for search in [SEARCHES[0]].into_iter().chain(other) {
            if let Err(why) = check(&subject, name, search, &mut report) {
                report.differences.push(format!("seed {seed}: {name} by {search}: {why}\n{source}"));
            }
        }
    }
    report
}

fn check(subject: &Subject, name: &str, search: &str, report: &mut Report) -> Result<(), String> {
    let limits = Limits { states: Some(MOST_STATES), ..Limits::default() };
    let ask = |forget| subject.check_forgetting(forget, name, search, false, limits.clone());
    let (all, some) = match (ask(false), ask(true)) {
        (Ok(all), Ok(some)) => (all, some),
        (Err(RunError::Usage(_)), Err(RunError::Usage(_))) => return Ok(()),
        (all, some) => {
            let problem = |found: Result<PropertyReport, RunError>| found.err().map(|error| error.to_string());
            return Err(format!("with all values {:?}, without some {:?}", problem(all), problem(some)));
        }
    };
    report.answers += 1;
    let cost = |found: &PropertyReport| found.trace.as_ref().map(|trace| trace.cost);
    let stored = |found: &PropertyReport| found.stats.as_ref().map_or(0, |stats| stats.counts.stored);
    let about = |found: &PropertyReport| {
        format!("{} {:?} {} {:?} {}", found.verdict, cost(found), found.proven_shortest, found.reason, stored(found))
    };
    let differs = Err(format!("with all values {}, without some {}", about(&all), about(&some)));
    let is_open = |found: &PropertyReport| matches!(found.verdict, Verdict::Limit | Verdict::Inconclusive);
    if is_open(&all) || is_open(&some) {
        // Fewer states may bring an answer within the limit; more are never needed to get through all of them.
        return if search == SEARCHES[0] && is_open(&some) && !is_open(&all) { differs } else { Ok(()) };
    }
    if all.verdict != some.verdict {
        return differs;
    }
    if all.proven_shortest && some.proven_shortest && cost(&all) != cost(&some) {
        return differs;
    }
    if search == SEARCHES[0] && (all.proven_shortest != some.proven_shortest || stored(&some) > stored(&all)) {
        return differs;
    }
    Ok(())
}
