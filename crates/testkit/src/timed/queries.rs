//! Queries about a timed model as text, at random.

use crate::random_promela::Rng;
use crate::timed::models::{LARGEST_VALUE, TimedModel};

/// The kinds of queries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Possibly,
    Always,
    NoDeadlock,
    /// A condition that speaks about deadlocks among other things.
    WithDeadlock,
    Eventually,
    PossiblyAlways,
    LeadsTo,
    Extremes,
}

/// A query as it is written, and its kind.
#[derive(Clone, Debug)]
pub struct TimedQuery {
    pub kind: Kind,
    pub text: String,
}

/// Queries of each kind.
pub fn random(rng: &mut Rng, model: &TimedModel) -> Vec<TimedQuery> {
    let kinds = [
        Kind::Possibly,
        Kind::Possibly,
        Kind::Always,
        Kind::NoDeadlock,
        Kind::WithDeadlock,
        Kind::Eventually,
        Kind::PossiblyAlways,
        Kind::LeadsTo,
        Kind::Extremes,
    ];
    let mut queries: Vec<TimedQuery> = Vec::new();
    for kind in kinds {
        let text = text(rng, model, kind);
        // Properties go by their texts.
        if queries.iter().all(|query| query.text != text) {
            queries.push(TimedQuery { kind, text });
        }
    }
    queries
}

fn text(rng: &mut Rng, model: &TimedModel, kind: Kind) -> String {
    match kind {
        Kind::Possibly => format!("E<> {}", conjunction(rng, model)),
        // Mostly something that seldom happens does not.
        Kind::Always if rng.chance(60) => format!("A[] not ({})", conjunction(rng, model)),
        Kind::Always => format!("A[] {}", condition(rng, model, 2)),
        Kind::NoDeadlock => "A[] not deadlock".into(),
        Kind::WithDeadlock => match rng.below(3) {
            0 => format!("E<> deadlock and {}", atom(rng, model)),
            1 => format!("A[] (deadlock imply {})", atom(rng, model)),
            _ => format!("E<> (not deadlock) and {}", conjunction(rng, model)),
        },
        Kind::Eventually => format!("A<> {}", condition(rng, model, 2)),
        Kind::PossiblyAlways => format!("E[] {}", condition(rng, model, 2)),
        Kind::LeadsTo => format!("{} --> {}", conjunction(rng, model), condition(rng, model, 1)),
        Kind::Extremes => {
            let (word, of) = (*rng.pick(&["sup", "inf"]), quantity(rng, model));
            match rng.chance(60) {
                true => format!("{word}{{{}}}: {of}", conjunction(rng, model)),
                false => format!("{word}: {of}"),
            }
        }
    }
}

fn quantity(rng: &mut Rng, model: &TimedModel) -> String {
    match model.variables.is_empty() || rng.chance(60) {
        true => rng.pick(&model.clocks).clone(),
        false => rng.pick(&model.variables).clone(),
    }
}

/// Something that seldom is the case.
fn conjunction(rng: &mut Rng, model: &TimedModel) -> String {
    let parts: Vec<String> = (0..rng.range(1, 3)).map(|_| atom(rng, model)).collect();
    parts.join(" and ")
}

fn condition(rng: &mut Rng, model: &TimedModel, depth: usize) -> String {
    if depth == 0 || rng.chance(40) {
        return atom(rng, model);
    }
    let mut part = || format!("({})", condition(rng, model, depth - 1));
    let (a, b) = (part(), part());
    match rng.below(5) {
        0 => format!("not {a}"),
        1 => format!("{a} imply {b}"),
        2 => format!("{a} and {b}"),
        _ => format!("{a} or {b}"),
    }
}

fn atom(rng: &mut Rng, model: &TimedModel) -> String {
    match rng.below(10) {
        0..5 => rng.pick(&model.locations).clone(),
        5 | 6 if !model.variables.is_empty() => {
            let relation = *rng.pick(&["==", "!=", ">="]);
            format!("{} {relation} {}", rng.pick(&model.variables), rng.range(0, LARGEST_VALUE))
        }
        _ => {
            let relation = *rng.pick(&["<", "<=", "==", ">=", ">"]);
            let units = rng.range(0, 5).min(model.style.largest_asked);
            format!("{} {relation} {}", rng.pick(&model.clocks), model.style.time(units))
        }
    }
}
