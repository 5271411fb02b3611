//! Small priced automata as plain data: the oracle walks them as they are, the engine gets a network.

use bughound_ir::builder::{EdgeSpec, LocalLocation, NetworkBuilder, TemplateBuilder};
use bughound_ir::edge::{Action, Sync};
use bughound_ir::expr::Expr;
use bughound_ir::network::Network;
use bughound_ir::pricing::{PAID, Pricing, pay};
use bughound_ir::types::{ClockConstraint, ClockId, Relation, SignalKind};
use bughound_kernel::Random;

pub const CLOCKS: usize = 2;
/// The largest constant that a clock is compared with, or set to.
pub const LARGEST: i32 = 3;
pub const SIGNALS: usize = 2;

/// `clock ⋈ constant`
#[derive(Clone, Copy, Debug)]
pub struct Comparison {
    pub clock: usize,
    pub relation: Relation,
    pub constant: i32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Ordinary,
    Urgent,
    Committed,
}

#[derive(Clone, Debug)]
pub struct Place {
    pub kind: Kind,
    pub rate: i32,
    pub invariant: Vec<Comparison>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    Alone,
    Emits(usize),
    Accepts(usize),
}

#[derive(Clone, Debug)]
pub struct Passage {
    pub from: usize,
    pub to: usize,
    pub way: Way,
    pub guards: Vec<Comparison>,
    pub impulse: i32,
    /// Clock and value.
    pub resets: Vec<(usize, i32)>,
}

#[derive(Clone, Debug, Default)]
pub struct Process {
    pub places: Vec<Place>,
    pub passages: Vec<Passage>,
}

/// The first place of each process is where it starts. The goal: the first process is at its last place, and this holds.
#[derive(Clone, Debug)]
pub struct Model {
    pub processes: Vec<Process>,
    /// The second signal.
    pub broadcast: bool,
    /// The first signal.
    pub urgent: bool,
    pub goal: Vec<Comparison>,
}

fn comparison(random: &mut Random, relations: &[Relation]) -> Comparison {
    let relation = *random.pick(relations);
    Comparison { clock: random.below(CLOCKS), relation, constant: random.below(LARGEST as usize + 1) as i32 }
}

impl Model {
    /// `strict`: bounds may be strict. `uniform`: time costs the same everywhere.
    pub fn random(seed: u64, strict: bool, uniform: bool) -> Model {
        let random = &mut Random::new(seed);
        let closed = [Relation::LessEqual, Relation::GreaterEqual, Relation::GreaterEqual, Relation::Equal];
        let open = [Relation::Less, Relation::Greater, Relation::Greater, Relation::LessEqual, Relation::GreaterEqual];
        let relations: &[Relation] = if strict { &open } else { &closed };
        let above: &[Relation] = if strict { &[Relation::Less, Relation::LessEqual] } else { &[Relation::LessEqual] };
        // An urgent signal is possible whatever the clocks say: with guards on its edges, none may be urgent.
        let urgent = random.one_in(4);
        let mut processes = Vec::new();
        for _ in 0..2 {
            let rate = random.below(3) as i32;
            let mut process = Process::default();
            for at in 0..2 + random.below(3) {
                let kind = match random.below(10) {
                    0 if at > 0 => Kind::Urgent,
                    1 if at > 0 => Kind::Committed,
                    _ => Kind::Ordinary,
                };
                let invariant = (0..random.below(3)).map(|_| comparison(random, above));
                let invariant = invariant.filter(|c| c.constant > 0).collect();
                process.places.push(Place {
                    kind,
                    rate: if uniform { rate } else { random.below(4) as i32 },
                    invariant,
                });
            }
            let places = process.places.len();
            for _ in 0..places + random.below(4) {
                let way = match random.below(6) {
                    0 => Way::Emits(random.below(SIGNALS)),
                    1 => Way::Accepts(random.below(SIGNALS)),
                    _ => Way::Alone,
                };
                let signal = match way {
                    Way::Alone => None,
                    Way::Emits(signal) | Way::Accepts(signal) => Some(signal),
                };
                // Who hears a broadcast is settled without clocks, and so is what is urgent.
                let untimed = signal == Some(1) && way != Way::Emits(1) || urgent && signal == Some(0);
                let guards = if untimed { 0 } else { random.below(3) };
                process.passages.push(Passage {
                    from: random.below(places),
                    to: random.below(places),
                    way,
                    guards: (0..guards).map(|_| comparison(random, relations)).collect(),
                    impulse: if random.one_in(2) { random.below(5) as i32 } else { 0 },
                    resets: (0..random.below(3))
                        .map(|_| (random.below(CLOCKS), if random.one_in(5) { 1 } else { 0 }))
                        .collect(),
                });
            }
            processes.push(process);
        }
        let goal = (0..random.below(3)).map(|_| comparison(random, relations)).collect();
        Model { processes, broadcast: random.one_in(2), urgent, goal }
    }

