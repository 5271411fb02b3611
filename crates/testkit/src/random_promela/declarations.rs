//! Declarations of random programs: macros, types, variables, channels.

use super::env::{Chan, Field, Gen, Place, Ty};
use super::features::Features;

impl Gen {
    /// Macros and symbolic constants.
    pub fn constants(&mut self) -> String {
        let mut text = String::new();
        if self.rng.chance(30) {
            text.push_str(&format!("#define N {}\n", self.rng.range(1, 3)));
            self.macros.push("N".to_string());
        }
        let count = self.rng.range(2, 3);
        self.mtypes = ["A", "B", "C"][..count].iter().map(|s| s.to_string()).collect();
        text.push_str(&format!("mtype = {{ {} }};\n", self.mtypes.join(", ")));
        if self.on(Features::MTYPE_SUBTYPES) {
            text.push_str("mtype:fruit = { apple, pear };\n");
        }
        if self.on(Features::WIDE) {
            text.push_str(&self.preprocessed());
        }
        text
    }

    /// Typedefs and global variables, and a macro that uses them.
    pub fn type_declarations(&mut self) -> String {
        let mut text = String::new();
        if self.rng.chance(35) {
            let inner = self.rng.chance(60);
            let size = self.rng.range(2, 3);
            if inner {
                text.push_str(&format!("typedef In {{ byte v; bit w[{size}] }};\n"));
            }
            let field = if inner { "; In n[2]" } else { "" };
            text.push_str(&format!("typedef Rec {{ byte a; short s; bool z[2]{field} }};\n"));
            let array = if self.rng.chance(25) { Some(2) } else { None };
            text.push_str(&format!("Rec gr{};\n", array.map_or(String::new(), |n| format!("[{n}]"))));
            let head = ("gr".to_string(), array);
            let mut add = |tail: &[(&str, Option<usize>)], ty| {
                let mut path = vec![head.clone()];
                path.extend(tail.iter().map(|(n, a)| (n.to_string(), *a)));
                self.globals.push(Place { path, ty, writable: true, readable: true });
            };
            add(&[("a", None)], Ty::Byte);
            add(&[("s", None)], Ty::Short);
            add(&[("z", Some(2))], Ty::Bool);
            if inner {
                add(&[("n", Some(2)), ("v", None)], Ty::Byte);
                add(&[("n", Some(2)), ("w", Some(size))], Ty::Bit);
            }
        }
        for _ in 0..self.rng.range(1, 3) {
            let ty = self.scalar_type();
            text.push_str(&self.variable_declaration("g", ty, true));
        }
        if self.on(Features::VISIBILITY) {
            let mut declare = |text: &mut String, head: &str| {
                let value =
                    if self.on(Features::INITIALISED) { format!(" = {}", self.initial()) } else { String::new() };
                text.push_str(&format!("{head}{value};\n"));
            };
            declare(&mut text, "hidden byte hid");
            declare(&mut text, "show byte shown");
            declare(&mut text, "local byte loc");
            self.globals.push(Place { readable: !self.for_spin(), ..Place::scalar("hid", Ty::Byte) });
            self.globals.push(Place::scalar("shown", Ty::Byte));
            self.globals.push(Place::scalar("loc", Ty::Byte));
        }
        if self.rng.chance(25) {
            self.global_only = true;
            let condition = self.comparison();
            self.global_only = false;
            text.push_str(&format!("#define COND ({condition})\n"));
            self.conditions.push("COND".to_string());
        }
        text
    }

    pub fn scalar_type(&mut self) -> Ty {
        let unsigned = if self.on(Features::UNSIGNED) { 8 } else { 0 };
        let fruit = if self.on(Features::MTYPE_SUBTYPES) { 8 } else { 0 };
        self.rng.weighted(&[
            (12, Ty::Byte),
            (4, Ty::Bit),
            (4, Ty::Bool),
            (3, Ty::Short),
            (4, Ty::Int),
            (2, Ty::Pid),
            (4, Ty::Mtype),
            (unsigned, Ty::Unsigned),
            (fruit, Ty::Fruit),
        ])
    }

