//! Searches that are one run of the best-first engine: what most named algorithms build.

use std::time::Duration;

use bughound_kernel::registry::Expression;
use bughound_kernel::{Heuristic, Keep, Part, Random};

use crate::costs::Costs;
use crate::driver::Driver;
use crate::engines::{OnError, Revisit, Setup, best_first, best_first_beyond, best_first_together};
use crate::evaluators::{ByDepth, ByLength, Guided, LargeFirst, TakingTurns, Weights};
use crate::open_lists::{Beam, BeamShape, BucketQueue, ChildOrder, GuidedQueue, Heap, Stack, TieBreak, Ties};
use crate::result::{SearchError, SearchResult};
use crate::search::{Search, Task};

/// Which state is expanded next.
#[derive(Clone, Debug)]
pub enum Order {
    ShortestFirst(TieBreak),
    /// By the size of covers.
    LargestFirst,
    DeepestFirst(ChildOrder),
}

/// A search without heuristic.
#[derive(Clone, Debug)]
pub struct BlindSearch {
    pub name: &'static str,
    pub order: Order,
    pub costs: Costs,
    /// Longest paths considered.
    pub depth: Option<u64>,
    /// It gives up after so many generated states.
    pub budget: Option<u64>,
    /// What it must keep where steps are left out, if not what its order promises.
    pub keep: Option<Keep>,
}

impl BlindSearch {
    /// Shortest paths first.
    pub fn breadth_first(name: &'static str) -> Self {
        let order = Order::ShortestFirst(TieBreak::Fifo);
        BlindSearch { name, order, costs: Costs::Additive, depth: None, budget: None, keep: None }
    }

    /// Largest covers first.
    pub fn largest_first(name: &'static str) -> Self {
        BlindSearch { order: Order::LargestFirst, ..BlindSearch::breadth_first(name) }
    }

    /// One path as far as it leads, successors in the order of the model.
    pub fn depth_first(name: &'static str) -> Self {
        let order = Order::DeepestFirst(ChildOrder::AsEmitted);
        BlindSearch { name, order, costs: Costs::Additive, depth: None, budget: None, keep: None }
    }
}

/// A search that may generate fewer states is over before several threads have started to help each other.
const WORTH_THREADS: u64 = 50_000;

/// A heuristic that took longer to be built is not built again: threads take turns to ask it.
const WORTH_BUILDING_AGAIN: Duration = Duration::from_millis(100);

fn useful_threads(budget: Option<u64>, driver: &Driver<'_>) -> usize {
    if budget.is_some_and(|budget| budget < WORTH_THREADS) { 1 } else { driver.threads() }
}

/// Why a search with a bound of its own leaves nothing out.
const BOUNDED: &str = "the search has a bound on paths: the only one that is short enough may be left out";
const OTHER_COSTS: &str = "costs are not added up: they may change when steps change places";

impl Search for BlindSearch {
    fn can_be_saved(&self) -> bool {
        true
    }

    fn uses_threads(&self) -> bool {
        !matches!(self.order, Order::DeepestFirst(_))
    }

    fn takes_every_step(&self) -> Option<&'static str> {
        if self.costs == Costs::Additive { self.depth.map(|_| BOUNDED) } else { Some(OTHER_COSTS) }
    }

    fn run(&self, task: Task<'_>, driver: &mut Driver<'_>) -> Result<SearchResult, SearchError> {
        let BlindSearch { name, costs, depth, budget, keep, .. } = *self;
        let part = keep.map(Part::Reduced);
        let setup = |revisit| Setup { costs, depth, budget, part, ..Setup::new(name, revisit) };
        let threads = useful_threads(budget, driver);
        match &self.order {
            Order::ShortestFirst(ties) if self.costs == Costs::Additive => {
                if driver.beyond_memory().is_some() && budget.is_none() {
                    let open = BucketQueue::new(ties.clone());
                    return best_first_beyond(task, setup(Revisit::Cheaper), open, ByLength, |_| None, driver);
                }
                let member = || (BucketQueue::new(ties.clone()), ByLength);
                let others = |_: &mut _, _: &mut Driver<'_>| Ok((1..threads).map(|_| member()).collect());
                best_first_together(task, setup(Revisit::Cheaper), threads, member(), others, driver)
            }
            // Costs of other algebras are no small numbers.
            Order::ShortestFirst(ties) => {
                let member = || (Heap::new(ties.clone()), ByLength);
                let others = |_: &mut _, _: &mut Driver<'_>| Ok((1..threads).map(|_| member()).collect());
                best_first_together(task, setup(Revisit::Cheaper), threads, member(), others, driver)
            }
            Order::LargestFirst => {
                let member = || (Heap::new(TieBreak::Fifo), LargeFirst::new(task.system));
                let others = |_: &mut _, _: &mut Driver<'_>| Ok((1..threads).map(|_| member()).collect());
                best_first_together(task, setup(Revisit::CheaperUntilExpanded), threads, member(), others, driver)
            }
            Order::DeepestFirst(children) => {
                best_first(task, setup(Revisit::Newest), Stack::new(children.clone()), ByDepth, driver)
            }
        }
    }
}

/// A search that looks at a few states at a time.
#[derive(Clone, Debug)]
pub struct BeamSearch {
    pub name: &'static str,
    pub heuristic: Expression,
    pub weights: Weights,
    pub shape: BeamShape,
    /// Longest paths considered.
    pub depth: Option<u64>,
    pub on_error: OnError,
    /// Among equals it draws, by numbers that begin here; otherwise the one that was generated first is the better one.
    pub seed: Option<u64>,
}

