//! A layered layout of a small directed graph: rows by distance from the first node, order within a row by the average place
//! of the neighbours in the rows beside it (Sugiyama, Tagawa and Toda 1981).
//!
//! As rows are distances, an edge leads to the next row, stays in its row, or leads back: none skips a row.

use std::collections::{BTreeMap, VecDeque};

/// Turns of reordering, each down and up: the order hardly changes after a few.
const TURNS: usize = 6;
/// Turns of moving nodes below their neighbours.
const STRAIGHTENING: usize = 12;

/// Place of a node: row and column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    pub row: usize,
    pub column: usize,
}

/// Places of all nodes that are shown, by number.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    pub cells: BTreeMap<u32, Cell>,
    pub rows: usize,
    pub columns: usize,
}

/// A graph that is laid out.
#[derive(Clone, Copy, Debug)]
pub struct Graph<'g> {
    pub first: u32,
    /// A node that comes last, however near it is.
    pub last: Option<u32>,
    /// From where to where. Nodes that cannot be reached are not shown.
    pub edges: &'g [(u32, u32)],
}

impl Graph<'_> {
    /// The distance of each node from the first one.
    fn distances(&self) -> BTreeMap<u32, usize> {
        let mut leaving: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (from, to) in self.edges {
            leaving.entry(*from).or_default().push(*to);
        }
        let mut depth: BTreeMap<u32, usize> = BTreeMap::from([(self.first, 0)]);
        let mut todo = VecDeque::from([self.first]);
        while let Some(node) = todo.pop_front() {
            let next = depth[&node] + 1;
            for to in leaving.get(&node).into_iter().flatten() {
                depth.entry(*to).or_insert_with(|| {
                    todo.push_back(*to);
                    next
                });
            }
        }
        let deepest = depth.iter().filter(|(node, _)| Some(**node) != self.last).map(|(_, row)| *row).max();
        if let Some(end) = self.last.and_then(|last| depth.get_mut(&last)) {
            *end = deepest.unwrap_or(0) + 1;
        }
        depth
    }

    /// Lays out the nodes that are `shown`; rows without any are left out.
    pub fn layout(&self, shown: impl Fn(u32) -> bool) -> Layout {
        let mut by_row: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
        for (node, row) in self.distances() {
            if shown(node) {
                by_row.entry(row).or_default().push(node);
            }
        }
        let mut rows: Vec<Vec<u32>> = by_row.into_values().collect();
        let row_of: BTreeMap<u32, usize> =
            rows.iter().enumerate().flat_map(|(row, nodes)| nodes.iter().map(move |node| (*node, row))).collect();
        let neighbours = self.neighbours(&row_of);
        let mut column: BTreeMap<u32, usize> = BTreeMap::new();
        let all = 0..rows.len();
        // First only what is above counts: nothing is known yet about what is below.
        all.clone().for_each(|row| reorder(&mut rows[row], &neighbours.above, &mut column));
        for _ in 0..TURNS {
            all.clone().rev().for_each(|row| reorder(&mut rows[row], &neighbours.below, &mut column));
            all.clone().for_each(|row| reorder(&mut rows[row], &neighbours.above, &mut column));
        }
        let cells = row_of.iter().map(|(node, row)| (*node, Cell { row: *row, column: column[node] })).collect();
        Layout { cells, rows: rows.len(), columns: rows.iter().map(Vec::len).max().unwrap_or(0) }
    }

    /// Where the nodes of a layout stand in their rows, at least 1 apart, as far as possible below and above their neighbours.
    /// The leftmost one stands at 0.
    pub fn straightened(&self, layout: &Layout) -> BTreeMap<u32, f64> {
        let row_of: BTreeMap<u32, usize> = layout.cells.iter().map(|(node, cell)| (*node, cell.row)).collect();
        let neighbours = self.neighbours(&row_of);
        let mut rows: Vec<Vec<u32>> = vec![Vec::new(); layout.rows];
        let mut nodes: Vec<(&u32, &Cell)> = layout.cells.iter().collect();
        nodes.sort_by_key(|(_, cell)| cell.column);
        nodes.into_iter().for_each(|(node, cell)| rows[cell.row].push(*node));
        let mut place: BTreeMap<u32, f64> = BTreeMap::new();
        for row in &rows {
            let left = -(row.len() as f64 - 1.0) / 2.0;
            place.extend(row.iter().zip(0..).map(|(node, column)| (*node, left + f64::from(column))));
        }
        for turn in 0..STRAIGHTENING {
            let (beside, order): (_, Vec<usize>) = match turn % 2 {
                0 => (&neighbours.below, (0..rows.len()).rev().collect()),
                _ => (&neighbours.above, (0..rows.len()).collect()),
            };
            for row in order {
                let wanted: Vec<f64> = rows[row]
                    .iter()
                    .map(|node| {
                        average(beside.get(node).into_iter().flatten().map(|n| place[n])).unwrap_or(place[node])
                    })
                    .collect();
                place.extend(rows[row].iter().copied().zip(apart(&wanted)));
            }
        }
        let leftmost = place.values().copied().fold(f64::INFINITY, f64::min);
        place.values_mut().for_each(|x| *x -= leftmost);
        place
    }

    fn neighbours(&self, row_of: &BTreeMap<u32, usize>) -> Neighbours {
        let mut found = Neighbours::default();
        for (from, to) in self.edges {
            let (Some(upper), Some(lower)) = (row_of.get(from), row_of.get(to)) else { continue };
            if upper < lower {
                found.above.entry(*to).or_default().push(*from);
                found.below.entry(*from).or_default().push(*to);
            }
        }
        found
    }
}

