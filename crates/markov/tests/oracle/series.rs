//! Continuous time by Taylor series in fractions, with a bound for the rest.

use bughound_markov::RBig;

use super::chain::Matrix;

/// Σ tⁱ/i! Qⁱ v (shift 0), or its integral over time, Σ tⁱ⁺¹/(i+1)! Qⁱ v (shift 1), and how far off it may be.
pub fn series(q: &Matrix, time: &RBig, v: &[RBig], shift: u32) -> (Vec<RBig>, RBig) {
    let n = v.len();
    let mut term: Vec<RBig> = v.to_vec();
    if shift == 1 {
        term.iter_mut().for_each(|x| *x *= time);
    }
    let norm = |rows: &Matrix| {
        let sums = rows
            .iter()
            .map(|row| row.iter().fold(RBig::ZERO, |s, x| s + if *x < RBig::ZERO { -x.clone() } else { x.clone() }));
        sums.max().unwrap_or(RBig::ZERO)
    };
    let size = norm(q) * time;
    let biggest =
        |v: &[RBig]| v.iter().map(|x| if *x < RBig::ZERO { -x.clone() } else { x.clone() }).max().unwrap_or(RBig::ZERO);
    let mut sum = term.clone();
    let mut bound = biggest(&term);
    let small = RBig::from_parts(1.into(), dashu_int::UBig::from(10u8).pow(40));
    let mut i = 0u32;
    loop {
        i += 1;
        let factor = time / RBig::from(i + shift);
        term = (0..n).map(|row| (0..n).fold(RBig::ZERO, |s, j| s + &q[row][j] * &term[j]) * &factor).collect();
        sum.iter_mut().zip(&term).for_each(|(sum, term)| *sum += term);
        bound = bound * &size / RBig::from(i + shift);
        // Ratios are below 1/2 from here: the rest is less than the last bound.
        if bound < small && size < RBig::from(i / 2) {
            return (sum, bound);
        }
    }
}
