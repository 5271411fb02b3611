//! Strongly connected components of a graph with numbered nodes.
//!
//! Paper: Tarjan 1972, "Depth-first search and linear graph algorithms". The recursion is spelt out, so that long paths do not
//! exhaust the stack.

/// Which nodes can reach each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Components {
    /// The component of every node. Edges lead to the same component or to one with a smaller number.
    pub of: Vec<u32>,
    /// How many there are.
    pub count: usize,
}

impl Components {
    /// `successors` adds those of a node to the list: nodes below `nodes`, the same one more than once if it likes.
    pub fn new(nodes: usize, mut successors: impl FnMut(usize, &mut Vec<u32>)) -> Components {
        const NEW: u32 = u32::MAX;
        let mut component = vec![NEW; nodes];
        let (mut index, mut low) = (vec![NEW; nodes], vec![0_u32; nodes]);
        let (mut found, mut clock) = (0, 0);
        // Nodes whose component is not known yet; the path with where the successors of each node begin in `waiting`.
        let (mut live, mut path, mut waiting) = (Vec::new(), Vec::new(), Vec::new());
        for root in 0..nodes as u32 {
            let mut enter = (index[root as usize] == NEW).then_some(root);
            loop {
                if let Some(node) = enter.take() {
                    (index[node as usize], low[node as usize]) = (clock, clock);
                    clock += 1;
                    live.push(node);
                    let first = waiting.len();
                    successors(node as usize, &mut waiting);
                    waiting[first..].reverse();
                    path.push((node as usize, first));
                }
                let Some(&(node, first)) = path.last() else { break };
                if waiting.len() > first {
                    let Some(to) = waiting.pop() else { break };
                    if index[to as usize] == NEW {
                        enter = Some(to);
                    } else if component[to as usize] == NEW {
                        low[node] = low[node].min(index[to as usize]);
                    }
                    continue;
                }
                if low[node] == index[node] {
                    while let Some(member) = live.pop() {
                        component[member as usize] = found;
                        if member as usize == node {
                            break;
                        }
                    }
                    found += 1;
                }
                path.pop();
                if let Some((parent, _)) = path.last() {
                    low[*parent] = low[*parent].min(low[node]);
                }
            }
        }
        Components { of: component, count: found as usize }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;

    fn components(graph: &[Vec<u32>]) -> Components {
        Components::new(graph.len(), |node, out| out.extend(&graph[node]))
    }

    /// By node: which nodes a path leads to, itself included.
    fn reachable(graph: &[Vec<u32>]) -> Vec<Vec<bool>> {
        let from = |start: usize| {
            let (mut seen, mut open) = (vec![false; graph.len()], vec![start]);
            while let Some(node) = open.pop() {
                if !std::mem::replace(&mut seen[node], true) {
                    open.extend(graph[node].iter().map(|to| *to as usize));
                }
            }
            seen
        };
        (0..graph.len()).map(from).collect()
    }

    #[test]
    fn nodes_are_together_if_each_reaches_the_other() {
        for seed in 0..300 {
            let mut random = Random::new(seed);
            let nodes = 1 + random.below(9);
            let row = |random: &mut Random| (0..random.below(4)).map(|_| random.below(nodes) as u32).collect();
            let graph: Vec<Vec<u32>> = (0..nodes).map(|_| row(&mut random)).collect();
            let (found, reach) = (components(&graph), reachable(&graph));
            for (a, next) in graph.iter().enumerate() {
                for (b, back) in reach.iter().enumerate() {
                    assert_eq!(found.of[a] == found.of[b], reach[a][b] && back[a], "{graph:?}: {a} and {b}");
                }
                assert!(next.iter().all(|b| found.of[*b as usize] <= found.of[a]), "{graph:?}: {:?}", found.of);
            }
            assert_eq!(found.of.iter().map(|c| *c as usize + 1).max(), Some(found.count));
        }
        assert_eq!(components(&[]).count, 0);
    }

    #[test]
    fn long_paths_do_not_exhaust_the_stack() {
        let n = 200_000;
        assert_eq!(Components::new(n, |node, out| out.push(((node + 1) % n) as u32)).count, 1);
    }
}
