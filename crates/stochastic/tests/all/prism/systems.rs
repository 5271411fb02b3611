//! Which commands happen together.

use bughound_stochastic::tree::{Model, Rewarded};

use super::{error, model};

const MODULES: &str = "mdp module one x:[0..1]; [a] true -> true; [b] x=5 -> true; [] true -> true; endmodule \
    module two y:bool; [a] true -> true; [c] true -> true; [a] y -> true; endmodule \
    module three z:bool; [b] true -> true; [c] true -> true; endmodule ";

/// `name: module.action …` of every vector.
fn vectors(model: &Model) -> Vec<String> {
    let action = |number: u32| ["a", "b", "c"][number as usize];
    let mut list: Vec<String> = model
        .vectors
        .iter()
        .map(|vector| {
            let parts = vector.parts.iter();
            let parts: Vec<String> =
                parts.map(|(module, a)| format!("{}.{}", model.automata[*module as usize].name, action(a.0))).collect();
            format!("{}: {}", vector.name.as_deref().unwrap_or("-"), parts.join(" "))
        })
        .collect();
    list.sort();
    list
}

fn composed(system: &str) -> Vec<String> {
    vectors(&model(&format!("{MODULES} system {system} endsystem")))
}

#[test]
fn without_a_system_all_take_part() {
    let model = model(MODULES);
    assert_eq!(vectors(&model), ["a: one.a two.a", "b: one.b three.b", "c: two.c three.c"]);
    assert_eq!(model.automata[0].edges[2].action, None);
}

#[test]
fn operators() {
    let everything = ["a: one.a two.a", "b: one.b three.b", "c: two.c three.c"];
    assert_eq!(composed("one || two || three"), everything);
    assert_eq!(composed("one || (two || three)"), everything);
    let apart = ["a: one.a", "a: two.a", "b: one.b", "b: three.b", "c: three.c", "c: two.c"];
    assert_eq!(composed("one ||| two ||| three"), apart);
    assert_eq!(
        composed("(one |[a]| two) ||| three"),
        ["a: one.a two.a", "b: one.b", "b: three.b", "c: three.c", "c: two.c"]
    );
    // `|||` binds more strongly than `||`, `|[…]|` more strongly than both.
    let mixed = ["a: one.a two.a", "b: one.b three.b", "c: three.c", "c: two.c"];
    assert_eq!(composed("one || two ||| three"), mixed);
    assert_eq!(
        composed("one ||| two |[c]| three"),
        ["a: one.a", "a: two.a", "b: one.b", "b: three.b", "c: two.c three.c"]
    );
}

#[test]
fn hiding_and_renaming() {
    assert_eq!(composed("(one || two) / {a} || three"), ["-: one.a two.a", "b: one.b three.b", "c: two.c three.c"]);
    // Hidden actions do not meet anybody any more.
    assert_eq!(composed("one/{a} || two || three"), ["-: one.a", "a: two.a", "b: one.b three.b", "c: two.c three.c"]);
    assert_eq!(composed("one{b<-c} || two || three"), ["a: one.a two.a", "b: three.b", "c: one.b two.c three.c"]);
    // Two actions of one module under one name: each of them meets the other side.
    assert_eq!(
        composed("one{b<-a} || two ||| three"),
        ["a: one.a two.a", "a: one.b two.a", "b: three.b", "c: three.c", "c: two.c"]
    );
}

#[test]
fn an_action_that_nobody_offers_blocks() {
    // `three` has no a: what has to happen together with it never happens.
    assert_eq!(composed("(one ||| two) |[a]| three"), ["b: one.b", "b: three.b", "c: three.c", "c: two.c"]);
    // And it stays blocked further out: the alphabet still has it.
    let blocked = "((one |[c]| three) || two)";
    assert_eq!(composed(blocked), ["a: one.a two.a", "b: one.b", "b: three.b"]);
}

#[test]
fn rewards_of_renamed_actions() {
    let text = format!(
        "{MODULES} rewards [c] true : 1; [a] true : 2; endrewards system one/{{a}} ||| two/{{a}} ||| three endsystem"
    );
    let items = model(&text).rewards[0].items.clone();
    assert_eq!(items.len(), 1);
    assert!(matches!(items[0].of, Rewarded::Vector(_)));
}

#[test]
fn errors_of_systems() {
    let said = |system: &str| error(&format!("{MODULES} system {system} endsystem"));
    assert!(said("one || two").contains("the module `three` is not part of the system"));
    assert!(said("one || two || three || one").contains("`one` stands in the system twice"));
    assert!(said("one || two || tree").contains("did you mean `three`?"));
    assert!(said("(one || two) / {q} || three").contains("there is no action `q`"));
    assert!(said("one{q<-a} || two || three").contains("there is no action `q`"));
    assert!(said("one |[q]| two || three").contains("there is no action `q`"));
    assert!(said("one || ").contains("expected a module or `(`"));
    assert!(said("one || two || three ||").contains("expected a module"));
    assert!(error(&format!("{MODULES} system one || two || three")).contains("expected `endsystem`"));
}
