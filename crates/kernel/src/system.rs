//! A model as a search sees it.

use std::ops::ControlFlow;

use crate::dependencies::{Access, Dependencies};
use crate::heuristic::{Heuristic, Situation};
use crate::layout::Layout;
use crate::limits::StopSignal;
use crate::marks::Marks;
use crate::state::State;
use crate::step::Step;

/// A state predicate that the system can evaluate, such as the condition of an invariant. Handed out by the system, or the
/// layer, that it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AtomId(pub u32);

/// What the expansion of a state found besides the steps it emitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Expansion {
    /// No step is possible, and the system may not end here.
    pub deadlock: bool,
    /// A chain of steps inside one macro step became too long and was given up, or all of the expansion, because it was
    /// told to stop: steps may be missing.
    pub cut: bool,
    /// A chain of steps inside one macro step can go round for ever: there is a run that never gets to another state.
    /// Nothing is missing for those who look at states; for those who look at infinite runs it is.
    pub diverges: bool,
    /// Which steps a reduced expansion did without.
    pub left_out: LeftOut,
}

/// What an expansion that may be reduced has left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum LeftOut {
    #[default]
    Nothing,
    /// Steps without which everything is found that was to be kept.
    Safely,
    /// Steps that must not be put off for ever: whoever asked has to see to it ([`Keep`] says how), or to take the rest.
    Postponed,
}

/// What a reduced expansion must not lose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Keep {
    /// Every error, at its least cost. Nothing is postponed.
    Shortest,
    /// Every error. Where steps are postponed, one of the steps taken must begin a way to a state that is expanded as a whole.
    Errors,
    /// Every infinite run, up to repeated states. Where steps are postponed, there must be steps taken that lead to states,
    /// and *all* of these must be still to be expanded.
    Runs,
}

/// Which of the steps of a state are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    All,
    /// Enough of them. The choice is a function of the state.
    Reduced(Keep),
    /// What the last reduced expansion of this explorer, which was of the same state, has left out.
    Rest,
}

impl Expansion {
    /// As those see it who look at infinite runs, to whom nobody is stuck.
    pub fn for_runs(self) -> Expansion {
        Expansion { deadlock: false, cut: self.cut || self.diverges, diverges: false, left_out: self.left_out }
    }
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
    /// How many predicates it can evaluate; they are numbered from 0.
    fn atoms(&self) -> u32;
    /// Does the cover `large` include the cover `small`, of states with this key?
    fn covers(&self, _key: &[i32], large: &[i32], small: &[i32]) -> bool {
        large == small
    }
    /// Makes covers equal that need not be told apart, for sets that cannot compare them by inclusion.
    fn normalise_cover(&self, _key: &[i32], _cover: &mut [i32]) {}
    /// Are there finitely many covers in normal form? If not, nothing but inclusion tells that what goes round in a cycle
    /// gets nowhere: whoever compares normal forms would not come to an end.
    fn has_finite_normal_forms(&self) -> bool {
        true
    }
    /// Are the covers of a key to be merged into one? States then have more points than were reached: an error may not be
    /// one, but where none is found, there is none.
    fn merges_covers(&self) -> bool {
        false
    }
    /// Makes a cover larger, so that it includes the other one.
    fn merge_covers(&self, _cover: &mut [i32], _other: &[i32]) {}
    /// How large a cover is, for searches that take large ones first. A cover that includes another one is no smaller.
    fn cover_size(&self, _cover: &[i32]) -> u64 {
        0
    }
    /// The marks that the steps of an accepting cycle carry together; none if the system knows no such cycles.
    fn required(&self) -> Marks {
        Marks::NONE
    }
    /// Where a state lies with regard to accepting cycles.
    fn region(&self, _state: State<'_>) -> Region {
        Region::WHOLE
    }
    /// Does it have all steps of the model? One that leaves some out may have longer paths only.
    fn takes_all_steps(&self) -> bool {
        true
    }
    /// A number of all that it was made of: two systems that differ hardly ever have the same. `None`: nobody knows. For processes
    /// that work together, which must not take another model for this one.
    fn fingerprint(&self) -> Option<u64> {
        None
    }
    /// Does it note what is met while it is explored, for somebody who asks afterwards, or number its states as they come? Then one
    /// process must explore all of it: what another one meets is not noted here.
    fn takes_notes(&self) -> bool {
        false
    }
    /// Bytes used by what it remembers while it is explored.
    fn memory(&self) -> u64 {
        0
    }
    /// What its steps have to do with its slots; an error says why this cannot be told. It takes a while: not for every state.
    fn dependencies(&self) -> Result<Dependencies, &'static str> {
        Err("it does not tell which of its slots its steps read and write")
    }
    /// For layers that make infinite runs of another system accepting, or watch them: what they are made of.
    fn parts(&self) -> Option<Parts<'_>> {
        None
    }
    /// What heuristics see of a state.
    fn situation<'k>(&self, state: State<'k>) -> Situation<'k> {
        state.into()
    }
    /// A heuristic for its states, as a search needs one, from one that was built for what they project to.
    fn guided<'a>(&'a self, heuristic: Box<dyn Heuristic + 'a>) -> Box<dyn Heuristic + 'a> {
        heuristic
    }
    /// For systems that follow all runs of a claim at once.
    fn claim_runs(&self) -> Option<&dyn ClaimRuns> {
        None
    }
}

