//! How runs end: undecided ones are hidden from nobody, and dead ends are recognised.

use bughound::{CheckRequest, Hooks, Verdict};

use super::{by_splitting, contains, estimate, model, plainly, sampled};

/// Half of the runs reach the goal at once, the other half after 1,000 steps: the value is 1.
const LATE: &str = "dtmc
module m
  way : [0..2];
  left : [0..1000];
  [] way=0 -> 1/2 : (way'=1) + 1/2 : (way'=2) & (left'=1000);
  [] way>0 & left>0 -> (left'=left-1);
  [] way>0 & left=0 -> true;
endmodule
label \"goal\" = way>0 & left=0;
rewards true : 1; endrewards
";

#[test]
fn undecided_runs_are_misses_below_and_hits_above() {
    let queries = ["P=? [ F \"goal\" ]", "P=? [ G !\"goal\" ]", "R=? [ F \"goal\" ]"];
    let model = model(LATE, "", &queries);
    for samples in [plainly(400), by_splitting(400)] {
        let mut request = CheckRequest { samples: Some(samples), ..CheckRequest::default() };
        request.run.limits.depth = Some(100);
        let report = bughound::check::check(&model, &request, Hooks::default()).unwrap();
        let reached = estimate(&report.properties[0]);
        assert!((100..=300).contains(&reached.undecided), "{reached}");
        assert!(contains(reached, 1.0) && contains(reached, 0.5) && reached.lower.unwrap() > 0.4, "{reached}");
        let never = estimate(&report.properties[1]);
        assert!(contains(never, 0.0) && contains(never, 0.5) && never.upper.unwrap() < 0.6, "{never}");
        if !samples.splitting {
            let earned = estimate(&report.properties[2]);
            // Half of the runs earn 1, the others 1001, of which 100 were seen.
            assert!(earned.upper.is_none() && earned.lower.unwrap() < 501.0, "{earned}");
        }
    }
    // With enough steps nothing is undecided.
    let report = sampled(&model, 0, plainly(100));
    let reached = estimate(&report.properties[0]);
    assert_eq!((reached.undecided, reached.hits, reached.value), (0, Some(100), Some(1.0)));
}

#[test]
fn runs_that_are_all_undecided_say_nothing() {
    let model = model(LATE, "", &["P=? [ F left=999 & way=0 ]", "P<=0.7 [ G !\"goal\" ]"]);
    for samples in [plainly(400), by_splitting(400)] {
        let mut request = CheckRequest { samples: Some(samples), ..CheckRequest::default() };
        request.run.limits.depth = Some(0);
        let report = bughound::check::check(&model, &request, Hooks::default()).unwrap();
        for property in &report.properties {
            let unknown = estimate(property);
            assert_eq!((unknown.value, unknown.lower, unknown.upper), (None, Some(0.0), Some(1.0)), "{unknown}");
            assert_eq!(unknown.to_string(), "unknown, between 0 and 1 (all 400 runs are undecided, seed 0)");
        }
        assert_eq!(report.properties[1].verdict, Verdict::Inconclusive);
        let reason = report.properties[1].reason.as_deref();
        assert_eq!(reason, Some("not decided: the bound lies inside of the interval"));
    }
}

/// One in three runs reaches the goal; the others go round in a circle for ever.
fn circle(length: usize, others: &str) -> String {
    format!(
        "dtmc\nmodule m\n  way : [0..2];\n  at : [0..{length}];\n  [] way=0 -> 1/3 : (way'=1) + 2/3 : (way'=2);\n  \
         [] way=1 -> true;\n  [] way=2 & at<{length} -> (at'=at+1);\n  [] way=2 & at={length} -> (at'=0);\nendmodule\n{others}"
    )
}

#[test]
fn runs_end_where_the_goal_is_out_of_reach() {
    // All states of a small circle are looked at; a heuristic sees that a large one never leaves the way.
    for (length, longest) in [(7, 64), (1000, 1024), (1_000_000, 64)] {
        let model = model(
            &circle(length, "rewards true : 1; endrewards\n"),
            "",
            &["P=? [ F way=1 ]", "R=? [ F way=1 ]", "P=? [ way=0 W way=1 ]"],
        );
        let report = sampled(&model, 1, plainly(300));
        let reached = estimate(&report.properties[0]);
        assert_eq!(reached.undecided, 0, "{reached}");
        assert!(contains(reached, 1.0 / 3.0), "{reached}");
        let depth = report.properties[0].stats.as_ref().unwrap().counts.depth;
        assert!(depth <= longest, "{depth} steps in a circle of {length}");
        let earned = estimate(&report.properties[1]);
        assert_eq!((earned.value, earned.lower, earned.upper), (None, None, None), "{earned}");
    }
}

/// Far more states than can be stored: 3^40. The coins of 40 people are tossed one after the other, in any order.
#[test]
fn a_model_that_is_too_large_to_build() {
    let mut text =
        String::from("dtmc\nmodule p1\n  x1 : [0..2];\n  [] x1=0 -> 1/2 : (x1'=1) + 1/2 : (x1'=2);\nendmodule\n");
    for number in 2..=40 {
        text += &format!("module p{number} = p1 [ x1=x{number} ] endmodule\n");
    }
    let model = model(&text, "", &["P=? [ F x7=2 & x30=2 ]", "P=? [ F<=20 x1=1 ]"]);
    let report = sampled(&model, 0, plainly(500));
    let (both, soon) = (estimate(&report.properties[0]), estimate(&report.properties[1]));
    // It is tossed within 20 of 40 turns with probability 1/2.
    assert!(contains(both, 0.25) && both.undecided == 0, "{both}");
    assert!(contains(soon, 0.25), "{soon}");
    assert_eq!(report.stats.unwrap().counts.stored, 0);
}

#[test]
fn a_seed_gives_the_same_answer_whatever_else_is_asked() {
    let queries = ["P=? [ F<=500 way=1 ]", "P=? [ F way=1 ]"];
    let text = circle(7, "");
    let of = |queries: &[&str], at: usize, seed| {
        estimate(&sampled(&model(&text, "", queries), seed, plainly(200)).properties[at]).clone()
    };
    assert_eq!(of(&queries, 1, 5), of(&queries[1..], 0, 5));
    assert_ne!(of(&queries, 1, 5).hits, of(&queries, 1, 6).hits);
}

#[test]
fn errors_of_the_model_on_the_way_are_no_estimates() {
    let text = "dtmc\nmodule m\n  x : [0..3];\n  [] true -> 1/2 : (x'=x+1) + 1/2 : true;\nendmodule\n";
    let model = model(text, "", &["P=? [ F x>7 ]"]);
    let report = sampled(&model, 0, plainly(10));
    assert_eq!(report.properties[0].verdict, Verdict::Inconclusive);
    let reason = report.properties[0].reason.as_deref().unwrap();
    assert!(
        reason.starts_with("not decided: the model is wrong: ") && reason.ends_with("in the state x=3"),
        "{reason}"
    );
    // Not before a run gets there.
    let text = "dtmc\nmodule m\n  x : [0..3];\n  [] x<3 -> x/2 : (x'=x+1) + 1/2 : true;\nendmodule\n";
    let model = super::model(text, "", &["P=? [ F x=3 ]"]);
    let reason = sampled(&model, 0, plainly(10)).properties[0].reason.clone().unwrap();
    assert!(reason.contains("add up to 0.5, not to 1"), "{reason}");
}
