//! Targets of a process, the nearest first: an estimate that is a minimum over many targets can stop early.

use bughound_finite::cost::{Cost, INFINITE, plus};

use crate::distances::{LocalDistances, Node};

/// A place for a process to get to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    pub node: Node,
    /// Added to the distance.
    pub extra: Cost,
    /// The caller's number.
    pub number: u32,
}

/// The targets of every class of processes; rows are computed when they are first asked for.
pub struct NearestFirst {
    targets: Vec<Vec<Target>>,
    rows: Vec<Vec<Option<Row>>>,
}

/// Distance with the extra cost, and number of a target; ascending.
type Row = Box<[(Cost, u32)]>;

impl NearestFirst {
    pub fn new(distances: &LocalDistances, targets: Vec<Vec<Target>>) -> NearestFirst {
        let rows = distances.classes.iter().map(|class| vec![None; class.nodes()]).collect();
        NearestFirst { targets, rows }
    }

    /// What a process of a class can get to from a node. Targets out of reach are missing.
    #[inline]
    pub fn row(&mut self, distances: &LocalDistances, class: usize, node: Node) -> &[(Cost, u32)] {
        let targets = &self.targets[class];
        self.rows[class][node].get_or_insert_with(|| {
            let reach = distances.classes[class].from(node);
            let costs = targets.iter().map(|target| (plus(reach[target.node], target.extra), target.number));
            let mut row: Vec<_> = costs.filter(|(cost, _)| *cost < INFINITE).collect();
            row.sort_unstable();
            row.into()
        })
    }

    /// Bytes used.
    pub fn memory(&self) -> u64 {
        let rows = self.rows.iter().flatten().flatten();
        rows.map(|row| size_of_val(&row[..])).sum::<usize>() as u64
    }
}
