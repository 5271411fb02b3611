//! Micro steps: what single edges, and pairs of edges that meet in a rendezvous, do in a state.

use bughound_ir::edge::Condition;
use bughound_ir::frames::{LOCATION, PRIORITY, PROCESS_COUNT};
use bughound_ir::monitor::Direction;
use bughound_ir::reference::error::EvalError;
use bughound_kernel::{Failure, Move, StopSignal};

use crate::code::{EdgeCode, SyncCode};
use crate::instance::plain_truth;
use crate::joint::Joint;
use crate::machine::{Context, Machine};
use crate::perform::{Effect, Pending};
use crate::pool::Pool;
use crate::signals::{Picking, Signals};

/// Locations with more edges than that, such as those of selections from large ranges, take their time.
const MANY_EDGES: usize = 256;

/// One micro step that was found.
#[derive(Clone, Debug)]
pub struct Micro {
    /// First and number of its moves in [`Finder::moves`].
    pub moves: (u32, u32),
    /// First and number of its failures in [`Finder::failures`].
    pub failures: (u32, u32),
    /// Index of the state it leads to; `None` if it broke off with a failure.
    pub state: Option<usize>,
    /// The process that keeps control afterwards.
    pub control: Option<u16>,
    pub weight: u64,
    pub choice: u32,
    pub probability: f64,
    /// First and number of the slots in [`Finder::written`] in which the state it leads to differs, if they are known.
    pub written: Option<(u32, u32)>,
}

/// Finds the micro steps of a state.
#[derive(Default)]
pub struct Finder {
    pub pool: Pool,
    pub steps: Vec<Micro>,
    pub moves: Vec<Move>,
    pub failures: Vec<Failure>,
    pub written: Vec<u32>,
    pub choices: u32,
    /// Nothing was possible before `timeout` was true.
    pub by_timeout: bool,
    message: Vec<i32>,
    pub scratch: Vec<i32>,
    pub signals: Signals,
    pub joint: Joint,
    /// When it is raised, what was found may be anything: it is to be dropped.
    pub stop: StopSignal,
}

impl Finder {
    /// Forgets everything found so far.
    pub fn reset(&mut self) {
        self.pool.reset();
        self.steps.clear();
        self.moves.clear();
        self.failures.clear();
        self.written.clear();
        self.choices = 0;
    }

    /// All micro steps of an ordinary state, in which nobody has control.
    pub fn all(&mut self, machine: &Machine, key: &[i32], picking: &mut dyn Picking) {
        self.all_with(machine, key, false, picking);
        self.by_timeout = self.steps.is_empty() && machine.network.uses.timeout;
        if self.by_timeout {
            self.all_with(machine, key, true, picking);
        }
    }

    fn all_with(&mut self, machine: &Machine, key: &[i32], timeout: bool, picking: &mut dyn Picking) {
        for pid in (0..key[PROCESS_COUNT] as usize).rev() {
            self.process(machine, key, pid, timeout, picking);
        }
    }

    /// The micro steps that one process starts.
    pub fn process(&mut self, machine: &Machine, key: &[i32], pid: usize, timeout: bool, picking: &mut dyn Picking) {
        let first = self.steps.len();
        self.try_edges(machine, key, pid, timeout, picking);
        if self.steps.len() == first {
            return;
        }
        self.only_committed(machine, key, first);
        self.only_conditioned(machine, first);
    }

    /// Takes the steps from `first` on out after which a condition of a location does not hold. Where it has no value the
    /// step breaks off.
    fn only_conditioned(&mut self, machine: &Machine, first: usize) {
        if machine.conditions.is_empty() {
            return;
        }
        let mut kept = first;
        for at in first..self.steps.len() {
            let holds = self.steps[at].state.map_or(Ok(true), |state| machine.conditions_hold(self.pool.get(state)));
            if let Err(error) = holds {
                let (start, count) = self.steps[at].moves;
                let last = self.moves[(start + count) as usize - 1];
                self.add_failure(at..at + 1, error.failure(last.edge));
                self.steps[at].state = None;
            }
            if holds != Ok(false) {
                self.steps.swap(kept, at);
                kept += 1;
            }
        }
        self.steps.truncate(kept);
    }

