//! From symbolic steps to rules.

use std::collections::HashMap;
use std::hash::BuildHasher;

use bughound_finite::collect::Collector;
use bughound_finite::cost::{Cost, from_weight};
use bughound_finite::domains::{Domain, Domains, Fact};
use bughound_finite::term::{Case, Condition, Symbol, Term, Variable, cases};
use bughound_finite::trial::{Part, Trial};
use bughound_ir::expr::BinaryOp;
use bughound_kernel::PreferredStep;
use foldhash::fast::FixedState;
use hashbrown::HashTable;

use super::conditions::Need;
use super::rules::{Rule, Rules, Use};

/// More combinations of values are not tried out.
const MOST_COMBINATIONS: u64 = 1 << 16;
/// More combinations that matter are not told apart.
pub const MOST_TUPLES: usize = 1 << 12;

/// With more rules than this, assignments that read variables give any value.
pub const MOST_RULES: usize = 20_000;

/// How the relaxation deals with details.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Detail {
    /// Counting up or down gets to all values beyond in one step.
    pub shortcut: bool,
    /// Conditions on the same variable, or on the same member of a collection, must hold of the same value.
    pub together: bool,
}

impl Detail {
    /// Value by value.
    pub const VALUES: Detail = Detail { shortcut: false, together: true };
}

/// What the lists of a rule take besides their items, more or less.
const ALLOCATIONS: usize = 32;

/// Is told the facts of a combination of values, and the values; false if it has enough.
type Visit<'v> = dyn FnMut(&[Fact], &dyn Fn(Symbol) -> i32) -> bool + 'v;

pub struct Builder<'d> {
    pub(super) domains: &'d Domains,
    pub(super) detail: Detail,
    facts: u32,
    pub(super) rules: Vec<Rule>,
    /// Rules that are no steps, which come up again and again, by their places among all rules.
    derived: HashTable<u32>,
    steps: Vec<Option<PreferredStep>>,
    groups: u32,
    /// Facts of conditions met before.
    pub(super) terms: HashMap<(Term, bool), Need, FixedState>,
    pub(super) disjunctions: HashMap<Vec<Vec<Fact>>, Fact, FixedState>,
    /// By the first fact of a domain: the fact that any of them may hold.
    any: HashMap<Fact, Fact>,
    /// Bytes that rules and disjunctions hold, more or less.
    pub(super) held: u64,
}

impl<'d> Builder<'d> {
    pub fn new(domains: &'d Domains, detail: Detail) -> Self {
        Builder {
            domains,
            detail,
            facts: domains.facts,
            rules: Vec::new(),
            derived: HashTable::new(),
            steps: Vec::new(),
            groups: 0,
            terms: HashMap::default(),
            disjunctions: HashMap::default(),
            any: HashMap::new(),
            held: 0,
        }
    }

    pub fn finish(self) -> Rules {
        Rules::new(self.rules, self.facts as usize, self.steps, self.groups as usize)
    }

    pub(super) fn new_fact(&mut self) -> Fact {
        self.facts += 1;
        self.facts - 1
    }

    pub(super) fn rule(&mut self, preconditions: Vec<Fact>, effects: Vec<Fact>, cost: Cost, used: Option<Use>) {
        let part_of = used.and_then(|used| self.steps[used.step as usize]);
        self.add(Rule { preconditions, effects, cost, used, part_of });
    }

    fn add(&mut self, mut rule: Rule) {
        rule.preconditions.sort_unstable();
        rule.preconditions.dedup();
        if rule.preconditions.is_empty() {
            rule.preconditions.push(Rules::ALWAYS);
        }
        if rule.used.is_some() || self.is_new(&rule) {
            self.held += (size_of::<Rule>() + 4 * (rule.preconditions.len() + rule.effects.len()) + ALLOCATIONS) as u64;
            self.rules.push(rule);
        }
    }

    /// Notes a rule that is about to be added, unless there is the same already.
    fn is_new(&mut self, rule: &Rule) -> bool {
        let (hasher, rules) = (FixedState::default(), &self.rules);
        let hash = hasher.hash_one(rule);
        if self.derived.find(hash, |at| rules[*at as usize] == *rule).is_some() {
            return false;
        }
        self.derived.insert_unique(hash, rules.len() as u32, |at| hasher.hash_one(&rules[*at as usize]));
        true
    }

