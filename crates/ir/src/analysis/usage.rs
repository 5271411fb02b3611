//! Who reads and writes each variable, and who uses each channel: by template, for reports and warnings.
//!
//! Flow-insensitive: what an edge could do counts, whether or not it can ever be taken. Initial values are no writes.

use std::collections::{BTreeMap, BTreeSet};

use crate::analysis::channel_flow::{ChannelFlow, Origin};
use crate::analysis::{actions_of, edges_of, slots_of};
use crate::edge::{Action, Edge, Sync};
use crate::expr::{Expr, Pattern, Place, Scope};
use crate::network::{Initialiser, Network, TemplateId};
use crate::types::Variable;

/// A variable by its declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum VariableId {
    /// Index into the variables of the network.
    Global(u32),
    /// Index into the variables of the template.
    Local(TemplateId, u32),
}

/// Who uses a variable.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VariableUse {
    pub readers: BTreeSet<TemplateId>,
    pub writers: BTreeSet<TemplateId>,
    /// A property looks at it.
    pub in_property: bool,
}

/// Who uses a channel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChannelUse {
    pub senders: BTreeSet<TemplateId>,
    pub receivers: BTreeSet<TemplateId>,
    /// Who only looks at its contents: polls, `len`, `full`, …
    pub observers: BTreeSet<TemplateId>,
}

/// The variables of a scope by slot.
#[derive(Clone, Debug, Default)]
pub struct SlotOwners {
    globals: BTreeMap<u32, u32>,
    locals: Vec<BTreeMap<u32, u32>>,
}

impl SlotOwners {
    pub fn new(network: &Network) -> SlotOwners {
        let owners = |variables: &[Variable]| -> BTreeMap<u32, u32> {
            let all = variables.iter().enumerate();
            all.flat_map(|(index, v)| v.elements().into_iter().map(move |(slot, _)| (slot, index as u32))).collect()
        };
        let locals = network.templates.iter().map(|t| owners(&t.variables)).collect();
        SlotOwners { globals: owners(&network.variables), locals }
    }

    /// The variable at a slot of the globals.
    pub fn global(&self, slot: u32) -> Option<VariableId> {
        self.globals.get(&slot).map(|index| VariableId::Global(*index))
    }

    /// The variable at a slot of the frame of a template.
    pub fn local(&self, template: TemplateId, slot: u32) -> Option<VariableId> {
        self.locals[template.0 as usize].get(&slot).map(|index| VariableId::Local(template, *index))
    }

    /// The variable that a place in a process of template `own` is part of.
    pub fn of(&self, place: &Place, own: Option<TemplateId>) -> Option<VariableId> {
        let slot = *slots_of(place).first()?;
        match (&place.scope, own) {
            (Scope::Global, _) => self.global(slot),
            (Scope::Own, Some(own)) => self.local(own, slot),
            (Scope::Own, None) => None,
            (Scope::Process { template, .. }, _) => self.local(*template, slot),
        }
    }
}

/// The use of everything.
#[derive(Clone, Debug, Default)]
pub struct Usage {
    variables: BTreeMap<VariableId, VariableUse>,
    channels: BTreeMap<Origin, ChannelUse>,
}

impl Usage {
    pub fn new(network: &Network) -> Usage {
        let owners = SlotOwners::new(network);
        let flow = ChannelFlow::new(network);
        let mut usage = Usage::default();
        for template in (0..network.templates.len()).map(|t| TemplateId(t as u32)) {
            let mut work = Work { network, owners: &owners, flow: &flow, template, usage: &mut usage };
            for (_, edge) in edges_of(network, template) {
                work.edge(edge);
            }
            network.template(template).provided.iter().for_each(|e| e.walk(&mut |e| work.expression(e)));
            let rates = network.template(template).locations.iter().filter_map(|l| network.location(*l).rate.as_ref());
            rates.for_each(|rate| rate.walk(&mut |e| work.expression(e)));
            for initialiser in &network.template(template).initialisers {
                if let Initialiser::Assign(Action::Assign { value, .. }) = initialiser {
                    value.walk(&mut |e| work.expression(e));
                }
            }
        }
        for property in &network.properties {
            for condition in property.question.conditions() {
                condition.walk(&mut |e| {
                    if let Expr::Read(place) = e
                        && let Some(variable) = owners.of(place, None)
                    {
                        usage.variables.entry(variable).or_default().in_property = true;
                    }
                });
            }
        }
        usage
    }

    pub fn variable(&self, variable: VariableId) -> VariableUse {
        self.variables.get(&variable).cloned().unwrap_or_default()
    }

