//! Sets of states by their distance to an error, the smallest first: Dijkstra's search backwards, all states of one distance at once.
//!
//! It can be ended at any moment. Then the distances that were found are exact, and all other states are at least as far away as
//! what was to come: a lower bound that falls by no more than a step costs.

use std::collections::BTreeMap;

use bughound_diagrams::{Diagrams, NoRoom, Set};
use bughound_finite::cost::{Cost, INFINITE, plus};
use bughound_kernel::Watch;

use super::steps::{Step, Steps};

/// There is no room or no time for more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended;

impl From<NoRoom> for Ended {
    fn from(_: NoRoom) -> Ended {
        Ended
    }
}

/// Tells about the work.
pub struct Effort<'w> {
    watch: &'w dyn Watch,
    nodes: u64,
}

impl<'w> Effort<'w> {
    pub fn new(watch: &'w dyn Watch) -> Effort<'w> {
        Effort { watch, nodes: 0 }
    }

    /// Is there time for another operation?
    pub fn goes_on(&mut self, diagrams: &Diagrams) -> Result<(), Ended> {
        let nodes = diagrams.all_nodes();
        let made = nodes.saturating_sub(self.nodes);
        self.nodes = nodes;
        if self.watch.go_on(1 + made, diagrams.memory()) { Ok(()) } else { Err(Ended) }
    }
}

pub struct Layers {
    /// Disjoint, by distance.
    pub found: Vec<(Cost, Set)>,
    /// The distance of all other states, at least.
    pub others: Cost,
    /// No other states are looked at: steps do not lead out of them.
    among: Set,
    reached: Set,
    open: BTreeMap<Cost, Set>,
}

impl Layers {
    /// No distance is known.
    pub fn none(diagrams: &Diagrams) -> Layers {
        Layers {
            found: Vec::new(),
            others: 0,
            among: diagrams.full(),
            reached: diagrams.empty(),
            open: BTreeMap::new(),
        }
    }

    /// Looks at no other states than these, to which all steps from them lead.
    pub fn only_among(&mut self, states: Set) {
        self.among = states;
    }

    /// All distances up to `farthest`, as far as there is room and time.
    pub fn search(
        &mut self,
        diagrams: &Diagrams,
        steps: &Steps,
        farthest: Cost,
        effort: &mut Effort<'_>,
    ) -> Result<(), Ended> {
        self.open.clone_from(&steps.errors);
        self.others = 0;
        while let Some((distance, states)) = self.open.pop_first() {
            self.others = distance;
            if distance > farthest {
                return Ok(());
            }
            let states = diagrams.without(&diagrams.and(&states, &self.among)?, &self.reached)?;
            let layer = self.for_nothing(diagrams, steps, states, effort)?;
            if diagrams.is_empty(&layer) {
                continue;
            }
            self.found.push((distance, layer.clone()));
            let next = self.open.first_key_value().map_or(INFINITE, |(distance, _)| *distance);
            self.others = next.min(plus(distance, steps.least_cost()));
            for step in steps.steps.iter().filter(|step| step.cost > 0) {
                effort.goes_on(diagrams)?;
                let before = self.before(diagrams, step, &layer)?;
                let before = diagrams.without(&before, &self.reached)?;
                if !diagrams.is_empty(&before) {
                    let all = self.open.entry(plus(distance, step.cost)).or_insert_with(|| diagrams.empty());
                    *all = diagrams.or(all, &before)?;
                }
            }
        }
        self.others = INFINITE;
        Ok(())
    }

    fn before(&self, diagrams: &Diagrams, step: &Step, to: &Set) -> Result<Set, NoRoom> {
        diagrams.and(&step.preimage(diagrams, to)?, &self.among)
    }

    /// Adds the states from which steps that cost nothing lead there.
    fn for_nothing(
        &mut self,
        diagrams: &Diagrams,
        steps: &Steps,
        states: Set,
        effort: &mut Effort<'_>,
    ) -> Result<Set, Ended> {
        let (mut layer, mut new) = (states.clone(), states);
        let mut reached = diagrams.or(&self.reached, &layer)?;
        while !diagrams.is_empty(&new) {
            let mut before = diagrams.empty();
            for step in steps.steps.iter().filter(|step| step.cost == 0) {
                effort.goes_on(diagrams)?;
                before = diagrams.or(&before, &self.before(diagrams, step, &new)?)?;
            }
            new = diagrams.without(&before, &reached)?;
            layer = diagrams.or(&layer, &new)?;
            reached = diagrams.or(&reached, &new)?;
        }
        self.reached = reached;
        Ok(layer)
    }
}
