//! The causal graph of a task, and an order of its variables that keeps as much of it as possible.
//!
//! There is an arc from one variable to another if some operator that changes the second depends on the first or changes
//! it, too; it weighs as much as there are such operators. Among variables that depend on each other in circles, those come
//! later that errors depend on more directly; among equals, first the one that loses the least weight of arcs into it, as in
//! the planner Fast Downward (Helmert 2006). That puts variables of the goal last and goes by weights for all others; in the
//! case studies of Kupferschmid et al. it takes up to twice as many states.

use std::cmp::Reverse;
use std::collections::{BTreeMap, VecDeque};

use bughound_finite::ground::Operator;

/// By variable: those that depend on it, with the number of operators because of which they do.
type Arcs = Vec<BTreeMap<usize, u64>>;

/// By variable: its place in the order. Arcs count only from earlier to later variables. `wanted` are those that errors
/// depend on directly.
pub fn order(variables: usize, operators: &[Operator], wanted: &[bool]) -> Vec<usize> {
    let arcs = causal_graph(variables, operators);
    let reached: Vec<Vec<bool>> = (0..variables).map(|from| reachable(&arcs, from)).collect();
    let reaching = |variable: usize| reached.iter().filter(|reached| reached[variable]).count();
    let first_of_component =
        |variable: usize| (0..variables).find(|other| reached[variable][*other] && reached[*other][variable]);
    // What reaches a component is reached by fewer variables than the component: their numbers give a topological order.
    let mut components: BTreeMap<(usize, Option<usize>), Vec<usize>> = BTreeMap::new();
    for variable in 0..variables {
        components.entry((reaching(variable), first_of_component(variable))).or_default().push(variable);
    }
    let mut places = vec![0; variables];
    let distances = distances(&arcs, wanted);
    let all = components.into_values().flat_map(|component| order_of_component(component, &arcs, &distances));
    all.enumerate().for_each(|(place, variable)| places[variable] = place);
    places
}

fn causal_graph(variables: usize, operators: &[Operator]) -> Arcs {
    let mut arcs: Arcs = vec![BTreeMap::new(); variables];
    for operator in operators {
        for (changed, _) in operator.relations.iter().filter(|(_, relation)| !relation.only_tests()) {
            for (other, _) in operator.relations.iter().filter(|(other, _)| other != changed) {
                *arcs[*other as usize].entry(*changed as usize).or_default() += 1;
            }
        }
    }
    arcs
}

/// By variable: can it be reached from this one?
fn reachable(arcs: &Arcs, from: usize) -> Vec<bool> {
    let mut seen = vec![false; arcs.len()];
    seen[from] = true;
    let mut open = vec![from];
    while let Some(variable) = open.pop() {
        for next in arcs[variable].keys() {
            if !std::mem::replace(&mut seen[*next], true) {
                open.push(*next);
            }
        }
    }
    seen
}

/// By variable: how many arcs away the nearest wanted one is.
fn distances(arcs: &Arcs, wanted: &[bool]) -> Vec<usize> {
    let mut distances: Vec<usize> = wanted.iter().map(|wanted| if *wanted { 0 } else { usize::MAX }).collect();
    let mut open: VecDeque<usize> = (0..arcs.len()).filter(|variable| wanted[*variable]).collect();
    while let Some(variable) = open.pop_front() {
        for (cause, arcs) in arcs.iter().enumerate() {
            if distances[cause] == usize::MAX && arcs.contains_key(&variable) {
                distances[cause] = distances[variable] + 1;
                open.push_back(cause);
            }
        }
    }
    distances
}

fn order_of_component(mut component: Vec<usize>, arcs: &Arcs, distances: &[usize]) -> Vec<usize> {
    let mut ordered = Vec::with_capacity(component.len());
    let mut incoming = vec![0; arcs.len()];
    for arc in component.iter().flat_map(|from| &arcs[*from]) {
        incoming[*arc.0] += arc.1;
    }
    let key = |variable: usize, incoming: &[u64]| (Reverse(distances[variable]), incoming[variable], variable);
    while let Some(at) = (0..component.len()).min_by_key(|at| key(component[*at], &incoming)) {
        let next = component.swap_remove(at);
        arcs[next].iter().for_each(|(to, weight)| incoming[*to] = incoming[*to].saturating_sub(*weight));
        ordered.push(next);
    }
    ordered
}

#[cfg(test)]
mod tests {
    use super::super::graphs::tests::{operator, set, test};
    use super::*;

    #[test]
    fn causes_come_first() {
        // 2 is changed depending on 0, 1 depending on 2.
        let operators =
            [operator(1, [(0, test(&[1])), (2, set(&[0], 1))]), operator(1, [(1, set(&[0], 1)), (2, test(&[1]))])];
        assert_eq!(order(3, &operators, &[false; 3]), [0, 2, 1]);
    }

    #[test]
    fn the_lightest_arcs_of_a_circle_are_given_up() {
        let depends = |changed: u32, on: u32| {
            let mut relations = vec![(changed, set(&[0], 1)), (on, test(&[1]))];
            relations.sort_by_key(|(variable, _)| *variable);
            operator(1, relations)
        };
        // 0 depends on 1 twice, 1 on 0 once: 1 is first. 2 depends on 0, outside of the circle.
        let operators = [depends(0, 1), depends(0, 1), depends(1, 0), depends(2, 0)];
        assert_eq!(order(3, &operators, &[false; 3]), [1, 0, 2]);
    }
    #[test]
    fn what_errors_depend_on_comes_last() {
        let both = |a: u32, b: u32| operator(1, [(a, set(&[0], 1)), (b, set(&[0], 1))]);
        let operators = [both(0, 1), both(1, 2), both(1, 3), both(1, 3)];
        assert_eq!(order(4, &operators, &[true, false, false, false]), [3, 2, 0, 1]);
    }
}
