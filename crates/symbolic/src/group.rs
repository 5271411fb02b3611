//! What is known of a group of steps: relations between the values of its slots before and after a step.
//!
//! A relation belongs to one weight and to one set of slots that are written: all other slots keep their values, and no variable
//! says so. What a group does not look at and writes all the same (the cells of a queue, say) is not looked at as long as the
//! explorer tells which slots a step writes ([`Changes`](bughound_kernel::Changes)); else it is, for values may stay as they are.

use std::collections::BTreeMap;
use std::rc::Rc;

use bughound_kernel::{FailureKind, Marks, SlotSet, StepGroup};
use oxidd::VarNo;

use crate::diagrams::{Computed, Diagrams, Renaming, Set};
use crate::projection::Projection;
use crate::rows::{Row, pack, set_of};
use crate::variables::{Codes, Variables};

/// Sequences write different slots each time: from so many relations on, those that are alike are put together.
const MANY_RELATIONS: usize = 24;

/// Steps that write more different values are not told apart by them.
const FEW_LANDINGS: usize = 4;

/// Steps of one weight that write the same slots.
pub(crate) struct Relation {
    pub weight: u64,
    /// Of the processes that matter, those that take part.
    pub movers: Marks,
    /// The slots that they write.
    pub written: Vec<u32>,
    steps: Set,
    /// The variables of the slots written, before and after the step.
    before: Set,
    after: Set,
    forward: Rc<Renaming>,
    backward: Rc<Renaming>,
    variables: Vec<VarNo>,
    /// The same steps by what they write, if they write few different values: then no variable need be renamed.
    landings: Option<Vec<Landing>>,
}

/// Steps that write the same values.
struct Landing {
    codes: Codes,
    /// Where they can be taken.
    from: Set,
    /// The values in the slots written.
    to: Set,
}

impl Relation {
    fn new(diagrams: &Diagrams, variables: &Variables, look: &[VarNo], key: &Key) -> Computed<Relation> {
        let (weight, written, movers) = key;
        let mut bits: Vec<u32> = written.iter().flat_map(|slot| variables.of(*slot)).collect();
        bits.sort_unstable();
        let forward: Vec<_> = bits.iter().map(|bit| (Diagrams::after(*bit), Diagrams::before(*bit))).collect();
        let backward: Vec<_> = forward.iter().map(|(after, before)| (*before, *after)).collect();
        let mut all: Vec<VarNo> = look.iter().copied().chain(forward.iter().map(|(after, _)| *after)).collect();
        all.sort_unstable();
        Ok(Relation {
            weight: *weight,
            movers: *movers,
            written: written.clone(),
            steps: diagrams.empty(),
            before: diagrams.variables(backward.iter().map(|(before, _)| *before))?,
            after: diagrams.variables(forward.iter().map(|(after, _)| *after))?,
            forward: Rc::new(diagrams.renaming(&forward)?),
            backward: Rc::new(diagrams.renaming(&backward)?),
            variables: all,
            landings: Some(Vec::new()),
        })
    }

    /// Adds steps: by the values that they write, the combinations where they can be taken.
    fn add_landings(
        &mut self,
        diagrams: &Diagrams,
        variables: &Variables,
        look: &[VarNo],
        found: BTreeMap<Codes, Vec<Row>>,
    ) -> Computed<()> {
        for (codes, mut rows) in found {
            let Some(landings) = &mut self.landings else { return Ok(()) };
            let from = set_of(diagrams, look, &mut rows)?;
            if let Some(known) = landings.iter_mut().find(|landing| landing.codes == codes) {
                known.from = diagrams.or(&known.from, &from)?;
                continue;
            }
            if landings.len() == FEW_LANDINGS {
                self.landings = None;
                return Ok(());
            }
            let written = self.written.iter().zip(&codes);
            let mut bits: Vec<(VarNo, bool)> = written
                .flat_map(|(slot, code)| variables.of(*slot).map(Diagrams::before).zip(variables.bits_of(*slot, *code)))
                .collect();
            bits.sort_unstable();
            let row = pack(bits.iter().map(|(_, bit)| *bit));
            let bits: Vec<VarNo> = bits.into_iter().map(|(variable, _)| variable).collect();
            landings.push(Landing { codes, from, to: set_of(diagrams, &bits, &mut vec![row])? });
        }
        Ok(())
    }

