//! Inclusion up to simulation, after Herbreteau, Srivathsan, Walukiewicz, "Better abstractions for timed automata" (2012).
//!
//! A point is simulated by another one if each clock has the same value in both, or is smaller in the other but still
//! above all its lower constants, or larger in the other but already above all its upper constants: then the other one
//! can go wherever the first can go. Zones need not be extrapolated to profit from this: a zone is superfluous if each of
//! its points is simulated by some point of a zone already seen. The set of points simulated by a zone is not convex, but
//! whether a zone is in it can be seen by looking at pairs of clocks.

use crate::bound::INFINITE;
use crate::extrapolate::check_constants;
use crate::zone::Zone;

impl Zone<'_> {
    /// Is each point of this zone simulated by a point of the other one, given the largest lower and upper constants of
    /// the clocks (see [`extrapolate_lower_upper`](crate::ZoneMut::extrapolate_lower_upper))? That is: is this zone in
    /// `a_LU` of the other one?
    ///
    /// Takes quadratic time. Sound for reachability only, and only if guards do not compare differences of clocks. Two
    /// zones can include each other in this way without being equal.
    pub fn is_simulated_by(self, other: Zone<'_>, lower: &[i32], upper: &[i32]) -> bool {
        let n = self.dimension;
        debug_assert!(n == other.dimension());
        check_constants(n, lower, upper);
        self.check();
        other.check();
        if self.is_empty() || other.is_empty() {
            return self.is_empty();
        }
        // For clocks x and y (or the reference): a point of this zone with the least possible x, which an upper constant
        // still sees, is not simulated if y has to be too close to x in the other zone: so close that y is at most its
        // lower constant, and thus seen, too.
        let lowest = self.row(0);
        (0..n).all(|y| {
            let seen = -2 * lower[y];
            if seen > INFINITE {
                return true;
            }
            let clocks = self.row(y).iter().zip(other.row(y)).zip(lowest.iter().zip(upper));
            !clocks.fold(false, |apart, ((mine, theirs), (lowest, upper))| {
                // The sum of the bounds, of which `seen` is strict; it is compared only and may leave their range.
                let sum = seen + (theirs & !1);
                apart | ((theirs < mine) & (*lowest > -2 * upper) & (sum < *lowest))
            })
        })
    }
}
