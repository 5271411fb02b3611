//! Value types, variables and channels: what a state is made of.

use crate::expr::Expr;
use crate::source::Span;

/// Index of an enumeration ([`Enumeration`]) of the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EnumId(pub u32);

/// Named constants, such as the symbols of an `mtype`. Kept so that traces speak the user's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enumeration {
    pub name: String,
    /// (value, name)
    pub names: Vec<(i32, String)>,
}

impl Enumeration {
    pub fn name_of(&self, value: i32) -> Option<&str> {
        self.names.iter().find(|(v, _)| *v == value).map(|(_, name)| name.as_str())
    }
}

/// Type of a value that is stored in one slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ValueType {
    /// One bit; `bit` and `bool` of Promela.
    Bit,
    Byte,
    Short,
    Int,
    /// `unsigned x : n`, n in 1..=32.
    Unsigned(u8),
    Mtype(EnumId),
    /// A channel number; 0 is no channel.
    Chan,
    Pid,
    /// A bounded integer whose bounds must not be left (UPPAAL, PRISM).
    Range {
        lo: i32,
        hi: i32,
    },
}

impl ValueType {
    /// Smallest and largest value that a slot of this type holds.
    pub fn domain(self) -> (i32, i32) {
        match self {
            ValueType::Bit => (0, 1),
            ValueType::Byte | ValueType::Mtype(_) | ValueType::Chan | ValueType::Pid => (0, 255),
            ValueType::Short => (i16::MIN as i32, i16::MAX as i32),
            ValueType::Int => (i32::MIN, i32::MAX),
            ValueType::Unsigned(bits) if bits >= 32 => (i32::MIN, i32::MAX),
            ValueType::Unsigned(bits) => (0, ((1u32 << bits) - 1) as i32),
            ValueType::Range { lo, hi } => (lo, hi),
        }
    }

    /// The value that a slot of this type holds after `value` was stored into it: C's conversion for the Promela types,
    /// `None` when a bounded integer would leave its range.
    pub fn convert(self, value: i32) -> Option<i32> {
        Some(match self {
            ValueType::Bit => value & 1,
            ValueType::Byte | ValueType::Mtype(_) | ValueType::Chan | ValueType::Pid => value & 0xff,
            ValueType::Short => value as i16 as i32,
            ValueType::Int => value,
            ValueType::Unsigned(bits) if bits >= 32 => value,
            ValueType::Unsigned(bits) => value & (((1u32 << bits) - 1) as i32),
            ValueType::Range { lo, hi } => return (lo <= value && value <= hi).then_some(value),
        })
    }
}

/// A variable: one or more slots in its scope (the globals, or the frame of a process).
#[derive(Clone, Debug)]
pub struct Variable {
    /// Full name as the user would write it, with struct fields flattened: `pair.left`.
    pub name: String,
    pub ty: ValueType,
    /// First slot, relative to its scope.
    pub slot: u32,
    /// Dimensions, outermost first; empty for a scalar. Fields of an array of structs carry the array's dimension.
    pub dims: Vec<Dim>,
    /// Not shown in traces. If global, not part of the state either: it is 0 whenever nobody has control.
    pub hidden: bool,
    pub span: Span,
}

/// One dimension of a variable: `len` elements that lie `stride` slots apart.
///
/// `after` is where the index stands in the name: `a.b` with an index on `a` has `after == 1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dim {
    pub len: u32,
    pub stride: u32,
    /// Byte position in [`Variable::name`] after which the index is written.
    pub after: u32,
    /// What the user calls the first element (UPPAAL's arrays over `int[1,3]`). In the IR it has the index 0.
    pub first: i32,
}

