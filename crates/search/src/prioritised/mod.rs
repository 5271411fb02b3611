//! Searches that look at steps before they look at states: a row of queues, each in the order of an ordinary search.

mod classes;
mod contexts;
mod switches;
mod useless;

pub(crate) use classes::Classes;
pub(crate) use contexts::ByContext;
pub(crate) use switches::{BySwitches, Switch};
pub(crate) use useless::{ByUse, Useless};

use bughound_checkpoint::{Error, Reader, Writer};
use bughound_kernel::registry::{Args, Expression, Param, ParamKind};
use bughound_kernel::{Part, StepClass};

use crate::driver::Driver;
use crate::engines::{Revisit, Setup, best_first};
use crate::evaluators::{ByDepth, ByLength, Graded, Grader, Guided, Weights};
use crate::open_lists::{BucketQueue, ChildOrder, GuidedQueue, MultiQueue, Stack, TieBreak, Ties};
use crate::registry::BuildCx;
use crate::result::{SearchError, SearchResult};
use crate::saving::Ids;
use crate::search::Task;

/// The order inside a queue.
#[derive(Clone, Debug)]
pub(crate) enum Inside {
    Guided { heuristic: Expression, weights: Weights, ties: Ties },
    BreadthFirst,
    DepthFirst,
}

impl Inside {
    pub(crate) const ORDER: Param = Param {
        name: "order",
        summary: "the order inside each queue",
        kind: ParamKind::Choice { options: &["greedy", "astar", "bfs", "dfs"] },
    };

    pub(crate) fn from_args(cx: &BuildCx<'_>, args: &Args) -> Inside {
        let guided =
            |weights| Inside::Guided { heuristic: cx.heuristic(args), weights, ties: Ties::from_args(args, cx.seed) };
        match args.choice("order") {
            Some("astar") => guided(Weights::ASTAR),
            Some("bfs") => Inside::BreadthFirst,
            Some("dfs") => Inside::DepthFirst,
            _ => guided(Weights::GREEDY),
        }
    }

    /// One run with the steps graded.
    pub(crate) fn run(
        &self,
        name: &'static str,
        grader: impl Grader,
        task: Task<'_>,
        driver: &mut Driver<'_>,
    ) -> Result<SearchResult, SearchError> {
        match self {
            Inside::Guided { heuristic, weights, ties } => {
                let reopens = *weights != Weights::GREEDY;
                let revisit = if reopens { Revisit::Cheaper } else { Revisit::CheaperUntilExpanded };
                let mut ties = ties.clone();
                let queues = MultiQueue::new(move || GuidedQueue::new(ties.split()));
                let guided = Guided::new(task.heuristic(heuristic, None, driver)?, *weights).within(driver.max_depth());
                best_first(task, whole(name, revisit), queues, Graded::new(grader, guided), driver)
            }
            Inside::BreadthFirst => {
                let queues = MultiQueue::new(|| BucketQueue::new(TieBreak::Fifo));
                let setup = whole(name, Revisit::CheaperUntilExpanded);
                best_first(task, setup, queues, Graded::new(grader, ByLength), driver)
            }
            Inside::DepthFirst => {
                let queues = MultiQueue::new(|| Stack::new(ChildOrder::AsEmitted));
                best_first(task, whole(name, Revisit::Newest), queues, Graded::new(grader, ByDepth), driver)
            }
        }
    }
}

/// Why these searches leave nothing out.
pub(crate) const GRADES_STEPS: &str =
    "the search decides by what steps have to do with each other which of them come first";

/// Every step is taken: which of them come first, or not at all, is decided by their contexts alone.
fn whole(name: &'static str, revisit: Revisit) -> Setup {
    Setup { part: Some(Part::All), ..Setup::new(name, revisit) }
}

/// What is remembered of the step that led to each state, by the number of the state.
#[derive(Clone, Debug, Default)]
struct PerState<T> {
    values: Vec<T>,
}

impl<T: Copy + Default> PerState<T> {
    fn set(&mut self, at: usize, value: T) {
        if at >= self.values.len() {
            self.values.resize(at + 1, T::default());
        }
        self.values[at] = value;
    }

    fn get(&self, at: usize) -> T {
        self.values.get(at).copied().unwrap_or_default()
    }

    fn memory(&self) -> u64 {
        (self.values.capacity() * size_of::<T>()) as u64
    }
}

impl<T: Copy + Default> PerState<T> {
    /// `write` writes one value.
    fn save(&self, ids: &Ids, to: &mut Writer, write: impl Fn(T, &mut Writer)) {
        ids.iter().for_each(|id| write(self.get(id.index()), to));
    }

    fn load(
        &mut self,
        ids: &Ids,
        from: &mut Reader,
        read: impl Fn(&mut Reader) -> Result<T, Error>,
    ) -> Result<(), Error> {
        ids.iter().try_for_each(|id| {
            let value = read(from)?;
            self.set(id.index(), value);
            Ok(())
        })
    }
}

/// A class is a number that the network gives to steps, the same every time.
fn write_class(class: Option<StepClass>, to: &mut Writer) {
    to.number(class.map_or(0, |StepClass(class)| u64::from(class) + 1));
}

/// Only of those that were met.
fn read_class(classes: Option<&Classes<'_>>, from: &mut Reader) -> Result<Option<StepClass>, Error> {
    let Some(class) = from.number()?.checked_sub(1) else { return Ok(None) };
    let is_met = classes.is_some_and(|classes| class < classes.count() as u64);
    if is_met { Ok(Some(StepClass(class as u32))) } else { Err(from.damaged("there is no such step")) }
}
