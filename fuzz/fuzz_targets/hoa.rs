//! Automata in HOA format: what was read can be written and read again, and be made a never claim.
#![no_main]

use bughound_automata::hoa;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    match hoa::read(text) {
        Err(error) => assert!(error.line >= 1 && error.column >= 1 && !error.message.is_empty(), "{error:?}"),
        Ok(read) => {
            let name = read.name.clone().unwrap_or_default();
            let written = hoa::write(&read.automaton, &read.atoms, &name);
            let again = hoa::read(&written).unwrap_or_else(|error| panic!("{error}\n{written}"));
            assert_eq!(again.automaton, read.automaton, "{written}");
            assert_eq!(again.atoms, read.atoms, "{written}");
            read.automaton.never_claim(&read.atoms, &name);
            read.automaton.class_set();
        }
    }
});
