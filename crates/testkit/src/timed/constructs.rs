//! Which constructs a random timed model uses, for a table of how often each and each pair occurs.

use std::collections::{BTreeMap, BTreeSet};

use crate::timed::comparison::made;
use crate::timed::models::TimedModel;
use crate::timed::queries::TimedQuery;

/// A construct, and how one sees it in the text of a model and its queries.
type Construct = (&'static str, fn(&str, &TimedModel) -> bool);

pub const CONSTRUCTS: [Construct; 27] = [
    ("unit 1", |_, model| model.style.unit == 1),
    ("unit 1000", |_, model| model.style.unit == 1000),
    ("constants below the limit", |_, model| model.style.unit == (1 << 26) / 5),
    ("constants at the limit", |_, model| model.style.unit == 1 << 24),
    ("hidden names, functions", |text, _| text.contains("get_v()")),
    ("select", |text, _| text.contains("select")),
    ("select hides a name", |text, _| text.contains("select v")),
    ("invariant", |text, _| text.lines().any(|line| line.trim().starts_with("state") && line.contains('{'))),
    ("invariant on data", |text, _| text.contains("<= 2 }") && (text.contains("v <=") || text.contains("() <= 2"))),
    ("strict bound", |text, _| text.contains(" < ") || text.contains(" > ")),
    ("equality with a clock", |text, model| model.clocks.iter().any(|clock| text.contains(&format!("{clock} == ")))),
    ("disjunction", |text, _| text.contains(" || ")),
    ("negated constraint", |text, _| text.contains("!(")),
    ("committed location", |text, _| text.contains("commit ")),
    ("urgent location", |text, _| text.contains("urgent ") && text.lines().any(|l| l.trim().starts_with("urgent "))),
    ("handshake", |text, _| text.contains("sync meet")),
    ("broadcast sent", |text, _| text.contains("sync tell!")),
    ("broadcast received by the clock", |text, _| heard_by_the_clock(text)),
    ("urgent channel", |text, _| text.contains("sync now")),
    ("urgent broadcast", |text, _| text.contains("sync all")),
    ("constant", |text, _| text.contains("const int K")),
    ("parameter", |text, _| text.contains("const int n")),
    ("clock parameter", |text, _| text.contains("clock &own")),
    ("local clock", |text, _| text.contains("    clock z;")),
    ("clock set to a value", |text, _| text.contains(":= ") && set_to_a_value(text)),
    ("variable bound", |text, _| ["v", "w", "get_v()", "get_w()"].iter().any(|name| bounds_a_clock(text, name))),
    ("error", |text, _| text.contains(" / ") || text.contains("v + 1;") || text.contains("+ 1 }") || adds_one(text)),
];

fn heard_by_the_clock(text: &str) -> bool {
    let edges = text.split("->").filter(|edge| edge.contains("sync tell?"));
    edges.into_iter().any(|edge| ["x ", "y ", "z ", "own "].iter().any(|clock| edge.contains(clock)))
}

fn set_to_a_value(text: &str) -> bool {
    ["x", "y", "z", "own"].iter().any(|clock| {
        let set = format!("{clock} := ");
        text.split(set.as_str()).skip(1).any(|value| !value.starts_with('0'))
    })
}

fn bounds_a_clock(text: &str, name: &str) -> bool {
    ["<", "<=", "==", ">=", ">"]
        .iter()
        .any(|relation| ["x", "y", "z", "own"].iter().any(|clock| text.contains(&format!("{clock} {relation} {name}"))))
}

fn adds_one(text: &str) -> bool {
    ["v := v + 1", "w := w + 1", "set_v(get_v() + 1)", "set_w(get_w() + 1)"].iter().any(|part| text.contains(part))
}

/// How many models of these seeds contain each construct, and each pair.
pub fn table(seeds: std::ops::Range<u64>) -> BTreeMap<(&'static str, &'static str), usize> {
    let mut counts = BTreeMap::new();
    for seed in seeds {
        let (_, model, queries): (_, TimedModel, Vec<TimedQuery>) = made(seed, |style| style);
        let texts: Vec<&str> = queries.iter().map(|query| query.text.as_str()).collect();
        let whole = format!("{}\n{}", model.text, texts.join("\n"));
        let found: BTreeSet<&str> =
            CONSTRUCTS.iter().filter(|(_, is_in)| is_in(&whole, &model)).map(|(name, _)| *name).collect();
        for a in &found {
            for b in found.iter().filter(|b| *b >= a) {
                *counts.entry((*a, *b)).or_insert(0) += 1;
            }
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A model has one unit.
    fn excludes(a: &str, b: &str) -> bool {
        let unit = |name: &str| name.starts_with("unit 1") || name.starts_with("constants ");
        a != b && unit(a) && unit(b)
    }

    #[test]
    fn every_construct_and_every_pair_occurs() {
        let counts = table(0..20_000);
        let mut missing = Vec::new();
        for (at, (a, _)) in CONSTRUCTS.iter().enumerate() {
            for (b, _) in &CONSTRUCTS[at..] {
                let count = counts.get(&(*a.min(b), *a.max(b))).copied().unwrap_or(0);
                println!("{count:>7}  {a}, {b}");
                if count == 0 && !excludes(a, b) {
                    missing.push(format!("{a}, {b}"));
                }
            }
        }
        assert!(missing.is_empty(), "never together: {missing:#?}");
    }
}
