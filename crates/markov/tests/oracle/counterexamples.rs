//! Searches for counterexamples in a random model, in every way, and compares with brute force.

use bughound_markov::directed::{By, Whole};
use bughound_markov::{Kind, Model};

use super::known::World;
use super::raw::{Dice, Raw};
use super::shapes::Shape;
use super::spaces::{Discovered, Original, Promise};
use super::{growth, paths, subsystems, verdicts};

/// How often something was compared.
#[derive(Clone, Copy, Debug, Default)]
pub struct Count {
    pub models: usize,
    /// Lists of paths, the paths in them, and how often brute force had none left.
    pub lists: usize,
    pub paths: usize,
    pub complete: usize,
    pub holds: usize,
    pub violated: usize,
    pub open: usize,
    /// Decisions before everything was known.
    pub early: usize,
    /// Bounds in the middle.
    pub bounds: usize,
    /// Bounds within a time, compared with the series.
    pub in_time: usize,
    /// Parts as models of their own.
    pub parts: usize,
    /// Subsystems, those compared with all sets of states, and those of them that are as small as possible.
    pub subsystems: usize,
    pub compared: usize,
    pub smallest: usize,
    /// The sum of their sizes as shares of the least ones.
    pub ratio: f64,
    /// Those proven to be as small as possible, and bounds proven while a part was not known.
    pub proofs: usize,
    pub bounds_of_parts: usize,
    /// No subsystem, because a scheduler was worth too little.
    pub alone: usize,
}

/// A random model with everything that is known about it.
pub struct Case {
    pub name: String,
    pub shape: Shape,
    pub raw: Raw,
    pub model: Model,
    pub world: World,
}

impl Case {
    pub fn random(kind: Kind, seed: u64, dice: &mut Dice) -> Case {
        let shape = Shape::of_seed(seed);
        let raw = shape.random(kind, dice);
        let (model, world) = (raw.model(), World::of(&raw));
        Case { name: format!("{kind:?} {seed} {shape:?}"), shape, raw, model, world }
    }

    /// Calls with one of the ways in which the model can be a space.
    pub fn with_space<R>(&self, dice: &mut Dice, use_it: impl SpaceUser<R>) -> R {
        let promise = [Promise::None, Promise::Exact, Promise::Loose][dice.below(3)];
        if dice.chance(25) {
            let mut whole = Whole::new(&self.model, &self.raw.left, &self.raw.right);
            return use_it.call(&mut whole, Promise::None, dice);
        }
        let mut space = Discovered::new(&self.raw, &self.world, promise, dice);
        use_it.call(&mut space, promise, dice)
    }
}

/// What is done with a space, whatever its type.
pub trait SpaceUser<R> {
    fn call<S: Original>(self, space: &mut S, promise: Promise, dice: &mut Dice) -> R;
}

pub fn either(dice: &mut Dice) -> By {
    if dice.chance(50) { By::Path } else { By::Mass }
}

/// Everything about the model with this seed.
pub fn check(kind: Kind, seed: u64, count: &mut Count) {
    let mut dice = Dice::new(seed * 5 + kind as u64 + 1);
    let case = Case::random(kind, seed, &mut dice);
    count.models += 1;
    paths::check(&case, &mut dice, count);
    verdicts::check(&case, &mut dice, count);
    growth::check(&case, &mut dice, count);
    subsystems::check(&case, &mut dice, count);
}
