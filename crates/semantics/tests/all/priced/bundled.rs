//! The models in `models/scheduling/`, and those that its script makes: the least cost is the one that their files name.

use std::path::{Path, PathBuf};
use std::process::Command;

use bughound_ir::expr::Expr;
use bughound_ir::network::Network;
use bughound_ir::question::Question;
use bughound_ir::rational::Rational;
use bughound_ir::source::SourceMap;
use bughound_semantics::timed::priced::Pricing;
use bughound_trace::schedule::ScheduleView;

use super::cheapest;
use super::schedules::confirmed;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/scheduling")
}

/// A model and what its only query asks for.
fn load(model: &Path) -> (Network, Expr) {
    let read = |path: &Path| std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut sources = SourceMap::default();
    let parsed = bughound_uppaal::parse(&mut sources, model, &read(model));
    let ast = parsed.ast.unwrap_or_else(|| panic!("{}: {:?}", model.display(), parsed.diagnostics));
    let queries = model.with_extension("q");
    let (queries, diagnostics) = bughound_uppaal::parse_queries(&mut sources, &queries, &read(&queries));
    assert!(diagnostics.is_empty(), "{}: {diagnostics:?}", model.display());
    let lowered = bughound_uppaal::lower::lower(&ast, &queries, &sources);
    let network = lowered.network.unwrap_or_else(|| panic!("{}: {:?}", model.display(), lowered.diagnostics));
    assert!(lowered.diagnostics.is_empty(), "{}: {:?}", model.display(), lowered.diagnostics);
    let [property] = &network.properties[..] else { panic!("{}: not one query", model.display()) };
    let Question::Reach(goal) = property.question.clone() else { panic!("{}: no E<>", model.display()) };
    (network, goal)
}

/// A schedule of least cost; its cost is also that which is found, and that which is added up.
fn solve(model: &Path) -> ScheduleView {
    let (network, goal) = load(model);
    let found = cheapest(&network, &goal, "dijkstra", Pricing::Automatic, 1);
    assert_eq!(found.error, None, "{}", model.display());
    let realised = found.realised.as_ref().unwrap_or_else(|| panic!("{}: no schedule", model.display()));
    assert!(found.result.witnesses[0].proven_shortest, "{}", model.display());
    assert!(realised.attained && found.cost() == Some(realised.cost as u64), "{}", model.display());
    let schedule = confirmed(&network, &goal, &found, realised);
    assert_eq!(Some(schedule.cost), Rational::new(realised.cost.into(), 1), "{}", model.display());
    schedule
}

/// The cost that the header of a model names.
fn least_cost_in(text: &str) -> Rational {
    let number = text.split("Least cost: ").nth(1).and_then(|rest| rest.split(['.', ';']).next());
    number.and_then(|number| number.parse().ok()).expect("the header names the least cost")
}

#[test]
fn the_least_cost_of_every_model_is_what_its_files_say() {
    let mut solved = 0;
    for entry in std::fs::read_dir(folder()).unwrap() {
        let model = entry.unwrap().path();
        if model.extension().is_none_or(|extension| extension != "xta") {
            continue;
        }
        let expected = least_cost_in(&std::fs::read_to_string(&model).unwrap());
        assert_eq!(solve(&model).cost, expected, "{}", model.display());
        let query = std::fs::read_to_string(model.with_extension("q")).unwrap();
        assert!(query.contains(&format!("The least cost is {expected}.")), "{}", model.display());
        solved += 1;
    }
    assert_eq!(solved, 4);
}

const JOBS: &str = "# the jobs of jobshop.xta\n3 3\n0 4 1 3 2 2\n1 2 0 5 2 3\n2 6 1 1 0 2\n";

/// The planes of landing.xta.
const PLANES: &str = "5 10
    0 4 10 30 3.00 5.00  99999 3 5 3 5
    0 6 11 30 2 4  4 99999 5 3 5
    0 7 12 26 4 6  2 2 99999 2 3
    0 9 13 34 1 2  4 3 5 99999 5
    0 10 14 28 5 3  2 2 3 2 99999\n";

