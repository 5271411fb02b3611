//! `bughound cluster`: a check by several processes, of this machine or of many.
//!
//! Every process runs the check; the first one prints the result. On one machine the others are started by the first, are told where
//! it listens, and end with it, whatever becomes of it.

use std::collections::hash_map::DefaultHasher;
use std::ffi::OsString;
use std::hash::Hasher;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use bughound::model::load;
use bughound::verdict::EXIT_USAGE;
use bughound_distributed::cluster::messages::Identity;
use bughound_distributed::cluster::{JoinError, Joining, MEETING, Places};
use clap::Args;

use super::arguments::CheckArguments;
use super::check;
use super::{Outcome, fail};

/// A longer file is something else.
const MOST_HOSTS_BYTES: u64 = 1 << 20;
/// The search where none is given.
const SEARCH: &str = "cluster-bfs";
/// Processes of this machine find each other at this address only.
const LOOPBACK: &str = "127.0.0.1:0";
/// Once the first process has its result, the others have so much time to end by themselves.
const ENDING: Duration = Duration::from_secs(2);

#[derive(Debug, Args)]
pub struct ClusterArguments {
    /// Start N processes on this machine, which talk to each other on the loopback interface only
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=256), help_heading = "Cluster", required_unless_present_any = ["hosts", "join"], conflicts_with_all = ["hosts", "process"])]
    local: Option<u64>,
    /// A file with a line HOST:PORT for each process; it listens there and nowhere else. Connections are neither encrypted nor
    /// authenticated: for trusted networks only
    #[arg(long, value_name = "FILE", help_heading = "Cluster", requires = "process")]
    hosts: Option<PathBuf>,
    /// Which of these processes this one is, from 0; the same command is given on each machine. Process 0 tells the result
    #[arg(long, value_name = "I", help_heading = "Cluster")]
    process: Option<usize>,
    /// Started by a process of this machine: where that one listens, and how many there are
    #[arg(long, value_name = "ADDRESS,N", hide = true, requires = "process")]
    join: Option<String>,
    #[command(flatten)]
    pub check: Box<CheckArguments>,
}

/// The place of this process among all.
struct Seat {
    process: usize,
    places: Places,
}

impl ClusterArguments {
    /// Only the first process looks at the clock, and tells.
    pub fn is_member(&self) -> bool {
        self.process.is_some_and(|process| process > 0)
    }

    fn seat(&self) -> Result<Seat, String> {
        let process = self.process.unwrap_or(0);
        let places = match (&self.local, &self.hosts, &self.join) {
            (Some(local), ..) => {
                let processes = *local as usize;
                Places::First { address: LOOPBACK.into(), processes, own: LOOPBACK.into() }
            }
            (_, Some(hosts), _) => Places::All(read_hosts(hosts)?),
            (.., Some(join)) => {
                let parts = join.split_once(',').and_then(|(address, number)| Some((address, number.parse().ok()?)));
                let (address, processes) = parts.ok_or("--join needs an address and a number")?;
                Places::First { address: address.into(), processes, own: LOOPBACK.into() }
            }
            _ => return Err("--local N or --hosts FILE says where the processes are".into()),
        };
        match &places {
            Places::All(all) if process >= all.len() => {
                Err(format!("there is no process {process}: the hosts file has {} lines", all.len()))
            }
            _ => Ok(Seat { process, places }),
        }
    }
}

/// One address for each line; what begins with `#` is a comment.
fn read_hosts(path: &std::path::Path) -> Result<Vec<String>, String> {
    let text = bughound::input::read_text(&path.display().to_string(), MOST_HOSTS_BYTES)?;
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or("").trim()).filter(|line| !line.is_empty());
    let hosts: Vec<String> = lines.map(str::to_string).collect();
    if let Some(wrong) = hosts.iter().find(|host| !host.contains(':')) {
        return Err(format!("{}: `{wrong}` is no HOST:PORT", path.display()));
    }
    if hosts.is_empty() { Err(format!("{} names no process", path.display())) } else { Ok(hosts) }
}

