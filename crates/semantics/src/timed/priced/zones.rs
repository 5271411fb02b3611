//! What a priced state needs of its zones, whichever way costs are kept in them.
//!
//! Two ways: [`PricedZone`], for any prices, and [`UniformZone`](super::uniform::UniformZone), for models in which each
//! unit of time costs the same. A step is a list of [`Operation`]s for both.

use bughound_dbm::priced::{Operation, PriceError, PricedZone, without_superfluous};
use bughound_dbm::{Constraint, Zone, ZoneBuf};

use super::sight::Sketch;

/// Clock values with the least cost of reaching them.
pub(super) trait CostZone: Sized + Clone {
    /// All clocks are 0, and nothing was paid.
    fn start(dimension: usize, rate: i64) -> Self;

    /// What an operation leaves, nothing of it empty.
    fn apply(&self, operation: &Operation) -> Result<Vec<Self>, PriceError>;

    /// The infimum of the costs.
    fn least_cost(&self) -> Result<i64, PriceError>;

    /// The values of the clocks of the model.
    fn clocks(&self) -> ZoneBuf;

    /// How many words it has.
    fn word_count(dimension: usize) -> usize;

    fn to_words(&self) -> Vec<i32>;

    /// From its words; `dimension` is that of the model, `rate` the same as at the start.
    fn from_words(words: &[i32], dimension: usize, rate: i64) -> Self;

    /// Is each point simulated by points of the other one at no higher cost?
    fn is_simulated_by(&self, other: &Self, lower: &[i32], upper: &[i32]) -> Result<bool, PriceError>;

    /// Shows it to heuristics.
    fn show(&self, sketch: Sketch<'_>);

    /// Leaves out what others of the list make superfluous.
    fn tidy(zones: &mut Vec<Self>) -> Result<(), PriceError>;
}

impl CostZone for PricedZone {
    fn start(dimension: usize, _rate: i64) -> Self {
        PricedZone::zero(dimension, 0)
    }

    fn apply(&self, operation: &Operation) -> Result<Vec<Self>, PriceError> {
        PricedZone::apply(self, operation)
    }

    fn least_cost(&self) -> Result<i64, PriceError> {
        PricedZone::least_cost(self)
    }

    fn clocks(&self) -> ZoneBuf {
        self.zone().into()
    }

    fn word_count(dimension: usize) -> usize {
        PricedZone::word_count(dimension)
    }

    fn to_words(&self) -> Vec<i32> {
        PricedZone::to_words(self)
    }

    fn from_words(words: &[i32], dimension: usize, _rate: i64) -> Self {
        PricedZone::from_words(words, dimension)
    }

    fn is_simulated_by(&self, other: &Self, lower: &[i32], upper: &[i32]) -> Result<bool, PriceError> {
        PricedZone::is_simulated_by(self, other, lower, upper)
    }

    fn show(&self, mut sketch: Sketch<'_>) {
        sketch.clocks(self.zone());
        // Where the least cost is not known, nobody may rely on it: the search fails there.
        let least = PricedZone::least_cost(self).unwrap_or(i64::MAX);
        sketch.general(self.corner_cost().saturating_sub(least), self.coefficients());
    }

    fn tidy(zones: &mut Vec<Self>) -> Result<(), PriceError> {
        without_superfluous(zones)
    }
}

/// Applies operations one after the other, leaving out what is superfluous on the way.
pub(super) fn apply_all<Z: CostZone>(from: Vec<Z>, operations: &[Operation]) -> Result<Vec<Z>, PriceError> {
    let mut zones = from;
    for operation in operations {
        let mut next = Vec::with_capacity(zones.len());
        for zone in &zones {
            next.extend(zone.apply(operation)?);
        }
        if next.len() > 1 {
            Z::tidy(&mut next)?;
        }
        zones = next;
        if zones.is_empty() {
            break;
        }
    }
    Ok(zones)
}

/// The constraints that say that a point is in a zone.
pub(super) fn inside(zone: Zone<'_>) -> Vec<Constraint> {
    let n = zone.dimension();
    let pairs = (0..n).flat_map(|i| (0..n).map(move |j| (i, j))).filter(|(i, j)| i != j);
    let bounded = pairs.filter(|(i, j)| zone.bound(*i, *j).constant().is_some());
    bounded.map(|(i, j)| Constraint::new(i, j, zone.bound(i, j))).collect()
}
