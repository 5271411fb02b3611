//! One random program through everything there is: engine, reference evaluator and SPIN.

use bughound_kernel::Limits;
use bughound_promela::lower::LowerOptions;

use crate::differential::{bughound, compare, compare_with_claim, network};
use crate::engines::compare_engines;
use crate::random_promela::{Features, Rng};
use crate::spin_oracle::{OracleFailure, OracleOptions, SpinOracle};

/// Features that can be combined with one another in a random program.
const EXTENDED: [Features; 13] = [
    Features::LAST,
    Features::REMOTE,
    Features::NONDET_DSTEP,
    Features::UNLESS,
    Features::PROVIDED,
    Features::PRIORITY,
    Features::VISIBILITY,
    Features::XR_XS,
    Features::UNSIGNED,
    Features::MTYPE_SUBTYPES,
    Features::ENABLED,
    Features::PC_VALUE,
    Features::LARGE,
];

/// Programs of these seeds with [`wide_features`] contain every construct and every pair of constructs.
pub const WIDE_SEEDS: std::ops::Range<u64> = 0..12_000;

/// What the comparison of one program came to.
#[derive(Clone, Debug, Default)]
pub struct Comparison {
    /// States whose number was compared with SPIN's.
    pub with_spin: u64,
    /// States whose successors were compared with the reference evaluator's.
    pub with_reference: u64,
    pub difference: Option<String>,
}

/// A random set of language features for the program with this seed.
pub fn random_features(seed: u64) -> Features {
    let mut rng = Rng::new(seed ^ 0x5eed);
    EXTENDED.into_iter().filter(|_| rng.below(5) == 0).fold(Features::CORE, |a, b| a | b)
}

/// A random set of all language features there are for the program with this seed, also of those that SPIN cannot be
/// asked about.
pub fn wide_features(seed: u64) -> Features {
    let mut rng = Rng::new(seed ^ 0x31de);
    let drawn = Features::SWITCHES.iter().filter(|_| rng.chance(35)).map(|(_, feature)| *feature);
    let all = drawn.fold(Features::CORE, |a, b| a | b);
    if rng.chance(50) { all | Features::WIDE } else { all }
}

/// Compares the engine with the reference evaluator, with and without merging, and with SPIN, if it is there.
pub fn compare_program(source: &str, features: Features, spin: Option<&SpinOracle>) -> Comparison {
    let mut comparison = Comparison::default();
    comparison.difference = differences(source, features, spin, &mut comparison).err();
    comparison
}

fn differences(
    source: &str,
    features: Features,
    spin: Option<&SpinOracle>,
    comparison: &mut Comparison,
) -> Result<(), String> {
    let lossy_sends = features.has(Features::LOSSY);
    let plain = LowerOptions { merge: false, lossy_sends, ..LowerOptions::default() };
    for options in [plain, LowerOptions { merge: true, ..plain }] {
        let network = network(source, options).map_err(|m| format!("rejected: {}", m.join("; ")))?;
        let count = compare_engines(&network, 400).map_err(|text| format!("engine and reference differ {text}"))?;
        comparison.with_reference += count as u64;
    }
    let Some(spin) = spin.filter(|_| features.is_for_spin()) else { return Ok(()) };
    let limits = Limits { states: Some(400_000), ..Limits::default() };
    let ours = bughound(source, plain, limits).map_err(|m| m.join("; "))?;
    let options = OracleOptions {
        spin_flags: features.spin_flags(),
        claims: features.has_claim(),
        existence: true,
        ..OracleOptions::quick()
    };
    let report = match spin.check(source, &options) {
        Ok(report) => report,
        Err(OracleFailure::Timeout(_) | OracleFailure::Rejected(_)) => return Ok(()),
        Err(other) => return Err(format!("{other:?}")),
    };
    if features.has_claim() {
        return compare_with_claim(&ours, &report).map_or(Ok(()), Err);
    }
    comparison.with_spin = ours.states;
    compare(&ours, &report).map_or(Ok(()), Err)
}
