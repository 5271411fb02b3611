//! Promela, as SPIN reads it.

use std::path::PathBuf;

use bughound_ir::source::SourceMap;
use bughound_promela::lower::{LowerOptions, lower};
use bughound_promela::{DiskReader, Options, included_files, parse};

use super::{Conventions, FrontEnd, Read};
use crate::added;
use crate::model::ModelOptions;

pub(super) struct Promela;

impl FrontEnd for Promela {
    fn read(&self, sources: &mut SourceMap, name: &str, text: &[u8], options: &ModelOptions) -> Read {
        let parsed = parse(sources, name, text, &preprocessing(options), &DiskReader);
        let mut diagnostics = parsed.diagnostics;
        let Some(mut ast) = parsed.ast else { return Read { diagnostics, ..Read::default() } };
        if let Err(errors) = added::add(&mut ast, &options.added, sources, &parsed.definitions) {
            diagnostics.extend(errors);
            return Read { diagnostics, ..Read::default() };
        }
        let mut lowered = lower(&ast, sources, lower_options(options));
        diagnostics.extend(lowered.diagnostics);
        if let Some(network) = &mut lowered.network {
            added::ask_for_existence(network, &options.added);
        }
        let added = added::names(&options.added);
        Read { network: lowered.network, diagnostics, added, ..Read::default() }
    }

    fn parts(&self, name: &str, text: &[u8], options: &ModelOptions) -> Vec<PathBuf> {
        included_files(name, text, &preprocessing(options), &DiskReader)
    }

    fn conventions(&self) -> Conventions {
        Conventions { has_lints: true, ..Conventions::default() }
    }
}

/// Variants of Promela that change what a model means, with what SPIN calls them.
pub const DIALECTS: [(&str, &str); 5] = [
    ("lossy", "a message sent to a full channel is lost (SPIN's -m)"),
    ("inner-unless-first", "of nested `unless`, the innermost escape is tried first (-J)"),
    ("no-priorities", "`priority` means nothing (-o6)"),
    ("flat-scopes", "blocks are no scopes (-O)"),
    ("explicit-semicolons", "the end of a line separates no statements (-o7)"),
];

fn preprocessing(options: &ModelOptions) -> Options {
    Options {
        defines: options.defines.clone(),
        undefines: options.undefines.clone(),
        include_dirs: options.include_dirs.clone(),
        explicit_semicolons: options.dialect.iter().any(|d| d == "explicit-semicolons"),
    }
}

fn lower_options(options: &ModelOptions) -> LowerOptions {
    let has = |name: &str| options.dialect.iter().any(|d| d == name);
    LowerOptions {
        merge: options.merge,
        lossy_sends: has("lossy"),
        inner_unless_first: has("inner-unless-first"),
        ignore_priorities: has("no-priorities"),
        flat_scopes: has("flat-scopes"),
        warn_truncation: true,
        ..LowerOptions::default()
    }
}
