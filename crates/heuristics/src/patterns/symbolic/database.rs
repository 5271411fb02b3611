//! Distances in an abstraction, found by sets of states and kept in one diagram.

use std::sync::Arc;

use bughound_diagrams::{Diagrams, NoRoom, Room, Set};
use bughound_finite::cost::{Cost, INFINITE};
use bughound_finite::relation::Value;
use bughound_finite::task::Task;
use bughound_kernel::{Estimate, Ration, Situation, Watch};

use super::encoding::{Encoding, When, bits_of};
use super::layers::{Effort, Ended, Layers};
use super::steps::Steps;
use super::table::{Builder, Table};
use crate::cost::to_estimate;
use crate::patterns::accuracy::Summary;
use crate::patterns::choice::Chooser;
use crate::patterns::pattern::Pattern;
use crate::patterns::projection::Projection;

/// Building calls itself once for each bit of a state.
const MOST_BITS: u32 = 1_000;

/// For every node that is allowed, so many may be made for all patterns that are tried. Each may take half of what is left.
const MADE_PER_NODE: u64 = 8;

/// This part of the work may go into the states that can be reached at all.
const FORWARD_PART: u64 = 2;

/// What a database may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Of all diagrams at once.
    pub nodes: u64,
    /// Distances beyond this are not told apart.
    pub farthest: Cost,
}

#[derive(Clone)]
pub struct SymbolicDatabase {
    pub pattern: Pattern,
    /// Copies share all that is large.
    encoding: Arc<Encoding>,
    table: Arc<Table>,
    states: usize,
    /// The least distance of an initial state.
    initial: Cost,
    /// The distance of the states that are in no layer.
    others: Cost,
    values: Vec<Value>,
}

impl SymbolicDatabase {
    /// As many distances as limits allow. Of clocks in the pattern nothing is known.
    fn new(chooser: Chooser<'_>, pattern: &Pattern, limits: Limits, whole: &Ration<'_>) -> SymbolicDatabase {
        let (task, pattern) = (chooser.task, Pattern { clocks: Vec::new(), ..pattern.clone() });
        let projection = Projection::new(chooser.network, task, &pattern);
        let encoding = Encoding::new(task, &pattern, &projection);
        let mut database = SymbolicDatabase {
            values: Vec::new(),
            pattern,
            table: Arc::new(Builder::new().finish(0)),
            encoding: Arc::new(encoding),
            states: 0,
            initial: 0,
            others: 0,
        };
        if let Ok(diagrams) = Diagrams::new(database.encoding.bits(), Room::of_nodes(limits.nodes)) {
            let ration = Ration::new(whole, whole.left() / 2);
            database.fill(&diagrams, task, &projection, limits, &ration);
        }
        database
    }

    fn fill(&mut self, diagrams: &Diagrams, task: &Task, projection: &Projection, limits: Limits, watch: &Ration<'_>) {
        let mut layers = Layers::none(diagrams);
        // However far it came: what was found is exact.
        let _ = self.search(diagrams, task, projection, &mut layers, limits, watch);
        let mut builder = Builder::new();
        self.others = layers.others;
        let mut all = diagrams.empty();
        for (distance, states) in &layers.found {
            let most = limits.nodes as usize;
            let union = diagrams.or(&all, states).ok();
            match union.filter(|_| watch.go_on(1, diagrams.memory()) && builder.add(diagrams, states, *distance, most))
            {
                Some(union) => all = union,
                None => {
                    self.others = *distance;
                    break;
                }
            }
        }
        self.table = Arc::new(builder.finish(self.others));
        self.states = self.count(diagrams, task, &all);
        let distances = task.initial.iter().map(|values| {
            self.values.clear();
            self.values.extend(self.pattern.variables.iter().map(|variable| values[*variable]));
            self.distance()
        });
        self.initial = distances.min().unwrap_or(INFINITE);
    }