impl Variable {
    /// Slots of all elements with the name of each, in index order.
    pub fn elements(&self) -> Vec<(u32, String)> {
        let mut out = vec![(self.slot, self.name.clone(), 0usize)];
        for dim in &self.dims {
            out = out
                .into_iter()
                .flat_map(|(slot, name, shift)| {
                    (0..dim.len).map(move |i| {
                        let mut name = name.clone();
                        let index = format!("[{}]", i64::from(dim.first) + i64::from(i));
                        name.insert_str((dim.after as usize + shift).min(name.len()), &index);
                        (slot + i * dim.stride, name, shift + index.len())
                    })
                })
                .collect();
        }
        out.into_iter().map(|(slot, name, _)| (slot, name)).collect()
    }
}

/// A message channel. Its cells lie in its scope (the globals, or the frame of the process that declared it).
#[derive(Clone, Debug)]
pub struct Channel {
    pub name: String,
    /// 0 is a rendezvous channel: it has no cells.
    pub capacity: u32,
    pub fields: Vec<ValueType>,
    /// First slot, relative to its scope: the length, then `capacity` messages of `fields.len()` slots each. Cells after
    /// the length are zero.
    pub slot: u32,
    pub span: Span,
}

impl Channel {
    /// Slots that it takes.
    pub fn slots(&self) -> u32 {
        if self.capacity == 0 { 0 } else { 1 + self.capacity * self.fields.len() as u32 }
    }
}

/// How a synchronisation label pairs processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SignalKind {
    /// One sender with one receiver.
    Binary,
    /// One sender with every receiver that can hear it, possibly none.
    Broadcast,
}

/// A channel without data: hand-shake or broadcast label (UPPAAL's channels, PRISM's action names).
#[derive(Clone, Debug)]
pub struct Signal {
    pub name: String,
    pub kind: SignalKind,
    /// No time may pass while a synchronisation over it is possible.
    pub urgent: bool,
}

/// Index of a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClockId(pub u32);

#[derive(Clone, Debug)]
pub struct Clock {
    pub name: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Relation {
    Less,
    LessEqual,
    Equal,
    GreaterEqual,
    Greater,
}

/// An upper bound of a clock with this value is none: `x <= (b ? 5 : UNBOUNDED)` says something only where `b` is true.
pub const UNBOUNDED: i32 = i32::MAX;

/// Clocks are compared with and set to numbers from the negative of this one up to it. Zones (`bughound_dbm`) have room for
/// four times as much: no sum of bounds in a step of a timed model gets so large.
pub const MAX_CLOCK_CONSTANT: i32 = 1 << 26;

/// May a clock be compared with this number?
pub fn is_clock_constant(value: i64) -> bool {
    value.abs() <= i64::from(MAX_CLOCK_CONSTANT)
}

/// `left ⋈ bound`, or `left − minus ⋈ bound`.
#[derive(Clone, Debug, PartialEq)]
pub struct ClockConstraint {
    pub left: ClockId,
    pub minus: Option<ClockId>,
    pub relation: Relation,
    /// Evaluated in the state before the step.
    pub bound: Expr,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversion_wraps_like_c_and_ranges_refuse() {
        assert_eq!(ValueType::Byte.convert(256), Some(0));
        assert_eq!(ValueType::Byte.convert(-1), Some(255));
        assert_eq!(ValueType::Short.convert(40000), Some(40000 - 65536));
        assert_eq!(ValueType::Bit.convert(2), Some(0));
        assert_eq!(ValueType::Unsigned(3).convert(9), Some(1));
        assert_eq!(ValueType::Range { lo: 0, hi: 3 }.convert(4), None);
    }

    #[test]
    fn elements_carry_indices_where_the_user_writes_them() {
        let v = Variable {
            name: "a.b".into(),
            ty: ValueType::Byte,
            slot: 10,
            dims: vec![Dim { len: 2, stride: 5, after: 1, first: 0 }, Dim { len: 2, stride: 1, after: 3, first: -1 }],
            hidden: false,
            span: Span::default(),
        };
        let names: Vec<_> = v.elements();
        assert_eq!(
            names,
            [
                (10, "a[0].b[-1]".to_string()),
                (11, "a[0].b[0]".to_string()),
                (15, "a[1].b[-1]".to_string()),
                (16, "a[1].b[0]".to_string())
            ]
        );
    }
}
