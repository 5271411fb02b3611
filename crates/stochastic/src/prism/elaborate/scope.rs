//! What names stand for: variables, constants, formulas and labels, each evaluated when somebody first asks.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use bughound_ir::source::{Diagnostic, Span};
use bughound_ir::suggest::suggest;

use super::super::arithmetic::Value;
use super::super::ast::{self, ExprKind};
use super::super::fold;
use super::given::Given;
use crate::tree::{Expr, Model, StateType, Type, Unsupported};

/// How long a chain of definitions may be where each uses one that comes later in the text.
const MAX_CHAIN: usize = 100;

/// How many operators may come from the places where formulas, labels and properties are used.
const MAX_OPERATORS: usize = 3_000_000;

/// Why an expression has no meaning.
#[derive(Debug)]
pub enum Problem {
    Wrong(Box<Diagnostic>),
    /// It is right, but cannot be answered or has no value: why.
    Unanswerable(String),
}

impl From<Diagnostic> for Problem {
    fn from(diagnostic: Diagnostic) -> Self {
        Problem::Wrong(Box::new(diagnostic))
    }
}

pub type Elaborated<T> = Result<T, Problem>;

#[derive(Clone, Copy, Debug)]
enum Entity {
    Variable(u32),
    Constant(usize),
    Formula(usize),
}

/// A definition on its way to its value.
enum Slot<T> {
    Unread(Rc<ast::Expr>),
    /// Its own definition is being read: if somebody asks now, it is a circle.
    Reading,
    Done(T),
    Failed,
    /// It has no value, and why.
    Missing(String),
}

struct Constant {
    name: Rc<str>,
    ty: Type,
    slot: Slot<Value>,
}

struct Formula {
    name: Rc<str>,
    slot: Slot<Expr>,
}

/// All names of a model, and those that properties add.
#[derive(Default)]
pub struct Scope {
    names: HashMap<Rc<str>, (Entity, Option<Span>)>,
    pub variables: Vec<(Rc<str>, StateType)>,
    constants: Vec<Constant>,
    formulas: Vec<Formula>,
    labels: HashMap<Rc<str>, (usize, Option<Span>)>,
    chain: usize,
    /// How many expressions inside of one another are being read, through all definitions.
    pub depth: usize,
    operators: usize,
}

/// What to say about an undefined constant.
fn no_value(name: &str, ty: Type) -> String {
    format!("the constant `{name}` ({}) has no value; give it one, such as `{name}={}`", type_name(ty), example(ty))
}

fn example(ty: Type) -> &'static str {
    match ty {
        Type::Bool => "true",
        Type::Int => "3",
        Type::Real => "0.5",
    }
}

/// As PRISM calls it.
pub fn type_name(ty: Type) -> &'static str {
    match ty {
        Type::Bool => "bool",
        Type::Int => "int",
        Type::Real => "double",
    }
}

impl Scope {
    /// The names of a model that was read before.
    pub fn of_model(model: &Model) -> Scope {
        let mut scope = Scope::default();
        for variable in &model.variables {
            let name: Rc<str> = variable.name.as_str().into();
            // Elements of arrays cannot be written in PRISM's language.
            if variable.len.is_none() {
                let entity = Entity::Variable(scope.variables.len() as u32);
                scope.names.insert(Rc::clone(&name), (entity, Some(variable.span)));
            }
            scope.variables.push((name, variable.ty));
        }
        for definition in &model.definitions {
            let slot = match &definition.value {
                Ok(expr) => Slot::Done(expr.clone()),
                Err(Unsupported(reason)) => Slot::Missing(reason.clone()),
            };
            let name: Rc<str> = definition.name.as_str().into();
            scope.names.insert(Rc::clone(&name), (Entity::Formula(scope.formulas.len()), None));
            scope.formulas.push(Formula { name, slot });
        }
        for label in &model.labels {
            let name: Rc<str> = label.name.as_str().into();
            scope.labels.insert(Rc::clone(&name), (scope.formulas.len(), Some(label.span)));
            scope.formulas.push(Formula { name, slot: Slot::Done(label.condition.clone()) });
        }
        scope
    }

