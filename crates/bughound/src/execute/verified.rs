//! `--reduction check`: what a reduction leaves out is compared with what it would be, state by state and in its answers.

use bughound_ir::edge::EdgeId;
use bughound_ir::network::Network;
use bughound_kernel::Move;
use bughound_semantics::reduction::{Contradiction, Verified};
use bughound_trace::{Place, process_name};

use crate::check::{CheckReport, CheckRequest, PropertyReport, check};
use crate::model::Model;
use crate::run::{Hooks, ReductionMode, RunError, RunStats};
use crate::verdict::Verdict;

/// Ends a search whose reduction has broken its word; notes how many states were compared.
pub(crate) fn kept(verified: &Verified, stats: &mut RunStats) -> Result<(), RunError> {
    stats.compared = Some(verified.compared());
    match verified.contradiction() {
        None => Ok(()),
        Some(found) => Err(RunError::Internal(in_words(verified.system().network(), &found))),
    }
}

fn in_words(network: &Network, found: &Contradiction) -> String {
    let mut text = format!("--reduction check: {}", found.rule);
    for (what, steps) in
        [("chosen", &found.chosen), ("left out and taken first", &found.outside), ("then", &found.steps)]
    {
        if !steps.is_empty() {
            let steps: Vec<String> = steps.iter().map(|moves| step(network, moves)).collect();
            text.push_str(&format!("\n  {what}: {}", steps.join("; ")));
        }
    }
    text
}

/// Who does what, and where it stands.
fn step(network: &Network, moves: &[Move]) -> String {
    let one = |made: &Move| {
        let edge = network.edge(EdgeId(made.edge));
        let process = process_name(network, network.location(edge.from).template, made.process.into());
        format!("{process} `{}` (line {})", edge.text, Place::of(network, edge.span).line)
    };
    moves.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// Checks once more with all steps, and compares the answers.
pub(crate) fn compare_with_whole(
    model: &Model,
    request: &CheckRequest,
    hooks: &Hooks<'_>,
    report: &mut CheckReport,
) -> Result<(), RunError> {
    let mut run = request.run.clone();
    run.reduction = ReductionMode::Off;
    let hooks = Hooks { stop: hooks.stop.clone(), ..Hooks::default() };
    let whole = check(model, &CheckRequest { run, ..request.clone() }, hooks)?;
    let mut compared = 0;
    for (reduced, whole) in report.properties.iter().zip(&whole.properties) {
        compared += usize::from(agree(reduced, whole)?);
    }
    let states = report.stats.as_ref().and_then(|stats| stats.compared).unwrap_or(0);
    let of = report.properties.len();
    let states = if states == 1 { "1 state".into() } else { format!("{states} states") };
    report.note(&format!(
        "--reduction check: the steps chosen in {states} were compared with all steps, and {compared} of {of} answers with \
         those of a search that takes all steps"
    ));
    Ok(())
}

/// Are the answers the same? False if one is missing.
fn agree(reduced: &PropertyReport, whole: &PropertyReport) -> Result<bool, RunError> {
    let is_open = |found: &PropertyReport| matches!(found.verdict, Verdict::Limit | Verdict::Inconclusive);
    if is_open(reduced) || is_open(whole) {
        return Ok(false);
    }
    let cost = |found: &PropertyReport| found.trace.as_ref().map(|trace| trace.cost);
    let about = |found: &PropertyReport| {
        let length = cost(found).map_or(String::new(), |cost| format!(", cost {cost}"));
        format!("{}{length}", found.verdict)
    };
    let both_proven = reduced.proven_shortest && whole.proven_shortest;
    if reduced.verdict != whole.verdict || (both_proven && cost(reduced) != cost(whole)) {
        let (name, some, all) = (&reduced.name, about(reduced), about(whole));
        let why = format!("--reduction check: `{name}`: {some} with some of the steps, {all} with all of them");
        return Err(RunError::Internal(why));
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Language;
    use crate::model::{ModelOptions, load_text};
    use bughound_ir::question::{Property, Question};
    use bughound_kernel::{Keep, Part, StateBuf, TransitionSystem};
    use bughound_semantics::DiscreteSystem;
    use bughound_semantics::reduction::{Preserve, Reduction};
    use std::ops::ControlFlow;
    use std::sync::Arc;

    /// The two processes write the same variable.
    const BOTH_WRITE: &[u8] =
        b"byte x, y;\nactive proctype P() { x = 1 }\nactive proctype Q() { x = 2; x = x + 1; y = 1 }";

    fn network() -> Network {
        let model = load_text("m.pml", BOTH_WRITE, Language::Promela, &ModelOptions::default()).unwrap();
        (*model.network).clone()
    }

    /// Makes the first choice of a reduction that was made for this network.
    fn verify(analysed: Network) -> Result<(), RunError> {
        let preserve = Preserve { failures: true, conditions: Vec::new() };
        let reduction = Reduction::new(&Arc::new(analysed), preserve.clone()).unwrap();
        let verified = Verified::new(DiscreteSystem::new(network(), &[]).reduced_by(reduction), &preserve);
        let mut explorer = verified.explorer();
        let mut initial = StateBuf::default();
        explorer.initial(&mut |state| initial.set(state));
        explorer.part(initial.as_state(), Part::Reduced(Keep::Errors), &mut |_| ControlFlow::Continue(()));
        verified.contradiction().map_or(Ok(()), |found| Err(RunError::Internal(in_words(&network(), &found))))
    }

    #[test]
    fn a_forgotten_write_is_a_contradiction_in_words() {
        assert!(verify(network()).is_ok());
        // An analysis that does not see that P writes x.
        let mut blind = network();
        let edge = blind.edges.iter_mut().find(|edge| edge.text == "x = 1").unwrap();
        edge.destinations.iter_mut().for_each(|destination| destination.actions.clear());
        let error = verify(blind).unwrap_err().to_string();
        for part in [
            "lead to different states in different orders",
            "chosen: Q(1) `x = 2` (line 3)",
            "then: Q(1) `x = 2` (line 3); P(0) `x = 1` (line 2)",
        ] {
            assert!(error.contains(part), "`{part}` is missing in {error}");
        }
    }

    #[test]
    fn different_answers_are_an_internal_error() {
        let asked = Property { question: Question::Deadlock, ..network().properties[0].clone() };
        let with = |verdict| PropertyReport { verdict, ..PropertyReport::undecided(&asked) };
        assert!(matches!(agree(&with(Verdict::Holds), &with(Verdict::Holds)), Ok(true)));
        assert!(matches!(agree(&with(Verdict::Holds), &with(Verdict::Limit)), Ok(false)));
        assert!(matches!(agree(&with(Verdict::Holds), &with(Verdict::Violated)), Err(RunError::Internal(_))));
    }
}
