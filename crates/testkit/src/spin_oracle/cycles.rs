//! SPIN's verdicts on infinite runs: acceptance cycles, with or without a claim, and cycles without progress.
//!
//! The verifier is compiled without `-DSAFETY`; statements are not merged and nothing is reduced, so that every state that
//! can be seen is one.

use super::{Job, OracleFailure, OracleOptions, SpinOracle, Verdict};

/// What SPIN looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cycles {
    /// `pan -a`: the claim is completed or accepts; without a claim, a process passes accept labels for ever.
    Accepting,
    /// `pan -l`: nobody passes a progress label.
    NonProgress,
}

impl SpinOracle {
    /// Is there such a run, among all and among the weakly fair ones (`-f`)? `None`: SPIN did not come to an end.
    pub fn cycles(
        &self,
        source: &str,
        cycles: Cycles,
        options: &OracleOptions,
    ) -> Result<[Option<bool>; 2], OracleFailure> {
        let job = Job::new(self, options)?;
        job.translate(source, true)?;
        let (defines, flag): (&[&str], _) = match cycles {
            Cycles::Accepting => (&[], "-a"),
            Cycles::NonProgress => (&["-DNP"], "-l"),
        };
        job.compile_any("pan", defines)?;
        let found = |flags: &[&str]| -> Result<Option<bool>, OracleFailure> {
            // Invalid end states are no matter here; assertions are how SPIN writes the end of some claims.
            let verdict = match job.search("pan", &[flags, &["-E"]].concat()) {
                Ok(out) => out.verdict,
                Err(OracleFailure::Timeout(_)) => Verdict::Incomplete,
                Err(failure) => return Err(failure),
            };
            Ok(match verdict {
                Verdict::NoError => Some(false),
                Verdict::Assertion(_) | Verdict::Other(_) => Some(true),
                Verdict::InvalidEndState | Verdict::Crash(_) | Verdict::Incomplete => None,
            })
        };
        Ok([found(&[flag])?, found(&[flag, "-f"])?])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_by_hand() {
        let Some(oracle) = SpinOracle::find() else {
            println!("skipped: SPIN or a C compiler is not installed");
            return;
        };
        let found = |source: &str, cycles, claims| {
            let options = OracleOptions { claims, ..OracleOptions::quick() };
            oracle.cycles(source, cycles, &options).unwrap()
        };
        let model = "byte x; bit y; active proctype P() { x = 1 } active proctype Q() { do :: y = 1 - y od }";
        let formula = format!("{model} ltl f {{ <> (x == 1) }}");
        assert_eq!(found(&formula, Cycles::Accepting, true), [Some(true), Some(false)]);
        assert_eq!(found(model, Cycles::NonProgress, false), [Some(true), Some(true)]);
        let labels = "bit y; active proctype Q() { do :: accept: y = 1; progress: y = 0 od }";
        assert_eq!(found(labels, Cycles::Accepting, false), [Some(true), Some(true)]);
        assert_eq!(found(labels, Cycles::NonProgress, false), [Some(false), Some(false)]);
    }
}
