//! A state with structure, and its conversion to and from a key.

use std::collections::VecDeque;

use crate::frames::{ChannelHome, FIRST_GLOBAL, FIRST_LOCAL, LAST_PROCESS, LOCATION, PRIORITY, PROCESS_COUNT};
use crate::network::{LocationId, Network, TemplateId};
use crate::reference::error::EvalError;
use crate::types::Channel;

/// Messages in a channel, oldest first. Rendezvous channels are always empty.
pub type Queue = VecDeque<Vec<i32>>;

/// A process of a [`RefState`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Process {
    pub template: TemplateId,
    pub location: LocationId,
    /// 0 in models that do not use priorities.
    pub priority: i32,
    /// By slot of the frame; entries that are not variables are 0.
    pub variables: Vec<i32>,
    pub channels: Vec<Queue>,
}

/// A state as the reference evaluator sees it. The number of a process is its place in `processes`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RefState {
    /// By slot of the key; entries that are not variables are 0.
    pub globals: Vec<i32>,
    pub channels: Vec<Queue>,
    pub processes: Vec<Process>,
    /// Process that moved last; 0 in models that do not look at it.
    pub last: i32,
    /// Process that has exclusive control, inside an atomic chain.
    pub control: Option<usize>,
}

impl RefState {
    /// No process yet, everything 0.
    pub fn empty(network: &Network) -> RefState {
        RefState {
            globals: vec![0; network.frames.globals as usize],
            channels: vec![Queue::new(); network.channels.len()],
            processes: Vec::new(),
            last: 0,
            control: None,
        }
    }

    /// The process with this number, if it exists.
    pub fn process(&self, pid: i32) -> Option<&Process> {
        usize::try_from(pid).ok().and_then(|pid| self.processes.get(pid))
    }

    /// The same state without anybody in control.
    pub fn ordinary(&self) -> RefState {
        RefState { control: None, ..self.clone() }
    }

    /// Finds a channel by its number: where it is and how it was declared.
    pub(crate) fn find_channel<'n>(
        &self,
        network: &'n Network,
        number: i32,
    ) -> Result<(ChannelHome, &'n Channel), EvalError> {
        let home = network.frames.channel_home(number).ok_or(EvalError::NoChannel)?;
        let declaration = match home {
            ChannelHome::Global(index) => &network.channels[index as usize],
            ChannelHome::Process { pid, index } => {
                let owner = self.processes.get(pid as usize).ok_or(EvalError::ChannelDead)?;
                network.template(owner.template).channels.get(index as usize).ok_or(EvalError::ChannelDead)?
            }
        };
        Ok((home, declaration))
    }

    pub(crate) fn queue(&self, home: ChannelHome) -> &Queue {
        match home {
            ChannelHome::Global(index) => &self.channels[index as usize],
            ChannelHome::Process { pid, index } => &self.processes[pid as usize].channels[index as usize],
        }
    }

    pub(crate) fn queue_mut(&mut self, home: ChannelHome) -> &mut Queue {
        match home {
            ChannelHome::Global(index) => &mut self.channels[index as usize],
            ChannelHome::Process { pid, index } => &mut self.processes[pid as usize].channels[index as usize],
        }
    }
}

/// The key of a state; who has control is not part of it.
pub fn to_key(network: &Network, state: &RefState) -> Vec<i32> {
    let mut key = vec![0; network.frames.key_len(state.processes.len())];
    key[..state.globals.len()].copy_from_slice(&state.globals);
    key[PROCESS_COUNT] = state.processes.len() as i32;
    key[LAST_PROCESS] = state.last;
    write_queues(&mut key, 0, &network.channels, &state.channels);
    for (frame, process) in network.frames.processes.iter().zip(&state.processes) {
        let base = frame.base as usize;
        key[base..base + process.variables.len()].copy_from_slice(&process.variables);
        key[base + LOCATION as usize] = process.location.0 as i32;
        key[base + PRIORITY as usize] = process.priority;
        write_queues(&mut key, base, &network.template(process.template).channels, &process.channels);
    }
    key
}

