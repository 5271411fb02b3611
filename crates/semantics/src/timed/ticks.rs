//! Runs whose time goes on for ever.
//!
//! A run with infinitely many steps may take finite time (it is called Zeno): each step comes after half the delay of the
//! one before. Such runs are told apart by one more clock: a step that is taken when it has reached some constant *ticks*,
//! and sets it back to 0. Time goes on for ever exactly if there are infinitely many ticks, whatever the constant; it is the
//! largest of the model, since a small one would tell apart more zones than the model does (Tripakis, Yovine, Bouajjani 2005, "Checking
//! timed Büchi automata emptiness efficiently": strong non-Zenoness).

use std::collections::HashMap;
use std::ops::ControlFlow;

use bughound_dbm::{Bound, Zone, ZoneBuf};
use bughound_ir::expr::Expr;
use bughound_ir::network::Network;
use bughound_ir::types::{Clock, ClockConstraint, ClockId, Relation};
use bughound_kernel::{Move, Outcome, State, StateBuf, TransitionSystem};

use super::bounds::ClockBounds;
use super::constraints::index;
use super::{Abstraction, TimedError, TimedSystem};

/// Loops with more zones than this are not followed to their end.
const MOST_ZONES: usize = 4000;

/// The clock for ticks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tick {
    /// Its place in a zone.
    clock: usize,
    /// So much time passes between two ticks, at least.
    length: i32,
}

impl TimedSystem {
    /// The model with a clock for ticks.
    pub fn ticking(network: &Network, abstraction: Abstraction) -> Result<TimedSystem, TimedError> {
        let mut network = network.clone();
        let clock = ClockId(network.clocks.len() as u32);
        network.clocks.push(Clock { name: "time since the last tick".into() });
        let length = ClockBounds::new(&network, &[]).limit().max(1);
        // Compared, so that it is not forgotten.
        let compared =
            ClockConstraint { left: clock, minus: None, relation: Relation::GreaterEqual, bound: Expr::Const(length) };
        let system = TimedSystem::new(network, &[Expr::Clock(Box::new(compared))], abstraction)?;
        Ok(TimedSystem { tick: Some(Tick { clock: index(clock), length }), ..system })
    }

    /// The points of a zone from which steps tick, with the clock set back already, and those from which they do not. All of
    /// them are in the second part if the system has no clock for ticks.
    pub(super) fn by_ticks(&self, cover: &[i32]) -> [(bool, Option<ZoneBuf>); 2] {
        let whole = Zone::new(cover, self.dimension);
        let Some(tick) = self.tick else { return [(true, None), (false, Some(whole.into()))] };
        let part = |i: usize, j: usize, bound: Bound| {
            let mut zone = ZoneBuf::from(whole);
            zone.as_mut().tighten(i, j, bound).then_some(zone)
        };
        let mut late = part(0, tick.clock, Bound::at_most(-tick.length));
        if let Some(zone) = &mut late {
            zone.as_mut().reset(tick.clock, 0);
        }
        [(true, late), (false, part(tick.clock, 0, Bound::less_than(tick.length)))]
    }

    /// Can the loop be gone through for ever in such a way that time goes on for ever? Nothing if the steps are not a loop,
    /// or if it has too many zones. The system must be one with ticks.
    pub fn can_diverge(&self, stem: &[Vec<Move>], turn: &[Vec<Move>]) -> Option<bool> {
        let first = self.states_along(stem)?.pop()?;
        let mut explorer = self.explorer();
        let mut numbers: HashMap<(usize, StateBuf), usize> = HashMap::from([((0, first.clone()), 0)]);
        let mut nodes = vec![(0, first)];
        let mut arcs: Vec<Vec<(usize, bool)>> = Vec::new();
        while let Some((at, state)) = nodes.get(arcs.len()).cloned() {
            let mut next = Vec::new();
            for (ticks, part) in self.by_ticks(&state.cover) {
                let Some(part) = part else { continue };
                let from = State { cover: part.as_zone().words(), ..state.as_state() };
                explorer.successors(from, &mut |step| {
                    if let Outcome::State(to) = step.outcome
                        && step.moves == &turn[at][..]
                    {
                        next.push(((at + 1) % turn.len(), StateBuf::from(to), ticks));
                    }
                    ControlFlow::Continue(())
                });
            }
            let mut here = Vec::new();
            for (at, state, ticks) in next {
                let known = numbers.len();
                let number = *numbers.entry((at, state.clone())).or_insert(known);
                if number == known {
                    nodes.push((at, state));
                }
                here.push((number, ticks));
            }
            arcs.push(here);
            if nodes.len() > MOST_ZONES {
                return None;
            }
        }
        let ticking = arcs.iter().enumerate().flat_map(|(from, to)| to.iter().map(move |arc| (from, *arc)));
        Some(ticking.filter(|(_, (_, ticks))| *ticks).any(|(from, (to, _))| leads(&arcs, to, from)))
    }
}

/// Is there a way from one node to another?
fn leads(arcs: &[Vec<(usize, bool)>], from: usize, to: usize) -> bool {
    let (mut seen, mut open) = (vec![false; arcs.len()], vec![from]);
    while let Some(at) = open.pop() {
        if at == to {
            return true;
        }
        if !std::mem::replace(&mut seen[at], true) {
            open.extend(arcs[at].iter().map(|(next, _)| *next));
        }
    }
    false
}
