//! SPIN as an oracle: run a model through `spin`, a C compiler and the verifier, and collect what it says.
//!
//! The runs are those of `spin -a -o1 -o2 -o3`, a verifier compiled with `-DNOREDUCE -DSAFETY -DNOCLAIM`, and
//!
//! * a complete exploration that goes on after errors (`pan -c0 -A -E`), for the number of states,
//! * a depth-first search (`pan`) for the first error,
//! * if asked for: whether there is a deadlock at all (`pan -A`) and a failing assertion at all (`pan -E`),
//! * if asked for: the shortest error by breadth-first search (`-DBFS`) and by depth-first searches under
//!   decreasing limits (`-DREACH`),
//! * if asked for: the number of states with statement merging (without `-o3`).
//!
//! Verifiers of models with priorities are compiled with `-DNOCOMP` as well, see `Job::uses_priorities`.
//!
//! Lengths are numbers of steps in SPIN's count: a deadlock after n steps has length n, a failing assertion is a
//! step of its own, every statement in `atomic` is a step, a whole `d_step` is one step, and a rendezvous is two
//! steps (one for the sender, one for the receiver). The end of a process is a step as well. SPIN's breadth-first
//! search misses some deadlocks around rendezvous (it says so itself), so for models with rendezvous its result
//! is an upper bound only; the depth-first searches do not have that problem.
//!
//! With claims (`ltl`, `never`) SPIN does not look for invalid end states, and the complete exploration of a model
//! with an `ltl` formula is often cut off, because `-A` also switches off the assertion inside the claim.
//!
//! Most of the time goes to the C compiler. `tcc` compiles a verifier in about a twentieth of gcc's time with the
//! same results, so it is preferred when installed.

mod automaton;
mod child;
mod cycles;
mod parse;
mod trails;

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

pub use automaton::{SpinAutomaton, SpinTransition};
use child::{Finished, Scratch, find_program, run};
pub use cycles::Cycles;
pub use parse::{PanOutput, Verdict, parse_pan};
pub use trails::{SpinReplay, SpinTrail, Wanted};

/// What to run, and with which flags.
#[derive(Debug, Clone)]
pub struct OracleOptions {
    /// Additional flags for `spin`, for the compiler, and for every run of the verifier.
    pub spin_flags: Vec<String>,
    pub cc_flags: Vec<String>,
    pub pan_flags: Vec<String>,
    /// Keep never claims and formulas, that is, do not define `NOCLAIM`.
    pub claims: bool,
    /// Limit for every single child process.
    pub timeout: Duration,
    /// Limit for the memory of the verifier, in MB.
    pub memory_mb: usize,
    /// A search that ran out of its first, small stack is repeated with a large one only if it had stored fewer
    /// states than this.
    pub patience: u64,
    /// Find out whether there are deadlocks at all and failing assertions at all.
    pub existence: bool,
    /// Find the shortest error by breadth-first search.
    pub shortest_bfs: bool,
    /// Find the shortest error by depth-first searches under decreasing limits.
    pub shortest_dfs: bool,
    /// Count the states with statement merging too.
    pub merged: bool,
}

impl Default for OracleOptions {
    fn default() -> Self {
        OracleOptions {
            spin_flags: Vec::new(),
            cc_flags: Vec::new(),
            pan_flags: Vec::new(),
            claims: false,
            timeout: Duration::from_secs(20),
            memory_mb: 1024,
            patience: u64::MAX,
            existence: false,
            shortest_bfs: false,
            shortest_dfs: false,
            merged: false,
        }
    }
}

impl OracleOptions {
    /// For many small models: give up soon.
    pub fn quick() -> Self {
        OracleOptions { timeout: Duration::from_secs(2), memory_mb: 96, patience: 200_000, ..OracleOptions::default() }
    }
}

/// The size of a state space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Space {
    pub states: u64,
    /// Stored plus matched.
    pub transitions: u64,
    /// SPIN's "atomic steps".
    pub atomic_steps: u64,
    pub depth: u64,
}

/// The shortest error that a search found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shortest {
    pub verdict: Verdict,
    /// Number of steps, `None` without error.
    pub length: Option<u64>,
}

