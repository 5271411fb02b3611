//! Which parts of a key a tree puts together.
//!
//! A node takes room for every combination of its two parts that occurs. So parts belong together that have few combinations:
//! a channel and the process that reads it rather than two channels that have nothing to do with each other. What belongs together
//! is learnt from some of the states ([`Shape::learned`]), as Huffman's algorithm does it: again and again, the two parts are
//! put together that have the fewest combinations (Huffman 1952, "A method for the construction of minimum-redundancy codes"; with
//! combinations instead of frequencies it is a rule of thumb). On `leader0` with seven processes, trees that halve the
//! key have 2 nodes for a state below its top; those learnt from the first 4,000 of 723,053 states have 0.04.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::ops::Range;

use foldhash::fast::FixedState;

/// There is no node above the top.
pub(crate) const NOTHING: u32 = u32::MAX;

/// So many parts are compared with each other, at most; more words are put together with their neighbours first.
const MOST_PARTS: usize = 64;

/// A binary tree over the words of a key. Its values are numbered: first the words, then the nodes, each of them after the
/// two values that it is made of. The last node is the top; a single word has none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    words: usize,
    /// By node.
    pairs: Vec<(u32, u32)>,
    /// By value: the node that it is a part of.
    above: Vec<u32>,
}

impl Shape {
    /// The tree that halves the words again and again.
    pub(crate) fn halved(words: usize) -> Shape {
        let mut pairs = Vec::with_capacity(words);
        halve(0..words as u32, words as u32, &mut pairs);
        Shape::new(words, pairs)
    }

    fn new(words: usize, pairs: Vec<(u32, u32)>) -> Shape {
        let mut above = vec![NOTHING; words + pairs.len()];
        for (node, (left, right)) in (0..).zip(&pairs) {
            (above[*left as usize], above[*right as usize]) = (node, node);
        }
        Shape { words, pairs, above }
    }

    /// The tree for these keys, which lie one after the other and have so many words each.
    pub(crate) fn learned(words: usize, keys: &[u32]) -> Shape {
        let mut pairs = Vec::with_capacity(words);
        let mut parts = Parts::default();
        let columns = (0..words).map(|word| parts.column(keys.chunks_exact(words).map(|key| (key[word], 0))));
        let (constant, varying): (Vec<_>, Vec<_>) =
            (0_u32..).zip(columns.collect::<Vec<_>>()).partition(|(_, c)| c.count == 1);
        // What never changes needs no thought, and neighbours often change together.
        let mut values = vec![];
        let constant: Vec<u32> = constant.into_iter().map(|(word, _)| word).collect();
        if !constant.is_empty() {
            values.push((
                join(&constant, words as u32, &mut pairs),
                parts.column(keys.chunks_exact(words).map(|_| (0, 0))),
            ));
        }
        let together = varying.len().div_ceil(MOST_PARTS).max(1);
        for neighbours in varying.chunks(together) {
            let of: Vec<u32> = neighbours.iter().map(|(word, _)| *word).collect();
            let column = neighbours[1..].iter().fold(neighbours[0].1.clone(), |all, (_, next)| parts.both(&all, next));
            values.push((join(&of, words as u32, &mut pairs), column));
        }
        parts.put_together(values, words as u32, &mut pairs);
        Shape::new(words, pairs)
    }

    /// The same for keys of another length: parts that both have are the same parts.
    pub(crate) fn for_words(&self, words: usize) -> Shape {
        let mut pairs = Vec::with_capacity(words);
        // By value of this tree: its value in the other one, if it has a word that is there.
        let mut values: Vec<Option<u32>> = (0..self.words).map(|word| (word < words).then_some(word as u32)).collect();
        for (left, right) in &self.pairs {
            let value = match (values[*left as usize], values[*right as usize]) {
                (Some(left), Some(right)) => Some(join(&[left, right], words as u32, &mut pairs)),
                (one, other) => one.or(other),
            };
            values.push(value);
        }
        if words > self.words {
            let more = halve(self.words as u32..words as u32, words as u32, &mut pairs);
            if let Some(Some(known)) = values.last() {
                join(&[*known, more], words as u32, &mut pairs);
            }
        }
        Shape::new(words, pairs)
    }

    /// Words and nodes.
    pub(crate) fn values(&self) -> usize {
        self.above.len()
    }

    /// By node: the two values that it is made of.
    #[inline]
    pub(crate) fn pairs(&self) -> &[(u32, u32)] {
        &self.pairs
    }

    /// The node that a value is a part of.
    #[inline]
    pub(crate) fn above(&self, value: usize) -> u32 {
        self.above[value]
    }
}

