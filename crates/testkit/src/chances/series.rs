//! Chains in continuous time: the power series of the matrix exponential, in fractions, with a bound on what is cut off.

use dashu_ratio::RBig;

use crate::chances::meaning::fraction;
use crate::chances::space::Space;

/// What is expected of `values` after this time (or, as an integral, up to it), and how much that misses at most. States that
/// do not move keep their value.
pub fn after(
    space: &Space,
    moves: &dyn Fn(usize) -> bool,
    time: &RBig,
    values: &[RBig],
    integral: bool,
) -> (Vec<RBig>, RBig) {
    let n = space.len();
    let mut norm = RBig::ZERO;
    let mut rows: Vec<Vec<(usize, RBig)>> = Vec::new();
    for state in 0..n {
        let mut row = Vec::new();
        let mut leaves = RBig::ZERO;
        for (target, chance) in &space.rows[state][0].to {
            if *target != state && moves(state) {
                let rate = chance * &space.exits[state];
                leaves += &rate;
                row.push((*target, rate));
            }
        }
        // The absolute values of a row sum up to twice the rate at which it is left.
        let own = &leaves * RBig::from(2);
        if own > norm {
            norm = own;
        }
        row.push((state, -leaves));
        rows.push(row);
    }
    let largest = values.iter().map(|v| if *v < RBig::ZERO { -v } else { v.clone() }).max().unwrap_or_default();
    let x = norm * time;
    let wanted = fraction(1, 1_000_000_000) * fraction(1, 1_000_000_000);
    // term = Q^k·values, factor = t^k / k!, bound on |term|·factor = x^k / k! · largest.
    let mut term = values.to_vec();
    let mut factor = RBig::ONE;
    let mut bound = largest;
    let mut sum = vec![RBig::ZERO; n];
    for k in 1_i64.. {
        let weight = if integral { &factor * time / RBig::from(k) } else { factor.clone() };
        for (sum, term) in sum.iter_mut().zip(&term) {
            *sum += term * &weight;
        }
        let next = |row: &Vec<(usize, RBig)>| row.iter().fold(RBig::ZERO, |sum, (t, rate)| sum + rate * &term[*t]);
        term = rows.iter().map(next).collect();
        factor = factor * time / RBig::from(k);
        bound = bound * &x / RBig::from(k);
        // From here on, each bound is at most half of the one before.
        if RBig::from(k) > &x * RBig::from(2) && bound < wanted {
            break;
        }
    }
    let rest = bound * RBig::from(2);
    (sum, if integral { rest * time } else { rest })
}
