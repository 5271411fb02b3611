//! An abstraction, and the loop that refines it.

use bughound_finite::cost::{Cost, INFINITE};
use bughound_finite::ground::Operator;
use bughound_finite::relation::Value;
use bughound_kernel::Watch;

use super::distances::Distances;
use super::flaws::{Follower, Split};
use super::sets::{Layout, Products};
use super::steps::Steps;
use super::transitions::Transitions;
use super::tree::Tree;

/// Why refinement stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The cheapest abstract path is one of the task.
    Exact,
    /// There is no abstract path.
    Safe,
    /// The abstraction is as large as it may be.
    Limit,
}

/// How large an abstraction may become.
#[derive(Clone, Copy)]
pub struct Limits<'w> {
    pub states: usize,
    pub transitions: usize,
    /// Looks at transitions, altogether.
    pub looks: usize,
    pub watch: &'w dyn Watch,
}

/// Of a transition, in both directions.
const TRANSITION_BYTES: usize = 16;
/// Looks at transitions that take about a microsecond.
const LOOKS_OF_A_UNIT: usize = 256;

/// What estimates need of an abstraction.
pub struct Refined {
    pub tree: Tree,
    /// By abstract state: its distance from an error.
    pub distances: Vec<Cost>,
    #[cfg_attr(not(test), expect(dead_code, reason = "for tests: the distances say the same"))]
    pub end: End,
}

struct Abstraction {
    steps: Steps,
    errors: Steps,
    products: Products,
    transitions: Transitions,
    distances: Distances,
    tree: Tree,
}

impl Abstraction {
    fn new(sizes: &[u32], operators: &[Operator], errors: &[Operator]) -> Abstraction {
        let products = Products::all(Layout::new(sizes));
        let errors = Steps::new(&products.layout, errors);
        Abstraction {
            steps: Steps::new(&products.layout, operators),
            distances: Distances::new(&products, &errors),
            errors,
            products,
            transitions: Transitions::new(),
            tree: Tree::new(),
        }
    }

    fn split(&mut self, split: &Split) {
        let Abstraction { steps, errors, products, transitions, distances, tree } = self;
        let (old, new) = (split.state, distances.costs.len() as u32);
        products.split(old, split.variable, &split.part);
        tree.split(old, split.variable, &split.part);
        transitions.split(steps, products, old, new, split.variable);
        distances.split(transitions, steps, errors, products, old, new);
    }

    /// The initial state that is nearest to an error, and its abstract state.
    fn nearest<'i>(&self, initial: &'i [Vec<Value>]) -> Option<(&'i [Value], u32)> {
        let all = initial.iter().filter_map(|values| {
            let state = self.tree.state(|variable| values.get(variable as usize).copied())?;
            Some((&values[..], state))
        });
        all.min_by_key(|(_, state)| self.distances.costs[*state as usize])
    }
}

