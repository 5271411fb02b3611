//! Verdicts with and without reductions, on random programs, by searches that are drawn for each of them.
//!
//! Everything goes through the façade, as a user would ask. Each search that is drawn is asked four times: with steps left out
//! or all of them, with dead variables forgotten or all values; each time with a number of threads and a store that are drawn,
//! too, and with delays where threads race. The answers must be those of an exhaustive search that leaves
//! nothing out, and lengths that are called shortest must be the same, whoever says so.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use bughound::added::{AddedKind, AddedProperty};
use bughound::check::{AfterError, CheckReport, CheckRequest, PropertyReport};

use bughound::run::{ReductionMode, RunError, RunOptions};
use bughound::verdict::Verdict;
use bughound_kernel::{Limits, delays};
use bughound_store::StoreKind;

use crate::comparison::wide_features;
use crate::liveness::claims::RandomClaim;
use crate::liveness::facade::Subject;
use crate::liveness::formulas::{self, Shape};
use crate::liveness::models::{self, Ingredients};
use crate::random_promela::{Features, Rng, generate_with_conditions};

/// No run may store more states.
const STATE_LIMIT: u64 = 700;
/// Searches that remember little may take long.
const TIME_LIMIT: Duration = Duration::from_millis(80);
/// Searches for each program.
const DRAWN: usize = 4;
/// So many searches in a hundred have every choice compared with all steps.
const VERIFIED: usize = 10;
/// Conditions made for each program.
const CONDITIONS: usize = 6;

/// Searches for errors in states, each in one of several forms.
const OF_STATES: [&[&str]; 9] = [
    &["bfs", "bfs(ties=lifo)"],
    &["auto", "auto(effort=1000000)"],
    &["wastar(h=formula)", "largest-first", "dijkstra"],
    &["dfs"],
    &["astar(h=hmax)", "astar(h=blind)", "astar(h=formula(combine=max))"],
    &["greedy(h=formula)", "greedy(h=hff)", "greedy(h=active-processes)"],
    &["guided(h=formula)", "guided(h=hff)"],
    &["idastar(h=hmax)", "idastar(h=blind)"],
    &["branch-and-bound(h=hmax)", "branch-and-bound(h=blind)"],
];
/// Searches for cycles.
const OF_CYCLES: [&[&str]; 4] = [&["scc"], &["nested-dfs"], &["improved-nested-dfs"], &["shortest-lasso", "auto"]];

/// What the others are compared with.
const STATES_ORACLE: &str = "bfs";
const CYCLES_ORACLE: &str = "scc";

/// What many comparisons came to.
#[derive(Clone, Debug, Default)]
pub struct Report {
    pub counts: BTreeMap<&'static str, u64>,
    pub differences: Vec<String>,
}

impl Report {
    fn count(&mut self, what: &'static str) {
        self.add(what, 1);
    }

    fn add(&mut self, what: &'static str, number: u64) {
        *self.counts.entry(what).or_default() += number;
    }

    pub fn of(&self, what: &str) -> u64 {
        self.counts.get(what).copied().unwrap_or(0)
    }

    pub fn merge(&mut self, other: Report) {
        other.counts.into_iter().for_each(|(what, number)| self.add(what, number));
        self.differences.extend(other.differences);
    }
}

/// Compares the answers about the program of a seed. `draw` decides, with it, which searches are asked about what.
pub fn compare_seed(seed: u64, draw: u64) -> Report {
    let compared = catch_unwind(AssertUnwindSafe(|| {
        let rng = Rng::new(seed.wrapping_mul(0x9e37_79b9) ^ draw ^ 0x0a55);
        let mut comparison = Comparison { rng, report: Report::default() };
        comparison.run(seed);
        comparison.report
    }));
    let mut report = compared.unwrap_or_else(|_| Report { differences: vec!["panic".into()], ..Report::default() });
    report.differences.iter_mut().for_each(|text| *text = format!("seed {seed}: {text}"));
    report
}

/// A program and what is asked about it.
struct Asked {
    text: String,
    added: Vec<AddedProperty>,
    merge: bool,
}

/// How a search leaves things out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct LeavesOut {
    steps: bool,
    values: bool,
}

const NOTHING: LeavesOut = LeavesOut { steps: false, values: false };
const ALL_WAYS: [LeavesOut; 4] = [
    NOTHING,
    LeavesOut { steps: true, values: false },
    LeavesOut { steps: false, values: true },
    LeavesOut { steps: true, values: true },
];

struct Comparison {
    rng: Rng,
    report: Report,
}

