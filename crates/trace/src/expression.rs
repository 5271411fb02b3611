//! Expressions of the IR as text, in the syntax of Promela, and the values of the variables in them.

use bughound_ir::expr::{BinaryOp, ChannelQuery, Expr, Pattern, Place, Scope, UnaryOp};
use bughound_ir::ltl::Formula;
use bughound_ir::network::{Network, TemplateId};
use bughound_ir::real::{Exact, Real, RealOp, Rounding};
use bughound_ir::reference::{RefState, Reference};
use bughound_ir::types::{ClockId, ValueType, Variable};

use crate::naming;

/// Who evaluates: the state gives names to processes and channels, the process owns local names.
#[derive(Clone, Copy)]
pub struct Viewpoint<'a> {
    pub reference: Reference<'a>,
    pub state: &'a RefState,
    pub own: Option<usize>,
}

impl<'a> Viewpoint<'a> {
    fn network(&self) -> &'a Network {
        self.reference.network()
    }

    pub fn truth(&self, expr: &Expr) -> Result<bool, bughound_ir::reference::EvalError> {
        self.reference.value(self.state, self.own, expr).map(|value| value != 0)
    }

    pub fn value(&self, expr: &Expr) -> Option<i32> {
        self.reference.value(self.state, self.own, expr).ok()
    }

    /// `x = 0, a[1] = 3`: the variables in an expression, each once, with their values.
    pub fn values(&self, expr: &Expr) -> Vec<(String, String)> {
        let mut out: Vec<(String, String)> = Vec::new();
        let mut add = |name: String, value: String| {
            if !out.iter().any(|(known, _)| *known == name) {
                out.push((name, value));
            }
        };
        expr.walk(&mut |e| match e {
            Expr::Read(place) if place.ty != ValueType::Chan => {
                if let (Some(name), Some(value)) = (self.element_name(place), self.value(e)) {
                    add(name, naming::value(self.network(), self.state, place.ty, value));
                }
            }
            Expr::Clock(constraint) => {
                let clocks = std::iter::once(constraint.left).chain(constraint.minus);
                for clock in clocks.filter(|_| self.reference.clocks().is_some()) {
                    let value = self.reference.clocks().map(|values| values.value(clock));
                    let name = self.network().clocks[clock.0 as usize].name.clone();
                    add(name, value.unwrap_or(bughound_ir::rational::Rational::ZERO).to_string());
                }
            }
            Expr::Channel(ChannelQuery::Length, _) => {
                if let Some(value) = self.value(e) {
                    add(self.text(e), value.to_string());
                }
            }
            Expr::Channel(_, channel) | Expr::Poll { channel, .. } => {
                if let Some(number) = self.value(channel)
                    && let Some((declared, queue)) = naming::channel(self.network(), self.state, number)
                {
                    let contents = naming::messages(self.network(), self.state, declared, queue);
                    add(naming::channel_name(self.network(), self.state, number), contents);
                }
            }
            Expr::ProcessCount | Expr::LastProcess | Expr::NonProgress | Expr::AtAcceptLabel | Expr::OwnPid => {
                if let Some(value) = self.value(e) {
                    add(self.text(e), value.to_string());
                }
            }
            Expr::At { pid, .. } => {
                if let Some(pid) = self.value(pid).and_then(|pid| usize::try_from(pid).ok())
                    && let Some(process) = self.state.processes.get(pid)
                {
                    let line = || self.network().sources.line(self.network().location(process.location).span);
                    let name = naming::location(self.network(), process.location);
                    let place = name.unwrap_or_else(|| format!("at line {}", line()));
                    add(naming::process_in(self.network(), self.state, pid), place);
                }
            }
            _ => {}
        });
        out
    }

    /// `(x = 0, y = 1)` after a text, or nothing.
    pub fn values_in_parentheses(&self, expr: &Expr) -> String {
        let values: Vec<String> =
            self.values(expr).into_iter().map(|(name, value)| format!("{name} = {value}")).collect();
        if values.is_empty() { String::new() } else { format!(" ({})", values.join(", ")) }
    }

    fn variables(&self, place: &Place) -> Option<(&'a [Variable], String, Option<TemplateId>)> {
        match &place.scope {
            Scope::Global => Some((&self.network().variables, String::new(), None)),
            Scope::Own => {
                let process = self.state.processes.get(self.own?)?;
                Some((&self.network().template(process.template).variables, String::new(), None))
            }
            Scope::Process { pid, template } => {
                let declared = self.network().template(*template);
                let prefix = match pid.as_ref() {
                    Expr::FirstOf(_) => format!("{}:", declared.name),
                    pid => format!("{}[{}]:", declared.name, self.text(pid)),
                };
                Some((&declared.variables, prefix, Some(*template)))
            }
        }
    }

    /// The element that a place denotes in this state, such as `a[1]` for `a[i]`.
    fn element_name(&self, place: &Place) -> Option<String> {
        let (variables, prefix, _) = self.variables(place)?;
        let mut slot = place.slot;
        for index in &place.indices {
            let value = u32::try_from(self.value(&index.value)?).ok()?;
            if value >= index.len {
                return None;
            }
            slot += value * index.stride;
        }
        let (variable, name) = naming::element(variables, slot)?;
        (!variable.hidden).then(|| format!("{prefix}{name}"))
    }

    /// A place as it was written: `a[i].b`.
    fn place_text(&self, place: &Place) -> String {
        let Some((variables, prefix, _)) = self.variables(place) else { return "?".into() };
        let written = variables.iter().find(|v| v.slot == place.slot && v.dims.len() == place.indices.len());
        let Some(variable) = written else {
            let name = self.element_name(place).or_else(|| Some(naming::element(variables, place.slot)?.1));
            return name.unwrap_or_else(|| format!("{prefix}?"));
        };
        let mut name = variable.name.clone();
        for (dim, index) in variable.dims.iter().zip(&place.indices).rev() {
            let written = match (&index.value, dim.first) {
                (value, 0) => self.text(value),
                (Expr::Const(value), first) => (i64::from(*value) + i64::from(first)).to_string(),
                (Expr::Binary(BinaryOp::Subtract, value, less), first) if **less == Expr::Const(first) => {
                    self.text(value)
                }
                (value, first) => format!("{} + {first}", self.text(value)),
            };
            name.insert_str((dim.after as usize).min(name.len()), &format!("[{written}]"));
        }
        format!("{prefix}{name}")
    }

    /// The expression as text.
    pub fn text(&self, expr: &Expr) -> String {
        self.text_at(expr, 0, None)
    }

    /// A formula of temporal logic as text.
    pub fn formula(&self, formula: &Formula) -> String {
        let part = |part: &Formula| match part {
            Formula::Atom(Expr::Binary(..)) => format!("({})", self.formula(part)),
            Formula::Atom(_) => self.formula(part),
            _ if part.parts().len() == 1 => self.formula(part),
            _ => format!("({})", self.formula(part)),
        };
        let two = |left: &Formula, sign: &str, right: &Formula| format!("{} {sign} {}", part(left), part(right));
        match formula {
            Formula::Atom(condition) => self.text(condition),
            Formula::Not(a) => format!("!{}", part(a)),
            Formula::Next(a) => format!("X {}", part(a)),
            Formula::Eventually(a) => format!("<> {}", part(a)),
            Formula::Always(a) => format!("[] {}", part(a)),
            Formula::And(l, r) => two(l, "&&", r),
            Formula::Or(l, r) => two(l, "||", r),
            Formula::Implies(l, r) => two(l, "->", r),
            Formula::Equivalent(l, r) => two(l, "<->", r),
            Formula::Until(l, r) => two(l, "U", r),
            Formula::WeakUntil(l, r) => two(l, "W", r),
            Formula::Release(l, r) => two(l, "V", r),
        }
    }

    /// `binding`: how tightly the surroundings bind; `hint`: the type that a constant beside a variable has.
    fn text_at(&self, expr: &Expr, binding: u8, hint: Option<ValueType>) -> String {
        match expr {
            Expr::Const(value) => match hint {
                Some(ty @ ValueType::Mtype(_)) => naming::value(self.network(), self.state, ty, *value),
                _ => value.to_string(),
            },
            Expr::Read(place) if place.ty == ValueType::Chan => match self.value(expr) {
                Some(number) if number != 0 => naming::channel_name(self.network(), self.state, number),
                _ => self.place_text(place),
            },
            Expr::Read(place) => self.place_text(place),
            Expr::Unary(op, operand) => {
                let sign = match op {
                    UnaryOp::Minus => "-",
                    UnaryOp::Not => "!",
                    UnaryOp::Complement => "~",
                };
                format!("{sign}{}", self.text_at(operand, 11, None))
            }
            Expr::Binary(op, left, right) => {
                let (sign, power) = operator(*op);
                let hint = |other: &Expr| match other {
                    Expr::Read(place) => Some(place.ty),
                    _ => None,
                };
                let left_text = self.text_at(left, power, hint(right));
                let right_text = self.text_at(right, power + 1, hint(left));
                parenthesise(format!("{left_text} {sign} {right_text}"), power < binding)
            }
            Expr::Conditional(c, a, b) => format!("({} -> {} : {})", self.text(c), self.text(a), self.text(b)),
            Expr::Channel(query, channel) => {
                let word = match query {
                    ChannelQuery::Length => "len",
                    ChannelQuery::Full => "full",
                    ChannelQuery::Empty => "empty",
                    ChannelQuery::NotFull => "nfull",
                    ChannelQuery::NotEmpty => "nempty",
                };
                format!("{word}({})", self.channel_text(channel))
            }
            Expr::Poll { channel, anywhere, patterns } => {
                let sign = if *anywhere { "??" } else { "?" };
                let patterns: Vec<String> = patterns.iter().map(|p| self.pattern_text(p)).collect();
                format!("{}{sign}[{}]", self.channel_text(channel), patterns.join(","))
            }
            Expr::OwnPid => "_pid".into(),
            Expr::FirstOf(template) => self.network().template(*template).name.clone(),
            Expr::ProcessCount => "_nr_pr".into(),
            Expr::LastProcess => "_last".into(),
            Expr::Timeout => "timeout".into(),
            Expr::At { pid, location } => self.at_text(pid, *location),
            Expr::LocationNumber(pid) => format!("pc_value({})", self.text(pid)),
            Expr::Holds(e) => self.text(e),
            Expr::Enabled(pid) => format!("enabled({})", self.text(pid)),
            Expr::NonProgress => "np_".into(),
            Expr::AtAcceptLabel => "at an accept label".into(),
            Expr::UnspecifiedReception => "an unspecified reception".into(),
            Expr::ChannelOverflow => "a channel overflow".into(),
            Expr::Deadlock => "deadlock".into(),
            Expr::Priority(pid) => format!("get_priority({})", self.text(pid)),
            Expr::Exact(exact) => match &**exact {
                Exact::Compare(op, left, right) => {
                    let (sign, power) = operator(*op);
                    let text = format!("{} {sign} {}", self.real_text(left, power), self.real_text(right, power + 1));
                    parenthesise(text, power < binding)
                }
                // Integers that may leave 32 bits are computed in fractions: nothing is rounded.
                Exact::Round(Rounding::Down, value) if is_whole(value) => self.real_text(value, binding),
                Exact::Round(rounding, value) => {
                    let word = match rounding {
                        Rounding::Down => "floor",
                        Rounding::Up => "ceil",
                        Rounding::Nearest => "round",
                    };
                    format!("{word}({})", self.real_text(value, 0))
                }
            },
            Expr::Clock(constraint) => {
                let name = |id: ClockId| self.network().clocks[id.0 as usize].name.as_str();
                let (sign, power) = operator(constraint.relation.operator());
                let minus = constraint.minus.map_or(String::new(), |minus| format!(" - {}", name(minus)));
                let bound = self.text_at(&constraint.bound, power + 1, None);
                parenthesise(format!("{}{minus} {sign} {bound}", name(constraint.left)), power < binding)
            }
        }
    }

    fn real_text(&self, real: &Real, binding: u8) -> String {
        let called =
            |word: &str, l: &Real, r: &Real| format!("{word}({}, {})", self.real_text(l, 0), self.real_text(r, 0));
        let infix = |op: BinaryOp, l: &Real, r: &Real| {
            let (sign, power) = operator(op);
            let text = format!("{} {sign} {}", self.real_text(l, power), self.real_text(r, power + 1));
            parenthesise(text, power < binding)
        };
        match real {
            Real::Const(number) => parenthesise(number.to_string(), binding > 9 && !number.is_int()),
            Real::Whole(expr) => self.text_at(expr, binding, None),
            Real::Minus(part) => format!("-{}", self.real_text(part, 11)),
            Real::Binary(op, l, r) => match op {
                RealOp::Add => infix(BinaryOp::Add, l, r),
                RealOp::Subtract => infix(BinaryOp::Subtract, l, r),
                RealOp::Multiply => infix(BinaryOp::Multiply, l, r),
                RealOp::Divide => infix(BinaryOp::Divide, l, r),
                RealOp::Modulo => called("mod", l, r),
                RealOp::Power | RealOp::WholePower => called("pow", l, r),
                RealOp::Logarithm => called("log", l, r),
                RealOp::Min => called("min", l, r),
                RealOp::Max => called("max", l, r),
            },
            Real::Conditional(c, a, b) => {
                format!("({} ? {} : {})", self.text(c), self.real_text(a, 0), self.real_text(b, 0))
            }
        }
    }

    /// The name of the channel that an expression denotes here.
    pub fn channel_text(&self, channel: &Expr) -> String {
        match self.value(channel) {
            Some(number) if number != 0 => naming::channel_name(self.network(), self.state, number),
            _ => match channel {
                Expr::Read(place) => self.place_text(place),
                other => self.text(other),
            },
        }
    }

    fn pattern_text(&self, pattern: &Pattern) -> String {
        match pattern {
            Pattern::Any => "_".into(),
            Pattern::Match(expr) => self.text(expr),
            Pattern::Bind(place) => self.place_text(place),
        }
    }

    fn at_text(&self, pid: &Expr, location: bughound_ir::network::LocationId) -> String {
        let location = self.network().location(location);
        let template = self.network().template(location.template);
        let label = location.labels.first().cloned().unwrap_or_else(|| location.number.to_string());
        match pid {
            _ if self.network().names_processes => format!("{}.{label}", template.name),
            Expr::FirstOf(_) => format!("{}@{label}", template.name),
            pid => format!("{}[{}]@{label}", template.name, self.text(pid)),
        }
    }
}

