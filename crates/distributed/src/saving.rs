//! What a worker writes while all of them [pause](crate::pause), and how another process has it again.
//!
//! Each worker has sections of its own: its states in the order of their numbers, what it knows of them (cost, parent, whether they
//! are open), its open list with its evaluator, and its share of the counts and errors. Numbers of states stay the same, so parents that
//! other workers own need no translation; therefore a search goes on with as many workers as it had. States are only added: a
//! checkpoint keeps the sections of the one before and adds those that are new.
//!
//! Each process writes the sections of its workers into the folder that all share, and tells the first one, which writes the manifest:
//! so the checkpoint is there in one step, with all workers of that moment, or not at all.

use std::path::Path;

use bughound_checkpoint::{Entry, Error, Writer, section_of};
use bughound_kernel::{Layout, Lookup, OutOfMemory, Presence, StateBuf, StateId, StopReason};
use bughound_search::evaluators::Priority;
use bughound_search::open_lists::Divisible;
use bughound_search::saving::{Ids, Resumed, read_presence, read_states, write_presence, write_states};
use serde::{Deserialize, Serialize};

use crate::worker::{Agenda, Left};

/// The states of a worker that are in the last checkpoint: so many, in so many sections.
#[derive(Clone, Copy, Debug, Default)]
pub struct SavedStates {
    parts: usize,
    states: u32,
}

/// A section of the next checkpoint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Section {
    /// A line that tells all that the manifest tells.
    Written(String),
    /// The one of the checkpoint before, by name.
    Kept(String),
}

/// Why a worker cannot go on.
pub enum Failed {
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

/// Sections of workers begin with this.
const CLUSTER: &str = "cluster";

fn name(worker: usize, what: &str) -> String {
    format!("{CLUSTER}-{worker}-{what}")
}

fn states(worker: usize, part: usize) -> String {
    name(worker, &format!("states-{part}"))
}

const NODES: &str = "nodes";
const SEARCH: &str = "search";

/// Where sections are written.
struct Place<'p> {
    directory: &'p Path,
    generation: u64,
    written: Vec<Section>,
}

impl Place<'_> {
    fn write(&mut self, name: &str, write: impl FnOnce(&mut Writer)) -> Result<(), Error> {
        let mut to = section_of(self.directory, name, self.generation)?;
        write(&mut to);
        let entry = to.close(self.directory)?;
        self.written.push(Section::Written(entry.to_line()));
        Ok(())
    }
}

impl Section {
    /// The entry of a section that was written, or the name of one that is kept.
    pub fn entry(&self) -> Result<Entry, &str> {
        match self {
            Section::Written(line) => Entry::from_line(line).ok_or(line),
            Section::Kept(name) => Err(name),
        }
    }
}

impl<O: Divisible<P::Key>, P: Priority> Left<'_, O, P> {
    /// Can it be saved?
    pub fn is_restorable(&self) -> bool {
        self.store.is_restorable() && !matches!(self.agenda, Agenda::Beam(_))
    }

    /// Writes its sections. What of its states is saved then.
    pub fn save(&self, worker: usize, directory: &Path, generation: u64) -> Result<(Vec<Section>, SavedStates), Error> {
        let (Agenda::InLayers(open) | Agenda::AtOnce(open)) = &self.agenda else {
            return Ok((Vec::new(), self.saved));
        };
        let mut place = Place { directory, generation, written: Vec::new() };
        let count = self.store.len() as u32;
        let SavedStates { mut parts, states: before } = self.saved;
        place.written.extend((0..parts).map(|part| Section::Kept(states(worker, part))));
        if count > before {
            let read = |id: u32, state: &mut StateBuf| self.store.read(StateId(id), state);
            place.write(&states(worker, parts), |to| write_states(before..count, read, to))?;
            parts += 1;
        }
        let ids = Ids::dense(count);
        let presences = self.store.presences(&mut ids.iter());
        place.write(&name(worker, NODES), |to| {
            to.number(count.into());
            for id in ids.iter() {
                let [cost, link] = self.nodes.as_numbers(id);
                to.number(cost);
                to.raw(&link.to_le_bytes());
            }
            to.flag(presences.is_some());
            presences.iter().flatten().for_each(|presence| write_presence(*presence, to));
        })?;
        let share = serde_json::to_vec(&self.share).unwrap_or_default();
        place.write(&name(worker, SEARCH), |to| {
            to.number(parts as u64);
            to.bytes(&share);
            self.priority.save(&ids, to);
            open.save(&ids, to);
        })?;
        Ok((place.written, SavedStates { parts, states: count }))
    }

    /// Has it go on where a worker of this number was saved. `stopped` is asked now and then.
    pub fn load(
        &mut self,
        worker: usize,
        resumed: &Resumed,
        layout: &Layout,
        stopped: &dyn Fn() -> Option<StopReason>,
    ) -> Result<(), Failed> {
        let mut from = resumed.section(&name(worker, SEARCH))?;
        let parts = from.small()?;
        let share = from.bytes()?;
        self.share = serde_json::from_slice(&share).map_err(|error| from.damaged(error.to_string()))?;
        let mut nodes = resumed.section(&name(worker, NODES))?;
        let count: u32 = nodes.small()?;
        let ids = Ids::dense(count);
        for id in ids.iter() {
            let (cost, mut link) = (nodes.number()?, [0; 8]);
            nodes.raw(&mut link)?;
            self.nodes.restore(id, [cost, u64::from_le_bytes(link)])?;
        }
        let are_listed = nodes.flag()?;
        let mut stored = 0_u32;
        for part in 0..parts {
            read_states(layout, &mut resumed.section(&states(worker, part))?, |state| {
                if let Some(reason) = stopped() {
                    return Err(Failed::Limit(reason));
                }
                let presence = if are_listed { read_presence(&mut nodes)? } else { Presence::Compared(0) };
                if self.store.restore(state, presence)? != Lookup::New(StateId(stored)) {
                    return Err(nodes.damaged("a state was saved twice").into());
                }
                stored += 1;
                Ok(())
            })?;
        }
        if stored != count {
            return Err(nodes.damaged("states are missing").into());
        }
        nodes.end()?;
        self.priority.load(&ids, &mut from)?;
        if let Agenda::InLayers(open) | Agenda::AtOnce(open) = &mut self.agenda {
            open.load(&ids, &mut from)?;
        }
        from.end()?;
        (self.has_begun, self.saved) = (true, SavedStates { parts, states: count });
        Ok(())
    }
}
