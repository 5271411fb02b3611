//! Edges that do nothing unusual: a message put into or taken from the front of a channel that is known, then assignments.
//!
//! They are performed on a copy of the state by a short list of writes. Where something unusual turns up all the same (a value out
//! of range, a false assertion), the copy is dropped, and the edge is walked as any other: only that way reports errors.

use bughound_ir::frames::LOCATION;
use bughound_ir::types::{ValueType, is_clock_constant};
use bughound_kernel::Move;

use crate::code::{ActionCode, ChanceCode, Code, EdgeCode, PatternCode, PlaceCode, ScopeCode, SyncCode};
use crate::instance::plain::plain_value;
use crate::instance::specialise::Specialiser;
use crate::instance::{is_plain, plain_truth};
use crate::machine::{Context, Machine};
use crate::micro::{Finder, Micro, is_allowed};

#[derive(Clone, Debug)]
pub(crate) struct Quick {
    message: Message,
    writes: Box<[Write]>,
    /// The slot of the process's location, and what it will be.
    location: (u32, i32),
}

/// A message over a channel with room for some; `at` is the slot of its length.
#[derive(Clone, Debug)]
enum Message {
    None,
    Put {
        at: u32,
        capacity: u32,
        fields: Box<[(Code, ValueType)]>,
    },
    /// From the front, if the fields with these numbers have these values; others are stored in slots.
    Take {
        at: u32,
        width: u32,
        wanted: Box<[(u32, Code)]>,
        stored: Box<[(u32, u32, ValueType)]>,
    },
}

#[derive(Clone, Debug)]
enum Write {
    Slot {
        slot: u32,
        ty: ValueType,
        value: Code,
    },
    Element {
        first: u32,
        len: u32,
        stride: u32,
        index: Code,
        ty: ValueType,
        value: Code,
    },
    Assert(Code),
    /// Evaluated for its errors only.
    Value(Code),
}

impl Quick {
    /// `None` if the edge is not of this kind.
    pub(super) fn new(of: &Specialiser<'_>, edge: &EdgeCode) -> Option<Quick> {
        let uses = &of.machine.network.uses;
        let [destination] = &edge.destinations[..] else { return None };
        let unusual = edge.program.is_some()
            || !edge.clock_bounds.is_empty()
            || !matches!(destination.chance, ChanceCode::Certain(1.0))
            || uses.last_process
            || uses.lossy_sends
            || of.machine.network.monitor.is_some();
        if unusual {
            return None;
        }
        let mut writes = Vec::new();
        for action in &destination.actions {
            Write::add(action, &mut writes)?;
        }
        let location = (of.base + LOCATION, destination.to as i32);
        Some(Quick { message: Message::new(of, &edge.sync)?, writes: writes.into(), location })
    }

    /// Can the message be sent or received? `None`: the long way is to find out.
    #[inline]
    pub(crate) fn is_possible(&self, key: &[i32]) -> Option<bool> {
        match &self.message {
            Message::None => Some(true),
            Message::Put { at, capacity, .. } => Some((key[*at as usize] as u32) < *capacity),
            Message::Take { at, wanted, .. } => {
                let at = *at as usize;
                if key[at] == 0 {
                    return Some(false);
                }
                for (field, value) in wanted {
                    if plain_value(key, value)? != key[at + 1 + *field as usize] {
                        return Some(false);
                    }
                }
                Some(true)
            }
        }
    }

    /// Performs it, and adds the slots that it has written to `written`. `None`: something unusual happened, and the state is to be
    /// dropped.
    #[inline]
    pub(crate) fn perform(&self, key: &mut [i32], written: &mut Vec<u32>) -> Option<()> {
        match &self.message {
            Message::None => {}
            Message::Put { at, fields, .. } => {
                let at = *at as usize;
                let cells = at + 1 + key[at] as usize * fields.len();
                for (field, (value, ty)) in fields.iter().enumerate() {
                    // The cells are free: none of the values depends on what was put there.
                    key[cells + field] = ty.convert(plain_value(key, value)?).unwrap_or(0);
                }
                key[at] += 1;
                written.push(at as u32);
                written.extend(cells as u32..(cells + fields.len()) as u32);
            }
            Message::Take { at, width, stored, .. } => {
                let (at, width) = (*at as usize, *width as usize);
                for (field, slot, ty) in stored {
                    key[*slot as usize] = ty.convert(key[at + 1 + *field as usize])?;
                    written.push(*slot);
                }
                let end = at + 1 + key[at] as usize * width;
                key.copy_within(at + 1 + width..end, at + 1);
                key[end - width..end].fill(0);
                key[at] -= 1;
                written.extend(at as u32..end as u32);
            }
        }
        for write in &self.writes {
            match write {
                Write::Slot { slot, ty, value } => {
                    key[*slot as usize] = ty.convert(plain_value(key, value)?)?;
                    written.push(*slot);
                }
                Write::Element { first, len, stride, index, ty, value } => {
                    let value = ty.convert(plain_value(key, value)?)?;
                    let index = plain_value(key, index)?;
                    if index < 0 || index as u32 >= *len {
                        return None;
                    }
                    let slot = first + index as u32 * stride;
                    key[slot as usize] = value;
                    written.push(slot);
                }
                Write::Value(code) => {
                    plain_value(key, code)?;
                }
                Write::Assert(condition) => {
                    if plain_value(key, condition)? == 0 {
                        return None;
                    }
                }
            }
        }
        let (slot, location) = self.location;
        key[slot as usize] = location;
        written.push(slot);
        Some(())
    }
}

