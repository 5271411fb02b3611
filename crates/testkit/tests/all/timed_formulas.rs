//! Formulas of linear temporal logic about random timed models, beside queries of UPPAAL's that say the same. What is found
//! is replayed by the check itself; a run that does not replay is an error.

use std::time::{Duration, Instant};

use bughound::added::{AddedKind, AddedProperty};
use bughound::check::{CheckRequest, check};
use bughound::language::Language;
use bughound::model::{Model, ModelOptions, load_text};
use bughound::run::Hooks;
use bughound::verdict::Verdict;
use bughound::zones::ZoneOptions;
use bughound_ir::expr::Expr;
use bughound_kernel::Limits;
use bughound_testkit::liveness::comparison::Report;
use bughound_testkit::seeds;
use bughound_testkit::timed::comparison::made;
use bughound_testkit::timed::queries::Kind;

/// A query, a formula, and whether one holds where the other does not.
struct Pair {
    query: String,
    formula: String,
    opposite: bool,
}

fn pairs(seed: u64) -> (String, Vec<Pair>) {
    let (_, model, queries) = made(seed, |style| style);
    let mut pairs = Vec::new();
    let mut add = |query: String, formula: String, opposite| pairs.push(Pair { query, formula, opposite });
    for query in queries {
        let text = query.text.clone();
        match query.kind {
            Kind::Eventually => {
                let condition = text.trim_start_matches("A<> ").to_string();
                add(text, format!("<> ({condition})"), false);
                add(format!("true --> {condition}"), format!("[] <> ({condition})"), false);
                let possibly = format!("E[] {condition}");
                add(possibly, format!("true U !({condition})"), true);
            }
            Kind::PossiblyAlways => {
                let condition = text.trim_start_matches("E[] ").to_string();
                add(text, format!("! [] ({condition})"), true);
            }
            Kind::LeadsTo => {
                if let Some((when, then)) = text.split_once(" --> ") {
                    let formula = format!("[] (({when}) -> <> ({then}))");
                    let released = format!("! (true U (({when}) && [] !({then})))");
                    add(text.clone(), formula, false);
                    add(text.clone(), released, false);
                }
            }
            _ => {}
        }
    }
    (model.text, pairs)
}

fn load(text: &str, added: Vec<AddedProperty>) -> Result<Model, String> {
    let options = ModelOptions { added, ..ModelOptions::default() };
    load_text("random.xta", text.as_bytes(), Language::Uppaal, &options).map_err(|error| error.to_string())
}

fn ask(model: &Model, name: &str, search: &str, non_zeno: bool) -> Result<Verdict, String> {
    let mut request = CheckRequest { selection: vec![name.to_string()], ..CheckRequest::default() };
    request.zones = ZoneOptions { non_zeno, ..ZoneOptions::default() };
    request.run.search = search.into();
    let until = Some(Instant::now() + Duration::from_secs(2));
    request.run.limits = Limits { until, states: Some(30_000), ..Limits::default() };
    let report = check(model, &request, Hooks::default()).map_err(|error| format!("{error:?}"))?;
    Ok(report.properties[0].verdict)
}

fn compare(seed: u64) -> Report {
    let mut report = Report::default();
    let (text, pairs) = pairs(seed);
    for pair in pairs {
        let query = AddedProperty { kind: AddedKind::Query, text: pair.query.clone() };
        // Some models are refused; that is compared elsewhere.
        let Ok(model) = load(&text, vec![query.clone()]) else { continue };
        let asked = &model.network.properties.last().expect("the query").question;
        if asked.conditions().iter().any(|e| e.any(|part| matches!(part, Expr::Clock(_) | Expr::Deadlock))) {
            report.count("pairs with clocks");
            continue;
        }
        let formula = AddedProperty { kind: AddedKind::Ltl, text: pair.formula.clone() };
        let about = format!("seed {seed}: {} beside {}\n{text}", pair.query, pair.formula);
        let model = match load(&text, vec![query, formula]) {
            Ok(model) => model,
            Err(why) => {
                report.differences.push(format!("{why}\n{about}"));
                continue;
            }
        };
        let formula = model.network.properties.last().expect("the formula").name.clone();
        for (search, non_zeno) in [("scc", false), ("scc", true), ("nested-dfs", false), ("auto", false)] {
            let known = ask(&model, &pair.query, search, non_zeno);
            let found = ask(&model, &formula, search, non_zeno);
            let (Ok(known), Ok(found)) = (&known, &found) else {
                report.differences.push(format!("{search}, {non_zeno}: {known:?}, {found:?}\n{about}"));
                continue;
            };
            let yes = |verdict: &Verdict| matches!(verdict, Verdict::Holds | Verdict::Satisfied);
            let is_answer = |verdict: &Verdict| yes(verdict) || *verdict == Verdict::Violated;
            if !is_answer(known) || !is_answer(found) {
                report.count("without an answer");
                continue;
            }
            report.count(if yes(found) { "formulas that hold" } else { "formulas that do not" });
            if yes(known) == (yes(found) == pair.opposite) {
                report.differences.push(format!("{search}, {non_zeno}: {known:?}, {found:?}\n{about}"));
            }
        }
    }
    report
}

#[test]
fn formulas_and_queries_that_say_the_same_have_the_same_answers() {
    let mut total = Report::default();
    seeds::in_parallel(0..60, compare, |_, report| total.merge(report));
    assert!(total.differences.is_empty(), "{}", total.differences.join("\n\n"));
    for (what, least) in [("formulas that hold", 40), ("formulas that do not", 40)] {
        assert!(total.of(what) >= least, "{what}: {:?}", total.counts);
    }
}
