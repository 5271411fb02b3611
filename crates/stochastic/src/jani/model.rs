//! The whole model: all its parts in the order in which they need each other.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use bughound_ir::chance::Kind;
use bughound_ir::source::{Diagnostic, SourceMap};

use super::build::{self, Needs};
use super::edges::{self, EdgeReader, ReadEdge};
use super::elements::{self, Element};
use super::expressions::{Reading, Translator};
use super::fields::{Fields, list};
use super::json::Json;
use super::names::{Names, Scope};
use super::properties::PropertyReader;
use super::rewards::{self, Rewards};
use super::transients::{self, Carried};
use super::{Read, Refusal, constants, header, variables};
use crate::tree::{ActionId, Automaton, Binary, Definition, Expr, Initial, Label, Model, Property, Type};

/// Nothing after an error, which is then among the diagnostics.
pub fn read(
    json: &Json,
    given: &[(String, String)],
    sources: &SourceMap,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Model> {
    match fallible(json, given, sources, diagnostics) {
        Ok(model) => model,
        Err(error) => {
            diagnostics.push(*error);
            None
        }
    }
}

fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(Diagnostic::is_error)
}

fn fallible(
    json: &Json,
    given: &[(String, String)],
    sources: &SourceMap,
    diagnostics: &mut Vec<Diagnostic>,
) -> Read<Option<Model>> {
    let model = Fields::of(json, "a JANI model")?;
    let kind = header::read(&model, diagnostics)?;
    let mut names = Names::default();
    constants::read(model.optional("constants"), given, &mut names, diagnostics);
    if has_errors(diagnostics) {
        return Ok(None);
    }
    names.functions = header::functions(model.optional("functions"), &names)?;
    variables::declare(model.items("variables")?, None, &mut names, diagnostics);
    let elements = elements::read(&model, diagnostics)?;
    for (index, element) in elements.iter().enumerate() {
        names.locals.push(HashMap::new());
        names.local_functions.push(header::functions(element.automaton.optional("functions"), &names)?);
        variables::declare(element.automaton.items("variables")?, Some(index), &mut names, diagnostics);
    }
    if has_errors(diagnostics) {
        return Ok(None);
    }
    transients::read(&elements, &mut names, diagnostics);
    let actions = header::actions(&model)?;
    let vectors = elements::vectors(&model, &elements, &actions, diagnostics)?;
    let phases = edges::phases(&elements, model.span)?;
    let context = Context { kind, elements: &elements, actions: &actions, phases: &phases };
    let mut edges = context.edges(&names, diagnostics)?;
    if has_errors(diagnostics) {
        return Ok(None);
    }
    let written: Vec<_> =
        edges.iter().flatten().flat_map(|edge| &edge.sets).map(|set| (set.transient, set.phase)).collect();
    if transients::carry(&written, &mut names, diagnostics) == Carried::Something {
        edges = context.edges(&names, diagnostics)?;
    }
    elements::warn_of_lost_actions(&elements, &used_actions(&edges, &actions), &vectors, diagnostics);
    let initial = initial(&model, &elements, &names)?;
    let first_written = rewards::first_written(&edges);
    let about = rewards::Model { names: &names, kind, edges: &edges, vectors: &vectors, first_written };
    let mut reader = PropertyReader { model: &about, rewards: Rewards::default(), initial: &initial };
    if let Err(Refusal::Wrong(error)) = reader.rewards.of_variables(&about) {
        return Err(error);
    }
    let properties = properties(&model, &mut reader, diagnostics)?;
    let rewards = reader.rewards.structures;
    let labels = labels(&names);
    let constants = names.constants.names().map(|name| (name, names.constants.value(name, model.span)));
    let definitions = constants
        .filter_map(|(name, value)| Some(Definition { name: name.to_string(), value: Ok(value?.ok()?) }))
        .collect();
    let element_names: Vec<String> = elements.iter().map(|element| element.name.clone()).collect();
    let mut variables = names.variables;
    variables::make_names_unique(&mut variables, &element_names);
    let automata = elements.into_iter().zip(edges).map(|(element, edges)| Automaton {
        name: element.name,
        locations: element.locations,
        initial: element.initial,
        edges: edges.into_iter().map(|edge| edge.edge).collect(),
        span: element.span,
    });
    Ok(Some(Model {
        name: model.text("name")?.to_string(),
        kind,
        sources: Arc::new(sources.clone()),
        variables,
        automata: automata.collect(),
        vectors,
        initial,
        before: None,
        rewards,
        labels,
        definitions,
        properties,
    }))
}

