//! Models and questions in the words that Storm reads as PRISM does.
//!
//! PRISM's grammar makes `a => b => c` mean `a => (b => c)` and lets `!` bind less than `=`; Storm takes the former from the
//! left and refuses the latter, `<=>` beside comparisons, chains of `^`, `max` of one number, and rewards by number. So what
//! it is given says the same in other words, and of which kind it is. Everything else stays as it was drawn.

use crate::chances::queries::{Asked, Formula, Measure, Path, Quantity, Reward};
use crate::chances::syntax::{Body, Domain, Expr, Function, Kind, Model, Op, Variable};

/// The model in words that both understand.
pub fn plain_model(model: &Model) -> Model {
    let mut plain = model.clone();
    plain.header = match model.kind {
        Kind::Dtmc => "dtmc",
        Kind::Ctmc => "ctmc",
        Kind::Mdp => "mdp",
    };
    plain.constants.iter_mut().for_each(|constant| rewrite(&mut constant.value));
    plain.formulas.iter_mut().chain(&mut plain.labels).for_each(|(_, body)| rewrite(body));
    plain.globals.iter_mut().for_each(rewrite_variable);
    plain.initial.iter_mut().for_each(rewrite);
    for item in plain.rewards.iter_mut().flat_map(|rewards| &mut rewards.items) {
        rewrite(&mut item.guard);
        rewrite(&mut item.value);
    }
    for module in &mut plain.modules {
        let Body::Written { variables, commands } = &mut module.body else { continue };
        variables.iter_mut().for_each(rewrite_variable);
        for command in commands {
            rewrite(&mut command.guard);
            for update in &mut command.updates {
                update.chance.iter_mut().for_each(rewrite);
                update.assignments.iter_mut().for_each(|(_, value)| rewrite(value));
            }
        }
    }
    plain
}

/// A question about a model in plain words, and what it is about.
pub struct Plain {
    pub text: String,
    /// `P<=p` and the like, at any depth.
    pub has_bounds: bool,
    /// Something is earned, at any depth.
    pub has_rewards: bool,
    /// Storm is known to answer another question, or wrongly:
    ///
    /// - `a U[3,4] b` in discrete time is 1 for it where b holds at first and a does not;
    /// - `F[3,6] b` and the like in continuous time: 0.0539 for the model of seed 2095, 0.693955 by a series of its own for this; and 1
    ///   for `a U=3 (!a)`, seed 1998;
    /// - `!(a U[1,2] b)` in continuous time: it leaves out the time;
    /// - `R=? [ I=3/8 ]` in continuous time: its sum is off by half a percent where few jumps happen. The model of seed 114 has
    ///   0.199607 by a series over Storm's own matrix; Storm says 0.198307;
    /// - `S [ … ]` with bounds inside in decision processes: seed 973 has a step that stays where the inner one holds, and Storm says 0.
    pub is_understood_otherwise: bool,
}

impl Plain {
    /// A question about this model, whose structures of rewards are called by their names.
    pub fn new(model: &Model, asked: &Asked) -> Plain {
        let mut plain = asked.clone();
        let mut walk = Walk { model, has_bounds: false, has_rewards: false, is_understood_otherwise: false };
        match &mut plain {
            Asked::Value(quantity) => walk.rewrite_quantity(quantity),
            Asked::Truth(formula) => walk.rewrite_formula(formula),
        }
        let Walk { has_bounds, has_rewards, is_understood_otherwise, .. } = walk;
        Plain { text: plain.to_string(), has_bounds, has_rewards, is_understood_otherwise }
    }
}

fn rewrite_variable(variable: &mut Variable) {
    variable.initial.iter_mut().for_each(rewrite);
    if let Domain::Range(lo, hi) = &mut variable.domain {
        rewrite(lo);
        rewrite(hi);
    }
}

fn rewrite(expr: &mut Expr) {
    match expr {
        Expr::Bool(_) | Expr::Int(_) | Expr::Decimal(..) | Expr::Name(_) => return,
        Expr::Not(part) | Expr::Minus(part) => rewrite(part),
        Expr::Binary(_, left, right) => {
            rewrite(left);
            rewrite(right);
        }
        Expr::Conditional(test, then, otherwise) => [test, then, otherwise].into_iter().for_each(|part| rewrite(part)),
        Expr::Call(_, parts) | Expr::OldCall(_, parts) => parts.iter_mut().for_each(rewrite),
    }
    let negation = |part: &Expr| Expr::conditional(part.clone(), Expr::Bool(false), Expr::Bool(true));
    *expr = match &*expr {
        Expr::Call(Function::Min | Function::Max, parts) if parts.len() == 1 => parts[0].clone(),
        Expr::Binary(Op::Power, left, right) => Expr::Call(Function::Pow, vec![(**left).clone(), (**right).clone()]),
        Expr::Not(part) if !matches!(**part, Expr::Name(_)) => negation(part),
        Expr::Binary(Op::Implies, left, right) => {
            Expr::conditional((**left).clone(), (**right).clone(), Expr::Bool(true))
        }
        Expr::Binary(Op::Iff, left, right) => Expr::conditional((**left).clone(), (**right).clone(), negation(right)),
        _ => return,
    };
}

struct Walk<'m> {
    model: &'m Model,
    has_bounds: bool,
    has_rewards: bool,
    is_understood_otherwise: bool,
}

impl Walk<'_> {
    fn rewrite_quantity(&mut self, quantity: &mut Quantity) {
        let in_continuous_time = self.model.kind == Kind::Ctmc;
        self.is_understood_otherwise |= match &quantity.measure {
            Measure::Probability(Path::Until(_, _, time)) => time.lower.is_some(),
            Measure::Probability(Path::Finally(_, time)) => in_continuous_time && time.lower.is_some(),
            Measure::Probability(Path::Not(_)) | Measure::Reward(_, Reward::Instant(_)) => in_continuous_time,
            Measure::LongRun(formula) => self.model.kind == Kind::Mdp && formula.has_bounds(),
            _ => false,
        };
        if let Measure::Reward(structure, _) = &mut quantity.measure {
            self.has_rewards = true;
            if let Some(name) = &self.model.rewards[structure.index].name {
                structure.text = format!("{{\"{name}\"}}");
            }
        }
        match &mut quantity.measure {
            Measure::Probability(path) => self.rewrite_path(path),
            Measure::Reward(_, Reward::Reach(formula)) | Measure::LongRun(formula) => self.rewrite_formula(formula),
            Measure::Reward(..) => {}
        }
    }

    fn rewrite_path(&mut self, path: &mut Path) {
        match path {
            Path::Now(formula) | Path::Next(formula) | Path::Finally(formula, _) | Path::Globally(formula, _) => {
                self.rewrite_formula(formula);
            }
            Path::Until(left, right, _) | Path::WeakUntil(left, right, _) | Path::Release(left, right, _) => {
                self.rewrite_formula(left);
                self.rewrite_formula(right);
            }
            Path::Not(path) => self.rewrite_path(path),
        }
    }

    fn rewrite_formula(&mut self, formula: &mut Formula) {
        match formula {
            Formula::Expr(expr) => rewrite(expr),
            Formula::Label(_) | Formula::Init | Formula::Deadlock => {}
            Formula::Not(part) => self.rewrite_formula(part),
            Formula::And(left, right) | Formula::Or(left, right) | Formula::Implies(left, right) => {
                self.rewrite_formula(left);
                self.rewrite_formula(right);
            }
            Formula::Bound(quantity, ..) => {
                self.has_bounds = true;
                self.rewrite_quantity(quantity);
            }
        }
    }
}
