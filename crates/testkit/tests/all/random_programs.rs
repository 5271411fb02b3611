//! Random programs must be legal for SPIN. Without SPIN the tests say that they are skipped.

use bughound_testkit::random_promela::{Features, generate};
use bughound_testkit::spin_oracle::{OracleFailure, OracleOptions, SpinOracle};

#[test]
fn spin_accepts_core_programs() {
    let Some(oracle) = SpinOracle::find() else {
        eprintln!("skipped: SPIN or a C compiler is not installed");
        return;
    };
    let (total, mut accepted, mut counted) = (60, 0, 0);
    for seed in 0..total {
        match oracle.check(&generate(seed, &Features::CORE), &OracleOptions::quick()) {
            Ok(report) => {
                accepted += 1;
                counted += u32::from(report.space.is_some());
            }
            Err(failure) => eprintln!("seed {seed}: {failure:?}"),
        }
    }
    assert!(accepted * 100 >= total * 95, "{accepted} of {total}");
    assert!(counted * 100 >= 90 * total as u32, "{counted} of {total} state spaces");
}

#[test]
fn spin_accepts_programs_of_every_switch() {
    let Some(oracle) = SpinOracle::find() else {
        eprintln!("skipped: SPIN or a C compiler is not installed");
        return;
    };
    for &(name, feature) in Features::SWITCHES.iter().filter(|(_, feature)| feature.is_for_spin()) {
        let options =
            OracleOptions { spin_flags: feature.spin_flags(), claims: feature.has_claim(), ..OracleOptions::quick() };
        let rejected = (0..20)
            .filter(|&seed| {
                let result = oracle.accepts(&generate(seed, &feature), &options);
                if let Err(failure) = &result {
                    eprintln!("{name}, seed {seed}: {failure:?}");
                }
                matches!(result, Err(OracleFailure::Rejected(_)))
            })
            .count();
        assert!(rejected <= 2, "{name}: {rejected} of 20");
    }
}
