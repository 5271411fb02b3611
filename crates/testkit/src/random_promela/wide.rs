//! The whole grammar side by side: expressions with leaves and operators of every kind, `d_step`s with statements of every
//! kind, and rare constructs. Nothing here is kept back because SPIN would refuse it or get it wrong.

use super::env::{Chan, Cx, Field, Gen, Place, Ty, braces};
use super::features::Features;

impl Gen {
    /// An expression with so many leaves of any kind.
    pub fn rich(&mut self, leaves: usize) -> String {
        if leaves <= 1 {
            let leaf = self.rich_leaf();
            // The negation of a query is another query, which must be used instead.
            let is_query = ["full(", "empty(", "nfull(", "nempty("].iter().any(|query| leaf.starts_with(query));
            return match self.rng.below(10) {
                0 if !is_query => format!("(!{leaf})"),
                1 => format!("(~{leaf})"),
                2 => format!("(- {leaf})"),
                _ => leaf,
            };
        }
        let left = self.rng.range(1, leaves - 1);
        const OPERATORS: [&str; 22] = [
            "||", "||", "&&", "&&", "|", "^", "&", "==", "==", "!=", "<", "<=", ">", ">=", "<<", ">>", "+", "-", "*",
            "/", "%", "->",
        ];
        let op = *self.rng.pick(&OPERATORS);
        let one = self.rich(left);
        match op {
            "<<" | ">>" => format!("(({one} {op} {}) != {})", self.rng.range(1, 3), self.rich(leaves - left)),
            "/" | "%" => format!("(({one} {op} {}) <= {})", self.divisor(), self.rich(leaves - left)),
            // Formulas have no conditional expressions.
            "->" if self.global_only => format!("({one} && {})", self.rich(leaves - left)),
            "->" => {
                let other = self.rich_leaf();
                format!("({one} -> {} : {other})", self.rich(leaves - left))
            }
            _ => format!("({one} {op} {})", self.rich(leaves - left)),
        }
    }

    /// Something that is not zero, unless errors are wanted.
    fn divisor(&mut self) -> String {
        let places = self.places(|p| p.plain() && p.readable && p.ty.unsigned());
        if places.is_empty() || self.rng.chance(40) {
            return self.rng.range(1, 4).to_string();
        }
        let var = self.rng.pick(&places).path[0].0.clone();
        let errors = if self.global_only { Features::UNDEFINED_CLAIMS } else { Features::EVAL_ERRORS };
        if self.on(errors) && self.rng.chance(40) { var } else { format!("({var} + 1)") }
    }

    /// A leaf of any kind that may stand here.
    fn rich_leaf(&mut self) -> String {
        let local = usize::from(!self.global_only);
        let claim = 1 - local;
        let buffered = self.channels(|_| true);
        let flat: Vec<Chan> =
            buffered.iter().filter(|c| c.cap > 0 && !self.types[c.ty].contains(&Field::Msg)).cloned().collect();
        let (any, polls) = (usize::from(!buffered.is_empty()), usize::from(!flat.is_empty()));
        let first = usize::from(self.on(Features::REMOTE));
        let dynamic = usize::from(!self.workers.is_empty());
        let kind = self.rng.weighted(&[
            (8, 0),
            (4, 1),
            (2, 2),
            (1, 3),
            (1, 4),
            (2 * local, 5),
            (2, 6),
            (usize::from(self.on(Features::LAST)) * 4, 7),
            (usize::from(self.on(Features::PRIORITY)) * 3 * local, 8),
            (usize::from(self.on(Features::PRIORITY)) * 3, 9),
            (2 * any, 10),
            (4 * any, 11),
            (4 * polls, 12),
            (2 * polls, 13),
            (usize::from(self.on(Features::ENABLED)) * 4, 14),
            (usize::from(self.on(Features::PC_VALUE)) * 4, 15),
            (local, 16),
            (4 * first, 17),
            (5 * dynamic, 18),
            (3, 19),
            (2, 20),
            (2, 21),
            (claim, 22),
        ]);
        match kind {
            0 => self.variable(),
            1 => self.constant(),
            2 => self.large(),
            3 => "'a'".to_string(),
            4 => self.rng.pick(&["true", "false"]).to_string(),
            5 => "_pid".to_string(),
            6 => "_nr_pr".to_string(),
            7 => "_last".to_string(),
            8 => "_priority".to_string(),
            9 => format!("get_priority({})", self.rng.below(2)),
            10 | 11 => {
                let chan = self.rng.pick(&buffered).clone();
                let query = if kind == 10 { "len" } else { *self.rng.pick(&["full", "empty", "nfull", "nempty"]) };
                format!("{query}({})", self.channel(&chan))
            }
            12 => {
                let chan = self.rng.pick(&flat).clone();
                self.poll(&chan)
            }
            13 => self.several_polls().unwrap_or_else(|| "1".to_string()),
            14 => format!("enabled({})", self.rng.below(2)),
            15 => format!("pc_value({})", self.rng.below(2)),
            16 => "timeout".to_string(),
            17 => match self.rng.below(4) {
                0 => "P0[0]@R0".to_string(),
                1 => "P0@R0".to_string(),
                2 => "P0:rv".to_string(),
                _ => "P0[0]:rv".to_string(),
            },
            18 => self.remote_condition(),
            19 => self.element(),
            20 => self.symbolic(),
            21 => format!("({} {} {})", self.variable(), self.rng.pick(&["/", "%"]), self.divisor()),
            _ => "np_".to_string(),
        }
    }

