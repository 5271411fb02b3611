//! The options that say which properties.

use bughound::added::{AddedKind, AddedProperty, claim_text};
use bughound::input::{MAX_FILE_BYTES, read_text};
use bughound::model::Model;
use bughound::properties::listed;
use clap::Args;

/// Which properties.
#[derive(Debug, Args)]
pub struct PropertyArguments {
    /// Properties to check, by name, group or number; all if none is given
    #[arg(value_name = "PROPERTY")]
    pub properties: Vec<String>,
    /// The same as an option: a name, a number in the list of `bughound explain`, or safety, liveness, deadlock, assertion, invariant, reach, never, ltl,
    /// acceptance. Checked only if asked for: non-progress (a run that passes no progress label any more), unspecified-reception (a process can only receive, and none of the messages that wait for it),
    /// channel-overflow (a process wants to send to a full channel)
    #[arg(long = "property", value_name = "NAME")]
    pub property: Vec<String>,
    /// Check in addition that this holds in every state, such as 'x <= N && P[0]@end'
    #[arg(long, value_name = "EXPR")]
    pub invariant: Vec<String>,
    /// Ask in addition whether some state satisfies this
    #[arg(long, value_name = "EXPR")]
    pub reach: Vec<String>,
    /// Ask for the cheapest run to a state that satisfies this, and check nothing else that is not named. A run that gets stuck elsewhere does not count
    #[arg(long, value_name = "EXPR")]
    pub goal: Vec<String>,
    /// Check in addition that this formula of temporal logic is true of every run, such as '[] (req -> <> ack)'
    #[arg(long, value_name = "FORMULA")]
    pub ltl: Vec<String>,
    /// Answer in addition this query of UPPAAL, such as 'E<> P.cs and Q.cs' or 'A[] not deadlock', or this property of PRISM (for JANI, too), such as
    /// 'P=? [ F x=1 ]' or 'R{"time"}<=3 [ F "done" ]'
    #[arg(long, value_name = "QUERY")]
    pub query: Vec<String>,
    /// Answer in addition the queries of this file (UPPAAL's .q, PRISM's .props, .pctl, .csl); those of MODEL.q beside a UPPAAL model and
    /// those in a JANI model are asked anyway
    #[arg(long, value_name = "FILE", value_parser = text_parser)]
    pub queries: Vec<FileText>,
    /// Check in addition that no run satisfies the claim in this file: `never { … }`, or an automaton in HOA format whose
    /// atoms are conditions of the model
    #[arg(long, value_name = "FILE", value_parser = claim_parser)]
    pub claim: Vec<FileText>,
    /// Check only what the command line asks for (--invariant, --reach, --ltl, --query, --queries, --claim, --property), and
    /// nothing that the model declares
    #[arg(long)]
    pub only: bool,
}

/// A file that was read.
#[derive(Clone, Debug)]
pub struct FileText {
    pub file: String,
    pub text: String,
}

/// Reads the file at once, as below.
fn text_parser(file: &str) -> Result<FileText, String> {
    Ok(FileText { file: file.into(), text: read_text(file, MAX_FILE_BYTES)? })
}

/// Reads the file at once: a name that is wrong should not wait for the model.
fn claim_parser(file: &str) -> Result<FileText, String> {
    Ok(FileText { file: file.into(), text: claim_text(file, &read_text(file, MAX_FILE_BYTES)?)? })
}

impl PropertyArguments {
    pub fn added(&self) -> Vec<AddedProperty> {
        let of = |kind, texts: &[String]| -> Vec<AddedProperty> {
            texts.iter().map(|text| AddedProperty { kind, text: text.clone() }).collect()
        };
        let read = |kind, files: &[FileText]| -> Vec<AddedProperty> {
            files.iter().map(|file| AddedProperty { kind, text: file.text.clone() }).collect()
        };
        let states = [of(AddedKind::Reach, &self.reach), of(AddedKind::Goal, &self.goal)].concat();
        let conditions = [of(AddedKind::Invariant, &self.invariant), states].concat();
        let runs = [of(AddedKind::Ltl, &self.ltl), read(AddedKind::Claim, &self.claim)].concat();
        [conditions, runs, of(AddedKind::Query, &self.query), read(AddedKind::Queries, &self.queries)].concat()
    }

    /// The files that were read for it.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.queries.iter().chain(&self.claim).map(|read| read.file.as_str())
    }

    /// What is to be checked; `words`: those that name properties. The error is for the user.
    pub fn selection(&self, words: &[String], model: &Model) -> Result<Vec<String>, String> {
        let named = [words, &self.property].concat();
        // What options ask for is checked in addition to what is named, unless the names select among it.
        let is_asked = |name: &String| model.added.contains(name) || model.repeated.contains(name);
        let only = self.only || !self.goal.is_empty();
        if !only && (named.is_empty() || named.iter().any(is_asked)) {
            return Ok(named);
        }
        let asked = [&model.added[..], &model.repeated, &named].concat();
        let known = |name: &String| named.contains(name) || listed(model).iter().any(|known| known.name == *name);
        let asked: Vec<String> = asked.into_iter().filter(known).collect();
        if asked.is_empty() {
            return Err(
                "--only leaves nothing to check: add --invariant, --reach, --ltl, --query, --queries, --claim or \
                        --property"
                    .into(),
            );
        }
        Ok(asked)
    }
}
