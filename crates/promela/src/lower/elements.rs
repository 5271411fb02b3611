//! The control flow of a process body as SPIN sees it: elements in sequences.
//!
//! Every statement becomes an element with a number of its own; the number is the value of the program counter in
//! SPIN's verifier. Which elements can be rested at, and which are only passed through, decides how many states a model
//! has, so the construction follows SPIN's: each `if` has a join element after it, each `do` one before it and one for
//! its breaks, and sequences share their joins. [`super::automaton`] turns elements into transitions.

use bughound_ir::edge::{Action, Sync};
use bughound_ir::expr::Expr;
use bughound_ir::source::Span;

use super::labels::{LabelPlace, Labels};
use crate::ast::Name;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ElemId(pub u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SeqId(pub u32);

/// Where a jump leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Jump {
    /// Behind the loop with this number.
    Break(u32),
    /// To a label, to be looked up from this scope when all labels are known.
    Label { name: Name, scope: Vec<u32>, span: Span },
    /// To a label that has been found.
    Element(ElemId),
}

/// What an element does.
#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    /// `literal`: the value if it is written as a constant.
    Condition {
        expr: Expr,
        literal: Option<i32>,
    },
    /// `run` as a statement.
    Run(Action),
    Send(Sync),
    Receive(Sync),
    /// Assignment, assertion, output, change of priority.
    Act(Action),
    Print(Action),
    SetPriority(Action),
    /// A declaration of a struct: a step without effect.
    Nothing,
    Else,
    Goto(Jump),
    /// Join after an `if` or `unless`, or before a `do`.
    Join,
    /// Join after a `do`.
    BreakJoin,
    /// End of the process.
    Stop,
    If,
    Do,
    Unless,
    Atomic(SeqId),
    DStep(SeqId),
    Block(SeqId),
}

#[derive(Clone, Debug)]
pub struct Element {
    pub op: Op,
    /// Number within the process, from 1.
    pub number: u32,
    pub next: Option<ElemId>,
    /// Options of `if` and `do`, main and escape sequence of `unless`.
    pub sub: Vec<SeqId>,
    /// Escape sequences of the `unless` constructs around it, innermost last attached first.
    pub escapes: Vec<SeqId>,
    /// Inside an atomic (or d_step) sequence, not its last statement.
    pub atomic: bool,
    /// Last statement of an atomic sequence.
    pub last_atomic: bool,
    /// Inside a d_step.
    pub in_dstep: bool,
    /// A label here is referred to from another process.
    pub remote: bool,
    pub labelled: bool,
    /// Touches more than the process's own variables.
    pub global: bool,
    /// What the user says that it costs.
    pub cost: Option<u32>,
    pub span: Span,
    pub text: String,
    /// The calls of inlines that it comes from, outermost first.
    pub calls: Vec<Span>,
}

/// Elements from `first` on through `next` up to `last`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sequence {
    pub first: Option<ElemId>,
    pub last: Option<ElemId>,
    /// The last element when the sequence was closed (joins are appended later).
    pub extent: Option<ElemId>,
}

/// The control flow of one body, complete or under construction.
#[derive(Clone, Debug, Default)]
pub struct Flow {
    pub elements: Vec<Element>,
    pub sequences: Vec<Sequence>,
    pub labels: Labels,
    /// For each loop the element after it.
    pub breaks: Vec<Option<ElemId>>,
    open: Vec<SeqId>,
    /// The calls of inlines around the statement that is being added, outermost first.
    pub calls: Vec<Span>,
    /// Elements of claims are kept even when redundant.
    pub is_claim: bool,
}

impl Flow {
    pub fn elem(&self, id: ElemId) -> &Element {
        &self.elements[id.0 as usize]
    }

    pub fn elem_mut(&mut self, id: ElemId) -> &mut Element {
        &mut self.elements[id.0 as usize]
    }

    pub fn seq(&self, id: SeqId) -> &Sequence {
        &self.sequences[id.0 as usize]
    }

