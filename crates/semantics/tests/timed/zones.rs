//! A zone semantics over the discrete engine: each discrete step is filtered and extended by what its edges say about
//! clocks.
//!
//! A step intersects the zone with the clock guards of its moves, resets clocks, enters the invariants of the new
//! locations, lets time pass unless a location forbids it, and forgets what is beyond the largest constants.

use std::ops::ControlFlow;

use bughound_ir::edge::{Action, EdgeId};
use bughound_ir::expr::Expr;
use bughound_ir::frames::{LOCATION, PROCESS_COUNT};
use bughound_ir::network::{Location, LocationId, Network};
use bughound_ir::types::{ClockConstraint, Relation};
use bughound_kernel::{AtomId, Expansion, Explorer, Layout, Move, Outcome, State, Step, TransitionSystem};
use bughound_semantics::DiscreteSystem;

use crate::dbm::{self, Zone, at_most, less};

pub struct ZoneSystem {
    discrete: DiscreteSystem,
    layout: Layout,
    /// By clock, from 1 on: the largest constant that it is compared with.
    most: Vec<i32>,
}

impl ZoneSystem {
    pub fn new(network: Network, atoms: &[Expr]) -> Self {
        let clocks = network.clocks.len();
        let layout = Layout { cover_len: (clocks + 1) * (clocks + 1), ..network.frames.layout.clone() };
        let mut most = vec![0; clocks + 1];
        let guards = network.edges.iter().flat_map(|e| &e.clock_guards);
        for constraint in guards.chain(network.locations.iter().flat_map(|l| &l.invariant)) {
            let clock = index(constraint);
            most[clock] = most[clock].max(constant(&constraint.bound));
        }
        ZoneSystem { discrete: DiscreteSystem::new(network, atoms), layout, most }
    }

    fn locations<'a>(&'a self, key: &'a [i32]) -> impl Iterator<Item = &'a Location> {
        let network = self.discrete.network();
        let frames = &network.frames.processes[..key[PROCESS_COUNT] as usize];
        frames.iter().map(|frame| network.location(LocationId(key[(frame.base + LOCATION) as usize] as u32)))
    }

    /// What can be reached from a zone by waiting at the locations of `key`.
    fn wait(&self, key: &[i32], zone: &mut Zone) {
        let stay = |zone: &mut Zone| {
            self.locations(key).flat_map(|l| &l.invariant).for_each(|constraint| restrict(zone, constraint));
        };
        stay(zone);
        if self.locations(key).all(|l| !l.flags.urgent && !l.flags.committed) {
            zone.up();
            stay(zone);
        }
        if !zone.is_empty() {
            zone.extrapolate(&self.most);
        }
    }

    /// The zone after a discrete step to `key`; empty if its clocks forbid it.
    fn follow(&self, zone: &mut Zone, moves: &[Move], key: &[i32]) {
        let network = self.discrete.network();
        for m in moves {
            network.edge(EdgeId(m.edge)).clock_guards.iter().for_each(|constraint| restrict(zone, constraint));
        }
        for m in moves {
            for action in &network.edge(EdgeId(m.edge)).destinations[m.destination as usize].actions {
                if let Action::ResetClock { clock, value } = action {
                    zone.reset(clock.0 as usize + 1, constant(value));
                }
            }
        }
        self.wait(key, zone);
    }
}

impl TransitionSystem for ZoneSystem {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn explorer(&self) -> Box<dyn Explorer + '_> {
        Box::new(ZoneExplorer { system: self, discrete: self.discrete.explorer() })
    }

    fn covers(&self, large: &[i32], small: &[i32]) -> bool {
        dbm::includes(large, small)
    }
}

struct ZoneExplorer<'s> {
    system: &'s ZoneSystem,
    discrete: Box<dyn Explorer + 's>,
}

impl Explorer for ZoneExplorer<'_> {
    fn initial(&mut self, emit: &mut dyn FnMut(State<'_>)) {
        self.discrete.initial(&mut |state| {
            let mut zone = Zone::zero(self.system.most.len() - 1);
            self.system.wait(state.key, &mut zone);
            if !zone.is_empty() {
                emit(State { cover: &zone.bounds, ..state });
            }
        });
    }

    fn successors(&mut self, from: State<'_>, emit: &mut dyn FnMut(&Step<'_>) -> ControlFlow<()>) -> Expansion {
        self.discrete.successors(State::discrete(from.key), &mut |step| {
            let Outcome::State(to) = step.outcome else { return emit(step) };
            let mut zone = Zone::from_bounds(self.system.most.len() - 1, from.cover);
            self.system.follow(&mut zone, step.moves, to.key);
            if zone.is_empty() {
                return ControlFlow::Continue(());
            }
            emit(&Step { outcome: Outcome::State(State { cover: &zone.bounds, ..to }), ..*step })
        });
        Expansion::default() // deadlocks are not asked for
    }

    fn holds(&mut self, atom: AtomId, state: State<'_>) -> bool {
        self.discrete.holds(atom, State::discrete(state.key))
    }
}

fn index(constraint: &ClockConstraint) -> usize {
    assert!(constraint.minus.is_none(), "the extrapolation is unsound with diagonals");
    constraint.left.0 as usize + 1
}

fn constant(expr: &Expr) -> i32 {
    expr.as_const().expect("a constant bound")
}

fn restrict(zone: &mut Zone, constraint: &ClockConstraint) {
    let (clock, bound) = (index(constraint), constant(&constraint.bound));
    match constraint.relation {
        Relation::Less => zone.constrain(clock, 0, less(bound)),
        Relation::LessEqual => zone.constrain(clock, 0, at_most(bound)),
        Relation::Equal => {
            zone.constrain(clock, 0, at_most(bound));
            zone.constrain(0, clock, at_most(-bound));
        }
        Relation::GreaterEqual => zone.constrain(0, clock, at_most(-bound)),
        Relation::Greater => zone.constrain(0, clock, less(-bound)),
    }
}
