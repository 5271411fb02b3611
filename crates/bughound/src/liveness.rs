//! Properties of infinite runs as claims: what a search must know to look for a run that violates them.
//!
//! A formula is negated and translated to a Büchi automaton, which joins the network as a claim like one written in the
//! model. Labels are formulas, too: a run that passes accept labels again and again satisfies `[]<> accept`, a run without
//! progress `<>[] np_`.

use std::collections::HashMap;
use std::sync::Arc;

use bughound_automata as automata;
use bughound_ir::claims::{ClaimShape, ClaimState};
use bughound_ir::edge::Condition;
use bughound_ir::expr::{BinaryOp, Expr};
use bughound_ir::ltl::Formula;
use bughound_ir::network::{LocationId, Network, TemplateId};
use bughound_ir::source::Span;
use bughound_kernel::{Cycles, Region};

use bughound_ir::question::{Property, Question};

/// A claim that watches runs.
#[derive(Clone, Debug)]
pub struct LiveClaim {
    pub template: TemplateId,
    /// What is known of the cycles through its locations, in the order of the template.
    pub regions: Vec<Region>,
    /// A run that comes to rest counts as infinite: it stays where it is.
    pub includes_runs_at_rest: bool,
}

impl LiveClaim {
    /// Can a run violate it without bringing it to its end?
    pub fn has_cycles(&self) -> bool {
        self.regions.iter().any(|region| region.cycles != Cycles::None)
    }

    /// The locations through which accepting cycles can lead.
    pub fn accepting(&self, network: &Network) -> Vec<LocationId> {
        let locations = network.template(self.template).locations.iter().zip(&self.regions);
        locations.filter(|(_, region)| region.cycles != Cycles::None).map(|(location, _)| *location).collect()
    }
}

/// What violates a formula that some beginning of a run has made false already.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Evidence {
    /// The beginning: whatever it is, some run goes on from there.
    Beginning,
    /// A whole run: where time must go on for ever, a beginning need not be one of a run that counts.
    WholeRun,
}

/// Adds the claim of a property to the network. `None`: the property is not about runs.
pub fn add_claim(
    network: &mut Arc<Network>,
    asked: &Property,
    evidence: Evidence,
) -> Option<Result<LiveClaim, String>> {
    let template = match (&asked.question, asked.question.formula()) {
        (Question::Never(template), _) => *template,
        (_, Some(formula)) => match claim_of(formula, &asked.name, evidence) {
            Ok(shape) => Arc::make_mut(network).add_claim(&shape, Span::default()),
            Err(why) => return Some(Err(why)),
        },
        _ => return None,
    };
    let regions = regions(network, template);
    // SPIN looks for cycles without progress among steps only.
    let includes_runs_at_rest = !matches!(asked.question, Question::NonProgress(_));
    Some(Ok(LiveClaim { template, regions, includes_runs_at_rest }))
}

/// The claim that accepts the runs which violate the formula.
pub fn claim_of(formula: &Formula, name: &str, evidence: Evidence) -> Result<ClaimShape, String> {
    let (automaton, atoms) = automaton_of(formula)?;
    let state = |(number, state): (usize, &automata::BuchiState)| {
        let end = evidence == Evidence::Beginning && automaton.is_end(number);
        let moves = state.edges.iter().map(|edge| (condition(&edge.label, &atoms), edge.to));
        ClaimState { accepting: state.accepting, end, moves: if end { Vec::new() } else { moves.collect() } }
    };
    Ok(ClaimShape {
        name: name.to_string(),
        initial: automaton.initial,
        states: automaton.states.iter().enumerate().map(state).collect(),
    })
}

/// The Büchi automaton of the negated formula, and the conditions that its atoms stand for.
pub fn automaton_of(formula: &Formula) -> Result<(automata::Buchi, Vec<Expr>), String> {
    let mut atoms = Vec::new();
    let abstracted = abstracted(formula, &mut atoms).negated();
    let automaton = automata::translate(&abstracted, automata::DEFAULT_LIMIT).map_err(|error| error.to_string())?;
    Ok((automaton, atoms))
}

