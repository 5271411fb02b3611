//! Which processes may move: `provided` clauses, `enabled()` and scheduling priorities.
//!
//! Priorities as in SPIN 6.5: a process may move unless another one with a strictly higher priority, whose `provided`
//! clause holds, has an executable edge. As in SPIN's verifier, a rendezvous send counts as executable here whether or
//! not somebody can receive; while a rendezvous is under way, only receiving it counts. Priorities bind inside atomic
//! chains too.

use crate::reference::error::EvalError;
use crate::reference::evaluate::View;
use crate::reference::plan::{Role, plan};

/// Does the `provided` clause of this process hold?
pub(crate) fn provided(view: &View<'_>, pid: usize) -> Result<bool, EvalError> {
    match &view.network.template(view.state.processes[pid].template).provided {
        Some(condition) => view.of(pid).truth(condition),
        None => Ok(true),
    }
}

/// The value of `enabled(pid)`; false for a process that does not exist.
pub(crate) fn enabled(view: &View<'_>, pid: i32) -> Result<bool, EvalError> {
    if view.state.process(pid).is_none() {
        return Ok(false);
    }
    let pid = pid as usize;
    if view.own == Some(pid) || view.asking.contains(&pid) {
        return Err(EvalError::EnabledCycle);
    }
    let mut view = view.clone();
    view.asking.extend(view.own);
    has_executable_edge(&view, pid, Role::Starts) // as in SPIN, a `provided` clause is not looked at
}

/// May this process move as far as priorities are concerned?
pub(crate) fn has_highest_priority(view: &View<'_>, pid: usize, role: Role<'_>) -> bool {
    if !view.network.uses.priorities {
        return true;
    }
    let own = view.state.processes[pid].priority;
    !view.state.processes.iter().enumerate().any(|(other, process)| {
        other != pid
            && process.priority > own
            && provided(view, other).unwrap_or(true)
            && has_executable_edge(view, other, role).unwrap_or(true)
    })
}

/// Has the process an edge that is executable if partners are not asked for? An attempt that fails is a step, too.
fn has_executable_edge(view: &View<'_>, pid: usize, role: Role<'_>) -> Result<bool, EvalError> {
    let view = view.of(pid);
    for edge in &view.network.location(view.state.processes[pid].location).edges {
        match plan(&view, view.network.edge(*edge), role, false) {
            Ok(None) => {}
            Err(EvalError::EnabledCycle) => return Err(EvalError::EnabledCycle),
            Ok(Some(_)) | Err(_) => return Ok(true),
        }
    }
    Ok(false)
}
