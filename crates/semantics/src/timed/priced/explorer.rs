//! The steps of a timed model with costs.

use std::ops::ControlFlow;

use bughound_dbm::priced::Operation;
use bughound_kernel::{AtomId, Expansion, Explorer, Outcome, State, StateBuf, Step, StopSignal};

use super::prices::impulse;
use super::zones::{CostZone, apply_all};
use super::{CostError, PricedSystem};
use crate::discrete::DiscreteExplorer;
use crate::timed::picking::Zones;
use crate::timed::ranks::Blocking;

pub(super) struct PricedExplorer<'s, Z> {
    system: &'s PricedSystem,
    discrete: DiscreteExplorer<'s>,
    /// Tells whether an urgent step is possible while the other one is busy.
    probe: DiscreteExplorer<'s>,
    zones: Zones,
    out: Outgoing<Z>,
}

/// Working memory for the steps of a state.
struct Outgoing<Z> {
    operations: Vec<Operation>,
    /// The cost so far and the zone of each outcome of a step.
    found: Vec<(i64, Z)>,
    state: StateBuf,
}

impl<'s, Z: CostZone> PricedExplorer<'s, Z> {
    pub fn new(system: &'s PricedSystem) -> Self {
        PricedExplorer {
            system,
            discrete: system.discrete().walker(),
            probe: system.discrete().walker(),
            zones: Zones::default(),
            out: Outgoing { operations: Vec::new(), found: Vec::new(), state: StateBuf::default() },
        }
    }
}

impl<Z: CostZone> Outgoing<Z> {
    /// Applies the operations to a zone and sorts what comes out by cost.
    fn apply(&mut self, from: Vec<Z>) -> Result<(), CostError> {
        self.found.clear();
        for zone in apply_all(from, &self.operations)? {
            self.found.push((zone.least_cost()?, zone));
        }
        self.found.sort_by_key(|(cost, _)| *cost);
        Ok(())
    }

    /// The state with this key, these hints and one of the zones.
    fn put(&mut self, system: &PricedSystem, key: &[i32], hints: &[i32], index: usize) {
        self.state.key.clear();
        self.state.key.extend_from_slice(key);
        system.put_cover(hints, &self.found[index].1, &mut self.state.cover);
    }
}

impl<Z: CostZone> Explorer for PricedExplorer<'_, Z> {
    fn initial(&mut self, emit: &mut dyn FnMut(State<'_>)) {
        let (system, probe, out) = (self.system, &mut self.probe, &mut self.out);
        self.discrete.initial(&mut |state| {
            out.operations.clear();
            out.found.clear();
            let start = Z::start(system.timed.dimension, system.uniform.unwrap_or(0));
            let settled = system.settle(probe, state.key, &mut out.operations);
            let done = settled.and_then(|possible| if possible { out.apply(vec![start]) } else { Ok(()) });
            if let Err(error) = done {
                return system.fail(error);
            }
            for index in 0..out.found.len() {
                out.put(system, state.key, &system.prices.initial_hints(), index);
                emit(out.state.as_state());
            }
        });
    }

    fn successors(&mut self, from: State<'_>, emit: &mut dyn FnMut(&Step<'_>) -> ControlFlow<()>) -> Expansion {
        let (system, probe, out) = (self.system, &mut self.probe, &mut self.out);
        if system.error().is_some() {
            return Expansion { cut: true, ..Expansion::default() };
        }
        let hints = system.hints(from.cover);
        let mut key = from.key.to_vec();
        system.prices.show_hints(hints, &mut key);
        let zone: Z = system.zone_of(from.cover);
        let clocks = zone.clocks();
        let cost = match zone.least_cost() {
            Ok(cost) => cost,
            Err(error) => {
                system.fail(error);
                return Expansion { cut: true, ..Expansion::default() };
            }
        };
        let blocking = Blocking::new(&system.timed, probe, &key);
        let mut picking = self.zones.from(&system.timed, &key, clocks.as_zone());
        let mut step_of = |step: &Step<'_>| -> Result<ControlFlow<()>, CostError> {
            out.operations.clear();
            let allowed = zone.apply(&system.guards(&key, step.moves))?;
            let allowed = match &blocking {
                None => allowed,
                Some(blocking) => {
                    let mut left = Vec::new();
                    for zone in &allowed {
                        let parts = blocking.left_of(&system.timed, &key, step.moves, zone.clocks().as_zone());
                        for part in parts.zones() {
                            left.extend(zone.apply(&PricedSystem::part(part))?);
                        }
                    }
                    left
                }
            };
            if allowed.is_empty() {
                return Ok(ControlFlow::Continue(()));
            }
            let Outcome::State(to) = step.outcome else { return Ok(emit(step)) };
            out.operations.push(Operation::Pay(impulse(step)?));
            system.resets(&key, step.moves, &mut out.operations);
            if !system.settle(probe, to.key, &mut out.operations)? {
                return Ok(ControlFlow::Continue(()));
            }
            out.apply(allowed)?;
            for index in 0..out.found.len() {
                // Costs never fall: prices are not negative.
                let weight = (out.found[index].0 - cost).unsigned_abs();
                debug_assert!(out.found[index].0 >= cost, "a cost has fallen");
                let hints = system.prices.hints_behind(hints, step.moves, step.price, weight);
                out.put(system, to.key, &hints, index);
                let outcome = Outcome::State(out.state.as_state());
                let flow = emit(&Step { weight, outcome, changes: None, ..*step });
                if flow.is_break() {
                    return Ok(flow);
                }
            }
            Ok(ControlFlow::Continue(()))
        };
        let expansion = self.discrete.successors_by(&key, &mut picking, &mut |step| {
            step_of(step).unwrap_or_else(|error| {
                system.fail(error);
                ControlFlow::Break(())
            })
        });
        // Deadlocks of a timed model are not those of its keys, and nobody asks for them here.
        Expansion { deadlock: false, cut: expansion.cut || system.error().is_some(), ..expansion }
    }

    fn holds(&mut self, _atom: AtomId, _state: State<'_>) -> bool {
        // The goal counts where it is reached by a step of its own.
        false
    }

    fn heed(&mut self, signal: &StopSignal) {
        self.discrete.heed(signal);
        self.probe.heed(signal);
    }
}