impl Finder {
    /// Tries one edge the short way; true if it was executable, `None` if the long way is to find out. `before`: an edge before it
    /// was.
    #[inline]
    pub(crate) fn quickly(
        &mut self,
        machine: &Machine,
        cx: Context<'_>,
        edge: &EdgeCode,
        before: bool,
    ) -> Option<bool> {
        let quick = edge.quick.as_ref()?;
        if !is_allowed(cx, edge, before) {
            return Some(false);
        }
        let holds = match edge.plain_guards {
            true => plain_truth(cx.key, &edge.guards)?,
            false => machine.guards_hold(cx, &edge.guards).ok()?,
        };
        if !holds || !quick.is_possible(cx.key)? {
            return Some(false);
        }
        self.complete_quickly(cx, edge, quick).then_some(true)
    }

    /// Performs an executable edge the short way; false if that did not work out.
    fn complete_quickly(&mut self, cx: Context<'_>, edge: &EdgeCode, quick: &Quick) -> bool {
        let (state, before) = (self.pool.copy_of(cx.key), self.written.len());
        if quick.perform(self.pool.buffer(state), &mut self.written).is_none() {
            self.pool.drop_last();
            self.written.truncate(before);
            return false;
        }
        let written = Some((before as u32, (self.written.len() - before) as u32));
        let process = cx.pid as u16;
        let (moves, failures, choice) = (self.moves.len() as u32, self.failures.len() as u32, self.choices);
        self.choices += 1;
        self.moves.push(Move { process, edge: edge.id, destination: 0, joins: false });
        self.steps.push(Micro {
            moves: (moves, 1),
            failures: (failures, 0),
            state: Some(state),
            control: edge.keeps_control.then_some(process),
            weight: edge.weight,
            choice,
            probability: 1.0,
            written,
        });
        true
    }
}

impl Message {
    fn new(of: &Specialiser<'_>, sync: &SyncCode) -> Option<Message> {
        match sync {
            SyncCode::None => Some(Message::None),
            SyncCode::Send { channel, sorted: false, fields } => {
                let channel = of.known_channel(channel)?;
                let types = &channel.decl.fields;
                let fits = channel.decl.capacity > 0 && types.len() == fields.len() && fields.iter().all(is_plain);
                let fields = fields.iter().cloned().zip(types.iter().copied()).collect();
                fits.then_some(Message::Put { at: channel.at, capacity: channel.decl.capacity, fields })
            }
            SyncCode::Receive { channel, anywhere: false, keep: false, patterns } => {
                let channel = of.known_channel(channel)?;
                let width = channel.decl.fields.len();
                if channel.decl.capacity == 0 || patterns.len() != width {
                    return None;
                }
                let (mut wanted, mut stored) = (Vec::new(), Vec::new());
                for (field, pattern) in (0..).zip(patterns) {
                    match pattern {
                        PatternCode::Any => {}
                        PatternCode::Match(value) if is_plain(value) => wanted.push((field, value.clone())),
                        PatternCode::Bind(PlaceCode { scope: ScopeCode::Global, slot, indices, ty })
                            if indices.is_empty() =>
                        {
                            stored.push((field, *slot, *ty));
                        }
                        PatternCode::Match(_) | PatternCode::Bind(_) => return None,
                    }
                }
                let (wanted, stored) = (wanted.into(), stored.into());
                Some(Message::Take { at: channel.at, width: width as u32, wanted, stored })
            }
            _ => None,
        }
    }
}

impl Write {
    /// `None` if the action is not one of these.
    fn add(action: &ActionCode, writes: &mut Vec<Write>) -> Option<()> {
        let write = match action {
            ActionCode::Assign { target: PlaceCode { scope: ScopeCode::Global, slot, indices, ty }, value }
                if is_plain(value) =>
            {
                match &indices[..] {
                    [] => Write::Slot { slot: *slot, ty: *ty, value: value.clone() },
                    [index] if is_plain(&index.value) => Write::Element {
                        first: *slot,
                        len: index.len,
                        stride: index.stride,
                        index: index.value.clone(),
                        ty: *ty,
                        value: value.clone(),
                    },
                    _ => return None,
                }
            }
            ActionCode::Assert(condition) if is_plain(condition) => Write::Assert(condition.clone()),
            ActionCode::Print(arguments) if arguments.iter().all(is_plain) => {
                writes.extend(arguments.iter().cloned().map(Write::Value));
                return Some(());
            }
            // Clocks are no part of the discrete state.
            ActionCode::ResetClock { value: Code::Const(value), .. }
                if *value >= 0 && is_clock_constant((*value).into()) =>
            {
                return Some(());
            }
            _ => return None,
        };
        writes.push(write);
        Some(())
    }
}
