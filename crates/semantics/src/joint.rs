//! Steps of several processes at once, as vectors say (PRISM's actions, JANI's synchronisation vectors), and chances.
//!
//! The first process of a vector starts it. All guards and chances are those of the state before the step; the actions of all edges
//! happen phase by phase. Each way to pick an edge for every part is one choice; destinations are drawn independently, so that
//! probabilities (and rates) multiply.

use bughound_ir::chance::Number;
use bughound_ir::edge::Sync;
use bughound_ir::frames::LOCATION;
use bughound_ir::network::Network;
use bughound_ir::reference::error::EvalError;
use bughound_ir::types::ValueType;
use bughound_kernel::Move;

use crate::code::{self, ActionCode, ChanceCode, EdgeCode};
use crate::machine::{Context, Machine};
use crate::micro::{Finder, Micro};

/// Which vectors begin where, and which edges can take part.
#[derive(Debug, Default)]
pub struct Vectors {
    /// By process: the actions by which it starts vectors, and these.
    starting: Vec<Vec<(u32, u32)>>,
    /// By location: the actions of its edges, and the indices of these.
    joining: Vec<Vec<(u32, Vec<u32>)>>,
}

impl Vectors {
    pub fn of(network: &Network) -> Vectors {
        let mut vectors = Vectors::default();
        for (number, vector) in network.vectors.iter().enumerate() {
            let (pid, action) = vector.parts[0];
            vectors.starting.resize(vectors.starting.len().max(usize::from(pid) + 1), Vec::new());
            vectors.starting[usize::from(pid)].push((action, number as u32));
        }
        if network.vectors.is_empty() {
            return vectors;
        }
        for location in &network.locations {
            let mut joining: Vec<(u32, Vec<u32>)> = Vec::new();
            for (index, edge) in location.edges.iter().enumerate() {
                let Sync::Join { action } = network.edge(*edge).sync else { continue };
                match joining.iter_mut().find(|(known, _)| *known == action) {
                    Some((_, edges)) => edges.push(index as u32),
                    None => joining.push((action, vec![index as u32])),
                }
            }
            vectors.joining.push(joining);
        }
        vectors
    }

    /// Does the process start a vector by this action?
    #[inline]
    pub fn starts(&self, pid: usize, action: u32) -> bool {
        self.starting.get(pid).is_some_and(|starting| starting.iter().any(|(known, _)| *known == action))
    }

    fn edges_with(&self, location: usize, action: u32) -> &[u32] {
        let joining = self.joining.get(location).into_iter().flatten();
        joining.into_iter().find(|(known, _)| *known == action).map_or(&[], |(_, edges)| edges)
    }
}

/// An edge that is a part of a step.
#[derive(Clone, Copy)]
struct Part {
    pid: usize,
    location: usize,
    edge: usize,
    /// Looking at it failed.
    error: Option<EvalError>,
}

/// Working memory.
#[derive(Default)]
pub struct Joint {
    /// The edges with which others can take part, group by group.
    offers: Vec<Part>,
    /// By part of the vector, but for the first: its edges in `offers`.
    groups: Vec<(usize, usize)>,
    team: Vec<Part>,
    moves: Vec<Move>,
    /// The values of a phase, and where they belong.
    values: Vec<(usize, ValueType, i32, u32)>,
}

impl Finder {
    /// The steps of the vectors that this edge, whose guards hold, starts; true if there are any.
    pub(crate) fn join(&mut self, machine: &Machine, cx: Context<'_>, edge: &EdgeCode, action: u32) -> bool {
        let found = self.steps.len();
        let location = machine.location(cx.key, cx.pid);
        let Some(index) = machine.edges[location].iter().position(|known| known.id == edge.id) else { return false };
        let mut work = std::mem::take(&mut self.joint);
        for (_, vector) in machine.vectors.starting[cx.pid].iter().filter(|(known, _)| *known == action) {
            let parts = &machine.network.vectors[*vector as usize].parts;
            if work.collect(machine, cx, &parts[1..]) {
                work.team.clear();
                work.team.push(Part { pid: cx.pid, location, edge: index, error: None });
                self.pick(machine, cx, &mut work, 0);
            }
        }
        self.joint = work;
        self.steps.len() > found
    }

