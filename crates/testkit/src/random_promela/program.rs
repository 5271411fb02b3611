//! The frame of a random program: declarations, proctypes, init.

use super::env::{Chan, Cx, Gen, Inline, Label, Param, Place, Proc, ProcState, Ty, indent};
use super::features::Features;

impl Gen {
    /// The whole program.
    pub fn program(&mut self) -> String {
        self.relaxed = self.rng.chance(65);
        let mut parts = vec![self.constants(), self.type_declarations(), self.global_channels()];
        parts.push(self.inline_definitions());
        let count = self.rng.weighted(&[(1, 1), (6, 2), (4, 3)]);
        let remote = self.on(Features::REMOTE) || self.on(Features::ENABLED) || self.on(Features::PC_VALUE);
        let mut active: Vec<bool> = (0..count).map(|i| (remote && i == 0) || self.rng.chance(60)).collect();
        if self.on(Features::XR_XS) || self.on(Features::PRIORITY) {
            active[0] = true;
        }
        let crowded = self.on(Features::WIDE) && self.on(Features::XR_XS) && self.rng.chance(30);
        self.instances = if count < 3 || crowded { 2 } else { 0 };
        for (i, &is_active) in active.iter().enumerate() {
            let params = if is_active { Vec::new() } else { self.parameters() };
            self.procs.push(Proc { name: format!("P{i}"), params });
        }
        self.announce_workers();
        // A remote reference must stand after the proctype that it names.
        let workers = std::mem::take(&mut self.workers);
        for (i, &is_active) in active.iter().enumerate() {
            parts.push(self.proctype(i, is_active));
            for (at, name) in workers.iter().enumerate().filter(|_| i == 0) {
                parts.push(self.worker(count + at));
                self.workers.push(name.clone());
            }
        }
        parts.push(self.feeders());
        if active.contains(&false) || self.rng.chance(15) || self.rng_for_workers(70) {
            let started: Vec<usize> = (0..count).filter(|&i| !active[i]).collect();
            parts.push(self.init(&started));
        }
        let claims = self.claims(&parts.join("\n"));
        parts.push(claims);
        parts.retain(|p| !p.is_empty());
        parts.join("\n") + "\n"
    }

    /// Inline definitions use their parameters and global names only.
    fn inline_definitions(&mut self) -> String {
        if !self.rng.chance(25) {
            return String::new();
        }
        let name = self.fresh("inl");
        let (body, blocks) = match self.rng.below(4) {
            0 => ("x = (x + y) % 3".to_string(), false),
            1 => ("if\n  :: (x < y) -> x++\n  :: else -> x = 0\n  fi".to_string(), false),
            2 => ("(x == y) -> x = 1".to_string(), true),
            _ => ("x = y & 1;\n  assert(x < 2 || y > 1)".to_string(), false),
        };
        self.inlines.push(Inline { name: name.clone(), params: vec![true, false], blocks });
        format!("inline {name}(x, y) {{\n  {body}\n}}\n")
    }

    fn parameters(&mut self) -> Vec<Param> {
        (0..self.rng.weighted(&[(4, 0), (4, 1), (2, 2)]))
            .map(|_| {
                if self.rng.chance(40) {
                    Param::Chan(self.rng.below(self.types.len()))
                } else {
                    Param::Scalar(*self.rng.pick(&[Ty::Byte, Ty::Byte, Ty::Bit, Ty::Int, Ty::Mtype]))
                }
            })
            .collect()
    }

    fn proctype(&mut self, index: usize, active: bool) -> String {
        self.proc = ProcState { index, ..ProcState::default() };
        let proc = self.procs[index].clone();
        let mut formal = Vec::new();
        for &param in &proc.params {
            let name = self.fresh("a");
            match param {
                Param::Scalar(ty) => {
                    formal.push(format!("{} {name}", ty.keyword()));
                    self.proc.places.push(Place::scalar(&name, ty));
                }
                Param::Chan(ty) => {
                    formal.push(format!("chan {name}"));
                    let cap = self.least_capacity(ty);
                    self.proc.chans.push(Chan { name, array: None, ty, cap, owned: false, alias: true });
                }
            }
        }
        let single = (self.features.has(Features::XR_XS) && (self.for_spin() || index < 2))
            || (index == 0 && (self.on(Features::REMOTE) || self.on(Features::ENABLED)));
        let head = match (active, single) {
            (false, _) => "",
            (true, true) => "active ",
            _ if self.instances > 1 => self.rng.weighted(&[(3, "active "), (2, "active [2] "), (1, "active [3] ")]),
            _ => "active ",
        };
        self.instances = self.instances.saturating_sub(if head.contains('[') { 2 } else { 0 });
        let many = head.contains('[');
        let keyword = if self.on(Features::D_PROCTYPE) && self.rng.chance(50) { "D_proctype" } else { "proctype" };
        let crowd = many || self.procs.iter().filter(|p| p.name.starts_with('P')).count() > 2;
        let body = self.body(if crowd { 4 } else { 7 });
        let suffix = self.proctype_suffix();
        format!("{head}{keyword} {}({}){suffix} {{\n{body}\n}}\n", proc.name, formal.join("; "))
    }

