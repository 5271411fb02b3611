//! What processes tell each other beside the states: framed documents on a connection of each process to the first one.

use std::io::{self, Read, Write};
use std::net::TcpStream;

use bughound_search::PropertyIndex;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::saving::Section;
use crate::share::{End, Share, Sighting};

/// No document is longer than this: what claims to be is none.
const LONGEST: u32 = 1 << 30;

/// What somebody says who connects.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Hello {
    /// To the first process: who it is, and where others find it.
    Member { process: usize, identity: Identity, address: String },
    /// To exchange states in a search.
    Peer { process: usize, search: u64, session: u64 },
}

/// What must be the same in all processes, by name.
pub type Identity = Vec<(String, String)>;

/// How the search of a process gets on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct News {
    pub stored: u64,
    pub expanded: u64,
    pub frontier: u64,
    pub depth: u64,
    pub memory: u64,
    pub at_least: u64,
    pub best_estimate: Option<u64>,
    /// Bytes that its workers have sent and received, and states that they have met again.
    pub network: [u64; 3],
    /// The cost of the best error known.
    pub known: Option<u64>,
    /// Properties whose cheapest error is certain.
    pub settled: Vec<(PropertyIndex, u64)>,
    pub end: Option<End>,
}

/// A state on a way to an error, in words, and its parent: worker and number.
pub type WrittenLink = (Vec<u32>, Option<(u32, u32)>);

/// From the others to the first process.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Up {
    /// It is alive.
    Beat,
    /// It is about to begin a search.
    Search {
        number: u64,
        what: Identity,
    },
    News(News),
    /// Its workers have ended, because of this if not because nothing was left.
    Shares {
        shares: Vec<Share>,
        end: Option<End>,
    },
    /// Its workers stand, in the search of this number.
    Stands {
        number: u64,
    },
    /// What it has written of a checkpoint, or why it could not.
    Saved(Result<Vec<Section>, String>),
    /// A state and those before it, as long as this process owns them.
    Links(Vec<WrittenLink>),
    /// It has ended because of this.
    Gone(String),
}

/// From the first process to the others.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Down {
    Beat,
    /// All are there: where they are.
    Welcome {
        session: u64,
        addresses: Vec<String>,
    },
    /// They do not fit together.
    Refused(String),
    /// All have come to the same search.
    Begin {
        number: u64,
    },
    Known(u64),
    /// Nothing more is expanded in the search of this number.
    Pause {
        number: u64,
    },
    /// Everybody stands.
    Rest {
        number: u64,
    },
    /// All rest: each writes its part of the checkpoint with this number.
    Save {
        generation: u64,
    },
    /// The search goes on. Is what was written a checkpoint?
    GoOn {
        saved: bool,
    },
    Stop(End),
    Ask {
        worker: u32,
        id: u32,
    },
    Verdict(Verdict),
}

/// What everybody needs to come to the same result.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Verdict {
    pub shares: Vec<Share>,
    /// Shares of some workers are missing.
    pub incomplete: bool,
    pub ways: Vec<(Sighting, Option<Vec<Vec<u32>>>)>,
    pub end: Option<End>,
}

/// Writes a document with its length before it.
pub fn write<T: Serialize>(mut stream: &TcpStream, message: &T) -> io::Result<()> {
    let mut frame = vec![0; 4];
    serde_json::to_writer(&mut frame, message)?;
    let length = u32::try_from(frame.len() - 4).ok().filter(|length| *length <= LONGEST);
    let length = length.ok_or_else(|| io::Error::from(io::ErrorKind::InvalidData))?;
    frame[..4].copy_from_slice(&length.to_be_bytes());
    stream.write_all(&frame)
}

/// Reads a document; an error if there is none before the time-out of the connection.
pub fn read<T: DeserializeOwned>(mut stream: &TcpStream) -> io::Result<T> {
    let mut length = [0; 4];
    stream.read_exact(&mut length)?;
    let length = u32::from_be_bytes(length);
    if length > LONGEST {
        return Err(io::ErrorKind::InvalidData.into());
    }
    // What is announced need not come: room is made for what has.
    let mut frame = Vec::new();
    stream.take(u64::from(length)).read_to_end(&mut frame)?;
    if frame.len() != length as usize {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(serde_json::from_slice(&frame)?)
}
