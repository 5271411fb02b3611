//! What it takes for a condition to hold: facts that stand for it, and rules that give them.

use std::collections::HashMap;

use bughound_finite::domains::Fact;
use bughound_finite::term::{Condition, Symbol, Term};
use bughound_ir::expr::{BinaryOp, UnaryOp};

use super::builder::{Builder, MOST_RULES, MOST_TUPLES};

/// What it takes for a condition to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    Always,
    Never,
    Fact(Fact),
}

impl Builder<'_> {
    /// Adds what all conditions need; false if they cannot hold.
    pub fn require_all(&mut self, conditions: &[Condition], preconditions: &mut Vec<Fact>) -> bool {
        let mut flat = Vec::new();
        conditions.iter().for_each(|condition| flatten(condition, &mut flat));
        if self.detail.together {
            flat = join_by_symbol(flat);
        }
        flat.iter().all(|condition| match self.need(condition) {
            Need::Always => true,
            Need::Never => false,
            Need::Fact(fact) => {
                preconditions.push(fact);
                true
            }
        })
    }

    fn need(&mut self, condition: &Condition) -> Need {
        match condition {
            Condition::Always => Need::Always,
            Condition::Never => Need::Never,
            Condition::Term(term, wanted) => {
                let key = (term.with_own_draws(), *wanted);
                if let Some(need) = self.terms.get(&key) {
                    return *need;
                }
                let need = self.term(&key.0, *wanted);
                self.terms.insert(key, need);
                need
            }
            Condition::All(_) => self.any_of(std::slice::from_ref(condition)),
            Condition::Any(parts) => self.any_of(parts),
        }
    }

    fn any_of(&mut self, parts: &[Condition]) -> Need {
        let mut ways = Vec::new();
        for part in parts {
            let mut way = Vec::new();
            if self.require_all(std::slice::from_ref(part), &mut way) {
                way.sort_unstable();
                way.dedup();
                ways.push(way);
            }
        }
        ways.sort();
        ways.dedup();
        self.disjunction(ways)
    }

    /// One of these conjunctions of facts.
    fn disjunction(&mut self, ways: Vec<Vec<Fact>>) -> Need {
        match &ways[..] {
            [] => return Need::Never,
            ways if ways.iter().any(|way| way.is_empty()) => return Need::Always,
            [way] if way.len() == 1 => return Need::Fact(way[0]),
            _ => {}
        }
        if let Some(fact) = self.disjunctions.get(&ways) {
            return Need::Fact(*fact);
        }
        let fact = self.new_fact();
        for way in &ways {
            self.rule(way.clone(), vec![fact], 0, None);
        }
        self.held += ways.iter().map(|way| (size_of::<Vec<Fact>>() + 4 * way.len() + 16) as u64).sum::<u64>();
        self.disjunctions.insert(ways, fact);
        Need::Fact(fact)
    }

    fn term(&mut self, term: &Term, wanted: bool) -> Need {
        // Nearly all conditions on locations.
        if let (Term::Binary(BinaryOp::Equal, a, b), true) = (term, wanted)
            && let ([symbol], Term::Const(value)) = (&a.symbols()[..], &**b)
            && matches!(**a, Term::Variable(_) | Term::Member(_))
        {
            let domain = self.domains.of_symbol(*symbol);
            return if domain.size == 1 { self.values(term, wanted) } else { fact_or_never(domain.fact(*value)) };
        }
        self.values(term, wanted)
    }

    /// All combinations of values for which the term has this truth value.
    fn values(&mut self, term: &Term, wanted: bool) -> Need {
        let symbols = term.symbols();
        if symbols.len() > 1 && self.rules.len() >= MOST_RULES {
            return Need::Always;
        }
        let mut ways: Vec<Vec<Fact>> = Vec::new();
        let mut count = 0usize;
        let complete = self.each_combination(&symbols, &mut |facts, values| {
            count += 1;
            if term.value(values).is_some_and(|value| (value != 0) == wanted) {
                ways.push(facts.to_vec());
            }
            symbols.len() == 1 || ways.len() <= MOST_TUPLES
        });
        if !complete || (ways.len() == count && count > 0) {
            return Need::Always;
        }
        self.disjunction(ways)
    }
}

fn fact_or_never(fact: Option<Fact>) -> Need {
    fact.map_or(Need::Never, Need::Fact)
}

fn flatten(condition: &Condition, flat: &mut Vec<Condition>) {
    match condition {
        Condition::Always => {}
        Condition::All(parts) => parts.iter().for_each(|part| flatten(part, flat)),
        other => flat.push(other.clone()),
    }
}

/// Conditions on one and the same symbol become one. Two looks into a collection are two symbols.
fn join_by_symbol(conditions: Vec<Condition>) -> Vec<Condition> {
    let mut joined: Vec<Condition> = Vec::new();
    let mut places: HashMap<Symbol, usize> = HashMap::new();
    for condition in conditions {
        let Condition::Term(term, wanted) = &condition else {
            joined.push(condition);
            continue;
        };
        let [symbol] = term.symbols()[..] else {
            joined.push(condition);
            continue;
        };
        let truth = as_true(term, *wanted);
        match places.get(&symbol) {
            None => {
                places.insert(symbol, joined.len());
                joined.push(condition);
            }
            Some(place) => {
                if let Condition::Term(before, wanted) = &joined[*place] {
                    let both = Term::binary(BinaryOp::And, as_true(before, *wanted), truth);
                    joined[*place] = Condition::Term(both, true);
                }
            }
        }
    }
    joined
}

/// A term that is true where the given one has this truth value. Without a value neither it nor its negation holds.
fn as_true(term: &Term, wanted: bool) -> Term {
    if wanted { term.clone() } else { Term::unary(UnaryOp::Not, term.clone()) }
}
