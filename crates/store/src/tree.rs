//! The tree store: states that share their parts (Laarman, van de Pol, Weber 2011, "Parallel recursive state compression for
//! free").
//!
//! The words of a packed key are the leaves of a binary tree. Each inner node is a pair of numbers of nodes below it, and equal
//! pairs have one number, in one set for all levels and all states. A state is the pair at the top. Parts of states recur, so
//! nearly all that a new state takes is its top: 8 bytes, and its place in a table.
//!
//! Of a state that is inserted, only the nodes above those words are looked up that differ from the state inserted before: the
//! successors of a state differ in a few words.
//!
//! Keys may be shorter than the layout. The tree is that of the words which a key has, halved from the top, so that parts of
//! states of different lengths are shared, too; how many words there are is kept beside the top.
//!
//! Claims: exact; ids are dense, as in the exact store. Cost: a look-up for each level above a changed word; reading a state
//! unfolds it, a pair for every two words. It pays off where states have many words; those of one or two words take no less
//! room than in the exact store.

use bughound_kernel::{Layout, Lookup, OutOfMemory, State, StateBuf, StateId, StateStore};

use crate::packing::{DeltaPacker, Packer};
use crate::pairs::Pairs;
use crate::sharded::Rationed;

/// Keys of more words than that are not for trees.
const MOST_WORDS: usize = u16::MAX as usize;

/// The tree of so many words. Above the words is a level of 2^k nodes, each of which stands for one or two of them; then the
/// levels are halved until there are two nodes.
#[derive(Debug)]
struct Shape {
    /// Where the words of the nodes of the lowest level begin, and the end.
    starts: Vec<u32>,
    /// By word: its node.
    node_of: Vec<u32>,
    /// Levels above the words.
    levels: usize,
}

impl Shape {
    fn new(words: usize) -> Shape {
        let nodes = words.next_power_of_two().div_ceil(2).max(2);
        let starts: Vec<u32> = (0..=nodes).map(|node| (node * words / nodes) as u32).collect();
        let node_of = (0..nodes as u32).flat_map(|node| {
            let count = starts[node as usize + 1] - starts[node as usize];
            std::iter::repeat_n(node, count as usize)
        });
        Shape { node_of: node_of.collect(), levels: nodes.ilog2() as usize, starts }
    }

    fn nodes(&self) -> usize {
        self.starts.len() - 1
    }
}

/// Every state as a tree of pairs. For models without covers.
#[derive(Debug)]
pub struct TreeStore {
    packer: DeltaPacker,
    inner: Pairs,
    /// Tagged with the number of words.
    tops: Pairs,
    /// By number of words; made when it is needed.
    shapes: Vec<Option<Shape>>,
    /// The state inserted last: its words, then the levels above them.
    words: Vec<u32>,
    levels: Vec<Vec<u32>>,
    /// Places on one level at which it differs from the state before.
    changed: Vec<u32>,
    budget: u64,
    /// The same with what others hold.
    total: u64,
}

impl TreeStore {
    /// Can the keys of this layout be kept in trees?
    pub fn fits(layout: &Layout) -> bool {
        layout.cover_len == 0 && Packer::new(layout).max_words() <= MOST_WORDS
    }

    pub fn new(layout: &Layout) -> Self {
        debug_assert!(Self::fits(layout));
        let packer = DeltaPacker::new(layout);
        let shapes = (0..=packer.packer().max_words()).map(|_| None).collect();
        TreeStore {
            packer,
            inner: Pairs::new(),
            tops: Pairs::new(),
            shapes,
            words: Vec::new(),
            levels: Vec::new(),
            changed: Vec::new(),
            budget: u64::MAX,
            total: u64::MAX,
        }
    }

    /// Refuses to grow beyond `bytes`, *before* the memory is taken.
    pub fn with_budget(mut self, bytes: u64) -> Self {
        (self.budget, self.total) = (bytes, bytes);
        self
    }

