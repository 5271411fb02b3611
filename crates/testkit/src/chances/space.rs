//! All states of a model by brute force: commands are put together as the terms of `system … endsystem` say, state by state.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use dashu_ratio::RBig;

use crate::chances::meaning::{Meaning, State, Wrong, fraction};
use crate::chances::syntax::{Kind, Model, Rewarded, System, Together, renamed};

/// A choice of a decision process, or all that a state of a chain does.
#[derive(Clone, Debug)]
pub struct Row {
    /// Probabilities of the states that come next.
    pub to: BTreeMap<usize, RBig>,
    /// What the step earns, by reward structure.
    pub earned: Vec<RBig>,
}

/// The states of a model and what can happen in them.
pub struct Space {
    pub kind: Kind,
    pub states: Vec<State>,
    pub initial: Vec<usize>,
    /// By state.
    pub rows: Vec<Vec<Row>>,
    pub deadlocks: Vec<bool>,
    /// By state: the sum of its rates; 1 in discrete time.
    pub exits: Vec<RBig>,
    /// By reward structure and state.
    pub rewards: Vec<Vec<RBig>>,
    /// Combinations of commands and of their updates, each counted.
    pub steps: u64,
    /// Combinations of commands.
    pub combinations: u64,
    /// States in which several commands of one module meet the same partners.
    pub has_several_partners: bool,
    /// Updates with probability 0 were left out.
    pub has_zero: bool,
    /// Probabilities that miss 1 a little were divided by their sum.
    pub has_inexact_sums: bool,
    /// How many commands take part in a step, at most.
    pub widest: usize,
}

pub enum NoSpace {
    TooLarge,
    Wrong(Wrong),
}

impl From<Wrong> for NoSpace {
    fn from(why: Wrong) -> Self {
        NoSpace::Wrong(why)
    }
}

impl From<&str> for NoSpace {
    fn from(why: &str) -> Self {
        NoSpace::Wrong(why.into())
    }
}

/// What can happen: under which name, by which commands of which modules.
type Offer = (Option<String>, Vec<(usize, usize)>);

/// A combination of commands with its updates that have a chance.
struct Combination {
    action: Option<String>,
    outcomes: Vec<(RBig, State)>,
}

struct Walk<'w, 'm> {
    meaning: &'w Meaning<'m>,
    system: System,
    has_zero: bool,
    has_inexact_sums: bool,
    widest: usize,
}

/// Probabilities may miss 1 by so much.
fn tolerance() -> RBig {
    fraction(1, 100_000)
}

impl Space {
    pub fn new(meaning: &Meaning<'_>, most: usize) -> Result<Space, NoSpace> {
        let model = meaning.model;
        let system = model.system.clone().unwrap_or_else(|| everything(model));
        let mut walk = Walk { meaning, system, has_zero: false, has_inexact_sums: false, widest: 0 };
        let mut numbers: HashMap<State, usize> = HashMap::new();
        let mut states: Vec<State> = Vec::new();
        let mut number = |state: State, states: &mut Vec<State>| {
            *numbers.entry(state.clone()).or_insert_with(|| {
                states.push(state);
                states.len() - 1
            })
        };
        let mut initial = Vec::new();
        for start in starts(meaning)? {
            initial.push(number(start, &mut states));
            if states.len() > most {
                return Err(NoSpace::TooLarge);
            }
        }
        let (mut rows, mut exits, mut deadlocks) = (Vec::new(), Vec::new(), Vec::new());
        let (mut steps, mut combinations, mut has_several_partners) = (0, 0, false);
        let mut rewards = vec![Vec::new(); model.rewards.len()];
        let mut next = 0;
        while next < states.len() {
            let state = states[next].clone();
            for (structure, rewards) in rewards.iter_mut().enumerate() {
                rewards.push(earned(meaning, structure, &state, &|of| *of == Rewarded::State)?);
            }
            let offers = walk.offers(&walk.system.clone(), &state)?;
            has_several_partners |= has_doubles(&offers);
            let mut found = Vec::new();
            for (action, team) in offers {
                let combination = walk.combination(action, &team, &state)?;
                if !combination.outcomes.is_empty() {
                    found.push(combination);
                }
            }
            let mut all: Vec<(RBig, Row)> = Vec::new();
            for Combination { action, outcomes } in found {
                combinations += 1;
                steps += outcomes.len() as u64;
                let mut weights: BTreeMap<usize, RBig> = BTreeMap::new();
                for (chance, target) in outcomes {
                    *weights.entry(number(target, &mut states)).or_default() += chance;
                }
                let of = |item: &Rewarded| match (item, &action) {
                    (Rewarded::State, _) => false,
                    (Rewarded::Silent, action) => action.is_none(),
                    (Rewarded::Action(wanted), action) => action.as_ref() == Some(wanted),
                };
                let earned = (0..model.rewards.len()).map(|r| earned(meaning, r, &state, &of));
                let sum: RBig = weights.values().fold(RBig::ZERO, |a, b| a + b);
                all.push((sum, Row { to: weights, earned: earned.collect::<Result<_, _>>()? }));
            }
            if states.len() > most {
                return Err(NoSpace::TooLarge);
            }
            deadlocks.push(all.is_empty());
            if all.is_empty() {
                let stay = Row { to: BTreeMap::from([(next, RBig::ONE)]), earned: vec![RBig::ZERO; rewards.len()] };
                all.push((RBig::ONE, stay));
            }
            let total: RBig = all.iter().fold(RBig::ZERO, |sum, (weight, _)| sum + weight);
            exits.push(if model.kind == Kind::Ctmc { total.clone() } else { RBig::ONE });
            rows.push(match model.kind {
                Kind::Mdp => all.into_iter().map(|(sum, row)| row.over(&sum)).collect(),
                Kind::Dtmc | Kind::Ctmc => vec![joined(&all, &total)],
            });
            next += 1;
        }
        let Walk { has_zero, has_inexact_sums, widest, .. } = walk;
        let kind = model.kind;
        Ok(Space {
            kind,
            states,
            initial,
            rows,
            deadlocks,
            exits,
            rewards,
            steps,
            combinations,
            has_several_partners,
            has_zero,
            has_inexact_sums,
            widest,
        })
    }

