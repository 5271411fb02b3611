//! The result of a check for people.

use std::time::Duration;

use bughound::chances::Outcome;
use bughound::check::{CheckReport, PropertyReport};
use bughound::coverage::UnreachedIn;
use bughound::expected::Expected;
use bughound::numbers::figure;
use bughound::printable::printable;
use bughound::run::RunStats;
use bughound::subsystem;
use bughound::verdict::Verdict;
use bughound_search::{QueueAccess, Turn, TurnEnd, WorkerCounts};
use bughound_trace::schedule::render_schedule;
use bughound_trace::{TextBounds, Trace, render_text};

use super::arguments::CheckArguments;
use super::quantities::{bytes, count, counted, time};

/// Longer names of properties do not push the verdicts of the others to the right.
const WIDEST_NAME: usize = 80;

/// What is said of loops that take finite time only.
const ZENO: &str = "\nThe loop is Zeno: all its turns together take finite time, so the delays must become shorter and \
                    shorter.\nNo real system does that; --non-zeno leaves such runs out.\n";

/// What is shown at once when something is found while other properties wait.
pub fn early(file: &str, property: &PropertyReport, arguments: &CheckArguments, color: bool) -> String {
    format!("{file}: `{}` {}\n{}\n", property.name, summary(property), evidence(property, arguments, color))
}

/// What shows that an answer is right, if there is something: a trace, or a part of the model.
fn evidence(property: &PropertyReport, arguments: &CheckArguments, color: bool) -> String {
    schedule_text(property)
        + &trace_text(property, arguments, color)
        + &subsystem_text(property, arguments, color)
        + &most_probable_text(property)
}

/// Paths that are listed with their probabilities; all are in the document.
const LISTED: usize = 10;

/// The most probable paths, if they were asked for.
fn most_probable_text(property: &PropertyReport) -> String {
    let Some(found) = &property.most_probable else { return String::new() };
    let Some(best) = found.paths.first() else {
        return format!("\nThere is no path to what `{}` asks for.\n", property.name);
    };
    let all = if found.all { ", there are no others" } else { "" };
    let paths = counted(found.count as u64, "most probable path");
    let together = found.mass.last().map_or(String::new(), |mass| figure(*mass));
    let mut out = format!("\nThe {paths} for `{}`: {together} together{all}\n\n", property.name);
    out.push_str("      probability   together      steps\n");
    for (number, (path, mass)) in found.paths.iter().zip(&found.mass).take(LISTED).enumerate() {
        let in_time = path.in_time.map_or(String::new(), |chance| format!("   within the bound {}", figure(chance)));
        let (probability, mass) = (figure(path.probability), figure(*mass));
        out.push_str(&format!("{:>4}  {probability:<12}  {mass:<12}  {:>5}{in_time}\n", number + 1, path.length));
    }
    if found.count > LISTED {
        out.push_str(&format!("   …  {} more; --json has the mass of all\n", count((found.count - LISTED) as u64)));
    }
    out.push_str("\nThe first one:\n");
    let steps: Vec<String> = best
        .steps
        .iter()
        .map(|step| {
            let changes: Vec<String> = step.changes.iter().map(|(name, value)| format!("{name}={value}")).collect();
            let changes = if changes.is_empty() { "nothing changes".into() } else { changes.join(", ") };
            format!("  {:<10}  {}", figure(step.probability), printable(&changes))
        })
        .collect();
    if steps.len() <= 2 * LISTED {
        steps.iter().for_each(|step| out.push_str(&format!("{step}\n")));
    } else {
        steps[..LISTED].iter().for_each(|step| out.push_str(&format!("{step}\n")));
        out.push_str(&format!("  … {} steps …\n", count((steps.len() - 2 * LISTED) as u64)));
        steps[steps.len() - LISTED..].iter().for_each(|step| out.push_str(&format!("{step}\n")));
    }
    out
}

/// Who does what from when to when on a cheapest run.
fn schedule_text(property: &PropertyReport) -> String {
    let schedule = property.cheapest.as_ref().and_then(|cheapest| cheapest.schedule.as_ref());
    schedule.map_or(String::new(), |schedule| {
        format!("\nSchedule for `{}`:\n\n{}", property.name, printable(&render_schedule(schedule)))
    })
}

