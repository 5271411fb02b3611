//! A trace as text: numbered steps, each with process, line and statement, and what changed.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::Range;

use crate::bounds::{
    LINE_WIDTH, MOST_BLOCKED, MOST_CHANGES, MOST_PRINTED, TextBounds, WIDEST_REASON, WIDEST_STATEMENT, clipped, first,
    shown_steps, wrapped,
};
use crate::changes::ValueOf;
use crate::explain::{BlockedProcess, ConditionInRun, InCycle};
use crate::replay::{Participant, Place, Trace, TraceStep};
use crate::timing::Moment;

/// Which variables are shown, by simple patterns with `*` and `?`.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// If there are any, only variables that match one.
    pub show: Vec<String>,
    /// Variables that match one are left out.
    pub hide: Vec<String>,
}

impl Filter {
    pub fn admits(&self, name: &str) -> bool {
        let any = |patterns: &[String]| patterns.iter().any(|pattern| matches(pattern, name));
        (self.show.is_empty() || any(&self.show)) && !any(&self.hide)
    }
}

/// Does the name match the pattern? `*` stands for any characters, `?` for one.
pub fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    // Greedy matching with one point of return, at the last star.
    let (mut p, mut n, mut star) = (0, 0, None);
    while n < name.len() {
        if p < pattern.len() && pattern[p] == '*' {
            star = Some((p, n));
            p += 1;
        } else if p < pattern.len() && (pattern[p] == '?' || pattern[p] == name[n]) {
            (p, n) = (p + 1, n + 1);
        } else if let Some((at, from)) = star {
            (p, n) = (at + 1, from + 1);
            star = Some((at, from + 1));
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

/// What of each state is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shown {
    #[default]
    Changes,
    FullStates,
}

#[derive(Clone, Debug, Default)]
pub struct TextOptions {
    pub shown: Shown,
    pub filter: Filter,
    /// With ANSI colours.
    pub color: bool,
    /// What is left out; `None`: nothing.
    pub bounds: Option<TextBounds>,
}

/// The steps and the reason.
pub fn render_text(trace: &Trace, options: &TextOptions) -> String {
    let shown = shown_steps(trace, options.bounds);
    let columns = Columns::of(trace, &shown);
    let widest = options.bounds.map(TextBounds::columns);
    let mut out = Renderer { trace, options, columns, shown, widest, out: String::new() };
    out.initial();
    out.steps();
    out.widest = options.bounds.map(|_| WIDEST_REASON);
    out.reason();
    out.out
}

/// Widths of the columns.
struct Columns {
    number: usize,
    time: usize,
    delay: usize,
    process: usize,
    place: usize,
    statement: usize,
}

impl Columns {
    fn of(trace: &Trace, shown: &[Range<usize>]) -> Columns {
        let steps = || shown.iter().cloned().flatten();
        let all = || steps().flat_map(|at| &trace.steps[at].participants);
        let wide = |text: &str| text.chars().count();
        let timing = trace.timing.iter();
        let moments = || timing.clone().flat_map(|timing| steps().map(|at| &timing.steps[at]).chain([&timing.end]));
        Columns {
            number: trace.steps.len().to_string().len().max(2),
            time: moments().map(|m| wide(&time_text(m))).max().unwrap_or(0),
            delay: moments().map(|m| wide(&delay_text(m))).max().unwrap_or(0),
            process: all().map(|p| wide(&p.process)).max().unwrap_or(0),
            place: all().map(|p| wide(&whereabouts(trace, p))).max().unwrap_or(0),
            statement: all().map(|p| wide(&p.text)).filter(|w| *w <= WIDEST_STATEMENT).max().unwrap_or(0),
        }
    }

    /// Width of both columns about time, with the room after them.
    fn times(&self) -> usize {
        [self.time, self.delay].into_iter().filter(|width| *width > 0).map(|width| width + 2).sum()
    }

    /// Where the changes begin.
    fn before_changes(&self) -> usize {
        2 + self.number + 3 + self.times() + self.process + 2 + self.place + 2 + self.statement + 3
    }
}

/// `@ 3.5`
fn time_text(moment: &Moment) -> String {
    format!("@ {}", moment.time.decimal())
}

/// `after 0.5`; nothing where no time passes.
fn delay_text(moment: &Moment) -> String {
    if moment.delay.is_zero() { String::new() } else { format!("after {}", moment.delay.decimal()) }
}

/// `idle → busy`, or the place of the statement where locations have no names: `line 4`, or `line 20 › 4` if line 4 is in
/// an inline that line 20 calls.
fn whereabouts(trace: &Trace, who: &Participant) -> String {
    match &who.route {
        Some((from, to)) => format!("{from} → {to}"),
        None => {
            // From the call of an inline to the statement in it.
            let places = who.calls.iter().chain([&who.source]).map(|place| place_text(trace, place));
            let short = |(at, text): (usize, String)| match text.strip_prefix("line ") {
                Some(line) if at > 0 => line.into(),
                _ => text,
            };
            places.enumerate().map(short).collect::<Vec<String>>().join(" › ")
        }
    }
}

/// `line 4`, or `other.pml:4` in another file than the main one.
fn place_text(trace: &Trace, place: &Place) -> String {
    match place.line {
        0 => String::new(),
        line if place.file == trace.main_file => format!("line {line}"),
        line => format!("{}:{line}", place.file),
    }
}

struct Renderer<'a> {
    trace: &'a Trace,
    options: &'a TextOptions,
    columns: Columns,
    shown: Vec<Range<usize>>,
    /// Columns of a line, at most.
    widest: Option<usize>,
    out: String,
}

