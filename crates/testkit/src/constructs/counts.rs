//! How often constructs, and pairs of them, occur in many programs.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::tables::{ALL, D_STEP, EXPRESSION, Impossible};
use super::tables::{NOT_IN_A_D_STEP, NOT_IN_A_PROGRAM, NOT_IN_AN_EXPRESSION};
use super::{Found, constructs};

/// How many things contain each construct and each pair of constructs.
pub struct Table {
    names: &'static [&'static str],
    impossible: &'static [Impossible],
    numbers: BTreeMap<&'static str, usize>,
    /// By the numbers of two constructs, the smaller one first; a construct with itself counts it alone.
    counts: Vec<Vec<u64>>,
}

impl Table {
    fn new(names: &'static [&'static str], impossible: &'static [Impossible]) -> Table {
        let numbers = names.iter().enumerate().map(|(at, name)| (*name, at)).collect();
        Table { names, impossible, numbers, counts: vec![vec![0; names.len()]; names.len()] }
    }

    fn add(&mut self, found: &BTreeSet<&'static str>) {
        let mut numbers: Vec<usize> = found.iter().filter_map(|name| self.numbers.get(name).copied()).collect();
        numbers.sort_unstable();
        for (at, &one) in numbers.iter().enumerate() {
            numbers[at..].iter().for_each(|&other| self.counts[one][other] += 1);
        }
    }

    /// How many things contain the construct.
    pub fn single(&self, name: &str) -> u64 {
        self.numbers.get(name).map_or(0, |&at| self.counts[at][at])
    }

    /// Every pair with its count.
    pub fn pairs(&self) -> impl Iterator<Item = (&'static str, &'static str, u64)> + '_ {
        let all = 0..self.names.len();
        let pairs = all.clone().flat_map(move |one| (one + 1..self.names.len()).map(move |other| (one, other)));
        pairs.map(|(one, other)| (self.names[one], self.names[other], self.counts[one][other]))
    }

    /// Why the two cannot stand together, if so.
    fn impossible(&self, one: &str, other: &str) -> Option<&'static str> {
        let both = |i: &Impossible, a: &str, b: &str| i.one.contains(&a) && i.other.contains(&b);
        self.impossible.iter().find(|i| both(i, one, other) || both(i, other, one)).map(|i| i.why)
    }

    /// Constructs and pairs that never occurred though they could.
    pub fn missing(&self) -> Vec<String> {
        let singles = self.names.iter().filter(|name| self.single(name) == 0).map(|name| name.to_string());
        let present = |name: &str| self.single(name) > 0;
        let pairs = self.pairs().filter(|(one, other, count)| *count == 0 && present(one) && present(other));
        let pairs = pairs.filter(|(one, other, _)| self.impossible(one, other).is_none());
        singles.chain(pairs.map(|(one, other, _)| format!("{one} with {other}"))).collect()
    }

    /// Pairs that are said to be impossible, and occurred.
    pub fn refuted(&self) -> Vec<String> {
        let pairs = self.pairs().filter(|(one, other, count)| *count > 0 && self.impossible(one, other).is_some());
        pairs.map(|(one, other, count)| format!("{one} with {other}: {count}")).collect()
    }
}

/// Each construct with its count, how many others it met, and which it met least.
impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut least: BTreeMap<&str, (u64, &str)> = BTreeMap::new();
        for (one, other, count) in self.pairs().filter(|(one, other, _)| self.impossible(one, other).is_none()) {
            for (name, partner) in [(one, other), (other, one)] {
                let entry = least.entry(name).or_insert((u64::MAX, ""));
                *entry = (*entry).min((count, partner));
            }
        }
        for name in self.names {
            let (count, partner) = least.get(name).copied().unwrap_or((0, ""));
            writeln!(f, "{:>9}  {name:<52} least with {partner}: {count}", self.single(name))?;
        }
        let possible = self.pairs().filter(|(one, other, _)| self.impossible(one, other).is_none()).count();
        let impossible = self.pairs().count() - possible;
        writeln!(f, "{} constructs, {possible} pairs, {impossible} impossible ones", self.names.len())
    }
}

/// The tables of many programs.
pub struct Counts {
    pub programs: u64,
    /// Programs, expressions and `d_step`s that contain constructs.
    pub in_programs: Table,
    pub in_expressions: Table,
    pub in_d_steps: Table,
    /// Programs that the front end does not take.
    pub rejected: Vec<String>,
}

impl Default for Counts {
    fn default() -> Counts {
        Counts {
            programs: 0,
            in_programs: Table::new(ALL, NOT_IN_A_PROGRAM),
            in_expressions: Table::new(EXPRESSION, NOT_IN_AN_EXPRESSION),
            in_d_steps: Table::new(D_STEP, NOT_IN_A_D_STEP),
            rejected: Vec::new(),
        }
    }
}

impl Counts {
    pub fn add(&mut self, source: &str) {
        self.programs += 1;
        match constructs(source) {
            Ok(Found { program, expressions, d_steps }) => {
                self.in_programs.add(&program);
                expressions.iter().for_each(|found| self.in_expressions.add(found));
                d_steps.iter().for_each(|found| self.in_d_steps.add(found));
            }
            Err(messages) => self.rejected.push(messages),
        }
    }

    pub fn tables(&self) -> [(&'static str, &Table); 3] {
        [("programs", &self.in_programs), ("expressions", &self.in_expressions), ("d_steps", &self.in_d_steps)]
    }
}
