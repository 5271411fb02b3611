//! Searches with sets of states beside breadth-first search: the same counts, the same errors, of the same lengths, and paths that the
//! reference evaluator can follow.

use std::sync::Arc;

use bughound_ir::expr::Expr;
use bughound_ir::network::Network;
use bughound_kernel::registry::expression;
use bughound_kernel::{
    AtomId, Dependencies, Explorer, FailureKind, Layout, Limits, SlotSet, StepGroup, TransitionSystem,
};
use bughound_promela::lower::LowerOptions;
use bughound_search::{
    BuildCx, Controls, Goals, InvariantGoal, NoHeuristics, SearchResult, Searches, StopPolicy, Task, Witness,
    algorithms,
};
use bughound_semantics::DiscreteSystem;
use bughound_store::{StoreKind, Stores};
use bughound_trace::{Claim, replay};

use crate::comparison::wide_features;
use crate::conditions;
use crate::differential::network;
use crate::random_promela::{Rng, generate};

/// Programs with more states are not compared.
const MOST_STATES: u64 = 5_000;
/// Room for diagrams.
const BYTES: u64 = 48 << 20;
/// Conditions that must never be reached.
const CONDITIONS: u32 = 3;

/// The searches that are compared.
pub const SEARCHES: &[&str] = &["symbolic", "symbolic(order=chaining)", "symbolic(order=saturation)"];

/// States, steps, deadlocks, failed assertions, errors of evaluation.
type Counts = (u64, u64, u64, u64, u64);

struct Asked<'a> {
    network: &'a Network,
    system: &'a dyn TransitionSystem,
    conditions: &'a [(Expr, bool)],
}

impl Asked<'_> {
    fn goals(&self) -> Goals {
        let invariants = self.conditions.iter().enumerate().map(|(at, (_, wanted))| InvariantGoal {
            property: 3 + at,
            atom: AtomId(at as u32),
            expected: !wanted,
        });
        let invariants = invariants.collect();
        Goals { deadlock: Some(0), assertion: Some(1), evaluation: Some(2), invariants, ..Goals::none() }
    }

    fn run(&self, search: &str, stop: StopPolicy, limits: Limits) -> Result<SearchResult, String> {
        let goals = self.goals();
        let cx = BuildCx { searches: Searches(&[algorithms::ALL, bughound_symbolic::ALL]), ..BuildCx::default() };
        let wrong = |error: &dyn std::fmt::Display| format!("{search}: {error}");
        let built = expression::parse(search).and_then(|e| algorithms::build(&e, &cx)).map_err(|e| wrong(&e))?;
        let stores = Stores::new(self.system).of_kind(StoreKind::Exact);
        let task = Task { system: self.system, goals: &goals, stop, stores: &stores, heuristics: &NoHeuristics };
        built.start(task, Controls { limits, ..Controls::default() }).map_err(|e| wrong(&e))
    }

    /// What a witness claims of its last state or step.
    fn confirm(&self, witness: &Witness) -> Result<(), String> {
        let claim = match (witness.property, witness.failure) {
            (0, _) => Claim::Deadlock,
            (1 | 2, Some(failure)) => {
                let kind = if witness.property == 1 { FailureKind::Assertion } else { FailureKind::Evaluation };
                if failure.kind != kind {
                    return Err(format!("{failure:?} is no failure of property {}", witness.property));
                }
                Claim::Failure(failure)
            }
            (1 | 2, None) => return Err("a failure that is none".into()),
            (property, _) => {
                let (condition, wanted) = &self.conditions[property - 3];
                Claim::Condition { condition, expected: !wanted }
            }
        };
        replay(self.network, &witness.path.concat(), &claim).map(|_| ()).map_err(|error| format!("{error:?}"))
    }
}

fn counts(result: &SearchResult) -> Counts {
    let stats = &result.stats;
    (stats.stored, stats.transitions, stats.deadlocks, stats.failed_assertions, stats.evaluation_errors)
}

fn lengths(result: &SearchResult) -> Vec<(usize, u64)> {
    let mut lengths: Vec<_> = result.witnesses.iter().map(|w| (w.property, w.length)).collect();
    lengths.sort_unstable();
    lengths
}

/// A random program, and conditions on its states that must not be reached.
struct Subject {
    source: String,
    network: Arc<Network>,
    conditions: Vec<(Expr, bool)>,
    system: DiscreteSystem,
}

impl Subject {
    fn of(seed: u64) -> Option<Subject> {
        let source = generate(seed, &wide_features(seed));
        let network = Arc::new(network(&source, LowerOptions::default()).ok()?);
        let mut rng = Rng::new(seed ^ 0xbdd);
        let made = (0..CONDITIONS).map(|_| conditions::random(&network, &mut rng));
        let conditions: Vec<(Expr, bool)> = made.map(|made| (made.condition, made.wanted)).collect();
        let atoms: Vec<Expr> = conditions.iter().map(|(condition, _)| condition.clone()).collect();
        let system = DiscreteSystem::new(Arc::clone(&network), &atoms);
        Some(Subject { source, network, conditions, system })
    }
}

