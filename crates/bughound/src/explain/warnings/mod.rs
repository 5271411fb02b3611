//! Warnings of the kind that a good compiler gives: what is suspicious in a model though it can be checked.
//!
//! Every kind has a short stable name, shown in brackets behind the message. The syntax tree tells what is declared and
//! mentioned (`names`), the network what can happen (`flow`, `values`).

mod flow;
mod names;
mod names_walk;
mod values;

use std::fmt;

use bughound_ir::network::{Network, TemplateId};
use bughound_ir::question::Question;
use bughound_ir::source::{Diagnostic, FileId, SourceMap, Span};
use bughound_promela::lower::{LowerOptions, lower};
use bughound_promela::{DiskReader, Options, parse};

use crate::model::{Model, ModelOptions};

macro_rules! lints {
    ($($variant:ident $name:literal $summary:literal,)*) => {
        /// A kind of warning.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Lint { $(#[doc = $summary] $variant,)* }

        impl Lint {
            pub const ALL: &[Lint] = &[$(Lint::$variant,)*];

            /// The stable name, as in `--allow` and `--deny`.
            pub fn name(self) -> &'static str {
                match self { $(Lint::$variant => $name,)* }
            }

            pub fn summary(self) -> &'static str {
                match self { $(Lint::$variant => $summary,)* }
            }
        }
    };
}

lints! {
    UnusedVariable "unused-variable" "a variable is neither read nor written",
    UnreadVariable "unread-variable" "a variable is written but never read",
    UnwrittenVariable "unwritten-variable" "a variable without initial value is read but never written",
    UnusedParameter "unused-parameter" "a parameter is never read",
    UnreachableStatement "unreachable-statement" "no path leads to a statement",
    UnusedLabel "unused-label" "no jump and no remote reference names a label",
    ChannelNeverReceived "channel-never-received" "messages are sent to a channel that nobody receives from",
    ChannelNeverSent "channel-never-sent" "a channel is received from but never sent to",
    UnusedChannel "unused-channel" "nobody sends to or receives from a channel",
    Truncation "truncation" "a value may not fit the type that it is stored in",
    NarrowReceive "narrow-receive" "a message field is received into a variable of a narrower type",
    ConstantCondition "constant-condition" "a condition is always true or always false",
    ElseWithChannel "else-with-channel" "`else` stands beside a send or receive",
    UnstartedProcess "unstarted-process" "no process of a proctype is ever started",
    UnusedInline "unused-inline" "an inline is never called",
}

impl Lint {
    pub fn from_name(name: &str) -> Option<Lint> {
        Lint::ALL.iter().copied().find(|lint| lint.name() == name)
    }
}

impl fmt::Display for Lint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A warning with its kind. The message of the diagnostic ends in the name in brackets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    pub lint: Lint,
    pub diagnostic: Diagnostic,
}

impl Warning {
    fn new(lint: Lint, span: Span, message: impl fmt::Display) -> Warning {
        Warning { lint, diagnostic: Diagnostic::warning(span, format!("{message} [{lint}]")) }
    }

    fn label(mut self, label: impl Into<String>) -> Warning {
        self.diagnostic = self.diagnostic.label(label);
        self
    }

    fn help(mut self, help: impl Into<String>) -> Warning {
        self.diagnostic = self.diagnostic.help(help);
        self
    }

    fn related(mut self, span: Span, text: impl Into<String>) -> Warning {
        self.diagnostic = self.diagnostic.related(span, text);
        self
    }
}

/// All warnings about a model, in the order of the source. `options` are those that it was read with.
///
/// The model is lowered anew, without merging: every edge is then one statement.
pub fn warnings(model: &Model, options: &ModelOptions) -> Vec<Warning> {
    let Some(main) = model.sources.get(FileId(0)) else { return Vec::new() };
    if !model.conventions().has_lints {
        return Vec::new();
    }
    let preprocessing = Options {
        defines: options.defines.clone(),
        undefines: options.undefines.clone(),
        include_dirs: options.include_dirs.clone(),
        explicit_semicolons: options.dialect.iter().any(|d| d == "explicit-semicolons"),
    };
    let mut sources = SourceMap::default();
    let parsed = parse(&mut sources, main.path.clone(), main.text.as_bytes(), &preprocessing, &DiskReader);
    let Some(ast) = parsed.ast else { return Vec::new() };
    let options = LowerOptions { merge: false, ..LowerOptions::default() };
    let Some(network) = lower(&ast, &sources, options).network else { return Vec::new() };

    let mut found = names::check(&ast);
    found.extend(flow::check(&network));
    found.extend(values::check(&network));
    found.sort_by_key(|w| (w.diagnostic.span, w.lint));
    found.dedup_by_key(|w| (w.diagnostic.span, w.lint, w.diagnostic.message.clone()));
    found
}

/// Is the template a never claim?
pub(super) fn is_claim(network: &Network, template: TemplateId) -> bool {
    network.properties.iter().any(|p| p.question == Question::Never(template))
}
