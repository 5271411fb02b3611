//! Verdicts and exit codes.

pub use bughound_kernel::Verdict;

/// Exit code for wrong usage, wrong input and unsupported features.
pub const EXIT_USAGE: u8 = 2;
/// Exit code for a bug in the tool.
pub const EXIT_INTERNAL: u8 = 5;
