//! What can be said about a network without running it.
//!
//! - `creation`: which process numbers a `run` can give.
//! - `constants`: what is constant in each process, and constant folding.
//! - `channel_flow`: which channels a channel variable can hold.
//! - `access`: which slots each edge reads and writes.
//! - `step_access`: which slots whole steps read and write, atomic sequences and partners included.
//! - `groups`: what can happen, one edge of one process at a time, and which of it commutes.
//! - `interference`: which edges have to do with each other, and how closely.
//! - `unreachable`: locations that no path leads to.
//! - `untaken`: statements that no path leads to.
//! - `usage`: who reads and writes each variable and uses each channel.
//! - `dead_variables`: where the values of variables make no difference, and the network without them.
//! - `endless_chains`: whether a run can stay inside `atomic` for ever.
//! - `ranges`: intervals of the values of variables and expressions.
//! - `undefined`: which edges can fail with an evaluation error.
//! - `blocked`: what it takes for a process to be unable to move.
//!
//! All results are about instances: a process number together with a template that can occupy it. They
//! over-approximate what can happen.

pub mod access;
pub mod blocked;
pub mod channel_flow;
pub mod constants;
pub mod creation;
pub mod dead_variables;
pub mod endless_chains;
mod footprint;
pub mod groups;
pub mod interference;
pub mod ranges;
pub mod step_access;
pub mod undefined;
pub mod unreachable;
pub mod untaken;
pub mod usage;

use crate::edge::{Action, Edge, EdgeId};
use crate::expr::Place;
use crate::network::{Network, TemplateId};

/// A template at a process number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Instance {
    pub pid: u32,
    pub template: TemplateId,
}

/// All instances, by process number.
pub fn instances(network: &Network) -> Vec<Instance> {
    let at = |(pid, frame): (usize, &crate::frames::ProcessFrame)| {
        let pid = pid as u32;
        frame.templates.iter().map(move |template| Instance { pid, template: *template }).collect::<Vec<_>>()
    };
    network.frames.processes.iter().enumerate().flat_map(at).collect()
}

/// The edges of a template.
pub fn edges_of(network: &Network, template: TemplateId) -> impl Iterator<Item = (EdgeId, &Edge)> + '_ {
    let locations = &network.template(template).locations;
    locations.iter().flat_map(|l| &network.location(*l).edges).map(|id| (*id, network.edge(*id)))
}

/// Every action of an edge, its program included.
pub fn actions_of<'a>(network: &'a Network, edge: &'a Edge) -> impl Iterator<Item = &'a Action> + 'a {
    let program = edge.program.into_iter().flat_map(|id| &network.program(id).nodes);
    let inside = program.flat_map(|node| &node.alternatives).flat_map(|alternative| &alternative.actions);
    inside.chain(edge.destinations.iter().flat_map(|destination| &destination.actions))
}

/// Are there channels without room, where who sends waits for who receives?
pub fn has_rendezvous(network: &Network) -> bool {
    let mut channels = network.channels.iter().chain(network.templates.iter().flat_map(|t| &t.channels));
    channels.any(|channel| channel.capacity == 0)
}

/// All slots, relative to its scope, that a place can denote.
pub fn slots_of(place: &Place) -> Vec<u32> {
    let mut slots = vec![place.slot];
    for index in &place.indices {
        let fixed = index.value.as_const().and_then(|v| u32::try_from(v).ok()).filter(|v| *v < index.len);
        let values = match fixed {
            Some(value) => value..value + 1,
            None => 0..index.len,
        };
        slots = slots.iter().flat_map(|slot| values.clone().map(move |i| slot + i * index.stride)).collect();
    }
    slots
}