    pub fn channel(&self, channel: Origin) -> ChannelUse {
        self.channels.get(&channel).cloned().unwrap_or_default()
    }
}

struct Work<'a> {
    network: &'a Network,
    owners: &'a SlotOwners,
    flow: &'a ChannelFlow,
    template: TemplateId,
    usage: &'a mut Usage,
}

impl Work<'_> {
    fn edge(&mut self, edge: &Edge) {
        edge.walk_expressions(&mut |e| self.expression(e));
        let program = edge.program.map(|id| self.network.program(id));
        if let Some(program) = program {
            program.walk_expressions(&mut |e| self.expression(e));
        }
        let inside = program.iter().flat_map(|p| &p.nodes).flat_map(|n| &n.alternatives).map(|a| &a.sync);
        for sync in inside.chain([&edge.sync]) {
            self.sync(sync);
        }
        for action in actions_of(self.network, edge) {
            match action {
                Action::Assign { target, .. } => self.write(target),
                Action::Together(assignments) => assignments.iter().for_each(|(target, _)| self.write(target)),
                Action::Run { result: Some(place), .. } => self.write(place),
                _ => {}
            }
        }
    }

    fn expression(&mut self, expr: &Expr) {
        match expr {
            Expr::Read(place) => {
                if let Some(variable) = self.owners.of(place, Some(self.template)) {
                    self.usage.variables.entry(variable).or_default().readers.insert(self.template);
                }
            }
            Expr::Channel(_, channel) | Expr::Poll { channel, .. } => {
                self.channel(channel, |usage| &mut usage.observers);
            }
            _ => {}
        }
    }

    fn sync(&mut self, sync: &Sync) {
        match sync {
            Sync::Send { channel, .. } => self.channel(channel, |usage| &mut usage.senders),
            Sync::Receive { channel, patterns, .. } => {
                self.channel(channel, |usage| &mut usage.receivers);
                for pattern in patterns {
                    if let Pattern::Bind(place) = pattern {
                        self.write(place);
                    }
                }
            }
            Sync::None | Sync::Emit { .. } | Sync::Accept { .. } | Sync::Join { .. } => {}
        }
    }

    fn write(&mut self, place: &Place) {
        if let Some(variable) = self.owners.of(place, Some(self.template)) {
            self.usage.variables.entry(variable).or_default().writers.insert(self.template);
        }
    }

    fn channel(&mut self, channel: &Expr, who: impl Fn(&mut ChannelUse) -> &mut BTreeSet<TemplateId>) {
        let set = self.flow.channels(self.network, channel, Some(self.template));
        let origins = if set.any { all_channels(self.network) } else { set.origins.into_iter().collect() };
        for origin in origins {
            who(self.usage.channels.entry(origin).or_default()).insert(self.template);
        }
    }
}

/// Every declaration of a channel.
pub fn all_channels(network: &Network) -> Vec<Origin> {
    let mut all: Vec<Origin> = (0..network.channels.len() as u32).map(Origin::Global).collect();
    for (at, template) in network.templates.iter().enumerate() {
        let template_id = TemplateId(at as u32);
        let own = 0..template.channels.len() as u32;
        all.extend(own.map(|index| Origin::Template { template: template_id, index }));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{EdgeSpec, NetworkBuilder, TemplateBuilder};
    use crate::source::Span;
    use crate::types::ValueType;

    #[test]
    fn readers_writers_senders_and_receivers() {
        let mut net = NetworkBuilder::new("usage");
        let (x, y) = (net.global("x", ValueType::Byte), net.global("y", ValueType::Byte));
        let c = net.channel("c", 1, vec![ValueType::Byte], Span::default());
        let mut t = TemplateBuilder::new("t");
        let here = t.location("here");
        t.edge(EdgeSpec::new(here, here).guard(Expr::read(x.clone())).assign(y.clone(), Expr::Const(1)));
        let fields = vec![Expr::read(x.clone())];
        t.edge(EdgeSpec::new(here, here).sync(Sync::Send { channel: Expr::Const(c), sorted: false, fields }));
        let t = net.template(t, here);
        net.start(t, vec![]);
        let network = net.finish().unwrap();
        let usage = Usage::new(&network);
        let variable = |index| usage.variable(VariableId::Global(index));
        assert_eq!((variable(0).readers.len(), variable(0).writers.len()), (1, 0));
        assert_eq!((variable(1).readers.len(), variable(1).writers.len()), (0, 1));
        let channel = usage.channel(Origin::Global(0));
        assert_eq!((channel.senders.len(), channel.receivers.len()), (1, 0));
    }
}
