//! Searches from disk as a user meets them: infinite runs by a few bits for each state, and one search by several processes.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

fn bughound(command: &str, disk: &Path, options: &[&str]) -> Command {
    let mut child = Command::new(env!("CARGO_BIN_EXE_bughound"));
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/promela");
    child.current_dir(models).args([command, "--json", "--no-progress", "--disk"]).arg(disk).args(options);
    child
}

fn document(output: &std::process::Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

fn is_empty(folder: &Path) -> bool {
    std::fs::read_dir(folder).unwrap().next().is_none()
}

#[test]
fn infinite_runs_are_found_where_they_are() {
    let disk = tempfile::tempdir().unwrap();
    let verdict = |search: &str, options: &[&str]| {
        let asked = ["--search", search, "elevator.pml", "served"];
        let output = bughound("check", disk.path(), &[options, &asked[..]].concat()).output().unwrap();
        assert!(is_empty(disk.path()), "files are left");
        document(&output)["properties"][0]["verdict"].as_str().unwrap().to_owned()
    };
    for (options, expected) in [(&[][..], "holds"), (&["-DHASTY"], "violated"), (&["-DN=6"], "holds")] {
        assert_eq!(verdict("semi-external-dfs", options), expected, "{options:?}");
    }
    let fair = ["-DHASTY", "--fair", "weak"];
    assert_eq!(verdict("semi-external-dfs", &fair), verdict("nested-dfs", &fair));
}

#[test]
fn what_does_not_fit_is_refused_by_name() {
    let disk = tempfile::tempdir().unwrap();
    let search = ["--search", "semi-external-dfs", "--max-depth", "5", "elevator.pml", "served"];
    let output = bughound("check", disk.path(), &search).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("bound on the depth"), "{output:?}");
}

#[test]
fn processes_share_a_search() {
    let disk = tempfile::tempdir().unwrap();
    let options = ["--search", "external-queue(parts=4)", "-DN=6", "hanoi.pml"];
    // The first one leaves early; what it has done stays.
    let few = [&["--max-states", "300"], &options[..]].concat();
    let left = bughound("explore", disk.path(), &few).output().unwrap();
    assert_eq!((left.status.code(), &document(&left)["stats"]["stored"]), (Some(4), &Value::from(300)));
    assert!(!is_empty(disk.path()));
    let start = || bughound("explore", disk.path(), &options).stdout(Stdio::piped()).spawn().unwrap();
    let processes: Vec<_> = (0..3).map(|_| start()).collect();
    for process in processes {
        let output = process.wait_with_output().unwrap();
        let stats = &document(&output)["stats"];
        assert_eq!((&stats["stored"], &stats["complete"]), (&Value::from(4_096), &Value::from(true)), "{stats}");
        assert_eq!((&stats["transitions"], &stats["depth"]), (&Value::from(24_192), &Value::from(17)), "{stats}");
    }
    assert!(is_empty(disk.path()));
}

#[test]
fn a_shared_search_needs_a_folder() {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/promela");
    let mut child = Command::new(env!("CARGO_BIN_EXE_bughound"));
    let output =
        child.current_dir(models).args(["explore", "--search", "external-queue", "hanoi.pml"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("--disk DIR"), "{output:?}");
}

#[test]
fn a_disk_where_nothing_can_be_kept_is_refused_at_once() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("file");
    std::fs::write(&file, "not a directory").unwrap();
    for (disk, why) in [(file.as_path(), "nothing can be kept there"), (Path::new(""), "no directory is named")] {
        let output = bughound("explore", disk, &["--search", "bfs", "hanoi.pml", "-DN=3"]).output().unwrap();
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && complaint.contains(why), "{complaint}");
    }
    let new = place.path().join("made/when/needed");
    let output = bughound("explore", &new, &["--search", "external-bfs", "hanoi.pml", "-DN=3"]).output().unwrap();
    assert!(output.status.success() && is_empty(&new), "{output:?}");
}

/// What a search needs is its share of the memory that is left, however little that is.
#[test]
fn little_memory_does_not_end_a_search_on_disk() {
    let disk = tempfile::tempdir().unwrap();
    let asked = ["--search", "external-bfs", "--threads", "1", "--max-memory", "36M", "hanoi.pml", "-DN=9"];
    let told = document(&bughound("explore", disk.path(), &asked).output().unwrap());
    assert_eq!((&told["reason"], &told["stats"]["stored"]), (&Value::Null, &Value::from(1 << 18)), "{told}");
    assert!(told["stats"]["disk"]["written_bytes"].as_u64() > Some(100_000), "{told}");
}
