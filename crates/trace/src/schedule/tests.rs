//! Schedules whose costs are known by thinking.

use bughound_ir::builder::{EdgeSpec, LocalLocation, NetworkBuilder, TemplateBuilder};
use bughound_ir::edge::Sync;
use bughound_ir::expr::{BinaryOp, Expr, Place};
use bughound_ir::network::Network;
use bughound_ir::pricing::{PAID, Pricing, pay};
use bughound_ir::types::{ClockConstraint, ClockId, Relation, SignalKind, ValueType};

use super::*;
use crate::claim::Claim;
use crate::replay::replay_timed;
use crate::testing::moves;
use crate::timing::Times;

/// A model under construction, with a variable, a signal and a clock.
struct Model {
    net: NetworkBuilder,
    paid: Place,
    v: Place,
    signal: Expr,
    clock: ClockId,
}

impl Model {
    fn new() -> Model {
        let mut net = NetworkBuilder::new("test");
        net.name_processes();
        let (paid, v) = (net.global("paid", PAID), net.global("v", ValueType::Int));
        let (signal, clock) = (net.signal("go", SignalKind::Binary), net.clock("x"));
        Model { net, paid, v, signal, clock }
    }

    /// An edge with this text that pays.
    fn edge(&self, text: &str, from: LocalLocation, to: LocalLocation, amount: i32) -> EdgeSpec {
        EdgeSpec::new(from, to).text(text).action(pay(self.paid.clone(), Expr::Const(amount)))
    }

    fn process(&mut self, template: TemplateBuilder, initial: LocalLocation) {
        let template = self.net.template(template, initial);
        self.net.start(template, vec![]);
    }

    /// A process that stays where it is, at this rate.
    fn idle(&mut self, name: &str, location: &str, rate: Expr) {
        let mut template = TemplateBuilder::new(name);
        let at = template.location(location);
        template.location_mut(at).rate = Some(rate);
        self.process(template, at);
    }

    fn finish(mut self) -> Network {
        self.net.pricing(Pricing { impulse: self.paid.slot, remaining: None, heur: None });
        self.net.finish().unwrap()
    }
}

/// The locations of a template with these rates.
fn locations<const N: usize>(template: &mut TemplateBuilder, all: [(&str, i32); N]) -> [LocalLocation; N] {
    all.map(|(name, rate)| {
        let at = template.location(name);
        template.location_mut(at).rate = Some(Expr::Const(rate));
        at
    })
}

fn r(numerator: i128, denominator: i128) -> Rational {
    Rational::new(numerator, denominator).unwrap()
}

/// Steps by process, statement and time in sixths; the end, too.
fn view(network: &Network, steps: &[(u16, &str, i128)], end: i128) -> Result<ScheduleView, ScheduleError> {
    let names: Vec<(u16, &str)> = steps.iter().map(|(process, text, _)| (*process, *text)).collect();
    let times: Vec<i128> = steps.iter().map(|(_, _, time)| *time).collect();
    let times = Times::over(6, &times, Some(end)).unwrap();
    let never = Expr::truth(false);
    let claim = Claim::Condition { condition: &never, expected: true };
    let trace = replay_timed(network, &moves(network, &names), &times, &claim).unwrap();
    ScheduleView::of(network, &trace)
}

/// The stays in short, and the cost; the costs of the stays must add up to it.
fn short(schedule: &ScheduleView) -> (Vec<String>, Rational) {
    let stays = schedule.stays.iter().map(|stay| {
        let (from, to, over_time, at_once) = (stay.from, stay.to, stay.over_time, stay.at_once);
        format!("{}.{} {from}-{to}: {over_time}+{at_once}", stay.process, stay.location)
    });
    let costs = schedule.stays.iter().map(|stay| stay.cost().unwrap());
    assert_eq!(costs.fold(Rational::ZERO, |sum, cost| sum.plus(cost).unwrap()), schedule.cost);
    (stays.collect(), schedule.cost)
}

#[test]
fn rates_add_up_over_fractions_of_time() {
    let mut model = Model::new();
    let mut p = TemplateBuilder::new("P");
    let [a, b] = locations(&mut p, [("A", 3), ("B", 1)]);
    p.edge(EdgeSpec::new(a, b).text("go on"));
    model.process(p, a);
    model.idle("Q", "On", Expr::Const(2));
    let network = model.finish();
    // 7/3 of time at 3, then 1/2 at 1; all the time 2 more.
    let (stays, cost) = short(&view(&network, &[(0, "go on", 14)], 17).unwrap());
    assert_eq!(stays, ["P.A 0-7/3: 7+0", "Q.On 0-17/6: 17/3+0", "P.B 7/3-17/6: 1/2+0"]);
    assert_eq!(cost, r(79, 6));
}

