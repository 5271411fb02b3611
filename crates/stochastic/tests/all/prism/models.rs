//! What models say, construct by construct.

use bughound_ir::chance::Kind;
use bughound_stochastic::prism::{Reader, UndefinedConstant};
use bughound_stochastic::tree::{ExprKind, Initial, Model, Rewarded, StateType, Type};

use super::{error, error_with, model, model_with, printed};

fn guards(model: &Model, automaton: usize) -> Vec<String> {
    model.automata[automaton].edges.iter().map(|edge| printed(&edge.guard, model)).collect()
}

/// `action|guard|chance: x:=e, … + …` of every command.
fn commands(model: &Model, automaton: usize) -> Vec<String> {
    let edges = model.automata[automaton].edges.iter();
    edges
        .map(|edge| {
            let destinations: Vec<String> = edge
                .destinations
                .iter()
                .map(|destination| {
                    let chance = destination.chance.as_ref().map_or("-".into(), |chance| printed(chance, model));
                    let writes = destination.phases.iter().flatten().map(|assignment| {
                        let name = &model.variables[assignment.target.variable.0 as usize].name;
                        format!("{name}:={}", printed(&assignment.value, model))
                    });
                    format!("{chance}: {}", writes.collect::<Vec<_>>().join(","))
                })
                .collect();
            let action = edge.action.map_or("-".into(), |action| action.0.to_string());
            format!("{action}|{}|{}", printed(&edge.guard, model), destinations.join(" + "))
        })
        .collect()
}

#[test]
fn kinds() {
    let kind = |word: &str| model(&format!("{word} module m x:bool; [] true -> true; endmodule")).kind;
    for word in ["dtmc", "probabilistic"] {
        assert_eq!(kind(word), Kind::Dtmc);
    }
    for word in ["ctmc", "stochastic"] {
        assert_eq!(kind(word), Kind::Ctmc);
    }
    for word in ["mdp", "nondeterministic", ""] {
        assert_eq!(kind(word), Kind::Mdp);
    }
    // The order of declarations is free.
    assert_eq!(model("module m x:[0..N]; endmodule const N=2; ctmc").kind, Kind::Ctmc);
}

#[test]
fn kinds_that_are_refused() {
    for word in ["pta", "smg", "pomdp", "popta", "idtmc", "imdp"] {
        assert!(error(&format!("{word} module m endmodule")).contains(&format!("`{word}` models")), "{word}");
    }
    assert!(error("mdp module m x : clock; endmodule").contains("clocks (`x : clock`) are not supported"));
    assert!(
        error("mdp module m x : bool; invariant x endinvariant endmodule").contains("`invariant` is not supported")
    );
    assert!(error("mdp observables x endobservables").contains("`observables` is not supported"));
    assert!(error("mdp module m x:bool; [] true -> [0.1,0.2] : (x'=true); endmodule").contains("intervals"));
    assert!(error("dtmc ctmc").contains("said twice"));
    assert!(error("modul m").contains("did you mean `module`?"));
}

#[test]
fn variables_and_their_first_values() {
    let model = model(
        "mdp const int N = 3; global g : [2..N]; module m a : bool; b : bool init true; c : int; d : [-1..N*2] init N; endmodule",
    );
    let told: Vec<(&str, StateType, Option<u32>)> =
        model.variables.iter().map(|v| (v.name.as_str(), v.ty, v.owner)).collect();
    let int = |lo, hi| StateType::Int { lo, hi };
    assert_eq!(
        told,
        [
            ("g", int(2, 3), None),
            ("a", StateType::Bool, Some(0)),
            ("b", StateType::Bool, Some(0)),
            ("c", int(i32::MIN, i32::MAX), Some(0)),
            ("d", int(-1, 6), Some(0)),
        ]
    );
    let initial: Vec<i32> = model.variables.iter().map(|v| v.initial.as_ref().unwrap()[0]).collect();
    assert_eq!(initial, [2, 0, 1, 0, 3]);
}

#[test]
fn commands_and_updates() {
    let model = model(
        "dtmc const double p = 1/3; module m x : [0..3]; b : bool;\n\
         [] x=0 -> p : (x'=1) & (b'=true) + 1-p : (x'=x+1); [a] b -> true; [a] !b -> 1 : true + 0 : (x'=0); \n\
         [] b -> (x' = mod(x,2)); [] x=1 -> (b?0.5:0.25) : (x'=2) + 0.5 : true; endmodule",
    );
    assert_eq!(
        commands(&model, 0),
        [
            "-|x=0|1/3: x:=1,b:=true + 2/3: x:=x+1",
            "0|b|-: ",
            "0|!b|1:  + 0: x:=0",
            "-|b|-: x:=mod(x, 2)",
            "-|x=1|b ? 0.5 : 0.25: x:=2 + 0.5: ",
        ]
    );
}

