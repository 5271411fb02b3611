//! Small random models whose runs mostly go on for ever.
//!
//! A few processes loop over small variables and channels; some end, some block. There are atomic chains, rendezvous that
//! hand over control, `else` and `timeout`, labels for acceptance and progress, and now and then an expression that has no
//! value. The state spaces are small enough for brute force, and schedules matter.

use crate::random_promela::Rng;

/// A model, and what can be asked about it.
#[derive(Clone, Debug)]
pub struct RandomModel {
    pub text: String,
    /// Conditions on its states.
    pub atoms: Vec<String>,
    pub accept_labels: bool,
    pub progress_labels: bool,
}

/// What a model may contain besides the usual.
#[derive(Clone, Copy, Debug)]
pub struct Ingredients {
    /// Expressions without value, and failing assertions.
    pub errors: bool,
    pub accept_labels: bool,
    pub progress_labels: bool,
    pub unless: bool,
    pub provided: bool,
    /// Several polls of one channel in one condition, several receives in one `d_step`.
    pub polls: bool,
    /// Processes that come and go, and conditions on them. SPIN reads whatever lies where a process is not.
    pub dynamic: bool,
}

impl Ingredients {
    pub const ALL: Ingredients = Ingredients {
        errors: true,
        accept_labels: true,
        progress_labels: true,
        unless: true,
        provided: true,
        polls: true,
        dynamic: true,
    };
}

/// A random model.
pub fn random(rng: &mut Rng, ingredients: Ingredients) -> RandomModel {
    let errors = ingredients.errors && rng.chance(20);
    let accept_labels = ingredients.accept_labels && rng.chance(40);
    let progress_labels = ingredients.progress_labels && rng.chance(40);
    let mut maker = Maker {
        rng: rng.clone(),
        ingredients: Ingredients {
            errors,
            accept_labels,
            progress_labels,
            polls: ingredients.polls && rng.chance(50),
            dynamic: ingredients.dynamic && rng.chance(25),
            ..ingredients
        },
        variables: Vec::new(),
        channels: Vec::new(),
        labels: 0,
        own_labels: Vec::new(),
        accept_labels: false,
        progress_labels: false,
    };
    let model = maker.model();
    *rng = maker.rng;
    model
}

struct Maker {
    rng: Rng,
    ingredients: Ingredients,
    /// Name and number of values.
    variables: Vec<(String, usize)>,
    /// Name and capacity.
    channels: Vec<(String, usize)>,
    labels: usize,
    /// Of the process under way.
    own_labels: Vec<String>,
    accept_labels: bool,
    progress_labels: bool,
}

/// Where a statement stands.
#[derive(Clone, Copy)]
struct Place {
    depth: usize,
    /// Inside `atomic`.
    atomic: bool,
    in_loop: bool,
}

