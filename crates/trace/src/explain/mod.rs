//! Why: the reason at the end of a trace, with the values that make it plain.

mod blocked;
mod condition;
pub(crate) mod cycle;
mod protocol;

use bughound_ir::edge::{Action, EdgeId};
use bughound_ir::expr::Expr;
use bughound_ir::network::TemplateId;
use bughound_ir::reference::{EvalError, FailureInfo, MicroStep, RefState, Reference};
use bughound_kernel::FailureKind;

use crate::claim::Claim;
use crate::expression::Viewpoint;
use crate::naming;
use crate::never::{ClaimWatch, Completion};
use crate::replay::Place;

pub use blocked::{BlockedProcess, Wait};
pub use condition::FalsePart;
pub use cycle::{ConditionInRun, CycleFacts, InCycle};

/// The reason for a violation.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Reason {
    /// One line: what happened.
    pub headline: String,
    /// It is that a condition of the property has no value.
    pub no_value: bool,
    /// Where, if it is one place.
    pub source: Option<Place>,
    /// For a deadlock every process, for an error of a protocol those concerned: where it stands and why it does not move.
    pub blocked: Vec<BlockedProcess>,
    /// For a condition: the parts that decide it, with the values in them.
    pub parts: Vec<FalsePart>,
    /// For a loop: what is true in it and who moves there.
    pub cycle: Option<CycleFacts>,
}

/// The reason when there is no first state.
pub(crate) fn no_initial_state(error: EvalError) -> Reason {
    Reason { headline: format!("the initial values cannot be computed: {error}"), ..Reason::default() }
}

/// The reason for a claim that was found true.
pub(crate) fn explain(
    reference: Reference<'_>,
    last: Option<&MicroStep>,
    state: &RefState,
    claim: &Claim<'_>,
    watch: Option<&ClaimWatch<'_>>,
) -> Reason {
    match claim {
        Claim::Deadlock => blocked::explain(reference, state),
        Claim::Failure(failure) => {
            let infos = last.into_iter().flat_map(|step| step.soft_failures.iter().chain(step.result.as_ref().err()));
            match infos.into_iter().find(|info| info.failure == *failure) {
                Some(info) => failed(reference, state, info),
                None => Reason::default(),
            }
        }
        Claim::Condition { condition, expected } => {
            let view = Viewpoint { reference, state, own: None };
            protocol::explain(view, condition, *expected)
                .unwrap_or_else(|| condition::explain(view, condition, *expected))
        }
        Claim::Never(claim) => match watch.and_then(ClaimWatch::completed) {
            Some(completion) => {
                let view = Viewpoint { reference, state, own: None };
                completed(view, *claim, completion)
            }
            None => Reason::default(),
        },
        // Explained with all states of the run: see `cycle`.
        Claim::Lasso(_) | Claim::Prefix { .. } => Reason::default(),
        Claim::NoInitialState => Reason::default(),
    }
}

fn completed(view: Viewpoint<'_>, claim: TemplateId, completion: Completion) -> Reason {
    let network = view.reference.network();
    let (name, edge) = (network.template(claim).name.trim_matches(':'), network.edge(completion.edge));
    let source = Some(Place::of(network, edge.span));
    let Some(error) = completion.error else {
        let headline = format!("the claim `{name}` has got to its end, last with `{}`", edge.text);
        return Reason { headline, source, ..Reason::default() };
    };
    let asserted = edge.target().actions.iter().filter_map(|action| match action {
        Action::Assert { condition, .. } => Some(condition),
        _ => None,
    });
    let broken = edge.guards.iter().chain(asserted).find(|condition| view.truth(condition) == Err(error));
    let reason = match broken {
        Some(condition) => undefined(view, &format!("the claim `{name}`"), condition, error),
        None => Reason { headline: format!("evaluation error in the claim `{name}`: {error}"), ..Reason::default() },
    };
    Reason { source, ..reason }
}

/// A condition of a property that has no value.
fn undefined(view: Viewpoint<'_>, of: &str, condition: &Expr, error: EvalError) -> Reason {
    let (text, values) = (view.text(condition), view.values_in_parentheses(condition));
    Reason {
        headline: format!("evaluation error in {of}: `{text}` has no value here{values}: {error}"),
        no_value: true,
        ..Reason::default()
    }
}

fn failed(reference: Reference<'_>, before: &RefState, info: &FailureInfo) -> Reason {
    let network = reference.network();
    let source = Place::of(network, network.edge(EdgeId(info.failure.edge)).span);
    let process = naming::process_in(network, before, info.process);
    let headline = match info.failure.kind {
        FailureKind::Assertion => format!("{} in {process}", info.message),
        FailureKind::Evaluation => format!("evaluation error in {process}: {}", info.message),
    };
    Reason { headline, source: Some(source), ..Reason::default() }
}

#[cfg(test)]
mod tests {
    use crate::testing::{Wanted, network, text, trace};

