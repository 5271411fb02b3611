//! A reduction held to its word, state by state, while a search runs.
//!
//! Whoever leaves steps out says: what is left out commutes with what is taken, now and later. Here this is tried out on the
//! states themselves, by a system that knows nothing of groups and dependencies. From every state whose steps were reduced, all
//! sequences of steps that were left out are followed, for a while. In each state on the way,
//!
//! - the chosen steps are possible as they were, and the processes that take them have no others;
//! - each of them and each step that was left out lead to the same state in either order, at the same cost;
//! - where steps are postponed, no chosen step changes the value of a condition that matters.
//!
//! Where nothing is said to be postponed, none of these sequences may have a failing step, if such steps are to be kept. What is
//! chosen in a state is the same each time.
//!
//! Claims: what is reported is a mistake of the reduction. Not the other way round: sequences are followed up to a bound.
//!
//! Cost: up to [`MOST_STATES`] times that of the search and more.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet, VecDeque};
use std::ops::ControlFlow;
use std::rc::Rc;
use std::sync::{Mutex, MutexGuard, PoisonError};

use bughound_kernel::{
    AtomId, Expansion, Explorer, Failure, Keep, Layout, LeftOut, Move, Outcome, Part, State, Step, StopSignal,
    TransitionSystem,
};

use super::Preserve;
use crate::discrete::{DiscreteExplorer, DiscreteSystem};

/// Sequences of so many steps that were left out are followed.
const MOST_STEPS: usize = 4;
/// From each state so many others are looked at.
const MOST_STATES: usize = 200;
/// Steps with so many moves are not looked at: of long atomic sequences that come to the same state only one is followed.
const MOST_MOVES: usize = 16;

/// What a reduction has promised, and did not keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    IsStep,
    SameChoice,
    StaysPossible,
    NoOthers,
    LeavesPossible,
    SameState,
    Invisible,
    NoErrorWithout,
}

impl std::fmt::Display for Rule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Rule::IsStep => "a chosen step is none of the state",
            Rule::SameChoice => "in the same state other steps were chosen before",
            Rule::StaysPossible => "steps that were left out make a chosen step impossible, or another one of it",
            Rule::NoOthers => {
                "steps that were left out make another step possible for a process whose steps were chosen"
            }
            Rule::LeavesPossible => "a chosen step makes a step impossible that was left out, or another one of it",
            Rule::SameState => "a chosen step and one that was left out lead to different states in different orders",
            Rule::Invisible => "a chosen step changes the value of a condition that matters",
            Rule::NoErrorWithout => "a step that was left out fails, and nothing is said to be postponed",
        })
    }
}

/// Where a promise was not kept.
#[derive(Clone, Debug)]
pub struct Contradiction {
    pub rule: Rule,
    /// The steps that were chosen in the state.
    pub chosen: Vec<Vec<Move>>,
    /// Steps that were left out and follow each other.
    pub outside: Vec<Vec<Move>>,
    /// The steps that break the rule behind them.
    pub steps: Vec<Vec<Move>>,
}

/// A reduced system whose choices are compared with all steps.
pub struct Verified {
    system: DiscreteSystem,
    /// All steps, and the conditions that are to be preserved.
    whole: DiscreteSystem,
    conditions: u32,
    failures: bool,
    record: Mutex<Record>,
}

#[derive(Default)]
struct Record {
    /// What was chosen where.
    chosen: HashMap<(Keep, Vec<i32>), Vec<Vec<Move>>>,
    compared: u64,
    contradiction: Option<Contradiction>,
}

impl Verified {
    /// `system` has a reduction that preserves this.
    pub fn new(system: DiscreteSystem, preserve: &Preserve) -> Verified {
        let whole = DiscreteSystem::new(system.shared_network().clone(), &preserve.conditions);
        let conditions = preserve.conditions.len() as u32;
        Verified { system, whole, conditions, failures: preserve.failures, record: Mutex::default() }
    }

    pub fn system(&self) -> &DiscreteSystem {
        &self.system
    }

    /// States whose chosen steps were compared with all of them.
    pub fn compared(&self) -> u64 {
        self.record().compared
    }

    pub fn contradiction(&self) -> Option<Contradiction> {
        self.record().contradiction.clone()
    }

    fn record(&self) -> MutexGuard<'_, Record> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Is this the first time that something is chosen in this state?
    fn is_new(&self, key: &[i32], keep: Keep, chosen: &[Made]) -> bool {
        let moves = || chosen.iter().map(|made| made.moves.clone()).collect::<Vec<_>>();
        let mut record = self.record();
        match record.chosen.entry((keep, key.to_vec())) {
            Entry::Vacant(free) => {
                free.insert(moves());
                return true;
            }
            Entry::Occupied(known) if *known.get() == moves() => return false,
            Entry::Occupied(_) => {}
        }
        let (outside, steps) = (Vec::new(), Vec::new());
        record.contradiction.get_or_insert(Contradiction { rule: Rule::SameChoice, chosen: moves(), outside, steps });
        false
    }
}

