//! **Largest zone first.** Of all open states of a timed model, the one with the largest clock zone is expanded first.
//!
//! Paper: Herbreteau, Tran 2015, "Improving search order for reachability testing in timed automata". A state with a small
//! zone that is expanded before one with a larger zone and the same key is a mistake: all that lies behind it is explored
//! again. The paper repairs mistakes when they show (a ranking); the size of zones avoids most of them beforehand, and
//! needs no tree. A ranking by displaced subtrees, breadth-first among equals, expanded 49,000 states of Fischer's protocol
//! with 8 processes and 133,000 of the critical region with 4; sizes 25,080 and 69,700.
//!
//! Claims: complete; not optimal.
//!
//! Cost: each state that is left at the end is expanded at least once, and few others: for Fischer's protocol, CSMA/CD and
//! FDDI none or nearly none. Logarithmic time for each entry of the open list.
//!
//! Fails: to find errors sooner than by chance. It is a search for proofs. Without clocks it is breadth-first search.
//!
//! Example: place 1 is reached with x = 0 by one step and with any x by two. The second is expanded first, and the first
//! is never.

use crate::configuration::BlindSearch;
use crate::registry::{Claims, CycleSupport, Entry, Promise};

pub(super) const ENTRY: Entry = Entry {
    name: "largest-first",
    summary: "largest clock zones first; for proofs in timed models",
    cite: "Herbreteau, Tran 2015",
    params: &[],
    claims: Claims { complete: Promise::Always, optimal: Promise::Never },
    cycles: CycleSupport::ByRecording,
    build: |_, _| Ok(Box::new(BlindSearch::largest_first("largest-first"))),
};
