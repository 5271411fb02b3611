//! Random programs through pairs of a search and a heuristic, beside breadth-first search and true distances.
//!
//! For each program some pairs are drawn so that all have their turn equally often. Each is asked about one property, as a
//! user would ask; the answer must be that of breadth-first search, a shortest trace must be as long as its, and
//! whoever claims a proof must be right. Beside that each heuristic is held to its claims in every state of the program:
//! a dead end from which an error can be reached is found where it is, not only where it makes a verdict wrong.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use bughound::check::PropertyReport;
use bughound::run::RunError;
use bughound::searches;
use bughound::verdict::Verdict;
use bughound_heuristics::BuildCx;
use bughound_ir::expr::Expr;
use bughound_ir::question::Question;
use bughound_ir::targets::Targets;
use bughound_kernel::{AtomId, Limits, Ration, Unwatched};
use bughound_search::algorithms;
use bughound_search::registry::Promise;
use bughound_semantics::DiscreteSystem;

use crate::comparison::wide_features;
use crate::distances::{Distances, Errors, Graph};
use crate::heuristic_claims::{self, NEED_PRICES, check_heuristics};
use crate::liveness::facade::Subject;
use crate::random_promela::{Features, Rng, generate_with_conditions};

/// Larger programs are left out.
const MOST_STATES: usize = 600;
/// No run may store more states; some keep several copies of a state.
const STATE_LIMIT: u64 = 20_000;
/// Searches that remember nothing may take for ever.
const TIME_LIMIT: Duration = Duration::from_millis(250);
/// What building a heuristic for a comparison with true distances may take, in microseconds, roughly.
const BUILDING: u64 = 200_000;
/// Conditions made for each program, of which those are asked about that take some steps, and one other.
const CONDITIONS: usize = 10;
const ASKED: usize = 3;
/// Pairs for each program.
const PAIRS: usize = 12;

