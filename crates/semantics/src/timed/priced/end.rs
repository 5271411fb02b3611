//! Where the cost of a schedule counts: in a state that satisfies the goal.
//!
//! The goal may hold at some points of a zone only, and the cheapest of these may cost more than the cheapest of the
//! zone. So reaching the goal is a step without moves that leads from the whole zone to the part where the goal holds;
//! its weight is the difference of their least costs. What comes out has no further steps. A search that finds cheapest
//! paths to such ends finds the infimum of the costs of all runs to the goal.
//!
//! A key is 0, or 1 at the end, followed by the key of the state. For heuristics there is nothing left to be paid at the
//! end, whatever they would say about the state; and what they say bounds costs only if it is about prices. They see covers
//! in a form of its own ([`Sight`](super::Sight)).

use std::ops::ControlFlow;

use bughound_dbm::priced::PricedZone;
use bughound_ir::expr::Expr;
use bughound_kernel::{
    AtomId, Estimate, Expansion, Explorer, Heuristic, HeuristicClaims, Layer, LayerSteps, Layout, Marks, Move, Outcome,
    PreferredStep, Price, Situation, Slot, State, StateBuf, Step, TransitionSystem,
};

use super::uniform::UniformZone;
use super::zones::CostZone;
use super::{CostError, PricedSystem};
use crate::timed::TimedError;
use crate::timed::condition::Condition;

const GOING_ON: i32 = 0;
const AT_END: i32 = 1;

pub struct CheapestEnd<'s> {
    system: &'s PricedSystem,
    goal: Condition,
    layout: Layout,
}

impl<'s> CheapestEnd<'s> {
    /// The system must be one for this goal.
    pub fn new(system: &'s PricedSystem, goal: &Expr) -> Result<Self, TimedError> {
        let goal = Condition::new(goal).ok_or(TimedError::ClockAsNumber)?;
        let mut slots = vec![Slot::new(GOING_ON, AT_END)];
        slots.extend_from_slice(&system.layout().slots);
        let layout = Layout { cover_len: system.layout().cover_len, ..Layout::new(slots) };
        Ok(CheapestEnd { system, goal, layout })
    }

    /// The predicate that is true of ends.
    pub fn reached(&self) -> AtomId {
        self.atom(0)
    }

    /// By cost, the parts of a state that satisfy the goal, as covers.
    fn ends<Z: CostZone>(&self, state: State<'_>) -> Result<Vec<(u64, Vec<i32>)>, CostError> {
        let zone: Z = self.system.zone_of(state.cover);
        let machine = self.system.timed.machine();
        let mut found = Vec::new();
        for part in self.goal.part(true, machine, state.key, vec![zone.clocks()]) {
            found.extend(zone.apply(&PricedSystem::part(part.as_zone()))?);
        }
        Z::tidy(&mut found)?;
        let cost = zone.least_cost()?;
        let mut ends = Vec::new();
        for end in found {
            let weight = (end.least_cost()? - cost).unsigned_abs();
            let mut cover = Vec::new();
            self.system.put_cover(self.system.hints(state.cover), &end, &mut cover);
            ends.push((weight, cover));
        }
        ends.sort_by_key(|(weight, _)| *weight);
        Ok(ends)
    }
}

impl Layer for CheapestEnd<'_> {
    type Steps<'l>
        = EndSteps<'l>
    where
        Self: 'l;

    fn below(&self) -> &dyn TransitionSystem {
        self.system
    }

    fn project<'k>(&self, state: State<'k>) -> State<'k> {
        State { key: &state.key[1..], ..state }
    }

    fn steps(&self) -> EndSteps<'_> {
        EndSteps { end: self, state: StateBuf::default() }
    }

    fn own_layout(&self) -> Option<&Layout> {
        Some(&self.layout)
    }

    fn own_atoms(&self) -> u32 {
        1
    }

    fn guide<'a>(&'a self, heuristic: Box<dyn Heuristic + 'a>) -> Box<dyn Heuristic + 'a> {
        Box::new(ToEnd { layer: self, heuristic, cover: Vec::new() })
    }
}

pub struct EndSteps<'e> {
    end: &'e CheapestEnd<'e>,
    state: StateBuf,
}

