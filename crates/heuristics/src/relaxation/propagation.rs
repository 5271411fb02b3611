//! The cost of every fact from a state on: a generalised Dijkstra search over rules.
//!
//! A rule counts how many of its preconditions are missing; when the last one comes, its effects get its cost plus the
//! maximum, or the sum, of the costs of its preconditions.
//!
//! Papers: Dijkstra 1959, Knuth 1977 (superior functions); counters as in Dowling, Gallier 1984.
//!
//! Facts of the state cost nothing, and most of them were there in the state before: the counters are kept as they are
//! with the facts of the state ([`ready`](super::ready)), and changed by what comes and goes. From there on everything is
//! computed anew: nearly half of the other costs change from one state to the next (measured), and an incremental
//! evaluation (Liu, Koenig, Furcy 2002) looks at each of them twice. What a search has changed is taken back afterwards,
//! rule by rule where it was little, or with one copy. The result depends on the state alone, not on those before.
//!
//! Cost: at most one look at each precondition that is not in the state, and at each effect of the rules that fire.

#![allow(unsafe_code)] // a fifth of the instructions of an estimate tested bounds that hold once the rules are made

use bughound_finite::cost::{Cost, INFINITE};
use bughound_finite::domains::Fact;
use bughound_kernel::{Move, Situation};

use super::countdown::Countdown;
use super::problem::Problem;
use super::queue::CostQueue;
use super::reading::{Change, Reading};
use super::ready::Ready;
use super::rules::{Made, Outcome, RuleId, Rules};
use crate::cost::Combine;

/// The fact was there from the start.
const NOBODY: RuleId = RuleId::MAX;

/// Copying everything takes about as long as mending one of so many.
const COPY: usize = 8;

/// Working memory; nothing is allocated once it has grown.
#[derive(Clone)]
pub struct Propagation {
    combine: Combine,
    reading: Reading,
    pub facts: Costs,
    counters: Counters,
}

/// What is known of facts.
#[derive(Clone)]
pub struct Costs {
    /// By fact.
    costs: Vec<Cost>,
    /// By fact that is not in the state: the rule that gave it at this cost.
    supporters: Vec<RuleId>,
    /// Facts with costs that are not in the state.
    reached: Vec<Fact>,
    /// By list of effects: what the costliest of them costs since a rule has given them. Who needs as much need not try.
    given: Vec<Cost>,
    /// Those that were.
    outcomes: Vec<Outcome>,
    queue: CostQueue,
}

/// What is known of rules.
#[derive(Clone)]
struct Counters {
    ready: Ready,
    /// As it is with the facts so far, those that are not in the state included.
    missing: Countdown,
    /// Facts that are not in the state whose rules were told, and those that have come or gone since.
    told: Vec<Fact>,
    /// In how many blocks.
    blocks_told: usize,
    left_out: Vec<RuleId>,
}

impl Propagation {
    pub fn new(problem: &Problem, combine: Combine) -> Propagation {
        let rules = &problem.rules;
        let mut propagation = Propagation {
            combine,
            reading: Reading::new(problem),
            facts: Costs::new(rules),
            counters: Counters::new(rules),
        };
        let always = std::iter::once(Rules::ALWAYS).chain(problem.nobody_stuck());
        always.for_each(|fact| propagation.change(rules, fact, Change::Comes));
        propagation
    }

    /// The cost of the goal without the rules of [this step](Rules::of_step); with all rules if it has no moves.
    pub fn run_without(&mut self, problem: &Problem, step: &[Move], at: Situation<'_>) -> Cost {
        if problem.hopeless {
            return 0;
        }
        let rules = &problem.rules;
        self.facts.take_back();
        let known = self.read(problem, at);
        self.counters.take_back(rules);
        if !known {
            return 0;
        }
        self.counters.leave_out(rules.of_step(step));
        match self.combine {
            Combine::Max => self.spread::<false>(rules),
            Combine::Sum => self.spread::<true>(rules),
        }
        self.facts.cost(Rules::GOAL)
    }

