//! States that others own, for the moment between their packing and the comparison with what was sent lately: so long, the
//! processor fetches what they are compared with.

/// So many at a time.
const MOST: usize = 8;

/// A packed state that others own.
#[derive(Clone, Copy, Debug, Default)]
pub struct Departure {
    pub owner: usize,
    /// Of its key.
    pub hash: u64,
    /// Its number at the sender.
    pub parent: u32,
    pub cost: u64,
    /// How many of its words are the key's, and how many there are.
    pub key: usize,
    pub words: usize,
}

/// First come, first served.
#[derive(Debug)]
pub struct Departing {
    heads: [Departure; MOST],
    words: Box<[u32]>,
    row: usize,
    taken: usize,
    added: usize,
}

impl Departing {
    pub fn new(most_words: usize) -> Self {
        let words = vec![0; most_words * MOST].into();
        Departing { heads: [Departure::default(); MOST], words, row: most_words, taken: 0, added: 0 }
    }

    #[inline]
    pub fn is_full(&self) -> bool {
        self.added - self.taken == MOST
    }

    /// Adds one; there must be room.
    #[inline]
    pub fn add(&mut self, departure: Departure, key: &[u32], cover: &[i32]) {
        let at = self.added % MOST;
        let row = &mut self.words[at * self.row..][..key.len() + cover.len()];
        let (first, rest) = row.split_at_mut(key.len());
        first.copy_from_slice(key);
        rest.copy_from_slice(bytemuck::cast_slice(cover));
        self.heads[at] = Departure { key: key.len(), words: key.len() + cover.len(), ..departure };
        self.added += 1;
    }

    /// Takes the first one out: with its key, and its cover.
    #[inline]
    pub fn take(&mut self) -> Option<(Departure, &[u32], &[i32])> {
        if self.taken == self.added {
            return None;
        }
        let at = self.taken % MOST;
        self.taken += 1;
        let departure = self.heads[at];
        let (key, cover) = self.words[at * self.row..][..departure.words].split_at(departure.key);
        Some((departure, key, bytemuck::cast_slice(cover)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_come_first_served() {
        let mut departing = Departing::new(3);
        let (mut added, mut taken) = (0_u32, 0_u32);
        for round in 0..200 {
            while !departing.is_full() && (added - taken) <= round % 9 {
                let key = [added, added + 1];
                departing.add(
                    Departure { parent: added, ..Departure::default() },
                    &key[..1 + added as usize % 2],
                    &[-7],
                );
                added += 1;
            }
            let (departure, key, cover) = departing.take().unwrap();
            assert_eq!((departure.parent, key[0], key.len(), cover), (taken, taken, 1 + taken as usize % 2, &[-7][..]));
            taken += 1;
        }
        while departing.take().is_some() {
            taken += 1;
        }
        assert_eq!(added, taken);
    }
}
