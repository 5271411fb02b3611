//! Random control structures: `if`, `do`, `for`, `atomic`, `d_step`, `unless`.

use super::env::{Chan, Cx, Field, Gen, Place, braces, indent};
use super::features::Features;

/// The head of an option.
#[derive(Debug, Clone, Copy)]
enum Guard {
    Condition,
    Channel,
    True,
    Assignment,
    Timeout,
    Atomic,
    DStep,
    Leave,
    Nested,
}

impl Gen {
    /// An `if`.
    pub fn selection(&mut self, cx: Cx) -> String {
        if cx.dstep {
            return self.deterministic_selection(cx);
        }
        let count = self.rng.weighted(&[(1, 1), (5, 2), (3, 3), (1, 4)]);
        let mut options = self.options(count, cx);
        let relaxed = usize::from(self.relaxed);
        if self.rng.chance(45 + 20 * relaxed) && self.else_allowed(&options) {
            let tail = match self.rng.below(4) {
                0 => String::new(),
                1 if cx.breakable => " -> break".to_string(),
                1 => " -> skip".to_string(),
                _ => format!(" -> {}", self.assignment(cx)),
            };
            let at = if self.rng.chance(10) { 0 } else { options.len() };
            options.insert(at, format!("else{tail}"));
        } else if self.rng.chance(60 * relaxed) {
            options.push("timeout".to_string());
        }
        format!("if\n{}\nfi", self.render(&options))
    }

    /// An `if` for `d_step`: exactly one option is executable.
    fn deterministic_selection(&mut self, cx: Cx) -> String {
        let inner = cx.deeper();
        if self.on(Features::NONDET_DSTEP) && self.rng.chance(50) {
            let options: Vec<String> = (0..2)
                .map(|_| format!("{} -> {}", self.condition(0, true), self.sequence(1, inner)))
                .chain(["else".to_string()])
                .collect();
            return format!("if\n{}\nfi", self.render(&options));
        }
        if self.rng.chance(30) {
            let var = self.variable();
            let mut options: Vec<String> =
                (0..2).map(|i| format!("({var} == {i}) -> {}", self.sequence(1, inner))).collect();
            options.push("else".to_string());
            return format!("if\n{}\nfi", self.render(&options));
        }
        let buffered = self.channels(|c| c.cap > 0);
        let exclusive = self.on(Features::XR_XS) && self.for_spin();
        if !buffered.is_empty() && !exclusive && self.rng.chance(40) {
            let chan = self.rng.pick(&buffered).clone();
            let chan = Chan { name: self.channel(&chan), array: None, ..chan };
            let send = self.send(&chan, "!");
            return format!("if\n:: nfull({}) -> {send}\n:: else\nfi", chan.name);
        }
        let guard = self.condition(1, true);
        let body = self.sequence(1, inner);
        let other = if self.rng.chance(50) { format!(" -> {}", self.sequence(1, inner)) } else { String::new() };
        format!("if\n:: {guard} -> {}\n:: else{}\nfi", indent(&body).trim_start(), indent(&other).trim_end())
    }

    /// The text of a list of options.
    fn render(&self, options: &[String]) -> String {
        options.iter().map(|o| format!(":: {}", indent(o).trim_start())).collect::<Vec<_>>().join("\n")
    }

    /// `else` next to an option without condition is never taken but legal; next to channel operations SPIN
    /// warns, and refuses when there are `xr` or `xs` claims.
    fn else_allowed(&mut self, options: &[String]) -> bool {
        let io =
            options.iter().any(|o| o.lines().next().is_some_and(|l| l.contains(['!', '?']) || l.contains("full(")));
        if options.iter().any(|o| o.starts_with("if") || o.starts_with("atomic {\n  if")) {
            // The inner selection may have an `else` of its own, and SPIN allows one only.
            return false;
        }
        if io && self.for_spin() && (self.on(Features::XR_XS) || self.on(Features::TRACE)) {
            return false;
        }
        !io || self.rng.chance(40)
    }

    /// Some options with random heads, for code outside `d_step`.
    fn options(&mut self, count: usize, cx: Cx) -> Vec<String> {
        let outside = self.behind_option;
        let mut options = Vec::new();
        for _ in 0..count {
            options.push(self.option(cx));
            self.behind_option = true;
        }
        self.behind_option = outside;
        options
    }

