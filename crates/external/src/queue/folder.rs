//! The folder that processes share: who is there, who does what, what is done.
//!
//! ```text
//!     bughound-queue-IDENTITY/
//!       workers/NAME      touched now and then by a process that takes part
//!       claims/REQUEST    the same, by the one that works on the request
//!       work/NAME-N/      what is in the making
//!       done/REQUEST/     what is done: `result` and the states that belong to it
//! ```
//!
//! Whoever is killed stops to touch its files. Times are those of the folder, compared with each other: machines may have different
//! clocks. On the same machine it is known at once, because the system unlocks what a dead process has locked: its own file.
//! All that has to be atomic is to create a file that must not exist, and to rename.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime};

use xxhash_rust::xxh3::xxh3_64;

const PREFIX: &str = "bughound-queue-";
const WORKERS: &str = "workers";
const CLAIMS: &str = "claims";
const WORK: &str = "work";
const DONE: &str = "done";

/// Joining is tried so often.
const RETRIES: u32 = 100;

/// Tells processes apart that have the same number on different machines, and searches of one process.
static NEXT: AtomicU64 = AtomicU64::new(0);

pub struct Folder {
    root: PathBuf,
    name: String,
    /// Locked as long as it is open.
    _presence: File,
    lease: Duration,
    heart: Heart,
    attempts: AtomicU64,
}

/// A request that this process works on; nobody's any more with this value.
pub struct Claim<'f> {
    folder: &'f Folder,
    path: PathBuf,
    pub request: String,
}

impl Folder {
    pub fn join(below: &Path, identity: &str, lease: Duration) -> io::Result<Self> {
        let root = below.join(format!("{PREFIX}{identity}"));
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |time| time.as_nanos());
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("{}-{}-{now:x}-{number}", machine(), std::process::id());
        // Somebody may be removing it all in this moment: then what was there is gone, or was there and is gone.
        let is_passing =
            |error: &io::Error| matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::AlreadyExists);
        let mut made = make(&root, &name);
        for _ in 0..RETRIES {
            if !made.as_ref().is_err_and(is_passing) {
                break;
            }
            std::thread::sleep(Duration::from_millis(1));
            made = make(&root, &name);
        }
        let owned = made?;
        let presence = root.join(WORKERS).join(&name);
        let heart = Heart::start(presence, &name, lease / 5);
        let folder = Folder { root, name, _presence: owned, lease, heart, attempts: AtomicU64::new(0) };
        folder.remove_abandoned();
        folder.remove_what_is_aside();
        Ok(folder)
    }

    /// Is this process still known to the others?
    pub fn is_member(&self) -> bool {
        self.heart.presence.exists()
    }

    pub fn is_done(&self, request: &str) -> bool {
        self.result(request).exists()
    }

    fn done(&self, request: &str) -> PathBuf {
        self.root.join(DONE).join(request)
    }

    fn result(&self, request: &str) -> PathBuf {
        self.done(request).join("result")
    }

    pub fn read_result(&self, request: &str) -> io::Result<Vec<u8>> {
        fs::read(self.result(request))
    }

    /// Where the states of a request lie that is done.
    pub fn file(&self, request: &str, file: &str) -> PathBuf {
        self.done(request).join(file)
    }

    /// The request, if nobody else works on it.
    pub fn claim(&self, request: &str) -> io::Result<Option<Claim<'_>>> {
        let path = self.root.join(CLAIMS).join(request);
        for _ in 0..2 {
            match File::create_new(&path) {
                Ok(mut file) => {
                    let _ = file.write_all(self.name.as_bytes());
                    self.heart.touch(path.clone());
                    let claim = Claim { folder: self, path, request: request.to_owned() };
                    // It may have been done since somebody looked.
                    return Ok((!self.is_done(request)).then_some(claim));
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    let owner = fs::read_to_string(&path).unwrap_or_default();
                    if !self.is_abandoned(&path) && !self.is_dead(owner.trim()) {
                        return Ok(None);
                    }
                    // Only one of several gets it out of the way. Should that have been a new one by then, two do the same.
                    let aside = self.root.join(WORK).join(format!("{}-claim-{request}", self.name));
                    if fs::rename(&path, &aside).is_ok() {
                        let _ = fs::remove_file(aside);
                    }
                }
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }

    /// Was a file not touched for longer than it takes to give a sign of life? `false` if it is not there.
    fn is_abandoned(&self, path: &Path) -> bool {
        let touched = |path: &Path| fs::metadata(path).and_then(|data| data.modified());
        let Ok(last) = touched(path) else { return false };
        let Ok(()) = beat(&self.heart.presence, &self.name) else { return false };
        let Ok(now) = touched(&self.heart.presence) else { return false };
        now.duration_since(last).is_ok_and(|age| age > self.lease)
    }

    /// Is this a process of this machine that is certainly not there any more?
    fn is_dead(&self, name: &str) -> bool {
        let here = machine();
        if here.is_empty() || !name.starts_with(&here) || name == self.name {
            return false;
        }
        match File::open(self.root.join(WORKERS).join(name)) {
            Ok(presence) => presence.try_lock().is_ok(),
            Err(error) => error.kind() == io::ErrorKind::NotFound,
        }
    }

    /// A new folder to make a result in.
    pub fn attempt(&self) -> io::Result<PathBuf> {
        let number = self.attempts.fetch_add(1, Ordering::Relaxed);
        let path = self.root.join(WORK).join(format!("{}-{number}", self.name));
        fs::create_dir(&path)?;
        Ok(path)
    }

    /// Puts a result in its place. `false`: somebody else was faster, and what was made is gone.
    pub fn commit(&self, attempt: &Path, request: &str, result: &[u8]) -> io::Result<bool> {
        fs::write(attempt.join("result"), result)?;
        match fs::rename(attempt, self.done(request)) {
            Ok(()) => Ok(true),
            Err(_) if self.is_done(request) => {
                let _ = fs::remove_dir_all(attempt);
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }

    /// States that nobody needs any more.
    pub fn remove_file(&self, request: &str, file: &str) {
        let _ = fs::remove_file(self.file(request, file));
    }

    /// Removes what those have left behind who are not there any more.
    fn remove_abandoned(&self) {
        let entries = |part: &str| fs::read_dir(self.root.join(part)).into_iter().flatten().flatten();
        for worker in entries(WORKERS) {
            let (path, name) = (worker.path(), worker.file_name().to_string_lossy().into_owned());
            if name == self.name || !(self.is_dead(&name) || self.is_abandoned(&path)) {
                continue;
            }
            let begins = format!("{name}-");
            for attempt in entries(WORK).filter(|entry| entry.file_name().to_string_lossy().starts_with(&begins)) {
                let _ = fs::remove_dir_all(attempt.path());
            }
            let _ = fs::remove_file(path);
        }
    }

    /// The search is over, and this process knows the answer: if it is the last one, all of it vanishes.
    pub fn leave_finished(&self) {
        self.remove_abandoned();
        let _ = fs::remove_file(&self.heart.presence);
        let others = fs::read_dir(self.root.join(WORKERS)).into_iter().flatten().count();
        if others == 0 {
            // Whoever joins in this moment begins anew instead of reading what is half gone.
            let aside = self.root.with_extension(&self.name);
            let _ = fs::rename(&self.root, aside);
        }
        self.remove_what_is_aside();
    }

    /// Removes what a finished search has left: others may have been killed while they did so.
    fn remove_what_is_aside(&self) {
        let begins = format!("{}.", self.root.file_name().unwrap_or_default().to_string_lossy());
        let beside = self.root.parent().and_then(|below| fs::read_dir(below).ok());
        for entry in beside.into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().starts_with(&begins) {
                let _ = fs::remove_dir_all(entry.path());
            }
        }
    }
}

/// Makes what is missing of the folder, and the sign that this process takes part. It is locked before others can see it.
fn make(root: &Path, name: &str) -> io::Result<File> {
    for part in [WORKERS, CLAIMS, WORK, DONE] {
        fs::create_dir_all(root.join(part))?;
    }
    let hidden = root.join(WORK).join(format!("{name}-presence"));
    let file = File::create(&hidden)?;
    // A folder that knows no locks is no reason to do without the rest.
    let _ = file.try_lock();
    fs::rename(hidden, root.join(WORKERS).join(name))?;
    Ok(file)
}

/// What tells this machine, as it runs since it was started, from others; nothing if that cannot be told.
fn machine() -> String {
    let read = |path: &str| fs::read(path).unwrap_or_default();
    let boot = read("/proc/sys/kernel/random/boot_id");
    if boot.is_empty() { String::new() } else { format!("{:016x}", xxh3_64(&boot)) }
}

impl Drop for Folder {
    fn drop(&mut self) {
        self.heart.stop();
        let _ = fs::remove_file(&self.heart.presence);
    }
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        self.folder.heart.leave(&self.path);
        let _ = fs::remove_file(&self.path);
    }
}

