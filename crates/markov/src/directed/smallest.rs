//! How few states a subsystem can do with: a smallest one, or at least a proven bound from below.
//!
//! Branch and bound. A node says of some states that they are in, of others that they are out. Its bound comes from the linear
//! relaxation of the mixed integer program of Wimmer et al. (*Minimal critical subsystems for discrete-time Markov models*, TACAS
//! 2012), x being 1 for states that are in:
//!
//! - **backwards**, p being chances: least Σx where p ≤ M·x, p(s) ≤ Σ P(s,t)·p(t), p(start) ≥ bound. M is the chance of a state if
//!   everything is there that is not out, which makes it far stronger than M = 1;
//! - **forwards**, q being visits: least Σx where q ≤ F·x, q(t) ≤ [t is the start] + Σ q(s)·P(s,t), Σ q(goals) ≥ bound.
//!
//! No solver is needed: for a fixed multiplier z of the bound, the best dual solution is a flow (backwards: z units start and each
//! state keeps 1/M of what arrives; forwards: a unit that gets to a goal earns z and pays 1/F in each state), and the dual value
//! is concave in z. **Any** multipliers that are not negative prove a bound, however roughly they were computed: it is evaluated once
//! more with everything rounded to the safe side, so nothing rests on the precision of the search for them.
//!
//! Claims: `at_least` is a bound from below on the number of states of all subsystems of the chain that pass; it is the size of
//! `within` if that one is as small as possible. Within bounds on steps or time the relaxation leaves those out: still a bound.
//! Cost: exponential in the worst case. Fails, with a bound that stays below the size, where many states are alike.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::chain::{Chain, Flow};

/// Probabilities of the chain are rounded; this is more.
const ROUNDED: f64 = 1e-12;
/// What is added to chances and visits until they are seen to be bounds from above.
const WIDER: [f64; 4] = [1e-10, 1e-8, 1e-5, 1e-2];
/// Sweeps for a flow, and values of z that are tried.
const SWEEPS: usize = 60;
const TRIES: usize = 36;
/// Bytes for nodes that wait.
const MEMORY: usize = 400_000_000;

/// A subsystem and how few states there can be.
pub struct Smallest {
    pub within: Vec<bool>,
    pub at_least: usize,
}

/// Proves that there are no subsystems with fewer states, or finds one.
pub struct Prover<'c, F> {
    pub chain: &'c Chain,
    /// What has to be passed, rounded down.
    pub bound: f64,
    /// Does this subsystem pass the bound? For certain; nothing if nobody knows.
    pub passes: F,
    /// Asked every now and then; true ends it with what is known.
    pub stop: &'c dyn Fn() -> bool,
    /// Steps of the chain that may be looked at.
    pub work: u64,
    /// There is no need to prove more.
    pub enough: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Free,
    In,
    Out,
}

struct Node {
    least: usize,
    depth: usize,
    /// Its own bound was computed; otherwise it is that of the node above.
    is_bounded: bool,
    places: Vec<Place>,
}

impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Node {}

impl Ord for Node {
    /// The least bound first: it is the bound of all. Among those the deepest.
    fn cmp(&self, other: &Self) -> Ordering {
        other.least.cmp(&self.least).then(self.depth.cmp(&other.depth))
    }
}

