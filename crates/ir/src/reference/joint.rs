//! Steps of several processes at once, one edge each, as a [vector](crate::network::Vector) says; and chances.
//!
//! All guards and all chances are evaluated in the state before the step. The actions of the edges happen phase by phase: the first
//! ones of all edges at once, then the second ones. The first process of a vector starts it. A part whose look at an edge fails
//! makes the step a failing one, unless another part has no edge to offer.

use bughound_kernel::Move;

use crate::chance::Number;
use crate::edge::{Action, Destination, EdgeId};
use crate::expr::{Expr, Place};
use crate::network::Vector;
use crate::reference::error::{EvalError, FailureInfo};
use crate::reference::evaluate::{Cell, View};
use crate::reference::perform::{Performer, failure};
use crate::reference::plan::Role;
use crate::reference::state::RefState;
use crate::reference::steps::Candidate;
use crate::reference::{MicroStep, Reference};

impl View<'_> {
    /// Does the process that evaluates start the steps of this vector by this action?
    pub fn starts(&self, vector: &Vector, action: u32) -> bool {
        self.own.is_some_and(|pid| vector.parts.first() == Some(&(pid as u16, action)))
    }

    /// The probability or the rate of a destination.
    fn chance(&self, destination: &Destination) -> Result<Number, EvalError> {
        let chance = destination.chance.value(&mut |leaf| self.eval(leaf))?;
        if chance < Number::ZERO { Err(EvalError::NoProbability) } else { Ok(chance) }
    }
}

/// The steps of a vector under construction.
struct Team<'s, 'c, 'a> {
    state: &'s RefState,
    timeout: bool,
    /// The edges picked so far.
    members: Vec<&'c Candidate<'a>>,
    steps: Vec<MicroStep>,
}

impl<'n> Reference<'n> {
    /// The chance of a step that consists of these moves: the product of those of its parts.
    pub fn chance(&self, state: &RefState, moves: &[Move]) -> Result<Number, EvalError> {
        moves.iter().try_fold(Number::ONE, |product, m| {
            let view = View::new(self.network, state, Some(m.process.into()), false);
            Ok(product * view.chance(&self.network.edge(EdgeId(m.edge)).destinations[usize::from(m.destination)])?)
        })
    }

    /// The destinations that an edge can lead to. One whose chance has no value is a step that fails.
    pub(crate) fn possible_destinations(
        &self,
        state: &RefState,
        candidate: &Candidate<'_>,
        timeout: bool,
        steps: &mut Vec<MicroStep>,
    ) -> Vec<usize> {
        let view = View::new(self.network, state, Some(candidate.process), timeout);
        let destinations = &self.network.edge(candidate.edge).destinations;
        let mut possible = Vec::new();
        let mut fail = |number: usize, error: EvalError| {
            let info = failure(&view, candidate.process, candidate.edge, error);
            let performer = Performer::new(self.network, state.clone(), timeout);
            steps.push(self.finish(vec![candidate.to_move(number, false)], performer, Err(info)));
        };
        let mut is_nothing = true;
        for (number, destination) in destinations.iter().enumerate() {
            let chance = view.chance(destination);
            is_nothing &= chance.as_ref().is_ok_and(Number::is_zero);
            match chance {
                Ok(chance) if chance.is_zero() => {}
                Ok(_) => possible.push(number),
                Err(error) => fail(number, error),
            }
        }
        if is_nothing && self.network.has_probabilities() {
            fail(0, EvalError::NoProbability);
        }
        possible
    }

    /// The steps of all vectors that this candidate starts.
    pub(crate) fn combine(
        &self,
        state: &RefState,
        first: &Candidate<'_>,
        action: u32,
        timeout: bool,
    ) -> Vec<MicroStep> {
        let view = View::new(self.network, state, Some(first.process), timeout);
        let mut steps = Vec::new();
        for vector in self.network.vectors.iter().filter(|vector| view.starts(vector, action)) {
            let mut offers: Vec<Vec<Candidate<'_>>> = Vec::new();
            for (pid, action) in &vector.parts[1..] {
                let mut candidates = Vec::new();
                if usize::from(*pid) < state.processes.len() {
                    self.try_edges(&view, (*pid).into(), Role::Joins(*action), &mut |candidate| {
                        candidates.push(candidate);
                        true
                    });
                }
                offers.push(candidates);
            }
            if offers.iter().all(|candidates| !candidates.is_empty()) {
                let mut team = Team { state, timeout, members: vec![first], steps: Vec::new() };
                self.pick(&mut team, &offers);
                steps.extend(team.steps);
            }
        }
        steps
    }

