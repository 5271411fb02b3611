//! The loop of one worker: open what has come in, expand what has its turn, send what belongs to others.
//!
//! **Turns.** In *layers*, a state is expanded only when [the frontier](crate::exchange) has come to its key: nothing cheaper is open
//! or under way anywhere, so every state is expanded once. *At once*, a worker expands the best state that it has (hash-distributed
//! A\*): nobody waits, some states are expanded before a cheaper way to them has come in, and again after that. A *beam* takes
//! layers, and of each the best states of all workers together ([`beam`](crate::beam)).
//!
//! **When errors count.** An error of cost c is a result when the frontier has come to c. A state with g + h < c, at its least g on
//! some way to a cheaper error, would be open or under way before c: the moment of a state is the largest g + h on its way, which
//! an admissible h keeps at or below the cost of every error on it. So all such states were expanded, and every error cheaper
//! than c is known to the worker that has met it; the cheapest of all workers is taken. With estimates that are not admissible an
//! error counts at once, and is not called shortest.
//!
//! **Where a state is known.** Its owner keeps it, its cost, and its parent as worker and number; ways back are followed from owner
//! to owner when the search is over.

mod arrivals;
mod expansion;

use arrivals::Way;

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use bughound_kernel::{Explorer, MOST_EXPECTED, Part, StateBuf, StateId, StateStore, StopReason, TransitionSystem};
use bughound_search::engines::ending::Halt;
use bughound_search::evaluators::Priority;
use bughound_search::open_lists::Divisible;
use bughound_search::{Goals, NetworkUse, Snapshot, WorkerCounts};

use crate::beam::Beam;
use crate::board::Board;
use crate::departing::Departing;
use crate::exchange::Port;
use crate::moment::Moment;
use crate::nodes::Nodes;
use crate::owner::Owners;
use crate::parcel::{Courier, Kind, Parcel};
use crate::saving::SavedStates;
use crate::sent::SentStates;
use crate::share::{Share, Sighting};

/// Which states have their turn.
pub enum Agenda<O> {
    /// The best of those that wait, when nothing better is open or under way.
    InLayers(O),
    /// The best of those that wait.
    AtOnce(O),
    Beam(Beam),
}

/// What a worker needs besides what it has of its own.
#[derive(Clone, Copy)]
pub struct Work<'w> {
    pub system: &'w dyn TransitionSystem,
    pub goals: &'w Goals,
    pub board: &'w Board,
    /// Longest paths considered.
    pub bound: Option<u64>,
    /// Which of the steps of a state are taken.
    pub part: Part,
    pub phase: &'static str,
    pub process: u32,
    /// Bytes that the stores of all workers of the process may take together.
    pub memory: Option<u64>,
}

pub struct Worker<'w, O, P: Priority> {
    work: Work<'w>,
    number: usize,
    store: Box<dyn StateStore + 'w>,
    nodes: Nodes,
    agenda: Agenda<O>,
    priority: P,
    port: Port,
    probe: Box<dyn Explorer + 'w>,
    owners: Owners,
    courier: Courier,
    sent: SentStates,
    departing: Departing,
    /// By worker: what is to be sent at the moment that is held.
    outgoing: Vec<Vec<u32>>,
    displaced: Vec<StateId>,
    /// How the states were reached that the store expects.
    expected: VecDeque<Way>,
    share: Share,
    sightings: Vec<Sighting>,
    /// The layer of a beam that is being expanded.
    layer: VecDeque<StateId>,
    /// It expands nothing because of a pause.
    stands: bool,
    /// It holds no moment because of a pause.
    rests: bool,
    has_begun: bool,
    saved: SavedStates,
    started: Instant,
    waited: Duration,
}

/// What a worker has before and after it works: its states can be looked up, and it can go on.
pub struct Left<'w, O, P> {
    pub share: Share,
    pub store: Box<dyn StateStore + 'w>,
    pub nodes: Nodes,
    pub agenda: Agenda<O>,
    pub priority: P,
    pub courier: Courier,
    /// The initial states are opened.
    pub has_begun: bool,
    /// States that are in a checkpoint.
    pub saved: SavedStates,
}

impl<'w, O, P> Left<'w, O, P> {
    /// Of a worker that has done nothing so far.
    pub fn new(work: Work<'w>, store: Box<dyn StateStore + 'w>, agenda: Agenda<O>, priority: P) -> Self {
        Left {
            share: Share::default(),
            store,
            nodes: Nodes::new(),
            agenda,
            priority,
            courier: Courier::new(work.system.layout()),
            has_begun: false,
            saved: SavedStates::default(),
        }
    }
}

/// So much work is done before the next look at what has come in.
const TURN: u64 = 2_000;
/// Words of a parcel that is sent before the end of a turn.
const FULL: usize = 1 << 13;
/// Who has nothing to do looks about after this time, whatever has come in.
const PATIENCE: Duration = Duration::from_millis(2);

