//! Is a formula true of a run? Straight from the meaning of the operators, without automata.
//!
//! A word is the list of the states that a run shows. If the last state leads back to an earlier one the word goes on for
//! ever, and every part of the formula has a value at each position: `U` is the least, `W` and `V` the greatest solution
//! of its equation. If nothing is known about what follows, the formula can still be lost: it is if it is false though
//! everything past the end counts as true, for itself and for its opposite (Kupferman and Vardi 2001: informative bad
//! prefixes).

use bughound_ir::expr::Expr;
use bughound_ir::ltl::Formula;

/// The truth of a condition at a position.
pub type Truth<'a> = dyn Fn(&Expr, usize) -> bool + 'a;

/// The same where a condition may have no value.
pub type PartialTruth<'a> = dyn Fn(&Expr, usize) -> Option<bool> + 'a;

/// Is the formula true at the first of `len` positions, the last of which is followed by `back`?
pub fn is_true(formula: &Formula, len: usize, back: usize, truth: &Truth<'_>) -> bool {
    Infinite { len, back, truth }.values(formula).first().copied().unwrap_or(false)
}

struct Infinite<'a> {
    len: usize,
    back: usize,
    truth: &'a Truth<'a>,
}

impl Infinite<'_> {
    fn next(&self, at: usize) -> usize {
        if at + 1 < self.len { at + 1 } else { self.back }
    }

    /// The value of the formula at every position.
    fn values(&self, formula: &Formula) -> Vec<bool> {
        let parts: Vec<Vec<bool>> = formula.parts().into_iter().map(|part| self.values(part)).collect();
        let (left, right) = (|at: usize| parts[0][at], |at: usize| parts[1][at]);
        let each = |value: &dyn Fn(usize) -> bool| (0..self.len).map(value).collect();
        match formula {
            Formula::Atom(condition) => each(&|at| (self.truth)(condition, at)),
            Formula::Not(_) => each(&|at| !left(at)),
            Formula::And(..) => each(&|at| left(at) && right(at)),
            Formula::Or(..) => each(&|at| left(at) || right(at)),
            Formula::Implies(..) => each(&|at| !left(at) || right(at)),
            Formula::Equivalent(..) => each(&|at| left(at) == right(at)),
            Formula::Next(_) => each(&|at| left(self.next(at))),
            Formula::Eventually(_) => self.solution(false, &|at, next| left(at) || next),
            Formula::Always(_) => self.solution(true, &|at, next| left(at) && next),
            Formula::Until(..) => self.solution(false, &|at, next| right(at) || (left(at) && next)),
            Formula::WeakUntil(..) => self.solution(true, &|at, next| right(at) || (left(at) && next)),
            Formula::Release(..) => self.solution(true, &|at, next| right(at) && (left(at) || next)),
        }
    }

    /// Solves `value(at) = equation(at, value(next))`: the least solution from `false`, the greatest from `true`.
    fn solution(&self, start: bool, equation: &dyn Fn(usize, bool) -> bool) -> Vec<bool> {
        let mut values = vec![start; self.len];
        loop {
            let before = values.clone();
            for at in (0..self.len).rev() {
                values[at] = equation(at, values[self.next(at)]);
            }
            if values == before {
                return values;
            }
        }
    }
}

/// Is the formula false whatever follows the `len` positions, and can that be seen from them? What has no value may be as
/// good as one likes, too.
pub fn is_lost(formula: &Formula, len: usize, truth: &PartialTruth<'_>) -> bool {
    !Prefix { len, truth }.hopes(formula).yes[0]
}

/// Whether a formula and its opposite can still come true, at every position and at the end, where everything can.
struct Hopes {
    yes: Vec<bool>,
    no: Vec<bool>,
}

struct Prefix<'a> {
    len: usize,
    truth: &'a PartialTruth<'a>,
}

