//! How much a pattern leaves out, as far as can be told without a search of the model (Kupferschmid, Wehrle 2011).

use bughound_finite::cost::{Cost, INFINITE};

use super::choice::Chooser;
use super::pattern::Pattern;

/// What is known about a pattern and its database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternDiagnosis {
    /// Names of processes, variables, channels and clocks.
    pub kept: Vec<String>,
    /// Those that matter for the errors but are not kept.
    pub left_out: Vec<String>,
    /// Of the abstraction.
    pub states: usize,
    /// From the initial state to an error of the abstraction; `None` if there is no way.
    pub distance: Option<u64>,
    /// The costs of relaxed plans over all variables, and over those that are kept. Where they agree, the pattern is
    /// relatively accurate.
    pub relaxed_everything: Option<u64>,
    pub relaxed_kept: Option<u64>,
    /// The variables that are left out can be set to whatever is needed, at any time.
    pub only_safe_variables_left_out: bool,
    /// The clocks that are left out are only waited for.
    pub only_simple_clocks_left_out: bool,
}

impl PatternDiagnosis {
    /// Does a relaxed plan find the error as far away with the pattern as with everything?
    pub fn is_relatively_accurate(&self) -> bool {
        self.relaxed_everything == self.relaxed_kept
    }
}

/// What there is to say of a database.
#[derive(Clone, Copy)]
pub struct Summary<'a> {
    pub pattern: &'a Pattern,
    /// Of the abstraction.
    pub states: usize,
    /// The least distance of an initial state.
    pub initial: Cost,
}

pub fn finite(cost: Cost) -> Option<u64> {
    (cost != INFINITE).then_some(u64::from(cost))
}

impl Chooser<'_> {
    pub fn diagnosis(self, summary: Summary<'_>) -> PatternDiagnosis {
        let everything = self.everything();
        let pattern = summary.pattern;
        let rest = Pattern {
            variables: everything.variables.iter().copied().filter(|variable| !pattern.keeps(*variable)).collect(),
            clocks: everything.clocks.iter().copied().filter(|clock| !pattern.clocks.contains(clock)).collect(),
        };
        let names = |pattern: &Pattern| pattern.names(self.network, self.task);
        // One after the other: whether a variable is safe depends on those that are still there.
        let without_safe =
            self.without_such(everything.clone(), |v, current| rest.keeps(v) && self.is_safe(v, current));
        PatternDiagnosis {
            kept: names(pattern),
            left_out: names(&rest),
            states: summary.states,
            distance: finite(summary.initial),
            relaxed_everything: finite(self.relaxed(&everything)),
            relaxed_kept: finite(self.relaxed(pattern)),
            only_safe_variables_left_out: without_safe.variables == pattern.variables,
            only_simple_clocks_left_out: rest.clocks.iter().all(|clock| self.is_simple(*clock)),
        }
    }
}
