//! The panes.

use bughound_trace::Filter;
use bughound_trace::chart::ChartOptions;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::Line;
use ratatui::widgets::{Block, Paragraph};

use super::super::command::HELP;
use super::app::{App, View};

/// What the keys do.
const KEYS: [(&str, &str); 10] = [
    ("↑ ↓ Enter, 1…9", "choose and take a step"),
    ("u", "take back the last step"),
    ("r, R", "one random step, ten"),
    ("c", "message sequence chart on and off"),
    ("n", "go on until a condition is true"),
    ("w", "watch variables"),
    ("s", "save the run"),
    ("PgUp PgDn ← → End", "scroll"),
    (":", "any command of the prompt:"),
    ("q", "quit"),
];

/// Draws everything.
pub fn draw(frame: &mut Frame<'_>, app: &App<'_, '_>) {
    let choices = app.interpreter.session().choices().len().clamp(1, 12) as u16 + 2;
    let [top, middle, bottom] =
        Layout::vertical([Constraint::Length(choices), Constraint::Min(4), Constraint::Length(1)]).areas(frame.area());
    let [choosing, printing] = Layout::horizontal([Constraint::Percentage(65), Constraint::Fill(1)]).areas(top);
    let [large, state] = Layout::horizontal([Constraint::Percentage(65), Constraint::Fill(1)]).areas(middle);
    draw_choices(frame, app, choosing);
    draw_tail(frame, "output", &printed(app), printing);
    draw_large(frame, app, large);
    draw_state(frame, app, state);
    let line = match &app.typing {
        Some(typed) => format!(":{typed}▏"),
        None => app.message.last().cloned().unwrap_or_default(),
    };
    let style = Style::new().add_modifier(Modifier::REVERSED);
    let padded = format!(" {:<width$}", line.trim(), width = bottom.width as usize);
    frame.render_widget(Paragraph::new(padded).style(style), bottom);
}

fn draw_choices(frame: &mut Frame<'_>, app: &App<'_, '_>, area: Rect) {
    let room = area.height.saturating_sub(2) as usize;
    let first = (app.selected + 1).saturating_sub(room.max(1));
    let over = app.interpreter.session().ending().is_some();
    let lines = app.interpreter.choices().into_iter().enumerate().skip(first).take(room).map(|(at, text)| {
        let style = match (over, at == app.selected) {
            (true, _) => Style::new().fg(Color::Red),
            (false, true) => Style::new().add_modifier(Modifier::REVERSED),
            (false, false) => Style::new(),
        };
        Line::styled(text, style)
    });
    let count = app.interpreter.session().choices().len();
    let block = Block::bordered().title(format!(" choices ({count}) "));
    frame.render_widget(Paragraph::new(lines.collect::<Vec<_>>()).block(block), area);
}

fn printed(app: &App<'_, '_>) -> Vec<String> {
    let all: String = app.interpreter.session().taken().iter().flat_map(|t| &t.shown.printed).cloned().collect();
    all.lines().map(str::to_string).collect()
}

/// The last lines of a text.
fn draw_tail(frame: &mut Frame<'_>, title: &str, lines: &[String], area: Rect) {
    let room = area.height.saturating_sub(2) as usize;
    let shown: Vec<Line<'_>> =
        lines[lines.len().saturating_sub(room)..].iter().map(|line| Line::raw(line.as_str())).collect();
    frame.render_widget(Paragraph::new(shown).block(Block::bordered().title(format!(" {title} "))), area);
}

fn draw_large(frame: &mut Frame<'_>, app: &App<'_, '_>, area: Rect) {
    let (title, lines) = match app.view {
        View::History => (" history ", history(app)),
        View::Chart => {
            let width = area.width.saturating_sub(2) as usize;
            (" message sequence chart ", app.interpreter.chart(ChartOptions { width, ..ChartOptions::default() }))
        }
        View::Help => {
            let line = |(key, does): &(&str, &str)| format!("{key:<22}{does}");
            let keys = KEYS.iter().map(line);
            let commands = HELP.iter().map(|command| format!("  {}", line(command)));
            (" keys ", keys.chain(commands).collect())
        }
    };
    let room = area.height.saturating_sub(2) as usize;
    let most = lines.len().saturating_sub(room);
    let first = if app.view == View::Help { app.back.min(most) } else { most.saturating_sub(app.back) };
    let mut shown: Vec<Line<'_>> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        // The names of the lifelines stay in sight.
        let stays = app.view == View::Chart && at == 0;
        if stays || (at >= first + usize::from(app.view == View::Chart && first > 0) && shown.len() < room) {
            shown.push(Line::raw(line.chars().skip(app.right).collect::<String>()));
        }
    }
    frame.render_widget(Paragraph::new(shown).block(Block::bordered().title(title)), area);
}

/// The steps, and at the end why it is over.
fn history(app: &App<'_, '_>) -> Vec<String> {
    let mut lines = app.interpreter.history();
    if let Some(last) = app.interpreter.session().taken().last() {
        lines.extend(last.shown.failures.iter().map(|failure| format!("       {failure}")));
    }
    if let Some(ending) = app.interpreter.session().ending() {
        lines.extend(app.interpreter.ending_lines(&ending));
    }
    lines
}

fn draw_state(frame: &mut Frame<'_>, app: &App<'_, '_>, area: Rect) {
    let watched = app.interpreter.watched();
    let title = if watched.is_empty() { " state " } else { " watched " };
    let values = app.interpreter.values(&Filter { show: watched.to_vec(), hide: Vec::new() });
    let changed: Vec<&str> = app
        .interpreter
        .session()
        .taken()
        .last()
        .map(|taken| taken.shown.changes.iter().map(|change| change.name.as_str()).collect())
        .unwrap_or_default();
    let lines: Vec<Line<'_>> = values
        .into_iter()
        .map(|value| {
            let name = value.split(" = ").next().unwrap_or_default();
            let style = if changed.contains(&name) { Style::new().add_modifier(Modifier::BOLD) } else { Style::new() };
            Line::styled(value, style)
        })
        .collect();
    frame.render_widget(Paragraph::new(lines).block(Block::bordered().title(title)), area);
}
