//! `bughound list`: the registries.

use bughound::language::Language;
use bughound_kernel::registry::Param;
use bughound_search::{Entry, Promise, algorithms};
use serde_json::{Value, json};

use super::arguments::{ListArguments, Listed};
use super::document_text;

pub fn run(arguments: &ListArguments) -> String {
    match (arguments.what, arguments.json) {
        (Listed::Searches, true) => document_text(&algorithms::ALL.iter().map(search_json).collect::<Value>()),
        (Listed::Searches, false) => algorithms::ALL.iter().map(search_text).collect::<Vec<_>>().join("\n"),
        (Listed::Heuristics, true) => {
            document_text(&bughound_heuristics::ALL.iter().map(heuristic_json).collect::<Value>())
        }
        (Listed::Heuristics, false) => {
            bughound_heuristics::ALL.iter().map(heuristic_text).collect::<Vec<_>>().join("\n")
        }
        (Listed::Languages, true) => document_text(&Language::ALL.iter().map(language_json).collect::<Value>()),
        (Listed::Languages, false) => Language::ALL.iter().map(language_text).collect(),
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
    let claims = format!("complete: {}; optimal: {}; cycles: {cycles}", claims.complete, claims.optimal);
    text(entry.name, entry.summary, &claims, entry.cite, entry.params)
}

fn heuristic_text(entry: &bughound_heuristics::Entry) -> String {
    text(entry.name, entry.summary, entry.claims, entry.cite, entry.params)
}

fn params_json(params: &[Param]) -> Value {
    let param = |p: &Param| {
        json!({
            "name": p.name, "summary": p.summary, "type": p.kind.to_string(), "default": p.kind.default_text(),
        })
    };
    params.iter().map(param).collect()
}

fn search_json(entry: &bughound_search::Entry) -> Value {
    // `true` and `false` where nothing else matters, the condition in words otherwise.
    let promise = |promise: Promise| match promise {
        Promise::Always => json!(true),
        Promise::Never => json!(false),
        conditional => json!(conditional.to_string()),
    };
    json!({
        "name": entry.name,
        "summary": entry.summary,
        "papers": entry.cite,
        "claims": { "complete": promise(entry.claims.complete), "optimal": promise(entry.claims.optimal) },
        "cycles": entry.cycles.to_string(),
        "params": params_json(entry.params),
    })
}

fn heuristic_json(entry: &bughound_heuristics::Entry) -> Value {
    json!({
        "name": entry.name,
        "summary": entry.summary,
        "papers": entry.cite,
        "claims": entry.claims,
        "params": params_json(entry.params),
    })
}

fn endings(language: &Language) -> Vec<String> {
    language.endings().iter().map(|e| format!(".{e}")).collect()
}

fn language_text(language: &Language) -> String {
    let support = if language.is_supported() { "" } else { "  (not supported yet)" };
    format!("{:<10} {}{support}\n", language.name(), endings(language).join(" "))
}

fn language_json(language: &Language) -> Value {
    json!({ "name": language.name(), "endings": endings(language), "supported": language.is_supported() })
}
