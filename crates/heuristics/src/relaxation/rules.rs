//! Rules: from facts to facts, at a cost. The relaxed network.
//!
//! A rule fires as soon as all its preconditions are there; facts never go away again. A step of the network becomes a rule
//! with its constant effects, and one rule for every combination of values that the right-hand side of an assignment reads.

#![allow(unsafe_code)] // lists are read where the time goes, see `propagation`

use std::collections::HashMap;

use bughound_kernel::{Move, PreferredStep};

use bughound_finite::cost::Cost;
use bughound_finite::domains::Fact;

/// A rule by its number.
pub type RuleId = u32;

/// Lists of numbers, one after the other.
#[derive(Clone, Debug, Default)]
pub struct Lists {
    starts: Vec<u32>,
    items: Vec<u32>,
}

impl Lists {
    pub fn new<'l>(lists: impl Iterator<Item = &'l [u32]>) -> Lists {
        let mut all = Lists { starts: vec![0], items: Vec::new() };
        lists.for_each(|list| all.push(list));
        all.starts.shrink_to_fit();
        all.items.shrink_to_fit();
        all
    }

    pub fn push(&mut self, list: &[u32]) {
        self.items.extend_from_slice(list);
        self.starts.push(self.items.len() as u32);
    }

    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// For every number below `count`: the lists that contain it, ascending.
    pub fn inverse<'l>(lists: impl Iterator<Item = &'l [u32]> + Clone, count: usize) -> Lists {
        let mut starts = vec![0u32; count + 1];
        for item in lists.clone().flatten() {
            starts[*item as usize + 1] += 1;
        }
        for at in 0..count {
            starts[at + 1] += starts[at];
        }
        let mut next = starts.clone();
        let mut items = vec![0; starts[count] as usize];
        for (at, list) in lists.enumerate() {
            for item in list {
                let place = &mut next[*item as usize];
                items[*place as usize] = at as u32;
                *place += 1;
            }
        }
        Lists { starts, items }
    }

    /// Every item becomes so much larger.
    pub fn add_to_all(&mut self, number: u32) {
        self.items.iter_mut().for_each(|item| *item += number);
    }

    #[inline]
    pub fn of(&self, at: u32) -> &[u32] {
        &self.items[self.starts[at as usize] as usize..self.starts[at as usize + 1] as usize]
    }

    /// The same without a test whether there is such a list.
    ///
    /// # Safety
    /// `at` is less than the number of lists.
    #[inline]
    pub unsafe fn of_unchecked(&self, at: u32) -> &[u32] {
        debug_assert!((at as usize) < self.len());
        // SAFETY: there is a list `at`, and it lies between its start and that of the next, which `push` and `inverse` have
        // put where the items are.
        unsafe {
            let start = *self.starts.get_unchecked(at as usize) as usize;
            let end = *self.starts.get_unchecked(at as usize + 1) as usize;
            self.items.get_unchecked(start..end)
        }
    }

    pub fn memory(&self) -> usize {
        (self.starts.len() + self.items.len()) * size_of::<u32>()
    }
}

/// What a rule counts for in a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Use {
    /// The step that it is part of.
    pub step: u32,
    /// Rules of the same group need applications of the step of their own.
    pub group: u32,
    /// What one application costs.
    pub price: Cost,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Rule {
    pub preconditions: Vec<Fact>,
    pub effects: Vec<Fact>,
    pub cost: Cost,
    pub used: Option<Use>,
    /// The step without which there is no such rule.
    pub part_of: Option<PreferredStep>,
}

/// All rules that have to do with the goal, and what they are rules of.
pub struct Rules {
    /// How many facts have to do with the goal. They are numbered anew: most values of most variables have not.
    pub facts: usize,
    /// By fact of the domains.
    numbers: Vec<Fact>,
    /// By rule.
    pub preconditions: Lists,
    pub effects: Lists,
    costs: Vec<Cost>,
    pub used: Vec<Option<Use>>,
    /// By fact: the rules that give it.
    pub achievers: Lists,
    /// By step; `None` if nobody makes it.
    pub steps: Vec<Option<PreferredStep>>,
    pub groups: usize,
    /// By who starts a step with which edge: the rules of such steps, and the steps.
    started: HashMap<(u16, u32), Vec<(RuleId, PreferredStep)>>,
}

