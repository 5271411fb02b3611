//! Random expressions. Values stay small, so that loops over them have few states.

use super::env::{Field, Gen, Place, Ty};
use super::features::Features;

impl Gen {
    /// A small number, rarely an unusual one.
    pub fn constant(&mut self) -> String {
        if !self.macros.is_empty() && !self.global_only && self.rng.chance(8) {
            return self.rng.pick(&self.macros).clone();
        }
        if self.on(Features::LARGE) && self.rng.chance(12) {
            return self.large();
        }
        if self.rng.chance(3) {
            return self.rng.pick(&["255", "256", "-1", "32767", "65535", "127"]).to_string();
        }
        self.rng.below(4).to_string()
    }

    /// A number at the limit of a type, or beyond.
    pub fn large(&mut self) -> String {
        const LARGE: [&str; 14] = [
            "127",
            "128",
            "255",
            "256",
            "-129",
            "32767",
            "32768",
            "-32768",
            "65535",
            "65536",
            "1073741824",
            "2147483646",
            "2147483647",
            "-2147483647",
        ];
        self.rng.pick(&LARGE).to_string()
    }

    /// A numeric place that can be read, if there is one.
    fn readable(&mut self) -> Option<Place> {
        let places = self.places(|p| p.readable && !p.ty.symbolic());
        if places.is_empty() { None } else { Some(self.rng.pick(&places).clone()) }
    }

    /// The text of a numeric place, or a constant when there is none.
    pub fn variable(&mut self) -> String {
        match self.readable() {
            Some(p) => self.place(&p),
            None => self.constant(),
        }
    }

    /// A numeric expression.
    pub fn number(&mut self, depth: usize) -> String {
        if depth == 0 || self.rng.chance(35) {
            return if self.rng.chance(45) { self.constant() } else { self.leaf() };
        }
        let kind = self.rng.weighted(&[(30, 0), (8, 1), (8, 2), (6, 3), (6, 4), (6, 5), (8, 6), (3, 7)]);
        match kind {
            0 => {
                let op = self.rng.weighted(&[(6, "+"), (5, "-"), (2, "*"), (2, "&"), (2, "|"), (2, "^")]);
                format!("({} {op} {})", self.number(depth - 1), self.number(depth - 1))
            }
            1 => {
                let op = *self.rng.pick(&["/", "%"]);
                let left = self.number(depth - 1);
                if self.on(Features::EVAL_ERRORS) && self.rng.chance(40) {
                    return format!("({left} {op} {})", self.variable());
                }
                format!("({left} {op} {})", self.rng.range(1, 4))
            }
            2 => {
                let op = *self.rng.pick(&["<<", ">>"]);
                format!("({} {op} {})", self.leaf(), self.rng.range(1, 2))
            }
            3 => {
                let op = *self.rng.pick(&["-", "~", "!"]);
                format!("({op}{})", self.leaf())
            }
            4 => format!("({})", self.comparison()),
            5 | 6 if self.global_only => self.leaf(),
            5 | 6 => {
                let (c, a, b) = (self.comparison(), self.number(depth - 1), self.number(depth - 1));
                format!("({c} -> {a} : {b})")
            }
            _ => self.leaf(),
        }
    }

    /// A variable or another atomic numeric term.
    fn leaf(&mut self) -> String {
        let exclusive = self.on(Features::XR_XS) && self.for_spin();
        let chans = self.channels(|c| c.cap > 0 && !exclusive);
        let local = !self.global_only;
        let kind = self.rng.weighted(&[
            (70, 0),
            (if local { 8 } else { 0 }, 1),
            (if chans.is_empty() { 0 } else { 8 }, 2),
            (4, 3),
            (if self.on(Features::LAST) { 12 } else { 0 }, 4),
            (if self.on(Features::PRIORITY) && local { 8 } else { 0 }, 5),
            (if self.on(Features::PC_VALUE) { 6 } else { 0 }, 6),
        ]);
        match kind {
            0 => self.variable(),
            1 => "_pid".to_string(),
            2 => {
                let chan = self.rng.pick(&chans).clone();
                format!("len({})", self.channel(&chan))
            }
            3 => "_nr_pr".to_string(),
            4 => "_last".to_string(),
            5 => self.rng.pick(&["_priority", "get_priority(_pid)", "get_priority(0)"]).to_string(),
            _ => "pc_value(0)".to_string(),
        }
    }

