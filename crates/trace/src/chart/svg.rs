//! A chart as a picture: one SVG file with everything in it, no scripts, no links.

use std::fmt::Write;

use super::{Chart, Event, EventKind, Fate};
use crate::svg::escape;

const ROW: usize = 26;
const HEAD_HEIGHT: usize = 24;
const TOP: usize = 16;
const LEFT: usize = 48;
/// Width of a character of the labels, on average.
const CHARACTER: usize = 7;
const NARROWEST: usize = 90;
const WIDEST: usize = 320;

/// The chart as an SVG document; local steps only on demand.
pub fn render_svg(chart: &Chart, title: &str, local_steps: bool) -> String {
    let picture = Picture::new(chart, local_steps);
    picture.document(title)
}

struct Picture<'c> {
    chart: &'c Chart,
    /// The row of each event; that of the next one shown for those that are not.
    rows: Vec<usize>,
    height: usize,
    columns: Vec<usize>,
    local_steps: bool,
}

impl<'c> Picture<'c> {
    fn new(chart: &'c Chart, local_steps: bool) -> Picture<'c> {
        let mut rows = Vec::new();
        let mut row = 0;
        for event in &chart.events {
            rows.push(row);
            row += usize::from(chart.is_shown(event, local_steps));
        }
        let mut gaps = vec![NARROWEST; chart.columns().max(1)];
        for lifeline in &chart.lifelines {
            let wanted = (lifeline.name.chars().count() + 3) * CHARACTER;
            gaps[lifeline.pid] = gaps[lifeline.pid].max(wanted.min(WIDEST));
        }
        for (column, label) in labels(chart, local_steps) {
            gaps[column] = gaps[column].max(((label.chars().count() + 3) * CHARACTER).min(WIDEST));
        }
        let mut columns = vec![LEFT + NARROWEST / 2];
        for gap in gaps {
            columns.push(columns[columns.len() - 1] + gap);
        }
        Picture { chart, rows, height: row, columns, local_steps }
    }

    fn x(&self, lifeline: usize) -> usize {
        self.columns[self.chart.column(lifeline)]
    }

    fn y_of_row(row: usize) -> usize {
        TOP + HEAD_HEIGHT + ROW / 2 + ROW * row
    }

    fn y(&self, event: usize) -> usize {
        Self::y_of_row(self.rows.get(event).copied().unwrap_or(self.height))
    }

    fn document(&self, title: &str) -> String {
        let verdict = self.chart.verdict.as_ref().map_or("", |v| &v.text);
        let needed = LEFT + (verdict.chars().count() + 2) * CHARACTER;
        let width = self.columns[self.columns.len() - 1].max(needed) + LEFT;
        let height = Self::y_of_row(self.height) + if self.chart.lasso.is_some() { 3 } else { 2 } * ROW;
        let mut out = String::new();
        let _ = writeln!(
            out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} \
             {height}\" role=\"img\" font-family=\"ui-monospace, Menlo, Consolas, monospace\" font-size=\"12\">"
        );
        let _ = writeln!(out, "<title>{}</title>", escape(title));
        out.push_str(
            "<defs>\n<marker id=\"open\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"9\" \
             markerHeight=\"9\" orient=\"auto-start-reverse\"><path d=\"M1 1 L9 5 L1 9\" fill=\"none\" \
             stroke=\"#1f4e8c\" stroke-width=\"1.5\"/></marker>\n<marker id=\"full\" viewBox=\"0 0 10 10\" refX=\"9\" \
             refY=\"5\" markerWidth=\"8\" markerHeight=\"8\" orient=\"auto-start-reverse\"><path d=\"M0 0 L10 5 L0 \
             10 Z\" fill=\"#222\"/></marker>\n</defs>\n",
        );
        let _ = writeln!(out, "<rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>");
        self.lifelines(&mut out);
        let mut last = 0;
        for (at, event) in self.chart.events.iter().enumerate() {
            if self.chart.is_shown(event, self.local_steps) {
                if event.step != last {
                    self.text(&mut out, 8, self.y(at) + 4, "#888", &event.step.to_string());
                    last = event.step;
                }
                self.event(&mut out, at, event);
            }
        }
        self.verdict(&mut out);
        self.cycle(&mut out);
        out.push_str("</svg>\n");
        out
    }

