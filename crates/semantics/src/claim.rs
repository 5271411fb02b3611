//! Never claims, compiled: how a claim reads the states of a system.
//!
//! The claim is an automaton that looks at the states of a run: it makes one move at every state, the first at the
//! initial state, and never inside an atomic chain. Where it cannot move, the run is of no interest. If it gets to its
//! end, the run so far is a violation. So it is if a condition that it looks at has no value, or an assertion in it fails:
//! there the claim ends, too, and whoever replays the run tells these apart. An infinite run is one if the claim visits its
//! accept locations again and again.
//!
//! Only variables and locations are looked at, never clocks: all points of a zone read alike.

use std::ops::ControlFlow;

use bughound_ir::analysis::access::PropertyReader;
use bughound_ir::edge::{Action, Condition};
use bughound_ir::expr::Expr;
use bughound_ir::network::{LocationId, TemplateId};
use bughound_ir::reference::EvalError;
use bughound_kernel::{Access, ClaimReader, State};

use crate::code::{self, Code};
use crate::discrete::DiscreteSystem;
use crate::machine::Machine;

/// A move of the claim.
struct ClaimEdge {
    is_else: bool,
    guards: Vec<Code>,
    assertions: Vec<Code>,
    to: usize,
}

/// A claim that reads states of a compiled network.
pub struct Claim<'s> {
    machine: &'s Machine,
    /// By place.
    edges: Vec<Vec<ClaimEdge>>,
    accepting: Vec<bool>,
    first: i32,
    start: usize,
    /// Where the claim has ended.
    end: usize,
    /// Everything that it looks at.
    conditions: Vec<Expr>,
}

impl<'s> Claim<'s> {
    pub fn new(system: &'s DiscreteSystem, claim: TemplateId) -> Self {
        let network = system.network();
        let template = network.template(claim);
        let first = template.locations.first().map_or(0, |location| location.0);
        let place = |location: LocationId| (location.0 - first) as usize;
        let edges = template.locations.iter().map(|l| {
            let edges = network.location(*l).edges.iter().map(|e| network.edge(*e));
            let edges = edges.filter(|e| e.condition != Condition::Youngest);
            edges
                .map(|e| ClaimEdge {
                    is_else: e.condition == Condition::Else,
                    guards: e.guards.iter().map(code::expr).collect(),
                    assertions: e.target().actions.iter().filter_map(asserted).map(code::expr).collect(),
                    to: place(e.target().to),
                })
                .collect()
        });
        let all = template.locations.iter().flat_map(|l| &network.location(*l).edges).map(|e| network.edge(*e));
        let conditions =
            all.flat_map(|e| e.guards.iter().chain(e.target().actions.iter().filter_map(asserted))).cloned();
        let ends = |l: &&LocationId| {
            let mut edges = network.location(**l).edges.iter();
            edges.any(|e| network.edge(*e).condition == Condition::Youngest)
        };
        Claim {
            machine: system.machine(),
            edges: edges.collect(),
            accepting: template.locations.iter().map(|l| network.location(*l).flags.accept).collect(),
            first: first as i32,
            start: place(template.initial),
            // A claim whose end cannot be reached has no edge for it.
            end: template.locations.iter().find(ends).map_or(template.locations.len(), |end| place(*end)),
            conditions: conditions.collect(),
        }
    }
}

impl ClaimReader for Claim<'_> {
    fn places(&self) -> usize {
        // Only the end can lie past the locations.
        self.edges.len().max(self.end + 1)
    }

    fn first_location(&self) -> i32 {
        self.first
    }

    fn start(&self) -> usize {
        self.start
    }

    fn is_accepting(&self, place: usize) -> bool {
        self.accepting.get(place).is_some_and(|accepting| *accepting)
    }

    fn is_end(&self, place: usize) -> bool {
        place == self.end
    }

    fn reads(&self) -> Option<Access> {
        let reader = PropertyReader::new(&self.machine.network);
        let mut all = Access::default();
        for access in self.conditions.iter().map(|condition| reader.access(condition)) {
            all.reads.extend(access.reads.iter());
            all.reads_everything |= access.reads_everything;
        }
        Some(all)
    }

    /// An error is a move to the end.
    fn moves(
        &self,
        from: usize,
        system_state: State<'_>,
        found: &mut dyn FnMut(usize) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if from == self.end {
            return ControlFlow::Continue(());
        }
        let cx = self.machine.outside(system_state.key);
        let all = |conditions: &[Code]| -> Result<bool, EvalError> {
            for condition in conditions {
                if !self.machine.truth(cx, condition)? {
                    return Ok(false);
                }
            }
            Ok(true)
        };
        let mut executable = false;
        for edge in &self.edges[from] {
            if edge.is_else && executable {
                continue;
            }
            let to = match all(&edge.guards) {
                Ok(false) => continue,
                Ok(true) if all(&edge.assertions) == Ok(true) => edge.to,
                Ok(true) | Err(_) => self.end,
            };
            executable = true;
            found(to)?;
        }
        ControlFlow::Continue(())
    }
}

fn asserted(action: &Action) -> Option<&Expr> {
    match action {
        Action::Assert { condition, .. } => Some(condition),
        _ => None,
    }
}
