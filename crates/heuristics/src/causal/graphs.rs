//! Local transition graphs: how operators change the value of one variable, and what they need of others.

use bughound_finite::cost::Cost;
use bughound_finite::ground::Operator;
use bughound_finite::relation::{Relation, Value};

use super::order::order;

/// Some values of a variable become others by an operator.
pub struct Arc {
    pub operator: u32,
    pub cost: Cost,
    /// The values afterwards: any of them, whichever it was before.
    pub to: Vec<Value>,
    pub needs: Vec<Need>,
}

/// What an operator needs of, and does to, an earlier variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Need {
    pub variable: u32,
    /// The variable's place among the parents.
    pub parent: u32,
    /// The number of the relation in the operator.
    pub relation: u32,
}

#[derive(Default)]
pub struct LocalGraph {
    pub arcs: Vec<Arc>,
    /// By value: the arcs from it.
    pub from: Vec<Vec<u32>>,
    /// Variables that arcs need something of, all of them earlier.
    pub parents: Vec<u32>,
    /// Variables whose values the costs depend on: the parents, their parents, ...
    pub ancestors: Vec<u32>,
}

pub struct Graphs {
    pub operators: Vec<Operator>,
    pub graphs: Vec<LocalGraph>,
}

impl Graphs {
    pub fn new(sizes: &[u32], operators: Vec<Operator>, errors: &[Operator]) -> Graphs {
        let mut wanted = vec![false; sizes.len()];
        errors.iter().flat_map(|error| &error.relations).for_each(|(variable, _)| wanted[*variable as usize] = true);
        let places = order(sizes.len(), &operators, &wanted);
        let empty = |size: &u32| LocalGraph { from: vec![Vec::new(); *size as usize], ..LocalGraph::default() };
        let mut graphs: Vec<LocalGraph> = sizes.iter().map(empty).collect();
        for (number, operator) in operators.iter().enumerate() {
            for (variable, relation) in &operator.relations {
                if !relation.only_tests() {
                    graphs[*variable as usize].add(*variable, relation, number as u32, operator, &places);
                }
            }
        }
        let mut in_order: Vec<usize> = (0..sizes.len()).collect();
        in_order.sort_by_key(|variable| places[*variable]);
        for variable in in_order {
            let parents = graphs[variable].parents.iter();
            let mut all: Vec<u32> =
                parents.flat_map(|p| graphs[*p as usize].ancestors.iter().chain([p])).copied().collect();
            all.sort_unstable();
            all.dedup();
            graphs[variable].ancestors = all;
        }
        Graphs { operators, graphs }
    }

    pub fn relation(&self, operator: u32, need: Need) -> &Relation {
        &self.operators[operator as usize].relations[need.relation as usize].1
    }

    pub fn memory(&self) -> u64 {
        let arcs = self.graphs.iter().flat_map(|graph| &graph.arcs);
        let arcs =
            arcs.map(|arc| size_of::<Arc>() + arc.to.len() * size_of::<Value>() + arc.needs.len() * size_of::<Need>());
        let from = self.graphs.iter().flat_map(|graph| &graph.from).map(|arcs| arcs.len() * size_of::<u32>());
        arcs.chain(from).sum::<usize>() as u64
    }
}

impl LocalGraph {
    /// Values that the operator treats alike have one arc.
    fn add(&mut self, own: u32, relation: &Relation, number: u32, operator: &Operator, places: &[usize]) {
        let first = self.arcs.len();
        for (before, after) in relation.iter().filter(|(before, after)| *after != [*before]) {
            let known = (first..self.arcs.len()).find(|arc| self.arcs[*arc].to == after);
            let arc = known.unwrap_or_else(|| {
                let needs = self.needs(own, operator, places);
                self.arcs.push(Arc { operator: number, cost: operator.cost, to: after.to_vec(), needs });
                self.arcs.len() - 1
            });
            self.from[before as usize].push(arc as u32);
        }
    }

    fn needs(&mut self, own: u32, operator: &Operator, places: &[usize]) -> Vec<Need> {
        let mut needs = Vec::new();
        for (number, (variable, _)) in operator.relations.iter().enumerate() {
            if places[*variable as usize] < places[own as usize] {
                let known = self.parents.iter().position(|parent| parent == variable);
                let parent = known.unwrap_or_else(|| {
                    self.parents.push(*variable);
                    self.parents.len() - 1
                });
                needs.push(Need { variable: *variable, parent: parent as u32, relation: number as u32 });
            }
        }
        needs
    }

    /// By value: can it become one of these, if other variables are no obstacle?
    pub fn can_reach(&self, wanted: &Relation) -> Vec<bool> {
        let mut can: Vec<bool> = (0..self.from.len()).map(|value| !wanted.after(value as Value).is_empty()).collect();
        let mut more = true;
        while more {
            more = false;
            for value in 0..can.len() {
                let leads = |arc: &u32| self.arcs[*arc as usize].to.iter().any(|to| can[*to as usize]);
                if !can[value] && self.from[value].iter().any(leads) {
                    (can[value], more) = (true, true);
                }
            }
        }
        can
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use bughound_finite::relation::After;

    /// One of these values, and stays.
    pub fn test(values: &[Value]) -> Relation {
        Relation::new(values.iter().map(|value| (*value, After::One(*value))).collect())
    }

    /// One of these values becomes that one.
    pub fn set(values: &[Value], to: Value) -> Relation {
        Relation::new(values.iter().map(|value| (*value, After::One(to))).collect())
    }

    /// The value becomes any of those.
    pub fn choose(value: Value, to: &[Value]) -> Relation {
        Relation::new(vec![(value, After::Some(to.into()))])
    }

    pub fn operator(cost: Cost, relations: impl Into<Vec<(u32, Relation)>>) -> Operator {
        Operator { relations: relations.into(), cost, parts: Vec::new(), heard: Vec::new() }
    }

    #[test]
    fn values_that_become_the_same_share_an_arc() {
        let graphs = Graphs::new(
            &[4],
            vec![operator(1, [(0, set(&[0, 1, 2], 3))]), operator(1, [(0, choose(3, &[0, 1]))])],
            &[],
        );
        let graph = &graphs.graphs[0];
        assert_eq!(graph.arcs.len(), 2);
        assert_eq!(graph.from, [vec![0], vec![0], vec![0], vec![1]]);
        assert_eq!(graph.can_reach(&test(&[2])), [false, false, true, false]);
        assert_eq!(graph.can_reach(&test(&[1])), [true; 4]);
    }

    #[test]
    fn only_earlier_variables_are_needed() {
        let both = operator(1, [(0, set(&[0], 1)), (1, set(&[0], 1))]);
        let alone = operator(1, [(0, set(&[1], 0))]);
        let graphs = Graphs::new(&[2, 2], vec![both, alone], &[]);
        let parents: Vec<usize> = graphs.graphs.iter().map(|graph| graph.parents.len()).collect();
        assert_eq!(parents, [0, 1]);
        assert_eq!(graphs.graphs[1].ancestors, [0]);
    }
}