    /// Declare a variable or an array, with or without an initial value.
    pub fn variable_declaration(&mut self, prefix: &str, ty: Ty, global: bool) -> String {
        let name = self.fresh(prefix);
        let size = if ty != Ty::Unsigned && self.rng.chance(22) { Some(self.rng.range(2, 3)) } else { None };
        let mut text = format!("{} {name}", ty.keyword());
        if let Some(size) = size {
            text.push_str(&format!("[{size}]"));
        }
        if ty == Ty::Unsigned {
            text.push_str(" : 3");
        }
        if self.rng.chance(if self.on(Features::INITIALISED) { 85 } else { 35 }) {
            let value = if ty.symbolic() { self.symbol(ty) } else { self.initial() };
            match size {
                Some(n) if !ty.symbolic() && self.rng.chance(50) => {
                    let list: Vec<String> = (0..n).map(|_| self.initial()).collect();
                    text.push_str(&format!(" = {{ {} }}", list.join(", ")));
                }
                _ => text.push_str(&format!(" = {value}")),
            }
        }
        let place = Place { path: vec![(name, size)], ty, writable: true, readable: true };
        if global {
            self.globals.push(place)
        } else {
            self.proc.places.push(place)
        }
        text + ";\n"
    }

    /// An initial value of a variable that holds numbers.
    fn initial(&mut self) -> String {
        if self.on(Features::LARGE) && self.rng.chance(25) { self.large() } else { self.rng.below(3).to_string() }
    }

    /// Channels; every message type has at least one global channel.
    pub fn global_channels(&mut self) -> String {
        let mut text = String::new();
        for number in 0..self.rng.range(1, 2) {
            let fields = self.message_type(number);
            self.types.push(fields);
            text.push_str(&self.channel_declaration("q", number, true));
            if self.rng.chance(30) {
                text.push_str(&self.channel_declaration("q", number, true));
            }
        }
        if self.rng.chance(if self.on(Features::WIDE) { 40 } else { 22 }) {
            let number = self.types.len();
            self.types.push(vec![Field::Msg]);
            text.insert_str(0, "typedef Msg { byte x; bit y };\n");
            text.push_str(&format!("Msg gm;\nchan qm = [{}] of {{ Msg }};\n", self.rng.range(1, 2)));
            self.msgs.push("gm".to_string());
            self.globals
                .push(Place { path: vec![("gm".into(), None), ("x".into(), None)], ..Place::scalar("gm", Ty::Byte) });
            self.chans.push(Chan {
                name: "qm".to_string(),
                array: None,
                ty: number,
                cap: 1,
                owned: false,
                alias: false,
            });
        }
        if self.on(Features::XR_XS) {
            text.push_str("chan qx = [1] of { byte };\n");
        }
        text
    }

    fn message_type(&mut self, number: usize) -> Vec<Field> {
        (0..self.rng.weighted(&[(5, 1), (4, 2), (2, 3)]))
            .map(|i| {
                if number > 0 && self.rng.chance(20) {
                    return Field::Chan(self.rng.below(number));
                }
                let first = if i == 0 { 6 } else { 1 };
                let fruit = if self.on(Features::MTYPE_SUBTYPES) { 4 } else { 0 };
                Field::Scalar(self.rng.weighted(&[
                    (5, Ty::Byte),
                    (first, Ty::Mtype),
                    (2, Ty::Bool),
                    (1, Ty::Bit),
                    (2, Ty::Int),
                    (1, Ty::Short),
                    (fruit, Ty::Fruit),
                ]))
            })
            .collect()
    }

    /// The least capacity of the channels with this message type.
    pub fn least_capacity(&self, ty: usize) -> usize {
        self.chans.iter().filter(|c| c.ty == ty).map(|c| c.cap).min().unwrap_or(0)
    }

    pub fn channel_declaration(&mut self, prefix: &str, ty: usize, global: bool) -> String {
        let name = self.fresh(prefix);
        let several = if self.on(Features::POLLS) { 6 } else { 0 };
        let mut cap = self.rng.weighted(&[(4, 0), (5, 1), (3 + several, 2), (1 + several / 2, 3)]);
        if self.for_spin() && (self.on(Features::PRIORITY) || self.on(Features::ENABLED)) {
            // SPIN does not combine these with rendezvous.
            cap = cap.max(1);
        }
        if !global {
            cap = cap.max(self.least_capacity(ty).min(1));
        }
        let size = if self.rng.chance(12) { Some(2) } else { None };
        let array = size.map_or(String::new(), |n| format!("[{n}]"));
        let fields: Vec<&str> = self.types[ty]
            .iter()
            .map(|f| match f {
                Field::Scalar(ty) => {
                    if *ty == Ty::Fruit {
                        "mtype:fruit"
                    } else {
                        ty.keyword()
                    }
                }
                Field::Chan(_) => "chan",
                Field::Msg => "Msg",
            })
            .collect();
        let text = format!("chan {name}{array} = [{cap}] of {{ {} }};\n", fields.join(", "));
        let chan = Chan { name, array: size, ty, cap, owned: !global, alias: false };
        if global {
            self.chans.push(chan)
        } else {
            self.proc.chans.push(chan)
        }
        text
    }
}
