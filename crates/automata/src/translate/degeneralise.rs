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
//!
//! Conditions that must hold infinitely often (`[]<>p`) are counted like marks. They need not be part of the generalised
//! automaton, where each subset of them would be an edge of its own; and outside of accepting components they do not
//! matter.

use crate::classes::strong_components;
use crate::label::Label;

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

/// What has to be met infinitely often.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Goal {
    Mark(u128),
    /// A condition on letters, and its opposite.
    Condition(Label, Label),
}

/// An accepting component and its edges inside.
struct Component<'a> {
    states: Vec<usize>,
    /// By position in `states`: position of the target, marks, label.
    arcs: Vec<Vec<(usize, u128, &'a Label)>>,
    /// Marks on all arcs out of a state.
    ahead: Vec<u128>,
}

/// Copies of the states of a component: position of the state and level, sorted by state.
struct Unfolded {
    order: Vec<Goal>,
    copies: Vec<(usize, usize)>,
}

impl Component<'_> {
    /// What has to be counted: not what comes with every edge, nor what comes with something else.
    fn goals(&self, graph: &Graph) -> Option<Vec<Goal>> {
        let arcs = || self.arcs.iter().flatten();
        let mut marks: Vec<u128> =
            (0..u128::BITS).map(|bit| 1 << bit).filter(|bit| graph.all_marks & bit != 0).collect();
        marks.retain(|bit| arcs().any(|(_, marks, _)| marks & bit == 0));
        let follows = |mark: u128, other: u128| arcs().all(|(_, marks, _)| marks & other == 0 || marks & mark != 0);
        retain_needed(&mut marks, |mark, other| follows(*mark, *other));
        let mut conditions = graph.recurring.clone();
        conditions.sort();
        conditions.dedup();
        conditions.retain(|condition| arcs().any(|(_, _, label)| !label.implies(condition)));
        retain_needed(&mut conditions, |condition, other| other.implies(condition));
        let mut goals: Vec<Goal> = marks.into_iter().map(Goal::Mark).collect();
        for condition in conditions {
            let opposite = condition.negated()?;
            goals.push(Goal::Condition(condition, opposite));
        }
        Some(goals)
    }

    /// The levels after an edge, each with the letters for which it is that one. The last level is the accepting one;
    /// counting starts again there. `None` if a label gets too large.
    fn levels_after(
        &self,
        order: &[Goal],
        level: usize,
        (to, marks, label): (usize, u128, &Label),
        choice: Choice,
    ) -> Option<Vec<(usize, Label)>> {
        let marks = if choice.look_ahead { marks | self.ahead[to] } else { marks };
        let mut level = if level == order.len() { 0 } else { level };
        let mut label = label.clone();
        let mut levels = Vec::new();
        while !label.is_false() {
            match order.get(level) {
                Some(Goal::Mark(mark)) if marks & mark != 0 => {}
                Some(Goal::Condition(condition, opposite)) => {
                    let not_now = label.and(opposite)?;
                    if !not_now.is_false() {
                        levels.push((level, not_now));
                    }
                    label = label.and(condition)?;
                }
                Some(Goal::Mark(_)) | None => {
                    levels.push((level, label));
                    break;
                }
            }
            level += 1;
        }
        Some(levels)
    }

    /// The copies that are met again and again when goals are counted in this order: the smallest set of copies that
    /// cannot be left. It has a copy of every state.
    fn unfold(&self, order: Vec<Goal>, choice: Choice) -> Option<Unfolded> {
        let levels = order.len() + 1;
        let mut successors: Vec<Vec<usize>> = Vec::with_capacity(self.states.len() * levels);
        for copy in 0..self.states.len() * levels {
            let mut next = Vec::new();
            for arc in &self.arcs[copy / levels] {
                let after = self.levels_after(&order, copy % levels, *arc, choice)?;
                next.extend(after.into_iter().map(|(level, _)| arc.0 * levels + level));
            }
            successors.push(next);
        }
        let (component, count) = strong_components(&successors);
        let mut size = vec![0; count];
        let mut left = vec![false; count];
        for (copy, next) in successors.iter().enumerate() {
            size[component[copy]] += 1;
            left[component[copy]] |= next.iter().any(|n| component[*n] != component[copy]);
        }
        let best = (0..count).filter(|c| !left[*c]).min_by_key(|c| size[*c]);
        let kept = (0..successors.len()).filter(|copy| Some(component[*copy]) == best);
        Some(Unfolded { copies: kept.map(|copy| (copy / levels, copy % levels)).collect(), order })
    }

    fn best_unfolding(&self, graph: &Graph, choice: Choice) -> Option<Unfolded> {
        let goals = self.goals(graph)?;
        let mut best = self.unfold(goals.clone(), choice)?;
        for order in orders(&goals).into_iter().skip(1) {
            let other = self.unfold(order, choice)?;
            if other.copies.len() < best.copies.len() {
                best = other;
            }
        }
        Some(best)
    }
}