impl PartialOrd for Node {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<E, F: FnMut(&[bool]) -> Result<Option<bool>, E>> Prover<'_, F> {
    /// Starts with a subsystem that passes.
    pub fn run(mut self, mut best: Vec<bool>) -> Result<Smallest, E> {
        let n = self.chain.len();
        let mut places = vec![Place::Free; n];
        places[0] = Place::In;
        let mut open = BinaryHeap::from([Node { least: 1, depth: 0, is_bounded: false, places }]);
        // Of nodes that were given up without a proof.
        let mut lost = usize::MAX;
        let is_over = |work: u64, waiting: usize, stop: &dyn Fn() -> bool| work == 0 || waiting * n > MEMORY || stop();
        let mut at_least = 1;
        while let Some(node) = open.pop() {
            let most = size(&best).min(self.enough);
            at_least = at_least.max(node.least.min(lost));
            if node.least >= most {
                // All others are no better.
                break;
            }
            if is_over(self.work, open.len(), self.stop) {
                return Ok(Smallest { at_least: at_least.min(most), within: best });
            }
            let view = View::new(self.chain, &node.places);
            self.spend(4);
            let least = match node.is_bounded {
                true => node.least,
                false => self.bound_of(&view, node.least, most),
            };
            if least >= most {
                continue;
            }
            if least > node.least {
                open.push(Node { least, is_bounded: true, ..node });
                continue;
            }
            let inside: Vec<bool> = node.places.iter().map(|place| *place == Place::In).collect();
            // All that have to be in are as many as it takes: then they are the best of this node, if they are enough.
            let is_full = size(&inside) == least && self.is_near(&inside);
            if is_full && (self.passes)(&inside)? == Some(true) {
                best = inside;
                continue;
            }
            let free = || (1..n).filter(|&state| node.places[state] == Place::Free);
            let by_loss = |&a: &usize, &b: &usize| view.flow.loss(a).total_cmp(&view.flow.loss(b)).then(b.cmp(&a));
            // The one that most flows through.
            let state = match free().filter(|&state| view.flow.loss(state) > 0.0).max_by(by_loss) {
                Some(state) => state,
                // Nothing else seems to be of use; what flows is computed with doubles, which may be wrong.
                None => match (self.passes)(&inside)? {
                    Some(true) if size(&inside) < size(&best) => {
                        best = inside;
                        continue;
                    }
                    Some(true) => continue,
                    known => {
                        let all: Vec<bool> = node.places.iter().map(|place| *place != Place::Out).collect();
                        if (self.passes)(&all)? == Some(false) {
                            continue;
                        }
                        match free().next() {
                            Some(state) => state,
                            None => {
                                lost = lost.min(if known.is_none() { least } else { usize::MAX });
                                continue;
                            }
                        }
                    }
                },
            };
            for place in [Place::In, Place::Out] {
                let mut places = node.places.clone();
                places[state] = place;
                open.push(Node { least, depth: node.depth + 1, is_bounded: false, places });
            }
        }
        let at_least = size(&best).min(self.enough).min(lost);
        Ok(Smallest { within: best, at_least })
    }

    fn spend(&mut self, passes: usize) {
        self.work = self.work.saturating_sub((passes * self.chain.size()) as u64);
    }

    /// Is it worth asking whether these are enough?
    fn is_near(&mut self, within: &[bool]) -> bool {
        self.spend(2);
        self.chain.flow(within).probability() > self.bound * (1.0 - 1e-6)
    }

