//! Random models of what the bounds look at: resources that are taken and set free, counters of the goal, variables of one
//! process, durations, prices; and of all that can go wrong with them.

use bughound_ir::builder::{EdgeSpec, LocalLocation, NetworkBuilder, TemplateBuilder};
use bughound_ir::edge::{Action, Sync};
use bughound_ir::expr::{BinaryOp, Expr, Index, Place};
use bughound_ir::network::Network;
use bughound_ir::pricing::{PAID, Pricing, pay};
use bughound_ir::source::Span;
use bughound_ir::types::{ClockConstraint, ClockId, Dim, Relation, SignalKind, ValueType, Variable};
use bughound_kernel::Random;

use super::hidden;

const MACHINES: usize = 2;

/// What all processes share.
struct Shared {
    paid: Place,
    busy: u32,
    done: Place,
    any: Place,
    clock: ClockId,
    signals: Vec<Expr>,
    broadcast: bool,
    /// By process.
    clocks: Vec<ClockId>,
    /// Of each process, if it is global: others can write it, too.
    counters: Vec<Option<Place>>,
    uniform: bool,
    flaw: Flaw,
}

/// What is wrong with all jobs of a model, so that what looks like a resource, a counter or something of one's own is none.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flaw {
    None,
    TakesWithoutLooking,
    TakesTogether,
    NeverTakes,
    SetsFreeWhatOthersHold,
    SetsClocksOfOthers,
    WritesVariablesOfOthers,
    CountsTwice,
    HasAnotherWay,
}

const FLAWS: [Flaw; 12] = [
    Flaw::None,
    Flaw::None,
    Flaw::None,
    Flaw::None,
    Flaw::TakesWithoutLooking,
    Flaw::TakesTogether,
    Flaw::NeverTakes,
    Flaw::SetsFreeWhatOthersHold,
    Flaw::SetsClocksOfOthers,
    Flaw::WritesVariablesOfOthers,
    Flaw::CountsTwice,
    Flaw::HasAnotherWay,
];

impl Shared {
    fn busy(&self, machine: Expr) -> Place {
        let index = Index { value: machine, len: MACHINES as u32, stride: 1 };
        Place { indices: vec![index], ..Place::global(self.busy, ValueType::Bit) }
    }
}

fn binary(op: BinaryOp, left: &Place, right: i32) -> Expr {
    Expr::binary(op, Expr::read(left.clone()), Expr::Const(right))
}

fn set(target: &Place, value: Expr) -> Action {
    Action::Assign { target: target.clone(), value }
}

fn compare(clock: ClockId, relation: Relation, bound: Expr) -> ClockConstraint {
    ClockConstraint { left: clock, minus: None, relation, bound }
}

/// One of these values, by a variable.
fn by(variable: &Place, values: &[i32]) -> Expr {
    let (last, rest) = values.split_last().expect("there are values");
    rest.iter().enumerate().rfold(Expr::Const(*last), |otherwise, (at, value)| {
        let here = binary(BinaryOp::Equal, variable, at as i32);
        Expr::Conditional(Box::new(here), Box::new(Expr::Const(*value)), Box::new(otherwise))
    })
}

struct Maker<'r> {
    random: &'r mut Random,
    shared: Shared,
    number: usize,
    /// The variable of the process.
    own: Place,
    clock: ClockId,
    rate: i32,
}

