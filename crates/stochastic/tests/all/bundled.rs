//! The bundled models, whole and with single words removed, exchanged and repeated: whatever stands there, reading and lowering
//! come to an end without a panic, and say what is wrong at a place that exists.

use std::path::{Path, PathBuf};

use bughound_ir::source::{Diagnostic, SourceMap};
use bughound_stochastic::lower::lower;
use bughound_stochastic::{jani, prism};

/// xorshift64*: the same changes every time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % bound.max(1)
    }
}

fn bundled() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/probabilistic");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

fn ending(path: &Path) -> &str {
    path.extension().and_then(|ending| ending.to_str()).unwrap_or_default()
}

/// Was there a network?
fn read(path: &Path, text: &str) -> bool {
    let declared = |name: &str| text.contains(&format!(" {name};"));
    let given = [("N", "2"), ("K", "1"), ("p", "0.25")];
    let constants: Vec<(String, String)> = given
        .iter()
        .filter(|(name, _)| declared(name))
        .map(|(name, value)| (name.to_string(), value.to_string()))
        .collect();
    let mut sources = SourceMap::default();
    let (model, diagnostics) = match ending(path) {
        "jani" => {
            let result = jani::read(&mut sources, path, text.as_bytes(), &constants);
            (result.model, result.diagnostics)
        }
        "props" | "pctl" | "csl" => {
            let model = b"mdp module m s : [0..9]; number : [0..7]; left : [0..2]; lost : bool; endmodule label \"done\" = s=1;";
            let mut reader = prism::Reader::default();
            reader.model("m.prism", model);
            reader.properties(path, text.as_bytes());
            let result = reader.finish(&[]);
            sources = (*result.sources).clone();
            (result.model, result.diagnostics)
        }
        _ => {
            let result = prism::read(&mut sources, path, text.as_bytes(), &constants);
            (result.model, result.diagnostics)
        }
    };
    for message in &diagnostics {
        for span in message.span.iter().chain(message.related.iter().map(|(span, _)| span)) {
            assert!(sources.line(*span) >= 1 && sources.column(*span) >= 1, "{message:?}\n{text}");
        }
    }
    let Some(model) = model else {
        assert!(diagnostics.iter().any(Diagnostic::is_error), "refused without a reason: {}\n{text}", path.display());
        return false;
    };
    let lowered = lower(&model);
    assert_eq!(lowered.network.is_none(), lowered.diagnostics.iter().any(Diagnostic::is_error), "{text}");
    lowered.network.is_some()
}

#[test]
fn bundled_models_are_read() {
    for path in bundled().iter().filter(|path| !["props", "pctl", "csl"].contains(&ending(path))) {
        assert!(read(path, &std::fs::read_to_string(path).unwrap()), "{}", path.display());
    }
}

#[test]
fn broken_copies_do_not_panic() {
    let mut dice = Dice(11);
    let mut networks = 0;
    for path in bundled() {
        let text = std::fs::read_to_string(&path).unwrap();
        let words: Vec<&str> =
            text.split_inclusive([' ', '\n', '(', ')', '=', '&', ';', '[', ']', '"', ':', ',', '{', '}']).collect();
        for _ in 0..150 {
            let mut words = words.clone();
            for _ in 0..1 + dice.below(3) {
                let (from, to) = (dice.below(words.len()), dice.below(words.len()));
                match dice.below(4) {
                    0 => drop(words.remove(from)),
                    1 => words.swap(from, to),
                    2 => words[to] = words[from],
                    _ => words.insert(to, words[from]),
                }
            }
            networks += usize::from(read(&path, &words.concat()));
        }
    }
    assert!(networks > 50, "only {networks} of the copies were models");
}
