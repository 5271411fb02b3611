//! Compares answers with brute force on random models: `random FIRST LAST` (seeds), each of every kind.

#[path = "../tests/oracle/mod.rs"]
mod oracle;

use bughound_markov::Kind;

fn main() {
    let mut numbers = std::env::args().skip(1).map(|word| word.parse::<u64>().expect("a seed"));
    let (first, last) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(1000));
    for kind in [Kind::Dtmc, Kind::Mdp, Kind::Ctmc] {
        let mut count = oracle::check::Count::default();
        let start = std::time::Instant::now();
        for seed in first..last {
            oracle::check::check(kind, seed, &mut count);
        }
        println!("{kind:?}: {count:?}, {:.1} s", start.elapsed().as_secs_f64());
    }
}
