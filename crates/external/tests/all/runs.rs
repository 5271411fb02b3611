//! Keys with the same hash, at the border between two blocks.

use bughound_external::row::{From, Row, Shape, hash};
use bughound_external::run::{Reader, Sizes, Writer};
use bughound_external::{Space, Trouble};
use bughound_kernel::{Layout, Random, Slot};
use std::sync::Arc;

use crate::trials::Shelf;

/// Keys of two slots, in two words each, whose hashes are the same. They were found by following the hash of a hash of a hash until
/// two such walks met. A key of two words begins with their number, which the hash begins with as well.
fn twins() -> [[u32; 2]; 2] {
    const FIRST: u64 = 0x9e37_79b9_7f4a_7c15;
    [0x93a5_c759_2509_aab5_u64, 0x7438_bae1_f745_8701].map(|pair| {
        let pair = pair ^ FIRST ^ 2;
        [pair as u32, (pair >> 32) as u32]
    })
}

fn shape() -> Shape {
    let slots = vec![Slot::new(0, (1 << 30) - 1), Slot::new(i32::MIN, i32::MAX)];
    Shape::new(&Layout { slots, cover_len: 0 })
}

/// How many keys with this hash are there behind a jump to it?
fn found(keys: &[[u32; 2]], wanted: u64, sizes: Sizes) -> Result<usize, Trouble> {
    let (shape, space) = (shape(), Space::new(Box::new(Shelf::default()), None));
    let mut writer = Writer::new(&space, &shape, sizes);
    for key in keys {
        writer.push(&Row { hash: hash(key), cost: 0, from: From::NOWHERE, words: key, key: 2 })?;
    }
    let run = Arc::new(writer.finish()?.expect("there are rows"));
    let mut reader = Reader::before(&run, sizes);
    reader.advance(wanted, &shape)?;
    let mut found = 0;
    while reader.row().is_some_and(|row| row.hash == wanted) {
        found += 1;
        reader.step(&shape)?;
    }
    Ok(found)
}

#[test]
fn keys_with_one_hash_are_found_on_both_sides_of_a_border() {
    let twins = twins();
    let wanted = hash(&twins[0]);
    assert!(hash(&twins[1]) == wanted && twins[0] != twins[1]);
    assert!(twins.iter().all(|key| shape().key_words(key) == Some(2)));
    let mut random = Random::new(1);
    let mut others: Vec<[u32; 2]> = (0..5_000).map(|_| [random.draw() as u32 & !3 | 2, random.draw() as u32]).collect();
    others.sort_by_key(|key| hash(key));
    let first_above = others.partition_point(|key| hash(key) < wanted);
    let (below, above) = others.split_at(first_above);
    let mut pair = twins;
    pair.sort_unstable();
    for sizes in [Sizes { in_memory: 0, chunk: 1 }, Sizes { in_memory: 1 << 20, chunk: 5_000 }] {
        // Whatever a block holds, one of these puts the border between them.
        for before in 0..below.len().min(1_800) {
            let keys = [&below[..before], &pair, &above[..above.len().min(3)]].concat();
            assert_eq!(found(&keys, wanted, sizes), Ok(2), "{before} keys before");
        }
    }
}
