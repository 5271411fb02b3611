//! The cost of getting a variable from one value to another: cheapest paths in its local transition graph.
//!
//! An arc costs its operator and what it takes to get the variables that it needs from the values that they have at this
//! point of the path to values that it can be applied with, which is found in the same way in their graphs. At the start of
//! a path other variables have the values of the state. So the costs from a value depend only on the values of the
//! variable's ancestors, and are kept for as long as those do not change.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use bughound_finite::cost::{Cost, INFINITE, plus};
use bughound_finite::relation::{Relation, Value};

use super::graphs::{Graphs, Need};

/// The way to a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Way {
    pub cost: Cost,
    /// The first arc; of no meaning where the way is empty or there is none.
    pub first: u32,
}

const NO_WAY: Way = Way { cost: INFINITE, first: u32::MAX };

/// The ways from one value of a variable to all others.
#[derive(Default)]
struct Table {
    ways: Vec<Way>,
    /// The period of the variable in which they were found.
    period: u64,
}

/// Working memory for the paths of one variable. Paths of a variable only ask for those of earlier ones.
#[derive(Default)]
struct Work {
    open: BinaryHeap<Reverse<(Cost, Value)>>,
    /// By arc: the best total so far.
    arcs: Vec<Cost>,
    /// By value: the values of the parents after the path to it.
    parents: Vec<Value>,
    /// What the arc at hand makes of its parents.
    changed: Vec<(u32, Value)>,
}

pub struct Costs {
    /// The values of the state at hand.
    values: Vec<Value>,
    /// By variable, by value.
    tables: Vec<Vec<Table>>,
    work: Vec<Work>,
    /// By variable: a new one begins when values that it depends on change.
    periods: Vec<u64>,
    /// By variable: those whose costs depend on its value.
    dependants: Vec<Vec<u32>>,
}

impl Costs {
    pub fn new(graphs: &Graphs) -> Costs {
        let count = graphs.graphs.len();
        let mut dependants = vec![Vec::new(); count];
        for (variable, graph) in graphs.graphs.iter().enumerate() {
            graph.ancestors.iter().for_each(|ancestor| dependants[*ancestor as usize].push(variable as u32));
        }
        let tables = graphs.graphs.iter().map(|g| g.from.iter().map(|_| Table::default()).collect()).collect();
        let work = graphs.graphs.iter().map(|_| Work::default()).collect();
        Costs { values: vec![0; count], tables, work, periods: vec![1; count], dependants }
    }

    pub fn values(&self) -> &[Value] {
        &self.values
    }

    /// From now on the state is one with this value.
    pub fn set(&mut self, variable: usize, value: Value) {
        if std::mem::replace(&mut self.values[variable], value) != value {
            self.dependants[variable].iter().for_each(|dependant| self.periods[*dependant as usize] += 1);
        }
    }

    /// The cheapest way from a value to one that the relation takes, and that value.
    pub fn reach(&mut self, graphs: &Graphs, variable: u32, from: Value, wanted: &Relation) -> (Cost, Value) {
        if !wanted.after(from).is_empty() {
            return (0, from);
        }
        let ways = self.ways(graphs, variable, from);
        let all = wanted.iter().map(|(value, _)| (ways[value as usize].cost, value));
        all.min().unwrap_or((INFINITE, from))
    }

    pub fn way(&mut self, graphs: &Graphs, variable: u32, from: Value, to: Value) -> Way {
        self.ways(graphs, variable, from)[to as usize]
    }

    fn ways(&mut self, graphs: &Graphs, variable: u32, from: Value) -> &[Way] {
        let at = variable as usize;
        if self.tables[at][from as usize].period != self.periods[at] {
            self.find(graphs, variable, from);
        }
        &self.tables[at][from as usize].ways
    }

    fn find(&mut self, graphs: &Graphs, variable: u32, from: Value) {
        let at = variable as usize;
        let graph = &graphs.graphs[at];
        let mut work = std::mem::take(&mut self.work[at]);
        let mut ways = std::mem::take(&mut self.tables[at][from as usize].ways);
        ways.clear();
        ways.resize(graph.from.len(), NO_WAY);
        work.begin(graph.arcs.len(), graph.from.len() * graph.parents.len());
        let width = graph.parents.len();
        for (place, parent) in graph.parents.iter().enumerate() {
            work.parents[from as usize * width + place] = self.values[*parent as usize];
        }
        ways[from as usize].cost = 0;
        work.open.push(Reverse((0, from)));
        while let Some(Reverse((cost, value))) = work.open.pop() {
            if cost > ways[value as usize].cost {
                continue;
            }
            for number in &graph.from[value as usize] {
                let arc = &graph.arcs[*number as usize];
                let best = work.arcs[*number as usize];
                let mut total = plus(cost, arc.cost);
                work.changed.clear();
                for need in &arc.needs {
                    if total >= best {
                        break;
                    }
                    let now = work.parents[value as usize * width + need.parent as usize];
                    let relation = graphs.relation(arc.operator, *need);
                    let (more, reached) = self.reach(graphs, need.variable, now, relation);
                    total = plus(total, more);
                    work.changed.push((need.parent, after(relation, reached)));
                }
                if total >= best {
                    continue;
                }
                work.arcs[*number as usize] = total;
                for to in arc.to.iter().filter(|to| **to != value) {
                    if total < ways[*to as usize].cost {
                        let first = if value == from { *number } else { ways[value as usize].first };
                        ways[*to as usize] = Way { cost: total, first };
                        work.inherit(width, value as usize, *to as usize);
                        work.open.push(Reverse((total, *to)));
                    }
                }
            }
        }
        self.work[at] = work;
        self.tables[at][from as usize] = Table { ways, period: self.periods[at] };
    }

