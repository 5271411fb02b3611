//! Automata as a picture that needs no other program: one self-contained SVG, the process types below each other.
//!
//! Locations lie in rows by their distance from the start ([`crate::layers`]); edges that lead back are drawn dashed, in a
//! bow. Good for small automata; for large ones there is [`super::dot`].

use std::fmt::Write;

use bughound_trace::svg::{escape, shortened};

use super::automaton::{EdgeRow, ProcessType};
use crate::layers::{Graph, Layout};

const ROW: f64 = 96.0;
const RADIUS: f64 = 15.0;
const MARGIN: f64 = 40.0;
const TITLE: f64 = 34.0;
/// Width of a character of a label.
const LETTER: f64 = 6.6;
/// Longer labels are cut; the whole text is in the tool tip.
const LONGEST: usize = 44;

/// Names of locations are cut, too.
const LONGEST_NAME: usize = 12;

const STYLE: &str = "text{font:11px monospace;fill:#222}.title{font:bold 14px sans-serif}.edge{fill:none;stroke:#667;\
    stroke-width:1.2}.atomic{stroke-width:2.4}.back{stroke-dasharray:5 3}.node{fill:#fff;stroke:#225;stroke-width:1.4}\
    .accept{fill:#fde2c8}.progress{fill:#d5efd5}.halo{paint-order:stroke;stroke:#fff;stroke-width:3px}";

/// The picture of all automata.
pub fn svg(processes: &[ProcessType]) -> String {
    let mut body = String::new();
    let (mut top, mut width) = (0.0_f64, 0.0_f64);
    for process in processes {
        let picture = Picture::new(process);
        let _ = writeln!(body, "<g transform=\"translate(0 {top})\">");
        body.push_str(&picture.draw());
        body.push_str("</g>\n");
        top += picture.height();
        width = width.max(picture.width());
    }
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" \
        height=\"{top}\" viewBox=\"0 0 {width} {top}\">\n<style>{STYLE}</style>\n<defs><marker id=\"arrow\" \
        viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" markerUnits=\"userSpaceOnUse\" \
        orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"#667\"/></marker></defs>\n\
        <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n{body}</svg>\n"
    )
}

/// One automaton on its way to the picture.
struct Picture<'a> {
    process: &'a ProcessType,
    layout: Layout,
    column: f64,
}

impl<'a> Picture<'a> {
    fn new(process: &'a ProcessType) -> Self {
        let longest = process.edges.iter().map(|e| shortened(&e.text, LONGEST).chars().count()).max().unwrap_or(0);
        Picture { process, layout: layout(process), column: (longest as f64 * LETTER + 40.0).max(110.0) }
    }

    fn width(&self) -> f64 {
        let title = super::text::signature(self.process).chars().count() as f64 * 9.0;
        // Bows and labels reach beyond the columns.
        (MARGIN * 2.0 + self.column * (self.layout.columns as f64 + 1.0)).max(title + MARGIN)
    }

    fn height(&self) -> f64 {
        TITLE + MARGIN + ROW * self.layout.rows as f64
    }

    fn centre(&self, number: u32) -> (f64, f64) {
        match self.layout.cells.get(&number) {
            Some(cell) => {
                let x = MARGIN + RADIUS + self.column * (cell.column as f64 + 0.5);
                (x, TITLE + MARGIN + ROW * cell.row as f64)
            }
            None => (0.0, 0.0),
        }
    }

