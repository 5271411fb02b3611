//! The dataflow: one loop through which parcels go from worker to worker, and timely's word on what is still under way.
//!
//! ```text
//!       ┌──────────────► exchange by owner ──► states ──┐
//!       └────────────── one round later ◄───────────────┘
//! ```
//!
//! The operator `states` does nothing but fill an inbox and empty an outbox; the search goes on outside of it, between two steps of
//! timely's worker, because it borrows what lives only as long as the search (operators may not).
//!
//! **What the frontier means.** A worker *holds* a moment: a capability of the operator. It holds no later moment than that of its
//! first open state, and nothing is sent at another moment than the one that is held. A parcel on its way, or one in the inbox, has
//! the moment at which it was sent, one round later, and its capability is given up only after what is in it was opened, which makes
//! the worker hold a moment no later than that. So at any time everything that is open or under way is at or after the earliest
//! moment that is held, in the inbox or on its way *somewhere*; timely counts just these (Murray et al. 2013, "Naiad"), and
//! [`Port::frontier`] is a lower bound of it at all workers: late perhaps, but never too high. If it is empty, there is nothing open
//! and nothing under way at any worker: the search is over. That is also the detection of termination; there is no other.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::{Duration, Instant};

use timely::communication::Allocator;
use timely::communication::Push;
use timely::communication::allocator::ProcessBuilder;
use timely::communication::allocator::zero_copy::allocator::TcpBuilder;
use timely::container::NoopBuilder;
use timely::dataflow::channels::Message;
use timely::dataflow::channels::pact::DistributorPact;
use timely::dataflow::channels::pushers::exchange::Distributor;
use timely::dataflow::operators::generic::Operator;
use timely::dataflow::operators::{Capability, ConnectLoop, Feedback};
use timely::scheduling::Activator;
use timely::worker::Worker;

use crate::moment::{Moment, Rounds};
use crate::parcel::Parcel;

/// How a worker gets at the others. To be taken along to its thread.
pub enum Connection {
    /// They are threads of this process.
    Threads(ProcessBuilder),
    /// Some of them are in other processes.
    Network(TcpBuilder),
}

impl Connection {
    fn build(self) -> Allocator {
        match self {
            Connection::Threads(builder) => Allocator::Process(builder.build()),
            Connection::Network(builder) => Allocator::Tcp(builder.build()),
        }
    }
}

/// What the operator and the search share.
struct Boxes {
    inbox: VecDeque<(Capability<Moment>, Parcel)>,
    outbox: Vec<(Capability<Moment>, Parcel)>,
    frontier: Option<Moment>,
}

/// One worker's end of the dataflow.
pub struct Port {
    worker: Worker,
    boxes: Rc<RefCell<Boxes>>,
    activator: Activator,
    held: Option<Capability<Moment>>,
    /// Of the parcel that is being opened.
    delivered: Option<Capability<Moment>>,
    is_over: bool,
    pub index: usize,
    pub peers: usize,
}

/// Each parcel goes where it says.
struct ByAddress;

impl Distributor<Parcel> for ByAddress {
    fn partition<T: Clone, P: Push<Message<T, Parcel>>>(&mut self, parcel: &mut Parcel, time: &T, to: &mut [P]) {
        let owner = parcel.to as usize;
        if let Some(pusher) = to.get_mut(owner) {
            Message::push_at(parcel, time.clone(), pusher);
        }
    }

    fn flush<T: Clone, P: Push<Message<T, Parcel>>>(&mut self, _time: &T, _to: &mut [P]) {}
}

