//! Random timed models and queries through Bughound, with every search and every treatment of zones, beside the decision
//! by brute force.

use std::panic::{AssertUnwindSafe, catch_unwind};

use bughound::searches;
use bughound::verdict::Verdict;
use bughound::zones::ZoneOptions;
use bughound_ir::expr::Expr;
use bughound_ir::question::{ExtremesQuestion, Quantity, Question};
use bughound_ir::types::MAX_CLOCK_CONSTANT;
use bughound_search::algorithms;
use bughound_search::registry::{CycleSupport, Entry, Promise};
use bughound_semantics::timed::{Extrapolation, Inclusion};

use crate::liveness::comparison::Report;
use crate::random_promela::Rng;
use crate::timed::ceilings::ceilings;
use crate::timed::extremes::Extreme;
use crate::timed::facade::{Manner, Reply, Subject};
use crate::timed::graph::{NoGraph, RegionGraph};
use crate::timed::models::{self, Style, TimedModel};
use crate::timed::oracle::{Answer, Truth};
use crate::timed::queries::{self, Kind, TimedQuery};

/// Larger models are left out.
const MOST_REGIONS: usize = 4000;

const EXTRAPOLATIONS: [Extrapolation; 5] = [
    Extrapolation::None,
    Extrapolation::Maximal,
    Extrapolation::MaximalPlus,
    Extrapolation::LowerUpper,
    Extrapolation::LowerUpperPlus,
];
const INCLUSIONS: [Inclusion; 3] = [Inclusion::Equal, Inclusion::Subset, Inclusion::Simulation];

/// Searches that take much time or memory whatever the model is, in a form that does not.
const SHORTER: [(&str, &str); 2] =
    [("random-walk", "random-walk(walks=20, steps=40)"), ("bitstate-dfs", "bitstate-dfs(mb=1)")];

/// Keeps the models apart from those that other generators make of the same seeds.
const SALT: u64 = 0x71_4ed;
/// The same for their styles.
const STYLE_SALT: u64 = 0x57_11e;

/// How many ways of asking are tried on a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Breadth-first with some treatments of zones, and some searches with one of them each.
    Sample,
    /// Breadth-first with every treatment of zones, and every search with one of them.
    Each,
    /// Every search with every treatment of zones.
    Product,
}

/// Compares everything about the model of a seed.
pub fn compare_seed(seed: u64, effort: Effort) -> Report {
    let mut report = Report::default();
    let compared = catch_unwind(AssertUnwindSafe(|| {
        let mut report = Report::default();
        let (rng, plain, known) = made(seed, Style::plain);
        let (_, model, asked) = made(seed, |style| style);
        Comparison { rng, effort, model: &model, report: &mut report }.run(&plain, &known, &asked);
        report
    }));
    match compared {
        Ok(found) => report.merge(found),
        Err(_) => report.differences.push(format!("panic\n{}", made(seed, |style| style).1.text)),
    }
    report.differences.iter_mut().for_each(|text| *text = format!("seed {seed}: {text}"));
    report
}

/// The model of a seed in one style or another, with its queries.
pub fn made(seed: u64, styled: impl Fn(Style) -> Style) -> (Rng, TimedModel, Vec<TimedQuery>) {
    let style = Style::random(&mut Rng::new(seed ^ STYLE_SALT));
    let mut rng = Rng::new(seed ^ SALT);
    let model = models::random(&mut rng, styled(style));
    let queries = queries::random(&mut rng, &model);
    (rng, model, queries)
}

struct Comparison<'r> {
    rng: Rng,
    effort: Effort,
    model: &'r TimedModel,
    report: &'r mut Report,
}

/// A search of the list, and how it is asked.
struct Run {
    entry: &'static Entry,
    manner: Manner,
    /// States after the condition are not looked at.
    is_about_runs: bool,
}

