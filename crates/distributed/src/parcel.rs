//! What workers send each other: batches of packed states in one flat piece of memory, nothing allocated for a state.
//!
//! A state on its way is a row of words: the number of its parent at the sender, its cost (two words), its packed key and, for
//! timed models, its cover. The packed key says itself how long it is.

use std::io::Write;

use bughound_kernel::{Layout, State, StateBuf};
use bughound_store::Packer;
use timely::Accountable;
use timely::bytes::arc::Bytes;
use timely::dataflow::channels::ContainerBytes;

/// A batch on its way from one worker to another.
#[derive(Clone, Debug, Default)]
pub struct Parcel {
    pub from: u32,
    pub to: u32,
    pub kind: Kind,
    pub words: Vec<u32>,
}

/// What is in a parcel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    #[default]
    States,
    /// How many states of each rank the sender has in a layer, for beams: pairs of a rank (two words) and a count (two words).
    Tally,
}

const HEADER: usize = 4;

impl Accountable for Parcel {
    /// One record, however many states are in it: the dataflow counts parcels.
    fn record_count(&self) -> i64 {
        i64::from(!self.words.is_empty())
    }
}

impl ContainerBytes for Parcel {
    fn from_bytes(bytes: Bytes) -> Self {
        let (words, _) = bytes.as_chunks::<4>();
        let mut words = words.iter().map(|word| u32::from_le_bytes(*word));
        let mut header = || words.next().unwrap_or_default();
        let (from, to, kind, length) = (header(), header(), header(), header() as usize);
        let kind = if kind == 0 { Kind::States } else { Kind::Tally };
        Parcel { from, to, kind, words: words.take(length).collect() }
    }

    fn length_in_bytes(&self) -> usize {
        // What follows begins at a multiple of eight bytes.
        ((HEADER + self.words.len()) * 4).next_multiple_of(8)
    }

    fn into_bytes<W: Write>(&self, writer: &mut W) {
        let header = [self.from, self.to, self.kind as u32, self.words.len() as u32].map(u32::to_le);
        let mut put = |bytes: &[u8]| {
            // The writer is a piece of memory of the length told above.
            let _ = writer.write_all(bytes);
        };
        put(bytemuck::cast_slice(&header));
        if cfg!(target_endian = "little") {
            put(bytemuck::cast_slice(&self.words));
        } else {
            self.words.iter().for_each(|word| put(&word.to_le_bytes()));
        }
        put(&[0; 4][..self.length_in_bytes() - (HEADER + self.words.len()) * 4]);
    }
}

/// A state on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent<'a> {
    /// Its number at the sender.
    pub parent: u32,
    pub cost: u64,
    pub packed: &'a [u32],
    pub cover: &'a [i32],
}

const PARENT_AND_COST: usize = 3;

/// Writes states into parcels and reads them.
#[derive(Clone, Debug)]
pub struct Courier {
    packer: Packer,
    cover_len: usize,
    packed: Box<[u32]>,
}

impl Courier {
    pub fn new(layout: &Layout) -> Self {
        let packer = Packer::new(layout);
        Courier { packed: vec![0; packer.max_words()].into(), packer, cover_len: layout.cover_len }
    }

    /// The most words that a state takes, without its parent and its cost.
    pub fn most_words(&self) -> usize {
        self.packed.len() + self.cover_len
    }

    /// The packed key of a state.
    #[inline]
    pub fn pack(&mut self, key: &[i32]) -> &[u32] {
        let used = self.packer.pack(key, &mut self.packed);
        &self.packed[..used]
    }

    /// Appends a state whose key was packed.
    #[inline]
    pub fn write(sent: &Sent<'_>, words: &mut Vec<u32>) {
        words.extend_from_slice(&[sent.parent, sent.cost as u32, (sent.cost >> 32) as u32]);
        words.extend_from_slice(sent.packed);
        words.extend_from_slice(bytemuck::cast_slice(sent.cover));
    }

    /// The state that begins at a place, and where the next one does; `None` at the end.
    #[inline]
    pub fn read<'a>(&self, words: &'a [u32], at: usize) -> Option<(Sent<'a>, usize)> {
        let (first, rest) = words.get(at..)?.split_at_checked(PARENT_AND_COST)?;
        let length = rest.first().map(|_| self.packer.words_of(rest))?;
        let (packed, rest) = rest.split_at_checked(length)?;
        let cover = bytemuck::cast_slice(rest.get(..self.cover_len)?);
        let cost = u64::from(first[1]) | (u64::from(first[2]) << 32);
        Some((Sent { parent: first[0], cost, packed, cover }, at + PARENT_AND_COST + length + self.cover_len))
    }

    #[inline]
    pub fn unpack(&self, sent: &Sent<'_>, into: &mut StateBuf) {
        self.packer.unpack(sent.packed, &mut into.key);
        into.cover.clear();
        into.cover.extend_from_slice(sent.cover);
    }

    /// A state as words, to be written down.
    pub fn words(&mut self, state: State<'_>) -> Vec<u32> {
        let mut words = self.pack(state.key).to_vec();
        words.extend_from_slice(bytemuck::cast_slice(state.cover));
        words
    }

    /// The inverse; `None` if this is no state of the layout.
    pub fn state(&self, words: &[u32]) -> Option<StateBuf> {
        let length = words.first().map(|_| self.packer.words_of(words))?;
        let (packed, cover) = words.split_at_checked(length)?;
        let mut state = StateBuf::default();
        self.packer.unpack(packed, &mut state.key);
        state.cover.extend_from_slice(bytemuck::cast_slice(cover));
        (cover.len() == self.cover_len).then_some(state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bughound_kernel::{Random, Slot};
    use timely::bytes::arc::BytesMut;

    #[test]
    fn what_is_written_is_read() {
        let mut random = Random::new(3);
        for cover_len in [0, 3] {
            let layout =
                Layout { cover_len, ..Layout::new(vec![Slot::new(-5, 9), Slot::new(0, i32::MAX), Slot::new(0, 1)]) };
            let mut courier = Courier::new(&layout);
            let mut parcel = Parcel { from: 2, to: 1, ..Parcel::default() };
            let mut all = Vec::new();
            for parent in 0..500 {
                let key: Vec<i32> = [random.below(15) as i32 - 5, random.below(1 << 30) as i32, random.below(2) as i32]
                    [..random.below(4)]
                    .to_vec();
                let cover: Vec<i32> = (0..cover_len).map(|_| random.draw() as i32).collect();
                let cost = random.draw();
                let packed = courier.pack(&key).to_vec();
                let sent = Sent { parent, cost, packed: &packed, cover: &cover };
                Courier::write(&sent, &mut parcel.words);
                all.push((parent, cost, StateBuf { key, cover }));
            }
            let mut bytes = Vec::new();
            parcel.into_bytes(&mut bytes);
            assert_eq!(bytes.len(), parcel.length_in_bytes());
            let back = Parcel::from_bytes(BytesMut::from(bytes).freeze());
            assert_eq!((back.from, back.to, back.kind, &back.words), (2, 1, Kind::States, &parcel.words));
            let (mut at, mut state, mut read) = (0, StateBuf::default(), Vec::new());
            while let Some((sent, next)) = courier.read(&back.words, at) {
                courier.unpack(&sent, &mut state);
                let words = courier.words(state.as_state());
                assert_eq!(courier.state(&words).as_ref(), Some(&state));
                read.push((sent.parent, sent.cost, state.clone()));
                at = next;
            }
            assert_eq!((at, read), (parcel.words.len(), all));
        }
    }
}
