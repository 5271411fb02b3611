//! From a part in which a bound is violated to the counterexample that is shown, confirmed by the reference evaluator.

use std::collections::HashMap;

use bughound_ir::chance::Number;
use bughound_ir::edge::{Edge, EdgeId};
use bughound_ir::network::Network;
use bughound_ir::reference::{Reference, from_key, to_key};
use bughound_kernel::Move;
use bughound_markov::directed::{
    Beyond, Decision, Likelihood, Part, Path, Paths, Proof, Subsystem, Threshold, Wanted, Ways, When, list, subsystem,
};
use bughound_markov::{Effort, Extreme, Scheduler, StateSet, hypoexponential};

use super::counterexample::{Counterexample, ShownCommand, ShownEdge, ShownPath, ShownState, Shows};
use super::explicit::{NotBuilt, named_values};
use super::on_the_fly::OnTheFly;
use super::reachability::Reachability;
use super::value::ChanceAnswer;

/// Paths that are written out, and paths whose mass is added up.
const PATHS: usize = 10;
const CURVE: usize = 1_000;
/// Products of longer paths are not computed exactly: their fractions would be longer than the paths.
const EXACT_STEPS: usize = 200;
/// States in which a goal is avoided for ever, beside those that it takes to get there. More of them are not shown.
const BEYOND: usize = 40;

/// Why there is a verdict without a counterexample.
const STEP_SCHEDULER: &str = "no counterexample is shown: within a bound on steps, what a scheduler does depends on the steps \
                              that are left";
const SELDOM_IN_TIME: &str = "no counterexample is shown: that something happens too seldom within a bound is no matter of few \
                              states";
const NOT_ALONE: &str =
    "no counterexample is shown: the bound is passed by so little that no scheduler for it was found";

const EXISTENTIAL: &str =
    "no counterexample is shown: that some scheduler keeps the bound is refuted by all of them, not by one";

/// What a counterexample is made from.
pub struct Showing<'a> {
    pub network: &'a Network,
    pub asked: &'a Reachability,
    pub threshold: &'a Threshold,
    pub part: &'a Part,
}

/// A counterexample to a bound that is violated in an initial state; or why there is none.
pub fn counterexample(
    showing: &Showing<'_>,
    space: &mut OnTheFly<'_, '_>,
    from: u32,
    decision: &Decision,
    proof: Option<Proof<'_>>,
    effort: &Effort<'_>,
) -> Result<Result<Counterexample, &'static str>, NotBuilt> {
    let Showing { asked, threshold, part, .. } = *showing;
    let when = &asked.objective.when;
    let shows = if threshold.is_upper { Shows::Goals } else { Shows::Avoids };
    if shows == Shows::Avoids && *when != When::Ever {
        return Ok(Err(SELDOM_IN_TIME));
    }
    let bounds = decision.bounds();
    let scheduler = match shows {
        Shows::Goals => &bounds.lower.scheduler,
        Shows::Avoids => &bounds.upper.scheduler,
    };
    let is_mdp = part.kind() == bughound_markov::Kind::Mdp;
    let is_about_all = asked.objective.extreme == if threshold.is_upper { Extreme::Max } else { Extreme::Min };
    if is_mdp && !is_about_all {
        return Ok(Err(EXISTENTIAL));
    }
    if is_mdp && scheduler.is_none() {
        return Ok(Err(STEP_SCHEDULER));
    }
    let chosen = |state: usize| scheduler.as_ref().and_then(|s: &Scheduler| s.choice(state)).unwrap_or(0);
    let (ways, bound) = match shows {
        Shows::Goals => (Ways::to_goals(part).chosen(&chosen), threshold.bound.clone()),
        Shows::Avoids => (Ways::to_hopeless(part, &chosen), Number::ONE - &threshold.bound),
    };
    let beyond = Beyond { bound: bound.clone(), or_equal: threshold.is_strict };
    let Some(found) = subsystem(part, from, &ways, when, &beyond, proof, effort)? else {
        return Ok(Err(NOT_ALONE));
    };
    let inside = StateSet::from_states(part.len(), found.states().map(|at| found.chain.states[at] as usize));
    let ways = ways.within(&inside);
    let wanted = Wanted { count: CURVE, shown: if *when == When::Ever { PATHS } else { CURVE } };
    let paths = list::<NotBuilt>(part, &ways, from, wanted, Likelihood::ZERO, &mut || match (effort.stop)() {
        true => Err(bughound_markov::Failure::Stopped.into()),
        false => Ok(()),
    })?;
    let paths = within_steps(paths, when);
    let mut filling = Filling::new(showing, &found, is_mdp);
    filling.steps(space)?;
    if is_mdp && shows == Shows::Avoids {
        filling.beyond(space, &ways)?;
    }
    Ok(Ok(filling.finished(space, shows, bound, &paths)))
}

