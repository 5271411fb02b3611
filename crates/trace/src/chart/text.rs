//! A chart as text.
//!
//! One line for each event. An asynchronous message is an arrow towards its receiver where it was sent, and a mark with
//! the same number where it was received; a rendezvous is one double arrow. Labels that find no room between the
//! lifelines stand in the right margin.

use super::layout::{Columns, LEFT, MET, Row, SENT};
use super::{Chart, Event, EventKind, Fate};

#[derive(Clone, Copy, Debug)]
pub struct ChartOptions {
    /// Show steps without communication, too.
    pub local_steps: bool,
    /// Columns move together until the chart is this wide, if they can.
    pub width: usize,
}

impl Default for ChartOptions {
    fn default() -> Self {
        ChartOptions { local_steps: false, width: 110 }
    }
}

/// The chart as lines of text.
pub fn render_chart(chart: &Chart, options: &ChartOptions) -> String {
    let columns = Columns::of(chart, options.width);
    let mut out = String::new();
    heads(chart, &columns, &mut out);
    let mut last = 0;
    let loop_start = chart.loop_start();
    for (at, event) in chart.events.iter().enumerate() {
        if Some(at) == loop_start {
            between(&mut out, "the loop starts here");
        }
        if !chart.is_shown(event, options.local_steps) {
            continue;
        }
        let mut row = Row::new(&columns, |column| chart.alive(column, at));
        if event.step != last {
            row.write(0, &format!("{:>4}", event.step));
            last = event.step;
        }
        draw(chart, &columns, event, &mut row);
        row.finish(&mut out);
    }
    if last == 0 && !chart.lifelines.is_empty() {
        out.push_str(&format!("{}no messages\n", " ".repeat(LEFT)));
    }
    if loop_start == Some(chart.events.len()) {
        between(&mut out, "the loop starts here");
    }
    if let Some(lasso) = chart.lasso {
        between(&mut out, &lasso.ending());
    }
    verdict(chart, &columns, &mut out);
    legend(chart, options, &mut out);
    out
}

/// A line between events.
fn between(out: &mut String, text: &str) {
    out.push_str(&format!("{}── {text} ──\n", " ".repeat(LEFT)));
}

fn heads(chart: &Chart, columns: &Columns, out: &mut String) {
    let mut row = Row::new(columns, |_| false);
    for lifeline in chart.lifelines.iter().filter(|l| l.started.is_none()) {
        row.centre(columns.at[lifeline.pid], &lifeline.name);
    }
    row.finish(out);
}

fn draw(chart: &Chart, columns: &Columns, event: &Event, row: &mut Row) {
    let place = |lifeline: usize| columns.at[chart.column(lifeline)];
    match &event.kind {
        EventKind::Send { message } => {
            let sent = &chart.messages[*message];
            let (from, room) = (place(sent.sender), room_right(columns, chart.column(sent.sender)));
            let label = &sent.label;
            match sent.fate {
                Fate::Received { lifeline, .. } => {
                    let (to, label) = (place(lifeline), format!("{label} #{}", message + 1));
                    if to == from {
                        row.stub(from, room, &label, '╮');
                    } else {
                        row.arrow(from, to, &label, SENT);
                    }
                }
                Fate::Waiting => row.stub(from, room, label, '○'),
                Fate::Lost => row.stub(from, room, label, '×'),
            }
        }
        EventKind::Receive { message } => {
            if let Fate::Received { lifeline, .. } = chart.messages[*message].fate {
                row.put(place(lifeline), '◆');
                row.write(place(lifeline) + 1, &format!("#{}", message + 1));
            }
        }
        EventKind::Rendezvous { from, to, label } => {
            if place(*from) != place(*to) {
                row.arrow(place(*from), place(*to), label, MET);
            }
        }
        EventKind::Local { lifeline, text } => mark(row, place(*lifeline), '•', text),
        EventKind::Failure { lifeline, text } => mark(row, place(*lifeline), '✗', text),
        EventKind::Start { by, lifeline } => {
            let name = &chart.lifelines[*lifeline].name;
            let at = place(*lifeline);
            let start = at.saturating_sub(name.chars().count() / 2);
            if place(*by) + 1 < start {
                row.arrow(place(*by), start, "run", SENT);
            }
            if row.margin.as_deref() == Some("run") {
                row.margin = None;
            }
            row.centre(at, name);
        }
        EventKind::End { lifeline } => row.put(place(*lifeline), '┴'),
    }
}

