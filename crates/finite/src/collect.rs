//! The steps and the errors of a network, for those who build something from them.

use bughound_ir::analysis::undefined::Undefined;
use bughound_ir::analysis::{Instance, edges_of};
use bughound_ir::edge::{Action, Condition as EdgeCondition};
use bughound_ir::expr::Expr;
use bughound_ir::network::{LocationId, TemplateId};
use bughound_kernel::Watch;

use crate::cost::move_weights;
use crate::memory::Memory;
pub use crate::steps::Together;
use crate::steps::{Steps, claim_step};
use crate::stuck::{can_tell, deadlocks};
use crate::term::{Condition, Term, Variable};
use crate::trial::{Part, Trial};
use crate::view::{Model, View};

/// Microseconds, more or less.
const WORK_OF_A_STEP: u64 = 20;

/// Is told everything.
pub trait Collector {
    /// A step of the network.
    fn step(&mut self, trial: &Trial);

    /// The conditions are an error, or a step of this weight, made by these, fails where they hold.
    fn error(&mut self, conditions: &[Condition], parts: &[Part], weight: u64);

    /// A variable goes from one value to another, for nothing and by nobody's step; to none: an error. Such are the moves of
    /// the claim.
    fn free(&mut self, variable: Variable, from: i32, conditions: &[Condition], to: Option<i32>);

    /// Bytes that are held so far.
    fn memory(&self) -> u64;
}

/// Hands over all steps and errors. True if some error can be anywhere, or if there is no time to look at all steps.
pub fn collect(model: &Model<'_>, together: Together, watch: &dyn Watch, collector: &mut dyn Collector) -> bool {
    let targets = model.targets;
    let undefined = Undefined::new(model.network, &model.constants);
    if targets.deadlock && !can_tell(model.network) || errors(model, &undefined, collector) {
        return true;
    }
    if targets.deadlock {
        deadlocks(model, &undefined, collector);
    }
    let mut in_time = true;
    let steps = Steps::new(model, together);
    steps.each(&mut |trial| {
        in_time = in_time && watch.go_on(WORK_OF_A_STEP, collector.memory());
        if !in_time {
            return steps.stop();
        }
        if targets.failures {
            trial.failures.iter().for_each(|failure| collector.error(failure, &trial.parts, trial.weight));
        }
        collector.step(&trial);
    });
    !in_time
}

/// The errors; true if some error can be anywhere.
fn errors(model: &Model<'_>, undefined: &Undefined<'_>, collector: &mut dyn Collector) -> bool {
    let targets = model.targets;
    let outside = View::outside(model);
    for error in &targets.conditions {
        let term = outside.term(&Memory::default(), &error.condition);
        // A condition without a value counts as false.
        let holds = Term::Holds(Box::new(term));
        let condition = Condition::of(&holds, error.wanted);
        if condition == Condition::Always {
            return true;
        }
        collector.error(&[condition], &[], 0);
    }
    if let (Some(claim), Some(variable)) = (targets.claim, model.domains.claim) {
        claim_rules(model, undefined, claim, variable, collector);
    }
    if targets.failures {
        evaluation_errors(model, undefined, collector);
        return model.network.monitor.is_some();
    }
    false
}

/// The claim moves with the steps of the system, or alone where that is at rest: its moves cost nothing by themselves.
fn claim_rules(
    model: &Model<'_>,
    undefined: &Undefined<'_>,
    claim: TemplateId,
    variable: Variable,
    collector: &mut dyn Collector,
) {
    let network = model.network;
    let view = View::outside(model);
    let edges = |location: &LocationId| network.location(*location).edges.iter().map(|id| network.edge(*id));
    let is_end = |location: &LocationId| edges(location).any(|edge| edge.condition == EdgeCondition::Youngest);
    let locations = &network.template(claim).locations;
    // An assertion that fails takes the claim to its end, and so does a condition without a value (which may be anywhere).
    // Without an end the claim is then somewhere that no fact stands for.
    let end = locations.iter().find(|location| is_end(location)).map(|end| end.0 as i32);
    for location in locations {
        if model.targets.accepting.contains(location) || is_end(location) {
            collector.free(variable, location.0 as i32, &[], None);
        }
        for edge in edges(location).filter(|edge| edge.condition != EdgeCondition::Youngest) {
            let trial = claim_step(&view, edge);
            collector.free(variable, location.0 as i32, &trial.conditions, Some(edge.target().to.0 as i32));
            if edge.target().actions.iter().any(|action| matches!(action, Action::Assert { .. })) {
                collector.free(variable, location.0 as i32, &trial.conditions, end);
            }
            // A claim is no process: it looks from outside.
            let fails = |e: &Expr| undefined.expr(e, None);
            if undefined.edge(claim, edge) || edge.guards.iter().any(fails) {
                collector.free(variable, location.0 as i32, &[], end);
            }
        }
    }
}

/// An edge that may have no value somewhere can fail whenever its process is there.
fn evaluation_errors(model: &Model<'_>, undefined: &Undefined<'_>, collector: &mut dyn Collector) {
    let weights = move_weights(model.network);
    for (pid, frame) in model.network.frames.processes.iter().enumerate() {
        for template in &frame.templates {
            let declared = model.network.template(*template);
            let anywhere = declared.deterministic
                || declared.provided.as_ref().is_some_and(|e| undefined.expr(e, Some(*template)));
            let view = View::of(model, Instance { pid: pid as u32, template: *template });
            for (id, edge) in edges_of(model.network, *template) {
                if anywhere || undefined.edge(*template, edge) {
                    let at = Memory::default().read(&model.domains, view.location_slot());
                    let here = Term::equals(at, Term::Const(edge.from.0 as i32));
                    collector.error(
                        &[Condition::of(&here, true)],
                        &[(pid as u16, id.0)],
                        weights[id.0 as usize].into(),
                    );
                }
            }
        }
    }
}