    fn draw(&self) -> String {
        let title = escape(&super::text::signature(self.process));
        let mut out = format!("<text class=\"title\" x=\"{MARGIN}\" y=\"24\">{title}</text>\n");
        let (x, y) = self.centre(self.process.initial);
        let _ = writeln!(
            out,
            "<path class=\"edge\" marker-end=\"url(#arrow)\" d=\"M{:.0} {y:.0}L{:.0} {y:.0}\"/>",
            x - RADIUS - 22.0,
            x - RADIUS
        );
        for (at, edge) in self.process.edges.iter().enumerate() {
            let before = self.process.edges[..at].iter();
            let parallel = before.filter(|e| (e.from, e.to) == (edge.from, edge.to)).count();
            self.edge(&mut out, edge, parallel);
        }
        for location in &self.process.locations {
            let (x, y) = self.centre(location.number);
            let class = match (location.accept, location.progress) {
                (true, _) => "node accept",
                (_, true) => "node progress",
                _ => "node",
            };
            let tip = escape(&format!("line {} {}", location.line, location.labels.join(" ")));
            let _ = write!(out, "<g><title>{}</title>", tip.trim_end());
            let _ = write!(out, "<circle class=\"{class}\" cx=\"{x:.0}\" cy=\"{y:.0}\" r=\"{RADIUS}\"/>");
            if location.end {
                let _ = write!(out, "<circle class=\"edge\" cx=\"{x:.0}\" cy=\"{y:.0}\" r=\"{}\"/>", RADIUS - 3.0);
            }
            let name = escape(&process_place(self.process, location.number));
            let _ = writeln!(out, "<text x=\"{x:.0}\" y=\"{:.0}\" text-anchor=\"middle\">{name}</text></g>", y + 4.0);
        }
        if self.layout.cells.contains_key(&0) {
            let (x, y) = self.centre(0);
            let _ = writeln!(
                out,
                "<g><rect class=\"node\" x=\"{:.0}\" y=\"{:.0}\" width=\"40\" height=\"24\" rx=\"4\"/>\
                <text x=\"{x:.0}\" y=\"{:.0}\" text-anchor=\"middle\">end</text></g>",
                x - 20.0,
                y - 12.0,
                y + 4.0
            );
        }
        out
    }

    /// An edge as a curve with its label on it; `parallel` others between the same locations are drawn already.
    fn edge(&self, out: &mut String, edge: &EdgeRow, parallel: usize) {
        let ((x1, y1), (x2, y2)) = (self.centre(edge.from), self.centre(edge.to));
        let shift = parallel as f64;
        let (path, label) = if edge.from == edge.to {
            let reach = 34.0 + 26.0 * shift;
            let (right, a, b) = (x1 + RADIUS, y1 - 6.0, y1 + 6.0);
            let path = format!(
                "M{right:.0} {a:.0}C{0:.0} {1:.0} {0:.0} {2:.0} {right:.0} {b:.0}",
                right + reach,
                a - 14.0,
                b + 14.0
            );
            (path, (right + reach * 0.8, y1 + 14.0 * shift))
        } else {
            let backwards = y2 <= y1;
            let bow = if backwards { self.column * 0.45 + 18.0 * shift } else { 46.0 * shift };
            let (cx, cy) = ((x1 + x2) / 2.0 + bow, (y1 + y2) / 2.0);
            let end = trimmed((cx, cy), (x2, y2));
            let start = trimmed((cx, cy), (x1, y1));
            let path = format!("M{:.0} {:.0}Q{cx:.0} {cy:.0} {:.0} {:.0}", start.0, start.1, end.0, end.1);
            // The middle of the curve, moved along for parallel edges so that labels do not lie on each other.
            let middle = ((x1 + x2) / 4.0 + cx / 2.0, (y1 + y2) / 4.0 + cy / 2.0);
            (path, (middle.0 + 4.0, middle.1 + 4.0 + 13.0 * shift))
        };
        let mut class = String::from("edge");
        if edge.flags.atomic {
            class.push_str(" atomic");
        }
        if y2 <= y1 && edge.from != edge.to {
            class.push_str(" back");
        }
        let tip = escape(&format!("line {}: {}", edge.line, edge.text));
        let _ = writeln!(
            out,
            "<g><title>{tip}</title><path class=\"{class}\" marker-end=\"url(#arrow)\" d=\"{path}\"/>\
            <text class=\"halo\" x=\"{:.0}\" y=\"{:.0}\">{}</text></g>",
            label.0,
            label.1,
            escape(&shortened(&edge.text, LONGEST))
        );
    }
}

/// Locations by number; 0 is the end of the process.
fn layout(process: &ProcessType) -> Layout {
    let edges: Vec<(u32, u32)> = process.edges.iter().map(|edge| (edge.from, edge.to)).collect();
    Graph { first: process.initial, last: Some(0), edges: &edges }.layout(|_| true)
}

/// A location by name or number, short enough for its circle.
fn process_place(process: &ProcessType, number: u32) -> String {
    shortened(&process.place(number), LONGEST_NAME)
}

/// Where the way from a point to the centre of a node meets its circle.
fn trimmed(from: (f64, f64), centre: (f64, f64)) -> (f64, f64) {
    let (dx, dy) = (from.0 - centre.0, from.1 - centre.1);
    let length = dx.hypot(dy).max(1.0);
    (centre.0 + dx / length * RADIUS, centre.1 + dy / length * RADIUS)
}
