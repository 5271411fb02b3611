//! What the names of a model stand for, in its automata and in its properties.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashMap};

use bughound_ir::source::{Diagnostic, Span};
use bughound_ir::suggest::suggest;

use super::json::Json;
use super::types::Declared;
use super::{Read, constants::Constants};
use crate::tree::{Expr, Variable, VariableId};

/// More nodes of expressions than this are refused: functions that call each other can blow up a small file to any size.
const MAX_NODES: usize = 5_000_000;

/// What a name stands for. Constants are elsewhere: they are known before everything else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    Variable(VariableId),
    /// Index of [`Names::transients`].
    Transient(usize),
}

/// From where a name is looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    Global,
    /// In an automaton, as this element of the system.
    Element(usize),
    /// Properties see global names, and local ones that only one automaton has.
    Property,
}

/// A variable that is no part of the state.
#[derive(Debug)]
pub struct Transient {
    pub name: String,
    pub ty: Declared,
    pub initial: Expr,
    /// Its value in a state: what the locations say, or else its initial value.
    pub in_state: Expr,
    /// Steps hand its value from one assignment to a later one: this variable keeps it meanwhile.
    pub carrier: Option<VariableId>,
    pub owner: Option<usize>,
    pub span: Span,
}

/// A function without a value of its own: calls are replaced by its body.
#[derive(Clone, Debug)]
pub struct Function<'j> {
    pub parameters: Vec<(&'j str, Declared)>,
    pub result: Declared,
    pub body: &'j Json,
    pub span: Span,
}

#[derive(Debug, Default)]
pub struct Names<'j> {
    pub constants: Constants,
    pub globals: HashMap<String, Meaning>,
    /// Of each element of the system.
    pub locals: Vec<HashMap<String, Meaning>>,
    pub functions: HashMap<&'j str, Function<'j>>,
    pub local_functions: Vec<HashMap<&'j str, Function<'j>>>,
    pub variables: Vec<Variable>,
    /// The lengths of each variable that is an array, from the outermost dimension inwards; empty for scalars.
    pub dimensions: Vec<Vec<u32>>,
    pub transients: Vec<Transient>,
    /// Transient variables that assignments read, with the phase.
    pub read_in_steps: RefCell<Vec<(usize, usize)>>,
    /// Transient variables that were looked up since this was last cleared.
    pub mentioned: RefCell<BTreeSet<usize>>,
    nodes: Cell<usize>,
}

impl<'j> Names<'j> {
    /// What a name stands for, if it is not a constant.
    pub fn meaning(&self, name: &str, scope: Scope, span: Span) -> Read<Meaning> {
        if let Scope::Element(element) = scope
            && let Some(meaning) = self.locals[element].get(name)
        {
            return Ok(*meaning);
        }
        if let Some(meaning) = self.globals.get(name) {
            return Ok(*meaning);
        }
        if scope == Scope::Property {
            let mut local = self.locals.iter().filter_map(|names| names.get(name));
            match (local.next(), local.next()) {
                (Some(meaning), None) => return Ok(*meaning),
                (Some(_), Some(_)) => {
                    let message = format!("`{name}` is a variable of several automata");
                    let help = "properties can see global variables, and local ones that only one automaton has";
                    return Err(Diagnostic::error(span, message).help(help).into());
                }
                _ => {}
            }
        }
        let message = format!("`{name}` is not declared{}", suggest(name, self.visible(scope)));
        Err(Diagnostic::error(span, message).label("no constant or variable has this name").into())
    }

    fn visible(&self, scope: Scope) -> impl Iterator<Item = &str> {
        let local = self.locals.iter().enumerate().filter(move |(element, _)| match scope {
            Scope::Global => false,
            Scope::Element(own) => *element == own,
            Scope::Property => true,
        });
        let local = local.flat_map(|(_, names)| names.keys());
        let all = self.globals.keys().chain(local).map(String::as_str);
        all.chain(self.constants.names())
    }

    pub fn function(&self, name: &str, scope: Scope, span: Span) -> Read<&Function<'j>> {
        let local = match scope {
            Scope::Element(element) => self.local_functions.get(element),
            _ => None,
        };
        if let Some(function) = local.and_then(|own| own.get(name)).or_else(|| self.functions.get(name)) {
            return Ok(function);
        }
        let known = self.functions.keys().chain(local.into_iter().flat_map(HashMap::keys));
        let message = format!("there is no function `{name}`{}", suggest(name, known.copied()));
        Err(Diagnostic::error(span, message).into())
    }

    /// Counts nodes of expressions that are made.
    pub fn spend(&self, nodes: usize, span: Span) -> Read<()> {
        let total = self.nodes.get().saturating_add(nodes);
        self.nodes.set(total);
        if total > MAX_NODES {
            let message =
                format!("the expressions of the model have more than {MAX_NODES} parts when functions are expanded");
            return Err(Diagnostic::error(span, message).into());
        }
        Ok(())
    }

    pub fn new_variable(&mut self, variable: Variable, dimensions: Vec<u32>) -> VariableId {
        self.variables.push(variable);
        self.dimensions.push(dimensions);
        VariableId(self.variables.len() as u32 - 1)
    }
}
