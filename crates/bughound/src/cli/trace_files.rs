//! The files about one counterexample: `--save-trace`, `--trail`, `--itf`, `--subsystem`, `--mass`.
//!
//! They are written as soon as there is one, and once more at the end: nothing that ends the program between takes away
//! what is known.

use std::path::Path;

use bughound::chances::Counterexample;
use bughound::check::PropertyReport;
use bughound::formats::itf::itf;
use bughound::model::Model;
use bughound::saved_trace::Origin;
use bughound::spin_trail::write::{replay_command, trail};
use bughound::subsystem::mass::mass_over_k;

use super::arguments::CheckArguments;
use super::formats::shown_trace;
use super::subsystem_arguments::picture;
use super::{eprint_line, outputs};

/// A file, and what is said about it.
struct TraceFile<'p> {
    path: &'p Path,
    /// What it is, for messages.
    what: &'static str,
    /// Nothing if there is no counterexample. The error is for the user.
    text: Result<Option<String>, String>,
    note: Option<String>,
}

impl<'p> TraceFile<'p> {
    fn none(path: &'p Path, why: &str) -> TraceFile<'p> {
        TraceFile { path, what: "", text: Ok(None), note: Some(format!("note: {why}")) }
    }
}

pub struct TraceFiles<'a> {
    arguments: &'a CheckArguments,
    origin: &'a Origin,
    model: &'a Model,
    /// The properties that had something to show when the files were last written.
    with_evidence: Vec<usize>,
}

impl<'a> TraceFiles<'a> {
    pub fn new(arguments: &'a CheckArguments, origin: &'a Origin, model: &'a Model) -> TraceFiles<'a> {
        TraceFiles { arguments, origin, model, with_evidence: Vec::new() }
    }

    /// Something was decided: writes the files if there is news. What is to be said about them is said at the end.
    pub fn keep(&mut self, properties: &[PropertyReport]) {
        let has_evidence = |p: &PropertyReport| p.trace.is_some() || p.counterexample.is_some();
        let with_evidence: Vec<usize> =
            properties.iter().enumerate().filter(|(_, p)| has_evidence(p)).map(|(at, _)| at).collect();
        if with_evidence == self.with_evidence {
            return;
        }
        self.with_evidence = with_evidence;
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
        for TraceFile { path, what, text, note } in self.files(properties) {
            let shown = path.display();
            let written = text.and_then(|text| {
                let written = text.map_or(Ok(()), |text| outputs::write(path, &text));
                written.map_err(|error| format!("{shown}: the {what} cannot be written: {error}"))
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
        let drawn = self.pictures(properties);
        [states, saved, trail].into_iter().flatten().chain(drawn).collect()
    }

    /// Of the first counterexample to a bound on a probability.
    fn pictures(&self, properties: &[PropertyReport]) -> Vec<TraceFile<'a>> {
        let options = &self.arguments.subsystem;
        let found = properties.iter().find_map(|p| Some((p.name.as_str(), p.counterexample.as_deref()?)));
        let draw = |path: &'a Path, text: &dyn Fn(&str, &Counterexample) -> String| match found {
            Some((name, shown)) => TraceFile { path, what: "picture", text: Ok(Some(text(name, shown))), note: None },
            None => TraceFile::none(path, "there is no counterexample to a bound on a probability to draw"),
        };
        let filter = self.arguments.view.filter();
        let states =
            options.subsystem.as_ref().map(|path| draw(path, &|name, shown| picture(path, shown, name, &filter)));
        let mass = options.mass.as_ref().map(|path| draw(path, &|_, shown| mass_over_k(shown).to_svg()));
        states.into_iter().chain(mass).collect()
    }

    fn saved(&self, path: &'a Path, properties: &[PropertyReport]) -> TraceFile<'a> {
        let Some(saved) = properties.iter().find_map(|property| self.origin.save(property)) else {
            return TraceFile::none(path, "there is no counterexample to save");
        };
        let note = format!("trace of `{}` saved; show it with: bughound trace {}", saved.property, path.display());
        TraceFile { path, what: "trace", text: Ok(Some(saved.to_text())), note: Some(note) }
    }

    fn trail(&self, path: &'a Path, properties: &[PropertyReport]) -> TraceFile<'a> {
        let found = properties.iter().find_map(|property| Some((property, property.trace.as_ref()?)));
        let Some((property, trace)) = found else {
            return TraceFile::none(path, "there is no counterexample to write a trail of");
        };
        let text = trail(self.model, property, trace);
        let text = text.map(Some).map_err(|why| format!("{}: there is no trail: {why}", path.display()));
        let replay = replay_command(self.model, path);
        TraceFile {
            path,
            what: "trace",
            text,
            note: Some(format!("trail of `{}` written; replay it with: {replay}", property.name)),
        }
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
        TraceFile { path, what: "trace", text, note }
    }
}
