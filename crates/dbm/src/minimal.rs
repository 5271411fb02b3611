//! Zones as few constraints, after Larsen, Larsson, Pettersson, Yi, "Efficient verification of real-time systems: compact
//! data structure and state-space reduction" (1997).
//!
//! Most bounds of a canonical matrix follow from others. Clocks whose difference is fixed are taken together; among one
//! representative of each such group, a bound is superfluous if it follows by way of a third representative, and there
//! all superfluous bounds can be left out at once, because no cycle has length 0. A group itself is held together by one
//! cycle through it.

use crate::bound::{AT_MOST_ZERO, Constraint, INFINITE, plus};
use crate::buffer::ZoneBuf;
use crate::zone::Zone;
use std::borrow::Cow;
use std::fmt;

impl Zone<'_> {
    /// The bound on `i - j` that follows from those over `k`.
    fn over(self, i: usize, k: usize, j: usize) -> i32 {
        let by = self.word(i, k);
        if by == INFINITE { INFINITE } else { plus(by, self.word(k, j)) }
    }

    /// For each clock the smallest one from which its difference is fixed, often itself. That the smallest one is not
    /// negative says the same for the others of its group.
    fn groups(self) -> Vec<usize> {
        let n = self.dimension;
        let fixed = |i: usize| (0..n).filter(move |j| self.over(i, *j, i) == AT_MOST_ZERO);
        (0..n).map(|i| fixed(i).min_by_key(|j| (self.word(*j, i), *j)).unwrap_or(i)).collect()
    }

    /// Is there nothing to be said about `i - j`, because clocks are not negative?
    fn is_understood(self, i: usize, j: usize) -> bool {
        self.word(i, j) == INFINITE || (i == 0 && self.word(i, j) == AT_MOST_ZERO)
    }

    /// The constraints between the smallest clocks of all groups that do not follow from others.
    fn between_groups(self, groups: &[usize]) -> Vec<Constraint> {
        let first: Vec<usize> = (0..self.dimension).filter(|i| groups[*i] == *i).collect();
        let mut needed = Vec::new();
        for &i in &first {
            for &j in first.iter().filter(|j| **j != i) {
                let mut others = first.iter().filter(|k| **k != i && **k != j);
                if !self.is_understood(i, j) && !others.any(|k| self.over(i, *k, j) <= self.word(i, j)) {
                    needed.push(Constraint::new(i, j, self.bound(i, j)));
                }
            }
        }
        needed
    }

    /// A smallest set of constraints from which the zone can be made again; that clocks are not negative is understood.
    /// The zone must not be empty.
    pub fn constraints(self) -> Vec<Constraint> {
        debug_assert!(!self.is_empty());
        self.check();
        let groups = self.groups();
        let mut needed = self.between_groups(&groups);
        for first in (0..self.dimension).filter(|i| groups[*i] == *i) {
            let members: Vec<usize> = (0..self.dimension).filter(|i| groups[*i] == first).collect();
            let cycle = members.iter().zip(members.iter().cycle().skip(1)).filter(|(i, next)| i != next);
            let cycle = cycle.filter(|(i, next)| !self.is_understood(**i, **next));
            needed.extend(cycle.map(|(&i, &next)| Constraint::new(i, next, self.bound(i, next))));
        }
        needed
    }

    /// The zone as a condition, with the given names of clocks.
    pub fn describe<'n>(self, name: impl Fn(usize) -> Cow<'n, str>) -> String {
        if self.is_empty() {
            return "false".to_string();
        }
        let groups = self.groups();
        let mut parts = Vec::new();
        for (clock, &first) in groups.iter().enumerate().filter(|(clock, first)| clock != *first) {
            let distance = self.word(clock, first) >> 1;
            parts.push(match (first, distance) {
                (0, _) => format!("{} = {distance}", name(clock)),
                (_, 0) => format!("{} = {}", name(clock), name(first)),
                _ => format!("{} - {} = {distance}", name(clock), name(first)),
            });
        }
        for c in self.between_groups(&groups) {
            let at_least = if c.bound.is_strict() { ">" } else { ">=" };
            parts.push(match (c.left, c.right) {
                (0, clock) => format!("{} {at_least} {}", name(clock), -(c.bound.word() >> 1)),
                (clock, 0) => format!("{} {}", name(clock), c.bound),
                (left, right) => format!("{} - {} {}", name(left), name(right), c.bound),
            });
        }
        if parts.is_empty() { "true".to_string() } else { parts.join(", ") }
    }
}

impl ZoneBuf {
    /// The zone of the points that satisfy all constraints.
    pub fn from_constraints(dimension: usize, constraints: &[Constraint]) -> ZoneBuf {
        let mut zone = ZoneBuf::universal(dimension);
        if constraints.len() < dimension {
            zone.as_mut().tighten_all(constraints);
            return zone;
        }
        let mut view = zone.as_mut();
        for c in constraints {
            let bound = view.as_zone().bound(c.left, c.right).min(c.bound);
            view.set_bound(c.left, c.right, bound);
        }
        if view.words.iter().step_by(dimension + 1).any(|word| *word < AT_MOST_ZERO) {
            view.make_empty();
        } else {
            view.close();
        }
        zone
    }
}

/// With `x1`, `x2`, ... as names of the clocks.
impl fmt::Display for Zone<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.describe(|clock| format!("x{clock}").into()))
    }
}

impl fmt::Debug for Zone<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
