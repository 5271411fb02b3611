//! One search of several processes, beside the states: where they meet, what they tell each other, how they come to one verdict.

use std::path::Path;
use std::time::{Duration, Instant};

use bughound_checkpoint::Error;
use bughound_kernel::StopReason;
use bughound_search::engines::ending::Halt;
use bughound_search::{NetworkUse, Snapshot, StopPolicy};
use timely::communication::Hooks;
use timely::communication::allocator::ProcessBuilder;
use timely::communication::allocator::zero_copy::initialize::initialize_networking_from_sockets;

use super::lines::{Heard, call};
use super::messages::{Down, Hello, Identity, News, Up, Verdict, WrittenLink};
use super::stream::Quiet;
use super::{Lines, Membership, difference};
use crate::board::Board;
use crate::exchange::Connection;
use crate::finish::chosen;
use crate::nodes::Address;
use crate::saving::Section;
use crate::share::{Share, Sighting};

/// Processes that have come to the same search connect within this time.
const CONNECTING: Duration = Duration::from_secs(30);
/// Time between two pieces of news that are not urgent.
const NEWS: Duration = Duration::from_millis(100);

/// A search under way.
pub struct Together<'m> {
    membership: &'m Membership,
    /// Of each process.
    threads: usize,
    /// By process: what it has told.
    news: Vec<News>,
    shares: Vec<Option<Vec<Share>>>,
    /// By process: its line is lost.
    gone: Vec<bool>,
    told_end: bool,
    told_known: Option<u64>,
    told: News,
    told_at: Instant,
    number: u64,
    /// By process: its workers stand.
    stands: Vec<bool>,
    told_pause: bool,
}

/// What this process can be asked about: a state, and those before it as far as it owns them.
pub type Ask<'a> = &'a dyn Fn(Address) -> Vec<WrittenLink>;

/// Writes what this process has for a checkpoint with a number into a folder.
pub type Save<'a> = &'a dyn Fn(&Path, u64) -> Result<Vec<Section>, Error>;

const LOST: Halt = Halt::Limit(StopReason::LostWorker);

impl Membership {
    /// Meets the others at the next search, which `what` describes, and connects the workers of this process with theirs.
    /// `None`: somebody is lost.
    pub fn begin(&self, what: Identity, threads: usize) -> Option<(Together<'_>, Vec<Connection>)> {
        let number = self.searches.replace(self.searches.get() + 1);
        if self.lost.get() || !self.agree(number, what) {
            self.lose();
            return None;
        }
        let sockets = self.connect(number);
        let hooks = || Hooks::default();
        let local = ProcessBuilder::new_typed_vector(threads, hooks().refill, None);
        let network = sockets.and_then(|sockets| {
            initialize_networking_from_sockets(local, sockets, self.process, threads, hooks()).ok()
        });
        let Some((builders, guard)) = network else {
            self.lose();
            return None;
        };
        // It would wait for threads that wait for processes which are lost. They end by themselves when their connection does.
        std::mem::forget(guard);
        let together = Together {
            membership: self,
            threads,
            news: vec![News::default(); self.processes],
            shares: (0..self.processes).map(|_| None).collect(),
            gone: vec![false; self.processes],
            told_end: false,
            told_known: None,
            told: News::default(),
            told_at: Instant::now(),
            number,
            stands: vec![false; self.processes],
            told_pause: false,
        };
        Some((together, builders.into_iter().map(Connection::Network).collect()))
    }

    /// Nobody is waited for any more.
    fn lose(&self) {
        self.lost.set(true);
        if let Lines::Director { lines, .. } = &self.lines {
            for line in lines.iter().flatten() {
                line.say(&Down::Stop(LOST.into()));
            }
        }
    }