/// Searches, each in its usual form and in others that prune, prove or claim something else. `$h` is the heuristic.
const SEARCHES: &[(&str, &[&str])] = &[
    ("auto", &["auto(h=$h)", "auto(h=$h, effort=50)"]),
    ("bfs", &["bfs", "bfs(ties=lifo)"]),
    ("dfs", &["dfs"]),
    ("random-dfs", &["random-dfs(seed=7)"]),
    ("depth-bounded-dfs", &["depth-bounded-dfs", "depth-bounded-dfs(depth=12)"]),
    ("dijkstra", &["dijkstra"]),
    ("largest-first", &["largest-first"]),
    ("greedy", &["greedy(h=$h)", "greedy(h=$h, ties=fifo, reopen=true)"]),
    ("astar", &["astar(h=$h)", "astar(h=$h, ties=fifo)"]),
    ("wastar", &["wastar(h=$h)", "wastar(h=$h, w=1)", "wastar(h=$h, w=0)"]),
    ("guided", &["guided(h=$h)", "guided(h=$h, second=hmax, deferred=true)", "guided(h=hff, second=$h)"]),
    (
        "abstraction-directed",
        &["abstraction-directed", "abstraction-directed(h=pdb)", "abstraction-directed(h=merge-and-shrink)"],
    ),
    (
        "ce",
        &["ce(h=$h, prune=true)", "ce(h=$h)", "ce(h=$h, order=astar, prune=true)", "ce(h=$h, order=bfs, prune=true)"],
    ),
    ("icb", &["icb(h=$h)", "icb(h=$h, by=interference, order=astar)", "icb(h=$h, n=0, blocked=free)"]),
    ("ut", &["ut(h=$h)", "ut(h=$h, order=astar, useless=by-depth)"]),
    ("ehc", &["ehc(h=$h)"]),
    ("k-best-first", &["k-best-first(h=$h)", "k-best-first(h=$h, k=2)"]),
    (
        "beam",
        &[
            "beam(h=$h)",
            "beam(h=$h, k=3)",
            "beam(h=$h, k=5, rank=h, flexible=true)",
            "beam(h=$h, levels=cost, k=8)",
            "beam(h=$h, k=1000, improve=true)",
        ],
    ),
    ("priority-beam", &["priority-beam(h=$h)", "priority-beam(h=$h, alpha=1, first=1)"]),
    ("iterative-broadening", &["iterative-broadening(h=$h)", "iterative-broadening(h=$h, k=1)"]),
    ("anytime", &["anytime(h=$h)", "anytime(h=$h, k=1, factor=2)"]),
    ("nearest-neighbour", &["nearest-neighbour", "nearest-neighbour(restarts=2)"]),
    ("iterative-bound", &["iterative-bound(h=$h)"]),
    ("random-walk", &["random-walk(h=$h, walks=3, steps=50)"]),
    ("randomised-guided", &["randomised-guided(h=$h)", "randomised-guided(h=$h, budget=20)"]),
    ("trail-directed", &["trail-directed(h=$h)", "trail-directed(first=dfs, h=$h, budget=100)"]),
    (
        "iterative-deepening",
        &["iterative-deepening", "iterative-deepening(visited=none)", "iterative-deepening(visited=bitstate)"],
    ),
    (
        "idastar",
        &[
            "idastar(h=$h)",
            "idastar(h=$h, visited=none)",
            "idastar(h=$h, visited=bitstate)",
            "idastar(h=$h, order=model)",
        ],
    ),
    ("refined-threshold", &["refined-threshold(h=$h)"]),
    (
        "branch-and-bound",
        &["branch-and-bound(h=$h)", "branch-and-bound(h=$h, visited=none)", "branch-and-bound(h=$h, bound=9)"],
    ),
    (
        "cost-bounded",
        &["cost-bounded(h=$h)", "cost-bounded(h=$h, bound=9)", "cost-bounded(h=$h, bound=12, visited=none)"],
    ),
    ("frontier", &["frontier", "frontier(locality=1)"]),
    (
        "breadth-first-heuristic",
        &[
            "breadth-first-heuristic(h=$h)",
            "breadth-first-heuristic(h=$h, upper=greedy, effort=30)",
            "breadth-first-heuristic(h=$h, bound=9)",
        ],
    ),
    ("beam-stack", &["beam-stack(h=$h)", "beam-stack(h=$h, k=10)"]),
    ("memory-limited-astar", &["memory-limited-astar(h=$h)", "memory-limited-astar(h=$h, states=40)"]),
    ("bitstate-dfs", &["bitstate-dfs(h=$h)", "bitstate-dfs(h=$h, bits=64)", "bitstate-dfs(h=$h, runs=3)"]),
    ("nested-dfs", &["nested-dfs"]),
    ("improved-nested-dfs", &["improved-nested-dfs"]),
    ("scc", &["scc"]),
    ("astar-dfs", &["astar-dfs(h=$h)", "astar-dfs(h=$h, w=0)"]),
    ("shortest-lasso", &["shortest-lasso(h=$h)"]),
    ("external-bfs", &["external-bfs"]),
    ("external-astar", &["external-astar(h=$h)"]),
    ("semi-external-dfs", &["semi-external-dfs"]),
    // Processes that share a folder have tests of their own.
    ("external-queue", &[]),
    ("cluster-bfs", &["cluster-bfs"]),
    ("cluster-astar", &["cluster-astar(h=$h)"]),
    ("cluster-beam", &["cluster-beam(h=$h)"]),
    // Sets of states have a comparison of their own (`sets.rs`).
    ("symbolic", &[]),
    ("symbolic-astar", &[]),
];

/// Heuristics, at their usual sizes first.
const HEURISTICS: &[(&str, &[&str])] = &[
    ("auto", &["auto", "auto(admissible=true)"]),
    ("formula", &["formula", "formula(combine=max)"]),
    ("active-processes", &["active-processes"]),
    (
        "deadlock-formula",
        &["deadlock-formula", "deadlock-formula(combine=max)", "deadlock-formula(combine=max, danger=inferred)"],
    ),
    ("d-l", &["d-l"]),
    ("d-u", &["d-u"]),
    ("hl", &["hl", "hl(increments=shortcut)"]),
    ("hu", &["hu", "hu(increments=shortcut)"]),
    ("hmax", &["hmax"]),
    ("hadd", &["hadd"]),
    ("hff", &["hff"]),
    (
        "pdb",
        &[
            "pdb",
            "pdb(russian-doll)",
            "pdb(cone)",
            "pdb(counterexamples)",
            "pdb(everything)",
            "pdb(states=60)",
            "pdb(everything, states=200)",
        ],
    ),
    ("causal-graph", &["causal-graph"]),
    ("cartesian", &["cartesian", "cartesian(states=20)"]),
    (
        "merge-and-shrink",
        &[
            "merge-and-shrink",
            "merge-and-shrink(states=12)",
            "merge-and-shrink(merge=nearest)",
            "merge-and-shrink(merge=nearest, states=40)",
        ],
    ),
    ("pdbs", &["pdbs", "pdbs(states=60, each=12)"]),
    ("hamming", &["hamming", "hamming(of=bits)"]),
    ("fsm-distance", &["fsm-distance", "fsm-distance(combine=max)"]),
    ("send-receive", &["send-receive", "send-receive(prefer=sends)", "send-receive(prefer=receives)"]),
    ("likely-cycle", &["likely-cycle"]),
    ("least-cost", &["least-cost"]),
    ("remaining", &["remaining"]),
    ("heur", &["heur"]),
    ("expression", &["expression('_nr_pr')"]),
    ("max", &["max(hmax, formula(combine=max))", "max(pdb, hl)", "max(hmax, cartesian)"]),
    ("min", &["min(hmax, pdb)", "min(hff, formula)"]),
    ("sum", &["sum(hff, active-processes)", "sum(formula, hu)"]),
    ("weighted", &["weighted(hmax, 0.5)", "weighted(pdb, 1)", "weighted(hadd, 3)"]),
    ("cache", &["cache(hff)", "cache(hmax, entries=64)", "cache(pdb)"]),
    ("blind", &["blind"]),
];

