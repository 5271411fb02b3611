//! Several processes that search together: how they find each other, agree, and notice that one is gone.
//!
//! Every process runs the same plan: the same searches in the same order, with the same results, because each search ends with
//! everybody having the same verdict ([`messages::Verdict`]). The first process decides what time and memory allow, who has met
//! whom, and where ways to errors lead; the states themselves go directly from owner to owner, on connections that are made for
//! each search and handed to timely.
//!
//! **A process that is lost.** Its line is closed, or silent for some seconds ([`lines`]). The first process tells all others; the
//! search ends with the reason that a worker was lost, and so does every search after it. If the first one is lost, each of the
//! others notices. Nothing is said to hold, and no error to be shortest, on the word of workers that cannot be asked any more.
//!
//! **No secrets.** Connections are neither encrypted nor authenticated. Whoever can connect can take part, and can read the
//! states of the model; it is for a network that is trusted.

pub mod lines;
pub mod messages;
mod search;
mod stream;

use std::cell::{Cell, RefCell};
use std::fmt;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use self::lines::{Call, Heard, Line, Reception, call};
use self::messages::{Down, Hello, Identity, Up};

pub use self::search::Together;

/// How long processes wait for each other to begin.
pub const MEETING: Duration = Duration::from_secs(60);

/// Where the processes are, by number; the first one directs.
#[derive(Clone, Debug)]
pub enum Places {
    /// Each has its place.
    All(Vec<String>),
    /// Only the first one is known: others open a place of their own, at the same address as they are told here.
    First { address: String, processes: usize, own: String },
}

impl Places {
    fn first(&self) -> &str {
        match self {
            Places::All(all) => all.first().map_or("", String::as_str),
            Places::First { address, .. } => address,
        }
    }

    fn own(&self, process: usize) -> &str {
        match self {
            Places::All(all) => all.get(process).map_or("", String::as_str),
            Places::First { address, .. } if process == 0 => address,
            Places::First { own, .. } => own,
        }
    }

    fn processes(&self) -> usize {
        match self {
            Places::All(all) => all.len(),
            Places::First { processes, .. } => *processes,
        }
    }
}

/// Why processes do not come together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JoinError {
    /// What somebody has is not what the first process has.
    Refused(String),
    /// Somebody was not there in time, or an address cannot be used.
    Unreachable(String),
}

