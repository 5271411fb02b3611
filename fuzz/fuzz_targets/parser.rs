//! The parser, over arbitrary text and over lists of tokens: no panic, and what is printed can be read again.
//!
//! The first byte chooses: 1 takes every further byte for a token, 2 takes them for the tokens of a formula, 3 for those
//! of statements in a small model, anything else is text.
#![no_main]

use bughound_fuzz::{tokens, tree};
use bughound_ir::source::{Diagnostic, SourceMap};
use bughound_promela::ast::{Item, Ltl, Model, StmtKind};
use bughound_promela::{Definitions, Options, ParseResult, parse, parse_formula};
use libfuzzer_sys::fuzz_target;
use std::path::Path;
use std::sync::LazyLock;

fuzz_target!(|data: &[u8]| {
    match data {
        [1, rest @ ..] => model(tokens::text(rest).as_bytes()),
        [2, rest @ ..] => {
            outside_formula(&tokens::text(rest));
            model(format!("proctype P() {{ L: skip }} ltl {{ {} }}", tokens::text(rest)).as_bytes());
        }
        [3, rest @ ..] => {
            let body = tokens::text(rest);
            model(format!("mtype = {{ a, b, m }} byte x, y; chan q = [1] of {{ byte }}; typedef T {{ int a }}\ninline f(a, b) {{ x = a; y = b }}\nproctype P(byte x) {{ L: skip }} init {{ {body} }}").as_bytes());
        }
        text => {
            model(text);
            if let Ok(text) = std::str::from_utf8(text) {
                outside_formula(text);
            }
        }
    }
});

fn read(text: &[u8]) -> (SourceMap, ParseResult) {
    let mut sources = SourceMap::default();
    let no_files = |_: &Path| Err(std::io::Error::from(std::io::ErrorKind::NotFound));
    let result = parse(&mut sources, "a.pml", text, &Options::default(), &no_files);
    (sources, result)
}

/// Places of messages must exist.
fn check(sources: &SourceMap, messages: &[Diagnostic]) {
    for message in messages {
        for span in message.span.iter().chain(message.related.iter().map(|(span, _)| span)) {
            assert!(sources.line(*span) >= 1 && sources.column(*span) >= 1, "{message:?}");
            sources.text(*span);
        }
    }
}

fn model(text: &[u8]) {
    let (sources, result) = read(text);
    check(&sources, &result.diagnostics);
    assert_eq!(result.ast.is_none(), result.diagnostics.iter().any(Diagnostic::is_error), "{:?}", result.diagnostics);
    let Some(model) = &result.ast else { return };
    print_again(model);
}

fn outside_formula(text: &str) {
    static MODEL: LazyLock<(SourceMap, ParseResult)> =
        LazyLock::new(|| read(b"#define p (x > 0)\nint x; proctype P() { int y; L: skip }"));
    let (mut sources, result) = (MODEL.0.clone(), &MODEL.1);
    let (found, messages) = parse_formula(&mut sources, "--ltl", text, &result.definitions);
    check(&sources, &messages);
    assert_eq!(found.is_none(), messages.iter().any(Diagnostic::is_error), "{messages:?}");
    if let Some(formula) = found {
        formula_again(&formula, &result.definitions);
    }
}

/// The head of a model in which statements of `model` can be read again.
fn prelude(model: &Model) -> String {
    let mut text = String::new();
    for item in &model.items {
        match item {
            Item::Proctype(p) => text += &format!("proctype {}() {{ skip }}\n", p.name.name),
            Item::Typedef(t) => text += &format!("typedef {} {{ int zz }}\n", t.name.name),
            _ => {}
        }
    }
    text
}

/// Prints statements and formulas of a model, and reads them again: the tree must be the same.
fn print_again(model: &Model) {
    let prelude = prelude(model);
    let mut budget = 40;
    tree::simple_statements(model, &mut |stmt, in_claim| {
        let text = stmt.to_string();
        budget -= 1;
        if budget < 0 {
            return;
        }
        let whole = match in_claim {
            true => format!("{prelude}never {{ {text}\n}}"),
            false => format!("{prelude}init {{ {text}\n}}"),
        };
        let (_, again) = read(whole.as_bytes());
        let Some(again) = again.ast else {
            if too_deep(&again.diagnostics) {
                return;
            }
            panic!("`{text}` cannot be read again: {:?}", again.diagnostics);
        };
        let mut found = None;
        tree::simple_statements(&again, &mut |s, _| {
            if s.to_string() == text {
                found = Some(s.clone());
            }
        });
        let Some(found) = found else { panic!("`{text}` is not printed in the same way again") };
        match (&stmt.kind, &found.kind) {
            (StmtKind::Expr(a), StmtKind::Expr(b))
            | (StmtKind::Assert(a), StmtKind::Assert(b))
            | (StmtKind::Assign { value: a, .. }, StmtKind::Assign { value: b, .. }) => {
                assert_eq!(tree::expression(a), tree::expression(b), "`{text}`");
            }
            (StmtKind::Send(a), StmtKind::Send(b)) => {
                assert_eq!(a.sorted, b.sorted, "`{text}`");
                assert!(a.args.iter().map(tree::expression).eq(b.args.iter().map(tree::expression)), "`{text}`");
            }
            (StmtKind::Receive(a), StmtKind::Receive(b)) => {
                assert_eq!((a.random, a.copy, a.args.len()), (b.random, b.copy, b.args.len()), "`{text}`");
            }
            (a, b) => assert_eq!(std::mem::discriminant(a), std::mem::discriminant(b), "`{text}`"),
        }
    });
    let (_, base) = read(prelude.as_bytes());
    for item in &model.items {
        if let Item::Ltl(block) = item
            && base.ast.is_some()
        {
            formula_again(&block.formula, &base.definitions);
        }
    }
}

/// Printing adds parentheses, and so may go beyond the limit of nesting.
fn too_deep(messages: &[Diagnostic]) -> bool {
    messages.iter().any(|m| m.message.contains("nested too deeply") || m.message.contains("too large"))
}

fn formula_again(formula: &Ltl, definitions: &Definitions) {
    let text = formula.to_string();
    let (again, messages) = parse_formula(&mut SourceMap::default(), "again", &text, definitions);
    let Some(again) = again else {
        assert!(too_deep(&messages), "`{text}` cannot be read again: {messages:?}");
        return;
    };
    assert_eq!(tree::formula(formula), tree::formula(&again), "`{text}`");
}