/// A search, and the heuristic it is given if it takes one; by their numbers in the lists.
type Pair = (usize, Option<usize>);

fn pairs() -> Vec<Pair> {
    let with = |search: usize| -> Vec<Pair> {
        match SEARCHES[search].1 {
            [] => vec![],
            [first, ..] if first.contains("$h") => {
                (0..HEURISTICS.len()).map(|heuristic| (search, Some(heuristic))).collect()
            }
            _ => vec![(search, None)],
        }
    };
    (0..SEARCHES.len()).flat_map(with).collect()
}

fn name((search, heuristic): Pair) -> String {
    let heuristic = heuristic.map_or(String::new(), |at| format!(" with {}", HEURISTICS[at].0));
    format!("{}{heuristic}", SEARCHES[search].0)
}

/// Why a pair is never legal, if so.
fn never_legal((search, heuristic): Pair) -> Option<&'static str> {
    let heuristic = heuristic.map_or("", |at| HEURISTICS[at].0);
    match (SEARCHES[search].0, heuristic) {
        (_, "likely-cycle") => Some("it is for cycles"),
        (_, name) if NEED_PRICES.contains(&name) => Some("it needs prices"),
        (search, "hamming" | "fsm-distance") if search != "trail-directed" => Some("it needs a goal state"),
        _ => None,
    }
}

/// What many comparisons came to.
#[derive(Default)]
pub struct Report {
    pub counts: BTreeMap<&'static str, u64>,
    /// By pair: how many runs.
    pub runs: BTreeMap<String, u64>,
    /// By search and by heuristic: time taken by runs, and by comparisons with true distances.
    pub times: BTreeMap<String, Duration>,
    pub differences: Vec<String>,
}

impl Report {
    fn count(&mut self, what: &'static str) {
        *self.counts.entry(what).or_default() += 1;
    }

    pub fn of(&self, what: &str) -> u64 {
        self.counts.get(what).copied().unwrap_or(0)
    }

    pub fn merge(&mut self, other: Report) {
        other.counts.into_iter().for_each(|(what, n)| *self.counts.entry(what).or_default() += n);
        other.runs.into_iter().for_each(|(pair, n)| *self.runs.entry(pair).or_default() += n);
        other.times.into_iter().for_each(|(what, time)| *self.times.entry(what).or_default() += time);
        self.differences.extend(other.differences);
    }

    /// The pairs that can be legal, those with the fewest runs first.
    pub fn least(&self) -> Vec<(u64, String)> {
        let legal = pairs().into_iter().filter(|pair| never_legal(*pair).is_none()).map(name);
        let mut all: Vec<(u64, String)> = legal.map(|n| (self.runs.get(&n).copied().unwrap_or(0), n)).collect();
        all.sort();
        all
    }
}

/// A property of a program and what is true of it.
struct Subgoal {
    name: String,
    targets: Targets,
    distances: Distances,
    /// Cost of the cheapest error, by breadth-first search.
    cost: Option<u64>,
}

/// Draws pairs for the program of this seed and compares them.
///
/// `only`: pairs with this search, for those that few programs are fit for.
pub fn compare_seed(seed: u64, only: Option<&str>) -> Report {
    let compared = catch_unwind(AssertUnwindSafe(|| {
        let mut report = Report::default();
        compare(seed, only, &mut report);
        report
    }));
    let mut report = compared.unwrap_or_else(|_| Report { differences: vec!["panic".into()], ..Report::default() });
    report.differences.iter_mut().for_each(|text| *text = format!("seed {seed}: {text}"));
    report
}

