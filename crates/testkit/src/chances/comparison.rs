//! Random models with chances through Bughound, in PRISM's language and as JANI, beside the answers by brute force.

use std::panic::{AssertUnwindSafe, catch_unwind};

use bughound::added::AddedKind;
use bughound::chances::{ChanceAnswer, ExploreBy, Outcome};
use bughound::verdict::Verdict;
use dashu_ratio::RBig;

use crate::chances::asking::Asking;
use crate::chances::chain::Extended;
use crate::chances::decisions::Extreme;
use crate::chances::facade::{Direction, Manner, Reply, Subject};
use crate::chances::jani_properties;
use crate::chances::meaning::{Meaning, fraction};
use crate::chances::models::{self, RandomModel};
use crate::chances::oracle::{Expected, Oracle};
use crate::chances::queries::{Asked, Filter, Formula, Measure, Path, Quantity, Query, Time};
use crate::chances::space::{NoSpace, Space};
use crate::chances::syntax::{Expr, Kind};
use crate::liveness::comparison::Report;
use crate::random_promela::Rng;

/// Larger models are not used.
pub(crate) const MOST_STATES: usize = 60;
const MOST_CHOOSING: usize = 30;
/// So many models are tried until one has the right size.
const MOST_TRIALS: u64 = 40;
pub(crate) const QUERIES: usize = 10;
const CONDITIONS: usize = 3;
/// Keeps the models apart from those that other generators make of the same seeds.
const SALT: u64 = 0xc4a_4ce5;

const SEARCHES: [(&str, Option<&str>); 8] = [
    ("bfs", None),
    ("astar", Some("hff")),
    ("astar", Some("hmax")),
    ("astar", Some("blind")),
    ("greedy", Some("hff")),
    ("greedy", Some("hadd")),
    ("dfs", None),
    ("auto", None),
];

/// A model of the right size for a seed.
pub fn made(seed: u64) -> (Rng, RandomModel) {
    for trial in 0..MOST_TRIALS {
        let mut rng = Rng::new((seed * MOST_TRIALS + trial) ^ SALT);
        let random = models::random(&mut rng);
        let Ok(meaning) = Meaning::new(&random.model) else { continue };
        let most = if random.model.kind == Kind::Mdp { MOST_CHOOSING } else { MOST_STATES };
        match Space::new(&meaning, most) {
            Ok(space) if space.len() > 2 || (space.len() == 2 && rng.chance(20)) => return (rng, random),
            Err(NoSpace::Wrong(_)) if random.careless && rng.chance(30) => return (rng, random),
            _ => {}
        }
    }
    let mut rng = Rng::new(seed);
    let random = models::random(&mut rng);
    (rng, random)
}

/// Compares everything about the model of a seed.
pub fn compare_seed(seed: u64) -> Report {
    let compared = catch_unwind(AssertUnwindSafe(|| {
        let mut report = Report::default();
        let (rng, random) = made(seed);
        Comparison { rng, random: &random, report: &mut report }.run();
        report
    }));
    let mut report = compared.unwrap_or_else(|_| Report {
        differences: vec![format!("panic\n{}", made(seed).1.model)],
        ..Report::default()
    });
    report.differences.iter_mut().for_each(|text| *text = format!("seed {seed}: {text}"));
    report
}

struct Comparison<'r> {
    rng: Rng,
    random: &'r RandomModel,
    report: &'r mut Report,
}

