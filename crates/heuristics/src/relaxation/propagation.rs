//! The cost of every fact from a state on: a generalised Dijkstra search over rules.
//!
//! A rule counts how many of its preconditions are missing; when the last one comes, its effects get its cost plus the
//! maximum, or the sum, of the costs of its preconditions. Rules are [merged](super::merging): a choice is there with the first
//! of its alternatives, at the same cost, since what comes later costs no less.
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
use super::graph::{Graph, Made, Outcome, TermId};
use super::problem::Problem;
use super::queue::CostQueue;
use super::reading::{Change, Reading};
use super::ready::Ready;
use super::rules::{RuleId, Rules};
use crate::cost::Combine;

/// The fact was there from the start.
const NOBODY: TermId = TermId::MAX;

/// Copying everything takes about as long as mending one of so many.
const COPY: usize = 8;

/// Working memory; nothing is allocated once it has grown.
#[derive(Clone)]
pub struct Propagation {
    combine: Combine,
    merged: Search,
    /// With each rule by itself, once rules were left out: a merged one is several, and not all of them are.
    plain: Option<Box<Search>>,
    /// The last one was with each rule by itself.
    without: bool,
}

#[derive(Clone)]
struct Search {
    reading: Reading,
    facts: Costs,
    counters: Counters,
}

/// What is known of facts.
#[derive(Clone)]
struct Costs {
    /// By fact.
    costs: Vec<Cost>,
    /// By fact.
    origins: Vec<Origin>,
    /// Facts with costs that are not in the state.
    reached: Vec<Fact>,
    /// By fact: of a choice, how many alternatives are in the state.
    present: Vec<u32>,
    /// By list of effects: what the costliest of them costs since a rule has given them. Who needs as much need not try.
    given: Vec<Cost>,
    /// Those that were.
    outcomes: Vec<Outcome>,
    queue: CostQueue,
}

/// Where a fact has its cost from.
#[derive(Clone, Copy)]
struct Origin {
    /// The term that gave it; [`NOBODY`] if the fact is in the state. Nothing for a choice.
    term: TermId,
    /// What was the last to come of what the term waited for.
    last: Fact,
    /// When its turn came: later facts have later turns.
    turn: u32,
}

/// Where facts of the state have their costs from.
const STATE: Origin = Origin { term: NOBODY, last: Rules::ALWAYS, turn: 0 };

/// Its turn has not come.
const NOT_YET: u32 = u32::MAX;

/// What is known of terms.
#[derive(Clone)]
struct Counters {
    ready: Ready,
    /// As it is with the facts so far, those that are not in the state included.
    missing: Countdown,
    /// Facts that are not in the state whose terms were told, and those that have come or gone since.
    told: Vec<Fact>,
    /// In how many blocks.
    blocks_told: usize,
    left_out: Vec<TermId>,
}

impl Propagation {
    pub fn new(problem: &Problem, combine: Combine) -> Propagation {
        Propagation { combine, merged: Search::new(problem, &problem.merged), plain: None, without: false }
    }

    /// The cost of the goal without the rules of [this step](Rules::of_step); with all rules if it has no moves.
    pub fn run_without(&mut self, problem: &Problem, step: &[Move], at: Situation<'_>) -> Cost {
        if problem.hopeless {
            return 0;
        }
        let mut left_out = problem.rules.of_step(step).peekable();
        self.without = left_out.peek().is_some();
        if !self.without {
            return self.merged.run(self.combine, problem, &problem.merged, left_out, at);
        }
        let plain = self.plain.get_or_insert_with(|| Box::new(Search::new(problem, problem.plain())));
        plain.run(self.combine, problem, problem.plain(), left_out, at)
    }

    /// What the last search has found.
    pub fn reached<'r>(&'r self, problem: &'r Problem) -> Reached<'r> {
        let (search, graph) = match &self.plain {
            Some(plain) if self.without => (&**plain, problem.plain()),
            _ => (&self.merged, &problem.merged),
        };
        Reached { facts: &search.facts, graph, left_out: &search.counters.left_out }
    }

