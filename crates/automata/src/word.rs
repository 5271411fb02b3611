//! Infinite words that repeat from some point on, and what is true of them.
//!
//! The semantics of formulas and of automata, computed without any cleverness, to compare the translation with.

use crate::buchi::Buchi;
use crate::classes::strong_components;
use crate::formula::Formula;

/// The letters of the stem, then those of the loop for ever. A letter is the set of atoms that hold, as bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    stem: Vec<u128>,
    cycle: Vec<u128>,
}

impl Word {
    /// `None` if the loop is empty: the word would not be infinite.
    pub fn new(stem: Vec<u128>, cycle: Vec<u128>) -> Option<Word> {
        (!cycle.is_empty()).then_some(Word { stem, cycle })
    }

    /// Number of different positions.
    fn len(&self) -> usize {
        self.stem.len() + self.cycle.len()
    }

    fn letter(&self, position: usize) -> u128 {
        *self.stem.get(position).unwrap_or_else(|| &self.cycle[position - self.stem.len()])
    }

    /// The position after this one.
    fn after(&self, position: usize) -> usize {
        if position + 1 < self.len() { position + 1 } else { self.stem.len() }
    }

    /// Whether the formula is true of the word.
    pub fn satisfies(&self, formula: &Formula) -> bool {
        self.positions(formula)[0]
    }

    /// For every position, whether the formula is true from there on.
    fn positions(&self, formula: &Formula) -> Vec<bool> {
        let all = |value: bool| vec![value; self.len()];
        let each = |f: &dyn Fn(usize) -> bool| (0..self.len()).map(f).collect::<Vec<bool>>();
        match formula {
            Formula::True => all(true),
            Formula::False => all(false),
            Formula::Atom(atom) => each(&|i| 1u128.checked_shl(*atom).is_some_and(|bit| self.letter(i) & bit != 0)),
            Formula::Not(a) => self.positions(a).into_iter().map(|x| !x).collect(),
            Formula::And(parts) => {
                let parts: Vec<_> = parts.iter().map(|p| self.positions(p)).collect();
                each(&|i| parts.iter().all(|p| p[i]))
            }
            Formula::Or(parts) => {
                let parts: Vec<_> = parts.iter().map(|p| self.positions(p)).collect();
                each(&|i| parts.iter().any(|p| p[i]))
            }
            Formula::Implies(a, b) => {
                let (a, b) = (self.positions(a), self.positions(b));
                each(&|i| !a[i] || b[i])
            }
            Formula::Equivalent(a, b) => {
                let (a, b) = (self.positions(a), self.positions(b));
                each(&|i| a[i] == b[i])
            }
            Formula::Next(a) => {
                let a = self.positions(a);
                each(&|i| a[self.after(i)])
            }
            Formula::Eventually(a) => self.until(&all(true), &self.positions(a), false),
            Formula::Always(a) => self.until(&self.positions(a), &all(false), true),
            Formula::Until(a, b) => self.until(&self.positions(a), &self.positions(b), false),
            Formula::WeakUntil(a, b) => self.until(&self.positions(a), &self.positions(b), true),
            Formula::Release(a, b) => {
                let (a, b) = (self.positions(a), self.positions(b));
                let both: Vec<bool> = each(&|i| a[i] && b[i]);
                self.until(&b, &both, true)
            }
        }
    }

    /// The fixpoint of "the second, or the first and the same in the next position": the least one, or the greatest.
    fn until(&self, a: &[bool], b: &[bool], greatest: bool) -> Vec<bool> {
        let mut holds = vec![greatest; self.len()];
        loop {
            let better: Vec<bool> = (0..self.len()).map(|i| b[i] || (a[i] && holds[self.after(i)])).collect();
            if better == holds {
                return holds;
            }
            holds = better;
        }
    }
}

impl Buchi {
    /// Whether the automaton accepts the word: whether the product of both has a reachable cycle through an accepting
    /// state.
    pub fn accepts(&self, word: &Word) -> bool {
        let node = |state: usize, position: usize| state * word.len() + position;
        let mut successors: Vec<Vec<usize>> = vec![Vec::new(); self.states.len() * word.len()];
        let mut seen = vec![false; successors.len()];
        let mut open = vec![(self.initial, 0)];
        seen[node(self.initial, 0)] = true;
        while let Some((state, position)) = open.pop() {
            for edge in &self.states[state].edges {
                if edge.label.holds(word.letter(position)) {
                    let next = (edge.to, word.after(position));
                    successors[node(state, position)].push(node(next.0, next.1));
                    if !std::mem::replace(&mut seen[node(next.0, next.1)], true) {
                        open.push(next);
                    }
                }
            }
        }
        let (component, _) = strong_components(&successors);
        (0..successors.len()).any(|n| {
            let accepting = self.states[n / word.len()].accepting;
            accepting && seen[n] && self.lies_on_a_cycle(n, &successors, &component)
        })
    }

    fn lies_on_a_cycle(&self, node: usize, successors: &[Vec<usize>], component: &[usize]) -> bool {
        // In a component of several nodes each has a successor inside; alone it needs an edge to itself.
        successors[node].iter().any(|next| component[*next] == component[node])
    }
}
