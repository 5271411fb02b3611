//! What systems say of their steps ([`Dependencies`]), held against all reachable states.
//!
//! This is what proofs with sets of states rest on: a step that was seen in one state is taken by all states that agree with it where
//! its group looks. So each group's steps are written down where a combination is met for the first time, and predicted from then on:
//! in every other state, the explorer must emit exactly what was predicted. The rules are those of the documentation of
//! [`Dependencies`], in code that the searches do not share.

use std::collections::HashMap;
use std::ops::ControlFlow;

use bughound_kernel::{AtomId, Dependencies, FailureKind, Outcome, Partners, State, StepGroup, TransitionSystem};

/// The value of a slot, if it is there.
type Value = Option<i32>;

/// What a step does, as far as its group is said to know.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Effect {
    /// Its weight; whether it is an assertion.
    Fails(u64, bool),
    Writes(u64, Vec<(u32, Value)>),
}

/// What a state says.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Seen {
    /// Its weight; whether it is an assertion.
    Fails(u64, bool),
    Leads(u64, Vec<i32>),
}

struct Rules<'d> {
    group: &'d StepGroup,
    looks_at: Vec<u32>,
    known: HashMap<Vec<Value>, Vec<Effect>>,
}

/// What was compared, and the first thing that is wrong.
#[derive(Clone, Debug, Default)]
pub struct Contract {
    /// Predictions that came true, those of states without such steps included.
    pub predictions: u64,
    pub broken: Option<String>,
}

fn value(key: &[i32], slot: u32) -> Value {
    key.get(slot as usize).copied()
}

fn row(key: &[i32], slots: &[u32]) -> Vec<Value> {
    slots.iter().map(|slot| value(key, *slot)).collect()
}

/// Holds what `system` says of itself against these states.
pub fn check(system: &dyn TransitionSystem, states: &[Vec<i32>]) -> Result<Contract, &'static str> {
    let dependencies = system.dependencies()?;
    let mut contract = Contract::default();
    let mut rules: Vec<Rules<'_>> = dependencies.groups.iter().map(|group| Rules::new(system, group, states)).collect();
    let mut explorer = system.explorer();
    for key in states {
        let mut steps: Vec<Vec<(Effect, Seen)>> = vec![Vec::new(); rules.len()];
        let mut orphan = None;
        explorer.successors(State::discrete(key), &mut |step| {
            let mut owners = rules.iter().enumerate().filter(|(_, rules)| rules.group.has(step.moves));
            let (Some((at, own)), None) = (owners.next(), owners.next()) else {
                orphan = Some(format!("{:?} is a step of no group or of several", step.moves));
                return ControlFlow::Break(());
            };
            let both = match &step.outcome {
                Outcome::Failure(failure) => {
                    let asserted = failure.kind == FailureKind::Assertion;
                    (Effect::Fails(step.weight, asserted), Seen::Fails(step.weight, asserted))
                }
                Outcome::State(to) => {
                    let told = step.changes.as_ref().map(|changes| changes.slots);
                    let written = own.written(&dependencies, key, to.key, told);
                    let values = written.into_iter().map(|slot| (slot, value(to.key, slot))).collect();
                    (Effect::Writes(step.weight, values), Seen::Leads(step.weight, to.key.to_vec()))
                }
            };
            steps[at].push(both);
            ControlFlow::Continue(())
        });
        contract.broken = orphan;
        for (rules, steps) in rules.iter_mut().zip(steps) {
            if contract.broken.is_none() {
                contract.broken = rules.compare(key, steps, system.layout().slots.len());
                contract.predictions += 1;
            }
        }
        if contract.broken.is_some() {
            return Ok(contract);
        }
    }
    contract.broken = atoms(system, &dependencies, states).or_else(|| resting(system, &dependencies, states));
    Ok(contract)
}

