//! Several open lists that take turns (Helmert 2006; Röger, Helmert 2010). Each holds all states, or those that speak for
//! themselves in its way, in an order of its own; a state taken from one is gone from all.

use bughound_checkpoint::{Error, Reader, Writer};
use bughound_kernel::{OutOfMemory, Random, StateId};

use crate::evaluators::{Guidance, Standing};
use crate::open_lists::{GuidedQueue, OpenList, TieBreak, Ties, TypeBuckets};
use crate::result::QueueAccess;
use crate::saving::{Ids, Snapshot};

/// Turns that a list gets ahead of the others when there is progress (Richter, Helmert 2009).
const BOOST: u64 = 1000;

/// A list has so many turns in a row: what it is about to find out is not lost among the states that others open.
const STINT: u32 = 50;

/// Before the lists take turns, one of them may have so many of its own. An estimate that costs little often leads straight to an error, if
/// no other list opens states in between: those that are equally good are taken latest first, and go deep.
const FIRST_LOOK: u32 = 64;

/// In which order a list has the states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    /// By the estimate with this number.
    Estimate(usize),
    /// The same, for states behind recommended steps only.
    Preferred(usize),
    /// By the grade of the last step, then by the first estimate.
    Grade,
    /// Those with something new first, then by the first estimate.
    New,
    /// A random state of a random type: cost and first estimate.
    Types,
}

impl Lane {
    fn name(self) -> String {
        match self {
            Lane::Estimate(n) => format!("h{}", n + 1),
            Lane::Preferred(n) => format!("preferred{}", n + 1),
            Lane::Grade => "context".into(),
            Lane::New => "new".into(),
            Lane::Types => "types".into(),
        }
    }

    /// Does it lead on from where progress was made?
    fn is_boosted(self) -> bool {
        matches!(self, Lane::Preferred(_) | Lane::Grade)
    }

    /// The order of its states; `None` if this state has no place in it.
    fn key(self, standing: &Standing) -> Option<Guidance> {
        let key = |f: u64, h: u32| Guidance { f, h: h.into(), g: standing.cost };
        let [first, ..] = standing.estimates;
        match self {
            Lane::Estimate(n) => Some(key(standing.estimates[n].into(), 0)),
            Lane::Preferred(n) => standing.preferred.then(|| key(standing.estimates[n].into(), 0)),
            Lane::Grade => Some(key(standing.grade.into(), first)),
            Lane::New => Some(key(u64::from(!standing.new), first)),
            Lane::Types => Some(key(standing.cost, first)),
        }
    }
}

enum Order {
    Queue(GuidedQueue),
    Types(TypeBuckets<(u64, u64)>),
}

struct Taker {
    lane: Lane,
    order: Order,
    /// The list with the fewest turns is next.
    turns: u64,
    /// What a turn costs: lists with a small share pay more.
    price: u64,
    pushed: u64,
    popped: u64,
}

pub struct Alternation {
    takers: Vec<Taker>,
    /// By state: it waits to be taken.
    waiting: Vec<bool>,
    len: usize,
    /// Whose turn it is, and for how long.
    at: usize,
    stint: u32,
    left: u32,
}

impl Alternation {
    /// Lists and the price of their turns.
    ///
    /// `first_look`: the list that begins.
    pub fn new(lanes: &[(Lane, u64)], first_look: Option<Lane>, seed: u64) -> Self {
        let taker = |&(lane, price): &(Lane, u64)| Taker {
            lane,
            order: match lane {
                Lane::Types => Order::Types(TypeBuckets::new(Random::new(seed))),
                _ => Order::Queue(GuidedQueue::new(Ties { low_h: true, rest: TieBreak::Lifo })),
            },
            // So that a boost can be taken off.
            turns: u64::MAX / 2,
            price,
            pushed: 0,
            popped: 0,
        };
        let takers = lanes.iter().map(taker).collect();
        let first = first_look.and_then(|first| lanes.iter().position(|(lane, _)| *lane == first));
        let (at, left) = first.map_or((0, 0), |at| (at, FIRST_LOOK));
        Alternation { takers, waiting: Vec::new(), len: 0, at, stint: STINT, left }
    }

