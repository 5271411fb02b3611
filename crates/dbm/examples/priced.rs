//! Compares priced zones with points for many seeds: random operations, inclusions, infima.
//!
//! `cargo run --release -p bughound-dbm --example priced FIRST LAST`

#[path = "../tests/all/priced/inclusion.rs"]
mod inclusion;
#[path = "../tests/all/priced/oracle.rs"]
mod oracle;

use oracle::{Kind, compare_operations};

fn main() {
    let arguments: Vec<u64> = std::env::args().skip(1).filter_map(|argument| argument.parse().ok()).collect();
    let &[first, last] = &arguments[..] else {
        eprintln!("usage: priced FIRST LAST (seeds)");
        std::process::exit(2);
    };
    let (mut compared, mut differences, mut included, mut simulated) = (0, 0, 0, 0);
    let mut report = |difference: String| {
        println!("{difference}");
        differences += 1;
    };
    for seed in first..=last {
        for kind in Kind::ALL {
            match compare_operations(seed, kind) {
                Ok(points) => compared += points,
                Err(difference) => report(difference),
            }
        }
        match inclusion::compare(seed) {
            Ok(found) => included += u64::from(found),
            Err(difference) => report(difference),
        }
        match inclusion::compare_simulated(seed, 3) {
            Ok((plain, found)) => simulated += u64::from(found && !plain),
            Err(difference) => report(difference),
        }
        inclusion::compare_infimum(seed).unwrap_or_else(&mut report);
    }
    println!("seeds {first} to {last}: {compared} costs compared, {included} included, {simulated} only simulated");
    println!("{differences} differences");
    std::process::exit(i32::from(differences > 0));
}
