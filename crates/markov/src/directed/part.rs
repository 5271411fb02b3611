//! The part of a model that is known: states that were found, and the steps of those that were expanded.
//!
//! What it is not known to do, a state does not do: in the model of a part, states that were not expanded stay where they are.
//! If they count as lost, the probability of reaching a goal is a lower bound for the whole model; if they count as goals, an
//! upper bound. Both hold for the least and the greatest value over schedulers, and within bounds on steps or on time.

use std::ops::Range;

use dashu_ratio::RBig;

use super::space::{Look, Space, Standing};
use crate::effort::Failure;
use crate::model::{Builder, Kind, Model, NumberId, Pool};
use crate::states::StateSet;

const NOT_YET: u32 = u32::MAX;

/// A step as the search sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edge {
    pub from: u32,
    pub to: u32,
    /// Which of the choices of the state, from 0.
    pub choice: u32,
    /// Its place among all entries of the part.
    pub entry: u32,
    /// In continuous time: that this step is the next one.
    pub probability: f64,
}

/// Known states, by their numbers.
pub struct Part {
    rows: Builder,
    /// By entry: its probability, near enough to say what comes first.
    probability: Vec<f64>,
    /// By state: its row, if it was expanded.
    row: Vec<u32>,
    looks: Vec<Look>,
    /// In the order of their expansion.
    expanded: Vec<u32>,
    initial: Vec<u32>,
}

impl Part {
    /// The initial states, not expanded.
    pub fn new<S: Space>(space: &mut S) -> Result<Part, S::Failure> {
        let mut part = Part {
            rows: space.builder(),
            probability: Vec::new(),
            row: Vec::new(),
            looks: Vec::new(),
            expanded: Vec::new(),
            initial: space.initial().to_vec(),
        };
        if let Some(last) = part.initial.iter().max() {
            part.find(*last as usize, space)?;
        }
        Ok(part)
    }

    /// Looks at all states up to this one.
    fn find<S: Space>(&mut self, last: usize, space: &mut S) -> Result<(), S::Failure> {
        for state in self.looks.len()..=last {
            self.looks.push(space.look(state)?);
            self.row.push(NOT_YET);
        }
        Ok(())
    }

    /// Writes down the steps of a state. After an error nothing more can be expanded, but what was known before still is.
    pub fn expand<S: Space>(&mut self, state: usize, space: &mut S) -> Result<(), S::Failure> {
        debug_assert!(!self.is_expanded(state));
        space.expand(state, &mut self.rows)?;
        self.rows.close_as(state as u32);
        if let Some(error) = self.rows.error() {
            return Err(Failure::Refused(error.to_string()).into());
        }
        self.row[state] = self.expanded.len() as u32;
        self.expanded.push(state as u32);
        let choices = self.rows.stored_choices(self.expanded.len() - 1);
        let entries = self.rows.stored_range(choices.start).start..self.rows.stored_range(choices.end - 1).end;
        let pool = self.rows.pool();
        let near = |weight: &NumberId| pool.around(*weight).middle();
        // A step that is there is not impossible, however small its share.
        let share = |weight: &NumberId, total: f64| (near(weight) / total).max(f64::MIN_POSITIVE);
        let weights = &self.rows.stored_weights()[entries.clone()];
        let total: f64 = if self.kind() == Kind::Ctmc { weights.iter().map(near).sum() } else { 1.0 };
        self.probability.extend(weights.iter().map(|weight| share(weight, total)));
        let found = match self.rows.stored_targets()[entries].iter().max() {
            Some(&last) => self.find(last as usize, space),
            None => Ok(()),
        };
        if found.is_err() {
            // Steps to states that nobody has looked at are not known.
            self.row[state] = NOT_YET;
            self.expanded.pop();
        }
        found
    }

    pub fn kind(&self) -> Kind {
        self.rows.kind()
    }

    /// States that were found.
    pub fn len(&self) -> usize {
        self.looks.len()
    }

    pub fn is_empty(&self) -> bool {
        self.looks.is_empty()
    }

    pub fn initial(&self) -> &[u32] {
        &self.initial
    }

    /// In the order of their expansion.
    pub fn expanded(&self) -> &[u32] {
        &self.expanded
    }

    pub fn is_expanded(&self, state: usize) -> bool {
        self.row[state] != NOT_YET
    }

    pub fn standing(&self, state: usize) -> Standing {
        self.looks[state].standing
    }

    pub fn promise(&self, state: usize) -> f64 {
        self.looks[state].promise
    }

    /// Open and not expanded: what becomes of it is not known.
    pub fn is_frontier(&self, state: usize) -> bool {
        self.standing(state) == Standing::Open && !self.is_expanded(state)
    }

    pub fn goals(&self) -> StateSet {
        self.with_standing(Standing::Goal)
    }

