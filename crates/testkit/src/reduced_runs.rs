//! Reduced runs beside the decision by brute force: is a formula without X violated by some run that is left exactly if it is
//! violated by some run? On small random models with random formulas, through the layers themselves, so that mistakes can be
//! planted in each of them.

use std::ops::ControlFlow;
use std::sync::Arc;

use bughound::liveness::{Evidence, LiveClaim, add_claim};
use bughound_ir::edge::Action;
use bughound_ir::expr::{Expr, Scope};
use bughound_ir::network::Network;
use bughound_kernel::registry::expression;
use bughound_kernel::{
    Expansion, Explorer, Keep, Layer, LayerSteps, LeftOut, Outcome, Part, State, Step, TransitionSystem,
};
use bughound_layers::{ClaimProduct, Reduced};
use bughound_search::{BuildCx, Controls, Goals, InvariantGoal, NoHeuristics, StopPolicy, Task, algorithms};
use bughound_semantics::reduction::{Preserve, Reduction};
use bughound_semantics::{Claim, DiscreteSystem};
use bughound_store::{ExactStore, Stores};

use crate::liveness::comparison::truth_of;
use crate::liveness::facade::Subject;
use crate::liveness::formulas::{self, Shape};
use crate::liveness::graph::Graph;
use crate::liveness::models::{self, Ingredients};
use crate::random_promela::Rng;

/// Larger models are left out.
const MOST_STATES: usize = 400;
/// Formulas for each model.
const FORMULAS: usize = 4;
/// Conditions in each formula.
const ATOMS: usize = 3;

/// What the comparison is to find, to see that it would.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mistake {
    None,
    /// The reduction is not told what the formula looks at.
    Visibility,
    /// A step back to a state whose steps are reduced is accepted: on a cycle, steps may be put off for ever.
    Cycle,
    /// The analysis does not see one of the writes.
    Dependency,
}

/// What was seen of one model, or of several.
#[derive(Clone, Debug, Default)]
pub struct Report {
    pub models: u64,
    /// Models and formulas that were compared.
    pub pairs: u64,
    pub violated: u64,
    /// Those in which steps were left out.
    pub reduced: u64,
    pub differences: Vec<String>,
}

impl Report {
    pub fn merge(&mut self, other: Report) {
        self.models += other.models;
        self.pairs += other.pairs;
        self.violated += other.violated;
        self.reduced += other.reduced;
        self.differences.extend(other.differences);
    }
}

/// Compares what is said of the formulas of a seed.
pub fn check_seed(seed: u64, mistake: Mistake) -> Report {
    let mut rng = Rng::new(seed ^ 0x2c1c);
    let mut report = Report { models: 1, ..Report::default() };
    let model = models::random(&mut rng, Ingredients { errors: false, ..Ingredients::ALL });
    let atoms: Vec<String> = (0..ATOMS).map(|_| rng.pick(&model.atoms).clone()).collect();
    let formulas: Vec<_> =
        (0..FORMULAS).map(|_| formulas::random(&mut rng, Shape { atoms: ATOMS, next: false })).collect();
    let texts: Vec<String> = formulas.iter().map(|formula| formula.text(&atoms).to_string()).collect();
    let Ok(subject) = Subject::load(&model.text, &texts, &atoms, rng.chance(50)) else { return report };
    let Some(graph) = Graph::new(subject.network(), MOST_STATES) else { return report };
    for (number, formula) in formulas.iter().enumerate() {
        let Some(truth) = truth_of(&graph, &subject.atoms(), formula).filter(|truth| !truth.may_break) else {
            continue;
        };
        let mut network = Arc::new(subject.network().clone());
        let name = format!("ltl-{}", number + 1);
        let Some(asked) = network.properties.iter().find(|property| property.name == name).cloned() else { continue };
        // A formula about single states has no claim.
        let Some(Ok(claim)) = add_claim(&mut network, &asked, Evidence::Beginning) else { continue };
        let Some((violated, is_reduced)) = decide(&network, &claim, mistake, &mut rng) else { continue };
        report.pairs += 1;
        report.violated += u64::from(truth.violated);
        report.reduced += u64::from(is_reduced);
        if violated != truth.violated {
            let text = format!("seed {seed}: {}: violated: {violated}, expected {}", texts[number], truth.violated);
            report.differences.push(format!("{text}\n{}", model.text));
        }
    }
    report
}

