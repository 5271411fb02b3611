//! Timed models with costs: priced zones over the discrete engine.
//!
//! A state is a discrete key and a cover: the hints of the model (`remaining` and `heur`), where it has any, which nobody
//! compares, then the words of a zone with costs. A step is a list of operations on zones with costs (see
//! [`bughound_dbm::priced`]); it has one outcome for each of the zones that are left, since a least cost need not be
//! affine on one zone. The weight of a step is what the least cost of its outcome is above that of the state it starts
//! from, so that the cost of a path, as a search adds it up, *is* the least cost of the zone at its end: every search for
//! cheapest paths finds cheapest runs, and proves what it can prove of paths.
//!
//! **What gives way to what.** A state is superfluous if each of its points is simulated by points of another one, at no
//! higher cost ([`PricedZone::is_simulated_by`]). Zones are not extrapolated. Clocks that are set before they are compared
//! again are made equal to one that matters: what costs least over all their values is what counts.
//!
//! **Uniform prices** (`uniform.rs`) are recognised, and kept in an ordinary zone.
//!
//! **Where the cost counts.** The goal of a question may hold at a part of a zone only, which can cost more than the
//! rest. [`CheapestEnd`] makes reaching it a step of its own.
//!
//! Fails, never with a wrong number, if costs or times leave their range or prices are negative: see
//! [`PricedSystem::error`]. From then on there are no steps, and every expansion says that it was cut.

mod end;
mod explorer;
mod prices;
mod realise;
mod sight;
mod steps;
mod uniform;
mod zones;

use std::sync::{Arc, OnceLock};

use bughound_dbm::priced::{PriceError, PricedZone};
use bughound_ir::expr::Expr;
use bughound_ir::network::Network;
use bughound_kernel::{Dependencies, Explorer, Layout, TransitionSystem};

use super::{Abstraction, TimedError, TimedSystem};
use crate::discrete::DiscreteSystem;
use explorer::PricedExplorer;
use prices::Prices;
use sight::Sketch;
use uniform::UniformZone;
use zones::CostZone;

pub use end::CheapestEnd;
pub use realise::Realised;
pub use sight::{Costs, Function, Lateness, Sight};

/// How costs are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pricing {
    /// As fits the model.
    Automatic,
    /// In priced zones, whatever the prices are.
    General,
}

/// Why costs could not be computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CostError {
    Price(PriceError),
    /// The rate of a location has no value.
    NoRate {
        location: String,
    },
}

impl std::fmt::Display for CostError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            CostError::Price(error) => error.fmt(f),
            CostError::NoRate { location } => write!(f, "the rate of the cost has no value at {location}"),
        }
    }
}

impl std::error::Error for CostError {}

impl From<PriceError> for CostError {
    fn from(error: PriceError) -> Self {
        CostError::Price(error)
    }
}

/// A timed model with costs.
pub struct PricedSystem {
    timed: TimedSystem,
    prices: Prices,
    /// What a unit of time costs, if that is the same everywhere and costs are kept so.
    uniform: Option<i64>,
    layout: Layout,
    error: OnceLock<CostError>,
}

impl PricedSystem {
    /// For states in which the goal is reached at the least cost.
    pub fn new(network: impl Into<Arc<Network>>, goal: &Expr, pricing: Pricing) -> Result<PricedSystem, TimedError> {
        let timed = TimedSystem::new(network, std::slice::from_ref(goal), Abstraction::REACHABILITY)?;
        let network = timed.discrete().network();
        let prices = Prices::new(network);
        let uniform = if pricing == Pricing::Automatic { prices::uniform_rate(network) } else { None };
        let zone = match uniform {
            Some(_) => UniformZone::word_count(timed.dimension),
            None => PricedZone::word_count(timed.dimension),
        };
        // The store keeps covers in rows as long as the square root of their length.
        let words = zone + prices.hint_count();
        let row = words.isqrt();
        let cover_len = words.next_multiple_of(row);
        debug_assert_eq!(cover_len.isqrt(), row);
        let layout = Layout { cover_len, ..timed.layout().clone() };
        Ok(PricedSystem { timed, prices, uniform, layout, error: OnceLock::new() })
    }

    pub fn discrete(&self) -> &DiscreteSystem {
        self.timed.discrete()
    }

    /// What a unit of time costs, if costs are kept in ordinary zones.
    pub fn uniform_rate(&self) -> Option<i64> {
        self.uniform
    }

    /// The first thing that went wrong. What was found until then is right, but nothing is proven: not even that there is
    /// nothing to be found, for an initial state without a price is none.
    pub fn error(&self) -> Option<&CostError> {
        self.error.get()
    }

    fn fail(&self, error: impl Into<CostError>) {
        let _ = self.error.set(error.into());
    }

    /// How many words of a cover are about clocks and costs.
    fn zone_words(&self) -> usize {
        match self.uniform {
            Some(_) => UniformZone::word_count(self.timed.dimension),
            None => PricedZone::word_count(self.timed.dimension),
        }
    }

    fn zone_of<Z: CostZone>(&self, cover: &[i32]) -> Z {
        let words = &cover[self.prices.hint_count()..][..self.zone_words()];
        Z::from_words(words, self.timed.dimension, self.uniform.unwrap_or(0))
    }

    fn hints<'c>(&self, cover: &'c [i32]) -> &'c [i32] {
        &cover[..self.prices.hint_count()]
    }

    /// The cover of a state with these hints and this zone.
    fn put_cover<Z: CostZone>(&self, hints: &[i32], zone: &Z, cover: &mut Vec<i32>) {
        cover.clear();
        cover.extend_from_slice(hints);
        cover.extend_from_slice(&zone.to_words());
        cover.resize(self.layout.cover_len, 0);
    }

    /// Shows a cover to heuristics.
    fn show<Z: CostZone>(&self, cover: &[i32], words: &mut Vec<i32>) {
        let (remaining, heur) = self.prices.named_hints(self.hints(cover));
        let zone: Z = self.zone_of(cover);
        zone.show(Sketch::new(words, self.timed.dimension, remaining, heur));
    }

    fn simulates<Z: CostZone>(&self, key: &[i32], large: &[i32], small: &[i32]) -> bool {
        let (large, small): (Z, Z) = (self.zone_of(large), self.zone_of(small));
        let found = self.timed.bounds.with(key, |largest| {
            let (lower, upper) = self.timed.told_apart(largest);
            small.is_simulated_by(&large, lower, upper)
        });
        found.unwrap_or_else(|error| {
            self.fail(error);
            false
        })
    }
}

impl TransitionSystem for PricedSystem {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn explorer(&self) -> Box<dyn Explorer + '_> {
        match self.uniform {
            Some(_) => Box::new(PricedExplorer::<UniformZone>::new(self)),
            None => Box::new(PricedExplorer::<PricedZone>::new(self)),
        }
    }

    fn dependencies(&self) -> Result<Dependencies, &'static str> {
        Err("it has prices")
    }

    fn atoms(&self) -> u32 {
        self.timed.atoms()
    }

    fn takes_notes(&self) -> bool {
        true
    }

    fn covers(&self, key: &[i32], large: &[i32], small: &[i32]) -> bool {
        match self.uniform {
            Some(_) => self.simulates::<UniformZone>(key, large, small),
            None => self.simulates::<PricedZone>(key, large, small),
        }
    }

    /// Costs grow from round to round.
    fn has_finite_normal_forms(&self) -> bool {
        false
    }
}
