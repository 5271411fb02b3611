//! `bughound list`: the registries.

use bughound::language::Language;
use bughound::report;
use bughound::report::list::{
    HeuristicEntry, HeuristicsDocument, LanguageEntry, LanguagesDocument, ListCommand, SearchEntry, SearchesDocument,
    StoreEntry, StoresDocument,
};
use bughound::report::words::Schema;
use bughound::searches;
use bughound_kernel::registry::Param;
use bughound_search::Entry;
use bughound_store::registry;

use super::arguments::{ListArguments, Listed};

pub fn run(arguments: &ListArguments) -> String {
    let (searches, heuristics, languages) = (searches::ALL.iter(), bughound_heuristics::ALL.iter(), Language::ALL);
    let (schema, command) = (Schema::Only, ListCommand::Only);
    match (arguments.what, arguments.json) {
        (Listed::Searches, true) => {
            report::text(&SearchesDocument { schema, command, searches: searches.map(SearchEntry::from).collect() })
        }
        (Listed::Searches, false) => searches.map(search_text).collect::<Vec<_>>().join("\n"),
        (Listed::Heuristics, true) => {
            let heuristics = heuristics.map(HeuristicEntry::from).collect();
            report::text(&HeuristicsDocument { schema, command, heuristics })
        }
        (Listed::Heuristics, false) => heuristics.map(heuristic_text).collect::<Vec<_>>().join("\n"),
        (Listed::Languages, true) => {
            let languages = languages.map(LanguageEntry::from).to_vec();
            report::text(&LanguagesDocument { schema, command, languages })
        }
        (Listed::Languages, false) => languages.iter().map(language_text).collect(),
        (Listed::Stores, true) => {
            let stores = registry::ALL.map(StoreEntry::from).to_vec();
            report::text(&StoresDocument { schema, command, stores })
        }
        (Listed::Stores, false) => registry::ALL.iter().map(store_text).collect::<Vec<_>>().join("\n"),
        (Listed::Schema, _) => report::text(&report::schema::documents()),
        (Listed::TraceSchema, _) => report::text(&report::schema::saved_traces()),
    }
}

fn text(name: &str, summary: &str, claims: &str, cite: &str, params: &[Param]) -> String {
    let mut out = format!("{name}\n    {summary}\n    claims: {claims}\n");
    if !cite.is_empty() {
        out.push_str(&format!("    papers: {cite}\n"));
    }
    for param in params {
        let default = param.kind.default_text().map_or(String::new(), |d| format!("; default {d}"));
        out.push_str(&format!("    {}: {} ({}{default})\n", param.name, param.summary, param.kind));
    }
    out
}

fn search_text(entry: &Entry) -> String {
    let Entry { claims, cycles, .. } = entry;
    let (complete, optimal, threads) = (claims.complete, claims.optimal, entry.threads());
    let claims = format!("complete: {complete}; optimal: {optimal}; cycles: {cycles}; several threads: {threads}");
    text(entry.name, entry.summary, &claims, entry.cite, entry.params)
}

fn heuristic_text(entry: &bughound_heuristics::Entry) -> String {
    text(entry.name, entry.summary, entry.claims, entry.cite, entry.params)
}

fn store_text(entry: &bughound_store::StoreEntry) -> String {
    let claims = if entry.kind.forgets() { "none: may confuse states" } else { "exact" };
    text(entry.name, entry.summary, claims, entry.cite, &[])
}

fn language_text(language: &Language) -> String {
    let entry = LanguageEntry::from(*language);
    let support = if entry.supported { "" } else { "  (not supported yet)" };
    format!("{:<10} {}{support}\n", entry.name, entry.endings.join(" "))
}
