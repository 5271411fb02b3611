//! Fewer rules for the same costs: rules that differ in one precondition become one that needs any of several facts.
//!
//! A fact costs the least of what the rules that give it cost, and both sums and maxima distribute over that minimum: of the
//! rules `a, x → e` and `a, y → e` with the same cost, `e` costs as much as by one rule `a, z → e` if `z` costs the less of
//! what `x` and `y` do. So `z` is a *choice*: a fact that is there as soon as one of its alternatives is. That is what a step does
//! that several partners can take part in, and what an edge is written many times for in models without `or`. This is the
//! extraction of common factors as in the synthesis of circuits, over another algebra.
//!
//! Paper: Brayton, McMullen, "The decomposition and factorization of Boolean expressions", ISCAS 1982.
//!
//! A choice among all values of a variable is there in every state, and nobody waits for it. So it is with a choice among all
//! values but the one that the rules give: to get it from itself is never cheaper.
//!
//! Which rule it was is told by which alternatives were taken: a merged rule knows all the rules that it stands for, one for
//! each combination of alternatives. Rules without cost stay as they are: only preconditions that cost less than the
//! effect can be exchanged without a circle among those who support each other.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::hash::BuildHasher;

use bughound_finite::cost::Cost;
use bughound_finite::domains::Fact;
use foldhash::fast::FixedState;

use super::rules::{RuleId, Rules};

/// With more preconditions of single effects than this, rules stay as they are: to look for pairs takes longer than to build
/// everything else.
const MOST_PRECONDITIONS: usize = 1 << 15;

/// A choice that someone has to wait for and that does not save so many rules is not worth its while.
const LEAST_SAVED: usize = 2;

/// Several rules in one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// Ascending.
    pub facts: Vec<Fact>,
    /// Numbered after the facts of the rules.
    pub choices: Vec<Fact>,
    pub effects: Vec<Fact>,
    pub cost: Cost,
    /// By the places of the alternatives in their choices, those of the last choice being the most significant.
    pub rules: Vec<RuleId>,
}

/// What is there as soon as one of these facts is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Choice {
    /// Ascending.
    pub alternatives: Vec<Fact>,
    /// One of them is in every state.
    pub complete: bool,
}

/// Rules, merged.
#[derive(Clone, Debug, Default)]
pub struct Merged {
    pub terms: Vec<Term>,
    pub choices: Vec<Choice>,
}

impl Merged {
    /// None if it does not pay. Of each of the complete lists, every state has at least one fact; no fact is in two of them.
    pub fn new(rules: &Rules, complete: &[Vec<Fact>]) -> Option<Merged> {
        let sizes = (0..rules.len() as RuleId).map(|r| rules.effects.of(r).len() * rules.preconditions.of(r).len());
        if sizes.sum::<usize>() > MOST_PRECONDITIONS {
            return None;
        }
        let mut merging = Merging { first_choice: rules.facts as Fact, ..Merging::default() };
        for facts in complete {
            merging.complete.extend(facts.iter().map(|fact| (*fact, facts.clone())));
        }
        let mut known = HashSet::with_hasher(FixedState::default());
        let mut terms = Vec::new();
        for term in (0..rules.len() as RuleId).map(|rule| alone(rules, rule)) {
            if term.cost == 0 {
                terms.push(term);
                continue;
            }
            for effect in &term.effects {
                // Of several that do the same, the first is as good as all.
                if known.insert((term.facts.clone(), *effect, term.cost)) {
                    merging.add(Term { effects: vec![*effect], ..term.clone() });
                }
            }
        }
        while merging.pass() {}
        terms.extend(by_effects(merging.terms.into_iter().flatten()));
        terms.sort_by_key(|term| term.rules.iter().min().copied());
        (terms.len() <= rules.len() / 4 * 3).then_some(Merged { terms, choices: merging.choices })
    }
}

fn alone(rules: &Rules, rule: RuleId) -> Term {
    Term {
        facts: rules.preconditions.of(rule).to_vec(),
        choices: Vec::new(),
        effects: rules.effects.of(rule).to_vec(),
        cost: rules.cost(rule),
        rules: vec![rule],
    }
}

/// Those that differ in their effects only become one.
fn by_effects(single: impl Iterator<Item = Term>) -> Vec<Term> {
    let mut places: HashMap<_, usize, FixedState> = HashMap::default();
    let mut found: Vec<Term> = Vec::new();
    for term in single {
        let place =
            *places.entry((term.rules.clone(), term.facts.clone(), term.choices.clone())).or_insert(found.len());
        match found.get_mut(place) {
            Some(same) => same.effects.extend(term.effects),
            None => found.push(term),
        }
    }
    found
}

/// Terms with one effect each, in the making.
#[derive(Default)]
struct Merging {
    /// `None` if it has become part of another.
    terms: Vec<Option<Term>>,
    /// By term: a hash that is a sum over its facts.
    hashes: Vec<u64>,
    /// By fact: the complete list that it is in.
    complete: HashMap<Fact, Vec<Fact>, FixedState>,
    first_choice: Fact,
    choices: Vec<Choice>,
    /// By alternatives.
    numbers: HashMap<Vec<Fact>, Fact, FixedState>,
}

