//! Progress on the standard error: a live line on a terminal, a plain line now and then otherwise.

use std::io::{IsTerminal, Write};
use std::time::Duration;

use bughound::printable::printable;
use bughound_search::Progress;

use super::quantities::{bytes, count, time};

/// Short runs say nothing.
const FIRST: Duration = Duration::from_secs(1);
/// Time between two plain lines.
const PLAIN_INTERVAL: Duration = Duration::from_secs(10);

/// Writes progress reports of a search.
pub struct ProgressLine {
    live: bool,
    /// A live line stands on the terminal.
    shown: bool,
    last: Duration,
    /// An error was known at the last report.
    known: bool,
    color: bool,
}

impl ProgressLine {
    pub fn new(color: bool) -> ProgressLine {
        ProgressLine { live: std::io::stderr().is_terminal(), shown: false, last: Duration::ZERO, known: false, color }
    }

    pub fn report(&mut self, progress: &Progress) {
        if progress.elapsed < FIRST {
            // A new search of the same run starts its clock again.
            self.last = Duration::ZERO;
            return;
        }
        let text = printable(&describe(progress)).into_owned();
        let mut out = std::io::stderr().lock();
        if self.live {
            let text = fitting(&text, super::terminal::columns(&std::io::stderr()).unwrap_or(80));
            let (dim, plain) = if self.color { ("\x1b[2m", "\x1b[0m") } else { ("", "") };
            let _ = write!(out, "\r\x1b[2K{dim}{text}{plain}");
            let _ = out.flush();
            self.shown = true;
        } else if progress.elapsed.saturating_sub(self.last) >= PLAIN_INTERVAL || self.is_news(progress) {
            self.last = progress.elapsed;
            let _ = writeln!(out, "{text}");
        }
    }

    /// An error is known that was not known before.
    fn is_news(&mut self, progress: &Progress) -> bool {
        std::mem::replace(&mut self.known, progress.known.is_some()) != progress.known.is_some() && self.known
    }

    /// Takes the live line away.
    pub fn clear(&mut self) {
        if std::mem::take(&mut self.shown) {
            let mut out = std::io::stderr().lock();
            let _ = write!(out, "\r\x1b[2K");
            let _ = out.flush();
        }
    }
}

/// As much of a line as a terminal can show without wrapping it: a line that is wrapped cannot be taken back. Some terminals
/// wrap once the last column is full.
fn fitting(text: &str, columns: usize) -> String {
    let room = columns.saturating_sub(1);
    match text.char_indices().nth(room) {
        None => text.to_string(),
        Some(_) if room == 0 => String::new(),
        Some(_) => text.chars().take(room - 1).chain(['…']).collect(),
    }
}

fn describe(progress: &Progress) -> String {
    let now = &progress.now;
    if let Some((heuristic, work)) = &now.preparing {
        return format!(
            "building {heuristic}: {} units of work, {}, {}",
            count(*work),
            bytes(now.memory),
            time(progress.elapsed)
        );
    }
    let known = match (progress.known, progress.at_least) {
        (None, _) => String::new(),
        (Some(length), 0) => format!("error known (length {}), ", count(length)),
        (Some(cost), least) => format!("known: cost {}, at least {}, ", count(cost), count(least)),
    };
    let disk = now.disk.filter(|disk| disk.written > 0).map_or(String::new(), |disk| {
        let (written, read) = progress.disk_rates;
        let rates = format!("{} /s written, {} /s read", bytes(written as u64), bytes(read as u64));
        format!(", disk {} ({rates}, {} duplicates)", bytes(disk.used), count(disk.duplicates))
    });
    let network = now.network.map_or(String::new(), |network| {
        let (sent, received) = progress.network_rates;
        let rates = format!("{} /s sent, {} /s received", bytes(sent as u64), bytes(received as u64));
        format!(", network ({rates}, {} duplicates)", count(network.duplicates))
    });
    let left = progress.left.map_or(String::new(), |left| {
        format!(", about {} more ({})", count(rounded(left.expansions)), time(left.time))
    });
    let best = now.best_estimate.map_or(String::new(), |h| format!(", best h {h}"));
    format!(
        "{known}{}: {} states, {} /s{left}, frontier {}, depth {}{best}{disk}{network}, {}, {}",
        now.phase,
        count(now.stored),
        count(progress.rate as u64),
        count(now.frontier),
        count(now.depth),
        bytes(now.memory),
        time(progress.elapsed)
    )
}

/// Two digits: more would look like knowledge.
fn rounded(guess: u64) -> u64 {
    let unit = 10u64.pow(guess.checked_ilog10().unwrap_or(0).saturating_sub(1));
    guess / unit * unit
}

#[cfg(test)]
mod tests {
    use bughound_search::outlook::Left;
    use bughound_search::{DiskUse, NetworkUse, Snapshot};

    use super::*;

    #[test]
    fn a_line_tells_of_disk_and_network_and_of_what_is_left() {
        let disk = DiskUse { used: 5_000_000, written: 9_000_000, duplicates: 1_234, ..DiskUse::default() };
        let now = Snapshot { phase: "bfs", stored: 10, disk: Some(disk), ..Snapshot::default() };
        let mut progress = Progress {
            now,
            rate: 100.0,
            disk_rates: (1_048_576.0, 2_097_152.0),
            network_rates: (3_145_728.0, 4_194_304.0),
            left: Some(Left { expansions: 123_456, time: Duration::from_secs(90) }),
            elapsed: Duration::from_secs(5),
            known: None,
            at_least: 0,
        };
        let line = describe(&progress);
        assert!(line.contains("about 120,000 more (90.0 s)"), "{line}");
        assert!(line.contains("1.0 MB /s written, 2.0 MB /s read, 1,234 duplicates"), "{line}");
        assert!(!line.contains("network"), "{line}");
        progress.now.network = Some(NetworkUse { duplicates: 56, ..NetworkUse::default() });
        let line = describe(&progress);
        assert!(line.contains("network (3.0 MB /s sent, 4.0 MB /s received, 56 duplicates)"), "{line}");
    }

    #[test]
    fn a_live_line_fits_the_terminal() {
        let text = "error known (length 57), astar: 1,234,567 states, 100,000 /s, frontier 99,999, depth 44, 12.0 s";
        for columns in 0..150 {
            let line = fitting(text, columns);
            assert!(line.chars().count() < columns.max(1), "{columns}: {line}");
            assert_eq!(line == text, columns > text.chars().count(), "{columns}: {line}");
        }
        assert_eq!(fitting("größer als breit", 8), "größer…");
    }
}
