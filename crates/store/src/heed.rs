//! What ends long work that is under way.

use std::time::Instant;

use bughound_kernel::StopSignal;

#[derive(Clone, Debug, Default)]
pub(crate) struct Heed {
    pub stop: StopSignal,
    pub until: Option<Instant>,
}

impl Heed {
    pub(crate) fn is_over(&self) -> bool {
        self.stop.is_raised() || self.until.is_some_and(|until| Instant::now() >= until)
    }
}
