//! How hard to try: wanted precision, whether fractions are wanted, and when to stop.

use std::fmt;

/// Limits of exact arithmetic. Within them answers are fractions; beyond them intervals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExactLimits {
    /// States whose value is not clear from the graph alone.
    pub states: usize,
    /// Operations on fractions.
    pub operations: u64,
    /// Bits of one fraction, numerator and denominator together.
    pub bits: usize,
}

impl ExactLimits {
    /// No exact arithmetic at all.
    pub const NONE: ExactLimits = ExactLimits { states: 0, operations: 0, bits: 0 };
    /// As long as it takes.
    pub const UNLIMITED: ExactLimits = ExactLimits { states: usize::MAX, operations: u64::MAX, bits: usize::MAX };
}

impl Default for ExactLimits {
    fn default() -> Self {
        ExactLimits { states: 20_000, operations: 1_000_000, bits: 4096 }
    }
}

/// What an answer may cost and how good it has to be.
#[derive(Clone, Copy)]
pub struct Effort<'a> {
    /// Width of an interval relative to its lower end.
    pub relative: f64,
    /// A width that is good enough however small the value is. Zero by default.
    pub absolute: f64,
    pub exact: ExactLimits,
    /// Bytes for what is computed, beside the model.
    pub memory: usize,
    /// Asked every now and then; true ends the work with [`Failure::Stopped`].
    pub stop: &'a (dyn Fn() -> bool + Sync),
}

impl Default for Effort<'_> {
    fn default() -> Self {
        Effort { relative: 1e-6, absolute: 0.0, exact: ExactLimits::default(), memory: usize::MAX, stop: &|| false }
    }
}

impl Effort<'_> {
    /// The same with another precision and no fractions.
    pub fn approximate(self, relative: f64) -> Self {
        Effort { relative, exact: ExactLimits::NONE, ..self }
    }

    pub(crate) fn check(&self) -> Result<(), Failure> {
        if (self.stop)() { Err(Failure::Stopped) } else { Ok(()) }
    }

    /// Refuses what would take more memory than allowed.
    pub(crate) fn reserve(&self, bytes: usize) -> Result<(), Failure> {
        if bytes > self.memory { Err(Failure::Memory { needed: bytes }) } else { Ok(()) }
    }
}

impl fmt::Debug for Effort<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Effort")
            .field("relative", &self.relative)
            .field("absolute", &self.absolute)
            .field("exact", &self.exact)
            .field("memory", &self.memory)
            .finish_non_exhaustive()
    }
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Failure {
    /// The stop callback said so.
    Stopped,
    /// It would take so many bytes.
    Memory { needed: usize },
    /// This question cannot be asked about this model.
    Refused(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Stopped => write!(f, "stopped"),
            Failure::Memory { needed } => write!(f, "about {needed} bytes are needed, more than allowed"),
            Failure::Refused(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for Failure {}
