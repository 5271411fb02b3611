//! What differs between two states, and what a state holds.

use bughound_ir::network::{Network, TemplateId};
use bughound_ir::reference::{Process, RefState};
use bughound_ir::types::{Channel, ValueType, Variable};

use crate::naming;

/// A variable (or a channel's contents) with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueOf {
    pub name: String,
    pub value: String,
}

/// A variable that changed. `old` is missing when its process has just started, `new` when it has just ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    pub name: String,
    pub old: Option<String>,
    pub new: Option<String>,
}

impl Change {
    /// Worth a line in a list of changes: not the zeros of a new process, not the disappearance of an old one.
    pub fn is_news(&self) -> bool {
        match (&self.old, &self.new) {
            (Some(_), Some(_)) => true,
            (None, Some(new)) => new != "0" && new != naming::EMPTY,
            _ => false,
        }
    }
}

/// The variables and channels of one scope in one state.
struct ScopeView<'a> {
    prefix: String,
    variables: &'a [Variable],
    values: &'a [i32],
    channels: &'a [Channel],
    queues: &'a [std::collections::VecDeque<Vec<i32>>],
}

impl<'a> ScopeView<'a> {
    fn globals(network: &'a Network, state: &'a RefState) -> ScopeView<'a> {
        ScopeView {
            prefix: String::new(),
            variables: &network.variables,
            values: &state.globals,
            channels: &network.channels,
            queues: &state.channels,
        }
    }

    fn process(network: &'a Network, process: &'a Process, pid: usize) -> ScopeView<'a> {
        let template = network.template(process.template);
        ScopeView {
            prefix: format!("{}:", naming::process_name(network, process.template, pid)),
            variables: &template.variables,
            values: &process.variables,
            channels: &template.channels,
            queues: &process.channels,
        }
    }
}

/// Everything in a state that the user declared.
pub fn values(network: &Network, state: &RefState) -> Vec<ValueOf> {
    let mut out = Vec::new();
    list(network, state, &ScopeView::globals(network, state), &mut out);
    for (pid, process) in state.processes.iter().enumerate() {
        list(network, state, &ScopeView::process(network, process, pid), &mut out);
    }
    out
}

/// The names of everything that traces of the model can show. Of a process, for every number that one of its type can have.
pub fn names(network: &Network) -> impl Iterator<Item = String> + '_ {
    let processes = network.frames.processes.iter().enumerate().flat_map(move |(pid, frame)| {
        frame.templates.iter().flat_map(move |id| {
            let template = network.template(*id);
            let prefix = format!("{}:", naming::process_name(network, *id, pid));
            declared(&template.variables, &template.channels).map(move |name| format!("{prefix}{name}"))
        })
    });
    let clocks = network.clocks.iter().map(|clock| clock.name.clone());
    declared(&network.variables, &network.channels).chain(clocks).chain(processes)
}

fn declared<'a>(variables: &'a [Variable], channels: &'a [Channel]) -> impl Iterator<Item = String> + 'a {
    let elements = variables.iter().filter(|v| !v.hidden).flat_map(|v| v.elements().into_iter().map(|(_, name)| name));
    // The variable that names a channel is declared with it, and of the same name.
    let others = elements.filter(|name| !channels.iter().any(|c| c.name == *name));
    others.chain(channels.iter().filter(|c| c.capacity > 0).map(|c| c.name.clone()))
}

fn list(network: &Network, state: &RefState, scope: &ScopeView<'_>, out: &mut Vec<ValueOf>) {
    for variable in scope.variables.iter().filter(|v| !v.hidden) {
        for (slot, name) in variable.elements() {
            let value = scope.values.get(slot as usize).copied().unwrap_or(0);
            if !is_own_channel(network, state, variable.ty, &name, &scope.prefix, value) {
                let value = naming::value(network, state, variable.ty, value);
                out.push(ValueOf { name: format!("{}{name}", scope.prefix), value });
            }
        }
    }
    for (channel, queue) in scope.channels.iter().zip(scope.queues).filter(|(c, _)| c.capacity > 0) {
        let value = naming::messages(network, state, channel, queue);
        out.push(ValueOf { name: format!("{}{}", scope.prefix, channel.name), value });
    }
}

/// A channel variable that names the channel declared with it: its contents are shown under the same name.
fn is_own_channel(network: &Network, state: &RefState, ty: ValueType, name: &str, prefix: &str, value: i32) -> bool {
    ty == ValueType::Chan && value != 0 && naming::channel_name(network, state, value) == format!("{prefix}{name}")
}

/// What changed from one state to the next, globals first, then process by process.
pub fn changes(network: &Network, old: &RefState, new: &RefState) -> Vec<Change> {
    let mut out = Vec::new();
    let scope = |state| ScopeView::globals(network, state);
    compare(network, (old, &scope(old)), (new, &scope(new)), &mut out);
    for pid in 0..old.processes.len().max(new.processes.len()) {
        let same = |a: &Process, b: &Process| a.template == b.template;
        match (old.processes.get(pid), new.processes.get(pid)) {
            (Some(a), Some(b)) if same(a, b) => {
                let (a, b) = (ScopeView::process(network, a, pid), ScopeView::process(network, b, pid));
                compare(network, (old, &a), (new, &b), &mut out);
            }
            (a, b) => {
                let vanished = a.map(|a| only(network, old, a, pid)).unwrap_or_default();
                out.extend(vanished.into_iter().map(|v| Change { name: v.name, old: Some(v.value), new: None }));
                let appeared = b.map(|b| only(network, new, b, pid)).unwrap_or_default();
                out.extend(appeared.into_iter().map(|v| Change { name: v.name, old: None, new: Some(v.value) }));
            }
        }
    }
    out
}

fn only(network: &Network, state: &RefState, process: &Process, pid: usize) -> Vec<ValueOf> {
    let mut out = Vec::new();
    list(network, state, &ScopeView::process(network, process, pid), &mut out);
    out
}

fn compare(
    network: &Network,
    (old, before): (&RefState, &ScopeView<'_>),
    (new, after): (&RefState, &ScopeView<'_>),
    out: &mut Vec<Change>,
) {
    if before.values != after.values {
        for variable in before.variables.iter().filter(|v| !v.hidden) {
            for (slot, name) in variable.elements() {
                let value = |scope: &ScopeView<'_>| scope.values.get(slot as usize).copied().unwrap_or(0);
                let (a, b) = (value(before), value(after));
                if a != b {
                    out.push(Change {
                        name: format!("{}{name}", before.prefix),
                        old: Some(naming::value(network, old, variable.ty, a)),
                        new: Some(naming::value(network, new, variable.ty, b)),
                    });
                }
            }
        }
    }
    for (index, channel) in before.channels.iter().enumerate().filter(|(_, c)| c.capacity > 0) {
        let (Some(a), Some(b)) = (before.queues.get(index), after.queues.get(index)) else { continue };
        if a != b {
            out.push(Change {
                name: format!("{}{}", before.prefix, channel.name),
                old: Some(naming::messages(network, old, channel, a)),
                new: Some(naming::messages(network, new, channel, b)),
            });
        }
    }
}

/// Processes of `more` that do not exist in `fewer`: those that started, or, the other way round, those that ended.
pub fn surplus(more: &RefState, fewer: &RefState) -> Vec<(TemplateId, usize)> {
    let beyond = more.processes.iter().enumerate().skip(fewer.processes.len());
    beyond.map(|(pid, process)| (process.template, pid)).collect()
}
