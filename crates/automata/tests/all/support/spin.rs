//! The real SPIN, where it is installed.

use std::io::Read;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use bughound_automata::Formula;

pub fn is_installed() -> bool {
    Command::new("spin").arg("-V").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

/// SPIN's translator for single formulas does not know weak until; its language parser replaces it like this.
fn without_weak_until(formula: &Formula) -> Formula {
    let f = |a: &Formula| Box::new(without_weak_until(a));
    let all = |parts: &[Formula]| parts.iter().map(without_weak_until).collect();
    match formula {
        Formula::True | Formula::False | Formula::Atom(_) => formula.clone(),
        Formula::Not(a) => Formula::Not(f(a)),
        Formula::Next(a) => Formula::Next(f(a)),
        Formula::Eventually(a) => Formula::Eventually(f(a)),
        Formula::Always(a) => Formula::Always(f(a)),
        Formula::And(parts) => Formula::And(all(parts)),
        Formula::Or(parts) => Formula::Or(all(parts)),
        Formula::Implies(a, b) => Formula::Implies(f(a), f(b)),
        Formula::Equivalent(a, b) => Formula::Equivalent(f(a), f(b)),
        Formula::Until(a, b) => Formula::Until(f(a), f(b)),
        Formula::Release(a, b) => Formula::Release(f(a), f(b)),
        Formula::WeakUntil(a, b) => without_weak_until(a).always().or(Formula::Until(f(a), f(b))),
    }
}

/// States and edges of SPIN's never claim; `None` if SPIN does not get it done in time, or cannot read the formula.
pub fn claim_size(formula: &Formula, names: &[String], patience: Duration) -> Option<(usize, usize)> {
    let text = without_weak_until(formula).text(names);
    let started = Instant::now();
    let mut child =
        Command::new("spin").args(["-f", &text]).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().ok()?;
    let mut stdout = child.stdout.take()?;
    // Reading ends when the child does, or is ended.
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        let _ = stdout.read_to_string(&mut text);
        text
    });
    let status = loop {
        if let Some(status) = child.try_wait().ok()? {
            break Some(status);
        }
        if started.elapsed() > patience {
            let _ = child.kill();
            let _ = child.wait();
            break None;
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let claim = reader.join().ok()?;
    if !status?.success() {
        return None;
    }
    let lines = || claim.lines().map(str::trim);
    // The implied loop of `accept_all: skip` counts as an edge, as it does for our own automata.
    let ends = lines().filter(|line| *line == "skip").count();
    let states = lines().filter(|line| *line == "do" || *line == "false;").count() + ends;
    let edges = lines().filter(|line| line.starts_with("::")).count() + ends;
    (states > 0).then_some((states, edges))
}
