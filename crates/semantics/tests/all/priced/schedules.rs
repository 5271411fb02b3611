//! Schedules of least cost, executed by the reference evaluator without zones: what they cost is added up once more.

use bughound_ir::expr::Expr;
use bughound_ir::network::Network;
use bughound_ir::rational::Rational;
use bughound_semantics::timed::priced::{Pricing, Realised};
use bughound_trace::schedule::ScheduleView;
use bughound_trace::{Claim, Times, replay_timed};

use super::model::Model;
use super::{Found, cheapest};

/// The schedule that was found, confirmed.
pub fn confirmed(network: &Network, goal: &Expr, found: &Found, realised: &Realised) -> ScheduleView {
    let path = &found.result.witnesses[0].path.concat();
    let schedule = &realised.schedule;
    let times = Times::over(schedule.denominator, &schedule.times, Some(schedule.end)).unwrap();
    // A condition is claimed to be broken: the goal holds.
    let trace = replay_timed(network, path, &times, &Claim::Condition { condition: goal, expected: false }).unwrap();
    ScheduleView::of(network, &trace).unwrap()
}

#[test]
fn what_a_schedule_costs_is_what_was_found() {
    let (mut attained, mut approached) = (0, 0);
    for seed in 0..1200 {
        let model = Model::random(seed, seed % 2 == 1, seed % 3 == 0);
        let (network, goal) = model.network();
        let found = cheapest(&network, &goal, "dijkstra", Pricing::Automatic, 1);
        let Some(realised) = &found.realised else { continue };
        let schedule = confirmed(&network, &goal, &found, realised);
        let infimum = Rational::new(realised.cost.into(), 1).unwrap();
        if realised.attained {
            attained += 1;
            assert_eq!(schedule.cost, infimum, "model {seed}: {model:?}");
        } else {
            approached += 1;
            let order = schedule.cost.compare(infimum).unwrap();
            assert!(order.is_gt(), "model {seed}: {} for an infimum of {infimum}: {model:?}", schedule.cost);
        }
        let costs = schedule.stays.iter().map(|stay| stay.cost().unwrap());
        let sum = costs.fold(Rational::ZERO, |sum, cost| sum.plus(cost).unwrap());
        assert_eq!(sum, schedule.cost, "model {seed}: {schedule:?}");
    }
    assert!(attained > 200 && approached > 20, "{attained} schedules of least cost, {approached} close to it");
}
