//! What pattern databases are like, for people who wonder why an estimate is as good or bad as it is.

use bughound_kernel::registry::{BuildError, Expression};

use crate::context::BuildCx;
pub use crate::patterns::accuracy::PatternDiagnosis;
use crate::{entry_and_args, pdb, pdbs};

/// The abstractions of a heuristic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnosis {
    /// None if every state may be an error, as far as abstractions can tell: such are deadlocks of timed models.
    pub patterns: Vec<PatternDiagnosis>,
    /// Numbers of patterns whose distances are added; the largest sum is the estimate.
    pub sums: Vec<Vec<usize>>,
    /// Each pattern is for one of the errors: the least distance is the estimate.
    pub for_each_error: bool,
    /// Of the initial state; `None`: there is no error in an abstraction, so there is none in the model.
    pub estimate: Option<u64>,
}

impl Diagnosis {
    pub(crate) const HOPELESS: Diagnosis =
        Diagnosis { patterns: Vec::new(), sums: Vec::new(), for_each_error: false, estimate: Some(0) };
}

/// Builds the abstractions that `expression` asks for, and tells about them.
pub fn diagnose(cx: &BuildCx<'_, '_>, expression: &Expression) -> Result<Diagnosis, BuildError> {
    let (entry, args) = entry_and_args(expression)?;
    match entry.name {
        "pdb" => Ok(pdb::PatternDatabase::new(cx, &args)?.diagnosis(cx.system.network())),
        "pdbs" => Ok(pdbs::PatternDatabases::new(cx, &args).diagnosis(cx.system.network())),
        name => {
            let message = format!("`{name}` has no abstraction to tell about; `pdb` and `pdbs` have");
            Err(BuildError::new(message, expression.at.clone()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{system, violation};
    use bughound_kernel::Unwatched;
    use bughound_kernel::registry::expression;

    fn diagnosed(text: &str, heuristic: &str) -> Result<Diagnosis, BuildError> {
        let system = system(text);
        let targets = violation(&system);
        let read_expression = |_: &str| Err("none here".to_string());
        let cx = BuildCx {
            system: &system,
            targets: &targets,
            goal_state: None,
            read_expression: &read_expression,
            watch: &Unwatched,
        };
        diagnose(&cx, &expression::parse(heuristic).unwrap())
    }

    const LOCK: &str = "byte key, x;
        active proctype P() { do :: d_step { key < 4 -> key++ } od }
        active proctype Q() { d_step { key == 4 -> x = 1 } }
        ltl { [] (x == 0) }";

    #[test]
    fn what_is_left_out_makes_a_difference() {
        let found = diagnosed(LOCK, "pdb(pattern='x')").unwrap();
        let [pattern] = &found.patterns[..] else { panic!("{found:?}") };
        assert_eq!((&pattern.kept[..], pattern.states, pattern.distance), (&["x".to_string()][..], 2, Some(1)));
        assert!(pattern.left_out.contains(&"key".to_string()));
        // A relaxed plan has every operator once.
        assert_eq!((pattern.relaxed_everything, pattern.relaxed_kept), (Some(2), Some(1)));
        assert!(!pattern.is_relatively_accurate() && !pattern.only_safe_variables_left_out);
        let found = diagnosed(LOCK, "pdb(everything)").unwrap();
        assert_eq!((found.estimate, found.sums), (Some(5), vec![vec![0]]));
        let whole = &found.patterns[0];
        assert!(whole.left_out.is_empty() && whole.is_relatively_accurate() && whole.only_safe_variables_left_out);
    }

    #[test]
    fn a_switch_that_anybody_can_turn_is_safe_to_leave_out() {
        let text = "bool on; byte x;
            active proctype S() { do :: on = !on od }
            active proctype P() { do :: d_step { on && x < 3 -> x++ } od }
            ltl { [] (x < 3) }";
        let pattern = diagnosed(text, "pdb(pattern='x, P')").unwrap().patterns.remove(0);
        assert_eq!((pattern.left_out, pattern.distance), (vec!["on".to_string()], Some(3)));
        assert!(pattern.only_safe_variables_left_out && pattern.only_simple_clocks_left_out);
    }

    #[test]
    fn several_patterns_and_their_sums() {
        let text = "byte x, y;
            active proctype P() { do :: d_step { x < 5 -> x++ } od }
            active proctype Q() { do :: d_step { y < 5 -> y++ } od }
            ltl { [] !(x == 5 && y == 5) }";
        let found = diagnosed(text, "pdbs").unwrap();
        assert_eq!((found.patterns.len(), found.sums, found.estimate), (2, vec![vec![0, 1]], Some(10)));
        assert!(diagnosed(text, "blind").unwrap_err().message.contains("`pdbs`"));
    }
}
