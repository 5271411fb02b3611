//! Invariants: upper bounds of clocks, and conditions on variables.
//!
//! Time cannot be split as edges can: all parts of an invariant hold together. A choice between a condition on data and a
//! bound, such as `b imply x <= 5`, is a bound that depends on the state: 5 where `b` is true, [`UNBOUNDED`] elsewhere.

use bughound_ir::expr::{BinaryOp, Expr};
use bughound_ir::types::{ClockConstraint, Relation, UNBOUNDED};

use crate::ast;
use crate::lower::fold;
use crate::lower::formula::Formula;
use crate::lower::scope::ScopeId;
use crate::lower::{Lowering, Res};

/// An invariant has at most so many parts.
const MAX_CLAUSES: usize = 4096;

/// One of these is true.
#[derive(Clone, Debug, Default)]
struct Clause {
    data: Vec<Expr>,
    clock: Option<ClockConstraint>,
}

/// Why a formula cannot be an invariant.
enum Unfit {
    /// One of two bounds on clocks would do.
    Choice,
    TooLarge,
}

/// The formula as a conjunction.
fn clauses(formula: Formula) -> Result<Vec<Clause>, Unfit> {
    let list = match formula {
        Formula::Data(Expr::Const(value)) if value != 0 => Vec::new(),
        Formula::Data(expr) => vec![Clause { data: vec![expr], clock: None }],
        Formula::Clock(constraint) => vec![Clause { data: Vec::new(), clock: Some(constraint) }],
        Formula::All(parts) => {
            let mut all = Vec::new();
            for part in parts {
                all.extend(clauses(part)?);
            }
            all
        }
        Formula::Any(parts) => {
            let mut all = vec![Clause::default()];
            for part in parts {
                let further = clauses(part)?;
                if all.len() * further.len() > MAX_CLAUSES {
                    return Err(Unfit::TooLarge);
                }
                let pairs = all.iter().flat_map(|a| further.iter().map(move |b| either(a, b)));
                all = pairs.collect::<Result<_, _>>()?;
            }
            all
        }
        Formula::Switch(arms) => {
            let mut all = Vec::new();
            for (when, then) in arms {
                for mut clause in clauses(then)? {
                    clause.data.insert(0, fold::not(when.clone()));
                    all.push(clause);
                }
            }
            all
        }
    };
    if list.len() > MAX_CLAUSES { Err(Unfit::TooLarge) } else { Ok(list) }
}

fn either(a: &Clause, b: &Clause) -> Result<Clause, Unfit> {
    let clock = match (&a.clock, &b.clock) {
        (Some(a), Some(b)) if a != b => return Err(Unfit::Choice),
        (a, b) => a.clone().or(b.clone()),
    };
    Ok(Clause { data: [&a.data[..], &b.data[..]].concat(), clock })
}

impl<'a> Lowering<'a> {
    /// Upper bounds of clocks, and conditions on variables.
    pub(super) fn invariant(
        &mut self,
        location: &'a ast::Location,
        scope: ScopeId,
    ) -> Res<(Vec<ClockConstraint>, Vec<Expr>)> {
        let (mut constraints, mut conditions) = (Vec::new(), Vec::new());
        for part in &location.invariant {
            let formula = self.conjunction(std::slice::from_ref(part), scope)?;
            let clauses = clauses(formula).map_err(|unfit| match unfit {
                Unfit::Choice => {
                    let help = "use a conjunction, or a bound that depends on variables: `x <= (b ? 3 : 5)`";
                    self.error(part.span, "an invariant cannot be a choice between clock bounds").help(help)
                }
                Unfit::TooLarge => {
                    let help = "write it as a conjunction of short parts";
                    self.error(part.span, "this invariant has too many parts when it is written out").help(help)
                }
            })?;
            for Clause { data, clock } in clauses {
                let unless = fold::balanced(BinaryOp::Or, data, 0);
                let Some(mut constraint) = clock else {
                    conditions.push(unless);
                    continue;
                };
                if unless.as_const().is_some_and(|value| value != 0) {
                    continue;
                }
                if matches!(constraint.relation, Relation::Greater | Relation::GreaterEqual | Relation::Equal) {
                    let help = "lower bounds belong into the guards of the edges that lead here or leave";
                    let message = "an invariant can only give upper bounds of clocks";
                    return Err(self.error(part.span, message).help(help));
                }
                constraint.bound = fold::conditional(unless, Expr::Const(UNBOUNDED), constraint.bound);
                constraints.push(constraint);
            }
        }
        Ok((constraints, conditions))
    }
}
