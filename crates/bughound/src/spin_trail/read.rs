//! Trails of SPIN's verifier: taken apart, and followed step by step.

use std::fmt;

use bughound_ir::edge::EdgeId;
use bughound_ir::network::Network;
use bughound_ir::reference::{MicroStep, RefState, Reference};
use bughound_kernel::Move;
use bughound_trace::process_in;

use super::{CLAIM, LOOP, MERGED};

/// Marks of verifiers that permute their search (`-5` to `-8`): nothing that a replay has to know.
const PERMUTED: std::ops::RangeInclusive<i64> = -8..=-5;

/// What is wrong with a trail, and in which line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrailError {
    pub line: usize,
    pub message: String,
}

impl fmt::Display for TrailError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for TrailError {}

/// A line of a trail that is a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// Where it stands, from 1.
    pub line: usize,
    pub process: u32,
    pub statement: u32,
}

/// A trail as it is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SpinTrail {
    /// The number of the claim that watches the run.
    pub claim: Option<u32>,
    /// Chains of statements were joined.
    pub merged: bool,
    pub lines: Vec<Line>,
    /// Lines before the loop.
    pub loop_start: Option<usize>,
}

impl SpinTrail {
    /// Takes a text apart.
    pub fn parse(text: &str) -> Result<SpinTrail, TrailError> {
        let mut trail = SpinTrail::default();
        for (at, line) in text.lines().enumerate() {
            let wrong = |message: String| Err(TrailError { line: at + 1, message });
            if line.trim().is_empty() {
                continue;
            }
            let Some([depth, process, statement]) = numbers(line) else {
                let shown: String = line.chars().take(40).collect();
                return wrong(format!("expected three numbers such as `5:1:12`, found `{shown}`"));
            };
            let natural = |number: i64| u32::try_from(number).ok();
            match depth {
                LOOP if trail.loop_start.is_some() => return wrong("a loop begins for the second time".into()),
                LOOP => trail.loop_start = Some(trail.lines.len()),
                CLAIM if trail.claim.is_some() || !trail.lines.is_empty() => {
                    return wrong("the claim must be named once, before all steps".into());
                }
                CLAIM => match natural(process) {
                    Some(number) => trail.claim = Some(number),
                    None => return wrong(format!("a claim cannot have the number {process}")),
                },
                MERGED => trail.merged = true,
                depth if PERMUTED.contains(&depth) => {}
                depth if depth < 0 => return wrong(format!("a mark {depth} is not known")),
                _ => match (natural(process), natural(statement)) {
                    (Some(process), Some(statement)) => trail.lines.push(Line { line: at + 1, process, statement }),
                    _ => return wrong("processes and statements have no negative numbers".into()),
                },
            }
        }
        Ok(trail)
    }
}

fn numbers(line: &str) -> Option<[i64; 3]> {
    let mut parts = line.trim().split(':').map(|part| part.trim().parse().ok());
    let found = [parts.next()??, parts.next()??, parts.next()??];
    // Verifiers on several cores write a fourth one.
    parts.all(|rest| rest.is_some()).then_some(found)
}

/// A trail that the model can follow.
#[derive(Clone, Debug)]
pub struct Followed {
    pub moves: Vec<Move>,
    /// Micro steps.
    pub steps: usize,
    /// Micro steps before the loop.
    pub loop_start: Option<usize>,
    /// The last step.
    pub last: Option<MicroStep>,
}

/// Follows the steps of a trail with the reference evaluator. Moves of a claim are passed over: whether the run violates
/// it is seen from the run.
pub fn follow(network: &Network, trail: &SpinTrail) -> Result<Followed, TrailError> {
    let shift = u32::from(trail.claim.is_some());
    let start = TrailError { line: 1, message: String::new() };
    let reference =
        Reference::new(network).map_err(|error| TrailError { message: error.to_string(), ..start.clone() })?;
    let initial = reference.initial();
    let mut state =
        initial.map_err(|error| TrailError { message: format!("there is no initial state: {error}"), ..start })?;
    let mut found = Followed { moves: Vec::new(), steps: 0, loop_start: None, last: None };
    let mut at = 0;
    while at < trail.lines.len() {
        if trail.loop_start.is_some_and(|start| at >= start) && found.loop_start.is_none() {
            found.loop_start = Some(found.steps);
        }
        let line = trail.lines[at];
        at += 1;
        if line.process < shift {
            continue;
        }
        if found.last.as_ref().is_some_and(|last| last.result.is_err()) {
            return Err(TrailError {
                line: line.line,
                message: "the run has ended in an error before this step".into(),
            });
        }
        let follower = Follower { reference, state: &state, shift };
        let (step, lines) = follower.step(line, trail.lines.get(at).copied())?;
        at += lines - 1;
        found.moves.extend(&step.moves);
        found.steps += 1;
        if let Ok(next) = &step.result {
            state = next.clone();
        }
        found.last = Some(step);
    }
    if trail.loop_start.is_some() && found.loop_start.is_none() {
        found.loop_start = Some(found.steps);
    }
    Ok(found)
}

