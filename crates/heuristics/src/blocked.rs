//! What it takes for a process to be blocked at a location: none of its edges is executable.
//!
//! An edge is blocked if one of its guards is false or its communication is impossible: a receive while no message (or
//! none that matches) is there, a send while the channel is full. Whether a partner for a rendezvous is there is not looked
//! at: it costs nothing to be without. In a deadlock `timeout` is true, and an `else` whose location is blocked otherwise
//! would be executable. A failing step is a step: who fails is not blocked.

use bughound_ir::edge::{Condition, Edge, Sync};
use bughound_ir::expr::{ChannelQuery, Expr, Pattern};
use bughound_ir::network::{LocationId, TemplateId};
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

fn edge_blocked(compiler: &Compiler<'_, '_>, template: TemplateId, edge: &Edge) -> Term {
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