impl Comparison<'_> {
    /// What is true is found out on the plain model, and asked for on the model as it is written.
    fn run(&mut self, plain: &TimedModel, known_queries: &[TimedQuery], queries: &[TimedQuery]) {
        let texts = |queries: &[TimedQuery]| queries.iter().map(|query| query.text.clone()).collect::<Vec<_>>();
        let subject = match Subject::load(&self.model.text, &texts(queries)) {
            Ok(subject) => subject,
            Err(why) if why.contains("not supported") => return self.report.count("models skipped: not supported"),
            Err(why) => return self.difference("", &format!("the model is not accepted: {why}")),
        };
        let known = match Subject::load(&plain.text, &texts(known_queries)) {
            Ok(known) => known,
            Err(why) => return self.difference("", &format!("the plain model is not accepted: {why}")),
        };
        let conditions: Vec<&Expr> = known.network().properties.iter().flat_map(|p| p.question.conditions()).collect();
        let Some(ceilings) = ceilings(known.network(), &conditions) else {
            return self.difference("", "a clock is compared with something else than was written");
        };
        let graph = match RegionGraph::new(known.network(), ceilings, MOST_REGIONS) {
            Ok(graph) => graph,
            Err(NoGraph::TooLarge) => return self.report.count("models skipped: too large"),
            Err(NoGraph::NoStart) => return self.report.count("models skipped: no initial state"),
        };
        if graph.nodes.is_empty() {
            return self.report.count("models skipped: no initial state");
        }
        self.report.count("models");
        self.report.count(match graph.nodes.len() {
            1..10 => "models with up to 10 regions",
            10..100 => "models with up to 100 regions",
            _ => "models with more regions",
        });
        if graph.urgent_signal {
            self.report.count("models with urgent channels at work");
        }
        let style = self.model.style;
        for (is, what) in [
            (style.unit > 1000, "models with constants up to the limit"),
            (style.hides, "models with names that hide others"),
            (graph.nodes.iter().any(|node| node.fails), "models with errors"),
        ] {
            if is {
                self.report.count(what);
            }
        }
        for (query, plain) in queries.iter().zip(known_queries) {
            let (Some(question), Some(_)) = (known.question(&plain.text), subject.question(&query.text)) else {
                self.difference(&query.text, "the query is lost");
                continue;
            };
            self.query(&subject, &graph, question, query);
        }
    }

    fn query(&mut self, subject: &Subject, graph: &RegionGraph<'_>, question: &Question, query: &TimedQuery) {
        let Some(answer) = graph.answer(question) else {
            return self.report.count("queries without an answer by brute force");
        };
        let answer = in_units(answer, question, self.model.style.unit);
        let divergent = match query.kind {
            Kind::Eventually | Kind::PossiblyAlways | Kind::LeadsTo => graph.answer_for(question, true),
            _ => None,
        };
        let divergent = divergent.unwrap_or_else(|| answer.clone());
        if divergent != answer {
            self.report.count("queries with another answer if time goes on for ever");
        }
        let mut answered = false;
        for run in self.runs(query.kind) {
            let about = format!("{}\n  {:?}", query.text, run.manner);
            let answer = if run.manner.zones.non_zeno { divergent.clone() } else { answer.clone() };
            match subject.ask(&query.text, &run.manner) {
                Err(why) => self.difference(&about, &format!("{why}, expected {answer:?}")),
                Ok(Reply::Refused(_)) => self.report.count("runs that the search or its heuristic refuses"),
                Ok(Reply::NotChecked(_)) => {}
                Ok(reply) => {
                    answered = true;
                    self.report.count("runs");
                    if let Some(why) = self.is_wrong(&run, &reply, &answer) {
                        self.difference(&about, &format!("{why}: {reply:?}, expected {answer:?}"));
                    }
                }
            }
        }
        if !answered {
            return self.report.count(not_checked(query.kind));
        }
        self.report.count("queries");
        self.report.count(asked(query.kind));
        if question.conditions().iter().any(|e| e.any(|part| matches!(part, Expr::Clock(_)))) {
            self.report.count("queries that test clocks");
        }
        if let Answer::Truth(truth) = answer {
            self.report.count(match truth.verdict {
                Verdict::Satisfied => "queries: satisfied",
                Verdict::Holds => "queries: holds",
                _ => "queries: violated",
            });
            if truth.shortest.is_some_and(|length| length >= 3) {
                self.report.count("queries with a shortest trace of 3 steps or more");
            }
            if query.kind == Kind::NoDeadlock && truth.verdict == Verdict::Violated {
                self.report.count("deadlocks");
            }
        }
    }

    /// What is wrong about a reply.
    fn is_wrong(&mut self, run: &Run, reply: &Reply, answer: &Answer) -> Option<&'static str> {
        let Reply::Answer { verdict, cost, proven_shortest, limited, extremes, model_error } = reply else {
            return None;
        };
        if *verdict == Verdict::Limit {
            self.report.count("runs ended by a limit");
            return None;
        }
        let truth = match answer {
            Answer::Truth(truth) => truth,
            // That there is no end cannot always be proven by zones, and they end somewhere themselves.
            Answer::Extremes(values) if *verdict == Verdict::Inconclusive => {
                let far = |value: &Extreme| match value {
                    Extreme::Infinite => true,
                    Extreme::Value { value, .. } => *value > MAX_CLOCK_CONSTANT / 2,
                };
                let endless = *model_error || values.iter().flatten().flatten().any(far);
                return (!endless).then_some("there is no answer");
            }
            Answer::Extremes(values) => return (extremes != values).then_some("the values are wrong"),
        };
        let (claims, exact) = (run.entry.claims, !run.manner.zones.hull);
        match verdict {
            Verdict::Inconclusive if *model_error => {
                self.report.count("runs that meet an error of the model");
                return (!truth.unless_met).then_some("an error is shown where there is an answer");
            }
            // Heuristics lead away from errors that have nothing to do with the question; so does a part of the model.
            // Where approximate zones have an answer that the model does not have, that is the reason for none.
            _ if truth.unless_met
                && (exact || *verdict != Verdict::Inconclusive)
                && run.entry.name == "bfs"
                && run.manner.heuristic.is_none()
                && !run.is_about_runs =>
            {
                return Some("an error of the model is passed over");
            }
            Verdict::Inconclusive => {
                self.report.count("runs without a verdict");
                let complete = claims.complete == Promise::Always && exact;
                return complete.then_some("a complete search has no verdict");
            }
            verdict if *verdict != truth.verdict => return Some("the verdict is wrong"),
            _ => {}
        }
        let Truth { shortest: Some(shortest), .. } = truth else { return None };
        let Some(cost) = cost else { return Some("there is no trace") };
        let optimal = match claims.optimal {
            _ if !exact || *limited => false,
            Promise::Always => true,
            // The heuristic that such a search takes unasked is admissible.
            Promise::Admissible => run.manner.heuristic.is_none(),
            _ => false,
        };
        if *cost < *shortest {
            return Some("the trace is shorter than is possible");
        }
        if *proven_shortest {
            self.report.count("runs with a trace that is called shortest");
        }
        ((optimal || *proven_shortest) && cost != shortest).then_some("the trace is not shortest")
    }

    /// Ways of asking, as far as they make a difference for a question of this kind.
    fn runs(&mut self, kind: Kind) -> Vec<Run> {
        let bfs = algorithms::find("bfs").expect("it is on the list");
        let is_about_runs = matches!(kind, Kind::Eventually | Kind::PossiblyAlways | Kind::LeadsTo);
        let run = |entry, manner| Run { entry, manner, is_about_runs };
        let mut runs = vec![run(bfs, self.manner(bfs, ZoneOptions::default()))];
        match kind {
            Kind::Extremes => return runs,
            Kind::Eventually | Kind::PossiblyAlways | Kind::LeadsTo => {
                let others = algorithms::ALL.iter().filter(|entry| entry.cycles != CycleSupport::ByRecording);
                for entry in others {
                    let non_zeno = self.rng.chance(50);
                    runs.push(run(entry, self.manner(entry, ZoneOptions { non_zeno, ..ZoneOptions::default() })));
                }
                return runs;
            }
            _ => {}
        }
        let usual = ZoneOptions::default();
        let mut treatments = vec![usual, ZoneOptions { hull: true, ..usual }];
        for extrapolation in EXTRAPOLATIONS {
            let with =
                |inclusion| ZoneOptions { extrapolation: Some(extrapolation), inclusion: Some(inclusion), ..usual };
            treatments.extend(INCLUSIONS.map(with));
        }
        for zones in &treatments[1..] {
            if self.effort != Effort::Sample || self.rng.chance(40) {
                runs.push(run(bfs, self.manner(bfs, *zones)));
            }
        }
        for entry in searches::ALL.iter() {
            let wanted: Vec<ZoneOptions> = match self.effort {
                Effort::Product => treatments.clone(),
                Effort::Each => vec![*self.rng.pick(&treatments)],
                Effort::Sample if self.rng.chance(40) => vec![*self.rng.pick(&treatments)],
                Effort::Sample => Vec::new(),
            };
            runs.extend(wanted.into_iter().map(|zones| run(entry, self.manner(entry, zones))));
        }
        runs
    }

    fn manner(&mut self, entry: &Entry, zones: ZoneOptions) -> Manner {
        let heuristic = self.rng.chance(20).then(|| self.rng.pick(bughound_heuristics::ALL).name.to_string());
        let shorter = SHORTER.iter().find(|(name, _)| *name == entry.name);
        let search = shorter.map_or(entry.name, |(_, search)| *search).to_string();
        Manner { search, heuristic, zones, seed: self.rng.next_u64(), threads: *self.rng.pick(&[1, 1, 2, 4]) }
    }

    fn difference(&mut self, about: &str, why: &str) {
        self.report.differences.push(format!("{why}\n  {about}\n{}", self.model.text));
    }
}