    fn search(
        &self,
        diagrams: &Diagrams,
        task: &Task,
        projection: &Projection,
        layers: &mut Layers,
        limits: Limits,
        watch: &Ration<'_>,
    ) -> Result<(), Ended> {
        let steps = Steps::new(diagrams, &self.encoding, projection, &mut Effort::new(watch))?;
        // States that nobody gets to can make diagrams large. If it takes long to know them, they are looked at.
        let part = Ration::new(watch, watch.left() / FORWARD_PART);
        let initial = self.initial_states(diagrams, task)?;
        if let Ok(reached) = steps.closure(diagrams, initial, &mut Effort::new(&part)) {
            layers.only_among(reached);
        }
        layers.search(diagrams, &steps, limits.farthest, &mut Effort::new(watch))
    }

    fn initial_states(&self, diagrams: &Diagrams, task: &Task) -> Result<Set, NoRoom> {
        let mut initial = diagrams.empty();
        for values in &task.initial {
            let mut one = diagrams.full();
            for (place, variable) in self.pattern.variables.iter().enumerate() {
                let here = self.encoding.values(diagrams, place, &[values[*variable]], When::Before)?;
                one = diagrams.and(&one, &here)?;
            }
            initial = diagrams.or(&initial, &one)?;
        }
        Ok(initial)
    }

    /// How many states a set has, if codes that stand for no value do not count.
    fn count(&self, diagrams: &Diagrams, task: &Task, set: &Set) -> usize {
        let mut set = set.clone();
        for (place, variable) in self.pattern.variables.iter().enumerate() {
            let values: Vec<Value> = (0..task.variables[*variable].size).collect();
            let exist = self.encoding.values(diagrams, place, &values, When::Before);
            match exist.and_then(|exist| diagrams.and(&set, &exist)) {
                Ok(here) => set = here,
                Err(_) => return 0,
            }
        }
        usize::try_from(diagrams.count(&set)).unwrap_or(usize::MAX)
    }

    pub fn estimate(&mut self, task: &Task, at: Situation<'_>) -> Estimate {
        self.values.clear();
        for variable in &self.pattern.variables {
            let Some(value) = task.value(*variable, at) else { return Estimate::ZERO };
            self.values.push(value);
        }
        to_estimate(self.distance())
    }

    /// The distance of the values that were read.
    fn distance(&self) -> Cost {
        self.table.at(|bit| {
            let (place, shift) = self.encoding.parts[bit as usize];
            self.values[place as usize] >> shift & 1 == 1
        })
    }

    /// Is the distance of the initial states known, or all that was asked for?
    fn is_enough(&self, limits: Limits) -> bool {
        self.initial < self.others || self.others > limits.farthest || self.others == INFINITE
    }

    pub fn summary(&self) -> Summary<'_> {
        Summary { pattern: &self.pattern, states: self.states, initial: self.initial }
    }

    pub fn memory(&self) -> u64 {
        self.table.memory() + (self.encoding.parts.len() * size_of::<(u32, u32)>()) as u64
    }
}

