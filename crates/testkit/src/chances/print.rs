//! Models as text. Parentheses stand only where the strength of operators asks for them, so that this is tested, too.

use std::fmt;

use crate::chances::syntax::{
    Body, Command, Constant, Domain, Expr, Function, Model, Op, Rewarded, System, Together, Type, Variable,
};

/// Strengths: `?:` 0, `=>` 1, `<=>` 2, `|` 3, `&` 4, `!` 5, `=` 6, `<` 7, `+` 8, `*` 9, `^` 10, unary minus 11.
const NOT: u8 = 5;
const MINUS: u8 = 11;

fn symbol(op: Op) -> (&'static str, u8) {
    match op {
        Op::Implies => ("=>", 1),
        Op::Iff => ("<=>", 2),
        Op::Or => ("|", 3),
        Op::And => ("&", 4),
        Op::Equal => ("=", 6),
        Op::Unequal => ("!=", 6),
        Op::Less => ("<", 7),
        Op::LessEqual => ("<=", 7),
        Op::Greater => (">", 7),
        Op::GreaterEqual => (">=", 7),
        Op::Add => ("+", 8),
        Op::Subtract => ("-", 8),
        Op::Multiply => ("*", 9),
        Op::Divide => ("/", 9),
        Op::Power => ("^", 10),
    }
}

fn function(function: Function) -> &'static str {
    match function {
        Function::Min => "min",
        Function::Max => "max",
        Function::Floor => "floor",
        Function::Ceil => "ceil",
        Function::Round => "round",
        Function::Pow => "pow",
        Function::Mod => "mod",
        Function::Log => "log",
    }
}

/// The expression, in parentheses if it binds less than this.
pub fn at_least(expr: &Expr, least: u8) -> String {
    let in_need = |own: u8, text: String| if own < least { format!("({text})") } else { text };
    let list = |parts: &[Expr]| parts.iter().map(|part| at_least(part, 0)).collect::<Vec<_>>().join(", ");
    match expr {
        Expr::Bool(value) => value.to_string(),
        Expr::Int(value) => value.to_string(),
        Expr::Decimal(units, places) => {
            let one = 10_i64.pow(*places);
            format!("{}.{:0width$}", units / one, units % one, width = *places as usize)
        }
        Expr::Name(name) => name.clone(),
        Expr::Not(part) => in_need(NOT, format!("!{}", at_least(part, NOT))),
        Expr::Minus(part) => in_need(MINUS, format!("-{}", at_least(part, MINUS + 1))),
        Expr::Binary(op, left, right) => {
            let (text, own) = symbol(*op);
            let is_right = matches!(op, Op::Implies | Op::Power);
            let left = at_least(left, own + u8::from(is_right));
            let right = at_least(right, own + u8::from(!is_right));
            in_need(own, format!("{left}{text}{right}"))
        }
        Expr::Conditional(test, then, otherwise) => {
            in_need(0, format!("{} ? {} : {}", at_least(test, 1), at_least(then, 0), at_least(otherwise, 0)))
        }
        Expr::Call(name, parts) => format!("{}({})", function(*name), list(parts)),
        Expr::OldCall(name, parts) => format!("func({}, {})", function(*name), list(parts)),
    }
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&at_least(self, 0))
    }
}

fn constant(constant: &Constant) -> String {
    let ty = match constant.ty {
        Type::Bool => "bool ",
        Type::Int => "int ",
        Type::Double => "double ",
    };
    match constant.is_given {
        true => format!("const {ty}{};\n", constant.name),
        false => format!("const {ty}{} = {};\n", constant.name, constant.value),
    }
}

fn variable(variable: &Variable) -> String {
    let domain = match &variable.domain {
        Domain::Bool => "bool".to_string(),
        Domain::Int => "int".to_string(),
        Domain::Range(lo, hi) => format!("[{lo}..{hi}]"),
    };
    let initial = variable.initial.as_ref().map_or(String::new(), |value| format!(" init {value}"));
    format!("{} : {domain}{initial};\n", variable.name)
}

