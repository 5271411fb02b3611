//! Effects: what a move does to the state.

use bughound_kernel::{Failure, FailureKind};

use crate::edge::{Action, EdgeId, ProgramId};
use crate::expr::{Expr, Pattern, Place};
use crate::monitor::{Direction, Observation};
use crate::network::{Initialiser, Network, TemplateId};
use crate::reference::error::{EvalError, FailureInfo};
use crate::reference::evaluate::{Cell, View};
use crate::reference::plan::{Communication, Plan, Role, choose};
use crate::reference::print::{describe_reads, format, name_of, type_of};
use crate::reference::state::{Process, Queue, RefState};
use crate::types::{ClockId, is_clock_constant};

/// A program that has taken so many alternatives is taken to run for ever.
pub const LONGEST_PROGRAM: u64 = 3_000_000;
/// After so many alternatives, and whenever their number has doubled, a program's node and state are noted. A program is
/// deterministic: if it comes back to what was noted, it runs for ever.
pub const FIRST_NOTE: u64 = 1024;

/// A state under change, and what came out of the moves so far.
#[derive(Clone)]
pub(crate) struct Performer<'a> {
    pub network: &'a Network,
    pub state: RefState,
    pub timeout: bool,
    pub failures: Vec<FailureInfo>,
    pub printed: Vec<String>,
    pub resets: Vec<(ClockId, i32)>,
    /// Who has paid what.
    pub payments: Vec<(usize, u64)>,
    /// The process that moves and its edge; `None` while the initial state is made.
    moving: Option<(usize, EdgeId)>,
    own: Option<usize>,
    /// Assertions executed by the move under way.
    assertions: u32,
    /// The moving process has vanished.
    ended: bool,
    /// What was to be stored where it does not fit.
    misfit: Option<String>,
}

impl<'a> Performer<'a> {
    pub fn new(network: &'a Network, state: RefState, timeout: bool) -> Self {
        Performer {
            network,
            state,
            timeout,
            failures: Vec::new(),
            printed: Vec::new(),
            resets: Vec::new(),
            payments: Vec::new(),
            moving: None,
            own: None,
            assertions: 0,
            ended: false,
            misfit: None,
        }
    }

