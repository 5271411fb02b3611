//! Several processes, here as threads of one that talk over the loopback interface as processes do: the same answers as one worker, and
//! no answer more than that when one of them is lost.

use std::sync::mpsc;
use std::time::{Duration, Instant};

use bughound_distributed::cluster::messages::Identity;
use bughound_distributed::cluster::{JoinError, Joining, Membership, Places};
use bughound_kernel::{Random, StopReason};
use bughound_search::*;

use crate::graphs::{admissible, cluster, random_case};
use crate::support::*;

const PATIENCE: Duration = Duration::from_secs(20);

fn identity(model: &str) -> Identity {
    vec![("version".into(), "1".into()), ("model".into(), model.into())]
}

/// Has so many processes meet, each with a model, and do this.
pub fn together<R: Send>(models: &[&str], work: impl Fn(Result<Membership, JoinError>) -> R + Sync) -> Vec<R> {
    let first = Places::First { address: "127.0.0.1:0".into(), processes: models.len(), own: "127.0.0.1:0".into() };
    let director = Joining::open(0, first).unwrap();
    let address = director.address().to_string();
    let (work, address) = (&work, &address);
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..models.len())
            .map(|process| {
                scope.spawn(move || {
                    let (address, own) = (address.clone(), "127.0.0.1:0".into());
                    let joining =
                        Joining::open(process, Places::First { address, processes: models.len(), own }).unwrap();
                    work(joining.meet(process, identity(models[process]), PATIENCE))
                })
            })
            .collect();
        let first = work(director.meet(0, identity(models[0]), PATIENCE));
        [first].into_iter().chain(others.into_iter().map(|other| other.join().unwrap())).collect()
    })
}

#[test]
fn processes_find_what_one_worker_finds() {
    let mut found = 0;
    for (processes, threads, seeds) in [(2, 1, 0..40), (3, 2, 40..55)] {
        let all = together(&vec!["m"; processes], |membership| {
            membership.unwrap().during(|| {
                let mut told = Vec::new();
                for seed in seeds.clone() {
                    let mut random = Random::new(seed);
                    let (graph, goals) = random_case(&mut random, seed);
                    let table = admissible(&mut random, &graph, &goals);
                    for (text, stop) in [
                        ("cluster-bfs", StopPolicy::Exhaustive),
                        ("cluster-bfs", StopPolicy::FirstError),
                        ("cluster-astar", StopPolicy::FirstError),
                        ("cluster-astar", StopPolicy::EveryProperty),
                        ("cluster-beam(k=2)", StopPolicy::FirstError),
                    ] {
                        let controls = Controls { threads, ..Controls::default() };
                        let result = cluster(text, &graph, &goals, stop, &table, controls);
                        let alone = run("bfs", &graph, &goals, stop);
                        let context = format!("{text}, seed {seed}, {stop:?}: {result:?} and not {alone:?}");
                        let least = |result: &SearchResult| result.witnesses.iter().map(|witness| witness.length).min();
                        if !text.contains("beam") {
                            assert_eq!(least(&result), least(&alone), "{context}");
                            assert!(result.witnesses.iter().all(|witness| witness.proven_shortest), "{context}");
                        }
                        if stop == StopPolicy::Exhaustive {
                            let counts = |result: &SearchResult| {
                                let stats = &result.stats;
                                (lengths(result), stats.stored, stats.transitions, stats.expanded, stats.generated)
                            };
                            assert_eq!(counts(&result), counts(&alone), "{context}");
                            assert_eq!(
                                (result.complete, result.stats.workers.len()),
                                (alone.complete, processes * threads)
                            );
                        }
                        told.push((result.witnesses, result.complete, result.at_least, result.stats.stored));
                    }
                }
                told
            })
        });
        // Everybody comes to the same result.
        assert!(all.windows(2).all(|pair| pair[0] == pair[1]));
        found += all[0].iter().map(|(witnesses, ..)| witnesses.len()).sum::<usize>();
    }
    assert!(found > 100, "{found}");
}

#[test]
fn who_has_another_model_is_refused_by_name() {
    let told = together(&["a", "b"], |membership| membership.map(|_| ()).unwrap_err());
    for told in told {
        let JoinError::Refused(why) = told else { panic!("{told}") };
        assert!(why.contains("process 1 has another model than process 0: b, not a"), "{why}");
    }
}

#[test]
fn who_makes_another_search_is_not_searched_with() {
    let reasons = together(&["m", "m"], |membership| {
        let membership = membership.unwrap();
        let other = membership.process;
        membership.during(|| {
            let graph = Graph::new(vec![to(0, 1, 1), to(1, 1, 0)]);
            let result = cluster(
                ["cluster-bfs", "cluster-astar"][other],
                &graph,
                &Goals::none(),
                StopPolicy::Exhaustive,
                &Table::blind(),
                Controls::default(),
            );
            (result.stop_reason, result.complete)
        })
    });
    assert_eq!(reasons, [(Some(StopReason::LostWorker), false); 2]);
}

/// A process that leaves before a search: the others say so, for this search and all that follow, and do not wait.
#[test]
fn who_has_left_is_noticed() {
    for gone in [0, 1, 2] {
        let (left, has_left) = mpsc::channel::<()>();
        let has_left = std::sync::Mutex::new(has_left);
        let left = std::sync::Mutex::new(Some(left));
        let results = together(&["m"; 3], |membership| {
            let membership = membership.unwrap();
            if membership.process == gone {
                drop(membership);
                left.lock().unwrap().take();
                return None;
            }
            let _ = has_left.lock().unwrap().recv();
            let started = Instant::now();
            let results = membership.during(|| {
                let graph = Graph::new(vec![to(0, 1, 1), to(1, 1, 0)]);
                [0, 1].map(|_| {
                    let (none, table) = (Goals::none(), Table::blind());
                    cluster("cluster-bfs", &graph, &none, StopPolicy::Exhaustive, &table, Controls::default())
                })
            });
            assert!(started.elapsed() < Duration::from_secs(15), "{:?}", started.elapsed());
            Some(results.map(|result| (result.stop_reason, result.complete)))
        });
        let expected = Some([(Some(StopReason::LostWorker), false); 2]);
        assert_eq!(results.iter().filter(|result| **result == expected).count(), 2, "{gone}: {results:?}");
    }
}