    pub fn len(&self) -> usize {
        self.states.len()
    }

    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    pub fn transitions(&self) -> usize {
        self.rows.iter().flatten().map(|row| row.to.len()).sum()
    }

    pub fn choices(&self) -> usize {
        self.rows.iter().map(Vec::len).sum()
    }

    /// The least number of steps from an initial state to one of these.
    pub fn distance(&self, targets: &[bool]) -> Option<u64> {
        let mut reached: BTreeSet<usize> = self.initial.iter().copied().collect();
        for distance in 0..=self.len() as u64 {
            if reached.iter().any(|state| targets[*state]) {
                return Some(distance);
            }
            let next = reached.iter().flat_map(|state| self.rows[*state].iter().flat_map(|row| row.to.keys().copied()));
            let next: BTreeSet<usize> = next.collect();
            reached.extend(next);
        }
        None
    }
}

impl Row {
    fn over(mut self, sum: &RBig) -> Row {
        self.to.values_mut().for_each(|weight| *weight /= sum);
        self
    }
}

/// All choices of a state as one: the more a choice weighs, the likelier it is.
fn joined(all: &[(RBig, Row)], total: &RBig) -> Row {
    let mut to: BTreeMap<usize, RBig> = BTreeMap::new();
    let mut earned = vec![RBig::ZERO; all[0].1.earned.len()];
    for (weight, row) in all {
        for (target, chance) in &row.to {
            *to.entry(*target).or_default() += chance / total;
        }
        for (sum, one) in earned.iter_mut().zip(&row.earned) {
            *sum += one * weight / total;
        }
    }
    Row { to, earned }
}

fn everything(model: &Model) -> System {
    let modules = (0..model.modules.len()).map(System::Module);
    let joined = modules.reduce(|left, right| System::Parallel(Together::Common, Box::new(left), Box::new(right)));
    joined.unwrap_or(System::Module(0))
}

fn starts(meaning: &Meaning<'_>) -> Result<Vec<State>, NoSpace> {
    let Some(condition) = &meaning.model.initial else {
        return Ok(vec![meaning.slots.iter().map(|slot| slot.initial).collect()]);
    };
    let mut all: Vec<State> = vec![Vec::new()];
    for slot in &meaning.slots {
        all = all.iter().flat_map(|s| (slot.lo..=slot.hi).map(|v| [&s[..], &[v]].concat())).collect();
        if all.len() > 5000 {
            return Err(NoSpace::TooLarge);
        }
    }
    let mut found = Vec::new();
    for state in all {
        if meaning.truth(condition, &state, None)? {
            found.push(state);
        }
    }
    if found.is_empty() { Err("no initial state".into()) } else { Ok(found) }
}

fn earned(
    meaning: &Meaning<'_>,
    structure: usize,
    state: &State,
    fits: &dyn Fn(&Rewarded) -> bool,
) -> Result<RBig, Wrong> {
    let mut sum = RBig::ZERO;
    for item in meaning.model.rewards[structure].items.iter().filter(|item| fits(&item.of)) {
        if meaning.truth(&item.guard, state, None)? {
            sum += meaning.number(&item.value, state, None)?;
        }
    }
    if sum < RBig::ZERO { Err("a negative reward".into()) } else { Ok(sum) }
}

/// Do two combinations under one name differ in the command of one module only?
fn has_doubles(offers: &[Offer]) -> bool {
    let wide = offers.iter().filter(|(_, team)| team.len() > 1);
    let teams: Vec<&Offer> = wide.collect();
    teams.iter().enumerate().any(|(at, (action, team))| {
        teams[at + 1..].iter().any(|(other, others)| {
            other == action && team.iter().map(|part| part.0).eq(others.iter().map(|part| part.0))
        })
    })
}