/// Is it an operator on integers with an integer as its result?
fn is_whole(real: &Real) -> bool {
    match real {
        Real::Whole(_) => true,
        Real::Const(number) => number.is_int(),
        Real::Minus(part) => is_whole(part),
        Real::Binary(RealOp::Divide | RealOp::Power | RealOp::Logarithm, ..) => false,
        Real::Binary(_, left, right) => is_whole(left) && is_whole(right),
        Real::Conditional(_, then, otherwise) => is_whole(then) && is_whole(otherwise),
    }
}

fn parenthesise(text: String, needed: bool) -> String {
    if needed { format!("({text})") } else { text }
}

/// The sign of an operator and how tightly it binds.
fn operator(op: BinaryOp) -> (&'static str, u8) {
    match op {
        BinaryOp::Or => ("||", 1),
        BinaryOp::And => ("&&", 2),
        BinaryOp::BitOr => ("|", 3),
        BinaryOp::BitXor => ("^", 4),
        BinaryOp::BitAnd => ("&", 5),
        BinaryOp::Equal => ("==", 6),
        BinaryOp::NotEqual => ("!=", 6),
        BinaryOp::Less => ("<", 7),
        BinaryOp::LessEqual => ("<=", 7),
        BinaryOp::Greater => (">", 7),
        BinaryOp::GreaterEqual => (">=", 7),
        BinaryOp::ShiftLeft => ("<<", 8),
        BinaryOp::ShiftRight => (">>", 8),
        BinaryOp::Add => ("+", 9),
        BinaryOp::Subtract => ("-", 9),
        BinaryOp::Multiply => ("*", 10),
        BinaryOp::Divide => ("/", 10),
        BinaryOp::Remainder => ("%", 10),
    }
}
