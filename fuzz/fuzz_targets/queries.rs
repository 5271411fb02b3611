//! Queries about a model that is given.
#![no_main]

use bughound::added::{AddedKind, AddedProperty};
use bughound::model::ModelOptions;
use bughound_fuzz::facade;
use libfuzzer_sys::fuzz_target;

const MODEL: &str = "
clock x; int[0,3] n; bool b; const int N = 2; int v[2]; chan c; broadcast chan s;
int f(int a) { return a + n; }
process P(const int i) {
  clock y; int w;
  state A { y <= 3 }, B, C; urgent C; init A;
  trans A -> B { guard y >= 1; sync c!; assign n := (n + 1) % 4, y := 0; },
    B -> A { assign w := f(i) % 5, v[i] := n; }, B -> C { guard x > 2; }, C -> A { assign x := 0, b := !b; };
}
process Q() { state A, B; init A; trans A -> B { sync c?; }, B -> A { sync s!; assign x := 0; }; }
P0 = P(0); P1 = P(1); R = Q();
system P0, P1, R;
";

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let added = vec![AddedProperty { kind: AddedKind::Query, text: text.into() }];
    let options = ModelOptions { added, ..ModelOptions::default() };
    if let Some(model) = facade::read("fuzz.xta", MODEL.as_bytes(), &options) {
        facade::answer(&model, "bfs");
    }
});
