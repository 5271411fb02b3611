//! A set of states that forgets: each state can be removed, and its place is used again.
//!
//! The stores of the task only grow, because their searches need all that they have seen. States are compared exactly: the key,
//! and the cover in its normal form ([`TransitionSystem::normalise_cover`]), in which it is handed back, too. So a search on
//! a pool walks a graph of its own, of normal forms, which is finite where the system says that normal forms are, and every
//! path of it can be found again.
//!
//! A state takes the bytes that the domains of its slots need, and 4 to 8 bytes in a table of hashes (linear probing; what
//! lies behind a removed entry moves up, so there are no tombstones).

use bughound_kernel::{OutOfMemory, State, StateBuf, TransitionSystem};

/// The number of a state, until it is removed.
pub(super) type Place = u32;

const NOBODY: Place = Place::MAX;
/// States are kept in blocks of so many: a pool that grows moves none of them.
const BLOCK: usize = 256;

pub(super) struct Pool<'t> {
    system: &'t dyn TransitionSystem,
    /// By slot: its least value and its bytes.
    slots: Vec<(i32, u8)>,
    /// Bytes of a state.
    stride: usize,
    blocks: Vec<Box<[u8]>>,
    /// Places given out so far.
    used: usize,
    free: Vec<Place>,
    /// By hash; the length is a power of two.
    table: Vec<Place>,
    /// The state that is looked for.
    wanted: Vec<u8>,
    cover: Vec<i32>,
}

/// Bytes that say how long a key is.
const LENGTH: usize = 4;

impl<'t> Pool<'t> {
    pub(super) fn new(system: &'t dyn TransitionSystem) -> Self {
        let layout = system.layout();
        let slots: Vec<(i32, u8)> =
            layout.slots.iter().map(|slot| (slot.lo, slot.bits().div_ceil(u8::BITS) as u8)).collect();
        let key: usize = slots.iter().map(|(_, bytes)| usize::from(*bytes)).sum();
        let stride = LENGTH + key + layout.cover_len * size_of::<i32>();
        let (blocks, free, table, wanted, cover) = (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Pool { system, slots, stride, blocks, used: 0, free, table, wanted, cover }
    }

    /// The place of a state, and whether it is new.
    pub(super) fn insert(&mut self, state: State<'_>) -> Result<(Place, bool), OutOfMemory> {
        self.encode(state);
        self.reserve()?;
        let at = match self.probe() {
            Ok(place) => return Ok((place, false)),
            Err(at) => at,
        };
        let place = match self.free.pop() {
            Some(place) => place,
            None => self.new_place()?,
        };
        let (block, offset) = self.within(place);
        self.blocks[block][offset..offset + self.stride].copy_from_slice(&self.wanted);
        self.table[at] = place;
        Ok((place, true))
    }

    pub(super) fn remove(&mut self, place: Place) {
        let mask = self.table.len() - 1;
        let mut at = self.home(place);
        while self.table[at] != place {
            at = (at + 1) & mask;
        }
        // Whoever could stand where the gap is moves there, and leaves a gap behind.
        let mut next = (at + 1) & mask;
        while self.table[next] != NOBODY {
            let home = self.home(self.table[next]);
            if (next.wrapping_sub(home) & mask) >= (next.wrapping_sub(at) & mask) {
                self.table[at] = self.table[next];
                at = next;
            }
            next = (next + 1) & mask;
        }
        self.table[at] = NOBODY;
        self.free.push(place);
    }

    pub(super) fn read(&self, place: Place, into: &mut StateBuf) {
        let bytes = self.bytes(place);
        let length = u32::from_le_bytes(word(&bytes[..LENGTH])) as usize;
        let mut rest = &bytes[LENGTH..];
        into.key.clear();
        for (lo, width) in &self.slots {
            let (value, others) = rest.split_at(usize::from(*width));
            into.key.push(lo.wrapping_add_unsigned(u32::from_le_bytes(word(value))));
            rest = others;
        }
        into.key.truncate(length);
        into.cover.clear();
        into.cover.extend(rest.chunks_exact(size_of::<i32>()).map(|value| i32::from_le_bytes(word(value))));
    }

    /// The same for every pool that the state is in.
    pub(super) fn hash(&self, place: Place) -> u64 {
        hash(self.bytes(place))
    }

    /// States that are there now.
    pub(super) fn len(&self) -> usize {
        self.used - self.free.len()
    }

    /// More places than this were never in use at once.
    pub(super) fn places(&self) -> usize {
        self.used
    }

    /// Bytes used.
    pub(super) fn memory(&self) -> u64 {
        let tables = (self.table.capacity() + self.free.capacity()) * size_of::<Place>();
        (self.blocks.len() * BLOCK * self.stride + tables) as u64
    }

    /// Bytes that a state takes at least.
    pub(super) fn bytes_per_state(&self) -> u64 {
        (self.stride + 2 * size_of::<Place>()) as u64
    }

    fn encode(&mut self, state: State<'_>) {
        self.wanted.clear();
        self.wanted.extend_from_slice(&(state.key.len() as u32).to_le_bytes());
        for (at, (lo, width)) in self.slots.iter().enumerate() {
            let value = state.key.get(at).map_or(0, |value| value.wrapping_sub(*lo) as u32);
            self.wanted.extend_from_slice(&value.to_le_bytes()[..usize::from(*width)]);
        }
        self.cover.clear();
        self.cover.extend_from_slice(state.cover);
        self.system.normalise_cover(state.key, &mut self.cover);
        self.wanted.extend(self.cover.iter().flat_map(|value| value.to_le_bytes()));
        self.wanted.resize(self.stride, 0);
    }

    /// Where the wanted state is, or else where in the table it belongs.
    fn probe(&self) -> Result<Place, usize> {
        let mask = self.table.len() - 1;
        let mut at = hash(&self.wanted) as usize & mask;
        loop {
            match self.table[at] {
                NOBODY => return Err(at),
                place if self.bytes(place) == self.wanted => return Ok(place),
                _ => at = (at + 1) & mask,
            }
        }
    }

    /// Makes room in the table for one more: at most two thirds of it are in use.
    fn reserve(&mut self) -> Result<(), OutOfMemory> {
        if (self.len() + 1) * 3 <= self.table.len() * 2 {
            return Ok(());
        }
        let old = std::mem::take(&mut self.table);
        let length = (old.len() * 2).max(16);
        let mut table = Vec::new();
        if table.try_reserve_exact(length).is_err() {
            self.table = old;
            return Err(OutOfMemory);
        }
        table.resize(length, NOBODY);
        for place in old.into_iter().filter(|place| *place != NOBODY) {
            let mut at = hash(self.bytes(place)) as usize & (length - 1);
            while table[at] != NOBODY {
                at = (at + 1) & (length - 1);
            }
            table[at] = place;
        }
        self.table = table;
        Ok(())
    }

    fn new_place(&mut self) -> Result<Place, OutOfMemory> {
        let place = Place::try_from(self.used).ok().filter(|place| *place != NOBODY).ok_or(OutOfMemory)?;
        if self.used == self.blocks.len() * BLOCK {
            let mut block = Vec::new();
            block.try_reserve_exact(BLOCK * self.stride).map_err(|_| OutOfMemory)?;
            self.blocks.try_reserve(1).map_err(|_| OutOfMemory)?;
            block.resize(BLOCK * self.stride, 0);
            self.blocks.push(block.into_boxed_slice());
        }
        self.used += 1;
        Ok(place)
    }

    fn within(&self, place: Place) -> (usize, usize) {
        (place as usize / BLOCK, place as usize % BLOCK * self.stride)
    }

    fn bytes(&self, place: Place) -> &[u8] {
        let (block, offset) = self.within(place);
        &self.blocks[block][offset..offset + self.stride]
    }

    fn home(&self, place: Place) -> usize {
        hash(self.bytes(place)) as usize & (self.table.len() - 1)
    }
}

/// Is this what a pool makes of the state?
pub(super) fn is_normal_form(system: &dyn TransitionSystem, state: State<'_>, normal: &StateBuf) -> bool {
    state.key == normal.key
        && (state.cover == normal.cover || {
            let mut cover = state.cover.to_vec();
            system.normalise_cover(state.key, &mut cover);
            cover == normal.cover
        })
}

/// Up to four bytes, filled up with zeros.
fn word(bytes: &[u8]) -> [u8; 4] {
    let mut word = [0; 4];
    word[..bytes.len()].copy_from_slice(bytes);
    word
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hash = 0x9e37_79b9_7f4a_7c15_u64;
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        hash = (hash ^ u64::from_le_bytes(word)).wrapping_mul(0xff51_afd7_ed55_8ccd);
        hash ^= hash >> 32;
    }
    hash
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use bughound_kernel::{Explorer, Layout, Random, Slot};

