//! Bughound in other programs: the ways in that an embedder needs, in one place.
//!
//! [`Model::load`] and [`Model::from_text`] read a model, [`Model::check`] decides its properties, [`Model::explore`] goes
//! through its states. They add nothing to [`load`](crate::model::load), [`check`](crate::check::check) and
//! [`explore`](crate::explore::explore) but their names.

use bughound_semantics::reduction::Preserve;
use std::path::Path;

use crate::check::{CheckReport, CheckRequest, check};
use crate::explore::{ExploreReport, explore};
use crate::language::Language;
use crate::model::{LoadError, Model, ModelOptions, load, load_text};
use crate::run::{Hooks, RunError, RunOptions};

impl Model {
    /// Reads the model in a file. Its language is what the options say, else what the ending says, else what the text says.
    ///
    /// ```
    /// use bughound::{LoadError, Model, ModelOptions};
    ///
    /// match Model::load("no-such-file.pml", &ModelOptions::default()) {
    ///     Err(LoadError::File { message, .. }) => assert!(message.starts_with("no-such-file.pml")),
    ///     other => panic!("{other:?}"),
    /// }
    /// ```
    pub fn load(path: impl AsRef<Path>, options: &ModelOptions) -> Result<Model, LoadError> {
        let path = path.as_ref();
        let Some(file) = path.to_str() else {
            let message = format!("{}: the name is not valid Unicode", path.display());
            return Err(LoadError::File { message, help: Some("give the file another name".into()) });
        };
        load(file, options)
    }

    /// Reads a model from a text; `name` stands for the file in messages and traces.
    ///
    /// ```
    /// use bughound::{Language, LoadError, Model, ModelOptions};
    ///
    /// let options = ModelOptions::default();
    /// assert!(Model::from_text("fine.pml", "init { skip }", Language::Promela, &options).is_ok());
    /// match Model::from_text("wrong.pml", "init { skip", Language::Promela, &options) {
    ///     Err(LoadError::Model { diagnostics, sources }) => {
    ///         let place = diagnostics[0].span.expect("errors have places");
    ///         assert_eq!(sources.get(place.file).unwrap().path.to_str(), Some("wrong.pml"));
    ///     }
    ///     other => panic!("{other:?}"),
    /// }
    /// ```
    pub fn from_text(name: &str, text: &str, language: Language, options: &ModelOptions) -> Result<Model, LoadError> {
        load_text(name, text.as_bytes(), language, options)
    }

    /// Decides the properties that the request selects; all of them by default.
    pub fn check(&self, request: &CheckRequest, hooks: Hooks<'_>) -> Result<CheckReport, RunError> {
        check(self, request, hooks)
    }

    /// Goes through all states. Claims are ignored; failed assertions are counted and passed.
    pub fn explore(&self, options: &RunOptions, hooks: Hooks<'_>) -> Result<ExploreReport, RunError> {
        explore(self, options, Preserve { failures: true, ..Preserve::default() }, hooks)
    }
}
