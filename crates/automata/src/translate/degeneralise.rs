//! From several marks on edges to one mark on states.
//!
//! Papers: Gastin, Oddoux 2001, "Fast LTL to Büchi automata translation" (levels, and jumping over several at once);
//! Babiak, Badie, Duret-Lutz, Křetínský, Strejček 2013, "Compositional approach to suspension and other improvements to
//! LTL translation" (components one by one, levels used again).
//!
//! A copy of a state has a level: how many of the marks have been met, in a fixed order, since the last accepting state.
//! Two things are not needed outside of a component: levels themselves, for no run counts marks for ever there, and one
//! order for all. So each accepting component is unfolded alone, with the order of the marks that gives the fewest
//! copies, and of all its copies only those are kept that can be met again and again. All copies of a state accept the
//! same words, so edges from outside may lead to any of them.

use crate::classes::strong_components;

use super::graph::{Arc, Graph, Node, merged};

/// Choices that do not change what is accepted but what the reductions afterwards can do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Choice {
    /// Marks that all edges out of a state carry count on arrival there.
    pub look_ahead: bool,
    /// Edges from outside lead to the copy with the highest level, not to the one with the lowest.
    pub enter_high: bool,
}

impl Choice {
    pub const ALL: [Choice; 4] = [
        Choice { look_ahead: true, enter_high: false },
        Choice { look_ahead: true, enter_high: true },
        Choice { look_ahead: false, enter_high: false },
        Choice { look_ahead: false, enter_high: true },
    ];
}

/// All orders of up to this many marks are tried, and rotations of one order where there are more.
const MOST_PERMUTED: usize = 4;

/// An accepting component and its edges inside.
struct Component {
    states: Vec<usize>,
    /// By position in `states`: position of the target, marks.
    arcs: Vec<Vec<(usize, u128)>>,
    /// Marks on all arcs out of a state.
    ahead: Vec<u128>,
}

/// Copies of the states of a component: position of the state and level, sorted by state.
struct Unfolded {
    order: Vec<u128>,
    copies: Vec<(usize, usize)>,
}

impl Component {
    /// Marks that have to be counted: not those that come with every edge, nor those that come with another mark.
    fn relevant_marks(&self, all_marks: u128) -> Vec<u128> {
        let marks: Vec<u128> = self.arcs.iter().flatten().map(|(_, marks)| *marks).collect();
        let mut relevant: Vec<u128> = (0..u128::BITS).map(|bit| 1 << bit).filter(|bit| all_marks & bit != 0).collect();
        relevant.retain(|bit| marks.iter().any(|m| m & bit == 0));
        let mut i = 0;
        while i < relevant.len() {
            let bit = relevant[i];
            let follows = |other: u128| marks.iter().all(|m| m & other == 0 || m & bit != 0);
            if relevant.iter().any(|other| *other != bit && follows(*other)) {
                relevant.remove(i);
            } else {
                i += 1;
            }
        }
        relevant
    }

    /// The level after an edge. The last level is the accepting one; counting starts again there.
    fn level_after(&self, order: &[u128], level: usize, to: usize, marks: u128, choice: Choice) -> usize {
        let marks = if choice.look_ahead { marks | self.ahead[to] } else { marks };
        let start = if level == order.len() { 0 } else { level };
        start + order[start..].iter().take_while(|bit| marks & **bit != 0).count()
    }

    /// The copies that are met again and again when marks are counted in this order: the smallest set of copies that
    /// cannot be left. It has a copy of every state.
    fn unfold(&self, order: Vec<u128>, choice: Choice) -> Unfolded {
        let levels = order.len() + 1;
        let successors: Vec<Vec<usize>> = (0..self.states.len() * levels)
            .map(|copy| {
                let arcs = self.arcs[copy / levels].iter();
                arcs.map(|(to, marks)| to * levels + self.level_after(&order, copy % levels, *to, *marks, choice))
                    .collect()
            })
            .collect();
        let (component, count) = strong_components(&successors);
        let mut size = vec![0; count];
        let mut left = vec![false; count];
        for (copy, next) in successors.iter().enumerate() {
            size[component[copy]] += 1;
            left[component[copy]] |= next.iter().any(|n| component[*n] != component[copy]);
        }
        let best = (0..count).filter(|c| !left[*c]).min_by_key(|c| size[*c]);
        let kept = (0..successors.len()).filter(|copy| Some(component[*copy]) == best);
        Unfolded { copies: kept.map(|copy| (copy / levels, copy % levels)).collect(), order }
    }

