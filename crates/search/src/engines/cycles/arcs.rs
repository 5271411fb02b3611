//! Steps between numbered states.

use std::collections::HashMap;
use std::hash::Hash;

use bughound_kernel::{Marks, StateId};

/// A step, without its moves: those are found again when a path is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arc {
    pub to: StateId,
    pub weight: u64,
    pub marks: Marks,
}

/// Numbers for values of which only a few different ones occur, but those again and again.
#[derive(Debug)]
pub struct Palette<T> {
    values: Vec<T>,
    numbers: HashMap<T, u32>,
    last: u32,
}

impl<T> Default for Palette<T> {
    fn default() -> Self {
        Palette { values: Vec::new(), numbers: HashMap::new(), last: 0 }
    }
}

impl<T: Copy + Eq + Hash> Palette<T> {
    #[inline]
    pub fn number(&mut self, value: T) -> u32 {
        // Mostly it is the one that was asked for before.
        if self.values.get(self.last as usize) != Some(&value) {
            let next = self.values.len() as u32;
            self.last = *self.numbers.entry(value).or_insert(next);
            if self.last == next {
                self.values.push(value);
            }
        }
        self.last
    }

    #[inline]
    pub fn value(&self, number: u32) -> T {
        self.values[number as usize]
    }

    /// How many values there are.
    pub fn len(&self) -> u32 {
        self.values.len() as u32
    }

    pub fn memory(&self) -> u64 {
        (self.values.capacity() * size_of::<T>() + self.numbers.capacity() * (size_of::<T>() + 8)) as u64
    }
}

impl<T: Copy + Eq + Hash + Default> Palette<T> {
    /// The value of a number counted from 1; 0 is the default value.
    pub fn value_or_default(&self, number: u32) -> T {
        number.checked_sub(1).map_or_else(T::default, |number| self.value(number))
    }
}

/// An arc in 8 bytes: weight and marks are a number in a [`Labels`].
#[derive(Clone, Copy, Debug)]
pub struct PackedArc {
    pub to: StateId,
    pub label: u32,
}

/// The pairs of a weight and marks that occur.
#[derive(Debug, Default)]
pub struct Labels(Palette<(u64, Marks)>);

impl Labels {
    #[inline]
    pub fn pack(&mut self, arc: &Arc) -> PackedArc {
        PackedArc { to: arc.to, label: self.0.number((arc.weight, arc.marks)) }
    }

    #[inline]
    pub fn unpack(&self, packed: PackedArc) -> Arc {
        let (weight, marks) = self.0.value(packed.label);
        Arc { to: packed.to, weight, marks }
    }

    pub fn memory(&self) -> u64 {
        self.0.memory()
    }
}
