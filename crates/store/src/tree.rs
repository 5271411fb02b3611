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
//! Which words are put together first makes a great difference to the number of pairs. It is learnt from the states themselves
//! (`tree_shape.rs`), once there are some: then those that are there are entered anew, in their order, so that each
//! keeps its number.
//!
//! Keys may be shorter than the layout. Their tree is the same without the words that they do not have, so that parts of
//! states of different lengths are shared, too; how many words there are is kept beside the top.
//!
//! Claims: exact; ids are dense, as in the exact store. Cost: a look-up for each level above a changed word; reading a state
//! unfolds it, a pair for every two words. It pays off where states have many words; those of one or two words take no less
//! room than in the exact store.

use bughound_kernel::{Layout, Lookup, OutOfMemory, State, StateBuf, StateId, StateStore};

use crate::packing::{DeltaPacker, Packer};
use crate::pairs::Pairs;
use crate::sharded::Rationed;
use crate::tree_shape::{NOTHING, Shape};

/// Keys of more words than that are not for trees.
const MOST_WORDS: usize = u16::MAX as usize;

/// When there are so many states, the shape is learnt: soon, and once more when there are enough to tell what is typical.
const LESSONS: [usize; 2] = [1 << 12, 1 << 17];
/// So many of the states are looked at then; fewer if that would be more words than the next number.
const SAMPLE: usize = 1 << 12;
const SAMPLE_WORDS: usize = 1 << 22;

/// Every state as a tree of pairs. For models without covers.
#[derive(Debug)]
pub struct TreeStore {
    packer: DeltaPacker,
    trees: Trees,
    /// How many lessons are over.
    lessons: usize,
    budget: u64,
    /// The same with what others hold.
    total: u64,
}

/// Sequences of words as trees.
#[derive(Debug)]
struct Trees {
    inner: Pairs,
    /// Tagged with the number of words.
    tops: Pairs,
    /// What was learnt.
    shape: Option<Shape>,
    /// By number of words; made when it is needed.
    shapes: Vec<Option<Shape>>,
    /// The state inserted last: its words, then the nodes of its tree.
    values: Vec<u32>,
    /// How many words it has; 0 if there is none.
    words: usize,
    /// Nodes whose parts are others than in the state before, one bit for each.
    changed: Vec<u64>,
}

impl Trees {
    fn new(max_words: usize, shape: Option<Shape>) -> Self {
        Trees {
            inner: Pairs::new(),
            tops: Pairs::new(),
            shape,
            shapes: (0..=max_words).map(|_| None).collect(),
            values: Vec::new(),
            words: 0,
            changed: Vec::new(),
        }
    }

    fn memory(&self) -> u64 {
        self.inner.memory() + self.tops.memory()
    }

    /// The number of a sequence, and whether it is new. The trees grow up to `budget` bytes.
    fn number(&mut self, words: &[u32], budget: u64) -> Result<(u32, bool), OutOfMemory> {
        let top = self.climb(words, budget.saturating_sub(self.tops.memory())).inspect_err(|_| {
            // Some nodes are of this state, some of the one before: none of them counts any more.
            self.words = 0;
        })?;
        self.tops.number(top, words.len() as u16, budget.saturating_sub(self.inner.memory()))
    }