    fn best_unfolding(&self, all_marks: u128, choice: Choice) -> Unfolded {
        let relevant = self.relevant_marks(all_marks);
        let mut best = self.unfold(relevant.clone(), choice);
        for order in orders(&relevant).into_iter().skip(1) {
            let other = self.unfold(order, choice);
            if other.copies.len() < best.copies.len() {
                best = other;
            }
        }
        best
    }
}

/// Orders to try, the given one first.
fn orders(marks: &[u128]) -> Vec<Vec<u128>> {
    if marks.len() > MOST_PERMUTED {
        return (0..marks.len()).map(|i| [&marks[i..], &marks[..i]].concat()).collect();
    }
    let mut all: Vec<Vec<u128>> = vec![Vec::new()];
    for mark in marks.iter().rev() {
        let longer = all.iter().flat_map(|order| {
            (0..=order.len()).map(|i| [&order[..i], &[*mark], &order[i..]].concat()).collect::<Vec<_>>()
        });
        all = longer.collect();
    }
    all
}

impl Graph {
    /// A Büchi automaton, with its mark on states, that accepts the same words.
    pub fn degeneralised(&self, choice: Choice) -> Graph {
        let (component, accepting) = self.accepting_components();
        // For every state its copies, as level and number in the result.
        let mut copies: Vec<Vec<(usize, usize)>> = vec![Vec::new(); self.states.len()];
        let mut states: Vec<Node> = Vec::new();
        let mut unfoldings = Vec::new();
        for (c, accepting) in accepting.iter().enumerate() {
            let members: Vec<usize> = (0..self.states.len()).filter(|s| component[*s] == c).collect();
            if !accepting {
                for state in members {
                    copies[state].push((0, states.len()));
                    states.push(Node::default());
                }
                continue;
            }
            let part = self.component(members);
            let unfolded = part.best_unfolding(self.all_marks, choice);
            for (position, level) in &unfolded.copies {
                copies[part.states[*position]].push((*level, states.len()));
                states.push(Node { marks: u128::from(*level == unfolded.order.len()), arcs: Vec::new() });
            }
            unfoldings.push((c, part, unfolded));
        }
        let entry = |state: usize| {
            let all = &copies[state];
            let copy = if choice.enter_high { all.last() } else { all.first() };
            copy.map_or(0, |(_, number)| *number)
        };
        for (state, node) in self.states.iter().enumerate() {
            let inside = unfoldings.iter().find(|(c, ..)| *c == component[state]);
            for (level, number) in &copies[state] {
                let arcs = node.arcs.iter().map(|arc| {
                    let to = match inside {
                        Some((c, part, unfolded)) if component[arc.to] == *c => {
                            let position = part.states.iter().position(|s| *s == arc.to).unwrap_or(0);
                            let level = part.level_after(&unfolded.order, *level, position, arc.marks, choice);
                            let copy = copies[arc.to].iter().find(|(l, _)| *l == level);
                            copy.map_or_else(|| entry(arc.to), |(_, number)| *number)
                        }
                        _ => entry(arc.to),
                    };
                    Arc { to, marks: 0, label: arc.label.clone() }
                });
                states[*number].arcs = merged(arcs.collect());
            }
        }
        Graph { atoms: self.atoms, all_marks: 1, initial: entry(self.initial), states }
    }

    fn component(&self, states: Vec<usize>) -> Component {
        let position = |state: usize| states.binary_search(&state).ok();
        let arcs: Vec<Vec<(usize, u128)>> = states
            .iter()
            .map(|s| self.states[*s].arcs.iter().filter_map(|a| Some((position(a.to)?, a.marks))).collect())
            .collect();
        let ahead = arcs.iter().map(|arcs| arcs.iter().fold(self.all_marks, |all, (_, marks)| all & marks)).collect();
        Component { states, arcs, ahead }
    }
}
