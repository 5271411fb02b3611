//! Trails both ways: SPIN replays our counterexamples, Bughound replays SPIN's.

use bughound_testkit::random_promela::Features;
use bughound_testkit::seeds;
use bughound_testkit::spin_oracle::{OracleOptions, SpinOracle};
use bughound_testkit::trails::{Report, Subject, compare_numbers, compare_seed, table};

fn oracle() -> Option<SpinOracle> {
    let found = SpinOracle::find();
    if found.is_none() {
        println!("skipped: SPIN or a C compiler is not installed");
    }
    found
}

/// Everything that takes numbers: choices, loops, blocks, escapes, jumps with labels that are looked at from outside,
/// messages, claims before and behind processes, a trace assertion in between.
const NUMBERED: &str = "
byte x; chan q = [1] of { byte }; chan r = [0] of { byte };
never { do :: x == 3 -> break :: else od }
active proctype P() {
    byte y, i;
    x = 1;
    atomic { r!1; x = 2 };
    d_step { x = 3; if :: y = 4 :: else fi };
L:  goto M;
    { y = 1; y = 2 } unless { x == 7; accept_e: goto M };
M:  for (i : 1 .. 2) { q!i };
    do :: q?y -> skip; skip; printf(\"a\") :: y > 1 -> break :: x == 8 -> goto M od;
    assert(x == 9)
}
trace { do :: q!_; :: q?_ od }
proctype D(byte k) provided (x < 4) { end: k++ -> select (k : 0 .. 3); if :: P@L -> skip :: P@M fi }
active proctype Q() { byte z; r?z; do :: z > 0 -> z-- :: else -> break od; P@L -> run D(1); false }
init { byte b = 2; byte c; c = b; P@L -> skip; x = 2 }
ltl safe { [] (x < 2) }
ltl live { []<> (x < 2) }";

#[test]
fn statements_have_the_numbers_of_pan_d() {
    let Some(oracle) = oracle() else { return };
    for source in [NUMBERED.to_string(), NUMBERED.replace(" provided (x < 4)", "")] {
        for merge in [false, true] {
            let subject = Subject::new(&source, merge);
            let model = subject.load().unwrap();
            let options = OracleOptions { claims: true, ..OracleOptions::default() };
            let automaton = oracle.automaton(&source, &options, merge).unwrap();
            let compared = compare_numbers(&model.network, &automaton).unwrap_or_else(|why| panic!("{merge}: {why}"));
            assert!(compared > 30, "{compared}");
        }
    }
}

#[test]
fn errors_of_random_programs_are_replayed_both_ways() {
    let Some(oracle) = oracle() else { return };
    let claims = [Features::LTL, Features::NEVER];
    let others = [Features::CORE, Features::UNLESS | Features::REMOTE, Features::PROVIDED];
    let mut total = Report::default();
    for (at, features) in claims.into_iter().chain(others).enumerate() {
        let seeds = 100 * at as u64..100 * at as u64 + 12;
        seeds::in_parallel(seeds, |seed| compare_seed(seed, &features, &oracle), |_, report| total.merge(report));
    }
    assert!(total.differences.is_empty(), "{}", total.differences.join("\n\n"));
    let count = |what: &str| total.counts.get(what).copied().unwrap_or(0);
    assert!(count("errors replayed by SPIN") >= 15, "{:?}", total.counts);
    assert!(count("trails of SPIN replayed here") >= 15, "{:?}", total.counts);
}

/// Rows of SPIN's tables that SPIN does not replay to the same error, and why.
const NOT_THERE: [(&str, &str, &str); 1] = [(
    "LTL/train.pml",
    "c6",
    "formulas before it whose claims SPIN numbers: the trail has no claim, so its assertion is missing",
)];

/// The others are tried by `cargo run --release --example trails -- table`.
const SAMPLE: [&str; 9] = [
    "deadlock.philosophers.prm",
    "assertion.lynch.prm",
    "assertion.mutex.prm",
    "ltl.alternating_bit.prm",
    "ltl.invariant.elevator.prm",
    "LTL/bakery.pml",
    "LTL/mobile1.pml",
    "for_select_example.pml",
    "loops.pml",
];

#[test]
fn rows_of_spins_tables() {
    let Some(oracle) = oracle() else { return };
    let Some(shared) = table::directory() else {
        println!("skipped: there are no tables of SPIN's answers beside the repository");
        return;
    };
    let rows = table::violated_rows(&shared);
    assert!(rows.len() >= 48, "the tables have only {} violated rows", rows.len());
    let directory = std::env::temp_dir().join(format!("bughound-trail-rows-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let mut problems = Vec::new();
    let mut tried = 0_usize;
    for row in rows.iter().filter(|row| SAMPLE.iter().any(|name| row.model.ends_with(name))) {
        let is_listed =
            NOT_THERE.iter().any(|(model, property, _)| row.model.ends_with(model) && row.property == *property);
        let (there, here) = table::both_ways(row, &shared, tried.is_multiple_of(2), &oracle, &directory);
        tried += 1;
        if let Err(why) = there
            && !is_listed
        {
            problems.push(format!("{}, replayed by SPIN: {why}", row.name()));
        }
        if let Err(why) = here {
            problems.push(format!("{}, trail of SPIN: {why}", row.name()));
        }
    }
    let _ = std::fs::remove_dir_all(&directory);
    assert!(tried >= SAMPLE.len(), "{tried} rows");
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
