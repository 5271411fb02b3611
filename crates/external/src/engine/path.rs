//! The way to a state, found backwards.
//!
//! Each state knows some bits of the hash of the state that it was reached from. Rows are in the order of hashes, so those that it
//! can be lie together: they are read, expanded, and compared exactly. What is expanded anew is about one state in 65,536 for each
//! step of the path.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use bughound_kernel::{Explorer, Move, Outcome, State, StateBuf, Step};
use bughound_search::engines::hunt::Sighting;
use bughound_search::{Task, Witness};

use super::{Engine, Spot};
use crate::levels::Ground;
use crate::row::Row;
use crate::run::{Reader, Run};
use crate::trouble::Trouble;

/// A step of the path: where it leads to, by which moves, and what it costs.
struct Link {
    spot: Spot,
    moves: Vec<Move>,
    weight: u64,
}

/// A place on the way back, and where it may have come from.
struct Fork {
    link: Link,
    candidates: Vec<Link>,
}

/// All that was expanded.
pub(crate) struct Expanded {
    pub(crate) runs: Vec<Arc<Run>>,
    pub(crate) ground: Ground,
}

impl Engine<'_, '_, '_> {
    pub(crate) fn expanded(&self) -> Expanded {
        let runs = self.closed.values().flat_map(|levels| levels.runs()).cloned().collect();
        Expanded { runs, ground: self.ground.clone() }
    }
}

impl Expanded {
    /// `None`: there is no way to the error.
    pub(crate) fn witness(
        &self,
        task: Task<'_>,
        sighting: &Sighting<Spot>,
        proven_shortest: bool,
    ) -> Result<Option<Witness>, Trouble> {
        let mut explorer = task.system.explorer();
        let end = &sighting.at;
        let Some((start, mut path, mut length)) = self.way_to(end, &mut *explorer)? else { return Ok(None) };
        let place = task.goals.place(sighting.failure, end.state.as_state());
        if let Some(failure) = sighting.failure {
            let fails = |step: &Step<'_>| step.outcome == Outcome::Failure(failure);
            let Some((moves, weight)) = cheapest_step(&mut *explorer, end.state.as_state(), fails) else {
                return Ok(None);
            };
            path.push(moves);
            length = length.saturating_add(weight);
        }
        let (property, failure) = (sighting.property, sighting.failure);
        Ok(Some(Witness { property, start, path, failure, place, length, proven_shortest, loop_start: None }))
    }

    /// Goes back from a state to an initial one. Every state on the way costs less than the one after it, or the same, so with steps
    /// that cost nothing there may be several ways back, and some may lead in circles: no state is gone through twice.
    #[allow(clippy::type_complexity)]
    pub(crate) fn way_to(
        &self,
        end: &Spot,
        explorer: &mut dyn Explorer,
    ) -> Result<Option<(StateBuf, Vec<Vec<Move>>, u64)>, Trouble> {
        let mut seen = HashSet::from([(end.state.clone(), end.cost)]);
        let last = Link { spot: end.clone(), moves: Vec::new(), weight: 0 };
        let mut forks = vec![Fork { candidates: self.before(&last.spot, explorer)?, link: last }];
        loop {
            let Some(fork) = forks.last_mut() else { return Ok(None) };
            if fork.link.spot.from.hashes().is_none() {
                break;
            }
            match fork.candidates.pop() {
                None => {
                    forks.pop();
                }
                Some(link) if seen.insert((link.spot.state.clone(), link.spot.cost)) => {
                    let candidates = self.before(&link.spot, explorer)?;
                    forks.push(Fork { link, candidates });
                }
                Some(_) => {}
            }
        }
        forks.reverse();
        let start = forks[0].link.spot.state.clone();
        let length = forks.iter().fold(0, |all: u64, fork| all.saturating_add(fork.link.weight));
        // Each link knows how it leads on to the one after it; the last one leads nowhere.
        forks.pop();
        Ok(Some((start, forks.into_iter().map(|fork| fork.link.moves).collect(), length)))
    }

    /// The states from which a step leads to this one at no more than its cost, the best of them last.
    fn before(&self, to: &Spot, explorer: &mut dyn Explorer) -> Result<Vec<Link>, Trouble> {
        let Some(hashes) = to.from.hashes() else { return Ok(Vec::new()) };
        let shape = self.ground.shape.clone();
        let mut found = Vec::new();
        let mut state = StateBuf::default();
        for run in &self.runs {
            let mut reader = Reader::before(run, self.ground.sizes);
            reader.advance(*hashes.start(), &shape)?;
            while let Some(row) = reader.row().filter(|row| hashes.contains(&row.hash)) {
                if row.cost <= to.cost {
                    shape.unpack(&row, &mut state);
                    found.extend(link(&row, &state, to, explorer));
                }
                reader.step(&shape)?;
            }
        }
        found.sort_by_key(|link| (link.spot.cost.saturating_add(link.weight), std::cmp::Reverse(link.weight)));
        found.reverse();
        Ok(found)
    }
}

fn link(row: &Row<'_>, state: &StateBuf, to: &Spot, explorer: &mut dyn Explorer) -> Option<Link> {
    let is_it = |step: &Step<'_>| step.outcome == Outcome::State(to.state.as_state());
    let (moves, weight) = cheapest_step(explorer, state.as_state(), is_it)?;
    let spot = Spot { state: state.clone(), cost: row.cost, from: row.from };
    (row.cost.saturating_add(weight) <= to.cost).then_some(Link { spot, moves, weight })
}

/// The cheapest step whose outcome is wanted, the first one among equals.
pub(crate) fn cheapest_step(
    explorer: &mut dyn Explorer,
    from: State<'_>,
    wanted: impl Fn(&Step<'_>) -> bool,
) -> Option<(Vec<Move>, u64)> {
    let mut best: Option<(Vec<Move>, u64)> = None;
    explorer.successors(from, &mut |step| {
        if wanted(step) && best.as_ref().is_none_or(|(_, least)| step.weight < *least) {
            best = Some((step.moves.to_vec(), step.weight));
        }
        ControlFlow::Continue(())
    });
    best
}
