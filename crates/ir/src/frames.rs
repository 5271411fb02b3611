//! Where everything lies in a key.
//!
//! A key is: slot 0 the number of processes, slot 1 the process that moved last (if the model looks at it), the global
//! variables, the cells of the global channels, then the frame of process 0, of process 1, … up to the youngest. Each
//! process number has a fixed place, large enough for every template that can occupy it; a key ends with the frame of
//! the youngest process. A frame is: slot 0 the location, slot 1 the priority (if the model uses priorities), the
//! variables, the cells of the channels; slots that a smaller template leaves over are 0.

use bughound_kernel::{Layout, Slot};

use crate::network::{Network, TemplateId};
use crate::types::{Channel, Variable};

/// Slot of a key that holds the number of processes.
pub const PROCESS_COUNT: usize = 0;
/// Slot of a key that holds the process that moved last.
pub const LAST_PROCESS: usize = 1;
/// First slot for global variables.
pub const FIRST_GLOBAL: u32 = 2;

/// Slot of a frame that holds the location.
pub const LOCATION: u32 = 0;
/// Slot of a frame that holds the priority.
pub const PRIORITY: u32 = 1;
/// First slot of a frame for variables.
pub const FIRST_LOCAL: u32 = 2;

/// Largest channel number: channel numbers fit a byte, and 0 is no channel.
pub const MAX_CHANNELS: usize = 255;

/// Place of one process number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessFrame {
    /// First slot of the frame in the key.
    pub base: u32,
    pub len: u32,
    /// Templates that can occupy it; one, nearly always.
    pub templates: Vec<TemplateId>,
    /// Number of the first channel of this process.
    pub first_channel: u32,
}

impl ProcessFrame {
    /// The template, if only one can be here.
    pub fn only_template(&self) -> Option<TemplateId> {
        match self.templates[..] {
            [template] => Some(template),
            _ => None,
        }
    }
}

/// To whom a channel number belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChannelHome {
    /// Index into the network's channels.
    Global(u32),
    /// Index into the channels of the template that occupies this process number.
    Process { pid: u32, index: u32 },
}

/// The places of all processes and channels, and the layout that follows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frames {
    /// Slots before the first frame.
    pub globals: u32,
    pub processes: Vec<ProcessFrame>,
    /// Indexed by channel number; entry 0 is unused.
    pub channels: Vec<ChannelHome>,
    pub layout: Layout,
}

impl Frames {
    /// Length of a key with so many processes.
    pub fn key_len(&self, processes: usize) -> usize {
        match processes.checked_sub(1) {
            Some(youngest) => (self.processes[youngest].base + self.processes[youngest].len) as usize,
            None => self.globals as usize,
        }
    }

    pub fn channel_home(&self, number: i32) -> Option<ChannelHome> {
        if number <= 0 {
            return None;
        }
        self.channels.get(number as usize).copied()
    }

    /// Computes the places for a network whose other parts are complete.
    pub fn new(network: &Network, possible: Vec<Vec<TemplateId>>) -> Frames {
        let globals = network
            .variables
            .iter()
            .map(end_of_variable)
            .chain(network.channels.iter().map(|c| c.slot + c.slots()))
            .max()
            .unwrap_or(FIRST_GLOBAL)
            .max(FIRST_GLOBAL);
        let mut channels: Vec<ChannelHome> = vec![ChannelHome::Global(u32::MAX)];
        channels.extend((0..network.channels.len() as u32).map(ChannelHome::Global));
        let mut processes = Vec::new();
        let mut base = globals;
        for (pid, templates) in possible.into_iter().enumerate() {
            let own_channels = templates.iter().map(|t| network.template(*t).channels.len()).max().unwrap_or(0);
            if channels.len() + own_channels > MAX_CHANNELS + 1 && pid >= network.start.len() {
                break; // a process here would need more channels than there are numbers
            }
            let len = templates.iter().map(|t| network.template(*t).frame).max().unwrap_or(FIRST_LOCAL);
            let first_channel = channels.len() as u32;
            processes.push(ProcessFrame { base, len, templates, first_channel });
            channels.extend((0..own_channels as u32).map(|index| ChannelHome::Process { pid: pid as u32, index }));
            base += len;
        }
        let mut frames = Frames { globals, processes, channels, layout: Layout::default() };
        frames.layout = frames.layout_of(network);
        frames
    }

