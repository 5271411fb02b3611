//! The `system` of a model: which automata run, each with variables of its own, and which of their edges happen together.

use std::collections::{HashMap, HashSet};

use bughound_ir::source::{Diagnostic, Severity, Span};
use bughound_ir::suggest::suggest;

use super::Read;
use super::fields::{Fields, list, text};
use super::json::{Json, JsonKind};
use crate::tree::{ActionId, Location, Vector};

/// An automaton as a part of the system; the same one can be there several times.
#[derive(Debug)]
pub struct Element<'j> {
    pub automaton: Fields<'j>,
    pub name: String,
    pub locations: Vec<Location>,
    pub location_fields: Vec<Fields<'j>>,
    pub location_ids: HashMap<&'j str, u32>,
    pub initial: Vec<u32>,
    pub span: Span,
    input_enabled: Vec<&'j Json>,
}

const MAX_ELEMENTS: usize = 10_000;

/// Of all elements together.
const MAX_LOCATIONS: usize = 2_000_000;

/// The elements of the system, in their order.
pub fn read<'j>(model: &Fields<'j>, diagnostics: &mut Vec<Diagnostic>) -> Read<Vec<Element<'j>>> {
    let mut automata: HashMap<&str, Fields<'j>> = HashMap::new();
    for item in list(model.required("automata")?, "`automata`")? {
        let fields = Fields::of(item, "an automaton")?;
        let keys = ["name", "variables", "restrict-initial", "functions", "locations", "initial-locations", "edges"];
        diagnostics.extend(fields.strangers(&keys));
        let name = fields.text("name")?;
        if automata.insert(name, fields).is_some() {
            let span = fields.required("name")?.span;
            return Err(Diagnostic::error(span, format!("there are two automata `{name}`")).into());
        }
    }
    let system = Fields::of(model.required("system")?, "`system`")?;
    diagnostics.extend(system.strangers(&["elements", "syncs"]));
    let items = list(system.required("elements")?, "`elements`")?;
    if items.is_empty() {
        return Err(Diagnostic::error(system.span, "the system has no elements").into());
    }
    if items.len() > MAX_ELEMENTS {
        return Err(Diagnostic::error(system.span, format!("the system has more than {MAX_ELEMENTS} elements")).into());
    }
    let mut count: HashMap<&str, usize> = HashMap::new();
    let mut references = Vec::new();
    for item in items {
        let fields = Fields::of(item, "an element of the system")?;
        diagnostics.extend(fields.strangers(&["automaton", "input-enable"]));
        let name = fields.text("automaton")?;
        let Some(automaton) = automata.get(name) else {
            let hint = suggest(name, automata.keys().copied());
            let span = fields.required("automaton")?.span;
            return Err(Diagnostic::error(span, format!("there is no automaton `{name}`{hint}")).into());
        };
        *count.entry(name).or_default() += 1;
        references.push((name, *automaton, count[name], fields.items("input-enable")?));
    }
    let mut elements = Vec::new();
    let mut locations = 0;
    for (name, automaton, number, input_enabled) in references {
        let name = if count[name] > 1 { format!("{name}#{number}") } else { name.to_string() };
        locations += automaton.items("locations")?.len();
        if locations > MAX_LOCATIONS {
            let message = format!("the elements of the system have more than {MAX_LOCATIONS} locations");
            return Err(Diagnostic::error(system.span, message).into());
        }
        elements.push(element(automaton, name, input_enabled, diagnostics)?);
    }
    Ok(elements)
}

fn element<'j>(
    automaton: Fields<'j>,
    name: String,
    input_enabled: &'j [Json],
    diagnostics: &mut Vec<Diagnostic>,
) -> Read<Element<'j>> {
    let span = automaton.required("name")?.span;
    let mut element = Element {
        automaton,
        name,
        locations: Vec::new(),
        location_fields: Vec::new(),
        location_ids: HashMap::new(),
        initial: Vec::new(),
        span,
        input_enabled: input_enabled.iter().collect(),
    };
    for item in list(automaton.required("locations")?, "`locations`")? {
        let fields = Fields::of(item, "a location")?;
        diagnostics.extend(fields.strangers(&["name", "time-progress", "transient-values"]));
        let location = fields.text("name")?;
        let at = fields.required("name")?.span;
        if let Some(time) = fields.optional("time-progress") {
            let message = "`time-progress` is not supported: dtmc, ctmc and mdp models have no clocks";
            return Err(Diagnostic::error(time.span, message).into());
        }
        if element.location_ids.insert(location, element.locations.len() as u32).is_some() {
            return Err(Diagnostic::error(at, format!("there are two locations `{location}`")).into());
        }
        element.locations.push(Location { name: location.to_string(), span: at });
        element.location_fields.push(fields);
    }
    for item in list(automaton.required("initial-locations")?, "`initial-locations`")? {
        let id = element.location(item)?;
        if !element.initial.contains(&id) {
            element.initial.push(id);
        }
    }
    if element.initial.is_empty() {
        let message = format!("the automaton `{}` has no initial location", element.name);
        return Err(Diagnostic::error(span, message).into());
    }
    Ok(element)
}