/// The counterexample to a bound on a probability.
fn subsystem_text(property: &PropertyReport, arguments: &CheckArguments, color: bool) -> String {
    let Some(shown) = &property.counterexample else { return String::new() };
    let text = subsystem::text::render_text(shown, &arguments.view.text(color, "; --full-trace shows them"));
    format!("\nCounterexample to `{}`: {}\n\n{text}", property.name, shown.headline())
}

/// The trace of a property, if it has one.
fn trace_text(property: &PropertyReport, arguments: &CheckArguments, color: bool) -> String {
    let Some(trace) = &property.trace else { return String::new() };
    let what = match property.verdict {
        Verdict::Satisfied => "Witness for",
        _ if property.shows_model_error() => "Error of the model, in the way of",
        _ => "Counterexample to",
    };
    let sure = certainty(property);
    let mut out = format!("\n{what} `{}`: {}, {sure}\n\n", property.name, size_of(property, trace));
    out.push_str(&body(property, trace, arguments, color));
    out
}

/// The errors of a property behind the first one.
fn more_errors(property: &PropertyReport, arguments: &CheckArguments, color: bool) -> String {
    let mut out = String::new();
    for (error, number) in property.more_errors.iter().zip(2..) {
        let Some(trace) = &error.trace else { continue };
        let (size, sure) = (size(trace), certainty(error));
        out.push_str(&format!("\nError {number} of `{}`: {size}, {sure}\n\n", property.name));
        out.push_str(&body(error, trace, arguments, color));
    }
    out
}

/// The steps of a trace, and what is said about it.
fn body(property: &PropertyReport, trace: &Trace, arguments: &CheckArguments, color: bool) -> String {
    let options = arguments.view.text(color, "; --full-trace shows them, --save-trace keeps them");
    let mut out = render_text(trace, &options);
    if property.zeno == Some(true) {
        out.push_str(ZENO);
    }
    if arguments.symbolic && !property.zones.is_empty() {
        out.push_str(&zones_text(&property.zones, options.bounds));
    }
    out
}

/// The whole result, without the traces of the properties that were `shown` before, by their places.
pub fn render(file: &str, report: &CheckReport, arguments: &CheckArguments, shown: &[usize], color: bool) -> String {
    let mut out = format!("{file}: {}\n", headline(report, color));
    let widths = report.properties.iter().map(|p| p.name.chars().count());
    let width = widths.filter(|width| *width <= WIDEST_NAME).max().unwrap_or(0);
    // Queries are long to type: they have numbers.
    let has_queries = report.properties.iter().any(|p| p.name.contains(char::is_whitespace));
    let digits = report.properties.iter().filter_map(|p| p.number).max().unwrap_or(0).to_string().len();
    for property in &report.properties {
        let number = property.number.filter(|_| has_queries);
        let number = number.map_or(String::new(), |number| format!("{number:>digits$}  "));
        out.push_str(&format!("  {number}{:<width$}  {}\n", property.name, summary(property)));
    }
    out.push_str(&expectations(&report.properties));
    for (at, property) in report.properties.iter().enumerate() {
        if !shown.contains(&at) {
            out.push_str(&evidence(property, arguments, color));
        }
        out.push_str(&more_errors(property, arguments, color));
    }
    if arguments.output.quiet {
        return out;
    }
    for note in &report.notes {
        out.push_str(&format!("note: {note}\n"));
    }
    if let Some(unreached) = report.unreached.as_ref().filter(|u| !u.is_empty()) {
        out.push('\n');
        unreached.iter().for_each(|template| unreached_text(file, template, &mut out));
    }
    if let Some(stats) = &report.stats {
        out.push_str(&format!("\n{}\n", stats_text(&report.search, stats)));
        out.push_str(&by_property(report, stats));
    }
    out
}