impl Comparison<'_> {
    fn run(&mut self) {
        let model = &self.random.model;
        let Ok(meaning) = Meaning::new(model) else { return self.report.count("models without a meaning") };
        let space = match Space::new(&meaning, MOST_STATES) {
            Ok(space) => space,
            Err(NoSpace::TooLarge) => return self.report.count("models skipped: too large"),
            Err(NoSpace::Wrong(why)) => return self.wrong_model(&why),
        };
        self.report.count("models");
        self.report.count(match model.kind {
            Kind::Dtmc => "models: DTMC",
            Kind::Ctmc => "models: CTMC",
            Kind::Mdp => "models: MDP",
        });
        for (is, what) in [
            (space.len() >= 10, "models with 10 states or more"),
            (space.deadlocks.contains(&true), "models with deadlocks"),
            (space.initial.len() > 1, "models with several initial states"),
            (space.has_several_partners, "models in which several commands of a module meet the same partners"),
            (space.has_zero, "models with probability 0 at work"),
            (space.widest == 2, "models with two commands in a step"),
            (space.widest >= 3, "models with three commands in a step"),
        ] {
            if is {
                self.report.count(what);
            }
        }
        let oracle = Oracle { meaning: &meaning, space: &space };
        let queries = Asking { rng: &mut self.rng, words: &self.random.words, oracle: &oracle }.queries(QUERIES);
        self.chances(&oracle, &queries);
        let mut conditions = Vec::new();
        for _ in 0..CONDITIONS {
            let rng = &mut self.rng;
            conditions.push(match rng.chance(50) {
                true => self.random.words.truth(rng, 2),
                false => Asking { rng, words: &self.random.words, oracle: &oracle }.some_state(),
            });
        }
        self.searches(&oracle, &conditions);
    }

    fn difference(&mut self, about: &str, why: &str) {
        let given: Vec<String> = self
            .random
            .model
            .given()
            .into_iter()
            .map(|(name, value)| format!("{name}={}", value.unwrap_or_default()))
            .collect();
        let text = format!("{why}\n  {about}\n// --const {}\n{}", given.join(","), self.random.model);
        self.report.differences.push(text);
    }

    /// A model with an error in some state: nothing is said about its chances.
    fn wrong_model(&mut self, why: &str) {
        self.report.count("models that are wrong");
        let model = &self.random.model;
        let extreme = if model.kind == Kind::Mdp { Some(Extreme::Max) } else { None };
        let path = Path::Finally(Formula::Expr(Expr::Bool(true)), Time::default());
        let asked = Asked::Value(Quantity { extreme, measure: Measure::Probability(path) });
        let query = Query { name: "q".into(), asked, filter: Filter::None };
        let text = query.to_string();
        let property = jani_properties::property(model, &query, true).unwrap_or_default();
        for (language, subject) in [
            ("PRISM", Subject::load(model, &[(AddedKind::Query, text.clone())])),
            ("JANI", Subject::load_jani(model, &[property])),
        ] {
            match subject.map(|subject| subject.ask_all(None)) {
                Err(_) => self.report.count("models that are wrong: not accepted"),
                Ok(Ok(replies)) if replies.iter().all(|reply| reply.verdict == Verdict::Inconclusive) => {}
                Ok(other) => {
                    self.difference(&text, &format!("{language}: an answer, but the model is wrong ({why}): {other:?}"))
                }
            }
        }
    }

    fn chances(&mut self, oracle: &Oracle<'_>, queries: &[Query]) {
        let answered = queries.iter().map(|query| (query, oracle.answer(query).ok()));
        // Sums of many different rewards have no end: where the oracle gave up, Bughound would take the time of all others.
        let (queries, expected): (Vec<&Query>, Vec<Option<Expected>>) =
            answered.filter(|(query, expected)| expected.is_some() || !query.to_string().contains("rew{")).unzip();
        for expected in &expected {
            self.report.count("queries");
            self.report.count(match expected {
                None => "queries without an answer by brute force",
                Some(Expected::Number(None, _)) => "answers: infinite",
                Some(Expected::Number(Some(_), slack)) if !slack.is_zero() => "answers: numbers, within bounds",
                Some(Expected::Number(..)) => "answers: numbers, exact",
                Some(Expected::Range(..)) => "answers: ranges",
                Some(Expected::Truth(true)) => "answers: true",
                Some(Expected::Truth(false)) => "answers: false",
                Some(Expected::Refused(_)) => "answers: none",
            });
        }
        let texts: Vec<String> = queries.iter().map(|query| query.to_string()).collect();
        let asked: Vec<(AddedKind, String)> = texts.iter().map(|text| (AddedKind::Query, text.clone())).collect();
        let subject = Subject::load(&self.random.model, &asked);
        let wanted: Vec<(&str, &Option<Expected>)> = texts.iter().map(String::as_str).zip(&expected).collect();
        self.answers(oracle.space, subject, &wanted);
        self.bounds(&wanted);
        let has_one_start = oracle.space.initial.len() == 1;
        let (mut properties, mut wanted) = (Vec::new(), Vec::new());
        for (query, expected) in queries.iter().zip(&expected) {
            if let Some(property) = jani_properties::property(&self.random.model, query, has_one_start) {
                self.report.count("queries as JANI");
                properties.push(property);
                wanted.push(expected);
            }
        }
        let texts: Vec<String> = properties.iter().map(|property| format!("as JANI: {property}")).collect();
        let wanted: Vec<(&str, &Option<Expected>)> = texts.iter().map(String::as_str).zip(wanted).collect();
        self.answers(oracle.space, Subject::load_jani(&self.random.model, &properties), &wanted);
    }

    /// Bounds once more, each alone: then they are decided on a part of the states, where a question is of that kind.
    fn bounds(&mut self, wanted: &[(&str, &Option<Expected>)]) {
        // What is drawn here leaves the rest as it is.
        let mut rng = self.rng.clone();
        for (text, expected) in wanted {
            let Some(Expected::Truth(truth)) = expected else { continue };
            let by = *rng.pick(&[ExploreBy::Auto, ExploreBy::Mass, ExploreBy::Path]);
            let heuristic = *rng.pick(&[None, None, Some("hmax"), Some("blind"), Some("pdb")]);
            let direction = Direction { by, heuristic, smallest: rng.chance(15) };
            let about = format!("{text}, {direction:?}");
            let subject = Subject::load(&self.random.model, &[(AddedKind::Query, text.to_string())]);
            match subject.and_then(|subject| subject.ask_directed(&direction)) {
                Err(why) if why.starts_with("refused") => self.report.count("bounds asked alone: refused"),
                Err(why) => self.difference(&about, &why),
                Ok(replies) => {
                    let wanted = if *truth { Verdict::Holds } else { Verdict::Violated };
                    let is_directed = |reply: &Reply| matches!(reply.search.as_deref(), Some("mass" | "path"));
                    let [reply] = &replies[..] else { return self.difference(&about, "several answers") };
                    if is_directed(reply) {
                        self.report.count("bounds decided on a part of the states");
                    }
                    if reply.is_shown {
                        self.report.count("counterexamples to bounds");
                    }
                    if reply.verdict != wanted {
                        self.difference(&about, &format!("{:?} instead of {wanted:?}: {reply:?}", reply.verdict));
                    }
                }
            }
        }
    }

    /// Compares what one reader's model answers.
    fn answers(&mut self, space: &Space, subject: Result<Subject, String>, wanted: &[(&str, &Option<Expected>)]) {
        let about: Vec<&str> = wanted.iter().map(|(text, _)| *text).collect();
        let replies = match subject.and_then(|subject| subject.ask_all(None)) {
            Ok(replies) if replies.len() == wanted.len() => replies,
            Ok(replies) => return self.difference(&about.join("\n  "), &format!("{} answers", replies.len())),
            Err(why) => return self.difference(&about.join("\n  "), &format!("not accepted: {why}")),
        };
        let deadlocks = space.deadlocks.iter().filter(|is| **is).count();
        let sizes = [space.len() as u64, space.transitions() as u64, space.steps, deadlocks as u64];
        for ((text, expected), reply) in wanted.iter().zip(&replies) {
            if let Some(counts) = reply.counts
                && counts != sizes
            {
                let what = "states, transitions, steps, deadlocks";
                self.difference(text, &format!("{what}: {counts:?} instead of {sizes:?}"));
                return;
            }
            if let Some(expected) = expected
                && let Err(why) = compared(expected, reply, self.report)
            {
                self.difference(text, &why);
            }
        }
    }

    fn searches(&mut self, oracle: &Oracle<'_>, conditions: &[Expr]) {
        for condition in conditions {
            let Ok(set) = oracle.set(&Formula::Expr(condition.clone())) else { continue };
            let reach = self.rng.chance(50);
            let (kind, set) = match reach {
                true => (AddedKind::Reach, set),
                false => (AddedKind::Invariant, set.iter().map(|holds| !holds).collect()),
            };
            // A model with several initial states chooses one of them in a step of its own.
            let chooses = u64::from(self.random.model.initial.is_some());
            let distance = oracle.space.distance(&set).map(|steps| steps + chooses);
            let text = condition.to_string();
            let subject = match Subject::load(&self.random.model, &[(kind, text.clone())]) {
                Ok(subject) => subject,
                Err(why) => return self.difference(&text, &format!("not accepted: {why}")),
            };
            for _ in 0..2 {
                let (search, heuristic) = *self.rng.pick(&SEARCHES);
                let manner = Manner { search, heuristic, threads: *self.rng.pick(&[1, 1, 2, 4]) };
                let about = format!("{} {text}, {manner:?}", kind.name());
                match subject.ask_all(Some(&manner)) {
                    Err(why) if why.starts_with("refused") => self.report.count("searches that refuse"),
                    Err(why) => self.difference(&about, &why),
                    Ok(replies) => {
                        self.report.count("searches");
                        if distance.is_some_and(|distance| distance > 2) {
                            self.report.count("searches with a distance of 3 or more");
                        }
                        if let Err(why) = found(&replies, distance, reach, search == "bfs") {
                            self.difference(&about, &why);
                        }
                    }
                }
            }
        }
    }
}