    /// Every way to pick one edge of each group that is left.
    fn pick(&mut self, machine: &Machine, cx: Context<'_>, work: &mut Joint, group: usize) {
        let Some((first, end)) = work.groups.get(group).copied() else {
            let choice = self.choices;
            self.choices += 1;
            work.moves.clear();
            return self.draw(machine, cx, work, choice, 1.0);
        };
        for at in first..end {
            if self.stop.is_raised() {
                return;
            }
            let part = work.offers[at];
            work.team.push(part);
            match part.error {
                None => self.pick(machine, cx, work, group + 1),
                Some(error) => {
                    work.moves.clear();
                    let moves = work.team.iter().enumerate().map(|(at, part)| part.to_move(machine, 0, at > 0));
                    work.moves.extend(moves);
                    let choice = self.choices;
                    self.choices += 1;
                    self.add_failed(machine, work, (choice, 1.0), error, part.code(machine).id);
                }
            }
            work.team.pop();
        }
    }

    /// Every way to draw one destination for each edge of the team that is left.
    fn draw(&mut self, machine: &Machine, cx: Context<'_>, work: &mut Joint, choice: u32, probability: f64) {
        let Some(part) = work.team.get(work.moves.len()).copied() else {
            return self.perform_together(machine, cx, work, choice, probability);
        };
        let edge = part.code(machine);
        let own = machine.context(cx.key, part.pid, cx.timeout);
        let mut is_possible = false;
        for (index, destination) in edge.destinations.iter().enumerate() {
            let chance = machine.chance(own, &destination.chance);
            if chance == Ok(0.0) {
                continue;
            }
            is_possible = true;
            work.moves.push(part.to_move(machine, index, !work.moves.is_empty()));
            match chance {
                // A product of small chances is no reason to lose the step.
                Ok(chance) => {
                    self.draw(machine, cx, work, choice, (probability * chance).max(f64::MIN_POSITIVE));
                }
                Err(error) => self.add_failed(machine, work, (choice, probability), error, edge.id),
            }
            work.moves.pop();
        }
        if !is_possible && machine.network.has_probabilities() {
            work.moves.push(part.to_move(machine, 0, !work.moves.is_empty()));
            self.add_failed(machine, work, (choice, probability), EvalError::NoProbability, edge.id);
            work.moves.pop();
        }
    }

    fn perform_together(
        &mut self,
        machine: &Machine,
        cx: Context<'_>,
        work: &mut Joint,
        choice: u32,
        probability: f64,
    ) {
        let state = self.pool.copy_of(cx.key);
        let written = self.written.len();
        let key = self.pool.buffer(state);
        if let Err((error, edge)) = work.perform(machine, key, cx.timeout, &mut self.written) {
            self.pool.drop_last();
            self.written.truncate(written);
            return self.add_failed(machine, work, (choice, probability), error, edge);
        }
        let written = Some((written as u32, (self.written.len() - written) as u32));
        self.add_joint(machine, work, (choice, probability), Some(state), written);
    }

    fn add_failed(&mut self, machine: &Machine, work: &Joint, of: (u32, f64), error: EvalError, edge: u32) {
        self.failures.push(error.failure(edge));
        self.add_joint(machine, work, of, None, None);
    }

    fn add_joint(
        &mut self,
        machine: &Machine,
        work: &Joint,
        (choice, probability): (u32, f64),
        state: Option<usize>,
        written: Option<(u32, u32)>,
    ) {
        let failed = u32::from(state.is_none());
        let moves = self.moves.len() as u32;
        self.moves.extend_from_slice(&work.moves);
        self.steps.push(Micro {
            moves: (moves, work.moves.len() as u32),
            failures: (self.failures.len() as u32 - failed, failed),
            state,
            control: None,
            weight: work.team[0].code(machine).weight,
            choice,
            probability,
            written,
        });
    }
}

