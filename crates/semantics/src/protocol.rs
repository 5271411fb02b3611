//! Errors of protocols, as the engine sees them; `bughound_ir::reference::protocol` says what they are.

use bughound_ir::edge::Condition;
use bughound_ir::frames::PROCESS_COUNT;

use crate::code::{Code, EdgeCode, SyncCode};
use crate::machine::{ChannelAt, Context, Machine};

impl Machine {
    /// Can some process only receive, and none of the messages that wait for it?
    pub fn unspecified_reception(&self, cx: Context<'_>) -> bool {
        (0..cx.key[PROCESS_COUNT] as usize).any(|pid| {
            let cx = Context { pid, base: self.base(pid), timeout: false, ..cx };
            let edges = &self.edges[self.location(cx.key, pid)];
            let mut waiting = false;
            edges.iter().all(|edge| self.only_unexpected(cx, edge, &mut waiting)) && waiting
        })
    }

    /// Can the process only receive with this edge, and not now? Notes whether messages wait for it.
    fn only_unexpected(&self, cx: Context<'_>, edge: &EdgeCode, waiting: &mut bool) -> bool {
        if edge.condition != Condition::None {
            return false;
        }
        let Some(program) = edge.program else {
            return self.waits(cx, &edge.sync, waiting)
                && self.is_possible(cx, &edge.guards, &edge.sync, None) == Ok(false);
        };
        let entry = &self.programs[program as usize].nodes[0];
        matches!(edge.sync, SyncCode::None)
            && entry.iter().all(|a| a.condition == Condition::None && self.waits(cx, &a.sync, waiting))
            && match self.guards_hold(cx, &edge.guards) {
                Ok(true) => matches!(self.choose(cx, entry, None, false), Ok(None)),
                Ok(false) => true,
                Err(_) => false,
            }
    }

    /// A receive from a buffered channel. Notes whether a message waits there.
    fn waits(&self, cx: Context<'_>, sync: &SyncCode, waiting: &mut bool) -> bool {
        let SyncCode::Receive { channel, .. } = sync else { return false };
        let Some(channel) = self.buffered(cx, channel) else { return false };
        *waiting |= channel.len(cx.key) > 0;
        true
    }

    /// Can some process send to a full channel, as far as its guards are concerned?
    pub fn channel_overflow(&self, cx: Context<'_>) -> bool {
        (0..cx.key[PROCESS_COUNT] as usize).any(|pid| {
            let cx = Context { pid, base: self.base(pid), timeout: false, ..cx };
            self.edges[self.location(cx.key, pid)].iter().any(|edge| self.overflows(cx, edge))
        })
    }

    fn overflows(&self, cx: Context<'_>, edge: &EdgeCode) -> bool {
        let tries = |condition: Condition, guards: &[Code]| {
            condition == Condition::None && self.guards_hold(cx, guards) == Ok(true)
        };
        let full = |sync: &SyncCode| match sync {
            SyncCode::Send { channel, .. } => {
                self.buffered(cx, channel).is_some_and(|c| c.len(cx.key) == c.decl.capacity as usize)
            }
            _ => false,
        };
        let entry = |program: u32| &self.programs[program as usize].nodes[0];
        tries(edge.condition, &edge.guards)
            && (full(&edge.sync)
                || edge
                    .program
                    .is_some_and(|p| entry(p).iter().any(|a| tries(a.condition, &a.guards) && full(&a.sync))))
    }

    fn buffered(&self, cx: Context<'_>, channel: &Code) -> Option<ChannelAt<'_>> {
        let channel = self.channel(cx.key, self.eval(cx, channel).ok()?).ok()?;
        (!channel.is_rendezvous()).then_some(channel)
    }
}
