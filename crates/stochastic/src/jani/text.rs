//! Expressions, commands and properties as people read them: close to PRISM's notation, in one line.

use super::json::{Json, JsonKind};
use super::operators;

/// An expression or a property, as far as it can be read.
pub fn show(json: &Json) -> String {
    write(json).0
}

/// An edge as a command, `[a] x < 3 -> 0.5: (x' = x + 1) + 0.5: true`, and the part of each destination in it.
pub fn command(edge: &Json) -> (String, Vec<String>) {
    let inner = |json: &Json, key: &str| json.get(key).and_then(|part| part.get("exp")).map(show);
    let action = edge.get("action").map(|action| write(action).0).unwrap_or_default();
    let guard = inner(edge, "guard").unwrap_or_else(|| "true".to_string());
    let rate = inner(edge, "rate");
    let common = edge.get("assignments").map(items).unwrap_or_default();
    let destination = |json: &Json| {
        let own = json.get("assignments").map(items).unwrap_or_default();
        let mut parts: Vec<String> = common.iter().chain(own).map(assignment).collect();
        let place = |json: &Json| json.get("location").map(|location| write(location).0);
        if let (Some(from), Some(to)) = (place(edge), place(json))
            && from != to
        {
            parts.push(format!("at {to}"));
        }
        let effect = if parts.is_empty() { "true".to_string() } else { parts.join(" & ") };
        match (rate.clone(), inner(json, "probability")) {
            (None, None) => effect,
            (Some(one), None) | (None, Some(one)) => format!("{one}: {effect}"),
            (Some(rate), Some(share)) => format!("({rate}) * ({share}): {effect}"),
        }
    };
    let destinations: Vec<String> =
        edge.get("destinations").map(items).unwrap_or_default().iter().map(destination).collect();
    (format!("[{action}] {guard} -> {}", destinations.join(" + ")), destinations)
}

fn assignment(json: &Json) -> String {
    let part = |key| json.get(key).map(show).unwrap_or_default();
    format!("({}' = {})", part("ref"), part("value"))
}

fn items(json: &Json) -> &[Json] {
    match &json.kind {
        JsonKind::List(items) => items,
        _ => &[],
    }
}

/// How tightly an expression holds together; parts that hold less tightly than their place needs get parentheses.
type Tightness = u8;
const ATOM: Tightness = 10;

fn write(json: &Json) -> (String, Tightness) {
    match &json.kind {
        JsonKind::Null => ("null".to_string(), ATOM),
        JsonKind::Bool(value) => (value.to_string(), ATOM),
        JsonKind::Number(text) => (text.clone(), ATOM),
        JsonKind::Text(text) => (text.split_whitespace().collect::<Vec<_>>().join(" "), ATOM),
        JsonKind::List(items) => {
            let items: Vec<String> = items.iter().map(show).collect();
            (format!("[{}]", items.join(", ")), ATOM)
        }
        JsonKind::Object(_) => operation(json),
    }
}

fn at_least(json: Option<&Json>, tightness: Tightness) -> String {
    match json.map(write) {
        None => "?".to_string(),
        Some((text, own)) if own < tightness => format!("({text})"),
        Some((text, _)) => text,
    }
}

fn operation(json: &Json) -> (String, Tightness) {
    let part = |key: &str| json.get(key).map_or("?".to_string(), show);
    if json.get("constant").is_some() {
        return (part("constant"), ATOM);
    }
    let op = part("op");
    let op = operators::standard(&op);
    let (sign, tightness) = match op {
        "⇒" => ("=>", 1),
        "⇔" => ("<=>", 2),
        "∨" => ("|", 3),
        "∧" => ("&", 4),
        "=" => ("=", 6),
        "≠" => ("!=", 6),
        "<" => ("<", 7),
        "≤" => ("<=", 7),
        ">" => (">", 7),
        "≥" => (">=", 7),
        "+" => ("+", 8),
        "-" => ("-", 8),
        "*" => ("*", 9),
        "/" => ("/", 9),
        _ => {
            return (
                special(op, json),
                if op == "ite" {
                    0
                } else if op == "¬" {
                    5
                } else {
                    ATOM
                },
            );
        }
    };
    if json.get("left").is_none() && op == "-" {
        return (format!("-{}", at_least(json.get("exp"), ATOM)), 9);
    }
    if tightness >= 6
        && let Some(bounded) = compared_quantity(json, sign)
    {
        return (bounded, ATOM);
    }
    // Both sides of a subtraction or comparison need care; `a & b & c` needs none.
    let right = if matches!(op, "∧" | "∨" | "+" | "*") { tightness } else { tightness + 1 };
    let left = if matches!(op, "⇒" | "=" | "≠" | "<" | "≤" | ">" | "≥") { tightness + 1 } else { tightness };
    (format!("{} {sign} {}", at_least(json.get("left"), left), at_least(json.get("right"), right)), tightness)
}

