//! A small subsystem that passes a bound: few states between which a goal is reached often enough.
//!
//! Finding a smallest one is NP-hard for decision processes and hard enough for chains (Wimmer et al., *Minimal critical subsystems
//! for discrete-time Markov models*, TACAS 2012). Here it is grown and shrunk in turns:
//!
//! - **growing** (Jansen et al., *Hierarchical counterexamples for discrete-time Markov chains*, ATVA 2011: local search): the way
//!   through new states, from the subsystem back into it or to a goal, that brings most probability for each new state;
//! - **shrinking**: states are left out while the bound stays passed, those first that little flows through. By leaving out a
//!   set of states no more is lost than the sum of visits · chance over it, so many go at once;
//! - **again**: a few states that bring least are taken out though the bound is then missed, and it is grown and shrunk again, as
//!   long as that makes it smaller.
//!
//! Claims: the result passes the bound according to `passes`, which decides with certain numbers. It is small, not smallest.
//! Cost: each turn one pass over the steps of the chain; the number of turns is bounded by `effort`.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::chain::{Chain, Flow};

/// New states weigh so much less when ways are compared: 1 looks for the most probable way, less for shorter ones.
const SHORTNESS: [f64; 4] = [1.0, 0.8, 0.5, 0.2];

/// Below this share of the slack, states are left out one by one.
const LEAST_SHARE: f64 = 0.002;

/// Finds a small subsystem. `bound`: what its probability has to pass, about; `passes` decides.
pub struct Minimiser<'c, F> {
    pub chain: &'c Chain,
    pub bound: f64,
    /// Does this subsystem pass the bound? For certain.
    pub passes: F,
    /// Passes over the steps of the chain that are allowed for.
    pub effort: usize,
    /// How often `passes` may be asked to make the subsystem smaller.
    pub checks: usize,
}

