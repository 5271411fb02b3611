//! Comparison with SPIN: sizes of claims, and whether it understands ours. Skipped where SPIN is not installed.

use std::process::Command;
use std::time::Duration;

use bughound_automata::{DEFAULT_LIMIT, parse, patterns, translate};

use crate::support::spin;

/// Patterns for which SPIN is quick. It takes minutes for some others, and does not know "next" unless it was built to.
const BASIC: &[&str] = &["absence", "universality", "existence", "precedence", "response"];

/// The claims of the basic patterns together are not larger than SPIN's, and none of them has more states.
#[test]
fn claims_are_no_larger_than_those_of_spin() {
    if !spin::is_installed() {
        println!("skipped: SPIN is not installed");
        return;
    }
    let (mut ours, mut theirs, mut compared) = ((0, 0), (0, 0), 0);
    for pattern in patterns::all().iter().filter(|pattern| BASIC.contains(&pattern.name)) {
        let (formula, names) = parse(pattern.formula).unwrap();
        let negated = formula.negated();
        let Some(other) = spin::claim_size(&negated, &names, Duration::from_secs(20)) else {
            println!("{} {}: no claim from SPIN", pattern.name, pattern.scope);
            continue;
        };
        let automaton = translate(&negated, DEFAULT_LIMIT).unwrap();
        let size = (automaton.states.len(), automaton.edge_count());
        println!("{} {}: {size:?}, SPIN {other:?}", pattern.name, pattern.scope);
        assert!(size.0 <= other.0, "{} {}: {size:?}, SPIN {other:?}", pattern.name, pattern.scope);
        ours = (ours.0 + size.0, ours.1 + size.1);
        theirs = (theirs.0 + other.0, theirs.1 + other.1);
        compared += 1;
    }
    println!("{compared} claims: {ours:?} states and edges, SPIN {theirs:?}");
    assert!(compared >= 20, "SPIN gave only {compared} claims");
    assert!(ours.0 <= theirs.0 && ours.1 <= theirs.1, "{ours:?}, SPIN {theirs:?}");
}

/// SPIN compiles models with our claims, whatever the formula.
#[test]
fn spin_reads_our_claims() {
    if !spin::is_installed() {
        println!("skipped: SPIN is not installed");
        return;
    }
    let directory = std::env::temp_dir().join(format!("bughound-automata-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let mut texts: Vec<String> =
        ["true", "false", "p", "[]p", "<>p && X false", "X (p U q)", "[]<>p && []<>q && <>[]r"]
            .map(String::from)
            .to_vec();
    texts.extend(patterns::all().iter().map(|pattern| format!("!({})", pattern.formula)));
    for (number, text) in texts.iter().enumerate() {
        let (formula, names) = parse(text).unwrap();
        let claim = translate(&formula, DEFAULT_LIMIT).unwrap().never_claim(&names, &format!("{text} */ /*"));
        let model = format!("bool p, q, r, s, t, z;\nactive proctype P() {{ do :: p = !p od }}\n{claim}");
        let file = directory.join(format!("claim{number}.pml"));
        std::fs::write(&file, model).unwrap();
        let output = Command::new("spin").arg("-a").arg(&file).current_dir(&directory).output().unwrap();
        let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success() && !said.to_lowercase().contains("error"), "{text}: {said}\n{claim}");
    }
    let _ = std::fs::remove_dir_all(&directory);
}
