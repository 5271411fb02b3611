//! What belongs to one process: the variables that only it writes, and the clocks that only it sets.

use std::collections::{BTreeMap, BTreeSet};

use bughound_ir::analysis::constants::{Constants, Environment, fold_place};
use bughound_ir::analysis::{Instance, actions_of, edges_of, slots_of};
use bughound_ir::edge::{Action, Sync};
use bughound_ir::expr::{Place, Scope};
use bughound_ir::frames::FIRST_LOCAL;
use bughound_ir::network::Network;

pub struct Ownership {
    /// By slot of the key: the processes that write it.
    writers: BTreeMap<u32, BTreeSet<u32>>,
    /// By clock: the processes that set it.
    setters: Vec<BTreeSet<u32>>,
}

/// Position in the key of a place without indices; nothing if it is in a frame that is not known.
pub fn key_slots(network: &Network, pid: u32, place: &Place) -> Option<Vec<u32>> {
    let base = match &place.scope {
        Scope::Global => 0,
        Scope::Own => network.frames.processes[pid as usize].base,
        Scope::Process { .. } => return None,
    };
    Some(slots_of(place).into_iter().map(|slot| base + slot).collect())
}

impl Ownership {
    /// Nothing if processes write into each other's frames, come and go, or communicate by messages: such models are not
    /// looked at process by process.
    pub fn new(network: &Network, processes: &[Instance], constants: &Constants) -> Option<Ownership> {
        let mut ownership =
            Ownership { writers: BTreeMap::new(), setters: vec![BTreeSet::new(); network.clocks.len()] };
        for instance in processes {
            let known = constants.of(*instance);
            for (_, edge) in edges_of(network, instance.template) {
                let inside = edge.program.into_iter().flat_map(|id| &network.program(id).nodes);
                let mut inside = inside.flat_map(|node| &node.alternatives).map(|alternative| &alternative.sync);
                let by_signal = matches!(edge.sync, Sync::None | Sync::Emit { .. } | Sync::Accept { .. });
                if !by_signal || inside.any(|sync| *sync != Sync::None) {
                    return None;
                }
                for action in actions_of(network, edge) {
                    match action {
                        Action::Run { .. } | Action::End | Action::SetPriority { .. } => return None,
                        Action::ResetClock { clock, .. } => {
                            ownership.setters[clock.0 as usize].insert(instance.pid);
                        }
                        _ => {}
                    }
                    for (target, _) in action.assignments() {
                        ownership.note(network, instance.pid, target, &known)?;
                    }
                }
            }
        }
        Some(ownership)
    }

    fn note(&mut self, network: &Network, pid: u32, target: &Place, known: &Environment) -> Option<()> {
        for slot in key_slots(network, pid, &fold_place(target, known))? {
            self.writers.entry(slot).or_default().insert(pid);
        }
        Some(())
    }

    /// Slots of the key that this process writes, and nobody else.
    pub fn own_slots(&self, network: &Network, pid: u32) -> Vec<u32> {
        let hidden: BTreeSet<u32> = network.hidden_slots().into_iter().collect();
        let own = self.writers.iter().filter(|(_, who)| who.len() == 1 && who.contains(&pid));
        let base = network.frames.processes[pid as usize].base;
        let is_variable = |slot: u32| slot < network.frames.globals || slot >= base + FIRST_LOCAL;
        own.map(|(slot, _)| *slot).filter(|slot| !hidden.contains(slot) && is_variable(*slot)).collect()
    }

    /// Global slots that several processes write.
    pub fn shared_slots(&self, network: &Network) -> Vec<u32> {
        let hidden: BTreeSet<u32> = network.hidden_slots().into_iter().collect();
        let shared = self.writers.iter().filter(|(slot, who)| who.len() > 1 && **slot < network.frames.globals);
        shared.map(|(slot, _)| *slot).filter(|slot| !hidden.contains(slot)).collect()
    }

    /// Does nobody but this process set the clock?
    pub fn owns_clock(&self, pid: u32, clock: usize) -> bool {
        self.setters[clock].iter().all(|setter| *setter == pid)
    }
}
