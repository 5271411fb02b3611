//! **Guided search.** For finding some error soon, whatever the model: several open lists take turns, so that where one is
//! misled another goes on.
//!
//! The lists: by each of two heuristics, `hff` and the usual one for the kind of error; those behind steps that a heuristic recommends; by the interference of the last two
//! steps (see `ce`); states with a value not seen before at their estimate; and now and then a random state of a random
//! type. A list has some turns in a row, and on progress those get turns ahead that lead on from where it was made. The
//! configuration is the same for every model. The usual heuristic, which costs little, has a first look.
//!
//! Paper: Helmert 2006; Röger, Helmert 2010 (alternation); Richter, Helmert 2009 (deferred estimates, preferred operators);
//! Wehrle, Kupferschmid 2010 (contexts); Xie, Müller, Holte, Imai 2014 (types); Lipovetzky, Geffner 2017 (novelty).
//!
//! Claims: complete. Not optimal.
//!
//! Cost: an entry in each list for each state, and an estimate by each heuristic; with `deferred=true` for each expanded
//! state only.
//!
//! Fails: where nothing guides; then it costs more than `bfs` and sees the same.
//!
//! Example: `guided`; `guided(h=hamming, seed=3)`.

use bughound_kernel::Heuristic;
use bughound_kernel::registry::{Expression, Param, ParamKind};

use crate::algorithms::SEED;
use crate::driver::Driver;
use crate::engines::{Revisit, Setup, best_first};
use crate::evaluators::Standings;
use crate::open_lists::{Alternation, Lane};
use crate::prioritised::ByContext;
use crate::registry::{Claims, CycleSupport, Entry, Promise};
use crate::result::{SearchError, SearchResult};
use crate::search::{Search, Task};

/// The lists, and what a turn of each costs.
const LANES: [(Lane, u64); 7] = [
    (Lane::Estimate(0), 2),
    (Lane::Preferred(0), 1),
    (Lane::Grade, 1),
    (Lane::New, 2),
    (Lane::Types, 10),
    (Lane::Estimate(1), 2),
    (Lane::Preferred(1), 1),
];

/// The list that has a first look: that of the usual heuristic, where there is one.
const FIRST_LOOK: Lane = Lane::Estimate(1);

pub(super) const ENTRY: Entry = Entry {
    name: "guided",
    summary: "some error soon: several orders take turns",
    cite: "Helmert 2006; Röger, Helmert 2010; Richter, Helmert 2009; Wehrle, Kupferschmid 2010; Xie, Müller, Holte, Imai \
           2014; Lipovetzky, Geffner 2017",
    params: &[
        Param {
            name: "h",
            summary: "the heuristic of the first list, and of most others",
            kind: ParamKind::Nested { what: "heuristic", default: USUAL },
        },
        Param {
            name: "second",
            summary: "another heuristic; left out where it has nothing to say",
            kind: ParamKind::Nested { what: "heuristic", default: "auto" },
        },
        Param {
            name: "deferred",
            summary: "estimate states when they are expanded: fewer estimates, more states",
            kind: ParamKind::Flag { default: false },
        },
        SEED,
    ],
    claims: Claims { complete: Promise::Always, optimal: Promise::Never },
    cycles: CycleSupport::ByRecording,
    build: |cx, args| {
        Ok(Box::new(GuidedAlternation {
            heuristic: cx.heuristic(args),
            second: args.nested("second").cloned(),
            second_is_needed: args.is_given("second"),
            deferred: args.flag("deferred") == Some(true),
            seed: cx.seed(args),
        }))
    },
};

/// The first heuristic where none is given.
const USUAL: &str = "hff";

/// What [`attempt`] may take. No clocks: the same attempt ends at the same place on every machine.
pub(super) struct Ration {
    /// Units of work for building the first heuristic, as its [`Watch`](bughound_kernel::Watch) counts them.
    pub building: u64,
    /// States generated, at most.
    pub states: u64,
    /// An estimate passes over most of what a heuristic holds: so many bytes may be passed over, by all of them.
    pub bytes: u64,
}

/// The usual search of this name, where it is cheap: `None` if its heuristic cannot be built, or not for the ration.
pub(super) fn attempt(
    task: Task<'_>,
    second: &Expression,
    seed: u64,
    ration: &Ration,
    driver: &mut Driver<'_>,
) -> Result<Option<SearchResult>, SearchError> {
    let Ok(Some(heuristic)) = task.cheap_heuristic(&Expression::named(USUAL), ration.building, driver) else {
        return Ok(None);
    };
    let states = ration.states.min(ration.bytes / heuristic.memory().max(1));
    let search = GuidedAlternation {
        heuristic: Expression::named(USUAL),
        second: Some(second.clone()),
        second_is_needed: false,
        deferred: false,
        seed,
    };
    search.search("auto: guided", heuristic, Some(states), task, driver).map(Some)
}

struct GuidedAlternation {
    heuristic: Expression,
    second: Option<Expression>,
    /// It was asked for, so it is an error if it does not fit.
    second_is_needed: bool,
    deferred: bool,
    seed: u64,
}

impl GuidedAlternation {
    fn search<'t>(
        &self,
        phase: &'static str,
        first: Box<dyn Heuristic + 't>,
        budget: Option<u64>,
        task: Task<'t>,
        driver: &mut Driver<'_>,
    ) -> Result<SearchResult, SearchError> {
        let mut heuristics = vec![first];
        if let Some(second) = &self.second {
            match task.heuristic(second, None, driver) {
                Ok(second) => heuristics.push(second),
                Err(error) if self.second_is_needed => return Err(error.into()),
                Err(_) => {}
            }
        }
        let has = |lane: Lane| match lane {
            Lane::Estimate(n) | Lane::Preferred(n) => n < heuristics.len(),
            Lane::Grade | Lane::New | Lane::Types => true,
        };
        let lanes: Vec<(Lane, u64)> = LANES.into_iter().filter(|(lane, _)| has(*lane)).collect();
        let contexts = ByContext::new(task.heuristics.contexts(false)?, false);
        let standings = Standings::new(heuristics, contexts, self.deferred);
        let setup = Setup { budget, ..Setup::new(phase, Revisit::CheaperUntilExpanded) };
        best_first(task, setup, Alternation::new(&lanes, Some(FIRST_LOOK), self.seed), standings, driver)
    }
}

impl Search for GuidedAlternation {
    fn can_be_saved(&self) -> bool {
        true
    }

    fn run(&self, task: Task<'_>, driver: &mut Driver<'_>) -> Result<SearchResult, SearchError> {
        let first = task.heuristic(&self.heuristic, None, driver)?;
        self.search("guided", first, None, task, driver)
    }
}
