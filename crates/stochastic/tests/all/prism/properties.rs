//! Files of properties: what stands in them, and what is recorded beside it.

use bughound_ir::source::SourceMap;
use bughound_stochastic::prism::read_properties;
use bughound_stochastic::tree::{Property, Unsupported};

use super::{given, model, printed, properties_of, said, with_properties};

const MODEL: &str = "dtmc const int N = 3; const int late; module m x : [0..N]; b : bool; [] x<N -> 0.5 : (x'=x+1) + 0.5 : true; endmodule \
    formula far = x>=N-1; formula later = x=late; label \"end\" = x=N; rewards \"steps\" true : 1; endrewards";

fn reason(property: &Property) -> &str {
    match &property.question {
        Err(Unsupported(reason)) => reason,
        Ok(_) => "",
    }
}

#[test]
fn names_separators_and_lines() {
    let text = "\"first\": P=? [ F x=1 ];\nP>=1 [ F \"end\" ]\nP=? [ F<=3\r\n   x=2 // two\n  & b ]\n\n\"last\" : \"end\"; P>0 [ X b ];;";
    let (_, properties) = properties_of(MODEL, text, "");
    let told: Vec<(&str, &str)> = properties.iter().map(|p| (p.name.as_str(), p.text.as_str())).collect();
    assert_eq!(
        told,
        [
            ("first", "P=? [ F x=1 ]"),
            ("P>=1 [ F \"end\" ]", "P>=1 [ F \"end\" ]"),
            ("P=? [ F<=3 x=2 & b ]", "P=? [ F<=3 x=2 & b ]"),
            ("last", "\"end\""),
            ("P>0 [ X b ]", "P>0 [ X b ]"),
        ]
    );
    assert!(properties.iter().all(|p| p.question.is_ok()));
}

#[test]
fn recorded_results() {
    let text = "// RESULT: 1/2\n// RESULT (N=3, K=2): 0.25\n// a comment\n//RESULT(N=4): Error:too large\n\"a\": P=? [ F b ];\nP=? [ G b ]\n\
        // RESULT: ?\nP>=1 [ F b ]; // RESULT: true\nP>=1 [ G b ]";
    let (_, properties) = properties_of(MODEL, text, "");
    let recorded: Vec<Vec<String>> = properties
        .iter()
        .map(|p| p.recorded.iter().map(|r| format!("{:?} {}", r.constants, r.value)).collect())
        .collect();
    assert_eq!(recorded[0], ["[] 1/2", "[(\"N\", \"3\"), (\"K\", \"2\")] 0.25", "[(\"N\", \"4\")] Error:too large"]);
    assert!(recorded[1].is_empty());
    assert_eq!(recorded[2], ["[] ?"]);
    assert_eq!(recorded[3], ["[] true"]);
}

#[test]
fn constants_and_labels_of_files() {
    let text = "const int k; const double T = 2*k; label \"near\" = x<k; P=? [ F<=T \"near\" ]; P=? [ F<=K b ]; const int K; P=? [ F x=1 ]";
    let (_, properties) = properties_of(MODEL, text, "k=2,K=4");
    assert!(properties.iter().all(|p| p.question.is_ok()), "{properties:#?}");
    // Without values, only those that need them are without an answer.
    let (_, properties) = properties_of(MODEL, text, "K=4");
    assert_eq!(reason(&properties[0]), "the constant `k` (int) has no value");
    assert!(properties[1].question.is_ok() && properties[2].question.is_ok());
    let text = "const int a; const bool c; P=? [ F x=a & c ]; \"p\": P>=0.5 [ F x=a ]; \"p\" & b; P=? [ F later ]";
    let (_, properties) = properties_of(MODEL, text, "");
    assert_eq!(reason(&properties[0]), "the constants `a` (int), `c` (bool) have no values");
    assert_eq!(reason(&properties[2]), "the constant `a` (int) has no value");
    assert!(reason(&properties[3]).contains("the constant `late` (int) has no value"), "{}", reason(&properties[3]));
    let (_, properties) = properties_of(MODEL, "P=? [ F later ]", "late=2");
    assert!(properties[0].question.is_ok());
}