/// What all edges of the model share.
struct Context<'a, 'j> {
    kind: Kind,
    elements: &'a [Element<'j>],
    actions: &'a HashMap<&'j str, ActionId>,
    phases: &'a [i32],
}

impl<'j> Context<'_, 'j> {
    /// The edges of all elements; those with errors are left out.
    fn edges(&self, names: &Names<'j>, diagnostics: &mut Vec<Diagnostic>) -> Read<Vec<Vec<ReadEdge>>> {
        let mut all = Vec::new();
        for (element, of) in self.elements.iter().enumerate() {
            let reader = EdgeReader {
                names,
                kind: self.kind,
                element,
                of,
                actions: self.actions,
                phases: self.phases,
                doubts: RefCell::default(),
            };
            let mut edges = Vec::new();
            for item in list(of.automaton.required("edges")?, "`edges`")? {
                match reader.read(item, diagnostics) {
                    Ok(edge) => edges.push(edge),
                    Err(error) => diagnostics.push(*error),
                }
            }
            diagnostics.extend(reader.doubts.take());
            all.push(edges);
        }
        Ok(all)
    }
}

fn used_actions(edges: &[Vec<ReadEdge>], actions: &HashMap<&str, ActionId>) -> Vec<HashSet<(ActionId, String)>> {
    let names: HashMap<ActionId, &str> = actions.iter().map(|(name, id)| (*id, *name)).collect();
    let name_of = |id: ActionId| names.get(&id).map(|name| (id, name.to_string()));
    let of_element = |edges: &Vec<ReadEdge>| edges.iter().filter_map(|edge| name_of(edge.edge.action?)).collect();
    edges.iter().map(of_element).collect()
}

fn initial(model: &Fields<'_>, elements: &[Element<'_>], names: &Names<'_>) -> Read<Initial> {
    let mut condition = restriction(model, Scope::Global, names)?;
    for (index, element) in elements.iter().enumerate() {
        let own = restriction(&element.automaton, Scope::Element(index), names)?;
        let span = own.span;
        condition = build::binary(Binary::And, condition, own, span)?;
    }
    let is_one = build::truth_of(&condition) == Some(true)
        && names.variables.iter().all(|variable| variable.initial.is_some())
        && elements.iter().all(|element| element.initial.len() == 1);
    Ok(if is_one { Initial::Values } else { Initial::Where(condition) })
}

fn restriction(of: &Fields<'_>, scope: Scope, names: &Names<'_>) -> Read<Expr> {
    let Some(json) = of.optional("restrict-initial") else { return Ok(build::truth(true, of.span)) };
    let fields = Fields::of(json, "`restrict-initial`")?;
    let condition = Translator::new(names, scope, Reading::State).scalar(fields.required("exp")?)?;
    build::expect(&condition, Needs::Truth, "`restrict-initial`")?;
    Ok(condition)
}

fn properties(
    model: &Fields<'_>,
    reader: &mut PropertyReader<'_, '_>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Read<Vec<Property>> {
    let mut properties: Vec<Property> = Vec::new();
    let mut seen = HashMap::new();
    for item in model.items("properties")? {
        let property = reader.read(item, diagnostics)?;
        if let Some(first) = seen.insert(property.name.clone(), property.span) {
            let message = format!("there are two properties `{}`", property.name);
            return Err(Diagnostic::error(property.span, message).related(first, "the first one").into());
        }
        properties.push(property);
    }
    Ok(properties)
}

/// Conditions with names: the global transient variables that are truth values.
fn labels(names: &Names<'_>) -> Vec<Label> {
    let is_label =
        |transient: &&super::names::Transient| transient.owner.is_none() && transient.initial.ty == Type::Bool;
    let label = |transient: &super::names::Transient| Label {
        name: transient.name.clone(),
        condition: transient.in_state.clone(),
        span: transient.span,
    };
    names.transients.iter().filter(is_label).map(label).collect()
}