/// Is this what a search has to find?
fn found(replies: &[Reply], distance: Option<u64>, reach: bool, is_shortest: bool) -> Result<(), String> {
    let [reply] = replies else { return Err(format!("{} answers", replies.len())) };
    let wanted = match (reach, distance) {
        (true, Some(_)) => Verdict::Satisfied,
        (true, None) => Verdict::Violated,
        (false, Some(_)) => Verdict::Violated,
        (false, None) => Verdict::Holds,
    };
    if reply.verdict != wanted {
        return Err(format!("{:?} instead of {wanted:?} ({:?})", reply.verdict, reply.reason));
    }
    if let Some(distance) = distance {
        let length = reply.length.ok_or("no trace")?;
        if length < distance || ((reply.proven_shortest || is_shortest) && length != distance) {
            return Err(format!("a trace of {length} steps, the shortest one has {distance}"));
        }
    }
    Ok(())
}

/// Is this the answer?
fn compared(expected: &Expected, reply: &Reply, report: &mut Report) -> Result<(), String> {
    let refuse = || Err(format!("expected {}, got {reply:?}", shown(expected)));
    match (expected, &reply.outcome) {
        (Expected::Refused(_), None) if reply.verdict == Verdict::Inconclusive => Ok(()),
        (Expected::Number(value, slack), Some(Outcome::Number(answer))) if reply.verdict == Verdict::Satisfied => {
            same(value, slack, answer, report)
        }
        (Expected::Range(least, greatest), Some(Outcome::Range(low, high))) => {
            same(least, &RBig::ZERO, low, report)?;
            same(greatest, &RBig::ZERO, high, report)
        }
        (Expected::Truth(truth), Some(Outcome::Truth(found, _))) => {
            let verdict = if *truth { Verdict::Holds } else { Verdict::Violated };
            if truth == found && reply.verdict == verdict { Ok(()) } else { refuse() }
        }
        _ => refuse(),
    }
}

