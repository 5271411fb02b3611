//! What the generator knows about the program under construction: types, places, channels, proctypes.

use super::features::Features;
use super::rng::Rng;

/// A scalar type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ty {
    Bit,
    Bool,
    Byte,
    Short,
    Int,
    Pid,
    Mtype,
    /// The `mtype:fruit` of the switch `MTYPE_SUBTYPES`.
    Fruit,
    /// `unsigned x : 3`.
    Unsigned,
}

impl Ty {
    /// The keyword in a declaration.
    pub fn keyword(self) -> &'static str {
        match self {
            Ty::Bit => "bit",
            Ty::Bool => "bool",
            Ty::Byte => "byte",
            Ty::Short => "short",
            Ty::Int => "int",
            Ty::Pid => "pid",
            Ty::Mtype => "mtype",
            Ty::Fruit => "mtype:fruit",
            Ty::Unsigned => "unsigned",
        }
    }

    /// Is the value a symbolic name?
    pub fn symbolic(self) -> bool {
        matches!(self, Ty::Mtype | Ty::Fruit)
    }

    /// Can it hold every value of the other type? `alone`: the other is the only field of a message, where SPIN stores a
    /// bit in a byte.
    pub fn holds(self, other: Ty, alone: bool) -> bool {
        let bits = |ty: Ty| match ty {
            Ty::Bit | Ty::Bool => 1,
            Ty::Unsigned => 3,
            Ty::Byte | Ty::Pid | Ty::Mtype | Ty::Fruit => 8,
            Ty::Short => 16,
            Ty::Int => 32,
        };
        bits(self) >= bits(other).max(if alone { 8 } else { 1 })
    }

    /// Does the type hold no negative values and few enough values to be an index?
    pub fn unsigned(self) -> bool {
        matches!(self, Ty::Bit | Ty::Bool | Ty::Byte | Ty::Pid | Ty::Unsigned)
    }
}

/// Something that holds a scalar: a path of names, each with the size of an array or without index.
#[derive(Debug, Clone)]
pub struct Place {
    pub path: Vec<(String, Option<usize>)>,
    pub ty: Ty,
    /// May the program assign to it? (Loop counters are assigned by the generator itself only.)
    pub writable: bool,
    /// May the program read it? (Not hidden variables.)
    pub readable: bool,
}

impl Place {
    pub fn scalar(name: &str, ty: Ty) -> Self {
        Place { path: vec![(name.to_string(), None)], ty, writable: true, readable: true }
    }
    /// A plain variable without index or field?
    pub fn plain(&self) -> bool {
        self.path.len() == 1 && self.path[0].1.is_none()
    }
}

/// One field of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    Scalar(Ty),
    /// A channel whose messages have the type with this number.
    Chan(usize),
    /// The flat typedef `Msg`; such a channel has this one field only.
    Msg,
}

/// A channel (or alias) that can be named at some point of the program.
#[derive(Debug, Clone)]
pub struct Chan {
    pub name: String,
    pub array: Option<usize>,
    /// Number of its message type.
    pub ty: usize,
    /// Capacity; an alias or parameter counts as the least capacity it can have.
    pub cap: usize,
    /// Declared with `[n] of` in the current process: gone when the process ends.
    pub owned: bool,
    /// A `chan` variable that the process may assign.
    pub alias: bool,
}

/// A parameter of a proctype.
#[derive(Debug, Clone, Copy)]
pub enum Param {
    Scalar(Ty),
    Chan(usize),
}

/// A proctype that can be started with `run`.
#[derive(Debug, Clone)]
pub struct Proc {
    pub name: String,
    pub params: Vec<Param>,
}

/// An `inline` definition; every parameter is written if the flag says so, else only read.
#[derive(Debug, Clone)]
pub struct Inline {
    pub name: String,
    pub params: Vec<bool>,
    /// Contains a statement that can block.
    pub blocks: bool,
}

/// A label at the top level of the body under construction.
#[derive(Debug, Clone)]
pub struct Label {
    pub name: String,
    pub pos: usize,
    /// The labelled statement starts an atomic sequence: no jump back to it from inside one.
    pub atomic: bool,
}

/// State of the proctype under construction.
#[derive(Debug, Clone, Default)]
pub struct ProcState {
    pub places: Vec<Place>,
    pub chans: Vec<Chan>,
    pub labels: Vec<Label>,
    /// Labels inside blocks, only jumped to from non-atomic code; filled while the body is made.
    pub inner_labels: Vec<String>,
    /// Position in the top level of the body.
    pub pos: usize,
    /// Loop counters in use and the largest number used so far.
    pub counters: usize,
    pub max_counters: usize,
    /// A channel of this process may be known to others: the process must not end.
    pub escaped: bool,
    /// Number of the proctype.
    pub index: usize,
    pub local_msg: bool,
}

impl ProcState {
    /// The `index` of the initial process.
    pub const INIT: usize = usize::MAX;

    pub fn is_init(&self) -> bool {
        self.index == Self::INIT
    }
}

/// Where a statement stands.
#[derive(Debug, Clone, Copy, Default)]
pub struct Cx {
    pub depth: usize,
    pub atomic: bool,
    pub dstep: bool,
    /// Is there a loop that `break` may leave?
    pub breakable: bool,
    /// Inside a loop whose number of rounds is counted: no labels to jump into.
    pub counted: bool,
}

