//! What edges do to a state: messages, actions, programs.

use bughound_ir::edge::{Condition, EdgeId};
use bughound_ir::expr::Expr;
use bughound_ir::frames::{FIRST_LOCAL, LAST_PROCESS, LOCATION, PRIORITY, PROCESS_COUNT};
use bughound_ir::monitor::{Direction, Observation};
use bughound_ir::network::LocationId;
use bughound_ir::pricing::Hint;
use bughound_ir::reference::error::EvalError;
use bughound_ir::types::is_clock_constant;
use bughound_kernel::{Failure, FailureKind, Price, StopSignal};

use crate::code::{self, ActionCode, AlternativeCode, Code, InitialiserCode, PatternCode, SyncCode};
use crate::machine::{ChannelAt, Context, Machine};
use crate::runaway::RunawayWatch;

/// A message under way over a rendezvous channel.
#[derive(Clone, Copy)]
pub struct Pending<'a> {
    pub channel: i32,
    pub fields: &'a [i32],
}

/// The effect of one move under construction: a state that is being changed, and the failures met so far.
pub struct Effect<'w> {
    pub key: &'w mut Vec<i32>,
    pub pid: usize,
    pub edge: u32,
    pub timeout: bool,
    pub failures: &'w mut Vec<Failure>,
    pub assertions: u32,
    /// Clocks that are set, with their values: noted if somebody wants to know.
    pub resets: Option<&'w mut Vec<(u32, i32)>>,
    /// A long program breaks off, with whatever error, when this is raised.
    pub stop: Option<&'w StopSignal>,
}

impl Effect<'_> {
    fn soft(&mut self, error: EvalError) {
        self.failures.push(error.failure(self.edge));
    }
}

impl Machine {
    fn here<'a>(&self, effect: &'a Effect<'_>) -> Context<'a> {
        self.context(effect.key, effect.pid, effect.timeout)
    }

    /// Hidden variables keep their values only while somebody has control. What they say about prices is handed out.
    pub fn forget_hidden(&self, key: &mut [i32]) -> Price {
        let price = match &self.network.pricing {
            None => Price::NONE,
            Some(pricing) => {
                let hint = |hint: Option<Hint>| hint.map_or(0, |hint| key[hint.slot as usize]);
                Price {
                    paid: key[pricing.impulse as usize].unsigned_abs().into(),
                    remaining: hint(pricing.remaining),
                    heur: hint(pricing.heur),
                }
            }
        };
        for slot in &self.hidden {
            key[*slot] = 0;
        }
        price
    }

    /// Makes the initial state.
    pub fn initial(&self, key: &mut Vec<i32>) -> Result<(), EvalError> {
        key.clear();
        key.resize(self.network.frames.globals as usize, 0);
        if let Some(monitor) = &self.network.monitor {
            key[monitor.slot as usize] = monitor.initial as i32;
        }
        for initialiser in &self.initialisers {
            match initialiser {
                // A channel is numbered by its place in the list of global channels.
                InitialiserCode::Channel { slot, index } => key[*slot as usize] = *index as i32 + 1,
                InitialiserCode::Assign(ActionCode::Assign { target, value }) => {
                    let cx = self.outside(key);
                    let value = self.eval(cx, value)?;
                    if let Some(slot) = self.slot(cx, target)? {
                        Machine::store(key, slot, target.ty, value)?;
                    }
                }
                InitialiserCode::Assign(_) => {}
            }
        }
        for start in &self.network.start {
            self.create(key, start.template.0, start.priority as i32, &start.arguments)?;
        }
        self.forget_hidden(key);
        Ok(())
    }

