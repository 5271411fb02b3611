//! The effects of an edge while they are collected: straight-line actions, or a program if there are choices and loops.

use bughound_ir::edge::{Action, Alternative, Condition, Program, ProgramNode, Sync};
use bughound_ir::expr::Expr;
use bughound_ir::source::Span;
use bughound_ir::types::ClockId;

use crate::lower::fold;

/// A place in the code that one can jump to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label(usize);

#[derive(Clone, Debug)]
enum Exit {
    /// `None`: the end.
    Goto(Option<Label>),
    Branch(Expr, Label, Label),
}

#[derive(Clone, Debug)]
struct Block {
    actions: Vec<Action>,
    exit: Exit,
    span: Span,
}

#[derive(Debug)]
pub struct Code {
    blocks: Vec<Block>,
    current: usize,
    /// How many choices and loops are open around the current block.
    pub depth: u32,
    /// Clocks that are set on some ways only.
    sometimes: Vec<ClockId>,
}

impl Code {
    pub fn new(span: Span) -> Code {
        let first = Block { actions: Vec::new(), exit: Exit::Goto(None), span };
        Code { blocks: vec![first], current: 0, depth: 0, sometimes: Vec::new() }
    }

    pub fn act(&mut self, action: Action) {
        self.blocks[self.current].actions.push(action);
    }

    /// Sets a clock. `always`: whatever choices the update makes.
    pub fn set_clock(&mut self, clock: ClockId, value: Expr, always: bool) {
        if !always || self.depth > 0 {
            self.sometimes.push(clock);
        }
        self.act(Action::ResetClock { clock, value });
    }

    pub fn label(&mut self, span: Span) -> Label {
        self.blocks.push(Block { actions: Vec::new(), exit: Exit::Goto(None), span });
        Label(self.blocks.len() - 1)
    }

    /// Ends the current block with a jump.
    pub fn goto(&mut self, label: Label) {
        self.blocks[self.current].exit = Exit::Goto(Some(label));
    }

    pub fn branch(&mut self, condition: Expr, then: Label, otherwise: Label) {
        self.blocks[self.current].exit = match condition.as_const() {
            Some(0) => Exit::Goto(Some(otherwise)),
            Some(_) => Exit::Goto(Some(then)),
            None => Exit::Branch(fold::truth(condition), then, otherwise),
        };
    }

    /// Goes on with this block.
    pub fn start(&mut self, label: Label) {
        self.current = label.0;
    }

    /// The program, if there is one, and the actions after it.
    pub fn finish(mut self) -> (Option<Program>, Vec<Action>) {
        if let Some(actions) = self.straight() {
            return (None, actions);
        }
        // A clock that is set whatever happens can as well be set at the end, where analyses see it.
        let sometimes = std::mem::take(&mut self.sometimes);
        let always = |a: &Action| matches!(a, Action::ResetClock { clock, .. } if !sometimes.contains(clock));
        let mut resets = Vec::new();
        for block in &mut self.blocks {
            let (clocks, others) = std::mem::take(&mut block.actions).into_iter().partition(always);
            block.actions = others;
            resets.extend::<Vec<Action>>(clocks);
        }
        (Some(self.program()), resets)
    }

    /// The actions, if there is no choice.
    fn straight(&self) -> Option<Vec<Action>> {
        let mut actions = Vec::new();
        let mut seen = vec![false; self.blocks.len()];
        let mut at = Some(0);
        while let Some(index) = at {
            if std::mem::replace(&mut seen[index], true) {
                return None;
            }
            let block = &self.blocks[index];
            actions.extend(block.actions.iter().cloned());
            at = match &block.exit {
                Exit::Goto(to) => to.map(|label| label.0),
                Exit::Branch(..) => return None,
            };
        }
        Some(actions)
    }

    /// One node for the actions of a block, one for its choice. The first node has no choice: which alternative it takes
    /// is decided before the step, and so before the sender's updates, which the choices of a receiver must see.
    fn program(&self) -> Program {
        let acts_first = |index: usize, block: &Block| index == 0 || !block.actions.is_empty();
        let mut entries = vec![None; self.blocks.len()];
        let mut order = vec![0];
        let mut count = 0u32;
        let mut at = 0;
        while at < order.len() {
            let index: usize = order[at];
            at += 1;
            if entries[index].is_some() {
                continue;
            }
            entries[index] = Some(count);
            let block = &self.blocks[index];
            let both = matches!(block.exit, Exit::Branch(..)) && acts_first(index, block);
            count += if both { 2 } else { 1 };
            match &block.exit {
                Exit::Goto(to) => order.extend(to.map(|label| label.0)),
                Exit::Branch(_, then, otherwise) => order.extend([then.0, otherwise.0]),
            }
        }
        let entry = |label: &Label| entries[label.0];
        let mut nodes = vec![ProgramNode::default(); count as usize];
        for (index, block) in self.blocks.iter().enumerate() {
            let Some(first) = entries[index] else { continue };
            let alternative = |guards: Vec<Expr>, actions: Vec<Action>, next: Option<u32>| Alternative {
                condition: Condition::None,
                guards,
                sync: Sync::None,
                actions,
                next,
            };
            let mut node = |at: u32, alternatives| {
                nodes[at as usize] = ProgramNode { alternatives, span: block.span };
            };
            match &block.exit {
                Exit::Goto(to) => {
                    let next = to.as_ref().and_then(entry);
                    node(first, vec![alternative(Vec::new(), block.actions.clone(), next)]);
                }
                Exit::Branch(condition, then, otherwise) => {
                    let mut at = first;
                    if acts_first(index, block) {
                        node(first, vec![alternative(Vec::new(), block.actions.clone(), Some(first + 1))]);
                        at += 1;
                    }
                    // The first alternative that is executable is taken: the second needs no condition.
                    let choice = vec![
                        alternative(vec![condition.clone()], Vec::new(), entry(then)),
                        alternative(Vec::new(), Vec::new(), entry(otherwise)),
                    ];
                    node(at, choice);
                }
            }
        }
        Program { nodes }
    }
}
