//! The operators of an abstraction as relations between states: those of one cost that change the same variables are one.

use std::collections::{BTreeMap, HashMap};

use bughound_diagrams::{Diagrams, NoRoom, Renaming, Set};
use bughound_finite::cost::Cost;
use bughound_finite::relation::Relation;

use super::encoding::{Encoding, When};
use super::layers::Effort;
use super::layers::Ended;
use crate::patterns::projection::Projection;

/// Relations with more nodes than this are not joined: images of several small ones are cheaper.
const MOST_NODES_JOINED: u64 = 4_000;

/// Operators of one cost that change the same variables.
pub struct Step {
    pub cost: Cost,
    pairs: Set,
    /// The values of these variables before it, and after it.
    before: Set,
    after: Set,
    forward: Renaming,
    backward: Renaming,
}

impl Step {
    /// Where it leads to from a set.
    pub fn image(&self, diagrams: &Diagrams, from: &Set) -> Result<Set, NoRoom> {
        let to = diagrams.and_exists(from, &self.pairs, &self.before)?;
        diagrams.renamed(&to, &self.forward)
    }

    /// From where it leads into a set.
    pub fn preimage(&self, diagrams: &Diagrams, to: &Set) -> Result<Set, NoRoom> {
        let to = diagrams.renamed(to, &self.backward)?;
        diagrams.and_exists(&to, &self.pairs, &self.after)
    }
}

/// Sets for relations, which many operators share.
struct Known<'e> {
    diagrams: &'e Diagrams,
    encoding: &'e Encoding,
    allowed: HashMap<(usize, *const ()), Set>,
    pairs: HashMap<(usize, *const ()), Set>,
}

impl Known<'_> {
    fn allowed(&mut self, place: usize, relation: &Relation) -> Result<Set, NoRoom> {
        if let Some(known) = self.allowed.get(&(place, relation.identity())) {
            return Ok(known.clone());
        }
        let set = self.encoding.allowed(self.diagrams, place, relation)?;
        self.allowed.insert((place, relation.identity()), set.clone());
        Ok(set)
    }

    fn pairs(&mut self, place: usize, relation: &Relation) -> Result<Set, NoRoom> {
        if let Some(known) = self.pairs.get(&(place, relation.identity())) {
            return Ok(known.clone());
        }
        let set = self.encoding.pairs(self.diagrams, place, relation)?;
        self.pairs.insert((place, relation.identity()), set.clone());
        Ok(set)
    }
}

/// Everything that leads from one state of an abstraction to another.
pub struct Steps {
    pub steps: Vec<Step>,
    /// By cost: the states at which there is an error of this cost.
    pub errors: BTreeMap<Cost, Set>,
}

impl Steps {
    pub fn new(
        diagrams: &Diagrams,
        encoding: &Encoding,
        projection: &Projection,
        effort: &mut Effort<'_>,
    ) -> Result<Steps, Ended> {
        let mut known = Known { diagrams, encoding, allowed: HashMap::new(), pairs: HashMap::new() };
        let free = free(diagrams, encoding, projection)?;
        let mut alike: BTreeMap<(Cost, Vec<usize>), Vec<Set>> = BTreeMap::new();
        for step in projection.steps() {
            effort.goes_on(diagrams)?;
            let mut pairs = if step.from_committed { diagrams.full() } else { free.clone() };
            let mut changed = Vec::new();
            for (place, relation) in &step.relations {
                let set = if relation.only_tests() {
                    known.allowed(*place, relation)?
                } else {
                    changed.push(*place);
                    known.pairs(*place, relation)?
                };
                pairs = diagrams.and(&pairs, &set)?;
            }
            if !diagrams.is_empty(&pairs) {
                alike.entry((step.cost, changed)).or_default().push(pairs);
            }
        }
        let mut steps = Vec::new();
        for ((cost, changed), sets) in alike {
            for pairs in joined(diagrams, sets, effort)? {
                steps.push(step(diagrams, encoding, cost, &changed, pairs)?);
            }
        }
        let mut errors = BTreeMap::new();
        for (relations, cost) in projection.errors() {
            effort.goes_on(diagrams)?;
            let mut here = diagrams.full();
            for (place, relation) in relations {
                here = diagrams.and(&here, &known.allowed(*place, relation)?)?;
            }
            let all = errors.entry(cost).or_insert_with(|| diagrams.empty());
            *all = diagrams.or(all, &here)?;
        }
        Ok(Steps { steps, errors })
    }

    /// All states that steps lead to from these.
    pub fn closure(&self, diagrams: &Diagrams, from: Set, effort: &mut Effort<'_>) -> Result<Set, Ended> {
        let (mut reached, mut new) = (from.clone(), from);
        while !diagrams.is_empty(&new) {
            let before = reached.clone();
            // Each step is taken from what those before it have reached, too.
            for step in &self.steps {
                effort.goes_on(diagrams)?;
                let found = diagrams.without(&step.image(diagrams, &new)?, &reached)?;
                new = diagrams.or(&new, &found)?;
                reached = diagrams.or(&reached, &found)?;
            }
            new = diagrams.without(&reached, &before)?;
        }
        Ok(reached)
    }

    /// What a step costs at least that costs something.
    pub fn least_cost(&self) -> Cost {
        self.steps.iter().map(|step| step.cost).filter(|cost| *cost > 0).min().unwrap_or(1)
    }
}

/// The states in which no process has to move before all others.
fn free(diagrams: &Diagrams, encoding: &Encoding, projection: &Projection) -> Result<Set, NoRoom> {
    let mut free = diagrams.full();
    for (place, values) in projection.committed() {
        let here = encoding.values(diagrams, place, &values, When::Before)?;
        free = diagrams.without(&free, &here)?;
    }
    Ok(free)
}

fn step(diagrams: &Diagrams, encoding: &Encoding, cost: Cost, changed: &[usize], pairs: Set) -> Result<Step, NoRoom> {
    let mut bits: Vec<u32> = changed.iter().flat_map(|place| encoding.of(*place)).collect();
    bits.sort_unstable();
    let before = || bits.iter().map(|bit| Diagrams::before(*bit));
    let after = || bits.iter().map(|bit| Diagrams::after(*bit));
    Ok(Step {
        cost,
        pairs,
        before: diagrams.variables(before())?,
        after: diagrams.variables(after())?,
        forward: diagrams.renaming(&after().zip(before()).collect::<Vec<_>>())?,
        backward: diagrams.renaming(&before().zip(after()).collect::<Vec<_>>())?,
    })
}

/// Two by two, as long as what is joined is small.
fn joined(diagrams: &Diagrams, sets: Vec<Set>, effort: &mut Effort<'_>) -> Result<Vec<Set>, Ended> {
    let (mut open, mut large) = (sets, Vec::new());
    while open.len() > 1 {
        let mut next = Vec::new();
        for pair in open.chunks(2) {
            effort.goes_on(diagrams)?;
            let all = match pair {
                [a, b] => diagrams.or(a, b)?,
                _ => pair[0].clone(),
            };
            if diagrams.nodes(&all) > MOST_NODES_JOINED { large.push(all) } else { next.push(all) }
        }
        open = next;
    }
    large.append(&mut open);
    Ok(large)
}
