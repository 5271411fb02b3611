//! Layer by layer, holding a few layers only: frontier search (Edelkamp, Schuppan, Bošnački, Wijs, Fehnker, Aljazzar 2008,
//! Fig. 4) and breadth-first heuristic search (Zhou, Hansen 2006). The loop of the other searches rests on a store of all
//! states; here there is none.
//!
//! **Order.** A *layer* is what is reached at one cost, and layers are taken in the order of their costs, as in Dijkstra's
//! search. A state whose distance is d is in the layer at d: the state before it on a shortest path is, and nothing that is
//! held has it at less. So the first error of each property is a cheapest one, whatever is forgotten. A state that comes
//! back after it was forgotten is expanded again: that costs time.
//!
//! **The end.** On a directed graph a cycle leads back to any layer, and what comes back could go round for ever. It cannot,
//! because of *relays* (`layers.rs`): whenever costs pass a threshold, all states that a step leads to across it stay for
//! good, and are never entered again. A run of states that comes back again and again passes one threshold after the other, and
//! at each of them it has to show a state that was no relay so far. There are only so many; so on a finite graph
//! the layers run out, and when none is left, every state was expanded: what was dropped on the way was always held and
//! expanded at no higher cost. Thresholds are farther and farther apart, so on a graph where nothing comes back, few states
//! are relays. In the worst case all states are held in the end, as in breadth-first search.
//!
//! **Locality** is how many layers are held besides. If relays come back and what was expanded has become much more than what is
//! held, twice as many layers are held from then on; where memory gets scarce, it is the number from the beginning again.
//!
//! **Bounds.** With an admissible heuristic, states whose f = g + h lies beyond a bound are left out; the bound
//! can rise from pass to pass. With one that is not, the bound is one on costs alone.
//!
//! **Paths** are found again between relays (`retrace.rs`): divide and conquer, with relays half-way (Korf, Zhang 2000; Zhou,
//! Hansen 2004).

mod layers;
mod retrace;
mod run;

use bughound_kernel::registry::{BuildError, Expression};

use crate::driver::Driver;
use crate::engines::depth_first::Pass;
use crate::engines::ending::{Halt, Losses};
use crate::engines::guide::Guide;
use crate::result::{SearchError, SearchResult, Statistics, Witness};
use crate::search::Task;

use run::Run;

/// How many layers are held at the beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Locality(pub usize);

/// Why searches that forget leave no steps out.
pub const FORGETS: &str =
    "the search forgets states, and could not tell whether a step that is put off is taken elsewhere";

/// Thresholds are so many layers apart at first.
const SAMPLES: u64 = 16;

/// Searches that forget compare covers in their normal form, and with nothing but that.
pub(super) fn compare_covers_exactly(task: &Task<'_>) -> Result<(), BuildError> {
    let why = if task.system.merges_covers() {
        "this search cannot merge zones; bfs, dfs, greedy and their kind can"
    } else if !task.system.has_finite_normal_forms() {
        "this search would not end where zones have costs; anytime, astar, dijkstra and their kind would"
    } else {
        return Ok(());
    };
    Err(BuildError::new(why, 0..0))
}

/// A search in passes, each below its own bound. All of them share the heuristic, the witnesses and the statistics.
pub struct Layered<'t> {
    task: Task<'t>,
    phase: &'static str,
    locality: Locality,
    guide: Guide<'t>,
    witnesses: Vec<Witness>,
    stats: Statistics,
    losses: Losses,
}

impl<'t> Layered<'t> {
    pub fn new(
        task: Task<'t>,
        phase: &'static str,
        locality: Locality,
        heuristic: Option<&Expression>,
        driver: &mut Driver<'_>,
    ) -> Result<Self, SearchError> {
        compare_covers_exactly(&task)?;
        let heuristic = heuristic.map(|expression| task.heuristic(expression, None, driver)).transpose()?;
        let guide = Guide::new(heuristic);
        let (witnesses, stats, losses) = (Vec::new(), Statistics::default(), Losses::default());
        Ok(Layered { task, phase, locality, guide, witnesses, stats, losses })
    }

    /// Searches all paths with f up to `bound`, and up to the limit of the driver.
    pub fn pass(&mut self, bound: Option<u64>, driver: &mut Driver<'_>) -> Result<Pass, SearchError> {
        let limit = driver.max_depth();
        let bound = bound.into_iter().chain(limit).min();
        let about = (self.task, self.phase);
        let mut run = Run::new(about, self.locality, &mut self.guide, &mut self.witnesses, driver);
        run.bound = bound;
        run.expanded_before = self.stats.expanded;
        let end = run.search()?;
        self.stats.add_phase(&end.stats);
        let floor = match (end.halt, end.least_cut) {
            (None, Some(least)) => least,
            (None, None) => u64::MAX,
            (Some(_), _) => end.floor,
        };
        self.losses = Losses {
            halt: end.halt,
            bound: bound.filter(|_| end.least_cut.is_some() && end.halt.is_none()),
            endless: self.losses.endless || end.endless,
            floor: self.losses.floor,
            ..Losses::default()
        };
        if !self.losses.endless {
            self.losses.floor = self.losses.floor.max(floor);
        }
        Ok(match (end.halt, end.least_cut) {
            (Some(Halt::Error), _) => Pass::Found,
            (Some(Halt::Limit(_) | Halt::Budget), _) => Pass::Stopped,
            (None, Some(least)) if limit.is_none_or(|limit| least <= limit) => Pass::Cut(least),
            (None, Some(_)) => {
                // All that is left lies behind the limit of the driver.
                self.losses.bound = limit;
                Pass::Exhausted
            }
            (None, None) => Pass::Exhausted,
        })
    }

    pub fn finish(mut self, driver: &Driver<'_>) -> SearchResult {
        (self.stats.evaluated, self.stats.evaluation_time) = self.guide.evaluations();
        self.stats.elapsed = driver.elapsed();
        self.losses.result(self.witnesses, self.stats)
    }
}
