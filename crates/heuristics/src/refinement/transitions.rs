//! Which steps lead from which abstract state to which others.
//!
//! Steps from an abstract state to itself are not stored, although most are of that sort: when a state is split, those among
//! them that lead from one part to the other mention the variable of the split, and are found by looking at these.

use super::sets::Products;
use super::steps::Steps;

/// A step, and the abstract state at the other end.
pub type Transition = (u32, u32);

#[derive(Default)]
pub struct Transitions {
    pub incoming: Vec<Vec<Transition>>,
    pub outgoing: Vec<Vec<Transition>>,
    pub count: usize,
    /// How often transitions were looked at.
    pub looks: usize,
    /// Abstract states at the other ends of a split.
    ends: Vec<u32>,
}

/// What lists of transitions hold.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Incoming,
    Outgoing,
}

impl Transitions {
    /// Between one abstract state and itself.
    pub fn new() -> Transitions {
        Transitions { incoming: vec![Vec::new()], outgoing: vec![Vec::new()], ..Transitions::default() }
    }

    /// `old` has been split along a variable; `new` is a new one.
    pub fn split(&mut self, steps: &Steps, products: &Products, old: u32, new: u32, variable: u32) {
        for direction in [Direction::Incoming, Direction::Outgoing] {
            self.share(steps, products, direction, old, new, variable);
        }
        self.looks += steps.mentioning(variable).len();
        for step in steps.mentioning(variable) {
            for (from, to) in [(old, new), (new, old)] {
                // The others are cheaper to rule out if this one is looked at first.
                if steps.leads_in(products, variable, *step, from, to)
                    && steps.leads_in_mentioned(products, *step, from, to)
                {
                    self.outgoing[from as usize].push((*step, to));
                    self.incoming[to as usize].push((*step, from));
                    self.count += 1;
                }
            }
        }
    }

    /// Transitions of one direction to or from other states: each belongs to one part or to both.
    fn share(&mut self, steps: &Steps, products: &Products, direction: Direction, old: u32, new: u32, variable: u32) {
        let (own, other) = match direction {
            Direction::Incoming => (&mut self.incoming, &mut self.outgoing),
            Direction::Outgoing => (&mut self.outgoing, &mut self.incoming),
        };
        let stays = |step: u32, part: u32, end: u32| match direction {
            Direction::Incoming => steps.leads_in(products, variable, step, end, part),
            Direction::Outgoing => steps.leads_in(products, variable, step, part, end),
        };
        let mut kept = std::mem::take(&mut own[old as usize]);
        self.count -= kept.len();
        let for_new: Vec<Transition> = kept.iter().copied().filter(|(step, end)| stays(*step, new, *end)).collect();
        self.ends.clear();
        self.ends.extend(kept.iter().map(|(_, end)| *end));
        self.ends.sort_unstable();
        self.ends.dedup();
        kept.retain(|(step, end)| stays(*step, old, *end));
        self.looks += kept.len();
        for end in &self.ends {
            self.looks += other[*end as usize].len();
            other[*end as usize].retain(|(step, part)| *part != old || stays(*step, old, *end));
        }
        for (step, end) in &for_new {
            other[*end as usize].push((*step, new));
        }
        self.count += kept.len() + for_new.len();
        own[old as usize] = kept;
        own.push(for_new);
        debug_assert_eq!(own.len(), new as usize + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::super::sets::{Layout, set_of};
    use super::*;
    use crate::causal::graphs::tests::{choose, operator, set, test};

    /// After any splits, exactly the transitions that there should be.
    #[test]
    fn transitions_follow_the_splits() {
        let operators = [
            operator(1, [(0, set(&[0], 1)), (1, test(&[0, 2]))]),
            operator(1, [(0, set(&[1], 2)), (1, set(&[0, 1, 2], 1))]),
            operator(1, [(1, choose(1, &[0, 2]))]),
            operator(1, [(0, test(&[2])), (1, set(&[2], 0))]),
        ];
        let mut products = Products::all(Layout::new(&[3, 3]));
        let steps = Steps::new(&products.layout, &operators);
        let mut transitions = Transitions::new();
        for (new, (old, variable, value)) in
            [(0, 0, 0), (0, 1, 1), (1, 1, 2), (0, 0, 2), (1, 1, 0)].into_iter().enumerate()
        {
            let new = new as u32 + 1;
            products.split(old, variable, &set_of(3, [value]));
            transitions.split(&steps, &products, old, new, variable);
            let mut expected = Vec::new();
            for (from, to) in (0..=new).flat_map(|from| (0..=new).map(move |to| (from, to))).filter(|(a, b)| a != b) {
                let leads = |step: &u32| (0..2).all(|v| steps.leads_in(&products, v, *step, from, to));
                expected.extend(steps.numbers().filter(leads).map(|step| (from, step, to)));
            }
            let lists = |lists: &[Vec<Transition>]| {
                let each = |(at, list): (usize, &Vec<Transition>)| list.iter().map(move |t| (at as u32, *t)).collect();
                let mut all: Vec<(u32, Transition)> = lists.iter().enumerate().flat_map::<Vec<_>, _>(each).collect();
                all.sort_unstable();
                all
            };
            let mut outgoing: Vec<_> = lists(&transitions.outgoing).iter().map(|(f, (s, t))| (*f, *s, *t)).collect();
            let mut incoming: Vec<_> = lists(&transitions.incoming).iter().map(|(t, (s, f))| (*f, *s, *t)).collect();
            [&mut expected, &mut outgoing, &mut incoming].into_iter().for_each(|list| list.sort_unstable());
            assert_eq!(outgoing, expected);
            assert_eq!(incoming, expected);
            assert_eq!(transitions.count, expected.len());
        }
    }
}
