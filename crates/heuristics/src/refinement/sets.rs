//! Sets of values as bits, and products of them, one set for each variable.

use std::ops::Range;

use bughound_finite::relation::Value;

const BITS: usize = u64::BITS as usize;

pub fn contains(set: &[u64], value: Value) -> bool {
    set[value as usize / BITS] >> (value as usize % BITS) & 1 == 1
}

pub fn insert(set: &mut [u64], value: Value) {
    set[value as usize / BITS] |= 1 << (value as usize % BITS);
}

pub fn overlap(a: &[u64], b: &[u64]) -> bool {
    a.iter().zip(b).any(|(a, b)| a & b != 0)
}

pub fn is_empty(set: &[u64]) -> bool {
    set.iter().all(|word| *word == 0)
}

pub fn len(set: &[u64]) -> u32 {
    set.iter().map(|word| word.count_ones()).sum()
}

/// Keeps what is in the other, too.
pub fn intersect(set: &mut [u64], other: &[u64]) {
    set.iter_mut().zip(other).for_each(|(word, other)| *word &= other);
}

pub fn remove(set: &mut [u64], other: &[u64]) {
    set.iter_mut().zip(other).for_each(|(word, other)| *word &= !other);
}

/// The set of these values, for a variable with so many.
pub fn set_of(size: u32, values: impl IntoIterator<Item = Value>) -> Box<[u64]> {
    let mut set = vec![0; (size as usize).div_ceil(BITS)];
    values.into_iter().for_each(|value| insert(&mut set, value));
    set.into()
}

/// Where the sets of the variables lie in a product.
pub struct Layout {
    pub sizes: Vec<u32>,
    ends: Vec<usize>,
}

impl Layout {
    pub fn new(sizes: &[u32]) -> Layout {
        let mut end = 0;
        let mut next = |size: &u32| {
            end += (*size as usize).div_ceil(BITS);
            end
        };
        Layout { ends: sizes.iter().map(&mut next).collect(), sizes: sizes.to_vec() }
    }

    /// Words of a product.
    pub fn words(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }

    pub fn set(&self, variable: u32) -> Range<usize> {
        let before = (variable as usize).checked_sub(1).map_or(0, |before| self.ends[before]);
        before..self.ends[variable as usize]
    }

    pub fn variables(&self) -> impl Iterator<Item = u32> + use<> {
        0..self.sizes.len() as u32
    }
}

/// Products by number.
pub struct Products {
    pub layout: Layout,
    words: Vec<u64>,
}

impl Products {
    /// One product, of all values.
    pub fn all(layout: Layout) -> Products {
        let words = layout.sizes.iter().flat_map(|size| set_of(*size, 0..*size)).collect();
        Products { layout, words }
    }

    /// The set of a variable in a product.
    pub fn set(&self, product: u32, variable: u32) -> &[u64] {
        let (start, set) = (product as usize * self.layout.words(), self.layout.set(variable));
        &self.words[start + set.start..start + set.end]
    }

    fn set_mut(&mut self, product: u32, variable: u32) -> &mut [u64] {
        let (start, set) = (product as usize * self.layout.words(), self.layout.set(variable));
        &mut self.words[start + set.start..start + set.end]
    }

    /// A new last product gets what is in the part; the old one keeps the rest.
    pub fn split(&mut self, product: u32, variable: u32, part: &[u64]) {
        let start = product as usize * self.layout.words();
        let new = (self.words.len() / self.layout.words()) as u32;
        self.words.extend_from_within(start..start + self.layout.words());
        intersect(self.set_mut(new, variable), part);
        remove(self.set_mut(product, variable), part);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_split_along_one_variable() {
        let mut products = Products::all(Layout::new(&[3, 70, 2]));
        assert_eq!([len(products.set(0, 0)), len(products.set(0, 1)), len(products.set(0, 2))], [3, 70, 2]);
        products.split(0, 1, &set_of(70, [1, 69]));
        assert_eq!([len(products.set(0, 1)), len(products.set(1, 1))], [68, 2]);
        assert!(contains(products.set(1, 1), 69) && !contains(products.set(0, 1), 69));
        assert!(!overlap(products.set(0, 1), products.set(1, 1)) && overlap(products.set(0, 2), products.set(1, 2)));
    }
}
