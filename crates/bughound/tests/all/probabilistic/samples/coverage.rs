//! Intervals of 95 % contain the value for at least 90 of 100 fixed seeds. (If they did so in exactly 95 % of all cases, fewer
//! than 90 of 100 would contain it once in 90 times; the seeds are fixed, so this happens always or never.)

use super::{Model, SampleOptions, bundled, by_splitting, contains, estimate, plainly, sampled};

#[track_caller]
fn covers(model: &Model, samples: SampleOptions, value: f64) {
    let reports: Vec<_> = (0..100).map(|seed| sampled(model, seed, samples)).collect();
    let inside = reports.iter().filter(|report| contains(estimate(&report.properties[0]), value)).count();
    assert!(inside >= 90, "{inside} of 100 intervals contain {value}");
    // Intervals that are everything contain every value, too.
    let wide = |report: &&bughound::CheckReport| {
        let estimate = estimate(&report.properties[0]);
        estimate.upper.zip(estimate.lower).is_none_or(|(upper, lower)| upper - lower > 2.0 * value)
    };
    assert!(reports.iter().filter(wide).count() <= 5, "intervals are wider than twice the value");
}

#[test]
fn runs_in_discrete_time() {
    covers(&bundled("die.pm", "", &["P=? [ F \"done\" & number=5 ]"]), plainly(400), 1.0 / 6.0);
}

#[test]
fn runs_in_continuous_time() {
    let value = 1.0 - f64::exp(-2.0);
    covers(&bundled("repair.sm", "", &["P=? [ F<=1 running<2 ]"]), plainly(400), value);
}

#[test]
fn rewards() {
    covers(&bundled("die.pm", "", &["R{\"tosses\"}=? [ F \"done\" ]"]), plainly(400), 4.0);
}

#[test]
fn rare_events_by_splitting() {
    let value = 8.0 / (9f64.powi(6) - 1.0);
    covers(&bundled("ruin.pm", "N=6", &["P=? [ F \"rich\" ]"]), by_splitting(3000), value);
}

/// Two in a billion: with as many steps, runs drawn plainly see nothing.
#[test]
fn an_event_that_no_plain_run_sees() {
    let model = bundled("ruin.pm", "N=10", &["P=? [ F \"rich\" ]"]);
    let report = sampled(&model, 0, by_splitting(4000));
    let split = estimate(&report.properties[0]);
    assert!(contains(split, 1.0 / 435_848_050.0), "{split}");
    assert!(split.lower.unwrap() > 1e-10 && split.upper.unwrap() < 1e-8, "{split}");
    let steps = report.stats.unwrap().counts.expanded;
    // A game and a quarter, then the look at the empty pocket.
    let plain = sampled(&model, 0, plainly(steps / 2));
    assert!(plain.stats.as_ref().unwrap().counts.expanded >= steps);
    let plain = estimate(&plain.properties[0]);
    assert_eq!((plain.hits, plain.lower), (Some(0), Some(0.0)));
    assert!(contains(plain, 1.0 / 435_848_050.0), "{plain}");
}