    /// Calls `open` with what an arc needs and does not have in the state, and the cheapest value for it.
    pub fn missing(&mut self, graphs: &Graphs, operator: u32, needs: &[Need], open: &mut dyn FnMut(u32, Value)) {
        for need in needs {
            let now = self.values[need.variable as usize];
            let (cost, to) = self.reach(graphs, need.variable, now, graphs.relation(operator, *need));
            if to != now && cost != INFINITE {
                open(need.variable, to);
            }
        }
    }

    pub fn memory(&self) -> u64 {
        let ways =
            self.tables.iter().flatten().map(|table| table.ways.capacity() * size_of::<Way>() + size_of::<Table>());
        let work = self.work.iter().map(|work| (work.arcs.capacity() + work.parents.capacity()) * size_of::<Cost>());
        ways.chain(work).sum::<usize>() as u64
    }
}

impl Work {
    fn begin(&mut self, arcs: usize, parents: usize) {
        self.open.clear();
        self.arcs.clear();
        self.arcs.resize(arcs, INFINITE);
        self.parents.resize(parents, 0);
    }

    /// The values of the parents after the arc at hand.
    fn inherit(&mut self, width: usize, from: usize, to: usize) {
        self.parents.copy_within(from * width..(from + 1) * width, to * width);
        for (parent, value) in &self.changed {
            self.parents[to * width + *parent as usize] = *value;
        }
    }
}

/// What becomes of the value of another variable: if there is a choice, it stays.
fn after(relation: &Relation, value: Value) -> Value {
    let after = relation.after(value);
    if after.contains(&value) { value } else { after.first().copied().unwrap_or(value) }
}

#[cfg(test)]
mod tests {
    use super::super::graphs::tests::{choose, operator, set, test};
    use super::*;

    /// Variable 0 goes back and forth; every step of variable 1 needs it at 1 and sends it back to 0.
    fn ping_pong(n: u32) -> Graphs {
        let mut operators = vec![operator(1, [(0, set(&[0], 1))])];
        operators.extend((0..n).map(|at| operator(1, [(0, set(&[1], 0)), (1, set(&[at], at + 1))])));
        Graphs::new(&[2, n + 1], operators, &[])
    }

    #[test]
    fn what_has_to_be_done_again_counts_again() {
        let graphs = ping_pong(7);
        let mut costs = Costs::new(&graphs);
        assert_eq!(costs.reach(&graphs, 1, 0, &test(&[7])), (14, 7));
        assert_eq!(costs.reach(&graphs, 1, 0, &test(&[5, 7])), (10, 5));
        costs.set(0, 1);
        assert_eq!(costs.reach(&graphs, 1, 0, &test(&[7])), (13, 7), "the first of them is there");
        costs.set(0, 0);
        assert_eq!(costs.reach(&graphs, 1, 6, &test(&[7])), (2, 7));
        assert_eq!(costs.reach(&graphs, 1, 7, &test(&[0])).0, INFINITE);
        assert_eq!(graphs.graphs[1].arcs[costs.way(&graphs, 1, 3, 6).first as usize].operator, 4);
    }

    #[test]
    fn choices_tests_and_costs() {
        // 0 becomes 1 or 2 for 5, or 2 for 9; then 2 becomes 3 where the other variable is not 0, which costs 4.
        let operators = vec![
            operator(5, [(0, choose(0, &[1, 2]))]),
            operator(9, [(0, set(&[0], 2))]),
            operator(0, [(0, set(&[2], 3)), (1, test(&[1, 2]))]),
            operator(4, [(1, set(&[0], 2))]),
        ];
        let graphs = Graphs::new(&[4, 3], operators, &[]);
        let mut costs = Costs::new(&graphs);
        let mut all = || (0..4).map(|to| costs.way(&graphs, 0, 0, to).cost).collect::<Vec<_>>();
        assert_eq!(all(), [0, 5, 5, 9]);
        costs.set(1, 1);
        assert_eq!(costs.way(&graphs, 0, 0, 3).cost, 5);
    }
}