    /// The first variable that these steps look at or write, as it is before the step.
    pub fn top(&self) -> VarNo {
        self.variables.first().map_or(0, |variable| variable - variable % 2)
    }

    /// Those of these steps that begin in the states of a set, which looks at these variables.
    pub fn restricted_to(&self, diagrams: &Diagrams, states: &Set, look: &[VarNo]) -> Computed<Relation> {
        let restricted = |landing: &Landing| -> Computed<Landing> {
            let from = diagrams.and(&landing.from, states)?;
            Ok(Landing { codes: landing.codes.clone(), from, to: landing.to.clone() })
        };
        let landings =
            self.landings.as_ref().map(|all| all.iter().map(restricted).collect::<Computed<Vec<_>>>()).transpose()?;
        let mut variables = [&self.variables[..], look].concat();
        variables.sort_unstable();
        variables.dedup();
        Ok(Relation {
            weight: self.weight,
            movers: self.movers,
            written: self.written.clone(),
            steps: diagrams.and(&self.steps, states)?,
            before: self.before.clone(),
            after: self.after.clone(),
            forward: Rc::clone(&self.forward),
            backward: Rc::clone(&self.backward),
            variables,
            landings,
        })
    }

    /// Where these steps lead to from a set.
    pub fn image(&self, diagrams: &Diagrams, from: &Set) -> Computed<Set> {
        if let Some(landings) = &self.landings {
            return landings.iter().try_fold(diagrams.empty(), |all, landing| {
                let left = diagrams.and_exists(from, &landing.from, &self.before)?;
                Ok(diagrams.or(&all, &diagrams.and(&left, &landing.to)?)?)
            });
        }
        let after = diagrams.and_exists(from, &self.steps, &self.before)?;
        Ok(diagrams.renamed(&after, &self.forward)?)
    }

    /// From where these steps lead into a set.
    pub fn preimage(&self, diagrams: &Diagrams, to: &Set) -> Computed<Set> {
        if let Some(landings) = &self.landings {
            return landings.iter().try_fold(diagrams.empty(), |all, landing| {
                let left = diagrams.and_exists(to, &landing.to, &self.before)?;
                Ok(diagrams.or(&all, &diagrams.and(&left, &landing.from)?)?)
            });
        }
        let after = diagrams.renamed(to, &self.backward)?;
        Ok(diagrams.and_exists(&after, &self.steps, &self.after)?)
    }
}

/// What is counted of steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Tally {
    Step,
    Assertion,
    Evaluation,
}

impl From<FailureKind> for Tally {
    fn from(kind: FailureKind) -> Tally {
        match kind {
            FailureKind::Assertion => Tally::Assertion,
            FailureKind::Evaluation => Tally::Evaluation,
        }
    }
}

/// What one step of an example does.
pub(crate) enum Effect {
    /// It leads to these values, and writes these slots.
    Writes {
        weight: u64,
        written: Vec<u32>,
        codes: Codes,
        movers: Marks,
    },
    Fails {
        weight: u64,
        kind: FailureKind,
    },
}

impl Effect {
    /// The same step taken in a state with these codes: its weight, who takes part, and how it fails or where it leads.
    pub fn on(&self, from: &Codes) -> (u64, Marks, Option<Tally>, Codes) {
        match self {
            Effect::Fails { weight, kind } => (*weight, Marks::NONE, Some(Tally::from(*kind)), Codes::new()),
            Effect::Writes { weight, written, codes, movers } => {
                let mut to = from.clone();
                written.iter().for_each(|slot| to[*slot as usize] = codes[*slot as usize]);
                (*weight, *movers, None, to)
            }
        }
    }
}

