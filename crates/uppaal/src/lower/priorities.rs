//! Priorities of channels and processes.
//!
//! `chan priority a < default < b;` ranks channels, the lowest first; what is not mentioned has the rank of `default`, and
//! so have steps without a channel. If `default` is not mentioned either, it is the lowest. `system P < Q;` ranks
//! processes.

use bughound_ir::network::Ranks;
use bughound_ir::source::Span;

use crate::ast;
use crate::lower::expressions::Operand;
use crate::lower::scope::ScopeId;
use crate::lower::types::Space;
use crate::lower::{Lowering, Res};

/// What the declaration says.
#[derive(Clone, Debug, Default)]
pub struct ChannelPriorities {
    pub default: u32,
    /// The first channel, how many, and their rank.
    pub ranked: Vec<(u32, u32, u32)>,
}

impl<'a> Lowering<'a> {
    pub(super) fn channel_priorities(
        &mut self,
        groups: &'a [Vec<Option<ast::Expr>>],
        span: Span,
        scope: ScopeId,
    ) -> Res<()> {
        if scope != self.global {
            return Err(self.error(span, "priorities of channels belong to the global declarations"));
        }
        if self.channel_priorities.is_some() {
            return Err(self.error(span, "the priorities of channels are declared twice"));
        }
        let mut priorities = ChannelPriorities::default();
        for (rank, group) in (0..).zip(groups) {
            for channel in group {
                let Some(channel) = channel else {
                    priorities.default = rank;
                    continue;
                };
                match self.operand(channel, scope)? {
                    Operand::Target(target)
                        if target.ty.space() == Some(Space::Channel) && target.indices.is_empty() =>
                    {
                        priorities.ranked.push((target.slot, target.ty.size() as u32, rank));
                    }
                    operand => {
                        let message = format!("a channel is wanted here, not {}", operand.ty().words());
                        return Err(self.error(channel.span, message));
                    }
                }
            }
        }
        self.channel_priorities = Some(priorities);
        Ok(())
    }

    /// Tells the network about priorities, if there are any. All processes are known.
    pub(super) fn rank_steps(&mut self) {
        let model = self.model;
        if self.channel_priorities.is_none() && model.system.len() < 2 {
            return;
        }
        let channels = self.channel_priorities.clone().unwrap_or_default();
        let mut signals = vec![channels.default; self.builder.so_far().signals.len()];
        for (first, count, rank) in channels.ranked {
            signals[first as usize..(first + count) as usize].fill(rank);
        }
        let group = |family: &str| model.system.iter().position(|group| group.iter().any(|name| name.text == family));
        let processes = self.processes.iter().map(|process| group(&process.family).unwrap_or(0) as u32);
        let processes = processes.collect();
        self.builder.ranks(Ranks { signals, silent: channels.default, processes });
    }
}
