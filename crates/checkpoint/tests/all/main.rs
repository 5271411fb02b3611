//! What a folder holds after kills, full disks and damage: the checkpoint before, or an error, never anything else.

use std::fs;
use std::path::{Path, PathBuf};

use bughound_checkpoint::{Error, Folder, Identity, Record, Saved, section_of};

fn identity() -> Identity {
    Identity::new().with("--search", "bfs").with("--seed", 7)
}

/// A random generator that is small enough to be here (Steele, Lea, Flood 2014).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % bound.max(1) as u64) as usize
    }
}

fn numbers(seed: u64, count: usize) -> Vec<u64> {
    let mut random = Random(seed);
    (0..count).map(|_| random.below(usize::MAX) as u64 >> random.below(64)).collect()
}

fn save(folder: &mut Folder, seed: u64) -> Result<(), Error> {
    let mut draft = folder.draft(&identity())?;
    for (name, count) in [("few", 3), ("many", 60_000), ("none", 0)] {
        let mut section = draft.section(name)?;
        numbers(seed, count).write(&mut section);
        section.text("end");
        draft.finish(section)?;
    }
    draft.commit()
}

/// The seed of what was saved, if it is whole.
fn read(saved: &Saved, seeds: &[u64]) -> Result<u64, Error> {
    let section = |name: &str| -> Result<Vec<u64>, Error> {
        let mut reader = saved.section(name)?;
        let numbers = Record::read(&mut reader)?;
        if reader.text()? != "end" {
            return Err(reader.damaged("no end"));
        }
        reader.end()?;
        Ok(numbers)
    };
    let (few, many, none) = (section("few")?, section("many")?, section("none")?);
    let seed = seeds.iter().find(|seed| numbers(**seed, 3) == few);
    let seed = *seed.unwrap_or_else(|| panic!("what was never written was read: {few:?}"));
    assert!(many == numbers(seed, 60_000) && none.is_empty());
    Ok(seed)
}

fn files(directory: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

fn copy(from: &Path, to: &Path) {
    let _ = fs::remove_dir_all(to);
    fs::create_dir(to).unwrap();
    for file in files(from) {
        fs::copy(&file, to.join(file.file_name().unwrap())).unwrap();
    }
}

#[test]
fn the_next_checkpoint_takes_the_place_of_the_one_before() {
    let place = tempfile::tempdir().unwrap();
    assert!(matches!(Folder::open(place.path()), Err(Error::Nothing(_))));
    let mut folder = Folder::create(place.path()).unwrap();
    assert!(folder.saved().is_err());
    for seed in 0..4 {
        save(&mut folder, seed).unwrap();
        assert_eq!(read(&folder.saved().unwrap(), &[seed]).unwrap(), seed);
        assert_eq!(files(place.path()).len(), 5, "three sections, the manifest and the lock");
    }
    assert!(matches!(Folder::open(place.path()), Err(Error::InUse(_))));
    drop(folder);
    assert!(matches!(Folder::create(place.path()), Err(Error::Occupied(_))));
    let folder = Folder::open(place.path()).unwrap();
    assert_eq!(read(&folder.saved().unwrap(), &[3]).unwrap(), 3);
    folder.clear().unwrap();
    assert_eq!(files(place.path()), Vec::<PathBuf>::new());
}

/// A draft that is not finished leaves nothing, and what a kill leaves is swept away.
#[test]
fn what_is_not_committed_was_never_there() {
    let place = tempfile::tempdir().unwrap();
    let mut folder = Folder::create(place.path()).unwrap();
    save(&mut folder, 1).unwrap();
    let before = files(place.path());
    let mut draft = folder.draft(&identity()).unwrap();
    let mut section = draft.section("few").unwrap();
    section.number(5);
    draft.finish(section).unwrap();
    let _ = draft.section("many").unwrap();
    drop(draft);
    assert_eq!(files(place.path()), before);
    drop(folder);
    for name in ["few.2.section", "manifest.next"] {
        fs::write(place.path().join(name), "half a file").unwrap();
    }
    fs::write(place.path().join("notes.txt"), "of somebody else").unwrap();
    let folder = Folder::open(place.path()).unwrap();
    assert_eq!(read(&folder.saved().unwrap(), &[1]).unwrap(), 1);
    assert_eq!(files(place.path()).len(), before.len() + 1);
    folder.clear().unwrap();
    assert_eq!(files(place.path()), [place.path().join("notes.txt")]);
}

#[test]
fn sections_are_kept_added_and_written_by_others() {
    let place = tempfile::tempdir().unwrap();
    let mut folder = Folder::create(&place.path().join("there/it/is")).unwrap();
    save(&mut folder, 1).unwrap();
    let run = place.path().join("run");
    fs::write(&run, "sorted").unwrap();
    for round in 0..3 {
        let directory = folder.directory().to_path_buf();
        let mut draft = folder.draft(&identity()).unwrap();
        assert!(draft.keep("many").unwrap() && !draft.keep("unknown").unwrap());
        draft.add_file("run", &run).unwrap();
        let mut part = section_of(&directory, "part-3", draft.generation()).unwrap();
        part.number(round);
        let line = part.close(&directory).unwrap().to_line();
        draft.include(bughound_checkpoint::Entry::from_line(&line).unwrap()).unwrap();
        draft.commit().unwrap();
        let saved = folder.saved().unwrap();
        assert_eq!(saved.section("part-3").unwrap().number().unwrap(), round);
        saved.verify().unwrap();
        let back = place.path().join(format!("back-{round}"));
        saved.place("run", &back).unwrap();
        assert_eq!(fs::read_to_string(back).unwrap(), "sorted");
        let entries = saved.entries().len();
        assert_eq!((entries, files(&directory).len()), (3, 5));
    }
    // The search may remove its file.
    fs::remove_file(&run).unwrap();
    folder.saved().unwrap().verify().unwrap();
    for name in ["../up", "", "A"] {
        assert!(folder.draft(&identity()).unwrap().section(name).is_err(), "{name}");
    }
}

/// A full disk is an error, and the checkpoint before stays.
#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_written_ends_nothing() {
    let place = tempfile::tempdir().unwrap();
    let mut folder = Folder::create(place.path()).unwrap();
    save(&mut folder, 1).unwrap();
    // Writing to this file fails as on a full disk.
    std::os::unix::fs::symlink("/dev/full", place.path().join("many.2.section")).unwrap();
    assert!(matches!(save(&mut folder, 2), Err(Error::Io { .. })));
    assert_eq!(read(&folder.saved().unwrap(), &[1]).unwrap(), 1);
    save(&mut folder, 3).unwrap();
    assert_eq!(read(&folder.saved().unwrap(), &[3]).unwrap(), 3);
}

