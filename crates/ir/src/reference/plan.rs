//! Is an edge executable, and if so, what does it communicate?
//!
//! The order of evaluation is: the condition, the guards in order up to the first that is 0, the channel, whether it has
//! room or a message, the patterns or fields, the entry of the program. An error on the way makes the attempt a failing
//! step.

use crate::edge::{Alternative, Condition, Edge, ProgramId, Sync};
use crate::expr::{Expr, Pattern};
use crate::frames::ChannelHome;
use crate::reference::clocks::clock_bound;
use crate::reference::error::EvalError;
use crate::reference::evaluate::View;
use crate::reference::state::Queue;

/// A message offered over a rendezvous channel.
#[derive(Clone, Debug)]
pub(crate) struct Offer {
    pub channel: i32,
    pub message: Vec<i32>,
}

/// In which part an edge is tried.
#[derive(Clone, Copy)]
pub(crate) enum Role<'a> {
    /// It starts a micro step.
    Starts,
    /// It receives what another process offers.
    Hears(&'a Offer),
    /// It takes part in the synchronisation over this signal.
    Accepts(i32),
    /// It takes part in a vector with this action.
    Joins(u32),
}

/// A communication, evaluated.
#[derive(Clone, Debug)]
pub(crate) enum Communication<'a> {
    None,
    /// Insert the message at this position.
    Put {
        home: ChannelHome,
        position: usize,
        channel: i32,
        message: Vec<i32>,
        fault: Option<EvalError>,
    },
    /// Bind the fields; remove the message at this position unless there is none to remove.
    Take {
        remove: Option<(ChannelHome, usize)>,
        /// Number of the channel that the message leaves; `None` if it stays there.
        leaves: Option<i32>,
        message: Vec<i32>,
        patterns: &'a [Pattern],
        fault: Option<EvalError>,
    },
    /// Needs a process that hears it.
    Offer {
        offer: Offer,
        fault: Option<EvalError>,
    },
    Emit(i32),
    Accept,
    /// With this action.
    Join(u32),
}

/// Everything that was decided about an edge before it changes anything.
#[derive(Clone, Debug)]
pub(crate) struct Plan<'a> {
    pub communication: Communication<'a>,
    /// The alternative with which the edge's program starts, and its communication.
    pub entry: Option<(&'a Alternative, Communication<'a>)>,
}

impl Plan<'_> {
    /// The signal over which the edge starts a synchronisation.
    pub fn emits(&self) -> Option<i32> {
        match self.communication {
            Communication::Emit(signal) => Some(signal),
            _ => None,
        }
    }

    /// The action with which the edge takes part in a vector.
    pub fn joins(&self) -> Option<u32> {
        match self.communication {
            Communication::Join(action) => Some(action),
            _ => None,
        }
    }

    /// The message that needs a receiver.
    pub fn offers(&self) -> Option<&Offer> {
        match &self.communication {
            Communication::Offer { offer, .. } => Some(offer),
            _ => None,
        }
    }
}

/// What the edge would do; `None` if it is not executable. `earlier`: an edge before it in the list was executable.
pub(crate) fn plan<'a>(
    view: &View<'a>,
    edge: &'a Edge,
    role: Role<'_>,
    earlier: bool,
) -> Result<Option<Plan<'a>>, EvalError> {
    if !condition_holds(view, edge.condition, role, earlier) || !can_play(view, edge, role) {
        return Ok(None);
    }
    if !guards_hold(view, &edge.guards)? {
        return Ok(None);
    }
    for guard in &edge.clock_guards {
        clock_bound(view, &guard.bound)?;
    }
    let Some(communication) = communicate(view, &edge.sync, role)? else { return Ok(None) };
    let entry = match edge.program {
        None => None,
        Some(id) => {
            let role = if edge.sync == Sync::None { role } else { Role::Starts };
            match enter(view, id, role, earlier)? {
                Some(entry) => Some(entry),
                None => return Ok(None),
            }
        }
    };
    Ok(Some(Plan { communication, entry }))
}

/// `else` never takes part in another's step.
fn condition_holds(view: &View<'_>, condition: Condition, role: Role<'_>, earlier: bool) -> bool {
    match condition {
        Condition::None => true,
        Condition::Else => matches!(role, Role::Starts) && !earlier,
        Condition::Youngest => view.own.is_some_and(|pid| pid + 1 == view.state.processes.len()),
    }
}

/// Can the edge play this role as far as its channel or signal is concerned? Before anything else is evaluated: an edge
/// on another channel has no part in the step, whatever its guards are.
fn can_play(view: &View<'_>, edge: &Edge, role: Role<'_>) -> bool {
    let hears = |sync: &Sync, offer: &Offer| match sync {
        Sync::Receive { channel, .. } => view.eval(channel) == Ok(offer.channel),
        _ => false,
    };
    match role {
        // Who is the first part of no vector is only asked by others.
        Role::Starts => match edge.sync {
            Sync::Join { action } => view.network.vectors.iter().any(|v| view.starts(v, action)),
            _ => true,
        },
        Role::Joins(wanted) => edge.sync == Sync::Join { action: wanted },
        Role::Hears(offer) => match (edge.program, &edge.sync) {
            (Some(id), Sync::None) => match view.network.program(id).nodes.first() {
                Some(node) => node.alternatives.iter().any(|a| hears(&a.sync, offer)),
                None => false,
            },
            (_, sync) => hears(sync, offer),
        },
        Role::Accepts(wanted) => match &edge.sync {
            Sync::Accept { signal } => view.eval(signal) == Ok(wanted),
            _ => false,
        },
    }
}

