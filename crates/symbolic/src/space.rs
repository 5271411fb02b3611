//! A system as sets and relations: its steps are learned where states were reached, and then taken by all states at once.
//!
//! Papers: Burch, Clarke, McMillan, Dill, Hwang 1992, "Symbolic model checking: 10^20 states and beyond"; Blom, van de Pol, Weber
//! 2010, "LTSmin: distributed and symbolic reachability" (relations learned on the fly).
//!
//! Claims: exact, if the [`Dependencies`] of the system are. What can be seen of them is looked at in every step that is learned: a
//! slot that is written though no group declared it, or a step that belongs to no group, ends the search.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::{ControlFlow, Range};

use bughound_diagrams::{Room, order};
use bughound_kernel::registry::BuildError;
use bughound_kernel::{
    Access, AtomId, Dependencies, Explorer, Failure, FailureKind, Marks, Mover, Outcome, Partners, Random, SlotSet,
    State, StepGroup, StopSignal, TransitionSystem,
};
use dashu_int::UBig;

use crate::diagrams::{Computed, Diagrams, Set, Stop};
use crate::group::{Effect, Group, Tally};
use crate::projection::{Drawing, Projection};
use crate::pulse::Pulse;
use crate::rows::{Row, pack, set_of};
use crate::variables::{Codes, Variables};

pub(crate) struct Space<'t> {
    pub diagrams: Diagrams,
    variables: Variables,
    pub explorer: Box<dyn Explorer + 't>,
    pub groups: Vec<Group>,
    by_mover: HashMap<Mover, Vec<usize>>,
    predicates: Vec<Predicate>,
    /// States that may stay as they are for ever.
    resting: Set,
    /// Combinations that were looked at.
    pub learned: u64,
    /// Steps seen on the way.
    pub steps_seen: u64,
    /// The parts at the end of keys, those without room included.
    parts: Vec<Range<u32>>,
    /// Of these processes it matters who takes part in a step.
    pub fair: Marks,
    /// Draws examples.
    random: RefCell<Random>,
}

/// A predicate of the system, as far as it is known.
struct Predicate {
    atom: AtomId,
    projection: Projection,
    unknown: Set,
    holds: Set,
}

/// A step that was taken alone.
pub(crate) struct Taken {
    pub moves: Vec<bughound_kernel::Move>,
    pub weight: u64,
    pub failure: Option<Failure>,
}

