//! What heuristics claim, on random timed models.
//!
//! The truth is the zone graph, explored without any inclusion: the distance of a zone is the least weight of a way to an
//! error from some point of it, and extrapolation changes no distance. That much is compared with the region graph, which
//! knows nothing of zones, for the initial state of every model whose steps all weigh 1.

use bughound::guide::without_clocks;
use bughound::zones::ZoneOptions;
use bughound_heuristics::BuildCx;
use bughound_ir::expr::Expr;
use bughound_ir::network::Network;
use bughound_ir::question::Question;
use bughound_ir::targets::Targets;
use bughound_kernel::{AtomId, Unwatched};
use bughound_semantics::timed::{Abstraction, Inclusion, TimedSystem};

use crate::distances::{Distances, Errors, Graph};
use crate::heuristic_claims::{Report, check_heuristics, weights};
use crate::random_promela::Rng;
use crate::timed::ceilings::ceilings;
use crate::timed::facade::Subject;
use crate::timed::graph::RegionGraph;
use crate::timed::models;
use crate::timed::oracle::{Answer, Truth};
use crate::timed::queries;

/// Larger region graphs are left out: they are only there to confirm the zones.
const MOST_REGIONS: usize = 4000;

/// What is looked for in a timed model.
struct Sought {
    kind: &'static str,
    /// The condition, with clocks; none for deadlocks.
    condition: Option<Expr>,
    targets: Targets,
    abstraction: Abstraction,
}

/// Checks `heuristics` on the model with this seed, for every question after states; zone graphs with more than `most`
/// states are left out.
pub fn check_seed(seed: u64, most: usize, heuristics: &[String]) -> Report {
    let mut report = Report::default();
    let mut rng = Rng::new(seed ^ 0x2c1a);
    let model = models::random(&mut rng, models::Style::default());
    let texts: Vec<String> = queries::random(&mut rng, &model).into_iter().map(|query| query.text).collect();
    let subject = match Subject::load(&model.text, &texts) {
        Ok(subject) => subject,
        Err(why) if why.contains("not supported") => return report,
        Err(why) => {
            report.violations.push(format!("the model is not accepted: {why}\n{}", model.text));
            return report;
        }
    };
    let mut network = subject.network().clone();
    let weights = weights(seed);
    network.edges.iter_mut().for_each(|edge| edge.weight = *rng.pick(weights));
    for question in subject.network().properties.iter().map(|property| &property.question) {
        let Some(sought) = sought(question) else { continue };
        let truth = if weights == [1] { shortest(subject.network(), question) } else { None };
        check(&network, &sought, truth, most, heuristics, &mut rng, &mut report);
    }
    report.violations.iter_mut().for_each(|text| text.push_str(&format!("\n{}", model.text)));
    report
}

/// Checks `heuristics` on any model, for every question after states.
pub fn check_text(text: &str, queries: &[String], most: usize, heuristics: &[String]) -> Result<Report, String> {
    let subject = Subject::load(text, queries)?;
    let (network, mut rng, mut report) = (subject.network(), Rng::new(1), Report::default());
    for question in network.properties.iter().map(|property| &property.question) {
        let Some(sought) = sought(question) else { continue };
        check(network, &sought, shortest(network, question), most, heuristics, &mut rng, &mut report);
    }
    Ok(report)
}

/// The error that a question is after; `None` if one state does not answer it.
fn sought(question: &Question) -> Option<Sought> {
    // Every zone for itself: none hides another that is farther from the error.
    let zones = ZoneOptions { inclusion: Some(Inclusion::Equal), ..ZoneOptions::default() };
    let (kind, condition) = match question {
        Question::Deadlock => ("deadlock", None),
        Question::Invariant(e) => ("invariant", Some(e.total().not())),
        Question::Reach(e) => ("reachability", Some(e.clone())),
        _ => return None,
    };
    let targets = Targets {
        deadlock: kind == "deadlock",
        conditions: condition.iter().map(without_clocks).collect(),
        ..Targets::default()
    };
    let abstraction = if targets.deadlock { zones.deadlock() } else { zones.reachability() };
    Some(Sought { kind, condition, targets, abstraction })
}

/// The distance of the initial state by brute force on regions; `None` if that has no answer.
fn shortest(network: &Network, question: &Question) -> Option<Option<u64>> {
    let ceilings = ceilings(network, &question.conditions())?;
    match RegionGraph::new(network, ceilings, MOST_REGIONS).ok()?.answer(question)? {
        Answer::Truth(Truth { shortest, .. }) => Some(shortest),
        Answer::Extremes(_) => None,
    }
}

fn check(
    network: &Network,
    sought: &Sought,
    truth: Option<Option<u64>>,
    most: usize,
    heuristics: &[String],
    rng: &mut Rng,
    report: &mut Report,
) {
    let Sought { kind, condition, targets, abstraction } = sought;
    let Ok(system) = TimedSystem::new(network.clone(), condition.as_slice(), *abstraction) else { return };
    let Some(graph) = Graph::explore(&system, most).filter(|graph| !graph.states.is_empty()) else {
        return report.count(format!("{kind}: left out"), 1);
    };
    let atoms = condition.iter().map(|_| (AtomId(0), true)).collect();
    let errors = Errors { deadlock: targets.deadlock, atoms, ..Errors::default() };
    let distances = Distances::new(&graph, &system, &errors);
    report.count(format!("{kind}: models"), 1);
    report.count(format!("{kind}: with an error"), distances.any() as usize);
    if let Some(truth) = truth {
        report.count("distances confirmed by regions", 1);
        if truth != distances.to_error[0] {
            let text = format!("{kind} ({condition:?}): {:?} by zones, {truth:?} by regions", distances.to_error[0]);
            report.violations.push(text);
        }
    }
    let goal_state = Some(rng.pick(&graph.states).as_state().into());
    let read_expression = |_: &str| Err("there are none here".to_string());
    let cx = BuildCx {
        system: system.discrete(),
        targets,
        goal_state,
        read_expression: &read_expression,
        watch: &Unwatched,
    };
    check_heuristics(heuristics.iter().cloned(), &cx, kind, (&system, &graph), &distances, report);
}
