//! Subsystems by trying all sets of states, compared with those that are found.

use bughound_markov::directed::{
    Beyond, Decision, Exploration, Objective, Proof, Standing, Threshold, Ways, When, subsystem,
};
use bughound_markov::{Answer, Effort, Extreme, Kind, RBig, StateSet};

use super::counterexamples::{Case, Count, SpaceUser, either};
use super::known::{Truth, World};
use super::raw::{Dice, fraction};
use super::shapes::Shape;
use super::spaces::{Original, Promise};

/// So many sets of states, times schedulers, are tried at most.
const TRIED: usize = 4096;
/// The same where each takes a series.
const TRIED_IN_TIME: usize = 128;

/// Work for a proof: more than enough where all sets of states can be tried.
const PROOF: u64 = 30_000_000;

/// The probability of reaching a goal from a state if only these states are there: steps that leave them lead nowhere. For a
/// decision process the most that a scheduler gets.
pub fn probability_within(world: &World, states: &StateSet, from: usize) -> RBig {
    within(world, states, from, &When::Ever).values[from].clone()
}

fn within(world: &World, states: &StateSet, from: usize, when: &When) -> Truth {
    if !states.contains(from) {
        return Truth { values: vec![RBig::ZERO; world.len()], slack: RBig::ZERO };
    }
    let goals = world.goals.intersection(states);
    world.within(states, &goals).truth(Extreme::Max, when)
}

/// Is it enough to violate an upper bound?
fn passes(probability: &RBig, beyond: &Beyond) -> bool {
    if beyond.or_equal { *probability >= beyond.bound } else { *probability > beyond.bound }
}

/// States other than the first that are on a way to a goal.
fn useful(world: &World, from: usize) -> Vec<usize> {
    let ground = world.ground();
    let (forward, hopeful) = (ground.best_from(&[from]), ground.hopeful());
    (0..world.len()).filter(|&s| s != from && !forward[s].is_zero() && hopeful.contains(s)).collect()
}

/// The least number of states, the initial state and goals among them, that together pass the bound: as far as the series tells
/// they may, and for certain. Nothing if there would be too many sets to try.
fn smallest(world: &World, from: usize, beyond: &Beyond, when: &When) -> Option<(usize, usize)> {
    let useful = useful(world, from);
    let schedulers: usize = useful.iter().chain([&from]).map(|&s| world.choices[s].len()).product();
    let most = if matches!(when, When::Time(_)) { TRIED_IN_TIME } else { TRIED };
    if useful.len() > 12 || schedulers << useful.len() > most {
        return None;
    }
    let mut perhaps = None;
    for size in 0..=useful.len() {
        for bits in (0u32..1 << useful.len()).filter(|bits| bits.count_ones() as usize == size) {
            let chosen = useful.iter().enumerate().filter(|(at, _)| bits >> at & 1 == 1).map(|(_, state)| *state);
            let states = StateSet::from_states(world.len(), chosen.chain([from]));
            let truth = within(world, &states, from, when);
            if passes(&(&truth.values[from] + &truth.slack), beyond) {
                perhaps.get_or_insert(size + 1);
            }
            if passes(&(&truth.values[from] - &truth.slack), beyond) {
                return Some((perhaps.unwrap_or(size + 1), size + 1));
            }
        }
    }
    Some((perhaps.expect("all states together pass the bound"), usize::MAX))
}

pub fn check(case: &Case, dice: &mut Dice, count: &mut Count) {
    for objective in super::verdicts::objectives(case, dice) {
        let truth = case.world.truth(objective.extreme, &objective.when);
        let value = &truth.values[case.raw.initial[dice.below(case.raw.initial.len())]];
        let is_upper = objective.extreme == Extreme::Max && dice.chance(75);
        for share in [dice.below(1000) as i64, 1000, 0] {
            // Above the value where goals are reached too seldom, below it where too often.
            let bound = match is_upper {
                true => value * fraction(share, 1000),
                false => RBig::ONE - (RBig::ONE - value) * fraction(share, 1000),
            };
            // At the value itself only those who may be equal are violated.
            let is_strict = share == 1000 && !matches!(objective.when, When::Time(_)) || dice.chance(50);
            let threshold = Threshold { bound, is_upper, is_strict };
            case.with_space(dice, Cut { case, objective: &objective, threshold: &threshold, count });
        }
    }
}

