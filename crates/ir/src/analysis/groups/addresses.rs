//! What of the values that a process keeps for ever tells where it reads and writes: the channels that it was given, the
//! index of its fork. Other such values (its rank, its share) make no difference to what it touches.

use std::collections::BTreeSet;

use crate::analysis::constants::each_target;
use crate::analysis::edges_of;
use crate::edge::Sync;
use crate::expr::{Expr, Scope};
use crate::network::{Network, TemplateId};

/// Those of the slots that occur in addresses: in indices, as channels, as process numbers.
pub(super) fn in_addresses(network: &Network, template: TemplateId, slots: &[u32]) -> Vec<u32> {
    let mut found = BTreeSet::new();
    for (_, edge) in edges_of(network, template) {
        let programs = edge.program.map(|id| network.program(id));
        let inner = programs.into_iter().flat_map(|program| &program.nodes).flat_map(|node| &node.alternatives);
        for sync in inner.map(|alternative| &alternative.sync).chain([&edge.sync]) {
            match sync {
                Sync::None | Sync::Join { .. } => {}
                Sync::Send { channel, .. } | Sync::Receive { channel, .. } => note(channel, &mut found),
                Sync::Emit { signal } | Sync::Accept { signal } => note(signal, &mut found),
            }
        }
        each_target(network, edge, &mut |place| place.walk(&mut |part| note(part, &mut found)));
        let mut look = |part: &Expr| inside(part, &mut found);
        edge.walk_expressions(&mut look);
        programs.into_iter().for_each(|program| program.walk_expressions(&mut look));
    }
    if let Some(provided) = &network.template(template).provided {
        provided.walk(&mut |part| inside(part, &mut found));
    }
    slots.iter().copied().filter(|slot| found.contains(slot)).collect()
}

/// Notes what the address in this part of an expression reads, if it has one.
fn inside(part: &Expr, found: &mut BTreeSet<u32>) {
    match part {
        Expr::Read(place) => place.walk(&mut |part| note(part, found)),
        Expr::Channel(_, address)
        | Expr::Poll { channel: address, .. }
        | Expr::At { pid: address, .. }
        | Expr::LocationNumber(address)
        | Expr::Priority(address) => note(address, found),
        _ => {}
    }
}

/// Notes the slots of the own frame that an expression reads.
fn note(address: &Expr, found: &mut BTreeSet<u32>) {
    address.walk(&mut |part| {
        if let Expr::Read(place) = part
            && place.scope == Scope::Own
        {
            found.extend(crate::analysis::slots_of(place));
        }
    });
}
