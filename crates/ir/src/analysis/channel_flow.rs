//! Which channels a channel variable can hold.
//!
//! Channels are values: they are assigned, passed to processes and sent in messages. A flow-insensitive fixpoint follows
//! them from their declarations through initialisers, assignments, `run` arguments, sends and receives. What is computed
//! by arithmetic, or read from a variable of another type, can be any channel.

use std::collections::{BTreeMap, BTreeSet};

use crate::analysis::{edges_of, slots_of};
use crate::edge::{Action, Sync};
use crate::expr::{Expr, Pattern, Place, Scope};
use crate::frames::ChannelHome;
use crate::network::{Initialiser, Network, TemplateId};
use crate::types::{Channel, ValueType};

/// A declaration of a channel; one in a template stands for a channel of every process of that template.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Origin {
    Global(u32),
    Template { template: TemplateId, index: u32 },
}

/// Something that can hold a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Holder {
    /// A slot of a global variable.
    Global(u32),
    /// A slot of a variable or parameter of a template.
    Local(TemplateId, u32),
    /// A field of the messages in a channel.
    Field(Origin, u32),
}

/// A set of channels. No channel (number 0) is always possible.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChannelSet {
    /// Nothing is known.
    pub any: bool,
    pub origins: BTreeSet<Origin>,
}

impl ChannelSet {
    fn anything() -> ChannelSet {
        ChannelSet { any: true, origins: BTreeSet::new() }
    }

    fn one(origin: Origin) -> ChannelSet {
        ChannelSet { any: false, origins: BTreeSet::from([origin]) }
    }

    /// Adds another set; tells whether anything was new.
    fn join(&mut self, other: &ChannelSet) -> bool {
        let before = (self.any, self.origins.len());
        self.any |= other.any;
        self.origins.extend(&other.origins);
        before != (self.any, self.origins.len())
    }

    /// The numbers of all channels in it, ascending.
    pub fn numbers(&self, network: &Network) -> Vec<i32> {
        let all = 1..network.frames.channels.len() as i32;
        all.filter(|n| self.any || origins_of(network, *n).iter().any(|o| self.origins.contains(o))).collect()
    }
}

/// The declarations that a channel number can stand for.
pub fn origins_of(network: &Network, number: i32) -> Vec<Origin> {
    match network.frames.channel_home(number) {
        None => Vec::new(),
        Some(ChannelHome::Global(index)) => vec![Origin::Global(index)],
        Some(ChannelHome::Process { pid, index }) => {
            let templates = network.frames.processes[pid as usize].templates.iter();
            let declaring = templates.filter(|t| (index as usize) < network.template(**t).channels.len());
            declaring.map(|template| Origin::Template { template: *template, index }).collect()
        }
    }
}

fn declaration(network: &Network, origin: Origin) -> &Channel {
    match origin {
        Origin::Global(index) => &network.channels[index as usize],
        Origin::Template { template, index } => &network.template(template).channels[index as usize],
    }
}

/// The result: what every holder can hold.
#[derive(Clone, Debug, Default)]
pub struct ChannelFlow {
    holders: BTreeMap<Holder, ChannelSet>,
}

impl ChannelFlow {
    pub fn new(network: &Network) -> ChannelFlow {
        let mut flow = ChannelFlow::default();
        while flow.round(network) {}
        flow
    }

    /// What a holder can hold.
    pub fn of(&self, holder: Holder) -> ChannelSet {
        self.holders.get(&holder).cloned().unwrap_or_default()
    }

    /// The channels that an expression can denote in a process of template `own`.
    pub fn channels(&self, network: &Network, expr: &Expr, own: Option<TemplateId>) -> ChannelSet {
        match expr {
            Expr::Const(number) => {
                ChannelSet { any: false, origins: origins_of(network, *number).into_iter().collect() }
            }
            Expr::Read(place) if place.ty == ValueType::Chan => {
                let mut set = ChannelSet::default();
                for holder in holders(place, own) {
                    set.join(&self.of(holder));
                }
                set
            }
            Expr::Conditional(_, then, otherwise) => {
                let mut set = self.channels(network, then, own);
                set.join(&self.channels(network, otherwise, own));
                set
            }
            _ => ChannelSet::anything(),
        }
    }

