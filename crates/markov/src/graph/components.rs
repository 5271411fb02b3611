//! Strongly connected components, successors before predecessors.
//!
//! Tarjan, *Depth-first search and linear graph algorithms* (1972), with an explicit stack. Linear time.

use crate::model::Model;

/// A partition of the vertices. Components are numbered such that edges lead to the same or to a lower component.
#[derive(Clone, Debug)]
pub struct Components {
    of: Vec<u32>,
    start: Vec<u32>,
    members: Vec<u32>,
}

impl Components {
    pub fn count(&self) -> usize {
        self.start.len() - 1
    }

    /// The component of a vertex.
    pub fn of(&self, vertex: usize) -> usize {
        self.of[vertex] as usize
    }

    pub fn members(&self, component: usize) -> &[u32] {
        &self.members[self.start[component] as usize..self.start[component + 1] as usize]
    }
}

const UNSEEN: u32 = u32::MAX;

/// Components of a graph in compressed rows. `start` has one number more than there are vertices; targets beyond the
/// vertices are no edges.
pub(crate) fn components_of(vertices: usize, start: impl Fn(usize) -> u32, targets: &[u32]) -> Components {
    let mut of = vec![UNSEEN; vertices];
    // Discovery number while on the stack, in `low`; `of` doubles as the mark that a vertex is done.
    let mut low = vec![UNSEEN; vertices];
    let mut index = vec![UNSEEN; vertices];
    let mut members = Vec::with_capacity(vertices);
    let mut starts = vec![0u32];
    let mut stack: Vec<u32> = Vec::new();
    let mut calls: Vec<(u32, u32)> = Vec::new();
    let mut next = 0u32;
    for root in 0..vertices {
        if index[root] != UNSEEN {
            continue;
        }
        calls.push((root as u32, start(root)));
        index[root] = next;
        low[root] = next;
        next += 1;
        stack.push(root as u32);
        while let Some(&mut (vertex, ref mut edge)) = calls.last_mut() {
            let v = vertex as usize;
            let end = start(v + 1);
            let mut descend = None;
            while *edge < end {
                let target = targets[*edge as usize];
                *edge += 1;
                let t = target as usize;
                if t >= vertices {
                    continue;
                }
                if index[t] == UNSEEN {
                    descend = Some(target);
                    break;
                }
                if of[t] == UNSEEN {
                    low[v] = low[v].min(index[t]);
                }
            }
            if let Some(target) = descend {
                let t = target as usize;
                index[t] = next;
                low[t] = next;
                next += 1;
                stack.push(target);
                calls.push((target, start(t)));
                continue;
            }
            calls.pop();
            if let Some(&(parent, _)) = calls.last() {
                low[parent as usize] = low[parent as usize].min(low[v]);
            }
            if low[v] == index[v] {
                let component = starts.len() as u32 - 1;
                while let Some(member) = stack.pop() {
                    of[member as usize] = component;
                    members.push(member);
                    if member == vertex {
                        break;
                    }
                }
                starts.push(members.len() as u32);
            }
        }
    }
    Components { of, start: starts, members }
}

/// Strongly connected components of a model, whatever is chosen.
pub fn components(model: &Model) -> Components {
    components_of(model.states(), |state| first_entry(model, state), &model.targets)
}

fn first_entry(model: &Model, state: usize) -> u32 {
    let choice = if model.choice_start.is_empty() { state } else { model.choice_start[state] as usize };
    model.entry_start[choice]
}

/// Components that no edge leaves, by their numbers.
pub fn bottom_components(model: &Model, components: &Components) -> Vec<usize> {
    let mut bottom = vec![true; components.count()];
    for state in 0..model.states() {
        let own = components.of(state);
        if model.targets[model.entries_of_state(state)].iter().any(|&target| components.of(target as usize) != own) {
            bottom[own] = false;
        }
    }
    (0..components.count()).filter(|&component| bottom[component]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_come_successors_first() {
        // 0 → 1 → 2 → 1, 2 → 3, 4 → 4, and an edge to outside.
        let start = [0u32, 1, 2, 4, 5, 6];
        let targets = [1u32, 2, 1, 3, 99, 4];
        let found = components_of(5, |v| start[v], &targets);
        assert_eq!(found.count(), 4);
        assert_eq!(found.of(1), found.of(2));
        assert!(found.of(3) < found.of(2) && found.of(2) < found.of(0));
        let mut pair = found.members(found.of(1)).to_vec();
        pair.sort();
        assert_eq!(pair, [1, 2]);
    }

    #[test]
    fn a_long_path_does_not_overflow_the_stack() {
        let n = 300_000u32;
        let targets: Vec<u32> = (1..=n).collect();
        assert_eq!(components_of(n as usize, |v| v as u32, &targets).count(), n as usize);
    }
}
