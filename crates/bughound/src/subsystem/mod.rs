//! Counterexamples to bounds on probabilities ([`Counterexample`]) for people: as text, as graphs, as a curve.
//!
//! - [`folding`]: paths that go around a loop again and again, told once.
//! - [`text`]: the most probable paths, the commands that suffice, what the scheduler decides.
//! - [`dot`], [`svg`]: the states and the steps between them.
//! - [`mass`]: how much of the probability the most probable paths have together.

pub mod dot;
pub mod folding;
mod labels;
pub mod mass;
pub mod svg;
mod table;
pub mod text;

use bughound_trace::Filter;

use crate::chances::{Counterexample, ShownPath, ShownState, Shows};
use crate::numbers::{count, counted, exactly_told_apart, told_apart};

impl ShownState {
    /// How much of the probability of the subsystem flows through this state; visits that are repeated count again.
    pub fn contribution(&self) -> f64 {
        self.visits * self.chance
    }

    /// The value of a variable.
    fn value(&self, name: &str) -> Option<&str> {
        self.values.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The variables with other values than in the state `before`: their names, and their values there and here.
    fn changes<'s>(
        &'s self,
        before: &'s ShownState,
        filter: &'s Filter,
    ) -> impl Iterator<Item = (&'s str, &'s str, &'s str)> {
        self.values.iter().zip(0..).filter_map(move |((name, new), at)| {
            // As a rule all states have the same variables in the same order.
            let there = before.values.get(at).filter(|(known, _)| known == name).map(|(_, value)| value.as_str());
            let old = there.or_else(|| before.value(name)).unwrap_or_default();
            (old != new && filter.admits(name)).then_some((name.as_str(), old, new.as_str()))
        })
    }
}

impl ShownPath {
    /// The numbers of the states along the path, the first one included.
    pub fn states(&self, of: &Counterexample) -> Vec<usize> {
        let first = self.edges.first().map_or(0, |edge| of.edges[*edge].from);
        std::iter::once(first).chain(self.edges.iter().map(|edge| of.edges[*edge].to)).collect()
    }
}

impl Counterexample {
    /// `55 states (at least 50 are needed) reach the goal with probability 0.0265 (bound 0.0264)`
    pub fn headline(&self) -> String {
        let (probability, bound) = self.probability_and_bound();
        let verb = match (self.shows, self.size()) {
            (Shows::Goals, 1) => "reaches",
            (Shows::Goals, _) => "reach",
            (Shows::Avoids, 1) => "avoids",
            (Shows::Avoids, _) => "avoid",
        };
        let states = counted(self.size() as u64, "state");
        let sure = self.smallness().map_or(String::new(), |sure| format!(" ({sure})"));
        format!("{states}{sure} {verb} the goal with probability {probability} (bound {bound})")
    }

    /// Both as text, with as many digits as it takes to tell them apart.
    pub(crate) fn probability_and_bound(&self) -> (String, String) {
        match &self.exact {
            Some(exact) => exactly_told_apart(exact, &self.bound),
            None => told_apart(self.probability.value.unwrap_or(f64::INFINITY), self.bound.to_f64().value()),
        }
    }

    /// The greatest contribution of a state, and the flow of the step that is taken most often: what others are compared with.
    fn most_contribution(&self) -> f64 {
        self.states.iter().map(ShownState::contribution).fold(0.0, f64::max)
    }

    fn most_flow(&self) -> f64 {
        self.edges.iter().map(|edge| edge.flow).fold(0.0, f64::max)
    }

    /// Whether fewer states would do, as far as that is known.
    pub fn smallness(&self) -> Option<String> {
        let least = self.at_least?;
        // Of other schedulers nothing is known.
        let choices = if self.states.iter().any(|state| state.choice.is_some()) { " with these choices" } else { "" };
        let needed = if least == 1 { "1 is needed".into() } else { format!("{} are needed", count(least as u64)) };
        Some(match least >= self.size() {
            true => format!("no fewer suffice{choices}"),
            false => format!("at least {needed}{choices}"),
        })
    }

    /// The variables that have not the same value in all states: what tells the states apart.
    fn telling_variables(&self, filter: &Filter) -> Vec<&str> {
        let Some(first) = self.states.first() else { return Vec::new() };
        let differs = |name: &str| self.states.iter().any(|state| state.value(name) != first.value(name));
        let names = first.values.iter().map(|(name, _)| name.as_str());
        names.filter(|name| filter.admits(name) && differs(name)).collect()
    }
}