/// What SPIN says about a model.
#[derive(Debug, Clone)]
pub struct SpinReport {
    /// The complete state space; `None` if the exploration was cut off or failed.
    pub space: Option<Space>,
    /// Why there is no `space`.
    pub incomplete: Option<String>,
    /// The first error of the depth-first search.
    pub verdict: Verdict,
    /// Length of the path to it.
    pub dfs_length: Option<u64>,
    /// Is there a deadlock (assertions ignored), is there a failing assertion (deadlocks ignored)?
    pub deadlock: Option<bool>,
    pub assertion: Option<bool>,
    pub shortest_bfs: Option<Shortest>,
    pub shortest_dfs: Option<Shortest>,
    /// The state space with statement merging.
    pub merged: Option<Space>,
    /// Warnings and remarks of `spin`.
    pub messages: String,
}

/// Why there is no report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OracleFailure {
    /// SPIN does not accept the model; its words.
    Rejected(String),
    /// The C compiler does not accept the verifier.
    Compiler(String),
    /// A child process (named) took too long.
    Timeout(&'static str),
    /// Files or processes could not be handled.
    System(String),
}

impl From<std::io::Error> for OracleFailure {
    fn from(e: std::io::Error) -> Self {
        OracleFailure::System(e.to_string())
    }
}

/// The installed tools.
#[derive(Debug, Clone)]
pub struct SpinOracle {
    spin: PathBuf,
    compiler: PathBuf,
}

impl SpinOracle {
    /// The tools on the search path, with the fastest compiler; `None` if SPIN or a compiler is missing.
    pub fn find() -> Option<Self> {
        Self::with_compiler("tcc").or_else(|| Self::with_compiler("gcc")).or_else(|| Self::with_compiler("cc"))
    }

    /// Use a particular C compiler.
    pub fn with_compiler(name: &str) -> Option<Self> {
        // `spin` itself calls gcc as preprocessor.
        find_program("gcc")?;
        Some(SpinOracle { spin: find_program("spin")?, compiler: find_program(name)? })
    }

    /// The compiler in use.
    pub fn compiler(&self) -> &std::path::Path {
        &self.compiler
    }

    /// Everything that the options ask for.
    pub fn check(&self, source: &str, options: &OracleOptions) -> Result<SpinReport, OracleFailure> {
        let job = Job::new(self, options)?;
        let messages = job.translate(source, true)?;
        job.compile("pan", &[])?;
        let (full, why) = job.explore("pan")?;
        let first = match job.search("pan", &[]) {
            Ok(first) => first,
            Err(OracleFailure::Timeout(_)) => parse::unfinished(),
            Err(e) => return Err(e),
        };
        let existence = |flag: &str| -> Result<Option<bool>, OracleFailure> {
            if !options.existence {
                return Ok(None);
            }
            Ok(match job.search("pan", &[flag])?.verdict {
                Verdict::Incomplete | Verdict::Crash(_) => None,
                Verdict::NoError => Some(false),
                Verdict::InvalidEndState => Some(flag == "-A"),
                Verdict::Assertion(_) => Some(flag == "-E"),
                Verdict::Other(_) => None,
            })
        };
        let mut report = SpinReport {
            space: full,
            incomplete: why,
            dfs_length: steps(&first, false),
            verdict: first.verdict,
            deadlock: existence("-A")?,
            assertion: existence("-E")?,
            shortest_bfs: None,
            shortest_dfs: None,
            merged: None,
            messages,
        };
        if options.shortest_bfs {
            job.compile("pan_bfs", &["-DBFS"])?;
            let out = match job.pan("pan_bfs", &["-w18"]) {
                Ok(done) => parse_pan(&done.text),
                Err(OracleFailure::Timeout(_)) => parse::unfinished(),
                Err(e) => return Err(e),
            };
            report.shortest_bfs = Some(Shortest { length: steps(&out, true), verdict: out.verdict });
        }
        if options.shortest_dfs {
            job.compile("pan_reach", &["-DREACH"])?;
            report.shortest_dfs = Some(job.shortest("pan_reach")?);
        }
        if options.merged {
            job.translate(source, false)?;
            job.compile("pan_merged", &[])?;
            report.merged = job.explore("pan_merged")?.0;
        }
        Ok(report)
    }

