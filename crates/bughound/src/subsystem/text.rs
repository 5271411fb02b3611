//! A counterexample to a bound on a probability as text: what it comes to, its most probable paths, the commands that it
//! needs, and in a decision process what the scheduler decides.

use bughound_ir::chance::Number;
use bughound_trace::bounds::{MOST_CHANGES, first};
use bughound_trace::svg::shortened;
use bughound_trace::{Chance, Shown, TextOptions};

use super::folding::{Repeat, fold};
use super::table::{Row, StepRow, lines};
use crate::chances::{Counterexample, ShownPath, Shows};
use crate::numbers::{count, counted, exact_figure, figure};
use crate::text_table::text_table;

/// Paths in the list, commands, and decisions of the scheduler, at most.
const MOST_PATHS: usize = 3;
const MOST_COMMANDS: usize = 12;
const MOST_DECISIONS: usize = 12;
/// Commands beside one step, at most: several may lead to the same state.
const MOST_PARTS: usize = 4;
/// The state in front of a decision is cut to so many characters.
const WIDEST_STATE: usize = 60;

/// All of it, below the headline of the property.
pub fn render_text(shown: &Counterexample, options: &TextOptions) -> String {
    let mut text = Text { shown, options, out: String::new() };
    text.meaning();
    text.paths();
    text.commands();
    text.decisions();
    text.out
}

struct Text<'a> {
    shown: &'a Counterexample,
    options: &'a TextOptions,
    out: String,
}

