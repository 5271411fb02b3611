//! Curves as a picture (SVG).

use std::fmt::Write as _;

use bughound_trace::svg::{Axis, escape};

use crate::numbers::figure;

/// A curve with its name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    pub title: String,
    pub points: Vec<(f64, f64)>,
    /// The points are not joined.
    pub are_dots: bool,
}

/// Curves over one quantity.
#[derive(Clone, Debug, Default)]
pub struct Plot {
    /// What stands below the horizontal axis.
    pub x_title: String,
    pub curves: Vec<Curve>,
    /// Values that curves are compared with, as dashed lines; with their names.
    pub levels: Vec<(String, f64)>,
    /// The horizontal axis is logarithmic: all values on it must be positive.
    pub is_logarithmic: bool,
    /// The same upwards.
    pub is_logarithmic_upwards: bool,
    /// The vertical axis begins at 0.
    pub from_zero: bool,
}

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 360.0;
/// Room for the numbers at the axes.
const LEFT: f64 = 80.0;
const BELOW: f64 = 44.0;
const ABOVE: f64 = 16.0;
const RIGHT: f64 = 20.0;
const LINE: f64 = 18.0;
/// Width of a letter, at most, so that names fit into the picture.
const LETTER: f64 = 7.0;
/// With more points than these a curve is a line without dots.
const MOST_DOTS: usize = 60;

/// Colours that can be read on light and on dark paper. Plain rules: many viewers know no variables.
const STYLE: &str = "text{font:12px sans-serif;fill:#222}.paper{fill:#fff}.axis{fill:none;stroke:#445}.grid{stroke:#dde}\
    .curve{fill:none;stroke-width:1.8}.level{fill:none;stroke-width:1.4;stroke-dasharray:6 4}@media (prefers-color-scheme:dark)\
    {text{fill:#e6e6e6}.paper{fill:#15181d}.axis{stroke:#9aa4b2}.grid{stroke:#333b47}}";
const COLOURS: [&str; 8] = ["#2a7fc0", "#d1541e", "#3e9d42", "#9b4fc2", "#c98a10", "#10939f", "#cd3475", "#8d6050"];

impl Plot {
    /// The picture.
    pub fn to_svg(&self) -> String {
        let points = || self.curves.iter().flat_map(|curve| &curve.points);
        let (x0, x1) = range(points().map(|point| point.0));
        let levels = self.levels.iter().map(|(_, level)| *level);
        let zero = self.from_zero.then_some(0.0);
        let (y0, y1) = range(points().map(|point| point.1).chain(levels).chain(zero));
        let (bottom, right) = (HEIGHT - BELOW, WIDTH - RIGHT);
        let names = self.curves.len() + self.levels.len();
        let full = HEIGHT + LINE * names as f64 + 8.0;
        let longest = self.names().map(|name| name.chars().count()).max().unwrap_or(0);
        let width = WIDTH.max(LEFT + longest as f64 * LETTER + RIGHT);
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {full}\" role=\"img\">\n<style>{STYLE}</style>\n\
             <rect class=\"paper\" width=\"{width}\" height=\"{full}\"/>\n"
        );
        let is_logarithmic = self.is_logarithmic && x0 > 0.0;
        let x = Axis { low: x0, high: x1, is_logarithmic, from: LEFT, to: right };
        let upwards = self.is_logarithmic_upwards && y0 > 0.0;
        let y = Axis { low: y0, high: y1, is_logarithmic: upwards, from: bottom, to: ABOVE };
        self.draw_axes(&mut out, &x, &y);
        for (at, curve) in self.curves.iter().enumerate() {
            let colour = COLOURS[at % COLOURS.len()];
            let points: Vec<(f64, f64)> = curve.points.iter().map(|(a, b)| (x.place(*a), y.place(*b))).collect();
            if !curve.are_dots {
                let line: Vec<String> = points.iter().map(|(a, b)| format!("{a:.2},{b:.2}")).collect();
                let _ = writeln!(out, "<polyline class=\"curve\" points=\"{}\" stroke=\"{colour}\"/>", line.join(" "));
            }
            for (a, b) in points.iter().filter(|_| curve.are_dots || points.len() <= MOST_DOTS) {
                let _ = writeln!(out, "<circle cx=\"{a:.2}\" cy=\"{b:.2}\" r=\"2.5\" fill=\"{colour}\"/>");
            }
        }
        for (at, (_, level)) in self.levels.iter().enumerate() {
            let (colour, level) = (COLOURS[(self.curves.len() + at) % COLOURS.len()], y.place(*level));
            let _ = writeln!(out, "<path class=\"level\" d=\"M{LEFT} {level:.2}H{right}\" stroke=\"{colour}\"/>");
        }
        for (at, name) in self.names().enumerate() {
            let (colour, line) = (COLOURS[at % COLOURS.len()], HEIGHT + LINE * at as f64 + 8.0);
            let dashes = if at < self.curves.len() { "" } else { " stroke-dasharray=\"6 4\"" };
            let _ = writeln!(
                out,
                "<path d=\"M{} {}H{}\" stroke=\"{colour}\" stroke-width=\"2\"{dashes}/><text x=\"{LEFT}\" y=\"{line}\">{}</text>",
                LEFT - 34.0,
                line - 4.0,
                LEFT - 8.0,
                escape(name)
            );
        }
        out.push_str("</svg>\n");
        out
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        let curves = self.curves.iter().map(|curve| curve.title.as_str());
        curves.chain(self.levels.iter().map(|(name, _)| name.as_str()))
    }

    fn draw_axes(&self, out: &mut String, x: &Axis, y: &Axis) {
        let (bottom, right) = (y.from, x.to);
        for tick in y.ticks() {
            let (at, text) = (y.place(tick), figure(tick));
            let _ = writeln!(out, "<path class=\"grid\" d=\"M{LEFT} {at:.2}H{right}\"/>");
            let _ = writeln!(out, "<text x=\"{}\" y=\"{:.2}\" text-anchor=\"end\">{text}</text>", LEFT - 6.0, at + 4.0);
        }
        for tick in x.ticks() {
            let (at, text) = (x.place(tick), figure(tick));
            // A number at the right end would stick out of the picture.
            let anchor = if at > right - LETTER * 2.0 { "end" } else { "middle" };
            let _ = writeln!(out, "<path class=\"grid\" d=\"M{at:.2} {bottom}v5\"/>");
            let _ = writeln!(out, "<text x=\"{at:.2}\" y=\"{}\" text-anchor=\"{anchor}\">{text}</text>", bottom + 17.0);
        }
        let _ = writeln!(out, "<path class=\"axis\" d=\"M{LEFT} {ABOVE}V{bottom}H{right}\"/>");
        let how = if x.is_logarithmic { " (logarithmic scale)" } else { "" };
        let _ = writeln!(
            out,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}{how}</text>",
            (LEFT + right) / 2.0,
            bottom + 35.0,
            escape(&self.x_title)
        );
    }
}

