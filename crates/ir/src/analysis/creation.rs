//! Which process numbers a `run` can give.
//!
//! A new process gets the number of processes that exist. For every instance an interval of that number is computed for
//! every location, by a fixpoint over the control-flow graph; between two steps of a process that does not keep control,
//! others may start processes or end.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use crate::analysis::{Instance, actions_of, edges_of, instances};
use crate::edge::{Action, Condition, Edge, Sync};
use crate::network::{LocationId, Network, TemplateId};

/// How many processes can exist when an instance is at a location.
#[derive(Clone, Debug, Default)]
pub struct Creation {
    counts: HashMap<(Instance, LocationId), (usize, usize)>,
    most: usize,
}

impl Creation {
    pub fn new(network: &Network) -> Creation {
        let most = network.frames.processes.len();
        let all = instances(network);
        let creates = |t: TemplateId| has_action(network, t, |a| matches!(a, Action::Run { .. }));
        let ends = |t: TemplateId| has_action(network, t, |a| matches!(a, Action::End));
        let creators: Vec<bool> = (0..network.templates.len()).map(|t| creates(TemplateId(t as u32))).collect();
        let enders: Vec<bool> = (0..network.templates.len()).map(|t| ends(TemplateId(t as u32))).collect();
        let mut counts = HashMap::new();
        for instance in &all {
            let others = || all.iter().filter(|other| *other != instance);
            let disturbance = Disturbance {
                pid: instance.pid as usize,
                most,
                create: others().any(|o| creators[o.template.0 as usize]),
                end: others().any(|o| o.pid > instance.pid && enders[o.template.0 as usize]),
            };
            follow(network, *instance, &disturbance, &mut counts);
        }
        Creation { counts, most }
    }

    /// Numbers of processes that can exist when this instance stands at this location.
    pub fn count_at(&self, instance: Instance, location: LocationId) -> RangeInclusive<usize> {
        match self.counts.get(&(instance, location)) {
            Some((lo, hi)) => *lo..=*hi,
            None => instance.pid as usize + 1..=self.most,
        }
    }

    /// Process numbers that the `run` which follows `before` others in the same edge can give; empty if there is no room
    /// for it.
    pub fn numbers(&self, instance: Instance, edge: &Edge, before: usize) -> RangeInclusive<usize> {
        let count = self.count_at(instance, edge.from);
        count.start() + before..=(count.end() + before).min(self.most.saturating_sub(1))
    }

    /// Process numbers that any `run` of the edge's program can give.
    pub fn numbers_in_program(&self, instance: Instance, edge: &Edge) -> RangeInclusive<usize> {
        *self.count_at(instance, edge.from).start()..=self.most.saturating_sub(1)
    }
}

/// What others can do to the number of processes between two steps.
struct Disturbance {
    pid: usize,
    most: usize,
    create: bool,
    end: bool,
}

impl Disturbance {
    fn widen(&self, (lo, hi): (usize, usize)) -> (usize, usize) {
        (if self.end { lo.min(self.pid + 1) } else { lo }, if self.create { self.most } else { hi })
    }
}

fn has_action(network: &Network, template: TemplateId, test: impl Fn(&Action) -> bool) -> bool {
    edges_of(network, template).any(|(_, edge)| actions_of(network, edge).any(&test))
}

fn runs(actions: &[Action]) -> usize {
    actions.iter().filter(|a| matches!(a, Action::Run { .. })).count()
}

fn follow(
    network: &Network,
    instance: Instance,
    disturbance: &Disturbance,
    counts: &mut HashMap<(Instance, LocationId), (usize, usize)>,
) {
    let (initially, pid, most) = (network.start.len(), disturbance.pid, disturbance.most);
    // A start process that others started again finds no younger one.
    let arrival = (if pid < initially && !disturbance.end { initially } else { pid + 1 }, initially.max(pid + 1));
    let mut todo = vec![(network.template(instance.template).initial, disturbance.widen(arrival))];
    while let Some((location, (lo, hi))) = todo.pop() {
        let known = counts.get(&(instance, location)).copied();
        let joined = known.map_or((lo, hi), |(a, b)| (a.min(lo), b.max(hi)));
        if known == Some(joined) {
            continue;
        }
        counts.insert((instance, location), joined);
        for id in &network.location(location).edges {
            let edge = network.edge(*id);
            let program = edge.program.map(|p| network.program(p));
            let starts_inside = program.is_some_and(|p| {
                p.nodes.iter().flat_map(|n| &n.alternatives).any(|alternative| runs(&alternative.actions) > 0)
            });
            for destination in &edge.destinations {
                let started = runs(&destination.actions);
                let (lo, hi) = joined;
                let hi = if starts_inside { most } else { hi };
                let after = ((lo + started).min(most), (hi + started).min(most));
                let undisturbed = stays_in_control(network, edge, destination.to);
                todo.push((destination.to, if undisturbed { after } else { disturbance.widen(after) }));
            }
        }
    }
}

/// Is the next step certainly the same process's? A send may pass control to the receiver of a rendezvous.
fn stays_in_control(network: &Network, edge: &Edge, to: LocationId) -> bool {
    let alone = matches!(edge.sync, Sync::None | Sync::Receive { .. });
    edge.keeps_control && alone && network.template(network.location(to).template).provided.is_none() && {
        network.location(to).edges.iter().map(|id| network.edge(*id)).any(|next| {
            let free = next.guards.is_empty() && next.program.is_none() && next.sync == Sync::None;
            !network.uses.priorities && (next.condition == Condition::Else || next.condition == Condition::None) && free
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{EdgeSpec, NetworkBuilder, TemplateBuilder};
    use crate::edge::EdgeId;

    #[test]
    fn a_lone_starter_knows_the_numbers() {
        let mut net = NetworkBuilder::new("starter");
        let mut child = TemplateBuilder::new("child");
        let here = child.location("here");
        let child = net.template(child, here);
        let run = || Action::Run { template: child, arguments: vec![], priority: None, result: None };
        let mut init = TemplateBuilder::new("init");
        let (a, b, c) = (init.location("a"), init.location("b"), init.location("c"));
        init.edge(EdgeSpec::new(a, b).action(run()).action(run()));
        init.edge(EdgeSpec::new(b, c).action(run()));
        let init = net.template(init, a);
        net.start(init, vec![]);
        let network = net.finish().unwrap();
        let creation = Creation::new(&network);
        let instance = Instance { pid: 0, template: init };
        let first = network.edge(EdgeId(0));
        assert_eq!(creation.numbers(instance, first, 0), 1..=1);
        assert_eq!(creation.numbers(instance, first, 1), 2..=2);
        assert_eq!(creation.numbers(instance, network.edge(EdgeId(1)), 0), 3..=3);
    }
}
