//! Models of other people: everything in them is read, and the states are those that other tools count.

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