    fn option(&mut self, cx: Cx) -> String {
        let inner = cx.deeper();
        let block = if inner.depth < 3 && self.budget > 0 { 1 } else { 0 };
        let leave = if cx.breakable { 4 } else { 0 };
        let guard = self.rng.weighted(&[
            (34, Guard::Condition),
            (34, Guard::Channel),
            (6, Guard::True),
            (8, Guard::Assignment),
            (4, Guard::Timeout),
            (5 * block, Guard::Atomic),
            (4 * block, Guard::DStep),
            (leave, Guard::Leave),
            (2 * block, Guard::Nested),
        ]);
        let head = match guard {
            Guard::Condition => self.condition(1, false),
            Guard::Channel => self.channel_statement(cx, true).unwrap_or_else(|| self.condition(0, false)),
            Guard::True => self.trivial(),
            Guard::Assignment => self.assignment(cx),
            Guard::Timeout => self.timeout_condition(),
            Guard::Atomic => self.atomic_block(inner),
            Guard::DStep => self.d_step_block(inner),
            Guard::Leave => return "break".to_string(),
            Guard::Nested => self.selection(inner),
        };
        // An option that does nothing at all would be a loop without any effect, which SPIN refuses.
        let idle = if matches!(guard, Guard::True | Guard::Nested) { 0 } else { 3 };
        let count = self.rng.weighted(&[(idle, 0), (5, 1), (2, 2)]);
        let mut text = head;
        if count > 0 {
            text.push_str(if matches!(guard, Guard::Condition | Guard::Timeout) { " -> " } else { "; " });
            text.push_str(&self.sequence(count, inner));
        }
        if cx.breakable && self.rng.chance(8) {
            text.push_str("; break");
        }
        text
    }

    /// A `do` loop; inside `atomic` every round is counted.
    pub fn repetition(&mut self, cx: Cx) -> String {
        if cx.atomic || cx.dstep {
            return self.counted_loop(cx);
        }
        let inner = Cx { breakable: true, ..cx.deeper() };
        let count = self.rng.weighted(&[(1, 1), (5, 2), (4, 3), (1, 4)]);
        let mut options = self.options(count, inner);
        match self.rng.below(10) {
            0 => options.push("break".to_string()),
            1 | 2 => options.push("timeout -> break".to_string()),
            3 | 4 => {
                let outside = std::mem::replace(&mut self.behind_option, true);
                options.push(format!("{} -> break", self.condition(0, false)));
                self.behind_option = outside;
            }
            5 | 6 if self.else_allowed(&options) => options.push("else -> break".to_string()),
            7 => {
                let targets: Vec<String> =
                    self.proc.labels.iter().filter(|l| l.pos != self.proc.pos).map(|l| l.name.clone()).collect();
                if !targets.is_empty() {
                    let target = self.rng.pick(&targets).clone();
                    let outside = std::mem::replace(&mut self.behind_option, true);
                    options.push(format!("{} -> goto {target}", self.condition(0, false)));
                    self.behind_option = outside;
                }
            }
            _ => {}
        }
        let label = if self.rng.chance(20 + 40 * usize::from(self.relaxed)) {
            format!("{}: ", self.fresh("end"))
        } else {
            String::new()
        };
        format!("{label}do\n{}\nod", self.render(&options))
    }

    /// A loop with a counter that no other statement changes.
    fn counted_loop(&mut self, cx: Cx) -> String {
        let Some(counter) = self.take_counter() else { return self.assignment(cx) };
        let limit = self.rng.range(1, 3);
        let inner = Cx { breakable: true, counted: true, ..cx.deeper() };
        let body_count = self.rng.range(1, 2);
        let body = self.sequence(body_count, inner);
        let mut options = vec![format!("({counter} < {limit}) -> {counter}++; {body}")];
        if !cx.dstep && self.rng.chance(40) {
            let other = self.sequence(1, inner);
            options.push(format!("({counter} < {limit}) -> {counter} = {counter} + 1; {other}"));
        }
        options.push(match self.rng.below(3) {
            0 => format!("({counter} >= {limit}) -> break"),
            _ => "else -> break".to_string(),
        });
        self.proc.counters -= 1;
        format!("{counter} = 0;\ndo\n{}\nod", self.render(&options))
    }

    /// A loop counter of the process.
    fn take_counter(&mut self) -> Option<String> {
        if self.proc.counters >= 3 || self.global_only {
            return None;
        }
        let name = format!("i{}", self.proc.counters);
        self.proc.counters += 1;
        self.proc.max_counters = self.proc.max_counters.max(self.proc.counters);
        Some(name)
    }

