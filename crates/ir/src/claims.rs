//! Claim automata that a model does not have by itself: those made from formulas.

use crate::edge::{Condition, Destination, Edge, EdgeId, Sync};
use crate::expr::Expr;
use crate::network::{Location, LocationFlags, LocationId, Network, Template, TemplateId};
use crate::real::Real;
use crate::source::Span;

/// A claim to be added: an automaton that looks at every state of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClaimShape {
    pub name: String,
    pub initial: usize,
    pub states: Vec<ClaimState>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClaimState {
    pub accepting: bool,
    /// The claim is at its end: the run so far is a violation, whatever follows.
    pub end: bool,
    /// A condition on the state of the system, and where the claim is after it has seen such a state.
    pub moves: Vec<(Expr, usize)>,
}

impl Network {
    /// Adds a claim as a template without processes.
    pub fn add_claim(&mut self, shape: &ClaimShape, span: Span) -> TemplateId {
        let template = TemplateId(self.templates.len() as u32);
        let first = self.locations.len() as u32;
        let id = |state: usize| LocationId(first + state as u32);
        for (number, state) in shape.states.iter().enumerate() {
            let flags = LocationFlags { accept: state.accepting, end: state.end, ..LocationFlags::default() };
            let moves = state.moves.iter().map(|(guard, to)| (Condition::None, Some(guard), *to));
            // At its end a claim has nothing left but to vanish.
            let end = state.end.then_some((Condition::Youngest, None, number));
            let mut edges = Vec::new();
            for (condition, guard, to) in moves.chain(end) {
                edges.push(EdgeId(self.edges.len() as u32));
                self.edges.push(Edge {
                    calls: Vec::new(),
                    from: id(number),
                    condition,
                    guards: guard.cloned().into_iter().collect(),
                    clock_guards: Vec::new(),
                    sync: Sync::None,
                    program: None,
                    destinations: vec![Destination {
                        chance: Real::one(),
                        weight: 0,
                        actions: Vec::new(),
                        to: id(to),
                        text: String::new(),
                    }],
                    keeps_control: false,
                    escape: 0,
                    weight: 1,
                    span,
                    text: String::new(),
                    number: None,
                    statements: Vec::new(),
                });
            }
            let (labels, invariant, conditions, number) = (Vec::new(), Vec::new(), Vec::new(), number as u32);
            let invariant_text = String::new();
            self.locations.push(Location {
                template,
                labels,
                number,
                flags,
                invariant,
                conditions,
                rate: None,
                invariant_text,
                edges,
                span,
            });
        }
        self.templates.push(Template {
            name: shape.name.clone(),
            parameters: 0,
            variables: Vec::new(),
            channels: Vec::new(),
            initialisers: Vec::new(),
            locations: (0..shape.states.len()).map(id).collect(),
            initial: id(shape.initial),
            frame: 1,
            provided: None,
            statements: Vec::new(),
            deterministic: false,
            priority: 1,
            span,
        });
        template
    }
}
