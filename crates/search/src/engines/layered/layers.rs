//! The states that are held: those still to be expanded, the last layers, and relays.
//!
//! A *layer* is what is expanded at one cost; steps that cost nothing stay in it. A closed state leaves when its layer has
//! left the window of the last ones, unless it is a *relay*: then it stays for good. Where a threshold on costs is passed,
//! both ends of each step across it become relays, and every state knows the relay that came last on its way. So relays are
//! two things: marks on every path that is shown in the end, and a net in which ways back are caught, because no run gets
//! from one side of a threshold to the other but through them.

use std::collections::{BTreeMap, VecDeque};

use bughound_kernel::{OutOfMemory, State, StateBuf, TransitionSystem};

use crate::engines::pool::{Place, Pool};

/// Where relays are set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relays {
    /// At least so many layers apart, and farther apart the longer the paths are: an eighth of their cost.
    EverySoOften(u64),
    /// Across this cost, and nowhere else.
    Across(u64),
    /// Every state is one.
    Everywhere,
}

/// A state on the way to another one.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Relay {
    pub state: StateBuf,
    pub cost: u64,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    cost: u64,
    /// The last relay before it; `None` for a start.
    relay: Option<Place>,
    is_relay: bool,
    is_open: bool,
}

/// As soon as this many states were expanded for each one that is held, and some came back, more layers are held. So what
/// is expanded again and again does not add up to many times the state space.
const PATIENCE: u64 = 4;

pub(super) struct Layers<'t> {
    pool: Pool<'t>,
    /// By place.
    nodes: Vec<Node>,
    /// By cost. Some entries are out of date.
    open: BTreeMap<u64, Vec<Place>>,
    entries: usize,
    /// The layer under way.
    layer: Vec<Place>,
    /// The last layers, with their costs.
    window: VecDeque<(u64, Vec<Place>)>,
    locality: Locality,
    relays: Relays,
    threshold: u64,
    /// How many layers there were.
    layers: u64,
}

/// How many layers are held.
#[derive(Clone, Copy, Debug)]
struct Locality {
    least: usize,
    now: usize,
    may_grow: bool,
    /// A relay was met that is in none of the layers held: other states of its layer may come back unseen.
    returned: bool,
    /// Since it has grown.
    expanded: u64,
}

impl<'t> Layers<'t> {
    pub(super) fn new(system: &'t dyn TransitionSystem, locality: usize, relays: Relays) -> Self {
        let least = locality.max(1);
        Layers {
            pool: Pool::new(system),
            nodes: Vec::new(),
            open: BTreeMap::new(),
            entries: 0,
            layer: Vec::new(),
            window: VecDeque::new(),
            locality: Locality { least, now: least, may_grow: true, returned: false, expanded: 0 },
            relays,
            threshold: if let Relays::Across(cost) = relays { cost } else { 0 },
            layers: 0,
        }
    }

    /// A state was reached, by a step from a state of the layer under way if it is no start. Its place if it is to be expanded
    /// at this cost. `is_worth_it` is asked about states that are not there.
    pub(super) fn meet(
        &mut self,
        from: Option<Place>,
        cost: u64,
        state: State<'_>,
        is_worth_it: impl FnOnce() -> bool,
    ) -> Result<Option<Place>, OutOfMemory> {
        let (place, fresh) = self.pool.insert(state)?;
        if fresh && !is_worth_it() {
            self.pool.remove(place);
            return Ok(None);
        }
        let known = (!fresh).then(|| self.nodes[place as usize]);
        if let Some(known) = known {
            let window_begins = self.window.front().map_or(u64::MAX, |(cost, _)| *cost);
            self.locality.returned |= !known.is_open && known.is_relay && known.cost < window_begins;
            if !known.is_open || known.cost <= cost {
                return Ok(None);
            }
        }
        self.nodes.try_reserve(1).map_err(|_| OutOfMemory)?;
        let (relay, is_relay) = self.relay_before(from, cost);
        let node = Node { cost, relay, is_relay, is_open: true };
        match self.nodes.get_mut(place as usize) {
            Some(old) => *old = node,
            None => self.nodes.push(node),
        }
        let bucket = self.open.entry(cost).or_default();
        bucket.try_reserve(1).map_err(|_| OutOfMemory)?;
        bucket.push(place);
        self.entries += 1;
        Ok(Some(place))
    }

