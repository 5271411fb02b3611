//! Statements as the user wrote them: with the names of macros, not with what they stand for.

use super::Parser;
use crate::ast::{Expr, ExprKind, StmtKind};
use crate::token::Token;
use bughound_ir::source::Span;
use std::sync::Arc;

impl Parser<'_> {
    /// The text of the statement that was read from the token `begin` on, if macros are in it and it is one step.
    ///
    /// What came out of a macro is shown as its call if the whole of it is in the statement: of a macro that stands for
    /// several statements each one is shown as it is.
    pub(super) fn written(&self, begin: usize, kind: &StmtKind) -> Option<Arc<str>> {
        if !is_one_step(kind) {
            return None;
        }
        let tokens = &self.tokens[begin..self.at];
        if tokens.iter().all(|token| token.macro_id == 0) {
            return None;
        }
        let around = &self.tokens[begin.saturating_sub(1)..self.tokens.len().min(self.at + 1)];
        let calls = outermost(around);
        let call_of = |token: &Token| calls.iter().copied().find(|call| is_within(token.span, *call));
        let cut = |token: Option<&Token>, call: Option<Span>| call.is_some() && token.and_then(call_of) == call;
        let before = begin.checked_sub(1).map(|at| &self.tokens[at]);
        let (mut text, mut end): (String, Option<Span>) = (String::new(), None);
        let mut shown = 0;
        for run in tokens.chunk_by(|a, b| call_of(a).is_some() && call_of(a) == call_of(b)) {
            let (call, is_first) = (call_of(&run[0]), std::ptr::eq(&run[0], &tokens[0]));
            let is_last = std::ptr::eq(&run[run.len() - 1], &tokens[tokens.len() - 1]);
            let is_part = is_first && cut(before, call) || is_last && cut(self.tokens.get(self.at), call);
            let written = call.filter(|_| !is_part).map_or("", |call| self.sources.text(call));
            if written.is_empty() {
                for token in run {
                    text.push_str(if is_apart(end, token.span, token) { " " } else { "" });
                    text.push_str(token.spelling(self.symbols));
                    end = Some(token.span);
                }
            } else {
                shown += 1;
                text.push_str(if is_apart(end, call.unwrap_or(run[0].span), &run[0]) { " " } else { "" });
                text.push_str(&written.split_whitespace().collect::<Vec<_>>().join(" "));
                end = call;
            }
        }
        if shown == 0 {
            return None;
        }
        let is_call = shown == 1 && tokens.iter().all(|token| call_of(token).is_some());
        let bare = matches!(kind, StmtKind::Expr(Expr { kind: ExprKind::Run(_), .. })) || is_call;
        // As other conditions are shown.
        let is_condition = matches!(kind, StmtKind::Expr(_)) && !bare && !text.starts_with('(');
        Some(if is_condition { format!("({text})").into() } else { text.into() })
    }
}

/// The places where macros are called, without those inside of the arguments of others.
fn outermost(tokens: &[Token]) -> Vec<Span> {
    let mut calls: Vec<Span> = Vec::new();
    for token in tokens.iter().filter(|token| token.macro_id != 0) {
        if !calls.iter().any(|call| is_within(token.span, *call)) {
            calls.retain(|call| !is_within(*call, token.span));
            calls.push(token.span);
        }
    }
    calls
}

fn is_within(inner: Span, outer: Span) -> bool {
    inner.file == outer.file && outer.start <= inner.start && inner.end <= outer.end
}

/// Is there a blank between what ended there and what stands here?
fn is_apart(end: Option<Span>, here: Span, token: &Token) -> bool {
    match end {
        None => false,
        Some(end) if end.file == here.file && end.end <= here.start => end.end < here.start,
        Some(_) => token.space_before,
    }
}

/// Is what the statement does shown as one step, by its text?
fn is_one_step(kind: &StmtKind) -> bool {
    use StmtKind::*;
    matches!(
        kind,
        Expr(_)
            | Assign { .. }
            | Increment(_)
            | Decrement(_)
            | Send(_)
            | Receive(_)
            | Assert(_)
            | Printf { .. }
            | Printm(_)
            | SetPriority { .. }
    )
}
