//! Formulas by tableau: the classical construction, with no thought for size.
//!
//! Beside each state of a run stands a guess of which temporal subformulas are true there. A guess must be consistent: `X
//! a` is true if `a` is true in the next state; `a U b` if `b` is, or `a` is and `a U b` is true in the next state; and
//! one that is true must not be put off for ever, which is a condition on infinite runs: again and again `a U b` is
//! false, or `b` is true. The other operators are defined by these (Lichtenstein and Pnueli 1985; Clarke, Grumberg, Peled
//! 1999, ch. 6).

use std::collections::HashMap;

use crate::liveness::components::{Arc, Product};
use crate::liveness::formulas::Ltl;
use crate::liveness::graph::{Graph, Letter};

/// Subformulas by number; parts come before the whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Node {
    True,
    Atom(usize),
    Not(usize),
    And(usize, usize),
    /// With its number among the temporal ones.
    Next(usize, usize),
    Until(usize, usize, usize),
}

#[derive(Default)]
struct Closure {
    nodes: Vec<Node>,
    temporal: usize,
}

impl Closure {
    fn add(&mut self, node: Node) -> usize {
        self.nodes.iter().position(|known| *known == node).unwrap_or_else(|| {
            self.nodes.push(node);
            self.nodes.len() - 1
        })
    }

    fn not(&mut self, a: usize) -> usize {
        match self.nodes[a] {
            Node::Not(inner) => inner,
            _ => self.add(Node::Not(a)),
        }
    }

    fn or(&mut self, a: usize, b: usize) -> usize {
        let (a, b) = (self.not(a), self.not(b));
        let and = self.add(Node::And(a, b));
        self.not(and)
    }

    fn until(&mut self, a: usize, b: usize) -> usize {
        let same = |node: &Node| matches!(node, Node::Until(_, left, right) if (*left, *right) == (a, b));
        self.nodes.iter().position(same).unwrap_or_else(|| {
            self.temporal += 1;
            self.nodes.push(Node::Until(self.temporal - 1, a, b));
            self.nodes.len() - 1
        })
    }

    fn next(&mut self, a: usize) -> usize {
        let same = |node: &Node| matches!(node, Node::Next(_, part) if *part == a);
        self.nodes.iter().position(same).unwrap_or_else(|| {
            self.temporal += 1;
            self.nodes.push(Node::Next(self.temporal - 1, a));
            self.nodes.len() - 1
        })
    }

    /// The number of a formula, with everything that it needs.
    fn formula(&mut self, formula: &Ltl) -> usize {
        let parts: Vec<usize> = formula.parts().into_iter().map(|part| self.formula(part)).collect();
        let (a, b) = (parts.first().copied().unwrap_or(0), parts.get(1).copied().unwrap_or(0));
        match formula {
            Ltl::True => self.add(Node::True),
            Ltl::Atom(n) => self.add(Node::Atom(*n)),
            Ltl::Not(_) => self.not(a),
            Ltl::And(..) => self.add(Node::And(a, b)),
            Ltl::Or(..) => self.or(a, b),
            Ltl::Implies(..) => {
                let not_a = self.not(a);
                self.or(not_a, b)
            }
            Ltl::Equivalent(..) => {
                let (not_a, not_b) = (self.not(a), self.not(b));
                let (both, neither) = (self.add(Node::And(a, b)), self.add(Node::And(not_a, not_b)));
                self.or(both, neither)
            }
            Ltl::Next(_) => self.next(a),
            Ltl::Eventually(_) => {
                let anything = self.add(Node::True);
                self.until(anything, a)
            }
            Ltl::Always(_) => {
                let (anything, not_a) = (self.add(Node::True), self.not(a));
                let refuted = self.until(anything, not_a);
                self.not(refuted)
            }
            Ltl::Until(..) => self.until(a, b),
            Ltl::WeakUntil(..) => {
                // Not: b fails up to a state in which a fails as well.
                let (not_a, not_b) = (self.not(a), self.not(b));
                let neither = self.add(Node::And(not_a, not_b));
                let lost = self.until(not_b, neither);
                self.not(lost)
            }
            Ltl::Release(..) => {
                let (not_a, not_b) = (self.not(a), self.not(b));
                let lost = self.until(not_a, not_b);
                self.not(lost)
            }
        }
    }
}

/// A guess at a state, with all that follows from it.
#[derive(Clone, Copy, Debug)]
struct Guess {
    /// Of the temporal subformulas, those of which the next state decides, and what it must say.
    asked: u64,
    wanted: u64,
    /// What this state says about them to the one before: `a` for `X a`, itself for an until.
    said: u64,
    /// Conditions fulfilled: the until is false, or its right side is true.
    fulfils: u64,
    /// The formula is true here.
    whole: bool,
}

