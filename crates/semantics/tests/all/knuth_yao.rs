//! Knuth and Yao's die from coins: probabilistic destinations, from the builder to an exact solution.

use crate::common;
use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;

use bughound_ir::builder::{EdgeSpec, NetworkBuilder, TemplateBuilder};
use bughound_ir::expr::Expr;
use bughound_ir::network::Network;
use bughound_ir::types::ValueType;
use bughound_kernel::{Outcome, State, TransitionSystem};
use bughound_semantics::DiscreteSystem;

/// A coin is thrown in each of seven locations; the six others are the faces, which `die` shows.
fn die() -> Network {
    let mut net = NetworkBuilder::new("die");
    let die = net.global("die", ValueType::Range { lo: 0, hi: 6 });
    let mut p = TemplateBuilder::new("coins");
    let toss: Vec<_> = (0..7).map(|n| p.location(format!("s{n}"))).collect();
    let face: Vec<_> = (1..=6).map(|n| p.location(format!("face{n}"))).collect();
    for f in &face {
        p.location_mut(*f).flags.end = true;
    }
    for (from, heads, tails) in [(0, 1, 2), (1, 3, 4), (2, 5, 6)] {
        p.edge(EdgeSpec::new(toss[from], toss[heads]).probability(1, 2).or(toss[tails], 1, 2));
    }
    let back = |from: usize, to: usize, n: usize| {
        let edge = EdgeSpec::new(toss[from], toss[to]).probability(1, 2).or(face[n - 1], 1, 2);
        edge.assign(die.clone(), Expr::Const(n as i32))
    };
    p.edge(back(3, 1, 1));
    p.edge(back(6, 2, 6));
    for (from, heads, tails) in [(4, 2, 3), (5, 4, 5)] {
        let edge = EdgeSpec::new(toss[from], face[heads - 1]).probability(1, 2);
        let edge = edge.assign(die.clone(), Expr::Const(heads as i32)).or(face[tails - 1], 1, 2);
        p.edge(edge.assign(die.clone(), Expr::Const(tails as i32)));
    }
    let p = net.template(p, toss[0]);
    net.start(p, vec![]);
    net.finish().unwrap()
}

/// An exact fraction.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Exact(i128, i128);

impl Exact {
    fn new(numerator: i128, denominator: i128) -> Exact {
        let (mut a, mut b) = (numerator.abs(), denominator.abs());
        while b != 0 {
            (a, b) = (b, a % b);
        }
        let sign = denominator.signum();
        Exact(sign * numerator / a, sign * denominator / a)
    }

    /// Of a probability that is a multiple of 2^-20.
    fn from_probability(p: f64) -> Exact {
        let scaled = p * f64::from(1 << 20);
        assert_eq!(scaled, scaled.trunc());
        Exact::new(scaled as i128, 1 << 20)
    }

    fn minus(self, other: Exact) -> Exact {
        Exact::new(self.0 * other.1 - other.0 * self.1, self.1 * other.1)
    }

    fn times(self, other: Exact) -> Exact {
        Exact::new(self.0 * other.0, self.1 * other.1)
    }

    fn over(self, other: Exact) -> Exact {
        Exact::new(self.0 * other.1, self.1 * other.0)
    }
}

const ZERO: Exact = Exact(0, 1);
const ONE: Exact = Exact(1, 1);

/// Solves a system of linear equations; the last column is the right side.
fn solve(mut rows: Vec<Vec<Exact>>) -> Vec<Exact> {
    let n = rows.len();
    for at in 0..n {
        let pivot = (at..n).find(|r| rows[*r][at] != ZERO).expect("one solution");
        rows.swap(at, pivot);
        let scale = rows[at][at];
        rows[at].iter_mut().for_each(|x| *x = x.over(scale));
        let row = rows[at].clone();
        for (_, other) in rows.iter_mut().enumerate().filter(|(r, _)| *r != at) {
            let factor = other[at];
            other.iter_mut().zip(&row).for_each(|(x, y)| *x = x.minus(factor.times(*y)));
        }
    }
    rows.iter().map(|row| row[n]).collect()
}

/// By state: its successors with their probabilities, as the engine tells them.
fn chain(network: &Network, states: &[Vec<i32>]) -> Vec<Vec<(usize, Exact)>> {
    let number: HashMap<&[i32], usize> = states.iter().enumerate().map(|(n, key)| (&key[..], n)).collect();
    let system = DiscreteSystem::new(network.clone(), &[]);
    let mut explorer = system.explorer();
    let successors = |key: &Vec<i32>| {
        let mut choices: BTreeMap<u32, Vec<(usize, Exact)>> = BTreeMap::new();
        explorer.successors(State::discrete(key), &mut |step| {
            let Outcome::State(to) = step.outcome else { panic!("nothing fails here") };
            let probability = Exact::from_probability(step.probability);
            choices.entry(step.choice).or_default().push((number[to.key], probability));
            ControlFlow::Continue(())
        });
        assert!(choices.len() <= 1, "the die leaves nothing to choose");
        choices.into_values().next().unwrap_or_default()
    };
    states.iter().map(successors).collect()
}

#[test]
fn every_face_has_probability_one_sixth() {
    let network = die();
    let states = common::compare(&network, usize::MAX).unwrap();
    assert_eq!(states.len(), 13);
    let chain = chain(&network, &states);
    let shown = |state: usize| states[state][network.variables[0].slot as usize];
    for face in 1..=6 {
        // p(s) = 1 at the face, 0 at other faces, else the weighted sum over the successors.
        let mut rows = vec![vec![ZERO; states.len() + 1]; states.len()];
        for (state, row) in rows.iter_mut().enumerate() {
            row[state] = ONE;
            for (to, probability) in &chain[state] {
                row[*to] = row[*to].minus(*probability);
            }
            if chain[state].is_empty() && shown(state) == face {
                row[states.len()] = ONE;
            }
        }
        assert_eq!(solve(rows)[0], Exact(1, 6), "face {face}");
    }
}
