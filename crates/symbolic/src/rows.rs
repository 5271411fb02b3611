//! Between sets and single states: sets made of rows of bits, rows taken out of sets.

use std::collections::HashSet;

use oxidd::util::Ref;
use oxidd::{BooleanFunction, Function, HasLevel, Manager, Node, NodeID, VarNo};

use crate::diagrams::{Computed, Diagrams, Set};

/// Values of some variables, packed so that rows sort as their bits do.
pub(crate) type Row = Box<[u64]>;

type ManagerOf<'id> = <Set as Function>::Manager<'id>;
type EdgeOf<'id> = <ManagerOf<'id> as Manager>::Edge;

pub(crate) fn pack(bits: impl ExactSizeIterator<Item = bool>) -> Row {
    let mut row = vec![0; bits.len().div_ceil(64)].into_boxed_slice();
    for (at, _) in bits.enumerate().filter(|(_, bit)| *bit) {
        row[at / 64] |= 1 << (63 - at % 64);
    }
    row
}

pub(crate) fn bit(row: &[u64], at: usize) -> bool {
    row[at / 64] >> (63 - at % 64) & 1 == 1
}

/// The set of these rows: values of these variables, which are in the order of the diagrams.
pub(crate) fn set_of(diagrams: &Diagrams, variables: &[VarNo], rows: &mut Vec<Row>) -> Computed<Set> {
    rows.sort_unstable();
    rows.dedup();
    build(diagrams, variables, rows, 0)
}

fn build(diagrams: &Diagrams, variables: &[VarNo], rows: &[Row], at: usize) -> Computed<Set> {
    if rows.is_empty() {
        return Ok(diagrams.empty());
    }
    let Some(variable) = variables.get(at) else { return Ok(diagrams.full()) };
    let (zeros, ones) = rows.split_at(rows.partition_point(|row| !bit(row, at)));
    let zeros = build(diagrams, variables, zeros, at + 1)?;
    let ones = build(diagrams, variables, ones, at + 1)?;
    Ok(diagrams.choice(*variable, &ones, &zeros)?)
}

/// Rows of a set that looks at these variables only, all of them or the first `most`.
pub(crate) fn rows_of(diagrams: &Diagrams, set: &Set, variables: &[VarNo], most: usize) -> Vec<Row> {
    let mut walk = Walk { variables, row: pack(std::iter::repeat_n(false, variables.len())), found: Vec::new(), most };
    let empty = diagrams.empty();
    set.with_manager_shared(|manager, edge| walk.go(manager, edge, empty.as_edge(manager), 0));
    walk.found
}

struct Walk<'v> {
    variables: &'v [VarNo],
    row: Row,
    found: Vec<Row>,
    most: usize,
}

impl Walk<'_> {
    fn go<'id>(&mut self, manager: &ManagerOf<'id>, set: Ref<'_, EdgeOf<'id>>, empty: Ref<'_, EdgeOf<'id>>, at: usize) {
        if set == empty || self.found.len() >= self.most {
            return;
        }
        let Some(variable) = self.variables.get(at) else {
            self.found.push(self.row.clone());
            return;
        };
        let (ones, zeros) = split(manager, set, *variable);
        self.go(manager, zeros, empty, at + 1);
        self.row[at / 64] |= 1 << (63 - at % 64);
        self.go(manager, ones, empty, at + 1);
        self.row[at / 64] &= !(1 << (63 - at % 64));
    }
}

/// The parts of a set in which the variable, which is no later than the first that the set looks at, is true and false.
fn split<'a, 'id>(
    manager: &'a ManagerOf<'id>,
    set: Ref<'a, EdgeOf<'id>>,
    variable: VarNo,
) -> (Ref<'a, EdgeOf<'id>>, Ref<'a, EdgeOf<'id>>) {
    match manager.get_node(set) {
        Node::Inner(node) if node.level() == manager.var_to_level(variable) => {
            Set::cofactors_edge(manager, set).unwrap_or((set, set))
        }
        Node::Inner(_) | Node::Terminal(_) => (set, set),
    }
}

