//! Which steps a search may leave out: what its questions ask for decides which reduction loses nothing.

use bughound_ir::network::Network;
use bughound_ir::question::Question;
use bughound_semantics::reduction::refusal;

use super::{Base, Layer, Strategy};
use crate::run::ReductionMode;

/// How a job leaves steps out (partial order reduction).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reduces {
    /// Not at all, and why not if it was to be.
    Nothing(Option<String>),
    /// So that every error in states and steps is still found; the shortest where the search asks for it.
    Errors,
    /// So that every infinite run is kept, up to repeated states. An error may be longer than the shortest, which is then
    /// looked for with all steps.
    Runs,
}

impl Reduces {
    pub fn is_on(&self) -> bool {
        matches!(self, Reduces::Errors | Reduces::Runs)
    }

    /// Why nothing is left out.
    pub fn refusal(&self) -> Option<&str> {
        match self {
            Reduces::Nothing(why) => why.as_deref(),
            Reduces::Errors | Reduces::Runs => None,
        }
    }
}

/// What decides it.
pub(super) struct Asked<'a> {
    pub network: &'a Network,
    pub mode: ReductionMode,
    pub base: Base,
    pub layers: &'a [Layer],
    /// Of a question about runs.
    pub question: Option<&'a Question>,
    pub search: &'a Strategy,
    pub has_cycles: bool,
    /// So many different errors.
    pub errors: usize,
    /// Paths have a greatest length.
    pub is_bounded: bool,
}

pub(super) fn reduces(asked: &Asked<'_>) -> Reduces {
    let nothing = |why: &str| Reduces::Nothing(Some(why.into()));
    if asked.mode == ReductionMode::Off {
        return Reduces::Nothing(None);
    }
    if asked.base != Base::States {
        // Nobody expects it there, so nobody need be told unless they ask.
        return Reduces::Nothing(asked.mode.is_wanted().then(|| "the search goes through zones".into()));
    }
    if let Some(why) = refusal(asked.network) {
        return nothing(&why.to_string());
    }
    let Some(question) = asked.question else {
        if let Some(why) = asked.search.search().takes_every_step() {
            return nothing(why);
        }
        // That a condition is violated is kept, not every way in which it is.
        return if asked.errors > 1 { nothing("several different errors are asked for") } else { Reduces::Errors };
    };
    if asked.is_bounded {
        return nothing("paths are bounded: the only one that is short enough may be left out");
    }
    if asked.layers.contains(&Layer::WeakFairness) {
        return nothing("fair runs are asked for: whose steps are postponed is not treated fairly");
    }
    if let Some(why) = asked.search.search().takes_every_run() {
        return nothing(why);
    }
    match question.formula() {
        None => return nothing("a never claim may count steps"),
        Some(formula) if formula.has_next() => return nothing("the formula has X, which counts steps"),
        Some(_) => {}
    }
    let finds_cycles = asked.has_cycles && !asked.layers.contains(&Layer::Recording);
    match finds_cycles || asked.search.search().tightens().is_some() {
        true => Reduces::Runs,
        false => nothing(
            asked
                .search
                .search()
                .takes_every_step()
                .unwrap_or("the search is one for shortest errors, and the claim looks at every state"),
        ),
    }
}
