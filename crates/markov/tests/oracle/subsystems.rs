//! Subsystems by trying all sets of states.

use bughound_markov::{Extreme, RBig, StateSet};

use super::known::World;

/// The probability of reaching a goal from a state if only these states are there: steps that leave them lead nowhere. For a
/// decision process the most that a scheduler gets.
pub fn probability_within(world: &World, states: &StateSet, from: usize) -> RBig {
    let goals = world.goals.intersection(states);
    if !states.contains(from) {
        return RBig::ZERO;
    }
    world.within(states, &goals).ever(Extreme::Max)[from].clone()
}

/// Is it enough to violate an upper bound?
pub fn passes(probability: &RBig, bound: &RBig, is_strict: bool) -> bool {
    if is_strict { probability >= bound } else { probability > bound }
}

/// The least number of states, the initial state and goals among them, that together pass the bound; none if all do not.
/// Only for models whose states on ways to goals are few.
pub fn smallest(world: &World, from: usize, bound: &RBig, is_strict: bool) -> Option<usize> {
    let ground = world.ground();
    let (forward, hopeful) = (ground.best_from(&[from]), ground.hopeful());
    let useful: Vec<usize> =
        (0..world.len()).filter(|&s| s != from && !forward[s].is_zero() && hopeful.contains(s)).collect();
    assert!(useful.len() <= 12, "too many subsets");
    let all = StateSet::from_states(world.len(), useful.iter().copied().chain([from]));
    if !passes(&probability_within(world, &all, from), bound, is_strict) {
        return None;
    }
    for size in 0..=useful.len() {
        for bits in (0u32..1 << useful.len()).filter(|bits| bits.count_ones() as usize == size) {
            let chosen = useful.iter().enumerate().filter(|(at, _)| bits >> at & 1 == 1).map(|(_, state)| *state);
            let states = StateSet::from_states(world.len(), chosen.chain([from]));
            if passes(&probability_within(world, &states, from), bound, is_strict) {
                return Some(size + 1);
            }
        }
    }
    None
}

/// What a counterexample says of itself, in states of the random model.
pub struct Claimed<'a> {
    pub from: usize,
    /// All that it consists of.
    pub states: &'a StateSet,
    /// In a decision process: the choice of each of them.
    pub scheduler: Option<&'a dyn Fn(usize) -> usize>,
    /// Its probability: not less than the first, not more than the second.
    pub probability: (RBig, RBig),
    /// It is said to be as small as possible.
    pub is_minimum: bool,
}

/// Checks a subsystem: its probability is what is claimed, passes the bound, and no other one is smaller than it may be. Gives its
/// size and the least size.
pub fn check(world: &World, claimed: &Claimed<'_>, bound: &RBig, is_strict: bool) -> (usize, Option<usize>) {
    let chain = claimed.scheduler.map(|scheduler| world.under(scheduler));
    let probability = probability_within(chain.as_ref().unwrap_or(world), claimed.states, claimed.from);
    let (low, high) = &claimed.probability;
    assert!(*low <= probability && probability <= *high, "{probability} is not in {low}..{high}");
    assert!(passes(&probability, bound, is_strict), "{probability} does not pass {bound}");
    let size = claimed.states.count();
    let ground = world.ground();
    let hopeful = ground.hopeful();
    let forward = ground.best_from(&[claimed.from]);
    let useful = (0..world.len()).filter(|&s| !forward[s].is_zero() && hopeful.contains(s));
    if useful.count() > 10 {
        return (size, None);
    }
    let least = smallest(world, claimed.from, bound, is_strict).expect("this one passes");
    assert!(size >= least, "{size} states, but fewer than {least} are not enough");
    assert!(!claimed.is_minimum || size == least, "{size} states are said to be the least, but {least} are enough");
    (size, Some(least))
}
