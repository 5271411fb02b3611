//! Which variables matter where: live ones, and those that are dead or faint.
//!
//! A variable of a process is *live* at a location if its value there can make a difference to what happens: on some path
//! it is read before it is certainly written, and not only to compute the value of a variable that is itself not live, or
//! to be printed. At all other locations it is *dead*. A variable that is dead everywhere, or a global one whose value makes
//! no difference anywhere, is *faint* (Giegerich, Möncke,
//! Wilhelm 1981): it is only written, or it counts something that nobody looks at.
//!
//! An expression that may have no value (an index, a division) makes a difference by that alone: everything that it reads
//! matters. So does everything that decides whether a step is possible: guards, messages, `provided`, the conditions and
//! bounds of locations. Elements of an array at an index that is not constant are read all together, and none of them is
//! certainly written. What another process, a property or a claim looks at from outside matters everywhere.
//!
//! Computed as a least fixpoint over all templates together: a global matters if it is read for the sake of something that
//! matters, and an argument of a new process if its parameter does.

mod backward;
mod forget;
mod report;
mod slots;

use std::collections::BTreeSet;

use crate::expr::{Expr, Pattern};
use crate::network::{LocationId, Network, TemplateId};

pub use forget::without_dead_variables;
pub use report::{Forgotten, forgotten};

use backward::{Backward, Shared};
use slots::SlotBits;

/// What looks at the states of a network from outside.
#[derive(Clone, Debug, Default)]
pub struct Observers {
    /// Conditions of properties, and whatever else is evaluated in a state.
    pub conditions: Vec<Expr>,
    /// Claims that move along.
    pub claims: Vec<TemplateId>,
    /// A reduction of the steps, which knows what each process never assigns, such as the channels it was given. That stays,
    /// even where it is dead.
    pub reduction: bool,
}

/// The variables that matter, by location.
#[derive(Clone, Debug)]
pub struct LiveVariables {
    shared: Shared,
    /// By location: slots of the own frame.
    at: Vec<SlotBits>,
}

impl LiveVariables {
    pub fn new(network: &Network, observers: &Observers) -> LiveVariables {
        let templates = running_templates(network);
        let none = vec![SlotBits::default(); network.templates.len()];
        let shared = Shared { pinned: none.clone(), entry: none, ..Shared::default() };
        let mut live = LiveVariables { shared, at: vec![SlotBits::default(); network.locations.len()] };
        live.look_from_outside(network, observers);
        loop {
            live.shared.grown = false;
            for template in &templates {
                live.follow(network, *template);
            }
            if !live.shared.grown {
                return live;
            }
        }
    }

    /// Does the value of a global slot matter anywhere?
    pub fn needs_global(&self, slot: u32) -> bool {
        self.shared.globals.contains(slot)
    }

    /// Does the value of a slot of a process's frame matter while it is at this location of its template?
    pub fn is_live(&self, template: TemplateId, location: LocationId, slot: u32) -> bool {
        self.at[location.0 as usize].contains(slot) || self.shared.pinned[template.0 as usize].contains(slot)
    }

    fn look_from_outside(&mut self, network: &Network, observers: &Observers) {
        let mut outside = Backward { network, shared: &mut self.shared, own: None, live: SlotBits::default() };
        observers.conditions.iter().for_each(|condition| outside.read(condition));
        for claim in &observers.claims {
            for location in &network.template(*claim).locations {
                for edge in &network.location(*location).edges {
                    network.edge(*edge).walk_expressions(&mut |part| {
                        if let Expr::Read(_) = part {
                            outside.read(part);
                        }
                    });
                }
            }
        }
        for event in network.monitor.iter().flat_map(|monitor| monitor.events.iter().flatten()) {
            outside.read(&event.channel);
            for field in &event.fields {
                if let Pattern::Match(wanted) = field {
                    outside.read(wanted);
                }
            }
        }
    }

    /// Once through a template, from its end to its beginning.
    fn follow(&mut self, network: &Network, template: TemplateId) {
        let definition = network.template(template);
        for location in definition.locations.iter().rev() {
            let mut here = SlotBits::default();
            for edge in network.location(*location).edges.iter().map(|edge| network.edge(*edge)) {
                let mut behind = SlotBits::default();
                for destination in &edge.destinations {
                    let mut back = self.backward(network, template, self.at[destination.to.0 as usize].clone());
                    back.destination(destination);
                    behind.add(&back.live);
                }
                let mut back = self.backward(network, template, behind);
                back.edge(edge);
                here.add(&back.live);
            }
            let mut back = self.backward(network, template, here);
            definition.provided.iter().for_each(|clause| back.read(clause));
            network.location(*location).conditions.iter().for_each(|condition| back.read(condition));
            network.location(*location).invariant.iter().for_each(|part| back.read(&part.bound));
            network.location(*location).rate.iter().for_each(|rate| back.read(rate));
            let here = back.live;
            self.shared.grown |= self.at[location.0 as usize].add(&here);
        }
        let mut back = self.backward(network, template, self.at[definition.initial.0 as usize].clone());
        back.initialisers(&definition.initialisers);
        let entry = back.live;
        self.shared.grown |= self.shared.entry[template.0 as usize].add(&entry);
        // What others look at matters from the beginning.
        let pinned = self.shared.pinned[template.0 as usize].clone();
        self.shared.grown |= self.shared.entry[template.0 as usize].add(&pinned);
    }

    fn backward<'a>(&'a mut self, network: &'a Network, own: TemplateId, live: SlotBits) -> Backward<'a> {
        Backward { network, shared: &mut self.shared, own: Some(own), live }
    }
}

/// The templates that processes can have; claims are none of them.
fn running_templates(network: &Network) -> BTreeSet<TemplateId> {
    network.frames.processes.iter().flat_map(|frame| frame.templates.iter().copied()).collect()
}