    /// All preconditions were there before the goal, and the rule was not left out.
    pub fn has_fired(&self, rule: RuleId) -> bool {
        self.counters.missing.is_complete(rule) && !self.counters.left_out.contains(&rule)
    }

    /// To the facts of this state; false if it is not one that the relaxation knows.
    fn read(&mut self, problem: &Problem, at: Situation<'_>) -> bool {
        let (facts, counters) = (&mut self.facts, &mut self.counters);
        self.reading.read(problem, at, |fact, change| {
            facts.change(fact, change);
            counters.change(&problem.rules, fact, change);
        })
    }

    fn change(&mut self, rules: &Rules, fact: Fact, change: Change) {
        self.facts.change(fact, change);
        self.counters.change(rules, fact, change);
    }

    fn spread<const SUM: bool>(&mut self, rules: &Rules) {
        let Propagation { facts, counters: Counters { ready, missing, told, blocks_told, left_out }, .. } = self;
        // What is not tested below: numbers in rules are in their ranges ([`Rules`]), and everything here is as large.
        assert!(facts.costs.len() == rules.facts && facts.supporters.len() == rules.facts);
        assert!(facts.given.len() == rules.effects.len() && missing.len() == rules.len().div_ceil(64));
        ready.each_applicable(rules, |rule| {
            let Made { cost, outcome } = rules.made[rule as usize];
            if cost < facts.given[outcome as usize] && !left_out.contains(&rule) {
                // SAFETY: both are from `rules`, whose sizes were compared.
                unsafe { facts.give(rule, cost, outcome, rules) };
            }
        });
        while let Some((cost, fact)) = facts.queue.pop() {
            if cost > facts.cost(fact) {
                continue; // cheaper meanwhile
            }
            if fact == Rules::GOAL {
                return;
            }
            // SAFETY: only effects of rules are put into the queue.
            let waiting = unsafe { rules.waiting.of_unchecked(fact) };
            told.push(fact);
            *blocks_told += waiting.len();
            for block in waiting {
                // SAFETY: it holds rules, and there are counters for all of them.
                for rule in unsafe { missing.comes_unchecked(*block) }.each() {
                    // SAFETY: it is a rule.
                    let Made { cost: own, outcome } = unsafe { *rules.made.get_unchecked(rule as usize) };
                    // SAFETY: it is an outcome of a rule, and there is an entry for each.
                    let given = unsafe { *facts.given.get_unchecked(outcome as usize) };
                    // Most come too late: others did the same for less.
                    let least = own.saturating_add(cost).min(INFINITE - 1);
                    if least >= given {
                        continue;
                    }
                    // SAFETY: it is a rule.
                    let total = if SUM { unsafe { facts.total(rule, own, rules) } } else { least };
                    if total < given {
                        // SAFETY: it is a rule with its outcome.
                        unsafe { facts.give(rule, total, outcome, rules) };
                    }
                }
            }
        }
    }

    pub fn memory(&self) -> u64 {
        self.reading.memory() + self.facts.memory() + self.counters.memory()
    }
}

impl Costs {
    fn new(rules: &Rules) -> Costs {
        Costs {
            costs: vec![INFINITE; rules.facts],
            supporters: vec![NOBODY; rules.facts],
            reached: Vec::new(),
            given: vec![INFINITE; rules.effects.len()],
            outcomes: Vec::new(),
            queue: CostQueue::default(),
        }
    }

    #[inline]
    pub fn cost(&self, fact: Fact) -> Cost {
        self.costs[fact as usize]
    }

    /// The rule that gives a fact with a cost at that cost; none if it is in the state.
    #[inline]
    pub fn supporter(&self, fact: Fact) -> Option<RuleId> {
        let supporter = self.supporters[fact as usize];
        (supporter != NOBODY).then_some(supporter)
    }

    fn change(&mut self, fact: Fact, change: Change) {
        self.costs[fact as usize] = if change == Change::Comes { 0 } else { INFINITE };
        self.supporters[fact as usize] = NOBODY;
    }

