//! What a result says, as text with a checksum: counts, errors, where states lie.

use std::fmt::Write;
use std::str::{FromStr, SplitAsciiWhitespace};

use bughound_kernel::{Failure, FailureKind, Move};
use xxhash_rust::xxh3::xxh3_64;

use crate::blocks::Place as Block;
use crate::trouble::Trouble;

/// The states of one cost. Steps that cost nothing lead to the next round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Bucket {
    pub cost: u64,
    pub round: u64,
}

impl Bucket {
    pub(super) const FIRST: Bucket = Bucket { cost: 0, round: 0 };
    /// Beyond the bound on costs: only whether there is something new is of interest.
    pub(super) const BEYOND: Bucket = Bucket { cost: u64::MAX, round: 0 };
}

/// A run that lies in a file of the result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct KeptRun {
    pub bucket: Bucket,
    pub part: u32,
    pub file: String,
    pub rows: u64,
    pub bytes: u64,
    pub places: Vec<Block>,
}

/// A step that fails: kind, edge and code.
pub(super) type Failing = (u32, u32, u32);

/// An error, and the state at which it was met.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Seen {
    /// When it counts.
    pub cost: u64,
    pub property: usize,
    pub state_cost: u64,
    pub from: u32,
    pub words: Vec<u32>,
    pub failure: Option<Failing>,
}

