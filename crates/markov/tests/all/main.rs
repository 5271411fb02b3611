//! Random small models, and every question about them compared with brute force in fractions.
//!
//! Nothing of the crate's algorithms is used by the brute force: chains are solved as dense linear systems, decision processes
//! by trying every memoryless scheduler, time by Taylor series.

#[path = "../oracle/mod.rs"]
mod oracle;

mod compare;
mod counterexamples;
mod directed;
mod formats;