/// Some state of a set, as a row of all bits, that has these values where they are given. `likes` says which value of a bit is
/// tried first elsewhere.
pub(crate) fn member(
    diagrams: &Diagrams,
    set: &Set,
    given: &[Option<bool>],
    likes: &dyn Fn(usize) -> bool,
) -> Option<Vec<bool>> {
    let mut row = Vec::with_capacity(given.len());
    let empty = diagrams.empty();
    let found = set.with_manager_shared(|manager, edge| {
        let mut looking = Looking { given, likes, row: &mut row, failed: HashSet::new() };
        looking.go(manager, edge, empty.as_edge(manager))
    });
    found.then_some(row)
}

struct Looking<'g> {
    given: &'g [Option<bool>],
    likes: &'g dyn Fn(usize) -> bool,
    row: &'g mut Vec<bool>,
    /// Parts in which there is none.
    failed: HashSet<(NodeID, bool)>,
}

impl Looking<'_> {
    fn go<'id>(&mut self, manager: &ManagerOf<'id>, set: Ref<'_, EdgeOf<'id>>, empty: Ref<'_, EdgeOf<'id>>) -> bool {
        let at = self.row.len();
        if set == empty {
            return false;
        }
        let Some(given) = self.given.get(at) else { return true };
        let (ones, zeros) = split(manager, set, Diagrams::before(at as u32));
        let is_inner = ones != zeros;
        let name = (set.node_id(), set.tag() == Default::default());
        if is_inner && self.failed.contains(&name) {
            return false;
        }
        let first = (self.likes)(at);
        for value in [first, !first] {
            if given.is_some_and(|given| given != value) || (value != first && !is_inner && given.is_none()) {
                continue;
            }
            let part = if value { ones } else { zeros };
            self.row.push(value);
            if self.go(manager, part, empty) {
                return true;
            }
            self.row.pop();
        }
        if is_inner {
            self.failed.insert(name);
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bughound_diagrams::Room;
    use bughound_kernel::Random;

    #[test]
    fn rows_go_in_and_come_out() {
        let mut random = Random::new(7);
        for round in 0..200 {
            let bits = 1 + round % 7;
            let diagrams = Diagrams::new(bits as u32, Room::of_nodes(1 << 12)).unwrap();
            let variables: Vec<VarNo> = (0..bits as u32).map(Diagrams::before).collect();
            let some: Vec<u64> = (0..1_u64 << bits).filter(|_| random.below(3) == 0).collect();
            let row = |number: u64| pack((0..bits).map(|at| number >> at & 1 == 1).collect::<Vec<_>>().into_iter());
            let mut rows: Vec<Row> = some.iter().chain(&some).map(|number| row(*number)).collect();
            let set = set_of(&diagrams, &variables, &mut rows).unwrap();
            assert_eq!(rows_of(&diagrams, &set, &variables, usize::MAX), rows);
            assert_eq!(diagrams.count(&set), dashu_int::UBig::from(some.len()));
            for _ in 0..10 {
                let given: Vec<Option<bool>> =
                    (0..bits).map(|_| (random.below(2) == 0).then(|| random.below(2) == 0)).collect();
                let fits = |number: &u64| {
                    given.iter().enumerate().all(|(at, g)| g.is_none_or(|g| g == (number >> at & 1 == 1)))
                };
                let wanted = random.below(1 << bits);
                let found = member(&diagrams, &set, &given, &|at| wanted >> at & 1 == 1);
                assert_eq!(found.is_some(), some.iter().any(&fits));
                if let Some(found) = found {
                    let number = found.iter().enumerate().fold(0, |n, (at, bit)| n | u64::from(*bit) << at);
                    assert!(some.contains(&number) && fits(&number));
                }
            }
        }
    }
}
