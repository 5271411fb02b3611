//! Random models and properties through Bughound, with every kind of search, beside the decision by brute force.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use bughound::run::ReductionMode;
use bughound::verdict::Verdict;
use bughound_ir::expr::Expr;
use bughound_promela::lower::LowerOptions;

use crate::differential::network;
use crate::liveness::claims::RandomClaim;
use crate::liveness::facade::{Manner, Subject};
use crate::liveness::formulas::{self, Ltl, Shape};
use crate::liveness::graph::{Graph, Letter};
use crate::liveness::models::{self, Ingredients, RandomModel};
use crate::liveness::tableau::{Runs, is_violated};
use crate::random_promela::{Features, Rng, generate};

/// Larger models are left out.
const MOST_STATES: usize = 1500;
/// Searches that record states are asked about models up to this size, and may take so many states.
const RECORDED_STATES: usize = 120;
const RECORDING_LIMIT: u64 = 20_000;

/// Searches for cycles, each in one of several forms.
const SEARCHES: [&[&str]; 8] = [
    &["auto", "auto(effort=50)"],
    &["scc", "scc(improve=false)"],
    &["nested-dfs", "nested-dfs(improve=false)"],
    &["improved-nested-dfs", "improved-nested-dfs(improve=false)"],
    &["astar-dfs", "astar-dfs(improve=false)", "astar-dfs(inner=blind)", "astar-dfs(h=blind, w=0)"],
    &["shortest-lasso"],
    &["semi-external-dfs"],
    &["symbolic"],
];
/// Searches for states, which find cycles by recording.
const RECORDING: [&[&str]; 3] = [&["bfs"], &["astar"], &["dfs", "greedy"]];

/// What many comparisons came to.
#[derive(Clone, Debug, Default)]
pub struct Report {
    pub counts: BTreeMap<&'static str, u64>,
    /// What Bughound got wrong, with all that is needed to see it again.
    pub differences: Vec<String>,
}

impl Report {
    pub fn count(&mut self, what: &'static str) {
        *self.counts.entry(what).or_default() += 1;
    }

    pub fn of(&self, what: &str) -> u64 {
        self.counts.get(what).copied().unwrap_or(0)
    }

    pub fn merge(&mut self, other: Report) {
        other.counts.into_iter().for_each(|(what, n)| *self.counts.entry(what).or_default() += n);
        self.differences.extend(other.differences);
    }
}

/// Compares everything about the model of a seed.
pub fn compare_seed(seed: u64) -> Report {
    let compared = catch_unwind(AssertUnwindSafe(|| {
        let mut report = Report::default();
        Comparison { rng: Rng::new(seed ^ 0x11fe), report: &mut report }.run(seed);
        report
    }));
    let mut report = compared.unwrap_or_else(|_| Report { differences: vec!["panic".into()], ..Report::default() });
    report.differences.iter_mut().for_each(|text| *text = format!("seed {seed}: {text}"));
    report
}

struct Comparison<'r> {
    rng: Rng,
    report: &'r mut Report,
}

/// What the answers must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Truth {
    pub violated: bool,
    pub violated_fairly: bool,
    /// Conditions of a formula have no value somewhere. Where the formula may read them, that is an error: whether it does
    /// depends on its automaton, so all searches must say the same, but it is not known what.
    pub may_break: bool,
}

impl Truth {
    pub fn certain(violated: bool, violated_fairly: bool) -> Truth {
        Truth { violated, violated_fairly, may_break: false }
    }
}

