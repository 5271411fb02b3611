//! The comparison as a picture: expanded states and lengths as bars on a logarithmic scale, in one file without links.

use std::fmt::Write;

use bughound::compare::{Answer, Comparison, Row};
use bughound_trace::svg::{escape, shortened};

use crate::cli::quantities::count;

const ROW: f64 = 24.0;
const BAR: f64 = 15.0;
const MARGIN: f64 = 20.0;
/// For the title of the picture, and for the title of a panel.
const TITLE: f64 = 44.0;
const HEADING: f64 = 26.0;
/// Below the bars of a panel, for the numbers of the scale.
const SCALE: f64 = 34.0;
/// Length of the longest scale, and what is kept free at its right for the number at the end of a bar.
const BARS: f64 = 420.0;
const NUMBERS: f64 = 150.0;
const LETTER: f64 = 7.3;
const LONGEST_LABEL: usize = 44;
/// A bar for 1 must be seen: the scale begins this much before it, in powers of ten.
const BEFORE_ONE: f64 = 0.15;

/// Colours follow the reader's choice of light or dark. Plain rules: many viewers know no variables.
const STYLE: &str = "text{font:12px ui-monospace,Menlo,Consolas,monospace;fill:#222}.title{font:bold 14px sans-serif}\
    .heading{font:bold 12px sans-serif}.paper{fill:#fff}.faint{fill:#667}.grid{stroke:#dde}.expanded{fill:#2a6fb0}\
    .length{fill:#b8651b}.unfinished{opacity:.45}@media (prefers-color-scheme:dark){text{fill:#e6e6e6}\
    .paper{fill:#15181d}.faint{fill:#9aa4b2}.grid{stroke:#333b47}.expanded{fill:#6cb0f0}.length{fill:#f0a860}}";

/// What a panel shows of each row.
struct Panel {
    heading: &'static str,
    class: &'static str,
    value: fn(&Row) -> Option<u64>,
    /// Behind the number.
    remark: fn(&Row) -> &'static str,
}

const PANELS: [Panel; 2] = [
    Panel {
        heading: "expanded states",
        class: "expanded",
        value: |row| row.counts().map(|counts| counts.expanded),
        remark: |row| if is_finished(row) { "" } else { row.answer.name() },
    },
    Panel {
        heading: "length of the trace",
        class: "length",
        value: |row| row.length,
        remark: |row| match row.answer {
            Answer::Found if row.proven_shortest && row.cost.is_some() => "cheapest",
            Answer::Found if row.proven_shortest => "shortest",
            Answer::Found => "",
            other => other.name(),
        },
    },
];

fn is_finished(row: &Row) -> bool {
    matches!(row.answer, Answer::Found | Answer::None)
}

pub fn render(file: &str, comparison: &Comparison) -> String {
    let rows = &comparison.rows;
    let longest = rows.iter().map(|row| shortened(&row.search, LONGEST_LABEL).chars().count()).max().unwrap_or(0);
    let left = MARGIN + longest as f64 * LETTER + 10.0;
    let properties: Vec<&str> = comparison.properties.iter().map(|p| p.name.as_str()).collect();
    let title = format!("{file}: {}", properties.join(", "));
    let width = (left + BARS + NUMBERS + MARGIN).max(title.chars().count() as f64 * 8.5 + 2.0 * MARGIN);
    let panel = HEADING + ROW * rows.len() as f64 + SCALE;
    let height = TITLE + panel * PANELS.len() as f64 + MARGIN / 2.0;
    let title = escape(&title);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" viewBox=\"0 0 {width:.0} \
         {height:.0}\" role=\"img\">\n<title>{title}</title>\n<style>{STYLE}</style>\n\
         <rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n\
         <text class=\"title\" x=\"{MARGIN}\" y=\"28\">{title}</text>\n"
    );
    for (at, one) in PANELS.iter().enumerate() {
        draw(&mut out, one, rows, left, TITLE + panel * at as f64);
    }
    out.push_str("</svg>\n");
    out
}

fn draw(out: &mut String, panel: &Panel, rows: &[Row], left: f64, top: f64) {
    let _ = writeln!(
        out,
        "<text class=\"heading\" x=\"{left:.1}\" y=\"{:.1}\">{} <tspan class=\"faint\">(logarithmic scale)</tspan></text>",
        top + 14.0,
        panel.heading
    );
    let largest = rows.iter().filter_map(panel.value).max().unwrap_or(1);
    let decades = powers_of_ten(largest);
    let x = |value: f64| left + (value.log10() + BEFORE_ONE) / (decades as f64 + BEFORE_ONE) * BARS;
    let (first, last) = (top + HEADING, top + HEADING + ROW * rows.len() as f64);
    for power in 0..=decades {
        let (x, value) = (x(10_f64.powi(power as i32)), count(10_u64.saturating_pow(power)));
        let _ = writeln!(out, "<line class=\"grid\" x1=\"{x:.1}\" y1=\"{first:.1}\" x2=\"{x:.1}\" y2=\"{last:.1}\"/>");
        // Long numbers would run into each other.
        if decades <= 5 || power % 2 == decades % 2 {
            let y = last + 15.0;
            let _ =
                writeln!(out, "<text class=\"faint\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\">{value}</text>");
        }
    }
    for (at, row) in rows.iter().enumerate() {
        let y = first + ROW * at as f64;
        let text_y = y + ROW / 2.0 + 4.0;
        let label = escape(&shortened(&row.search, LONGEST_LABEL));
        let _ = write!(out, "<g><title>{}</title>", escape(&row.search));
        let _ = write!(out, "<text x=\"{:.1}\" y=\"{text_y:.1}\" text-anchor=\"end\">{label}</text>", left - 8.0);
        let value = (panel.value)(row);
        let end = value.filter(|value| *value > 0).map_or(left, |value| x(value as f64));
        if end > left {
            let unfinished = if is_finished(row) { "" } else { " unfinished" };
            let _ = write!(
                out,
                "<rect class=\"{}{unfinished}\" x=\"{left:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{BAR}\" rx=\"2\"/>",
                panel.class,
                y + (ROW - BAR) / 2.0,
                end - left
            );
        }
        let shown = [value.map_or(String::new(), count), (panel.remark)(row).to_string()];
        let shown: Vec<String> = shown.into_iter().filter(|part| !part.is_empty()).collect();
        let _ = writeln!(out, "<text x=\"{:.1}\" y=\"{text_y:.1}\">{}</text></g>", end + 6.0, escape(&shown.join(" ")));
    }
}

/// How many powers of ten a scale up to this number needs, at least one.
fn powers_of_ten(largest: u64) -> u32 {
    let whole = largest.max(1).ilog10();
    let exact = 10_u64.checked_pow(whole) == Some(largest.max(1));
    (if exact { whole } else { whole + 1 }).max(1)
}

#[cfg(test)]
mod tests {
    use super::powers_of_ten;

    #[test]
    fn scales() {
        assert_eq!([0, 1, 9, 10, 11, 1000, 1001].map(powers_of_ten), [1, 1, 1, 1, 2, 3, 4]);
        assert_eq!(powers_of_ten(u64::MAX), 20);
    }
}
