//! Errors of protocols: messages that nobody expects, and channels that are too small.
//!
//! *Unspecified reception*: a process is where it can only receive, all from buffered channels; a message waits in one of
//! these channels, and none of the receives is executable. *Channel overflow*: a process is where it can send to a
//! buffered channel, as far as guards are concerned, and that channel is full.
//!
//! Only what the process itself says counts: `provided` clauses and priorities decide when it moves, not what it expects.
//! A receive that fails when it is tried (a pattern without value) is executable, as everywhere. Rendezvous channels hold
//! no messages and are never full; a process that can also receive from one still has another way to go on.

use crate::edge::{Condition, Edge, EdgeId, Sync};
use crate::expr::Expr;
use crate::reference::Reference;
use crate::reference::evaluate::View;
use crate::reference::plan::{Role, guards_hold, plan};
use crate::reference::state::RefState;

impl Reference<'_> {
    /// The processes in a state for which messages wait that they do not expect.
    pub fn unspecified_receptions(&self, state: &RefState) -> Vec<usize> {
        let view = View::new(self.network, state, None, false);
        (0..state.processes.len()).filter(|pid| expects_nothing_of(&view, *pid)).collect()
    }

    /// The processes in a state that want to send to a full channel, with the edges of these sends.
    pub fn channel_overflows(&self, state: &RefState) -> Vec<(usize, EdgeId)> {
        overflows(&View::new(self.network, state, None, false))
    }
}

pub(crate) fn unspecified_reception(view: &View<'_>) -> bool {
    (0..view.state.processes.len()).any(|pid| expects_nothing_of(view, pid))
}

pub(crate) fn channel_overflow(view: &View<'_>) -> bool {
    !overflows(view).is_empty()
}

/// Does a message wait for this process that it cannot take, and nothing that it can?
fn expects_nothing_of(view: &View<'_>, pid: usize) -> bool {
    let view = view.of(pid);
    let mut waiting = false;
    for id in &view.network.location(view.state.processes[pid].location).edges {
        let edge = view.network.edge(*id);
        let Some(channels) = received_from(&view, edge) else { return false };
        for channel in channels {
            let found = view.eval(channel).and_then(|number| view.state.find_channel(view.network, number));
            match found {
                Ok((_, declaration)) if declaration.capacity == 0 => return false,
                Ok((home, _)) => waiting |= !view.state.queue(home).is_empty(),
                Err(_) => return false,
            }
        }
        if !matches!(plan(&view, edge, Role::Starts, false), Ok(None)) {
            return false;
        }
    }
    waiting
}

/// The channels of an edge with which a process can only receive; `None` for any other edge.
fn received_from<'a>(view: &View<'a>, edge: &'a Edge) -> Option<Vec<&'a Expr>> {
    if edge.condition != Condition::None {
        return None;
    }
    match (&edge.sync, edge.program) {
        (Sync::Receive { channel, .. }, None) => Some(vec![channel]),
        (Sync::None, Some(program)) => {
            let entry = view.network.program(program).nodes.first()?;
            let channels = entry.alternatives.iter().map(|alternative| match &alternative.sync {
                Sync::Receive { channel, .. } if alternative.condition == Condition::None => Some(channel),
                _ => None,
            });
            channels.collect()
        }
        _ => None,
    }
}

fn overflows(view: &View<'_>) -> Vec<(usize, EdgeId)> {
    let mut found = Vec::new();
    for (pid, process) in view.state.processes.iter().enumerate() {
        let view = view.of(pid);
        for id in &view.network.location(process.location).edges {
            if sends_to_full(&view, view.network.edge(*id)) {
                found.push((pid, *id));
            }
        }
    }
    found
}

fn sends_to_full(view: &View<'_>, edge: &Edge) -> bool {
    if edge.condition != Condition::None || guards_hold(view, &edge.guards) != Ok(true) {
        return false;
    }
    let entry = edge.program.and_then(|program| view.network.program(program).nodes.first());
    let alternatives = entry.into_iter().flat_map(|node| &node.alternatives);
    is_full(view, &edge.sync)
        || alternatives
            .filter(|a| a.condition == Condition::None && guards_hold(view, &a.guards) == Ok(true))
            .any(|a| is_full(view, &a.sync))
}

/// Is it a send to a buffered channel without room?
fn is_full(view: &View<'_>, sync: &Sync) -> bool {
    let Sync::Send { channel, .. } = sync else { return false };
    match view.eval(channel).and_then(|number| view.state.find_channel(view.network, number)) {
        Ok((home, declaration)) => {
            declaration.capacity > 0 && view.state.queue(home).len() >= declaration.capacity as usize
        }
        Err(_) => false,
    }
}
