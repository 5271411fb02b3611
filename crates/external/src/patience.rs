//! Ends long work in between, as an expansion is ended.

use std::time::Instant;

use bughound_kernel::{StopReason, StopSignal};
use bughound_search::Driver;

use crate::trouble::Trouble;

/// The clock is looked at once for so many checks.
const SELDOM: u32 = 1 << 12;

pub struct Patience {
    signal: StopSignal,
    until: Option<Instant>,
    checks: u32,
}

impl Patience {
    pub fn of(driver: &Driver<'_>) -> Self {
        Patience { signal: driver.stop_signal().clone(), until: driver.limits().until, checks: 0 }
    }

    /// For what is done to the end.
    pub fn endless() -> Self {
        Patience { signal: StopSignal::default(), until: None, checks: 0 }
    }

    /// Is it time to end?
    #[inline]
    pub fn check(&mut self) -> Result<(), Trouble> {
        if self.signal.is_raised() {
            return Err(Trouble::Stopped(self.signal.reason().unwrap_or(StopReason::Interrupted)));
        }
        self.checks += 1;
        if self.checks.is_multiple_of(SELDOM) && self.until.is_some_and(|until| Instant::now() >= until) {
            return Err(Trouble::Stopped(StopReason::Time));
        }
        Ok(())
    }
}
