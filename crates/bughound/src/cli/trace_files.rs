//! The files about one trace: `--save-trace`, `--trail`, `--itf`.
//!
//! They are written as soon as there is a trace, and once more at the end: nothing that ends the program between takes away
//! what is known.

use std::path::Path;

use bughound::check::PropertyReport;
use bughound::formats::itf::itf;
use bughound::model::Model;
use bughound::saved_trace::Origin;
use bughound::spin_trail::write::{replay_command, trail};

use super::arguments::CheckArguments;
use super::formats::shown_trace;
use super::{eprint_line, outputs};

/// A file, and what is said about it.
struct TraceFile<'p> {
    path: &'p Path,
    /// Nothing if there is no trace. The error is for the user.
    text: Result<Option<String>, String>,
    note: Option<String>,
}

impl<'p> TraceFile<'p> {
    fn none(path: &'p Path, why: &str) -> TraceFile<'p> {
        TraceFile { path, text: Ok(None), note: Some(format!("note: {why}")) }
    }
}

pub struct TraceFiles<'a> {
    arguments: &'a CheckArguments,
    origin: &'a Origin,
    model: &'a Model,
    /// The properties that had a trace when the files were last written.
    with_trace: Vec<usize>,
}

impl<'a> TraceFiles<'a> {
    pub fn new(arguments: &'a CheckArguments, origin: &'a Origin, model: &'a Model) -> TraceFiles<'a> {
        TraceFiles { arguments, origin, model, with_trace: Vec::new() }
    }

    /// Something was decided: writes the files if there is news. What is to be said about them is said at the end.
    pub fn keep(&mut self, properties: &[PropertyReport]) {
        let with_trace: Vec<usize> =
            properties.iter().enumerate().filter(|(_, p)| p.trace.is_some()).map(|(at, _)| at).collect();
        if with_trace == self.with_trace {
            return;
        }
        self.with_trace = with_trace;
        for TraceFile { path, text, .. } in self.files(properties) {
            if let Ok(Some(text)) = text
                && outputs::can_be_written_again(path)
            {
                let _ = outputs::write(path, &text);
            }
        }
    }

    /// Writes the files. One that cannot be written is no reason to leave out another, nor to lose the result.
    pub fn write(&self, properties: &[PropertyReport]) {
        for TraceFile { path, text, note } in self.files(properties) {
            let shown = path.display();
            let written = text.and_then(|text| {
                let written = text.map_or(Ok(()), |text| outputs::write(path, &text));
                written.map_err(|error| format!("{shown}: the trace cannot be written: {error}"))
            });
            match (written, note) {
                (Err(why), _) => eprint_line(&format!("error: {why}")),
                (Ok(()), Some(note)) if !self.arguments.output.quiet => eprint_line(&note),
                (Ok(()), _) => {}
            }
        }
    }

    fn files(&self, properties: &[PropertyReport]) -> Vec<TraceFile<'a>> {
        let arguments = self.arguments;
        let states = arguments.formats.itf.as_ref().map(|path| self.states(path, properties));
        let saved = arguments.save_trace.as_ref().map(|path| self.saved(path, properties));
        let trail = arguments.trail.as_ref().map(|path| self.trail(path, properties));
        [states, saved, trail].into_iter().flatten().collect()
    }

    fn saved(&self, path: &'a Path, properties: &[PropertyReport]) -> TraceFile<'a> {
        let Some(saved) = properties.iter().find_map(|property| self.origin.save(property)) else {
            return TraceFile::none(path, "there is no counterexample to save");
        };
        let note = format!("trace of `{}` saved; show it with: bughound trace {}", saved.property, path.display());
        TraceFile { path, text: Ok(Some(saved.to_text())), note: Some(note) }
    }

    fn trail(&self, path: &'a Path, properties: &[PropertyReport]) -> TraceFile<'a> {
        let found = properties.iter().find_map(|property| Some((property, property.trace.as_ref()?)));
        let Some((property, trace)) = found else {
            return TraceFile::none(path, "there is no counterexample to write a trail of");
        };
        let text = trail(self.model, property, trace);
        let text = text.map(Some).map_err(|why| format!("{}: there is no trail: {why}", path.display()));
        let replay = replay_command(self.model, path);
        TraceFile { path, text, note: Some(format!("trail of `{}` written; replay it with: {replay}", property.name)) }
    }

    fn states(&self, path: &'a Path, properties: &[PropertyReport]) -> TraceFile<'a> {
        let Some((property, trace)) = shown_trace(properties) else {
            return TraceFile::none(path, &format!("there is no trace to write to {}", path.display()));
        };
        let text = itf(&self.model.network, &self.origin.file, &property.name, trace);
        let text = text.map(Some).map_err(|error| format!("{} cannot be written: {error}", path.display()));
        let several = properties.iter().filter(|p| p.trace.is_some()).count() > 1;
        let (name, shown) = (&property.name, path.display());
        let note = several.then(|| format!("note: of several traces, that of `{name}` was written to {shown}"));
        TraceFile { path, text, note }
    }
}