    fn text(&self, out: &mut String, x: usize, y: usize, color: &str, text: &str) {
        let _ = writeln!(out, "<text x=\"{x}\" y=\"{y}\" fill=\"{color}\">{}</text>", escape(text));
    }

    fn lifelines(&self, out: &mut String) {
        for (number, lifeline) in self.chart.lifelines.iter().enumerate() {
            let x = self.x(number);
            let top = lifeline.started.map_or(TOP + HEAD_HEIGHT / 2, |event| self.y(event));
            let bottom = lifeline.ended.map_or(Self::y_of_row(self.height), |event| self.y(event));
            let _ = writeln!(
                out,
                "<line x1=\"{x}\" y1=\"{top}\" x2=\"{x}\" y2=\"{bottom}\" stroke=\"#999\" stroke-dasharray=\"4 3\"/>"
            );
            let wide = (lifeline.name.chars().count() + 2) * CHARACTER;
            let (left, above) = (x.saturating_sub(wide / 2), top - HEAD_HEIGHT / 2);
            let _ = writeln!(
                out,
                "<rect x=\"{left}\" y=\"{above}\" width=\"{wide}\" height=\"{HEAD_HEIGHT}\" rx=\"3\" fill=\"#eef3fa\" \
                 stroke=\"#1f4e8c\"/>"
            );
            let (y, name) = (top + 4, escape(&lifeline.name));
            let _ = writeln!(out, "<text x=\"{x}\" y=\"{y}\" text-anchor=\"middle\">{name}</text>");
        }
    }

    fn arrow(&self, out: &mut String, from: (usize, usize), to: (usize, usize), head: &str) {
        let color = if head == "open" { "#1f4e8c" } else { "#222" };
        let ((x1, y1), (x2, y2)) = (from, to);
        let _ = writeln!(
            out,
            "<line x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\" stroke=\"{color}\" stroke-width=\"1.5\" \
             marker-end=\"url(#{head})\"/>"
        );
    }

    /// The label of an arrow, near its start.
    fn label(&self, out: &mut String, from: usize, to: usize, y: usize, text: &str) {
        if from <= to {
            self.text(out, from + 6, y - 4, "#222", text);
        } else {
            let (x, y, text) = (from - 6, y - 4, escape(text));
            let _ = writeln!(out, "<text x=\"{x}\" y=\"{y}\" text-anchor=\"end\" fill=\"#222\">{text}</text>");
        }
    }

    fn dot(&self, out: &mut String, x: usize, y: usize, color: &str) {
        let _ = writeln!(out, "<circle cx=\"{x}\" cy=\"{y}\" r=\"3\" fill=\"{color}\"/>");
    }

    fn event(&self, out: &mut String, at: usize, event: &Event) {
        let y = self.y(at);
        match &event.kind {
            EventKind::Send { message } => self.message(out, *message, y),
            EventKind::Receive { .. } => {}
            EventKind::Rendezvous { from, to, label } => {
                let (from, to) = (self.x(*from), self.x(*to));
                self.arrow(out, (from, y), (to, y), "full");
                self.label(out, from, to, y, label);
            }
            EventKind::Local { lifeline, text } => {
                self.dot(out, self.x(*lifeline), y, "#888");
                self.text(out, self.x(*lifeline) + 8, y + 4, "#666", text);
            }
            EventKind::Failure { lifeline, text } => {
                self.cross(out, self.x(*lifeline), y, "#b00020");
                self.text(out, self.x(*lifeline) + 10, y + 4, "#b00020", text);
            }
            EventKind::Start { by, lifeline } if by != lifeline => {
                let half = (self.chart.lifelines[*lifeline].name.chars().count() + 2) * CHARACTER / 2;
                let (from, to) = (self.x(*by), self.x(*lifeline).saturating_sub(half));
                self.arrow(out, (from, y), (to, y), "open");
            }
            EventKind::Start { .. } => {}
            EventKind::End { lifeline } => self.cross(out, self.x(*lifeline), y, "#999"),
        }
    }

