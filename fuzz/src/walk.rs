//! A random walk through the states of a network, with the engine and the reference evaluator side by side.

use std::collections::{BTreeMap, HashSet};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use bughound_ir::expr::Expr;
use bughound_ir::network::Network;
use bughound_ir::question::Question;
use bughound_ir::reference::{RefState, Reference, from_key, to_key};
use bughound_kernel::{AtomId, Explorer, Failure, FailureKind, Move, Outcome, State, TransitionSystem};
use bughound_layers::ClaimProduct;
use bughound_semantics::{Claim, DiscreteSystem};
use bughound_store::Packer;

/// Keys longer than this make a walk too slow to be worth it.
const MOST_SLOTS: usize = 4_000;
/// States inside one atomic chain: longer ones are left out, the reference evaluator copies each.
const LONGEST_CHAIN: usize = 500;
/// Replays of an engine's step with the reference evaluator, in each state.
const MOST_REPLAYS: usize = 4;
const LONGEST_WALK: Duration = Duration::from_millis(500);

/// What a macro step can come to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    State(Vec<i32>),
    Failed { edge: u32, code: u32, assertion: bool },
}

impl From<Failure> for End {
    fn from(f: Failure) -> End {
        End::Failed { edge: f.edge, code: f.code, assertion: f.kind == FailureKind::Assertion }
    }
}

/// Numbers that look random, from a seed.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % bound.max(1)
    }
}

/// Does a `d_step` of the network contain a loop? It may take millions of rounds before it is given up.
pub fn has_program_loop(network: &Network) -> bool {
    network.programs.iter().any(|program| {
        let mut later = program.nodes.iter().enumerate();
        later.any(|(at, node)| node.alternatives.iter().any(|a| a.next.is_some_and(|next| next as usize <= at)))
    })
}

/// Walks through up to `most` states and returns how many were compared, or the first difference.
///
/// In every state: outcomes of all macro steps with their least weights; deadlock; some of the engine's steps replayed
/// move by move with the reference evaluator; invariants; the way of the key to packed form and back, and to the
/// structured state and back.
pub fn compare(network: &Network, most: usize, random: &mut Random) -> Result<usize, String> {
    if network.frames.layout.slots.len() > MOST_SLOTS {
        return Ok(0);
    }
    let Ok(reference) = Reference::new(network) else { return Ok(0) };
    let atoms = network.properties.iter().filter_map(|p| match &p.question {
        Question::Invariant(condition) => Some(condition.clone()),
        _ => None,
    });
    let atoms: Vec<Expr> = atoms.collect();
    let system = DiscreteSystem::new(network.clone(), &atoms);
    let mut explorer = system.explorer();
    let mut initial: Vec<Vec<i32>> = Vec::new();
    explorer.initial(&mut |state| initial.push(state.key.to_vec()));
    let expected: Vec<Vec<i32>> = reference.initial().ok().map(|s| to_key(network, &s)).into_iter().collect();
    if initial != expected {
        return Err(format!("initial states: engine {initial:?}, reference {expected:?}"));
    }
    let packer = Packer::new(system.layout());
    let started = Instant::now();
    let mut compared = 0;
    let mut seen: HashSet<Vec<i32>> = initial.iter().cloned().collect();
    // States met but not left yet.
    let mut open = initial;
    while compared < most && !open.is_empty() && started.elapsed() < LONGEST_WALK {
        // Mostly depth first: what lies deep is rarely met otherwise.
        let at = if random.below(4) == 0 { random.below(open.len()) } else { open.len() - 1 };
        let key = open.swap_remove(at);
        round_trip(&packer, &key)?;
        let state = from_key(network, &key);
        if to_key(network, &state) != key {
            return Err(format!("the key {key:?} becomes {:?}", to_key(network, &state)));
        }
        for (at, atom) in atoms.iter().enumerate() {
            let fast = explorer.holds(AtomId(at as u32), State::discrete(&key));
            let slow = reference.holds(&state, atom);
            if fast != slow.clone().unwrap_or(false) {
                return Err(format!("in state {key:?}: invariant {at} is {fast}, for the reference {slow:?}"));
            }
        }
        if !chains_are_short(&reference, &state) {
            continue;
        }
        let found = step(network, &reference, explorer.as_mut(), &key, &state, random)?;
        compared += 1;
        for next in found {
            if seen.insert(next.clone()) {
                open.push(next);
            }
        }
    }
    Ok(compared)
}

