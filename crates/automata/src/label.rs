//! Labels of automata: conditions on one state, as a disjunction of cubes.
//!
//! A label is kept as the list of *all* its prime implicants (its Blake canonical form): equal conditions have equal
//! lists, and a cube implies the condition if and only if it implies one cube of the list. Labels of properties are
//! small; where one is not, the operations say so instead of filling the memory.

use std::fmt;

/// Atoms of an automaton are numbered below this.
pub const MOST_ATOMS: usize = 128;

/// A label may have so many prime implicants.
const MOST_CUBES: usize = 1024;

/// A conjunction of literals: atoms that hold and atoms that do not hold, as sets of bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Cube {
    holds: u128,
    fails: u128,
}

impl Cube {
    const TRUE: Cube = Cube { holds: 0, fails: 0 };

    /// Every state of this cube is one of the other.
    fn implies(self, other: Cube) -> bool {
        self.holds & other.holds == other.holds && self.fails & other.fails == other.fails
    }

    fn and(self, other: Cube) -> Option<Cube> {
        let both = Cube { holds: self.holds | other.holds, fails: self.fails | other.fails };
        (both.holds & both.fails == 0).then_some(both)
    }

    /// What follows from two cubes that differ in the sign of exactly one atom.
    fn consensus(self, other: Cube) -> Option<Cube> {
        let opposed = (self.holds & other.fails) | (self.fails & other.holds);
        (opposed.count_ones() == 1).then_some(Cube {
            holds: (self.holds | other.holds) & !opposed,
            fails: (self.fails | other.fails) & !opposed,
        })
    }

    fn literals(self) -> impl Iterator<Item = (u32, bool)> {
        (0..MOST_ATOMS as u32).filter_map(move |atom| {
            let bit = 1u128 << atom;
            ((self.holds | self.fails) & bit != 0).then_some((atom, self.holds & bit != 0))
        })
    }
}

/// A condition on one state.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Label {
    /// All prime implicants, sorted.
    primes: Vec<Cube>,
}

impl Label {
    pub fn never() -> Label {
        Label { primes: Vec::new() }
    }

    pub fn always() -> Label {
        Label { primes: vec![Cube::TRUE] }
    }

    /// One atom or its negation; `None` if there cannot be an atom of this number.
    pub fn literal(atom: u32, positive: bool) -> Option<Label> {
        let bit = 1u128.checked_shl(atom)?;
        let cube = if positive { Cube { holds: bit, fails: 0 } } else { Cube { holds: 0, fails: bit } };
        Some(Label { primes: vec![cube] })
    }

    pub fn is_true(&self) -> bool {
        self.primes.first() == Some(&Cube::TRUE)
    }

    pub fn is_false(&self) -> bool {
        self.primes.is_empty()
    }

    /// Whether the condition holds where exactly the atoms of the set hold.
    pub fn holds(&self, letter: u128) -> bool {
        self.primes.iter().any(|cube| letter & cube.holds == cube.holds && letter & cube.fails == 0)
    }

    /// Whether every state of this label is one of the other.
    pub fn implies(&self, other: &Label) -> bool {
        self.primes.iter().all(|cube| other.primes.iter().any(|prime| cube.implies(*prime)))
    }

    /// Both; `None` if the result is too large. Multiplying out all primes gives all primes of the conjunction.
    pub fn and(&self, other: &Label) -> Option<Label> {
        if self.is_true() {
            return Some(other.clone());
        }
        if other.is_true() {
            return Some(self.clone());
        }
        let mut cubes: Vec<Cube> = Vec::new();
        for a in &self.primes {
            for b in &other.primes {
                if let Some(both) = a.and(*b) {
                    insert(&mut cubes, both);
                }
            }
            if cubes.len() > MOST_CUBES {
                return None;
            }
        }
        cubes.sort_unstable();
        Some(Label { primes: cubes })
    }

    /// One of both; `None` if the result is too large. Consensus of cubes finds the new primes.
    pub fn or(&self, other: &Label) -> Option<Label> {
        let mut cubes = self.primes.clone();
        let mut open = other.primes.clone();
        while let Some(cube) = open.pop() {
            if !insert(&mut cubes, cube) {
                continue;
            }
            open.extend(cubes.iter().filter_map(|c| c.consensus(cube)));
            if cubes.len() > MOST_CUBES {
                return None;
            }
        }
        cubes.sort_unstable();
        Some(Label { primes: cubes })
    }

    /// The opposite; `None` if the result is too large.
    pub fn negated(&self) -> Option<Label> {
        self.primes.iter().try_fold(Label::always(), |all, cube| {
            let mut primes: Vec<Cube> = cube
                .literals()
                .filter_map(|(atom, positive)| Some(Label::literal(atom, !positive)?.primes[0]))
                .collect();
            primes.sort_unstable();
            all.and(&Label { primes })
        })
    }