    fn new_group(&mut self) -> u32 {
        self.groups += 1;
        self.groups - 1
    }

    /// Something becomes what the term says; if that is a variable, it may be what it was.
    fn assign(&mut self, work: &mut StepWork, target: Domain, own: Option<Variable>, term: &Term) {
        let group = self.new_group();
        for Case { conditions, value } in cases(term) {
            if own.is_some_and(|own| value == Term::Variable(own)) {
                continue;
            }
            let mut extra = Vec::new();
            if !self.require_all(&conditions, &mut extra) {
                continue;
            }
            let used = Use { step: work.step, group, price: work.cost };
            if self.detail.shortcut
                && let Some(up) = own.and_then(|own| counts(&value, own))
            {
                self.count(work, target, extra.clone(), up, used);
            }
            match self.outcomes(&value) {
                None => {
                    let any = self.any(target);
                    self.conditional(work, extra, any, used);
                }
                Some(outcomes) => {
                    for (tuple, value) in outcomes {
                        let Some(effect) = target.fact(value) else { continue };
                        if !tuple.contains(&effect) {
                            let preconditions = extra.iter().copied().chain(tuple).collect();
                            self.conditional(work, preconditions, effect, used);
                        }
                    }
                }
            }
        }
    }

    /// An effect that needs more than the step itself.
    fn conditional(&mut self, work: &mut StepWork, mut extra: Vec<Fact>, effect: Fact, used: Use) {
        extra.retain(|fact| !work.preconditions.contains(fact));
        if extra.is_empty() {
            work.constant.push(effect);
            return;
        }
        extra.push(self.enabled(work));
        self.rule(extra, vec![effect], work.cost, Some(used));
    }

    /// The fact that the step can be taken.
    fn enabled(&mut self, work: &mut StepWork) -> Fact {
        if let Some(fact) = work.enabled {
            return fact;
        }
        let fact = match work.preconditions[..] {
            [] => Rules::ALWAYS,
            [only] => only,
            _ => {
                let fact = self.new_fact();
                self.rule(work.preconditions.clone(), vec![fact], 0, None);
                fact
            }
        };
        work.enabled = Some(fact);
        fact
    }

    /// Counting: all values beyond the present ones at once. A plan counts every value on the way.
    fn count(&mut self, work: &mut StepWork, domain: Domain, extra: Vec<Fact>, up: bool, used: Use) {
        let enabled = self.enabled(work);
        let mut values: Vec<i32> = domain.values().collect();
        if !up {
            values.reverse();
        }
        let mut reached: Option<Fact> = None;
        for pair in values.windows(2) {
            let (Some(from), Some(to)) = (domain.fact(pair[0]), domain.fact(pair[1])) else { continue };
            let beyond = self.new_fact();
            let mut preconditions = extra.clone();
            preconditions.extend([enabled, from]);
            self.rule(preconditions, vec![beyond], work.cost, Some(used));
            self.rule(vec![beyond], vec![to], 0, None);
            if let Some(before) = reached {
                self.rule(vec![before], vec![beyond], 0, Some(used));
            }
            reached = Some(beyond);
        }
    }

    fn any(&mut self, domain: Domain) -> Fact {
        if let Some(fact) = self.any.get(&domain.first) {
            return *fact;
        }
        let fact = self.new_fact();
        let effects = domain.values().filter_map(|value| domain.fact(value)).collect();
        self.rule(vec![fact], effects, 0, None);
        self.any.insert(domain.first, fact);
        fact
    }

    /// The values of a term, with the facts that they come from; `None` if it can be anything.
    fn outcomes(&self, term: &Term) -> Option<Vec<(Vec<Fact>, i32)>> {
        let mut found = Vec::new();
        let affordable = self.rules.len() < MOST_RULES || matches!(term, Term::Const(_));
        let complete = term.is_known()
            && affordable
            && self.each_combination(&term.symbols(), &mut |facts, values| {
                found.extend(term.value(values).map(|value| (facts.to_vec(), value)));
                found.len() <= MOST_TUPLES
            });
        complete.then_some(found)
    }

