//! The hashes of many rows, in order and close together: who is not among them was not expanded.
//!
//! Going past rows takes eleven nanoseconds for each, going past their hashes about one: hashes in order differ little, so of each
//! its distance from the first one of its group is written, in as many bytes as the largest of a block needs (about six). As rows
//! do, they lie in a few runs, small ones merged into larger ones (O'Neil et al. 1996).
//!
//! Two states may have the same hash, though nobody will see it happen in 64 bits: who is among them has to be compared.

use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_64;

use crate::blocks::{BlockReader, BlockWriter, Blocks, Sizes, below};
use crate::patience::Patience;
use crate::space::Space;
use crate::trouble::{Trouble, reserve};

/// Hashes of a block.
const MOST: usize = 1024;
/// Hashes that are written by their distances from the first of them.
const GROUP: usize = 64;
/// Bytes before the hashes: how many they are, bytes of a distance, a checksum of all but itself.
const HEADER: usize = 16;
/// So many runs of about the same size become one; each size is so many times the one before.
const TOGETHER: u64 = 3;

fn checksum(block: &[u8]) -> u64 {
    xxh3_64(&block[HEADER..]) ^ xxh3_64(&block[..8]).rotate_left(1)
}

fn encode(hashes: &[u64], out: &mut Vec<u8>) -> Result<(), Trouble> {
    let groups = hashes.chunks(GROUP);
    let widest = groups.clone().fold(0, |widest, group| widest.max(group[group.len() - 1] - group[0]));
    let width = (u64::BITS - widest.leading_zeros()).div_ceil(8).max(1) as usize;
    let at = out.len();
    reserve(out, HEADER + groups.len() * 8 + hashes.len() * width)?;
    out.extend_from_slice(&[0; HEADER]);
    for group in groups {
        out.extend_from_slice(&group[0].to_le_bytes());
        for hash in group {
            out.extend_from_slice(&(hash - group[0]).to_le_bytes()[..width]);
        }
    }
    out[at..at + 4].copy_from_slice(&(hashes.len() as u32).to_le_bytes());
    out[at + 4..at + 8].copy_from_slice(&(width as u32).to_le_bytes());
    let sum = checksum(&out[at..]);
    out[at + 8..at + HEADER].copy_from_slice(&sum.to_le_bytes());
    Ok(())
}

/// The hashes whose distances from the first one take so many bytes each.
fn group<const WIDTH: usize>(first: u64, distances: &[u8], into: &mut Vec<u64>) {
    into.extend(distances.as_chunks::<WIDTH>().0.iter().map(|bytes| {
        let mut word = [0; 8];
        word[..WIDTH].copy_from_slice(bytes);
        first.wrapping_add(u64::from_le_bytes(word))
    }));
}

/// What never left memory need not be checked.
fn decode(bytes: &[u8], is_checked: bool, into: &mut Vec<u64>) -> Result<(), Trouble> {
    let word = |at: usize| bytes.get(at..at + 8).and_then(|word| word.try_into().ok()).map(u64::from_le_bytes);
    let (head, sum) = (word(0).ok_or(Trouble::Corrupt)?, word(8).ok_or(Trouble::Corrupt)?);
    let (count, width) = (head as u32 as usize, (head >> 32) as usize);
    let fits = (1..=MOST).contains(&count)
        && (1..=8).contains(&width)
        && bytes.len() == HEADER + count.div_ceil(GROUP) * 8 + count * width;
    if !fits || is_checked && checksum(bytes) != sum {
        return Err(Trouble::Corrupt);
    }
    into.clear();
    reserve(into, count)?;
    let decode_group =
        [group::<1>, group::<2>, group::<3>, group::<4>, group::<5>, group::<6>, group::<7>, group::<8>][width - 1];
    let mut at = HEADER;
    while into.len() < count {
        let first = word(at).ok_or(Trouble::Corrupt)?;
        let distances = at + 8..at + 8 + GROUP.min(count - into.len()) * width;
        at = distances.end;
        decode_group(first, &bytes[distances], into);
    }
    Ok(())
}

/// Some hashes in order.
struct Hashes {
    blocks: Blocks,
    count: u64,
}

impl Hashes {
    fn level(&self) -> u32 {
        self.count.ilog(TOGETHER)
    }
}

/// Takes hashes in order.
pub struct HashWriter {
    hashes: Vec<u64>,
    blocks: BlockWriter,
    count: u64,
}

impl HashWriter {
    pub fn new(space: &Arc<Space>, sizes: Sizes) -> Self {
        HashWriter { hashes: Vec::new(), blocks: BlockWriter::new(space, sizes), count: 0 }
    }

    pub fn memory(&self) -> u64 {
        self.blocks.memory() + (self.hashes.capacity() * size_of::<u64>()) as u64
    }

