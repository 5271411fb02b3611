//! Chains by elimination on numbers that never underflow, with errors that are counted.
//!
//! Doubles give up on two kinds of chains: those whose values or probabilities are smaller than any double, and long ones that
//! lead back with a drift, in which bounds move away from each other by a factor at every state. Here a value is a number with
//! 64 bits, and its relative error is bounded by how many operations could have rounded it (see `eliminate_counting`). That does
//! not depend on how slowly the chain leaves. About n² roundings for n states in a row: 10⁻⁶ is reached up to a million states.

use super::eliminate::{Budget, eliminate_counting};
use super::equations::Equations;
use super::is_trivial;
use super::local::Local;
use crate::graph::Components;
use crate::numbers::{Interval, ROUNDING, Scalar, Wide};

/// Beyond this the first-order count would not be a bound.
const LARGEST: f64 = 1e-3;

/// Intervals around the values of equations without choices; `None` if the budget is spent or the errors are too many.
pub(crate) fn counted(equations: &Equations, components: &Components, budget: &mut Budget) -> Option<Vec<Interval>> {
    if equations.choices.len() != equations.variables() {
        return None;
    }
    match &equations.known.exact {
        Some(known) => {
            let (values, errors) = solved(equations, components, known.iter().map(Wide::near).collect(), budget)?;
            Some(values.iter().zip(errors).map(|(value, error)| value.around(error)).collect())
        }
        // Values rise and fall with those that are known: once with the least, once with the greatest.
        None => {
            let around = &equations.known.around;
            if around.iter().any(|known| known.upper.is_infinite()) {
                return None;
            }
            let ends = |end: fn(&Interval) -> f64| around.iter().map(|known| Wide::from_double(end(known))).collect();
            let (low, errors) = solved(equations, components, ends(|known| known.lower), budget)?;
            let (high, _) = solved(equations, components, ends(|known| known.upper), budget)?;
            let ends = low.iter().zip(&high).zip(errors);
            Some(
                ends.map(|((low, high), error)| Interval {
                    lower: low.around(error).lower,
                    upper: high.around(error).upper,
                })
                .collect(),
            )
        }
    }
}

/// Values, and a bound of the relative error of each.
fn solved(
    equations: &Equations,
    components: &Components,
    known: Vec<Wide>,
    budget: &mut Budget,
) -> Option<(Vec<Wide>, Vec<f64>)> {
    let n = equations.variables();
    let mut values = vec![Wide::zero(); n];
    values.extend(known);
    let mut errors = vec![0.0f64; n];
    let mut place = vec![u32::MAX; n];
    let number = |id| Wide::near(equations.pool.exact(id));
    for component in 0..components.count() {
        let members = components.members(component);
        let entries =
            || members.iter().flat_map(|&variable| equations.rows(variable as usize)).map(|row| equations.entries(row));
        let longest = entries().map(|entries| entries.len()).max().unwrap_or(0) as f64;
        let below = |target: u32| errors.get(target as usize).copied().unwrap_or(0.0);
        let below = entries().flatten().map(|entry| below(equations.targets[entry])).fold(0.0, f64::max);
        members.iter().enumerate().for_each(|(local, &variable)| place[variable as usize] = local as u32);
        let local = Local::new(equations, members, &place, &values, number);
        // What goes in: numbers that were rounded, sums over a row, a quotient by what leaves.
        let given = 2.0 * longest + 8.0;
        let (found, roundings) = match is_trivial(equations, members) {
            true => (vec![local.constant[0]], given),
            false => {
                let policy: Vec<u32> = (0..members.len() as u32).collect();
                // A row that stays for ever has no value.
                if !local.is_chain() {
                    return None;
                }
                let (found, roundings) = eliminate_counting(local.chain(&policy), budget)?;
                (found, roundings + (2.0 * members.len() as f64 + 2.0) * given)
            }
        };
        // One more rounding for known values, and a tenth for what is small of second order.
        let error = below + 1.1 * (roundings + 2.0) * ROUNDING;
        if error > LARGEST || !budget.spend(entries().map(|entries| entries.len()).sum()) {
            return None;
        }
        for (&variable, value) in members.iter().zip(found) {
            (values[variable as usize], errors[variable as usize]) = (value, error);
            place[variable as usize] = u32::MAX;
        }
    }
    values.truncate(n);
    Some((values, errors))
}
