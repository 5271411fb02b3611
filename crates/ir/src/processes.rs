//! Which templates can occupy which process number.
//!
//! Process numbers are places on a stack: a new process gets the number of processes that exist, and only the youngest
//! can vanish. Nearly always a number can be taken by one template only, and then everything about that process is
//! known statically. The analysis is an interval analysis of the number of processes at every location of every
//! process that starts others; it over-approximates.

use crate::edge::{Action, Condition, Edge, Sync};
use crate::network::{Location, LocationId, Start, Template, TemplateId};

/// As many processes as the languages allow.
pub const MAX_PROCESSES: usize = 255;

/// The control-flow facts that the analysis needs.
pub struct ControlFlow<'a> {
    pub templates: &'a [Template],
    pub locations: &'a [Location],
    pub edges: &'a [Edge],
    /// A process of higher priority can take control in the middle of an atomic chain.
    pub priorities: bool,
}

impl ControlFlow<'_> {
    fn edges_of(&self, template: TemplateId) -> impl Iterator<Item = &Edge> + '_ {
        self.templates[template.0 as usize]
            .locations
            .iter()
            .flat_map(|l| &self.locations[l.0 as usize].edges)
            .map(|e| &self.edges[e.0 as usize])
    }

    /// Locations reachable in the control-flow graph, guards ignored.
    fn reachable(&self, from: LocationId) -> Vec<bool> {
        let mut seen = vec![false; self.locations.len()];
        let mut todo = vec![from];
        while let Some(location) = todo.pop() {
            if std::mem::replace(&mut seen[location.0 as usize], true) {
                continue;
            }
            for edge in &self.locations[location.0 as usize].edges {
                todo.extend(self.edges[edge.0 as usize].destinations.iter().map(|d| d.to));
            }
        }
        seen
    }

    fn may_end(&self, template: TemplateId) -> bool {
        let reachable = self.reachable(self.templates[template.0 as usize].initial);
        self.edges_of(template).any(|edge| {
            reachable[edge.from.0 as usize]
                && edge.destinations.iter().any(|d| d.actions.iter().any(|a| matches!(a, Action::End)))
        })
    }

    /// Can a process that arrives here with control lose it because nothing is executable?
    fn may_block(&self, location: LocationId) -> bool {
        !self.locations[location.0 as usize].edges.iter().any(|e| {
            let edge = &self.edges[e.0 as usize];
            edge.condition == Condition::Else
                || (edge.condition == Condition::None
                    && edge.guards.is_empty()
                    && edge.clock_guards.is_empty()
                    && edge.program.is_none()
                    && edge.sync == Sync::None)
        })
    }
}

/// Templates started by an edge, in order, with the location that follows.
fn runs(edge: &Edge) -> impl Iterator<Item = (Vec<TemplateId>, LocationId)> + '_ {
    edge.destinations.iter().map(|d| {
        let started = d.actions.iter().filter_map(|a| match a {
            Action::Run { template, .. } => Some(*template),
            _ => None,
        });
        (started.collect(), d.to)
    })
}

/// For every process number the templates that can occupy it, in ascending order. Its length is the largest number of
/// processes that can exist.
pub fn possible_templates(flow: &ControlFlow<'_>, start: &[Start]) -> Vec<Vec<TemplateId>> {
    let mut possible: Vec<Vec<TemplateId>> = start.iter().map(|s| vec![s.template]).collect();
    let creators: Vec<bool> = (0..flow.templates.len())
        .map(|t| flow.edges_of(TemplateId(t as u32)).any(|e| runs(e).any(|(started, _)| !started.is_empty())))
        .collect();
    if !creators.contains(&true) {
        return possible;
    }
    let most = most_processes(flow, start, &creators);
    let may_end: Vec<bool> = (0..flow.templates.len()).map(|t| flow.may_end(TemplateId(t as u32))).collect();
    loop {
        let before: usize = possible.iter().map(Vec::len).sum();
        for pid in 0..possible.len() {
            for template in possible[pid].clone() {
                if creators[template.0 as usize] {
                    started_by(flow, template, pid, most, start.len(), &creators, &may_end, &mut possible);
                }
            }
        }
        if possible.iter().map(Vec::len).sum::<usize>() == before {
            return possible;
        }
    }
}