impl Element<'_> {
    /// The location with this name.
    pub fn location(&self, json: &Json) -> Read<u32> {
        let name = text(json, "a location")?;
        self.location_ids.get(name).copied().ok_or_else(|| {
            let hint = suggest(name, self.location_ids.keys().copied());
            let message = format!("the automaton `{}` has no location `{name}`{hint}", self.name);
            Box::new(Diagnostic::error(json.span, message))
        })
    }
}

/// Which edges happen together.
pub fn vectors(
    model: &Fields<'_>,
    elements: &[Element<'_>],
    actions: &HashMap<&str, ActionId>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Read<Vec<Vector>> {
    let system = Fields::of(model.required("system")?, "`system`")?;
    let mut vectors = Vec::new();
    if system.optional("syncs").is_none() && elements.len() == 1 {
        // Tools write this for a system of one automaton, and mean that its actions happen.
        let mut own: Vec<_> = actions.iter().collect();
        own.sort_by_key(|(_, id)| **id);
        let alone = |(name, id): (&&str, &ActionId)| Vector { parts: vec![(0, *id)], name: Some(name.to_string()) };
        return Ok(own.into_iter().map(alone).collect());
    }
    for item in system.items("syncs")? {
        let fields = Fields::of(item, "a synchronisation vector")?;
        diagnostics.extend(fields.strangers(&["synchronise", "result"]));
        let entries = list(fields.required("synchronise")?, "`synchronise`")?;
        if entries.len() != elements.len() {
            let message = format!(
                "a synchronisation vector needs one entry for each of the {} elements of the system, but this one has {}",
                elements.len(),
                entries.len()
            );
            let help = "`null` stands for an element that takes no part";
            return Err(Diagnostic::error(fields.required("synchronise")?.span, message).help(help).into());
        }
        let mut parts = Vec::new();
        for (element, entry) in entries.iter().enumerate() {
            if !matches!(entry.kind, JsonKind::Null) {
                parts.push((element as u32, action(entry, actions)?));
            }
        }
        if parts.is_empty() {
            let message = "nobody takes part in this synchronisation vector";
            diagnostics.push(Diagnostic::warning(fields.span, message));
            continue;
        }
        let result = fields.optional("result").filter(|json| !matches!(json.kind, JsonKind::Null));
        let name = match result {
            Some(json) => {
                action(json, actions)?;
                Some(text(json, "`result`")?.to_string())
            }
            None => None,
        };
        vectors.push(Vector { parts, name });
    }
    refuse_input_enabling(elements, &vectors, actions)?;
    Ok(vectors)
}

/// The number of an action.
pub fn action(json: &Json, actions: &HashMap<&str, ActionId>) -> Read<ActionId> {
    let name = text(json, "an action")?;
    actions.get(name).copied().ok_or_else(|| {
        let message = format!("there is no action `{name}`{}", suggest(name, actions.keys().copied()));
        Box::new(Diagnostic::error(json.span, message).help("all actions are listed in `actions` of the model"))
    })
}

/// Input-enabled actions that no vector uses make no difference.
fn refuse_input_enabling(elements: &[Element<'_>], vectors: &[Vector], actions: &HashMap<&str, ActionId>) -> Read<()> {
    for (index, element) in elements.iter().enumerate() {
        for entry in &element.input_enabled {
            let id = action(entry, actions)?;
            if vectors.iter().any(|vector| vector.parts.len() > 1 && vector.parts.contains(&(index as u32, id))) {
                let message = format!("input-enabled actions are not supported: the automaton `{}`", element.name);
                let help = "add edges without a guard for the locations where the action has none";
                return Err(Diagnostic::error(entry.span, message).help(help).into());
            }
        }
    }
    Ok(())
}

/// Warns about edges that can never happen, because no vector has their action.
pub fn warn_of_lost_actions(
    elements: &[Element<'_>],
    used: &[HashSet<(ActionId, String)>],
    vectors: &[Vector],
    diagnostics: &mut Vec<Diagnostic>,
) {
    for (index, (element, used)) in elements.iter().zip(used).enumerate() {
        let mut lost: Vec<&str> = used
            .iter()
            .filter(|(id, _)| !vectors.iter().any(|vector| vector.parts.contains(&(index as u32, *id))))
            .map(|(_, name)| name.as_str())
            .collect();
        lost.sort_unstable();
        for action in lost {
            let message = format!(
                "edges of `{}` with the action `{action}` never happen: no synchronisation vector has it",
                element.name
            );
            diagnostics.push(Diagnostic::new(Severity::Warning, Some(element.span), message));
        }
    }
}
