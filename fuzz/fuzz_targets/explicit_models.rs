//! Explicit Markov models: Storm's DRN, PRISM's files. What was read, written and read again is the same.
#![no_main]

use bughound_markov::Kind;
use bughound_markov::formats::{PrismFiles, read_drn, read_prism, write_drn, write_lab, write_tra};
use libfuzzer_sys::fuzz_target;

// The first byte says which format, and which kind of model; NUL bytes separate PRISM's files.
fuzz_target!(|data: &[u8]| {
    let Some((head, text)) = data.split_first() else { return };
    let Ok(text) = std::str::from_utf8(text) else { return };
    let kind = [Kind::Dtmc, Kind::Ctmc, Kind::Mdp][*head as usize % 3];
    if *head < 128 {
        let Ok(read) = read_drn(text) else { return };
        let written = write_drn(&read);
        let again = read_drn(&written).unwrap_or_else(|error| panic!("{error}\n{written}"));
        assert_eq!(write_drn(&again), written);
        return;
    }
    let mut parts = text.split('\0');
    let (tra, lab) = (parts.next().unwrap_or_default(), parts.next());
    let files = PrismFiles { tra, lab, ..PrismFiles::default() };
    let Ok(read) = read_prism(&files, kind) else { return };
    let (tra, lab) = (write_tra(&read.model), write_lab(&read));
    let files = PrismFiles { tra: &tra, lab: Some(&lab), ..PrismFiles::default() };
    let again = read_prism(&files, kind).unwrap_or_else(|error| panic!("{error}\n{tra}\n{lab}"));
    assert_eq!((write_tra(&again.model), write_lab(&again)), (tra, lab));
});