pub fn run(mut arguments: ClusterArguments) -> Outcome {
    let is_member = arguments.is_member();
    let wrong = |arguments: &ClusterArguments, message: &str, help| {
        fail(EXIT_USAGE, message, help, &arguments.check.output, None)
    };
    let Seat { process, places } = match arguments.seat() {
        Ok(seat) => seat,
        Err(why) => return wrong(&arguments, &why, None),
    };
    let check = &mut *arguments.check;
    let search = check.search.search.get_or_insert_with(|| SEARCH.into()).clone();
    check.search.run.threads.ask_for_one();
    if is_member {
        check.tells_nothing();
    }
    if !search.starts_with("cluster-") {
        let message = format!("`{search}` is a search for one process");
        return wrong(&arguments, &message, Some("`bughound list searches` has those that begin with cluster-"));
    }
    let identity = match identity(&arguments.check) {
        Ok(identity) => identity,
        // The check says what is wrong with the model, before anybody is waited for.
        Err(()) => return check::run(&arguments.check),
    };
    let joining = match Joining::open(process, places) {
        Ok(joining) => joining,
        Err(why) => return wrong(&arguments, &why.to_string(), None),
    };
    let children = match arguments.local.map(|local| start_others(local as usize, joining.address())).transpose() {
        Ok(children) => children,
        Err(why) => return wrong(&arguments, &format!("the other processes cannot be started: {why}"), None),
    };
    let outcome = match joining.meet(process, identity, MEETING) {
        Ok(membership) => membership.during(|| check::run(&arguments.check)),
        Err(JoinError::Refused(why) | JoinError::Unreachable(why)) => wrong(&arguments, &why, None),
    };
    drop(children);
    // What it found is known to the first one, which tells it.
    if is_member { Outcome { text: String::new(), ..outcome } } else { outcome }
}

/// What all processes must have in common.
fn identity(check: &CheckArguments) -> Result<Identity, ()> {
    let model = load(&check.model.file, &check.model.options(check.properties.added())).map_err(|_| ())?;
    let named = |name: &str, value: String| (name.to_string(), value);
    let mut options = check.run_options();
    // Each process has its own limits; the first one says when they are reached.
    (options.limits.until, options.limits.memory) = (None, None);
    Ok(vec![
        named("version of bughound", env!("CARGO_PKG_VERSION").into()),
        named("model", format!("{:016x}", hash(&format!("{:?}", model.network)))),
        named("properties", format!("{:?}", check.properties)),
        named("option about checkpoints", check.saving.option().unwrap_or("none").into()),
        named("options", format!("{options:?} {:?} {:?} {:?}", check.stop(), check.zones, check.all)),
    ])
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(text.as_bytes());
    hasher.finish()
}

/// Other processes, which do not outlive this one's interest in them.
struct Children(Vec<Child>);

impl Drop for Children {
    fn drop(&mut self) {
        let until = Instant::now() + ENDING;
        for child in &mut self.0 {
            while Instant::now() < until && matches!(child.try_wait(), Ok(None)) {
                std::thread::sleep(Duration::from_millis(5));
            }
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Starts the other processes of this machine, with the options of this one.
fn start_others(processes: usize, address: &str) -> std::io::Result<Children> {
    let program = std::env::current_exe()?;
    let mut others = Children(Vec::new());
    for process in 1..processes {
        let mut command = std::process::Command::new(&program);
        command.arg("cluster").args(["--join", &format!("{address},{processes}"), "--process", &process.to_string()]);
        command.args(own_options()).stdin(Stdio::null()).stdout(Stdio::null());
        // Ctrl-C is for the first process, which tells the others.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        others.0.push(command.spawn()?);
    }
    Ok(others)
}

/// The options of this process but those that say where others are.
fn own_options() -> Vec<OsString> {
    let mut words = std::env::args_os().skip(2);
    let mut kept = Vec::new();
    while let Some(word) = words.next() {
        match word.to_string_lossy().as_ref() {
            "--local" => drop(words.next()),
            "--" => {
                kept.push(word);
                kept.extend(words);
                break;
            }
            text if text.starts_with("--local=") => {}
            _ => kept.push(word),
        }
    }
    kept
}