/// The program with this seed, and conditions on its states. Some heuristics are for conditions that name locations only:
/// most programs have one.
pub fn program(seed: u64) -> (String, Vec<String>) {
    let with_label = !seed.is_multiple_of(4);
    let label = if with_label { Features::REMOTE } else { Features::CORE };
    // Lost messages are an option of the run, not of the program.
    let features = (wide_features(seed) | label) - Features::LOSSY;
    let (source, mut conditions) = generate_with_conditions(seed, &features, CONDITIONS);
    if with_label && source.contains("R0: ") {
        conditions.insert(0, "P0[0]@R0".to_string());
    }
    (source, conditions)
}

fn compare(seed: u64, only: Option<&str>, report: &mut Report) {
    let mut rng = Rng::new(seed ^ 0x9a125);
    let (source, conditions) = program(seed);
    let subject = match Subject::load(&source, &[], &conditions, rng.chance(60)) {
        Ok(subject) => subject,
        Err(why) => return report.differences.push(format!("rejected: {why}\n{conditions:?}\n{source}")),
    };
    compare_subject((seed, only), &source, &conditions, &subject, &mut rng, report);
}

/// Compares the pairs of a seed on any program.
pub fn compare_text(seed: u64, source: &str, conditions: &[String]) -> Report {
    let mut report = Report::default();
    match Subject::load(source, &[], conditions, true) {
        Ok(subject) => compare_subject((seed, None), source, conditions, &subject, &mut Rng::new(seed), &mut report),
        Err(why) => report.differences.push(why),
    }
    report
}