    /// Have all come to this search?
    fn agree(&self, number: u64, what: Identity) -> bool {
        match &self.lines {
            Lines::Member { line, heard, .. } => {
                if !line.say(&Up::Search { number, what }) {
                    return false;
                }
                loop {
                    match heard.recv() {
                        Ok(Heard::Said(Down::Begin { number: begun })) if begun == number => return true,
                        Ok(Heard::Said(Down::Stop(_) | Down::Refused(_)) | Heard::Lost) | Err(_) => return false,
                        Ok(Heard::Said(_)) => {}
                    }
                }
            }
            Lines::Director { lines, heard } => {
                let mut missing = self.processes - 1;
                while missing > 0 {
                    match heard.recv() {
                        Ok((process, Heard::Said(Up::Search { number: theirs, what: of }))) => {
                            let wrong = (theirs != number).then(|| format!("process {process} makes another search"));
                            if let Some(why) = wrong.or_else(|| difference(process, &what, &of)) {
                                lines.iter().flatten().for_each(|line| {
                                    line.say(&Down::Refused(why.clone()));
                                });
                                return false;
                            }
                            missing -= 1;
                        }
                        Ok((_, Heard::Lost)) | Err(_) => return false,
                        Ok((_, Heard::Said(_))) => {}
                    }
                }
                lines.iter().flatten().all(|line| line.say(&Down::Begin { number }))
            }
        }
    }

    /// A connection to each other process: the later one calls the earlier one.
    fn connect(&self, search: u64) -> Option<Vec<Option<Quiet>>> {
        let until = Instant::now() + CONNECTING;
        let hello = Hello::Peer { process: self.process, search, session: self.session };
        let connect = |other: usize| match other.cmp(&self.process) {
            std::cmp::Ordering::Less => call(&self.addresses[other], &hello, until).ok().map(Some),
            std::cmp::Ordering::Equal => Some(None),
            std::cmp::Ordering::Greater => self.awaited(other, search, until).map(Some),
        };
        (0..self.processes).map(|other| Some(connect(other)?.map(Quiet::new))).collect()
    }
}

