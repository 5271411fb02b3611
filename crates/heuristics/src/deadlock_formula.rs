//! **Deadlock formula.** A deadlock needs every process blocked somewhere: the sum (or maximum) over the processes of the
//! least cost of getting to a dangerous location and having all edges there blocked.
//!
//! `h(s) = Σ_i min_u ( D_i(pc_i, u) + H(all edges of u blocked) )`, with local distances D and the formula heuristic H.
//! Dangerous are the locations that the user labelled `danger…`, in templates that have such labels; in others (or with
//! `danger=inferred`, in all) those where every edge can be blocked, and having ended.
//!
//! Paper: Edelkamp, Lluch Lafuente, Leue, "Directed explicit model checking with HSF-SPIN", SPIN 2001 (their H_f + U).
//!
//! Claims: safe. With `combine=max` and inferred locations consistent: a process moves at most once in a step, each part is a
//! lower bound on its own, and a state in which somebody can move is at least one step away (without clocks). If other
//! errors count besides deadlocks: none.
//!
//! Cost: for each process the nearest few of its dangerous locations.
//!
//! Fails where the dangerous locations are wrong, and where processes wait for each other in ways that local distances do
//! not see, such as hand-shakes: to be without partner is free.
//!
//! Example: a ring of philosophers with the label after the first fork: the number of philosophers that do not hold
//! their first fork yet and of those whose second fork is still there.

use bughound_finite::cost::{Cost, INFINITE};
use bughound_ir::analysis::blocked::{Blocked, Logic};
use bughound_ir::expr::Expr;
use bughound_ir::network::TemplateId;
use bughound_ir::targets::Targets;
use bughound_kernel::registry::{Param, ParamKind};
use bughound_kernel::{Estimate, Heuristic, HeuristicClaims, Situation};
use bughound_semantics::Probe;

use crate::context::BuildCx;
use crate::cost::{Combine, to_estimate};
use crate::distances::ABSENT;
use crate::facts::Facts;
use crate::formula::compile::{Compiler, NEVER, NOW, Timeout, all, any};
use crate::formula::term::{Asker, Evaluator, Term};
use crate::nearest::{NearestFirst, Target};
use crate::registry::Entry;

pub(super) const ENTRY: Entry = Entry {
    name: "deadlock-formula",
    summary: "what every process needs to be blocked; for deadlocks",
    cite: "Edelkamp, Lluch Lafuente, Leue 2001",
    params: &[
        Combine::PARAM,
        Param {
            name: "danger",
            summary: "which locations count: those labelled `danger…` (where there are any), or all that can block",
            kind: ParamKind::Choice { options: &["labels", "inferred"] },
        },
    ],
    claims: "safe; consistent with combine=max if no danger labels are used and only deadlocks count",
    build: |cx, args| {
        let danger = if args.choice("danger") == Some("inferred") { Danger::Inferred } else { Danger::Labels };
        Ok(Box::new(DeadlockFormula::new(cx, Combine::of(args), danger)))
    },
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Danger {
    Labels,
    Inferred,
}

pub struct DeadlockFormula<'a> {
    evaluator: Evaluator<'a>,
    blocking: Blocking,
    claims: HeuristicClaims,
}

impl<'a> DeadlockFormula<'a> {
    pub fn new(cx: &BuildCx<'a, '_>, combine: Combine, danger: Danger) -> Self {
        let facts = Facts::new(cx.system);
        let evaluator = facts.evaluator(combine);
        let blocking = Blocking::new(&facts, &evaluator.probe, danger);
        let only_deadlocks = *cx.targets == Targets::deadlock();
        let claims = match combine {
            _ if !only_deadlocks => HeuristicClaims::NONE,
            Combine::Max if blocking.labelled.is_none() => HeuristicClaims::CONSISTENT,
            _ => HeuristicClaims::SAFE,
        };
        DeadlockFormula { evaluator, blocking, claims }
    }
}

