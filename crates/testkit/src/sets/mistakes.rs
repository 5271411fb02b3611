//! Mistakes planted in what systems say of their steps, and whether they are found.

use std::panic::{AssertUnwindSafe, catch_unwind};

use bughound_kernel::{Dependencies, Explorer, Layout, SlotSet, StepGroup, TransitionSystem};
use bughound_semantics::DiscreteSystem;

use super::{Asked, Subject, compare, contract};
use crate::random_promela::Rng;

/// What a system says of itself with a mistake in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mistake {
    /// A slot that each group reads is missing.
    Read,
    /// A slot that nobody is said to read.
    Slot,
    /// A slot that each group may write is missing.
    Write,
    /// Slots that need not be written are said to be written for certain.
    Certain,
    /// Slots are said to be written only where processes come and go.
    Created,
    /// The groups of an edge are missing.
    Group,
    /// A slot that each predicate reads is missing.
    Atom,
    /// A process may stay nowhere.
    Resting,
}

impl Mistake {
    pub const ALL: [Mistake; 8] = [
        Mistake::Read,
        Mistake::Slot,
        Mistake::Write,
        Mistake::Certain,
        Mistake::Created,
        Mistake::Group,
        Mistake::Atom,
        Mistake::Resting,
    ];
}

/// What became of a mistake.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    /// Some reachable state contradicts what is said: it makes a difference.
    pub matters: bool,
    /// Some search has said something wrong, or has seen the contradiction.
    pub found: bool,
}

/// A system that does not tell everything about itself.
struct Mistaken<'a> {
    system: &'a DiscreteSystem,
    mistake: Mistake,
    seed: u64,
}

impl TransitionSystem for Mistaken<'_> {
    fn layout(&self) -> &Layout {
        self.system.layout()
    }

    fn explorer(&self) -> Box<dyn Explorer + '_> {
        self.system.explorer()
    }

    fn atoms(&self) -> u32 {
        self.system.atoms()
    }

    fn dependencies(&self) -> Result<Dependencies, &'static str> {
        let mut all = self.system.dependencies()?;
        let mut rng = Rng::new(self.seed);
        match self.mistake {
            Mistake::Group => {
                let edge = all.groups.get(rng.below(all.groups.len().max(1))).map(|group| group.first.edge);
                all.groups.retain(|group| Some(group.first.edge) != edge);
            }
            Mistake::Atom => all.atoms.iter_mut().for_each(|atom| atom.reads = less(&atom.reads, &mut rng)),
            Mistake::Resting if !all.resting.is_empty() => {
                let at = rng.below(all.resting.len());
                all.resting[at].1.clear();
            }
            _ => {}
        }
        let read = all.groups.iter().flat_map(|group| group.access.reads.iter());
        let read: Vec<u32> = read.filter(|slot| all.groups.iter().all(|group| group.here.0 != *slot)).collect();
        let nobody_reads = read.get(rng.below(read.len().max(1))).copied();
        for StepGroup { access, here, .. } in &mut all.groups {
            let elsewhere = |slots: &SlotSet| -> SlotSet { slots.iter().filter(|slot| *slot != here.0).collect() };
            match self.mistake {
                Mistake::Read => access.reads = less(&elsewhere(&access.reads), &mut rng),
                Mistake::Slot => access.reads = access.reads.iter().filter(|s| Some(*s) != nobody_reads).collect(),
                Mistake::Write => access.may_write = less(&access.may_write, &mut rng),
                Mistake::Certain => access.must_write = access.may_write.clone(),
                Mistake::Created => access.created = elsewhere(&access.may_write),
                Mistake::Group | Mistake::Atom | Mistake::Resting => {}
            }
        }
        Ok(all)
    }
}

/// Is it found, or does an explorer that is asked about a state which makes no sense give up?
fn outspoken(finds: impl FnOnce() -> bool) -> bool {
    catch_unwind(AssertUnwindSafe(finds)).unwrap_or(true)
}

/// Without one of them.
fn less(slots: &SlotSet, rng: &mut Rng) -> SlotSet {
    let all: Vec<u32> = slots.iter().collect();
    let out = all.get(rng.below(all.len().max(1))).copied();
    all.into_iter().filter(|slot| Some(*slot) != out).collect()
}

/// Plants a mistake; `None` if there is nothing to compare. Many mistakes are about what never happens, or makes no difference in the
/// states of the program: those that do matter ought to be found.
pub fn plant(mistake: Mistake, seed: u64) -> Option<Outcome> {
    let subject = Subject::of(seed)?;
    let states = subject.states()?;
    let Subject { network, conditions, system, .. } = &subject;
    let mistaken = Mistaken { system, mistake, seed };
    let honest = compare(&Asked { network, known: system, system, conditions }).ok().filter(|compared| *compared > 0);
    honest.map(|_| Outcome {
        matters: contract::check(&mistaken, &states).is_ok_and(|contract| contract.broken.is_some()),
        found: outspoken(|| compare(&Asked { network, known: system, system: &mistaken, conditions }).is_err()),
    })
}
