//! Small timed models as text, at random.
//!
//! What they are made of is chosen anew for each: a model with everything in it has dead ends everywhere.
//!
//! A model can be written in several styles ([`Style`]) that mean the same: with another unit of time, so that constants are
//! large; and with names that hide others, so that variables are reached by functions. What is true of it does not depend
//! on the style, and is found out on the plain one.

use std::fmt::Write;

use bughound_ir::types::MAX_CLOCK_CONSTANT;

use crate::random_promela::Rng;

/// A model in UPPAAL's textual format, and what a query can speak about.
#[derive(Clone, Debug, Default)]
pub struct TimedModel {
    pub text: String,
    /// Such as `P0.a`.
    pub locations: Vec<String>,
    /// Such as `x` and `P0.z`.
    pub clocks: Vec<String>,
    /// All of them from 0 to [`LARGEST_VALUE`].
    pub variables: Vec<String>,
    pub style: Style,
}

/// How a model is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Every number that has to do with clocks is a multiple of it.
    pub unit: i32,
    /// Names of processes hide global ones.
    pub hides: bool,
    /// Queries compare clocks with so many units at most.
    pub largest_asked: usize,
}

impl Default for Style {
    fn default() -> Style {
        Style { unit: 1, hides: false, largest_asked: LARGEST_CONSTANT + 1 }
    }
}

impl Style {
    pub fn random(rng: &mut Rng) -> Style {
        let limit = MAX_CLOCK_CONSTANT as usize;
        let units = [1, 1, 1, 1000, limit / (LARGEST_CONSTANT + 1), limit / LARGEST_CONSTANT];
        let unit = *rng.pick(&units);
        let largest_asked = (LARGEST_CONSTANT + 1).min(limit / unit);
        Style { unit: unit as i32, hides: rng.chance(40), largest_asked }
    }

    /// The same model in small numbers, and with every name once.
    pub fn plain(self) -> Style {
        Style { unit: 1, hides: false, ..self }
    }

    /// A number of units of time.
    pub fn time(self, units: usize) -> String {
        (units * self.unit as usize).to_string()
    }
}

pub const LARGEST_VALUE: usize = 3;
/// The largest of [`Writer::bound`].
const LARGEST_CONSTANT: usize = 4;
const LOCATIONS: [&str; 4] = ["a", "b", "c", "d"];

/// In percent.
struct Habits {
    invariant: usize,
    guard: usize,
    strict: usize,
    reset: usize,
    data: usize,
    sync: usize,
    urgent: usize,
    committed: usize,
    variable_bound: usize,
    /// Updates that can leave the range of a variable, or divide by zero.
    error: usize,
}

/// A channel, and whether edges with it may test clocks when they send and when they receive.
struct Channel {
    name: &'static str,
    declaration: &'static str,
    sender_tests: bool,
    receiver_tests: bool,
}

const CHANNELS: [Channel; 4] = [
    Channel { name: "meet", declaration: "chan meet;", sender_tests: true, receiver_tests: true },
    Channel { name: "tell", declaration: "broadcast chan tell;", sender_tests: true, receiver_tests: true },
    Channel { name: "now", declaration: "urgent chan now;", sender_tests: false, receiver_tests: false },
    Channel { name: "all", declaration: "urgent broadcast chan all;", sender_tests: false, receiver_tests: false },
];

/// What a process can name.
#[derive(Clone, Default)]
struct Names {
    clocks: Vec<String>,
    variables: Vec<String>,
    /// Constants and parameters.
    constants: Vec<String>,
    /// The variables are hidden by others of their names: functions reach them.
    hidden: bool,
}

impl Names {
    fn read(&self, variable: &str) -> String {
        if self.hidden { format!("get_{variable}()") } else { variable.to_string() }
    }

    fn assignment(&self, variable: &str, value: &str) -> String {
        if self.hidden { format!("set_{variable}({value})") } else { format!("{variable} := {value}") }
    }

    /// What an edge calls the value that it selects.
    fn selected(&self) -> String {
        self.variables.first().filter(|_| self.hidden).cloned().unwrap_or_else(|| "i".into())
    }
}