impl Maker {
    fn model(&mut self) -> RandomModel {
        let mut text = String::new();
        for name in ["x", "y", "z"].iter().take(self.rng.weighted(&[(2, 1), (5, 2), (2, 3)])) {
            let values = self.rng.range(2, 3);
            let kind = if values == 2 { *self.rng.pick(&["bit", "bool", "byte"]) } else { "byte" };
            text.push_str(&format!("{kind} {name};\n"));
            self.variables.push((name.to_string(), values));
        }
        if self.ingredients.errors {
            text.push_str("bit a[2];\n");
        }
        for name in ["q", "r"].iter().take(self.rng.weighted(&[(3, 0), (5, 1), (2, 2)])) {
            let several = if self.ingredients.polls { 5 } else { 0 };
            let capacity = self.rng.weighted(&[(5, 0), (4, 1), (1 + several, 2)]);
            text.push_str(&format!("chan {name} = [{capacity}] of {{ bit }};\n"));
            self.channels.push((name.to_string(), capacity));
        }
        let by_init = self.rng.chance(12);
        let mut pid = usize::from(by_init);
        let mut remote = Vec::new();
        let mut runs = Vec::new();
        let kinds = self.rng.weighted(&[(2, 1), (5, 2), (3, 3)]);
        let mut bodies = Vec::new();
        for kind in 0..kinds {
            let copies = if pid < 3 && self.rng.chance(20) { 2 } else { 1 };
            self.own_labels.clear();
            let body = self.body();
            let active = match (by_init, copies) {
                (true, _) => String::new(),
                (false, 1) => "active ".to_string(),
                (false, n) => format!("active [{n}] "),
            };
            let provided = match self.ingredients.provided && self.rng.chance(4) {
                true => format!(" provided ({})", self.comparison()),
                false => String::new(),
            };
            bodies.push(format!("{active}proctype P{kind}(){provided} {{\n{}\n}}\n", indent(&body)));
            for copy in 0..copies {
                runs.push(format!("run P{kind}()"));
                remote.extend(self.own_labels.iter().map(|label| format!("P{kind}[{}]@{label}", pid + copy)));
            }
            pid += copies;
        }
        if by_init {
            let start = match self.rng.below(3) {
                0 => runs.join("; "),
                _ => format!("atomic {{ {} }}", runs.join("; ")),
            };
            text.push_str(&format!("init {{ {start} }}\n"));
        }
        text.push_str(&bodies.concat());
        if self.ingredients.dynamic {
            text.push_str(&self.worker());
            for number in ["".to_string(), format!("[{pid}]"), format!("[{}]", pid + 1)] {
                remote.push(format!("W{number}@RW"));
                remote.extend((0..3).map(|value| format!("W{number}:wv == {value}")));
            }
        }
        let atoms = self.atoms(&remote);
        RandomModel { text, atoms, accept_labels: self.accept_labels, progress_labels: self.progress_labels }
    }

    /// Conditions for formulas and claims.
    fn atoms(&mut self, remote: &[String]) -> Vec<String> {
        let mut atoms = Vec::new();
        for (name, values) in self.variables.clone() {
            atoms.extend((0..values).map(|value| format!("{name} == {value}")));
            if values > 2 {
                atoms.push(format!("{name} < 2"));
            }
        }
        if self.variables.len() > 1 {
            atoms.push("x == y".into());
            atoms.push("x > 0 && y == 0".into());
        }
        for (name, capacity) in self.channels.clone().into_iter().filter(|(_, capacity)| *capacity > 0) {
            atoms.push(format!("len({name}) == {}", self.rng.range(0, capacity)));
            atoms.push(format!("{}({name})", self.rng.pick(&["full", "empty", "nfull", "nempty"])));
            if self.ingredients.polls {
                atoms.extend((0..3).map(|_| self.polls(&name)));
            }
        }
        if self.ingredients.errors {
            atoms.push("1 / x == 1".into());
            atoms.push("a[x] == 0".into());
        }
        atoms.extend(remote.iter().cloned());
        if self.rng.chance(15) {
            atoms.push("np_".into());
        }
        atoms
    }

    /// Polls of one channel, together or as alternatives.
    fn polls(&mut self, channel: &str) -> String {
        let mut text = String::new();
        for number in 0..self.rng.weighted(&[(1, 1), (4, 2)]) {
            let join = if number == 0 { "" } else { *self.rng.pick(&[" && ", " && ", " || "]) };
            let not = if self.rng.chance(25) { "!" } else { "" };
            let pattern = match self.rng.below(6) {
                0 => "_".to_string(),
                1 => format!("eval({})", self.variable()),
                _ => (number % 2).to_string(),
            };
            text.push_str(&format!("{join}{not}{channel}{}[{pattern}]", self.rng.pick(&["?", "??", "??"])));
        }
        text
    }

    /// A process that soon ends, with a variable and a label that others look at.
    fn worker(&mut self) -> String {
        let initial = if self.rng.chance(50) { " = 1" } else { "" };
        let (first, last) = (self.assignment(), self.message().unwrap_or_else(|| self.assignment()));
        format!("proctype W() {{\n  byte wv{initial};\n  {first};\n  wv = 2;\n  RW: {last}\n}}\n")
    }

    fn body(&mut self) -> String {
        let place = Place { depth: 0, atomic: false, in_loop: false };
        let mut parts = Vec::new();
        for _ in 0..self.rng.weighted(&[(6, 0), (3, 1), (1, 2)]) {
            parts.push(self.statement(place));
        }
        match self.rng.below(20) {
            0..14 => parts.push(self.repetition(place)),
            14..17 => parts.push(self.statement(place)),
            _ => parts.push(self.comparison_statement()),
        }
        if self.rng.chance(15) {
            parts.push(self.statement(place));
        }
        parts.iter_mut().for_each(|part| *part = self.labelled(part.clone(), 30));
        parts.join(";\n")
    }

