//! Random basic statements and sequences.

use super::env::{Cx, Gen, Param, Place, Ty, braces, indent};
use super::features::Features;

impl Gen {
    /// A sequence of `n` statements as text with separators, without the final one.
    pub fn sequence(&mut self, n: usize, cx: Cx) -> String {
        let (places, chans) = (self.proc.places.len(), self.proc.chans.len());
        let mut parts: Vec<String> = Vec::new();
        for i in 0..n.max(1) {
            let mut text = self.statement(cx);
            if i > 0 && !cx.counted && !cx.dstep && cx.depth > 0 && self.rng.chance(3) && self.can_label(&text) {
                let label = self.fresh("J");
                text = format!("{label}: {text}");
                self.proc.inner_labels.push(label);
            }
            parts.push(text);
            if i + 1 < n && self.rng.chance(5) {
                parts.push(self.declaration());
            }
        }
        self.proc.places.truncate(places);
        self.proc.chans.truncate(chans);
        self.separate(&parts)
    }

    /// Put separators between statements; `->` after some of the conditions.
    pub fn separate(&mut self, parts: &[String]) -> String {
        let mut text = String::new();
        for (i, part) in parts.iter().enumerate() {
            let loop_before = i > 0 && (parts[i - 1].ends_with("od") || parts[i - 1].starts_with("for"));
            if loop_before && part.contains("d_step {") {
                // SPIN takes the way from a loop directly into a d_step for a jump into it.
                text.push_str("skip;\n");
            }
            text.push_str(part);
            if i + 1 < parts.len() {
                let arrow = part.starts_with('(') && self.rng.chance(60);
                text.push_str(if arrow { " ->\n" } else { ";\n" });
            }
        }
        text
    }

    /// May a label stand before this statement? (Not before jumps, to exclude cycles made of jumps only.)
    pub fn can_label(&self, text: &str) -> bool {
        !text.starts_with("goto") && !text.starts_with("break") && !text.starts_with("d_step") && !text.starts_with('{')
    }

    /// A local declaration in the middle of a body.
    pub fn declaration(&mut self) -> String {
        let ty = *self.rng.pick(&[Ty::Byte, Ty::Byte, Ty::Bit, Ty::Bool, Ty::Int, Ty::Short, Ty::Mtype]);
        let name = self.fresh("t");
        self.declare(&name, ty)
    }

    /// Two blocks next to each other with a variable of the same name (SPIN does not allow to hide an outer name).
    fn sibling_blocks(&mut self, cx: Cx) -> String {
        let name = self.name_to_hide(|ty| !ty.symbolic()).map_or_else(|| self.fresh("t"), |(name, _)| name);
        let start = self.proc.places.len();
        let mut blocks = Vec::new();
        for ty in [Ty::Byte, Ty::Bool] {
            let declaration = self.declare(&name, ty);
            let body = self.sequence(1, Cx { counted: true, ..cx.deeper() });
            self.proc.places.truncate(start);
            blocks.push(format!("{{\n  {declaration};\n{}\n}}", indent(&body)));
        }
        blocks.join(";\n")
    }

    /// The name and type of a global variable that a local one may hide, if that is wanted.
    pub fn name_to_hide(&mut self, keep: impl Fn(Ty) -> bool) -> Option<(String, Ty)> {
        if !self.on(Features::SHADOW) || !self.rng.chance(60) {
            return None;
        }
        let places = self.global_places(|p| p.plain() && p.readable && keep(p.ty));
        if places.is_empty() {
            return None;
        }
        let place = self.rng.pick(&places);
        Some((place.path[0].0.clone(), place.ty))
    }

    /// The text of a local declaration, after which the variable is in scope.
    pub fn declare(&mut self, name: &str, ty: Ty) -> String {
        // From here on the name hides a global one, also in its own initial value, which must not read it.
        let at = self.proc.places.len();
        self.proc.places.push(Place { readable: false, writable: false, ..Place::scalar(name, ty) });
        let text = if self.rng.chance(75) {
            let value = self.value(ty);
            format!("{} {name} = {value}", ty.keyword())
        } else {
            format!("{} {name}", ty.keyword())
        };
        self.proc.places[at] = Place::scalar(name, ty);
        text
    }

