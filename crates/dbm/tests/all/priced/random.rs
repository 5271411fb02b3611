//! Random operations, inclusions and minima against points. Longer runs: `cargo run --release --example priced`.

use super::inclusion;
use super::oracle::{Kind, compare_operations};

fn all(kind: usize, seeds: std::ops::Range<u64>) {
    let mut compared = 0;
    for seed in seeds {
        compared += compare_operations(seed, Kind::ALL[kind]).unwrap_or_else(|difference| panic!("{difference}"));
    }
    assert!(compared > 0);
}

#[test]
fn closed_operations_on_two_clocks_cost_what_points_cost() {
    all(0, 0..300);
}

#[test]
fn closed_operations_on_three_clocks_cost_what_points_cost() {
    all(1, 0..100);
}

#[test]
fn operations_without_invariants_cost_what_points_cost() {
    all(2, 0..100);
}

#[test]
fn strict_operations_on_two_clocks_cost_what_points_cost() {
    all(3, 0..40);
}

#[test]
fn strict_operations_on_one_clock_cost_what_points_cost() {
    all(4, 0..60);
}

#[test]
fn inclusion_is_that_of_all_points() {
    let found: Vec<bool> = (0..600).map(|seed| inclusion::compare(seed).unwrap()).collect();
    let included = found.iter().filter(|included| **included).count();
    assert!((100..500).contains(&included), "{included} of 600 included");
}

#[test]
fn inclusion_up_to_simulation_is_that_of_all_points() {
    let found: Vec<_> = (0..300).map(|seed| inclusion::compare_simulated(seed, 2).unwrap()).collect();
    let more = found.iter().filter(|(plain, simulated)| !plain && *simulated).count();
    let none = found.iter().filter(|(_, simulated)| !simulated).count();
    assert!(more >= 20 && none >= 60, "{more} of 300 only simulated, {none} not even that");
}

#[test]
fn the_infimum_is_the_least_cost_of_all_points() {
    (0..300).for_each(|seed| inclusion::compare_infimum(seed).unwrap());
}