fn command(command: &Command) -> String {
    let updates = command.updates.iter().map(|update| {
        let chance = update.chance.as_ref().map_or(String::new(), |chance| format!("{chance} : "));
        let assignments: Vec<String> =
            update.assignments.iter().map(|(name, value)| format!("({name}'={value})")).collect();
        let text = if assignments.is_empty() { "true".to_string() } else { assignments.join(" & ") };
        format!("{chance}{text}")
    });
    let action = command.action.as_deref().unwrap_or("");
    format!("  [{action}] {} -> {};\n", command.guard, updates.collect::<Vec<_>>().join(" + "))
}

/// `||` binds least, then `|||`, then `|[a]|`.
fn system(model: &Model, part: &System, least: u8) -> String {
    let (own, text) = match part {
        System::Module(index) => (3, model.modules[*index].name.clone()),
        System::Parallel(Together::Common, left, right) => {
            (0, format!("{} || {}", system(model, left, 0), system(model, right, 1)))
        }
        System::Parallel(Together::Nothing, left, right) => {
            (1, format!("{} ||| {}", system(model, left, 1), system(model, right, 2)))
        }
        System::Parallel(Together::On(names), left, right) => {
            (2, format!("{} |[{}]| {}", system(model, left, 3), names.join(","), system(model, right, 3)))
        }
        System::Hide(inner, names) => (3, format!("{} / {{{}}}", system(model, inner, 3), names.join(","))),
        System::Rename(inner, names) => {
            let names: Vec<String> = names.iter().map(|(from, to)| format!("{from}<-{to}")).collect();
            (3, format!("{} {{{}}}", system(model, inner, 3), names.join(",")))
        }
    };
    if own < least { format!("({text})") } else { text }
}

fn modules(model: &Model) -> String {
    let mut text = String::new();
    for module in &model.modules {
        match &module.body {
            Body::Written { variables, commands } => {
                text += &format!("module {}\n", module.name);
                variables.iter().for_each(|v| text += &format!("  {}", variable(v)));
                commands.iter().for_each(|c| text += &command(c));
                text += "endmodule\n";
            }
            Body::Copy { of, names } => {
                let names: Vec<String> = names.iter().map(|(from, to)| format!("{from}={to}")).collect();
                let of = &model.modules[*of].name;
                text += &format!("module {} = {of} [ {} ] endmodule\n", module.name, names.join(", "));
            }
        }
    }
    text
}

fn rewards(model: &Model) -> String {
    let mut text = String::new();
    for rewards in &model.rewards {
        let name = rewards.name.as_ref().map_or(String::new(), |name| format!(" \"{name}\""));
        text += &format!("rewards{name}\n");
        for item in &rewards.items {
            let of = match &item.of {
                Rewarded::State => String::new(),
                Rewarded::Silent => "[] ".to_string(),
                Rewarded::Action(action) => format!("[{action}] "),
            };
            text += &format!("  {of}{} : {};\n", item.guard, item.value);
        }
        text += "endrewards\n";
    }
    text
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} // random", self.header)?;
        for section in &self.order {
            let text: String = match section {
                0 => self.constants.iter().map(constant).collect(),
                1 => self.formulas.iter().map(|(name, body)| format!("formula {name} = {body};\n")).collect(),
                2 => self.globals.iter().map(|v| format!("global {}", variable(v))).collect(),
                3 => modules(self),
                4 => self.initial.iter().map(|condition| format!("init {condition} endinit\n")).collect(),
                5 => self.system.iter().map(|s| format!("system {} endsystem\n", system(self, s, 0))).collect(),
                6 => rewards(self),
                _ => self.labels.iter().map(|(name, body)| format!("label \"{name}\" = {body};\n")).collect(),
            };
            f.write_str(&text)?;
        }
        Ok(())
    }
}