#[test]
fn who_pays_in_a_synchronisation_is_known() {
    let mut model = Model::new();
    let mut p = TemplateBuilder::new("P");
    let [a, b] = locations(&mut p, [("A", 1), ("B", 0)]);
    p.edge(model.edge("go!", a, b, 10).sync(Sync::Emit { signal: model.signal.clone() }));
    model.process(p, a);
    let mut q = TemplateBuilder::new("Q");
    let [c, d] = locations(&mut q, [("C", 0), ("D", 4)]);
    let twice = model.edge("go?", c, d, 5).action(pay(model.paid.clone(), Expr::Const(2)));
    q.edge(twice.sync(Sync::Accept { signal: model.signal.clone() }));
    model.process(q, c);
    let network = model.finish();
    let (stays, cost) = short(&view(&network, &[(0, "go!", 12)], 18).unwrap());
    assert_eq!(stays, ["P.A 0-2: 2+0", "Q.C 0-2: 0+0", "P.B 2-3: 0+10", "Q.D 2-3: 4+7"]);
    assert_eq!(cost, r(23, 1));
}

#[test]
fn stays_that_take_no_time_are_left_out_but_not_what_they_cost() {
    let mut model = Model::new();
    let mut p = TemplateBuilder::new("P");
    let [a, c, d, e] = locations(&mut p, [("A", 1), ("C", 50), ("D", 1), ("E", 0)]);
    p.location_mut(c).flags.committed = true;
    p.edge(model.edge("to c", a, c, 4));
    p.edge(model.edge("to d", c, d, 2));
    p.edge(model.edge("again", d, d, 3));
    p.edge(model.edge("to e", d, e, 7));
    model.process(p, a);
    let network = model.finish();
    let steps = [(0, "to c", 6), (0, "to d", 6), (0, "again", 9), (0, "to e", 12)];
    let (stays, cost) = short(&view(&network, &steps, 12).unwrap());
    assert_eq!(stays, ["P.A 0-1: 1+0", "P.D 1-2: 1+9", "P.E 2-2: 0+7"]);
    assert_eq!(cost, r(18, 1));
    // Where nothing is paid at the end, nothing is listed.
    let (stays, _) = short(&view(&network, &steps[..2], 6).unwrap());
    assert_eq!(stays, ["P.A 0-1: 1+0", "P.D 1-1: 0+6"]);
    // Without any time, one can still see where everybody is.
    let (stays, cost) = short(&view(&network, &[], 0).unwrap());
    assert_eq!((stays, cost), (vec!["P.A 0-0: 0+0".into()], Rational::ZERO));
}

#[test]
fn what_is_paid_in_a_chain_of_steps_is_counted_once() {
    let mut model = Model::new();
    let mut p = TemplateBuilder::new("P");
    let [a, b, c] = locations(&mut p, [("A", 1), ("B", 1), ("C", 1)]);
    p.edge(model.edge("first", a, b, 4).keeps_control());
    p.edge(model.edge("second", b, c, 5));
    model.process(p, a);
    let network = model.finish();
    let (stays, cost) = short(&view(&network, &[(0, "first", 6), (0, "second", 6)], 12).unwrap());
    assert_eq!(stays, ["P.A 0-1: 1+0", "P.C 1-2: 1+9"]);
    assert_eq!(cost, r(11, 1));
}

#[test]
fn a_rate_may_change_while_a_process_stays() {
    let mut model = Model::new();
    let mut p = TemplateBuilder::new("P");
    let a = p.location("A");
    let more = Expr::binary(BinaryOp::Add, Expr::read(model.v.clone()), Expr::Const(3));
    p.edge(EdgeSpec::new(a, a).text("more").assign(model.v.clone(), more));
    model.process(p, a);
    let rate = Expr::read(model.v.clone());
    model.idle("Q", "On", rate);
    let network = model.finish();
    let (stays, cost) = short(&view(&network, &[(0, "more", 6), (0, "more", 9)], 12).unwrap());
    assert_eq!(stays, ["P.A 0-2: 0+0", "Q.On 0-2: 9/2+0"]);
    assert_eq!(cost, r(9, 2));
}

