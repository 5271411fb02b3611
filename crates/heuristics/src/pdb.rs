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
//! `symbolic` finds and keeps the distances by sets of states: all states of one distance are a binary decision diagram, found
//! backwards from the errors, and all distances together one diagram with numbers at its leaves, which is walked bit by bit. What
//! counts is how regular the abstraction is, not how large: patterns can have many more states. It knows no clocks. If there
//! are more nodes than `nodes`, the nearest distances are kept, and all other states count as just beyond them; `layers` asks
//! for no more than that: the target is enlarged by so many steps. So `pdb(symbolic, everything, layers=8)` knows what is near an
//! error exactly.
//!
//! Paper: Kupferschmid, Wehrle, "Abstractions and pattern databases: the quest for succinctness and accuracy", TACAS 2011;
//! Qian, Nymeyer 2004 (cone); Kupferschmid, Hoffmann, Larsen 2008 (Russian doll); Rovner, Sievers, Helmert 2019
//! (counterexamples); Edelkamp 2002 (symbolic); Dillenburg, Nelson 1994; Kissmann, Edelkamp 2010 (layers).
//!
//! Claims: consistent; admissible if the pattern has clocks.
//!
//! Cost: that of exploring the abstraction, once, up to `states` states; a pattern that is too large loses parts until it
//! fits. Then a look-up for each state; `symbolic`: a step for each bit of the pattern. Deadlocks where there are clocks or priorities: always 0.
//!
//! Fails where the error needs more variables at once than fit.
//!
//! Example: `astar(h=pdb(dprc))`; `astar(h=pdb(pattern="Train(1), Train(2), gate"))`.

use std::sync::Arc;

use bughound_finite::cost::{Cost, INFINITE};
use bughound_finite::task::Task;
use bughound_ir::network::Network;
use bughound_kernel::registry::{Args, BuildError, Param, ParamKind};
use bughound_kernel::{Estimate, Heuristic, HeuristicClaims, Situation, SlotSet, Unwatched, Watch};

use crate::context::BuildCx;
use crate::diagnosis::Diagnosis;
use crate::patterns::accuracy::{Summary, finite};
use crate::patterns::choice::Chooser;
use crate::patterns::database::Database;
use crate::patterns::pattern::Pattern;
use crate::patterns::symbolic::database::{Limits, SymbolicDatabase};
use crate::registry::Entry;

pub(super) const ENTRY: Entry = Entry {
    name: "pdb",
    summary: "true distances in an abstraction that keeps some variables and clocks",
    cite: "Kupferschmid, Wehrle 2011",
    params: &[CHOOSE, STATES, DEPTH, PATTERN, METHOD, NODES, LAYERS],
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

const METHOD: Param = Param {
    name: "method",
    summary: "whether the states of the abstraction are listed one by one, or are sets as decision diagrams",
    kind: ParamKind::Choice { options: &["explicit", "symbolic"] },
};

const NODES: Param = Param {
    name: "nodes",
    summary: "`symbolic`: most nodes of the diagrams",
    kind: ParamKind::Integer { default: Some(400_000), min: 1, max: 1 << 30 },
};

const LAYERS: Param = Param {
    name: "layers",
    summary: "`symbolic`: no distances beyond this are told apart",
    kind: ParamKind::Integer { default: None, min: 0, max: INFINITE as u64 - 1 },
};

/// The search for the distance in an abstraction, by which patterns are chosen, gives up at this part of all states.
const PROBE: usize = 4;

/// Errors share the effort, but each gets at least this part of it.
const LEAST: usize = 40;

/// With more errors than this, they are not told apart.
const MOST_ERRORS: usize = 16;

/// Distances in one abstraction, however they are kept.
#[derive(Clone)]
enum Distances {
    Listed(Database),
    Sets(SymbolicDatabase),
}

impl Distances {
    fn summary(&self) -> Summary<'_> {
        match self {
            Distances::Listed(database) => database.summary(),
            Distances::Sets(database) => database.summary(),
        }
    }

    fn estimate(&mut self, task: &Task, at: Situation<'_>) -> Estimate {
        match self {
            Distances::Listed(database) => database.estimate(task, at),
            Distances::Sets(database) => database.estimate(task, at),
        }
    }

    fn memory(&self) -> u64 {
        match self {
            Distances::Listed(database) => database.memory(),
            Distances::Sets(database) => database.memory(),
        }
    }
}

/// What one database may take.
#[derive(Clone, Copy)]
enum Most {
    States(usize),
    Sets(Limits),
}

impl Most {
    fn of(args: &Args) -> Most {
        if args.choice(METHOD.name) != Some("symbolic") {
            return Most::States(args.integer(STATES.name).unwrap_or(0) as usize);
        }
        let farthest = args.integer(LAYERS.name).map_or(INFINITE, |layers| layers as Cost);
        Most::Sets(Limits { nodes: args.integer(NODES.name).unwrap_or(0), farthest })
    }

