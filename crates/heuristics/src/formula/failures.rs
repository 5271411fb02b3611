//! The nearest step that can fail.
//!
//! A false assertion `a` on an edge that leaves `u` needs a process at `u` in a state in which the edge's guards hold and
//! `a` does not, and then the failing step: `(i@u ∧ ¬a)` and the weight of the edge. What is tested only after something
//! else happened in the same step (merged statements, the inside of a `d_step`, a received message) says nothing about the
//! state before the step, so for such assertions only the location counts.
//!
//! Evaluation errors are failures, too. An edge that may have one is a target by its location alone. As a guide these
//! targets are poor, for there are many; they are looked at where a lower bound is wanted, or where no assertion can fail.

use bughound_finite::cost::move_weights;
use bughound_finite::cost::{Cost, INFINITE, plus};
use bughound_ir::analysis::edges_of;
use bughound_ir::edge::{Action, Edge, Sync};
use bughound_ir::network::TemplateId;
use bughound_semantics::Probe;

use crate::cost::Combine;
use crate::distances::{ABSENT, Class};
use crate::facts::Facts;
use crate::formula::compile::{Compiler, NOW, Timeout, all};
use crate::formula::term::{Asker, Evaluator, Term};
use crate::nearest::{NearestFirst, Target};

/// A step that can fail.
struct Failing {
    template: TemplateId,
    weight: Cost,
    /// What must hold before the step.
    before: Term,
}

pub struct Failures {
    steps: Vec<Failing>,
    assertions: NearestFirst,
    errors: NearestFirst,
}

impl Failures {
    pub fn new(facts: &Facts<'_>, probe: &Probe<'_>) -> Failures {
        let mut list = List { facts, probe, weights: move_weights(facts.network), steps: Vec::new() };
        let mut assertions: Vec<Vec<Target>> = vec![Vec::new(); facts.distances.classes.len()];
        let mut errors = assertions.clone();
        let mut templates: Vec<TemplateId> =
            facts.distances.classes.iter().flat_map(|class| class.templates.iter().copied()).collect();
        templates.sort_unstable();
        templates.dedup();
        for template in templates {
            let classes: Vec<(usize, &Class)> =
                facts.distances.classes.iter().enumerate().filter(|(_, c)| c.templates.contains(&template)).collect();
            let fails_anywhere = facts.network.template(template).provided.as_ref();
            let fails_anywhere = fails_anywhere.is_some_and(|e| facts.undefined.expr(e, Some(template)))
                || facts.network.template(template).deterministic;
            for (id, edge) in edges_of(facts.network, template) {
                let weight = list.weights[id.0 as usize];
                let before = list.steps.len();
                list.assertions(template, edge, weight);
                let asserting = before..list.steps.len();
                if fails_anywhere || facts.undefined.edge(template, edge) {
                    list.steps.push(Failing { template, weight, before: NOW });
                }
                for (class, graph) in &classes {
                    let target = |number| Target { node: graph.node(edge.from), extra: weight, number: number as u32 };
                    assertions[*class].extend(asserting.clone().map(target));
                    errors[*class].extend((asserting.end..list.steps.len()).map(target));
                }
            }
        }
        Failures {
            steps: list.steps,
            assertions: NearestFirst::new(&facts.distances, assertions),
            errors: NearestFirst::new(&facts.distances, errors),
        }
    }

    /// The cost until a step has failed.
    pub fn cost(&mut self, evaluator: &Evaluator<'_>, key: &[i32]) -> Cost {
        let best = nearest(&self.steps, &mut self.assertions, evaluator, key, INFINITE);
        match evaluator.combine {
            Combine::Sum if best < INFINITE => best,
            _ => nearest(&self.steps, &mut self.errors, evaluator, key, best),
        }
    }

    pub fn memory(&self) -> u64 {
        self.assertions.memory() + self.errors.memory()
    }
}

/// The least cost over all processes, existing or not, and all their targets; `best` is known already.
fn nearest(
    steps: &[Failing],
    targets: &mut NearestFirst,
    evaluator: &Evaluator<'_>,
    key: &[i32],
    mut best: Cost,
) -> Cost {
    let distances = &evaluator.distances;
    let count = evaluator.probe.process_count(key);
    let existing = (0..count).map(|pid| (distances.class_of[pid], pid, evaluator.node(key, pid)));
    let later = distances.classes.iter().enumerate().filter(|(_, class)| class.last_pid >= count);
    for (class, pid, node) in existing.chain(later.map(|(class, graph)| (class, graph.last_pid, ABSENT))) {
        let template = evaluator.probe.template(key, pid);
        for (way, number) in targets.row(distances, class, node) {
            if *way >= best {
                break;
            }
            let step = &steps[*number as usize];
            let asker = if template == Some(step.template) { Asker::Process(pid) } else { Asker::Missing(pid) };
            let before = evaluator.cost(&step.before, key, asker);
            let cost = match evaluator.combine {
                Combine::Sum => plus(*way, before),
                Combine::Max => plus(before, step.weight).max(*way),
            };
            best = best.min(cost);
        }
    }
    best
}

struct List<'f, 'a> {
    facts: &'f Facts<'a>,
    probe: &'f Probe<'a>,
    weights: Vec<Cost>,
    steps: Vec<Failing>,
}

impl List<'_, '_> {
    /// Adds the assertions of an edge.
    fn assertions(&mut self, template: TemplateId, edge: &Edge, weight: Cost) {
        let known = self.facts.environment(template);
        let compiler = Compiler { facts: self.facts, probe: self.probe, known, timeout: Timeout::Unknown };
        // Guards of an edge that can be taken as the second of a rendezvous are tested after the first has acted.
        let alone = match &edge.sync {
            Sync::None | Sync::Send { .. } => edge.program.is_none(),
            Sync::Receive { channel, .. } => {
                edge.program.is_none() && !self.facts.undefined.may_be_rendezvous(channel, template)
            }
            Sync::Emit { .. } | Sync::Accept { .. } | Sync::Join { .. } => false,
        };
        let guards = || -> Vec<Term> {
            let guards = edge.guards.iter().filter(|_| alone);
            guards.map(|guard| compiler.formula(guard, true)).collect()
        };
        let mut found = Vec::new();
        for destination in &edge.destinations {
            let untouched = alone && edge.sync == Sync::None;
            tested(&destination.actions, untouched, &compiler, &mut |mut terms| {
                terms.extend(guards());
                found.push(all(terms));
            });
        }
        let nodes = edge.program.map(|id| &self.facts.network.program(id).nodes).into_iter().flatten();
        for (at, alternative) in nodes.enumerate().flat_map(|(at, n)| n.alternatives.iter().map(move |a| (at, a))) {
            let untouched = at == 0 && alternative.sync == Sync::None;
            tested(&alternative.actions, untouched, &compiler, &mut |mut terms| {
                if untouched {
                    terms.extend(alternative.guards.iter().map(|guard| compiler.formula(guard, true)));
                }
                found.push(all(terms));
            });
        }
        self.steps.extend(found.into_iter().map(|before| Failing { template, weight, before }));
    }
}

/// Calls `found` for every assertion among actions, with what its failure says about the state before the step.
fn tested(actions: &[Action], mut untouched: bool, compiler: &Compiler<'_, '_>, found: &mut dyn FnMut(Vec<Term>)) {
    for action in actions {
        match action {
            Action::Assert { condition, .. } if untouched => found(vec![compiler.formula(condition, false)]),
            Action::Assert { .. } => found(Vec::new()),
            Action::Print { .. } => {}
            _ => untouched = false,
        }
    }
}
