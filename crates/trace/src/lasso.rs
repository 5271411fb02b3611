//! Runs that go on for ever: a way to a loop, and the loop.
//!
//! What is said of such a run is checked on the states that it shows, without any automaton made of the formula: whoever
//! found the run may have used one.

use bughound_ir::expr::Expr;
use bughound_ir::ltl::Formula;
use bughound_ir::network::TemplateId;
use bughound_ir::reference::{EvalError, RefState, Reference};
use bughound_kernel::Move;

use crate::claim::Claim;
use crate::never::{self, Match};
use crate::replay::ReplayError;
use crate::rest::{self, Rest};
use crate::timing::Timing;
use crate::word::Word;

/// What an infinite run violates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Violated<'a> {
    /// The formula is false of the run.
    Formula { formula: &'a Formula },
    /// Nothing: the run was asked for, and the formula is true of it.
    Nothing { formula: &'a Formula },
    /// The claim can follow the run through accepting locations for ever.
    Never(TemplateId),
}

/// The claim that a path is a run that goes on for ever, and violates something.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lasso<'a> {
    pub of: Violated<'a>,
    /// Micro steps before the loop. All of them: the run comes to rest, and its last state lasts for ever.
    pub loop_start: usize,
    /// No process that could move all the time is left out for ever.
    pub fair: bool,
    /// In a timed model: for each clock the largest constant that it will be compared with from the beginning of the loop
    /// on, if there is one. Values beyond it are as good as each other.
    pub constants: &'a [Option<i32>],
}

/// Where the loop of a trace is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LassoShape {
    /// Steps before the loop.
    pub loop_start: usize,
    /// Steps of the loop; none if the run comes to rest.
    pub loop_length: usize,
    /// No process that could move all the time is left out for ever.
    pub fair: bool,
    /// At the end time passes for ever, though something could happen.
    pub waits: bool,
}

impl LassoShape {
    /// What happens after the last step.
    pub fn ending(self) -> String {
        match self {
            LassoShape { loop_length: 0, waits: true, .. } => {
                "nothing has to happen any more: time may pass for ever".into()
            }
            LassoShape { loop_length: 0, .. } => "nothing can move any more: this state lasts for ever".into(),
            LassoShape { loop_start: 0, .. } => "back to the initial state".into(),
            LassoShape { loop_start, .. } => format!("back to the state after step {loop_start}"),
        }
    }

    /// What is to be said before the step with this number (from 1), if it is the first of the loop.
    pub fn beginning(self, number: usize) -> Option<String> {
        let repeats = match self.loop_length {
            1 => "this step repeats".to_string(),
            steps => format!("these {steps} steps repeat"),
        };
        let is_first = number == self.loop_start + 1 && self.loop_length > 0;
        is_first.then(|| format!("the loop starts here: from now on {repeats} for ever"))
    }
}

/// A lasso that was confirmed, for the explanation.
pub struct Confirmed<'n> {
    /// What the run shows; the last state is followed by that at `back`.
    pub word: Word<'n>,
    pub back: usize,
    pub shape: LassoShape,
    /// How a claim matches it.
    pub matched: Option<Match>,
    /// Processes that exist all through the loop, and what they do there.
    pub processes: Vec<InLoop>,
}

/// What a process does in a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InLoop {
    pub pid: usize,
    pub moves: bool,
    /// A position in the loop at which it cannot begin a step.
    pub blocked_at: Option<usize>,
}

impl InLoop {
    /// Could it move all the time, and never does?
    pub fn is_starved(&self) -> bool {
        !self.moves && self.blocked_at.is_none()
    }
}

