//! Curves as a picture (SVG).

use std::fmt::Write as _;

/// A curve with its name.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    pub title: String,
    pub points: Vec<(f64, f64)>,
}

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 360.0;
/// Room for the numbers at the axes.
const LEFT: f64 = 80.0;
const BELOW: f64 = 40.0;
const ABOVE: f64 = 16.0;
const LINE: f64 = 18.0;
const COLOURS: [&str; 8] = ["#1b6ca8", "#c1440e", "#2e7d32", "#7b1fa2", "#f9a825", "#00838f", "#ad1457", "#5d4037"];

/// A plot of some curves over the constant `name`.
pub fn plot(name: &str, curves: &[Curve]) -> String {
    let points = || curves.iter().flat_map(|curve| &curve.points);
    let range = |of: fn(&(f64, f64)) -> f64| {
        let (lo, hi) = points().map(of).fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), v| (lo.min(v), hi.max(v)));
        match (lo.is_finite(), lo < hi) {
            (true, true) => (lo, hi),
            (true, false) => (lo - 0.5, lo + 0.5),
            _ => (0.0, 1.0),
        }
    };
    let ((x0, x1), (y0, y1)) = (range(|point| point.0), range(|point| point.1));
    let x = |value: f64| LEFT + (value - x0) / (x1 - x0) * (WIDTH - LEFT - 20.0);
    let y = |value: f64| HEIGHT - BELOW - (value - y0) / (y1 - y0) * (HEIGHT - BELOW - ABOVE);
    let full = HEIGHT + LINE * curves.len() as f64 + 8.0;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {full}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"{WIDTH}\" height=\"{full}\" fill=\"white\"/>\n"
    );
    let (bottom, right) = (HEIGHT - BELOW, WIDTH - 20.0);
    let _ = writeln!(out, "<path d=\"M{LEFT} {ABOVE}V{bottom}H{right}\" fill=\"none\" stroke=\"black\"/>");
    for (value, anchor) in [(x0, "start"), (x1, "end")] {
        let _ =
            writeln!(out, "<text x=\"{}\" y=\"{}\" text-anchor=\"{anchor}\">{value}</text>", x(value), bottom + 16.0);
    }
    for value in [y0, y1] {
        let text = if value != 0.0 && !(1e-3..1e6).contains(&value.abs()) {
            format!("{value:.3e}")
        } else {
            format!("{value:.4}")
        };
        let _ = writeln!(out, "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{text}</text>", LEFT - 6.0, y(value) + 4.0);
    }
    let _ = writeln!(
        out,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
        (LEFT + right) / 2.0,
        bottom + 32.0,
        escaped(name)
    );
    for (at, curve) in curves.iter().enumerate() {
        let colour = COLOURS[at % COLOURS.len()];
        let points: Vec<String> = curve.points.iter().map(|(a, b)| format!("{:.2},{:.2}", x(*a), y(*b))).collect();
        let _ = writeln!(
            out,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.5\"/>",
            points.join(" ")
        );
        for (a, b) in &curve.points {
            let _ = writeln!(out, "<circle cx=\"{:.2}\" cy=\"{:.2}\" r=\"2.5\" fill=\"{colour}\"/>", x(*a), y(*b));
        }
        let line = HEIGHT + LINE * at as f64 + 8.0;
        let _ = writeln!(out, "<text x=\"{LEFT}\" y=\"{line}\" fill=\"{colour}\">{}</text>", escaped(&curve.title));
    }
    out.push_str("</svg>\n");
    out
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_curve_has_its_points_and_its_name() {
        let curve = |title: &str, points: &[(f64, f64)]| Curve { title: title.into(), points: points.to_vec() };
        let drawn = plot("N", &[curve("P<1 & \"x\"", &[(1.0, 0.0), (2.0, 1.0)]), curve("b", &[(1.0, 0.5)])]);
        assert_eq!(drawn.matches("<polyline").count(), 2);
        assert_eq!(drawn.matches("<circle").count(), 3);
        assert!(drawn.contains("P&lt;1 &amp; &quot;x&quot;") && drawn.contains(">N</text>"));
        assert!(!plot("N", &[]).contains("NaN") && !plot("N", &[curve("a", &[(1.0, 1.0)])]).contains("NaN"));
    }
}
