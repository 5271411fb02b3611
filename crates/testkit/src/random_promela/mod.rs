//! Random Promela programs for differential tests.
//!
//! [`generate`] makes a small program from a seed. The programs are legal, end or loop in a small state space, and
//! are full of the situations in which checkers differ: processes that block inside `atomic`, rendezvous between
//! atomic sequences, `timeout` and `else`, values that wrap on assignment, processes that start and die, channels
//! that travel in messages. Loops inside `atomic` and `d_step` are counted, indices are reduced modulo the size of
//! the array, and counters are bounded, unless a switch of [`Features`] says otherwise.

mod control;
mod declarations;
mod env;
mod expr;
mod extended;
mod features;
mod message;
mod polls;
mod program;
mod remote;
mod rng;
mod stmt;
mod wide;

pub use features::Features;
pub use rng::Rng;

/// The program that belongs to a seed; the same text for the same arguments.
pub fn generate(seed: u64, features: &Features) -> String {
    let body = env::Gen::new(seed, *features).program();
    format!("/* random program, seed {seed}, {features:?} */\n{body}")
}

/// The same program, and so many conditions on its states, in its words.
pub fn generate_with_conditions(seed: u64, features: &Features, count: usize) -> (String, Vec<String>) {
    let mut generator = env::Gen::new(seed, *features);
    let body = generator.program();
    let conditions = (0..count).map(|_| generator.claim_condition()).collect();
    (format!("/* random program, seed {seed}, {features:?} */\n{body}"), conditions)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn same_seed_gives_the_same_text() {
        for seed in 0..200 {
            assert_eq!(generate(seed, &Features::CORE), generate(seed, &Features::CORE));
        }
        assert_ne!(generate(1, &Features::CORE), generate(2, &Features::CORE));
    }

    #[test]
    fn every_switch_generates() {
        for &(name, feature) in Features::SWITCHES {
            for seed in 0..50 {
                let text = generate(seed, &feature);
                assert!(text.lines().next().is_some_and(|l| l.contains(name)), "{name}");
                assert_eq!(text.matches('{').count(), text.matches('}').count(), "{name} {seed}\n{text}");
            }
        }
    }
}
