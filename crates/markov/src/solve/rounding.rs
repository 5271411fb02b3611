//! Sums of products of numbers that are not negative, rounded outward once per sum instead of once per operation.
//!
//! Higham, *Accuracy and Stability of Numerical Algorithms* (2002), §3.1: n products and n additions in round-to-nearest have a
//! relative error of at most n·u/(1−n·u) with u = 2⁻⁵³, whatever the order, if no term is negative and nothing underflows. One
//! multiplication by 1 ∓ (n+4)·2⁻⁵² covers that and its own rounding. Near underflow the bounds are coarser but still bounds.

/// Below this, products may have underflowed.
const TINY: f64 = 1e-290;

/// A bound from below for a computed sum of `n` products.
#[inline]
pub(crate) fn shrunk(sum: f64, n: usize) -> f64 {
    if sum < TINY { 0.0 } else { sum.min(f64::MAX) * (1.0 - (n as f64 + 4.0) * f64::EPSILON) }
}

/// A bound from above for a computed sum of `n` products, not all of which are zero.
#[inline]
pub(crate) fn grown(sum: f64, n: usize) -> f64 {
    if sum < TINY { TINY } else { sum * (1.0 + (n as f64 + 4.0) * f64::EPSILON) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dashu_ratio::RBig;

    #[test]
    fn bounds_of_sums_are_bounds() {
        // Numbers without a pattern: the sequence n·φ mod 1.
        for n in [1usize, 2, 5, 100, 1000] {
            let numbers: Vec<f64> = (1..=n).map(|i| (i as f64 * 0.618_033_988_749_894_9).fract()).collect();
            let others: Vec<f64> = (1..=n).map(|i| (i as f64 * 0.414_213_562_373_095).fract()).collect();
            let sum: f64 = numbers.iter().zip(&others).map(|(a, b)| a * b).sum();
            let exact = numbers
                .iter()
                .zip(&others)
                .fold(RBig::ZERO, |sum, (&a, &b)| sum + RBig::try_from(a).unwrap() * RBig::try_from(b).unwrap());
            assert!(
                RBig::try_from(shrunk(sum, n)).unwrap() <= exact && exact <= RBig::try_from(grown(sum, n)).unwrap()
            );
            assert!(grown(sum, n) - shrunk(sum, n) <= 4.0 * (n as f64 + 5.0) * f64::EPSILON * sum);
        }
        assert_eq!(shrunk(5e-324, 1), 0.0);
        assert!(grown(0.0, 1) > 0.0);
    }
}