    fn layout_of(&self, network: &Network) -> Layout {
        let total = self.key_len(self.processes.len());
        let mut slots = vec![Slot::new(0, 0); total];
        let creates = self.processes.len() > network.start.len() || may_end(network);
        slots[PROCESS_COUNT] = if creates {
            Slot::new(0, self.processes.len() as i32)
        } else {
            Slot::new(network.start.len() as i32, network.start.len() as i32)
        };
        if network.uses.last_process {
            slots[LAST_PROCESS] = Slot::new(0, 255);
        }
        fill_scope(&mut slots, 0, &network.variables, &network.channels, &mut |slot, domain| *slot = domain);
        for slot in network.hidden_slots() {
            slots[slot as usize] = Slot::new(0, 0);
        }
        for frame in &self.processes {
            let mut first = true;
            for id in &frame.templates {
                let template = network.template(*id);
                // The first template sets the domains; others widen them. Whatever a template leaves over is 0.
                let mut domains = vec![Slot::new(0, 0); frame.len as usize];
                let lowest = template.locations.iter().min().map_or(0, |l| l.0 as i32);
                let highest = template.locations.iter().max().map_or(0, |l| l.0 as i32);
                domains[LOCATION as usize] = Slot::new(lowest, highest);
                if network.uses.priorities {
                    domains[PRIORITY as usize] = Slot::new(0, 255);
                }
                fill_scope(&mut domains, 0, &template.variables, &template.channels, &mut |slot, d| *slot = d);
                for (slot, domain) in slots[frame.base as usize..].iter_mut().zip(domains) {
                    *slot = if first { domain } else { Slot::new(slot.lo.min(domain.lo), slot.hi.max(domain.hi)) };
                }
                first = false;
            }
        }
        Layout::new(slots)
    }
}

fn may_end(network: &Network) -> bool {
    use crate::edge::Action;
    network.edges.iter().any(|e| e.destinations.iter().any(|d| d.actions.iter().any(|a| matches!(a, Action::End))))
}

fn end_of_variable(variable: &Variable) -> u32 {
    variable.slot + 1 + variable.dims.iter().map(|d| (d.len - 1) * d.stride).sum::<u32>()
}

/// Visits every slot of the variables and channels of a scope with its domain.
fn fill_scope(
    slots: &mut [Slot],
    base: usize,
    variables: &[Variable],
    channels: &[Channel],
    set: &mut dyn FnMut(&mut Slot, Slot),
) {
    for variable in variables {
        let (lo, hi) = variable.ty.domain();
        for_each_element(variable, &mut |slot| set(&mut slots[base + slot as usize], Slot::new(lo, hi)));
    }
    for channel in channels.iter().filter(|c| c.capacity > 0) {
        let first = base + channel.slot as usize;
        set(&mut slots[first], Slot::new(0, channel.capacity as i32));
        let mut at = first + 1;
        for _ in 0..channel.capacity {
            for field in &channel.fields {
                let (lo, hi) = field.domain();
                set(&mut slots[at], Slot::new(lo.min(0), hi.max(0)));
                at += 1;
            }
        }
    }
}

/// Slots of a variable relative to its scope.
fn for_each_element(variable: &Variable, visit: &mut dyn FnMut(u32)) {
    fn go(dims: &[crate::types::Dim], slot: u32, visit: &mut dyn FnMut(u32)) {
        match dims.split_first() {
            None => visit(slot),
            Some((dim, rest)) => (0..dim.len).for_each(|i| go(rest, slot + i * dim.stride, visit)),
        }
    }
    go(&variable.dims, variable.slot, visit);
}