impl Prefix<'_> {
    fn hopes(&self, formula: &Formula) -> Hopes {
        let parts: Vec<Hopes> = formula.parts().into_iter().map(|part| self.hopes(part)).collect();
        let (yes, no) = (|part: usize, at: usize| parts[part].yes[at], |part: usize, at: usize| parts[part].no[at]);
        match formula {
            Formula::Atom(condition) => {
                let can_be = |value: bool| self.each(&|at, _| (self.truth)(condition, at) != Some(!value));
                can_be(true).or(can_be(false))
            }
            Formula::Not(_) => self.each(&|at, _| no(0, at)).or(self.each(&|at, _| yes(0, at))),
            Formula::And(..) => {
                self.each(&|at, _| yes(0, at) && yes(1, at)).or(self.each(&|at, _| no(0, at) || no(1, at)))
            }
            Formula::Or(..) => {
                self.each(&|at, _| yes(0, at) || yes(1, at)).or(self.each(&|at, _| no(0, at) && no(1, at)))
            }
            Formula::Implies(..) => {
                self.each(&|at, _| no(0, at) || yes(1, at)).or(self.each(&|at, _| yes(0, at) && no(1, at)))
            }
            Formula::Equivalent(..) => self
                .each(&|at, _| (yes(0, at) && yes(1, at)) || (no(0, at) && no(1, at)))
                .or(self.each(&|at, _| (yes(0, at) && no(1, at)) || (no(0, at) && yes(1, at)))),
            Formula::Next(_) => self.each(&|at, _| yes(0, at + 1)).or(self.each(&|at, _| no(0, at + 1))),
            Formula::Eventually(_) => {
                self.each(&|at, next| yes(0, at) || next).or(self.each(&|at, next| no(0, at) && next))
            }
            Formula::Always(_) => {
                self.each(&|at, next| yes(0, at) && next).or(self.each(&|at, next| no(0, at) || next))
            }
            // Strong or weak makes no difference: what is past the end may be as good as one likes.
            Formula::Until(..) | Formula::WeakUntil(..) => self
                .each(&|at, next| yes(1, at) || (yes(0, at) && next))
                .or(self.each(&|at, next| no(1, at) && (no(0, at) || next))),
            Formula::Release(..) => self
                .each(&|at, next| yes(1, at) && (yes(0, at) || next))
                .or(self.each(&|at, next| no(1, at) || (no(0, at) && next))),
        }
    }

    /// The solution of an equation in the value at the next position; true at the end.
    fn each(&self, equation: &dyn Fn(usize, bool) -> bool) -> Values {
        let mut values = vec![true; self.len + 1];
        for at in (0..self.len).rev() {
            values[at] = equation(at, values[at + 1]);
        }
        Values(values)
    }
}

struct Values(Vec<bool>);

impl Values {
    /// Together with the hopes of the opposite.
    fn or(self, opposite: Values) -> Hopes {
        Hopes { yes: self.0, no: opposite.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bughound_kernel::Random;

    /// Conditions of the tests: bit `n` of the letter at a position.
    fn atom(n: i32) -> Formula {
        Formula::Atom(Expr::Const(n))
    }

    fn bit(letters: &[u8]) -> impl Fn(&Expr, usize) -> bool + '_ {
        |condition, at| letters[at] >> condition.as_const().unwrap() & 1 == 1
    }

    fn known(letters: &[u8]) -> impl Fn(&Expr, usize) -> Option<bool> + '_ {
        |condition, at| Some(bit(letters)(condition, at))
    }

    fn b(formula: Formula) -> Box<Formula> {
        Box::new(formula)
    }

    fn holds(formula: &Formula, letters: &[u8], back: usize) -> bool {
        is_true(formula, letters.len(), back, &bit(letters))
    }

    /// The definitions of the operators, looking far enough ahead to have met every suffix.
    fn naive(formula: &Formula, letters: &[u8], back: usize, at: usize) -> bool {
        let place = |i: usize| if i < letters.len() { i } else { back + (i - back) % (letters.len() - back) };
        let ahead = || at..at + 2 * letters.len();
        let eval = |part: &Formula, i: usize| naive(part, letters, back, place(i));
        let until = |l: &Formula, r: &Formula| ahead().any(|k| eval(r, k) && (at..k).all(|i| eval(l, i)));
        match formula {
            Formula::Atom(condition) => bit(letters)(condition, at),
            Formula::Not(a) => !eval(a, at),
            Formula::And(l, r) => eval(l, at) && eval(r, at),
            Formula::Or(l, r) => eval(l, at) || eval(r, at),
            Formula::Implies(l, r) => !eval(l, at) || eval(r, at),
            Formula::Equivalent(l, r) => eval(l, at) == eval(r, at),
            Formula::Next(a) => eval(a, at + 1),
            Formula::Eventually(a) => ahead().any(|k| eval(a, k)),
            Formula::Always(a) => ahead().all(|k| eval(a, k)),
            Formula::Until(l, r) => until(l, r),
            Formula::WeakUntil(l, r) => until(l, r) || ahead().all(|k| eval(l, k)),
            Formula::Release(l, r) => ahead().all(|k| eval(r, k) || (at..k).any(|i| eval(l, i))),
        }
    }

    /// Numbers that look random.
    struct Dice(Random);

    impl Dice {
        fn below(&mut self, n: usize) -> usize {
            self.0.below(n)
        }

        fn formula(&mut self, depth: usize) -> Formula {
            if depth == 0 {
                return atom(self.below(3) as i32);
            }
            let mut part = || b(self.formula(depth - 1));
            let (l, r) = (part(), part());
            match self.below(13) {
                0 => Formula::Not(l),
                1 => Formula::And(l, r),
                2 => Formula::Or(l, r),
                3 => Formula::Implies(l, r),
                4 => Formula::Equivalent(l, r),
                5 => Formula::Next(l),
                6 => Formula::Eventually(l),
                7 => Formula::Always(l),
                8 | 9 => Formula::Until(l, r),
                10 => Formula::WeakUntil(l, r),
                11 => Formula::Release(l, r),
                _ => *l,
            }
        }

