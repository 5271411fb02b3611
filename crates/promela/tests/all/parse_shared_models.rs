//! Parses the models of other people that SPIN accepts, when they are at hand.

use bughound_ir::source::SourceMap;
use bughound_promela::{DiskReader, Options, parse};
use std::path::{Path, PathBuf};

const SHARED_MODELS: &str = "../../../shared/models/promela";

/// Models that SPIN 6.5.2 refuses, too, or that need something we do not have, with the reason.
const EXCEPTIONS: &[(&str, &str)] = &[(
    "LTL/patterns.pml",
    "refused by SPIN (`X` is switched off), and formula pc10 has `&` between temporal formulas",
)];

fn models(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            models(&path, found);
        } else if path.extension().is_some_and(|e| e == "pml" || e == "prm") {
            // The `.h` files are fragments that some of the models include.
            found.push(path);
        }
    }
}

#[test]
fn models_that_spin_accepts_are_accepted() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(SHARED_MODELS);
    let mut paths = Vec::new();
    models(&folder, &mut paths);
    paths.sort();
    if paths.is_empty() {
        println!("skipped: no models in {}", folder.display());
        return;
    }
    let mut failures = Vec::new();
    for path in &paths {
        let name = path.display().to_string();
        if let Some((_, reason)) = EXCEPTIONS.iter().find(|(end, _)| name.ends_with(end)) {
            println!("left out {name}: {reason}");
            continue;
        }
        // The models of HSF-SPIN take their sizes from the command line.
        let mut options = Options::default();
        if name.contains("hsf-spin") {
            options.defines = vec![("N".into(), Some("2".into())), ("M".into(), Some("2".into()))];
        }
        let mut sources = SourceMap::default();
        let bytes = std::fs::read(path).expect("a readable model");
        let result = parse(&mut sources, path, &bytes, &options, &DiskReader);
        for error in result.diagnostics.iter().filter(|d| d.is_error()) {
            let span = error.span.unwrap_or_default();
            let place = format!("{}:{}:{}", sources.path(span).display(), sources.line(span), sources.column(span));
            failures.push(format!("{place} {} {:?}", error.message, error.help));
        }
        assert_eq!(result.ast.is_none(), result.diagnostics.iter().any(|d| d.is_error()), "{name}");
    }
    println!("{} models parsed", paths.len());
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
