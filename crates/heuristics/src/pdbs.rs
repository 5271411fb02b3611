//! **Pattern databases, several.** The largest of sums of distances in small abstractions that count different steps.
//!
//! Each abstraction keeps some variables, as in `pdb`, but no clocks. Distances of two are added if no step that costs
//! something changes variables of both: then no step counts twice. The estimate is the largest such sum (the canonical
//! heuristic). The cost of an error itself counts once.
//!
//! Patterns are chosen by hill climbing: one for each variable that errors test, then, again and again, the one that
//! raises most estimates of a sample of states, among those that add one variable to one that there is, and the one with
//! all variables that errors test. The sample comes from random walks, the same in every run.
//!
//! Paper: Haslum, Botea, Helmert, Bonet, Koenig, "Domain-independent construction of pattern database heuristics for
//! cost-optimal planning", AAAI 2007.
//!
//! Claims: consistent.
//!
//! Cost: several times that of exploring the abstractions, once, up to `states` states of all together and `each` of one.
//! Then one look-up for each pattern and state. Deadlocks where there are clocks or priorities: always 0.
//!
//! Fails where steps are synchronised so that all variables change together, and where only several variables at once
//! make a difference.
//!
//! Example: `astar(h=pdbs)`; `astar(h=pdbs(states=2000000, each=200000))`.

use std::sync::Arc;

use bughound_finite::relation::Value;
use bughound_finite::task::Task;
use bughound_ir::network::Network;
use bughound_kernel::registry::{Args, Param, ParamKind};
use bughound_kernel::{Estimate, Heuristic, HeuristicClaims, Situation, SlotSet, Unwatched};

use crate::context::BuildCx;
use crate::cost::to_estimate;
use crate::diagnosis::Diagnosis;
use crate::patterns::accuracy::finite;
use crate::patterns::choice::Chooser;
use crate::patterns::climbing::{Limits, climb};
use crate::patterns::collection::Collection;
use crate::registry::Entry;

pub(super) const ENTRY: Entry = Entry {
    name: "pdbs",
    summary: "the largest sum of distances in several abstractions that count different steps",
    cite: "Haslum, Botea, Helmert, Bonet, Koenig 2007",
    params: &[STATES, EACH],
    claims: "consistent",
    build: |cx, args| Ok(Box::new(PatternDatabases::new(cx, args))),
};

const STATES: Param = Param {
    name: "states",
    summary: "most states of all abstractions together",
    kind: ParamKind::Integer { default: Some(400_000), min: 1, max: u32::MAX as u64 },
};

const EACH: Param = Param {
    name: "each",
    summary: "most states of one abstraction",
    kind: ParamKind::Integer { default: Some(50_000), min: 1, max: u32::MAX as u64 },
};

#[derive(Clone)]
pub(super) struct PatternDatabases {
    task: Arc<Task>,
    collection: Option<Collection>,
    /// Those that the collection looks at.
    variables: Vec<usize>,
    /// Of all variables of the task; only those that are looked at are read.
    values: Vec<Value>,
}

impl PatternDatabases {
    pub fn new(cx: &BuildCx<'_, '_>, args: &Args) -> PatternDatabases {
        let task = Task::new(cx.system, cx.targets, cx.watch);
        let limit = |param: &Param| args.integer(param.name).unwrap_or(1) as usize;
        let limits = Limits { states: limit(&STATES), each: limit(&EACH) };
        let collection = (!task.hopeless).then(|| climb(cx.system.network(), &task, limits, cx.watch));
        let variables = collection.as_ref().map(Collection::variables).unwrap_or_default();
        PatternDatabases { values: vec![0; task.variables.len()], task: Arc::new(task), collection, variables }
    }

    pub fn diagnosis(mut self, network: &Network) -> Diagnosis {
        let Some(collection) = &mut self.collection else { return Diagnosis::HOPELESS };
        let estimate = collection.initial(&self.task);
        let chooser = Chooser { network, task: &self.task, probe: 0, watch: &Unwatched };
        let patterns = collection.databases.iter().map(|database| chooser.diagnosis(database.summary())).collect();
        Diagnosis { patterns, sums: collection.sets.clone(), for_each_error: false, estimate: finite(estimate) }
    }
}

impl Heuristic for PatternDatabases {
    fn claims(&self) -> HeuristicClaims {
        HeuristicClaims::CONSISTENT
    }