    fn try_edges(&mut self, machine: &Machine, key: &[i32], pid: usize, timeout: bool, picking: &mut dyn Picking) {
        let cx = machine.context(key, pid, timeout);
        let location = machine.location(key, pid);
        let instance = machine.made_instance(key, pid, location);
        let (edges, provided) = match instance {
            Some(instance) => (&instance.edges, &instance.provided),
            None => (&machine.edges[location], &machine.provided[machine.template_of[location] as usize]),
        };
        if let Some(provided) = provided {
            match machine.truth(cx, provided) {
                Ok(true) => {}
                Ok(false) => return,
                Err(error) => {
                    if let Some(edge) = edges.first() {
                        self.broken(pid, edge, error, None);
                    }
                    return;
                }
            }
        }
        if machine.network.uses.priorities && machine.is_outranked(cx) {
            return;
        }
        let mut executable = false;
        let mut escape = 0;
        for (at, edge) in edges.iter().enumerate() {
            if (escape > 0 && edge.escape != escape) || (at % MANY_EDGES == MANY_EDGES - 1 && self.stop.is_raised()) {
                break;
            }
            let before = self.steps.len();
            let found = match self.quickly(machine, cx, edge, executable) {
                Some(found) => found,
                None => self.edge(machine, cx, edge, executable, picking),
            };
            if found {
                if executable && edge.does_something && machine.is_deterministic(location) {
                    self.add_failure(before..self.steps.len(), EvalError::NotDeterministic.failure(edge.id));
                }
                executable = true;
                escape = edge.escape;
            }
        }
    }

    /// Adds a failure to each of these steps.
    fn add_failure(&mut self, steps: std::ops::Range<usize>, failure: Failure) {
        for step in &mut self.steps[steps] {
            let (first, count) = step.failures;
            let start = self.failures.len() as u32;
            let hard = step.state.is_none() as u32; // the error that breaks the step off stays the last one
            self.failures.extend_from_within(first as usize..(first + count - hard) as usize);
            self.failures.push(failure);
            self.failures.extend_from_within((first + count - hard) as usize..(first + count) as usize);
            step.failures = (start, count + 1);
        }
    }

    /// Tries one edge; true if it was executable. `before`: an edge before it was.
    fn edge(
        &mut self,
        machine: &Machine,
        cx: Context<'_>,
        edge: &EdgeCode,
        before: bool,
        picking: &mut dyn Picking,
    ) -> bool {
        if !is_allowed(cx, edge, before) {
            return false;
        }
        match self.try_edge(machine, cx, edge, before, picking) {
            Ok(found) => found,
            Err(error) => {
                self.broken(cx.pid, edge, error, None);
                true
            }
        }
    }

    fn try_edge(
        &mut self,
        machine: &Machine,
        cx: Context<'_>,
        edge: &EdgeCode,
        before: bool,
        picking: &mut dyn Picking,
    ) -> Result<bool, EvalError> {
        if let SyncCode::Join { action } = edge.sync {
            let starts = machine.vectors.starts(cx.pid, action);
            return Ok(starts && machine.guards_of(cx, edge)? && self.join(machine, cx, edge, action));
        }
        if !machine.guards_of(cx, edge)? {
            return Ok(false);
        }
        machine.check_clock_bounds(cx, &edge.clock_bounds)?;
        match &edge.sync {
            SyncCode::Emit { signal } => return self.emit(machine, cx, edge, signal, before, picking),
            SyncCode::Accept { signal } => return machine.known_signal(cx, signal).map(|_| false),
            SyncCode::None | SyncCode::Send { .. } | SyncCode::Receive { .. } | SyncCode::Join { .. } => {}
        }
        if let Some(program) = edge.program {
            let entry = &machine.programs[program as usize].nodes[0];
            if machine.choose(cx, entry, None, before)?.is_none() {
                return Ok(false);
            }
            return Ok(self.complete(machine, cx, edge, None, before));
        }
        if let SyncCode::Send { channel, fields, .. } = &edge.sync {
            let channel = machine.channel(cx.key, machine.eval(cx, channel)?)?;
            if channel.is_rendezvous() {
                self.message.clear();
                for (at, field) in fields.iter().enumerate() {
                    let value = machine.eval(cx, field)?;
                    if let Some(ty) = channel.decl.fields.get(at) {
                        self.message.push(ty.convert(value).unwrap_or(0));
                    }
                }
                self.message.resize(channel.decl.fields.len(), 0);
                return Ok(self.rendezvous(machine, cx, edge, channel.number, fields.len()));
            }
        }
        if !machine.sync_possible(cx, &edge.sync, None)? {
            return Ok(false);
        }
        Ok(self.complete(machine, cx, edge, None, before))
    }

