//! Explicit Markov models, as other tools write them: Storm's DRN, PRISM's `.tra` with the files beside it.
//!
//! Every state becomes a location of one process, every choice an edge, every label a variable that the steps set: so searches,
//! heuristics and traces work on them as on other models. Several initial states are chosen by a first step.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bughound_ir::chance::Kind;
use bughound_ir::source::{Diagnostic, Severity, SourceMap, Span};
use bughound_markov::formats::{Explicit, PrismFiles, PrismRewards, read_drn, read_prism};
use bughound_markov::{Model, NumberId, Pool};
use bughound_stochastic::prism::read_properties;
use bughound_stochastic::tree;
use bughound_stochastic::tree::{
    Assignment, Automaton, Destination, Edge, Expr, ExprKind, Initial, Label, Location, Reward, RewardItem, Rewarded,
    StateType, Target, Type, Variable, VariableId,
};

use super::stochastic::{constants, conventions, finish, query};
use super::{Conventions, FrontEnd, Read};
use crate::input::{self, MAX_FILE_BYTES};
use crate::model::ModelOptions;

pub(super) struct ExplicitModel;

/// Rows of a chain that miss 1 by more are rates.
const TOLERANCE: f64 = 1e-5;

impl FrontEnd for ExplicitModel {
    fn read(&self, sources: &mut SourceMap, name: &str, text: &[u8], options: &ModelOptions) -> Read {
        let text = String::from_utf8_lossy(text);
        // Millions of lines are not kept for messages, which name lines by themselves.
        let file = sources.add(name, String::new());
        let read = match Path::new(name).extension().is_some_and(|ending| ending == "tra") {
            true => read_tra(name, &text),
            false => read_drn(&text).map_err(|error| error.to_string()),
        };
        let explicit = match read {
            Ok(explicit) => explicit,
            Err(message) => {
                let diagnostics = vec![Diagnostic::new(Severity::Error, None, format!("{name}: {message}"))];
                return Read { diagnostics, ..Read::default() };
            }
        };
        let mut model = Writing { explicit: &explicit, span: Span::new(file, 0, 0) }.tree(name);
        let mut diagnostics = Vec::new();
        for added in &options.added {
            let path = format!("--{}", added.kind.name());
            let (found, more) = read_properties(sources, path, query(added).as_bytes(), &model, &constants(options));
            diagnostics.extend(more);
            model.properties.extend(found);
        }
        model.sources = Arc::new(sources.clone());
        let mut read = finish(name, Some(model), 0, diagnostics, options);
        if let Some(stochastic) = read.network.as_mut().and_then(|network| network.stochastic.as_mut()) {
            stochastic.chooses_start = explicit.model.initial().len() > 1;
        }
        read
    }

    fn parts(&self, name: &str, _text: &[u8], _options: &ModelOptions) -> Vec<PathBuf> {
        beside(name).into_iter().map(|(path, ..)| path).collect()
    }

    fn conventions(&self) -> Conventions {
        conventions()
    }
}

/// The files beside a `.tra` file that belong to it: path, reward structure (nothing for labels), ending.
fn beside(name: &str) -> Vec<(PathBuf, String, &'static str)> {
    let path = Path::new(name);
    let mut found = Vec::new();
    let labels = path.with_extension("lab");
    if labels.exists() {
        found.push((labels, String::new(), "lab"));
    }
    let (Some(directory), Some(stem)) = (path.parent(), path.file_stem().and_then(|stem| stem.to_str())) else {
        return found;
    };
    let directory = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
    let mut rewards: Vec<(PathBuf, String, &'static str)> = Vec::new();
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        for ending in ["srew", "trew"] {
            let middle = name.strip_prefix(stem).and_then(|rest| rest.strip_suffix(&format!(".{ending}")));
            if let Some(structure) = middle.filter(|middle| middle.is_empty() || middle.starts_with('.')) {
                rewards.push((entry.path(), structure.trim_start_matches('.').to_string(), ending));
            }
        }
    }
    rewards.sort();
    found.extend(rewards);
    found
}

fn read_tra(name: &str, tra: &str) -> Result<Explicit, String> {
    let mut texts: Vec<(String, &'static str, String)> = Vec::new();
    for (path, structure, ending) in beside(name) {
        let bytes = input::read(&path.display().to_string(), MAX_FILE_BYTES)?;
        texts.push((structure, ending, String::from_utf8_lossy(&bytes).into_owned()));
    }
    let lab = texts.iter().find(|(_, ending, _)| *ending == "lab").map(|(.., text)| text.as_str());
    let mut names: Vec<&str> =
        texts.iter().filter(|(_, ending, _)| *ending != "lab").map(|(name, ..)| name.as_str()).collect();
    names.dedup();
    let text_of = |name: &str, ending: &str| {
        texts.iter().find(|(known, of, _)| known == name && *of == ending).map(|(.., text)| text.as_str())
    };
    let rewards: Vec<PrismRewards<'_>> = names
        .iter()
        .map(|name| PrismRewards { name, srew: text_of(name, "srew"), trew: text_of(name, "trew") })
        .collect();
    let files = PrismFiles { tra, lab, rewards: &rewards };
    let read = |kind| read_prism(&files, kind).map_err(|error| error.to_string());
    let explicit = read(bughound_markov::Kind::Ctmc)?;
    let is_one = |state: usize| (explicit.model.exit_rate(state).to_f64().value() - 1.0).abs() <= TOLERANCE;
    let is_chain = explicit.model.kind() == bughound_markov::Kind::Ctmc && (0..explicit.model.states()).all(is_one);
    if is_chain { read(bughound_markov::Kind::Dtmc) } else { Ok(explicit) }
}

/// Writes an explicit model as a tree.
struct Writing<'e> {
    explicit: &'e Explicit,
    span: Span,
}

