//! A subsystem as a picture that needs no other program: states in rows by their distance from the initial one, steps as wide
//! as they are likely to be taken, steps that lead back in another colour.

mod canvas;

use std::collections::BTreeSet;

use bughound_trace::Filter;
use bughound_trace::svg::{escape, shortened};

use self::canvas::{Canvas, Curve, Rect};
use super::dot::{share, width};
use super::labels::{edge_label, edge_tip, state_labels, state_tip};
use crate::chances::{Counterexample, ShownEdge};
use crate::layers::Graph;
use crate::numbers::count;

/// More states cannot be taken in at a glance: those that contribute most are shown.
pub const MOST_STATES: usize = 150;

/// Width of a letter in a state, height of a line, and the room around them.
const LETTER: f64 = 6.7;
const LINE: f64 = 13.0;
const PADDING: f64 = 8.0;
const NARROWEST: f64 = 46.0;
/// Between states, beside each other and below each other; beside those with steps to themselves.
const BESIDE: f64 = 30.0;
const BESIDE_LOOPS: f64 = 84.0;
const BELOW: f64 = 66.0;
/// The title is cut at so many characters.
const LONGEST_TITLE: usize = 110;

/// Colours follow the reader's choice of light or dark. Plain rules: many viewers know no variables.
const STYLE: &str = "text{font:11px ui-monospace,Menlo,Consolas,monospace;fill:#222}.title{font:bold 14px sans-serif}\
    .words{font:12px sans-serif}.paper{fill:#fff}.edge{fill:none;stroke:#667788;stroke-linecap:round}.head{fill:#667788}\
    .back{stroke:#b8651b}.back.head{fill:#b8651b;stroke:none}.node{stroke:#334;stroke-width:1.2;fill:#fff}\
    .share{fill:#2a6fb0}.end{stroke:#c0392b;stroke-width:1.8;fill:none}.cut{stroke-dasharray:4 3}\
    @media (prefers-color-scheme:dark){text\
    {fill:#e6e6e6}.paper{fill:#15181d}.edge{stroke:#8b97a8}.head{fill:#8b97a8}.back{stroke:#f0a860}.back.head{fill:#f0a860}\
    .node{stroke:#c5ccd6;fill:#15181d}.share{fill:#6cb0f0}.end{stroke:#ff7a6b}}";

/// The picture; `property` is what it is a counterexample to.
pub fn svg(shown: &Counterexample, property: &str, filter: &Filter) -> String {
    let states = drawn_states(shown);
    let picture = Picture::new(shown, filter, &states);
    let mut canvas = Canvas::default();
    for (at, edge) in shown.edges.iter().enumerate() {
        picture.draw_edge(&mut canvas, at, edge);
    }
    for state in &states {
        picture.draw_state(&mut canvas, *state);
    }
    // Labels come last, where there is room: nothing may lie on them.
    for (at, edge) in shown.edges.iter().enumerate() {
        picture.draw_label(&mut canvas, at, edge);
    }
    let mut title = vec![property.to_string(), shown.headline()];
    if states.len() < shown.states.len() {
        let (some, all) = (count(states.len() as u64), count(shown.states.len() as u64));
        let left_out = count((shown.states.len() - states.len()) as u64);
        title.push(format!("{some} of {all} states, those that contribute most; {left_out} are left out"));
    }
    let title: Vec<String> = title.iter().map(|line| shortened(line, LONGEST_TITLE)).collect();
    canvas.frame(&title);
    canvas.legend(states.len() < shown.states.len());
    canvas.to_svg(&title.join(": "), STYLE)
}

/// The states that are drawn: all, or those that contribute most with the initial one.
fn drawn_states(shown: &Counterexample) -> BTreeSet<usize> {
    let mut order: Vec<usize> = (0..shown.states.len()).collect();
    let contribution = |at: &usize| if *at == 0 { f64::INFINITY } else { shown.states[*at].contribution() };
    order.sort_by(|a, b| contribution(b).total_cmp(&contribution(a)));
    order.into_iter().take(MOST_STATES).collect()
}

struct Picture<'a> {
    shown: &'a Counterexample,
    filter: &'a Filter,
    labels: Vec<Vec<String>>,
    /// By state; nothing for those that are not drawn.
    places: Vec<Option<Place>>,
    most_contribution: f64,
    most_flow: f64,
    middle: f64,
}

#[derive(Clone, Copy)]
struct Place {
    row: usize,
    rect: Rect,
}