    fn declare(&mut self, name: &ast::Name, entity: Entity) -> Result<(), Diagnostic> {
        match self.names.get(&name.text) {
            Some((_, before)) => {
                let error = Diagnostic::error(name.span, format!("`{}` is declared twice", name.text));
                Err(match before {
                    Some(span) => error.related(*span, "first declared here"),
                    None => error.help("the model declares it as well"),
                })
            }
            None => {
                self.names.insert(Rc::clone(&name.text), (entity, Some(name.span)));
                Ok(())
            }
        }
    }

    pub fn add_variable(&mut self, name: &ast::Name, ty: StateType) -> Result<(), Diagnostic> {
        self.declare(name, Entity::Variable(self.variables.len() as u32))?;
        self.variables.push((Rc::clone(&name.text), ty));
        Ok(())
    }

    pub fn add_constant(&mut self, constant: &ast::Constant, given: &Given) -> Result<(), Diagnostic> {
        self.declare(&constant.name, Entity::Constant(self.constants.len()))?;
        let name = &constant.name.text;
        let (slot, problem) = match (given.value(name, constant.ty), &constant.value) {
            (None, Some(definition)) => (Slot::Unread(Rc::clone(definition)), None),
            (None, None) => (Slot::Missing(no_value(name, constant.ty)), None),
            (Some(_), Some(_)) => {
                let message = format!("the constant `{name}` has a value in the text and cannot be given another");
                let help = format!(
                    "leave out `{name}=…`, or declare it without a value: `const {} {name};`",
                    type_name(constant.ty)
                );
                (Slot::Failed, Some(Diagnostic::error(constant.name.span, message).label("defined here").help(help)))
            }
            (Some(Ok(value)), None) => (Slot::Done(value), None),
            (Some(Err(message)), None) => {
                let error = Diagnostic::error(constant.name.span, message).label("declared here");
                (Slot::Failed, Some(error))
            }
        };
        self.constants.push(Constant { name: Rc::clone(name), ty: constant.ty, slot });
        problem.map_or(Ok(()), Err)
    }

    pub fn add_formula(&mut self, formula: &ast::Formula) -> Result<(), Diagnostic> {
        self.declare(&formula.name, Entity::Formula(self.formulas.len()))?;
        let slot = Slot::Unread(Rc::clone(&formula.body));
        self.formulas.push(Formula { name: Rc::clone(&formula.name.text), slot });
        Ok(())
    }

    pub fn add_label(&mut self, label: &ast::Formula) -> Result<(), Diagnostic> {
        let name = &label.name;
        if matches!(&*name.text, "init" | "deadlock") {
            let message = format!("the label \"{}\" is built in and cannot be declared", name.text);
            return Err(Diagnostic::error(name.span, message));
        }
        if let Some((_, before)) = self.labels.get(&name.text) {
            let error = Diagnostic::error(name.span, format!("the label \"{}\" is declared twice", name.text));
            return Err(match before {
                Some(span) => error.related(*span, "first declared here"),
                None => error,
            });
        }
        self.labels.insert(Rc::clone(&name.text), (self.formulas.len(), Some(name.span)));
        let slot = Slot::Unread(Rc::clone(&label.body));
        self.formulas.push(Formula { name: Rc::clone(&name.text), slot });
        Ok(())
    }

    pub fn has_label(&self, name: &str) -> bool {
        self.labels.contains_key(name)
    }

    pub fn is_declared(&self, name: &str) -> bool {
        self.names.contains_key(name)
    }

    pub fn variable(&self, name: &str) -> Option<u32> {
        match self.names.get(name) {
            Some((Entity::Variable(variable), _)) => Some(*variable),
            _ => None,
        }
    }

    /// Counts operators, so that formulas cannot grow without end.
    pub fn charge(&mut self, operators: usize, span: Span) -> Elaborated<()> {
        self.operators += operators;
        if self.operators <= MAX_OPERATORS {
            return Ok(());
        }
        let message = format!("the uses of formulas have more than {MAX_OPERATORS} operators");
        Err(Diagnostic::error(span, message).help("formulas that use others twice grow exponentially").into())
    }

