//! `bughound list`: the registries.

use bughound::language::Language;
use bughound_kernel::registry::Param;
use bughound_search::algorithms;
use serde_json::{Value, json};

use super::arguments::{ListArguments, Listed};
use super::document_text;

pub fn run(arguments: &ListArguments) -> String {
    match (arguments.what, arguments.json) {
        (Listed::Searches, true) => document_text(&algorithms::ALL.iter().map(search_json).collect::<Value>()),
        (Listed::Searches, false) => algorithms::ALL.iter().map(search_text).collect::<Vec<_>>().join("\n"),
        (Listed::Heuristics, true) => document_text(&json!([])),
        (Listed::Heuristics, false) => "This version has no heuristics yet.\n".into(),
        (Listed::Languages, true) => document_text(&Language::ALL.iter().map(language_json).collect::<Value>()),
        (Listed::Languages, false) => Language::ALL.iter().map(language_text).collect(),
    }
}

fn search_text(entry: &bughound_search::Entry) -> String {
    let claim = |yes: bool, name: &str| if yes { name.to_string() } else { format!("not {name}") };
    let mut out = format!("{}\n    {}\n", entry.name, entry.summary);
    let claims = [claim(entry.claims.complete, "complete"), claim(entry.claims.optimal, "optimal")];
    out.push_str(&format!("    claims: {}\n    papers: {}\n", claims.join(", "), entry.cite));
    for param in entry.params {
        let default = param.kind.default_text().map_or(String::new(), |d| format!("; default {d}"));
        out.push_str(&format!("    {}: {} ({}{default})\n", param.name, param.summary, param.kind));
    }
    out
}

fn search_json(entry: &bughound_search::Entry) -> Value {
    let param = |p: &Param| {
        json!({
            "name": p.name, "summary": p.summary, "type": p.kind.to_string(), "default": p.kind.default_text(),
        })
    };
    json!({
        "name": entry.name,
        "summary": entry.summary,
        "papers": entry.cite,
        "claims": { "complete": entry.claims.complete, "optimal": entry.claims.optimal },
        "params": entry.params.iter().map(param).collect::<Vec<_>>(),
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