impl TransitionSystem for Verified {
    fn layout(&self) -> &Layout {
        self.system.layout()
    }

    fn explorer(&self) -> Box<dyn Explorer + '_> {
        Box::new(Verifying { owner: self, reduced: self.system.walker(), whole: self.whole.walker() })
    }

    fn atoms(&self) -> u32 {
        self.system.atoms()
    }

    fn takes_notes(&self) -> bool {
        true
    }

    fn memory(&self) -> u64 {
        let record = self.record();
        let per_state = self.layout().slots.len() * size_of::<i32>() + size_of::<Vec<Vec<Move>>>();
        self.system.memory() + (record.chosen.len() * per_state) as u64
    }
}

/// A step as it is compared.
#[derive(Clone, Debug, PartialEq)]
struct Made {
    moves: Vec<Move>,
    weight: u64,
    to: Result<Vec<i32>, Failure>,
}

impl Made {
    fn of(step: &Step<'_>) -> Made {
        let to = match step.outcome {
            Outcome::State(state) => Ok(state.key.to_vec()),
            Outcome::Failure(failure) => Err(failure),
        };
        Made { moves: step.moves.to_vec(), weight: step.weight, to }
    }

    /// Who begins it, and with which edge.
    fn first(&self) -> Option<(u16, u32)> {
        self.moves.first().map(|m| (m.process, m.edge))
    }

    /// Is it the same step, in another state?
    fn is_like(&self, other: &Made) -> bool {
        let same_end = match (&self.to, &other.to) {
            (Ok(_), Ok(_)) => true,
            (Err(a), Err(b)) => a == b,
            _ => false,
        };
        same_end && self.moves == other.moves && self.weight == other.weight
    }
}

struct Verifying<'v> {
    owner: &'v Verified,
    reduced: DiscreteExplorer<'v>,
    whole: DiscreteExplorer<'v>,
}

impl Explorer for Verifying<'_> {
    fn initial(&mut self, emit: &mut dyn FnMut(State<'_>)) {
        self.reduced.initial(emit);
    }

    fn successors(&mut self, from: State<'_>, emit: &mut dyn FnMut(&Step<'_>) -> ControlFlow<()>) -> Expansion {
        self.reduced.successors(from, emit)
    }

    fn part(&mut self, from: State<'_>, part: Part, emit: &mut dyn FnMut(&Step<'_>) -> ControlFlow<()>) -> Expansion {
        let Part::Reduced(keep) = part else { return self.reduced.part(from, part, emit) };
        let (mut chosen, mut stopped) = (Vec::new(), false);
        let expansion = self.reduced.part(from, part, &mut |step| {
            chosen.push(Made::of(step));
            let flow = emit(step);
            stopped = flow.is_break();
            flow
        });
        let is_whole = stopped || expansion.cut || expansion.left_out == LeftOut::Nothing;
        if !is_whole && self.owner.contradiction().is_none() && self.owner.is_new(from.key, keep, &chosen) {
            self.verify(from.key, &chosen, expansion.left_out);
        }
        expansion
    }

    fn holds(&mut self, atom: AtomId, state: State<'_>) -> bool {
        self.reduced.holds(atom, state)
    }

    fn heed(&mut self, signal: &StopSignal) {
        self.reduced.heed(signal);
    }
}

impl Verifying<'_> {
    fn verify(&mut self, key: &[i32], chosen: &[Made], left_out: LeftOut) {
        let (conditions, failures) = (self.owner.conditions, self.owner.failures);
        let whole = &mut self.whole;
        let mut look = Look { whole, known: HashMap::new(), chosen, left_out, conditions, failures, is_cut: false };
        let found = look.around(key);
        let is_cut = look.is_cut;
        let mut record = self.owner.record();
        record.compared += u64::from(!is_cut);
        if let Err(found) = found {
            record.contradiction.get_or_insert(*found);
        }
    }
}

type Steps = Rc<Vec<Made>>;
type Verdict = Result<(), Box<Contradiction>>;

/// A look at what lies around a state.
struct Look<'l, 'v> {
    whole: &'l mut DiscreteExplorer<'v>,
    known: HashMap<Vec<i32>, Steps>,
    chosen: &'l [Made],
    left_out: LeftOut,
    conditions: u32,
    failures: bool,
    /// Some step is too long to be compared.
    is_cut: bool,
}

impl Look<'_, '_> {
    fn steps(&mut self, key: &[i32]) -> Steps {
        if let Some(known) = self.known.get(key) {
            return known.clone();
        }
        let mut all = Vec::new();
        let expansion = self.whole.successors(State::discrete(key), &mut |step| {
            all.push(Made::of(step));
            ControlFlow::Continue(())
        });
        self.is_cut |= expansion.cut || expansion.diverges || all.iter().any(|made| made.moves.len() > MOST_MOVES);
        let all = Rc::new(all);
        self.known.insert(key.to_vec(), all.clone());
        all
    }

