//! Blocks of rows, as they lie on disk.
//!
//! A block holds some hundred rows, taken apart into planes: the first bytes of all first words, the second bytes, and so on.
//! Packed states have many bits that are nearly always the same. A plane with one value takes that value, one with up to 16 values
//! a list of them and 1, 2 or 4 bits for each row, others a byte for each row. Rows are in the order of hashes that look like
//! random numbers, so there is nothing to be gained from differences between rows; and the hashes themselves are not written, because
//! they follow from the keys.
//!
//! A block begins with its size and a checksum: what was written and what is read are the same, or that they are not is noticed.

use xxhash_rust::xxh3::xxh3_64;

use crate::blocks::below;
use crate::row::{From, Row, Shape, hash};
use crate::trouble::{Trouble, reserve};

/// Bytes before the planes: number of rows, words of a row, bytes of the planes, and a checksum of all but itself.
pub const HEADER: usize = 20;
/// So many bytes of rows, as they are in memory, make a block.
pub const TARGET: usize = 16 << 10;
/// No block has more rows.
pub const MOST_ROWS: usize = 2048;
const LEAST_ROWS: usize = 8;

/// Words of each row before those of its state: the cost takes two, and where it came from one.
const EXTRA: usize = 3;

/// Rows in memory, as long as the longest of them.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    hashes: Vec<u64>,
    costs: Vec<u64>,
    from: Vec<u32>,
    /// How many words of a row are the key's.
    keys: Vec<u32>,
    stride: usize,
    words: Vec<u32>,
    cover_len: usize,
}

impl Rows {
    pub fn len(&self) -> usize {
        self.hashes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.hashes.is_empty()
    }

    pub fn hash(&self, at: usize) -> u64 {
        self.hashes[at]
    }

    /// How many rows from `at` on have a lesser hash than this.
    #[inline]
    pub fn below(&self, at: usize, hash: u64) -> usize {
        below(&self.hashes, at, hash)
    }

    #[inline]
    pub fn row(&self, at: usize) -> Row<'_> {
        let key = self.keys[at] as usize;
        let words = &self.words[at * self.stride..][..key + self.cover_len];
        let from = From::from_code(self.from[at]).unwrap_or(From::NOWHERE);
        Row { hash: self.hashes[at], cost: self.costs[at], from, words, key }
    }

    pub fn memory(&self) -> u64 {
        let rows = self.hashes.capacity() * 8 + self.costs.capacity() * 8;
        (rows + (self.from.capacity() + self.keys.capacity() + self.words.capacity()) * 4) as u64
    }
}

/// Takes rows until they are enough for a block.
#[derive(Debug)]
pub struct Encoder {
    rows: usize,
    most: usize,
    stride: usize,
    /// Row by row: the cost, where it came from, the words of the state, filled up with zeros.
    words: Vec<u32>,
    first: u64,
    plane: Vec<u8>,
}

impl Encoder {
    pub fn new(shape: &Shape) -> Self {
        let stride = shape.longest() + EXTRA;
        let most = (TARGET / (stride * 4)).clamp(LEAST_ROWS, MOST_ROWS);
        Encoder { rows: 0, most, stride, words: Vec::new(), first: 0, plane: Vec::new() }
    }

    pub fn is_full(&self) -> bool {
        self.rows == self.most
    }

    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// The hash of its first row.
    pub fn first(&self) -> u64 {
        self.first
    }

    pub fn memory(&self) -> u64 {
        (self.words.capacity() * 4 + self.plane.capacity()) as u64
    }

    #[inline]
    pub fn push(&mut self, row: &Row<'_>) -> Result<(), Trouble> {
        if self.rows == 0 {
            self.first = row.hash;
            reserve(&mut self.words, self.most * self.stride)?;
            reserve(&mut self.plane, self.most)?;
        }
        self.words.extend_from_slice(&[row.cost as u32, (row.cost >> 32) as u32, row.from.code()]);
        self.words.extend_from_slice(row.words);
        self.rows += 1;
        self.words.resize(self.rows * self.stride, 0);
        Ok(())
    }