/// The random program of a seed by every search: how many answers were compared, none if it has no network or too many states.
pub fn compare_program(seed: u64) -> Result<u64, String> {
    let Some(subject) = Subject::of(seed) else { return Ok(0) };
    let Subject { source, network, conditions, system } = &subject;
    compare(&Asked { network, system, conditions }).map_err(|what| format!("seed {seed}: {what}\n{source}"))
}

/// What a system says of itself with a mistake in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mistake {
    /// A slot that each group reads is missing.
    Read,
    /// A slot that each group may write is missing.
    Write,
    /// Slots that need not be written are said to be written for certain.
    Certain,
    /// The groups of an edge are missing.
    Group,
}

impl Mistake {
    pub const ALL: [Mistake; 4] = [Mistake::Read, Mistake::Write, Mistake::Certain, Mistake::Group];
}

/// A system that does not tell everything about itself.
struct Mistaken<'a> {
    system: &'a DiscreteSystem,
    mistake: Mistake,
    seed: u64,
}

impl TransitionSystem for Mistaken<'_> {
    fn layout(&self) -> &Layout {
        self.system.layout()
    }

    fn explorer(&self) -> Box<dyn Explorer + '_> {
        self.system.explorer()
    }

    fn atoms(&self) -> u32 {
        self.system.atoms()
    }

    fn dependencies(&self) -> Result<Dependencies, &'static str> {
        let mut all = self.system.dependencies()?;
        let mut rng = Rng::new(self.seed);
        if self.mistake == Mistake::Group {
            let edge = all.groups.first().map(|group| group.first.edge);
            all.groups.retain(|group| Some(group.first.edge) != edge);
        }
        for StepGroup { access, here, .. } in &mut all.groups {
            let mut without = |slots: &SlotSet| -> SlotSet {
                let others: Vec<u32> = slots.iter().filter(|slot| *slot != here.0).collect();
                let out = others.get(rng.below(others.len().max(1))).copied();
                slots.iter().filter(|slot| Some(*slot) != out).collect()
            };
            match self.mistake {
                Mistake::Read => access.reads = without(&access.reads),
                Mistake::Write => access.may_write = without(&access.may_write),
                Mistake::Certain => access.must_write = access.may_write.clone(),
                Mistake::Group => {}
            }
        }
        Ok(all)
    }
}

/// Plants a mistake: whether the comparison finds it; `None` if there is nothing to compare. Many mistakes are about what never
/// happens, or makes no difference in the states of the program.
pub fn finds(mistake: Mistake, seed: u64) -> Option<bool> {
    let Subject { network, conditions, system, .. } = &Subject::of(seed)?;
    let mistaken = Mistaken { system, mistake, seed };
    let honest = compare(&Asked { network, system, conditions }).ok().filter(|compared| *compared > 0);
    honest.map(|_| compare(&Asked { network, system: &mistaken, conditions }).is_err())
}

fn compare(asked: &Asked<'_>) -> Result<u64, String> {
    let limits = Limits { states: Some(MOST_STATES), ..Limits::default() };
    let all = asked.run("bfs", StopPolicy::Exhaustive, limits)?;
    if !all.complete {
        return Ok(0);
    }
    let mut compared = 0;
    for search in SEARCHES {
        for stop in [StopPolicy::Exhaustive, StopPolicy::EveryProperty, StopPolicy::FirstError] {
            let limits = Limits { memory: Some(BYTES), ..Limits::default() };
            let found = asked.run(search, stop, limits)?;
            let differs = |what: &str, is: &dyn std::fmt::Debug, should: &dyn std::fmt::Debug| {
                Err(format!("{search}, {stop:?}: {what} {is:?} instead of {should:?}"))
            };
            if found.stop_reason.is_some() {
                return differs("ended by", &found.stop_reason, &"nothing");
            }
            if stop == StopPolicy::Exhaustive && counts(&found) != counts(&all) {
                return differs("counts", &counts(&found), &counts(&all));
            }
            if found.complete != (stop == StopPolicy::Exhaustive || all.witnesses.is_empty()) && found.complete {
                let every = found.witnesses.len() == all.witnesses.len() && stop == StopPolicy::EveryProperty;
                if !every {
                    return differs("complete with", &lengths(&found), &lengths(&all));
                }
            }
            let shortest = lengths(&all).into_iter().map(|(_, length)| length).min();
            if stop == StopPolicy::FirstError {
                let found = found.witnesses.first().map(|witness| witness.length);
                if found != shortest {
                    return differs("first error after", &found, &shortest);
                }
            } else if lengths(&found) != lengths(&all) {
                return differs("errors", &lengths(&found), &lengths(&all));
            }
            for witness in &found.witnesses {
                asked.confirm(witness).map_err(|why| format!("{search}, {stop:?}: {witness:?}: {why}"))?;
                if !witness.proven_shortest {
                    return differs("not proven", &witness.length, &shortest);
                }
            }
            compared += 1;
        }
    }
    Ok(compared)
}
