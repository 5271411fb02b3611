//! **Least cost to come.** A lower bound of what a model with prices has still to pay before its goal holds, made from what
//! each process must do on its own.
//!
//! Every process is looked at by itself ([`projection`]): its locations and the variables that only it writes; the rest has
//! any value. On the way to where the goal can hold, as far as this process can tell, it must stay in its locations for
//! some time, as lower bounds of its clocks demand. A goal such as `done == 6` counts what all processes add: where they
//! can add no more than is missing, each must add all that it can ([`counting`]). From this follow
//!
//! - the time that is left, at least: that of the slowest process; or that of a resource which one process at a time can
//!   hold ([`resources`]): the processes must still hold it for so long, one after the other, after they have come to it
//!   (heads) and before they are done (tails). Who waits for a resource waits until its holder sets it free;
//! - what is left to pay: for each process what its stays and impulses cost, or its least rate for the time that is left
//!   for all, with what it pays above; summed over the processes, because rates and impulses of processes add up.
//!
//! All of it holds for every point of the zone of a state. The points differ in cost: where prices are uniform, waiting in a
//! zone is time that counts, so stays are measured from its earliest point; otherwise what is paid for the present stay is
//! a function of the clocks, and is minimised over the zone together with the cost ([`minimum`]).
//!
//! Papers: Carlier, Pinson, "An algorithm for solving the job-shop problem", 1989 (bounds by single machines); Behrmann,
//! Fehnker, Hune, Larsen, Pettersson, Romijn, Vaandrager, "Efficient guiding towards cost-optimality in UPPAAL", 2001
//! (remaining times of jobs as bounds).
//!
//! Claims: admissible.
//!
//! Cost: building explores each process alone; a state costs a look-up for each process and, for each resource, time that
//! grows with the square of the processes that need it.
//!
//! Fails where processes depend on each other by more than resources and counters: what is not understood counts as 0.
//!
//! Example: `astar(h=least-cost)`.

mod counting;
mod goal;
mod graph;
mod minimum;
mod ownership;
mod process;
mod projection;
mod resources;

use std::sync::Arc;

use bughound_ir::analysis::constants::Constants;
use bughound_ir::analysis::instances;
use bughound_ir::network::Network;
use bughound_kernel::registry::BuildError;
use bughound_kernel::{Estimate, Heuristic, HeuristicClaims, Situation, TransitionSystem};
use bughound_semantics::timed::priced::{Costs, Function, Sight};

use crate::context::BuildCx;
use crate::registry::Entry;
use counting::Tight;
use goal::Goal;
use graph::{Exit, Graph, INFINITE, LocalState, LowerBound, plus, times};
use ownership::Ownership;
use process::Process;
use projection::{Projection, Trouble};
use resources::{MOST_RESOURCES, Resource, Use, one_machine};

pub(super) const ENTRY: Entry = Entry {
    name: "least-cost",
    summary: "a lower bound of the cost to come: stays and prices of single processes, loads of resources",
    cite: "Carlier, Pinson 1989",
    params: &[],
    claims: "admissible",
    build: |cx, _| {
        if cx.system.network().pricing.is_none() {
            return Err(BuildError::new("`least-cost` needs a model with prices", 0..0));
        }
        Ok(Box::new(LeastCost::new(Bounds::new(cx).unwrap_or_default())))
    },
};

/// What was found out about the model.
#[derive(Default)]
struct Bounds {
    clocks: usize,
    processes: Vec<Process>,
    tight: Vec<Tight>,
    resources: usize,
}

