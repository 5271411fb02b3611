//! Searches that can be saved while they are under way, and go on in another process.
//!
//! A check makes several searches, one after the other, and some of them run the best-first engine several times. The
//! [`Journal`] records what is over with its results: calls of searches, and runs of the engine within the call under way. The
//! program that goes on does the same once more, from the beginning, and is handed the recorded results in their order; what
//! was found is replayed and confirmed again like everything else. Where the records end, the run under way goes on from what was
//! saved of it between two expansions: states, nodes, open list, evaluator, errors that wait, counts
//! (`engines/best_first/saving.rs`). Open lists and evaluators say themselves what there is to be saved ([`Snapshot`]).
//!
//! Engines of other crates do the same through the [`Driver`](crate::Driver): [`begin_run`](crate::Driver::begin_run) tells where to begin,
//! [`is_time_to_save`](crate::Driver::is_time_to_save) when to [save](crate::Driver::save_sections) sections of their own (runs on disk as
//! files that are linked), [`end_run`](crate::Driver::end_run) and [`end_saving`](crate::Driver::end_saving) what became of it. Their searches
//! say that they [can be saved](crate::Search::can_be_saved).
//!
//! Numbers of states are those of a store, and another store may give others: what is saved has dense numbers
//! ([`Ids`]), in the order of the ids; with one thread they are the same.

mod ids;
mod journal;
mod recorded;
mod records;
mod states;

pub use ids::Ids;
pub use journal::{Begin, Journal, Resumed};
pub(crate) use journal::{Image, Section};
pub(crate) use records::{read_failure, read_move, write_failure, write_move};
pub use states::{read_presence, read_states, write_presence, write_states};

use bughound_checkpoint::{Error, Reader, Writer};

/// What can be saved and loaded into another one that was made in the same way.
pub trait Snapshot {
    fn save(&self, ids: &Ids, to: &mut Writer);

    /// Into one that is as it was when it was made.
    fn load(&mut self, ids: &Ids, from: &mut Reader) -> Result<(), Error>;
}
