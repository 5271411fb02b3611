//! Searches that run several times: work is summed up, and no error is lost that an earlier round has found.

use crate::result::{SearchResult, Statistics, Turn, TurnEnd, Witness};

#[derive(Debug, Default)]
pub struct Phases {
    stats: Option<Statistics>,
    witnesses: Vec<Witness>,
    at_least: u64,
}

impl Phases {
    /// The same; it is said what this round was.
    pub fn add_turn(&mut self, search: String, mut result: SearchResult) -> SearchResult {
        let generated = result.stats.generated;
        result.stats.turns = vec![Turn { search, generated, end: TurnEnd::of(&result) }];
        self.add(result)
    }

    /// The result of a round, with the work and the witnesses of the rounds before it.
    pub fn add(&mut self, mut result: SearchResult) -> SearchResult {
        if let Some(before) = &mut self.stats {
            before.add_phase(&result.stats);
            result.stats = before.clone();
        }
        self.stats = Some(result.stats.clone());
        // What one round has shown holds for all.
        self.at_least = self.at_least.max(result.at_least);
        result.at_least = self.at_least;
        for old in &self.witnesses {
            match result.witnesses.iter_mut().find(|new| new.property == old.property) {
                Some(new) if new.length <= old.length => {}
                Some(new) => *new = old.clone(),
                None => result.witnesses.push(old.clone()),
            }
        }
        self.witnesses = result.witnesses.clone();
        result
    }
}
