//! SPIN as a second oracle: the same models and properties through `pan -a`, `pan -l`, and both with `-f`.
//!
//! Models are free of errors, for SPIN stops at them, and formulas of `X`, which SPIN is usually built without; claims by
//! hand take its place.
//!
//! With `-f` SPIN 6.5.2 misses violations; each of these models has one run to speak of, and that is fair:
//!
//! * where a run comes to rest (`byte n; active proctype P() { n = 0 }` with `<> [] (n == 1)`; known as issue 38 of
//!   nimble-code/Spin). So if only fair runs at rest violate a property, SPIN may deny it.
//! * where a process waits for its `provided` clause (`byte x, y; active proctype P() provided (x) { y = 1 } active
//!   proctype Q() { do :: x = 0 od }` with `<> (y == 1)`). So models have no such clause.
//! * of cycles without progress (`byte y; active proctype P() { progress: (y < 2) } active proctype Q() { do :: y = 2; skip
//!   :: true -> break od }`), but not if they are asked for by a claim. So they are, with `-f`; then rest counts.
//!
//! And it finds a fair run at rest at an accept label, though it finds none among all runs, in `chan q = [0] of { bit }; bit
//! x; active proctype P() { q?1; (x == 0) } active proctype Q() { do :: q!1; accept: x = 1 - x od }`: its own trail ends
//! elsewhere. Where SPIN finds more fair runs than runs, it is not asked any further.

use bughound::verdict::Verdict;
use bughound_ir::expr::Expr;

use crate::liveness::claims::RandomClaim;
use crate::liveness::comparison::{Report, Truth, truth};
use crate::liveness::facade::Subject;
use crate::liveness::formulas::{self, Ltl, Shape};
use crate::liveness::graph::{Graph, Letter};
use crate::liveness::models::{self, Ingredients, RandomModel};
use crate::liveness::tableau::Runs;
use crate::random_promela::Rng;
use crate::spin_oracle::{Cycles, OracleFailure, OracleOptions, SpinOracle};

/// Larger models are left out.
const MOST_STATES: usize = 1500;

/// What is asked about the model of a seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Formula,
    Claim,
    Acceptance,
    NonProgress,
}

/// Compares SPIN, Bughound and brute force on one property of the model of a seed.
pub fn compare_seed(seed: u64, spin: &SpinOracle) -> Report {
    let mut report = Report::default();
    let mut rng = Rng::new(seed ^ 0x591e);
    let kind = rng.weighted(&[(5, Kind::Formula), (2, Kind::Claim), (1, Kind::Acceptance), (2, Kind::NonProgress)]);
    let Some(model) = model(&mut rng, kind) else {
        report.count("seeds without a model of the right size");
        return report;
    };
    if let Err(why) = compare(&mut rng, kind, &model, spin, &mut report) {
        report.differences.push(format!("seed {seed}: {why}"));
    }
    report
}

fn model(rng: &mut Rng, kind: Kind) -> Option<RandomModel> {
    let ingredients = Ingredients {
        errors: false,
        // Beside a claim SPIN's verifier would take them for labels of the claim.
        accept_labels: kind == Kind::Acceptance,
        progress_labels: kind == Kind::NonProgress,
        unless: true,
        provided: false,
        polls: true,
        dynamic: false,
    };
    (0..60).find_map(|_| {
        let mut model = models::random(rng, ingredients);
        // SPIN knows these in claims but not in formulas.
        let only_in_claims = ["np_", "full", "empty", "nfull", "nempty"];
        let is_for_claims =
            |atom: &String| only_in_claims.iter().any(|word| atom.starts_with(word)) || atom.contains('?');
        model.atoms.retain(|atom| kind == Kind::Claim || !is_for_claims(atom));
        let labelled = match kind {
            Kind::Acceptance => model.accept_labels,
            Kind::NonProgress => model.progress_labels,
            _ => true,
        };
        let subject = Subject::load(&model.text, &[], &model.atoms, false).ok()?;
        let size = Graph::new(subject.network(), MOST_STATES / 2).map_or(0, |graph| graph.len());
        (labelled && size > 2).then_some(model)
    })
}

