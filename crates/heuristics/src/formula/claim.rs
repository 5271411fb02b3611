//! How far a never claim is from its end, or from where it can accept an infinite run.
//!
//! The claim moves with every step of the system. To get on from its location it needs a state in which a guard of an edge
//! to another location holds; after that edge it needs at least as many steps as there are edges to its end. So the
//! estimate is the least, over the edges that leave the location, of the cost of the guard (at least one step) and the
//! steps after it. A false assertion takes a claim to its end at once, and so does a condition without a value.
//!
//! Where the system has come to rest, the claim goes on moving, for nothing. A lower bound must not be larger than the cost
//! of getting the system to rest; see [`Rest`](crate::deadlock_formula::Rest).

use bughound_finite::cost::{Cost, INFINITE, from_weight, plus, times};
use bughound_ir::edge::{Action, Condition, Edge};
use bughound_ir::expr::Expr;
use bughound_ir::network::{LocationId, TemplateId};
use bughound_semantics::Probe;

use crate::facts::Facts;
use crate::formula::compile::{Compiler, Timeout, all};
use crate::formula::term::{Asker, Evaluator, Term};

pub struct ClaimAutomaton {
    /// Number of the first location.
    first: i32,
    /// By location, relative to the first: number of moves to the end.
    moves: Vec<Cost>,
    /// By location: what the edges to other locations need, and the number of moves after them.
    edges: Vec<Vec<(Term, Cost)>>,
}

impl ClaimAutomaton {
    pub fn new(facts: &Facts<'_>, probe: &Probe<'_>, claim: TemplateId, accepting: &[LocationId]) -> ClaimAutomaton {
        let network = facts.network;
        let template = network.template(claim);
        let first = template.locations.first().map_or(0, |l| l.0);
        let moves = moves_to_end(facts, claim, accepting);
        let known = facts.constants.outside();
        let compiler = Compiler { facts, probe, known, timeout: Timeout::False };
        let edges = template.locations.iter().map(|location| {
            let edges = || network.location(*location).edges.iter().map(|id| network.edge(*id));
            let broken = edges().flat_map(conditions).filter(|e| facts.undefined.expr(e, None));
            let broken = broken.map(|condition| (Term::Undefined(probe.compile(condition)), 0));
            let onward = edges().filter(|edge| edge.condition != Condition::Youngest).filter_map(|edge| {
                let to = edge.target().to;
                let behind = if has_assertion(&edge.target().actions) { 0 } else { moves[(to.0 - first) as usize] };
                let stays = to == *location && !has_assertion(&edge.target().actions);
                let guards = edge.guards.iter().map(|guard| compiler.formula(guard, true)).collect();
                (!stays && behind < INFINITE).then(|| (all(guards), behind))
            });
            onward.chain(broken).collect()
        });
        let edges = edges.collect();
        ClaimAutomaton { first: first as i32, moves, edges }
    }

    /// The cost until the claim is at its end if the system never comes to rest.
    pub fn cost(&self, evaluator: &Evaluator<'_>, claim: i32, key: &[i32]) -> Cost {
        let at = (claim - self.first) as usize;
        match self.moves.get(at) {
            None | Some(0) => return 0,
            Some(&INFINITE) => return INFINITE,
            Some(_) => {}
        }
        let way = |(guard, behind): &(Term, Cost)| {
            let now = evaluator.cost(guard, key, Asker::Nobody).max(evaluator.unit);
            plus(now, times(u64::from(*behind), evaluator.unit))
        };
        self.edges[at].iter().map(way).min().unwrap_or(INFINITE)
    }
}

/// What is evaluated when this edge is tried.
fn conditions(edge: &Edge) -> impl Iterator<Item = &Expr> {
    let asserted = edge.target().actions.iter().filter_map(|action| match action {
        Action::Assert { condition, .. } => Some(condition),
        _ => None,
    });
    edge.guards.iter().chain(asserted)
}

fn has_assertion(actions: &[Action]) -> bool {
    actions.iter().any(|action| matches!(action, Action::Assert { .. }))
}

/// By location: the least number of moves to the end or an accepting location, guards ignored.
fn moves_to_end(facts: &Facts<'_>, claim: TemplateId, accepting: &[LocationId]) -> Vec<Cost> {
    let network = facts.network;
    let template = network.template(claim);
    let first = template.locations.first().map_or(0, |l| l.0);
    let edges = |at: usize| network.location(template.locations[at]).edges.iter().map(|id| network.edge(*id));
    let is_end = |at: usize| {
        edges(at).any(|edge| edge.condition == Condition::Youngest) || accepting.contains(&template.locations[at])
    };
    let mut moves: Vec<Cost> = (0..template.locations.len()).map(|at| if is_end(at) { 0 } else { INFINITE }).collect();
    loop {
        let mut changed = false;
        for at in 0..moves.len() {
            for edge in edges(at) {
                let can_break = has_assertion(&edge.target().actions)
                    || edge.guards.iter().any(|guard| facts.undefined.expr(guard, None));
                let behind = if can_break { 0 } else { moves[(edge.target().to.0 - first) as usize] };
                let way = plus(behind, from_weight(1));
                if way < moves[at] {
                    moves[at] = way;
                    changed = true;
                }
            }
        }
        if !changed {
            return moves;
        }
    }
}