impl Comparison {
    fn run(&mut self, seed: u64) {
        let asked = self.program(seed);
        let subject = match Subject::load_with(&asked.text, asked.added.clone(), asked.merge) {
            Ok(subject) => subject,
            Err(why) => return self.report.differences.push(format!("rejected: {why}\n{}", asked.text)),
        };
        self.report.count("programs");
        let searches: Vec<usize> = self.draw(OF_STATES.len() + OF_CYCLES.len());
        let (of_states, of_cycles): (Vec<usize>, Vec<usize>) =
            searches.into_iter().partition(|at| *at < OF_STATES.len());
        let kinds: BTreeMap<String, bool> = subject.properties().into_iter().collect();
        let named = |is_safety: bool| -> Vec<String> {
            kinds.iter().filter(|(_, safety)| **safety == is_safety).map(|(name, _)| name.clone()).collect()
        };
        let (safety, runs) = (named(true), named(false));
        let mut known: BTreeMap<String, Known> = BTreeMap::new();
        for at in of_states {
            let search = *self.rng.pick(OF_STATES[at]);
            let asked_for = match self.rng.chance(50) {
                true => safety.clone(),
                false => vec![self.rng.pick(&safety).clone()],
            };
            self.compare(&asked, &subject, search, STATES_ORACLE, &asked_for, &mut known);
        }
        for at in of_cycles.into_iter().filter(|_| !runs.is_empty()) {
            let search = *self.rng.pick(OF_CYCLES[at - OF_STATES.len()]);
            let property = self.rng.pick(&runs).clone();
            self.compare(&asked, &subject, search, CYCLES_ORACLE, &[property], &mut known);
        }
    }

    /// Some different numbers below this.
    fn draw(&mut self, count: usize) -> Vec<usize> {
        let mut all: Vec<usize> = (0..count).collect();
        (0..DRAWN).map(|_| all.swap_remove(self.rng.below(all.len()))).collect()
    }

    fn program(&mut self, seed: u64) -> Asked {
        let merge = self.rng.chance(60);
        let (mut text, conditions) = match self.rng.chance(70) {
            true => self.general(seed),
            false => {
                let model = models::random(&mut self.rng, Ingredients::ALL);
                let count = model.atoms.len();
                let drawn = (0..CONDITIONS).map(|_| model.atoms[self.rng.below(count)].clone());
                (model.text.clone(), drawn.collect())
            }
        };
        let mut added = Vec::new();
        // Two at a time: that one holds while the other does is what an order that is left out may lose.
        for pair in conditions.chunks(2).filter(|pair| pair.len() == 2).take(2) {
            let text = format!("!(({}) && ({}))", pair[0], pair[1]);
            added.push(AddedProperty { kind: AddedKind::Invariant, text });
        }
        if !conditions.is_empty() {
            for _ in 0..2 {
                let formula = formulas::random(&mut self.rng, Shape { atoms: conditions.len(), next: false });
                added.push(AddedProperty { kind: AddedKind::Ltl, text: formula.text(&conditions).to_string() });
            }
            if self.rng.chance(40) && !text.contains("never") {
                let claim = RandomClaim::random(&mut self.rng, conditions.len());
                text.push_str(&claim.text(&conditions).to_string());
            }
        }
        if self.rng.chance(4)
            && let Some(condition) = conditions.first()
        {
            // A run may stay inside for ever: nobody can say that a property of runs holds.
            text.push_str(&format!("active proctype Endless() {{ atomic {{ do :: ({condition}) od }} }}\n"));
        }
        Asked { text, added, merge }
    }

    /// A program with any construct. What keeps a model from being reduced is left out of most of them.
    fn general(&mut self, seed: u64) -> (String, Vec<String>) {
        let refused = [Features::LAST, Features::PRIORITY, Features::ENABLED, Features::TRACE];
        let wanted = if self.rng.chance(30) { Features::CORE } else { wide_features(seed) };
        let features = match self.rng.chance(90) {
            true => refused.into_iter().fold(wanted, |all, one| all.without(one)),
            false => wanted,
        };
        // Lost messages are an option of the run, not of the program.
        generate_with_conditions(seed, &features.without(Features::LOSSY), CONDITIONS)
    }

    fn compare(
        &mut self,
        asked: &Asked,
        subject: &Subject,
        search: &str,
        oracle: &str,
        names: &[String],
        known: &mut BTreeMap<String, Known>,
    ) {
        for name in names {
            if !known.contains_key(name) {
                let found =
                    answers(subject, oracle, std::slice::from_ref(name), NOTHING, ReductionMode::Off, Means::PLAIN);
                self.report.count("runs");
                known.insert(name.clone(), Known::new(found));
            }
        }
        // What the oracle has no answer for, nobody else is asked about.
        let names: Vec<String> = names.iter().filter(|name| known[*name].verdict.is_some()).cloned().collect();
        if names.is_empty() {
            return self.report.count("searches skipped: the oracle was not done in time");
        }
        // Now and then the reduction is held to its word in every state.
        let reduction = if self.rng.chance(VERIFIED) { ReductionMode::Check } else { ReductionMode::On };
        for way in ALL_WAYS {
            self.report.count("runs");
            let means = Means::drawn(&mut self.rng);
            if means.threads > 1 {
                self.report.count("runs with several threads");
            }
            let found = match answers(subject, search, &names, way, reduction, means) {
                Ok(found) => found,
                Err(RunError::Usage(_)) => return self.report.count("searches skipped: they cannot be asked"),
                Err(RunError::Internal(why)) => {
                    self.differ(asked, &format!("{search}, {way:?}, {means:?}, {names:?}: {why}"));
                    continue;
                }
            };
            if found.stats.as_ref().is_some_and(|stats| stats.counts.reduced > 0) {
                self.report.count("runs that left steps out");
            }
            let compared = found.stats.as_ref().and_then(|stats| stats.compared);
            self.report.add("states whose choice was compared with all steps", compared.unwrap_or(0));
            for property in &found.properties {
                let Some(known) = known.get_mut(&property.name) else { continue };
                if let Err(why) = known.agree(property, &mut self.report) {
                    self.differ(asked, &format!("{} by {search}, {way:?}, {means:?}: {why}", property.name));
                }
            }
        }
    }

