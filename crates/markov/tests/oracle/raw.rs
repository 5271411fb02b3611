//! Random models as nested vectors, and the same as a `Model`.

use bughound_markov::{Builder, Kind, Model, RBig, StateSet};

/// xorshift64*: the same models for the same seed, everywhere.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 20
    }

    pub fn below(&mut self, n: usize) -> usize {
        self.next() as usize % n
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

#[derive(Clone, Debug)]
pub struct RawChoice {
    pub entries: Vec<(usize, RBig)>,
    pub reward: RBig,
    /// Per entry.
    pub entry_rewards: Vec<RBig>,
}

#[derive(Clone, Debug)]
pub struct Raw {
    pub kind: Kind,
    /// As given to the builder: not normalised in a DTMC.
    pub states: Vec<Vec<RawChoice>>,
    pub rewards: Vec<RBig>,
    pub initial: Vec<usize>,
    pub left: StateSet,
    pub right: StateSet,
}

pub fn fraction(n: i64, d: i64) -> RBig {
    RBig::from_parts_signed(n.into(), d.into())
}

impl Raw {
    /// A model with self-loops, deadlocks, end components, zero rewards and targets out of reach.
    pub fn random(kind: Kind, dice: &mut Dice) -> Raw {
        let n = 1 + dice.below(if kind == Kind::Mdp { 5 } else { 7 });
        // Few targets per state make end components and traps likely.
        let spread = 1 + dice.below(3);
        let rich = dice.below(3);
        let number = |dice: &mut Dice| match rich {
            0 => fraction(0, 1),
            1 => fraction(if dice.chance(40) { dice.below(4) as i64 } else { 0 }, 1),
            _ => fraction(dice.below(7) as i64, 1 + dice.below(3) as i64),
        };
        let mut states = Vec::new();
        for state in 0..n {
            let most = if kind == Kind::Mdp { 3 } else { 2 };
            let count = if dice.chance(10) { 0 } else { 1 + dice.below(most) };
            let mut choices = Vec::new();
            for _ in 0..count {
                let targets = 1 + dice.below(spread + 1);
                let mut parts: Vec<(usize, i64)> = Vec::new();
                for _ in 0..targets {
                    // Neighbours are likelier: longer ways.
                    let target = if dice.chance(50) { (state + dice.below(3) + n - 1) % n } else { dice.below(n) };
                    parts.push((target, 1 + dice.below(9) as i64));
                }
                let total: i64 = parts.iter().map(|part| part.1).sum();
                let entries: Vec<(usize, RBig)> = parts
                    .into_iter()
                    .map(|(target, part)| {
                        (target, if kind == Kind::Ctmc { fraction(part, 4) } else { fraction(part, total) })
                    })
                    .collect();
                let entry_rewards =
                    entries.iter().map(|_| if dice.chance(20) { number(dice) } else { RBig::ZERO }).collect();
                let reward = if dice.chance(50) { number(dice) } else { RBig::ZERO };
                choices.push(RawChoice { entries, reward, entry_rewards });
            }
            states.push(choices);
        }
        let rewards = (0..n).map(|_| if dice.chance(60) { number(dice) } else { RBig::ZERO }).collect();
        let initial = (0..1 + dice.below(2)).map(|_| dice.below(n)).collect();
        let (sure, likely) = (dice.chance(50), 10 + dice.below(40));
        let left = StateSet::from_fn(n, |_| sure || dice.chance(80));
        let right = StateSet::from_fn(n, |_| dice.chance(likely));
        Raw { kind, states, rewards, initial, left, right }
    }

    pub fn len(&self) -> usize {
        self.states.len()
    }

    pub fn model(&self) -> Model {
        let mut builder = Builder::new(self.kind);
        let structure = builder.reward_structure("r");
        for (choices, reward) in self.states.iter().zip(&self.rewards) {
            builder.state();
            let reward = builder.number(reward);
            builder.state_reward(structure, reward);
            for choice in choices {
                builder.choice();
                let reward = builder.number(&choice.reward);
                builder.choice_reward(structure, reward);
                for ((target, weight), reward) in choice.entries.iter().zip(&choice.entry_rewards) {
                    let (weight, reward) = (builder.number(weight), builder.number(reward));
                    builder.entry(*target, weight);
                    builder.entry_reward(structure, weight, reward);
                }
            }
        }
        builder.finish(self.initial.iter().copied()).expect("a random model is well-formed")
    }

    /// Rows of every choice as dense probability vectors with the expected reward of taking it (not of the state), after
    /// merging what the kind merges. For a CTMC of the embedded chain; `exits` has the rates.
    pub fn dense(&self) -> Vec<Vec<(Vec<RBig>, RBig)>> {
        let n = self.len();
        let row = |state: usize, choices: &[&RawChoice]| {
            let total = choices.iter().flat_map(|c| &c.entries).fold(RBig::ZERO, |sum, (_, weight)| sum + weight);
            let mut row = vec![RBig::ZERO; n];
            if total.is_zero() {
                row[state] = RBig::ONE;
                return (row, RBig::ZERO);
            }
            let mut reward = RBig::ZERO;
            for choice in choices {
                for ((target, weight), extra) in choice.entries.iter().zip(&choice.entry_rewards) {
                    row[*target] += weight / &total;
                    reward += weight / &total * (&choice.reward + extra);
                }
            }
            (row, reward)
        };
        let of_state = |(state, choices): (usize, &Vec<RawChoice>)| match self.kind {
            Kind::Mdp if !choices.is_empty() => choices.iter().map(|choice| row(state, &[choice])).collect(),
            _ => vec![row(state, &choices.iter().collect::<Vec<_>>())],
        };
        self.states.iter().enumerate().map(of_state).collect()
    }

    /// Rates between states and all exit rates, self-loops included.
    pub fn rates(&self) -> (Vec<Vec<RBig>>, Vec<RBig>) {
        let n = self.len();
        let mut rates = vec![vec![RBig::ZERO; n]; n];
        for (state, choices) in self.states.iter().enumerate() {
            for (target, rate) in choices.iter().flat_map(|choice| &choice.entries) {
                rates[state][*target] += rate;
            }
            if choices.is_empty() {
                rates[state][state] = RBig::ONE;
            }
        }
        let exits = rates.iter().map(|row| row.iter().fold(RBig::ZERO, |sum, rate| sum + rate)).collect();
        (rates, exits)
    }
}
