//! Properties from the command line, in the words of the model.
//!
//! A text is parsed with the macros and process types of the model and joins it as if it had been written there: a
//! formula as it is, a condition as the formula `[] (condition)`; whoever asks for reachability then looks for a state in
//! which it is true.

use bughound_ir::network::Network;
use bughound_ir::question::Question;
use bughound_ir::source::{Diagnostic, Severity, SourceMap, Span};
use bughound_promela::ast::{self, Expr, Ident, Item, Ltl, LtlBlock, LtlKind, LtlUnaryOp};
use bughound_promela::{Definitions, parse_claim, parse_formula};

/// What an added text asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AddedKind {
    /// True in every reachable state.
    Invariant,
    /// True in some reachable state.
    Reach,
    /// True in some reachable state, which is to be reached at the least cost.
    Goal,
    /// A formula of temporal logic that is true of every run.
    Ltl,
    /// A never claim that no run satisfies.
    Claim,
    /// A query of UPPAAL, or a property of PRISM.
    Query,
    /// A file of such queries.
    Queries,
}

impl AddedKind {
    const ALL: [AddedKind; 7] = [
        AddedKind::Invariant,
        AddedKind::Reach,
        AddedKind::Goal,
        AddedKind::Ltl,
        AddedKind::Claim,
        AddedKind::Query,
        AddedKind::Queries,
    ];

    pub fn name(self) -> &'static str {
        match self {
            AddedKind::Invariant => "invariant",
            AddedKind::Reach => "reach",
            AddedKind::Goal => "goal",
            AddedKind::Ltl => "ltl",
            AddedKind::Claim => "claim",
            AddedKind::Query => "query",
            AddedKind::Queries => "queries",
        }
    }

    pub fn from_name(name: &str) -> Option<AddedKind> {
        AddedKind::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// The text of a claim from a file: a never claim as it is, or an automaton in HOA format that accepts the bad runs, with
/// conditions of the model as names of its atoms.
pub fn claim_text(file: &str, text: &str) -> Result<String, String> {
    if !text.trim_start().starts_with("HOA:") {
        return Ok(text.to_string());
    }
    let read = bughound_automata::hoa::read(text).map_err(|error| format!("{file}: {error}"))?;
    let title = read.name.as_deref().unwrap_or(file);
    Ok(read.automaton.never_claim(&read.atoms, title))
}

/// A property that is not in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddedProperty {
    pub kind: AddedKind,
    pub text: String,
}

impl AddedProperty {
    /// As a query of UPPAAL.
    pub fn query(&self) -> String {
        match self.kind {
            AddedKind::Invariant => format!("A[] ({})", self.text),
            AddedKind::Reach | AddedKind::Goal => format!("E<> ({})", self.text),
            AddedKind::Ltl | AddedKind::Claim | AddedKind::Query | AddedKind::Queries => self.text.clone(),
        }
    }
}

/// The names of added properties, such as `invariant-1`. No name in a model has a dash.
pub fn names(properties: &[AddedProperty]) -> Vec<String> {
    let name = |(at, property): (usize, &AddedProperty)| {
        let number = properties[..=at].iter().filter(|p| p.kind == property.kind).count();
        format!("{}-{number}", property.kind.name())
    };
    properties.iter().enumerate().map(name).collect()
}

/// Adds the properties to a parsed model.
pub fn add(
    model: &mut ast::Model,
    properties: &[AddedProperty],
    sources: &mut SourceMap,
    definitions: &Definitions,
) -> Result<(), Vec<Diagnostic>> {
    let mut errors = Vec::new();
    for (property, name) in properties.iter().zip(names(properties)) {
        let origin = format!("--{}", property.kind.name());
        if matches!(property.kind, AddedKind::Query | AddedKind::Queries) {
            let error =
                Diagnostic::new(Severity::Error, None, format!("{origin} is for models of UPPAAL, PRISM and JANI"));
            errors.push(error.help("use --invariant, --reach or --ltl"));
            continue;
        }
        if property.kind == AddedKind::Claim {
            let (claim, diagnostics) = parse_claim(sources, &origin, &property.text, definitions);
            errors.extend(diagnostics);
            if let Some(mut claim) = claim {
                claim.name = Some(Ident { name: name.into(), span: claim.span });
                model.items.push(Item::Never(claim));
            }
            continue;
        }
        let (formula, diagnostics) = parse_formula(sources, &origin, &property.text, definitions);
        errors.extend(diagnostics);
        let Some(formula) = formula else { continue };
        if property.kind == AddedKind::Ltl {
            model.items.push(block(formula, name));
            continue;
        }
        let span = formula.span;
        match formula.state_condition() {
            Ok(condition) => model.items.push(always(condition, name, span)),
            Err(operator) => errors.push(
                Diagnostic::error(operator, "a condition on states must not have temporal operators")
                    .label("this is about paths")
                    .help(format!("write `{origin} 'x == 1'` without `[]` and `<>`: it is meant for all states")),
            ),
        }
    }
    if errors.iter().any(Diagnostic::is_error) { Err(errors) } else { Ok(()) }
}

/// What `--reach` asks was added as an invariant, which it is not: it asks for a state.
pub fn ask_for_existence(network: &mut Network, properties: &[AddedProperty]) {
    for (property, name) in properties.iter().zip(names(properties)) {
        let added = network.properties.iter_mut().find(|known| known.name == name);
        if let (AddedKind::Reach | AddedKind::Goal, Some(added)) = (property.kind, added)
            && let Question::Invariant(condition) = &added.question
        {
            added.question = Question::Reach(condition.clone());
        }
    }
}

fn always(condition: Expr, name: String, span: Span) -> Item {
    let operand = Box::new(Ltl { span, kind: LtlKind::Atom(condition) });
    let formula = Ltl { span, kind: LtlKind::Unary { op: LtlUnaryOp::Always, operand } };
    block(formula, name)
}

fn block(formula: Ltl, name: String) -> Item {
    let span = formula.span;
    Item::Ltl(LtlBlock { name: Some(Ident { name: name.into(), span }), formula, span })
}
