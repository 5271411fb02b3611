//! Does a run complete a never claim? Decided with the reference evaluator, step by step.
//!
//! The claim moves once at every state of the run that can be seen from outside (not inside an atomic chain), the first
//! time at the initial state; where the system has come to rest it goes on moving. It may have several moves, so the set
//! of all locations it can be at is followed.

use bughound_ir::edge::{Action, Condition, EdgeId};
use bughound_ir::expr::Expr;
use bughound_ir::network::{LocationId, TemplateId};
use bughound_ir::reference::{RefState, Reference};

/// The ways in which a claim can have followed a run so far.
pub struct ClaimWatch<'n> {
    reference: Reference<'n>,
    /// Where the claim can be.
    locations: Vec<LocationId>,
    /// The move that completed it.
    completed: Option<EdgeId>,
}

impl<'n> ClaimWatch<'n> {
    pub fn new(reference: Reference<'n>, claim: TemplateId) -> Self {
        let initial = reference.network().template(claim).initial;
        ClaimWatch { reference, locations: vec![initial], completed: None }
    }

    /// The claim looks at the next state of the run.
    pub fn see(&mut self, state: &RefState) {
        if self.completed.is_none() {
            let state = state.ordinary();
            self.locations = self.moved(&state);
        }
    }

    /// The run has come to rest in this state: the claim goes on until nothing is new.
    pub fn see_for_ever(&mut self, state: &RefState) {
        let state = state.ordinary();
        let mut seen = self.locations.clone();
        while self.completed.is_none() {
            self.locations = self.moved(&state);
            self.locations.retain(|location| !seen.contains(location));
            if self.locations.is_empty() {
                return;
            }
            seen.extend(&self.locations);
        }
    }

    /// The move with which the claim got to its end, if it did.
    pub fn completed(&self) -> Option<EdgeId> {
        self.completed
    }

    fn moved(&mut self, state: &RefState) -> Vec<LocationId> {
        let network = self.reference.network();
        let holds = |condition: &Expr| self.reference.holds(state, condition).unwrap_or(false);
        let mut reached: Vec<LocationId> = Vec::new();
        for from in &self.locations {
            let mut executable = false;
            for id in &network.location(*from).edges {
                let edge = network.edge(*id);
                let blocked = match edge.condition {
                    Condition::None => false,
                    Condition::Else => executable,
                    Condition::Youngest => true,
                };
                if blocked || !edge.guards.iter().all(holds) {
                    continue;
                }
                executable = true;
                let fails = |action: &Action| matches!(action, Action::Assert { condition, .. } if !holds(condition));
                if edge.target().actions.iter().any(fails) || self.is_end(edge.target().to) {
                    self.completed = Some(*id);
                    return Vec::new();
                }
                if !reached.contains(&edge.target().to) {
                    reached.push(edge.target().to);
                }
            }
        }
        reached
    }

    /// The end of the claim's body: the only thing left is to vanish.
    fn is_end(&self, location: LocationId) -> bool {
        let network = self.reference.network();
        network.location(location).edges.iter().any(|id| network.edge(*id).condition == Condition::Youngest)
    }
}
