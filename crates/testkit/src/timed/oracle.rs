//! Answers to queries by brute force, on the region graph.
//!
//! Regions are exact for all of them: a region graph has the same runs as the model, up to times that no constraint can
//! tell apart.

use bughound::verdict::Verdict;
use bughound_ir::network::{PropertyKind, Query};

use crate::timed::extremes::Extreme;
use crate::timed::graph::RegionGraph;

/// What the answer to a query must be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Truth {
    pub verdict: Verdict,
    /// Least number of steps to a state that decides the question, if one state does.
    pub shortest: Option<u64>,
}

/// What is known by brute force about a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    Truth(Truth),
    /// The extreme values of each quantity: the least if that is asked for, then the greatest. `None`: the condition is
    /// true nowhere.
    Extremes(Vec<Option<Vec<Extreme>>>),
}

impl RegionGraph<'_> {
    /// `None`: not a question for this oracle, or too large for it.
    pub fn answer(&self, question: &PropertyKind) -> Option<Answer> {
        Some(Answer::Truth(match question {
            PropertyKind::NoDeadlock => never(self.nearest(&self.stuck())),
            PropertyKind::Invariant(e) => never(self.nearest(&not(self.where_holds(e)))),
            PropertyKind::Query(Query::Possibly(e)) => {
                let shortest = self.nearest(&self.where_holds(e));
                Truth { verdict: existence(shortest.is_some()), shortest }
            }
            PropertyKind::Query(Query::PossiblyAlways(e)) => {
                let exists = self.forever(&self.where_holds(e)).first() == Some(&true);
                Truth { verdict: existence(exists), shortest: None }
            }
            PropertyKind::Query(Query::Eventually(e)) => {
                let avoided = self.forever(&not(self.where_holds(e))).first() == Some(&true);
                Truth { verdict: universal(!avoided), shortest: None }
            }
            PropertyKind::Query(Query::LeadsTo(when, then)) => {
                let avoiding = self.forever(&not(self.where_holds(then)));
                let bad = self.where_holds(when).iter().zip(avoiding).any(|(when, avoiding)| *when && avoiding);
                Truth { verdict: universal(!bad), shortest: None }
            }
            PropertyKind::Query(Query::Extremes { least, greatest, condition, of }) => {
                let of = of.iter().map(|quantity| self.extremes(quantity, condition, *least, *greatest));
                return Some(Answer::Extremes(of.collect::<Option<_>>()?));
            }
            _ => return None,
        }))
    }

    fn nearest(&self, wanted: &[bool]) -> Option<u64> {
        let found = self.nodes.iter().zip(wanted).filter(|(_, wanted)| **wanted);
        found.map(|(node, _)| node.distance).min()
    }

    /// The nodes from which no step is possible, now or after any delay.
    pub fn stuck(&self) -> Vec<bool> {
        let is_stuck = |mut at: usize| {
            while self.nodes[at].steps.is_empty() {
                match self.nodes[at].delay {
                    Some(next) if next != at => at = next,
                    _ => return true,
                }
            }
            false
        };
        (0..self.nodes.len()).map(is_stuck).collect()
    }

    /// The nodes from which some run stays within the given ones until its end, if it has one.
    ///
    /// A run goes on as long as anything can happen: it takes infinitely many steps (in whatever time), or waits for ever
    /// where all clocks are beyond their ceilings, or ends where neither a step nor a delay is possible. So whoever can
    /// go on but cannot stay within is left out, until nobody is.
    pub fn forever(&self, within: &[bool]) -> Vec<bool> {
        let mut stays = within.to_vec();
        loop {
            let mut changed = false;
            // Delays lead to later nodes most of the time: backwards is quicker.
            for at in (0..self.nodes.len()).rev().filter(|at| within[*at]) {
                let node = &self.nodes[at];
                let ends = node.steps.is_empty() && node.delay.is_none();
                let goes_on = node.steps.iter().map(|step| step.to).chain(node.delay).any(|to| stays[to]);
                if stays[at] && !ends && !goes_on {
                    stays[at] = false;
                    changed = true;
                }
            }
            if !changed {
                return stays;
            }
        }
    }
}

/// Of a question after the absence of bad states, the nearest of which is so many steps away.
fn never(shortest: Option<u64>) -> Truth {
    Truth { verdict: universal(shortest.is_none()), shortest }
}

fn universal(holds: bool) -> Verdict {
    if holds { Verdict::Holds } else { Verdict::Violated }
}

fn existence(exists: bool) -> Verdict {
    if exists { Verdict::Satisfied } else { Verdict::Violated }
}

fn not(mut set: Vec<bool>) -> Vec<bool> {
    set.iter_mut().for_each(|member| *member = !*member);
    set
}