/// By node: those that its edges come from, and those that its edges lead down to.
#[derive(Default)]
struct Neighbours {
    above: BTreeMap<u32, Vec<u32>>,
    below: BTreeMap<u32, Vec<u32>>,
}

fn average(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, many) = values.fold((0.0, 0.0), |(sum, many), value| (sum + value, many + 1.0));
    (many > 0.0).then(|| sum / many)
}

/// Sorts a row by the average place of neighbours. Who has none stays where it is.
fn reorder(row: &mut [u32], beside: &BTreeMap<u32, Vec<u32>>, column: &mut BTreeMap<u32, usize>) {
    let mut order: Vec<(f64, u32)> = row
        .iter()
        .enumerate()
        .map(|(at, node)| {
            let places = beside.get(node).into_iter().flatten().filter_map(|n| column.get(n)).map(|n| *n as f64);
            (average(places).unwrap_or(at as f64), *node)
        })
        .collect();
    // Stable: among equals the order of before is as good as any.
    order.sort_by(|a, b| a.0.total_cmp(&b.0));
    for (at, (_, node)) in order.into_iter().enumerate() {
        row[at] = node;
        column.insert(node, at);
    }
}

/// Places in the same order as near as possible to the wanted ones (least squares), each at least 1 right of the one before:
/// neighbours that are too near to each other become a block, which stands at their average.
fn apart(wanted: &[f64]) -> Vec<f64> {
    // Where each would stand if the gaps were taken out: from left to right these must not fall.
    let mut blocks: Vec<(f64, usize)> = Vec::new();
    for (at, place) in wanted.iter().enumerate() {
        let mut block = (place - at as f64, 1);
        while let Some((sum, many)) = blocks.pop() {
            if sum / many as f64 <= block.0 / block.1 as f64 {
                blocks.push((sum, many));
                break;
            }
            block = (sum + block.0, many + block.1);
        }
        blocks.push(block);
    }
    let places = blocks.into_iter().flat_map(|(sum, many)| std::iter::repeat_n(sum / many as f64, many));
    places.enumerate().map(|(at, place)| place + at as f64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_distances_and_the_last_one_is_last() {
        let edges = [(1, 2), (1, 3), (2, 4), (3, 4), (4, 1), (1, 0), (8, 9)];
        let graph = Graph { first: 1, last: Some(0), edges: &edges };
        let layout = graph.layout(|_| true);
        let rows: Vec<(u32, usize)> = layout.cells.iter().map(|(node, cell)| (*node, cell.row)).collect();
        assert_eq!(rows, [(0, 3), (1, 0), (2, 1), (3, 1), (4, 2)]);
        assert_eq!((layout.rows, layout.columns), (4, 2));
        let fewer = graph.layout(|node| node == 1 || node == 4);
        assert_eq!((fewer.rows, fewer.cells[&4]), (2, Cell { row: 1, column: 0 }));
    }

    #[test]
    fn edges_that_can_do_without_do_not_cross() {
        // Two ladders whose second rungs were named in the wrong order.
        let edges = [(0, 1), (0, 2), (1, 4), (2, 3), (4, 6), (3, 5)];
        let layout = Graph { first: 0, last: None, edges: &edges }.layout(|_| true);
        let is_left = |a: u32, b: u32| layout.cells[&a].column < layout.cells[&b].column;
        assert_eq!(is_left(1, 2), is_left(4, 3));
        assert_eq!(is_left(4, 3), is_left(6, 5));
    }

    #[test]
    fn nodes_are_apart_and_chains_are_straight() {
        assert_eq!(apart(&[0.0, 0.0, 10.0]), [-0.5, 0.5, 10.0]);
        assert_eq!(apart(&[5.0, 0.0]), [2.0, 3.0]);
        let edges = [(0, 1), (0, 2), (1, 3), (2, 4)];
        let graph = Graph { first: 0, last: None, edges: &edges };
        let place = graph.straightened(&graph.layout(|_| true));
        assert_eq!((place[&1], place[&2]), (place[&3], place[&4]));
        assert!((place[&0] - 0.5).abs() < 1e-9 && (place[&1] - place[&2]).abs() >= 1.0);
    }
}
