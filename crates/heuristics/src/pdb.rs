//! **Pattern database.** True distances in an abstraction that keeps some variables and clocks and forgets the others.
//!
//! A pattern is a choice of processes (their locations), integer variables, lengths of channels, and clocks. Seen through a
//! pattern, every step of the model is a step of the abstraction or changes nothing there; conditions on what is forgotten
//! always hold. All states of the abstraction are explored once, with zones over the clocks of the pattern, and their
//! distances to an error are kept. The estimate of a state is the distance of its image; with clocks, the largest among the
//! images whose zone includes that of the state. A state without image, or whose image cannot get to an error, is a dead
//! end; if the initial state is one, the model is safe.
//!
//! `choose` says how the pattern is found:
//!
//! - `dprc`: downward refinement: everything, without simple clocks (only waited for), without safe variables (can be set
//!   at any time by steps that concern nothing else) and those that become arbitrary once others are gone; of the rest, what
//!   makes no difference for relaxed plans goes if the abstraction is too large to search; last, clocks that make no
//!   difference to the true distance.
//! - `russian-doll`: what a relaxed plan from the initial state mentions.
//! - `cone`: variables that errors depend on through at most `depth` others.
//! - `counterexamples`: starts with nothing and adds what the cheapest path of the abstraction breaks first.
//! - `everything`: all variables and clocks, as a check of the others.
//!
//! Different errors get databases of their own, unless they are many: the estimate is the least of theirs. What keeps two
//! processes apart need not be known for all processes at once.
//!
//! Or `pattern="..."` names processes, variables and clocks, as in `pattern="Train(1), gate, x"`.
//!
//! Paper: Kupferschmid, Wehrle, "Abstractions and pattern databases: the quest for succinctness and accuracy", TACAS 2011;
//! Qian, Nymeyer 2004 (cone); Kupferschmid, Hoffmann, Larsen 2008 (Russian doll); Rovner, Sievers, Helmert 2019
//! (counterexamples).
//!
//! Claims: consistent; admissible if the pattern has clocks.
//!
//! Cost: that of exploring the abstraction, once, up to `states` states; a pattern that is too large loses parts until it
//! fits. Then a look-up for each state. Deadlocks where there are clocks or priorities: always 0.
//!
//! Fails where the error needs more variables at once than fit.
//!
//! Example: `astar(h=pdb(dprc))`; `astar(h=pdb(pattern="Train(1), Train(2), gate"))`.

use std::sync::Arc;

use bughound_finite::task::Task;
use bughound_ir::network::Network;
use bughound_kernel::registry::{Args, BuildError, Param, ParamKind};
use bughound_kernel::{Estimate, Heuristic, HeuristicClaims, Situation, SlotSet, Unwatched};

use crate::context::BuildCx;
use crate::diagnosis::Diagnosis;
use crate::patterns::accuracy::finite;
use crate::patterns::choice::Chooser;
use crate::patterns::database::Database;
use crate::patterns::pattern::Pattern;
use crate::registry::Entry;

pub(super) const ENTRY: Entry = Entry {
    name: "pdb",
    summary: "true distances in an abstraction that keeps some variables and clocks",
    cite: "Kupferschmid, Wehrle 2011",
    params: &[CHOOSE, STATES, DEPTH, PATTERN],
    claims: "consistent; admissible if the pattern has clocks",
    build: |cx, args| Ok(Box::new(PatternDatabase::new(cx, args)?)),
};

const CHOOSE: Param = Param {
    name: "choose",
    summary: "how the pattern is chosen",
    kind: ParamKind::Choice { options: &["dprc", "russian-doll", "cone", "counterexamples", "everything"] },
};

pub(super) const STATES: Param = Param {
    name: "states",
    summary: "most states of the abstraction; a pattern with more loses parts",
    kind: ParamKind::Integer { default: Some(400_000), min: 1, max: u32::MAX as u64 },
};

const DEPTH: Param = Param {
    name: "depth",
    summary: "`cone`: through how many other variables errors may depend on one that is kept",
    kind: ParamKind::Integer { default: Some(1), min: 0, max: 1000 },
};

const PATTERN: Param = Param {
    name: "pattern",
    summary: "names of processes, variables and clocks to keep, instead of a choice",
    kind: ParamKind::Text { required: false },
};

/// The search for the distance in an abstraction, by which patterns are chosen, gives up at this part of all states.
const PROBE: usize = 4;

/// Errors share the effort, but each gets at least this part of it.
const LEAST: usize = 40;

