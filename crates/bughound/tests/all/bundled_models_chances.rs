//! Every model in `models/probabilistic/`: the exact answer to each of its properties, and what its files say about them.
//!
//! All numbers are known without the program; the first lines of each model say how.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

/// What a property comes to.
enum Is {
    Exactly(&'static str),
    /// The true value, as far as `f64` knows it, lies between the ends.
    Around(f64),
    Holds,
    /// Violated; the value.
    Violated(&'static str),
}

use Is::{Around, Exactly, Holds, Violated};

struct Expected {
    model: &'static str,
    constants: Option<&'static str>,
    /// `None`: they stand in the model.
    properties: Option<&'static str>,
    answers: &'static [(&'static str, Is)],
    states: u64,
}

const MODELS: &[Expected] = &[
    Expected {
        model: "die.pm",
        constants: None,
        properties: Some("die.props"),
        answers: &[
            // Six numbers are faces, one like the other.
            ("six", Exactly("1/6")),
            // Six of eight numbers are faces.
            ("at_once", Exactly("3/4")),
            // Three tosses for each try, 8/6 tries.
            ("tosses", Exactly("4")),
            ("ends", Holds),
            ("rare", Violated("1/6")),
        ],
        // By tosses: 1 + 2 + 4 + 8.
        states: 15,
    },
    Expected {
        model: "die.jani",
        constants: None,
        properties: None,
        answers: &[("six", Exactly("1/6")), ("tosses", Exactly("4")), ("ends", Holds), ("rare", Violated("1/6"))],
        // A location more for the six faces.
        states: 21,
    },
    Expected {
        model: "lossy_transfer.pm",
        constants: Some("N=2,K=1,p=0.1"),
        properties: Some("lossy_transfer.props"),
        answers: &[
            // (1 - 0.1^2)^2
            ("all_arrive", Exactly("9801/10000")),
            ("gives_up", Exactly("199/10000")),
            // 1.1 + 0.99 * 1.1
            ("transmissions", Exactly("2189/1000")),
            ("reliable", Violated("9801/10000")),
        ],
        // For each of two parcels two tries, each before and behind the toss: 2 * 2 * 3; given up, twice; all arrived.
        states: 15,
    },
    Expected {
        model: "lossy_transfer.pm",
        constants: Some("N=3,K=0,p=1/3"),
        properties: Some("lossy_transfer.props"),
        answers: &[
            // (2/3)^3
            ("all_arrive", Exactly("8/27")),
            ("gives_up", Exactly("19/27")),
            // 1 + 2/3 + 4/9
            ("transmissions", Exactly("19/9")),
            ("reliable", Violated("8/27")),
        ],
        states: 13,
    },
    Expected {
        model: "leader_by_coins.pm",
        constants: None,
        properties: Some("leader_by_coins.props"),
        answers: &[
            ("elects", Holds),
            // Nobody is special.
            ("first_wins", Exactly("1/3")),
            // 3/8 + 1/4 * 3/8 + 3/8 * 1/2
            ("two_rounds", Exactly("21/32")),
            // e = 1 + 1/4 e + 3/8 * 2
            ("rounds", Exactly("7/3")),
            ("soon", Violated("21/32")),
        ],
        // Seven sets of candidates; coins of three (8), of three pairs (3 * 4).
        states: 27,
    },
    Expected {
        model: "repair.sm",
        constants: None,
        properties: Some("repair.csl"),
        answers: &[
            // 8 : 4 : 1
            ("down", Exactly("1/13")),
            // t2 = 1/2 + 1/5 + 4/5 t2
            ("until_down", Exactly("7/2")),
            // 1 - e^-2
            ("first_failure", Around(0.864_664_716_763_387_3)),
            ("fails", Holds),
            ("rarely_down", Violated("1/13")),
        ],
        states: 3,
    },
    Expected {
        model: "cheating_scheduler.nm",
        constants: Some("N=2"),
        properties: Some("cheating_scheduler.pctl"),
        answers: &[
            // 1/2 * 3/4 + 1/2 * 1/4
            ("most", Exactly("1/2")),
            // Tails loses; heads is tossed again, or only the next one: 1/2 * 1/4 either way.
            ("least", Exactly("1/8")),
            ("honest", Exactly("1/4")),
            ("ends", Holds),
            ("fair", Violated("1/2")),
        ],
        states: 18,
    },
    Expected {
        model: "ruin.pm",
        constants: Some("N=10"),
        properties: Some("ruin.props"),
        // 8 / (9^10 - 1)
        answers: &[("rich", Exactly("1/435848050")), ("hopeless", Violated("1/435848050"))],
        // From no coin to ten.
        states: 11,
    },
    Expected {
        model: "two_ladders.pm",
        constants: Some("N=20"),
        properties: Some("two_ladders.props"),
        // The ladders are alike.
        answers: &[("good", Exactly("7/10")), ("arrives", Holds), ("unlikely", Violated("7/10"))],
        // The ground, and twenty rungs twice.
        states: 41,
    },
];

fn models() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/probabilistic")
}

