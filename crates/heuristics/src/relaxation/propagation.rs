//! The cost of every fact from a state on: a generalised Dijkstra search over rules.
//!
//! A rule counts how many of its preconditions are missing; when the last one comes, its effects get its cost plus the
//! maximum, or the sum, of the costs of its preconditions.

use bughound_kernel::{Move, State};

use super::problem::Problem;
use super::queue::RadixQueue;
use super::rules::{RuleId, Rules};
use crate::cost::{Combine, Cost, INFINITE, plus};
use crate::finite::domains::Fact;

/// The fact was there from the start.
pub const NOBODY: RuleId = RuleId::MAX;

/// More preconditions than any rule has.
const NEVER: u16 = u16::MAX;

/// Working memory; nothing is allocated once it has grown.
pub struct Propagation {
    combine: Combine,
    /// By fact.
    pub costs: Vec<Cost>,
    /// By fact: the rule that gave it at this cost.
    pub supporters: Vec<RuleId>,
    /// By rule.
    missing: Vec<u16>,
    /// By rule: its cost, and the sum of those of the preconditions that are there.
    sums: Vec<Cost>,
    queue: RadixQueue,
}

impl Propagation {
    pub fn new(rules: &Rules, combine: Combine) -> Propagation {
        Propagation {
            combine,
            costs: vec![INFINITE; rules.facts],
            supporters: vec![NOBODY; rules.facts],
            missing: rules.missing.clone(),
            sums: rules.costs.clone(),
            queue: RadixQueue::default(),
        }
    }

    /// The cost of the goal without the rules of [this step](Rules::of_step); with all rules if it has no moves.
    pub fn run_without(&mut self, problem: &Problem, step: &[Move], state: State<'_>) -> Cost {
        let rules = &problem.rules;
        self.costs.fill(INFINITE);
        self.missing.copy_from_slice(&rules.missing);
        rules.of_step(step).for_each(|rule| self.missing[rule as usize] = NEVER);
        self.queue.clear();
        self.start(Rules::ALWAYS);
        if problem.hopeless || !problem.facts(state, &mut |fact| self.start(fact)) {
            return 0;
        }
        match self.combine {
            Combine::Max => self.spread::<false>(rules),
            Combine::Sum => {
                self.sums.copy_from_slice(&rules.costs);
                self.spread::<true>(rules);
            }
        }
        self.costs[Rules::GOAL as usize]
    }

    /// All preconditions were there before the goal, and the rule was not left out.
    pub fn has_fired(&self, rule: RuleId) -> bool {
        self.missing[rule as usize] == 0
    }

    fn start(&mut self, fact: Fact) {
        if self.costs[fact as usize] != 0 {
            self.costs[fact as usize] = 0;
            self.supporters[fact as usize] = NOBODY;
            self.queue.push(0, fact);
        }
    }

    fn spread<const SUM: bool>(&mut self, rules: &Rules) {
        while let Some((cost, fact)) = self.queue.pop() {
            if cost > self.costs[fact as usize] {
                continue; // cheaper meanwhile
            }
            if fact == Rules::GOAL {
                return;
            }
            for rule in rules.waiting.of(fact) {
                let at = *rule as usize;
                self.missing[at] -= 1;
                if SUM {
                    self.sums[at] = plus(self.sums[at], cost);
                }
                if self.missing[at] > 0 {
                    continue;
                }
                let total = if SUM { self.sums[at] } else { plus(rules.costs[at], cost) };
                for effect in rules.effects.of(*rule) {
                    if total < self.costs[*effect as usize] {
                        self.costs[*effect as usize] = total;
                        self.supporters[*effect as usize] = *rule;
                        self.queue.push(total, *effect);
                    }
                }
            }
        }
    }

    pub fn memory(&self) -> u64 {
        let facts = self.costs.len() * (size_of::<Cost>() + size_of::<RuleId>());
        (facts + self.missing.len() * (size_of::<u16>() + size_of::<Cost>())) as u64
    }
}