    /// One round over the whole network; tells whether anything was new.
    fn round(&mut self, network: &Network) -> bool {
        let mut changed = self.initialise(network, &network.initialisers, None);
        for start in &network.start {
            let arguments: Vec<Expr> = start.arguments.iter().map(|a| Expr::Const(*a)).collect();
            changed |= self.create(network, start.template, &arguments, None);
        }
        for template in (0..network.templates.len()).map(|t| TemplateId(t as u32)) {
            changed |= self.initialise(network, &network.template(template).initialisers, Some(template));
            for (_, edge) in edges_of(network, template) {
                changed |= self.communicate(network, &edge.sync, template);
                let nodes = edge.program.into_iter().flat_map(|id| &network.program(id).nodes);
                for alternative in nodes.flat_map(|n| &n.alternatives) {
                    changed |= self.communicate(network, &alternative.sync, template);
                }
                for action in crate::analysis::actions_of(network, edge) {
                    changed |= self.act(network, action, Some(template));
                }
            }
        }
        changed
    }

    fn initialise(&mut self, network: &Network, initialisers: &[Initialiser], own: Option<TemplateId>) -> bool {
        let mut changed = false;
        for initialiser in initialisers {
            changed |= match (initialiser, own) {
                (Initialiser::Assign(action), _) => self.act(network, action, own),
                (Initialiser::Channel { slot, index }, None) => {
                    self.add(Holder::Global(*slot), &ChannelSet::one(Origin::Global(*index)))
                }
                (Initialiser::Channel { slot, index }, Some(template)) => {
                    let origin = Origin::Template { template, index: *index };
                    self.add(Holder::Local(template, *slot), &ChannelSet::one(origin))
                }
            };
        }
        changed
    }

    fn act(&mut self, network: &Network, action: &Action, own: Option<TemplateId>) -> bool {
        match action {
            Action::Assign { target, value } if target.ty == ValueType::Chan => {
                let set = self.channels(network, value, own);
                self.store(target, &set, own)
            }
            Action::Run { template, arguments, result, .. } => {
                let stored = match result {
                    Some(place) if place.ty == ValueType::Chan => self.store(place, &ChannelSet::anything(), own),
                    _ => false,
                };
                self.create(network, *template, arguments, own) || stored
            }
            _ => false,
        }
    }

    fn create(
        &mut self,
        network: &Network,
        template: TemplateId,
        arguments: &[Expr],
        creator: Option<TemplateId>,
    ) -> bool {
        let mut changed = false;
        for (parameter, argument) in network.template(template).variables.iter().zip(arguments) {
            if parameter.ty == ValueType::Chan {
                let set = self.channels(network, argument, creator);
                changed |= self.add(Holder::Local(template, parameter.slot), &set);
            }
        }
        changed
    }

    fn communicate(&mut self, network: &Network, sync: &Sync, own: TemplateId) -> bool {
        let mut changed = false;
        match sync {
            Sync::Send { channel, fields, .. } => {
                for origin in self.origins(network, channel, own) {
                    for (i, ty) in declaration(network, origin).fields.iter().enumerate().take(fields.len()) {
                        if *ty == ValueType::Chan {
                            let set = self.channels(network, &fields[i], Some(own));
                            changed |= self.add(Holder::Field(origin, i as u32), &set);
                        }
                    }
                }
            }
            Sync::Receive { channel, patterns, .. } => {
                for origin in self.origins(network, channel, own) {
                    for (i, ty) in declaration(network, origin).fields.iter().enumerate().take(patterns.len()) {
                        if let Pattern::Bind(place) = &patterns[i]
                            && place.ty == ValueType::Chan
                        {
                            let set = match ty {
                                ValueType::Chan => self.of(Holder::Field(origin, i as u32)),
                                _ => ChannelSet::anything(),
                            };
                            changed |= self.store(place, &set, Some(own));
                        }
                    }
                }
            }
            Sync::None | Sync::Emit { .. } | Sync::Accept { .. } | Sync::Join { .. } => {}
        }
        changed
    }

