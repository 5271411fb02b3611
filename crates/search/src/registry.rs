//! What a registered algorithm says about itself.

use std::fmt;

use bughound_kernel::HeuristicClaims;
use bughound_kernel::registry::{Args, BuildError, Expression, Param};

use crate::algorithms;
use crate::search::Search;

/// When a promise holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Promise {
    Always,
    /// If the heuristic is admissible.
    Admissible,
    /// If the heuristic's dead ends are proof, or if it reports none.
    Safe,
    /// It depends on the parameters, as the text says; the result of a run tells.
    Depends(&'static str),
    Never,
}

impl Promise {
    /// Does it hold with this heuristic? `None`: it depends on more than that.
    pub fn holds_with(self, claims: HeuristicClaims) -> Option<bool> {
        match self {
            Promise::Always => Some(true),
            Promise::Admissible => Some(claims.admissible),
            Promise::Safe => Some(claims.safe),
            Promise::Depends(_) => None,
            Promise::Never => Some(false),
        }
    }
}

impl fmt::Display for Promise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Promise::Always => "yes",
            Promise::Admissible => "with an admissible heuristic",
            Promise::Safe => "with a safe heuristic",
            Promise::Depends(on) => on,
            Promise::Never => "no",
        })
    }
}

/// What a search promises on finite state spaces, given enough time and memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claims {
    /// Finds an error if there is one; otherwise proves that there is none.
    pub complete: Promise,
    /// The first error it reports is a shortest one (a cheapest one where steps have costs).
    pub optimal: Promise,
}

/// The searches that expressions can name: one list after the other. Crates above this one can have searches of their own;
/// who knows them all says which there are.
#[derive(Clone, Copy)]
pub struct Searches<'a>(pub &'a [&'a [Entry]]);

impl Default for Searches<'_> {
    /// Those of this crate.
    fn default() -> Self {
        Searches(&[algorithms::ALL])
    }
}

impl fmt::Debug for Searches<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter().map(|entry| entry.name)).finish()
    }
}

impl<'a> Searches<'a> {
    pub fn iter(self) -> impl Iterator<Item = &'a Entry> + Clone {
        self.0.iter().copied().flatten()
    }

    pub fn find(self, name: &str) -> Option<&'a Entry> {
        self.iter().find(|entry| entry.name == name)
    }
}

/// What algorithms are built from besides their arguments.
#[derive(Clone, Copy, Default)]
pub struct BuildCx<'a> {
    /// What names of searches mean.
    pub searches: Searches<'a>,
    /// For everything random that has no seed of its own.
    pub seed: u64,
    /// In place of `auto` where a search is given no heuristic.
    pub heuristic: Option<&'a Expression>,
}

impl BuildCx<'_> {
    /// The heuristic of a search: what its arguments say, else the one of the whole run, else the search's default.
    pub fn heuristic(&self, args: &Args) -> Expression {
        match (args.is_given("h"), self.heuristic) {
            (false, Some(heuristic)) => heuristic.clone(),
            _ => args.nested("h").cloned().unwrap_or_else(|| Expression::named("auto")),
        }
    }

    pub fn seed(&self, args: &Args) -> u64 {
        args.integer("seed").unwrap_or(self.seed)
    }
}

/// How a search finds accepting cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CycleSupport {
    /// It looks for states only: a layer that records states makes lassos of paths to them.
    ByRecording,
    /// It looks for states only, and must see what the steps of the model itself do: nothing can be put on top of it.
    Nothing,
    /// It knows cycles with one condition; several must be made one.
    OneCondition,
    AnyConditions,
}

impl fmt::Display for CycleSupport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            CycleSupport::ByRecording => "by recording states",
            CycleSupport::Nothing => "no",
            CycleSupport::OneCondition => "yes, fairness by counting",
            CycleSupport::AnyConditions => "yes",
        })
    }
}

/// Makes a search from checked arguments.
pub type Build = fn(&BuildCx<'_>, &Args) -> Result<Box<dyn Search>, BuildError>;

/// A registry line: everything the command line, the pages and the tests need to know.
#[derive(Clone, Copy)]
pub struct Entry {
    pub name: &'static str,
    pub summary: &'static str,
    pub cite: &'static str,
    pub params: &'static [Param],
    pub claims: Claims,
    pub cycles: CycleSupport,
    pub build: Build,
}

/// What several threads can share the work for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threads {
    /// Errors in states and steps.
    pub states: bool,
    /// Infinite runs, unless they are found by recording states: then they are errors in states.
    pub cycles: bool,
}

impl fmt::Display for Threads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match (self.states, self.cycles) {
            (true, true) => "yes",
            (true, false) => "for states",
            (false, true) => "for cycles",
            (false, false) => "no",
        })
    }
}

impl Entry {
    /// Whether several threads can share its work, as it is without arguments.
    pub fn threads(&self) -> Threads {
        let args = Args::check(&Expression::named(self.name), self.params);
        let built = args.and_then(|args| (self.build)(&BuildCx::default(), &args));
        let can = |ask: fn(&dyn Search) -> bool| built.as_ref().is_ok_and(|search| ask(&**search));
        let states = can(|search| search.uses_threads());
        let cycles = match self.cycles {
            CycleSupport::ByRecording | CycleSupport::Nothing => states,
            CycleSupport::OneCondition | CycleSupport::AnyConditions => can(|search| search.shares_cycles()),
        };
        Threads { states, cycles }
    }
}
