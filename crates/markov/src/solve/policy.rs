//! Policy iteration with exact values: the best choice of rows of a component and what it is worth.
//!
//! Howard (1960); for stochastic shortest paths Bertsekas and Tsitsiklis (1991): started with a policy that leaves the
//! component, it ends with the best one, because a row is changed only where another is strictly better. Gives up when the
//! budget is spent.

use super::eliminate::{Budget, eliminate};
use super::local::Local;
use crate::answer::Extreme;
use crate::numbers::Scalar;

/// The value of each variable and its best row. `start` may be any choice of rows.
pub(crate) fn iterate_policies<N: Scalar>(
    local: &Local<N>,
    extreme: Extreme,
    start: Option<Vec<u32>>,
    budget: &mut Budget,
) -> Option<(Vec<N>, Vec<u32>)> {
    if local.is_chain() {
        let policy: Vec<u32> = (0..local.variables() as u32).collect();
        return Some((eliminate(local.chain(&policy), budget)?, policy));
    }
    let mut first = start.filter(|policy| leaves(local, policy));
    let mut policy = match first.take() {
        Some(policy) => policy,
        None => local.leaving_policy()?,
    };
    loop {
        let values = eliminate(local.chain(&policy), budget)?;
        let mut changed = false;
        for variable in 0..local.variables() {
            let mut best = values[variable].clone();
            for row in local.rows(variable) {
                if row as u32 == policy[variable] {
                    continue;
                }
                let value = local.row_value(row, &values);
                let better = match extreme {
                    Extreme::Max => best.is_below(&value),
                    Extreme::Min => value.is_below(&best),
                };
                if better {
                    best = value;
                    policy[variable] = row as u32;
                    changed = true;
                }
            }
            let entries: usize = local.rows(variable).map(|row| local.entries(row).len() + 1).sum();
            if !budget.spend(entries) {
                return None;
            }
        }
        if !changed {
            return Some((values, policy));
        }
    }
}

/// Does every variable have a way out under this policy?
fn leaves<N: Scalar>(local: &Local<N>, policy: &[u32]) -> bool {
    let n = local.variables();
    let mut back: Vec<Vec<u32>> = vec![Vec::new(); n];
    let mut out = vec![false; n];
    let mut work = Vec::new();
    for variable in 0..n {
        let row = policy[variable] as usize;
        if !local.rows(variable).contains(&row) {
            return false;
        }
        if !local.leak[row].is_zero() {
            out[variable] = true;
            work.push(variable as u32);
        }
        local.entries(row).for_each(|entry| back[local.targets[entry] as usize].push(variable as u32));
    }
    while let Some(variable) = work.pop() {
        for &source in &back[variable as usize] {
            if !out[source as usize] {
                out[source as usize] = true;
                work.push(source);
            }
        }
    }
    out.into_iter().all(|is_out| is_out)
}