impl Chooser<'_> {
    /// The database of a pattern. If it does not get as far as the initial states, that of a part of it is tried, one, two, four
    /// and so on variables less, and the one is taken that says most.
    pub fn symbolic_database(self, pattern: &Pattern, limits: Limits) -> SymbolicDatabase {
        let mut pattern = pattern.clone();
        let mut order = None;
        let mut drop_some = |pattern: &mut Pattern, some: usize| {
            let order = order.get_or_insert_with(|| self.by_worth(pattern));
            for variable in order.drain(order.len().saturating_sub(some)..) {
                *pattern = pattern.without_variable(variable);
            }
        };
        while bits_of(self.task, &pattern) > MOST_BITS {
            drop_some(&mut pattern, 1);
        }
        let whole = Ration::new(self.watch, limits.nodes.saturating_mul(MADE_PER_NODE));
        let mut best = SymbolicDatabase::new(self, &pattern, limits, &whole);
        let mut dropped = 1;
        while pattern.variables.len() > dropped && !best.is_enough(limits) && whole.go_on(1, best.memory()) {
            drop_some(&mut pattern, dropped);
            dropped *= 2;
            let next = SymbolicDatabase::new(self, &pattern, limits, &whole);
            let is_enough = next.is_enough(limits);
            if next.initial > best.initial {
                best = next;
            }
            if is_enough {
                break;
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{along, at_start, system, violation};
    use bughound_ir::question::Question;
    use bughound_ir::source::SourceMap;
    use bughound_ir::targets::Targets;
    use bughound_semantics::DiscreteSystem;

    const COUNTERS: &str = "byte x, y;
        active proctype P() { do :: d_step { x < 5 -> x++ } :: d_step { y == 3 -> x = 0 } od }
        active proctype Q() { do :: d_step { x > y && y < 3 -> y++ } od }
        ltl { [] !(x == 1 && y == 3) }";

    #[test]
    fn distances_are_those_of_the_listed_abstraction() {
        let system = system(COUNTERS);
        let targets = violation(&system);
        for choice in ["everything", "russian-doll", "cone, depth=0", "pattern='x'", "pattern='y'", "pattern='P'"] {
            let [listed, sets] = [format!("pdb({choice})"), format!("pdb(symbolic, {choice})")]
                .map(|text| along(&system, &targets, &text, &[0, 0, 0, 0, 0]));
            assert_eq!(listed, sets, "{choice}");
        }
        assert_eq!(at_start(&system, &targets, "pdb(symbolic, everything)"), Some(8));
    }

    #[test]
    fn what_is_farther_than_the_layers_is_just_beyond_them() {
        let system = system(COUNTERS);
        let targets = violation(&system);
        for layers in 0..10 {
            let text = format!("pdb(symbolic, everything, layers={layers})");
            assert_eq!(at_start(&system, &targets, &text), Some(8.min(layers + 1)), "{layers}");
        }
    }

    #[test]
    fn without_room_less_is_known() {
        let system = system(COUNTERS);
        let targets = violation(&system);
        let estimates: Vec<_> = [1, 1_000_000]
            .map(|nodes| at_start(&system, &targets, &format!("pdb(symbolic, everything, nodes={nodes})")))
            .to_vec();
        assert_eq!(estimates[1], Some(8));
        assert!(estimates[0].is_some_and(|estimate| estimate < 8), "{estimates:?}");
    }

    #[test]
    fn steps_that_cost_nothing_are_taken_at_once() {
        // Processes are found to be blocked one after the other, at no cost.
        let text = "bool a, b; byte x;
            active proctype P() { a; x = 1 }
            active proctype Q() { b; x = 2 }
            active proctype R() { byte n; do :: d_step { n < 3 -> n++ } :: n == 3 -> break od }";
        let system = system(text);
        let [listed, sets] =
            ["pdb(everything)", "pdb(symbolic, everything)"].map(|text| at_start(&system, &Targets::deadlock(), text));
        assert_eq!(listed, sets);
        assert!(sets.is_some_and(|estimate| estimate > 0), "{sets:?}");
    }

    /// Who comes from a location that must be left at once goes first, as far as the pattern knows.
    #[test]
    fn committed_locations_are_heeded() {
        let text = "int[0,3] x;
            process P() { state a, b, c; commit b; init a;
                trans a -> b { assign x := 1; }, b -> c { assign x := 0; }; }
            process Q() { state s, t; init s; trans s -> t { guard x == 1; }; }
            system P, Q;";
        let mut sources = SourceMap::default();
        let tree = bughound_uppaal::parse(&mut sources, "model.xta", text.as_bytes()).ast.unwrap();
        let (queries, _) = bughound_uppaal::parse_queries(&mut sources, "model.q", b"E<> Q.t");
        let network = bughound_uppaal::lower::lower(&tree, &queries, &sources).network.unwrap();
        let system = DiscreteSystem::new(network, &[]);
        let goal = system.network().properties.iter().find_map(|property| match &property.question {
            Question::Reach(goal) => Some(goal.clone()),
            _ => None,
        });
        let targets = Targets::condition(goal.unwrap(), true);
        for (pattern, distance) in [("P, Q, x", None), ("Q, x", Some(2)), ("P, Q", Some(1))] {
            let [listed, sets] = ["", "symbolic, "].map(|method| format!("pdb({method}pattern='{pattern}')"));
            let found = [listed, sets].map(|text| at_start(&system, &targets, &text));
            assert_eq!(found, [distance; 2], "{pattern}");
        }
    }

    #[test]
    fn an_abstraction_without_errors_is_a_proof() {
        let text = "byte x; active proctype P() { do :: d_step { x < 6 -> x = x + 2 } od } ltl { [] (x != 3) }";
        let system = system(text);
        assert_eq!(at_start(&system, &violation(&system), "pdb(symbolic)"), None);
    }
}
