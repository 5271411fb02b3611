//! Programs that do not end.

use bughound_ir::reference::{EvalError, FIRST_NOTE, LONGEST_PROGRAM};
use bughound_kernel::StopSignal;

/// Watches one run of a program. The next alternative depends on the node and the state alone, so a program that comes
/// back to both runs for ever (the search for the cycle is Brent's, 1980). Counters that do not wrap around soon are
/// left to the limit. Short runs, which are nearly all, pay for a counter only.
#[derive(Default)]
pub struct RunawayWatch {
    /// Alternatives taken so far.
    taken: u64,
    noted: Option<(u32, Vec<i32>)>,
}

impl RunawayWatch {
    /// To be called before every choice but the first, with the node that it is made at.
    #[inline]
    pub fn arrive(&mut self, node: u32, key: &[i32], stop: Option<&StopSignal>) -> Result<(), EvalError> {
        self.taken += 1;
        if self.taken < FIRST_NOTE { Ok(()) } else { self.look_back(node, key, stop) }
    }

    fn look_back(&mut self, node: u32, key: &[i32], stop: Option<&StopSignal>) -> Result<(), EvalError> {
        let returns = self.noted.as_ref().is_some_and(|(noted, state)| *noted == node && state == key);
        if returns {
            return Err(EvalError::RunawayProgram);
        }
        if self.taken == LONGEST_PROGRAM || stop.is_some_and(StopSignal::is_raised) {
            return Err(EvalError::LongProgram);
        }
        if self.taken.is_power_of_two() {
            self.noted = Some((node, key.to_vec()));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Alternatives taken until a run is given up.
    fn length(mut node_and_value: impl FnMut(u64) -> (u32, i32)) -> u64 {
        let mut watch = RunawayWatch::default();
        let mut taken = 1;
        loop {
            let (node, value) = node_and_value(taken);
            if watch.arrive(node, &[7, value], None).is_err() {
                return taken;
            }
            taken += 1;
        }
    }

    #[test]
    fn a_byte_that_wraps_around_is_noticed_soon() {
        assert_eq!(length(|i| (1, (i % 256) as i32)), FIRST_NOTE + 256);
        assert_eq!(length(|_| (0, 0)), FIRST_NOTE + 1);
        assert!(length(|i| ((i % 3) as u32, (i / 3 % 65_536) as i32)) < 4 * 65_536 * 3);
    }

    #[test]
    fn a_long_program_can_be_stopped() {
        let (mut watch, stop) = (RunawayWatch::default(), StopSignal::default());
        stop.raise(bughound_kernel::StopReason::Time);
        let ended = (1..=LONGEST_PROGRAM).find(|taken| watch.arrive(1, &[*taken as i32], Some(&stop)).is_err());
        assert_eq!(ended, Some(FIRST_NOTE));
    }

    #[test]
    fn a_return_to_the_node_alone_is_none() {
        assert_eq!(length(|i| (1, i as i32)), LONGEST_PROGRAM);
        assert_eq!(length(|i| (i as u32, 1)), LONGEST_PROGRAM);
    }
}
