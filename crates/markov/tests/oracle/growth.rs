//! A part while it grows: its bounds, its model, and the order in which states are expanded.

use bughound_markov::directed::{By, Exploration, Likelihood, Objective, Part, Standing, When};
use bughound_markov::{Answer, Effort, Extreme, Kind, RBig, StateSet, until};

use super::counterexamples::{Case, Count, SpaceUser, either};
use super::known::{Truth, World};
use super::raw::Dice;
use super::shapes::Shape;
use super::spaces::{Original, Promise};
use super::verdicts::{contains, objectives};
use super::walks::ln;

pub fn check(case: &Case, dice: &mut Dice, count: &mut Count) {
    let mut all = objectives(case, dice);
    let objective = all.swap_remove(dice.below(all.len()));
    let truth = case.world.truth(objective.extreme, &objective.when);
    case.with_space(dice, Growth { case, objective, truth, count });
}

struct Growth<'a> {
    case: &'a Case,
    objective: Objective,
    truth: Truth,
    count: &'a mut Count,
}

impl SpaceUser<()> for Growth<'_> {
    fn call<S: Original>(self, space: &mut S, promise: Promise, dice: &mut Dice) {
        let Growth { case, objective, truth, count } = self;
        let by = if case.raw.kind == Kind::Mdp { By::Path } else { either(dice) };
        let name = format!("{} growth {objective:?} {promise:?} {by:?}", case.name);
        let world = &case.world;
        let ever = world.ever(Extreme::Max);
        let distances = Distances::new(case);
        let mut exploration = Exploration::new(space, by).unwrap();
        let rarely = if case.shape == Shape::Large { 8 } else { 1 };
        for step in 0.. {
            if step % rarely == 0 {
                let effort = if dice.chance(50) { Effort::default() } else { Effort::default().approximate(1e-6) };
                let bounds = exploration.bounds(&objective, &effort).unwrap();
                let known = Known::new(case, &exploration.part, &*exploration.space);
                known.compare(&name, &objective, &truth, &bounds.lower, &bounds.upper);
                count.bounds += 1;
                count.in_time += usize::from(matches!(objective.when, When::Time(_)));
                if by == By::Path {
                    let open = exploration.order.best_open(&exploration.part);
                    known.best_unknown(&name, open, &distances, promise);
                }
                if dice.chance(30) {
                    known.model(&name, dice);
                    count.parts += 1;
                }
                if by == By::Mass {
                    let initial = case.initial();
                    let most = initial.iter().fold(RBig::ZERO, |sum, &state| sum + &ever[state]).to_f64().value();
                    let arrived = exploration.order.arrived();
                    assert!(arrived <= most * (1.0 + 1e-9) + 1e-300, "{name}: {arrived} arrived, but {most} can");
                }
            }
            if !exploration.expand().unwrap() {
                break;
            }
        }
        let (space, part) = (&*exploration.space, &exploration.part);
        let expanded: Vec<usize> = part.expanded().iter().map(|&state| space.original(state as usize)).collect();
        for (at, state) in expanded.iter().enumerate() {
            assert!(world.open.contains(*state), "{name}: {state} is decided, but was expanded");
            assert!(!expanded[..at].contains(state), "{name}: {state} was expanded twice");
        }
        // At the end, whatever can be reached and matters is known.
        let hopeful = world.ground().hopeful();
        for state in world.open.iter().filter(|&s| hopeful.contains(s) && !distances.forward[s].is_zero()) {
            assert!(expanded.contains(&state), "{name}: {state} was never expanded");
        }
        distances.order(&name, &expanded, by, promise, world);
    }
}

impl Case {
    /// Each once.
    pub fn initial(&self) -> Vec<usize> {
        StateSet::from_states(self.raw.len(), self.raw.initial.iter().copied()).iter().collect()
    }
}

/// The probabilities of the best walks from the initial states, and to goals.
struct Distances {
    forward: Vec<RBig>,
    remaining: Vec<RBig>,
    /// Every state is entered in one way only.
    is_tree: bool,
}

impl Distances {
    fn new(case: &Case) -> Distances {
        let ground = case.world.ground();
        let forward = ground.best_from(&case.initial());
        let mut entered = vec![0; forward.len()];
        case.initial().iter().for_each(|&state| entered[state] += 1);
        for (_, steps) in ground.steps.iter().enumerate().filter(|(state, _)| !forward[*state].is_zero()) {
            steps.iter().for_each(|(_, to, _)| entered[*to] += 1);
        }
        let is_tree = entered.iter().all(|ways| *ways <= 1);
        Distances { remaining: ground.best_remaining(), forward, is_tree }
    }

