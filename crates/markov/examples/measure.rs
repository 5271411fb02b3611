//! How long things take: `measure` for models made here, `measure FILE.drn [!]LABEL [TIME]` for a file.

use std::time::Instant;

use bughound_markov::formats::read_drn;
use bughound_markov::{
    Answer, Builder, Effort, ExactLimits, Extreme, Failure, Kind, Model, Pool, RBig, StateSet, Steps, parse_number,
    until, until_steps, until_time,
};

fn report(what: &str, model: &Model, ask: impl Fn() -> Result<Answer, Failure>) {
    let start = Instant::now();
    let answer = ask().expect("an answer");
    let time = start.elapsed().as_secs_f64();
    let state = model.initial().next().unwrap_or(0);
    let value = match answer.values.exact(state) {
        Some(value) if value.to_string().len() < 60 => format!("{value} exactly"),
        Some(_) => format!("{} (exact)", answer.values.interval(state)),
        None => answer.values.interval(state).to_string(),
    };
    let per_sweep = match answer.work.sweeps {
        0 => String::new(),
        sweeps => format!(", {:.2} ns per entry and sweep", time * 1e9 / (sweeps as f64 * model.transitions() as f64)),
    };
    println!(
        "{what}: {} states, {} transitions: {value}, precise {}, {time:.3} s, {:?}{per_sweep}",
        model.states(),
        model.transitions(),
        answer.precise,
        answer.work
    );
}

/// A walk in a square that moves to a neighbour, falls into a hole with probability 1/1000 or gets home at a corner.
fn square(side: usize, kind: Kind) -> Model {
    let mut builder = Builder::new(kind);
    let (hole, home) = (side * side, side * side + 1);
    let fall = builder.number(&parse_number("0.001").unwrap());
    let number = |builder: &mut Builder, n: usize| {
        let share = parse_number("0.999").unwrap() / RBig::from(n);
        builder.number(&share)
    };
    let shares: Vec<_> = (1..=4).map(|n| number(&mut builder, n)).collect();
    for place in 0..side * side {
        builder.state();
        let (x, y) = (place % side, place / side);
        let mut next = Vec::new();
        if x > 0 {
            next.push(place - 1);
        }
        if x + 1 < side {
            next.push(place + 1);
        }
        if y > 0 {
            next.push(place - side);
        }
        if y + 1 < side {
            next.push(place + side);
        } else if x + 1 == side {
            next.push(home);
        }
        if kind == Kind::Mdp {
            // Along a row or along a column.
            for part in [&next[..next.len() / 2], &next[next.len() / 2..]] {
                builder.choice();
                builder.entry(hole, fall);
                part.iter().for_each(|&target| builder.entry(target, shares[part.len() - 1]));
            }
        } else {
            builder.entry(hole, fall);
            next.iter().for_each(|&target| builder.entry(target, shares[next.len() - 1]));
        }
    }
    for place in [hole, home] {
        builder.state();
        builder.entry(place, Pool::ONE);
    }
    builder.finish([side * side - 1 - side / 2]).expect("a model")
}

/// A chain without cycles in which every state has two ways on.
fn ladder(n: usize) -> Model {
    let mut builder = Builder::new(Kind::Dtmc);
    let (a, b) = (builder.number(&parse_number("0.3").unwrap()), builder.number(&parse_number("0.7").unwrap()));
    for place in 0..n {
        builder.state();
        if place + 2 < n {
            builder.entry(place + 1, a);
            builder.entry(place + 2, b);
        }
    }
    builder.finish([0]).expect("a model")
}

fn haddad_monmege(n: usize) -> Model {
    let mut builder = Builder::new(Kind::Dtmc);
    let half = builder.number(&parse_number("0.5").unwrap());
    let (p, rest) = (builder.number(&parse_number("0.7").unwrap()), builder.number(&parse_number("0.3").unwrap()));
    for state in 0..=2 * n {
        builder.state();
        if state == 0 {
            builder.entry(1, p);
            builder.entry(n + 1, rest);
        } else if state == n || state == 2 * n {
            builder.entry(state, Pool::ONE);
        } else {
            builder.entry(0, half);
            builder.entry(state + 1, half);
        }
    }
    builder.finish([0]).expect("a model")
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let near = Effort { exact: ExactLimits::NONE, ..Effort::default() };
    if let [file, label, rest @ ..] = words.as_slice() {
        let start = Instant::now();
        let read = read_drn(&std::fs::read_to_string(file).expect("a file")).expect("a model");
        println!("read in {:.3} s", start.elapsed().as_secs_f64());
        let right = match label.strip_prefix('!') {
            Some(label) => read.label(label).expect("a label").complement(),
            None => read.label(label).expect("a label"),
        };
        let model = &read.model;
        let all = StateSet::all(model.states());
        for extreme in [Extreme::Min, Extreme::Max] {
            report("exact if possible", model, || until(model, extreme, &all, &right, &Effort::default()));
            report("between", model, || until(model, extreme, &all, &right, &near));
        }
        if let [time] = rest {
            let time = parse_number(time).expect("a time");
            report("in time", model, || until_time(model, &all, &right, &RBig::ZERO, Some(&time), &near));
        }
        return;
    }
    for n in [20, 40] {
        let model = haddad_monmege(n);
        let (all, right) = (StateSet::all(2 * n + 1), StateSet::from_states(2 * n + 1, [n]));
        report("haddad-monmege", &model, || until(&model, Extreme::Max, &all, &right, &Effort::default()));
        report("haddad-monmege", &model, || until(&model, Extreme::Max, &all, &right, &near));
    }
    for (side, kind) in [(60, Kind::Dtmc), (150, Kind::Dtmc), (150, Kind::Mdp)] {
        let model = square(side, kind);
        let (all, right) = (StateSet::all(model.states()), StateSet::from_states(model.states(), [side * side + 1]));
        report(&format!("{kind:?} square"), &model, || until(&model, Extreme::Max, &all, &right, &near));
        if side <= 60 {
            report(&format!("{kind:?} square"), &model, || {
                until(&model, Extreme::Max, &all, &right, &Effort::default())
            });
        }
    }
    // One sweep backwards over a large model, many times.
    let model = square(500, Kind::Dtmc);
    let (all, right) = (StateSet::all(model.states()), StateSet::from_states(model.states(), [500 * 500 + 1]));
    let steps = Steps { from: 0, to: Some(50) };
    report("50 steps", &model, || until_steps(&model, Extreme::Max, &all, &right, steps, &near));
    for n in [20_000, 3_000_000] {
        let model = ladder(n);
        let (all, right) = (StateSet::all(n), StateSet::from_states(n, [n - 1]));
        report("ladder", &model, || until(&model, Extreme::Max, &all, &right, &Effort::default()));
    }
}