    /// Creates a process; returns its number.
    fn create(&self, key: &mut Vec<i32>, template: u32, priority: i32, arguments: &[i32]) -> Result<usize, EvalError> {
        let pid = key[PROCESS_COUNT] as usize;
        let Some(frame) = self.network.frames.processes.get(pid) else { return Err(EvalError::TooManyProcesses) };
        if !frame.templates.iter().any(|t| t.0 == template) {
            return Err(EvalError::TooManyProcesses); // no place was foreseen: only where numbers run out
        }
        let base = frame.base as usize;
        key.resize(base + frame.len as usize, 0);
        key[PROCESS_COUNT] += 1;
        let definition = &self.network.templates[template as usize];
        key[base + LOCATION as usize] = definition.initial.0 as i32;
        if self.network.uses.priorities {
            key[base + PRIORITY as usize] = priority;
        }
        let types = definition.variables.iter().flat_map(|v| std::iter::repeat_n(v.ty, elements(v)));
        for (at, (argument, ty)) in arguments.iter().zip(types).enumerate() {
            Machine::store(key, base + FIRST_LOCAL as usize + at, ty, *argument)?;
        }
        for initialiser in &self.template_initialisers[template as usize] {
            match initialiser {
                InitialiserCode::Channel { slot, index } => {
                    key[base + *slot as usize] = (frame.first_channel + index) as i32;
                }
                InitialiserCode::Assign(ActionCode::Assign { target, value }) => {
                    let cx = Context { key, pid, base, timeout: false, asking: None };
                    let value = self.eval(cx, value)?;
                    if let Some(slot) = self.slot(cx, target)? {
                        Machine::store(key, slot, target.ty, value)?;
                    }
                }
                InitialiserCode::Assign(_) => {}
            }
        }
        Ok(pid)
    }

    /// Puts a message into a buffered channel, which must not be full. `fields` as given by the sender.
    pub fn put(&self, effect: &mut Effect<'_>, channel: ChannelAt<'_>, sorted: bool, fields: &[i32]) {
        self.check_width(effect, channel, fields.len());
        let len = effect.key[channel.at] as usize;
        let mut at = len;
        if sorted {
            // The values are compared as the sender gave them, before they are cut to the width of the fields.
            let larger = |i: &usize| {
                let stored = &effect.key[channel.message(*i)];
                let mut given = fields.iter().copied().chain(std::iter::repeat(0)).zip(stored);
                given.find(|(a, b)| a != *b).is_some_and(|(a, b)| a < *b)
            };
            at = (0..len).find(larger).unwrap_or(len);
            for i in (at..len).rev() {
                let from = channel.message(i);
                effect.key.copy_within(from, channel.message(i + 1).start);
            }
        }
        let cells = channel.message(at);
        for (field, cell) in cells.enumerate() {
            let value = fields.get(field).copied().unwrap_or(0);
            effect.key[cell] = channel.decl.fields[field].convert(value).unwrap_or(0);
        }
        effect.key[channel.at] += 1;
        if self.network.monitor.is_some() {
            let cells = channel.message(at);
            self.observe(effect, Direction::Send, channel.number, cells.len(), |key, i| key[cells.start + i]);
        }
    }

    fn is_full(&self, key: &[i32], channel: ChannelAt<'_>) -> bool {
        channel.len(key) >= channel.decl.capacity as usize
    }

    /// Shows a message to the monitor, if there is one that looks at its channel. `field` reads the message.
    pub fn observe(
        &self,
        effect: &mut Effect<'_>,
        direction: Direction,
        channel: i32,
        fields: usize,
        field: impl Fn(&[i32], usize) -> i32,
    ) {
        let Some(monitor) = &self.network.monitor else { return };
        let slot = monitor.slot as usize;
        let message: Vec<i32> = (0..fields).map(|i| field(effect.key, i)).collect();
        let value = |e: &Expr| self.eval(self.outside(effect.key), &code::expr(e)).ok();
        if !monitor.watches(direction, channel, &value) {
            return;
        }
        match monitor.observe(effect.key[slot] as u32, direction, channel, &message, &value) {
            Observation::Moved(to) => effect.key[slot] = to as i32,
            Observation::Unexpected => effect.soft(EvalError::UnexpectedEvent),
            Observation::Completed => {
                effect.key[slot] = monitor.end as i32;
                effect.soft(EvalError::EventsMatched);
            }
        }
    }

    /// Reports a message with too few or too many fields.
    pub fn check_width(&self, effect: &mut Effect<'_>, channel: ChannelAt<'_>, given: usize) {
        match given.cmp(&channel.decl.fields.len()) {
            std::cmp::Ordering::Less => effect.soft(EvalError::TooFewFields),
            std::cmp::Ordering::Greater => effect.soft(EvalError::TooManyFields),
            std::cmp::Ordering::Equal => {}
        }
    }

