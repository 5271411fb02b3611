//! The tables of searches and heuristics in docs/list-of-searches.md are what the registries say. `BLESS=1` writes them.

use std::path::Path;

use bughound::searches;
use bughound_search::algorithms;

fn searches() -> String {
    let titles = "| name | complete | optimal | cycles | several threads | papers |";
    let mut out = format!("{titles}\n|---|---|---|---|---|---|\n");
    for entry in searches::ALL.iter() {
        let (claims, cycles, threads) = (entry.claims, entry.cycles, entry.threads());
        let promises = format!("{} | {} | {cycles} | {threads}", claims.complete, claims.optimal);
        out.push_str(&format!("| `{}` | {promises} | {} |\n", entry.name, entry.cite));
    }
    out
}

fn heuristics() -> String {
    let mut out = String::from("| name | estimates | claims | papers |\n|---|---|---|---|\n");
    for entry in bughound_heuristics::ALL {
        out.push_str(&format!("| `{}` | {} | {} | {} |\n", entry.name, entry.summary, entry.claims, entry.cite));
    }
    out
}

/// Replaces what stands between two marks.
fn with_table(page: &str, name: &str, table: &str) -> String {
    let (open, close) = (format!("<!-- {name} -->\n"), format!("<!-- end of {name} -->"));
    let from = page.find(&open).unwrap_or_else(|| panic!("there is no place for {name}")) + open.len();
    let to = from + page[from..].find(&close).unwrap_or_else(|| panic!("the table of {name} has no end"));
    format!("{}{table}{}", &page[..from], &page[to..])
}

#[test]
fn tables_follow_the_registries() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/list-of-searches.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let wanted = with_table(&with_table(&page, "searches", &searches()), "heuristics", &heuristics());
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, wanted).unwrap();
    } else {
        assert!(
            page == wanted,
            "docs/list-of-searches.md is out of date: BLESS=1 cargo test -p bughound --test all registry_tables"
        );
    }
}

#[test]
fn every_search_has_a_file_of_its_name() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../search/src/algorithms");
    for entry in algorithms::ALL {
        let file = directory.join(format!("{}.rs", entry.name.replace('-', "_")));
        let text = std::fs::read_to_string(&file).unwrap_or_else(|_| panic!("{} has no file", entry.name));
        for part in ["Paper:", "Claims:", "Cost:", "Fails:", "Example:"] {
            assert!(text.contains(&format!("//! {part}")), "{}: no `{part}`", file.display());
        }
    }
}
