//! Searches by several workers that are ended anywhere, and go on in another process: as if nothing had ended them.

use std::path::Path;
use std::time::Duration;

use bughound_checkpoint::Identity;
use bughound_kernel::{Limits, Random, StopReason, StopSignal};
use bughound_search::*;

use crate::graphs::{admissible, cluster, random_case};
use crate::processes::together;
use crate::support::saved::*;
use crate::support::*;

/// What must not depend on interruptions, nor on which worker comes first.
fn counts(result: &SearchResult) -> ([u64; 8], bool, u64) {
    let Statistics { stored, transitions, generated, expanded, depth, deadlocks, .. } = result.stats;
    let failures = [result.stats.failed_assertions, result.stats.evaluation_errors];
    let counts = [stored, transitions, generated, expanded, depth, deadlocks, failures[0], failures[1]];
    (counts, result.complete, result.at_least)
}

/// One process: saves as often as it can, and is ended after this time.
fn run_part(
    directory: &Path,
    after: Duration,
    run: &dyn Fn(Controls<'_>) -> SearchResult,
) -> (SearchResult, u64, bool) {
    let stop = StopSignal::default();
    let mut journal = journal(directory);
    let result = std::thread::scope(|scope| {
        let raised = stop.clone();
        let (over, is_over) = std::sync::mpsc::channel::<()>();
        scope.spawn(move || {
            if is_over.recv_timeout(after).is_err() {
                raised.raise(StopReason::Interrupted);
            }
        });
        let controls = Controls { stop, journal: Some((&mut journal, "one".into())), ..Controls::default() };
        let result = run(controls);
        let _ = over.send(());
        result
    });
    assert_eq!(journal.problem(), None);
    (result, journal.saves(), journal.is_closed())
}

#[test]
fn workers_that_go_on_find_and_count_what_they_would_have() {
    let (mut parts, mut saves, mut violated) = (0, 0, 0);
    for seed in 0..100 {
        let mut random = Random::new(seed);
        let (mut graph, mut goals) = random_case(&mut random, seed);
        if random.one_in(2) {
            graph = random_graph(seed, 3_000, 3, 2);
            goals = Goals { deadlock: Some(1002), ..avoid([]) };
        }
        let table = admissible(&mut random, &graph, &goals);
        let text = *random.pick(&["cluster-bfs", "cluster-astar(h=table)", "cluster-astar(h=table, order=layers)"]);
        let stop = *random.pick(&[StopPolicy::FirstError, StopPolicy::EveryProperty, StopPolicy::Exhaustive]);
        let depth = random.one_in(4).then(|| random.below(20) as u64);
        let threads = 1 + random.below(3);
        let run = |controls: Controls<'_>| {
            let controls = Controls { threads, limits: Limits { depth, ..Limits::default() }, ..controls };
            cluster(text, &graph, &goals, stop, &table, controls)
        };
        let whole = run(Controls::default());
        let saved = place();
        let in_parts = loop {
            let after = Duration::from_micros(random.below(8_000) as u64);
            let (result, written, is_closed) = run_part(saved.path(), after, &run);
            saves += written;
            if !is_closed {
                break result;
            }
            parts += 1;
        };
        let context = format!("seed {seed}, {text}, {stop:?}, {threads} threads: {in_parts:?}, expected {whole:?}");
        assert_eq!(in_parts.stop_reason, None, "{context}");
        let least = |result: &SearchResult| lengths(result).values().min().copied();
        assert_eq!(least(&in_parts), least(&whole), "{context}");
        if stop != StopPolicy::FirstError {
            assert_eq!(lengths(&in_parts), lengths(&whole), "{context}");
        }
        if stop == StopPolicy::Exhaustive {
            assert_eq!(in_parts.incomplete_because, whole.incomplete_because, "{context}");
        }
        let is_in_order = text != "cluster-astar(h=table)";
        if is_in_order && whole.witnesses.is_empty() && stop == StopPolicy::Exhaustive && !text.contains("astar") {
            assert_eq!(counts(&in_parts), counts(&whole), "{context}");
        }
        if whole.complete {
            assert_eq!(in_parts.stats.stored, whole.stats.stored, "{context}");
            assert_eq!(in_parts.stats.transitions, whole.stats.transitions, "{context}");
        }
        violated += u32::from(!whole.witnesses.is_empty());
    }
    assert!(parts > 10 && saves > 10 && violated > 5, "{parts} {saves} {violated}");
}