    /// One statement.
    pub fn statement(&mut self, cx: Cx) -> String {
        if self.budget == 0 {
            return self.assignment(cx);
        }
        self.budget -= 1;
        let nest = if cx.depth < 3 && self.budget > 0 { 1 } else { 0 };
        let free = if cx.dstep { 0 } else { 1 };
        let flow = nest * free;
        let unless = if self.on(Features::UNLESS) { 14 * flow } else { 0 };
        let inline = if self.inlines.is_empty() || cx.depth > 1 { 0 } else { 5 };
        let wide = self.on(Features::WIDE);
        let dynamic = if self.workers.is_empty() { 0 } else { 10 };
        let polls = if self.on(Features::POLLS) { 8 } else { 0 };
        let kind = self.rng.weighted(&[
            (30, 0),
            (34 * free, 1),
            (6 * free, 2),
            (6, 3),
            (4, 4),
            (11 * nest, 5),
            (if cx.dstep { 4 * nest } else { 10 * nest }, 6),
            (if cx.dstep { 3 * nest } else { 5 * nest }, 7),
            (10 * flow, 8),
            (7 * flow, 9),
            (if cx.atomic { 9 * free } else { 5 * free }, 10),
            (if cx.breakable { 3 } else { 0 }, 11),
            (2 * free, 12),
            ((2 + dynamic) * free, 13),
            (inline * (1 + usize::from(wide)), 14),
            (2 * free, 15),
            (if self.on(Features::SHADOW) { 8 * flow } else { 2 * flow }, 16),
            (unless, 17),
            (2 * free, 18),
            (if self.on(Features::PRIORITY) { 5 * free } else { 0 }, 19),
            (if self.on(Features::UNINIT_CHAN) && !self.proc.is_init() { 6 * free } else { 0 }, 20),
            (polls * flow, 21),
            (if wide { 12 } else { 0 }, 22),
        ]);
        match kind {
            0 => self.assignment(cx),
            1 => {
                let text = self.channel_statement(cx, true).unwrap_or_else(|| self.trivial());
                self.relax(text, cx)
            }
            2 => {
                let text = self.condition(1, cx.dstep);
                self.relax(text, cx)
            }
            3 => format!("assert({})", self.assertion(cx.dstep)),
            4 => self.trivial(),
            5 => self.selection(cx),
            6 => self.repetition(cx),
            7 => self.for_loop(cx),
            8 => self.atomic_block(cx),
            9 => self.d_step_block(cx),
            10 => self.jump(cx),
            11 if cx.dstep || self.rng.chance(60) => {
                if cx.dstep {
                    format!("if\n:: {} -> break\n:: else\nfi", self.condition(0, true))
                } else {
                    format!("if\n:: {} -> break\n:: else -> {}\nfi", self.condition(0, false), self.trivial())
                }
            }
            11 => "break".to_string(),
            12 => self.timeout_condition(),
            13 => self.bounded_run(cx),
            14 => self.inline_call(cx),
            15 => self.select(),
            16 if self.rng.chance(35) => self.sibling_blocks(cx),
            16 => {
                let body = self.sequence(2, cx.deeper());
                braces("", &body)
            }
            17 => self.unless_statement(cx),
            18 => self.reassign_alias().unwrap_or_else(|| self.trivial()),
            19 => {
                // The priority of init stays as it is, see `condition`.
                let pid = if self.proc.is_init() { "0" } else { *self.rng.pick(&["_pid", "0"]) };
                format!("set_priority({pid}, {})", self.rng.range(1, 3))
            }
            20 => "uc!1".to_string(),
            21 => self.receives_in_d_step(cx).unwrap_or_else(|| self.trivial()),
            _ => self.odd_statement(cx),
        }
    }

    /// In relaxed programs a statement that may block gets a way out or an end label.
    fn relax(&mut self, text: String, cx: Cx) -> String {
        if !self.relaxed || cx.dstep {
            return text;
        }
        let label = if self.on(Features::WIDE) { *self.rng.pick(&["end", "accept", "progress"]) } else { "end" };
        match self.rng.below(10) {
            0..4 => format!("{}: {text}", self.fresh(label)),
            4..7 => format!("if\n:: {text}\n:: timeout\nfi"),
            7 if !self.on(Features::XR_XS) => format!("if\n:: {text}\n:: else\nfi"),
            _ => text,
        }
    }

