//! A schedule as a Gantt chart: one SVG file with everything in it, no scripts, no links.
//!
//! A row for each process, a bar for each stay. What says something is written: colours only help, so that the picture
//! can be printed, and read by those who see few of them.

use std::fmt::Write as _;

use bughound_ir::rational::Rational;

use super::{ScheduleView, Stay};
use crate::svg::{Axis, escape, shortened};

const ROW: f64 = 30.0;
const BAR: f64 = 22.0;
/// Of the row of a process that never moves.
const LOW_ROW: f64 = 18.0;
const LOW_BAR: f64 = 10.0;
const TOP: f64 = 34.0;
const BELOW: f64 = 44.0;
const RIGHT: f64 = 24.0;
/// Width of the part with the bars.
const WIDTH: f64 = 760.0;
/// Width of a letter, on average, and room for letters at the edge of a bar.
const LETTER: f64 = 7.2;
const MARGIN: f64 = 4.0;
const LONGEST_NAME: usize = 28;
/// So wide is a bar at least: also what happens in no time can be pointed at.
const THINNEST: f64 = 3.0;

/// The colours of Okabe and Ito that black text can be read on: most people who see few colours tell them apart.
const COLOURS: [&str; 6] = ["#56b4e9", "#e69f00", "#f0e442", "#cc79a7", "#009e73", "#d55e00"];
/// For locations where a process may stay as long as it likes (mostly, it waits there), and for processes that never move.
const PALE: &str = "#f0f0f0";

/// The schedule as an SVG document.
pub fn render_gantt(schedule: &ScheduleView, title: &str) -> String {
    Gantt::new(schedule).document(title)
}

struct Row<'s> {
    pid: usize,
    name: &'s str,
    /// Height of the bars and place of their middle.
    bar: f64,
    middle: f64,
}

struct Gantt<'s> {
    schedule: &'s ScheduleView,
    rows: Vec<Row<'s>>,
    axis: Axis,
    /// Names of locations, in the order of their colours.
    coloured: Vec<&'s str>,
    bottom: f64,
}

