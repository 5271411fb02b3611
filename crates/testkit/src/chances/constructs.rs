//! Which constructs a random model with its questions uses, for a table of how often each and each pair occurs.

use std::collections::{BTreeMap, BTreeSet};

use crate::chances::asking::Asking;
use crate::chances::comparison::{MOST_STATES, QUERIES, made};
use crate::chances::meaning::Meaning;
use crate::chances::oracle::Oracle;
use crate::chances::space::Space;

/// A construct, and how one sees it in the text of a model and its questions.
type Construct = (&'static str, fn(&str) -> bool);

/// The kinds of models; a model has one.
const KINDS: usize = 3;

pub const CONSTRUCTS: [Construct; 48] = [
    ("dtmc", |text| text.starts_with("dtmc") || text.starts_with("probabilistic")),
    ("ctmc", |text| text.starts_with("ctmc") || text.starts_with("stochastic")),
    ("mdp", |text| ["mdp", "nondeterministic", " //"].iter().any(|word| text.starts_with(word))),
    ("constant", |text| text.contains("const ")),
    ("given constant", |text| text.contains("N;\n") || text.contains("p;\n") || text.contains("yes;\n")),
    ("formula", |text| text.contains("formula ")),
    ("global", |text| text.contains("global ")),
    ("bool", |text| text.contains(": bool")),
    ("negative range", |text| text.contains("[-1..1]")),
    ("unbounded int", |text| text.contains(": int")),
    ("two modules", |text| text.contains("module m2")),
    ("three modules", |text| text.contains("module m3")),
    ("copied module", |text| text.contains("= m1 [")),
    ("action", |text| text.contains("  [a]") || text.contains("  [b]") || text.contains("  [go]")),
    ("init block", |text| text.contains("endinit")),
    ("system", |text| text.contains("endsystem")),
    ("hiding", |text| text.contains(" / {")),
    ("renaming in system", |text| text.contains("<-")),
    ("interleaving", |text| text.contains("|||")),
    ("parallel on actions", |text| text.contains("]|")),
    ("swap", |text| text.contains("(x1'=y1) & (y1'=x1)") || text.contains("(x2'=y2) & (y2'=x2)")),
    ("fraction as a chance", |text| text.contains("1/3 : ")),
    ("chance of the state", |text| text.contains("1-x") || text.contains("1/(1+")),
    ("conditional", |text| text.contains(" ? ")),
    ("chance 0", |text| text.contains("0 : ")),
    ("mod", |text| text.contains("mod(") || text.contains("(mod,")),
    ("min, max", |text| text.contains("min(") || text.contains("max(")),
    ("floor, ceil, round", |text| ["floor(", "ceil(", "round("].iter().any(|word| text.contains(word))),
    ("power", |text| text.contains('^') || text.contains("pow(")),
    ("log", |text| text.contains("log(") || text.contains("(log,")),
    ("old call", |text| text.contains("func(")),
    ("rewards", |text| text.contains("rewards")),
    ("rewards without name", |text| text.contains("rewards\n")),
    ("reward of silent steps", |text| {
        text.split("rewards").any(|part| part.contains("\n  [] ") && !part.contains("->"))
    }),
    ("label", |text| text.contains("label ")),
    ("F", |text| text.contains("[ F")),
    ("U", |text| text.contains(" U")),
    ("G", |text| text.contains("[ G")),
    ("X", |text| text.contains("[ X")),
    ("W, R", |text| text.contains(" W") || text.contains(") R")),
    ("bounds", |text| {
        text.contains("<=1 (") || text.contains("<=2 (") || text.contains("<=3 (") || text.contains("<=1/2 (")
    }),
    ("interval of time", |text| ["F[", "G[", "U["].iter().any(|word| text.contains(word))),
    ("bound on a reward", |text| ["Frew", "Grew", "Urew"].iter().any(|word| text.contains(word))),
    ("R F", |text| text.contains("[ F (")),
    ("R C, I, S", |text| text.contains("[ C") || text.contains("[ I=") || text.contains("[ S ")),
    ("S", |text| text.contains("S=? ") || text.contains("Smin=? ") || text.contains("Smax=? ")),
    ("filter", |text| text.contains("filter(")),
    ("nested bound", |text| text.lines().any(|line| line.starts_with("\"q") && line.matches(" [ ").count() > 1)),
];

/// The text of the model of a seed with its questions.
fn text(seed: u64) -> String {
    let (mut rng, random) = made(seed);
    let mut text = random.model.to_string();
    let Ok(meaning) = Meaning::new(&random.model) else { return text };
    let Ok(space) = Space::new(&meaning, MOST_STATES) else { return text };
    let oracle = Oracle { meaning: &meaning, space: &space };
    for query in (Asking { rng: &mut rng, words: &random.words, oracle: &oracle }).queries(QUERIES) {
        text += &format!("{query}\n");
    }
    text
}

/// How many models of these seeds contain each construct, and each pair.
pub fn table(seeds: std::ops::Range<u64>) -> BTreeMap<(&'static str, &'static str), usize> {
    let mut counts = BTreeMap::new();
    crate::seeds::in_parallel(seeds, text, |_, text| {
        let found: BTreeSet<&str> =
            CONSTRUCTS.iter().filter(|(_, is_in)| is_in(&text)).map(|(name, _)| *name).collect();
        for a in &found {
            for b in found.iter().filter(|b| *b >= a) {
                *counts.entry((*a, *b)).or_insert(0) += 1;
            }
        }
    });
    counts
}

/// Pairs that cannot be: a model has one kind, and what renames or hides needs a system of two modules at least.
fn excludes(a: usize, b: usize) -> bool {
    let name = |at: usize| CONSTRUCTS[at].0;
    let pair = [name(a), name(b)];
    (a != b && a < KINDS && b < KINDS)
        || (pair.contains(&"unbounded int") && pair.contains(&"init block"))
        || (pair.contains(&"bound on a reward") && pair.contains(&"ctmc"))
}

/// Pairs that never occur in models of these seeds.
pub fn missing(seeds: std::ops::Range<u64>) -> Vec<String> {
    let counts = table(seeds);
    let mut missing = Vec::new();
    for (at, (a, _)) in CONSTRUCTS.iter().enumerate() {
        for (other, (b, _)) in CONSTRUCTS.iter().enumerate().skip(at) {
            if !counts.contains_key(&(*a.min(b), *a.max(b))) && !excludes(at, other) {
                missing.push(format!("{a}, {b}"));
            }
        }
    }
    missing
}