    /// What a name stands for.
    pub fn resolve(&mut self, name: &str, span: Span) -> Elaborated<Expr> {
        match self.names.get(name) {
            Some((Entity::Variable(variable), _)) => {
                let id = crate::tree::VariableId(*variable);
                let ty = match self.variables[*variable as usize].1 {
                    StateType::Bool => Type::Bool,
                    StateType::Int { .. } => Type::Int,
                };
                Ok(Expr { kind: crate::tree::ExprKind::Variable(id), ty, span })
            }
            Some((Entity::Constant(constant), _)) => {
                let value = self.constant(*constant, span)?;
                Ok(fold::constant(value, span))
            }
            Some((Entity::Formula(formula), _)) => {
                let body = self.formula(*formula, span)?;
                Ok(Expr { span, ..body })
            }
            None => {
                let hint = suggest(name, self.names.keys().map(|n| &**n));
                let error = Diagnostic::error(span, format!("`{name}` is not declared{hint}"));
                Err(match self.labels.contains_key(name) {
                    true => error.help(format!("the label is written \"{name}\"")),
                    false => error.label("not a variable, constant or formula"),
                }
                .into())
            }
        }
    }

    /// The condition of a label.
    pub fn label(&mut self, name: &str, span: Span) -> Elaborated<Expr> {
        match self.labels.get(name) {
            Some((formula, _)) => {
                let body = self.formula(*formula, span)?;
                Ok(Expr { span, ..body })
            }
            None => {
                let known = self.labels.keys().map(|n| &**n).chain(["init", "deadlock"]);
                let message = format!("there is no label \"{name}\"{}", suggest(name, known));
                let error = Diagnostic::error(span, message);
                Err(match self.names.contains_key(name) {
                    true => error.help(format!("without quotation marks, `{name}` is a name of the model")),
                    false => error,
                }
                .into())
            }
        }
    }

    fn chained<T>(&mut self, span: Span, read: impl FnOnce(&mut Self) -> Elaborated<T>) -> Elaborated<T> {
        if self.chain >= MAX_CHAIN {
            let message = format!("more than {MAX_CHAIN} definitions use one another before they are written");
            return Err(Diagnostic::error(span, message).help("put definitions before their uses").into());
        }
        self.chain += 1;
        let result = read(self);
        self.chain -= 1;
        result
    }

    fn constant(&mut self, constant: usize, span: Span) -> Elaborated<Value> {
        let Constant { name, ty, slot } = &mut self.constants[constant];
        let (name, ty) = (Rc::clone(name), *ty);
        let definition = match slot {
            Slot::Done(value) => return Ok(value.clone()),
            Slot::Missing(reason) => return Err(Problem::Unanswerable(reason.clone())),
            Slot::Failed => return Err(Problem::Unanswerable(format!("the constant `{name}` is wrong"))),
            Slot::Reading => {
                let message = format!("the constant `{name}` is defined by itself");
                return Err(Diagnostic::error(span, message).label("here its own value is needed").into());
            }
            Slot::Unread(definition) => Rc::clone(definition),
        };
        self.constants[constant].slot = Slot::Reading;
        let value = self.chained(span, |scope| scope.constant_of(&definition, ty));
        self.constants[constant].slot = match &value {
            Ok(value) => Slot::Done(value.clone()),
            Err(Problem::Wrong(_)) => Slot::Failed,
            Err(Problem::Unanswerable(reason)) => Slot::Missing(reason.clone()),
        };
        value
    }