    /// The automata of the proctypes, with or without statement merging.
    pub fn automaton(
        &self,
        source: &str,
        options: &OracleOptions,
        merging: bool,
    ) -> Result<SpinAutomaton, OracleFailure> {
        let job = Job::new(self, options)?;
        job.translate(source, !merging)?;
        job.compile("pan", &[])?;
        Ok(SpinAutomaton::parse(&job.pan("pan", &["-d"])?.text))
    }

    /// Does SPIN accept the model? (Nothing is compiled.)
    pub fn accepts(&self, source: &str, options: &OracleOptions) -> Result<(), OracleFailure> {
        Job::new(self, options)?.translate(source, true).map(|_| ())
    }
}

/// The number of steps up to an error.
fn steps(out: &PanOutput, bfs: bool) -> Option<u64> {
    let extra = if bfs && out.verdict == Verdict::InvalidEndState { 0 } else { 1 };
    u64::try_from(out.error_depth? + extra).ok()
}

/// One model in its scratch directory.
struct Job<'a> {
    oracle: &'a SpinOracle,
    options: &'a OracleOptions,
    dir: Scratch,
}

impl<'a> Job<'a> {
    fn new(oracle: &'a SpinOracle, options: &'a OracleOptions) -> Result<Self, OracleFailure> {
        Ok(Job { oracle, options, dir: Scratch::new()? })
    }

    fn run(&self, command: &mut Command, what: &'static str) -> Result<Finished, OracleFailure> {
        run(command, self.dir.path(), self.options.timeout)?.ok_or(OracleFailure::Timeout(what))
    }

    /// `spin -a`; returns its remarks.
    fn translate(&self, source: &str, separate: bool) -> Result<String, OracleFailure> {
        let dir = self.dir.path();
        fs::write(dir.join("model.pml"), source)?;
        let _ = fs::remove_file(dir.join("pan.c"));
        let mut command = Command::new(&self.oracle.spin);
        if !source.contains(['#', '\\']) {
            // Without macros the preprocessor has nothing to do; starting it takes longer than SPIN itself.
            command.arg("-Pcat");
        }
        command.args(["-a", "-o1", "-o2"]);
        if separate {
            command.arg("-o3");
        }
        let done = self.run(command.args(&self.options.spin_flags).arg("model.pml"), "spin")?;
        let fatal = done.text.lines().any(|l| l.contains("Error:") && !l.contains("dubious use of 'else'"));
        if !done.status.success() || fatal || !dir.join("pan.c").is_file() {
            return Err(OracleFailure::Rejected(done.text));
        }
        Ok(done.text)
    }

    /// A verifier for safety.
    fn compile(&self, name: &str, defines: &[&str]) -> Result<(), OracleFailure> {
        self.compile_any(name, &[&["-DSAFETY"], defines].concat())
    }

    fn compile_any(&self, name: &str, defines: &[&str]) -> Result<(), OracleFailure> {
        let mut command = Command::new(&self.oracle.compiler);
        command.args(["-w", "-O0", "-DNOREDUCE"]).arg(format!("-DMEMLIM={}", self.options.memory_mb));
        if !self.options.claims {
            command.arg("-DNOCLAIM");
        }
        if self.uses_priorities()? {
            command.arg("-DNOCOMP");
        }
        command.args(defines).args(&self.options.cc_flags).args(["-o", name, "pan.c"]);
        let done = self.run(&mut command, "compiler")?;
        if done.status.success() { Ok(()) } else { Err(OracleFailure::Compiler(done.text)) }
    }

    /// Does the verifier schedule by priorities? Then it must compare whole state vectors (`-DNOCOMP`).
    ///
    /// Otherwise it leaves out the bytes that it takes for padding, and of a proctype whose local variables are all
    /// bit fields (`bit`, `bool`, `unsigned`), or that has none, it computes their number wrongly (`Air` in pan.h):
    /// the size of the frame without `_pid`, `_t`, `_p` and the variables, but the 8 bits of `_priority`, which stand
    /// before the variables, are forgotten. So the last 8 bits of the frame may count as padding, and states that
    /// differ only there are taken for one another: SPIN finds too few states, and misses errors. It suffices that
    /// the word `priority` occurs somewhere in the model.
    fn uses_priorities(&self) -> Result<bool, OracleFailure> {
        Ok(fs::read_to_string(self.dir.path().join("pan.h"))?.contains("#define HAS_PRIORITY"))
    }

