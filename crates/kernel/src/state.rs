//! States: a key that is compared exactly and a cover that is compared by inclusion.

/// Dense number of a stored state; side tables (cost, parent, heuristic value) are indexed by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StateId(pub u32);

impl StateId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A state as the engines hand it around.
///
/// `key` holds the discrete part, one `i32` per slot of the [`Layout`](crate::Layout); it is hashed and compared
/// exactly. A key may be shorter than the layout: slots past its end belong to processes that do not exist.
/// `cover` is compared by inclusion: the bounds of a clock zone, empty for untimed models.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct State<'a> {
    pub key: &'a [i32],
    pub cover: &'a [i32],
}

impl<'a> State<'a> {
    /// A state of an untimed model.
    pub fn discrete(key: &'a [i32]) -> Self {
        State { key, cover: &[] }
    }

    /// The value of a slot; 0 for a slot of a process that does not exist.
    pub fn slot(&self, index: usize) -> i32 {
        self.key.get(index).copied().unwrap_or(0)
    }
}

/// An owned state that is filled again and again without allocating.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct StateBuf {
    pub key: Vec<i32>,
    pub cover: Vec<i32>,
}

impl StateBuf {
    pub fn as_state(&self) -> State<'_> {
        State { key: &self.key, cover: &self.cover }
    }

    pub fn set(&mut self, state: State<'_>) {
        self.key.clear();
        self.key.extend_from_slice(state.key);
        self.cover.clear();
        self.cover.extend_from_slice(state.cover);
    }
}

impl From<State<'_>> for StateBuf {
    fn from(state: State<'_>) -> Self {
        StateBuf { key: state.key.to_vec(), cover: state.cover.to_vec() }
    }
}