fn check(model: &Expected) -> Value {
    let mut child = Command::new(env!("CARGO_BIN_EXE_bughound"));
    child.current_dir(models()).args(["check", "--json", "--no-progress", model.model]);
    child.args(model.constants.iter().flat_map(|constants| ["--const", constants]));
    child.args(model.properties.iter().flat_map(|file| ["--queries", file]));
    let output = child.output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{}: read without a warning", model.model);
    assert_eq!(output.status.code(), Some(1), "{}: a bound is violated", model.model);
    serde_json::from_slice(&output.stdout).unwrap()
}

fn number(text: &str) -> f64 {
    let parts: Vec<f64> = text.split('/').map(|part| part.parse().unwrap()).collect();
    parts[0] / parts.get(1).unwrap_or(&1.0)
}

#[test]
fn answers_are_those_known_by_hand() {
    for model in MODELS {
        let document = check(model);
        let properties = document["properties"].as_array().unwrap();
        let names: Vec<&str> = properties.iter().map(|property| property["name"].as_str().unwrap()).collect();
        assert_eq!(names, model.answers.iter().map(|(name, _)| *name).collect::<Vec<_>>(), "{}", model.model);
        for (property, (name, expected)) in properties.iter().zip(model.answers) {
            let about = format!("{} {:?}: {name}", model.model, model.constants);
            let (verdict, answer) = (&property["verdict"], &property["answer"]);
            assert_eq!(property["stats"]["stored"], model.states, "{about}");
            match expected {
                Exactly(value) => {
                    assert_eq!((verdict, &answer["exact"]), (&json!("satisfied"), &json!(value)), "{about}");
                    assert_eq!(answer["value"], number(value), "{about}");
                }
                Around(value) => {
                    assert_eq!(verdict, "satisfied", "{about}");
                    let end = |key: &str| answer[key].as_f64().unwrap();
                    assert!(end("lower") <= *value && *value <= end("upper"), "{about}: {answer}");
                    assert!(end("upper") - end("lower") < 1e-6 * value, "{about}: {answer}");
                }
                Holds => assert_eq!((verdict, &answer["value"]), (&json!("holds"), &json!(true)), "{about}"),
                Violated(_) => assert_eq!((verdict, &answer["value"]), (&json!("violated"), &json!(false)), "{about}"),
            }
        }
    }
}

/// `// RESULT: 1/6` in the property files is what users of PRISM look for.
#[test]
fn property_files_say_the_same() {
    for model in MODELS {
        let Some(file) = model.properties else { continue };
        let text = std::fs::read_to_string(models().join(file)).unwrap();
        let mut recorded: Option<(Option<&str>, &str)> = None;
        for line in text.lines() {
            if let Some(rest) = line.strip_prefix("// RESULT") {
                let (about, value) = rest.split_once(": ").unwrap();
                recorded = Some((about.trim().strip_prefix('(').and_then(|about| about.strip_suffix(')')), value));
            }
            let Some(name) = line.strip_prefix('"').and_then(|rest| rest.split('"').next()) else { continue };
            let (constants, value) = recorded.take().unwrap_or_else(|| panic!("{file}: {name} has no result"));
            if constants.is_some() && constants != model.constants {
                continue;
            }
            let (_, expected) = model.answers.iter().find(|(known, _)| *known == name).unwrap();
            let is_same = match expected {
                Exactly(exact) => (number(exact) - number(value)).abs() < 1e-12,
                Around(near) => (near - number(value)).abs() < 1e-12,
                Holds => value == "true",
                Violated(_) => value == "false",
            };
            assert!(is_same, "{file}: {name} is said to be {value}");
        }
    }
}

/// What a bound is compared with stands beside the verdict.
#[test]
fn violated_bounds_show_the_value() {
    for model in MODELS {
        let mut child = Command::new(env!("CARGO_BIN_EXE_bughound"));
        child.current_dir(models()).args(["check", "--no-progress", model.model]);
        child.args(model.constants.iter().flat_map(|constants| ["--const", constants]));
        child.args(model.properties.iter().flat_map(|file| ["--queries", file]));
        let text = String::from_utf8(child.output().unwrap().stdout).unwrap();
        for (name, expected) in model.answers {
            let Violated(value) = expected else { continue };
            let line = text.lines().find(|line| line.trim_start().starts_with(name)).unwrap();
            assert!(line.contains(&format!("violated: the value is {value} ")), "{}: {line}", model.model);
        }
    }
}

#[test]
fn every_file_is_covered() {
    let found: BTreeSet<String> =
        std::fs::read_dir(models()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    let files = MODELS.iter().flat_map(|model| [Some(model.model), model.properties]);
    let listed: BTreeSet<String> = files.flatten().map(str::to_string).collect();
    assert_eq!(found, listed);
}

#[test]
fn every_model_says_what_is_expected() {
    for model in MODELS {
        let text = std::fs::read_to_string(models().join(model.model)).unwrap();
        assert!(text.contains("Expected"), "{} says what is expected", model.model);
        let command = format!("bughound check models/probabilistic/{}", model.model);
        assert!(text.contains(&command), "{} says how to run it", model.model);
    }
}