    /// Brings all nodes up to date for a sequence; the pair at the top.
    fn climb(&mut self, words: &[u32], budget: u64) -> Result<(u32, u32), OutOfMemory> {
        let learned = &self.shape;
        let shape = self.shapes[words.len()].get_or_insert_with(|| match learned {
            Some(shape) => shape.for_words(words.len()),
            None => Shape::halved(words.len()),
        });
        let Some(((left, right), below)) = shape.pairs().split_last() else { return Ok((words[0], 0)) };
        if self.words == words.len() {
            for (at, (known, word)) in self.values.iter_mut().zip(words).enumerate() {
                if known != word {
                    *known = *word;
                    let mut node = shape.above(at);
                    // What is above a node that has changed is known to have changed, too.
                    while node != NOTHING && self.changed[node as usize / 64] & 1 << (node % 64) == 0 {
                        self.changed[node as usize / 64] |= 1 << (node % 64);
                        node = shape.above(words.len() + node as usize);
                    }
                }
            }
        } else {
            self.values.clear();
            self.values.extend_from_slice(words);
            self.values.resize(shape.values(), 0);
            self.changed.clear();
            self.changed.resize(shape.pairs().len().div_ceil(64), u64::MAX);
            self.words = words.len();
        }
        for (block, changed) in self.changed.iter_mut().enumerate() {
            let mut nodes = std::mem::take(changed);
            while nodes != 0 {
                let node = block * 64 + nodes.trailing_zeros() as usize;
                nodes &= nodes - 1;
                // The top is not one of them.
                if let Some((left, right)) = below.get(node) {
                    let pair = (self.values[*left as usize], self.values[*right as usize]);
                    self.values[words.len() + node] = self.inner.number(pair, 0, budget)?.0;
                }
            }
        }
        Ok((self.values[*left as usize], self.values[*right as usize]))
    }

    /// The words of a sequence.
    fn unfold<'v>(&self, number: u32, values: &'v mut Vec<i32>) -> &'v [u32] {
        let words = usize::from(self.tops.tag(number));
        let Some(shape) = &self.shapes[words] else { return &[] };
        values.clear();
        values.resize(shape.values().max(1), 0);
        let unfolded: &mut [u32] = bytemuck::cast_slice_mut(values);
        let top = self.tops.get(number);
        match shape.pairs().split_last() {
            None => unfolded[0] = top.0,
            Some(((left, right), below)) => {
                (unfolded[*left as usize], unfolded[*right as usize]) = top;
                for (node, (left, right)) in below.iter().enumerate().rev() {
                    (unfolded[*left as usize], unfolded[*right as usize]) = self.inner.get(unfolded[words + node]);
                }
            }
        }
        &unfolded[..words]
    }

    /// The same sequences in trees of a shape that fits them; `None` if they have it, or if that takes more than `budget` bytes.
    fn reshaped(&self, budget: u64) -> Option<Trees> {
        let (mut values, count) = (Vec::new(), self.tops.len());
        let longest = (0..count).map(|number| usize::from(self.tops.tag(number as u32))).max()?;
        let sample = SAMPLE.min(SAMPLE_WORDS / longest.max(1)).max(1);
        let mut keys = Vec::new();
        for number in (0..count).step_by(count.div_ceil(sample).max(1)) {
            keys.extend_from_slice(self.unfold(number as u32, &mut values));
            keys.resize(keys.len().next_multiple_of(longest), 0);
        }
        let shape = Shape::learned(longest, &keys);
        if self.shape.as_ref() == Some(&shape) {
            return None;
        }
        let mut trees = Trees::new(self.shapes.len() - 1, Some(shape));
        trees.tops.most = self.tops.most;
        for number in 0..count as u32 {
            let numbered = trees.number(self.unfold(number, &mut values), budget);
            debug_assert!(numbered.is_err() || numbered == Ok((number, true)));
            numbered.ok()?;
        }
        // The first states may be alike in ways that later ones are not.
        (trees.memory() < self.memory()).then_some(trees)
    }
}

impl TreeStore {
    /// Can the keys of this layout be kept in trees?
    pub fn fits(layout: &Layout) -> bool {
        layout.cover_len == 0 && Packer::new(layout).max_words() <= MOST_WORDS
    }

    pub fn new(layout: &Layout) -> Self {
        debug_assert!(Self::fits(layout));
        let packer = DeltaPacker::new(layout);
        let trees = Trees::new(packer.packer().max_words(), None);
        TreeStore { packer, trees, lessons: 0, budget: u64::MAX, total: u64::MAX }
    }

    /// Refuses to grow beyond `bytes`, *before* the memory is taken.
    pub fn with_budget(mut self, bytes: u64) -> Self {
        (self.budget, self.total) = (bytes, bytes);
        self
    }

