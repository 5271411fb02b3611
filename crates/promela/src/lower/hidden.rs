//! Which `hidden` variables can be left out of the states.
//!
//! SPIN leaves all of them out: what is read from one is then whatever the search has left in it, and the answer depends
//! on the order of the search. Here a hidden variable that decides something is part of the state like any other; only
//! values that nobody can tell are forgotten.

use std::collections::BTreeSet;

use bughound_ir::analysis::slots_of;
use bughound_ir::edge::{Action, Edge, Program};
use bughound_ir::expr::{Expr, Place, Scope};
use bughound_ir::network::{Initialiser, Network};

/// The slots of hidden variables on whose values something depends.
pub fn telling_slots(network: &Network) -> BTreeSet<u32> {
    let hidden: BTreeSet<u32> = network.hidden_slots().into_iter().collect();
    let mut reads = Reads { hidden, telling: BTreeSet::new(), flows: Vec::new() };
    if reads.hidden.is_empty() {
        return reads.hidden;
    }
    network.edges.iter().for_each(|edge| reads.edge(edge));
    network.programs.iter().for_each(|program| reads.program(program));
    for template in &network.templates {
        template.provided.iter().for_each(|clause| reads.expression(clause));
        for initialiser in &template.initialisers {
            if let Initialiser::Assign(action) = initialiser {
                reads.action(action);
            }
        }
    }
    network.properties.iter().flat_map(|property| property.question.conditions()).for_each(|e| reads.expression(e));
    reads.closure()
}

struct Reads {
    hidden: BTreeSet<u32>,
    telling: BTreeSet<u32>,
    /// Values that are computed from hidden variables (the second) for the sake of another one only.
    flows: Vec<(u32, Vec<u32>)>,
}

impl Reads {
    fn edge(&mut self, edge: &Edge) {
        edge.guards.iter().for_each(|guard| self.expression(guard));
        edge.sync.walk(&mut |e| self.one(e));
        edge.destinations.iter().flat_map(|d| &d.actions).for_each(|action| self.action(action));
    }

    fn program(&mut self, program: &Program) {
        for alternative in program.nodes.iter().flat_map(|node| &node.alternatives) {
            alternative.guards.iter().for_each(|guard| self.expression(guard));
            alternative.sync.walk(&mut |e| self.one(e));
            alternative.actions.iter().for_each(|action| self.action(action));
        }
    }

    fn action(&mut self, action: &Action) {
        match action {
            // A value that cannot fail to be computed concerns nobody but its variable: a counter, say.
            Action::Assign { target, value } if !value.can_fail() && target.indices.is_empty() => {
                match self.slots(target).first() {
                    Some(slot) => {
                        let mut from = Vec::new();
                        value.walk(&mut |e| from.extend(self.read_by(e)));
                        self.flows.push((*slot, from));
                    }
                    None => self.expression(value),
                }
            }
            action => action.walk(&mut |e| self.one(e)),
        }
    }

    fn expression(&mut self, expr: &Expr) {
        expr.walk(&mut |e| self.one(e));
    }

    fn one(&mut self, expr: &Expr) {
        let found = self.read_by(expr);
        self.telling.extend(found);
    }

    /// The hidden slots that this expression itself, without its parts, may read.
    fn read_by(&self, expr: &Expr) -> Vec<u32> {
        match expr {
            Expr::Read(place) => self.slots(place),
            _ => Vec::new(),
        }
    }

    fn slots(&self, place: &Place) -> Vec<u32> {
        if place.scope != Scope::Global {
            return Vec::new();
        }
        slots_of(place).into_iter().filter(|slot| self.hidden.contains(slot)).collect()
    }

    fn closure(mut self) -> BTreeSet<u32> {
        loop {
            let before = self.telling.len();
            for (slot, from) in &self.flows {
                if self.telling.contains(slot) {
                    self.telling.extend(from);
                }
            }
            if self.telling.len() == before {
                return self.telling;
            }
        }
    }
}
