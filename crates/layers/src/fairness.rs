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
    Cycles, Expansion, Explorer, Layer, LayerSteps, Marks, Parts, Region, State, Step, TransitionSystem,
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

impl Layer for WeakFairness<'_> {
    type Steps<'l>
        = FairSteps
    where
        Self: 'l;

    fn below(&self) -> &dyn TransitionSystem {
        self.system
    }

    fn project<'k>(&self, state: State<'k>) -> State<'k> {
        state
    }

    fn steps(&self) -> FairSteps {
        FairSteps { processes: self.processes }
    }

    fn demands(&self, below: Marks) -> Marks {
        below | self.processes
    }

    fn is_made_of(&self) -> Option<Parts<'_>> {
        Some(Parts { system: self.system, fair: self.processes, watch: None })
    }

    /// A cycle that the system below accepts may be unfair.
    fn lies_in(&self, _state: State<'_>, below: Region) -> Region {
        match below.cycles {
            Cycles::All => Region { cycles: Cycles::Some, ..below },
            _ => below,
        }
    }
}

pub struct FairSteps {
    processes: Marks,
}

impl LayerSteps for FairSteps {
    fn initial(&mut self, below: &mut dyn Explorer, emit: &mut dyn FnMut(State<'_>)) {
        below.initial(emit);
    }

    fn successors(
        &mut self,
        below: &mut dyn Explorer,
        from: State<'_>,
        emit: &mut dyn FnMut(&Step<'_>) -> ControlFlow<()>,
    ) -> Expansion {
        // Who can move is known when all steps are: they are computed twice.
        let mut able = Marks::NONE;
        let seen = below.successors(from, &mut |step| {
            if let Some(first) = step.moves.first() {
                able |= Marks::process(first.process);
            }
            ControlFlow::Continue(())
        });
        // Whoever can begin a sequence that never ends has no step here, and yet could move: nobody is known to be unable.
        let unable = if seen.diverges { Marks::NONE } else { self.processes & !able };
        below.successors(from, &mut |step| {
            emit(&Step { marks: step.marks | unable | Marks::movers(step.moves), ..*step })
        })
    }
}
