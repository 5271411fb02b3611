//! The memory of a symbolic step: what slots hold after the assignments so far, as terms over the state before the step.

use std::collections::BTreeMap;

use crate::domains::{Collection, Domains};
use crate::term::Term;

#[derive(Clone, Default)]
pub struct Memory {
    written: BTreeMap<usize, Term>,
    /// Values that were put into collections: fields of messages.
    pub sent: Vec<(Collection, Term)>,
    /// Channels whose contents are no longer those before the step.
    pub touched: Vec<i32>,
    /// Slots of which others may have written something before: their values are not known until they are written here.
    shadowed: Vec<usize>,
    /// Nothing is known of slots that are not written here.
    pub blind: bool,
}

impl Memory {
    pub fn read(&self, domains: &Domains, slot: usize) -> Term {
        match self.written.get(&slot) {
            _ if self.shadowed.contains(&slot) => Term::Unknown,
            Some(term) => term.clone(),
            None if self.blind => Term::Unknown,
            None => domains.of_slot(slot).map_or(Term::Unknown, Term::Variable),
        }
    }

    pub fn write(&mut self, slot: usize, value: Term) {
        self.shadowed.retain(|other| *other != slot);
        self.written.insert(slot, value.bounded());
    }

    /// What a field of some message in the channel was before the step. Who looks again may see another message.
    pub fn field(&self, domains: &Domains, channel: i32, field: u32) -> Term {
        if self.blind || self.touched.contains(&channel) {
            return Term::Unknown;
        }
        domains.of_field(channel, field).map_or(Term::Unknown, |collection| domains.draw(collection))
    }

    /// From now on, these slots may hold what others have written.
    pub fn shadow(&mut self, slots: impl IntoIterator<Item = usize>) {
        self.shadowed.extend(slots);
    }

    /// All slots written with their values.
    pub fn written(&self) -> impl Iterator<Item = (usize, &Term)> {
        self.written.iter().map(|(slot, term)| (*slot, term))
    }
}
