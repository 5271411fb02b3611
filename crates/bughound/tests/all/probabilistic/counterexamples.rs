//! Counterexamples to bounds on probabilities: most probable paths and small subsystems, as exact computations have them.

use std::sync::Mutex;

use bughound::added::AddedKind;
use bughound::chances::{ChanceOptions, Counterexample, Outcome, Shows};
use bughound::check::PropertyReport;
use bughound::verdict::Verdict;
use bughound::{CheckRequest, Hooks, Model};
use bughound_markov::{Builder, Effort, Extended, Extreme, Kind, StateSet, until};

use super::{all, options, read, table};

/// The one answer to a question.
pub(super) fn answer(model: &Model, chances: ChanceOptions) -> Result<PropertyReport, String> {
    let request = CheckRequest { chances, ..CheckRequest::default() };
    let report = bughound::check::check(model, &request, Hooks::default()).map_err(|error| error.to_string())?;
    report.properties.into_iter().next().ok_or_else(|| "there is no answer".to_string())
}

fn near(found: f64, expected: &str) -> bool {
    expected.is_empty() || {
        let expected: f64 = expected.parse().unwrap();
        (found - expected).abs() <= 1e-9 * expected
    }
}

#[test]
fn most_probable_paths_are_those_of_the_table() {
    let Some(table) = table("prob-paths.csv") else { return };
    assert!(table.len() >= 83, "the table has only {} rows", table.len());
    let mut rows: Vec<Vec<String>> = Vec::new();
    for row in table {
        if !rows.iter().any(|known| known[..5] == row[..5]) {
            rows.push(row);
        }
    }
    all(&rows, |row| {
        paths(row).unwrap_or_else(|why| vec![why]).into_iter().map(|why| format!("{:?}: {why}", &row[..5])).collect()
    });
}

fn paths(row: &[String]) -> Result<Vec<String>, String> {
    let query = format!("P{}=? [ ({}) U ({}) ]", if row[2] == "MDP" { "max" } else { "" }, row[3], row[4]);
    let query = match row[17].is_empty() {
        true => query,
        false => query.replace(") U (", &format!(") U<={} (", row[17])),
    };
    let model = read(&row[0], &options(&row[1], AddedKind::Query, &[&query]))?;
    let count = if row[2] == "MDP" { 1 } else { 1_000 };
    let found = answer(&model, ChanceOptions { paths: Some(count), ..ChanceOptions::default() })?;
    let found = found.most_probable.ok_or("there are no paths")?;
    let best = found.paths.first().ok_or("there is no path")?;
    let mut problems = Vec::new();
    if !near(best.probability, &row[6]) || best.length.to_string() != row[7] {
        problems.push(format!("the best path has probability {} and {} steps", best.probability, best.length));
    }
    for (count, expected) in [(1, &row[8]), (10, &row[9]), (100, &row[10]), (1_000, &row[11])] {
        let mass = found.mass.get(count - 1).or(found.mass.last().filter(|_| found.all)).copied().unwrap_or(0.0);
        if !near(mass, expected) {
            problems.push(format!("{count} paths have {mass} together, not {expected}"));
        }
    }
    if !row[18].is_empty() && !best.in_time.is_some_and(|chance| near(chance, &row[18])) {
        problems.push(format!("within the time: {:?}, not {}", best.in_time, row[18]));
    }
    Ok(problems)
}

