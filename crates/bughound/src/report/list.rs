//! The documents of `bughound list`.

use bughound_kernel::registry::Param;
use bughound_search::Promise;
use schemars::JsonSchema;
use serde::Serialize;

use super::words::{Schema, constant};
use crate::language::Language;

constant! {
    /// The command.
    ListCommand = "list"
}

/// The result of `bughound list searches`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SearchesDocument {
    /// Name and version of the format.
    pub schema: Schema,
    /// The command that was given.
    pub command: ListCommand,
    /// All searches.
    pub searches: Vec<SearchEntry>,
}

/// The result of `bughound list heuristics`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct HeuristicsDocument {
    /// Name and version of the format.
    pub schema: Schema,
    /// The command that was given.
    pub command: ListCommand,
    /// All heuristics.
    pub heuristics: Vec<HeuristicEntry>,
}

/// The result of `bughound list languages`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LanguagesDocument {
    /// Name and version of the format.
    pub schema: Schema,
    /// The command that was given.
    pub command: ListCommand,
    /// All languages that have a name, those that cannot be read yet included.
    pub languages: Vec<LanguageEntry>,
}

/// The result of `bughound list stores`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StoresDocument {
    /// Name and version of the format.
    pub schema: Schema,
    /// The command that was given.
    pub command: ListCommand,
    /// All ways to keep states without clocks, the default first.
    pub stores: Vec<StoreEntry>,
}

/// An entry of `bughound list stores`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StoreEntry {
    /// As in `--store`.
    pub name: String,
    /// What it does.
    pub summary: String,
    /// The papers that it comes from.
    pub papers: String,
}

impl From<bughound_store::StoreEntry> for StoreEntry {
    fn from(entry: bughound_store::StoreEntry) -> StoreEntry {
        StoreEntry { name: entry.name.into(), summary: entry.summary.into(), papers: entry.cite.into() }
    }
}

/// An entry of `bughound list searches`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SearchEntry {
    /// As in `--search`.
    pub name: String,
    /// What it does.
    pub summary: String,
    /// The papers that it comes from.
    pub papers: String,
    /// What it promises.
    pub claims: SearchClaims,
    /// Which infinite runs it finds.
    pub cycles: String,
    /// What several threads can share its work for.
    pub threads: SearchThreads,
    /// Its parameters.
    pub params: Vec<ParamEntry>,
}

/// What several threads can share the work of a search for, without arguments of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SearchThreads {
    /// Errors in states and steps.
    pub states: bool,
    /// Infinite runs.
    pub cycles: bool,
}

impl From<bughound_search::Threads> for SearchThreads {
    fn from(threads: bughound_search::Threads) -> SearchThreads {
        SearchThreads { states: threads.states, cycles: threads.cycles }
    }
}

/// What a search promises.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SearchClaims {
    /// It finds an error if there is one.
    pub complete: PromiseWord,
    /// The error that it finds first has a shortest path.
    pub optimal: PromiseWord,
}

/// A promise: true, false, or the condition on which it is given, in words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum PromiseWord {
    Known(bool),
    OnCondition(String),
}

impl From<Promise> for PromiseWord {
    fn from(promise: Promise) -> PromiseWord {
        match promise {
            Promise::Always => PromiseWord::Known(true),
            Promise::Never => PromiseWord::Known(false),
            conditional => PromiseWord::OnCondition(conditional.to_string()),
        }
    }
}

impl From<&bughound_search::Entry> for SearchEntry {
    fn from(entry: &bughound_search::Entry) -> SearchEntry {
        SearchEntry {
            name: entry.name.into(),
            summary: entry.summary.into(),
            papers: entry.cite.into(),
            claims: SearchClaims { complete: entry.claims.complete.into(), optimal: entry.claims.optimal.into() },
            cycles: entry.cycles.to_string(),
            threads: entry.threads().into(),
            params: entry.params.iter().map(ParamEntry::from).collect(),
        }
    }
}

/// An entry of `bughound list heuristics`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct HeuristicEntry {
    /// As in `--heuristic`.
    pub name: String,
    /// What it estimates.
    pub summary: String,
    /// The papers that it comes from.
    pub papers: String,
    /// What it promises.
    pub claims: String,
    /// Its parameters.
    pub params: Vec<ParamEntry>,
}

impl From<&bughound_heuristics::Entry> for HeuristicEntry {
    fn from(entry: &bughound_heuristics::Entry) -> HeuristicEntry {
        HeuristicEntry {
            name: entry.name.into(),
            summary: entry.summary.into(),
            papers: entry.cite.into(),
            claims: entry.claims.into(),
            params: entry.params.iter().map(ParamEntry::from).collect(),
        }
    }
}

/// A parameter of a search or a heuristic.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ParamEntry {
    /// Its name.
    pub name: String,
    /// What it does.
    pub summary: String,
    /// What kind of value it takes.
    pub r#type: String,
    /// Its value if none is given; null if one must be.
    pub default: Option<String>,
}

impl From<&Param> for ParamEntry {
    fn from(param: &Param) -> ParamEntry {
        ParamEntry {
            name: param.name.into(),
            summary: param.summary.into(),
            r#type: param.kind.to_string(),
            default: param.kind.default_text(),
        }
    }
}

/// An entry of `bughound list languages`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LanguageEntry {
    /// As in `--language`.
    pub name: String,
    /// Endings of its files, with the dot.
    pub endings: Vec<String>,
    /// Models in it can be read.
    pub supported: bool,
}

impl From<Language> for LanguageEntry {
    fn from(language: Language) -> LanguageEntry {
        LanguageEntry {
            name: language.name().into(),
            endings: language.endings().iter().map(|ending| format!(".{ending}")).collect(),
            supported: language.is_supported(),
        }
    }
}