    fn pan(&self, name: &str, flags: &[&str]) -> Result<Finished, OracleFailure> {
        let mut command = Command::new(self.dir.path().join(name));
        self.run(command.args(flags).args(&self.options.pan_flags), "verifier")
    }

    /// A depth-first search. The stack is allocated at the start, so the large one is used only if necessary.
    fn search(&self, name: &str, flags: &[&str]) -> Result<PanOutput, OracleFailure> {
        for depth in ["-m20000", "-m1000000"] {
            let done = self.pan(name, &[flags, &["-w18", depth]].concat())?;
            let mut out = parse_pan(&done.text);
            if matches!(out.verdict, Verdict::Crash(_)) {
                out.verdict = Verdict::Crash(format!("{}: {}", done.status, done.text.trim()));
            }
            let hopeless = out.states.is_some_and(|n| n >= self.options.patience);
            if !out.truncated || hopeless || depth == "-m1000000" {
                return Ok(out);
            }
        }
        unreachable!("the last round returns")
    }

    /// The whole state space, or why it is not known.
    fn explore(&self, name: &str) -> Result<(Option<Space>, Option<String>), OracleFailure> {
        let out = match self.search(name, &["-c0", "-A", "-E"]) {
            Ok(out) => out,
            Err(OracleFailure::Timeout(_)) => return Ok((None, Some("timeout".to_string()))),
            Err(e) => return Err(e),
        };
        if let Verdict::Crash(why) = &out.verdict {
            return Ok((None, Some(why.clone())));
        }
        if out.truncated {
            return Ok((None, Some("limit of depth or memory".to_string())));
        }
        let space = Space {
            states: out.states.unwrap_or(0),
            transitions: out.transitions.unwrap_or(0),
            atomic_steps: out.atomic_steps.unwrap_or(0),
            depth: out.depth_reached.unwrap_or(0),
        };
        Ok((Some(space), None))
    }

    /// The shortest error by depth-first searches under an ever smaller depth limit.
    ///
    /// Deadlocks and assertions are searched for separately, because they need different limits: a deadlock after
    /// n steps is found with a limit of n + 2 or more, an assertion that fails in step n with a limit of n.
    fn shortest(&self, name: &str) -> Result<Shortest, OracleFailure> {
        let deadlock = self.shortest_of(name, "-A", 2)?;
        let assertion = self.shortest_of(name, "-E", 0)?;
        Ok(match (deadlock.length, assertion.length) {
            (Some(d), Some(a)) if a <= d => assertion,
            (Some(_), _) => deadlock,
            (None, Some(_)) => assertion,
            (None, None) if deadlock.verdict == Verdict::NoError => assertion,
            (None, None) => deadlock,
        })
    }

    fn shortest_of(&self, name: &str, flag: &str, extra: u64) -> Result<Shortest, OracleFailure> {
        let trail = self.dir.path().join("model.pml.trail");
        let mut best: Option<Shortest> = None;
        loop {
            let length = best.as_ref().and_then(|b| b.length);
            let limit = match length {
                None => "-m20000".to_string(),
                Some(n) if n + extra < 2 || n == 0 => break,
                Some(n) => format!("-m{}", n - 1 + extra),
            };
            // The first round iterates by itself, which is quick but does not go down to the shortest error.
            let flags: &[&str] = if length.is_none() { &["-i", flag, "-w18", &limit] } else { &[flag, "-w18", &limit] };
            let _ = fs::remove_file(&trail);
            let out = match self.pan(name, flags) {
                Ok(done) => parse_pan(&done.text),
                Err(OracleFailure::Timeout(_)) => parse::unfinished(),
                Err(e) => return Err(e),
            };
            if matches!(out.verdict, Verdict::NoError | Verdict::Incomplete | Verdict::Crash(_)) {
                // Below a limit nothing is found: the error at hand is the shortest one.
                return Ok(best.unwrap_or(Shortest { verdict: out.verdict, length: None }));
            }
            let text = fs::read_to_string(&trail).unwrap_or_default();
            let steps = text.lines().filter(|l| l.starts_with(|c: char| c.is_ascii_digit())).count() as u64;
            if length.is_some_and(|n| steps >= n) {
                break;
            }
            best = Some(Shortest { verdict: out.verdict, length: Some(steps) });
        }
        best.ok_or_else(|| OracleFailure::System("no trail".to_string()))
    }
}

#[cfg(test)]
mod tests;
