//! Which edges can fail with an evaluation error: what cannot be ruled out counts.
//!
//! Intervals of values show that most indices and divisors are harmless, constants that most channels exist. Whoever
//! must not overlook errors has to take the rest for errors that can happen whenever the edge is tried.

use crate::analysis::Instance;
use crate::analysis::channel_flow::origins_of;
use crate::analysis::constants::{Constants, Environment, fold};
use crate::analysis::ranges::{Interval, Ranges, can_fail, channel_of};
use crate::analysis::slots_of;
use crate::edge::{Action, Condition, Edge, Program, Sync};
use crate::expr::{BinaryOp, Expr, Pattern, Place, Scope};
use crate::frames::{ChannelHome, MAX_CHANNELS};
use crate::network::{Initialiser, Location, Network, TemplateId};
use crate::processes::MAX_PROCESSES;
use crate::types::{Channel, MAX_CLOCK_CONSTANT, ValueType};

pub struct Undefined<'n> {
    network: &'n Network,
    ranges: Ranges,
    outside: Environment,
    /// By template: what each of its instances knows.
    instances: Vec<Vec<(u32, Environment)>>,
    /// There may be no place for a new process.
    crowded: bool,
    /// What locations ask of variables may have no value in the state after a step.
    invariants: bool,
}

impl<'n> Undefined<'n> {
    pub fn new(network: &'n Network, constants: &Constants) -> Self {
        let mut instances = vec![Vec::new(); network.templates.len()];
        for (pid, frame) in network.frames.processes.iter().enumerate() {
            for template in &frame.templates {
                let instance = Instance { pid: pid as u32, template: *template };
                instances[template.0 as usize].push((pid as u32, constants.of(instance)));
            }
        }
        let conditions = network.locations.iter().flat_map(|l| &l.conditions);
        let bounds = network.locations.iter().flat_map(|l| &l.invariant).map(|part| &part.bound);
        let invariants = conditions.clone().chain(bounds.clone()).any(can_fail)
            || bounds.clone().any(|bound| bound.as_const().is_none())
            || network.locations.iter().any(Location::has_uncertain_rate);
        let own_channels = network.templates.iter().map(|t| t.channels.len()).max().unwrap_or(0);
        Undefined {
            network,
            ranges: Ranges::new(network),
            outside: constants.outside(),
            instances,
            crowded: network.frames.processes.len() >= MAX_PROCESSES
                || network.frames.channels.len() + own_channels > MAX_CHANNELS + 1,
            invariants,
        }
    }

    /// Can trying or taking this edge fail?
    pub fn edge(&self, template: TemplateId, edge: &Edge) -> bool {
        let own = Some(template);
        edge.guards.iter().any(|guard| self.expr(guard, own))
            || !edge.clock_guards.is_empty()
            || self.invariants
            || self.sync(&edge.sync, template, false)
            || edge.destinations.iter().any(|d| d.chance.as_const().is_none())
            || edge.program.is_some_and(|id| self.program(self.network.program(id), template))
            || edge.destinations.iter().flat_map(|d| &d.actions).any(|action| match action {
                Action::End => edge.condition != Condition::Youngest,
                action => self.action(action, own),
            })
    }

    /// Can an expression have no value? `own`: the template of the process that evaluates.
    pub fn expr(&self, expr: &Expr, own: Option<TemplateId>) -> bool {
        expr.any(|e| match e {
            Expr::Binary(BinaryOp::Divide | BinaryOp::Remainder, _, divisor) => {
                self.ranges.expression(divisor, own).lo <= 0
            }
            Expr::Read(place) => self.indices(place, own),
            Expr::Channel(_, channel) => self.channel(channel, own),
            Expr::Poll { channel, patterns, .. } => {
                self.channel(channel, own)
                    || self.denoted(channel, own).is_none_or(|channels| {
                        channels.iter().any(|c| c.capacity == 0 || patterns.len() > c.fields.len())
                    })
            }
            Expr::Enabled(_) | Expr::Clock(_) | Expr::Exact(_) => true,
            _ => false,
        })
    }

    fn indices(&self, place: &Place, own: Option<TemplateId>) -> bool {
        place.indices.iter().any(|index| {
            let allowed = Interval::new(0, i64::from(index.len) - 1);
            !self.ranges.expression(&index.value, own).is_within(allowed)
        })
    }

    /// Can a place not be written?
    fn target(&self, place: &Place, own: Option<TemplateId>) -> bool {
        let mut inside = false;
        place.walk(&mut |e| inside |= self.expr(e, own));
        inside || self.indices(place, own) || matches!(place.scope, Scope::Process { .. })
    }

    /// Can a channel expression denote no living channel?
    fn channel(&self, channel: &Expr, own: Option<TemplateId>) -> bool {
        let lives = |number: i32, pid: Option<u32>| match self.network.frames.channel_home(number) {
            Some(ChannelHome::Global(_)) => true,
            Some(ChannelHome::Process { pid: home, .. }) => Some(home) == pid,
            None => false,
        };
        if let Expr::Read(place) = channel
            && place.scope == Scope::Global
        {
            // One of an array of channels that nobody assigns; the index is looked at with all the others.
            let known = |slot| self.outside.globals.get(&slot).is_some_and(|number| lives(*number, None));
            return !slots_of(place).into_iter().all(known);
        }
        let lives_in = |pid: Option<u32>, known: &Environment| {
            fold(channel, known).as_const().is_some_and(|number| lives(number, pid))
        };
        match own {
            None => !lives_in(None, &self.outside),
            Some(own) => !self.instances[own.0 as usize].iter().all(|(pid, known)| lives_in(Some(*pid), known)),
        }
    }

