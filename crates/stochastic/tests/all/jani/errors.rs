//! What is wrong is said at its place, whatever the input: no panic, no overflow, no waiting.

use std::time::{Duration, Instant};

use bughound_ir::source::SourceMap;
use bughound_stochastic::jani;

use super::small::{bounded, edge, error, file, step, warnings};

/// The message for a model with these changes, and the text that it points at.
fn said(changes: &[(&str, &str)]) -> (String, String) {
    let text = file(changes);
    let error = error(&text);
    let span = error.span.expect("a place");
    (error.message, text[span.start as usize..span.end as usize].to_string())
}

#[track_caller]
fn assert_said(changes: &[(&str, &str)], message: &str, place: &str) {
    assert_eq!(said(changes), (message.to_string(), place.to_string()));
}

#[test]
fn the_header_is_checked() {
    assert_said(&[("jani-version", "2")], "only version 1 of JANI is known", "2");
    assert_said(&[("jani-version", "")], "a JANI model needs the key `jani-version`", "{");
    assert_said(&[("automata", "")], "a JANI model needs the key `automata`", "{");
    for (ty, name) in [
        ("lts", "labelled transition systems"),
        ("ta", "timed automata"),
        ("pta", "probabilistic timed automata"),
        ("ma", "Markov automata"),
        ("sta", "stochastic timed automata"),
        ("ha", "hybrid automata"),
        ("sha", "stochastic hybrid automata"),
    ] {
        let quoted = format!("\"{ty}\"");
        assert_said(&[("type", &quoted)], &format!("{name} (`{ty}`) are not supported"), &quoted);
    }
    assert_said(&[("type", "\"dtcm\"")], "there is no type of models `dtcm` (did you mean `dtmc`?)", "\"dtcm\"");
    assert_said(
        &[("features", r#"["array"]"#)],
        "the feature `array` is not supported (did you mean `arrays`?)",
        "\"array\"",
    );
    assert_said(&[("features", r#"["x-own"]"#)], "the feature `x-own` is not supported", "\"x-own\"");
    assert_said(&[("actions", r#"[{"name": "a"}, {"name": "a"}]"#)], "there are two actions `a`", "\"a\"");
}

#[test]
fn variables_are_checked() {
    let of = |ty: &str, rest: &str| format!(r#"[{{"name": "x", "type": {ty}{rest}}}]"#);
    let cases = [
        (
            of("\"real\"", ", \"initial-value\": 0"),
            "`x` is a real variable: states can only have whole numbers and truth values",
            "\"x\"",
        ),
        (of("\"clock\"", ""), "variables of type `clock` are not supported", "\"clock\""),
        (of("\"boole\"", ""), "there is no type `boole` (did you mean `bool`?)", "\"boole\""),
        (
            of("{\"kind\": \"datatype\", \"ref\": \"D\"}", ""),
            "data types are not supported: `D`",
            "{\"kind\": \"datatype\", \"ref\": \"D\"}",
        ),
        (of("\"int\"", ""), "the variable `x` has neither an initial value nor bounds", "\"x\""),
        (
            of("\"int\"", ", \"initial-value\": true"),
            "the initial value of `x` is a whole number, but this is a truth value",
            "true",
        ),
        (
            of("\"int\"", ", \"initial-value\": 0.5"),
            "the initial value of `x` is a whole number, but this is a real number",
            "0.5",
        ),
        (of("\"int\"", ", \"initial-value\": \"x\""), "`x` is not declared", "\"x\""),
        (
            of("{\"kind\": \"array\", \"base\": \"int\"}", ""),
            "the array `x` needs an `initial-value`, which says how long it is",
            "\"x\"",
        ),
        (of("\"bool\"", ", \"transient\": true"), "the transient variable `x` needs an `initial-value`", "\"x\""),
        (of("\"bool\"", ", \"transient\": 1"), "in a variable: expected true or false, found a number", "1"),
        (
            of("{\"kind\": \"bounded\", \"base\": \"int\", \"lower-bound\": 2, \"upper-bound\": 1}", ""),
            "there is no number between 2 and 1",
            "{\"kind\": \"bounded\", \"base\": \"int\", \"lower-bound\": 2, \"upper-bound\": 1}",
        ),
        (
            of(
                "{\"kind\": \"bounded\", \"base\": \"int\", \"lower-bound\": 0, \"upper-bound\": 1}",
                ", \"initial-value\": 5",
            ),
            "the initial value of `x` is 5, outside of 0..1",
            "5",
        ),
        (format!("[{}, {}]", bounded("x", 0, 1), bounded("x", 0, 2)), "there are two variables `x`", "\"x\""),
        ("[7]".to_string(), "in a variable: expected an object, found a number", "7"),
    ];
    for (variables, message, place) in &cases {
        assert_said(&[("variables", variables)], message, place);
    }
}

#[test]
fn constants_are_checked() {
    let of = |rest: &str| format!(r#"[{{"name": "c", {rest}}}]"#);
    let cases = [
        (
            of("\"type\": \"int\", \"value\": 1.5"),
            "the constant `c` is a whole number, but this is a real number",
            "1.5",
        ),
        (
            of("\"type\": \"real\", \"value\": {\"op\": \"/\", \"left\": 1, \"right\": 0}"),
            "the constant `c` has no value: it divides by 0, or is too large",
            "{\"op\": \"/\", \"left\": 1, \"right\": 0}",
        ),
        (
            of("\"type\": \"real\", \"value\": 1e999999999"),
            "this number is too large or has too many digits",
            "1e999999999",
        ),
        (
            of("\"type\": \"real\", \"value\": \"c\""),
            "the constant `c` is computed from itself, or from what is wrong",
            "\"c\"",
        ),
        (of("\"value\": 1"), "a constant needs the key `type`", "{"),
        ("{}".to_string(), "in `constants`: expected a list, found an object", "{}"),
        (
            r#"[{"name": "c", "type": "int", "value": 1}, {"name": "c", "type": "int", "value": 1}]"#.to_string(),
            "there are two constants `c`",
            "\"c\"",
        ),
    ];
    for (constants, message, place) in &cases {
        assert_said(&[("constants", constants)], message, place);
    }
}

#[test]
fn edges_are_checked() {
    let with = |key: &str| format!(r#"[{{"location": "l", "destinations": [{{"location": "l"}}], {key}}}]"#);
    let assigned = |assignments: &str| format!("[{}]", edge("true", assignments));
    let cases = [
        (with("\"guard\": {\"exp\": 1}"), "a guard is a truth value, but this is a whole number", "1"),
        (with("\"guard\": true"), "in a guard: expected an object, found a truth value", "true"),
        (with("\"rate\": {\"exp\": 1}"), "only edges of a ctmc have rates", "{\"exp\": 1}"),
        (with("\"action\": \"c\""), "there is no action `c`", "\"c\""),
        (with("\"guard\": {\"exp\": {\"op\": \"<\", \"left\": \"y\", \"right\": 1}}"), "`y` is not declared", "\"y\""),
        (with("\"guard\": {\"exp\": {\"op\": \"⊕\", \"left\": 1, \"right\": 1}}"), "there is no operator `⊕`", "\"⊕\""),
        (
            with("\"guard\": {\"exp\": {\"op\": \"cosh\", \"exp\": 1}}"),
            "`cosh` is not supported (JANI's feature hyperbolic-functions)",
            "\"cosh\"",
        ),
        (
            with("\"guard\": {\"exp\": {\"op\": \"initial\"}}"),
            "`initial` can only be used in properties",
            "\"initial\"",
        ),
        (
            with("\"guard\": {\"exp\": {\"op\": \"∧\", \"left\": true, \"right\": 1}}"),
            "an operand of `∧` here is a truth value, but this is a whole number",
            "1",
        ),
        (with("\"guard\": {\"exp\": {\"op\": \"∧\", \"left\": true}}"), "an expression needs the key `right`", "{"),
        (with("\"guard\": {\"exp\": null}"), "expected an expression, found null", "null"),
        (
            with("\"guard\": {\"exp\": {\"op\": \"call\", \"function\": \"f\", \"args\": []}}"),
            "there is no function `f`",
            "\"f\"",
        ),
        (
            r#"[{"location": "k", "destinations": [{"location": "l"}]}]"#.to_string(),
            "the automaton `A` has no location `k`",
            "\"k\"",
        ),
        (r#"[{"location": "l", "destinations": []}]"#.to_string(), "an edge needs at least one destination", "[]"),
        (
            assigned(r#"{"ref": "x", "value": true}"#),
            "the value of `x` is a whole number, but this is a truth value",
            "true",
        ),
        (
            assigned(r#"{"ref": "x", "value": {"op": "/", "left": "x", "right": 2}}"#),
            "the value of `x` is a whole number, but this is a real number",
            r#"{"op": "/", "left": "x", "right": 2}"#,
        ),
        (assigned(r#"{"ref": "y", "value": 1}"#), "`y` is not declared", "\"y\""),
        (
            assigned(r#"{"ref": {"op": "aa", "exp": "x", "index": 0}, "value": 1}"#),
            "only elements of arrays can be accessed, and this is no array",
            "\"x\"",
        ),
        (assigned(&format!("{}, {}", step(1), step(1))), "`x` is assigned twice at the same time", &step(1)),
        (
            assigned(r#"{"ref": "x", "value": 1, "index": 0.5}"#),
            "in the index of an assignment: expected a whole number of 32 bits, found a number",
            "0.5",
        ),
    ];
    for (edges, message, place) in &cases {
        assert_said(&[("edges", edges)], message, place);
    }
}

#[test]
fn what_is_wrong_only_if_it_happens_is_a_warning() {
    let improbable = r#"[{"location": "l", "destinations": [{"location": "l", "probability": {"exp": 1.5}}]}]"#;
    assert_eq!(warnings(&file(&[("edges", improbable)])), ["the probability 1.5 is not between 0 and 1"]);
    let outside = format!("[{}]", edge("false", r#"{"ref": "x", "value": 9}"#));
    assert_eq!(warnings(&file(&[("edges", &outside)])), ["the value of `x` is 9, outside of 0..3"]);
    let negative = r#"[{"location": "l", "rate": {"exp": -1}, "destinations": [{"location": "l"}]}]"#;
    assert_eq!(warnings(&file(&[("type", "\"ctmc\""), ("edges", negative)])), ["this rate is negative"]);
}

#[test]
fn the_system_is_checked() {
    let cases = [
        (r#"{"elements": [{"automaton": "B"}]}"#, "there is no automaton `B`", "\"B\""),
        (r#"{"elements": []}"#, "the system has no elements", r#"{"elements": []}"#),
        (
            r#"{"elements": [{"automaton": "A"}], "syncs": [{"synchronise": ["a", null]}]}"#,
            "a synchronisation vector needs one entry for each of the 1 elements of the system, but this one has 2",
            r#"["a", null]"#,
        ),
        (r#"{"elements": [{"automaton": "A"}], "syncs": [{"synchronise": ["c"]}]}"#, "there is no action `c`", "\"c\""),
        (
            r#"{"elements": [{"automaton": "A", "input-enable": ["a"]}, {"automaton": "A"}], "syncs": [{"synchronise": ["a", "a"]}]}"#,
            "input-enabled actions are not supported: the automaton `A#1`",
            "\"a\"",
        ),
    ];
    for (system, message, place) in cases {
        assert_said(&[("system", system)], message, place);
    }
    assert_said(&[("initial-locations", "[]")], "the automaton `A` has no initial location", "\"A\"");
    assert_said(&[("locations", r#"[{"name": "l"}, {"name": "l"}]"#)], "there are two locations `l`", "\"l\"");
    assert_said(
        &[("locations", r#"[{"name": "l", "time-progress": {"exp": true}}]"#)],
        "`time-progress` is not supported: dtmc, ctmc and mdp models have no clocks",
        r#"{"exp": true}"#,
    );
    assert_said(
        &[("locations", r#"[{"name": "l", "transient-values": [{"ref": "x", "value": 1}]}]"#)],
        "`x` is not a transient variable",
        "\"x\"",
    );
}

#[test]
fn functions_are_checked() {
    let call = |function: &str| {
        format!(r#"[{}]"#, edge(&format!(r#"{{"op": "call", "function": "{function}", "args": [1]}}"#), ""))
    };
    let functions = r#"[{"name": "f", "type": "bool", "parameters": [{"name": "n", "type": "int"}],
        "body": {"op": "call", "function": "g", "args": ["n"]}},
        {"name": "g", "type": "bool", "parameters": [{"name": "n", "type": "int"}],
        "body": {"op": "call", "function": "f", "args": ["n"]}},
        {"name": "h", "type": "bool", "parameters": [], "body": true},
        {"name": "k", "type": "bool", "parameters": [{"name": "n", "type": "bool"}], "body": "n"},
        {"name": "r", "type": "bool", "parameters": [{"name": "n", "type": "int"}], "body": "n"}]"#;
    let said = |function: &str| said(&[("functions", functions), ("edges", &call(function))]).0;
    assert_eq!(said("f"), "the function `f` calls itself: recursive functions are not supported");
    assert_eq!(said("h"), "the function `h` has 0 parameters, but 1 arguments are given");
    assert_eq!(said("k"), "the parameter `n` of `k` is a truth value, but this is a whole number");
    assert_eq!(said("r"), "the result of the function `r` is a truth value, but this is a whole number");
}

/// Reads it in a thread with a small stack, as test threads and programs have.
fn survives(text: String) -> Vec<String> {
    let start = Instant::now();
    let reading = std::thread::Builder::new().stack_size(2 << 20).spawn(move || {
        let result = jani::read(&mut SourceMap::default(), "nasty.jani", text.as_bytes(), &[]);
        jani::undefined_constants("nasty.jani", text.as_bytes());
        result.diagnostics.into_iter().map(|one| one.message).collect()
    });
    let messages = reading.expect("a thread").join().expect("no panic");
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    messages
}

fn nested(open: &str, inner: &str, close: &str, depth: usize) -> String {
    format!("{}{inner}{}", open.repeat(depth), close.repeat(depth))
}

#[test]
fn deep_nesting_ends_in_a_message_or_a_model() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let deep = survives(nested(open, "1", close, 100_000));
        assert_eq!(deep, ["values are nested more than 500 deep"]);
    }
    // As deep as is allowed: everything has to walk over it.
    let guards = [
        nested(r#"{"op": "¬", "exp": "#, r#"{"op": "=", "left": "x", "right": 0}"#, "}", 480),
        nested(r#"{"op": "∧", "right": {"op": "=", "left": "x", "right": 0}, "left": "#, "true", "}", 480),
        format!(
            r#"{{"op": "<", "left": {}, "right": 1}}"#,
            nested(r#"{"op": "+", "left": 1, "right": "#, "\"x\"", "}", 480)
        ),
        format!(
            r#"{{"op": "<", "left": {}, "right": 1}}"#,
            nested(
                r#"{"op": "ite", "if": {"op": "<", "left": "x", "right": 1}, "then": 1, "else": "#,
                "\"x\"",
                "}",
                480
            )
        ),
    ];
    for guard in guards {
        assert_eq!(survives(file(&[("edges", &format!("[{}]", edge(&guard, &step(1))))])), [""; 0]);
    }
    let array = r#"[{"name": "x", "type": {"kind": "array", "base": "int"}, "initial-value": {"op": "av", "elements": [0, 0]}}]"#;
    let index = nested(r#"{"op": "aa", "exp": "x", "index": "#, "0", "}", 480);
    let guard = format!(r#"{{"op": "<", "left": {index}, "right": 1}}"#);
    assert_eq!(survives(file(&[("variables", array), ("edges", &format!("[{}]", edge(&guard, "")))])), [""; 0]);
}

#[test]
fn small_files_cannot_blow_up() {
    let guard = |exp: &str| format!("[{}]", edge(&format!(r#"{{"op": "<", "left": {exp}, "right": 1}}"#), ""));
    let absolute = nested(r#"{"op": "abs", "exp": "#, "\"x\"", "}", 200);
    let messages = survives(file(&[("edges", &guard(&absolute))]));
    assert!(messages[0].contains("have more than 5000000 parts"), "{messages:?}");

    let function = |n: usize| {
        let call = format!(r#"{{"op": "call", "function": "f{}", "args": ["n"]}}"#, n + 1);
        let body =
            if n == 60 { "\"n\"".to_string() } else { format!(r#"{{"op": "+", "left": {call}, "right": {call}}}"#) };
        format!(r#"{{"name": "f{n}", "type": "int", "parameters": [{{"name": "n", "type": "int"}}], "body": {body}}}"#)
    };
    let functions: Vec<String> = (0..=60).map(function).collect();
    let edges = guard(r#"{"op": "call", "function": "f0", "args": ["x"]}"#);
    let messages = survives(file(&[("functions", &format!("[{}]", functions.join(","))), ("edges", &edges)]));
    assert!(messages[0].contains("have more than 5000000 parts"), "{messages:?}");

    let square = |n: usize| {
        let value = if n == 0 {
            "1.5".to_string()
        } else {
            format!(r#"{{"op": "*", "left": "c{0}", "right": "c{0}"}}"#, n - 1)
        };
        format!(r#"{{"name": "c{n}", "type": "real", "value": {value}}}"#)
    };
    let constants: Vec<String> = (0..60).map(square).collect();
    let messages = survives(file(&[("constants", &format!("[{}]", constants.join(",")))]));
    assert_eq!(messages[0], "the value of this expression has too many digits");

    let long = r#"[{"name": "x", "type": {"kind": "array", "base": "int"}, "initial-value": {"op": "ac", "var": "i", "length": 2000000000, "exp": 0}}]"#;
    assert_eq!(survives(file(&[("variables", long)])), ["arrays have at most 1048576 elements"]);

    let wide: Vec<String> = (0..300_000).map(|n| format!(r#"{{"ref": "x", "value": 1, "index": {n}}}"#)).collect();
    let messages = survives(file(&[("edges", &format!("[{}]", edge("true", &wide.join(","))))]));
    assert_eq!(messages, ["assignments have more than 64 different values of `index`"]);
}

#[test]
fn wrong_kinds_of_values_everywhere_are_no_panic() {
    let text = file(&[
        (
            "properties",
            r#"[{"name": "p", "expression": {"op": "filter", "fun": "min", "values": {"op": "Pmin", "exp": {"op": "F", "exp": true}}, "states": {"op": "initial"}}}]"#,
        ),
        ("constants", r#"[{"name": "c", "type": "int", "value": 1}]"#),
        ("functions", r#"[{"name": "f", "type": "int", "parameters": [{"name": "n", "type": "int"}], "body": "n"}]"#),
        ("restrict-initial", r#"{"exp": true}"#),
    ]);
    // Puts every one of these values in the place of every other value.
    let replacements =
        ["null", "true", "-7", "0.5", "\"x\"", "\"\"", "[]", "[[]]", "{}", "{\"op\": \"aa\"}", "{\"exp\": {}}"];
    let starts: Vec<usize> = text.match_indices([':', ',', '[']).map(|(at, _)| at + 1).collect();
    let mut count = 0;
    for start in starts {
        let rest = text[start..].trim_start();
        let start = text.len() - rest.len();
        let Some(length) = length_of_value(rest) else { continue };
        for replacement in replacements {
            let changed = format!("{}{replacement}{}", &text[..start], &text[start + length..]);
            jani::read(&mut SourceMap::default(), "wrong.jani", changed.as_bytes(), &[]);
            jani::undefined_constants("wrong.jani", changed.as_bytes());
            count += 1;
        }
    }
    assert!(count > 500, "{count}");
}

/// How long the value is that a text begins with.
fn length_of_value(text: &str) -> Option<usize> {
    let mut depth = 0;
    let mut quoted = false;
    for (at, letter) in text.char_indices() {
        match letter {
            '"' => quoted = !quoted,
            _ if quoted => {}
            '{' | '[' => depth += 1,
            '}' | ']' if depth == 0 => return (at > 0).then_some(at),
            '}' | ']' => depth -= 1,
            ',' if depth == 0 => return Some(at),
            _ => {}
        }
    }
    None
}

#[test]
fn broken_files_say_where() {
    for (text, message) in [
        ("", "the file is empty"),
        ("[]", "in a JANI model: expected an object, found a list"),
        ("{\"jani-version\": 1", "this is not well-formed JSON: expected `,` or `}`"),
        ("\u{fffd}", "this is not well-formed JSON: expected a value"),
    ] {
        assert_eq!(error(text).message, message);
        assert!(error(text).span.is_some());
    }
    let result = jani::read(&mut SourceMap::default(), "latin.jani", b"{\"a\": \"\xe9\xff\"}", &[]);
    assert!(result.model.is_none());
}
