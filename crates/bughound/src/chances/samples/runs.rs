//! One run of a Markov chain, drawn step by step, and what is observed in it.
//!
//! A run is a state and the time at which it was entered; nothing else is kept, so a model may have any number of states. From a
//! state all steps are computed, and one is drawn by its chance (chances of a discrete-time chain are divided by their sum; rates
//! race). In continuous time, the time in a state is drawn exponentially from the sum of the rates, if time matters.
//!
//! A run of a formula without an upper bound may go on for ever. It ends as soon as it is decided: where the formula is true or
//! cannot become true (the state has no other steps, or [dead ends](super::dead_ends) prove it), and otherwise after so many steps,
//! undecided. Nothing is guessed there.
//!
//! Chances are rounded to floating-point numbers of 64 bits, which changes probabilities by a few parts in 10^16.

use std::ops::ControlFlow;

use bughound_ir::chance::{Kind, StateFormula};
use bughound_kernel::{Explorer, Move, Outcome, Random, State, StopReason, TransitionSystem};
use bughound_search::{Driver, Snapshot, Statistics};
use bughound_semantics::{DiscreteSystem, Fractions};

use super::super::explicit::{TOLERANCE, failed_step, values};
use super::asked::{Condition, Path, Until, Window};
use super::dead_ends::DeadEnds;

/// Why there is no run.
#[derive(Clone, Debug, PartialEq)]
pub enum Trouble {
    Stopped(StopReason),
    /// The model is wrong, or the question cannot be asked about it.
    Refused(String),
}

/// Where a run is.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    pub key: Vec<i32>,
    /// When the state was entered.
    pub time: f64,
    pub steps: u64,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Hit,
    Miss,
    /// After so many steps as a run may have.
    Undecided,
}

/// A step that is possible.
#[derive(Clone, Debug)]
struct Possible {
    choice: u32,
    /// First and end of its target and its moves in the tables.
    target: (usize, usize),
    moves: (usize, usize),
}

pub struct Runs<'s, 'd, 'c> {
    system: &'s DiscreteSystem,
    fractions: Fractions<'s>,
    explorer: Box<dyn Explorer + 's>,
    kind: Kind,
    pub random: Random,
    driver: &'d mut Driver<'c>,
    initial: Vec<i32>,
    /// No run has more steps.
    longest: u64,
    pub counts: Statistics,
    // Of the state that was looked at last:
    possible: Vec<Possible>,
    chances: Vec<f64>,
    targets: Vec<i32>,
    moves: Vec<Move>,
    truths: Vec<bool>,
    /// No step leads to another state.
    is_stuck: bool,
}

impl<'s, 'd, 'c> Runs<'s, 'd, 'c> {
    pub fn new(
        system: &'s DiscreteSystem,
        kind: Kind,
        seed: u64,
        longest: u64,
        driver: &'d mut Driver<'c>,
    ) -> Result<Self, Trouble> {
        let mut explorer = system.explorer();
        explorer.heed(driver.stop_signal());
        let mut runs = Runs {
            system,
            fractions: Fractions::new(system),
            explorer,
            kind,
            random: Random::new(seed),
            driver,
            initial: Vec::new(),
            longest,
            counts: Statistics::default(),
            possible: Vec::new(),
            chances: Vec::new(),
            targets: Vec::new(),
            moves: Vec::new(),
            truths: Vec::new(),
            is_stuck: false,
        };
        runs.begin()?;
        Ok(runs)
    }

    /// Finds the initial state.
    fn begin(&mut self) -> Result<(), Trouble> {
        let mut initial: Vec<Vec<i32>> = Vec::new();
        self.explorer.initial(&mut |state| initial.push(state.key.to_vec()));
        if self.system.network().stochastic.as_ref().is_some_and(|stochastic| stochastic.started.is_some()) {
            let before = std::mem::take(&mut initial);
            for key in &before {
                self.expand(key)?;
                initial.extend(self.possible.iter().map(|step| self.target(step).to_vec()));
            }
            initial.sort_unstable();
            initial.dedup();
        }
        let several = initial.len();
        match <[Vec<i32>; 1]>::try_from(initial) {
            Ok([only]) => self.initial = only,
            Err(_) => {
                let why =
                    format!("the model has {several} initial states, and runs begin in one: ask without --samples");
                return Err(Trouble::Refused(why));
            }
        }
        Ok(())
    }

    pub fn start(&self) -> Place {
        Place { key: self.initial.clone(), time: 0.0, steps: 0 }
    }

