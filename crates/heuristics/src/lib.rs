//! Heuristics: estimates of the distance to an error, built from the model and the property.
//!
//! One file for each; [`ALL`] is the list. Each declares typed claims (admissible, consistent, safe), which tests compare
//! with true distances on random models. To add one: a file, its `mod` line and its line in [`ALL`].

mod active_processes;
mod auto;
mod blind;
mod cache;
mod cartesian;
mod causal;
mod causal_graph;
mod changes;
mod combinations;
mod context;
mod contexts;
mod cost;
#[cfg(test)]
mod deadlock_estimates;
mod deadlock_formula;
mod diagnosis;
mod distances;
mod expression;
mod facts;
#[cfg(test)]
mod fixed;
mod formula;
mod fsm_distance;
mod hadd;
mod hamming;
mod hff;
mod hints;
mod hl;
mod hmax;
mod hu;
mod least_cost;
mod likely_cycle;
mod location_distance;
mod merge_and_shrink;
mod nearest;
mod patterns;
mod pdb;
mod pdbs;
mod refinement;
mod registry;
mod relaxation;
mod send_receive;
#[cfg(test)]
mod testing;
mod weighted;

pub use context::BuildCx;
pub use contexts::{contexts, exact_contexts};
pub use diagnosis::{Diagnosis, PatternDiagnosis, diagnose};
pub use registry::Entry;

use bughound_kernel::Heuristic;
use bughound_kernel::registry::{Args, BuildError, Expression, no_such};

/// Every heuristic, in the order in which they are listed to users.
pub const ALL: &[Entry] = &[
    auto::ENTRY,
    formula::ENTRY,
    active_processes::ENTRY,
    deadlock_formula::ENTRY,
    location_distance::LARGEST,
    location_distance::SUM,
    hl::ENTRY,
    hu::ENTRY,
    hmax::ENTRY,
    hadd::ENTRY,
    hff::ENTRY,
    pdb::ENTRY,
    causal_graph::ENTRY,
    cartesian::ENTRY,
    merge_and_shrink::ENTRY,
    pdbs::ENTRY,
    hamming::ENTRY,
    fsm_distance::ENTRY,
    send_receive::ENTRY,
    likely_cycle::ENTRY,
    least_cost::ENTRY,
    hints::REMAINING,
    hints::ORDER,
    expression::ENTRY,
    combinations::MAX,
    combinations::MIN,
    combinations::SUM,
    weighted::ENTRY,
    cache::ENTRY,
    blind::ENTRY,
];

pub fn find(name: &str) -> Option<&'static Entry> {
    ALL.iter().find(|entry| entry.name == name)
}

/// Does the expression name heuristics that exist, with arguments that they take?
pub fn check(expression: &Expression) -> Result<(), BuildError> {
    entry_and_args(expression).map(|_| ())
}

fn entry_and_args(expression: &Expression) -> Result<(&'static Entry, Args), BuildError> {
    let Some(entry) = find(&expression.name) else {
        let message = no_such("heuristic", &expression.name, ALL.iter().map(|entry| entry.name));
        return Err(BuildError::new(message, expression.at.clone()));
    };
    let args = Args::check(expression, entry.params)?;
    for part in entry.params.iter().flat_map(|param| args.several(param.name)) {
        check(part)?;
    }
    Ok((entry, args))
}

/// The heuristic that an expression describes.
pub fn build<'a>(expression: &Expression, cx: &BuildCx<'a, '_>) -> Result<Box<dyn Heuristic + 'a>, BuildError> {
    let (entry, args) = entry_and_args(expression)?;
    (entry.build)(cx, &args).map_err(|mut error| {
        // Constructors know what is wrong but not where their name stands.
        if error.at.is_empty() {
            error.at = expression.at.clone();
        }
        error
    })
}
