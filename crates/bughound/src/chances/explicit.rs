//! From a network to an explicit Markov model: every state, every choice, exact numbers.

use std::collections::HashMap;
use std::ops::ControlFlow;

use bughound_ir::chance::{Kind, Number};
use bughound_ir::edge::Edge;
use bughound_ir::frames::LOCATION;
use bughound_ir::network::{LocationId, Network};
use bughound_ir::real::rounding;
use bughound_ir::reference::error::EvalError;
use bughound_ir::reference::{Reference, from_key};
use bughound_kernel::{
    Explorer, Lookup, Move, Outcome, State, StateBuf, StateId, StateStore, StopReason, TransitionSystem,
};
use bughound_markov::{Builder, Model, NumberId, Pool, RewardId, StateSet};
use bughound_search::{Driver, Snapshot, Statistics};
use bughound_semantics::{DiscreteSystem, Fractions};

/// Probabilities of a choice may miss 1 by so much, as in PRISM.
pub(super) const TOLERANCE: f64 = 1e-5;

/// So many chances that depend on the state are not computed twice.
const MOST_REMEMBERED: usize = 1 << 20;

/// An explicit model.
pub struct Built {
    pub model: Model,
    /// By atom of the system: where it holds.
    pub atoms: Vec<StateSet>,
    /// Steps between states, each way counted.
    pub steps: u64,
    /// The reward structures of the network, in their order.
    pub rewards: Vec<RewardId>,
    /// Numbers without an exact value were rounded: what is exact is so about the rounded model only.
    pub rounded: bool,
    /// By atom: what is wrong with it, if it has no value somewhere.
    pub wrong_atoms: Vec<Option<String>>,
    /// By reward structure: does what a choice earns depend on where it leads? The model has what is expected then.
    pub drawn_rewards: Vec<bool>,
    /// By reward structure: what is wrong with it, if it has no value somewhere, or a negative one.
    pub wrong_rewards: Vec<Option<String>>,
}

/// Why there is none.
#[derive(Clone, Debug, PartialEq)]
pub enum NotBuilt {
    /// A limit was reached.
    Stopped(StopReason),
    /// The model is wrong.
    Wrong(Wrong),
    /// The numbers cannot be computed, and that is no fault of the model.
    Refused(String),
    /// The reference evaluator does not agree: a mistake of the program.
    Unconfirmed(String),
    /// The heuristic that the user wants does not fit.
    Heuristic(bughound_kernel::registry::BuildError),
}

/// What is wrong with a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Wrong {
    /// What, and in which state.
    pub what: String,
    /// A way there, a shortest one if states were found breadth first; none if it is about no state.
    pub way: Option<Vec<Move>>,
}

impl From<String> for Wrong {
    fn from(what: String) -> Wrong {
        Wrong { what, way: None }
    }
}

/// Walks all states.
pub fn build(system: &DiscreteSystem, store: &mut dyn StateStore, driver: &mut Driver<'_>) -> Result<Built, NotBuilt> {
    build_counting(system, store, driver, &mut Statistics::default())
}

/// The same; what was done is counted, whatever comes of it.
pub fn build_counting(
    system: &DiscreteSystem,
    store: &mut dyn StateStore,
    driver: &mut Driver<'_>,
    counts: &mut Statistics,
) -> Result<Built, NotBuilt> {
    let (built, rounded) = rounding(|| build_all(system, store, driver, counts));
    built.map(|built| Built { rounded: built.rounded || rounded, ..built })
}