impl Bounds {
    /// Nothing if the model is not understood.
    fn new(cx: &BuildCx<'_, '_>) -> Option<Bounds> {
        let network = cx.system.network();
        let goal = Goal::new(cx.targets)?;
        let processes = instances(network);
        if network.stochastic.is_some() || network.start.len() != processes.len() {
            return None;
        }
        let mut initial = Vec::new();
        cx.system.explorer().initial(&mut |state| initial.push(state.key.to_vec()));
        let [initial] = &initial[..] else { return None };
        let constants = Constants::new(network);
        let ownership = Ownership::new(network, &processes, &constants)?;
        let shared = ownership.shared_slots(network);
        let mut counters = goal.counters(&constants.outside());
        counters.retain(|counter| shared.contains(&counter.slot));
        let mut resources = candidates(network, &shared, initial);
        resources.retain(|resource| counters.iter().all(|counter| counter.slot != resource.slot));
        resources.truncate(MOST_RESOURCES);
        let mut graphs = 'again: loop {
            let mut graphs = Vec::new();
            for instance in &processes {
                let projection = Projection {
                    network,
                    instance: *instance,
                    ownership: &ownership,
                    goal: &goal,
                    counters: &counters,
                    resources: &resources,
                    slots: ownership.own_slots(network, instance.pid),
                    watch: cx.watch,
                };
                match explore(projection, &constants, initial) {
                    Ok(graph) => graphs.push(graph),
                    Err(Trouble::NoCounter(counter)) => {
                        counters.remove(counter);
                        continue 'again;
                    }
                    Err(Trouble::NoResource(resource)) => {
                        resources.remove(resource);
                        continue 'again;
                    }
                    Err(_) => return None,
                }
            }
            break graphs;
        };
        let tight = counting::tighten(&mut graphs, &counters, initial);
        let clocks = network.clocks.len();
        let processes = graphs.into_iter().map(Process::new).collect();
        Some(Bounds { clocks, processes, tight, resources: resources.len() })
    }
}

/// Global variables that may be resources: several processes write them.
fn candidates(network: &Network, shared: &[u32], initial: &[i32]) -> Vec<Resource> {
    let elements = network
        .variables
        .iter()
        .flat_map(|variable| variable.elements().into_iter().map(move |(slot, _)| (slot, variable.ty)));
    let shared = elements.filter(|(slot, _)| shared.contains(slot));
    shared.filter_map(|(slot, ty)| Resource::new(slot, ty, initial[slot as usize])).collect()
}

/// Explores a process with as many of its variables as can be followed.
fn explore(mut projection: Projection<'_>, constants: &Constants, initial: &[i32]) -> Result<Graph, Trouble> {
    let known = constants.of(projection.instance);
    loop {
        match projection.explore(&known, initial) {
            Err(Trouble::Unknown(slot)) => projection.slots.retain(|other| *other != slot),
            Err(Trouble::TooLarge) if !projection.slots.is_empty() => {
                projection.slots.pop();
            }
            result => return result,
        }
    }
}

struct LeastCost {
    bounds: Arc<Bounds>,
    work: Work,
}

/// Working memory of an estimate.
#[derive(Default)]
struct Work {
    values: Vec<i32>,
    /// By process: its local state.
    states: Vec<Option<usize>>,
    /// By resource: how long it is held at least from now on.
    held: Vec<u64>,
    /// By resource: what is to be done with it.
    uses: Vec<Vec<Use>>,
    /// By process: what it has to do.
    left: Vec<Left>,
    /// By clock.
    factors: Vec<i64>,
}

/// What a process has to do from a state on.
#[derive(Clone, Copy, Default)]
struct Left {
    cost: u64,
    excess: u64,
    /// What the present stay costs, as a function: so much, less the rate times a clock.
    function: Option<(i128, i64, usize)>,
}

impl LeastCost {
    fn new(bounds: impl Into<Arc<Bounds>>) -> LeastCost {
        let bounds = bounds.into();
        let work = Work {
            states: vec![None; bounds.processes.len()],
            held: vec![0; bounds.resources],
            uses: vec![Vec::with_capacity(bounds.processes.len()); bounds.resources],
            left: vec![Left::default(); bounds.processes.len()],
            factors: vec![0; bounds.clocks + 1],
            values: Vec::new(),
        };
        LeastCost { bounds, work }
    }
}

