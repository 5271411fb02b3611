//! Several polls or receives of one channel at a time: what is known of a message after the first is not what the next one
//! meets.

use super::env::{Chan, Cx, Field, Gen, Ty, braces, indent};
use super::features::Features;

impl Gen {
    /// A channel with room for several messages, if there is one; none that carries structs.
    fn polled_channel(&mut self) -> Option<Chan> {
        let flat: Vec<Chan> =
            self.channels(|c| c.cap > 0).into_iter().filter(|c| !self.types[c.ty].contains(&Field::Msg)).collect();
        let wide: Vec<Chan> = flat.iter().filter(|c| c.cap > 1).cloned().collect();
        let from = if wide.is_empty() || self.rng.chance(15) { flat } else { wide };
        if from.is_empty() { None } else { Some(self.rng.pick(&from).clone()) }
    }

    /// Two or three polls of one channel in one condition: together, as alternatives, negated, beside its length.
    pub fn several_polls(&mut self) -> Option<String> {
        let chan = self.polled_channel()?;
        let chan = Chan { name: self.channel(&chan), array: None, ..chan };
        let mut text = self.one_poll(&chan, 0);
        for number in 1..self.rng.weighted(&[(5, 2), (2, 3)]) {
            let op = *self.rng.pick(&["&&", "&&", "||"]);
            let next = match self.rng.below(8) {
                0 => format!("len({}) == {}", chan.name, self.rng.range(1, 2)),
                1 => format!("{}({})", self.rng.pick(&["full", "nfull", "nempty", "empty"]), chan.name),
                _ => self.one_poll(&chan, number),
            };
            text = format!("({text} {op} {next})");
        }
        Some(text)
    }

    /// One of several polls of a channel; mostly each for another constant.
    fn one_poll(&mut self, chan: &Chan, number: usize) -> String {
        let fields = self.types[chan.ty].clone();
        let args: Vec<String> = fields.iter().map(|&field| self.polled(field, number)).collect();
        let op = if self.rng.chance(40) { "?" } else { "??" };
        let not = if self.rng.chance(25) { "!" } else { "" };
        format!("{not}{}{op}[{}]", chan.name, args.join(","))
    }

    fn polled(&mut self, field: Field, number: usize) -> String {
        let Field::Scalar(ty) = field else { return "_".to_string() };
        match self.rng.below(8) {
            0 | 1 => "_".to_string(),
            2 if !ty.symbolic() => format!("eval({})", self.variable()),
            _ if ty.symbolic() => {
                if self.rng.chance(70) && ty == Ty::Mtype {
                    return self.mtypes[number % self.mtypes.len()].clone();
                }
                self.symbol(ty)
            }
            3 => self.constant(),
            _ => number.to_string(),
        }
    }

    /// Processes that fill a channel with different messages and wait for several of them, if that is wanted.
    pub fn feeders(&mut self) -> String {
        if !self.on(Features::POLLS) || !self.rng.chance(50) {
            return String::new();
        }
        self.global_only = true;
        let found = self.polled_channel();
        let wanted = self.several_polls();
        self.global_only = false;
        let (Some(chan), Some(wanted)) = (found, wanted) else { return String::new() };
        let name = if chan.array.is_some() { format!("{}[0]", chan.name) } else { chan.name.clone() };
        let fields = self.types[chan.ty].clone();
        let mut sends = Vec::new();
        for number in 0..self.rng.range(2, 3) {
            let args: Vec<String> = fields.iter().map(|&field| self.fed(field, number)).collect();
            sends.push(format!("end_f{number}: {name}!{}", args.join(",")));
        }
        let mut waits = vec![format!("end_wait: ({wanted})")];
        if self.rng.chance(30) {
            let passing = self.passing(&Chan { name, array: None, ..chan });
            waits.push(format!("end_pass: {}", braces("d_step ", &passing.join(";\n"))));
        }
        waits.push(self.rng.pick(&["assert(false)", "skip", "end_then: false"]).to_string());
        let [sends, waits] = [sends, waits].map(|parts| indent(&parts.join(";\n")));
        format!("active proctype F0() {{\n{sends}\n}}\n\nactive proctype F1() {{\n{waits}\n}}\n")
    }

    fn fed(&mut self, field: Field, number: usize) -> String {
        match field {
            Field::Scalar(Ty::Mtype) => self.mtypes[number % self.mtypes.len()].clone(),
            Field::Scalar(ty) if ty.symbolic() => self.symbol(ty),
            Field::Scalar(_) => number.to_string(),
            Field::Chan(ty) => {
                let global: Vec<Chan> = self.chans.iter().filter(|c| c.ty == ty).cloned().collect();
                let chan = self.rng.pick(&global).clone();
                if chan.array.is_some() { format!("{}[0]", chan.name) } else { chan.name }
            }
            Field::Msg => "gm".to_string(),
        }
    }

    /// A send of a message that nobody else sends, and the receive that takes it out again.
    fn passing(&mut self, chan: &Chan) -> [String; 2] {
        let (mut sent, mut taken) = (Vec::new(), Vec::new());
        for field in self.types[chan.ty].clone() {
            let value = match field {
                Field::Scalar(Ty::Bit | Ty::Bool) => "1".to_string(),
                _ => self.fed(field, 5),
            };
            taken.push(if matches!(field, Field::Scalar(_)) { value.clone() } else { "_".to_string() });
            sent.push(value);
        }
        [format!("{}!{}", chan.name, sent.join(",")), format!("{}??{}", chan.name, taken.join(","))]
    }

    /// A `d_step` with several receives of one channel: of constants, of variables, after a poll or a look at its length,
    /// after a message that comes and goes in the same step.
    pub fn receives_in_d_step(&mut self, cx: Cx) -> Option<String> {
        let chan = self.polled_channel()?;
        let chan = Chan { name: self.channel(&chan), array: None, ..chan };
        let fields = self.types[chan.ty].clone();
        let mut parts = Vec::new();
        match self.rng.below(6) {
            0 => parts.push(format!("(len({}) > 1)", chan.name)),
            1 => parts.push(format!("({})", self.one_poll(&chan, 0))),
            2 => parts.push(format!("({} && len({}) > 1)", self.one_poll(&chan, 1), chan.name)),
            3 | 4 => parts.extend(self.passing(&chan)),
            _ => {}
        }
        let guarded = !parts.is_empty();
        for number in 0..2 {
            let op = if self.rng.chance(75) { "?" } else { "??" };
            let text = if self.rng.chance(50) {
                let args: Vec<String> = fields.iter().map(|&field| self.polled(field, number)).collect();
                format!("{}{op}{}", chan.name, args.join(","))
            } else {
                self.receive(&chan, op, false)
            };
            // What blocks inside of a `d_step` is an error of the program: mostly there is a way around it.
            let blocks = guarded || number > 0;
            parts.push(match blocks && self.rng.chance(75) {
                true => format!("if\n:: {text}\n:: else\nfi"),
                false => text,
            });
        }
        let inner = Cx { dstep: true, breakable: false, ..cx.deeper() };
        parts.push(self.assignment(inner));
        let text = self.separate(&parts);
        Some(braces("d_step ", &text))
    }
}
