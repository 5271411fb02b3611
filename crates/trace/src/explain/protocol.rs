//! Who is concerned by an error of a protocol: the process, the channel, the message.

use bughound_ir::edge::{Alternative, Edge, Sync};
use bughound_ir::expr::{Expr, UnaryOp};

use crate::explain::Reason;
use crate::explain::blocked::{BlockedProcess, Wait, describe, why_not};
use crate::expression::Viewpoint;
use crate::naming;
use crate::replay::Place;

/// The reason, if the condition is that there is no such error (or that there is one) and this is not so.
pub fn explain(view: Viewpoint<'_>, condition: &Expr, expected: bool) -> Option<Reason> {
    let (error, wanted) = match condition {
        Expr::Unary(UnaryOp::Not, operand) => (operand.as_ref(), expected),
        other => (other, !expected),
    };
    match error {
        Expr::UnspecifiedReception if wanted => Some(unspecified_reception(view)),
        Expr::ChannelOverflow if wanted => Some(channel_overflow(view)),
        _ => None,
    }
}

fn unspecified_reception(view: Viewpoint<'_>) -> Reason {
    let mut headlines = Vec::new();
    let mut blocked = Vec::new();
    for pid in view.reference.unspecified_receptions(view.state) {
        let own = Viewpoint { own: Some(pid), ..view };
        let process = describe(own, pid);
        let message =
            waiting(own, pid).map_or_else(String::new, |(message, channel)| format!(" {message} from {channel}"));
        headlines.push(format!("{} cannot receive{message}", process.process));
        blocked.push(BlockedProcess { may_rest: false, ..process });
    }
    reason("unspecified reception", &headlines, blocked)
}

fn channel_overflow(view: Viewpoint<'_>) -> Reason {
    let network = view.reference.network();
    let mut headlines = Vec::new();
    let mut blocked: Vec<BlockedProcess> = Vec::new();
    for (pid, edge) in view.reference.channel_overflows(view.state) {
        let own = Viewpoint { own: Some(pid), ..view };
        let edge = network.edge(edge);
        let why = match network.uses.lossy_sends {
            true => "the channel is full: the message is lost".to_string(),
            false => why_not(own, edge).unwrap_or_default(),
        };
        let wait = Wait { text: edge.text.clone(), source: Place::of(network, edge.span), why };
        let process = describe(own, pid);
        if let Some((message, channel)) = sent(own, edge) {
            headlines.push(format!("{} sends {message} to {channel}, which is full", process.process));
        }
        match blocked.last_mut().filter(|last| last.pid == pid) {
            Some(last) => last.waits.push(wait),
            None => blocked.push(BlockedProcess { may_rest: false, waits: vec![wait], ..process }),
        }
    }
    reason("channel overflow", &headlines, blocked)
}

fn reason(error: &str, headlines: &[String], blocked: Vec<BlockedProcess>) -> Reason {
    let headline = match headlines {
        [] => error.to_string(),
        [only] => format!("{error}: {only}"),
        [first, others @ ..] => format!("{error}: {first} (and {} more)", others.len()),
    };
    let source = match &blocked[..] {
        [only] => Some(only.source.clone()),
        _ => None,
    };
    Reason { headline, source, blocked, ..Reason::default() }
}

/// The oldest message that waits for a process, and its channel.
fn waiting(view: Viewpoint<'_>, pid: usize) -> Option<(String, String)> {
    let network = view.reference.network();
    let edges = &network.location(view.state.processes.get(pid)?.location).edges;
    edges.iter().flat_map(|id| syncs(view, network.edge(*id))).find_map(|sync| {
        let Sync::Receive { channel, .. } = sync else { return None };
        let (declared, queue) = naming::channel(network, view.state, view.value(channel)?)?;
        Some((naming::message(network, view.state, declared, queue.front()?), view.channel_text(channel)))
    })
}

/// The message that an edge sends to a full channel, and the channel.
fn sent(view: Viewpoint<'_>, edge: &Edge) -> Option<(String, String)> {
    let network = view.reference.network();
    syncs(view, edge).find_map(|sync| {
        let Sync::Send { channel, fields, .. } = sync else { return None };
        let (declared, queue) = naming::channel(network, view.state, view.value(channel)?)?;
        if declared.capacity == 0 || queue.len() < declared.capacity as usize {
            return None;
        }
        let mut values = fields.iter().map(|field| view.value(field));
        let message: Option<Vec<i32>> =
            declared.fields.iter().map(|ty| ty.convert(values.next().unwrap_or(Some(0))?)).collect();
        let text = message.map_or_else(|| "a message".into(), |m| naming::message(network, view.state, declared, &m));
        Some((text, view.channel_text(channel)))
    })
}

/// What an edge communicates first: by itself, or at the entry of its program.
fn syncs<'a>(view: Viewpoint<'a>, edge: &'a Edge) -> impl Iterator<Item = &'a Sync> {
    let entry = edge.program.and_then(|id| view.reference.network().program(id).nodes.first());
    let alternatives = entry.into_iter().flat_map(|node| &node.alternatives);
    std::iter::once(&edge.sync).chain(alternatives.map(|alternative: &Alternative| &alternative.sync))
}
