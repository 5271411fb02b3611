//! Searches that are ended anywhere and go on from their checkpoints, and checkpoints with something wrong.

use std::path::{Path, PathBuf};
use std::time::Duration;

use bughound_checkpoint::{Folder, Identity};
use bughound_kernel::*;
use bughound_search::*;

/// Raises the signal when so many steps were seen.
pub struct RaiseAfter {
    pub steps: usize,
    pub stop: StopSignal,
}

impl Observer for RaiseAfter {
    fn step(&mut self, _moves: &[Move]) {
        self.steps = self.steps.saturating_sub(1);
        if self.steps == 0 {
            self.stop.raise(StopReason::Interrupted);
        }
    }
}

/// A place for files that takes no disk, if there is one.
pub fn place() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { tempfile::tempdir_in(memory).unwrap() } else { tempfile::tempdir().unwrap() }
}

pub fn journal(directory: &Path) -> Journal {
    let folder = match Folder::open(directory) {
        Ok(folder) => folder,
        Err(_) => Folder::create(directory).unwrap(),
    };
    Journal::new(folder, Identity::new(), Duration::ZERO, None).unwrap()
}

/// What must not depend on interruptions.
pub fn essence(result: &SearchResult) -> SearchResult {
    let mut same = result.clone();
    same.stats.elapsed = Duration::ZERO;
    same.stats.evaluation_time = Duration::ZERO;
    same.stats.preparation = Preparation::default();
    same.stats.peak_memory = 0;
    same
}

/// Runs a search that is ended after so many steps, again and again, until it is not.
pub fn in_parts(
    run: &dyn Fn(Controls<'_>) -> SearchResult,
    steps: &mut dyn FnMut() -> usize,
    parts: &mut usize,
) -> SearchResult {
    let place = place();
    loop {
        let stop = StopSignal::default();
        let mut observer = RaiseAfter { steps: steps(), stop: stop.clone() };
        let mut journal = journal(place.path());
        let controls = Controls {
            stop,
            observer: Some(&mut observer),
            journal: Some((&mut journal, "one".into())),
            ..Controls::default()
        };
        let result = run(controls);
        assert_eq!(journal.problem(), None);
        // A search that has an answer need not say that it was ended while it looked for a better one.
        if !journal.is_closed() {
            assert_eq!(result.stop_reason, None);
            return result;
        }
        *parts += 1;
    }
}

pub fn copy(from: &Path, to: &Path) {
    let _ = std::fs::remove_dir_all(to);
    std::fs::create_dir(to).unwrap();
    for file in files(from) {
        std::fs::copy(&file, to.join(file.file_name().unwrap())).unwrap();
    }
}

pub fn files(directory: &Path) -> Vec<PathBuf> {
    let mut files: Vec<_> = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// The checkpoint of a run that was ended after so many steps.
pub fn until(steps: usize, directory: &Path, run: &dyn Fn(Controls<'_>) -> SearchResult) -> SearchResult {
    let stop = StopSignal::default();
    let mut observer = RaiseAfter { steps, stop: stop.clone() };
    let mut journal = journal(directory);
    let journal = Some((&mut journal, "one".into()));
    run(Controls { stop, observer: Some(&mut observer), journal, ..Controls::default() })
}

/// A checkpoint that is not to be written again.
pub fn reopened(directory: &Path) -> Result<Journal, bughound_checkpoint::Error> {
    Journal::new(Folder::open(directory)?, Identity::new(), Duration::from_secs(3600), None)
}

/// Copies one of several checkpoints of the same run, and does something to it: flips a bit, cuts, adds, mixes it with another one.
pub fn damage(moments: &[PathBuf], into: &Path, random: &mut Random) {
    copy(random.pick::<PathBuf>(moments), into);
    for _ in 0..1 + random.below(3) {
        let there = files(into);
        let (file, other) = (random.pick(&there).clone(), random.pick(&there).clone());
        let mut bytes = std::fs::read(&file).unwrap();
        let at = random.below(bytes.len());
        match random.below(6) {
            0 if !bytes.is_empty() => bytes[at] ^= 1 << random.below(8),
            1 => bytes.truncate(at),
            2 => bytes.extend(vec![random.below(256) as u8; 1 + random.below(100)]),
            3 => bytes = std::fs::read(other).unwrap(),
            4 => drop(bytes.drain(at..at + random.below(bytes.len() - at))),
            _ => {
                // The file of the other moment that has the same part in it.
                let name =
                    |path: &Path| path.file_name().unwrap().to_str().unwrap().split('.').next().unwrap().to_string();
                let others = files(random.pick::<PathBuf>(moments));
                let same = others.iter().find(|other| name(other) == name(&file));
                bytes = same.map(|other| std::fs::read(other).unwrap()).unwrap_or(bytes);
            }
        }
        // Another file: what has the same content as one of the checkpoint may be the same file.
        std::fs::remove_file(&file).unwrap();
        std::fs::write(file, bytes).unwrap();
    }
}
