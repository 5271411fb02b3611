//! Every heuristic, on random programs, for every kind of error: are its claims true?

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use bughound_heuristics::{BuildCx, ErrorCondition, Targets, build};
use bughound_ir::expr::{BinaryOp, ChannelQuery, Expr, Place};
use bughound_ir::frames::{LOCATION, PROCESS_COUNT};
use bughound_ir::network::{LocationId, Network, PropertyKind};
use bughound_kernel::registry::expression::parse;
use bughound_kernel::{AtomId, StateBuf, TransitionSystem};
use bughound_promela::lower::LowerOptions;
use bughound_semantics::{CLAIM_VIOLATED, ClaimProduct, DiscreteSystem};

use crate::comparison::random_features;
use crate::differential::network;
use crate::distances::{Distances, Errors, Graph, check_claims};
use crate::random_promela::{Features, Rng, generate};

/// Heuristics with arguments that deserve a test besides those of the list with their defaults. `$x` stands for a
/// variable of the program.
pub const PARAMETERISED: &[&str] = &[
    "hamming(of=bits)",
    "fsm-distance(combine=max)",
    "sum(fsm-distance, hamming)",
    "send-receive(prefer=sends)",
    "send-receive(prefer=receives)",
    "max(send-receive, blind)",
    "min(send-receive, hamming)",
    "weighted(send-receive, 0.4)",
    "weighted(send-receive, 1.5)",
    "expression('_nr_pr')",
    "expression('2 - $x')",
    "max(blind, hamming)",
    "max(blind, weighted(blind, 0.5))",
    "min(blind, hamming)",
    "min(hamming, blind, blind)",
    "sum(blind)",
    "sum(blind, hamming, expression('$x'))",
    "weighted(hamming, 2.5)",
    "weighted(max(blind, blind), 0.3)",
    "cache(hamming)",
    "cache(blind, entries=7)",
];

/// What was checked, by name: how many programs, graphs with a reachable error, estimates.
pub type Coverage = BTreeMap<String, u64>;

/// What a check of one program found.
#[derive(Clone, Debug, Default)]
pub struct Report {
    pub coverage: Coverage,
    pub violations: Vec<String>,
}

impl Report {
    fn count(&mut self, what: impl Into<String>, by: usize) {
        *self.coverage.entry(what.into()).or_default() += by as u64;
    }

    pub fn merge(&mut self, other: Report) {
        for (what, by) in other.coverage {
            *self.coverage.entry(what).or_default() += by;
        }
        self.violations.extend(other.violations);
    }
}

/// The features of the program with this seed: failing steps, invariants and claims, besides all the rest.
pub fn features(seed: u64) -> Features {
    match seed % 5 {
        0 => Features::CORE,
        1 => Features::CORE | Features::EVAL_ERRORS,
        2 => Features::CORE | Features::LTL,
        3 => Features::CORE | Features::NEVER,
        _ => random_features(seed) | if seed.is_multiple_of(2) { Features::LOSSY } else { Features::CORE },
    }
}

/// The program with this seed.
pub fn program(seed: u64) -> String {
    generate(seed, &features(seed))
}

/// All expressions to be tested: the list of heuristics with default arguments, then those above.
pub fn expressions() -> Vec<String> {
    let plain = bughound_heuristics::ALL.iter().map(|entry| entry.name.to_string());
    plain.chain(PARAMETERISED.iter().map(ToString::to_string)).collect()
}

/// Weights of steps for the program with this seed. Heuristics that count steps may not claim anything where steps cost
/// nothing, so weights of 0 are left to those who ask for them.
pub fn weights(seed: u64) -> RangeInclusive<u64> {
    if seed % 4 == 2 { 1..=3 } else { 1..=1 }
}

/// Checks all `heuristics` on the program with this seed, its edges given random `weights`; programs with more than
/// `most` states are left out.
pub fn check_seed(seed: u64, most: usize, weights: RangeInclusive<u64>, heuristics: &[String]) -> Report {
    let lossy_sends = features(seed).has(Features::LOSSY);
    let options = LowerOptions { merge: !seed.is_multiple_of(3), lossy_sends, ..LowerOptions::default() };
    check_program(&program(seed), options, seed, most, weights, heuristics)
}

