//! `bughound cluster`: processes of this machine check a model together. Loopback only.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::Workspace;

/// Two ways to a false assertion, of different lengths, and a deadlock.
const MODEL: &str = "byte a, b; bool up;
active proctype P() { do :: a < 40 -> a++ :: a > 0 -> a-- :: a == 21 && b == 17 -> assert(false) od }
active proctype Q() { do :: b < 40 -> b++ :: b > 0 -> b-- :: up = !up od }
";

/// More states than anybody waits for.
const ENDLESS: &str = "int a, b, c, d;
active proctype P() { do :: a < 9999 -> a++ :: b < 9999 -> b++ :: c < 9999 -> c++ :: d < 9999 -> d++ od }
";

#[test]
fn several_processes_answer_as_one_does() {
    let workspace = Workspace::with("m.pml", MODEL);
    let alone = workspace.run(&["check", "m.pml", "--search", "bfs", "--threads", "1", "--json"]).exits(1).json();
    let length = |document: &serde_json::Value| document["properties"][1]["trace"]["length"].clone();
    for search in ["cluster-bfs", "cluster-astar", "cluster-astar(order=layers)"] {
        for processes in ["1", "2", "3"] {
            let ran = workspace.run(&["cluster", "--local", processes, "m.pml", "--search", search, "--json"]).exits(1);
            let document = ran.json();
            assert_eq!(length(&document), length(&alone), "{search}, {processes}");
            assert_eq!(document["properties"][1]["proven_shortest"], true, "{document}");
        }
    }
    // A beam that drops states may miss the error: which are the best depends on who is faster.
    workspace.run(&["cluster", "--local", "2", "m.pml", "--search", "cluster-beam(k=100000)", "--quiet"]).exits(1);
    let narrow = workspace.run(&["cluster", "--local", "2", "m.pml", "--search", "cluster-beam(k=50)", "--quiet"]);
    assert!([1, 3].contains(&narrow.code), "{}", narrow.out);
    let safe = MODEL.replace("assert(false)", "skip");
    let workspace = Workspace::with("m.pml", &safe);
    let counts = |arguments: &[&str]| {
        let document = workspace.run(&[arguments, &["m.pml", "--json", "--reduction", "off"]].concat()).exits(0).json();
        let stats = document["stats"].clone();
        let counts = ["stored", "expanded", "generated", "transitions", "depth"].map(|name| stats[name].clone());
        (counts, stats)
    };
    let (alone, _) = counts(&["check", "--search", "bfs", "--threads", "1"]);
    let (together, stats) = counts(&["cluster", "--local", "2", "--threads", "2"]);
    assert_eq!(together, alone);
    let workers = stats["workers"].as_array().unwrap();
    assert_eq!(workers.iter().map(|worker| worker["process"].as_u64().unwrap()).collect::<Vec<_>>(), [0, 0, 1, 1]);
    let sum = |name: &str| workers.iter().map(|worker| worker[name].as_u64().unwrap()).sum::<u64>();
    assert_eq!((Some(sum("stored")), sum("sent")), (alone[0].as_u64(), sum("received")));
    assert!(sum("sent") > 0 && sum("sent_bytes") == sum("received_bytes"));
}

#[test]
fn limits_end_all_processes() {
    let workspace = Workspace::with("m.pml", ENDLESS);
    let started = Instant::now();
    let run = |options: &[&str]| workspace.run(&[&["cluster", "--local", "2", "m.pml"], options].concat()).exits(4);
    run(&["--max-time", "2s"]).says("time limit");
    run(&["--max-states", "20000"]).says("number of states");
    run(&["--max-memory", "40M"]).says("memory limit");
    assert!(started.elapsed() < Duration::from_secs(60), "{:?}", started.elapsed());
}

#[test]
fn a_search_for_one_process_is_refused() {
    let workspace = Workspace::with("m.pml", MODEL);
    workspace.run(&["cluster", "--local", "2", "m.pml", "--search", "bfs"]).exits(2).complains("for one process");
    workspace.run(&["cluster", "m.pml"]).exits(2).complains("--local");
    workspace.write("hosts", "localhost\n");
    workspace.run(&["cluster", "--hosts", "hosts", "--process", "0", "m.pml"]).exits(2).complains("HOST:PORT");
    workspace.write("hosts", "127.0.0.1:1 # one\n");
    workspace.run(&["cluster", "--hosts", "hosts", "--process", "3", "m.pml"]).exits(2).complains("no process 3");
}