impl Maker<'_> {
    fn small(&mut self, below: usize) -> i32 {
        self.random.below(below) as i32
    }

    fn rate(&mut self) -> Expr {
        if self.shared.uniform {
            return Expr::Const(self.rate);
        }
        match self.random.below(8) {
            0 => Expr::read(self.shared.any.clone()),
            1 => by(&self.own.clone(), &[2, 0, 3]),
            2 => Expr::Const(0),
            _ => Expr::Const(self.small(4)),
        }
    }

    fn guard(&mut self, edge: EdgeSpec) -> EdgeSpec {
        let (relation, constant) = (*self.random.pick(&RELATIONS), self.random.below(4) as i32);
        match self.random.below(12) {
            0..=3 => edge.clock_guard(compare(self.clock, relation, Expr::Const(constant))),
            4 => edge.clock_guard(compare(self.shared.clock, relation, Expr::Const(constant))),
            5 => edge.clock_guard(compare(self.clock, Relation::GreaterEqual, by(&self.own.clone(), &[1, 3, 0]))),
            6 => edge.guard(binary(BinaryOp::Equal, &self.shared.any, constant % 3)),
            7 => {
                let machine = self.machine();
                edge.guard(Expr::read(self.shared.busy(machine)).equals(Expr::Const(constant % 2)))
            }
            8 | 9 => edge.guard(binary(BinaryOp::Less, &self.own, 1 + constant % 3)),
            10 => edge.guard(binary(BinaryOp::Less, &self.shared.done, 1 + constant)),
            _ => edge.guard(binary(BinaryOp::GreaterEqual, &self.own, constant % 3)),
        }
    }

    fn machine(&mut self) -> Expr {
        if self.random.one_in(3) { by(&self.own.clone(), &[1, 0]) } else { Expr::Const(self.small(MACHINES)) }
    }

    fn update(&mut self, edge: EdgeSpec) -> EdgeSpec {
        let reset = |clock, value| Action::ResetClock { clock, value: Expr::Const(value) };
        let constant = self.small(3);
        let more = |place: &Place, by| set(place, binary(BinaryOp::Add, place, by));
        match self.random.below(14) {
            0..=2 => edge.action(reset(self.clock, if constant == 1 { 1 } else { 0 })),
            3 => edge.action(reset(self.shared.clock, 0)),
            4 => edge.action(pay(self.shared.paid.clone(), Expr::Const(1 + constant))),
            5 if constant == 0 => edge.action(pay(self.shared.paid.clone(), Expr::read(self.shared.any.clone()))),
            5 => edge.action(pay(self.shared.paid.clone(), Expr::read(self.own.clone()))),
            6 => edge.action(set(&self.shared.any, Expr::Const(constant))),
            7 | 8 => {
                let guard = binary(BinaryOp::Less, &self.own, 3);
                edge.guard(guard).action(more(&self.own, 1))
            }
            9 => edge.action(set(&self.own, Expr::Const(constant))),
            10 => edge.action(more(&self.shared.done, 1 + constant / 2)),
            11 => {
                let machine = self.machine();
                edge.action(set(&self.shared.busy(machine), Expr::Const(constant % 2)))
            }
            12 => match self.random.below(6) {
                // What belongs to another process.
                0 => edge.action(reset(*self.random.pick(&self.shared.clocks), constant)),
                1 => match self.random.pick(&self.shared.counters).clone() {
                    Some(counter) => edge.action(set(&counter, Expr::Const(constant))),
                    None => edge,
                },
                2 => edge.action(set(&self.own, Expr::read(self.shared.any.clone()))),
                3 => edge.action(set(&self.shared.done, Expr::Const(constant))),
                _ => edge,
            },
            _ => edge,
        }
    }

    fn sync(&mut self, edge: EdgeSpec) -> EdgeSpec {
        let signal = self.random.below(2);
        let name = self.shared.signals[signal].clone();
        if self.random.one_in(2) {
            return edge.sync(Sync::Emit { signal: name });
        }
        // Who hears a broadcast is settled without clocks.
        if self.shared.broadcast && signal == 1 && !edge.edge.clock_guards.is_empty() {
            return edge;
        }
        edge.sync(Sync::Accept { signal: name })
    }

    fn any_edge(&mut self, places: &[LocalLocation]) -> EdgeSpec {
        let (from, to) = (*self.random.pick(places), *self.random.pick(places));
        self.edge_between(from, to)
    }

    fn edge_between(&mut self, from: LocalLocation, to: LocalLocation) -> EdgeSpec {
        let mut edge = EdgeSpec::new(from, to);
        for _ in 0..self.random.below(3) {
            edge = self.guard(edge);
        }
        for _ in 0..self.random.below(4) {
            edge = self.update(edge);
        }
        if !self.random.one_in(4) {
            return edge;
        }
        if self.random.one_in(2) {
            edge = edge.action(pay(self.shared.paid.clone(), Expr::Const(1 + self.small(3))));
        }
        self.sync(edge)
    }

    fn flags(&mut self, template: &mut TemplateBuilder, place: LocalLocation) {
        let rate = self.rate();
        let most = self.small(4);
        let has_invariant = self.random.one_in(3) && most > 0;
        let invariant = compare(self.clock, Relation::LessEqual, Expr::Const(most));
        let location = template.location_mut(place);
        location.rate = Some(rate);
        if has_invariant {
            location.invariant.push(invariant);
        }
        match self.random.below(12) {
            0 => location.flags.urgent = true,
            1 => location.flags.committed = true,
            _ => {}
        }
    }

    /// Steps on machines, one after the other, and perhaps something else.
    fn job(&mut self, template: &mut TemplateBuilder) -> Vec<LocalLocation> {
        let steps = 1 + self.random.below(3);
        let machines: Vec<i32> = (0..steps).map(|_| self.small(MACHINES)).collect();
        let durations: Vec<i32> = (0..steps).map(|_| self.small(4)).collect();
        let places: Vec<LocalLocation> = ["wait", "run", "end"].map(|name| template.location(name)).to_vec();
        for place in &places {
            template.location_mut(*place).rate = Some(self.rate());
        }
        let own = self.own.clone();
        let machine = self.shared.busy(by(&own, &machines));
        let (clock, duration) = (self.clock, by(&own, &durations));
        if self.random.below(4) > 0 {
            let invariant = compare(clock, Relation::LessEqual, duration.clone());
            template.location_mut(places[1]).invariant.push(invariant);
        }
        let flaw = self.shared.flaw;
        let free = |edge: EdgeSpec| edge.action(set(&machine, Expr::Const(0)));
        let mut take = EdgeSpec::new(places[0], places[1]);
        if flaw != Flaw::TakesWithoutLooking {
            take = take.guard(Expr::read(machine.clone()).equals(Expr::Const(0)));
        }
        if flaw != Flaw::NeverTakes {
            take = take.action(set(&machine, Expr::Const(1)));
        }
        if flaw == Flaw::SetsFreeWhatOthersHold {
            template.edge(free(EdgeSpec::new(places[0], places[0])));
        }
        if !self.random.one_in(8) {
            let value = i32::from(self.random.one_in(4));
            take = take.action(Action::ResetClock { clock, value: Expr::Const(value) });
        }
        if self.random.one_in(3) {
            take = take.action(pay(self.shared.paid.clone(), Expr::Const(self.small(4))));
        }
        if flaw == Flaw::TakesTogether {
            let signal = self.shared.signals[0].clone();
            take = take.sync(if self.number == 0 { Sync::Emit { signal } } else { Sync::Accept { signal } });
        }
        if flaw == Flaw::SetsClocksOfOthers {
            let others: Vec<ClockId> = self.shared.clocks.iter().copied().filter(|other| *other != clock).collect();
            for clock in others {
                take = take.action(Action::ResetClock { clock, value: Expr::Const(3) });
            }
        }
        if flaw == Flaw::WritesVariablesOfOthers {
            let (value, others) = (self.small(3), self.shared.counters.clone());
            for counter in others.into_iter().flatten().filter(|counter| *counter != own) {
                take = take.action(set(&counter, Expr::Const(value)));
            }
        }
        template.edge(take);
        if flaw == Flaw::HasAnotherWay {
            let counted = &self.shared.done;
            let skip = EdgeSpec::new(places[0], places[2]);
            template.edge(skip.action(set(counted, binary(BinaryOp::Add, counted, 1))));
        }
        let last = steps as i32 - 1;
        for (to, op) in [(places[0], BinaryOp::Less), (places[2], BinaryOp::Equal)] {
            let relation = if self.random.one_in(6) { Relation::Greater } else { Relation::GreaterEqual };
            let mut leave = EdgeSpec::new(places[1], to).guard(binary(op, &own, last));
            if relation == Relation::GreaterEqual || template.location_mut(places[1]).invariant.is_empty() {
                leave = leave.clock_guard(compare(clock, relation, duration.clone()));
            }
            if !self.random.one_in(12) {
                leave = free(leave);
            }
            if self.random.one_in(3) {
                leave = leave.action(pay(self.shared.paid.clone(), Expr::Const(self.small(4))));
            }
            let counted = if op == BinaryOp::Less { own.clone() } else { self.shared.done.clone() };
            let twice = flaw == Flaw::CountsTwice && op == BinaryOp::Equal;
            leave = leave.action(set(&counted, binary(BinaryOp::Add, &counted, 1 + i32::from(twice))));
            template.edge(leave);
        }
        if self.random.one_in(3) {
            let edge = self.any_edge(&places);
            template.edge(edge);
        }
        places
    }

    fn anything(&mut self, template: &mut TemplateBuilder) -> Vec<LocalLocation> {
        let count = 2 + self.random.below(3);
        let places: Vec<LocalLocation> = (0..count).map(|at| template.location(format!("l{at}"))).collect();
        for place in &places {
            self.flags(template, *place);
        }
        for pair in places.windows(2) {
            let edge = self.edge_between(pair[0], pair[1]);
            template.edge(edge);
        }
        for _ in 0..self.random.below(5) {
            let edge = self.any_edge(&places);
            template.edge(edge);
        }
        places
    }
}