    /// First element of a closed sequence.
    pub fn first(&self, id: SeqId) -> ElemId {
        self.seq(id).first.unwrap_or(ElemId(0))
    }

    pub fn open_sequence(&mut self) {
        self.sequences.push(Sequence::default());
        self.open.push(SeqId(self.sequences.len() as u32 - 1));
    }

    /// Ends the innermost open sequence. `None` if it is empty.
    pub fn close_sequence(&mut self) -> Option<SeqId> {
        let id = self.open.pop()?;
        let sequence = &mut self.sequences[id.0 as usize];
        sequence.extent = sequence.last;
        sequence.last.map(|_| id)
    }

    fn current(&self) -> SeqId {
        *self.open.last().unwrap_or(&SeqId(0))
    }

    pub fn new_element(&mut self, op: Op, span: Span, text: String) -> ElemId {
        let number = self.elements.len() as u32 + 1;
        self.elements.push(Element {
            op,
            number,
            next: None,
            sub: Vec::new(),
            escapes: Vec::new(),
            atomic: false,
            last_atomic: false,
            in_dstep: false,
            remote: false,
            labelled: false,
            global: false,
            cost: None,
            span,
            text,
            calls: self.calls.clone(),
        });
        ElemId(number - 1)
    }

    pub fn append(&mut self, element: ElemId, to: SeqId) {
        let sequence = &mut self.sequences[to.0 as usize];
        match sequence.last {
            None => sequence.first = Some(element),
            Some(last) => self.elements[last.0 as usize].next = Some(element),
        }
        self.sequences[to.0 as usize].last = Some(element);
    }

    /// Adds an element to the innermost open sequence. A jump that carries an end, accept or progress label gets a step
    /// before it that takes the label: the jump itself is never rested at.
    pub fn add(&mut self, element: ElemId) {
        if matches!(self.elem(element).op, Op::Goto(_)) && self.labels.is_special(element) {
            let skip = self.new_element(
                Op::Condition { expr: Expr::Const(1), literal: Some(1) },
                self.elem(element).span,
                "skip".into(),
            );
            // One label moves, as in SPIN.
            self.elem_mut(element).labelled = self.labels.move_last(element, skip);
            self.elem_mut(skip).labelled = true;
            self.append(skip, self.current());
        }
        self.append(element, self.current());
    }

    pub fn set_label(&mut self, label: LabelPlace) {
        self.elem_mut(label.element).labelled = true;
        self.labels.add(label);
    }

    pub fn has_label(&self, element: ElemId) -> bool {
        self.elem(element).labelled
    }

    pub fn new_loop(&mut self) -> u32 {
        self.breaks.push(None);
        self.breaks.len() as u32 - 1
    }

    /// Adds an `if` with these options; returns its element (for labels).
    pub fn add_if(&mut self, mut options: Vec<SeqId>, span: Span) -> ElemId {
        self.prune_skips(&options);
        let choice = self.new_element(Op::If, span, "if".into());
        let join = self.new_element(Op::Join, span, "fi".into());
        self.move_else_last(&mut options);
        for option in &options {
            self.append(join, *option);
        }
        self.elem_mut(choice).sub = options;
        self.append(choice, self.current());
        self.append(join, self.current());
        choice
    }

    /// Adds a `do` with these options. `prune`: redundant skips in the options are dropped, as SPIN does for loops that the
    /// user wrote (not for those that `for` and `select` stand for).
    pub fn add_do(&mut self, mut options: Vec<SeqId>, number: u32, prune: bool, span: Span) -> ElemId {
        if prune {
            self.prune_skips(&options);
        }
        let choice = self.new_element(Op::Do, span, "do".into());
        let join = self.new_element(Op::Join, span, "od".into());
        self.move_else_last(&mut options);
        for option in &options {
            self.append(join, *option);
        }
        self.elem_mut(choice).sub = options;
        self.append(join, self.current());
        let behind = self.new_element(Op::BreakJoin, span, "break".into());
        self.breaks[number as usize] = Some(behind);
        self.append(choice, self.current());
        self.append(behind, self.current());
        choice
    }

