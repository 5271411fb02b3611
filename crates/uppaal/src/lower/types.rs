//! Types with their sizes known.

use std::rc::Rc;

use bughound_ir::types::ValueType;

/// UPPAAL's default range of `int`.
pub const DEFAULT_RANGE: (i32, i32) = (-32768, 32767);

/// A variable with more elements than this is refused.
pub const MAX_ELEMENTS: u64 = 100_000;

/// A model whose variables, or whose channels, have more elements than this together is refused.
pub const MAX_TOTAL: u64 = 1_000_000;

/// A model with more clocks than this is refused: a zone has the square of their number of words.
pub const MAX_CLOCKS: u64 = 1000;

#[derive(Clone, Debug, PartialEq)]
pub enum Ty {
    Int {
        lo: i32,
        hi: i32,
    },
    Bool,
    /// A scalar set with so many members: numbers from 0 on that are only compared and stored.
    Scalar {
        size: i32,
    },
    Clock,
    Channel {
        urgent: bool,
        broadcast: bool,
    },
    /// Indexed by `lo`, `lo + 1`, …
    Array {
        element: Rc<Ty>,
        lo: i32,
        len: u32,
    },
    Struct(Rc<Vec<(String, Ty)>>),
    Void,
}

/// What an element of a variable is stored as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    Data,
    Clock,
    Channel,
}

impl Ty {
    pub const INT: Ty = Ty::Int { lo: DEFAULT_RANGE.0, hi: DEFAULT_RANGE.1 };

    /// Number of slots, clocks or channels that it takes.
    pub fn size(&self) -> u64 {
        match self {
            Ty::Array { element, len, .. } => element.size().saturating_mul(u64::from(*len)),
            Ty::Struct(fields) => fields.iter().map(|(_, ty)| ty.size()).fold(0, u64::saturating_add),
            Ty::Void => 0,
            _ => 1,
        }
    }

    /// `None` for a structure that mixes data with clocks or channels, and for `void`.
    pub fn space(&self) -> Option<Space> {
        match self {
            Ty::Int { .. } | Ty::Bool | Ty::Scalar { .. } => Some(Space::Data),
            Ty::Clock => Some(Space::Clock),
            Ty::Channel { .. } => Some(Space::Channel),
            Ty::Array { element, .. } => element.space(),
            Ty::Struct(fields) => fields.iter().all(|(_, ty)| ty.space() == Some(Space::Data)).then_some(Space::Data),
            Ty::Void => None,
        }
    }

    /// Smallest and largest value of a type that one can go through.
    pub fn range(&self) -> Option<(i32, i32)> {
        match self {
            Ty::Int { lo, hi } => Some((*lo, *hi)),
            Ty::Bool => Some((0, 1)),
            Ty::Scalar { size } => Some((0, size - 1)),
            _ => None,
        }
    }

    /// How a slot of it is declared; `None` if it takes more than one slot or none.
    pub fn stored(&self) -> Option<ValueType> {
        match self {
            Ty::Bool => Some(ValueType::Bit),
            Ty::Int { lo, hi } => Some(ValueType::Range { lo: *lo, hi: *hi }),
            Ty::Scalar { size } => Some(ValueType::Range { lo: 0, hi: size - 1 }),
            _ => None,
        }
    }

    pub fn is_scalar_data(&self) -> bool {
        self.stored().is_some()
    }

    /// In words, for messages.
    pub fn words(&self) -> String {
        match self {
            Ty::Int { lo, hi } if (*lo, *hi) == DEFAULT_RANGE => "an integer".into(),
            Ty::Int { lo, hi } => format!("an integer from {lo} to {hi}"),
            Ty::Bool => "a truth value".into(),
            Ty::Scalar { .. } => "a scalar".into(),
            Ty::Clock => "a clock".into(),
            Ty::Channel { .. } => "a channel".into(),
            Ty::Array { .. } => "an array".into(),
            Ty::Struct(_) => "a structure".into(),
            Ty::Void => "nothing".into(),
        }
    }
}
