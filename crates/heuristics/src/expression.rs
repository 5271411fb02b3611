//! **The user's own heuristic.** The value of an expression over the variables of the model.
//!
//! Negative values count as 0, and so do states in which the expression has no value (a division by zero).
//!
//! Paper: Edelkamp, Leue, Lluch Lafuente 2004 (designer-devised heuristics).
//!
//! Claims: safe, because it never reports dead ends. Nothing else is known about what users write; `weighted` and `max`
//! do not make it admissible either.
//!
//! Cost: one evaluation of the expression.
//!
//! Fails: as its author does.
//!
//! Example: `greedy(h=expression('3 - len(q) + (turn == 1 -> 0 : 5)'))`.

use bughound_kernel::registry::{BuildError, Param, ParamKind};
use bughound_kernel::{Estimate, Heuristic, HeuristicClaims, Situation};
use bughound_semantics::{Compiled, Probe, Viewpoint};

use crate::registry::Entry;

pub(super) const ENTRY: Entry = Entry {
    name: "expression",
    summary: "value of an expression over the variables of the model",
    cite: "Edelkamp, Leue, Lluch Lafuente 2004",
    params: &[Param {
        name: "text",
        summary: "the expression, in the language of the model; negative values count as 0",
        kind: ParamKind::Text { required: true },
    }],
    claims: "safe",
    build: |cx, args| {
        let text = args.text("text").unwrap_or_default();
        let expression = (cx.read_expression)(text).map_err(|message| BuildError::new(message, 0..0))?;
        let probe = Probe::new(cx.system);
        let value = probe.compile(&expression);
        Ok(Box::new(UserExpression { probe, value }))
    },
};

struct UserExpression<'a> {
    probe: Probe<'a>,
    value: Compiled,
}

impl Heuristic for UserExpression<'_> {
    fn claims(&self) -> HeuristicClaims {
        HeuristicClaims::SAFE
    }

    fn estimate(&mut self, at: Situation<'_>) -> Estimate {
        let value = self.probe.value(at.state.key, Viewpoint::OUTSIDE, &self.value).unwrap_or(0);
        Estimate::Finite(value.max(0) as u64)
    }
}