    /// Without promises, states come in the order of their best paths; in trees, of their mass too. With exact promises, only
    /// states on best paths are expanded before the first of those is known.
    fn order(&self, name: &str, expanded: &[usize], by: By, promise: Promise, world: &World) {
        if promise == Promise::None && (by == By::Path || self.is_tree) {
            for pair in expanded.windows(2) {
                let (first, second) = (&self.forward[pair[0]], &self.forward[pair[1]]);
                assert!(ln(second) <= ln(first) + 1e-9, "{name}: {} was expanded before {}", pair[0], pair[1]);
            }
        }
        // What is too small for a number can only be promised loosely.
        let is_exact = self.remaining.iter().all(|left| left.is_zero() || ln(left) > -660.0);
        if promise == Promise::Exact && is_exact && by == By::Path {
            let best = world.goals.iter().map(|goal| &self.forward[goal]).max().cloned().unwrap_or(RBig::ZERO);
            let mut known = StateSet::none(world.len());
            for &state in expanded {
                let through = &self.forward[state] * &self.remaining[state];
                let ground = world.within(&known, &world.goals).ground();
                let reached =
                    ground.best_from(&(0..world.len()).filter(|s| self.forward[*s] == RBig::ONE).collect::<Vec<_>>());
                if best.is_zero() || world.goals.iter().any(|goal| reached[goal] == best) {
                    break;
                }
                // Of what is hopeless nothing may be promised.
                let is_on_one = through.is_zero() || ln(&through) >= ln(&best) - 1e-9;
                assert!(is_on_one, "{name}: {state} is on no best path");
                known.insert(state);
            }
        }
    }
}

/// A part, and the same in brute force.
struct Known<'a, S> {
    case: &'a Case,
    part: &'a Part,
    space: &'a S,
    /// Only what is known moves.
    world: World,
    frontier: StateSet,
}

impl<'a, S: Original> Known<'a, S> {
    fn new(case: &'a Case, part: &'a Part, space: &'a S) -> Known<'a, S> {
        let n = case.raw.len();
        let original = |state: &u32| space.original(*state as usize);
        let expanded = StateSet::from_states(n, part.expanded().iter().map(original));
        let found = (0..part.len()).filter(|&state| part.standing(state) == Standing::Open);
        let frontier = StateSet::from_states(n, found.map(|state| space.original(state))).without(&expanded);
        Known { case, part, space, world: case.world.within(&expanded, &case.world.goals), frontier }
    }

    /// Bounds are those of the part, and contain the truth about the whole.
    fn compare(&self, name: &str, objective: &Objective, truth: &Truth, lower: &Answer, upper: &Answer) {
        let won = World { goals: self.world.goals.union(&self.frontier), ..self.world.clone() };
        let low = self.world.truth(objective.extreme, &objective.when);
        let high = won.truth(objective.extreme, &objective.when);
        for state in 0..self.part.len() {
            let original = self.space.original(state);
            contains(name, lower, upper, state, &truth.values[original], &truth.slack);
            contains(&format!("{name} lost"), lower, lower, state, &low.values[original], &low.slack);
            contains(&format!("{name} won"), upper, upper, state, &high.values[original], &high.slack);
        }
    }

    /// No path that is not known is more probable than what is said; without promises that is exactly the best way to the
    /// frontier.
    fn best_unknown(&self, name: &str, open: Likelihood, distances: &Distances, promise: Promise) {
        let known = self.world.ground();
        // Ways into the frontier end there.
        let mut steps = self.case.world.ground().steps;
        (0..steps.len()).filter(|s| !self.world.open.contains(*s)).for_each(|s| steps[s].clear());
        let ground = super::walks::Ground { steps, ..known };
        let to = ground.best_from(&self.case.initial());
        let ahead = |state: usize| &to[state] * &distances.remaining[state];
        if let Some(best) = self.frontier.iter().map(ahead).max().filter(|best| !best.is_zero()) {
            let open = open.ln();
            assert!(open >= ln(&best) - 1e-9, "{name}: nothing above {open} is open, but there is {}", ln(&best));
        }
        if promise == Promise::None {
            let best = self.frontier.iter().map(|state| &to[state]).max().filter(|best| !best.is_zero());
            let most = best.map_or(f64::NEG_INFINITY, ln);
            assert!(open.ln() <= most + 1e-8, "{name}: {} is said to be open, but only {most} is", open.ln());
        }
    }

    /// The model of a part of the part is that part.
    fn model(&self, name: &str, dice: &mut Dice) {
        let n = self.case.raw.len();
        let all = dice.chance(30);
        let kept = StateSet::from_fn(n, |_| all || dice.chance(70));
        let choices: Vec<usize> = self.case.world.choices.iter().map(|choices| dice.below(choices.len())).collect();
        let scheduler = |state: usize| choices[self.space.original(state)];
        let is_free = self.part.kind() == Kind::Mdp && dice.chance(40);
        let model = self.part.model(
            |state| kept.contains(self.space.original(state)),
            (!is_free).then_some(&scheduler as &dyn Fn(usize) -> usize),
        );
        let mut world = self.world.within(&kept, &self.world.goals);
        if !is_free {
            world = world.under(&|state| choices[state]);
        }
        for extreme in [Extreme::Min, Extreme::Max] {
            let expected = world.ever(extreme);
            let everything = StateSet::all(self.part.len());
            let answer = until(&model, extreme, &everything, &self.part.goals(), &Effort::default()).unwrap();
            for state in 0..self.part.len() {
                let original = self.space.original(state);
                contains(&format!("{name} kept"), &answer, &answer, state, &expected[original], &RBig::ZERO);
            }
            // Of a chain, the same as the probability of a subsystem.
            let size = world.len();
            if !is_free && size <= 12 {
                let from = self.case.raw.initial[0];
                let states = kept.union(&self.world.goals).intersection(&world.open.union(&world.goals));
                let within = super::subsystems::probability_within(&world, &states, from);
                assert_eq!(within, expected[from], "{name}: within {states:?}");
            }
        }
    }
}
