//! What the machine offers and what this process has used of it.

use std::fs;
use std::sync::OnceLock;
use std::time::Duration;

/// Share of the memory that a run may take unless the user says otherwise.
const DEFAULT_SHARE: f64 = 0.8;
/// Where nothing is known about the machine.
const FALLBACK: u64 = 4 << 30;

/// The default of `--max-memory`: 80 % of what the machine or the container has.
pub fn default_memory_limit() -> u64 {
    (total_memory() as f64 * DEFAULT_SHARE) as u64
}

/// What the machine or the container has.
pub fn total_memory() -> u64 {
    static TOTAL: OnceLock<u64> = OnceLock::new();
    *TOTAL.get_or_init(|| [memory_total(), container_limit()].into_iter().flatten().min().unwrap_or(FALLBACK))
}

/// The largest memory this process has had so far; 0 where that is not known.
pub fn peak_memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    kilobytes(&status, "VmHWM:").unwrap_or(0)
}

/// The memory that this process has now; 0 where that is not known.
pub fn resident_memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    kilobytes(&status, "VmRSS:").unwrap_or(0)
}

/// The same without what lies in files, such as the program itself; 0 where that is not known.
pub fn own_memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    kilobytes(&status, "RssAnon:").unwrap_or(0)
}

/// Time that all threads of this process have spent on processors, in user and system mode.
#[cfg(unix)]
pub fn cpu_time() -> Option<Duration> {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Some(Duration::new(now.tv_sec.try_into().ok()?, now.tv_nsec.try_into().ok()?))
}

#[cfg(not(unix))]
pub fn cpu_time() -> Option<Duration> {
    None
}

fn memory_total() -> Option<u64> {
    kilobytes(&fs::read_to_string("/proc/meminfo").ok()?, "MemTotal:")
}

/// A line such as `VmHWM:     1234 kB`, in bytes.
fn kilobytes(text: &str, key: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    line.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
}

/// The limit of the control group this process is in, version 2 or 1, with all groups above it.
fn container_limit() -> Option<u64> {
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let mut limits = Vec::new();
    for line in groups.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else { continue };
        let (root, file) = match controllers {
            "" => ("/sys/fs/cgroup", "memory.max"),
            c if c.split(',').any(|c| c == "memory") => ("/sys/fs/cgroup/memory", "memory.limit_in_bytes"),
            _ => continue,
        };
        let mut path = path.trim_end_matches('/');
        loop {
            limits.extend(limit_in(&format!("{root}{path}/{file}")));
            match path.rfind('/') {
                Some(at) => path = &path[..at],
                None => break,
            }
        }
    }
    limits.into_iter().min()
}

fn limit_in(file: &str) -> Option<u64> {
    fs::read_to_string(file).ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn work_takes_time_on_the_processor() {
        let before = cpu_time().unwrap();
        while cpu_time().unwrap() == before {
            std::hint::black_box((0..1000_u64).sum::<u64>());
        }
    }

    #[test]
    fn lines_in_kilobytes() {
        assert_eq!(kilobytes("VmPeak:\t 9 kB\nVmHWM:\t    2 kB\n", "VmHWM:"), Some(2048));
        assert_eq!(kilobytes("", "VmHWM:"), None);
        assert!(default_memory_limit() > 1 << 20);
        assert!(!cfg!(target_os = "linux") || resident_memory() > 1 << 16);
    }
}