impl fmt::Display for JoinError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            JoinError::Refused(why) | JoinError::Unreachable(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for JoinError {}

/// The other end of lines.
enum Lines {
    /// Of the first process, by process; none to itself.
    Director {
        lines: Vec<Option<Line>>,
        heard: Receiver<(usize, Heard<Up>)>,
    },
    Member {
        line: Line,
        heard: Receiver<Heard<Down>>,
        abandoned: Arc<AtomicBool>,
    },
}

/// A process as one of several.
pub struct Membership {
    pub process: usize,
    pub processes: usize,
    session: u64,
    addresses: Vec<String>,
    reception: Reception,
    /// Calls that came before they were expected.
    waiting: RefCell<Vec<Call>>,
    lines: Lines,
    /// Why the others cannot be counted on any more.
    lost: Cell<bool>,
    searches: Cell<u64>,
    /// Where checkpoints are written: the same for all processes.
    folder: RefCell<Option<PathBuf>>,
}

thread_local! {
    /// The membership of the searches of this thread.
    static HERE: RefCell<Option<Rc<Membership>>> = const { RefCell::new(None) };
}

/// The processes with which searches of this thread work together, if there are any.
pub fn here() -> Option<Rc<Membership>> {
    HERE.with_borrow(Clone::clone)
}

/// Takes a place among the processes, before they meet: others can call.
pub struct Joining {
    reception: Reception,
    places: Places,
}

impl Joining {
    pub fn open(process: usize, places: Places) -> Result<Joining, JoinError> {
        let own = places.own(process);
        let reception = Reception::open(own);
        let reception =
            reception.map_err(|error| JoinError::Unreachable(format!("cannot listen at {own}: {error}")))?;
        Ok(Joining { reception, places })
    }

    /// Where others find it.
    pub fn address(&self) -> &str {
        &self.reception.address
    }

    /// Waits for the others. `identity`: what must be the same everywhere.
    pub fn meet(self, process: usize, identity: Identity, patience: Duration) -> Result<Membership, JoinError> {
        let until = Instant::now() + patience;
        match process {
            0 => direct(self, &identity, until),
            _ => join(self, process, identity, until),
        }
    }
}

/// What is not the same.
fn difference(process: usize, ours: &Identity, theirs: &Identity) -> Option<String> {
    let name = ours.iter().zip(theirs).find(|(ours, theirs)| ours != theirs).map(|((name, _), _)| name.as_str());
    let name = name.or((ours.len() != theirs.len()).then_some("version"))?;
    let of =
        |all: &Identity| all.iter().find(|(other, _)| other == name).map_or(String::new(), |(_, value)| value.clone());
    let (ours, theirs) = (of(ours), of(theirs));
    Some(format!("process {process} has another {name} than process 0: {theirs}, not {ours}"))
}

fn direct(joining: Joining, identity: &Identity, until: Instant) -> Result<Membership, JoinError> {
    let Joining { reception, places } = joining;
    let processes = places.processes();
    let mut streams: Vec<Option<std::net::TcpStream>> = (0..processes).map(|_| None).collect();
    let mut addresses = vec![String::new(); processes];
    addresses[0] = reception.address.clone();
    let mut waiting = Vec::new();
    let mut wrong = None;
    while streams.iter().skip(1).any(Option::is_none) {
        let patience = until.saturating_duration_since(Instant::now());
        let Ok((hello, stream)) = reception.calls.recv_timeout(patience) else {
            let missing = streams.iter().skip(1).position(Option::is_none).map_or(0, |at| at + 1);
            let why = format!("process {missing} did not come in time");
            streams.iter().flatten().for_each(|stream| refuse(stream, &why));
            return Err(JoinError::Unreachable(why));
        };
        match hello {
            Hello::Member { process, identity: theirs, address } if (1..processes).contains(&process) => {
                wrong = wrong.or_else(|| difference(process, identity, &theirs));
                if streams[process].is_some() {
                    refuse(&stream, &format!("process {process} is there already"));
                    continue;
                }
                (addresses[process], streams[process]) = (address, Some(stream));
            }
            Hello::Member { process, .. } => {
                refuse(&stream, &format!("there is no process {process} among {processes}"));
            }
            Hello::Peer { .. } => waiting.push((hello, stream)),
        }
        if wrong.is_some() {
            break;
        }
    }
    if let Some(why) = wrong {
        streams.iter().flatten().for_each(|stream| refuse(stream, &why));
        return Err(JoinError::Refused(why));
    }
    let (tell, heard) = mpsc::channel();
    let mut lines = Vec::new();
    for (process, stream) in streams.into_iter().enumerate() {
        let line = stream.map(|stream| {
            let tell: Sender<(usize, Heard<Up>)> = tell.clone();
            Line::new(stream, Down::Beat, move |said| {
                let _ = tell.send((process, said));
            })
        });
        lines.push(line.transpose().map_err(|error| JoinError::Unreachable(error.to_string()))?);
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_nanos() as u64);
    // Connections of another run, should some be left, are told apart.
    let session = now ^ (u64::from(std::process::id()) << 32);
    for line in lines.iter().flatten() {
        line.say(&Down::Welcome { session, addresses: addresses.clone() });
    }
    Ok(Membership {
        process: 0,
        processes,
        session,
        addresses,
        reception,
        waiting: RefCell::new(waiting),
        lines: Lines::Director { lines, heard },
        lost: Cell::new(false),
        searches: Cell::new(0),
        folder: RefCell::default(),
    })
}

fn refuse(stream: &std::net::TcpStream, why: &str) {
    let _ = messages::write(stream, &Down::Refused(why.into()));
}

fn join(joining: Joining, process: usize, identity: Identity, until: Instant) -> Result<Membership, JoinError> {
    let Joining { reception, places } = joining;
    let first = places.first().to_string();
    let unreachable = |why: &dyn fmt::Display| JoinError::Unreachable(format!("process 0 at {first}: {why}"));
    let hello = Hello::Member { process, identity, address: reception.address.clone() };
    let stream = call(&first, &hello, until).map_err(|error| unreachable(&error))?;
    // The first process waits for others before it answers.
    let patience = until.saturating_duration_since(Instant::now()) + Duration::from_secs(1);
    stream.set_read_timeout(Some(patience)).map_err(|error| unreachable(&error))?;
    let (session, addresses) = loop {
        match messages::read::<Down>(&stream) {
            Ok(Down::Welcome { session, addresses }) => break (session, addresses),
            Ok(Down::Refused(why)) => return Err(JoinError::Refused(why)),
            Ok(_) => {}
            Err(_) => return Err(unreachable(&"it does not answer")),
        }
    };
    let (tell, heard) = mpsc::channel();
    let abandoned = Arc::new(AtomicBool::new(false));
    let is_abandoned = Arc::clone(&abandoned);
    let line = Line::new(stream, Up::Beat, move |said| {
        is_abandoned.fetch_or(matches!(said, Heard::Lost), Ordering::Relaxed);
        let _ = tell.send(said);
    });
    let line = line.map_err(|error| unreachable(&error))?;
    Ok(Membership {
        process,
        processes: addresses.len(),
        session,
        addresses,
        reception,
        waiting: RefCell::default(),
        lines: Lines::Member { line, heard, abandoned },
        lost: Cell::new(false),
        searches: Cell::new(0),
        folder: RefCell::default(),
    })
}

impl Membership {
    /// Has the searches that `then` makes in this thread work together with those of the other processes.
    pub fn during<R>(self, then: impl FnOnce() -> R) -> R {
        let membership = Rc::new(self);
        let before = HERE.replace(Some(Rc::clone(&membership)));
        let result = then();
        HERE.set(before);
        result
    }

    /// Where this process writes its parts of checkpoints.
    pub fn save_in(&self, folder: &Path) {
        *self.folder.borrow_mut() = Some(folder.to_path_buf());
    }

    /// Was a process lost?
    pub fn has_lost(&self) -> bool {
        self.lost.get()
    }

    /// The first process is gone: nobody waits for what this one does.
    pub fn is_abandoned(&self) -> bool {
        matches!(&self.lines, Lines::Member { abandoned, .. } if abandoned.load(Ordering::Relaxed))
    }

    /// The other side of a call for a search, once it is there.
    fn awaited(&self, process: usize, search: u64, until: Instant) -> Option<std::net::TcpStream> {
        loop {
            let mut waiting = self.waiting.borrow_mut();
            let is_it = |(hello, _): &Call| {
                matches!(hello, Hello::Peer { process: from, search: of, session }
                    if (*from, *of, *session) == (process, search, self.session))
            };
            if let Some(at) = waiting.iter().position(is_it) {
                return Some(waiting.swap_remove(at).1);
            }
            let patience = until.saturating_duration_since(Instant::now());
            waiting.push(self.reception.calls.recv_timeout(patience).ok()?);
        }
    }
}

impl Drop for Membership {
    fn drop(&mut self) {
        match &self.lines {
            Lines::Director { lines, .. } => lines.iter().flatten().for_each(Line::hang_up),
            Lines::Member { line, .. } => line.hang_up(),
        }
    }
}
