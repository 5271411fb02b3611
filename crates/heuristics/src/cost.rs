//! Costs inside heuristics: small numbers with an infinity, and the two ways to join those of a conjunction.

use bughound_kernel::Estimate;
use bughound_kernel::registry::{Args, Param, ParamKind};

pub type Cost = u32;

/// It cannot happen. Finite costs that are too large for the type stay just below: still a lower bound.
pub const INFINITE: Cost = u32::MAX;

pub fn plus(a: Cost, b: Cost) -> Cost {
    if a == INFINITE || b == INFINITE { INFINITE } else { a.saturating_add(b).min(INFINITE - 1) }
}

/// `count` times `unit`.
pub fn times(count: u64, unit: Cost) -> Cost {
    count.saturating_mul(u64::from(unit)).min(u64::from(INFINITE - 1)) as Cost
}

pub fn from_weight(weight: u64) -> Cost {
    times(weight, 1)
}

pub fn to_estimate(cost: Cost) -> Estimate {
    if cost == INFINITE { Estimate::DeadEnd } else { Estimate::Finite(u64::from(cost)) }
}

/// How the costs of a conjunction are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combine {
    /// As if everything had to be done separately: more informed, but one step may serve several conjuncts.
    Sum,
    /// A lower bound if the parts are.
    Max,
}

impl Combine {
    pub const PARAM: Param = Param {
        name: "combine",
        summary: "how the parts of a conjunction are joined; `max` never estimates too much",
        kind: ParamKind::Choice { options: &["sum", "max"] },
    };

    pub fn of(args: &Args) -> Combine {
        if args.choice(Combine::PARAM.name) == Some("max") { Combine::Max } else { Combine::Sum }
    }

    pub fn join(self, a: Cost, b: Cost) -> Cost {
        match self {
            Combine::Sum => plus(a, b),
            Combine::Max => a.max(b),
        }
    }
}