    fn differ(&mut self, asked: &Asked, why: &str) {
        let added: Vec<&str> = asked.added.iter().map(|added| added.text.as_str()).collect();
        let text = format!("{why}\nmerge {}\n{}\n{}", asked.merge, added.join("\n"), asked.text);
        self.report.differences.push(text);
    }
}

/// What is known of a property.
struct Known {
    /// Nothing if the oracle was not done in time.
    verdict: Option<Verdict>,
    /// The length of a shortest error, once somebody has proved it.
    shortest: Option<u64>,
    /// No error that was found is shorter.
    least: Option<u64>,
}

impl Known {
    fn new(found: Result<CheckReport, RunError>) -> Known {
        let nothing = Known { verdict: None, shortest: None, least: None };
        let Some(property) = found.ok().and_then(|report| report.properties.into_iter().next()) else { return nothing };
        if property.verdict == Verdict::Limit {
            return nothing;
        }
        let cost = property.trace.as_ref().map(|trace| trace.cost);
        let shortest = cost.filter(|_| property.proven_shortest);
        Known { verdict: Some(property.verdict), shortest, least: cost }
    }

    fn agree(&mut self, found: &PropertyReport, report: &mut Report) -> Result<(), String> {
        let Some(expected) = self.verdict else { return Ok(()) };
        if found.verdict == Verdict::Limit {
            report.count("answers skipped: limits");
            return Ok(());
        }
        report.count("verdicts compared");
        report.count(match found.verdict {
            Verdict::Violated => "violated",
            Verdict::Inconclusive => "inconclusive",
            _ => "hold",
        });
        if found.verdict != expected {
            return Err(format!("{} ({:?}), expected {expected}", found.verdict, found.reason));
        }
        let Some(cost) = found.trace.as_ref().map(|trace| trace.cost) else { return Ok(()) };
        if let Some(shortest) = self.shortest {
            if cost < shortest {
                return Err(format!("length {cost}, but {shortest} was proven shortest"));
            }
            if found.proven_shortest {
                report.count("proven lengths compared");
                if cost != shortest {
                    return Err(format!("{cost} is proven shortest, and {shortest} as well"));
                }
            }
        } else if found.proven_shortest {
            if let Some(least) = self.least.filter(|least| *least < cost) {
                return Err(format!("{cost} is proven shortest, but {least} was found"));
            }
            self.shortest = Some(cost);
        }
        self.least = Some(self.least.map_or(cost, |least| least.min(cost)));
        Ok(())
    }
}

/// What a search works with.
#[derive(Clone, Copy, Debug)]
struct Means {
    threads: usize,
    /// So many states are generated before others join the first.
    alone: u64,
    store: StoreKind,
}

impl Means {
    const PLAIN: Means = Means { threads: 1, alone: 0, store: StoreKind::Auto };

    fn drawn(rng: &mut Rng) -> Means {
        Means {
            threads: *rng.pick(&[1, 2, 2, 4]),
            alone: *rng.pick(&[0, 0, 30, 200]),
            store: *rng.pick(&[StoreKind::Auto, StoreKind::Exact, StoreKind::Tree]),
        }
    }
}

/// One in so many places where threads race is one where they wait.
const DELAYS: usize = 30;

/// `reduction`: how steps are left out, if they are.
fn answers(
    subject: &Subject,
    search: &str,
    names: &[String],
    way: LeavesOut,
    reduction: ReductionMode,
    means: Means,
) -> Result<CheckReport, RunError> {
    let limits = Limits { states: Some(STATE_LIMIT), until: Some(Instant::now() + TIME_LIMIT), ..Limits::default() };
    let run = RunOptions {
        search: search.into(),
        dead_variables: way.values,
        store: means.store,
        threads: means.threads,
        alone: means.alone,
        reduction: if way.steps { reduction } else { ReductionMode::Off },
        limits,
        ..CheckRequest::default().run
    };
    let request = CheckRequest { selection: names.to_vec(), after: AfterError::GoOn, run, ..CheckRequest::default() };
    delays::set(if means.threads > 1 { DELAYS } else { 0 });
    let report = subject.request(&request);
    delays::set(0);
    report
}