impl Part {
    fn code<'m>(&self, machine: &'m Machine) -> &'m EdgeCode {
        &machine.edges[self.location][self.edge]
    }

    fn to_move(self, machine: &Machine, destination: usize, joins: bool) -> Move {
        Move { process: self.pid as u16, edge: self.code(machine).id, destination: destination as u16, joins }
    }
}

impl Joint {
    /// Collects the edges with which the other parts can take part; false if some part has none.
    fn collect(&mut self, machine: &Machine, cx: Context<'_>, parts: &[(u16, u32)]) -> bool {
        self.offers.clear();
        self.groups.clear();
        for (pid, action) in parts {
            let first = self.offers.len();
            let own = machine.context(cx.key, (*pid).into(), cx.timeout);
            let location = machine.location(cx.key, own.pid);
            if machine.is_provided(own, own.pid) != Ok(true) {
                return false;
            }
            let instance = machine.made_instance(cx.key, own.pid, location);
            let edges = instance.map_or(&machine.edges[location], |instance| &instance.edges);
            for edge in machine.vectors.edges_with(location, *action) {
                let edge = *edge as usize;
                let error = match machine.guards_of(own, &edges[edge]) {
                    Ok(false) => continue,
                    Ok(true) => None,
                    Err(error) => Some(error),
                };
                self.offers.push(Part { pid: own.pid, location, edge, error });
            }
            if self.offers.len() == first {
                return false;
            }
            self.groups.push((first, self.offers.len()));
        }
        true
    }

    /// Performs the moves of the team at once; if something has no value: why, and the edge that it belongs to.
    fn perform(
        &mut self,
        machine: &Machine,
        key: &mut [i32],
        timeout: bool,
        written: &mut Vec<u32>,
    ) -> Result<(), (EvalError, u32)> {
        let destinations = || {
            let team = self.team.iter().zip(&self.moves);
            team.map(|(part, m)| (part, part.code(machine), m.destination))
        };
        let actions = |edge: &EdgeCode, destination: u16| edge.destinations[usize::from(destination)].actions.len();
        let phases = destinations().map(|(_, edge, destination)| actions(edge, destination)).max().unwrap_or(0);
        let values = &mut self.values;
        for phase in 0..phases {
            values.clear();
            for (part, m) in self.team.iter().zip(&self.moves) {
                let edge = part.code(machine);
                let actions = &edge.destinations[usize::from(m.destination)].actions;
                let Some(ActionCode::Together(assignments)) = actions.get(phase) else { continue };
                let cx = machine.context(key, part.pid, timeout);
                for (target, value) in assignments {
                    let failed = |error| (error, edge.id);
                    let slot = machine.slot(cx, target).map_err(failed)?.ok_or((EvalError::NoSuchProcess, edge.id))?;
                    let value = machine.eval(cx, value).map_err(failed)?;
                    values.push((slot, target.ty, value, edge.id));
                }
            }
            for (slot, ty, value, edge) in values.iter() {
                key[*slot] = ty.convert(*value).ok_or((EvalError::OutOfRange, *edge))?;
                written.push(*slot as u32);
            }
        }
        for (part, m) in self.team.iter().zip(&self.moves) {
            let slot = machine.base(part.pid) + LOCATION as usize;
            let to = part.code(machine).destinations[usize::from(m.destination)].to as i32;
            if key[slot] != to {
                key[slot] = to;
                written.push(slot as u32);
            }
        }
        Ok(())
    }
}

impl Machine {
    /// The probability or rate of a destination, rounded; exactly 0 only if it is 0.
    #[inline]
    pub fn chance(&self, cx: Context<'_>, chance: &ChanceCode) -> Result<f64, EvalError> {
        match chance {
            ChanceCode::Certain(chance) => Ok(*chance),
            ChanceCode::Computed(real) => {
                let exact = real.value(&mut |leaf| self.eval(cx, leaf))?;
                if exact < Number::ZERO { Err(EvalError::NoProbability) } else { Ok(code::rounded(&exact)) }
            }
        }
    }
}