/// Decides, and cuts a subsystem out of what was seen.
struct Cut<'a> {
    case: &'a Case,
    objective: &'a Objective,
    threshold: &'a Threshold,
    count: &'a mut Count,
}

impl SpaceUser<()> for Cut<'_> {
    fn call<S: Original>(self, space: &mut S, promise: Promise, dice: &mut Dice) {
        let Cut { case, objective, threshold, count } = self;
        let name = format!("{} subsystem {objective:?} {threshold:?} {promise:?}", case.name);
        let effort = if dice.chance(70) { Effort::default() } else { Effort::default().approximate(1e-6) };
        let mut exploration = Exploration::new(space, either(dice)).unwrap();
        let decision = exploration.decide(objective, threshold, &effort, &mut |_, _| Ok(())).unwrap();
        let Decision::Violated(from, mut bounds) = decision else { return };
        let proof = dice.chance(60).then_some(Proof { stop: &|| false, work: PROOF });
        if dice.chance(60) {
            while exploration.expand().unwrap() {}
            bounds = exploration.bounds(objective, &effort).unwrap();
        }
        // That something happens too seldom within a bound is no matter of few states.
        if !threshold.is_upper && objective.when != When::Ever {
            return;
        }
        let (space, part) = (&*exploration.space, &exploration.part);
        let answer = if threshold.is_upper { &bounds.lower } else { &bounds.upper };
        let is_mdp = part.kind() == Kind::Mdp;
        // Within a bound on steps there is no scheduler without memory.
        if is_mdp && answer.scheduler.is_none() {
            return;
        }
        let chosen = |state: usize| answer.scheduler.as_ref().and_then(|s| s.choice(state)).unwrap_or(0);
        let ways = match threshold.is_upper {
            true => Ways::to_goals(part).chosen(&chosen),
            false => Ways::to_hopeless(part, &chosen),
        };
        let bound = if threshold.is_upper { threshold.bound.clone() } else { RBig::ONE - &threshold.bound };
        let beyond = Beyond { bound, or_equal: threshold.is_strict };
        let found = subsystem(part, from, &ways, &objective.when, &beyond, proof, &effort).unwrap();
        let Some(found) = found else {
            // A scheduler may be worth less than its bound by rounding: only where the bound is met by that little.
            assert!(effort.exact.operations == 0 || matches!(objective.when, When::Time(_)), "{name}: nothing found");
            count.alone += 1;
            return;
        };
        let original = |state: u32| space.original(state as usize);
        let inside: Vec<usize> = found.states().map(|at| original(found.chain.states[at])).collect();
        let states = StateSet::from_states(case.raw.len(), inside.iter().copied());
        assert_eq!(states.count(), inside.len(), "{name}: a state is listed twice");
        let from = original(from);
        assert_eq!(inside.first(), Some(&from), "{name}: the initial state comes first");
        let ends: Vec<usize> = (0..part.len()).filter(|&s| ways.is_end(s)).map(|s| space.original(s)).collect();
        // What is not known leads nowhere, neither to goals nor away from them.
        let known = StateSet::from_states(case.raw.len(), part.expanded().iter().map(|&s| original(s)));
        let ends = StateSet::from_states(case.raw.len(), ends);
        if !threshold.is_upper {
            let lost = (0..part.len()).filter(|&s| part.standing(s) == Standing::Lost).map(|s| space.original(s));
            self::hopeless(&name, case, &ends, &known, &StateSet::from_states(case.raw.len(), lost), &|state| {
                let number = (0..part.len()).find(|&s| space.original(s) == state);
                number.map_or(0, &chosen)
            });
        }
        let numbers = StateSet::from_states(case.raw.len(), (0..part.len()).map(|s| space.original(s)));
        let scheduler: Vec<usize> = (0..case.raw.len())
            .map(|state| match numbers.contains(state) && is_mdp {
                true => (0..part.len()).find(|&s| space.original(s) == state).map_or(0, &chosen),
                false => 0,
            })
            .collect();
        let world = World { goals: ends.clone(), ..case.world.clone() };
        let world = world.within(&known, &ends).under(&|state| scheduler[state]);
        let claimed = Claimed { name: &name, from, states: &states, answer: &found.answer };
        let size = claimed.check(&world, &beyond, &objective.when);
        count.subsystems += 1;
        if let Some((least, surely)) = smallest(&world, from, &beyond, &objective.when) {
            assert!(size >= least, "{name}: {size} states, but fewer than {least} are not enough");
            count.compared += 1;
            count.smallest += usize::from(size == least);
            count.ratio += size as f64 / least as f64;
            let is_all = part.frontier().is_empty();
            if let Some(at_least) = found.at_least {
                assert!(at_least <= size, "{name}: {at_least} states are needed, but there are {size}");
                let is_whole = is_all && objective.when == When::Ever;
                assert!(at_least <= surely || !is_all, "{name}: {at_least} states are needed, but {surely} suffice");
                assert!(!is_whole || size == least, "{name}: {size} states, not {least}, with a proof");
                assert!(!is_whole || at_least == least, "{name}: only {at_least} of {least} states are proven");
                count.proofs += usize::from(is_whole);
            }
        }
        // What is proven on a part holds for the whole model. Where nothing was known, a scheduler may choose anything.
        if let Some(at_least) = found.at_least.filter(|_| !is_mdp && threshold.is_upper)
            && let Some((_, least)) = smallest(&case.world, from, &beyond, &objective.when)
        {
            assert!(at_least <= least, "{name}: {at_least} states are needed, but {least} suffice in the whole model");
            count.bounds_of_parts += usize::from(!part.frontier().is_empty());
        }
        // No scheduler gets along with fewer than the fewest of all schedulers.
        if is_mdp
            && threshold.is_upper
            && case.shape != Shape::Large
            && let Some((least, _)) = smallest(&case.world, from, &beyond, &objective.when)
        {
            assert!(size >= least, "{name}: {size} states, but no scheduler does with fewer than {least}");
        }
    }
}

