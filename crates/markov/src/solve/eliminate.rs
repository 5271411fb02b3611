//! State elimination: the values of a chain with exits, without iterating and without subtracting.
//!
//! Daws, *Symbolic and parametric model checking of discrete-time Markov chains* (ICTAC 2004), with the subtraction-free pivot
//! of Grassmann, Taksar and Heyman (1985): 1 − P(s,s) is the sum of what leaves s. On fractions the result is exact. On
//! intervals each operation widens by a few units in the last place; but intervals do not know that a number is divided by a sum
//! in which it occurs, so that they may widen by a factor from state to state in long chains. On plain numbers that never
//! underflow the result is always near, because nothing cancels; how near is counted (`counted.rs`). States are eliminated least
//! fill first (Markowitz). It gives up if the budget is spent or if some states never leave.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::numbers::Scalar;

/// What elimination may cost. An operation on large fractions counts as many.
pub(crate) struct Budget<'a> {
    pub operations: u64,
    pub bits: usize,
    pub stop: &'a dyn Fn() -> bool,
    pub used: u64,
}

impl Budget<'_> {
    /// Spends operations; false if there are too few left.
    pub fn spend(&mut self, operations: usize) -> bool {
        let before = self.used;
        self.used += operations as u64;
        // Asking the clock for every operation would cost more than the operation.
        self.used <= self.operations && (before >> 12 == self.used >> 12 || !(self.stop)())
    }
}

/// A chain whose rows lead to each other or leave.
pub(crate) struct Chain<N> {
    /// Entries to other states, ascending, without self-loops.
    pub rows: Vec<Vec<(u32, N)>>,
    /// What is earned at once.
    pub constant: Vec<N>,
    /// Probability to leave the chain.
    pub leak: Vec<N>,
}

/// The expected sum of constants from each state until the chain is left.
pub(crate) fn eliminate<N: Scalar>(chain: Chain<N>, budget: &mut Budget) -> Option<Vec<N>> {
    eliminate_counting(chain, budget).map(|(values, _)| values)
}

/// The same, and a bound of how many roundings the relative error of a value is made of. A step that eliminates one state with
/// k entries changes every number of the others by at most k+4 roundings (the sum of the row, a quotient, a product, a sum).
/// Values are quotients of sums of products of these numbers, at most m above and m below if m states are left (the matrix-tree
/// theorem; O'Cinneide, *Entrywise perturbation theory and error analysis for Markov chains*, 1993), and no term is negative.
pub(crate) fn eliminate_counting<N: Scalar>(mut chain: Chain<N>, budget: &mut Budget) -> Option<(Vec<N>, f64)> {
    let n = chain.rows.len();
    let mut roundings = 0.0;
    let mut before: Vec<Vec<u32>> = vec![Vec::new(); n];
    for (state, row) in chain.rows.iter().enumerate() {
        row.iter().for_each(|(target, _)| before[*target as usize].push(state as u32));
    }
    let cost = |chain: &Chain<N>, before: &[Vec<u32>], state: usize| {
        (chain.rows[state].len() as u64 + 1) * (before[state].len() as u64)
    };
    let mut queue: BinaryHeap<Reverse<(u64, u32)>> =
        (0..n).map(|state| Reverse((cost(&chain, &before, state), state as u32))).collect();
    let mut gone = vec![false; n];
    let mut order = Vec::with_capacity(n);
    let mut pivots: Vec<N> = vec![N::zero(); n];
    while let Some(Reverse((old, state))) = queue.pop() {
        let s = state as usize;
        if gone[s] {
            continue;
        }
        before[s].retain(|&source| !gone[source as usize]);
        let now = cost(&chain, &before, s);
        // Fill-in has made it dearer: look at the others first.
        if now > old && queue.peek().is_some_and(|Reverse((least, _))| *least < now) {
            queue.push(Reverse((now, state)));
            continue;
        }
        let pivot = chain.rows[s].iter().fold(chain.leak[s].clone(), |sum, (_, weight)| sum.plus(weight));
        if pivot.is_zero() || pivot.bits() > budget.bits {
            return None;
        }
        let row = std::mem::take(&mut chain.rows[s]);
        let sources = std::mem::take(&mut before[s]);
        if !budget.spend(((row.len() + 3) * sources.len() + row.len() + 1) * (1 + pivot.bits() / 64)) {
            return None;
        }
        for &source in &sources {
            let u = source as usize;
            let Ok(place) = chain.rows[u].binary_search_by_key(&state, |&(target, _)| target) else { continue };
            let (_, weight) = chain.rows[u].remove(place);
            let factor = weight.over(&pivot);
            let old_row = std::mem::take(&mut chain.rows[u]);
            chain.rows[u] = merged(old_row, &row, &factor, source, |target| before[target as usize].push(source));
            if !chain.constant[s].is_zero() {
                chain.constant[u] = chain.constant[u].plus(&factor.times(&chain.constant[s]));
            }
            if !chain.leak[s].is_zero() {
                chain.leak[u] = chain.leak[u].plus(&factor.times(&chain.leak[s]));
            }
            if chain.constant[u].bits() > budget.bits {
                return None;
            }
            queue.push(Reverse((cost(&chain, &before, u), source)));
        }
        gone[s] = true;
        let (entries, left) = (row.len() as f64, (n - order.len()) as f64);
        // Its value is a quotient of two sums of as many terms when it is put together again.
        roundings += 2.0 * left * (entries + 4.0) + 2.0 * entries + 4.0;
        pivots[s] = pivot;
        chain.rows[s] = row;
        order.push(s);
    }
    let mut values: Vec<N> = vec![N::zero(); n];
    for &s in order.iter().rev() {
        let sum = chain.rows[s].iter().fold(chain.constant[s].clone(), |sum, (target, weight)| {
            sum.plus(&weight.times(&values[*target as usize]))
        });
        values[s] = sum.over(&pivots[s]);
        if !budget.spend((chain.rows[s].len() + 1) * (1 + values[s].bits() / 64)) || values[s].bits() > budget.bits {
            return None;
        }
    }
    Some((values, roundings))
}

