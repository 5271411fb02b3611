//! What it takes for a process to be blocked at a location: none of its edges is executable.
//!
//! An edge is blocked if one of its guards is false or its communication is impossible: a receive while no message (or
//! none that matches) is there, a send while the channel is full. Whether a partner for a rendezvous is there is not looked
//! at: it costs nothing to be without. In a deadlock `timeout` is true, and an `else` whose location is blocked otherwise
//! would be executable. A failing step is a step: who fails is not blocked. Estimates do not know clocks: an edge that time
//! or a condition of a location can forbid is blocked at no cost.

use bughound_ir::edge::{Action, Condition, Edge, Sync};
use bughound_ir::expr::{ChannelQuery, Expr, Pattern};
use bughound_ir::network::{LocationId, Network, TemplateId};
use bughound_semantics::Probe;

use crate::facts::Facts;
use crate::formula::compile::{Compiler, NEVER, NOW, Timeout, all, any};
use crate::formula::term::Term;

/// The cost until a process of this template that is at the location cannot move.
pub fn blocked(facts: &Facts<'_>, probe: &Probe<'_>, template: TemplateId, location: LocationId) -> Term {
    let network = facts.network;
    let committed = network.locations.iter().any(|l| l.flags.committed);
    if network.uses.priorities || committed {
        return NOW; // others can keep it from moving
    }
    let known = facts.environment(template);
    let compiler = Compiler { facts, probe, known, timeout: Timeout::True };
    let edges = network.location(location).edges.iter().map(|id| network.edge(*id));
    let stuck = all(edges.map(|edge| edge_blocked(&compiler, template, edge)).collect());
    match &network.template(template).provided {
        Some(provided) => any(vec![stuck, compiler.formula(provided, false)]),
        None => stuck,
    }
}

/// Can clocks, or what locations demand of the state behind the edge, forbid it although its guards are true?
fn may_be_forbidden(network: &Network, edge: &Edge) -> bool {
    let demands = |location: LocationId| {
        let location = network.location(location);
        !location.invariant.is_empty() || !location.conditions.is_empty()
    };
    // What holds before the edge holds behind it for whoever does not move, unless the edge changes what it is about.
    let mut locations = network.locations.iter();
    let of_variables = locations.any(|location| {
        !location.conditions.is_empty() || location.invariant.iter().any(|part| part.bound.as_const().is_none())
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

fn edge_blocked(compiler: &Compiler<'_, '_>, template: TemplateId, edge: &Edge) -> Term {
    if may_be_forbidden(compiler.facts.network, edge) {
        return NOW;
    }
    let mut ways: Vec<Term> = edge.guards.iter().map(|guard| compiler.formula(guard, false)).collect();
    if edge.condition == Condition::Youngest {
        ways.push(Term::NotYoungest);
    }
    match edge.program {
        Some(program) => {
            let entry = &compiler.facts.network.program(program).nodes[0];
            let alternatives = entry.alternatives.iter().map(|alternative| {
                if alternative.condition == Condition::Youngest {
                    return NOW;
                }
                let mut ways: Vec<Term> =
                    alternative.guards.iter().map(|guard| compiler.formula(guard, false)).collect();
                ways.push(sync_blocked(compiler, template, &alternative.sync));
                any(ways)
            });
            ways.push(all(alternatives.collect()));
            if matches!(edge.sync, Sync::Emit { .. } | Sync::Accept { .. }) {
                ways.push(NOW);
            }
        }
        None => ways.push(sync_blocked(compiler, template, &edge.sync)),
    }
    any(ways)
}

fn sync_blocked(compiler: &Compiler<'_, '_>, template: TemplateId, sync: &Sync) -> Term {
    let meets = |channel: &Expr| compiler.facts.undefined.may_be_rendezvous(channel, template);
    match sync {
        Sync::None => NEVER,
        Sync::Emit { .. } | Sync::Accept { .. } => NOW,
        Sync::Send { channel, .. } | Sync::Receive { channel, .. } if meets(channel) => NOW,
        Sync::Send { .. } if compiler.facts.network.uses.lossy_sends => NEVER,
        Sync::Send { channel, .. } => {
            compiler.formula(&Expr::Channel(ChannelQuery::Full, Box::new(channel.clone())), true)
        }
        Sync::Receive { channel, anywhere, patterns, .. } => {
            let channel = Box::new(channel.clone());
            if patterns.iter().any(|pattern| matches!(pattern, Pattern::Match(_))) {
                let poll = Expr::Poll { channel, anywhere: *anywhere, patterns: patterns.clone() };
                compiler.formula(&poll, false)
            } else {
                compiler.formula(&Expr::Channel(ChannelQuery::Empty, channel), true)
            }
        }
    }
}
