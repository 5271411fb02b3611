//! Models of other people: everything in them is read, and the states are those that other tools count.

use bughound_ir::chance::{
    Asked, Bound, Bounded, ChanceQuestion, Extreme, FilterFunction, Limit, Measure, PathFormula, Quantity,
    RewardFormula, RewardId, StateFormula,
};
use bughound_ir::source::SourceMap;
use bughound_stochastic::jani;
use bughound_stochastic::tree::Model;

use crate::enumerate::enumerate;
use crate::tables::{check_counts, constants, rows, shared};
use crate::values::Evaluator;

fn read(root: &std::path::Path, model: &str, given: &str) -> Model {
    let path = root.join("models").join(model);
    let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let result = jani::read(&mut SourceMap::default(), path, &bytes, &constants(given));
    result.model.unwrap_or_else(|| panic!("{model}: {:?}", result.diagnostics))
}

#[test]
fn states_transitions_and_choices_agree_with_the_table() {
    let Some(root) = shared() else { return };
    let mut wrong = Vec::new();
    let mut right = 0;
    for row in rows(&root.join("expected/prob-models.csv")).iter().filter(|row| row[0].starts_with("jani/")) {
        let model = read(&root, &row[0], &row[1]);
        match check_counts(&model, row) {
            Ok(()) => right += 1,
            Err(difference) => wrong.push(difference),
        }
        for name in row[8].split_whitespace() {
            // Storm also counts variables that a property asks for as they are.
            let is_variable = model.variables.iter().any(|variable| variable.name == name);
            assert!(is_variable || model.labels.iter().any(|label| label.name == name), "{}: label {name}", row[0]);
        }
        for name in row[9].split_whitespace() {
            assert!(
                model.rewards.iter().any(|reward| reward.name.as_deref() == Some(name)),
                "{}: reward {name}",
                row[0]
            );
        }
    }
    println!("{right} models agree");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_property_of_the_table_can_be_asked() {
    let Some(root) = shared() else { return };
    for row in rows(&root.join("expected/prob-values.csv")).iter().filter(|row| row[0].starts_with("jani/")) {
        let Some((name, _)) = row[2].split_once(": ") else { continue };
        let model = read(&root, &row[0], &row[1]);
        let property = model.properties.iter().find(|property| property.name == name);
        let property = property.unwrap_or_else(|| panic!("{}: there is no {name}", row[0]));
        assert!(property.question.is_ok(), "{} {name}: {:?}", row[0], property.question);
        println!("{:60} {}", row[2], property.text);
    }
}

#[test]
fn every_stored_file_says_which_constants_it_needs() {
    let Some(root) = shared() else { return };
    for row in rows(&root.join("expected/prob-models.csv")).iter().filter(|row| row[0].starts_with("jani/")) {
        let bytes = std::fs::read(root.join("models").join(&row[0])).unwrap();
        let mut open: Vec<String> = jani::undefined_constants("", &bytes).into_iter().map(|one| one.name).collect();
        let mut given: Vec<String> = constants(&row[1]).into_iter().map(|(name, _)| name).collect();
        open.sort();
        given.sort();
        assert_eq!(open, given, "{}", row[0]);
    }
}

#[test]
fn values_agree_with_the_table() {
    let Some(root) = shared() else { return };
    let mut wrong = Vec::new();
    let (mut right, mut skipped) = (0, 0);
    for row in rows(&root.join("expected/prob-values.csv")).iter().filter(|row| row[0].starts_with("jani/")) {
        let Some((name, _)) = row[2].split_once(": ") else { continue };
        let model = read(&root, &row[0], &row[1]);
        let property = model.properties.iter().find(|property| property.name == name).expect("the property");
        let question = property.question.as_ref().expect("a question");
        let found = enumerate(&model).expect("all states");
        let expected: f64 = row[3].parse().expect("a number");
        match Evaluator::new(&model, &found).value(question) {
            None => skipped += 1,
            Some(value) if (value - expected).abs() <= 1e-7 * expected.abs().max(1e-6) => right += 1,
            Some(value) => wrong.push(format!("{} {name}: {value}, expected {expected}", row[0])),
        }
    }
    println!("{right} values agree, {skipped} were not computed");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// A model without properties: they are asked with the names of its labels and rewards.
#[test]
fn labels_and_rewards_of_the_die() {
    let Some(root) = shared() else { return };
    let model = read(&root, "jani/storm/die_array.jani", "");
    let found = enumerate(&model).expect("all states");
    let label = |name: &str| {
        let label = model.labels.iter().find(|label| label.name == name).expect("a label");
        StateFormula::Atom(label.condition.clone())
    };
    let value = |measure| {
        let asked = Asked::Value(Quantity { extreme: Extreme::Unsaid, measure });
        let question = ChanceQuestion { asked, function: FilterFunction::State, states: None };
        Evaluator::new(&model, &found).value(&question).expect("a value")
    };
    let close = |value: f64, expected: f64| assert!((value - expected).abs() < 1e-12, "{value}, expected {expected}");
    close(value(Measure::Probability(PathFormula::Finally(label("one"), Vec::new()))), 1.0 / 6.0);
    let five = Limit { value: 5.into(), strict: false };
    let within = vec![Bound { of: Bounded::Steps, lower: None, upper: Some(five) }];
    close(value(Measure::Probability(PathFormula::Finally(label("done"), within))), 15.0 / 16.0);
    let structure =
        RewardId(model.rewards.iter().position(|r| r.name.as_deref() == Some("coin_flips")).unwrap() as u32);
    close(value(Measure::Reward { structure, of: RewardFormula::Reach(label("done")) }), 11.0 / 3.0);
}

#[test]
fn mutilated_files_are_no_panic() {
    let Some(root) = shared() else { return };
    let mut chance = 20_261_118_u64;
    let mut below = |limit: usize| {
        chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (chance >> 33) as usize % limit
    };
    let pieces =
        ["", "null", "0", "-1e400", "\"x\"", "[]", "{}", "{\"op\":\"aa\"}", "\"l\"", "true", "}", "]", ",", "\\"];
    for row in rows(&root.join("expected/prob-models.csv")).iter().filter(|row| row[0].starts_with("jani/")) {
        let text = std::fs::read_to_string(root.join("models").join(&row[0])).unwrap();
        // Places where a value, a key or a separator ends.
        let places: Vec<usize> = text.match_indices([' ', ':', ',', '\n', '"']).map(|(at, _)| at).collect();
        for _ in 0..40 {
            let start = below(places.len());
            let end = (start + below(4)).min(places.len() - 1);
            let changed = format!("{}{}{}", &text[..places[start]], pieces[below(pieces.len())], &text[places[end]..]);
            jani::read(&mut SourceMap::default(), "changed.jani", changed.as_bytes(), &constants(&row[1]));
            jani::undefined_constants("changed.jani", changed.as_bytes());
        }
    }
}
