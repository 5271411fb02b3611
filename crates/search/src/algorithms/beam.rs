//! **Beam search.** Level by level; of each level only the k best states are expanded, the others are thrown away.
//!
//! Paper: Lowerre 1976 (HARPY); for state spaces: Wijs, Lisser 2007, "Distributed extended beam search for quantitative
//! model checking"; Edelkamp et al. 2008, "Survey on directed model checking" (k-beam; detailed, flexible and
//! g-synchronised beam search).
//!
//! `rank=f` is *detailed* beam search (the best by cost and estimate), `rank=h` is *k-beam* (by the estimate alone).
//! `flexible=true` keeps all states that are as good as the k-th. `levels=cost` synchronises by cost in place of the
//! number of steps, so that states of a level are comparable where steps have different weights.
//!
//! `improve=true` goes on after an error, below its cost: branch and bound, with what the beam keeps.
//!
//! Claims: neither complete nor optimal. If no level was wider than the beam nothing is lost, and the result says so; with
//! `improve=true` what was found is then a cheapest error.
//!
//! Cost: at most k expansions for each level.
//!
//! Fails: when the way to the error leads through states that look worse than k others.
//!
//! Example: `beam(h=formula, k=100)`.

use bughound_kernel::registry::{Param, ParamKind};

use crate::algorithms::{HEURISTIC, IMPROVE, on_error, width};
use crate::configuration::BeamSearch;
use crate::evaluators::Weights;
use crate::open_lists::{BeamShape, Levels, Rest};
use crate::registry::{Claims, CycleSupport, Entry, Promise};

pub(super) const ENTRY: Entry = Entry {
    name: "beam",
    summary: "level by level, only the k best states of each level",
    cite: "Lowerre 1976; Wijs, Lisser 2007; Edelkamp et al. 2008",
    params: &[
        HEURISTIC,
        width(1000),
        Param {
            name: "rank",
            summary: "what is best: cost and estimate together (detailed), or the estimate alone (k-beam)",
            kind: ParamKind::Choice { options: &["f", "h"] },
        },
        Param {
            name: "flexible",
            summary: "keep all states that are as good as the k-th",
            kind: ParamKind::Flag { default: false },
        },
        Param {
            name: "levels",
            summary: "what a level is: states after the same number of steps, or of the same cost",
            kind: ParamKind::Choice { options: &["steps", "cost"] },
        },
        IMPROVE,
    ],
    claims: Claims { complete: Promise::Depends("if no level is wider than k"), optimal: Promise::Never },
    cycles: CycleSupport::ByRecording,
    build: |cx, args| {
        let levels = if args.choice("levels") == Some("cost") { Levels::Cost } else { Levels::Steps };
        let weights = if args.choice("rank") == Some("h") { Weights::GREEDY } else { Weights::ASTAR };
        let shape = BeamShape {
            width: args.integer("k").unwrap_or(1000) as usize,
            flexible: args.flag("flexible") == Some(true),
            levels,
            rest: Rest::Dropped,
            per_state: None,
        };
        let search = BeamSearch::new("beam", cx.heuristic(args), weights, shape);
        Ok(Box::new(BeamSearch { on_error: on_error(args), ..search }))
    },
};
