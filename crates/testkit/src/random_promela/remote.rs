//! Processes that come and go, and remote references to them.

use super::env::{Cx, Gen, Param, Place, Proc, ProcState, Ty, indent};
use super::features::Features;

impl Gen {
    /// Adds proctypes that are started now and then, if that is wanted.
    pub fn announce_workers(&mut self) {
        if !self.on(Features::DYNAMIC) {
            return;
        }
        for number in 0..self.rng.range(1, 2) {
            let params = if self.rng.chance(50) { vec![Param::Scalar(Ty::Byte)] } else { Vec::new() };
            let name = format!("W{number}");
            self.procs.push(Proc { name: name.clone(), params });
            self.workers.push(name);
        }
    }

    /// True in `percent` of the cases if there are workers.
    pub fn rng_for_workers(&mut self, percent: usize) -> bool {
        !self.workers.is_empty() && self.rng.chance(percent)
    }

    /// A proctype that soon ends, with a variable and a label that others look at.
    pub fn worker(&mut self, index: usize) -> String {
        self.proc = ProcState { index, ..ProcState::default() };
        let proc = self.procs[index].clone();
        let formal = if proc.params.is_empty() { "" } else { "byte wa" };
        if !formal.is_empty() {
            self.proc.places.push(Place::scalar("wa", Ty::Byte));
        }
        self.proc.places.push(Place::scalar("wv", Ty::Byte));
        self.budget = 2;
        let first = self.assignment(Cx::default());
        let change = match self.rng.below(3) {
            0 if !formal.is_empty() => "wv = wa".to_string(),
            _ => format!("wv = {}", self.rng.below(4)),
        };
        let count = self.rng.range(1, 2);
        let rest = self.sequence(count, Cx::default());
        let rest = if self.can_label(&rest) { rest } else { format!("skip;\n{rest}") };
        let counters: String = (0..self.proc.max_counters).map(|i| format!("byte i{i};\n")).collect();
        let initial = if self.rng.chance(60) { format!(" = {}", self.rng.range(1, 3)) } else { String::new() };
        let hold = if self.proc.escaped { ";\nend_hold: false" } else { "" };
        let uninitialised = if self.on(Features::UNINIT_CHAN) { "chan uc;\n" } else { "" };
        let body = format!("{counters}{uninitialised}byte wv{initial};\n{first};\n{change};\nRW: {rest}{hold}");
        format!("proctype {}({formal}) {{\n{}\n}}\n", proc.name, indent(&body))
    }

    /// What the initial process does about workers: it starts some, and may wait until they are gone.
    pub fn start_workers(&mut self) -> Vec<String> {
        let mut parts = Vec::new();
        let first = self.procs.len() - self.workers.len();
        for round in 0..if self.workers.is_empty() { 0 } else { self.rng.range(1, 2) } {
            if round > 0 && self.rng.chance(60) {
                parts.push(format!("(_nr_pr < {})", self.rng.range(2, 4)));
            }
            let index = first + self.rng.below(self.workers.len());
            parts.push(self.run_call(index));
        }
        // Somebody is there, then gone: what was known of its variable is not so any more.
        if !parts.is_empty() && self.rng.chance(35) {
            let name = self.rng.pick(&self.workers).clone();
            let number = if self.rng.chance(30) { String::new() } else { format!("[{}]", self.rng.range(1, 3)) };
            parts.push(format!("end_there: ({name}{number}:wv != 0)"));
            parts.push(format!("end_gone: ({name}{number}:wv == 0)"));
            parts.push(self.rng.pick(&["assert(false)", "skip"]).to_string());
        }
        parts
    }

    /// A condition on a process that comes and goes: by number or without, its variable or its place.
    pub fn remote_condition(&mut self) -> String {
        let name = self.rng.pick(&self.workers).clone();
        let number = match self.rng.below(10) {
            0..3 => String::new(),
            3 if !self.for_spin() => format!("[{}]", self.index(4)),
            _ => format!("[{}]", self.rng.range(1, 4)),
        };
        let not = if self.rng.chance(25) { "!" } else { "" };
        match self.rng.below(5) {
            0 | 1 => format!("({not}{name}{number}@RW)"),
            _ => {
                let op = *self.rng.pick(&["==", "==", "!=", "<", ">"]);
                format!("({name}{number}:wv {op} {})", self.rng.below(4))
            }
        }
    }
}