    fn message(&self, out: &mut String, number: usize, y: usize) {
        let message = &self.chart.messages[number];
        let x = self.x(message.sender);
        self.dot(out, x, y, "#1f4e8c");
        let beside = x + 40;
        match message.fate {
            Fate::Received { lifeline, event } if self.x(lifeline) != x => {
                let to = self.x(lifeline);
                self.arrow(out, (x, y), (to, self.y(event)), "open");
                self.label(out, x, to, y, &message.label);
            }
            Fate::Received { event, .. } => {
                let (below, loop_x) = (self.y(event), x + 24);
                let _ = writeln!(
                    out,
                    "<path d=\"M{x} {y} H{loop_x} V{below} H{x}\" fill=\"none\" stroke=\"#1f4e8c\" \
                     stroke-width=\"1.5\" marker-end=\"url(#open)\"/>"
                );
                self.label(out, x, beside, y, &message.label);
            }
            Fate::Waiting | Fate::Lost => {
                let color = if message.fate == Fate::Lost { "#b00020" } else { "#1f4e8c" };
                let (x2, cx) = (beside - 5, beside);
                let _ = writeln!(
                    out,
                    "<line x1=\"{x}\" y1=\"{y}\" x2=\"{x2}\" y2=\"{y}\" stroke=\"{color}\" stroke-dasharray=\"5 3\"/>\n\
                     <circle cx=\"{cx}\" cy=\"{y}\" r=\"5\" fill=\"none\" stroke=\"{color}\"/>"
                );
                self.label(out, x, beside, y, &message.label);
            }
        }
    }

    fn cross(&self, out: &mut String, x: usize, y: usize, color: &str) {
        let (left, right, top, bottom) = (x - 5, x + 5, y - 5, y + 5);
        let _ = writeln!(
            out,
            "<path d=\"M{left} {top} L{right} {bottom} M{right} {top} L{left} {bottom}\" stroke=\"{color}\" \
             stroke-width=\"2\"/>"
        );
    }

    /// An arrow beside the steps of the loop, from its end to its beginning, and what happens after the last step.
    fn cycle(&self, out: &mut String) {
        let Some(lasso) = self.chart.lasso else { return };
        let bottom = Self::y_of_row(self.height);
        if let Some(first) = self.chart.loop_start().filter(|first| *first < self.chart.events.len()) {
            let (left, right, top, end) =
                (LEFT - 10, LEFT + 4, self.y(first).saturating_sub(ROW / 2), bottom - ROW / 2);
            let _ = writeln!(
                out,
                "<path d=\"M{right} {end} H{left} V{top} H{right}\" fill=\"none\" stroke=\"#1f4e8c\" stroke-width=\"1.5\" \
                 marker-end=\"url(#open)\"><title>the loop</title></path>"
            );
        }
        self.text(out, LEFT, bottom + 2 * ROW, "#1f4e8c", &lasso.ending());
    }

    fn verdict(&self, out: &mut String) {
        let Some(verdict) = &self.chart.verdict else { return };
        let y = Self::y_of_row(self.height);
        for lifeline in &verdict.blocked {
            self.cross(out, self.x(*lifeline), y, "#b00020");
        }
        self.text(out, LEFT, y + ROW, "#b00020", &verdict.text);
    }
}

/// Labels with the column left of them.
fn labels(chart: &Chart, local_steps: bool) -> Vec<(usize, &str)> {
    let shown = chart.events.iter().filter(|e| chart.is_shown(e, local_steps));
    shown
        .filter_map(|event| match &event.kind {
            EventKind::Send { message } => {
                let sent = &chart.messages[*message];
                let from = chart.column(sent.sender);
                let left = match sent.fate {
                    Fate::Received { lifeline, .. } if chart.column(lifeline) < from => from - 1,
                    _ => from,
                };
                Some((left, sent.label.as_str()))
            }
            EventKind::Rendezvous { from, to, label } => {
                let (from, to) = (chart.column(*from), chart.column(*to));
                Some((if to < from { from - 1 } else { from }, label.as_str()))
            }
            EventKind::Local { lifeline, text } | EventKind::Failure { lifeline, text } => {
                Some((chart.column(*lifeline), text.as_str()))
            }
            _ => None,
        })
        .collect()
}
