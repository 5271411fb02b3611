//! Which edges can synchronise as far as clocks are concerned: zones that become smaller with every edge picked.

use bughound_dbm::{Zone, ZoneBuf};
use bughound_kernel::Move;

use super::TimedSystem;
use crate::signals::Picking;

/// Working memory that is used from state to state.
#[derive(Default)]
pub(super) struct Zones {
    zones: Vec<ZoneBuf>,
    /// By edge picked: which zone satisfies its guards and those before it. Edges without guards have no zone of their own.
    picked: Vec<usize>,
}

impl Zones {
    /// Steps that can be taken from points of `zone`.
    pub fn from<'z>(&'z mut self, system: &'z TimedSystem, key: &'z [i32], zone: Zone<'_>) -> ByClocks<'z> {
        self.picked.clear();
        self.put(0, zone);
        ByClocks { system, key, zones: self }
    }

    fn put(&mut self, at: usize, zone: Zone<'_>) {
        match self.zones.get_mut(at) {
            Some(there) => there.set(zone),
            None => self.zones.push(ZoneBuf::from(zone)),
        }
    }
}

pub(super) struct ByClocks<'z> {
    system: &'z TimedSystem,
    key: &'z [i32],
    zones: &'z mut Zones,
}

impl Picking for ByClocks<'_> {
    fn pick(&mut self, pid: usize, edge: u32) -> bool {
        let guards = self.system.clockwork.guards(edge);
        let before = self.zones.picked.last().copied().unwrap_or(0);
        if guards.is_empty() {
            self.zones.picked.push(before);
            return true;
        }
        let zone = self.zones.zones[before].clone();
        self.zones.put(before + 1, zone.as_zone());
        self.zones.picked.push(before + 1);
        let machine = self.system.machine();
        let cx = machine.context(self.key, pid, false);
        let mut view = self.zones.zones[before + 1].as_mut();
        guards.iter().all(|constraint| constraint.pass(&mut view, machine, cx))
    }

    fn undo(&mut self) {
        self.zones.picked.pop();
    }
}

/// Only synchronisations over urgent signals.
pub(super) struct OnlyUrgent<'z> {
    pub system: &'z TimedSystem,
    pub key: &'z [i32],
    /// So many edges are picked.
    pub picked: usize,
}

impl Picking for OnlyUrgent<'_> {
    fn pick(&mut self, pid: usize, edge: u32) -> bool {
        self.picked += 1;
        self.picked > 1 || self.system.clockwork.emits_urgent(self.system.machine(), self.key, pid, edge)
    }

    fn undo(&mut self) {
        self.picked -= 1;
    }
}

/// Only the synchronisation that consists of these moves.
pub(super) struct Exactly<'m> {
    moves: &'m [Move],
    picked: usize,
}

impl<'m> Exactly<'m> {
    pub fn new(moves: &'m [Move]) -> Exactly<'m> {
        Exactly { moves, picked: 0 }
    }
}

impl Picking for Exactly<'_> {
    fn pick(&mut self, pid: usize, edge: u32) -> bool {
        // A step that fails breaks off: whoever would have come behind does not matter.
        let wanted = self.moves.get(self.picked);
        self.picked += 1;
        wanted.is_none_or(|m| (m.process as usize, m.edge) == (pid, edge))
    }

    fn undo(&mut self) {
        self.picked -= 1;
    }
}
