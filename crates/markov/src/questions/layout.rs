//! From the states of a model to the variables of equations and back.

use dashu_ratio::RBig;

use crate::answer::{Answer, Extreme, Scheduler, Values, Work};
use crate::effort::{Effort, Failure};
use crate::graph::{EndComponents, Predecessors, attractor};
use crate::model::{Kind, Model, Rewards};
use crate::numbers::{Extended, Interval};
use crate::solve::{Equations, Known, NO_CHOICE, Role, Solved, solve};
use crate::states::StateSet;

/// Which states are variables; members of one end component share one.
pub(crate) struct Layout {
    role: Vec<Role>,
    start: Vec<u32>,
    members: Vec<u32>,
}

impl Layout {
    /// Known states have the index that `known` gives them.
    pub fn new(
        model: &Model,
        unknown: &StateSet,
        ends: Option<&EndComponents>,
        known: impl Fn(usize) -> u32,
    ) -> Layout {
        let mut role = vec![Role::Known(u32::MAX); model.states()];
        let (mut start, mut members) = (vec![0u32], Vec::with_capacity(unknown.count()));
        for state in 0..model.states() {
            if !unknown.contains(state) {
                role[state] = Role::Known(known(state));
                continue;
            }
            if role[state] != Role::Known(u32::MAX) {
                continue;
            }
            let variable = Role::Variable(start.len() as u32 - 1);
            let own = [state as u32];
            let group = match ends.and_then(|ends| ends.of(state).map(|component| ends.members(component))) {
                Some(group) => group,
                None => &own,
            };
            group.iter().for_each(|&member| role[member as usize] = variable);
            members.extend_from_slice(group);
            start.push(members.len() as u32);
        }
        Layout { role, start, members }
    }

    pub fn variables(&self) -> usize {
        self.start.len() - 1
    }

    pub fn members(&self, variable: usize) -> &[u32] {
        &self.members[self.start[variable] as usize..self.start[variable + 1] as usize]
    }

    pub fn role(&self, state: usize) -> Role {
        self.role[state]
    }
}

/// What the equations are about.
pub(crate) struct Task<'a> {
    pub model: &'a Model,
    pub extreme: Extreme,
    pub layout: Layout,
    /// Variables that are end components; choices inside them are no rows.
    pub ends: Option<&'a EndComponents>,
    pub rewards: Option<&'a Rewards>,
    pub known: Known,
    /// Known values at which a variable may end at will.
    pub may_end: Vec<(u32, u32)>,
}

