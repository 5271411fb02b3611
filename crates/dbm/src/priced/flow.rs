//! Cheapest flows in networks without capacities: the dual of minimising over difference constraints.
//!
//! To minimise `Σ c_i x_i` subject to `x_i - x_j <= d_ij` is, by duality of linear programs, to bring goods along edges
//! `i -> j` of length `d_ij` from the nodes with `c_i < 0`, which have `-c_i` of them, to the nodes with `c_i > 0`, which
//! need `c_i`: the least value is the cheapest transport with the sign turned. Solved exactly by successive shortest paths (Jewell 1958,
//! Busacker and Gowen 1960) with integers; shortest paths after Bellman and Ford, because lengths can be negative. The
//! number of paths is not bounded by a polynomial in theory; networks here have a few dozen nodes.

pub(crate) struct Flow {
    /// Length times amount, over all edges.
    pub cost: i128,
    /// From, to, amount; amounts are positive.
    pub edges: Vec<(usize, usize, i128)>,
}

/// The cheapest flow that gives each node what it needs (negative: takes what it has). Needs add up to 0; there is no cycle
/// of negative length. Nothing if some need cannot be met: the minimum of which this is the dual is then −∞.
pub(crate) fn cheapest(needs: &[i128], length: &dyn Fn(usize, usize) -> Option<i128>, direct: bool) -> Option<Flow> {
    debug_assert_eq!(needs.iter().sum::<i128>(), 0);
    let having = |sign: i128| (0..needs.len()).filter(move |i| needs[*i].signum() == sign);
    let (sources, sinks) = (having(-1).count(), having(1).count());
    if direct && (sources <= 1 || sinks <= 1) {
        // No way is shorter than the edge, and only one way of sharing out.
        let pairs = having(-1).flat_map(|from| having(1).map(move |to| (from, to)));
        let edges: Vec<_> = pairs.map(|(from, to)| (from, to, needs[to].min(-needs[from]))).collect();
        let cost = edges.iter().map(|(from, to, amount)| Some(length(*from, *to)? * amount)).sum::<Option<i128>>()?;
        return Some(Flow { cost, edges });
    }
    let mut network = Network::new(needs, length);
    while network.needs.iter().any(|need| *need > 0) {
        network.augment()?;
    }
    Some(network.flow())
}

struct Network {
    size: usize,
    /// What is still needed.
    needs: Vec<i128>,
    lengths: Vec<Option<i128>>,
    amounts: Vec<i128>,
}

impl Network {
    fn new(needs: &[i128], length: &dyn Fn(usize, usize) -> Option<i128>) -> Network {
        let size = needs.len();
        let lengths = (0..size * size).map(|edge| (edge / size, edge % size));
        let lengths = lengths.map(|(from, to)| if from == to { None } else { length(from, to) }).collect();
        Network { size, needs: needs.to_vec(), lengths, amounts: vec![0; size * size] }
    }

    /// One more transport along a shortest path of the residual network: edges, and edges backwards as far as there is
    /// flow to take back. Nothing if there is no path to any need.
    fn augment(&mut self) -> Option<()> {
        let (distances, before) = self.shortest();
        let reached = (0..self.size).filter(|node| self.needs[*node] > 0 && distances[*node].is_some());
        let last = reached.min_by_key(|node| distances[*node])?;
        let mut path = Vec::new();
        let mut first = last;
        while let Some((from, backwards)) = before[first] {
            path.push((from, first, backwards));
            first = from;
        }
        let taken_back = path.iter().filter(|step| step.2).map(|(from, to, _)| self.amounts[to * self.size + from]);
        let amount = taken_back.chain([self.needs[last], -self.needs[first]]).min()?;
        for (from, to, backwards) in path {
            match backwards {
                false => self.amounts[from * self.size + to] += amount,
                true => self.amounts[to * self.size + from] -= amount,
            }
        }
        self.needs[last] -= amount;
        self.needs[first] += amount;
        Some(())
    }

    /// Distances from the nodes that still have something, and the last step of a shortest path: from where, and whether
    /// by taking back.
    #[allow(clippy::type_complexity)]
    fn shortest(&self) -> (Vec<Option<i128>>, Vec<Option<(usize, bool)>>) {
        let mut distances: Vec<Option<i128>> = self.needs.iter().map(|need| (*need < 0).then_some(0)).collect();
        let mut before = vec![None; self.size];
        loop {
            let mut changed = false;
            for from in 0..self.size {
                let Some(start) = distances[from] else { continue };
                for to in 0..self.size {
                    let back = to * self.size + from;
                    let there = self.lengths[from * self.size + to].map(|length| (start + length, false));
                    let back =
                        self.lengths[back].filter(|_| self.amounts[back] > 0).map(|length| (start - length, true));
                    for (distance, backwards) in there.into_iter().chain(back) {
                        if distances[to].is_none_or(|known| distance < known) {
                            (distances[to], before[to], changed) = (Some(distance), Some((from, backwards)), true);
                        }
                    }
                }
            }
            if !changed {
                return (distances, before);
            }
        }
    }

    fn flow(&self) -> Flow {
        let mut flow = Flow { cost: 0, edges: Vec::new() };
        for (edge, amount) in self.amounts.iter().enumerate().filter(|(_, amount)| **amount > 0) {
            flow.cost += amount * self.lengths[edge].unwrap_or(0);
            flow.edges.push((edge / self.size, edge % self.size, *amount));
        }
        flow
    }
}
