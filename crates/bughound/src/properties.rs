//! Which properties a run is about: those of the file, those of the command line, and what the user selected.

use bughound_ir::expr::Expr;
use bughound_ir::ltl::Formula;
use bughound_ir::network::{LocationFlags, Network, PropertyKind, Quantity, Query, TemplateId};
use bughound_kernel::registry::suggest;

use crate::added::{AddedKind, AddedProperty, names};
use crate::run::RunError;

/// What a property asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Question {
    Deadlock,
    /// No assertion fails and no expression is undefined.
    Assertion,
    Invariant(Expr),
    /// No state has this error of protocols; the condition says so.
    Protocol(ProtocolError, Expr),
    /// Is there a state in which this is true?
    Reach(Expr),
    /// A claim automaton that must not get to its end.
    Never(TemplateId),
    /// A formula that needs more than a look at single states.
    Ltl(Formula),
    /// No run passes accept labels of processes again and again: this formula.
    Acceptance(Formula),
    /// No run goes on for ever without passing a progress label: this formula.
    NonProgress(Formula),
    /// Whether some run avoids a condition.
    Run(RunQuestion),
    /// The extreme values of some quantities.
    Extremes(ExtremesQuestion),
    /// A question that cannot be answered, and why.
    Unsupported(String),
}

impl Question {
    /// The `kind` in results.
    pub fn kind(&self) -> &'static str {
        match self {
            Question::Deadlock => "deadlock",
            Question::Assertion => "assertion",
            Question::Invariant(_) => "invariant",
            Question::Protocol(error, _) => error.name(),
            Question::Reach(_) => "reachability",
            Question::Never(_) => "never",
            Question::Ltl(_) => "ltl",
            Question::Acceptance(_) => ACCEPTANCE,
            Question::NonProgress(_) => NON_PROGRESS,
            Question::Run(run) => run.kind(),
            Question::Extremes(_) => "extremes",
            Question::Unsupported(_) => "unsupported",
        }
    }

    /// What must be true of every run, where a formula says it.
    pub fn formula(&self) -> Option<&Formula> {
        match self {
            Question::Ltl(formula) | Question::Acceptance(formula) | Question::NonProgress(formula) => Some(formula),
            _ => None,
        }
    }

    /// Is it about infinite runs?
    pub fn is_liveness(&self) -> bool {
        self.formula().is_some() || matches!(self, Question::Never(_) | Question::Run(_))
    }

    /// Is it decided by looking at states and steps one at a time?
    fn is_safety(&self) -> bool {
        matches!(self, Question::Deadlock | Question::Assertion | Question::Invariant(_))
    }
}

/// Is there a run that avoids a condition, from the start or from a state on?
#[derive(Clone, Debug, PartialEq)]
pub struct RunQuestion {
    /// Where it begins to; `None`: at the start.
    pub from: Option<Expr>,
    pub avoided: Expr,
    /// What is true of such a run if it is asked for, and false if it is an error.
    pub formula: Formula,
    /// The run is asked for: `E[]`.
    pub asked_for: bool,
}

impl RunQuestion {
    fn kind(&self) -> &'static str {
        match (self.asked_for, &self.from) {
            (true, _) => "possibly-always",
            (false, Some(_)) => "leads-to",
            (false, None) => "inevitability",
        }
    }
}

/// The least and the greatest values of quantities in the states where a condition holds.
#[derive(Clone, Debug, PartialEq)]
pub struct ExtremesQuestion {
    pub least: bool,
    pub greatest: bool,
    pub condition: Expr,
    pub of: Vec<Quantity>,
    /// The quantities as the user wrote them.
    pub names: Vec<String>,
}

fn query_question(query: &Query, text: &str) -> Question {
    match query {
        Query::Possibly(e) => Question::Reach(e.clone()),
        Query::PossiblyAlways(e) => Question::Run(RunQuestion {
            from: None,
            avoided: e.clone().not(),
            formula: Formula::Always(Box::new(Formula::Atom(e.clone()))),
            asked_for: true,
        }),
        Query::Eventually(e) => {
            Question::Run(RunQuestion { from: None, avoided: e.clone(), formula: eventually(e), asked_for: false })
        }
        Query::LeadsTo(from, then) => {
            let implies = Formula::Implies(Box::new(Formula::Atom(from.clone())), Box::new(eventually(then)));
            let formula = Formula::Always(Box::new(implies));
            Question::Run(RunQuestion { from: Some(from.clone()), avoided: then.clone(), formula, asked_for: false })
        }
        Query::Extremes { least, greatest, condition, of } => Question::Extremes(ExtremesQuestion {
            least: *least,
            greatest: *greatest,
            condition: condition.clone(),
            of: of.clone(),
            names: quantities(text, of.len()),
        }),
    }
}

fn eventually(condition: &Expr) -> Formula {
    Formula::Eventually(Box::new(Formula::Atom(condition.clone())))
}

/// The texts of so many quantities, behind the colon of the query.
fn quantities(text: &str, count: usize) -> Vec<String> {
    let from = text.rfind('}').unwrap_or(0);
    let list = text[from..].split_once(':').map_or("", |(_, list)| list);
    let mut depth = 0;
    let mut names = vec![String::new()];
    for character in list.chars() {
        match character {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            _ => {}
        }
        match (character, names.last_mut()) {
            (',', _) if depth == 0 => names.push(String::new()),
            (_, Some(name)) => name.push(character),
            (_, None) => {}
        }
    }
    let mut names: Vec<String> = names.iter().map(|name| name.trim().to_string()).collect();
    names.resize(count, String::new());
    names
}

