//! The shape of the workspace: which crate may use which, and how long files may be.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What each crate may use. A crate that is not listed may not exist.
const ALLOWED: &[(&str, &[&str])] = &[
    ("kernel", &[]),
    ("dbm", &[]),
    ("checkpoint", &[]),
    ("automata", &["kernel"]),
    ("ir", &["kernel"]),
    ("promela", &["ir"]),
    ("uppaal", &["ir"]),
    ("stochastic", &["ir"]),
    ("semantics", &["ir", "kernel", "dbm"]),
    ("layers", &["kernel", "automata"]),
    ("store", &["kernel"]),
    ("finite", &["ir", "kernel", "semantics"]),
    ("diagrams", &["kernel"]),
    ("heuristics", &["dbm", "diagrams", "finite", "ir", "kernel", "semantics"]),
    ("search", &["checkpoint", "kernel"]),
    ("symbolic", &["diagrams", "finite", "ir", "kernel", "semantics", "search"]),
    ("external", &["checkpoint", "kernel", "store", "search"]),
    ("distributed", &["checkpoint", "kernel", "store", "search"]),
    ("markov", &[]),
    ("trace", &["ir", "kernel"]),
    ("native", &["kernel", "search", "store"]),
];

/// Free to use anything: the façade and the tools of the tests.
const FREE: &[&str] = &["bughound", "testkit"];

/// Longer files (tests excluded) must be split.
const LONGEST_FILE: usize = 600;

fn crates() -> BTreeMap<String, PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let entries = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let crates = entries.filter(|path| path.join("Cargo.toml").exists());
    crates.map(|path| (path.file_name().unwrap().to_str().unwrap().to_string(), path)).collect()
}

/// Crates of this workspace in the given tables of a manifest.
fn uses(manifest: &toml::Table, tables: &[&str]) -> Vec<String> {
    let mut scopes: Vec<&toml::Table> = vec![manifest];
    if let Some(targets) = manifest.get("target").and_then(|t| t.as_table()) {
        scopes.extend(targets.values().filter_map(|t| t.as_table()));
    }
    let found = scopes.into_iter().flat_map(|scope| tables.iter().filter_map(|name| scope.get(*name)?.as_table()));
    let names = found.flat_map(|table| table.keys());
    names
        .filter_map(|name| match name.strip_prefix("bughound-") {
            Some(short) => Some(short.to_string()),
            None => (name == "bughound").then(|| name.clone()),
        })
        .collect()
}

#[test]
fn dependencies_point_in_one_direction() {
    let mut wrong = Vec::new();
    for (name, path) in crates() {
        let manifest: toml::Table = std::fs::read_to_string(path.join("Cargo.toml")).unwrap().parse().unwrap();
        let used = uses(&manifest, &["dependencies", "build-dependencies"]);
        if name != "testkit" && used.contains(&"testkit".to_string()) {
            wrong.push(format!("{name} uses testkit outside of its tests"));
        }
        if FREE.contains(&name.as_str()) {
            continue;
        }
        let Some((_, allowed)) = ALLOWED.iter().find(|(listed, _)| *listed == name) else {
            wrong.push(format!("{name} is not in the list of this test"));
            continue;
        };
        wrong.extend(used.iter().filter(|u| !allowed.contains(&u.as_str())).map(|u| format!("{name} uses {u}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn rust_files(directory: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            rust_files(&path, out);
        } else if path.extension().is_some_and(|e| e == "rs") {
            out.push(path);
        }
    }
}

#[test]
fn files_stay_short() {
    let mut long = Vec::new();
    for (_, path) in crates() {
        let mut files = Vec::new();
        rust_files(&path.join("src"), &mut files);
        for file in files.iter().filter(|f| f.file_stem().is_some_and(|stem| stem != "tests")) {
            let text = std::fs::read_to_string(file).unwrap();
            let lines = text.lines().position(|line| line == "#[cfg(test)]").unwrap_or(text.lines().count());
            // A `#[cfg(test)]` in front of a `mod` line at the top does not end the file.
            let module_only = text.lines().skip(lines + 1).take(1).any(|line| line.ends_with(';'));
            let lines = if module_only { text.lines().count() } else { lines };
            if lines > LONGEST_FILE {
                long.push(format!("{} has {lines} lines before its tests", file.display()));
            }
        }
    }
    assert!(long.is_empty(), "{}", long.join("\n"));
}