/// Takes out, one by one, what is met whenever another one that stays is met.
fn retain_needed<T: PartialEq + Clone>(goals: &mut Vec<T>, met_with: impl Fn(&T, &T) -> bool) {
    let mut i = 0;
    while i < goals.len() {
        let goal = goals[i].clone();
        if goals.iter().any(|other| *other != goal && met_with(&goal, other)) {
            goals.remove(i);
        } else {
            i += 1;
        }
    }
}

/// Orders to try, the given one first.
fn orders(goals: &[Goal]) -> Vec<Vec<Goal>> {
    if goals.len() > MOST_PERMUTED {
        return (0..goals.len()).map(|i| [&goals[i..], &goals[..i]].concat()).collect();
    }
    let mut all: Vec<Vec<Goal>> = vec![Vec::new()];
    for goal in goals.iter().rev() {
        let longer = all.iter().flat_map(|order| {
            let with = |i: usize| [&order[..i], std::slice::from_ref(goal), &order[i..]].concat();
            (0..=order.len()).map(with).collect::<Vec<_>>()
        });
        all = longer.collect();
    }
    all
}

impl Graph {
    /// A Büchi automaton, with its mark on states, that accepts the same words; `None` if its labels get too large.
    pub fn degeneralised(&self, choice: Choice) -> Option<Graph> {
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
            let unfolded = part.best_unfolding(self, choice)?;
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
                let mut arcs = Vec::new();
                for arc in &node.arcs {
                    match inside {
                        Some((c, part, unfolded)) if component[arc.to] == *c => {
                            let position = part.states.binary_search(&arc.to).unwrap_or(0);
                            let inner = (position, arc.marks, &arc.label);
                            for (level, label) in part.levels_after(&unfolded.order, *level, inner, choice)? {
                                let copy = copies[arc.to].iter().find(|(l, _)| *l == level);
                                let to = copy.map_or_else(|| entry(arc.to), |(_, number)| *number);
                                arcs.push(Arc { to, marks: 0, label });
                            }
                        }
                        _ => arcs.push(Arc { to: entry(arc.to), marks: 0, label: arc.label.clone() }),
                    }
                }
                states[*number].arcs = merged(arcs);
            }
        }
        Some(Graph { atoms: self.atoms, all_marks: 1, recurring: Vec::new(), initial: entry(self.initial), states })
    }

    fn component(&self, states: Vec<usize>) -> Component<'_> {
        let position = |state: usize| states.binary_search(&state).ok();
        let arcs: Vec<Vec<(usize, u128, &Label)>> = states
            .iter()
            .map(|s| self.states[*s].arcs.iter().filter_map(|a| Some((position(a.to)?, a.marks, &a.label))).collect())
            .collect();
        let common = |arcs: &Vec<(usize, u128, &Label)>| arcs.iter().fold(self.all_marks, |all, arc| all & arc.1);
        let ahead = arcs.iter().map(common).collect();
        Component { states, arcs, ahead }
    }
}
