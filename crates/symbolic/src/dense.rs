//! Dense parts of sets: many states in few nodes.
//!
//! From the top of a diagram downwards, of each branching the branch with more states is kept (*heavy branch*), until what is left is
//! small enough.
//!
//! Papers: Ravi, Somenzi 1995, "High-density reachability analysis"; Fraer, Kamhi, Ziv, Vardi, Fix 2000, "Prioritized traversal:
//! efficient reachability analysis for verification and falsification" (a frontier is split, the smallest part comes first).
//!
//! Claims: a part that is not empty, of a set that is not. Cost: the states are counted once for each variable that is decided.

use oxidd::BooleanFunction;

use crate::diagrams::{Computed, Diagrams, Set};

/// A part of a set with so many nodes at most.
pub(crate) fn dense_part(diagrams: &Diagrams, set: &Set, most_nodes: u64) -> Computed<Set> {
    let (mut part, mut decided) = (set.clone(), Vec::new());
    while diagrams.nodes(&part) > most_nodes {
        let (Some(variable), Some((ones, zeros))) = (diagrams.top(&part), part.cofactors()) else { break };
        let is_one = diagrams.count(&ones) >= diagrams.count(&zeros);
        part = if is_one { ones } else { zeros };
        decided.push((variable, is_one));
    }
    let nothing = diagrams.empty();
    decided.into_iter().rev().try_fold(part, |part, (variable, is_one)| match is_one {
        true => diagrams.choice(variable, &part, &nothing),
        false => diagrams.choice(variable, &nothing, &part),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::{pack, set_of};
    use bughound_kernel::Random;

    #[test]
    fn parts_are_small_and_lie_in_the_set() {
        let mut random = Random::new(3);
        let diagrams = Diagrams::new(10, None).unwrap();
        let variables: Vec<_> = (0..10).map(Diagrams::before).collect();
        for round in 1..60 {
            let numbers = (0..1_u64 << 10).filter(|_| random.below(round) == 0);
            let mut rows = numbers.map(|number| pack((0..10).map(|at| number >> at & 1 == 1))).collect();
            let set = set_of(&diagrams, &variables, &mut rows).unwrap();
            for most in [1, 4, 16, 64, 1024] {
                let part = dense_part(&diagrams, &set, most).unwrap();
                assert!(diagrams.is_empty(&diagrams.without(&part, &set).unwrap()));
                assert_eq!(diagrams.is_empty(&part), diagrams.is_empty(&set));
                // One node for each variable that was decided comes on top.
                assert!(diagrams.nodes(&part) <= most + 11, "{} of {most}", diagrams.nodes(&part));
            }
        }
    }
}
