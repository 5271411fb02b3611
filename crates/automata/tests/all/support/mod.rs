//! Random formulas and words.

pub mod spin;

use bughound_automata::{Formula, Word};
use bughound_kernel::Random;
use proptest::prelude::*;

pub const ATOMS: u32 = 3;

/// How often to try something random; `PROPTEST_CASES` asks for another number.
pub fn cases(usual: u32) -> ProptestConfig {
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok());
    ProptestConfig { cases: asked.unwrap_or(usual), failure_persistence: None, ..ProptestConfig::default() }
}

/// Formulas of up to about a dozen operators and atoms.
pub fn formulas() -> impl Strategy<Value = Formula> {
    let leaf = prop_oneof![
        8 => (0..ATOMS).prop_map(Formula::Atom),
        1 => Just(Formula::True),
        1 => Just(Formula::False),
    ];
    leaf.prop_recursive(5, 14, 2, |inner| {
        let one = inner.clone();
        let two = (inner.clone(), inner);
        prop_oneof![
            one.clone().prop_map(Formula::negated),
            one.clone().prop_map(Formula::next),
            one.clone().prop_map(Formula::eventually),
            one.prop_map(Formula::always),
            two.clone().prop_map(|(a, b)| a.and(b)),
            two.clone().prop_map(|(a, b)| a.or(b)),
            two.clone().prop_map(|(a, b)| a.implies(b)),
            two.clone().prop_map(|(a, b)| a.equivalent(b)),
            two.clone().prop_map(|(a, b)| a.until(b)),
            two.clone().prop_map(|(a, b)| a.until(b)),
            two.clone().prop_map(|(a, b)| a.release(b)),
            two.prop_map(|(a, b)| a.weak_until(b)),
        ]
    })
}

/// Conditions on one state.
pub fn conditions() -> impl Strategy<Value = Formula> {
    let literal = (0..ATOMS, any::<bool>()).prop_map(|(atom, positive)| {
        let atom = Formula::Atom(atom);
        if positive { atom } else { atom.negated() }
    });
    literal.prop_recursive(2, 4, 2, |inner| {
        let two = (inner.clone(), inner);
        prop_oneof![
            two.clone().prop_map(|(a, b)| a.and(b)),
            two.clone().prop_map(|(a, b)| a.or(b)),
            two.prop_map(|(a, b)| a.equivalent(b)),
        ]
    })
}

/// Many words, always the same: all letters often enough, loops of all lengths.
pub fn many_words(count: usize, seed: u64) -> Vec<Word> {
    let mut random = Random::new(seed);
    let mut next = move |n: usize| random.below(n);
    let mut letters = move |least: usize, most: usize| {
        let length = least + next(most - least + 1);
        // Some words use few letters: long runs of the same are what promises are about.
        let pool: Vec<u128> = (0..1 + next(4)).map(|_| next(1 << ATOMS) as u128).collect();
        (0..length).map(|_| pool[next(pool.len())]).collect::<Vec<_>>()
    };
    (0..count).map(|_| Word::new(letters(0, 4), letters(1, 5)).unwrap()).collect()
}