const RELATIONS: [Relation; 6] = [
    Relation::GreaterEqual,
    Relation::GreaterEqual,
    Relation::Greater,
    Relation::Equal,
    Relation::LessEqual,
    Relation::Less,
];

pub fn random(seed: u64) -> (Network, Expr) {
    let random = &mut Random::new(seed);
    let mut net = NetworkBuilder::new("random");
    let count = 2 + random.below(2);
    let small = ValueType::Range { lo: 0, hi: 3 };
    let busy = net.allocate(MACHINES as u32);
    net.variable(Variable {
        name: "busy".into(),
        ty: ValueType::Bit,
        slot: busy,
        dims: vec![Dim { len: MACHINES as u32, stride: 1, after: 4, first: 0 }],
        hidden: false,
        span: Span::default(),
    });
    let broadcast = random.one_in(2);
    let kinds = [SignalKind::Binary, if broadcast { SignalKind::Broadcast } else { SignalKind::Binary }];
    let shared = Shared {
        paid: hidden(&mut net, "paid", PAID),
        busy,
        done: net.global("done", ValueType::Range { lo: 0, hi: 5 }),
        any: net.global("any", ValueType::Range { lo: 0, hi: 2 }),
        clock: net.clock("shared"),
        signals: kinds.into_iter().map(|kind| net.signal("signal", kind)).collect(),
        broadcast,
        clocks: (0..count).map(|number| net.clock(format!("x{number}"))).collect(),
        counters: (0..count).map(|_| random.one_in(2).then(|| net.global("k", small))).collect(),
        uniform: random.one_in(2),
        flaw: *random.pick(&FLAWS),
    };
    let only_jobs = random.one_in(2);
    let (paid, done, any) = (shared.paid.slot, shared.done.clone(), shared.any.clone());
    let clock = shared.clocks[0];
    let (clocks, globals) = (shared.clocks.clone(), shared.counters.clone());
    let mut maker = Maker { random, shared, number: 0, own: any.clone(), clock, rate: 0 };
    let (mut jobs, mut ends) = (0, Vec::new());
    for number in 0..count {
        let mut template = TemplateBuilder::new(format!("p{number}"));
        maker.number = number;
        maker.own = globals[number].clone().unwrap_or_else(|| template.local("k", small));
        maker.clock = clocks[number];
        maker.rate = maker.small(3);
        let is_job = only_jobs || maker.random.one_in(2);
        let places = if is_job { maker.job(&mut template) } else { maker.anything(&mut template) };
        jobs += i32::from(is_job);
        ends.push(net.next_location(*places.last().expect("there are places")));
        let template = net.template(template, places[0]);
        net.start(template, vec![]);
    }
    net.pricing(Pricing { impulse: paid, remaining: None, heur: None });
    let number = maker.random.below(count);
    let at_end = Expr::At { pid: Box::new(Expr::Const(number as i32)), location: ends[number] };
    let wanted = if maker.random.one_in(4) { jobs + 1 } else { jobs.max(1) };
    let goal = match maker.random.below(8) {
        0 => at_end,
        1 => at_end.and(binary(BinaryOp::Equal, &any, 1)),
        2 => at_end.and(binary(BinaryOp::GreaterEqual, &done, wanted)),
        3 => Expr::Const(wanted).equals(Expr::read(done.clone())),
        4 => binary(BinaryOp::Greater, &done, wanted - 1),
        5 => {
            let late = compare(clocks[number], Relation::GreaterEqual, Expr::Const(2));
            binary(BinaryOp::Equal, &done, wanted).and(Expr::Clock(Box::new(late)))
        }
        _ => binary(BinaryOp::Equal, &done, wanted),
    };
    (net.finish().unwrap(), goal)
}
