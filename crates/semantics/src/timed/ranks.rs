//! Priorities of steps: one of a lower rank is not taken at points from which one of a higher rank can be.
//!
//! What is taken away from a zone need not leave a zone: a step may have several outcomes that differ in their zones only.
//! As for deadlocks, it matters what is *not* possible. So only abstractions may be used that know for each point which
//! steps are: a guard that a lower bound makes true later is then as good as an upper bound on the step that it blocks.

use std::ops::ControlFlow;

use bughound_dbm::{Federation, Zone, ZoneBuf};
use bughound_kernel::{Explorer, Move, State};

use super::TimedSystem;
use super::deadlock::possible_from;
use crate::discrete::DiscreteExplorer;

/// Of a signal, then of a process.
type Rank = (u32, u32);

/// The steps of a state that can be in the way of others.
pub(super) struct Blocking(Vec<(Rank, ZoneBuf)>);

impl Blocking {
    /// The steps of a state; `None` if the model has no priorities.
    pub fn new(system: &TimedSystem, discrete: &mut DiscreteExplorer<'_>, key: &[i32]) -> Option<Blocking> {
        system.discrete.network().ranks.as_ref()?;
        let mut steps = Vec::new();
        let mut zone = ZoneBuf::universal(system.dimension);
        discrete.successors(State::discrete(key), &mut |step| {
            if possible_from(system, key, step, &mut zone.as_mut()) {
                steps.push((rank(system, key, step.moves), zone.clone()));
            }
            ControlFlow::Continue(())
        });
        Some(Blocking(steps))
    }

    /// The points of a zone from which nothing of a higher rank than these moves can be taken.
    pub fn left_of(&self, system: &TimedSystem, key: &[i32], moves: &[Move], zone: Zone<'_>) -> Federation {
        let own = rank(system, key, moves);
        let mut left = Federation::empty(system.dimension);
        left.add(zone);
        for (_, higher) in self.0.iter().filter(|(rank, _)| *rank > own) {
            left.subtract_with(higher.as_zone(), &mut |part| system.contain(key, part));
        }
        left
    }
}

fn rank(system: &TimedSystem, key: &[i32], moves: &[Move]) -> Rank {
    let Some(ranks) = &system.discrete.network().ranks else { return (0, 0) };
    let signal = system.clockwork.signal(system.machine(), key, moves);
    let processes = moves.iter().filter_map(|m| ranks.processes.get(m.process as usize));
    let signal = signal.and_then(|number| ranks.signals.get(number)).unwrap_or(&ranks.silent);
    (*signal, processes.max().copied().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use bughound_dbm::Bound;
    use bughound_ir::builder::{EdgeSpec, NetworkBuilder, TemplateBuilder};
    use bughound_ir::expr::Expr;
    use bughound_ir::network::Ranks;
    use bughound_ir::types::{ClockConstraint, Relation};
    use bughound_kernel::{StateBuf, TransitionSystem};

    use super::super::Abstraction;
    use super::*;

    /// A process that can move from 2 to 3 is in the way of another one then: that has two outcomes, before and after. Whoever
    /// wants no more of them than one gets no more.
    #[test]
    fn a_step_that_comes_apart_is_emitted_as_long_as_somebody_listens() {
        let mut net = NetworkBuilder::new("ranked");
        let x = net.clock("x");
        let bound = |relation, c| ClockConstraint { left: x, minus: None, relation, bound: Expr::Const(c) };
        let guards = [bound(Relation::GreaterEqual, 2), bound(Relation::LessEqual, 3)];
        for (name, guards) in [("high", &guards[..]), ("low", &[])] {
            let mut p = TemplateBuilder::new(name);
            let [from, to] = ["from", "to"].map(|name| p.location(name));
            p.edge(guards.iter().cloned().fold(EdgeSpec::new(from, to), EdgeSpec::clock_guard));
            let p = net.template(p, from);
            net.start(p, vec![]);
        }
        let mut network = net.finish().unwrap();
        network.ranks = Some(Ranks { signals: Vec::new(), silent: 0, processes: vec![1, 0] });
        let system = TimedSystem::new(network, &[], Abstraction::REACHABILITY).unwrap();
        let mut explorer = system.explorer();
        let mut first = StateBuf::default();
        explorer.initial(&mut |state| first = StateBuf::from(state));
        let mut emitted = |flow: ControlFlow<()>| {
            let mut lower = Vec::new();
            explorer.successors(first.as_state(), &mut |step| {
                if step.moves[0].process == 0 {
                    return ControlFlow::Continue(());
                }
                let bughound_kernel::Outcome::State(to) = step.outcome else { panic!("a failure") };
                lower.push(Zone::new(to.cover, 2).bound(0, 1));
                flow
            });
            lower
        };
        let mut both = emitted(ControlFlow::Continue(()));
        both.sort();
        assert_eq!(both, [Bound::less_than(-3), Bound::ZERO_LE]);
        assert_eq!(emitted(ControlFlow::Break(())).len(), 1);
    }
}