impl Heuristic for DeadlockFormula<'_> {
    fn claims(&self) -> HeuristicClaims {
        self.claims
    }

    fn estimate(&mut self, at: Situation<'_>) -> Estimate {
        to_estimate(self.blocking.cost(&mut self.evaluator, at.state.key))
    }

    fn memory(&self) -> u64 {
        self.blocking.memory() + self.evaluator.distances.memory()
    }
}

impl Logic for Compiler<'_, '_> {
    type Term = Term;

    fn constant(&self, holds: bool) -> Term {
        if holds { NOW } else { NEVER }
    }

    fn formula(&self, expr: &Expr, wanted: bool) -> Term {
        Compiler::formula(self, expr, wanted)
    }

    fn not_youngest(&self) -> Term {
        Term::NotYoungest
    }

    fn all(&self, parts: Vec<Term>) -> Term {
        all(parts)
    }

    fn any(&self, parts: Vec<Term>) -> Term {
        any(parts)
    }
}

/// Whose location it is, and what it takes to be blocked there.
type Place = (Option<TemplateId>, Term);

/// The cost until nothing can move.
pub struct Blocking {
    /// By number of a target.
    places: Vec<Place>,
    inferred: NearestFirst,
    /// If there are labels and they are to be used.
    labelled: Option<NearestFirst>,
    /// Who can move as far as estimates know may be kept from it by time: such a state can be a deadlock itself.
    timed: bool,
}

impl Blocking {
    pub fn new(facts: &Facts<'_>, probe: &Probe<'_>, danger: Danger) -> Blocking {
        let network = facts.network;
        let mut places = vec![(None, NOW)]; // to be gone
        let (mut inferred, mut labelled) = (Vec::new(), Vec::new());
        let mut any_label = false;
        for class in &facts.distances.classes {
            let gone = Target { node: ABSENT, extra: 0, number: 0 };
            let (mut all, mut marked) = (vec![gone], Vec::new());
            for template in &class.templates {
                let locations = &network.template(*template).locations;
                let known = facts.environment(*template);
                let logic = Compiler { facts, probe, known, timeout: Timeout::True };
                let blocked = Blocked { network, undefined: &facts.undefined, template: *template, logic };
                let has_labels = locations.iter().any(|location| network.location(*location).flags.danger);
                any_label |= has_labels;
                for location in locations {
                    let target = Target { node: class.node(*location), extra: 0, number: places.len() as u32 };
                    let term = blocked.at(*location);
                    let possible = !matches!(term, Term::Known(INFINITE));
                    if possible {
                        all.push(target);
                        places.push((Some(*template), term));
                    }
                    if possible && (network.location(*location).flags.danger || !has_labels) {
                        marked.push(target);
                    }
                }
            }
            inferred.push(all);
            labelled.push(marked);
        }
        let used = any_label && danger == Danger::Labels;
        Blocking {
            places,
            inferred: NearestFirst::new(&facts.distances, inferred),
            labelled: used.then(|| NearestFirst::new(&facts.distances, labelled)),
            timed: !network.clocks.is_empty(),
        }
    }

    pub fn cost(&mut self, evaluator: &mut Evaluator<'_>, key: &[i32]) -> Cost {
        let mut total = 0;
        for pid in 0..evaluator.probe.process_count(key) {
            let labelled = self
                .labelled
                .as_mut()
                .map_or(INFINITE, |labelled| nearest(&self.places, labelled, evaluator, key, pid));
            let own = match labelled {
                // No label can be reached: what can block counts, so that infinity stays a proof.
                INFINITE => nearest(&self.places, &mut self.inferred, evaluator, key, pid),
                cost => cost,
            };
            total = evaluator.combine.join(total, own);
            if total == INFINITE {
                return INFINITE;
            }
        }
        let low = evaluator.combine == Combine::Max && total < evaluator.unit && !self.timed;
        if low && evaluator.probe.active(key).contains(&true) { evaluator.unit } else { total }
    }

