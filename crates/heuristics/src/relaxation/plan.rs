//! Relaxed plans: steps that together lead from the state to an error if nothing is ever undone.

use std::collections::BinaryHeap;

use bughound_finite::cost::{Cost, INFINITE, plus};
use bughound_finite::domains::Fact;
use bughound_kernel::PreferredStep;

use super::propagation::Reached;
use super::rules::{RuleId, Rules};

/// Which rule is to give a fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// The one that the costs of the facts come from.
    Supporter,
    /// Of those that give it in its layer one that is in the plan already, or else the one whose preconditions lie in the
    /// lowest layers altogether.
    EasiestInLayer,
}

/// A cost and a fact as one number, because one is compared faster than two. The fact is its lower half.
fn ranked(cost: Cost, fact: Fact) -> u64 {
    u64::from(cost) << 32 | u64::from(fact)
}

/// Working memory for plans.
#[derive(Clone)]
pub struct Planner {
    choice: Choice,
    /// Facts still to be given, the costliest first, with their costs: see [`ranked`]. Preferred steps are found in this order,
    /// which makes a difference to searches.
    open: BinaryHeap<u64>,
    /// By fact: it was needed before.
    needed: Vec<bool>,
    /// By rule: it is in the plan.
    selected: Vec<bool>,
    /// By group: rules in the plan.
    in_group: Vec<u32>,
    /// By step: how often it is applied.
    applications: Vec<u32>,
    /// What is to be cleared again.
    facts: Vec<Fact>,
    rules: Vec<RuleId>,
    preferred: Vec<PreferredStep>,
}

impl Planner {
    pub fn new(rules: &Rules, choice: Choice) -> Planner {
        Planner {
            choice,
            open: BinaryHeap::new(),
            needed: vec![false; rules.facts],
            selected: vec![false; rules.len()],
            in_group: vec![0; rules.groups],
            applications: vec![0; rules.steps.len()],
            facts: Vec::new(),
            rules: Vec::new(),
            preferred: Vec::new(),
        }
    }

    /// The cost of a plan for the goal, after a propagation that has reached it.
    pub fn cost(&mut self, rules: &Rules, reached: &Reached<'_>) -> Cost {
        self.forget(rules);
        self.need(Rules::GOAL, reached);
        let mut total: Cost = 0;
        while let Some(fact) = self.open.pop().map(|ranked| ranked as Fact) {
            let Some(rule) = self.giver(rules, reached, fact) else { continue };
            if std::mem::replace(&mut self.selected[rule as usize], true) {
                continue;
            }
            self.rules.push(rule);
            match rules.used[rule as usize] {
                Some(used) => {
                    self.in_group[used.group as usize] += 1;
                    let applications = &mut self.applications[used.step as usize];
                    if self.in_group[used.group as usize] > *applications {
                        *applications += 1;
                        total = plus(total, used.price);
                        let now = |fact: &Fact| reached.cost(*fact) == 0;
                        if *applications == 1 && rules.preconditions.of(rule).iter().all(now) {
                            self.preferred.extend(rules.steps[used.step as usize]);
                        }
                    }
                }
                None => total = plus(total, rules.cost(rule)),
            }
            for precondition in rules.preconditions.of(rule) {
                self.need(*precondition, reached);
            }
        }
        total
    }

    /// The steps of the last plan that can be taken at once.
    pub fn preferred(&self) -> &[PreferredStep] {
        &self.preferred
    }

    fn need(&mut self, fact: Fact, reached: &Reached<'_>) {
        if reached.is_given(fact) && !std::mem::replace(&mut self.needed[fact as usize], true) {
            self.facts.push(fact);
            self.open.push(ranked(reached.cost(fact), fact));
        }
    }

    fn giver(&self, rules: &Rules, reached: &Reached<'_>, fact: Fact) -> Option<RuleId> {
        if self.choice == Choice::Supporter {
            return reached.supporter(fact);
        }
        let cost = reached.cost(fact);
        let mut best = (INFINITE, None);
        for rule in rules.achievers.of(fact) {
            let own = rules.cost(*rule);
            // Rules without cost may support each other in a circle: those are left to the supporters.
            if own == 0 {
                continue;
            }
            let before = rules.preconditions.of(*rule).iter().map(|fact| reached.cost(*fact));
            let (latest, sum) = before.fold((0, 0), |(latest, sum): (Cost, Cost), c| (latest.max(c), plus(sum, c)));
            if plus(latest, own) > cost || reached.is_left_out(*rule) {
                continue;
            }
            if self.selected[*rule as usize] {
                return Some(*rule);
            }
            if sum < best.0 {
                best = (sum, Some(*rule));
            }
        }
        best.1.or_else(|| reached.supporter(fact))
    }

    /// No plan any more.
    pub fn forget(&mut self, rules: &Rules) {
        self.preferred.clear();
        self.open.clear();
        for fact in self.facts.drain(..) {
            self.needed[fact as usize] = false;
        }
        for rule in self.rules.drain(..) {
            self.selected[rule as usize] = false;
            if let Some(used) = rules.used[rule as usize] {
                self.in_group[used.group as usize] = 0;
                self.applications[used.step as usize] = 0;
            }
        }
    }

    pub fn memory(&self) -> u64 {
        let flags = self.needed.len() + self.selected.len();
        (flags + (self.in_group.len() + self.applications.len()) * size_of::<u32>()) as u64
    }
}