impl<'a> Picture<'a> {
    fn new(shown: &'a Counterexample, filter: &'a Filter, states: &BTreeSet<usize>) -> Picture<'a> {
        let labels = state_labels(shown, filter);
        let edges: Vec<(u32, u32)> = shown.edges.iter().map(|edge| (edge.from as u32, edge.to as u32)).collect();
        let graph = Graph { first: 0, last: None, edges: &edges };
        let layout = graph.layout(|state| states.contains(&(state as usize)));
        let places = graph.straightened(&layout);
        let letters = states.iter().flat_map(|at| &labels[*at]).map(|line| line.chars().count()).max().unwrap_or(0);
        let lines = states.iter().map(|at| labels[*at].len()).max().unwrap_or(1);
        let wide = (letters as f64 * LETTER + 2.0 * PADDING).max(NARROWEST);
        let high = lines as f64 * LINE + PADDING;
        let has_loops = shown.edges.iter().any(|edge| edge.from == edge.to);
        let column = wide + if has_loops { BESIDE_LOOPS } else { BESIDE };
        let place = |at: usize| {
            let cell = layout.cells.get(&(at as u32))?;
            let (x, y) = (places[&(at as u32)] * column, cell.row as f64 * (high + BELOW));
            Some(Place { row: cell.row, rect: Rect { left: x, top: y, width: wide, height: high } })
        };
        let rightmost = places.values().copied().fold(0.0, f64::max) * column + wide;
        Picture {
            places: (0..shown.states.len()).map(place).collect(),
            labels,
            most_contribution: shown.most_contribution(),
            most_flow: shown.most_flow(),
            middle: rightmost / 2.0,
            shown,
            filter,
        }
    }

    fn draw_state(&self, canvas: &mut Canvas, at: usize) {
        let Some(Place { rect, .. }) = self.places[at] else { return };
        let state = &self.shown.states[at];
        let share = share(state.contribution(), self.most_contribution);
        let leaving = self.shown.edges.iter().filter(|edge| edge.from == at);
        let is_cut = leaving.map(|edge| edge.to).any(|to| self.places[to].is_none());
        let tip = state_tip(self.shown, at, self.filter);
        if at == 0 {
            let (x, y) = (rect.left + rect.width / 2.0, rect.top);
            canvas.edge(&Curve::straight((x, y - 30.0), (x, y)), 1.5, "edge", &["the initial state".into()]);
        }
        canvas.state(rect, &self.labels[at], share, state.is_end, is_cut, &tip);
    }

    fn draw_edge(&self, canvas: &mut Canvas, at: usize, edge: &ShownEdge) {
        let Some((curve, leads_back)) = self.curve(at, edge) else { return };
        let class = if leads_back { "edge back" } else { "edge" };
        canvas.edge(&curve, width(edge.flow, self.most_flow), class, &edge_tip(self.shown, edge));
    }

    fn draw_label(&self, canvas: &mut Canvas, at: usize, edge: &ShownEdge) {
        let label = edge_label(edge);
        if let Some((curve, _)) = self.curve(at, edge)
            && !label.is_empty()
        {
            canvas.label(&curve, &label, LETTER);
        }
    }

    /// The way of a step, and whether it leads back; nothing if one of its ends is not drawn.
    fn curve(&self, at: usize, edge: &ShownEdge) -> Option<(Curve, bool)> {
        let (from, to) = (self.places[edge.from]?, self.places[edge.to]?);
        let before = self.shown.edges[..at].iter();
        let parallel = before.filter(|other| (other.from, other.to) == (edge.from, edge.to)).count() as f64;
        let (a, b) = (from.rect, to.rect);
        let ((ax, ay), (bx, by)) = (a.centre(), b.centre());
        if edge.from == edge.to {
            let reach = 34.0 + 22.0 * parallel;
            let right = a.left + a.width;
            let curve = Curve {
                start: (right, ay - 7.0),
                bend: [(right + reach, ay - 24.0), (right + reach, ay + 24.0)],
                end: (right, ay + 7.0),
            };
            return Some((curve, true));
        }
        if from.row < to.row {
            let (start, end) = ((ax, a.top + a.height), (bx, b.top));
            let bend = (end.1 - start.1) * 0.45;
            let shift = 26.0 * parallel;
            let bend = [(start.0 + shift, start.1 + bend), (end.0 + shift, end.1 - bend)];
            return Some((Curve { start, bend, end }, false));
        }
        if from.row == to.row {
            // Above the row, so that it is not taken for a step to the next one.
            let side = if ax < bx { 1.0 } else { -1.0 };
            let start = (ax + side * a.width * 0.3, a.top);
            let end = (bx - side * b.width * 0.3, b.top);
            let rise = 26.0 + 8.0 * parallel;
            return Some((Curve { start, bend: [(start.0, start.1 - rise), (end.0, end.1 - rise)], end }, true));
        }
        let side = if ax + bx >= 2.0 * self.middle - 1.0 { 1.0 } else { -1.0 };
        let (start, end) = ((ax + side * a.width / 2.0, ay), (bx + side * b.width / 2.0, by));
        let rows = (from.row - to.row) as f64;
        let reach = 26.0 + 12.0 * rows.min(8.0) + 16.0 * parallel;
        let out = if side > 0.0 { start.0.max(end.0) + reach } else { start.0.min(end.0) - reach };
        Some((Curve { start, bend: [(out, start.1), (out, end.1)], end }, true))
    }
}

/// Lines of a tool tip.
fn tip(lines: &[String]) -> String {
    lines.iter().map(|line| escape(line)).collect::<Vec<_>>().join("\n")
}
