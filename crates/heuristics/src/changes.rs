//! How much one micro step can change a variable or a channel, at most.
//!
//! A micro step is one edge of one process, or two that meet in a rendezvous, or a team that hears a broadcast. Edges with
//! merged statements and the programs of a `d_step` can do several things at once. What is computed here bounds all of
//! that from above, for every run.

use bughound_ir::analysis::channel_flow::{ChannelFlow, Origin};
use bughound_ir::analysis::{edges_of, slots_of};
use bughound_ir::edge::{Action, Edge, Program, Sync};
use bughound_ir::expr::{BinaryOp, Expr, Pattern, Place, Scope};
use bughound_ir::network::{Initialiser, Network, TemplateId};

use bughound_ir::analysis::has_rendezvous;

/// The largest changes of a number in one micro step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rates {
    pub up: u64,
    pub down: u64,
}

/// The most that one micro step can do to a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traffic {
    pub sends: u64,
    pub receives: u64,
    /// Both together.
    pub operations: u64,
    /// A message can be inserted before others.
    pub sorted: bool,
}

pub struct Changes<'n> {
    network: &'n Network,
    flow: ChannelFlow,
    rendezvous: bool,
    /// The templates of processes; claims are left out.
    templates: Vec<TemplateId>,
}

/// More than any number of steps can be told apart from.
const UNBOUNDED: u64 = u64::MAX;

impl<'n> Changes<'n> {
    pub fn new(network: &'n Network) -> Self {
        let mut templates: Vec<TemplateId> =
            network.frames.processes.iter().flat_map(|frame| frame.templates.iter().copied()).collect();
        templates.sort_unstable();
        templates.dedup();
        Changes { network, flow: ChannelFlow::new(network), rendezvous: has_rendezvous(network), templates }
    }

