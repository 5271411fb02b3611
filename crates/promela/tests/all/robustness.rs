//! Whatever the bytes are, the parser answers: broken and random texts, with fixed seeds.

use bughound_ir::source::SourceMap;
use bughound_kernel::Random;
use bughound_promela::{Options, parse};
use std::io;
use std::path::Path;

const MODELS: &[&str] = &[
    "#define N 3\n#define inc(x) x = (x + 1) % N\n#ifdef DEBUG\n#include \"debug.h\"\n#endif\n\
     mtype = { req, ack }; mtype:kind = { k1, k2 }\ntypedef Msg { mtype m; byte data[2] }\n\
     chan q[2] = [2] of { mtype, byte, Msg }; hidden unsigned u : 3 = 2; int arr[3] = {1, 2, 3};\n\
     inline send(c, v) { atomic { c!req(v, m); inc(x) } }\n\
     active [2] proctype P(byte id) priority 2 provided (x > 0) {\n  byte x = 1; Msg m; xr q[0];\nend: do\n\
     :: q[0]?req(x, m) -> send(q[1], x)\n  :: q[1]??<eval(x), _, _>; x++\n  :: len(q[0]) > 1 && nfull(q[1]) -> \n\
     d_step { x = (x > 1 -> x - 1 : 0); assert(x >= 0) }\n  :: else -> break\n  od unless { timeout };\n\
     for (x : 0 .. N - 1) { select (id : 1 .. 4); printf(\"%d\\n\", arr[x]) }\n}\n\
     init { atomic { run P(1); run P(2) priority 3 }; _nr_pr == 1 }\n\
     never { T0: do :: P[1]@end && P[2]:x == 1 -> goto T0 :: np_ od }\n\
     ltl safe { [] (x < 3 -> <> (q[0]?[req] U !timeout)) && (a W b) }\n",
    "inline f(a, b) { if :: a -> return b :: else -> return a fi }\nint x\ninit { x = f(1, 2)\n x++\n f2: goto f2 }\n\
     trace { do :: q!a(1) :: q?b,_ od }\n#if defined(A) && (B > 2 || !C)\n#elif 1 ? 2 : 3\n#else\n#endif\n\
     #define cat(a, b) a ## b #a\n#define str(a...) #a\n",
];

const MARKS: &[u8] = b"(){}[]<>;:,.!?@#\"'\\/*-+&|=\0\xff";

/// Parses and checks what must hold for every input.
fn check(bytes: &[u8]) {
    let mut sources = SourceMap::default();
    let reader = |path: &Path| match path.to_str() {
        Some("debug.h") => Ok(b"int debug;\n".to_vec()),
        _ => Err(io::Error::from(io::ErrorKind::NotFound)),
    };
    let result = parse(&mut sources, "x.pml", bytes, &Options::default(), &reader);
    let failed = result.diagnostics.iter().any(|d| d.is_error());
    assert_eq!(failed, result.ast.is_none());
    for diagnostic in &result.diagnostics {
        let spans = diagnostic.span.into_iter().chain(diagnostic.related.iter().map(|(span, _)| *span));
        for span in spans {
            let file = sources.get(span.file).expect("a known file");
            assert!(span.start <= span.end && span.end as usize <= file.text.len(), "{diagnostic:?}");
            assert!(file.text.is_char_boundary(span.start as usize) && file.text.is_char_boundary(span.end as usize));
        }
    }
}

#[test]
fn the_originals_are_fine() {
    for text in MODELS {
        let mut sources = SourceMap::default();
        let no_files = |_: &Path| Err(io::Error::from(io::ErrorKind::NotFound));
        let result = parse(&mut sources, "x.pml", text.as_bytes(), &Options::default(), &no_files);
        assert!(result.ast.is_some(), "{:?}", result.diagnostics);
    }
}

#[test]
fn truncated_texts() {
    for text in MODELS {
        for end in 0..text.len() {
            check(&text.as_bytes()[..end]);
            check(&text.as_bytes()[end..]);
        }
    }
}

#[test]
fn mutated_texts() {
    let mut random = Random::new(0x9E37_79B9_7F4A_7C15);
    let pieces: Vec<&str> = MODELS.iter().flat_map(|m| m.split_inclusive(|c: char| !c.is_alphanumeric())).collect();
    for _ in 0..4000 {
        let mut bytes = MODELS[random.below(MODELS.len())].as_bytes().to_vec();
        for _ in 0..=random.below(6) {
            let at = random.below(bytes.len());
            match random.below(5) {
                0 => bytes[at] = random.draw() as u8,
                1 => {
                    let end = (at + random.below(20)).min(bytes.len());
                    bytes.drain(at..end);
                }
                2 => {
                    let piece = pieces[random.below(pieces.len())].bytes();
                    bytes.splice(at..at, piece);
                }
                3 => {
                    let end = (at + random.below(60)).min(bytes.len());
                    let copy = bytes[at..end].to_vec();
                    let to = random.below(bytes.len());
                    bytes.splice(to..to, copy);
                }
                _ => bytes.insert(at, MARKS[random.below(MARKS.len())]),
            }
        }
        check(&bytes);
    }
}

#[test]
fn shuffled_pieces() {
    let mut random = Random::new(42);
    let pieces: Vec<&str> = MODELS.iter().flat_map(|m| m.split_inclusive(|c: char| !c.is_alphanumeric())).collect();
    for _ in 0..1500 {
        let text: String = (0..random.below(200)).map(|_| pieces[random.below(pieces.len())]).collect();
        check(text.as_bytes());
    }
}

#[test]
fn random_bytes() {
    let mut random = Random::new(7);
    for _ in 0..1500 {
        let bytes: Vec<u8> = (0..random.below(400)).map(|_| random.draw() as u8).collect();
        check(&bytes);
    }
}

#[test]
fn odd_but_valid_text() {
    check(b"");
    check(b"\xef\xbb\xbfint x;\r\nint y;\r\n");
    check("/* Übung \u{1F41E} */ int x;".as_bytes());
    check(b"/* latin1 \xe4\xf6 */ int x;");
}
