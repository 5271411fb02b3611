//! Questions about single states, for heuristics: values of expressions, locations, channels, who can move.
//!
//! A [`Probe`] belongs to one system and has working memory of its own; once that has grown, no question allocates.
//! Expressions are [compiled](Probe::compile) once and evaluated many times. An expression without a value (a division
//! by zero, an index out of range, a dead channel) answers `None`.

use bughound_ir::edge::Condition;
use bughound_ir::expr::Expr;
use bughound_ir::frames::PROCESS_COUNT;
use bughound_ir::network::{LocationId, TemplateId};
use bughound_kernel::Failure;

use crate::code::{self, Code, EdgeCode, SyncCode};
use crate::discrete::DiscreteSystem;
use crate::machine::{ChannelAt, Context, Machine};
use crate::micro::Finder;
use crate::perform::{Effect, Pending};
use crate::signals::{Anything, OneWay};

/// An expression ready to be evaluated.
#[derive(Clone, Debug)]
pub struct Compiled(Code);

/// Who evaluates an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Viewpoint {
    /// The process whose variables are meant, which must exist; `None` outside of all processes.
    pub pid: Option<usize>,
    /// The value of `timeout`.
    pub timeout: bool,
}

impl Viewpoint {
    pub const OUTSIDE: Viewpoint = Viewpoint { pid: None, timeout: false };

    pub fn process(pid: usize) -> Viewpoint {
        Viewpoint { pid: Some(pid), timeout: false }
    }
}

pub struct Probe<'s> {
    machine: &'s Machine,
    /// By location: can a process start a rendezvous here?
    may_offer: Vec<bool>,
    /// By location: can a process take part in one that another starts?
    may_take: Vec<bool>,
    /// Models with signals are asked for their steps: there are rules for teams, broadcasts and committed locations.
    finder: Option<Finder>,
    active: Vec<bool>,
    middle: Vec<i32>,
    message: Vec<i32>,
    failures: Vec<Failure>,
}

impl<'s> Probe<'s> {
    pub fn new(system: &'s DiscreteSystem) -> Probe<'s> {
        let machine = system.machine();
        let network = &machine.network;
        let mut channels = network.channels.iter().chain(network.templates.iter().flat_map(|t| &t.channels));
        let meets = channels.any(|c| c.capacity == 0);
        let any = |test: &dyn Fn(&EdgeCode) -> bool| -> Vec<bool> {
            machine.edges.iter().map(|edges| meets && edges.iter().any(test)).collect()
        };
        Probe {
            machine,
            may_offer: any(&|e| matches!(e.sync, SyncCode::Send { .. })),
            may_take: any(&|e| e.program.is_some() || matches!(e.sync, SyncCode::Receive { .. })),
            finder: (!network.signals.is_empty()).then(Finder::default),
            active: Vec::new(),
            middle: Vec::new(),
            message: Vec::new(),
            failures: Vec::new(),
        }
    }

    pub fn compile(&self, expr: &Expr) -> Compiled {
        Compiled(code::expr(expr))
    }

    /// The value of an expression in a state.
    #[inline]
    pub fn value(&self, key: &[i32], from: Viewpoint, expr: &Compiled) -> Option<i32> {
        let cx = match from.pid {
            Some(pid) => self.machine.context(key, pid, from.timeout),
            None => Context { timeout: from.timeout, ..self.machine.outside(key) },
        };
        self.machine.eval(cx, &expr.0).ok()
    }

    #[inline]
    pub fn truth(&self, key: &[i32], from: Viewpoint, expr: &Compiled) -> Option<bool> {
        self.value(key, from, expr).map(|value| value != 0)
    }

    /// Number of processes that exist.
    #[inline]
    pub fn process_count(&self, key: &[i32]) -> usize {
        key[PROCESS_COUNT] as usize
    }

    #[inline]
    pub fn exists(&self, key: &[i32], pid: usize) -> bool {
        pid < self.process_count(key)
    }

    /// Where a process is; `None` if it does not exist.
    #[inline]
    pub fn location(&self, key: &[i32], pid: usize) -> Option<LocationId> {
        self.exists(key, pid).then(|| LocationId(self.machine.location(key, pid) as u32))
    }

    /// The template of a process; `None` if it does not exist.
    pub fn template(&self, key: &[i32], pid: usize) -> Option<TemplateId> {
        self.location(key, pid).map(|location| TemplateId(self.machine.template_of[location.0 as usize]))
    }

    fn channel(&self, key: &[i32], number: i32) -> Option<ChannelAt<'_>> {
        self.machine.channel(key, number).ok()
    }

