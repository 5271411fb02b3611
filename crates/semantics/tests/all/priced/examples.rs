//! Models whose least cost is known by thinking.

use bughound_dbm::priced::PriceError;
use bughound_ir::types::Relation;
use bughound_semantics::timed::priced::{CostError, Pricing};

use super::model::{Comparison, Kind, Model, Passage, Place, Process, Way};
use super::{Found, cheapest};

fn at(clock: usize, relation: Relation, constant: i32) -> Comparison {
    Comparison { clock, relation, constant }
}

fn place(rate: i32, invariant: &[Comparison]) -> Place {
    Place { kind: Kind::Ordinary, rate, invariant: invariant.to_vec() }
}

fn passage(from: usize, to: usize, guards: &[Comparison]) -> Passage {
    Passage { from, to, way: Way::Alone, guards: guards.to_vec(), impulse: 0, resets: Vec::new() }
}

/// One process does all the work; the other one is only there.
fn alone(places: Vec<Place>, passages: Vec<Passage>, goal: &[Comparison]) -> Model {
    let idle = Process { places: vec![place(0, &[])], passages: Vec::new() };
    let processes = vec![Process { places, passages }, idle];
    Model { processes, broadcast: false, urgent: false, goal: goal.to_vec() }
}

/// By Dijkstra's search, with general priced zones; the oracle must say the same.
fn solve(model: &Model) -> Found {
    let (network, goal) = model.network();
    let found = cheapest(&network, &goal, "dijkstra", Pricing::General, 1);
    assert_eq!(found.error, None);
    assert_eq!(found.cost(), model.least_cost(false));
    found
}

#[test]
fn a_strict_guard_makes_an_infimum_that_no_run_attains() {
    let stay = place(3, &[at(0, Relation::LessEqual, 3)]);
    let model = alone(vec![stay, place(0, &[])], vec![passage(0, 1, &[at(0, Relation::Greater, 1)])], &[]);
    let realised = solve(&model).realised.unwrap();
    assert_eq!((realised.cost, realised.attained), (3, false));
    // The run that is shown passes the guard, a little later than it could.
    let (time, unit) = (realised.schedule.times[0], realised.schedule.denominator);
    assert!(unit < time && time < 2 * unit, "{time}/{unit}");
}

#[test]
fn the_cost_counts_where_the_goal_holds() {
    // The place is reached at once and costs 2 for each unit of time; the goal wants a clock to be 2.
    let model =
        alone(vec![place(1, &[]), place(2, &[])], vec![passage(0, 1, &[])], &[at(0, Relation::GreaterEqual, 2)]);
    let realised = solve(&model).realised.unwrap();
    // It is cheaper to wait before.
    assert_eq!((realised.cost, realised.attained), (2, true));
    assert_eq!(
        (realised.schedule.times[0], realised.schedule.end),
        (2 * realised.schedule.denominator, 2 * realised.schedule.denominator)
    );
}

#[test]
fn a_clock_that_nothing_bounds_does_not_keep_a_search_from_its_end() {
    // Round and round, a unit of time each; the other clock grows without bound, and the goal comes too late.
    let stay = place(2, &[at(0, Relation::LessEqual, 1)]);
    let mut again = passage(0, 0, &[at(0, Relation::GreaterEqual, 1)]);
    again.resets = vec![(0, 0)];
    let never = passage(0, 1, &[at(0, Relation::GreaterEqual, 2), at(1, Relation::GreaterEqual, 3)]);
    let model = alone(vec![stay.clone(), place(0, &[])], vec![again.clone(), never], &[]);
    let found = solve(&model);
    assert!(found.result.complete && found.cost().is_none());
    let late = passage(0, 1, &[at(1, Relation::GreaterEqual, 3)]);
    let model = alone(vec![stay, place(0, &[])], vec![again, late], &[]);
    assert_eq!(solve(&model).cost(), Some(6));
}

#[test]
fn a_goal_that_holds_at_the_start_costs_nothing() {
    let model = alone(vec![place(3, &[])], Vec::new(), &[]);
    let found = solve(&model);
    assert_eq!(found.cost(), Some(0));
    assert_eq!(found.realised.map(|realised| realised.schedule.end), Some(0));
}

#[test]
fn rates_add_up_and_impulses_are_paid_by_both() {
    let mut emits = passage(0, 1, &[at(0, Relation::GreaterEqual, 2)]);
    (emits.way, emits.impulse) = (Way::Emits(1), 10);
    let mut accepts = passage(0, 0, &[]);
    (accepts.way, accepts.impulse) = (Way::Accepts(1), 5);
    let processes = vec![
        Process { places: vec![place(2, &[]), place(0, &[])], passages: vec![emits] },
        Process { places: vec![place(1, &[])], passages: vec![accepts] },
    ];
    let mut model = Model { processes, broadcast: false, urgent: false, goal: Vec::new() };
    assert_eq!(solve(&model).cost(), Some(21));
    // Nobody who can hear a broadcast may keep silent.
    model.broadcast = true;
    assert_eq!(solve(&model).cost(), Some(21));
    model.processes[1].passages.clear();
    assert_eq!(solve(&model).cost(), Some(16));
}

/// What cannot be priced is an error, never a number.
#[test]
fn a_negative_rate_is_an_error() {
    let model = alone(vec![place(-1, &[]), place(0, &[])], vec![passage(0, 1, &[])], &[]);
    let (network, goal) = model.network();
    let found = cheapest(&network, &goal, "dijkstra", Pricing::Automatic, 1);
    assert_eq!(found.error, Some(CostError::Price(PriceError::NegativePrice)));
    assert_eq!(found.cost(), None);
}
