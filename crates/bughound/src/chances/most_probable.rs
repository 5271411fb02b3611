//! The most probable paths of a model to a goal, on the state space as it is generated (K\*).

use bughound_markov::directed::{By, Exploration, Order, Part, Path, Wanted, When};
use bughound_markov::hypoexponential;
use bughound_search::Driver;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::directed::{Hunt, heed};
use super::explicit::{NotBuilt, named_values};
use super::on_the_fly::OnTheFly;

/// Paths that are written out with their steps, at most.
const SHOWN: usize = 1_000;
/// Products of longer paths are not computed exactly: their fractions would be longer than the paths.
const EXACT_STEPS: usize = 200;

/// The most probable paths to a goal, in the order of their probability.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MostProbable {
    /// How many were counted.
    pub count: usize,
    /// There are no others.
    pub all: bool,
    /// The probability of the first k of them together, for k = 1, 2 and so on.
    pub mass: Vec<f64>,
    /// All of them with their steps, a thousand at most.
    pub paths: Vec<ListedPath>,
    /// States that were found on the way.
    pub found: usize,
}

/// A path from the initial state to a goal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ListedPath {
    /// Its probability; in continuous time that of its steps, whenever they come.
    pub probability: f64,
    /// Optional: the same, exactly, if the path is not too long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exact: Option<String>,
    /// How many steps it has.
    pub length: usize,
    /// Optional, in continuous time with a bound: the probability that just this path is run within the bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_time: Option<f64>,
    /// Its steps.
    pub steps: Vec<ListedStep>,
}

/// A step of a path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ListedStep {
    /// Its probability.
    pub probability: f64,
    /// What it changes: variables and their new values.
    pub changes: Vec<(String, String)>,
}

/// Lists the most probable paths from the initial state; or says why not.
pub(super) fn most_probable(
    hunt: &Hunt<'_>,
    space: &mut OnTheFly<'_, '_>,
    count: usize,
    driver: &mut Driver<'_>,
) -> Result<Result<MostProbable, &'static str>, NotBuilt> {
    let memory = space.memory;
    let mut exploration = Exploration::new(space, By::Path)?;
    let &[from] = exploration.part.initial() else {
        return Ok(Err("there are several initial states"));
    };
    if matches!(hunt.asked.objective.when, When::Steps(_)) {
        return Ok(Err("within a bound on steps, the most probable paths may be too long"));
    }
    let mut heed = |part: &Part, order: &Order| heed(driver, part, order, memory.get());
    let found = exploration.paths(from, Wanted { count, shown: SHOWN.min(count) }, &mut heed)?;
    let Exploration { space, part, .. } = exploration;
    let mut sum = 0.0;
    let mass = found.likelihoods.iter().map(|likelihood| {
        sum += likelihood.value();
        sum
    });
    Ok(Ok(MostProbable {
        count: found.likelihoods.len(),
        all: found.all,
        mass: mass.collect(),
        paths: found.paths.iter().map(|path| listed(hunt, space, &part, path)).collect(),
        found: part.len(),
    }))
}

fn listed(hunt: &Hunt<'_>, space: &mut OnTheFly<'_, '_>, part: &Part, path: &Path) -> ListedPath {
    let network = hunt.system.network();
    let mut before = named_values(network, space.key(path.start as usize));
    let steps = path.edges.iter().map(|edge| {
        let after = named_values(network, space.key(edge.to as usize));
        let changes = after.iter().zip(&before).filter(|(new, old)| new != old).map(|(new, _)| new.clone()).collect();
        before = after;
        ListedStep { probability: edge.probability, changes }
    });
    let steps: Vec<ListedStep> = steps.collect();
    let in_time = match &hunt.asked.objective.when {
        When::Time(time) => {
            let rate = |state: u32| part.exit_rate(state as usize).to_f64().value();
            let rates: Vec<f64> = path.edges.iter().map(|edge| rate(edge.from)).collect();
            hypoexponential(&rates, time.to_f64().value()).map(|share| path.likelihood.value() * share)
        }
        _ => None,
    };
    ListedPath {
        probability: path.likelihood.value(),
        exact: (path.edges.len() <= EXACT_STEPS).then(|| path.exact(part).to_string()),
        length: path.edges.len(),
        in_time,
        steps,
    }
}
