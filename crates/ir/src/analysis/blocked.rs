//! What it takes for a process to be blocked at a location: none of its edges is executable.
//!
//! An edge is blocked if one of its guards is false or its communication is impossible: a receive while no message (or
//! none that matches) is there, a send while the channel is full. Whether a partner for a rendezvous is there is not looked
//! at: it costs nothing to be without. In a deadlock `timeout` is true, and an `else` whose location is blocked otherwise
//! would be executable. A failing step is a step: who fails is not blocked. Clocks are not looked at: an edge that time or a
//! condition of a location can forbid counts as blocked.
//!
//! What expressions become is up to whoever asks.

use crate::edge::{Action, Condition, Edge, Sync};
use crate::expr::{ChannelQuery, Expr, Pattern};
use crate::network::{LocationId, Network, TemplateId};

use crate::analysis::undefined::Undefined;

/// How whoever asks sees conditions, for a process at the location in question while nothing moves.
pub trait Logic {
    type Term;

    /// It holds, or never does.
    fn constant(&self, holds: bool) -> Self::Term;

    /// The expression has this truth value.
    fn formula(&self, expr: &Expr, wanted: bool) -> Self::Term;

    /// The process is not the one that was started last.
    fn not_youngest(&self) -> Self::Term;

    fn all(&self, parts: Vec<Self::Term>) -> Self::Term;

    fn any(&self, parts: Vec<Self::Term>) -> Self::Term;
}

/// Looks at processes of one template.
pub struct Blocked<'b, 'a, L> {
    pub network: &'b Network,
    pub undefined: &'b Undefined<'a>,
    pub template: TemplateId,
    pub logic: L,
}

impl<L: Logic> Blocked<'_, '_, L> {
    /// That a process at the location cannot move.
    pub fn at(&self, location: LocationId) -> L::Term {
        let network = self.network;
        if may_be_kept_from_moving(network) {
            return self.logic.constant(true);
        }
        let edges = network.location(location).edges.iter().map(|id| network.edge(*id));
        let stuck = self.logic.all(edges.map(|edge| self.edge(edge)).collect());
        match &network.template(self.template).provided {
            Some(provided) => self.logic.any(vec![stuck, self.logic.formula(provided, false)]),
            None => stuck,
        }
    }

    fn edge(&self, edge: &Edge) -> L::Term {
        let logic = &self.logic;
        if may_be_forbidden(self.network, edge) {
            return logic.constant(true);
        }
        let mut ways: Vec<L::Term> = edge.guards.iter().map(|guard| logic.formula(guard, false)).collect();
        if edge.condition == Condition::Youngest {
            ways.push(logic.not_youngest());
        }
        match edge.program {
            Some(program) => {
                let entry = &self.network.program(program).nodes[0];
                let alternatives = entry.alternatives.iter().map(|alternative| {
                    if alternative.condition == Condition::Youngest {
                        return logic.constant(true);
                    }
                    let mut ways: Vec<L::Term> =
                        alternative.guards.iter().map(|guard| logic.formula(guard, false)).collect();
                    ways.push(self.sync(&alternative.sync));
                    logic.any(ways)
                });
                ways.push(logic.all(alternatives.collect()));
                if matches!(edge.sync, Sync::Emit { .. } | Sync::Accept { .. }) {
                    ways.push(logic.constant(true));
                }
            }
            None => ways.push(self.sync(&edge.sync)),
        }
        logic.any(ways)
    }

    fn sync(&self, sync: &Sync) -> L::Term {
        let meets = |channel: &Expr| self.undefined.may_be_rendezvous(channel, self.template);
        match sync {
            Sync::None => self.logic.constant(false),
            Sync::Emit { .. } | Sync::Accept { .. } | Sync::Join { .. } => self.logic.constant(true),
            Sync::Send { channel, .. } | Sync::Receive { channel, .. } if meets(channel) => self.logic.constant(true),
            Sync::Send { .. } if self.network.uses.lossy_sends => self.logic.constant(false),
            Sync::Send { channel, .. } => {
                self.logic.formula(&Expr::Channel(ChannelQuery::Full, Box::new(channel.clone())), true)
            }
            Sync::Receive { channel, anywhere, patterns, .. } => {
                let channel = Box::new(channel.clone());
                if patterns.iter().any(|pattern| matches!(pattern, Pattern::Match(_))) {
                    let poll = Expr::Poll { channel, anywhere: *anywhere, patterns: patterns.clone() };
                    self.logic.formula(&poll, false)
                } else {
                    self.logic.formula(&Expr::Channel(ChannelQuery::Empty, channel), true)
                }
            }
        }
    }
}

/// Can others, who have precedence, keep a process from moving?
pub fn may_be_kept_from_moving(network: &Network) -> bool {
    network.uses.priorities || network.locations.iter().any(|location| location.flags.committed)
}

/// Can clocks, or what locations demand of the state after the edge, forbid it although its guards are true?
fn may_be_forbidden(network: &Network, edge: &Edge) -> bool {
    let demands = |location: LocationId| {
        let location = network.location(location);
        !location.invariant.is_empty() || !location.conditions.is_empty()
    };
    // What holds before the edge holds after it for whoever does not move, unless the edge changes what it is about.
    let mut locations = network.locations.iter();
    let of_variables = locations.any(|location| {
        !location.conditions.is_empty()
            || location.has_uncertain_rate()
            || location.invariant.iter().any(|part| part.bound.as_const().is_none())
    });
    let to_zero = |action: &Action| match action {
        Action::ResetClock { value, .. } => value.as_const() == Some(0),
        _ => true,
    };
    let sets_clocks = edge.program.is_some() || edge.destinations.iter().any(|d| !d.actions.iter().all(to_zero));
    !edge.clock_guards.is_empty()
        || edge.destinations.iter().any(|destination| demands(destination.to))
        || of_variables
        || sets_clocks && network.locations.iter().any(|location| !location.invariant.is_empty())
}