/// Ends of ways that avoid goals are hopeless indeed: nothing but such states can be reached from them.
fn hopeless(
    name: &str,
    case: &Case,
    ends: &StateSet,
    known: &StateSet,
    lost: &StateSet,
    chosen: &dyn Fn(usize) -> usize,
) {
    for state in ends.iter() {
        assert!(!case.world.goals.contains(state), "{name}: {state} is a goal");
        if lost.contains(state) || !case.world.open.contains(state) {
            continue;
        }
        assert!(known.contains(state), "{name}: nobody knows what {state} does");
        for (to, _) in &case.world.choices[state][chosen(state)] {
            assert!(ends.contains(*to), "{name}: {state} leads to {to}, which may lead to a goal");
        }
    }
}

/// What a counterexample says of itself, in states of the random model.
struct Claimed<'a> {
    name: &'a str,
    from: usize,
    /// All that it consists of.
    states: &'a StateSet,
    /// Its probability, in state 0.
    answer: &'a Answer,
}

impl Claimed<'_> {
    /// Its probability is what is claimed, and passes the bound. Gives its size.
    fn check(&self, world: &World, beyond: &Beyond, when: &When) -> usize {
        let name = self.name;
        let truth = within(world, self.states, self.from, when);
        let probability = &truth.values[self.from];
        let (low, high) = match self.answer.values.exact(0) {
            Some(exact) => {
                let exact = exact.finite().expect("a probability");
                (exact.clone(), exact.clone())
            }
            None => {
                let between = self.answer.values.interval(0);
                (RBig::try_from(between.lower).unwrap(), RBig::try_from(between.upper).unwrap())
            }
        };
        assert!(low <= probability + &truth.slack, "{name}: {probability} is less than {low}");
        assert!(probability - &truth.slack <= high, "{name}: {probability} is more than {high}");
        assert!(passes(&(probability + &truth.slack), beyond), "{name}: {probability} does not pass {}", beyond.bound);
        // What it says of itself is enough to see that.
        assert!(passes(&low, beyond), "{name}: {low} does not pass {}", beyond.bound);
        self.states.count()
    }
}
