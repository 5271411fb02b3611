//! `ltl` formulas, and what they look at.
//!
//! A formula looks at states from outside, as a claim does: the labels it names must be places to rest, statements of
//! processes whose variables it reads must not be merged, and whatever the model promises about who uses a variable or a
//! channel, the formula does.

use bughound_ir::expr::{BinaryOp, Expr};
use bughound_ir::ltl::Formula;
use bughound_ir::question::{Property, Question};
use bughound_ir::source::Diagnostic;

use super::Lowering;
use super::body::{BodyLowering, Outline};
use super::doubts::NamedProcess;
use super::numbering::RemoteLabel;
use super::symbols::Symbols;
use crate::ast::{Item, Ltl, LtlBinaryOp, LtlBlock, LtlKind, LtlUnaryOp, Model, Name};

/// The formulas of a model.
#[derive(Default)]
pub struct Formulas {
    pub properties: Vec<Property>,
    /// Labels of bodies that they name.
    pub remote_labels: Vec<RemoteLabel>,
    /// Processes that they name by a constant number.
    pub named_processes: Vec<NamedProcess>,
    /// They read variables of processes.
    pub reads_remote_variables: bool,
    /// Global variables and channels that they read.
    pub globals: Vec<Name>,
    pub mentions_last: bool,
    pub diagnostics: Vec<Diagnostic>,
}

fn blocks(model: &Model) -> impl Iterator<Item = &LtlBlock> {
    model.items.iter().filter_map(|item| match item {
        Item::Ltl(block) => Some(block),
        _ => None,
    })
}

/// The names of the formulas of a model, in order.
fn formula_names(model: &Model) -> Vec<String> {
    let mut unnamed = 0;
    let name = |block: &LtlBlock| {
        block.name.as_ref().map(|n| n.name.to_string()).unwrap_or_else(|| {
            unnamed += 1;
            format!("ltl_{}", unnamed - 1)
        })
    };
    blocks(model).map(name).collect()
}

impl Lowering<'_> {
    /// Lowers the formulas; without outlines only to find out what they look at.
    pub(super) fn formulas(&self, symbols: &Symbols, outlines: &[Outline]) -> Formulas {
        let mut formulas = Formulas::default();
        for (at, (block, name)) in blocks(self.model).zip(formula_names(self.model)).enumerate() {
            let mut lowering = BodyLowering::new(symbols, outlines, "", block.span);
            lowering.of_formula = true;
            let formula = lowering.formula(&block.formula);
            let question = invariant(&formula).map_or_else(|| Question::Ltl(formula), Question::Invariant);
            formulas.properties.push(Property { name, question, span: Some(block.span) });
            formulas.diagnostics.extend(lowering.take_diagnostics());
            formulas.mentions_last |= lowering.mentions_last;
            let named = lowering.remote_labels.drain(..).map(|label| RemoteLabel { at: at as u32, ..label });
            formulas.remote_labels.extend(named);
            formulas.named_processes.append(&mut lowering.named_processes);
            formulas.reads_remote_variables |= lowering.reads_remote_variables;
            formulas.globals.append(&mut lowering.globals);
        }
        formulas
    }
}

impl BodyLowering<'_> {
    fn formula(&mut self, formula: &Ltl) -> Formula {
        match &formula.kind {
            LtlKind::Atom(condition) => Formula::Atom(self.expr(condition)),
            LtlKind::Unary { op, operand } => {
                let operand = Box::new(self.formula(operand));
                match op {
                    LtlUnaryOp::Not => Formula::Not(operand),
                    LtlUnaryOp::Next => Formula::Next(operand),
                    LtlUnaryOp::Always => Formula::Always(operand),
                    LtlUnaryOp::Eventually => Formula::Eventually(operand),
                }
            }
            LtlKind::Binary { op, left, right } => {
                let (left, right) = (Box::new(self.formula(left)), Box::new(self.formula(right)));
                match op {
                    LtlBinaryOp::And => Formula::And(left, right),
                    LtlBinaryOp::Or => Formula::Or(left, right),
                    LtlBinaryOp::Implies => Formula::Implies(left, right),
                    LtlBinaryOp::Equivalent => Formula::Equivalent(left, right),
                    LtlBinaryOp::Until => Formula::Until(left, right),
                    LtlBinaryOp::WeakUntil => Formula::WeakUntil(left, right),
                    LtlBinaryOp::Release => Formula::Release(left, right),
                }
            }
        }
    }
}

/// The condition of a formula `[] p` or `!<> p` (then negated), where `p` has no temporal operators. Where it has no value
/// it is not true.
fn invariant(formula: &Formula) -> Option<Expr> {
    match formula {
        Formula::Always(operand) => condition(operand),
        Formula::Not(operand) => match &**operand {
            Formula::Eventually(operand) => condition(operand).map(Expr::not),
            Formula::Not(operand) => invariant(operand),
            _ => None,
        },
        _ => None,
    }
}

/// A formula without temporal operators as a condition, evaluated from left to right like any other.
fn condition(formula: &Formula) -> Option<Expr> {
    let binary = |op, left: Expr, right: Expr| Some(Expr::binary(op, left, right));
    match formula {
        Formula::Atom(condition) => Some(condition.clone()),
        Formula::Not(a) => condition(a).map(Expr::not),
        Formula::And(a, b) => binary(BinaryOp::And, condition(a)?, condition(b)?),
        Formula::Or(a, b) => binary(BinaryOp::Or, condition(a)?, condition(b)?),
        Formula::Implies(a, b) => binary(BinaryOp::Or, condition(a)?.not(), condition(b)?),
        Formula::Equivalent(a, b) => binary(BinaryOp::Equal, condition(a)?.not(), condition(b)?.not()),
        _ => None,
    }
}