/// `Pmax>=0.5 [ … ]`
fn compared_quantity(json: &Json, sign: &str) -> Option<String> {
    let is_quantity = |side: &&Json| matches!(quantity_name(side), Some((_, '=')));
    let (quantity, number, sign) = match (json.get("left")?, json.get("right")?) {
        (quantity, number) if is_quantity(&quantity) => (quantity, number, sign),
        (number, quantity) if is_quantity(&quantity) => {
            let turned = match sign {
                "<" => ">",
                "<=" => ">=",
                ">" => "<",
                ">=" => "<=",
                same => same,
            };
            (quantity, number, turned)
        }
        _ => return None,
    };
    Some(show(quantity).replacen("=?", &format!("{sign}{}", at_least(Some(number), ATOM)), 1))
}

/// How a quantity begins: `Pmax=?`.
fn quantity_name(json: &Json) -> Option<(String, char)> {
    let JsonKind::Text(op) = &json.get("op")?.kind else { return None };
    let reward = || json.get("exp").map_or("?".to_string(), show);
    Some(match op.as_str() {
        "Pmin" | "Pmax" | "Smin" | "Smax" => (op.clone(), '='),
        "Emin" => (format!("R{{\"{}\"}}min", reward()), '='),
        "Emax" => (format!("R{{\"{}\"}}max", reward()), '='),
        _ => return None,
    })
}

fn special(op: &str, json: &Json) -> String {
    let part = |key: &str| json.get(key).map_or("?".to_string(), show);
    match op {
        "¬" => format!("!{}", at_least(json.get("exp"), ATOM)),
        "ite" => format!(
            "{} ? {} : {}",
            at_least(json.get("if"), 1),
            at_least(json.get("then"), 1),
            at_least(json.get("else"), 0)
        ),
        "%" => format!("mod({}, {})", part("left"), part("right")),
        "pow" | "log" | "min" | "max" => format!("{op}({}, {})", part("left"), part("right")),
        "aa" => format!("{}[{}]", at_least(json.get("exp"), ATOM), part("index")),
        "av" => part("elements"),
        "ac" => format!("[{} < {}: {}]", part("var"), part("length"), part("exp")),
        "call" => {
            let arguments: Vec<String> = json.get("args").map(items).unwrap_or_default().iter().map(show).collect();
            format!("{}({})", part("function"), arguments.join(", "))
        }
        "initial" => "\"init\"".to_string(),
        "deadlock" | "timelock" => format!("\"{op}\""),
        "∀" => format!("A [ {} ]", part("exp")),
        "∃" => format!("E [ {} ]", part("exp")),
        "U" | "W" | "R" => {
            format!("{} {op}{} {}", at_least(json.get("left"), 5), bounds(json), at_least(json.get("right"), 5))
        }
        "F" | "G" | "X" => format!("{op}{} {}", bounds(json), part("exp")),
        "Pmin" | "Pmax" | "Smin" | "Smax" => format!("{op}=? [ {} ]", path(json)),
        "Emin" | "Emax" => {
            let name = quantity_name(json).map(|(name, _)| name).unwrap_or_default();
            format!("{name}=? [ {} ]", reward_path(json))
        }
        "filter" => filter(json),
        _ if json.get("exp").is_some() => format!("{op}({})", part("exp")),
        _ => op.to_string(),
    }
}

/// `true U a` is shown as `F a`.
fn path(json: &Json) -> String {
    let Some(inner) = json.get("exp") else { return "?".to_string() };
    match (inner.get("op").map(|op| &op.kind), inner.get("left").map(|left| &left.kind), inner.get("right")) {
        (Some(JsonKind::Text(op)), Some(JsonKind::Bool(true)), Some(right)) if op == "U" => {
            format!("F{} {}", bounds(inner), show(right))
        }
        _ => show(inner),
    }
}

fn reward_path(json: &Json) -> String {
    let instant = json.get("step-instant").or_else(|| json.get("time-instant"));
    match (json.get("reach"), instant, json.get("accumulate")) {
        (Some(reach), ..) => format!("F {}", show(reach)),
        (None, Some(instant), Some(_)) => format!("C<={}", at_least(Some(instant), ATOM)),
        (None, Some(instant), None) => format!("I={}", at_least(Some(instant), ATOM)),
        (None, None, _) => "C".to_string(),
    }
}

fn bounds(json: &Json) -> String {
    let mut text = String::new();
    for key in ["step-bounds", "time-bounds"] {
        if let Some(interval) = json.get(key) {
            text.push_str(&between(interval));
        }
    }
    for bound in json.get("reward-bounds").map(items).unwrap_or_default() {
        let reward = bound.get("exp").map(show).unwrap_or_default();
        let interval = bound.get("bounds").map(between).unwrap_or_default();
        text.push_str(&format!("{{\"{reward}\"}}{interval}"));
    }
    text
}