#[test]
fn wrong_files() {
    let message = |text: &str, constants: &str| said(&with_properties(MODEL, text, constants).diagnostics);
    assert!(message("const int N; P=? [ F b ]", "").contains("`N` is declared twice"));
    assert!(message("label \"end\" = b; P=? [ F b ]", "").contains("label \"end\" is declared twice"));
    assert!(message("label \"l\" = x; P=? [ F b ]", "").contains("has to be true or false"));
    assert!(message("const int k = 3; P=? [ F x=k ]", "k=4").contains("`k` has a value in the text"));
    assert!(message("\"a\": P=? [ F b ]; \"a\": P=? [ G b ]", "").contains("two properties have the name \"a\""));
    assert!(message("P=? [ F b ] P=? [ F b ]", "").contains("expected `;` or the end of the line"));
    assert!(message("P=? [ F b", "").contains("expected `]`"));
    assert!(message("P=? [ F fra ]", "").contains("did you mean `far`?"));
    assert!(message("P=? [ F \"emd\" ]", "").contains("there is no label \"emd\" (did you mean `end`?)"));
    assert!(message("P=? [ F end ]", "").contains("the label is written \"end\""));
    assert!(message("P=? [ F \"far\" ]", "").contains("without quotation marks, `far` is a name"));
    assert!(message("\"a\": \"b\" & b; \"b\": \"a\" & b;", "").contains("is defined by itself"));
    // All wrong properties are reported, right ones are read.
    let result = with_properties(MODEL, "P=? [ F ];\nP=? [ F b ]\nP=? ( F b )\nP=? [ G b ]", "");
    assert_eq!(result.diagnostics.len(), 2, "{:#?}", result.diagnostics);
}

#[test]
fn unknown_functions_are_a_warning() {
    let result = with_properties(MODEL, "fiter(forall, x<=1)\nP=? [ F b ]", "");
    let model = result.model.unwrap();
    assert_eq!(reason(&model.properties[0]), "there is no function `fiter` (did you mean `filter`?)");
    assert!(model.properties[1].question.is_ok());
    assert_eq!(result.diagnostics.len(), 1);
    assert!(!result.diagnostics[0].is_error());
}

#[test]
fn properties_about_a_model_that_is_there() {
    let model = model(MODEL);
    let mut sources = (*model.sources).clone();
    let query = b"const int k; P=? [ F far & x>=k & \"end\" & N=3 ]";
    let (properties, diagnostics) = read_properties(&mut sources, "query", query, &model, &given("k=2,somebody=3"));
    assert!(diagnostics.is_empty(), "{diagnostics:#?}");
    assert!(properties[0].question.is_ok());
    assert_eq!(sources.len(), 2);
    let (properties, diagnostics) = read_properties(&mut SourceMap::default(), "query", b"P=? [ F y=1 ]", &model, &[]);
    assert!(diagnostics[0].is_error() && properties[0].question.is_err());
}

#[test]
fn variables_of_other_languages() {
    let mut model = model(MODEL);
    let mut array = model.variables[0].clone();
    array.name = "list".into();
    array.len = Some(4);
    model.variables.insert(1, array);
    let mut other = model.variables[0].clone();
    other.name = "sender.n".into();
    model.variables.push(other);
    let query = b"P=? [ F sender.n=1 ]";
    let (properties, diagnostics) = read_properties(&mut SourceMap::default(), "query", query, &model, &[]);
    assert!(diagnostics.is_empty(), "{diagnostics:#?}");
    let question = properties[0].question.as_ref().unwrap();
    assert_eq!(printed(question.atoms()[0], &model), "sender.n=1");
    let (_, diagnostics) = read_properties(&mut SourceMap::default(), "query", b"P=? [ F list=1 ]", &model, &[]);
    assert!(said(&diagnostics).contains("`list` is not declared"));
}

#[test]
fn release_and_rewards_begin_with_the_same_letter() {
    let text = "P=? [ b\n R x=1 ]\n\"end\"\nR=? [ F b ]\n\"end\"\nR{\"steps\"}<=3 [ F b ]\n\"end\"\nR<3 [ F b ]";
    let (_, properties) = properties_of(MODEL, text, "");
    assert_eq!(properties.len(), 7);
    assert!(properties.iter().all(|p| p.question.is_ok()));
}
