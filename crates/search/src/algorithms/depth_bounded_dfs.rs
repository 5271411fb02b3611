//! **Depth-bounded depth-first search.** Depth-first, but no path longer than a bound.
//!
//! Paper: Edelkamp, Lluch Lafuente, Leue 2001, "Directed explicit model checking with HSF-SPIN" (default bound 10 000);
//! the pitfall of duplicates: Edelkamp, Schuppan, Bošnački, Wijs, Fehnker, Aljazzar 2008, "Survey on directed model
//! checking".
//!
//! Claims: finds every error within the bound, because a state that is reached on a shorter path is opened again. It is
//! complete only if no state lies behind the bound, which the result says; so no claim here. Not optimal.
//!
//! Cost: a state may be expanded as often as its length falls, in the worst case exponentially often.
//!
//! Fails: when the bound is smaller than the depth of the error; when it is much larger, as depth-first search.
//!
//! Example: `a → b → c → d → e → bad` and `a → x → d` with bound 4. Depth first, `d` is met at length 3, and `bad` at
//! length 5 is cut off. Then `d` is met at length 2, opened again, and `bad` is found at length 4.

use bughound_kernel::registry::{Param, ParamKind};

use crate::configuration::{BlindSearch, Order};
use crate::costs::Costs;
use crate::open_lists::ChildOrder;
use crate::registry::{Claims, CycleSupport, Entry, Promise};

pub(super) const ENTRY: Entry = Entry {
    name: "depth-bounded-dfs",
    summary: "depth-first search that cuts off paths longer than a bound",
    cite: "Edelkamp, Lluch Lafuente, Leue 2001; Edelkamp et al. 2008",
    params: &[Param {
        name: "depth",
        summary: "length of the longest paths considered",
        kind: ParamKind::Integer { default: Some(10_000), min: 0, max: u64::MAX },
    }],
    claims: Claims { complete: Promise::Depends("if no path is longer than the bound"), optimal: Promise::Never },
    cycles: CycleSupport::ByRecording,
    build: |_, args| {
        let order = Order::DeepestFirst(ChildOrder::AsEmitted);
        let depth = args.integer("depth");
        Ok(Box::new(BlindSearch {
            name: "depth-bounded-dfs",
            order,
            costs: Costs::Additive,
            depth,
            budget: None,
            keep: None,
        }))
    },
};