    /// An element of an array or a field of a struct, if there is one.
    fn element(&mut self) -> String {
        let places = self.places(|p| p.readable && !p.plain() && !p.ty.symbolic());
        if places.is_empty() {
            return self.variable();
        }
        let place = self.rng.pick(&places).clone();
        self.place(&place)
    }

    /// A comparison with a symbolic constant, if there is something to compare.
    fn symbolic(&mut self) -> String {
        let places = self.places(|p| p.readable && p.ty.symbolic());
        if places.is_empty() {
            return self.variable();
        }
        let place = self.rng.pick(&places).clone();
        format!("({} == {})", self.place(&place), self.symbol(place.ty))
    }

    /// A `d_step` with statements of every kind.
    pub fn rich_d_step(&mut self, cx: Cx) -> String {
        let places = self.proc.places.len();
        let mut parts = vec![match self.rng.below(4) {
            0 => self.condition(1, true),
            1 => self.channel_statement(cx, false).unwrap_or_else(|| self.trivial()),
            2 => self.receive_of_any_kind(),
            _ => self.assignment(cx),
        }];
        for _ in 0..self.rng.range(2, 4) {
            let text = self.d_step_statement(cx);
            parts.push(text);
        }
        self.proc.places.truncate(places);
        let text = self.separate(&parts);
        braces("d_step ", &text)
    }

    fn d_step_statement(&mut self, cx: Cx) -> String {
        let guarded = |text: String| format!("if\n:: {text}\n:: else\nfi");
        match self.rng.below(23) {
            20 => guarded(self.send_of_any_kind()),
            21 => self.for_loop(cx),
            22 => format!("if\n:: {} -> {}\n:: else\nfi", self.receive_of_any_kind(), self.rich_assignment()),
            0 | 1 => guarded(self.receive_of_any_kind()),
            2 => self.channel_statement(cx, false).map_or_else(|| self.trivial(), guarded),
            3 => {
                let condition = format!("({})", self.rich(3));
                guarded(condition)
            }
            4 => self.for_loop(cx),
            5 => self.repetition(cx),
            6 => self.selection(cx),
            7 => format!("assert({})", self.assertion(true)),
            8 => self.trivial(),
            9 => {
                let label = self.fresh("D");
                let skipped = self.assignment(cx);
                format!("if\n:: {} -> goto {label}\n:: else\nfi;\n{skipped};\n{label}: skip", self.condition(0, true))
            }
            10 => {
                let body = self.sequence(1, cx.deeper());
                braces("", &body)
            }
            11 => self.select(),
            12 if self.on(Features::PRIORITY) => {
                format!("set_priority({}, {})", self.rng.below(2), self.rng.range(1, 3))
            }
            13 => self.printm(),
            14 if self.inline_with_result => self.call_with_result(),
            14 if !self.inlines.is_empty() => self.inline_call(cx),
            15 | 16 => self.count(),
            17 => {
                let inner = Cx { depth: 3, ..cx };
                let declaration = self.declaration();
                format!("{declaration};\n{}", self.assignment(inner))
            }
            _ => self.rich_assignment(),
        }
    }

    /// `x++` or `x--` of something small.
    fn count(&mut self) -> String {
        let places = self.places(|p| p.plain() && p.writable && matches!(p.ty, Ty::Bit | Ty::Bool | Ty::Unsigned));
        if places.is_empty() {
            return self.trivial();
        }
        let name = self.rng.pick(&places).path[0].0.clone();
        format!("{name}{}", self.rng.pick(&["++", "--"]))
    }

    fn rich_assignment(&mut self) -> String {
        let places = self.places(|p| p.writable && !p.ty.symbolic());
        if places.is_empty() {
            return self.trivial();
        }
        let place = self.rng.pick(&places).clone();
        let name = self.place(&place);
        format!("{name} = ({} & {})", self.rich(3), self.rng.range(1, 3))
    }

