//! Reward structures.

use std::collections::HashMap;

use bughound_ir::source::Diagnostic;
use bughound_ir::suggest::suggest;

use super::super::ast;
use super::composition::Actions;
use super::report;
use super::scope::Scope;
use crate::tree::{Reward, RewardItem, Rewarded, Vector};

pub fn structures(
    written: &[ast::Rewards],
    actions: &Actions,
    vectors: &[Vector],
    scope: &mut Scope,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Reward> {
    let mut structures: Vec<Reward> = Vec::new();
    let mut first: HashMap<&str, u32> = HashMap::new();
    for (at, vector) in vectors.iter().enumerate() {
        if let Some(name) = &vector.name {
            first.entry(name).or_insert(at as u32);
        }
    }
    for rewards in written {
        let name = rewards.name.as_ref().map(|name| name.text.to_string());
        if let Some(name) = &name
            && let Some(before) = structures.iter().find(|reward| reward.name.as_ref() == Some(name))
        {
            let error = Diagnostic::error(rewards.span, format!("the rewards \"{name}\" are declared twice"));
            diagnostics.push(error.related(before.span, "first declared here"));
        }
        let mut items = Vec::new();
        for item in &rewards.items {
            let guard = report(scope.condition(&item.guard, "the condition of a reward"), diagnostics);
            let value = report(scope.number(&item.value, "a reward"), diagnostics);
            let of = match &item.of {
                ast::Rewarded::State => Some(Rewarded::State),
                ast::Rewarded::Silent => Some(Rewarded::Silent),
                ast::Rewarded::Action(action) => {
                    let vector = first.get(&*action.text);
                    if vector.is_none() && actions.number(&action.text).is_none() {
                        let hint = suggest(&action.text, actions.names().iter().copied());
                        let message = format!("no command has the action `{}`{hint}", action.text);
                        diagnostics.push(Diagnostic::error(action.span, message));
                    }
                    // An action that is hidden or that can never happen earns nothing.
                    vector.map(|vector| Rewarded::Vector(*vector))
                }
            };
            if let (Some(of), Some(guard), Some(value)) = (of, guard, value) {
                items.push(RewardItem { of, guard, value, span: item.span });
            }
        }
        structures.push(Reward { name, items, span: rewards.span });
    }
    structures
}
