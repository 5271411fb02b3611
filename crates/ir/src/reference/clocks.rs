//! Timed models at single points in time: exact values of clocks, and what they allow.
//!
//! No zones and no abstraction: each question is answered for one valuation of the clocks, by comparing fractions. The
//! rules are those of UPPAAL:
//!
//! - a guard is true of the clocks before the step, with its bound evaluated in the state before it, by its process; a
//!   bound without a value, or one that is too large, is in nobody's way, but a failure of the step;
//! - the invariants of all locations hold at every moment; a step to a state in which one has no value fails;
//! - clocks are set in the order of the moves (the sender first), each to the value of its expression at that moment;
//! - a step is not possible while one of a higher rank is;
//! - no time passes while a process is at an urgent or committed location, while a chain of steps is under way, or while
//!   a synchronisation over an urgent signal is possible. Clock guards do not count for that: UPPAAL does not allow them
//!   on such edges.

use bughound_kernel::Move;

use crate::edge::{EdgeId, Sync};
use crate::expr::Expr;
use crate::network::Network;
use crate::rational::Rational;
use crate::reference::error::EvalError;
use crate::reference::evaluate::View;
use crate::reference::state::RefState;
use crate::reference::{MicroStep, Reference};
use crate::types::{ClockConstraint, ClockId, Relation, UNBOUNDED, is_clock_constant};

/// The value of each clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClockValues(Vec<Rational>);

/// Why a step or a delay is not possible at a point in time.
#[derive(Clone, Debug, PartialEq)]
pub enum Obstacle {
    /// This clock guard of the edge of this process is false.
    Guard { process: usize, constraint: ClockConstraint },
    /// This invariant of the location of this process is false.
    Invariant { process: usize, constraint: ClockConstraint },
    /// Time may not pass: the process is at an urgent or committed location.
    UrgentLocation { process: usize },
    /// Time may not pass: a synchronisation over this signal is possible.
    UrgentSignal { signal: usize },
    /// Time may not pass: the process has control and can go on.
    InControl { process: usize },
    /// A step of a higher rank, which this process starts, is possible.
    Outranked { process: usize },
}

impl ClockValues {
    /// All clocks are 0, as at the start.
    pub fn zero(network: &Network) -> ClockValues {
        ClockValues(vec![Rational::ZERO; network.clocks.len()])
    }

    /// These values, in the order of the clocks of the network.
    pub fn of(values: Vec<Rational>) -> ClockValues {
        ClockValues(values)
    }

    pub fn value(&self, clock: ClockId) -> Rational {
        self.0[clock.0 as usize]
    }

    /// In the order of the clocks of the network.
    pub fn all(&self) -> &[Rational] {
        &self.0
    }

    /// The values after a delay; nothing if they cannot be written down.
    pub fn after(&self, delay: Rational) -> Option<ClockValues> {
        self.0.iter().map(|value| value.plus(delay)).collect::<Option<_>>().map(ClockValues)
    }

    pub fn set(&mut self, clock: ClockId, value: i32) {
        self.0[clock.0 as usize] = value.into();
    }

    /// The left side of a constraint: a clock, or the difference of two.
    pub fn left(&self, constraint: &ClockConstraint) -> Option<Rational> {
        let left = self.value(constraint.left);
        match constraint.minus {
            Some(minus) => left.minus(self.value(minus)),
            None => Some(left),
        }
    }

    /// Is the constraint true if its bound has this value?
    pub fn satisfy(&self, constraint: &ClockConstraint, bound: i32) -> bool {
        let ordering = self.left(constraint).and_then(|left| left.compare(bound.into()));
        ordering.is_some_and(|ordering| match constraint.relation {
            Relation::Less => ordering.is_lt(),
            Relation::LessEqual => ordering.is_le(),
            Relation::Equal => ordering.is_eq(),
            Relation::GreaterEqual => ordering.is_ge(),
            Relation::Greater => ordering.is_gt(),
        })
    }
}

