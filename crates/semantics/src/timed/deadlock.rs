//! Deadlocks with clocks: points of a zone from which no step is possible, now or after any delay.
//!
//! For each discrete step, the points from which it can be taken are those that satisfy its guards and, after the clocks
//! are set, the invariants behind it. Those from which it can be taken later are found by going back in time. What is left
//! of the zone when all of them are taken away is stuck.

use std::ops::ControlFlow;

use bughound_dbm::{Federation, Zone, ZoneBuf, ZoneMut};
use bughound_kernel::{Outcome, State, Step};

use super::picking::Zones;
use super::{TimedSystem, pass_guards};
use crate::discrete::DiscreteExplorer;

pub(super) fn stuck_points(
    system: &TimedSystem,
    discrete: &mut DiscreteExplorer<'_>,
    from: State<'_>,
    may_wait: bool,
) -> Federation {
    let mut stuck = Federation::empty(system.dimension);
    stuck.add(Zone::new(from.cover, system.dimension));
    let mut zone = ZoneBuf::universal(system.dimension);
    // No step matters that is possible elsewhere only.
    let mut later = ZoneBuf::from(Zone::new(from.cover, system.dimension));
    if may_wait {
        later.as_mut().up();
    }
    let mut zones = Zones::default();
    discrete.successors_by(from.key, &mut zones.from(system, from.key, later.as_zone()), &mut |step| {
        let mut view = zone.as_mut();
        if possible_from(system, from.key, step, &mut view) {
            if may_wait {
                view.down();
            }
            stuck.subtract_with(zone.as_zone(), &mut |part| system.contain(from.key, part));
        }
        if stuck.is_empty() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    stuck
}

/// Sets the zone to all points from which a step can be taken; false if there are none.
pub(super) fn possible_from(system: &TimedSystem, key: &[i32], step: &Step<'_>, zone: &mut ZoneMut<'_>) -> bool {
    zone.universal();
    let possible = match step.outcome {
        Outcome::State(to) => {
            let mut resets: Vec<(usize, i32)> = Vec::new();
            let mut set = |clock, value| resets.push((clock, value));
            system.clockwork.resets(system.machine(), key, step.moves, &mut set);
            system.stay(to.key, zone) && resets.iter().rev().all(|(clock, value)| zone.before_reset(*clock, *value))
        }
        // Whoever can fail is not stuck.
        Outcome::Failure(_) => true,
    };
    possible && pass_guards(system, key, step.moves, zone) && system.stay(key, zone)
}