pub(crate) struct Group {
    pub about: StepGroup,
    pub projection: Projection,
    /// The values of all slots that it may leave as they are are looked at.
    pub looks_at_writes: bool,
    /// Combinations at which nothing is known yet.
    pub unknown: Set,
    /// Combinations with a step, a failing one or another.
    pub possible: Set,
    /// Combinations with so many steps, or failures.
    pub tallies: BTreeMap<(Tally, u32), Set>,
    pub failures: BTreeMap<(FailureOrder, u64), Set>,
    pub relations: Vec<Relation>,
    by_key: BTreeMap<Key, usize>,
}

/// What the steps of a relation have in common: their weight, the slots that they write, who takes part.
type Key = (u64, Vec<u32>, Marks);

/// A kind of failure, to sort by.
pub(crate) type FailureOrder = Tally;

/// What was found for a few combinations.
#[derive(Default)]
struct Batch {
    seen: Vec<Row>,
    possible: Vec<Row>,
    tallies: BTreeMap<(Tally, u32), Vec<Row>>,
    failures: BTreeMap<(FailureOrder, u64), Vec<Row>>,
    steps: BTreeMap<usize, Vec<Row>>,
    /// By the values written.
    landings: BTreeMap<usize, BTreeMap<Codes, Vec<Row>>>,
}

impl Group {
    pub fn new(diagrams: &Diagrams, variables: &Variables, about: StepGroup, looks_at_writes: bool) -> Computed<Group> {
        let slots = looked_at(&about, looks_at_writes, variables.slots());
        let projection = Projection::new(diagrams, variables, slots)?;
        let (slot, value) = about.here;
        let location: Vec<VarNo> = variables.of(slot).map(Diagrams::before).collect();
        let unknown = match variables.code(slot, Some(value)) {
            None => diagrams.empty(),
            Some(code) => {
                let row = pack(variables.bits_of(slot, code).collect::<Vec<bool>>().into_iter());
                set_of(diagrams, &location, &mut vec![row])?
            }
        };
        Ok(Group {
            about,
            projection,
            looks_at_writes,
            unknown,
            possible: diagrams.empty(),
            tallies: BTreeMap::new(),
            failures: BTreeMap::new(),
            relations: Vec::new(),
            by_key: BTreeMap::new(),
        })
    }

    /// Which slots are written when a step leads from these codes to those. `told`: what the explorer says.
    pub fn written(
        &self,
        variables: &Variables,
        from: &Codes,
        to: &Codes,
        told: Option<&[u32]>,
    ) -> Result<Vec<u32>, String> {
        let slots = self.projection.slots();
        let (may_write, created) = (&self.about.access.may_write, &self.about.access.created);
        if let Some(slot) =
            (0..from.len() as u32).find(|s| from[*s as usize] != to[*s as usize] && !may_write.contains(*s))
        {
            return Err(format!("slot {slot} is written by edge {}", self.about.first.edge));
        }
        // Slots of processes that have no room are not there, neither before nor after the step.
        let is_there = |slot: u32| (slot as usize) < from.len();
        let differs = |slot: u32| from[slot as usize] != to[slot as usize];
        let writes = |slot: &u32| is_there(*slot) && (!slots.contains(*slot) || differs(*slot));
        let mut written: Vec<u32> = match told {
            Some(told) => told.iter().copied().filter(writes).collect(),
            None => may_write.iter().filter(|slot| !created.contains(*slot)).filter(writes).collect(),
        };
        written.extend(variables.come_and_go(from, to).filter(writes));
        written.sort_unstable();
        written.dedup();
        Ok(written)
    }

    /// Is all that a step writes told by what is looked at?
    pub fn must_be_told(&self) -> bool {
        let access = &self.about.access;
        !self.looks_at_writes
            && !access.reads_everything
            && access.may_write.iter().any(|slot| {
                !access.must_write.contains(slot) && !access.created.contains(slot) && !access.reads.contains(slot)
            })
    }

