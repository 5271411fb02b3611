//! Synchronisation over signals (hand-shakes and broadcasts), and committed locations.
//!
//! The guards of everybody are evaluated before anything changes; then the emitter acts, then those who accept, in
//! ascending order of their numbers. A hand-shake has one step for each edge that accepts. Everybody who can hear a
//! broadcast must: it has one step for each way to pick an accepting edge for each of them, possibly for nobody.
//!
//! Each such way is one choice; the destinations of its edges are drawn independently, so that probabilities multiply.

use std::cell::OnceCell;

use bughound_ir::edge::Condition;
use bughound_ir::frames::PROCESS_COUNT;
use bughound_ir::reference::error::EvalError;
use bughound_ir::types::SignalKind;
use bughound_kernel::{Failure, Move};

use crate::code::{Code, EdgeCode, SyncCode};
use crate::machine::{Context, Machine};
use crate::micro::{Finder, Micro};
use crate::perform::Effect;

/// What one process does in a synchronisation, decided before anything changes.
#[derive(Clone, Copy)]
struct Part<'m> {
    pid: usize,
    edge: &'m EdgeCode,
    /// The alternative with which the program of the edge starts.
    entry: Option<usize>,
    /// Looking at the edge failed: the step breaks off when it is the turn of this part.
    error: Option<EvalError>,
}

/// A part without its edge's lifetime, so that lists of parts keep their memory from state to state.
#[derive(Clone, Copy)]
struct PartAt {
    pid: usize,
    location: usize,
    edge: usize,
    entry: Option<usize>,
    error: Option<EvalError>,
}

impl PartAt {
    fn of<'m>(&self, machine: &'m Machine) -> Part<'m> {
        let edge = &machine.edges[self.location][self.edge];
        Part { pid: self.pid, edge, entry: self.entry, error: self.error }
    }
}

/// Has a say in which edges take part in a synchronisation: whoever knows clocks can tell early that some of them never go
/// together. Many processes that each listen or do not would otherwise be put together in all ways.
pub trait Picking {
    /// Can the edge of this process take part, together with those picked and not undone? Always followed by one `undo`.
    fn pick(&mut self, pid: usize, edge: u32) -> bool;
    fn undo(&mut self);
}

/// Everything goes together.
pub struct Anything;

impl Picking for Anything {
    fn pick(&mut self, _: usize, _: u32) -> bool {
        true
    }

    fn undo(&mut self) {}
}

/// One edge of each process is enough: who takes part matters, not how.
#[derive(Default)]
pub struct OneWay {
    /// By number of edges picked before: the process that was asked last.
    asked: Vec<Option<usize>>,
    picked: usize,
}

impl Picking for OneWay {
    fn pick(&mut self, pid: usize, _: u32) -> bool {
        self.asked.resize(self.picked + 2, None);
        let again = self.picked > 0 && self.asked[self.picked] == Some(pid);
        self.asked[self.picked] = Some(pid);
        self.picked += 1;
        self.asked[self.picked] = None;
        !again
    }

    fn undo(&mut self) {
        self.picked -= 1;
    }
}

/// Working memory.
#[derive(Default)]
pub struct Signals {
    /// The edges that can accept, in ascending order of processes.
    accepting: Vec<PartAt>,
    /// By process that accepts: the first of its edges and the first of those behind them.
    groups: Vec<(usize, usize)>,
    /// The parts of the step under construction, but for the emitter's.
    team: Vec<PartAt>,
    /// Of the parts performed so far.
    moves: Vec<Move>,
    failures: Vec<Failure>,
    /// By location; empty if no location of the model is committed.
    committed: OnceCell<Vec<bool>>,
}

/// What all outcomes of a choice share.
#[derive(Clone, Copy)]
struct Choice<'m> {
    number: u32,
    emitter: Part<'m>,
    timeout: bool,
}

/// A choice performed up to some part.
#[derive(Clone, Copy)]
struct Progress {
    /// The part whose turn it is; 0 is the emitter.
    turn: usize,
    /// Index of the state in the pool.
    state: usize,
    probability: f64,
    control: Option<u16>,
}

impl Finder {
    /// The steps that an edge starts which emits a signal and whose guards hold; true if there are any.
    /// `before`: an edge before it was executable.
    pub fn emit(
        &mut self,
        machine: &Machine,
        cx: Context<'_>,
        edge: &EdgeCode,
        signal: &Code,
        before: bool,
        picking: &mut dyn Picking,
    ) -> Result<bool, EvalError> {
        let signal = machine.known_signal(cx, signal)?;
        let Some(entry) = machine.entry(cx, edge, before)? else { return Ok(false) };
        let emitter = Part { pid: cx.pid, edge, entry, error: None };
        let found = self.steps.len();
        if picking.pick(cx.pid, edge.id) {
            let mut work = std::mem::take(&mut self.signals);
            work.find_accepting(machine, cx, signal);
            match machine.network.signals[signal as usize].kind {
                SignalKind::Binary => {
                    for group in (0..work.groups.len()).rev() {
                        self.pick_one(machine, cx, emitter, &mut work, group, picking);
                    }
                }
                SignalKind::Broadcast => {
                    work.team.clear();
                    self.pick_each(machine, cx, emitter, &mut work, 0, picking);
                }
            }
            self.signals = work;
        }
        picking.undo();
        Ok(self.steps.len() > found)
    }

