//! The way from a text to its states: no panic on the way, and the engine agrees with the reference evaluator.
//!
//! An input that starts with a byte above 127 chooses a program of the random generator: that byte gives the length of the
//! walk, the next eight the seed, three the features, and each further four change a token. Anything else is the text of
//! a model.
#![no_main]

use bughound_fuzz::{tokens, walk};
use bughound_ir::source::{Diagnostic, SourceMap};
use bughound_promela::lower::{LowerOptions, lower};
use bughound_promela::{Options, parse};
use bughound_testkit::random_promela::{Features, generate};
use libfuzzer_sys::{Corpus, fuzz_target};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Inputs, inputs that became a network, states compared.
static COUNTS: [AtomicU64; 3] = [const { AtomicU64::new(0) }; 3];

fuzz_target!(|data: &[u8]| -> Corpus {
    let number = COUNTS[0].fetch_add(1, Relaxed) + 1;
    if number.is_multiple_of(1 << 14) {
        let [_, networks, states] = COUNTS.each_ref().map(|c| c.load(Relaxed));
        eprintln!("{number} inputs, {networks} networks (with and without merging), {states} states compared");
    }
    match data {
        [head @ 128..=255, rest @ ..] => {
            let byte = |at: usize| rest.get(at).copied().unwrap_or(0);
            let seed = u64::from_le_bytes(std::array::from_fn(byte));
            let mask = u32::from_le_bytes([byte(8), byte(9), byte(10), 0]);
            let switches = Features::SWITCHES.iter().enumerate();
            let chosen = switches.filter(|(at, _)| mask >> at & 1 == 1);
            let features = chosen.fold(Features::CORE, |all, (_, (_, f))| all | *f);
            let text = generate(seed, &features);
            let changes = rest.get(11..).unwrap_or_default();
            let most = if *head & 7 == 7 { 1000 } else { 50 };
            if changes.len() < 4 {
                run(text.as_bytes(), most, features.has(Features::LOSSY), true)
            } else {
                run(tokens::mutate(&text, changes).as_bytes(), most, features.has(Features::LOSSY), false)
            }
        }
        text => run(text, 50, false, false),
    }
});

/// Takes a model through all stages. `legal`: the front end must accept it.
fn run(text: &[u8], most: usize, lossy_sends: bool, legal: bool) -> Corpus {
    let mut sources = SourceMap::default();
    let no_files = |_: &Path| Err(std::io::Error::from(std::io::ErrorKind::NotFound));
    let parsed = parse(&mut sources, "a.pml", text, &Options::default(), &no_files);
    let Some(ast) = parsed.ast else {
        assert!(!legal, "{:?}\n{}", parsed.diagnostics, String::from_utf8_lossy(text));
        return Corpus::Keep;
    };
    let hash = text.iter().fold(7u64, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x100000001b3));
    for merge in [true, false] {
        let lowered = lower(&ast, &sources, LowerOptions { merge, lossy_sends, ..LowerOptions::default() });
        let failed = lowered.diagnostics.iter().any(Diagnostic::is_error);
        assert_eq!(lowered.network.is_none(), failed, "{:?}", lowered.diagnostics);
        for message in &lowered.diagnostics {
            assert!(!message.message.contains("internal error"), "{message:?}\n{}", String::from_utf8_lossy(text));
        }
        let Some(network) = lowered.network else { return Corpus::Keep };
        if !legal && walk::has_program_loop(&network) && hash >> 32 & 63 != 0 {
            return Corpus::Reject;
        }
        let mut random = walk::Random(hash);
        let compared = walk::compare(&network, most, &mut random);
        let claims = walk::walk_claims(&network, 50, &mut random);
        match compared.and_then(|states| claims.map(|()| states)) {
            Ok(states) => {
                COUNTS[1].fetch_add(1, Relaxed);
                COUNTS[2].fetch_add(states as u64, Relaxed);
            }
            Err(difference) => panic!("merge {merge}: {difference}\n{}", String::from_utf8_lossy(text)),
        }
    }
    Corpus::Keep
}