impl Comparison<'_> {
    fn run(&mut self, seed: u64) {
        let (model, merge) = (self.model(seed), self.rng.chance(50));
        let Some(model) = model else { return self.report.count("seeds without a model of the right size") };
        let Ok(subject) = Subject::load(&model.text, &[], &model.atoms, merge) else {
            return self.difference(&model, "", "the model is not accepted");
        };
        let Some(graph) = Graph::new(subject.network(), MOST_STATES) else { return };
        self.report.count("models");
        let atoms = self.atoms(&model, &graph, &subject.atoms());
        let texts: Vec<String> = atoms.iter().map(|at| model.atoms[*at].clone()).collect();
        let conditions: Vec<Expr> = atoms.iter().map(|at| subject.atoms()[*at].clone()).collect();
        let letters = graph.letters(&conditions);
        let chosen: Vec<Ltl> = (0..4).map(|round| self.formula(&graph, &letters, texts.len(), round)).collect();
        self.formulas(&model, &texts, &chosen, merge);
        self.claim(&model, &texts, merge);
    }

    /// A model that is small enough; most are made for the purpose, some are programs of the general kind.
    fn model(&mut self, seed: u64) -> Option<RandomModel> {
        let is_general = self.rng.chance(15);
        for attempt in 0..20 {
            let model = match is_general {
                true => general(seed * 20 + attempt),
                false => models::random(&mut self.rng, Ingredients::ALL),
            };
            let size = network(&model.text, LowerOptions::default()).ok();
            let size = size.and_then(|network| Graph::new(&network, MOST_STATES / 2).map(|graph| graph.len()));
            if size.is_some_and(|states| states > 2) && !model.atoms.is_empty() {
                return Some(model);
            }
        }
        None
    }

    /// Up to four atoms, most of which are true in some states and false in others.
    fn atoms(&mut self, model: &RandomModel, graph: &Graph<'_>, conditions: &[Expr]) -> Vec<usize> {
        let letters = graph.letters(conditions);
        let varies = |at: usize| [0, 1].iter().all(|bit| letters.iter().any(|l| l.holds >> at & 1 == *bit));
        let (good, bad): (Vec<usize>, Vec<usize>) = (0..model.atoms.len()).partition(|at| varies(*at));
        let mut chosen = Vec::new();
        for _ in 0..self.rng.range(2, 4) {
            let from = if bad.is_empty() || (!good.is_empty() && self.rng.chance(92)) { &good } else { &bad };
            let atom = *self.rng.pick(from);
            if !chosen.contains(&atom) {
                chosen.push(atom);
            }
        }
        chosen
    }

    /// A formula of the kind that the round asks for, if one is found soon: any, true, false, decided by
    /// fairness.
    fn formula(&mut self, graph: &Graph<'_>, letters: &[Letter], atoms: usize, round: usize) -> Ltl {
        let mut last = None;
        for _ in 0..if round == 3 { 40 } else { 12 } {
            // Where X is used, no step is left out.
            let next = self.rng.chance(40);
            let formula = formulas::random(&mut self.rng, Shape { atoms, next });
            let truth = truth(graph, letters, &formula, true);
            let fits = match round {
                0 => truth.is_some(),
                1 => truth.is_some_and(|t| !t.violated),
                2 => truth.is_some_and(|t| t.violated_fairly),
                _ => truth.is_some_and(|t| t.violated != t.violated_fairly),
            };
            if fits {
                return formula;
            }
            if truth.is_some() || last.is_none() {
                last = Some(formula);
            }
        }
        last.unwrap_or(Ltl::True)
    }

    fn formulas(&mut self, model: &RandomModel, texts: &[String], formulas: &[Ltl], merge: bool) {
        let added: Vec<String> = formulas.iter().map(|formula| formula.text(texts).to_string()).collect();
        let subject = match Subject::load(&model.text, &added, texts, merge) {
            Ok(subject) => subject,
            Err(why) => return self.difference(model, &added.join("\n"), &why),
        };
        let Some(graph) = Graph::new(subject.network(), MOST_STATES) else { return };
        for (at, formula) in formulas.iter().enumerate() {
            match truth_of(&graph, &subject.atoms(), formula) {
                Some(truth) => {
                    self.report.count("formulas");
                    let about = format!("merge {merge}, formula {}", added[at]);
                    self.property(model, &subject, &graph, &format!("ltl-{}", at + 1), truth, &about);
                }
                None => self.report.count("formulas too large to decide by brute force"),
            }
        }
        if model.accept_labels {
            self.report.count("acceptance");
            let letters = graph.letters(&[Expr::AtAcceptLabel]);
            let never_again = Ltl::Atom(0).eventually().always().negated();
            if let Some(truth) = truth(&graph, &letters, &never_again, true) {
                self.property(model, &subject, &graph, "acceptance", truth, &format!("merge {merge}, acceptance"));
            }
        }
        if model.progress_labels || self.rng.chance(10) {
            self.report.count("non-progress");
            let letters = graph.letters(&[Expr::NonProgress]);
            let progress = Ltl::Atom(0).negated().eventually().always();
            if let Some(truth) = truth(&graph, &letters, &progress, false) {
                self.property(model, &subject, &graph, "non-progress", truth, &format!("merge {merge}, non-progress"));
            }
        }
    }

    fn claim(&mut self, model: &RandomModel, texts: &[String], merge: bool) {
        let negated = texts.iter().map(|text| format!("!({text})"));
        let guards: Vec<String> = texts.iter().cloned().chain(negated).collect();
        let claim = RandomClaim::random(&mut self.rng, guards.len());
        let with_claim = RandomModel { text: format!("{}{}", model.text, claim.text(&guards)), ..model.clone() };
        let subject = match Subject::load(&with_claim.text, &[], &guards, merge) {
            Ok(subject) => subject,
            Err(why) => return self.difference(&with_claim, "never", &why),
        };
        let Some(graph) = Graph::new(subject.network(), MOST_STATES) else { return };
        let letters = graph.letters(&subject.atoms());
        let violated = |fair| claim.is_violated(&graph, &letters, Runs { fair, rest: true });
        let truth = Truth::certain(violated(false), violated(true));
        self.report.count("claims");
        self.property(&with_claim, &subject, &graph, "never", truth, &format!("merge {merge}, the claim"));
    }

    /// Asks every search about a property.
    fn property(
        &mut self,
        model: &RandomModel,
        subject: &Subject,
        graph: &Graph<'_>,
        name: &str,
        truth: Truth,
        about: &str,
    ) {
        self.report.count("pairs");
        self.report.count(if truth.violated { "violated" } else { "hold" });
        if truth.may_break {
            self.report.count("pairs with conditions without value");
        }
        if truth.violated != truth.violated_fairly {
            self.report.count("decided by fairness");
        }
        if graph.can_rest() {
            self.report.count("pairs with runs at rest");
        }
        if graph.can_fail {
            self.report.count("pairs with steps that fail");
        }
        self.report.count(match graph.len() {
            0..20 => "pairs with up to 20 states",
            20..100 => "pairs with up to 100 states",
            _ => "pairs with more states",
        });
        // A beginning that violates a property is a violation, even if no run goes on from there that is fair.
        let fairness_makes_sense = graph.is_always_fair_to_go_on(true);
        if !fairness_makes_sense {
            self.report.count("pairs without fair runs from some states, left out with fairness");
        }
        for fair in [false, true].into_iter().filter(|fair| !fair || fairness_makes_sense) {
            let violated = if fair { truth.violated_fairly } else { truth.violated };
            let mut expected = if violated { Verdict::Violated } else { Verdict::Holds };
            let mut is_open = truth.may_break && !violated;
            let mut costs: Vec<(&str, u64, bool)> = Vec::new();
            let recorded = graph.len() <= RECORDED_STATES;
            let recording = RECORDING.iter().filter(|_| recorded).map(|forms| (forms, Some(RECORDING_LIMIT)));
            for (forms, limit) in SEARCHES.iter().map(|forms| (forms, None)).chain(recording) {
                let search = *self.rng.pick(forms);
                self.report.count("checks");
                let steps = *self.rng.pick(&[ReductionMode::Off, ReductionMode::On, ReductionMode::On]);
                let threads = *self.rng.pick(&[1, 1, 2, 3, 4]);
                let alone = *self.rng.pick(&[0, 0, 20, 100]);
                let manner = Manner { steps, values: self.rng.chance(50), threads, alone };
                if threads > 1 {
                    self.report.count("checks with several threads");
                }
                if steps == ReductionMode::On {
                    self.report.count("checks that leave steps out where they can");
                }
                let answer = match subject.ask_in(manner, name, search, fair, limit) {
                    Ok(answer) => answer,
                    Err(why) if why.contains("symbolic searches cannot search this") => {
                        self.report.count("checks that sets of states refuse");
                        continue;
                    }
                    Err(why) => {
                        let why = format!("{search}, fair {fair}, {manner:?}: {why}, expected {expected}");
                        self.difference(model, about, &why);
                        continue;
                    }
                };
                if is_open && answer.verdict != Verdict::Limit {
                    (expected, is_open) = (answer.verdict, false);
                    self.report.count("pairs whose formula may have no value");
                }
                match answer.verdict {
                    Verdict::Limit if limit.is_some() => self.report.count("checks ended by the limit on states"),
                    verdict if verdict != expected => {
                        let why = format!("{search}, fair {fair}, {manner:?}: {verdict}, expected {expected}");
                        self.difference(model, about, &why);
                    }
                    _ => costs.extend(answer.cost.map(|cost| (search, cost, answer.proven_shortest))),
                }
            }
            self.lengths(model, &format!("fair {fair}, {about}"), &costs);
        }
    }

    /// No counterexample is shorter than one that is proven shortest.
    fn lengths(&mut self, model: &RandomModel, about: &str, costs: &[(&str, u64, bool)]) {
        let Some(least) = costs.iter().map(|(_, cost, _)| *cost).min() else { return };
        for (search, cost, proven) in costs {
            if *proven {
                self.report.count("counterexamples proven shortest");
            }
            if *proven && *cost > least {
                let why = format!("{search} calls {cost} steps shortest, but there is one of {least}: {costs:?}");
                self.difference(model, about, &why);
            }
        }
    }

    fn difference(&mut self, model: &RandomModel, about: &str, why: &str) {
        self.report.differences.push(format!("{why}\n  {about}\n{}", model.text));
    }
}

