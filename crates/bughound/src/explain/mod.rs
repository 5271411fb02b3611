//! What was read: the model as the checker understands it, and what is suspicious about it.
//!
//! [`report::explain`](crate::report::explain) describes the JSON document of `bughound explain --json`.

pub mod abstraction;
pub mod automaton;
pub mod declarations;
pub mod dependencies;
pub mod dot;
mod forgotten;
pub mod svg;
pub mod text;
pub mod warnings;

use bughound_ir::analysis::usage::Usage;
use bughound_ir::network::{Network, TemplateId};

use crate::check::CheckRequest;
use crate::model::Model;
use crate::plan::plan;
use crate::properties::listed;
use crate::run::{DEFAULT_SEARCH, RunOptions};

pub use forgotten::ForgottenFacts;

use automaton::ProcessType;
use declarations::{ChannelFacts, SignalFacts, VariableFacts};

/// The size of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    pub files: Vec<String>,
    /// Names of the processes that exist at the start.
    pub start: Vec<String>,
    /// For every possible process number the process types that can have it.
    pub possible: Vec<Vec<String>>,
    /// Locations that a process can be at, of all process types.
    pub locations: usize,
    pub edges: usize,
    /// Of the largest state.
    pub state_bits: u64,
    pub slots: usize,
}

/// A property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PropertyFacts {
    /// By which it can be selected, counted from 1.
    pub number: usize,
    pub name: String,
    pub kind: &'static str,
}

/// Everything but the dependencies, which take longer.
#[derive(Clone, Debug)]
pub struct Explanation {
    pub file: String,
    pub language: &'static str,
    pub summary: Summary,
    pub processes: Vec<ProcessType>,
    pub variables: Vec<VariableFacts>,
    pub channels: Vec<ChannelFacts>,
    /// Channels without messages (timed models).
    pub signals: Vec<SignalFacts>,
    /// Names of clocks.
    pub clocks: Vec<String>,
    pub properties: Vec<PropertyFacts>,
    pub strategy: Vec<String>,
    /// Values that the searches of a check forget.
    pub forgotten: Vec<ForgottenFacts>,
}

/// Explains a model.
pub fn explain(model: &Model) -> Explanation {
    let network = &model.network;
    let usage = Usage::new(network);
    let templates = (0..network.templates.len()).map(|t| TemplateId(t as u32));
    let processes: Vec<ProcessType> = templates.map(|t| automaton::process_type(network, t, &usage)).collect();
    let properties = listed(model).into_iter().zip(1..);
    let properties = properties.map(|(p, number)| PropertyFacts { number, kind: p.question.kind(), name: p.name });
    let properties: Vec<PropertyFacts> = properties.collect();
    let (strategy, forgotten) = strategy(model);
    Explanation {
        file: model.file.clone(),
        language: model.language.name(),
        summary: summary(model, &processes),
        processes,
        variables: declarations::globals(network, &usage),
        channels: declarations::channels(network, &usage),
        signals: declarations::signals(network),
        clocks: network.clocks.iter().map(|clock| clock.name.clone()).collect(),
        properties,
        strategy,
        forgotten,
    }
}

fn summary(model: &Model, processes: &[ProcessType]) -> Summary {
    let network = &model.network;
    let files = (0..model.sources.len() as u32).filter_map(|f| model.sources.get(bughound_ir::source::FileId(f)));
    let start = network.start.iter().enumerate();
    let possible = network.frames.processes.iter();
    Summary {
        files: files.map(|f| f.path.display().to_string()).collect(),
        start: start.map(|(pid, s)| bughound_trace::process_name(network, s.template, pid)).collect(),
        possible: possible.map(|f| f.templates.iter().map(|t| template_name(network, *t)).collect()).collect(),
        locations: processes.iter().map(|p| p.locations.len()).sum(),
        edges: processes.iter().map(|p| p.edges.len()).sum(),
        state_bits: network.frames.layout.slots.iter().map(|slot| u64::from(slot.bits())).sum(),
        slots: network.frames.layout.slots.len(),
    }
}

/// The name of a process type as the user knows it.
pub fn template_name(network: &Network, template: TemplateId) -> String {
    network.template(template).name.trim_matches(':').to_string()
}

/// What `check` does by default, and what it forgets.
fn strategy(model: &Model) -> (Vec<String>, Vec<ForgottenFacts>) {
    let run = RunOptions { search: DEFAULT_SEARCH.into(), ..CheckRequest::default().run };
    let request = CheckRequest { run, after: model.conventions().after_error, ..CheckRequest::default() };
    match plan(model, &request) {
        Ok(plan) => (plan.in_words(), forgotten::facts(&plan)),
        Err(error) => (vec![format!("nothing: {error}")], Vec::new()),
    }
}