fn headline(report: &CheckReport, color: bool) -> String {
    let paint = |text: &str, code: &str| if color { format!("\x1b[1;{code}m{text}\x1b[0m") } else { text.into() };
    let states = report.stats.as_ref().map_or(0, |s| s.counts.stored);
    let is_estimate = |p: &PropertyReport| matches!(p.chance, Some(Outcome::Estimate(_)));
    match report.verdict {
        Verdict::Holds | Verdict::Satisfied | Verdict::Limit
            if !report.properties.is_empty() && report.properties.iter().all(is_estimate) =>
        {
            match report.verdict {
                Verdict::Limit => format!("{}, estimated from random runs", paint("limit", "33")),
                _ => format!("{} from random runs", paint("estimated", "32")),
            }
        }
        Verdict::Violated => paint("violated", "31"),
        Verdict::Holds | Verdict::Satisfied => {
            let is_number = |p: &PropertyReport| matches!(p.chance, Some(Outcome::Number(_) | Outcome::Range(..)));
            if !report.properties.is_empty() && report.properties.iter().all(is_number) {
                return format!("{}, {} (complete)", paint("answered", "32"), counted(states, "state"));
            }
            let mut stats = report.properties.iter().filter_map(|p| p.stats.as_ref());
            let complete = report.stats.is_some() && stats.all(|s| s.complete);
            let how =
                if complete { format!(", no error in {} (complete)", counted(states, "state")) } else { String::new() };
            format!("{}{how}", paint("holds", "32"))
        }
        Verdict::Limit => {
            let reason =
                report.properties.iter().find(|p| p.verdict == Verdict::Limit).and_then(|p| p.reason.as_deref());
            let reason = reason.unwrap_or("a limit was reached");
            let states = counted(states, "state");
            format!("{}, no error found in {states} (search incomplete because {reason})", paint("limit", "33"))
        }
        Verdict::Inconclusive => paint("inconclusive", "33"),
    }
}

/// How the answers compare with those that the file expects: a line for each difference, one line if there is none.
fn expectations(properties: &[PropertyReport]) -> String {
    let compared = properties.iter().filter(|p| p.as_expected().is_some()).count();
    if compared == 0 {
        return String::new();
    }
    let different = properties.iter().filter(|p| p.as_expected() == Some(false));
    let words = |p: &PropertyReport| match (&p.expected, &p.chance) {
        (Some(Expected::Result(result)), Some(Outcome::Number(found))) => {
            format!("warning: `{}` is {found}, but the file expects {result}\n", p.name)
        }
        (Some(Expected::Result(result)), _) => {
            format!("warning: `{}` is {}, but the file expects {result}\n", p.name, p.verdict)
        }
        (expected, _) => {
            let wanted = if *expected == Some(Expected::Truth(true)) { "satisfied" } else { "not satisfied" };
            format!("warning: `{}` is {}, but the file expects it to be {wanted}\n", p.name, p.verdict)
        }
    };
    let warnings: String = different.map(words).collect();
    let all = if compared == 1 { "the answer is".into() } else { format!("all {compared} answers are") };
    if warnings.is_empty() { format!("{all} as the file expects\n") } else { warnings }
}

/// All values that the clocks can have along a trace.
fn zones_text(zones: &[String], bounds: Option<TextBounds>) -> String {
    let number = |at: usize| if at == 0 { "initially".into() } else { format!("after {at}") };
    let line = |at: usize| {
        let line = format!("  {:<10} {}", number(at), zones[at]);
        bounds.map_or(line.clone(), |bounds| bounds.clip(&line)) + "\n"
    };
    let all = 0..zones.len();
    let shown = bounds.map_or(vec![all.clone()], |bounds| bounds.ends_of(all));
    let mut out = "\nzones:\n".to_string();
    for (at, range) in shown.iter().enumerate() {
        if at > 0 {
            out.push_str("  …\n");
        }
        out.extend(range.clone().map(line));
    }
    out
}

fn certainty(property: &PropertyReport) -> String {
    if let Some(cheapest) = &property.cheapest {
        let reason = property.reason.as_ref().map_or(String::new(), |reason| format!(" ({reason})"));
        return format!("{cheapest}{reason}");
    }
    if let Some(fastest) = property.fastest {
        return fastest.to_string();
    }
    let has_costs = property.trace.as_ref().is_some_and(|trace| trace.has_costs);
    let certainty = match (property.proven_shortest, has_costs) {
        (true, false) => "shortest (proven)",
        (false, false) if property.proven_for_claim => "shortest for the automaton of the claim (proven)",
        (false, false) => match property.stats.as_ref().and_then(|stats| stats.counts.shortening_cut) {
            None => "short (not proven shortest)",
            Some(cut) => {
                let cut = time(cut);
                return format!("short (not proven shortest: shortening was ended after {cut}; --shortest goes on)");
            }
        },
        (true, true) => "cheapest (proven)",
        (false, true) => "not proven cheapest",
    };
    certainty.into()
}

