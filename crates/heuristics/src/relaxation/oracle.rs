//! For tests: costs of facts by rounds over all rules until nothing changes, and plans put together by their definition.
//! Random problems and random walks through their states compare the search, which remembers much, with them.

use std::collections::{BTreeSet, HashMap};

use bughound_finite::cost::{Cost, INFINITE, plus};
use bughound_finite::domains::{Domain, Fact};
use bughound_kernel::{Move, PreferredStep, State};

use super::merging::{Merged, Term};
use super::plan::{Choice, Planner};
use super::problem::{ChannelFacts, Problem, SlotFacts, complete as complete_lists};
use super::propagation::{Propagation, Reached};
use super::rules::{Rule, RuleId, Rules, Use};
use crate::cost::Combine;

/// Numbers that look random, the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        ((mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb) >> 33) as usize % below
    }
}

const SLOTS: usize = 5;
const VALUES: u32 = 3;
/// Messages in the channel, with a value each.
const ROOM: usize = 3;

/// Slots 0 to 4 are variables; from slot 5 on lies a channel.
fn random_problem(dice: &mut Dice, small_costs: &[Cost]) -> Problem {
    let domain = |at: usize| Domain { low: 0, size: VALUES, first: Rules::FIRST + VALUES * at as u32, vacant: 0 };
    let facts = (Rules::FIRST + VALUES * (SLOTS as u32 + 1) + 6) as usize;
    let steps: Vec<_> = (0..8).map(|edge| (edge > 0).then_some(step(edge))).collect();
    let mut rules = Vec::new();
    // In some problems there is next to nothing to merge.
    let most_alike = 1 + 2 * dice.roll(2);
    for number in 0..40 {
        let some = |dice: &mut Dice, most: usize, first: Fact| -> Vec<Fact> {
            (0..1 + dice.roll(most)).map(|_| first + dice.roll(facts - first as usize) as Fact).collect()
        };
        let mut preconditions = some(dice, 4, Rules::FIRST);
        preconditions.sort_unstable();
        preconditions.dedup();
        let effects = if number < 3 { vec![Rules::GOAL] } else { some(dice, 3, Rules::FIRST) };
        let cost = small_costs[dice.roll(small_costs.len())];
        let used = (dice.roll(3) > 0).then(|| {
            let step = dice.roll(steps.len()) as u32;
            Use { step, group: 2 * step + dice.roll(2) as u32, price: cost }
        });
        let part_of = used.and_then(|used| steps[used.step as usize]);
        let rule = Rule { preconditions, effects, cost, used, part_of };
        // Some stand for several that differ in the value of a variable, or of two.
        let mut alike = vec![rule];
        for _ in 0..dice.roll(most_alike) {
            let slot = dice.roll(SLOTS);
            alike = for_values(dice, &domain(slot), &alike);
        }
        rules.extend(alike);
    }
    let groups = 2 * steps.len();
    let fields = vec![(0, domain(SLOTS))];
    Problem::of_rules(
        Rules::new(rules, facts, steps, groups),
        (0..SLOTS).map(|slot| SlotFacts { slot, domain: domain(slot) }).collect(),
        vec![ChannelFacts { slot: SLOTS, owner: None, width: 1, fields }],
    )
}

/// Each rule again and again, with some or all values of a variable; not with what the rule gives.
fn for_values(dice: &mut Dice, domain: &Domain, rules: &[Rule]) -> Vec<Rule> {
    let all: Vec<Fact> = (domain.first..domain.first + domain.size).collect();
    let left_out = dice.roll(2 * all.len());
    let mut found = Vec::new();
    for rule in rules {
        for (at, value) in all.iter().enumerate().filter(|(at, value)| *at != left_out && !rule.effects.contains(value))
        {
            let mut rule = rule.clone();
            rule.preconditions.retain(|fact| !all.contains(fact));
            rule.preconditions.push(*value);
            rule.preconditions.sort_unstable();
            // Steps of their own now and then.
            if let Some(used) = rule.used.as_mut().filter(|_| at % 2 == 1) {
                used.group ^= 1;
            }
            found.push(rule);
        }
    }
    found
}

fn step(edge: u32) -> PreferredStep {
    PreferredStep { first: (0, edge), second: None }
}

/// A few values differ from those before; now and then one that is not in its domain.
fn next_state(dice: &mut Dice, key: &mut [i32]) {
    for _ in 0..dice.roll(4) {
        key[dice.roll(SLOTS)] = dice.roll(VALUES as usize) as i32;
    }
    if dice.roll(10) == 0 {
        key[dice.roll(SLOTS)] = 7;
    }
    if dice.roll(2) == 0 {
        key[SLOTS] = dice.roll(ROOM + 1) as i32;
        key[SLOTS + 1 + dice.roll(ROOM)] = dice.roll(VALUES as usize) as i32;
    }
}

