//! Maximal cliques of small graphs (Bron, Kerbosch 1973, with a pivot).

/// Sets of nodes that are all neighbours of each other and in no larger such set; every node is in one. Where there are
/// more than `most`, those that are found first, and the nodes that are in none of them each by itself.
pub fn maximal_cliques(nodes: usize, neighbours: &dyn Fn(usize, usize) -> bool, most: usize) -> Vec<Vec<usize>> {
    let mut search = Search { neighbours, most, found: Vec::new() };
    if nodes > 0 {
        search.grow(&mut Vec::new(), (0..nodes).collect(), Vec::new());
    }
    let mut found = search.found;
    let lonely: Vec<usize> = (0..nodes).filter(|node| !found.iter().any(|clique| clique.contains(node))).collect();
    found.extend(lonely.into_iter().map(|node| vec![node]));
    found
}

struct Search<'a> {
    neighbours: &'a dyn Fn(usize, usize) -> bool,
    most: usize,
    found: Vec<Vec<usize>>,
}

impl Search<'_> {
    /// Those of the others that are neighbours of a node.
    fn near(&self, node: usize, others: &[usize]) -> Vec<usize> {
        others.iter().copied().filter(|other| *other != node && (self.neighbours)(node, *other)).collect()
    }

    /// All maximal cliques that include `clique` and none of those that are `done`; the others that fit to all of it are
    /// `open`.
    fn grow(&mut self, clique: &mut Vec<usize>, mut open: Vec<usize>, mut done: Vec<usize>) {
        if self.found.len() >= self.most {
            return;
        }
        // A maximal clique has the pivot in it, or one that is no neighbour of it.
        let pivot = open.iter().chain(&done).copied().max_by_key(|node| self.near(*node, &open).len());
        let Some(pivot) = pivot else {
            let mut whole = clique.clone();
            whole.sort_unstable();
            return self.found.push(whole);
        };
        let covered = self.near(pivot, &open);
        for node in open.clone().into_iter().filter(|node| !covered.contains(node)) {
            clique.push(node);
            let (open_near, done_near) = (self.near(node, &open), self.near(node, &done));
            self.grow(clique, open_near, done_near);
            clique.pop();
            open.retain(|other| *other != node);
            done.push(node);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(mut cliques: Vec<Vec<usize>>) -> Vec<Vec<usize>> {
        cliques.sort();
        cliques
    }

    #[test]
    fn all_maximal_ones_and_no_others() {
        // A triangle, an edge that hangs on it, and a node alone.
        let edges = [(0, 1), (1, 2), (0, 2), (2, 3)];
        let neighbours = |a: usize, b: usize| edges.contains(&(a, b)) || edges.contains(&(b, a));
        assert_eq!(sorted(maximal_cliques(5, &neighbours, 100)), [vec![0, 1, 2], vec![2, 3], vec![4]]);
        assert_eq!(maximal_cliques(0, &neighbours, 100), Vec::<Vec<usize>>::new());
    }

    #[test]
    fn agrees_with_all_subsets() {
        for seed in 0..200u32 {
            let edge = |a: usize, b: usize| {
                let (low, high) = (a.min(b) as u32, a.max(b) as u32);
                (seed.wrapping_mul(0x9e37_79b9) ^ (low * 7 + high * 31).wrapping_mul(0x85eb_ca6b)) >> 13 & 1 == 1
            };
            let members = |set: u32| (0..7usize).filter(|node| set >> node & 1 == 1).collect::<Vec<_>>();
            let clique = |set: u32| members(set).iter().all(|a| members(set).iter().all(|b| a == b || edge(*a, *b)));
            let maximal = |set: u32| (0..7).all(|node| set >> node & 1 == 1 || !clique(set | 1 << node));
            let wanted = (1..1u32 << 7).filter(|set| clique(*set) && maximal(*set)).map(members).collect();
            assert_eq!(sorted(maximal_cliques(7, &edge, 1000)), sorted(wanted));
        }
    }

    #[test]
    fn nobody_is_forgotten_where_there_are_too_many() {
        // Every node but its neighbour: two to the power of four maximal cliques.
        let neighbours = |a: usize, b: usize| a / 2 != b / 2;
        assert_eq!(maximal_cliques(8, &neighbours, 100).len(), 16);
        let few = maximal_cliques(8, &neighbours, 3);
        assert!((0..8).all(|node| few.iter().any(|clique| clique.contains(&node))));
        assert!(few.iter().all(|clique| clique.iter().all(|a| clique.iter().all(|b| a == b || neighbours(*a, *b)))));
    }
}