/// The same; what a cheapest run costs is said by its certainty.
fn size_of(property: &PropertyReport, trace: &Trace) -> String {
    if property.cheapest.is_some() { counted(trace.length, "step") } else { size(trace) }
}

/// `5 steps`, or `5 steps of cost 12`.
pub fn size(trace: &Trace) -> String {
    let steps = counted(trace.length, "step");
    if trace.has_costs { format!("{steps} of cost {}", count(trace.cost)) } else { steps }
}

/// Kinds of properties that ask for something, not for errors.
const ASKS: [&str; 7] =
    ["reachability", "possibly-always", "extremes", "probability", "expected-reward", "long-run", "chances"];

fn summary(property: &PropertyReport) -> String {
    if property.verdict == Verdict::Satisfied && !property.extremes.is_empty() {
        return property.extremes.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
    }
    match &property.chance {
        Some(Outcome::Number(chance)) => return chance.to_string(),
        Some(Outcome::Range(least, greatest)) => return format!("from {least} to {greatest}"),
        Some(Outcome::Truth(_, Some(value))) => return format!("{}: the value is {value}", property.verdict),
        Some(Outcome::Estimate(estimate)) => {
            return property.reason.as_ref().map_or(estimate.to_string(), |reason| format!("{reason}: {estimate}"));
        }
        Some(Outcome::Truth(_, None)) | None => {}
    }
    match (property.verdict, &property.trace, &property.reason) {
        (Verdict::Violated, Some(trace), _) => {
            let others = property.others.as_ref().map_or(String::new(), |others| {
                format!("; {}, {others}", counted(property.errors() as u64, "different error"))
            });
            format!("violated after {}, {}{others}", size(trace), certainty(property))
        }
        (Verdict::Satisfied, Some(trace), _) => {
            format!("satisfied after {}, {}", size_of(property, trace), certainty(property))
        }
        (Verdict::Limit, _, Some(reason)) if property.cheapest.is_some() => {
            let known = property.cheapest.as_ref().map_or(String::new(), |cheapest| format!("; {cheapest}"));
            format!("not decided (search incomplete because {reason}){known}")
        }
        (Verdict::Limit, _, Some(reason)) if ASKS.contains(&property.kind) => {
            format!("not decided (search incomplete because {reason})")
        }
        (Verdict::Limit, _, Some(reason)) => format!("no error found (search incomplete because {reason})"),
        (Verdict::Inconclusive, _, Some(reason)) if reason.starts_with("not ") => reason.clone(),
        (Verdict::Inconclusive, _, Some(reason)) => format!("no error found (search incomplete because {reason})"),
        (verdict, _, Some(reason)) => format!("{verdict}: {reason}"),
        (verdict, _, None) => verdict.to_string(),
    }
}

fn unreached_text(main_file: &str, template: &UnreachedIn, out: &mut String) {
    let many = template.statements.len();
    let (kind, unit) = if template.named { ("process ", "edge") } else { ("proctype ", "statement") };
    let kind = if template.template == "init" && !template.named { "" } else { kind };
    let (name, of) = (format!("{kind}{}", template.template), counted(template.of as u64, unit));
    out.push_str(&format!("unreached in {name} ({many} of {of}):\n"));
    for statement in &template.statements {
        let file = if statement.file == main_file { String::new() } else { format!("{}:", statement.file) };
        out.push_str(&format!("  {file}line {:<5} `{}`\n", statement.line, statement.text));
    }
}

/// What each search took, if there were several.
fn by_property(report: &CheckReport, all: &RunStats) -> String {
    let with_stats = || report.properties.iter().filter_map(|p| Some((p, p.stats.as_ref()?)));
    if with_stats().all(|(_, stats)| stats.counts.expanded == all.counts.expanded) {
        return String::new();
    }
    let mut out = String::new();
    for (property, stats) in with_stats() {
        let counts = &stats.counts;
        let how = if stats.search == report.search { String::new() } else { format!("{}: ", stats.search) };
        out.push_str(&format!(
            "  `{}`: {how}{} expanded, {} generated, {} stored, {}\n",
            property.name,
            count(counts.expanded),
            count(counts.generated),
            count(counts.stored),
            time(counts.elapsed)
        ));
    }
    out
}

