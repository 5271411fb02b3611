//! Runs of the searches of this crate with buffers so small that nearly everything goes to disk, on a disk in memory.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex};

use bughound_external::budget::Budget;
use bughound_external::run::Sizes;
use bughound_external::{External, Medium, Space, Traffic};
use bughound_kernel::registry::Expression;
use bughound_kernel::{Random, TransitionSystem};
use bughound_search::*;
use bughound_store::Stores;

/// Files in memory.
#[derive(Clone, Default)]
pub struct Shelf(Arc<Mutex<HashMap<u64, Vec<u8>>>>);

impl Shelf {
    pub fn files(&self) -> usize {
        self.0.lock().unwrap().len()
    }
}

impl Medium for Shelf {
    fn append(&self, file: u64, bytes: &[u8]) -> io::Result<()> {
        self.0.lock().unwrap().entry(file).or_default().extend_from_slice(bytes);
        Ok(())
    }

    fn read(&self, file: u64, at: u64, into: &mut [u8]) -> io::Result<()> {
        let files = self.0.lock().unwrap();
        let bytes = files.get(&file).ok_or(io::ErrorKind::NotFound)?;
        let at = at as usize;
        into.copy_from_slice(bytes.get(at..at + into.len()).ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn remove(&self, file: u64) -> io::Result<()> {
        self.0.lock().unwrap().remove(&file).map(|_| ()).ok_or(io::ErrorKind::NotFound.into())
    }
}

/// Some division of too little memory.
pub fn budget(random: &mut Random) -> Budget {
    let sizes = Sizes { in_memory: [0, 100, 2_000][random.below(3)], chunk: [1, 300, 5_000][random.below(3)] };
    Budget {
        batches: [1, 3_000, 8_000, 100_000][random.below(4)],
        runs: [0, 1_000, 10_000][random.below(3)],
        hashes: [0, 200, 500, 30_000][random.below(4)],
        // Few bits: many states look as if they were known.
        bits: [3, 8, 12, 64][random.below(4)],
        worth: [0, 1, 16][random.below(3)],
        sizes,
    }
}

/// A search by name.
pub fn external(name: &'static str, budget: Budget) -> External {
    let heuristic = (name == "external-astar").then(|| Expression::named("table"));
    External { name, heuristic, budget: Some(budget) }
}

pub struct Trial<'a> {
    pub system: &'a dyn TransitionSystem,
    pub goals: &'a Goals,
    pub stop: StopPolicy,
    pub heuristics: &'a dyn HeuristicSource,
}

impl Trial<'_> {
    /// Runs a search on a medium, and says what went there.
    pub fn run_on(
        &self,
        search: &External,
        medium: Box<dyn Medium>,
        controls: Controls<'_>,
    ) -> (Result<SearchResult, SearchError>, Traffic) {
        let stores = Stores::new(self.system);
        let Trial { system, goals, stop, heuristics } = *self;
        let task = Task { system, goals, stop, stores: &stores, heuristics };
        let space = Space::new(medium, None);
        let result = search.run_in(&space, task, &mut Driver::new(controls));
        let traffic = space.traffic();
        assert_eq!(traffic.used, 0, "files are left");
        (result, traffic)
    }

    /// The same with a disk in memory.
    pub fn run(&self, search: &External, controls: Controls<'_>) -> (SearchResult, Traffic) {
        let shelf = Shelf::default();
        let (result, traffic) = self.run_on(search, Box::new(shelf.clone()), controls);
        assert_eq!(shelf.files(), 0);
        (result.unwrap(), traffic)
    }
}