/// `row` + `factor` · `added`, without entries to `own`; `fresh` is told of targets that `row` did not have.
fn merged<N: Scalar>(
    row: Vec<(u32, N)>,
    added: &[(u32, N)],
    factor: &N,
    own: u32,
    mut fresh: impl FnMut(u32),
) -> Vec<(u32, N)> {
    let mut result = Vec::with_capacity(row.len() + added.len());
    let mut rest = row.into_iter().peekable();
    for (target, weight) in added {
        while let Some(entry) = rest.next_if(|(known, _)| known < target) {
            result.push(entry);
        }
        let weight = || factor.times(weight);
        if let Some((_, known)) = rest.next_if(|(known, _)| known == target) {
            result.push((*target, known.plus(&weight())));
        } else if *target != own {
            fresh(*target);
            result.push((*target, weight()));
        }
    }
    result.extend(rest);
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbers::Interval;
    use dashu_ratio::RBig;

    fn budget() -> Budget<'static> {
        Budget { operations: u64::MAX, bits: usize::MAX, stop: &|| false, used: 0 }
    }

    fn fraction(n: i64, d: i64) -> RBig {
        RBig::from_parts_signed(n.into(), d.into())
    }

    /// A fair walk on 1..n−1 that ends at 0 and at n; wins at n.
    fn walk<N: Scalar>(n: usize, half: N) -> Chain<N> {
        let mut chain = Chain { rows: Vec::new(), constant: Vec::new(), leak: Vec::new() };
        for place in 1..n {
            let mut row = Vec::new();
            if place > 1 {
                row.push((place as u32 - 2, half.clone()));
            }
            if place + 1 < n {
                row.push((place as u32, half.clone()));
            }
            chain.rows.push(row);
            chain.constant.push(if place + 1 == n { half.clone() } else { N::zero() });
            chain.leak.push(if place + 1 == n || place == 1 { half.clone() } else { N::zero() });
        }
        chain
    }

    #[test]
    fn the_gambler_wins_in_proportion() {
        let n = 40;
        let exact = eliminate(walk(n, fraction(1, 2)), &mut budget()).unwrap();
        let near = eliminate(walk(n, Interval::around(&fraction(1, 2))), &mut budget()).unwrap();
        for place in 1..n {
            assert_eq!(exact[place - 1], fraction(place as i64, n as i64));
            assert!(near[place - 1].contains(&exact[place - 1]));
            assert!(near[place - 1].is_within(1e-12, 0.0));
        }
    }

    #[test]
    fn it_gives_up_on_traps_and_budgets() {
        let trap = Chain {
            rows: vec![vec![(1, RBig::ONE)], vec![(0, RBig::ONE)]],
            constant: vec![RBig::ONE, RBig::ZERO],
            leak: vec![RBig::ZERO, RBig::ZERO],
        };
        assert!(eliminate(trap, &mut budget()).is_none());
        assert!(eliminate(walk(40, fraction(1, 2)), &mut Budget { operations: 20, ..budget() }).is_none());
        assert!(eliminate(walk(40, fraction(1, 3)), &mut Budget { bits: 8, ..budget() }).is_none());
    }
}