#[test]
fn subsystems_are_as_small_as_in_the_table() {
    let Some(table) = table("prob-paths.csv") else { return };
    let rows: Vec<Vec<String>> =
        table.into_iter().filter(|row| !row[13].is_empty() && row[0] != "prism/benchmarks/egl.pm").collect();
    let ratios = Mutex::new(Vec::new());
    all(&rows, |row| match subsystem(row) {
        Ok(size) => {
            let (least, known) = (row[16].parse::<usize>().ok(), row[15].parse::<usize>().ok());
            if let Some(known) = known {
                ratios.lock().unwrap().push(size as f64 / known as f64);
            }
            let too_small = least.filter(|least| size < *least);
            too_small.map(|least| format!("{row:?}: {size} states, but {least} are needed")).into_iter().collect()
        }
        Err(why) => vec![format!("{row:?}: {why}")],
    });
    let ratios = ratios.into_inner().unwrap();
    let mean = (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp();
    println!("{} subsystems, {mean:.3} times the smallest known in the geometric mean", ratios.len());
    assert!(ratios.len() >= 30 && mean <= 1.1, "{} subsystems, {mean}", ratios.len());
}

/// The size of the subsystem that is shown; its probability, computed anew from what is shown, exceeds the bound.
fn subsystem(row: &[String]) -> Result<usize, String> {
    let query = format!("P<={} [ ({}) U ({}) ]", row[13], row[3], row[4]);
    let model = read(&row[0], &options(&row[1], AddedKind::Query, &[&query]))?;
    let found = answer(&model, ChanceOptions::default())?;
    if found.verdict != Verdict::Violated {
        return Err(format!("{:?} {:?}", found.verdict, found.reason));
    }
    let shown = found.counterexample.ok_or("there is no counterexample")?;
    exceeds(&shown)?;
    Ok(shown.states.len())
}

/// Builds the chain that is shown, asks the exact engine for its probability and compares it with the bound.
pub(super) fn exceeds(shown: &Counterexample) -> Result<(), String> {
    let states = shown.states.len();
    let mut builder = Builder::new(Kind::Dtmc);
    for state in 0..states {
        builder.state();
        builder.choice();
        let mut rest = bughound_markov::RBig::ONE;
        for edge in shown.edges.iter().filter(|edge| edge.from == state) {
            let weight = builder.number(&edge.exact);
            builder.entry(edge.to, weight);
            rest -= &edge.exact;
        }
        // What is not shown is lost.
        let rest = builder.number(&rest);
        builder.entry(states, rest);
    }
    builder.state();
    let chain = builder.finish([0]).map_err(|error| error.to_string())?;
    let ends = StateSet::from_fn(states + 1, |state| state < states && shown.states[state].is_end);
    let left = StateSet::all(states + 1);
    let answer = until(&chain, Extreme::Max, &left, &ends, &Effort::default()).map_err(|error| format!("{error:?}"))?;
    let passes = match answer.values.exact(0) {
        Some(Extended::Finite(value)) => *value > shown.bound,
        _ => bughound_markov::RBig::try_from(answer.values.interval(0).lower).is_ok_and(|lower| lower > shown.bound),
    };
    if passes { Ok(()) } else { Err(format!("{:?} does not exceed {}", answer.values.interval(0), shown.bound)) }
}

#[test]
fn schedulers_of_decision_processes_exceed_the_bound_as_chains() {
    let Some(table) = table("prob-paths.csv") else { return };
    let rows: Vec<Vec<String>> = table.into_iter().filter(|row| row[2] == "MDP" && !row[5].is_empty()).collect();
    assert!(rows.len() >= 5, "{} rows", rows.len());
    all(&rows, |row| {
        let value: f64 = row[5].parse().unwrap();
        let run = |share: f64| -> Result<(), String> {
            let query = format!("P<={} [ ({}) U ({}) ]", value * share, row[3], row[4]);
            let model = read(&row[0], &options(&row[1], AddedKind::Query, &[&query]))?;
            let found = answer(&model, ChanceOptions::default())?;
            let shown = found.counterexample.ok_or(format!("{:?} {:?}", found.verdict, found.reason))?;
            if shown.states.iter().any(|state| !state.is_end && state.choice.is_none()) {
                return Err("a state has no decision".into());
            }
            exceeds(&shown)
        };
        [0.5, 0.9].iter().filter_map(|share| run(*share).err().map(|why| format!("{row:?} {share}: {why}"))).collect()
    });
}

#[test]
fn what_happens_too_seldom_is_shown_by_what_avoids_it() {
    let die = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/probabilistic/die.pm");
    let model =
        bughound::model::load(die, &options("", AddedKind::Query, &["P>=0.2 [ F \"done\" & number=5 ]"])).unwrap();
    let found = answer(&model, ChanceOptions::default()).unwrap();
    assert_eq!(found.verdict, Verdict::Violated);
    let shown = found.counterexample.expect("a counterexample");
    assert_eq!(shown.shows, Shows::Avoids);
    exceeds(&shown).unwrap();
    let cheating = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/probabilistic/cheating_scheduler.nm");
    let text = std::fs::read_to_string(cheating).unwrap();
    assert!(text.contains("mdp"));
}

#[test]
fn a_part_of_the_states_decides() {
    // Counting to a million would take a million states; the first few of them decide.
    let text = b"dtmc module M x:[0..1000000]; [] x<1000000 -> 0.5:(x'=x+1)+0.5:(x'=0); endmodule";
    let ask = |query: &str| {
        let language = bughound::language::Language::Prism;
        let model =
            bughound::model::load_text("count.pm", text, language, &options("", AddedKind::Query, &[query])).unwrap();
        answer(&model, ChanceOptions::default()).unwrap()
    };
    let violated = ask("P<=0.01 [ F<=10 x=5 ]");
    assert_eq!(violated.verdict, Verdict::Violated);
    let states = violated.stats.as_ref().unwrap().counts.stored;
    assert!(states < 1_000, "{states} states");
    let holds = ask("P<=0.5 [ F<=30 x=20 ]");
    assert_eq!(holds.verdict, Verdict::Holds);
    assert!(matches!(holds.chance, Some(Outcome::Truth(true, Some(_)))), "{:?}", holds.chance);
}

pub(super) fn small(text: &str, query: &str, chances: ChanceOptions) -> PropertyReport {
    let language = bughound::language::Language::Prism;
    let model =
        bughound::model::load_text("small.pm", text.as_bytes(), language, &options("", AddedKind::Query, &[query]));
    answer(&model.unwrap_or_else(|error| panic!("{error}")), chances).unwrap()
}

#[test]
fn outcomes_that_lead_to_one_state_are_one_step() {
    // Half of the probability goes to the goal by four outcomes of one command; a long way has a fifth.
    let text = "dtmc module M s:[0..200];
        [] s=0 -> 0.5:(s'=1)+0.2:(s'=100)+0.3:(s'=150);
        [] s=1 -> 0.25:(s'=199)+0.25:(s'=199)+0.25:(s'=min(s+198,199))+0.25:(s'=199);
        [] s>=100 & s<149 -> (s'=s+1); [] s=149 -> (s'=199); [] s=150 -> true; endmodule";
    let found = small(text, "P=? [ F s=199 ]", ChanceOptions { paths: Some(1), ..ChanceOptions::default() });
    let best = &found.most_probable.expect("paths").paths[0];
    assert_eq!((best.probability, best.length), (0.5, 2));
}

#[test]
fn no_single_scheduler_refutes_that_one_exists() {
    let text = "mdp module M s:[0..2]; [a] s=0 -> 0.6:(s'=1)+0.4:(s'=2); [b] s=0 -> (s'=2); endmodule";
    for (query, shows) in [
        ("Pmax>=0.7 [ F s=1 ]", None),
        ("Pmin<=0.3 [ G s!=1 ]", None),
        ("Pmin>=0.7 [ F s=1 ]", Some(Shows::Avoids)),
        ("Pmax<=0.5 [ F s=1 ]", Some(Shows::Goals)),
        ("P<=0.5 [ F s=1 ]", Some(Shows::Goals)),
    ] {
        let found = small(text, query, ChanceOptions::default());
        assert_eq!(found.verdict, Verdict::Violated, "{query}");
        assert_eq!(found.counterexample.as_ref().map(|shown| shown.shows), shows, "{query}");
        if let Some(shown) = found.counterexample {
            exceeds(&shown).unwrap();
            assert!(
                shown.states[0].choice.as_ref().is_some_and(|choice| choice.contains("line 1")),
                "{:?}",
                shown.states
            );
        }
    }
}

#[test]
fn tiny_probabilities_are_passed_all_the_same() {
    let text = "dtmc module M s:[0..400]; [] s<400 -> 0.001:(s'=s+1)+0.999:(s'=400-(400-s)); endmodule";
    let found = small(text, "P<=0 [ F<=400 s=400 ]", ChanceOptions::default());
    assert_eq!(found.verdict, Verdict::Violated);
    let chain = "dtmc module M s:[0..401]; [] s<400 -> 0.001:(s'=s+1)+0.999:(s'=401); [] s=401 -> true; endmodule";
    let found = small(chain, "P<=0 [ F s=400 ]", ChanceOptions::default());
    assert_eq!(found.verdict, Verdict::Violated);
    assert_eq!(found.counterexample.expect("a counterexample").states.len(), 401);
}