fn build_all(
    system: &DiscreteSystem,
    store: &mut dyn StateStore,
    driver: &mut Driver<'_>,
    counts: &mut Statistics,
) -> Result<Built, NotBuilt> {
    let network = system.network();
    let Some(stochastic) = &network.stochastic else {
        return Err(NotBuilt::Wrong("the model has no probabilities".to_string().into()));
    };
    let kind = markov_kind(stochastic.kind);
    let mut builder = Builder::new(kind);
    let rewards = stochastic.rewards.iter().map(|r| builder.reward_structure(r.name.as_deref().unwrap_or_default()));
    let rewards: Vec<RewardId> = rewards.collect();
    let mut explorer = system.explorer();
    explorer.heed(driver.stop_signal());
    let mut walk = Walk::new(system, stochastic.kind, rewards);
    let mut current = StateBuf::default();
    let starts = walk.starts(explorer.as_mut(), store)?;
    let mut truths = Vec::new();
    let mut wrong_atoms: Vec<Option<String>> = vec![None; system.atoms() as usize];
    let mut atoms: Vec<Vec<u64>> = vec![Vec::new(); system.atoms() as usize];
    let mut next = 0;
    while next < store.len() {
        store.read(StateId(next as u32), &mut current);
        walk.current = next as u32;
        walk.state(explorer.as_mut(), store, &current.key, &mut builder).map_err(|problem| {
            match (problem, driver.stop_signal().reason()) {
                (NotBuilt::Stopped(StopReason::Interrupted), Some(reason)) => NotBuilt::Stopped(reason),
                (NotBuilt::Wrong(wrong), _) => {
                    let way = walk.way(explorer.as_mut(), store, next as u32);
                    NotBuilt::Wrong(Wrong { way, ..wrong })
                }
                (problem, _) => problem,
            }
        })?;
        walk.fractions.atoms(&current.key, &mut truths, &mut |atom, error| {
            let here = || format!("{error} in a condition, in the state {}", values(network, &current.key));
            wrong_atoms[atom].get_or_insert_with(here);
        });
        for (atom, holds) in atoms.iter_mut().zip(&truths) {
            if next.is_multiple_of(64) {
                atom.push(0);
            }
            if *holds {
                atom[next / 64] |= 1 << (next % 64);
            }
        }
        next += 1;
        (counts.expanded, counts.generated) = (next as u64, walk.steps);
        if driver.is_due(1 + walk.found.len() as u64) || driver.exceeds_states(store.len() as u64) {
            let memory = store.memory() + walk.memory() + builder.memory() as u64;
            let now = Snapshot {
                phase: "building",
                stored: store.len() as u64,
                expanded: next as u64,
                frontier: (store.len() - next) as u64,
                memory,
                ..Snapshot::default()
            };
            if let Some(reason) = driver.check(now) {
                return Err(NotBuilt::Stopped(reason));
            }
            if driver.exceeds_states(store.len() as u64) {
                return Err(NotBuilt::Stopped(StopReason::States));
            }
        }
    }
    let (steps, rewards) = (walk.steps, walk.rewards);
    let (wrong_rewards, drawn_rewards) = (walk.wrong_rewards, walk.drawn_rewards);
    let states = store.len();
    let model = builder.finish(starts).map_err(|error| NotBuilt::Wrong(error.to_string().into()))?;
    let set = |words: Vec<u64>| StateSet::from_fn(states, |state| words[state / 64] >> (state % 64) & 1 == 1);
    Ok(Built {
        model,
        atoms: atoms.into_iter().map(set).collect(),
        steps,
        rewards,
        rounded: stochastic.rounded,
        wrong_atoms,
        drawn_rewards,
        wrong_rewards,
    })
}

/// The same kind as the numbers call it.
pub(super) fn markov_kind(kind: Kind) -> bughound_markov::Kind {
    match kind {
        Kind::Dtmc => bughound_markov::Kind::Dtmc,
        Kind::Ctmc => bughound_markov::Kind::Ctmc,
        Kind::Mdp => bughound_markov::Kind::Mdp,
    }
}

fn adds_up(edge: &Edge) -> bool {
    let mut chances = edge.destinations.iter().map(|destination| destination.chance.as_const());
    let sum = chances.try_fold(Number::ZERO, |sum, chance| Some(sum + chance?));
    sum.is_some_and(|sum| (sum.to_f64().value() - 1.0).abs() <= TOLERANCE)
}

/// The parent of initial states.
const NOBODY: u32 = u32::MAX;

fn insert(store: &mut dyn StateStore, state: State<'_>) -> Result<StateId, NotBuilt> {
    match store.insert(state, 0, &mut Vec::new()) {
        Ok(Lookup::New(id) | Lookup::Known(id) | Lookup::Covered(id)) => Ok(id),
        Err(_) => Err(NotBuilt::Stopped(StopReason::Memory)),
    }
}

/// A step of the state that is being expanded.
pub(super) struct Found {
    pub choice: u32,
    /// First and number of its moves.
    moves: (usize, usize),
    pub target: usize,
}

