//! Among equally short traces one that is easy to read: its steps are those of the trace found, in an order in which the
//! process changes less often.
//!
//! Steps that have nothing to do with each other can change places: neither reads or writes what the other writes
//! (`ir/src/analysis/access.rs`). Every order that keeps those with something to do with each other as they were is a run
//! of the model, too, with the same steps and so the same length and cost, and it ends in the same state. Steps that
//! change what the property looks at keep their order as well: the property sees the same story.
//!
//! Chains that nothing interrupts (`atomic`) move as a whole. Of the orders, those with few changes are looked for step by
//! step, the best so far kept ([`WIDTH`] at most), in one stretch of the trace after the other ([`STRETCH`]). What comes out is replayed
//! before it is shown; if it does not end for the same reason, or changes the process no less often, the trace stays as it
//! is. Infinite runs, never claims, and timed models stay as they are.

use std::collections::{BTreeMap, BTreeSet};

use bughound_ir::analysis::Instance;
use bughound_ir::analysis::access::{EdgeAccess, PropertyReader};
use bughound_ir::edge::EdgeId;
use bughound_ir::network::Network;
use bughound_kernel::{Access, Move};

use crate::claim::Claim;
use crate::replay::{Trace, micro_steps, replay};

/// The best so many orders are followed.
const WIDTH: usize = 64;
/// So many chains are put in order together.
const STRETCH: usize = 256;
/// Nobody reads traces that are longer than this step by step.
const LONGEST: usize = 4096;
/// So many attempts to put a chain next in a stretch, at most: with many processes, fewer orders are followed.
const ATTEMPTS: usize = 1 << 20;

/// How often the process changes: neighbouring steps with nobody who takes part in both.
pub fn switches(trace: &Trace) -> usize {
    let apart = |pair: &[crate::replay::TraceStep]| {
        !pair[0].participants.iter().any(|a| pair[1].participants.iter().any(|b| a.process == b.process))
    };
    trace.steps.windows(2).filter(|pair| apart(pair)).count()
}

/// The same trace, or one with the same steps in an order with fewer changes of the process. `claim`: what the trace shows.
pub fn with_few_switches(network: &Network, trace: Trace, claim: &Claim<'_>) -> Trace {
    let Some(moves) = reordered(network, &trace, claim) else { return trace };
    match replay(network, &moves, claim) {
        Ok(other) if is_as_good(&other, &trace) && switches(&other) < switches(&trace) => other,
        _ => trace,
    }
}

/// Do both end in the same way, at the same cost?
fn is_as_good(other: &Trace, trace: &Trace) -> bool {
    (other.length, other.cost) == (trace.length, trace.cost) && other.reason == trace.reason
}

/// The moves in an order with fewer changes, if there is one; not yet replayed.
pub fn reordered(network: &Network, trace: &Trace, claim: &Claim<'_>) -> Option<Vec<Move>> {
    let mut looks_at = Access::default();
    match claim {
        Claim::Deadlock | Claim::Failure(_) => {}
        Claim::Condition { condition, .. } => looks_at = PropertyReader::new(network).access(condition),
        Claim::Never(_) | Claim::Lasso(_) | Claim::Prefix { .. } | Claim::NoInitialState => return None,
    }
    // What a monitor sees is the order of all messages.
    if trace.timing.is_some() || trace.steps.len() > LONGEST || network.monitor.is_some() || switches(trace) < 2 {
        return None;
    }
    let mut chains = chains(network, trace);
    // A deadlock is complete when everything has happened; other errors with their last step.
    let last = if *claim == Claim::Deadlock { None } else { chains.pop() };
    let found = chains_in_order(&chains, &looks_at);
    let ordered: Vec<&Chain> = found.iter().map(|at| &chains[*at]).chain(&last).collect();
    let changes = |chains: &[&Chain]| chains.windows(2).filter(|pair| !pair[0].leads_to(pair[1])).count();
    let before: Vec<&Chain> = chains.iter().chain(&last).collect();
    (changes(&ordered) < changes(&before)).then(|| ordered.iter().flat_map(|chain| chain.moves.clone()).collect())
}

/// Micro steps that nothing interrupts.
struct Chain {
    moves: Vec<Move>,
    /// Who starts it.
    owner: u16,
    /// Who takes part in its first and in its last micro step.
    first: Vec<Instance>,
    last: Vec<Instance>,
    /// Everybody who takes part: nobody's own steps change places.
    processes: BTreeSet<u16>,
    access: Access,
    /// Whoever had control lost it, because it could not go on: that depends on more than what was read.
    is_cut_short: bool,
}

