//! A model as a search sees it.

use std::ops::ControlFlow;

use crate::layout::Layout;
use crate::marks::Marks;
use crate::state::State;
use crate::step::Step;

/// A state predicate that the system can evaluate, such as the condition of an invariant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AtomId(pub u32);

/// What the expansion of a state found besides the steps it emitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Expansion {
    /// No step is possible, and the system may not end here.
    pub deadlock: bool,
    /// A chain of steps inside one macro step became too long and was given up: steps may be missing.
    pub cut: bool,
}

/// Which cycles inside a region are accepting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cycles {
    /// None of them: no accepting cycle goes through here.
    None,
    /// All of them.
    All,
    /// Perhaps some.
    Some,
}

/// A part of the state space that no cycle leaves, as far as can be told from the claim alone (Edelkamp, Lluch Lafuente,
/// Leue 2001: the strongly connected components of the claim and their classes N, F and P).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Region {
    /// States with different numbers never lie on one cycle.
    pub number: u32,
    pub cycles: Cycles,
}

impl Region {
    /// Nothing is known.
    pub const WHOLE: Region = Region { number: 0, cycles: Cycles::Some };
}

/// A system with states and steps, shared by all threads.
pub trait TransitionSystem: Sync {
    fn layout(&self) -> &Layout;
    /// A walker with working memory of its own; one for each thread.
    fn explorer(&self) -> Box<dyn Explorer + '_>;
    /// Does the cover `large` include the cover `small` (of states with equal keys)?
    fn covers(&self, large: &[i32], small: &[i32]) -> bool {
        large == small
    }
    /// The marks that the steps of an accepting cycle carry together; none if the system knows no such cycles.
    fn required(&self) -> Marks {
        Marks::NONE
    }
    /// Where a state lies with regard to accepting cycles.
    fn region(&self, _state: State<'_>) -> Region {
        Region::WHOLE
    }
}

/// Computes initial states, successors and predicates. Allocates nothing per successor once it has warmed up.
pub trait Explorer {
    fn initial(&mut self, emit: &mut dyn FnMut(State<'_>));

    /// Emits every macro step from `from`, in a fixed order. The callback may stop the enumeration early; the returned
    /// [`Expansion`] is meaningful only if it did not.
    fn successors(&mut self, from: State<'_>, emit: &mut dyn FnMut(&Step<'_>) -> ControlFlow<()>) -> Expansion;

    fn holds(&mut self, atom: AtomId, state: State<'_>) -> bool;
}
