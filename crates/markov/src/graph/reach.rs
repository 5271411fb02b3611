//! States where `left U right` has probability 0 or 1, for some scheduler or for all.
//!
//! Bianco and de Alfaro, *Model checking of probabilistic and nondeterministic systems* (FSTTCS 1995); the names Prob0A,
//! Prob0E, Prob1A, Prob1E are PRISM's. All are linear in the size of the model but [`prob1_some`], which repeats a linear
//! pass as long as states fall out (few times in practice, once per state at worst). In a chain “some” and “all” are the same.

use super::Predecessors;
use crate::model::Model;
use crate::states::StateSet;

/// States from which, with some scheduler, `right` is reached through `left` with positive probability.
fn positive_some(model: &Model, back: &Predecessors, left: &StateSet, right: &StateSet) -> StateSet {
    backwards(model, back, left, right)
}

/// All states of `through` that may reach `from` inside `through`, and `from` itself.
fn backwards(model: &Model, back: &Predecessors, through: &StateSet, from: &StateSet) -> StateSet {
    let mut reached = from.clone();
    let mut work: Vec<u32> = from.iter().map(|state| state as u32).collect();
    debug_assert_eq!(reached.len(), model.states());
    while let Some(state) = work.pop() {
        for &choice in back.choices_to(state as usize) {
            let source = back.owner(choice);
            if through.contains(source) && !reached.contains(source) {
                reached.insert(source);
                work.push(source as u32);
            }
        }
    }
    reached
}

/// Prob0A: the probability is 0 whatever is chosen (the maximum is 0).
pub fn prob0_all(model: &Model, back: &Predecessors, left: &StateSet, right: &StateSet) -> StateSet {
    positive_some(model, back, left, right).complement()
}

/// Prob0E: the probability can be kept 0 (the minimum is 0).
pub fn prob0_some(model: &Model, back: &Predecessors, left: &StateSet, right: &StateSet) -> StateSet {
    // A state is certain to have a chance once every choice has an entry into the set.
    let mut reached = right.clone();
    let mut work: Vec<u32> = right.iter().map(|state| state as u32).collect();
    let mut hit = StateSet::none(model.choices());
    let mut missing: Vec<u32> = (0..model.states()).map(|state| model.choices_of(state).len() as u32).collect();
    while let Some(state) = work.pop() {
        for &choice in back.choices_to(state as usize) {
            let source = back.owner(choice);
            if hit.contains(choice as usize) || !left.contains(source) || reached.contains(source) {
                continue;
            }
            hit.insert(choice as usize);
            missing[source] -= 1;
            if missing[source] == 0 {
                reached.insert(source);
                work.push(source as u32);
            }
        }
    }
    reached.complement()
}

/// Prob1A: the probability is 1 whatever is chosen (the minimum is 1). `zero` is what [`prob0_some`] said.
pub fn prob1_all(model: &Model, back: &Predecessors, left: &StateSet, right: &StateSet, zero: &StateSet) -> StateSet {
    // It is less than 1 where a state in which it can be kept 0 can be reached without passing `right`.
    backwards(model, back, &left.without(right), zero).complement()
}

/// Prob1E: some scheduler makes it certain (the maximum is 1).
pub fn prob1_some(model: &Model, back: &Predecessors, left: &StateSet, right: &StateSet) -> StateSet {
    let mut candidates = positive_some(model, back, left, right);
    // Per choice: does it lead out of the candidates?
    let mut leaves = StateSet::none(model.choices());
    let mut outside: Vec<u32> = candidates.complement().iter().map(|state| state as u32).collect();
    loop {
        for state in outside.drain(..) {
            for &choice in back.choices_to(state as usize) {
                leaves.insert(choice as usize);
            }
        }
        let reached = attractor(back, left, right, &leaves, |_, _| {});
        for state in candidates.iter() {
            if !reached.contains(state) {
                outside.push(state as u32);
            }
        }
        if outside.is_empty() {
            return candidates;
        }
        candidates = reached;
    }
}

/// States that may reach `right` through `left` with choices not in `barred`; `visit` is told a choice of each that leads
/// closer, in the order of the distance.
pub(crate) fn attractor(
    back: &Predecessors,
    left: &StateSet,
    right: &StateSet,
    barred: &StateSet,
    mut visit: impl FnMut(usize, u32),
) -> StateSet {
    let mut reached = right.clone();
    let mut queue: std::collections::VecDeque<u32> = right.iter().map(|state| state as u32).collect();
    while let Some(state) = queue.pop_front() {
        for &choice in back.choices_to(state as usize) {
            let source = back.owner(choice);
            if barred.contains(choice as usize) || !left.contains(source) || reached.contains(source) {
                continue;
            }
            reached.insert(source);
            visit(source, choice);
            queue.push_back(source as u32);
        }
    }
    reached
}

/// For the states of Prob1E: a choice each such that `right` is reached for certain; told to `visit`.
pub(crate) fn certain_choices(
    model: &Model,
    back: &Predecessors,
    left: &StateSet,
    right: &StateSet,
    certain: &StateSet,
    visit: impl FnMut(usize, u32),
) {
    let mut barred = StateSet::none(model.choices());
    for state in certain.complement().iter() {
        for &choice in back.choices_to(state) {
            barred.insert(choice as usize);
        }
    }
    attractor(back, &left.intersection(certain), right, &barred, visit);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Builder, Kind};

    /// 0: stay, or go to 1; 1: target or 2, evenly; 2: sink; 3: target; 4: to 3, or to 0.
    fn model() -> Model {
        let mut builder = Builder::new(Kind::Mdp);
        let half = builder.number(&crate::RBig::from_parts_signed(1.into(), 2.into()));
        let one = crate::Pool::ONE;
        for choices in [
            vec![vec![(0, one)], vec![(1, one)]],
            vec![vec![(3, half), (2, half)]],
            vec![],
            vec![vec![(3, one)]],
            vec![vec![(3, one)], vec![(0, one)]],
        ] {
            builder.state();
            for choice in choices {
                builder.choice();
                choice.into_iter().for_each(|(target, weight)| builder.entry(target, weight));
            }
        }
        builder.finish([0]).unwrap()
    }

    #[test]
    fn zeros_and_ones_of_a_small_model() {
        let model = model();
        let back = Predecessors::new(&model);
        let (left, right) = (StateSet::all(5), StateSet::from_states(5, [3]));
        let of = |states: &[usize]| StateSet::from_states(5, states.iter().copied());
        assert_eq!(prob0_all(&model, &back, &left, &right), of(&[2]));
        let zero = prob0_some(&model, &back, &left, &right);
        assert_eq!(zero, of(&[0, 2, 4]));
        assert_eq!(prob1_all(&model, &back, &left, &right, &zero), of(&[3]));
        assert_eq!(prob1_some(&model, &back, &left, &right), of(&[3, 4]));
        let mut chosen = Vec::new();
        certain_choices(&model, &back, &left, &right, &of(&[3, 4]), |state, choice| chosen.push((state, choice)));
        assert_eq!(chosen, [(4, model.choices_of(4).start as u32)]);
    }
}
