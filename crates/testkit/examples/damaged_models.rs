//! Models with probabilities that were damaged at random: read and checked with small limits. For machines without `cargo fuzz`.
//!
//! `cargo run --release -p bughound-testkit --example damaged_models -- SECONDS FOLDER…`
//!
//! Prints every input that makes Bughound panic, the slowest one, and the peak of memory. Exits with 1 after a panic, or if an input took
//! longer than [`MOST_SECONDS`].

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bughound::added::{AddedKind, AddedProperty};
use bughound::check::{CheckRequest, check};
use bughound::language::Language;
use bughound::machine::peak_memory;
use bughound::model::{ModelOptions, load_text};
use bughound::run::{Hooks, RunOptions};
use bughound_kernel::Limits;
use bughound_testkit::random_promela::Rng;

const LARGEST: usize = 60_000;
const MOST_SECONDS: f64 = 20.0;
const WORDS: [&str; 24] = [
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "\"",
    "'",
    "=",
    "->",
    "+",
    "-",
    "*",
    "/",
    ":",
    ";",
    "&",
    "|",
    "!",
    "0",
    "-1",
    "99999999999",
    "1e400",
    "module",
];

fn language(file: &Path) -> Option<Language> {
    match file.extension()?.to_str()? {
        "jani" => Some(Language::Jani),
        "prism" | "pm" | "nm" | "sm" => Some(Language::Prism),
        _ => None,
    }
}

fn collect(path: &Path, models: &mut Vec<(PathBuf, Language, Vec<u8>)>) {
    if let Ok(entries) = std::fs::read_dir(path) {
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        paths.iter().for_each(|path| collect(path, models));
    } else if let (Some(language), Ok(text)) = (language(path), std::fs::read(path))
        && text.len() <= LARGEST
    {
        models.push((path.to_path_buf(), language, text));
    }
}

/// Some bytes taken out, doubled, moved, changed, or put there from another text.
fn damaged(rng: &mut Rng, text: &[u8], other: &[u8]) -> Vec<u8> {
    let mut text = text.to_vec();
    for _ in 0..rng.weighted(&[(4, 1), (3, 2), (2, 5), (1, 20)]) {
        if text.is_empty() {
            break;
        }
        let at = rng.below(text.len());
        let end = (at + 1 + rng.below(40)).min(text.len());
        match rng.below(7) {
            0 => drop(text.drain(at..end)),
            1 => {
                let piece = text[at..end].to_vec();
                let to = rng.below(text.len());
                text.splice(to..to, piece);
            }
            2 => text[at] = rng.next_u64() as u8,
            3 => {
                let word = *rng.pick(&WORDS);
                text.splice(at..at, word.bytes());
            }
            4 => {
                let word = *rng.pick(&WORDS);
                text.splice(at..end, word.bytes());
            }
            5 if !other.is_empty() => {
                let from = rng.below(other.len());
                let piece = other[from..(from + 1 + rng.below(200)).min(other.len())].to_vec();
                text.splice(at..at, piece);
            }
            _ => {
                if text[at].is_ascii_digit() {
                    text[at] = b'0' + rng.below(10) as u8;
                } else {
                    text.truncate(at);
                }
            }
        }
    }
    text
}

fn read_and_check(language: Language, text: &[u8], rng: &mut Rng) -> bool {
    let queries = [
        "Pmax=? [ F \"deadlock\" ]",
        "P>=1/2 [ X \"init\" ]",
        "R{1}min=? [ C<=5 ]",
        "S=? [ true ]",
        "P=? [ F<=3 true ]",
    ];
    let added = queries.iter().filter(|_| rng.chance(40));
    let added = added.map(|text| AddedProperty { kind: AddedKind::Query, text: text.to_string() }).collect();
    let defines = [("N", "2"), ("K", "1"), ("p", "0.25")];
    let defines =
        defines.iter().filter(|_| rng.chance(50)).map(|(n, v)| (n.to_string(), Some(v.to_string()))).collect();
    let options = ModelOptions { added, defines, ..ModelOptions::default() };
    let Ok(model) = load_text("damaged", text, language, &options) else { return false };
    let until = Some(Instant::now() + Duration::from_secs(2));
    let limits = Limits { states: Some(3000), until, ..Limits::default() };
    let request = CheckRequest { run: RunOptions { limits, ..RunOptions::default() }, ..CheckRequest::default() };
    let _ = check(&model, &request, Hooks::default());
    true
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let seconds: u64 = words.first().and_then(|word| word.parse().ok()).unwrap_or(60);
    let mut models = Vec::new();
    words.iter().skip(1).for_each(|folder| collect(Path::new(folder), &mut models));
    println!("{} models", models.len());
    std::panic::set_hook(Box::new(|_| {}));
    let start = Instant::now();
    let (mut inputs, mut accepted, mut panics) = (0u64, 0u64, 0);
    let mut slowest = (0.0, String::new());
    while !models.is_empty() && start.elapsed().as_secs() < seconds {
        let mut rng = Rng::new(inputs);
        let (file, language, text) = rng.pick(&models).clone();
        let other = rng.pick(&models).2.clone();
        let text = damaged(&mut rng, &text, &other);
        let before = Instant::now();
        match catch_unwind(AssertUnwindSafe(|| read_and_check(language, &text, &mut rng))) {
            Ok(is_model) => accepted += u64::from(is_model),
            Err(_) => {
                panics += 1;
                println!("panic: input {inputs}, from {}\n{}", file.display(), String::from_utf8_lossy(&text));
            }
        }
        let took = before.elapsed().as_secs_f64();
        if took > slowest.0 {
            slowest = (took, format!("input {inputs}, from {}", file.display()));
        }
        inputs += 1;
    }
    println!("{inputs} inputs, {accepted} of them models, {panics} panics");
    println!("slowest: {:.1} s ({}); peak of memory: {} MB", slowest.0, slowest.1, peak_memory() >> 20);
    std::process::exit(i32::from(panics > 0 || slowest.0 > MOST_SECONDS));
}
