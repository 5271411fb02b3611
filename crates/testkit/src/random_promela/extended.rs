//! Parts of random programs that belong to the separate switches: clauses of proctypes, exclusive channel
//! access, claims and event traces.

use super::env::{Field, Gen};
use super::features::Features;

impl Gen {
    /// `priority` and `provided` behind the parameters of a proctype.
    pub fn proctype_suffix(&mut self) -> String {
        let mut text = String::new();
        if self.on(Features::PRIORITY) && self.rng.chance(60) {
            text.push_str(&format!(" priority {}", self.rng.range(1, 4)));
        }
        if self.on(Features::PROVIDED) && self.rng.chance(60) {
            let condition =
                if self.rng.chance(25) { format!("(_pid == {})", self.rng.below(3)) } else { self.global_condition() };
            text.push_str(&format!(" provided {condition}"));
        }
        text
    }

    /// A condition on global variables only, in parentheses.
    fn global_condition(&mut self) -> String {
        self.global_only = true;
        let condition = format!("({})", self.comparison());
        self.global_only = false;
        condition
    }

    /// The first process sends to `qx` only, the second one receives from it only.
    pub fn exclusive_claims(&mut self) -> String {
        if !self.on(Features::XR_XS) {
            return String::new();
        }
        match self.proc.index {
            0 => "xs qx;\nqx!1;\n".to_string(),
            1 => "xr qx;\n".to_string(),
            _ => String::new(),
        }
    }

    /// Never claim, formula, or event trace.
    pub fn claims(&mut self, program: &str) -> String {
        let mut text = String::new();
        if self.on(Features::NEVER) {
            text.push_str(&self.never());
        } else if self.on(Features::LTL) {
            let (a, b) = (self.global_condition(), self.global_condition());
            text.push_str(&match self.rng.below(3) {
                0 => format!("ltl f0 {{ [] {a} }}\n"),
                1 => format!("ltl f0 {{ [] ({a} || {b}) }}\n"),
                _ => format!("ltl f0 {{ [] ({a} -> {b}) }}\n"),
            });
        }
        if self.on(Features::TRACE) {
            text.push_str(&self.event_trace(program));
        }
        text
    }

    fn never(&mut self) -> String {
        let (a, b) = (self.global_condition(), self.global_condition());
        match self.rng.below(4) {
            0 => format!("never {{\n  do\n  :: {a} -> break\n  :: true\n  od\n}}\n"),
            1 => format!("never {{\n  do\n  :: assert({a})\n  od\n}}\n"),
            2 => format!(
                "never {{\n  do\n  :: {a} -> break\n  :: else\n  od;\n  do\n  :: {b} -> break\n  :: true\n  od\n}}\n"
            ),
            _ => format!(
                "never {{\n  true;\nN0: if\n  :: {a} -> goto N0\n  :: {b} -> skip\n  :: atomic {{ else -> assert({b}) }}\n  fi\n}}\n"
            ),
        }
    }

    /// A trace over the global channel that the program sends to most often.
    fn event_trace(&mut self, program: &str) -> String {
        let chans = self.chans.iter().filter(|c| c.array.is_none());
        let Some(chan) = chans.max_by_key(|c| program.matches(&format!("{}!", c.name)).count()).cloned() else {
            return String::new();
        };
        let width = if self.types[chan.ty] == [Field::Msg] { 2 } else { self.types[chan.ty].len() };
        let args = vec!["_"; width].join(",");
        let name = &chan.name;
        let keyword = *self.rng.pick(&["trace", "notrace"]);
        match self.rng.below(3) {
            0 => format!("{keyword} {{\n  do\n  :: {name}!{args}; {name}?{args}\n  od\n}}\n"),
            1 => format!("{keyword} {{\n  {name}!{args};\n  {name}?{args};\n  {name}!{args}\n}}\n"),
            _ => format!("{keyword} {{\n  do\n  :: {name}!{args}\n  :: {name}?{args}\n  od\n}}\n"),
        }
    }
}