/// What a clock is compared with; `None` if there is no bound.
pub(crate) fn clock_bound(view: &View<'_>, bound: &Expr) -> Result<Option<i32>, EvalError> {
    let value = match bound {
        Expr::Const(UNBOUNDED) => return Ok(None),
        Expr::Conditional(test, then, otherwise) => {
            return clock_bound(view, if view.truth(test)? { then } else { otherwise });
        }
        bound => view.eval(bound)?,
    };
    if is_clock_constant(value.into()) { Ok(Some(value)) } else { Err(EvalError::ClockOutOfRange) }
}

impl Reference<'_> {
    /// Is the constraint true as this process sees it?
    fn satisfied(
        &self,
        state: &RefState,
        process: usize,
        clocks: &ClockValues,
        constraint: &ClockConstraint,
    ) -> Result<bool, EvalError> {
        let view = View::new(self.network, state, Some(process), false);
        let bound = clock_bound(&view, &constraint.bound)?;
        Ok(bound.is_none_or(|bound| clocks.satisfy(constraint, bound)))
    }

    /// Are the clock guards of all moves true in the state before them?
    pub fn pass_guards(&self, state: &RefState, clocks: &ClockValues, moves: &[Move]) -> Result<(), Obstacle> {
        for m in moves {
            let process = m.process as usize;
            let guards = &self.network.edge(EdgeId(m.edge)).clock_guards;
            if let Some(guard) = guards.iter().find(|guard| self.satisfied(state, process, clocks, guard) == Ok(false))
            {
                return Err(Obstacle::Guard { process, constraint: guard.clone() });
            }
        }
        Ok(())
    }

    /// Are the invariants of all locations true?
    pub fn meet_invariants(&self, state: &RefState, clocks: &ClockValues) -> Result<(), Obstacle> {
        for (process, there) in state.processes.iter().enumerate() {
            let invariant = &self.network.location(there.location).invariant;
            if let Some(part) = invariant.iter().find(|part| self.satisfied(state, process, clocks, part) != Ok(true)) {
                return Err(Obstacle::Invariant { process, constraint: part.clone() });
            }
        }
        Ok(())
    }

    /// May time pass in the state, invariants aside?
    pub fn may_wait(&self, state: &RefState) -> Result<(), Obstacle> {
        if let Some(process) = state.control
            && self.visible(state).is_none()
        {
            return Err(Obstacle::InControl { process });
        }
        let stops = |location| {
            let flags = self.network.location(location).flags;
            flags.urgent || flags.committed
        };
        if let Some(process) = state.processes.iter().position(|process| stops(process.location)) {
            return Err(Obstacle::UrgentLocation { process });
        }
        if !self.network.signals.iter().any(|signal| signal.urgent) {
            return Ok(());
        }
        let urgent = self.micro_steps(state).iter().find_map(|step| self.urgent_signal(state, step.moves.first()?));
        urgent.map_or(Ok(()), |signal| Err(Obstacle::UrgentSignal { signal }))
    }

    /// The urgent signal over which a step synchronises that begins with this move.
    fn urgent_signal(&self, state: &RefState, first: &Move) -> Option<usize> {
        self.emitted(state, first).filter(|number| self.network.signals[*number].urgent)
    }

    /// The signal over which a step synchronises that begins with this move.
    fn emitted(&self, state: &RefState, first: &Move) -> Option<usize> {
        let Sync::Emit { signal } = &self.network.edge(EdgeId(first.edge)).sync else { return None };
        let number = self.value(state, Some(first.process as usize), signal).ok()?;
        usize::try_from(number).ok().filter(|number| *number < self.network.signals.len())
    }

    /// The values of the clocks after a step.
    pub fn after_step(&self, clocks: &ClockValues, step: &MicroStep) -> ClockValues {
        let mut clocks = clocks.clone();
        for (clock, value) in &step.resets {
            clocks.set(*clock, *value);
        }
        clocks
    }

    /// Can this step be taken at this moment, as far as clocks are concerned? A failing step leads nowhere, so no
    /// invariant is in its way.
    fn is_possible(&self, state: &RefState, clocks: &ClockValues, step: &MicroStep) -> bool {
        self.meet_invariants(state, clocks).is_ok()
            && self.pass_guards(state, clocks, &step.moves).is_ok()
            && match &step.result {
                Ok(next) => self.meet_invariants(next, &self.after_step(clocks, step)).is_ok(),
                Err(_) => true,
            }
    }

    /// Is a step of a higher rank possible at this moment, so that these moves are not?
    pub fn outranked(&self, state: &RefState, clocks: &ClockValues, moves: &[Move]) -> Result<(), Obstacle> {
        let Some(ranks) = &self.network.ranks else { return Ok(()) };
        let rank = |moves: &[Move]| {
            let signal = moves.first().and_then(|first| self.emitted(state, first));
            let processes = moves.iter().filter_map(|m| ranks.processes.get(m.process as usize));
            (signal.map_or(ranks.silent, |number| ranks.signals[number]), processes.max().copied())
        };
        let own = rank(moves);
        let steps = self.micro_steps(state);
        let higher = steps.iter().find(|step| rank(&step.moves) > own && self.is_possible(state, clocks, step));
        higher.map_or(Ok(()), |step| Err(Obstacle::Outranked { process: step.moves[0].process as usize }))
    }

    /// No step is possible, now or after any delay that the invariants allow.
    ///
    /// Whether a step can be taken changes only where a clock meets one of the constants that it is compared with. So for
    /// each step these moments, one between each two of them and one after the last are all that need be tried. The
    /// invariants hold all the time until then if they hold now and then: each of them is an interval.
    pub(crate) fn is_stuck(&self, state: &RefState, clocks: &ClockValues) -> bool {
        let waits = self.may_wait(state).is_ok();
        !self.micro_steps(state).iter().any(|step| {
            let delays = if waits { self.delays_to_try(state, clocks, step) } else { vec![Rational::ZERO] };
            delays.into_iter().any(|delay| {
                let then = clocks.after(delay);
                then.is_some_and(|then| self.is_possible(state, &then, step))
            })
        })
    }

    fn delays_to_try(&self, state: &RefState, clocks: &ClockValues, step: &MicroStep) -> Vec<Rational> {
        let mut moments = vec![Rational::ZERO];
        let mut meet = |state: &RefState, process: usize, constraint: &ClockConstraint| {
            let view = View::new(self.network, state, Some(process), false);
            if let Ok(Some(bound)) = clock_bound(&view, &constraint.bound)
                && let Some(delay) = Rational::from(bound).minus(clocks.value(constraint.left))
                && !delay.is_negative()
            {
                moments.push(delay);
            }
        };
        for m in &step.moves {
            let guards = &self.network.edge(EdgeId(m.edge)).clock_guards;
            guards.iter().for_each(|guard| meet(state, m.process as usize, guard));
        }
        for there in [Some(state), step.result.as_ref().ok()].into_iter().flatten() {
            for (process, at) in there.processes.iter().enumerate() {
                let invariant = &self.network.location(at.location).invariant;
                invariant.iter().for_each(|part| meet(there, process, part));
            }
        }
        moments.sort_by(|a, b| a.compare(*b).unwrap_or(std::cmp::Ordering::Equal));
        moments.dedup();
        let between = moments.windows(2).filter_map(|pair| pair[0].middle(pair[1]));
        let behind = moments.last().and_then(|last| last.plus(1.into()));
        let others: Vec<Rational> = between.chain(behind).collect();
        moments.extend(others);
        moments
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{EdgeSpec, NetworkBuilder, TemplateBuilder};
    use crate::edge::Action;
    use crate::types::{SignalKind, ValueType};

    fn compare(left: ClockId, relation: Relation, bound: i32) -> ClockConstraint {
        ClockConstraint { left, minus: None, relation, bound: Expr::Const(bound) }
    }

    fn r(numerator: i128, denominator: i128) -> Rational {
        Rational::new(numerator, denominator).unwrap()
    }

    #[test]
    fn constraints_at_a_point() {
        let (x, y) = (ClockId(0), ClockId(1));
        let values = ClockValues(vec![r(5, 2), r(1, 1)]);
        for (relation, bound, expected) in [
            (Relation::Less, 3, true),
            (Relation::Less, 2, false),
            (Relation::Greater, 2, true),
            (Relation::Equal, 2, false),
            (Relation::GreaterEqual, 3, false),
            (Relation::LessEqual, 3, true),
        ] {
            assert_eq!(values.satisfy(&compare(x, relation, bound), bound), expected, "{relation:?} {bound}");
        }
        let difference = ClockConstraint { minus: Some(y), ..compare(x, Relation::Greater, 1) };
        assert!(values.satisfy(&difference, 1) && !values.satisfy(&difference, 2));
        assert_eq!(values.after(r(1, 2)).unwrap().all(), [r(3, 1), r(3, 2)]);
    }

    /// One process: `here`, with an invariant x ≤ 3, and an edge with this guard on x.
    fn waits_for(relation: Relation, bound: i32, behind: Option<ClockConstraint>) -> Network {
        let mut net = NetworkBuilder::new("waits");
        let x = net.clock("x");
        let mut p = TemplateBuilder::new("p");
        let (here, there) = (p.location("here"), p.location("there"));
        p.location_mut(here).invariant.push(compare(x, Relation::LessEqual, 3));
        p.location_mut(there).invariant.extend(behind);
        p.edge(EdgeSpec::new(here, there).clock_guard(compare(x, relation, bound)));
        let p = net.template(p, here);
        net.start(p, vec![]);
        net.finish().unwrap()
    }

    fn stuck(network: &Network, x: Rational) -> bool {
        let reference = Reference::discrete(network);
        let state = reference.initial().unwrap();
        reference.at(&ClockValues(vec![x])).is_deadlock(&state)
    }

    #[test]
    fn delays_within_the_invariant_count() {
        assert!(stuck(&waits_for(Relation::GreaterEqual, 5, None), r(0, 1)));
        assert!(!stuck(&waits_for(Relation::GreaterEqual, 3, None), r(0, 1)));
        assert!(stuck(&waits_for(Relation::Greater, 3, None), r(3, 1)));
        // Possible only strictly between two constants.
        assert!(!stuck(&waits_for(Relation::Greater, 2, None), r(0, 1)));
        let open = waits_for(Relation::Greater, 2, Some(compare(ClockId(0), Relation::Less, 3)));
        assert!(!stuck(&open, r(1, 3)));
        // Possible only in the past.
        let past = waits_for(Relation::Less, 2, None);
        assert!(!stuck(&past, r(3, 2)) && stuck(&past, r(2, 1)));
    }

    #[test]
    fn the_invariant_behind_a_step_can_be_in_its_way() {
        let behind = Some(compare(ClockId(0), Relation::Less, 2));
        assert!(stuck(&waits_for(Relation::GreaterEqual, 2, behind.clone()), r(0, 1)));
        assert!(!stuck(&waits_for(Relation::GreaterEqual, 1, behind), r(0, 1)));
    }

    #[test]
    fn time_stands_still_in_urgent_places() {
        let mut network = waits_for(Relation::GreaterEqual, 1, None);
        assert_eq!(Reference::discrete(&network).may_wait(&Reference::discrete(&network).initial().unwrap()), Ok(()));
        network.locations[1].flags.urgent = true;
        let reference = Reference::discrete(&network);
        let state = reference.initial().unwrap();
        assert_eq!(reference.may_wait(&state), Err(Obstacle::UrgentLocation { process: 0 }));
        assert!(stuck(&network, r(0, 1)) && !stuck(&network, r(1, 1)));
    }

    #[test]
    fn an_urgent_signal_counts_only_where_it_is_possible() {
        let mut net = NetworkBuilder::new("urgent");
        net.clock("x");
        let go = net.signal("go", SignalKind::Binary);
        net.make_urgent(0);
        let open = net.global("open", ValueType::Bit);
        for (name, sync) in [("p", Sync::Emit { signal: go.clone() }), ("q", Sync::Accept { signal: go })] {
            let mut template = TemplateBuilder::new(name);
            let (here, there) = (template.location("here"), template.location("there"));
            template.edge(EdgeSpec::new(here, there).guard(Expr::read(open.clone())).sync(sync));
            let template = net.template(template, here);
            net.start(template, vec![]);
        }
        let network = net.finish().unwrap();
        let reference = Reference::discrete(&network);
        let mut state = reference.initial().unwrap();
        assert_eq!(reference.may_wait(&state), Ok(()));
        state.globals[open.slot as usize] = 1;
        assert_eq!(reference.may_wait(&state), Err(Obstacle::UrgentSignal { signal: 0 }));
    }

    #[test]
    fn clocks_are_set_to_the_value_of_the_moment() {
        let mut net = NetworkBuilder::new("resets");
        let (x, y) = (net.clock("x"), net.clock("y"));
        let n = net.global("n", ValueType::Int);
        let all = net.signal("all", SignalKind::Broadcast);
        let set = |clock, value| Action::ResetClock { clock, value };
        let read = || Expr::read(n.clone());
        let mut p = TemplateBuilder::new("p");
        let here = p.location("here");
        let add = Expr::binary(crate::expr::BinaryOp::Add, read(), Expr::Const(2));
        let emit = EdgeSpec::new(here, here).sync(Sync::Emit { signal: all.clone() }).action(set(x, read()));
        p.edge(emit.assign(n.clone(), add).action(set(y, read())));
        let p = net.template(p, here);
        net.start(p, vec![]);
        for factor in [10, 100] {
            let mut q = TemplateBuilder::new("q");
            let here = q.location("here");
            let times = Expr::binary(crate::expr::BinaryOp::Multiply, read(), Expr::Const(factor));
            q.edge(EdgeSpec::new(here, here).sync(Sync::Accept { signal: all.clone() }).action(set(x, times)));
            let q = net.template(q, here);
            net.start(q, vec![]);
        }
        let network = net.finish().unwrap();
        let reference = Reference::discrete(&network);
        let steps = reference.micro_steps(&reference.initial().unwrap());
        assert_eq!(steps.len(), 1);
        assert_eq!(steps[0].resets, [(x, 0), (y, 2), (x, 20), (x, 200)]);
        let after = reference.after_step(&ClockValues::zero(&network), &steps[0]);
        assert_eq!(after.all(), [r(200, 1), r(2, 1)]);
    }

    #[test]
    fn a_clock_cannot_be_negative() {
        let mut net = NetworkBuilder::new("negative");
        let x = net.clock("x");
        let mut p = TemplateBuilder::new("p");
        let here = p.location("here");
        p.edge(EdgeSpec::new(here, here).action(Action::ResetClock { clock: x, value: Expr::Const(-1) }));
        let p = net.template(p, here);
        net.start(p, vec![]);
        let network = net.finish().unwrap();
        let reference = Reference::discrete(&network);
        assert!(reference.micro_steps(&reference.initial().unwrap())[0].result.is_err());
    }

    #[test]
    fn properties_know_clocks_where_time_is_known() {
        let network = waits_for(Relation::GreaterEqual, 5, None);
        let reference = Reference::discrete(&network);
        let state = reference.initial().unwrap();
        let condition = Expr::Clock(Box::new(compare(ClockId(0), Relation::Greater, 1)));
        assert!(reference.holds(&state, &condition).is_err());
        assert!(reference.holds(&state, &Expr::Deadlock).is_err());
        let (early, late) = (ClockValues(vec![r(1, 1)]), ClockValues(vec![r(3, 2)]));
        assert_eq!(reference.at(&early).holds(&state, &condition), Ok(false));
        assert_eq!(reference.at(&late).holds(&state, &condition), Ok(true));
        assert_eq!(reference.at(&late).holds(&state, &Expr::Deadlock), Ok(true));
    }
}
