//! Every heuristic, on random programs, for every kind of error: are its claims true?

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};

use bughound_heuristics::{BuildCx, build};
use bughound_ir::edge::Action;
use bughound_ir::expr::{BinaryOp, Expr};
use bughound_ir::network::{Network, TemplateId};
use bughound_ir::question::Question;
use bughound_ir::source::Span;
use bughound_ir::targets::{ErrorCondition, Targets};
use bughound_kernel::registry::expression::parse;
use bughound_kernel::{AtomId, Estimate, Heuristic, Ration, StateBuf, TransitionSystem, Unwatched};
use bughound_layers::ClaimProduct;
use bughound_promela::lower::LowerOptions;
use bughound_semantics::{Claim, DiscreteSystem};

use crate::comparison::random_features;
use crate::conditions;
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

/// More of them, which analyse the model and so take long to build.
pub const ANALYSING: &[&str] = &[
    "auto(admissible=true)",
    "formula(combine=max)",
    "deadlock-formula(combine=max)",
    "deadlock-formula(danger=inferred)",
    "deadlock-formula(combine=max, danger=inferred)",
    "hl(increments=shortcut)",
    "hu(increments=shortcut)",
    "merge-and-shrink(states=12)",
    "merge-and-shrink(merge=nearest, states=40)",
    "pdb(russian-doll, states=200)",
    "pdb(counterexamples, states=1000)",
    "pdb(cone, states=300)",
    "pdb(everything, states=3000)",
    "pdb(symbolic, nodes=20000)",
    "pdb(symbolic, everything, nodes=1500)",
    "pdb(symbolic, cone, nodes=20000)",
    "pdb(symbolic, everything, layers=2, nodes=20000)",
    "pdbs(states=60, each=12)",
    "cartesian(states=20)",
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
    pub fn count(&mut self, what: impl Into<String>, by: usize) {
        *self.coverage.entry(what.into()).or_default() += by as u64;
    }

    /// How much of that was checked.
    pub fn counted(&self, what: &str) -> u64 {
        self.coverage.get(what).copied().unwrap_or(0)
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

/// A program and what it was read to.
#[derive(Clone, Debug)]
pub struct Program {
    pub source: String,
    pub options: LowerOptions,
    pub network: Network,
}

impl Program {
    /// The error says why the program is not accepted.
    pub fn new(source: impl Into<String>, options: LowerOptions) -> Result<Program, String> {
        let source = source.into();
        let network = network(&source, options).map_err(|messages| format!("rejected: {}", messages.join("; ")))?;
        Ok(Program { source, options, network })
    }

    /// Gives every edge one of these weights. Promela's steps all weigh 1 unless told otherwise; models have costs.
    pub fn weigh(&mut self, weights: &[u64], rng: &mut Rng) {
        self.network.edges.iter_mut().for_each(|edge| edge.weight = *rng.pick(weights));
    }

    /// Puts random assertions into some steps, of claims too. Those that programs come with hardly ever fail.
    pub fn assert_something(&mut self, rng: &mut Rng) {
        for at in 0..self.network.edges.len() {
            if rng.chance(20) {
                let ErrorCondition { condition, .. } = conditions::random(&self.network, rng);
                let assertion = Action::Assert { condition, text: "something".into(), span: Span::default() };
                for destination in &mut self.network.edges[at].destinations {
                    let place = rng.below(destination.actions.len() + 1);
                    destination.actions.insert(place, assertion.clone());
                }
            }
        }
    }
}

/// The program with this seed and these features.
pub fn program(seed: u64, features: Features) -> Result<Program, String> {
    let lossy_sends = features.has(Features::LOSSY);
    let options = LowerOptions { merge: !seed.is_multiple_of(3), lossy_sends, ..LowerOptions::default() };
    Program::new(generate(seed, &features), options)
}

/// Heuristics for models with prices, which random programs do not have. `heuristics/tests` looks at them.
pub const NEED_PRICES: [&str; 3] = ["least-cost", "remaining", "heur"];

/// A heuristic of the list as it is tested: with default arguments, but with little room where it builds an abstraction. That
/// is quick, and what does not fit is where mistakes would show.
pub fn tested(name: &'static str) -> &'static str {
    match name {
        "pdb" => "pdb(states=2000)",
        "pdbs" => "pdbs(states=2000, each=500)",
        "merge-and-shrink" => "merge-and-shrink(states=2000)",
        "cartesian" => "cartesian(states=200)",
        name => name,
    }
}

/// All expressions to be tested: the list of heuristics, then those above.
pub fn expressions() -> Vec<String> {
    let plain = bughound_heuristics::ALL.iter().map(|entry| tested(entry.name));
    plain.chain(PARAMETERISED.iter().chain(ANALYSING).copied()).map(String::from).collect()
}

/// Weights of steps for the program with this seed. Heuristics that count steps may not claim anything where steps cost
/// nothing, so weights of 0 are left to those who ask for them.
pub fn weights(seed: u64) -> &'static [u64] {
    if seed % 4 == 2 { &[1, 2, 3] } else { &[1] }
}

/// Checks all `heuristics` on the program with this seed, its edges given random `weights`, every third program with more
/// assertions; programs with more than `most` states are left out.
pub fn check_seed(seed: u64, most: usize, weights: &[u64], heuristics: &[String]) -> Report {
    let mut rng = Rng::new(seed ^ 0xd157);
    match program(seed, features(seed)) {
        Ok(mut program) => {
            program.weigh(weights, &mut rng);
            if seed % 3 == 1 {
                program.assert_something(&mut rng);
            }
            check_program(&program, kinds, most, heuristics, &mut rng)
        }
        Err(text) => Report { violations: vec![text], ..Report::default() },
    }
}

/// What to look for, and how to call it.
pub type Kind = (&'static str, Targets);

/// Checks all `heuristics` for all `kinds` of errors, which are drawn for a network and its states (none, if there are
/// more than `most`). Kinds with a claim are looked for in the product with it.
pub fn check_program(
    program: &Program,
    kinds: impl FnOnce(&Network, &[StateBuf], &mut Rng) -> Vec<Kind>,
    most: usize,
    heuristics: &[String],
    rng: &mut Rng,
) -> Report {
    let mut report = Report::default();
    let network = &program.network;
    let graph = Graph::explore(&DiscreteSystem::new(network.clone(), &[]), most);
    report.count(if graph.is_some() { "programs" } else { "programs too large" }, 1);
    let kinds = kinds(network, graph.as_ref().map_or(&[], |graph| &graph.states), rng);
    let conditions = kinds.iter().flat_map(|(_, targets)| &targets.conditions);
    let atoms: Vec<Expr> = conditions.map(|c| c.condition.clone()).collect();
    let system = DiscreteSystem::new(network.clone(), &atoms);
    let scene = Scene { program, system: &system, atoms: &atoms, heuristics, expressions: RefCell::default() };
    let (with_claim, plain): (Vec<Kind>, Vec<Kind>) = kinds.into_iter().partition(|(_, t)| t.claim.is_some());
    if let Some(graph) = &graph {
        plain.iter().for_each(|kind| scene.check(kind, &system, None, graph, rng, &mut report));
    }
    for (claim, _) in claims(network) {
        let reads = Claim::new(&system, claim);
        let product = ClaimProduct::new(&system, &reads);
        let wanted = with_claim.iter().filter(|(_, targets)| targets.claim == Some(claim));
        if let Some(graph) = Graph::explore(&product, most) {
            wanted.for_each(|kind| scene.check(kind, &product, Some(product.violated()), &graph, rng, &mut report));
        }
    }
    report
}

/// Kinds of errors to look for in a model.
pub fn kinds(network: &Network, states: &[StateBuf], rng: &mut Rng) -> Vec<Kind> {
    let mut kinds = vec![
        ("deadlock", Targets::deadlock()),
        ("failure", Targets::failures()),
        ("unspecified reception", Targets::condition(Expr::UnspecifiedReception, true)),
        ("channel overflow", Targets::condition(Expr::ChannelOverflow.not(), false)),
        ("formula", one_of(conditions::random(network, rng))),
    ];
    if !states.is_empty() {
        let condition = conditions::satisfied(network, states, rng);
        kinds.push(("condition", one_of(condition.clone())));
        kinds.push(("everything", Targets { deadlock: true, failures: true, ..one_of(condition) }));
    }
    kinds.extend(invariants(network));
    for (claim, targets) in claims(network) {
        let mut accepting = network.template(claim).locations.clone();
        accepting.retain(|location| network.location(*location).flags.accept);
        if !accepting.is_empty() {
            kinds.push(("accepting claim", Targets { accepting, ..targets.clone() }));
        }
        kinds.push(("claim", targets));
    }
    kinds
}

fn one_of(condition: ErrorCondition) -> Targets {
    Targets { conditions: vec![condition], ..Targets::default() }
}

/// The invariants of a model, each to be violated.
pub fn invariants(network: &Network) -> impl Iterator<Item = Kind> {
    network.properties.iter().filter_map(|p| match &p.question {
        Question::Invariant(condition) => Some(("invariant", Targets::condition(condition.clone(), false))),
        _ => None,
    })
}

/// The never claims of a model, each to be violated.
pub fn claims(network: &Network) -> impl Iterator<Item = (TemplateId, Targets)> {
    network.properties.iter().filter_map(|p| match p.question {
        Question::Never(claim) => Some((claim, Targets { claim: Some(claim), ..Targets::default() })),
        _ => None,
    })
}

/// Builds heuristics and compares what they claim with the true distances in the graph of a system. Those that take long to build are
/// built once more, with less time than they want: they must not claim more than they know then, either.
pub fn check_heuristics(
    texts: impl Iterator<Item = String>,
    cx: &BuildCx<'_, '_>,
    kind: &str,
    (walked, graph): (&dyn TransitionSystem, &Graph),
    distances: &Distances,
    report: &mut Report,
) {
    for text in texts {
        let expression = match parse(&text) {
            Ok(expression) => expression,
            Err(error) => return report.violations.push(format!("{text}: {error}")),
        };
        let whole = Ration::new(cx.watch, u64::MAX);
        let Ok(heuristic) = build(&expression, &BuildCx { watch: &whole, ..*cx }) else {
            report.count(format!("heuristic {}: not for this error", expression.name), 1);
            continue;
        };
        check_built(walked.guided(heuristic), &text, &expression.name, cx, kind, graph, distances, report);
        let used = u64::MAX - whole.left();
        let any_number = (graph.states.len() * 31 + text.len() * 7 + kind.len()) as u64;
        if used > 0 && any_number.is_multiple_of(3) {
            let part = Ration::new(cx.watch, any_number % used);
            if let Ok(heuristic) = build(&expression, &BuildCx { watch: &part, ..*cx }) {
                let text = format!("{text}, cut short");
                report.count("heuristics cut short", 1);
                check_built(walked.guided(heuristic), &text, &expression.name, cx, kind, graph, distances, report);
            }
        }
    }
}

#[allow(clippy::too_many_arguments)]
fn check_built(
    mut heuristic: Box<dyn Heuristic + '_>,
    text: &str,
    name: &str,
    cx: &BuildCx<'_, '_>,
    kind: &str,
    graph: &Graph,
    distances: &Distances,
    report: &mut Report,
) {
    // What another thread is given says the same, whatever was estimated before.
    let forked: Option<Vec<Estimate>> = heuristic.fork().map(|mut fork| {
        let backwards = graph.states.iter().rev();
        backwards.map(|state| fork.estimate(state.as_state().into())).collect()
    });
    if let Some(forked) = forked {
        report.count("estimates of forks", forked.len());
        for (state, forked) in graph.states.iter().zip(forked.into_iter().rev()) {
            let own = heuristic.estimate(state.as_state().into());
            if own != forked {
                report.violations.push(format!("{text} for {kind}: {own:?}, its fork {forked:?}; {:?}", state.key));
            }
        }
    }
    let findings = check_claims(heuristic.as_mut(), graph, distances);
    report.count(format!("heuristic {name}"), graph.states.len());
    report.count("estimates", graph.states.len());
    report.count("estimates: admissible, two or more", findings.bounds);
    report.count("estimates: safe dead ends", findings.dead_ends);
    if let Some(violation) = findings.violations.first() {
        let (key, targets) = (&graph.states[violation.state].key, cx.targets);
        report.violations.push(format!("{text} for {kind} ({targets:?}) is {violation}; {key:?}"));
    }
}

/// A program and what is to be tested on it.
struct Scene<'a> {
    program: &'a Program,
    system: &'a DiscreteSystem,
    /// The conditions that the system knows, in the order of their numbers.
    atoms: &'a [Expr],
    heuristics: &'a [String],
    /// Expressions that were read before.
    expressions: RefCell<HashMap<String, Result<Expr, String>>>,
}

impl Scene<'_> {
    fn check(
        &self,
        (kind, targets): &Kind,
        walked: &dyn TransitionSystem,
        claim_ended: Option<AtomId>,
        graph: &Graph,
        rng: &mut Rng,
        report: &mut Report,
    ) {
        if graph.states.is_empty() {
            return;
        }
        let distances = Distances::new(graph, walked, &self.errors(targets, claim_ended));
        report.count(format!("{kind}: programs"), 1);
        report.count(format!("{kind}: with an error"), distances.any() as usize);
        let goal_state = walked.situation(rng.pick(&graph.states).as_state());
        let read_expression = |text: &str| {
            let mut known = self.expressions.borrow_mut();
            known.entry(text.to_string()).or_insert_with(|| self.read_expression(text)).clone()
        };
        let system = self.system;
        let cx = BuildCx {
            system,
            targets,
            goal_state: Some(goal_state),
            read_expression: &read_expression,
            watch: &Unwatched,
        };
        let texts = self.heuristics.iter().map(|text| text.replace("$x", self.some_variable()));
        check_heuristics(texts, &cx, kind, (walked, graph), &distances, report);
    }

    fn errors(&self, targets: &Targets, claim_ended: Option<AtomId>) -> Errors {
        let number =
            |condition: &Expr| self.atoms.iter().position(|atom| atom == condition).expect("a known condition");
        let conditions = targets.conditions.iter().map(|c| (AtomId(number(&c.condition) as u32), c.wanted));
        let claim = claim_ended.map(|ended| (ended, true));
        Errors {
            deadlock: targets.deadlock,
            failures: targets.failures,
            atoms: conditions.chain(claim).collect(),
            claim_at: targets.accepting.iter().map(|location| location.0 as i32).collect(),
        }
    }

    fn some_variable(&self) -> &str {
        let mut variables = self.program.network.variables.iter();
        let plain = variables.find(|v| v.dims.is_empty() && !v.name.contains('.') && !v.hidden);
        plain.map_or("_nr_pr", |v| v.name.as_str())
    }

    /// Reads an expression as an invariant of the program; the network must come out the same.
    fn read_expression(&self, text: &str) -> Result<Expr, String> {
        let source = format!("{}\nltl expression_to_read {{ [] (({text}) != 0) }}\n", self.program.source);
        let network = network(&source, self.program.options).map_err(|messages| messages.join("; "))?;
        if network.frames != self.program.network.frames {
            return Err("the expression changes the model".into());
        }
        let found = network.properties.into_iter().find_map(|p| match p.question {
            Question::Invariant(Expr::Binary(BinaryOp::NotEqual, value, _)) if p.name == "expression_to_read" => {
                Some(*value)
            }
            _ => None,
        });
        found.ok_or_else(|| "it is no expression over states".into())
    }
}