    fn repetition(&mut self, place: Place) -> String {
        let inner = Place { depth: place.depth + 1, in_loop: true, ..place };
        let mut options: Vec<String> =
            (0..self.rng.weighted(&[(3, 1), (5, 2), (2, 3)])).map(|_| self.option(inner)).collect();
        match self.rng.below(12) {
            0 => options.push(format!("else -> {}", self.assignment())),
            1 => options.push("else".into()),
            2 => options.push(format!("timeout -> {}", self.assignment())),
            3 => options.push(format!("{} -> break", self.guard())),
            _ => {}
        }
        format!("do\n{}\nod", render(&options))
    }

    /// A sequence that stands in an option: its first statement is no block, and has no label.
    fn option(&mut self, place: Place) -> String {
        let first = match self.rng.below(10) {
            0..3 => self.guard(),
            3..6 => self.message().unwrap_or_else(|| self.assignment()),
            6 if place.depth < 2 => self.atomic(place),
            _ => self.assignment(),
        };
        let mut parts = vec![first];
        for _ in 0..self.rng.weighted(&[(4, 0), (5, 1), (2, 2)]) {
            let statement = self.statement(place);
            parts.push(self.labelled(statement, 20));
        }
        if place.in_loop && self.rng.chance(5) {
            parts.push("break".into());
        }
        parts.join("; ")
    }

    fn statement(&mut self, place: Place) -> String {
        let nested = place.depth < 2 && !place.atomic;
        if self.ingredients.errors && self.rng.chance(15) {
            return self.error();
        }
        match self.rng.below(23) {
            0..9 => self.assignment(),
            9..13 => self.message().unwrap_or_else(|| self.comparison_statement()),
            13 | 14 => self.comparison_statement(),
            15 if self.ingredients.dynamic && !place.atomic => {
                format!("(_nr_pr < {}); run W()", self.rng.range(3, 5))
            }
            15 => "skip".into(),
            16 | 17 if nested => self.atomic(place),
            18 if nested => self.d_step(),
            19 | 20 if nested => {
                let inner = Place { depth: place.depth + 1, ..place };
                let mut options = vec![self.option(inner), self.option(inner)];
                if self.rng.chance(30) {
                    options.push("else".into());
                }
                format!("if\n{}\nfi", render(&options))
            }
            21 if nested && self.rng.chance(30) => self.repetition(place),
            22 if nested && self.ingredients.unless && self.rng.chance(30) => {
                let main = format!("{}; {}", self.assignment(), self.comparison_statement());
                format!("{{ {main} }} unless {{ {}; {} }}", self.comparison_statement(), self.assignment())
            }
            _ => self.assignment(),
        }
    }

    fn d_step(&mut self) -> String {
        let buffered: Vec<String> =
            self.channels.iter().filter(|(_, capacity)| *capacity > 1).map(|(name, _)| name.clone()).collect();
        if !self.ingredients.polls || buffered.is_empty() || self.rng.chance(30) {
            return format!("d_step {{ {}; {} }}", self.assignment(), self.assignment());
        }
        let q = self.rng.pick(&buffered).clone();
        let (variable, value) = (self.variable(), self.rng.below(2));
        let last = self.assignment();
        match self.rng.below(3) {
            0 => format!("d_step {{ {q}?{value}; if :: {q}?{} :: else fi; {last} }}", 1 - value),
            1 => format!("d_step {{ len({q}) == 2 -> {q}?{variable}; {q}?_; {last} }}"),
            _ => format!("d_step {{ ({q}??[0] && {q}??[1]) -> {q}??{value}; {q}?{variable} }}"),
        }
    }

    /// A statement that may have no value, or fail.
    fn error(&mut self) -> String {
        match self.rng.below(4) {
            0 => format!("x = 1 / {}", self.variable()),
            1 => format!("a[{}] = {}", self.variable(), self.rng.below(2)),
            2 => format!("(a[{}] == 0)", self.variable()),
            _ => format!("assert({})", self.comparison()),
        }
    }