/// Checks that the steps of a path, which has shown these states and ended in this one, are such a lasso; with these times,
/// in a timed model.
pub fn confirm<'n>(
    lasso: &Lasso<'_>,
    path: &[&[Move]],
    mut word: Word<'n>,
    last: &RefState,
    timing: Option<&Timing>,
) -> Result<Confirmed<'n>, ReplayError> {
    let not_a_loop = |why: &'static str| Err(ReplayError::NotALoop { why });
    let reference = word.reference();
    let Some(loop_length) = path.len().checked_sub(lasso.loop_start) else {
        return not_a_loop("it begins past the end of the trace");
    };
    let (Some(back), Some(end)) = (word.after(lasso.loop_start), word.after(path.len())) else {
        return not_a_loop("it begins or ends inside an uninterrupted chain");
    };
    let mut waits = false;
    if loop_length == 0 {
        let rest = match timing {
            Some(timing) => rest::in_time(reference, last, &timing.end),
            None => reference.is_at_rest(last).then_some(Rest::Stuck),
        };
        let Some(rest) = rest else { return not_a_loop("the run could go on, but is said to rest") };
        waits = rest == Rest::Waiting;
    } else {
        if word.states()[back] != word.states()[end] {
            return not_a_loop("its last step does not lead back to its beginning");
        }
        if again(reference, &path[lasso.loop_start..], last).as_ref() != Some(&word.states()[back]) {
            return not_a_loop("it cannot be gone through twice");
        }
        if timing.is_some_and(|timing| !rest::comes_back(timing, lasso.loop_start, lasso.constants)) {
            return not_a_loop("the clocks do not come back to where they were");
        }
        word.drop_last();
    }
    // Clocks decide who can move, so nobody is called idle or starved in a timed model.
    let processes = if loop_length == 0 || timing.is_some() {
        Vec::new()
    } else {
        processes(&word, back, &path[lasso.loop_start..])
    };
    if lasso.fair && processes.iter().any(InLoop::is_starved) {
        return not_a_loop("it is said to be fair, but leaves out a process that could always move");
    }
    let matched = match lasso.of {
        Violated::Formula { .. } | Violated::Nothing { .. } => None,
        Violated::Never(claim) => never::matches(claim, &word, back),
    };
    let is_violated = match lasso.of {
        Violated::Formula { formula } => !word.satisfies(formula, back),
        Violated::Nothing { formula } => word.satisfies(formula, back),
        Violated::Never(_) => matched.is_some(),
    };
    if !is_violated {
        return Err(ReplayError::NotAsClaimed { claimed: Claim::Lasso(*lasso).describe() });
    }
    let shape = LassoShape { loop_start: lasso.loop_start, loop_length, fair: lasso.fair, waits };
    Ok(Confirmed { word, back, shape, matched, processes })
}

/// The state that is seen after these steps, if they are possible.
fn again(reference: Reference<'_>, steps: &[&[Move]], from: &RefState) -> Option<RefState> {
    let mut state = from.clone();
    for step in steps {
        state = reference.apply(&state, step).ok()?.result.ok()?;
    }
    reference.visible(&state)
}

fn processes(word: &Word<'_>, back: usize, steps: &[&[Move]]) -> Vec<InLoop> {
    let states = &word.states()[back..];
    let lasting = states.iter().map(|state| state.processes.len()).min().unwrap_or(0);
    let mut found: Vec<InLoop> = (0..lasting).map(|pid| InLoop { pid, moves: false, blocked_at: None }).collect();
    for m in steps.iter().copied().flatten() {
        if let Some(process) = found.get_mut(m.process as usize) {
            process.moves = true;
        }
    }
    for (at, state) in states.iter().enumerate() {
        if found.iter().all(|p| p.moves || p.blocked_at.is_some()) {
            break;
        }
        let possible = word.reference().micro_steps(state);
        for process in &mut found {
            let can_move = possible.iter().any(|s| s.moves.first().is_some_and(|m| m.process as usize == process.pid));
            if !can_move && process.blocked_at.is_none() {
                process.blocked_at = Some(back + at);
            }
        }
    }
    found
}

/// More steps than this are not taken to see what becomes of a prefix.
const MOST_STEPS: usize = 1_000_000;

/// Why a formula has no chance after a path.
pub enum Lost<'f> {
    /// Every continuation violates it.
    Violated,
    /// This condition of it has no value in the last state.
    Undefined(&'f Expr, EvalError),
}