#[test]
fn commands_keep_their_text_and_place() {
    let text = "mdp module m x : [0..1];\r\n  [a] x=0 // why not\r\n   ->\r\n (x'=1);\r\nendmodule";
    let model = model(text);
    let edge = &model.automata[0].edges[0];
    assert_eq!(edge.text, "[a] x=0 -> (x'=1)");
    assert!(model.sources.text(edge.span).starts_with("[a] x=0 //"));
    assert_eq!(model.sources.line(edge.span), 2);
    assert_eq!(model.name, "test");
}

#[test]
fn byte_order_mark_and_unicode_in_comments() {
    let text = "\u{feff}dtmc // λ → μ\r\nmodule m x : bool; [] true -> (x'=!x); // größer\r\nendmodule";
    assert_eq!(model(text).automata.len(), 1);
    let latin = b"dtmc // gr\xf6\xdfer\nmodule m x:bool; endmodule";
    let result = bughound_stochastic::prism::read(&mut Default::default(), "a.pm", latin, &[]);
    assert!(result.model.is_some());
    assert!(error("dtmc module m x:bool; [] x→y; endmodule").contains("found `→`"));
}

#[test]
fn renaming_reaches_into_formulas() {
    let model = model(
        "mdp formula full = x=max_x & twice>2; formula twice = 2*x; const int max_x = 5; const int max_y = 7;\n\
         module a x : [0..max_x] init 1; [go] full -> 0.5 : (x'=0) + 0.5 : (x'=other); [] other=1 -> (x'=1); endmodule\n\
         module b = a [ x=y, max_x=max_y, go=stop, other=z ] endmodule formula other = x; const int z = 3;",
    );
    assert_eq!(commands(&model, 0), ["0|x=5 & 2*x>2|0.5: x:=0 + 0.5: x:=x", "-|x=1|-: x:=1"]);
    // `other` is renamed to the constant z, which is 3.
    assert_eq!(commands(&model, 1), ["1|y=7 & 2*y>2|0.5: y:=0 + 0.5: y:=3", "-|false|-: y:=1"]);
    assert_eq!(model.variables[1].ty, StateType::Int { lo: 0, hi: 7 });
    assert_eq!(model.automata[1].edges[0].text, "[stop] full -> 0.5 : (y'=0) + 0.5 : (y'=z)");
}

#[test]
fn copies_of_copies() {
    let model = model(
        "mdp module c = b [ y=z, a=d ] endmodule module b = m [ x=y ] endmodule \
         module m x : bool; [a] x & f -> (x'=false); endmodule formula f = !x;",
    );
    assert_eq!(guards(&model, 0), ["z & !z"]);
    assert_eq!(guards(&model, 1), ["y & !y"]);
    assert_eq!(model.automata.iter().map(|a| a.name.as_str()).collect::<Vec<_>>(), ["c", "b", "m"]);
    let names: Vec<_> = model.vectors.iter().map(|v| (v.name.as_deref().unwrap(), v.parts.len())).collect();
    assert_eq!(names, [("d", 1), ("a", 2)]);
}

#[test]
fn renaming_swaps_names() {
    let model = model(
        "mdp module a x : bool; [l] y -> (x'=y); [r] x -> true; endmodule module b = a [ x=y, y=x, l=r, r=l ] endmodule",
    );
    assert_eq!(guards(&model, 1), ["x", "y"]);
    assert_eq!(commands(&model, 1)[0], "1|x|-: y:=x");
}

#[test]
fn errors_of_renaming() {
    assert!(
        error("mdp module m x:bool; y:bool; endmodule module n = m [x=z] endmodule")
            .contains("`y` of module `m` is not renamed")
    );
    assert!(error("mdp module n = n [x=y] endmodule").contains("copy of itself"));
    assert!(error("mdp module a = b [x=y] endmodule module b = a [x=y] endmodule").contains("copy of itself"));
    assert!(
        error("mdp module mine x:bool; endmodule module n = mime [x=y] endmodule").contains("did you mean `mine`?")
    );
    assert!(error("mdp module m x:bool; endmodule module n = m [x=y,x=z] endmodule").contains("renamed twice"));
    assert!(error("mdp module m x:bool; endmodule module n = m [x=x] endmodule").contains("`x` is declared twice"));
    assert!(error("mdp module m endmodule module m endmodule").contains("module `m` is declared twice"));
}

#[test]
fn rewards() {
    let model = model(
        "mdp module m x : [0..2]; [a] x<2 -> (x'=x+1); [] x=2 -> true; endmodule\n\
         rewards x>0 : x/2; [a] true : 3; [] true : 0.5; endrewards rewards \"r\" true : 1; endrewards",
    );
    assert_eq!(model.rewards.len(), 2);
    assert_eq!(model.rewards[0].name, None);
    assert_eq!(model.rewards[1].name.as_deref(), Some("r"));
    let of: Vec<Rewarded> = model.rewards[0].items.iter().map(|item| item.of).collect();
    assert_eq!(of, [Rewarded::State, Rewarded::Vector(0), Rewarded::Silent]);
    assert_eq!(model.rewards[0].items[0].value.ty, Type::Real);
    assert_eq!(printed(&model.rewards[0].items[0].value, &model), "x/2");
    assert!(
        error("mdp module m x:bool; [go] x -> true; endmodule rewards [g] true : 1; endrewards")
            .contains("no command has the action `g`")
    );
    let twice = "mdp module m x:bool; endmodule rewards \"r\" x:1; endrewards rewards \"r\" x:1; endrewards";
    assert!(error(twice).contains("the rewards \"r\" are declared twice"));
    assert!(error("mdp module m x:bool; endmodule rewards 1 : 1; endrewards").contains("has to be true or false"));
    assert!(error("mdp module m x:bool; endmodule rewards x : x; endrewards").contains("a reward has to be a number"));
}

