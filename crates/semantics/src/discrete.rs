//! Untimed networks as a transition system: macro steps.
//!
//! A micro step after which its process keeps control is followed at once by the next one of that process, until it gives
//! up control or nothing it can do is executable; in that case the state in which it got stuck is an ordinary state.
//! States in between are not seen from outside. Chains are explored by weight, so the first arrival is a cheapest one, and
//! states met again inside a long chain are not followed twice, so a loop inside an atomic sequence ends; that a run could
//! stay in it for ever is told ([`Expansion::diverges`]). They are if other
//! processes have moved before: for fairness it makes a difference who takes part in a step.

use std::cmp::Reverse;
use std::collections::hash_map::Entry;
use std::collections::{BinaryHeap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::ControlFlow;
use std::sync::Arc;

use bughound_ir::expr::Expr;
use bughound_ir::frames::PROCESS_COUNT;
use bughound_ir::network::Network;
use bughound_kernel::{
    AtomId, Changes, Dependencies, Expansion, Explorer, Keep, Layout, LeftOut, Marks, Move, Outcome, Part, Price,
    State, Step, StopSignal, TransitionSystem,
};

use crate::dependencies::dependencies;
use crate::machine::Machine;
use crate::micro::{Finder, Micro};
use crate::reduction::{Chooser, Reduction};
use crate::signals::{Anything, Picking};

/// Chains up to this many states are explored without looking for repetitions.
const SHORT_CHAIN: usize = 24;

/// A chain is given up when its states take more than so many words.
const LONGEST_CHAIN: usize = 1 << 22;

/// A network without clocks.
pub struct DiscreteSystem {
    machine: Machine,
    /// The predicates as expressions.
    atoms: Vec<Expr>,
    /// What may be left out when a part of the steps is asked for.
    reduction: Option<Reduction>,
}

impl DiscreteSystem {
    /// Compiles a network, which may be shared; `atoms` are the predicates that [`Explorer::holds`] can be asked about, in order.
    pub fn new(network: impl Into<Arc<Network>>, atoms: &[Expr]) -> Self {
        DiscreteSystem { machine: Machine::new(network.into(), atoms), atoms: atoms.to_vec(), reduction: None }
    }

    /// The same with this reduction, which was made for the same network.
    pub fn reduced_by(self, reduction: Reduction) -> Self {
        DiscreteSystem { reduction: Some(reduction), ..self }
    }

    /// The same without code for single processes: every edge is walked as its template says. It is slower, and there to be
    /// compared with.
    pub fn walked(mut self) -> Self {
        self.machine.instances.off = true;
        self
    }

    pub(crate) fn machine(&self) -> &Machine {
        &self.machine
    }

    pub fn network(&self) -> &Network {
        &self.machine.network
    }

    pub fn shared_network(&self) -> &Arc<Network> {
        &self.machine.network
    }

    /// What it costs per unit of time to be in a state that a step led to.
    pub fn rate(&self, key: &[i32]) -> u64 {
        self.machine.rate(key).unwrap_or(0) // no step leads to a state without a rate
    }

    pub(crate) fn walker(&self) -> DiscreteExplorer<'_> {
        DiscreteExplorer {
            machine: &self.machine,
            finder: Finder::default(),
            chain: Vec::new(),
            open: BinaryHeap::new(),
            seen: HashMap::new(),
            ways: Vec::new(),
            path: Vec::new(),
            expansion: Expansion::default(),
            chooser: self.reduction.as_ref().map(Chooser::new),
            first_steps: 0,
        }
    }
}

impl TransitionSystem for DiscreteSystem {
    fn layout(&self) -> &Layout {
        &self.machine.network.frames.layout
    }

    fn explorer(&self) -> Box<dyn Explorer + '_> {
        Box::new(self.walker())
    }

    fn fingerprint(&self) -> Option<u64> {
        let mut hasher = DefaultHasher::new();
        format!("{:?} {:?} {}", self.network(), self.atoms, self.reduction.is_some()).hash(&mut hasher);
        Some(hasher.finish())
    }

    fn atoms(&self) -> u32 {
        self.machine.atoms.len() as u32
    }

    fn memory(&self) -> u64 {
        self.reduction.as_ref().map_or(0, Reduction::memory)
    }

    fn dependencies(&self) -> Result<Dependencies, &'static str> {
        dependencies(&self.machine.network, &self.atoms)
    }
}

