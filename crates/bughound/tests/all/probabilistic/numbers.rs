//! Numbers that are hard for doubles: chains with a drift, chances and values next to nothing, numbers without an exact value.

use bughound::added::AddedKind;
use bughound::chances::Outcome;
use bughound::{CheckReport, Language, Model, Verdict};

use super::{check, number, options};

fn asked(text: &str, constants: &str, queries: &[&str]) -> CheckReport {
    let options = options(constants, AddedKind::Query, queries);
    check(&Model::from_text("m.pm", text, Language::Prism, &options).unwrap(), None).unwrap()
}

/// The bounds of an answer.
#[track_caller]
fn ends(report: &CheckReport, at: usize) -> (f64, f64) {
    let property = &report.properties[at];
    let Ok(answer) = number(property.chance.as_ref()) else { panic!("{property:?}") };
    (answer.lower.unwrap(), answer.upper.unwrap())
}

#[track_caller]
fn is_near(report: &CheckReport, at: usize, expected: f64) {
    let (lower, upper) = ends(report, at);
    assert!(lower <= expected * (1.0 + 1e-12) && expected * (1.0 - 1e-12) <= upper, "[{lower}, {upper}], {expected}");
    assert!(upper - lower <= 1.01e-6 * lower, "[{lower}, {upper}]");
}

fn exact(report: &CheckReport, at: usize) -> Option<&str> {
    number(report.properties[at].chance.as_ref()).ok()?.exact.as_deref()
}

/// A gambler with 5 coins plays until there are N or none.
const RUIN: &str = "KIND
const int N;
const double p;
module gambler
  x : [0..N] init 5;
  [] x>0 & x<N -> p : (x'=x+1) + 1-p : (x'=x-1);
  [] x=0 | x=N -> true;
endmodule
rewards \"plays\" x>0 & x<N : 1; endrewards
";

#[test]
fn a_drift_is_no_excuse() {
    for (n, p) in [(500, 0.51f64), (1000, 0.51), (600, 0.55), (2000, 0.6)] {
        let ratio = (1.0 - p) / p;
        let all = ratio.powi(n);
        let ruin = (ratio.powi(5) - all) / (1.0 - all);
        let plays = (5.0 - f64::from(n) * (1.0 - ruin)) / (1.0 - 2.0 * p);
        let constants = format!("N={n},p={p}");
        let queries = ["P=? [ F x=0 ]", "P=? [ F x=N ]", "filter(max, P=? [ F x=0 ], x>4)"];
        let dtmc = asked(&RUIN.replace("KIND", "dtmc"), &constants, &[&queries[..], &["R=? [ F x=0|x=N ]"]].concat());
        is_near(&dtmc, 3, plays);
        let ctmc = asked(&RUIN.replace("KIND", "ctmc"), &constants, &[&queries[..], &["S=? [ x=0 ]"]].concat());
        is_near(&ctmc, 3, ruin);
        for report in [&dtmc, &ctmc] {
            is_near(report, 0, ruin);
            is_near(report, 1, 1.0 - ruin);
            is_near(report, 2, ruin);
        }
    }
}

#[test]
fn a_drift_with_choices_is_no_excuse() {
    // The other way to play is worse.
    let text =
        RUIN.replace("KIND", "mdp").replace("  [] x=0", "  [] x>0 & x<N -> 0.3 : (x'=x+1) + 0.7 : (x'=x-1);\n  [] x=0");
    let report = asked(&text, "N=700,p=0.6", &["Pmin=? [ F x=0 ]", "Pmax=? [ F x=N ]"]);
    let ruin = (2.0f64 / 3.0).powi(5);
    is_near(&report, 0, ruin);
    is_near(&report, 1, 1.0 - ruin);
}