    /// `x = value(y, 1)`, an inline with a result.
    fn call_with_result(&mut self) -> String {
        let places = self.places(|p| p.plain() && p.writable && p.readable && !p.ty.symbolic());
        if places.is_empty() {
            return self.trivial();
        }
        let (target, argument) = (self.rng.pick(&places).path[0].0.clone(), self.rng.pick(&places).path[0].0.clone());
        format!("{target} = value({argument}, {})", self.rng.below(3))
    }

    /// A receive: `?`, `??`, `?<…>` or `??<…>`.
    fn receive_of_any_kind(&mut self) -> String {
        let chans: Vec<Chan> =
            self.channels(|c| c.cap > 0).into_iter().filter(|c| !self.types[c.ty].contains(&Field::Msg)).collect();
        if chans.is_empty() {
            return "(true)".to_string();
        }
        let chan = self.rng.pick(&chans).clone();
        let (op, keep) = *self.rng.pick(&[("?", false), ("??", false), ("?", true), ("??", true)]);
        self.receive(&chan, op, keep)
    }

    /// A send: `!` or `!!`.
    fn send_of_any_kind(&mut self) -> String {
        let chans: Vec<Chan> =
            self.channels(|c| c.cap > 0).into_iter().filter(|c| !self.types[c.ty].contains(&Field::Msg)).collect();
        if chans.is_empty() {
            return "(true)".to_string();
        }
        let chan = self.rng.pick(&chans).clone();
        let op = *self.rng.pick(&["!", "!!", "!!"]);
        self.send(&chan, op)
    }

    fn printm(&mut self) -> String {
        let places = self.places(|p| p.plain() && p.readable && p.ty == Ty::Mtype);
        if places.is_empty() || self.rng.chance(50) {
            return format!("printm({})", self.symbol(Ty::Mtype));
        }
        format!("printm({})", self.rng.pick(&places).path[0].0)
    }

    /// A statement that other generators leave out.
    pub fn odd_statement(&mut self, cx: Cx) -> String {
        match self.rng.below(if cx.dstep { 5 } else { 8 }) {
            0 => self.printm(),
            1 if self.inline_with_result => self.call_with_result(),
            1 => self.count(),
            2 | 3 => self.rich_assignment(),
            4 => format!("assert({})", self.rich(4)),
            5 => {
                let cost = self.rng.range(1, 4);
                format!("/*@cost {cost}*/ {}", self.constant_assignment())
            }
            6 if !self.macros.iter().any(|m| m == "HALF") => self.constant_assignment(),
            6 => {
                let text = format!("(LESS({}, N))", self.variable());
                if cx.atomic { format!("if\n:: {text}\n:: else\nfi") } else { text }
            }
            _ => {
                let condition = format!("({})", self.rich(4));
                format!("if\n:: {condition} -> {}\n:: else\nfi", self.constant_assignment())
            }
        }
    }

    fn constant_assignment(&mut self) -> String {
        let places = self.places(|p| p.writable && p.plain() && !p.ty.symbolic());
        if places.is_empty() {
            return "skip".to_string();
        }
        format!("{} = {}", self.rng.pick(&places).path[0].0, self.rng.below(3))
    }

    /// Text for the preprocessor, and a declaration of several variables.
    pub fn preprocessed(&mut self) -> String {
        let mut text = String::new();
        if self.rng.chance(40) {
            if self.macros.is_empty() {
                text.push_str("#define N 2\n");
                self.macros.push("N".to_string());
            }
            text.push_str("#define LESS(a, b) ((a) < (b))\n");
            text.push_str("#ifdef N\n#define HALF 2\n#else\n#define HALF 1\n#endif\n");
            self.macros.push("HALF".to_string());
        }
        if self.rng.chance(40) {
            text.push_str(&format!("byte ga = {}, gb;\n", self.rng.below(3)));
            for name in ["ga", "gb"] {
                self.globals.push(Place::scalar(name, Ty::Byte));
            }
        }
        if self.rng.chance(40) {
            text.push_str(
                "inline value(x, y) {\n  if\n  :: (x > y) -> return y\n  :: else -> return (x + 1) % 3\n  fi\n}\n",
            );
            self.inline_with_result = true;
        }
        text
    }

    /// A formula of temporal logic with every operator.
    pub fn formula(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.claim_condition();
        }
        match self.rng.below(11) {
            0 => format!("(! {})", self.formula(depth - 1)),
            1 => format!("(X {})", self.formula(depth - 1)),
            2 => format!("([] {})", self.formula(depth - 1)),
            3 => format!("(<> {})", self.formula(depth - 1)),
            kind => {
                let op = ["&&", "||", "->", "<->", "U", "W", "V"][kind - 4];
                format!("({} {op} {})", self.formula(depth - 1), self.formula(depth - 1))
            }
        }
    }
}
