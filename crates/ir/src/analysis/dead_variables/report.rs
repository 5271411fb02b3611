//! What is forgotten, in words that can be shown.

use super::forget::{is_written, mortal};
use super::{LiveVariables, Observers, running_templates};
use crate::analysis::constants::Constants;
use crate::network::{LocationId, Network, TemplateId};
use crate::types::Variable;

/// A variable whose value does not always matter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forgotten {
    /// Whose variable it is; nobody's if it is global.
    pub template: Option<TemplateId>,
    pub name: String,
    /// It matters nowhere.
    pub faint: bool,
    /// Where no element of it matters, if it is not global.
    pub dead_at: Vec<LocationId>,
}

/// The variables that are faint, and those that are dead somewhere. Of the others, constants among them, nothing is said.
pub fn forgotten(network: &Network, observers: &Observers) -> Vec<Forgotten> {
    let live = LiveVariables::new(network, observers);
    let is_needed = |v: &Variable| v.elements().iter().any(|(slot, _)| live.needs_global(*slot));
    let globals = network.variables.iter().filter(|v| !v.hidden && !is_needed(v) && is_written(network, v));
    let global = |v: &Variable| Forgotten { template: None, name: v.name.clone(), faint: true, dead_at: Vec::new() };
    let mut found: Vec<Forgotten> = globals.map(global).collect();
    let constants = Constants::new(network);
    for template in running_templates(network) {
        let definition = network.template(template);
        let mortal = mortal(network, &constants, template);
        for variable in &definition.variables {
            let slots: Vec<u32> = variable.elements().into_iter().map(|(slot, _)| slot).collect();
            let is_dead = |at: &&LocationId| !slots.iter().any(|slot| live.is_live(template, **at, *slot));
            let dead_at: Vec<LocationId> = definition.locations.iter().filter(is_dead).copied().collect();
            if !dead_at.is_empty() && mortal.iter().any(|(slot, _)| slots.contains(slot)) {
                let faint = dead_at.len() == definition.locations.len();
                found.push(Forgotten { template: Some(template), name: variable.name.clone(), faint, dead_at });
            }
        }
    }
    found
}