    /// The declarations of the channels that an expression can denote; `None` if nothing is known.
    fn denoted(&self, channel: &Expr, own: Option<TemplateId>) -> Option<Vec<&Channel>> {
        let origins = match fold(channel, &self.outside).as_const() {
            Some(number) => origins_of(self.network, number),
            None => self.ranges.channels(self.network, channel, own?),
        };
        Some(origins.into_iter().map(|origin| channel_of(self.network, origin)).collect())
    }

    /// Can a channel expression denote a rendezvous channel?
    pub fn may_be_rendezvous(&self, channel: &Expr, own: TemplateId) -> bool {
        self.denoted(channel, Some(own)).is_none_or(|channels| channels.iter().any(|c| c.capacity == 0))
    }

    fn sync(&self, sync: &Sync, own: TemplateId, in_program: bool) -> bool {
        let fits = |channel: &Expr, count: usize| {
            let all = self.denoted(channel, Some(own)).unwrap_or_default();
            all.iter().all(|c| c.fields.len() == count)
        };
        let watched = self.network.monitor.is_some();
        match sync {
            Sync::None | Sync::Join { .. } => false,
            Sync::Send { channel, fields, .. } => {
                watched
                    || self.channel(channel, Some(own))
                    || self.expr(channel, Some(own))
                    || fields.iter().any(|field| self.expr(field, Some(own)))
                    || !fits(channel, fields.len())
                    || (in_program && self.may_be_rendezvous(channel, own))
            }
            Sync::Receive { channel, patterns, keep, .. } => {
                watched
                    || self.channel(channel, Some(own))
                    || self.expr(channel, Some(own))
                    || !fits(channel, patterns.len())
                    || (*keep && self.may_be_rendezvous(channel, own))
                    || patterns.iter().any(|pattern| match pattern {
                        Pattern::Any => false,
                        Pattern::Match(e) => self.expr(e, Some(own)),
                        Pattern::Bind(place) => {
                            self.target(place, Some(own)) || matches!(place.ty, ValueType::Range { .. })
                        }
                    })
            }
            Sync::Emit { signal } | Sync::Accept { signal } => {
                let known = |number: i32| number >= 0 && (number as usize) < self.network.signals.len();
                !fold(signal, &self.outside).as_const().is_some_and(known)
            }
        }
    }

    fn assignment(&self, target: &Place, value: &Expr, own: Option<TemplateId>) -> bool {
        let fits = match target.ty {
            ValueType::Range { .. } => self.ranges.expression(value, own).is_within(Interval::of_type(target.ty)),
            _ => true,
        };
        self.expr(value, own) || self.target(target, own) || !fits
    }

    fn action(&self, action: &Action, own: Option<TemplateId>) -> bool {
        let expr = |e: &Expr| self.expr(e, own);
        match action {
            Action::Assign { target, value } => self.assignment(target, value, own),
            Action::Together(assignments) => {
                assignments.iter().any(|(target, value)| self.assignment(target, value, own))
            }
            Action::Assert { condition, .. } => expr(condition),
            Action::Print { arguments, .. } => arguments.iter().any(expr),
            Action::Run { template, arguments, priority, result } => {
                let started = self.network.template(*template);
                let mut parameters = started.variables.iter().take(started.parameters as usize);
                self.crowded
                    || arguments.iter().chain(priority).any(expr)
                    || result.iter().any(|place| self.target(place, own))
                    || parameters.any(|p| matches!(p.ty, ValueType::Range { .. }))
                    || started.initialisers.iter().any(|initialiser| match initialiser {
                        Initialiser::Assign(action) => self.action(action, Some(*template)),
                        Initialiser::Channel { .. } => false,
                    })
            }
            Action::End | Action::SetPriority { .. } => true,
            Action::ResetClock { value, .. } => {
                let allowed = Interval::new(0, MAX_CLOCK_CONSTANT.into());
                expr(value) || !self.ranges.expression(value, own).is_within(allowed)
            }
        }
    }

    fn program(&self, program: &Program, own: TemplateId) -> bool {
        let always = |a: &crate::edge::Alternative| {
            a.condition != Condition::Youngest && a.guards.is_empty() && a.sync == Sync::None
        };
        let may_block = program.nodes.iter().skip(1).any(|node| !node.alternatives.iter().any(always));
        let may_fail = program.nodes.iter().flat_map(|node| &node.alternatives).any(|a| {
            a.guards.iter().any(|guard| self.expr(guard, Some(own)))
                || self.sync(&a.sync, own, true)
                || a.actions.iter().any(|action| self.action(action, Some(own)))
        });
        may_block || may_fail || has_loop(program)
    }
}

fn has_loop(program: &Program) -> bool {
    // Rounds in which nodes without open successors are taken away; a loop is what stays.
    let mut open: Vec<bool> = vec![true; program.nodes.len()];
    loop {
        let closes = |node: usize| {
            let next = program.nodes[node].alternatives.iter().filter_map(|a| a.next);
            open[node] && !next.into_iter().any(|next| open[next as usize])
        };
        match (0..open.len()).find(|node| closes(*node)) {
            Some(node) => open[node] = false,
            None => return open.contains(&true),
        }
    }
}