/// Writes states down, one by one.
pub(super) struct Walk<'n> {
    network: &'n Network,
    fractions: Fractions<'n>,
    kind: Kind,
    rewards: Vec<RewardId>,
    wrong_rewards: Vec<Option<String>>,
    drawn_rewards: Vec<bool>,
    /// By edge and destination, if it is the same in all states.
    constants: Vec<Vec<Option<NumberId>>>,
    /// By edge: are its chances the same in all states, with 1 as their sum, or nearly so?
    adds_up: Vec<bool>,
    /// By edge, destination and what the chance depends on.
    computed: HashMap<Vec<i32>, NumberId>,
    circumstances: Vec<i32>,
    found: Vec<Found>,
    moves: Vec<Move>,
    /// By state: from which it was found first.
    parents: Vec<u32>,
    /// The state that is written down.
    pub current: u32,
    steps: u64,
}

impl<'n> Walk<'n> {
    /// `rewards`: the structures that are written down, in the order of the network's; none of them if there are none.
    pub fn new(system: &'n DiscreteSystem, kind: Kind, rewards: Vec<RewardId>) -> Walk<'n> {
        let network = system.network();
        Walk {
            network,
            fractions: Fractions::new(system),
            kind,
            wrong_rewards: vec![None; rewards.len()],
            drawn_rewards: vec![false; rewards.len()],
            rewards,
            constants: network.edges.iter().map(|edge| vec![None; edge.destinations.len()]).collect(),
            adds_up: network.edges.iter().map(adds_up).collect(),
            computed: HashMap::new(),
            circumstances: Vec::new(),
            found: Vec::new(),
            moves: Vec::new(),
            parents: Vec::new(),
            current: NOBODY,
            steps: 0,
        }
    }

    pub fn memory(&self) -> u64 {
        self.computed.len() as u64 * 64
    }

    /// The steps of the state that was written down last.
    pub fn found(&self) -> &[Found] {
        &self.found
    }

    pub fn moves_of(&self, step: &Found) -> &[Move] {
        &self.moves[step.moves.0..step.moves.0 + step.moves.1]
    }

    pub fn fractions(&self) -> &Fractions<'n> {
        &self.fractions
    }

    /// Something is wrong in a state.
    pub fn wrong(&self, key: &[i32], what: &str) -> NotBuilt {
        NotBuilt::Wrong(format!("{what}, in the state {}", values(self.network, key)).into())
    }

    /// The initial states, by their numbers.
    pub fn starts(&mut self, explorer: &mut dyn Explorer, store: &mut dyn StateStore) -> Result<Vec<usize>, NotBuilt> {
        let chooses = self.network.stochastic.as_ref().is_some_and(|stochastic| stochastic.started.is_some());
        let mut initial = Vec::new();
        explorer.initial(&mut |state| initial.push(state.key.to_vec()));
        let mut starts: Vec<usize> = Vec::new();
        for key in &initial {
            match chooses {
                false => {
                    let start = insert(store, State::discrete(key))?.index();
                    starts.push(start);
                    self.parents.resize(start + 1, NOBODY);
                }
                true => starts.extend(self.begin(explorer, store, key)?),
            }
        }
        Ok(starts)
    }

    /// The initial states that the first step chooses.
    fn begin(
        &mut self,
        explorer: &mut dyn Explorer,
        store: &mut dyn StateStore,
        key: &[i32],
    ) -> Result<Vec<usize>, NotBuilt> {
        self.expand(explorer, store, key)?;
        let mut starts: Vec<usize> = self.found.iter().map(|found| found.target).collect();
        starts.sort_unstable();
        starts.dedup();
        Ok(starts)
    }