    pub fn memory(&self) -> u64 {
        self.merged.memory() + self.plain.as_ref().map_or(0, |plain| plain.memory())
    }
}

/// The costs of facts, and where they come from.
pub struct Reached<'r> {
    facts: &'r Costs,
    graph: &'r Graph,
    left_out: &'r [RuleId],
}

impl Reached<'_> {
    #[inline]
    pub fn cost(&self, fact: Fact) -> Cost {
        self.facts.cost(fact)
    }

    /// Does a rule give this fact, which has a cost? Else it is in the state.
    #[inline]
    pub fn is_given(&self, fact: Fact) -> bool {
        self.facts.origins[fact as usize].term != NOBODY
    }

    /// The rule that gives a fact with a cost at that cost; none if it is in the state.
    #[inline]
    pub fn supporter(&self, fact: Fact) -> Option<RuleId> {
        let Origin { term, last, .. } = self.facts.origins[fact as usize];
        let taken = |choice, alternatives: &[Fact]| self.facts.taken(choice, alternatives, last);
        (term != NOBODY).then(|| self.graph.rule(term, taken))
    }

    pub fn is_left_out(&self, rule: RuleId) -> bool {
        self.left_out.contains(&rule)
    }
}

impl Search {
    fn new(problem: &Problem, graph: &Graph) -> Search {
        let mut search =
            Search { reading: Reading::new(problem), facts: Costs::new(graph), counters: Counters::new(graph) };
        let always = std::iter::once(Rules::ALWAYS).chain(problem.nobody_stuck());
        always.for_each(|fact| change(&mut search.facts, &mut search.counters, graph, fact, Change::Comes));
        search
    }

    fn run(
        &mut self,
        combine: Combine,
        problem: &Problem,
        graph: &Graph,
        left_out: impl Iterator<Item = RuleId>,
        at: Situation<'_>,
    ) -> Cost {
        self.facts.take_back();
        let known = self.read(problem, graph, at);
        self.counters.take_back(graph);
        if !known {
            return 0;
        }
        self.counters.leave_out(left_out);
        match combine {
            Combine::Max => self.spread::<false>(graph),
            Combine::Sum => self.spread::<true>(graph),
        }
        self.facts.cost(Rules::GOAL)
    }

    /// To the facts of this state; false if it is not one that the relaxation knows.
    fn read(&mut self, problem: &Problem, graph: &Graph, at: Situation<'_>) -> bool {
        let (facts, counters) = (&mut self.facts, &mut self.counters);
        self.reading.read(problem, at, |fact, came| change(facts, counters, graph, fact, came))
    }

    fn spread<const SUM: bool>(&mut self, graph: &Graph) {
        let Search { facts, counters: Counters { ready, missing, told, blocks_told, left_out }, .. } = self;
        // What is not tested below: numbers in the graph are in their ranges ([`Graph`]), and everything here is as large.
        assert!(facts.costs.len() == graph.facts && facts.origins.len() == graph.facts);
        assert!(facts.given.len() == graph.effects.len() && missing.len() == graph.len().div_ceil(64));
        ready.each_applicable(graph, |term| {
            let Made { cost, outcome } = graph.made[term as usize];
            if cost < facts.given[outcome as usize] && !left_out.contains(&term) {
                // SAFETY: both are from `graph`, whose sizes were compared.
                unsafe { facts.give(term, Rules::ALWAYS, cost, outcome, graph) };
            }
        });
        while let Some((cost, fact)) = facts.queue.pop() {
            if cost > facts.cost(fact) {
                continue; // cheaper meanwhile
            }
            if fact == Rules::GOAL {
                return;
            }
            // The fact, then the choices that were waiting for it.
            // SAFETY: only effects of terms are put into the queue.
            let mut choices = unsafe { graph.choices.of_unchecked(fact) }.iter();
            let (mut come, turn) = (Some(fact), told.len() as u32);
            facts.origins[fact as usize].turn = turn;
            while let Some(fact_or_choice) = come {
                // SAFETY: choices are among the facts, and sizes were compared.
                *blocks_told += unsafe { facts.tell::<SUM>(fact_or_choice, cost, missing, graph) };
                told.push(fact_or_choice);
                come = choices.find(|choice| facts.cost(**choice) == INFINITE).copied();
                if let Some(choice) = come {
                    facts.take(choice, cost, turn);
                }
            }
        }
    }