impl<'w, O: Divisible<P::Key>, P: Priority> Worker<'w, O, P> {
    pub fn new(work: Work<'w>, number: usize, left: Left<'w, O, P>, port: Port) -> Self {
        let Left { mut share, store, nodes, agenda, priority, courier, has_begun, saved } = left;
        Worker {
            number,
            store,
            nodes,
            agenda,
            priority,
            probe: work.system.explorer(),
            owners: Owners::new(port.peers),
            sent: SentStates::new(courier.most_words(), port.peers),
            departing: Departing::new(courier.most_words()),
            courier,
            outgoing: vec![Vec::new(); port.peers],
            port,
            displaced: Vec::new(),
            expected: VecDeque::with_capacity(MOST_EXPECTED),
            sightings: std::mem::take(&mut share.sightings),
            share,
            layer: VecDeque::new(),
            stands: false,
            rests: false,
            has_begun,
            saved,
            started: Instant::now(),
            waited: Duration::ZERO,
            work,
        }
    }

    pub fn run(mut self) -> Left<'w, O, P> {
        let mut explorer = self.work.system.explorer();
        explorer.heed(&self.work.board.signal);
        if self.has_begun {
            self.advance();
        } else {
            self.open_initial_states(&mut *explorer);
            self.has_begun = true;
        }
        let mut current = StateBuf::default();
        let mut patience = Duration::ZERO;
        while !self.work.board.is_over() {
            let waits = (!patience.is_zero()).then(Instant::now);
            self.port.step(patience);
            self.waited += waits.map_or(Duration::ZERO, |since| since.elapsed());
            let opened = self.open_what_has_come_in();
            self.heed_pause();
            let worked = if self.stands {
                0
            } else {
                self.settle();
                self.take_turn(&mut *explorer, &mut current)
            };
            self.tell();
            // Nothing is under way, and nothing open but where workers rest.
            if self.port.frontier().is_none() {
                break;
            }
            patience = if worked > 0 || opened > 0 { Duration::ZERO } else { PATIENCE };
        }
        self.leave()
    }

    fn heed_pause(&mut self) {
        let pause = &self.work.board.pause;
        if !self.stands && pause.is_asked() {
            self.stands = true;
            pause.stand();
        }
        if self.stands && !self.rests && pause.rests() {
            self.send_all();
            self.rests = true;
            self.port.advance(None);
        }
    }

    /// The moment from which on this worker has something open.
    fn first_open(&mut self) -> Option<Moment> {
        match &mut self.agenda {
            Agenda::InLayers(open) | Agenda::AtOnce(open) => {
                let (key, _) = open.front()?;
                Some(Moment { cost: self.priority.error_floor(key), round: 0 })
            }
            Agenda::Beam(beam) => beam.first(),
        }
    }

    /// Expands states that have their turn, for a while. How much work that was.
    fn take_turn(&mut self, explorer: &mut dyn Explorer, current: &mut StateBuf) -> u64 {
        let mut worked = 0;
        while worked < TURN && !self.work.board.is_over() {
            let Some(id) = self.next() else { break };
            worked += 1 + self.visit(explorer, id, current);
        }
        // Others wait for states that come earlier in an order without layers, and for all that is there if nothing is left here.
        if worked < TURN || matches!(self.agenda, Agenda::AtOnce(_)) {
            self.send_all();
            self.advance();
        }
        worked
    }

    /// The state whose turn it is.
    fn next(&mut self) -> Option<StateId> {
        if let Some(id) = self.layer.pop_front() {
            return Some(id);
        }
        let frontier = self.port.frontier()?;
        let first = self.first_open()?;
        let bound = self.work.board.bound();
        match &mut self.agenda {
            // What this worker holds is below the frontier: it has advanced to this layer, and sent what belongs to earlier ones.
            Agenda::InLayers(open) if first.cost <= frontier.cost && first.cost < bound => open.pop().map(|(_, id)| id),
            Agenda::AtOnce(open) if first.cost < bound => open.pop().map(|(_, id)| id),
            Agenda::Beam(_) => self.next_of_beam(frontier),
            Agenda::InLayers(_) | Agenda::AtOnce(_) => None,
        }
    }

    /// The same for a beam: has others know what is in the layer, and takes the best of it.
    fn next_of_beam(&mut self, frontier: Moment) -> Option<StateId> {
        let Agenda::Beam(beam) = &mut self.agenda else { return None };
        if let Some((moment, tally)) = beam.seal(frontier) {
            self.port.advance(Some(moment));
            let own = self.port.index;
            for to in (0..self.port.peers).filter(|to| *to != own) {
                let (from, to) = (own as u32, to as u32);
                self.share.counts.bytes_out += tally.len() as u64 * 4;
                self.port.send(Parcel { from, to, kind: Kind::Tally, words: tally.clone() });
            }
            self.port.advance(Some(Moment { round: moment.round + Beam::TALLIED, ..moment }));
            return None;
        }
        let layer = beam.choose(frontier, self.port.index)?;
        self.share.doubts.dropped |= layer.dropped;
        self.layer = layer.states;
        self.layer.pop_front()
    }

    /// Gives up the moment that it held before what is open now.
    fn advance(&mut self) {
        if !self.layer.is_empty() {
            return;
        }
        let first = self.first_open();
        self.port.advance(first);
    }

    fn send_all(&mut self) {
        while self.let_one_depart() {}
        (0..self.outgoing.len()).for_each(|to| self.send_to(to));
    }

    fn send_to(&mut self, to: usize) {
        if self.outgoing[to].is_empty() {
            return;
        }
        let words = std::mem::take(&mut self.outgoing[to]);
        self.share.counts.bytes_out += words.len() as u64 * 4;
        let parcel = Parcel { from: self.port.index as u32, to: to as u32, kind: Kind::States, words };
        self.port.send(parcel);
    }

    /// Takes an error as result if nothing can be cheaper.
    fn settle(&mut self) {
        // That nothing is left is for all to say together (`Share::drain`).
        let Some(Moment { cost: floor, .. }) = self.port.frontier() else { return };
        if self.priority.finds_cheapest_first() {
            self.share.floor = self.share.floor.max(floor);
        }
        for sighting in &mut self.sightings {
            if !sighting.settled && sighting.cost <= floor {
                sighting.settled = true;
                self.work.board.settle(sighting.property, sighting.cost);
            }
        }
    }

    /// An error was met.
    fn sight(&mut self, sighting: Sighting) {
        let at_once = self.priority.takes_errors_at_once();
        let sighting = Sighting { settled: at_once, ..sighting };
        match self.sightings.iter_mut().find(|known| known.property == sighting.property) {
            Some(known) if known.cost <= sighting.cost => return,
            Some(known) => *known = sighting,
            None => self.sightings.push(sighting),
        }
        self.work.board.know(sighting.cost);
        if at_once {
            self.work.board.settle(sighting.property, sighting.cost);
        }
    }

    fn stop(&self, reason: StopReason) {
        self.work.board.end(Halt::Limit(reason));
    }

    /// Bytes besides the store.
    fn own_memory(&self) -> u64 {
        let open = match &self.agenda {
            Agenda::InLayers(open) | Agenda::AtOnce(open) => open.memory(),
            Agenda::Beam(beam) => beam.memory(),
        };
        let outgoing: usize = self.outgoing.iter().map(Vec::capacity).sum();
        let own = open + self.nodes.memory() + self.sent.memory() + self.priority.memory() + self.port.memory();
        own + outgoing as u64 * 4
    }

    /// Tells how far it is, and has the store know what it has to leave to others.
    fn tell(&mut self) {
        let own = self.own_memory();
        let frontier = match &self.agenda {
            Agenda::InLayers(open) | Agenda::AtOnce(open) => open.len() as u64,
            Agenda::Beam(beam) => beam.len() as u64,
        };
        let now = Snapshot {
            expanded: self.share.numbers.expanded,
            frontier,
            depth: self.share.numbers.depth,
            memory: own + self.store.memory(),
            best_estimate: self.priority.best_estimate(),
            at_least: if self.proves_shortest() {
                self.share.floor.min(self.work.board.known().unwrap_or(u64::MAX))
            } else {
                0
            },
            network: Some(NetworkUse {
                sent_bytes: self.share.counts.bytes_out,
                received_bytes: self.share.counts.bytes_in,
                duplicates: self.share.counts.duplicates,
            }),
            ..Snapshot::default()
        };
        let at_least = if now.at_least == u64::MAX { 0 } else { now.at_least };
        let gauges = &self.work.board.gauges;
        if let Some(gauge) = gauges.get(self.number) {
            gauge.tell(&Snapshot { at_least, ..now });
        }
        if let Some(all) = self.work.memory {
            // Each worker of the process has the same part of its memory.
            let part = all / gauges.len().max(1) as u64;
            self.store.leave_room((all - part).saturating_add(own));
        }
    }

    /// Is an error whose turn it is a shortest one, as far as this worker knows?
    fn proves_shortest(&self) -> bool {
        self.priority.finds_cheapest_first()
            && !self.store.is_lossy()
            && !self.work.system.merges_covers()
            && (!self.share.doubts.pruned || self.priority.prunes_safely())
    }

    fn leave(mut self) -> Left<'w, O, P> {
        if !self.stands {
            self.settle();
        }
        self.tell();
        let own = self.own_memory();
        let doubts = &mut self.share.doubts;
        doubts.lossy_store = self.store.is_lossy();
        doubts.prunes_safely = self.priority.prunes_safely();
        doubts.cheapest_first = self.priority.finds_cheapest_first();
        self.share.sightings = std::mem::take(&mut self.sightings);
        (self.share.numbers.evaluated, self.share.numbers.evaluation_time) = self.priority.evaluations();
        let counts = &mut self.share.counts;
        *counts = WorkerCounts {
            process: self.work.process,
            expanded: self.share.numbers.expanded,
            waited: counts.waited + self.waited.min(self.started.elapsed()),
            memory: own + self.store.memory(),
            ..*counts
        };
        self.share.open = match &self.agenda {
            Agenda::InLayers(open) | Agenda::AtOnce(open) => open.len() as u64,
            Agenda::Beam(beam) => beam.len() as u64,
        };
        let Worker { share, store, nodes, agenda, priority, courier, has_begun, saved, .. } = self;
        Left { share, store, nodes, agenda, priority, courier, has_begun, saved }
    }
}