    struct Shape(Layout);

    impl TransitionSystem for Shape {
        fn layout(&self) -> &Layout {
            &self.0
        }

        fn explorer(&self) -> Box<dyn Explorer + '_> {
            unimplemented!("nobody explores it")
        }

        fn atoms(&self) -> u32 {
            0
        }

        /// Odd bounds need not be told from the even ones below them.
        fn normalise_cover(&self, _key: &[i32], cover: &mut [i32]) {
            cover.iter_mut().for_each(|value| *value &= !1);
        }
    }

    #[test]
    fn it_is_a_map_whose_entries_come_and_go() {
        let slots = [Slot::new(-3, 3), Slot::new(5, 5), Slot::new(-1000, 1000), Slot::new(i32::MIN, i32::MAX)];
        let system = Shape(Layout { slots: slots.to_vec(), cover_len: 1 });
        let mut random = Random::new(3);
        for round in 0..20 {
            let mut pool = Pool::new(&system);
            let mut known: HashMap<(Vec<i32>, i32), Place> = HashMap::new();
            let mut read = StateBuf::default();
            let variety = 2 + 10 * round;
            for _ in 0..3_000 {
                let value = random.below(variety) as i32;
                let key = [value % 7 - 3, 5, 1000 - value, i32::MIN + value];
                let key = &key[..random.below(5)];
                let cover = [random.below(4) as i32];
                let state = State { key, cover: &cover };
                let normal = (key.to_vec(), cover[0] & !1);
                if random.below(2) == 0 {
                    let (place, fresh) = pool.insert(state).unwrap();
                    assert_eq!(known.insert(normal.clone(), place), (!fresh).then_some(place));
                    pool.read(place, &mut read);
                    assert_eq!((&read.key, read.cover[0]), (&normal.0, normal.1));
                } else if let Some(place) = known.remove(&normal) {
                    pool.remove(place);
                }
                assert_eq!(pool.len(), known.len());
            }
            for ((key, cover), place) in &known {
                assert_eq!(pool.insert(State { key, cover: &[*cover] }), Ok((*place, false)));
            }
            assert!(pool.places() <= 7 * variety * 2 + BLOCK);
        }
    }
}
