//! Random conditions over the variables, channels and locations of a network.

use bughound_ir::expr::{BinaryOp, ChannelQuery, Expr, Index, Pattern, Place, Scope};
use bughound_ir::frames::{LOCATION, PROCESS_COUNT};
use bughound_ir::network::{LocationId, Network, TemplateId};
use bughound_ir::targets::ErrorCondition;
use bughound_ir::types::Channel;
use bughound_kernel::StateBuf;

use crate::random_promela::Rng;

/// A condition that some of these states satisfies: one to three facts about it, sometimes the negation of their
/// negation. There must be a state.
pub fn satisfied(network: &Network, states: &[StateBuf], rng: &mut Rng) -> ErrorCondition {
    let state = rng.pick(states);
    let count = rng.range(1, 3);
    let facts = (0..count).map(|_| fact(network, state, rng));
    let all = facts.reduce(|a, b| Expr::binary(BinaryOp::And, a, b)).unwrap_or(Expr::Const(1));
    match rng.chance(50) {
        true => ErrorCondition { condition: all, wanted: true },
        false => ErrorCondition { condition: all.not(), wanted: false },
    }
}

/// Something that is true in a state.
fn fact(network: &Network, state: &StateBuf, rng: &mut Rng) -> Expr {
    let processes = state.key[PROCESS_COUNT] as usize;
    match rng.below(7) {
        4..6 => match message(network, state, rng) {
            Some(poll) => poll,
            None => remote(network, state, rng),
        },
        6 => remote(network, state, rng),
        0 if !network.channels.is_empty() => {
            let channel = rng.below(network.channels.len());
            let len = match &network.channels[channel] {
                c if c.capacity > 0 => state.key[c.slot as usize],
                _ => 0,
            };
            let number = Box::new(Expr::Const(channel as i32 + 1));
            let capacity = network.channels[channel].capacity.max(1) as i32;
            let query = match len {
                0 => ChannelQuery::Empty,
                len if len == capacity => ChannelQuery::Full,
                _ => ChannelQuery::NotEmpty,
            };
            Expr::Channel(query, number)
        }
        1 if !network.variables.is_empty() => {
            let variable = rng.pick(&network.variables);
            let read = Expr::read(Place::global(variable.slot, variable.ty));
            let value = state.key[variable.slot as usize];
            let op = *rng.pick(&[BinaryOp::Equal, BinaryOp::LessEqual, BinaryOp::GreaterEqual]);
            Expr::binary(op, read, Expr::Const(value))
        }
        _ if processes > 0 => {
            let pid = rng.below(processes);
            let slot = (network.frames.processes[pid].base + LOCATION) as usize;
            Expr::At { pid: Box::new(Expr::Const(pid as i32)), location: LocationId(state.key[slot] as u32) }
        }
        _ => Expr::binary(BinaryOp::Equal, Expr::ProcessCount, Expr::Const(processes as i32)),
    }
}

/// A message that lies in a channel.
fn message(network: &Network, state: &StateBuf, rng: &mut Rng) -> Option<Expr> {
    let length = |channel: &Channel| if channel.capacity > 0 { state.key[channel.slot as usize] as usize } else { 0 };
    let filled: Vec<usize> = (0..network.channels.len()).filter(|at| length(&network.channels[*at]) > 0).collect();
    let number = *filled.get(rng.below(filled.len().max(1)))?;
    let channel = &network.channels[number];
    let place = rng.below(length(channel));
    let first = channel.slot as usize + 1 + place * channel.fields.len();
    let patterns = (0..channel.fields.len()).map(|field| match rng.chance(80) {
        true => Pattern::Match(Expr::Const(state.key[first + field])),
        false => Pattern::Any,
    });
    let patterns = patterns.collect();
    let anywhere = place > 0 || rng.chance(50);
    Some(Expr::Poll { channel: Box::new(Expr::Const(number as i32 + 1)), anywhere, patterns })
}

/// What a variable of a process holds, which is 0 if there is no such process.
fn remote(network: &Network, state: &StateBuf, rng: &mut Rng) -> Expr {
    let frames = &network.frames.processes;
    let pid = rng.below(frames.len());
    let frame = &frames[pid];
    let template = *rng.pick(&frame.templates);
    let variables = network.template(template).variables.iter().filter(|variable| variable.dims.is_empty());
    let variables: Vec<_> = variables.collect();
    let Some(variable) = variables.get(rng.below(variables.len().max(1))) else {
        return Expr::binary(BinaryOp::Equal, Expr::ProcessCount, Expr::Const(state.key[PROCESS_COUNT]));
    };
    let location = state.key.get((frame.base + LOCATION) as usize);
    let exists = location.is_some_and(|at| network.location(LocationId(*at as u32)).template == template);
    let value = if exists { state.key[(frame.base + variable.slot) as usize] } else { 0 };
    let scope = Scope::Process { pid: Box::new(Expr::Const(pid as i32)), template };
    Expr::read(Place { scope, slot: variable.slot, indices: Vec::new(), ty: variable.ty }).equals(Expr::Const(value))
}

