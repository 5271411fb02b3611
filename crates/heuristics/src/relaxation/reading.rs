//! The facts of a state, as what has changed since the state before.
//!
//! States that are estimated one after the other have most of their values in common: they are siblings, or children of
//! siblings. So a value is compared with the one read last, and only what differs becomes a fact that comes or goes.

use bughound_finite::domains::Fact;
use bughound_kernel::Situation;

use super::problem::{ChannelFacts, Problem, SlotFacts};

/// What has become of a fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    Comes,
    Goes,
}

/// The state that was read last.
#[derive(Clone)]
pub struct Reading {
    /// By slot that matters: where it is, and its value.
    slots: Vec<(u32, i32)>,
    /// The fact that the value stands for.
    facts: Vec<Option<Fact>>,
    /// Slots with values outside of their domains.
    strange: usize,
    claim: Option<Fact>,
    channels: Vec<Contents>,
    /// By fact: how many messages it is about.
    messages: Vec<u32>,
    /// Working memory.
    now: Contents,
}

/// What lies in a channel.
#[derive(Clone, Default)]
struct Contents {
    /// Its length and messages; nothing if there is no such channel.
    cells: Vec<i32>,
    /// One for each field that matters of each message.
    facts: Vec<Fact>,
    /// There are values outside of their domains.
    strange: bool,
}

impl Reading {
    /// Before the first state.
    pub fn new(problem: &Problem) -> Reading {
        // A value outside of the domain: whatever comes is new, or outside, too.
        let nothing = |place: &SlotFacts| (place.slot as u32, place.domain.low.wrapping_sub(1));
        let slots: Vec<_> = problem.slots.iter().map(nothing).collect();
        let messages = if problem.channels.is_empty() { 0 } else { problem.rules.facts };
        Reading {
            strange: slots.len(),
            facts: vec![None; slots.len()],
            slots,
            claim: None,
            channels: problem.channels.iter().map(|_| Contents::default()).collect(),
            messages: vec![0; messages],
            now: Contents::default(),
        }
    }

    /// Calls `change` for what is different in this state. False if it is not a state that the relaxation knows.
    #[inline]
    pub fn read(&mut self, problem: &Problem, at: Situation<'_>, mut change: impl FnMut(Fact, Change)) -> bool {
        let key = at.state.key;
        for (at, (slot, last)) in self.slots.iter_mut().enumerate() {
            let value = key.get(*slot as usize).copied().unwrap_or_else(|| problem.slots[at].domain.vacant);
            if value == *last {
                continue;
            }
            let domain = &problem.slots[at].domain;
            let offset = domain.place(Some(value));
            let outside = domain.place(Some(*last)).is_none();
            self.strange = self.strange + usize::from(offset.is_none()) - usize::from(outside);
            let fact = offset.and_then(|offset| problem.rules.number(domain.first + offset));
            exchange(&mut self.facts[at], fact, &mut change);
            *last = value;
        }
        let mut known = self.strange == 0;
        if let Some(claim) = &problem.claim {
            let fact = at.claim.and_then(|location| claim.fact(location));
            known &= fact.is_some();
            exchange(&mut self.claim, fact.and_then(|fact| problem.rules.number(fact)), &mut change);
        }
        for (place, last) in problem.channels.iter().zip(&mut self.channels) {
            let cells = place.cells(key);
            if cells != last.cells {
                self.now.fill(problem, place, cells);
                // First those that come: what stays does not go in between.
                for fact in &self.now.facts {
                    let count = &mut self.messages[*fact as usize];
                    *count += 1;
                    if *count == 1 {
                        change(*fact, Change::Comes);
                    }
                }
                for fact in &last.facts {
                    let count = &mut self.messages[*fact as usize];
                    *count -= 1;
                    if *count == 0 {
                        change(*fact, Change::Goes);
                    }
                }
                std::mem::swap(last, &mut self.now);
            }
            known &= !last.strange;
        }
        known
    }

    pub fn memory(&self) -> u64 {
        let contents = self.channels.iter().chain([&self.now]);
        let cells: usize = contents.map(|c| c.cells.capacity() * 4 + c.facts.capacity() * size_of::<Fact>()).sum();
        let slots = self.slots.capacity() * (size_of::<(u32, i32)>() + size_of::<Option<Fact>>());
        let channels = self.channels.capacity() * size_of::<Contents>();
        (slots + channels + cells + self.messages.capacity() * size_of::<u32>()) as u64
    }
}

/// Another fact instead of the one there was.
fn exchange(held: &mut Option<Fact>, fact: Option<Fact>, change: &mut impl FnMut(Fact, Change)) {
    let before = std::mem::replace(held, fact);
    if before != fact {
        fact.into_iter().for_each(|fact| change(fact, Change::Comes));
        before.into_iter().for_each(|fact| change(fact, Change::Goes));
    }
}

impl Contents {
    fn fill(&mut self, problem: &Problem, place: &ChannelFacts, cells: &[i32]) {
        self.facts.clear();
        self.strange = false;
        self.cells.clear();
        self.cells.extend_from_slice(cells);
        let length = cells.first().map_or(0, |length| *length as usize);
        for message in 0..length {
            for (field, domain) in &place.fields {
                match cells.get(1 + message * place.width + field).and_then(|value| domain.fact(*value)) {
                    Some(fact) => self.facts.extend(problem.rules.number(fact)),
                    None => self.strange = true,
                }
            }
        }
    }
}

impl ChannelFacts {
    /// The length and the messages, if there is such a channel.
    fn cells<'k>(&self, key: &'k [i32]) -> &'k [i32] {
        if let Some((slot, locations)) = &self.owner
            && !key.get(*slot).is_some_and(|location| locations.contains(location))
        {
            return &[]; // what lies here is no channel
        }
        let length = key.get(self.slot).map_or(0, |length| *length as usize);
        let end = (self.slot + 1 + length * self.width).min(key.len());
        key.get(self.slot..end).unwrap_or(&[])
    }
}