impl Cx {
    pub fn deeper(self) -> Cx {
        Cx { depth: self.depth + 1, ..self }
    }
}

/// The generator.
#[derive(Debug)]
pub struct Gen {
    pub rng: Rng,
    pub features: Features,
    pub mtypes: Vec<String>,
    pub types: Vec<Vec<Field>>,
    pub globals: Vec<Place>,
    pub chans: Vec<Chan>,
    pub procs: Vec<Proc>,
    pub inlines: Vec<Inline>,
    /// There is an inline `value` with two parameters and a result.
    pub inline_with_result: bool,
    /// Names of macros with a number and of macros with a condition.
    pub macros: Vec<String>,
    pub conditions: Vec<String>,
    /// Global variables of type `Msg`.
    pub msgs: Vec<String>,
    /// Proctypes that come and go; each has a variable `wv` and a label `RW`.
    pub workers: Vec<String>,
    pub proc: ProcState,
    /// Only global names may be used (claims, provided clauses).
    pub global_only: bool,
    /// The text stands in an option that is not the first one.
    pub behind_option: bool,
    pub names: usize,
    /// Statements that may still be generated for the current body.
    pub budget: usize,
    /// Few statements of this program can block for ever.
    pub relaxed: bool,
    /// Processes that may still be started from the beginning.
    pub instances: usize,
    /// Number of `run` expressions made so far.
    pub runs: usize,
}

impl Gen {
    pub fn new(seed: u64, features: Features) -> Self {
        Gen {
            rng: Rng::new(seed),
            features,
            mtypes: Vec::new(),
            types: Vec::new(),
            globals: Vec::new(),
            chans: Vec::new(),
            procs: Vec::new(),
            inlines: Vec::new(),
            inline_with_result: false,
            macros: Vec::new(),
            conditions: Vec::new(),
            msgs: Vec::new(),
            workers: Vec::new(),
            proc: ProcState::default(),
            global_only: false,
            behind_option: false,
            names: 0,
            budget: 0,
            relaxed: false,
            instances: 0,
            runs: 0,
        }
    }

    /// A name that is used nowhere else.
    pub fn fresh(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    /// Is a switch on?
    pub fn on(&self, feature: Features) -> bool {
        self.features.has(feature)
    }

    /// Must the program be one that SPIN takes and gets right?
    pub fn for_spin(&self) -> bool {
        !self.on(Features::WIDE)
    }

    /// Every place in scope that passes the filter, global ones first.
    pub fn places(&self, keep: impl Fn(&Place) -> bool) -> Vec<Place> {
        let locals: &[Place] = if self.global_only { &[] } else { &self.proc.places };
        let mut found = self.global_places(&keep);
        found.extend(locals.iter().filter(|p| keep(p)).cloned());
        found
    }

    /// Every global place that passes the filter and is not hidden by a local name.
    pub fn global_places(&self, keep: impl Fn(&Place) -> bool) -> Vec<Place> {
        let visible = |p: &&Place| self.global_only || !self.is_local(&p.path[0].0);
        self.globals.iter().filter(visible).filter(|p| keep(p)).cloned().collect()
    }

    /// Does a name stand for a local variable?
    pub fn is_local(&self, name: &str) -> bool {
        self.proc.places.iter().any(|local| local.path[0].0 == name)
    }

    /// Every channel in scope that passes the filter.
    pub fn channels(&self, keep: impl Fn(&Chan) -> bool) -> Vec<Chan> {
        let locals: &[Chan] = if self.global_only { &[] } else { &self.proc.chans };
        self.chans.iter().chain(locals).filter(|c| keep(c)).cloned().collect()
    }

    /// The text of a place, with an index for every array on the way.
    pub fn place(&mut self, place: &Place) -> String {
        let mut text = String::new();
        for (i, (name, array)) in place.path.iter().enumerate() {
            if i > 0 {
                text.push('.');
            }
            text.push_str(name);
            if let Some(size) = *array {
                text.push_str(&format!("[{}]", self.index(size)));
            }
        }
        text
    }

    /// An index expression for an array of this size.
    pub fn index(&mut self, size: usize) -> String {
        let vars = self.places(|p| p.plain() && p.readable && p.ty.unsigned());
        if vars.is_empty() || self.rng.chance(55) {
            return self.rng.below(size).to_string();
        }
        let var = self.rng.pick(&vars).path[0].0.clone();
        if self.on(Features::EVAL_ERRORS) && self.rng.chance(50) { var } else { format!("{var} % {size}") }
    }

    /// The text of a channel, with an index if it is an array.
    pub fn channel(&mut self, chan: &Chan) -> String {
        match chan.array {
            Some(size) => format!("{}[{}]", chan.name, self.index(size)),
            None => chan.name.clone(),
        }
    }
}

/// Shift a text to the right.
pub fn indent(text: &str) -> String {
    text.lines().map(|l| format!("  {l}")).collect::<Vec<_>>().join("\n")
}

/// A block with braces. SPIN wants no label on its first statement, so an end label there is dropped.
pub fn braces(keyword: &str, body: &str) -> String {
    let mut body = body;
    while let Some((head, rest)) = body.split_once(": ")
        && head.starts_with("end")
        && head.bytes().all(|b| b.is_ascii_alphanumeric())
    {
        body = rest;
    }
    format!("{keyword}{{\n{}\n}}", indent(body))
}
