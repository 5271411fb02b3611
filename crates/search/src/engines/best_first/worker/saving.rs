//! A worker that is alone is saved between two expansions, and another one goes on from there.
//!
//! What ends a search in the middle of an expansion (a limit, Ctrl-C) leaves a state of which some steps were taken. It is saved
//! as it was before: to be expanded, with the counts of that moment. The worker that goes on expands it first: what it
//! led to by then is stored and open, in the order in which it was met, and is met again as known. So the counts, and the
//! order of all states, are those of a search that nothing has ended. For the same reason, no state is expected beyond the end
//! of an expansion.

use std::ops::ControlFlow;

use bughound_checkpoint::{Error, Reader, Record, Writer};
use bughound_kernel::{Lookup, OutOfMemory, Presence, StateBuf, StateId, StopReason};

use super::super::share::Share;
use super::Worker;
use crate::engines::best_first::frontier::Frontier;
use crate::engines::ending::Halt;
use crate::engines::meter::Meter;
use crate::evaluators::Priority;
use crate::node_table::{Known, Taken, Visit};
use crate::result::{SearchError, Statistics};
use crate::saving::{Ids, Image, Resumed, Section, Snapshot, read_presence, read_states, write_presence, write_states};

const SEARCH: &str = "search";
const NODES: &str = "nodes";
const OPEN: &str = "open";
/// For stores that do not compare newcomers with all states.
const PRESENCES: &str = "presences";

/// States between two looks at the signal to stop.
const AT_ONCE: usize = 1 << 10;

pub(super) struct Saving<K> {
    /// The state that is being expanded, as it was taken.
    step: Option<(K, StateId, Taken)>,
    /// The counts of that moment.
    before: Statistics,
    /// Memory has run out where it leaves a state half done.
    is_broken: bool,
}

impl<K> Default for Saving<K> {
    fn default() -> Self {
        Saving { step: None, before: Statistics::default(), is_broken: false }
    }
}

/// Why a search does not go on.
enum Failed {
    Limit(StopReason),
    Damaged(Error),
}

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        match error {
            Error::OutOfMemory(_) => Failed::Limit(StopReason::Memory),
            other => Failed::Damaged(other),
        }
    }
}

impl From<OutOfMemory> for Failed {
    fn from(_: OutOfMemory) -> Self {
        Failed::Limit(StopReason::Memory)
    }
}

fn write_known(known: Known, ids: &Ids, to: &mut Writer) {
    let flags = [known.is_open, known.was_expanded, known.is_whole];
    to.number(flags.iter().fold(0, |all, flag| all << 1 | u64::from(*flag)));
    ids.write_optional(known.parent, to);
    to.number(known.cost);
}

fn read_known(ids: &Ids, from: &mut Reader) -> Result<Known, Error> {
    let flags = from.number()?;
    let flag = |place: u32| flags >> place & 1 == 1;
    let (parent, cost) = (ids.read_optional(from)?, from.number()?);
    Ok(Known { parent, cost, is_open: flag(2), was_expanded: flag(1), is_whole: flag(0) })
}

impl<F: Frontier<P::Key>, P: Priority, M: Meter> Worker<'_, '_, F, P, M> {
    /// A state was taken and is about to be expanded.
    #[inline]
    pub(super) fn begin_step(&mut self, key: P::Key, id: StateId, taken: Taken) {
        if let Some(saving) = &mut self.saving {
            saving.step = Some((key, id, taken));
            saving.before.clone_from(&self.share.stats);
        }
    }

    /// All of its steps were taken.
    #[inline]
    pub(super) fn end_step(&mut self) -> ControlFlow<()> {
        if self.saving.is_some() {
            self.insert_all_expected()?;
        }
        if let Some(saving) = &mut self.saving {
            saving.step = None;
        }
        ControlFlow::Continue(())
    }

    /// Something was stored, and there was no memory for what belongs to it.
    pub(super) fn breaks(&mut self) {
        if let Some(saving) = &mut self.saving {
            saving.is_broken = true;
        }
    }

    pub(super) fn save_if_due(&mut self) {
        if self.saving.is_some() && self.meter.is_time_to_save() {
            self.save();
        }
    }

    /// If a limit has ended the search, it is saved as it was then.
    pub(super) fn save_at_end(&mut self) {
        if let Some(Halt::Limit(reason)) = self.shared.halted()
            && self.meter.saves_at(reason)
        {
            self.save();
            self.meter.end_saving();
        }
    }

