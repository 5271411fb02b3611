//! What an operator does to one variable, value by value.

use std::rc::Rc;

/// A value by its place in the domain of its variable.
pub type Value = u32;

/// The values that a variable can have afterwards.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum After {
    One(Value),
    Some(Rc<[Value]>),
}

impl After {
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
pub struct Relation(Rc<Vec<(Value, After)>>);

impl Relation {
    /// From pairs in ascending order.
    pub fn new(pairs: Vec<(Value, After)>) -> Relation {
        debug_assert!(pairs.is_sorted_by(|a, b| a.0 < b.0));
        Relation(Rc::new(pairs))
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

    /// Without the values that cannot come up.
    pub fn restrict(&mut self, possible: &dyn Fn(Value) -> bool) {
        let is_possible = |value: &Value| possible(*value);
        if self.iter().all(|(before, after)| possible(before) && after.iter().all(is_possible)) {
            return;
        }
        let pairs = Rc::make_mut(&mut self.0);
        pairs.retain(|(before, _)| possible(*before));
        for (_, after) in pairs {
            if let After::Some(values) = after
                && !values.iter().all(|value| possible(*value))
            {
                *after = After::Some(values.iter().copied().filter(|value| possible(*value)).collect());
            }
        }
    }

    pub fn memory(&self) -> u64 {
        (self.0.len() * size_of::<(Value, After)>()) as u64
    }
}
