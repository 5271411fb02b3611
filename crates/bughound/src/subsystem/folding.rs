//! Sequences with repetitions, told once: `a b c b c b c d` is `a`, three times `b c`, `d`.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::hash::Hash;
use std::ops::Range;

/// A part that stands several times in a row. Parts may lie in the first turn of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repeat {
    /// Where the first turn begins.
    pub first: usize,
    /// The length of one turn.
    pub steps: usize,
    /// How many turns there are, two at least.
    pub times: usize,
}

impl Repeat {
    /// The first turn.
    pub fn turn(&self) -> Range<usize> {
        self.first..self.first + self.steps
    }

    /// All turns.
    pub fn all(&self) -> Range<usize> {
        self.first..self.first + self.steps * self.times
    }
}

/// Comparisons, at most: very long sequences are folded where the turns are short.
const EFFORT: usize = 20_000_000;
/// What is told about a repetition takes a line itself: it must save more.
const LEAST_SAVED: usize = 2;

/// A part of the sequence that is one thing by now.
#[derive(Clone, Copy)]
struct Part {
    /// Equal parts have equal numbers.
    class: usize,
    from: usize,
    length: usize,
    /// Lines that it takes to tell it.
    lines: usize,
}

/// The repetitions in a sequence, in the order of their beginnings, outer ones first.
///
/// Short turns are folded first, so that a loop that is repeated with the loops in it is found as well.
pub fn fold<T: Eq + Hash>(sequence: &[T]) -> Vec<Repeat> {
    let mut numbers: HashMap<&T, usize> = HashMap::new();
    let mut parts: Vec<Part> = Vec::with_capacity(sequence.len());
    for (from, item) in sequence.iter().enumerate() {
        let next = numbers.len();
        parts.push(Part { class: *numbers.entry(item).or_insert(next), from, length: 1, lines: 1 });
    }
    let mut folded = Folding { classes: HashMap::new(), next: numbers.len(), repeats: Vec::new() };
    let mut period = 1;
    while period * 2 <= parts.len() && period.saturating_mul(sequence.len()) <= EFFORT {
        parts = folded.with_period(&parts, period);
        period += 1;
    }
    folded.repeats.sort_by_key(|repeat| (repeat.first, Reverse(repeat.steps)));
    folded.repeats
}

struct Folding {
    /// What is repeated how often, and the class of that.
    classes: HashMap<(Vec<usize>, usize), usize>,
    next: usize,
    repeats: Vec<Repeat>,
}

impl Folding {
    /// Folds all turns of so many parts.
    fn with_period(&mut self, parts: &[Part], period: usize) -> Vec<Part> {
        let mut out = Vec::with_capacity(parts.len());
        let mut at = 0;
        while at < parts.len() {
            let same = |from: &usize| parts[*from].class == parts[*from + period].class;
            let matching = (at..parts.len().saturating_sub(period)).take_while(same).count();
            let times = matching / period + 1;
            let turn = &parts[at..(at + period).min(parts.len())];
            let lines: usize = turn.iter().map(|part| part.lines).sum();
            if times < 2 || lines * (times - 1) < LEAST_SAVED {
                // What does not match cannot begin a turn that contains it either.
                let skipped = if matching < period { matching + 1 } else { 1 };
                out.extend_from_slice(&parts[at..(at + skipped).min(parts.len())]);
                at += skipped;
                continue;
            }
            out.push(self.repeated(turn, times, lines));
            at += period * times;
        }
        out
    }

    fn repeated(&mut self, turn: &[Part], times: usize, lines: usize) -> Part {
        let (first, steps) = (turn[0].from, turn.iter().map(|part| part.length).sum());
        let repeat = Repeat { first, steps, times };
        // What is inside of later turns is told with the first one.
        let later = first + steps..repeat.all().end;
        self.repeats.retain(|inner| !later.contains(&inner.first));
        self.repeats.push(repeat);
        let next = self.next;
        let key = (turn.iter().map(|part| part.class).collect(), times);
        let class = *self.classes.entry(key).or_insert(next);
        self.next += usize::from(class == next);
        Part { class, from: first, length: steps * times, lines: lines + 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `a(bc)3d`: what is told of a text.
    fn told(text: &str) -> String {
        let items: Vec<char> = text.chars().collect();
        let repeats = fold(&items);
        fn tell(items: &[char], repeats: &[Repeat], range: Range<usize>, out: &mut String) {
            let mut at = range.start;
            let mut repeats = repeats;
            while at < range.end {
                match repeats.iter().position(|repeat| repeat.first >= at) {
                    Some(next) if repeats[next].first == at => {
                        let repeat = repeats[next];
                        out.push('(');
                        tell(items, &repeats[next + 1..], repeat.turn(), out);
                        out.push_str(&format!("){}", repeat.times));
                        at = repeat.all().end;
                        repeats = &repeats[next + 1..];
                    }
                    _ => {
                        out.push(items[at]);
                        at += 1;
                    }
                }
            }
        }
        let mut out = String::new();
        tell(&items, &repeats, 0..items.len(), &mut out);
        out
    }

    /// What was told, in full.
    fn unfolded(told: &str) -> String {
        let mut stack: Vec<String> = vec![String::new()];
        let mut rest = told.chars().peekable();
        while let Some(c) = rest.next() {
            match c {
                '(' => stack.push(String::new()),
                ')' => {
                    let mut times = String::new();
                    while let Some(digit) = rest.next_if(char::is_ascii_digit) {
                        times.push(digit);
                    }
                    let turn = stack.pop().unwrap();
                    stack.last_mut().unwrap().push_str(&turn.repeat(times.parse().unwrap()));
                }
                c => stack.last_mut().unwrap().push(c),
            }
        }
        stack.pop().unwrap()
    }

    #[test]
    fn repetitions_are_told_once() {
        for (text, wanted) in [
            ("", ""),
            ("abc", "abc"),
            ("abcbcbcd", "a(bc)3d"),
            ("aaaa", "(a)4"),
            ("abbbabbb", "(a(b)3)2"),
            ("xabbbcabbbcy", "x(a(b)3c)2y"),
            ("abababcababababc", "(ab)3c(ab)4c"),
        ] {
            assert_eq!(told(text), wanted);
        }
    }

    #[test]
    fn what_saves_nothing_stays() {
        assert_eq!(told("aabb"), "aabb");
        assert_eq!(told("aabaab"), "(aab)2");
    }

    #[test]
    fn nothing_is_lost() {
        let mut seed = 7_u64;
        let mut folded = 0;
        for length in 0..400 {
            let letter = |_| {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                ['a', 'b', 'c'][(seed >> 33) as usize % 3]
            };
            let text: String = (0..length % 40).map(letter).collect();
            folded += usize::from(told(&text).contains('('));
            assert_eq!(unfolded(&told(&text)), text);
        }
        assert!(folded > 100, "{folded}");
    }

    #[test]
    fn long_sequences_take_no_time() {
        let long: Vec<usize> = (0..300_000).map(|at| if at % 3 == 0 { at % 7 } else { 8 }).collect();
        assert_eq!(fold(&long), [Repeat { first: 0, steps: 21, times: 14_285 }]);
        let different: Vec<usize> = (0..300_000).collect();
        assert!(fold(&different).is_empty());
    }
}
