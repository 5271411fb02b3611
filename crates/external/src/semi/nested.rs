//! Nested depth-first search over states that have numbers and two bits each.
//!
//! The outer walk goes along every step once. When it has come back from where an accepting step leads to, an inner walk looks
//! from there for a state on the path of the outer one: that closes a cycle through the accepting step. Inner walks never visit a
//! state twice, all of them together, because steps are left in post-order: what an earlier one has seen without success leads
//! back to no later one. (An accepting step is what an accepting state is to the papers: think of a state in its middle.)
//!
//! Nobody asks whether a state is known: all are. A state is looked up by its number; the state itself lies on the stack only, and
//! the stack on disk, as far as it is high. So a step to a state without a number, or from a state that was left to one that was
//! not seen, is a sign that the set is not what it should be, and the search gives up.

use std::ops::ControlFlow;
use std::sync::Arc;

use bughound_kernel::{Explorer, Marks, Outcome, StateBuf, Step};
use bughound_search::engines::ending::Halt;
use bughound_search::{Driver, Snapshot, Statistics, Task};

use super::colours::{Colour, Colours};
use super::perfect_hash::{Key, PerfectHash};
use super::stack::Stack;
use crate::row::{Shape, hash};
use crate::space::Space;
use crate::trouble::{Trouble, reserve};

/// What is to be done with a state on a stack, and how a step led there: the first word of a row; then its number, then its words.
const VISIT: u32 = 0;
const LEAVE: u32 = 1;
const ACCEPTING: u32 = 2;
const BEFORE_STATE: usize = 3;

/// States one after the other, as words.
#[derive(Clone, Debug, Default)]
pub struct Path {
    words: Vec<u32>,
    ends: Vec<usize>,
}

impl Path {
    fn push(&mut self, state: &[u32]) -> Result<(), Trouble> {
        reserve(&mut self.words, state.len())?;
        self.words.extend_from_slice(state);
        reserve(&mut self.ends, 1)?;
        self.ends.push(self.words.len());
        Ok(())
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn state(&self, at: usize) -> &[u32] {
        let first = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.words[first..self.ends[at]]
    }

    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &[u32]> {
        (0..self.len()).map(|at| self.state(at))
    }
}

/// A path of the outer walk and what closes the cycle.
#[derive(Clone, Debug)]
pub struct Lasso {
    /// To the state from which the accepting step starts; backwards.
    pub outer: Path,
    /// From where that step leads to, backwards: first a state of the outer path.
    pub inner: Path,
}

/// What becomes of a step.
enum Seen {
    Nothing,
    ToPath,
}

pub struct Nested<'a, 'd, 'c> {
    explorer: Box<dyn Explorer + 'a>,
    driver: &'d mut Driver<'c>,
    name: &'static str,
    shape: &'a Shape,
    states: &'a PerfectHash,
    colours: Colours,
    outer: Stack,
    inner: Stack,
    required: Marks,
    pub stats: Statistics,
    pub endless: bool,
    /// How many states are on the path of the outer walk.
    depth: u64,
    /// Bytes of what belongs to the search besides this.
    beside: u64,
    current: StateBuf,
    packed: Vec<u32>,
    row: Vec<u32>,
}

impl<'a, 'd, 'c> Nested<'a, 'd, 'c> {
    /// `states` numbers all states that can be reached. `chunk`: about so many words of a stack are in memory. `beside`: bytes that
    /// others hold.
    pub fn new(
        (task, name): (Task<'a>, &'static str),
        (shape, states): (&'a Shape, &'a PerfectHash),
        (space, chunk): (&Arc<Space>, usize),
        (stats, beside): (Statistics, u64),
        driver: &'d mut Driver<'c>,
    ) -> Result<Self, Trouble> {
        let mut explorer = task.system.explorer();
        explorer.heed(driver.stop_signal());
        Ok(Nested {
            explorer,
            driver,
            name,
            shape,
            states,
            colours: Colours::new(states.len())?,
            outer: Stack::new(space, chunk),
            inner: Stack::new(space, chunk),
            required: task.system.required(),
            stats,
            endless: false,
            depth: 0,
            beside: beside + states.memory() + Colours::bytes(states.len()),
            current: StateBuf::default(),
            packed: vec![0; shape.longest()],
            row: Vec::new(),
        })
    }

