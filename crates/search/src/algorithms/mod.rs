//! The named searches. To add one: a file here, its `mod` line and its line in [`ALL`]. Other crates can have lists of their own
//! ([`Searches`](crate::registry::Searches)).

mod abstraction_directed;
mod anytime;
mod astar;
mod astar_dfs;
mod auto;
mod beam;
mod beam_stack;
mod bfs;
mod bitstate_dfs;
mod branch_and_bound;
mod breadth_first_heuristic;
mod ce;
mod cost_bounded;
mod depth_bounded_dfs;
mod dfs;
mod dijkstra;
mod ehc;
mod frontier;
mod greedy;
mod guided;
mod icb;
mod idastar;
mod improved_nested_dfs;
mod iterative_bound;
mod iterative_broadening;
mod iterative_deepening;
mod k_best_first;
mod largest_first;
mod memory_limited_astar;
mod nearest_neighbour;
mod nested_dfs;
mod priority_beam;
mod random_dfs;
mod random_walk;
mod randomised_guided;
mod refined_threshold;
mod scc;
mod shortest_lasso;
mod trail_directed;
mod ut;
mod visited;
mod wastar;

use bughound_kernel::registry::{Args, BuildError, Expression, Param, ParamKind, no_such};

use crate::engines::OnError;
use crate::registry::{BuildCx, Entry};
use crate::search::Search;
use crate::trail::Trail;

/// Every search of this crate, in the order in which they are listed to users.
pub const ALL: &[Entry] = &[
    auto::ENTRY,
    bfs::ENTRY,
    dfs::ENTRY,
    random_dfs::ENTRY,
    depth_bounded_dfs::ENTRY,
    dijkstra::ENTRY,
    largest_first::ENTRY,
    greedy::ENTRY,
    astar::ENTRY,
    wastar::ENTRY,
    guided::ENTRY,
    abstraction_directed::ENTRY,
    ce::ENTRY,
    icb::ENTRY,
    ut::ENTRY,
    ehc::ENTRY,
    k_best_first::ENTRY,
    beam::ENTRY,
    priority_beam::ENTRY,
    iterative_broadening::ENTRY,
    anytime::ENTRY,
    nearest_neighbour::ENTRY,
    iterative_bound::ENTRY,
    random_walk::ENTRY,
    randomised_guided::ENTRY,
    trail_directed::ENTRY,
    iterative_deepening::ENTRY,
    idastar::ENTRY,
    refined_threshold::ENTRY,
    branch_and_bound::ENTRY,
    cost_bounded::ENTRY,
    frontier::ENTRY,
    breadth_first_heuristic::ENTRY,
    beam_stack::ENTRY,
    memory_limited_astar::ENTRY,
    bitstate_dfs::ENTRY,
    nested_dfs::ENTRY,
    improved_nested_dfs::ENTRY,
    scc::ENTRY,
    astar_dfs::ENTRY,
    shortest_lasso::ENTRY,
];

/// For searches that want an estimate for their kind of error, good or bad.
pub const HEURISTIC: Param = Param {
    name: "h",
    summary: "the heuristic; `auto` is the usual one for the kind of error",
    kind: ParamKind::Nested { what: "heuristic", default: "auto" },
};

/// For searches that promise shortest errors.
pub const ADMISSIBLE_HEURISTIC: Param = Param {
    name: "h",
    summary: "the heuristic; shortest errors need an admissible one",
    kind: ParamKind::Nested { what: "heuristic", default: "auto(admissible=true)" },
};

/// For searches that draw random numbers.
const SEED: Param = Param {
    name: "seed",
    summary: "start of the random numbers; by default the seed of the whole run",
    kind: ParamKind::Integer { default: None, min: 0, max: u64::MAX },
};

/// For searches that can go on after an error.
const IMPROVE: Param = Param {
    name: "improve",
    summary: "go on below the cost of an error, for cheaper ones",
    kind: ParamKind::Flag { default: false },
};

