//! Answers: a certain value for every state.

use crate::numbers::{Extended, Interval};

/// Over which schedulers of a decision process. Chains have one, and both mean the same there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Extreme {
    Min,
    Max,
}

/// One value per state.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// The values themselves.
    Exact(Vec<Extended>),
    /// The value of a state lies in its interval.
    Between(Vec<Interval>),
}

impl Values {
    pub fn len(&self) -> usize {
        match self {
            Values::Exact(values) => values.len(),
            Values::Between(values) => values.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// An interval around the value of a state.
    pub fn interval(&self, state: usize) -> Interval {
        match self {
            Values::Exact(values) => values[state].interval(),
            Values::Between(values) => values[state],
        }
    }

    /// The value itself, if it is known.
    pub fn exact(&self, state: usize) -> Option<&Extended> {
        match self {
            Values::Exact(values) => Some(&values[state]),
            Values::Between(_) => None,
        }
    }

    pub fn is_exact(&self) -> bool {
        matches!(self, Values::Exact(_))
    }

    /// The values of these states only, in this order.
    pub fn select(&self, states: impl Iterator<Item = usize>) -> Values {
        match self {
            Values::Exact(values) => Values::Exact(states.map(|state| values[state].clone()).collect()),
            Values::Between(values) => Values::Between(states.map(|state| values[state]).collect()),
        }
    }

    pub(crate) fn intervals(&self) -> Vec<Interval> {
        (0..self.len()).map(|state| self.interval(state)).collect()
    }
}

/// A choice for every state that depends on nothing but the state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scheduler {
    pub(crate) choices: Vec<u32>,
}

impl Scheduler {
    pub(crate) const ANY: u32 = u32::MAX;

    /// Which of the choices of this state, counted from 0; `None` if it makes no difference.
    pub fn choice(&self, state: usize) -> Option<usize> {
        let choice = self.choices[state];
        (choice != Self::ANY).then_some(choice as usize)
    }

    pub fn len(&self) -> usize {
        self.choices.len()
    }

    pub fn is_empty(&self) -> bool {
        self.choices.is_empty()
    }
}

/// What was done for an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// States whose value was not clear from the graph.
    pub unknowns: usize,
    /// Cyclic components among them.
    pub components: usize,
    /// Sweeps over components, together.
    pub sweeps: u64,
    /// Operations of elimination.
    pub operations: u64,
}

/// A certain answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    pub values: Values,
    /// For decision processes and questions without bounds: a scheduler whose value lies in the interval, too.
    pub scheduler: Option<Scheduler>,
    /// Is every interval as narrow as wanted? False where rounding did not let it become so.
    pub precise: bool,
    pub work: Work,
}

impl Answer {
    pub(crate) fn exact(values: Vec<Extended>) -> Answer {
        Answer { values: Values::Exact(values), scheduler: None, precise: true, work: Work::default() }
    }

    pub(crate) fn between(values: Vec<Interval>, relative: f64, absolute: f64) -> Answer {
        let precise = values.iter().all(|value| value.is_within(relative, absolute));
        Answer { values: Values::Between(values), scheduler: None, precise, work: Work::default() }
    }

    /// No probability is above 1, whatever rounding says.
    pub(crate) fn at_most_one(mut self) -> Answer {
        if let Values::Between(values) = &mut self.values {
            values.iter_mut().for_each(|value| value.upper = value.upper.min(1.0));
        }
        self
    }

    /// 1 − value, for probabilities.
    pub fn complement(self) -> Answer {
        let values = match self.values {
            Values::Exact(values) => Values::Exact(
                values
                    .into_iter()
                    .map(|value| match value {
                        Extended::Finite(value) => Extended::Finite(dashu_ratio::RBig::ONE - value),
                        Extended::Infinite => Extended::Infinite,
                    })
                    .collect(),
            ),
            Values::Between(values) => Values::Between(values.into_iter().map(Interval::complement).collect()),
        };
        Answer { values, ..self }
    }
}