    /// A `for` over a range, an array or a channel.
    pub fn for_loop(&mut self, cx: Cx) -> String {
        let inner = Cx { breakable: true, counted: true, ..cx.deeper() };
        let channels = self.chans.iter().filter(|c| c.cap > 0 && c.array.is_none());
        let message: Vec<String> =
            channels.filter(|c| self.types[c.ty] == [Field::Msg]).map(|c| c.name.clone()).collect();
        if !message.is_empty() && !cx.dstep && !cx.atomic && self.rng.chance(50) {
            let (chan, var) = (self.rng.pick(&message).clone(), self.msg_variable());
            let body = self.sequence(1, inner);
            return braces(&format!("for ({var} in {chan}) "), &body);
        }
        let arrays = self.places(|p| p.path.last().is_some_and(|l| l.1.is_some()));
        let arrays: Vec<_> = arrays.into_iter().filter(|p| p.path.len() == 1).collect();
        let Some(counter) = self.take_counter() else { return self.assignment(cx) };
        let count = self.rng.range(1, 2);
        let body = self.sequence(count, inner);
        self.proc.counters -= 1;
        let head = if !arrays.is_empty() && self.rng.chance(50) {
            format!("{counter} in {}", self.rng.pick(&arrays).path[0].0)
        } else {
            let low = self.rng.below(2);
            format!("{counter} : {low} .. {}", low + self.rng.range(1, 2))
        };
        braces(&format!("for ({head}) "), &body)
    }

    /// An `atomic` block.
    pub fn atomic_block(&mut self, cx: Cx) -> String {
        let inner = Cx { atomic: true, ..cx.deeper() };
        let count = self.rng.range(1, 3);
        let mut parts = Vec::new();
        if self.rng.chance(45)
            && let Some(first) = self.channel_statement(inner, true)
        {
            parts.push(first);
        }
        parts.push(self.sequence(count, inner));
        let text = self.separate(&parts);
        braces("atomic ", &text)
    }

    /// A `d_step` block: after the first statement nothing blocks.
    pub fn d_step_block(&mut self, cx: Cx) -> String {
        let inner = Cx { dstep: true, breakable: false, ..cx.deeper() };
        if self.on(Features::WIDE) && self.rng.chance(50) {
            return self.rich_d_step(inner);
        }
        if self.on(Features::POLLS)
            && self.rng.chance(35)
            && let Some(text) = self.receives_in_d_step(inner)
        {
            return text;
        }
        // SPIN takes a d_step back by restoring the state vector, where hidden variables are not; a receive into a
        // variable is taken back by putting the value of the variable into the channel. So a receive into a hidden
        // variable before a d_step that changes it gives the channel a wrong message back.
        let hidden = |p: &&mut Place| !p.readable;
        self.globals.iter_mut().filter(hidden).for_each(|p| p.writable = false);
        let mut parts = Vec::new();
        match self.rng.below(4) {
            0 => parts.push(self.condition(1, true)),
            1 => {
                let rendezvous = self.rng.chance(10);
                if let Some(first) = self.channel_statement(inner, rendezvous) {
                    parts.push(first);
                }
            }
            _ => {}
        }
        let count = self.rng.range(1, 3);
        parts.push(self.sequence(count, inner));
        // SPIN runs a d_step that starts with one of these in the middle of somebody else's rendezvous.
        if ["assert", "printf", "printm"].iter().any(|word| parts[0].starts_with(word)) {
            parts.insert(0, "skip".to_string());
        }
        self.globals.iter_mut().filter(hidden).for_each(|p| p.writable = true);
        let text = self.separate(&parts);
        braces("d_step ", &text)
    }

    /// `statement unless { statement }`.
    pub fn unless_statement(&mut self, cx: Cx) -> String {
        let inner = Cx { breakable: false, ..cx.deeper() };
        let count = self.rng.range(1, 3);
        let main = self.sequence(count, inner);
        let guard = match self.rng.below(4) {
            0 => self.channel_statement(inner, true).unwrap_or_else(|| "timeout".to_string()),
            1 => self.timeout_condition(),
            _ => self.condition(1, false),
        };
        let count = self.rng.range(1, 2);
        let escape = self.sequence(count, inner);
        format!("{} unless {{\n  {guard};\n{}\n}}", braces("", &main), indent(&escape))
    }
}