impl Walk<'_, '_> {
    /// The actions of a part of the system, enabled or not.
    fn alphabet(&self, system: &System) -> BTreeSet<String> {
        match system {
            System::Module(module) => {
                let (_, commands, names) = self.meaning.model.module(*module);
                let actions = commands.iter().filter_map(|command| command.action.as_deref());
                actions.map(|action| renamed(action, names).to_string()).collect()
            }
            System::Parallel(_, left, right) => self.alphabet(left).union(&self.alphabet(right)).cloned().collect(),
            System::Hide(inner, hidden) => {
                self.alphabet(inner).into_iter().filter(|action| !hidden.contains(action)).collect()
            }
            System::Rename(inner, names) => {
                self.alphabet(inner).into_iter().map(|action| changed(action, names)).collect()
            }
        }
    }

    fn offers(&self, system: &System, state: &State) -> Result<Vec<Offer>, Wrong> {
        Ok(match system {
            System::Module(module) => {
                let (_, commands, names) = self.meaning.model.module(*module);
                let mut offers = Vec::new();
                for (index, command) in commands.iter().enumerate() {
                    if self.meaning.truth(&command.guard, state, names)? {
                        let action = command.action.as_deref().map(|action| renamed(action, names).to_string());
                        offers.push((action, vec![(*module, index)]));
                    }
                }
                offers
            }
            System::Parallel(how, left, right) => {
                let together: BTreeSet<String> = match how {
                    Together::Common => self.alphabet(left).intersection(&self.alphabet(right)).cloned().collect(),
                    Together::Nothing => BTreeSet::new(),
                    Together::On(actions) => actions.iter().cloned().collect(),
                };
                let waits = |offer: &Offer| offer.0.as_ref().is_some_and(|action| together.contains(action));
                let (left, right) = (self.offers(left, state)?, self.offers(right, state)?);
                let mut offers: Vec<Offer> = left.iter().chain(&right).filter(|offer| !waits(offer)).cloned().collect();
                for one in left.iter().filter(|offer| waits(offer)) {
                    for other in right.iter().filter(|other| other.0 == one.0) {
                        offers.push((one.0.clone(), [&one.1[..], &other.1[..]].concat()));
                    }
                }
                offers
            }
            System::Hide(inner, hidden) => {
                let mut offers = self.offers(inner, state)?;
                for (action, _) in &mut offers {
                    *action = action.take().filter(|action| !hidden.contains(action));
                }
                offers
            }
            System::Rename(inner, names) => {
                let mut offers = self.offers(inner, state)?;
                for (action, _) in &mut offers {
                    *action = action.take().map(|action| changed(action, names));
                }
                offers
            }
        })
    }

    /// What comes of commands that happen together.
    fn combination(
        &mut self,
        action: Option<String>,
        team: &[(usize, usize)],
        state: &State,
    ) -> Result<Combination, Wrong> {
        let is_discrete = self.meaning.model.kind != Kind::Ctmc;
        self.widest = self.widest.max(team.len());
        let mut drawn = Vec::new();
        for (module, command) in team {
            let (_, commands, names) = self.meaning.model.module(*module);
            let mut updates = Vec::new();
            let mut sum = RBig::ZERO;
            for update in &commands[*command].updates {
                let chance = match &update.chance {
                    None => RBig::ONE,
                    Some(chance) => self.meaning.number(chance, state, names)?,
                };
                if chance < RBig::ZERO || (is_discrete && chance > RBig::ONE) {
                    return Err("no probability".into());
                }
                if chance.is_zero() {
                    self.has_zero = true;
                    continue;
                }
                sum += &chance;
                updates.push((chance, update));
            }
            let missing = if sum > RBig::ONE { sum - RBig::ONE } else { RBig::ONE - sum };
            self.has_inexact_sums |= is_discrete && !missing.is_zero();
            if is_discrete && missing > tolerance() {
                return Err("probabilities do not add up".into());
            }
            drawn.push((names, updates));
        }
        // If all rates of one of them are 0, nothing happens, whatever the others would write.
        if drawn.iter().any(|(_, updates)| updates.is_empty()) {
            return Ok(Combination { action, outcomes: Vec::new() });
        }
        let mut outcomes = vec![(RBig::ONE, state.clone())];
        for (names, updates) in drawn {
            let mut ways = Vec::new();
            for (chance, update) in updates {
                let mut values = Vec::new();
                for (name, value) in &update.assignments {
                    let index = self.meaning.index(renamed(name, names))?;
                    let value = match self.meaning.value(value, state, names)? {
                        crate::chances::meaning::Value::Bool(truth) => truth.into(),
                        value => value.int()?,
                    };
                    let slot = &self.meaning.slots[index];
                    if value < slot.lo || value > slot.hi {
                        return Err("out of range".into());
                    }
                    values.push((index, value));
                }
                ways.push((chance, values));
            }
            let all = outcomes.iter().flat_map(|(before, target)| {
                ways.iter().map(move |(chance, values)| {
                    let mut target = target.clone();
                    values.iter().for_each(|(index, value)| target[*index] = *value);
                    (before * chance, target)
                })
            });
            outcomes = all.collect();
        }
        Ok(Combination { action, outcomes })
    }
}

fn changed(action: String, names: &[(String, String)]) -> String {
    names.iter().find(|(from, _)| *from == action).map_or(action, |(_, to)| to.clone())
}
