//! Zones that own their words.

use crate::change::ZoneMut;
use crate::zone::Zone;
use std::fmt;

/// A zone with its own memory. Equal if the words are; see [`Zone::same`] for zones that may be empty.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct ZoneBuf {
    words: Vec<i32>,
    dimension: usize,
}

impl ZoneBuf {
    /// All clocks are 0.
    pub fn zero(dimension: usize) -> Self {
        let mut zone = ZoneBuf { words: vec![0; dimension * dimension], dimension };
        zone.as_mut().zero();
        zone
    }

    /// All values of all clocks.
    pub fn universal(dimension: usize) -> Self {
        let mut zone = ZoneBuf { words: vec![0; dimension * dimension], dimension };
        zone.as_mut().universal();
        zone
    }

    pub fn as_zone(&self) -> Zone<'_> {
        Zone::new(&self.words, self.dimension)
    }

    pub fn as_mut(&mut self) -> ZoneMut<'_> {
        ZoneMut::new(&mut self.words, self.dimension)
    }

    /// Becomes a copy of `zone`, in the memory that is there.
    pub fn set(&mut self, zone: Zone<'_>) {
        self.words.clear();
        self.words.extend_from_slice(zone.words());
        self.dimension = zone.dimension();
    }

    pub fn into_words(self) -> Vec<i32> {
        self.words
    }
}

impl From<Zone<'_>> for ZoneBuf {
    fn from(zone: Zone<'_>) -> Self {
        ZoneBuf { words: zone.words().to_vec(), dimension: zone.dimension() }
    }
}

impl fmt::Debug for ZoneBuf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.as_zone(), f)
    }
}

impl fmt::Display for ZoneBuf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.as_zone(), f)
    }
}
