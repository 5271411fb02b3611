//! Deadlocks as errors of a task: one process after the other is found to be blocked.
//!
//! A variable counts the processes that are known to be blocked where they are; its moves cost nothing, and once the first
//! has been made, nothing else moves. When all have been found blocked, at least one of them where it may not rest, there
//! is a deadlock. So the conditions of the processes need not be multiplied out.

use bughound_ir::analysis::Instance;
use bughound_ir::analysis::blocked::{Blocked, Logic, may_be_kept_from_moving};
use bughound_ir::analysis::undefined::Undefined;
use bughound_ir::expr::Expr;
use bughound_ir::frames::{LOCATION, PROCESS_COUNT};
use bughound_ir::network::Network;

use crate::collect::Collector;
use crate::domains::absent;
use crate::memory::Memory;
use crate::term::{Condition, Term};
use crate::view::{Model, View};

/// Can deadlocks be told from other states at all?
pub fn can_tell(network: &Network) -> bool {
    network.clocks.is_empty() && !may_be_kept_from_moving(network)
}

/// The values of the counter: so many processes are blocked, and one of them where it may not rest, or none.
fn value(processes: usize, wrong: bool) -> i32 {
    2 * processes as i32 + i32::from(wrong)
}

/// The largest value of the counter.
pub fn all_blocked(network: &Network) -> i32 {
    value(network.frames.processes.len(), true)
}

/// Hands over the moves of the counter, and the error.
pub fn deadlocks(model: &Model<'_>, undefined: &Undefined<'_>, collector: &mut dyn Collector) {
    let Some(counter) = model.domains.stuck else { return };
    let network = model.network;
    for (pid, frame) in network.frames.processes.iter().enumerate() {
        let mut found = |at: i32, conditions: Vec<Condition>, may_rest: bool| {
            let location = (frame.base + LOCATION) as usize;
            let here = Term::equals(Memory::default().read(&model.domains, location), Term::Const(at));
            let mut all = vec![Condition::of(&here, true)];
            all.extend(conditions);
            // A monitor may have something to wait for even if nobody else has.
            let may_rest = may_rest && network.monitor.is_none();
            for wrong in [false, true] {
                let to = value(pid + 1, wrong || !may_rest);
                collector.free(counter, value(pid, wrong), &all, Some(to));
            }
        };
        found(absent(network, &frame.templates), Vec::new(), true);
        for template in &frame.templates {
            let view = View::of(model, Instance { pid: pid as u32, template: *template }).at_rest();
            let blocked = Blocked { network, undefined, template: *template, logic: Conditions { view } };
            for location in &network.template(*template).locations {
                match blocked.at(*location) {
                    Condition::Never => {}
                    condition => {
                        found(location.0 as i32, vec![condition], network.location(*location).flags.end);
                    }
                }
            }
        }
    }
    collector.free(counter, all_blocked(network), &[], None);
}

/// Conditions on finite-domain variables.
struct Conditions<'m, 'n> {
    view: View<'m, 'n>,
}

impl Logic for Conditions<'_, '_> {
    type Term = Condition;

    fn constant(&self, holds: bool) -> Condition {
        if holds { Condition::Always } else { Condition::Never }
    }

    fn formula(&self, expr: &Expr, wanted: bool) -> Condition {
        Condition::of(&self.view.term(&Memory::default(), expr), wanted)
    }

    fn not_youngest(&self) -> Condition {
        let Some(own) = self.view.instance else { return Condition::Always };
        let count = Memory::default().read(&self.view.model.domains, PROCESS_COUNT);
        Condition::of(&Term::equals(count, Term::Const(own.pid as i32 + 1)), false)
    }

    fn all(&self, mut parts: Vec<Condition>) -> Condition {
        parts.retain(|part| *part != Condition::Always);
        match parts.contains(&Condition::Never) {
            true => Condition::Never,
            false if parts.is_empty() => Condition::Always,
            false => Condition::All(parts),
        }
    }

    fn any(&self, mut parts: Vec<Condition>) -> Condition {
        parts.retain(|part| *part != Condition::Never);
        match parts.contains(&Condition::Always) {
            true => Condition::Always,
            false if parts.is_empty() => Condition::Never,
            false => Condition::Any(parts),
        }
    }
}
