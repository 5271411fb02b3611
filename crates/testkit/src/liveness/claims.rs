//! Random never claims, and their decision by following them through the graph.

use std::collections::HashMap;
use std::fmt;

use crate::liveness::components::{Arc, Product};
use crate::liveness::graph::{Graph, Letter};
use crate::liveness::tableau::Runs;
use crate::random_promela::Rng;

/// When a move is possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Guard {
    True,
    Atom(usize),
    /// No move before it is possible.
    Else,
}

/// Where a move leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    State(usize),
    /// Past the last statement of the claim.
    End,
}

/// A never claim: at every state of a run, the initial one included, it makes one of its moves.
#[derive(Clone, Debug)]
pub struct RandomClaim {
    accepting: Vec<bool>,
    moves: Vec<Vec<(Guard, Target)>>,
}

impl RandomClaim {
    /// A claim over so many atoms.
    pub fn random(rng: &mut Rng, atoms: usize) -> RandomClaim {
        if rng.chance(50) { RandomClaim::ring(rng, atoms) } else { RandomClaim::any(rng, atoms) }
    }

    /// A ring that waits for one atom after the other, and sometimes falls back. It has no choice, and accepts in one
    /// place only: so cycles are long, and what makes them accepting is met once on the way.
    fn ring(rng: &mut Rng, atoms: usize) -> RandomClaim {
        let states = rng.range(2, 4);
        let mut moves = Vec::new();
        for state in 0..states {
            let mut own = vec![(Guard::Atom(rng.below(atoms)), Target::State((state + 1) % states))];
            if rng.chance(20) {
                own.push((Guard::Atom(rng.below(atoms)), Target::State(rng.below(states))));
            }
            own.push((Guard::Else, Target::State(if rng.chance(85) { state } else { rng.below(states) })));
            moves.push(own);
        }
        let accepting = rng.below(states);
        // Whoever waits in the accepting state for ever is accepted, which is easy: so it is mostly left at once.
        if rng.chance(70) {
            moves[accepting] = vec![(Guard::True, Target::State((accepting + 1) % states))];
        }
        RandomClaim { accepting: (0..states).map(|state| state == accepting).collect(), moves }
    }

    fn any(rng: &mut Rng, atoms: usize) -> RandomClaim {
        let states = rng.weighted(&[(2, 1), (4, 2), (4, 3), (2, 4)]);
        let ends = rng.chance(25);
        let mut moves = Vec::new();
        for state in 0..states {
            let mut own: Vec<(Guard, Target)> = Vec::new();
            for _ in 0..rng.range(1, 3) {
                let guard = if rng.chance(20) { Guard::True } else { Guard::Atom(rng.below(atoms)) };
                own.push((guard, Target::State(rng.below(states))));
            }
            if rng.chance(20) {
                own.push((Guard::Else, Target::State(rng.below(states))));
            }
            if ends && state + 1 == states {
                own.insert(0, (Guard::Atom(rng.below(atoms)), Target::End));
            }
            moves.push(own);
        }
        let accepting = (0..states).map(|_| rng.chance(35)).collect();
        RandomClaim { accepting, moves }
    }

    /// Its text in Promela.
    pub fn text<'a>(&'a self, atoms: &'a [String]) -> impl fmt::Display + 'a {
        Text { claim: self, atoms }
    }

    /// Does some run bring the claim to its end, or through accepting states for ever? Letters, by state, say which atoms
    /// hold. A guard without a value ends the claim.
    pub fn is_violated(&self, graph: &Graph<'_>, letters: &[Letter], runs: Runs) -> bool {
        let arcs = graph.arcs_with_rest(runs.rest);
        let mut product = Product { conditions: 1, ..Product::default() };
        let mut numbers: HashMap<(usize, usize), usize> = HashMap::new();
        let mut nodes: Vec<(usize, usize)> = Vec::new();
        let mut ended = false;
        let mut number = |nodes: &mut Vec<_>, state: usize, claim: Target| match claim {
            Target::End => {
                ended = true;
                None
            }
            Target::State(claim) => Some(*numbers.entry((state, claim)).or_insert_with(|| {
                nodes.push((state, claim));
                nodes.len() - 1
            })),
        };
        for target in self.targets(0, letters[0]) {
            number(&mut nodes, 0, target);
        }
        while product.arcs.len() < nodes.len() {
            let (state, claim) = nodes[product.arcs.len()];
            let mut found = Vec::new();
            for arc in &arcs[state] {
                for target in self.targets(claim, letters[arc.to]) {
                    found.extend(number(&mut nodes, arc.to, target).map(|to| Arc { to, moved: arc.moved }));
                }
            }
            product.arcs.push(found);
            product.unable.push(graph.unable[state]);
            product.fulfils.push(u64::from(self.accepting[claim]));
        }
        ended || product.has_run(if runs.fair { graph.processes } else { 0 })
    }

    fn targets(&self, from: usize, letter: Letter) -> Vec<Target> {
        let mut found = Vec::new();
        for (guard, target) in &self.moves[from] {
            let possible = match guard {
                Guard::True => true,
                Guard::Atom(n) if letter.undefined >> n & 1 == 1 => {
                    found.push(Target::End);
                    continue;
                }
                Guard::Atom(n) => letter.holds >> n & 1 == 1,
                Guard::Else => found.is_empty(),
            };
            if possible {
                found.push(*target);
            }
        }
        found
    }
}

struct Text<'a> {
    claim: &'a RandomClaim,
    atoms: &'a [String],
}

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let claim = self.claim;
        let label =
            |state: usize| if claim.accepting[state] { format!("accept_S{state}") } else { format!("S{state}") };
        writeln!(f, "never {{")?;
        for (state, moves) in claim.moves.iter().enumerate() {
            let is_last = state + 1 == claim.moves.len();
            // Whether moves stand in `if` or in `do` makes a difference only for those that lead nowhere else.
            let (open, close) = if state % 2 == 0 || is_last { ("if", "fi") } else { ("do", "od") };
            writeln!(f, "{}:\n  {open}", label(state))?;
            for (guard, target) in moves {
                let guard = match guard {
                    Guard::True => "true".to_string(),
                    Guard::Atom(n) => format!("({})", self.atoms[*n]),
                    Guard::Else => "else".to_string(),
                };
                match target {
                    Target::State(to) if *to == state && open == "do" => writeln!(f, "  :: {guard}")?,
                    Target::State(to) => writeln!(f, "  :: {guard} -> goto {}", label(*to))?,
                    // Only the last state has such a move: it falls through.
                    Target::End => writeln!(f, "  :: {guard}")?,
                }
            }
            writeln!(f, "  {close}{}", if is_last { "" } else { ";" })?;
        }
        writeln!(f, "}}")
    }
}
