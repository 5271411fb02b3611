//! Estimates as data: what a formula becomes, and its value in a state.
//!
//! A term estimates the cost until something holds. Every kind of term is 0 where it holds, and falls by at most the weight
//! of a micro step in a step; maxima and minima keep that. So with [`Combine::Max`] everything built from terms is
//! consistent.

use std::sync::Arc;

use bughound_finite::cost::{Cost, INFINITE, times};
use bughound_semantics::{Compiled, Probe, Viewpoint};

use crate::cost::Combine;
use crate::distances::{ABSENT, LocalDistances};
use crate::formula::counter::Counter;

pub enum Term {
    /// The same everywhere: 0 for what is always so, infinite for what never is.
    Known(Cost),
    /// An expression has a truth value: 0, or a step if it does not (or has none at all).
    Truth {
        code: Compiled,
        wanted: bool,
        timeout: bool,
        /// It can be evaluated by the process only.
        own: bool,
    },
    /// An expression has no value.
    Undefined(Compiled),
    Counter(Counter),
    Head(Head),
    At {
        who: Who,
        goal: Arc<Goal>,
    },
    /// A younger process exists.
    NotYoungest,
    All(Vec<Term>),
    Any(Vec<Term>),
}

/// Whose location counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    Process(usize),
    /// The process that asks.
    Own,
    Anyone,
}

/// A location to get to.
pub struct Goal {
    /// By class: the distances from all nodes, if the location is one of the class.
    pub columns: Vec<Option<Vec<Cost>>>,
    /// By number of processes: the least distance of those that do not exist yet.
    pub absent: Vec<Cost>,
}

/// The oldest message of a global channel matches. Needs the messages before the first that does to be removed, or all of
/// them and one sent.
pub struct Head {
    /// Slot of the length; the cells follow.
    pub slot: usize,
    pub width: usize,
    /// `None` matches anything.
    pub fields: Vec<Option<i32>>,
    /// Sends and receives in one micro step, at most.
    pub operations: u64,
    pub can_be_sent: bool,
    pub can_be_received: bool,
}

impl Head {
    fn cost(&self, key: &[i32], unit: Cost) -> Cost {
        let len = key[self.slot] as usize;
        let matches = |index: &usize| {
            let start = self.slot + 1 + index * self.width;
            let message = &key[start..start + self.width];
            self.fields.iter().zip(message).all(|(wanted, field)| wanted.is_none_or(|wanted| wanted == *field))
        };
        let (way, possible) = match (0..len).find(matches) {
            Some(0) => return 0,
            Some(before) => (before, self.can_be_received),
            None => (len + 1, self.can_be_sent && (len == 0 || self.can_be_received)),
        };
        if possible { times((way as u64).div_ceil(self.operations.max(1)), unit) } else { INFINITE }
    }
}

/// The process for which a term is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asker {
    Nobody,
    /// It exists and is of the template for which the term was made.
    Process(usize),
    /// It does not exist, or is of another template.
    Missing(usize),
}

/// Evaluates terms.
pub struct Evaluator<'a> {
    pub probe: Probe<'a>,
    pub distances: Arc<LocalDistances>,
    pub combine: Combine,
    /// Cost of a micro step, at least.
    pub unit: Cost,
}

impl Evaluator<'_> {
    pub fn cost(&self, term: &Term, key: &[i32], asker: Asker) -> Cost {
        match term {
            Term::Known(cost) => *cost,
            Term::Truth { code, wanted, timeout, own } => {
                let pid = match asker {
                    Asker::Process(pid) => Some(pid),
                    Asker::Missing(_) if *own => return 0,
                    Asker::Missing(_) | Asker::Nobody => None,
                };
                let from = Viewpoint { pid, timeout: *timeout };
                if self.probe.truth(key, from, code) == Some(*wanted) { 0 } else { self.unit }
            }
            Term::Undefined(code) => {
                if self.probe.value(key, Viewpoint::OUTSIDE, code).is_none() {
                    0
                } else {
                    self.unit
                }
            }
            Term::Counter(counter) => counter.cost(key[counter.slot as usize], self.unit),
            Term::Head(head) => head.cost(key, self.unit),
            Term::At { who, goal } => self.distance(*who, goal, key, asker),
            Term::NotYoungest => match asker {
                Asker::Process(pid) if pid + 1 == self.probe.process_count(key) => self.unit,
                _ => 0,
            },
            Term::All(terms) => {
                let mut total = 0;
                for term in terms {
                    total = self.combine.join(total, self.cost(term, key, asker));
                    if total == INFINITE {
                        break;
                    }
                }
                total
            }
            Term::Any(terms) => {
                let mut least = INFINITE;
                for term in terms {
                    least = least.min(self.cost(term, key, asker));
                    if least == 0 {
                        break;
                    }
                }
                least
            }
        }
    }

    fn distance(&self, who: Who, goal: &Goal, key: &[i32], asker: Asker) -> Cost {
        let of = |pid: usize| {
            let class = self.distances.class_of[pid];
            let Some(column) = &goal.columns[class] else { return INFINITE };
            column[self.node(key, pid)]
        };
        match (who, asker) {
            (Who::Process(pid), _) => of(pid),
            (Who::Own, Asker::Process(pid) | Asker::Missing(pid)) => of(pid),
            (Who::Own, Asker::Nobody) => INFINITE,
            (Who::Anyone, _) => {
                let count = self.probe.process_count(key);
                (0..count).map(of).min().unwrap_or(INFINITE).min(goal.absent[count])
            }
        }
    }

    /// Where a process is in the graph of its class.
    #[inline]
    pub fn node(&self, key: &[i32], pid: usize) -> usize {
        match self.probe.location(key, pid) {
            Some(location) => self.distances.classes[self.distances.class_of[pid]].node(location),
            None => ABSENT,
        }
    }
}
