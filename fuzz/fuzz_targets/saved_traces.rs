//! Saved traces of an untimed and of a timed model: whatever a file says, its replay ends in a trace or in an error.
#![no_main]

use std::sync::LazyLock;

use bughound::added::{AddedKind, AddedProperty};
use bughound::check::{CheckRequest, check};
use bughound::language::Language;
use bughound::model::{Model, ModelOptions, load_text};
use bughound::run::Hooks;
use bughound::saved_trace::{Origin, options_of, replay_saved};
use bughound_trace::{SavedTrace, TextOptions, TraceDocument, render_text};
use libfuzzer_sys::fuzz_target;

const UNTIMED: &str = "byte x; chan c = [1] of { byte }; \
    active proctype P() { do :: c!x; x = (x + 1) % 3 :: x == 2 -> assert(x != 2) od } \
    active proctype Q() { byte y; do :: c?y :: skip od } ltl p { [] <> (x == 1) }";
const TIMED: &str = "clock x; int n; process P() { clock y; state A { y <= 2 }, B; init A; \
    trans A -> B { guard y >= 1; assign n := n + 1, x := 0; }, B -> A { guard x > 1; assign y := 0; }; } \
    P0 = P(); P1 = P(); system P0, P1;";

/// A model with saved traces of it, by which the fuzzer learns what they look like.
struct Known {
    model: Model,
    traces: Vec<String>,
}

fn known(file: &str, text: &str, language: Language, added: Vec<AddedProperty>) -> Known {
    let options = ModelOptions { added, ..ModelOptions::default() };
    let model = load_text(file, text.as_bytes(), language, &options).expect("it is a model");
    let origin = Origin::of(&model, &options);
    let traces = all_properties(&model).into_iter().flat_map(|property| {
        let request = CheckRequest { selection: vec![property], ..CheckRequest::default() };
        let report = check(&model, &request, Hooks::default()).expect("it can be checked");
        report.properties.iter().filter_map(|p| origin.save(p)).map(|saved| saved.to_text()).collect::<Vec<_>>()
    });
    let traces = traces.collect();
    Known { model, traces }
}

fn all_properties(model: &Model) -> Vec<String> {
    bughound::properties::all(&model.network).into_iter().map(|asked| asked.name).collect()
}

static KNOWN: LazyLock<[Known; 2]> = LazyLock::new(|| {
    let query = |text: &str| AddedProperty { kind: AddedKind::Query, text: text.into() };
    let queries = ["E<> P0.B and P1.B and n > 2", "A<> n > 3", "A[] n < 3"].map(query).to_vec();
    let reach = AddedProperty { kind: AddedKind::Reach, text: "x == 2".into() };
    [
        known("untimed.pml", UNTIMED, Language::Promela, vec![reach]),
        known("timed.xta", TIMED, Language::Uppaal, queries),
    ]
});

// Even inputs are files; others choose one of the known traces and change single characters of it: 4 bytes for each change.
fuzz_target!(|data: &[u8]| {
    let Some((head, rest)) = data.split_first() else { return };
    let known = &KNOWN[*head as usize % 2];
    let text = if head & 2 == 0 {
        String::from_utf8_lossy(rest).into_owned()
    } else {
        let mut text = known.traces[(*head as usize >> 2) % known.traces.len()].clone().into_bytes();
        // What is only shown is the longest part and not looked at.
        let most = text.windows(8).position(|part| part == b"\"shown\":").unwrap_or(text.len()).max(1);
        for change in rest.chunks_exact(4).take(8) {
            let at = u16::from_le_bytes([change[1], change[2]]) as usize % most;
            match change[0] % 3 {
                0 => text[at] = change[3] & 127,
                1 => text.insert(at, change[3] & 127),
                _ => drop(text.remove(at)),
            }
        }
        String::from_utf8_lossy(&text).into_owned()
    };
    // As it is, then with the seal that it deserves: the seal must not be all that stands between a file and a panic.
    let _ = SavedTrace::from_text(&text);
    let Ok(mut saved) = serde_json::from_str::<SavedTrace>(&text) else { return };
    saved.fingerprint = bughound::saved_trace::fingerprint(&known.model);
    let saved = SavedTrace::from_text(&saved.to_text());
    let Ok(saved) = saved else { return };
    let _ = options_of(&saved);
    if let Ok((trace, _)) = replay_saved(&saved, &known.model) {
        render_text(&trace, &TextOptions::default());
        let _ = serde_json::to_string(&TraceDocument::from(&trace));
    }
});