impl Port {
    /// Everybody holds the first moment at the beginning.
    pub fn new(connection: Connection) -> Self {
        // Without a clock it would never rest.
        let mut worker = Worker::new(timely::WorkerConfig::default(), connection.build(), Some(Instant::now()));
        let first = Some(Moment::default());
        let boxes = Rc::new(RefCell::new(Boxes { inbox: VecDeque::new(), outbox: Vec::new(), frontier: first }));
        let shared = Rc::clone(&boxes);
        let (held, activator) = worker.dataflow::<Moment, _, _>(|scope| {
            let (back, coming) = scope.feedback::<Parcel>(Rounds(1));
            let mut start = None;
            let starts = &mut start;
            let going = coming.unary_frontier::<NoopBuilder<Parcel>, _, _, _>(
                DistributorPact(|_| ByAddress),
                "states",
                move |first, info| {
                    *starts = Some((first, scope.activator_for(info.address)));
                    move |(input, frontier), output| {
                        let boxes = &mut *shared.borrow_mut();
                        input.for_each(|moment, parcel| {
                            boxes.inbox.push_back((moment.retain(0), std::mem::take(parcel)));
                        });
                        for (moment, mut parcel) in boxes.outbox.drain(..) {
                            output.session_with_builder(&moment).give_container(&mut parcel);
                        }
                        boxes.frontier = frontier.frontier().first().copied();
                    }
                },
            );
            going.connect_loop(back);
            start.expect("the operator was made")
        });
        let (index, peers) = (worker.index(), worker.peers());
        Port { worker, boxes, activator, held: Some(held), delivered: None, is_over: false, index, peers }
    }

    /// Has timely do what there is to do; waits for something to come in, for so long at most, if there is nothing.
    pub fn step(&mut self, patience: Duration) {
        self.activator.activate();
        let goes_on = self.worker.step();
        if goes_on && !patience.is_zero() && self.boxes.borrow().inbox.is_empty() {
            self.worker.step_or_park(Some(patience));
            self.worker.step();
        }
        self.is_over |= !goes_on;
    }

    /// Nothing is open or under way at or before this moment but what comes later in the order than it; `None`: nothing is at all.
    pub fn frontier(&self) -> Option<Moment> {
        if self.is_over { None } else { self.boxes.borrow().frontier }
    }

    /// The next parcel that has come in, and when it was sent. It counts as opened when the next one is asked for.
    pub fn receive(&mut self) -> Option<(Moment, Parcel)> {
        let next = self.boxes.borrow_mut().inbox.pop_front();
        let (moment, parcel) = match next {
            Some((moment, parcel)) => (Some(moment), Some(parcel)),
            None => (None, None),
        };
        self.delivered = moment;
        self.delivered.as_ref().map(|moment| *moment.time()).zip(parcel)
    }

    pub fn held(&self) -> Option<Moment> {
        self.held.as_ref().map(|held| *held.time())
    }

    /// Something was opened that has its turn at this moment, or later: from now on no later one is held. It is never earlier than
    /// what is held already, or than the parcel in which it came.
    pub fn hold(&mut self, moment: Moment) {
        if self.held.as_ref().is_some_and(|held| *held.time() <= moment) {
            return;
        }
        let earliest = self.delivered.as_ref().or(self.held.as_ref());
        self.held = earliest.map(|from| from.delayed(&moment.max(*from.time())));
    }

    /// Nothing that this worker has opened or sends has its turn before this moment; `None`: it has nothing at all.
    pub fn advance(&mut self, moment: Option<Moment>) {
        match (moment, &mut self.held) {
            (Some(moment), Some(held)) if moment > *held.time() => held.downgrade(&moment),
            (None, held) => *held = None,
            _ => {}
        }
    }

    /// Sends at the moment that is held.
    pub fn send(&mut self, parcel: Parcel) {
        if let Some(held) = &self.held {
            self.boxes.borrow_mut().outbox.push((held.clone(), parcel));
        }
    }

    /// Bytes that have come in and are still to be opened.
    pub fn memory(&self) -> u64 {
        let boxes = self.boxes.borrow();
        let parcels = boxes.inbox.iter().chain(&boxes.outbox);
        parcels.map(|(_, parcel)| parcel.words.capacity() as u64 * 4).sum()
    }
}
