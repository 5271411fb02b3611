//! Steps with conditions and assignments over several variables become operators that treat every variable by itself.
//!
//! A step like `x == y -> x = z` is taken apart by the values of `y` and `z`: one operator for each. Variables that choose
//! between others, such as indices, go first: with the index given, an assignment to an element concerns one element. If
//! that makes too many operators, what joins variables is forgotten: the condition may always hold, the assignment gives
//! any value.

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use bughound_ir::edge::{Action, EdgeId};
use bughound_ir::network::Network;

use crate::collect::Collector;
use crate::cost::{Cost, from_weight};
use crate::domains::{Domain, Domains};
use crate::relation::{After, Relation, Value};
use crate::term::{Condition, Symbol, Term, Variable};
use crate::trial::{Part, Trial};

/// More operators from one step are not told apart.
const MOST_OF_A_STEP: usize = 512;
/// More ways in which a condition can hold are not told apart.
const MOST_ALTERNATIVES: usize = 256;
/// With more operators than this, no step is taken apart any more.
const MOST_OPERATORS: usize = 50_000;

/// Nor if so many were tried, most of them in vain: because they cannot be applied, or because there are too many.
const MOST_TRIED: usize = 300_000;
/// The same for one way of a step.
const MOST_TRIED_OF_A_WAY: usize = 8 * MOST_OF_A_STEP;

/// A step that treats every variable by itself. Variables that it does not mention keep their values.
#[derive(Clone, Debug, PartialEq)]
pub struct Operator {
    /// By variable, ascending.
    pub relations: Vec<(Variable, Relation)>,
    pub cost: Cost,
    /// Who takes part, with which edge. Nobody: a move of the claim, or an error.
    pub parts: Vec<Part>,
    /// Edges that others may have taken in the same step.
    pub heard: Vec<EdgeId>,
}

impl Operator {
    /// Bytes, without the relations, which are shared.
    pub fn memory(&self) -> u64 {
        let relations = self.relations.len() * size_of::<(Variable, Relation)>();
        let who = self.parts.len() * size_of::<Part>() + self.heard.len() * size_of::<EdgeId>();
        (size_of::<Operator>() + relations + who) as u64
    }

    /// Does it change any variable?
    pub fn changes_something(&self) -> bool {
        self.relations.iter().any(|(_, relation)| !relation.only_tests())
    }

    /// All edges that are taken, for certain or perhaps.
    pub fn edges(&self) -> impl Iterator<Item = EdgeId> {
        self.parts.iter().map(|(_, edge)| EdgeId(*edge)).chain(self.heard.iter().copied())
    }

    /// May it set clocks?
    pub fn sets_clocks(&self, network: &Network) -> bool {
        let sets = |action: &Action| matches!(action, Action::ResetClock { .. });
        self.edges().any(|edge| {
            let edge = network.edge(edge);
            let nodes = edge.program.iter().flat_map(|program| &network.program(*program).nodes);
            let mut inside = nodes.flat_map(|node| &node.alternatives).flat_map(|a| &a.actions);
            inside.any(sets) || edge.destinations.iter().flat_map(|to| &to.actions).any(sets)
        })
    }
}

/// Collects operators and errors over all variables of the domains.
pub struct Ground<'n> {
    network: &'n Network,
    domains: &'n Domains,
    pub operators: Vec<Operator>,
    /// They change nothing; where one can be applied is an error, at its cost.
    pub errors: Vec<Operator>,
    any: BTreeMap<u32, Arc<[Value]>>,
    /// Operators that were made, whether they were used or not.
    tried: usize,
    /// When so many were tried, the step in hand takes too long.
    enough: usize,
    /// By variable: the state does not show its value.
    hidden: Vec<bool>,
    /// By variable, conditions on it and what it becomes.
    relations: HashMap<(Variable, Vec<Condition>, Option<Term>), Relation>,
    /// By hash: places among the errors.
    known_errors: HashMap<u64, Vec<usize>>,
    hasher: RandomState,
    /// Bytes of operators and relations, more or less.
    held: u64,
}

/// A step that is being taken apart.
#[derive(Clone)]
struct Work {
    conditions: Vec<Condition>,
    effects: Vec<(Variable, Term)>,
    fixed: Vec<(Variable, i32)>,
}

/// What becomes of a step apart from its relations.
struct Shape {
    cost: Cost,
    parts: Vec<Part>,
    heard: Vec<EdgeId>,
    listeners: BTreeMap<Variable, Vec<(i32, i32)>>,
}

impl Shape {
    /// Of something that nobody does.
    fn of_nobody(cost: Cost) -> Shape {
        Shape { cost, parts: Vec::new(), heard: Vec::new(), listeners: BTreeMap::new() }
    }
}

