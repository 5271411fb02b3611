//! Chains by dense elimination in fractions.

use std::collections::BTreeMap;

use dashu_ratio::RBig;

/// Where a state goes to, with which probability.
pub type Next<'r> = &'r BTreeMap<usize, RBig>;

/// `None`: infinite.
pub type Extended = Option<RBig>;

/// Solves x = b + A·x for these unknowns; the solution is the only one.
fn solve(unknowns: &[usize], next: &[Next<'_>], constants: &dyn Fn(usize) -> RBig) -> BTreeMap<usize, RBig> {
    let n = unknowns.len();
    let position: BTreeMap<usize, usize> = unknowns.iter().enumerate().map(|(at, state)| (*state, at)).collect();
    let mut table: Vec<Vec<RBig>> = Vec::new();
    for state in unknowns {
        let mut row = vec![RBig::ZERO; n + 1];
        row[position[state]] = RBig::ONE;
        for (target, chance) in next[*state] {
            if let Some(at) = position.get(target) {
                row[*at] -= chance;
            }
        }
        row[n] = constants(*state);
        table.push(row);
    }
    eliminate(&mut table);
    unknowns.iter().copied().zip(table.into_iter().map(|row| row[n].clone())).collect()
}

/// Gauss and Jordan: the last column becomes the solution.
fn eliminate(table: &mut [Vec<RBig>]) {
    let n = table.len();
    for column in 0..n {
        let pivot = (column..n).find(|row| !table[*row][column].is_zero()).expect("there is one solution");
        table.swap(column, pivot);
        let factor = RBig::ONE / &table[column][column];
        for cell in table[column][column..].iter_mut().filter(|cell| !cell.is_zero()) {
            *cell *= &factor;
        }
        let own = table[column].clone();
        for (_, row) in table.iter_mut().enumerate().filter(|(row, _)| *row != column) {
            let factor = row[column].clone();
            if factor.is_zero() {
                continue;
            }
            for (cell, own) in row[column..].iter_mut().zip(&own[column..]).filter(|(_, own)| !own.is_zero()) {
                *cell -= &factor * own;
            }
        }
    }
}

/// The probability of `left U right`.
pub fn until(next: &[Next<'_>], left: &[bool], right: &[bool]) -> Vec<RBig> {
    let n = next.len();
    // Who can get there at all?
    let mut can = right.to_vec();
    loop {
        let more: Vec<usize> =
            (0..n).filter(|s| !can[*s] && left[*s] && next[*s].keys().any(|target| can[*target])).collect();
        if more.is_empty() {
            break;
        }
        more.into_iter().for_each(|state| can[state] = true);
    }
    let unknowns: Vec<usize> = (0..n).filter(|s| can[*s] && !right[*s]).collect();
    let at_once = |state: usize| {
        let there = next[state].iter().filter(|(target, _)| right[**target]);
        there.fold(RBig::ZERO, |sum, (_, chance)| sum + chance)
    };
    let solved = solve(&unknowns, next, &at_once);
    (0..n).map(|s| if right[s] { RBig::ONE } else { solved.get(&s).cloned().unwrap_or_default() }).collect()
}

/// What is expected to be earned before a target is reached; infinite if it may never be.
pub fn reward(next: &[Next<'_>], earned: &[RBig], target: &[bool]) -> Vec<Extended> {
    let n = next.len();
    let certain: Vec<bool> = until(next, &vec![true; n], target).iter().map(|p| *p == RBig::ONE).collect();
    let unknowns: Vec<usize> = (0..n).filter(|s| certain[*s] && !target[*s]).collect();
    let solved = solve(&unknowns, next, &|state| earned[state].clone());
    (0..n)
        .map(|s| match certain[s] {
            true => Some(solved.get(&s).cloned().unwrap_or_default()),
            false => None,
        })
        .collect()
}

/// By state: which states it can reach.
fn reachable(next: &[Next<'_>]) -> Vec<Vec<bool>> {
    let from = |state: usize| {
        let mut seen = vec![false; next.len()];
        let mut todo = vec![state];
        while let Some(at) = todo.pop() {
            if !seen[at] {
                seen[at] = true;
                todo.extend(next[at].keys());
            }
        }
        seen
    };
    (0..next.len()).map(from).collect()
}

/// Sets of states that are never left, once reached.
fn recurrent_classes(next: &[Next<'_>]) -> Vec<Vec<usize>> {
    let n = next.len();
    let reaches = reachable(next);
    let comes_back = |s: usize| (0..n).all(|t| !reaches[s][t] || reaches[t][s]);
    let mut classes: Vec<Vec<usize>> = Vec::new();
    for state in (0..n).filter(|s| comes_back(*s)) {
        match classes.iter_mut().find(|class| reaches[state][class[0]]) {
            Some(class) => class.push(state),
            None => classes.push(vec![state]),
        }
    }
    classes
}

/// What is expected to be earned for ever.
pub fn total(next: &[Next<'_>], earned: &[RBig]) -> Vec<Extended> {
    let n = next.len();
    let mut target = vec![false; n];
    let mut endless = vec![false; n];
    for state in recurrent_classes(next).into_iter().flatten() {
        (target[state], endless[state]) = (true, !earned[state].is_zero());
    }
    // A class earns everywhere if it does so anywhere.
    let reaches = reachable(next);
    let until_there = reward(next, earned, &target);
    let earns = |s: usize| (0..n).any(|t| reaches[s][t] && endless[t]);
    (0..n).map(|s| if earns(s) { None } else { until_there[s].clone() }).collect()
}

/// The average of what is earned per unit of time: `earned` and `takes` are per visit.
pub fn average(next: &[Next<'_>], earned: &[RBig], takes: &[RBig]) -> Vec<RBig> {
    let n = next.len();
    let mut result = vec![RBig::ZERO; n];
    for class in recurrent_classes(next) {
        // Visits in the long run: balance in all states but one, and their sum is 1.
        let mut table: Vec<Vec<RBig>> = Vec::new();
        for (row, state) in class.iter().enumerate() {
            let mut cells: Vec<RBig> = class.iter().map(|s| next[*s].get(state).cloned().unwrap_or_default()).collect();
            cells[row] -= RBig::ONE;
            cells.push(RBig::ZERO);
            table.push(cells);
        }
        let last = table.len() - 1;
        table[last] = vec![RBig::ONE; class.len() + 1];
        eliminate(&mut table);
        let visits: Vec<RBig> = table.into_iter().map(|row| row[class.len()].clone()).collect();
        let sum = |of: &[RBig]| class.iter().zip(&visits).fold(RBig::ZERO, |sum, (s, v)| sum + v * &of[*s]);
        let gain = sum(earned) / sum(takes);
        let inside: Vec<bool> = (0..n).map(|s| class.contains(&s)).collect();
        for (value, chance) in result.iter_mut().zip(until(next, &vec![true; n], &inside)) {
            *value += chance * &gain;
        }
    }
    result
}
