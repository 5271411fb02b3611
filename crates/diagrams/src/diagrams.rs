//! Sets of states as binary decision diagrams: what of OxiDD the searches use, with its memory under control.
//!
//! Every bit of a state has two variables next to each other: one for its value before a step, one for the value after it. A
//! manager has room for a fixed number of nodes. When many have been made since the last time, those that nobody holds are
//! collected; if there is no room even so, this is a result like others ([`NoRoom`]).

use std::cell::Cell;

use dashu_int::UBig;
use oxidd::bcdd::{BCDDFunction, BCDDManagerRef};
use oxidd::error::OutOfMemory;
use oxidd::util::SatCountCache;
use oxidd::{
    BooleanFunction, BooleanFunctionQuant, BooleanOperator, Function, FunctionSubst, HasLevel, Manager, ManagerRef,
    Node, Subst, VarNo,
};

/// A set of states, or of pairs of states.
pub type Set = BCDDFunction;

/// There is no room for the result, even without what nobody needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoRoom;

impl From<OutOfMemory> for NoRoom {
    fn from(_: OutOfMemory) -> NoRoom {
        NoRoom
    }
}

/// More bits than operations can go down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManyBits;

type Computed<T> = Result<T, NoRoom>;

/// Bytes that a node takes, with its place in the table of all nodes.
const NODE_BYTES: u64 = 28;
/// Bytes that an entry of the table of known results takes.
const RESULT_BYTES: u64 = 28;
/// Without a limit on memory.
const USUAL_BUDGET: u64 = 4 << 30;
/// No collection before so many nodes are there.
const FEW_NODES: usize = 1 << 18;
const MOST_RESULTS: u64 = 1 << 22;
/// What diagrams may take.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    nodes: u64,
    /// Results that are remembered, so as not to be computed again.
    results: u64,
}

impl Room {
    /// In so many bytes, of which a search has most.
    pub fn of_search(budget: Option<u64>) -> Room {
        // The rest is for relations under construction, for counting and for the model.
        let bytes = available(budget.unwrap_or(USUAL_BUDGET) / 10 * 7);
        let results = (bytes / 4 / RESULT_BYTES).clamp(1 << 10, MOST_RESULTS);
        let nodes = (bytes.saturating_sub(results * RESULT_BYTES) / NODE_BYTES).clamp(1 << 10, 1 << 30);
        Room { nodes, results }
    }

    /// For so many nodes, where the system has as much memory.
    pub fn of_nodes(nodes: u64) -> Room {
        let bytes = |nodes: u64| nodes.saturating_mul(NODE_BYTES + RESULT_BYTES / 2);
        let nodes = (available(bytes(nodes)) / bytes(1)).clamp(1 << 10, 1 << 30);
        Room { nodes, results: (nodes / 2).min(MOST_RESULTS) }
    }
}

pub struct Diagrams {
    manager: BCDDManagerRef,
    bits: u32,
    results: u64,
    collect_at: Cell<usize>,
    peak: Cell<usize>,
    capacity: usize,
    empty: Set,
    full: Set,
}

impl Diagrams {
    /// Operations call themselves once for each variable: with more bits, the stack might not suffice.
    pub const MOST_BITS: u32 = 6_000;

    /// For states of so many bits.
    pub fn new(bits: u32, room: Room) -> Result<Diagrams, TooManyBits> {
        if bits > Diagrams::MOST_BITS {
            return Err(TooManyBits);
        }
        let Room { nodes, results } = room;
        let manager = oxidd::bcdd::new_manager(nodes as usize, results as usize, 1);
        manager.with_manager_exclusive(|manager| manager.add_vars(2 * bits));
        let (empty, full) = manager.with_manager_shared(|m| (Set::f(m), Set::t(m)));
        let (collect_at, peak) = (Cell::new(FEW_NODES), Cell::new(0));
        Ok(Diagrams { manager, bits, results, collect_at, peak, capacity: nodes as usize, empty, full })
    }

    pub fn empty(&self) -> Set {
        self.empty.clone()
    }

    pub fn full(&self) -> Set {
        self.full.clone()
    }

    pub fn is_empty(&self, set: &Set) -> bool {
        *set == self.empty
    }

    /// The variable of a bit before a step.
    pub fn before(bit: u32) -> VarNo {
        2 * bit
    }

    /// The variable of a bit after a step.
    pub fn after(bit: u32) -> VarNo {
        2 * bit + 1
    }

    /// The first variable that a set looks at.
    pub fn top(&self, set: &Set) -> Option<VarNo> {
        set.with_manager_shared(|manager, edge| match manager.get_node(edge) {
            Node::Inner(node) => Some(manager.level_to_var(node.level())),
            Node::Terminal(_) => None,
        })
    }

    /// What a set is where the first variable that it looks at is false, and where it is true.
    pub fn parts(&self, set: &Set) -> [Set; 2] {
        match set.cofactors() {
            Some((ones, zeros)) => [zeros, ones],
            None => [set.clone(), set.clone()],
        }
    }

    pub fn variable(&self, variable: VarNo) -> Computed<Set> {
        self.attempt(|| self.manager.with_manager_shared(|m| Set::var(m, variable)))
    }

    /// The conjunction of variables, which stands for the set of them.
    pub fn variables(&self, variables: impl DoubleEndedIterator<Item = VarNo>) -> Computed<Set> {
        let mut all = self.full();
        for variable in variables.rev() {
            all = self.and(&self.variable(variable)?, &all)?;
        }
        Ok(all)
    }