        fn word(&mut self, len: usize) -> Vec<u8> {
            (0..len).map(|_| self.below(8) as u8).collect()
        }
    }

    #[test]
    fn equations_and_definitions_agree() {
        let mut dice = Dice(Random::new(1));
        let mut truths = [0; 2];
        for round in 0..4000 {
            let formula = dice.formula(1 + round % 3);
            let len = 1 + dice.below(5);
            let (word, back) = (dice.word(len), dice.below(len));
            let found = holds(&formula, &word, back);
            assert_eq!(found, naive(&formula, &word, back, 0), "{formula:?} on {word:?} back to {back}");
            truths[usize::from(found)] += 1;
        }
        assert!(truths.iter().all(|n| *n > 500), "{truths:?}");
    }

    #[test]
    fn what_is_lost_is_false_whatever_follows() {
        let mut dice = Dice(Random::new(2));
        let mut lost = 0;
        for round in 0..2000 {
            let formula = dice.formula(1 + round % 3);
            let len = 1 + dice.below(4);
            let prefix = dice.word(len);
            if !is_lost(&formula, len, &known(&prefix)) {
                continue;
            }
            lost += 1;
            for _ in 0..20 {
                let more = dice.below(4);
                let word = [prefix.clone(), dice.word(more)].concat();
                let back = dice.below(word.len());
                assert!(!holds(&formula, &word, back), "{formula:?} is lost after {prefix:?}, but true of {word:?}");
            }
        }
        assert!(lost > 200, "{lost}");
    }

    #[test]
    fn lassos_by_hand() {
        let (p, q) = (|| b(atom(0)), || b(atom(1)));
        // p p (q)
        let word = [1, 1, 2];
        assert!(holds(&Formula::Until(p(), q()), &word, 2));
        assert!(!holds(&Formula::Always(p()), &word, 2));
        // p for ever, never q
        assert!(!holds(&Formula::Until(p(), q()), &[1], 0) && holds(&Formula::WeakUntil(p(), q()), &[1], 0));
        // q released by p: q up to and with the state in which p comes
        let release = Formula::Release(p(), q());
        assert!(holds(&release, &[2, 3, 0], 2) && !holds(&release, &[2, 1, 0], 2) && holds(&release, &[2], 0));
        // Infinitely often, but not for ever from some point on
        let word = [0, 1, 0];
        assert!(holds(&Formula::Always(b(Formula::Eventually(p()))), &word, 1));
        assert!(!holds(&Formula::Eventually(b(Formula::Always(p()))), &word, 1));
        assert!(!holds(&Formula::Always(b(Formula::Eventually(p()))), &word, 2));
        // The last position is followed by the one that it leads back to.
        let twice = Formula::Next(b(Formula::Next(p())));
        assert!(holds(&twice, &[0, 1], 1) && !holds(&twice, &[0, 1], 0) && !holds(&twice, &[1, 0], 1));
        // (p U q) U (X p), nested
        let nested = Formula::Until(b(Formula::Until(p(), q())), b(Formula::Next(p())));
        assert!(holds(&nested, &[2, 2, 1], 1) && !holds(&nested, &[2, 2, 0], 2));
    }

    #[test]
    fn prefixes_by_hand() {
        let (p, q) = (|| b(atom(0)), || b(atom(1)));
        let lost = |formula: &Formula, word: &[u8]| is_lost(formula, word.len(), &known(word));
        let until = Formula::Until(p(), q());
        assert!(lost(&until, &[1, 1, 0]) && !lost(&until, &[1, 1, 1]) && !lost(&until, &[1, 2, 0]));
        assert!(!lost(&Formula::Eventually(p()), &[0, 0, 0]));
        assert!(lost(&Formula::Next(p()), &[0, 0]) && !lost(&Formula::Next(p()), &[0]));
        // Lost at once, but not to be seen: `false` and its opposite may come.
        let hidden = Formula::Eventually(b(Formula::And(p(), b(Formula::Not(p())))));
        assert!(!lost(&hidden, &[0, 1, 0]) && !holds(&hidden, &[0, 1, 0], 0));
    }

    #[test]
    fn what_has_no_value_is_not_lost() {
        let (p, q) = (|| b(atom(0)), || b(atom(1)));
        // q has no value in the second state.
        let partial = |condition: &Expr, at: usize| match (condition.as_const(), at) {
            (Some(1), 1) => None,
            (Some(bit), at) => Some([1, 1, 0][at] >> bit & 1 == 1),
            (None, _) => None,
        };
        assert!(!is_lost(&Formula::Next(q()), 3, &partial));
        assert!(!is_lost(&Formula::Next(b(Formula::Not(q()))), 3, &partial));
        assert!(is_lost(&Formula::Next(b(Formula::Not(b(Formula::Or(p(), q()))))), 3, &partial));
        assert!(!is_lost(&Formula::Until(p(), q()), 3, &partial) && is_lost(&Formula::Always(p()), 3, &partial));
    }
}