    fn memory(&self) -> u64 {
        self.reading.memory() + self.facts.memory() + self.counters.memory()
    }
}

/// A fact comes to the state or goes from it, and with it the choices that have no other alternative there.
fn change(facts: &mut Costs, counters: &mut Counters, graph: &Graph, fact: Fact, change: Change) {
    facts.change(fact, change);
    counters.change(graph, fact, change);
    for choice in graph.choices.of(fact) {
        let present = &mut facts.present[*choice as usize];
        let alone = match change {
            Change::Comes => *present == 0,
            Change::Goes => *present == 1,
        };
        *present = if change == Change::Comes { *present + 1 } else { *present - 1 };
        if alone {
            facts.change(*choice, change);
            counters.change(graph, *choice, change);
        }
    }
}

impl Costs {
    fn new(graph: &Graph) -> Costs {
        Costs {
            costs: vec![INFINITE; graph.facts],
            origins: vec![STATE; graph.facts],
            reached: Vec::new(),
            present: vec![0; graph.facts],
            given: vec![INFINITE; graph.effects.len()],
            outcomes: Vec::new(),
            queue: CostQueue::default(),
        }
    }

    #[inline]
    fn cost(&self, fact: Fact) -> Cost {
        self.costs[fact as usize]
    }

    fn change(&mut self, fact: Fact, change: Change) {
        self.costs[fact as usize] = if change == Change::Comes { 0 } else { INFINITE };
        self.origins[fact as usize] = STATE;
    }

    /// Which alternative a choice with a cost has it from, for a term that this was the last to come for: the first of those
    /// that cost nothing, else of those that cost the least and came in time.
    #[inline]
    fn taken(&self, choice: Fact, alternatives: &[Fact], last: Fact) -> usize {
        if let Some(free) = alternatives.iter().position(|fact| self.cost(*fact) == 0) {
            return free;
        }
        let (cost, end) = (self.cost(choice), self.origins[last as usize].turn);
        let in_time = |fact: &Fact| self.cost(*fact) == cost && self.origins[*fact as usize].turn <= end;
        alternatives.iter().position(in_time).unwrap_or(0)
    }

    /// The first alternative of a choice is there.
    #[inline]
    fn take(&mut self, choice: Fact, cost: Cost, turn: u32) {
        self.costs[choice as usize] = cost;
        self.origins[choice as usize].turn = turn;
        self.reached.push(choice);
    }

    /// The terms that wait for a fact are told of it. In how many blocks they are.
    ///
    /// # Safety
    /// It is a fact of the graph, and all of this is about its facts, outcomes and terms.
    #[inline(always)] // entering and leaving it takes a quarter of the time
    unsafe fn tell<const SUM: bool>(
        &mut self,
        fact: Fact,
        cost: Cost,
        missing: &mut Countdown,
        graph: &Graph,
    ) -> usize {
        // SAFETY: it is a fact.
        let waiting = unsafe { graph.waiting.of_unchecked(fact) };
        for block in waiting {
            // SAFETY: it holds terms, and there are counters for all of them.
            for term in unsafe { missing.comes_unchecked(*block) }.each() {
                // SAFETY: it is a term.
                let Made { cost: own, outcome } = unsafe { *graph.made.get_unchecked(term as usize) };
                // SAFETY: it is an outcome of a term, and there is an entry for each.
                let given = unsafe { *self.given.get_unchecked(outcome as usize) };
                // Most come too late: others did the same for less.
                let least = own.saturating_add(cost).min(INFINITE - 1);
                if least >= given {
                    continue;
                }
                // SAFETY: it is a term.
                let total = if SUM { unsafe { self.total(term, own, graph) } } else { least };
                if total < given {
                    // SAFETY: it is a term with its outcome.
                    unsafe { self.give(term, fact, total, outcome, graph) };
                }
            }
        }
        waiting.len()
    }