    /// Number of messages in a channel; `None` if there is no such channel.
    pub fn channel_len(&self, key: &[i32], number: i32) -> Option<usize> {
        self.channel(key, number).map(|channel| channel.len(key))
    }

    /// 0 for a rendezvous channel.
    pub fn channel_capacity(&self, key: &[i32], number: i32) -> Option<usize> {
        self.channel(key, number).map(|channel| channel.decl.capacity as usize)
    }

    /// The fields of the message at an index, the oldest being 0.
    pub fn message<'k>(&self, key: &'k [i32], number: i32, index: usize) -> Option<&'k [i32]> {
        let channel = self.channel(key, number)?;
        (index < channel.len(key)).then(|| &key[channel.message(index)])
    }

    /// Can this process take part in a step now, as the one who acts or as a partner? An attempt that fails is a step.
    /// As dear as [`Probe::active`].
    pub fn is_active(&mut self, key: &[i32], pid: usize) -> bool {
        self.active(key).get(pid).copied().unwrap_or(false)
    }

    /// For every process that exists: can it take part in a step now? `timeout` is true only if nobody can without.
    pub fn active(&mut self, key: &[i32]) -> &[bool] {
        let count = self.process_count(key);
        self.active.clear();
        self.active.resize(count, false);
        if self.finder.is_some() {
            self.ask_finder(key);
            return &self.active;
        }
        self.mark_all(key, false);
        if self.machine.network.uses.timeout && !self.active.contains(&true) {
            self.mark_all(key, true);
        }
        &self.active
    }

    fn ask_finder(&mut self, key: &[i32]) {
        let Some(finder) = &mut self.finder else { return };
        finder.reset();
        match self.machine.conditions.is_empty() {
            true => finder.all(self.machine, key, &mut OneWay::default()),
            // What edges do decides whether they can be taken.
            false => finder.all(self.machine, key, &mut Anything),
        }
        for step in &finder.steps {
            for made in &finder.moves[step.moves.0 as usize..(step.moves.0 + step.moves.1) as usize] {
                if let Some(active) = self.active.get_mut(made.process as usize) {
                    *active = true;
                }
            }
        }
    }

    fn mark_all(&mut self, key: &[i32], timeout: bool) {
        for pid in 0..self.active.len() {
            self.mark(key, pid, timeout);
        }
    }

    /// Marks a process that can start a step, and its partners. The order and the rules are those of the search for
    /// micro steps.
    fn mark(&mut self, key: &[i32], pid: usize, timeout: bool) {
        let machine = self.machine;
        let cx = machine.context(key, pid, timeout);
        let location = machine.location(key, pid);
        let offers = self.may_offer[location];
        if self.active[pid] && !offers {
            return;
        }
        if let Some(provided) = &machine.provided[machine.template_of[location] as usize] {
            match machine.truth(cx, provided) {
                Ok(true) => {}
                Ok(false) => return,
                Err(_) => {
                    self.active[pid] |= !machine.edges[location].is_empty();
                    return;
                }
            }
        }
        if machine.network.uses.priorities && machine.is_outranked(cx) {
            return;
        }
        let mut executable = false;
        let mut escape = 0;
        for edge in &machine.edges[location] {
            if escape > 0 && edge.escape != escape {
                break;
            }
            if self.can_start(cx, edge, executable) {
                self.active[pid] = true;
                if !offers {
                    return; // its other edges concern nobody else
                }
                executable = true;
                escape = edge.escape;
            }
        }
    }

    /// Is an edge executable? `before`: one before it was. Errors count: they are steps that fail.
    fn can_start(&mut self, cx: Context<'_>, edge: &EdgeCode, before: bool) -> bool {
        let machine = self.machine;
        let allowed = match edge.condition {
            Condition::None => true,
            Condition::Else => !before,
            Condition::Youngest => cx.pid + 1 == cx.key[PROCESS_COUNT] as usize,
        };
        if !allowed || !machine.guards_hold(cx, &edge.guards).unwrap_or(true) {
            return false;
        }
        if let Some(program) = edge.program {
            let entry = &machine.programs[program as usize].nodes[0];
            return machine.choose(cx, entry, None, before).map_or(true, |chosen| chosen.is_some());
        }
        if let SyncCode::Send { channel, fields, .. } = &edge.sync
            && self.may_offer[machine.location(cx.key, cx.pid)]
        {
            let Ok(channel) = machine.eval(cx, channel).and_then(|number| machine.channel(cx.key, number)) else {
                return true;
            };
            if channel.is_rendezvous() {
                self.message.clear();
                self.message.resize(channel.decl.fields.len(), 0);
                for (at, field) in fields.iter().enumerate() {
                    let Ok(value) = machine.eval(cx, field) else { return true };
                    if let Some(ty) = channel.decl.fields.get(at) {
                        self.message[at] = ty.convert(value).unwrap_or(0);
                    }
                }
                let mut found = false;
                for destination in 0..edge.destinations.len() {
                    found |= self.offer(cx, edge, destination, channel.number);
                }
                return found;
            }
        }
        machine.sync_possible(cx, &edge.sync, None).unwrap_or(true)
    }

    /// Marks those who can take the message under way. The sender moves on before they are looked at.
    fn offer(&mut self, cx: Context<'_>, edge: &EdgeCode, destination: usize, channel: i32) -> bool {
        let machine = self.machine;
        self.middle.clear();
        self.middle.extend_from_slice(cx.key);
        self.failures.clear();
        let mut effect = Effect {
            key: &mut self.middle,
            pid: cx.pid,
            edge: edge.id,
            timeout: cx.timeout,
            failures: &mut self.failures,
            assertions: 0,
            resets: None,
            stop: None,
        };
        if machine.arrive(&mut effect, edge, destination).is_err() {
            return true;
        }
        let pending = Pending { channel, fields: &self.message };
        let mut found = false;
        for pid in (0..self.middle[PROCESS_COUNT] as usize).filter(|pid| *pid != cx.pid) {
            if self.may_take[machine.location(&self.middle, pid)]
                && takes(machine, machine.context(&self.middle, pid, cx.timeout), pending)
            {
                found = true;
                if let Some(active) = self.active.get_mut(pid) {
                    *active = true;
                }
            }
        }
        found
    }
}

/// Has a process an edge that takes the message, or fails when it tries?
fn takes(machine: &Machine, cx: Context<'_>, pending: Pending<'_>) -> bool {
    let location = machine.location(cx.key, cx.pid);
    if let Some(provided) = &machine.provided[machine.template_of[location] as usize]
        && !machine.truth(cx, provided).unwrap_or(false)
    {
        return false;
    }
    machine.edges[location].iter().filter(|edge| edge.condition == Condition::None).any(|edge| {
        let possible = match edge.program {
            Some(program) => {
                let entry = &machine.programs[program as usize].nodes[0];
                machine.choose(cx, entry, Some(pending), false).map(|chosen| chosen.is_some())
            }
            None => machine.is_possible(cx, &edge.guards, &edge.sync, Some(pending)),
        };
        possible.unwrap_or(true)
    })
}