    /// Looks for an accepting cycle. The outer `Err`: what keeps it from going on.
    pub fn search(&mut self) -> Result<Result<Option<Lasso>, Halt>, Trouble> {
        let (mut start, mut failed) = (Path::default(), Ok(()));
        let (shape, packed) = (self.shape, &mut self.packed);
        self.explorer.initial(&mut |state| {
            let (_, all) = shape.pack(state, packed);
            if failed.is_ok() {
                failed = start.push(&packed[..all]);
            }
        });
        failed?;
        for state in start.iter() {
            let number = number(self.states, self.shape, state)?;
            push(&mut self.outer, VISIT, number, state)?;
            match self.walk() {
                Err(Ended::Trouble(trouble)) => return Err(trouble),
                Err(Ended::Halt(halt)) => return Ok(Err(halt)),
                Ok(None) => {}
                Ok(found) => return Ok(Ok(found)),
            }
        }
        Ok(Ok(None))
    }

    /// The outer walk from what is on its stack.
    fn walk(&mut self) -> Result<Option<Lasso>, Ended> {
        let mut row = std::mem::take(&mut self.row);
        while self.outer.pop(&mut row)? {
            let (what, number, state) = (row[0], u64::from(row[1]) | u64::from(row[2]) << 32, &row[BEFORE_STATE..]);
            let accepting = what & ACCEPTING != 0;
            if what & LEAVE != 0 {
                self.depth -= 1;
                self.colours.set(number, Colour::Blue);
                if accepting && let Some(inner) = self.inner(number, state)? {
                    return Ok(Some(Lasso { outer: self.path()?, inner }));
                }
                continue;
            }
            match self.colours.get(number) {
                Colour::White => {}
                Colour::Cyan if accepting => return Ok(Some(self.close(state)?)),
                Colour::Blue if accepting => {
                    if let Some(inner) = self.inner(number, state)? {
                        return Ok(Some(Lasso { outer: self.path()?, inner }));
                    }
                    continue;
                }
                Colour::Cyan | Colour::Blue | Colour::Red => continue,
            }
            self.colours.set(number, Colour::Cyan);
            self.depth += 1;
            self.stats.depth = self.stats.depth.max(self.depth);
            push(&mut self.outer, LEAVE | what & ACCEPTING, number, state)?;
            if let Seen::ToPath = self.expand(state, Walk::Outer)? {
                // The last row is where the step leads to.
                self.outer.pop(&mut row)?;
                return Ok(Some(self.close(&row[BEFORE_STATE..])?));
            }
        }
        self.row = row;
        Ok(None)
    }

    /// An accepting step from the end of the outer path leads back to a state on it.
    fn close(&self, state: &[u32]) -> Result<Lasso, Trouble> {
        let mut inner = Path::default();
        inner.push(state)?;
        Ok(Lasso { outer: self.path()?, inner })
    }

    /// The outer path, backwards.
    fn path(&self) -> Result<Path, Trouble> {
        path_on(&self.outer)
    }

    /// Looks for a state on the outer path: a way there from this one, which was left.
    fn inner(&mut self, number: u64, state: &[u32]) -> Result<Option<Path>, Ended> {
        if self.colours.get(number) == Colour::Red {
            return Ok(None);
        }
        push(&mut self.inner, VISIT, number, state)?;
        let mut row = Vec::new();
        while self.inner.pop(&mut row)? {
            let (what, number, state) = (row[0], u64::from(row[1]) | u64::from(row[2]) << 32, &row[BEFORE_STATE..]);
            if what & LEAVE != 0 || self.colours.get(number) == Colour::Red {
                continue;
            }
            self.colours.set(number, Colour::Red);
            push(&mut self.inner, LEAVE, number, state)?;
            if let Seen::ToPath = self.expand(state, Walk::Inner)? {
                self.inner.pop(&mut row)?;
                let mut path = Path::default();
                path.push(&row[BEFORE_STATE..])?;
                let way = path_on(&self.inner)?;
                way.iter().try_for_each(|state| path.push(state))?;
                return Ok(Some(path));
            }
        }
        Ok(None)
    }