    /// So many states at least, in all subsystems of a node; the search ends at `enough`.
    fn bound_of(&mut self, view: &View<'_>, known: usize, enough: usize) -> usize {
        let mut best = known.max(view.fixed);
        if best >= enough {
            return best;
        }
        for direction in [Direction::Backward, Direction::Forward] {
            if direction == Direction::Forward && view.visits.is_none() {
                continue;
            }
            let mut tried = 0;
            let mut value = |z: f64| {
                tried += 1;
                let value = match direction {
                    Direction::Backward => view.backward(self.bound, z),
                    Direction::Forward => view.forward(self.bound, z),
                };
                if value.is_finite() { value.max(0.0) } else { 0.0 }
            };
            let found = greatest(&mut value, (enough - view.fixed) as f64);
            self.spend(tried * SWEEPS / 4);
            best = best.max(view.fixed + found.ceil() as usize);
            if best >= enough {
                break;
            }
        }
        best
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Direction {
    Backward,
    Forward,
}

/// The greatest value of a concave function of z > 0 that is 0 at 0, nearly; whatever is found is a value of it.
fn greatest(value: &mut dyn FnMut(f64) -> f64, enough: f64) -> f64 {
    // Up while it gets better: from there on it falls.
    let (mut z, mut best, mut at) = (1.0, 0.0f64, 1.0);
    let mut tried = 0;
    while tried < TRIES && best < enough {
        let found = value(z);
        tried += 1;
        if found > best {
            (best, at) = (found, z);
        } else if best > 0.0 {
            break;
        }
        z *= 4.0;
    }
    let (mut low, mut high) = (at / 4.0, at * 4.0);
    for _ in 0..12 {
        if best >= enough {
            break;
        }
        // Thirds, in logarithms.
        let (a, b) = (low * (high / low).powf(1.0 / 3.0), low * (high / low).powf(2.0 / 3.0));
        let (at_a, at_b) = (value(a), value(b));
        best = best.max(at_a).max(at_b);
        if at_a < at_b { low = a } else { high = b }
    }
    best
}

/// A node as its bounds see it.
struct View<'n> {
    chain: &'n Chain,
    places: &'n [Place],
    /// States that are in.
    fixed: usize,
    flow: Flow,
    /// No chance is greater.
    chance: Vec<f64>,
    /// Nothing is visited more often, if that is known.
    visits: Option<Vec<f64>>,
}

impl<'n> View<'n> {
    fn new(chain: &'n Chain, places: &'n [Place]) -> View<'n> {
        let all: Vec<bool> = places.iter().map(|place| *place != Place::Out).collect();
        let flow = chain.flow(&all);
        let mut view = View {
            chain,
            places,
            fixed: places.iter().filter(|place| **place == Place::In).count(),
            chance: Vec::new(),
            visits: None,
            flow,
        };
        view.chance = view.sure_chances().unwrap_or_else(|| vec![1.0; chain.len()]);
        view.visits = view.sure_visits();
        view
    }

    fn is_out(&self, state: usize) -> bool {
        self.places[state] == Place::Out
    }

    fn steps(&self, state: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let goes_on = !self.is_out(state) && !self.chain.is_goal[state];
        let steps = goes_on.then(|| self.chain.steps(state)).into_iter().flatten();
        steps.filter(|&(to, _)| !self.is_out(to)).map(|(to, p)| (to, p * (1.0 + ROUNDED)))
    }

    /// A product that does not vanish, however small it is.
    fn product(p: f64, value: f64) -> f64 {
        if value > 0.0 { p * value + f64::MIN_POSITIVE } else { 0.0 }
    }

    /// Numbers that one more step does not raise are bounds from above (Park).
    fn sure_chances(&self) -> Option<Vec<f64>> {
        let n = self.chain.len();
        WIDER.iter().find_map(|wider| {
            let wide: Vec<f64> = (0..n).map(|s| (self.flow.chance[s] * (1.0 + wider)).min(1.0)).collect();
            let is_sure = (0..n).filter(|&s| !self.is_out(s)).all(|s| {
                let next: f64 = self.steps(s).map(|(to, p)| Self::product(p, wide[to])).sum();
                wide[s] >= 1.0 || !self.chain.is_goal[s] && wide[s] >= next * (1.0 + ROUNDED)
            });
            is_sure.then_some(wide)
        })
    }

    fn sure_visits(&self) -> Option<Vec<f64>> {
        let n = self.chain.len();
        WIDER.iter().find_map(|wider| {
            let wide: Vec<f64> = self.flow.visits.iter().map(|visits| visits * (1.0 + wider)).collect();
            let mut next = vec![0.0; n];
            next[0] = 1.0;
            for (s, &visits) in wide.iter().enumerate() {
                self.steps(s).for_each(|(to, p)| next[to] += Self::product(p, visits));
            }
            let is_sure = (0..n).filter(|&s| !self.is_out(s)).all(|s| wide[s] >= next[s] * (1.0 + ROUNDED));
            is_sure.then_some(wide)
        })
    }

