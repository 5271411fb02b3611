//! Counterexamples to bounds on probabilities, as text, documents and pictures. The values are made by hand ([`examples`]).
//!
//! `BLESS=1` writes the texts; `PICTURES=DIR` writes the pictures to a directory, to look at them.

mod examples;

use std::path::Path;
use std::sync::Arc;

use bughound::chances::Counterexample;
use bughound::check::{CheckReport, PropertyReport};
use bughound::language::Language;
use bughound::model::{Model, ModelOptions};
use bughound::properties::listed;
use bughound::report::check::CheckDocument;
use bughound::subsystem::dot::dot;
use bughound::subsystem::mass::mass_over_k;
use bughound::subsystem::svg::{MOST_STATES, svg};
use bughound::subsystem::text::render_text;
use bughound::verdict::Verdict;
use bughound_trace::{Filter, Shown, TextBounds, TextOptions};
use serde_json::{Value, json, to_value};

use self::examples::{HOSTILE, chain, decisions, hostile, large, rates};
use crate::explain::assert_dot;
use crate::support::Workspace;
use crate::support::schema::faults;

const PROPERTY: &str = "P<=0.5 [ F \"bad\" ]";

fn bounded() -> TextOptions {
    let bounds = Some(TextBounds { ends: 40, width: 160, hint: "; --full-trace shows them" });
    TextOptions { bounds, ..TextOptions::default() }
}

fn text(shown: &Counterexample, options: &TextOptions) -> String {
    format!("{}\n\n{}", shown.headline(), render_text(shown, options))
}

#[test]
fn texts_are_as_written_down() {
    let turned = {
        // A path that goes around a loop is the first one where there are bounds on steps from below.
        let mut found = chain();
        found.paths.sort_by_key(|path| std::cmp::Reverse(path.edges.len()));
        found
    };
    for (name, shown) in [("chain", chain()), ("decisions", decisions()), ("rates", rates()), ("turned", turned)] {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/all/subsystems/{name}.txt"));
        let found = text(&shown, &bounded());
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(&file, &found).unwrap();
        }
        assert_eq!(found, std::fs::read_to_string(&file).unwrap_or_default(), "{name}");
    }
}

#[test]
fn long_lists_are_cut_and_shown_in_full_on_request() {
    let shown = large(60, 40);
    let (short, full) = (text(&shown, &bounded()), text(&shown, &TextOptions::default()));
    assert!(short.contains("… and 37 paths more; --full-trace shows them\n"), "{short}");
    assert!(!full.contains("--full-trace") && full.lines().count() > 37 + short.lines().count() - 2, "{full}");
    assert!(short.lines().all(|line| line.chars().count() <= 160));
}

#[test]
fn variables_can_be_hidden_and_states_shown_in_full() {
    let filter = Filter { show: Vec::new(), hide: vec!["tries".into()] };
    let hidden = text(&chain(), &TextOptions { filter: filter.clone(), ..bounded() });
    assert!(hidden.contains("phase: lost → late\n") && !hidden.contains("tries: "), "{hidden}");
    let full = text(&chain(), &TextOptions { shown: Shown::FullStates, ..bounded() });
    assert!(full.contains("initially  phase = idle, tries = 0, N = 4\n"), "{full}");
    let titles = svg(&chain(), PROPERTY, &filter);
    assert!(titles.contains("N = 4") && !titles.contains("tries = "), "{titles}");
    assert!(!dot(&chain(), PROPERTY, &filter).contains("tries = "));
}

fn document(shown: Counterexample) -> Value {
    let options = ModelOptions::default();
    let model = Model::from_text("m.pml", "init { assert(false) }", Language::Promela, &options).unwrap();
    let property = PropertyReport {
        verdict: Verdict::Violated,
        counterexample: Some(Arc::new(shown)),
        ..PropertyReport::undecided(&listed(&model)[0])
    };
    let report = CheckReport {
        verdict: Verdict::Violated,
        search: "bfs".into(),
        heuristic: None,
        properties: vec![property],
        stats: None,
        notes: Vec::new(),
        unreached: None,
    };
    to_value(CheckDocument::new("m.pml", Language::Promela, &report, Vec::new())).unwrap()
}

