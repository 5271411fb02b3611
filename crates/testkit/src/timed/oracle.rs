//! Answers to queries by brute force, on the region graph.
//!
//! Regions are exact for all of them: a region graph has the same runs as the model, up to times that no constraint can
//! tell apart.

use bughound::verdict::Verdict;
use bughound_ir::question::{ExtremesQuestion, Question, RunQuestion, RunShape};

use crate::timed::extremes::Extreme;
use crate::timed::graph::RegionGraph;
use crate::timed::regions::Reading;

/// What the answer to a query must be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Truth {
    pub verdict: Verdict,
    /// Least number of steps to a state that decides the question, if one state does.
    pub shortest: Option<u64>,
    /// No state and no run decides it, and some state has a step that ends in an error: a search that meets one must not
    /// give this answer.
    pub unless_met: bool,
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
    pub fn answer(&self, question: &Question) -> Option<Answer> {
        self.answer_for(question, false)
    }

    /// The same; with `non_zeno`, only runs count whose time goes on for ever.
    pub fn answer_for(&self, question: &Question, non_zeno: bool) -> Option<Answer> {
        let forever = |within: &[bool]| if non_zeno { self.diverging(within) } else { self.forever(within) };
        let mut truth = match question {
            Question::Deadlock => never(self.nearest(&self.stuck())),
            Question::Invariant(e) => never(self.nearest(&not(self.where_holds(e)))),
            Question::Reach(e) => {
                let shortest = self.nearest(&self.where_holds(e));
                truth(existence(shortest.is_some()), shortest)
            }
            Question::Run(RunQuestion { shape: RunShape::PossiblyAlways(e), .. }) => {
                let exists = forever(&self.where_holds(e)).first() == Some(&true);
                truth(existence(exists), None)
            }
            Question::Run(RunQuestion { shape: RunShape::Eventually(e), .. }) => {
                let avoided = forever(&not(self.where_holds(e))).first() == Some(&true);
                truth(universal(!avoided), None)
            }
            Question::Run(RunQuestion { shape: RunShape::LeadsTo(when, then), .. }) => {
                let avoiding = forever(&not(self.where_holds(then)));
                let bad = self.where_holds(when).iter().zip(avoiding).any(|(when, avoiding)| *when && avoiding);
                truth(universal(!bad), None)
            }
            Question::Extremes(ExtremesQuestion { least, greatest, condition, of, .. }) => {
                let of = of.iter().map(|quantity| self.extremes(quantity, condition, *least, *greatest));
                return Some(Answer::Extremes(of.collect::<Option<_>>()?));
            }
            _ => return None,
        };
        let decided = match question {
            Question::Reach(_) | Question::Run(RunQuestion { shape: RunShape::PossiblyAlways(_), .. }) => {
                truth.verdict == Verdict::Satisfied
            }
            _ => truth.verdict == Verdict::Violated,
        };
        truth.unless_met = !decided && self.nodes.iter().any(|node| node.fails);
        Some(Answer::Truth(truth))
    }

    fn nearest(&self, wanted: &[bool]) -> Option<u64> {
        let found = self.nodes.iter().zip(wanted).filter(|(_, wanted)| **wanted);
        found.map(|(node, _)| node.distance).min()
    }

    /// The nodes from which no step is possible, now or after any delay.
    pub fn stuck(&self) -> Vec<bool> {
        let is_stuck = |mut at: usize| {
            // A step that fails is one.
            while self.nodes[at].steps.is_empty() && !self.nodes[at].fails {
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
    /// where all clocks are beyond their ceilings, or ends where neither a step nor a delay is possible; one that comes to
    /// an error of the model does not count. So whoever can
    /// go on but cannot stay within is left out, until nobody is.
    pub fn forever(&self, within: &[bool]) -> Vec<bool> {
        let mut stays = within.to_vec();
        loop {
            let mut changed = false;
            // Delays lead to later nodes most of the time: backwards is quicker.
            for at in (0..self.nodes.len()).rev().filter(|at| within[*at]) {
                let node = &self.nodes[at];
                let ends = node.steps.is_empty() && node.delay.is_none() && !node.fails;
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

impl RegionGraph<'_> {
    /// The nodes from which some run stays within the given ones whose time goes on for ever.
    ///
    /// Such a run waits for ever where all clocks are beyond their ceilings, or it stays in a component in which time can
    /// pass and every clock gets beyond its ceiling or is set (Alur, Dill 1994: progressive runs): a clock that is neither
    /// has only so much time left before its next whole number.
    pub fn diverging(&self, within: &[bool]) -> Vec<bool> {
        let component = self.components(within);
        let count = component.iter().flatten().max().map_or(0, |last| last + 1);
        let (mut passes, mut waits) = (vec![false; count], vec![false; count]);
        let mut free = vec![vec![false; self.ceilings.len()]; count];
        for (at, node) in self.nodes.iter().enumerate() {
            let Some(own) = component[at] else { continue };
            let inside = |to: usize| component[to] == Some(own);
            waits[own] |= node.delay == Some(at);
            passes[own] |= node.delay.is_some_and(|to| to != at && inside(to));
            for (clock, free) in free[own].iter_mut().enumerate() {
                *free |= node.region.reading(clock) == Reading::Beyond;
                *free |= node.steps.iter().any(|step| inside(step.to) && step.sets.contains(&clock));
            }
        }
        let good = |own: usize| waits[own] || passes[own] && free[own].iter().all(|free| *free);
        let mut leads: Vec<bool> = component.iter().map(|own| own.is_some_and(good)).collect();
        loop {
            let mut changed = false;
            for at in (0..self.nodes.len()).rev().filter(|at| within[*at]) {
                let mut next = self.nodes[at].steps.iter().map(|step| step.to).chain(self.nodes[at].delay);
                if !leads[at] && next.any(|to| leads[to]) {
                    leads[at] = true;
                    changed = true;
                }
            }
            if !changed {
                return leads;
            }
        }
    }

    /// By node within: the number of its strongly connected component (Kosaraju).
    fn components(&self, within: &[bool]) -> Vec<Option<usize>> {
        let next = |at: usize| {
            let node = &self.nodes[at];
            let all = node.steps.iter().map(|step| step.to).chain(node.delay);
            all.filter(|to| within[*to]).collect::<Vec<_>>()
        };
        let mut before = vec![Vec::new(); self.nodes.len()];
        let (mut seen, mut order) = (vec![false; self.nodes.len()], Vec::new());
        for root in (0..self.nodes.len()).filter(|at| within[*at]) {
            let mut open = vec![(root, false)];
            while let Some((at, done)) = open.pop() {
                if done {
                    order.push(at);
                } else if !std::mem::replace(&mut seen[at], true) {
                    open.push((at, true));
                    for to in next(at) {
                        before[to].push(at);
                        open.push((to, false));
                    }
                }
            }
        }
        let mut component = vec![None; self.nodes.len()];
        let mut count = 0;
        for root in order.into_iter().rev() {
            let mut open = vec![root];
            let fresh = component[root].is_none();
            while let Some(at) = open.pop() {
                if component[at].is_none() {
                    component[at] = Some(count);
                    open.extend(before[at].iter().filter(|from| component[**from].is_none()));
                }
            }
            count += usize::from(fresh);
        }
        component
    }
}

/// Of a question after the absence of bad states, the nearest of which is so many steps away.
fn never(shortest: Option<u64>) -> Truth {
    truth(universal(shortest.is_none()), shortest)
}

fn truth(verdict: Verdict, shortest: Option<u64>) -> Truth {
    Truth { verdict, shortest, unless_met: false }
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
