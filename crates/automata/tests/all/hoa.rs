//! Automata in the HOA format: out and in again, and from other acceptance conditions.

use crate::support::{cases, formulas, many_words};
use bughound_automata::{Buchi, DEFAULT_LIMIT, Word, hoa, parse, translate};
use proptest::prelude::*;

proptest! {
    #![proptest_config(cases(500))]

    #[test]
    fn what_is_written_is_read(formula in formulas()) {
        let automaton = translate(&formula, DEFAULT_LIMIT).unwrap();
        let names: Vec<String> = (0..automaton.atoms).map(|i| format!("x \"{i}\" \\ y")).collect();
        let text = hoa::write(&automaton, &names, &formula.to_string());
        let read = hoa::read(&text).unwrap_or_else(|error| panic!("{error} in\n{text}"));
        prop_assert_eq!(read.name, Some(formula.to_string()));
        prop_assert_eq!(read.atoms, names);
        prop_assert_eq!(read.automaton, automaton);
    }

    /// Deterministic automata with any condition, against what one run of them says.
    #[test]
    fn all_conditions_become_buchi(machine in machines()) {
        let text = machine.text();
        let automaton = hoa::read(&text).unwrap_or_else(|error| panic!("{error} in\n{text}")).automaton;
        for stem in 0..4u128 {
            for (cycle, seed) in (1..6usize).zip(0..) {
                let letters = |n: usize, salt: u128| (0..n as u128).map(|i| (i * 7 + salt * 3 + seed) >> 1 & 1).collect();
                let (stem, cycle): (Vec<u128>, Vec<u128>) = (letters(stem as usize, stem), letters(cycle, stem + 1));
                let expected = machine.accepts(&stem, &cycle);
                let word = Word::new(stem, cycle).unwrap();
                prop_assert_eq!(automaton.accepts(&word), expected, "{:?} on\n{}", word, text);
            }
        }
    }

    #[test]
    fn no_text_panics(text in "(HOA: v1|--BODY--|--END--|State: |AP: 1 \"a\"|Acceptance: 1 Inf\\(0\\)|[\\[\\]{}()!&|0-9tf@a-z:\" \n-]){0,30}") {
        let _ = hoa::read(&text);
    }
}

#[derive(Clone, Debug)]
enum Condition {
    Inf(usize, bool),
    Fin(usize, bool),
    And(Box<Condition>, Box<Condition>),
    Or(Box<Condition>, Box<Condition>),
}

impl Condition {
    fn text(&self) -> String {
        let sign = |complement: &bool| if *complement { "!" } else { "" };
        match self {
            Condition::Inf(set, complement) => format!("Inf({}{set})", sign(complement)),
            Condition::Fin(set, complement) => format!("Fin({}{set})", sign(complement)),
            Condition::And(a, b) => format!("({} & {})", a.text(), b.text()),
            Condition::Or(a, b) => format!("({} | {})", a.text(), b.text()),
        }
    }

    /// Whether it holds if edges with these sets are seen infinitely often.
    fn holds(&self, seen: &[usize]) -> bool {
        let meets = |set: usize, complement: bool| seen.iter().any(|sets| (sets >> set & 1 == 1) != complement);
        match self {
            Condition::Inf(set, complement) => meets(*set, *complement),
            Condition::Fin(set, complement) => !meets(*set, *complement),
            Condition::And(a, b) => a.holds(seen) && b.holds(seen),
            Condition::Or(a, b) => a.holds(seen) || b.holds(seen),
        }
    }
}

const SETS: usize = 3;

/// A complete deterministic automaton over one atom: for every state, target and sets for both letters.
#[derive(Clone, Debug)]
struct Machine {
    states: Vec<[(usize, usize); 2]>,
    condition: Condition,
}

impl Machine {
    fn text(&self) -> String {
        let mut text = format!("HOA: v1 Start: 0 AP: 1 \"a\" Acceptance: {SETS} {} --BODY--\n", self.condition.text());
        for (number, edges) in self.states.iter().enumerate() {
            text += &format!("State: {number}\n");
            for (to, sets) in edges {
                let list: Vec<String> = (0..SETS).filter(|s| sets >> s & 1 == 1).map(|s| s.to_string()).collect();
                text += &format!("  {to} {{{}}}\n", list.join(" "));
            }
        }
        text + "--END--\n"
    }

    fn accepts(&self, stem: &[u128], cycle: &[u128]) -> bool {
        let mut state = stem.iter().fold(0, |state, letter| self.states[state][*letter as usize].0);
        // After as many rounds as there are states the run repeats; then as many rounds show all that it repeats.
        let mut seen = Vec::new();
        for round in 0..2 * self.states.len() {
            for letter in cycle {
                let (to, sets) = self.states[state][*letter as usize];
                if round >= self.states.len() {
                    seen.push(sets);
                }
                state = to;
            }
        }
        self.condition.holds(&seen)
    }
}