    pub fn open(&self) -> StateSet {
        self.with_standing(Standing::Open)
    }

    fn with_standing(&self, standing: Standing) -> StateSet {
        StateSet::from_fn(self.len(), |state| self.standing(state) == standing)
    }

    pub fn frontier(&self) -> StateSet {
        StateSet::from_fn(self.len(), |state| self.is_frontier(state))
    }

    /// The choices of an expanded state, as indices over all choices of the part. None for the others.
    pub(crate) fn choices(&self, state: usize) -> Range<usize> {
        match self.row[state] {
            NOT_YET => 0..0,
            row => self.rows.stored_choices(row as usize),
        }
    }

    /// The numbers of the choices of a state, as far as they are known.
    pub fn choices_known(&self, state: usize) -> Range<usize> {
        0..self.choices(state).len()
    }

    /// All known steps of a state.
    pub fn edges(&self, state: usize) -> impl Iterator<Item = Edge> + '_ {
        let choices = self.choices(state);
        let first = choices.start;
        choices.flat_map(move |choice| self.edges_of(state, choice, choice - first))
    }

    /// The steps of one choice of a state.
    pub fn edges_by(&self, state: usize, choice: usize) -> impl Iterator<Item = Edge> + '_ {
        let all = self.choices(state);
        let one = if choice < all.len() { all.start + choice..all.start + choice + 1 } else { 0..0 };
        one.flat_map(move |index| self.edges_of(state, index, choice))
    }

    fn edges_of(&self, state: usize, choice: usize, number: usize) -> impl Iterator<Item = Edge> + '_ {
        self.rows.stored_range(choice).map(move |entry| Edge {
            from: state as u32,
            to: self.rows.stored_targets()[entry],
            choice: number as u32,
            entry: entry as u32,
            probability: self.probability[entry],
        })
    }

    pub(crate) fn pool(&self) -> &Pool {
        self.rows.pool()
    }

    /// The weight of a step as it was written down: a probability, or a rate.
    pub fn weight(&self, edge: &Edge) -> NumberId {
        self.rows.stored_weights()[edge.entry as usize]
    }

    /// The rate of a step in continuous time; nothing otherwise.
    pub fn rate(&self, edge: &Edge) -> Option<f64> {
        (self.kind() == Kind::Ctmc).then(|| self.pool().around(self.weight(edge)).middle())
    }

    /// The exact probability of a step; in continuous time, that it is the next one.
    pub fn exact(&self, edge: &Edge) -> RBig {
        let weights = self.rows.stored_weights();
        let weight = self.rows.exact(weights[edge.entry as usize]);
        if self.kind() != Kind::Ctmc {
            return weight.clone();
        }
        weight / self.exit_rate(edge.from as usize)
    }

    /// The sum of the rates of an expanded state of a CTMC.
    pub fn exit_rate(&self, state: usize) -> RBig {
        let range = self.rows.stored_range(self.choices(state).start);
        self.rows.stored_weights()[range].iter().fold(RBig::ZERO, |sum, rate| sum + self.rows.exact(*rate))
    }

    /// The part as a model in which only states of `keep` move, all others stay where they are. With a scheduler (a choice by
    /// state), only its choices are there.
    pub fn model(&self, keep: impl Fn(usize) -> bool, scheduler: Option<&dyn Fn(usize) -> usize>) -> Model {
        let mut model = Model {
            kind: self.kind(),
            states: self.len(),
            choice_start: vec![0],
            entry_start: vec![0],
            targets: Vec::with_capacity(self.probability.len()),
            weights: Vec::with_capacity(self.probability.len()),
            pool: self.rows.pool().clone(),
            initial: self.initial.clone(),
            deadlocks: Vec::new(),
            rewards: Vec::new(),
        };
        for state in 0..self.len() {
            let choices = if keep(state) { self.choices(state) } else { 0..0 };
            if choices.is_empty() {
                model.targets.push(state as u32);
                model.weights.push(Pool::ONE);
                model.entry_start.push(model.targets.len() as u32);
            }
            for (number, choice) in choices.enumerate() {
                if scheduler.is_some_and(|chosen| chosen(state) != number) {
                    continue;
                }
                let range = self.rows.stored_range(choice);
                model.targets.extend_from_slice(&self.rows.stored_targets()[range.clone()]);
                model.weights.extend_from_slice(&self.rows.stored_weights()[range]);
                model.entry_start.push(model.targets.len() as u32);
            }
            model.choice_start.push(model.entry_start.len() as u32 - 1);
        }
        if model.kind != Kind::Mdp {
            model.choice_start = Vec::new();
        }
        model
    }

    /// Bytes of the arrays.
    pub fn memory(&self) -> usize {
        self.rows.memory() + 8 * self.probability.len() + 24 * self.looks.len() + 8 * self.expanded.len()
    }
}