impl Chain {
    /// Does somebody take part in its end and in the beginning of the next?
    fn leads_to(&self, next: &Chain) -> bool {
        self.last.iter().any(|process| next.first.contains(process))
    }

    fn writes(&self, slots: &Access) -> bool {
        let written = &self.access.may_write;
        written.intersects(&slots.reads) || written.intersects(&slots.may_write) || slots.reads_everything
    }

    fn depends_on(&self, other: &Chain, looks_at: &Access) -> bool {
        self.is_cut_short
            || other.is_cut_short
            || !self.processes.is_disjoint(&other.processes)
            || self.writes(&other.access)
            || other.writes(&self.access)
            || (self.writes(looks_at) && other.writes(looks_at))
    }
}

fn chains(network: &Network, trace: &Trace) -> Vec<Chain> {
    let instance = |m: &Move| {
        let from = network.edge(EdgeId(m.edge)).from;
        Instance { pid: m.process.into(), template: network.location(from).template }
    };
    let accesses = EdgeAccess::among(network, trace.moves.iter().map(|m| (instance(m), EdgeId(m.edge))));
    let mut chains: Vec<Chain> = Vec::new();
    let mut goes_on = false;
    for (step, shown) in micro_steps(&trace.moves).into_iter().zip(&trace.steps) {
        let who: Vec<Instance> = step.iter().map(instance).collect();
        if !goes_on {
            chains.push(Chain {
                moves: Vec::new(),
                owner: step[0].process,
                first: who.clone(),
                last: Vec::new(),
                processes: BTreeSet::new(),
                access: Access::default(),
                is_cut_short: false,
            });
        }
        goes_on = shown.keeps_control;
        let Some(chain) = chains.last_mut() else { continue };
        for m in step {
            if let Some(access) = accesses.of(instance(m), EdgeId(m.edge)) {
                chain.access.reads.extend(access.reads.iter());
                chain.access.may_write.extend(access.may_write.iter());
                chain.access.reads_everything |= access.reads_everything;
            }
        }
        chain.moves.extend(step);
        chain.processes.extend(step.iter().map(|m| m.process));
        chain.last = who;
        chain.is_cut_short = !goes_on && step.iter().any(|m| network.edge(EdgeId(m.edge)).keeps_control);
    }
    chains
}

/// An order of the chains, by number, in which each comes after those it depends on.
fn chains_in_order(chains: &[Chain], looks_at: &Access) -> Vec<usize> {
    let mut order: Vec<usize> = Vec::new();
    for start in (0..chains.len()).step_by(STRETCH) {
        let stretch = Stretch::new(chains, start..chains.len().min(start + STRETCH), looks_at);
        order.extend(stretch.order(order.last().copied()));
    }
    order
}

/// Chains that are put in order together.
struct Stretch<'c> {
    chains: &'c [Chain],
    /// By process: the numbers of the chains that it starts. They keep their order.
    lines: Vec<Vec<usize>>,
    /// By process and chain in its line: how far the others must have got before, those that matter.
    needs: Vec<Vec<Vec<(usize, usize)>>>,
}

/// A beginning of an order.
struct Beginning {
    /// By process: how many of its chains have happened.
    done: Vec<usize>,
    last: Option<usize>,
    changes: usize,
    /// Changes that there will be, at the least, as far as one can tell at a glance: every process with chains left.
    ahead: usize,
    /// Its number among the beginnings with one chain less.
    parent: usize,
}

