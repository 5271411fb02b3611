//! Chains by dense linear algebra in fractions.

use bughound_markov::{Extended, RBig, StateSet};

pub type Matrix = Vec<Vec<RBig>>;

/// Solves A·x = b by Gauss–Jordan elimination; A is regular.
pub fn solve(mut a: Matrix, mut b: Vec<RBig>) -> Vec<RBig> {
    let n = b.len();
    for column in 0..n {
        let pivot = (column..n).find(|&row| !a[row][column].is_zero()).expect("the system is regular");
        a.swap(column, pivot);
        b.swap(column, pivot);
        let inverse = RBig::ONE / &a[column][column];
        a[column].iter_mut().for_each(|x| *x *= &inverse);
        b[column] *= &inverse;
        for row in (0..n).filter(|&row| row != column) {
            let factor = a[row][column].clone();
            if factor.is_zero() {
                continue;
            }
            let (own, other) = (a[column].clone(), &mut a[row]);
            other.iter_mut().zip(&own).for_each(|(x, y)| *x -= &factor * y);
            let change = &factor * &b[column];
            b[row] -= change;
        }
    }
    b
}

/// reach[i][j]: j can be reached from i in any number of steps, through states where `through` holds before the last.
pub fn reachable(p: &Matrix, through: impl Fn(usize) -> bool) -> Vec<Vec<bool>> {
    let n = p.len();
    let mut reach: Vec<Vec<bool>> =
        (0..n).map(|i| (0..n).map(|j| i == j || (through(i) && !p[i][j].is_zero())).collect()).collect();
    for k in 0..n {
        for i in 0..n {
            for j in 0..n {
                reach[i][j] |= reach[i][k] && reach[k][j] && (through(k) || k == j);
            }
        }
    }
    reach
}

/// x = c + P·x on `unknown`, other states having the value given.
fn linear(p: &Matrix, c: &[RBig], unknown: &[usize], fixed: &[RBig]) -> Vec<RBig> {
    let mut values = fixed.to_vec();
    let a = unknown
        .iter()
        .map(|&i| unknown.iter().map(|&j| if i == j { RBig::ONE - &p[i][j] } else { -p[i][j].clone() }).collect())
        .collect();
    let b = unknown
        .iter()
        .map(|&i| {
            let known = (0..p.len()).filter(|j| !unknown.contains(j));
            known.fold(c[i].clone(), |sum, j| sum + &p[i][j] * &fixed[j])
        })
        .collect();
    for (&i, value) in unknown.iter().zip(solve(a, b)) {
        values[i] = value;
    }
    values
}

pub fn until(p: &Matrix, left: &StateSet, right: &StateSet) -> Vec<RBig> {
    let n = p.len();
    let reach = reachable(p, |i| left.contains(i) && !right.contains(i));
    let unknown: Vec<usize> =
        (0..n).filter(|&i| left.contains(i) && !right.contains(i) && right.iter().any(|j| reach[i][j])).collect();
    let fixed: Vec<RBig> = (0..n).map(|i| if right.contains(i) { RBig::ONE } else { RBig::ZERO }).collect();
    linear(p, &vec![RBig::ZERO; n], &unknown, &fixed)
}

/// Expected sum of c until a target; infinite where it may be missed.
pub fn reward(p: &Matrix, c: &[RBig], target: &StateSet) -> Vec<Extended> {
    let n = p.len();
    let certain = until(p, &StateSet::all(n), target);
    let unknown: Vec<usize> = (0..n).filter(|&i| certain[i] == RBig::ONE && !target.contains(i)).collect();
    let values = linear(p, c, &unknown, &vec![RBig::ZERO; n]);
    let finite = |i: usize| certain[i] == RBig::ONE;
    (0..n).map(|i| if finite(i) { Extended::Finite(values[i].clone()) } else { Extended::Infinite }).collect()
}

/// Bottom components, as sets.
pub fn bottoms(p: &Matrix) -> Vec<Vec<usize>> {
    let n = p.len();
    let reach = reachable(p, |_| true);
    let recurrent = |i: usize| (0..n).all(|j| !reach[i][j] || reach[j][i]);
    let mut found: Vec<Vec<usize>> = Vec::new();
    for i in (0..n).filter(|&i| recurrent(i)) {
        if !found.iter().any(|component| component.contains(&i)) {
            found.push((0..n).filter(|&j| reach[i][j]).collect());
        }
    }
    found
}

pub fn total(p: &Matrix, c: &[RBig]) -> Vec<Extended> {
    let n = p.len();
    let reach = reachable(p, |_| true);
    let recurrent: Vec<usize> = bottoms(p).into_iter().flatten().collect();
    let forever = |i: usize| recurrent.iter().any(|&j| reach[i][j] && !c[j].is_zero());
    let unknown: Vec<usize> = (0..n).filter(|i| !recurrent.contains(i) && !forever(*i)).collect();
    let values = linear(p, c, &unknown, &vec![RBig::ZERO; n]);
    (0..n).map(|i| if forever(i) { Extended::Infinite } else { Extended::Finite(values[i].clone()) }).collect()
}

/// Average of c per unit of time, where a visit takes `time`.
pub fn average(p: &Matrix, c: &[RBig], time: &[RBig]) -> Vec<RBig> {
    let n = p.len();
    let mut result = vec![RBig::ZERO; n];
    for component in bottoms(p) {
        // π = π·P, one equation replaced by Σ π = 1.
        let k = component.len();
        let mut a: Matrix = component
            .iter()
            .map(|&j| component.iter().map(|&i| if i == j { &p[i][j] - RBig::ONE } else { p[i][j].clone() }).collect())
            .collect();
        a[k - 1] = vec![RBig::ONE; k];
        let mut b = vec![RBig::ZERO; k];
        b[k - 1] = RBig::ONE;
        let visits = solve(a, b);
        let sum = |of: &[RBig]| component.iter().zip(&visits).fold(RBig::ZERO, |sum, (&i, v)| sum + &of[i] * v);
        let average = sum(c) / sum(time);
        let ends = until(p, &StateSet::all(n), &StateSet::from_states(n, component));
        result.iter_mut().zip(ends).for_each(|(value, end)| *value += &average * end);
    }
    result
}