/// The facts of a state; none if a value is not in its domain.
fn facts_of(problem: &Problem, key: &[i32]) -> Option<BTreeSet<Fact>> {
    let mut facts = BTreeSet::from([Rules::ALWAYS]);
    for place in &problem.slots {
        facts.extend(problem.rules.number(place.domain.fact(key[place.slot])?));
    }
    for message in &key[SLOTS + 1..SLOTS + 1 + key[SLOTS] as usize] {
        facts.extend(problem.rules.number(problem.channels[0].fields[0].1.fact(*message)?));
    }
    Some(facts)
}

fn total(rules: &Rules, combine: Combine, costs: &[Cost], rule: RuleId) -> Cost {
    let before = rules.preconditions.of(rule).iter().map(|fact| costs[*fact as usize]);
    plus(rules.cost(rule), before.fold(0, |all, cost| combine.join(all, cost)))
}

fn costs_by_rounds(rules: &Rules, combine: Combine, facts: &BTreeSet<Fact>, left_out: &[RuleId]) -> Vec<Cost> {
    let mut costs: Vec<Cost> =
        (0..rules.facts as Fact).map(|fact| if facts.contains(&fact) { 0 } else { INFINITE }).collect();
    loop {
        let mut changed = false;
        for rule in (0..rules.len() as RuleId).filter(|rule| !left_out.contains(rule)) {
            let total = total(rules, combine, &costs, rule);
            for effect in rules.effects.of(rule) {
                if total < costs[*effect as usize] {
                    (costs[*effect as usize], changed) = (total, true);
                }
            }
        }
        if !changed {
            return costs;
        }
    }
}

/// The plan of the supporters: all of them that the goal needs; a step counts as often as the most of one group. All rules
/// of a step have the same price.
fn plan_cost(rules: &Rules, reached: &Reached<'_>) -> Cost {
    let (mut open, mut seen, mut chosen) = (vec![Rules::GOAL], BTreeSet::new(), BTreeSet::new());
    while let Some(fact) = open.pop() {
        if let (true, Some(rule)) = (seen.insert(fact), reached.supporter(fact)) {
            chosen.insert(rule);
            open.extend(rules.preconditions.of(rule));
        }
    }
    let mut total = 0;
    let mut groups: HashMap<u32, (Use, u32)> = HashMap::new();
    for rule in chosen {
        match rules.used[rule as usize] {
            Some(used) => groups.entry(used.group).or_insert((used, 0)).1 += 1,
            None => total = plus(total, rules.cost(rule)),
        }
    }
    let mut steps: HashMap<u32, (Cost, u32)> = HashMap::new();
    for (used, count) in groups.into_values() {
        let most = steps.entry(used.step).or_insert((used.price, 0));
        most.1 = most.1.max(count);
    }
    steps.into_values().fold(total, |total, (price, count)| (0..count).fold(total, |total, _| plus(total, price)))
}

/// Costs as by rounds, supporters that bear them, and no circle among supporters.
fn check_costs(problem: &Problem, combine: Combine, run: &Reached<'_>, facts: &BTreeSet<Fact>, left_out: &[RuleId]) {
    let rules = &problem.rules;
    let costs = costs_by_rounds(rules, combine, facts, left_out);
    let goal = costs[Rules::GOAL as usize];
    assert_eq!(run.cost(Rules::GOAL), goal);
    for fact in (0..rules.facts as Fact).filter(|fact| costs[*fact as usize] < goal) {
        assert_eq!(run.cost(fact), costs[fact as usize], "fact {fact}");
    }
    // In the order of their supporters: each stands on those before. Of the facts that cost as much as the goal, those that
    // it needs.
    let mut borne = facts.clone();
    let mut left: Vec<Fact> = (0..rules.facts as Fact).filter(|fact| costs[*fact as usize] < goal).collect();
    left.extend((goal != INFINITE).then_some(Rules::GOAL));
    let mut at = 0;
    while at < left.len() {
        let needs = run.supporter(left[at]).map_or(&[][..], |rule| rules.preconditions.of(rule));
        let more: Vec<Fact> = needs.iter().copied().filter(|fact| !left.contains(fact)).collect();
        left.extend(more);
        at += 1;
    }
    left.retain(|fact| !facts.contains(fact));
    while !left.is_empty() {
        let before = left.len();
        left.retain(|fact| {
            let rule = run.supporter(*fact).expect("a supporter");
            assert!(!left_out.contains(&rule) && rules.effects.of(rule).contains(fact));
            assert_eq!(total(rules, combine, &costs, rule), costs[*fact as usize]);
            let stands = rules.preconditions.of(rule).iter().all(|fact| borne.contains(fact));
            if stands {
                borne.insert(*fact);
            }
            !stands
        });
        assert!(left.len() < before, "supporters in a circle: {left:?}");
    }
}

