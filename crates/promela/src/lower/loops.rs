//! `for` and `select`: what SPIN makes of them.

use bughound_ir::edge::{Action, Sync};
use bughound_ir::expr::{BinaryOp, Expr, Place};
use bughound_ir::source::{Diagnostic, Span};
use bughound_ir::types::ValueType;

use super::body::BodyLowering;
use super::elements::{ElemId, Jump, Op};
use super::expressions::name_of;
use super::symbols::Shape;
use crate::ast::{self, ExprKind};

/// Which option of a `select` loop comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SelectOrder {
    StepFirst,
    BreakFirst,
}

/// How a counting loop is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exit {
    Else,
    Break(SelectOrder),
}

impl BodyLowering<'_> {
    /// `v = from; do :: v <= to -> body; v++ :: else -> break od`, in SPIN's order of options.
    pub(super) fn for_loop(&mut self, statement: &ast::Stmt, for_loop: &ast::ForLoop) -> Option<ElemId> {
        let number = self.flow.new_loop();
        match &for_loop.over {
            ast::ForRange::Range { from, to } => {
                let place = self.scalar(&for_loop.var)?;
                let value = self.expr(from);
                let text = format!("{} = {}", name_of(&for_loop.var), from);
                let global = self.variable_is_global(&for_loop.var) || self.expr_is_global(from);
                self.add_assignment(place.clone(), value, for_loop.var.span, text, global);
                self.flow.open_sequence();
                let limit = self.expr(to);
                let text = format!("{} <= {}", name_of(&for_loop.var), to);
                let global = self.variable_is_global(&for_loop.var) || self.expr_is_global(to);
                let condition = Expr::binary(BinaryOp::LessEqual, Expr::read(place.clone()), limit);
                self.add_condition(condition, for_loop.var.span, text, global);
                self.loop_body(statement, place, &name_of(&for_loop.var), number, &for_loop.body)
            }
            ast::ForRange::In(over) => self.for_in(statement, for_loop, over, number),
        }
    }

    pub(super) fn for_in(
        &mut self,
        statement: &ast::Stmt,
        for_loop: &ast::ForLoop,
        over: &ast::VarRef,
        number: u32,
    ) -> Option<ElemId> {
        let variable = self.resolve(&for_loop.var)?;
        if matches!(variable.shape, Shape::Struct(_)) {
            return self.for_messages(statement, for_loop, over, number);
        }
        let place = self.scalar(&for_loop.var)?;
        let array = self.resolve(over)?;
        let Some(len) = array.whole_array else {
            self.error(Diagnostic::error(over.span, format!("`{}` is not an array", name_of(over))));
            return None;
        };
        let name = name_of(&for_loop.var);
        let global = self.variable_is_global(&for_loop.var);
        self.add_assignment(place.clone(), Expr::Const(0), for_loop.var.span, format!("{name} = 0"), global);
        self.flow.open_sequence();
        let condition = Expr::binary(BinaryOp::LessEqual, Expr::read(place.clone()), Expr::Const(len as i32 - 1));
        self.add_condition(condition, for_loop.var.span, format!("{name} <= {}", len - 1), global);
        self.loop_body(statement, place, &name, number, &for_loop.body)
    }

    /// Takes each message out and puts it back after the others.
    pub(super) fn for_messages(
        &mut self,
        statement: &ast::Stmt,
        for_loop: &ast::ForLoop,
        over: &ast::VarRef,
        number: u32,
    ) -> Option<ElemId> {
        let channel = self.channel(over);
        let message = self.find_variable(&over.root().name).and_then(|i| i.message.clone());
        let variable = self.resolve(&for_loop.var)?;
        match message.as_deref() {
            Some([shape]) if *shape == variable.shape => {}
            _ => {
                self.error(
                    Diagnostic::error(
                        over.span,
                        format!(
                            "`{}` does not hold messages of the type of `{}`",
                            name_of(over),
                            name_of(&for_loop.var)
                        ),
                    )
                    .help("the channel must be declared with this struct as its only field"),
                );
                return None;
            }
        }
        let counter = self.message_counter(statement.span);
        let places = self.scalars(&for_loop.var);
        self.add_assignment(counter.clone(), Expr::Const(0), statement.span, "for: first message".into(), false);
        self.flow.open_sequence();
        let length = Expr::Channel(bughound_ir::expr::ChannelQuery::Length, Box::new(channel.clone()));
        let condition = Expr::binary(BinaryOp::Less, Expr::read(counter.clone()), length);
        self.add_condition(condition, statement.span, format!("for: more messages in {}", name_of(over)), true);
        let patterns = places.iter().cloned().map(bughound_ir::expr::Pattern::Bind).collect();
        let receive = Sync::Receive { channel: channel.clone(), anywhere: false, keep: false, patterns };
        let fields = places.into_iter().map(Expr::read).collect();
        let send = Sync::Send { channel, sorted: false, fields };
        let (var, over) = (name_of(&for_loop.var), name_of(over));
        for (op, text) in [(Op::Receive(receive), format!("{over}?{var}")), (Op::Send(send), format!("{over}!{var}"))] {
            let element = self.flow.new_element(op, statement.span, text);
            self.flow.elem_mut(element).global = true;
            self.flow.add(element);
        }
        self.loop_body(statement, counter, "for", number, &for_loop.body)
    }

    /// The counter of a loop over messages. As in SPIN, the loops of a scope share one: its value stays in the state
    /// after a loop, so a counter for each would give more states.
    fn message_counter(&mut self, span: Span) -> Place {
        let scope = self.scopes.last().map_or(0, |(id, _)| *id);
        if let Some(counter) = self.message_counters.get(&scope) {
            return counter.clone();
        }
        let slot = self.template.allocate(1);
        self.template.variables.push(bughound_ir::types::Variable {
            name: format!("_for_{slot}"),
            ty: ValueType::Byte,
            slot,
            dims: Vec::new(),
            hidden: true,
            span,
        });
        let counter = Place::own(slot, ValueType::Byte);
        self.message_counters.insert(scope, counter.clone());
        counter
    }

    pub(super) fn loop_body(
        &mut self,
        statement: &ast::Stmt,
        counter: Place,
        name: &str,
        number: u32,
        body: &ast::Block,
    ) -> Option<ElemId> {
        self.loops.push(number);
        self.enter_scope();
        self.statements(&body.stmts);
        self.leave_scope();
        self.loops.pop();
        self.counting_loop(statement, counter, name, number, Exit::Else)
    }

    /// Ends the open sequence with `counter++` and makes the loop of it and of the option that leaves it.
    pub(super) fn counting_loop(
        &mut self,
        statement: &ast::Stmt,
        counter: Place,
        name: &str,
        number: u32,
        exit: Exit,
    ) -> Option<ElemId> {
        let more = Expr::binary(BinaryOp::Add, Expr::read(counter.clone()), Expr::Const(1));
        let global = counter.scope == bughound_ir::expr::Scope::Global;
        self.add_assignment(counter, more, statement.span, format!("{name}++"), global);
        let main = self.close(statement.span);
        self.flow.open_sequence();
        if exit == Exit::Else {
            let element = self.flow.new_element(Op::Else, statement.span, "else".into());
            self.flow.add(element);
        }
        let leave = self.flow.new_element(Op::Goto(Jump::Break(number)), statement.span, "break".into());
        self.flow.add(leave);
        let leave = self.close(statement.span);
        let options = match exit {
            Exit::Break(SelectOrder::StepFirst) => vec![main?, leave?],
            _ => vec![leave?, main?],
        };
        Some(self.flow.add_do(options, number, false, statement.span))
    }

    /// A choice of a value. SPIN writes a range of up to 33 literal values as an `if` with one option each, and a longer
    /// one as `do :: v < to -> v++ :: break od`, but only where it sees the literals, not inside an inline; all others
    /// become the same loop with the options the other way round.
    pub(super) fn select(&mut self, statement: &ast::Stmt, select: &ast::Select) -> Option<ElemId> {
        let literal = |e: &ast::Expr| match e.kind {
            ExprKind::Const { value, spelling: ast::ConstSpelling::Number } => Some(value),
            _ => None,
        };
        let plain = select.var.as_name().is_some_and(|n| n.name.bytes().all(|b| b.is_ascii_alphanumeric()));
        match (literal(&select.from), literal(&select.to)) {
            (Some(from), Some(to)) if plain && self.flow.calls.is_empty() => {
                if from > to {
                    self.error(Diagnostic::error(statement.span, format!("there is no value from {from} to {to}")));
                    return None;
                }
                let place = self.scalar(&select.var)?;
                let global = self.variable_is_global(&select.var);
                if to - from <= 32 {
                    return self.select_by_if(statement, place, &name_of(&select.var), global, from..=to);
                }
                self.select_by_loop(statement, select, SelectOrder::StepFirst)
            }
            _ => self.select_by_loop(statement, select, SelectOrder::BreakFirst),
        }
    }

    pub(super) fn select_by_if(
        &mut self,
        statement: &ast::Stmt,
        place: Place,
        name: &str,
        global: bool,
        values: std::ops::RangeInclusive<i32>,
    ) -> Option<ElemId> {
        let mut options = Vec::new();
        for value in values {
            self.flow.open_sequence();
            self.add_assignment(place.clone(), Expr::Const(value), statement.span, format!("{name} = {value}"), global);
            options.push(self.close(statement.span)?);
        }
        Some(self.flow.add_if(options, statement.span))
    }

    pub(super) fn select_by_loop(
        &mut self,
        statement: &ast::Stmt,
        select: &ast::Select,
        order: SelectOrder,
    ) -> Option<ElemId> {
        let place = self.scalar(&select.var)?;
        let name = name_of(&select.var);
        let value = self.expr(&select.from);
        let variable_global = self.variable_is_global(&select.var);
        let global = variable_global || self.expr_is_global(&select.from);
        self.add_assignment(place.clone(), value, select.var.span, format!("{name} = {}", select.from), global);
        self.flow.open_sequence();
        let limit = self.expr(&select.to);
        let global = variable_global || self.expr_is_global(&select.to);
        let condition = Expr::binary(BinaryOp::Less, Expr::read(place.clone()), limit);
        self.add_condition(condition, select.var.span, format!("{name} < {}", select.to), global);
        let number = self.flow.new_loop();
        self.counting_loop(statement, place, &name, number, Exit::Break(order))
    }

    pub(super) fn add_assignment(&mut self, target: Place, value: Expr, span: Span, text: String, global: bool) {
        let element = self.flow.new_element(Op::Act(Action::Assign { target, value }), span, text);
        self.flow.elem_mut(element).global = global;
        self.flow.add(element);
    }

    pub(super) fn add_condition(&mut self, expr: Expr, span: Span, text: String, global: bool) {
        let element = self.flow.new_element(Op::Condition { expr, literal: None }, span, text);
        self.flow.elem_mut(element).global = global;
        self.flow.add(element);
    }
}