impl Task<'_> {
    /// Equations with the choices that `allowed` lets pass.
    fn equations(&self, allowed: impl Fn(usize) -> bool) -> Equations<'_> {
        let variables = self.layout.variables();
        let mut equations = Equations::new(self.model, self.extreme, self.known.clone());
        let mut endings = self.may_end.iter().peekable();
        for variable in 0..variables {
            for &state in self.layout.members(variable) {
                let state = state as usize;
                for choice in self.model.choices_of(state) {
                    if self.ends.is_some_and(|ends| ends.is_inner(choice)) || !allowed(choice) {
                        continue;
                    }
                    let reward = self.rewards.map(|rewards| (rewards, state));
                    equations.add_choice(self.model, choice, variables, reward, |target| self.layout.role(target));
                }
            }
            while let Some((_, known)) = endings.next_if(|(at, _)| *at as usize == variable) {
                equations.add_end(variables, *known, self.rewards.is_some());
            }
            equations.end_variable();
        }
        equations
    }

    /// Solves for every state. `infinite` states have no value of their own; `chosen` are choices that are clear already.
    pub fn answer(
        &self,
        allowed: impl Fn(usize) -> bool,
        infinite: Option<&StateSet>,
        scheduler: Option<Scheduler>,
        effort: &Effort,
    ) -> Result<Answer, Failure> {
        let equations = self.equations(allowed);
        let mut work = Work::default();
        let solved = solve(&equations, effort, &mut work)?;
        let scheduler = scheduler.map(|scheduler| self.schedule(scheduler, &equations, solved.rows()));
        let is_infinite = |state: usize| infinite.is_some_and(|set| set.contains(state));
        let states = 0..self.model.states();
        let mut answer = match solved {
            Solved::Exact(solution) => {
                let known = self.known.exact.as_deref().unwrap_or(&[]);
                Answer::exact(
                    states
                        .map(|state| match self.layout.role(state) {
                            _ if is_infinite(state) => Extended::Infinite,
                            Role::Variable(variable) => Extended::Finite(solution.values[variable as usize].clone()),
                            Role::Known(index) => Extended::Finite(known[index as usize].clone()),
                        })
                        .collect(),
                )
            }
            Solved::Between(solution) => {
                let values = states.map(|state| match self.layout.role(state) {
                    _ if is_infinite(state) => Interval::INFINITE,
                    Role::Variable(variable) => solution.values[variable as usize],
                    Role::Known(index) => self.known.around[index as usize],
                });
                Answer::between(values.collect(), effort.relative, effort.absolute)
            }
        };
        answer.work = work;
        answer.scheduler = scheduler;
        Ok(answer)
    }

    /// Puts the rows that were chosen into the scheduler. Inside an end component the way to its exit is chosen.
    fn schedule(&self, mut scheduler: Scheduler, equations: &Equations, rows: &[u32]) -> Scheduler {
        let model = self.model;
        let mut exits = StateSet::none(model.states());
        for (variable, &row) in rows.iter().enumerate() {
            let choice = equations.choices[row as usize];
            let members = self.layout.members(variable);
            if choice == NO_CHOICE {
                continue;
            }
            for &member in members {
                let choices = model.choices_of(member as usize);
                if choices.contains(&(choice as usize)) {
                    scheduler.choices[member as usize] = choice - choices.start as u32;
                    exits.insert(member as usize);
                }
            }
        }
        if let Some(ends) = self.ends {
            let back = Predecessors::new(model);
            let barred = StateSet::from_fn(model.choices(), |choice| !ends.is_inner(choice));
            let inside = StateSet::from_fn(model.states(), |state| ends.of(state).is_some());
            attractor(&back, &inside, &exits, &barred, |state, choice| {
                scheduler.choices[state] = choice - model.choices_of(state).start as u32;
            });
            // Who may end inside a component stays there.
            for (variable, &row) in rows.iter().enumerate() {
                if equations.choices[row as usize] != NO_CHOICE {
                    continue;
                }
                for &member in self.layout.members(variable) {
                    let mut choices = model.choices_of(member as usize);
                    let first = choices.start;
                    if let Some(choice) = choices.find(|&choice| ends.is_inner(choice)) {
                        scheduler.choices[member as usize] = (choice - first) as u32;
                    }
                }
            }
        }
        scheduler
    }
}

/// A scheduler that has not chosen yet, where there is something to choose.
pub(crate) fn open_scheduler(model: &Model) -> Option<Scheduler> {
    (model.kind() == Kind::Mdp).then(|| Scheduler { choices: vec![Scheduler::ANY; model.states()] })
}

/// Refuses sets that are about another number of states.
pub(crate) fn fits(model: &Model, sets: &[&StateSet]) -> Result<(), Failure> {
    if sets.iter().any(|set| set.len() != model.states()) {
        return Err(Failure::Refused(format!(
            "a set of states is not about the {} states of the model",
            model.states()
        )));
    }
    Ok(())
}

/// The reward structure, or why not.
pub(crate) fn structure(model: &Model, id: crate::RewardId) -> Result<&Rewards, Failure> {
    model.reward(id).ok_or_else(|| Failure::Refused(format!("the model has no reward structure {}", id.0)))
}

/// Values of a vector, exact.
pub(crate) fn finite(values: Vec<RBig>) -> Values {
    Values::Exact(values.into_iter().map(Extended::Finite).collect())
}
