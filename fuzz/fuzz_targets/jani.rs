//! JANI models: the file itself, or (first byte above 127) changes of tokens of a model that is one.
#![no_main]

use bughound::language::Language;
use bughound::model::ModelOptions;
use bughound_fuzz::{facade, tokens};
use libfuzzer_sys::fuzz_target;

const MODEL: &str = include_str!("../../models/probabilistic/die.jani");

fuzz_target!(|data: &[u8]| {
    let options = ModelOptions::default();
    let model = match data {
        [128..=255, changes @ ..] => {
            facade::read_as(Language::Jani, "fuzz.jani", tokens::mutate(MODEL, changes).as_bytes(), &options)
        }
        text => facade::read_as(Language::Jani, "fuzz.jani", text, &options),
    };
    if let Some(model) = model {
        facade::answer(&model, "bfs");
    }
});
