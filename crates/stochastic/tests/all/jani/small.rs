//! Small models to try single constructs with.

use bughound_ir::source::{Diagnostic, SourceMap};
use bughound_stochastic::jani;
use bughound_stochastic::tree::Model;

use crate::enumerate::{Enumerated, enumerate};

/// A counter: a DTMC with one automaton and one variable, with some of its keys changed. `edges` and `locations` are keys of
/// its automaton.
pub fn file(changes: &[(&str, &str)]) -> String {
    let automaton = changed(
        &[
            ("name", r#""A""#),
            ("locations", r#"[{"name": "l"}]"#),
            ("initial-locations", r#"["l"]"#),
            ("edges", &format!("[{}]", edge(r#"{"op": "<", "left": "x", "right": 3}"#, &step(1)))),
        ],
        changes,
    );
    let automata = format!("[{automaton}]");
    let keys = [
        ("jani-version", "1"),
        ("type", r#""dtmc""#),
        ("actions", r#"[{"name": "a"}, {"name": "b"}]"#),
        ("variables", &format!("[{}]", bounded("x", 0, 3))),
        ("automata", &automata),
        ("system", r#"{"elements": [{"automaton": "A"}]}"#),
    ];
    let own = ["name", "locations", "initial-locations", "edges"];
    let others: Vec<(&str, &str)> = changes.iter().filter(|(key, _)| !own.contains(key)).copied().collect();
    let mut keys = keys.to_vec();
    keys.push(("name", r#""m""#));
    keys.extend(
        others.iter().filter(|(key, _)| !keys.iter().any(|(known, _)| known == key)).copied().collect::<Vec<_>>(),
    );
    changed(&keys, &others)
}

/// An object with these keys, some of them changed; an empty value leaves the key out.
fn changed(keys: &[(&str, &str)], changes: &[(&str, &str)]) -> String {
    let value = |key: &str, usual: &str| {
        changes.iter().find(|(changed, _)| *changed == key).map_or(usual.to_string(), |(_, value)| value.to_string())
    };
    let fields = keys.iter().map(|(key, usual)| (key, value(key, usual))).filter(|(_, value)| !value.is_empty());
    let fields: Vec<String> = fields.map(|(key, value)| format!("\"{key}\": {value}")).collect();
    format!("{{{}}}", fields.join(", "))
}

pub fn bounded(name: &str, lower: i32, upper: i32) -> String {
    format!(
        r#"{{"name": "{name}", "type": {{"kind": "bounded", "base": "int", "lower-bound": {lower}, "upper-bound": {upper}}}, "initial-value": {lower}}}"#
    )
}

/// An edge from `l` with one destination, back to `l`.
pub fn edge(guard: &str, assignments: &str) -> String {
    format!(
        r#"{{"location": "l", "guard": {{"exp": {guard}}}, "destinations": [{{"location": "l", "assignments": [{assignments}]}}]}}"#
    )
}

/// `x := x + by`
pub fn step(by: i32) -> String {
    format!(r#"{{"ref": "x", "value": {{"op": "+", "left": "x", "right": {by}}}}}"#)
}

pub fn read_with(text: &str, constants: &[(&str, &str)]) -> Result<Model, Vec<Diagnostic>> {
    let constants: Vec<_> = constants.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
    let result = jani::read(&mut SourceMap::default(), "small.jani", text.as_bytes(), &constants);
    let has_error = result.diagnostics.iter().any(Diagnostic::is_error);
    assert_eq!(result.model.is_none(), has_error, "a model, or an error: {:?}", result.diagnostics);
    result.model.ok_or(result.diagnostics)
}

pub fn read(text: &str) -> Model {
    read_with(text, &[]).unwrap_or_else(|errors| panic!("{errors:#?}\n{text}"))
}

pub fn states(text: &str) -> Enumerated {
    enumerate(&read(text)).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The first error.
pub fn error(text: &str) -> Diagnostic {
    match read_with(text, &[]) {
        Ok(_) => panic!("no error: {text}"),
        Err(diagnostics) => diagnostics.into_iter().find(Diagnostic::is_error).expect("an error"),
    }
}

pub fn warnings(text: &str) -> Vec<String> {
    let result = jani::read(&mut SourceMap::default(), "small.jani", text.as_bytes(), &[]);
    result.diagnostics.into_iter().map(|warning| warning.message).collect()
}
