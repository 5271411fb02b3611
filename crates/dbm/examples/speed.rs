//! Nanoseconds per operation on zones as timed automata make them, for several numbers of clocks.
//!
//! `cargo run --release -p bughound-dbm --example speed`

use bughound_dbm::{Bound, Zone, ZoneBuf, ZoneMut};
use bughound_kernel::Random;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Zones of a random run: time passes, an upper bound, resets.
fn zones(dimension: usize, count: usize) -> Vec<ZoneBuf> {
    let mut numbers = Random::new(1);
    let mut zone = ZoneBuf::zero(dimension);
    let mut zones = Vec::new();
    while zones.len() < count {
        let clock = 1 + numbers.below(dimension - 1);
        let limit = 5 + numbers.below(20) as i32;
        let mut view = zone.as_mut();
        view.up();
        let guarded = view.tighten(clock, 0, Bound::at_most(limit)) && view.tighten(0, clock, Bound::less_than(-3));
        if !guarded {
            zone = ZoneBuf::zero(dimension);
            continue;
        }
        view.reset(1 + numbers.below(dimension - 1), 0);
        zones.push(zone.clone());
    }
    zones
}

/// Runs `work` on zone after zone for a while; the mean time of one call, without the copying of zones.
fn measure(zones: &[ZoneBuf], mut work: impl FnMut(&mut ZoneMut<'_>, Zone<'_>)) -> f64 {
    let mut scratch = zones[0].clone();
    let mut round = |work: &mut dyn FnMut(&mut ZoneMut<'_>, Zone<'_>)| {
        let start = Instant::now();
        for (zone, next) in zones.iter().zip(zones.iter().cycle().skip(1)) {
            scratch.set(zone.as_zone());
            work(&mut scratch.as_mut(), next.as_zone());
        }
        start.elapsed()
    };
    let (mut with, mut without) = (Duration::MAX, Duration::MAX);
    for _ in 0..200 {
        with = with.min(round(&mut work));
        without = without.min(round(&mut |zone, _| {
            black_box(zone.as_zone().words());
        }));
    }
    with.saturating_sub(without).as_nanos() as f64 / zones.len() as f64
}

fn main() {
    let clocks = [5, 10, 15];
    println!("{:<26}{}", "ns per operation, clocks:", clocks.map(|n| format!("{n:>8}")).join(""));
    let all: Vec<Vec<ZoneBuf>> = clocks.iter().map(|n| zones(n + 1, 1000)).collect();
    let row = |name: &str, work: &mut dyn FnMut(&mut ZoneMut<'_>, Zone<'_>)| {
        let times = all.iter().map(|zones| format!("{:>8.1}", measure(zones, &mut *work)));
        println!("{name:<26}{}", times.collect::<String>());
    };
    row("close", &mut |zone, _| {
        black_box(zone.close());
    });
    row("tighten (upper bound)", &mut |zone, _| {
        let n = zone.as_zone().dimension();
        black_box(zone.tighten(n - 1, 0, Bound::at_most(4)));
    });
    row("tighten (all rows)", &mut |zone, _| {
        zone.up();
        black_box(zone.tighten(1, 0, Bound::at_most(40)));
    });
    row("intersect", &mut |zone, next| {
        black_box(zone.intersect(next));
    });
    row("up", &mut |zone, _| zone.up());
    row("down", &mut |zone, _| zone.down());
    row("reset", &mut |zone, _| zone.reset(1, 0));
    row("free", &mut |zone, _| zone.free(1));
    row("inclusion (true)", &mut |zone, _| {
        black_box(black_box(zone.as_zone()).is_subset(black_box(zone.as_zone())));
    });
    row("inclusion (of the next)", &mut |zone, next| {
        black_box(zone.as_zone().is_subset(next));
    });
    let constants = |n: usize| (vec![7; n], vec![9; n]);
    let (lower, upper) = constants(16);
    row("simulation (true)", &mut |zone, _| {
        let n = zone.as_zone().dimension();
        black_box(black_box(zone.as_zone()).is_simulated_by(black_box(zone.as_zone()), &lower[..n], &upper[..n]));
    });
    row("simulation (of the next)", &mut |zone, next| {
        let n = next.dimension();
        black_box(zone.as_zone().is_simulated_by(next, &lower[..n], &upper[..n]));
    });
    row("Extra_M", &mut |zone, _| {
        let n = zone.as_zone().dimension();
        zone.extrapolate_maximal(&upper[..n]);
    });
    row("Extra_LU+", &mut |zone, _| {
        let n = zone.as_zone().dimension();
        zone.extrapolate_lower_upper_plus(&lower[..n], &upper[..n]);
    });
    row("successor", &mut |zone, _| {
        // Guard, reset, time, invariant.
        let n = zone.as_zone().dimension();
        if zone.tighten(0, 1, Bound::at_most(-1)) {
            zone.reset(2, 0);
            zone.up();
            black_box(zone.tighten(n - 1, 0, Bound::at_most(30)));
        }
    });
}