    /// For each of so many.
    fn shared(self, by: usize) -> Most {
        match self {
            Most::States(states) => Most::States((states / by).max(states / LEAST)),
            Most::Sets(limits) => Most::Sets(Limits { nodes: limits.nodes / by as u64, ..limits }),
        }
    }

    /// What patterns are chosen with.
    fn chooser<'a>(self, network: &'a Network, task: &'a Task, watch: &'a dyn Watch, args: &Args) -> Chooser<'a> {
        let states = match self {
            Most::States(states) => states,
            Most::Sets(_) => args.integer(STATES.name).unwrap_or(0) as usize,
        };
        Chooser { network, task, probe: states / PROBE, watch }
    }

    fn distances(self, chooser: Chooser<'_>, args: &Args) -> Result<Option<Distances>, BuildError> {
        let pattern = self.pattern(chooser, args)?;
        Ok(match self {
            Most::States(states) => chooser.database(pattern, states).map(Distances::Listed),
            Most::Sets(limits) => Some(Distances::Sets(chooser.symbolic_database(&pattern, limits))),
        })
    }

    fn pattern(self, chooser: Chooser<'_>, args: &Args) -> Result<Pattern, BuildError> {
        if let Some(names) = args.text(PATTERN.name) {
            return Pattern::named(names, chooser.network, chooser.task).map_err(|why| BuildError::new(why, 0..0));
        }
        Ok(match (args.choice(CHOOSE.name), self) {
            (Some("russian-doll"), _) => chooser.russian_doll(),
            (Some("cone"), _) => chooser.cone(args.integer(DEPTH.name).unwrap_or(0) as usize),
            (Some("counterexamples"), _) => chooser.by_counterexamples(chooser.everything()),
            (Some("everything"), _) => chooser.everything(),
            // No search tells what else could go: there is room for it.
            (_, Most::Sets(_)) => chooser.useful(),
            (_, Most::States(_)) => chooser.downward(),
        })
    }
}

#[derive(Clone)]
pub(super) struct PatternDatabase {
    task: Arc<Task>,
    /// One for each error, or one for all; none if every state may be an error, or if there was no time.
    databases: Vec<Distances>,
}

impl PatternDatabase {
    pub fn new(cx: &BuildCx<'_, '_>, args: &Args) -> Result<PatternDatabase, BuildError> {
        let task = Task::new(cx.system, cx.targets, cx.watch);
        let most = Most::of(args);
        let (network, watch) = (cx.system.network(), cx.watch);
        let mut databases = Vec::new();
        if task.hopeless {
            return Ok(PatternDatabase { task: Arc::new(task), databases });
        }
        let may_prove =
            matches!(most, Most::States(_)) && !args.is_given(PATTERN.name) && args.choice(CHOOSE.name) == Some("dprc");
        if let Some(proof) = if may_prove { most.chooser(network, &task, watch, args).proof() } else { None } {
            databases.push(Distances::Listed(proof));
        } else if (2..=MOST_ERRORS).contains(&task.errors.len()) {
            let share = task.errors.len();
            for number in 0..share {
                let (one, most) = (task.for_error(number), most.shared(share));
                databases.extend(most.distances(most.chooser(network, &one, watch, args), args)?);
            }
            if databases.len() < share {
                // One of the errors may be anywhere, as far as is known.
                databases.clear();
            }
        } else {
            databases.extend(most.distances(most.chooser(network, &task, watch, args), args)?);
        }
        Ok(PatternDatabase { task: Arc::new(task), databases })
    }

    pub fn diagnosis(&self, network: &Network) -> Diagnosis {
        if self.databases.is_empty() {
            return Diagnosis::HOPELESS;
        }
        let for_each_error = self.databases.len() > 1;
        let diagnosis = |(number, database): (usize, &Distances)| {
            let one = for_each_error.then(|| self.task.for_error(number));
            let task = one.as_ref().unwrap_or(&self.task);
            Chooser { network, task, probe: 0, watch: &Unwatched }.diagnosis(database.summary())
        };
        let estimate = self.databases.iter().map(|database| database.summary().initial).min().unwrap_or(0);
        Diagnosis {
            patterns: self.databases.iter().enumerate().map(diagnosis).collect(),
            sums: (0..self.databases.len()).map(|number| vec![number]).collect(),
            for_each_error,
            estimate: finite(estimate),
        }
    }

    fn patterns(&self) -> impl Iterator<Item = &Pattern> {
        self.databases.iter().map(|database| database.summary().pattern)
    }
}

impl Heuristic for PatternDatabase {
    fn claims(&self) -> HeuristicClaims {
        match self.patterns().all(|pattern| pattern.clocks.is_empty()) {
            true => HeuristicClaims::CONSISTENT,
            false => HeuristicClaims::ADMISSIBLE,
        }
    }

    fn looks_at(&self) -> Option<SlotSet> {
        let has_clocks = self.patterns().any(|pattern| !pattern.clocks.is_empty());
        let variables = self.patterns().flat_map(|pattern| pattern.variables.iter().copied());
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
        self.task.memory() + self.databases.iter().map(Distances::memory).sum::<u64>()
    }
}