impl<'t> Space<'t> {
    /// Of a system, with these of its predicates, for keys with so many parts.
    pub fn new(
        system: &'t dyn TransitionSystem,
        atoms: &[AtomId],
        parts: usize,
        budget: Option<u64>,
        signal: &StopSignal,
    ) -> Computed<Space<'t>> {
        let dependencies = system.dependencies().map_err(refused)?;
        let layout = system.layout();
        let mut dependencies = dependencies;
        dependencies.groups.retain(|group| can_be_there(group, parts));
        let limit = dependencies.parts.get(parts).map_or(layout.slots.len() as u32, |part| part.start);
        let touched: Vec<SlotSet> = dependencies.groups.iter().map(|group| touched(group, limit)).collect();
        let variables = Variables::new(layout, &dependencies, &order(limit, &touched), parts);
        let diagrams = Diagrams::new(variables.bits(), Room::of_search(budget))?;
        let mut explorer = system.explorer();
        explorer.heed(signal);
        let resting = resting(&diagrams, &variables, &dependencies)?;
        let mut predicates = Vec::new();
        for atom in atoms {
            predicates.push(Predicate::new(&diagrams, &variables, *atom, &dependencies)?);
        }
        let mut space = Space {
            diagrams,
            variables,
            explorer,
            groups: Vec::new(),
            by_mover: HashMap::new(),
            predicates,
            resting,
            learned: 0,
            steps_seen: 0,
            parts: Vec::new(),
            fair: Marks::NONE,
            random: RefCell::new(Random::new(0)),
        };
        space.parts = std::mem::take(&mut dependencies.parts);
        for about in dependencies.groups {
            let looks_at_writes = about.is_sequence || about.partners != Partners::Nobody;
            space.by_mover.entry(about.first).or_default().push(space.groups.len());
            space.groups.push(Group::new(&space.diagrams, &space.variables, about, looks_at_writes)?);
        }
        Ok(space)
    }

    pub fn initial(&mut self) -> Computed<Set> {
        let mut keys: Vec<Vec<i32>> = Vec::new();
        self.explorer.initial(&mut |state| keys.push(state.key.to_vec()));
        let mut all = self.diagrams.empty();
        for key in keys {
            let one = self.single(&key)?;
            all = self.diagrams.or(&all, &one)?;
        }
        Ok(all)
    }

    /// The set of one state.
    pub fn single(&self, key: &[i32]) -> Computed<Set> {
        let codes = self.encode(key)?;
        let all: Vec<_> = (0..self.variables.bits()).map(Diagrams::before).collect();
        let row =
            pack((0..self.variables.bits()).map(|bit| self.variables.bit(&codes, bit)).collect::<Vec<_>>().into_iter());
        set_of(&self.diagrams, &all, &mut vec![row])
    }

    /// Some state of a set.
    pub fn pick(&self, set: &Set) -> Option<Vec<i32>> {
        let free = vec![None; self.variables.bits() as usize];
        crate::rows::member(&self.diagrams, set, &free, &|_| false).map(|row| self.variables.decode(&row))
    }

    /// A state of a set by chance.
    pub fn draw(&self, set: &Set) -> Option<Vec<i32>> {
        let free = vec![None; self.variables.bits() as usize];
        let mut liked = Random::new(self.random.borrow_mut().draw());
        let likes: Vec<bool> = free.iter().map(|_| liked.below(2) == 0).collect();
        crate::rows::member(&self.diagrams, set, &free, &|at| likes[at]).map(|row| self.variables.decode(&row))
    }

    pub fn contains(&self, set: &Set, key: &[i32]) -> Computed<bool> {
        let codes = self.encode(key)?;
        Ok(self.diagrams.contains(set, |bit| self.variables.bit(&codes, bit)))
    }

    fn encode(&self, key: &[i32]) -> Computed<Codes> {
        self.fits(key.len())?;
        let mut codes = Codes::new();
        let encoded = self.variables.encode(key, &mut codes);
        encoded.map_err(|slot| Stop::Broken(format!("slot {slot} has a value that it cannot have")))?;
        Ok(codes)
    }

    /// Is there room for keys of this length?
    fn fits(&self, length: usize) -> Computed<()> {
        match length > self.variables.slots() as usize {
            true => Err(Stop::MoreParts(self.parts.iter().filter(|part| (part.start as usize) < length).count())),
            false => Ok(()),
        }
    }

    pub fn count(&self, set: &Set) -> UBig {
        self.diagrams.count(set)
    }

    /// Learns all steps of these states. `reached`: all states so far, these included; their steps were learned.
    pub fn learn(&mut self, states: &Set, reached: &Set, pulse: &mut Pulse<'_, '_>) -> Computed<()> {
        for at in 0..self.groups.len() {
            self.learn_group(at, states, reached, pulse)?;
        }
        Ok(())
    }

    /// The same for the steps of one group.
    pub fn learn_group(&mut self, at: usize, states: &Set, reached: &Set, pulse: &mut Pulse<'_, '_>) -> Computed<()> {
        let mut states = states;
        loop {
            pulse.beat(&self.diagrams)?;
            let group = &self.groups[at];
            let examples = group.projection.examples(&self.drawing(), states, &group.unknown)?;
            if examples.is_empty() {
                return Ok(());
            }
            let mut found = Vec::with_capacity(examples.len());
            for example in examples {
                pulse.beat(&self.diagrams)?;
                let key = self.variables.decode(&example.state);
                let expanded = self.expand(at, &key, pulse);
                pulse.heed()?;
                let expanded = expanded?;
                match (expanded, example.other) {
                    (Some((codes, effects)), other) => {
                        if let Some(other) = other {
                            self.compare(at, (&codes, &effects), &other, pulse)?;
                        }
                        found.push((example.row, codes, effects));
                    }
                    (None, _) => {
                        // What its steps leave alone is not told: from now on, that is looked at, too.
                        let about = self.groups[at].about.clone();
                        self.groups[at] = Group::new(&self.diagrams, &self.variables, about, true)?;
                        states = reached;
                        found.clear();
                        break;
                    }
                }
            }
            self.learned += found.len() as u64;
            self.groups[at].learn(&self.diagrams, &self.variables, found)?;
        }
    }

    /// Of what has this access to a state.
    pub fn projection_of(&self, access: &Access) -> Computed<Projection> {
        match access.reads_everything {
            true => self.projection(&(0..self.variables.slots()).collect()),
            false => self.projection(&access.reads),
        }
    }

    /// Of what looks at these slots, and at whether the parts that they are in are there.
    pub fn projection(&self, slots: &SlotSet) -> Computed<Projection> {
        let home = |slot: u32| self.parts.iter().find(|part| part.contains(&slot)).map(|part| part.start);
        let all = slots.iter().chain(slots.iter().filter_map(home));
        let there = all.filter(|slot| *slot < self.variables.slots()).collect();
        Projection::new(&self.diagrams, &self.variables, there)
    }

    pub fn decode(&self, state: &[bool]) -> Vec<i32> {
        self.variables.decode(state)
    }

    pub fn drawing(&self) -> Drawing<'_> {
        Drawing { diagrams: &self.diagrams, bits: self.variables.bits(), random: &self.random }
    }

    /// Do the steps of a group do to another state with the same combination what they are expected to do?
    fn compare(
        &mut self,
        at: usize,
        expected: (&Codes, &[Effect]),
        other: &[bool],
        pulse: &mut Pulse<'_, '_>,
    ) -> Computed<()> {
        let key = self.variables.decode(other);
        let expanded = self.expand(at, &key, pulse);
        pulse.heed()?;
        let Some((codes, effects)) = expanded? else { return Ok(()) };
        let same = outcomes(&codes, expected.1) == outcomes(&codes, &effects);
        let first = self.groups[at].about.first;
        let who = || format!("edge {} of process {} looks at more than it says", first.edge, first.process);
        if same { Ok(()) } else { Err(Stop::Broken(who())) }
    }

    /// What the steps of a group do to a state; `None` if more of the state must be looked at to tell.
    fn expand(&mut self, at: usize, key: &[i32], pulse: &mut Pulse<'_, '_>) -> Computed<Option<(Codes, Vec<Effect>)>> {
        let (variables, groups, by_mover, fair) = (&self.variables, &self.groups, &self.by_mover, self.fair);
        let group = &groups[at];
        let codes = self.encode(key)?;
        let mut to = Codes::new();
        let mut effects = Vec::new();
        let (mut wrong, mut untold, mut longest) = (None, false, 0);
        let steps_seen = &mut self.steps_seen;
        let expansion = self.explorer.successors(State::discrete(key), &mut |step| {
            if !group.about.has(step.moves) {
                let first = step.moves.first().map(|m| Mover { process: m.process, edge: m.edge });
                let known = first.and_then(|first| by_mover.get(&first)).into_iter().flatten();
                if !known.copied().any(|other| groups[other].about.has(step.moves)) {
                    wrong = Some(format!("a step with the moves {:?} belongs to no group", step.moves));
                    return ControlFlow::Break(());
                }
                return ControlFlow::Continue(());
            }
            *steps_seen += 1;
            pulse.driver.observe(step.moves);
            match step.outcome {
                Outcome::Failure(Failure { kind, .. }) => effects.push(Effect::Fails { weight: step.weight, kind }),
                Outcome::State(state) if state.key.len() > variables.slots() as usize => {
                    longest = longest.max(state.key.len());
                }
                Outcome::State(state) => {
                    if let Err(slot) = variables.encode(state.key, &mut to) {
                        wrong = Some(format!("slot {slot} has a value that it cannot have"));
                        return ControlFlow::Break(());
                    }
                    let told = step.changes.as_ref().map(|changes| changes.slots);
                    if told.is_none() && group.must_be_told() {
                        untold = true;
                        return ControlFlow::Break(());
                    }
                    match group.written(variables, &codes, &to, told) {
                        Ok(written) => {
                            let movers = Marks::movers(step.moves) & fair;
                            effects.push(Effect::Writes { weight: step.weight, written, codes: to.clone(), movers });
                        }
                        Err(what) => {
                            wrong = Some(what);
                            return ControlFlow::Break(());
                        }
                    }
                }
            }
            ControlFlow::Continue(())
        });
        if let Some(wrong) = wrong {
            return Err(Stop::Broken(wrong));
        }
        self.fits(longest)?;
        pulse.heed()?;
        if expansion.diverges || (expansion.cut && !untold) {
            // Who begins one is not stuck, though no step of it ends: nothing here would say so.
            return Err(refused("a sequence that nobody can interrupt may never end"));
        }
        Ok((!untold).then_some((codes, effects)))
    }

    /// The states among these in which the system is stuck though it may not end. Their steps were learned.
    pub fn deadlocks(&self, states: &Set) -> Computed<Set> {
        let mut stuck = states.clone();
        for group in &self.groups {
            if self.diagrams.is_empty(&stuck) {
                break;
            }
            stuck = self.diagrams.without(&stuck, &group.possible)?;
        }
        Ok(self.diagrams.without(&stuck, &self.resting)?)
    }

    /// The states among these in which a predicate has this truth value.
    pub fn with_truth(&mut self, states: &Set, atom: AtomId, truth: bool, pulse: &mut Pulse<'_, '_>) -> Computed<Set> {
        let Some(at) = self.predicates.iter().position(|p| p.atom == atom) else { return Ok(self.diagrams.empty()) };
        loop {
            pulse.beat(&self.diagrams)?;
            let predicate = &self.predicates[at];
            let examples = predicate.projection.examples(&self.drawing(), states, &predicate.unknown)?;
            if examples.is_empty() {
                break;
            }
            self.learned += examples.len() as u64;
            let (mut seen, mut true_at): (Vec<Row>, Vec<Row>) = (Vec::new(), Vec::new());
            for example in examples {
                let key = self.variables.decode(&example.state);
                let holds = self.explorer.holds(atom, State::discrete(&key));
                if let Some(other) = &example.other {
                    let key = self.variables.decode(other);
                    if self.explorer.holds(atom, State::discrete(&key)) != holds {
                        return Err(Stop::Broken(format!("predicate {} looks at more than it says", atom.0)));
                    }
                }
                if holds {
                    true_at.push(example.row.clone());
                }
                seen.push(example.row);
            }
            pulse.heed()?;
            let predicate = &mut self.predicates[at];
            let look = predicate.projection.variables();
            let seen = set_of(&self.diagrams, look, &mut seen)?;
            let true_at = set_of(&self.diagrams, look, &mut true_at)?;
            predicate.unknown = self.diagrams.without(&predicate.unknown, &seen)?;
            predicate.holds = self.diagrams.or(&predicate.holds, &true_at)?;
        }
        let holds = &self.predicates[at].holds;
        Ok(match truth {
            true => self.diagrams.and(states, holds)?,
            false => self.diagrams.without(states, holds)?,
        })
    }

    /// The combinations of which it is known that a predicate is true of them, and what they are combinations of.
    pub fn known_true(&self, atom: AtomId) -> Option<(&Set, &[oxidd::VarNo])> {
        let predicate = self.predicates.iter().find(|predicate| predicate.atom == atom)?;
        Some((&predicate.holds, predicate.projection.variables()))
    }

    /// The states among these with a step that fails like this, by the weight of the step.
    pub fn failing(&self, states: &Set, kind: FailureKind) -> Computed<Vec<(u64, Set)>> {
        let mut found = Vec::new();
        for group in &self.groups {
            for ((_, weight), set) in group.failures.range((Tally::from(kind), 0)..=(Tally::from(kind), u64::MAX)) {
                let here = self.diagrams.and(states, set)?;
                if !self.diagrams.is_empty(&here) {
                    found.push((*weight, here));
                }
            }
        }
        Ok(found)
    }

    /// The states, as far as their steps were learned, in which a process of these can begin a step, a failing one or another.
    pub fn able(&self, process: u16) -> Computed<Set> {
        let own = self.groups.iter().filter(|group| group.about.first.process == process);
        Ok(own.map(|group| &group.possible).try_fold(self.diagrams.empty(), |all, set| self.diagrams.or(&all, set))?)
    }

    /// The states, as far as their steps were learned, with a step that leads to a state.
    pub fn going_on(&self) -> Computed<Set> {
        let mut all = self.diagrams.empty();
        for group in &self.groups {
            for (_, set) in group.tallies.range((Tally::Step, 0)..=(Tally::Step, u32::MAX)) {
                all = self.diagrams.or(&all, set)?;
            }
        }
        Ok(all)
    }

    /// How many of these steps the states have together.
    pub fn tally(&self, states: &Set, what: Tally) -> Computed<UBig> {
        let mut sum = UBig::ZERO;
        for group in &self.groups {
            for ((_, times), set) in group.tallies.range((what, 0)..=(what, u32::MAX)) {
                sum += self.count(&self.diagrams.and(states, set)?) * UBig::from(*times);
            }
        }
        Ok(sum)
    }

    /// The cheapest step of a state with this outcome.
    pub fn take(&mut self, key: &[i32], wanted: impl Fn(&Outcome<'_>) -> bool) -> Option<Taken> {
        let mut best: Option<Taken> = None;
        self.explorer.successors(State::discrete(key), &mut |step| {
            if wanted(&step.outcome) && best.as_ref().is_none_or(|best| step.weight < best.weight) {
                let failure = match step.outcome {
                    Outcome::Failure(failure) => Some(failure),
                    Outcome::State(_) => None,
                };
                best = Some(Taken { moves: step.moves.to_vec(), weight: step.weight, failure });
            }
            ControlFlow::Continue(())
        });
        best
    }

    /// Bytes of the diagrams.
    pub fn memory(&self) -> u64 {
        self.diagrams.memory()
    }
}