    /// All steps of a state.
    pub fn expand(
        &mut self,
        explorer: &mut dyn Explorer,
        store: &mut dyn StateStore,
        key: &[i32],
    ) -> Result<(), NotBuilt> {
        self.found.clear();
        self.moves.clear();
        let (found, all, parents, current) = (&mut self.found, &mut self.moves, &mut self.parents, self.current);
        let mut problem = None;
        let expansion = explorer.successors(State::discrete(key), &mut |step| {
            let moves = (all.len(), step.moves.len());
            all.extend_from_slice(step.moves);
            match step.outcome {
                Outcome::State(state) => match insert(store, state) {
                    Ok(target) => {
                        if target.index() == parents.len() {
                            parents.push(current);
                        }
                        found.push(Found { choice: step.choice, moves, target: target.index() });
                    }
                    Err(full) => problem = Some(Err(full)),
                },
                Outcome::Failure(_) => problem = Some(Ok(step.moves.to_vec())),
            }
            if problem.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        match problem {
            None if expansion.cut => Err(NotBuilt::Stopped(StopReason::Interrupted)),
            None => Ok(()),
            Some(Err(full)) => Err(full),
            Some(Ok(moves)) => Err(self.wrong(key, &failed_step(self.network, key, &moves))),
        }
    }

    /// The moves from the initial state of the network to a state, as it was found.
    pub fn way(&self, explorer: &mut dyn Explorer, store: &dyn StateStore, to: u32) -> Option<Vec<Move>> {
        let mut keys = Vec::new();
        let (mut at, mut state) = (to, StateBuf::default());
        while at != NOBODY {
            store.read(StateId(at), &mut state);
            keys.push(state.key.clone());
            at = self.parents[at as usize];
        }
        let mut initial = None;
        explorer.initial(&mut |state| {
            initial.get_or_insert(state.key.to_vec());
        });
        // Where an initial state is chosen, that is a step before all others.
        if keys.last() != initial.as_ref() {
            keys.push(initial?);
        }
        keys.reverse();
        let mut way = Vec::new();
        for pair in keys.windows(2) {
            let mut moves = None;
            explorer.successors(State::discrete(&pair[0]), &mut |step| match step.outcome {
                Outcome::State(state) if state.key == pair[1] => {
                    moves = Some(step.moves.to_vec());
                    ControlFlow::Break(())
                }
                _ => ControlFlow::Continue(()),
            });
            way.extend(moves?);
        }
        Some(way)
    }

    /// Writes down a state with all that it has.
    pub fn state(
        &mut self,
        explorer: &mut dyn Explorer,
        store: &mut dyn StateStore,
        key: &[i32],
        into: &mut Builder,
    ) -> Result<(), NotBuilt> {
        self.expand(explorer, store, key)?;
        into.state();
        for structure in 0..self.rewards.len() {
            let reward = self.fractions.of_state(structure, key);
            let reward = self.reward(structure, key, reward, into);
            into.state_reward(self.rewards[structure], reward);
        }
        let (found, moves) = (std::mem::take(&mut self.found), std::mem::take(&mut self.moves));
        let mut first = 0;
        while first < found.len() {
            let choice = found[first].choice;
            let end = first + found[first..].iter().take_while(|step| step.choice == choice).count();
            self.choice(key, &found[first..end], &moves, into)?;
            first = end;
        }
        self.steps += found.len() as u64;
        (self.found, self.moves) = (found, moves);
        Ok(())
    }

    fn choice(&mut self, key: &[i32], steps: &[Found], all: &[Move], into: &mut Builder) -> Result<(), NotBuilt> {
        let moves_of = |step: &Found| &all[step.moves.0..step.moves.0 + step.moves.1];
        into.choice();
        let is_fine = moves_of(&steps[0]).iter().all(|m| self.adds_up[m.edge as usize]);
        for structure in 0..self.rewards.len() {
            if !self.fractions.rewards_steps(structure) {
                continue;
            }
            let reward = self.fractions.of_choice(structure, key, moves_of(&steps[0]));
            let reward = self.reward(structure, key, reward, into);
            into.choice_reward(self.rewards[structure], reward);
        }
        let mut sum = None;
        let mut earned = vec![None; self.rewards.len()];
        for step in steps {
            let moves = moves_of(step);
            let weight = self.weight(key, moves, into)?;
            sum = Some(sum.map_or(weight, |sum| into.sum(sum, weight)));
            into.entry(step.target, weight);
            for (structure, earned) in earned.iter_mut().enumerate() {
                if !self.fractions.rewards_destinations(structure) {
                    continue;
                }
                let reward = self.fractions.of_step(structure, key, moves);
                let reward = self.reward(structure, key, reward, into);
                into.entry_reward(self.rewards[structure], weight, reward);
                self.drawn_rewards[structure] |= *earned.get_or_insert(reward) != reward;
            }
        }
        if !is_fine && self.kind != Kind::Ctmc {
            let sum = sum.map_or(0.0, |sum| into.exact(sum).to_f64().value());
            if (sum - 1.0).abs() > TOLERANCE {
                let text = &self.network.edges[moves_of(&steps[0])[0].edge as usize].text;
                return Err(self.wrong(key, &format!("the probabilities of `{text}` add up to {sum}, not to 1")));
            }
        }
        Ok(())
    }

    /// The chance of a step.
    fn weight(&mut self, key: &[i32], moves: &[Move], into: &mut Builder) -> Result<NumberId, NotBuilt> {
        let mut product = Pool::ONE;
        for m in moves {
            let known = self.constants[m.edge as usize][usize::from(m.destination)];
            let chance = match (known, self.fractions.constant(*m)) {
                (Some(known), _) => known,
                (None, Some(exact)) => {
                    let id = into.number(exact);
                    self.constants[m.edge as usize][usize::from(m.destination)] = Some(id);
                    id
                }
                (None, None) => self.computed(key, *m, into)?,
            };
            product = into.product(product, chance);
        }
        Ok(product)
    }

    /// A chance that depends on the state.
    fn computed(&mut self, key: &[i32], m: Move, into: &mut Builder) -> Result<NumberId, NotBuilt> {
        let mut circumstances = std::mem::take(&mut self.circumstances);
        circumstances.clear();
        circumstances.extend([m.edge as i32, m.destination.into()]);
        let looked = self.fractions.circumstances(key, m, &mut circumstances);
        looked.map_err(|error| self.failed_chance(key, m, error))?;
        let known = self.computed.get(&circumstances).copied();
        let id = match known {
            Some(id) => id,
            None => {
                let exact = self.fractions.chance(key, m);
                let exact = exact.map_err(|error| self.failed_chance(key, m, error))?;
                if exact < Number::ZERO || exact > Number::ONE && self.kind != Kind::Ctmc {
                    return Err(self.failed_chance(key, m, EvalError::NoProbability));
                }
                let id = into.number(&exact);
                if self.computed.len() < MOST_REMEMBERED {
                    self.computed.insert(circumstances.clone(), id);
                }
                id
            }
        };
        self.circumstances = circumstances;
        Ok(id)
    }

    fn failed_chance(&self, key: &[i32], m: Move, error: EvalError) -> NotBuilt {
        let text = &self.network.edges[m.edge as usize].text;
        self.wrong(key, &format!("{error}: {text}"))
    }

    /// The number of a reward; 0 where it is wrong, which is noted.
    fn reward(
        &mut self,
        structure: usize,
        key: &[i32],
        reward: Result<Number, EvalError>,
        into: &mut Builder,
    ) -> NumberId {
        let what = match reward {
            Ok(reward) if reward.is_zero() => return Pool::ZERO,
            Ok(reward) if reward > Number::ZERO => return into.number(&reward),
            Ok(reward) => format!("the reward {reward} is negative"),
            Err(error) => format!("{error} in a reward"),
        };
        let here = || format!("{what}, in the state {}", values(self.network, key));
        self.wrong_rewards[structure].get_or_insert_with(here);
        Pool::ZERO
    }
}

/// What the reference evaluator says about a step that fails.
pub(super) fn failed_step(network: &Network, key: &[i32], moves: &[Move]) -> String {
    let step = Reference::discrete(network).apply(&from_key(network, key), moves);
    match step.map(|step| step.result) {
        Ok(Err(info)) => info.message,
        _ => "a step has no outcome".into(),
    }
}

/// The values of a state as the user knows them.
pub fn values(network: &Network, key: &[i32]) -> String {
    let said = |(name, value): (String, String)| match value.starts_with("at ") {
        true => format!("{name} {value}"),
        false => format!("{name}={value}"),
    };
    named_values(network, key).into_iter().map(said).collect::<Vec<_>>().join(", ")
}

/// Variables and their values; automata and where they are, if they can be in several places that have names.
pub fn named_values(network: &Network, key: &[i32]) -> Vec<(String, String)> {
    let mut values = Vec::new();
    for variable in &network.variables {
        for (slot, name) in variable.elements() {
            let value = key[slot as usize];
            match variable.ty {
                bughound_ir::types::ValueType::Bit => values.push((name, (value != 0).to_string())),
                _ => values.push((name, value.to_string())),
            }
        }
    }
    for (pid, start) in network.start.iter().enumerate() {
        let template = network.template(start.template);
        let here = LocationId(key[network.frames.processes[pid].base as usize + LOCATION as usize] as u32);
        if template.locations.len() > 1 && !network.location(here).labels.is_empty() {
            values.push((template.name.clone(), format!("at {}", network.location(here).labels.join(", "))));
        }
    }
    values
}
