//! Random questions about a model whose answers are known.

use dashu_ratio::RBig;

use crate::chances::decisions::Extreme;
use crate::chances::expressions::Words;
use crate::chances::meaning::fraction;
use crate::chances::oracle::Oracle;
use crate::chances::queries::{
    Asked, Combine, Compare, Filter, Formula, Measure, Path, Quantity, Query, Reward, Structure, Time,
};
use crate::chances::syntax::{Expr, Kind, Op};
use crate::random_promela::Rng;

/// How much a chain in continuous time may move in the time of a question.
const MOST_JUMPS: i64 = 10;

pub struct Asking<'a> {
    pub rng: &'a mut Rng,
    pub words: &'a Words,
    pub oracle: &'a Oracle<'a>,
}

impl Asking<'_> {
    fn kind(&self) -> Kind {
        self.oracle.space.kind
    }

    pub fn queries(&mut self, count: usize) -> Vec<Query> {
        (0..count).map(|at| self.query(format!("q{at}"))).collect()
    }

    fn query(&mut self, name: String) -> Query {
        let asked = match self.rng.below(10) {
            0..=5 => Asked::Value(self.quantity(2, true)),
            6..=8 => Asked::Truth(self.bound(2)),
            _ => Asked::Truth(self.formula(2)),
        };
        let is_value = matches!(asked, Asked::Value(_));
        let has_one_start = self.oracle.space.initial.len() == 1;
        let filter = match self.rng.below(10) {
            0..=4 if has_one_start || self.rng.chance(30) => Filter::None,
            0..=7 => {
                let how = match is_value {
                    true => *self.rng.pick(&[
                        Combine::Min,
                        Combine::Max,
                        Combine::Sum,
                        Combine::Average,
                        Combine::Range,
                        Combine::State,
                    ]),
                    false => *self.rng.pick(&[Combine::Count, Combine::ForAll, Combine::Exists, Combine::State]),
                };
                let states = match self.rng.below(4) {
                    0 => None,
                    1 | 2 => Some(Formula::Init),
                    _ => Some(self.formula(1)),
                };
                Filter::New(how, states)
            }
            _ if is_value => {
                let how = *self.rng.pick(&[Combine::State, Combine::Min, Combine::Max, Combine::Range]);
                let states = if self.rng.chance(40) { Formula::Init } else { self.formula(1) };
                Filter::Old(how, states)
            }
            _ => Filter::None,
        };
        Query { name, asked, filter }
    }

    /// Something that is true of states.
    pub fn formula(&mut self, depth: usize) -> Formula {
        let labels = &self.oracle.meaning.model.labels;
        match self.rng.below(if depth == 0 { 7 } else { 12 }) {
            0 if !labels.is_empty() => Formula::Label(self.rng.pick(labels).0.clone()),
            1 => Formula::Deadlock,
            2 if self.rng.chance(40) => Formula::Init,
            3 => Formula::Expr(self.words.truth(self.rng, 2)),
            0..=6 => Formula::Expr(self.some_state()),
            7 => Formula::Not(Box::new(self.formula(depth - 1))),
            8 => Formula::And(Box::new(self.formula(depth - 1)), Box::new(self.formula(depth - 1))),
            9 => Formula::Or(Box::new(self.formula(depth - 1)), Box::new(self.formula(depth - 1))),
            10 => Formula::Implies(Box::new(self.formula(depth - 1)), Box::new(self.formula(depth - 1))),
            _ => self.bound(depth - 1),
        }
    }

    /// A condition that is true of some state that is reached.
    pub fn some_state(&mut self) -> Expr {
        let state = self.rng.pick(&self.oracle.space.states).clone();
        let mut condition = Expr::Bool(true);
        for (slot, value) in self.oracle.meaning.slots.iter().zip(state) {
            if self.rng.chance(50) {
                continue;
            }
            let name = Expr::name(&slot.name);
            condition = condition.and(match (slot.is_bool, value) {
                (true, 0) => name.not(),
                (true, _) => name,
                (false, value) => Expr::binary(Op::Equal, name, Expr::int(value)),
            });
        }
        condition
    }

    /// A quantity compared with a number: often its own value.
    fn bound(&mut self, depth: usize) -> Formula {
        let quantity = self.quantity(depth, false);
        let compare = *self.rng.pick(&Compare::ALL);
        let extreme = match (quantity.extreme, compare.is_upper()) {
            (Some(extreme), _) => extreme,
            (None, true) => Extreme::Max,
            (None, false) => Extreme::Min,
        };
        let is_reward = matches!(quantity.measure, Measure::Reward(..));
        let mut bound =
            [fraction(0, 1), fraction(1, 4), fraction(1, 2), fraction(3, 4), fraction(1, 1)][self.rng.below(5)].clone();
        if is_reward {
            bound *= RBig::from(4);
        }
        let values = self.oracle.values(&quantity, extreme);
        if let Ok(values) = values
            && values.slack.is_zero()
            && self.rng.chance(75)
        {
            let state = match self.rng.chance(60) {
                true => self.oracle.space.initial[0],
                false => self.rng.below(self.oracle.space.len()),
            };
            if let Some(value) = &values.values[state]
                && value.to_string().len() < 40
            {
                bound = value.clone();
            }
        }
        Formula::Bound(Box::new(quantity), compare, bound)
    }

    fn quantity(&mut self, depth: usize, is_asked: bool) -> Quantity {
        let rewards = self.oracle.meaning.model.rewards.len();
        let measure = match self.rng.below(10) {
            0..=2 if rewards > 0 => {
                let structure = self.structure();
                let reward = match self.rng.below(8) {
                    0..=3 => Reward::Reach(self.formula(depth)),
                    4 => Reward::Total,
                    5 => Reward::Cumulated(self.time()),
                    6 => Reward::Instant(self.time()),
                    _ => Reward::LongRun,
                };
                Measure::Reward(structure, reward)
            }
            3 => Measure::LongRun(self.formula(depth)),
            _ => Measure::Probability(self.path(depth)),
        };
        let either = Some(*self.rng.pick(&[Extreme::Min, Extreme::Max]));
        let extreme = match (self.kind(), is_asked) {
            (Kind::Mdp, true) => either,
            (Kind::Mdp, false) if self.rng.chance(40) => either,
            _ => None,
        };
        Quantity { extreme, measure }
    }

    fn time(&mut self) -> RBig {
        if self.kind() != Kind::Ctmc {
            return RBig::from(self.rng.below(7) as i64);
        }
        let fastest = self.oracle.space.exits.iter().max().cloned().unwrap_or(RBig::ONE);
        let mut time =
            [fraction(1, 4), fraction(1, 2), fraction(1, 1), fraction(3, 2), fraction(3, 1)][self.rng.below(5)].clone();
        while &time * &fastest > RBig::from(MOST_JUMPS) {
            time /= RBig::from(2);
        }
        time
    }

    fn when(&mut self, only_upper: bool) -> Time {
        let strict = self.rng.chance(30);
        let one = self.time();
        // Less than nothing is no time.
        let upper = |value: RBig| match value.is_zero() {
            true => (value, false),
            false => (value, strict),
        };
        let earned = None;
        match self.rng.below(if only_upper { 5 } else { 11 }) {
            0 | 1 => Time::default(),
            2..=4 => Time { earned, lower: None, upper: Some(upper(one)) },
            5 => Time { earned, lower: Some((one, strict)), upper: None },
            6 => Time { earned, lower: Some((one.clone(), false)), upper: Some((one, false)) },
            7 | 8 if self.kind() != Kind::Ctmc && !self.oracle.meaning.model.rewards.is_empty() => self.earned(),
            _ => {
                let more = self.time();
                Time { earned, lower: Some((one.clone(), false)), upper: Some((one + more, false)) }
            }
        }
    }

    /// So much of a reward is earned on the way.
    fn earned(&mut self) -> Time {
        let mut structure = self.structure();
        if structure.text.is_empty() {
            structure.text = "{1}".to_string();
        }
        let one = fraction(self.rng.below(8) as i64, *self.rng.pick(&[1, 1, 2]));
        let limit = |value: RBig| Some((value, false));
        let (lower, upper) = match self.rng.below(4) {
            0 => (limit(one), None),
            1 => (limit(one.clone()), limit(one + fraction(self.rng.below(3) as i64, 1))),
            _ => (None, limit(one)),
        };
        Time { earned: Some(structure), lower, upper }
    }

    /// One of the reward structures.
    fn structure(&mut self) -> Structure {
        let rewards = &self.oracle.meaning.model.rewards;
        let index = self.rng.below(rewards.len());
        let text = match (&rewards[index].name, self.rng.below(3)) {
            (Some(name), 0 | 1) => format!("{{\"{name}\"}}"),
            (_, _) if index == 0 && self.rng.chance(50) => String::new(),
            _ => format!("{{{}}}", index + 1),
        };
        Structure { index, text }
    }

    fn path(&mut self, depth: usize) -> Path {
        match self.rng.below(15) {
            0..=3 => Path::Finally(self.formula(depth), self.when(false)),
            4..=6 => Path::Until(self.formula(depth), self.formula(depth), self.when(false)),
            7 | 8 => Path::Globally(self.formula(depth), self.when(false)),
            9 | 10 => Path::Next(self.formula(depth)),
            11 => Path::WeakUntil(self.formula(depth), self.formula(depth), self.when(true)),
            12 => Path::Release(self.formula(depth), self.formula(depth), self.when(true)),
            13 => Path::Now(self.formula(depth)),
            _ => match self.path(depth) {
                // `!X` and the like, but no weak until with a bound: that is no formula of this kind.
                Path::WeakUntil(a, b, _) => Path::Not(Box::new(Path::WeakUntil(a, b, Time::default()))),
                Path::Now(_) | Path::Not(_) => Path::Next(self.formula(depth)),
                path => Path::Not(Box::new(path)),
            },
        }
    }
}