    /// The edges of all processes.
    pub fn edges(&self) -> impl Iterator<Item = (TemplateId, &'n Edge)> + '_ {
        let of = |template: &TemplateId| {
            let template = *template;
            edges_of(self.network, template).map(move |(_, edge)| (template, edge))
        };
        self.templates.iter().flat_map(of)
    }

    /// The most that a micro step can do if an edge can do `amount`.
    fn most(&self, amount: impl Fn(TemplateId, &Edge) -> u64) -> u64 {
        let (mut alone, mut sender, mut receiver) = (0, 0, 0);
        for (template, edge) in self.edges() {
            let amount = amount(template, edge);
            alone = amount.max(alone);
            match edge.sync {
                Sync::Send { .. } => sender = amount.max(sender),
                Sync::Receive { .. } => receiver = amount.max(receiver),
                _ if edge.program.is_some() => receiver = amount.max(receiver),
                _ => {}
            }
        }
        if !self.network.signals.is_empty() {
            return alone.saturating_mul(self.network.frames.processes.len() as u64);
        }
        if self.rendezvous { alone.max(sender.saturating_add(receiver)) } else { alone }
    }

    /// The most that an edge can do if its parts can do `sync` and `action`.
    fn of_edge(&self, edge: &Edge, sync: &dyn Fn(&Sync) -> u64, action: &dyn Fn(&Action) -> u64) -> u64 {
        let act = |actions: &[Action]| actions.iter().map(action).fold(0, u64::saturating_add);
        let arriving = edge.destinations.iter().map(|d| act(&d.actions)).max().unwrap_or(0);
        let inside = edge.program.map_or(0, |id| of_program(self.network.program(id), sync, &act));
        sync(&edge.sync).saturating_add(inside).saturating_add(arriving)
    }

    /// What can happen to the length of a global channel.
    pub fn channel(&self, index: u32) -> Traffic {
        let reaches = |template: TemplateId, channel: &Expr| {
            let set = self.flow.channels(self.network, channel, Some(template));
            set.any || set.origins.contains(&Origin::Global(index))
        };
        let count = |send: bool, receive: bool| {
            self.most(|template, edge| {
                let sync = |sync: &Sync| match sync {
                    Sync::Send { channel, .. } => u64::from(send && reaches(template, channel)),
                    Sync::Receive { channel, keep: false, .. } => u64::from(receive && reaches(template, channel)),
                    _ => 0,
                };
                self.of_edge(edge, &sync, &|_| 0)
            })
        };
        let sorted = self.most(|template, edge| {
            let sync = |sync: &Sync| match sync {
                Sync::Send { channel, sorted: true, .. } => u64::from(reaches(template, channel)),
                _ => 0,
            };
            self.of_edge(edge, &sync, &|_| 0)
        });
        Traffic {
            sends: count(true, false),
            receives: count(false, true),
            operations: count(true, true),
            sorted: sorted > 0,
        }
    }

    /// What can happen to a global variable, if it is only ever counted up and down by constants.
    pub fn counter(&self, slot: u32) -> Option<Rates> {
        let monitored = self.network.monitor.as_ref().is_some_and(|monitor| monitor.slot == slot);
        let hidden = monitored || self.network.hidden_slots().contains(&slot);
        let made = self.network.templates.iter().flat_map(|t| &t.initialisers);
        let set_at_creation = made.into_iter().any(|initialiser| {
            matches!(initialiser, Initialiser::Assign(Action::Assign { target, .. }) if touches(target, slot))
        });
        // Of a vector, any number of processes may change it in one step.
        if hidden || set_at_creation || !self.network.vectors.is_empty() {
            return None;
        }
        let delta = |action: &Action| match action {
            Action::Assign { target, value } if touches(target, slot) => increment(target, value),
            Action::Together(assignments) if assignments.iter().any(|(target, _)| touches(target, slot)) => None,
            Action::Run { result: Some(place), .. } if touches(place, slot) => None,
            _ => Some(0),
        };
        let received = |sync: &Sync| {
            let Sync::Receive { patterns, .. } = sync else { return false };
            patterns.iter().any(|p| matches!(p, Pattern::Bind(place) if touches(place, slot)))
        };
        let is_set = self.edges().any(|(_, edge)| {
            let any = |sync: &Sync| u64::from(received(sync));
            self.of_edge(edge, &any, &|action| u64::from(delta(action).is_none())) > 0
        });
        if is_set {
            return None;
        }
        let rate = |sign: i64| {
            self.most(|_, edge| {
                let amount = |action: &Action| (sign * delta(action).unwrap_or(0)).max(0) as u64;
                self.of_edge(edge, &|_| 0, &amount)
            })
        };
        Some(Rates { up: rate(1), down: rate(-1) })
    }
}

fn touches(place: &Place, slot: u32) -> bool {
    place.scope == Scope::Global && slots_of(place).contains(&slot)
}

/// The constant that an assignment adds to its own target.
fn increment(target: &Place, value: &Expr) -> Option<i64> {
    let Expr::Binary(op, left, right) = value else { return None };
    match (op, &**left, &**right) {
        (BinaryOp::Add, Expr::Read(place), Expr::Const(c)) if **place == *target => Some((*c).into()),
        (BinaryOp::Add, Expr::Const(c), Expr::Read(place)) if **place == *target => Some((*c).into()),
        (BinaryOp::Subtract, Expr::Read(place), Expr::Const(c)) if **place == *target => Some(-i64::from(*c)),
        _ => None,
    }
}

/// The most that a run of a program can do: the heaviest path, or no bound if something happens in a program with loops.
fn of_program(program: &Program, sync: &dyn Fn(&Sync) -> u64, act: &dyn Fn(&[Action]) -> u64) -> u64 {
    let amount = |node: usize, alternative: usize| {
        let alternative = &program.nodes[node].alternatives[alternative];
        sync(&alternative.sync).saturating_add(act(&alternative.actions))
    };
    let all = || {
        let nodes = program.nodes.iter().enumerate();
        nodes.flat_map(|(node, n)| (0..n.alternatives.len()).map(move |alternative| (node, alternative)))
    };
    if all().all(|(node, alternative)| amount(node, alternative) == 0) {
        return 0;
    }
    let mut best = vec![0; program.nodes.len()];
    // In a program without loops every path is settled after one round per node.
    for _ in 0..=program.nodes.len() {
        let mut changed = false;
        for (node, alternative) in all() {
            let behind = program.nodes[node].alternatives[alternative].next.map_or(0, |next| best[next as usize]);
            let heavier = amount(node, alternative).saturating_add(behind);
            if heavier > best[node] {
                best[node] = heavier;
                changed = true;
            }
        }
        if !changed {
            return best.first().copied().unwrap_or(0);
        }
    }
    UNBOUNDED
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::system;

    fn slot(network: &Network, name: &str) -> u32 {
        network.variables.iter().find(|v| v.name == name).unwrap().slot
    }

    #[test]
    fn counters_and_their_rates() {
        let system = system(
            "byte x, y, z; byte a[3]; chan q = [4] of { byte }; chan r = [0] of { byte };
             active proctype P() { byte i; do :: x++ :: x = x - 2 :: d_step { a[1]++; a[1]++; a[i]-- } :: r!1
               :: d_step { do :: y < 3 -> y++; q!1 :: else -> break od } :: z = 5 :: r?z od }
             active proctype Q() { d_step { q?_; q?_; q!2 } }",
        );
        let changes = Changes::new(system.network());
        let counter = |name| changes.counter(slot(system.network(), name));
        assert_eq!(counter("x"), Some(Rates { up: 1, down: 2 }));
        assert_eq!(counter("y"), Some(Rates { up: UNBOUNDED, down: 0 }));
        assert_eq!(counter("z"), None);
        assert_eq!(changes.counter(slot(system.network(), "a") + 1), Some(Rates { up: 2, down: 1 }));
        let traffic = changes.channel(0);
        assert_eq!((traffic.sends, traffic.receives, traffic.sorted), (UNBOUNDED, 2, false));
    }
}