    fn origins(&self, network: &Network, channel: &Expr, own: TemplateId) -> BTreeSet<Origin> {
        let numbers = self.channels(network, channel, Some(own)).numbers(network);
        numbers.into_iter().flat_map(|n| origins_of(network, n)).collect()
    }

    fn store(&mut self, place: &Place, set: &ChannelSet, own: Option<TemplateId>) -> bool {
        let mut changed = false;
        for holder in holders(place, own) {
            changed |= self.add(holder, set);
        }
        changed
    }

    fn add(&mut self, holder: Holder, set: &ChannelSet) -> bool {
        self.holders.entry(holder).or_default().join(set)
    }
}

/// The holders that a place can denote.
fn holders(place: &Place, own: Option<TemplateId>) -> Vec<Holder> {
    let slots = slots_of(place).into_iter();
    match (&place.scope, own) {
        (Scope::Global, _) => slots.map(Holder::Global).collect(),
        (Scope::Own, Some(own)) => slots.map(|s| Holder::Local(own, s)).collect(),
        (Scope::Own, None) => Vec::new(),
        (Scope::Process { template, .. }, _) => slots.map(|s| Holder::Local(*template, s)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{EdgeSpec, NetworkBuilder, TemplateBuilder};
    use crate::source::Span;

    #[test]
    fn channels_travel_through_parameters_and_messages() {
        let mut net = NetworkBuilder::new("flow");
        let post = net.channel("post", 1, vec![ValueType::Chan], Span::default());
        net.channel("unused", 1, vec![], Span::default());
        let mut client = TemplateBuilder::new("client");
        let (a, b) = (client.location("a"), client.location("b"));
        let to = client.parameter("to", ValueType::Chan);
        let mine = client.local("mine", ValueType::Chan);
        let slot = client.allocate(2);
        let fields = vec![ValueType::Byte];
        client.channels.push(Channel { name: "answer".into(), capacity: 1, fields, slot, span: Span::default() });
        client.initialisers.push(Initialiser::Channel { slot: mine.slot, index: 0 });
        let fields = vec![Expr::read(mine.clone())];
        client.edge(EdgeSpec::new(a, b).sync(Sync::Send { channel: Expr::read(to.clone()), sorted: false, fields }));
        let client = net.template(client, a);
        let mut server = TemplateBuilder::new("server");
        let s = server.location("s");
        let who = server.local("who", ValueType::Chan);
        let patterns = vec![Pattern::Bind(who.clone())];
        server.edge(EdgeSpec::new(s, s).sync(Sync::Receive {
            channel: Expr::Const(post),
            anywhere: false,
            keep: false,
            patterns,
        }));
        let server = net.template(server, s);
        net.start(server, vec![]);
        net.start(client, vec![post]);
        net.start(client, vec![post]);
        let network = net.finish().unwrap();
        let flow = ChannelFlow::new(&network);
        let answer = ChannelSet::one(Origin::Template { template: client, index: 0 });
        assert_eq!(flow.of(Holder::Local(client, to.slot)), ChannelSet::one(Origin::Global(0)));
        assert_eq!(flow.of(Holder::Local(server, who.slot)), answer);
        assert_eq!(answer.numbers(&network), [3, 4]);
        let sum = Expr::binary(crate::expr::BinaryOp::Add, Expr::Const(1), Expr::Const(1));
        assert_eq!(flow.channels(&network, &sum, None).numbers(&network), [1, 2, 3, 4]);
    }
}