/// Refines from one abstract state on.
pub fn refine(
    sizes: &[u32],
    operators: &[Operator],
    errors: &[Operator],
    initial: &[Vec<Value>],
    limits: Limits<'_>,
) -> Refined {
    let mut abstraction = Abstraction::new(sizes, operators, errors);
    let mut follower = Follower::default();
    let mut looks = 0;
    let end = loop {
        let Abstraction { steps, errors, products, transitions, distances, .. } = &abstraction;
        let Some((values, state)) = abstraction.nearest(initial) else { break End::Safe };
        if distances.costs[state as usize] == INFINITE {
            break End::Safe;
        }
        let bytes = transitions.count * TRANSITION_BYTES;
        if distances.costs.len() >= limits.states
            || transitions.count >= limits.transitions
            || transitions.looks >= limits.looks
            || !limits.watch.go_on(((transitions.looks - looks) / LOOKS_OF_A_UNIT) as u64 + 1, bytes as u64)
        {
            break End::Limit;
        }
        looks = transitions.looks;
        match follower.split(products, distances, steps, errors, values, state) {
            Some(split) => abstraction.split(&split),
            None => break End::Exact,
        }
    };
    Refined { tree: abstraction.tree, distances: abstraction.distances.costs, end }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use bughound_finite::cost::plus;
    use bughound_finite::relation::{After, Relation};
    use bughound_kernel::{Random, Unwatched};

    use super::*;

    const SIZES: [u32; 3] = [3, 4, 2];

    /// Small numbers that look random.
    struct Numbers(Random);

    impl Numbers {
        fn below(&mut self, end: u32) -> u32 {
            self.0.below(end as usize) as u32
        }

        /// Never empty. May be a test, a map, a choice.
        fn relation(&mut self, size: u32, only_test: bool) -> Relation {
            let only_test = only_test || self.below(3) == 0;
            let mut pairs = Vec::new();
            while pairs.is_empty() {
                for value in 0..size {
                    let after = match self.below(4) {
                        0 | 1 => continue,
                        2 | 3 if only_test => After::One(value),
                        2 => After::One(self.below(size)),
                        _ => After::Some((0..size).filter(|v| *v == value || self.below(2) == 0).collect()),
                    };
                    pairs.push((value, after));
                }
            }
            Relation::new(pairs)
        }

        fn operator(&mut self, only_test: bool) -> Operator {
            let mut relations = Vec::new();
            for (variable, size) in SIZES.iter().enumerate() {
                if self.below(3) > 0 {
                    relations.push((variable as u32, self.relation(*size, only_test)));
                }
            }
            Operator { relations, cost: self.below(4), parts: Vec::new(), heard: Vec::new() }
        }
    }

    fn states() -> Vec<Vec<Value>> {
        (0..24).map(|n| vec![n % 3, n / 3 % 4, n / 12]).collect()
    }

    /// All values after an operator.
    fn after(operator: &Operator, values: &[Value]) -> Vec<Vec<Value>> {
        let mut all = vec![values.to_vec()];
        for (variable, relation) in &operator.relations {
            let each = |values: Vec<Value>| {
                let after = relation.after(values[*variable as usize]).to_vec();
                after.into_iter().map(move |value| {
                    let mut values = values.clone();
                    values[*variable as usize] = value;
                    values
                })
            };
            all = all.into_iter().flat_map(each).collect();
        }
        all
    }

    /// True distances, by going on until nothing changes.
    fn distances(operators: &[Operator], errors: &[Operator]) -> HashMap<Vec<Value>, Cost> {
        let error = |state: &[Value]| errors.iter().filter(|e| !after(e, state).is_empty()).map(|e| e.cost).min();
        let mut known: HashMap<_, _> =
            states().into_iter().map(|s| (s.clone(), error(&s).unwrap_or(INFINITE))).collect();
        for _ in 0..states().len() {
            for state in states() {
                let ways =
                    operators.iter().flat_map(|o| after(o, &state).into_iter().map(|next| plus(o.cost, known[&next])));
                let best = ways.chain([known[&state]]).min().unwrap_or(INFINITE);
                known.insert(state, best);
            }
        }
        known
    }

    #[test]
    fn estimates_are_consistent_and_in_the_end_exact() {
        let mut ends = [0; 3];
        for seed in 0..2000 {
            let mut numbers = Numbers(Random::new(seed));
            let operators: Vec<Operator> = (0..3 + numbers.below(4)).map(|_| numbers.operator(false)).collect();
            let errors: Vec<Operator> = (0..1 + numbers.below(2)).map(|_| numbers.operator(true)).collect();
            let all = states();
            let initial: Vec<Vec<Value>> =
                (0..1 + numbers.below(2)).map(|_| all[numbers.below(24) as usize].clone()).collect();
            let limits = Limits {
                states: [2, 5, 100][seed as usize % 3],
                transitions: 10_000,
                looks: usize::MAX,
                watch: &Unwatched,
            };
            let refined = refine(&SIZES, &operators, &errors, &initial, limits);
            let estimate = |values: &[Value]| {
                let state = refined.tree.state(|variable| Some(values[variable as usize])).unwrap();
                refined.distances[state as usize]
            };
            for state in &all {
                let here = estimate(state);
                for error in errors.iter().filter(|error| !after(error, state).is_empty()) {
                    assert!(here <= error.cost, "seed {seed}");
                }
                for operator in &operators {
                    let worst = after(operator, state).iter().map(|next| plus(operator.cost, estimate(next))).min();
                    assert!(worst.is_none_or(|worst| here <= worst), "seed {seed}");
                }
            }
            let truth = distances(&operators, &errors);
            let nearest = |of: &dyn Fn(&[Value]) -> Cost| initial.iter().map(|values| of(values)).min();
            match refined.end {
                End::Limit => assert!(limits.states < 100, "seed {seed}"),
                _ => assert_eq!(nearest(&estimate), nearest(&|values| truth[values]), "seed {seed}"),
            }
            assert_eq!(refined.end == End::Safe, nearest(&estimate) == Some(INFINITE), "seed {seed}");
            ends[refined.end as usize] += 1;
        }
        assert!(ends.iter().all(|count| *count > 50), "{ends:?}");
    }

    /// The distances after every split are those of a search from scratch.
    #[test]
    fn distances_are_kept_up_to_date() {
        for seed in 0..500 {
            let mut numbers = Numbers(Random::new(seed));
            let operators: Vec<Operator> = (0..8).map(|_| numbers.operator(false)).collect();
            let errors = [numbers.operator(true)];
            let mut abstraction = Abstraction::new(&SIZES, &operators, &errors);
            let mut follower = Follower::default();
            let initial = [states()[numbers.below(24) as usize].clone()];
            while let Some((values, state)) = abstraction.nearest(&initial) {
                let Abstraction { steps, errors, products, transitions, distances, .. } = &abstraction;
                let count = distances.costs.len();
                let error = |state: u32| errors.leads_in_mentioned(products, 0, state, state).then(|| errors.cost(0));
                let mut known: Vec<Cost> = (0..count as u32).map(|state| error(state).unwrap_or(INFINITE)).collect();
                for _ in 0..count {
                    for state in 0..count {
                        let ways =
                            transitions.outgoing[state].iter().map(|(s, to)| plus(known[*to as usize], steps.cost(*s)));
                        known[state] = ways.chain([known[state]]).min().unwrap_or(INFINITE);
                    }
                }
                assert_eq!(distances.costs, known, "seed {seed}, {count} abstract states");
                match follower.split(products, distances, steps, errors, values, state) {
                    Some(split) => abstraction.split(&split),
                    None => break,
                }
            }
        }
    }
}