    fn deadlock(model: &str) -> String {
        let trace = trace(&network(model), Wanted::Deadlock);
        let waits = trace.reason.blocked.iter().flat_map(|b| &b.waits).map(|w| format!("{} | {}", w.text, w.why));
        waits.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn failed_assertions_show_their_values() {
        let net = network("byte x = 3, a[2];\nactive proctype P() {\n a[1] = 1;\n assert(x < a[1])\n}");
        let trace = trace(&net, Wanted::Failure);
        assert_eq!(trace.reason.headline, "assertion violated: x<a[1] (x = 3, a[1] = 1) in P(0)");
        assert_eq!(trace.reason.source.as_ref().unwrap().line, 4);
        assert_eq!((trace.length, trace.steps.len()), (2, 2));
    }

    #[test]
    fn evaluation_errors_say_which() {
        let net = network("int x; active proctype P() { x = 1 / x }");
        let trace = trace(&net, Wanted::Failure);
        assert!(trace.reason.headline.starts_with("evaluation error in P(0): division by zero"), "{:?}", trace.reason);
    }

    #[test]
    fn full_and_empty_channels() {
        let found = deadlock("chan q = [1] of { byte }; active proctype P() { q!1; q!2 }");
        assert_eq!(found, "q!2 | channel q is full (1 of 1)");
        let found = deadlock("chan q = [1] of { byte }; active proctype P() { byte x; q?x }");
        assert_eq!(found, "q?x | no message in q");
        let found = deadlock("mtype = {a, b}; chan q = [1] of { mtype, byte }; active proctype P() { q!a,1; q?b,1 }");
        assert_eq!(found, "q?b,1 | the oldest message in q, [a,1], does not match");
        let found = deadlock("chan q = [2] of { byte }; active proctype P() { q!1; q!2; q??3 }");
        assert_eq!(found, "q??3 | no message in q matches: [1] [2]");
    }

    #[test]
    fn rendezvous_without_partner() {
        let found = deadlock("chan r = [0] of { byte }; active proctype P() { r!1 }");
        assert_eq!(found, "r!1 | no partner for the rendezvous on r: nobody receives");
        let found = deadlock("chan r = [0] of { byte }; active proctype P() { byte x; r?x }");
        assert_eq!(found, "r?x | no partner for the rendezvous on r: nobody sends");
    }

    #[test]
    fn local_channels_and_channels_in_parameters() {
        let found = deadlock("proctype Q(chan c) { c!1; c!2 } init { chan own = [1] of { byte }; run Q(own) }");
        assert!(found.contains("c!2 | channel init(0):own is full (1 of 1)"), "{found}");
    }

    #[test]
    fn false_guards_show_the_false_conjuncts() {
        let found = deadlock("byte x, y = 1; active proctype P() { byte z; (y == 1 && x + z > 2) }");
        assert!(found.ends_with(" | `x + z > 2` is false (x = 0, z = 0)"), "{found}");
        let found = deadlock("mtype = {a, b}; mtype m = a; active proctype P() { m == b }");
        assert!(found.ends_with("| `m == b` is false (m = a)"), "{found}");
    }

    #[test]
    fn blocked_d_steps_and_provided_clauses() {
        let found = deadlock("byte x; active proctype P() { d_step { x == 1; x = 2 } }");
        assert!(found.ends_with("`x == 1` is false (x = 0)"), "{found}");
        let found = deadlock("byte x; active proctype P() provided (x == 1) { x = 2 }");
        assert!(found.ends_with("the provided clause `x == 1` is false (x = 0)"), "{found}");
    }

    #[test]
    fn processes_that_wait_for_younger_ones() {
        let found = deadlock("proctype Q() { false } init { run Q() }");
        assert!(found.contains("waits for younger processes to end (Q(1))"), "{found}");
        assert!(found.contains("is never executable"), "{found}");
    }

    #[test]
    fn invariants_name_their_false_parts() {
        let model = "byte x, y; active proctype P() { x = 2; y = 3 } ltl inv { [] (x < 9 && (x != 2 || y != 3)) }";
        let trace = trace(&network(model), Wanted::Invariant);
        let parts: Vec<_> = trace.reason.parts.iter().map(|p| (p.text.as_str(), p.values.clone())).collect();
        let value = |name: &str, value: &str| vec![(name.to_string(), value.to_string())];
        assert_eq!(parts, [("x != 2", value("x", "2")), ("y != 3", value("y", "3"))]);
        assert!(trace.reason.headline.starts_with("invariant violated: `x < 9 && (x != 2 || y != 3)`"));
    }

    #[test]
    fn invariants_over_other_processes() {
        let model = "active proctype P() { byte x; x = 2; L: x = 3 } ltl inv { [] !(P@L && P:x == 2) }";
        let trace = trace(&network(model), Wanted::Invariant);
        let parts: Vec<_> = trace.reason.parts.iter().map(|p| (p.text.as_str(), p.is_true)).collect();
        assert_eq!(parts, [("P@L", true), ("P:x == 2", true)]);
    }

    #[test]
    fn the_whole_text() {
        let model = "chan q = [1] of { byte, byte };\nchan r = [0] of { byte };\nbyte x;\n\
            active proctype P() {\n  q!1,2;\n  atomic { x = 1; r!7 };\n  printf(\"hi\\n\");\n  false\n}\n\
            active proctype Q() {\n  byte y;\n  r?y\n}";
        let found = text(&trace(&network(model), Wanted::Deadlock));
        let expected = "   1   P(0)  line 5   q!1,2            q: empty → [1,2]
   2 ┌ P(0)  line 6   x = 1            x: 0 → 1
   3 │ P(0)  line 6   r!7
     └ Q(1)  line 12  r?y              Q(1):y: 0 → 7
   4   Q(1)  line 13  -end-            Q(1) ends
   5   P(0)  line 7   printf(\"hi\\n\")
       prints: hi

deadlock: the only process cannot go on
  P(0)  line 8  (false)   it is never executable
";
        assert_eq!(found, expected, "{found}");
    }
}
