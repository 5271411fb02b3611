//! Trails both ways: SPIN replays our counterexamples, Bughound replays SPIN's.

pub mod table;

use std::collections::BTreeSet;
use std::path::Path;

use bughound::check::{CheckRequest, PropertyReport, check};
use bughound::language::Language;
use bughound::model::{Model, ModelOptions, load_text};
use bughound::run::Hooks;
use bughound::spin_trail::explain::{ReplayedTrail, replay_trail};
use bughound::spin_trail::write::trail;
use bughound_ir::network::Network;
use bughound_ir::reference::Reference;
use bughound_kernel::{Limits, Move};

use crate::random_promela::{Features, generate};
use crate::spin_oracle::{OracleFailure, OracleOptions, SpinAutomaton, SpinOracle, SpinReplay, Wanted};

/// A model and how it is read.
#[derive(Clone, Debug)]
pub struct Subject {
    pub source: String,
    pub defines: Vec<(String, Option<String>)>,
    pub dialect: Vec<String>,
    pub merge: bool,
}

impl Subject {
    pub fn new(source: &str, merge: bool) -> Subject {
        Subject { source: source.into(), defines: Vec::new(), dialect: Vec::new(), merge }
    }

    fn options(&self) -> ModelOptions {
        let (defines, dialect) = (self.defines.clone(), self.dialect.clone());
        ModelOptions {
            language: Some(Language::Promela),
            defines,
            dialect,
            merge: self.merge,
            ..ModelOptions::default()
        }
    }

    pub fn load(&self) -> Result<Model, String> {
        load_text("model.pml", self.source.as_bytes(), Language::Promela, &self.options())
            .map_err(|error| error.to_string())
    }

    /// The same for SPIN.
    pub fn oracle_options(&self, base: OracleOptions) -> OracleOptions {
        let defines = self.defines.iter().map(|(name, value)| match value {
            Some(value) => format!("-D{name}={value}"),
            None => format!("-D{name}"),
        });
        let lossy = self.dialect.iter().any(|name| name == "lossy").then(|| "-m".to_string());
        OracleOptions { spin_flags: defines.chain(lossy).collect(), ..base }
    }
}

/// The counterexample for a property, if there is one within the limits.
pub fn counterexample(model: &Model, property: &str, limits: Limits) -> Result<Option<PropertyReport>, String> {
    let mut request = CheckRequest { selection: vec![property.into()], ..CheckRequest::default() };
    request.run.search = "auto".into();
    request.run.limits = limits;
    let report = check(model, &request, Hooks::default()).map_err(|error| error.to_string())?;
    Ok(report.properties.into_iter().find(|property| property.trace.is_some()))
}

/// Number and state of the processes at the end of a path, in descending order of numbers; `None` if the last step fails.
fn last_states(network: &Network, moves: &[Move]) -> Option<Vec<(usize, u32)>> {
    let reference = Reference::new(network).ok()?;
    let mut state = reference.initial().ok()?;
    for step in moves.chunk_by(|_, next| next.joins) {
        state = reference.apply(&state, step).ok()?.result.ok()?;
    }
    let number =
        |(pid, process): (usize, &bughound_ir::reference::Process)| (pid, network.location(process.location).number);
    Some(state.processes.iter().enumerate().map(number).rev().collect())
}

/// Has SPIN replay a counterexample. `Err`: what is wrong with its replay.
pub fn replay_there(
    oracle: &SpinOracle,
    subject: &Subject,
    model: &Model,
    report: &PropertyReport,
    options: &OracleOptions,
) -> Result<SpinReplay, String> {
    let Some(trace) = &report.trace else { return Err("there is no counterexample".into()) };
    let text = trail(model, report, trace)?;
    let replay = oracle
        .replay(&subject.source, &text, &subject.oracle_options(options.clone()))
        .map_err(|failure| format!("{failure:?}"))?;
    if !replay.complaints.is_empty() {
        return Err(format!("{}\n{text}", replay.complaints.join("\n")));
    }
    let wrong = |what: &str| Err(format!("{what}\n{text}\n{}", replay.text));
    if replay.cycle != trace.lasso.is_some() {
        return wrong("SPIN and Bughound differ about the loop");
    }
    if report.kind == "assertion" && report.failure.is_some_and(|f| is_assertion(f.kind)) && !replay.assertion {
        return wrong("no assertion fails in SPIN's replay");
    }
    match last_states(&model.network, &trace.moves) {
        Some(ours) if ours != replay.processes => wrong(&format!("at the end, processes are at {ours:?}")),
        _ => Ok(replay),
    }
}

fn is_assertion(kind: bughound_kernel::FailureKind) -> bool {
    kind == bughound_kernel::FailureKind::Assertion
}