impl Writing<'_> {
    fn model(&self) -> &Model {
        &self.explicit.model
    }

    fn expr(&self, kind: ExprKind, ty: Type) -> Expr {
        Expr { kind, ty, span: self.span }
    }

    fn number(&self, id: NumberId) -> Expr {
        self.expr(ExprKind::Real(self.model().exact(id).clone()), Type::Real)
    }

    fn truth(&self, value: bool) -> Expr {
        self.expr(ExprKind::Bool(value), Type::Bool)
    }

    fn tree(&self, name: &str) -> tree::Model {
        let model = self.model();
        let initial: Vec<usize> = model.initial().collect();
        let labels = &self.explicit.labels;
        let first = initial.first().copied().unwrap_or(0);
        let variables = labels.iter().map(|(label, set)| Variable {
            name: label.clone(),
            ty: StateType::Bool,
            len: None,
            owner: Some(0),
            initial: Some(vec![(initial.len() == 1 && set.contains(first)).into()]),
            span: self.span,
        });
        let mut locations: Vec<Location> =
            (0..model.states()).map(|state| Location { name: state.to_string(), span: self.span }).collect();
        let mut edges = Vec::new();
        let mut edge_of_choice = vec![None; model.choices()];
        let deadlocks: std::collections::HashSet<usize> = model.deadlocks().collect();
        for state in (0..model.states()).filter(|state| !deadlocks.contains(state)) {
            for choice in model.choices_of(state) {
                edge_of_choice[choice] = Some(edges.len() as u32);
                let entries = model.entries(choice);
                let destinations =
                    entries.map(|(target, weight)| self.destination(Some(state), target, Some(self.number(weight))));
                edges.push(self.edge(state as u32, destinations.collect(), format!("from {state}")));
            }
        }
        let mut start = first as u32;
        if initial.len() > 1 {
            start = locations.len() as u32;
            locations.push(Location { name: "start".into(), span: self.span });
            for target in &initial {
                let to = vec![self.destination(None, *target, None)];
                edges.push(self.edge(start, to, format!("start: {target}")));
            }
        }
        let rewards = model.rewards().iter().map(|rewards| {
            let of_states = (0..model.states()).filter(|state| rewards.of_state(*state) != Pool::ZERO).map(|state| {
                let guard = ExprKind::At { automaton: 0, location: state as u32 };
                self.item(Rewarded::State, self.expr(guard, Type::Bool), rewards.of_state(state))
            });
            let of_choices = edge_of_choice.iter().enumerate().filter_map(|(choice, edge)| {
                let edge = Rewarded::Edge { automaton: 0, edge: (*edge)?, destination: None };
                let reward = rewards.of_choice(choice);
                (reward != Pool::ZERO).then(|| self.item(edge, self.truth(true), reward))
            });
            Reward {
                name: Some(rewards.name().to_string()).filter(|name| !name.is_empty()),
                items: of_states.chain(of_choices).collect(),
                span: self.span,
            }
        });
        let label = |(number, (name, _)): (usize, &(String, _))| Label {
            name: name.clone(),
            condition: self.expr(ExprKind::Variable(VariableId(number as u32)), Type::Bool),
            span: self.span,
        };
        tree::Model {
            name: name.to_string(),
            kind: match model.kind() {
                bughound_markov::Kind::Dtmc => Kind::Dtmc,
                bughound_markov::Kind::Ctmc => Kind::Ctmc,
                bughound_markov::Kind::Mdp => Kind::Mdp,
            },
            sources: Arc::default(),
            variables: variables.collect(),
            automata: vec![Automaton { name: "state".into(), locations, initial: vec![start], edges, span: self.span }],
            vectors: Vec::new(),
            initial: Initial::Values,
            rewards: rewards.collect(),
            labels: labels.iter().enumerate().map(label).collect(),
            definitions: Vec::new(),
            properties: Vec::new(),
        }
    }

    fn item(&self, of: Rewarded, guard: Expr, value: NumberId) -> RewardItem {
        RewardItem { of, guard, value: self.number(value), span: self.span }
    }

    fn edge(&self, from: u32, destinations: Vec<Destination>, text: String) -> Edge {
        Edge { from, action: None, guard: self.truth(true), rate: None, destinations, text, span: self.span }
    }

    /// A step sets the labels that change.
    fn destination(&self, from: Option<usize>, to: usize, chance: Option<Expr>) -> Destination {
        let labels = self.explicit.labels.iter().enumerate();
        let changed = labels.filter(|(_, (_, set))| from.is_none_or(|from| set.contains(from) != set.contains(to)));
        let assignments = changed.map(|(number, (_, set))| Assignment {
            target: Target { variable: VariableId(number as u32), index: None },
            value: self.truth(set.contains(to)),
            span: self.span,
        });
        let text = format!("to {to}");
        Destination { chance, phases: vec![assignments.collect()], to: to as u32, text, span: self.span }
    }
}
