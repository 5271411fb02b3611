//! Two bits for each state.

use crate::trouble::{Trouble, reserve};

/// What a nested depth-first search knows of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    /// Not seen.
    White,
    /// On the path of the outer walk.
    Cyan,
    /// The outer walk has left it.
    Blue,
    /// An inner walk has seen it, after that.
    Red,
}

const COLOURS: [Colour; 4] = [Colour::White, Colour::Cyan, Colour::Blue, Colour::Red];
const IN_WORD: u64 = 32;

#[derive(Debug)]
pub struct Colours(Vec<u64>);

impl Colours {
    pub fn bytes(states: u64) -> u64 {
        states.div_ceil(IN_WORD) * 8
    }

    /// All are white.
    pub fn new(states: u64) -> Result<Self, Trouble> {
        let words = usize::try_from(states.div_ceil(IN_WORD)).map_err(|_| Trouble::Memory)?;
        let mut colours = Vec::new();
        reserve(&mut colours, words)?;
        colours.resize(words, 0);
        Ok(Colours(colours))
    }

    #[inline]
    pub fn get(&self, state: u64) -> Colour {
        COLOURS[(self.0[(state / IN_WORD) as usize] >> (state % IN_WORD * 2) & 3) as usize]
    }

    #[inline]
    pub fn set(&mut self, state: u64, colour: Colour) {
        let (word, shift) = (&mut self.0[(state / IN_WORD) as usize], state % IN_WORD * 2);
        *word = *word & !(3 << shift) | (colour as u64) << shift;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_keep_their_colours() {
        let mut colours = Colours::new(100).unwrap();
        for state in 0..100 {
            colours.set(state, COLOURS[state as usize % 4]);
        }
        for state in (0..100).step_by(3) {
            colours.set(state, Colour::Cyan);
        }
        for state in 0..100 {
            let wanted = if state % 3 == 0 { Colour::Cyan } else { COLOURS[state as usize % 4] };
            assert_eq!(colours.get(state), wanted);
        }
        assert_eq!(Colours::bytes(100), 32);
    }
}