    /// A statement without effect.
    pub fn trivial(&mut self) -> String {
        match self.rng.below(5) {
            0 => "skip".to_string(),
            1 => "true".to_string(),
            2 => "(1)".to_string(),
            3 => format!("printf(\"v=%d\\n\", {})", self.variable()),
            _ => "printf(\"x\\n\")".to_string(),
        }
    }

    /// A condition that mostly holds.
    pub fn assertion(&mut self, dstep: bool) -> String {
        if self.on(Features::WIDE) && self.rng.chance(40) {
            return self.rich(3);
        }
        if self.on(Features::POLLS)
            && self.rng.chance(25)
            && let Some(polls) = self.several_polls()
        {
            return polls;
        }
        match self.rng.below(4) {
            0 => self.condition(1, dstep),
            1 => format!("{} < {}", self.variable(), self.rng.range(2, 4)),
            2 => format!("{} != {}", self.variable(), self.rng.range(1, 3)),
            _ => format!("({} || {})", self.condition(0, dstep), self.condition(0, dstep)),
        }
    }

    /// `timeout`, alone or in a condition.
    pub fn timeout_condition(&mut self) -> String {
        match self.rng.below(4) {
            0 => format!("(timeout && {})", self.comparison()),
            1 => format!("({} || timeout)", self.comparison()),
            _ => "timeout".to_string(),
        }
    }

    /// An assignment whose values are bounded.
    pub fn assignment(&mut self, cx: Cx) -> String {
        let places = self.places(|p| p.writable);
        if places.is_empty() {
            return self.trivial();
        }
        let globals = self.global_places(|p| p.writable).len();
        let at =
            if globals > 0 && self.rng.chance(55) { self.rng.below(globals) } else { self.rng.below(places.len()) };
        let place = places[at].clone();
        let name = self.place(&place);
        match place.ty {
            Ty::Mtype | Ty::Fruit => format!("{name} = {}", self.value(place.ty)),
            Ty::Bit | Ty::Bool => match self.rng.below(5) {
                0 => format!("{name}++"),
                1 => format!("{name} = 1 - {name}"),
                2 => format!("{name} = {}", self.number(1)),
                _ => format!("{name} = {}", self.value(place.ty)),
            },
            _ => self.numeric_assignment(&name, &place, cx),
        }
    }

    fn numeric_assignment(&mut self, name: &str, place: &Place, cx: Cx) -> String {
        let readable = place.readable;
        let limit = self.rng.range(1, 3);
        let wide = matches!(place.ty, Ty::Short | Ty::Int);
        let count = if readable { 1 } else { 0 };
        let block = if cx.dstep { 0 } else { 14 - 10 * usize::from(self.relaxed) };
        match self.rng.weighted(&[(30, 0), (22, 1), (count * block, 2), (12 * count, 3), (6 * count, 4), (4, 5)]) {
            0 => format!("{name} = {}", self.constant()),
            1 => format!("{name} = {}", self.bounded()),
            2 if self.rng.chance(75) => format!("({name} < {limit}) -> {name}++"),
            2 => format!("({name} > 0) -> {name}--"),
            3 => format!("{name} = ({name} < {limit} -> {name} + 1 : {name})"),
            4 if !wide && cx.depth == 0 && self.rng.chance(8) => format!("{name}{}", self.rng.pick(&["++", "--"])),
            4 => format!("{name} = ({name} + {limit}) % {}", limit + self.rng.range(1, 2)),
            _ => {
                let edge = match place.ty {
                    Ty::Short => "32766",
                    Ty::Int => "2147483646",
                    _ => "254",
                };
                format!("{name} = {edge} + {}", self.rng.below(5))
            }
        }
    }

