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

use bughound_finite::cost::{Cost, INFINITE, plus};
use bughound_finite::domains::Fact;
use bughound_kernel::{Move, Situation};

use super::problem::Problem;
use super::queue::CostQueue;
use super::reading::{Change, Reading};
use super::ready::{Pending, Ready};
use super::rules::{Outcome, RuleId, Rules};
use crate::cost::Combine;

/// The fact was there from the start.
const NOBODY: RuleId = RuleId::MAX;

/// More preconditions than any rule has.
const NEVER: u32 = u32::MAX;

/// Copying everything takes about as long as mending one of so many.
const COPY: usize = 8;

/// Working memory; nothing is allocated once it has grown.
pub struct Propagation {
    combine: Combine,
    reading: Reading,
    pub facts: Costs,
    counters: Counters,
}

/// What is known of facts.
pub struct Costs {
    /// By fact.
    costs: Vec<Cost>,
    /// By fact that is not in the state: the rule that gave it at this cost.
    supporters: Vec<RuleId>,
    /// Facts with costs that are not in the state.
    reached: Vec<Fact>,
    /// By list of effects: the least cost at which a rule has given them.
    given: Vec<Cost>,
    /// Those that were.
    outcomes: Vec<Outcome>,
    queue: CostQueue,
}

/// What is known of rules.
struct Counters {
    ready: Ready,
    /// By rule: as it is with the facts so far, those that are not in the state included.
    pending: Vec<Pending>,
    /// Facts that are not in the state whose rules were told.
    told: Vec<Fact>,
    /// How many rules they were.
    rules_told: usize,
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
        self.counters.take_back(rules);
        if !self.read(problem, at) {
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
        self.counters.pending[rule as usize].missing == 0
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
        let Propagation { facts, counters: Counters { ready, pending, told, rules_told, .. }, .. } = self;
        ready.each_applicable(|rule| {
            // Unless it is left out.
            if pending[rule as usize].missing == 0 {
                facts.fire(rule, rules.costs[rule as usize], rules);
            }
        });
        while let Some((cost, fact)) = facts.queue.pop() {
            if cost > facts.cost(fact) {
                continue; // cheaper meanwhile
            }
            if fact == Rules::GOAL {
                return;
            }
            let waiting = rules.waiting.of(fact);
            told.push(fact);
            *rules_told += waiting.len();
            for rule in waiting {
                let pending = &mut pending[*rule as usize];
                pending.missing -= 1;
                if SUM {
                    // Cut at the end: nothing that comes out of the queue is infinite.
                    pending.cost = pending.cost.saturating_add(cost);
                }
                if pending.missing > 0 {
                    continue;
                }
                let total = if SUM { pending.cost.min(INFINITE - 1) } else { plus(pending.cost, cost) };
                facts.fire(*rule, total, rules);
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

    /// A rule fires at this cost. Most come too late: others did the same for less.
    #[inline]
    fn fire(&mut self, rule: RuleId, total: Cost, rules: &Rules) {
        let outcome = rules.outcome[rule as usize];
        if total < self.given[outcome as usize] {
            self.give(rule, total, outcome, rules);
        }
    }

    fn give(&mut self, rule: RuleId, total: Cost, outcome: Outcome, rules: &Rules) {
        let given = &mut self.given[outcome as usize];
        if *given == INFINITE {
            self.outcomes.push(outcome);
        }
        *given = total;
        for effect in rules.effects.of(outcome) {
            let cost = &mut self.costs[*effect as usize];
            if total < *cost {
                if *cost == INFINITE {
                    self.reached.push(*effect);
                }
                *cost = total;
                self.supporters[*effect as usize] = rule;
                self.queue.push(total, *effect);
            }
        }
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
        let pending = ready.pending().to_vec();
        Counters { ready, pending, told: Vec::new(), rules_told: 0, left_out: Vec::new() }
    }

    fn change(&mut self, rules: &Rules, fact: Fact, change: Change) {
        let waiting = rules.waiting.of(fact);
        self.ready.change(waiting, change);
        for rule in waiting {
            self.pending[*rule as usize] = self.ready.pending()[*rule as usize];
        }
    }

    fn leave_out(&mut self, rules: impl Iterator<Item = RuleId>) {
        self.left_out.extend(rules);
        for rule in &self.left_out {
            self.pending[*rule as usize].missing = NEVER;
        }
    }

    /// Nothing but the facts of the state is there.
    fn take_back(&mut self, rules: &Rules) {
        let before = self.ready.pending();
        if self.rules_told > before.len() / COPY {
            self.pending.copy_from_slice(before);
        } else {
            for rule in self.told.iter().flat_map(|fact| rules.waiting.of(*fact)).chain(&self.left_out) {
                self.pending[*rule as usize] = before[*rule as usize];
            }
        }
        self.told.clear();
        self.left_out.clear();
        self.rules_told = 0;
    }

    fn memory(&self) -> u64 {
        let pending = self.pending.capacity() * size_of::<Pending>();
        let lists = self.told.capacity() * size_of::<Fact>() + self.left_out.capacity() * size_of::<RuleId>();
        (pending + lists) as u64 + self.ready.memory()
    }
}
