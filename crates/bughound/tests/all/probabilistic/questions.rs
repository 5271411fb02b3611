//! Answers that are known by thinking.

use bughound::added::AddedKind;
use bughound::chances::{ChanceAnswer, Outcome};
use bughound::{CheckReport, Language, Model, Verdict};

use super::{check, number, options};

/// A die thrown by coins: Knuth and Yao (1976), with a state for each question to the coin.
const DIE: &str = "dtmc
module die
  s : [0..7];
  d : [0..6];
  [] s=0 -> 1/2 : (s'=1) + 1/2 : (s'=2);
  [] s=1 -> 1/2 : (s'=3) + 1/2 : (s'=4);
  [] s=2 -> 1/2 : (s'=5) + 1/2 : (s'=6);
  [] s=3 -> 1/2 : (s'=1) + 1/2 : (s'=7) & (d'=1);
  [] s=4 -> 1/2 : (s'=7) & (d'=2) + 1/2 : (s'=7) & (d'=3);
  [] s=5 -> 1/2 : (s'=7) & (d'=4) + 1/2 : (s'=7) & (d'=5);
  [] s=6 -> 1/2 : (s'=2) + 1/2 : (s'=7) & (d'=6);
  [] s=7 -> true;
endmodule
rewards s<7 : 1; endrewards
";

fn asked(text: &str, constants: &str, queries: &[&str]) -> CheckReport {
    let model =
        Model::from_text("m.pm", text, Language::Prism, &options(constants, AddedKind::Query, queries)).unwrap();
    check(&model, None).unwrap()
}

#[test]
fn a_bound_that_is_the_value_is_decided_exactly() {
    for (question, holds) in [("<=", true), ("<", false), (">=", true), (">", false)] {
        let report = asked(DIE, "", &[&format!("P{question}1/6 [ F s=7 & d=6 ]")]);
        let verdict = if holds { Verdict::Holds } else { Verdict::Violated };
        assert_eq!(report.properties[0].verdict, verdict, "{question}");
        let Some(Outcome::Truth(truth, Some(value))) = &report.properties[0].chance else { panic!("{report:?}") };
        assert_eq!((*truth, value.exact.as_deref()), (holds, Some("1/6")));
    }
    let report = asked(DIE, "", &["R=? [ F s=7 ]", "P=? [ F s=7 & d=6 ]"]);
    let exact = |at: usize| number(report.properties[at].chance.as_ref()).unwrap().exact.as_deref();
    assert_eq!((exact(0), exact(1)), (Some("11/3"), Some("1/6")));
}

#[test]
fn values_that_differ_by_less_than_a_double_are_different() {
    let text = "dtmc
module m
  s : [0..4];
  [] s=1 -> 0.3 : (s'=3) + 0.7 : (s'=4);
  [] s=2 -> 0.3-pow(0.1,30) : (s'=3) + 0.7+pow(0.1,30) : (s'=4);
endmodule
init s=1 | s=2 endinit
";
    let queries = ["filter(min, P=? [ F s=3 ], \"init\")", "filter(max, P=? [ F s=3 ], \"init\")", "P=? [ F s=3 ]"];
    let report = asked(text, "", &queries);
    let exact = |at: usize| number(report.properties[at].chance.as_ref()).unwrap().exact.as_deref();
    let less = "299999999999999999999999999999/1000000000000000000000000000000";
    assert_eq!((exact(0), exact(1)), (Some(less), Some("3/10")));
    assert_eq!(report.properties[2].verdict, Verdict::Inconclusive);
}

#[test]
fn too_many_steps_in_a_time_are_no_fault_of_the_model() {
    let text = "ctmc module m s : [0..2]; [] s=0 -> 1e12:(s'=1) + 1e-12:(s'=2); [] s=1 -> (s'=0); endmodule";
    for query in ["P<=0.5 [ F<=100 s=2 ]", "P=? [ F<=100 s=2 ]", "P=? [ F<=1e9 s=2 ]"] {
        let report = asked(text, "", &[query]);
        let property = &report.properties[0];
        let why = property.reason.as_deref().unwrap_or_default();
        assert_eq!(property.verdict, Verdict::Inconclusive, "{query}");
        assert!(why.starts_with("not decided: uniformisation would take"), "{query}: {why}");
    }
}

/// From the middle of a row of 2·N states, each step goes on with 1/2 and back to the middle with 1/2: it takes about 2^N steps
/// to get to one of the ends, and iteration that stops at small changes is far off (Haddad and Monmege 2014).
const ROW: &str = "dtmc
const int N;
const double p;
module row
  x : [0..2*N] init N;
  [] x=N -> p : (x'=N+1) + 1-p : (x'=N-1);
  [] x>N & x<2*N -> 1/2 : (x'=x+1) + 1/2 : (x'=N);
  [] x<N & x>0 -> 1/2 : (x'=x-1) + 1/2 : (x'=N);
  [] x=0 | x=2*N -> true;
endmodule
";

#[test]
fn slow_iteration_is_no_excuse() {
    for constants in ["N=20,p=0.7", "N=60,p=0.7"] {
        let report = asked(ROW, constants, &["P=? [ F x=2*N ]", "P=? [ F x=0 ]"]);
        let is = |at: usize, expected: f64| {
            let ChanceAnswer { lower, upper, exact, .. } = number(report.properties[at].chance.as_ref()).unwrap();
            let (lower, upper) = (lower.unwrap(), upper.unwrap());
            assert!(lower <= expected && expected <= upper, "{constants}: [{lower}, {upper}] {exact:?}");
            assert!(upper - lower <= 1e-6 * expected);
        };
        is(0, 0.7);
        is(1, 0.3);
    }
}

#[test]
fn deadlocks_stay_and_are_told_of() {
    let text = "dtmc\nmodule M\n  x : [0..2];\n  [] x=0 -> 1/4 : (x'=1) + 3/4 : (x'=2);\nendmodule\n";
    let report = asked(text, "", &["P=? [ F \"deadlock\" ]", "P=? [ F<=9 x=2 ]", "filter(count, \"deadlock\")"]);
    let values: Vec<Option<&str>> =
        report.properties.iter().map(|p| number(p.chance.as_ref()).unwrap().exact.as_deref()).collect();
    assert_eq!(values, [Some("1"), Some("3/4"), Some("2")]);
    assert_eq!(
        report.notes,
        ["2 states have no step: nothing changes there any more, and the label \"deadlock\" holds"]
    );
}

/// Half of the steps for one who always goes to and fro, all of them for one who stays; and what is true of everybody is certain.
#[test]
fn averages_of_decision_processes_are_exact() {
    let text = "mdp\nmodule M\n  x : [0..2];\n  [] x=0 -> (x'=1);\n  [] x=1 -> (x'=0);\n  [] x=1 -> 1/3 : (x'=2) + 2/3 : (x'=0);\n\
                [] x=2 -> (x'=0);\nendmodule\nrewards x=2 : 1; x=1 : 1/2; endrewards\n";
    let queries =
        ["S>=1 [ true ]", "S>1 [ true ]", "Smax=? [ x=2 ]", "Smax>=1/7 [ x=2 ]", "Rmax=? [ S ]", "S<=1/7 [ x=2 ]"];
    let report = asked(text, "", &queries);
    let verdicts: Vec<Verdict> = report.properties.iter().map(|property| property.verdict).collect();
    use Verdict::{Holds, Satisfied, Violated};
    assert_eq!(verdicts, [Holds, Violated, Satisfied, Holds, Satisfied, Holds]);
    let exact = |at: usize| number(report.properties[at].chance.as_ref()).unwrap().exact.as_deref();
    // A round of two steps, and of three with 1/3: 1/3 of a visit to 2 in 7/3 steps.
    assert_eq!((exact(2), exact(4)), (Some("1/7"), Some("5/14")));
}

#[test]
fn several_initial_locations_are_several_initial_states() {
    let automaton = |name: &str, initial: &str| {
        format!(
            r#"{{"name":"{name}","locations":[{{"name":"a"}},{{"name":"b"}},{{"name":"c"}}],"initial-locations":[{initial}],"edges":[
            {{"location":"a","destinations":[{{"location":"c","probability":{{"exp":0.25}},"assignments":[{{"ref":"x","value":1}}]}},
            {{"location":"c","probability":{{"exp":0.75}}}}]}},
            {{"location":"b","destinations":[{{"location":"c","assignments":[{{"ref":"x","value":1}}]}}]}}]}}"#
        )
    };
    let text = |first: &str, second: &str| {
        let (first, second) = (automaton("A", first), automaton("B", second));
        format!(
            r#"{{"jani-version":1,"name":"m","type":"dtmc","variables":[{{"name":"x","type":{{"kind":"bounded","base":"int","lower-bound":0,"upper-bound":1}},"initial-value":0}}],
            "automata":[{first},{second}],"system":{{"elements":[{{"automaton":"A"}},{{"automaton":"B"}}]}},"properties":[]}}"#
        )
    };
    let queries =
        ["filter(min, P=? [ F x=1 ], \"init\")", "filter(max, P=? [ F x=1 ], \"init\")", "filter(count, \"init\")"];
    let ask = |text: &str| {
        let model = Model::from_text("m.jani", text, Language::Jani, &options("", AddedKind::Query, &queries)).unwrap();
        let report = check(&model, None).unwrap();
        let exact = |at: usize| number(report.properties[at].chance.as_ref()).unwrap().exact.clone().unwrap();
        [exact(0), exact(1), exact(2)]
    };
    // From a and a it is missed twice with 3/4.
    assert_eq!(ask(&text(r#""a","b""#, r#""a""#)), ["7/16", "1", "2"]);
    assert_eq!(ask(&text(r#""b","a","c""#, r#""c","a""#)), ["0", "1", "6"]);
    assert_eq!(ask(&text(r#""c""#, r#""c""#)), ["0", "0", "1"]);
}
