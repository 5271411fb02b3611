//! From elements to the transitions of SPIN's verifier.
//!
//! An element that only passes control on (a join, a jump, the entry of a block) is not a place to rest: transitions lead
//! through it to the first element that is. The exception is what keeps SPIN's state counts: a transition that keeps
//! control inside an atomic sequence does not follow such an element out of the sequence. A choice (and the entry of a
//! block) has as transitions those of its first statements, nested choices included.

use bughound_ir::network::LocationFlags;

use super::elements::{ElemId, Flow, Op, SeqId, Sequence};
use super::merging::Merging;
use super::rests::{Rests, live_options, start_of};
use super::ways::Circle;

/// A transition of the verifier.
#[derive(Clone, Debug, PartialEq)]
pub struct Transition {
    /// Elements whose statements it executes, in order; more than one if statements were merged.
    pub chain: Vec<ElemId>,
    /// Number of the element where the process rests afterwards; 0 if it has ended.
    pub to: u32,
    pub keeps_control: bool,
    /// Numbers of the elements at which the escapes of surrounding `unless` constructs start.
    pub escapes: Vec<u32>,
    /// Number of the element from which the transition was taken over as an escape; 0 otherwise.
    pub escape: u32,
}

/// What can be done at an element.
#[derive(Clone, Debug)]
enum Table {
    /// Do what can be done at these elements.
    Choice(Vec<u32>),
    Step(Transition),
}

/// The transitions of one body by the number of the element where they start.
#[derive(Clone, Debug, Default)]
pub struct Automaton {
    pub transitions: Vec<Vec<Transition>>,
    pub flags: Vec<LocationFlags>,
    pub start: u32,
    /// Jumps that lead in a circle; then the rest means nothing.
    pub circles: Vec<Circle>,
}

/// Builds the automaton of a body; `merging` tells which statements to join.
pub fn build(flow: &mut Flow, body: SeqId, merging: Option<&Merging>, inner_unless_first: bool) -> Automaton {
    let count = flow.elements.len() + 1;
    let first = flow.first(body);
    let mut rests = Rests::new(flow);
    let start = rests.element(flow, first, flow.elem(first).atomic);
    let start = flow.elem(start).number;
    let mut builder = Builder {
        merging,
        table: vec![None; count],
        done: vec![false; flow.elements.len()],
        merged_away: vec![false; flow.elements.len()],
        rests,
    };
    builder.sequence(flow, body);
    let circles = builder.rests.circles.into_iter().collect();
    let mut automaton = Automaton { transitions: vec![Vec::new(); count], flags: label_flags(flow), start, circles };
    flatten(&builder.table, &mut automaton);
    attach_escapes(&mut automaton, inner_unless_first);
    automaton
}

/// A claim has no more than so many moves from one place.
const MOST_MOVES: usize = 10_000;

/// Makes one transition of every way through an atomic sequence: a claim looks at a state once and moves to the end of the
/// sequence, it does not wait for the next state in between. Returns an element at which that is not possible, and why.
pub fn join_atomic_chains(flow: &Flow, automaton: &mut Automaton) -> Result<(), (ElemId, &'static str)> {
    let mut joined = Vec::new();
    for transitions in &automaton.transitions {
        let mut open: Vec<Transition> = transitions.iter().rev().cloned().collect();
        let mut done = Vec::new();
        while let Some(transition) = open.pop() {
            let onward = &automaton.transitions[transition.to as usize];
            let ends = onward.iter().any(|next| flow.elem(next.chain[0]).op == Op::Stop);
            if !transition.keeps_control || transition.to == 0 || ends {
                done.push(transition);
                continue;
            }
            for next in onward.iter().rev() {
                let first = next.chain[0];
                if flow.elem(first).op == Op::Else {
                    return Err((first, "`else` cannot stand inside `atomic` in a claim"));
                }
                if transition.chain.contains(&first) || done.len() + open.len() > MOST_MOVES {
                    return Err((first, "this loop inside `atomic` cannot be used in a claim"));
                }
                let chain = [&transition.chain[..], &next.chain].concat();
                open.push(Transition { chain, escape: transition.escape, ..next.clone() });
            }
        }
        joined.push(done);
    }
    automaton.transitions = joined;
    Ok(())
}

struct Builder<'a> {
    merging: Option<&'a Merging>,
    table: Vec<Option<Table>>,
    done: Vec<bool>,
    /// Elements that occur inside merged chains only.
    merged_away: Vec<bool>,
    rests: Rests,
}