fn between(json: &Json) -> String {
    let is_strict = |key: &str| matches!(json.get(key).map(|json| &json.kind), Some(JsonKind::Bool(true)));
    let strict = (is_strict("lower-exclusive"), is_strict("upper-exclusive"));
    match (json.get("lower"), json.get("upper")) {
        (None, None) => String::new(),
        (None, Some(upper)) => format!("{}{}", if strict.1 { "<" } else { "<=" }, at_least(Some(upper), ATOM)),
        (Some(lower), None) => format!("{}{}", if strict.0 { ">" } else { ">=" }, at_least(Some(lower), ATOM)),
        (Some(lower), Some(upper)) => {
            let open = if strict.0 { "(" } else { "[" };
            let close = if strict.1 { ")" } else { "]" };
            format!("{open}{},{}{close}", show(lower), show(upper))
        }
    }
}

fn filter(json: &Json) -> String {
    let values = json.get("values").map_or("?".to_string(), show);
    let function = json.get("fun").map_or("?".to_string(), show);
    let states = json.get("states").map_or("?".to_string(), show);
    let function = match operators::standard(&function) {
        "∀" => "forall",
        "∃" => "exists",
        "values" if states == "\"init\"" => return values,
        other => other,
    };
    format!("filter({function}, {values}, {states})")
}

#[cfg(test)]
mod tests {
    use bughound_ir::source::FileId;

    use super::*;

    fn shown(json: &str) -> String {
        show(&super::super::json::parse(FileId(0), json).unwrap())
    }

    #[test]
    fn expressions_have_the_parentheses_they_need() {
        let cases = [
            (
                r#"{"op":"∧","left":{"op":"∧","left":"a","right":"b"},"right":{"op":"∨","left":"c","right":"d"}}"#,
                "a & b & (c | d)",
            ),
            (r#"{"op":"-","left":1,"right":{"op":"-","left":"x","right":2}}"#, "1 - (x - 2)"),
            (r#"{"op":"¬","exp":{"op":"=","left":"x","right":1}}"#, "!(x = 1)"),
            (r#"{"op":"=","left":{"op":"¬","exp":"a"},"right":"b"}"#, "(!a) = b"),
            (r#"{"op":"*","left":{"op":"+","left":1,"right":2},"right":{"constant":"e"}}"#, "(1 + 2) * e"),
            (r#"{"op":"ite","if":"a","then":1,"else":{"op":"ite","if":"b","then":2,"else":3}}"#, "a ? 1 : b ? 2 : 3"),
            (r#"{"op":"aa","exp":{"op":"aa","exp":"m","index":1},"index":"i"}"#, "m[1][i]"),
            (r#"{"op":"call","function":"f","args":[1,{"op":"%","left":"x","right":2}]}"#, "f(1, mod(x, 2))"),
        ];
        for (json, text) in cases {
            assert_eq!(shown(json), text);
        }
    }

    #[test]
    fn properties_look_like_prism() {
        let initial = r#""states":{"op":"initial"}"#;
        let cases = [
            (
                format!(r#"{{"op":"filter","fun":"values","values":{{"op":"Pmin","exp":{{"op":"U","left":true,"right":"a","step-bounds":{{"upper":5}}}}}},{initial}}}"#),
                "Pmin=? [ F<=5 a ]",
            ),
            (
                format!(r#"{{"op":"filter","fun":"∀","values":{{"op":"≤","left":0.5,"right":{{"op":"Pmax","exp":{{"op":"G","exp":"a"}}}}}},{initial}}}"#),
                "filter(forall, Pmax>=0.5 [ G a ], \"init\")",
            ),
            (r#"{"op":"Emin","exp":"r","accumulate":["steps"],"reach":"done"}"#.to_string(), "R{\"r\"}min=? [ F done ]"),
            (r#"{"op":"Emax","exp":"r","accumulate":["time"],"time-instant":"T"}"#.to_string(), "R{\"r\"}max=? [ C<=T ]"),
            (r#"{"op":"Emax","exp":"r","time-instant":3}"#.to_string(), "R{\"r\"}max=? [ I=3 ]"),
            (
                r#"{"op":"Pmax","exp":{"op":"U","left":"a","right":"b","time-bounds":{"lower":1,"upper":2,"upper-exclusive":true}}}"#.to_string(),
                "Pmax=? [ a U[1,2) b ]",
            ),
        ];
        for (json, text) in cases {
            assert_eq!(shown(&json), text);
        }
    }

    #[test]
    fn nonsense_is_shown_without_a_panic() {
        for json in [
            "{}",
            "{\"op\":1}",
            "{\"op\":\"U\"}",
            "{\"op\":\"filter\"}",
            "[null]",
            "{\"op\":\"Emin\"}",
            "{\"op\":\"≤\"}",
        ] {
            shown(json);
        }
    }
}