/// How long an exit must still be waited for.
fn wait(sight: &Sight<'_>, exit: &Exit) -> u64 {
    let (zone, costs) = (sight.zone(), sight.costs());
    let left = |bound: &LowerBound| {
        let highest = || zone.bound(bound.clock, 0).constant().map(i64::from);
        let most = match costs {
            Costs::Uniform(lateness) => lateness.ahead(bound.clock).or_else(highest),
            Costs::General(_) => highest(),
        };
        most.map_or(0, |most| bound.constant - most)
    };
    exit.waits_for.iter().map(left).max().unwrap_or(0).max(0) as u64
}

impl Work {
    /// How long each resource is held from now on by who has it.
    fn find_holders(&mut self, bounds: &Bounds, sight: &Sight<'_>) {
        self.held.fill(0);
        for (process, state) in bounds.processes.iter().zip(&self.states) {
            let Some(state) = state.map(|state| &process.graph.states[state]) else { continue };
            for (column, resource) in process.used.iter().enumerate() {
                if state.holds >> resource & 1 == 1 && !state.at_goal {
                    let free = state.exits.iter().map(|exit| plus(wait(sight, exit), process.release(exit.to, column)));
                    self.held[*resource] = free.min().unwrap_or(INFINITE);
                }
            }
        }
    }

    /// How long an exit must still be waited for, with the resources that it needs.
    fn wait(&self, sight: &Sight<'_>, exit: &Exit) -> u64 {
        let taken = self.held.iter().enumerate().filter(|(resource, _)| exit.takes >> resource & 1 == 1);
        taken.map(|(_, held)| *held).fold(wait(sight, exit), u64::max)
    }

    /// Looks at one process; its time.
    fn look_at(&mut self, number: usize, process: &Process, state: &LocalState, sight: &Sight<'_>) -> u64 {
        if state.at_goal {
            self.left[number] = Left::default();
            return 0;
        }
        let rate = state.rate.unwrap_or(0);
        let above = rate.saturating_sub(process.least_rate);
        let (mut time, mut cost, mut excess) = (INFINITE, INFINITE, INFINITE);
        for exit in &state.exits {
            let wait = self.wait(sight, exit);
            let price = |rate: u64, rest: u64| plus(plus(times(rate, wait), exit.impulse), rest);
            time = time.min(plus(wait, process.time[exit.to]));
            cost = cost.min(price(rate, process.cost[exit.to]));
            excess = excess.min(price(above, process.excess[exit.to]));
        }
        self.left[number] = Left { cost, excess, function: function(process, state, rate) };
        for (column, resource) in process.used.iter().enumerate() {
            let mut left = Use { head: INFINITE, load: INFINITE, tail: INFINITE };
            let holds = state.holds >> resource & 1 == 1;
            for exit in &state.exits {
                let (wait, then) = (self.wait(sight, exit), process.use_of(exit.to, column));
                let takes = exit.takes >> resource & 1 == 1;
                left.head = left.head.min(if holds { 0 } else { plus(wait, if takes { 0 } else { then.head }) });
                left.load = left.load.min(plus(if holds { wait } else { 0 }, then.load));
                let sets_free =
                    holds && process.graph.states[process.graph.nodes[exit.to].state].holds >> resource & 1 == 0;
                left.tail = left.tail.min(if sets_free { process.tail_from(exit.to, column) } else { then.tail });
            }
            if left.load > 0 && left.load < INFINITE && left.head < INFINITE && left.tail < INFINITE {
                self.uses[*resource].push(left);
            }
        }
        time
    }
}

/// What a stay costs whose end one clock decides.
fn function(process: &Process, state: &LocalState, rate: u64) -> Option<(i128, i64, usize)> {
    let clock = state.exits.first()?.waits_for.first()?.clock;
    let rate = i64::try_from(rate).ok().filter(|rate| *rate > 0)?;
    let mut least: Option<i128> = None;
    for exit in &state.exits {
        let constant = exit.waits_for.iter().filter(|bound| bound.clock == clock).map(|bound| bound.constant).max()?;
        let all = i128::from(rate) * i128::from(constant) + i128::from(plus(exit.impulse, process.cost[exit.to]));
        least = Some(least.map_or(all, |least| least.min(all)));
    }
    Some((least?, rate, clock))
}

