//! From the steps of a run to the events of a chart.

use std::collections::HashMap;

use bughound_ir::edge::{Edge, EdgeId, Sync};
use bughound_ir::expr::Expr;
use bughound_ir::frames::ChannelHome;
use bughound_ir::network::Network;
use bughound_ir::reference::{MicroStep, RefState, Reference};
use bughound_ir::types::Channel;
use bughound_kernel::Move;

use super::queues::{Contents, difference};
use super::{Chart, Event, EventKind, Fate, Lifeline, Message};
use crate::changes::surplus;
use crate::expression::Viewpoint;
use crate::naming;
use crate::replay::{ReplayError, micro_steps};

/// Watches a run and draws its chart.
#[derive(Clone, Debug)]
pub struct ChartBuilder<'n> {
    reference: Reference<'n>,
    chart: Chart,
    /// The lifeline of each process that exists.
    living: Vec<usize>,
    /// The messages in each channel, oldest first.
    queues: HashMap<ChannelHome, Vec<usize>>,
    step: usize,
}

/// The chart of a path from the initial state. A failing step may stand at its end.
pub fn chart_of(network: &Network, moves: &[Move]) -> Result<Chart, ReplayError> {
    // Times are no part of a chart.
    let reference = Reference::discrete(network);
    let Ok(mut state) = reference.initial() else { return Ok(Chart::default()) };
    let mut builder = ChartBuilder::new(reference, &state);
    let mut over = false;
    for (at, moves) in micro_steps(moves).into_iter().enumerate() {
        if over {
            return Err(ReplayError::BehindFailure { number: at });
        }
        let failed =
            |error: bughound_ir::reference::ReplayError| ReplayError::Step { number: at + 1, error: error.to_string() };
        let step = reference.apply(&state, moves).map_err(failed)?;
        builder.see(&state, &step);
        match step.result {
            Ok(next) => state = next,
            Err(_) => over = true,
        }
    }
    Ok(builder.finish())
}

impl<'n> ChartBuilder<'n> {
    pub fn new(reference: Reference<'n>, initial: &RefState) -> Self {
        let network = reference.network();
        let lifelines: Vec<Lifeline> = (0..initial.processes.len())
            .map(|pid| Lifeline { pid, name: naming::process_in(network, initial, pid), started: None, ended: None })
            .collect();
        let living = (0..lifelines.len()).collect();
        let chart = Chart { lifelines, ..Chart::default() };
        ChartBuilder { reference, chart, living, queues: HashMap::new(), step: 0 }
    }

    /// The chart so far.
    pub fn finish(self) -> Chart {
        self.chart
    }

    /// The next step of the run, from the state before it.
    pub fn see(&mut self, before: &RefState, step: &MicroStep) {
        self.step += 1;
        let events = self.chart.events.len();
        self.synchronisation(before, step);
        if let Ok(after) = &step.result {
            self.channels(before, after, step);
        }
        if self.chart.events.len() == events {
            self.local(step);
        }
        if let Ok(after) = &step.result {
            self.lives(before, after, step);
        }
        for info in step.soft_failures.iter().chain(step.result.as_ref().err()) {
            if let Some(lifeline) = self.living.get(info.process).copied() {
                self.event(EventKind::Failure { lifeline, text: info.message.clone() });
            }
        }
    }

    fn event(&mut self, kind: EventKind) -> usize {
        self.chart.events.push(Event { step: self.step, kind });
        self.chart.events.len() - 1
    }

