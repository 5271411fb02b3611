//! A connection as timely reads and writes it, which does not panic when the other side is gone.
//!
//! timely's threads for a connection end the thread with a panic when reading or writing fails, so that a computation falls
//! as a whole. Here the loss of a process is a verdict, and is noticed on another connection ([`cluster`](crate::cluster)). So a
//! connection that fails says nothing: its reader waits until the process ends, what is written to it goes nowhere.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};

use timely::communication::allocator::zero_copy::stream::Stream;

/// Timely ends a stream with a header of so many zero bytes.
const LAST_HEADER: usize = 48;

pub struct Quiet {
    stream: TcpStream,
    /// So many of the bytes read last are zero.
    zeros: usize,
}

impl Quiet {
    pub fn new(stream: TcpStream) -> Self {
        Quiet { stream, zeros: 0 }
    }
}

impl Read for Quiet {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.stream.read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(read) if read > 0 => {
                    let zeros = buffer[..read].iter().rev().take_while(|byte| **byte == 0).count();
                    self.zeros = if zeros == read { self.zeros + zeros } else { zeros };
                    return Ok(read);
                }
                // The other side has ended as it should.
                Ok(_) if self.zeros >= LAST_HEADER => return Ok(0),
                Ok(_) | Err(_) => loop {
                    std::thread::park();
                },
            }
        }
    }
}

impl Write for Quiet {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.stream.write(bytes) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Err(error),
            Ok(0) | Err(_) => Ok(bytes.len()),
            written => written,
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Stream for Quiet {
    fn try_clone(&self) -> io::Result<Self> {
        self.stream.try_clone().map(Quiet::new)
    }

    fn set_nonblocking(&self, nonblocking: bool) -> io::Result<()> {
        self.stream.set_nonblocking(nonblocking)
    }

    fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        let _ = self.stream.shutdown(how);
        Ok(())
    }
}