impl<'d> Rules<'d> {
    fn new(system: &dyn TransitionSystem, group: &'d StepGroup, states: &[Vec<i32>]) -> Rules<'d> {
        let access = &group.access;
        let all = 0..system.layout().slots.len() as u32;
        // Who is told what a single step writes need not look at what it may leave alone.
        let is_told = !group.is_sequence && group.partners == Partners::Nobody && tells(system, group, states);
        let uncertain = |slot: u32| {
            access.may_write.contains(slot) && !access.must_write.contains(slot) && !access.created.contains(slot)
        };
        let looks = |slot: &u32| {
            access.reads_everything
                || access.reads.contains(*slot)
                || *slot == group.here.0
                || (!is_told && uncertain(*slot))
        };
        Rules { group, looks_at: all.filter(looks).collect(), known: HashMap::new() }
    }

    /// Which slots a step writes.
    fn written(&self, all: &Dependencies, from: &[i32], to: &[i32], told: Option<&[u32]>) -> Vec<u32> {
        let access = &self.group.access;
        let comes_or_goes = |slot: u32| {
            let part = all.parts.iter().find(|part| part.contains(&slot));
            part.is_some_and(|part| value(from, part.start).is_some() != value(to, part.start).is_some())
        };
        let claimed = |slot: u32| match told {
            Some(told) => told.contains(&slot),
            None => access.may_write.contains(slot) && !access.created.contains(slot),
        };
        let slots =
            0..from.len().max(to.len()).max(access.may_write.iter().last().map_or(0, |s| s as usize + 1)) as u32;
        let writes = |slot: &u32| match self.looks_at.contains(slot) {
            true => value(from, *slot) != value(to, *slot),
            false => claimed(*slot) || comes_or_goes(*slot),
        };
        slots.filter(writes).collect()
    }

    fn compare(&mut self, key: &[i32], steps: Vec<(Effect, Seen)>, slots: usize) -> Option<String> {
        if !steps.is_empty() && value(key, self.group.here.0) != Some(self.group.here.1) {
            return Some(format!("{:?}: a step from elsewhere in {key:?}", self.group.first));
        }
        let (effects, mut seen): (Vec<Effect>, Vec<Seen>) = steps.into_iter().unzip();
        let known = self.known.entry(row(key, &self.looks_at)).or_insert(effects);
        let mut predicted: Vec<Seen> = known.iter().map(|effect| effect.of(key, slots)).collect();
        predicted.sort();
        seen.sort();
        (predicted != seen).then(|| {
            format!(
                "{:?}, {:?}: from {key:?}\n  predicted {predicted:?}\n  seen {seen:?}",
                self.group.first, self.group.access
            )
        })
    }
}

impl Effect {
    fn of(&self, key: &[i32], slots: usize) -> Seen {
        match self {
            Effect::Fails(weight, kind) => Seen::Fails(*weight, *kind),
            Effect::Writes(weight, values) => {
                let mut to: Vec<Value> = (0..slots as u32).map(|slot| value(key, slot)).collect();
                values.iter().for_each(|(slot, value)| to[*slot as usize] = *value);
                let end = to.iter().position(Option::is_none).unwrap_or(slots);
                Seen::Leads(*weight, to[..end].iter().copied().flatten().collect())
            }
        }
    }
}

/// Does the explorer always tell what the steps of a group write?
fn tells(system: &dyn TransitionSystem, group: &StepGroup, states: &[Vec<i32>]) -> bool {
    let mut explorer = system.explorer();
    let mut always = true;
    for key in states.iter().filter(|key| value(key, group.here.0) == Some(group.here.1)) {
        explorer.successors(State::discrete(key), &mut |step| {
            always &= !group.has(step.moves) || step.changes.is_some() || matches!(step.outcome, Outcome::Failure(_));
            ControlFlow::Continue(())
        });
    }
    always
}

/// Predicates look at nothing else.
fn atoms(system: &dyn TransitionSystem, all: &Dependencies, states: &[Vec<i32>]) -> Option<String> {
    let mut explorer = system.explorer();
    for (number, access) in all.atoms.iter().enumerate().filter(|(_, access)| !access.reads_everything) {
        let looks_at: Vec<u32> = access.reads.iter().collect();
        let mut known = HashMap::new();
        for key in states {
            let holds = explorer.holds(AtomId(number as u32), State::discrete(key));
            if *known.entry(row(key, &looks_at)).or_insert(holds) != holds {
                return Some(format!("predicate {number} looks at more than {looks_at:?}: {key:?}"));
            }
        }
    }
    None
}

/// Who has no step is stuck, or may stay where it is.
fn resting(system: &dyn TransitionSystem, all: &Dependencies, states: &[Vec<i32>]) -> Option<String> {
    let mut explorer = system.explorer();
    for key in states {
        let mut moves = false;
        let expansion = explorer.successors(State::discrete(key), &mut |_| {
            moves = true;
            ControlFlow::Continue(())
        });
        let nobody = all.parts.first().is_some_and(|part| value(key, part.start).is_none());
        let rests = |(slot, values): &(u32, Vec<i32>)| value(key, *slot).is_none_or(|value| values.contains(&value));
        let may_rest = nobody || all.resting.iter().all(rests);
        if !moves && expansion.deadlock == may_rest {
            return Some(format!("it rests: {may_rest}, deadlock: {}, in {key:?}", expansion.deadlock));
        }
    }
    None
}