impl Together<'_> {
    /// The number of the first worker of this process.
    pub fn first_worker(&self) -> usize {
        self.membership.process * self.threads
    }

    pub fn is_director(&self) -> bool {
        self.membership.process == 0
    }

    /// Listens, and tells what has happened here. To be called every few milliseconds while workers work.
    pub fn keep_in_touch(&mut self, board: &Board, now: &Snapshot) {
        match &self.membership.lines {
            Lines::Member { line, heard, .. } => {
                while let Ok(said) = heard.try_recv() {
                    match said {
                        Heard::Said(Down::Known(cost)) => board.know(cost),
                        Heard::Said(Down::Stop(end)) => board.end(end.into()),
                        Heard::Said(Down::Pause { number }) if number == self.number => board.pause.ask(),
                        Heard::Said(Down::Rest { number }) if number == self.number => board.pause.rest(),
                        Heard::Said(_) => {}
                        Heard::Lost => {
                            self.membership.lost.set(true);
                            board.end(LOST);
                        }
                    }
                }
                if board.all_stand() && !self.told_pause {
                    self.told_pause = true;
                    line.say(&Up::Stands { number: self.number });
                }
                let news = news(board, now);
                let urgent =
                    (news.end, news.known, &news.settled) != (self.told.end, self.told.known, &self.told.settled);
                if urgent || self.told_at.elapsed() >= NEWS {
                    line.say(&Up::News(news.clone()));
                    (self.told, self.told_at) = (news, Instant::now());
                }
            }
            Lines::Director { lines, heard } => {
                while let Ok((process, said)) = heard.try_recv() {
                    match said {
                        Heard::Said(Up::News(news)) => {
                            news.known.into_iter().for_each(|cost| board.know(cost));
                            news.settled.iter().for_each(|(property, cost)| board.settle(*property, *cost));
                            news.end.into_iter().for_each(|end| board.end(end.into()));
                            self.news[process] = news;
                        }
                        Heard::Said(Up::Shares { shares, end }) => {
                            end.into_iter().for_each(|end| board.end(end.into()));
                            self.shares[process] = Some(shares);
                        }
                        Heard::Said(Up::Stands { number }) if number == self.number => self.stands[process] = true,
                        Heard::Said(_) => {}
                        Heard::Lost => {
                            self.gone[process] = true;
                            self.membership.lost.set(true);
                            board.end(LOST);
                        }
                    }
                }
                if board.pause.is_asked() && !self.told_pause {
                    self.told_pause = true;
                    self.tell_all(&Down::Pause { number: self.number });
                }
                if board.all_stand() && self.stands.iter().skip(1).all(|stands| *stands) && !board.pause.rests() {
                    self.tell_all(&Down::Rest { number: self.number });
                    board.pause.rest();
                }
                let others: u64 = self.news.iter().map(|news| news.stored).sum();
                if board.most_states().is_some_and(|most| others + now.stored > most) {
                    board.end(Halt::Limit(StopReason::States));
                }
                if let Some(known) = board.known().filter(|known| self.told_known.is_none_or(|told| *known < told)) {
                    lines.iter().flatten().for_each(|line| {
                        line.say(&Down::Known(known));
                    });
                    self.told_known = Some(known);
                }
                self.tell_end(board);
            }
        }
    }

    fn tell_end(&mut self, board: &Board) {
        if let (Lines::Director { lines, .. }, Some(halt), false) =
            (&self.membership.lines, board.halted(), self.told_end)
        {
            self.told_end = true;
            lines.iter().flatten().for_each(|line| {
                line.say(&Down::Stop(halt.into()));
            });
        }
    }

    /// What others have told of how far they are, added to what is known here.
    pub fn add_others(&self, now: &mut Snapshot) {
        for news in &self.news {
            now.stored += news.stored;
            now.expanded += news.expanded;
            now.frontier += news.frontier;
            now.depth = now.depth.max(news.depth);
            now.best_estimate = now.best_estimate.into_iter().chain(news.best_estimate).min();
            now.at_least = now.at_least.max(news.at_least);
            let [sent_bytes, received_bytes, duplicates] = news.network;
            let network = NetworkUse { sent_bytes, received_bytes, duplicates };
            now.network.get_or_insert_default().add(&network);
        }
    }

    fn tell_all(&self, message: &Down) {
        if let Lines::Director { lines, .. } = &self.membership.lines {
            lines.iter().flatten().for_each(|line| {
                line.say(message);
            });
        }
    }

    /// The workers of this process, which is not the first one, have ended: comes to one verdict with all others. `None`: all rest,
    /// and the search goes on. `saved`: what was written is a checkpoint.
    pub fn report(
        &self,
        board: &Board,
        shares: Vec<Share>,
        ask: Ask<'_>,
        save: Save<'_>,
        mut saved: impl FnMut(bool),
    ) -> Option<Verdict> {
        let Lines::Member { line, heard, .. } = &self.membership.lines else { return Some(Verdict::default()) };
        line.say(&Up::Shares { shares: shares.clone(), end: board.halted().map(Into::into) });
        loop {
            match heard.recv() {
                Ok(Heard::Said(Down::Verdict(verdict))) => {
                    self.membership.lost.set(self.membership.lost.get() || verdict.incomplete);
                    return Some(verdict);
                }
                Ok(Heard::Said(Down::Save { generation })) => {
                    let folder = self.membership.folder.borrow();
                    let written = match folder.as_deref() {
                        Some(folder) => save(folder, generation).map_err(|error| error.to_string()),
                        None => Err(format!("process {} has no folder for checkpoints", self.membership.process)),
                    };
                    line.say(&Up::Saved(written));
                }
                Ok(Heard::Said(Down::GoOn { saved: is_saved })) => {
                    saved(is_saved);
                    return None;
                }
                Ok(Heard::Said(Down::Ask { worker, id })) => {
                    let at = Address { worker, id: bughound_kernel::StateId(id) };
                    line.say(&Up::Links(ask(at)));
                }
                Ok(Heard::Said(_)) => {}
                Ok(Heard::Lost) | Err(_) => {
                    self.membership.lost.set(true);
                    return Some(Verdict { shares, incomplete: true, ways: Vec::new(), end: Some(LOST.into()) });
                }
            }
        }
    }

    /// The workers of the first process have ended: waits for what those of all others have done. The shares that there are, and
    /// whether that is all.
    pub fn gather(&mut self, board: &Board, shares: Vec<Share>) -> (Vec<Share>, bool) {
        self.shares[0] = Some(shares);
        self.tell_end(board);
        let Lines::Director { lines, heard } = &self.membership.lines else { return (Vec::new(), false) };
        while self.shares.iter().zip(&self.gone).any(|(share, gone)| share.is_none() && !gone) {
            match heard.recv_timeout(super::lines::SILENCE) {
                Ok((process, Heard::Said(Up::Shares { shares, end }))) => {
                    end.into_iter().for_each(|end| board.end(end.into()));
                    self.shares[process] = Some(shares);
                }
                Ok((process, Heard::Lost)) => {
                    self.gone[process] = true;
                    board.end(LOST);
                    self.membership.lost.set(true);
                    lines.iter().flatten().for_each(|line| {
                        line.say(&Down::Stop(LOST.into()));
                    });
                }
                Ok((_, Heard::Said(_))) => {}
                // Somebody is alive, but does not come to an end: an expansion that heeds no signal. It is not waited for.
                Err(_) if board.halted().is_some() => break,
                Err(_) => {}
            }
        }
        let shares = self.shares.iter().flatten().flatten().cloned().collect();
        (shares, self.shares.iter().all(Option::is_some))
    }

    /// Has all others write their parts of a checkpoint. What they have written.
    pub fn collect(&mut self, board: &Board, generation: u64) -> Result<Vec<Section>, String> {
        self.tell_all(&Down::Save { generation });
        let Lines::Director { heard, .. } = &self.membership.lines else { return Ok(Vec::new()) };
        let mut sections = Vec::new();
        let mut failed = None;
        for _ in 1..self.membership.processes {
            loop {
                match heard.recv() {
                    Ok((_, Heard::Said(Up::Saved(Ok(written))))) => sections.extend(written),
                    Ok((_, Heard::Said(Up::Saved(Err(why))))) => failed = Some(why),
                    Ok((_, Heard::Said(_))) => continue,
                    Ok((_, Heard::Lost)) | Err(_) => {
                        self.membership.lost.set(true);
                        board.end(LOST);
                        return Err("a worker was lost".into());
                    }
                }
                break;
            }
        }
        failed.map_or(Ok(sections), Err)
    }

    /// Has all others go on.
    pub fn go_on(&self, saved: bool) {
        self.tell_all(&Down::GoOn { saved });
    }

    /// Comes to one verdict with all others, which have [told](Self::gather) their shares.
    pub fn conclude(
        &self,
        board: &Board,
        (shares, are_all): (Vec<Share>, bool),
        stop: StopPolicy,
        ask: Ask<'_>,
    ) -> Verdict {
        let incomplete = !are_all;
        let ways = chosen(&shares, stop).into_iter().map(|sighting| (sighting, self.way(sighting, ask)));
        let ways = ways.collect();
        let end = if incomplete { Some(LOST.into()) } else { board.halted().map(Into::into) };
        let verdict = Verdict { shares, incomplete, ways, end };
        self.membership.lost.set(self.membership.lost.get() || incomplete);
        self.tell_all(&Down::Verdict(verdict.clone()));
        verdict
    }

    /// Follows a way back from owner to owner: its states in words, from the first one.
    fn way(&self, sighting: Sighting, ask: Ask<'_>) -> Option<Vec<Vec<u32>>> {
        let mut states = Vec::new();
        let mut at = Some(sighting.at);
        while let Some(address) = at {
            let links = match address.worker as usize / self.threads {
                0 => ask(address),
                process => self.ask(process, address)?,
            };
            let (_, parent) = links.last()?;
            at = parent.map(|(worker, id)| Address { worker, id: bughound_kernel::StateId(id) });
            states.extend(links.into_iter().map(|(words, _)| words));
        }
        states.reverse();
        Some(states)
    }

    fn ask(&self, process: usize, at: Address) -> Option<Vec<WrittenLink>> {
        let Lines::Director { lines, heard } = &self.membership.lines else { return None };
        let line = lines.get(process)?.as_ref()?;
        if !line.say(&Down::Ask { worker: at.worker, id: at.id.0 }) {
            return None;
        }
        loop {
            match heard.recv().ok()? {
                (from, Heard::Said(Up::Links(links))) if from == process => return Some(links),
                (from, Heard::Lost) => {
                    self.membership.lost.set(true);
                    if from == process {
                        return None;
                    }
                }
                (_, Heard::Said(_)) => {}
            }
        }
    }
}

fn news(board: &Board, now: &Snapshot) -> News {
    let network = now.network.unwrap_or_default();
    News {
        stored: now.stored,
        expanded: now.expanded,
        frontier: now.frontier,
        depth: now.depth,
        memory: now.memory,
        network: [network.sent_bytes, network.received_bytes, network.duplicates],
        at_least: now.at_least,
        best_estimate: now.best_estimate,
        known: board.known(),
        settled: board.settled(),
        end: board.halted().map(Into::into),
    }
}