    /// Adds `main unless escape`.
    pub fn add_unless(&mut self, main: SeqId, escape: SeqId, span: Span) -> ElemId {
        let unless = self.new_element(Op::Unless, span, "unless".into());
        let join = self.new_element(Op::Join, span, "unless".into());
        self.append(join, main);
        self.append(join, escape);
        self.elem_mut(unless).sub = vec![main, escape];
        self.attach_escape(main, escape);
        self.append(unless, self.current());
        self.append(join, self.current());
        unless
    }

    fn move_else_last(&self, options: &mut [SeqId]) {
        let is_else = |s: &SeqId| self.seq(*s).first.is_some_and(|e| self.elem(e).op == Op::Else);
        if let Some(at) = options.iter().position(is_else) {
            options[at..].rotate_left(1);
        }
    }

    fn is_skip(&self, element: ElemId) -> bool {
        matches!(self.elem(element).op, Op::Print(_) | Op::Condition { literal: Some(1), .. })
    }

    /// Drops every skip that follows another in an option, unless it is the option's first or last statement.
    fn prune_skips(&mut self, options: &[SeqId]) {
        if self.is_claim {
            return;
        }
        for option in options {
            let Sequence { first, last, extent } = *self.seq(*option);
            let (mut at, mut before, mut run) = (first, None, 0);
            while let Some(element) = at {
                at = self.elem(element).next;
                if self.is_skip(element) && !self.has_label(element) {
                    run += 1;
                    // A skip with a cost is there for its cost.
                    let dear = self.elem(element).cost.is_some();
                    let removable = !dear && !matches!(self.elem(element).op, Op::Print(_));
                    let inner = Some(element) != first && Some(element) != last && Some(element) != extent;
                    if run > 1 && removable && inner {
                        if let Some(before) = before {
                            let before: ElemId = before;
                            self.elem_mut(before).next = self.elem(element).next;
                        }
                        continue;
                    }
                } else {
                    run = 0;
                }
                before = Some(element);
            }
        }
    }

    fn attach_escape(&mut self, main: SeqId, escape: SeqId) {
        let Sequence { first, extent, .. } = *self.seq(main);
        let mut at = first;
        while let Some(element) = at {
            self.escape_element(element, escape);
            if Some(element) == extent {
                break;
            }
            at = self.elem(element).next;
        }
    }

    fn escape_element(&mut self, element: ElemId, escape: SeqId) {
        if self.elem(element).escapes.contains(&escape) {
            return;
        }
        for inner in self.elem(element).escapes.clone() {
            self.attach_escape(inner, escape);
        }
        self.elem_mut(element).escapes.insert(0, escape);
        match self.elem(element).op {
            Op::Unless => self.attach_escape(self.elem(element).sub[0], escape),
            Op::If | Op::Do => {
                for option in self.elem(element).sub.clone() {
                    self.attach_escape(option, escape);
                }
            }
            Op::DStep(body) => self.escape_element(self.first(body), escape),
            Op::Atomic(body) | Op::Block(body) => self.attach_escape(body, escape),
            _ => {}
        }
    }

    /// Marks a sequence as atomic: all its statements but the last keep control.
    pub fn make_atomic(&mut self, sequence: SeqId, dstep: bool) {
        let Sequence { first, last, .. } = *self.seq(sequence);
        let (Some(first), Some(last)) = (first, last) else { return };
        self.walk_atomic(first, last, dstep);
        match self.elem(last).op {
            Op::Block(body) | Op::Atomic(body) => self.make_atomic(body, dstep),
            Op::Unless => self.make_atomic(self.elem(last).sub[0], dstep),
            _ => {
                let last = self.elem_mut(last);
                last.atomic = false;
                last.last_atomic = true;
            }
        }
    }