    fn take(&self, key: &mut [i32], channel: ChannelAt<'_>, index: usize) {
        let len = key[channel.at] as usize;
        let behind = channel.message(index + 1).start..channel.message(len).start;
        key.copy_within(behind, channel.message(index).start);
        key[channel.message(len - 1)].fill(0);
        key[channel.at] -= 1;
    }

    /// Stores the fields of a message where the patterns say.
    pub fn bind(&self, effect: &mut Effect<'_>, message: &[i32], patterns: &[PatternCode]) -> Result<(), EvalError> {
        for (pattern, field) in patterns.iter().zip(message) {
            if let PatternCode::Bind(place) = pattern
                && let Some(slot) = self.slot(self.here(effect), place)?
            {
                Machine::store(effect.key, slot, place.ty, *field)?;
            }
        }
        if patterns.len() < message.len() {
            effect.soft(EvalError::MissingPatterns);
        }
        Ok(())
    }

    /// Can this communication happen without a partner? Rendezvous: only a receive with the message under way can.
    pub fn sync_possible(
        &self,
        cx: Context<'_>,
        sync: &SyncCode,
        pending: Option<Pending<'_>>,
    ) -> Result<bool, EvalError> {
        match sync {
            SyncCode::None => Ok(pending.is_none()),
            SyncCode::Send { channel, .. } => {
                if pending.is_some() {
                    return Ok(false);
                }
                let channel = self.channel(cx.key, self.eval(cx, channel)?)?;
                Ok(channel.is_rendezvous() || !self.is_full(cx.key, channel) || self.network.uses.lossy_sends)
            }
            SyncCode::Receive { channel, anywhere, keep, patterns } => {
                let channel = match self.eval(cx, channel).and_then(|number| self.channel(cx.key, number)) {
                    Ok(channel) => channel,
                    Err(_) if pending.is_some() => return Ok(false), // no partner; its own attempt reports the error
                    Err(error) => return Err(error),
                };
                if *keep && channel.is_rendezvous() {
                    return Err(EvalError::PollRendezvous);
                }
                match pending {
                    Some(message) if channel.is_rendezvous() && channel.number == message.channel => {
                        self.matches(cx, message.fields, patterns)
                    }
                    Some(_) => Ok(false),
                    None if channel.is_rendezvous() => Ok(false),
                    None => Ok(self.find_message(cx, channel, *anywhere, patterns)?.is_some()),
                }
            }
            SyncCode::Emit { .. } | SyncCode::Accept { .. } | SyncCode::Join { .. } => Ok(false),
        }
    }

    /// Does the edge of this process receive, and is no message there that it could take?
    pub fn finds_no_message(&self, cx: Context<'_>, from: LocationId, edge: EdgeId) -> bool {
        let edge = self.edges[from.0 as usize].iter().find(|code| code.id == edge.0);
        edge.is_some_and(|edge| {
            matches!(edge.sync, SyncCode::Receive { .. }) && self.sync_possible(cx, &edge.sync, None) == Ok(false)
        })
    }

    /// Performs a communication that [`Machine::sync_possible`] allowed. `scratch` holds the message.
    pub fn communicate(
        &self,
        effect: &mut Effect<'_>,
        sync: &SyncCode,
        pending: Option<Pending<'_>>,
        scratch: &mut Vec<i32>,
    ) -> Result<(), EvalError> {
        match sync {
            SyncCode::None | SyncCode::Emit { .. } | SyncCode::Accept { .. } | SyncCode::Join { .. } => Ok(()),
            SyncCode::Send { channel, sorted, fields } => {
                let cx = self.here(effect);
                let number = self.eval(cx, channel)?;
                let channel = self.channel(effect.key, number)?;
                if channel.is_rendezvous() {
                    // What the message lacks is wrong before that nobody can take it.
                    for field in fields {
                        self.eval(cx, field)?;
                    }
                    return Err(EvalError::RendezvousInProgram);
                }
                if self.is_full(effect.key, channel) {
                    return Ok(()); // the message is lost, and nobody looks at it
                }
                scratch.clear();
                for field in fields {
                    scratch.push(self.eval(cx, field)?);
                }
                self.put(effect, channel, *sorted, scratch);
                Ok(())
            }
            SyncCode::Receive { channel, anywhere, keep, patterns } => {
                if let Some(message) = pending {
                    self.bind(effect, message.fields, patterns)?;
                    let fields = message.fields;
                    self.observe(effect, Direction::Receive, message.channel, fields.len(), |_, i| fields[i]);
                    return Ok(());
                }
                let cx = self.here(effect);
                let number = self.eval(cx, channel)?;
                let channel = self.channel(effect.key, number)?;
                let Some(index) = self.find_message(cx, channel, *anywhere, patterns)? else { return Ok(()) };
                scratch.clear();
                scratch.extend_from_slice(&effect.key[channel.message(index)]);
                self.bind(effect, scratch, patterns)?;
                if !*keep {
                    self.take(effect.key, channel, index);
                    let fields = &*scratch;
                    self.observe(effect, Direction::Receive, number, fields.len(), |_, i| fields[i]);
                }
                Ok(())
            }
        }
    }