/// Whoever is killed: the others notice it within seconds, say so, and are gone.
#[cfg(target_os = "linux")]
#[test]
fn a_lost_process_is_a_verdict() {
    let workspace = Workspace::with("m.pml", ENDLESS);
    for (moment, of_first) in [(300, false), (900, false), (1500, false), (700, true)] {
        let mut first = Command::new(env!("CARGO_BIN_EXE_bughound"))
            .args(["cluster", "--local", "3", "m.pml", "--no-progress"])
            .current_dir(workspace.directory.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(moment));
        let others = children_of(first.id());
        assert_eq!(others.len(), 2);
        let killed = if of_first { first.id() } else { others[0] };
        let started = Instant::now();
        assert!(Command::new("kill").args(["-KILL", &killed.to_string()]).status().unwrap().success());
        if of_first {
            first.wait().unwrap();
        } else {
            let output = first.wait_with_output().unwrap();
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            assert_eq!(output.status.code(), Some(4), "{text}");
            assert!(text.contains("a worker was lost") && !text.contains("holds"), "{text}");
        }
        while others.iter().any(|other| is_running(*other)) {
            assert!(started.elapsed() < Duration::from_secs(15), "{moment}: somebody is still there");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

#[cfg(target_os = "linux")]
fn children_of(process: u32) -> Vec<u32> {
    let threads = std::fs::read_dir(format!("/proc/{process}/task")).unwrap();
    let of = |thread: std::fs::DirEntry| std::fs::read_to_string(thread.path().join("children")).unwrap_or_default();
    let children = threads.flatten().map(of).collect::<Vec<_>>().join(" ");
    children.split_whitespace().map(|word| word.parse().unwrap()).collect()
}

#[cfg(target_os = "linux")]
fn is_running(process: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat"));
    stat.is_ok_and(|stat| !stat.contains(") Z "))
}

/// Other processes, or other options, than those that were saved.
#[test]
fn a_checkpoint_of_another_cluster_is_refused_by_name() {
    let workspace = Workspace::with("m.pml", ENDLESS);
    let run = |processes: &str, more: &[&str]| {
        workspace.run(&[&["cluster", "--local", processes, "m.pml", "--max-time", "1s"], more].concat())
    };
    run("2", &["--checkpoint", "saved"]).exits(4).says("--resume saved");
    run("3", &["--resume", "saved"]).exits(2).complains("the number of processes: 2 then, 3 now");
    run("2", &["--resume", "saved", "--threads", "2"]).exits(2).complains("(--threads): 1 then, 2 now");
    run("2", &["--resume", "saved", "--search", "cluster-astar"]).exits(2).complains("--search: cluster-bfs then");
    run("2", &["--checkpoint", "other", "--search", "cluster-beam"])
        .exits(2)
        .complains("`cluster-beam` cannot be saved");
    run("2", &["--resume", "saved"]).exits(4).says("--resume saved");
}

/// A process of each line of a hosts file.
fn hosts(workspace: &Workspace, process: usize, more: &[&str]) -> std::process::Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bughound"));
    command.current_dir(workspace.path(".")).args(["cluster", "--hosts", "hosts.txt", "--process"]);
    command.arg(process.to_string()).args(["m.pml", "--json", "--no-progress"]).args(more);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Two ports that nobody uses at the moment.
fn write_hosts(workspace: &Workspace) {
    let listeners = [(); 2].map(|()| std::net::TcpListener::bind("127.0.0.1:0").unwrap());
    let lines: Vec<String> = listeners.iter().map(|one| one.local_addr().unwrap().to_string()).collect();
    workspace.write("hosts.txt", &format!("{}  # the first one\n\n{}\n", lines[0], lines[1]));
}

#[test]
fn processes_of_a_hosts_file_answer_as_one_does() {
    let workspace = Workspace::with("m.pml", MODEL);
    let alone = workspace.run(&["check", "m.pml", "--search", "bfs", "--threads", "1", "--json"]).exits(1).json();
    write_hosts(&workspace);
    // Who comes last does not matter.
    for first in [0, 1] {
        let early = hosts(&workspace, first, &[]);
        let late = hosts(&workspace, 1 - first, &[]);
        let [early, late] = [early, late].map(|child| child.wait_with_output().unwrap());
        assert_eq!((early.status.code(), late.status.code()), (Some(1), Some(1)), "{early:?} {late:?}");
        let (told, silent) = if first == 0 { (early, late) } else { (late, early) };
        assert!(silent.stdout.is_empty(), "{silent:?}");
        let document: serde_json::Value = serde_json::from_slice(&told.stdout).unwrap();
        let property = |document: &serde_json::Value| {
            let property = &document["properties"][1];
            (property["verdict"].clone(), property["trace"]["length"].clone(), property["proven_shortest"].clone())
        };
        assert_eq!(property(&document), property(&alone));
    }
}

#[test]
fn a_process_of_a_hosts_file_that_is_killed_is_noticed_and_the_search_goes_on_later() {
    let workspace = Workspace::with("m.pml", ENDLESS);
    for killed in [0, 1] {
        write_hosts(&workspace);
        let directory = format!("saved-{killed}");
        let saved = ["--checkpoint", &directory, "--every", "50ms"];
        let mut all = [0, 1].map(|process| hosts(&workspace, process, &saved));
        let manifest = workspace.path(&directory).join("manifest");
        let begun = Instant::now();
        let states = || std::fs::read_to_string(&manifest).is_ok_and(|text| text.contains("cluster-1-states"));
        while !states() && begun.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(20));
        }
        all[killed].kill().unwrap();
        let started = Instant::now();
        let outputs = all.map(|child| child.wait_with_output().unwrap());
        assert!(started.elapsed() < Duration::from_secs(30), "{:?}", started.elapsed());
        assert_eq!(outputs[1 - killed].status.code(), Some(4), "{outputs:?}");
        if killed == 1 {
            assert!(String::from_utf8_lossy(&outputs[0].stdout).contains("worker was lost"), "{outputs:?}");
        }
        write_hosts(&workspace);
        let limit = ["--resume", &directory, "--max-time", "1s"];
        let outputs = [0, 1].map(|process| hosts(&workspace, process, &limit)).map(|child| child.wait_with_output());
        let document: serde_json::Value = serde_json::from_slice(&outputs[0].as_ref().unwrap().stdout).unwrap();
        assert_eq!(document["properties"][0]["reason"], "the time limit was reached", "{document}");
    }
}