    #[cfg(test)]
    fn with_stints_of(mut self, turns: u32) -> Self {
        self.stint = turns;
        self
    }

    /// The list whose turn it is.
    fn next(&mut self) -> Option<&mut Taker> {
        if self.left == 0 || self.takers.get(self.at)?.order.is_empty() {
            let with_entries = self.takers.iter().enumerate().filter(|(_, taker)| !taker.order.is_empty());
            self.at = with_entries.min_by_key(|(_, taker)| taker.turns)?.0;
            self.left = self.stint;
        }
        self.takers.get_mut(self.at)
    }
}

impl Taker {
    fn pop(&mut self) -> Option<StateId> {
        let id = match &mut self.order {
            Order::Queue(queue) => queue.pop()?.1,
            Order::Types(types) => types.pop()?.1,
        };
        self.popped += 1;
        Some(id)
    }
}

impl OpenList<Standing> for Alternation {
    fn push(&mut self, standing: Standing, id: StateId) -> Result<(), OutOfMemory> {
        for taker in &mut self.takers {
            if let Some(key) = taker.lane.key(&standing) {
                match &mut taker.order {
                    Order::Queue(queue) => queue.push(key, id)?,
                    Order::Types(types) => types.push((key.f, key.h), id)?,
                }
                taker.pushed += 1;
            }
            if standing.progress && taker.lane.is_boosted() {
                taker.turns = taker.turns.saturating_sub(BOOST);
            }
        }
        if id.index() >= self.waiting.len() {
            self.waiting.try_reserve(id.index() + 1 - self.waiting.len()).map_err(|_| OutOfMemory)?;
            self.waiting.resize(id.index() + 1, false);
        }
        self.len += usize::from(!self.waiting[id.index()]);
        self.waiting[id.index()] = true;
        Ok(())
    }

    fn pop(&mut self) -> Option<(Standing, StateId)> {
        while self.len > 0 {
            let taker = self.next()?;
            let id = taker.pop()?;
            let price = taker.price;
            if std::mem::replace(&mut self.waiting[id.index()], false) {
                self.takers[self.at].turns += price;
                self.left -= 1;
                self.len -= 1;
                // Errors count when they are met: nobody asks for the case that was made.
                return Some((Standing::default(), id));
            }
        }
        None
    }

    fn len(&self) -> usize {
        self.len
    }

    fn memory(&self) -> u64 {
        self.takers.iter().map(|taker| taker.order.memory()).sum::<u64>() + self.waiting.capacity() as u64
    }

    fn accesses(&self) -> Vec<QueueAccess> {
        let access =
            |taker: &Taker| QueueAccess { name: taker.lane.name(), pushed: taker.pushed, popped: taker.popped };
        self.takers.iter().map(access).collect()
    }
}

impl Order {
    fn is_empty(&self) -> bool {
        match self {
            Order::Queue(queue) => queue.is_empty(),
            Order::Types(types) => types.is_empty(),
        }
    }

    fn memory(&self) -> u64 {
        match self {
            Order::Queue(queue) => queue.memory(),
            Order::Types(types) => types.memory(),
        }
    }
}

impl Snapshot for Alternation {
    fn save(&self, ids: &Ids, to: &mut Writer) {
        for taker in &self.takers {
            match &taker.order {
                Order::Queue(queue) => queue.save(ids, to),
                Order::Types(types) => types.save(ids, to),
            }
            [taker.turns, taker.pushed, taker.popped].into_iter().for_each(|number| to.number(number));
        }
        let waiting: Vec<StateId> = ids.iter().filter(|id| self.waiting.get(id.index()) == Some(&true)).collect();
        ids.write_all(waiting.into_iter(), to);
        to.number(self.at as u64);
        to.number(self.left.into());
    }

