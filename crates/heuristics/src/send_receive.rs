//! **Send and receive.** How full the buffered channels are.
//!
//! - `prefer=receives`: the number of messages in all buffered channels. For deadlocks, which need processes that wait in
//!   vain, and for unspecified receptions; these need a message, so without any the estimate is 1.
//! - `prefer=sends`: the least number of free cells in one channel. For channel overflows, which need a full one.
//! - `prefer=by-target` (default): `sends` if a channel overflow is looked for, else `receives`.
//!
//! Paper: Lin, Chu, Liu 1987 (protocol verification: which transitions to explore first for which kind of error). They
//! order transitions; here the same preference is one for states, so that every search can use it.
//!
//! Claims: safe, because it never reports dead ends. For channel overflows alone, in a model in which no `d_step` sends:
//! consistent, since a micro step fills one cell. Then the estimate is in costs: free cells times the least weight of a
//! step (unless that is 0). Channels of processes that do not exist yet count as empty.
//!
//! Cost: one look at each channel.
//!
//! Fails: in models whose deadlocks come from full channels (use `prefer=sends`) or that have only rendezvous channels:
//! then all states look alike.
//!
//! Example: `greedy(h=send-receive)`; `astar(h=send-receive)` with `--property channel-overflow`.

use bughound_ir::edge::Sync;
use bughound_ir::expr::{Expr, UnaryOp};
use bughound_ir::frames::{LOCATION, PROCESS_COUNT};
use bughound_ir::network::Network;
use bughound_ir::targets::{ErrorCondition, Targets};
use bughound_ir::types::Channel;
use bughound_kernel::registry::{Param, ParamKind};
use bughound_kernel::{Estimate, Heuristic, HeuristicClaims, Situation};

use crate::context::BuildCx;
use crate::registry::Entry;

pub(super) const ENTRY: Entry = Entry {
    name: "send-receive",
    summary: "messages in channels (for deadlocks), or cells left to fill (for channel overflows)",
    cite: "Lin, Chu, Liu 1987",
    params: &[Param {
        name: "prefer",
        summary: "which transitions lead to the error",
        kind: ParamKind::Choice { options: &["by-target", "receives", "sends"] },
    }],
    claims: "safe; consistent for channel overflows where no `d_step` sends",
    build: |cx, args| {
        let sends = match args.choice("prefer") {
            Some("sends") => true,
            Some("receives") => false,
            _ => mentions(cx.targets, &Expr::ChannelOverflow),
        };
        Ok(Box::new(SendReceive::new(cx, sends)))
    },
};

struct SendReceive<'a> {
    network: &'a Network,
    sends: bool,
    /// What remains if no channel holds a message.
    without_messages: u64,
    /// The least capacity of a channel that belongs to a process.
    smallest_local: Option<u64>,
    /// By template: length slots and capacities of its buffered channels, relative to the frame.
    local: Vec<Vec<(usize, u64)>>,
    global: Vec<(usize, u64)>,
    weight: u64,
    consistent: bool,
}

impl<'a> SendReceive<'a> {
    fn new(cx: &BuildCx<'a, '_>, sends: bool) -> Self {
        let network = cx.system.network();
        let local: Vec<_> = network.templates.iter().map(|t| buffered(&t.channels)).collect();
        let weight = network.least_weight();
        let consistent = sends && weight > 0 && is_overflow_only(cx.targets) && !programs_send(network);
        SendReceive {
            network,
            sends,
            without_messages: mentions(cx.targets, &Expr::UnspecifiedReception) as u64,
            smallest_local: local.iter().flatten().map(|(_, capacity)| *capacity).min(),
            local,
            global: buffered(&network.channels),
            weight: if consistent { weight } else { 1 },
            consistent,
        }
    }

    /// Calls `visit` with length and capacity of every buffered channel in a state.
    fn for_each_channel(&self, key: &[i32], visit: &mut dyn FnMut(u64, u64)) {
        let mut visit_at = |base: usize, channels: &[(usize, u64)]| {
            channels.iter().for_each(|(slot, capacity)| visit(key[base + slot] as u64, *capacity));
        };
        visit_at(0, &self.global);
        for frame in &self.network.frames.processes[..key[PROCESS_COUNT] as usize] {
            let base = frame.base as usize;
            let location = key[base + LOCATION as usize] as usize;
            visit_at(base, &self.local[self.network.locations[location].template.0 as usize]);
        }
    }
}

impl Heuristic for SendReceive<'_> {
    fn claims(&self) -> HeuristicClaims {
        if self.consistent { HeuristicClaims::CONSISTENT } else { HeuristicClaims::SAFE }
    }

    fn estimate(&mut self, at: Situation<'_>) -> Estimate {
        let key = at.state.key;
        Estimate::Finite(if self.sends {
            let mut least = self.smallest_local;
            self.for_each_channel(key, &mut |len, capacity| {
                let free = capacity - len;
                least = Some(least.map_or(free, |least| least.min(free)));
            });
            least.unwrap_or(0).saturating_mul(self.weight)
        } else {
            let mut messages = 0;
            self.for_each_channel(key, &mut |len, _| messages += len);
            if messages == 0 { self.without_messages } else { messages }
        })
    }
}

fn buffered(channels: &[Channel]) -> Vec<(usize, u64)> {
    let buffered = channels.iter().filter(|channel| channel.capacity > 0);
    buffered.map(|channel| (channel.slot as usize, u64::from(channel.capacity))).collect()
}

fn mentions(targets: &Targets, error: &Expr) -> bool {
    targets.conditions.iter().any(|c| c.condition.any(|part| part == error))
}

/// Are channel overflows the only errors?
fn is_overflow_only(targets: &Targets) -> bool {
    let is_overflow = |c: &ErrorCondition| match (&c.condition, c.wanted) {
        (Expr::ChannelOverflow, wanted) => wanted,
        (Expr::Unary(UnaryOp::Not, error), wanted) => **error == Expr::ChannelOverflow && !wanted,
        _ => false,
    };
    !targets.deadlock && !targets.failures && targets.claim.is_none() && targets.conditions.iter().all(is_overflow)
}

fn programs_send(network: &Network) -> bool {
    let mut alternatives = network.programs.iter().flat_map(|p| &p.nodes).flat_map(|node| &node.alternatives);
    alternatives.any(|alternative| matches!(alternative.sync, Sync::Send { .. }))
}