impl Closure {
    /// All consistent guesses at a state where these atoms hold. What has no value is guessed, too.
    fn guesses(&self, root: usize, letter: Letter) -> Vec<Guess> {
        let all = letter.completions().flat_map(|holds| (0..1 << self.temporal).map(move |bits| (holds, bits)));
        all.filter_map(|(holds, bits)| self.guess(root, holds, bits)).collect()
    }

    fn guess(&self, root: usize, letter: u64, bits: u64) -> Option<Guess> {
        let mut values = vec![false; self.nodes.len()];
        for (at, node) in self.nodes.iter().enumerate() {
            values[at] = match *node {
                Node::True => true,
                Node::Atom(n) => letter >> n & 1 == 1,
                Node::Not(a) => !values[a],
                Node::And(a, b) => values[a] && values[b],
                Node::Next(bit, _) | Node::Until(bit, ..) => bits >> bit & 1 == 1,
            };
        }
        let mut guess = Guess { asked: 0, wanted: 0, said: 0, fulfils: 0, whole: values[root] };
        for (at, node) in self.nodes.iter().enumerate() {
            match *node {
                Node::Next(bit, a) => {
                    guess.asked |= 1 << bit;
                    guess.wanted |= u64::from(values[at]) << bit;
                    guess.said |= u64::from(values[a]) << bit;
                    guess.fulfils |= 1 << bit;
                }
                Node::Until(bit, a, b) => {
                    match (values[a], values[b]) {
                        (_, true) if !values[at] => return None,
                        (false, false) if values[at] => return None,
                        (true, false) => {
                            guess.asked |= 1 << bit;
                            guess.wanted |= u64::from(values[at]) << bit;
                        }
                        _ => {}
                    }
                    guess.said |= u64::from(values[at]) << bit;
                    guess.fulfils |= u64::from(!values[at] || values[b]) << bit;
                }
                _ => {}
            }
        }
        Some(guess)
    }
}

/// The runs that satisfy a formula, as a product with the graph: letters, by state, say which atoms hold.
///
/// `None` if it has more arcs than `most`.
fn satisfying(graph: &Graph<'_>, letters: &[Letter], rest: bool, formula: &Ltl, most: usize) -> Option<Product> {
    let mut closure = Closure::default();
    let root = closure.formula(formula);
    if closure.temporal > 16 {
        return None;
    }
    let mut by_letter: HashMap<Letter, Vec<Guess>> = HashMap::new();
    for letter in letters {
        by_letter.entry(*letter).or_insert_with(|| closure.guesses(root, *letter));
    }
    let guesses = |state: usize| &by_letter[&letters[state]];
    let arcs = graph.arcs_with_rest(rest);
    let mut product = Product { conditions: (1 << closure.temporal) - 1, ..Product::default() };
    let mut numbers: HashMap<(usize, usize), usize> = HashMap::new();
    let mut nodes: Vec<(usize, usize)> = Vec::new();
    for (at, guess) in guesses(0).iter().enumerate() {
        if guess.whole {
            numbers.insert((0, at), nodes.len());
            nodes.push((0, at));
        }
    }
    let mut work = 0;
    while product.arcs.len() < nodes.len() {
        let (state, guess) = nodes[product.arcs.len()];
        let guess = guesses(state)[guess];
        let mut found = Vec::new();
        for arc in &arcs[state] {
            work += guesses(arc.to).len();
            for (at, next) in guesses(arc.to).iter().enumerate() {
                if (next.said ^ guess.wanted) & guess.asked != 0 {
                    continue;
                }
                let to = *numbers.entry((arc.to, at)).or_insert_with(|| {
                    nodes.push((arc.to, at));
                    nodes.len() - 1
                });
                found.push(Arc { to, moved: arc.moved });
            }
        }
        if work > most {
            return None;
        }
        product.arcs.push(found);
        product.unable.push(graph.unable[state]);
        product.fulfils.push(guess.fulfils);
    }
    Some(product)
}

/// What is to be decided.
#[derive(Clone, Copy, Debug)]
pub struct Runs {
    /// Only weakly fair runs count.
    pub fair: bool,
    /// A run that comes to rest counts: it stays as it is for ever.
    pub rest: bool,
}

/// More work than this is not spent on one formula.
const MOST: usize = 20_000_000;

/// Is the formula false of some run, if conditions without a value may have any? `None`: that would take too long to find out.
pub fn is_violated(graph: &Graph<'_>, letters: &[Letter], formula: &Ltl, runs: Runs) -> Option<bool> {
    let negated = formula.clone().negated();
    let product = satisfying(graph, letters, runs.rest, &negated, MOST)?;
    Some(product.has_run(if runs.fair { graph.processes } else { 0 }))
}

#[cfg(test)]
mod tests;
