//! Estimates on random small chains against the exact values: no estimate is further off than chance allows, and together they
//! are neither too large nor too small.

use std::fmt::Write;

use bughound_kernel::Random;

use super::super::check;
use super::{SampleOptions, by_splitting, estimate, model, plainly, sampled};
use bughound::chances::{ChanceAnswer, Outcome};

/// A chain with some states, deadlocks and commands that compete; in continuous time or not.
fn chain(random: &mut Random, states: usize, is_continuous: bool) -> String {
    let mut text = format!("{}\nmodule m\n  s : [0..{}];\n", if is_continuous { "ctmc" } else { "dtmc" }, states - 1);
    for state in 0..states {
        // Both actions exist.
        let commands = if state == 0 { 2 } else { [0, 1, 1, 2][random.below(4)] };
        for command in 0..commands {
            let targets: Vec<usize> = (0..1 + random.below(3)).map(|_| random.below(states)).collect();
            let weights: Vec<usize> = targets.iter().map(|_| 1 + random.below(4)).collect();
            let whole: usize = if is_continuous { 3 } else { weights.iter().sum() };
            let updates: Vec<String> =
                targets.iter().zip(weights).map(|(to, weight)| format!("{weight}/{whole} : (s'={to})")).collect();
            let _ = writeln!(text, "  [a{command}] s={state} -> {};", updates.join(" + "));
        }
    }
    let rewards = format!("rewards\n  true : 1/2;\n  s={} : 2;\n  [a1] true : 3;\nendrewards\n", random.below(states));
    text + "endmodule\n" + &rewards
}

/// By how many standard deviations estimates are off.
#[derive(Default)]
struct Off {
    count: f64,
    sum: f64,
}

impl Off {
    #[track_caller]
    fn add(&mut self, off: f64, most: f64, what: &str) {
        assert!(off.abs() < most, "off by {off} standard deviations: {what}");
        self.count += 1.0;
        self.sum += off;
    }

    #[track_caller]
    fn is_fair(&self) {
        let off = self.sum / self.count.sqrt();
        assert!(self.count > 50.0 && off.abs() < 4.0, "{} estimates, together off by {off}", self.count);
    }
}

fn compare(text: &str, queries: &[String], seed: u64, samples: SampleOptions, off: &mut Off) {
    let queries: Vec<&str> = queries.iter().map(String::as_str).collect();
    let model = model(text, "", &queries);
    let exact = check(&model, None).unwrap();
    let found = sampled(&model, seed, samples);
    for (exact, property) in exact.properties.iter().zip(&found.properties) {
        let found = estimate(property);
        let what = format!("{found} instead of {:?}: {}\n{text}", exact.chance, property.name);
        let Some(Outcome::Number(ChanceAnswer { value, .. })) = &exact.chance else { panic!("{what}") };
        assert_eq!(found.undecided, 0, "{what}");
        let (Some(value), Some(estimated)) = (*value, found.value) else {
            assert_eq!((*value, found.value), (None, None), "{what}");
            continue;
        };
        let is_probability = property.kind == "probability";
        if is_probability && (value == 0.0 || value == 1.0) {
            assert_eq!(estimated, value, "{what}");
            continue;
        }
        let (deviation, most) = match (is_probability, samples.splitting) {
            (true, false) => ((value * (1.0 - value) / samples.runs as f64).sqrt(), 4.0),
            (false, _) => ((found.upper.unwrap() - estimated) / 1.96, 4.0),
            // Of 20 replications, as rarely as 4 standard deviations.
            (true, true) => ((found.upper.unwrap() - found.lower.unwrap()) / 2.0 / 2.093, 5.2),
        };
        if deviation == 0.0 {
            assert!((estimated - value).abs() < 1e-9, "{what}");
        } else if !samples.splitting || found.lower.unwrap() > 0.0 && found.upper.unwrap() < 1.0 {
            off.add((estimated - value) / deviation, most, &what);
        }
    }
}