/// Has Bughound replay a trail of the verifier. `Ok(None)`: the verifier finds no such error.
pub fn replay_here(
    oracle: &SpinOracle,
    subject: &Subject,
    wanted: &Wanted,
    options: &OracleOptions,
    directory: &Path,
) -> Result<Option<ReplayedTrail>, String> {
    let options = subject.oracle_options(options.clone());
    let found = match oracle.trail(&subject.source, wanted, subject.merge, &options) {
        Ok(Some(found)) => found,
        Ok(None) | Err(OracleFailure::Timeout(_)) => return Ok(None),
        Err(failure) => return Err(format!("{failure:?}")),
    };
    let (model, trail) = (directory.join("model.pml"), directory.join("model.pml.trail"));
    std::fs::write(&model, &subject.source).map_err(|error| error.to_string())?;
    std::fs::write(&trail, &found.text).map_err(|error| error.to_string())?;
    let [model, trail] = [model, trail].map(|path| path.display().to_string());
    match replay_trail(&trail, &model, &subject.options(), None) {
        Ok(replayed) => Ok(Some(replayed)),
        Err(error) => Err(format!("SPIN says: {:?}; Bughound: {error}\n{}", found.verdict, found.text)),
    }
}

/// Compares the numbers of statements with those of `pan -d`. `Err`: what differs.
pub fn compare_numbers(network: &Network, automaton: &SpinAutomaton) -> Result<usize, String> {
    let mut compared = 0;
    for name in automaton.proctypes() {
        let ours_called = match name {
            "init" => ":init:",
            "never_0" => "never",
            name => name,
        };
        let Some(template) = network.templates.iter().position(|template| template.name == ours_called) else {
            continue;
        };
        // A claim goes through an atomic chain in one move.
        if automaton.of(name).any(|t| t.atomic) && ours_called == "never" {
            continue;
        }
        let of = |id: &bughound_ir::network::LocationId| network.location(*id).number;
        let theirs: BTreeSet<(usize, u32)> = automaton.of(name).map(|t| (t.from, t.id)).collect();
        let ours: BTreeSet<(usize, u32)> = network.templates[template]
            .locations
            .iter()
            .flat_map(|id| network.location(*id).edges.iter().map(|edge| (of(id), network.edge(*edge).number)))
            .map(|(from, number)| (from as usize, number.unwrap_or(u32::MAX)))
            .collect();
        if ours != theirs {
            let only = |a: &BTreeSet<_>, b: &BTreeSet<_>| a.difference(b).copied().collect::<Vec<(usize, u32)>>();
            let (here, there) = (only(&ours, &theirs), only(&theirs, &ours));
            return Err(format!("{name}: (state, statement) only here {here:?}, only in SPIN {there:?}"));
        }
        compared += ours.len();
    }
    Ok(compared)
}

/// What became of a random program.
#[derive(Clone, Debug, Default)]
pub struct Report {
    pub counts: std::collections::BTreeMap<&'static str, u64>,
    pub differences: Vec<String>,
}

impl Report {
    fn count(&mut self, what: &'static str, by: u64) {
        *self.counts.entry(what).or_default() += by;
    }

    pub fn merge(&mut self, other: Report) {
        other.counts.into_iter().for_each(|(what, by)| self.count(what, by));
        self.differences.extend(other.differences);
    }
}

/// Compares numbers, and replays errors both ways, on the random program of a seed.
pub fn compare_seed(seed: u64, features: &Features, oracle: &SpinOracle) -> Report {
    let mut report = Report::default();
    let source = generate(seed, features);
    let dialect = if features.has(Features::LOSSY) { vec!["lossy".to_string()] } else { Vec::new() };
    let subject = Subject { dialect, ..Subject::new(&source, seed.is_multiple_of(2)) };
    let options = OracleOptions::quick();
    if let Err(why) = compare(&subject, features, oracle, &options, &mut report) {
        report.differences.push(format!("seed {seed}, merging {}: {why}\n{source}", subject.merge));
    }
    report
}

fn compare(
    subject: &Subject,
    features: &Features,
    oracle: &SpinOracle,
    options: &OracleOptions,
    report: &mut Report,
) -> Result<(), String> {
    let model = subject.load()?;
    let of_spin = subject.oracle_options(options.clone());
    match oracle.automaton(&subject.source, &OracleOptions { claims: true, ..of_spin }, subject.merge) {
        Ok(automaton) => {
            report.count("statements with the same number", compare_numbers(&model.network, &automaton)? as u64)
        }
        Err(_) => {
            report.count("programs that SPIN does not take", 1);
            return Ok(());
        }
    }
    let limits = Limits { states: Some(20_000), ..Limits::default() };
    let mut all = vec![("deadlock", Wanted::Deadlock), ("assertion", Wanted::Assertion)];
    if features.has_claim() {
        let claim = model.network.numbering.as_ref().and_then(|numbering| numbering.claims.first());
        all = claim.map(|claim| (claim.property.as_str(), Wanted::Claim(None))).into_iter().collect();
    }
    let scratch =
        std::env::temp_dir().join(format!("bughound-trails-{}-{:?}", std::process::id(), std::thread::current().id()));
    std::fs::create_dir_all(&scratch).map_err(|error| error.to_string())?;
    for (property, wanted) in all {
        if let Some(found) = counterexample(&model, property, limits.clone())? {
            match replay_there(oracle, subject, &model, &found, options) {
                Ok(_) => report.count("errors replayed by SPIN", 1),
                Err(why) => return Err(format!("{property}, replayed by SPIN: {why}")),
            }
        }
        match replay_here(oracle, subject, &wanted, options, &scratch) {
            Ok(Some(_)) => report.count("trails of SPIN replayed here", 1),
            Ok(None) => {}
            Err(why) => return Err(format!("{property}, trail of SPIN: {why}")),
        }
    }
    let _ = std::fs::remove_dir_all(&scratch);
    Ok(())
}
