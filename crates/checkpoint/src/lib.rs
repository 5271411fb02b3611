//! Checkpoints: what a long run has to remember to go on after it was killed.
//!
//! A [`Folder`] is a directory that holds one complete [checkpoint](Saved), or none. A checkpoint is a list of named sections, each a
//! file, and a manifest that names them with their lengths and checksums. Whoever writes the next one ([`Draft`]) writes new
//! files beside the old ones, has them reach the disk, and replaces the manifest at last, by renaming: that is the moment at which
//! the next checkpoint takes the place of the one before, whose files are then removed. Until then the one before stays
//! valid, whatever happens: a kill, a full disk, a power cut.
//!
//! **What is the same run?** The manifest records an [`Identity`]: names and values of all that matters. Whoever goes on says what it is
//! now, and is refused by name where it was something else.
//!
//! **Large sections** are streamed ([`Writer`], [`Reader`]). A section that has not changed since the last checkpoint is
//! [kept](Draft::keep) without being written again; files that a search has on disk anyway are [added](Draft::add_file) by a hard link
//! and [put back](Saved::place) in the same way. Processes that share a folder each [write sections](section_of) and send their
//! [`Entry`]s to the one that writes the manifest ([`Draft::include`]).
//!
//! **Nothing is believed.** A section is handed out after its length and its checksum have been compared with the manifest, which ends
//! with a checksum of its own. Lengths that are read are compared with what is left of the section before memory is taken for
//! them. Damage is an [`Error`] with a text, never a panic.
//!
//! ```
//! use bughound_checkpoint::{Folder, Identity};
//! # let place = tempfile::tempdir().unwrap();
//! # let place = place.path();
//! let mut folder = Folder::create(place)?;
//! let identity = Identity::new().with("--search", "bfs").with("--seed", 7);
//! let mut draft = folder.draft(&identity)?;
//! let mut states = draft.section("states")?;
//! states.number(3);
//! states.text("three states");
//! draft.finish(states)?;
//! draft.commit()?;
//! drop(folder);
//!
//! let folder = Folder::open(place)?;
//! let saved = folder.saved()?;
//! saved.identity().compare(&identity)?;
//! let mut states = saved.section("states")?;
//! assert_eq!((states.number()?, states.text()?.as_str()), (3, "three states"));
//! states.end()?;
//!
//! let other = Identity::new().with("--search", "astar").with("--seed", 7);
//! assert_eq!(saved.identity().compare(&other).unwrap_err().to_string(), "--search: bfs then, astar now");
//! # Ok::<(), bughound_checkpoint::Error>(())
//! ```

mod draft;
mod error;
mod files;
mod folder;
mod identity;
mod manifest;
mod reader;
mod record;
mod saved;
mod writer;

pub use draft::{Draft, section_of};
pub use error::Error;
pub use folder::Folder;
pub use identity::{Fingerprint, Identity};
pub use manifest::Entry;
pub use reader::Reader;
pub use record::{Record, read_all, write_all};
pub use saved::Saved;
pub use writer::Writer;

/// The version of the format: of the manifest, and of how numbers and texts are written in sections.
pub const FORMAT: u64 = 1;
