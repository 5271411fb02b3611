//! The constants that clocks are compared with, by location: beyond them, values do not matter.
//!
//! A process at a location will compare a clock with the constants on the edges and in the invariants that it can get to
//! without setting the clock first (Behrmann, Bouyer, Fleury, Larsen 2003, "Static guard analysis in timed automata
//! verification"). For a state the largest constants of all its processes count. Constants of the property count
//! everywhere.

use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};

use bughound_dbm::NO_BOUND;
use bughound_ir::analysis::ranges::Ranges;
use bughound_ir::edge::{Action, Edge};
use bughound_ir::expr::Expr;
use bughound_ir::frames::{LOCATION, PROCESS_COUNT};
use bughound_ir::network::{LocationId, Network, TemplateId};
use bughound_ir::types::{ClockConstraint, MAX_CLOCK_CONSTANT, Relation, UNBOUNDED};

use super::constraints::index;

/// The largest constants in lower and in upper bounds on a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Constants {
    lower: i32,
    upper: i32,
}

const NONE: Constants = Constants { lower: NO_BOUND, upper: NO_BOUND };

impl Constants {
    fn join(&mut self, other: Constants) -> bool {
        let before = *self;
        self.lower = self.lower.max(other.lower);
        self.upper = self.upper.max(other.upper);
        *self != before
    }
}

pub struct ClockBounds {
    /// No two of them have the same.
    number: u64,
    dimension: usize,
    /// By location: the clocks that matter there.
    by_location: Vec<Vec<(usize, Constants)>>,
    /// By clock: what the property compares it with.
    everywhere: Vec<Constants>,
    /// Where the locations of the processes are in a key.
    slots: Vec<usize>,
    /// The largest constant of all.
    limit: i32,
}

impl ClockBounds {
    pub fn new(network: &Network, property: &[&ClockConstraint]) -> ClockBounds {
        let dimension = network.clocks.len() + 1;
        let ranges = Ranges::new(network);
        let mut table = vec![vec![NONE; dimension]; network.locations.len()];
        for (at, location) in network.locations.iter().enumerate() {
            let own = Some(location.template);
            for constraint in &location.invariant {
                note(&mut table[at], constraint, &ranges, own);
            }
        }
        for edge in &network.edges {
            let from = edge.from.0 as usize;
            let own = network.locations.get(from).map(|location| location.template);
            for constraint in &edge.clock_guards {
                note(&mut table[from], constraint, &ranges, own);
            }
        }
        propagate(network, &mut table);
        let mut everywhere = vec![NONE; dimension];
        // The reference is compared with nothing but itself.
        everywhere[0] = Constants { lower: 0, upper: 0 };
        for constraint in property {
            note(&mut everywhere, constraint, &ranges, None);
        }
        let used = |row: Vec<Constants>| row.into_iter().enumerate().filter(|(_, c)| *c != NONE).collect();
        let all = table.iter().flatten().chain(&everywhere);
        let limit = all.map(|c| c.lower.max(c.upper)).max().unwrap_or(0).max(0);
        static MADE: AtomicU64 = AtomicU64::new(1);
        ClockBounds {
            number: MADE.fetch_add(1, Ordering::Relaxed),
            dimension,
            by_location: table.into_iter().map(used).collect(),
            everywhere,
            limit,
            slots: network.frames.processes.iter().map(|frame| (frame.base + LOCATION) as usize).collect(),
        }
    }

    /// Works with the largest constants of the clocks in a state. They are kept until another state is asked for: a new
    /// zone is compared with many others of the same key.
    pub fn with<R>(&self, key: &[i32], work: impl FnOnce(&Largest) -> R) -> R {
        thread_local! {
            static LATEST: RefCell<(u64, Vec<i32>, Largest)> = RefCell::default();
        }
        LATEST.with_borrow_mut(|(number, latest, largest)| {
            if *number != self.number || latest != key {
                *number = self.number;
                latest.clear();
                latest.extend_from_slice(key);
                self.compute(key, largest);
            }
            work(largest)
        })
    }

