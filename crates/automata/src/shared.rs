//! Formulas in negation normal form, with equal subformulas kept once.
//!
//! Every node has a number. Negation is a matter of looking up the dual node, so that `<->` below `<->` costs nothing
//! extra, and results for a node (implications, expansions) are found again by its number. Only five operators are left:
//! literals, and, or, next, until, release. Eventually is `true U f`, always is `false V f`.

use std::collections::HashMap;

use crate::formula::Formula;

/// The number of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Id(pub u32);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Node {
    True,
    False,
    Literal {
        atom: u32,
        positive: bool,
    },
    /// At least two, sorted.
    And(Vec<Id>),
    /// At least two, sorted.
    Or(Vec<Id>),
    Next(Id),
    Until(Id, Id),
    Release(Id, Id),
}

/// What the shape of a formula tells about it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facts {
    /// It speaks about one state only.
    pub boolean: bool,
    /// If a suffix has it, the word has it: it is as good as "eventually" of itself.
    pub eventual: bool,
    /// If a word has it, all suffixes have it: it is as good as "always" of itself.
    pub universal: bool,
}

pub(crate) struct Shared {
    nodes: Vec<Node>,
    facts: Vec<Facts>,
    known: HashMap<Node, Id>,
    duals: HashMap<Id, Id>,
    pub(crate) implications: HashMap<(Id, Id), bool>,
    /// Questions about implications that may still be asked; then the answer is "don't know".
    pub(crate) effort: usize,
    /// Whether nodes are simplified as they are made.
    pub(crate) simplifying: bool,
}

impl Shared {
    pub const FALSE: Id = Id(0);
    pub const TRUE: Id = Id(1);

    pub fn new(simplifying: bool) -> Shared {
        let mut shared = Shared {
            nodes: Vec::new(),
            facts: Vec::new(),
            known: HashMap::new(),
            duals: HashMap::new(),
            implications: HashMap::new(),
            effort: 1_000_000,
            simplifying,
        };
        shared.intern(Node::False);
        shared.intern(Node::True);
        shared
    }

    pub fn node(&self, id: Id) -> &Node {
        &self.nodes[id.0 as usize]
    }

    pub fn facts(&self, id: Id) -> Facts {
        self.facts[id.0 as usize]
    }

    /// Always eventually, or eventually always, and what is made of these: true now if and only if true next.
    pub fn is_suspendable(&self, id: Id) -> bool {
        let facts = self.facts(id);
        facts.eventual && facts.universal
    }

    /// The node as it is, without looking for a simpler one.
    pub fn intern(&mut self, node: Node) -> Id {
        if let Some(id) = self.known.get(&node) {
            return *id;
        }
        let id = Id(self.nodes.len() as u32);
        self.facts.push(self.facts_of(&node));
        self.nodes.push(node.clone());
        self.known.insert(node, id);
        id
    }

    fn facts_of(&self, node: &Node) -> Facts {
        let all = |parts: &[Id], fact: fn(Facts) -> bool| parts.iter().all(|p| fact(self.facts(*p)));
        match node {
            Node::True | Node::False => Facts { boolean: true, eventual: true, universal: true },
            Node::Literal { .. } => Facts { boolean: true, eventual: false, universal: false },
            Node::And(parts) | Node::Or(parts) => Facts {
                boolean: all(parts, |f| f.boolean),
                eventual: all(parts, |f| f.eventual),
                universal: all(parts, |f| f.universal),
            },
            Node::Next(a) => Facts { boolean: false, ..self.facts(*a) },
            Node::Until(a, b) => Facts {
                boolean: false,
                eventual: *a == Shared::TRUE || self.facts(*b).eventual,
                universal: self.facts(*a).universal && self.facts(*b).universal,
            },
            Node::Release(a, b) => Facts {
                boolean: false,
                eventual: self.facts(*a).eventual && self.facts(*b).eventual,
                universal: *a == Shared::FALSE || self.facts(*b).universal,
            },
        }
    }

    /// The negation. The dual of a simple formula is simple: nothing is simplified here.
    pub fn negate(&mut self, id: Id) -> Id {
        if let Some(dual) = self.duals.get(&id) {
            return *dual;
        }
        let node = match self.node(id).clone() {
            Node::True => Node::False,
            Node::False => Node::True,
            Node::Literal { atom, positive } => Node::Literal { atom, positive: !positive },
            Node::And(parts) => Node::Or(self.negate_all(&parts)),
            Node::Or(parts) => Node::And(self.negate_all(&parts)),
            Node::Next(a) => Node::Next(self.negate(a)),
            Node::Until(a, b) => Node::Release(self.negate(a), self.negate(b)),
            Node::Release(a, b) => Node::Until(self.negate(a), self.negate(b)),
        };
        let dual = self.intern(node);
        self.duals.insert(id, dual);
        self.duals.insert(dual, id);
        dual
    }