#[test]
fn labels_and_initial_states() {
    let model = model(
        "mdp module m x : [0..2]; b : bool; endmodule label \"top\" = x=2 & f; formula f = !b; init x>0 => b endinit",
    );
    assert_eq!(printed(&model.labels[0].condition, &model), "x=2 & !b");
    let Initial::Where(condition) = &model.initial else { panic!() };
    assert_eq!(printed(condition, &model), "x>0 => b");
    assert!(model.variables.iter().all(|v| v.initial.is_none()));
    assert!(error("mdp module m x:[0..1] init 1; endmodule init true endinit").contains("has an initial value"));
    assert!(error("mdp module m x:bool; endmodule init x endinit init x endinit").contains("described twice"));
    assert!(error("mdp module m x:bool; endmodule label \"l\" = 3;").contains("label \"l\" has to be true or false"));
    assert!(error("mdp module m x:bool; endmodule label \"init\" = x;").contains("built in"));
    assert!(
        error("mdp module m x:bool; endmodule label \"l\"=x; label \"l\"=x;").contains("label \"l\" is declared twice")
    );
    assert!(error("mdp module m x:bool; endmodule label l = x;").contains("write `\"l\"`"));
}

const CONSTANTS: &str = "dtmc const int N; const double p; const bool b; const int unused; const double q = 1-p; const M = N*2;\n\
    formula idle = unused > 3; module m x : [0..M]; [] b -> q : (x'=N) + p : true; endmodule";

#[test]
fn constants_are_given() {
    let model = model_with(CONSTANTS, "N=3,p=1/3,b=true");
    assert_eq!(commands(&model, 0), ["-|true|2/3: x:=3 + 1/3: "]);
    assert_eq!(model.variables[0].ty, StateType::Int { lo: 0, hi: 6 });
    let model = model_with(CONSTANTS, "N=2,p=0.25,b=false,unused=7");
    assert_eq!(commands(&model, 0), ["-|false|0.75: x:=2 + 0.25: "]);
    let values: Vec<(&str, bool)> = model.definitions.iter().map(|d| (d.name.as_str(), d.value.is_ok())).collect();
    assert!(values.contains(&("unused", true)) && values.contains(&("idle", true)));
    // An int is a double; doubles of constants stay doubles.
    let model = model_with(CONSTANTS, "N=2,p=1,b=true");
    assert!(matches!(model.automata[0].edges[0].destinations[1].chance.as_ref().unwrap().kind, ExprKind::Real(_)));
}

#[test]
fn only_used_constants_are_demanded() {
    let message = error_with(CONSTANTS, "p=0.5");
    assert!(message.contains("the constants `N` (int), `b` (bool) have no value"), "{message}");
    assert!(message.contains("N=…,b=…"), "{message}");
    let mut reader = Reader::default();
    reader.model("a.prism", CONSTANTS.as_bytes());
    let undefined = |name: &str, ty| UndefinedConstant { name: name.into(), ty };
    let of_model = [undefined("N", Type::Int), undefined("p", Type::Real), undefined("b", Type::Bool)];
    assert_eq!(reader.undefined_in_model(), of_model);
    reader.properties("a.props", b"const double T; const int other; P=? [ F<=T idle ];");
    assert_eq!(reader.undefined()[3..], [undefined("unused", Type::Int), undefined("T", Type::Real)]);
}

#[test]
fn wrong_values_of_constants() {
    let message = |constants: &str| error_with(CONSTANTS, constants);
    assert!(message("N=3,p=0.5,b=true,n=3").contains("there is no constant `n`"));
    assert!(
        error_with("dtmc const int count; module m x:[0..count]; endmodule", "cuont=3")
            .contains("did you mean `count`?")
    );
    assert!(message("N=3.5,p=0.5,b=true").contains("the value `3.5` given for the constant `N` is not an int"));
    assert!(message("N=6/2,p=0.5,b=true").contains("is not an int"));
    assert!(message("N=3,p=true,b=true").contains("is not a double"));
    assert!(message("N=3,p=0.5,b=1").contains("is not a bool"));
    assert!(message("N=,p=0.5,b=true").contains("is not a number"));
    assert!(message("N=3,p=0.5,b=true,M=7").contains("the constant `M` has a value in the text"));
    assert!(message("N=3,N=4,p=0.5,b=true").contains("given twice"));
    assert!(message("N=99999999999,p=0.5,b=true").contains("`N`"));
}