    #[inline]
    pub fn push(&mut self, hash: u64) -> Result<(), Trouble> {
        if self.hashes.len() == MOST {
            self.end_block()?;
        }
        if self.hashes.is_empty() {
            reserve(&mut self.hashes, MOST)?;
        }
        self.hashes.push(hash);
        Ok(())
    }

    fn end_block(&mut self) -> Result<(), Trouble> {
        let Some(first) = self.hashes.first().copied() else { return Ok(()) };
        encode(&self.hashes, &mut self.blocks.pending)?;
        self.count += self.hashes.len() as u64;
        self.hashes.clear();
        self.blocks.end_block(first)
    }

    fn finish(mut self) -> Result<Option<Hashes>, Trouble> {
        self.end_block()?;
        let blocks = self.blocks.finish()?;
        Ok((self.count > 0).then_some(Hashes { blocks, count: self.count }))
    }
}

/// Goes through hashes in order. It stands at one, or at the end.
struct HashReader {
    hashes: Arc<Hashes>,
    bytes: BlockReader,
    values: Vec<u64>,
    at: usize,
}

impl HashReader {
    fn before(hashes: &Arc<Hashes>, sizes: Sizes) -> Self {
        HashReader { hashes: Arc::clone(hashes), bytes: BlockReader::new(sizes), values: Vec::new(), at: 0 }
    }

    fn memory(&self) -> u64 {
        self.bytes.memory() + (self.values.capacity() * size_of::<u64>()) as u64
    }

    #[inline]
    fn value(&self) -> Option<u64> {
        self.values.get(self.at).copied()
    }

    #[inline]
    fn step(&mut self) -> Result<(), Trouble> {
        self.at += 1;
        if self.at < self.values.len() { Ok(()) } else { self.load(self.bytes.next()) }
    }

    /// Stands at the first one from here on that is no less.
    #[inline]
    fn advance(&mut self, hash: u64) -> Result<(), Trouble> {
        loop {
            if self.values.last().is_some_and(|last| *last >= hash) {
                self.at += below(&self.values, self.at, hash);
                return Ok(());
            }
            self.at = self.values.len();
            match self.hashes.blocks.block_for(hash, self.bytes.next()) {
                Some(number) => self.load(number)?,
                None => return Ok(()),
            }
        }
    }

    fn load(&mut self, number: usize) -> Result<(), Trouble> {
        let Some((first, bytes)) = self.bytes.load(&self.hashes.blocks, number)? else { return Ok(()) };
        decode(bytes, self.hashes.blocks.in_memory().is_err(), &mut self.values)?;
        self.at = 0;
        if self.values[0] == first { Ok(()) } else { Err(Trouble::Corrupt) }
    }
}

/// Which hashes are there: the first lookup may be for any, each after it for one that is no less.
#[derive(Default)]
pub struct Lookup(Vec<HashReader>);

