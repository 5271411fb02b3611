//! **The hints of the model**, `remaining` and `heur`: two numbers with which a model with prices guides the search.
//!
//! `remaining` is what the model says that remains to be paid (`meta int remaining` of UPPAAL CORA); `heur` is an order:
//! of states that are open, those with a small one are to be taken first.
//!
//! Paper: Behrmann, Larsen, Rasmussen, "Optimal scheduling using priced timed automata", 2005.
//!
//! Claims: `remaining` is the promise of whoever wrote the model, and is taken as one, as UPPAAL CORA does: admissible. If
//! the promise is false, so may be what a search proves with it. `heur` claims to be safe only: it reports no dead ends.
//!
//! Cost: one look into the state.
//!
//! Fails: as the author of the model does.
//!
//! Example: `astar(h=max(remaining, least-cost))`.

use bughound_ir::pricing::Pricing;
use bughound_kernel::registry::BuildError;
use bughound_kernel::{Estimate, Heuristic, HeuristicClaims, Situation};
use bughound_semantics::timed::priced::Sight;

use crate::context::BuildCx;
use crate::registry::Entry;

pub(super) const REMAINING: Entry = Entry {
    name: "remaining",
    summary: "what the model says that remains to be paid",
    cite: "Behrmann, Larsen, Rasmussen 2005",
    params: &[],
    claims: "admissible, says the author of the model",
    build: |cx, _| {
        let clocks = clocks_of_model_with(cx, "remaining", |pricing| pricing.remaining.is_some())?;
        Ok(Box::new(ModelHint { clocks, hint: Hint::Remaining }))
    },
};

pub(super) const ORDER: Entry = Entry {
    name: "heur",
    summary: "the order that the model gives to states",
    cite: "Behrmann, Larsen, Rasmussen 2005",
    params: &[],
    claims: "safe",
    build: |cx, _| {
        let clocks = clocks_of_model_with(cx, "heur", |pricing| pricing.heur.is_some())?;
        Ok(Box::new(ModelHint { clocks, hint: Hint::Order }))
    },
};

fn clocks_of_model_with(cx: &BuildCx<'_, '_>, name: &str, has: fn(&Pricing) -> bool) -> Result<usize, BuildError> {
    let network = cx.system.network();
    if network.pricing.as_ref().is_some_and(has) {
        return Ok(network.clocks.len());
    }
    Err(BuildError::new(format!("`{name}` needs a model with prices that declares `meta int {name}`"), 0..0))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Hint {
    Remaining,
    Order,
}

struct ModelHint {
    clocks: usize,
    hint: Hint,
}

impl Heuristic for ModelHint {
    fn claims(&self) -> HeuristicClaims {
        match self.hint {
            Hint::Remaining => HeuristicClaims::ADMISSIBLE,
            Hint::Order => HeuristicClaims::SAFE,
        }
    }

    fn is_about_prices(&self) -> bool {
        self.hint == Hint::Remaining
    }

    fn estimate(&mut self, at: Situation<'_>) -> Estimate {
        let value = Sight::new(at.state.cover, self.clocks).map_or(0, |sight| match self.hint {
            Hint::Remaining => sight.remaining(),
            Hint::Order => sight.heur(),
        });
        Estimate::Finite(value.max(0) as u64)
    }

    fn fork(&self) -> Option<Box<dyn Heuristic + '_>> {
        Some(Box::new(ModelHint { ..*self }))
    }
}