    fn load(&mut self, ids: &Ids, from: &mut Reader) -> Result<(), Error> {
        for taker in &mut self.takers {
            match &mut taker.order {
                Order::Queue(queue) => queue.load(ids, from)?,
                Order::Types(types) => types.load(ids, from)?,
            }
            (taker.turns, taker.pushed, taker.popped) = (from.number()?, from.number()?, from.number()?);
        }
        for id in ids.read_all(from)? {
            if id.index() >= self.waiting.len() {
                self.waiting.resize(id.index() + 1, false);
            }
            self.len += usize::from(!std::mem::replace(&mut self.waiting[id.index()], true));
        }
        (self.at, self.left) = (from.small()?, from.small()?);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn standing(first: u32, second: u32, grade: u32) -> Standing {
        Standing { estimates: [first, second], grade, ..Standing::default() }
    }

    fn drain(list: &mut Alternation) -> Vec<u32> {
        std::iter::from_fn(|| list.pop()).map(|(_, id)| id.0).collect()
    }

    #[test]
    fn lists_take_turns_and_each_state_is_taken_once() {
        let mut list = Alternation::new(&[(Lane::Estimate(0), 1), (Lane::Estimate(1), 1), (Lane::Types, 1)], None, 7)
            .with_stints_of(1);
        for id in 0..9 {
            list.push(standing(id, 9 - id, 0), StateId(id)).unwrap();
        }
        assert_eq!(list.len(), 9);
        let mut order = drain(&mut list);
        assert_eq!(order[..2], [0, 8]);
        order.sort_unstable();
        assert_eq!((order, list.len()), ((0..9).collect(), 0));
    }

    #[test]
    fn progress_gives_turns_to_what_leads_on() {
        let mut list = Alternation::new(&[(Lane::Estimate(0), 1), (Lane::Grade, 1)], None, 0).with_stints_of(1);
        for id in 0..6 {
            list.push(standing(id, 0, 6 - id), StateId(id)).unwrap();
        }
        assert_eq!([list.pop(), list.pop()].map(|entry| entry.unwrap().1.0), [0, 5]);
        list.push(Standing { progress: true, ..standing(9, 0, 0) }, StateId(6)).unwrap();
        assert_eq!(drain(&mut list), [6, 4, 3, 2, 1]);
    }

    #[test]
    fn a_list_keeps_its_turn_for_a_while() {
        let mut list = Alternation::new(&[(Lane::Estimate(0), 1), (Lane::Estimate(1), 1)], None, 0).with_stints_of(3);
        for id in 0..8 {
            list.push(standing(id, 9 - id, 0), StateId(id)).unwrap();
        }
        assert_eq!(drain(&mut list), [0, 1, 2, 7, 6, 5, 3, 4]);
    }

    #[test]
    fn a_small_share_is_a_turn_now_and_then() {
        let mut list = Alternation::new(&[(Lane::Estimate(0), 1), (Lane::Estimate(1), 3)], None, 0).with_stints_of(1);
        for id in 0..8 {
            list.push(standing(id, 9 - id, 0), StateId(id)).unwrap();
        }
        assert_eq!(drain(&mut list), [0, 7, 1, 2, 3, 6, 4, 5]);
    }

    #[test]
    fn who_has_the_first_look_goes_deep_before_the_others_begin() {
        let mut list = Alternation::new(&[(Lane::Estimate(0), 1), (Lane::Estimate(1), 1)], Some(Lane::Estimate(1)), 0)
            .with_stints_of(1);
        for id in 0..FIRST_LOOK + 4 {
            list.push(standing(id, 1, 0), StateId(id)).unwrap();
        }
        let order = drain(&mut list);
        let latest_first: Vec<u32> = (4..FIRST_LOOK + 4).rev().collect();
        assert_eq!(order[..FIRST_LOOK as usize], latest_first);
        // It has had its turns: the others catch up.
        assert_eq!(order[FIRST_LOOK as usize..], [0, 1, 2, 3]);
    }
}
