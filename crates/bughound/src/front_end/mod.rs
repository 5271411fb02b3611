//! One trait for all input languages: how a text becomes a network, and what the users of the language are used to.
//!
//! Nothing outside of a front end asks for the language of a model.

mod explicit;
mod promela;
mod stochastic;
mod uppaal;

use std::path::PathBuf;

use bughound_ir::network::Network;
use bughound_ir::source::{Diagnostic, SourceMap};

use crate::execute::AfterError;
use crate::expected::Expected;
use crate::language::Language;
use crate::model::ModelOptions;

pub use promela::DIALECTS;

/// A language that can be read.
pub trait FrontEnd: Sync {
    /// Parses and lowers a text, with the properties that the options add to it. `name`: of its file, for messages and to
    /// find what lies beside it.
    fn read(&self, sources: &mut SourceMap, name: &str, text: &[u8], options: &ModelOptions) -> Read;

    /// The files that a text is made of besides its own, such as those that it includes.
    fn parts(&self, _name: &str, _text: &[u8], _options: &ModelOptions) -> Vec<PathBuf> {
        Vec::new()
    }

    fn conventions(&self) -> Conventions;
}

/// What became of a text.
#[derive(Debug, Default)]
pub struct Read {
    /// Nothing if there are errors among the diagnostics.
    pub network: Option<Network>,
    pub diagnostics: Vec<Diagnostic>,
    /// What the file says that the answers to properties should be, by their names.
    pub expectations: Vec<(String, Expected)>,
    /// The names of the properties that the options added.
    pub added: Vec<String>,
    /// The names of properties of the file for which the options ask once more.
    pub repeated: Vec<String>,
}

/// What the users of a language are used to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conventions {
    /// Runs take time.
    pub has_time: bool,
    /// Properties are queries in the language of UPPAAL.
    pub has_queries: bool,
    /// One search looks for all errors in states, wherever the properties come from.
    pub one_search_for_all: bool,
    /// A failed assertion or an expression without a value is no answer to any question; if not so, there is a property
    /// for it.
    pub errors_are_no_answers: bool,
    /// What becomes of the other properties once an error is known, if nothing else is asked for.
    pub after_error: AfterError,
    /// `explain` looks for what is suspicious: unused variables, unreachable statements.
    pub has_lints: bool,
}

impl Default for Conventions {
    fn default() -> Self {
        Conventions {
            has_time: false,
            has_queries: false,
            one_search_for_all: true,
            errors_are_no_answers: false,
            after_error: AfterError::Try,
            has_lints: false,
        }
    }
}

/// The front end of a language; `None` if this version cannot read it.
pub fn of(language: Language) -> Option<&'static dyn FrontEnd> {
    match language {
        Language::Promela => Some(&promela::Promela),
        Language::Uppaal => Some(&uppaal::Uppaal),
        Language::Prism => Some(&stochastic::Prism),
        Language::Jani => Some(&stochastic::Jani),
        Language::Explicit => Some(&explicit::ExplicitModel),
    }
}