    pub fn driver(&mut self) -> &mut Driver<'c> {
        self.driver
    }

    fn wrong(&self, key: &[i32], what: &str) -> Trouble {
        let here = values(self.system.network(), key);
        Trouble::Refused(format!("not decided: the model is wrong: {what}, in the state {here}"))
    }

    fn target(&self, step: &Possible) -> &[i32] {
        &self.targets[step.target.0..step.target.1]
    }

    /// Computes all steps of a state.
    fn expand(&mut self, key: &[i32]) -> Result<(), Trouble> {
        self.possible.clear();
        self.chances.clear();
        self.targets.clear();
        self.moves.clear();
        self.is_stuck = true;
        let mut failed = None;
        let expansion = self.explorer.successors(State::discrete(key), &mut |step| {
            let Outcome::State(state) = step.outcome else {
                failed = Some(step.moves.to_vec());
                return ControlFlow::Break(());
            };
            self.is_stuck &= state.key == key;
            let (target, moves) = (self.targets.len(), self.moves.len());
            self.targets.extend_from_slice(state.key);
            self.moves.extend_from_slice(step.moves);
            self.chances.push(step.probability);
            self.possible.push(Possible {
                choice: step.choice,
                target: (target, self.targets.len()),
                moves: (moves, self.moves.len()),
            });
            ControlFlow::Continue(())
        });
        if let Some(moves) = failed {
            return Err(self.wrong(key, &failed_step(self.system.network(), key, &moves)));
        }
        self.counts.expanded += 1;
        self.counts.generated += self.possible.len() as u64;
        if self.driver.is_due(1 + self.possible.len() as u64) || expansion.cut {
            let now = Snapshot {
                phase: "sampling",
                expanded: self.counts.expanded,
                depth: self.counts.depth,
                ..Snapshot::default()
            };
            if let Some(reason) = self.driver.check(now) {
                return Err(Trouble::Stopped(reason));
            }
            if expansion.cut {
                return Err(Trouble::Stopped(StopReason::Interrupted));
            }
        }
        self.check_sums(key)
    }

    /// In discrete time, the chances of each command add up to 1.
    fn check_sums(&self, key: &[i32]) -> Result<(), Trouble> {
        if self.kind == Kind::Ctmc {
            return Ok(());
        }
        let mut first = 0;
        for choice in self.possible.chunk_by(|one, next| one.choice == next.choice) {
            let sum: f64 = self.chances[first..first + choice.len()].iter().sum();
            if (sum - 1.0).abs() > TOLERANCE {
                let edge = self.moves[choice[0].moves.0].edge;
                let text = &self.system.network().edges[edge as usize].text;
                return Err(self.wrong(key, &format!("the probabilities of `{text}` add up to {sum}, not to 1")));
            }
            first += choice.len();
        }
        Ok(())
    }

    /// Computes the steps of a state, and what is true there.
    pub fn look(&mut self, key: &[i32]) -> Result<(), Trouble> {
        self.expand(key)?;
        let mut wrong = None;
        self.fractions.atoms(key, &mut self.truths, &mut |_, error| wrong = Some(error));
        match wrong {
            None => Ok(()),
            Some(error) => {
                let here = values(self.system.network(), key);
                Err(Trouble::Refused(format!("not decided: {error} in a condition, in the state {here}")))
            }
        }
    }

    /// Does it hold in the state that was looked at last?
    pub fn holds(&self, condition: &Condition, key: &[i32]) -> bool {
        match condition {
            StateFormula::Atom(atom) => self.truths[*atom],
            StateFormula::Initial => key == self.initial,
            StateFormula::Deadlock => self.possible.is_empty(),
            StateFormula::Not(f) => !self.holds(f, key),
            StateFormula::And(a, b) => self.holds(a, key) && self.holds(b, key),
            StateFormula::Or(a, b) => self.holds(a, key) || self.holds(b, key),
            // Refused when the question was read.
            StateFormula::Bound(..) => false,
        }
    }

    /// All that the state looked at last leads to in one step.
    pub fn next_states(&self) -> impl Iterator<Item = &[i32]> {
        self.possible.iter().map(|step| self.target(step))
    }

    /// How long the run stays in the state that was looked at last.
    fn stay(&mut self, is_endless: bool) -> f64 {
        match self.kind {
            _ if is_endless => f64::INFINITY,
            Kind::Ctmc => {
                let rate = self.chances.iter().sum();
                self.random.waiting_time(rate)
            }
            Kind::Dtmc | Kind::Mdp => 1.0,
        }
    }

    /// Takes a step from the state that was looked at last; its number. A state without one stays as it is.
    fn take(&mut self, place: &mut Place, stay: f64) -> Option<usize> {
        place.steps += 1;
        place.time += stay;
        self.counts.depth = self.counts.depth.max(place.steps);
        let drawn = self.random.weighted(&self.chances)?;
        let (from, to) = self.possible[drawn].target;
        place.key.clear();
        place.key.extend_from_slice(&self.targets[from..to]);
        Some(drawn)
    }

    /// Looks at where the run is; moves on if that does not decide it.
    pub fn advance(
        &mut self,
        path: &Path,
        place: &mut Place,
        dead_ends: &mut DeadEnds<'_>,
    ) -> Result<Option<End>, Trouble> {
        let Window { from, to } = path.window;
        if place.time > to {
            return Ok(Some(End::Miss));
        }
        self.look(&place.key)?;
        let right = self.holds(&path.right, &place.key);
        if right && place.time >= from {
            return Ok(Some(End::Hit));
        }
        if path.left.as_ref().is_some_and(|left| !self.holds(left, &place.key)) {
            return Ok(Some(End::Miss));
        }
        let stay = if path.window.is_bounded() { self.stay(self.is_stuck) } else { 1.0 };
        // In continuous time and where nothing changes any more, the window opens while the run stays here.
        if right && (self.kind == Kind::Ctmc || self.is_stuck) && place.time + stay >= from {
            return Ok(Some(End::Hit));
        }
        if self.is_stuck || place.time + stay > to {
            return Ok(Some(End::Miss));
        }
        if place.steps >= self.longest {
            return Ok(Some(End::Undecided));
        }
        if to == f64::INFINITY && self.is_dead_end(&path.right, place, dead_ends)? {
            return Ok(Some(End::Miss));
        }
        self.take(place, stay);
        Ok(None)
    }

    /// Is it certain that the goal cannot be reached any more? The state that was looked at last stays so.
    fn is_dead_end(&mut self, goal: &Condition, place: &Place, dead_ends: &mut DeadEnds<'_>) -> Result<bool, Trouble> {
        if dead_ends.are_known(&place.key) {
            return Ok(true);
        }
        if !dead_ends.are_due(place.steps) {
            return Ok(false);
        }
        let is_proven = dead_ends.prove(self, goal, &place.key, place.steps)?;
        self.look(&place.key)?;
        Ok(is_proven)
    }

    /// One run until it is decided.
    pub fn path(&mut self, path: &Path, dead_ends: &mut DeadEnds<'_>) -> Result<End, Trouble> {
        let mut place = self.start();
        loop {
            if let Some(end) = self.advance(path, &mut place, dead_ends)? {
                return Ok(end);
            }
        }
    }

    /// One run of one step.
    pub fn next(&mut self, condition: &Condition) -> Result<End, Trouble> {
        let mut place = self.start();
        self.look(&place.key)?;
        self.take(&mut place, 1.0);
        self.look(&place.key)?;
        Ok(if self.holds(condition, &place.key) { End::Hit } else { End::Miss })
    }

    /// What one run earns, and whether that is all: a `Miss` never gets to where it would stop to earn.
    pub fn reward(
        &mut self,
        structure: usize,
        until: &Until,
        dead_ends: &mut DeadEnds<'_>,
        earned: &mut f64,
    ) -> Result<End, Trouble> {
        let mut place = self.start();
        *earned = 0.0;
        loop {
            self.look(&place.key)?;
            let limit = match until {
                Until::Reached(goal) => {
                    if self.holds(goal, &place.key) {
                        return Ok(End::Hit);
                    }
                    if self.is_stuck {
                        return Ok(End::Miss);
                    }
                    if self.is_dead_end(goal, &place, dead_ends)? {
                        return Ok(End::Miss);
                    }
                    f64::INFINITY
                }
                Until::Time(limit) | Until::At(limit) => *limit,
            };
            // What has no step stays for ever; steps that change nothing may still earn.
            let stay = self.stay(self.possible.is_empty());
            let rate = self.fractions.of_state(structure, &place.key).map(|reward| reward.to_f64().value());
            let rate = self.earning(&place.key, rate)?;
            let is_over = place.time + stay > limit;
            match until {
                Until::At(_) if is_over => {
                    *earned = rate;
                    return Ok(End::Hit);
                }
                Until::At(_) => {}
                Until::Time(_) | Until::Reached(_) => {
                    *earned += rate * if is_over { limit - place.time } else { stay };
                }
            }
            if is_over {
                return Ok(End::Hit);
            }
            if place.steps >= self.longest {
                return Ok(End::Undecided);
            }
            let before = std::mem::take(&mut place.key);
            place.key.extend_from_slice(&before);
            if let Some(drawn) = self.take(&mut place, stay).filter(|_| !matches!(until, Until::At(_))) {
                *earned += self.step_reward(structure, &before, drawn)?;
            }
        }
    }

    fn step_reward(&self, structure: usize, key: &[i32], drawn: usize) -> Result<f64, Trouble> {
        let (from, to) = self.possible[drawn].moves;
        let moves = &self.moves[from..to];
        let mut sum = 0.0;
        if self.fractions.rewards_steps(structure) {
            let reward = self.fractions.of_choice(structure, key, moves);
            sum += self.earning(key, reward.map(|reward| reward.to_f64().value()))?;
        }
        if self.fractions.rewards_destinations(structure) {
            let reward = self.fractions.of_step(structure, key, moves);
            sum += self.earning(key, reward.map(|reward| reward.to_f64().value()))?;
        }
        Ok(sum)
    }

    /// A reward that may be earned.
    fn earning<E: std::fmt::Display>(&self, key: &[i32], reward: Result<f64, E>) -> Result<f64, Trouble> {
        let what = match reward {
            Ok(reward) if reward >= 0.0 => return Ok(reward),
            Ok(reward) => format!("the reward {reward} is negative"),
            Err(error) => format!("{error} in a reward"),
        };
        Err(Trouble::Refused(format!("not decided: {what}, in the state {}", values(self.system.network(), key))))
    }
}