impl<'c> Stretch<'c> {
    fn new(chains: &'c [Chain], range: std::ops::Range<usize>, looks_at: &Access) -> Stretch<'c> {
        let mut by_owner: BTreeMap<u16, Vec<usize>> = BTreeMap::new();
        for at in range {
            by_owner.entry(chains[at].owner).or_default().push(at);
        }
        let lines: Vec<Vec<usize>> = by_owner.into_values().collect();
        let needs_of = |line: usize, at: usize| {
            let others = (0..lines.len()).filter(|other| *other != line);
            let needed = others.filter_map(|other| {
                let earlier = lines[other]
                    .iter()
                    .rposition(|before| *before < at && chains[at].depends_on(&chains[*before], looks_at));
                earlier.map(|place| (other, place + 1))
            });
            needed.collect()
        };
        let needs = (0..lines.len()).map(|line| lines[line].iter().map(|at| needs_of(line, *at)).collect()).collect();
        Stretch { chains, lines, needs }
    }

    /// An order with few changes, after the chain `before`.
    fn order(&self, before: Option<usize>) -> Vec<usize> {
        let length: usize = self.lines.iter().map(Vec::len).sum();
        let width = (ATTEMPTS / (length * self.lines.len()).max(1)).clamp(1, WIDTH);
        let done = vec![0; self.lines.len()];
        let mut levels = vec![vec![Beginning { done, last: before, changes: 0, ahead: 0, parent: 0 }]];
        for _ in 0..length {
            let next = self.longer(&levels[levels.len() - 1], width);
            levels.push(next);
        }
        let mut order = Vec::with_capacity(length);
        let mut number = 0;
        for level in levels[1..].iter().rev() {
            let Some(beginning) = level.get(number) else { break };
            order.extend(beginning.last);
            number = beginning.parent;
        }
        order.reverse();
        order
    }

    /// The best beginnings that are longer by one chain.
    fn longer(&self, beginnings: &[Beginning], width: usize) -> Vec<Beginning> {
        let mut found = Vec::new();
        for (parent, beginning) in beginnings.iter().enumerate() {
            let possible = (0..self.lines.len()).filter(|line| self.is_possible(beginning, *line));
            let mut longer: Vec<Beginning> = possible.map(|line| self.with(beginning, parent, line)).collect();
            longer.sort_by_key(|new| new.last);
            found.extend(longer);
        }
        // The sort is stable: among equals, those come first that begin as the trace did.
        found.sort_by_key(|new| new.changes + new.ahead);
        let mut known: BTreeSet<(Vec<usize>, Option<usize>)> = BTreeSet::new();
        found.retain(|new| known.len() < width && known.insert((new.done.clone(), new.last)));
        found
    }

    fn is_possible(&self, beginning: &Beginning, line: usize) -> bool {
        let needs = self.needs[line].get(beginning.done[line]);
        needs.is_some_and(|needs| needs.iter().all(|(other, count)| beginning.done[*other] >= *count))
    }

    fn with(&self, beginning: &Beginning, parent: usize, line: usize) -> Beginning {
        let at = self.lines[line][beginning.done[line]];
        let mut done = beginning.done.clone();
        done[line] += 1;
        let changed = beginning.last.is_some_and(|last| !self.chains[last].leads_to(&self.chains[at]));
        let ahead = (0..done.len()).filter(|other| *other != line && done[*other] < self.lines[*other].len()).count();
        Beginning { done, last: Some(at), changes: beginning.changes + usize::from(changed), ahead, parent }
    }
}

#[cfg(test)]
mod tests {
    use bughound_ir::expr::{BinaryOp, Expr, Place};
    use bughound_ir::types::ValueType;
    use bughound_kernel::{Failure, FailureKind};

    use super::*;
    use crate::testing::{moves, network, text};

    fn statements(trace: &Trace) -> Vec<&str> {
        trace.steps.iter().map(|step| step.participants[0].text.as_str()).collect()
    }

    /// A run of the model that is said to end in a deadlock, before and after.
    fn deadlock(model: &str, steps: &[(u16, &str)]) -> (Trace, Trace) {
        let network = network(model);
        let before = replay(&network, &moves(&network, steps), &Claim::Deadlock).unwrap();
        let after = with_few_switches(&network, before.clone(), &Claim::Deadlock);
        assert_eq!((before.length, before.cost, &before.reason), (after.length, after.cost, &after.reason));
        (before, after)
    }

    #[test]
    fn steps_that_have_nothing_to_do_with_each_other_are_sorted_by_process() {
        let model = "byte x, y; active proctype P() { x = 1; x = 2; x = 3; false }
            active proctype Q() { y = 1; y = 2; y = 3; false }";
        let steps = [(0, "x = 1"), (1, "y = 1"), (0, "x = 2"), (1, "y = 2"), (1, "y = 3"), (0, "x = 3")];
        let (before, after) = deadlock(model, &steps);
        assert_eq!((switches(&before), switches(&after)), (4, 1));
        assert_eq!(statements(&after), ["x = 1", "x = 2", "x = 3", "y = 1", "y = 2", "y = 3"]);
        assert!(text(&after).contains("   3   P(0)"), "{}", text(&after));
    }

    #[test]
    fn steps_that_depend_on_each_other_keep_their_order() {
        let model = "byte x; active proctype P() { x = 1; x = 2; false } active proctype Q() { x = x + 5; false }";
        let (before, after) = deadlock(model, &[(0, "x = 1"), (1, "x = x+5"), (0, "x = 2")]);
        assert_eq!(before, after);
        assert_eq!(switches(&after), 2);
    }

