//! Models in UPPAAL's XML format, and what is asked about them.
#![no_main]

use bughound::model::ModelOptions;
use bughound_fuzz::facade;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    if let Some(model) = facade::read("fuzz.xml", data, &ModelOptions::default()) {
        facade::answer(&model, "bfs");
    }
});
