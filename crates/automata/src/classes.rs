//! Strongly connected components of an automaton, and what cycles in them mean.
//!
//! Paper: Edelkamp, Lluch Lafuente, Leue 2001, "Directed explicit model checking with HSF-SPIN", section 4.1. A cycle of
//! the product with a model is a cycle in one component of the claim. Where all cycles of the component are accepting,
//! the first cycle that a depth-first search closes is a counterexample, and no nested search is needed.

use std::fmt;

/// What is known about the cycles of a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    /// N: no accepting cycle. There is no accepting state, or no cycle at all.
    NonAccepting,
    /// F: there are cycles, and all of them are accepting.
    FullyAccepting,
    /// P: some cycles are accepting, others are not.
    PartiallyAccepting,
}

impl Class {
    /// The letter of the paper.
    pub fn letter(self) -> char {
        match self {
            Class::NonAccepting => 'N',
            Class::FullyAccepting => 'F',
            Class::PartiallyAccepting => 'P',
        }
    }
}

/// The components of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Components {
    /// The component of every state. Edges lead to the same component or to one with a smaller number.
    pub of: Vec<usize>,
    /// The class of every component.
    pub class: Vec<Class>,
    /// Whether there is a cycle in the component.
    pub cyclic: Vec<bool>,
}

impl Components {
    pub fn class_of(&self, state: usize) -> Class {
        self.class[self.of[state]]
    }
}

/// The components of any graph and their classes. Successors that are not states are ignored.
pub fn classify(successors: &[Vec<usize>], accepting: &[bool]) -> Components {
    let (of, count) = strong_components(successors);
    let accepts = |state: usize| accepting.get(state).copied().unwrap_or(false);
    let inside = |state: usize, next: usize| of.get(next) == Some(&of[state]);
    let mut cyclic = vec![false; count];
    let mut has_accepting = vec![false; count];
    for (state, next) in successors.iter().enumerate() {
        cyclic[of[state]] |= next.iter().any(|n| inside(state, *n));
        has_accepting[of[state]] |= accepts(state);
    }
    // Without the edges to accepting states and to other components, whatever cycle is left avoids acceptance.
    let avoiding: Vec<Vec<usize>> = successors
        .iter()
        .enumerate()
        .map(|(state, next)| {
            let kept = next.iter().copied().filter(|n| inside(state, *n) && !accepts(*n));
            kept.collect()
        })
        .collect();
    let (part, _) = strong_components(&avoiding);
    let mut avoidable = vec![false; count];
    for (state, next) in avoiding.iter().enumerate() {
        avoidable[of[state]] |= next.iter().any(|n| part[*n] == part[state]);
    }
    let class = (0..count).map(|c| match (cyclic[c] && has_accepting[c], avoidable[c]) {
        (false, _) => Class::NonAccepting,
        (true, false) => Class::FullyAccepting,
        (true, true) => Class::PartiallyAccepting,
    });
    Components { class: class.collect(), of, cyclic }
}

/// The component of every node, and their number: edges lead to the same component or to one with a smaller number.
/// Successors that are no nodes are ignored.
pub(crate) fn strong_components(successors: &[Vec<usize>]) -> (Vec<usize>, usize) {
    let nodes = successors.len();
    let known = |node: usize, out: &mut Vec<u32>| {
        out.extend(successors[node].iter().filter(|next| **next < nodes).map(|next| *next as u32));
    };
    let found = bughound_kernel::Components::new(nodes, known);
    (found.of.into_iter().map(|component| component as usize).collect(), found.count)
}

/// Which classes occur in an automaton: the entry of Table 2 of the paper, `S+N+F` and the like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClassSet {
    /// S: a state from which everything is accepted. Reaching it is enough.
    pub end: bool,
    pub non_accepting: bool,
    pub partially: bool,
    pub fully: bool,
}

impl fmt::Display for ClassSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letters = [(self.end, "S"), (self.non_accepting, "N"), (self.partially, "P"), (self.fully, "F")];
        let present: Vec<&str> = letters.iter().filter(|(there, _)| *there).map(|(_, letter)| *letter).collect();
        write!(f, "{}", present.join("+"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classes(successors: &[&[usize]], accepting: &[usize]) -> Vec<char> {
        let graph: Vec<Vec<usize>> = successors.iter().map(|s| s.to_vec()).collect();
        let flags: Vec<bool> = (0..graph.len()).map(|s| accepting.contains(&s)).collect();
        let components = classify(&graph, &flags);
        for (state, next) in graph.iter().enumerate() {
            assert!(next.iter().all(|n| components.of[*n] <= components.of[state]));
        }
        (0..graph.len()).map(|s| components.class_of(s).letter()).collect()
    }

    #[test]
    fn classes_of_small_graphs() {
        // The negation of a response property.
        assert_eq!(classes(&[&[0, 1], &[1]], &[1]), ['N', 'F']);
        // An accepting state without a cycle accepts nothing.
        assert_eq!(classes(&[&[1], &[1]], &[0]), ['N', 'N']);
        // Two states in a ring, one accepting: every cycle passes it.
        assert_eq!(classes(&[&[1], &[0]], &[1]), ['F', 'F']);
        // With a loop beside it, not every one.
        assert_eq!(classes(&[&[0, 1], &[0]], &[1]), ['P', 'P']);
        // A ring of two beside an accepting state.
        assert_eq!(classes(&[&[1], &[2], &[1, 0]], &[0]), ['P', 'P', 'P']);
        // Two rings through the same accepting state.
        assert_eq!(classes(&[&[1, 2], &[0], &[0]], &[0]), ['F', 'F', 'F']);
        assert_eq!(classes(&[&[]], &[0]), ['N']);
        assert!(classes(&[], &[]).is_empty());
    }

    #[test]
    fn targets_that_do_not_exist_are_ignored() {
        assert_eq!(classify(&[vec![0, 7]], &[]).class, [Class::NonAccepting]);
    }
}
