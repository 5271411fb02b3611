//! Replay of one micro step: it is performed if it is possible, and if not the reason is given.

use std::fmt;

use bughound_kernel::Move;

use crate::edge::EdgeId;
use crate::reference::evaluate::View;
use crate::reference::plan::{Role, plan};
use crate::reference::state::RefState;
use crate::reference::{MicroStep, Reference};

/// Why a micro step cannot be taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplayError {
    /// No moves, or the first joins, or another does not.
    NotAMicroStep,
    NoSuchProcess {
        process: u16,
    },
    NoSuchEdge {
        edge: u32,
    },
    NoSuchDestination {
        edge: u32,
        destination: u16,
    },
    /// The process is not where the edge starts.
    WrongLocation {
        process: u16,
        edge: u32,
    },
    /// Another process has control.
    NotInControl {
        process: u16,
        control: usize,
    },
    /// A guard, the condition or the communication of the edge says no.
    NotExecutable {
        process: u16,
        edge: u32,
        text: String,
    },
    /// Each edge is executable by itself, but not this micro step: a partner does not match, an `unless`, a `provided`
    /// clause, a priority, a committed location or a condition of a location is in the way.
    NotTogether,
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReplayError::NotAMicroStep => write!(f, "the moves are not one micro step"),
            ReplayError::NoSuchProcess { process } => write!(f, "process {process} does not exist"),
            ReplayError::NoSuchEdge { edge } => write!(f, "there is no edge {edge}"),
            ReplayError::NoSuchDestination { edge, destination } => {
                write!(f, "edge {edge} has no destination {destination}")
            }
            ReplayError::WrongLocation { process, edge } => {
                write!(f, "process {process} is not at the start of edge {edge}")
            }
            ReplayError::NotInControl { process, control } => {
                write!(f, "process {process} cannot move: process {control} has control")
            }
            ReplayError::NotExecutable { process, edge, text } => {
                write!(f, "edge {edge} of process {process} is not executable: {text}")
            }
            ReplayError::NotTogether => write!(f, "these moves are not possible together here"),
        }
    }
}

impl std::error::Error for ReplayError {}

impl Reference<'_> {
    /// Performs exactly this micro step.
    pub fn apply(&self, state: &RefState, moves: &[Move]) -> Result<MicroStep, ReplayError> {
        let looking = Reference { wanted: Some(moves), ..*self };
        let found = looking.micro_steps(state).into_iter().find(|step| step.moves == moves);
        found.ok_or_else(|| self.why_not(state, moves))
    }

    fn why_not(&self, state: &RefState, moves: &[Move]) -> ReplayError {
        if moves.is_empty() || moves.iter().enumerate().any(|(i, m)| m.joins != (i > 0)) {
            return ReplayError::NotAMicroStep;
        }
        for &Move { process, edge, destination, .. } in moves {
            let Some(there) = state.processes.get(process as usize) else {
                return ReplayError::NoSuchProcess { process };
            };
            let Some(declaration) = self.network.edges.get(edge as usize) else {
                return ReplayError::NoSuchEdge { edge };
            };
            if destination as usize >= declaration.destinations.len() {
                return ReplayError::NoSuchDestination { edge, destination };
            }
            if declaration.from != there.location {
                return ReplayError::WrongLocation { process, edge };
            }
        }
        let first = moves[0];
        if let Some(control) = state.control
            && control != first.process as usize
            && !self.steps_in_control(state).is_empty()
        {
            return ReplayError::NotInControl { process: first.process, control };
        }
        let view = View::new(self.network, state, Some(first.process as usize), false);
        let edge = self.network.edge(EdgeId(first.edge));
        match plan(&view, edge, Role::Starts, false) {
            Ok(None) => {
                ReplayError::NotExecutable { process: first.process, edge: first.edge, text: edge.text.clone() }
            }
            _ => ReplayError::NotTogether,
        }
    }
}