/// With more errors than this, they are not told apart.
const MOST_ERRORS: usize = 16;

#[derive(Clone)]
pub(super) struct PatternDatabase {
    task: Arc<Task>,
    /// One for each error, or one for all; none if every state may be an error, or if there was no time.
    databases: Vec<Database>,
}

impl PatternDatabase {
    pub fn new(cx: &BuildCx<'_, '_>, args: &Args) -> Result<PatternDatabase, BuildError> {
        let task = Task::new(cx.system, cx.targets, cx.watch);
        let most = args.integer(STATES.name).unwrap_or(0) as usize;
        let network = cx.system.network();
        let mut databases = Vec::new();
        if task.hopeless {
            return Ok(PatternDatabase { task: Arc::new(task), databases });
        }
        let watch = cx.watch;
        let chooser = Chooser { network, task: &task, probe: most / PROBE, watch };
        let chosen = args.is_given(PATTERN.name) || args.choice(CHOOSE.name) != Some("dprc");
        if let Some(proof) = if chosen { None } else { chooser.proof() } {
            databases.push(proof);
        } else if (2..=MOST_ERRORS).contains(&task.errors.len()) {
            let share = task.errors.len();
            for number in 0..share {
                let one = task.for_error(number);
                let most = (most / share).max(most / LEAST);
                let chooser = Chooser { network, task: &one, probe: most / PROBE, watch };
                databases.extend(chooser.database(pattern(chooser, args)?, most));
            }
            if databases.len() < share {
                // One of the errors may be anywhere, as far as is known.
                databases.clear();
            }
        } else {
            databases.extend(chooser.database(pattern(chooser, args)?, most));
        }
        Ok(PatternDatabase { task: Arc::new(task), databases })
    }

    pub fn diagnosis(&self, network: &Network) -> Diagnosis {
        if self.databases.is_empty() {
            return Diagnosis::HOPELESS;
        }
        let for_each_error = self.databases.len() > 1;
        let diagnosis = |(number, database): (usize, &Database)| {
            let one = for_each_error.then(|| self.task.for_error(number));
            let task = one.as_ref().unwrap_or(&self.task);
            Chooser { network, task, probe: 0, watch: &Unwatched }.diagnosis(database)
        };
        let estimate = self.databases.iter().map(Database::initial).min().unwrap_or(0);
        Diagnosis {
            patterns: self.databases.iter().enumerate().map(diagnosis).collect(),
            sums: (0..self.databases.len()).map(|number| vec![number]).collect(),
            for_each_error,
            estimate: finite(estimate),
        }
    }
}

fn pattern(chooser: Chooser<'_>, args: &Args) -> Result<Pattern, BuildError> {
    if let Some(names) = args.text(PATTERN.name) {
        return Pattern::named(names, chooser.network, chooser.task).map_err(|why| BuildError::new(why, 0..0));
    }
    Ok(match args.choice(CHOOSE.name) {
        Some("russian-doll") => chooser.russian_doll(),
        Some("cone") => chooser.cone(args.integer(DEPTH.name).unwrap_or(0) as usize),
        Some("counterexamples") => chooser.by_counterexamples(chooser.everything()),
        Some("everything") => chooser.everything(),
        _ => chooser.downward(),
    })
}

impl Heuristic for PatternDatabase {
    fn claims(&self) -> HeuristicClaims {
        match self.databases.iter().all(|database| database.pattern.clocks.is_empty()) {
            true => HeuristicClaims::CONSISTENT,
            false => HeuristicClaims::ADMISSIBLE,
        }
    }

    fn looks_at(&self) -> Option<SlotSet> {
        let patterns = self.databases.iter().map(|database| &database.pattern);
        let has_clocks = patterns.clone().any(|pattern| !pattern.clocks.is_empty());
        let variables = patterns.flat_map(|pattern| pattern.variables.iter().copied());
        if has_clocks { None } else { self.task.slots(variables) }
    }

    fn estimate(&mut self, at: Situation<'_>) -> Estimate {
        let estimates = self.databases.iter_mut().map(|database| database.estimate(&self.task, at));
        estimates.min().unwrap_or(Estimate::ZERO)
    }

    fn fork(&self) -> Option<Box<dyn Heuristic + '_>> {
        Some(Box::new(self.clone()))
    }

    fn memory(&self) -> u64 {
        self.task.memory() + self.databases.iter().map(Database::memory).sum::<u64>()
    }
}
