//! Other people's models, if they lie beside the repository: every file must be read as it is.

use std::path::{Path, PathBuf};

use bughound_ir::source::{Diagnostic, SourceMap};
use bughound_uppaal::lower::lower;
use bughound_uppaal::{ParseResult, parse, parse_queries};

/// A directory of models, looked for from here upwards.
fn models_in(directory: &str) -> Option<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let found = here.ancestors().map(|up| up.join(directory)).find(|path| path.is_dir());
    if found.is_none() {
        eprintln!("skipped: no directory {directory} above this one");
    }
    found
}

fn corpus() -> Option<PathBuf> {
    models_in("shared/models/uppaal")
}

fn files(directory: &Path, out: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(directory).unwrap().map(|e| e.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, out);
        } else {
            out.push(path);
        }
    }
}

fn with_ending(corpus: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    files(corpus, &mut found);
    found.retain(|path| path.extension().is_some_and(|e| endings.iter().any(|ending| e == *ending)));
    found
}

fn show(sources: &SourceMap, diagnostics: &[Diagnostic]) -> String {
    let lines = diagnostics.iter().map(|d| {
        let span = d.span.unwrap_or_default();
        let place = format!("{}:{}:{}", sources.path(span).display(), sources.line(span), sources.column(span));
        format!("{place}: {} ({})", d.message, d.label)
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn read(path: &Path) -> (SourceMap, ParseResult) {
    let mut sources = SourceMap::default();
    let result = parse(&mut sources, path, &std::fs::read(path).unwrap());
    (sources, result)
}

#[test]
fn every_model_parses() {
    let Some(corpus) = corpus() else { return };
    let models = with_ending(&corpus, &["xml", "xta", "ta"]);
    assert!(models.len() > 40, "{}", models.len());
    for path in models {
        let (sources, result) = read(&path);
        assert!(result.ast.is_some(), "{}", show(&sources, &result.diagnostics));
        // One file has a lonely `=` between two states.
        let expected = if path.ends_with("critical-2-25-50.xta") { 1 } else { 0 };
        assert_eq!(result.diagnostics.len(), expected, "{}", show(&sources, &result.diagnostics));
    }
}

#[test]
fn every_query_file_parses() {
    let Some(corpus) = corpus() else { return };
    for path in with_ending(&corpus, &["q"]) {
        let mut sources = SourceMap::default();
        let (queries, diagnostics) = parse_queries(&mut sources, &path, &std::fs::read(&path).unwrap());
        assert!(diagnostics.is_empty(), "{}", show(&sources, &diagnostics));
        let expected = if path.ends_with("engine.q") { 46 } else { 1 };
        assert_eq!(queries.len(), expected, "{}", path.display());
    }
}

#[test]
fn models_have_the_size_that_they_have() {
    let Some(corpus) = corpus() else { return };
    let size = |name: &str| {
        let (_, result) = read(&corpus.join(name));
        let model = result.ast.unwrap();
        let locations: usize = model.templates.iter().map(|t| t.locations.len()).sum();
        let edges: usize = model.templates.iter().map(|t| t.edges.len()).sum();
        (model.templates.len(), locations, edges, model.queries.len())
    };
    assert_eq!(size("demo/train-gate.xml"), (2, 8, 11, 14));
    assert_eq!(size("demo/2doors.xml"), (2, 8, 11, 7));
    assert_eq!(size("mcta/M1.gen.xml"), (3, 11, 41, 1));
    assert_eq!(size("mcta/M1_mutex.xta"), (3, 11, 41, 0));
    assert_eq!(size("xta/soldiers/soldiers.xta"), (2, 6, 6, 0));
}

/// Every model becomes a network, with its own queries and those of the query files beside it.
#[test]
fn every_model_is_lowered_with_its_queries() {
    let Some(corpus) = corpus() else { return };
    for path in with_ending(&corpus, &["xml", "xta", "ta"]) {
        let (mut sources, result) = read(&path);
        let model = result.ast.unwrap();
        let mut queries = Vec::new();
        for beside in with_ending(path.parent().unwrap(), &["q"]) {
            let stem = |path: &Path| path.file_stem().unwrap().to_str().unwrap().to_string();
            let family = |stem: &str| stem.split('-').next().unwrap_or(stem).to_string();
            if family(&stem(&beside)) == family(&stem(&path)) {
                queries.extend(parse_queries(&mut sources, &beside, &std::fs::read(&beside).unwrap()).0);
            }
        }
        let lowered = lower(&model, &queries, &sources);
        assert!(lowered.network.is_some(), "{}", show(&sources, &lowered.diagnostics));
        assert!(lowered.diagnostics.is_empty(), "{}", show(&sources, &lowered.diagnostics));
        assert!(lowered.queries.iter().all(|query| query.property.is_ok()), "{:?}", lowered.queries);
        assert_eq!(lowered.queries.len(), model.queries.len() + queries.len());
    }
}

/// Those with costs, too; the only thing to say about them is that rewards are ignored.
#[test]
fn every_model_with_costs_is_lowered_with_its_queries() {
    let Some(corpus) = models_in("shared/models/priced") else { return };
    let models = with_ending(&corpus, &["xml", "xta", "ta"]);
    assert!(models.len() > 25, "{}", models.len());
    for path in models {
        let (mut sources, result) = read(&path);
        assert!(result.diagnostics.is_empty(), "{}", show(&sources, &result.diagnostics));
        let model = result.ast.unwrap();
        let beside = path.with_extension("q");
        let has_rewards = path.extension().is_some_and(|ending| ending == "xml");
        let queries = match std::fs::read(&beside) {
            Ok(bytes) => parse_queries(&mut sources, &beside, &bytes).0,
            Err(_) => Vec::new(),
        };
        assert_eq!(queries.is_empty(), has_rewards, "{}", path.display());
        let lowered = lower(&model, &queries, &sources);
        let network = lowered.network.unwrap_or_else(|| panic!("{}", show(&sources, &lowered.diagnostics)));
        assert!(network.pricing.is_some(), "{}", path.display());
        assert_eq!(lowered.diagnostics.len(), usize::from(has_rewards), "{}", show(&sources, &lowered.diagnostics));
        assert!(lowered.queries.iter().all(|query| query.property.is_ok()), "{:?}", lowered.queries);
    }
}
