//! The stores against the obvious implementations, on random layouts and states.

use std::collections::HashMap;

use bughound_kernel::{Layout, Lookup, Slot, State, StateBuf, StateId, StateStore};
use bughound_store::{CoveringStore, ExactStore, Packer};
use proptest::prelude::*;

fn slot() -> impl Strategy<Value = Slot> {
    prop_oneof![
        4 => (-300..300_i32, 0..600_i32).prop_map(|(lo, width)| Slot::new(lo, lo + width)),
        2 => (-2..2_i32, 0..3_i32).prop_map(|(lo, width)| Slot::new(lo, lo + width)),
        1 => (any::<i32>(), any::<i32>()).prop_map(|(a, b)| Slot::new(a.min(b), a.max(b))),
        1 => Just(Slot::new(i32::MIN, i32::MAX)),
    ]
}

/// Keys with few different values per slot, so that many of them are equal.
fn keys(slots: Vec<Slot>, count: usize) -> impl Strategy<Value = Vec<Vec<i32>>> {
    let key = (0..=slots.len(), proptest::collection::vec(0..5_u32, slots.len())).prop_map(move |(len, choices)| {
        let value = |(slot, choice): (&Slot, u32)| match choice {
            0 => slot.hi,
            1 => slot.lo,
            n => (i64::from(slot.lo) + i64::from(n)).min(slot.hi.into()) as i32,
        };
        // Mostly full keys.
        let len = if len % 3 == 0 { len } else { slots.len() };
        slots.iter().zip(choices).map(value).take(len).collect()
    });
    proptest::collection::vec(key, 1..count)
}

fn layout_and_keys(max_slots: usize, count: usize) -> impl Strategy<Value = (Vec<Slot>, Vec<Vec<i32>>)> {
    proptest::collection::vec(slot(), 0..max_slots)
        .prop_flat_map(move |slots| (Just(slots.clone()), keys(slots, count)))
}

proptest! {
    #[test]
    fn packing_is_a_bijection((slots, keys) in layout_and_keys(30, 60)) {
        let packer = Packer::new(&Layout::new(slots));
        let mut seen = HashMap::new();
        let mut back = Vec::new();
        for key in keys {
            let mut words = vec![u32::MAX; packer.max_words()];
            let used = packer.pack(&key, &mut words);
            packer.unpack(&words, &mut back);
            prop_assert_eq!(&back, &key);
            words.truncate(used);
            let same = seen.entry(words).or_insert(key.clone());
            prop_assert_eq!(&*same, &key);
        }
    }

    #[test]
    fn exact_store_is_a_set((slots, keys) in layout_and_keys(12, 400)) {
        let mut store = ExactStore::new(&Layout::new(slots));
        let mut ids: HashMap<Vec<i32>, StateId> = HashMap::new();
        let mut displaced = Vec::new();
        for key in keys {
            let found = store.insert(State::discrete(&key), 0, &mut displaced);
            match ids.get(&key) {
                Some(&id) => prop_assert_eq!(found, Ok(Lookup::Known(id))),
                None => {
                    let id = StateId(ids.len() as u32);
                    prop_assert_eq!(found, Ok(Lookup::New(id)));
                    ids.insert(key, id);
                }
            }
        }
        prop_assert_eq!(store.len(), ids.len());
        prop_assert!(displaced.is_empty());
        let mut state = StateBuf::default();
        for (key, id) in ids {
            store.read(id, &mut state);
            prop_assert_eq!(&state.key, &key);
        }
    }

    #[test]
    fn covering_store_keeps_exactly_the_undominated(
        inserts in proptest::collection::vec((0..3_i32, 0..6_i32, 0..6_i32, 0..4_u64), 1..200),
        floor in 0..3_u64
    ) {
        let includes = |_: &[i32], large: &[i32], small: &[i32]| large[0] <= small[0] && small[1] <= large[1];
        let layout = Layout { slots: vec![Slot::new(0, 2)], cover_len: 2 };
        let mut store = CoveringStore::new(&layout, includes);
        store.set_floor(floor);
        // The states that were ever added: key, cover, cost, alive.
        let mut model: Vec<(i32, [i32; 2], u64, bool)> = Vec::new();
        let mut displaced = Vec::new();
        for (key, lo, width, cost) in inserts {
            let cover = [lo, lo + width];
            let found = store.insert(State { key: &[key], cover: &cover }, cost, &mut displaced).unwrap();
            let covered = |s: &(i32, [i32; 2], u64, bool)| s.3 && s.0 == key && s.2 <= cost && includes(&[], &s.1, &cover);
            let id = match found {
                Lookup::Covered(id) => {
                    prop_assert!(covered(&model[id.index()]));
                    prop_assert!(model[id.index()].1 != cover);
                    None
                }
                Lookup::Known(id) => {
                    prop_assert!(model[id.index()].3 && model[id.index()].0 == key && model[id.index()].1 == cover);
                    let cheaper = cost < model[id.index()].2;
                    model[id.index()].2 = cost.min(model[id.index()].2);
                    cheaper.then_some(id)
                }
                Lookup::New(id) => {
                    prop_assert!(!model.iter().any(covered));
                    prop_assert_eq!(id.index(), model.len());
                    model.push((key, cover, cost, true));
                    Some(id)
                }
            };
            let mut expected = Vec::new();
            if let Some(id) = id {
                for (number, s) in model.iter_mut().enumerate() {
                    let gives_way = cost <= floor || s.2 >= cost;
                    if number != id.index() && s.3 && s.0 == key && gives_way && includes(&[], &cover, &s.1) {
                        s.3 = false;
                        expected.push(StateId(number as u32));
                    }
                }
            }
            displaced.sort_unstable();
            prop_assert_eq!(&displaced, &expected);
            displaced.clear();
        }
        let mut state = StateBuf::default();
        for (number, s) in model.iter().enumerate() {
            store.read(StateId(number as u32), &mut state);
            prop_assert_eq!((&state.key[..], &state.cover[..]), (&[s.0][..], &s.1[..]));
        }
    }
}