    /// Brings all levels up to date for a key; the pair at the top.
    fn climb(&mut self, key: &[i32]) -> Result<(u32, u32), OutOfMemory> {
        let words = self.packer.pack(key);
        let shape = self.shapes[words.len()].get_or_insert_with(|| Shape::new(words.len()));
        self.changed.clear();
        if self.words.len() == words.len() {
            for (at, (known, word)) in self.words.iter_mut().zip(words).enumerate() {
                let node = shape.node_of[at];
                if known != word && self.changed.last() != Some(&node) {
                    self.changed.push(node);
                }
                *known = *word;
            }
        } else {
            self.words.clear();
            self.words.extend_from_slice(words);
            self.levels.resize_with(shape.levels, Vec::new);
            for (level, nodes) in self.levels.iter_mut().enumerate() {
                nodes.clear();
                nodes.resize(shape.nodes() >> level, 0);
            }
            self.changed.extend(0..shape.nodes() as u32);
        }
        let budget = self.budget.saturating_sub(self.tops.memory());
        for place in &self.changed {
            let (start, end) = (shape.starts[*place as usize] as usize, shape.starts[*place as usize + 1] as usize);
            self.levels[0][*place as usize] = match &self.words[start..end] {
                [left, right] => self.inner.number((*left, *right), 0, budget)?.0,
                [word] => *word,
                _ => 0,
            };
        }
        for level in 1..self.levels.len() {
            let (below, above) = self.levels.split_at_mut(level);
            let (below, above) = (&below[level - 1], &mut above[0]);
            self.changed.iter_mut().for_each(|place| *place /= 2);
            self.changed.dedup();
            for place in &self.changed {
                let at = *place as usize;
                above[at] = self.inner.number((below[2 * at], below[2 * at + 1]), 0, budget)?.0;
            }
        }
        let top = &self.levels[self.levels.len() - 1];
        Ok((top[0], top[1]))
    }

    /// The words of a state.
    fn unfold<'w>(&self, id: StateId, words: &'w mut Vec<i32>) -> &'w [u32] {
        let used = usize::from(self.tops.tag(id.0));
        let Some(shape) = &self.shapes[used] else { return &[] };
        words.clear();
        words.resize(used.max(shape.nodes()), 0);
        let unfolded: &mut [u32] = bytemuck::cast_slice_mut(words);
        (unfolded[0], unfolded[1]) = self.tops.get(id.0);
        // From the last to the first, so that no node is overwritten before it was taken apart.
        for level in (1..shape.levels).rev() {
            for at in (0..shape.nodes() >> level).rev() {
                (unfolded[2 * at], unfolded[2 * at + 1]) = self.inner.get(unfolded[at]);
            }
        }
        for node in (0..shape.nodes()).rev() {
            let (start, end) = (shape.starts[node] as usize, shape.starts[node + 1] as usize);
            match end - start {
                2 => (unfolded[start], unfolded[start + 1]) = self.inner.get(unfolded[node]),
                1 => unfolded[start] = unfolded[node],
                _ => {}
            }
        }
        &unfolded[..used]
    }
}

impl Rationed for TreeStore {
    fn set_budget(&mut self, bytes: u64) {
        self.budget = bytes;
    }

    fn set_total(&mut self, bytes: u64) {
        (self.budget, self.total) = (bytes, bytes);
    }
}

impl StateStore for TreeStore {
    fn insert(&mut self, state: State<'_>, _cost: u64, _displaced: &mut Vec<StateId>) -> Result<Lookup, OutOfMemory> {
        debug_assert!(state.cover.is_empty());
        let top = self.climb(state.key).inspect_err(|_| {
            // Some levels are of this state, some of the one before: none of them counts any more.
            self.words.clear();
        })?;
        let budget = self.budget.saturating_sub(self.inner.memory());
        let (number, is_new) = self.tops.number(top, self.words.len() as u16, budget)?;
        Ok(if is_new { Lookup::New(StateId(number)) } else { Lookup::Known(StateId(number)) })
    }