    fn edge(&self, m: &Move) -> &'n Edge {
        self.reference.network().edge(EdgeId(m.edge))
    }

    fn lifeline(&self, m: &Move) -> Option<usize> {
        self.living.get(m.process as usize).copied()
    }

    /// What is said about an edge that joins others by an action: what it has drawn, or else the action.
    fn joined(&self, first: &Edge, m: &Move) -> Option<String> {
        let Sync::Join { .. } = first.sync else { return None };
        let joins = self.edge(m);
        let draws = joins.destinations.len() > 1;
        let action = || first.text.split_inclusive(']').next().unwrap_or_default().to_string();
        Some(if draws { joins.text_of(m.destination) } else { action() })
    }

    /// A rendezvous or a signal: everybody who joins hears the first.
    fn synchronisation(&mut self, before: &RefState, step: &MicroStep) {
        let Some((first, joining)) = step.moves.split_first() else { return };
        let edge = self.edge(first);
        let label = match &edge.sync {
            Sync::Send { channel, fields, .. } => self.sent(before, first, channel, fields),
            _ => None,
        };
        let (label, from) = (label.unwrap_or_else(|| edge.text_of(first.destination)), self.lifeline(first));
        for m in joining {
            if let (Some(from), Some(to)) = (from, self.lifeline(m)) {
                let label = self.joined(edge, m).unwrap_or_else(|| label.clone());
                self.event(EventKind::Rendezvous { from, to, label });
            }
        }
        // Where full channels lose messages, one can vanish without a trace in any state.
        if let Sync::Send { channel, fields, .. } = &edge.sync
            && self.reference.network().uses.lossy_sends
            && self.is_full(before, first, channel)
            && let (Some(sender), Some(label)) = (from, self.sent(before, first, channel, fields))
        {
            self.send(sender, label, Fate::Lost);
        }
    }

    fn is_full(&self, state: &RefState, m: &Move, channel: &Expr) -> bool {
        let view = Viewpoint { reference: self.reference, state, own: Some(m.process as usize) };
        let found = view.value(channel).and_then(|number| naming::channel(self.reference.network(), state, number));
        found.is_some_and(|(declared, queue)| declared.capacity > 0 && queue.len() >= declared.capacity as usize)
    }

    /// `q!1,ack`: the message of a send, evaluated.
    fn sent(&self, state: &RefState, m: &Move, channel: &Expr, fields: &[Expr]) -> Option<String> {
        let view = Viewpoint { reference: self.reference, state, own: Some(m.process as usize) };
        let number = view.value(channel)?;
        let (declared, _) = naming::channel(self.reference.network(), state, number)?;
        let values = fields.iter().zip(&declared.fields);
        let values: Option<Vec<i32>> = values.map(|(field, ty)| ty.convert(view.value(field)?)).collect();
        Some(self.label(state, &naming::channel_name(self.reference.network(), state, number), declared, &values?))
    }

    fn label(&self, state: &RefState, name: &str, declared: &Channel, message: &[i32]) -> String {
        let network = self.reference.network();
        let fields = declared.fields.iter().zip(message);
        let fields: Vec<String> = fields.map(|(ty, value)| naming::value(network, state, *ty, *value)).collect();
        format!("{name}!{}", fields.join(","))
    }

    fn send(&mut self, sender: usize, label: String, fate: Fate) -> usize {
        let message = self.chart.messages.len();
        let sent = self.event(EventKind::Send { message });
        self.chart.messages.push(Message { label, sender, sent, fate });
        message
    }

    /// Messages that went into channels and came out of them.
    fn channels(&mut self, before: &RefState, after: &RefState, step: &MicroStep) {
        let Some(who) = self.communicating(step) else { return };
        for number in 1..self.reference.network().frames.channels.len() as i32 {
            let Some(home) = self.reference.network().frames.channel_home(number) else { continue };
            let (Some(old), Some((declared, new))) =
                (contents(before, home), naming::channel(self.reference.network(), after, number))
            else {
                continue;
            };
            let change = difference(old, new);
            let mut queue = self.queues.remove(&home).unwrap_or_default();
            for (gone, at) in change.taken.iter().enumerate() {
                if at - gone >= queue.len() {
                    break;
                }
                let message = queue.remove(at - gone);
                let event = self.event(EventKind::Receive { message });
                self.chart.messages[message].fate = Fate::Received { lifeline: who, event };
            }
            for at in &change.put {
                let name = naming::channel_name(self.reference.network(), after, number);
                let label = self.label(after, &name, declared, &new[*at]);
                let message = self.send(who, label, Fate::Waiting);
                queue.insert((*at).min(queue.len()), message);
            }
            if !queue.is_empty() {
                self.queues.insert(home, queue);
            }
        }
    }

    /// Who uses channels with places in a step: the one that moves; in a rendezvous, whoever has more to do.
    fn communicating(&self, step: &MicroStep) -> Option<usize> {
        let busy = step.moves.iter().rev().find(|m| self.edge(m).program.is_some());
        self.lifeline(busy.or(step.moves.first())?)
    }

    fn local(&mut self, step: &MicroStep) {
        if let Some(m) = step.moves.first()
            && let Some(lifeline) = self.lifeline(m)
        {
            let text = self.edge(m).text_of(m.destination);
            self.event(EventKind::Local { lifeline, text });
        }
    }

    /// Processes that started and ended.
    fn lives(&mut self, before: &RefState, after: &RefState, step: &MicroStep) {
        for (_, pid) in surplus(before, after) {
            self.lose_channels_of(pid);
            if let Some(lifeline) = self.living.get(pid).copied() {
                let event = self.event(EventKind::End { lifeline });
                self.chart.lifelines[lifeline].ended = Some(event);
            }
        }
        self.living.truncate(after.processes.len());
        let by = step.moves.first().and_then(|m| self.lifeline(m));
        for (template, pid) in surplus(after, before) {
            let lifeline = self.chart.lifelines.len();
            let event = self.event(EventKind::Start { by: by.unwrap_or(lifeline), lifeline });
            let name = naming::process_name(self.reference.network(), template, pid);
            self.chart.lifelines.push(Lifeline { pid, name, started: Some(event), ended: None });
            self.living.push(lifeline);
        }
    }

    fn lose_channels_of(&mut self, gone: usize) {
        let homes = |home: &ChannelHome| matches!(home, ChannelHome::Process { pid, .. } if *pid as usize == gone);
        let lost: Vec<ChannelHome> = self.queues.keys().filter(|home| homes(home)).copied().collect();
        for message in lost.into_iter().filter_map(|home| self.queues.remove(&home)).flatten() {
            self.chart.messages[message].fate = Fate::Lost;
        }
    }
}

/// What is in a channel; `None` if its process does not exist.
fn contents(state: &RefState, home: ChannelHome) -> Option<&Contents> {
    match home {
        ChannelHome::Global(index) => state.channels.get(index as usize),
        ChannelHome::Process { pid, index } => state.processes.get(pid as usize)?.channels.get(index as usize),
    }
}