impl Rules {
    /// Always true.
    pub const ALWAYS: Fact = 0;
    /// An error.
    pub const GOAL: Fact = 1;
    /// The first fact that is free.
    pub const FIRST: Fact = 2;

    /// Leaves out all rules that have nothing to do with the goal.
    pub fn new(mut rules: Vec<Rule>, facts: usize, steps: Vec<Option<PreferredStep>>, groups: usize) -> Rules {
        let needed = needed(&rules, facts);
        for rule in &mut rules {
            rule.effects.retain(|fact| needed[*fact as usize]);
        }
        rules.retain(|rule| !rule.effects.is_empty());
        let numbers = renumber(&needed);
        for fact in rules.iter_mut().flat_map(|rule| rule.preconditions.iter_mut().chain(&mut rule.effects)) {
            *fact = numbers[*fact as usize];
        }
        let facts = numbers.iter().filter(|number| **number != NOWHERE).count();
        let mut started: HashMap<_, Vec<_>> = HashMap::new();
        for (rule, step) in rules.iter().enumerate().filter_map(|(at, rule)| Some((at as RuleId, rule.part_of?))) {
            started.entry(step.first).or_default().push((rule, step));
        }
        let effects = rules.iter().map(|rule| &rule.effects[..]);
        Rules {
            facts,
            numbers,
            preconditions: Lists::new(rules.iter().map(|rule| &rule.preconditions[..])),
            achievers: Lists::inverse(effects.clone(), facts),
            effects: Lists::new(effects),
            costs: rules.iter().map(|rule| rule.cost).collect(),
            used: rules.iter().map(|rule| rule.used).collect(),
            steps,
            groups,
            started,
        }
    }

    pub fn len(&self) -> usize {
        self.costs.len()
    }

    pub fn cost(&self, rule: RuleId) -> Cost {
        self.costs[rule as usize]
    }

    /// The rules of the step that a macro step with these moves begins with, if any. The micro steps after the first are
    /// not part of it: in the relaxation they are steps like others, and the macro step cannot be taken without its first.
    pub fn of_step<'r>(&'r self, moves: &'r [Move]) -> impl Iterator<Item = RuleId> + 'r {
        let candidates = moves.first().and_then(|made| self.started.get(&(made.process, made.edge)));
        candidates.into_iter().flatten().filter(|(_, step)| step.begins(moves)).map(|(rule, _)| *rule)
    }

    /// The number of a fact of the domains, if it has to do with the goal.
    #[inline]
    pub fn number(&self, fact: Fact) -> Option<Fact> {
        let number = self.numbers[fact as usize];
        (number != NOWHERE).then_some(number)
    }

    pub fn memory(&self) -> u64 {
        let lists = [&self.preconditions, &self.effects, &self.achievers];
        let lists: usize = lists.into_iter().map(Lists::memory).sum();
        let by_rule = size_of::<Cost>() + size_of::<Option<Use>>();
        let steps = self.steps.capacity() * size_of::<Option<PreferredStep>>();
        let rest = self.len() * by_rule + steps;
        let started: usize =
            self.started.values().map(|rules| 64 + rules.capacity() * size_of::<(RuleId, PreferredStep)>()).sum();
        (lists + rest + started + self.numbers.len() * size_of::<Fact>()) as u64
    }
}

/// The number of facts that have nothing to do with the goal.
const NOWHERE: Fact = Fact::MAX;

/// Numbers for those that are needed, and for the two that have theirs.
fn renumber(needed: &[bool]) -> Vec<Fact> {
    let mut next = 0;
    let mut number = |(fact, needed): (usize, &bool)| {
        if !*needed && fact >= Rules::FIRST as usize {
            return NOWHERE;
        }
        next += 1;
        next - 1
    };
    needed.iter().enumerate().map(&mut number).collect()
}

/// The facts that some way to the goal needs.
fn needed(rules: &[Rule], facts: usize) -> Vec<bool> {
    let achievers = Lists::inverse(rules.iter().map(|rule| &rule.effects[..]), facts);
    let mut needed = vec![false; facts];
    let mut todo = vec![Rules::GOAL];
    while let Some(fact) = todo.pop() {
        if !std::mem::replace(&mut needed[fact as usize], true) {
            for rule in achievers.of(fact) {
                todo.extend(&rules[*rule as usize].preconditions);
            }
        }
    }
    needed
}