#[test]
fn documents_have_everything_and_follow_the_schema() {
    for shown in [chain(), decisions(), rates(), hostile(), large(30, 10)] {
        let (states, edges, paths) = (shown.states.len(), shown.edges.len(), shown.paths.len());
        let document = document(shown);
        assert_eq!(faults(&document), Vec::<String>::new());
        let found = &document["properties"][0]["counterexample"];
        let many = |name: &str| found[name].as_array().unwrap().len();
        assert_eq!([many("states"), many("edges"), many("paths"), many("mass")], [states, edges, paths, paths]);
    }
    let found = document(chain())["properties"][0]["counterexample"].clone();
    assert_eq!(
        (&found["shows"], &found["exact_bound"], &found["at_least"]),
        (&json!("goals"), &json!("1/2"), &json!(5))
    );
    assert_eq!(found["states"][4]["values"][0], json!({ "name": "phase", "value": "broken" }));
    assert_eq!((&found["states"][4]["end"], &found["states"][0]["end"]), (&json!(true), &json!(false)));
    assert_eq!((&found["edges"][3]["exact"], &found["edges"][2]["commands"]), (&json!("1/3"), &json!([0, 1])));
    let repeats = found["paths"].as_array().unwrap().iter().map(|path| &path["repeats"]).find(|r| !r[0].is_null());
    assert_eq!(repeats.unwrap()[0], json!({ "first": 0, "steps": 2, "times": 2 }));
    assert!(found["states"][0].get("choice").is_none() && found["edges"][0].get("rate").is_none());
    let found = document(rates())["properties"][0]["counterexample"].clone();
    assert_eq!(found["edges"][2]["rate"], json!(4.0));
    assert!(found["paths"][0]["in_time"].is_f64());
    let found = document(decisions())["properties"][0]["counterexample"].clone();
    assert_eq!((&found["shows"], &found["states"][1]["choice"]), (&json!("avoids"), &json!("[cheat]")));
}

#[test]
fn graphs_are_for_graphviz() {
    for shown in [chain(), decisions(), hostile(), large(200, 3)] {
        let text = dot(&shown, HOSTILE, &Filter::default());
        assert_dot(&text);
        assert_eq!(text.matches("penwidth=").count(), shown.edges.len());
        assert_eq!(text.matches("fillcolor=").count(), shown.states.len());
        assert_eq!(text.matches("peripheries=2").count(), shown.states.iter().filter(|state| state.is_end).count());
    }
}

/// Fails unless a picture is well-formed and shows all its words: none may stick out of it.
fn look_at(name: &str, svg: &str) {
    if let Some(directory) = std::env::var_os("PICTURES") {
        std::fs::write(Path::new(&directory).join(format!("{name}.svg")), svg).unwrap();
    }
    let document = roxmltree::Document::parse(svg).unwrap_or_else(|error| panic!("{name}: {error}\n{svg}"));
    let sizes: Vec<f64> =
        document.root_element().attribute("viewBox").unwrap().split(' ').map(|size| size.parse().unwrap()).collect();
    let [left, top, width, height] = sizes[..] else { panic!("{name}: {sizes:?}") };
    for text in document.descendants().filter(|node| node.has_tag_name("text")) {
        let at = |name: &str| text.attribute(name).unwrap().parse::<f64>().unwrap();
        let (x, y, words) = (at("x"), at("y"), text.text().unwrap_or_default());
        // Letters of eleven or twelve pixels are about half as wide.
        let wide = words.chars().count() as f64 * 6.0;
        let begin = match text.attribute("text-anchor") {
            Some("middle") => x - wide / 2.0,
            Some("end") => x - wide,
            _ => x,
        };
        assert!(begin >= left && begin + wide <= left + width, "{name}: {words}");
        assert!(y - 9.0 >= top && y + 3.0 <= top + height, "{name}: {words}");
    }
    assert!(!svg.contains("NaN") && !svg.contains("inf\""), "{name}");
}

