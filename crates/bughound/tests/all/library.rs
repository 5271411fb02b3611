//! Bughound as a library.

use bughound::added::{AddedKind, AddedProperty};
use bughound::check::{CheckRequest, check};
use bughound::language::Language;
use bughound::model::{ModelOptions, load_text};
use bughound::plan::{Base, Conclusion, Layer, plan};
use bughound::run::{Hooks, RunOptions};
use bughound::verdict::Verdict;
use bughound_search::registry::{Claims, CycleSupport};
use bughound_search::{
    BlindSearch, Driver, Entry, Promise, Search, SearchError, SearchResult, Searches, Task, algorithms,
};

fn with_reach(condition: &str) -> ModelOptions {
    let added = vec![AddedProperty { kind: AddedKind::Reach, text: condition.into() }];
    ModelOptions { added, ..ModelOptions::default() }
}

/// What is asked comes from the model, not from the request.
#[test]
fn a_question_about_existence_is_one_whatever_the_request_says() {
    let text = b"byte x; active proctype P() { x = 1; x = 2 }";
    for (condition, verdict) in [("x == 2", Verdict::Satisfied), ("x == 3", Verdict::Violated)] {
        let model = load_text("m.pml", text, Language::Promela, &with_reach(condition)).unwrap();
        let report = check(&model, &CheckRequest::default(), Hooks::default()).unwrap();
        let reach = report.properties.iter().find(|p| p.name == "reach-1").unwrap();
        assert_eq!((reach.kind, reach.verdict), ("reachability", verdict), "{condition}");
    }
}

#[test]
fn a_text_in_another_language_is_refused() {
    for language in Language::ALL.into_iter().filter(|language| *language != Language::Promela) {
        let error = load_text("m.pml", b"active proctype P() { skip }", language, &ModelOptions::default());
        assert!(error.is_err(), "{language}");
    }
}

/// A plan says which questions one search decides, on what, and how.
#[test]
fn plans_are_data() {
    let text = b"byte x; active proctype P() { do :: x = 1 - x od } ltl p { []<> (x == 1) } ltl q { [] (x < 2) }";
    let model = load_text("m.pml", text, Language::Promela, &with_reach("x == 1")).unwrap();
    let names = |search: &str, fair: bool| {
        let run = RunOptions { search: search.into(), fair, ..CheckRequest::default().run };
        let plan = plan(&model, &CheckRequest { run, ..CheckRequest::default() }).unwrap();
        let job = |job: &bughound::plan::Job| {
            let names: Vec<&str> = job.questions.iter().map(|q| plan.questions[*q].name.as_str()).collect();
            assert_eq!(job.base, Base::States);
            (names.join(" "), job.layers.clone(), job.conclusion)
        };
        plan.jobs.iter().map(job).collect::<Vec<_>>()
    };
    let together = ("deadlock assertion q".to_string(), vec![], Conclusion::Errors);
    let reach = ("reach-1".to_string(), vec![], Conclusion::Existence);
    let claim = |layers: &[Layer]| ("p".to_string(), layers.to_vec(), Conclusion::Errors);
    assert_eq!(names("scc", false), [together.clone(), reach.clone(), claim(&[Layer::Claim])]);
    let recorded = claim(&[Layer::Claim, Layer::Recording]);
    assert_eq!(names("greedy", false), [together.clone(), reach.clone(), recorded]);
    let fair = claim(&[Layer::WeakFairness, Layer::Claim, Layer::OneCondition]);
    assert_eq!(names("nested-dfs", true), [together, reach, fair]);
}

/// A search of another crate: breadth-first, under a name that nobody else knows.
struct Toy;

impl Search for Toy {
    fn run(&self, task: Task<'_>, driver: &mut Driver<'_>) -> Result<SearchResult, SearchError> {
        BlindSearch::breadth_first("toy").run(task, driver)
    }
}

const TOY: Entry = Entry {
    name: "toy",
    summary: "a search of a test",
    cite: "nobody",
    params: &[],
    claims: Claims { complete: Promise::Always, optimal: Promise::Always },
    cycles: CycleSupport::ByRecording,
    build: |_, _| Ok(Box::new(Toy)),
};

/// Expressions can name searches that no crate of Bughound knows, at any depth.
#[test]
fn searches_can_be_added_to_the_list() {
    let text = b"byte x; active proctype P() { do :: x < 5 -> x++ :: x > 3 -> assert(x != 5) od }";
    let model = load_text("m.pml", text, Language::Promela, &ModelOptions::default()).unwrap();
    let run = |search: &str, searches| {
        let run = RunOptions { search: search.into(), searches, ..CheckRequest::default().run };
        check(&model, &CheckRequest { run, ..CheckRequest::default() }, Hooks::default())
    };
    let lists: &'static [&'static [Entry]] = &[algorithms::ALL, &[TOY]];
    let length = |search: &str| {
        let report = run(search, Searches(lists)).unwrap();
        let property = report.properties.iter().find(|property| property.name == "assertion").unwrap();
        assert_eq!(property.verdict, Verdict::Violated, "{search}");
        property.trace.as_ref().unwrap().steps.len()
    };
    assert_eq!(length("toy"), length("bfs"));
    assert_eq!(length("trail-directed(first=toy)"), length("trail-directed(first=bfs)"));
    let unknown = run("toy", bughound::searches::ALL).unwrap_err().to_string();
    assert!(unknown.contains("there is no search `toy`"), "{unknown}");
    let wrong = run("toy(h=blind)", Searches(lists)).unwrap_err().to_string();
    assert!(wrong.contains("`toy` takes no arguments"), "{wrong}");
}
