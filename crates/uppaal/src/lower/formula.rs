//! Conditions over data and clocks with negations at their leaves, and the ways to make them true.

use bughound_ir::expr::{BinaryOp, Expr};
use bughound_ir::types::ClockConstraint;

use crate::lower::fold;

/// An edge is split into at most so many.
const MAX_CASES: usize = 256;

/// A condition without negations of clock constraints.
#[derive(Clone, Debug, PartialEq)]
pub enum Formula {
    Data(Expr),
    Clock(ClockConstraint),
    All(Vec<Formula>),
    Any(Vec<Formula>),
    /// Of these conditions on data exactly one is true; what stands beside it must hold.
    Switch(Vec<(Expr, Formula)>),
}

/// One way to make a condition true: all of these.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Case {
    pub data: Vec<Expr>,
    pub clocks: Vec<ClockConstraint>,
}

impl Case {
    fn and(mut self, other: &Case) -> Case {
        self.data.extend_from_slice(&other.data);
        self.clocks.extend_from_slice(&other.clocks);
        self
    }
}

impl Formula {
    /// As a condition of a property.
    pub fn into_expr(self) -> Expr {
        match self {
            Formula::Data(expr) => expr,
            Formula::Clock(constraint) => Expr::Clock(Box::new(constraint)),
            Formula::All(parts) => {
                fold::balanced(BinaryOp::And, parts.into_iter().map(Formula::into_expr).collect(), 1)
            }
            Formula::Any(parts) => fold::balanced(BinaryOp::Or, parts.into_iter().map(Formula::into_expr).collect(), 0),
            Formula::Switch(arms) => {
                let both = |(when, then): (Expr, Formula)| fold::binary(BinaryOp::And, when, then.into_expr());
                fold::balanced(BinaryOp::Or, arms.into_iter().map(both).collect(), 0)
            }
        }
    }

    /// The same with a value in every state: what has none counts as false.
    pub fn total(self) -> Formula {
        let all = |parts: Vec<Formula>| parts.into_iter().map(Formula::total).collect();
        match self {
            Formula::Data(expr) => Formula::Data(expr.total()),
            Formula::Clock(constraint) => Formula::Clock(constraint),
            Formula::All(parts) => Formula::All(all(parts)),
            Formula::Any(parts) => Formula::Any(all(parts)),
            Formula::Switch(arms) => {
                Formula::Switch(arms.into_iter().map(|(when, then)| (when.total(), then.total())).collect())
            }
        }
    }

    /// The cases, unless there are too many.
    pub fn cases(self) -> Option<Vec<Case>> {
        match self {
            Formula::Data(Expr::Const(0)) => Some(Vec::new()),
            Formula::Data(Expr::Const(_)) => Some(vec![Case::default()]),
            Formula::Data(expr) => Some(vec![Case { data: vec![expr], clocks: Vec::new() }]),
            Formula::Clock(constraint) => Some(vec![Case { data: Vec::new(), clocks: vec![constraint] }]),
            Formula::Any(parts) => {
                let mut cases = Vec::new();
                for part in parts {
                    cases.extend(part.cases()?);
                }
                (cases.len() <= MAX_CASES).then_some(cases)
            }
            Formula::Switch(arms) => {
                let all = |(when, then): (Expr, Formula)| Formula::All(vec![Formula::Data(when), then]);
                Formula::Any(arms.into_iter().map(all).collect()).cases()
            }
            Formula::All(parts) => {
                let mut cases = vec![Case::default()];
                for part in parts {
                    let further = part.cases()?;
                    if cases.len() * further.len() > MAX_CASES {
                        return None;
                    }
                    // One way more of each case; long conjunctions have one only, and nothing is copied.
                    let Some((last, others)) = further.split_last() else { return Some(Vec::new()) };
                    let mut joined = Vec::with_capacity(cases.len() * further.len());
                    for case in cases {
                        joined.extend(others.iter().map(|other| case.clone().and(other)));
                        joined.push(case.and(last));
                    }
                    cases = joined;
                }
                Some(cases)
            }
        }
    }
}

/// A conjunction or disjunction without what is decided.
pub fn join(conjunctive: bool, parts: Vec<Formula>) -> Formula {
    let neutral = |part: &Formula| matches!(part, Formula::Data(Expr::Const(value)) if (*value != 0) == conjunctive);
    let deciding = |part: &Formula| matches!(part, Formula::Data(Expr::Const(value)) if (*value == 0) == conjunctive);
    if let Some(decides) = parts.iter().find(|part| deciding(part)) {
        return decides.clone();
    }
    let mut kept = Vec::new();
    for part in parts.into_iter().filter(|part| !neutral(part)) {
        match (part, conjunctive) {
            (Formula::All(inner), true) | (Formula::Any(inner), false) if kept.is_empty() => kept = inner,
            (Formula::All(inner), true) | (Formula::Any(inner), false) => kept.extend(inner),
            (part, _) => kept.push(part),
        }
    }
    match (kept.len(), conjunctive) {
        (0, _) => Formula::Data(Expr::truth(conjunctive)),
        (1, _) => kept.swap_remove(0),
        (_, true) => Formula::All(kept),
        (_, false) => Formula::Any(kept),
    }
}
