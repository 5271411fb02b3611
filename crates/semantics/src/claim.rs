//! The product of a system with a never claim.
//!
//! The claim is an automaton that looks at the states of a run: it makes one move at every state, the first at the
//! initial state, and never inside an atomic chain. Where it cannot move, the run is of no interest. If it gets to its
//! end, the run so far is a violation. So it is if a condition that it looks at has no value, or an assertion in it fails:
//! there the claim ends, too, and whoever replays the run tells these apart. An infinite run is one if the claim visits its accept locations again and again:
//! steps from such a location are marked ([`Marks::ACCEPT`]). In a state in which the system has come to rest the claim
//! goes on moving: the run is taken to stay there for ever.
//!
//! A product key is the claim's location, after its move at the state, followed by the key of the state.

use std::ops::ControlFlow;

use bughound_ir::edge::{Action, Condition};
use bughound_ir::network::{LocationId, TemplateId};
use bughound_ir::reference::EvalError;
use bughound_kernel::{
    AtomId, ClaimReader, Cycles, Expansion, Explorer, Layer, LayerSteps, Layout, Locations, Marks, Outcome, Region,
    Slot, State, Step, TransitionSystem,
};

use crate::code::{self, Code};
use crate::discrete::DiscreteSystem;

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
    /// The same system, perhaps with marks for fairness, or without steps that need not be taken.
    steps: &'s dyn TransitionSystem,
    layout: Layout,
    /// By location of the claim, relative to the first.
    edges: Vec<Vec<ClaimEdge>>,
    accepting: Vec<bool>,
    /// What is known of the cycles through the locations.
    regions: Vec<Region>,
    goes_on_at_rest: bool,
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
        ClaimProduct {
            system,
            steps: system,
            layout: Layout::new(slots),
            edges,
            accepting: template.locations.iter().map(|l| network.location(*l).flags.accept).collect(),
            regions: Vec::new(),
            goes_on_at_rest: true,
            first,
            initial,
            end,
        }
    }

    /// Takes the steps of this system, which has the same states: a layer that marks them or leaves some out.
    pub fn with_steps_of(self, steps: &'s dyn TransitionSystem) -> Self {
        ClaimProduct { steps, ..self }
    }

    /// Tells where accepting cycles are possible, by location of the claim in the order of its template.
    pub fn with_regions(self, regions: Vec<Region>) -> Self {
        ClaimProduct { regions, ..self }
    }

    /// Runs that come to rest are finite and of no interest.
    pub fn without_runs_at_rest(self) -> Self {
        ClaimProduct { goes_on_at_rest: false, ..self }
    }

    /// The predicate that the claim has got to its end, or was ended by an error in it.
    pub fn violated(&self) -> AtomId {
        self.atom(0)
    }

    /// The mark of steps from this location of the claim.
    fn mark(&self, claim: i32) -> Marks {
        // Only the end can lie behind the locations.
        let accepting = self.accepting.get((claim - self.first) as usize).is_some_and(|accepting| *accepting);
        if accepting { Marks::ACCEPT } else { Marks::NONE }
    }

    /// Calls `found` with every location to which the claim can move at a state. An error is a move to the end.
    fn moves(&self, from: i32, key: &[i32], found: &mut dyn FnMut(i32) -> ControlFlow<()>) -> ControlFlow<()> {
        if from == self.end {
            return ControlFlow::Continue(());
        }
        let machine = self.system.machine();
        let cx = machine.outside(key);
        let all = |conditions: &[Code]| -> Result<bool, EvalError> {
            for condition in conditions {
                if !machine.truth(cx, condition)? {
                    return Ok(false);
                }
            }
            Ok(true)
        };
        let mut executable = false;
        for edge in &self.edges[(from - self.first) as usize] {
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

impl ClaimReader for ClaimProduct<'_> {
    fn locations(&self) -> Option<usize> {
        let all = self.edges.len().max((self.end - self.first) as usize + 1);
        (all <= Locations::BITS as usize).then_some(all)
    }

    fn start(&self) -> usize {
        (self.initial - self.first) as usize
    }

    fn accepting(&self) -> Locations {
        let accepting = self.accepting.iter().enumerate().filter(|(_, accepting)| **accepting);
        accepting.fold(0, |all, (place, _)| all | 1 << place)
    }

    fn ends(&self) -> Locations {
        1 << (self.end - self.first)
    }

    fn read(&self, system_state: State<'_>, next: &mut Vec<Locations>) {
        next.clear();
        for place in 0..self.edges.len() as i32 {
            let mut reached = 0;
            let _ = self.moves(self.first + place, system_state.key, &mut |to| {
                reached |= 1 << (to - self.first);
                ControlFlow::Continue(())
            });
            next.push(reached);
        }
        next.resize(self.locations().unwrap_or(0), 0);
    }
}

fn assertion(action: &Action) -> Option<Code> {
    match action {
        Action::Assert { condition, .. } => Some(code::expr(condition)),
        _ => None,
    }
}

impl Layer for ClaimProduct<'_> {
    type Steps<'l>
        = ProductSteps<'l>
    where
        Self: 'l;

    fn below(&self) -> &dyn TransitionSystem {
        self.steps
    }

    fn project<'k>(&self, state: State<'k>) -> State<'k> {
        State { key: &state.key[1..], ..state }
    }

    fn steps(&self) -> ProductSteps<'_> {
        ProductSteps { product: self, key: Vec::new() }
    }

    fn own_layout(&self) -> Option<&Layout> {
        Some(&self.layout)
    }

    fn own_atoms(&self) -> u32 {
        1
    }

    fn claim_at(&self, state: State<'_>) -> Option<i32> {
        Some(state.key[0])
    }

    fn demands(&self, below: Marks) -> Marks {
        Marks::ACCEPT | below
    }

    fn lies_in(&self, state: State<'_>, _below: Region) -> Region {
        let known = self.regions.get((state.key[0] - self.first) as usize);
        let region = known.copied().unwrap_or(Region::WHOLE);
        match region.cycles {
            // The claim accepts all cycles; the marks of the steps may be missing on some.
            Cycles::All if !self.steps.required().is_empty() => Region { cycles: Cycles::Some, ..region },
            _ => region,
        }
    }
}