    /// What a state keeps of what arrives, or takes of what passes: nothing if it is there anyhow.
    fn toll(&self, state: usize, most: f64) -> f64 {
        match self.places[state] {
            Place::In => 0.0,
            _ if most <= 0.0 => f64::MAX,
            _ => (1.0 - ROUNDED) / most,
        }
    }

    /// z units start, each state keeps its toll and passes on what is left; whoever gets to a goal with more than its toll, or is
    /// not passed on, costs M.
    fn backward(&self, bound: f64, z: f64) -> f64 {
        let n = self.chain.len();
        let toll: Vec<f64> = (0..n).map(|s| self.toll(s, self.chance[s])).collect();
        let mut passed = vec![0.0f64; n];
        let mut arrived = vec![0.0f64; n];
        for _ in 0..SWEEPS {
            let mut change = 0.0f64;
            arrived.fill(0.0);
            arrived[0] = z;
            for s in 0..n {
                // What comes along edges back is that of the sweep before.
                let now = if self.chain.is_goal[s] { 0.0 } else { (arrived[s] - toll[s]).max(0.0) };
                let new = now.max(passed[s]);
                change = change.max(new - passed[s]);
                passed[s] = new;
                if new > 0.0 {
                    self.steps(s).for_each(|(to, p)| arrived[to] += new * p);
                }
            }
            if change <= z * 1e-12 {
                break;
            }
        }
        // Once more, everything after all were passed on.
        arrived.fill(0.0);
        arrived[0] = z;
        for (s, passed) in passed.iter().enumerate().filter(|(_, passed)| **passed > 0.0) {
            self.steps(s).for_each(|(to, p)| arrived[to] += passed * p);
        }
        let (mut cost, mut moved) = (0.0, bound * z);
        for s in (0..n).filter(|&s| !self.is_out(s)) {
            let unpaid = arrived[s] - passed[s] - toll[s];
            if unpaid > 0.0 {
                cost += self.chance[s] * unpaid;
            }
            moved += self.chance[s] * arrived[s].max(passed[s]);
        }
        bound * z - cost - moved * self.rounding()
    }

    /// A unit in a goal earns z, and pays a toll in each state: what the start earns is what the bound costs.
    fn forward(&self, bound: f64, z: f64) -> f64 {
        let n = self.chain.len();
        let Some(visits) = &self.visits else { return 0.0 };
        let toll: Vec<f64> = (0..n).map(|s| self.toll(s, visits[s])).collect();
        let earned = |worth: &[f64], s: usize| match self.chain.is_goal[s] {
            true => z,
            false => self.steps(s).map(|(to, p)| p * worth[to]).sum::<f64>(),
        };
        let mut worth = vec![0.0f64; n];
        for _ in 0..SWEEPS {
            let mut change = 0.0f64;
            for s in (0..n).rev().filter(|&s| !self.is_out(s)) {
                let new = (earned(&worth, s) - toll[s]).max(0.0);
                change = change.max((new - worth[s]).abs());
                worth[s] = new;
            }
            if change <= z * 1e-12 {
                break;
            }
        }
        let (mut cost, mut moved) = (worth[0], bound * z + worth[0]);
        for s in (0..n).filter(|&s| !self.is_out(s)) {
            let earned = earned(&worth, s);
            let unpaid = earned - toll[s] - worth[s];
            if unpaid > 0.0 {
                cost += visits[s] * unpaid;
            }
            moved += visits[s] * earned.max(worth[s]);
        }
        bound * z - cost - moved * self.rounding()
    }

    /// The relative error of a sum over all steps, and some.
    fn rounding(&self) -> f64 {
        (self.chain.size() as f64 + 16.0) * 4.0 * f64::EPSILON
    }
}

fn size(within: &[bool]) -> usize {
    within.iter().filter(|is_in| **is_in).count()
}