    /// Notes what the steps of some combinations do.
    pub fn learn(
        &mut self,
        diagrams: &Diagrams,
        variables: &Variables,
        found: Vec<(Row, Codes, Vec<Effect>)>,
    ) -> Computed<()> {
        let mut batch = Batch::default();
        for (row, codes, effects) in found {
            let mut counts: BTreeMap<Tally, u32> = BTreeMap::new();
            for effect in &effects {
                match effect {
                    Effect::Writes { weight, written, codes: to, movers } => {
                        *counts.entry(Tally::Step).or_default() += 1;
                        let relation = self.relation(diagrams, variables, (*weight, written.clone(), *movers))?;
                        let variable = |v: &VarNo| variables.bit(if v.is_multiple_of(2) { &codes } else { to }, v / 2);
                        let steps = pack(self.relations[relation].variables.iter().map(variable));
                        batch.steps.entry(relation).or_default().push(steps);
                        let Relation { written, landings, .. } = &self.relations[relation];
                        if landings.is_some() {
                            let codes = written.iter().map(|slot| to[*slot as usize]).collect();
                            let landings = batch.landings.entry(relation).or_default();
                            landings.entry(codes).or_default().push(row.clone());
                        }
                    }
                    Effect::Fails { weight, kind } => {
                        *counts.entry(Tally::from(*kind)).or_default() += 1;
                        batch.failures.entry((Tally::from(*kind), *weight)).or_default().push(row.clone());
                    }
                }
            }
            for (tally, count) in counts {
                batch.tallies.entry((tally, count)).or_default().push(row.clone());
            }
            if !effects.is_empty() {
                batch.possible.push(row.clone());
            }
            batch.seen.push(row);
        }
        self.add(diagrams, variables, batch)
    }

    fn add(&mut self, diagrams: &Diagrams, variables: &Variables, mut batch: Batch) -> Computed<()> {
        let look = self.projection.variables();
        for (relation, found) in batch.landings {
            self.relations[relation].add_landings(diagrams, variables, look, found)?;
        }
        for (relation, mut rows) in batch.steps {
            let relation = &mut self.relations[relation];
            let steps = set_of(diagrams, &relation.variables, &mut rows)?;
            relation.steps = diagrams.or(&relation.steps, &steps)?;
        }
        for (key, mut rows) in batch.failures {
            let set = set_of(diagrams, look, &mut rows)?;
            let known = self.failures.entry(key).or_insert_with(|| diagrams.empty());
            *known = diagrams.or(known, &set)?;
        }
        for (key, mut rows) in batch.tallies {
            let set = set_of(diagrams, look, &mut rows)?;
            let known = self.tallies.entry(key).or_insert_with(|| diagrams.empty());
            *known = diagrams.or(known, &set)?;
        }
        let possible = set_of(diagrams, look, &mut batch.possible)?;
        self.possible = diagrams.or(&self.possible, &possible)?;
        let seen = set_of(diagrams, look, &mut batch.seen)?;
        self.unknown = diagrams.without(&self.unknown, &seen)?;
        Ok(())
    }

    fn relation(&mut self, diagrams: &Diagrams, variables: &Variables, mut key: Key) -> Computed<usize> {
        if !self.by_key.contains_key(&key) && self.looks_at_writes && self.by_key.len() >= MANY_RELATIONS {
            let always = self.about.access.may_write.iter().filter(|slot| self.projection.slots().contains(*slot));
            key.1.extend(always);
            key.1.sort_unstable();
            key.1.dedup();
        }
        if let Some(known) = self.by_key.get(&key) {
            return Ok(*known);
        }
        self.relations.push(Relation::new(diagrams, variables, self.projection.variables(), &key)?);
        self.by_key.insert(key, self.relations.len() - 1);
        Ok(self.relations.len() - 1)
    }
}

/// The slots whose values decide what the steps of a group do.
pub(crate) fn looked_at(about: &StepGroup, looks_at_writes: bool, slots: u32) -> SlotSet {
    let access = &about.access;
    if access.reads_everything {
        return (0..slots).collect();
    }
    let certain = |slot: u32| access.must_write.contains(slot) || access.created.contains(slot);
    let uncertain = access.may_write.iter().filter(|slot| looks_at_writes && !certain(*slot));
    access.reads.iter().chain([about.here.0]).chain(uncertain).filter(|slot| *slot < slots).collect()
}