impl Renderer<'_> {
    fn line(&mut self, text: &str) {
        match self.widest {
            Some(columns) => self.out.push_str(&clipped(text.trim_end(), columns)),
            None => self.out.push_str(text.trim_end()),
        }
        self.out.push('\n');
    }

    fn dim(&self, text: &str) -> String {
        if self.options.color && !text.is_empty() { format!("\x1b[2m{text}\x1b[0m") } else { text.into() }
    }

    fn red(&self, text: &str) -> String {
        if self.options.color { format!("\x1b[31m{text}\x1b[0m") } else { text.into() }
    }

    /// Items separated by commas, wrapped, with an indentation.
    fn wrapped(&mut self, head: &str, items: &[String], indent: usize) {
        let width = self.widest.map_or(LINE_WIDTH, |columns| columns.min(LINE_WIDTH));
        wrapped(head, items, indent, width).iter().for_each(|line| self.line(line));
    }

    fn initial(&mut self) {
        if self.options.shown == Shown::FullStates {
            let clocks = self.trace.timing.as_ref().map(|timing| timing.initial()).unwrap_or_default();
            let values = self.admitted(self.trace.initial.iter().chain(&clocks));
            self.wrapped("  initially  ", &values, 13);
        }
    }

    fn admitted<'v>(&self, values: impl IntoIterator<Item = &'v ValueOf>) -> Vec<String> {
        let admitted = values.into_iter().filter(|v| self.options.filter.admits(&v.name));
        admitted.map(|v| format!("{} = {}", v.name, v.value)).collect()
    }

    fn steps(&mut self) {
        let trace = self.trace;
        let mut state: BTreeMap<usize, ValueOf> = trace.initial.iter().cloned().enumerate().collect();
        let full = self.options.shown == Shown::FullStates;
        let mut done = 0;
        for range in std::mem::take(&mut self.shown) {
            if range.start > done {
                self.left_out(range.start - done);
            }
            for at in done..range.end {
                let step = &trace.steps[at];
                if full {
                    apply(&mut state, step, trace.timing.as_ref().map_or(&[], |timing| &timing.clocks));
                }
                if at < range.start {
                    continue;
                }
                if let Some(text) = trace.lasso.and_then(|lasso| lasso.beginning(at + 1)) {
                    self.mark(&text);
                }
                self.step(at + 1, step, at > 0 && trace.steps[at - 1].keeps_control);
                if full {
                    let clocks = trace.timing.as_ref().map(|timing| timing.values(&timing.steps[at]));
                    let values = self.admitted(state.values().chain(clocks.iter().flatten()));
                    let indent = 2 + self.columns.number + 3;
                    self.wrapped(&" ".repeat(indent), &values, indent);
                }
            }
            done = range.end;
        }
        if let Some(lasso) = trace.lasso {
            self.mark(&lasso.ending());
        }
        self.last_delay();
    }

    /// Says that steps are missing here, and how to see them.
    fn left_out(&mut self, steps: usize) {
        let hint = self.options.bounds.map_or("", |bounds| bounds.hint);
        let words = if steps == 1 { "1 step is".into() } else { format!("{steps} steps are") };
        self.mark(&format!("{words} left out here{hint}"));
    }

    /// The time that passes after the last step until what is claimed is true, and the clocks then.
    fn last_delay(&mut self) {
        let Some(timing) = self.trace.timing.as_ref().filter(|timing| !timing.end.delay.is_zero()) else { return };
        let head = format!("  {:number$}   {}", "", self.times(&timing.end), number = self.columns.number);
        let values = self.admitted(&timing.values(&timing.end));
        self.wrapped(&head, &values, head.chars().count());
    }

    /// The columns about time.
    fn times(&self, moment: &Moment) -> String {
        let column = |text: String, width: usize| if width > 0 { format!("{text:<width$}  ") } else { String::new() };
        column(time_text(moment), self.columns.time) + &column(delay_text(moment), self.columns.delay)
    }

    /// A line between steps.
    fn mark(&mut self, text: &str) {
        let text = format!("{}── {text} ──", " ".repeat(2 + self.columns.number + 3));
        let text = if self.options.color { format!("\x1b[1m{text}\x1b[0m") } else { text };
        self.line(&text);
    }

    fn step(&mut self, number: usize, step: &TraceStep, chained_before: bool) {
        let (notes, index) = (self.notes(step), number - 1);
        let last = step.participants.len().saturating_sub(1);
        for (at, who) in step.participants.iter().enumerate() {
            let shown = if at == 0 { number.to_string() } else { String::new() };
            let (number, process, place) = (self.columns.number, self.columns.process, self.columns.place);
            let bar =
                bar(chained_before || at > 0, step.keeps_control || at < last, chained_before || step.keeps_control);
            let times = match &self.trace.timing {
                Some(timing) if at == 0 => self.times(&timing.steps[index]),
                _ => " ".repeat(self.columns.times()),
            };
            let mut line = format!("  {shown:>number$} {bar} {times}{:<process$}  ", who.process);
            let _ = write!(line, "{}  ", self.dim(&format!("{:<place$}", whereabouts(self.trace, who))));
            let statement = self.columns.statement;
            let _ = write!(line, "{:<statement$}   ", who.text);
            if at < last {
                self.line(&line);
                continue;
            }
            let indent = self.columns.before_changes();
            if who.text.chars().count() > statement && !notes.is_empty() {
                self.line(&line);
                line = " ".repeat(indent);
            }
            self.wrapped(&line, &notes, indent);
        }
        let indent = " ".repeat(2 + self.columns.number + 3);
        let printed: Vec<&str> = step.printed.iter().flat_map(|p| p.trim_end_matches('\n').split('\n')).collect();
        let (printed, more) = first(&printed, MOST_PRINTED, self.options.bounds);
        for text in printed {
            let prints = self.dim("prints:");
            self.line(&format!("{indent}{prints} {text}"));
        }
        if more > 0 {
            self.line(&format!("{indent}… and {more} lines more"));
        }
        // The last failure is told at the end, with more words.
        let told = number == self.trace.steps.len() && self.trace.reason.source.is_some();
        for failure in step.failures.iter().filter(|_| !told) {
            let failure = self.red(failure);
            self.line(&format!("{indent}{failure}"));
        }
    }

    /// What the step changed, in words.
    fn notes(&self, step: &TraceStep) -> Vec<String> {
        let mut notes: Vec<String> = Vec::new();
        notes.extend(step.chance_in_words());
        let mut own: Vec<(String, Vec<String>)> = step.started.iter().map(|name| (name.clone(), Vec::new())).collect();
        let news = step.changes.iter().filter(|c| c.is_news() && self.options.filter.admits(&c.name));
        for change in news.filter(|_| self.options.shown == Shown::Changes) {
            let new = change.new.as_deref().unwrap_or_default();
            if let Some(old) = &change.old {
                notes.push(format!("{}: {old} → {new}", change.name));
            } else if let Some((local, values)) = own.iter_mut().find_map(|(process, values)| {
                change.name.strip_prefix(process.as_str())?.strip_prefix(':').map(|local| (local, values))
            }) {
                values.push(format!("{local} = {new}"));
            }
        }
        notes.extend(own.into_iter().map(|(name, values)| match values[..] {
            [] => format!("{name} starts"),
            _ => format!("{name} starts with {}", values.join(", ")),
        }));
        notes.extend(step.ended.iter().map(|name| format!("{name} ends")));
        let more = first(&notes, MOST_CHANGES, self.options.bounds).1;
        if more > 0 {
            notes.truncate(notes.len() - more);
            notes.push(format!("… and {more} more"));
        }
        notes
    }

    fn reason(&mut self) {
        let reason = &self.trace.reason;
        if !self.trace.steps.is_empty() || self.trace.lasso.is_some() || self.options.shown == Shown::FullStates {
            self.line("");
        }
        let place = reason.source.as_ref().map_or(String::new(), |source| match place_text(self.trace, source) {
            text if text.is_empty() => text,
            text => format!(" ({text})"),
        });
        let headline = self.red(&reason.headline);
        self.line(&format!("{headline}{place}"));
        for part in &reason.parts {
            let values: Vec<String> = part.values.iter().map(|(name, value)| format!("{name} = {value}")).collect();
            let truth = if part.is_true { "true" } else { "false" };
            let because = if values.is_empty() { String::new() } else { format!(": {}", values.join(", ")) };
            self.line(&format!("  `{}` is {truth}{because}", part.text));
        }
        self.blocked(&reason.blocked);
        self.cycle();
    }

    /// What is true in a loop, and who moves there.
    fn cycle(&mut self) {
        let Some(facts) = &self.trace.reason.cycle else { return };
        for condition in &facts.conditions {
            self.line(&format!("  `{}` is {}", condition.text, in_run(condition)));
        }
        if self.trace.lasso.is_some_and(|lasso| lasso.fair && lasso.loop_length > 0) {
            self.wrapped("  moving in the loop: ", &facts.moving, 22);
            if !facts.idle.is_empty() {
                self.line("  not moving, because at times they cannot:");
            }
            self.blocked(&facts.idle);
        }
        if !facts.starved.is_empty() {
            self.wrapped("  could always move, but never do (the run is not fair to them): ", &facts.starved, 22);
        }
    }

    /// The stuck processes in a table, then those that may rest where they are.
    fn blocked(&mut self, blocked: &[BlockedProcess]) {
        let (resting, stuck): (Vec<_>, Vec<_>) = blocked.iter().partition(|b| b.may_rest);
        let mut rows: Vec<[String; 4]> = Vec::new();
        for blocked in stuck {
            let place = |source: &Place| place_text(self.trace, source);
            if blocked.waits.is_empty() {
                let why = "nothing can follow here".to_string();
                rows.push([blocked.process.clone(), place(&blocked.source), String::new(), why]);
            }
            for (at, wait) in blocked.waits.iter().enumerate() {
                let name = if at == 0 { blocked.process.clone() } else { String::new() };
                rows.push([name, place(&wait.source), wait.text.clone(), wait.why.clone()]);
            }
        }
        let more = first(&rows, MOST_BLOCKED, self.options.bounds).1;
        rows.truncate(rows.len() - more);
        let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let (process, place, statement) = (width(0), width(1), width(2).min(WIDEST_STATEMENT));
        for [name, at, text, why] in rows {
            let at = self.dim(&format!("{at:<place$}"));
            self.line(&format!("  {name:<process$}  {at}  {text:<statement$}   {why}"));
        }
        if more > 0 {
            self.line(&format!("  … and {more} more"));
        }
        if !resting.is_empty() {
            let name = |b: &&BlockedProcess| match place_text(self.trace, &b.source) {
                at if at.is_empty() => b.process.clone(),
                at => format!("{} ({at})", b.process),
            };
            let names: Vec<String> = resting.iter().map(name).collect();
            self.wrapped("  at an end state: ", &names, 19);
        }
    }
}

