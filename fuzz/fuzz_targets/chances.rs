//! Questions about chances, in PRISM's language, about models that are given: one of each kind.
#![no_main]

use bughound::added::{AddedKind, AddedProperty};
use bughound::language::Language;
use bughound::model::ModelOptions;
use bughound_fuzz::facade;
use libfuzzer_sys::fuzz_target;

const BODY: &str = "
const int N = 2; const double p = 0.25; formula f = x + 1;
module a
  x : [0..3]; b : bool;
  [s] x<3 -> p : (x'=x+1) + 1-p : (x'=0) & (b'=!b);
  [t] x=3 -> (x'=1);
  [] b -> (b'=false);
endmodule
label \"l\" = x=N;
rewards \"r\" x>0 : 1; [s] true : 1/3; endrewards
rewards b : 2; endrewards
";

// The first byte chooses the kind of the model, the rest is a property file.
fuzz_target!(|data: &[u8]| {
    let Some((head, text)) = data.split_first() else { return };
    let Ok(text) = std::str::from_utf8(text) else { return };
    let kind = ["dtmc", "ctmc", "mdp"][*head as usize % 3];
    let added = vec![AddedProperty { kind: AddedKind::Queries, text: text.into() }];
    let options = ModelOptions { added, ..ModelOptions::default() };
    let model = format!("{kind}{BODY}");
    if let Some(model) = facade::read_as(Language::Prism, "fuzz.prism", model.as_bytes(), &options) {
        facade::answer(&model, "bfs");
    }
});
