//! The equations of one component, with everything outside it already known.

use super::eliminate::Chain;
use super::equations::Equations;
use crate::model::NumberId;
use crate::numbers::Scalar;

/// Rows of the variables of a component, by local numbers. Self-loops are divided out.
pub(crate) struct Local<N> {
    /// First row of each variable, and the end.
    pub row_start: Vec<u32>,
    /// The row of the equations that a row comes from.
    pub origin: Vec<u32>,
    pub constant: Vec<N>,
    pub leak: Vec<N>,
    pub entry_start: Vec<u32>,
    pub targets: Vec<u32>,
    pub weights: Vec<N>,
}

impl<N: Scalar> Local<N> {
    /// `place` has the local number of every member and `u32::MAX` elsewhere; `values` is right outside the component.
    pub fn new(
        equations: &Equations,
        members: &[u32],
        place: &[u32],
        values: &[N],
        number: impl Fn(NumberId) -> N,
    ) -> Local<N> {
        let mut local = Local {
            row_start: vec![0],
            origin: Vec::new(),
            constant: Vec::new(),
            leak: Vec::new(),
            entry_start: vec![0],
            targets: Vec::new(),
            weights: Vec::new(),
        };
        for (own, &variable) in members.iter().enumerate() {
            for row in equations.rows(variable as usize) {
                local.add_row(equations, row, own as u32, place, values, &number);
            }
            local.row_start.push(local.origin.len() as u32);
        }
        local
    }

    fn add_row(
        &mut self,
        equations: &Equations,
        row: usize,
        own: u32,
        place: &[u32],
        values: &[N],
        number: &impl Fn(NumberId) -> N,
    ) {
        let first = self.targets.len();
        let (mut constant, mut leak) = (N::zero(), N::zero());
        if let Some(rewards) = equations.rewards.get(row) {
            constant = number(rewards[0]).plus(&number(rewards[1]));
        }
        let mut loops = false;
        for entry in equations.entries(row) {
            let (target, weight) = (equations.targets[entry] as usize, number(equations.weights[entry]));
            match place.get(target) {
                Some(&local) if local == own => loops = true,
                Some(&local) if local != u32::MAX => {
                    self.targets.push(local);
                    self.weights.push(weight);
                }
                _ => {
                    constant = constant.plus(&weight.times(&values[target]));
                    leak = leak.plus(&weight);
                }
            }
        }
        if loops {
            let rest = self.weights[first..].iter().fold(leak.clone(), |sum, weight| sum.plus(weight));
            if rest.is_zero() {
                // Staying here for ever: never the best where it costs something, and it does (see `Equations`).
                return;
            }
            constant = constant.over(&rest);
            leak = leak.over(&rest);
            self.weights[first..].iter_mut().for_each(|weight| *weight = weight.over(&rest));
        }
        self.constant.push(constant);
        self.leak.push(leak);
        self.origin.push(row as u32);
        self.entry_start.push(self.targets.len() as u32);
    }

    pub fn variables(&self) -> usize {
        self.row_start.len() - 1
    }

    pub fn rows(&self, variable: usize) -> std::ops::Range<usize> {
        self.row_start[variable] as usize..self.row_start[variable + 1] as usize
    }

    pub fn entries(&self, row: usize) -> std::ops::Range<usize> {
        self.entry_start[row] as usize..self.entry_start[row + 1] as usize
    }

    /// Does every variable have exactly one row?
    pub fn is_chain(&self) -> bool {
        self.origin.len() == self.variables() && (0..self.variables()).all(|variable| self.rows(variable).len() == 1)
    }

    pub fn row_value(&self, row: usize, values: &[N]) -> N {
        self.entries(row).fold(self.constant[row].clone(), |sum, entry| {
            sum.plus(&self.weights[entry].times(&values[self.targets[entry] as usize]))
        })
    }

    /// The chain in which each variable follows the row chosen for it.
    pub fn chain(&self, policy: &[u32]) -> Chain<N> {
        let mut chain = Chain { rows: Vec::new(), constant: Vec::new(), leak: Vec::new() };
        for &row in policy {
            let row = row as usize;
            let mut entries: Vec<(u32, N)> =
                self.entries(row).map(|entry| (self.targets[entry], self.weights[entry].clone())).collect();
            entries.sort_by_key(|&(target, _)| target);
            entries.dedup_by(|next, kept| {
                let same = next.0 == kept.0;
                if same {
                    kept.1 = kept.1.plus(&next.1);
                }
                same
            });
            chain.rows.push(entries);
            chain.constant.push(self.constant[row].clone());
            chain.leak.push(self.leak[row].clone());
        }
        chain
    }

    /// Rows that lead out of the component with certainty in the end: each goes out, or to a variable closer to the exit.
    /// `None` if some variable has no way out.
    pub fn leaving_policy(&self) -> Option<Vec<u32>> {
        let n = self.variables();
        let mut back: Vec<Vec<(u32, u32)>> = vec![Vec::new(); n];
        let mut policy = vec![u32::MAX; n];
        let mut queue = std::collections::VecDeque::new();
        for (variable, chosen) in policy.iter_mut().enumerate() {
            for row in self.rows(variable) {
                if !self.leak[row].is_zero() && *chosen == u32::MAX {
                    *chosen = row as u32;
                    queue.push_back(variable);
                }
                for entry in self.entries(row) {
                    back[self.targets[entry] as usize].push((variable as u32, row as u32));
                }
            }
        }
        while let Some(variable) = queue.pop_front() {
            for &(source, row) in &back[variable] {
                if policy[source as usize] == u32::MAX {
                    policy[source as usize] = row;
                    queue.push_back(source as usize);
                }
            }
        }
        policy.iter().all(|&row| row != u32::MAX).then_some(policy)
    }
}