/// The third plane has to keep away from the first, also if the second lands between them: best is 1, 2, 0 at 6, 7, 10.
/// Costs are halves: the model has ten times as much.
const FAR_APART: &str = "3 0
    0 5 5 30 9 0.5  0 1 10
    0 6 6 30 9 0.5  1 0 1
    0 7 7 30 9 0.5  3 2 0\n";

/// What the script does with a file of this content: its exit code, what it says, and the model.
fn make(name: &str, content: &str, arguments: &[&str]) -> Option<(i32, String, PathBuf)> {
    let folder_of_test = Path::new(env!("CARGO_TARGET_TMPDIR")).join("make_model");
    std::fs::create_dir_all(&folder_of_test).unwrap();
    let (input, output) = (folder_of_test.join(format!("{name}.txt")), folder_of_test.join(name));
    std::fs::write(&input, content).unwrap();
    let (kind, others) = arguments.split_first().unwrap();
    let mut command = Command::new("python3");
    command.arg(folder().join("make_model.py")).arg(kind).arg(&input).args(others).arg("--output").arg(&output);
    let Ok(done) = command.output() else {
        println!("python3 is not there: nothing was tested");
        return None;
    };
    let said = String::from_utf8_lossy(&done.stderr).to_string();
    Some((done.status.code().unwrap_or(-1), said, output.with_extension("xta")))
}

#[test]
fn the_script_makes_models_of_the_same_least_cost() {
    for (name, content, arguments, expected) in [
        ("jobs", JOBS, &["jobshop"][..], 12),
        ("planes1", PLANES, &["landing"], 37),
        ("planes2", PLANES, &["landing", "--runways", "2"], 11),
        ("apart1", FAR_APART, &["landing", "--runways", "1"], 25),
        ("apart3", FAR_APART, &["landing", "--runways", "3"], 0),
    ] {
        let Some((code, said, model)) = make(name, content, arguments) else { return };
        assert_eq!((code, said.as_str()), (0, ""), "{name}");
        assert_eq!(Some(solve(&model).cost), Rational::new(expected, 1), "{name}");
    }
}

#[test]
fn the_script_says_what_is_wrong_with_a_file() {
    for (content, arguments, expected) in [
        ("", &["jobshop"][..], "the file ends where the number of jobs should be"),
        ("1 2\n0 3 1", &["jobshop"], "the file ends where a duration of job 0 should be"),
        ("1 1\n0 x", &["jobshop"], "line 2: a duration of job 0 should be here, not `x`"),
        ("1 1\n0 1e99999999999", &["jobshop"], "line 2: a duration of job 0 should be here, not `1e99999999999`"),
        ("1 1\n0 1.5", &["jobshop"], "line 2: a duration of job 0 should be a whole number"),
        ("1 1\n1 1", &["jobshop"], "line 2: a machine of job 0 should be a whole number from 0 to 0, not 1"),
        ("1 1\n0 1\n7", &["jobshop"], "line 3: nothing should follow, but `7` does"),
        ("900 1", &["jobshop"], "line 1: the number of jobs should be a whole number from 1 to 250, not 900"),
        ("1 0\n0 5 4 9 1 1 0", &["landing"], "plane 0: its earliest, target and latest times are [5, 4, 9]"),
        ("1 0\n0 4 5 9 -1 1 0", &["landing"], "line 2: the cost of plane 0 when it is early should be a number"),
        ("1 0\n0 4 5 9 1 1 0", &["landing", "--runways", "0"], "invalid runways value"),
        ("1 0\n0 4 5 9 1 1 0", &["landing", "--runways", "x"], "invalid runways value"),
        ("1 1\n0 1", &["train"], "invalid choice"),
    ] {
        let Some((code, said, _)) = make("bad", content, arguments) else { return };
        assert!(code == 2 && said.contains(expected), "{content:?} {arguments:?}: {code} {said}");
    }
}
