//! **Causal graph.** The cost of bringing about the conditions of an error one by one, with all that each of them takes.
//!
//! The cost of changing a variable is that of the cheapest path among its values, where each step of the path costs its
//! operator and what it takes to give other variables the values that the operator needs, starting from those that they have
//! at this point of the path: so what has to be done again counts again. Where variables depend on each other in circles,
//! dependencies that go against an order of the variables are forgotten. The estimate is the sum over the conditions of an
//! error, of the nearest error. First steps of the paths that can be taken at once are preferred. Clocks count for nothing.
//!
//! Papers: Helmert, "The Fast Downward planning system", JAIR 26 (2006); Wehrle, Helmert, "The causal graph revisited for
//! directed model checking", SAS 2009.
//!
//! Claims: safe. Not admissible: an operator that serves several conditions counts for each. A path that cannot be finished
//! is no proof, as another order of changes might do; it counts as very long. Dead ends are states where some condition is
//! out of reach for its variable even if other variables are no obstacle.
//!
//! Cost: for every value that comes up on a path, cheapest paths in the graph of its variable. Those of the last state are
//! used again where they depend on nothing that has changed. Deadlocks where there are clocks or priorities: always 0.
//!
//! Fails where dependencies in circles are what makes a problem hard.
//!
//! Example: `greedy(h=causal-graph)`; where a process has to go around n times to serve another one: exact.

use bughound_finite::cost::{Cost, INFINITE, plus};
use bughound_finite::ground::Operator;
use bughound_finite::relation::Value;
use bughound_finite::task::Task;
use bughound_kernel::{Estimate, Heuristic, HeuristicClaims, PreferredStep, Situation};

use crate::causal::costs::Costs;
use crate::causal::graphs::Graphs;
use crate::context::BuildCx;
use crate::cost::to_estimate;
use crate::registry::Entry;

pub(super) const ENTRY: Entry = Entry {
    name: "causal-graph",
    summary: "cost of bringing about the conditions of an error one by one, with all that each of them takes",
    cite: "Helmert 2006; Wehrle, Helmert 2009",
    params: &[],
    claims: "safe",
    build: |cx, _| Ok(Box::new(CausalGraph::new(cx))),
};

/// Counts for a condition that no path leads to.
const FAR: Cost = 1 << 24;

struct CausalGraph {
    task: Task,
    graphs: Graphs,
    costs: Costs,
    /// By error, by condition: the values of its variable from which it is not out of reach.
    can_reach: Vec<Vec<Vec<bool>>>,
    /// By variable, by value: the evaluation in which the way to it was last followed.
    followed: Vec<Vec<u64>>,
    evaluation: u64,
    /// Values still to be brought about.
    open: Vec<(u32, Value)>,
    preferred: Vec<PreferredStep>,
}

impl CausalGraph {
    fn new(cx: &BuildCx<'_, '_>) -> CausalGraph {
        let mut task = Task::new(cx.system, cx.targets, cx.watch);
        let sizes: Vec<u32> = task.variables.iter().map(|variable| variable.size).collect();
        let graphs =
            Graphs::new(&sizes, std::sync::Arc::unwrap_or_clone(std::mem::take(&mut task.operators)), &task.errors);
        let conditions = |error: &Operator| {
            error
                .relations
                .iter()
                .map(|(variable, wanted)| graphs.graphs[*variable as usize].can_reach(wanted))
                .collect()
        };
        CausalGraph {
            can_reach: task.errors.iter().map(conditions).collect(),
            costs: Costs::new(&graphs),
            followed: sizes.iter().map(|size| vec![0; *size as usize]).collect(),
            evaluation: 0,
            open: Vec::new(),
            preferred: Vec::new(),
            task,
            graphs,
        }
    }

    /// False if the task does not know the state.
    fn read(&mut self, at: Situation<'_>) -> bool {
        (0..self.task.variables.len()).all(|variable| {
            let value = self.task.value(variable, at);
            value.inspect(|value| self.costs.set(variable, *value)).is_some()
        })
    }

    fn is_dead_end(&self) -> bool {
        !self.task.errors.iter().zip(&self.can_reach).any(|(error, can_reach)| {
            let mut conditions = error.relations.iter().zip(can_reach);
            conditions.all(|((variable, _), can)| can[self.costs.values()[*variable as usize] as usize])
        })
    }

