//! Ways to choose a pattern.

use std::collections::HashMap;

use bughound_finite::cost::{Cost, INFINITE};
use bughound_finite::ground::Operator;
use bughound_finite::relation::Relation;
use bughound_finite::task::Task;
use bughound_ir::network::Network;
use bughound_ir::types::{ClockId, Relation as Comparison};
use bughound_kernel::{Ration, Unwatched, Watch};

use super::database::Database;
use super::execution::Execution;
use super::pattern::{Part, Pattern};
use super::projection::Projection;
use super::relaxed::relaxed_plan;
use super::space::{Budget, Space, Zones};

/// Variables with more values are not looked at one value after the other.
const MOST_VALUES: usize = 32;

/// When time is up, a pattern may still have so many states.
const LAST_RESORT: usize = 5_000;

/// Relaxed plans that have to do with more operators altogether take too long.
const MOST_OPERATORS_OF_PLANS: usize = 20_000_000;

/// For every state of a probe, so many units of work may go into relaxed plans that tell what a pattern can do without, and
/// into counterexamples.
const PLANS_PER_STATE: usize = 10;
const COUNTEREXAMPLES_PER_STATE: usize = 40;

/// Operators that can be looked at in about a microsecond.
const OPERATORS_OF_A_UNIT: usize = 8;

/// What patterns are chosen for.
#[derive(Clone, Copy)]
pub struct Chooser<'a> {
    pub network: &'a Network,
    pub task: &'a Task,
    /// A search for the distance in an abstraction gives up at so many states.
    pub probe: usize,
    pub watch: &'a dyn Watch,
}

