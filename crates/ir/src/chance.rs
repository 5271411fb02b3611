//! Questions about chances: probabilities, expected rewards, long-run averages, of DTMCs, CTMCs and MDPs.
//!
//! PCTL (Hansson and Jonsson 1994), CSL (Aziz et al. 1996; Baier et al. 2003) with rewards, as PRISM and JANI write them.
//! Generic in what is said about single states, so that front ends write the same type about their own trees and only have to
//! translate the conditions in it ([`StateFormula::try_map`] and its like).

use dashu_ratio::RBig;

/// An exact number. Decimal literals are what they say: 0.1 is 1/10.
pub type Number = RBig;

/// What kind of process the model describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Discrete-time Markov chain: enabled commands are equally likely.
    Dtmc,
    /// Continuous-time Markov chain: enabled commands race with their rates.
    Ctmc,
    /// Markov decision process: somebody chooses among enabled commands.
    Mdp,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

impl Comparison {
    pub fn holds(self, left: &Number, right: &Number) -> bool {
        match self {
            Comparison::Less => left < right,
            Comparison::LessEqual => left <= right,
            Comparison::Greater => left > right,
            Comparison::GreaterEqual => left >= right,
        }
    }

    /// Is it a bound from above?
    pub fn is_upper(self) -> bool {
        matches!(self, Comparison::Less | Comparison::LessEqual)
    }
}

/// Over which schedulers of an MDP. Chains have one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Extreme {
    Min,
    Max,
    /// Not said. With a bound it is the worst case: `P<=p` is about the maximum, `P>=p` about the minimum. Without one it is an
    /// error in an MDP.
    Unsaid,
}

/// What is true or false of a state.
#[derive(Clone, Debug, PartialEq)]
pub enum StateFormula<A> {
    Atom(A),
    /// It is an initial state (`"init"`).
    Initial,
    /// Nothing could happen there, so a self-loop was added (`"deadlock"`).
    Deadlock,
    Not(Box<StateFormula<A>>),
    And(Box<StateFormula<A>>, Box<StateFormula<A>>),
    Or(Box<StateFormula<A>>, Box<StateFormula<A>>),
    /// `P<=0.1 [ … ]`, `R{"r"}>3 [ … ]`, `S>=0.9 [ … ]`: the quantity compares so with the number.
    Bound(Box<Quantity<A>>, Comparison, Number),
}

/// A number that a state has.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantity<A> {
    pub extreme: Extreme,
    pub measure: Measure<A>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Measure<A> {
    Probability(PathFormula<A>),
    Reward {
        structure: RewardId,
        of: RewardFormula<A>,
    },
    /// The share of time (of steps, in discrete time) spent in such states in the long run.
    LongRun(StateFormula<A>),
}

/// Index of a reward structure of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RewardId(pub u32);

/// True of a run from its first state on.
#[derive(Clone, Debug, PartialEq)]
pub enum PathFormula<A> {
    Next(StateFormula<A>),
    Finally(StateFormula<A>, Bounds),
    Globally(StateFormula<A>, Bounds),
    Until(StateFormula<A>, StateFormula<A>, Bounds),
    /// `a W b`: `a U b` or `G a`.
    WeakUntil(StateFormula<A>, StateFormula<A>, Bounds),
    /// `a R b`: not (`!a U !b`).
    Release(StateFormula<A>, StateFormula<A>, Bounds),
}

/// When, or for how much, the decisive state may be reached. All of them have to hold; none: at any time.
pub type Bounds = Vec<Bound>;

