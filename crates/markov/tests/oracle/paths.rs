//! The most probable paths, compared with all walks.

use std::collections::HashSet;

use bughound_markov::directed::{By, Exploration, Likelihood, Part, Path, Paths, Wanted, Ways, list};
use bughound_markov::{Failure, RBig, StateSet};

use super::counterexamples::{Case, Count, SpaceUser};
use super::raw::Dice;
use super::shapes::Shape;
use super::spaces::{Original, Promise};
use super::walks::{Ground, Walk, ln};

/// Brute force gives up after so many walks.
const POPS: usize = 3000;

/// Products of paths are computed for so many steps, all together: fractions of long paths are long.
const STEPS: usize = 2000;

fn exact(found: &Paths, part: &Part) -> Vec<RBig> {
    let mut steps = 0;
    let some = found.paths.iter().take_while(|path| {
        steps += path.edges.len();
        steps < STEPS
    });
    some.map(|path| path.exact(part)).collect()
}

pub fn check(case: &Case, dice: &mut Dice, count: &mut Count) {
    for _ in 0..2 {
        case.with_space(dice, Search { case, count });
    }
    case.with_space(dice, Restricted { case, count });
}

fn some_count(dice: &mut Dice) -> usize {
    [1, 1, 2, 3, 10, 50, 200][dice.below(7)]
}

/// On the fly, from one of the initial states.
struct Search<'a> {
    case: &'a Case,
    count: &'a mut Count,
}

impl SpaceUser<()> for Search<'_> {
    fn call<S: Original>(self, space: &mut S, promise: Promise, dice: &mut Dice) {
        let mut exploration = Exploration::new(space, By::Path).unwrap();
        // Some of it may be known before.
        for _ in 0..if dice.chance(30) { dice.below(6) } else { 0 } {
            exploration.expand().unwrap();
        }
        let initial = exploration.part.initial().to_vec();
        let from = initial[dice.below(initial.len())];
        let number = some_count(dice);
        let wanted = Wanted { count: number, shown: if dice.chance(80) { number } else { dice.below(number + 1) } };
        let name = format!("{} paths {promise:?} {wanted:?} from {from}", self.case.name);
        let found = exploration.paths(from, wanted, &mut |_, _| Ok(())).unwrap();
        let (space, part) = (&*exploration.space, &exploration.part);
        let exact = exact(&found, part);
        let (original, ground) = (|state: usize| space.original(state), self.case.world.ground());
        let compared = Compared { name: &name, shape: self.case.shape, ground: &ground, original: &original };
        compared.compare(from, wanted, &found, &exact, false, self.count);
    }
}

/// In a part that is known, within some states and choices.
struct Restricted<'a> {
    case: &'a Case,
    count: &'a mut Count,
}

impl SpaceUser<()> for Restricted<'_> {
    fn call<S: Original>(self, space: &mut S, promise: Promise, dice: &mut Dice) {
        let world = &self.case.world;
        let mut exploration = Exploration::new(space, super::counterexamples::either(dice)).unwrap();
        let steps = if dice.chance(50) { usize::MAX } else { dice.below(world.len()) };
        let mut known = StateSet::none(world.len());
        let mut expanded = 0;
        while expanded < steps && exploration.expand().unwrap() {
            expanded += 1;
        }
        let (space, part) = (&*exploration.space, &exploration.part);
        part.expanded().iter().for_each(|&state| known.insert(space.original(state as usize)));
        let (some, one) = (dice.chance(60), dice.chance(50));
        let states = StateSet::from_fn(world.len(), |_| !some || dice.chance(80));
        let scheduler: Vec<usize> = world.choices.iter().map(|choices| dice.below(choices.len())).collect();
        let chosen = |state: usize| scheduler[space.original(state)];
        let ways = Ways::to_goals(part).within(&StateSet::from_fn(part.len(), |s| states.contains(space.original(s))));
        let ways = if one { ways.chosen(&chosen) } else { ways };
        let number = some_count(dice);
        let wanted = Wanted { count: number, shown: number };
        let from = part.initial()[dice.below(part.initial().len())];
        let name = format!("{} list {promise:?} {wanted:?} from {from}", self.case.name);
        let found = list::<Failure>(part, &ways, from, wanted, Likelihood::ZERO, &mut || Ok(())).unwrap();
        let exact = exact(&found, part);
        let goals = world.goals.intersection(&states);
        let mut ground = world.within(&known.intersection(&states), &goals).ground();
        // States that are not known to move can be reached, but lead nowhere: walks to goals do not meet them.
        for (state, steps) in ground.steps.iter_mut().enumerate() {
            steps.retain(|(choice, _, _)| !one || scheduler[state] == *choice);
        }
        let original = |state: usize| space.original(state);
        let compared = Compared { name: &name, shape: self.case.shape, ground: &ground, original: &original };
        compared.compare(from, wanted, &found, &exact, true, self.count);
    }
}

