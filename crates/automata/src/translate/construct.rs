//! From steps to a generalised Büchi automaton.

use std::collections::HashMap;

use crate::label::Label;
use crate::shared::{Id, Shared};

use super::expand::{Expander, Step};
use super::graph::{Arc, Graph, Node, merged};
use super::{Limits, TranslateError};

/// The generalised automaton of a formula. A state is a set of formulas that must be true; sets with the same steps are
/// the same state.
///
/// Sets are *not* replaced by smaller ones that are equivalent as formulas: that would lose promises. In
/// `[](c U (d && <>a))` every state implies `<>a`, but a run that forgets an `<>a` it has promised may put it off for
/// ever.
///
/// The labels of the conditions are what they are in edges of the automaton.
pub(crate) fn construct(
    shared: &Shared,
    formula: Id,
    conditions: &[Id],
    atoms: usize,
    limits: Limits,
) -> Result<(Graph, Vec<Label>), TranslateError> {
    let mut expander = Expander::new(shared, limits.work);
    let mut by_set: HashMap<Vec<Id>, usize> = HashMap::new();
    let mut by_steps: HashMap<Vec<Step>, usize> = HashMap::new();
    let mut steps_of: Vec<Vec<Step>> = Vec::new();
    let mut targets: Vec<Vec<usize>> = Vec::new();
    let mut edges = 0;

    let mut state_of = |set: &[Id], steps_of: &mut Vec<Vec<Step>>, expander: &mut Expander<'_>| {
        if let Some(state) = by_set.get(set) {
            return Ok(*state);
        }
        let steps = expander.conjunction(set)?;
        let state = *by_steps.entry(steps.clone()).or_insert(steps_of.len());
        if state == steps_of.len() {
            edges += steps.len();
            steps_of.push(steps);
            // Edges are what fills the memory; the limit is on states, since that is what people know.
            if steps_of.len() > limits.states || edges > limits.states.saturating_mul(20) {
                return Err(TranslateError::TooLarge { limit: limits.states, what: "states" });
            }
        }
        by_set.insert(set.to_vec(), state);
        Ok(state)
    };

    let first = if formula == Shared::TRUE { Vec::new() } else { vec![formula] };
    let initial = state_of(&first, &mut steps_of, &mut expander)?;
    while targets.len() < steps_of.len() {
        let sets: Vec<Vec<Id>> = steps_of[targets.len()].iter().map(|step| step.next.clone()).collect();
        let mut found = Vec::with_capacity(sets.len());
        for set in sets {
            found.push(state_of(&set, &mut steps_of, &mut expander)?);
        }
        targets.push(found);
    }

    let all_marks = expander.all_promises();
    let states = steps_of.into_iter().zip(targets).map(|(steps, targets)| {
        let arcs = steps.into_iter().zip(targets).map(|(step, to)| {
            let marks = all_marks & !step.promises;
            Arc { to, marks, label: step.label }
        });
        Node { marks: 0, arcs: merged(arcs.collect()) }
    });
    let labels = conditions.iter().map(|condition| expander.label(*condition)).collect::<Result<_, _>>()?;
    Ok((Graph { atoms, all_marks, recurring: Vec::new(), initial, states: states.collect() }, labels))
}
