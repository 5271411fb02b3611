//! The cost of every fact from a state on: a generalised Dijkstra search over rules.
//!
//! A rule counts how many of its preconditions are missing; when the last one comes, its effects get its cost plus the
//! maximum, or the sum, of the costs of its preconditions.

use bughound_finite::cost::{Cost, INFINITE, plus};
use bughound_finite::domains::Fact;
use bughound_kernel::{Move, Situation};

use super::problem::Problem;
use super::queue::RadixQueue;
use super::rules::{RuleId, Rules};
use crate::cost::Combine;

/// The fact was there from the start.
pub const NOBODY: RuleId = RuleId::MAX;

/// More preconditions than any rule has.
const NEVER: u32 = u32::MAX;

/// What a rule waits for. Side by side, because both are looked at whenever a precondition comes: that is where the time goes.
#[derive(Clone, Copy)]
struct Pending {
    /// Preconditions.
    missing: u32,
    /// The cost of the rule, and the sum of those of the preconditions that are there if sums are asked for.
    cost: Cost,
}

/// Working memory; nothing is allocated once it has grown.
pub struct Propagation {
    combine: Combine,
    /// By fact.
    pub costs: Vec<Cost>,
    /// By fact: the rule that gave it at this cost.
    pub supporters: Vec<RuleId>,
    /// By rule, now and at the beginning.
    pending: Vec<Pending>,
    fresh: Vec<Pending>,
    queue: RadixQueue,
}

impl Propagation {
    pub fn new(rules: &Rules, combine: Combine) -> Propagation {
        let waits = |(missing, cost): (&u16, &Cost)| Pending { missing: u32::from(*missing), cost: *cost };
        let fresh: Vec<Pending> = rules.missing.iter().zip(&rules.costs).map(waits).collect();
        Propagation {
            combine,
            costs: vec![INFINITE; rules.facts],
            supporters: vec![NOBODY; rules.facts],
            pending: fresh.clone(),
            fresh,
            queue: RadixQueue::default(),
        }
    }

    /// The cost of the goal without the rules of [this step](Rules::of_step); with all rules if it has no moves.
    pub fn run_without(&mut self, problem: &Problem, step: &[Move], at: Situation<'_>) -> Cost {
        let rules = &problem.rules;
        self.costs.fill(INFINITE);
        self.pending.copy_from_slice(&self.fresh);
        rules.of_step(step).for_each(|rule| self.pending[rule as usize].missing = NEVER);
        self.queue.clear();
        self.start(Rules::ALWAYS);
        if problem.hopeless || !problem.facts(at, &mut |fact| self.start(fact)) {
            return 0;
        }
        match self.combine {
            Combine::Max => self.spread::<false>(rules),
            Combine::Sum => self.spread::<true>(rules),
        }
        self.costs[Rules::GOAL as usize]
    }

    /// All preconditions were there before the goal, and the rule was not left out.
    pub fn has_fired(&self, rule: RuleId) -> bool {
        self.pending[rule as usize].missing == 0
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
                let pending = &mut self.pending[*rule as usize];
                pending.missing -= 1;
                if SUM {
                    pending.cost = plus(pending.cost, cost);
                }
                if pending.missing > 0 {
                    continue;
                }
                let total = if SUM { pending.cost } else { plus(pending.cost, cost) };
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
        (facts + 2 * self.pending.len() * size_of::<Pending>()) as u64
    }
}
