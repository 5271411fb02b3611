//! **Randomised depth-first search.** Depth-first, the successors of each state in random order.
//!
//! Paper: Behrmann, David, Larsen 2004, "A Tutorial on UPPAAL" (random depth-first order); Dwyer, Elbaum, Person,
//! Purandare 2007, "Parallel randomized state-space search".
//!
//! Claims: complete; not optimal.
//!
//! Cost: as depth-first search. The same seed repeats the same search.
//!
//! Fails: as depth-first search, but not always at the same place: run it with several seeds.
//!
//! Example: `random-dfs(seed=3)`.

use crate::algorithms::SEED;
use crate::configuration::{BlindSearch, Order};
use crate::costs::Costs;
use crate::open_lists::ChildOrder;
use crate::registry::{Claims, CycleSupport, Entry, Promise};
use bughound_kernel::Random;

pub(super) const ENTRY: Entry = Entry {
    name: "random-dfs",
    summary: "deepest state first, successors in random order",
    cite: "Behrmann, David, Larsen 2004; Dwyer, Elbaum, Person, Purandare 2007",
    params: &[SEED],
    claims: Claims { complete: Promise::Always, optimal: Promise::Never },
    cycles: CycleSupport::ByRecording,
    build: |cx, args| {
        let order = Order::DeepestFirst(ChildOrder::Random(Random::new(cx.seed(args))));
        Ok(Box::new(BlindSearch {
            name: "random-dfs",
            order,
            costs: Costs::Additive,
            depth: None,
            budget: None,
            keep: None,
        }))
    },
};
