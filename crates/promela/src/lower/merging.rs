//! Statement merging: chains of deterministic statements that no other process can observe become one step.
//!
//! SPIN's rules: a statement can be merged if it cannot block, has no alternative, no label and no escape, and touches only
//! local variables (inside an atomic sequence: anything). A condition, a receive or a send may open a chain.

use std::collections::HashSet;

use super::elements::{ElemId, Flow, Op, SeqId, Sequence};
use super::rests::{Rests, live_options, start_of};

/// For each element: how it takes part in a chain.
#[derive(Clone, Debug, Default)]
pub struct Merging {
    /// Number of the element where the chain through this element ends.
    chain: Vec<Option<u32>>,
    /// It opens a chain that ends there.
    opens: Vec<Option<u32>>,
    /// It can be merged, but what follows cannot.
    single: Vec<Option<u32>>,
    incoming: Vec<u32>,
}

impl Merging {
    /// Where the merged step that starts here ends, if one does.
    pub fn target(&self, element: ElemId) -> Option<u32> {
        self.opens[element.0 as usize].or(self.chain[element.0 as usize])
    }

    pub fn is_merged(&self, element: ElemId) -> bool {
        self.chain[element.0 as usize].is_some() || self.single[element.0 as usize].is_some()
    }

    /// Number of ways to get to this element.
    pub fn incoming(&self, element: ElemId) -> u32 {
        self.incoming[element.0 as usize]
    }
}

/// An edge of the control-flow graph before flattening.
#[derive(Clone, Copy, Debug)]
struct Arc {
    to: u32,
    /// `None` for an escape.
    step: Option<ElemId>,
}

/// Nodes in the order in which they were met, each with its latest edge first.
struct Graph {
    order: Vec<u32>,
    met: Vec<bool>,
    arcs: Vec<Vec<Arc>>,
    incoming: Vec<u32>,
}

impl Graph {
    fn node(&mut self, number: u32) {
        if !std::mem::replace(&mut self.met[number as usize], true) {
            self.order.push(number);
        }
    }

    fn arc(&mut self, from: u32, to: u32, step: Option<ElemId>) {
        self.node(from);
        self.arcs[from as usize].insert(0, Arc { to, step });
        self.node(to);
        self.incoming[to as usize] += 1;
    }
}

/// Decides which statements of a body are merged. `rendezvous`: the model has rendezvous channels somewhere.
pub fn analyse(flow: &mut Flow, body: SeqId, rendezvous: bool) -> Merging {
    let count = flow.elements.len();
    let mut visit = Visit {
        graph: Graph {
            order: Vec::new(),
            met: vec![false; count + 1],
            arcs: vec![Vec::new(); count + 1],
            incoming: vec![0; count + 1],
        },
        done: vec![false; count],
        rests: Rests::new(flow),
    };
    visit.sequence(flow, body);
    let Visit { graph, mut rests, .. } = visit;

    let mut merging = Merging {
        chain: vec![None; count],
        opens: vec![None; count],
        single: vec![None; count],
        incoming: vec![0; count],
    };
    for from in graph.order.iter().rev() {
        for arc in &graph.arcs[*from as usize] {
            if let Some(step) = arc.step {
                merging.incoming[step.0 as usize] = graph.incoming[*from as usize];
            }
        }
    }
    for from in graph.order.iter().rev() {
        for at in 0..graph.arcs[*from as usize].len() {
            let arc = graph.arcs[*from as usize][at];
            let Some(step) = arc.step else { continue };
            if merging.chain[step.0 as usize].is_some() || !eligible(flow, &graph, *from, at) {
                continue;
            }
            if graph.arcs[arc.to as usize].is_empty() || !eligible(flow, &graph, arc.to, 0) {
                merging.single[step.0 as usize] = Some(arc.to);
            } else {
                build_chain(flow, &graph, *from, at, &mut merging);
            }
        }
    }
    for from in graph.order.iter().rev() {
        for (at, arc) in graph.arcs[*from as usize].iter().enumerate() {
            let Some(step) = arc.step else { continue };
            let opener = match &flow.elem(step).op {
                Op::Condition { .. } | Op::Receive(_) => true,
                // After a rendezvous inside an atomic sequence control is lost.
                Op::Send(_) => !rendezvous,
                _ => false,
            };
            if merging.chain[step.0 as usize].is_some() || !opener || !can_open(flow, &graph, *from, at) {
                continue;
            }
            let Some(next) = graph.arcs[arc.to as usize].first().and_then(|a| a.step) else { continue };
            merging.opens[step.0 as usize] = merging.chain[next.0 as usize].or(merging.single[next.0 as usize]);
        }
    }
    let first = flow.first(body);
    let start = rests.element(flow, first, flow.elem(first).atomic);
    merging.incoming[start.0 as usize] = 1;
    merging
}