pub fn check_program(
    source: &str,
    options: LowerOptions,
    seed: u64,
    most: usize,
    weights: RangeInclusive<u64>,
    heuristics: &[String],
) -> Report {
    let mut report = Report::default();
    let mut network = match network(source, options) {
        Ok(network) => network,
        Err(messages) => {
            report.violations.push(format!("rejected: {}", messages.join("; ")));
            return report;
        }
    };
    let mut rng = Rng::new(seed ^ 0xd157);
    for edge in &mut network.edges {
        edge.weight = rng.range(*weights.start() as usize, *weights.end() as usize) as u64;
    }
    let plain = DiscreteSystem::new(network.clone(), &[]);
    let Some(graph) = Graph::explore(&plain, most).filter(|graph| !graph.states.is_empty()) else {
        report.count("programs too large", 1);
        return report;
    };
    report.count("programs", 1);
    let scene = Scene { source, options, network: &network, heuristics };
    for (kind, targets) in kinds(&network, &graph, &mut rng) {
        let conditions: Vec<Expr> = targets.conditions.iter().map(|c| c.condition.clone()).collect();
        let system = DiscreteSystem::new(network.clone(), &conditions);
        let atoms = targets.conditions.iter().enumerate().map(|(at, c)| (AtomId(at as u32), c.wanted)).collect();
        let errors = Errors { deadlock: targets.deadlock, failures: targets.failures, atoms };
        scene.check(kind, &system, &system, &targets, &errors, &graph, &mut rng, &mut report);
    }
    for property in &network.properties {
        let PropertyKind::Never(template) = property.kind else { continue };
        let product = ClaimProduct::new(&plain, template);
        let Some(graph) = Graph::explore(&product, most).filter(|graph| !graph.states.is_empty()) else { continue };
        let targets = Targets { claim: Some(template), ..Targets::default() };
        let errors = Errors { atoms: vec![(CLAIM_VIOLATED, true)], ..Errors::default() };
        scene.check("claim", &plain, &product, &targets, &errors, &graph, &mut rng, &mut report);
    }
    report
}

/// Kinds of errors to look for in a model.
fn kinds(network: &Network, graph: &Graph, rng: &mut Rng) -> Vec<(&'static str, Targets)> {
    let (condition, wanted) = some_condition(network, graph, rng);
    let everything = Targets { deadlock: true, failures: true, ..Targets::condition(condition.clone(), wanted) };
    let mut kinds = vec![
        ("deadlock", Targets::deadlock()),
        ("failure", Targets::failures()),
        ("condition", Targets::condition(condition, wanted)),
        ("everything", everything),
        ("unspecified reception", Targets::condition(Expr::UnspecifiedReception, true)),
        ("channel overflow", Targets::condition(Expr::ChannelOverflow.not(), false)),
    ];
    let invariants = network.properties.iter().filter_map(|p| match &p.kind {
        PropertyKind::Invariant(e) => Some(ErrorCondition { condition: e.clone(), wanted: false }),
        _ => None,
    });
    kinds.extend(invariants.map(|c| ("invariant", Targets { conditions: vec![c], ..Targets::default() })));
    kinds
}

/// A condition that some state other than the first satisfies: one to three facts about it, sometimes the negation of
/// their negation.
fn some_condition(network: &Network, graph: &Graph, rng: &mut Rng) -> (Expr, bool) {
    let state = &graph.states[rng.below(graph.states.len())];
    let count = rng.range(1, 3);
    let facts = (0..count).map(|_| fact(network, state, rng));
    let all = facts.reduce(|a, b| Expr::binary(BinaryOp::And, a, b)).unwrap_or(Expr::Const(1));
    if rng.chance(50) { (all, true) } else { (all.not(), false) }
}