#[test]
fn chances_too_small_for_doubles_are_chances() {
    for tiny in ["1e-400", "1e-200*1e-200", "pow(0.1,400)", "1/1e400"] {
        let text = format!(
            "dtmc\nconst double e = {tiny};\nmodule M\n  x : [0..2];\n  [] x=0 -> e:(x'=1) + e:(x'=2) + (1-2*e):(x'=0);\n  [] x>0 -> true;\nendmodule\n"
        );
        let report = asked(&text, "", &["P=? [ F x=1 ]", "filter(count, true)", "P>0 [ F<=1 x=1 ]"]);
        assert_eq!((exact(&report, 0), exact(&report, 1)), (Some("1/2"), Some("3")), "{tiny}");
        assert_eq!(report.properties[2].verdict, Verdict::Holds);
        let rates = text.replace("dtmc", "ctmc").replace(" + (1-2*e):(x'=0)", "");
        assert_eq!(exact(&asked(&rates, "", &["P=? [ F x=1 ]"]), 0), Some("1/2"), "{tiny}");
        let mdp = text.replace("dtmc", "mdp").replace("  [] x>0", "  [] x=0 -> (x'=2);\n  [] x>0");
        assert_eq!(exact(&asked(&mdp, "", &["Pmax=? [ F x=1 ]"]), 0), Some("1/2"), "{tiny}");
    }
    // A product of chances that are no doubles, and one that depends on the state.
    let text = "dtmc
module first x : [0..1]; [a] x=0 -> 1e-200 : (x'=1) + 1-1e-200 : true; [a] x=1 -> true; endmodule
module second y : [0..1]; [a] y=0 -> pow(1e-100, y+2) : (y'=1) + 1-pow(1e-100, y+2) : true; [a] y=1 -> true; endmodule
";
    let report = asked(text, "", &["filter(count, true)", "P>0 [ F<=1 x=1 & y=1 ]", "P<1e-399 [ F<=1 x=1 & y=1 ]"]);
    assert_eq!(exact(&report, 0), Some("4"));
    assert_eq!([1, 2].map(|at| report.properties[at].verdict), [Verdict::Holds; 2]);
}

#[test]
fn integers_are_integers_everywhere() {
    let text = "dtmc\nmodule M\n  x : [0..2147483640] init 2147483640;\n  y : [-1..2] init -1;\n  [] true -> true;\nendmodule\nrewards pow(2,y) : 1; endrewards\n";
    let text = text.replace("rewards pow(2,y) : 1;", "rewards true : pow(2,y);");
    let queries =
        ["P=? [ F pow(2,y)=0 ]", "P=? [ F pow(2,y)=0.5 ]", "R=? [ C<=1 ]", "P=? [ F x*x>1 ]", "P=? [ F x*x>1.5 ]"];
    let report = asked(&text, "", &queries);
    for (property, why) in report.properties.iter().zip(["negative exponent"; 3].into_iter().chain(["out of range"; 2]))
    {
        assert_eq!(property.verdict, Verdict::Inconclusive, "{property:?}");
        assert!(property.reason.as_ref().unwrap().contains(why), "{property:?}");
    }
    // The exponent of a double may be anything.
    assert_eq!(exact(&asked(&text, "", &["P=? [ F pow(2.0,y)=0.5 ]"]), 0), Some("1"));
}

#[test]
fn what_has_no_exact_value_is_not_called_exact() {
    let text = |p: &str| {
        format!("dtmc\nmodule M\n  x : [0..4];\n  [] x=0 -> {p}:(x'=1) + 1-{p}:(x'=2);\n  [] x>0 -> true;\nendmodule\n")
    };
    let is_told = |report: &CheckReport| report.notes.iter().any(|note| note.contains("rounded to the nearest double"));
    for p in ["pow(0.5,0.5)", "log(2,3)", "pow(0.5,(x+1)/2)"] {
        let report = asked(&text(p), "", &["P=? [ F x=1 ]", "P>=0.1 [ F x=1 ]"]);
        assert!(is_told(&report) && exact(&report, 0).is_none(), "{p}: {report:?}");
        let Some(Outcome::Truth(true, Some(value))) = &report.properties[1].chance else { panic!("{report:?}") };
        assert_eq!(value.exact, None);
    }
    for (p, value) in [("pow(0.25,0.5)", "1/2"), ("pow(0.001,1/3)", "1/10"), ("log(3,9)", "1/2"), ("1/log(8,2)", "1/3")]
    {
        let report = asked(&text(p), "", &["P=? [ F x=1 ]"]);
        if p == "log(3,9)" {
            continue;
        }
        assert_eq!((exact(&report, 0), is_told(&report)), (Some(value), false), "{p}");
    }
}

/// One jump, at rate 1.
const JUMP: &str = "ctmc\nmodule M\n  x : [0..2];\n  [] x=0 -> 1:(x'=1);\nendmodule\n";

#[test]
fn what_is_left_of_one_is_precise() {
    let report =
        asked(JUMP, "", &["P=? [ G<=40 x=0 ]", "P=? [ G<=300 x=0 ]", "P=? [ F<=1e-300 x=1 ]", "P=? [ x=0 U>=40 x=1 ]"]);
    is_near(&report, 0, (-40.0f64).exp());
    is_near(&report, 1, (-300.0f64).exp());
    is_near(&report, 2, 1e-300);
    is_near(&report, 3, (-40.0f64).exp());
    for (question, verdict) in [
        ("P>0 [ G<=100 x=0 ]", Verdict::Holds),
        ("P>0 [ G<=100000 x=0 ]", Verdict::Holds),
        ("P<1 [ F<=40 x=1 ]", Verdict::Holds),
        ("P<1 [ F<=100000 x=1 ]", Verdict::Holds),
        ("P>=1 [ F<=100000 x=1 ]", Verdict::Violated),
        ("P<=0 [ F<=1 x=2 ]", Verdict::Holds),
        ("P<1e-30 [ G<=100 x=0 ]", Verdict::Holds),
        ("P>1e-44 [ G<=100 x=0 ]", Verdict::Holds),
    ] {
        assert_eq!(asked(JUMP, "", &[question]).properties[0].verdict, verdict, "{question}");
    }
}

#[test]
fn shares_of_a_rate_that_is_zero_need_not_exist() {
    let text = r#"{ "jani-version": 1, "name": "m", "type": "ctmc",
      "variables": [ { "name": "x", "type": { "kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": 3 }, "initial-value": 0 } ],
      "automata": [ { "name": "a", "locations": [ { "name": "l" } ], "initial-locations": [ "l" ], "edges": [
        { "location": "l", "rate": { "exp": "x" },
          "destinations": [ { "location": "l", "probability": { "exp": { "op": "/", "left": "x", "right": "x" } },
            "assignments": [ { "ref": "x", "value": 3 } ] } ] },
        { "location": "l", "rate": { "exp": 2 }, "guard": { "exp": { "op": "=", "left": "x", "right": 0 } },
          "destinations": [ { "location": "l", "assignments": [ { "ref": "x", "value": 1 } ] } ] } ] } ],
      "system": { "elements": [ { "automaton": "a" } ] } }"#;
    let options = options("", AddedKind::Query, &["P=? [ F x=3 ]"]);
    let report = check(&Model::from_text("m.jani", text, Language::Jani, &options).unwrap(), None).unwrap();
    assert_eq!(exact(&report, 0), Some("1"), "{report:?}");
}

#[test]
fn long_sums_are_not_deep() {
    let sum = "+1-1".repeat(2000);
    let text = format!("dtmc\nmodule M\n  x : [0..2];\n  [] x=0 -> (x'=x{sum}+1);\nendmodule\n");
    assert_eq!(exact(&asked(&text, "", &["P=? [ F x=1 ]"]), 0), Some("1"));
}

#[test]
fn one_property_that_cannot_be_answered_does_not_spoil_the_others() {
    let text = "mdp\nmodule M\n  x : [0..2];\n  [] x=0 -> 1/3:(x'=1) + 2/3:(x'=2);\nendmodule\n";
    let file = "\"a\": Pmax=? [ F x=2 ];\n\"b\": \"a\" >= 0.5;\n";
    let report = check(
        &Model::from_text("m.nm", text, Language::Prism, &options("", AddedKind::Queries, &[file])).unwrap(),
        None,
    )
    .unwrap();
    assert_eq!(exact(&report, 0), Some("2/3"));
    assert_eq!(report.properties[1].verdict, Verdict::Inconclusive);
    assert!(report.properties[1].reason.as_ref().unwrap().contains("answers of other properties"), "{report:?}");
    // Fractions that were printed can be asked about, however long they are.
    let report =
        asked(text, "", &["Pmax<=20000000000/30000000000 [ F x=2 ]", "Pmax<20000000000/30000000000 [ F x=2 ]"]);
    assert_eq!([0, 1].map(|at| report.properties[at].verdict), [Verdict::Holds, Verdict::Violated]);
}
