//! What pictures share: text that is safe in XML, and not too long; axes with round numbers.

/// Text inside an element or an attribute; characters that XML has no place for are replaced.
pub fn escape(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(' '),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// At most so many characters, with a mark if there were more. For labels; the whole text belongs into a tool tip.
pub fn shortened(text: &str, longest: usize) -> String {
    if text.chars().count() <= longest {
        return text.to_string();
    }
    text.chars().take(longest.saturating_sub(1)).chain(['…']).collect()
}

/// Numbers on an axis, at most.
const TICKS: f64 = 6.0;

/// One axis: values to places.
#[derive(Clone, Debug)]
pub struct Axis {
    pub low: f64,
    pub high: f64,
    pub is_logarithmic: bool,
    /// Places of both ends.
    pub from: f64,
    pub to: f64,
}

impl Axis {
    pub fn place(&self, value: f64) -> f64 {
        let scaled = |value: f64| if self.is_logarithmic { value.max(f64::MIN_POSITIVE).log10() } else { value };
        let (low, high) = (scaled(self.low), scaled(self.high));
        self.from + (scaled(value) - low) / (high - low) * (self.to - self.from)
    }

    /// Round numbers between the ends.
    pub fn ticks(&self) -> Vec<f64> {
        if self.is_logarithmic {
            let powers = self.low.log10().floor() as i32..=self.high.log10().ceil() as i32;
            let step = (powers.clone().count() as f64 / (TICKS + 2.0)).ceil().max(1.0) as usize;
            let ticks = powers.step_by(step).map(|power| 10_f64.powi(power));
            return ticks.filter(|tick| (self.low..=self.high).contains(tick)).collect();
        }
        let rough = (self.high - self.low) / TICKS;
        let power = 10_f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power).into_iter().find(|step| *step >= rough);
        let step = step.unwrap_or(rough);
        let first = (self.low / step).ceil() as i64;
        // A little more than the end: the last tick must not get lost to rounding.
        let is_inside = |tick: &f64| *tick <= self.high + step * 1e-9;
        (first..).map(|at| at as f64 * step).take_while(is_inside).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped() {
        assert_eq!(escape("a<b && \"c\" 'd'>\u{1}\n"), "a&lt;b &amp;&amp; &quot;c&quot; &#39;d&#39;&gt;\u{fffd} ");
    }

    #[test]
    fn long_text_is_cut() {
        assert_eq!((shortened("äbc", 3), shortened("äbcd", 3)), ("äbc".into(), "äb…".into()));
    }

    #[test]
    fn ticks_are_round() {
        let axis = |low, high, is_logarithmic| Axis { low, high, is_logarithmic, from: 0.0, to: 100.0 };
        let shown = |axis: Axis| {
            axis.ticks().into_iter().map(|tick| format!("{}", (tick * 1e6).round() / 1e6)).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(shown(axis(0.0, 1.0, false)), "0 0.2 0.4 0.6 0.8 1");
        assert_eq!(shown(axis(0.0, 0.0265, false)), "0 0.005 0.01 0.015 0.02 0.025");
        assert_eq!(shown(axis(1.0, 5000.0, true)), "1 10 100 1000");
        assert!((axis(1.0, 100.0, true).place(10.0) - 50.0).abs() < 1e-9);
    }
}