impl Builder<'_> {
    fn sequence(&mut self, flow: &mut Flow, sequence: SeqId) {
        let Sequence { first, last, .. } = *flow.seq(sequence);
        let mut at = first;
        while let Some(id) = at {
            if !std::mem::replace(&mut self.done[id.0 as usize], true) {
                self.element(flow, id);
            }
            if Some(id) == last {
                break;
            }
            at = flow.elem(id).next;
        }
    }

    fn element(&mut self, flow: &mut Flow, id: ElemId) {
        let number = flow.elem(id).number as usize;
        match flow.elem(id).op.clone() {
            Op::Unless => self.sequence(flow, flow.elem(id).sub[0]),
            Op::If | Op::Do => {
                let options = live_options(flow, id).iter().map(|g| flow.elem(*g).number).collect();
                self.table[number] = Some(Table::Choice(options));
                for option in flow.elem(id).sub.clone() {
                    self.sequence(flow, option);
                }
            }
            Op::Atomic(body) | Op::Block(body) => {
                self.enter(flow, id, body);
                let first = start_of(flow, flow.first(body));
                self.table[number] = Some(Table::Choice(vec![flow.elem(first).number]));
                self.sequence(flow, body);
            }
            Op::DStep(body) => {
                self.enter(flow, id, body);
                let to = self.follow(flow, flow.elem(id).next, flow.elem(id).atomic);
                let keeps_control = flow.elem(id).atomic;
                let escapes = self.escapes(flow, id);
                let step = Transition { chain: vec![id], to, keeps_control, escapes, escape: 0 };
                self.table[number] = Some(Table::Step(step));
            }
            _ => self.simple(flow, id),
        }
    }

    /// Ties the end of a block to what follows it and settles which of its jumps keep control.
    fn enter(&mut self, flow: &mut Flow, id: ElemId, body: SeqId) {
        let patched = patch_jumps(flow, body);
        if flow.tie_end(id, body) || patched {
            self.rests.forget();
        }
    }

    fn follow(&mut self, flow: &Flow, from: Option<ElemId>, atomic: bool) -> u32 {
        let Some(from) = from else { return 0 };
        let found = self.rests.element(flow, from, atomic);
        flow.elem(found).number
    }

    fn escapes(&mut self, flow: &mut Flow, id: ElemId) -> Vec<u32> {
        let sequences = flow.elem(id).escapes.clone();
        let atomic = flow.elem(id).atomic;
        let starts = sequences.iter().map(|s| self.follow(flow, Some(flow.first(*s)), atomic)).collect();
        for sequence in sequences {
            self.sequence(flow, sequence);
        }
        starts
    }

    fn simple(&mut self, flow: &mut Flow, id: ElemId) {
        let element = flow.elem(id);
        let number = element.number as usize;
        let onward = match &element.op {
            Op::Goto(jump) => flow.jump_target(jump),
            _ => element.next,
        };
        let atomic = element.atomic;
        let mut step = Transition {
            chain: vec![id],
            to: self.follow(flow, onward, atomic),
            keeps_control: atomic,
            escapes: Vec::new(),
            escape: 0,
        };
        let passes = matches!(flow.elem(id).op, Op::Join | Op::Goto(_) | Op::BreakJoin);
        if let Some(merging) = self.merging {
            let target = merging.target(id);
            let generic = target.is_none()
                && (passes || matches!(flow.elem(id).op, Op::Else | Op::Condition { literal: Some(1), .. }));
            if !generic && (self.merged_away[id.0 as usize] || merging.incoming(id) == 0) {
                if !passes {
                    return; // part of merged chains only: never rested at
                }
            } else if let Some(target) = target {
                self.merge(flow, &mut step, merging, target);
            }
        }
        if flow.elem(id).op != Op::Join {
            step.escapes = self.escapes(flow, id);
        }
        self.table[number] = Some(Table::Step(step));
    }

    /// Extends a step along its merged chain.
    fn merge(&mut self, flow: &Flow, step: &mut Transition, merging: &Merging, target: u32) {
        let mut at = step.chain[0];
        loop {
            let onward = match &flow.elem(at).op {
                Op::Goto(jump) => match flow.jump_target(jump) {
                    Some(to) if flow.elem(to).number == target => Some(to),
                    Some(to) => Some(self.rests.element_or(flow, to, flow.elem(at).atomic, target)),
                    None => None,
                },
                _ => flow.elem(at).next,
            };
            let Some(onward) = onward else { break };
            if flow.elem(onward).number == target || !merging.is_merged(onward) || step.chain.contains(&onward) {
                break;
            }
            at = onward;
            step.chain.push(at);
            step.keeps_control = flow.elem(at).atomic;
            if merging.incoming(at) == 1 {
                self.merged_away[at.0 as usize] = true;
            }
        }
        step.to = target;
    }
}