#[test]
fn a_flipped_byte_anywhere_is_refused() {
    let place = tempfile::tempdir().unwrap();
    let (whole, damaged) = (place.path().join("whole"), place.path().join("damaged"));
    let mut folder = Folder::create(&whole).unwrap();
    save(&mut folder, 1).unwrap();
    drop(folder);
    let mut random = Random(1);
    for file in files(&whole).iter().filter(|file| !file.ends_with("lock")) {
        let bytes = fs::read(file).unwrap();
        let all: Vec<usize> = (0..bytes.len()).collect();
        let places = if bytes.len() < 600 { all } else { (0..100).map(|_| random.below(bytes.len())).collect() };
        for at in places {
            copy(&whole, &damaged);
            let mut flipped = bytes.clone();
            flipped[at] ^= 1 << random.below(8);
            fs::write(damaged.join(file.file_name().unwrap()), flipped).unwrap();
            let refused = Folder::open(&damaged).and_then(|folder| folder.saved()?.verify());
            let said = refused.map_err(|error| error.to_string()).expect_err("damage is seen");
            assert!(said.contains("is damaged") || said.contains("has format"), "{said}");
        }
    }
}

/// Cuts, swaps, copies, parts of another checkpoint: either an error, or one of the two checkpoints as it was.
#[test]
fn mutations_give_an_error_or_what_was_written() {
    let place = tempfile::tempdir().unwrap();
    let damaged = place.path().join("damaged");
    let sources = [1, 2].map(|seed| {
        let directory = place.path().join(format!("whole-{seed}"));
        save(&mut Folder::create(&directory).unwrap(), seed).unwrap();
        directory
    });
    let mut random = Random(5);
    let (mut refused, mut whole) = (0, 0);
    for _ in 0..1000 {
        copy(&sources[random.below(2)], &damaged);
        for _ in 0..1 + random.below(3) {
            let there = files(&damaged);
            let (file, other) = (&there[random.below(there.len())], &there[random.below(there.len())]);
            let mut bytes = fs::read(file).unwrap_or_default();
            let at = random.below(bytes.len());
            match random.below(7) {
                0 if !bytes.is_empty() => bytes[at] ^= 1 << random.below(8),
                1 => bytes.truncate(at),
                2 => bytes.extend(vec![random.below(256) as u8; 1 + random.below(100)]),
                3 => bytes = fs::read(other).unwrap(),
                4 => bytes.splice(at..at, vec![0; random.below(9)]).for_each(drop),
                5 => {
                    let from = sources[random.below(2)].join(file.file_name().unwrap());
                    bytes = fs::read(from).unwrap_or_default();
                }
                _ => {
                    fs::remove_file(file).unwrap();
                    continue;
                }
            }
            fs::write(file, bytes).unwrap();
        }
        match Folder::open(&damaged).and_then(|folder| read(&folder.saved()?, &[1, 2])) {
            Ok(_) => whole += 1,
            Err(_) => refused += 1,
        }
    }
    assert!(refused > 500 && whole > 50, "{refused} {whole}");
}

/// Numbers of things are compared with what is left: nobody makes room for more than that.
#[test]
fn lengths_that_lie_take_no_memory() {
    let place = tempfile::tempdir().unwrap();
    let mut folder = Folder::create(place.path()).unwrap();
    let mut draft = folder.draft(&identity()).unwrap();
    let mut section = draft.section("lies").unwrap();
    section.number(u64::MAX);
    section.number(1 << 40);
    section.raw(&[0xff; 20]);
    draft.finish(section).unwrap();
    draft.commit().unwrap();
    let saved = folder.saved().unwrap();
    let reader = || saved.section("lies").unwrap();
    assert!(reader().bytes().is_err() && reader().text().is_err());
    assert!(Vec::<u64>::read(&mut reader()).is_err());
    let mut second = reader();
    assert_eq!(second.number().unwrap(), u64::MAX);
    assert!(second.bytes().is_err());
    assert!(second.number().is_err(), "more than 64 bits");
}
