//! Merging of states by delayed simulation.
//!
//! Paper: Etessami, Wilke, Schuller 2001, "Fair simulation relations, parity games, and state space reduction for Büchi
//! automata". The simulating state need not be accepting at the same time as the other: it is enough if it is a little
//! later. Unlike fair simulation this may be used to merge states. It sees that a state that is passed once need not be
//! accepting, and merges it with an accepting one of the same moves.

use super::graph::Graph;

/// The game is played on all pairs of states, for all letters over the atoms that occur.
const MOST_STATES: usize = 60;
const MOST_ATOMS: u32 = 6;

/// A position of the game: who is simulated, who simulates, and whether the latter still owes an accepting state.
struct Game {
    /// Successors by state and letter.
    moves: Vec<Vec<Vec<usize>>>,
    accepting: Vec<bool>,
}

impl Game {
    fn index(&self, s: usize, t: usize, owes: bool) -> usize {
        (s * self.moves.len() + t) * 2 + usize::from(owes)
    }

    /// What is owed on arrival.
    fn owes(&self, s: usize, t: usize, before: bool) -> bool {
        !self.accepting[t] && (before || self.accepting[s])
    }

    /// Whether each move can be answered with one that leads to a good position: one of `settled` if nothing is owed
    /// there, one of `soon` otherwise.
    fn answers(&self, s: usize, t: usize, owes: bool, settled: &[bool], soon: &[bool]) -> bool {
        let good = |s: usize, t: usize| {
            let owes = self.owes(s, t, owes);
            let position = self.index(s, t, owes);
            if owes { soon[position] } else { settled[position] }
        };
        self.moves[s]
            .iter()
            .zip(&self.moves[t])
            .all(|(moves, answers)| moves.iter().all(|next| answers.iter().any(|answer| good(*next, *answer))))
    }

    /// The positions from which debts can be paid again and again.
    fn winning(&self) -> Vec<bool> {
        let n = self.moves.len();
        let mut settled = vec![true; n * n * 2];
        loop {
            let mut soon = vec![false; n * n * 2];
            loop {
                let mut grown = false;
                for s in 0..n {
                    for t in 0..n {
                        for owes in [false, true] {
                            let position = self.index(s, t, owes);
                            if !soon[position] && self.answers(s, t, owes, &settled, &soon) {
                                soon[position] = true;
                                grown = true;
                            }
                        }
                    }
                }
                if !grown {
                    break;
                }
            }
            if soon == settled {
                return settled;
            }
            settled = soon;
        }
    }
}

impl Graph {
    /// For a Büchi automaton with its mark on states.
    pub fn merge_delayed(&mut self) {
        let atoms = self.states.iter().flat_map(|node| &node.arcs).fold(0, |all, arc| all | arc.label.atoms());
        if self.states.len() > MOST_STATES || atoms.count_ones() > MOST_ATOMS {
            return;
        }
        let used: Vec<u32> = (0..u128::BITS).filter(|bit| atoms >> bit & 1 == 1).collect();
        let letter = |n: u128| used.iter().enumerate().fold(0, |set, (i, bit)| set | (n >> i & 1) << bit);
        let letters: Vec<u128> = (0..1u128 << used.len()).map(letter).collect();
        let moves = self.states.iter().map(|node| {
            let on = |letter: &u128| node.arcs.iter().filter(|a| a.label.holds(*letter)).map(|a| a.to).collect();
            letters.iter().map(on).collect()
        });
        let accepting = self.states.iter().map(|node| node.marks != 0).collect();
        let game = Game { moves: moves.collect(), accepting };
        let winning = game.winning();
        let n = self.states.len();
        let wins = |s: usize, t: usize| winning[game.index(s, t, game.owes(s, t, false))];
        let relation: Vec<Vec<bool>> = (0..n).map(|s| (0..n).map(|t| s == t || wins(s, t)).collect()).collect();
        self.merge(&relation, true);
    }
}