/// Within a bound on steps, longer paths do not count.
fn within_steps(mut paths: Paths, when: &When) -> Paths {
    if let When::Steps(most) = when {
        paths.paths.retain(|path| path.edges.len() as u64 <= *most);
        paths.likelihoods = paths.paths.iter().map(|path| path.likelihood).collect();
    }
    paths.paths.truncate(PATHS);
    paths
}

/// A counterexample that is being written.
struct Filling<'a> {
    showing: &'a Showing<'a>,
    found: &'a Subsystem,
    is_mdp: bool,
    /// States of the chain in the order in which they are shown.
    order: Vec<usize>,
    /// By state of the chain: its place in that order.
    place: HashMap<usize, usize>,
    edges: Vec<ShownEdge>,
    /// By step of the part.
    edge_of: HashMap<(u32, u32), usize>,
    commands: Vec<(EdgeId, f64)>,
    choices: Vec<Option<String>>,
    /// States of the part beyond the ends of paths, behind all others.
    beyond: Vec<u32>,
}

/// Steps of one state by one choice, as they are in the part, with the places where they lead.
struct Leaving {
    state: usize,
    choice: usize,
    /// How often it is expected to be left.
    visits: f64,
    to: Vec<(usize, bughound_markov::directed::Edge)>,
}

