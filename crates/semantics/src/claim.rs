//! The product of a system with a never claim.
//!
//! The claim is an automaton that looks at the states of a run: it makes one move at every state, the first at the
//! initial state, and never inside an atomic chain. Where it cannot move, the run is of no interest. If it gets to its
//! end, the run so far is a violation. In a state in which the system has come to rest the claim goes on moving.
//!
//! A product key is the claim's location, after its move at the state, followed by the key of the state.

use std::ops::ControlFlow;

use bughound_ir::edge::{Action, Condition};
use bughound_ir::network::{LocationId, TemplateId};
use bughound_kernel::{AtomId, Expansion, Explorer, Layout, Outcome, Slot, State, Step, TransitionSystem};

use crate::code::{self, Code};
use crate::discrete::DiscreteSystem;

/// The only predicate of a product: the claim has got to its end (or an assertion in it has failed).
pub const CLAIM_VIOLATED: AtomId = AtomId(0);

/// A move of the claim.
struct ClaimEdge {
    is_else: bool,
    guards: Vec<Code>,
    assertions: Vec<Code>,
    to: i32,
}

/// A system watched by a claim.
pub struct ClaimProduct<'s> {
    system: &'s DiscreteSystem,
    layout: Layout,
    /// By location of the claim, relative to the first.
    edges: Vec<Vec<ClaimEdge>>,
    first: i32,
    initial: i32,
    /// Where the claim has ended.
    end: i32,
}

impl<'s> ClaimProduct<'s> {
    pub fn new(system: &'s DiscreteSystem, claim: TemplateId) -> Self {
        let network = system.network();
        let template = network.template(claim);
        let location = |l: &LocationId| l.0 as i32;
        let first = template.locations.first().map_or(0, location);
        let last = template.locations.last().map_or(0, location);
        let edges = template.locations.iter().map(|l| {
            let edges = network.location(*l).edges.iter().map(|e| network.edge(*e));
            let edges = edges.filter(|e| e.condition != Condition::Youngest);
            edges
                .map(|e| ClaimEdge {
                    is_else: e.condition == Condition::Else,
                    guards: e.guards.iter().map(code::expr).collect(),
                    assertions: e.target().actions.iter().filter_map(assertion).collect(),
                    to: e.target().to.0 as i32,
                })
                .collect()
        });
        let edges = edges.collect();
        let ends = |l: &&LocationId| {
            let mut edges = network.location(**l).edges.iter();
            edges.any(|e| network.edge(*e).condition == Condition::Youngest)
        };
        // A claim whose end cannot be reached has no edge for it.
        let end = template.locations.iter().find(ends).map_or(last + 1, location);
        let mut slots = vec![Slot::new(first, last.max(end))];
        slots.extend_from_slice(&system.layout().slots);
        let initial = template.initial.0 as i32;
        ClaimProduct { system, layout: Layout::new(slots), edges, first, initial, end }
    }

    /// Calls `found` with every location to which the claim can move at a state.
    fn moves(&self, from: i32, key: &[i32], found: &mut dyn FnMut(i32) -> ControlFlow<()>) -> ControlFlow<()> {
        if from == self.end {
            return ControlFlow::Continue(());
        }
        let machine = self.system.machine();
        let cx = machine.outside(key);
        let holds = |code: &Code| machine.truth(cx, code).unwrap_or(false);
        let mut executable = false;
        for edge in &self.edges[(from - self.first) as usize] {
            if (edge.is_else && executable) || !edge.guards.iter().all(holds) {
                continue;
            }
            executable = true;
            let to = if edge.assertions.iter().all(holds) { edge.to } else { self.end };
            found(to)?;
        }
        ControlFlow::Continue(())
    }
}

fn assertion(action: &Action) -> Option<Code> {
    match action {
        Action::Assert { condition, .. } => Some(code::expr(condition)),
        _ => None,
    }
}

impl TransitionSystem for ClaimProduct<'_> {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn explorer(&self) -> Box<dyn Explorer + '_> {
        Box::new(ProductExplorer { product: self, system: self.system.explorer(), key: Vec::new() })
    }
}

struct ProductExplorer<'p> {
    product: &'p ClaimProduct<'p>,
    system: Box<dyn Explorer + 'p>,
    key: Vec<i32>,
}

impl Explorer for ProductExplorer<'_> {
    fn initial(&mut self, emit: &mut dyn FnMut(State<'_>)) {
        let (product, key) = (self.product, &mut self.key);
        self.system.initial(&mut |state| {
            let _ = product.moves(product.initial, state.key, &mut |claim| {
                join(key, claim, state.key);
                emit(State::discrete(key));
                ControlFlow::Continue(())
            });
        });
    }

    fn successors(&mut self, from: State<'_>, emit: &mut dyn FnMut(&Step<'_>) -> ControlFlow<()>) -> Expansion {
        let (product, key) = (self.product, &mut self.key);
        let (claim, state) = (from.key[0], &from.key[1..]);
        if claim == product.end {
            return Expansion::default();
        }
        let mut moved = false;
        let expansion = self.system.successors(State::discrete(state), &mut |step| {
            let Outcome::State(next) = step.outcome else { return emit(step) };
            moved = true;
            product.moves(claim, next.key, &mut |claim| {
                join(key, claim, next.key);
                emit(&Step { outcome: Outcome::State(State::discrete(key)), ..*step })
            })
        });
        if !moved {
            let _ = product.moves(claim, state, &mut |claim| {
                join(key, claim, state);
                let outcome = Outcome::State(State::discrete(key));
                emit(&Step { moves: &[], choice: 0, probability: 1.0, weight: 0, outcome })
            });
        }
        Expansion { deadlock: false, ..expansion }
    }

    fn holds(&mut self, atom: AtomId, state: State<'_>) -> bool {
        debug_assert_eq!(atom, CLAIM_VIOLATED);
        state.key[0] == self.product.end
    }
}

fn join(key: &mut Vec<i32>, claim: i32, state: &[i32]) {
    key.clear();
    key.push(claim);
    key.extend_from_slice(state);
}
