//! Which values `check` forgets, and where.

use bughound_ir::analysis::dead_variables::forgotten;
use schemars::JsonSchema;
use serde::Serialize;

use super::template_name;
use crate::plan::Plan;

/// Numbers of locations that are printed.
const SHOWN: usize = 12;

/// A variable whose value does not always matter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ForgottenDocument")]
pub struct ForgottenFacts {
    /// With the process type that it belongs to.
    pub name: String,
    /// Its value makes no difference anywhere.
    pub faint: bool,
    /// Numbers of the locations where it makes none; none if it is global.
    pub dead_at: Vec<u32>,
}

/// What the searches of a plan forget.
pub(super) fn facts(plan: &Plan) -> Vec<ForgottenFacts> {
    if plan.forgetful.is_none() {
        return Vec::new();
    }
    let network = &plan.network;
    let all = forgotten(network, &plan.observers).into_iter();
    all.map(|one| ForgottenFacts {
        name: match one.template {
            Some(template) => format!("{}:{}", template_name(network, template), one.name),
            None => one.name,
        },
        faint: one.faint,
        dead_at: one.dead_at.iter().map(|location| network.location(*location).number).collect(),
    })
    .collect()
}

/// Name, and where it does not matter.
pub(super) fn row(one: &ForgottenFacts) -> Vec<String> {
    let numbers: Vec<String> = one.dead_at.iter().take(SHOWN).map(ToString::to_string).collect();
    let more = if one.dead_at.len() > SHOWN { ", …" } else { "" };
    let place = match one.faint {
        true => "faint: its value makes no difference".to_string(),
        false => format!("dead at {}{more}", numbers.join(", ")),
    };
    vec![one.name.clone(), place]
}
