//! Models of PRISM: the text itself, or (first byte above 127) changes of tokens of a model that is one.
#![no_main]

use bughound::added::{AddedKind, AddedProperty};
use bughound::language::Language;
use bughound::model::ModelOptions;
use bughound_fuzz::{facade, tokens};
use libfuzzer_sys::fuzz_target;

const MODELS: [&str; 6] = [
    include_str!("../../models/probabilistic/die.pm"),
    include_str!("../../models/probabilistic/lossy_transfer.pm"),
    include_str!("../../models/probabilistic/leader_by_coins.pm"),
    include_str!("../../models/probabilistic/repair.sm"),
    include_str!("../../models/probabilistic/cheating_scheduler.nm"),
    include_str!("../../models/probabilistic/two_ladders.pm"),
];

fuzz_target!(|data: &[u8]| {
    let query = |text: &str| AddedProperty { kind: AddedKind::Query, text: text.into() };
    let added = vec![query("P<=0.5 [ F \"deadlock\" ]"), query("Pmax=? [ X \"init\" ]")];
    // Constants that a model does not have are errors, so inputs that are texts get none.
    let given = [("N", "2"), ("K", "1"), ("p", "0.25")];
    let model = match data {
        [head @ 128..=255, changes @ ..] => {
            let text = tokens::mutate(MODELS[*head as usize % MODELS.len()], changes);
            let constants = given.iter().filter(|(name, _)| text.contains(&format!(" {name};")));
            let defines = constants.map(|(name, value)| (name.to_string(), Some(value.to_string()))).collect();
            let options = ModelOptions { added, defines, ..ModelOptions::default() };
            facade::read_as(Language::Prism, "fuzz.prism", text.as_bytes(), &options)
        }
        text => {
            let options = ModelOptions { added, ..ModelOptions::default() };
            facade::read_as(Language::Prism, "fuzz.prism", text, &options)
        }
    };
    if let Some(model) = model {
        facade::answer(&model, "bfs");
    }
});