fn mark(row: &mut Row, at: usize, mark: char, text: &str) {
    row.put(at, mark);
    row.margin = Some(text.to_string());
}

/// Characters between a column and the next.
fn room_right(columns: &Columns, column: usize) -> usize {
    columns.at.get(column + 1).copied().unwrap_or(columns.right) - columns.at[column]
}

fn verdict(chart: &Chart, columns: &Columns, out: &mut String) {
    let Some(verdict) = &chart.verdict else { return };
    let end = chart.events.len();
    let mut row = Row::new(columns, |column| chart.alive(column, end));
    for lifeline in &verdict.blocked {
        row.put(columns.at[chart.column(*lifeline)], '✗');
    }
    row.finish(out);
    out.push_str(&format!("{}{}\n", " ".repeat(LEFT), verdict.text));
}

/// The marks that occur, explained.
fn legend(chart: &Chart, options: &ChartOptions, out: &mut String) {
    let fate = |wanted: fn(&Fate) -> bool| chart.messages.iter().any(|m| wanted(&m.fate));
    let kind = |wanted: fn(&EventKind) -> bool| chart.events.iter().any(|e| wanted(&e.kind));
    let received = fate(|f| matches!(f, Fate::Received { .. }));
    let marks = [
        ("▷ sent", received),
        ("◆ received", received),
        ("▶ rendezvous", kind(|k| matches!(k, EventKind::Rendezvous { .. }))),
        ("○ still in the channel", fate(|f| *f == Fate::Waiting)),
        ("× lost", fate(|f| *f == Fate::Lost)),
        ("• local step", options.local_steps && kind(|k| matches!(k, EventKind::Local { .. }))),
        ("┴ ends", kind(|k| matches!(k, EventKind::End { .. }))),
    ];
    let used: Vec<&str> = marks.iter().filter(|(_, used)| *used).map(|(mark, _)| *mark).collect();
    if !used.is_empty() {
        out.push_str(&format!("\n{}{}\n", " ".repeat(LEFT), used.join("   ")));
    }
}

#[cfg(test)]
mod tests {
    use super::super::chart_of;
    use super::*;
    use crate::testing::{Wanted, network, trace};

    fn drawn(model: &str, wanted: Wanted, local_steps: bool) -> String {
        let net = network(model);
        let found = trace(&net, wanted);
        let mut chart = chart_of(&net, &found.moves).unwrap();
        chart.end_with(&found.reason);
        render_chart(&chart, &ChartOptions { local_steps, ..ChartOptions::default() })
    }

    #[test]
    fn messages_keep_their_identity() {
        let model = "chan q = [3] of { byte }; byte done;
            active proctype P() { q!!2; q!!1; q!!3; done = 1 }
            active proctype Q() { byte x; done; q??3; q?x; assert(x != 1) }";
        let text = drawn(model, Wanted::Failure, false);
        let marks: Vec<&str> =
            text.lines().filter_map(|l| l.split('◆').nth(1)).filter(|m| m.starts_with('#')).collect();
        assert_eq!(marks, ["#3", "#2"], "{text}");
        assert!(text.contains("─ q!2 ─○") && text.contains("─ q!3 #3 ─"), "{text}");
        assert!(text.contains("✗") && text.contains("assertion violated"), "{text}");
    }

    #[test]
    fn processes_start_and_end_in_their_column() {
        let model = "chan q = [1] of { byte }; proctype W(byte n) { q!n }
            init { byte x; run W(1); q?x; _nr_pr == 1; run W(2); false }";
        let text = drawn(model, Wanted::Deadlock, true);
        assert_eq!(text.matches("run").count(), 4, "two arrows and two local steps:\n{text}");
        assert!(text.contains('┴') && text.contains("○"), "{text}");
        assert!(text.contains("deadlock"), "{text}");
    }

    #[test]
    fn many_processes_and_long_labels() {
        let model = "chan q[9] = [1] of { int, int, int };
            active [9] proctype P() { q[_pid]!1000000,2000000,3000000; false }";
        let text = drawn(model, Wanted::Deadlock, false);
        assert!(text.lines().all(|line| line.chars().count() < 130), "{text}");
        assert!(text.contains("q[8]!1000000,2000000,3000000"), "{text}");
    }

    #[test]
    fn nothing_to_draw() {
        assert_eq!(render_chart(&Chart::default(), &ChartOptions::default()), "\n");
    }
}
