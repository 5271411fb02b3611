//! The preprocessor alone, over arbitrary bytes: it must end without panic, and within its limits.
//!
//! The input is split at NUL bytes: the main file, the included files `a` and `b`, a definition of the command line. The
//! preprocessor is not public; its source files are compiled into this target.
#![no_main]
#![allow(dead_code)]

#[path = "../../crates/promela/src/diagnostics.rs"]
mod diagnostics;
#[path = "../../crates/promela/src/lexer.rs"]
mod lexer;
#[path = "../../crates/promela/src/preprocess/mod.rs"]
mod preprocess;
#[path = "../../crates/promela/src/token.rs"]
mod token;

use bughound_ir::source::SourceMap;
use libfuzzer_sys::{Corpus, fuzz_target};
use std::path::Path;
use token::TokenKind;

fuzz_target!(|data: &[u8]| -> Corpus {
    let mut parts = data.splitn(4, |b| *b == 0);
    let main = parts.next().unwrap_or_default();
    let (a, b) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let definition = parts.next().map(|d| String::from_utf8_lossy(d).into_owned());
    let reader = |path: &Path| match path.to_str() {
        Some("a") => Ok(a.to_vec()),
        Some("b") => Ok(b.to_vec()),
        _ => Err(std::io::Error::from(std::io::ErrorKind::NotFound)),
    };
    let mut options = preprocess::Options::default();
    if let Some(definition) = definition {
        match definition.split_once('=') {
            Some((name, value)) => options.defines.push((name.into(), Some(value.into()))),
            None => options.undefines.push(definition),
        }
    }
    let path = Path::new("main.pml");
    let Ok(text) = preprocess::decode(main, path) else { return Corpus::Reject };
    let mut sources = SourceMap::default();
    let file = sources.add(path, text);
    let (mut symbols, mut messages) = (token::Symbols::new(), diagnostics::Diagnostics::default());
    let macros = preprocess::Macros::default();
    let result = preprocess::preprocess(&mut sources, &mut symbols, &mut messages, file, &options, &reader, macros);

    let stopped = messages.stopped();
    assert!(result.tokens.len() <= 3 * preprocess::MAX_TOKENS + 1, "{} tokens", result.tokens.len());
    let (last, tokens) = result.tokens.split_last().expect("there is an end of input");
    assert_eq!(last.kind, TokenKind::EndOfInput);
    for token in tokens.iter().take(100_000) {
        assert!(!matches!(token.kind, TokenKind::EndOfInput | TokenKind::Newline), "{token:?}");
        let text = sources.get(token.span.file).map_or("", |f| &f.text);
        assert!(text.get(token.span.start as usize..token.span.end as usize).is_some(), "{token:?}");
        assert!(token.macro_id as usize <= result.origins.len());
        token.describe(&symbols);
    }
    let list = messages.into_list();
    assert!(!stopped || list.iter().any(|d| d.is_error()), "stopped without a reason");
    for message in &list {
        let spans = message.span.iter().chain(message.related.iter().map(|(span, _)| span));
        for span in spans {
            let (line, column) = (sources.line(*span), sources.column(*span));
            assert!(line >= 1 && column >= 1, "{message:?}");
        }
    }
    // Large outputs are no better than small ones, and slow.
    if result.tokens.len() > 100_000 { Corpus::Reject } else { Corpus::Keep }
});
