//! Every construct of a model: what is read is looked at, or enumerated.

use bughound_ir::chance::Number;
use bughound_stochastic::jani;
use bughound_stochastic::tree::{ExprKind, Initial, Rewarded, StateType, Type};

use super::small::{bounded, edge, file, read, read_with, states, step, warnings};
use crate::enumerate::{Layout, Value, enumerate};

/// The value of an expression in the first state of the counter (`x` is 0, `b` true, `m` = [[1, 2], [3, 4]]).
fn value(exp: &str) -> Value {
    let variables = format!(
        r#"[{}, {{"name": "b", "type": "bool", "initial-value": true}},
            {{"name": "m", "type": {{"kind": "array", "base": {{"kind": "array", "base": "int"}}}},
              "initial-value": {{"op": "av", "elements": [{{"op": "av", "elements": [1, 2]}}, {{"op": "av", "elements": [3, 4]}}]}}}},
            {{"name": "probe", "type": "real", "transient": true, "initial-value": 0}},
            {{"name": "truth", "type": "bool", "transient": true, "initial-value": false}}]"#,
        bounded("x", 0, 3)
    );
    let constants = r#"[{"name": "c", "type": "real", "value": 0.1}]"#;
    let functions = r#"[{"name": "twice", "type": "int", "parameters": [{"name": "n", "type": "int"}],
        "body": {"op": "*", "left": 2, "right": "n"}}]"#;
    for target in ["probe", "truth"] {
        let locations = format!(r#"[{{"name": "l", "transient-values": [{{"ref": "{target}", "value": {exp}}}]}}]"#);
        let text = file(&[
            ("variables", &variables),
            ("constants", constants),
            ("functions", functions),
            ("locations", &locations),
        ]);
        let Ok(model) = read_with(&text, &[]) else { continue };
        let expr = match target {
            "probe" => model.rewards[0].items.first().map(|item| item.value.clone()),
            _ => Some(model.labels[0].condition.clone()),
        };
        // A reward of 0 has no item.
        let Some(expr) = expr else { return Value::Int(0) };
        let layout = Layout::new(&model);
        return layout.eval(&expr, &layout.initial()[0]).unwrap();
    }
    panic!(
        "{exp} is not read: {:?}",
        super::small::error(&file(&[
            ("variables", &variables),
            ("constants", constants),
            ("functions", functions),
            ("locations", &format!(r#"[{{"name": "l", "transient-values": [{{"ref": "probe", "value": {exp}}}]}}]"#))
        ]))
    )
}

#[test]
fn operators_in_both_spellings() {
    let binary =
        |op: &str, left: &str, right: &str| value(&format!(r#"{{"op": "{op}", "left": {left}, "right": {right}}}"#));
    let unary = |op: &str, operand: &str| value(&format!(r#"{{"op": "{op}", "exp": {operand}}}"#));
    for (sign, ascii, result) in
        [("∧", "&&", false), ("∨", "||", true), ("⇒", "=>", false), ("=", "==", false), ("≠", "!=", true)]
    {
        assert_eq!(binary(sign, "\"b\"", "false"), Value::Bool(result), "{sign}");
        assert_eq!(binary(ascii, "\"b\"", "false"), Value::Bool(result), "{ascii}");
    }
    for (sign, ascii, result) in [("≤", "<=", true), ("≥", ">=", false), ("<", "<", true), (">", ">", false)] {
        assert_eq!(binary(sign, "\"x\"", "1"), Value::Bool(result), "{sign}");
        assert_eq!(binary(ascii, "\"x\"", "1"), Value::Bool(result), "{ascii}");
    }
    assert_eq!(unary("¬", "\"b\""), Value::Bool(false));
    assert_eq!(unary("!", "\"b\""), Value::Bool(false));
    let half = Number::from_parts(1.into(), 2u8.into());
    assert_eq!(binary("/", "1", "2"), Value::Real(half.clone()));
    assert_eq!(binary("-", "\"x\"", "2"), Value::Int(-2));
    assert_eq!(binary("%", "{\"op\": \"-\", \"left\": \"x\", \"right\": 1}", "3"), Value::Int(2));
    assert_eq!(binary("pow", "2", "{\"op\": \"+\", \"left\": \"x\", \"right\": 3}"), Value::Int(8));
    assert_eq!(binary("pow", "2", "-1"), Value::Real(half));
    assert_eq!(binary("log", "8", "2"), Value::Real(Number::from(3)));
    assert_eq!(binary("min", "\"x\"", "-4"), Value::Int(-4));
    assert_eq!(binary("max", "\"x\"", "4"), Value::Int(4));
    let below = "{\"op\": \"-\", \"left\": \"x\", \"right\": 1.5}";
    assert_eq!(unary("floor", below), Value::Int(-2));
    assert_eq!(unary("ceil", below), Value::Int(-1));
    assert_eq!(unary("trc", below), Value::Int(-1));
    assert_eq!(unary("sgn", below), Value::Int(-1));
    assert_eq!(unary("abs", below), Value::Real(Number::from_parts(3.into(), 2u8.into())));
    assert_eq!(
        value(r#"{"op": "ite", "if": "b", "then": 5, "else": {"op": "/", "left": 1, "right": "x"}}"#).number(),
        Number::from(5)
    );
    assert_eq!(
        value(r#"{"op": "call", "function": "twice", "args": [{"op": "+", "left": "x", "right": 4}]}"#),
        Value::Int(8)
    );
}

#[test]
fn numbers_are_exact() {
    let tenth = Number::from_parts(1.into(), 10u8.into());
    assert_eq!(value("0.1"), Value::Real(tenth.clone()));
    assert_eq!(value("\"c\""), Value::Real(tenth));
    assert_eq!(value("10000000000"), Value::Real(Number::from(10_000_000_000u64)));
    let Value::Real(e) = value("{\"constant\": \"e\"}") else { panic!("a real number") };
    assert_eq!(e.to_f64().value(), std::f64::consts::E);
}

#[test]
fn arrays_of_arrays_are_flattened() {
    let at = |i: &str, j: &str| {
        value(&format!(r#"{{"op": "aa", "exp": {{"op": "aa", "exp": "m", "index": {i}}}, "index": {j}}}"#))
    };
    assert_eq!(at("1", "0"), Value::Int(3));
    assert_eq!(at("\"x\"", "1"), Value::Int(2));
    assert_eq!(at("1", "{\"op\": \"+\", \"left\": \"x\", \"right\": 1}"), Value::Int(4));
    let literal =
        r#"{"op": "aa", "exp": {"op": "av", "elements": [7, 8, 9]}, "index": {"op": "+", "left": "x", "right": 2}}"#;
    assert_eq!(value(literal), Value::Int(9));
    let made = r#"{"op": "aa", "exp": {"op": "ac", "var": "i", "length": 4, "exp": {"op": "*", "left": "i", "right": "i"}}, "index": 3}"#;
    assert_eq!(value(made), Value::Int(9));
}

#[test]
fn an_inner_index_outside_of_its_row_is_an_error_in_the_state() {
    let variables = format!(
        r#"[{}, {{"name": "m", "type": {{"kind": "array", "base": {{"kind": "array", "base": "int"}}}},
          "initial-value": {{"op": "ac", "var": "i", "length": 2, "exp": {{"op": "ac", "var": "j", "length": 2, "exp": 0}}}}}}]"#,
        bounded("x", 0, 3)
    );
    let target = r#"{"op": "aa", "exp": {"op": "aa", "exp": "m", "index": 0}, "index": "x"}"#;
    let edges = format!("[{}]", edge("true", &format!(r#"{{"ref": {target}, "value": 1}}, {}"#, step(1))));
    let model = read(&file(&[("variables", &variables), ("edges", &edges)]));
    assert_eq!(model.variables[1].len, Some(4));
    assert_eq!(enumerate(&model).unwrap_err(), "index Some(-1) outside of `m`");
}

#[test]
fn an_index_outside_of_an_array_matters_only_where_it_is_evaluated() {
    let before =
        r#"{"op": "aa", "exp": {"op": "av", "elements": [7, 8, 9]}, "index": {"op": "-", "left": "i", "right": 1}}"#;
    let shifted = format!(
        r#"{{"op": "ac", "var": "i", "length": 3, "exp": {{"op": "ite", "if": {{"op": "=", "left": "i", "right": 0}}, "then": 0, "else": {before}}}}}"#
    );
    assert_eq!(value(&format!(r#"{{"op": "aa", "exp": {shifted}, "index": 2}}"#)), Value::Int(8));
    let never = r#"{"op": "ite", "if": "b", "then": 5, "else": {"op": "aa", "exp": {"op": "aa", "exp": "m", "index": 7}, "index": 0}}"#;
    assert_eq!(value(never), Value::Int(5));
}

#[test]
fn whole_arrays_are_assigned_element_by_element() {
    let array = |name: &str| {
        format!(
            r#"{{"name": "{name}", "type": {{"kind": "array", "base": "int"}}, "initial-value": {{"op": "av", "elements": [1, 2]}}}}"#
        )
    };
    let variables = format!("[{}, {}]", array("p"), array("q"));
    let swap = r#"{"ref": "p", "value": {"op": "ac", "var": "i", "length": 2, "exp": {"op": "aa", "exp": "q", "index": {"op": "-", "left": 1, "right": "i"}}}}"#;
    let edges = format!("[{}]", edge("true", swap));
    let found = states(&file(&[("variables", &variables), ("edges", &edges)]));
    assert_eq!(found.states, [vec![1, 2, 1, 2, 0], vec![2, 1, 1, 2, 0]]);
}

#[test]
fn constants_are_given_and_only_demanded_if_used() {
    let constants = r#"[{"name": "N", "type": "int"}, {"name": "M", "type": "int", "value": {"op": "*", "left": 2, "right": "N"}},
        {"name": "p", "type": "real"}, {"name": "idle", "type": "bool"}]"#;
    let edges = r#"[{"location": "l", "guard": {"exp": {"op": "<", "left": "x", "right": "M"}},
        "destinations": [{"location": "l", "probability": {"exp": "p"}, "assignments": [{"ref": "x", "value": {"op": "+", "left": "x", "right": 1}}]},
                         {"location": "l", "probability": {"exp": {"op": "-", "left": 1, "right": "p"}}}]}]"#;
    let text = file(&[("constants", constants), ("edges", edges)]);
    let model = read_with(&text, &[("N", "1"), ("p", "1/3")]).unwrap();
    assert_eq!(enumerate(&model).unwrap().states.len(), 3);
    let ExprKind::Real(chance) = &model.automata[0].edges[0].destinations[1].chance.as_ref().unwrap().kind else {
        panic!("a number")
    };
    assert_eq!(*chance, Number::from_parts(2.into(), 3u8.into()));
    let open = jani::undefined_constants("", text.as_bytes());
    let open: Vec<_> = open.iter().map(|one| (one.name.as_str(), one.ty)).collect();
    assert_eq!(open, [("N", Type::Int), ("p", Type::Real)]);

    let said = |given: &[(&str, &str)]| read_with(&text, given).unwrap_err().remove(0).message;
    assert_eq!(said(&[("p", "0.5")]), "the constant `N` has no value");
    assert_eq!(said(&[("N", "1"), ("p", "x")]), "`p=x`: the constant `p` is a number such as `0.5` or `1/3`");
    assert_eq!(said(&[("N", "0.5"), ("p", "1")]), "`N=0.5`: the constant `N` is a whole number of 32 bits");
    assert_eq!(
        said(&[("N", "1"), ("p", "1"), ("idel", "true")]),
        "the model has no constant `idel` (did you mean `idle`?)"
    );
    assert_eq!(
        said(&[("N", "1"), ("p", "1"), ("M", "1")]),
        "the constant `M` has a value in the model: it cannot be given another one"
    );
    assert_eq!(said(&[("N", "1"), ("N", "2"), ("p", "1")]), "the constant `N` is given twice");
}

#[test]
fn variables_without_initial_values_start_everywhere() {
    let free = r#"[{"name": "x", "type": {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": 3}}, {"name": "y", "type": "bool"}]"#;
    let found = states(&file(&[("variables", free)]));
    assert_eq!(found.initial.len(), 8);
    let restricted = r#"{"exp": {"op": "∧", "left": "y", "right": {"op": ">", "left": "x", "right": 1}}}"#;
    let text = file(&[("variables", free), ("restrict-initial", restricted)]);
    assert_eq!(states(&text).initial.len(), 2);
    assert!(matches!(read(&text).initial, Initial::Where(_)));
    let locations = r#"[{"name": "l"}, {"name": "k"}]"#;
    let found = states(&file(&[("locations", locations), ("initial-locations", r#"["l", "k"]"#)]));
    assert_eq!(found.initial.len(), 2);
    assert!(matches!(read(&file(&[("restrict-initial", r#"{"exp": true}"#)])).initial, Initial::Values));
}

#[test]
fn types_of_variables() {
    let variables = r#"[{"name": "i", "type": "int", "initial-value": 7},
        {"name": "half", "type": {"kind": "bounded", "base": "int", "lower-bound": 2}, "initial-value": 2},
        {"name": "b", "type": "bool", "initial-value": true}]"#;
    let model = read(&file(&[("variables", variables), ("edges", "[]")]));
    let types: Vec<_> = model.variables.iter().map(|variable| variable.ty).collect();
    let whole = StateType::Int { lo: i32::MIN, hi: i32::MAX };
    assert_eq!(types, [whole, StateType::Int { lo: 2, hi: i32::MAX }, StateType::Bool]);
    assert_eq!(model.variables[2].initial, Some(vec![1]));
    assert_eq!(enumerate(&model).unwrap().deadlocks, 1);
}

/// Two processes that count `n` of their own, and signal with `a`.
fn network(syncs: &str) -> String {
    let automata = r#"[{"name": "P", "locations": [{"name": "l"}], "initial-locations": ["l"],
        "variables": [{"name": "n", "type": {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": 2}, "initial-value": 0}],
        "edges": [{"location": "l", "action": "a", "guard": {"exp": {"op": "<", "left": "n", "right": 2}}, "destinations": [
            {"location": "l", "assignments": [{"ref": "n", "value": {"op": "+", "left": "n", "right": 1}}]}]}]}]"#;
    let system = format!(r#"{{"elements": [{{"automaton": "P"}}, {{"automaton": "P"}}]{syncs}}}"#);
    file(&[("automata", automata), ("system", &system), ("variables", ""), ("type", "\"mdp\"")])
}

#[test]
fn an_automaton_twice_has_two_sets_of_variables() {
    let model =
        read(&network(r#", "syncs": [{"synchronise": ["a", null], "result": "b"}, {"synchronise": [null, "a"]}]"#));
    let names: Vec<_> = model.variables.iter().map(|variable| variable.name.as_str()).collect();
    assert_eq!(names, ["P#1.n", "P#2.n"]);
    assert_eq!(model.vectors.iter().map(|vector| vector.name.as_deref()).collect::<Vec<_>>(), [Some("b"), None]);
    assert_eq!(enumerate(&model).unwrap().states.len(), 9);
    let together = states(&network(r#", "syncs": [{"synchronise": ["a", "a"], "result": "a"}]"#));
    assert_eq!(together.states.len(), 3);
}

#[test]
fn actions_in_no_vector_never_happen() {
    let text = network("");
    assert_eq!(states(&text).states.len(), 1);
    assert_eq!(warnings(&text)[0], "edges of `P#1` with the action `a` never happen: no synchronisation vector has it");
}

#[test]
fn the_actions_of_a_single_automaton_happen_if_nothing_is_said() {
    let edges = format!(
        "[{}]",
        edge(r#"{"op": "<", "left": "x", "right": 3}"#, &step(1)).replacen('{', r#"{"action": "a", "#, 1)
    );
    assert_eq!(states(&file(&[("edges", &edges)])).states.len(), 4);
    let none = r#"{"elements": [{"automaton": "A"}], "syncs": []}"#;
    assert_eq!(states(&file(&[("edges", &edges), ("system", none)])).states.len(), 1);
}

#[test]
fn input_enabling_is_refused_only_where_it_matters() {
    let alone = r#"{"elements": [{"automaton": "A", "input-enable": ["a"]}], "syncs": [{"synchronise": ["a"]}]}"#;
    read(&file(&[("system", alone)]));
}

#[test]
fn assignments_of_one_phase_are_simultaneous_and_phases_follow_each_other() {
    let variables = format!("[{}, {}]", bounded("x", 1, 9), bounded("y", 2, 9));
    let swap = r#"{"ref": "x", "value": "y"}, {"ref": "y", "value": "x"}"#;
    let found = states(&file(&[
        ("variables", &variables),
        (
            "edges",
            &format!(
                "[{}]",
                edge(
                    r#"{"op": "=", "left": "x", "right": 1}"#,
                    &swap.replace("\"value\": \"x\"", "\"value\": {\"op\": \"+\", \"left\": \"x\", \"right\": 1}")
                )
            ),
        ),
    ]));
    assert_eq!(found.states[1], [2, 2, 0]);
    let later =
        r#"{"ref": "x", "value": 5}, {"ref": "y", "value": "x", "index": 3}, {"ref": "x", "value": 7, "index": 3}"#;
    let text = file(&[
        ("variables", &variables),
        ("edges", &format!("[{}]", edge(r#"{"op": "=", "left": "x", "right": 1}"#, later))),
    ]);
    assert_eq!(states(&text).states[1], [7, 5, 0]);
    assert_eq!(read(&text).automata[0].edges[0].destinations[0].phases.len(), 2);
}

#[test]
fn edge_level_assignments_happen_wherever_the_edge_leads() {
    let edges = r#"[{"location": "l", "guard": {"exp": {"op": "=", "left": "x", "right": 0}}, "assignments": [{"ref": "x", "value": 2}],
        "destinations": [{"location": "l", "probability": {"exp": 0.5}}, {"location": "k", "probability": {"exp": 0.5}}]}]"#;
    let found = states(&file(&[("edges", edges), ("locations", r#"[{"name": "l"}, {"name": "k"}]"#)]));
    assert_eq!(found.states[1..], [vec![2, 0], vec![2, 1]]);
}

#[test]
fn a_value_is_handed_on_through_a_transient_variable() {
    let automata = r#"[{"name": "S", "locations": [{"name": "l"}, {"name": "done"}], "initial-locations": ["l"],
        "edges": [{"location": "l", "action": "a", "destinations": [{"location": "done", "assignments": [{"ref": "wire", "value": 2}]}]}]},
      {"name": "R", "locations": [{"name": "l"}], "initial-locations": ["l"],
        "edges": [{"location": "l", "action": "a", "destinations": [{"location": "l", "assignments": [{"ref": "x", "value": "wire", "index": 1}]}]}]}]"#;
    let variables = format!(
        r#"[{}, {{"name": "wire", "type": "int", "transient": true, "initial-value": 0}}]"#,
        bounded("x", 0, 3)
    );
    let system = r#"{"elements": [{"automaton": "S"}, {"automaton": "R"}], "syncs": [{"synchronise": ["a", "a"]}]}"#;
    let text = file(&[("automata", automata), ("variables", &variables), ("system", system)]);
    // x, the wire (reset), both locations.
    assert_eq!(states(&text).states, [vec![0, 0, 0, 0], vec![2, 0, 1, 0]]);
}

#[test]
fn transient_variables_are_labels_and_rewards() {
    let variables = format!(
        r#"[{}, {{"name": "late", "type": "bool", "transient": true, "initial-value": false}},
            {{"name": "cost", "type": "real", "transient": true, "initial-value": 0}},
            {{"name": "toll", "type": "int", "transient": true, "initial-value": 1}}]"#,
        bounded("x", 0, 3)
    );
    let locations = r#"[{"name": "l"}, {"name": "k", "transient-values": [{"ref": "late", "value": {"op": ">", "left": "x", "right": 1}},
        {"ref": "cost", "value": "x"}]}]"#;
    let edges = r#"[{"location": "l", "guard": {"exp": {"op": "¬", "exp": "late"}}, "destinations": [
            {"location": "l", "probability": {"exp": 0.5}, "assignments": [{"ref": "toll", "value": 4}, {"ref": "x", "value": 1}]},
            {"location": "k", "probability": {"exp": 0.5}}]}]"#;
    let model = read(&file(&[("variables", &variables), ("locations", locations), ("edges", edges)]));
    assert_eq!(model.labels.iter().map(|label| label.name.as_str()).collect::<Vec<_>>(), ["late"]);
    let layout = Layout::new(&model);
    assert!(layout.holds(&model.labels[0].condition, &vec![2, 1]));
    assert!(!layout.holds(&model.labels[0].condition, &vec![2, 0]));
    let of =
        |name: &str| model.rewards.iter().find(|reward| reward.name.as_deref() == Some(name)).expect("a structure");
    assert_eq!(of("cost").items.iter().map(|item| item.of).collect::<Vec<_>>(), [Rewarded::State]);
    // 1 in every state and step; 3 more where the edge leads back.
    let edge = Rewarded::Edge { automaton: 0, edge: 0, destination: Some(0) };
    assert_eq!(
        of("toll").items.iter().map(|item| item.of).collect::<Vec<_>>(),
        [Rewarded::State, Rewarded::Step, edge]
    );
    assert_eq!(layout.eval(&of("toll").items[2].value, &vec![0, 0]), Ok(Value::Int(3)));
}

#[test]
fn many_locations_give_a_shallow_expression() {
    let variables = format!(
        r#"[{}, {{"name": "cost", "type": "real", "transient": true, "initial-value": 0.5}}]"#,
        bounded("x", 0, 3)
    );
    let location = |n: usize| {
        format!(
            r#"{{"name": "{}", "transient-values": [{{"ref": "cost", "value": {n}}}]}}"#,
            if n == 0 { "l".to_string() } else { format!("l{n}") }
        )
    };
    let locations: Vec<String> = (0..3000).map(location).collect();
    let model = read(&file(&[("variables", &variables), ("locations", &format!("[{}]", locations.join(",")))]));
    let layout = Layout::new(&model);
    for at in [0, 1, 1499, 1500, 2999] {
        let value = layout.eval(&model.rewards[0].items[0].value, &vec![0, at]).unwrap();
        assert_eq!(value.number(), Number::from(at));
    }
}

#[test]
fn rates_and_shares_of_a_ctmc() {
    let edges = r#"[{"location": "l", "rate": {"exp": 3}, "guard": {"exp": {"op": "=", "left": "x", "right": 0}}, "destinations": [
        {"location": "l", "probability": {"exp": {"op": "/", "left": 1, "right": 3}}, "assignments": [{"ref": "x", "value": 1}]},
        {"location": "l", "probability": {"exp": {"op": "/", "left": 2, "right": 3}}, "assignments": [{"ref": "x", "value": 2}]}]}]"#;
    let found = states(&file(&[("type", "\"ctmc\""), ("edges", edges)]));
    assert_eq!(found.choices[0][0].entries, [(1, 1.0), (2, 2.0)]);
    let text = file(&[("type", "\"ctmc\"")]);
    assert_eq!(warnings(&text), ["this edge of a ctmc has no rate: it is taken to be 1"]);
}

#[test]
fn edges_know_what_the_user_wrote() {
    let model = read(&file(&[("comment", "\"anything\""), ("x-tool", "{}")]));
    let edge = &model.automata[0].edges[0];
    assert_eq!(edge.text, "[] x < 3 -> (x' = x + 1)");
    assert!(model.sources.text(edge.span).starts_with(r#"{"location": "l""#));
}

#[test]
fn a_byte_order_mark_is_skipped() {
    read(&format!("\u{feff}{}", file(&[])));
}

#[test]
fn strange_keys_are_warned_about() {
    let variables = r#"[{"name": "x", "type": "int", "initial-value": 0, "initial-vlaue": 1}]"#;
    assert_eq!(
        warnings(&file(&[("variables", variables)])),
        ["a variable has no key `initial-vlaue` (did you mean `initial-value`?)"]
    );
}
