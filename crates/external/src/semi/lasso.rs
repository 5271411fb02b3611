//! A lasso with its steps: the stem is a shortest one, the loop is what the walks met.

use bughound_kernel::{Explorer, Marks, Move, Outcome, StateBuf, Step};
use bughound_search::{PropertyIndex, Task, Witness};

use super::nested::Lasso;
use crate::engine::path::cheapest_step;
use crate::engine::{Engine, Spot};
use crate::row::{Shape, hash};
use crate::run::Reader;
use crate::trouble::{Trouble, reserve};

/// `None`: the steps are not where they were.
pub(super) fn witness(
    lasso: &Lasso,
    task: Task<'_>,
    property: PropertyIndex,
    engine: &mut Engine<'_, '_, '_>,
) -> Result<Option<Witness>, Trouble> {
    let mut explorer = task.system.explorer();
    let head = lasso.inner.state(0);
    let Some(head_on_path) = lasso.outer.iter().position(|state| state == head) else { return Ok(None) };
    let Some(spot) = expanded(head, engine)? else { return Ok(None) };
    let Some((start, mut path, mut length)) = engine.expanded().way_to(&spot, &mut *explorer)? else { return Ok(None) };
    let loop_start = Some(path.len());
    // From the head to where the accepting step starts; that step; and from where it leads to back to the head.
    let before = (0..=head_on_path).rev().map(|at| lasso.outer.state(at));
    let after = (0..lasso.inner.len()).rev().map(|at| lasso.inner.state(at));
    let states: Vec<&[u32]> = before.chain(after).collect();
    let required = task.system.required();
    reserve(&mut path, states.len())?;
    for (at, pair) in states.windows(2).enumerate() {
        let marks = if at == head_on_path { required } else { Marks::NONE };
        let Some((moves, weight)) = step(pair[0], pair[1], marks, &engine.ground.shape, &mut *explorer) else {
            return Ok(None);
        };
        path.push(moves);
        length = length.saturating_add(weight);
    }
    let place = Vec::new();
    Ok(Some(Witness { property, start, path, failure: None, place, length, proven_shortest: false, loop_start }))
}

/// The cheapest step from one state to another with these marks.
fn step(
    from: &[u32],
    to: &[u32],
    marks: Marks,
    shape: &Shape,
    explorer: &mut dyn Explorer,
) -> Option<(Vec<Move>, u64)> {
    let (mut source, mut target) = (StateBuf::default(), StateBuf::default());
    shape.unpack_words(from, &mut source);
    shape.unpack_words(to, &mut target);
    let is_it = |step: &Step<'_>| step.outcome == Outcome::State(target.as_state()) && step.marks.include(marks);
    cheapest_step(explorer, source.as_state(), is_it)
}

/// A state as it was expanded by the first search, at its least cost.
fn expanded(state: &[u32], engine: &Engine<'_, '_, '_>) -> Result<Option<Spot>, Trouble> {
    let (shape, hash) = (&engine.ground.shape, hash(state));
    let mut best: Option<Spot> = None;
    for run in engine.closed.values().flat_map(|levels| levels.runs()) {
        let mut reader = Reader::before(run, engine.ground.sizes);
        reader.advance(hash, shape)?;
        while let Some(row) = reader.row().filter(|row| row.hash == hash) {
            if row.key() == state && best.as_ref().is_none_or(|best| row.cost < best.cost) {
                let mut buffer = StateBuf::default();
                shape.unpack(&row, &mut buffer);
                best = Some(Spot { state: buffer, cost: row.cost, from: row.from });
            }
            reader.step(shape)?;
        }
    }
    Ok(best)
}