#[test]
fn pictures_are_well_formed_and_nothing_sticks_out() {
    for (name, shown) in [("chain", chain()), ("decisions", decisions()), ("rates", rates()), ("large", large(70, 60))]
    {
        let drawn = svg(&shown, PROPERTY, &Filter::default());
        look_at(name, &drawn);
        // Every state and every step tells about itself; the legend has six without words, and the beginning is marked.
        assert_eq!(drawn.matches("class=\"end\"").count() / 2, shown.states.iter().filter(|s| s.is_end).count() + 1);
        assert_eq!(drawn.matches("<title>probability ").count(), shown.edges.len(), "{name}");
        assert_eq!(drawn.matches("<title>state ").count(), shown.states.len(), "{name}");
        look_at(&format!("{name}-mass"), &mass_over_k(&shown).to_svg());
    }
    let drawn = svg(&hostile(), HOSTILE, &Filter::default());
    look_at("hostile", &drawn);
    assert!(drawn.contains("&lt;script&gt;") && !drawn.contains("<script"));
}

#[test]
fn large_pictures_say_what_they_leave_out() {
    let shown = large(400, 1000);
    let drawn = svg(&shown, PROPERTY, &Filter::default());
    look_at("left-out", &drawn);
    assert!(drawn.contains("150 of 400 states, those that contribute most; 250 are left out"));
    assert_eq!(drawn.matches("<title>state ").count(), MOST_STATES);
    assert!(drawn.contains("<title>state 0, the initial one"));
    // Whoever is drawn contributes as much as anybody who is not.
    let is_drawn =
        |at: usize| drawn.contains(&format!("<title>state {at}\n")) || drawn.contains(&format!("<title>state {at},"));
    let (inside, outside): (Vec<usize>, Vec<usize>) = (1..400).partition(|at| is_drawn(*at));
    let contribution = |at: &usize| shown.states[*at].contribution();
    let least = inside.iter().map(contribution).fold(f64::INFINITY, f64::min);
    assert!(outside.iter().all(|at| contribution(at) <= least));
}

#[test]
fn the_curve_is_logarithmic_where_there_are_many_paths() {
    let (few, many) = (mass_over_k(&chain()), mass_over_k(&large(60, 5000)));
    assert!(!few.is_logarithmic && many.is_logarithmic);
    assert_eq!(few.curves[0].points.len(), 12);
    assert!(many.curves[0].points.len() < 1000 && many.to_svg().contains("k (logarithmic scale)"));
    assert_eq!(few.levels[0], ("the bound: 0.5".into(), 0.5));
    look_at("many-mass", &many.to_svg());
}

const WALK: &str = "dtmc module m x : [0..2] init 0; [] x=0 -> 0.5:(x'=1) + 0.5:(x'=0); endmodule";

#[test]
fn files_are_options() {
    let workspace = Workspace::with("m.pm", WALK);
    for (option, file) in [("--subsystem", "old.svg"), ("--subsystem", "old.DOT"), ("--mass", "old.svg")] {
        workspace.write(file, "old");
        let ran = workspace.run(&["check", "m.pm", "--query", "P>=1 [ F x=1 ]", option, file]).exits(0);
        ran.complains("note: there is no counterexample to a bound on a probability to draw");
        assert!(!workspace.path(file).exists(), "{file}");
    }
    for file in ["x.png", "x", "svg"] {
        let ran = workspace.run(&["check", "m.pm", "--subsystem", file]).exits(2);
        ran.complains("the ending says what is written: .svg for a picture, .dot for Graphviz");
    }
    let ran = workspace.run(&["check", "m.pm", "--subsystem", "x.svg", "--mass", "x.svg"]).exits(2);
    ran.complains("--subsystem and --mass both write to x.svg");
}
