//! Reads a section that was found to be what was written.

use std::fs::File;
use std::io::Read;
use std::path::PathBuf;

use crate::Error;

/// So many bytes are read at once.
const BLOCK: usize = 1 << 18;

/// A section that is being read, in the order in which it was written. Numbers of things that follow are compared with what is left of
/// the section, so whoever makes room for them makes no more than that.
pub struct Reader {
    file: File,
    path: PathBuf,
    block: Vec<u8>,
    at: usize,
    /// Bytes of the file that are in no block so far.
    unread: u64,
}

impl Reader {
    /// From the beginning of a file of this length.
    pub(crate) fn new(file: File, path: PathBuf, length: u64) -> Self {
        Reader { file, path, block: Vec::new(), at: 0, unread: length }
    }

    /// What is wrong with the section, as its reader sees it.
    pub fn damaged(&self, why: impl Into<String>) -> Error {
        Error::damaged(&self.path, why)
    }

    /// There is no room in memory for what the section holds.
    pub fn out_of_memory(&self) -> Error {
        Error::OutOfMemory(self.path.clone())
    }

    /// Bytes that are left.
    pub fn left(&self) -> u64 {
        self.unread + (self.block.len() - self.at) as u64
    }

    /// There is no more.
    pub fn end(&self) -> Result<(), Error> {
        if self.left() == 0 { Ok(()) } else { Err(self.damaged(format!("{} bytes too many", self.left()))) }
    }

    fn fill(&mut self) -> Result<(), Error> {
        if self.unread == 0 {
            return Err(self.damaged("it ends too early"));
        }
        let count = self.unread.min(BLOCK as u64) as usize;
        self.block.resize(count, 0);
        self.file.read_exact(&mut self.block).map_err(Error::io("read", &self.path))?;
        self.unread -= count as u64;
        self.at = 0;
        Ok(())
    }

    #[inline]
    fn byte(&mut self) -> Result<u8, Error> {
        if self.at == self.block.len() {
            self.fill()?;
        }
        self.at += 1;
        Ok(self.block[self.at - 1])
    }

    pub fn number(&mut self) -> Result<u64, Error> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let part = u64::from(byte & 0x7f);
            if part << shift >> shift != part {
                break;
            }
            number |= part << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(self.damaged("a number is too large"))
    }

    /// A number that fits whatever is wanted.
    pub fn small<N: TryFrom<u64>>(&mut self) -> Result<N, Error> {
        let number = self.number()?;
        N::try_from(number).map_err(|_| self.damaged("a number is too large"))
    }

    pub fn signed(&mut self) -> Result<i64, Error> {
        let number = self.number()?;
        Ok((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    pub fn flag(&mut self) -> Result<bool, Error> {
        match self.number()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(self.damaged("neither yes nor no")),
        }
    }

    /// How many things follow that take so many bytes each, at least.
    pub fn count(&mut self, least_bytes: u64) -> Result<usize, Error> {
        let count = self.number()?;
        let fits = count.checked_mul(least_bytes.max(1)).is_some_and(|bytes| bytes <= self.left());
        match usize::try_from(count) {
            Ok(count) if fits => Ok(count),
            _ => Err(self.damaged("it ends too early")),
        }
    }

    /// So many bytes as there is room for.
    pub fn raw(&mut self, into: &mut [u8]) -> Result<(), Error> {
        let mut done = 0;
        while done < into.len() {
            if self.at == self.block.len() {
                self.fill()?;
            }
            let count = (into.len() - done).min(self.block.len() - self.at);
            into[done..done + count].copy_from_slice(&self.block[self.at..self.at + count]);
            done += count;
            self.at += count;
        }
        Ok(())
    }

    pub fn bytes(&mut self) -> Result<Vec<u8>, Error> {
        let count = self.count(1)?;
        let mut bytes = vec![0; count];
        self.raw(&mut bytes)?;
        Ok(bytes)
    }

    pub fn text(&mut self) -> Result<String, Error> {
        let bytes = self.bytes()?;
        String::from_utf8(bytes).map_err(|_| self.damaged("it is no text"))
    }
}
