//! SPIN's trails: counterexamples as its verifier writes them and `spin -t` replays them.
//!
//! A trail is a text of lines `depth:process:statement`. Statements have SPIN's numbers ([`Numbering`]), processes theirs;
//! if a claim watches the run, it is process 0 and the others count from 1. A few lines with negative numbers are no steps:
//! `-2:N:-2` names the claim, `-4:-4:-4` says that chains of statements were joined, and `-1:-1:-1` stands where the loop of
//! a run that goes on for ever begins.
//!
//! [`write`](mod@write) makes a trail of a trace, [`read`] takes one apart and follows it, [`explain`] finds out what it shows.
//!
//! [`Numbering`]: bughound_ir::numbering::Numbering

pub mod explain;
pub mod read;
pub mod write;

/// First numbers of lines that are no steps.
const LOOP: i64 = -1;
const CLAIM: i64 = -2;
const MERGED: i64 = -4;