/// A state inside a chain: reached by a micro step from another one.
struct Link {
    state: usize,
    control: u16,
    weight: u64,
    /// Moves that led here from the link before.
    moves: (u32, u32),
    /// Who has moved in the chain so far.
    moved: Marks,
    before: Option<u32>,
    choice: u32,
    probability: f64,
    /// Its number among those of a long chain that differ.
    number: Option<u32>,
}

pub(crate) struct DiscreteExplorer<'m> {
    machine: &'m Machine,
    finder: Finder,
    chain: Vec<Link>,
    /// Links still to follow, by weight and then by age.
    open: BinaryHeap<Reverse<(u64, u32)>>,
    /// States of a long chain, numbered.
    seen: HashMap<(u16, Marks, Vec<i32>), u32>,
    /// The micro steps between them.
    ways: Vec<(u32, u32)>,
    path: Vec<Move>,
    /// What is known of the current expansion.
    expansion: Expansion,
    chooser: Option<Chooser<'m>>,
    /// How many micro steps the state under way has.
    first_steps: usize,
}

impl Explorer for DiscreteExplorer<'_> {
    fn initial(&mut self, emit: &mut dyn FnMut(State<'_>)) {
        let mut key = Vec::new();
        if self.machine.initial(&mut key).is_ok() {
            emit(State::discrete(&key));
        }
    }

    fn successors(&mut self, from: State<'_>, emit: &mut dyn FnMut(&Step<'_>) -> ControlFlow<()>) -> Expansion {
        self.successors_by(from.key, &mut Anything, emit)
    }

    fn part(&mut self, from: State<'_>, part: Part, emit: &mut dyn FnMut(&Step<'_>) -> ControlFlow<()>) -> Expansion {
        match (part, &mut self.chooser) {
            (Part::All, _) | (Part::Reduced(_), None) => self.successors(from, emit),
            (Part::Rest, None) => Expansion::default(),
            (Part::Reduced(keep), Some(_)) => self.reduced(from.key, keep, emit),
            (Part::Rest, Some(_)) => {
                self.expansion = Expansion::default();
                self.follow_those(from.key, emit, |chooser, process| !chooser.takes(process))
            }
        }
    }

    fn holds(&mut self, atom: AtomId, state: State<'_>) -> bool {
        let code = &self.machine.atoms[atom.0 as usize];
        self.machine.truth(self.machine.outside(state.key), code).unwrap_or(false)
    }

    fn heed(&mut self, signal: &StopSignal) {
        self.finder.stop = signal.clone();
    }
}

