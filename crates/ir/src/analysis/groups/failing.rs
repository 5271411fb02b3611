//! Which edges can fail: an assertion that may be false, an expression that may have no value, a channel that may be none.
//!
//! A search for shortest errors may leave out steps only if it keeps those that can fail, so every doubt means yes.

use super::making::Work;
use crate::analysis::constants::fold;
use crate::analysis::ranges::Interval;
use crate::edge::{Action, Edge, Sync};
use crate::expr::{BinaryOp, Expr, Pattern, Place, Scope};
use crate::frames::ChannelHome;
use crate::types::ValueType;

impl Work<'_> {
    /// Can this edge of a process fail when it is tried or taken?
    pub(super) fn may_fail(&self, member: usize, edge: &Edge) -> bool {
        let network = &self.maker.network;
        let template = network.template(self.members[member].instance.template);
        // What goes on inside of a program is not looked into.
        if edge.program.is_some() || template.deterministic {
            return true;
        }
        let has_value = |e: &Expr| self.has_value(member, e);
        edge.guards.iter().chain(&template.provided).any(|guard| !has_value(guard))
            || self.communication_may_fail(member, &edge.sync)
            || edge.destinations.iter().flat_map(|d| &d.actions).any(|action| match action {
                Action::Assign { target, value } => !self.is_there(member, target) || !has_value(value),
                Action::Together(assignments) => {
                    assignments.iter().any(|(target, value)| !self.is_there(member, target) || !has_value(value))
                }
                Action::Assert { condition, .. } => !self.is_true(member, condition),
                Action::Print { arguments, .. } => arguments.iter().any(|e| !has_value(e)),
                Action::End => false,
                Action::Run { .. } | Action::SetPriority { .. } | Action::ResetClock { .. } => true,
            })
    }

    fn is_true(&self, member: usize, condition: &Expr) -> bool {
        self.has_value(member, condition) && self.interval(member, condition).truth() == Some(true)
    }

    fn interval(&self, member: usize, expr: &Expr) -> Interval {
        let Self { maker, members, .. } = self;
        maker.ranges.expression(&fold(expr, &members[member].known), Some(members[member].instance.template))
    }

    /// Does an expression have a value wherever it is evaluated?
    pub(super) fn has_value(&self, member: usize, expr: &Expr) -> bool {
        !fold(expr, &self.members[member].known).any(|part| match part {
            Expr::Binary(BinaryOp::Divide | BinaryOp::Remainder, _, by) => {
                let by = self.interval(member, by);
                by.lo <= 0 && by.hi >= -1
            }
            Expr::Read(place) => !self.indices_fit(member, place),
            Expr::Channel(_, channel) => self.certain_channel(member, channel).is_none(),
            Expr::Poll { channel, patterns, .. } => {
                self.certain_channel(member, channel).filter(|fields| *fields == patterns.len()).is_none()
                    || self.may_be_rendezvous(member, channel)
                    || self.patterns_may_fail(member, patterns)
            }
            // What `timeout` and the like look at is the matter of others.
            Expr::Const(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::Conditional(..) => false,
            Expr::OwnPid | Expr::ProcessCount | Expr::FirstOf(_) | Expr::Timeout => false,
            Expr::At { .. } | Expr::LocationNumber(_) | Expr::Holds(_) => false,
            _ => true,
        })
    }

    fn indices_fit(&self, member: usize, place: &Place) -> bool {
        place.indices.iter().all(|index| {
            let Interval { lo, hi } = self.interval(member, &index.value);
            lo >= 0 && hi < i64::from(index.len)
        })
    }

    /// Can something always be stored here?
    fn is_there(&self, member: usize, place: &Place) -> bool {
        let has_bounds = matches!(place.ty, ValueType::Range { .. });
        let indices_have_values = place.indices.iter().all(|index| self.has_value(member, &index.value));
        !has_bounds
            && !matches!(place.scope, Scope::Process { .. })
            && indices_have_values
            && self.indices_fit(member, place)
    }

    /// How many fields the messages of a channel have, if it is known and exists as long as the system does.
    fn certain_channel(&self, member: usize, channel: &Expr) -> Option<usize> {
        let number = fold(channel, &self.members[member].known).as_const()?;
        match self.maker.network.frames.channel_home(number)? {
            ChannelHome::Global(index) => Some(self.maker.network.channels[index as usize].fields.len()),
            ChannelHome::Process { .. } => None,
        }
    }

    fn patterns_may_fail(&self, member: usize, patterns: &[Pattern]) -> bool {
        patterns.iter().any(|pattern| match pattern {
            Pattern::Any => false,
            Pattern::Match(value) => !self.has_value(member, value),
            Pattern::Bind(place) => !self.is_there(member, place),
        })
    }

    /// Can it be one without a buffer? Nobody can look into those.
    fn may_be_rendezvous(&self, member: usize, channel: &Expr) -> bool {
        let number = fold(channel, &self.members[member].known).as_const();
        match number.and_then(|number| self.maker.network.frames.channel_home(number)) {
            Some(ChannelHome::Global(index)) => self.maker.network.channels[index as usize].capacity == 0,
            _ => true,
        }
    }

    fn communication_may_fail(&self, member: usize, sync: &Sync) -> bool {
        match sync {
            Sync::None => false,
            Sync::Send { channel, fields, .. } => {
                self.certain_channel(member, channel) != Some(fields.len())
                    || fields.iter().any(|field| !self.has_value(member, field))
            }
            Sync::Receive { channel, patterns, .. } => {
                self.certain_channel(member, channel) != Some(patterns.len())
                    || self.patterns_may_fail(member, patterns)
            }
            Sync::Emit { .. } | Sync::Accept { .. } | Sync::Join { .. } => true,
        }
    }
}