    fn read(&self, id: StateId, into: &mut StateBuf) {
        // There are no covers: their room is used for the words.
        let words = self.unfold(id, &mut into.cover);
        self.packer.packer().unpack(words, &mut into.key);
        into.cover.clear();
    }

    fn len(&self) -> usize {
        self.tops.len()
    }

    fn memory(&self) -> u64 {
        self.inner.memory() + self.tops.memory()
    }

    fn leave_room(&mut self, bytes: u64) {
        self.budget = self.total.saturating_sub(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::ExactStore;
    use bughound_kernel::{Random, Slot};

    /// Walks at random through keys of all lengths: both stores must give the same numbers and keep the same states.
    fn agrees_with_the_exact_store(slots: Vec<Slot>, seed: u64) {
        let layout = Layout::new(slots.clone());
        let (mut tree, mut exact) = (TreeStore::new(&layout), ExactStore::new(&layout));
        let mut random = Random::new(seed);
        let mut key: Vec<i32> = slots.iter().map(|slot| slot.lo).collect();
        let mut displaced = Vec::new();
        for _ in 0..3_000 {
            if random.one_in(10) {
                key.truncate(random.below(slots.len() + 1));
                let len = key.len();
                key.extend(slots[len..].iter().take(random.below(slots.len() - len + 1)).map(|slot| slot.lo));
            }
            if !key.is_empty() {
                let at = random.below(key.len());
                key[at] = *random.pick(&[slots[at].lo, slots[at].hi]);
            }
            let state = State::discrete(&key);
            assert_eq!(tree.insert(state, 0, &mut displaced), exact.insert(state, 0, &mut displaced));
        }
        let (mut one, mut other) = (StateBuf::default(), StateBuf::default());
        assert_eq!(tree.len(), exact.len());
        for id in 0..tree.len() {
            tree.read(StateId(id as u32), &mut one);
            exact.read(StateId(id as u32), &mut other);
            assert_eq!((&one.key, &one.cover), (&other.key, &other.cover));
        }
    }

    #[test]
    fn states_of_every_size_are_those_of_the_exact_store() {
        for count in [0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 31, 64, 100] {
            let wide = vec![Slot::new(i32::MIN, i32::MAX); count];
            let mixed = (0..count).map(|n| if n % 3 == 0 { Slot::new(0, 255) } else { Slot::new(-1, 1) }).collect();
            agrees_with_the_exact_store(wide, count as u64);
            agrees_with_the_exact_store(mixed, 100 + count as u64);
        }
    }

    #[test]
    fn parts_that_recur_take_no_room() {
        // 64 words each; 10,000 states that differ in two of them.
        let layout = Layout::new(vec![Slot::new(i32::MIN, i32::MAX); 64]);
        let mut store = TreeStore::new(&layout);
        let mut key = vec![7; 64];
        for n in 0..10_000 {
            (key[3], key[40]) = (n / 100, n % 100);
            store.insert(State::discrete(&key), 0, &mut Vec::new()).unwrap();
        }
        assert!(store.memory() < 10_000 * 40, "{} bytes", store.memory());
    }

    #[test]
    fn a_budget_ends_growth_and_keeps_what_is_there() {
        let layout = Layout::new(vec![Slot::new(0, i32::MAX); 20]);
        let mut store = TreeStore::new(&layout).with_budget(1 << 18);
        let (mut key, mut random) = (vec![0; 20], Random::new(3));
        let mut kept = Vec::new();
        for _ in 0..100_000 {
            let at = random.below(20);
            key[at] = random.below(1 << 20) as i32;
            if let Ok(Lookup::New(_)) = store.insert(State::discrete(&key), 0, &mut Vec::new()) {
                kept.push(key.clone());
            }
        }
        assert!(store.memory() <= 1 << 18 && kept.len() > 500, "{} in {}", kept.len(), store.memory());
        assert_eq!(kept.len(), store.len());
        let mut state = StateBuf::default();
        for (id, key) in kept.iter().enumerate() {
            store.read(StateId(id as u32), &mut state);
            assert_eq!(state.key, *key);
        }
    }
}
