//! The sliding tiles puzzle as a model written in Rust: `cargo run --release -p bughound-native --example sliding_tiles`.
//!
//! Eight tiles and a gap on a board of three by three. A tile beside the gap can be moved into it. Every tile is at least
//! its Manhattan distance away from home, and a move brings one tile one step nearer at most: a consistent estimate.

use bughound_native::{Checker, Property, RustModel};

const SIDE: usize = 3;
const CELLS: usize = SIDE * SIDE;

/// The tile in each cell; 0 is the gap, whose home is the first cell.
pub type Board = [u8; CELLS];

pub struct SlidingTiles {
    pub start: Board,
}

impl SlidingTiles {
    /// One of the two positions that are farthest from the solution.
    pub const HARDEST: SlidingTiles = SlidingTiles { start: [8, 0, 6, 5, 4, 7, 2, 3, 1] };
}

/// The direction in which a tile goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slide {
    Up,
    Down,
    Left,
    Right,
}

pub fn is_solved(_: &SlidingTiles, board: &Board) -> bool {
    board.iter().enumerate().all(|(cell, tile)| cell == usize::from(*tile))
}

/// The sum of all tiles' distances from home.
pub fn manhattan(_: &SlidingTiles, board: &Board) -> u64 {
    let distance = |(cell, tile): (usize, &u8)| {
        let home = usize::from(*tile);
        (cell / SIDE).abs_diff(home / SIDE) + (cell % SIDE).abs_diff(home % SIDE)
    };
    board.iter().enumerate().filter(|(_, tile)| **tile != 0).map(distance).sum::<usize>() as u64
}

impl RustModel for SlidingTiles {
    type State = Board;
    type Action = Slide;

    fn initial_states(&self) -> Vec<Board> {
        vec![self.start]
    }

    fn actions(&self, _: &Board, actions: &mut Vec<Slide>) {
        actions.extend([Slide::Up, Slide::Down, Slide::Left, Slide::Right]);
    }

    fn next_state(&self, board: &Board, slide: &Slide) -> Option<Board> {
        let gap = board.iter().position(|tile| *tile == 0)?;
        let from = match slide {
            Slide::Up => gap.checked_add(SIDE).filter(|cell| *cell < CELLS)?,
            Slide::Down => gap.checked_sub(SIDE)?,
            Slide::Left => (gap + 1).checked_rem(CELLS).filter(|cell| cell % SIDE != 0)?,
            Slide::Right => gap.checked_sub(1).filter(|cell| cell % SIDE != SIDE - 1)?,
        };
        let mut next = *board;
        next.swap(gap, from);
        Some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::sometimes("solved", is_solved).consistent_estimate(manhattan)]
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for search in ["bfs", "astar", "greedy"] {
        let report = Checker::new(&SlidingTiles::HARDEST).search(search).check()?;
        let Some(trace) = &report.answers[0].trace else { return Err("no solution".into()) };
        let shortest = if trace.proven_shortest { "shortest (proven)" } else { "not proven shortest" };
        println!("{search:<8}{:>8} states, {} moves, {shortest}", report.statistics.stored, trace.steps.len());
    }
    Ok(())
}
