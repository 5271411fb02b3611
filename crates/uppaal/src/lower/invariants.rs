//! Invariants: upper bounds of clocks, conditions on variables, and what it costs to be there.
//!
//! Time cannot be split as edges can: all parts of an invariant hold together, so that it is a list of clauses.

use bughound_ir::expr::Expr;
use bughound_ir::types::{ClockConstraint, Relation};

use crate::ast;
use crate::lower::formula::Unfit;
use crate::lower::meters::Meter;
use crate::lower::scope::ScopeId;
use crate::lower::{Lowering, Res};

/// What an invariant says.
#[derive(Clone, Debug, Default)]
pub struct Invariant {
    /// Upper bounds of clocks.
    pub bounds: Vec<ClockConstraint>,
    /// On variables.
    pub conditions: Vec<Expr>,
    /// Of the cost.
    pub rate: Option<Expr>,
}

impl<'a> Lowering<'a> {
    pub(super) fn invariant(&mut self, location: &'a ast::Location, scope: ScopeId) -> Res<Invariant> {
        let (mut invariant, mut rates) = (Invariant::default(), Vec::new());
        for part in &location.invariant {
            for part in self.take_rates(part, scope, &mut rates)? {
                self.add_bounds(part, scope, &mut invariant)?;
            }
        }
        invariant.rate = rates.into_iter().find(|(meter, _)| *meter == Meter::Cost).map(|(_, rate)| rate);
        Ok(invariant)
    }

    fn add_bounds(&mut self, part: &'a ast::Expr, scope: ScopeId, into: &mut Invariant) -> Res<()> {
        let formula = self.conjunction(std::slice::from_ref(part), scope)?;
        let clauses = formula.clauses().map_err(|unfit| match unfit {
            Unfit::Choice => {
                let help = "use a conjunction, or a bound that depends on variables: `x <= (b ? 3 : 5)`";
                self.error(part.span, "an invariant cannot be a choice between clock bounds").help(help)
            }
            Unfit::TooLarge => {
                let help = "write it as a conjunction of short parts";
                self.error(part.span, "this invariant has too many parts when it is written out").help(help)
            }
        })?;
        for clause in clauses {
            let bound = clause.clock.as_ref().map(|clock| clock.relation);
            if matches!(bound, Some(Relation::Greater | Relation::GreaterEqual | Relation::Equal)) && !clause.is_true()
            {
                let help = "lower bounds belong into the guards of the edges that lead here or leave";
                let message = "an invariant can only give upper bounds of clocks";
                return Err(self.error(part.span, message).help(help));
            }
            clause.put(&mut into.conditions, &mut into.bounds);
        }
        Ok(())
    }
}
