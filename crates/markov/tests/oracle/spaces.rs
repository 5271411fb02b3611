//! Random models as spaces: numbered as they are, or in the order in which states are found, with promises about what is ahead.

use bughound_markov::directed::{Look, Space, Standing, Whole};
use bughound_markov::{Builder, Failure, Interval, RBig};

use super::known::World;
use super::raw::{Dice, Raw};

/// A space that knows which state of the random model a number means.
pub trait Original: Space<Failure = Failure> {
    fn original(&self, state: usize) -> usize;
}

impl Original for Whole<'_> {
    fn original(&self, state: usize) -> usize {
        state
    }
}

/// What is promised about the best way to a goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Promise {
    /// Nothing.
    None,
    /// What is true.
    Exact,
    /// Something that is not less, another factor for every state: no promise follows from another one.
    Loose,
}

/// States get their numbers when they are met first.
pub struct Discovered<'a> {
    raw: &'a Raw,
    looks: Vec<Look>,
    /// By number.
    originals: Vec<usize>,
    /// By original.
    numbers: Vec<Option<u32>>,
    initial: Vec<u32>,
    looked: usize,
}

impl<'a> Discovered<'a> {
    pub fn new(raw: &'a Raw, world: &World, promise: Promise, dice: &mut Dice) -> Discovered<'a> {
        let remaining = world.ground().best_remaining();
        let looks = (0..raw.len()).map(|state| look(world, state, &remaining[state], promise, dice)).collect();
        let mut space = Discovered {
            raw,
            looks,
            originals: Vec::new(),
            numbers: vec![None; raw.len()],
            initial: Vec::new(),
            looked: 0,
        };
        for &state in &raw.initial {
            let number = space.number(state);
            if !space.initial.contains(&number) {
                space.initial.push(number);
            }
        }
        space
    }

    fn number(&mut self, original: usize) -> u32 {
        *self.numbers[original].get_or_insert_with(|| {
            self.originals.push(original);
            self.originals.len() as u32 - 1
        })
    }
}

fn look(world: &World, state: usize, remaining: &RBig, promise: Promise, dice: &mut Dice) -> Look {
    let standing = match (world.goals.contains(state), world.open.contains(state)) {
        (true, _) => Standing::Goal,
        (false, true) => Standing::Open,
        (false, false) => Standing::Lost,
    };
    // Some states promise what is true and others far more: then states are expanded along poor paths, and better ones to them
    // turn up later.
    let (roll, loose) = (dice.below(3), [1.0, 1.0 + dice.below(1000) as f64 / 100.0, 1e6][dice.below(3)]);
    let nothing = Look { standing, promise: 1.0 };
    if promise == Promise::None || standing != Standing::Open {
        return nothing;
    }
    if remaining.is_zero() {
        // A space may know it and say it in either way, or not know it.
        return match roll {
            0 => Look { standing: Standing::Lost, promise: 0.0 },
            1 => Look { standing, promise: 0.0 },
            _ => nothing,
        };
    }
    let least = Interval::around(remaining).upper;
    let factor = if promise == Promise::Loose { loose } else { 1.0 };
    Look { standing, promise: (least * factor).min(1.0) }
}

impl Original for Discovered<'_> {
    fn original(&self, state: usize) -> usize {
        self.originals[state]
    }
}

impl Space for Discovered<'_> {
    type Failure = Failure;

    fn builder(&mut self) -> Builder {
        Builder::new(self.raw.kind)
    }

    fn initial(&self) -> &[u32] {
        &self.initial
    }

    fn look(&mut self, state: usize) -> Result<Look, Failure> {
        assert_eq!(state, self.looked, "states are looked at once, one after the other");
        self.looked += 1;
        Ok(self.looks[self.originals[state]])
    }

    fn expand(&mut self, state: usize, into: &mut Builder) -> Result<(), Failure> {
        let raw = self.raw;
        into.state();
        // A state without choices is written as it is: the builder adds the loop.
        for choice in &raw.states[self.originals[state]] {
            into.choice();
            for (target, weight) in &choice.entries {
                let (target, weight) = (self.number(*target), into.number(weight));
                into.entry(target as usize, weight);
            }
        }
        Ok(())
    }
}
