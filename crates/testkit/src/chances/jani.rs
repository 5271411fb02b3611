//! The same models as JANI, and questions about them as JANI's properties: another reader for what the oracle knows.
//!
//! Modules become automata with one location, all variables are global, copies and `system … endsystem` are written out: which
//! commands happen together is said by vectors. Formulas are functions, labels and rewards are transient variables.

use std::collections::BTreeSet;
use std::fmt::Write;

use dashu_ratio::RBig;

use crate::chances::meaning::Names;
use crate::chances::syntax::{
    Command, Domain, Expr, Function, Kind, Model, Op, Rewarded, System, Together, Type, Update, Variable, renamed,
};

fn binary(op: &str, left: &str, right: &str) -> String {
    format!("{{\"op\":\"{op}\",\"left\":{left},\"right\":{right}}}")
}

fn unary(op: &str, operand: &str) -> String {
    format!("{{\"op\":\"{op}\",\"exp\":{operand}}}")
}

fn conditional(test: &str, then: &str, otherwise: &str) -> String {
    format!("{{\"op\":\"ite\",\"if\":{test},\"then\":{then},\"else\":{otherwise}}}")
}

/// A fraction as an expression.
pub fn number(value: &RBig) -> String {
    let text = value.to_string();
    match text.split_once('/') {
        Some((numerator, denominator)) => binary("/", numerator, denominator),
        None => text,
    }
}

/// The reward structure with this index.
pub fn reward_name(index: usize) -> String {
    format!("reward{index}")
}

fn sign(op: Op) -> &'static str {
    match op {
        Op::Implies => "⇒",
        Op::Iff | Op::Equal => "=",
        Op::Or => "∨",
        Op::And => "∧",
        Op::Unequal => "≠",
        Op::Less => "<",
        Op::LessEqual => "≤",
        Op::Greater => ">",
        Op::GreaterEqual => "≥",
        Op::Add => "+",
        Op::Subtract => "-",
        Op::Multiply => "*",
        Op::Divide => "/",
        Op::Power => "pow",
    }
}

/// Commands that happen together, by module and action, and what that is called.
struct Vector {
    parts: Vec<(usize, String)>,
    name: Option<String>,
}

struct Printer<'m> {
    model: &'m Model,
    vectors: Vec<Vector>,
}

/// The model as JANI, with these properties.
pub fn text(model: &Model, properties: &[String]) -> String {
    let everything = (0..model.modules.len())
        .map(System::Module)
        .reduce(|left, right| System::Parallel(Together::Common, Box::new(left), Box::new(right)));
    let system = model.system.clone().or(everything).unwrap_or(System::Module(0));
    let (vectors, _) = vectors(model, &system);
    Printer { model, vectors }.text(properties)
}

/// An expression outside of all modules.
pub fn expression(model: &Model, expr: &Expr) -> String {
    Printer { model, vectors: Vec::new() }.expr(expr, None)
}

/// What happens in a part of the system, and its actions, even if they can never happen.
fn vectors(model: &Model, system: &System) -> (Vec<Vector>, BTreeSet<String>) {
    match system {
        System::Module(module) => {
            let (_, commands, names) = model.module(*module);
            let actions = commands.iter().filter_map(|command| command.action.as_deref());
            let actions: BTreeSet<String> = actions.map(|action| renamed(action, names).to_string()).collect();
            let alone = |action: &String| Vector { parts: vec![(*module, action.clone())], name: Some(action.clone()) };
            (actions.iter().map(alone).collect(), actions)
        }
        System::Parallel(how, left, right) => {
            let ((left, left_actions), (right, right_actions)) = (vectors(model, left), vectors(model, right));
            let together: BTreeSet<String> = match how {
                Together::Common => left_actions.intersection(&right_actions).cloned().collect(),
                Together::Nothing => BTreeSet::new(),
                Together::On(actions) => actions.iter().cloned().collect(),
            };
            let waits = |vector: &Vector| vector.name.as_ref().is_some_and(|name| together.contains(name));
            let mut all = Vec::new();
            for one in left.iter().filter(|vector| waits(vector)) {
                for other in right.iter().filter(|other| other.name == one.name) {
                    all.push(Vector { parts: [&one.parts[..], &other.parts].concat(), name: one.name.clone() });
                }
            }
            all.extend(left.into_iter().chain(right).filter(|vector| !waits(vector)));
            (all, left_actions.union(&right_actions).cloned().collect())
        }
        System::Hide(inner, hidden) => {
            let (mut inner, actions) = vectors(model, inner);
            for vector in &mut inner {
                vector.name = vector.name.take().filter(|name| !hidden.contains(name));
            }
            (inner, actions.into_iter().filter(|action| !hidden.contains(action)).collect())
        }
        System::Rename(inner, names) => {
            let (mut inner, actions) = vectors(model, inner);
            let changed =
                |name: String| names.iter().find(|(from, _)| *from == name).map_or(name, |(_, to)| to.clone());
            for vector in &mut inner {
                vector.name = vector.name.take().map(changed);
            }
            (inner, actions.into_iter().map(changed).collect())
        }
    }
}

