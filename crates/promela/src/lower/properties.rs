//! What there is to check: end states, assertions, `ltl` formulas and claims.

use bughound_ir::network::TemplateId;
use bughound_ir::question::{Property, Question};

use super::Lowering;
use crate::ast::{self, Item};

/// Name of the property that no process gets stuck.
pub const DEADLOCK: &str = "deadlock";
/// Name of the property that no assertion fails.
pub const ASSERTION: &str = "assertion";

pub fn claim_name(claim: &ast::NeverClaim) -> String {
    claim.name.as_ref().map_or("never".into(), |n| n.name.to_string())
}

impl Lowering<'_> {
    pub(super) fn add_properties(&mut self, formulas: Vec<Property>, claims: &[TemplateId]) {
        for (name, question) in [(DEADLOCK, Question::Deadlock), (ASSERTION, Question::Assertion)] {
            self.builder.property(Property::of_every_model(name, question));
        }
        for formula in formulas {
            self.builder.property(formula);
        }
        let never = self.model.items.iter().filter_map(|item| match item {
            Item::Never(claim) => Some(claim),
            _ => None,
        });
        for (claim, template) in never.zip(claims) {
            self.builder.property(Property {
                name: claim_name(claim),
                question: Question::Never(*template),
                span: Some(claim.span),
            });
        }
    }
}