/// A thousand checkpoints with something wrong, most of them: refused, or the right answer.
#[test]
fn damaged_checkpoints_give_no_wrong_answer() {
    let graph = random_graph(3, 400, 3, 3);
    let goals = Goals { assertion: Some(0), ..avoid([11]) };
    let run = |controls: Controls<'_>| {
        let controls = Controls { threads: 2, ..controls };
        cluster("cluster-bfs", &graph, &goals, StopPolicy::Exhaustive, &Table::blind(), controls)
    };
    let whole = run(Controls::default());
    let place = place();
    let mut moments = Vec::new();
    let mut random = Random::new(1);
    for number in 0..200 {
        let directory = place.path().join(number.to_string());
        let after = Duration::from_micros(random.below(20_000) as u64);
        let (_, saves, is_closed) = run_part(&directory, after, &run);
        if is_closed && saves > 0 && moments.len() < 2 {
            moments.push(directory);
        }
    }
    assert_eq!(moments.len(), 2);
    let damaged = place.path().join("damaged");
    let (mut refused, mut right) = (0, 0);
    for number in 0..1000 {
        damage(&moments, &damaged, &mut random);
        let Ok(mut journal) = reopened(&damaged) else {
            refused += 1;
            continue;
        };
        let result = run(Controls { journal: Some((&mut journal, "one".into())), ..Controls::default() });
        assert_eq!(counts(&result), counts(&whole), "number {number}");
        assert_eq!(lengths(&result), lengths(&whole), "number {number}");
        right += 1;
    }
    assert!(refused > 500 && right > 20, "{refused} {right}");
}

/// Two processes that share a folder: the first one writes the manifest, the other one its own sections.
#[test]
fn processes_write_one_checkpoint_together() {
    let mut parts = 0;
    for seed in 0..8 {
        let mut random = Random::new(seed);
        let graph = random_graph(seed, 3_000, 3, 1);
        let goals = Goals { deadlock: Some(1002), ..avoid([]) };
        let stop = StopPolicy::Exhaustive;
        let text = ["cluster-bfs", "cluster-astar(h=table, order=layers)"][random.below(2)];
        let search = |controls: Controls<'_>| cluster(text, &graph, &goals, stop, &Table::blind(), controls);
        let whole = search(Controls::default());
        let saved = place();
        loop {
            let after = Duration::from_micros(random.below(25_000) as u64);
            let is_new = !saved.path().join("manifest").exists();
            let results = together(&["m", "m"], |membership| {
                let membership = membership.unwrap();
                membership.save_in(saved.path());
                let process = membership.process;
                membership.during(|| match process {
                    0 => {
                        let (result, _, is_closed) = run_part(saved.path(), after, &search);
                        (result, is_closed)
                    }
                    _ if is_new => (search(Controls::default()), false),
                    _ => {
                        let mut journal = Journal::beside_another(saved.path(), Identity::new()).unwrap();
                        let journal = Some((&mut journal, "one".into()));
                        (search(Controls { journal, ..Controls::default() }), false)
                    }
                })
            });
            let [(first, is_closed), (second, _)] = &results[..] else { panic!() };
            assert_eq!(first.stop_reason, second.stop_reason, "seed {seed}");
            if !is_closed {
                assert_eq!(counts(first), counts(&whole), "seed {seed}, {text}");
                assert_eq!(counts(second), counts(&whole), "seed {seed}, {text}");
                assert_eq!(lengths(first), lengths(&whole), "seed {seed}, {text}");
                break;
            }
            parts += 1;
        }
    }
    assert!(parts > 2, "{parts}");
}
