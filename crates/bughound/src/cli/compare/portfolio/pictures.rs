//! The results of a portfolio as pictures.

use bughound::plot::{Curve, Plot};

use super::Row;
use super::runs::Ended;

/// Times below this are alike: so long it takes to start a process.
const LEAST_SECONDS: f64 = 0.01;

/// A cactus plot: how many models each search has decided, by the time that one of them takes.
pub fn cactus(table: &[Row<'_>], searches: &[String]) -> Plot {
    let curve = |search: &String| {
        let decided = table.iter().filter_map(|row| row.by(search)).filter(|run| is_decided(run.ended));
        let mut seconds: Vec<f64> = decided.map(|run| run.cpu_seconds.max(LEAST_SECONDS)).collect();
        seconds.sort_by(f64::total_cmp);
        let points = seconds.iter().enumerate().map(|(at, seconds)| (*seconds, (at + 1) as f64)).collect();
        Curve { title: search.clone(), points, ..Curve::default() }
    };
    Plot {
        x_title: "models decided, by CPU seconds each".into(),
        curves: searches.iter().map(curve).collect(),
        is_logarithmic: true,
        from_zero: true,
        ..Plot::default()
    }
}

/// For each model that both have decided: the states that the first search has expanded, and those that each other one has.
pub fn scatter(table: &[Row<'_>], searches: &[String]) -> Plot {
    let reference = reference(searches);
    let expanded = |row: &Row<'_>, search: &str| {
        let run = row.by(search).filter(|run| is_decided(run.ended))?;
        run.expanded.map(|expanded| expanded.max(1) as f64)
    };
    let curve = |search: &&String| {
        let points = table.iter().filter_map(|row| Some((expanded(row, reference)?, expanded(row, search)?)));
        Curve { title: (*search).clone(), points: points.collect(), are_dots: true }
    };
    let mut curves: Vec<Curve> =
        searches.iter().filter(|search| *search != reference).collect::<Vec<_>>().iter().map(curve).collect();
    let all: Vec<f64> = curves.iter().flat_map(|curve| &curve.points).flat_map(|(x, y)| [*x, *y]).collect();
    if let (Some(low), Some(high)) =
        (all.iter().copied().min_by(f64::total_cmp), all.iter().copied().max_by(f64::total_cmp))
    {
        let points = vec![(low, low), (high, high)];
        curves.push(Curve { title: "as many".into(), points, ..Curve::default() });
    }
    Plot {
        x_title: format!("states expanded by {reference}, and by others"),
        curves,
        is_logarithmic: true,
        is_logarithmic_upwards: true,
        ..Plot::default()
    }
}

/// With which search the others are compared: the default, or the first.
pub fn reference(searches: &[String]) -> &str {
    let usual = searches.iter().find(|search| *search == "auto");
    usual.or(searches.first()).map_or("", String::as_str)
}

pub fn is_decided(ended: Ended) -> bool {
    matches!(ended, Ended::Found | Ended::None)
}