impl Seen {
    pub(super) fn failure(&self) -> Option<Failure> {
        let kinds = [FailureKind::Assertion, FailureKind::Evaluation];
        self.failure.map(|(kind, edge, code)| Failure { kind: kinds[kind as usize % 2], edge, code })
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Record {
    /// Expanded, generated, transitions, deadlocks, failed assertions, evaluation errors.
    pub counts: [u64; 6],
    /// A step did not end.
    pub endless: bool,
    /// Properties with failing steps beyond the bound.
    pub beyond: Vec<usize>,
    pub runs: Vec<KeptRun>,
    /// Of a merged part: what was expanded, this bucket included: requests and their files.
    pub closed: Vec<(String, String)>,
    pub seen: Vec<Seen>,
    /// The moves that occurred.
    pub moves: Vec<Move>,
}

impl Record {
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = self.write(&mut text);
        let sum = xxh3_64(text.as_bytes());
        let _ = writeln!(text, "end {sum:016x}");
        text.into_bytes()
    }

    fn write(&self, text: &mut String) -> std::fmt::Result {
        let [expanded, generated, transitions, deadlocks, assertions, evaluations] = self.counts;
        writeln!(text, "counts {expanded} {generated} {transitions} {deadlocks} {assertions} {evaluations}")?;
        writeln!(text, "endless {}", u8::from(self.endless))?;
        for property in &self.beyond {
            writeln!(text, "beyond {property}")?;
        }
        for run in &self.runs {
            let Bucket { cost, round } = run.bucket;
            writeln!(text, "run {cost} {round} {} {} {} {}", run.part, run.file, run.rows, run.bytes)?;
            for Block { first, at, length } in &run.places {
                writeln!(text, "block {first} {at} {length}")?;
            }
        }
        for (request, file) in &self.closed {
            writeln!(text, "closed {request} {file}")?;
        }
        for one in &self.seen {
            write!(text, "seen {} {} {} {}", one.cost, one.property, one.state_cost, one.from)?;
            let (kind, edge, code) = one.failure.unwrap_or((u32::MAX, 0, 0));
            write!(text, " {kind} {edge} {code}")?;
            one.words.iter().try_for_each(|word| write!(text, " {word}"))?;
            writeln!(text)?;
        }
        for Move { process, edge, destination, joins } in &self.moves {
            writeln!(text, "move {process} {edge} {destination} {}", u8::from(*joins))?;
        }
        Ok(())
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> Result<Self, Trouble> {
        let text = std::str::from_utf8(bytes).map_err(|_| Trouble::Corrupt)?;
        let (body, end) = text.rfind("end ").map(|at| text.split_at(at)).ok_or(Trouble::Corrupt)?;
        if end != format!("end {:016x}\n", xxh3_64(body.as_bytes())) {
            return Err(Trouble::Corrupt);
        }
        let mut record = Record::default();
        for line in body.lines() {
            let mut words = line.split_ascii_whitespace();
            record.read(words.next().ok_or(Trouble::Corrupt)?, &mut words)?;
        }
        Ok(record)
    }

    fn read(&mut self, what: &str, words: &mut SplitAsciiWhitespace<'_>) -> Result<(), Trouble> {
        match what {
            "counts" => {
                for count in &mut self.counts {
                    *count = next(words)?;
                }
            }
            "endless" => self.endless = next::<u8>(words)? != 0,
            "beyond" => self.beyond.push(next(words)?),
            "run" => {
                let bucket = Bucket { cost: next(words)?, round: next(words)? };
                let (part, file) = (next(words)?, next(words)?);
                let (rows, bytes) = (next(words)?, next(words)?);
                self.runs.push(KeptRun { bucket, part, file, rows, bytes, places: Vec::new() });
            }
            "block" => {
                let block = Block { first: next(words)?, at: next(words)?, length: next(words)? };
                self.runs.last_mut().ok_or(Trouble::Corrupt)?.places.push(block);
            }
            "closed" => self.closed.push((next(words)?, next(words)?)),
            "seen" => {
                let (cost, property) = (next(words)?, next(words)?);
                let (state_cost, from) = (next(words)?, next(words)?);
                let failure = (next(words)?, next(words)?, next(words)?);
                let failure = (failure.0 != u32::MAX).then_some(failure);
                let words = words.map(|word| word.parse().map_err(|_| Trouble::Corrupt)).collect::<Result<_, _>>()?;
                self.seen.push(Seen { cost, property, state_cost, from, words, failure });
            }
            "move" => {
                let (process, edge, destination) = (next(words)?, next(words)?, next(words)?);
                let joins = next::<u8>(words)? != 0;
                self.moves.push(Move { process, edge, destination, joins });
            }
            _ => return Err(Trouble::Corrupt),
        }
        Ok(())
    }

    /// There is an error of this property beyond the bound.
    pub(super) fn miss(&mut self, property: usize) {
        if !self.beyond.contains(&property) {
            self.beyond.push(property);
        }
    }

    /// Keeps the least error of each property.
    pub(super) fn note(&mut self, seen: Seen) {
        match self.seen.iter_mut().find(|one| one.property == seen.property) {
            Some(known) if *known <= seen => {}
            Some(known) => *known = seen,
            None => self.seen.push(seen),
        }
    }
}

fn next<T: FromStr>(words: &mut SplitAsciiWhitespace<'_>) -> Result<T, Trouble> {
    words.next().and_then(|word| word.parse().ok()).ok_or(Trouble::Corrupt)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> Record {
        let bucket = Bucket { cost: 7, round: 1 };
        let places = vec![Block { first: u64::MAX, at: 0, length: 9 }, Block { first: 3, at: 9, length: 1 }];
        let failure = Some((1, 22, 3));
        let seen = Seen { cost: 8, property: 2, state_cost: 7, from: 65_536, words: vec![1, 0], failure };
        Record {
            counts: [1, 2, 3, 4, 5, 6],
            endless: true,
            beyond: vec![3],
            runs: vec![KeptRun { bucket, part: 4, file: "0.run".into(), rows: 10, bytes: 10, places }],
            closed: vec![("merge-7-1-4".into(), "0.run".into())],
            seen: vec![seen.clone(), Seen { failure: None, words: vec![], property: 5, ..seen }],
            moves: vec![Move { process: 1, edge: 2, destination: 0, joins: true }],
        }
    }

    #[test]
    fn what_is_written_is_read() {
        for record in [record(), Record::default()] {
            assert_eq!(Record::from_bytes(&record.to_bytes()).unwrap(), record);
        }
    }

    #[test]
    fn no_damage_goes_unnoticed() {
        let bytes = record().to_bytes();
        for at in 0..bytes.len() {
            for bit in 0..8 {
                let mut damaged = bytes.clone();
                damaged[at] ^= 1 << bit;
                assert!(Record::from_bytes(&damaged).is_err(), "{at} {bit}");
            }
            assert!(Record::from_bytes(&bytes[..at]).is_err());
        }
    }

    #[test]
    fn the_least_error_of_a_property_stays() {
        let mut record = record();
        let dearer = Seen { cost: 9, ..record.seen[0].clone() };
        let cheaper = Seen { cost: 1, ..record.seen[0].clone() };
        record.note(dearer);
        assert_eq!(record.seen[0].cost, 8);
        record.note(cheaper);
        assert_eq!((record.seen.len(), record.seen[0].cost), (2, 1));
    }
}
