//! Strongly connected components, and whether one of them has all that a violating run needs.

/// A step between numbered nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Arc {
    pub to: usize,
    /// The processes that move in it, by bit.
    pub moved: u64,
}

/// A finite graph with conditions on infinite runs. All nodes are reachable.
#[derive(Clone, Debug, Default)]
pub struct Product {
    pub arcs: Vec<Vec<Arc>>,
    /// By node: the processes that cannot begin a step there, by bit.
    pub unable: Vec<u64>,
    /// By node: the conditions that visiting it fulfils, by bit.
    pub fulfils: Vec<u64>,
    /// The conditions there are, by bit.
    pub conditions: u64,
}

impl Product {
    /// Is there an infinite run that fulfils each condition again and again, and in which each of these processes moves
    /// again and again or is again and again unable to?
    ///
    /// There is if and only if there is one that goes round a whole component.
    pub fn has_run(&self, processes: u64) -> bool {
        self.good_components(processes).1.contains(&true)
    }

    /// Does such a run begin at every node?
    pub fn has_run_everywhere(&self, processes: u64) -> bool {
        let (component, mut leads_to_good) = self.good_components(processes);
        let mut nodes: Vec<usize> = (0..self.arcs.len()).collect();
        // What a component leads to has a smaller number, so it is known before.
        nodes.sort_by_key(|node| component[*node]);
        for node in nodes {
            leads_to_good[component[node]] |= self.arcs[node].iter().any(|arc| leads_to_good[component[arc.to]]);
        }
        leads_to_good.iter().all(|good| *good)
    }

    /// The component of each node, and by component: can such a run go round it?
    pub(crate) fn good_components(&self, processes: u64) -> (Vec<usize>, Vec<bool>) {
        let component = self.components();
        let count = component.iter().map(|c| c + 1).max().unwrap_or(0);
        let (mut fulfilled, mut fair, mut has_cycle) = (vec![0; count], vec![0; count], vec![false; count]);
        for (node, arcs) in self.arcs.iter().enumerate() {
            let own = component[node];
            fulfilled[own] |= self.fulfils[node];
            fair[own] |= self.unable[node];
            for arc in arcs.iter().filter(|arc| component[arc.to] == own) {
                has_cycle[own] = true;
                fair[own] |= arc.moved;
            }
        }
        let is_good = |c: usize| {
            has_cycle[c] && fulfilled[c] & self.conditions == self.conditions && fair[c] & processes == processes
        };
        (component, (0..count).map(is_good).collect())
    }

    /// The number of the component of each node (Tarjan 1972, with the recursion spelt out).
    fn components(&self) -> Vec<usize> {
        const NONE: usize = usize::MAX;
        let n = self.arcs.len();
        let (mut index, mut low, mut component) = (vec![NONE; n], vec![0; n], vec![NONE; n]);
        let (mut stack, mut count, mut next) = (Vec::new(), 0, 0);
        for root in 0..n {
            if index[root] != NONE {
                continue;
            }
            let mut calls = vec![(root, 0)];
            while let Some((node, at)) = calls.pop() {
                if at == 0 {
                    (index[node], low[node]) = (next, next);
                    next += 1;
                    stack.push(node);
                }
                match self.arcs[node].get(at) {
                    Some(arc) => {
                        calls.push((node, at + 1));
                        if index[arc.to] == NONE {
                            calls.push((arc.to, 0));
                        } else if component[arc.to] == NONE {
                            low[node] = low[node].min(index[arc.to]);
                        }
                    }
                    None => {
                        if low[node] == index[node] {
                            while let Some(member) = stack.pop() {
                                component[member] = count;
                                if member == node {
                                    break;
                                }
                            }
                            count += 1;
                        }
                        if let Some((parent, _)) = calls.last() {
                            low[*parent] = low[*parent].min(low[node]);
                        }
                    }
                }
            }
        }
        component
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn product(n: usize, arcs: &[(usize, usize, u64)]) -> Product {
        let mut all = vec![Vec::new(); n];
        arcs.iter().for_each(|(from, to, moved)| all[*from].push(Arc { to: *to, moved: *moved }));
        Product { arcs: all, unable: vec![0; n], fulfils: vec![0; n], conditions: 0 }
    }

    #[test]
    fn components_by_hand() {
        let found = product(5, &[(0, 1, 0), (1, 2, 0), (2, 1, 0), (2, 3, 0), (3, 3, 0), (0, 4, 0)]).components();
        assert_eq!(found[1], found[2]);
        let mut numbers = vec![found[0], found[1], found[3], found[4]];
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), 4);
    }

    #[test]
    fn conditions_and_fairness() {
        // Two nodes that lead to each other, and one without a way back.
        let mut p = product(3, &[(0, 1, 1), (1, 0, 1), (1, 2, 2)]);
        assert!(p.has_run(0) && p.has_run(1) && !p.has_run(2));
        assert!(!p.has_run_everywhere(0) && product(2, &[(0, 1, 0), (1, 1, 0)]).has_run_everywhere(0));
        p.unable[0] = 2;
        assert!(p.has_run(3));
        p.conditions = 3;
        p.fulfils = vec![1, 2, 3];
        assert!(p.has_run(3));
        p.fulfils = vec![1, 1, 3];
        assert!(!p.has_run(0), "the last node lies on no cycle");
        assert!(!product(2, &[(0, 1, 0)]).has_run(0));
    }
}
