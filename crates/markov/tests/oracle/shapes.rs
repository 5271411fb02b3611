//! Random models of the shapes that are hard for a search: many paths of one probability, slow loops, products that are too
//! small for a number, loops without a way out, goals that are initial or out of reach, and more states than `Raw::random` has.

use bughound_markov::{Kind, RBig, StateSet};

use super::raw::{Dice, Raw, RawChoice, fraction};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// As all other questions see them.
    Plain,
    /// Up to twelve states.
    Wide,
    /// Layers with the same probabilities everywhere, some ways back.
    Tree,
    /// Loops that are left slowly.
    Slow,
    /// Probabilities like 1e-200 and 1 − 1e-200.
    Tiny,
    /// So many states that bounds are asked for in the middle.
    Large,
}

/// The entries of every choice of every state, weights as shares of their sum.
type Rows = Vec<Vec<Vec<(usize, RBig)>>>;

/// So many schedulers at most: brute force tries them all.
const SCHEDULERS: usize = 48;

impl Shape {
    pub fn of_seed(seed: u64) -> Shape {
        match seed % 8 {
            0 => Shape::Plain,
            1 | 2 => Shape::Wide,
            3 => Shape::Tree,
            4 | 5 => Shape::Slow,
            6 => Shape::Tiny,
            _ => Shape::Large,
        }
    }

    pub fn random(self, kind: Kind, dice: &mut Dice) -> Raw {
        if self == Shape::Plain {
            return Raw::random(kind, dice);
        }
        let mut rows = match self {
            Shape::Tree => tree(dice),
            Shape::Slow => slow(dice),
            Shape::Tiny => tiny(dice),
            Shape::Large => wide(20 + dice.below(24), dice),
            Shape::Wide | Shape::Plain => wide(6 + dice.below(7), dice),
        };
        let n = rows.len();
        if kind == Kind::Mdp {
            add_choices(&mut rows, dice);
        }
        for (state, choices) in rows.iter_mut().enumerate() {
            // In chains the rates differ between states, and all of them may be small.
            let speed = if kind == Kind::Ctmc { fraction(1 + dice.below(12) as i64, 4) } else { RBig::ONE };
            for entries in choices.iter_mut() {
                let total = entries.iter().fold(RBig::ZERO, |sum, (_, weight)| sum + weight);
                entries.iter_mut().for_each(|(_, weight)| *weight = &*weight / &total * &speed);
            }
            let is_deadlock = dice.chance(5) && state > 0;
            if is_deadlock {
                choices.clear();
            }
        }
        // Goals are rare and late, so that there is something to search; sometimes there is none, or all of it is lost.
        let goals = dice.below(4);
        let late = |dice: &mut Dice| if dice.chance(70) { n - 1 - dice.below(n.div_ceil(3)) } else { dice.below(n) };
        let right = StateSet::from_states(n, (0..goals).map(|_| late(dice)).collect::<Vec<_>>());
        let sure = dice.chance(60);
        let left = StateSet::from_fn(n, |_| sure || dice.chance(85));
        let mut initial = vec![if dice.chance(70) { 0 } else { dice.below(n) }];
        while dice.chance(25) {
            initial.push(dice.below(n));
        }
        if dice.chance(5) {
            initial.extend(right.iter().next());
        }
        raw(kind, rows, initial, left, right)
    }
}

fn raw(kind: Kind, rows: Rows, initial: Vec<usize>, left: StateSet, right: StateSet) -> Raw {
    let choice = |entries: Vec<(usize, RBig)>| RawChoice {
        entry_rewards: vec![RBig::ZERO; entries.len()],
        entries,
        reward: RBig::ZERO,
    };
    let rewards = vec![RBig::ZERO; rows.len()];
    let states = rows.into_iter().map(|choices| choices.into_iter().map(choice).collect()).collect();
    Raw { kind, states, rewards, initial, left, right }
}

/// More choices for a decision process: other steps, loops that never end alone, and copies of what there is.
fn add_choices(rows: &mut Rows, dice: &mut Dice) {
    let n = rows.len();
    let mut schedulers = 1;
    for _ in 0..2 + dice.below(5) {
        let state = dice.below(n);
        let before = rows[state].len();
        if schedulers / before * (before + 1) > SCHEDULERS {
            continue;
        }
        schedulers = schedulers / before * (before + 1);
        let more = match dice.below(5) {
            0 => vec![(state, RBig::ONE)],
            1 => vec![((state + n - 1) % n, RBig::ONE)],
            2 => vec![((state + 1) % n, RBig::ONE)],
            3 => rows[state][0].clone(),
            _ => vec![
                (dice.below(n), fraction(1 + dice.below(3) as i64, 1)),
                (dice.below(n), fraction(1 + dice.below(3) as i64, 1)),
            ],
        };
        rows[state].push(more);
    }
}

fn wide(n: usize, dice: &mut Dice) -> Rows {
    // Powers of one half make many paths of the same probability.
    let halves = dice.chance(30);
    let mut rows = Rows::new();
    for state in 0..n {
        let entries = (0..1 + dice.below(3)).map(|_| {
            let target = match dice.below(10) {
                0..6 => (state + 1 + dice.below(3)) % n,
                6..8 => (state + n - 1 - dice.below(2)) % n,
                _ => dice.below(n),
            };
            let weight = if halves { 1 << dice.below(3) } else { 1 + dice.below(9) as i64 };
            (target, fraction(weight, 1))
        });
        rows.push(vec![entries.collect()]);
    }
    rows
}

fn tree(dice: &mut Dice) -> Rows {
    let (n, branches) = (7 + dice.below(6), 2 + dice.below(2));
    let joins = dice.below(60);
    let mut rows = Rows::new();
    for state in 0..n {
        let children = (0..branches).map(|child| branches * state + 1 + child).filter(|child| *child < n);
        let mut entries: Vec<(usize, RBig)> = children.map(|child| (child, RBig::ONE)).collect();
        if dice.chance(joins) {
            entries.push((dice.below(n), RBig::ONE));
        }
        if entries.is_empty() {
            entries.push((if dice.chance(50) { state } else { dice.below(n) }, RBig::ONE));
        }
        rows.push(vec![entries]);
    }
    rows
}

fn slow(dice: &mut Dice) -> Rows {
    let n = 2 + dice.below(5);
    let stays = [2, 4, 9, 19][dice.below(4)];
    let mut rows = Rows::new();
    for state in 0..n {
        let mut entries = vec![((state + 1) % n, RBig::ONE)];
        match dice.below(4) {
            0 => entries.push((state, fraction(stays, 1))),
            1 => entries.push((dice.below(state + 1), fraction(stays, 1))),
            2 => entries.push((dice.below(n), RBig::ONE)),
            _ => {}
        }
        rows.push(vec![entries]);
    }
    rows
}

fn tiny(dice: &mut Dice) -> Rows {
    let n = 3 + dice.below(6);
    let power = [20, 160, 200, 300][dice.below(4)];
    let small = RBig::from_parts(1.into(), dashu_int::UBig::from(10u8).pow(power));
    let mut rows = Rows::new();
    for state in 0..n {
        let (next, other) = ((state + 1) % n, dice.below(n));
        let entries = match dice.below(4) {
            0 | 1 => vec![(next, small.clone()), (other, RBig::ONE - &small)],
            2 => vec![(next, RBig::ONE - &small), (other, small.clone())],
            _ => vec![(next, fraction(1 + dice.below(3) as i64, 1)), (other, RBig::ONE)],
        };
        rows.push(vec![entries]);
    }
    rows
}