/// The control-flow graph under construction.
struct Visit {
    graph: Graph,
    done: Vec<bool>,
    rests: Rests,
}

impl Visit {
    fn sequence(&mut self, flow: &mut Flow, sequence: SeqId) {
        let Sequence { first, last, .. } = *flow.seq(sequence);
        let mut at = first;
        while let Some(id) = at {
            if !std::mem::replace(&mut self.done[id.0 as usize], true) {
                self.element(flow, id);
            }
            if Some(id) == last {
                break;
            }
            at = flow.elem(id).next;
        }
    }

    fn element(&mut self, flow: &mut Flow, id: ElemId) {
        let from = flow.elem(id).number;
        match flow.elem(id).op.clone() {
            Op::Unless => self.sequence(flow, flow.elem(id).sub[0]),
            Op::If | Op::Do => {
                for guard in live_options(flow, id) {
                    self.graph.arc(from, flow.elem(guard).number, Some(id));
                }
                for option in flow.elem(id).sub.clone() {
                    self.sequence(flow, option);
                }
            }
            Op::Atomic(body) | Op::Block(body) | Op::DStep(body) => {
                let first = start_of(flow, flow.first(body));
                if flow.tie_end(id, body) {
                    self.rests.forget();
                }
                self.graph.arc(from, flow.elem(first).number, Some(id));
                self.sequence(flow, body);
            }
            op => {
                let onward = match &op {
                    Op::Goto(jump) => flow.jump_target(jump),
                    _ => flow.elem(id).next,
                };
                let to = onward.map_or(0, |o| {
                    let found = self.rests.element(flow, o, flow.elem(id).atomic);
                    flow.elem(found).number
                });
                self.graph.arc(from, to, Some(id));
                if !matches!(op, Op::Goto(_) | Op::Join) {
                    for escape in flow.elem(id).escapes.clone() {
                        let guard = start_of(flow, flow.first(escape));
                        self.graph.arc(from, flow.elem(guard).number, None);
                        self.sequence(flow, escape);
                    }
                }
            }
        }
    }
}

/// No later alternative in the list: SPIN looks only after the edge.
fn alone(graph: &Graph, from: u32, at: usize) -> bool {
    at + 1 == graph.arcs[from as usize].len()
}

fn eligible(flow: &Flow, graph: &Graph, from: u32, at: usize) -> bool {
    let Some(step) = graph.arcs[from as usize].get(at).and_then(|a| a.step) else { return false };
    let element = flow.elem(step);
    let unblocking =
        matches!(element.op, Op::Act(_) | Op::Print(_) | Op::Nothing | Op::Goto(_) | Op::Join | Op::BreakJoin);
    alone(graph, from, at)
        && unblocking
        && element.escapes.is_empty()
        && !element.remote
        && !flow.has_label(step)
        && element.op != Op::BreakJoin // SPIN gives the exit of a loop a label of its own
        && (element.atomic || element.last_atomic || !element.global)
}

fn can_open(flow: &Flow, graph: &Graph, from: u32, at: usize) -> bool {
    let Some(step) = graph.arcs[from as usize][at].step else { return false };
    let element = flow.elem(step);
    alone(graph, from, at)
        && element.escapes.is_empty()
        && !element.remote
        && (element.atomic || element.last_atomic || !element.global)
}

/// Follows a chain to its end; every member remembers it.
fn build_chain(flow: &Flow, graph: &Graph, from: u32, at: usize, merging: &mut Merging) {
    let mut members: Vec<ElemId> = Vec::new();
    let mut under_way = HashSet::new();
    let (mut from, mut at, mut end) = (from, at, None);
    while let Some(Arc { to, step: Some(step) }) = graph.arcs[from as usize].get(at).copied() {
        if let Some(known) = merging.chain[step.0 as usize] {
            end = Some(known);
            break;
        }
        if !eligible(flow, graph, from, at) || !under_way.insert((from, at)) {
            break;
        }
        members.push(step);
        end = Some(to);
        (from, at) = (to, 0);
    }
    for member in members {
        merging.chain[member.0 as usize] = end;
    }
}
