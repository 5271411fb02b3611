//! What heuristics make of costs: estimates, and the two ways to join the costs of a conjunction.

use bughound_finite::cost::{Cost, INFINITE, plus};
use bughound_kernel::Estimate;
use bughound_kernel::registry::{Args, Param, ParamKind};

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