    /// A comparison of two terms, mostly of a variable with a small constant.
    pub fn comparison(&mut self) -> String {
        let symbolic = self.places(|p| p.readable && p.ty.symbolic());
        if !symbolic.is_empty() && self.rng.chance(12) {
            let place = self.rng.pick(&symbolic).clone();
            let op = *self.rng.pick(&["==", "!="]);
            return format!("{} {op} {}", self.place(&place), self.symbol(place.ty));
        }
        let left = if self.rng.chance(80) { self.leaf() } else { self.number(1) };
        let right = if self.rng.chance(80) { self.constant() } else { self.number(1) };
        let op = self.rng.weighted(&[(5, "=="), (4, "!="), (5, "<"), (3, "<="), (3, ">"), (3, ">=")]);
        format!("{left} {op} {right}")
    }

    /// A condition whose first part may have no value, whatever the second one is: it is evaluated first.
    pub fn doubtful(&mut self) -> String {
        let arrays = self.places(|p| p.readable && !p.ty.symbolic() && p.path.iter().any(|(_, array)| array.is_some()));
        let first = if arrays.is_empty() || self.rng.chance(40) {
            format!("({} / {}) < {}", self.rng.range(1, 4), self.variable(), self.constant())
        } else {
            let place = self.rng.pick(&arrays).clone();
            format!("{} == {}", self.place(&place), self.constant())
        };
        format!("({first} && {})", self.comparison())
    }

    /// A condition; never starts with something that the parser could take for a statement.
    pub fn condition(&mut self, depth: usize, dstep: bool) -> String {
        if !self.conditions.is_empty() && !self.global_only && self.rng.chance(7) {
            return self.rng.pick(&self.conditions).clone();
        }
        if self.on(Features::EVAL_ERRORS) && self.rng.chance(12) {
            return self.doubtful();
        }
        if self.on(Features::WIDE) && self.rng.chance(30) {
            let leaves = self.rng.range(2, 4);
            return format!("({})", self.rich(leaves));
        }
        // With exclusive channels there may be no `else` next to a condition on a channel.
        let exclusive = self.on(Features::XR_XS) && self.for_spin();
        let buffered = self.channels(|c| c.cap > 0 && !exclusive);
        let compound = if depth > 0 { 14 } else { 0 };
        let free = !self.global_only;
        // A process must not refer to itself as if it were another one.
        let other = (!dstep && self.proc.index != 0) || !self.for_spin();
        // To know whether a process may move, SPIN tries the statements of those with a higher priority, with a flag set
        // (`TstOnly`) that they shall change nothing. An `enabled()` in one of them clears the flag, and if the next
        // option is, say, an assignment, then it is carried out and never undone. Only init is never tried so, since its
        // priority is 1, the lowest.
        let tried = self.for_spin() && self.on(Features::PRIORITY) && !self.proc.is_init();
        // SPIN's `enabled()` takes an `else` of the other process for executable only if no earlier option of the asking
        // process was: both look at the same note. So the answer depends on the order of the asker's options.
        let tried = tried || (self.for_spin() && self.behind_option);
        let kind = self.rng.weighted(&[
            (50, 0),
            (compound, 1),
            (compound / 3, 2),
            (if buffered.is_empty() { 0 } else { 10 }, 3),
            (if buffered.is_empty() || !free { 0 } else { 8 }, 4),
            (if free { 4 } else { 0 }, 5),
            (if self.on(Features::REMOTE) && other { 12 } else { 0 }, 6),
            (if self.on(Features::ENABLED) && other && !tried { 12 } else { 0 }, 7),
            (if self.on(Features::POLLS) { 16 } else { 0 }, 8),
            (if self.workers.is_empty() { 0 } else { 16 }, 9),
        ]);
        match kind {
            0 => format!("({})", self.comparison()),
            1 => {
                let op = *self.rng.pick(&["&&", "||"]);
                format!("({} {op} {})", self.condition(depth - 1, dstep), self.condition(depth - 1, dstep))
            }
            2 => format!("(!({}))", self.comparison()),
            3 => {
                let chan = self.rng.pick(&buffered).clone();
                let op = *self.rng.pick(&["full", "empty", "nfull", "nempty"]);
                format!("{op}({})", self.channel(&chan))
            }
            4 => {
                let chan = self.rng.pick(&buffered).clone();
                self.poll(&chan)
            }
            5 => format!("({})", self.variable()),
            6 => {
                if self.rng.chance(50) {
                    format!("(P0[0]@R0 || {})", self.comparison())
                } else {
                    let op = *self.rng.pick(&["<", "==", "!="]);
                    format!("(P0[0]:rv {op} {})", self.rng.below(3))
                }
            }
            7 => format!("(enabled(0) && {})", self.comparison()),
            8 => self.several_polls().unwrap_or_else(|| format!("({})", self.comparison())),
            _ => self.remote_condition(),
        }
    }

