//! What names stand for.

use std::collections::HashMap;
use std::rc::Rc;

use bughound_ir::expr::{Expr, Index, Place, Scope as PlaceScope};
use bughound_ir::types::ValueType;

use crate::ast;
use crate::lower::meters::Meter;
use crate::lower::types::Ty;

/// A value that may have parts: what a constant, a by-value parameter or a selected name stands for.
#[derive(Clone, Debug, PartialEq)]
pub enum Tree {
    Leaf(Expr),
    Node(Vec<Tree>),
}

impl Tree {
    pub fn number(value: i32) -> Tree {
        Tree::Leaf(Expr::Const(value))
    }

    /// All leaves in the order of slots.
    pub fn leaves(&self) -> Vec<&Expr> {
        match self {
            Tree::Leaf(expr) => vec![expr],
            Tree::Node(parts) => parts.iter().flat_map(Tree::leaves).collect(),
        }
    }

    pub fn is_constant(&self) -> bool {
        self.leaves().iter().all(|leaf| leaf.as_const().is_some())
    }
}

/// A variable, a clock, a channel, or a part of one: what can be assigned, reset, or passed by reference.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    /// The first slot, clock or channel.
    pub slot: u32,
    pub indices: Vec<Index>,
    pub ty: Ty,
}

impl Target {
    pub fn new(slot: u32, ty: Ty) -> Target {
        Target { slot, indices: Vec::new(), ty }
    }

    /// The place of a single value.
    pub fn place(&self, ty: ValueType) -> Place {
        Place { scope: PlaceScope::Global, slot: self.slot, indices: self.indices.clone(), ty }
    }
}

/// A function with what it can see: the scope in which it was declared, up to there.
#[derive(Debug)]
pub struct FunctionEntity<'a> {
    pub function: &'a ast::Function,
    pub scope: ScopeId,
}

#[derive(Clone, Debug)]
pub enum Entity<'a> {
    Value(Rc<Tree>, Ty),
    Target(Target),
    Type(Ty),
    Function(Rc<FunctionEntity<'a>>),
    /// A local variable of a function that is evaluated while the model is lowered.
    Local(usize),
    Meter(Meter),
    /// A number that guides the search; its slot.
    Hint(u32),
}

impl Entity<'_> {
    pub fn kind(&self) -> &'static str {
        match self {
            Entity::Value(..) => "a constant",
            Entity::Target(_) | Entity::Local(_) | Entity::Meter(_) | Entity::Hint(_) => "a variable",
            Entity::Type(_) => "a type",
            Entity::Function(_) => "a function",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScopeId(pub usize);

#[derive(Debug)]
struct Scope<'a> {
    parent: Option<ScopeId>,
    /// Of the names of the parent, those declared before this moment are seen.
    until: u64,
    /// With the moment of declaration.
    names: HashMap<String, (u64, Entity<'a>)>,
}

/// All scopes; the first is that of names which nobody declares, the second the global one.
#[derive(Debug, Default)]
pub struct Scopes<'a> {
    scopes: Vec<Scope<'a>>,
    /// So many names were declared.
    now: u64,
}

impl<'a> Scopes<'a> {
    pub fn open(&mut self, parent: Option<ScopeId>) -> ScopeId {
        self.open_until(parent, u64::MAX)
    }

    /// For the function that is declared next in this scope: what comes after it is not seen, as in C. A name that is
    /// declared later means what it meant further out.
    pub fn open_for_next(&mut self, scope: ScopeId) -> ScopeId {
        // The function itself is seen, so that recursion is recognised.
        self.open_until(Some(scope), self.now + 1)
    }

    fn open_until(&mut self, parent: Option<ScopeId>, until: u64) -> ScopeId {
        self.scopes.push(Scope { parent, until, names: HashMap::new() });
        ScopeId(self.scopes.len() - 1)
    }

    /// So many scopes are open.
    pub fn mark(&self) -> usize {
        self.scopes.len()
    }

    /// Forgets the scopes that were opened since: quantifiers and calls open very many, and nothing refers to them later.
    pub fn forget(&mut self, mark: usize) {
        self.scopes.truncate(mark);
    }

    /// Declares a name; false if the scope has it already.
    pub fn declare(&mut self, scope: ScopeId, name: &str, entity: Entity<'a>) -> bool {
        let now = self.now;
        self.now += 1;
        self.scopes[scope.0].names.insert(name.to_string(), (now, entity)).is_none()
    }

    pub fn find(&self, scope: ScopeId, name: &str) -> Option<&Entity<'a>> {
        // Declared too late is better than not at all: nothing else can be meant.
        self.find_seen(scope, name, false).or_else(|| self.find_seen(scope, name, true))
    }

    fn find_seen(&self, scope: ScopeId, name: &str, later: bool) -> Option<&Entity<'a>> {
        let (mut at, mut until) = (Some(scope), u64::MAX);
        while let Some(ScopeId(index)) = at {
            let here = &self.scopes[index];
            if let Some((moment, entity)) = here.names.get(name)
                && (later || *moment < until)
            {
                return Some(entity);
            }
            (at, until) = (here.parent, here.until);
        }
        None
    }

    /// In this scope only.
    pub fn find_own(&self, scope: ScopeId, name: &str) -> Option<&Entity<'a>> {
        self.scopes[scope.0].names.get(name).map(|(_, entity)| entity)
    }

    /// Every name that is visible, for suggestions.
    pub fn names(&self, scope: ScopeId) -> Vec<&str> {
        let mut names = Vec::new();
        let mut at = Some(scope);
        while let Some(ScopeId(index)) = at {
            names.extend(self.scopes[index].names.keys().map(String::as_str));
            at = self.scopes[index].parent;
        }
        names.sort_unstable();
        names
    }
}