    /// Performs actions in order.
    pub fn act(&self, effect: &mut Effect<'_>, actions: &[ActionCode]) -> Result<(), EvalError> {
        for action in actions {
            let cx = self.here(effect);
            match action {
                ActionCode::Assign { target, value } => {
                    let value = self.eval(cx, value)?;
                    match self.slot(cx, target)? {
                        Some(slot) => Machine::store(effect.key, slot, target.ty, value)?,
                        None => return Err(EvalError::NoSuchProcess),
                    }
                }
                ActionCode::Together(assignments) => {
                    let mut values = Vec::with_capacity(assignments.len());
                    for (target, value) in assignments {
                        let slot = self.slot(cx, target)?.ok_or(EvalError::NoSuchProcess)?;
                        values.push((slot, target.ty, self.eval(cx, value)?));
                    }
                    for (slot, ty, value) in values {
                        Machine::store(effect.key, slot, ty, value)?;
                    }
                }
                ActionCode::Assert(condition) => {
                    if !self.truth(cx, condition)? {
                        let failure =
                            Failure { kind: FailureKind::Assertion, edge: effect.edge, code: effect.assertions };
                        effect.failures.push(failure);
                    }
                    effect.assertions += 1;
                }
                ActionCode::Print(arguments) => {
                    for argument in arguments {
                        self.eval(cx, argument)?;
                    }
                }
                ActionCode::Run { template, arguments, priority, result } => {
                    self.run(effect, *template, arguments, priority.as_ref(), result.as_ref())?;
                }
                ActionCode::End => {
                    if effect.pid + 1 != effect.key[PROCESS_COUNT] as usize {
                        return Err(EvalError::EndBeforeYounger);
                    }
                    let base = self.base(effect.pid);
                    effect.key.truncate(base);
                    effect.key[PROCESS_COUNT] -= 1;
                }
                ActionCode::SetPriority { pid, priority } => self.set_priority(effect, pid, priority)?,
                ActionCode::ResetClock { clock, value } => {
                    let value = self.eval(cx, value)?;
                    if value < 0 {
                        return Err(EvalError::OutOfRange);
                    }
                    if !is_clock_constant(value.into()) {
                        return Err(EvalError::ClockOutOfRange);
                    }
                    if let Some(resets) = &mut effect.resets {
                        resets.push((*clock, value));
                    }
                }
            }
        }
        Ok(())
    }

    fn run(
        &self,
        effect: &mut Effect<'_>,
        template: u32,
        arguments: &[Code],
        priority: Option<&Code>,
        result: Option<&crate::code::PlaceCode>,
    ) -> Result<(), EvalError> {
        let cx = self.here(effect);
        let mut values = [0; 16];
        let mut many = Vec::new();
        let values = if arguments.len() <= values.len() {
            &mut values[..arguments.len()]
        } else {
            many.resize(arguments.len(), 0);
            &mut many[..]
        };
        for (value, argument) in values.iter_mut().zip(arguments) {
            *value = self.eval(cx, argument)?;
        }
        let priority = match priority {
            Some(p) => self.eval(cx, p)?,
            None => 1,
        };
        let slot = match result {
            Some(place) => self.slot(cx, place)?,
            None => None,
        };
        let pid = self.create(effect.key, template, priority, values)?;
        if let (Some(slot), Some(place)) = (slot, result) {
            Machine::store(effect.key, slot, place.ty, pid as i32)?;
        }
        Ok(())
    }