fn compare_subject(
    (seed, only): (u64, Option<&str>),
    source: &str,
    conditions: &[String],
    subject: &Subject,
    rng: &mut Rng,
    report: &mut Report,
) {
    let network = subject.network();
    let atoms: Vec<Expr> = network
        .properties
        .iter()
        .filter_map(|property| match &property.question {
            Question::Invariant(condition) => Some(condition.clone()),
            _ => None,
        })
        .collect();
    let system = DiscreteSystem::new(network.clone(), &atoms);
    let Some(graph) = Graph::explore(&system, MOST_STATES) else { return report.count("programs too large") };
    if graph.states.is_empty() {
        return report.count("programs without an initial state");
    }
    report.count("programs");
    let about = |text: &str| format!("{text}\n{conditions:?}\n{source}");
    let mut goals = Vec::new();
    for goal in subgoals(subject, &system, &graph) {
        match goal {
            Ok(goal) => goals.push(goal),
            Err(why) => report.differences.push(about(&why)),
        }
    }
    let drawn = |pair: &Pair| never_legal(*pair).is_none() && only.is_none_or(|search| SEARCHES[pair.0].0 == search);
    let all: Vec<Pair> = pairs().into_iter().filter(drawn).collect();
    let stride = (all.len() * 618 / 1000..).find(|n| gcd(*n, all.len()) == 1).unwrap_or(1);
    let mut done = 0;
    for turn in 0..all.len() {
        if done == PAIRS || goals.is_empty() {
            break;
        }
        // Each program takes the next ones of all pairs; where one is not legal, some other has its turn.
        let at = if turn < PAIRS { seed as usize * PAIRS + turn } else { rng.below(all.len()) };
        let pair = all[at.wrapping_mul(stride) % all.len()];
        let first = rng.below(goals.len());
        for turn in 0..goals.len() {
            let goal = &goals[(first + turn) % goals.len()];
            let form = form(pair, rng);
            let start = Instant::now();
            let compared = run(subject, goal, pair, &form, report);
            let heuristic = pair.1.map_or("none", |at| HEURISTICS[at].0);
            *report.times.entry(format!("search {}", SEARCHES[pair.0].0)).or_default() += start.elapsed();
            *report.times.entry(format!("heuristic {heuristic}")).or_default() += start.elapsed();
            match compared {
                Some(Ok(())) => {}
                Some(Err(why)) => report.differences.push(about(&format!("{}: {form}: {why}", goal.name))),
                None => continue,
            }
            *report.runs.entry(name(pair)).or_default() += 1;
            report.count("runs");
            done += 1;
            // To look at every state takes longer than the run: every third heuristic is held to all its claims.
            let is_held = (done + seed as usize).is_multiple_of(3);
            if let Some(text) = pair.1.filter(|_| is_held).and_then(|_| heuristic_in(&form)) {
                let start = Instant::now();
                check_heuristic(&text, goal, &system, &graph, rng, report, &about);
                *report.times.entry("claims".into()).or_default() += start.elapsed();
                *report.times.entry(format!("claims of {heuristic}")).or_default() += start.elapsed();
            }
            break;
        }
    }
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The text of a pair: the usual form of either half of the time, and any form else.
fn form((search, heuristic): Pair, rng: &mut Rng) -> String {
    let mut draw = |forms: &[&'static str]| if rng.chance(50) { forms[0] } else { *rng.pick(forms) };
    let search = draw(SEARCHES[search].1);
    match heuristic {
        Some(at) => search.replace("$h", draw(HEURISTICS[at].1)),
        None => search.to_string(),
    }
}

/// The heuristic that a form names as `h`, if it does.
fn heuristic_in(form: &str) -> Option<String> {
    let expression = bughound_kernel::registry::expression::parse(form).ok()?;
    let cx = bughound_search::BuildCx { searches: searches::ALL, ..Default::default() };
    algorithms::heuristic_of(&expression, &cx).map(|heuristic| heuristic.to_string())
}

/// The safety properties of a program with what is true of them. `Err`: breadth-first search and the distances differ.
fn subgoals(subject: &Subject, system: &DiscreteSystem, graph: &Graph) -> Vec<Result<Subgoal, String>> {
    let mut goals = Vec::new();
    let mut atom = 0;
    let (mut asked, mut others) = (0, 0);
    for property in &system.network().properties {
        let (targets, errors) = match &property.question {
            Question::Deadlock => (Targets::deadlock(), Errors { deadlock: true, ..Errors::default() }),
            Question::Assertion => (Targets::failures(), Errors { failures: true, ..Errors::default() }),
            Question::Invariant(condition) => {
                let wanted = property.name.starts_with("reach-");
                let atoms = vec![(AtomId(atom), wanted)];
                atom += 1;
                (Targets::condition(condition.clone(), wanted), Errors { atoms, ..Errors::default() })
            }
            _ => continue,
        };
        let distances = Distances::new(graph, system, &errors);
        if property.name.starts_with("reach-") {
            let count = if distances.to_error[0].is_some_and(|cost| cost > 0) { &mut asked } else { &mut others };
            *count += 1;
            if asked > ASKED || others > 1 {
                (asked, others) = (asked.min(ASKED), others.min(1));
                continue;
            }
        }
        let limits = Limits { states: Some(STATE_LIMIT), ..Limits::default() };
        goals.push(match subject.check(&property.name, "bfs", false, limits) {
            Ok(found) => {
                let cost = found.trace.as_ref().map(|trace| trace.cost);
                match cost == distances.to_error[0] {
                    true => Ok(Subgoal { name: property.name.clone(), targets, distances, cost }),
                    false => Err(format!(
                        "{}: bfs says {} with cost {cost:?}, but the distance is {:?}",
                        property.name, found.verdict, distances.to_error[0]
                    )),
                }
            }
            Err(why) => Err(format!("{}: bfs: {why}", property.name)),
        });
    }
    goals
}

/// Asks one pair about one property. `None`: they are not for each other.
fn run(subject: &Subject, goal: &Subgoal, pair: Pair, form: &str, report: &mut Report) -> Option<Result<(), String>> {
    let limits = Limits { states: Some(STATE_LIMIT), until: Some(Instant::now() + TIME_LIMIT), ..Limits::default() };
    match subject.check(&goal.name, form, false, limits) {
        Ok(found) => Some(judge(&found, goal, pair, form, report)),
        Err(RunError::Usage(_)) => None,
        Err(why) => Some(Err(why.to_string())),
    }
}

fn judge(found: &PropertyReport, goal: &Subgoal, pair: Pair, form: &str, report: &mut Report) -> Result<(), String> {
    let trace = found.trace.as_ref().map(|trace| trace.cost);
    let decided = !matches!(found.verdict, Verdict::Inconclusive | Verdict::Limit);
    if found.verdict == Verdict::Limit {
        report.count("runs ended by a limit");
    }
    match (goal.cost, trace) {
        (Some(least), Some(cost)) => {
            report.count("runs with an error found");
            if cost < least {
                return Err(format!("a trace of cost {cost}, but bfs says that {least} is least"));
            }
            if found.proven_shortest && cost > least {
                return Err(format!("{cost} is called shortest, but bfs has {least}"));
            }
            if found.proven_shortest {
                report.count("runs with a trace proven shortest");
            }
            Ok(())
        }
        (None, Some(cost)) => Err(format!("an error at {cost}, but bfs proves that there is none")),
        (Some(least), None) if decided => Err(format!("{}, but bfs finds an error at {least}", found.verdict)),
        (None, None) if decided => {
            report.count("runs with a proof");
            if form.contains("bitstate") { Err("a proof by a search that confuses states".into()) } else { Ok(()) }
        }
        (_, None) => {
            report.count("runs undecided");
            let usual = !form.contains("bitstate");
            let entry = searches::ALL.find(SEARCHES[pair.0].0);
            let complete = entry.is_some_and(|entry| entry.claims.complete == Promise::Always);
            if complete && usual && found.verdict == Verdict::Inconclusive {
                return Err(format!("undecided though complete: {:?}", found.reason));
            }
            Ok(())
        }
    }
}

/// Holds a heuristic to its claims in every state.
fn check_heuristic(
    text: &str,
    goal: &Subgoal,
    system: &DiscreteSystem,
    graph: &Graph,
    rng: &mut Rng,
    report: &mut Report,
    about: &dyn Fn(&str) -> String,
) {
    let read_expression = |text: &str| match text {
        "_nr_pr" => Ok(Expr::ProcessCount),
        other => Err(format!("{other} is not read here")),
    };
    let goal_state = Some(rng.pick(&graph.states).as_state().into());
    let watch = Ration::new(&Unwatched, BUILDING);
    let cx = BuildCx { system, targets: &goal.targets, goal_state, read_expression: &read_expression, watch: &watch };
    let mut claims = heuristic_claims::Report::default();
    check_heuristics(std::iter::once(text.to_string()), &cx, &goal.name, (system, graph), &goal.distances, &mut claims);
    *report.counts.entry("estimates compared with true distances").or_default() += claims.counted("estimates");
    *report.counts.entry("dead ends compared with true distances").or_default() +=
        claims.counted("estimates: safe dead ends");
    report.differences.extend(claims.violations.iter().map(|violation| about(violation)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_search_and_every_heuristic_takes_part() {
        let searches: Vec<&str> = searches::ALL.iter().map(|entry| entry.name).collect();
        assert_eq!(SEARCHES.iter().map(|(name, _)| *name).collect::<Vec<_>>(), searches);
        let heuristics: Vec<&str> = bughound_heuristics::ALL.iter().map(|entry| entry.name).collect();
        assert_eq!(HEURISTICS.iter().map(|(name, _)| *name).collect::<Vec<_>>(), heuristics);
        for (search, forms) in SEARCHES {
            assert!(forms.iter().all(|form| form.split('(').next() == Some(*search)), "{search}");
        }
    }

    #[test]
    fn a_wrong_proof_and_a_wrong_length_are_noticed() {
        let source = "byte x; active proctype P() { do :: x < 3 -> x++ :: else -> break od; assert(x != 3) }";
        let subject = Subject::load(source, &[], &[], true).unwrap();
        let system = DiscreteSystem::new(subject.network().clone(), &[]);
        let graph = Graph::explore(&system, 100).unwrap();
        let mut goal = subgoals(&subject, &system, &graph).into_iter().nth(1).unwrap().unwrap();
        assert_eq!(goal.name, "assertion");
        let found = subject.check("assertion", "bfs", false, Limits::default()).unwrap();
        let mut report = Report::default();
        let mut judged = |goal: &Subgoal, form: &str| judge(&found, goal, (1, None), form, &mut report);
        assert_eq!(judged(&goal, "bfs"), Ok(()));
        goal.cost = goal.cost.map(|cost| cost - 1);
        assert!(judged(&goal, "bfs").is_err_and(|why| why.contains("is called shortest")));
        goal.cost = None;
        assert!(judged(&goal, "bfs").is_err_and(|why| why.contains("proves that there is none")));
        let found = subject.check("deadlock", "bfs", false, Limits::default()).unwrap();
        assert!(judge(&found, &goal, (1, None), "bitstate-dfs", &mut report).is_err());
        goal.cost = Some(4);
        assert!(judge(&found, &goal, (1, None), "bfs", &mut report).is_err_and(|why| why.contains("finds an error")));
    }
}