pub struct ProductSteps<'p> {
    product: &'p ClaimProduct<'p>,
    key: Vec<i32>,
}

impl LayerSteps for ProductSteps<'_> {
    fn initial(&mut self, below: &mut dyn Explorer, emit: &mut dyn FnMut(State<'_>)) {
        let (product, key) = (self.product, &mut self.key);
        below.initial(&mut |state| {
            if product.initial == product.end {
                // A claim that is at its end before it has seen anything: every run is a violation.
                join(key, product.end, state.key);
                emit(State::discrete(key));
            }
            let _ = product.moves(product.initial, state.key, &mut |claim| {
                join(key, claim, state.key);
                emit(State::discrete(key));
                ControlFlow::Continue(())
            });
        });
    }

    fn successors(
        &mut self,
        below: &mut dyn Explorer,
        from: State<'_>,
        emit: &mut dyn FnMut(&Step<'_>) -> ControlFlow<()>,
    ) -> Expansion {
        let (product, key) = (self.product, &mut self.key);
        let (claim, state) = (from.key[0], &from.key[1..]);
        if claim == product.end {
            return Expansion::default();
        }
        let mark = product.mark(claim);
        let (mut moved, mut stopped) = (false, false);
        let expansion = below.successors(State::discrete(state), &mut |step| {
            let Outcome::State(next) = step.outcome else {
                let flow = emit(step);
                stopped = flow.is_break();
                return flow;
            };
            moved = true;
            product.moves(claim, next.key, &mut |claim| {
                join(key, claim, next.key);
                let (marks, outcome) = (step.marks | mark, Outcome::State(State::discrete(key)));
                emit(&Step { marks, outcome, ..*step })
            })
        });
        let expansion = expansion.for_runs();
        if !moved && !stopped && !expansion.cut && product.goes_on_at_rest {
            // Nobody can move, so nobody is treated unfairly.
            let marks = product.steps.required() | mark;
            let _ = product.moves(claim, state, &mut |claim| {
                join(key, claim, state);
                let outcome = Outcome::State(State::discrete(key));
                emit(&Step { moves: &[], choice: 0, probability: 1.0, weight: 0, marks, outcome })
            });
        }
        expansion
    }

    /// There is one.
    fn holds(&mut self, _own: u32, state: State<'_>) -> bool {
        state.key[0] == self.product.end
    }
}

fn join(key: &mut Vec<i32>, claim: i32, state: &[i32]) {
    key.clear();
    key.push(claim);
    key.extend_from_slice(state);
}