impl<'a> Filling<'a> {
    fn new(showing: &'a Showing<'a>, found: &'a Subsystem, is_mdp: bool) -> Filling<'a> {
        let mut order: Vec<usize> = found.states().collect();
        // The start comes first, then as they were found.
        order.sort_by_key(|&at| (at != 0, found.chain.states[at]));
        let place = order.iter().enumerate().map(|(place, &at)| (at, place)).collect();
        let choices = vec![None; order.len()];
        Filling {
            showing,
            found,
            is_mdp,
            order,
            place,
            edges: Vec::new(),
            edge_of: HashMap::new(),
            commands: Vec::new(),
            choices,
            beyond: Vec::new(),
        }
    }

    /// All steps inside, with the commands that they come from.
    fn steps(&mut self, space: &mut OnTheFly<'_, '_>) -> Result<(), NotBuilt> {
        let part = self.showing.part;
        let chain = &self.found.chain;
        let flow = chain.flow(&self.found.within);
        for place in 0..self.order.len() {
            let at = self.order[place];
            let (state, choice) = (chain.states[at] as usize, chain.choices[at] as usize);
            if chain.is_goal[at] {
                // Where the goal is avoided, that takes decisions, too.
                if self.is_mdp && !part.choices_known(state).is_empty() {
                    let all = space.moves(state)?;
                    self.choices[place] =
                        all.iter().find(|step| step.0 == choice).map(|step| self.commands_of(&step.2));
                }
                continue;
            }
            let inside = chain.edges(at).filter(|(to, _)| self.found.within[*to]);
            let to = inside.map(|(to, edge)| (self.place[&to], edge)).collect();
            self.leave(space, place, &Leaving { state, choice, visits: flow.visits[at], to })?;
        }
        Ok(())
    }

    /// Where paths end because the scheduler keeps away from the goal: all states that it stays in, and what it does there.
    fn beyond(&mut self, space: &mut OnTheFly<'_, '_>, ways: &Ways<'_>) -> Result<(), NotBuilt> {
        let part = self.showing.part;
        let chain = &self.found.chain;
        let ends = self.order.iter().enumerate().filter(|(_, at)| chain.is_goal[**at]);
        let mut work: Vec<(usize, u32)> = ends.map(|(place, &at)| (place, chain.states[at])).collect();
        let mut places: HashMap<u32, usize> =
            self.order.iter().enumerate().map(|(place, &at)| (chain.states[at], place)).collect();
        let mut leaving: Vec<(usize, Leaving)> = Vec::new();
        while let Some((place, state)) = work.pop() {
            let (state, choice) = (state as usize, ways.choice(state as usize));
            let mut to = Vec::new();
            for edge in part.edges_by(state, choice) {
                let new = places.len();
                let place = *places.entry(edge.to).or_insert(new);
                if place == new {
                    self.beyond.push(edge.to);
                    work.push((place, edge.to));
                }
                to.push((place, edge));
            }
            if self.beyond.len() > BEYOND {
                self.beyond.clear();
                return Ok(());
            }
            if !to.is_empty() {
                leaving.push((place, Leaving { state, choice, visits: 0.0, to }));
            }
        }
        self.choices.resize(self.order.len() + self.beyond.len(), None);
        leaving.sort_by_key(|(place, _)| *place);
        leaving.iter().try_for_each(|(place, leaving)| self.leave(space, *place, leaving))
    }

    /// The steps of one state. The reference evaluator has to agree about each of them.
    fn leave(&mut self, space: &mut OnTheFly<'_, '_>, place: usize, leaving: &Leaving) -> Result<(), NotBuilt> {
        let part = self.showing.part;
        let &Leaving { state, choice, visits, ref to } = leaving;
        let all = space.moves(state)?;
        let key = space.key(state).to_vec();
        let confirmed = self.confirmed(space, &key, &all)?;
        let total = |of: &dyn Fn(usize) -> bool| {
            let chances = all.iter().zip(&confirmed).filter(|(step, _)| of(step.0));
            chances.fold(Number::ZERO, |sum, (_, chance)| sum + chance)
        };
        let total = if self.is_mdp { total(&|number| number == choice) } else { total(&|_| true) };
        if self.is_mdp {
            let step = all.iter().find(|step| step.0 == choice);
            self.choices[place] = step.map(|step| self.commands_of(&step.2));
        }
        for (target, edge) in to {
            let is_it =
                |step: &(usize, usize, Vec<Move>)| step.1 == edge.to as usize && (!self.is_mdp || step.0 == choice);
            let steps: Vec<(&[Move], &Number)> = all
                .iter()
                .zip(&confirmed)
                .filter(|(step, _)| is_it(step))
                .map(|(step, chance)| (&step.2[..], chance))
                .collect();
            // In a state without a step, nothing happens.
            if all.is_empty() {
                continue;
            }
            let sum = steps.iter().fold(Number::ZERO, |sum, (_, chance)| sum + *chance);
            let exact = part.exact(edge);
            if total.is_zero() || &sum / &total != exact {
                return Err(NotBuilt::Unconfirmed(format!(
                    "a step of the counterexample has probability {exact}, but the evaluator says {sum} of {total}"
                )));
            }
            let share = visits * edge.probability;
            let mut commands = Vec::new();
            for (moves, chance) in &steps {
                let part_of = share * (*chance / &sum).to_f64().value();
                for made in *moves {
                    let command = self.command(EdgeId(made.edge), part_of);
                    if !commands.contains(&command) {
                        commands.push(command);
                    }
                }
            }
            self.edge_of.insert((edge.from, edge.entry), self.edges.len());
            self.edges.push(ShownEdge {
                from: place,
                to: *target,
                probability: edge.probability,
                exact,
                rate: part.rate(edge),
                flow: share,
                commands,
            });
        }
        Ok(())
    }

    /// The chances of these steps according to the reference evaluator, which also has to find the same states.
    fn confirmed(
        &self,
        space: &mut OnTheFly<'_, '_>,
        key: &[i32],
        steps: &[(usize, usize, Vec<Move>)],
    ) -> Result<Vec<Number>, NotBuilt> {
        let network = self.showing.network;
        let reference = Reference::discrete(network);
        let state = from_key(network, key);
        let mut chances = Vec::with_capacity(steps.len());
        for (_, target, moves) in steps {
            let unconfirmed = |why: String| NotBuilt::Unconfirmed(format!("a step of the counterexample: {why}"));
            let step = reference.apply(&state, moves).map_err(|error| unconfirmed(error.to_string()))?;
            let after = step.result.map_err(|failure| unconfirmed(failure.message))?;
            if to_key(network, &after) != space.key(*target) {
                return Err(unconfirmed("the evaluator comes to another state".into()));
            }
            chances.push(reference.chance(&state, moves).map_err(|error| unconfirmed(error.to_string()))?);
        }
        Ok(chances)
    }

    fn command(&mut self, edge: EdgeId, flow: f64) -> usize {
        let known = self.commands.iter().position(|(known, _)| *known == edge);
        let at = known.unwrap_or_else(|| {
            self.commands.push((edge, 0.0));
            self.commands.len() - 1
        });
        self.commands[at].1 += flow;
        at
    }

    /// What is chosen: the commands of a step, with their lines.
    fn commands_of(&self, moves: &[Move]) -> String {
        let network = self.showing.network;
        let texts = moves.iter().map(|made| {
            let edge = &network.edges[made.edge as usize];
            match network.sources.line(edge.span) {
                0 => edge.text.clone(),
                line => format!("{} (line {line})", edge.text),
            }
        });
        texts.collect::<Vec<_>>().join(" with ")
    }

    fn finished(mut self, space: &mut OnTheFly<'_, '_>, shows: Shows, bound: Number, paths: &Paths) -> Counterexample {
        let network = self.showing.network;
        let flow = self.found.chain.flow(&self.found.within);
        let mut choices = std::mem::take(&mut self.choices).into_iter();
        let mut states: Vec<ShownState> = Vec::new();
        for &at in &self.order {
            states.push(ShownState {
                values: named_values(network, space.key(self.found.chain.states[at] as usize)),
                is_end: self.found.chain.is_goal[at],
                is_beyond: false,
                visits: flow.visits[at],
                chance: flow.chance[at],
                choice: choices.next().flatten(),
            });
        }
        for &state in &self.beyond {
            states.push(ShownState {
                values: named_values(network, space.key(state as usize)),
                is_end: false,
                is_beyond: true,
                visits: 0.0,
                chance: 0.0,
                choice: choices.next().flatten(),
            });
        }
        let mut sum = 0.0;
        let mass: Vec<f64> = paths
            .likelihoods
            .iter()
            .map(|likelihood| {
                sum += likelihood.value();
                sum
            })
            .collect();
        let shown = paths.paths.iter().zip(&mass).map(|(path, cumulated)| self.path(path, *cumulated)).collect();
        // The commands that most flows through come first.
        let mut ranks: Vec<usize> = (0..self.commands.len()).collect();
        ranks.sort_by(|&a, &b| self.commands[b].1.total_cmp(&self.commands[a].1).then(a.cmp(&b)));
        let mut rank_of = vec![0; ranks.len()];
        ranks.iter().enumerate().for_each(|(rank, &command)| rank_of[command] = rank);
        for edge in &mut self.edges {
            edge.commands.iter_mut().for_each(|command| *command = rank_of[*command]);
        }
        let commands = ranks.iter().map(|&at| shown_command(network, self.commands[at].0, self.commands[at].1));
        Counterexample {
            shows,
            bound,
            probability: ChanceAnswer::of(&self.found.answer.values, 0),
            exact: self.found.answer.values.exact(0).and_then(|exact| exact.finite()).cloned(),
            states,
            commands: commands.collect(),
            edges: self.edges,
            paths: shown,
            mass,
            commands_of_model: commands_of(network),
            at_least: self.found.at_least,
        }
    }

    fn path(&self, path: &Path, cumulated: f64) -> ShownPath {
        let part = self.showing.part;
        let in_time = match &self.showing.asked.objective.when {
            When::Time(time) => {
                let rates: Vec<f64> =
                    path.edges.iter().map(|edge| part.exit_rate(edge.from as usize).to_f64().value()).collect();
                hypoexponential(&rates, time.to_f64().value()).map(|share| path.likelihood.value() * share)
            }
            _ => None,
        };
        ShownPath {
            exact: (path.edges.len() <= EXACT_STEPS).then(|| path.exact(part)),
            probability: path.likelihood.value(),
            cumulated,
            edges: path.edges.iter().filter_map(|edge| self.edge_of.get(&(edge.from, edge.entry)).copied()).collect(),
            in_time,
        }
    }
}

/// Commands of the model, without those that only choose where it begins.
fn commands_of(network: &Network) -> usize {
    let is_first = |edge: &&Edge| network.location(edge.from).flags.committed;
    network.edges.iter().filter(|edge| !edge.text.is_empty() && !is_first(edge)).count()
}

fn shown_command(network: &Network, id: EdgeId, flow: f64) -> ShownCommand {
    let edge = network.edge(id);
    let module = network.template(network.location(edge.from).template).name.clone();
    let line = network.sources.line(edge.span);
    ShownCommand { module, text: edge.text.clone(), line: (line > 0).then_some(line), flow }
}