    /// By place in a zone: the largest constants in lower and in upper bounds that a process at this location will compare
    /// a clock with.
    pub fn at(&self, location: LocationId) -> impl Iterator<Item = (usize, i32, i32)> {
        self.by_location[location.0 as usize]
            .iter()
            .map(|(clock, constants)| (*clock, constants.lower, constants.upper))
    }

    /// No clock is compared with a larger constant.
    pub fn limit(&self) -> i32 {
        self.limit
    }

    fn compute(&self, key: &[i32], into: &mut Largest) {
        let Largest { lower, upper, both } = into;
        lower.clear();
        upper.clear();
        both.clear();
        lower.extend(self.everywhere.iter().map(|c| c.lower));
        upper.extend(self.everywhere.iter().map(|c| c.upper));
        debug_assert_eq!(lower.len(), self.dimension);
        for slot in &self.slots[..key[PROCESS_COUNT] as usize] {
            for (clock, constants) in &self.by_location[key[*slot] as usize] {
                lower[*clock] = lower[*clock].max(constants.lower);
                upper[*clock] = upper[*clock].max(constants.upper);
            }
        }
        both.extend(lower.iter().zip(upper.iter()).map(|(lower, upper)| *lower.max(upper)));
    }
}

/// By clock: the largest constants in lower bounds, in upper bounds, in both.
#[derive(Debug, Default)]
pub struct Largest {
    pub lower: Vec<i32>,
    pub upper: Vec<i32>,
    pub both: Vec<i32>,
}

impl Largest {
    /// The clocks that will be set before they are compared with anything.
    pub fn inactive(&self) -> impl Iterator<Item = usize> {
        self.both.iter().enumerate().filter(|(_, constant)| **constant == NO_BOUND).map(|(clock, _)| clock)
    }
}

/// Takes note of a comparison with a clock; with the largest value that its bound can have.
fn note(row: &mut [Constants], constraint: &ClockConstraint, ranges: &Ranges, own: Option<TemplateId>) {
    let Some(constant) = largest(&constraint.bound, ranges, own) else { return };
    let (below, above) = match constraint.relation {
        Relation::Less | Relation::LessEqual => (true, false),
        Relation::Equal => (true, true),
        Relation::GreaterEqual | Relation::Greater => (false, true),
    };
    let constants =
        Constants { lower: if above { constant } else { NO_BOUND }, upper: if below { constant } else { NO_BOUND } };
    row[index(constraint.left)].join(constants);
}

/// The largest value of a bound that is one at all. Where it is larger than clocks can be compared with, steps fail.
fn largest(bound: &Expr, ranges: &Ranges, own: Option<TemplateId>) -> Option<i32> {
    match bound {
        Expr::Const(UNBOUNDED) => None,
        Expr::Const(value) => Some((*value).clamp(0, MAX_CLOCK_CONSTANT)),
        Expr::Conditional(_, then, otherwise) => largest(then, ranges, own).max(largest(otherwise, ranges, own)),
        _ => Some(ranges.expression(bound, own).hi.clamp(0, MAX_CLOCK_CONSTANT.into()) as i32),
    }
}

/// What matters behind an edge matters before it, unless the edge sets the clock.
fn propagate(network: &Network, table: &mut [Vec<Constants>]) {
    loop {
        let mut changed = false;
        for edge in &network.edges {
            for (at, destination) in edge.destinations.iter().enumerate() {
                let sets = clocks_set(edge, at);
                let behind = table[destination.to.0 as usize].clone();
                let before = &mut table[edge.from.0 as usize];
                for (clock, constants) in behind.into_iter().enumerate() {
                    if !sets.contains(&clock) {
                        changed |= before[clock].join(constants);
                    }
                }
            }
        }
        if !changed {
            return;
        }
    }
}

fn clocks_set(edge: &Edge, destination: usize) -> Vec<usize> {
    let actions = edge.destinations[destination].actions.iter();
    actions
        .filter_map(|action| match action {
            Action::ResetClock { clock, .. } => Some(index(*clock)),
            _ => None,
        })
        .collect()
}