impl LeastCost {
    /// The cost to come, as far as it does not depend on the point of the zone; nothing at a dead end.
    fn at_every_point(&mut self, key: &[i32], sight: &Sight<'_>) -> Option<u64> {
        let (bounds, work) = (&self.bounds, &mut self.work);
        for (number, process) in bounds.processes.iter().enumerate() {
            work.states[number] = process.state(key, &mut work.values);
        }
        if bounds.tight.iter().any(|tight| tight.is_out_of_reach(key, &work.states)) {
            return None;
        }
        work.find_holders(bounds, sight);
        work.uses.iter_mut().for_each(Vec::clear);
        let mut time = 0;
        for (number, process) in bounds.processes.iter().enumerate() {
            match work.states[number] {
                Some(state) => time = work.look_at(number, process, &process.graph.states[state], sight).max(time),
                None => work.left[number] = Left::default(),
            }
        }
        for uses in &mut work.uses {
            time = time.max(one_machine(uses));
        }
        if time >= INFINITE {
            return None;
        }
        let mut sum = 0;
        for (number, process) in bounds.processes.iter().enumerate() {
            let Some(state) = work.states[number] else { continue };
            let left = &mut work.left[number];
            let by_time = plus(left.excess, times(process.least_rate, time));
            left.cost = left.cost.max(by_time).max(times(process.rates[state], time));
            sum = plus(sum, left.cost);
        }
        Some(sum)
    }

    /// The same where the cost of the present stays is a function of the clocks, as the cost so far is.
    fn by_function(&mut self, sight: &Sight<'_>, function: Function<'_>) -> i128 {
        let (zone, work) = (sight.zone(), &mut self.work);
        let lowest = |clock: usize| -zone.bound(0, clock).constant().map_or(0, i128::from);
        let mut sum = i128::from(function.corner_above_least());
        for clock in 1..work.factors.len() {
            work.factors[clock] = function.coefficient(clock);
            sum -= i128::from(work.factors[clock]) * lowest(clock);
        }
        for left in &work.left {
            // Of use if it says more than what holds at every point, somewhere.
            let function = left
                .function
                .filter(|(most, rate, clock)| most - i128::from(*rate) * lowest(*clock) > i128::from(left.cost));
            match function {
                Some((most, rate, clock)) => {
                    sum += most;
                    work.factors[clock] = work.factors[clock].saturating_sub(rate);
                }
                None => sum += i128::from(left.cost),
            }
        }
        minimum::lower_bound(zone, &mut work.factors).map_or(0, |least| sum + least)
    }
}

impl Heuristic for LeastCost {
    fn claims(&self) -> HeuristicClaims {
        HeuristicClaims::ADMISSIBLE
    }

    fn is_about_prices(&self) -> bool {
        true
    }

    fn estimate(&mut self, at: Situation<'_>) -> Estimate {
        let Some(sight) = Sight::new(at.state.cover, self.bounds.clocks) else { return Estimate::ZERO };
        let Some(sum) = self.at_every_point(at.state.key, &sight) else { return Estimate::DeadEnd };
        let by_function = match sight.costs() {
            Costs::Uniform(_) => 0,
            Costs::General(function) => self.by_function(&sight, function),
        };
        Estimate::Finite(sum.max(u64::try_from(by_function).unwrap_or(0)))
    }

    fn fork(&self) -> Option<Box<dyn Heuristic + '_>> {
        Some(Box::new(LeastCost::new(Arc::clone(&self.bounds))))
    }

    fn memory(&self) -> u64 {
        self.bounds.processes.iter().map(Process::memory).sum()
    }
}
