//! A layered layout of a small automaton: rows by distance from the initial location, order within a row by the average
//! place of the neighbours in the row above.

use std::collections::{BTreeMap, VecDeque};

use super::automaton::ProcessType;

/// Place of a node: row and column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    pub row: usize,
    pub column: usize,
}

/// Places of all locations, by number; 0 is the end of the process.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    pub cells: BTreeMap<u32, Cell>,
    pub rows: usize,
    pub columns: usize,
}

/// Lays out an automaton.
pub fn layout(process: &ProcessType) -> Layout {
    let mut depth: BTreeMap<u32, usize> = BTreeMap::from([(process.initial, 0)]);
    let mut todo = VecDeque::from([process.initial]);
    while let Some(number) = todo.pop_front() {
        let next = depth[&number] + 1;
        for edge in process.edges.iter().filter(|e| e.from == number) {
            depth.entry(edge.to).or_insert_with(|| {
                todo.push_back(edge.to);
                next
            });
        }
    }
    // The end of the process comes last.
    let deepest = depth.iter().filter(|(number, _)| **number != 0).map(|(_, row)| *row).max().unwrap_or(0);
    if let Some(end) = depth.get_mut(&0) {
        *end = deepest + 1;
    }
    let mut rows: Vec<Vec<u32>> = vec![Vec::new(); depth.values().max().map_or(0, |d| d + 1)];
    for (number, row) in &depth {
        rows[*row].push(*number);
    }
    let mut column: BTreeMap<u32, usize> = BTreeMap::new();
    for row in &mut rows {
        let place = |number: &u32| -> u64 {
            let above: Vec<usize> =
                process.edges.iter().filter(|e| e.to == *number).filter_map(|e| column.get(&e.from).copied()).collect();
            if above.is_empty() { 0 } else { (above.iter().sum::<usize>() * 1000 / above.len()) as u64 }
        };
        let mut order: Vec<(u64, u32)> = row.iter().map(|number| (place(number), *number)).collect();
        order.sort_unstable();
        *row = order.into_iter().map(|(_, number)| number).collect();
        column.extend(row.iter().enumerate().map(|(at, number)| (*number, at)));
    }
    let cells = depth.iter().map(|(number, row)| (*number, Cell { row: *row, column: column[number] })).collect();
    Layout { cells, rows: rows.len(), columns: rows.iter().map(Vec::len).max().unwrap_or(0) }
}
