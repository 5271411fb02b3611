//! Everything together: Fischer's protocol, explored with each way to keep the number of zones finite. The verdicts must
//! agree, and simulation, the coarsest, must not need more zones than the others.
//!
//! A process waits until `id` is 0, sets it to its own number within `K` time units, waits longer than that, and enters
//! if `id` is still its number.

use bughound_dbm::{Bound, NO_BOUND, ZoneBuf};
use std::collections::{HashMap, VecDeque};

const K: i32 = 10;
const IDLE: u8 = 0;
const REQUEST: u8 = 1;
const WAIT: u8 = 2;
const CRITICAL: u8 = 3;

#[derive(Clone, Copy, Debug)]
enum Abstraction {
    Maximal,
    MaximalPlus,
    LowerUpper,
    LowerUpperPlus,
    /// Zones as they are, compared up to simulation.
    Simulation,
}

/// Locations of the processes, and `id`.
type Key = (Vec<u8>, u8);

/// The constants of the clocks in the future of these locations: clocks are reset before they are looked at in others.
fn constants(locations: &[u8]) -> (Vec<i32>, Vec<i32>) {
    let constant = |location| locations.iter().map(move |l| if *l == location { K } else { NO_BOUND });
    let with_reference = |constants: Vec<i32>| [vec![0], constants].concat();
    (with_reference(constant(WAIT).collect()), with_reference(constant(REQUEST).collect()))
}

/// Takes the edge of a process, lets time pass and abstracts. Nothing: the edge is not enabled.
fn step(key: &Key, zone: &ZoneBuf, process: usize, patience: Bound, how: Abstraction) -> Vec<(Key, ZoneBuf)> {
    let (number, clock) = (process as u8 + 1, process + 1);
    let (id, location) = (key.1, key.0[process]);
    let edges: &[(u8, u8, bool)] = match location {
        IDLE if id == 0 => &[(REQUEST, id, true)],
        REQUEST => &[(WAIT, number, true)],
        WAIT if id == 0 => &[(REQUEST, id, true)],
        WAIT if id == number => &[(CRITICAL, id, false)],
        CRITICAL => &[(IDLE, 0, false)],
        _ => &[],
    };
    let mut successors = Vec::new();
    for &(target, id, reset) in edges {
        let mut zone = zone.clone();
        let mut view = zone.as_mut();
        let enabled = match target {
            CRITICAL => view.tighten(0, clock, patience),
            WAIT => view.tighten(clock, 0, Bound::at_most(K)),
            _ => true,
        };
        if !enabled {
            continue;
        }
        if reset {
            view.reset(clock, 0);
        }
        let mut locations = key.0.clone();
        locations[process] = target;
        view.up();
        for (other, _) in locations.iter().enumerate().filter(|(_, l)| **l == REQUEST) {
            assert!(view.tighten(other + 1, 0, Bound::at_most(K)));
        }
        let (lower, upper) = constants(&locations);
        let largest: Vec<i32> = lower.iter().zip(&upper).map(|(l, u)| *l.max(u)).collect();
        match how {
            Abstraction::Maximal => view.extrapolate_maximal(&largest),
            Abstraction::MaximalPlus => view.extrapolate_maximal_plus(&largest),
            Abstraction::LowerUpper => view.extrapolate_lower_upper(&lower, &upper),
            Abstraction::LowerUpperPlus => view.extrapolate_lower_upper_plus(&lower, &upper),
            Abstraction::Simulation => {}
        }
        successors.push(((locations, id), zone));
    }
    successors
}

/// Explores everything: the number of zones kept at the end, and whether two processes can be critical at once.
fn explore(processes: usize, patience: Bound, how: Abstraction) -> (usize, bool) {
    let mut kept: HashMap<Key, Vec<ZoneBuf>> = HashMap::new();
    let mut zone = ZoneBuf::zero(processes + 1);
    zone.as_mut().up();
    let start = ((vec![IDLE; processes], 0), zone);
    kept.insert(start.0.clone(), vec![start.1.clone()]);
    let mut waiting = VecDeque::from([start]);
    let mut broken = false;
    while let Some((key, zone)) = waiting.pop_front() {
        if !kept[&key].contains(&zone) {
            continue;
        }
        for process in 0..processes {
            for (key, zone) in step(&key, &zone, process, patience, how) {
                broken |= key.0.iter().filter(|l| **l == CRITICAL).count() > 1;
                let (lower, upper) = constants(&key.0);
                let covers = |large: &ZoneBuf, small: &ZoneBuf| match how {
                    Abstraction::Simulation => small.as_zone().is_simulated_by(large.as_zone(), &lower, &upper),
                    _ => small.as_zone().is_subset(large.as_zone()),
                };
                let zones = kept.entry(key.clone()).or_default();
                if !zones.iter().any(|known| covers(known, &zone)) {
                    zones.retain(|known| !covers(&zone, known));
                    zones.push(zone.clone());
                    waiting.push_back((key, zone));
                }
            }
        }
    }
    (kept.values().map(Vec::len).sum(), broken)
}

#[test]
fn abstractions_agree_on_fischers_protocol() {
    use Abstraction::*;
    for processes in 2..=4 {
        for (patience, expected) in [(Bound::less_than(-K), false), (Bound::at_most(-K), true)] {
            let zones: Vec<usize> = [Maximal, MaximalPlus, LowerUpper, LowerUpperPlus, Simulation]
                .into_iter()
                .map(|how| {
                    let (zones, broken) = explore(processes, patience, how);
                    assert_eq!(broken, expected, "{processes} processes, {how:?}");
                    zones
                })
                .collect();
            // The extrapolations are not ordered by this: the "plus" ones look at the least values of clocks, so they can
            // make a zone grow beyond one that included it before.
            assert!(zones.iter().all(|count| zones[4] <= *count), "{zones:?}");
        }
    }
}

/// The number that another tool keeps (TChecker 0.8, covering reachability, breadth first).
#[test]
fn as_many_zones_are_kept_as_elsewhere() {
    for how in [Abstraction::LowerUpperPlus, Abstraction::Simulation] {
        assert_eq!(explore(6, Bound::less_than(-K), how), (2378, false), "{how:?}");
    }
}
