//! Writes a section.

use std::fs::File;
use std::io::{self, Write};

use xxhash_rust::xxh3::Xxh3;

/// So many bytes are written at once.
const BLOCK: usize = 1 << 18;

/// A section that is being written: numbers (7 bits to a byte), texts, bytes. What goes wrong is told at the end
/// ([`Draft::finish`](crate::Draft::finish)); who writes much can [ask](Self::has_failed) before.
pub struct Writer {
    name: String,
    file: File,
    pub(crate) file_name: String,
    block: Vec<u8>,
    hash: Xxh3,
    length: u64,
    failed: Option<io::Error>,
}

impl Writer {
    pub(crate) fn new(name: &str, file_name: String, file: File) -> Self {
        let block = Vec::with_capacity(BLOCK + 16);
        Writer { name: name.into(), file, file_name, block, hash: Xxh3::new(), length: 0, failed: None }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Nothing more reaches the disk.
    pub fn has_failed(&self) -> bool {
        self.failed.is_some()
    }

    pub fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.block.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.block.push(number as u8);
        self.flush_full();
    }

    /// Small numbers of both signs take little room.
    pub fn signed(&mut self, number: i64) {
        self.number((number as u64) << 1 ^ (number >> 63) as u64);
    }

    pub fn flag(&mut self, flag: bool) {
        self.number(flag.into());
    }

    /// Bytes without their number.
    pub fn raw(&mut self, bytes: &[u8]) {
        for part in bytes.chunks(BLOCK) {
            self.block.extend_from_slice(part);
            self.flush_full();
        }
    }

    /// The number of bytes, and the bytes.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.raw(bytes);
    }

    pub fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    #[inline]
    fn flush_full(&mut self) {
        if self.block.len() >= BLOCK {
            self.flush();
        }
    }

    fn flush(&mut self) {
        self.hash.update(&self.block);
        self.length += self.block.len() as u64;
        if self.failed.is_none() {
            self.failed = self.file.write_all(&self.block).err();
        }
        self.block.clear();
    }

    /// Everything has reached the disk: length and checksum.
    pub(crate) fn end(mut self) -> io::Result<(u64, u64)> {
        self.flush();
        match self.failed.take() {
            Some(error) => Err(error),
            None => self.file.sync_all().map(|()| (self.length, self.hash.digest())),
        }
    }
}
