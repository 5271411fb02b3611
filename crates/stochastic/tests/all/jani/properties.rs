//! Properties: what is asked, of which states, and what cannot be.

use bughound_ir::chance::{
    Asked, Bounded, ChanceQuestion, Comparison, Extreme, FilterFunction, Measure, Number, PathFormula, Quantity,
    RewardFormula, StateFormula,
};
use bughound_stochastic::tree::{Expr, Model, Rewarded};

use super::small::{bounded, edge, file, read, states, step};
use crate::enumerate::enumerate;
use crate::values::Evaluator;

const INITIAL: &str = r#"{"op": "initial"}"#;

/// The counter with a label and rewards of all kinds, and one property.
fn model_with(kind: &str, expression: &str) -> Model {
    let variables = format!(
        r#"[{}, {{"name": "end", "type": "bool", "transient": true, "initial-value": false}},
            {{"name": "stay", "type": "real", "transient": true, "initial-value": 0}},
            {{"name": "go", "type": "real", "transient": true, "initial-value": 0}}]"#,
        bounded("x", 0, 3)
    );
    let locations = r#"[{"name": "l", "transient-values": [{"ref": "end", "value": {"op": "=", "left": "x", "right": 3}},
        {"ref": "stay", "value": {"op": "*", "left": 10, "right": "x"}}]}]"#;
    let assignments = format!(r#"{}, {{"ref": "go", "value": {{"op": "+", "left": "x", "right": 1}}}}"#, step(1));
    let edges = format!("[{}]", edge(r#"{"op": "<", "left": "x", "right": 3}"#, &assignments));
    let edges = if kind == "ctmc" { edges.replacen('{', r#"{"rate": {"exp": 2}, "#, 1) } else { edges };
    let properties = format!(r#"[{{"name": "p", "expression": {expression}}}]"#);
    let kind = format!("\"{kind}\"");
    read(&file(&[
        ("type", &kind),
        ("variables", &variables),
        ("locations", locations),
        ("edges", &edges),
        ("properties", &properties),
    ]))
}

fn filter(function: &str, values: &str) -> String {
    format!(r#"{{"op": "filter", "fun": "{function}", "values": {values}, "states": {INITIAL}}}"#)
}

fn question(expression: &str) -> ChanceQuestion<Expr> {
    model_with("dtmc", expression)
        .properties
        .remove(0)
        .question
        .unwrap_or_else(|reason| panic!("{reason:?}: {expression}"))
}

fn quantity(expression: &str) -> Quantity<Expr> {
    match question(expression).asked {
        Asked::Value(quantity) => quantity,
        Asked::Truth(formula) => panic!("{formula:?}"),
    }
}

fn refused(kind: &str, expression: &str) -> String {
    let property = model_with(kind, expression).properties.remove(0);
    property.question.map_or_else(|reason| reason.0, |question| panic!("{question:?}"))
}

#[test]
fn filters() {
    let probability = r#"{"op": "Pmax", "exp": {"op": "F", "exp": "end"}}"#;
    for (name, function) in [
        ("min", FilterFunction::Min),
        ("max", FilterFunction::Max),
        ("sum", FilterFunction::Sum),
        ("avg", FilterFunction::Average),
        ("values", FilterFunction::State),
    ] {
        let question = question(&filter(name, probability));
        assert_eq!((question.function, question.states.is_none()), (function, true), "{name}");
    }
    for (name, function) in [
        ("∀", FilterFunction::ForAll),
        ("forall", FilterFunction::ForAll),
        ("∃", FilterFunction::Exists),
        ("count", FilterFunction::Count),
        ("values", FilterFunction::State),
    ] {
        assert_eq!(question(&filter(name, "\"end\"")).function, function, "{name}");
    }
    let of_some = format!(
        r#"{{"op": "filter", "fun": "values", "values": {probability}, "states": {{"op": "¬", "exp": {{"op": "deadlock"}}}}}}"#
    );
    let question = question(&of_some);
    assert_eq!(question.function, FilterFunction::Range);
    assert!(matches!(question.states, Some(StateFormula::Not(_))));
    assert_eq!(refused("dtmc", &filter("argmax", probability)), "filters with `argmax` are not supported");
    assert_eq!(refused("dtmc", &filter("mni", probability)), "there is no filter function `mni` (did you mean `min`?)");
    assert_eq!(
        refused("dtmc", &filter("∀", probability)),
        "the filter `∀` is about truth values, but these are numbers"
    );
}

#[test]
fn paths_and_bounds() {
    let path = |exp: &str| match quantity(&format!(r#"{{"op": "Pmin", "exp": {exp}}}"#)) {
        Quantity { extreme: Extreme::Min, measure: Measure::Probability(path) } => path,
        other => panic!("{other:?}"),
    };
    assert!(matches!(path(r#"{"op": "F", "exp": "end"}"#), PathFormula::Finally(..)));
    assert!(matches!(path(r#"{"op": "U", "left": true, "right": "end"}"#), PathFormula::Finally(..)));
    assert!(matches!(path(r#"{"op": "G", "exp": "end"}"#), PathFormula::Globally(..)));
    assert!(matches!(path(r#"{"op": "X", "exp": "end"}"#), PathFormula::Next(..)));
    let sides = r#""left": {"op": "<", "left": "x", "right": 2}, "right": "end""#;
    assert!(matches!(path(&format!(r#"{{"op": "U", {sides}}}"#)), PathFormula::Until(..)));
    assert!(matches!(path(&format!(r#"{{"op": "W", {sides}}}"#)), PathFormula::WeakUntil(..)));
    assert!(matches!(path(&format!(r#"{{"op": "R", {sides}}}"#)), PathFormula::Release(..)));
    let bounded = r#"{"op": "F", "exp": "end", "step-bounds": {"upper": 5, "upper-exclusive": true},
        "reward-bounds": [{"exp": "go", "accumulate": ["steps"], "bounds": {"lower": 0.5}}]}"#;
    let PathFormula::Finally(_, bounds) = path(bounded) else { panic!("finally") };
    assert_eq!(bounds[0].of, Bounded::Steps);
    assert!(bounds[0].upper.as_ref().is_some_and(|upper| upper.strict && upper.value == Number::from(5)));
    assert!(matches!(bounds[1].of, Bounded::Reward(_)));
    assert!(
        bounds[1]
            .lower
            .as_ref()
            .is_some_and(|lower| !lower.strict && lower.value == Number::from_parts(1.into(), 2u8.into()))
    );
}

#[test]
fn comparisons_both_ways_round_and_combinations() {
    let probability = r#"{"op": "Pmax", "exp": {"op": "F", "exp": "end"}}"#;
    let truth = |expression: &str| match question(expression).asked {
        Asked::Truth(formula) => formula,
        Asked::Value(value) => panic!("{value:?}"),
    };
    let half = Number::from_parts(1.into(), 2u8.into());
    for (json, comparison) in [
        (format!(r#"{{"op": "≥", "left": {probability}, "right": 0.5}}"#), Comparison::GreaterEqual),
        (format!(r#"{{"op": "≥", "left": 0.5, "right": {probability}}}"#), Comparison::LessEqual),
        (format!(r#"{{"op": "<", "left": 0.5, "right": {probability}}}"#), Comparison::Greater),
    ] {
        let StateFormula::Bound(quantity, found, number) = truth(&json) else { panic!("{json}") };
        assert_eq!((quantity.extreme, found, number), (Extreme::Max, comparison, half.clone()));
    }
    let both = format!(
        r#"{{"op": "∧", "left": {{"op": "¬", "exp": {{"op": ">", "left": {probability}, "right": 0}}}}, "right": "end"}}"#
    );
    assert!(matches!(truth(&filter("∀", &both)), StateFormula::And(left, _) if matches!(*left, StateFormula::Not(_))));
    let implied = format!(
        r#"{{"op": "⇒", "left": {{"op": "initial"}}, "right": {{"op": ">", "left": {probability}, "right": 0}}}}"#
    );
    assert!(matches!(truth(&implied), StateFormula::Or(..)));
}

#[test]
fn what_cannot_be_asked_has_a_reason() {
    let finally = r#"{"op": "F", "exp": "end"}"#;
    let cases = [
        (
            format!(r#"{{"op": "Pmax", "exp": {{"op": "G", "exp": {finally}}}}}"#),
            "LTL formulas are not supported: a path has one temporal operator, over states",
        ),
        (
            r#"{"op": "Pmax", "exp": "end"}"#.to_string(),
            "LTL formulas are not supported: a path begins with `F`, `G`, `X`, `U`, `W` or `R`",
        ),
        (
            format!(r#"{{"op": "∀", "exp": {finally}}}"#),
            "`∀` over paths is not supported: ask for the probability, `Pmin` or `Pmax`",
        ),
        (
            format!(r#"{{"op": "=", "left": {{"op": "Pmax", "exp": {finally}}}, "right": 1}}"#),
            "`=` between what is asked about runs is not supported",
        ),
        (
            r#"{"op": "Emin", "exp": "go", "accumulate": ["steps"], "reach": "end", "step-instant": 3}"#.to_string(),
            "`reach` together with an instant is not supported",
        ),
        (
            r#"{"op": "Emin", "exp": "go", "reach": "end"}"#.to_string(),
            "the value when a state is reached is not supported: add `accumulate`",
        ),
        (r#"{"op": "Emin", "exp": "go"}"#.to_string(), "an expected value needs `accumulate`, or an instant"),
        (
            r#"{"op": "Emin", "exp": "go", "accumulate": ["steps"], "reward-instants": []}"#.to_string(),
            "`reward-instants` are not supported",
        ),
        (
            r#"{"op": "Emin", "exp": "stay", "accumulate": ["time"], "reach": "end"}"#.to_string(),
            "rewards over time need a ctmc: in discrete time, accumulate over `steps` or `exit`",
        ),
        (
            r#"{"op": "Emin", "exp": "go", "accumulate": ["step"], "reach": "end"}"#.to_string(),
            "nothing can be accumulated over `step` (did you mean `steps`?)",
        ),
        (
            r#"{"op": "Emin", "exp": "end", "accumulate": ["steps"], "reach": "end"}"#.to_string(),
            "a reward is a number, but this is a truth value",
        ),
        (
            r#"{"op": "Pmax", "exp": {"op": "F", "exp": "ende"}}"#.to_string(),
            "`ende` is not declared (did you mean `end`?)",
        ),
        (
            r#"{"op": "Pmax", "exp": {"op": "F", "exp": "x"}}"#.to_string(),
            "what is asked of states is a truth value, but this is a whole number",
        ),
        (filter("min", &filter("min", "\"end\"")), "filters inside of filters are not supported"),
    ];
    for (expression, reason) in cases {
        assert_eq!(refused("mdp", &expression), reason, "{expression}");
    }
    let steps = r#"{"op": "Emin", "exp": "stay", "step-instant": 2}"#;
    assert_eq!(refused("ctmc", steps), "`step-instant` in a ctmc is not supported");
}

/// The value of an expected reward, and the items of its structure.
fn expected(kind: &str, expression: &str) -> (f64, Vec<Rewarded>) {
    let model = model_with(kind, expression);
    let question = model.properties[0].question.as_ref().expect("a question");
    let Asked::Value(Quantity { measure: Measure::Reward { structure, .. }, .. }) = &question.asked else {
        panic!("a reward")
    };
    let items = model.rewards[structure.0 as usize].items.iter().map(|item| item.of).collect();
    let found = enumerate(&model).unwrap();
    (Evaluator::new(&model, &found).value(question).expect("a value"), items)
}

#[test]
fn what_accumulates_when() {
    let reach =
        |exp: &str, over: &str| format!(r#"{{"op": "Emin", "exp": {exp}, "accumulate": {over}, "reach": "end"}}"#);
    let edge = Rewarded::Edge { automaton: 0, edge: 0, destination: Some(0) };
    // x is 0, 1, 2 when a step is taken: `go` is 1 + 2 + 3, `stay` 0 + 10 + 20.
    assert_eq!(expected("dtmc", &reach("\"go\"", r#"["steps"]"#)), (6.0, vec![edge]));
    assert_eq!(expected("dtmc", &reach("\"go\"", r#"["exit"]"#)), (0.0, vec![]));
    assert_eq!(expected("dtmc", &reach("\"stay\"", r#"["exit"]"#)), (30.0, vec![Rewarded::State]));
    assert_eq!(expected("dtmc", &reach("\"stay\"", r#"["steps"]"#)), (0.0, vec![]));
    assert_eq!(expected("dtmc", &reach("1", r#"["steps"]"#)), (3.0, vec![Rewarded::Step]));
    assert_eq!(expected("dtmc", &reach("1", r#"["steps", "exit"]"#)), (6.0, vec![Rewarded::State, Rewarded::Step]));
    let sum = r#"{"op": "+", "left": "go", "right": {"op": "+", "left": "stay", "right": 1}}"#;
    assert_eq!(expected("dtmc", &reach(sum, r#"["steps"]"#)).0, 9.0);
    assert_eq!(expected("dtmc", &reach(sum, r#"["exit"]"#)).0, 33.0);
    let product = r#"{"op": "*", "left": {"op": "+", "left": "go", "right": 1}, "right": 2}"#;
    assert_eq!(expected("dtmc", &reach(product, r#"["steps"]"#)), (18.0, vec![Rewarded::Step, edge]));
}

#[test]
fn accumulated_in_continuous_time() {
    let until = |exp: &str, over: &str| {
        format!(r#"{{"op": "Emax", "exp": {exp}, "accumulate": {over}, "time-instant": 1000}}"#)
    };
    let close = |value: f64, expected: f64| assert!((value - expected).abs() < 1e-6, "{value}, expected {expected}");
    // The three steps take half a unit of time each; the end is a state without rewards of steps.
    close(expected("ctmc", &until("\"go\"", r#"["steps"]"#)).0, 6.0);
    let (value, items) = expected("ctmc", &until("\"stay\"", r#"["exit"]"#));
    assert_eq!(items, [Rewarded::Exit]);
    close(value, 30.0);
    let now = r#"{"op": "Emax", "exp": "stay", "time-instant": 1000}"#;
    close(expected("ctmc", now).0, 30.0);
    let (_, items) = expected("ctmc", &until("\"stay\"", r#"["time", "steps"]"#));
    assert_eq!(items, [Rewarded::State]);
}

#[test]
fn forms_of_expectations() {
    let of = |rest: &str| match quantity(&format!(r#"{{"op": "Emax", "exp": "stay"{rest}}}"#)) {
        Quantity { extreme: Extreme::Max, measure: Measure::Reward { of, .. } } => of,
        other => panic!("{other:?}"),
    };
    assert!(matches!(of(r#", "accumulate": ["exit"], "reach": "end""#), RewardFormula::Reach(_)));
    assert!(
        matches!(of(r#", "accumulate": ["exit"], "step-instant": 4"#), RewardFormula::Cumulated(n) if n == Number::from(4))
    );
    assert!(matches!(of(r#", "step-instant": 4"#), RewardFormula::Instant(n) if n == Number::from(4)));
    assert!(matches!(of(r#", "accumulate": ["exit"]"#), RewardFormula::Total));
    let long_run = |exp: &str| quantity(&format!(r#"{{"op": "Smin", "exp": "{exp}"}}"#)).measure;
    assert!(matches!(long_run("end"), Measure::LongRun(StateFormula::Atom(_))));
    assert!(matches!(long_run("stay"), Measure::Reward { of: RewardFormula::LongRun, .. }));
}

#[test]
fn structures_are_shared_where_they_are_the_same() {
    let both = |over: &str| {
        model_with("dtmc", &format!(r#"{{"op": "Emin", "exp": "stay", "accumulate": {over}, "reach": "end"}}"#)).rewards
    };
    let names = |over: &str| both(over).into_iter().map(|reward| reward.name.unwrap_or_default()).collect::<Vec<_>>();
    assert_eq!(names(r#"["exit"]"#), ["stay", "go"]);
    assert_eq!(names(r#"["steps", "exit"]"#), ["stay", "go"]);
    assert_eq!(names(r#"["steps"]"#), ["stay", "go", "stay (steps)"]);
}

#[test]
fn a_reward_of_two_automata_in_one_step_is_refused() {
    let automaton = |name: &str| {
        format!(
            r#"{{"name": "{name}", "locations": [{{"name": "l"}}], "initial-locations": ["l"], "edges": [
            {{"location": "l", "action": "a", "destinations": [{{"location": "l", "assignments": [{{"ref": "r", "value": 1}}]}}]}}]}}"#
        )
    };
    let automata = format!("[{}, {}]", automaton("P"), automaton("Q"));
    let system = r#"{"elements": [{"automaton": "P"}, {"automaton": "Q"}], "syncs": [{"synchronise": ["a", "a"]}]}"#;
    let properties = r#"[{"name": "p", "expression": {"op": "Emin", "exp": "r", "accumulate": ["steps"]}}]"#;
    let variables = r#"[{"name": "r", "type": "int", "transient": true, "initial-value": 0}]"#;
    let model = read(&file(&[
        ("automata", &automata),
        ("system", system),
        ("properties", properties),
        ("variables", variables),
    ]));
    let reason = model.properties[0].question.as_ref().unwrap_err();
    assert_eq!(reason.0, "several automata set the reward `r` in the same step");
}

#[test]
fn a_reward_computed_from_what_the_same_step_changed_is_refused() {
    let variables =
        format!(r#"[{}, {{"name": "r", "type": "int", "transient": true, "initial-value": 0}}]"#, bounded("x", 0, 3));
    let assignments = format!(r#"{}, {{"ref": "r", "value": "x", "index": 1}}"#, step(1));
    let edges = format!("[{}]", edge(r#"{"op": "<", "left": "x", "right": 3}"#, &assignments));
    let properties = r#"[{"name": "p", "expression": {"op": "Emin", "exp": "r", "accumulate": ["steps"]}}]"#;
    let model = read(&file(&[("variables", &variables), ("edges", &edges), ("properties", properties)]));
    let reason = model.properties[0].question.as_ref().unwrap_err();
    assert_eq!(reason.0, "the reward `r` is computed from variables that change before it in the same step");
}

#[test]
fn constants_that_only_properties_need_are_not_demanded() {
    let constants = r#"[{"name": "T", "type": "int"}]"#;
    let properties = r#"[{"name": "p", "expression": {"op": "Pmax", "exp": {"op": "F", "exp": true, "step-bounds": {"upper": "T"}}}}]"#;
    let text = file(&[("constants", constants), ("properties", properties)]);
    let model = read(&text);
    assert_eq!(model.properties[0].question.as_ref().unwrap_err().0, "the constant `T` has no value");
    assert_eq!(model.properties[0].text, "Pmax=? [ F<=T true ]");
    assert_eq!(states(&text).states.len(), 4);
}

#[test]
fn properties_see_local_variables_that_only_one_automaton_has() {
    let automaton = |name: &str| {
        format!(
            r#"{{"name": "{name}", "locations": [{{"name": "l"}}], "initial-locations": ["l"], "edges": [],
            "variables": [{}, {{"name": "of{name}", "type": "bool", "initial-value": false}}]}}"#,
            bounded("n", 0, 1)
        )
    };
    let automata = format!("[{}, {}]", automaton("P"), automaton("Q"));
    let system = r#"{"elements": [{"automaton": "P"}, {"automaton": "Q"}]}"#;
    let property = |exp: &str| {
        let properties =
            format!(r#"[{{"name": "p", "expression": {{"op": "Pmax", "exp": {{"op": "F", "exp": {exp}}}}}}}]"#);
        read(&file(&[("automata", &automata), ("system", system), ("properties", &properties), ("variables", "")]))
            .properties
            .remove(0)
    };
    assert!(property("\"ofQ\"").question.is_ok());
    let reason = property(r#"{"op": "=", "left": "n", "right": 1}"#).question.unwrap_err();
    assert_eq!(reason.0, "`n` is a variable of several automata");
}