    /// What a rule costs with all its preconditions, which have costs.
    ///
    /// # Safety
    /// It is one of these rules, and these are the costs of their facts.
    #[inline]
    unsafe fn total(&self, rule: RuleId, own: Cost, rules: &Rules) -> Cost {
        let mut total = u64::from(own);
        // SAFETY: it is a rule.
        for fact in unsafe { rules.preconditions.of_unchecked(rule) } {
            // SAFETY: a precondition is a fact, and every fact has a cost.
            total += u64::from(unsafe { *self.costs.get_unchecked(*fact as usize) });
        }
        total.min(u64::from(INFINITE - 1)) as Cost
    }

    /// A rule gives its effects at this cost, which is less than was given for all of them so far.
    ///
    /// # Safety
    /// It is one of these rules with its outcome, and this is about their facts and outcomes.
    #[inline(always)] // entering and leaving it costs as much as most calls do
    unsafe fn give(&mut self, rule: RuleId, total: Cost, outcome: Outcome, rules: &Rules) {
        let mut most = 0;
        // SAFETY: it is an outcome.
        for effect in unsafe { rules.effects.of_unchecked(outcome) } {
            // SAFETY: an effect is a fact, and every fact has a cost.
            let cost = unsafe { self.costs.get_unchecked_mut(*effect as usize) };
            if total < *cost {
                if *cost == INFINITE {
                    self.reached.push(*effect);
                }
                *cost = total;
                // SAFETY: and a supporter.
                unsafe { *self.supporters.get_unchecked_mut(*effect as usize) = rule };
                self.queue.push(total, *effect);
            }
            most = most.max(*cost);
        }
        // SAFETY: it is an outcome.
        let given = unsafe { self.given.get_unchecked_mut(outcome as usize) };
        if *given == INFINITE {
            self.outcomes.push(outcome);
        }
        *given = most;
    }

    fn take_back(&mut self) {
        self.queue.clear();
        for fact in self.reached.drain(..) {
            self.costs[fact as usize] = INFINITE;
        }
        for outcome in self.outcomes.drain(..) {
            self.given[outcome as usize] = INFINITE;
        }
    }

    fn memory(&self) -> u64 {
        let by_fact = self.costs.capacity() * (size_of::<Cost>() + size_of::<RuleId>());
        let by_outcome = self.given.capacity() * size_of::<Cost>() + self.outcomes.capacity() * size_of::<Outcome>();
        (by_fact + by_outcome + self.reached.capacity() * size_of::<Fact>()) as u64 + self.queue.memory()
    }
}

impl Counters {
    fn new(rules: &Rules) -> Counters {
        let ready = Ready::new(rules);
        let missing = ready.missing().clone();
        Counters { ready, missing, told: Vec::new(), blocks_told: 0, left_out: Vec::new() }
    }

    /// A fact of the state comes or goes; what was counted so far is not right any more until it is taken back.
    fn change(&mut self, rules: &Rules, fact: Fact, change: Change) {
        self.ready.change(rules, fact, change);
        self.told.push(fact);
        self.blocks_told += rules.waiting.of(fact).len();
    }

    /// What the fact has to do with is as in the state.
    fn restore(&mut self, rules: &Rules, fact: Fact) {
        for block in rules.waiting.of(fact) {
            self.missing.copy_word(self.ready.missing(), block.word);
        }
    }

    fn leave_out(&mut self, rules: impl Iterator<Item = RuleId>) {
        self.left_out.extend(rules);
        self.left_out.iter().for_each(|rule| self.missing.exclude(*rule));
    }

    /// Nothing but the facts of the state is there.
    fn take_back(&mut self, rules: &Rules) {
        if self.blocks_told > self.missing.len() / COPY {
            self.missing.copy(self.ready.missing());
        } else {
            for at in 0..self.told.len() {
                self.restore(rules, self.told[at]);
            }
            for rule in &self.left_out {
                self.missing.copy_word(self.ready.missing(), rule / 64);
            }
        }
        self.told.clear();
        self.left_out.clear();
        self.blocks_told = 0;
    }

    fn memory(&self) -> u64 {
        let lists = self.told.capacity() * size_of::<Fact>() + self.left_out.capacity() * size_of::<RuleId>();
        lists as u64 + self.missing.memory() + self.ready.memory()
    }
}