    /// What a term costs with all its preconditions, which have costs.
    ///
    /// # Safety
    /// It is one of these terms, and these are the costs of their facts.
    #[inline]
    unsafe fn total(&self, term: TermId, own: Cost, graph: &Graph) -> Cost {
        let mut total = u64::from(own);
        // SAFETY: it is a term.
        for fact in unsafe { graph.preconditions.of_unchecked(term) } {
            // SAFETY: a precondition is a fact, and every fact has a cost.
            total += u64::from(unsafe { *self.costs.get_unchecked(*fact as usize) });
        }
        total.min(u64::from(INFINITE - 1)) as Cost
    }

    /// A term gives its effects at this cost, which is less than was given for all of them so far.
    ///
    /// # Safety
    /// It is one of these terms with its outcome, and this is about their facts and outcomes.
    #[inline(always)] // entering and leaving it costs as much as most calls do
    unsafe fn give(&mut self, term: TermId, last: Fact, total: Cost, outcome: Outcome, graph: &Graph) {
        let mut most = 0;
        // SAFETY: it is an outcome.
        for effect in unsafe { graph.effects.of_unchecked(outcome) } {
            // SAFETY: an effect is a fact, and every fact has a cost.
            let cost = unsafe { self.costs.get_unchecked_mut(*effect as usize) };
            if total < *cost {
                if *cost == INFINITE {
                    self.reached.push(*effect);
                }
                *cost = total;
                // SAFETY: and an origin.
                let origin = unsafe { self.origins.get_unchecked_mut(*effect as usize) };
                *origin = Origin { term, last, turn: NOT_YET };
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
        let by_fact = self.costs.capacity() * (size_of::<Cost>() + size_of::<Origin>() + size_of::<u32>());
        let by_outcome = self.given.capacity() * size_of::<Cost>() + self.outcomes.capacity() * size_of::<Outcome>();
        (by_fact + by_outcome + self.reached.capacity() * size_of::<Fact>()) as u64 + self.queue.memory()
    }
}

impl Counters {
    fn new(graph: &Graph) -> Counters {
        let ready = Ready::new(graph);
        let missing = ready.missing().clone();
        Counters { ready, missing, told: Vec::new(), blocks_told: 0, left_out: Vec::new() }
    }

    /// A fact of the state comes or goes; what was counted so far is not right any more until it is taken back.
    fn change(&mut self, graph: &Graph, fact: Fact, change: Change) {
        self.ready.change(graph, fact, change);
        self.told.push(fact);
        self.blocks_told += graph.waiting.of(fact).len();
    }

    /// What the fact has to do with is as in the state.
    fn restore(&mut self, graph: &Graph, fact: Fact) {
        for block in graph.waiting.of(fact) {
            self.missing.copy_word(self.ready.missing(), block.word);
        }
    }

    fn leave_out(&mut self, rules: impl Iterator<Item = RuleId>) {
        self.left_out.extend(rules);
        self.left_out.iter().for_each(|rule| self.missing.exclude(*rule));
    }

    /// Nothing but the facts of the state is there.
    fn take_back(&mut self, graph: &Graph) {
        if self.blocks_told > self.missing.len() / COPY {
            self.missing.copy(self.ready.missing());
        } else {
            for at in 0..self.told.len() {
                self.restore(graph, self.told[at]);
            }
            for term in &self.left_out {
                self.missing.copy_word(self.ready.missing(), term / 64);
            }
        }
        self.told.clear();
        self.left_out.clear();
        self.blocks_told = 0;
    }

    fn memory(&self) -> u64 {
        let lists = self.told.capacity() * size_of::<Fact>() + self.left_out.capacity() * size_of::<TermId>();
        lists as u64 + self.missing.memory() + self.ready.memory()
    }
}
