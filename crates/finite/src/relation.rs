//! What an operator does to one variable, value by value.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A value by its place in the domain of its variable.
pub type Value = u32;

/// The values that a variable can have afterwards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum After {
    One(Value),
    Some(Arc<[Value]>),
}

/// Long lists differ in their ends, as a rule: not all of them is looked at.
impl Hash for After {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let values = self.values();
        (values.len(), values.first(), values.last()).hash(state);
    }
}

impl After {
    /// Is it the very same list?
    fn is_same(&self, other: &After) -> bool {
        match (self, other) {
            (After::One(value), After::One(other)) => value == other,
            (After::Some(values), After::Some(others)) => Arc::ptr_eq(values, others),
            _ => false,
        }
    }

    pub fn values(&self) -> &[Value] {
        match self {
            After::One(value) => std::slice::from_ref(value),
            After::Some(values) => values,
        }
    }
}

/// By value before, ascending: the values after. With other values the operator cannot be applied. Many operators share
/// the same one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Relation(Arc<Vec<(Value, After)>>);

impl Relation {
    /// From pairs in ascending order.
    pub fn new(pairs: Vec<(Value, After)>) -> Relation {
        debug_assert!(pairs.is_sorted_by(|a, b| a.0 < b.0));
        Relation(Arc::new(pairs))
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = (Value, &[Value])> {
        self.0.iter().map(|(before, after)| (*before, after.values()))
    }

    /// The values after, if it is this one before; none if the operator cannot be applied.
    pub fn after(&self, before: Value) -> &[Value] {
        self.0.binary_search_by_key(&before, |(value, _)| *value).map_or(&[], |at| self.0[at].1.values())
    }

    /// Does it leave the variable alone, whatever its value?
    pub fn is_identity(&self, size: u32) -> bool {
        self.0.len() == size as usize && self.only_tests()
    }

    /// Does it never change the variable?
    pub fn only_tests(&self) -> bool {
        self.0.iter().all(|(before, after)| after.values() == [*before])
    }

    /// Can the operator be applied whatever the value?
    pub fn is_total(&self, size: u32) -> bool {
        self.0.len() == size as usize
    }

    pub fn is_impossible(&self) -> bool {
        self.0.is_empty()
    }

    /// Tells this one from all others that are not shared with it, as long as it lives.
    pub fn identity(&self) -> *const () {
        Arc::as_ptr(&self.0).cast()
    }

    /// Adds the values that come from possible ones; true if there are new ones.
    pub fn spread(&self, possible: &mut [bool]) -> bool {
        let (mut more, mut last) = (false, None);
        for (before, after) in self.0.iter() {
            if possible[*before as usize] && !last.is_some_and(|last| after.is_same(last)) {
                for value in after.values() {
                    more |= !std::mem::replace(&mut possible[*value as usize], true);
                }
                last = Some(after);
            }
        }
        more
    }

    /// Without the values that cannot come up.
    pub fn restricted(&self, possible: &[bool]) -> Relation {
        let is_possible = |value: &Value| possible[*value as usize];
        if possible.iter().all(|possible| *possible) {
            return self.clone();
        }
        // Lists that were shared stay so.
        let mut last: Option<(&After, After)> = None;
        let mut pairs = Vec::new();
        for (before, after) in self.0.iter().filter(|(before, _)| is_possible(before)) {
            let known = last.as_ref().filter(|(other, _)| after.is_same(other)).map(|(_, known)| known.clone());
            let kept = known.unwrap_or_else(|| match after {
                After::Some(values) if !values.iter().all(is_possible) => {
                    After::Some(values.iter().copied().filter(is_possible).collect())
                }
                after => after.clone(),
            });
            last = Some((after, kept.clone()));
            pairs.push((*before, kept));
        }
        Relation::new(pairs)
    }

    pub fn memory(&self) -> u64 {
        (self.0.len() * size_of::<(Value, After)>()) as u64
    }
}