    /// The declarations at the start of a body.
    fn local_declarations(&mut self) -> String {
        let mut text = String::new();
        for _ in 0..self.rng.weighted(&[(3, 0), (5, 1), (3, 2)]) {
            let ty = self.scalar_type();
            text.push_str(&self.variable_declaration("l", ty, false));
        }
        if let Some((name, ty)) = self.name_to_hide(|_| true) {
            let ty = if ty.symbolic() { ty } else { *self.rng.pick(&[Ty::Byte, Ty::Bit, Ty::Int, Ty::Short]) };
            let value = if ty.symbolic() { self.symbol(ty) } else { self.rng.below(3).to_string() };
            text.push_str(&format!("{} {name} = {value};\n", ty.keyword()));
            self.proc.places.push(Place::scalar(&name, ty));
        }
        if self.on(Features::REMOTE) && self.proc.index == 0 {
            text.push_str("byte rv;\n");
            self.proc.places.push(Place::scalar("rv", Ty::Byte));
        }
        if !self.msgs.is_empty() && self.rng.chance(50) {
            text.push_str("Msg lm;\n");
            self.proc.local_msg = true;
        }
        let ty = self.rng.below(self.types.len());
        if self.rng.chance(14) {
            text.push_str(&self.channel_declaration("c", ty, false));
        }
        if self.rng.chance(20) {
            let name = self.fresh("k");
            let source = self.channel_value(ty);
            let split = self.rng.chance(40);
            text.push_str(&if split {
                format!("chan {name};\n{name} = {source};\n")
            } else {
                format!("chan {name} = {source};\n")
            });
            let cap = self.least_capacity(ty);
            self.proc.chans.push(Chan { name, array: None, ty, cap, owned: false, alias: true });
        }
        if self.on(Features::UNINIT_CHAN) {
            text.push_str("chan uc;\n");
        }
        text
    }

    /// The body of a proctype or init with about `size` statements.
    fn body(&mut self, size: usize) -> String {
        if self.rng.chance(2) && !self.on(Features::REMOTE) {
            return "  skip".to_string();
        }
        let declarations = self.local_declarations();
        let exclusive = self.exclusive_claims();
        let count = self.rng.range(2, size.min(5));
        self.budget = size;
        let labels = self.rng.weighted(&[(4, 0), (4, 1), (3, 2)]);
        for _ in 0..labels {
            let name = self.fresh("L");
            let pos = self.rng.below(count);
            self.proc.labels.push(Label { name, pos, atomic: true });
        }
        if self.on(Features::REMOTE) && self.proc.index == 0 {
            let pos = self.rng.below(count);
            self.proc.labels.push(Label { name: "R0".to_string(), pos, atomic: true });
        }
        let mut parts = Vec::new();
        for pos in 0..count {
            self.proc.pos = pos;
            let last = pos + 1 == count && self.rng.chance(if self.relaxed { 50 } else { 25 });
            let mut text = if last { self.repetition(Cx::default()) } else { self.statement(Cx::default()) };
            let starts_atomic = text.starts_with("atomic");
            let here: Vec<usize> = (0..self.proc.labels.len()).filter(|&i| self.proc.labels[i].pos == pos).collect();
            if !self.can_label(&text) && !here.is_empty() {
                text = format!("skip;\n{text}");
            }
            for i in here {
                text = format!("{}: {text}", self.proc.labels[i].name);
                self.proc.labels[i].atomic = starts_atomic;
            }
            parts.push(text);
            if pos + 1 < count && self.rng.chance(8) {
                parts.push(self.declaration());
            }
        }
        if self.rng.chance(6) {
            // Unreachable code after an endless wait.
            parts.push(format!("do\n:: {}; skip\nod", self.condition(0, false)));
            parts.push(self.assignment(Cx::default()));
        }
        if self.proc.escaped {
            parts.push("end_hold: false".to_string());
        }
        let counters: String = (0..self.proc.max_counters).map(|i| format!("byte i{i};\n")).collect();
        let text = self.separate(&parts);
        indent(&format!("{counters}{declarations}{exclusive}{text}"))
    }

    /// The initial process.
    fn init(&mut self, started: &[usize]) -> String {
        self.proc = ProcState { index: ProcState::INIT, ..ProcState::default() };
        let mut text = String::new();
        let mut runs: Vec<String> = Vec::new();
        for &index in started {
            let call = self.run_call(index);
            if self.instances > 0 && self.rng.chance(30) {
                self.instances = 0;
                text.push_str(&format!("byte n{index};\n"));
                runs.push(format!("do\n:: (n{index} < 2) -> {call}; n{index}++\n:: else -> break\nod"));
            } else if self.rng.chance(20) {
                text.push_str(&format!("pid p{index};\n"));
                runs.push(format!("p{index} = {call}"));
            } else {
                runs.push(call);
            }
        }
        runs.extend(self.start_workers());
        if runs.is_empty() {
            runs.push("skip".to_string());
        }
        let runs = runs.join(";\n");
        text.push_str(&if self.rng.chance(60) { format!("atomic {{\n{}\n}}", indent(&runs)) } else { runs });
        if self.rng.chance(35) {
            text.push_str(&format!(";\n(_nr_pr == 1) -> assert({})", self.assertion(false)));
        } else if self.rng.chance(40) {
            self.budget = 2;
            let more = self.sequence(2, Cx::default());
            let counters: String = (0..self.proc.max_counters).map(|i| format!("byte i{i};\n")).collect();
            text = format!("{counters}{text};\n{more}");
        }
        if self.proc.escaped {
            text.push_str(";\nend_hold: false");
        }
        format!("init {{\n{}\n}}\n", indent(&text))
    }
}
