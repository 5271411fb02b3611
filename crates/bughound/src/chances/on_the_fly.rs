//! The states of a network as a space for directed exploration: written down when somebody asks for them.

use std::cell::Cell;

use bughound_ir::chance::{Kind, StateFormula};
use bughound_kernel::{
    Estimate, Explorer, Heuristic, Move, State, StateBuf, StateId, StateStore, StopReason, StopSignal,
};
use bughound_markov::directed::{Look, Space, Standing};
use bughound_markov::{Builder, Failure};
use bughound_semantics::DiscreteSystem;

use super::explicit::{NotBuilt, Walk, Wrong, markov_kind};
use super::likelihoods::promise_of;

/// A condition on states whose atoms are numbers of atoms of the system.
pub type Formula = StateFormula<usize>;

impl From<Failure> for NotBuilt {
    fn from(failure: Failure) -> NotBuilt {
        match failure {
            Failure::Stopped => NotBuilt::Stopped(StopReason::Interrupted),
            Failure::Memory { .. } => NotBuilt::Stopped(StopReason::Memory),
            Failure::Refused(why) => NotBuilt::Refused(why),
        }
    }
}

pub struct OnTheFly<'n, 's> {
    kind: Kind,
    walk: Walk<'n>,
    explorer: Box<dyn Explorer + 'n>,
    store: &'s mut (dyn StateStore + 'n),
    left: &'s Formula,
    right: &'s Formula,
    /// Gives upper bounds on the probability of getting to a goal.
    heuristic: Option<Box<dyn Heuristic + 's>>,
    initial: Vec<u32>,
    stop: StopSignal,
    current: StateBuf,
    truths: Vec<bool>,
    /// Bytes of the states, for who watches over the memory.
    pub memory: &'s Cell<u64>,
    /// Steps that were generated.
    pub steps: &'s Cell<u64>,
    /// States whose steps are written down.
    expanded: &'s Cell<u64>,
}

/// What is explored, and towards what.
pub struct Quest<'n, 's> {
    pub system: &'n DiscreteSystem,
    pub kind: Kind,
    pub left: &'s Formula,
    pub right: &'s Formula,
    pub heuristic: Option<Box<dyn Heuristic + 's>>,
    pub stop: StopSignal,
    pub memory: &'s Cell<u64>,
    pub steps: &'s Cell<u64>,
    pub expanded: &'s Cell<u64>,
}

impl<'n, 's> OnTheFly<'n, 's> {
    pub fn new(quest: Quest<'n, 's>, store: &'s mut (dyn StateStore + 'n)) -> Result<Self, NotBuilt> {
        let Quest { system, kind, left, right, heuristic, stop, memory, steps, expanded } = quest;
        let mut walk = Walk::new(system, kind, Vec::new());
        let mut explorer = bughound_kernel::TransitionSystem::explorer(system);
        explorer.heed(&stop);
        let initial = walk.starts(explorer.as_mut(), store)?;
        let initial = initial.into_iter().map(|state| state as u32).collect();
        let (current, truths) = (StateBuf::default(), Vec::new());
        Ok(OnTheFly {
            kind,
            walk,
            explorer,
            store,
            left,
            right,
            heuristic,
            initial,
            stop,
            current,
            truths,
            memory,
            steps,
            expanded,
        })
    }

    /// The values of a state.
    pub fn key(&mut self, state: usize) -> &[i32] {
        self.store.read(StateId(state as u32), &mut self.current);
        &self.current.key
    }

    /// The steps of a state once more: for each the number of its choice, its target and its moves.
    pub fn moves(&mut self, state: usize) -> Result<Vec<(usize, usize, Vec<Move>)>, NotBuilt> {
        self.store.read(StateId(state as u32), &mut self.current);
        self.walk.expand(self.explorer.as_mut(), self.store, &self.current.key)?;
        let mut number = 0;
        let mut last = None;
        let mut steps = Vec::new();
        for found in self.walk.found() {
            if last.is_some_and(|last| last != found.choice) {
                number += 1;
            }
            last = Some(found.choice);
            steps.push((number, found.target, self.walk.moves_of(found).to_vec()));
        }
        Ok(steps)
    }

    /// What is wrong in a state, with the way there.
    fn with_way(&mut self, wrong: Wrong, state: usize) -> NotBuilt {
        let way = self.walk.way(self.explorer.as_mut(), self.store, state as u32);
        NotBuilt::Wrong(Wrong { way, ..wrong })
    }

    fn holds(&self, formula: &Formula, state: usize) -> bool {
        match formula {
            StateFormula::Atom(atom) => self.truths[*atom],
            StateFormula::Initial => self.initial.contains(&(state as u32)),
            StateFormula::Not(f) => !self.holds(f, state),
            StateFormula::And(a, b) => self.holds(a, state) && self.holds(b, state),
            StateFormula::Or(a, b) => self.holds(a, state) || self.holds(b, state),
            // Such questions are answered on the whole model.
            StateFormula::Deadlock | StateFormula::Bound(..) => false,
        }
    }
}

impl Space for OnTheFly<'_, '_> {
    type Failure = NotBuilt;

    fn builder(&mut self) -> Builder {
        Builder::new(markov_kind(self.kind))
    }

    fn initial(&self) -> &[u32] {
        &self.initial
    }

    fn look(&mut self, state: usize) -> Result<Look, NotBuilt> {
        self.store.read(StateId(state as u32), &mut self.current);
        let mut problem = None;
        let key = &self.current.key;
        self.walk.fractions().atoms(key, &mut self.truths, &mut |_, error| {
            problem.get_or_insert(error);
        });
        if let Some(error) = problem {
            return Err(match self.walk.wrong(key, &format!("{error} in a condition")) {
                NotBuilt::Wrong(wrong) => self.with_way(wrong, state),
                problem => problem,
            });
        }
        if self.holds(self.right, state) {
            return Ok(Look { standing: Standing::Goal, promise: 1.0 });
        }
        if !self.holds(self.left, state) {
            return Ok(Look { standing: Standing::Lost, promise: 0.0 });
        }
        let estimate = match &mut self.heuristic {
            Some(heuristic) => heuristic.estimate(State::discrete(&self.current.key).into()),
            None => Estimate::ZERO,
        };
        Ok(match promise_of(estimate) {
            None => Look { standing: Standing::Lost, promise: 0.0 },
            Some(promise) => Look { standing: Standing::Open, promise },
        })
    }

    fn expand(&mut self, state: usize, into: &mut Builder) -> Result<(), NotBuilt> {
        self.store.read(StateId(state as u32), &mut self.current);
        self.walk.current = state as u32;
        let written = self.walk.state(self.explorer.as_mut(), self.store, &self.current.key, into);
        written.map_err(|problem| match (problem, self.stop.reason()) {
            (NotBuilt::Stopped(StopReason::Interrupted), Some(reason)) => NotBuilt::Stopped(reason),
            (NotBuilt::Wrong(wrong), _) => self.with_way(wrong, state),
            (problem, _) => problem,
        })?;
        self.memory.set(self.store.memory() + self.walk.memory());
        self.steps.set(self.steps.get() + self.walk.found().len() as u64);
        self.expanded.set(self.expanded.get() + 1);
        Ok(())
    }
}
