//! What happens before too much, or after enough, was earned: states that know what was earned up to now.

use std::collections::{BTreeMap, HashMap};

use dashu_ratio::RBig;

use crate::chances::decisions::{Extreme, Process};
use crate::chances::oracle::{Oracle, Unknown};
use crate::chances::queries::Time;
use crate::chances::space::Row;

/// With more states that know it, the oracle does not know.
const MOST_STATES: usize = 120;

/// The probability of `left U right`, with what was earned on the way within these limits.
pub fn until(
    oracle: &Oracle<'_>,
    left: &[bool],
    right: &[bool],
    structure: usize,
    limits: &Time,
    extreme: Extreme,
) -> Result<Vec<RBig>, Unknown> {
    let space = oracle.space;
    let is_enough = |earned: &RBig| limits.lower.as_ref().is_none_or(|(least, _)| earned >= least);
    let is_too_much = |earned: &RBig| limits.upper.as_ref().is_some_and(|(most, _)| earned > most);
    let mut states: Vec<(usize, RBig)> = (0..space.len()).map(|state| (state, RBig::ZERO)).collect();
    let mut numbers: HashMap<(usize, RBig), usize> =
        states.iter().enumerate().map(|(number, state)| (state.clone(), number)).collect();
    let (mut rows, mut may_go_on, mut arrived): (Vec<Vec<Row>>, Vec<bool>, Vec<bool>) = Default::default();
    while let Some((state, earned)) = states.get(rows.len()).cloned() {
        arrived.push(right[state] && is_enough(&earned) && !is_too_much(&earned));
        may_go_on.push(left[state] && !is_too_much(&earned));
        let mut own = Vec::new();
        for row in &space.rows[state] {
            let mut sum = &earned + &space.rewards[structure][state] + &row.earned[structure];
            if let (Some((least, _)), None) = (&limits.lower, &limits.upper) {
                // More than enough is enough.
                sum = sum.min(least.clone());
            }
            let mut to = BTreeMap::new();
            let goes_on = may_go_on[rows.len()] && !arrived[rows.len()];
            for (target, chance) in row.to.iter().filter(|_| goes_on) {
                let next = (*target, sum.clone());
                let number = *numbers.entry(next.clone()).or_insert_with(|| {
                    states.push(next);
                    states.len() - 1
                });
                to.insert(number, chance.clone());
            }
            if to.is_empty() {
                to.insert(rows.len(), RBig::ONE);
            }
            own.push(Row { to, earned: Vec::new() });
        }
        rows.push(own);
        if states.len() > MOST_STATES {
            return Err(Unknown);
        }
    }
    let mut values = Process { rows: &rows }.until(extreme, &may_go_on, &arrived);
    values.truncate(space.len());
    Ok(values)
}