/// `never true`, `true after step 5 and for ever`.
fn in_run(condition: &ConditionInRun) -> String {
    match (condition.in_loop, condition.since) {
        (InCycle::Always, 0) => "always true".into(),
        (InCycle::Always, step) => format!("true after step {step} and for ever"),
        (InCycle::Never, 0) => "never true".into(),
        (InCycle::Never, step) => format!("false after step {step} and for ever"),
        (InCycle::Sometimes { states, of }, _) => format!("true in {states} of the {of} states of the loop"),
    }
}

/// The line beside the steps of an uninterrupted chain.
fn bar(joined_before: bool, joined_after: bool, in_chain: bool) -> &'static str {
    match (in_chain, joined_before, joined_after) {
        (false, ..) | (true, false, false) => " ",
        (true, false, true) => "┌",
        (true, true, true) => "│",
        (true, true, false) => "└",
    }
}

/// Brings the values of a state forward by one step, in the order of the first appearance of each name. Clocks change
/// without steps and are not among them.
fn apply(state: &mut BTreeMap<usize, ValueOf>, step: &TraceStep, clocks: &[String]) {
    for change in step.changes.iter().filter(|change| !clocks.contains(&change.name)) {
        let known = state.iter().find(|(_, v)| v.name == change.name).map(|(at, _)| *at);
        match (&change.new, known) {
            (None, Some(at)) => {
                state.remove(&at);
            }
            (None, None) => {}
            (Some(value), known) => {
                let next = state.keys().next_back().map_or(0, |last| last + 1);
                let value = ValueOf { name: change.name.clone(), value: value.clone() };
                state.insert(known.unwrap_or(next), value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        for (pattern, name, expected) in [
            ("x", "x", true),
            ("x", "xy", false),
            ("x*", "xy", true),
            ("*:x", "P(1):x", true),
            ("P(?):*", "P(1):x", true),
            ("*a*b*", "xxaxxbx", true),
            ("*a*b", "xxaxxbx", false),
            ("", "", true),
            ("*", "", true),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
        let filter = Filter { show: vec!["a*".into()], hide: vec!["*[1]".into()] };
        assert!(filter.admits("a[0]") && !filter.admits("a[1]") && !filter.admits("b"));
    }
}
