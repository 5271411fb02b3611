//! Rules as the search for costs looks at them, merged or each by itself.

use std::cmp::Reverse;
use std::collections::HashMap;

use bughound_finite::cost::Cost;
use bughound_finite::domains::Fact;
use foldhash::fast::FixedState;

use super::countdown::Blocks;
use super::merging::{Choice, Merged, Term};
use super::rules::{Lists, RuleId, Rules};

/// A rule of the graph by its number: one or several [rules](Rules).
pub type TermId = u32;

/// A list of effects by its number.
pub type Outcome = u32;

/// What comes of a rule.
#[derive(Clone, Copy, Debug)]
pub struct Made {
    pub cost: Cost,
    /// The list of its effects: many rules do the same.
    pub outcome: Outcome,
}

/// Facts in lists are less than `facts`, outcomes less than the number of lists of effects, and terms less than
/// [`len`](Graph::len): nothing changes them once they are made, and propagation relies on it.
pub struct Graph {
    /// Those of the rules, then choices: facts that are there as soon as one of their alternatives is.
    pub facts: usize,
    /// By fact: the terms that wait for it.
    pub waiting: Blocks,
    /// By term.
    pub preconditions: Lists,
    pub made: Vec<Made>,
    /// By list of effects.
    pub effects: Lists,
    /// By place: the terms in the order of the smallest facts that they need, the largest first, then of their numbers.
    pub order: Vec<TermId>,
    /// By term: its place.
    pub places: Vec<u32>,
    /// By fact: the choices that it is an alternative of.
    pub choices: Lists,
    /// By choice, from 0 on: its alternatives.
    alternatives: Lists,
    first_choice: Fact,
    /// Every rule is a term by itself, with the same number.
    pub plain: bool,
    /// By term, if there are choices: them, and the rule for each combination of their alternatives.
    choices_of: Lists,
    rules: Lists,
}

impl Graph {
    /// Each rule by itself.
    pub fn plain(rules: &Rules) -> Graph {
        let all = || 0..rules.len() as RuleId;
        let smallest = all().map(|rule| rules.preconditions.of(rule).iter().min().copied());
        let effects = all().map(|rule| rules.effects.of(rule));
        let costs = all().map(|rule| rules.cost(rule));
        Graph::of(rules.facts, rules.preconditions.clone(), effects, costs, smallest)
    }

    pub fn merged(rules: &Rules, Merged { terms, choices }: &Merged) -> Graph {
        let facts = rules.facts + choices.len();
        let awaited: Vec<_> = terms.iter().map(|term| awaited(term, rules.facts, choices)).collect();
        let preconditions = Lists::new(awaited.iter().map(|list| &list[..]));
        let smallest = terms.iter().map(|term| smallest(term, rules.facts, choices));
        let effects = terms.iter().map(|term| &term.effects[..]);
        Graph {
            choices: numbered_from(rules.facts as Fact, choices, facts),
            alternatives: Lists::new(choices.iter().map(|choice| &choice.alternatives[..])),
            first_choice: rules.facts as Fact,
            plain: false,
            choices_of: Lists::new(terms.iter().map(|term| &term.choices[..])),
            rules: Lists::new(terms.iter().map(|term| &term.rules[..])),
            ..Graph::of(facts, preconditions, effects, terms.iter().map(|term| term.cost), smallest)
        }
    }