    pub fn network(&self) -> (Network, Expr) {
        let mut net = NetworkBuilder::new("random");
        let clocks: Vec<ClockId> = (0..CLOCKS).map(|clock| net.clock(format!("x{clock}"))).collect();
        let paid = net.global("paid", PAID);
        let kinds = [SignalKind::Binary, if self.broadcast { SignalKind::Broadcast } else { SignalKind::Binary }];
        let signals: Vec<Expr> = kinds.into_iter().map(|kind| net.signal("signal", kind)).collect();
        if self.urgent {
            net.make_urgent(0);
        }
        let constraint = |c: &Comparison| ClockConstraint {
            left: clocks[c.clock],
            minus: None,
            relation: c.relation,
            bound: Expr::Const(c.constant),
        };
        let mut goal_place = None;
        for (number, process) in self.processes.iter().enumerate() {
            let mut template = TemplateBuilder::new(format!("p{number}"));
            let places: Vec<LocalLocation> =
                (0..process.places.len()).map(|at| template.location(format!("l{at}"))).collect();
            for (place, at) in process.places.iter().zip(&places) {
                let location = template.location_mut(*at);
                location.flags.urgent = place.kind == Kind::Urgent;
                location.flags.committed = place.kind == Kind::Committed;
                location.invariant = place.invariant.iter().map(constraint).collect();
                location.rate = Some(Expr::Const(place.rate));
            }
            for passage in &process.passages {
                let mut edge = EdgeSpec::new(places[passage.from], places[passage.to]);
                edge = match passage.way {
                    Way::Alone => edge,
                    Way::Emits(signal) => edge.sync(Sync::Emit { signal: signals[signal].clone() }),
                    Way::Accepts(signal) => edge.sync(Sync::Accept { signal: signals[signal].clone() }),
                };
                edge = passage.guards.iter().map(constraint).fold(edge, EdgeSpec::clock_guard);
                if passage.impulse > 0 {
                    edge = edge.action(pay(paid.clone(), Expr::Const(passage.impulse)));
                }
                for (clock, value) in &passage.resets {
                    edge = edge.action(Action::ResetClock { clock: clocks[*clock], value: Expr::Const(*value) });
                }
                template.edge(edge);
            }
            goal_place = goal_place.or_else(|| places.last().map(|last| net.next_location(*last)));
            let template = net.template(template, places[0]);
            net.start(template, vec![]);
        }
        net.pricing(Pricing { impulse: paid.slot, remaining: None, heur: None });
        let at_goal = Expr::At { pid: Box::new(Expr::Const(0)), location: goal_place.expect("there is a place") };
        let clock_test = |c: &Comparison| Expr::Clock(Box::new(constraint(c)));
        let goal = self.goal.iter().map(clock_test).fold(at_goal, Expr::and);
        (net.finish().unwrap(), goal)
    }
}

impl Model {
    /// Does time cost the same wherever it may pass?
    pub fn is_uniform(&self) -> bool {
        self.processes.iter().all(|process| {
            let lasting = process.places.iter().filter(|place| place.kind == Kind::Ordinary);
            let mut rates: Vec<i32> = lasting.map(|place| place.rate).collect();
            rates.dedup();
            rates.len() <= 1
        })
    }
}