    /// Puts those states on the stack of a walk to which the steps from this one lead, as far as they are of interest. If one of
    /// them closes a cycle, it is the last.
    fn expand(&mut self, state: &[u32], walk: Walk) -> Result<Seen, Ended> {
        self.shape.unpack_words(state, &mut self.current);
        self.stats.expanded += 1;
        let (shape, states, colours, required) = (self.shape, self.states, &self.colours, self.required);
        let (packed, driver, stats) = (&mut self.packed, &mut *self.driver, &mut self.stats);
        let stack = match walk {
            Walk::Outer => &mut self.outer,
            Walk::Inner => &mut self.inner,
        };
        let (mut seen, mut ended, before) = (Seen::Nothing, None, stats.generated);
        let mut follow = |step: &Step<'_>| -> Result<Seen, Ended> {
            if let Some(reason) = driver.stopped() {
                return Err(Ended::Halt(Halt::Limit(reason)));
            }
            driver.observe(step.moves);
            let Outcome::State(to) = step.outcome else { return Ok(Seen::Nothing) };
            stats.generated += 1;
            let (_, all) = shape.pack(to, packed);
            let to = &packed[..all];
            let number = number(states, shape, to)?;
            let accepting = step.marks.include(required);
            let (seen, is_of_interest) = match (walk, colours.get(number)) {
                (Walk::Outer, Colour::Cyan) if accepting => (Seen::ToPath, true),
                (Walk::Outer, Colour::White) => (Seen::Nothing, true),
                (Walk::Outer, Colour::Blue) => (Seen::Nothing, accepting),
                (Walk::Outer, Colour::Cyan | Colour::Red) => (Seen::Nothing, false),
                (Walk::Inner, Colour::Cyan) => (Seen::ToPath, true),
                (Walk::Inner, Colour::Blue) => (Seen::Nothing, true),
                (Walk::Inner, Colour::Red) => (Seen::Nothing, false),
                // Whatever a state leads to that was left has been seen.
                (Walk::Inner, Colour::White) => return Err(Trouble::Corrupt.into()),
            };
            if is_of_interest {
                push(stack, if accepting { ACCEPTING } else { 0 } | VISIT, number, to)?;
            }
            Ok(seen)
        };
        let expansion = self.explorer.successors(self.current.as_state(), &mut |step| {
            match follow(step) {
                Ok(Seen::Nothing) => return ControlFlow::Continue(()),
                Ok(Seen::ToPath) => seen = Seen::ToPath,
                Err(why) => ended = Some(why),
            }
            ControlFlow::Break(())
        });
        if let Some(reason) = self.driver.stopped() {
            return Err(Ended::Halt(Halt::Limit(reason)));
        }
        if let Some(why) = ended {
            return Err(why);
        }
        self.endless |= expansion.cut;
        self.check(1 + self.stats.generated - before)?;
        Ok(seen)
    }

    fn check(&mut self, work: u64) -> Result<(), Ended> {
        if !self.driver.is_due(work) {
            return Ok(());
        }
        let now = Snapshot {
            phase: self.name,
            stored: self.states.len(),
            expanded: self.stats.expanded,
            frontier: self.outer.rows(),
            depth: self.depth,
            memory: self.memory(),
            ..Snapshot::default()
        };
        match self.driver.check(now) {
            Some(reason) => Err(Ended::Halt(Halt::Limit(reason))),
            None => Ok(()),
        }
    }

    fn memory(&self) -> u64 {
        self.beside + self.outer.memory() + self.inner.memory()
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Walk {
    Outer,
    Inner,
}

/// Why a walk does not go on.
enum Ended {
    Trouble(Trouble),
    Halt(Halt),
}

impl From<Trouble> for Ended {
    fn from(trouble: Trouble) -> Self {
        Ended::Trouble(trouble)
    }
}

#[inline]
fn number(states: &PerfectHash, shape: &Shape, state: &[u32]) -> Result<u64, Trouble> {
    let (key, _) = shape.lengths(state);
    states.number(Key { hash: hash(&state[..key]), words: state }).ok_or(Trouble::Corrupt)
}

fn push(stack: &mut Stack, what: u32, number: u64, state: &[u32]) -> Result<(), Trouble> {
    stack.push(&[what, number as u32, (number >> 32) as u32], state)
}

/// The states of a stack that were entered and not left, the last one first.
fn path_on(stack: &Stack) -> Result<Path, Trouble> {
    let mut path = Path::default();
    stack.each(|row| if row[0] & LEAVE != 0 { path.push(&row[BEFORE_STATE..]) } else { Ok(()) })?;
    Ok(path)
}