/// Something that is true in a state.
fn fact(network: &Network, state: &StateBuf, rng: &mut Rng) -> Expr {
    let processes = state.key[PROCESS_COUNT] as usize;
    match rng.below(4) {
        0 if !network.channels.is_empty() => {
            let channel = rng.below(network.channels.len());
            let len = match &network.channels[channel] {
                c if c.capacity > 0 => state.key[c.slot as usize],
                _ => 0,
            };
            let number = Box::new(Expr::Const(channel as i32 + 1));
            let capacity = network.channels[channel].capacity.max(1) as i32;
            let query = match len {
                0 => ChannelQuery::Empty,
                len if len == capacity => ChannelQuery::Full,
                _ => ChannelQuery::NotEmpty,
            };
            Expr::Channel(query, number)
        }
        1 if !network.variables.is_empty() => {
            let variable = rng.pick(&network.variables);
            let read = Expr::read(Place::global(variable.slot, variable.ty));
            let value = state.key[variable.slot as usize];
            let op = *rng.pick(&[BinaryOp::Equal, BinaryOp::LessEqual, BinaryOp::GreaterEqual]);
            Expr::binary(op, read, Expr::Const(value))
        }
        _ if processes > 0 => {
            let pid = rng.below(processes);
            let slot = (network.frames.processes[pid].base + LOCATION) as usize;
            Expr::At { pid: Box::new(Expr::Const(pid as i32)), location: LocationId(state.key[slot] as u32) }
        }
        _ => Expr::binary(BinaryOp::Equal, Expr::ProcessCount, Expr::Const(processes as i32)),
    }
}

/// A program and what is to be tested on it.
struct Scene<'a> {
    source: &'a str,
    options: LowerOptions,
    network: &'a Network,
    heuristics: &'a [String],
}

impl Scene<'_> {
    #[allow(clippy::too_many_arguments)]
    fn check(
        &self,
        kind: &str,
        system: &DiscreteSystem,
        walked: &dyn TransitionSystem,
        targets: &Targets,
        errors: &Errors,
        graph: &Graph,
        rng: &mut Rng,
        report: &mut Report,
    ) {
        let distances = Distances::new(graph, walked, errors);
        report.count(format!("{kind}: programs"), 1);
        report.count(format!("{kind}: with an error"), distances.any() as usize);
        let goal_state = rng.pick(&graph.states);
        let read_expression = |text: &str| self.read_expression(text);
        let cx = BuildCx { system, targets, goal_state: Some(goal_state), read_expression: &read_expression };
        for text in self.heuristics {
            let text = text.replace("$x", self.some_variable());
            let expression = match parse(&text) {
                Ok(expression) => expression,
                Err(error) => return report.violations.push(format!("{text}: {error}")),
            };
            // Not every heuristic can be built for every kind of error; the counts show that none is left out always.
            let Ok(mut heuristic) = build(&expression, &cx) else { continue };
            report.count(format!("heuristic {}", expression.name), graph.states.len());
            if let Some(violation) = check_claims(heuristic.as_mut(), graph, &distances).first() {
                report.violations.push(format!("{text} for {kind} ({targets:?}) is {violation}"));
            }
        }
    }

    fn some_variable(&self) -> &str {
        let plain = self.network.variables.iter().find(|v| v.dims.is_empty() && !v.name.contains('.') && !v.hidden);
        plain.map_or("_nr_pr", |v| v.name.as_str())
    }

    /// Reads an expression as an invariant of the program; the network must come out the same.
    fn read_expression(&self, text: &str) -> Result<Expr, String> {
        let source = format!("{}\nltl expression_to_read {{ [] (({text}) != 0) }}\n", self.source);
        let network = network(&source, self.options).map_err(|messages| messages.join("; "))?;
        if network.frames != self.network.frames {
            return Err("the expression changes the model".into());
        }
        let found = network.properties.into_iter().find_map(|p| match p.kind {
            PropertyKind::Invariant(Expr::Binary(BinaryOp::NotEqual, value, _)) if p.name == "expression_to_read" => {
                Some(*value)
            }
            _ => None,
        });
        found.ok_or_else(|| "it is no expression over states".into())
    }
}
