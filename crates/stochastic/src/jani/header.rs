//! What stands at the top of a model: version, type, features, actions, functions.

use std::collections::HashMap;

use bughound_ir::chance::Kind;
use bughound_ir::source::Diagnostic;
use bughound_ir::suggest::suggest;

use super::Read;
use super::fields::{Fields, list, text};
use super::json::{Json, JsonKind};
use super::names::{Function, Names};
use super::types::Declared;
use crate::tree::ActionId;

/// Features of the standard. Those that are not supported are refused where they are used.
const FEATURES: [&str; 10] = [
    "arrays",
    "datatypes",
    "derived-operators",
    "functions",
    "hyperbolic-functions",
    "named-expressions",
    "nondet-selection",
    "state-exit-rewards",
    "tradeoff-properties",
    "trigonometric-functions",
];

const KEYS: [&str; 13] = [
    "jani-version",
    "name",
    "metadata",
    "type",
    "features",
    "actions",
    "constants",
    "variables",
    "restrict-initial",
    "functions",
    "properties",
    "automata",
    "system",
];

/// Checks version, keys and features; gives the type of the model.
pub fn read(model: &Fields<'_>, diagnostics: &mut Vec<Diagnostic>) -> Read<Kind> {
    let mut strangers = model.strangers(&KEYS);
    strangers.retain(|warning| !warning.message.contains("`datatypes`"));
    diagnostics.extend(strangers);
    let version = model.required("jani-version")?;
    if !matches!(&version.kind, JsonKind::Number(number) if number == "1") {
        return Err(Diagnostic::error(version.span, "only version 1 of JANI is known").label("expected 1").into());
    }
    for feature in model.items("features")? {
        let name = text(feature, "`features`")?;
        if !FEATURES.contains(&name) {
            let message = format!("the feature `{name}` is not supported{}", suggest(name, FEATURES.into_iter()));
            diagnostics.push(Diagnostic::error(feature.span, message));
        }
    }
    let ty = model.required("type")?;
    match text(ty, "`type`")? {
        "dtmc" => Ok(Kind::Dtmc),
        "ctmc" => Ok(Kind::Ctmc),
        "mdp" => Ok(Kind::Mdp),
        other => {
            let name = match other {
                "lts" => "labelled transition systems",
                "ta" => "timed automata",
                "pta" => "probabilistic timed automata",
                "ma" => "Markov automata",
                "ctmdp" => "continuous-time Markov decision processes",
                "sta" => "stochastic timed automata",
                "ha" => "hybrid automata",
                "pha" => "probabilistic hybrid automata",
                "sha" => "stochastic hybrid automata",
                _ => "",
            };
            let message = match name {
                "" => {
                    let known = ["dtmc", "ctmc", "mdp"];
                    format!("there is no type of models `{other}`{}", suggest(other, known.into_iter()))
                }
                name => format!("{name} (`{other}`) are not supported"),
            };
            Err(Diagnostic::error(ty.span, message).help("supported types are `dtmc`, `ctmc` and `mdp`").into())
        }
    }
}

/// The actions that edges can have, with their numbers.
pub fn actions<'j>(model: &Fields<'j>) -> Read<HashMap<&'j str, ActionId>> {
    let mut actions = HashMap::new();
    for item in model.items("actions")? {
        let fields = Fields::of(item, "an action")?;
        let name = fields.text("name")?;
        let id = ActionId(actions.len() as u32);
        if actions.insert(name, id).is_some() {
            let message = format!("there are two actions `{name}`");
            return Err(Diagnostic::error(fields.required("name")?.span, message).into());
        }
    }
    Ok(actions)
}

/// The functions of the model or of an automaton.
pub fn functions<'j>(json: Option<&'j Json>, names: &Names<'j>) -> Read<HashMap<&'j str, Function<'j>>> {
    let mut functions: HashMap<&str, Function<'_>> = HashMap::new();
    for item in json.map(|json| list(json, "`functions`")).transpose()?.unwrap_or_default() {
        let fields = Fields::of(item, "a function")?;
        let name = fields.text("name")?;
        let span = fields.required("name")?.span;
        let mut parameters: Vec<(&str, Declared)> = Vec::new();
        for parameter in fields.items("parameters")? {
            let parameter = Fields::of(parameter, "a parameter")?;
            let own = parameter.text("name")?;
            if parameters.iter().any(|(other, _)| *other == own) {
                let message = format!("the function `{name}` has two parameters `{own}`");
                return Err(Diagnostic::error(parameter.span, message).into());
            }
            parameters.push((own, Declared::read(parameter.required("type")?, names)?));
        }
        let result = Declared::read(fields.required("type")?, names)?;
        let function = Function { parameters, result, body: fields.required("body")?, span };
        if let Some(first) = functions.insert(name, function) {
            let message = format!("there are two functions `{name}`");
            return Err(Diagnostic::error(span, message).related(first.span, "the first one").into());
        }
    }
    Ok(functions)
}