    /// Without choices.
    fn of<'l>(
        facts: usize,
        preconditions: Lists,
        effects: impl Iterator<Item = &'l [Fact]> + Clone,
        costs: impl Iterator<Item = Cost>,
        smallest: impl Iterator<Item = Option<Fact>>,
    ) -> Graph {
        let lists = (0..preconditions.len() as TermId).map(|term| preconditions.of(term));
        // Propagation relies on it.
        let known = |list: &[Fact]| list.iter().all(|fact| (*fact as usize) < facts);
        assert!(lists.clone().all(known) && effects.clone().all(known));
        let (outcomes, effects) = distinct(effects);
        let (order, places) = order(smallest);
        Graph {
            facts,
            waiting: Blocks::inverse(lists, facts),
            made: outcomes.into_iter().zip(costs).map(|(outcome, cost)| Made { cost, outcome }).collect(),
            effects,
            order,
            places,
            choices: Lists::inverse(std::iter::empty(), facts),
            alternatives: Lists::default(),
            first_choice: facts as Fact,
            plain: true,
            choices_of: Lists::default(),
            rules: Lists::default(),
            preconditions,
        }
    }

    /// How many terms there are.
    pub fn len(&self) -> usize {
        self.made.len()
    }

    /// The rule that a term is, if these alternatives of its choices are taken: told a choice and its alternatives, which of
    /// them.
    #[inline]
    pub fn rule(&self, term: TermId, taken: impl Fn(Fact, &[Fact]) -> usize) -> RuleId {
        if self.plain {
            return term;
        }
        let rules = self.rules.of(term);
        if let [rule] = rules {
            return *rule;
        }
        let (mut at, mut weight) = (0, 1);
        for choice in self.choices_of.of(term) {
            let alternatives = self.alternatives.of(*choice - self.first_choice);
            at += weight * taken(*choice, alternatives);
            weight *= alternatives.len();
        }
        rules[at]
    }

    pub fn memory(&self) -> u64 {
        let lists =
            [&self.preconditions, &self.effects, &self.choices, &self.alternatives, &self.choices_of, &self.rules];
        let lists = lists.into_iter().map(Lists::memory).sum::<usize>() + self.waiting.memory();
        let by_term = size_of::<Made>() + size_of::<TermId>() + size_of::<u32>();
        (lists + self.len() * by_term) as u64
    }
}

/// What a term waits for.
fn awaited(term: &Term, first_choice: usize, choices: &[Choice]) -> Vec<Fact> {
    let incomplete = term.choices.iter().filter(|choice| !choices[**choice as usize - first_choice].complete);
    let mut facts: Vec<Fact> = term.facts.iter().chain(incomplete).copied().collect();
    if facts.is_empty() {
        facts.push(Rules::ALWAYS);
    }
    facts
}

/// By fact: the choices that it is an alternative of and that somebody may wait for.
fn numbered_from(first: Fact, choices: &[Choice], facts: usize) -> Lists {
    let awaited = choices.iter().map(|choice| if choice.complete { &[][..] } else { &choice.alternatives[..] });
    let mut lists = Lists::inverse(awaited, facts);
    lists.add_to_all(first);
    lists
}

/// The smallest fact that a rule of the term needs.
fn smallest(term: &Term, first_choice: usize, choices: &[Choice]) -> Option<Fact> {
    let chosen = term.choices.iter().flat_map(|choice| &choices[*choice as usize - first_choice].alternatives);
    term.facts.iter().chain(chosen).min().copied()
}

/// The terms in the order of their smallest facts, the largest first; and by term its place in it.
fn order(smallest: impl Iterator<Item = Option<Fact>>) -> (Vec<TermId>, Vec<u32>) {
    let smallest: Vec<_> = smallest.collect();
    let mut order: Vec<TermId> = (0..smallest.len() as TermId).collect();
    // It was in the order of the numbers before.
    order.sort_by_key(|term| Reverse(smallest[*term as usize]));
    let mut places = vec![0; order.len()];
    for (place, term) in order.iter().enumerate() {
        places[*term as usize] = place as u32;
    }
    (order, places)
}

/// For each list the number of the first that is the same, and the lists by these numbers.
fn distinct<'l>(lists: impl Iterator<Item = &'l [u32]>) -> (Vec<Outcome>, Lists) {
    let mut numbers: HashMap<&[u32], Outcome, FixedState> = HashMap::default();
    let mut found = Lists::new(std::iter::empty());
    let number = |list: &'l [u32]| {
        let next = numbers.len() as Outcome;
        let number = *numbers.entry(list).or_insert(next);
        if number == next {
            found.push(list);
        }
        number
    };
    (lists.map(number).collect(), found)
}
