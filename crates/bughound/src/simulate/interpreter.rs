//! Commands at work on a session.

use bughound_kernel::StopSignal;
use bughound_trace::chart::{ChartOptions, render_chart};
use bughound_trace::{Filter, TextOptions, render_text, values};

use super::command::{Command, HELP, parse};
use super::describe::{choice_text, step_text};
use super::ending::Ending;
use super::session::Session;
use super::trace_file::save_text;
use crate::condition::parse_condition;
use crate::model::{Model, ModelOptions};

/// What came of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    pub lines: Vec<String>,
    /// The run is at another place than before.
    pub moved: bool,
    pub quit: bool,
    /// The command was wrong or impossible.
    pub refused: bool,
}

/// A session under the hands of a user.
pub struct Interpreter<'m> {
    model: &'m Model,
    options: &'m ModelOptions,
    session: Session<'m>,
    watched: Vec<String>,
    /// Most steps of one `until`.
    limit: usize,
    stop: &'m StopSignal,
}

/// More steps of one command are not listed one by one.
const MOST_LISTED: usize = 50;

impl<'m> Interpreter<'m> {
    pub fn new(
        model: &'m Model,
        options: &'m ModelOptions,
        session: Session<'m>,
        limit: usize,
        stop: &'m StopSignal,
    ) -> Interpreter<'m> {
        Interpreter { model, options, session, watched: Vec::new(), limit, stop }
    }

    pub fn session(&self) -> &Session<'m> {
        &self.session
    }

    pub fn model(&self) -> &'m Model {
        self.model
    }

    pub fn watched(&self) -> &[String] {
        &self.watched
    }

    /// Executes a line.
    pub fn execute(&mut self, line: &str) -> Answer {
        match parse(line) {
            Ok(command) => self.perform(command),
            Err(message) => refusal(message),
        }
    }

    pub fn perform(&mut self, command: Command) -> Answer {
        match command {
            Command::Nothing => told(Vec::new()),
            Command::Take(number) => match number.checked_sub(1).map(|at| self.session.take(at).map(|_| ())) {
                Some(Ok(())) => self.moved(self.session.taken().len() - 1, None),
                Some(Err(error)) => refusal(error.to_string()),
                None => refusal("choices are counted from 1".into()),
            },
            Command::Undo(steps) => match self.session.undo(steps) {
                0 => refusal("there is nothing to take back".into()),
                1 => Answer { moved: true, ..told(vec!["took back 1 step".into()]) },
                back => Answer { moved: true, ..told(vec![format!("took back {back} steps")]) },
            },
            Command::Random(steps) => self.run(steps, None),
            Command::Until(text) => self.until(&text),
            Command::Watch(None) if self.watched.is_empty() => told(vec!["nothing is watched".into()]),
            Command::Watch(None) => told(self.watched.iter().map(|w| format!("watching {w}")).collect()),
            Command::Watch(Some(pattern)) => self.watch(pattern),
            Command::Unwatch(pattern) => self.unwatch(pattern.as_deref()),
            Command::State => told(self.values(&Filter::default())),
            Command::Choices => told(self.choices()),
            Command::History => told(self.history()),
            Command::Chart => told(self.chart(ChartOptions::default())),
            Command::Save(file) => self.save(&file),
            Command::Help => told(HELP.iter().map(|(what, does)| format!("{what:<22}{does}")).collect()),
            Command::Quit => Answer { quit: true, ..told(Vec::new()) },
        }
    }

    /// The steps from this one on, what they printed, and why it is over if it is.
    fn moved(&self, from: usize, ending: Option<&Ending>) -> Answer {
        let taken = &self.session.taken()[from..];
        let mut lines = Vec::new();
        let skipped = taken.len().saturating_sub(MOST_LISTED);
        if skipped > 0 {
            let steps = if skipped == 1 { "step" } else { "steps" };
            lines.push(format!("  … {skipped} {steps} (see `history`)"));
        }
        for (at, step) in taken.iter().enumerate() {
            if at >= skipped {
                lines.push(format!("{:>5}  {}", from + at + 1, step_text(self.session.network(), &step.shown)));
            }
            for printed in &step.shown.printed {
                lines.extend(printed.trim_end_matches('\n').split('\n').map(|line| format!("       prints: {line}")));
            }
            lines.extend(step.shown.failures.iter().map(|failure| format!("       {failure}")));
        }
        match ending.cloned().or_else(|| self.session.ending()) {
            Some(Ending::StepLimit(_) | Ending::Stopped | Ending::Failure(_)) | None => {}
            Some(ending) => lines.extend(self.ending_lines(&ending)),
        }
        if !self.watched.is_empty() {
            lines.extend(self.watched_values());
        }
        Answer { moved: true, ..told(lines) }
    }

    /// Why a run is over, with the blocked processes of a deadlock.
    pub fn ending_lines(&self, ending: &Ending) -> Vec<String> {
        let mut only_reason = self.session.trace(self.session.reason(ending), None);
        only_reason.steps.clear();
        render_text(&only_reason, &TextOptions::default()).lines().map(str::to_string).collect()
    }

    fn run(&mut self, limit: usize, until: Option<&bughound_ir::expr::Expr>) -> Answer {
        if let Some(ending) = self.session.ending() {
            return refusal(format!("the run is over: {}", ending.text()));
        }
        let from = self.session.taken().len();
        let ending = self.session.run(limit, until, self.stop);
        if matches!(ending, Ending::Interrupted(_)) {
            // The next command starts afresh.
            self.stop.lower();
        }
        let mut answer = self.moved(from, Some(&ending));
        if until.is_some() && matches!(ending, Ending::StepLimit(_)) {
            let steps = if limit == 1 { "step" } else { "steps" };
            answer.lines.push(format!("the condition was not true within {limit} {steps}"));
        }
        answer
    }

    fn until(&mut self, text: &str) -> Answer {
        match parse_condition(self.model, text) {
            Err(message) => refusal(message),
            Ok(condition) if self.session.holds(&condition) => told(vec!["the condition is true already".into()]),
            Ok(condition) => self.run(self.limit, Some(&condition)),
        }
    }

    fn watch(&mut self, pattern: String) -> Answer {
        let filter = Filter { show: vec![pattern.clone()], hide: Vec::new() };
        let found = self.values(&filter);
        if !self.watched.contains(&pattern) {
            self.watched.push(pattern);
        }
        if found.is_empty() { told(vec!["nothing matches now".into()]) } else { told(found) }
    }

    fn unwatch(&mut self, pattern: Option<&str>) -> Answer {
        let before = self.watched.len();
        self.watched.retain(|watched| pattern.is_some_and(|p| p != watched));
        if self.watched.len() == before {
            return refusal("this is not watched".into());
        }
        told(vec![format!(
            "watching {} now",
            match self.watched.len() {
                0 => "nothing".to_string(),
                _ => self.watched.join(", "),
            }
        )])
    }

    /// Variables and channels that the filter admits.
    pub fn values(&self, filter: &Filter) -> Vec<String> {
        let values = values(self.session.network(), self.session.state());
        values.into_iter().filter(|v| filter.admits(&v.name)).map(|v| format!("{} = {}", v.name, v.value)).collect()
    }

    /// The variables that are watched.
    pub fn watched_values(&self) -> Vec<String> {
        let values = self.values(&Filter { show: self.watched.clone(), hide: Vec::new() });
        values.into_iter().map(|value| format!("       {value}")).collect()
    }

    /// The choices, numbered; why there is none if there is none.
    pub fn choices(&self) -> Vec<String> {
        if let Some(ending) = self.session.ending() {
            return vec![format!("the run is over: {}", ending.text())];
        }
        let (network, state) = (self.session.network(), self.session.state());
        let choices = self.session.choices().iter().enumerate();
        choices.map(|(at, choice)| format!("{:>5}) {}", at + 1, choice_text(network, state, choice))).collect()
    }

    /// The steps so far, numbered.
    pub fn history(&self) -> Vec<String> {
        let steps = self.session.taken().iter().enumerate();
        steps.map(|(at, t)| format!("{:>5}  {}", at + 1, step_text(self.session.network(), &t.shown))).collect()
    }

    /// The message sequence chart so far.
    pub fn chart(&self, options: ChartOptions) -> Vec<String> {
        let mut chart = self.session.chart();
        if let Some(ending) = self.session.ending() {
            chart.end_with(&self.session.reason(&ending));
        }
        render_chart(&chart, &options).lines().map(str::to_string).collect()
    }

    fn save(&self, file: &str) -> Answer {
        let written = save_text(self.model, self.options, &self.session)
            .and_then(|text| std::fs::write(file, text).map_err(|error| format!("{file}: {error}")));
        match written {
            Ok(()) => told(vec![format!("saved; show it with: bughound trace {file}")]),
            Err(message) => refusal(message),
        }
    }
}

fn told(lines: Vec<String>) -> Answer {
    Answer { lines, moved: false, quit: false, refused: false }
}

fn refusal(message: String) -> Answer {
    Answer { lines: vec![message], moved: false, quit: false, refused: true }
}
