//! The connections of a process for everything but states: who calls, who is connected, who has fallen silent.
//!
//! Each process has a line to the first one. On it both sides say that they are alive, by a thread of its own, so that a process that
//! parses or builds a heuristic does. A line that is closed, or silent for [`SILENCE`], is lost, whatever the reason.

use std::io;
use std::net::{TcpListener, TcpStream, ToSocketAddrs};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::messages::{self, Hello};

/// Time between two signs of life.
const BEAT: Duration = Duration::from_millis(500);
/// Who was not heard for so long is lost.
pub const SILENCE: Duration = Duration::from_secs(10);
/// Who connects and says nothing is nobody.
const GREETING: Duration = Duration::from_secs(5);

/// Somebody has called.
pub type Call = (Hello, TcpStream);

/// Takes calls, in a thread of its own, until nobody is interested any more.
pub struct Reception {
    pub calls: Receiver<Call>,
    pub address: String,
    closed: Arc<AtomicBool>,
}

impl Reception {
    pub fn open(address: &str) -> io::Result<Reception> {
        let listener = TcpListener::bind(address)?;
        let address = listener.local_addr()?.to_string();
        listener.set_nonblocking(true)?;
        let (sender, calls) = mpsc::channel();
        let closed = Arc::new(AtomicBool::new(false));
        let is_closed = Arc::clone(&closed);
        thread::Builder::new().name("reception".into()).spawn(move || take_calls(&listener, &sender, &is_closed))?;
        Ok(Reception { calls, address, closed })
    }
}

impl Drop for Reception {
    fn drop(&mut self) {
        self.closed.store(true, Ordering::Relaxed);
    }
}

fn take_calls(listener: &TcpListener, calls: &Sender<Call>, closed: &AtomicBool) {
    while !closed.load(Ordering::Relaxed) {
        let Ok((stream, _)) = listener.accept() else {
            thread::sleep(Duration::from_millis(2));
            continue;
        };
        let calls = calls.clone();
        // Who says nothing keeps nobody else waiting.
        let _ = thread::Builder::new().name("greeting".into()).spawn(move || {
            let prepared = stream.set_nonblocking(false).and_then(|()| stream.set_nodelay(true));
            let greeted = prepared.and_then(|()| stream.set_read_timeout(Some(GREETING)));
            if greeted.is_ok()
                && let Ok(hello) = messages::read::<Hello>(&stream)
                && stream.set_read_timeout(None).is_ok()
            {
                let _ = calls.send((hello, stream));
            }
        });
    }
}

/// Calls somebody, again and again until there is an answer or the time is over.
pub fn call(address: &str, hello: &Hello, until: Instant) -> io::Result<TcpStream> {
    loop {
        let tried = connect(address, until);
        match tried {
            Ok(stream) => {
                stream.set_nodelay(true)?;
                messages::write(&stream, hello)?;
                return Ok(stream);
            }
            Err(error) if Instant::now() >= until => return Err(error),
            Err(_) => thread::sleep(Duration::from_millis(20)),
        }
    }
}

fn connect(address: &str, until: Instant) -> io::Result<TcpStream> {
    let mut error = io::Error::from(io::ErrorKind::AddrNotAvailable);
    for address in address.to_socket_addrs()? {
        let patience = until.saturating_duration_since(Instant::now()).max(Duration::from_millis(100));
        match TcpStream::connect_timeout(&address, patience.min(Duration::from_secs(5))) {
            Ok(stream) => return Ok(stream),
            Err(failed) => error = failed,
        }
    }
    Err(error)
}

/// What comes in on a line.
#[derive(Debug)]
pub enum Heard<M> {
    Said(M),
    Lost,
}

/// A line to another process.
#[derive(Clone)]
pub struct Line {
    stream: Arc<Mutex<TcpStream>>,
    ended: Arc<AtomicBool>,
}

impl Line {
    /// Begins to listen, and to say `beat` from time to time. What is heard goes to `hear`, except for beats.
    pub fn new<M, B>(stream: TcpStream, beat: B, hear: impl Fn(Heard<M>) + Send + 'static) -> io::Result<Line>
    where
        M: DeserializeOwned + IsBeat + Send + 'static,
        B: Serialize + Send + 'static,
    {
        let listening = stream.try_clone()?;
        listening.set_read_timeout(Some(SILENCE))?;
        stream.set_write_timeout(Some(SILENCE))?;
        let line = Line { stream: Arc::new(Mutex::new(stream)), ended: Arc::default() };
        thread::Builder::new().name("line".into()).spawn(move || {
            while let Ok(message) = messages::read::<M>(&listening) {
                if !message.is_beat() {
                    hear(Heard::Said(message));
                }
            }
            hear(Heard::Lost);
        })?;
        let beating = line.clone();
        thread::Builder::new().name("beat".into()).spawn(move || {
            while !beating.ended.load(Ordering::Relaxed) && beating.say(&beat) {
                thread::sleep(BEAT);
            }
        })?;
        Ok(line)
    }

    /// False if nobody hears it.
    pub fn say<M: Serialize>(&self, message: &M) -> bool {
        let stream = self.stream.lock().unwrap_or_else(PoisonError::into_inner);
        messages::write(&stream, message).is_ok()
    }

    pub fn hang_up(&self) {
        self.ended.store(true, Ordering::Relaxed);
        let stream = self.stream.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = stream.shutdown(std::net::Shutdown::Both);
    }
}

/// Only a sign of life?
pub trait IsBeat {
    fn is_beat(&self) -> bool;
}

impl IsBeat for messages::Up {
    fn is_beat(&self) -> bool {
        matches!(self, messages::Up::Beat)
    }
}

impl IsBeat for messages::Down {
    fn is_beat(&self) -> bool {
        matches!(self, messages::Down::Beat)
    }
}