fn compare(
    rng: &mut Rng,
    kind: Kind,
    model: &RandomModel,
    spin: &SpinOracle,
    report: &mut Report,
) -> Result<(), String> {
    let loaded = Subject::load(&model.text, &[], &model.atoms, false)?;
    let Some(graph) = Graph::new(loaded.network(), MOST_STATES) else { return Ok(()) };
    let atoms = loaded.atoms();
    let letters = graph.letters(&atoms);
    let (name, text, truths) = match kind {
        Kind::Formula => {
            let Some(formula) = formula(rng, &graph, &letters, atoms.len()) else { return Ok(()) };
            let text = format!("{}ltl f {{ {} }}\n", model.text, formula.text(&model.atoms));
            ("f", text, truths(&graph, &letters, &formula)?)
        }
        Kind::Claim => {
            let claim = RandomClaim::random(rng, atoms.len());
            let violated = |fair, rest| claim.is_violated(&graph, &letters, Runs { fair, rest });
            let truths = [false, true].map(|r| Truth::certain(violated(false, r), violated(true, r)));
            ("never", format!("{}{}", model.text, claim.text(&model.atoms)), truths)
        }
        Kind::Acceptance => {
            let letters = graph.letters(&[Expr::AtAcceptLabel]);
            let formula = Ltl::Atom(0).eventually().always().negated();
            ("acceptance", model.text.clone(), truths(&graph, &letters, &formula)?)
        }
        Kind::NonProgress => {
            let letters = graph.letters(&[Expr::NonProgress]);
            let formula = Ltl::Atom(0).negated().eventually().always();
            ("non-progress", model.text.clone(), truths(&graph, &letters, &formula)?)
        }
    };
    let subject = Subject::load(&text, &[], &[], false).map_err(|why| format!("{why}\n{text}"))?;
    let theirs = match verdicts(kind, &text, spin) {
        Ok(theirs) => theirs,
        Err(OracleFailure::Rejected(_)) => {
            report.count("rejected by SPIN");
            return Ok(());
        }
        Err(OracleFailure::Timeout(_)) => {
            report.count("too large for SPIN");
            return Ok(());
        }
        Err(failure) => return Err(format!("{failure:?}\n{text}")),
    };
    let [without_rest, with_rest] = truths;
    let truth = if kind == Kind::NonProgress { without_rest } else { with_rest };
    report.count("pairs");
    report.count(if truth.violated { "violated" } else { "hold" });
    if truth.violated != truth.violated_fairly {
        report.count("decided by fairness");
    }
    let contradiction = theirs == [Some(false), Some(true)] && !truth.violated_fairly && kind != Kind::NonProgress;
    for (fair, expected, theirs) in [(false, truth.violated, theirs[0]), (true, truth.violated_fairly, theirs[1])] {
        let ours = subject.ask(name, "scc", fair, None).map_err(|why| format!("{why}\n{text}"))?;
        if (ours.verdict == Verdict::Violated) != expected {
            return Err(format!("Bughound says {}, expected violated: {expected} (fair {fair})\n{text}", ours.verdict));
        }
        let for_spin = if fair { with_rest.violated_fairly } else { expected };
        match theirs {
            Some(true) if fair && contradiction => report.count("fair runs that are no runs to SPIN"),
            None => report.count("SPIN came to no end"),
            Some(theirs) if theirs == for_spin => report.count("verdicts compared with SPIN's"),
            Some(false) if fair && !without_rest.violated_fairly => report.count("fair runs at rest that SPIN misses"),
            Some(theirs) => {
                return Err(format!(
                    "{kind:?}: SPIN says violated: {theirs}, expected {for_spin} (fair {fair})\n{text}"
                ));
            }
        }
    }
    Ok(())
}

/// The truth without and with runs that come to rest.
fn truths(graph: &Graph<'_>, letters: &[Letter], formula: &Ltl) -> Result<[Truth; 2], String> {
    let decide = |rest| truth(graph, letters, formula, rest).ok_or("too large to decide by brute force");
    Ok([decide(false)?, decide(true)?])
}

/// A run in which nobody makes progress from some point on.
const NO_PROGRESS: &str = "never { do :: true :: np_ -> break od; accept: do :: np_ od }\n";

/// What SPIN says about all runs, and about the fair ones.
fn verdicts(kind: Kind, text: &str, spin: &SpinOracle) -> Result<[Option<bool>; 2], OracleFailure> {
    let ask = |text: &str, cycles, claims| {
        let options = OracleOptions { claims, ..OracleOptions::quick() };
        spin.cycles(text, cycles, &options)
    };
    match kind {
        Kind::Formula | Kind::Claim => ask(text, Cycles::Accepting, true),
        Kind::Acceptance => ask(text, Cycles::Accepting, false),
        Kind::NonProgress => {
            let [all, _] = ask(text, Cycles::NonProgress, false)?;
            let [_, fair] = ask(&format!("{text}{NO_PROGRESS}"), Cycles::Accepting, true)?;
            Ok([all, fair])
        }
    }
}

/// A formula; half of the time one that holds, if there is one soon.
fn formula(rng: &mut Rng, graph: &Graph<'_>, letters: &[Letter], atoms: usize) -> Option<Ltl> {
    let wanted = rng.below(3);
    let mut last = None;
    for _ in 0..15 {
        let formula = formulas::random(rng, Shape { atoms, next: false });
        let Some(truth) = truth(graph, letters, &formula, true) else { continue };
        let fits = match wanted {
            0 => !truth.violated,
            1 => truth.violated != truth.violated_fairly,
            _ => true,
        };
        last = Some(formula);
        if fits {
            break;
        }
    }
    last
}