    /// An executable edge: performs it, once for each of its destinations. False if none of them has a chance.
    fn complete(
        &mut self,
        machine: &Machine,
        cx: Context<'_>,
        edge: &EdgeCode,
        first: Option<&First>,
        before: bool,
    ) -> bool {
        let (choice, found) = (self.choices, self.steps.len());
        self.choices += 1;
        for (index, destination) in edge.destinations.iter().enumerate() {
            let chance = machine.chance(cx, &destination.chance);
            if chance == Ok(0.0) {
                continue;
            }
            let (moves, failures) = (self.moves.len() as u32, self.failures.len() as u32);
            if let Some(first) = first {
                self.moves.extend_from_slice(&first.moves);
                self.failures.extend_from_slice(&first.failures);
            }
            self.moves.push(Move {
                process: cx.pid as u16,
                edge: edge.id,
                destination: index as u16,
                joins: first.is_some(),
            });
            let state = self.pool.copy_of(cx.key);
            let mut scratch = std::mem::take(&mut self.scratch);
            let message = std::mem::take(&mut self.message);
            let pending = first.map(|f| Pending { channel: f.channel, fields: &message });
            let mut effect = Effect {
                key: self.pool.buffer(state),
                pid: cx.pid,
                edge: edge.id,
                timeout: cx.timeout,
                failures: &mut self.failures,
                assertions: 0,
                resets: None,
                stop: Some(&self.stop),
            };
            let result = match &chance {
                Ok(_) => machine.traverse(&mut effect, edge, index, pending, before, &mut scratch),
                Err(error) => Err(*error),
            };
            let ended = effect.key[PROCESS_COUNT] as usize <= cx.pid;
            self.scratch = scratch;
            self.message = message;
            let state = match result {
                Ok(()) => Some(state),
                Err(error) => {
                    self.pool.drop_last();
                    self.failures.push(error.failure(edge.id));
                    None
                }
            };
            self.steps.push(Micro {
                moves: (moves, self.moves.len() as u32 - moves),
                failures: (failures, self.failures.len() as u32 - failures),
                state,
                control: (edge.keeps_control && !ended).then_some(cx.pid as u16),
                weight: first.map_or(edge.weight, |f| f.weight),
                choice,
                probability: chance.unwrap_or(1.0) * first.map_or(1.0, |f| f.probability),
                written: None,
            });
        }
        if self.steps.len() == found && machine.network.has_probabilities() {
            self.broken(cx.pid, edge, EvalError::NoProbability, None);
        }
        self.steps.len() > found
    }

    /// A send over a rendezvous channel with the message in `self.message`: one step for each receiver that takes it (and
    /// each destination of the sender).
    fn rendezvous(&mut self, machine: &Machine, cx: Context<'_>, edge: &EdgeCode, channel: i32, given: usize) -> bool {
        let before = self.steps.len();
        for destination in 0..edge.destinations.len() {
            self.offer(machine, cx, edge, destination, channel, given);
        }
        self.steps.len() > before
    }

    fn offer(
        &mut self,
        machine: &Machine,
        cx: Context<'_>,
        edge: &EdgeCode,
        destination: usize,
        channel: i32,
        given: usize,
    ) {
        let middle = self.pool.copy_of(cx.key);
        let failures = self.failures.len();
        let mut effect = Effect {
            key: self.pool.buffer(middle),
            pid: cx.pid,
            edge: edge.id,
            timeout: cx.timeout,
            failures: &mut self.failures,
            assertions: 0,
            resets: None,
            stop: Some(&self.stop),
        };
        if let Ok(channel) = machine.channel(cx.key, channel) {
            machine.check_width(&mut effect, channel, given);
        }
        let fields = std::mem::take(&mut self.message);
        machine.observe(&mut effect, Direction::Send, channel, fields.len(), |_, i| fields[i]);
        // The sender moves on before the receiver is looked at.
        let sent = machine.arrive(&mut effect, edge, destination);
        self.message = fields;
        let made = Move { process: cx.pid as u16, edge: edge.id, destination: destination as u16, joins: false };
        let first = First {
            moves: [made],
            failures: self.failures.drain(failures..).collect(),
            channel,
            weight: edge.weight,
            probability: edge.destinations[destination].chance.certain(),
        };
        if let Err(error) = sent {
            self.broken(cx.pid, edge, error, None);
            return;
        }
        // The state in the middle is not stored; it is taken out so that it stays readable while steps are added.
        let key = std::mem::take(self.pool.buffer(middle));
        for pid in (0..key[PROCESS_COUNT] as usize).rev().filter(|pid| *pid != cx.pid) {
            self.receivers(machine, machine.context(&key, pid, cx.timeout), &first);
        }
        *self.pool.buffer(middle) = key;
    }

