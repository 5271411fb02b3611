//! Estimates of sets: how far states are from an error, for all that agree in the slots which a heuristic looks at.
//!
//! Any heuristic that says what it looks at will do: like a predicate, it is asked once for each combination that some state reached
//! has. What it says is kept by value, a set for each: the partition that BDDA* and SetA* need (Edelkamp, Reffel 1998; Jensen, Bryant,
//! Veloso 2002). The states of different values never meet in one set, so no arithmetic on diagrams is needed.
//!
//! Claims: exact; a second state is asked whether the heuristic looks at nothing else. Fails: heuristics that look at many slots are
//! asked too often.

use std::collections::BTreeMap;

use bughound_kernel::{Estimate, Heuristic, SlotSet, State};

use crate::diagrams::{Computed, Set, Stop};
use crate::projection::Projection;
use crate::pulse::Pulse;
use crate::rows::{Row, set_of};
use crate::space::Space;

pub(crate) struct Estimates<'h> {
    heuristic: &'h mut dyn Heuristic,
    projection: Projection,
    unknown: Set,
    /// Combinations by what is estimated; those from which no error can be reached are in none.
    by_value: BTreeMap<u64, Set>,
}

impl<'h> Estimates<'h> {
    /// By a heuristic that looks at these slots.
    pub fn new(space: &Space<'_>, heuristic: &'h mut dyn Heuristic, slots: &SlotSet) -> Computed<Estimates<'h>> {
        let projection = space.projection(slots)?;
        let unknown = space.diagrams.full();
        Ok(Estimates { heuristic, projection, unknown, by_value: BTreeMap::new() })
    }

    /// May a step that writes these slots change an estimate?
    pub fn changes_by(&self, written: &[u32]) -> bool {
        written.iter().any(|slot| self.projection.slots().contains(*slot))
    }

    /// These states by estimate, and those from which no error can be reached.
    #[allow(clippy::type_complexity)]
    pub fn split(
        &mut self,
        space: &Space<'_>,
        states: &Set,
        pulse: &mut Pulse<'_, '_>,
    ) -> Computed<(Vec<(u64, Set)>, Set)> {
        self.learn(space, states, pulse)?;
        let (mut parts, mut hopeless) = (Vec::new(), states.clone());
        for (value, set) in &self.by_value {
            let here = space.diagrams.and(states, set)?;
            if !space.diagrams.is_empty(&here) {
                hopeless = space.diagrams.without(&hopeless, &here)?;
                parts.push((*value, here));
            }
        }
        Ok((parts, hopeless))
    }

    fn learn(&mut self, space: &Space<'_>, states: &Set, pulse: &mut Pulse<'_, '_>) -> Computed<()> {
        loop {
            pulse.beat(&space.diagrams)?;
            let examples = self.projection.examples(&space.drawing(), states, &self.unknown)?;
            if examples.is_empty() {
                return Ok(());
            }
            let mut seen: Vec<Row> = Vec::new();
            let mut found: BTreeMap<u64, Vec<Row>> = BTreeMap::new();
            for example in examples {
                pulse.beat(&space.diagrams)?;
                let estimate = self.estimate(space, &example.state);
                if let Some(other) = &example.other
                    && self.estimate(space, other) != estimate
                {
                    return Err(Stop::Broken("a heuristic looks at more than it says".into()));
                }
                if let Estimate::Finite(value) = estimate {
                    found.entry(value).or_default().push(example.row.clone());
                }
                seen.push(example.row);
            }
            let look = self.projection.variables();
            let seen = set_of(&space.diagrams, look, &mut seen)?;
            self.unknown = space.diagrams.without(&self.unknown, &seen)?;
            for (value, mut rows) in found {
                let set = set_of(&space.diagrams, look, &mut rows)?;
                let known = self.by_value.entry(value).or_insert_with(|| space.diagrams.empty());
                *known = space.diagrams.or(known, &set)?;
            }
        }
    }

    fn estimate(&mut self, space: &Space<'_>, state: &[bool]) -> Estimate {
        let key = space.decode(state);
        self.heuristic.estimate(State::discrete(&key).into())
    }
}