#[test]
fn what_has_no_cost_is_said() {
    let mut model = Model::new();
    model.idle("P", "A", Expr::Const(-1));
    let network = model.finish();
    let error = view(&network, &[], 6).unwrap_err();
    assert_eq!(error.to_string(), "the cost of P in A is not known: a cost per unit of time below 0");
    // No time passes: nothing is to be paid.
    assert_eq!(view(&network, &[], 0).unwrap().cost, Rational::ZERO);
    let mut untimed = crate::testing::trace(
        &crate::testing::network("active proctype P() { assert(false) }"),
        crate::testing::Wanted::Failure,
    );
    assert_eq!(ScheduleView::of(&network, &untimed), Err(ScheduleError::Untimed));
    untimed.timing = Some(crate::timing::Timing { clocks: vec![], steps: vec![], end: moment(i128::MAX) });
    untimed.moves.clear();
    let mut model = Model::new();
    model.idle("P", "A", Expr::Const(3));
    assert_eq!(ScheduleView::of(&model.finish(), &untimed), Err(ScheduleError::TooLarge));
}

fn moment(delay: i128) -> crate::timing::Moment {
    crate::timing::Moment { delay: r(delay, 1), time: r(delay, 1), clocks: vec![] }
}

/// Two jobs, one that waits; a clock that costs; somebody who is only there.
fn jobs() -> ScheduleView {
    let mut model = Model::new();
    for name in ["Job<1>", "Job2"] {
        let mut p = TemplateBuilder::new(name);
        let [wait, run, end] = locations(&mut p, [("Wait", 0), ("Run & pay", 2), ("End", 0)]);
        p.location_mut(run).invariant = vec![ClockConstraint {
            left: model.clock,
            minus: None,
            relation: Relation::LessEqual,
            bound: Expr::Const(9),
        }];
        p.edge(model.edge("start", wait, run, 3));
        p.edge(EdgeSpec::new(run, end).text("stop"));
        model.process(p, wait);
    }
    model.idle("Time", "Run", Expr::Const(1));
    model.idle("Lamp", "Off", Expr::Const(0));
    let network = model.finish();
    let steps = [(0, "start", 0), (0, "stop", 15), (1, "start", 15), (1, "stop", 20)];
    view(&network, &steps, 20).unwrap()
}

#[test]
fn the_table_says_who_does_what_when_at_which_cost() {
    let expected = "  \
        from    to  process  location   cost  of it at once
     0   2.5  Job<1>   Run & pay     8              3
     0   2.5  Job2     Wait          0
     0  10/3  Time     Run        10/3
   2.5  10/3  Job<1>   End           0
   2.5  10/3  Job2     Run & pay  14/3              3
  all the time, at no cost: Lamp in Off
  cost 16, end at 10/3
";
    assert_eq!(render_schedule(&jobs()), expected);
}

#[test]
fn the_chart_has_a_bar_for_each_stay() {
    let schedule = jobs();
    let svg = render_gantt(&schedule, "a <schedule>");
    assert_eq!(svg.matches("<g><title>").count(), schedule.stays.len());
    assert!(svg.contains("a &lt;schedule&gt;: cost 16"), "{svg}");
    let about = "Job&lt;1&gt; in Run &amp; pay, 0 to 2.5, cost 8, 3 of it at once; entered by start";
    assert!(svg.contains(about), "{svg}");
    // Who works has a colour, who waits has none.
    assert_eq!((svg.matches("#56b4e9").count(), svg.matches("#f0f0f0").count()), (2, 4));
    assert!(svg.contains(">0</text>") && svg.contains(">3</text>") && !svg.contains("NaN"));
    let empty = ScheduleView { stays: vec![], cost: Rational::ZERO, end: Rational::ZERO };
    assert!(!render_gantt(&empty, "").contains("NaN"));
    assert_eq!(render_schedule(&empty), "  cost 0, end at 0\n");
}

#[test]
fn the_document_has_exact_numbers() {
    let document = ScheduleDocument::from(&jobs());
    let json = serde_json::to_value(&document).unwrap();
    assert_eq!((&json["cost"], &json["cost_exact"], &json["end_exact"]), (&16.0.into(), &"16".into(), &"10/3".into()));
    let last = &json["stays"][5];
    assert_eq!((&last["process"], &last["over_time_exact"]), (&"Job2".into(), &"5/3".into()));
    assert_eq!((&last["at_once"], &last["entered_by"]), (&3.0.into(), &"start".into()));
    assert_eq!(json["stays"][2].get("entered_by"), None);
    let back: ScheduleDocument = serde_json::from_value(json).unwrap();
    assert_eq!(back, document);
}