    fn formula(&mut self, formula: usize, span: Span) -> Elaborated<Expr> {
        let Formula { name, slot } = &mut self.formulas[formula];
        let name = Rc::clone(name);
        let definition = match slot {
            Slot::Done(expr) => {
                let expr = expr.clone();
                self.charge(super::expressions::operators(&expr), span)?;
                return Ok(expr);
            }
            Slot::Missing(reason) => return Err(Problem::Unanswerable(reason.clone())),
            Slot::Failed => return Err(Problem::Unanswerable(format!("`{name}` is wrong"))),
            Slot::Reading => {
                let message = format!("`{name}` is defined by itself");
                return Err(Diagnostic::error(span, message).label("here its own definition is needed").into());
            }
            Slot::Unread(definition) => Rc::clone(definition),
        };
        self.formulas[formula].slot = Slot::Reading;
        let expr = self.chained(span, |scope| scope.expression(&definition));
        self.formulas[formula].slot = match &expr {
            Ok(expr) => Slot::Done(expr.clone()),
            Err(Problem::Wrong(_)) => Slot::Failed,
            Err(Problem::Unanswerable(reason)) => Slot::Missing(reason.clone()),
        };
        expr
    }

    /// Undefined constants that these expressions need, directly or through others, in the order of their declaration.
    pub fn missing<'e>(&self, expressions: impl IntoIterator<Item = &'e ast::Expr>) -> Vec<(String, Type)> {
        let mut todo: Vec<Rc<str>> = Vec::new();
        let mut seen: HashSet<Rc<str>> = HashSet::new();
        let mut labels = Vec::new();
        let names = |expr: &ast::Expr, todo: &mut Vec<Rc<str>>, labels: &mut Vec<Rc<str>>| {
            expr.walk(&mut |part| match &part.kind {
                ExprKind::Name(name) => todo.push(Rc::clone(name)),
                ExprKind::Quoted(name) => labels.push(Rc::clone(name)),
                _ => {}
            });
        };
        for expr in expressions {
            names(expr, &mut todo, &mut labels);
        }
        let mut seen_labels: HashSet<Rc<str>> = HashSet::new();
        let mut missing = Vec::new();
        loop {
            if let Some(label) = labels.pop() {
                if let Some((formula, _)) = self.labels.get(&label)
                    && seen_labels.insert(label)
                    && let Slot::Unread(body) = &self.formulas[*formula].slot
                {
                    names(body, &mut todo, &mut labels);
                }
                continue;
            }
            let Some(name) = todo.pop() else { break };
            let Some((entity, _)) = self.names.get(&name) else { continue };
            if !seen.insert(name) {
                continue;
            }
            match *entity {
                Entity::Variable(_) => {}
                Entity::Constant(constant) => match &self.constants[constant].slot {
                    Slot::Missing(_) => missing.push(constant),
                    Slot::Unread(definition) => names(definition, &mut todo, &mut labels),
                    _ => {}
                },
                Entity::Formula(formula) => {
                    if let Slot::Unread(body) = &self.formulas[formula].slot {
                        names(body, &mut todo, &mut labels);
                    }
                }
            }
        }
        missing.sort_unstable();
        missing.into_iter().map(|c| (self.constants[c].name.to_string(), self.constants[c].ty)).collect()
    }

    /// All constants and formulas with their values, for properties that are read later. Problems of unused ones are reported.
    pub fn definitions(&mut self, diagnostics: &mut Vec<Diagnostic>) -> Vec<crate::tree::Definition> {
        let mut names: Vec<(Rc<str>, Entity, Span)> = Vec::new();
        for (name, (entity, span)) in &self.names {
            if !matches!(entity, Entity::Variable(_)) {
                names.push((Rc::clone(name), *entity, span.unwrap_or_default()));
            }
        }
        names.sort_by_key(|(.., span)| *span);
        let mut definitions = Vec::new();
        for (name, _, span) in names {
            let value = match self.resolve(&name, span) {
                Ok(expr) => Ok(expr),
                Err(Problem::Wrong(diagnostic)) => {
                    diagnostics.push(*diagnostic);
                    Err(Unsupported(format!("`{name}` is wrong")))
                }
                Err(Problem::Unanswerable(reason)) => Err(Unsupported(reason)),
            };
            definitions.push(crate::tree::Definition { name: name.to_string(), value });
        }
        definitions
    }
}