/// Is the formula of the claim violated by a run that is left, and was anything left out? `None` if the model is not reduced.
fn decide(network: &Arc<Network>, claim: &LiveClaim, mistake: Mistake, rng: &mut Rng) -> Option<(bool, bool)> {
    let conditions = if mistake == Mistake::Visibility { Vec::new() } else { looked_at(network, claim) };
    let analysed = match mistake {
        Mistake::Dependency => Arc::new(without_a_write(network, rng)?),
        _ => network.clone(),
    };
    let reduction = Reduction::new(&analysed, Preserve { failures: true, conditions }).ok()?;
    let system = DiscreteSystem::new(network.clone(), &[]).reduced_by(reduction);
    let right = Reduced::new(&system, Box::new(ExactStore::new(system.layout())));
    let wrong = Careless { system: &system };
    let steps: &dyn TransitionSystem = if mistake == Mistake::Cycle { &wrong } else { &right };
    let reads = Claim::new(&system, claim.template);
    let product = ClaimProduct::new(steps, &reads).with_regions(claim.regions.clone());
    let end = InvariantGoal { property: 0, atom: product.violated(), expected: false };
    let goals = Goals { cycle: Some(0), invariants: vec![end], ..Goals::none() };
    let search = algorithms::build(&expression::parse("scc").ok()?, &BuildCx::default()).ok()?;
    let stores = Stores::new(&product);
    let (goals, stores, stop) = (&goals, &stores, StopPolicy::FirstError);
    let task = Task { system: &product, goals, stop, stores, heuristics: &NoHeuristics };
    let result = search.start(task, Controls::default()).ok()?;
    Some((!result.witnesses.is_empty(), result.stats.reduced > 0))
}

fn looked_at(network: &Network, claim: &LiveClaim) -> Vec<Expr> {
    let locations = network.template(claim.template).locations.iter();
    let edges = locations.flat_map(|location| &network.location(*location).edges);
    edges.flat_map(|edge| network.edge(*edge).guards.clone()).collect()
}

/// The network without one of its assignments to a global variable, which another edge assigns, too: otherwise its value would
/// be known, and more would be wrong than that. `None` if there is no such assignment.
pub fn without_a_write(network: &Network, rng: &mut Rng) -> Option<Network> {
    let mut writes = Vec::new();
    for (edge, destination) in
        network.edges.iter().enumerate().flat_map(|(n, e)| (0..e.destinations.len()).map(move |d| (n, d)))
    {
        for (at, action) in network.edges[edge].destinations[destination].actions.iter().enumerate() {
            if let Action::Assign { target, .. } = action
                && target.scope == Scope::Global
            {
                writes.push((target.slot, edge, destination, at));
            }
        }
    }
    let elsewhere = |(slot, edge, ..): &(u32, usize, usize, usize)| {
        writes.iter().any(|(other, from, ..)| other == slot && from != edge)
    };
    let candidates: Vec<_> = writes.iter().copied().filter(elsewhere).collect();
    if candidates.is_empty() {
        return None;
    }
    let (_, edge, destination, at) = *rng.pick(&candidates);
    let mut blind = network.clone();
    blind.edges[edge].destinations[destination].actions.remove(at);
    Some(blind)
}

/// The mistaken layer: a smaller set of steps will do wherever there is one.
struct Careless<'s> {
    system: &'s DiscreteSystem,
}

impl Layer for Careless<'_> {
    type Steps<'l>
        = CarelessSteps
    where
        Self: 'l;

    fn below(&self) -> &dyn TransitionSystem {
        self.system
    }

    fn project<'k>(&self, state: State<'k>) -> State<'k> {
        state
    }

    fn steps(&self) -> CarelessSteps {
        CarelessSteps
    }
}

struct CarelessSteps;

impl LayerSteps for CarelessSteps {
    fn initial(&mut self, below: &mut dyn Explorer, emit: &mut dyn FnMut(State<'_>)) {
        below.initial(emit);
    }

    fn successors(
        &mut self,
        below: &mut dyn Explorer,
        from: State<'_>,
        emit: &mut dyn FnMut(&Step<'_>) -> ControlFlow<()>,
    ) -> Expansion {
        let mut leads_on = false;
        let reduced = below.part(from, Part::Reduced(Keep::Runs), &mut |step| {
            leads_on |= matches!(step.outcome, Outcome::State(_));
            emit(step)
        });
        if reduced.left_out == LeftOut::Nothing || leads_on {
            return reduced;
        }
        below.part(from, Part::Rest, emit)
    }
}