fn join(into: &mut StateBuf, flag: i32, state: State<'_>) {
    into.key.clear();
    into.key.push(flag);
    into.key.extend_from_slice(state.key);
    into.cover.clear();
    into.cover.extend_from_slice(state.cover);
}

impl LayerSteps for EndSteps<'_> {
    fn initial(&mut self, below: &mut dyn Explorer, emit: &mut dyn FnMut(State<'_>)) {
        let buffer = &mut self.state;
        below.initial(&mut |state| {
            join(buffer, GOING_ON, state);
            emit(buffer.as_state());
        });
    }

    fn successors(
        &mut self,
        below: &mut dyn Explorer,
        from: State<'_>,
        emit: &mut dyn FnMut(&Step<'_>) -> ControlFlow<()>,
    ) -> Expansion {
        if from.key[0] == AT_END {
            return Expansion::default();
        }
        let (end, buffer) = (self.end, &mut self.state);
        let state = end.project(from);
        let ends = match end.system.uniform {
            Some(_) => end.ends::<UniformZone>(state),
            None => end.ends::<PricedZone>(state),
        };
        let ends = ends.unwrap_or_else(|error| {
            end.system.fail(error);
            Vec::new()
        });
        for (weight, cover) in ends {
            join(buffer, AT_END, State { cover: &cover, ..state });
            let outcome = Outcome::State(buffer.as_state());
            let (moves, marks) = (&[][..], Marks::NONE);
            let step =
                Step { moves, choice: 0, probability: 1.0, weight, price: Price::NONE, marks, outcome, changes: None };
            if emit(&step).is_break() {
                return Expansion::default();
            }
        }
        below.successors(state, &mut |step| match step.outcome {
            Outcome::State(next) => {
                join(buffer, GOING_ON, next);
                emit(&Step { outcome: Outcome::State(buffer.as_state()), changes: None, ..*step })
            }
            Outcome::Failure(_) => emit(step),
        })
    }

    fn holds(&mut self, _own: u32, state: State<'_>) -> bool {
        state.key[0] == AT_END
    }
}

/// A heuristic that knows the end.
struct ToEnd<'a> {
    layer: &'a CheapestEnd<'a>,
    heuristic: Box<dyn Heuristic + 'a>,
    /// Working memory: a cover as heuristics see it.
    cover: Vec<i32>,
}

impl ToEnd<'_> {
    /// Asks the heuristic about a state that is not the end.
    fn ask<R>(&mut self, state: State<'_>, question: impl FnOnce(&mut dyn Heuristic, Situation<'_>) -> R) -> R {
        let (state, system) = (self.layer.project(state), self.layer.system);
        match system.uniform {
            Some(_) => system.show::<UniformZone>(state.cover, &mut self.cover),
            None => system.show::<PricedZone>(state.cover, &mut self.cover),
        }
        question(&mut *self.heuristic, State { cover: &self.cover, ..state }.into())
    }
}

impl Heuristic for ToEnd<'_> {
    fn claims(&self) -> HeuristicClaims {
        let claims = self.heuristic.claims();
        if self.is_about_prices() { claims } else { HeuristicClaims { admissible: false, consistent: false, ..claims } }
    }

    fn is_about_prices(&self) -> bool {
        self.heuristic.is_about_prices()
    }

    fn estimate(&mut self, at: Situation<'_>) -> Estimate {
        if at.state.key[0] == AT_END {
            return Estimate::ZERO;
        }
        self.ask(at.state, |heuristic, at| heuristic.estimate(at))
    }

    fn preferred(&self) -> &[PreferredStep] {
        self.heuristic.preferred()
    }

    fn estimate_without(&mut self, step: &[Move], at: Situation<'_>) -> Option<Estimate> {
        if at.state.key[0] == AT_END {
            return Some(Estimate::ZERO);
        }
        self.ask(at.state, |heuristic, at| heuristic.estimate_without(step, at))
    }

    fn fork(&self) -> Option<Box<dyn Heuristic + '_>> {
        Some(Box::new(ToEnd { layer: self.layer, heuristic: self.heuristic.fork()?, cover: Vec::new() }))
    }

    fn memory(&self) -> u64 {
        self.heuristic.memory()
    }
}
