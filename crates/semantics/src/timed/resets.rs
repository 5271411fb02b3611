//! What steps set clocks to.
//!
//! Nearly always a constant. If it is computed, it is computed in the middle of the step: `n = 5, x = n` sets the clock
//! to 5 whatever `n` was before, and a receiver sees what the sender has assigned; and a program may set clocks under
//! conditions. The discrete engine does not tell, so such a step is performed once more here.

use bughound_ir::edge::{Action, Destination, Edge};
use bughound_ir::frames::LOCATION;
use bughound_ir::network::Network;
use bughound_ir::reference::error::EvalError;
use bughound_kernel::Move;

use super::constraints::index;
use crate::machine::Machine;
use crate::perform::Effect;

/// By edge and destination: the clocks that are set to constants, or `None` if a step has to be performed to know.
#[derive(Debug)]
pub struct Resets(Vec<Vec<Option<Constants>>>);

/// Places of clocks in a zone, and values.
type Constants = Vec<(usize, i32)>;

impl Resets {
    pub fn new(network: &Network) -> Resets {
        let in_program = |edge: &Edge| {
            let nodes = edge.program.iter().flat_map(|program| &network.program(*program).nodes);
            let mut actions = nodes.flat_map(|node| &node.alternatives).flat_map(|a| &a.actions);
            actions.any(|action| matches!(action, Action::ResetClock { .. }))
        };
        let constants = |destination: &Destination| -> Option<Constants> {
            let reset = |action: &Action| match action {
                Action::ResetClock { clock, value } => Some(value.as_const().map(|value| (index(*clock), value))),
                _ => None,
            };
            destination.actions.iter().filter_map(reset).collect()
        };
        let destinations = |edge: &Edge| {
            let computed = in_program(edge);
            edge.destinations.iter().map(|d| if computed { None } else { constants(d) }).collect()
        };
        Resets(network.edges.iter().map(destinations).collect())
    }

    /// Calls `set` for each clock that a step from this state sets, in order.
    pub fn each(&self, machine: &Machine, key: &[i32], moves: &[Move], set: &mut dyn FnMut(usize, i32)) {
        let of = |m: &Move| self.0[m.edge as usize][m.destination as usize].as_ref();
        if moves.iter().all(|m| of(m).is_some()) {
            for (clock, value) in moves.iter().filter_map(of).flatten() {
                set(*clock, *value);
            }
            return;
        }
        let (mut now, mut resets) = (key.to_vec(), Vec::new());
        for m in moves {
            if machine.perform_again(key, &mut now, m, &mut resets).is_err() {
                return; // the engine has seen the failure: no state follows
            }
        }
        for (clock, value) in resets {
            set(clock as usize + 1, value);
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
        resets: &mut Vec<(u32, i32)>,
    ) -> Result<(), EvalError> {
        let pid = m.process as usize;
        let edges = &self.edges[self.location(before, pid)];
        let Some(edge) = edges.iter().find(|edge| edge.id == m.edge) else { return Ok(()) };
        let (mut failures, mut scratch) = (Vec::new(), Vec::new());
        let mut effect = Effect {
            key: now,
            pid,
            edge: m.edge,
            timeout: false,
            failures: &mut failures,
            assertions: 0,
            resets: Some(resets),
            stop: None,
        };
        if let (Some(program), Some(Some(entry))) =
            (edge.program, self.entry(self.context(before, pid, false), edge, false)?)
        {
            let entry = &self.programs[program as usize].nodes[0][entry];
            self.run_from(&mut effect, program, entry, None, &mut scratch)?;
        }
        let destination = &edge.destinations[m.destination as usize];
        self.act(&mut effect, &destination.actions)?;
        let base = self.base(pid);
        if let Some(location) = now.get_mut(base + LOCATION as usize) {
            *location = destination.to as i32;
        }
        Ok(())
    }
}
