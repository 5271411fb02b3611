//! Textual models of UPPAAL: the text itself, or (first byte above 127) changes of tokens of a model that is one.
#![no_main]

use bughound::added::{AddedKind, AddedProperty};
use bughound::model::ModelOptions;
use bughound_fuzz::{facade, tokens};
use libfuzzer_sys::fuzz_target;

const MODELS: [&str; 4] = [
    include_str!("../../models/timed/fischer.xta"),
    include_str!("../../models/timed/csma_cd.xta"),
    include_str!("../../models/timed/critical_region.xta"),
    include_str!("../../models/timed/hanoi.xta"),
];

fuzz_target!(|data: &[u8]| {
    let query = |text: &str| AddedProperty { kind: AddedKind::Query, text: text.into() };
    let added = vec![query("A[] not deadlock"), query("E<> true")];
    let options = ModelOptions { added, ..ModelOptions::default() };
    let model = match data {
        [head @ 128..=255, changes @ ..] => {
            let text = tokens::mutate(MODELS[*head as usize % MODELS.len()], changes);
            facade::read("fuzz.xta", text.as_bytes(), &options)
        }
        text => facade::read("fuzz.xta", text, &options),
    };
    if let Some(model) = model {
        facade::answer(&model, "bfs");
    }
});
