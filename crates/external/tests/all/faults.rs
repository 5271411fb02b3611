//! Disks that fail: a verdict, never a wrong answer, a panic or a file that is left.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

use bughound_external::{Medium, Space};
use bughound_kernel::{Random, StopReason};
use bughound_search::*;
use bughound_store::Stores;

use crate::support::*;
use crate::trials::{Shelf, Trial, budget, external};

#[derive(Clone, Copy, Debug)]
enum Fault {
    Full,
    Broken,
    /// What is written ends too early.
    Torn,
    /// What is written is not what was to be written.
    FlippedInWriting(u64),
    FlippedInReading(u64),
    ShortRead,
}

/// Fails at one operation, and from then on if the disk is full or broken.
struct Faulty {
    shelf: Shelf,
    fault: Fault,
    at: u64,
    operations: AtomicU64,
}

impl Faulty {
    fn is_time(&self) -> (bool, bool) {
        let now = self.operations.fetch_add(1, Ordering::Relaxed);
        (now == self.at, now >= self.at)
    }
}

fn flip(bytes: &mut [u8], bit: u64) {
    let bits = bytes.len() as u64 * 8;
    if bits > 0 {
        bytes[(bit % bits / 8) as usize] ^= 1 << (bit % 8);
    }
}

impl Medium for Faulty {
    fn append(&self, file: u64, bytes: &[u8]) -> io::Result<()> {
        let (now, since) = self.is_time();
        match self.fault {
            Fault::Full if since => Err(io::ErrorKind::StorageFull.into()),
            Fault::Broken if since => Err(io::Error::other("broken")),
            Fault::Torn if now => self.shelf.append(file, &bytes[..bytes.len() / 2]),
            Fault::FlippedInWriting(bit) if now => {
                let mut bytes = bytes.to_vec();
                flip(&mut bytes, bit);
                self.shelf.append(file, &bytes)
            }
            _ => self.shelf.append(file, bytes),
        }
    }

    fn read(&self, file: u64, at: u64, into: &mut [u8]) -> io::Result<()> {
        let (now, since) = self.is_time();
        match self.fault {
            Fault::Broken if since => Err(io::Error::other("broken")),
            Fault::ShortRead if now => Err(io::ErrorKind::UnexpectedEof.into()),
            Fault::FlippedInReading(bit) if now => {
                self.shelf.read(file, at, into)?;
                flip(into, bit);
                Ok(())
            }
            _ => self.shelf.read(file, at, into),
        }
    }

    fn remove(&self, file: u64) -> io::Result<()> {
        self.shelf.remove(file)
    }
}

#[test]
fn a_disk_that_fails_is_a_verdict() {
    let (mut full, mut failed, mut unharmed) = (0, 0, 0);
    for seed in 0..4_000 {
        let mut random = Random::new(seed);
        let nodes = 20 + random.below(200);
        let graph = random_graph(seed, nodes, 3, 3);
        let mut goals = avoid((0..random.below(2)).map(|_| random.below(nodes)));
        goals.deadlock = Some(1002);
        let stop = [StopPolicy::Exhaustive, StopPolicy::FirstError][random.below(2)];
        let name = ["external-bfs", "external-astar"][random.below(2)];
        let fault = match random.below(6) {
            0 => Fault::Full,
            1 => Fault::Broken,
            2 => Fault::Torn,
            3 => Fault::FlippedInWriting(random.draw()),
            4 => Fault::FlippedInReading(random.draw()),
            _ => Fault::ShortRead,
        };
        let most = [3, 30, 300][random.below(3)];
        let at = random.below(most) as u64;
        let shelf = Shelf::default();
        let faulty = Faulty { shelf: shelf.clone(), fault, at, operations: AtomicU64::new(0) };
        let trial = Trial { system: &graph, goals: &goals, stop, heuristics: &Table::blind() };
        let search = external(name, budget(&mut random));
        let (result, _) = trial.run_on(&search, Box::new(faulty), Controls::default());
        assert_eq!(shelf.files(), 0);
        let expected = run("bfs", &graph, &goals, stop);
        let context = format!("seed {seed}, {fault:?} at {at}: {result:?}, expected {expected:?}");
        let result = result.unwrap_or_else(|error| panic!("{error}: {context}"));
        for witness in &result.witnesses {
            check_path(&graph, witness);
            if witness.proven_shortest && stop == StopPolicy::Exhaustive {
                assert_eq!(lengths(&expected).get(&witness.property), Some(&witness.length), "{context}");
            }
        }
        match result.stop_reason {
            None => {
                unharmed += 1;
                assert_eq!(result.complete, expected.complete, "{context}");
                assert_eq!(result.witnesses.is_empty(), expected.witnesses.is_empty(), "{context}");
                if result.complete {
                    assert_eq!(result.stats.stored, expected.stats.stored, "{context}");
                }
            }
            Some(StopReason::DiskSpace) => full += 1,
            Some(StopReason::DiskFailure) => failed += 1,
            Some(_) => panic!("{context}"),
        }
        assert!(!result.complete || result.stop_reason.is_none(), "{context}");
    }
    assert!(full > 200 && failed > 800 && unharmed > 500, "{full} {failed} {unharmed}");
}

#[test]
fn no_more_is_used_of_the_disk_than_allowed() {
    let mut stopped = 0;
    for seed in 0..300 {
        let mut random = Random::new(seed);
        let graph = random_graph(seed, 300, 3, 2);
        let goals = Goals::none();
        let most = 1 << random.below(16);
        let stores = Stores::new(&graph);
        let heuristics = Table::blind();
        let task = Task {
            system: &graph,
            goals: &goals,
            stop: StopPolicy::Exhaustive,
            stores: &stores,
            heuristics: &heuristics,
        };
        let shelf = Shelf::default();
        let space = Space::new(Box::new(shelf.clone()), Some(most));
        let search = external("external-bfs", budget(&mut random));
        let result = search.run_in(&space, task, &mut Driver::new(Controls::default())).unwrap();
        let traffic = space.traffic();
        assert!(traffic.peak <= most && traffic.used == 0 && shelf.files() == 0, "{traffic:?}");
        assert_eq!(result.complete, result.stop_reason.is_none());
        stopped += u32::from(result.stop_reason == Some(StopReason::DiskSpace));
    }
    assert!((30..270).contains(&stopped), "{stopped}");
}
