//! Which properties a run is about: those of the file, those of the command line, and what the user selected.

use bughound_ir::expr::Expr;
use bughound_ir::network::{Network, PropertyKind, TemplateId};
use bughound_kernel::registry::suggest;

use crate::added::{AddedKind, AddedProperty, names};
use crate::run::RunError;

/// What a property asks for, as far as this version can check it.
#[derive(Clone, Debug, PartialEq)]
pub enum Question {
    Deadlock,
    /// No assertion fails and no expression is undefined.
    Assertion,
    Invariant(Expr),
    /// Is there a state in which this is true?
    Reach(Expr),
    /// A claim automaton that must not get to its end.
    Never(TemplateId),
    /// An `ltl` formula that needs more than a look at single states.
    Ltl,
}

impl Question {
    /// The `kind` in results.
    pub fn kind(&self) -> &'static str {
        match self {
            Question::Deadlock => "deadlock",
            Question::Assertion => "assertion",
            Question::Invariant(_) => "invariant",
            Question::Reach(_) => "reachability",
            Question::Never(_) => "never",
            Question::Ltl => "ltl",
        }
    }

    /// Is it decided by looking at states and steps one at a time?
    fn is_safety(&self) -> bool {
        matches!(self, Question::Deadlock | Question::Assertion | Question::Invariant(_))
    }
}

/// A property with its name and, where it cannot be checked, the reason.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    pub name: String,
    pub question: Question,
    pub unsupported: Option<String>,
}

/// All properties of a model, the added ones included.
pub fn all(network: &Network, added: &[AddedProperty]) -> Vec<Asked> {
    let added_names = names(added);
    let kind_of = |name: &str| added_names.iter().position(|n| n == name).map(|at| added[at].kind);
    let asked = network.properties.iter().map(|property| {
        let (question, unsupported) = match &property.kind {
            PropertyKind::NoDeadlock => (Question::Deadlock, None),
            PropertyKind::NoFailure => (Question::Assertion, None),
            PropertyKind::Invariant(e) if kind_of(&property.name) == Some(AddedKind::Reach) => {
                (Question::Reach(e.clone()), None)
            }
            PropertyKind::Invariant(e) => (Question::Invariant(e.clone()), None),
            PropertyKind::Never(template) => (Question::Never(*template), None),
            PropertyKind::Unsupported { reason } => (Question::Ltl, Some(reason.clone())),
        };
        Asked { name: property.name.clone(), question, unsupported }
    });
    asked.collect()
}

/// Words that select several properties at once or ask for a kind of check.
const GROUPS: [&str; 6] = ["safety", "deadlock", "assertion", "invariant", "reach", "never"];
/// Checks that exist in the language of options but not in this version.
const LATER: [&str; 3] = ["liveness", "acceptance", "non-progress"];

/// The selected properties, in the order of the model. Nothing selected means everything.
pub fn select(all: Vec<Asked>, selection: &[String]) -> Result<Vec<Asked>, RunError> {
    if selection.is_empty() {
        return Ok(all);
    }
    let mut wanted = vec![false; all.len()];
    for word in selection {
        if LATER.contains(&word.as_str()) && !all.iter().any(|p| p.name == *word) {
            return Err(RunError::Usage(format!("`{word}` properties cannot be checked by this version yet")));
        }
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
                    _ => false,
                };
            wanted[at] |= chosen;
            found |= chosen;
        }
        if !found {
            return Err(RunError::Usage(unknown(word, &all)));
        }
    }
    Ok(all.into_iter().zip(wanted).filter(|(_, wanted)| *wanted).map(|(property, _)| property).collect())
}

fn unknown(word: &str, all: &[Asked]) -> String {
    let names: Vec<&str> = all.iter().map(|p| p.name.as_str()).collect();
    let known = names.join(", ");
    if GROUPS.contains(&word) {
        return format!("the model has no property of the kind `{word}`; it has: {known}");
    }
    let hint = suggest(word, names.iter().copied().chain(GROUPS));
    format!("the model has no property `{word}`{hint}; it has: {known}")
}