impl<'a> Chooser<'a> {
    fn budget(self, states: usize) -> Budget<'a> {
        Budget { states, watch: self.watch }
    }

    pub fn everything(self) -> Pattern {
        Pattern::everything(self.task, self.network.clocks.len())
    }

    fn distance(self, pattern: &Pattern) -> Option<Cost> {
        self.looks_at_operators();
        let mut projection = Projection::new(self.network, self.task, pattern);
        let path = Space::cheapest_path(&mut projection, self.task, pattern, self.budget(self.probe)).ok()?;
        Some(path.map_or(INFINITE, |path| path.cost))
    }

    pub(super) fn relaxed(self, pattern: &Pattern) -> Cost {
        let mut kept = vec![false; self.task.variables.len()];
        pattern.variables.iter().for_each(|variable| kept[*variable] = true);
        relaxed_plan(self.task, &|variable| kept[variable], self.watch).cost
    }

    /// Downward pattern refinement with clocks (Kupferschmid, Wehrle 2011): everything but what seems to make no
    /// difference. The search for the true distance is limited by states, not by seconds. Where the paper would take a
    /// pattern that is too large for such a search, counterexamples choose a part of it.
    pub fn downward(self) -> Pattern {
        let safe = self.without_safe();
        let useful = self.without_arbitrary(safe.clone());
        let mut tried = None;
        let steps: [&dyn Fn() -> Pattern; 3] =
            [&|| safe.clone(), &|| useful.clone(), &|| self.relatively_accurate(&useful)];
        for step in steps {
            let pattern = step();
            if tried.as_ref() != Some(&pattern) {
                if let Some(distance) = self.distance(&pattern) {
                    return self.without_clocks(pattern, distance);
                }
                tried = Some(pattern);
            }
        }
        self.by_counterexamples(useful)
    }

    /// Everything without what makes no difference.
    pub fn useful(self) -> Pattern {
        self.without_arbitrary(self.without_safe())
    }

    fn without_arbitrary(self, pattern: Pattern) -> Pattern {
        self.without_such(pattern, |variable, pattern| self.is_arbitrary(variable, pattern))
    }

    /// Everything without simple clocks and safe variables: errors can be reached if they can be reached without those.
    fn without_safe(self) -> Pattern {
        let mut pattern = self.everything();
        pattern.clocks.retain(|clock| !self.is_simple(*clock));
        self.without_such(pattern, |variable, pattern| self.is_safe(variable, pattern))
    }

    /// The database of an abstraction without errors, if there is a small one: proof that the model has none.
    pub fn proof(self) -> Option<Database> {
        let database =
            Database::new(self.network, self.task, self.without_safe(), Zones::Largest, self.budget(self.probe))
                .ok()?;
        (database.initial() == INFINITE).then_some(database)
    }

    /// Without variables that make no difference for relaxed plans, as far as that is found out soon.
    fn relatively_accurate(self, pattern: &Pattern) -> Pattern {
        let ration = Ration::new(self.watch, (self.probe * PLANS_PER_STATE) as u64);
        let this = Chooser { watch: &ration, ..self };
        let wanted = this.relaxed(pattern);
        let mut rest = pattern.clone();
        // Many at once, as long as that goes well: most do not matter.
        let mut open: Vec<&[usize]> = vec![&pattern.variables];
        while let Some(some) = open.pop() {
            let mut smaller = rest.clone();
            smaller.variables.retain(|variable| some.binary_search(variable).is_err());
            let cost = this.relaxed(&smaller);
            if !ration.go_on(1, 0) {
                return rest;
            }
            if cost == wanted {
                rest = smaller;
            } else if some.len() > 1 {
                let (first, second) = some.split_at(some.len() / 2);
                open.extend([second, first]);
            }
        }
        rest
    }

    /// What paths of the abstraction need to be paths of the task, as far as the abstraction stays small: starts with
    /// nothing, and adds what the cheapest path of the abstraction breaks first (Rovner, Sievers, Helmert 2019). Only parts
    /// of `useful` are added; what makes the abstraction too large is no longer one.
    pub fn by_counterexamples(self, mut useful: Pattern) -> Pattern {
        let mut pattern = Pattern::default();
        let mut execution = Execution::new(self.network, self.task);
        let ration = Ration::new(self.watch, (self.probe * COUNTEREXAMPLES_PER_STATE) as u64);
        let this = Chooser { watch: &ration, ..self };
        loop {
            this.looks_at_operators();
            let mut projection = Projection::new(self.network, self.task, &pattern);
            let path = Space::cheapest_path(&mut projection, self.task, &pattern, this.budget(self.probe));
            let Ok(Some(path)) = path else { return pattern };
            let Some(flaw) = execution.first_flaw(&pattern, &useful, &projection, &path) else { return pattern };
            let larger = pattern.with(flaw);
            match this.distance(&larger) {
                Some(_) => pattern = larger,
                None => useful = useful.without(flaw),
            }
        }
    }

    fn without_clocks(self, mut pattern: Pattern, distance: Cost) -> Pattern {
        for clock in pattern.clocks.clone() {
            let smaller = pattern.without_clock(clock);
            if self.distance(&smaller) == Some(distance) {
                pattern = smaller;
            }
        }
        pattern
    }

    /// A clock that is only waited for: compared with lower bounds alone, in no invariant, while nothing else is bounded
    /// from above by as little.
    pub(super) fn is_simple(self, clock: ClockId) -> bool {
        let guards = || self.network.edges.iter().flat_map(|edge| &edge.clock_guards);
        let invariants = || self.network.locations.iter().flat_map(|location| &location.invariant);
        let mine = |constraint: &&bughound_ir::types::ClockConstraint| {
            constraint.left == clock || constraint.minus == Some(clock)
        };
        let mut largest = 0;
        for constraint in guards().filter(mine) {
            match (constraint.relation, constraint.minus, constraint.bound.as_const()) {
                (Comparison::Greater, None, Some(bound)) => largest = largest.max(bound),
                _ => return false,
            }
        }
        let bounds_above = |constraint: &bughound_ir::types::ClockConstraint| {
            let above = matches!(constraint.relation, Comparison::Less | Comparison::LessEqual | Comparison::Equal);
            above && constraint.bound.as_const().is_none_or(|bound| bound <= largest)
        };
        !invariants().any(|constraint| mine(&constraint)) && !guards().chain(invariants()).any(bounds_above)
    }

    /// Without variables of some kind. Once one is gone, others may be of that kind, too.
    pub(super) fn without_such(self, mut pattern: Pattern, such: impl Fn(usize, &Pattern) -> bool) -> Pattern {
        loop {
            let before = pattern.clone();
            for variable in &before.variables {
                if such(*variable, &pattern) {
                    pattern = pattern.without_variable(*variable);
                }
            }
            if pattern == before {
                return pattern;
            }
        }
    }

    /// Is there time to look at all operators?
    fn looks_at_operators(self) -> bool {
        self.watch.go_on((1 + self.task.operators.len() / OPERATORS_OF_A_UNIT) as u64, 0)
    }

    /// Does whatever changes it give any of its values, as far as those that are kept can tell?
    fn is_arbitrary(self, variable: usize, pattern: &Pattern) -> bool {
        let size = self.task.variables[variable].size as usize;
        if size > MOST_VALUES || !self.looks_at_operators() {
            return false;
        }
        let mut values = vec![false; size];
        self.task.initial.iter().for_each(|initial| values[initial[variable] as usize] = true);
        let mut groups: HashMap<Vec<(u32, Relation)>, Vec<bool>> = HashMap::new();
        for operator in self.task.operators.iter() {
            let others =
                operator.relations.iter().filter(|(v, _)| *v as usize != variable && pattern.keeps(*v as usize));
            let own = operator.relations.iter().find(|(v, _)| *v as usize == variable);
            let Some((_, own)) = own.filter(|(_, own)| !own.only_tests()) else { continue };
            let group = groups.entry(others.cloned().collect()).or_insert_with(|| vec![false; size]);
            for value in own.iter().flat_map(|(_, after)| after) {
                (group[*value as usize], values[*value as usize]) = (true, true);
            }
        }
        groups.values().all(|group| *group == values)
    }

    /// Can it be set to whatever others need, at any time, by moves of its own (Wehrle, Helmert 2009)? So it is if operators
    /// that concern nothing else lead from every value to every value that others ask for.
    pub(super) fn is_safe(self, variable: usize, pattern: &Pattern) -> bool {
        let concerns = |operator: &Operator| {
            let kept = operator.relations.iter().filter(|(other, _)| pattern.keeps(*other as usize));
            let mut own = None;
            let mut others = 0;
            for (other, relation) in kept {
                if *other as usize == variable { own = Some(relation.clone()) } else { others += 1 }
            }
            own.map(|own| (own, others > 0))
        };
        let alone = |operator: &Operator| {
            let mut kept = operator.relations.iter().filter(|(other, _)| pattern.keeps(*other as usize));
            kept.next().is_some_and(|(first, _)| *first as usize == variable) && kept.next().is_none()
        };
        let size = self.task.variables[variable].size as usize;
        if size > MOST_VALUES || !self.looks_at_operators() || !self.task.operators.iter().any(alone) {
            return false;
        }
        let (mut moves, mut needed, mut values) = (vec![Vec::new(); size], vec![false; size], vec![false; size]);
        self.task.initial.iter().for_each(|initial| values[initial[variable] as usize] = true);
        for (operator, is_error) in
            self.task.operators.iter().map(|o| (o, false)).chain(self.task.errors.iter().map(|o| (o, true)))
        {
            let Some((relation, joint)) = concerns(operator) else { continue };
            let timed = operator.sets_clocks(self.network)
                || operator.edges().any(|edge| !self.network.edge(edge).clock_guards.is_empty());
            let more = values.contains(&false);
            for (before, after) in relation.iter() {
                needed[before as usize] |= joint || is_error;
                if more {
                    after.iter().for_each(|value| values[*value as usize] = true);
                }
                if !joint && !is_error && !timed {
                    moves[before as usize].extend_from_slice(after);
                }
            }
        }
        let reached = |from: usize, moves: &[Vec<u32>]| {
            let (mut seen, mut open) = (vec![false; size], vec![from]);
            while let Some(value) = open.pop() {
                if !std::mem::replace(&mut seen[value], true) {
                    open.extend(moves[value].iter().map(|next| *next as usize).filter(|next| !seen[*next]));
                }
            }
            seen
        };
        // From every value to one that is needed, and from that to all others.
        let Some(one) = (0..size).find(|value| needed[*value] && values[*value]) else { return true };
        let mut backwards = vec![Vec::new(); size];
        for (before, after) in moves.iter().enumerate() {
            after.iter().for_each(|value| backwards[*value as usize].push(before as u32));
        }
        let (to_one, from_one) = (reached(one, &backwards), reached(one, &moves));
        (0..size).all(|value| !values[value] || to_one[value] && (!needed[value] || from_one[value]))
    }

    /// The database of a pattern, or of what is left of it when it is too large: then only the largest zones are kept, then
    /// clocks go, then the variables that relaxed plans miss least, one, two, four and so on. None if time is up and there
    /// is no small one.
    pub fn database(self, mut pattern: Pattern, most: usize) -> Option<Database> {
        let (mut order, mut dropped) = (None, 1);
        let chosen = pattern.clone();
        loop {
            let timed = !pattern.clocks.is_empty();
            for zones in if timed { &[Zones::All, Zones::Largest][..] } else { &[Zones::All] } {
                if let Ok(database) = Database::new(self.network, self.task, pattern.clone(), *zones, self.budget(most))
                {
                    return Some(database);
                }
            }
            if !self.looks_at_operators() {
                return self.last_resort(chosen);
            }
            if pattern.clocks.pop().is_some() {
                continue;
            }
            let order = order.get_or_insert_with(|| self.by_worth(&pattern));
            for _ in 0..dropped {
                if let Some(variable) = order.pop() {
                    pattern = pattern.without_variable(variable);
                }
            }
            dropped *= 2;
        }
    }

    /// A small database, made in no time.
    fn last_resort(self, chosen: Pattern) -> Option<Database> {
        let budget = Budget { states: LAST_RESORT, watch: &Unwatched };
        let fits = |pattern| Database::new(self.network, self.task, pattern, Zones::Largest, budget).ok();
        [chosen, self.cone(0)].into_iter().find_map(fits)
    }

    /// The variables of a pattern, those last that relaxed plans miss least.
    pub(super) fn by_worth(self, pattern: &Pattern) -> Vec<usize> {
        let mut variables = pattern.variables.clone();
        let affordable = variables.len() * self.task.operators.len() <= MOST_OPERATORS_OF_PLANS;
        variables.sort_by_cached_key(|variable| {
            let worth = if affordable { self.relaxed(&pattern.without_variable(*variable)) } else { 0 };
            (worth, self.task.variables[*variable].size)
        });
        variables
    }

    /// Variables that errors depend on through at most so many others (Qian, Nymeyer 2004); clocks that operators on them
    /// are about.
    pub fn cone(self, depth: usize) -> Pattern {
        let mut pattern = Pattern::default();
        let errors = self.task.errors.iter().flat_map(|error| &error.relations);
        let mut next: Vec<usize> = errors.map(|(variable, _)| *variable as usize).collect();
        for _ in 0..=depth {
            for variable in std::mem::take(&mut next) {
                pattern = pattern.with(Part::Variable(variable));
            }
            for operator in self.task.operators.iter() {
                let moves = |(v, relation): &(u32, Relation)| pattern.keeps(*v as usize) && !relation.only_tests();
                if operator.relations.iter().any(moves) {
                    next.extend(operator.relations.iter().map(|(variable, _)| *variable as usize));
                }
            }
        }
        pattern
    }

    /// What the relaxed plan from the initial state is about (Kupferschmid, Hoffmann, Larsen 2008: Russian doll).
    pub fn russian_doll(self) -> Pattern {
        let plan = relaxed_plan(self.task, &|_| true, self.watch);
        let error = plan.error.map(|error| &self.task.errors[error]);
        let operators = plan.operators.iter().map(|operator| &self.task.operators[*operator]).chain(error);
        let mut pattern = Pattern::default();
        for operator in operators {
            pattern.variables.extend(operator.relations.iter().map(|(variable, _)| *variable as usize));
            for edge in operator.edges() {
                let edge = self.network.edge(edge);
                let locations = std::iter::once(edge.from).chain(edge.destinations.iter().map(|to| to.to));
                let invariants = locations.flat_map(|location| &self.network.location(location).invariant);
                pattern.clocks.extend(edge.clock_guards.iter().chain(invariants).map(|constraint| constraint.left));
            }
        }
        pattern.variables.sort_unstable();
        pattern.variables.dedup();
        pattern.clocks.sort_unstable();
        pattern.clocks.dedup();
        pattern
    }
}
