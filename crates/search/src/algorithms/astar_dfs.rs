//! **A\* and depth-first search.** A* runs at the components of the claim in which there can be accepting cycles; behind each
//! entrance a directed search tries to get back to it, and a depth-first walk looks through the rest of the component.
//!
//! Paper: Edelkamp, Lluch Lafuente, Leue 2001, "Directed explicit model checking with HSF-SPIN", section 4.3.
//!
//! Claims: complete: dead ends that are no proof wait until everything else is done. Not optimal, but stems are short.
//!
//! Cost: each state is expanded once outside of the components, and once or twice inside.
//!
//! Fails: where all of the state space lies in one component, as for `[]<> p`: then there is nothing to run at.
//!
//! Example: `astar-dfs(h=formula, inner=hamming)`.

use bughound_kernel::registry::{Expression, Param, ParamKind};

use crate::algorithms::HEURISTIC;
use crate::algorithms::nested_dfs::{IMPROVE, finish};
use crate::configuration::GuidedSearch;
use crate::engines::{CycleSearch, Revisit, Way};
use crate::evaluators::Weights;
use crate::open_lists::{TieBreak, Ties};
use crate::registry::{Claims, CycleSupport, Entry, Promise};

pub(super) const ENTRY: Entry = Entry {
    name: "astar-dfs",
    summary: "for cycles: A* to where accepting cycles are possible, depth-first search from there",
    cite: "Edelkamp, Lluch Lafuente, Leue 2001",
    params: &[HEURISTIC, WEIGHT, INNER, IMPROVE],
    claims: Claims { complete: Promise::Always, optimal: Promise::Never },
    cycles: CycleSupport::AnyConditions,
    build: |cx, args| {
        let weights = Weights::by_factor(args.decimal("w").unwrap_or(1.0));
        let heuristic = cx.heuristic(args);
        let inner = args.nested("inner").cloned().unwrap_or_else(|| Expression::named("fsm-distance"));
        Ok(Box::new(CycleSearch {
            name: "astar-dfs",
            ways: vec![(Way::Entry { heuristic: heuristic.clone(), weights, inner: Some(inner) }, None)],
            finish: finish(args),
            for_states: Box::new(GuidedSearch {
                name: "astar-dfs",
                heuristic,
                weights,
                ties: Ties { low_h: true, rest: TieBreak::Lifo },
                revisit: Revisit::Cheaper,
                depth: None,
                budget: None,
            }),
        }))
    },
};

const WEIGHT: Param = Param {
    name: "w",
    summary: "weight of the estimate",
    kind: ParamKind::Decimal { default: 1.0, min: 0.0, max: 1e6 },
};

const INNER: Param = Param {
    name: "inner",
    summary: "the heuristic for the way back to an entrance; `blind` searches without",
    kind: ParamKind::Nested { what: "heuristic", default: "fsm-distance" },
};