    fn values(&mut self, key: &[i32]) -> Vec<bool> {
        (0..self.conditions).map(|at| self.whole.holds(AtomId(at), State::discrete(key))).collect()
    }

    fn broken(&self, rule: Rule, outside: &[Vec<Move>], steps: &[&Made]) -> Verdict {
        let moves = |all: &mut dyn Iterator<Item = &Made>| all.map(|made| made.moves.clone()).collect();
        let (chosen, steps) = (moves(&mut self.chosen.iter()), moves(&mut steps.iter().copied()));
        Err(Box::new(Contradiction { rule, chosen, outside: outside.to_vec(), steps }))
    }

    fn around(&mut self, start: &[i32]) -> Verdict {
        let all = self.steps(start);
        if self.is_cut {
            return Ok(());
        }
        if let Some(none) = self.chosen.iter().find(|made| !all.contains(made)) {
            return self.broken(Rule::IsStep, &[], &[none]);
        }
        let rest: HashSet<_> = all.iter().filter(|made| !self.chosen.contains(made)).map(Made::first).collect();
        let takers: HashSet<_> = self.chosen.iter().filter_map(|made| Some(made.first()?.0)).collect();
        let is_outside =
            |made: &Made| made.first().is_none_or(|(who, _)| !takers.contains(&who)) || rest.contains(&made.first());
        let mut seen: HashSet<Vec<i32>> = HashSet::from([start.to_vec()]);
        let mut open: VecDeque<(Vec<i32>, Vec<Vec<Move>>)> = VecDeque::from([(start.to_vec(), Vec::new())]);
        while let Some((here, path)) = open.pop_front() {
            let steps = self.steps(&here);
            if self.is_cut {
                return Ok(());
            }
            self.compare_chosen(&here, &path, &steps, &is_outside)?;
            for outside in steps.iter().filter(|made| is_outside(made)) {
                self.compare(&path, &steps, outside)?;
                if let Ok(next) = &outside.to
                    && path.len() < MOST_STEPS
                    && seen.len() < MOST_STATES
                    && seen.insert(next.clone())
                {
                    open.push_back((next.clone(), [&path[..], std::slice::from_ref(&outside.moves)].concat()));
                }
            }
            if self.is_cut {
                return Ok(());
            }
        }
        Ok(())
    }

    /// In a state behind steps that were left out, the chosen steps are what they were.
    fn compare_chosen(
        &mut self,
        here: &[i32],
        path: &[Vec<Move>],
        steps: &Steps,
        is_outside: &dyn Fn(&Made) -> bool,
    ) -> Verdict {
        let chosen = self.chosen;
        for made in chosen {
            let Some(now) = steps.iter().find(|now| now.is_like(made)) else {
                return self.broken(Rule::StaysPossible, path, &[made]);
            };
            if let Ok(next) = &now.to
                && self.left_out == LeftOut::Postponed
                && self.conditions > 0
                && self.values(here) != self.values(next)
            {
                return self.broken(Rule::Invisible, path, &[made]);
            }
        }
        let other = steps.iter().find(|now| !is_outside(now) && !chosen.iter().any(|made| made.is_like(now)));
        match other {
            Some(other) => self.broken(Rule::NoOthers, path, &[other]),
            None => Ok(()),
        }
    }

    /// A step that was left out commutes with the chosen ones.
    fn compare(&mut self, path: &[Vec<Move>], steps: &Steps, outside: &Made) -> Verdict {
        if outside.to.is_err() && self.failures && self.left_out == LeftOut::Safely {
            return self.broken(Rule::NoErrorWithout, path, &[outside]);
        }
        for made in self.chosen {
            let now = steps.iter().find(|now| now.is_like(made));
            let Some(Ok(first)) = now.map(|now| &now.to) else { continue };
            let behind = self.steps(first);
            if self.is_cut {
                return Ok(());
            }
            let Some(then) = behind.iter().find(|then| then.is_like(outside)) else {
                return self.broken(Rule::LeavesPossible, path, &[made, outside]);
            };
            let (Ok(other), Ok(end)) = (&outside.to, &then.to) else { continue };
            let beside = self.steps(other);
            if self.is_cut {
                return Ok(());
            }
            match beside.iter().find(|now| now.is_like(made)) {
                None => return self.broken(Rule::StaysPossible, path, &[outside, made]),
                Some(now) if now.to.as_ref() != Ok(end) => {
                    return self.broken(Rule::SameState, path, &[made, outside]);
                }
                Some(_) => {}
            }
        }
        Ok(())
    }
}
