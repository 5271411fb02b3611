//! Which properties a run is about: those of the model, and what the user selected.

use bughound_ir::network::{LocationFlags, Network, TemplateId};
use bughound_ir::question::{Property, ProtocolError, Question};
use bughound_kernel::registry::suggest;

use crate::model::Model;
use crate::run::RunError;

/// Name of the property that no run passes accept labels again and again.
pub const ACCEPTANCE: &str = "acceptance";
/// Name of the property that every infinite run makes progress. Property for by name only, as in SPIN.
pub const NON_PROGRESS: &str = "non-progress";

fn non_progress() -> Property {
    Property::of_every_model(NON_PROGRESS, Question::non_progress())
}

fn protocol(error: ProtocolError) -> Property {
    Property::of_every_model(error.name(), error.question())
}

/// Does a process (not a claim) have a location with such a flag?
pub fn has_label(network: &Network, flag: fn(&LocationFlags) -> bool) -> bool {
    let claims: Vec<TemplateId> = network
        .properties
        .iter()
        .filter_map(|property| match property.question {
            Question::Never(template) => Some(template),
            _ => None,
        })
        .collect();
    network.locations.iter().any(|location| flag(&location.flags) && !claims.contains(&location.template))
}

/// The properties of this name, whether or not they are checked unasked: a formula may have the name of a property that every
/// model has.
pub fn named(network: &Network, name: &str) -> Vec<Property> {
    let unasked = ProtocolError::ALL.into_iter().map(protocol).chain([non_progress()]);
    all(network).into_iter().chain(unasked).filter(|property| property.name == name).collect()
}

/// A word that selects this property, and no other that has its name.
pub fn selector(model: &Model, asked: &Property) -> String {
    let place = listed(model).iter().position(|property| property == asked);
    place.map_or_else(|| asked.name.clone(), |at| (at + 1).to_string())
}

/// All properties of a model.
pub fn all(network: &Network) -> Vec<Property> {
    let mut all = network.properties.clone();
    if has_label(network, |flags| flags.accept)
        && !all.iter().any(|other| matches!(other.question, Question::Acceptance(_)))
    {
        all.push(Property::of_every_model(ACCEPTANCE, Question::acceptance()));
    }
    all
}

/// All properties of a model in the order of their numbers: those of the file as `explain` lists them, then what the options
/// added, so that a number means the same with and without them.
pub fn listed(model: &Model) -> Vec<Property> {
    let is_added = |property: &Property| model.added.contains(&property.name);
    let (added, own): (Vec<Property>, Vec<Property>) = all(&model.network).into_iter().partition(is_added);
    [own, added].concat()
}

/// Words that select several properties at once or ask for a kind of check.
const GROUPS: [&str; 8] = ["safety", "liveness", "deadlock", "assertion", "invariant", "reach", "never", "ltl"];

/// The selected properties, in the order of the list. Words are names, groups or numbers, counted from 1. Nothing selected
/// means everything but protocol errors and cycles without progress.
pub fn select(mut all: Vec<Property>, selection: &[String]) -> Result<Vec<Property>, RunError> {
    if selection.is_empty() {
        return Ok(all);
    }
    let listed = all.len();
    let asked_for = |error: &ProtocolError| selection.iter().any(|word| word == error.name());
    all.extend(ProtocolError::ALL.into_iter().filter(asked_for).map(protocol));
    if selection.iter().any(|word| word == NON_PROGRESS) && !all.iter().any(|other| other.name == NON_PROGRESS) {
        all.push(non_progress());
    }
    let mut wanted = vec![false; all.len()];
    for word in selection {
        let mut found = false;
        for (at, property) in all.iter().enumerate() {
            let chosen = property.name == *word
                || match word.as_str() {
                    "safety" => property.question.is_safety(),
                    "deadlock" => property.question == Question::Deadlock,
                    "assertion" => property.question == Question::Assertion,
                    "invariant" => matches!(property.question, Question::Invariant(_)),
                    "reach" => matches!(property.question, Question::Reach(_)),
                    "never" => matches!(property.question, Question::Never(_)),
                    "ltl" => matches!(property.question, Question::Ltl(_)),
                    "liveness" => property.question.is_liveness(),
                    _ => false,
                };
            wanted[at] |= chosen;
            found |= chosen;
        }
        if !found && let Some(at) = place(word, listed) {
            (wanted[at], found) = (true, true);
        }
        if !found {
            return Err(RunError::Usage(unknown(word, &all[..listed])));
        }
    }
    Ok(all.into_iter().zip(wanted).filter(|(_, wanted)| *wanted).map(|(property, _)| property).collect())
}

/// The place in the list that a number stands for.
fn place(word: &str, listed: usize) -> Option<usize> {
    word.parse::<usize>().ok()?.checked_sub(1).filter(|at| *at < listed)
}

fn unknown(word: &str, all: &[Property]) -> String {
    if !word.is_empty() && word.bytes().all(|c| c.is_ascii_digit()) {
        let list = all.iter().enumerate().map(|(at, property)| format!("{} {}", at + 1, property.name));
        return format!("the model has no property {word}; it has: {}", list.collect::<Vec<_>>().join(", "));
    }
    let names: Vec<&str> = all.iter().map(|p| p.name.as_str()).collect();
    let known = if names.is_empty() { "none".into() } else { names.join(", ") };
    if GROUPS.contains(&word) {
        return format!("the model has no property of the kind `{word}`; it has: {known}");
    }
    if word == ACCEPTANCE {
        return "there are no accept labels in the processes of the model: nothing to check".into();
    }
    let unasked = ProtocolError::ALL.map(ProtocolError::name).into_iter().chain([ACCEPTANCE, NON_PROGRESS]);
    let hint = suggest(word, names.iter().copied().chain(GROUPS).chain(unasked));
    format!("the model has no property `{word}`{hint}; it has: {known}")
}