fn shown(expected: &Expected) -> String {
    let number =
        |value: &Extended| value.as_ref().map_or("infinity".into(), |v| format!("{v} ({})", v.to_f64().value()));
    match expected {
        Expected::Number(value, _) => number(value),
        Expected::Range(least, greatest) => format!("{} to {}", number(least), number(greatest)),
        other => format!("{other:?}"),
    }
}

fn same(value: &Extended, slack: &RBig, answer: &ChanceAnswer, report: &mut Report) -> Result<(), String> {
    let wrong = |why: &str| {
        Err(format!("{why}: expected {}, got {answer:?}", shown(&Expected::Number(value.clone(), slack.clone()))))
    };
    let Some(value) = value else {
        let is_infinite = answer.value.is_none() && answer.lower.is_none() && answer.upper.is_none();
        return if is_infinite && answer.exact.as_deref() == Some("Infinity") { Ok(()) } else { wrong("not infinite") };
    };
    let (Some(lower), Some(upper)) = (answer.lower, answer.upper) else { return wrong("infinite") };
    let end = |end: f64| RBig::try_from(end).unwrap_or_default();
    if end(lower) > value + slack || end(upper) < value - slack {
        return wrong("not between the bounds");
    }
    let width = end(upper) - end(lower);
    if width > value * fraction(1, 100_000) + fraction(1, 1_000_000_000) * fraction(1, 1_000_000_000) {
        return wrong("bounds too far apart");
    }
    match &answer.exact {
        Some(text) => {
            report.count("numbers compared as fractions");
            // A sum of the series is not the value.
            if slack.is_zero() && *text != value.to_string() {
                return wrong("another fraction");
            }
        }
        None => {
            report.count("numbers compared with bounds");
            if slack.is_zero() && value.to_string().len() <= 400 {
                report.count("numbers without their fraction");
            }
        }
    }
    Ok(())
}