/// An upper bound on the number of processes that are ever created.
fn most_processes(flow: &ControlFlow<'_>, start: &[Start], creators: &[bool]) -> usize {
    let initial = |t: usize| start.iter().filter(|s| s.template.0 as usize == t).count();
    let mut count: Vec<usize> = (0..flow.templates.len()).map(initial).collect();
    for _ in 0..=flow.templates.len() {
        let mut next: Vec<usize> = (0..flow.templates.len()).map(initial).collect();
        for (t, _) in creators.iter().enumerate().filter(|(_, c)| **c) {
            for edge in flow.edges_of(TemplateId(t as u32)) {
                for (started, to) in runs(edge) {
                    let again = flow.reachable(to)[edge.from.0 as usize];
                    for target in started {
                        let times = if again { MAX_PROCESSES } else { 1 };
                        let n = &mut next[target.0 as usize];
                        *n = (*n + count[t].saturating_mul(times)).min(MAX_PROCESSES);
                    }
                }
            }
        }
        if next == count {
            return count.iter().sum::<usize>().clamp(start.len().max(1), MAX_PROCESSES);
        }
        count = next;
    }
    MAX_PROCESSES // still growing after one round per template: the creation is recursive
}

/// Adds what one process (of `template`, with number `pid`) can start to `possible`.
#[allow(clippy::too_many_arguments)]
fn started_by(
    flow: &ControlFlow<'_>,
    template: TemplateId,
    pid: usize,
    most: usize,
    initially: usize,
    creators: &[bool],
    may_end: &[bool],
    possible: &mut Vec<Vec<TemplateId>>,
) {
    let others = |test: &dyn Fn(usize, TemplateId) -> bool, possible: &[Vec<TemplateId>]| {
        possible.iter().enumerate().any(|(q, ts)| ts.iter().any(|t| (q, *t) != (pid, template) && test(q, *t)))
    };
    let others_create = others(&|_, t| creators[t.0 as usize], possible);
    let others_end = others(&|q, t| q > pid && may_end[t.0 as usize], possible);
    let interrupted = |(lo, hi): (usize, usize)| {
        (if others_end { (pid + 1).min(lo) } else { lo }, if others_create { most.max(hi) } else { hi })
    };
    // A process that was started later finds at least itself.
    let arrival = if pid < initially { (initially, initially) } else { (pid + 1, pid + 1) };
    let mut at: Vec<Option<(usize, usize)>> = vec![None; flow.locations.len()];
    let mut todo = vec![(flow.templates[template.0 as usize].initial, interrupted(arrival))];
    while let Some((location, interval)) = todo.pop() {
        let known = &mut at[location.0 as usize];
        let joined = known.map_or(interval, |(lo, hi)| (lo.min(interval.0), hi.max(interval.1)));
        if *known == Some(joined) {
            continue;
        }
        *known = Some(joined);
        for edge in &flow.locations[location.0 as usize].edges {
            let edge = &flow.edges[edge.0 as usize];
            for (started, to) in runs(edge) {
                let (lo, hi) = joined;
                for (i, target) in started.iter().enumerate() {
                    for number in (lo + i)..=(hi + i).min(most - 1) {
                        if possible.len() <= number {
                            possible.resize(number + 1, Vec::new());
                        }
                        if let Err(place) = possible[number].binary_search(target) {
                            possible[number].insert(place, *target);
                        }
                    }
                }
                let after = ((lo + started.len()).min(most), (hi + started.len()).min(most));
                // After a rendezvous others may have control before this process goes on.
                let meets = matches!(edge.sync, Sync::Send { .. } | Sync::Emit { .. } | Sync::Accept { .. });
                let keeps = edge.keeps_control && !meets && !flow.priorities && !flow.may_block(to);
                todo.push((to, if keeps { after } else { interrupted(after) }));
            }
        }
    }
}