fn walk(seed: u64, small_costs: &[Cost]) {
    let mut dice = Dice(seed);
    let problem = random_problem(&mut dice, small_costs);
    let rules = &problem.rules;
    let same_prices = small_costs.iter().all(|cost| *cost == small_costs[0]);
    for (combine, choice) in [(Combine::Sum, Choice::Supporter), (Combine::Max, Choice::EasiestInLayer)] {
        let (mut run, mut planner) = (Propagation::new(&problem, combine), Planner::new(rules, choice));
        let mut fork = (run.clone(), planner.clone());
        let mut key = vec![0; SLOTS + 1 + ROOM];
        for _ in 0..30 {
            next_state(&mut dice, &mut key);
            let made = Move { process: 0, edge: dice.roll(16) as u32, destination: 0, joins: false };
            let moves = if dice.roll(3) == 0 { vec![made] } else { vec![] };
            let left_out: Vec<RuleId> = rules.of_step(&moves).collect();
            let state = State::discrete(&key).into();
            let cost = run.run_without(&problem, &moves, state);
            let Some(facts) = facts_of(&problem, &key) else {
                assert_eq!(cost, 0);
                continue;
            };
            check_costs(&problem, combine, &run.reached(&problem), &facts, &left_out);
            // One that has seen nothing before, or a copy that has seen the same and lags behind from then on.
            let (mut fresh, mut other) = match dice.roll(3) {
                0 => fork.clone(),
                _ => (Propagation::new(&problem, combine), Planner::new(rules, choice)),
            };
            if dice.roll(5) == 0 {
                fork = (run.clone(), planner.clone());
            }
            assert_eq!(fresh.run_without(&problem, &moves, state), cost);
            let (run, fresh) = (run.reached(&problem), fresh.reached(&problem));
            for fact in 0..rules.facts as Fact {
                assert_eq!(fresh.cost(fact), run.cost(fact), "fact {fact}");
                if run.cost(fact) != INFINITE {
                    assert_eq!(fresh.supporter(fact), run.supporter(fact), "fact {fact}");
                }
            }
            if cost != 0 && cost != INFINITE {
                let planned = planner.cost(rules, &run);
                assert_eq!(planned, other.cost(rules, &fresh));
                assert_eq!(planner.preferred(), other.preferred());
                if choice == Choice::Supporter && same_prices {
                    assert_eq!(planned, plan_cost(rules, &run));
                }
            }
        }
    }
}

#[test]
fn costs_are_those_of_rounds_over_all_rules() {
    for seed in 0..300 {
        walk(seed, &[0, 1, 1, 2]);
        walk(seed, &[1]);
    }
}

#[test]
fn large_costs_and_sums_beyond_all_bounds_are_right_too() {
    for seed in 0..100 {
        walk(seed, &[0, 1, 500, 1023, 1024, 70_000]);
        walk(seed, &[INFINITE - 1, 1 << 31, 3]);
    }
}

/// Every combination of alternatives: its facts, and its place among the rules of the term.
fn combinations(merged: &Merged, first_choice: usize, term: &Term) -> Vec<BTreeSet<Fact>> {
    let mut found = vec![term.facts.iter().copied().collect::<BTreeSet<_>>()];
    for choice in &term.choices {
        let alternatives = &merged.choices[*choice as usize - first_choice].alternatives;
        let with = |fact: &Fact| found.iter().map(|facts| facts | &BTreeSet::from([*fact])).collect::<Vec<_>>();
        found = alternatives.iter().flat_map(with).collect();
    }
    found
}

#[test]
fn merged_rules_are_those_that_they_stand_for() {
    let (mut saved, mut complete) = (0, 0);
    for seed in 0..200 {
        let problem = random_problem(&mut Dice(seed), &[0, 1, 1, 2]);
        let rules = &problem.rules;
        let Some(merged) = Merged::new(rules, &complete_lists(rules, &problem.slots)) else { continue };
        let mut stood_for = BTreeSet::new();
        for term in &merged.terms {
            let combinations = combinations(&merged, rules.facts, term);
            assert_eq!(combinations.len(), term.rules.len());
            for (facts, rule) in combinations.iter().zip(&term.rules) {
                let needs: BTreeSet<Fact> = rules.preconditions.of(*rule).iter().copied().collect();
                assert_eq!(term.cost, rules.cost(*rule));
                assert!(term.effects.iter().all(|effect| rules.effects.of(*rule).contains(effect)));
                if needs == *facts {
                    stood_for.extend(term.effects.iter().map(|effect| (needs.clone(), term.cost, *effect)));
                } else {
                    assert!(term.effects.iter().any(|effect| facts.contains(effect)), "only what they give is missing");
                }
            }
        }
        let mut all = BTreeSet::new();
        for rule in 0..rules.len() as RuleId {
            let needs: BTreeSet<Fact> = rules.preconditions.of(rule).iter().copied().collect();
            all.extend(rules.effects.of(rule).iter().map(|effect| (needs.clone(), rules.cost(rule), *effect)));
        }
        assert_eq!(stood_for, all);
        saved += rules.len().saturating_sub(merged.terms.len());
        complete += merged.choices.iter().filter(|choice| choice.complete).count();
    }
    assert!(saved > 1000 && complete > 100, "{saved} rules fewer, {complete} complete choices");
}