    /// A symbolic constant.
    pub fn symbol(&mut self, ty: Ty) -> String {
        if ty == Ty::Fruit {
            return self.rng.pick(&["apple", "pear"]).to_string();
        }
        self.rng.pick(&self.mtypes).clone()
    }

    /// A value for a field, parameter or variable of a scalar type.
    pub fn value(&mut self, ty: Ty) -> String {
        if ty.symbolic() {
            let same = self.places(|p| p.readable && p.ty == ty);
            if !same.is_empty() && self.rng.chance(25) {
                let place = self.rng.pick(&same).clone();
                return self.place(&place);
            }
            return self.symbol(ty);
        }
        match ty {
            Ty::Bit | Ty::Bool if self.rng.chance(50) => self.rng.pick(&["0", "1", "true", "false"]).to_string(),
            Ty::Bit | Ty::Bool => format!("({})", self.comparison()),
            _ if self.rng.chance(60) => self.constant(),
            _ => self.bounded(),
        }
    }

    /// An expression with a bounded set of values, so that it cannot grow when a loop repeats it.
    pub fn bounded(&mut self) -> String {
        let modulus = self.rng.range(2, 4);
        match self.rng.below(5) {
            0 => format!("({} % {modulus})", self.number(2)),
            1 => format!("(({} + {}) % {modulus})", self.variable(), self.rng.range(1, 3)),
            2 => format!("({} & {})", self.number(1), self.rng.range(1, 3)),
            3 => format!("({} -> {} : {})", self.comparison(), self.constant(), self.rng.below(3)),
            _ => format!("({})", self.comparison()),
        }
    }

    /// A value for any message field, given the channels in scope.
    pub fn field_value(&mut self, field: Field) -> String {
        match field {
            Field::Scalar(ty) => self.value(ty),
            Field::Chan(ty) => self.channel_value(ty),
            Field::Msg => self.msg_variable(),
        }
    }

    /// A channel of this message type as a value; notes when a local channel gets known to others.
    pub fn channel_value(&mut self, ty: usize) -> String {
        let chans = self.channels(|c| c.ty == ty);
        let chan = self.rng.pick(&chans).clone();
        if chan.owned {
            self.proc.escaped = true;
        }
        self.channel(&chan)
    }

    /// A variable of type `Msg`.
    pub fn msg_variable(&mut self) -> String {
        if self.proc.local_msg && self.rng.chance(60) {
            return "lm".to_string();
        }
        self.rng.pick(&self.msgs).clone()
    }
}