    fn set_priority(&self, effect: &mut Effect<'_>, pid: &Code, priority: &Code) -> Result<(), EvalError> {
        let cx = self.here(effect);
        let pid = self.eval(cx, pid)?;
        let priority = self.eval(cx, priority)?;
        if pid < 0 || pid >= effect.key[PROCESS_COUNT] {
            return Ok(());
        }
        if !(1..=255).contains(&priority) {
            return Err(EvalError::PriorityOutOfRange);
        }
        if !self.network.uses.priorities {
            return Ok(());
        }
        let slot = self.base(pid as usize) + PRIORITY as usize;
        effect.key[slot] = priority;
        Ok(())
    }

    /// The first executable alternative of a program node. `before`: something before it was executable.
    pub fn choose<'p>(
        &self,
        cx: Context<'_>,
        alternatives: &'p [AlternativeCode],
        pending: Option<Pending<'_>>,
        before: bool,
    ) -> Result<Option<&'p AlternativeCode>, EvalError> {
        for alternative in alternatives {
            let allowed = match alternative.condition {
                Condition::None => true,
                Condition::Else => !before && pending.is_none(),
                Condition::Youngest => false,
            };
            if allowed && self.is_possible(cx, &alternative.guards, &alternative.sync, pending)? {
                return Ok(Some(alternative));
            }
        }
        Ok(None)
    }

    /// Guards and communication. While a rendezvous is under way, nothing of an edge is evaluated but whether it receives
    /// that message, unless it does: an error in another edge's guard is that edge's own.
    pub fn is_possible(
        &self,
        cx: Context<'_>,
        guards: &[Code],
        sync: &SyncCode,
        pending: Option<Pending<'_>>,
    ) -> Result<bool, EvalError> {
        if pending.is_some() {
            return Ok(self.sync_possible(cx, sync, pending)? && self.guards_hold(cx, guards)?);
        }
        Ok(self.guards_hold(cx, guards)? && self.sync_possible(cx, sync, None)?)
    }

    pub fn guards_hold(&self, cx: Context<'_>, guards: &[Code]) -> Result<bool, EvalError> {
        for guard in guards {
            if !self.truth(cx, guard)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Runs a program whose entry is executable.
    pub fn run_program(
        &self,
        effect: &mut Effect<'_>,
        program: u32,
        pending: Option<Pending<'_>>,
        before: bool,
        scratch: &mut Vec<i32>,
    ) -> Result<(), EvalError> {
        let entry = &self.programs[program as usize].nodes[0];
        let chosen = self.choose(self.here(effect), entry, pending, before)?;
        self.run_from(effect, program, chosen.ok_or(EvalError::BlockedInProgram)?, pending, scratch)
    }

    /// Runs a program from an alternative of its entry on.
    pub fn run_from(
        &self,
        effect: &mut Effect<'_>,
        program: u32,
        entry: &AlternativeCode,
        mut pending: Option<Pending<'_>>,
        scratch: &mut Vec<i32>,
    ) -> Result<(), EvalError> {
        let nodes = &self.programs[program as usize].nodes;
        let mut alternative = entry;
        let mut watch = RunawayWatch::default();
        loop {
            self.communicate(effect, &alternative.sync, pending.take(), scratch)?;
            self.act(effect, &alternative.actions)?;
            let Some(next) = alternative.next else { return Ok(()) };
            watch.arrive(next, effect.key, effect.stop)?;
            let chosen = self.choose(self.here(effect), &nodes[next as usize], None, false)?;
            alternative = chosen.ok_or(EvalError::BlockedInProgram)?;
        }
    }

    /// Notes who moved, if the model looks at it.
    pub fn note_mover(&self, key: &mut [i32], pid: usize) {
        if self.network.uses.last_process {
            key[LAST_PROCESS] = pid as i32;
        }
    }
}

fn elements(variable: &bughound_ir::types::Variable) -> usize {
    variable.dims.iter().map(|d| d.len as usize).product()
}