impl BeamSearch {
    /// One that ends with the first error.
    pub fn new(name: &'static str, heuristic: Expression, weights: Weights, shape: BeamShape) -> Self {
        BeamSearch { name, heuristic, weights, shape, depth: None, on_error: OnError::Take, seed: None }
    }
}

impl Search for BeamSearch {
    fn can_be_saved(&self) -> bool {
        true
    }

    fn takes_every_step(&self) -> Option<&'static str> {
        let improves = self.on_error == OnError::Improve;
        (self.depth.is_some() || improves).then_some(BOUNDED)
    }

    fn run(&self, task: Task<'_>, driver: &mut Driver<'_>) -> Result<SearchResult, SearchError> {
        let heuristic = task.heuristic(&self.heuristic, None, driver)?;
        let bound = self.depth.into_iter().chain(driver.max_depth()).min();
        let guided = Guided::new(heuristic, self.weights).taking_errors_at_once().within(bound);
        // Who wants the cheapest error opens states again that are reached at less cost.
        let (revisit, part) = match self.on_error {
            OnError::Take => (Revisit::CheaperUntilExpanded, None),
            OnError::Improve => (Revisit::Cheaper, Some(Part::All)),
        };
        let (depth, on_error) = (self.depth, self.on_error);
        let setup = Setup { depth, on_error, part, ..Setup::new(self.name, revisit) };
        best_first(task, setup, Beam::new(self.shape).drawing(self.seed.map(Random::new)), guided, driver)
    }
}

/// What threads share of a heuristic.
enum Shared<'h> {
    Nothing,
    /// All that was built.
    Forks(Box<dyn Heuristic + 'h>),
    /// The heuristic itself: they take turns.
    Turns(TakingTurns<'h>),
}

impl Shared<'_> {
    /// A handle on it for another thread.
    fn another(&self) -> Option<Box<dyn Heuristic + '_>> {
        match self {
            Shared::Nothing => None,
            Shared::Forks(built) => built.fork(),
            Shared::Turns(turns) => Some(Box::new(turns.another())),
        }
    }

    /// Is its memory that of one thread only?
    fn is_counted_once(&self) -> bool {
        !matches!(self, Shared::Nothing)
    }
}

/// A search ordered by costs and estimates.
#[derive(Clone, Debug)]
pub struct GuidedSearch {
    pub name: &'static str,
    pub heuristic: Expression,
    pub weights: Weights,
    pub ties: Ties,
    pub revisit: Revisit,
    pub depth: Option<u64>,
    pub budget: Option<u64>,
}

impl Search for GuidedSearch {
    fn can_be_saved(&self) -> bool {
        true
    }

    fn uses_threads(&self) -> bool {
        true
    }

    fn takes_every_step(&self) -> Option<&'static str> {
        self.depth.map(|_| BOUNDED)
    }

    fn run(&self, task: Task<'_>, driver: &mut Driver<'_>) -> Result<SearchResult, SearchError> {
        let threads = useful_threads(self.budget, driver);
        let bound = self.depth.into_iter().chain(driver.max_depth()).min();
        let setup = Setup { depth: self.depth, budget: self.budget, ..Setup::new(self.name, self.revisit) };
        let guided = |heuristic| Guided::new(heuristic, self.weights);
        let mut ties = self.ties.clone();
        let is_plain = self.weights == Weights::ASTAR && self.revisit == Revisit::Cheaper && self.budget.is_none();
        if driver.beyond_memory().is_some() && is_plain {
            let guided = guided(task.heuristic(&self.heuristic, None, driver)?).within(bound);
            let open = GuidedQueue::new(ties);
            return best_first_beyond(task, setup, open, guided, |guided| Some(guided.into_heuristic()), driver);
        }
        let before = driver.preparation().time;
        let first = task.heuristic(&self.heuristic, None, driver)?;
        let building = driver.preparation().time - before;
        if threads == 1 {
            return best_first(task, setup, GuidedQueue::new(ties), guided(first).within(bound), driver);
        }
        // What was built is shared by all threads; what cannot be shared is built again for each, unless that takes long.
        let can_fork = first.fork().is_some();
        let (shared, own) = match can_fork {
            true => (Shared::Forks(first), None),
            false if building <= WORTH_BUILDING_AGAIN => (Shared::Nothing, Some(first)),
            false => (Shared::Turns(TakingTurns::new(first)), None),
        };
        let another = |driver: &mut Driver<'_>| match shared.another() {
            Some(heuristic) => Ok(heuristic),
            None => task.heuristic(&self.heuristic, None, driver),
        };
        let first = match own {
            Some(own) => own,
            None => another(driver)?,
        };
        let first = (GuidedQueue::new(ties.clone()), guided(first).within(bound));
        best_first_together(
            task,
            setup,
            threads,
            first,
            |first, driver| {
                let heuristics = (1..threads).map(|_| another(driver)).collect::<Result<Vec<_>, _>>()?;
                // One that was built with less time may claim less.
                let claims = first.claims();
                if heuristics.iter().any(|heuristic| heuristic.claims() != claims) {
                    first.claim(heuristics.iter().fold(claims, |all, heuristic| all.and(heuristic.claims())));
                }
                let member = |heuristic| {
                    let member = guided(heuristic).within(bound).sharing(first, shared.is_counted_once());
                    (GuidedQueue::new(ties.split()), member)
                };
                Ok(heuristics.into_iter().map(member).collect())
            },
            driver,
        )
    }
}