/// What is true of clocks if the unit of time is another one.
fn in_units(answer: Answer, question: &Question, unit: i32) -> Answer {
    let (Answer::Extremes(values), Question::Extremes(ExtremesQuestion { of, .. })) = (&answer, question) else {
        return answer;
    };
    let scaled = |value: &Extreme| match value {
        Extreme::Value { value, reached } => Extreme::Value { value: value.saturating_mul(unit), reached: *reached },
        Extreme::Infinite => Extreme::Infinite,
    };
    let of_one = |(of, values): (&Quantity, &Option<Vec<Extreme>>)| match of {
        Quantity::Clock(_) => values.as_ref().map(|values| values.iter().map(scaled).collect()),
        Quantity::Value(_) => values.clone(),
    };
    Answer::Extremes(of.iter().zip(values).map(of_one).collect())
}

fn asked(kind: Kind) -> &'static str {
    match kind {
        Kind::Possibly => "queries: E<>",
        Kind::Always => "queries: A[]",
        Kind::NoDeadlock => "queries: A[] not deadlock",
        Kind::WithDeadlock => "queries: deadlock in a condition",
        Kind::Eventually => "queries: A<>",
        Kind::PossiblyAlways => "queries: E[]",
        Kind::LeadsTo => "queries: -->",
        Kind::Extremes => "queries: sup, inf",
    }
}

fn not_checked(kind: Kind) -> &'static str {
    match kind {
        Kind::Possibly => "not checked by Bughound: E<>",
        Kind::Always => "not checked by Bughound: A[]",
        Kind::NoDeadlock => "not checked by Bughound: A[] not deadlock",
        Kind::WithDeadlock => "not checked by Bughound: deadlock in a condition",
        Kind::Eventually => "not checked by Bughound: A<>",
        Kind::PossiblyAlways => "not checked by Bughound: E[]",
        Kind::LeadsTo => "not checked by Bughound: -->",
        Kind::Extremes => "not checked by Bughound: sup, inf",
    }
}
