//! Clock zones of timed automata: convex sets of clock values, as difference bound matrices.
//!
//! A zone over `n - 1` clocks is a matrix of `n * n` words, row by row, so that it can live in the cover of a state: [`Zone`]
//! and [`ZoneMut`] are views of such words, [`ZoneBuf`] owns them. Clock 0 is the reference, which is always 0. Read
//! [`bound`] first, then [`zone`] and [`change`]; zones with costs are in [`priced`].
//!
//! ```
//! use bughound_dbm::{Bound, ZoneBuf};
//!
//! // Two clocks start at 0. Time passes while x <= 5; the edge needs x > 2, and resets y.
//! let (x, y) = (1, 2);
//! let mut zone = ZoneBuf::zero(3);
//! let mut view = zone.as_mut();
//! view.up();
//! assert!(view.tighten(x, 0, Bound::at_most(5)));
//! assert!(view.tighten(0, x, Bound::less_than(-2)));
//! view.reset(y, 0);
//! assert_eq!(zone.to_string(), "x2 = 0, x1 > 2, x1 <= 5");
//! assert_eq!(zone.as_zone().some_point().unwrap().to_string(), "(3, 0)");
//! ```

pub mod bound;
mod buffer;
pub mod change;
mod closure;
mod extrapolate;
mod federation;
mod interval;
mod least;
mod minimal;
mod point;
pub mod priced;
mod simulation;
pub mod zone;

pub use bound::{Bound, Constraint, MAX_CONSTANT, NO_BOUND};
pub use buffer::ZoneBuf;
pub use change::ZoneMut;
pub use federation::Federation;
pub use interval::Interval;
pub use least::{is_solvable, least_point};
pub use point::Point;
pub use zone::{Relation, Zone};