impl Predicate {
    fn new(diagrams: &Diagrams, variables: &Variables, atom: AtomId, of: &Dependencies) -> Computed<Predicate> {
        let access = of.atoms.get(atom.0 as usize).filter(|access| !access.reads_everything);
        let slots = access.map_or_else(
            || (0..variables.slots()).collect(),
            |access| access.reads.iter().filter(|slot| *slot < variables.slots()).collect(),
        );
        let projection = Projection::new(diagrams, variables, slots)?;
        Ok(Predicate { atom, projection, unknown: diagrams.full(), holds: diagrams.empty() })
    }
}

pub(crate) fn refused(why: &str) -> Stop {
    Stop::Refused(BuildError::new(format!("symbolic searches cannot search this: {why}"), 0..0))
}

/// What a state comes to by these effects: failures by kind, states by the codes of their slots.
fn outcomes(from: &Codes, effects: &[Effect]) -> Vec<(u64, Marks, Option<Tally>, Codes)> {
    let mut all: Vec<_> = effects.iter().map(|effect| effect.on(from)).collect();
    all.sort_unstable();
    all
}

/// Can the processes that take part be there if there are so many at most?
fn can_be_there(group: &StepGroup, parts: usize) -> bool {
    let partner = match group.partners {
        Partners::One(partner) => Some(partner),
        Partners::Nobody | Partners::Some => None,
    };
    partner.into_iter().chain([group.first]).all(|mover| usize::from(mover.process) < parts)
}

