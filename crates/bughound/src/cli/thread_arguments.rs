//! How many threads search, and where random numbers begin.

use clap::Args;

/// What decides whether a run is the same every time.
#[derive(Debug, Args)]
pub struct ThreadArguments {
    /// Seed for everything random [default: 0]. If it is given, one thread searches, unless --threads says otherwise
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Search with so many threads; `all`: one for each core. Searches by length, by estimate, by the size of zones and for
    /// accepting components can use them; verdicts and proven lengths stay the same, but which of several traces is shown may
    /// change from run to run. By default check begins with one thread, and others join it when a search has become long: what
    /// is over before is the same every time, and everything is with --threads 1 [default for other commands: 1]
    #[arg(long, value_name = "N|all", value_parser = parse_threads)]
    threads: Option<usize>,
}

/// A search without `--threads` goes on with several threads when it has generated so many states: some tenths of a second.
const ALONE: u64 = 200_000;

impl ThreadArguments {
    pub fn seed(&self) -> u64 {
        self.seed.unwrap_or(0)
    }

    /// How many threads may search if nothing is said about it, and how long the first is alone.
    pub fn for_check(&self) -> (usize, u64) {
        match (self.threads, self.seed) {
            (Some(threads), _) => (threads, 0),
            (None, Some(_)) => (1, 0),
            (None, None) => (cores(), ALONE),
        }
    }

    /// One thread searches if nothing is said about it.
    pub fn ask_for_one(&mut self) {
        self.threads.get_or_insert(1);
    }

    /// How many threads were asked for.
    pub fn asked(&self) -> usize {
        self.threads.unwrap_or(1)
    }
}

/// More would be a mistake.
const MOST_THREADS: usize = 1024;

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

fn parse_threads(text: &str) -> Result<usize, String> {
    if text == "all" {
        return Ok(cores());
    }
    let number = text.parse().ok().filter(|number| (1..=MOST_THREADS).contains(number));
    number.ok_or_else(|| format!("expected a number from 1 to {MOST_THREADS}, or `all`"))
}
