//! State stores: sets of states with dense ids.
//!
//! Keys are packed by the domains of their slots ([`Packer`]) and only packed keys are hashed, compared and kept. There
//! is one store for each way to compare states: [`ExactStore`] and [`TreeStore`], which keeps the parts that states share once,
//! for untimed models, [`CoveringStore`] for models whose
//! states carry a cover (a clock zone), where a state may be dropped in favour of a larger one. [`CompactStore`] remembers a hash
//! of a state, [`BitSet`] a few bits; both may confuse states. [`Interner`] numbers states that are values of a Rust type. [`Stores`] makes the stores that fit a system.
//!
//! ```
//! use bughound_kernel::{Layout, Lookup, Slot, State, StateId, StateStore};
//! use bughound_store::ExactStore;
//!
//! let mut store = ExactStore::new(&Layout::new(vec![Slot::new(0, 7), Slot::new(-1, 1)]));
//! let mut displaced = Vec::new();
//! let state = State::discrete(&[5, -1]);
//! assert_eq!(store.insert(state, 0, &mut displaced), Ok(Lookup::New(StateId(0))));
//! assert_eq!(store.insert(state, 0, &mut displaced), Ok(Lookup::Known(StateId(0))));
//! ```

mod arena;
mod bit_set;
mod column;
mod compact;
mod covering;
mod exact;
mod expected;
mod field_hasher;
mod handing_over;
mod heed;
mod huge_pages;
mod id_table;
mod interner;
mod merging;
mod narrow_table;
mod numbering;
mod open_states;
mod packed_states;
mod packing;
mod pairs;
mod prefetch;
mod recent;
pub mod registry;
mod renumbered;
mod repacking;
mod rows;
mod sharded;
mod shared_table;
mod source;
mod tree;
mod tree_shape;

pub use bit_set::BitSet;
pub use compact::CompactStore;
pub use covering::CoveringStore;
pub use exact::ExactStore;
pub use interner::{Batch, Interner};
pub use packing::Packer;
pub use prefetch::prefetch;
pub use registry::{StoreEntry, StoreKind};
pub use source::Stores;
pub use tree::TreeStore;