impl DiscreteExplorer<'_> {
    /// The successors that are left if somebody else has a say in who synchronises with whom.
    pub(crate) fn successors_by(
        &mut self,
        key: &[i32],
        picking: &mut dyn Picking,
        emit: &mut dyn FnMut(&Step<'_>) -> ControlFlow<()>,
    ) -> Expansion {
        self.find(key, picking);
        for at in 0..self.first_steps {
            if self.follow(key, at, emit).is_break() {
                break;
            }
        }
        self.expansion
    }

    /// Finds the micro steps of a state; none if it is told to stop.
    fn find(&mut self, key: &[i32], picking: &mut dyn Picking) {
        self.finder.reset();
        self.finder.all(self.machine, key, picking);
        if self.finder.stop.is_raised() {
            self.first_steps = 0;
            self.expansion = Expansion { cut: true, ..Expansion::default() };
            return;
        }
        self.first_steps = self.finder.steps.len();
        let deadlock = self.finder.steps.is_empty() && !self.may_rest(key);
        self.expansion = Expansion { deadlock, ..Expansion::default() };
    }

    /// Enough of the successors.
    fn reduced(&mut self, key: &[i32], keep: Keep, emit: &mut dyn FnMut(&Step<'_>) -> ControlFlow<()>) -> Expansion {
        self.find(key, &mut Anything);
        let left_out = match &mut self.chooser {
            Some(chooser) => chooser.choose(self.machine, key, &self.finder, keep),
            None => LeftOut::Nothing,
        };
        self.expansion.left_out = left_out;
        self.follow_those(key, emit, |chooser, process| left_out == LeftOut::Nothing || chooser.takes(process))
    }

    /// Follows the first micro steps of the processes that pass the test.
    fn follow_those(
        &mut self,
        key: &[i32],
        emit: &mut dyn FnMut(&Step<'_>) -> ControlFlow<()>,
        test: impl Fn(&Chooser<'_>, u16) -> bool,
    ) -> Expansion {
        for at in 0..self.first_steps {
            let mover = self.finder.moves[self.finder.steps[at].moves.0 as usize].process;
            if self.chooser.as_ref().is_none_or(|chooser| test(chooser, mover)) && self.follow(key, at, emit).is_break()
            {
                break;
            }
        }
        self.expansion
    }

    fn forget_hidden(&mut self, state: usize) -> Price {
        self.machine.forget_hidden(self.finder.pool.buffer(state))
    }

    /// No process is left, or all (and the monitor) are where they may stay for ever.
    fn may_rest(&self, key: &[i32]) -> bool {
        let count = key[PROCESS_COUNT] as usize;
        let watched = self.machine.network.monitor.as_ref();
        let finished = watched.is_none_or(|m| m.may_rest[key[m.slot as usize] as usize]);
        count == 0 || (finished && (0..count).all(|pid| self.machine.is_end[self.machine.location(key, pid)]))
    }

    /// Follows one first micro step from a state to the ends of its macro steps.
    fn follow(
        &mut self,
        from: &[i32],
        at: usize,
        emit: &mut dyn FnMut(&Step<'_>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let Finder { steps, moves, pool, written, .. } = &mut self.finder;
        let step = &steps[at];
        if step.failures.1 == 0
            && step.control.is_none()
            && let Some(state) = step.state
        {
            // The common case: a macro step of one micro step.
            let price = self.machine.forget_hidden(pool.buffer(state));
            let slots = step.written.filter(|_| self.machine.hidden.is_empty());
            let changes = slots.map(|slots| Changes { from, slots: &written[range(slots)] });
            return emit(&Step {
                moves: &moves[range(step.moves)],
                choice: step.choice,
                probability: step.probability,
                weight: step.weight,
                price,
                marks: Marks::NONE,
                outcome: Outcome::State(State::discrete(pool.get(state))),
                changes,
            });
        }
        let step = step.clone();
        self.chain.clear();
        self.open.clear();
        self.seen.clear();
        self.ways.clear();
        self.take(&step, None, emit)?;
        self.follow_chain(emit)?;
        self.expansion.diverges |= !self.ways.is_empty() && has_cycle(self.seen.len(), &self.ways);
        ControlFlow::Continue(())
    }

    fn follow_chain(&mut self, emit: &mut dyn FnMut(&Step<'_>) -> ControlFlow<()>) -> ControlFlow<()> {
        let mut followed = 0;
        while let Some(Reverse((_, next))) = self.open.pop() {
            let next = next as usize;
            let (state, control) = (self.chain[next].state, self.chain[next].control);
            followed += 1;
            if followed > SHORT_CHAIN && !self.is_new(next) {
                continue;
            }
            let found = self.finder.steps.len();
            // The pool may grow while successors are computed: work on a copy of the small header only.
            let key = std::mem::take(self.finder.pool.buffer(state));
            if followed * key.len() > LONGEST_CHAIN {
                self.expansion.cut = true;
                return ControlFlow::Continue(());
            }
            self.finder.process(self.machine, &key, control as usize, false, &mut Anything);
            *self.finder.pool.buffer(state) = key;
            if self.finder.stop.is_raised() {
                self.expansion.cut = true;
                return ControlFlow::Break(());
            }
            if self.finder.steps.len() == found {
                self.stuck(next, emit)?;
            }
            for at in found..self.finder.steps.len() {
                let step = self.finder.steps[at].clone();
                self.take(&step, Some(next as u32), emit)?;
            }
            self.finder.steps.truncate(found);
        }
        ControlFlow::Continue(())
    }

    /// Deals with one micro step of a chain: reports its failures, then ends the chain or makes it longer.
    fn take(
        &mut self,
        step: &Micro,
        before: Option<u32>,
        emit: &mut dyn FnMut(&Step<'_>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let (choice, probability) = match before {
            Some(link) => (self.chain[link as usize].choice, self.chain[link as usize].probability * step.probability),
            None => (step.choice, step.probability),
        };
        let weight = step.weight + before.map_or(0, |link| self.chain[link as usize].weight);
        if step.failures.1 > 0 || step.control.is_none() {
            self.collect_path(before);
            self.path.extend_from_slice(&self.finder.moves[range(step.moves)]);
        }
        for failure in &self.finder.failures[range(step.failures)] {
            let outcome = Outcome::Failure(*failure);
            let (marks, price) = (Marks::NONE, Price::NONE);
            emit(&Step { moves: &self.path, choice, probability, weight, price, marks, outcome, changes: None })?;
        }
        let Some(state) = step.state else { return ControlFlow::Continue(()) };
        match step.control {
            None => {
                let price = self.forget_hidden(state);
                let outcome = Outcome::State(State::discrete(self.finder.pool.get(state)));
                emit(&Step {
                    moves: &self.path,
                    choice,
                    probability,
                    weight,
                    price,
                    marks: Marks::NONE,
                    outcome,
                    changes: None,
                })
            }
            Some(control) => {
                let earlier = before.map_or(Marks::NONE, |link| self.chain[link as usize].moved);
                let movers = self.finder.moves[range(step.moves)].iter();
                let moved = movers.fold(earlier, |moved, m| moved | Marks::process(m.process));
                self.open.push(Reverse((weight, self.chain.len() as u32)));
                self.chain.push(Link {
                    state,
                    control,
                    weight,
                    moves: step.moves,
                    moved,
                    before,
                    choice,
                    probability,
                    number: None,
                });
                ControlFlow::Continue(())
            }
        }
    }

    /// Numbers the state of a link, and notes the way to it; false if it was met before.
    fn is_new(&mut self, link: usize) -> bool {
        let Link { state, control, moved, before, .. } = self.chain[link];
        let next = self.seen.len() as u32;
        let (number, new) = match self.seen.entry((control, moved, self.finder.pool.get(state).clone())) {
            Entry::Occupied(known) => (*known.get(), false),
            Entry::Vacant(free) => (*free.insert(next), true),
        };
        self.chain[link].number = Some(number);
        if let Some(from) = before.and_then(|before| self.chain[before as usize].number) {
            self.ways.push((from, number));
        }
        new
    }

    /// The process with control cannot go on: others may move from here.
    fn stuck(&mut self, link: usize, emit: &mut dyn FnMut(&Step<'_>) -> ControlFlow<()>) -> ControlFlow<()> {
        self.collect_path(Some(link as u32));
        let Link { state, weight, choice, probability, .. } = self.chain[link];
        let price = self.forget_hidden(state);
        let outcome = Outcome::State(State::discrete(self.finder.pool.get(state)));
        let marks = Marks::NONE;
        emit(&Step { moves: &self.path, choice, probability, weight, price, marks, outcome, changes: None })
    }

    /// Puts the moves from the start of the chain to a link into `path`.
    fn collect_path(&mut self, link: Option<u32>) {
        self.path.clear();
        let mut links = Vec::new();
        let mut at = link;
        while let Some(index) = at {
            links.push(index);
            at = self.chain[index as usize].before;
        }
        for index in links.into_iter().rev() {
            self.path.extend_from_slice(&self.finder.moves[range(self.chain[index as usize].moves)]);
        }
    }
}

/// Is there a way round among so many places? (Kahn 1962: it is what is left when places without a way to them are taken
/// away again and again.)
fn has_cycle(places: usize, ways: &[(u32, u32)]) -> bool {
    let mut arriving = vec![0u32; places];
    let mut leaving = vec![Vec::new(); places];
    for (from, to) in ways {
        arriving[*to as usize] += 1;
        leaving[*from as usize].push(*to);
    }
    let mut free: Vec<usize> = (0..places).filter(|place| arriving[*place] == 0).collect();
    let mut taken = 0;
    while let Some(place) = free.pop() {
        taken += 1;
        for to in &leaving[place] {
            arriving[*to as usize] -= 1;
            if arriving[*to as usize] == 0 {
                free.push(*to as usize);
            }
        }
    }
    taken < places
}

fn range((first, count): (u32, u32)) -> std::ops::Range<usize> {
    first as usize..(first + count) as usize
}
