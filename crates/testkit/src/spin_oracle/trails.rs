//! Trails: those that SPIN's verifier writes, and what `spin -t` makes of one.

use std::fs;
use std::process::Command;

use super::{Job, OracleFailure, OracleOptions, SpinOracle, Verdict, parse_pan};

/// The error that a trail should show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    Deadlock,
    Assertion,
    /// Of the claim with this name, if there are several.
    Claim(Option<String>),
    /// Of accept labels, without a claim.
    Acceptance,
    NonProgress,
}

/// A trail of the verifier.
#[derive(Clone, Debug)]
pub struct SpinTrail {
    pub text: String,
    pub verdict: Verdict,
}

/// What `spin -t -p` printed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SpinReplay {
    pub assertion: bool,
    pub cycle: bool,
    /// Lines that say that the trail does not fit.
    pub complaints: Vec<String>,
    /// Number and state of the processes at the end, in descending order of numbers. None if the trail was lost.
    pub processes: Vec<(usize, u32)>,
    pub text: String,
}

impl SpinReplay {
    fn parse(text: &str) -> SpinReplay {
        const COMPLAINTS: [&str; 8] = [
            "no matching stmnt",
            "invalid statement",
            "transition failed",
            "stop error",
            "couldn't find claim",
            "cannot find trail",
            "permutation",
            "(?)",
        ];
        let complains = |line: &&str| COMPLAINTS.iter().any(|words| line.contains(words));
        let ends = text.lines().any(|line| line.contains("trail ends after"));
        let lost = (!ends).then(|| "the trail does not end".to_string());
        let end = text.split_once("#processes:").map_or("", |(_, end)| end);
        SpinReplay {
            assertion: text.contains("Error: assertion violated"),
            cycle: text.contains("START OF CYCLE"),
            complaints: text.lines().filter(complains).map(str::to_string).chain(lost).collect(),
            processes: end.lines().filter_map(process).collect(),
            text: text.to_string(),
        }
    }
}

/// ` 11: proc  2 (:init::1) m.pml:4 (state 2)`
fn process(line: &str) -> Option<(usize, u32)> {
    let (_, rest) = line.split_once("proc ")?;
    let pid = rest.split_whitespace().next()?.parse().ok()?;
    let (_, state) = rest.rsplit_once("(state ")?;
    Some((pid, state.split(')').next()?.parse().ok()?))
}

impl SpinOracle {
    /// `spin -t -p` with the trail.
    pub fn replay(&self, source: &str, trail: &str, options: &OracleOptions) -> Result<SpinReplay, OracleFailure> {
        let job = Job::new(self, options)?;
        let dir = job.dir.path();
        fs::write(dir.join("model.pml"), source)?;
        fs::write(dir.join("error.trail"), trail)?;
        let mut command = Command::new(&self.spin);
        command.args(["-t", "-p"]).args(&options.spin_flags).args(["-k", "error.trail", "model.pml"]);
        Ok(SpinReplay::parse(&job.run(&mut command, "spin")?.text))
    }

    /// A trail of the verifier, which is compiled without reductions; `None` if it finds no such error.
    pub fn trail(
        &self,
        source: &str,
        wanted: &Wanted,
        merging: bool,
        options: &OracleOptions,
    ) -> Result<Option<SpinTrail>, OracleFailure> {
        let options = OracleOptions { claims: matches!(wanted, Wanted::Claim(_)), ..options.clone() };
        let job = Job::new(self, &options)?;
        job.translate(source, !merging)?;
        let (defines, mut flags): (&[&str], Vec<&str>) = match wanted {
            Wanted::Deadlock => (&["-DSAFETY"], vec!["-A"]),
            Wanted::Assertion => (&["-DSAFETY"], vec!["-E"]),
            Wanted::Claim(_) | Wanted::Acceptance => (&[], vec!["-a", "-E"]),
            Wanted::NonProgress => (&["-DNP"], vec!["-l", "-E"]),
        };
        if let Wanted::Claim(Some(name)) = wanted {
            flags.extend(["-N", name.as_str()]);
        }
        job.compile_any("pan", &[defines, &["-DVECTORSZ=4096"]].concat())?;
        flags.extend(["-w18", "-m100000"]);
        let out = parse_pan(&job.pan("pan", &flags)?.text);
        let text = fs::read_to_string(job.dir.path().join("model.pml.trail")).ok();
        Ok(text.map(|text| SpinTrail { text, verdict: out.verdict }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_replay() {
        let text = "  1:\tproc  0 (P:1) m.pml:2 (state 1)\t[x = 1]\n  <<<<<START OF CYCLE>>>>>\n\
            spin: trail ends after 11 steps\n#processes: 2\n\t\tx = 3\n 11:\tproc  1 (Q:1) m.pml:3 (state 9)\n\
            11:\tproc  0 (P:1) m.pml:2 (state 12) <valid end state>\n 11:\tproc  - (c:1) m.pml:5 (state 7)\n2 processes created\n";
        let replay = SpinReplay::parse(text);
        assert_eq!((replay.assertion, replay.cycle), (false, true));
        assert!(replay.complaints.is_empty());
        assert_eq!(replay.processes, [(1, 9), (0, 12)]);
        assert_eq!(SpinReplay::parse("  1: proc 0, no matching stmnt 9\n").complaints.len(), 2);
    }
}
