//! Properties of runs, decided with some of the steps and without values that make no difference.
//!
//! What holds there holds. An error is a run of the model, but its loop may be longer: it is closed where all values are
//! the same again.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use bughound_ir::analysis::dead_variables::{Observers, without_dead_variables};
use bughound_ir::expr::Expr;
use bughound_ir::network::Network;
use bughound_kernel::{Explorer, Move, Outcome, State, StateBuf, TransitionSystem};
use bughound_layers::Reduced;
use bughound_search::{SearchResult, Witness};
use bughound_semantics::reduction::{Preserve, Reduction};
use bughound_semantics::{Claim, DiscreteSystem};
use bughound_store::ExactStore;

use super::Execution;
use super::claims::product;
use super::states::States;
use crate::liveness::LiveClaim;
use crate::plan::{Job, Reduces};
use crate::run::{Hooks, RunError, RunStats};

/// A loop is tried so many times before it is given up that all values are the same again.
const MOST_TURNS: usize = 10_000;

impl Execution<'_> {
    /// Decides a claim with some of the steps; `None` if all are needed, or an error could not be made one of the model.
    pub(super) fn search_reduced(
        &self,
        job: &Job,
        claim: &LiveClaim,
        hooks: &mut Hooks<'_>,
    ) -> Result<Option<(SearchResult, RunStats)>, RunError> {
        if job.reduces != Reduces::Runs {
            return Ok(None);
        }
        let network = self.forgetful_for(claim);
        let conditions = looked_at(&network, claim);
        let preserve = Preserve { failures: true, conditions };
        let Ok(reduction) = Reduction::new(&network, preserve.clone()) else { return Ok(None) };
        let system =
            States::new(DiscreteSystem::new(network, self.atoms).reduced_by(reduction), &preserve, self.reduction);
        let steps = Reduced::new(system.system(), Box::new(ExactStore::new(system.system().layout())));
        let reads = Claim::new(system.known(), claim.template);
        let product = product(&steps, &reads, claim);
        let (mut result, mut stats) = self.search_product(job, claim, system.known(), &product, self.limits, hooks)?;
        system.keeps_its_word(&mut stats)?;
        for witness in &mut result.witnesses {
            // Among some of the steps, or without some of the values.
            witness.proven_shortest = false;
            if witness.loop_start.is_some() && !close(self.system, witness) {
                return Ok(None);
            }
        }
        Ok(Some((result, stats)))
    }

    fn forgetful_for(&self, claim: &LiveClaim) -> Arc<Network> {
        let whole = self.system.shared_network();
        let observers = Observers { conditions: Vec::new(), claims: vec![claim.template], reduction: true };
        let without = self.dead_variables.then(|| without_dead_variables(whole, &observers));
        without.flatten().map_or_else(|| whole.clone(), Arc::new)
    }
}

/// What a claim looks at.
fn looked_at(network: &Network, claim: &LiveClaim) -> Vec<Expr> {
    let mut conditions = Vec::new();
    for location in &network.template(claim.template).locations {
        for edge in network.location(*location).edges.iter().map(|edge| network.edge(*edge)) {
            conditions.extend(edge.guards.iter().cloned());
        }
    }
    conditions
}

/// Repeats the loop of a run until all values are the same again; false if that takes too long.
fn close(system: &DiscreteSystem, witness: &mut Witness) -> bool {
    let Some(stem) = witness.loop_start else { return true };
    let mut run = Run::new(system);
    let (before, turn) = witness.path.split_at(stem);
    if turn.is_empty() {
        return true;
    }
    if !before.iter().all(|moves| run.follow(moves)) {
        return false;
    }
    let mut heads: HashMap<StateBuf, (usize, u64)> = HashMap::new();
    for turns in 0..MOST_TURNS {
        if let Some((first, _)) = heads.insert(run.state.clone(), (turns, run.length)) {
            let (before, turn) = (before.to_vec(), turn.to_vec());
            witness.path = before;
            for _ in 0..turns {
                witness.path.extend(turn.iter().cloned());
            }
            witness.loop_start = Some(stem + first * turn.len());
            witness.length = run.length;
            return true;
        }
        if !turn.iter().all(|moves| run.follow(moves)) {
            return false;
        }
    }
    false
}

/// A run of the whole model, step by step.
struct Run<'s> {
    explorer: Box<dyn Explorer + 's>,
    state: StateBuf,
    length: u64,
}

impl<'s> Run<'s> {
    fn new(system: &'s DiscreteSystem) -> Self {
        let mut explorer = system.explorer();
        let mut state = StateBuf::default();
        explorer.initial(&mut |initial| state = initial.into());
        Run { explorer, state, length: 0 }
    }

    /// Takes the step with these moves; false if there is none. Without moves, only the claim has moved.
    fn follow(&mut self, moves: &[Move]) -> bool {
        if moves.is_empty() {
            return true;
        }
        let mut next: Option<(StateBuf, u64)> = None;
        let from: State<'_> = self.state.as_state();
        self.explorer.successors(from, &mut |step| {
            if let Outcome::State(state) = step.outcome
                && step.moves == moves
            {
                next = Some((state.into(), step.weight));
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        });
        let Some((state, weight)) = next else { return false };
        self.state = state;
        self.length += weight;
        true
    }
}
