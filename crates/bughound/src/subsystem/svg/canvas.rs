//! What has been drawn so far, how far it reaches, and where labels are.

use std::fmt::Write;

use bughound_trace::svg::escape;

use super::tip;

const MARGIN: f64 = 24.0;
/// Width of a letter of titles and of the legend, at most.
const TITLE_LETTER: f64 = 8.6;
const WORD_LETTER: f64 = 6.8;
const LINE: f64 = 13.0;
/// Where on its way the label of a step may stand, the best place first.
const LABEL_PLACES: [f64; 7] = [0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8];

#[derive(Clone, Copy, Debug)]
pub(super) struct Rect {
    pub left: f64,
    pub top: f64,
    pub width: f64,
    pub height: f64,
}

impl Rect {
    pub fn centre(&self) -> (f64, f64) {
        (self.left + self.width / 2.0, self.top + self.height / 2.0)
    }

    fn meets(&self, other: &Rect) -> bool {
        self.left < other.left + other.width
            && other.left < self.left + self.width
            && self.top < other.top + other.height
            && other.top < self.top + self.height
    }
}

/// A curve with two points that it bends towards (a cubic Bézier curve).
#[derive(Clone, Copy, Debug)]
pub(super) struct Curve {
    pub start: (f64, f64),
    pub bend: [(f64, f64); 2],
    pub end: (f64, f64),
}

impl Curve {
    pub fn straight(start: (f64, f64), end: (f64, f64)) -> Curve {
        Curve { start, bend: [start, start], end }
    }

    /// The point at a share of the way, from 0 to 1.
    fn at(&self, share: f64) -> (f64, f64) {
        let rest = 1.0 - share;
        let weights = [rest.powi(3), 3.0 * rest * rest * share, 3.0 * rest * share * share, share.powi(3)];
        let points = [self.start, self.bend[0], self.bend[1], self.end];
        let sum =
            |of: fn(&(f64, f64)) -> f64| points.iter().zip(weights).map(|(point, weight)| of(point) * weight).sum();
        (sum(|point| point.0), sum(|point| point.1))
    }
}

#[derive(Default)]
pub(super) struct Canvas {
    body: String,
    /// What everything lies in.
    reach: Option<[f64; 4]>,
    /// Places of states and labels, which no other label may cover.
    taken: Vec<Rect>,
}

impl Canvas {
    fn cover(&mut self, rect: Rect) {
        let [left, top, right, bottom] =
            self.reach.unwrap_or([f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY]);
        let (other_right, other_bottom) = (rect.left + rect.width, rect.top + rect.height);
        self.reach = Some([left.min(rect.left), top.min(rect.top), right.max(other_right), bottom.max(other_bottom)]);
    }

    fn reach(&self) -> [f64; 4] {
        self.reach.unwrap_or([0.0; 4])
    }

    /// A step with its head.
    pub fn edge(&mut self, curve: &Curve, width: f64, class: &str, lines: &[String]) {
        let head = 6.0 + width * 1.3;
        let near = curve.at(0.9);
        let (dx, dy) = (curve.end.0 - near.0, curve.end.1 - near.1);
        let length = dx.hypot(dy).max(1e-9);
        let (dx, dy) = (dx / length, dy / length);
        let (tip_x, tip_y) = curve.end;
        // The line ends inside of its head, so that no corner of it sticks out.
        let (base_x, base_y) = (tip_x - dx * head, tip_y - dy * head);
        let (wing_x, wing_y) = (-dy * head * 0.5, dx * head * 0.5);
        let (line_x, line_y) = (tip_x - dx * head * 0.8, tip_y - dy * head * 0.8);
        let head_class = class.replace("edge", "head");
        let [(b0x, b0y), (b1x, b1y)] = curve.bend;
        let _ = writeln!(
            self.body,
            "<g><title>{}</title><path class=\"{class}\" stroke-width=\"{width:.2}\" d=\"M{:.1} {:.1}C{b0x:.1} {b0y:.1} \
             {b1x:.1} {b1y:.1} {line_x:.1} {line_y:.1}\"/><path class=\"{head_class}\" d=\"M{tip_x:.1} {tip_y:.1}L{:.1} \
             {:.1}L{:.1} {:.1}z\"/></g>",
            tip(lines),
            curve.start.0,
            curve.start.1,
            base_x + wing_x,
            base_y + wing_y,
            base_x - wing_x,
            base_y - wing_y
        );
        for step in 0..=8 {
            let (x, y) = curve.at(f64::from(step) / 8.0);
            self.cover(Rect { left: x - width - 3.0, top: y - width, width: 2.0 * width + 6.0, height: 2.0 * width });
        }
    }