#[test]
fn every_kind_of_question_in_discrete_time() {
    let (mut random, mut off) = (Random::new(20), Off::default());
    for seed in 0..14 {
        let states = 3 + random.below(4);
        let text = chain(&mut random, states, false);
        let (a, b) = (format!("s={}", random.below(states)), format!("s={}", random.below(states)));
        let queries = [
            format!("P=? [ F {a} ]"),
            format!("P=? [ F<=4 {a} ]"),
            format!("P=? [ F>=3 {a} ]"),
            format!("P=? [ !({b}) U {a} ]"),
            format!("P=? [ !({b}) U[2,5] {a} ]"),
            format!("P=? [ s>0 U>=2 {a} ]"),
            "P=? [ F<3 s>1 ]".into(),
            format!("P=? [ G !({a}) ]"),
            format!("P=? [ G<=3 !({a}) ]"),
            format!("P=? [ s<2 W {a} ]"),
            format!("P=? [ {a} R !({b}) ]"),
            format!("P=? [ X {a} ]"),
            "P=? [ F \"deadlock\" ]".into(),
            "P=? [ X !\"init\" ]".into(),
            format!("filter(state, P=? [ F {b} ], \"init\")"),
            format!("R=? [ F {a} ]"),
            "R=? [ C<=5 ]".into(),
            "R=? [ I=3 ]".into(),
        ];
        compare(&text, &queries, seed, plainly(2000), &mut off);
    }
    off.is_fair();
}

#[test]
fn every_kind_of_question_in_continuous_time() {
    let (mut random, mut off) = (Random::new(21), Off::default());
    for seed in 0..14 {
        let states = 3 + random.below(4);
        let text = chain(&mut random, states, true);
        let (a, b) = (format!("s={}", random.below(states)), format!("s={}", random.below(states)));
        let queries = [
            format!("P=? [ F {a} ]"),
            format!("P=? [ F<=0.7 {a} ]"),
            format!("P=? [ F>=0.4 {a} ]"),
            format!("P=? [ !({b}) U[0.3,1.1] {a} ]"),
            "P=? [ s<3 U[0.5,2] s>0 ]".into(),
            format!("P=? [ G<=0.5 !({a}) ]"),
            format!("P=? [ G[0.2,0.6] !({a}) ]"),
            format!("P=? [ X {a} ]"),
            format!("R=? [ F {a} ]"),
            "R=? [ C<=1.3 ]".into(),
            "R=? [ I=0.8 ]".into(),
        ];
        compare(&text, &queries, seed, plainly(2000), &mut off);
    }
    off.is_fair();
}

#[test]
fn splitting_in_discrete_and_continuous_time() {
    let (mut random, mut off) = (Random::new(22), Off::default());
    for seed in 0..40 {
        let states = 5 + random.below(4);
        let is_continuous = seed % 2 == 1;
        let text = chain(&mut random, states, is_continuous);
        let (a, b) = (format!("s={}", random.below(states)), format!("s={}", random.below(states)));
        let mut queries = vec![format!("P=? [ F {a} ]"), format!("P=? [ !({b}) U {a} ]"), format!("P=? [ G !({a}) ]")];
        queries.push(match is_continuous {
            true => format!("P=? [ !({b}) U[0.3,1.1] {a} ]"),
            false => format!("P=? [ !({b}) U[2,5] {a} ]"),
        });
        compare(&text, &queries, seed, by_splitting(2000), &mut off);
    }
    off.is_fair();
}

/// With ten runs for a level each estimate is far off, and the mean of many is not: the estimator is unbiased however few
/// runs there are. In continuous time with a lower bound, whether the goal counts is drawn with the time spent there.
#[test]
fn splitting_is_unbiased_with_few_runs() {
    let steps = "dtmc\nmodule m\n  s : [0..5];\n  [] s>0 & s<5 -> 1/3 : (s'=s+1) + 2/3 : (s'=s-1);\n  [] s=0 -> (s'=1);\n  \
                 [] s=5 -> (s'=4);\nendmodule\n";
    let rates = "ctmc\nmodule m\n  s : [0..5];\n  [] s<5 -> 1 : (s'=s+1);\n  [] s>0 -> 2 : (s'=s-1);\nendmodule\n";
    let cases = [(steps, "P=? [ F<=12 s=5 ]"), (rates, "P=? [ F[2,3] s=5 ]"), (rates, "P=? [ s<5 U[1,4] s=5 ]")];
    for (text, query) in cases {
        let model = model(text, "", &[query]);
        let exact = check(&model, None).unwrap();
        let Some(Outcome::Number(exact)) = &exact.properties[0].chance else { panic!("{exact:?}") };
        let exact = exact.value.unwrap();
        let found: Vec<f64> = (0..100)
            .map(|seed| estimate(&sampled(&model, seed, by_splitting(200)).properties[0]).value.unwrap())
            .collect();
        let count = found.len() as f64;
        let mean = found.iter().sum::<f64>() / count;
        let variance = found.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0) / count;
        let off = (mean - exact) / variance.sqrt();
        assert!(off.abs() < 4.0, "{mean} instead of {exact}, off by {off} standard deviations: {query}");
        assert!(variance.sqrt() < exact / 4.0, "{mean} says nothing: the standard deviation is {}", variance.sqrt());
    }
}