    /// Number of prime implicants: what operations on the label cost.
    pub(crate) fn weight(&self) -> usize {
        self.primes.len()
    }

    /// A disjunction of few cubes that is the condition: each cube a list of atoms and whether they hold. No cube for
    /// false, one empty cube for true.
    pub fn cubes(&self) -> impl Iterator<Item = Vec<(u32, bool)>> {
        self.cover().into_iter().map(|cube| cube.literals().collect())
    }

    /// Primes that are not implied by the others together; long ones are left out first.
    fn cover(&self) -> Vec<Cube> {
        let mut cover = self.primes.clone();
        let mut candidates = cover.clone();
        candidates.sort_by_key(|cube| std::cmp::Reverse((cube.holds | cube.fails).count_ones()));
        for cube in candidates {
            let rest: Vec<Cube> = cover.iter().copied().filter(|c| *c != cube).collect();
            let rest_label = Label::never().or(&Label { primes: rest.clone() });
            if rest_label.is_some_and(|label| Label { primes: vec![cube] }.implies(&label)) {
                cover = rest;
            }
        }
        cover
    }

    /// The condition in the syntax of SPIN, with atoms named by `name`.
    pub fn text(&self, name: impl Fn(u32) -> String) -> String {
        let literal = |(atom, positive): (u32, bool)| format!("{}{}", if positive { "" } else { "!" }, name(atom));
        let cubes: Vec<Vec<String>> = self.cubes().map(|cube| cube.into_iter().map(literal).collect()).collect();
        match cubes.as_slice() {
            [] => "false".to_string(),
            [cube] if cube.is_empty() => "true".to_string(),
            [cube] => cube.join(" && "),
            cubes => {
                let texts =
                    cubes.iter().map(|c| if c.len() > 1 { format!("({})", c.join(" && ")) } else { c.concat() });
                texts.collect::<Vec<_>>().join(" || ")
            }
        }
    }

    /// The atoms that matter, as a set of bits.
    pub fn atoms(&self) -> u128 {
        self.primes.iter().fold(0, |all, cube| all | cube.holds | cube.fails)
    }
}

/// Adds a cube unless it implies one that is there; takes out those that imply it.
fn insert(cubes: &mut Vec<Cube>, cube: Cube) -> bool {
    if cubes.iter().any(|c| cube.implies(*c)) {
        return false;
    }
    cubes.retain(|c| !c.implies(cube));
    cubes.push(cube);
    true
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.text(|atom| format!("a{atom}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn literal(atom: u32, positive: bool) -> Label {
        Label::literal(atom, positive).unwrap()
    }

    #[test]
    fn equal_conditions_have_equal_labels() {
        let (a, b, c) = (literal(0, true), literal(1, true), literal(2, true));
        let not_a = literal(0, false);
        assert!(a.or(&not_a).unwrap().is_true());
        assert!(a.and(&not_a).unwrap().is_false());
        let choice = a.and(&b).unwrap().or(&not_a.and(&c).unwrap()).unwrap();
        let with_consensus = choice.or(&b.and(&c).unwrap()).unwrap();
        assert_eq!(choice, with_consensus);
        assert_eq!(choice.cubes().count(), 2);
        assert!(b.and(&c).unwrap().implies(&choice));
        assert!(!b.implies(&choice));
    }

    /// Random labels against truth tables.
    #[test]
    fn operations_agree_with_truth_tables() {
        let mut random = bughound_kernel::Random::new(7);
        let mut next = move |n: usize| random.below(n);
        let table = |label: &Label| (0..16u128).map(|letter| label.holds(letter)).collect::<Vec<_>>();
        let mut labels = vec![Label::always(), Label::never()];
        for _ in 0..2000 {
            let a = labels[next(labels.len())].clone();
            let b = literal(next(4) as u32, next(2) == 0);
            let b = if next(2) == 0 { b } else { labels[next(labels.len())].clone() };
            let (ta, tb) = (table(&a), table(&b));
            let both = a.and(&b).unwrap();
            assert!((0..16).all(|i| table(&both)[i] == (ta[i] && tb[i])));
            let either = a.or(&b).unwrap();
            assert!((0..16).all(|i| table(&either)[i] == (ta[i] || tb[i])));
            let opposite = a.negated().unwrap();
            assert!((0..16).all(|i| table(&opposite)[i] != ta[i]));
            assert_eq!(a.implies(&b), (0..16).all(|i| !ta[i] || tb[i]), "{a} => {b}");
            assert_eq!(ta == tb, a == b, "{a} = {b}");
            let cubes: Vec<_> = either.cubes().collect();
            let by_cubes = |letter: u128| cubes.iter().any(|c| c.iter().all(|(x, p)| (letter >> x & 1 == 1) == *p));
            assert!((0..16u128).all(|letter| by_cubes(letter) == either.holds(letter)));
            if labels.len() < 200 {
                labels.push(both);
                labels.push(either);
            }
        }
    }
}