/// Any condition, which may be satisfied nowhere or everywhere.
pub fn random(network: &Network, rng: &mut Rng) -> ErrorCondition {
    let condition = formula(network, rng, 3);
    ErrorCondition { condition, wanted: rng.chance(50) }
}

fn formula(network: &Network, rng: &mut Rng, depth: u32) -> Expr {
    let sub = |rng: &mut Rng| formula(network, rng, depth.saturating_sub(1));
    match if depth == 0 { 9 } else { rng.below(10) } {
        0..3 => Expr::binary(BinaryOp::And, sub(rng), sub(rng)),
        3..5 => Expr::binary(BinaryOp::Or, sub(rng), sub(rng)),
        5 => sub(rng).not(),
        6 if rng.chance(30) => Expr::Conditional(Box::new(sub(rng)), Box::new(sub(rng)), Box::new(sub(rng))),
        7 if rng.chance(30) => sub(rng).equals(Expr::Const(rng.below(2) as i32)),
        _ => atom(network, rng),
    }
}

fn atom(network: &Network, rng: &mut Rng) -> Expr {
    let comparisons = [
        BinaryOp::Less,
        BinaryOp::LessEqual,
        BinaryOp::Greater,
        BinaryOp::GreaterEqual,
        BinaryOp::Equal,
        BinaryOp::NotEqual,
    ];
    let comparison = comparisons[rng.below(6)];
    let constant = Expr::Const(rng.below(6) as i32 - 1);
    let channel =
        (!network.channels.is_empty()).then(|| Box::new(Expr::Const(1 + rng.below(network.channels.len()) as i32)));
    match (rng.below(12), channel) {
        (0, Some(channel)) => Expr::Channel(ChannelQuery::Full, channel),
        (1, Some(channel)) => Expr::Channel(ChannelQuery::Empty, channel),
        (2, Some(channel)) => Expr::Channel(ChannelQuery::NotFull, channel),
        (3, Some(channel)) => Expr::binary(comparison, Expr::Channel(ChannelQuery::Length, channel), constant),
        (4, Some(channel)) => {
            let pattern = if rng.chance(70) { Pattern::Match(constant) } else { Pattern::Any };
            Expr::Poll { channel, anywhere: rng.chance(30), patterns: vec![pattern] }
        }
        (5..9, _) => at(network, rng),
        _ => match variable(network, rng) {
            Some(value) if rng.chance(50) => Expr::binary(comparison, value, constant),
            Some(value) => Expr::binary(comparison, constant, value),
            None => at(network, rng),
        },
    }
}

fn at(network: &Network, rng: &mut Rng) -> Expr {
    let processes = &network.frames.processes;
    let pid = rng.below(processes.len());
    let templates = &processes[pid].templates;
    let template: TemplateId = templates[rng.below(templates.len())];
    let locations = &network.template(template).locations;
    let location: LocationId = locations[rng.below(locations.len())];
    let pid = if rng.chance(80) { Expr::Const(pid as i32) } else { Expr::FirstOf(template) };
    Expr::At { pid: Box::new(pid), location }
}

fn variable(network: &Network, rng: &mut Rng) -> Option<Expr> {
    // The state of a monitor is no variable of the user.
    let hidden = network.monitor.as_ref().map(|monitor| monitor.slot);
    let variables: Vec<_> = network.variables.iter().filter(|v| Some(v.slot) != hidden).collect();
    let variable = variables.get(rng.below(variables.len().max(1)))?;
    let indices = variable.dims.iter().map(|dim| {
        let value = if rng.chance(60) || variables[0].dims.len() == 1 {
            Expr::Const(rng.below(dim.len as usize) as i32)
        } else {
            Expr::read(Place::global(variables[0].slot, variables[0].ty)) // may be out of range
        };
        Index { value, len: dim.len, stride: dim.stride }
    });
    let indices = indices.collect();
    Some(Expr::read(Place { scope: Scope::Global, slot: variable.slot, indices, ty: variable.ty }))
}