impl<'n> Ground<'n> {
    pub fn new(network: &'n Network, domains: &'n Domains) -> Self {
        Ground {
            network,
            domains,
            operators: Vec::new(),
            errors: Vec::new(),
            any: BTreeMap::new(),
            tried: 0,
            enough: 0,
            hidden: hidden(network, domains),
            relations: HashMap::new(),
            known_errors: HashMap::new(),
            hasher: RandomState::new(),
            held: 0,
        }
    }

    fn operators_of(&mut self, work: Work, shape: &Shape) -> Vec<Operator> {
        let (mut found, mut affordable) = (Vec::new(), true);
        let work = self.of_variables(work);
        for conditions in alternatives(&work.conditions) {
            let work = Work { conditions, ..work.clone() };
            let before = found.len();
            affordable &= self.operators.len() + self.errors.len() < MOST_OPERATORS && self.tried < MOST_TRIED;
            self.enough = self.tried + MOST_TRIED_OF_A_WAY;
            affordable = affordable && self.take_apart(work.clone(), shape, &mut found);
            if !affordable {
                found.truncate(before);
                found.extend(self.operator(&loosen(work), shape));
            }
        }
        found
    }

    /// What is drawn from collections, or hidden, can be anything here.
    fn of_variables(&self, work: Work) -> Work {
        let of = |symbol: Symbol| match symbol {
            Symbol::Variable(variable) => self.hidden[variable as usize].then_some(Term::Unknown),
            Symbol::Member(_) => Some(Term::Unknown),
        };
        Work {
            conditions: work.conditions.iter().map(|condition| condition.rewrite(&of)).collect(),
            effects: work.effects.iter().map(|(variable, term)| (*variable, term.rewrite(&of))).collect(),
            fixed: work.fixed,
        }
    }

    /// False if there are too many.
    fn take_apart(&mut self, work: Work, shape: &Shape, found: &mut Vec<Operator>) -> bool {
        if found.len() > MOST_OF_A_STEP || self.tried > self.enough {
            return false;
        }
        if work.conditions.contains(&Condition::Never) {
            return true;
        }
        let Some(variable) = self.splits_on(&work) else {
            found.extend(self.operator(&work, shape));
            return true;
        };
        for value in self.domains.domain(variable).values() {
            let of = |symbol: Symbol| (symbol == Symbol::Variable(variable)).then_some(Term::Const(value));
            let mut part = Work {
                conditions: work.conditions.iter().map(|condition| condition.rewrite(&of)).collect(),
                effects: work.effects.iter().map(|(target, term)| (*target, term.rewrite(&of))).collect(),
                fixed: work.fixed.clone(),
            };
            part.fixed.push((variable, value));
            if !self.take_apart(part, shape, found) {
                return false;
            }
        }
        true
    }

    /// The variable whose values are told apart next: one that decides much, with few values.
    fn splits_on(&self, work: &Work) -> Option<Variable> {
        let mut weights: BTreeMap<Variable, u32> = BTreeMap::new();
        let mut note = |variables: Vec<(Variable, bool)>, own: Option<Variable>| {
            let foreign = |(variable, _): &&(Variable, bool)| Some(*variable) != own;
            let distinct = variables.iter().filter(foreign).any(|(v, _)| own.is_some() || *v != variables[0].0);
            if distinct {
                for (variable, chooses) in variables.iter().filter(foreign) {
                    *weights.entry(*variable).or_default() += if *chooses { 1000 } else { 1 };
                }
            }
        };
        for condition in &work.conditions {
            let mut variables = Vec::new();
            condition.each_symbol(&mut |symbol, chooses| variables.extend(variable(symbol).map(|v| (v, chooses))));
            note(variables, None);
        }
        for (target, term) in &work.effects {
            let mut variables = Vec::new();
            term.each_symbol(false, &mut |symbol, chooses| variables.extend(variable(symbol).map(|v| (v, chooses))));
            note(variables, Some(*target));
        }
        let size = |variable: Variable| std::cmp::Reverse(self.domains.domain(variable).size);
        weights.into_iter().max_by_key(|(variable, weight)| (*weight, size(*variable))).map(|(variable, _)| variable)
    }