    /// The emitter with each edge of one process.
    fn pick_one(
        &mut self,
        machine: &Machine,
        cx: Context<'_>,
        emitter: Part<'_>,
        work: &mut Signals,
        group: usize,
        picking: &mut dyn Picking,
    ) {
        for at in work.groups[group].0..work.groups[group].1 {
            let part = work.accepting[at];
            if picking.pick(part.pid, part.of(machine).edge.id) {
                work.team.clear();
                work.team.push(part);
                self.synchronise(machine, cx, emitter, work);
            }
            picking.undo();
        }
    }

    /// The emitter and the team with one edge of each further process, in all ways.
    fn pick_each(
        &mut self,
        machine: &Machine,
        cx: Context<'_>,
        emitter: Part<'_>,
        work: &mut Signals,
        group: usize,
        picking: &mut dyn Picking,
    ) {
        let Some((first, end)) = work.groups.get(group).copied() else {
            return self.synchronise(machine, cx, emitter, work);
        };
        for at in first..end {
            let part = work.accepting[at];
            if picking.pick(part.pid, part.of(machine).edge.id) && !self.stop.is_raised() {
                work.team.push(part);
                self.pick_each(machine, cx, emitter, work, group + 1, picking);
                work.team.pop();
            }
            picking.undo();
        }
    }

    /// One choice: the emitter with the team.
    fn synchronise(&mut self, machine: &Machine, cx: Context<'_>, emitter: Part<'_>, work: &mut Signals) {
        let choice = Choice { number: self.choices, emitter, timeout: cx.timeout };
        self.choices += 1;
        let state = self.pool.copy_of(cx.key);
        self.perform(machine, choice, work, Progress { turn: 0, state, probability: 1.0, control: None });
    }

    /// Performs the remaining parts of a choice, for all combinations of their destinations.
    fn perform(&mut self, machine: &Machine, choice: Choice<'_>, work: &mut Signals, so_far: Progress) {
        let part = match so_far.turn {
            0 => choice.emitter,
            turn => match work.team.get(turn - 1) {
                Some(part) => part.of(machine),
                None => return self.add(choice, work, so_far, Some(so_far.state)),
            },
        };
        let destinations = &part.edge.destinations;
        for (index, destination) in destinations.iter().enumerate() {
            let failures = work.failures.len();
            work.moves.push(Move {
                process: part.pid as u16,
                edge: part.edge.id,
                destination: index as u16,
                joins: so_far.turn > 0,
            });
            let state = if destinations.len() == 1 { so_far.state } else { self.pool.duplicate(so_far.state) };
            let mut effect = Effect {
                key: self.pool.buffer(state),
                pid: part.pid,
                edge: part.edge.id,
                timeout: choice.timeout,
                failures: &mut work.failures,
                assertions: 0,
                resets: None,
                stop: Some(&self.stop),
            };
            let result = match part.error {
                Some(error) => Err(error),
                None => machine.play(&mut effect, part, index, &mut self.scratch),
            };
            let exists = part.pid < effect.key[PROCESS_COUNT] as usize;
            let mut next = Progress { turn: so_far.turn + 1, state, control: None, ..so_far };
            match result {
                Ok(()) => {
                    next.probability *= destination.chance.certain();
                    next.control = (part.edge.keeps_control && exists).then_some(part.pid as u16);
                    self.perform(machine, choice, work, next);
                }
                Err(error) => {
                    if part.error.is_none() {
                        next.probability *= destination.chance.certain();
                    }
                    work.failures.push(error.failure(part.edge.id));
                    self.add(choice, work, next, None);
                }
            }
            work.moves.pop();
            work.failures.truncate(failures);
            if part.error.is_some() {
                break; // no destination was drawn
            }
        }
    }

    /// Adds a step with the moves and failures in `work`.
    fn add(&mut self, choice: Choice<'_>, work: &Signals, end: Progress, state: Option<usize>) {
        let moves = self.moves.len() as u32;
        let failures = self.failures.len() as u32;
        self.moves.extend_from_slice(&work.moves);
        self.failures.extend_from_slice(&work.failures);
        self.steps.push(Micro {
            moves: (moves, work.moves.len() as u32),
            failures: (failures, work.failures.len() as u32),
            state,
            control: end.control,
            weight: choice.emitter.edge.weight,
            choice: choice.number,
            probability: end.probability,
            written: None,
        });
    }

