//! Parts of random programs that belong to the separate switches: clauses of proctypes, exclusive channel
//! access, claims and event traces.

use super::env::{Field, Gen};
use super::features::Features;

impl Gen {
    /// `priority` and `provided` after the parameters of a proctype.
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
        let doubtful = self.on(Features::EVAL_ERRORS) && self.rng.chance(40);
        let condition = if doubtful { self.doubtful() } else { format!("({})", self.comparison()) };
        self.global_only = false;
        condition
    }

    /// A condition on states for a claim or a formula, in parentheses.
    pub fn claim_condition(&mut self) -> String {
        self.global_only = true;
        let polls = if self.on(Features::POLLS) { 4 } else { 0 };
        let remote = if self.workers.is_empty() { 0 } else { 5 };
        let first = if self.on(Features::REMOTE) { 3 } else { 0 };
        let wide = if self.on(Features::WIDE) { 6 } else { 0 };
        let undefined = if self.on(Features::UNDEFINED_CLAIMS) { 4 } else { 0 };
        let kind = self.rng.weighted(&[(5, 0), (polls, 1), (remote, 2), (first, 3), (wide, 4), (undefined, 5)]);
        let condition = match kind {
            1 => self.several_polls(),
            2 => Some(self.remote_condition()),
            3 => Some(if self.rng.chance(50) { "P0[0]@R0".into() } else { format!("P0:rv != {}", self.rng.below(3)) }),
            4 => Some(self.rich(3)),
            5 => self.undefined_condition(),
            _ => None,
        };
        let condition = condition.unwrap_or_else(|| self.comparison());
        self.global_only = false;
        format!("({condition})")
    }

    /// A condition that has no value in some states.
    fn undefined_condition(&mut self) -> Option<String> {
        let places = self.places(|p| p.readable && p.plain() && !p.ty.symbolic());
        if places.is_empty() {
            return None;
        }
        let var = self.rng.pick(&places).path[0].0.clone();
        let arrays = self.places(|p| p.path.len() == 1 && p.path[0].1.is_some() && !p.ty.symbolic());
        Some(match self.rng.below(3) {
            0 => format!("10 / {var} > {}", self.rng.below(9)),
            1 if !arrays.is_empty() => format!("{}[{var}] == {}", self.rng.pick(&arrays).path[0].0, self.rng.below(3)),
            _ => format!("3 % {var} == {}", self.rng.below(2)),
        })
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
        }
        if self.on(Features::LTL) && (!self.on(Features::NEVER) || !self.for_spin()) {
            let (a, b) = (self.claim_condition(), self.claim_condition());
            text.push_str(&match self.rng.below(3) {
                0 => format!("ltl f0 {{ [] {a} }}\n"),
                1 => format!("ltl f0 {{ [] ({a} || {b}) }}\n"),
                _ => format!("ltl f0 {{ [] ({a} -> {b}) }}\n"),
            });
        }
        if self.on(Features::LTL) && !self.for_spin() {
            text.push_str(&format!("ltl f1 {{ {} }}\n", self.formula(3)));
        }
        if self.on(Features::TRACE) {
            text.push_str(&self.event_trace(program));
        }
        text
    }

    fn never(&mut self) -> String {
        let (a, b) = (self.claim_condition(), self.claim_condition());
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