    /// The edges with which a process can take the message under way.
    fn receivers(&mut self, machine: &Machine, cx: Context<'_>, first: &First) {
        let location = machine.location(cx.key, cx.pid);
        let (edges, provided) = match machine.made_instance(cx.key, cx.pid, location) {
            Some(instance) => (&instance.edges, &instance.provided),
            None => (&machine.edges[location], &machine.provided[machine.template_of[location] as usize]),
        };
        if let Some(provided) = provided
            && !machine.truth(cx, provided).unwrap_or(false)
        {
            return;
        }
        let pending = Pending { channel: first.channel, fields: &self.message };
        if machine.network.uses.priorities && machine.is_outranked_in_hearing(cx, pending) {
            return;
        }
        let mut escape = 0;
        for edge in edges {
            if escape > 0 && edge.escape != escape {
                break;
            }
            match machine.can_hear(cx, edge, Pending { channel: first.channel, fields: &self.message }) {
                Ok(true) => {
                    self.complete(machine, cx, edge, Some(first), false);
                    escape = edge.escape;
                }
                Ok(false) => {}
                Err(error) => {
                    self.broken(cx.pid, edge, error, Some(first));
                    escape = edge.escape;
                }
            }
        }
    }

    /// A step that breaks off with an error.
    fn broken(&mut self, pid: usize, edge: &EdgeCode, error: EvalError, first: Option<&First>) {
        let moves = self.moves.len() as u32;
        let failures = self.failures.len() as u32;
        if let Some(first) = first {
            self.moves.extend_from_slice(&first.moves);
            self.failures.extend_from_slice(&first.failures);
        }
        self.moves.push(Move { process: pid as u16, edge: edge.id, destination: 0, joins: first.is_some() });
        self.failures.push(error.failure(edge.id));
        let choice = self.choices;
        self.choices += 1;
        self.steps.push(Micro {
            moves: (moves, self.moves.len() as u32 - moves),
            failures: (failures, self.failures.len() as u32 - failures),
            state: None,
            control: None,
            weight: first.map_or(edge.weight, |f| f.weight),
            choice,
            probability: 1.0,
            written: None,
        });
    }
}

/// Does the condition of an edge on others allow it? `before`: an edge before it was executable.
#[inline]
pub(crate) fn is_allowed(cx: Context<'_>, edge: &EdgeCode, before: bool) -> bool {
    match edge.condition {
        Condition::None => true,
        Condition::Else => !before,
        Condition::Youngest => cx.pid + 1 == cx.key[PROCESS_COUNT] as usize,
    }
}

/// The sender's half of a rendezvous.
struct First {
    moves: [Move; 1],
    failures: Vec<Failure>,
    channel: i32,
    weight: u64,
    probability: f64,
}

impl Machine {
    /// Performs an executable edge: its communication or program, then the actions of a destination.
    fn traverse(
        &self,
        effect: &mut Effect<'_>,
        edge: &EdgeCode,
        destination: usize,
        pending: Option<Pending<'_>>,
        before: bool,
        scratch: &mut Vec<i32>,
    ) -> Result<(), EvalError> {
        match edge.program {
            Some(program) => self.run_program(effect, program, pending, before, scratch)?,
            None => self.communicate(effect, &edge.sync, pending, scratch)?,
        }
        self.arrive(effect, edge, destination)
    }

    pub fn arrive(&self, effect: &mut Effect<'_>, edge: &EdgeCode, destination: usize) -> Result<(), EvalError> {
        let destination = &edge.destinations[destination];
        self.act(effect, &destination.actions)?;
        let slot = self.base(effect.pid) + LOCATION as usize;
        if let Some(location) = effect.key.get_mut(slot) {
            *location = destination.to as i32; // unless the process has ended
        }
        self.note_mover(effect.key, effect.pid);
        Ok(())
    }