    /// If some process is at a committed location, only steps with such a process are possible: takes the others out
    /// of the steps from `first` on.
    pub fn only_committed(&mut self, machine: &Machine, key: &[i32], first: usize) {
        let committed = self.signals.committed.get_or_init(|| machine.committed_locations());
        if committed.is_empty() {
            return;
        }
        let is_committed = |pid: usize| committed[machine.location(key, pid)];
        if !(0..key[PROCESS_COUNT] as usize).any(is_committed) {
            return;
        }
        let mut kept = first;
        for at in first..self.steps.len() {
            let (start, count) = self.steps[at].moves;
            let moves = &self.moves[start as usize..(start + count) as usize];
            if moves.iter().any(|m| is_committed(m.process as usize)) {
                self.steps.swap(kept, at);
                kept += 1;
            }
        }
        self.steps.truncate(kept);
    }
}

impl Signals {
    /// Collects the edges with which processes other than the emitter can take part.
    fn find_accepting(&mut self, machine: &Machine, emitter: Context<'_>, signal: i32) {
        self.accepting.clear();
        self.groups.clear();
        for pid in (0..emitter.key[PROCESS_COUNT] as usize).filter(|pid| *pid != emitter.pid) {
            let first = self.accepting.len();
            self.accepting_edges(machine, machine.context(emitter.key, pid, emitter.timeout), signal);
            if self.accepting.len() > first {
                self.groups.push((first, self.accepting.len()));
            }
        }
    }

    fn accepting_edges(&mut self, machine: &Machine, cx: Context<'_>, wanted: i32) {
        let location = machine.location(cx.key, cx.pid);
        let provided = &machine.provided[machine.template_of[location] as usize];
        let (mut before, mut escape) = (false, 0);
        for (index, edge) in machine.edges[location].iter().enumerate() {
            if escape > 0 && edge.escape != escape {
                break;
            }
            let SyncCode::Accept { signal } = &edge.sync else { continue };
            if machine.eval(cx, signal) != Ok(wanted) {
                continue;
            }
            if provided.as_ref().is_some_and(|condition| machine.truth(cx, condition) != Ok(true)) {
                return; // asked only of processes that listen
            }
            let (entry, error) = match machine.accepts(cx, edge, before) {
                Ok(None) => continue,
                Ok(Some(entry)) => (entry, None),
                Err(error) => (None, Some(error)),
            };
            self.accepting.push(PartAt { pid: cx.pid, location, edge: index, entry, error });
            before = true;
            escape = edge.escape;
        }
    }
}

impl Machine {
    /// The number of a signal that exists.
    pub fn known_signal(&self, cx: Context<'_>, signal: &Code) -> Result<i32, EvalError> {
        let number = self.eval(cx, signal)?;
        if number < 0 || number as usize >= self.network.signals.len() { Err(EvalError::NoSignal) } else { Ok(number) }
    }

    /// Can an edge on the right signal take part? Then the entry of its program, if it has one.
    fn accepts(&self, cx: Context<'_>, edge: &EdgeCode, before: bool) -> Result<Option<Option<usize>>, EvalError> {
        let allowed = match edge.condition {
            Condition::None => true,
            Condition::Else => false,
            Condition::Youngest => cx.pid + 1 == cx.key[PROCESS_COUNT] as usize,
        };
        if !allowed || !self.guards_hold(cx, &edge.guards)? {
            return Ok(None);
        }
        self.check_clock_bounds(cx, &edge.clock_bounds)?;
        self.entry(cx, edge, before)
    }

    /// `Some(None)` without a program; with one, the alternative with which it starts, or `None` if it is blocked.
    pub fn entry(&self, cx: Context<'_>, edge: &EdgeCode, before: bool) -> Result<Option<Option<usize>>, EvalError> {
        let Some(program) = edge.program else { return Ok(Some(None)) };
        let alternatives = &self.programs[program as usize].nodes[0];
        let chosen = self.choose(cx, alternatives, None, before)?;
        Ok(chosen.map(|chosen| alternatives.iter().position(|a| std::ptr::eq(a, chosen))))
    }

    /// Performs a part: the program from its entry on, then the actions of a destination.
    fn play(
        &self,
        effect: &mut Effect<'_>,
        part: Part<'_>,
        destination: usize,
        scratch: &mut Vec<i32>,
    ) -> Result<(), EvalError> {
        if let (Some(program), Some(entry)) = (part.edge.program, part.entry) {
            let entry = &self.programs[program as usize].nodes[0][entry];
            self.run_from(effect, program, entry, None, scratch)?;
        }
        self.arrive(effect, part.edge, destination)
    }

    fn committed_locations(&self) -> Vec<bool> {
        let committed: Vec<bool> = self.network.locations.iter().map(|l| l.flags.committed).collect();
        if committed.contains(&true) { committed } else { Vec::new() }
    }
}
