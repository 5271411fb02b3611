//! How a never claim follows a run: the moves of both, in turn.
//!
//! The claim moves first, then the system up to the next state that can be seen from outside, then the claim again. A run
//! that goes on for ever may have to go through its loop several times until the claim is back where it was, too.

use std::collections::{HashMap, VecDeque};

use bughound_ir::edge::EdgeId;
use bughound_ir::network::{LocationId, Network, TemplateId};
use bughound_ir::reference::{RefState, Reference};
use bughound_kernel::Move;

use crate::never::moves;
use crate::replay::{Trace, micro_steps};
use crate::word::Word;

/// One thing that happens in a run that is watched by a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The claim makes a move.
    Claim(EdgeId),
    /// The system makes the micro step with this number (from 0).
    Step(usize),
    /// What follows is repeated for ever.
    LoopStart,
}

/// The states that a path shows, and the one that it ends in.
fn seen<'n>(network: &'n Network, moves: &[Move]) -> Option<(Word<'n>, RefState)> {
    let reference = Reference::new(network).ok()?;
    let mut state = reference.initial().ok()?;
    let mut word = Word::new(reference);
    word.see(0, &state);
    for (at, step) in micro_steps(moves).iter().enumerate() {
        match reference.apply(&state, step).ok()?.result {
            Ok(next) => state = next,
            // Behind a failing step there is nothing to look at.
            Err(_) => break,
        }
        word.see(at + 1, &state);
    }
    Some((word, state))
}

/// After how many steps of a path a state can be seen from outside.
pub fn visible_steps(network: &Network, moves: &[Move]) -> Option<Vec<usize>> {
    let (word, _) = seen(network, moves)?;
    Some((0..word.states().len()).map(|at| word.steps_before(at)).collect())
}

/// The run of a claim through a confirmed trace, up to its end or through an accepting loop. `None` if there is none: the
/// trace violates something else.
pub fn claim_run(network: &Network, trace: &Trace, claim: TemplateId) -> Option<Vec<Event>> {
    let (mut word, state) = seen(network, &trace.moves)?;
    let reference = word.reference();
    let back = match trace.lasso {
        Some(lasso) if lasso.loop_length > 0 => {
            let back = word.after(lasso.loop_start)?;
            word.drop_last();
            Some(back)
        }
        // At rest the last state lasts for ever.
        _ if reference.is_at_rest(&state) => word.states().len().checked_sub(1),
        _ => None,
    };
    let run = Run { word, back, steps: micro_steps(&trace.moves).len() };
    let start = Node { at: 0, location: network.template(claim).initial, accepted: false };
    if let Some(way) = run.search(start, false, |_, target| target.is_none()) {
        return Some(run.events(&way));
    }
    // A loop of both begins where the loop of the system does: every location there that the claim can come to is tried.
    let back = run.back?;
    let mut tried = Vec::new();
    loop {
        let untried = |node: Node| node.at == back && !tried.contains(&node.location);
        let entry = if untried(start) {
            (Vec::new(), start)
        } else {
            let way = run.search(start, false, |_, to| to.is_some_and(untried))?;
            let node = way.last()?.to?;
            (way, node)
        };
        let (way, node) = entry;
        tried.push(node.location);
        let closes =
            |to: Option<Node>| to.is_some_and(|to| to.at == back && to.location == node.location && to.accepted);
        if let Some(round) = run.search(Node { accepted: false, ..node }, true, |_, to| closes(to)) {
            let mut events = run.events(&way);
            events.push(Event::LoopStart);
            events.extend(run.events(&round));
            return Some(events);
        }
    }
}

/// The claim is about to look at the state at a position.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Node {
    at: usize,
    location: LocationId,
    /// It has come through an accepting location.
    accepted: bool,
}

/// A move of the claim; it leads nowhere if the claim is at its end.
#[derive(Clone, Copy)]
struct Arc {
    from: Node,
    edge: EdgeId,
    to: Option<Node>,
}

struct Run<'n> {
    word: Word<'n>,
    /// The position that follows the last one.
    back: Option<usize>,
    /// Micro steps of the whole run.
    steps: usize,
}

impl Run<'_> {
    fn next(&self, at: usize) -> Option<usize> {
        if at + 1 < self.word.states().len() { Some(at + 1) } else { self.back }
    }

    fn arcs(&self, from: Node, marks: bool) -> Vec<Arc> {
        let reference = self.word.reference();
        let network = reference.network();
        match moves(reference, from.location, &self.word.states()[from.at]) {
            Err(completion) => vec![Arc { from, edge: completion.edge, to: None }],
            Ok(found) => found
                .into_iter()
                .filter_map(|(edge, location)| {
                    let accepted = marks && (from.accepted || network.location(location).flags.accept);
                    Some(Arc { from, edge, to: Some(Node { at: self.next(from.at)?, location, accepted }) })
                })
                .collect(),
        }
    }

    /// A shortest way from a node to a wanted move. `marks`: accepting locations on the way count.
    fn search(&self, start: Node, marks: bool, wanted: impl Fn(Node, Option<Node>) -> bool) -> Option<Vec<Arc>> {
        let mut parents: HashMap<Node, Option<Arc>> = HashMap::from([(start, None)]);
        let mut open = VecDeque::from([start]);
        while let Some(node) = open.pop_front() {
            for arc in self.arcs(node, marks) {
                if wanted(node, arc.to) {
                    let mut way = vec![arc];
                    let mut at = node;
                    while let Some(Some(before)) = parents.get(&at) {
                        way.push(*before);
                        at = before.from;
                    }
                    way.reverse();
                    return Some(way);
                }
                if let Some(to) = arc.to
                    && !parents.contains_key(&to)
                {
                    parents.insert(to, Some(arc));
                    open.push_back(to);
                }
            }
        }
        None
    }

    /// The moves of the claim with those of the system between them.
    fn events(&self, way: &[Arc]) -> Vec<Event> {
        let mut events = Vec::new();
        for arc in way {
            events.push(Event::Claim(arc.edge));
            if arc.to.is_none() {
                break;
            }
            let before = self.word.steps_before(arc.from.at);
            let last = arc.from.at + 1 == self.word.states().len();
            let after = if last { self.steps } else { self.word.steps_before(arc.from.at + 1) };
            events.extend((before..after).map(Event::Step));
        }
        events
    }
}