    pub fn memory(&self) -> u64 {
        self.inferred.memory() + self.labelled.as_ref().map_or(0, NearestFirst::memory)
    }
}

/// The least cost until a process is blocked.
fn nearest(places: &[Place], targets: &mut NearestFirst, evaluator: &Evaluator<'_>, key: &[i32], pid: usize) -> Cost {
    let class = evaluator.distances.class_of[pid];
    let template = evaluator.probe.template(key, pid);
    let mut best = INFINITE;
    for (way, number) in targets.row(&evaluator.distances, class, evaluator.node(key, pid)) {
        if *way >= best {
            break;
        }
        let (owner, term) = &places[*number as usize];
        let asker = if *owner == template { Asker::Process(pid) } else { Asker::Missing(pid) };
        let cost = evaluator.cost(term, key, asker);
        best = best.min(evaluator.combine.join(*way, cost));
    }
    best
}

/// A lower bound on the cost until the system has no successor state, if that can be told.
pub struct Rest {
    /// `None`: steps may fail, and where all of them do the system is at rest.
    blocking: Option<Blocking>,
}

impl Rest {
    pub fn new(facts: &Facts<'_>, probe: &Probe<'_>) -> Rest {
        let may_fail = facts.changes.edges().any(|(template, edge)| facts.undefined.edge(template, edge));
        let provided = facts.network.templates.iter().any(|template| template.provided.is_some());
        Rest { blocking: (!may_fail && !provided).then(|| Blocking::new(facts, probe, Danger::Inferred)) }
    }

    pub fn cost(&mut self, evaluator: &mut Evaluator<'_>, key: &[i32]) -> Cost {
        self.blocking.as_mut().map_or(0, |blocking| blocking.cost(evaluator, key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{along, heuristic, system};

    /// Two processes take two locks in opposite order.
    const LOCKS: &str = "chan a = [1] of { bit }; chan b = [1] of { bit };
        active proctype P() { a!1; danger1: b!1; a?_; b?_ }
        active proctype Q() { b!1; danger2: a!1; b?_; a?_ }";

    #[test]
    fn labels_lead_to_the_deadlock() {
        let system = system(LOCKS);
        // P, then Q; the last process comes first in the list of steps.
        let path = [1, 0];
        let targets = Targets::deadlock();
        assert_eq!(along(&system, &targets, "deadlock-formula", &path), [Some(4), Some(2), Some(0)]);
        // Without labels the first lock is as good a place to be blocked as the second.
        let inferred = along(&system, &targets, "deadlock-formula(danger=inferred)", &path);
        assert_eq!(inferred, [Some(2), Some(2), Some(0)]);
        let lower = along(&system, &targets, "deadlock-formula(combine=max, danger=inferred)", &path);
        assert_eq!(lower, [Some(1), Some(1), Some(0)]);
    }

    #[test]
    fn claims_depend_on_labels_and_errors() {
        let system = system(LOCKS);
        let claims = |targets: &Targets, text| heuristic(&system, targets, text).claims();
        let (deadlock, failures) = (Targets::deadlock(), Targets::failures());
        assert_eq!(claims(&deadlock, "deadlock-formula(combine=max)"), HeuristicClaims::SAFE);
        assert_eq!(claims(&deadlock, "deadlock-formula(max, inferred)"), HeuristicClaims::CONSISTENT);
        assert_eq!(claims(&failures, "deadlock-formula(max, inferred)"), HeuristicClaims::NONE);
    }

    #[test]
    fn who_can_always_move_never_blocks() {
        let system = system(&format!("{LOCKS} active proctype R() {{ byte x; do :: x = 1 - x od }}"));
        assert_eq!(along(&system, &Targets::deadlock(), "deadlock-formula", &[]), [None]);
    }
}
