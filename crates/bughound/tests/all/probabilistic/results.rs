//! What PRISM says that its own properties come to: the comments `// RESULT` in files of properties.

use std::collections::BTreeMap;

use bughound::added::AddedKind;
use bughound::chances::Outcome;

use super::{all, check, number, options, read, shared};

/// PRISM's answers are that precise, or have that many digits.
const PRECISION: f64 = 1e-7;

/// Models with more states are not built.
const MOST_STATES: u64 = 120_000;

/// Which models the properties are about, and constants that the comments leave out.
const MODELS: [(&str, &str, &[&str]); 5] = [
    ("brp", "", &["brp.pm"]),
    ("crowds", "", &["crowds.pm"]),
    ("egl", "L=2", &["egl.pm"]),
    ("nand", "", &["nand.pm"]),
    ("leader_sync", "", &["leader_sync3_2.pm", "leader_sync3_3.pm", "leader_sync4_4.pm"]),
];

struct Expected {
    model: String,
    constants: String,
    /// Text of the property.
    property: String,
    result: String,
}

/// The properties of a file that have results, with the constants of these and the results.
fn results(text: &str) -> Vec<(String, String, String)> {
    let (mut found, mut open) = (Vec::new(), Vec::new());
    for line in text.lines().map(str::trim) {
        if let Some(rest) = line.strip_prefix("// RESULT") {
            let (constants, result) = rest.split_once(':').expect("a result");
            let constants = constants.trim().trim_start_matches('(').trim_end_matches(')');
            open.push((constants.to_string(), result.trim().to_string()));
        } else if !line.is_empty() && !line.starts_with("//") && !line.starts_with("const ") {
            found.extend(open.drain(..).map(|(constants, result)| (line.to_string(), constants, result)));
        }
    }
    found
}

#[test]
fn prism_has_the_same_results() {
    let Ok(folder) = std::fs::read_dir(shared().join("models/prism/benchmarks")) else {
        println!("skipped: there are no models of PRISM beside the repository");
        return;
    };
    let mut expected: BTreeMap<(String, String), Vec<Expected>> = BTreeMap::new();
    let mut count = 0;
    for entry in folder {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().to_string();
        if !name.ends_with(".pctl") && !name.ends_with(".csl") {
            continue;
        }
        for (property, constants, result) in results(&std::fs::read_to_string(&path).unwrap()) {
            let kind = name.split('.').next().unwrap();
            let known = MODELS.iter().find(|(known, ..)| *known == kind);
            let (_, more, models) = known.unwrap_or_else(|| panic!("{name}: which model is this about?"));
            let both = [constants.as_str(), more].into_iter().filter(|text| !text.is_empty());
            let constants = both.collect::<Vec<_>>().join(",");
            for model in *models {
                let model = format!("prism/benchmarks/{model}");
                let (property, result, constants) = (property.clone(), result.clone(), constants.clone());
                count += 1;
                let of_model = expected.entry((model.clone(), constants.clone())).or_default();
                of_model.push(Expected { model, constants, property, result });
            }
        }
    }
    assert!(count >= 70, "only {count} results");
    let groups: Vec<Vec<Expected>> = expected.into_values().collect();
    let large = std::sync::Mutex::new(Vec::new());
    all(&groups, |group| {
        let name = format!("{} {}", group[0].model, group[0].constants);
        match compare(group) {
            Ok(None) => {
                large.lock().unwrap().push(name);
                Vec::new()
            }
            Ok(Some(problems)) => problems.into_iter().map(|problem| format!("{name}: {problem}")).collect(),
            Err(why) => vec![format!("{name}: {why}")],
        }
    });
    let large = large.into_inner().unwrap();
    println!("{count} results, without those of {} models with more than {MOST_STATES} states", large.len());
    // `egl` with N from 10, `crowds` with many, `nand` with large circuits.
    assert_eq!(large.len(), 18, "{large:#?}");
}

/// What is wrong with the answers about a model; none if it has too many states.
fn compare(group: &[Expected]) -> Result<Option<Vec<String>>, String> {
    let queries: Vec<&str> = group.iter().map(|row| row.property.as_str()).collect();
    let model = read(&group[0].model, &options(&group[0].constants, AddedKind::Queries, &queries))?;
    let report = check(&model, Some(MOST_STATES))?;
    if report.verdict == bughound::Verdict::Limit {
        return Ok(None);
    }
    let mut problems = Vec::new();
    for (row, name) in group.iter().zip(&model.added) {
        let property =
            report.properties.iter().find(|property| property.name == *name).ok_or("a property is missing")?;
        let agrees = match (property.chance.as_ref(), row.result.parse::<f64>()) {
            (Some(Outcome::Truth(truth, _)), Err(_)) => truth.to_string() == row.result,
            (other, Ok(expected)) => {
                let answer = number(other)?;
                let slack = expected.abs() * PRECISION;
                answer.lower.is_some_and(|lower| lower - slack <= expected)
                    && answer.upper.is_some_and(|upper| expected <= upper + slack)
            }
            _ => false,
        };
        if !agrees {
            problems.push(format!("{}: {:?} instead of {}", row.property, property.chance, row.result));
        }
    }
    Ok(Some(problems))
}

#[test]
fn results_are_read() {
    let text =
        "const int k;\n// text\n// RESULT (N=3,K=1): 0.5\n// RESULT: true\n\"a\": P=? [ F x=1 ];\nP=? [ F x=2 ]\n";
    let property = "\"a\": P=? [ F x=1 ];".to_string();
    let expected = [("N=3,K=1", "0.5"), ("", "true")];
    let expected = expected.map(|(constants, result)| (property.clone(), constants.to_string(), result.to_string()));
    assert_eq!(results(text), expected);
}