fn machines() -> impl Strategy<Value = Machine> {
    let leaf = prop_oneof![
        (0..SETS, any::<bool>()).prop_map(|(set, complement)| Condition::Inf(set, complement)),
        (0..SETS, any::<bool>()).prop_map(|(set, complement)| Condition::Fin(set, complement)),
    ];
    let condition = leaf.prop_recursive(3, 6, 2, |inner| {
        let two = (inner.clone(), inner);
        prop_oneof![
            two.clone().prop_map(|(a, b)| Condition::And(Box::new(a), Box::new(b))),
            two.prop_map(|(a, b)| Condition::Or(Box::new(a), Box::new(b))),
        ]
    });
    (1..5usize, condition).prop_flat_map(|(n, condition)| {
        let edge = || (0..n, 0..1usize << SETS);
        let states = prop::collection::vec((edge(), edge()).prop_map(|(a, b)| [a, b]), n);
        states.prop_map(move |states| Machine { states, condition: condition.clone() })
    })
}

/// The automaton means the formula.
fn same(text: &str, formula: &str) -> Buchi {
    let read = hoa::read(text).unwrap_or_else(|error| panic!("{error} in\n{text}"));
    let (formula, names) = parse(formula).unwrap();
    assert!(read.atoms.starts_with(&names), "{:?}, {names:?}", read.atoms);
    for word in many_words(300, 3) {
        assert_eq!(read.automaton.accepts(&word), word.satisfies(&formula), "{formula} on {word:?}\n{text}");
    }
    read.automaton
}

#[test]
fn the_format_is_understood() {
    // Comments, aliases, names of states, headers that may be ignored, two initial states, an incomplete automaton.
    same(
        "HOA: v1 /* a comment /* in a comment */ */ tool: \"x\" \"1\" States: 3 Start: 0 Start: 2\n\
         AP: 2 \"a\" \"b\" Alias: @both 0&1 Alias: @none !(0|1)\n\
         acc-name: Buchi Acceptance: 1 Inf(0) properties: state-acc\n\
         --BODY-- State: 0 \"start\" [@both] 1 State: 1 {0} [t] 1 State: 2 [!@both & @none] 1 --END--",
        "(a && b) || (!a && !b)",
    );
    // A label on the state, acceptance on edges, generalised.
    same(
        "HOA: v1 Start: 0 AP: 2 \"a\" \"b\" acc-name: generalized-Buchi 2 Acceptance: 2 Inf(0)&Inf(1)\n\
         --BODY-- State: 0 [0&1] 0 {0 1} [0&!1] 0 {0} [!0&1] 0 {1} [!0&!1] 0 --END--",
        "[]<>a && []<>b",
    );
    // Everything that can be run for ever is accepted.
    same("HOA: v1 Start: 0 AP: 1 \"a\" acc-name: all Acceptance: 0 t --BODY-- State: [0] 0 0 --END--", "[]a");
    same("HOA: v1 Start: 0 AP: 1 \"a\" acc-name: none Acceptance: 0 f --BODY-- State: [0] 0 0 --END--", "a && !a");
    same("HOA: v1 AP: 1 \"a\" Acceptance: 0 t --BODY-- State: [0] 0 0 --END--", "a && !a");
    // Co-Büchi with letters instead of labels.
    same(
        "HOA: v1 Start: 0 AP: 1 \"a\" acc-name: co-Buchi Acceptance: 1 Fin(0) --BODY-- State: 0 0 {0} 0 --END--",
        "<>[]a",
    );
    // The first automaton was aborted.
    same(
        "HOA: v1 Start: 0 --ABORT-- HOA: v1 Start: 0 AP: 1 \"a\" Acceptance: 0 t --BODY-- State: 0 [0] 0 --END-- HOA:",
        "[]a",
    );
}

#[test]
fn mistakes_are_located() {
    let head = "HOA: v1\nStart: 0\nAP: 1 \"a\"\nAcceptance: 1 Inf(0)\n--BODY--\n";
    for (text, line, column, part) in [
        ("", 1, 1, "HOA: v1"),
        ("HOA: v2", 1, 6, "version"),
        ("HOA: v1 --BODY--", 1, 17, "Acceptance"),
        (&format!("{head}State: 0\n[1] 0\n--END--"), 7, 2, "no atom 1"),
        (&format!("{head}State: 0\n[0] 0 {{1}}\n--END--"), 7, 8, "no acceptance set 1"),
        (&format!("{head}State: 0\n[0] 0&0\n--END--"), 7, 6, "alternating"),
        (&format!("{head}State: 0\nState: 0\n--END--"), 7, 1, "twice"),
        (&format!("{head}State: 0\n0\n--END--"), 6, 1, "one edge per letter"),
        (&format!("{head}State: 0\n[0 0\n--END--"), 7, 4, "missing"),
        (&format!("{head}State: 0\n[0] 0\n"), 8, 1, "--END--"),
        ("HOA: v1\nStates: 1\nStart: 3 Acceptance: 0 t\n--BODY----END--", 4, 1, "not known"),
        ("HOA: v1\nStates: 1\nStart: 3 Acceptance: 0 t\n--BODY--\n--END--", 3, 1, "no state 3"),
        ("HOA: v1\nFancy: 1", 2, 1, "Fancy"),
        ("HOA: v1 Start: 0 --ABORT--", 1, 18, "aborted"),
        ("HOA: v1 /* x", 1, 9, "comment"),
        ("HOA: v1 name: \"x", 1, 15, "text"),
    ] {
        let error = hoa::read(text).unwrap_err();
        assert!(error.message.contains(part), "{error} for\n{text}");
        assert_eq!((error.line, error.column), (line, column), "{error} for\n{text}");
    }
}
