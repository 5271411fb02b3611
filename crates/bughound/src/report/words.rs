//! Words that documents are made of.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::verdict::Verdict;

/// A type with one value, for a field that says the same in every document of a kind.
macro_rules! constant {
    ($(#[$about:meta])* $name:ident = $text:literal) => {
        $(#[$about])*
        #[derive(
            Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
        )]
        #[schemars(inline)]
        pub enum $name {
            #[default]
            #[serde(rename = $text)]
            Only,
        }
    };
}
pub(super) use constant;

constant! {
    /// Name and version of the documents.
    Schema = "bughound/1"
}

/// The verdict on a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "PropertyVerdict")]
pub enum VerdictWord {
    /// There is a counterexample; or, for a question after existence, proof that nothing of the kind exists.
    Violated,
    /// It is true of all runs.
    Holds,
    /// A question after existence was answered with a witness, or one after numbers with numbers.
    Satisfied,
    /// No answer: not asked long enough, not thoroughly enough, or not checkable.
    Inconclusive,
    /// A limit ended the search.
    Limit,
}

impl From<Verdict> for VerdictWord {
    fn from(verdict: Verdict) -> VerdictWord {
        match verdict {
            Verdict::Violated => VerdictWord::Violated,
            Verdict::Holds => VerdictWord::Holds,
            Verdict::Satisfied => VerdictWord::Satisfied,
            Verdict::Inconclusive => VerdictWord::Inconclusive,
            Verdict::Limit => VerdictWord::Limit,
        }
    }
}

impl fmt::Display for VerdictWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// The verdict on all properties together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum OverallVerdict {
    /// Something is violated.
    Violated,
    /// Everything holds, and what was asked for was found.
    Holds,
    /// No answer to something.
    Inconclusive,
    /// A limit came before everything was decided.
    Limit,
}

impl From<Verdict> for OverallVerdict {
    fn from(verdict: Verdict) -> OverallVerdict {
        match verdict {
            Verdict::Violated => OverallVerdict::Violated,
            Verdict::Holds | Verdict::Satisfied => OverallVerdict::Holds,
            Verdict::Inconclusive => OverallVerdict::Inconclusive,
            Verdict::Limit => OverallVerdict::Limit,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_are_written_as_they_are_called() {
        use Verdict::*;
        for verdict in [Violated, Holds, Satisfied, Inconclusive, Limit] {
            assert_eq!(serde_json::to_value(VerdictWord::from(verdict)).unwrap(), verdict.name());
            assert_eq!(VerdictWord::from(verdict).to_string(), verdict.name());
        }
    }
}