/// From the least to the greatest value, which differ.
fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
    match (low.is_finite() && high.is_finite(), low < high) {
        (true, true) => (low, high),
        (true, false) => (low - 0.5, low + 0.5),
        _ => (0.0, 1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(title: &str, points: &[(f64, f64)]) -> Curve {
        Curve { title: title.into(), points: points.to_vec(), are_dots: false }
    }

    fn plot(curves: &[Curve]) -> Plot {
        Plot { x_title: "N".into(), curves: curves.to_vec(), ..Plot::default() }
    }

    #[test]
    fn every_curve_has_its_points_and_its_name() {
        let drawn = plot(&[curve("P<1 & \"x\"", &[(1.0, 0.0), (2.0, 1.0)]), curve("b", &[(1.0, 0.5)])]).to_svg();
        assert_eq!(drawn.matches("<polyline").count(), 2);
        assert_eq!(drawn.matches("<circle").count(), 3);
        assert!(drawn.contains("P&lt;1 &amp; &quot;x&quot;") && drawn.contains(">N</text>"));
        assert!(!plot(&[]).to_svg().contains("NaN") && !plot(&[curve("a", &[(1.0, 1.0)])]).to_svg().contains("NaN"));
    }

    #[test]
    fn dots_are_not_joined() {
        let dots = Curve { are_dots: true, ..curve("a", &[(1.0, 1.0), (100.0, 10.0), (3.0, 1000.0)]) };
        let drawn = Plot { is_logarithmic: true, is_logarithmic_upwards: true, ..plot(&[dots]) }.to_svg();
        assert_eq!((drawn.matches("<polyline").count(), drawn.matches("<circle").count()), (0, 3));
        // 10 is a third of the way from 1 to 1000.
        let third = HEIGHT - BELOW - (HEIGHT - BELOW - ABOVE) / 3.0;
        assert!(drawn.contains(&format!("cy=\"{third:.2}\"")), "{drawn}");
    }

    #[test]
    fn levels_are_inside_of_the_picture() {
        let high = Plot { levels: vec![("bound".into(), 9.0)], ..plot(&[curve("a", &[(1.0, 1.0), (2.0, 2.0)])]) };
        let drawn = high.to_svg();
        assert!(drawn.contains(&format!("<path class=\"level\" d=\"M{LEFT} {ABOVE:.2}H")), "{drawn}");
        assert!(drawn.contains(">bound</text>"));
    }
}