    #[test]
    fn a_rendezvous_belongs_to_both() {
        let model = "chan r = [0] of { byte }; byte x, y, z;
            active proctype P() { x = 1; r!1; x = 2; false } active proctype Q() { y = 1; r?y; y = 2; false }
            active proctype R() { z = 1; z = 2; false }";
        let steps = [(0, "x = 1"), (2, "z = 1"), (1, "y = 1"), (0, "r!1"), (2, "z = 2"), (1, "y = 2"), (0, "x = 2")];
        let (before, after) = deadlock(model, &steps);
        // Q, both, P; or P, both, Q; and R before or after.
        assert_eq!((switches(&before), switches(&after)), (5, 3), "{}", text(&after));
    }

    #[test]
    fn what_nothing_interrupts_stays_together() {
        let model = "byte x, y; active proctype P() { x = 1; atomic { x = 2; x = 3 }; false }
            active proctype Q() { y = 1; y = 2; false }";
        let steps = [(0, "x = 1"), (1, "y = 1"), (0, "x = 2"), (0, "x = 3"), (1, "y = 2")];
        let (before, after) = deadlock(model, &steps);
        assert_eq!((switches(&before), switches(&after)), (3, 1));
        assert_eq!(statements(&after), ["x = 1", "x = 2", "x = 3", "y = 1", "y = 2"]);
        assert_eq!(after.steps.iter().map(|s| s.keeps_control).collect::<Vec<_>>(), [false, true, false, false, false]);
    }

    #[test]
    fn an_atomic_chain_that_loses_control_stays_where_it_is() {
        let model = "byte x, y; active proctype P() { atomic { x = 1; (y == 2); x = 2 }; false }
            active proctype Q() { y = 1; y = 2; false }";
        let steps = [(1, "y = 1"), (0, "x = 1"), (1, "y = 2"), (0, "(y==2)"), (0, "x = 2")];
        let (before, after) = deadlock(model, &steps);
        assert_eq!(before, after);
    }

    #[test]
    fn the_property_sees_the_same_story() {
        let model = "byte x, y; active proctype P() { x = 1; x = 2 } active proctype Q() { y = 1; y = 2 }";
        let network = network(model);
        let run = [(0, "x = 1"), (1, "y = 1"), (0, "x = 2"), (1, "y = 2")];
        let moves = moves(&network, &run);
        let read = |name: &str| {
            let slot = network.variables.iter().find(|v| v.name == name).unwrap().slot;
            Expr::read(Place::global(slot, ValueType::Byte))
        };
        let is = |e, value| Expr::binary(BinaryOp::Equal, e, Expr::Const(value));
        // Of `x` alone, all orders are as good: only the last step stays the last.
        let condition = is(read("y"), 2);
        let claim = Claim::Condition { condition: &condition, expected: false };
        let trace = replay(&network, &moves, &claim).unwrap();
        assert_eq!(switches(&with_few_switches(&network, trace, &claim)), 1);
        let condition = Expr::binary(BinaryOp::And, is(read("x"), 2), is(read("y"), 2));
        let claim = Claim::Condition { condition: &condition, expected: false };
        let trace = replay(&network, &moves, &claim).unwrap();
        assert_eq!(with_few_switches(&network, trace.clone(), &claim), trace);
    }

    #[test]
    fn the_failing_step_stays_the_last() {
        let model = "byte x, y; active proctype P() { x = 1; assert(x == 0) } active proctype Q() { y = 1; y = 2 }";
        let network = network(model);
        let run = [(1, "y = 1"), (0, "x = 1"), (1, "y = 2"), (0, "assert(x==0)")];
        let moves = moves(&network, &run);
        let edge = moves[3].edge;
        let failure = Failure { kind: FailureKind::Assertion, edge, code: 0 };
        let claim = Claim::Failure(failure);
        let trace = replay(&network, &moves, &claim).unwrap();
        let after = with_few_switches(&network, trace, &claim);
        assert_eq!(statements(&after)[..3], ["y = 1", "y = 2", "x = 1"]);
    }

    #[test]
    fn long_traces_are_put_in_order_stretch_by_stretch() {
        let model = "byte x, y; active proctype P() { do :: x < 200 -> x++ :: x == 200 -> break od; false }
            active proctype Q() { do :: y < 200 -> y++ :: y == 200 -> break od; false }";
        let network = network(model);
        let turn = [(0, "(x<200)"), (1, "(y<200)"), (0, "x++"), (1, "y++")];
        let mut run: Vec<(u16, &str)> = (0..200).flat_map(|_| turn).collect();
        run.extend([(0, "(x==200)"), (1, "(y==200)")]);
        let network_moves = moves(&network, &run);
        let before = replay(&network, &network_moves, &Claim::Deadlock).unwrap();
        let after = with_few_switches(&network, before.clone(), &Claim::Deadlock);
        assert_eq!(switches(&before), before.steps.len() - 1);
        assert_eq!(switches(&after), before.steps.len().div_ceil(STRETCH));
    }
}
