//! Sets of states, one bit each.

/// A set of states of a model with a known number of states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateSet {
    words: Vec<u64>,
    len: usize,
}

impl StateSet {
    /// No state out of `len`.
    pub fn none(len: usize) -> StateSet {
        StateSet { words: vec![0; len.div_ceil(64)], len }
    }

    /// Every state out of `len`.
    pub fn all(len: usize) -> StateSet {
        StateSet::none(len).complement()
    }

    pub fn from_fn(len: usize, mut is_in: impl FnMut(usize) -> bool) -> StateSet {
        let mut set = StateSet::none(len);
        for state in 0..len {
            if is_in(state) {
                set.insert(state);
            }
        }
        set
    }

    /// States beyond `len` are left out.
    pub fn from_states(len: usize, states: impl IntoIterator<Item = usize>) -> StateSet {
        let mut set = StateSet::none(len);
        states.into_iter().filter(|&state| state < len).for_each(|state| set.insert(state));
        set
    }

    /// How many states the model has (not the set).
    pub fn len(&self) -> usize {
        self.len
    }

    /// Is no state in the set?
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// How many states are in the set.
    pub fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    pub fn contains(&self, state: usize) -> bool {
        self.words.get(state / 64).is_some_and(|word| word >> (state % 64) & 1 == 1)
    }

    pub fn insert(&mut self, state: usize) {
        self.words[state / 64] |= 1 << (state % 64);
    }

    pub fn remove(&mut self, state: usize) {
        self.words[state / 64] &= !(1 << (state % 64));
    }

    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(index, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                (rest != 0).then(|| {
                    let bit = rest.trailing_zeros() as usize;
                    rest &= rest - 1;
                    index * 64 + bit
                })
            })
        })
    }

    pub fn complement(&self) -> StateSet {
        let mut set = StateSet { words: self.words.iter().map(|word| !word).collect(), len: self.len };
        if !self.len.is_multiple_of(64)
            && let Some(last) = set.words.last_mut()
        {
            *last &= (1 << (self.len % 64)) - 1;
        }
        set
    }

    pub fn union(&self, other: &StateSet) -> StateSet {
        self.combined(other, |a, b| a | b)
    }

    pub fn intersection(&self, other: &StateSet) -> StateSet {
        self.combined(other, |a, b| a & b)
    }

    pub fn without(&self, other: &StateSet) -> StateSet {
        self.combined(other, |a, b| a & !b)
    }

    fn combined(&self, other: &StateSet, with: impl Fn(u64, u64) -> u64) -> StateSet {
        debug_assert_eq!(self.len, other.len);
        StateSet { words: self.words.iter().zip(&other.words).map(|(&a, &b)| with(a, b)).collect(), len: self.len }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_know_their_states() {
        let even = StateSet::from_fn(131, |state| state % 2 == 0);
        assert_eq!(even.count(), 66);
        assert_eq!(even.complement().count(), 65);
        assert_eq!(even.iter().nth(65), Some(130));
        assert!(even.union(&even.complement()) == StateSet::all(131));
        assert!(even.intersection(&even.complement()).is_empty());
        assert!(even.contains(130) && !even.contains(131) && !even.contains(5000));
    }
}