    /// The last relay before a state that is reached from here at this cost, and whether it is a relay itself.
    fn relay_before(&mut self, from: Option<Place>, cost: u64) -> (Option<Place>, bool) {
        let Some(from) = from else { return (None, true) };
        let is_across = self.relays == Relays::Everywhere || cost > self.threshold;
        let node = &mut self.nodes[from as usize];
        // Whatever is expanded now costs no more than the threshold.
        node.is_relay |= is_across;
        (if node.is_relay { Some(from) } else { node.relay }, is_across)
    }

    /// The cost of the cheapest open state.
    pub(super) fn least_open(&mut self) -> Option<u64> {
        loop {
            let mut first = self.open.first_entry()?;
            let cost = *first.key();
            let bucket = first.get_mut();
            while let Some(&place) = bucket.last() {
                let node = self.nodes[place as usize];
                if node.is_open && node.cost == cost {
                    return Some(cost);
                }
                bucket.pop();
                self.entries -= 1;
            }
            first.remove();
        }
    }

    /// The next layer has this cost.
    pub(super) fn begin(&mut self, cost: u64) {
        if cost <= self.threshold && self.layers > 0 {
            return;
        }
        match self.relays {
            Relays::EverySoOften(layers) => {
                let apart = layers.saturating_mul((cost / self.layers.max(1)).max(1)).max(cost / 8);
                self.threshold = cost.saturating_add(apart);
            }
            Relays::Across(_) if cost > self.threshold => self.threshold = u64::MAX,
            Relays::Across(_) | Relays::Everywhere => {}
        }
    }

    /// Takes a state of the cheapest ones, to expand it.
    pub(super) fn take(&mut self, cost: u64, into: &mut StateBuf) -> Option<Place> {
        (self.least_open()? == cost).then_some(())?;
        let place = self.open.get_mut(&cost)?.pop()?;
        self.entries -= 1;
        self.nodes[place as usize].is_open = false;
        self.layer.push(place);
        self.locality.expanded += 1;
        self.pool.read(place, into);
        Some(place)
    }

    /// The layer at this cost is done.
    pub(super) fn end(&mut self, cost: u64) {
        self.layers += 1;
        self.window.push_back((cost, std::mem::take(&mut self.layer)));
        self.forget();
        let Locality { now, may_grow, returned, expanded, .. } = self.locality;
        let is_costly = expanded > PATIENCE * self.pool.len() as u64;
        if returned && may_grow && is_costly && self.window.len() >= now {
            self.locality = Locality { now: now.saturating_mul(2), returned: false, expanded: 0, ..self.locality };
        }
    }

    /// Room is wanted: from now on no more layers are held than at the beginning.
    pub(super) fn relieve(&mut self) {
        self.locality.may_grow = false;
        self.locality.now = self.locality.least;
        self.forget();
    }

    fn forget(&mut self) {
        while self.window.len() > self.locality.now {
            let Some((_, layer)) = self.window.pop_front() else { return };
            for place in layer.into_iter().filter(|place| !self.nodes[*place as usize].is_relay) {
                self.pool.remove(place);
            }
        }
    }

    /// The relays on the way to a state, from its start to the state itself.
    pub(super) fn relays_to(&self, place: Place) -> Vec<Relay> {
        let before = |place: &Place| self.nodes[*place as usize].relay;
        let mut relays: Vec<Relay> = std::iter::successors(Some(place), before)
            .map(|place| {
                let mut state = StateBuf::default();
                self.pool.read(place, &mut state);
                Relay { state, cost: self.nodes[place as usize].cost }
            })
            .collect();
        relays.reverse();
        relays
    }

    /// States that are held now.
    pub(super) fn len(&self) -> usize {
        self.pool.len()
    }

    /// The most that were held at once.
    pub(super) fn most(&self) -> u64 {
        self.pool.places() as u64
    }

    pub(super) fn waiting(&self) -> usize {
        self.entries
    }

    pub(super) fn memory(&self) -> u64 {
        let buckets = self.open.len() * size_of::<(u64, Vec<Place>, usize)>();
        // Vectors grow by doubling.
        let places =
            2 * (self.entries + self.layer.len() + self.window.iter().map(|(_, layer)| layer.len()).sum::<usize>());
        let nodes = self.nodes.capacity() * size_of::<Node>();
        self.pool.memory() + (nodes + buckets + places * size_of::<Place>()) as u64
    }
}
