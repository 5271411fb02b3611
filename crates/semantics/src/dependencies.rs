//! What the steps of a network have to do with the slots of its keys, as sets of states need to know it.

use bughound_ir::analysis::Instance;
use bughound_ir::analysis::access::PropertyReader;
use bughound_ir::analysis::step_access::{Partners as Meeting, step_accesses};
use bughound_ir::edge::EdgeId;
use bughound_ir::expr::Expr;
use bughound_ir::frames::LOCATION;
use bughound_ir::network::Network;
use bughound_kernel::{Dependencies, Mover, Partners, StepGroup};

const CHANCES: &str = "its steps have probabilities";
const CLOCKS: &str = "it has clocks, or steps that rank before others";

/// Of a network whose predicates are `atoms`.
pub(crate) fn dependencies(network: &Network, atoms: &[Expr]) -> Result<Dependencies, &'static str> {
    if network.stochastic.is_some() {
        return Err(CHANCES);
    }
    if network.needs_zones() || network.pricing.is_some() {
        return Err(CLOCKS);
    }
    let steps = step_accesses(network).into_iter();
    let groups = steps.map(|step| StepGroup {
        first: mover(step.first),
        partners: match step.partners {
            Meeting::Nobody => Partners::Nobody,
            Meeting::One(instance, edge) => Partners::One(mover((instance, edge))),
            Meeting::Some => Partners::Some,
        },
        here: (location_slot(network, step.first.0.pid as usize), network.edge(step.first.1).from.0 as i32),
        access: step.access,
        is_sequence: step.is_sequence,
    });
    let reader = PropertyReader::new(network);
    let frames = network.frames.processes.iter();
    Ok(Dependencies {
        groups: groups.collect(),
        atoms: atoms.iter().map(|atom| reader.access(atom)).collect(),
        parts: frames.map(|frame| frame.base..frame.base + frame.len).collect(),
        resting: resting(network),
    })
}

fn mover((instance, edge): (Instance, EdgeId)) -> Mover {
    Mover { process: instance.pid as u16, edge: edge.0 }
}

fn location_slot(network: &Network, pid: usize) -> u32 {
    network.frames.processes[pid].base + LOCATION
}

/// Every process is where it may stay for ever, and the monitor, too.
fn resting(network: &Network) -> Vec<(u32, Vec<i32>)> {
    let frames = network.frames.processes.iter().enumerate();
    let places = frames.map(|(pid, frame)| {
        let locations = frame.templates.iter().flat_map(|t| &network.template(*t).locations);
        let ends = locations.filter(|l| network.location(**l).flags.end).map(|l| l.0 as i32);
        (location_slot(network, pid), ends.collect())
    });
    let monitor = network.monitor.iter().map(|monitor| {
        let states = monitor.may_rest.iter().enumerate().filter(|(_, rests)| **rests);
        (monitor.slot, states.map(|(state, _)| state as i32).collect())
    });
    places.chain(monitor).collect()
}
