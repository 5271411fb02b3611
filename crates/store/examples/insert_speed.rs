//! Time per insertion of states of about 44 bytes:
//! `cargo run --release -p bughound-store --example insert_speed [STATES]`.
//!
//! Eight slots change from state to state. Half of the insertions of the second phase meet known states.

use std::hint::black_box;
use std::time::Instant;

use bughound_kernel::{Layout, Random, Slot, State, StateBuf, StateId, StateStore};
use bughound_store::{ExactStore, Packer};

fn scramble(number: u64) -> u64 {
    Random::new(number).draw()
}

/// Eight of 46 slots depend on the number: different numbers below 2^32 give different keys.
fn fill(key: &mut [i32], number: u32) {
    for (at, byte) in scramble(number.into()).to_le_bytes().into_iter().enumerate() {
        key[at * 5] = byte.into();
    }
}

fn report(what: &str, since: Instant, count: u32) {
    println!("{what:<28}{:>8.1} ns", since.elapsed().as_nanos() as f64 / f64::from(count));
}

fn main() {
    let states: u32 = std::env::args().nth(1).and_then(|count| count.parse().ok()).unwrap_or(10_000_000);
    let layout = Layout::new((0..40).map(|_| Slot::new(0, 255)).chain([Slot::new(-1, 1); 6]).collect());
    let mut key = vec![0; layout.slots.len()];
    let packer = Packer::new(&layout);
    let mut words = vec![0; packer.max_words()];
    println!("{} slots, {} bytes packed", key.len(), 4 * packer.max_words());

    let start = Instant::now();
    for number in 0..states {
        fill(&mut key, number);
        black_box(&key);
    }
    report("making the key", start, states);
    let start = Instant::now();
    for number in 0..states {
        fill(&mut key, number);
        black_box(packer.pack(&key, &mut words));
    }
    report("… and packing", start, states);

    let mut store = ExactStore::new(&layout);
    let mut displaced = Vec::new();
    for (phase, first) in
        [("inserting, all new", 0), ("inserting, half known", states / 2), ("inserting, all known", 0)]
    {
        let start = Instant::now();
        for number in first..first + states {
            fill(&mut key, number);
            assert!(store.insert(State::discrete(&key), 0, &mut displaced).is_ok());
        }
        report(phase, start, states);
    }
    let mut state = StateBuf::default();
    let start = Instant::now();
    for number in 0..states {
        store.read(StateId(number), &mut state);
        black_box(&state);
    }
    report("reading in order", start, states);
    let start = Instant::now();
    for number in 0..states {
        store.read(StateId(scramble(number.into()) as u32 % states), &mut state);
        black_box(&state);
    }
    report("reading at random", start, states);
    let len = store.len();
    println!("{len} states, {} MB, {:.1} bytes per state", store.memory() >> 20, store.memory() as f64 / len as f64);
}