/// The slots among the first ones that are better close together.
fn touched(group: &StepGroup, limit: u32) -> SlotSet {
    let access = &group.access;
    let written = access.may_write.iter().filter(|slot| !access.created.contains(*slot));
    match access.reads_everything {
        true => SlotSet::default(),
        false => access.reads.iter().chain(written).filter(|slot| *slot < limit).collect(),
    }
}

/// The states in which every slot that is there has a value with which it may rest, and those without a process.
fn resting(diagrams: &Diagrams, variables: &Variables, dependencies: &Dependencies) -> Computed<Set> {
    let mut all = diagrams.full();
    for (slot, values) in dependencies.resting.iter().filter(|(slot, _)| *slot < variables.slots()) {
        let guards = dependencies.parts.iter().any(|part| part.start == *slot);
        let missing = guards.then_some(0);
        let codes = values.iter().filter_map(|value| variables.code(*slot, Some(*value))).chain(missing);
        let row = |code: u64| pack(variables.bits_of(*slot, code).collect::<Vec<bool>>().into_iter());
        let look: Vec<_> = variables.of(*slot).map(Diagrams::before).collect();
        let here = set_of(diagrams, &look, &mut codes.map(row).collect())?;
        all = diagrams.and(&all, &here)?;
    }
    // Where nobody is left, nobody waits for anything.
    let Some(first) = dependencies.parts.first() else { return Ok(all) };
    let look: Vec<_> = variables.of(first.start).map(Diagrams::before).collect();
    let nobody = set_of(diagrams, &look, &mut vec![pack(look.iter().map(|_| false))])?;
    Ok(diagrams.or(&all, &nobody)?)
}
