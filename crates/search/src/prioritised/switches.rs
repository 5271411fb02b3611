//! Grades by the number of context switches on the way.

use std::ops::ControlFlow;

use bughound_checkpoint::{Error, Reader, Writer};
use bughound_kernel::{Explorer, Move, State, StateId, StepClass};

use crate::evaluators::{Arrival, Grade, Grader, Origin};
use crate::prioritised::{Classes, PerState, read_class, write_class};
use crate::saving::{Ids, Snapshot};

/// When a step switches the context.
pub(crate) enum Switch<'c> {
    /// It shares no process with the step before it. `blocked`: then it is free where no process of that step can move;
    /// an explorer tells.
    Process { blocked: Option<Box<dyn Explorer + 'c>> },
    /// It is not in the context of the step before it, up to this distance.
    Interference { contexts: Option<Classes<'c>>, within: u8 },
}

/// The grade of a step is the number of switches on the path that it ends.
pub(crate) struct BySwitches<'c> {
    switch: Switch<'c>,
    switches: PerState<u32>,
    classes: PerState<Option<StepClass>>,
    /// The processes of the last step.
    processes: PerState<u64>,
    /// The state asked about last, and whether the processes of its last step are blocked there.
    asked: Option<(StateId, bool)>,
}

impl<'c> BySwitches<'c> {
    pub(crate) fn new(switch: Switch<'c>) -> Self {
        let (switches, classes, processes) = Default::default();
        BySwitches { switch, switches, classes, processes, asked: None }
    }

    fn is_switch(&mut self, from: Origin<'_>, moves: &[Move], id: StateId) -> bool {
        match &mut self.switch {
            Switch::Process { blocked } => {
                let now = processes(moves);
                self.processes.set(id.index(), now);
                let before = self.processes.get(from.id.index());
                if before == 0 || before & now != 0 {
                    return false;
                }
                let Some(explorer) = blocked else { return true };
                let is_blocked = match self.asked {
                    Some((asked, is_blocked)) if asked == from.id => is_blocked,
                    _ => !can_move(&mut **explorer, from.state, before),
                };
                self.asked = Some((from.id, is_blocked));
                !is_blocked
            }
            Switch::Interference { contexts: None, .. } => false,
            Switch::Interference { contexts: Some(contexts), within } => {
                let now = contexts.class(moves);
                self.classes.set(id.index(), Some(now));
                let Some(before) = self.classes.get(from.id.index()) else { return false };
                contexts.distance(before, now).is_none_or(|distance| distance > *within)
            }
        }
    }
}

/// Processes as bits; those whose numbers are equal modulo 64 count as one, which only changes an order.
fn processes(moves: &[Move]) -> u64 {
    moves.iter().fold(0, |all, made| all | 1 << (made.process % 64))
}

fn can_move(explorer: &mut dyn Explorer, state: State<'_>, wanted: u64) -> bool {
    let mut found = false;
    explorer.successors(state, &mut |step| {
        found |= processes(step.moves) & wanted != 0;
        if found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    found
}

impl Grader for BySwitches<'_> {
    fn grade(&mut self, arrival: &Arrival<'_>, _estimate: Option<u64>) -> Option<Grade> {
        let Some(from) = arrival.from else { return Some(Grade::FIRST) };
        let switched = u32::from(self.is_switch(from, arrival.moves, arrival.id));
        let switches = self.switches.get(from.id.index()).saturating_add(switched).min(Grade::LAST.0 - 1);
        self.switches.set(arrival.id.index(), switches);
        Some(Grade(switches))
    }

    fn memory(&self) -> u64 {
        let contexts = match &self.switch {
            Switch::Interference { contexts: Some(contexts), .. } => contexts.memory(),
            _ => 0,
        };
        self.switches.memory() + self.classes.memory() + self.processes.memory() + contexts
    }
}

/// What was asked last is asked again.
impl Snapshot for BySwitches<'_> {
    fn save(&self, ids: &Ids, to: &mut Writer) {
        if let Switch::Interference { contexts, .. } = &self.switch {
            contexts.save(ids, to);
        }
        self.switches.save(ids, to, |switches, to| to.number(switches.into()));
        self.classes.save(ids, to, write_class);
        self.processes.save(ids, to, |processes, to| to.number(processes));
    }

    fn load(&mut self, ids: &Ids, from: &mut Reader) -> Result<(), Error> {
        if let Switch::Interference { contexts, .. } = &mut self.switch {
            contexts.load(ids, from)?;
        }
        self.switches.load(ids, from, Reader::small)?;
        let classes = if let Switch::Interference { contexts, .. } = &self.switch { contexts.as_ref() } else { None };
        self.classes.load(ids, from, |from| read_class(classes, from))?;
        self.processes.load(ids, from, Reader::number)
    }
}