impl Printer<'_> {
    fn text(&self, properties: &[String]) -> String {
        let model = self.model;
        let kind = match model.kind {
            Kind::Dtmc => "dtmc",
            Kind::Ctmc => "ctmc",
            Kind::Mdp => "mdp",
        };
        let mut parts = vec![
            "\"jani-version\":1".to_string(),
            "\"name\":\"random\"".to_string(),
            format!("\"type\":\"{kind}\""),
            "\"features\":[\"derived-operators\",\"functions\",\"state-exit-rewards\"]".to_string(),
        ];
        let mut actions: BTreeSet<String> = self.vectors.iter().filter_map(|vector| vector.name.clone()).collect();
        for module in 0..model.modules.len() {
            let (_, commands, names) = model.module(module);
            let own = commands.iter().filter_map(|command| command.action.as_deref());
            actions.extend(own.map(|action| renamed(action, names).to_string()));
        }
        let list = |name: &str, items: Vec<String>| format!("\"{name}\":[{}]", items.join(",\n  "));
        parts.push(list("actions", actions.iter().map(|action| format!("{{\"name\":\"{action}\"}}")).collect()));
        parts.push(list("constants", self.constants()));
        parts.push(list("functions", self.functions()));
        parts.push(list("variables", self.variables()));
        if let Some(condition) = &model.initial {
            parts.push(format!("\"restrict-initial\":{{\"exp\":{}}}", self.expr(condition, None)));
        }
        parts.push(list("automata", (0..model.modules.len()).map(|module| self.automaton(module)).collect()));
        let elements = model.modules.iter().map(|module| format!("{{\"automaton\":\"{}\"}}", module.name)).collect();
        parts.push(format!("\"system\":{{{},\n {}}}", list("elements", elements), list("syncs", self.syncs())));
        parts.push(list("properties", properties.to_vec()));
        format!("{{{}}}\n", parts.join(",\n "))
    }

    /// An expression of a module with changed names.
    fn expr(&self, expr: &Expr, names: Option<&Names>) -> String {
        let text = |part: &Expr| self.expr(part, names);
        match expr {
            Expr::Bool(value) => value.to_string(),
            Expr::Int(_) | Expr::Decimal(..) => expr.to_string(),
            Expr::Name(name) => {
                let name = renamed(name, names);
                match self.model.formulas.iter().find(|(known, _)| known == name) {
                    // Renaming reaches into formulas, but not into functions.
                    Some((_, body)) if names.is_some() => text(body),
                    Some(_) => format!("{{\"op\":\"call\",\"function\":\"{name}\",\"args\":[]}}"),
                    None => format!("\"{name}\""),
                }
            }
            Expr::Not(part) => unary("¬", &text(part)),
            Expr::Minus(part) => binary("-", "0", &text(part)),
            Expr::Binary(op, left, right) => binary(sign(*op), &text(left), &text(right)),
            Expr::Conditional(test, then, otherwise) => conditional(&text(test), &text(then), &text(otherwise)),
            Expr::Call(function, parts) | Expr::OldCall(function, parts) => {
                let parts: Vec<String> = parts.iter().map(text).collect();
                let chain = |op: &str| parts.iter().cloned().reduce(|a, b| binary(op, &a, &b)).unwrap_or_default();
                match function {
                    Function::Min => chain("min"),
                    Function::Max => chain("max"),
                    Function::Floor => unary("floor", &parts[0]),
                    Function::Ceil => unary("ceil", &parts[0]),
                    Function::Round => unary("floor", &binary("+", &parts[0], "0.5")),
                    Function::Pow => binary("pow", &parts[0], &parts[1]),
                    Function::Mod => binary("%", &parts[0], &parts[1]),
                    Function::Log => binary("log", &parts[0], &parts[1]),
                }
            }
        }
    }

    fn constants(&self) -> Vec<String> {
        let constant = |constant: &crate::chances::syntax::Constant| {
            let value = match constant.is_given {
                true => String::new(),
                false => format!(",\"value\":{}", self.expr(&constant.value, None)),
            };
            format!("{{\"name\":\"{}\",\"type\":\"{}\"{value}}}", constant.name, type_name(constant.ty))
        };
        self.model.constants.iter().map(constant).collect()
    }

    fn functions(&self) -> Vec<String> {
        let function = |(name, body): &(String, Expr)| {
            let ty = match name.as_str() {
                "busy" => Type::Bool,
                "load" => Type::Int,
                _ => Type::Double,
            };
            let body = self.expr(body, None);
            format!("{{\"name\":\"{name}\",\"type\":\"{}\",\"parameters\":[],\"body\":{body}}}", type_name(ty))
        };
        self.model.formulas.iter().map(function).collect()
    }

    fn variables(&self) -> Vec<String> {
        let model = self.model;
        let mut all: Vec<String> = model.globals.iter().map(|variable| self.variable(variable, None)).collect();
        for module in 0..model.modules.len() {
            let (variables, _, names) = model.module(module);
            all.extend(variables.iter().map(|variable| self.variable(variable, names)));
        }
        let transient = |name: String, ty: &str, initial: &str| {
            format!("{{\"name\":\"{name}\",\"type\":\"{ty}\",\"transient\":true,\"initial-value\":{initial}}}")
        };
        all.extend(model.labels.iter().map(|(name, _)| transient(name.clone(), "bool", "false")));
        all.extend((0..model.rewards.len()).map(|index| transient(reward_name(index), "real", "0")));
        all
    }

    fn variable(&self, variable: &Variable, names: Option<&Names>) -> String {
        let expr = |part: &Expr| self.expr(part, names);
        let (ty, default) = match &variable.domain {
            Domain::Bool => ("\"bool\"".to_string(), "false".to_string()),
            Domain::Int => ("\"int\"".to_string(), "0".to_string()),
            Domain::Range(lo, hi) => {
                let bounds = format!("\"lower-bound\":{},\"upper-bound\":{}", expr(lo), expr(hi));
                (format!("{{\"kind\":\"bounded\",\"base\":\"int\",{bounds}}}"), expr(lo))
            }
        };
        let initial = match self.model.initial {
            Some(_) => String::new(),
            None => format!(",\"initial-value\":{}", variable.initial.as_ref().map_or(default, expr)),
        };
        format!("{{\"name\":\"{}\",\"type\":{ty}{initial}}}", renamed(&variable.name, names))
    }

    fn syncs(&self) -> Vec<String> {
        let vector = |vector: &Vector| {
            let part = |module: usize| {
                let part = vector.parts.iter().find(|(known, _)| *known == module);
                part.map_or("null".to_string(), |(_, action)| format!("\"{action}\""))
            };
            let parts: Vec<String> = (0..self.model.modules.len()).map(part).collect();
            let result = vector.name.as_ref().map_or(String::new(), |name| format!(",\"result\":\"{name}\""));
            format!("{{\"synchronise\":[{}]{result}}}", parts.join(","))
        };
        self.vectors.iter().map(vector).collect()
    }

    fn automaton(&self, module: usize) -> String {
        let (_, commands, names) = self.model.module(module);
        let edges: Vec<String> = commands.iter().flat_map(|command| self.edges(module, command, names)).collect();
        // What is true or earned in a state is said by the first automaton, for all of them.
        let values = if module == 0 { self.state_values() } else { Vec::new() };
        format!(
            "{{\"name\":\"{}\",\"locations\":[{{\"name\":\"l\",\"transient-values\":[{}]}}],\
             \"initial-locations\":[\"l\"],\"edges\":[{}]}}",
            self.model.modules[module].name,
            values.join(","),
            edges.join(",\n    ")
        )
    }

    fn state_values(&self) -> Vec<String> {
        let value = |name: &str, value: &str| format!("{{\"ref\":\"{name}\",\"value\":{value}}}");
        let labels = self.model.labels.iter().map(|(name, body)| value(name, &self.expr(body, None)));
        let mut all: Vec<String> = labels.collect();
        for structure in 0..self.model.rewards.len() {
            let earned = self.earned(structure, &|of| *of == Rewarded::State);
            all.extend(earned.map(|earned| value(&reward_name(structure), &earned)));
        }
        all
    }

    /// The sum of what items of this kind earn, if there are any.
    fn earned(&self, structure: usize, fits: &dyn Fn(&Rewarded) -> bool) -> Option<String> {
        let items = self.model.rewards[structure].items.iter().filter(|item| fits(&item.of));
        let item = |item: &crate::chances::syntax::Item| {
            conditional(&self.expr(&item.guard, None), &self.expr(&item.value, None), "0")
        };
        items.map(item).reduce(|a, b| binary("+", &a, &b))
    }

    /// What steps with this command earn, as assignments. Of the commands that happen together the first one says it: whether one
    /// is the first is the same for all vectors that it takes part in, and so is their name.
    fn step_rewards(&self, module: usize, action: Option<&str>, by: Option<&str>) -> Vec<String> {
        let name = match action {
            None => None,
            Some(action) => {
                let is_first = |vector: &&Vector| vector.parts[0] == (module, action.to_string());
                let Some(vector) = self.vectors.iter().find(is_first) else { return Vec::new() };
                vector.name.as_deref()
            }
        };
        let fits = |of: &Rewarded| match of {
            Rewarded::State => false,
            Rewarded::Silent => name.is_none(),
            Rewarded::Action(wanted) => name == Some(wanted),
        };
        let assigned = |structure: usize| {
            let earned = self.earned(structure, &fits)?;
            let earned = by.map_or(earned.clone(), |by| binary("/", &earned, by));
            Some(format!("{{\"ref\":\"{}\",\"value\":{earned}}}", reward_name(structure)))
        };
        (0..self.model.rewards.len()).filter_map(assigned).collect()
    }

    /// One edge; in continuous time one for each update, unless there are several of them and they are silent.
    fn edges(&self, module: usize, command: &Command, names: Option<&Names>) -> Vec<String> {
        let action = command.action.as_deref().map(|action| renamed(action, names));
        let mut edge = "{\"location\":\"l\"".to_string();
        if let Some(action) = action {
            let _ = write!(edge, ",\"action\":\"{action}\"");
        }
        let _ = write!(edge, ",\"guard\":{{\"exp\":{}}}", self.expr(&command.guard, names));
        let rewards = self.step_rewards(module, action, None);
        let chance = |update: &Update| update.chance.as_ref().map_or("1".into(), |chance| self.expr(chance, names));
        let destination = |update: &Update, share: Option<String>, rewards: &[String]| {
            let share = share.map_or(String::new(), |share| format!(",\"probability\":{{\"exp\":{share}}}"));
            let assigned = update.assignments.iter().map(|(name, value)| {
                format!("{{\"ref\":\"{}\",\"value\":{}}}", renamed(name, names), self.expr(value, names))
            });
            let assigned: Vec<String> = assigned.chain(rewards.iter().cloned()).collect();
            format!("{{\"location\":\"l\"{share},\"assignments\":[{}]}}", assigned.join(","))
        };
        let common = format!(",\"assignments\":[{}]", rewards.join(","));
        if self.model.kind != Kind::Ctmc {
            // Rewards stand with the edge, or with its destinations; or with one of them, divided by its probability.
            let whole = one_of_two(command);
            let common = if command.updates.len() == 2 { "" } else { &common[..] };
            let only = whole.map(|chance| self.step_rewards(module, action, Some(&self.expr(chance, names))));
            let all = command.updates.iter().enumerate().map(|(at, update)| {
                let share = update.chance.as_ref().map(|chance| self.expr(chance, names));
                let own = match (&only, at, command.updates.len()) {
                    (Some(only), 0, _) => &only[..],
                    (None, _, 2) => &rewards[..],
                    _ => &[],
                };
                destination(update, share, own)
            });
            let all: Vec<String> = all.collect();
            return vec![format!("{edge}{common},\"destinations\":[{}]}}", all.join(","))];
        }
        let total = command.updates.iter().map(chance).reduce(|a, b| binary("+", &a, &b)).unwrap_or_default();
        if action.is_none() && command.updates.len() > 1 {
            let is_nothing = binary("=", &total, "0");
            let share = |update: &Update| conditional(&is_nothing, "0", &binary("/", &chance(update), &total));
            let all = command.updates.iter().map(|update| destination(update, Some(share(update)), &[]));
            let all: Vec<String> = all.collect();
            let rate = format!(",\"rate\":{{\"exp\":{total}}}");
            return vec![format!("{edge}{rate}{common},\"destinations\":[{}]}}", all.join(","))];
        }
        let one = |update: &Update| {
            let rate = format!(",\"rate\":{{\"exp\":{}}}", chance(update));
            format!("{edge}{rate}{common},\"destinations\":[{}]}}", destination(update, None, &[]))
        };
        command.updates.iter().map(one).collect()
    }
}

/// Has the model steps that earn something by where they lead?
pub fn draws_rewards(model: &Model) -> bool {
    let commands = (0..model.modules.len()).flat_map(|module| model.module(module).1);
    !model.rewards.is_empty()
        && model.kind != Kind::Ctmc
        && commands.into_iter().any(|command| one_of_two(command).is_some())
}

/// The first probability of a command with two of them that are constant, not 0, and add up to exactly 1.
fn one_of_two(command: &Command) -> Option<&Expr> {
    let [first, second] = &command.updates[..] else { return None };
    let tenths = |chance: &Option<Expr>| match chance {
        Some(Expr::Decimal(units @ 1.., 1)) => Some(*units),
        _ => None,
    };
    (tenths(&first.chance)? + tenths(&second.chance)? == 10).then_some(first.chance.as_ref()?)
}

fn type_name(ty: Type) -> &'static str {
    match ty {
        Type::Bool => "bool",
        Type::Int => "int",
        Type::Double => "real",
    }
}