/// A jump out of an atomic sequence gives up control; one from its end into another atomic sequence keeps it. Says
/// whether anything has changed.
fn patch_jumps(flow: &mut Flow, body: SeqId) -> bool {
    let mut changed = false;
    let Sequence { first, extent, .. } = *flow.seq(body);
    let mut at = first;
    while let Some(id) = at {
        if let Op::Goto(jump) = &flow.elem(id).op {
            if let Some(target) = flow.jump_target(jump) {
                let inside = flow.elem(target).atomic || flow.elem(target).last_atomic;
                let element = flow.elem_mut(id);
                let before = element.atomic;
                if (element.atomic || element.last_atomic) && !inside {
                    element.atomic = false;
                    element.last_atomic = true;
                }
                if element.last_atomic && inside {
                    element.last_atomic = false;
                    element.atomic = true;
                }
                changed |= element.atomic != before;
            }
        } else {
            for option in flow.elem(id).sub.clone() {
                changed |= patch_jumps(flow, option);
            }
        }
        if Some(id) == extent {
            break;
        }
        at = flow.elem(id).next;
    }
    changed
}

fn label_flags(flow: &Flow) -> Vec<LocationFlags> {
    let mut flags = vec![LocationFlags::default(); flow.elements.len() + 1];
    for label in flow.labels.iter() {
        let at = &mut flags[flow.elem(label.element).number as usize];
        at.end |= label.name.starts_with("end");
        at.accept |= label.name.starts_with("accept");
        at.progress |= label.name.starts_with("progress");
        at.danger |= label.name.starts_with("danger");
    }
    for element in &flow.elements {
        if element.op == Op::Stop {
            flags[element.number as usize].end = true;
        }
    }
    flags
}

/// Gives every choice the transitions of its options. Labels on the guards, which are never rested at, pass to the
/// places after them.
fn flatten(table: &[Option<Table>], automaton: &mut Automaton) {
    for number in 1..table.len() {
        let mut out = Vec::new();
        match &table[number] {
            None => {}
            Some(Table::Step(step)) => out.push(step.clone()),
            Some(Table::Choice(options)) => collect(table, options, &mut automaton.flags, &mut out),
        }
        automaton.transitions[number] = out;
    }
}

fn collect(table: &[Option<Table>], options: &[u32], flags: &mut [LocationFlags], out: &mut Vec<Transition>) {
    for option in options {
        match &table[*option as usize] {
            None => {}
            Some(Table::Step(step)) => {
                pass_on(flags, *option, step.to);
                out.push(step.clone());
            }
            Some(Table::Choice(inner)) => {
                for next in inner {
                    pass_on(flags, *option, *next);
                }
                collect(table, inner, flags, out);
            }
        }
    }
}

fn pass_on(flags: &mut [LocationFlags], from: u32, to: u32) {
    let LocationFlags { end, accept, progress, .. } = flags[from as usize];
    let at = &mut flags[to as usize];
    at.end |= end;
    at.accept |= accept;
    at.progress |= progress;
}

/// Puts the transitions of escapes before those that they interrupt: those of the outermost `unless` first, unless asked
/// otherwise.
fn attach_escapes(automaton: &mut Automaton, inner_first: bool) {
    for number in 1..automaton.transitions.len() {
        let own = automaton.transitions[number].clone();
        let mut escapes: Vec<Transition> = Vec::new();
        for step in &own {
            for start in step.escapes.iter().rev() {
                for escape in automaton.transitions[*start as usize].clone() {
                    if own.iter().chain(&escapes).any(|t| t.chain[0] == escape.chain[0]) {
                        continue;
                    }
                    let at = if inner_first { escapes.len() } else { 0 };
                    escapes.insert(at, Transition { escape: *start, ..escape });
                }
            }
        }
        escapes.extend(own);
        automaton.transitions[number] = escapes;
    }
}
