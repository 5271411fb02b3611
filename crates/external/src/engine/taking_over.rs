//! Going on with a search that has used its memory: its states become runs and buckets.
//!
//! What was expanded is gathered by estimate and sorted in pieces that fit beside the states that are still in memory; then these are
//! gone, and the search goes on as if it had been on disk from the beginning. A state that was expanded and is open again, because it
//! was reached at less cost, is noted as expanded at a higher cost than now: so it is known when its turn comes.

use std::collections::BTreeMap;

use bughound_search::engines::best_first::Errors;
use bughound_search::{HalfDone, KnownState, Standing};

use super::{Engine, HOPELESS, Spot};
use crate::batch::Batch;
use crate::merge::{Group, Merge};
use crate::row::{From, Row, hash};
use crate::run::Writer;
use crate::trouble::Trouble;

impl Engine<'_, '_, '_> {
    /// Takes all states over. They leave memory one after the other at the end of this.
    pub(super) fn take_over(&mut self, half: HalfDone<'_>) -> Result<Errors, Trouble> {
        let mut expanded: BTreeMap<u64, Batch> = BTreeMap::new();
        let errors = half.hand_over(|known, standing| {
            self.patience.check()?;
            self.take_state(known, standing, &mut expanded)?;
            let gathered: u64 = expanded.values().map(Batch::memory).sum();
            if gathered > self.budget.batches {
                self.write_expanded(&mut expanded)?;
            }
            if self.open.batches() > self.budget.batches {
                self.open.shrink(self.budget.batches / 2, &self.ground, &mut self.patience)?;
            }
            Ok::<(), Trouble>(())
        })?;
        self.write_expanded(&mut expanded)?;
        Ok(errors)
    }

    fn take_state(
        &mut self,
        known: &KnownState,
        standing: Standing,
        expanded: &mut BTreeMap<u64, Batch>,
    ) -> Result<(), Trouble> {
        let from = self.origin(known);
        let state = known.state.as_state();
        let is_beyond = self.bound.is_some_and(|bound| known.cost > bound);
        if matches!(standing, Standing::Open | Standing::OpenAgain) || standing == Standing::Left && is_beyond {
            self.open_state(state, known.cost, from)?;
        }
        let cost = match standing {
            Standing::Open => return Ok(()),
            Standing::OpenAgain => {
                // Its hash alone does not tell that its turn comes again.
                self.suspects.none = true;
                known.cost.saturating_add(1)
            }
            Standing::Expanded => known.cost,
            Standing::Left if is_beyond => return Ok(()),
            Standing::Left => 0,
        };
        let estimate = self.estimate(state);
        if standing != Standing::Left {
            self.stats.stored += 1;
        } else if estimate == HOPELESS && self.claims().safe {
            // A dead end, counted already.
            self.stats.stored += 1;
        } else {
            return Ok(());
        }
        let (key, all) = self.ground.shape.pack(state, &mut self.packed);
        let words = &self.packed[..all];
        let row = Row { hash: hash(&words[..key]), cost, from, words, key };
        expanded.entry(estimate).or_insert_with(Batch::with_costs).push_at_cost(&row)
    }

    fn origin(&mut self, known: &KnownState) -> From {
        let Some(parent) = &known.parent else { return From::NOWHERE };
        let (key, _) = self.ground.shape.pack(parent.as_state(), &mut self.packed);
        From::state(hash(&self.packed[..key]))
    }

    pub(super) fn spot(&mut self, known: &KnownState) -> Spot {
        Spot { state: known.state.clone(), cost: known.cost, from: self.origin(known) }
    }

    fn write_expanded(&mut self, expanded: &mut BTreeMap<u64, Batch>) -> Result<(), Trouble> {
        let ground = self.ground.clone();
        while let Some((estimate, batch)) = expanded.pop_first() {
            let mut merge = Merge::new(&[], Some(batch.sorted(0, &ground.shape)), &ground.shape, ground.sizes)?;
            let mut writer = Writer::new(&ground.space, &ground.shape, ground.sizes);
            let mut hashes = self.hash_writer();
            let mut group = Group::default();
            while merge.next(&mut group, &ground.shape)? {
                self.patience.check()?;
                for row in group.iter() {
                    writer.push(&row)?;
                    if let Some(hashes) = &mut hashes {
                        hashes.push(self.indexed(row.hash))?;
                    }
                }
            }
            self.add_closed(estimate, writer.finish()?, hashes)?;
        }
        self.write_out()
    }
}