    /// Writes the block behind `out`, and is empty again.
    pub fn finish(&mut self, out: &mut Vec<u8>) -> Result<(), Trouble> {
        let at = out.len();
        reserve(out, HEADER + self.stride * 4 * (self.rows + 20))?;
        out.extend_from_slice(&[0; HEADER]);
        for column in 0..self.stride {
            let first = self.words[column];
            let differ = self.words[column..].iter().step_by(self.stride).fold(0, |all, word| all | (word ^ first));
            for byte in 0..4 {
                let shift = 8 * byte;
                if differ >> shift & 0xff == 0 {
                    out.extend_from_slice(&[0, (first >> shift) as u8]);
                    continue;
                }
                self.plane.clear();
                let column = self.words[column..].iter().step_by(self.stride);
                self.plane.extend(column.map(|word| (word >> shift) as u8));
                put_plane(&self.plane, out);
            }
        }
        let payload = out.len() - at - HEADER;
        out[at..at + 4].copy_from_slice(&(self.rows as u32).to_le_bytes());
        out[at + 4..at + 8].copy_from_slice(&(self.stride as u32).to_le_bytes());
        out[at + 8..at + 12].copy_from_slice(&(payload as u32).to_le_bytes());
        let sum = checksum(&out[at..]);
        out[at + 12..at + HEADER].copy_from_slice(&sum.to_le_bytes());
        self.words.clear();
        self.rows = 0;
        Ok(())
    }
}

fn checksum(block: &[u8]) -> u64 {
    xxh3_64(&block[HEADER..]) ^ xxh3_64(&block[..12]).rotate_left(1)
}

/// The bytes of the block at the front of these, its header included.
pub fn length(bytes: &[u8]) -> Option<usize> {
    let payload = bytes.get(8..12)?;
    Some(HEADER + u32::from_le_bytes(payload.try_into().ok()?) as usize)
}

/// Reads a block that takes all of these bytes.
pub fn decode(bytes: &[u8], shape: &Shape, into: &mut Rows) -> Result<(), Trouble> {
    if length(bytes) != Some(bytes.len()) {
        return Err(Trouble::Corrupt);
    }
    let number = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]) as usize;
    let (rows, stride) = (number(0), number(4));
    let stored = u64::from_le_bytes(bytes[12..HEADER].try_into().map_err(|_| Trouble::Corrupt)?);
    let fits = (1..=MOST_ROWS).contains(&rows) && stride == shape.longest() + EXTRA;
    if checksum(bytes) != stored || !fits {
        return Err(Trouble::Corrupt);
    }
    into.stride = stride - EXTRA;
    into.cover_len = shape.cover_len();
    into.words.clear();
    reserve(&mut into.words, rows * into.stride)?;
    into.words.resize(rows * into.stride, 0);
    for column in [&mut into.costs, &mut into.hashes] {
        column.clear();
        reserve(column, rows)?;
        column.resize(rows, 0);
    }
    for column in [&mut into.from, &mut into.keys] {
        column.clear();
        reserve(column, rows)?;
        column.resize(rows, 0);
    }
    let mut rest = &bytes[HEADER..];
    for column in 0..stride {
        for byte in 0..4 {
            let shift = 8 * byte;
            match column {
                0 | 1 => get_plane(&mut rest, rows, |row, value| {
                    into.costs[row] |= u64::from(value) << (shift + 32 * column);
                })?,
                2 => get_plane(&mut rest, rows, |row, value| into.from[row] |= u32::from(value) << shift)?,
                _ => {
                    let column = &mut into.words[column - EXTRA..];
                    get_plane(&mut rest, rows, |row, value| {
                        column[row * (stride - EXTRA)] |= u32::from(value) << shift
                    })?;
                }
            }
        }
    }
    for row in 0..rows {
        let words = &into.words[row * into.stride..][..into.stride];
        let key = shape.key_words(words).ok_or(Trouble::Corrupt)?;
        From::from_code(into.from[row]).ok_or(Trouble::Corrupt)?;
        into.keys[row] = key as u32;
        into.hashes[row] = hash(&words[..key]);
    }
    Ok(())
}

/// Writes the values of a plane that has at least two: the bits that each takes, the values there are (if not all), the numbers.
fn put_plane(plane: &[u8], out: &mut Vec<u8>) {
    let mut number = [u8::MAX; 256];
    let (mut values, mut count) = ([0; 16], 0);
    for value in plane {
        if number[usize::from(*value)] == u8::MAX {
            if count == values.len() {
                out.push(8);
                out.extend_from_slice(plane);
                return;
            }
            number[usize::from(*value)] = count as u8;
            values[count] = *value;
            count += 1;
        }
    }
    let bits = [1, 2, 4].into_iter().find(|bits| count <= 1 << bits).unwrap_or(4);
    out.push(bits);
    out.extend_from_slice(&values[..1 << bits]);
    let each = usize::from(8 / bits);
    for values in plane.chunks(each) {
        let numbers = values.iter().rev().fold(0, |all, value| all << bits | number[usize::from(*value)]);
        out.push(numbers);
    }
}