    /// The negation, if it has been asked for before.
    pub fn known_dual(&self, id: Id) -> Option<Id> {
        self.duals.get(&id).copied()
    }

    pub fn negate_all(&mut self, parts: &[Id]) -> Vec<Id> {
        let mut duals: Vec<Id> = parts.iter().map(|p| self.negate(*p)).collect();
        duals.sort_unstable();
        duals
    }

    /// The node of a formula.
    pub fn add(&mut self, formula: &Formula) -> Id {
        match formula {
            Formula::True => Shared::TRUE,
            Formula::False => Shared::FALSE,
            Formula::Atom(atom) => self.intern(Node::Literal { atom: *atom, positive: true }),
            Formula::Not(a) => {
                let a = self.add(a);
                self.negate(a)
            }
            Formula::And(parts) => {
                let parts = parts.iter().map(|p| self.add(p)).collect();
                self.and(parts)
            }
            Formula::Or(parts) => {
                let parts = parts.iter().map(|p| self.add(p)).collect();
                self.or(parts)
            }
            Formula::Implies(a, b) => {
                let (a, b) = (self.add(a), self.add(b));
                let not_a = self.negate(a);
                self.or(vec![not_a, b])
            }
            Formula::Equivalent(a, b) => {
                let (a, b) = (self.add(a), self.add(b));
                let (not_a, not_b) = (self.negate(a), self.negate(b));
                let (both, none) = (self.and(vec![a, b]), self.and(vec![not_a, not_b]));
                self.or(vec![both, none])
            }
            Formula::Next(a) => {
                let a = self.add(a);
                self.next(a)
            }
            Formula::Eventually(a) => {
                let a = self.add(a);
                self.until(Shared::TRUE, a)
            }
            Formula::Always(a) => {
                let a = self.add(a);
                self.release(Shared::FALSE, a)
            }
            Formula::Until(a, b) => {
                let (a, b) = (self.add(a), self.add(b));
                self.until(a, b)
            }
            Formula::Release(a, b) => {
                let (a, b) = (self.add(a), self.add(b));
                self.release(a, b)
            }
            Formula::WeakUntil(a, b) => {
                let (a, b) = (self.add(a), self.add(b));
                let either = self.or(vec![a, b]);
                self.release(b, either)
            }
        }
    }

    /// Size of the formula as a tree, which may be exponentially more than the number of nodes.
    pub fn tree_size(&self, id: Id, sizes: &mut HashMap<Id, usize>) -> usize {
        if let Some(size) = sizes.get(&id) {
            return *size;
        }
        let parts = match self.node(id) {
            Node::True | Node::False | Node::Literal { .. } => Vec::new(),
            Node::And(parts) | Node::Or(parts) => parts.clone(),
            Node::Next(a) => vec![*a],
            Node::Until(a, b) | Node::Release(a, b) => vec![*a, *b],
        };
        let size = parts.iter().fold(1usize, |sum, part| sum.saturating_add(self.tree_size(*part, sizes)));
        sizes.insert(id, size);
        size
    }

    /// The tree of a node. Ask for its size first.
    pub fn formula(&self, id: Id) -> Formula {
        match self.node(id) {
            Node::True => Formula::True,
            Node::False => Formula::False,
            Node::Literal { atom, positive: true } => Formula::Atom(*atom),
            Node::Literal { atom, positive: false } => Formula::Atom(*atom).negated(),
            Node::And(parts) => Formula::And(parts.iter().map(|p| self.formula(*p)).collect()),
            Node::Or(parts) => Formula::Or(parts.iter().map(|p| self.formula(*p)).collect()),
            Node::Next(a) => self.formula(*a).next(),
            Node::Until(Shared::TRUE, b) => self.formula(*b).eventually(),
            Node::Until(a, b) => self.formula(*a).until(self.formula(*b)),
            Node::Release(Shared::FALSE, b) => self.formula(*b).always(),
            Node::Release(a, b) => self.formula(*a).release(self.formula(*b)),
        }
    }
}