/// Compares the steps from one state; the answer is the states that follow.
fn step(
    network: &Network,
    reference: &Reference,
    explorer: &mut dyn Explorer,
    key: &[i32],
    state: &RefState,
    random: &mut Random,
) -> Result<Vec<Vec<i32>>, String> {
    let mut fast: BTreeMap<End, u64> = BTreeMap::new();
    let mut chains: Vec<(Vec<Move>, End)> = Vec::new();
    let expansion = explorer.successors(State::discrete(key), &mut |step| {
        let end = match step.outcome {
            Outcome::State(state) => End::State(state.key.to_vec()),
            Outcome::Failure(failure) => End::from(failure),
        };
        chains.push((step.moves.to_vec(), end.clone()));
        let weight = fast.entry(end).or_insert(step.weight);
        *weight = (*weight).min(step.weight);
        ControlFlow::Continue(())
    });
    let mut slow: BTreeMap<End, u64> = BTreeMap::new();
    for step in reference.macro_successors(state) {
        let end = match &step.result {
            Ok(state) => End::State(to_key(network, state)),
            Err(info) => End::from(info.failure),
        };
        let weight = slow.entry(end).or_insert(step.weight);
        *weight = (*weight).min(step.weight);
    }
    let deadlock = reference.is_deadlock(state);
    if fast != slow || expansion.deadlock != deadlock {
        return Err(format!(
            "in state {key:?}\nengine    {fast:?} deadlock {}\nreference {slow:?} deadlock {deadlock}",
            expansion.deadlock
        ));
    }
    for _ in 0..MOST_REPLAYS.min(chains.len()) {
        let (moves, end) = &chains[random.below(chains.len())];
        replay(network, reference, state, moves, end)
            .map_err(|why| format!("in state {key:?}\nthe moves {moves:?} of the engine to {end:?}: {why}"))?;
    }
    let states = fast.into_keys().filter_map(|end| match end {
        End::State(key) => Some(key),
        End::Failed { .. } => None,
    });
    Ok(states.collect())
}

/// Performs the moves of an engine's step with the reference evaluator.
fn replay(network: &Network, reference: &Reference, from: &RefState, moves: &[Move], end: &End) -> Result<(), String> {
    let mut state = from.clone();
    let mut rest = moves;
    while !rest.is_empty() {
        let len = 1 + rest[1..].iter().take_while(|m| m.joins).count();
        let (now, later) = rest.split_at(len);
        let step = reference.apply(&state, now).map_err(|e| e.to_string())?;
        if later.is_empty()
            && let End::Failed { .. } = end
        {
            let failures = step.soft_failures.iter().chain(step.result.as_ref().err());
            let same = failures.into_iter().any(|info| End::from(info.failure) == *end);
            return if same { Ok(()) } else { Err("the failure does not happen".into()) };
        }
        state = step.result.map_err(|e| format!("fails: {e}"))?;
        rest = later;
    }
    let key = to_key(network, &settled(network, &state));
    if End::State(key.clone()) == *end { Ok(()) } else { Err(format!("leads to {key:?}")) }
}

/// The state as others see it: hidden variables are forgotten.
fn settled(network: &Network, state: &RefState) -> RefState {
    let mut state = state.ordinary();
    for slot in network.hidden_slots() {
        state.globals[slot as usize] = 0;
    }
    state
}

/// Is the number of states inside the atomic chains from here small?
fn chains_are_short(reference: &Reference, from: &RefState) -> bool {
    let inside = |state: &RefState| {
        let steps = reference.micro_steps(state);
        let mut next: Vec<RefState> = steps.into_iter().filter_map(|step| step.result.ok()).collect();
        // The process in control may be stuck; then these are not inside the chain, but few.
        next.retain(|s| s.control.is_some());
        next
    };
    let mut open = inside(from);
    let mut seen: HashSet<RefState> = HashSet::new();
    while let Some(state) = open.pop() {
        if seen.contains(&state) {
            continue;
        }
        if seen.len() >= LONGEST_CHAIN {
            return false;
        }
        open.extend(inside(&state));
        seen.insert(state);
    }
    true
}

/// Packs a key and unpacks it.
fn round_trip(packer: &Packer, key: &[i32]) -> Result<(), String> {
    let mut words = vec![0xdead_beef_u32; packer.max_words()];
    let used = packer.pack(key, &mut words);
    let mut back = Vec::new();
    packer.unpack(&words[..used], &mut back);
    if back == key && packer.words_of(&words) == used { Ok(()) } else { Err(format!("packing {key:?} gives {back:?}")) }
}

/// Walks through the product of the network with its claims, for panics and keys that cannot be packed.
pub fn walk_claims(network: &Network, most: usize, random: &mut Random) -> Result<(), String> {
    if network.frames.layout.slots.len() > MOST_SLOTS {
        return Ok(());
    }
    let claims = network.properties.iter().filter_map(|p| match p.question {
        Question::Never(claim) => Some(claim),
        _ => None,
    });
    let claims: Vec<_> = claims.collect();
    if claims.is_empty() {
        return Ok(());
    }
    let Ok(reference) = Reference::new(network) else { return Ok(()) };
    let system = DiscreteSystem::new(network.clone(), &[]);
    for claim in claims {
        let claim = Claim::new(&system, claim);
        let product = ClaimProduct::new(&system, &claim);
        let packer = Packer::new(product.layout());
        let mut explorer = product.explorer();
        let mut now: Vec<Vec<i32>> = Vec::new();
        explorer.initial(&mut |state| now.push(state.key.to_vec()));
        for _ in 0..most {
            if now.is_empty() {
                break;
            }
            let key = now.swap_remove(random.below(now.len()));
            round_trip(&packer, &key)?;
            if !chains_are_short(&reference, &from_key(network, &key[1..])) {
                break;
            }
            explorer.holds(product.violated(), State::discrete(&key));
            let mut next = Vec::new();
            explorer.successors(State::discrete(&key), &mut |step| {
                if let Outcome::State(state) = step.outcome {
                    next.push(state.key.to_vec());
                }
                ControlFlow::Continue(())
            });
            now = next;
        }
    }
    Ok(())
}