/// Gives signs of life as long as the process lives.
struct Heart {
    presence: PathBuf,
    claims: Arc<Mutex<Vec<PathBuf>>>,
    is_over: Arc<AtomicBool>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// The time of the file becomes that of the folder. A file that is gone stays so.
fn beat(path: &Path, name: &str) -> io::Result<()> {
    File::options().write(true).open(path)?.write_all(name.as_bytes())
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Heart {
    fn start(presence: PathBuf, name: &str, every: Duration) -> Self {
        let (claims, is_over) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicBool::new(false)));
        let heart = Heart { presence, claims, is_over, thread: Mutex::new(None) };
        let (presence, name) = (heart.presence.clone(), name.to_owned());
        let (claims, is_over) = (Arc::clone(&heart.claims), Arc::clone(&heart.is_over));
        let beating = std::thread::Builder::new().spawn(move || {
            while !is_over.load(Ordering::Acquire) {
                let claims: Vec<PathBuf> = lock(&claims).clone();
                for path in claims.iter().chain([&presence]) {
                    let _ = beat(path, &name);
                }
                std::thread::park_timeout(every);
            }
        });
        // Without it, others may do the same work: a loss of time only.
        *lock(&heart.thread) = beating.ok();
        heart
    }

    fn touch(&self, claim: PathBuf) {
        lock(&self.claims).push(claim);
    }

    fn leave(&self, claim: &Path) {
        lock(&self.claims).retain(|other| other != claim);
    }

    fn stop(&self) {
        self.is_over.store(true, Ordering::Release);
        if let Some(thread) = lock(&self.thread).take() {
            thread.thread().unpark();
            let _ = thread.join();
        }
    }
}