impl Lookup {
    #[inline]
    pub fn contains(&mut self, hash: u64) -> Result<bool, Trouble> {
        for reader in &mut self.0 {
            reader.advance(hash)?;
            if reader.value() == Some(hash) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    pub fn memory(&self) -> u64 {
        self.0.iter().map(HashReader::memory).sum()
    }
}

/// A set of hashes that grows.
#[derive(Default)]
pub struct HashSet {
    runs: Vec<Arc<Hashes>>,
}

impl HashSet {
    pub fn memory(&self) -> u64 {
        self.runs.iter().map(|run| run.blocks.memory()).sum()
    }

    pub fn lookup(&self, sizes: Sizes) -> Lookup {
        Lookup(self.runs.iter().map(|run| HashReader::before(run, sizes)).collect())
    }

    /// Adds what was written.
    pub fn add(
        &mut self,
        new: HashWriter,
        space: &Arc<Space>,
        sizes: Sizes,
        patience: &mut Patience,
    ) -> Result<(), Trouble> {
        let Some(new) = new.finish()? else { return Ok(()) };
        reserve(&mut self.runs, 1)?;
        self.runs.push(Arc::new(new));
        loop {
            let levels = self.runs.iter().map(|run| run.level());
            let is_crowded = |one: &u32| levels.clone().filter(|other| other == one).count() as u64 >= TOGETHER;
            let Some(crowded) = levels.clone().find(is_crowded) else { return Ok(()) };
            self.merge(|run| run.level() <= crowded, space, sizes, patience)?;
        }
    }

    /// Takes what is in memory to disk.
    pub fn write_out(&mut self, space: &Arc<Space>, sizes: Sizes, patience: &mut Patience) -> Result<(), Trouble> {
        let is_in_memory = |run: &Hashes| run.blocks.in_memory().is_ok();
        self.merge(is_in_memory, space, Sizes { in_memory: 0, ..sizes }, patience)
    }

    fn merge(
        &mut self,
        which: impl Fn(&Hashes) -> bool,
        space: &Arc<Space>,
        sizes: Sizes,
        patience: &mut Patience,
    ) -> Result<(), Trouble> {
        let (some, others): (Vec<_>, Vec<_>) = self.runs.drain(..).partition(|run| which(run));
        self.runs = others;
        let mut readers: Vec<_> = some.iter().map(|run| HashReader::before(run, sizes)).collect();
        readers.iter_mut().try_for_each(|reader| reader.advance(0))?;
        let bytes = some.iter().map(|run| run.blocks.bytes()).sum::<u64>() as usize;
        let stays = bytes <= sizes.in_memory;
        let mut writer = HashWriter::new(space, if stays { sizes } else { Sizes { in_memory: 0, ..sizes } });
        if stays {
            // In one piece: a buffer that grows would be there twice.
            writer.blocks.pending.try_reserve_exact(bytes).map_err(|_| Trouble::Memory)?;
        }
        loop {
            patience.check()?;
            let heads = readers.iter().enumerate().filter_map(|(at, reader)| Some((reader.value()?, at)));
            let Some((least, at)) = heads.min() else { break };
            writer.push(least)?;
            readers[at].step()?;
        }
        self.runs.extend(writer.finish()?.map(Arc::new));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::medium::OnDisk;
    use bughound_kernel::Random;
    use bughound_search::{Controls, Driver};
    use std::collections::BTreeSet;

    #[test]
    fn a_set_knows_what_was_added_and_nothing_else() {
        let (mut on_disk, mut in_memory, mut known) = (0, 0, 0);
        for seed in 0..150 {
            let mut random = Random::new(seed);
            let space = Space::new(Box::new(OnDisk::new(std::env::temp_dir())), None);
            let mut patience = Patience::of(&Driver::new(Controls::default()));
            let sizes = Sizes { in_memory: [0, 3_000, 1 << 20][random.below(3)], chunk: [1, 5_000][random.below(2)] };
            // With few bits, some are the same; with all, distances take eight bytes.
            let shift = [40, 20, 3, 0][random.below(4)];
            let draw = |random: &mut Random| random.draw() >> shift;
            let (mut set, mut all) = (HashSet::default(), BTreeSet::new());
            for _ in 0..1 + random.below(12) {
                let mut new: Vec<u64> = (0..random.below(3_000)).map(|_| draw(&mut random)).collect();
                new.sort_unstable();
                let mut writer = HashWriter::new(&space, sizes);
                new.iter().for_each(|hash| writer.push(*hash).unwrap());
                set.add(writer, &space, sizes, &mut patience).unwrap();
                all.extend(new);
                if random.one_in(4) {
                    set.write_out(&space, sizes, &mut patience).unwrap();
                }
                let mut asked: Vec<u64> = (0..200).map(|_| draw(&mut random)).collect();
                asked.extend(all.iter().filter(|_| random.one_in(30)));
                asked.extend([0, u64::MAX]);
                asked.sort_unstable();
                let mut lookup = set.lookup(sizes);
                for hash in asked {
                    assert_eq!(lookup.contains(hash).unwrap(), all.contains(&hash), "seed {seed}: {hash}");
                    known += u64::from(all.contains(&hash));
                }
            }
            let is_on_disk = set.runs.iter().any(|run| run.blocks.in_memory().is_err());
            on_disk += u64::from(is_on_disk);
            in_memory += u64::from(!is_on_disk);
        }
        assert!(on_disk > 40 && in_memory > 10 && known > 10_000, "{on_disk} {in_memory} {known}");
    }

    #[test]
    fn a_changed_block_is_noticed() {
        let mut random = Random::new(1);
        for _ in 0..100 {
            let shift = random.below(64) as u32;
            let mut hashes: Vec<u64> = (0..1 + random.below(MOST)).map(|_| random.draw() >> shift).collect();
            hashes.sort_unstable();
            let (mut bytes, mut decoded) = (Vec::new(), Vec::new());
            encode(&hashes, &mut bytes).unwrap();
            decode(&bytes, true, &mut decoded).unwrap();
            assert_eq!(decoded, hashes);
            for _ in 0..20 {
                let (at, bit) = (random.below(bytes.len()), 1 << random.below(8));
                bytes[at] ^= bit;
                assert_eq!(decode(&bytes, true, &mut decoded), Err(Trouble::Corrupt), "byte {at}");
                bytes[at] ^= bit;
                let end = random.below(bytes.len());
                assert_eq!(decode(&bytes[..end], true, &mut decoded), Err(Trouble::Corrupt));
            }
        }
    }
}