/// The state with this key, nobody in control.
pub fn from_key(network: &Network, key: &[i32]) -> RefState {
    let mut state = RefState::empty(network);
    let globals = FIRST_GLOBAL as usize..state.globals.len();
    state.globals[globals.clone()].copy_from_slice(&key[globals]);
    clear_cells(&mut state.globals, &network.channels);
    state.channels = read_queues(key, 0, &network.channels);
    state.last = key[LAST_PROCESS];
    for frame in &network.frames.processes[..key[PROCESS_COUNT] as usize] {
        let base = frame.base as usize;
        let location = LocationId(key[base + LOCATION as usize] as u32);
        let template = network.location(location).template;
        let declaration = network.template(template);
        let mut variables = vec![0; declaration.frame as usize];
        let frame = &key[base..base + variables.len()];
        variables[FIRST_LOCAL as usize..].copy_from_slice(&frame[FIRST_LOCAL as usize..]);
        clear_cells(&mut variables, &declaration.channels);
        state.processes.push(Process {
            template,
            location,
            priority: key[base + PRIORITY as usize],
            variables,
            channels: read_queues(key, base, &declaration.channels),
        });
    }
    state
}

fn write_queues(key: &mut [i32], base: usize, channels: &[Channel], queues: &[Queue]) {
    for (channel, queue) in channels.iter().zip(queues).filter(|(c, _)| c.capacity > 0) {
        let first = base + channel.slot as usize;
        key[first] = queue.len() as i32;
        for (at, value) in queue.iter().flatten().enumerate() {
            key[first + 1 + at] = *value;
        }
    }
}

fn read_queues(key: &[i32], base: usize, channels: &[Channel]) -> Vec<Queue> {
    let read = |channel: &Channel| -> Queue {
        if channel.capacity == 0 {
            return Queue::new();
        }
        let first = base + channel.slot as usize;
        let width = channel.fields.len();
        (0..key[first] as usize).map(|i| key[first + 1 + i * width..first + 1 + (i + 1) * width].to_vec()).collect()
    };
    channels.iter().map(read).collect()
}

/// Zeroes the slots of channel cells, which are kept as queues.
fn clear_cells(slots: &mut [i32], channels: &[Channel]) {
    for channel in channels {
        let first = channel.slot as usize;
        slots[first..first + channel.slots() as usize].fill(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{NetworkBuilder, TemplateBuilder};
    use crate::source::Span;
    use crate::types::ValueType;

    #[test]
    fn keys_lead_back_to_their_states() {
        let mut net = NetworkBuilder::new("keys");
        net.global("x", ValueType::Int);
        net.channel("c", 2, vec![ValueType::Byte, ValueType::Byte], Span::default());
        let mut p = TemplateBuilder::new("p");
        let here = p.location("here");
        p.local("v", ValueType::Short);
        let slot = p.allocate(2);
        p.channels.push(Channel {
            name: "own".into(),
            capacity: 1,
            fields: vec![ValueType::Int],
            slot,
            span: Span::default(),
        });
        let p = net.template(p, here);
        net.start(p, vec![]);
        let network = net.finish().unwrap();
        let mut state = RefState::empty(&network);
        state.globals[2] = -7;
        state.channels[0] = [vec![1, 2]].into();
        let mut variables = vec![0; network.template(p).frame as usize];
        variables[2] = 9;
        state.processes.push(Process {
            template: p,
            location: LocationId(1),
            priority: 0,
            variables,
            channels: vec![[vec![4]].into()],
        });
        let key = to_key(&network, &state);
        assert_eq!(key, [1, 0, -7, 1, 1, 2, 0, 0, 1, 0, 9, 1, 4]);
        assert_eq!(from_key(&network, &key), state);
    }
}
