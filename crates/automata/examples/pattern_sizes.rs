//! Sizes of the claims of all property patterns, beside those of SPIN where it is installed.
//!
//! `cargo run --release -p bughound-automata --example pattern_sizes`

#[path = "../tests/all/support/spin.rs"]
mod spin;

use std::time::{Duration, Instant};

use bughound_automata::{DEFAULT_LIMIT, parse, patterns, translate};

/// SPIN may take this long for a formula.
const PATIENCE: Duration = Duration::from_secs(20);

fn main() {
    let with_spin = spin::is_installed();
    if !with_spin {
        eprintln!("SPIN is not installed: no sizes to compare with");
    }
    println!("| pattern | scope | states | edges | SPIN states | SPIN edges | classes | ms |");
    println!("|---|---|---|---|---|---|---|---|");
    let (mut ours, mut theirs, mut all) = ((0, 0), (0, 0), (0, 0));
    for pattern in patterns::all() {
        let Ok((formula, names)) = parse(pattern.formula) else { continue };
        let negated = formula.negated();
        let started = Instant::now();
        let automaton = match translate(&negated, DEFAULT_LIMIT) {
            Ok(automaton) => automaton,
            Err(error) => {
                println!("| {} | {} | {error} |", pattern.name, pattern.scope);
                continue;
            }
        };
        let millis = started.elapsed().as_millis();
        let size = (automaton.states.len(), automaton.edge_count());
        let other = if with_spin { spin::claim_size(&negated, &names, PATIENCE) } else { None };
        all = (all.0 + size.0, all.1 + size.1);
        if let Some(other) = other {
            ours = (ours.0 + size.0, ours.1 + size.1);
            theirs = (theirs.0 + other.0, theirs.1 + other.1);
        }
        let (spin_states, spin_edges) =
            other.map_or(("–".to_string(), "–".to_string()), |(s, e)| (s.to_string(), e.to_string()));
        println!(
            "| {} | {} | {} | {} | {spin_states} | {spin_edges} | {} | {millis} |",
            pattern.name,
            pattern.scope,
            size.0,
            size.1,
            automaton.class_set()
        );
    }
    println!("\nAll patterns: {} states, {} edges.", all.0, all.1);
    if with_spin {
        println!(
            "Where SPIN has a claim as well: {} states, {} edges; SPIN {} states, {} edges.",
            ours.0, ours.1, theirs.0, theirs.1
        );
    }
}
