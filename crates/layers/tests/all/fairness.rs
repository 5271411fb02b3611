//! The marks of weak fairness.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use bughound_kernel::*;
use bughound_layers::WeakFairness;

/// What becomes of a step: a state, or a failure.
type To = Option<i32>;

/// A system given by its steps: from where, who moves (the first one begins), where to.
struct Steps {
    layout: Layout,
    steps: Vec<(i32, Vec<u16>, To)>,
    accepting: Vec<i32>,
    cycles: Cycles,
}

impl Steps {
    fn new(steps: &[(i32, &[u16], To)]) -> Self {
        let steps = steps.iter().map(|(from, who, to)| (*from, who.to_vec(), *to)).collect();
        let layout = Layout::new(vec![Slot::new(0, 9)]);
        Steps { layout, steps, accepting: Vec::new(), cycles: Cycles::Some }
    }
}

impl TransitionSystem for Steps {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn explorer(&self) -> Box<dyn Explorer + '_> {
        Box::new(Walker(self))
    }

    fn atoms(&self) -> u32 {
        10
    }

    fn required(&self) -> Marks {
        if self.accepting.is_empty() { Marks::NONE } else { Marks::ACCEPT }
    }

    fn region(&self, _: State<'_>) -> Region {
        Region { number: 3, cycles: self.cycles }
    }
}

struct Walker<'s>(&'s Steps);

impl Explorer for Walker<'_> {
    fn initial(&mut self, emit: &mut dyn FnMut(State<'_>)) {
        emit(State::discrete(&[0]));
    }

    fn successors(&mut self, from: State<'_>, emit: &mut dyn FnMut(&Step<'_>) -> ControlFlow<()>) -> Expansion {
        let steps = self.0.steps.iter().filter(|step| step.0 == from.key[0]);
        for (number, (_, who, to)) in steps.clone().enumerate() {
            let mv = |(place, process): (usize, &u16)| Move {
                process: *process,
                edge: number as u32,
                destination: 0,
                joins: place > 0,
            };
            let moves: Vec<Move> = who.iter().enumerate().map(mv).collect();
            let failure = Failure { kind: FailureKind::Assertion, edge: 0, code: 0 };
            let outcome = match to {
                Some(to) => Outcome::State(State::discrete(std::slice::from_ref(to))),
                None => Outcome::Failure(failure),
            };
            let marks = if self.0.accepting.contains(&from.key[0]) { Marks::ACCEPT } else { Marks::NONE };
            if emit(&Step {
                moves: &moves,
                choice: 0,
                probability: 1.0,
                weight: 1,
                price: Price::NONE,
                marks,
                outcome,
                changes: None,
            })
            .is_break()
            {
                return Expansion::default();
            }
        }
        Expansion { deadlock: steps.count() == 0, ..Expansion::default() }
    }

    fn holds(&mut self, atom: AtomId, state: State<'_>) -> bool {
        atom.0 as i32 == state.key[0]
    }
}

/// By the processes that move: the processes whose marks the step carries, and whether it accepts.
fn marks(system: &dyn TransitionSystem, processes: u16, from: i32) -> BTreeMap<Vec<u16>, (Vec<u16>, bool)> {
    let mut all = BTreeMap::new();
    system.explorer().successors(State::discrete(&[from]), &mut |step| {
        let carried = (0..processes).filter(|number| step.marks.include(Marks::process(*number))).collect();
        let who = step.moves.iter().map(|m| m.process).collect();
        all.insert(who, (carried, step.marks.include(Marks::ACCEPT)));
        ControlFlow::Continue(())
    });
    all
}

#[test]
fn a_step_is_marked_for_those_who_move_and_those_who_cannot() {
    // Process 2 exists but waits; process 3 does not exist. Neither can move.
    let steps = Steps::new(&[(0, &[0], Some(1)), (0, &[1], Some(0)), (1, &[2], Some(0))]);
    let fair = WeakFairness::new(&steps, 4).unwrap();
    assert_eq!(fair.required(), Marks::processes(4));
    let at_0 = marks(&fair, 4, 0);
    assert_eq!(at_0[&vec![0]], (vec![0, 2, 3], false));
    assert_eq!(at_0[&vec![1]], (vec![1, 2, 3], false));
    assert_eq!(marks(&fair, 4, 1)[&vec![2]], (vec![0, 1, 2, 3], false));
}

#[test]
fn the_receiver_of_a_rendezvous_moves_but_cannot_begin() {
    let steps = Steps::new(&[(0, &[0, 1], Some(0)), (0, &[2], Some(0))]);
    let fair = WeakFairness::new(&steps, 3).unwrap();
    let all = marks(&fair, 3, 0);
    assert_eq!(all[&vec![0, 1]].0, [0, 1]);
    // The receiver waits for its sender here, so it is not treated unfairly; the sender is.
    assert_eq!(all[&vec![2]].0, [1, 2]);
}

#[test]
fn a_process_that_can_only_fail_is_able_to_move() {
    let steps = Steps::new(&[(0, &[0], None), (0, &[1], Some(0))]);
    let fair = WeakFairness::new(&steps, 2).unwrap();
    let all = marks(&fair, 2, 0);
    assert_eq!((&all[&vec![0]].0[..], &all[&vec![1]].0[..]), (&[0][..], &[1][..]));
}

#[test]
fn everything_else_is_that_of_the_system_below() {
    let mut steps = Steps::new(&[(0, &[0], Some(1)), (0, &[1], Some(0))]);
    steps.accepting = vec![0];
    let fair = WeakFairness::new(&steps, 2).unwrap();
    assert_eq!(fair.required(), Marks::ACCEPT | Marks::processes(2));
    assert_eq!(marks(&fair, 2, 0)[&vec![1]], (vec![1], true));
    assert_eq!(fair.layout(), steps.layout());
    assert!(fair.covers(&[], &[1], &[1]) && !fair.covers(&[], &[1], &[2]));
    let mut explorer = fair.explorer();
    assert!(explorer.holds(AtomId(4), State::discrete(&[4])));
    assert!(explorer.successors(State::discrete(&[1]), &mut |_| ControlFlow::Continue(())).deadlock);
    // The enumeration ends when it is told to.
    let mut emitted = 0;
    explorer.successors(State::discrete(&[0]), &mut |_| {
        emitted += 1;
        ControlFlow::Break(())
    });
    assert_eq!(emitted, 1);
}

#[test]
fn a_region_where_all_cycles_are_accepted_has_unfair_ones() {
    let mut steps = Steps::new(&[(0, &[0], Some(0)), (0, &[1], Some(0))]);
    let cycles = |steps: &Steps| WeakFairness::new(steps, 2).unwrap().region(State::discrete(&[0]));
    for (below, above) in [(Cycles::All, Cycles::Some), (Cycles::Some, Cycles::Some), (Cycles::None, Cycles::None)] {
        steps.cycles = below;
        assert_eq!(cycles(&steps), Region { number: 3, cycles: above });
    }
}

#[test]
fn there_can_be_too_many_processes() {
    let steps = Steps::new(&[]);
    assert!(WeakFairness::new(&steps, Marks::PROCESSES).is_some());
    assert!(WeakFairness::new(&steps, Marks::PROCESSES + 1).is_none());
}
