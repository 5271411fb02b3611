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

#[cfg(test)]
mod tests {
    use bughound_dbm::Bound;
    use bughound_ir::builder::{EdgeSpec, NetworkBuilder, TemplateBuilder};
    use bughound_ir::expr::Expr;
    use bughound_ir::types::{ClockConstraint, MAX_CLOCK_CONSTANT, Relation};
    use bughound_kernel::Explorer;

    use super::super::Abstraction;
    use super::*;

    /// Cut after cut, sums of the largest constants would leave the range of bounds, and what is empty would look as if it
    /// had points: a deadlock that there is not.
    #[test]
    fn constants_stay_in_their_range_however_much_is_taken_away() {
        let mut net = NetworkBuilder::new("large");
        let clocks = ["x", "y"].map(|name| net.clock(name));
        let mut p = TemplateBuilder::new("p");
        let at = p.location("at");
        for clock in clocks {
            let bound = Expr::Const(MAX_CLOCK_CONSTANT);
            let guard = ClockConstraint { left: clock, minus: None, relation: Relation::LessEqual, bound };
            p.edge(EdgeSpec::new(at, at).clock_guard(guard));
        }
        let p = net.template(p, at);
        net.start(p, vec![]);
        let system = TimedSystem::new(net.finish().unwrap(), &[], Abstraction::DEADLOCK).unwrap();
        // x was set back after as much time as clocks are compared with.
        let mut zone = ZoneBuf::universal(3);
        assert!(zone.as_mut().tighten(1, 2, Bound::at_most(-MAX_CLOCK_CONSTANT)));
        let mut walker = system.discrete().walker();
        let mut key = Vec::new();
        walker.initial(&mut |state| key = state.key.to_vec());
        let state = State { cover: zone.as_zone().words(), ..State::discrete(&key) };
        let stuck = stuck_points(&system, &mut walker, state, true);
        assert!(!stuck.is_empty(), "x and y may be later than every guard allows");
        for part in stuck.zones() {
            assert!(part.magnitude() <= MAX_CLOCK_CONSTANT, "{part}");
        }
    }
}