    fn walk_atomic(&mut self, from: ElemId, to: ElemId, dstep: bool) {
        let mut at = Some(from);
        while let Some(id) = at {
            let element = self.elem_mut(id);
            element.atomic = true;
            element.in_dstep |= dstep;
            let inner = match element.op {
                Op::Atomic(body) | Op::Block(body) => Some(body),
                Op::DStep(body) if dstep => Some(body),
                _ => None,
            };
            if let Some(body) = inner {
                element.op = Op::Block(body); // an atomic block inside another adds nothing
                let Sequence { first, last, .. } = *self.seq(body);
                if let (Some(first), Some(last)) = (first, last) {
                    self.walk_atomic(first, last, dstep);
                }
            }
            for option in self.elem(id).sub.clone() {
                let Sequence { first, last, .. } = *self.seq(option);
                if let (Some(first), Some(last)) = (first, last) {
                    self.walk_atomic(first, last, dstep);
                }
            }
            if id == to {
                break;
            }
            at = self.elem(id).next;
        }
    }

    /// A label that is looked at from outside must be a place to rest: a jump gets a step before it. Returns the new
    /// element, if one was made.
    pub fn make_remote(&mut self, label: &str) -> Option<ElemId> {
        let element = self.labels.latest(label)?;
        let mut made = None;
        if let Op::Goto(jump) = self.elem(element).op.clone() {
            let copy = self.new_element(Op::Goto(jump), self.elem(element).span, self.elem(element).text.clone());
            let after = self.elem(element).next;
            self.elem_mut(copy).next = after;
            let original = self.elem_mut(element);
            original.op = Op::Condition { expr: Expr::Const(1), literal: Some(1) };
            original.next = Some(copy);
            made = Some(copy);
        }
        self.elem_mut(element).remote = true;
        made
    }

    /// Ties the end of every inner sequence to what follows it. Later elements enclose earlier ones, so backwards.
    pub fn tie_ends(&mut self) {
        for at in (0..self.elements.len()).rev() {
            let Some(next) = self.elements[at].next else { continue };
            let (Op::Atomic(body) | Op::Block(body) | Op::DStep(body)) = self.elements[at].op else { continue };
            let mut follower = Some(next);
            while let Some(f) = follower {
                if self.elem(f).op != Op::Join {
                    break;
                }
                follower = self.elem(f).next;
            }
            if let Some(last) = self.seq(body).last
                && self.elem(last).next.is_none()
            {
                self.elem_mut(last).next = follower;
            }
        }
    }

    /// Ties the end of a block to what follows the block; says whether that changed anything.
    pub fn tie_end(&mut self, block: ElemId, body: SeqId) -> bool {
        let next = self.elem(block).next;
        let Some(last) = self.seq(body).last else { return false };
        std::mem::replace(&mut self.elem_mut(last).next, next) != next
    }

    /// Looks up the labels of all jumps; returns the jumps to labels that do not exist.
    pub fn settle_jumps(&mut self) -> Vec<(Name, Span)> {
        let mut lost = Vec::new();
        for element in &mut self.elements {
            let Op::Goto(Jump::Label { name, scope, span }) = &element.op else { continue };
            match self.labels.find(name, scope) {
                Some(target) => element.op = Op::Goto(Jump::Element(target)),
                None => lost.push((name.clone(), *span)),
            }
        }
        lost
    }

    /// The `d_step` that begins with this element.
    pub fn d_step_before(&self, first: ElemId) -> Option<ElemId> {
        let begins = |element: &Element| matches!(element.op, Op::DStep(body) if self.first(body) == first);
        self.elements.iter().position(begins).map(|at| ElemId(at as u32))
    }

    /// The element that a jump leads to, once the jumps have been settled.
    pub fn jump_target(&self, jump: &Jump) -> Option<ElemId> {
        match jump {
            Jump::Break(number) => self.breaks[*number as usize],
            Jump::Element(element) => Some(*element),
            Jump::Label { .. } => None,
        }
    }
}