impl Merging {
    fn add(&mut self, term: Term) {
        let rest = FixedState::default().hash_one((&term.effects, term.cost, &term.choices));
        self.hashes.push(term.facts.iter().fold(rest, |sum, fact| sum.wrapping_add(of_fact(*fact))));
        self.terms.push(Some(term));
    }

    /// Merges what can be merged, the choices that save most first; false if there was nothing.
    fn pass(&mut self) -> bool {
        let mut groups = self.groups();
        groups.sort();
        let mut by_choice: Vec<_> = groups.chunk_by(|a, b| a.choice == b.choice).collect();
        by_choice.sort_by_key(|same| Reverse((same[0].choice.complete, saved(same.iter()))));
        let before = self.terms.len();
        for same in by_choice {
            let free = || same.iter().filter(|group| group.terms.iter().all(|(_, term)| self.is_free(*term)));
            if saved(free()) < if same[0].choice.complete { 1 } else { LEAST_SAVED } {
                continue;
            }
            let choice = self.number(&same[0].choice);
            for Group { choice: Choice { alternatives, .. }, terms } in same {
                // Not if a term is in two of these groups, and the other was first.
                if terms.iter().all(|(_, term)| self.is_free(*term)) {
                    let take = |(fact, term): &(Fact, u32)| Some((*fact, self.terms[*term as usize].take()?));
                    let parts: Vec<_> = terms.iter().filter_map(take).collect();
                    self.add(joined(&parts, alternatives, choice));
                }
            }
        }
        self.terms.len() > before
    }

    fn is_free(&self, term: u32) -> bool {
        self.terms[term as usize].is_some()
    }

    /// Terms that are the same but for one fact.
    fn groups(&self) -> Vec<Group> {
        let mut places: Vec<(u64, Fact, u32)> = Vec::new();
        for (at, term) in self.terms.iter().enumerate() {
            for fact in term.iter().flat_map(|term| &term.facts) {
                places.push((self.hashes[at].wrapping_sub(of_fact(*fact)), *fact, at as u32));
            }
        }
        places.sort_unstable();
        let same_hash = places.chunk_by(|a, b| a.0 == b.0).filter(|group| group.len() > 1);
        let groups = same_hash.map(|group| {
            let terms = group.iter().map(|(_, fact, at)| (*fact, *at));
            let terms: Vec<_> = terms.filter(|other| self.alike((group[0].1, group[0].2), *other)).collect();
            Group { choice: self.choice(&terms), terms }
        });
        groups.filter(|group| group.terms.len() > 1).collect()
    }

    /// The choice among the facts of these terms.
    fn choice(&self, terms: &[(Fact, u32)]) -> Choice {
        let alternatives: Vec<Fact> = terms.iter().map(|(fact, _)| *fact).collect();
        let effects = terms.first().and_then(|(_, term)| self.terms[*term as usize].as_ref()).map(|term| &term.effects);
        let all = terms.first().and_then(|(fact, _)| self.complete.get(fact));
        match all {
            Some(all)
                if all.iter().all(|fact| alternatives.contains(fact) || effects.is_some_and(|e| e.contains(fact))) =>
            {
                let complete = alternatives.iter().all(|fact| all.contains(fact));
                Choice { alternatives: if complete { all.clone() } else { alternatives }, complete }
            }
            _ => Choice { alternatives, complete: false },
        }
    }

    /// Is it the same without these facts?
    fn alike(&self, (fact, at): (Fact, u32), (other_fact, other_at): (Fact, u32)) -> bool {
        let (Some(one), Some(other)) = (&self.terms[at as usize], &self.terms[other_at as usize]) else { return false };
        let rest = one.facts.iter().filter(|f| **f != fact);
        at == other_at && fact == other_fact
            || one.effects == other.effects
                && (one.cost, &one.choices) == (other.cost, &other.choices)
                && fact != other_fact
                && rest.eq(other.facts.iter().filter(|f| **f != other_fact))
    }

    fn number(&mut self, choice: &Choice) -> Fact {
        let next = self.first_choice + self.choices.len() as Fact;
        let number = *self.numbers.entry(choice.alternatives.clone()).or_insert(next);
        if number == next {
            self.choices.push(choice.clone());
        }
        number
    }
}

/// Terms that are the same but for the facts that stand with them.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Group {
    choice: Choice,
    terms: Vec<(Fact, u32)>,
}

/// How many terms fewer there are once groups have become one term each.
fn saved<'g>(groups: impl Iterator<Item = &'g Group>) -> usize {
    groups.map(|group| group.terms.len() - 1).sum()
}

/// One for all of them, which need these facts each. An alternative that nobody needs is what they give themselves, and is
/// never taken.
fn joined(parts: &[(Fact, Term)], alternatives: &[Fact], choice: Fact) -> Term {
    let (fact, first) = &parts[0];
    let mut all = Term { rules: Vec::new(), ..first.clone() };
    all.facts.retain(|other| other != fact);
    all.choices.push(choice);
    for alternative in alternatives {
        let part = parts.iter().find(|(fact, _)| fact == alternative).map_or(first, |(_, part)| part);
        all.rules.extend(&part.rules);
    }
    all
}

fn of_fact(fact: Fact) -> u64 {
    FixedState::default().hash_one(fact)
}
