//! A few slots of all states: what is learned about a group of steps, or a predicate, is learned once for each combination of the
//! values of the slots that it looks at.
//!
//! This is how PINS gives symbolic searches any language that can compute successors (Blom, van de Pol, Weber 2010; Kant et al.
//! 2015): nothing is translated. Whatever is asked about is asked about a state that was reached, so the explorer never sees
//! anything that does not make sense.

use std::cell::RefCell;

use bughound_kernel::{Random, SlotSet};
use oxidd::VarNo;

use crate::diagrams::{Computed, Diagrams, Set};
use crate::rows::{Row, bit, member, rows_of};
use crate::variables::Variables;

/// So many combinations are looked at together.
const TOGETHER: usize = 1 << 13;

pub(crate) struct Projection {
    slots: SlotSet,
    /// The variables of these slots before a step, in the order of the diagrams.
    look: Vec<VarNo>,
    /// Those of all others.
    others: Set,
}

/// A combination, and a state that has it.
pub(crate) struct Example {
    pub row: Row,
    pub state: Vec<bool>,
    /// Another one, as different as may be, to see whether nothing else makes a difference.
    pub other: Option<Vec<bool>>,
}

/// What states are drawn from.
pub(crate) struct Drawing<'s> {
    pub diagrams: &'s Diagrams,
    pub bits: u32,
    pub random: &'s RefCell<Random>,
}

impl Projection {
    pub fn new(diagrams: &Diagrams, variables: &Variables, slots: SlotSet) -> Computed<Projection> {
        let mut own: Vec<u32> = slots.iter().flat_map(|slot| variables.of(slot)).collect();
        own.sort_unstable();
        let others: Vec<VarNo> =
            (0..variables.bits()).filter(|bit| own.binary_search(bit).is_err()).map(Diagrams::before).collect();
        let others = diagrams.variables(others.into_iter())?;
        Ok(Projection { slots, look: own.into_iter().map(Diagrams::before).collect(), others })
    }

    pub fn slots(&self) -> &SlotSet {
        &self.slots
    }

    pub fn variables(&self) -> &[VarNo] {
        &self.look
    }

    /// Some of the combinations in `wanted` that states of `set` have.
    pub fn examples(&self, space: &Drawing<'_>, set: &Set, wanted: &Set) -> Computed<Vec<Example>> {
        let Drawing { diagrams, bits, random } = space;
        // Mostly there are none, and that is cheap to see.
        let set = &diagrams.and(set, wanted)?;
        if diagrams.is_empty(set) {
            return Ok(Vec::new());
        }
        let combinations = diagrams.and_exists(set, &diagrams.full(), &self.others)?;
        let mut given = vec![None; *bits as usize];
        let rows = rows_of(diagrams, &combinations, &self.look, TOGETHER).into_iter();
        let examples = rows.filter_map(|row| {
            for (at, variable) in self.look.iter().enumerate() {
                given[*variable as usize / 2] = Some(bit(&row, at));
            }
            let liked = random.borrow_mut().draw();
            let state = member(diagrams, set, &given, &|at| liked >> (at % 64) & 1 == 1)?;
            let other =
                member(diagrams, set, &given, &|at| liked >> (at % 64) & 1 == 0).filter(|other| *other != state);
            Some(Example { row, state, other })
        });
        Ok(examples.collect())
    }
}