/// Decides a formula by brute force. `rest`: runs that come to rest count. `None`: it takes too long.
pub fn truth(graph: &Graph<'_>, letters: &[Letter], formula: &Ltl, rest: bool) -> Option<Truth> {
    let violated = |fair| is_violated(graph, letters, formula, Runs { fair, rest });
    let may_break = letters.iter().any(|letter| letter.undefined != 0);
    Some(Truth { violated: violated(false)?, violated_fairly: violated(true)?, may_break })
}

/// Decides a formula over these atoms by brute force.
pub fn truth_of(graph: &Graph<'_>, atoms: &[Expr], formula: &Ltl) -> Option<Truth> {
    if atoms.iter().all(|atom| graph.is_defined(atom)) {
        return truth(graph, &graph.letters(atoms), formula, true);
    }
    let mut large = Vec::new();
    let formula = formula.over_large_atoms(atoms, &mut large);
    truth(graph, &graph.letters(&large), &formula, true)
}

/// A program of the general kind, with conditions on its global variables.
fn general(seed: u64) -> RandomModel {
    let text = generate(seed, &Features::CORE);
    let scalars = network(&text, LowerOptions::default()).map(|network| {
        let plain = network.variables.iter().filter(|v| {
            v.dims.is_empty()
                && v.name.chars().all(|c| c.is_ascii_alphanumeric())
                && text.contains(&format!(" {}", v.name))
        });
        plain.map(|v| v.name.clone()).collect::<Vec<_>>()
    });
    let atoms =
        scalars.unwrap_or_default().into_iter().flat_map(|name| (0..3).map(move |value| format!("{name} == {value}")));
    RandomModel { text: text.clone(), atoms: atoms.take(60).collect(), accept_labels: false, progress_labels: false }
}