    /// Can a process of higher priority make a step?
    pub fn is_outranked(&self, cx: Context<'_>) -> bool {
        let priority = |pid: usize| cx.key[self.base(pid) + PRIORITY as usize];
        (0..cx.key[PROCESS_COUNT] as usize).any(|other| {
            priority(other) > priority(cx.pid)
                && self.is_provided(cx, other).unwrap_or(true)
                && self.can_move(cx, other).unwrap_or(true)
        })
    }

    /// Can a process of higher priority take the message under way?
    fn is_outranked_in_hearing(&self, cx: Context<'_>, pending: Pending<'_>) -> bool {
        let priority = |pid: usize| cx.key[self.base(pid) + PRIORITY as usize];
        (0..cx.key[PROCESS_COUNT] as usize).any(|other| {
            let theirs = Context { pid: other, base: self.base(other), ..cx };
            let mut edges = self.edges[self.location(cx.key, other)].iter();
            priority(other) > priority(cx.pid)
                && self.is_provided(cx, other).unwrap_or(true)
                && edges.any(|edge| self.can_hear(theirs, edge, pending).unwrap_or(true))
        })
    }

    /// Can an edge take the message under way?
    fn can_hear(&self, cx: Context<'_>, edge: &EdgeCode, pending: Pending<'_>) -> Result<bool, EvalError> {
        if edge.condition != Condition::None {
            return Ok(false);
        }
        match edge.program {
            Some(program) => {
                let entry = &self.programs[program as usize].nodes[0];
                Ok(self.choose(cx, entry, Some(pending), false)?.is_some())
            }
            None => self.is_possible(cx, &edge.guards, &edge.sync, Some(pending)),
        }
    }

    /// Must there be no choice at this location?
    fn is_deterministic(&self, location: usize) -> bool {
        self.network.templates[self.template_of[location] as usize].deterministic
    }

    /// Do the guards of an edge hold?
    #[inline]
    pub(crate) fn guards_of(&self, cx: Context<'_>, edge: &EdgeCode) -> Result<bool, EvalError> {
        if edge.plain_guards
            && let Some(truth) = plain_truth(cx.key, &edge.guards)
        {
            return Ok(truth);
        }
        self.guards_hold(cx, &edge.guards)
    }

    pub(crate) fn is_provided(&self, cx: Context<'_>, pid: usize) -> Result<bool, EvalError> {
        match &self.provided[self.template_of[self.location(cx.key, pid)] as usize] {
            Some(clause) => self.truth(self.context(cx.key, pid, cx.timeout), clause),
            None => Ok(true),
        }
    }

    /// Can a process make a step of its own (or take part in a rendezvous as the sender)?
    pub fn can_move(&self, cx: Context<'_>, pid: usize) -> Result<bool, EvalError> {
        let cx = Context { pid, base: self.base(pid), ..cx };
        for edge in &self.edges[self.location(cx.key, pid)] {
            match self.is_executable(cx, edge) {
                Ok(false) => {}
                Err(EvalError::EnabledCycle) => return Err(EvalError::EnabledCycle),
                Ok(true) | Err(_) => return Ok(true), // an attempt that fails is a step, too
            }
        }
        Ok(false)
    }

    /// Is an edge executable if partners are not asked for, and none before it was?
    fn is_executable(&self, cx: Context<'_>, edge: &EdgeCode) -> Result<bool, EvalError> {
        let youngest = cx.pid + 1 == cx.key[PROCESS_COUNT] as usize;
        if (edge.condition == Condition::Youngest && !youngest) || !self.guards_hold(cx, &edge.guards)? {
            return Ok(false);
        }
        match (&edge.sync, edge.program) {
            (SyncCode::Emit { signal }, _) => {
                self.known_signal(cx, signal)?;
                Ok(self.entry(cx, edge, false)?.is_some())
            }
            (SyncCode::Accept { .. }, _) => Ok(false),
            (SyncCode::Join { action }, _) => Ok(self.vectors.starts(cx.pid, *action)),
            (_, Some(program)) => {
                Ok(self.choose(cx, &self.programs[program as usize].nodes[0], None, false)?.is_some())
            }
            (sync, None) => self.sync_possible(cx, sync, None),
        }
    }
}