    fn atomic(&mut self, place: Place) -> String {
        let inner = Place { depth: place.depth + 1, atomic: true, ..place };
        let mut parts = Vec::new();
        for _ in 0..self.rng.range(1, 3) {
            parts.push(self.statement(inner));
        }
        format!("atomic {{ {} }}", parts.join("; "))
    }

    /// The statement, now and then with a label.
    fn labelled(&mut self, statement: String, percent: usize) -> String {
        if !self.rng.chance(percent) || statement.starts_with("atomic") || statement.starts_with("d_step") {
            return statement;
        }
        if statement.starts_with('{') {
            return statement;
        }
        let kind = match self.rng.below(6) {
            0..2 if self.ingredients.accept_labels => "accept",
            2..4 if self.ingredients.progress_labels => "progress",
            4 => "end",
            _ => "L",
        };
        self.accept_labels |= kind == "accept";
        self.progress_labels |= kind == "progress";
        self.labels += 1;
        let label = format!("{kind}{}", self.labels);
        self.own_labels.push(label.clone());
        format!("{label}: {statement}")
    }

    fn variable(&mut self) -> String {
        self.rng.pick(&self.variables).0.clone()
    }

    fn assignment(&mut self) -> String {
        let (name, values) = self.rng.pick(&self.variables).clone();
        match self.rng.below(5) {
            0 | 1 => format!("{name} = ({name} + 1) % {values}"),
            _ => format!("{name} = {}", self.rng.below(values)),
        }
    }

    fn comparison(&mut self) -> String {
        let (name, values) = self.rng.pick(&self.variables).clone();
        let sign = *self.rng.pick(&["==", "==", "==", "!=", "<"]);
        let value = if sign == "<" { self.rng.range(1, values) } else { self.rng.below(values) };
        format!("{name} {sign} {value}")
    }

    fn comparison_statement(&mut self) -> String {
        format!("({})", self.comparison())
    }

    fn guard(&mut self) -> String {
        let buffered: Vec<String> =
            self.channels.iter().filter(|(_, capacity)| *capacity > 0).map(|(name, _)| name.clone()).collect();
        match self.rng.below(12) {
            0 => "true".into(),
            1 => "timeout".into(),
            2 | 3 if self.ingredients.polls && !buffered.is_empty() => {
                let channel = self.rng.pick(&buffered).clone();
                format!("({})", self.polls(&channel))
            }
            _ => self.comparison_statement(),
        }
    }

    fn message(&mut self) -> Option<String> {
        if self.channels.is_empty() {
            return None;
        }
        let (name, _) = self.rng.pick(&self.channels).clone();
        Some(match self.rng.below(6) {
            0..3 => format!("{name}!{}", self.rng.below(2)),
            3 => format!("{name}?{}", self.variable()),
            4 => format!("{name}?{}", self.rng.below(2)),
            _ => format!("{name}?_"),
        })
    }
}

fn render(options: &[String]) -> String {
    options.iter().map(|option| format!(":: {}", indent(option).trim_start())).collect::<Vec<_>>().join("\n")
}

fn indent(text: &str) -> String {
    text.lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::differential::network;
    use bughound_promela::lower::LowerOptions;

    #[test]
    fn models_are_accepted_and_differ() {
        let mut rng = Rng::new(1);
        let mut last = String::new();
        let mut words = [
            ("accept", 0),
            ("progress", 0),
            ("atomic", 0),
            ("timeout", 0),
            ("@", 0),
            ("init", 0),
            ("?[", 0),
            ("W:wv", 0),
            ("run W", 0),
            ("; q?", 0),
        ];
        for _ in 0..300 {
            let model = random(&mut rng, Ingredients::ALL);
            let result = network(&model.text, LowerOptions::default());
            assert!(result.is_ok(), "{:?}\n{}", result.err(), model.text);
            assert!(model.text != last && !model.atoms.is_empty());
            let all = format!("{}{}", model.text, model.atoms.concat());
            words.iter_mut().for_each(|(word, count)| *count += usize::from(all.contains(*word)));
            last = model.text;
        }
        assert!(words.iter().all(|(_, count)| *count > 15), "{words:?}");
    }
}