fn take<'b>(from: &mut &'b [u8], count: usize) -> Result<&'b [u8], Trouble> {
    let (taken, rest) = from.split_at_checked(count).ok_or(Trouble::Corrupt)?;
    *from = rest;
    Ok(taken)
}

#[inline]
fn get_plane(rest: &mut &[u8], rows: usize, mut put: impl FnMut(usize, u8)) -> Result<(), Trouble> {
    let (bits, after) = rest.split_first().ok_or(Trouble::Corrupt)?;
    let mut after = after;
    match bits {
        0 => {
            let value = take(&mut after, 1)?[0];
            if value != 0 {
                (0..rows).for_each(|row| put(row, value));
            }
        }
        8 => take(&mut after, rows)?.iter().enumerate().for_each(|(row, value)| put(row, *value)),
        1 | 2 | 4 => {
            let mut values = [0; 16];
            values[..1 << bits].copy_from_slice(take(&mut after, 1 << bits)?);
            let (each, mask) = (usize::from(8 / bits), (1_u8 << bits) - 1);
            let numbers = take(&mut after, rows.div_ceil(each))?;
            for (byte, rows) in numbers.iter().zip((0..rows).step_by(each).map(|row| row..rows.min(row + each))) {
                let mut byte = *byte;
                for row in rows {
                    put(row, values[usize::from(byte & mask)]);
                    byte = byte.checked_shr(u32::from(*bits)).unwrap_or(0);
                }
            }
        }
        _ => return Err(Trouble::Corrupt),
    }
    *rest = after;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use bughound_kernel::{Layout, Random, Slot, State};

    /// Blocks as they are written, and the rows that they were made of.
    #[allow(clippy::type_complexity)]
    fn random_block(random: &mut Random, shape: &Shape, slots: &[Slot]) -> (Vec<u8>, Vec<(u64, u32, Vec<u32>, usize)>) {
        let mut encoder = Encoder::new(shape);
        let (mut rows, mut packed) = (Vec::new(), vec![0; shape.longest()]);
        let variety = 1 + random.below(40);
        for _ in 0..1 + random.below(300) {
            let len = slots.len() - random.below(2).min(slots.len());
            let value = |slot: &Slot, random: &mut Random| (random.below(variety) as i32).min(slot.hi);
            let key: Vec<i32> = slots[..len].iter().map(|slot| value(slot, random)).collect();
            let cover: Vec<i32> = (0..shape.cover_len()).map(|_| random.below(1000) as i32 - 500).collect();
            let (key_words, all) = shape.pack(State { key: &key, cover: &cover }, &mut packed);
            let words = packed[..all].to_vec();
            let cost = [5, 1 << 20, u64::MAX][random.below(3)];
            let from = if random.one_in(3) { From::NOWHERE } else { From::state(random.draw()) };
            let hash = hash(&words[..key_words]);
            encoder.push(&Row { hash, cost, from, words: &words, key: key_words }).unwrap();
            rows.push((cost, from.code(), words, key_words));
            if encoder.is_full() {
                break;
            }
        }
        let mut bytes = Vec::new();
        encoder.finish(&mut bytes).unwrap();
        (bytes, rows)
    }

    #[test]
    fn blocks_hold_what_was_put_into_them_and_nothing_else_is_taken_for_one() {
        for seed in 0..300 {
            let mut random = Random::new(seed);
            let count = 1 + random.below(30);
            let slots: Vec<Slot> = (0..count).map(|n| Slot::new(0, [0, 1, 7, 255, 70_000, i32::MAX][n % 6])).collect();
            let cover_len = [0, 0, 4][random.below(3)];
            let shape = Shape::new(&Layout { slots: slots.clone(), cover_len });
            let (mut bytes, rows) = random_block(&mut random, &shape, &slots);
            let mut decoded = Rows::default();
            decode(&bytes, &shape, &mut decoded).unwrap();
            assert_eq!(decoded.len(), rows.len());
            for (at, (cost, from, words, key)) in rows.iter().enumerate() {
                let row = decoded.row(at);
                assert_eq!((row.cost, row.from.code(), row.words, row.key), (*cost, *from, &words[..], *key));
                assert_eq!(row.hash, hash(&words[..*key]));
            }
            for _ in 0..20 {
                let (at, bit) = (random.below(bytes.len()), 1 << random.below(8));
                bytes[at] ^= bit;
                assert_eq!(decode(&bytes, &shape, &mut decoded), Err(Trouble::Corrupt), "byte {at}");
                bytes[at] ^= bit;
                let end = random.below(bytes.len());
                assert_eq!(decode(&bytes[..end], &shape, &mut decoded), Err(Trouble::Corrupt));
            }
        }
    }
}