/// Shorter preparations are not mentioned.
const WORTH_TELLING: Duration = Duration::from_millis(100);

/// What each worker has done, where each owns a part of the states.
fn workers_text(workers: &[WorkerCounts]) -> String {
    let text = |(number, worker): (usize, &WorkerCounts)| {
        let met = worker.stored + worker.duplicates;
        let share = (worker.duplicates * 100).checked_div(met).unwrap_or(0);
        format!(
            "\n  worker {number} (process {}): {} stored, {} expanded, {} sent ({}), {} received ({}), {} spared, {share} % \
             duplicates, {} waiting, {}",
            worker.process,
            count(worker.stored),
            count(worker.expanded),
            count(worker.sent),
            bytes(worker.bytes_out),
            count(worker.received),
            bytes(worker.bytes_in),
            count(worker.spared),
            time(worker.waited),
            bytes(worker.memory)
        )
    };
    if workers.len() > 1 { workers.iter().enumerate().map(text).collect() } else { String::new() }
}

/// Which searches took turns, and what came of each. Where the first one has found it all, there is nothing to tell.
fn turns_text(turns: &[Turn]) -> String {
    let hunt = turns.iter().filter(|turn| !turn.search.starts_with("shorter")).count();
    if hunt < 2 {
        return String::new();
    }
    let text = |turn: &Turn| {
        let end = match turn.end {
            TurnEnd::Found => "found",
            TurnEnd::Exhausted => "saw all",
            TurnEnd::Spent => "gave up",
            TurnEnd::Limit => "was ended",
        };
        format!("{} {end} after {}", turn.search, count(turn.generated))
    };
    format!("\n  turns: {}", turns.iter().map(text).collect::<Vec<_>>().join(", "))
}

fn stats_text(search: &str, stats: &RunStats) -> String {
    let counts = &stats.counts;
    let fill = counts
        .bit_fill
        .map_or(String::new(), |permille| format!(", {}.{} % of the bits set", permille / 10, permille % 10));
    let displaced = match counts.displaced {
        0 => String::new(),
        displaced => format!(", {} displaced", count(displaced)),
    };
    let dead_ends = match counts.dead_ends {
        0 => String::new(),
        dead_ends => format!(", {}", counted(dead_ends, "dead end")),
    };
    let queue = |queue: &QueueAccess| format!("{} {}/{}", queue.name, count(queue.popped), count(queue.pushed));
    let queues: Vec<String> = counts.queues.iter().map(queue).collect();
    let queues =
        if queues.is_empty() { String::new() } else { format!("\n  taken/put by queue: {}", queues.join(", ")) };
    let disk = counts.disk.filter(|disk| disk.written > 0).map_or(String::new(), |disk| {
        let (peak, written, read) = (bytes(disk.peak), bytes(disk.written), bytes(disk.read));
        format!("\n  disk: {peak} at most, {written} written, {read} read")
    });
    let workers = workers_text(&counts.workers);
    let turns = turns_text(&counts.turns);
    let preparation = counts.preparation;
    let building = match (preparation.cut_short, preparation.time >= WORTH_TELLING) {
        (true, _) => {
            format!(" (building the heuristic was cut short after {}: it is coarser for that)", time(preparation.time))
        }
        (false, true) => format!(" ({} for building the heuristic)", time(preparation.time)),
        (false, false) => String::new(),
    };
    // The states of Markov models are not kept by their depth.
    let depth = match counts.depth {
        0 if counts.expanded > 1 => String::new(),
        depth => format!(", depth {}", count(depth)),
    };
    format!(
        "{search}: {} expanded, {} generated, {} stored{displaced}{dead_ends}{depth}{fill}, {}{building}, {}{disk}{queues}{workers}{turns}",
        count(counts.expanded),
        count(counts.generated),
        count(counts.stored),
        time(counts.elapsed),
        bytes(stats.peak_memory_bytes)
    )
}
