//! Why a priced zone can have no answer. There is never a wrong number instead.

use std::fmt;

/// What a priced zone could not compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PriceError {
    /// A cost or a coefficient needs more than 64 bits.
    CostOutOfRange,
    /// A bound of the zone leaves the range in which zones are exact.
    TimeOutOfRange,
    /// A rate or an impulse is negative.
    NegativePrice,
    /// Costs become smaller and smaller without end. Cannot happen to what starts at a cost of at least 0 and never has a
    /// negative price.
    NoLeastCost,
}

impl fmt::Display for PriceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PriceError::CostOutOfRange => {
                "a cost has left the range of 64-bit integers: give prices in a larger unit, so that numbers become smaller"
            }
            PriceError::TimeOutOfRange => {
                "the value of a clock has left the range in which times are exact: bound the clock by an invariant, or \
                 measure time in a larger unit"
            }
            PriceError::NegativePrice => {
                "a rate or an impulse of the cost is negative: costs may only grow, or waiting longer could be cheaper \
                 without end"
            }
            PriceError::NoLeastCost => "there is no least cost: it falls without end where a clock grows without bound",
        })
    }
}

impl std::error::Error for PriceError {}
