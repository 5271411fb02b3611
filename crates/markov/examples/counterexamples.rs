//! Compares searches for counterexamples with brute force on random models: `counterexamples FIRST LAST [KIND]` (seeds).

#[path = "../tests/oracle/mod.rs"]
mod oracle;

use std::panic::{AssertUnwindSafe, catch_unwind};

use bughound_markov::Kind;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let seed = |at: usize, or: u64| words.get(at).map_or(or, |word| word.parse().expect("a seed"));
    let (first, last) = (seed(0, 0), seed(1, 1000));
    let mut differences = 0;
    for kind in [Kind::Dtmc, Kind::Mdp, Kind::Ctmc] {
        if words.get(2).is_some_and(|word| !format!("{kind:?}").eq_ignore_ascii_case(word)) {
            continue;
        }
        let mut count = oracle::counterexamples::Count::default();
        let start = std::time::Instant::now();
        let before = differences;
        for seed in first..last {
            // All of them are looked at; what differs was printed.
            let check = || oracle::counterexamples::check(kind, seed, &mut count);
            differences += usize::from(catch_unwind(AssertUnwindSafe(check)).is_err());
        }
        let ratio = count.ratio / count.compared.max(1) as f64;
        println!("{kind:?}: {count:?}, subsystems on average {ratio:.4} times as large as the smallest ones");
        println!("{kind:?}: {} differences, {:.1} s", differences - before, start.elapsed().as_secs_f64());
    }
    std::process::exit(i32::from(differences > 0));
}
