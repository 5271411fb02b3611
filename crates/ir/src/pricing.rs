//! Prices: what a run of a timed model costs (priced timed automata; Larsen et al., CAV 2001; UPPAAL CORA's language).
//!
//! The cost of a run grows in two ways. While time passes it grows at the **rate** of the network: the sum of the rates
//! of the locations where its processes are ([`Location::rate`](crate::network::Location::rate)). A step adds its
//! **impulse**, what the updates of its edges pay: these are ordinary assignments ([`pay`]) to a hidden variable of the
//! network, so their order (left to right, sender before receiver) and calls of functions need no rules of their own.
//! Hidden variables are 0 between steps; both evaluators read it before they forget it, and hand it out with the step.
//! Nothing else reads it: what a run costs has no influence on what it can do.
//!
//! A cost is never negative. A rate below 0 is an error of the step that leads to the location, an impulse below 0, or a
//! sum of impulses that does not fit, one of the step that pays it.
//!
//! **Hints** are two numbers with which a model guides the search: a lower bound of the cost to come (`remaining`) and
//! an order (`heur`). They are no part of the state, but go along with it. Their slots are hidden, too, and 0 in every
//! key. Who keeps hints beside the keys (the engine with prices, in the cover, where they are not compared) puts them
//! into the slots of a copy of the key before it asks for the steps, and finds what the updates have made of them in
//! [`Price`](bughound_kernel::Price). Only assignments to hints may read hints, and whether such an assignment has a
//! value may not depend on them: so everybody else, above all the reference evaluator, can do without.

use crate::edge::Action;
use crate::expr::{BinaryOp, Expr, Place};
use crate::types::ValueType;

/// Where the prices of a network are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pricing {
    /// Slot of the hidden global variable, of the type [`PAID`], that adds up what a step pays.
    pub impulse: u32,
    /// A lower bound of the cost from the state on. A step that does not assign it lowers it by what the step costs, the
    /// time before it included, but not below 0: so a bound that is right at the start stays right.
    pub remaining: Option<Hint>,
    /// Of states that are open, those with a small one are to be taken first.
    pub heur: Option<Hint>,
}

/// A number that goes along with states but is no part of them: a hidden global variable of the type `Int`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hint {
    pub slot: u32,
    /// In the initial state.
    pub initial: i32,
}

/// Type of the variable that adds up what a step pays: what does not fit is an error.
pub const PAID: ValueType = ValueType::Range { lo: 0, hi: i32::MAX };

/// `cost += amount`: `paid` is the variable of [`Pricing::impulse`]. Out of the range of the variable if the amount is
/// below 0 or the sum too large.
pub fn pay(paid: Place, amount: Expr) -> Action {
    let so_far = || Expr::read(paid.clone());
    let sum = Expr::binary(BinaryOp::Add, so_far(), amount.clone());
    let is_cost = Expr::binary(BinaryOp::GreaterEqual, amount.clone(), Expr::Const(0));
    let room = Expr::binary(BinaryOp::Subtract, Expr::Const(i32::MAX), amount);
    let fits = is_cost.and(Expr::binary(BinaryOp::LessEqual, so_far(), room));
    let value = Expr::Conditional(Box::new(fits), Box::new(sum), Box::new(Expr::Const(-1)));
    Action::Assign { target: paid, value }
}

impl Pricing {
    /// Does this action assign the lower bound of the cost to come, whatever its value was before?
    ///
    /// In programs it depends: there, the bound counts as assigned if its value has changed.
    pub fn assigns_remaining(&self, action: &Action) -> bool {
        let is_bound = |place: &Place| {
            matches!(place.scope, crate::expr::Scope::Global) && self.remaining.is_some_and(|r| r.slot == place.slot)
        };
        matches!(action, Action::Assign { target, .. } if is_bound(target))
    }
}