    /// The operator of a step in which nothing joins variables; none if it cannot be applied.
    fn operator(&mut self, work: &Work, shape: &Shape) -> Option<Operator> {
        self.tried += 1;
        let mut touched: BTreeMap<Variable, Touched<'_>> = BTreeMap::new();
        for condition in &work.conditions {
            let mut only = None;
            condition.each_symbol(&mut |symbol, _| only = variable(symbol));
            match only {
                None if condition.holds(&|_| 0) => {}
                None => return None,
                Some(variable) => touched.entry(variable).or_default().conditions.push(condition),
            }
        }
        for (variable, value) in &work.fixed {
            touched.entry(*variable).or_default().fixed = Some(*value);
        }
        for (variable, term) in &work.effects {
            touched.entry(*variable).or_default().effect = Some(term);
        }
        for (variable, moves) in &shape.listeners {
            touched.entry(*variable).or_default().moves = moves;
        }
        let mut relations = Vec::new();
        for (variable, touched) in touched {
            let relation = self.relation(variable, &touched);
            if relation.is_impossible() {
                return None;
            }
            if !relation.is_identity(self.domains.domain(variable).size) {
                relations.push((variable, relation));
            }
        }
        Some(Operator { relations, cost: shape.cost, parts: shape.parts.clone(), heard: shape.heard.clone() })
    }

    fn relation(&mut self, variable: Variable, touched: &Touched<'_>) -> Relation {
        if touched.fixed.is_some() || !touched.moves.is_empty() {
            return self.new_relation(variable, touched);
        }
        let conditions = touched.conditions.iter().copied().cloned().collect();
        let key = (variable, conditions, touched.effect.cloned());
        if let Some(relation) = self.relations.get(&key) {
            return relation.clone();
        }
        let relation = self.new_relation(variable, touched);
        self.held += relation.memory();
        self.relations.insert(key, relation.clone());
        relation
    }

    fn new_relation(&mut self, variable: Variable, touched: &Touched<'_>) -> Relation {
        let domain = self.domains.domain(variable);
        let values = match touched.fixed {
            Some(fixed) => fixed..fixed + 1,
            None => domain.low..domain.low + domain.size as i32,
        };
        let mut pairs = Vec::new();
        for value in values {
            if touched.conditions.iter().all(|condition| condition.holds(&|_| value))
                && let Some(after) = self.after(domain, value, touched)
            {
                pairs.push((place(domain, value), after));
            }
        }
        Relation::new(pairs)
    }

    fn after(&mut self, domain: Domain, value: i32, touched: &Touched<'_>) -> Option<After> {
        let own = place(domain, value);
        if let Some(term) = touched.effect {
            let known = term.rewrite(&|_| Some(Term::Const(value)));
            return match known {
                Term::Const(to) => domain.fact(to).map(|fact| After::One(fact - domain.first)),
                term if term.is_known() => None,
                _ => Some(After::Some(self.any_value(domain))),
            };
        }
        let mut values = vec![own];
        let targets = touched.moves.iter().filter(|(from, _)| *from == value).map(|(_, to)| *to);
        values.extend(targets.filter_map(|to| domain.fact(to)).map(|fact| fact - domain.first));
        values.sort_unstable();
        values.dedup();
        Some(if values.len() == 1 { After::One(own) } else { After::Some(values.into()) })
    }

    fn any_value(&mut self, domain: Domain) -> Arc<[Value]> {
        self.any.entry(domain.size).or_insert_with(|| (0..domain.size).collect()).clone()
    }

    /// Notes an error that is about to be added; false if there is the same already.
    fn note_error(&mut self, error: &Operator) -> bool {
        let same = self.known_errors.entry(self.hasher.hash_one(&error.relations)).or_default();
        let is_new = !same.iter().any(|at| self.errors[*at] == *error);
        if is_new {
            same.push(self.errors.len());
        }
        is_new
    }

    /// What a step writes into slots that have variables.
    fn effects(&self, trial: &Trial) -> Vec<(Variable, Term)> {
        let variable = |(slot, term): (usize, &Term)| Some((self.domains.of_slot(slot)?, term.clone()));
        let written = trial.memory.written().filter_map(variable);
        let effects = written.filter(|(variable, _)| !self.hidden[*variable as usize]);
        effects.filter(|(variable, term)| *term != Term::Variable(*variable)).collect()
    }
}

/// By variable: it is a hidden one, which counts as 0 as soon as nobody has control.
fn hidden(network: &Network, domains: &Domains) -> Vec<bool> {
    let mut hidden = vec![false; domains.domains.len()];
    for slot in network.hidden_slots() {
        if let Some(variable) = domains.of_slot(slot as usize) {
            hidden[variable as usize] = true;
        }
    }
    hidden
}

/// The variable, if it is one.
fn variable(symbol: Symbol) -> Option<Variable> {
    match symbol {
        Symbol::Variable(variable) => Some(variable),
        Symbol::Member(_) => None,
    }
}

