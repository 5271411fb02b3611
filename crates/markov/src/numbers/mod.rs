//! Numbers: fractions that may be infinite, intervals that contain them, and how both are read and written.

mod extended;
mod interval;
mod scalar;
mod text;
mod wide;

pub use extended::Extended;
pub use interval::Interval;
pub(crate) use interval::{down, up};
pub(crate) use scalar::{Scalar, bits};
pub(crate) use text::write_decimal;
pub use text::{NumberError, parse_number, write_number};
pub(crate) use wide::{ROUNDING, Wide};