/// Makes a tree of some values, in their order; its value.
fn join(values: &[u32], words: u32, pairs: &mut Vec<(u32, u32)>) -> u32 {
    match values {
        [value] => *value,
        _ => {
            let (left, right) = values.split_at(values.len() / 2);
            let pair = (join(left, words, pairs), join(right, words, pairs));
            pairs.push(pair);
            words + pairs.len() as u32 - 1
        }
    }
}

/// The same for words.
fn halve(range: Range<u32>, words: u32, pairs: &mut Vec<(u32, u32)>) -> u32 {
    join(&range.collect::<Vec<_>>(), words, pairs)
}

/// What a part is in each of the keys, as a number, and how many numbers there are.
#[derive(Clone, Debug)]
struct Column {
    classes: Vec<u32>,
    count: usize,
}

#[derive(Default)]
struct Parts {
    /// Only there so that its memory is used again.
    numbers: HashMap<(u32, u32), u32, FixedState>,
}

/// Two parts that may be put together: how many combinations they have, or at least have; whether that is counted; who they are.
type Candidate = Reverse<(usize, bool, usize, usize)>;

impl Parts {
    fn column(&mut self, values: impl Iterator<Item = (u32, u32)>) -> Column {
        self.numbers.clear();
        let mut class = |value| {
            let next = self.numbers.len() as u32;
            *self.numbers.entry(value).or_insert(next)
        };
        let classes = values.map(&mut class).collect();
        Column { classes, count: self.numbers.len() }
    }

    fn both(&mut self, one: &Column, other: &Column) -> Column {
        self.column(one.classes.iter().copied().zip(other.classes.iter().copied()))
    }

    /// Puts parts together until there is one.
    fn put_together(&mut self, parts: Vec<(u32, Column)>, words: u32, pairs: &mut Vec<(u32, u32)>) {
        let mut parts: Vec<Option<(u32, Column)>> = parts.into_iter().map(Some).collect();
        // Two parts have at least as many combinations as one of them alone: most pairs need never be counted.
        let least = |one: &Column, other: &Column| one.count.max(other.count);
        let mut candidates: BinaryHeap<Candidate> = BinaryHeap::new();
        for at in 1..parts.len() {
            for before in 0..at {
                if let (Some((_, one)), Some((_, other))) = (&parts[before], &parts[at]) {
                    candidates.push(Reverse((least(one, other), false, before, at)));
                }
            }
        }
        while let Some(Reverse((count, is_counted, before, at))) = candidates.pop() {
            let (Some((left, one)), Some((right, other))) = (&parts[before], &parts[at]) else { continue };
            let (left, right, both) = (*left, *right, self.both(one, other));
            if !is_counted && both.count > count {
                candidates.push(Reverse((both.count, true, before, at)));
                continue;
            }
            let value = join(&[left, right], words, pairs);
            (parts[before], parts[at]) = (None, None);
            for (known, part) in parts.iter().enumerate() {
                if let Some((_, column)) = part {
                    candidates.push(Reverse((least(column, &both), false, known, parts.len())));
                }
            }
            parts.push(Some((value, both)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bughound_kernel::Random;

    /// Every value but the top is a part of one node, which comes after it.
    fn assert_is_a_tree(shape: &Shape) {
        assert_eq!(shape.pairs.len() + 1, shape.words);
        assert_eq!(shape.above.iter().filter(|node| **node == NOTHING).count(), 1);
        for (value, node) in shape.above.iter().enumerate() {
            let place = if *node == NOTHING { shape.values() } else { shape.words + *node as usize };
            assert!(place > value, "{shape:?}");
        }
    }

    #[test]
    fn every_shape_is_a_tree() {
        let mut random = Random::new(1);
        for words in [1, 2, 3, 5, 54, 70, 300] {
            assert_is_a_tree(&Shape::halved(words));
            let keys: Vec<u32> = (0..words * 50).map(|at| random.below(1 + at % words % 7) as u32).collect();
            let learned = Shape::learned(words, &keys);
            assert_is_a_tree(&learned);
            for other in [1, 2, words / 2 + 1, words, words + 1, 2 * words] {
                assert_is_a_tree(&learned.for_words(other));
            }
            assert_eq!(learned.for_words(words), learned);
        }
    }

    #[test]
    fn words_that_change_together_are_put_together() {
        // Words 0 and 3 are the same, 1 and 2 as well, and the two have nothing to do with each other.
        let keys: Vec<u32> = (0..100).flat_map(|n| [n % 10, n / 10, n / 10, n % 10]).collect();
        let shape = Shape::learned(4, &keys);
        assert_eq!(shape.pairs, [(0, 3), (1, 2), (4, 5)]);
    }
}
