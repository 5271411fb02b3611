//! What steps set clocks to.
//!
//! Nearly always a constant. If it is computed, it is computed in the middle of the step: `n = 5, x = n` sets the clock
//! to 5 whatever `n` was before, and a receiver sees what the sender has assigned. The discrete engine does not tell, so
//! such a step is performed once more here.

use bughound_dbm::MAX_CONSTANT;
use bughound_ir::edge::Action;
use bughound_ir::expr::Expr;
use bughound_ir::frames::LOCATION;
use bughound_ir::network::Network;
use bughound_ir::reference::error::EvalError;
use bughound_kernel::Move;

use super::constraints::index;
use crate::code::ActionCode;
use crate::machine::Machine;
use crate::perform::Effect;

/// By edge and destination.
#[derive(Debug)]
pub struct Resets(Vec<Vec<Vec<(usize, Value)>>>);

#[derive(Clone, Copy, Debug)]
enum Value {
    Constant(i32),
    Computed,
}

impl Resets {
    pub fn new(network: &Network) -> Resets {
        let reset = |action: &Action| match action {
            Action::ResetClock { clock, value: Expr::Const(value) } => Some((index(*clock), Value::Constant(*value))),
            Action::ResetClock { clock, .. } => Some((index(*clock), Value::Computed)),
            _ => None,
        };
        let destinations = |edge: &bughound_ir::edge::Edge| {
            edge.destinations.iter().map(|d| d.actions.iter().filter_map(reset).collect()).collect()
        };
        Resets(network.edges.iter().map(destinations).collect())
    }

    /// Calls `set` for each clock that a step from this state sets, in order.
    pub fn each(&self, machine: &Machine, key: &[i32], moves: &[Move], set: &mut dyn FnMut(usize, i32)) {
        // Larger numbers do not fit a zone.
        let mut set = |clock, value: i32| set(clock, value.clamp(0, MAX_CONSTANT));
        let of = |m: &Move| self.0[m.edge as usize][m.destination as usize].iter();
        if !moves.iter().flat_map(of).any(|(_, value)| matches!(value, Value::Computed)) {
            for (clock, value) in moves.iter().flat_map(of) {
                if let Value::Constant(value) = value {
                    set(*clock, *value);
                }
            }
            return;
        }
        let mut now = key.to_vec();
        for m in moves {
            if machine.perform_again(key, &mut now, m, &mut set).is_err() {
                return; // the engine has seen the failure: no state follows
            }
        }
    }
}

impl Machine {
    /// Performs a move of a step that is possible in the state `before`, of which the moves up to this one have made
    /// `now`.
    fn perform_again(
        &self,
        before: &[i32],
        now: &mut Vec<i32>,
        m: &Move,
        set: &mut dyn FnMut(usize, i32),
    ) -> Result<(), EvalError> {
        let pid = m.process as usize;
        let edges = &self.edges[self.location(before, pid)];
        let Some(edge) = edges.iter().find(|edge| edge.id == m.edge) else { return Ok(()) };
        let (mut failures, mut scratch) = (Vec::new(), Vec::new());
        let mut effect = Effect { key: now, pid, edge: m.edge, timeout: false, failures: &mut failures, assertions: 0 };
        if let (Some(program), Some(Some(entry))) =
            (edge.program, self.entry(self.context(before, pid, false), edge, false)?)
        {
            let entry = &self.programs[program as usize].nodes[0][entry];
            self.run_from(&mut effect, program, entry, None, &mut scratch)?;
        }
        let destination = &edge.destinations[m.destination as usize];
        for action in &destination.actions {
            self.act(&mut effect, std::slice::from_ref(action))?;
            if let ActionCode::ResetClock { clock, value } = action {
                let cx = self.context(effect.key, pid, false);
                set(*clock as usize + 1, self.eval(cx, value)?);
            }
        }
        let base = self.base(pid);
        if let Some(location) = now.get_mut(base + LOCATION as usize) {
            *location = destination.to as i32;
        }
        Ok(())
    }
}
