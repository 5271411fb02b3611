//! Sequences of operations: what a step of a priced timed automaton does to a priced zone, and backwards from one of the
//! results to where it came from.
//!
//! Forwards, each operation is applied to each priced zone that the one before has left; each remembers its origin. So
//! backwards there is nothing to guess: the priced zone before the operation is known, and
//! [`before_delay`](PricedZone::before_delay) or [`before_set`](PricedZone::before_set) finds the point.

use super::{Moment, PriceError, PricedZone};
use crate::bound::Constraint;
use crate::point::Point;

/// What happens to clocks and cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    /// A guard or an invariant.
    Require(Vec<Constraint>),
    /// An impulse.
    Pay(i64),
    /// `clock := value`
    Reset { clock: usize, value: i32 },
    /// `to := from`, both clocks.
    Copy { to: usize, from: usize },
    /// `clock := clock + amount`
    Shift { clock: usize, amount: i32 },
    /// The clock can have any value.
    Free(usize),
    /// Time passes at this rate.
    Delay(i64),
}

/// The priced zones before, between and after operations.
pub struct Stages {
    operations: Vec<Operation>,
    /// One layer more than operations.
    layers: Vec<Vec<PricedZone>>,
    /// For each layer but the first: from which zone of the layer before each zone comes.
    origins: Vec<Vec<usize>>,
}

impl PricedZone {
    /// What an operation makes of this priced zone: several, one or none, none of them empty.
    pub fn apply(&self, operation: &Operation) -> Result<Vec<PricedZone>, PriceError> {
        let mut zones = match operation {
            Operation::Require(constraints) => vec![self.require(constraints)?],
            Operation::Pay(impulse) => vec![self.pay(*impulse)?],
            Operation::Reset { clock, value } => self.reset(*clock, *value)?,
            Operation::Copy { to, from } => self.copy(*to, *from)?,
            Operation::Shift { clock, amount } => vec![self.shift(*clock, *amount)?],
            Operation::Free(clock) => self.free(*clock)?,
            Operation::Delay(rate) => self.delay(*rate)?,
        };
        zones.retain(|zone| !zone.is_empty());
        Ok(zones)
    }

    /// The point of this zone (or of its boundary) from which the operation leads to `after` as cheaply as possible.
    pub fn before(&self, operation: &Operation, after: &Point) -> Option<Moment> {
        let still = |point: Point| Moment { point, delay: 0 };
        match operation {
            Operation::Require(_) | Operation::Pay(_) => Some(still(after.clone())),
            Operation::Copy { to, from } if to == from => Some(still(after.clone())),
            Operation::Reset { clock, .. } | Operation::Copy { to: clock, .. } | Operation::Free(clock) => {
                self.before_set(*clock, after).map(still)
            }
            Operation::Shift { clock, amount } => {
                let mut point = after.clone();
                point.shift(*clock, -amount);
                Some(still(point))
            }
            Operation::Delay(rate) => self.before_delay(*rate, after),
        }
    }
}

impl Stages {
    /// Applies operations one after the other.
    pub fn explore(start: &PricedZone, operations: &[Operation]) -> Result<Stages, PriceError> {
        let mut layers = vec![vec![start.clone()]];
        let mut origins = Vec::new();
        for operation in operations {
            let (mut layer, mut from) = (Vec::new(), Vec::new());
            for (index, zone) in layers.last().into_iter().flatten().enumerate() {
                let results = zone.apply(operation)?;
                from.extend(std::iter::repeat_n(index, results.len()));
                layer.extend(results);
            }
            layers.push(layer);
            origins.push(from);
        }
        Ok(Stages { operations: operations.to_vec(), layers, origins })
    }

    /// What is left after the last operation. Some may be superfluous ([`without_superfluous`]).
    pub fn last(&self) -> &[PricedZone] {
        self.layers.last().expect("there is a first layer")
    }

    /// The run to a point of one of the last priced zones (or of its boundary), by its index, that has the cost given
    /// there: the moments before each operation, from the first to the last. Nothing if the point does not belong to the
    /// priced zone, or if numbers overflow.
    ///
    /// Denominators can grow along the way: the points are on a scale of their own each.
    pub fn back(&self, index: usize, point: &Point) -> Option<Vec<Moment>> {
        let (mut index, mut point) = (index, point.clone());
        let mut moments = Vec::new();
        for (step, operation) in self.operations.iter().enumerate().rev() {
            index = *self.origins[step].get(index)?;
            let moment = self.layers[step][index].before(operation, &point)?;
            point = moment.point.clone();
            moments.push(moment);
        }
        moments.reverse();
        Some(moments)
    }
}

/// Leaves out priced zones that are included in another one of the list; of equal ones, one stays.
pub fn without_superfluous(zones: &mut Vec<PricedZone>) -> Result<(), PriceError> {
    let mut kept: Vec<PricedZone> = Vec::with_capacity(zones.len());
    'next: for zone in zones.drain(..) {
        for other in &kept {
            if zone.is_included_in(other)? {
                continue 'next;
            }
        }
        let mut rest = Vec::with_capacity(kept.len() + 1);
        for other in kept {
            if !other.is_included_in(&zone)? {
                rest.push(other);
            }
        }
        rest.push(zone);
        kept = rest;
    }
    *zones = kept;
    Ok(())
}
