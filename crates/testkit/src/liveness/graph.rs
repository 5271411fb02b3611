//! All states of a model and the steps between them, computed with the reference evaluator.

use std::collections::{HashMap, HashSet};

use bughound_ir::expr::Expr;
use bughound_ir::network::Network;
use bughound_ir::reference::{RefState, Reference};

use crate::liveness::components::{Arc, Product};

/// The states that a model shows from outside, in the order in which they were met; the first is the initial one.
pub struct Graph<'n> {
    reference: Reference<'n>,
    states: Vec<RefState>,
    /// By state: the steps that do not fail. Steps to the same state in which others move are kept apart.
    pub arcs: Vec<Vec<Arc>>,
    /// By state: the processes that cannot begin a step there, by bit. A step that fails is one, too.
    pub unable: Vec<u64>,
    /// The processes that there are in some state, by bit.
    pub processes: u64,
    /// Some step fails.
    pub can_fail: bool,
}

/// Which of some conditions hold in a state, by bit, and which have no value there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Letter {
    pub holds: u64,
    pub undefined: u64,
}

impl Letter {
    /// What could hold if what has no value had one.
    pub fn completions(self) -> impl Iterator<Item = u64> {
        // All subsets of the undefined ones, from all of them down to none.
        let subsets = std::iter::successors(Some(self.undefined), move |subset| {
            (*subset > 0).then(|| (subset - 1) & self.undefined)
        });
        subsets.map(move |subset| self.holds | subset)
    }
}

/// Chains inside one step, all together, are followed through so many states.
const LONGEST: usize = 20_000;

impl<'n> Graph<'n> {
    /// `None` if there are more states than `most`, more than 64 processes or no initial state; or if a run can stay inside
    /// an atomic sequence for ever: then it is not known what it shows.
    pub fn new(network: &'n Network, most: usize) -> Option<Graph<'n>> {
        let reference = Reference::new(network).ok()?;
        let initial = reference.initial().ok()?;
        let mut graph = Graph {
            reference,
            states: vec![initial.clone()],
            arcs: Vec::new(),
            unable: Vec::new(),
            processes: 0,
            can_fail: false,
        };
        let mut numbers = HashMap::from([(initial, 0)]);
        while graph.arcs.len() < graph.states.len() {
            let state = graph.states[graph.arcs.len()].clone();
            if state.processes.len() > 64 {
                return None;
            }
            graph.processes |= (0..state.processes.len()).fold(0, |all, pid| all | 1 << pid);
            let (able, steps) = graph.steps(&state)?;
            if graph.reference.diverges(&state) {
                return None;
            }
            let mut arcs = Vec::new();
            for (next, moved) in steps {
                let to = *numbers.entry(next.clone()).or_insert_with(|| {
                    graph.states.push(next);
                    graph.states.len() - 1
                });
                arcs.push(Arc { to, moved });
            }
            if graph.states.len() > most {
                return None;
            }
            graph.arcs.push(arcs);
            graph.unable.push(!able);
        }
        Some(graph)
    }

    /// Who can begin a step, and all outcomes of steps with those who move in them. A chain is followed until the state
    /// can be seen from outside.
    fn steps(&mut self, state: &RefState) -> Option<(u64, HashSet<(RefState, u64)>)> {
        let (mut able, mut outcomes) = (0, HashSet::new());
        let mut met: HashSet<(RefState, u64)> = HashSet::new();
        let mut open = vec![(state.clone(), 0)];
        while let Some((state, moved)) = open.pop() {
            for step in self.reference.micro_steps(&state) {
                if moved == 0 {
                    able |= step.moves.first().map_or(0, |first| 1 << first.process);
                }
                let Ok(next) = step.result else {
                    self.can_fail = true;
                    continue;
                };
                let moved = step.moves.iter().fold(moved, |all, m| all | 1 << m.process);
                match self.reference.visible(&next) {
                    Some(visible) => {
                        outcomes.insert((visible, moved));
                    }
                    None if met.insert((next.clone(), moved)) => open.push((next, moved)),
                    None => {}
                }
            }
            if met.len() > LONGEST {
                return None;
            }
        }
        Some((able, outcomes))
    }

    /// How many states there are.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Has the condition a value in every state?
    pub fn is_defined(&self, condition: &Expr) -> bool {
        self.states.iter().all(|state| self.reference.holds(state, condition).is_ok())
    }

    /// By state: what is to be said of the conditions.
    pub fn letters(&self, conditions: &[Expr]) -> Vec<Letter> {
        let letter = |state: &RefState| {
            let mut letter = Letter::default();
            for (at, condition) in conditions.iter().enumerate() {
                match self.reference.holds(state, condition) {
                    Ok(holds) => letter.holds |= u64::from(holds) << at,
                    Err(_) => letter.undefined |= 1 << at,
                }
            }
            letter
        };
        self.states.iter().map(letter).collect()
    }

    /// The steps of infinite runs. Where nothing is possible but failure, the run stays as it is for ever, if that counts;
    /// nobody is treated unfairly then.
    pub fn arcs_with_rest(&self, rest_counts: bool) -> Vec<Vec<Arc>> {
        let stay = |(state, arcs): (usize, &Vec<Arc>)| match arcs.is_empty() && rest_counts {
            true => vec![Arc { to: state, moved: u64::MAX }],
            false => arcs.clone(),
        };
        self.arcs.iter().enumerate().map(stay).collect()
    }

    /// Is there a weakly fair run from every state? Not where a process could move all the time but would always fail.
    pub fn is_always_fair_to_go_on(&self, rest_counts: bool) -> bool {
        let none = vec![0; self.len()];
        let arcs = self.arcs_with_rest(rest_counts);
        let all = Product { arcs, unable: self.unable.clone(), fulfils: none, conditions: 0 };
        !self.can_fail || all.has_run_everywhere(self.processes)
    }

    /// Is there a state in which nothing is possible but failure?
    pub fn can_rest(&self) -> bool {
        self.arcs.iter().any(Vec::is_empty)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::differential::network;
    use bughound_promela::lower::LowerOptions;

    #[test]
    fn steps_keep_apart_who_moves() {
        let text = "byte x; active [2] proctype P() { do :: x = 0 od } active proctype Q() { x == 1 }";
        let network = network(text, LowerOptions::default()).unwrap();
        let graph = Graph::new(&network, 100).unwrap();
        assert_eq!((graph.len(), graph.processes), (1, 7));
        let mut moved: Vec<u64> = graph.arcs[0].iter().map(|arc| arc.moved).collect();
        moved.sort_unstable();
        assert_eq!(moved, [1, 2]);
        assert_eq!(graph.unable[0] & 7, 4);
        assert!(!graph.can_rest());
        assert!(Graph::new(&network, 0).is_none());
    }

    #[test]
    fn chains_and_rest() {
        let text = "byte x; chan r = [0] of { byte };
            active proctype P() { atomic { x = 1; r!1; x = 2 } } active proctype Q() { r?_; x == 3 }";
        let network = network(text, LowerOptions { merge: false, ..LowerOptions::default() }).unwrap();
        let graph = Graph::new(&network, 100).unwrap();
        // P's chain hands over in the rendezvous; then P alone moves and ends.
        assert_eq!(graph.arcs[0].iter().map(|arc| arc.moved).collect::<Vec<_>>(), [3]);
        assert!(graph.can_rest());
        let last = graph.arcs.iter().position(Vec::is_empty).unwrap();
        assert_eq!(graph.arcs_with_rest(true)[last], [Arc { to: last, moved: u64::MAX }]);
        assert!(graph.arcs_with_rest(false)[last].is_empty());
    }
}