/// Name of the property that no run passes accept labels again and again.
pub const ACCEPTANCE: &str = "acceptance";
/// Name of the property that every infinite run makes progress. Asked for by name only, as in SPIN.
pub const NON_PROGRESS: &str = "non-progress";

/// `[]<> !np_`
fn non_progress() -> Asked {
    let formula = again_and_again(Formula::Atom(Expr::NonProgress).negated());
    Asked { name: NON_PROGRESS.into(), question: Question::NonProgress(formula) }
}

/// `! []<> accept`
fn acceptance() -> Asked {
    let formula = again_and_again(Formula::Atom(Expr::AtAcceptLabel)).negated();
    Asked { name: ACCEPTANCE.into(), question: Question::Acceptance(formula) }
}

fn again_and_again(formula: Formula) -> Formula {
    Formula::Always(Box::new(Formula::Eventually(Box::new(formula))))
}

/// Does a process (not a claim) have a location with such a flag?
pub fn has_label(network: &Network, flag: fn(&LocationFlags) -> bool) -> bool {
    let claims: Vec<TemplateId> = network
        .properties
        .iter()
        .filter_map(|property| match property.kind {
            PropertyKind::Never(template) => Some(template),
            _ => None,
        })
        .collect();
    network.locations.iter().any(|location| flag(&location.flags) && !claims.contains(&location.template))
}

/// What can be wrong with the messages of a protocol. Asked for by name only: many models fill their channels on purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProtocolError {
    /// A process can only receive, but none of the messages that wait for it.
    UnspecifiedReception,
    /// A process wants to send to a full channel.
    ChannelOverflow,
}

impl ProtocolError {
    pub const ALL: [ProtocolError; 2] = [ProtocolError::UnspecifiedReception, ProtocolError::ChannelOverflow];

    pub fn name(self) -> &'static str {
        match self {
            ProtocolError::UnspecifiedReception => "unspecified-reception",
            ProtocolError::ChannelOverflow => "channel-overflow",
        }
    }

    /// The property that the model is free of it.
    pub fn asked(self) -> Asked {
        let error = match self {
            ProtocolError::UnspecifiedReception => Expr::UnspecifiedReception,
            ProtocolError::ChannelOverflow => Expr::ChannelOverflow,
        };
        Asked { name: self.name().into(), question: Question::Protocol(self, error.not()) }
    }
}

/// The property of this name, whether or not it is checked unasked.
pub fn find(network: &Network, added: &[AddedProperty], name: &str) -> Option<Asked> {
    let protocol = ProtocolError::ALL.into_iter().filter(|error| error.name() == name).map(ProtocolError::asked);
    all(network, added).into_iter().chain(protocol).chain([non_progress()]).find(|asked| asked.name == name)
}

/// A property with its name.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    pub name: String,
    pub question: Question,
}

/// All properties of a model, the added ones included.
pub fn all(network: &Network, added: &[AddedProperty]) -> Vec<Asked> {
    let added_names = names(added);
    let kind_of = |name: &str| added_names.iter().position(|n| n == name).map(|at| added[at].kind);
    let asked = network.properties.iter().map(|property| {
        let question = match &property.kind {
            PropertyKind::NoDeadlock => Question::Deadlock,
            PropertyKind::NoFailure => Question::Assertion,
            PropertyKind::Invariant(e) if kind_of(&property.name) == Some(AddedKind::Reach) => {
                Question::Reach(e.clone())
            }
            PropertyKind::Invariant(e) => Question::Invariant(e.clone()),
            PropertyKind::Never(template) => Question::Never(*template),
            PropertyKind::Ltl(formula) => Question::Ltl(formula.clone()),
            PropertyKind::Query(query) => query_question(query, &property.name),
            PropertyKind::Unsupported { reason } => Question::Unsupported(reason.clone()),
        };
        Asked { name: property.name.clone(), question }
    });
    let mut asked: Vec<Asked> = asked.collect();
    if has_label(network, |flags| flags.accept) && !asked.iter().any(|other| other.name == ACCEPTANCE) {
        asked.push(acceptance());
    }
    asked
}

/// Words that select several properties at once or ask for a kind of check.
const GROUPS: [&str; 8] = ["safety", "liveness", "deadlock", "assertion", "invariant", "reach", "never", "ltl"];

/// The selected properties, in the order of the model. Nothing selected means everything but protocol errors and cycles
/// without progress.
pub fn select(mut all: Vec<Asked>, selection: &[String]) -> Result<Vec<Asked>, RunError> {
    if selection.is_empty() {
        return Ok(all);
    }
    let asked_for = |error: &ProtocolError| selection.iter().any(|word| word == error.name());
    all.extend(ProtocolError::ALL.into_iter().filter(asked_for).map(ProtocolError::asked));
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
    if word == ACCEPTANCE {
        return "there are no accept labels in the processes of the model: nothing to check".into();
    }
    let unasked = ProtocolError::ALL.map(ProtocolError::name).into_iter().chain([ACCEPTANCE, NON_PROGRESS]);
    let hint = suggest(word, names.iter().copied().chain(GROUPS).chain(unasked));
    format!("the model has no property `{word}`{hint}; it has: {known}")
}