    /// Every way to pick one edge of each process that is left.
    fn pick<'c, 'a>(&self, team: &mut Team<'_, 'c, 'a>, offers: &'c [Vec<Candidate<'a>>]) {
        let Some((candidates, others)) = offers.split_first() else { return self.draw(team, &mut Vec::new()) };
        for candidate in candidates {
            team.members.push(candidate);
            match &candidate.plan {
                Ok(_) => self.pick(team, others),
                Err(info) => {
                    let moves = team.members.iter().enumerate().map(|(at, member)| member.to_move(0, at > 0)).collect();
                    self.fail(team, moves, info.clone());
                }
            }
            team.members.pop();
        }
    }

    /// Every way to draw one destination for each edge of the team that is left.
    fn draw(&self, team: &mut Team<'_, '_, '_>, moves: &mut Vec<Move>) {
        let Some(member) = team.members.get(moves.len()).copied() else {
            let mut performer = Performer::new(self.network, team.state.clone(), team.timeout);
            let moved = performer.move_together(moves);
            team.steps.push(self.finish(moves.clone(), performer, moved));
            return;
        };
        let view = View::new(self.network, team.state, Some(member.process), team.timeout);
        let mut is_nothing = true;
        for (number, destination) in self.network.edge(member.edge).destinations.iter().enumerate() {
            is_nothing &= view.chance(destination).is_ok_and(|chance| chance.is_zero());
            moves.push(member.to_move(number, !moves.is_empty()));
            match view.chance(destination) {
                Ok(chance) if chance.is_zero() => {}
                Ok(_) => self.draw(team, moves),
                Err(error) => self.fail(team, moves.clone(), failure(&view, member.process, member.edge, error)),
            }
            moves.pop();
        }
        if is_nothing && self.network.has_probabilities() {
            moves.push(member.to_move(0, !moves.is_empty()));
            self.fail(team, moves.clone(), failure(&view, member.process, member.edge, EvalError::NoProbability));
            moves.pop();
        }
    }

    fn fail(&self, team: &mut Team<'_, '_, '_>, moves: Vec<Move>, info: FailureInfo) {
        let performer = Performer::new(self.network, team.state.clone(), team.timeout);
        team.steps.push(self.finish(moves, performer, Err(info)));
    }
}

impl Performer<'_> {
    /// Where the values of assignments that happen at once belong.
    pub(super) fn values<'p>(
        &self,
        assignments: &'p [(Place, Expr)],
    ) -> Result<Vec<(Cell, &'p Place, i32)>, EvalError> {
        let view = self.view();
        assignments.iter().map(|(target, value)| Ok((view.cell(target)?, target, view.eval(value)?))).collect()
    }

    /// Makes moves at once.
    fn move_together(&mut self, moves: &[Move]) -> Result<(), FailureInfo> {
        let network = self.network;
        let destination = |m: &Move| &network.edge(EdgeId(m.edge)).destinations[usize::from(m.destination)];
        let phases = moves.iter().map(|m| destination(m).actions.len()).max().unwrap_or(0);
        for phase in 0..phases {
            let mut values = Vec::new();
            for m in moves {
                self.begin(m.process.into(), EdgeId(m.edge));
                if let Some(Action::Together(assignments)) = destination(m).actions.get(phase) {
                    let found = self.values(assignments);
                    values.extend(found.map_err(|error| self.failed(error))?.into_iter().map(|value| (m, value)));
                }
            }
            for (m, (cell, place, value)) in values {
                self.begin(m.process.into(), EdgeId(m.edge));
                self.store_in(cell, place, value).map_err(|error| self.failed(error))?;
            }
        }
        for m in moves {
            self.state.processes[usize::from(m.process)].location = destination(m).to;
        }
        self.state.control = None;
        Ok(())
    }
}