#[derive(Clone, Debug, PartialEq)]
pub struct Bound {
    pub of: Bounded,
    pub lower: Option<Limit>,
    pub upper: Option<Limit>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bounded {
    /// Time: steps in discrete time.
    Time,
    Steps,
    /// What was accumulated of this reward.
    Reward(RewardId),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Limit {
    pub value: Number,
    /// The value itself is outside.
    pub strict: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub enum RewardFormula<A> {
    /// Accumulated until such a state is reached; infinite where that is not certain.
    Reach(StateFormula<A>),
    /// Accumulated up to this time (so many steps, in discrete time).
    Cumulated(Number),
    /// The state reward at this time (after so many steps).
    Instant(Number),
    /// Accumulated for ever.
    Total,
    /// Per unit of time (per step) in the long run.
    LongRun,
}

/// What is asked for in a state.
#[derive(Clone, Debug, PartialEq)]
pub enum Asked<A> {
    Value(Quantity<A>),
    Truth(StateFormula<A>),
}

/// How the values of several states become one answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FilterFunction {
    /// The one value that all of these states have: values that differ are an error, truths are all to hold.
    State,
    Min,
    Max,
    Sum,
    Average,
    Count,
    ForAll,
    Exists,
    /// All of them, from the least to the greatest.
    Range,
}

/// A question with the states that it is asked about.
#[derive(Clone, Debug, PartialEq)]
pub struct ChanceQuestion<A> {
    pub asked: Asked<A>,
    pub function: FilterFunction,
    /// `None`: the initial states.
    pub states: Option<StateFormula<A>>,
}

impl<A> StateFormula<A> {
    #[allow(clippy::should_implement_trait)]
    pub fn not(self) -> Self {
        StateFormula::Not(Box::new(self))
    }

    pub fn and(self, other: Self) -> Self {
        StateFormula::And(Box::new(self), Box::new(other))
    }

    pub fn or(self, other: Self) -> Self {
        StateFormula::Or(Box::new(self), Box::new(other))
    }

    /// The same formula about other atoms.
    pub fn try_map<B, E>(&self, map: &mut dyn FnMut(&A) -> Result<B, E>) -> Result<StateFormula<B>, E> {
        Ok(match self {
            StateFormula::Atom(atom) => StateFormula::Atom(map(atom)?),
            StateFormula::Initial => StateFormula::Initial,
            StateFormula::Deadlock => StateFormula::Deadlock,
            StateFormula::Not(f) => f.try_map(map)?.not(),
            StateFormula::And(a, b) => a.try_map(map)?.and(b.try_map(map)?),
            StateFormula::Or(a, b) => a.try_map(map)?.or(b.try_map(map)?),
            StateFormula::Bound(q, c, n) => StateFormula::Bound(Box::new(q.try_map(map)?), *c, n.clone()),
        })
    }

    /// Calls `visit` with every atom.
    pub fn walk<'f>(&'f self, visit: &mut dyn FnMut(&'f A)) {
        match self {
            StateFormula::Atom(atom) => visit(atom),
            StateFormula::Initial | StateFormula::Deadlock => {}
            StateFormula::Not(f) => f.walk(visit),
            StateFormula::And(a, b) | StateFormula::Or(a, b) => {
                a.walk(visit);
                b.walk(visit);
            }
            StateFormula::Bound(quantity, ..) => quantity.walk(visit),
        }
    }
}

impl<A> Quantity<A> {
    pub fn try_map<B, E>(&self, map: &mut dyn FnMut(&A) -> Result<B, E>) -> Result<Quantity<B>, E> {
        let measure = match &self.measure {
            Measure::Probability(path) => Measure::Probability(path.try_map(map)?),
            Measure::Reward { structure, of } => Measure::Reward { structure: *structure, of: of.try_map(map)? },
            Measure::LongRun(f) => Measure::LongRun(f.try_map(map)?),
        };
        Ok(Quantity { extreme: self.extreme, measure })
    }

    pub fn walk<'f>(&'f self, visit: &mut dyn FnMut(&'f A)) {
        match &self.measure {
            Measure::Probability(path) => path.parts().into_iter().for_each(|f| f.walk(visit)),
            Measure::Reward { of: RewardFormula::Reach(f), .. } | Measure::LongRun(f) => f.walk(visit),
            Measure::Reward { .. } => {}
        }
    }
}

impl<A> PathFormula<A> {
    /// The formulas about states in it, left to right.
    pub fn parts(&self) -> Vec<&StateFormula<A>> {
        match self {
            PathFormula::Next(f) | PathFormula::Finally(f, _) | PathFormula::Globally(f, _) => vec![f],
            PathFormula::Until(a, b, _) | PathFormula::WeakUntil(a, b, _) | PathFormula::Release(a, b, _) => vec![a, b],
        }
    }

    pub fn try_map<B, E>(&self, map: &mut dyn FnMut(&A) -> Result<B, E>) -> Result<PathFormula<B>, E> {
        Ok(match self {
            PathFormula::Next(f) => PathFormula::Next(f.try_map(map)?),
            PathFormula::Finally(f, b) => PathFormula::Finally(f.try_map(map)?, b.clone()),
            PathFormula::Globally(f, b) => PathFormula::Globally(f.try_map(map)?, b.clone()),
            PathFormula::Until(f, g, b) => PathFormula::Until(f.try_map(map)?, g.try_map(map)?, b.clone()),
            PathFormula::WeakUntil(f, g, b) => PathFormula::WeakUntil(f.try_map(map)?, g.try_map(map)?, b.clone()),
            PathFormula::Release(f, g, b) => PathFormula::Release(f.try_map(map)?, g.try_map(map)?, b.clone()),
        })
    }
}

impl<A> RewardFormula<A> {
    pub fn try_map<B, E>(&self, map: &mut dyn FnMut(&A) -> Result<B, E>) -> Result<RewardFormula<B>, E> {
        Ok(match self {
            RewardFormula::Reach(f) => RewardFormula::Reach(f.try_map(map)?),
            RewardFormula::Cumulated(n) => RewardFormula::Cumulated(n.clone()),
            RewardFormula::Instant(n) => RewardFormula::Instant(n.clone()),
            RewardFormula::Total => RewardFormula::Total,
            RewardFormula::LongRun => RewardFormula::LongRun,
        })
    }
}

impl<A> ChanceQuestion<A> {
    pub fn try_map<B, E>(&self, map: &mut dyn FnMut(&A) -> Result<B, E>) -> Result<ChanceQuestion<B>, E> {
        let asked = match &self.asked {
            Asked::Value(quantity) => Asked::Value(quantity.try_map(map)?),
            Asked::Truth(formula) => Asked::Truth(formula.try_map(map)?),
        };
        let states = self.states.as_ref().map(|f| f.try_map(map)).transpose()?;
        Ok(ChanceQuestion { asked, function: self.function, states })
    }

    /// The `kind` in results.
    pub fn kind(&self) -> &'static str {
        let of = |quantity: &Quantity<A>| match quantity.measure {
            Measure::Probability(_) => "probability",
            Measure::Reward { .. } => "expected-reward",
            Measure::LongRun(_) => "long-run",
        };
        match &self.asked {
            Asked::Value(quantity) => of(quantity),
            Asked::Truth(StateFormula::Bound(quantity, ..)) => of(quantity),
            Asked::Truth(_) => "chances",
        }
    }

    /// All atoms in it.
    pub fn atoms(&self) -> Vec<&A> {
        let mut atoms = Vec::new();
        let mut visit = |atom| atoms.push(atom);
        match &self.asked {
            Asked::Value(quantity) => quantity.walk(&mut visit),
            Asked::Truth(formula) => formula.walk(&mut visit),
        }
        if let Some(states) = &self.states {
            states.walk(&mut visit);
        }
        atoms
    }
}