/// Does every continuation of this path violate the formula, or has it no value? Where that cannot be seen from the path
/// alone, one continuation is looked at: one that the model has or, if none is found, one that stays where it is.
pub fn confirm_prefix<'f>(formula: &'f Formula, word: &Word<'_>, last: &RefState) -> Option<Lost<'f>> {
    if word.has_lost(formula) {
        return Some(Lost::Violated);
    }
    if let Some((condition, error)) = word.without_value(formula) {
        return Some(Lost::Undefined(condition, error));
    }
    let mut longer = word.clone();
    let back = longer.extend(last, MOST_STEPS).or(longer.states().len().checked_sub(1))?;
    (!longer.satisfies(formula, back)).then_some(Lost::Violated)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::TraceDocument;
    use crate::replay::{Trace, replay};
    use crate::testing::{formula, moves, network, text};
    use bughound_ir::network::Network;
    use bughound_ir::question::Question;

    /// Says `req` and never `ack`, though it could; counts to three meanwhile.
    const DEAF: &str = "bool req, ack; byte n;
        active proctype Client() { req = 1; do :: n = 1; n = 2; n = 3 od }
        active proctype Server() { req; ack = 1 }";

    const DEAF_RUN: [(u16, &str); 7] =
        [(0, "req = 1"), (0, "n = 1"), (0, "n = 2"), (0, "n = 3"), (0, "n = 1"), (0, "n = 2"), (0, "n = 3")];

    fn with(model: &str, formula: &str) -> Network {
        network(&format!("{model}\nltl live {{ {formula} }}"))
    }

    fn claimed(net: &Network, run: &[(u16, &str)], loop_start: usize, fair: bool) -> Result<Trace, ReplayError> {
        let of = Violated::Formula { formula: formula(net) };
        replay(net, &moves(net, run), &Claim::Lasso(Lasso { of, loop_start, fair, constants: &[] }))
    }

    fn why(result: Result<Trace, ReplayError>) -> String {
        result.unwrap_err().to_string()
    }

    #[test]
    fn a_loop_that_violates_a_formula() {
        let net = with(DEAF, "[] (req -> <> ack)");
        let trace = claimed(&net, &DEAF_RUN, 4, false).unwrap();
        assert_eq!(
            (trace.length, trace.lasso),
            (7, Some(LassoShape { loop_start: 4, loop_length: 3, fair: false, waits: false }))
        );
        assert_eq!(trace.reason.headline, "`[] (req -> <> ack)` is false of the run that repeats this loop");
        // Any part of the loop may come first.
        assert!(claimed(&net, &DEAF_RUN[..6], 3, false).is_ok());
        // The formula must be false of the run, the run be one, and the loop be closed.
        let satisfied = with(DEAF, "<> (n == 3) && [] <> (n == 1)");
        assert_eq!(
            why(claimed(&satisfied, &DEAF_RUN, 4, false)),
            "the trace does not end in a loop that violates the formula"
        );
        let open = "the loop of the trace is wrong: its last step does not lead back to its beginning";
        assert_eq!(why(claimed(&net, &DEAF_RUN, 3, false)), open);
        assert_eq!(why(claimed(&net, &DEAF_RUN, 1, false)), open);
        assert!(why(claimed(&net, &DEAF_RUN, 8, false)).ends_with("past the end of the trace"));
        assert!(why(claimed(&net, &DEAF_RUN, 7, false)).ends_with("could go on, but is said to rest"));
    }

    #[test]
    fn nested_operators() {
        for (formula, expected) in [
            ("X (req && X (n == 1))", true),
            ("X X X (n == 1)", false),
            ("(!req) U (req && n == 0)", true),
            ("(n < 2) W (n == 3)", false),
            ("(n == 2) V (n < 3)", true),
            ("(n == 3) V (n < 2)", false),
            ("<> [] (n != 0) && [] <> (n == 3)", true),
            ("<> ((n == 1) && X ((n == 2) U ((n == 3) && X (n == 3))))", false),
            ("(req U ack) || (!req)", true),
            ("<> ack", false),
        ] {
            assert_eq!(claimed(&with(DEAF, formula), &DEAF_RUN, 4, false).is_err(), expected, "{formula}");
        }
    }

    #[test]
    fn fair_loops_leave_nobody_out() {
        let net = with(DEAF, "[] (req -> <> ack)");
        assert!(why(claimed(&net, &DEAF_RUN, 4, true)).contains("leaves out a process that could always move"));
        let unfair = claimed(&net, &DEAF_RUN, 4, false).unwrap();
        assert_eq!(unfair.reason.cycle.as_ref().unwrap().starved, ["Server(1)"]);
        // A process that is blocked now and then need not move; nor one that waits for ever.
        let model = "bool on; active proctype Toggle() { do :: on = 1; on = 0 od }
            active proctype Waits() { on } active proctype Stuck() { false }";
        let net = with(model, "<> [] on");
        let run = [(0, "on = 1"), (0, "on = 0")];
        let trace = claimed(&net, &run, 0, true).unwrap();
        let facts = trace.reason.cycle.as_ref().unwrap();
        assert_eq!((facts.moving.join(","), facts.starved.len(), facts.idle.len()), ("Toggle(0)".into(), 0, 2));
        assert_eq!(facts.idle[0].waits[0].why, "`on` is false (on = 0)");
    }

    #[test]
    fn runs_that_come_to_rest() {
        let model = "byte x; active proctype P() { x = 1; x == 2 }";
        let net = with(model, "<> (x == 2)");
        let trace = claimed(&net, &[(0, "x = 1")], 1, true).unwrap();
        assert_eq!(trace.lasso, Some(LassoShape { loop_start: 1, loop_length: 0, fair: true, waits: false }));
        assert_eq!(trace.reason.blocked[0].waits[0].why, "`x == 2` is false (x = 1)");
        assert_eq!(
            serde_json::to_value(TraceDocument::from(&trace)).unwrap()["loop"],
            serde_json::json!({ "start": 1, "length": 0, "fair": true })
        );
        assert!(text(&trace).contains("── nothing can move any more: this state lasts for ever ──"));
        assert!(claimed(&with(model, "<> [] (x == 1)"), &[(0, "x = 1")], 1, false).is_err());
        // One that is at rest from the beginning.
        let net = with("byte x; active proctype P() { x == 2 }", "<> (x == 2)");
        let trace = claimed(&net, &[], 0, true).unwrap();
        assert!(text(&trace).contains("lasts for ever"), "{}", text(&trace));
    }

    #[test]
    fn nobody_sees_the_inside_of_a_chain() {
        let model = "byte x; active proctype P() { do :: atomic { x = 1; x = 2; x = 0 } od }";
        let run = [(0, "x = 1"), (0, "x = 2"), (0, "x = 0")];
        assert!(claimed(&with(model, "<> (x == 1)"), &run, 0, true).is_ok());
        assert!(claimed(&with(model, "<> (x == 0)"), &run, 0, true).is_err());
        let twice = [run, run].concat();
        let inside = why(claimed(&with(model, "<> (x == 1)"), &twice[..4], 1, false));
        assert!(inside.ends_with("inside an uninterrupted chain"), "{inside}");
        // A chain that is interrupted where it blocks shows that state.
        let model = "byte x, go; active proctype P() { do :: atomic { x = 1; go == 1; x = 0 } od }
            active proctype Q() { do :: go = 1; go = 0 od }";
        let run = [(0, "x = 1"), (1, "go = 1"), (0, "(go==1)"), (0, "x = 0"), (1, "go = 0")];
        let net = with(model, "<> [] (x == 0) || (x == 0) U (x == 2)");
        assert!(claimed(&net, &run, 0, true).is_ok());
    }

    #[test]
    fn failing_steps_are_no_run() {
        let net = with("int x; active proctype P() { do :: x = 1 / x od }", "<> (x == 1)");
        assert!(why(claimed(&net, &[(0, "x = 1/x")], 0, false)).contains("does not end in"));
    }

    fn never(net: &Network) -> TemplateId {
        let found = net.properties.iter().find_map(|p| match p.question {
            Question::Never(template) => Some(template),
            _ => None,
        });
        found.unwrap()
    }

    #[test]
    fn claims_accept_loops() {
        // Never: from some point on x is 0 for ever.
        const CLAIM: &str = "byte x; active proctype P() { x = 1; do :: x = 0 :: x = 2; x = 0 od }
            never { do :: true :: x == 0 -> break od;\naccept: do :: x == 0 od }";
        let net = network(CLAIM);
        let claimed = |run: &[(u16, &str)], loop_start| {
            let of = Violated::Never(never(&net));
            replay(&net, &moves(&net, run), &Claim::Lasso(Lasso { of, loop_start, fair: false, constants: &[] }))
        };
        let trace = claimed(&[(0, "x = 1"), (0, "x = 0"), (0, "x = 0")], 2).unwrap();
        assert_eq!(trace.reason.headline, "the claim `never` comes through `accept` again and again");
        assert_eq!(trace.reason.source.as_ref().unwrap().line, 3);
        // The claim cannot follow this loop.
        let other = claimed(&[(0, "x = 1"), (0, "x = 0"), (0, "x = 2"), (0, "x = 0")], 2).unwrap_err();
        assert_eq!(other.to_string(), "the trace does not end in a loop that the never claim accepts");
    }

    #[test]
    fn claims_can_need_several_rounds_and_can_end() {
        // Accepts only every second time round: a counter of the claim's own.
        let model = "byte x; active proctype P() { do :: x = 1; x = 0 od }";
        let run = [(0, "x = 1"), (0, "x = 0")];
        let claimed = |claim: &str| {
            let net = network(&format!("{model} never {{ {claim} }}"));
            let of = Violated::Never(never(&net));
            replay(&net, &moves(&net, &run), &Claim::Lasso(Lasso { of, loop_start: 0, fair: true, constants: &[] }))
        };
        assert!(claimed("do :: true; true; true; accept: true od").is_ok());
        assert!(claimed("do :: true; true; true; progress: true od").is_err());
        // Comes through an accepting location only once.
        assert!(claimed("accept: true; do :: true od").is_err());
        let ended = claimed("true; true; x == 0; true").unwrap();
        assert!(ended.reason.headline.contains("has got to its end"), "{:?}", ended.reason);
        // At rest the claim goes on moving.
        let net = network("byte x; active proctype P() { x == 1 } never { true; true; accept: do :: x == 0 od }");
        let of = Violated::Never(never(&net));
        let trace = replay(&net, &[], &Claim::Lasso(Lasso { of, loop_start: 0, fair: true, constants: &[] })).unwrap();
        assert_eq!(trace.reason.headline, "the claim `never` can stay at `accept` for ever");
    }

    #[test]
    fn prefixes() {
        let model = "byte x; active proctype P() { do :: x = 1 :: x = 2 od }";
        let check = |formula_text: &str, run: &[(u16, &str)]| {
            let net = with(model, formula_text);
            replay(&net, &moves(&net, run), &Claim::Prefix { formula: formula(&net) })
        };
        let (one, two) = ((0, "x = 1"), (0, "x = 2"));
        let trace = check("(x == 0) U (x == 2)", &[one]).unwrap();
        assert_eq!(trace.reason.headline, "`(x == 0) U (x == 2)` is false of every run that begins like this");
        assert_eq!((trace.lasso, trace.reason.parts.len()), (None, 2));
        assert!(check("(x == 0) U (x == 2)", &[two]).is_err());
        // That this is lost cannot be seen from the prefix, but it shows in what follows.
        assert!(check("<> (x == 3 && x == 4) || [] (x == 0)", &[one]).is_ok());
        assert!(check("<> (x == 2 || x == 1)", &[]).is_err());
    }

    #[test]
    fn the_whole_text() {
        let net = with(DEAF, "[] (req -> <> ack)");
        let found = text(&claimed(&net, &DEAF_RUN, 4, false).unwrap());
        let expected = "   1   Client(0)  line 2  req = 1   req: 0 → 1
   2   Client(0)  line 2  n = 1     n: 0 → 1
   3   Client(0)  line 2  n = 2     n: 1 → 2
   4   Client(0)  line 2  n = 3     n: 2 → 3
       ── the loop starts here: from now on these 3 steps repeat for ever ──
   5   Client(0)  line 2  n = 1     n: 3 → 1
   6   Client(0)  line 2  n = 2     n: 1 → 2
   7   Client(0)  line 2  n = 3     n: 2 → 3
       ── back to the state after step 4 ──

`[] (req -> <> ack)` is false of the run that repeats this loop
  `req` is true after step 1 and for ever
  `ack` is never true
  could always move, but never do (the run is not fair to them): Server(1)
";
        assert_eq!(found, expected, "{found}");
    }

    #[test]
    fn json_and_charts_show_the_loop() {
        let model = "chan q = [1] of { byte }; byte x;
            active proctype P() { do :: q!1 od } active proctype Q() { do :: q?x od }";
        let net = with(model, "<> (x == 2)");
        let run = [(0, "q!1"), (1, "q?x"), (0, "q!1"), (1, "q?x")];
        let trace = claimed(&net, &run, 2, true).unwrap();
        let json = serde_json::to_value(TraceDocument::from(&trace)).unwrap();
        assert_eq!(json["loop"], serde_json::json!({ "start": 2, "length": 2, "fair": true }));
        assert_eq!((&json["loop_start"], &json["length"]), (&2.into(), &4.into()));
        assert_eq!(json["cycle"]["conditions"][0]["in_loop"], "never");
        assert!(text(&trace).contains("  moving in the loop: P(0), Q(1)"), "{}", text(&trace));
        let mut chart = crate::chart::chart_of(&net, &trace.moves).unwrap();
        chart.end_with(&trace.reason);
        chart.lasso = trace.lasso;
        let drawn = crate::chart::render_chart(&chart, &crate::chart::ChartOptions::default());
        let lines: Vec<&str> = drawn.lines().map(str::trim).collect();
        let start = lines.iter().position(|l| l.contains("the loop starts here")).unwrap();
        assert!(lines[start - 1].starts_with('2') && lines[start + 1].starts_with('3'), "{drawn}");
        assert!(drawn.contains("back to the state after step 2"), "{drawn}");
        let picture = crate::chart::render_svg(&chart, "m", false);
        assert!(picture.contains("<title>the loop</title>") && picture.contains("back to the state after step 2"));
    }
}
