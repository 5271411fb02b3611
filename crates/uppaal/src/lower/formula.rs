//! Conditions over data and clocks with negations at their leaves, and what edges and locations make of them: a choice
//! between cases, or a list of clauses.

use bughound_ir::expr::{BinaryOp, Expr, UnaryOp};
use bughound_ir::types::{ClockConstraint, Relation, UNBOUNDED};

use crate::lower::fold;

/// An edge is split into so many without a second thought: each of them has bounds that all can understand.
const FEW_CASES: usize = 4;
/// An edge is split into at most so many.
const MAX_CASES: usize = 256;
/// A condition has at most so many clauses.
const MAX_CLAUSES: usize = 4096;

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

/// One of these is true.
#[derive(Clone, Debug, Default)]
pub struct Clause {
    pub data: Vec<Expr>,
    pub clock: Option<ClockConstraint>,
}

/// Why a formula is no list of clauses.
pub enum Unfit {
    /// One of two bounds on clocks would do.
    Choice,
    TooLarge,
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

    /// The ways to make it true, unless there are too many. Where there are more than a few of them, bounds that depend
    /// on the state are better, if they can say it: `forall (i : id_t) (done[i] || x[i] >= 3)` is one case.
    pub fn cases(self) -> Option<Vec<Case>> {
        if let Some(cases) = self.split(FEW_CASES) {
            return Some(cases);
        }
        let Ok(clauses) = self.clone().clauses() else { return self.split(MAX_CASES) };
        let mut case = Case::default();
        clauses.into_iter().for_each(|clause| clause.put(&mut case.data, &mut case.clocks));
        Some(vec![case])
    }

    fn split(&self, most: usize) -> Option<Vec<Case>> {
        match self {
            Formula::Data(Expr::Const(0)) => Some(Vec::new()),
            Formula::Data(Expr::Const(_)) => Some(vec![Case::default()]),
            Formula::Data(expr) => Some(vec![Case { data: vec![expr.clone()], clocks: Vec::new() }]),
            Formula::Clock(constraint) => Some(vec![Case { data: Vec::new(), clocks: vec![constraint.clone()] }]),
            Formula::Any(parts) => {
                let mut cases = Vec::new();
                for part in parts {
                    cases.extend(part.split(most)?);
                }
                (cases.len() <= most).then_some(cases)
            }
            Formula::Switch(arms) => {
                let all =
                    |(when, then): &(Expr, Formula)| Formula::All(vec![Formula::Data(when.clone()), then.clone()]);
                Formula::Any(arms.iter().map(all).collect()).split(most)
            }
            Formula::All(parts) => {
                let mut cases = vec![Case::default()];
                for part in parts {
                    let further = part.split(most)?;
                    if cases.len() * further.len() > most {
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

    /// The same as a conjunction.
    pub fn clauses(self) -> Result<Vec<Clause>, Unfit> {
        let list = match self {
            Formula::Data(Expr::Const(value)) if value != 0 => Vec::new(),
            Formula::Data(expr) => vec![Clause { data: vec![expr], clock: None }],
            Formula::Clock(constraint) => vec![Clause { data: Vec::new(), clock: Some(constraint) }],
            Formula::All(parts) => {
                let mut all = Vec::new();
                for part in parts {
                    all.extend(part.clauses()?);
                }
                all
            }
            Formula::Any(parts) => {
                let mut all = vec![Clause::default()];
                for part in parts {
                    let further = part.clauses()?;
                    if all.len() * further.len() > MAX_CLAUSES {
                        return Err(Unfit::TooLarge);
                    }
                    let pairs = all.iter().flat_map(|a| further.iter().map(move |b| a.or(b)));
                    all = pairs.collect::<Result<_, _>>()?;
                }
                all
            }
            Formula::Switch(arms) => {
                let mut all = Vec::new();
                for (when, then) in arms {
                    for mut clause in then.clauses()? {
                        clause.data.insert(0, fold::not(when.clone()));
                        all.push(clause);
                    }
                }
                all
            }
        };
        if list.len() > MAX_CLAUSES { Err(Unfit::TooLarge) } else { Ok(list) }
    }
}

impl Clause {
    fn or(&self, other: &Clause) -> Result<Clause, Unfit> {
        let clock = match (&self.clock, &other.clock) {
            (Some(a), Some(b)) if a != b => return Err(Unfit::Choice),
            (a, b) => a.clone().or(b.clone()),
        };
        Ok(Clause { data: [&self.data[..], &other.data[..]].concat(), clock })
    }

    fn condition(&self) -> Expr {
        fold::balanced(BinaryOp::Or, self.data.clone(), 0)
    }

    /// Is it true whatever clocks and variables are?
    pub fn is_true(&self) -> bool {
        self.condition().as_const().is_some_and(|value| value != 0)
    }

    /// As a condition on data or a bound of a clock. A choice between both, such as `b imply x <= 5`, is a bound that depends
    /// on the state: 5 where `b` is true, elsewhere one that says nothing.
    pub fn put(self, conditions: &mut Vec<Expr>, bounds: &mut Vec<ClockConstraint>) {
        let unless = self.condition();
        let Some(constraint) = self.clock else {
            conditions.push(unless);
            return;
        };
        match unless.as_const() {
            Some(0) => bounds.push(constraint),
            Some(_) => {}
            None => bounds.extend(one_sided(constraint).map(|(side, nothing)| ClockConstraint {
                bound: fold::conditional(unless.clone(), Expr::Const(nothing), side.bound.clone()),
                ..side
            })),
        }
    }
}

/// The same as bounds of one side each, with a bound that would say nothing.
fn one_sided(constraint: ClockConstraint) -> impl Iterator<Item = (ClockConstraint, i32)> {
    let sides = match constraint.relation {
        Relation::Equal => vec![Relation::LessEqual, Relation::GreaterEqual],
        one => vec![one],
    };
    sides.into_iter().map(move |relation| match (relation, constraint.minus) {
        (Relation::Less | Relation::LessEqual, _) => (ClockConstraint { relation, ..constraint.clone() }, UNBOUNDED),
        // No clock is below 0.
        (_, None) => {
            (ClockConstraint { relation, ..constraint.clone() }, if relation == Relation::Greater { -1 } else { 0 })
        }
        (_, Some(minus)) => {
            let bound = fold::unary(UnaryOp::Minus, constraint.bound.clone());
            let turned =
                ClockConstraint { left: minus, minus: Some(constraint.left), relation: relation.mirrored(), bound };
            (turned, UNBOUNDED)
        }
    })
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
