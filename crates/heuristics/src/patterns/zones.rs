//! Zones in a list, found by inclusion.
//!
//! A new zone is compared with all of the list, nearly always in vain. So every zone has a signature: sums of its bounds, a
//! few bounds each. If a zone is part of another one, no sum is larger; that rules out most, and is compared at one stroke.

use bughound_dbm::Zone;

const LANES: usize = 8;
/// Larger bounds count as this one, so that there is something left to tell apart.
const MOST: i32 = 1 << 20;

type Signature = [i32; LANES];

#[derive(Default)]
pub struct ZoneList {
    signatures: Vec<Signature>,
    /// The zones, one after the other.
    words: Vec<i32>,
}

impl ZoneList {
    pub fn push(&mut self, zone: Zone<'_>) {
        self.signatures.push(signature(zone));
        self.words.extend_from_slice(zone.words());
    }

    pub fn get(&self, at: usize, dimension: usize) -> Zone<'_> {
        let size = dimension * dimension;
        Zone::new(&self.words[at * size..][..size], dimension)
    }

    /// The places of those that include a zone.
    pub fn including(&self, zone: Zone<'_>) -> impl Iterator<Item = usize> {
        let wanted = signature(zone);
        let possible = self.signatures.iter().enumerate().filter(move |(_, theirs)| is_below(&wanted, theirs));
        possible.map(|(at, _)| at).filter(move |at| zone.is_subset(self.get(*at, zone.dimension())))
    }

    /// The places of those that are part of a zone.
    pub fn included(&self, zone: Zone<'_>) -> impl Iterator<Item = usize> {
        let wanted = signature(zone);
        let possible = self.signatures.iter().enumerate().filter(move |(_, theirs)| is_below(theirs, &wanted));
        possible.map(|(at, _)| at).filter(move |at| self.get(*at, zone.dimension()).is_subset(zone))
    }

    pub fn memory(&self) -> usize {
        self.signatures.capacity() * size_of::<Signature>() + self.words.capacity() * size_of::<i32>()
    }
}

fn signature(zone: Zone<'_>) -> Signature {
    let mut sums: Signature = [0; LANES];
    for (at, bound) in zone.words().iter().enumerate() {
        let sum = &mut sums[at % LANES];
        *sum = sum.saturating_add((*bound).clamp(-MOST, MOST));
    }
    sums
}

#[inline]
fn is_below(small: &Signature, large: &Signature) -> bool {
    small.iter().zip(large).fold(true, |all, (a, b)| all & (a <= b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bughound_dbm::{Bound, ZoneBuf};

    #[test]
    fn finds_what_comparing_all_finds() {
        let mut seed = 1u64;
        let mut below = |end: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % end
        };
        let mut zones: Vec<ZoneBuf> = Vec::new();
        while zones.len() < 300 {
            let mut zone = ZoneBuf::universal(4);
            for _ in 0..below(6) {
                let (left, right) = (below(4) as usize, below(4) as usize);
                if left != right {
                    zone.as_mut().tighten(left, right, Bound::at_most(below(9) as i32 - 3));
                }
            }
            if !zone.as_zone().is_empty() {
                zones.push(zone);
            }
        }
        let mut list = ZoneList::default();
        zones.iter().for_each(|zone| list.push(zone.as_zone()));
        let mut found = 0;
        for zone in &zones {
            let zone = zone.as_zone();
            let larger = |at: &usize| zone.is_subset(zones[*at].as_zone());
            let smaller = |at: &usize| zones[*at].as_zone().is_subset(zone);
            assert!(list.including(zone).eq((0..zones.len()).filter(larger)));
            assert!(list.included(zone).eq((0..zones.len()).filter(smaller)));
            found += list.including(zone).count();
        }
        assert!(found > 2 * zones.len() && found < zones.len() * zones.len() / 2, "{found}");
    }
}
