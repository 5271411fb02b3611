//! What there is to check: end states, assertions, `ltl` formulas and claims.

use bughound_ir::network::{Property, PropertyKind, TemplateId};

use super::Lowering;
use super::body::{BodyLowering, Outline};
use super::symbols::Symbols;
use crate::ast::{self, Item, Ltl, LtlKind, LtlUnaryOp};

/// Name of the property that no process gets stuck.
pub const DEADLOCK: &str = "deadlock";
/// Name of the property that no assertion fails.
pub const ASSERTION: &str = "assertion";

pub fn claim_name(claim: &ast::NeverClaim) -> String {
    claim.name.as_ref().map_or("never".into(), |n| n.name.to_string())
}

impl Lowering<'_> {
    pub(super) fn add_properties(&mut self, symbols: &Symbols, outlines: &[Outline], claims: &[TemplateId]) {
        for (name, kind) in [(DEADLOCK, PropertyKind::NoDeadlock), (ASSERTION, PropertyKind::NoFailure)] {
            self.builder.property(Property { name: name.into(), kind, span: None });
        }
        let mut unnamed = 0;
        for item in &self.model.items {
            if let Item::Ltl(block) = item {
                let name = block.name.as_ref().map(|n| n.name.to_string()).unwrap_or_else(|| {
                    unnamed += 1;
                    format!("ltl_{}", unnamed - 1)
                });
                let kind = match invariant(&block.formula) {
                    Some((condition, negated)) => {
                        let mut lowering = BodyLowering::new(symbols, outlines, "", block.span);
                        let condition = lowering.expr(&condition);
                        self.diagnostics.extend(lowering.take_diagnostics());
                        PropertyKind::Invariant(if negated { condition.not() } else { condition })
                    }
                    None => PropertyKind::Unsupported {
                        reason: format!(
                            "the LTL formula `{}` needs a liveness check; so far only invariants of the form `[] p` are checked",
                            block.formula
                        ),
                    },
                };
                self.builder.property(Property { name, kind, span: Some(block.span) });
            }
        }
        let never = self.model.items.iter().filter_map(|item| match item {
            Item::Never(claim) => Some(claim),
            _ => None,
        });
        for (claim, template) in never.zip(claims) {
            self.builder.property(Property {
                name: claim_name(claim),
                kind: PropertyKind::Never(*template),
                span: Some(claim.span),
            });
        }
    }
}

/// The condition of a formula `[] p` (or `!<> p`: then negated), where `p` has no temporal operators.
fn invariant(formula: &Ltl) -> Option<(ast::Expr, bool)> {
    match &formula.kind {
        LtlKind::Unary { op: LtlUnaryOp::Always, operand } => Some((operand.state_condition().ok()?, false)),
        LtlKind::Unary { op: LtlUnaryOp::Not, operand } => match &operand.kind {
            LtlKind::Unary { op: LtlUnaryOp::Eventually, operand } => Some((operand.state_condition().ok()?, true)),
            LtlKind::Unary { op: LtlUnaryOp::Not, operand } => invariant(operand),
            _ => None,
        },
        _ => None,
    }
}