    /// The nearest error and its cost.
    fn nearest(&mut self) -> Option<(Cost, usize)> {
        let mut nearest: Option<(Cost, usize)> = None;
        for (number, error) in self.task.errors.iter().enumerate() {
            let mut total = error.cost;
            for (variable, wanted) in &error.relations {
                if nearest.is_some_and(|(best, _)| total >= best) {
                    break;
                }
                let now = self.costs.values()[*variable as usize];
                let (cost, _) = self.costs.reach(&self.graphs, *variable, now, wanted);
                total = plus(total, cost.min(FAR));
            }
            if nearest.is_none_or(|(best, _)| total < best) {
                nearest = Some((total, number));
            }
        }
        nearest
    }

    /// Operators that begin the ways to the conditions of an error, or to what the first operators of those ways need, ...
    fn prefer(&mut self, error: usize) {
        for (variable, wanted) in &self.task.errors[error].relations {
            let now = self.costs.values()[*variable as usize];
            let (cost, to) = self.costs.reach(&self.graphs, *variable, now, wanted);
            if cost != INFINITE && to != now {
                self.open.push((*variable, to));
            }
        }
        while let Some((variable, to)) = self.open.pop() {
            let followed = &mut self.followed[variable as usize][to as usize];
            if std::mem::replace(followed, self.evaluation) == self.evaluation {
                continue;
            }
            let now = self.costs.values()[variable as usize];
            let first = self.costs.way(&self.graphs, variable, now, to).first;
            let arc = &self.graphs.graphs[variable as usize].arcs[first as usize];
            let operator = &self.graphs.operators[arc.operator as usize];
            let values = self.costs.values();
            if operator.relations.iter().all(|(v, relation)| !relation.after(values[*v as usize]).is_empty()) {
                self.preferred.extend(preferred(operator));
            } else {
                let open = &mut self.open;
                self.costs.missing(&self.graphs, arc.operator, &arc.needs, &mut |v, to| open.push((v, to)));
            }
        }
    }
}

fn preferred(operator: &Operator) -> Option<PreferredStep> {
    Some(PreferredStep { first: *operator.parts.first()?, second: operator.parts.get(1).copied() })
}

impl Heuristic for CausalGraph {
    fn claims(&self) -> HeuristicClaims {
        HeuristicClaims::SAFE
    }

    fn estimate(&mut self, at: Situation<'_>) -> Estimate {
        self.preferred.clear();
        self.evaluation += 1;
        if self.task.hopeless || !self.read(at) {
            return Estimate::ZERO;
        }
        if self.is_dead_end() {
            return Estimate::DeadEnd;
        }
        let Some((cost, error)) = self.nearest() else { return Estimate::DeadEnd };
        self.prefer(error);
        to_estimate(cost)
    }

    fn preferred(&self) -> &[PreferredStep] {
        &self.preferred
    }

    fn memory(&self) -> u64 {
        self.task.memory() + self.graphs.memory() + self.costs.memory()
    }
}

#[cfg(test)]
mod tests {
    use bughound_kernel::State;

    use crate::testing::{along, at_start, heuristic, initial, system, violation};

    /// The top process goes back and forth; every step of the bottom one needs it to go back.
    const PING_PONG: &str = "chan r = [0] of { bit };
         active proctype Top() { bit x; do :: x = 1; r!1 od }
         active proctype Bottom() { r?1; r?1; r?1; there: false }
         ltl p { [] !Bottom@there }";

    #[test]
    fn what_has_to_be_done_again_counts_again() {
        let system = system(PING_PONG);
        let targets = violation(&system);
        assert_eq!(along(&system, &targets, "causal-graph", &[0; 6]), [6, 5, 4, 3, 2, 1, 0].map(Some));
    }

    #[test]
    fn first_steps_are_preferred() {
        let system = system(PING_PONG);
        let targets = violation(&system);
        let mut estimated = heuristic(&system, &targets, "causal-graph");
        estimated.estimate(State::discrete(&initial(&system)).into());
        let preferred: Vec<_> = estimated.preferred().iter().map(|step| (step.first.0, step.second)).collect();
        assert_eq!(preferred, [(0, None)], "the process Top begins");
    }

    #[test]
    fn what_a_variable_cannot_become_is_a_dead_end() {
        let system = system("byte x; active proctype P() { if :: x = 1 :: x = 2 fi } ltl p { [] (x != 3) }");
        assert_eq!(at_start(&system, &violation(&system), "causal-graph"), None);
    }
}