pub(crate) fn guards_hold(view: &View<'_>, guards: &[Expr]) -> Result<bool, EvalError> {
    for guard in guards {
        if !view.truth(guard)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The first executable alternative at the entry of a program.
fn enter<'a>(
    view: &View<'a>,
    program: ProgramId,
    role: Role<'_>,
    earlier: bool,
) -> Result<Option<(&'a Alternative, Communication<'a>)>, EvalError> {
    match view.network.program(program).nodes.first() {
        Some(node) => choose(view, &node.alternatives, role, earlier),
        None => Ok(None),
    }
}

/// The first executable alternative of a program's node.
pub(crate) fn choose<'a>(
    view: &View<'a>,
    alternatives: &'a [Alternative],
    role: Role<'_>,
    earlier: bool,
) -> Result<Option<(&'a Alternative, Communication<'a>)>, EvalError> {
    for alternative in alternatives {
        if !condition_holds(view, alternative.condition, role, earlier) {
            continue;
        }
        if let Role::Hears(offer) = role
            && !matches!(&alternative.sync, Sync::Receive { channel, .. } if view.eval(channel) == Ok(offer.channel))
        {
            continue;
        }
        if !guards_hold(view, &alternative.guards)? {
            continue;
        }
        match communicate(view, &alternative.sync, role)? {
            None => {}
            Some(
                Communication::Offer { .. } | Communication::Emit(_) | Communication::Accept | Communication::Join(_),
            ) => {
                return Err(EvalError::RendezvousInProgram);
            }
            Some(communication) => return Ok(Some((alternative, communication))),
        }
    }
    Ok(None)
}

/// Evaluates a communication; `None` if it is not possible now.
fn communicate<'a>(view: &View<'a>, sync: &'a Sync, role: Role<'_>) -> Result<Option<Communication<'a>>, EvalError> {
    match sync {
        Sync::None => Ok(Some(Communication::None)),
        Sync::Send { channel, sorted, fields } => send(view, view.eval(channel)?, *sorted, fields),
        Sync::Receive { channel, anywhere, keep, patterns } => {
            receive(view, view.eval(channel)?, *anywhere, *keep, patterns, role)
        }
        Sync::Emit { signal } => Ok(Some(Communication::Emit(known_signal(view, signal)?))),
        Sync::Join { action } => Ok(Some(Communication::Join(*action))),
        Sync::Accept { signal } => {
            known_signal(view, signal)?;
            Ok(matches!(role, Role::Accepts(_)).then_some(Communication::Accept))
        }
    }
}

fn known_signal(view: &View<'_>, signal: &Expr) -> Result<i32, EvalError> {
    let number = view.eval(signal)?;
    if number < 0 || number as usize >= view.network.signals.len() { Err(EvalError::NoSignal) } else { Ok(number) }
}

fn send<'a>(
    view: &View<'a>,
    number: i32,
    sorted: bool,
    fields: &'a [Expr],
) -> Result<Option<Communication<'a>>, EvalError> {
    let (home, declaration) = view.state.find_channel(view.network, number)?;
    let queue = view.state.queue(home);
    let full = declaration.capacity > 0 && queue.len() >= declaration.capacity as usize;
    if full {
        // With lossy sends the message is lost, and nobody looks at it.
        return Ok(view.network.uses.lossy_sends.then_some(Communication::None));
    }
    let mut values = Vec::new();
    for field in fields {
        values.push(view.eval(field)?);
    }
    let fault = match fields.len().cmp(&declaration.fields.len()) {
        std::cmp::Ordering::Less => Some(EvalError::TooFewFields),
        std::cmp::Ordering::Equal => None,
        std::cmp::Ordering::Greater => Some(EvalError::TooManyFields),
    };
    let mut message = Vec::new();
    for (i, ty) in declaration.fields.iter().enumerate() {
        message.push(match values.get(i) {
            Some(value) => ty.convert(*value).ok_or(EvalError::OutOfRange)?,
            None => 0,
        });
    }
    if declaration.capacity == 0 {
        let offer = Offer { channel: number, message };
        return Ok(Some(Communication::Offer { offer, fault }));
    }
    // SPIN compares the values as the sender gave them, before they are cut to the width of the fields.
    values.resize(message.len(), 0);
    let position = match sorted {
        true => queue.iter().position(|m| *m > values).unwrap_or(queue.len()),
        false => queue.len(),
    };
    Ok(Some(Communication::Put { home, position, channel: number, message, fault }))
}

fn receive<'a>(
    view: &View<'a>,
    number: i32,
    anywhere: bool,
    keep: bool,
    patterns: &'a [Pattern],
    role: Role<'_>,
) -> Result<Option<Communication<'a>>, EvalError> {
    let (home, declaration) = view.state.find_channel(view.network, number)?;
    let fault = (patterns.len() < declaration.fields.len()).then_some(EvalError::MissingPatterns);
    if declaration.capacity == 0 {
        if keep {
            return Err(EvalError::PollRendezvous);
        }
        let Role::Hears(offer) = role else { return Ok(None) };
        let offered = Queue::from([offer.message.clone()]);
        let matches = view.find_message(&offered, declaration, patterns, anywhere)?.is_some();
        let message = offer.message.clone();
        return Ok(matches.then_some(Communication::Take {
            remove: None,
            leaves: Some(number),
            message,
            patterns,
            fault,
        }));
    }
    let queue = view.state.queue(home);
    let found = view.find_message(queue, declaration, patterns, anywhere)?;
    Ok(found.map(|position| Communication::Take {
        remove: (!keep).then_some((home, position)),
        leaves: (!keep).then_some(number),
        message: queue[position].clone(),
        patterns,
        fault,
    }))
}
