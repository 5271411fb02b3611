//! The variables of a pattern as bits of diagrams, and sets of their values.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use bughound_diagrams::{Diagrams, NoRoom, Set, order};
use bughound_finite::relation::{Relation, Value};
use bughound_finite::task::Task;

use crate::patterns::pattern::Pattern;
use crate::patterns::projection::Projection;

/// Which bits stand for which variables: those that the same operators are about close together.
#[derive(Clone, Debug)]
pub struct Encoding {
    /// By place in the pattern, the most significant bit first.
    bits: Vec<Range<u32>>,
    /// By bit: the place whose value it is part of, and by how much that is shifted.
    pub parts: Vec<(u32, u32)>,
}

/// Whether a set is about the values before a step or after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    Before,
    After,
}

impl When {
    pub fn variable(self, bit: u32) -> u32 {
        match self {
            When::Before => Diagrams::before(bit),
            When::After => Diagrams::after(bit),
        }
    }
}

fn width(size: u32) -> u32 {
    u32::BITS - size.saturating_sub(1).leading_zeros()
}

/// How many bits the variables of a pattern take.
pub fn bits_of(task: &Task, pattern: &Pattern) -> u32 {
    pattern.variables.iter().map(|variable| width(task.variables[*variable].size)).sum()
}

impl Encoding {
    pub fn new(task: &Task, pattern: &Pattern, projection: &Projection) -> Encoding {
        let places = |relations: &[(usize, Relation)]| relations.iter().map(|(place, _)| *place as u32).collect();
        let mut together: BTreeSet<Vec<u32>> = projection.steps().map(|step| places(&step.relations)).collect();
        together.extend(projection.errors().map(|(relations, _)| places(relations)));
        let together: Vec<_> = together.into_iter().map(|places| places.into_iter().collect()).collect();
        let mut encoding = Encoding { bits: vec![0..0; pattern.variables.len()], parts: Vec::new() };
        for place in order(pattern.variables.len() as u32, &together) {
            let first = encoding.bits();
            let width = width(task.variables[pattern.variables[place as usize]].size);
            encoding.parts.extend((0..width).rev().map(|shift| (place, shift)));
            encoding.bits[place as usize] = first..encoding.bits();
        }
        encoding
    }

    /// Of a whole state.
    pub fn bits(&self) -> u32 {
        self.parts.len() as u32
    }

    /// The bits of one variable, the most significant one first.
    pub fn of(&self, place: usize) -> Range<u32> {
        self.bits[place].clone()
    }

    /// The states in which a variable has one of these values, which ascend.
    pub fn values(&self, diagrams: &Diagrams, place: usize, values: &[Value], when: When) -> Result<Set, NoRoom> {
        fn build(diagrams: &Diagrams, bits: Range<u32>, values: &[Value], when: When) -> Result<Set, NoRoom> {
            if values.is_empty() {
                return Ok(diagrams.empty());
            }
            let Some(shift) = (bits.end - bits.start).checked_sub(1) else { return Ok(diagrams.full()) };
            let (zeros, ones) = values.split_at(values.partition_point(|value| value >> shift & 1 == 0));
            let rest = || bits.start + 1..bits.end;
            let (zeros, ones) = (build(diagrams, rest(), zeros, when)?, build(diagrams, rest(), ones, when)?);
            diagrams.choice(when.variable(bits.start), &ones, &zeros)
        }
        build(diagrams, self.of(place), values, when)
    }

    /// The states in which a relation can be applied.
    pub fn allowed(&self, diagrams: &Diagrams, place: usize, relation: &Relation) -> Result<Set, NoRoom> {
        let values: Vec<Value> =
            relation.iter().filter(|(_, after)| !after.is_empty()).map(|(value, _)| value).collect();
        self.values(diagrams, place, &values, When::Before)
    }

    /// The pairs of states of which a relation makes the second of the first, as far as this variable goes.
    pub fn pairs(&self, diagrams: &Diagrams, place: usize, relation: &Relation) -> Result<Set, NoRoom> {
        let mut alike: HashMap<&[Value], Vec<Value>> = HashMap::new();
        for (before, after) in relation.iter() {
            alike.entry(after).or_default().push(before);
        }
        let mut alike: Vec<(&[Value], Vec<Value>)> = alike.into_iter().collect();
        alike.sort_unstable();
        let mut pairs = diagrams.empty();
        for (after, before) in alike {
            let mut after = after.to_vec();
            after.sort_unstable();
            let before = self.values(diagrams, place, &before, When::Before)?;
            let after = self.values(diagrams, place, &after, When::After)?;
            pairs = diagrams.or(&pairs, &diagrams.and(&before, &after)?)?;
        }
        Ok(pairs)
    }
}