    /// A `goto`; inside `atomic` never one that could close a cycle of atomic steps.
    pub fn jump(&mut self, cx: Cx) -> String {
        let pos = self.proc.pos;
        let mut targets: Vec<String> = self
            .proc
            .labels
            .iter()
            .filter(|l| l.pos > pos || (l.pos < pos && (!cx.atomic || !l.atomic)) || (l.pos == pos && !cx.atomic))
            .map(|l| l.name.clone())
            .collect();
        if !cx.atomic && !cx.dstep {
            targets.extend(self.proc.inner_labels.iter().cloned());
        }
        if targets.is_empty() || cx.dstep {
            return self.trivial();
        }
        let target = self.rng.pick(&targets).clone();
        match self.rng.below(4) {
            0 if !cx.atomic => format!("{};\ngoto {target}", self.assignment(cx)),
            1 => format!("if\n:: {} -> goto {target}\n:: {}\nfi", self.condition(0, false), self.condition(0, false)),
            _ => format!("if\n:: {} -> goto {target}\n:: else\nfi", self.condition(0, false)),
        }
    }

    /// The actual parameters for a `run` of a proctype.
    pub fn run_call(&mut self, index: usize) -> String {
        let proc = self.procs[index].clone();
        let args: Vec<String> = proc
            .params
            .iter()
            .map(|&p| match p {
                // SPIN accepts only constants for parameters of type mtype.
                Param::Scalar(ty) if ty.symbolic() => self.symbol(ty),
                Param::Scalar(ty) => self.value(ty),
                Param::Chan(ty) => self.channel_value(ty),
            })
            .collect();
        let priority = if self.on(Features::PRIORITY) && self.rng.chance(40) {
            format!(" priority {}", self.rng.range(1, 4))
        } else {
            String::new()
        };
        self.runs += 1;
        format!("run {}({}){priority}", proc.name, args.join(", "))
    }

    /// Start a process unless there are many.
    fn bounded_run(&mut self, cx: Cx) -> String {
        if self.procs.is_empty() || self.runs > 3 + 2 * self.workers.len() {
            return self.assignment(cx);
        }
        let workers =
            if !self.workers.is_empty() && self.rng.chance(70) { self.workers.len() } else { self.procs.len() };
        let index = self.procs.len() - workers + self.rng.below(workers);
        let call = self.run_call(index);
        let limit = self.rng.range(3, 4);
        let pids = self.places(|p| p.writable && p.plain() && matches!(p.ty, Ty::Byte | Ty::Pid | Ty::Int | Ty::Short));
        let start = if pids.is_empty() || self.rng.chance(50) {
            call
        } else {
            format!("{} = {call}", self.rng.pick(&pids).path[0].0)
        };
        match self.rng.below(3) {
            0 => format!("(_nr_pr < {limit}) -> {start}"),
            1 => format!("if\n:: (_nr_pr < {limit}) -> {start}\n:: else\nfi"),
            _ if cx.atomic => format!("(_nr_pr < {limit}) -> {start}"),
            _ => format!("atomic {{ (_nr_pr < {limit}) -> {start} }}"),
        }
    }

    /// Call an inline with fitting arguments.
    pub fn inline_call(&mut self, cx: Cx) -> String {
        let inline = self.rng.pick(&self.inlines).clone();
        let targets = self.places(|p| p.plain() && p.writable && p.readable && !p.ty.symbolic());
        if targets.is_empty() || (cx.dstep && inline.blocks) {
            return self.assignment(cx);
        }
        let args: Vec<String> = inline
            .params
            .iter()
            .map(|&written| {
                if written || self.rng.chance(40) {
                    self.rng.pick(&targets).path[0].0.clone()
                } else {
                    self.rng.below(4).to_string()
                }
            })
            .collect();
        format!("{}({})", inline.name, args.join(", "))
    }

    /// `select` into a variable.
    pub fn select(&mut self) -> String {
        let places = self.places(|p| p.plain() && p.writable && matches!(p.ty, Ty::Byte | Ty::Int | Ty::Short));
        if places.is_empty() {
            return self.trivial();
        }
        let name = self.rng.pick(&places).path[0].0.clone();
        let low = self.rng.below(2);
        format!("select ({name} : {low} .. {})", low + self.rng.range(1, 2))
    }
}