    pub fn and(&self, a: &Set, b: &Set) -> Computed<Set> {
        self.attempt(|| a.and(b))
    }

    pub fn or(&self, a: &Set, b: &Set) -> Computed<Set> {
        self.attempt(|| a.or(b))
    }

    /// What is in `a` and not in `b`.
    pub fn without(&self, a: &Set, b: &Set) -> Computed<Set> {
        self.attempt(|| b.imp_strict(a))
    }

    /// `a` where the variable is true, else `b`; both depend on later variables only.
    pub fn choice(&self, variable: VarNo, a: &Set, b: &Set) -> Computed<Set> {
        let variable = self.variable(variable)?;
        self.attempt(|| variable.ite(a, b))
    }

    /// What `a` and `b` have in common, whatever the value of these variables.
    pub fn and_exists(&self, a: &Set, b: &Set, variables: &Set) -> Computed<Set> {
        self.attempt(|| a.apply_exists(BooleanOperator::And, b, variables))
    }

    pub fn renamed(&self, set: &Set, names: &Renaming) -> Computed<Set> {
        if names.is_nothing {
            return Ok(set.clone());
        }
        self.attempt(|| set.substitute(&names.names))
    }

    /// Puts the second variable of each pair in place of the first.
    pub fn renaming(&self, pairs: &[(VarNo, VarNo)]) -> Computed<Renaming> {
        let to = pairs.iter().map(|(_, to)| self.variable(*to)).collect::<Computed<Vec<Set>>>()?;
        Ok(Renaming {
            is_nothing: pairs.is_empty(),
            names: Subst::new(pairs.iter().map(|(from, _)| *from).collect(), to),
        })
    }

    /// How many states a set has. It must not look at values after a step.
    pub fn count(&self, set: &Set) -> UBig {
        let mut cache: SatCountCache<Count, std::collections::hash_map::RandomState> = SatCountCache::default();
        set.sat_count(2 * self.bits, &mut cache).0 >> self.bits as usize
    }

    /// Is the state with these bits in the set?
    pub fn contains(&self, set: &Set, bit: impl Fn(u32) -> bool) -> bool {
        set.eval((0..self.bits).map(|at| (Diagrams::before(at), bit(at))))
    }

    pub fn nodes(&self, set: &Set) -> u64 {
        set.node_count() as u64
    }

    /// Nodes there are, some of which nobody needs.
    pub fn all_nodes(&self) -> u64 {
        self.manager.with_manager_shared(|m| m.approx_num_inner_nodes()) as u64
    }

    /// The most nodes that there ever were.
    pub fn peak_nodes(&self) -> u64 {
        self.all_nodes().max(self.peak.get() as u64)
    }

    /// The bytes of all nodes that there ever were at once: what was taken is not given back.
    pub fn memory(&self) -> u64 {
        self.peak_nodes() * NODE_BYTES + self.results * RESULT_BYTES
    }

    /// Computes; once more after a collection if there is no room.
    fn attempt(&self, compute: impl Fn() -> Result<Set, OutOfMemory>) -> Computed<Set> {
        let nodes = self.all_nodes() as usize;
        self.peak.set(self.peak.get().max(nodes));
        if nodes > self.collect_at.get() {
            self.collect();
        }
        match compute() {
            Ok(set) => Ok(set),
            Err(OutOfMemory) => {
                self.peak.set(self.capacity);
                self.collect();
                Ok(compute()?)
            }
        }
    }

    /// So many results may be remembered elsewhere: an eighth of the room for diagrams.
    pub fn room_for_results(&self) -> usize {
        (self.results / 4).clamp(1 << 10, 1 << 20) as usize
    }

    /// Is it time to let go of what can be computed again?
    pub fn is_crowded(&self) -> bool {
        self.all_nodes() as usize > self.collect_at.get()
    }

    fn collect(&self) {
        self.manager.with_manager_shared(|m| m.gc());
        let left = self.manager.with_manager_shared(|m| m.num_inner_nodes());
        self.collect_at.set((2 * left).max(FEW_NODES));
    }
}

/// So many bytes, or fewer if the system does not give as many: a manager takes its room at once, and must not fail.
fn available(bytes: u64) -> u64 {
    let mut bytes = bytes;
    while bytes > 1 << 20 && Vec::<u8>::new().try_reserve_exact(bytes as usize).is_err() {
        bytes /= 2;
    }
    bytes
}

/// Variables that take the place of others.
pub struct Renaming {
    is_nothing: bool,
    names: Subst<Set>,
}

/// A number of states.
#[derive(Clone)]
struct Count(UBig);

impl From<u32> for Count {
    fn from(number: u32) -> Count {
        Count(number.into())
    }
}

impl std::ops::Add for Count {
    type Output = Count;

    fn add(self, other: Count) -> Count {
        Count(self.0 + other.0)
    }
}

impl std::ops::Shl<u32> for Count {
    type Output = Count;

    fn shl(self, by: u32) -> Count {
        Count(self.0 << by as usize)
    }
}

impl std::ops::Shr<u32> for Count {
    type Output = Count;

    fn shr(self, by: u32) -> Count {
        Count(self.0 >> by as usize)
    }
}

/// By this, OxiDD sees that it is exact.
impl std::ops::ShlAssign<i32> for Count {
    fn shl_assign(&mut self, by: i32) {
        self.0 = std::mem::take(&mut self.0) << by.max(0) as usize;
    }
}