    /// Calls `visit` for all combinations of values; false if there are too many or `visit` has enough.
    pub(super) fn each_combination(&self, symbols: &[Symbol], visit: &mut Visit<'_>) -> bool {
        let domains: Vec<_> = symbols.iter().map(|symbol| self.domains.of_symbol(*symbol)).collect();
        let mut count = 1u64;
        for domain in &domains {
            count = count.saturating_mul(domain.size.into());
        }
        if count > MOST_COMBINATIONS {
            return false;
        }
        let (mut facts, mut values) = (vec![0; domains.len()], vec![0; domains.len()]);
        for mut number in 0..count {
            for (at, domain) in domains.iter().enumerate() {
                let offset = (number % u64::from(domain.size)) as u32;
                number /= u64::from(domain.size);
                facts[at] = domain.first + offset;
                values[at] = domain.low + offset as i32;
            }
            let value = |symbol: Symbol| symbols.binary_search(&symbol).map_or(0, |at| values[at]);
            if !visit(&facts, &value) {
                return false;
            }
        }
        true
    }
}

/// Everything becomes rules.
impl Collector for Builder<'_> {
    fn error(&mut self, conditions: &[Condition], parts: &[Part], weight: u64) {
        let mut preconditions = Vec::new();
        if self.require_all(conditions, &mut preconditions) {
            let (cost, part_of) = (from_weight(weight), preferred(parts));
            self.add(Rule { preconditions, effects: vec![Rules::GOAL], cost, used: None, part_of });
        }
    }

    fn free(&mut self, variable: Variable, from: i32, conditions: &[Condition], to: Option<i32>) {
        let domain = self.domains.domain(variable);
        let at = |value: i32| domain.fact(value).unwrap_or(Rules::GOAL);
        let mut preconditions = vec![at(from)];
        if self.require_all(conditions, &mut preconditions) {
            self.rule(preconditions, vec![to.map_or(Rules::GOAL, at)], 0, None);
        }
    }

    fn memory(&self) -> u64 {
        self.held
    }

    fn step(&mut self, trial: &Trial) {
        let mut preconditions = Vec::new();
        if !self.require_all(&trial.conditions, &mut preconditions) {
            return;
        }
        preconditions.sort_unstable();
        preconditions.dedup();
        let cost = from_weight(trial.weight);
        let step = self.steps.len() as u32;
        self.steps.push(preferred(&trial.parts));
        let constant = Use { step, group: self.new_group(), price: cost };
        let mut work = StepWork { preconditions, enabled: None, constant: Vec::new(), cost, step };
        for (slot, term) in trial.memory.written() {
            if let Some(variable) = self.domains.of_slot(slot) {
                self.assign(&mut work, self.domains.domain(variable), Some(variable), term);
            }
        }
        for (collection, term) in &trial.memory.sent {
            self.assign(&mut work, self.domains.members(*collection), None, term);
        }
        work.constant.retain(|fact| !work.preconditions.contains(fact));
        if !work.constant.is_empty() {
            self.rule(work.preconditions, work.constant, cost, Some(constant));
        }
    }
}

/// A step under construction.
struct StepWork {
    preconditions: Vec<Fact>,
    /// The fact that all preconditions are there, once it is needed.
    enabled: Option<Fact>,
    /// Effects that need no more.
    constant: Vec<Fact>,
    cost: Cost,
    step: u32,
}

fn preferred(parts: &[Part]) -> Option<PreferredStep> {
    Some(PreferredStep { first: *parts.first()?, second: parts.get(1).copied() })
}

/// Is it the variable plus or minus 1? Then tells whether upwards.
fn counts(value: &Term, variable: Variable) -> Option<bool> {
    match value {
        Term::Converted(_, inner) => counts(inner, variable),
        Term::Binary(op, a, b) if **a == Term::Variable(variable) => match (op, &**b) {
            (BinaryOp::Add, Term::Const(1)) | (BinaryOp::Subtract, Term::Const(-1)) => Some(true),
            (BinaryOp::Add, Term::Const(-1)) | (BinaryOp::Subtract, Term::Const(1)) => Some(false),
            _ => None,
        },
        _ => None,
    }
}