struct Follower<'a, 'n> {
    reference: Reference<'n>,
    state: &'a RefState,
    shift: u32,
}

impl Follower<'_, '_> {
    /// The step that a line stands for, and how many lines it takes: the receiver of a rendezvous has the next one.
    fn step(&self, line: Line, next: Option<Line>) -> Result<(MicroStep, usize), TrailError> {
        let firsts = self.moves(line, false)?;
        let mut why = None;
        for first in &firsts {
            match self.reference.apply(self.state, &[*first]) {
                Ok(step) => return Ok((step, 1)),
                Err(error) => why = why.or(Some(error)),
            }
        }
        let seconds = next.and_then(|next| self.moves(next, true).ok()).unwrap_or_default();
        for first in &firsts {
            for second in &seconds {
                if let Ok(step) = self.reference.apply(self.state, &[*first, *second]) {
                    return Ok((step, 2));
                }
            }
        }
        let edge = firsts.first().map(|m| self.reference.network().edge(EdgeId(m.edge)));
        let text = edge.map_or("", |edge| edge.text.as_str());
        let why = why.map_or(String::new(), |error| format!(": {error}"));
        let message = format!("{} cannot execute `{text}` (statement {}) here{why}", self.name(line), line.statement);
        Err(TrailError { line: line.line, message })
    }

    /// The moves of a process whose first statement has the number of the line.
    fn moves(&self, line: Line, joins: bool) -> Result<Vec<Move>, TrailError> {
        let wrong = |message| TrailError { line: line.line, message };
        let network = self.reference.network();
        let pid = line.process.checked_sub(self.shift).map(|pid| pid as usize);
        let Some((pid, process)) = pid.and_then(|pid| Some((pid, self.state.processes.get(pid)?))) else {
            let exist = self.state.processes.len();
            return Err(wrong(format!("{} does not exist here: there are {exist} processes", self.name(line))));
        };
        let edges = network.location(process.location).edges.iter();
        let named = edges.filter(|id| network.edge(**id).number == Some(line.statement));
        let moves: Vec<Move> =
            named.map(|id| Move { process: pid as u16, edge: id.0, destination: 0, joins }).collect();
        if moves.is_empty() {
            let place = network.location(process.location);
            let message = format!(
                "{} has no statement {} where it is (state {}, line {} of the model)",
                self.name(line),
                line.statement,
                place.number,
                network.sources.line(place.span)
            );
            return Err(wrong(message));
        }
        Ok(moves)
    }

    fn name(&self, line: Line) -> String {
        match line.process.checked_sub(self.shift).map(|pid| pid as usize) {
            Some(pid) if pid < self.state.processes.len() => process_in(self.reference.network(), self.state, pid),
            _ => format!("process {}", i64::from(line.process) - i64::from(self.shift)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_marks() {
        let trail = SpinTrail::parse("-2:3:-2\n-4:-4:-4\n1:0:7\n2:1:0\n-1:-1:-1\n3:0:7\n4:2:15:9\n\n").unwrap();
        assert_eq!((trail.claim, trail.merged, trail.loop_start), (Some(3), true, Some(2)));
        assert_eq!(trail.lines[3], Line { line: 7, process: 2, statement: 15 });
        assert_eq!(SpinTrail::parse("").unwrap(), SpinTrail::default());
    }

    #[test]
    fn what_is_no_trail_is_named_by_its_line() {
        let why = |text: &str| SpinTrail::parse(text).unwrap_err().to_string();
        assert_eq!(why("1:0:7\nhello"), "line 2: expected three numbers such as `5:1:12`, found `hello`");
        assert_eq!(why("1:0"), "line 1: expected three numbers such as `5:1:12`, found `1:0`");
        assert!(why("1:0:99999999999999999999").starts_with("line 1: expected three numbers"));
        assert_eq!(why("1:-1:7"), "line 1: processes and statements have no negative numbers");
        assert_eq!(why("1:0:4294967296"), "line 1: processes and statements have no negative numbers");
        assert_eq!(why("-3:0:7"), "line 1: a mark -3 is not known");
        assert_eq!(why("-2:-1:-2"), "line 1: a claim cannot have the number -1");
        assert_eq!(why("1:0:1\n-2:1:-2"), "line 2: the claim must be named once, before all steps");
        assert_eq!(why("-1:-1:-1\n-1:-1:-1"), "line 2: a loop begins for the second time");
        assert!(why("{\"format\": 1}").starts_with("line 1: "));
    }
}