impl<E, F: FnMut(&[bool]) -> Result<bool, E>> Minimiser<'_, F> {
    /// A subsystem as a set of states of the chain; nothing if not even the whole chain passes.
    pub fn run(&mut self) -> Result<Option<Vec<bool>>, E> {
        let all = vec![true; self.chain.len()];
        if !(self.passes)(&all)? {
            return Ok(None);
        }
        let mut best = self.pruned(all.clone());
        best = self.shrunk(best)?;
        if let Some(grown) = self.grown(self.chain.start_only())? {
            let shrunk = self.shrunk(grown)?;
            if size(&shrunk) < size(&best) {
                best = shrunk;
            }
        }
        let mut share = 4;
        while self.effort > 0 && self.checks > 0 && share <= 64 {
            let less = self.weakened(&best, (size(&best) / share).max(1));
            let again = match self.grown(less)? {
                Some(grown) => self.shrunk(grown)?,
                None => break,
            };
            if size(&again) < size(&best) {
                best = again;
            } else {
                share *= 2;
            }
        }
        Ok(Some(best))
    }

    /// Adds ways until the bound is passed.
    fn grown(&mut self, mut within: Vec<bool>) -> Result<Option<Vec<bool>>, E> {
        let mut close = false;
        loop {
            if self.effort == 0 {
                return Ok(None);
            }
            let flow = self.chain.flow(&within);
            self.effort = self.effort.saturating_sub(1);
            let has = flow.probability();
            close |= has > self.bound;
            if close && (self.passes)(&within)? {
                return Ok(Some(within));
            }
            let ways = self.ways(&within, &flow, (self.bound - has).max(0.0));
            if ways.is_empty() {
                return Ok((self.passes)(&within)?.then_some(within));
            }
            // One at a time while the subsystem is small: the next one depends on it.
            let count = 1 + size(&within) / 40;
            for way in ways.into_iter().take(count) {
                way.into_iter().for_each(|state| within[state as usize] = true);
            }
        }
    }

    /// New ways, the best one first: each as its new states. `missing`: what would be enough.
    fn ways(&mut self, within: &[bool], flow: &Flow, missing: f64) -> Vec<Vec<u32>> {
        let chain = self.chain;
        let n = chain.len();
        let mut found: Vec<(f64, Vec<u32>)> = Vec::new();
        for shortness in SHORTNESS {
            self.effort = self.effort.saturating_sub(1);
            let mut label = vec![0.0f64; n];
            let mut before = vec![u32::MAX; n];
            let mut done = vec![false; n];
            let mut queue = BinaryHeap::new();
            let mut ends: Vec<(f64, f64, u32, u32)> = Vec::new();
            let mut arrive = |queue: &mut BinaryHeap<Labelled>, from: u32, to: usize, value: f64| {
                if value > label[to] {
                    label[to] = value;
                    before[to] = from;
                    queue.push(Labelled { value, state: to as u32 });
                }
            };
            let is_inner = |state: usize| within[state] && !chain.is_goal[state];
            for state in (0..n).filter(|&state| is_inner(state)) {
                for (to, p) in chain.steps(state).filter(|&(to, _)| !within[to]) {
                    arrive(&mut queue, state as u32, to, flow.visits[state] * p * shortness);
                }
            }
            while let Some(Labelled { value, state }) = queue.pop() {
                if std::mem::replace(&mut done[state as usize], true) {
                    continue;
                }
                if chain.is_goal[state as usize] {
                    ends.push((value, 1.0, state, u32::MAX));
                    continue;
                }
                let mut back = (0.0, u32::MAX);
                for (to, p) in chain.steps(state as usize) {
                    if !within[to] {
                        arrive(&mut queue, state, to, value * p * shortness);
                    } else if p * flow.chance[to] > back.0 {
                        back = (p * flow.chance[to], to as u32);
                    }
                }
                if back.0 > 0.0 {
                    ends.push((value * back.0, back.0, state, back.1));
                }
            }
            ends.sort_by(|a, b| b.0.total_cmp(&a.0));
            for (_, last, state, _) in ends.into_iter().take(16) {
                let mut way = Vec::new();
                let mut at = state;
                while !within[at as usize] {
                    way.push(at);
                    at = before[at as usize];
                }
                let gain = label[state as usize] / shortness.powi(way.len() as i32) * last;
                let useful = if missing > 0.0 { gain.min(missing * 1.001) } else { gain };
                let score = useful / way.len() as f64;
                found.push((score, way));
            }
        }
        found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.len().cmp(&b.1.len())));
        found.dedup_by(|a, b| a.1 == b.1);
        found.into_iter().map(|(_, way)| way).collect()
    }

    /// Leaves states out while the bound stays passed.
    fn shrunk(&mut self, mut within: Vec<bool>) -> Result<Vec<bool>, E> {
        let mut refused = vec![false; within.len()];
        // Within a bound on time less is lost by a state than flows through it, and less is there to lose.
        let mut share = 0.999;
        loop {
            within = self.pruned(within);
            if self.effort == 0 || self.checks == 0 {
                return Ok(within);
            }
            let flow = self.chain.flow(&within);
            self.effort = self.effort.saturating_sub(1);
            let mut order: Vec<(f64, usize)> = (1..within.len())
                .filter(|&state| within[state] && !refused[state])
                .map(|state| (flow.loss(state), state))
                .collect();
            order.sort_by(|a, b| a.0.total_cmp(&b.0));
            let slack = flow.probability() - self.bound;
            // Surely not too many: their losses fit together. Those that nobody misses go with them.
            let mut without = within.clone();
            let mut lost = 0.0;
            for &(loss, state) in &order {
                if lost + loss >= slack * share {
                    break;
                }
                lost += loss;
                without[state] = false;
            }
            if without != within {
                self.checks -= 1;
                if (self.passes)(&without)? {
                    within = without;
                } else {
                    share = if share > LEAST_SHARE { share / 4.0 } else { 0.0 };
                }
                continue;
            }
            // One at a time, the way around it may be good enough.
            let Some(&(_, state)) = order.first() else { return Ok(within) };
            let mut without = within.clone();
            without[state] = false;
            let without = self.pruned(without);
            self.effort = self.effort.saturating_sub(1);
            let is_enough = self.chain.flow(&without).probability() > self.bound * (1.0 - 1e-9);
            self.checks -= usize::from(is_enough && self.checks > 0);
            if is_enough && (self.passes)(&without)? {
                within = without;
            } else {
                refused[state] = true;
            }
        }
    }

    /// Without the states that bring least for each of them, and without those that hang on them.
    fn weakened(&mut self, within: &[bool], count: usize) -> Vec<bool> {
        let flow = self.chain.flow(within);
        self.effort = self.effort.saturating_sub(1);
        let mut order: Vec<(f64, usize)> =
            (1..within.len()).filter(|&state| within[state]).map(|state| (flow.loss(state), state)).collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut without = within.to_vec();
        order.iter().take(count).for_each(|&(_, state)| without[state] = false);
        let without = self.pruned(without);
        if size(&without) == 0 { within.to_vec() } else { without }
    }

    /// Without states that are on no way from the start to a goal inside.
    fn pruned(&self, mut within: Vec<bool>) -> Vec<bool> {
        let chain = self.chain;
        let n = chain.len();
        let mut reached = vec![false; n];
        let mut work = vec![0usize];
        reached[0] = true;
        while let Some(state) = work.pop() {
            for (to, _) in chain.steps(state).filter(|&(to, _)| within[to]) {
                if !std::mem::replace(&mut reached[to], true) {
                    work.push(to);
                }
            }
        }
        let mut useful = vec![false; n];
        work.extend((0..n).filter(|&state| reached[state] && within[state] && chain.is_goal[state]));
        work.iter().for_each(|&state| useful[state] = true);
        while let Some(state) = work.pop() {
            for before in chain.before(state).filter(|&before| reached[before] && within[before]) {
                if !std::mem::replace(&mut useful[before], true) {
                    work.push(before);
                }
            }
        }
        useful[0] = true;
        within.iter_mut().zip(useful).for_each(|(is_in, is_useful)| *is_in &= is_useful);
        within
    }
}

fn size(within: &[bool]) -> usize {
    within.iter().filter(|is_in| **is_in).count()
}

struct Labelled {
    value: f64,
    state: u32,
}

impl PartialEq for Labelled {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Labelled {}

impl Ord for Labelled {
    fn cmp(&self, other: &Self) -> Ordering {
        self.value.total_cmp(&other.value).then(other.state.cmp(&self.state))
    }
}

impl PartialOrd for Labelled {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