/// A model that depends on the state of the generator only, written in some style.
pub fn random(rng: &mut Rng, style: Style) -> TimedModel {
    let habits = Habits {
        invariant: *rng.pick(&[10, 25, 50]),
        guard: *rng.pick(&[30, 45, 70]),
        strict: *rng.pick(&[0, 25, 50]),
        reset: *rng.pick(&[50, 80, 140]),
        data: *rng.pick(&[0, 30]),
        sync: *rng.pick(&[0, 20, 40]),
        urgent: *rng.pick(&[0, 0, 15]),
        committed: *rng.pick(&[0, 0, 10]),
        variable_bound: *rng.pick(&[0, 0, 25]),
        error: *rng.pick(&[0, 0, 0, 15]),
    };
    let channels: Vec<&Channel> = CHANNELS.iter().filter(|_| habits.sync > 0 && rng.chance(60)).collect();
    Writer { rng, habits, channels, model: TimedModel { style, ..TimedModel::default() } }.write()
}

struct Writer<'r> {
    rng: &'r mut Rng,
    habits: Habits,
    channels: Vec<&'static Channel>,
    model: TimedModel,
}

impl Writer<'_> {
    fn write(mut self) -> TimedModel {
        let processes = self.rng.weighted(&[(2, 1), (5, 2), (3, 3)]);
        let mut clocks_left = self.rng.range(1, 3);
        let mut names = Names::default();
        let shared = self.rng.range(0, clocks_left.min(2));
        clocks_left -= shared;
        names.clocks.extend(["x", "y"].iter().take(shared).map(|name| name.to_string()));
        if self.habits.data + self.habits.variable_bound > 0 {
            names.variables.extend(["v", "w"].iter().take(self.rng.range(1, 2)).map(|name| name.to_string()));
        }
        if self.rng.chance(20) {
            names.constants.push("K".into());
        }
        for name in &names.clocks {
            let _ = writeln!(self.model.text, "clock {name};");
        }
        for name in &names.variables {
            let _ = writeln!(self.model.text, "int[0,{LARGEST_VALUE}] {name};");
        }
        for name in &names.constants {
            let value = self.model.style.time(self.rng.range(0, LARGEST_CONSTANT));
            let _ = writeln!(self.model.text, "const int {name} = {value};");
        }
        for channel in &self.channels {
            let _ = writeln!(self.model.text, "{}", channel.declaration);
        }
        self.model.clocks = names.clocks.clone();
        self.model.variables = names.variables.clone();
        let mut system = Vec::new();
        while system.len() < processes {
            let number = system.len();
            let both = number + 2 <= processes && self.rng.chance(25);
            let own_clock = clocks_left > usize::from(both) && self.rng.chance(70) || names.clocks.is_empty();
            let instances = if both { 2 } else { 1 };
            clocks_left = clocks_left.saturating_sub(if own_clock { instances } else { 0 });
            system.extend(self.template(number, instances, own_clock, &names));
        }
        let _ = writeln!(self.model.text, "system {};", system.join(", "));
        self.model
    }

    /// A template with its instances, whose names are returned.
    fn template(&mut self, number: usize, instances: usize, own_clock: bool, global: &Names) -> Vec<String> {
        let mut names = global.clone();
        let takes_constant = instances > 1 || self.rng.chance(15);
        // Another name for a clock of all.
        let takes_clock = takes_constant && !global.clocks.is_empty() && self.rng.chance(30);
        let mut parameters = Vec::new();
        if takes_constant {
            parameters.push("const int n");
            names.constants.push("n".into());
        }
        if takes_clock {
            parameters.push("clock &own");
            names.clocks.push("own".into());
        }
        if own_clock {
            names.clocks.push("z".into());
        }
        names.hidden = self.rng.chance(70) && self.model.style.hides && !names.variables.is_empty();
        let template = if parameters.is_empty() { format!("P{number}") } else { format!("T{number}") };
        let _ = writeln!(self.model.text, "process {template}({}) {{", parameters.join(", "));
        if own_clock {
            self.model.text.push_str("    clock z;\n");
        }
        if names.hidden {
            for name in &names.variables {
                let range = format!("int[0,{LARGEST_VALUE}]");
                let _ = writeln!(self.model.text, "    {range} get_{name}() {{ return {name}; }}");
                let _ = writeln!(self.model.text, "    void set_{name}({range} to) {{ {name} = to; }}");
                let _ = writeln!(self.model.text, "    int[5,9] {name} = 7;");
            }
        }
        let locations = self.body(&names);
        self.model.text.push_str("}\n");
        let mut made = Vec::new();
        for number in number..number + instances {
            let process = format!("P{number}");
            if !parameters.is_empty() {
                let mut arguments = vec![self.model.style.time(self.rng.range(0, LARGEST_CONSTANT))];
                if takes_clock {
                    arguments.push(self.rng.pick(&global.clocks).clone());
                }
                let _ = writeln!(self.model.text, "{process} = {template}({});", arguments.join(", "));
            }
            self.model.locations.extend(LOCATIONS[..locations].iter().map(|name| format!("{process}.{name}")));
            if own_clock {
                self.model.clocks.push(format!("{process}.z"));
            }
            made.push(process);
        }
        made
    }

    /// Locations and edges. How many locations there are.
    fn body(&mut self, names: &Names) -> usize {
        let count = self.rng.weighted(&[(1, 2), (3, 3), (3, LOCATIONS.len())]);
        let here = &LOCATIONS[..count];
        let states: Vec<String> = here.iter().map(|name| format!("{name}{}", self.invariant(names))).collect();
        let _ = writeln!(self.model.text, "    state {};", states.join(", "));
        let (mut urgent, mut committed) = (Vec::new(), Vec::new());
        for name in here {
            if self.rng.chance(self.habits.urgent) {
                urgent.push(*name);
            } else if self.rng.chance(self.habits.committed) {
                committed.push(*name);
            }
        }
        for (word, list) in [("commit", committed), ("urgent", urgent)] {
            if !list.is_empty() {
                let _ = writeln!(self.model.text, "    {word} {};", list.join(", "));
            }
        }
        self.model.text.push_str("    init a;\n");
        let mut edges = Vec::new();
        for (at, from) in here.iter().enumerate() {
            // The next location is always an edge away, so that much of the process can be reached.
            for nth in 0..self.rng.weighted(&[(1, 0), (8, 1), (8, 2), (3, 3)]) {
                let to = if nth == 0 { here[(at + 1) % count] } else { *self.rng.pick(here) };
                edges.push(format!("{from} -> {to} {{{} }}", self.labels(names)));
            }
        }
        if !edges.is_empty() {
            let _ = writeln!(self.model.text, "    trans {};", edges.join(",\n        "));
        }
        count
    }

    fn invariant(&mut self, names: &Names) -> String {
        let mut parts = Vec::new();
        while self.rng.chance(self.habits.invariant) && parts.len() < 2 {
            let relation = if self.rng.chance(self.habits.strict) { "<" } else { "<=" };
            let clock = self.rng.pick(&names.clocks).clone();
            parts.push(format!("{clock} {relation} {}", self.bound(names)));
        }
        if let Some(variable) = names.variables.last()
            && self.rng.chance(self.habits.data / 10)
        {
            parts.push(format!("{} <= 2", names.read(variable)));
        }
        if parts.is_empty() { String::new() } else { format!(" {{ {} }}", parts.join(" && ")) }
    }

    fn labels(&mut self, names: &Names) -> String {
        let mut labels = String::new();
        let channel = if self.channels.is_empty() { None } else { Some(*self.rng.pick(&self.channels)) };
        let channel = channel.filter(|_| self.rng.chance(self.habits.sync));
        let sends = self.rng.chance(50);
        let tests = channel.is_none_or(|channel| if sends { channel.sender_tests } else { channel.receiver_tests });
        let selects = !names.variables.is_empty() && self.rng.chance(self.habits.data / 4);
        if selects {
            let _ = write!(labels, " select {} : int[0,2];", names.selected());
        }
        let guard = self.guard(names, tests, selects);
        if !guard.is_empty() {
            let _ = write!(labels, " guard {};", guard.join(" && "));
        }
        if let Some(channel) = channel {
            let _ = write!(labels, " sync {}{};", channel.name, if sends { "!" } else { "?" });
        }
        let updates = self.updates(names, selects);
        if !updates.is_empty() {
            let _ = write!(labels, " assign {};", updates.join(", "));
        }
        labels
    }

    fn guard(&mut self, names: &Names, tests: bool, selects: bool) -> Vec<String> {
        let mut parts = Vec::new();
        while tests && parts.len() < 2 && self.rng.chance(self.habits.guard) {
            parts.push(match self.rng.chance(6) {
                true => format!("({} || {})", self.constraint(names), self.constraint(names)),
                false => self.constraint(names),
            });
        }
        if !names.variables.is_empty() && self.rng.chance(self.habits.data) {
            let relation = *self.rng.pick(&["==", "!=", "<", ">="]);
            let variable = names.read(self.rng.pick::<String>(&names.variables));
            let right = if selects { names.selected() } else { self.rng.range(0, LARGEST_VALUE).to_string() };
            parts.push(format!("{variable} {relation} {right}"));
        }
        parts
    }

    fn constraint(&mut self, names: &Names) -> String {
        let (clock, bound) = (self.rng.pick(&names.clocks).clone(), self.bound(names));
        let strict = self.rng.chance(self.habits.strict);
        let (relation, reversed, opposite) = match (self.rng.weighted(&[(3, 0), (4, 1), (2, 2)]), strict) {
            (0, false) => ("<=", ">=", ">"),
            (0, true) => ("<", ">", ">="),
            (1, false) => (">=", "<=", "<"),
            (1, true) => (">", "<", "<="),
            _ => return format!("{clock} == {bound}"),
        };
        match self.rng.below(10) {
            0 => format!("{bound} {reversed} {clock}"),
            1 => format!("!({clock} {opposite} {bound})"),
            _ => format!("{clock} {relation} {bound}"),
        }
    }

    /// What a clock is compared with, or set to.
    fn bound(&mut self, names: &Names) -> String {
        if !names.variables.is_empty() && self.rng.chance(self.habits.variable_bound) {
            let variable = names.read(self.rng.pick::<String>(&names.variables));
            return match self.model.style.unit {
                1 => variable,
                unit => format!("{variable} * {unit}"),
            };
        }
        if !names.constants.is_empty() && self.rng.chance(40) {
            return self.rng.pick(&names.constants).clone();
        }
        // Little is possible at 0 only.
        self.model.style.time(self.rng.weighted(&[(1, 0), (4, 1), (4, 2), (3, 3), (2, 4)]))
    }

    fn updates(&mut self, names: &Names, selects: bool) -> Vec<String> {
        let mut updates = Vec::new();
        for _ in 0..2 {
            if self.rng.chance(self.habits.reset / 2) {
                let clock = self.rng.pick(&names.clocks).clone();
                let value = if self.rng.chance(80) { "0".to_string() } else { self.bound(names) };
                updates.push(format!("{clock} := {value}"));
            }
        }
        if !names.variables.is_empty() && (selects || self.rng.chance(self.habits.data + self.habits.variable_bound)) {
            let variable = self.rng.pick(&names.variables).clone();
            let old = names.read(&variable);
            let value = match self.rng.below(3) {
                _ if selects => names.selected(),
                _ if self.rng.chance(self.habits.error) => match self.rng.chance(50) {
                    true => format!("{old} + 1"),
                    false => format!("{LARGEST_VALUE} / {old}"),
                },
                0 => self.rng.range(0, LARGEST_VALUE).to_string(),
                _ => format!("({old} + 1) % {}", self.rng.range(2, LARGEST_VALUE + 1)),
            };
            let at = self.rng.below(updates.len() + 1);
            updates.insert(at, names.assignment(&variable, &value));
        }
        updates
    }
}