impl<'s> Gantt<'s> {
    fn new(schedule: &'s ScheduleView) -> Gantt<'s> {
        let mut rows = Vec::new();
        let mut bottom = TOP;
        for (pid, name) in schedule.processes() {
            let stays = schedule.stays.iter().filter(|stay| stay.pid == pid).count();
            let (height, bar) = if stays > 1 { (ROW, BAR) } else { (LOW_ROW, LOW_BAR) };
            rows.push(Row { pid, name, bar, middle: bottom + height / 2.0 });
            bottom += height;
        }
        let mut coloured: Vec<&str> = Vec::new();
        let moves = |stay: &Stay| rows.iter().any(|row: &Row<'_>| row.pid == stay.pid && row.bar == BAR);
        for stay in schedule.stays.iter().filter(|stay| !stay.may_last && moves(stay)) {
            if !coloured.contains(&&*stay.location) {
                coloured.push(&stay.location);
            }
        }
        let longest = rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0).min(LONGEST_NAME);
        let left = longest as f64 * LETTER + 4.0 * MARGIN;
        let end = schedule.end.as_f64();
        let high = if end > 0.0 { end } else { 1.0 };
        let axis = Axis { low: 0.0, high, is_logarithmic: false, from: left, to: left + WIDTH };
        Gantt { schedule, rows, axis, coloured, bottom }
    }

    fn document(&self, title: &str) -> String {
        let (width, height) = (self.axis.to + RIGHT, self.bottom + BELOW);
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.1}\" height=\"{height:.1}\" viewBox=\"0 0 \
             {width:.1} {height:.1}\" role=\"img\" font-family=\"sans-serif\" font-size=\"12\">\n"
        );
        let cost = format!("cost {}", self.schedule.cost.decimal());
        let _ = writeln!(out, "<title>{}: {cost}</title>", escape(title));
        let _ = writeln!(out, "<rect width=\"{width:.1}\" height=\"{height:.1}\" fill=\"#fff\"/>");
        let room = ((width - 2.0 * MARGIN) / LETTER) as usize;
        let head = shortened(title, room.saturating_sub(cost.chars().count() + 2));
        let _ = writeln!(out, "<text x=\"{MARGIN}\" y=\"18\" fill=\"#111\">{}: {cost}</text>", escape(&head));
        self.draw_axis(&mut out);
        for row in &self.rows {
            let name = shortened(row.name, LONGEST_NAME);
            let (x, y) = (self.axis.from - 2.0 * MARGIN, row.middle + 4.0);
            let _ = writeln!(
                out,
                "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"end\" fill=\"#111\">{}</text>",
                escape(&name)
            );
            for stay in self.schedule.stays.iter().filter(|stay| stay.pid == row.pid) {
                self.draw_stay(&mut out, row, stay);
            }
        }
        out.push_str("</svg>\n");
        out
    }

    fn draw_axis(&self, out: &mut String) {
        let (left, right, bottom) = (self.axis.from, self.axis.to, self.bottom);
        for tick in self.axis.ticks() {
            let x = self.axis.place(tick);
            // Ticks are sums of rounded numbers: more digits than these are not meant.
            let text = (tick * 1e6).round() / 1e6;
            let _ = writeln!(out, "<path d=\"M{x:.1} {TOP}V{:.1}\" stroke=\"#ddd\"/>", bottom + 5.0);
            let y = bottom + 18.0;
            let _ = writeln!(out, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\" fill=\"#444\">{text}</text>");
        }
        let _ = writeln!(out, "<path d=\"M{left:.1} {bottom:.1}H{right:.1}\" stroke=\"#444\"/>");
        let (x, y) = ((left + right) / 2.0, bottom + 36.0);
        let end = self.schedule.end.decimal();
        let text = format!("time (end at {end})");
        let _ = writeln!(out, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\" fill=\"#444\">{text}</text>");
    }

    fn draw_stay(&self, out: &mut String, row: &Row<'_>, stay: &Stay) {
        let (from, to) = (self.axis.place(stay.from.as_f64()), self.axis.place(stay.to.as_f64()));
        let (width, y) = ((to - from).max(THINNEST), row.middle - row.bar / 2.0);
        let works = !stay.may_last && row.bar == BAR;
        let colour = match self.coloured.iter().position(|name| *name == stay.location).filter(|_| works) {
            Some(number) => COLOURS[number % COLOURS.len()],
            None => PALE,
        };
        let (stroke, text_colour) = if works { ("#333", "#111") } else { ("#bbb", "#666") };
        let _ = writeln!(out, "<g><title>{}</title>", escape(&about(stay)));
        let _ = writeln!(
            out,
            "<rect x=\"{from:.2}\" y=\"{y:.1}\" width=\"{width:.2}\" height=\"{:.1}\" fill=\"{colour}\" \
             stroke=\"{stroke}\"/>",
            row.bar
        );
        let room = ((width - 2.0 * MARGIN) / LETTER).max(0.0) as usize;
        let label = shortened(&stay.location, room);
        // One letter and a mark say less than nothing.
        if row.bar == BAR && (room >= 3 || label == stay.location) {
            let (x, y) = (from + width / 2.0, row.middle + 4.0);
            let _ = writeln!(
                out,
                "<text x=\"{x:.2}\" y=\"{y:.1}\" text-anchor=\"middle\" fill=\"{text_colour}\">{}</text>",
                escape(&label)
            );
        }
        out.push_str("</g>\n");
    }
}

/// What a bar says when it is pointed at.
fn about(stay: &Stay) -> String {
    let cost = stay.cost().map_or_else(|| "too large".into(), Rational::decimal);
    let (from, to) = (stay.from.decimal(), stay.to.decimal());
    let mut text = format!("{} in {}, {from} to {to}, cost {cost}", stay.process, stay.location);
    if !stay.at_once.is_zero() {
        let _ = write!(text, ", {} of it at once", stay.at_once.decimal());
    }
    if let Some(statement) = stay.entered_by.as_ref().filter(|statement| !statement.is_empty()) {
        let _ = write!(text, "; entered by {statement}");
    }
    text
}
