//! Random operations on channels.

use super::env::{Chan, Cx, Field, Gen};

impl Gen {
    /// A statement on some channel; rendezvous channels only when `rendezvous` is set.
    pub fn channel_statement(&mut self, cx: Cx, rendezvous: bool) -> Option<String> {
        let chans = self.channels(|c| rendezvous || c.cap > 0);
        if chans.is_empty() {
            return None;
        }
        let chan = self.rng.pick(&chans).clone();
        Some(self.operation(&chan, cx))
    }

    /// An operation on this channel that can block.
    fn operation(&mut self, chan: &Chan, cx: Cx) -> String {
        if chan.cap == 0 {
            // A rendezvous cannot be offered inside a d_step.
            return if !cx.dstep && self.rng.chance(50) {
                self.send(chan, "!")
            } else {
                self.receive(chan, "?", false)
            };
        }
        let flat = !self.types[chan.ty].contains(&Field::Msg);
        let random = if flat { 8 } else { 0 };
        // SPIN makes wrong C code of `?<..>` at the start of a d_step.
        let keep = if cx.dstep && self.for_spin() { 0 } else { 6 };
        match self.rng.weighted(&[(40, 0), (38, 1), (random, 2), (random, 3), (keep, 4), (keep * random / 8, 5)]) {
            0 => self.send(chan, "!"),
            1 if self.rng.chance(8) && flat && !cx.dstep => self.poll(chan),
            1 => self.receive(chan, "?", false),
            2 => self.send(chan, "!!"),
            3 => self.receive(chan, "??", false),
            4 => self.receive(chan, "?", true),
            _ => self.receive(chan, "??", true),
        }
    }

    /// A send statement.
    pub fn send(&mut self, chan: &Chan, op: &str) -> String {
        let fields = self.types[chan.ty].clone();
        let args: Vec<String> = fields.iter().map(|&f| self.field_value(f)).collect();
        let name = self.channel(chan);
        format!("{name}{op}{}", self.join(&fields, &args))
    }

    /// A receive statement; `keep` leaves the message in the channel.
    pub fn receive(&mut self, chan: &Chan, op: &str, keep: bool) -> String {
        let fields = self.types[chan.ty].clone();
        let mut args: Vec<String> = Vec::new();
        for &field in &fields {
            let arg = self.pattern(field, true, fields.len() == 1);
            // SPIN accepts a plain variable once only, and undoes a step wrongly that stores into one element twice.
            let root = |text: &str| text.split(['[', '.']).next().unwrap_or_default().to_string();
            let twice = arg.starts_with(char::is_alphabetic) && args.iter().any(|other| root(other) == root(&arg));
            args.push(if twice { "_".to_string() } else { arg });
        }
        let name = self.channel(chan);
        // A receive must not change a variable that is the index of its channel or of another target: SPIN gets
        // such a step wrong when it goes back.
        for i in 0..args.len() {
            let index =
                |text: &String| text.contains(&format!("[{} %", args[i])) || text.contains(&format!("[{}]", args[i]));
            // Nor one that is matched by the same receive.
            let root = args[i].split(['[', '.']).next().unwrap_or_default();
            let matched = |text: &String| text.starts_with("eval(") && text.contains(root);
            if index(&name) || args.iter().any(index) || (!args[i].starts_with("eval") && args.iter().any(matched)) {
                args[i] = "_".to_string();
            }
        }
        let args = self.join(&fields, &args);
        if keep { format!("{name}{op}<{args}>") } else { format!("{name}{op}{args}") }
    }

    /// A test whether a message could be received.
    pub fn poll(&mut self, chan: &Chan) -> String {
        let fields = self.types[chan.ty].clone();
        if fields.contains(&Field::Msg) {
            return format!("nempty({})", self.channel(chan));
        }
        let op = if self.rng.chance(65) { "?" } else { "??" };
        let args: Vec<String> = fields.iter().map(|&f| self.pattern(f, false, true)).collect();
        let name = self.channel(chan);
        format!("{name}{op}[{}]", args.join(","))
    }

    /// What stands for a field in a receive: a variable, constant, `eval` or `_`.
    /// `alone`: it is the only field.
    fn pattern(&mut self, field: Field, store: bool, alone: bool) -> String {
        let scalar = match field {
            Field::Scalar(ty) => ty,
            Field::Msg => return self.msg_variable(),
            Field::Chan(ty) => {
                let aliases = self.channels(|c| c.alias && c.ty == ty);
                if aliases.is_empty() || !store || self.rng.chance(25) {
                    return "_".to_string();
                }
                return self.rng.pick(&aliases).name.clone();
            }
        };
        // A variable that cannot hold the value gives SPIN a wrong message back when it undoes the step.
        let places = self.places(|p| {
            p.writable
                && (store || p.readable)
                && (!store || p.ty.holds(scalar, alone))
                && (p.ty == scalar || (!p.ty.symbolic() && !scalar.symbolic()))
        });
        let variables = if places.is_empty() { 0 } else { 50 };
        match self.rng.weighted(&[(variables, 0), (14, 1), (10, 2), (14, 3)]) {
            0 => {
                let place = self.rng.pick(&places).clone();
                self.place(&place)
            }
            1 if scalar.symbolic() => self.symbol(scalar),
            1 => self.rng.below(3).to_string(),
            2 if scalar.symbolic() => {
                let same = self.places(|p| p.readable && p.ty == scalar);
                if same.is_empty() {
                    return "_".to_string();
                }
                let place = self.rng.pick(&same).clone();
                format!("eval({})", self.place(&place))
            }
            2 => format!("eval({})", self.variable()),
            _ => "_".to_string(),
        }
    }

    /// The arguments of a message, sometimes as `first(rest)`.
    fn join(&mut self, fields: &[Field], args: &[String]) -> String {
        let Field::Scalar(first) = fields[0] else { return args.join(",") };
        if args.len() > 1 && !args[0].starts_with("eval") && args[0] != "_" && first.symbolic() && self.rng.chance(60) {
            return format!("{}({})", args[0], args[1..].join(","));
        }
        args.join(",")
    }

    /// A statement that makes a channel variable refer to another channel.
    pub fn reassign_alias(&mut self) -> Option<String> {
        let aliases = self.channels(|c| c.alias);
        if aliases.is_empty() {
            return None;
        }
        let alias = self.rng.pick(&aliases).clone();
        // A rendezvous channel may only replace an alias that was made with one in mind.
        let sources = self.channels(|c| c.ty == alias.ty && !c.owned && (c.cap > 0 || alias.cap == 0));
        if sources.is_empty() {
            return None;
        }
        let source = self.rng.pick(&sources).clone();
        let source = self.channel(&source);
        Some(format!("{} = {source}", alias.name))
    }
}