/// A system, and what is asked of its infinite runs: for those who put both together themselves, with sets of states.
#[derive(Clone, Copy)]
pub struct Parts<'p> {
    /// Its states, and its steps without marks.
    pub system: &'p dyn TransitionSystem,
    /// The conditions of processes ([`Marks::process`]). A step carries that of a process if the process takes part in it, or could
    /// not begin a step where it starts.
    pub fair: Marks,
    pub watch: Option<Watcher<'p>>,
}

/// A claim that watches a system.
#[derive(Clone, Copy)]
pub struct Watcher<'p> {
    pub claim: &'p dyn ClaimReader,
    /// Where the system has no step that leads to a state, the claim moves on alone. Such a step carries all marks of processes.
    pub goes_on_at_rest: bool,
}

/// A set of at most 64 locations of a claim, by their places in its template.
pub type Locations = u64;

/// How a claim reads the states of a system. A run of the claim moves once at every state, starting with the first. Its
/// locations are known by their places: 0, 1 and so on.
pub trait ClaimReader: Sync {
    /// How many places there are.
    fn places(&self) -> usize;

    /// What the model calls the location at place 0; the numbers of the others follow.
    fn first_location(&self) -> i32;

    /// Where the claim is before it has read a state.
    fn start(&self) -> usize;

    fn is_accepting(&self, place: usize) -> bool;

    /// Is the run so far a violation if the claim is here? It makes no move from there.
    fn is_end(&self, place: usize) -> bool;

    /// Calls `found` with every place at which the claim can be after it has read this state of the system.
    fn moves(
        &self,
        from: usize,
        system_state: State<'_>,
        found: &mut dyn FnMut(usize) -> ControlFlow<()>,
    ) -> ControlFlow<()>;

    /// What its moves look at in a state of the system; `None`: it does not tell.
    fn reads(&self) -> Option<Access> {
        None
    }

    /// How many locations the claim has; `None` if they are too many for [`Locations`].
    fn locations(&self) -> Option<usize> {
        Some(self.places()).filter(|places| *places <= Locations::BITS as usize)
    }

    /// The accepting ones among the locations.
    fn accepting(&self) -> Locations {
        (0..self.locations().unwrap_or(0)).filter(|place| self.is_accepting(*place)).fold(0, |all, at| all | 1 << at)
    }

    /// The ends among the locations.
    fn ends(&self) -> Locations {
        (0..self.locations().unwrap_or(0)).filter(|place| self.is_end(*place)).fold(0, |all, at| all | 1 << at)
    }

    /// Where the claim can be after it has read this state of the system, by where it was before.
    fn read(&self, system_state: State<'_>, next: &mut Vec<Locations>) {
        next.clear();
        for place in 0..self.locations().unwrap_or(0) {
            let mut reached: Locations = 0;
            let _ = self.moves(place, system_state, &mut |to| {
                reached |= 1 << to;
                ControlFlow::Continue(())
            });
            next.push(reached);
        }
    }
}

/// A system each of whose states is a state of another one, and all locations at which the claim can be there.
pub trait ClaimRuns {
    fn claim(&self) -> &dyn ClaimReader;

    fn locations_at(&self, state: State<'_>) -> Locations;

    /// The state that the claim reads.
    fn read_at<'k>(&self, state: State<'k>) -> State<'k>;
}

/// Computes initial states, successors and predicates. Allocates nothing per successor once it has warmed up.
pub trait Explorer {
    fn initial(&mut self, emit: &mut dyn FnMut(State<'_>));

    /// Emits every macro step from `from`, in a fixed order. The callback may stop the enumeration early; the returned
    /// [`Expansion`] is meaningful only if it did not.
    fn successors(&mut self, from: State<'_>, emit: &mut dyn FnMut(&Step<'_>) -> ControlFlow<()>) -> Expansion;

    /// The same for a part of the steps. A system that knows no reduction has nothing to leave out.
    fn part(&mut self, from: State<'_>, part: Part, emit: &mut dyn FnMut(&Step<'_>) -> ControlFlow<()>) -> Expansion {
        match part {
            Part::All | Part::Reduced(_) => self.successors(from, emit),
            Part::Rest => Expansion::default(),
        }
    }

    fn holds(&mut self, atom: AtomId, state: State<'_>) -> bool;

    /// From now on, long expansions come to an end when the signal is raised: they are `cut`. An explorer that is not told
    /// so takes as long as it takes. Once the signal is raised, nothing that is emitted or returned means anything (what was
    /// looked up on the way may have been cut, too): whoever asks for this drops all of it.
    fn heed(&mut self, _signal: &StopSignal) {}
}