    /// A state: its label, and how much of the probability flows through it (0 to 1).
    pub fn state(&mut self, rect: Rect, label: &[String], share: f64, is_end: bool, is_cut: bool, lines: &[String]) {
        let Rect { left, top, width, height } = rect;
        let box_of = |inset: f64| {
            format!(
                "x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"5\"",
                left + inset,
                top + inset,
                width - 2.0 * inset,
                height - 2.0 * inset
            )
        };
        let cut = if is_cut { " cut" } else { "" };
        let _ = write!(self.body, "<g><title>{}</title><rect class=\"node{cut}\" {}/>", tip(lines), box_of(0.0));
        let _ = write!(self.body, "<rect class=\"share\" opacity=\"{:.2}\" {}/>", 0.04 + 0.5 * share, box_of(0.6));
        if is_end {
            let _ = write!(self.body, "<rect class=\"end\" {}/><rect class=\"end\" {}/>", box_of(0.0), box_of(3.0));
        }
        let (x, middle) = rect.centre();
        let first = middle - LINE * (label.len() as f64 - 1.0) / 2.0 + 4.0;
        for (at, line) in label.iter().enumerate() {
            let y = first + LINE * at as f64;
            let _ = write!(self.body, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\">{}</text>", escape(line));
        }
        self.body.push_str("</g>\n");
        self.cover(rect);
        self.taken.push(rect);
    }

    /// The label of a step, on its way where it covers nothing.
    pub fn label(&mut self, curve: &Curve, text: &str, letter: f64) {
        let wide = text.chars().count() as f64 * letter;
        let place = |share: &f64| {
            let (x, y) = curve.at(*share);
            Rect { left: x - wide / 2.0, top: y - 7.0, width: wide, height: 13.0 }
        };
        let is_free = |rect: &Rect| !self.taken.iter().any(|taken| taken.meets(rect));
        let rect = LABEL_PLACES.iter().map(place).find(is_free).unwrap_or_else(|| place(&LABEL_PLACES[0]));
        let (x, y) = rect.centre();
        let _ = writeln!(
            self.body,
            "<rect class=\"paper\" x=\"{:.1}\" y=\"{:.1}\" width=\"{wide:.1}\" height=\"13\"/>\
             <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            rect.left,
            rect.top,
            y + 4.0,
            escape(text)
        );
        self.cover(rect);
        self.taken.push(rect);
    }

    fn words(&mut self, class: &str, left: f64, baseline: f64, text: &str, letter: f64) {
        let _ =
            writeln!(self.body, "<text class=\"{class}\" x=\"{left:.1}\" y=\"{baseline:.1}\">{}</text>", escape(text));
        let width = text.chars().count() as f64 * letter;
        self.cover(Rect { left, top: baseline - 14.0, width, height: 18.0 });
    }

    /// The title above everything.
    pub fn frame(&mut self, title: &[String]) {
        let [left, top, ..] = self.reach();
        for (at, line) in title.iter().rev().enumerate() {
            let is_first = at + 1 == title.len();
            let (class, letter) = if is_first { ("title", TITLE_LETTER) } else { ("words", WORD_LETTER) };
            self.words(class, left, top - 16.0 - 18.0 * at as f64, line, letter);
        }
    }

    /// What colours and lines mean, below everything.
    pub fn legend(&mut self, some_are_left_out: bool) {
        let [left, _, _, bottom] = self.reach();
        let mut y = bottom + 36.0;
        let begin = left + 62.0;
        for (at, share) in [0.0, 0.5, 1.0].into_iter().enumerate() {
            let rect = Rect { left: left + 18.0 * at as f64, top: y - 12.0, width: 16.0, height: 16.0 };
            self.state(rect, &[], share, false, false, &[]);
        }
        self.words("words", begin, y, "darker: more of the probability flows through the state", WORD_LETTER);
        y += 22.0;
        let rect = Rect { left, top: y - 12.0, width: 34.0, height: 16.0 };
        self.state(rect, &[], 0.0, true, false, &[]);
        self.words("words", begin, y, "the end of paths", WORD_LETTER);
        y += 22.0;
        self.edge(&Curve::straight((left, y - 4.0), (left + 44.0, y - 4.0)), 4.0, "edge", &[]);
        self.words(
            "words",
            begin,
            y,
            "wider: the step is taken more often; its probability stands at it, unless it is 1",
            WORD_LETTER,
        );
        y += 22.0;
        self.edge(&Curve::straight((left, y - 4.0), (left + 44.0, y - 4.0)), 2.0, "edge back", &[]);
        self.words(
            "words",
            begin,
            y,
            "leads no further away from the initial state: every cycle has such a step",
            WORD_LETTER,
        );
        if some_are_left_out {
            y += 22.0;
            let rect = Rect { left, top: y - 12.0, width: 34.0, height: 16.0 };
            self.state(rect, &[], 0.0, false, true, &[]);
            self.words("words", begin, y, "leads to states that are left out, too", WORD_LETTER);
        }
    }

    pub fn to_svg(&self, title: &str, style: &str) -> String {
        let [left, top, right, bottom] = self.reach();
        let (left, top) = (left - MARGIN, top - MARGIN);
        let (width, height) = (right + MARGIN - left, bottom + MARGIN - top);
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" \
             height=\"{height:.0}\" viewBox=\"{left:.1} {top:.1} {width:.1} {height:.1}\" role=\"img\">\n<title>{}</title>\n\
             <style>{style}</style>\n<rect class=\"paper\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" \
             height=\"{height:.1}\"/>\n{}</svg>\n",
            escape(title),
            self.body
        )
    }
}