impl Text<'_> {
    fn line(&mut self, text: &str) {
        let text = text.trim_end();
        match self.options.bounds {
            Some(bounds) => self.out.push_str(&bounds.clip(text)),
            None => self.out.push_str(text),
        }
        self.out.push('\n');
    }

    fn lines(&mut self, text: &str) {
        text.lines().for_each(|line| self.line(line));
    }

    /// How to see what is left out.
    fn more(&mut self, left_out: usize, one: &str) {
        if left_out > 0 {
            let hint = self.options.bounds.map_or("", |bounds| bounds.hint);
            self.line(&format!("  … and {} more{hint}", counted(left_out as u64, one)));
        }
    }

    /// What the probability is the probability of, where that is not obvious.
    fn meaning(&mut self) {
        if self.shown.shows == Shows::Avoids {
            let bound = self.shown.probability_and_bound().1;
            self.line("The goal is reached too seldom: these states lead to where it cannot be reached any more.");
            self.line(&format!("That may happen with probability {bound} at most."));
            self.line("");
        }
    }

    fn paths(&mut self) {
        let paths = &self.shown.paths;
        let Some(most_probable) = paths.first() else { return };
        let (listed, left_out) = first(paths, MOST_PATHS, self.options.bounds);
        let in_time = paths.iter().any(|path| path.in_time.is_some());
        let heading = |name: &str| name.to_string();
        let mut header = vec![heading("path"), heading("probability"), heading("together")];
        header.extend(in_time.then(|| heading("in time")));
        header.push(heading("steps"));
        let numbers = header.len();
        let mut rows = vec![header];
        let mut together = Some(Number::ZERO);
        for (path, number) in listed.iter().zip(1_u64..) {
            // What is too small for a number is not 0.
            together = together.zip(path.exact.as_ref()).map(|(sum, exact)| sum + exact);
            let of = |value: f64, exact: Option<&Number>| match exact {
                Some(exact) if value == 0.0 => exact_figure(exact),
                _ => figure(value),
            };
            let (own, sum) = (of(path.probability, path.exact.as_ref()), of(path.cumulated, together.as_ref()));
            let mut row = vec![count(number), own, sum];
            row.extend(in_time.then(|| path.in_time.map_or(String::new(), figure)));
            row.push(count(path.edges.len() as u64));
            row.push(if number == 1 { String::new() } else { self.in_short(path, most_probable) });
            rows.push(row);
        }
        self.line(if paths.len() == 1 { "The only path:" } else { "The most probable paths:" });
        self.lines(&text_table(&rows, |column| column < numbers));
        self.more(left_out, "path");
        if !most_probable.edges.is_empty() {
            self.line(if paths.len() == 1 { "\nIts steps:" } else { "\nThe steps of path 1:" });
            self.line("");
            self.steps(most_probable);
        }
    }

    /// What a path does after it has left the most probable one.
    fn in_short(&self, path: &ShownPath, most_probable: &ShownPath) -> String {
        let shared = path.edges.iter().zip(&most_probable.edges).take_while(|(a, b)| a == b).count();
        let rest = &path.edges[shared..];
        let way = self.changes_of(rest, &fold(rest));
        match (shared, rest.is_empty()) {
            (0, _) => way,
            (_, true) => format!("steps 1–{shared} of path 1"),
            (1, false) => format!("step 1 as path 1, then {way}"),
            (_, false) => format!("steps 1–{shared} as path 1, then {way}"),
        }
    }

    /// The changes along steps, separated by semicolons: `x: 0 → 1; (y: 0 → 1; y: 1 → 0) ×3`.
    fn changes_of(&self, edges: &[usize], repeats: &[Repeat]) -> String {
        let mut parts: Vec<String> = Vec::new();
        let (mut at, mut repeats) = (0, repeats.iter().copied().collect::<std::collections::VecDeque<_>>());
        while at < edges.len() {
            match repeats.pop_front_if(|repeat| repeat.first == at) {
                Some(repeat) => {
                    let (turn, inner) = (repeat.turn(), |inner: &&Repeat| repeat.turn().contains(&inner.first));
                    let moved = |inner: &Repeat| Repeat { first: inner.first - repeat.first, ..*inner };
                    let inner: Vec<Repeat> = repeats.iter().filter(inner).map(moved).collect();
                    repeats.drain(..inner.len());
                    parts.push(format!("({}) ×{}", self.changes_of(&edges[turn], &inner), repeat.times));
                    at = repeat.all().end;
                }
                None => {
                    let changes = self.changes(edges[at]);
                    parts.push(if changes.is_empty() { "no change".into() } else { changes.join(", ") });
                    at += 1;
                }
            }
        }
        parts.join("; ")
    }

    fn changes(&self, edge: usize) -> Vec<String> {
        let edge = &self.shown.edges[edge];
        let (before, after) = (&self.shown.states[edge.from], &self.shown.states[edge.to]);
        let changes = after.changes(before, &self.options.filter);
        changes.map(|(name, old, new)| format!("{name}: {old} → {new}")).collect()
    }

    /// The steps of a path, a loop that is repeated only once.
    fn steps(&mut self, path: &ShownPath) {
        if self.options.shown == Shown::FullStates {
            let initial = self.values(path.states(self.shown)[0]);
            self.line(&format!("  initially  {}", initial.join(", ")));
        }
        let mut rows = Vec::new();
        let mut repeats = fold(&path.edges).into_iter().peekable();
        let mut at = 0;
        // Ends of first turns, with what follows all turns.
        let mut turns: Vec<Repeat> = Vec::new();
        while at < path.edges.len() {
            while let Some(repeat) = repeats.next_if(|repeat| repeat.first == at) {
                rows.push(Row::Mark(repetition(&repeat)));
                turns.push(repeat);
            }
            rows.push(Row::Step(self.step(at + 1, path.edges[at])));
            at += 1;
            while let Some(repeat) = turns.pop_if(|repeat| repeat.turn().end == at) {
                at = repeat.all().end;
            }
        }
        let all = 0..rows.len();
        let columns = self.options.bounds.map(|bounds| bounds.columns());
        let ranges = self.options.bounds.map_or(vec![all.clone()], |bounds| bounds.ends_of(all));
        let hint = self.options.bounds.map_or("", |bounds| bounds.hint);
        if let [before, after] = &ranges[..] {
            let left_out = rows.drain(before.end..after.start).filter(|row| matches!(row, Row::Step(_))).count();
            let words =
                if left_out == 1 { "1 step is".into() } else { format!("{} steps are", count(left_out as u64)) };
            rows.insert(before.end, Row::Mark(format!("{words} left out here{hint}")));
        }
        lines(&rows, columns, self.options.color).iter().for_each(|line| self.line(line));
    }

    fn step(&self, number: usize, edge: usize) -> StepRow {
        let taken = &self.shown.edges[edge];
        let (commands, more) = first(&taken.commands, MOST_PARTS, self.options.bounds);
        let part = |command: &usize| {
            let command = &self.shown.commands[*command];
            [command.module.clone(), place(command.line), command.text.clone()]
        };
        let mut parts: Vec<[String; 3]> = commands.iter().map(part).collect();
        if more > 0 || parts.is_empty() {
            let words =
                if more > 0 { format!("… or {} more", counted(more as u64, "command")) } else { String::new() };
            parts.push([String::new(), String::new(), words]);
        }
        let mut notes: Vec<String> = taken.rate.iter().map(|rate| format!("rate {}", figure(*rate))).collect();
        if taken.probability != 1.0 {
            notes.push(Chance { number: taken.exact.clone(), is_rate: false }.to_string());
        }
        let values = match self.options.shown {
            Shown::Changes => self.changes(edge),
            Shown::FullStates => self.values(taken.to),
        };
        let (values, more) = first(&values, MOST_CHANGES, self.options.bounds);
        notes.extend_from_slice(values);
        notes.extend((more > 0).then(|| format!("… and {more} more")));
        StepRow { number, parts, notes }
    }

    fn values(&self, state: usize) -> Vec<String> {
        let admitted = self.shown.states[state].values.iter().filter(|(name, _)| self.options.filter.admits(name));
        admitted.map(|(name, value)| format!("{name} = {value}")).collect()
    }

    fn commands(&mut self) {
        let (all, needed) = (self.shown.commands_of_model, self.shown.commands.len());
        if needed == 0 {
            return;
        }
        let suffice = if needed == 1 { "suffices" } else { "suffice" };
        let of = format!("{} of {}", count(needed as u64), counted(all as u64, "command"));
        self.line(&format!("\n{of} {suffice}, with these expected numbers of steps:"));
        let (listed, left_out) = first(&self.shown.commands, MOST_COMMANDS, self.options.bounds);
        let row = |command: &crate::chances::ShownCommand| {
            vec![figure(command.flow), command.module.clone(), place(command.line), command.text.clone()]
        };
        let rows: Vec<Vec<String>> = listed.iter().map(row).collect();
        self.lines(&text_table(&rows, |column| column == 0));
        self.more(left_out, "command");
    }

    fn decisions(&mut self) {
        let telling = self.shown.telling_variables(&self.options.filter);
        let decided: Vec<Vec<String>> = self
            .shown
            .states
            .iter()
            .filter_map(|state| {
                let choice = state.choice.clone()?;
                let value = |name: &&str| format!("{name} = {}", state.value(name).unwrap_or_default());
                let values = telling.iter().map(value).collect::<Vec<_>>().join(", ");
                let values = self.options.bounds.map_or(values.clone(), |_| shortened(&values, WIDEST_STATE));
                Some(vec![values, choice])
            })
            .collect();
        if decided.is_empty() {
            return;
        }
        self.line(&format!("\nThe scheduler decides in {}:", counted(decided.len() as u64, "state")));
        let (listed, left_out) = first(&decided, MOST_DECISIONS, self.options.bounds);
        self.lines(&text_table(listed, |_| false));
        self.more(left_out, "state");
    }
}

fn place(line: Option<u32>) -> String {
    line.map_or(String::new(), |line| format!("line {line}"))
}

/// `(steps 4–9) ×3`
fn repetition(repeat: &Repeat) -> String {
    let (first, last) = (repeat.first + 1, repeat.turn().end);
    let steps = if first == last { format!("step {first}") } else { format!("steps {first}–{last}") };
    format!("({steps}) ×{}", repeat.times)
}