/// Everything about one variable.
#[derive(Default)]
struct Touched<'w> {
    conditions: Vec<&'w Condition>,
    fixed: Option<i32>,
    effect: Option<&'w Term>,
    moves: &'w [(i32, i32)],
}

fn place(domain: Domain, value: i32) -> Value {
    value.wrapping_sub(domain.low) as Value
}

/// Forgets what joins variables.
fn loosen(work: Work) -> Work {
    let effect = |(target, term): (Variable, Term)| {
        let own = term.symbols().iter().all(|symbol| *symbol == Symbol::Variable(target));
        (target, if own { term } else { Term::Unknown })
    };
    Work {
        conditions: work.conditions.into_iter().filter(|condition| !is_joint(condition)).collect(),
        effects: work.effects.into_iter().map(effect).collect(),
        fixed: work.fixed,
    }
}

impl Collector for Ground<'_> {
    fn memory(&self) -> u64 {
        self.held
    }

    fn step(&mut self, trial: &Trial) {
        let listeners =
            trial.listeners.iter().filter_map(|(slot, moves)| Some((self.domains.of_slot(*slot)?, moves.clone())));
        let shape = Shape {
            cost: from_weight(trial.weight),
            parts: trial.parts.clone(),
            heard: trial.heard.clone(),
            listeners: listeners.collect(),
        };
        let (mut conditions, effects) = (flat(&trial.conditions), self.effects(trial));
        if let Some(stuck) = self.domains.stuck {
            conditions.push(Condition::Term(Term::equals(Term::Variable(stuck), Term::Const(0)), true));
        }
        let mut found = self.operators_of(Work { conditions, effects, fixed: Vec::new() }, &shape);
        found.retain(|operator| operator.changes_something() || operator.sets_clocks(self.network));
        self.held += found.iter().map(Operator::memory).sum::<u64>();
        self.operators.append(&mut found);
    }

    fn error(&mut self, conditions: &[Condition], _parts: &[Part], weight: u64) {
        let work = Work { conditions: flat(conditions), effects: Vec::new(), fixed: Vec::new() };
        let shape = Shape::of_nobody(from_weight(weight));
        for found in self.operators_of(work, &shape) {
            if self.note_error(&found) {
                self.errors.push(found);
            }
        }
    }

    fn free(&mut self, variable: Variable, from: i32, conditions: &[Condition], to: Option<i32>) {
        let mut conditions = flat(conditions);
        conditions.push(Condition::Term(Term::equals(Term::Variable(variable), Term::Const(from)), true));
        let shape = Shape::of_nobody(0);
        let effects = to.map(|to| (variable, Term::Const(to))).into_iter().collect();
        let mut found = self.operators_of(Work { conditions, effects, fixed: Vec::new() }, &shape);
        self.held += found.iter().map(Operator::memory).sum::<u64>();
        if to.is_some() {
            return self.operators.append(&mut found);
        }
        for error in found {
            self.note_error(&error);
            self.errors.push(error);
        }
    }
}

/// The ways in which all conditions can hold: disjunctions over several variables come apart, as long as they are few. A
/// state in which two ways hold has both operators.
fn alternatives(conditions: &[Condition]) -> Vec<Vec<Condition>> {
    let mut ways: Vec<Vec<Condition>> = vec![Vec::new()];
    let mut open: Vec<Condition> = flat(conditions);
    open.reverse();
    while let Some(condition) = open.pop() {
        let parts = match &condition {
            Condition::Any(parts) if is_joint(&condition) && ways.len() * parts.len() <= MOST_ALTERNATIVES => parts,
            _ => {
                ways.iter_mut().for_each(|way| way.push(condition.clone()));
                continue;
            }
        };
        let each: Vec<Vec<Condition>> =
            parts.iter().flat_map(|part| alternatives(std::slice::from_ref(part))).collect();
        if each.len() * ways.len() > MOST_ALTERNATIVES {
            ways.iter_mut().for_each(|way| way.push(condition.clone()));
            continue;
        }
        ways = ways.iter().flat_map(|way| each.iter().map(|part| [&way[..], part].concat())).collect();
    }
    ways
}

/// Does it concern several variables?
fn is_joint(condition: &Condition) -> bool {
    let mut symbols = Vec::new();
    condition.each_symbol(&mut |symbol, _| symbols.push(symbol));
    symbols.windows(2).any(|pair| pair[0] != pair[1])
}

/// Conjunctions one by one.
fn flat(conditions: &[Condition]) -> Vec<Condition> {
    let mut flat = Vec::new();
    for condition in conditions {
        match condition {
            Condition::Always => {}
            Condition::All(parts) => flat.extend(self::flat(parts)),
            other => flat.push(other.clone()),
        }
    }
    flat
}