    fn save(&mut self) {
        let Worker { shared, store, frontier, priority, meter, share, saving, taken_cost, least_step, .. } = self;
        let (Some(saving), Some(open)) = (saving, frontier.open()) else { return };
        if saving.is_broken || !store.is_restorable() {
            return;
        }
        let (open, store, priority): (&dyn Snapshot, _, _) = (open, &**store, &*priority);
        let ids = Ids::of(shared.nodes.present());
        let presences = store.presences(&mut ids.iter());
        let step = saving.step;
        let known = |id: StateId| match step {
            Some((_, taken, Taken { visit, is_whole, .. })) if taken == id => {
                let was_expanded = visit == Visit::Again;
                Known { is_open: true, was_expanded, is_whole, ..shared.nodes.known(id) }
            }
            _ => shared.nodes.known(id),
        };
        let counts = match step {
            // What was stored, displaced and left out in the course of the step stays so.
            Some(_) => Statistics {
                displaced: share.stats.displaced,
                reopened: share.stats.reopened,
                dead_ends: share.stats.dead_ends,
                ..saving.before.clone()
            },
            None => share.stats.clone(),
        };
        let share = Share { stats: counts, ..share.clone() };
        let states = |from: u32, to: &mut Writer| {
            let ids = ids.iter().skip(from as usize);
            write_states(ids, |id, state: &mut StateBuf| store.read(id, state), to);
        };
        let nodes = |to: &mut Writer| ids.iter().for_each(|id| write_known(known(id), &ids, to));
        let search = |to: &mut Writer| {
            share.write(to);
            to.number(*taken_cost);
            to.number(*least_step);
            to.flag(step.is_some());
            if let Some((key, id, _)) = step {
                key.write(to);
                ids.write(id, to);
            }
            shared.save(&ids, to);
            priority.save(&ids, to);
        };
        let presences = |to: &mut Writer| {
            to.flag(presences.is_some());
            presences.iter().flatten().for_each(|presence| write_presence(*presence, to));
        };
        let open = |to: &mut Writer| open.save(&ids, to);
        let sections: [Section<'_>; 4] = [(NODES, &nodes), (SEARCH, &search), (PRESENCES, &presences), (OPEN, &open)];
        meter.save(&ids, &Image { states: &states, sections: &sections });
    }

    /// Goes on where another worker was saved, to the end.
    pub(in crate::engines::best_first) fn go_on(mut self, resumed: &Resumed) -> Result<Share, SearchError> {
        self.resume(resumed)?;
        self.save_at_end();
        Ok(self.leave())
    }

    /// The same, without being saved at the end. False: a limit was reached before all of it was there again.
    pub(super) fn resume(&mut self, resumed: &Resumed) -> Result<bool, SearchError> {
        let mut explorer = self.shared.system.explorer();
        explorer.heed(self.meter.signal());
        match self.load(resumed) {
            Ok(step) => {
                // Its turn had come: errors that it led to by then must wait as they did.
                if let Some((key, id)) = step
                    && let Some(taken) = self.shared.nodes.take(id)
                {
                    self.visit_taken(&mut *explorer, key, id, taken, &mut StateBuf::default());
                }
                self.run(&mut *explorer, u64::MAX);
                Ok(true)
            }
            Err(Failed::Limit(reason)) => {
                // Another process may have more room or time: what was saved stays as it is.
                self.meter.end_saving();
                self.share = Share::default();
                let _ = self.stop(Halt::Limit(reason));
                Ok(false)
            }
            Err(Failed::Damaged(error)) => Err(SearchError::Resume(error.to_string())),
        }
    }

    /// What was saved. The state that is to be expanded first, if it was being expanded.
    fn load(&mut self, resumed: &Resumed) -> Result<Option<(P::Key, StateId)>, Failed> {
        let ids = self.load_states(resumed)?;
        let mut from = resumed.section(NODES)?;
        for id in ids.iter() {
            let known = read_known(&ids, &mut from)?;
            self.shared.nodes.restore(id, known)?;
        }
        from.end()?;
        let mut from = resumed.section(SEARCH)?;
        self.share = Share::read(&mut from)?;
        (self.taken_cost, self.least_step) = (from.number()?, from.number()?);
        let step = if from.flag()? { Some((Record::read(&mut from)?, ids.read(&mut from)?)) } else { None };
        self.shared.load(&ids, &mut from)?;
        self.priority.load(&ids, &mut from)?;
        from.end()?;
        let mut from = resumed.section(OPEN)?;
        if let Some(open) = self.frontier.open() {
            open.load(&ids, &mut from)?;
        }
        from.end()?;
        self.tell_floor();
        self.meter.loaded(&ids);
        Ok(step)
    }

    fn load_states(&mut self, resumed: &Resumed) -> Result<Ids, Failed> {
        let mut presences = resumed.section(PRESENCES)?;
        let are_listed = presences.flag()?;
        let mut ids: Vec<u32> = Vec::new();
        let Worker { shared, store, meter, .. } = self;
        for part in resumed.states() {
            read_states(shared.system.layout(), &mut part?, |state| {
                if ids.len().is_multiple_of(AT_ONCE)
                    && let Some(reason) = meter.stopped()
                {
                    return Err(Failed::Limit(reason));
                }
                let presence = if are_listed { read_presence(&mut presences)? } else { Presence::Compared(0) };
                let Lookup::New(StateId(id)) = store.restore(state, presence)? else {
                    return Err(presences.damaged("a state was saved twice").into());
                };
                ids.try_reserve(1).map_err(|_| OutOfMemory)?;
                ids.push(id);
                Ok(())
            })?;
        }
        if ids.len() != resumed.count() as usize {
            return Err(presences.damaged("states are missing").into());
        }
        presences.end()?;
        Ok(Ids::given(ids))
    }
}