    fn looks_at(&self) -> Option<SlotSet> {
        self.task.slots(self.variables.iter().copied())
    }

    fn estimate(&mut self, at: Situation<'_>) -> Estimate {
        let Some(collection) = &mut self.collection else { return Estimate::ZERO };
        for variable in &self.variables {
            let Some(value) = self.task.value(*variable, at) else { return Estimate::ZERO };
            self.values[*variable] = value;
        }
        to_estimate(collection.of_values(&self.values))
    }

    fn fork(&self) -> Option<Box<dyn Heuristic + '_>> {
        Some(Box::new(self.clone()))
    }

    fn memory(&self) -> u64 {
        self.task.memory() + self.collection.as_ref().map_or(0, Collection::memory)
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{at_start, system, violation};
    use bughound_ir::targets::Targets;

    fn estimates<const N: usize>(text: &str, heuristics: [&str; N]) -> [Option<u64>; N] {
        let system = system(text);
        let targets = violation(&system);
        heuristics.map(|heuristic| at_start(&system, &targets, heuristic))
    }

    const APART: &str = "byte x, y;
        active proctype P() { do :: d_step { x < 5 -> x++ } od }
        active proctype Q() { do :: d_step { y < 5 -> y++ } od }
        ";

    #[test]
    fn independent_processes_add_up() {
        let text = format!("{APART} ltl {{ [] !(x == 5 && y == 5) }}");
        let found = estimates(&text, ["pdb(pattern='x')", "pdb(pattern='y')", "pdbs", "pdb(everything)"]);
        assert_eq!(found, [Some(5), Some(5), Some(10), Some(10)]);
        // Not because the product of both fits.
        assert_eq!(estimates(&text, ["pdbs(each=6)"]), [Some(10)]);
    }

    #[test]
    fn the_step_that_fails_counts_once() {
        let system = system(&format!("{APART} active proctype R() {{ assert(!(x == 5 && y == 5)) }}"));
        let targets = Targets::failures();
        let found = ["pdbs", "pdbs(each=6)", "pdb(everything)"].map(|text| at_start(&system, &targets, text));
        assert_eq!(found, [Some(11); 3]);
    }

    #[test]
    fn a_hand_shake_counts_once() {
        let text = "chan c = [0] of { bit };
            active proctype P() { c!1; c!1; c!1; done: skip }
            active proctype Q() { c?1; c?1; c?1; done: skip }
            ltl { [] !(P@done && Q@done) }";
        assert_eq!(estimates(text, ["pdbs", "pdbs(each=6)", "pdb(everything)"]), [Some(3); 3]);
    }

    #[test]
    fn variables_that_errors_depend_on_are_added() {
        let text = "byte key, x;
            active proctype P() { do :: d_step { key < 4 -> key++ } od }
            active proctype Q() { d_step { key == 4 -> x = 1 } }
            ltl { [] (x == 0) }";
        assert_eq!(estimates(text, ["pdb(pattern='x')", "pdbs", "pdbs(states=2)"]), [Some(1), Some(5), Some(1)]);
    }

    #[test]
    fn where_any_two_make_an_error_all_are_looked_at() {
        let text = "unsigned w : 2, x : 2, y : 2, z : 2;
            active proctype O() { do :: d_step { w < 3 -> w++ } od }
            active proctype P() { do :: d_step { x < 3 -> x++ } od }
            active proctype Q() { do :: d_step { y < 3 -> y++ } od }
            active proctype R() { do :: d_step { z < 3 -> z++ } od }
            ltl { [] !((w == 3 && x == 3) || (w == 3 && y == 3) || (w == 3 && z == 3)
                || (x == 3 && y == 3) || (x == 3 && z == 3) || (y == 3 && z == 3)) }";
        assert_eq!(estimates(text, ["pdbs", "pdbs(each=64)"]), [Some(6), Some(0)]);
    }

    #[test]
    fn no_error_at_all_is_a_dead_end() {
        let text = "byte x, y;
            active proctype P() { do :: d_step { y == 1 -> x = 1 } od }
            active proctype Q() { do :: d_step { y == 0 -> y = 2 } :: d_step { y == 2 -> y = 0 } od }
            ltl { [] (x == 0) }";
        assert_eq!(estimates(text, ["pdbs"]), [None]);
    }
}