struct Compared<'a> {
    name: &'a str,
    shape: Shape,
    ground: &'a Ground,
    original: &'a dyn Fn(usize) -> usize,
}

impl Compared<'_> {
    fn walk(&self, path: &Path) -> Walk {
        let original = |state: u32| (self.original)(state as usize);
        path.edges.iter().map(|edge| (original(edge.from), edge.choice as usize, original(edge.to))).collect()
    }

    fn compare(&self, from: u32, wanted: Wanted, found: &Paths, exact: &[RBig], is_known: bool, count: &mut Count) {
        let name = self.name;
        let from_original = (self.original)(from as usize);
        // Fractions of numbers like 1e-200 are long.
        let pops = if self.shape == Shape::Tiny { POPS / 10 } else { POPS };
        // One more, to see whether there are more.
        let (expected, is_all) = self.ground.best_walks(from_original, wanted.count + 1, pops);
        assert!(found.likelihoods.len() <= wanted.count, "{name}: more than wanted");
        assert_eq!(found.paths.len(), found.likelihoods.len().min(wanted.shown), "{name}: shown");
        let is_cut_short = expected.len() <= wanted.count && !is_all;
        if !is_cut_short {
            assert_eq!(found.likelihoods.len(), expected.len().min(wanted.count), "{name}: number of paths");
        }
        assert!(found.likelihoods.len() >= expected.len().min(wanted.count), "{name}: too few");
        // Those that brute force found are a prefix of all.
        for (at, (likelihood, expected)) in found.likelihoods.iter().zip(&expected).enumerate() {
            let difference = (likelihood.ln() - ln(&expected.probability)).abs();
            assert!(
                difference < 1e-9,
                "{name}: path {at} has {} instead of {}",
                likelihood.ln(),
                ln(&expected.probability)
            );
        }
        for pair in found.likelihoods.windows(2) {
            assert!(pair[1].ln() <= pair[0].ln() + 1e-9, "{name}: not in order");
        }
        if found.all {
            assert!(expected.len() <= found.likelihoods.len(), "{name}: said to be all, but there are more");
        }
        // Whoever looked for more than there are knows that it was all.
        if is_all && (is_known || expected.len() < wanted.count) {
            assert_eq!(found.all, expected.len() <= wanted.count, "{name}: all");
        }
        self.compare_steps(from_original, found, exact);
        self.compare_products(&expected, exact, is_cut_short);
        if let (Some(first), Some(expected)) = (found.paths.first(), expected.first()) {
            // Something shorter may be less probable by less than rounding shows.
            assert!(first.edges.len() <= expected.length, "{name}: the first path is not shortest");
            assert!(
                exact.first() != Some(&expected.probability) || first.edges.len() == expected.length,
                "{name}: shorter than possible"
            );
        }
        let mass: f64 = found.likelihoods.iter().map(|likelihood| likelihood.ln().exp()).sum();
        assert!((found.mass(wanted.count) - mass).abs() <= 1e-9 * mass.max(1e-290), "{name}: mass");
        count.lists += 1;
        count.paths += expected.len().min(wanted.count);
        count.complete += usize::from(is_all);
    }

    /// Every path is a walk to its first goal, and no other one is the same.
    fn compare_steps(&self, from: usize, found: &Paths, exact: &[RBig]) {
        let name = self.name;
        let mut seen = HashSet::new();
        for (at, path) in found.paths.iter().enumerate() {
            let walk = self.walk(path);
            assert_eq!((self.original)(path.start as usize), from, "{name}: path {at} starts elsewhere");
            assert_eq!(path.states().count(), walk.len() + 1, "{name}: path {at} has other states");
            let Some(probabilities) = self.ground.follow(from, &walk) else {
                panic!("{name}: path {at} is no walk to its first goal: {walk:?}");
            };
            let sum: f64 = probabilities.iter().map(|probability| ln(probability)).sum();
            assert!((path.likelihood.ln() - sum).abs() < 1e-9, "{name}: path {at} says {:?}", path.likelihood);
            if let Some(exact) = exact.get(at) {
                let product = probabilities.into_iter().fold(RBig::ONE, |product, probability| product * probability);
                assert_eq!(product, *exact, "{name}: product of path {at}");
            }
            assert_eq!(path.likelihood, found.likelihoods[at], "{name}: path {at}");
            assert!(seen.insert(walk), "{name}: path {at} is there twice");
        }
    }

    /// The exact products are the exact largest ones, where rounding cannot take one for another.
    fn compare_products(&self, expected: &[super::walks::Found], exact: &[RBig], is_cut_short: bool) {
        if self.shape == Shape::Tiny || is_cut_short {
            return;
        }
        let mut sorted = exact.to_vec();
        sorted.sort_by(|a, b| b.cmp(a));
        for (at, (exact, expected)) in sorted.iter().zip(expected).enumerate() {
            assert_eq!(*exact, expected.probability, "{}: product {at}", self.name);
        }
    }
}
