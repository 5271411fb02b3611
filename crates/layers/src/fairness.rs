//! Weak fairness: no process that could always go on is left waiting for ever.
//!
//! A cycle is weakly fair if every process moves on it or is unable to move in some state of it (Holzmann 2003, "The SPIN
//! Model Checker", ch. 8; there with counters, after Choueka 1974). Each process has a condition of its own; a step carries
//! its mark if the process takes part in it, or could not begin a step where it starts. So the conditions cost no states.
//!
//! A process can begin a step if it is the first to move in it: the receiver of a rendezvous waits for its sender. A
//! process that does not exist cannot move.

use std::ops::ControlFlow;

use bughound_kernel::{
    AtomId, Cycles, Expansion, Explorer, Layout, Marks, Region, State, Step, StopSignal, TransitionSystem,
};

pub struct WeakFairness<'s> {
    system: &'s dyn TransitionSystem,
    processes: Marks,
}

impl<'s> WeakFairness<'s> {
    /// `processes`: how many there can be at most. `None` if that are more than [`Marks`] can tell apart.
    pub fn new(system: &'s dyn TransitionSystem, processes: usize) -> Option<Self> {
        (processes <= Marks::PROCESSES).then(|| WeakFairness { system, processes: Marks::processes(processes) })
    }
}

impl TransitionSystem for WeakFairness<'_> {
    fn layout(&self) -> &Layout {
        self.system.layout()
    }

    fn explorer(&self) -> Box<dyn Explorer + '_> {
        Box::new(FairExplorer { processes: self.processes, system: self.system.explorer() })
    }

    fn covers(&self, key: &[i32], large: &[i32], small: &[i32]) -> bool {
        self.system.covers(key, large, small)
    }

    fn normalise_cover(&self, key: &[i32], cover: &mut [i32]) {
        self.system.normalise_cover(key, cover);
    }

    fn merges_covers(&self) -> bool {
        self.system.merges_covers()
    }

    fn merge_covers(&self, cover: &mut [i32], other: &[i32]) {
        self.system.merge_covers(cover, other);
    }

    fn cover_size(&self, cover: &[i32]) -> u64 {
        self.system.cover_size(cover)
    }

    fn required(&self) -> Marks {
        self.system.required() | self.processes
    }

    /// A cycle that the system below accepts may be unfair.
    fn region(&self, state: State<'_>) -> Region {
        let region = self.system.region(state);
        match region.cycles {
            Cycles::All => Region { cycles: Cycles::Some, ..region },
            _ => region,
        }
    }
}

struct FairExplorer<'s> {
    processes: Marks,
    system: Box<dyn Explorer + 's>,
}

impl Explorer for FairExplorer<'_> {
    fn initial(&mut self, emit: &mut dyn FnMut(State<'_>)) {
        self.system.initial(emit);
    }

    fn successors(&mut self, from: State<'_>, emit: &mut dyn FnMut(&Step<'_>) -> ControlFlow<()>) -> Expansion {
        // Who can move is known when all steps are: they are computed twice.
        let mut able = Marks::NONE;
        self.system.successors(from, &mut |step| {
            if let Some(first) = step.moves.first() {
                able |= Marks::process(first.process);
            }
            ControlFlow::Continue(())
        });
        let unable = self.processes & !able;
        self.system.successors(from, &mut |step| {
            let moved = step.moves.iter().fold(Marks::NONE, |moved, m| moved | Marks::process(m.process));
            emit(&Step { marks: step.marks | unable | moved, ..*step })
        })
    }

    fn holds(&mut self, atom: AtomId, state: State<'_>) -> bool {
        self.system.holds(atom, state)
    }

    fn heed(&mut self, signal: &StopSignal) {
        self.system.heed(signal);
    }
}