fn on_error(args: &Args) -> OnError {
    if args.flag("improve") == Some(true) { OnError::Improve } else { OnError::Take }
}

/// For searches that look at a few states at a time.
const fn width(default: u64) -> Param {
    Param {
        name: "k",
        summary: "how many states are looked at together",
        kind: ParamKind::Integer { default: Some(default), min: 1, max: u32::MAX as u64 },
    }
}

pub fn find(name: &str) -> Option<&'static Entry> {
    ALL.iter().find(|entry| entry.name == name)
}

/// The search that an expression describes.
pub fn build(expression: &Expression, cx: &BuildCx<'_>) -> Result<Box<dyn Search>, BuildError> {
    let Some(entry) = cx.searches.find(&expression.name) else {
        let message = no_such("search", &expression.name, cx.searches.iter().map(|entry| entry.name));
        return Err(BuildError::new(message, expression.at.clone()));
    };
    let args =
        Args::check(expression, entry.params).map_err(|error| with_others(error, expression, entry.params, cx))?;
    (entry.build)(cx, &args).map_err(|mut error| {
        // Constructors know what is wrong but not where their name stands.
        if error.at.is_empty() {
            error.at = expression.at.clone();
        }
        error
    })
}

/// Adds which other searches have the parameter that this one has not.
fn with_others(mut error: BuildError, expression: &Expression, params: &[Param], cx: &BuildCx<'_>) -> BuildError {
    let has = |params: &[Param], key: &str| params.iter().any(|param| param.name == key);
    let missing = expression.arguments.iter().filter_map(|argument| argument.key.as_deref());
    let missing = missing.filter(|key| !has(params, key) && error.message.contains(&format!("`{key}`")));
    for key in missing.take(1).collect::<Vec<_>>() {
        let others = cx.searches.iter().filter(|entry| has(entry.params, key));
        let others: Vec<String> = others.map(|entry| format!("`{}`", entry.name)).collect();
        if !others.is_empty() {
            error.message.push_str(&format!(" (`{key}` is one of {})", others.join(", ")));
        }
    }
    error
}

/// Looks for shorter ways to the error of a known trail; `trail_directed` without its first search.
pub fn improve(trail: Trail, heuristic: Expression, budget: Option<u64>) -> Box<dyn Search> {
    trail_directed::from_trail(trail, heuristic, budget)
}

/// The heuristic that the search of an expression uses; `None` if it uses none.
pub fn heuristic_of(expression: &Expression, cx: &BuildCx<'_>) -> Option<Expression> {
    let entry = cx.searches.find(&expression.name)?;
    let args = Args::check(expression, entry.params).ok()?;
    entry.params.iter().any(|param| param.name == "h").then(|| cx.heuristic(&args))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bughound_kernel::registry::expression::parse;

    #[test]
    fn every_entry_builds_from_its_name() {
        for entry in ALL {
            assert!(build(&parse(entry.name).unwrap(), &BuildCx::default()).is_ok(), "{}", entry.name);
            assert_eq!(ALL.iter().filter(|other| other.name == entry.name).count(), 1);
            assert!(!entry.summary.is_empty() && !entry.cite.is_empty());
        }
    }

    #[test]
    fn unknown_names_are_guessed() {
        let Err(error) = build(&parse("rnadom-dfs").unwrap(), &BuildCx::default()) else { panic!() };
        let start = "there is no search `rnadom-dfs` (did you mean `random-dfs`?); known: auto, bfs, dfs, ";
        assert!(error.message.starts_with(start), "{}", error.message);
        assert_eq!(error.at, 0..10);
        let Err(error) = build(&parse("astar(w=5)").unwrap(), &BuildCx::default()) else { panic!() };
        assert!(!error.message.contains("did you mean `h`"), "{}", error.message);
        assert!(error.message.contains("is one of `wastar`"), "{}", error.message);
    }
}