    pub fn view(&self) -> View<'_> {
        View::new(self.network, &self.state, self.own, self.timeout)
    }

    /// Makes a move: the communication, the program, the actions, and last the change of location. Until then the
    /// process is where it was, for everybody who looks.
    pub fn make_move(
        &mut self,
        pid: usize,
        edge: EdgeId,
        destination: usize,
        plan: &Plan<'_>,
    ) -> Result<(), FailureInfo> {
        self.begin(pid, edge);
        self.move_parts(edge, destination, plan).map_err(|error| self.failed(error))?;
        if !self.ended {
            self.state.processes[pid].location = self.network.edge(edge).destinations[destination].to;
        }
        if self.network.uses.last_process {
            self.state.last = pid as i32;
        }
        self.state.control = (self.network.edge(edge).keeps_control && !self.ended).then_some(pid);
        Ok(())
    }

    /// From now on, this process takes this edge.
    pub(super) fn begin(&mut self, pid: usize, edge: EdgeId) {
        self.moving = Some((pid, edge));
        self.own = Some(pid);
        self.assertions = 0;
        self.ended = false;
    }

    /// An error of the move under way, in words.
    pub(super) fn failed(&mut self, error: EvalError) -> FailureInfo {
        let (pid, edge) = self.moving.unwrap_or((0, EdgeId(0)));
        let info = failure(&self.view(), pid, edge, error);
        match self.misfit.take() {
            Some(misfit) => FailureInfo { message: info.message.replacen(error.text(), &misfit, 1), ..info },
            None => info,
        }
    }

    fn move_parts(&mut self, edge: EdgeId, destination: usize, plan: &Plan<'_>) -> Result<(), EvalError> {
        let edge = self.network.edge(edge);
        self.communicate(&plan.communication)?;
        if let (Some(program), Some((entry, communication))) = (edge.program, &plan.entry) {
            self.communicate(communication)?;
            self.act(&entry.actions)?;
            self.run_program(program, entry.next)?;
        }
        self.act(&edge.destinations[destination].actions)
    }

    fn communicate(&mut self, communication: &Communication<'_>) -> Result<(), EvalError> {
        match communication {
            Communication::None | Communication::Emit(_) | Communication::Accept | Communication::Join(_) => {}
            Communication::Offer { offer, fault } => {
                self.observe(Direction::Send, offer.channel, &offer.message);
                self.note(*fault);
            }
            Communication::Put { home, position, channel, message, fault } => {
                self.state.queue_mut(*home).insert(*position, message.clone());
                self.observe(Direction::Send, *channel, message);
                self.note(*fault);
            }
            Communication::Take { remove, leaves, message, patterns, fault } => {
                for (pattern, value) in patterns.iter().zip(message) {
                    if let Pattern::Bind(place) = pattern {
                        self.store(place, *value)?;
                    }
                }
                if let Some((home, position)) = remove {
                    self.state.queue_mut(*home).remove(*position);
                }
                if let Some(channel) = leaves {
                    self.observe(Direction::Receive, *channel, message);
                }
                self.note(*fault);
            }
        }
        Ok(())
    }

    /// Shows a message to the monitor, if there is one that looks at its channel.
    fn observe(&mut self, direction: Direction, channel: i32, message: &[i32]) {
        let network = self.network;
        let Some(monitor) = &network.monitor else { return };
        let slot = monitor.slot as usize;
        let view = View::new(network, &self.state, None, false);
        let value = |e: &Expr| view.eval(e).ok();
        if !monitor.watches(direction, channel, &value) {
            return;
        }
        let state = self.state.globals[slot] as u32;
        match monitor.observe(state, direction, channel, message, &value) {
            Observation::Moved(to) => self.state.globals[slot] = to as i32,
            Observation::Unexpected => self.note(Some(EvalError::UnexpectedEvent)),
            Observation::Completed => {
                self.state.globals[slot] = monitor.end as i32;
                self.note(Some(EvalError::EventsMatched));
            }
        }
    }

    /// The rest of a program, from this node on.
    fn run_program(&mut self, program: ProgramId, from: Option<u32>) -> Result<(), EvalError> {
        let network = self.network;
        let mut node = from;
        let mut taken = 0;
        let mut noted = None;
        while let Some(at) = node {
            taken += 1;
            // The choice borrows only the network and a copy of the state: slow, but nothing can change under it.
            let before = self.state.clone();
            if noted.as_ref().is_some_and(|(node, state)| *node == at && *state == before) {
                return Err(EvalError::RunawayProgram);
            }
            if taken == LONGEST_PROGRAM {
                return Err(EvalError::LongProgram);
            }
            if taken >= FIRST_NOTE && taken.is_power_of_two() {
                noted = Some((at, before.clone()));
            }
            let view = View::new(network, &before, self.own, self.timeout);
            let alternatives = &network.program(program).nodes[at as usize].alternatives;
            let Some((alternative, communication)) = choose(&view, alternatives, Role::Starts, false)? else {
                return Err(EvalError::BlockedInProgram);
            };
            self.communicate(&communication)?;
            self.act(&alternative.actions)?;
            node = alternative.next;
        }
        Ok(())
    }

    /// Performs actions in order, up to an `End`.
    fn act(&mut self, actions: &[Action]) -> Result<(), EvalError> {
        for action in actions {
            if self.ended {
                break;
            }
            self.perform(action)?;
        }
        Ok(())
    }

    fn perform(&mut self, action: &Action) -> Result<(), EvalError> {
        match action {
            Action::Assign { target, value } => {
                let value = self.view().eval(value)?;
                self.store(target, value)
            }
            Action::Together(assignments) => {
                let values = self.values(assignments)?;
                values.into_iter().try_for_each(|(cell, target, value)| self.store_in(cell, target, value))
            }
            Action::Assert { condition, text, .. } => {
                let ordinal = self.assertions;
                self.assertions += 1;
                if !self.view().truth(condition)? {
                    self.assertion_failed(ordinal, condition, text);
                }
                Ok(())
            }
            Action::Print { format: text, arguments } => {
                let mut values = Vec::new();
                for argument in arguments {
                    values.push((self.view().eval(argument)?, type_of(argument)));
                }
                self.printed.push(format(self.network, text, &values));
                Ok(())
            }
            Action::Run { template, arguments, priority, result } => {
                let mut values = Vec::new();
                for argument in arguments {
                    values.push(self.view().eval(argument)?);
                }
                let priority = match priority {
                    Some(priority) => checked_priority(self.view().eval(priority)?)?,
                    None => 1,
                };
                let pid = self.create(*template, &values, priority)?;
                match result {
                    Some(place) => self.store(place, pid as i32),
                    None => Ok(()),
                }
            }
            Action::End => {
                if self.own.is_none_or(|pid| pid + 1 != self.state.processes.len()) {
                    return Err(EvalError::EndBeforeYounger);
                }
                self.state.processes.pop();
                self.ended = true;
                Ok(())
            }
            Action::SetPriority { pid, priority } => {
                let pid = self.view().eval(pid)?;
                let priority = self.view().eval(priority)?;
                if self.state.process(pid).is_some() {
                    let priority = checked_priority(priority)?;
                    if self.network.uses.priorities {
                        self.state.processes[pid as usize].priority = priority;
                    }
                }
                Ok(())
            }
            // The state knows no clocks; who keeps their values is told.
            Action::ResetClock { clock, value } => {
                let value = self.view().eval(value)?;
                if value < 0 {
                    let name = &self.network.clocks[clock.0 as usize].name;
                    self.misfit = Some(format!("{}: clock {name} = {value}", EvalError::OutOfRange));
                    return Err(EvalError::OutOfRange);
                }
                if !is_clock_constant(value.into()) {
                    return Err(EvalError::ClockOutOfRange);
                }
                self.resets.push((*clock, value));
                Ok(())
            }
        }
    }

    /// Stores a value, converted to the type of the place.
    fn store(&mut self, place: &Place, value: i32) -> Result<(), EvalError> {
        let cell = self.view().cell(place)?;
        self.store_in(cell, place, value)
    }

    pub(super) fn store_in(&mut self, cell: Cell, place: &Place, value: i32) -> Result<(), EvalError> {
        let pays = self.network.pricing.is_some_and(|p| matches!(cell, Cell::Global(at) if at == p.impulse as usize));
        let Some(value) = place.ty.convert(value) else {
            let (lo, hi) = place.ty.domain();
            let name = name_of(&self.view(), place).unwrap_or_else(|| "a variable".into());
            self.misfit = Some(match pays {
                true => format!("{}: a step can pay {lo} to {hi}", EvalError::OutOfRange),
                false => format!("{}: {name} = {value}, allowed is {lo} to {hi}", EvalError::OutOfRange),
            });
            return Err(EvalError::OutOfRange);
        };
        match cell {
            Cell::Global(slot) => {
                let before = std::mem::replace(&mut self.state.globals[slot], value);
                if let Some((process, _)) = self.moving.filter(|_| pays && value > before) {
                    self.payments.push((process, value.abs_diff(before).into()));
                }
            }
            Cell::Local { pid, slot } => self.state.processes[pid].variables[slot] = value,
            Cell::Nowhere => return Err(EvalError::NoSuchProcess),
        }
        Ok(())
    }

    /// Starts a process; its number.
    pub fn create(&mut self, template: TemplateId, arguments: &[i32], priority: i32) -> Result<usize, EvalError> {
        let pid = self.state.processes.len();
        let declaration = self.network.template(template);
        let place = self.network.frames.processes.get(pid).ok_or(EvalError::TooManyProcesses)?;
        if !place.templates.contains(&template) {
            return Err(EvalError::TooManyProcesses);
        }
        let mut variables = vec![0; declaration.frame as usize];
        for (parameter, value) in declaration.variables.iter().zip(arguments) {
            variables[parameter.slot as usize] = parameter.ty.convert(*value).ok_or(EvalError::OutOfRange)?;
        }
        self.state.processes.push(Process {
            template,
            location: declaration.initial,
            priority: if self.network.uses.priorities { priority } else { 0 },
            variables,
            channels: vec![Queue::new(); declaration.channels.len()],
        });
        self.initialise(&declaration.initialisers, Some(pid))?;
        Ok(pid)
    }

    /// Runs initialisers, of the globals (`scope` is `None`) or of a new process.
    pub fn initialise(&mut self, initialisers: &[Initialiser], scope: Option<usize>) -> Result<(), EvalError> {
        let creator = std::mem::replace(&mut self.own, scope);
        for initialiser in initialisers {
            match initialiser {
                Initialiser::Assign(action) => self.perform(action)?,
                Initialiser::Channel { slot, index } => match scope {
                    None => self.state.globals[*slot as usize] = *index as i32 + 1,
                    Some(pid) => {
                        let first = self.network.frames.processes[pid].first_channel;
                        self.state.processes[pid].variables[*slot as usize] = (first + index) as i32;
                    }
                },
            }
        }
        self.own = creator;
        Ok(())
    }

    /// Records an error after which the step goes on.
    fn note(&mut self, fault: Option<EvalError>) {
        if let (Some(error), Some((pid, edge))) = (fault, self.moving) {
            let info = failure(&self.view(), pid, edge, error);
            self.failures.push(info);
        }
    }

    fn assertion_failed(&mut self, ordinal: u32, condition: &Expr, text: &str) {
        let Some((process, edge)) = self.moving else { return };
        let values = describe_reads(&self.view(), condition);
        let values = if values.is_empty() { values } else { format!(" ({values})") };
        self.failures.push(FailureInfo {
            failure: Failure { kind: FailureKind::Assertion, edge: edge.0, code: ordinal },
            process,
            message: format!("assertion violated: {text}{values}"),
        });
    }
}

fn checked_priority(priority: i32) -> Result<i32, EvalError> {
    if (1..=255).contains(&priority) { Ok(priority) } else { Err(EvalError::PriorityOutOfRange) }
}

/// An evaluation error of a move, in words.
pub(crate) fn failure(view: &View<'_>, process: usize, edge: EdgeId, error: EvalError) -> FailureInfo {
    let text = &view.network.edge(edge).text;
    let message = if text.is_empty() { error.text().to_string() } else { format!("{error}: {text}") };
    FailureInfo { failure: error.failure(edge.0), process, message }
}