/// The formula over numbers; equal conditions have the same.
fn abstracted(formula: &Formula, atoms: &mut Vec<Expr>) -> automata::Formula {
    let mut part = |formula: &Formula| abstracted(formula, atoms);
    match formula {
        Formula::Atom(Expr::Const(0)) => automata::Formula::False,
        Formula::Atom(Expr::Const(_)) => automata::Formula::True,
        Formula::Atom(condition) => {
            let number = atoms.iter().position(|known| known == condition).unwrap_or_else(|| {
                atoms.push(condition.clone());
                atoms.len() - 1
            });
            automata::Formula::atom(number as u32)
        }
        Formula::Not(a) => part(a).negated(),
        Formula::And(a, b) => part(a).and(part(b)),
        Formula::Or(a, b) => part(a).or(part(b)),
        Formula::Implies(a, b) => part(a).implies(part(b)),
        Formula::Equivalent(a, b) => part(a).equivalent(part(b)),
        Formula::Next(a) => part(a).next(),
        Formula::Eventually(a) => part(a).eventually(),
        Formula::Always(a) => part(a).always(),
        Formula::Until(a, b) => part(a).until(part(b)),
        Formula::WeakUntil(a, b) => part(a).weak_until(part(b)),
        Formula::Release(a, b) => part(a).release(part(b)),
    }
}

/// A label as a condition on states. Where a condition of the model has no value, the label has one if it does not depend
/// on it, whatever the order: the automaton has its labels from a translation that knows nothing of the order in which
/// somebody wrote conditions down.
fn condition(label: &automata::Label, atoms: &[Expr]) -> Expr {
    let literal = |(atom, positive): (u32, bool)| {
        let condition = atoms[atom as usize].clone();
        if positive { condition } else { condition.not() }
    };
    let cubes = || label.cubes().map(|cube| cube.into_iter().map(literal));
    let plain = any(cubes().map(all));
    if !plain.can_fail() {
        return plain;
    }
    let surely_true = any(cubes().map(|cube| all(cube.map(|literal| literal.total()))));
    let surely_false = all(cubes().map(|cube| any(cube.map(|literal| literal.not().total()))));
    Expr::binary(BinaryOp::Or, surely_true, Expr::binary(BinaryOp::And, surely_false.not(), plain))
}

fn all(conditions: impl Iterator<Item = Expr>) -> Expr {
    conditions.reduce(|a, b| Expr::binary(BinaryOp::And, a, b)).unwrap_or_else(|| Expr::truth(true))
}

fn any(conditions: impl Iterator<Item = Expr>) -> Expr {
    conditions.reduce(|a, b| Expr::binary(BinaryOp::Or, a, b)).unwrap_or_else(|| Expr::truth(false))
}

/// The strongly connected components of a claim, by location in the order of its template.
pub fn regions(network: &Network, claim: TemplateId) -> Vec<Region> {
    let locations = &network.template(claim).locations;
    let place: HashMap<LocationId, usize> = locations.iter().enumerate().map(|(at, id)| (*id, at)).collect();
    let successors: Vec<Vec<usize>> = locations
        .iter()
        .map(|id| {
            let edges = network.location(*id).edges.iter().map(|edge| network.edge(*edge));
            let moves = edges.filter(|edge| edge.condition != Condition::Youngest);
            moves.filter_map(|edge| place.get(&edge.target().to).copied()).collect()
        })
        .collect();
    let accepting: Vec<bool> = locations.iter().map(|id| network.location(*id).flags.accept).collect();
    let components = automata::classify(&successors, &accepting);
    let region = |at: usize| Region {
        number: components.of[at] as u32,
        cycles: match components.class_of(at) {
            automata::Class::NonAccepting => Cycles::None,
            automata::Class::FullyAccepting => Cycles::All,
            automata::Class::PartiallyAccepting => Cycles::Some,
        },
    };
    (0..locations.len()).map(region).collect()
}