    /// There are numbers for so few states: to see what comes of it.
    pub fn with_most_states(mut self, most: u32) -> Self {
        self.trees.tops.most = most;
        self
    }

    #[cold]
    fn learn(&mut self) {
        self.lessons += 1;
        if let Some(trees) = self.trees.reshaped(self.budget.saturating_sub(self.trees.memory())) {
            self.trees = trees;
        }
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
        if LESSONS.get(self.lessons).is_some_and(|states| self.trees.tops.len() >= *states) {
            self.learn();
        }
        let words = self.packer.pack(state.key);
        let (number, is_new) = self.trees.number(words, self.budget)?;
        Ok(if is_new { Lookup::New(StateId(number)) } else { Lookup::Known(StateId(number)) })
    }

    fn read(&self, id: StateId, into: &mut StateBuf) {
        // There are no covers: their room is used for the words.
        let words = self.trees.unfold(id.0, &mut into.cover);
        self.packer.packer().unpack(words, &mut into.key);
        into.cover.clear();
    }

    fn len(&self) -> usize {
        self.trees.tops.len()
    }

    fn memory(&self) -> u64 {
        self.trees.memory()
    }

    fn leave_room(&mut self, bytes: u64) {
        self.budget = self.total.saturating_sub(bytes);
    }

    fn is_restorable(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::ExactStore;
    use bughound_kernel::{Random, Slot};

    /// Walks at random through keys of all lengths: both stores must give the same numbers and keep the same states.
    fn agrees_with_the_exact_store(slots: Vec<Slot>, steps: usize, seed: u64) -> TreeStore {
        let layout = Layout::new(slots.clone());
        let (mut tree, mut exact) = (TreeStore::new(&layout), ExactStore::new(&layout));
        let mut random = Random::new(seed);
        let mut key: Vec<i32> = slots.iter().map(|slot| slot.lo).collect();
        let mut displaced = Vec::new();
        for _ in 0..steps {
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
        tree
    }

    #[test]
    fn states_of_every_size_are_those_of_the_exact_store() {
        for count in [0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 31, 64, 100] {
            let wide = vec![Slot::new(i32::MIN, i32::MAX); count];
            let mixed = (0..count).map(|n| if n % 3 == 0 { Slot::new(0, 255) } else { Slot::new(-1, 1) }).collect();
            agrees_with_the_exact_store(wide, 3_000, count as u64);
            agrees_with_the_exact_store(mixed, 3_000, 100 + count as u64);
        }
    }

    #[test]
    fn states_keep_their_numbers_when_the_shape_is_learnt() {
        for count in [60, 100] {
            let slots = (0..count).map(|n| Slot::new(-1, [0, 1, 300, i32::MAX][n % 4])).collect();
            let tree = agrees_with_the_exact_store(slots, 300_000, count as u64);
            assert_eq!(tree.lessons, LESSONS.len(), "{}", tree.len());
        }
    }

    #[test]
    fn what_changes_together_takes_little_room_wherever_it_lies() {
        // Four pairs of words that are equal: in halves of the key, they would make as many nodes as there are states.
        let layout = Layout::new(vec![Slot::new(0, i32::MAX); 8]);
        let mut store = TreeStore::new(&layout);
        let key = |n| {
            let [a, b, c, d] = [n % 10, n / 10 % 10, n / 100 % 20, n / 2_000];
            [a, b, c, d, d, c, b, a]
        };
        for n in 0..40_000 {
            store.insert(State::discrete(&key(n)), 0, &mut Vec::new()).unwrap();
        }
        assert!(store.trees.tops.len() == 40_000 && store.trees.inner.len() < 1_000, "{}", store.trees.inner.len());
        let mut state = StateBuf::default();
        for n in 0..40_000 {
            store.read(StateId(n as u32), &mut state);
            assert_eq!(state.key, key(n));
            assert_eq!(store.insert(state.as_state(), 0, &mut Vec::new()), Ok(Lookup::Known(StateId(n as u32))));
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
